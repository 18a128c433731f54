package claims

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"io"

	"membench/internal/codec"
	"membench/internal/extsort"
	"membench/schema"
)

// A bigClaim merges the records of one id that do not fit in memory. Its evidence is
// sorted on disk twice: by key, to unite it, then by time.
type bigClaim struct {
	b        *bulk
	isClaim  bool
	claim    *claimGroup
	entity   *entityGroup
	byKey    *extsort.Sorter
	byTime   *extsort.Sorter
	seq      uint64
	findings []*schema.Finding
	key      []byte // of an entity: its row's kind and key
	out      []byte // of an entity
	done     *schema.Claim
}

func newBig(b *bulk, claim bool) *bigClaim {
	g := &bigClaim{b: b, isClaim: claim}
	if !claim {
		g.entity = newEntityGroup(b.Version)
		return g
	}
	g.claim = newClaimGroup(b.Version, "")
	g.byKey = extsort.New(extsort.Options{Memory: int64(bigGroup), Dir: b.Dir})
	g.byTime = extsort.New(extsort.Options{Memory: int64(bigGroup), Dir: b.Dir})
	return g
}

func (g *bigClaim) close() {
	if g.isClaim {
		g.byKey.Close()
		g.byTime.Close()
	}
}

func (g *bigClaim) add(r row) error {
	s, err := g.b.decode(r)
	if err != nil {
		return err
	}
	if !g.isClaim {
		if f := g.entity.add(s.Entity); f != nil {
			g.findings = append(g.findings, f)
		}
		return nil
	}
	c := s.Claim
	if g.claim.n == 0 {
		g.claim.base.ID = c.ID
	}
	es := c.Evidence
	warn, fault := g.claim.add(c)
	g.claim.evidence = g.claim.evidence[:0]
	for _, f := range []*schema.Finding{warn, fault} {
		if f != nil && len(g.findings) < 100 {
			g.findings = append(g.findings, f)
		}
	}
	if fault != nil && !sameIdentity(&g.claim.base, c) {
		return nil
	}
	for i := range es {
		if err := g.addEvidence(&es[i]); err != nil {
			return err
		}
	}
	return nil
}

// Evidence by key: memory 00 01 point 00 01 preference enc. The preferred row comes first.
func (g *bigClaim) addEvidence(e *schema.Evidence) error {
	raw, err := codec.Append(nil, *e, codec.Compact)
	if err != nil {
		return err
	}
	at := instantOf(e.CreatedAt)
	rec := appendText(appendText(nil, string(e.Memory)), string(e.Point))
	n := len(rec)
	if g.b.Version == schema.V001 {
		rec = binary.BigEndian.AppendUint64(rec, g.seq) // the first stays
		g.seq++
	} else {
		// The newest, then the longest, then the greatest: inverted to come first.
		pref := binary.BigEndian.AppendUint64(at.AppendKey(nil), uint64(len(raw)))
		pref = appendText(pref, string(raw))
		for i := range pref {
			pref[i] = ^pref[i]
		}
		rec = append(rec, pref...)
	}
	rec = appendText(rec, e.CreatedAt)
	rec = append(rec, raw...)
	rec = binary.BigEndian.AppendUint32(rec, uint32(n))
	rec = binary.BigEndian.AppendUint32(rec, uint32(len(raw)))
	return g.byKey.Add(rec)
}

// finish unites the evidence and sorts it by time.
func (g *bigClaim) finish() error {
	if !g.isClaim {
		out, err := codec.Append(nil, schema.Statement{Entity: g.entity.result()}.At(g.b.Version), codec.Compact)
		g.out = append(out, '\n')
		return err
	}
	var last []byte
	for rec, err := range g.byKey.Sorted() {
		if err != nil {
			return err
		}
		end := len(rec) - 8
		n, size := int(binary.BigEndian.Uint32(rec[end:])), int(binary.BigEndian.Uint32(rec[end+4:]))
		if last != nil && bytes.Equal(rec[:n], last) {
			continue
		}
		last = append(last[:0], rec[:n]...)
		raw := rec[end-size : end]
		var e schema.Evidence
		if err := codec.Unmarshal(raw, &e); err != nil {
			return err
		}
		var key []byte
		if g.b.Version == schema.V001 {
			key = append(appendText(nil, e.CreatedAt), rec[n:n+8]...)
		} else {
			key = appendText(appendText(instantOf(e.CreatedAt).AppendKey(nil), string(e.Point)), string(e.Memory))
		}
		k := len(key)
		key = binary.BigEndian.AppendUint32(append(key, raw...), uint32(k))
		if err := g.byTime.Add(key); err != nil {
			return err
		}
	}
	return nil
}

func (g *bigClaim) output(looking bool) (out output, err error) {
	if !looking {
		out.findings = g.findings
	}
	if !g.isClaim {
		if f := g.b.twoTypes(g.key); f != nil {
			out.findings = append(out.findings, f)
			return out, nil
		}
		out.entities, out.ne = g.out, 1
		return out, nil
	}
	out.big = g
	keys := conflictKeys(g.b.Catalog, g.claim.claim())
	active := g.claim.base.Status == schema.StatusActive
	if looking {
		if len(keys) > 0 && active {
			out.contests = append(out.contests, contestant{keys, rival{newest: g.claim.held, id: g.claim.base.ID}})
		}
		return out, nil
	}
	if g.b.index != nil && active {
		g.claim.lost = g.b.index.lossOf(keys, g.claim.base.ID, g.claim.held)
	}
	g.claim.evidence, g.claim.united = nil, 0
	c := g.claim.result()
	g.done = c
	out.nc = 1
	if c.Status == schema.StatusDeprecated {
		out.dep = 1
	}
	return out, nil
}

// write streams the claim: the text before its evidence, the evidence, the rest.
func (g *bigClaim) write(w io.Writer) error {
	line, err := codec.Append(nil, schema.Statement{Claim: g.done}.At(g.b.Version), codec.Compact)
	if err != nil {
		return err
	}
	at := bytes.LastIndex(line, []byte(`,"evidence":[]`)) + len(`,"evidence":[`)
	bw := bufio.NewWriterSize(w, 1<<16)
	bw.Write(line[:at])
	first := true
	for rec, err := range g.byTime.Sorted() {
		if err != nil {
			return err
		}
		k := int(binary.BigEndian.Uint32(rec[len(rec)-4:]))
		if !first {
			bw.WriteByte(',')
		}
		first = false
		bw.Write(rec[k : len(rec)-4])
	}
	bw.Write(line[at:])
	bw.WriteByte('\n')
	return bw.Flush()
}

// appendText appends s so that the results compare as the texts do.
func appendText(dst []byte, s string) []byte {
	for i := range len(s) {
		if dst = append(dst, s[i]); s[i] == 0 {
			dst = append(dst, 0xff)
		}
	}
	return append(dst, 0, 1)
}
