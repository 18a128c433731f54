package claims

import (
	"bytes"
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"

	"membench/internal/codec"
	"membench/schema"
)

// An entityGroup is all that was said of one entity.
type entityGroup struct {
	v        schema.Version
	typ      string
	variants []entityVariant // distinct (confidence, props, unknown members)
	aliases  []string
	tags     []string
	ids      []schema.EntityID
	conf     schema.Confidence
	id       schema.EntityID
}

type entityVariant struct {
	conf  schema.Confidence
	props schema.Object
	extra schema.Extra
	key   []byte // props and unknown members, encoded
}

func newEntityGroup(v schema.Version) *entityGroup { return &entityGroup{v: v} }

func (g *entityGroup) add(e *schema.Entity) *schema.Finding {
	if g.typ == "" {
		g.typ, g.id = e.Type, e.ID
	} else if g.typ != e.Type {
		// The smaller type stays, so that the order does not matter.
		f := typeFault(e.Type, g.typ)
		if g.v != schema.V001 && e.Type < g.typ {
			f.Have, f.Want = f.Want, f.Have
			*g = entityGroup{v: g.v}
			if again := g.add(e); again != nil {
				return again
			}
		}
		return f
	}
	props, _ := e.Props.MarshalJSON()
	extra, _ := codec.Append(nil, e.Extra, codec.Compact)
	va := entityVariant{e.Confidence, e.Props, e.Extra, append(append(slices.Clone(props), 0), extra...)}
	known := false
	for i := range g.variants {
		if bytes.Equal(g.variants[i].key, va.key) {
			known = true
			g.variants[i].conf = max(g.variants[i].conf, va.conf)
		}
	}
	if !known {
		g.variants = append(g.variants, va)
	}
	g.conf = max(g.conf, e.Confidence)
	g.aliases = unite(g.aliases, e.Aliases, g.v == schema.V001)
	g.tags = unite(g.tags, e.Tags, g.v == schema.V001)
	g.ids = unite(g.ids, e.IDAliases, false)
	return nil
}

func typeFault(have, want string) *schema.Finding {
	return &schema.Finding{Pointer: "/entity_type", Code: "CLM205", Message: "one entity id under two types, skipped", Have: textOf(have), Want: textOf(want)}
}

// unite adds new elements, at the end if keepOrder, otherwise sorted.
func unite[T cmp.Ordered](have, more []T, keepOrder bool) []T {
	for _, s := range more {
		if keepOrder {
			if !slices.Contains(have, s) {
				have = append(have, s)
			}
		} else if i, found := slices.BinarySearch(have, s); !found {
			have = slices.Insert(have, i, s)
		}
	}
	return have
}

func (g *entityGroup) result() *schema.Entity {
	if g.typ == "" {
		return &schema.Entity{}
	}
	order := slices.Clone(g.variants)
	if g.v != schema.V001 {
		slices.SortFunc(order, func(a, b entityVariant) int {
			return cmp.Or(-cmp.Compare(a.conf, b.conf), bytes.Compare(a.key, b.key))
		})
	}
	e := &schema.Entity{RecordType: "entity", Type: g.typ, ID: g.id, Props: order[0].props, Aliases: nonNil(g.aliases), Tags: nonNil(g.tags), Confidence: g.conf, IDAliases: g.ids, Extra: order[0].extra}
	for _, o := range order[1:] {
		e.Props = addMembers(e.Props, o.props)
		e.Extra = addExtra(e.Extra, o.extra)
	}
	return e
}

func nonNil(s []string) []string {
	if s == nil {
		return []string{}
	}
	return s
}

// addMembers adds the members of more that o lacks, at the end.
func addMembers(o, more schema.Object) schema.Object {
	var b schema.ObjectBuilder
	var names []string
	for k, v := range o.Members() {
		b.Raw(k, v)
		names = append(names, k)
	}
	n := len(names)
	for k, v := range more.Members() {
		if !slices.Contains(names, k) {
			b.Raw(k, v)
			names = append(names, k)
		}
	}
	if len(names) == n {
		return o
	}
	return b.Object()
}

func addExtra(e, more schema.Extra) schema.Extra {
	if len(more) == 0 {
		return e
	}
	out := schema.Extra{}
	maps.Copy(out, more)
	maps.Copy(out, e)
	return out
}

// A claimGroup is all that was said of one claim.
type claimGroup struct {
	v        schema.Version
	base     schema.Claim   // merged, without evidence
	updated  schema.Instant // of base.UpdatedAt
	rankAt   schema.Instant
	evidence []evidence
	by       []string
	extra    map[string]stamped
	reasonAt schema.Instant
	said     string         // the strongest status of the records
	held     schema.Instant // newest evidence of the records that are not deprecated
	ended    schema.Instant // newest evidence of those that say that it ended
	keys     []conflictKey
	lost     loss
	n        int
	united   int  // how much of evidence, from its beginning, is united and sorted
	rows     int  // changes of the united evidence
	taken    int  // rows of evidence that records brought
	warned   bool // of two ranks
}

type stamped struct {
	at  schema.Instant
	raw []byte
}

type evidence struct {
	at  schema.Instant
	seq int
	schema.Evidence
	enc string // filled when two rows of one key compete
}

func newClaimGroup(v schema.Version, id schema.ClaimID) *claimGroup {
	return &claimGroup{v: v, base: schema.Claim{RecordType: "claim", ID: id}, extra: map[string]stamped{}}
}

func sameIdentity(a, b *schema.Claim) bool {
	return compareIdentity(a, b) == 0
}

func compareIdentity(a, b *schema.Claim) int {
	return cmp.Or(cmp.Compare(a.Predicate, b.Predicate), cmp.Compare(a.Domain, b.Domain), cmp.Compare(a.Subject.Type, b.Subject.Type), cmp.Compare(a.Subject.ID, b.Subject.ID),
		cmp.Compare(a.Object.Type, b.Object.Type), cmp.Compare(a.Object.ID, b.Object.ID))
}

func (g *claimGroup) add(c *schema.Claim) (warn, fault *schema.Finding) {
	known := c.At(g.v) // members unknown to the version decide nothing
	c = &known
	b := &g.base
	at := instantOf(c.UpdatedAt)
	if g.n == 0 {
		b.Predicate, b.Domain, b.Subject, b.Object = c.Predicate, c.Domain, c.Subject, c.Object
		b.Confidence, g.said, b.Rank, b.UpdatedAt, b.Reason, b.SupersededBy = c.Confidence, c.Status, c.Rank, c.UpdatedAt, c.Reason, c.SupersededBy
		g.updated, g.rankAt, g.reasonAt = at, g.newestOf(c), at
		b.Aliases = unite(nil, c.Aliases, false)
	} else {
		if !sameIdentity(b, c) {
			fault := &schema.Finding{Pointer: "/claim_id", Code: "CLM206", Message: "one claim id for two different claims, skipped", Have: textOf(c.Predicate + " " + c.Domain + " " + string(c.Subject.ID) + " " + string(c.Object.ID)), Want: textOf(b.Predicate + " " + b.Domain + " " + string(b.Subject.ID) + " " + string(b.Object.ID))}
			if g.v != schema.V001 && compareIdentity(c, b) < 0 {
				fault.Have, fault.Want = fault.Want, fault.Have
				*g = *newClaimGroup(g.v, b.ID)
				g.add(c)
			}
			return nil, fault
		}
		warn = g.mergeRank(c)
		b.Confidence = max(b.Confidence, c.Confidence)
		if g.said == schema.StatusDeprecated && c.Status == schema.StatusDeprecated {
			if d := cmp.Compare(at, g.reasonAt); d > 0 || d == 0 && (c.Reason+string(c.SupersededBy)) > (b.Reason+string(b.SupersededBy)) {
				b.Reason, b.SupersededBy, g.reasonAt = c.Reason, c.SupersededBy, at
			}
		} else if c.Status == schema.StatusDeprecated {
			b.Reason, b.SupersededBy, g.reasonAt = c.Reason, c.SupersededBy, at
		}
		g.said = strongest(g.said, c.Status)
		if g.newer(c.UpdatedAt, at) {
			b.UpdatedAt, g.updated = c.UpdatedAt, at
		}
		b.Aliases = unite(b.Aliases, c.Aliases, false)
	}
	for _, by := range strings.Split(string(c.By), "+") {
		if by != "" {
			g.by = unite(g.by, []string{by}, false)
		}
	}
	for k, v := range c.Extra {
		old, ok := g.extra[k]
		if !ok || g.v != schema.V001 && (at > old.at || at == old.at && bytes.Compare(v, old.raw) < 0) {
			g.extra[k] = stamped{at, v}
		}
	}
	for i := range c.Evidence {
		g.evidence = append(g.evidence, evidence{at: instantOf(c.Evidence[i].CreatedAt), seq: g.taken, Evidence: c.Evidence[i]})
		g.taken++
	}
	switch at := g.newestOf(c); {
	case c.Status != schema.StatusDeprecated:
		g.held = max(g.held, at)
	case c.Reason == ReasonEnded && g.v != schema.V001:
		g.ended = max(g.ended, at)
	}
	if b.Status = g.said; g.said != schema.StatusDeprecated && g.ended > g.held {
		b.Status, b.Reason, b.SupersededBy = schema.StatusDeprecated, ReasonEnded, ""
	}
	g.n++
	return warn, nil
}

// newer reports whether a time replaces updated_at.
func (g *claimGroup) newer(text string, at schema.Instant) bool {
	if g.v == schema.V001 {
		return text > g.base.UpdatedAt
	}
	d := cmp.Compare(at, g.updated)
	return d > 0 || d == 0 && text > g.base.UpdatedAt
}

func strongest(a, b string) string {
	for _, s := range []string{schema.StatusActive, schema.StatusCandidate, schema.StatusDeprecated} {
		if a == s || b == s {
			return s
		}
	}
	return max(a, b)
}

func (g *claimGroup) mergeRank(c *schema.Claim) (warn *schema.Finding) {
	if c.Rank == nil {
		return nil
	}
	at := g.newestOf(c)
	if g.base.Rank == nil {
		g.base.Rank, g.rankAt = c.Rank, at
		return nil
	}
	d := cmp.Compare(at, g.rankAt)
	if *g.base.Rank != *c.Rank {
		if !g.warned {
			g.warned = true
			warn = rankFinding(g.base.ID)
		}
		if d > 0 || d == 0 && *c.Rank < *g.base.Rank {
			g.base.Rank = c.Rank
		}
	}
	if d > 0 {
		g.rankAt = at
	}
	return warn
}

func rankFinding(id schema.ClaimID) *schema.Finding {
	return &schema.Finding{Pointer: "/rank", Code: "CLM203", Message: "two ranks for one claim, the one with newer evidence stays", Have: textOf(string(id)), Warning: true}
}

// newestOf is the instant of the newest evidence of one record.
func (g *claimGroup) newestOf(c *schema.Claim) (t schema.Instant) {
	for i := range c.Evidence {
		if at := instantOf(c.Evidence[i].CreatedAt); at > t {
			t = at
		}
	}
	return t
}

// sortEvidence unites evidence by (memory_item_id, point_id) and sorts it. In 0.1.0
// of two rows with one key the newer stays, of one instant the longer, then the
// greater text; in 0.0.1 the first stays and times compare as text.
func sortEvidence(v schema.Version, es []evidence) []evidence {
	if len(es) <= 1 {
		return es
	}
	type key struct {
		m schema.MemoryID
		p schema.PointID
	}
	at := make(map[key]int, len(es))
	out := es[:0]
	for _, e := range es {
		k := key{e.Memory, e.Point}
		i, ok := at[k]
		if !ok {
			at[k] = len(out)
			out = append(out, e)
			continue
		}
		if v == schema.V001 {
			continue
		}
		if e.better(&out[i]) {
			out[i] = e
		}
	}
	slices.SortStableFunc(out, func(a, b evidence) int { return compareEvidence(v, a, b) })
	return out
}

func compareEvidence(v schema.Version, a, b evidence) int {
	if v == schema.V001 {
		return cmp.Or(cmp.Compare(a.CreatedAt, b.CreatedAt), cmp.Compare(a.seq, b.seq))
	}
	return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.Point, b.Point), cmp.Compare(a.Memory, b.Memory))
}

// unite unites and sorts the evidence: first all of it once, however many records had it, then later rows one by one, since a popular claim has thousands.
func (g *claimGroup) unite() {
	if g.united == 0 && len(g.evidence) > 0 {
		g.evidence = sortEvidence(g.v, g.evidence)
		g.united = len(g.evidence)
		g.rows++
		return
	}
	more := slices.Clone(g.evidence[g.united:])
	g.evidence = g.evidence[:g.united]
	for _, e := range more {
		if i := slices.IndexFunc(g.evidence, func(o evidence) bool { return o.Memory == e.Memory && o.Point == e.Point }); i >= 0 {
			if g.v == schema.V001 || !e.better(&g.evidence[i]) {
				continue
			}
			g.evidence = slices.Delete(g.evidence, i, i+1)
		}
		at, _ := slices.BinarySearchFunc(g.evidence, e, func(a, b evidence) int { return compareEvidence(g.v, a, b) })
		g.evidence = slices.Insert(g.evidence, at, e)
		g.rows++
	}
	g.united = len(g.evidence)
}

func (e *evidence) better(o *evidence) bool {
	if d := cmp.Compare(e.at, o.at); d != 0 {
		return d > 0
	}
	a, b := e.encoded(), o.encoded()
	if len(a) != len(b) {
		return len(a) > len(b)
	}
	return a > b
}

func (e *evidence) encoded() string {
	if e.enc == "" {
		raw, _ := codec.Append(nil, e.Evidence, codec.Compact)
		e.enc = string(raw)
	}
	return e.enc
}

// claim is the merged claim without evidence, for conflict keys.
func (g *claimGroup) claim() *schema.Claim { return &g.base }

func (g *claimGroup) result() *schema.Claim {
	g.unite()
	c := g.head()
	c.Evidence = make([]schema.Evidence, len(g.evidence))
	for i := range g.evidence {
		c.Evidence[i] = g.evidence[i].Evidence
	}
	return c
}

// head is the merged claim but for its evidence.
func (g *claimGroup) head() *schema.Claim {
	c := g.base
	c.By = schema.By(strings.Join(g.by, "+"))
	if len(g.extra) > 0 {
		c.Extra = make(schema.Extra, len(g.extra))
		for k, v := range g.extra {
			c.Extra[k] = json.RawMessage(v.raw)
		}
	}
	if c.Status != schema.StatusDeprecated {
		c.Reason, c.SupersededBy = "", ""
	}
	if g.lost.reason != "" {
		c.Status, c.Reason, c.SupersededBy = schema.StatusDeprecated, g.lost.reason, g.lost.by
	}
	return &c
}

// state is a text that differs when the claim's line does.
func (g *claimGroup) state() string {
	if g.n == 0 {
		return ""
	}
	g.unite()
	b, _ := codec.Append(strconv.AppendInt(nil, int64(g.rows), 10), g.head(), codec.Compact)
	return string(b)
}
