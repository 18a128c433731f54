package published

import (
	"cmp"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"membench/eval/protocol"
	"membench/internal/codec"
	"membench/schema"
)

// A Known is a public run, as digests of its rows: a file is recognised by its content, under any name and in any form, and changed rows are named.
type Known struct {
	Run string `json:"run"`
	// Rows are in base64. Each row has 3 bytes of conversation and question, 2 of the answer, 2 of golds, category, verdicts and scores, and 1 that reports
	// whether the answer is distinctive.
	Rows string `json:"rows"`
}

//go:embed known.json
var knownJSON []byte

// digest is one row of a run.
type digest struct {
	key    [3]byte
	answer [2]byte
	rest   [2]byte
	// telling reports that the answer is in the run's own words: long, and different from the gold.
	telling bool
}

const (
	digestBytes   = 8
	tellingLength = 12 // code points of an answer
	recognised    = 0.6
	enoughTelling = 50

	gradedAgain = "verdict, score, gold or category"
)

func digestOf(q *schema.QARecord, same *protocol.Protocol) digest {
	d := digest{telling: utf8.RuneCountInString(q.Answer) >= tellingLength}
	if equal := same.Grade(q).Score; equal != nil && *equal == 1 {
		d.telling = false
	}
	id := cmp.Or(plain(q.Question), q.QuestionID)
	copy(d.key[:], sum(q.CaseID, id))
	copy(d.answer[:], sum(q.Answer))
	rest := append([]string{q.RawCategory}, q.AllGolds()...)
	for i := range q.Grades {
		g := &q.Grades[i]
		if strings.HasPrefix(g.Protocol, "recorded-") && g.Score != nil && g.Gold != schema.GoldCorrected {
			rest = append(rest, fmt.Sprintf("%s %.6g", schema.ProtocolName(g.Protocol), *g.Score))
		}
	}
	copy(d.rest[:], sum(rest...))
	return d
}

func sum(parts ...string) []byte {
	h := sha256.New()
	for _, p := range parts {
		h.Write([]byte(p))
		h.Write([]byte{0})
	}
	return h.Sum(nil)
}

func (k Known) digests() ([]digest, error) {
	b, err := base64.StdEncoding.DecodeString(k.Rows)
	if err != nil || len(b)%digestBytes != 0 {
		return nil, fmt.Errorf("digests of the run %s cannot be read: %w", k.Run, err)
	}
	var out []digest
	for r := range slices.Chunk(b, digestBytes) {
		out = append(out, digest{[3]byte(r), [2]byte(r[3:]), [2]byte(r[5:]), r[7] == 1})
	}
	return out, nil
}

// placed is a row that was read.
type placed struct {
	digest
	pos schema.Pos
	id  string
}

// recognise finds the public run with the rows' distinctive answers, in any order; nil if there is none.
func recognise(rows []placed) (string, []digest, error) {
	var all []Known
	if err := codec.Unmarshal(knownJSON, &all); err != nil {
		return "", nil, err
	}
	have := map[[2]byte]int{}
	for _, r := range rows {
		if r.telling {
			have[r.answer]++
		}
	}
	name, most, best := "", recognised, []digest(nil)
	for _, k := range all {
		list, err := k.digests()
		if err != nil {
			return "", nil, err
		}
		left, n, of := map[[2]byte]int{}, 0, 0
		for _, d := range list {
			if !d.telling {
				continue
			}
			of++
			if left[d.answer] < have[d.answer] {
				left[d.answer]++
				n++
			}
		}
		if of >= enoughTelling && float64(n) >= most*float64(of) {
			name, most, best = k.Run, float64(n)/float64(of), list
		}
	}
	return name, best, nil
}

// differences reports the rows that are not as the public run has them. Where most verdicts
// differ, the answers were graded again, or all labels were exchanged: that is one warning.
func differences(run string, rows []placed, known []digest, report func(*schema.Finding)) {
	of := map[[3]byte][]digest{}
	for _, d := range known {
		of[d.key] = append(of[d.key], d)
	}
	differ := func(r placed) (what string, found bool) {
		list := of[r.key]
		if len(list) == 0 {
			return "question", true
		}
		i := max(0, slices.IndexFunc(list, func(d digest) bool { return d.answer == r.answer && d.rest == r.rest }))
		d := list[i]
		of[r.key] = slices.Delete(slices.Clone(list), i, i+1)
		switch {
		case d.answer != r.answer:
			return "answer", true
		case d.rest != r.rest:
			return gradedAgain, true
		}
		return "", false
	}
	var found, graded []*schema.Finding
	for _, r := range rows {
		what, ok := differ(r)
		if !ok {
			continue
		}
		f := &schema.Finding{Pos: r.pos, Code: "PUB015", Message: "the row differs from the public run (" + r.id + ")", Have: "another " + what, Want: run}
		if what == gradedAgain {
			graded = append(graded, f)
			continue
		}
		found = append(found, f)
	}
	all := schema.Pos{File: rows[0].pos.File}
	if 2*len(graded) > len(rows) {
		graded = []*schema.Finding{{Pos: all, Code: "PUB015", Warning: true, Have: fmt.Sprintf("%d of %d rows", len(graded), len(rows)), Want: run,
			Message: "the answers match a public run, but most verdicts, scores, golds or categories do not: it was graded again, or labels were exchanged"}}
	}
	found = append(found, graded...)
	missing := 0
	for _, list := range of {
		missing += len(list)
	}
	if missing > 0 {
		found = append(found, &schema.Finding{Pos: all, Code: "PUB015", Message: "rows of the public run are missing", Have: fmt.Sprintf("%d of %d", missing, len(known)), Want: run})
	}
	for _, f := range found {
		report(f)
	}
}
