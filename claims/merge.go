package claims

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"sort"
	"strconv"
	"strings"

	"membench/internal/codec"
	"membench/schema"
	"membench/schema/catalog"
)

// The merge rules of version 0.1.0 do not depend on the order of what is added:
//
//	claim     evidence   united by (memory_item_id, point_id), sorted by instant, then ids
//	          confidence the greatest
//	          rank       the one of the newest claim that has one; two different ranks are warning CLM203
//	          updated_at the newest instant
//	          status     active if any is active, else candidate if any is, else deprecated; deprecated if newer evidence says that it ended; then the conflict rule
//	          by         the names that occur, sorted, joined by "+"
//	          id_aliases united, sorted
//	          unknown    each member from the newest claim that has it
//	entity    props      of the most confident record (of equals, the first by bytes), then what others add
//	          aliases, tags, id_aliases  united, sorted
//	          confidence the greatest
//
// Version 0.0.1 keeps what the existing chain does, which is a matter of order: the
// first props, aliases and evidence win, times compare as text. See docs/deviations.md
// for what it does not keep.

// A Merger folds statements into one per id and keeps statuses right as they come.
// It holds everything that it was given, about the size of the compiled output.
// It is not safe for use by several goroutines at once.
type Merger struct {
	cat      *catalog.Catalog
	v        schema.Version
	mint     schema.Mint
	entities map[schema.EntityID]*entityGroup
	claims   map[schema.ClaimID]*claimGroup
	rivals   map[string]map[schema.ClaimID]bool // conflict key → claims that have it
	findings []*schema.Finding
}

// NewMerger makes an empty merger. A nil catalogue is the built-in one.
func NewMerger(c *catalog.Catalog, v schema.Version) *Merger {
	c = cmp.Or(c, catalog.Default())
	v = cmp.Or(v, schema.Latest)
	return &Merger{cat: c, v: v, mint: schema.Mint{V: v}, entities: map[schema.EntityID]*entityGroup{}, claims: map[schema.ClaimID]*claimGroup{}, rivals: map[string]map[schema.ClaimID]bool{}}
}

// Add merges s and returns every statement that changed, s's own first. It fails with a *schema.Finding without position if s contradicts the known record of
// its id; s was then skipped. Warnings are kept for Findings.
func (m *Merger) Add(s schema.Statement) (changed []schema.Statement, err error) {
	if f := whole(s); f != nil {
		return nil, f
	}
	if s.Entity != nil {
		return m.addEntity(s.Entity)
	}
	return m.addClaim(s.Claim)
}

func (m *Merger) addEntity(e *schema.Entity) ([]schema.Statement, error) {
	g := m.entities[e.ID]
	if g == nil {
		g = newEntityGroup(m.v)
		m.entities[e.ID] = g
	}
	before, _ := codec.Append(nil, schema.Statement{Entity: g.result()}, codec.Compact)
	if f := g.add(e); f != nil {
		return nil, f
	}
	out := schema.Statement{Entity: g.result()}
	after, err := codec.Append(nil, out, codec.Compact)
	if err != nil {
		return nil, fmt.Errorf("encoding entity %s: %w", e.ID, err)
	}
	if bytes.Equal(before, after) {
		return nil, nil
	}
	return []schema.Statement{out}, nil
}

func (m *Merger) addClaim(c *schema.Claim) ([]schema.Statement, error) {
	id, f := claimID(m.mint, c)
	m.warn(f, schema.Pos{})
	g := m.claims[id]
	if g == nil {
		g = newClaimGroup(m.v, id)
	}
	before := g.state()
	warn, fault := g.add(c)
	if fault != nil {
		return nil, fault
	}
	m.warn(warn, schema.Pos{})
	m.claims[id] = g
	lost := map[schema.ClaimID]loss{id: g.lost} // of the claim and its rivals: nothing else can change
	if m.v != schema.V001 {
		for _, k := range g.keys { // the rank may have changed
			delete(m.rivals[k.key], id)
		}
		old := g.keys
		g.keys = conflictKeys(m.cat, g.claim())
		for _, k := range g.keys {
			if m.rivals[k.key] == nil {
				m.rivals[k.key] = map[schema.ClaimID]bool{}
			}
			m.rivals[k.key][id] = true
		}
		for _, k := range append(slices.Clone(old), g.keys...) {
			for other := range m.rivals[k.key] {
				lost[other] = m.claims[other].lost
			}
		}
		m.settle(slices.Collect(maps.Keys(lost)))
	}
	same := before == g.state()
	maps.DeleteFunc(lost, func(k schema.ClaimID, l loss) bool { return l == m.claims[k].lost && (k != id || same) })
	ids := slices.Collect(maps.Keys(lost))
	slices.SortFunc(ids, func(a, b schema.ClaimID) int {
		if (a == id) != (b == id) {
			if a == id {
				return -1
			}
			return 1
		}
		return cmp.Compare(a, b)
	})
	var changed []schema.Statement
	for _, k := range ids {
		changed = append(changed, schema.Statement{Claim: m.claims[k].result()})
	}
	return changed, nil
}

// settle computes the status of claims from the rivals of their conflict keys.
func (m *Merger) settle(ids []schema.ClaimID) {
	index := newConflicts()
	seen := map[string]bool{}
	for _, id := range ids {
		for _, k := range m.claims[id].keys {
			if seen[k.key] {
				continue
			}
			seen[k.key] = true
			for other := range m.rivals[k.key] {
				if o := m.claims[other]; o.base.Status == schema.StatusActive {
					index.add(k, rival{newest: o.held, id: other, side: k.sideOf(o.keys)})
				}
			}
		}
	}
	for _, id := range ids {
		g := m.claims[id]
		g.lost = loss{}
		if g.base.Status == schema.StatusActive {
			g.lost = index.lossOf(g.keys, id, g.held)
		}
	}
}

// All yields every statement: entities by (type, id), then claims by (domain,
// predicate, claim_id), in code point order.
func (m *Merger) All() []schema.Statement {
	out := make([]schema.Statement, 0, len(m.entities)+len(m.claims))
	for _, g := range m.entities {
		out = append(out, schema.Statement{Entity: g.result()})
	}
	for _, g := range m.claims {
		out = append(out, schema.Statement{Claim: g.result()})
	}
	sort.Slice(out, func(i, j int) bool { return Less(out[i], out[j]) })
	return out
}

// Findings returns the warnings so far and forgets them.
func (m *Merger) Findings() []*schema.Finding {
	f := m.findings
	m.findings = nil
	sort.SliceStable(f, func(i, j int) bool { return f[i].Error() < f[j].Error() })
	return f
}

// Less is the order of compiled statements.
func Less(a, b schema.Statement) bool {
	if (a.Entity != nil) != (b.Entity != nil) {
		return a.Entity != nil
	}
	if a.Entity != nil {
		return cmp.Or(cmp.Compare(a.Entity.Type, b.Entity.Type), cmp.Compare(a.Entity.ID, b.Entity.ID)) < 0
	}
	return cmp.Or(cmp.Compare(a.Claim.Domain, b.Claim.Domain), cmp.Compare(a.Claim.Predicate, b.Claim.Predicate), cmp.Compare(a.Claim.ID, b.Claim.ID)) < 0
}

// CompileOptions say how to compile.
type CompileOptions struct {
	Catalog *catalog.Catalog // nil: the built-in one
	Version schema.Version   // "": the newest
}

// Compile merges the statements of any number of conversations into one per id, in
// the order of Less. It is the loop over Merger; Bulk does the same over bytes in
// bounded memory, and a test holds the two equal.
func Compile(ctx context.Context, in schema.Seq[schema.Statement], o CompileOptions) schema.Seq[schema.Statement] {
	return func(yield func(schema.Record[schema.Statement], error) bool) {
		m := NewMerger(o.Catalog, o.Version)
		for rec, err := range in {
			err = cmp.Or(err, ctx.Err())
			if err == nil {
				// Statuses are settled once, at the end, not after each record.
				if f := m.fold(rec.V, rec.Pos); f == nil {
					continue
				} else {
					err = f
				}
			}
			if !yield(schema.Record[schema.Statement]{Pos: rec.Pos}, err) || !schema.IsFinding(err) {
				return
			}
		}
		m.settleAll()
		for _, f := range m.Findings() {
			if !yield(schema.Record[schema.Statement]{}, f) {
				return
			}
		}
		for _, s := range m.All() {
			if !yield(schema.Record[schema.Statement]{V: s}, nil) {
				return
			}
		}
	}
}

// fold is Add without determining the changes.
func (m *Merger) fold(s schema.Statement, pos schema.Pos) (fault *schema.Finding) {
	switch fault = whole(s); {
	case fault != nil:
	case s.Entity != nil:
		g := m.entities[s.Entity.ID]
		if g == nil {
			g = newEntityGroup(m.v)
			m.entities[s.Entity.ID] = g
		}
		fault = g.add(s.Entity)
	case s.Claim != nil:
		m.warn(unnamed(s), pos)
		id, f := claimID(m.mint, s.Claim)
		m.warn(f, pos)
		g := m.claims[id]
		if g == nil {
			g = newClaimGroup(m.v, id)
			m.claims[id] = g
		}
		var warn *schema.Finding
		warn, fault = g.add(s.Claim)
		m.warn(warn, schema.Pos{})
	}
	if fault != nil {
		fault.Pos = pos
	}
	return fault
}

func (m *Merger) warn(f *schema.Finding, pos schema.Pos) {
	if f != nil {
		f.Pos = pos
		m.findings = append(m.findings, f)
	}
}

// whole wants the members that merging rests on.
func whole(s schema.Statement) *schema.Finding {
	pointer := ""
	switch {
	case s.Entity != nil && s.Entity.Type == "":
		pointer = "/entity_type"
	case s.Entity != nil && s.Entity.ID == "":
		pointer = "/entity_id"
	case s.Claim != nil && s.Claim.Predicate == "":
		pointer = "/predicate"
	case s.Claim != nil && s.Claim.Domain == "":
		pointer = "/domain"
	case s.Claim != nil && s.Claim.Subject.ID == "":
		pointer = "/subject/entity_id"
	case s.Claim != nil && s.Claim.Object.ID == "":
		pointer = "/object/entity_id"
	case s.Claim != nil && s.Claim.Subject.Type == "":
		pointer = "/subject/entity_type"
	case s.Claim != nil && s.Claim.Object.Type == "":
		pointer = "/object/entity_type"
	case s.Claim != nil && s.Claim.Status == "":
		pointer = "/status"
	case s.Claim != nil && !slices.Contains([]string{schema.StatusActive, schema.StatusCandidate, schema.StatusDeprecated, schema.StatusSuperseded}, s.Claim.Status):
		return &schema.Finding{Pointer: "/status", Code: "SCH003", Message: "the value is not one of those allowed, record skipped", Have: textOf(s.Claim.Status), Want: "active, candidate, deprecated or superseded"}
	case s.Claim == nil && s.Entity == nil:
		return errEmpty()
	default:
		return supported(s)
	}
	return &schema.Finding{Pointer: pointer, Code: "CLM207", Message: "absent or empty, record skipped", Want: "text"}
}

// supported wants a confidence within its range, and of a claim evidence that names a
// memory.
func supported(s schema.Statement) *schema.Finding {
	var conf schema.Confidence
	if s.Entity != nil {
		conf = s.Entity.Confidence
	} else {
		conf = s.Claim.Confidence
	}
	if !(conf >= 0 && conf <= 1) {
		return &schema.Finding{Pointer: "/confidence", Code: "CLM208", Message: "not a confidence, record skipped", Have: strconv.FormatFloat(float64(conf), 'g', -1, 64), Want: "a number from 0 to 1"}
	}
	if s.Claim != nil && !slices.ContainsFunc(s.Claim.Evidence, func(e schema.Evidence) bool { return e.Memory != "" }) {
		return &schema.Finding{Pointer: "/evidence", Code: "CLM209", Message: "no evidence that names a memory, claim skipped", Have: fmt.Sprintf("%d rows", len(s.Claim.Evidence)), Want: "at least one with memory_item_id"}
	}
	return nil
}

// unnamed warns about evidence without a memory if other evidence names one.
func unnamed(s schema.Statement) *schema.Finding {
	if s.Claim == nil {
		return nil
	}
	i := slices.IndexFunc(s.Claim.Evidence, func(e schema.Evidence) bool { return e.Memory == "" })
	if i < 0 {
		return nil
	}
	return &schema.Finding{Pointer: fmt.Sprintf("/evidence/%d/memory_item_id", i), Code: "CLM209", Message: "evidence names no memory, kept", Want: "mem:…", Warning: true}
}

func errEmpty() *schema.Finding {
	return &schema.Finding{Code: "CLM201", Message: "empty statement", Want: "a claim or an entity"}
}

func (m *Merger) settleAll() {
	if m.v == schema.V001 {
		return
	}
	index := newConflicts()
	for id, g := range m.claims {
		g.keys = conflictKeys(m.cat, g.claim())
		if g.base.Status == schema.StatusActive {
			for _, k := range g.keys {
				index.add(k, rival{newest: g.held, id: id, side: k.side})
			}
		}
	}
	for id, g := range m.claims {
		g.lost = loss{}
		if g.base.Status == schema.StatusActive {
			g.lost = index.lossOf(g.keys, id, g.held)
		}
	}
	m.findings = append(m.findings, index.ties()...)
}

// claimID is the id that c must have.
func claimID(m schema.Mint, c *schema.Claim) (schema.ClaimID, *schema.Finding) {
	id := m.Claim(c.Predicate, c.Domain, c.Subject.ID, c.Object.ID)
	if id != c.ID {
		return id, &schema.Finding{Pointer: "/claim_id", Code: "CLM202", Message: "claim id does not match its parts, recomputed", Have: textOf(string(c.ID)), Want: textOf(string(id)), Warning: true}
	}
	return id, nil
}

func textOf(s string) string {
	if len(s) > 120 {
		s = s[:120] + "…"
	}
	return fmt.Sprintf("%q", strings.ToValidUTF8(s, "�"))
}

// conflicts

// A conflictKey names one question to which only one claim may be the answer.
type conflictKey struct {
	key    string
	side   string // claims of one side do not contradict each other
	reason string
}

func (k conflictKey) sideOf(keys []conflictKey) string {
	for _, o := range keys {
		if o.key == k.key {
			return o.side
		}
	}
	return ""
}

// Reasons of a deprecated claim.
const (
	ReasonSuperseded   = "superseded"   // a newer object of a single-valued predicate
	ReasonContradicted = "contradicted" // a newer claim of the opposite polarity
	ReasonEnded        = "ended"        // a later statement says that it no longer holds
)

// conflictKeys lists the questions that a claim answers. Claims of other subjects,
// predicates or domains never share a key.
func conflictKeys(cat *catalog.Catalog, c *schema.Claim) []conflictKey {
	positive, negated, ok := cat.Polarity(c.Predicate)
	if !ok {
		return nil
	}
	p := cat.Predicates[positive]
	var out []conflictKey
	if p.Negative != "" {
		side := "+"
		if negated {
			side = "-"
		}
		out = append(out, conflictKey{"p\x00" + positive + "\x00" + c.Domain + "\x00" + string(c.Subject.ID) + "\x00" + string(c.Object.ID), side, ReasonContradicted})
	}
	if negated {
		return out
	}
	base := positive + "\x00" + c.Domain + "\x00" + string(c.Subject.ID)
	switch p.Single {
	case catalog.SingleAlways:
		out = append(out, conflictKey{"a\x00" + base, string(c.Object.ID), ReasonSuperseded})
	case catalog.SingleRank:
		if c.Rank != nil {
			out = append(out, conflictKey{fmt.Sprintf("r\x00%s\x00%d", base, *c.Rank), string(c.Object.ID), ReasonSuperseded})
		}
	case catalog.SingleName:
		if name, _, ok := strings.Cut(string(c.Object.ID), "="); ok {
			out = append(out, conflictKey{"n\x00" + base + "\x00" + name, string(c.Object.ID), ReasonSuperseded})
		}
	}
	return out
}

// A rival is one claim's answer to a conflict key.
type rival struct {
	newest schema.Instant
	id     schema.ClaimID
	side   string
}

// before reports whether r wins over s: newer evidence, of equals the smaller id.
func (r rival) before(s rival) bool {
	if c := cmp.Compare(r.newest, s.newest); c != 0 {
		return c > 0
	}
	return r.id < s.id
}

// A loss is the reason why a claim is deprecated. Of several, the first by (reason, successor).
type loss struct {
	reason string
	by     schema.ClaimID
}

func (l loss) take(k conflictKey, own, best rival) loss {
	if best.id == own.id || best.side == own.side || best.newest <= own.newest {
		return l
	}
	n := loss{k.reason, best.id}
	if l.reason == "" || n.reason < l.reason || n.reason == l.reason && n.by < l.by {
		return n
	}
	return l
}

// conflicts finds the winner of each key. It holds one entry per key.
type conflicts struct {
	best map[string]contest
}

type contest struct {
	best rival
	tied schema.ClaimID // the smallest id of another side with evidence as new as the best
}

func newConflicts() *conflicts { return &conflicts{map[string]contest{}} }

func (c *conflicts) add(k conflictKey, r rival) {
	b, ok := c.best[k.key]
	switch {
	case !ok:
		b = contest{best: r}
	case r.newest > b.best.newest:
		b = contest{best: r}
	case r.newest == b.best.newest:
		tied := b.tied
		if r.side != b.best.side {
			tied = minID(tied, r.id, b.best.id)
		}
		if r.before(b.best) {
			b.best = r
		}
		b.tied = tied
	}
	c.best[k.key] = b
}

func minID(ids ...schema.ClaimID) (out schema.ClaimID) {
	for _, id := range ids {
		if id != "" && (out == "" || id < out) {
			out = id
		}
	}
	return out
}

func (c *conflicts) lossOf(keys []conflictKey, id schema.ClaimID, newest schema.Instant) (l loss) {
	for _, k := range keys {
		if b, ok := c.best[k.key]; ok {
			l = l.take(k, rival{newest, id, k.side}, b.best)
		}
	}
	return l
}

func (c *conflicts) ties() (out []*schema.Finding) {
	for _, b := range c.best {
		if b.tied != "" {
			out = append(out, tieFinding(b.tied))
		}
	}
	return out
}

func tieFinding(id schema.ClaimID) *schema.Finding {
	return &schema.Finding{Pointer: "/status", Code: "CLM204", Message: "claims contradict each other and their newest evidence is of one instant, both stay active", Have: textOf(string(id)), Warning: true}
}

// instantOf is the instant of a text, unknown where it cannot be read.
func instantOf(s string) schema.Instant {
	t, _ := schema.ParseInstant(s)
	return t
}
