package explain

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"slices"
	"strings"

	"membench/internal/codec"
	"membench/internal/stats"
	"membench/internal/textnorm"
	"membench/schema"
)

// Counts sums up where questions were lost, for each system and data set. It holds a
// few numbers for each category of each.
type Counts struct {
	o     Options
	order []*Count
	by    map[group]*Count // without a case and repeat
}

// NewCounts counts by the grader and threshold of o.
func NewCounts(o Options) *Counts { return &Counts{o: o.defaults(), by: map[group]*Count{}} }

// A Count is where one system lost the questions of one data set. Repeats count each.
type Count struct {
	System      string  `json:"system"`
	Dataset     string  `json:"dataset"`
	Questions   int     `json:"questions"`
	Right       int     `json:"right"`
	Failed      int     `json:"failed"`
	NotAnswered int     `json:"not_answered"` // error, timeout or refusal
	NotGraded   int     `json:"not_graded"`   // no grade of the answer, or none that scored
	Graders     []Named `json:"graders"`      // whose verdict decided, and how often
	Lost        []Lost  `json:"lost"`
	Breaks      []Named `json:"breaks,omitempty"` // with a graph
	Categories  []Part  `json:"categories"`
	// Unanswered says why questions were not answered, and where that began.
	Unanswered []Unanswered `json:"unanswered,omitempty"`
	// Remarks are what the memories and hits of all answers show (Options.Survey).
	Remarks []string `json:"remarks,omitempty"`
	// Warnings make the system's figures doubtful; every summary of the run has them.
	Warnings []string `json:"warnings,omitempty"`
	// Attributions is the Sum of the records that were counted.
	Attributions string `json:"attributions,omitempty"`
	sum          Sum
	said         []schema.Sentence // Remarks, in any language
	warned       []schema.Sentence // Warnings
}

// A Sum is a digest of the attributions of records in any order: one that was edited gives another.
type Sum [16]byte

// Add counts the attribution of a record, if it has one.
func (s *Sum) Add(r *schema.QARecord) {
	if r.Attribution == nil {
		return
	}
	b, err := codec.Append(fmt.Appendf(nil, "%q %q %d ", r.CaseID, r.QuestionID, r.Repeat), r.Attribution, codec.Compact)
	if err != nil {
		return // no record that was read cannot be written
	}
	for i, x := range sha256.Sum256(b) {
		s[i%len(s)] ^= x
	}
}

func (s Sum) String() string { return hex.EncodeToString(s[:]) }

// Named is how often something was.
type Named struct {
	Name string `json:"name"`
	N    int    `json:"n"`
}

// Lost counts the questions lost at one hop for one cause, by kind of failure.
type Lost struct {
	Hop   string `json:"hop"`
	Cause string `json:"cause,omitzero"`
	Kind  string `json:"kind,omitzero"` // a Fault of schema; "" if there is none
	N     int    `json:"n"`
}

// Unanswered counts the questions that were not answered for one reason.
type Unanswered struct {
	Hop     string `json:"hop,omitzero"` // ingest, where the system failed before the questions; "" unknown
	Outcome string `json:"outcome"`      // of the question
	N       int    `json:"n"`
	Case    string `json:"case_id"` // of the first
	Error   string `json:"error"`   // of the first
}

// Part is a Count of one category.
type Part struct {
	Category  string `json:"category"` // one of schema.Categories
	Questions int    `json:"questions"`
	Failed    int    `json:"failed"`
	Lost      []Lost `json:"lost"`
}

// Add counts a record that has passed QA.
func (c *Counts) Add(r *schema.QARecord) {
	key := group{System: r.System, Dataset: r.Dataset}
	n := c.by[key]
	if n == nil {
		n = &Count{System: r.System, Dataset: r.Dataset, Graders: []Named{}, Lost: []Lost{}, Categories: []Part{}}
		c.by[key], c.order = n, append(c.order, n)
	}
	part := at(&n.Categories, func(p Part) bool { return p.Category == r.Category }, Part{Category: r.Category, Lost: []Lost{}})
	n.Questions++
	n.sum.Add(r)
	part.Questions++
	v := c.o.grade(r)
	switch {
	case !v.asked:
		n.NotAnswered++
		n.unanswered(r)
		return
	case v.grade == nil:
		n.NotGraded++
		return
	}
	count(&n.Graders, v.grade.Grader(), 1)
	if !v.failed || r.Attribution == nil {
		n.Right++
		return
	}
	n.Failed++
	part.Failed++
	lose(&n.Lost, r.Attribution)
	lose(&part.Lost, r.Attribution)
	if b := r.Attribution.Break; b != "" {
		count(&n.Breaks, b, 1)
	}
}

func (n *Count) unanswered(r *schema.QARecord) {
	u := Unanswered{Outcome: r.Outcome, Case: r.CaseID, Error: r.Error}
	if a := r.Attribution; a != nil {
		u.Hop, u.Error = a.Hop, a.Reason
	}
	at(&n.Unanswered, func(o Unanswered) bool { return o.Hop == u.Hop && o.Outcome == u.Outcome }, u).N++
}

// Facts are what a Count says beside its figures, a sentence each: why questions were not answered, what memories and hits show, and what happened at each hop.
func (c Count) Facts() (out []schema.Sentence) {
	for _, u := range c.Unanswered {
		what := word(u.Outcome)
		if u.Hop != "" {
			what = schema.Say("lost at %s (%s)", word(u.Hop), word(schema.FaultFailed))
		}
		out = append(out, schema.Say("not answered: %d %s; the first is of case %s: %s", u.N, what, u.Case, textnorm.OneLine(u.Error, longestError)))
	}
	for i, s := range c.Remarks {
		said := schema.Say("%s", s)
		if i < len(c.said) {
			said = c.said[i]
		}
		out = append(out, schema.Say("remark: %s", said))
	}
	for _, h := range schema.Hops() {
		var words []schema.Sentence
		all := 0
		for _, k := range kinds(c.Lost, h) {
			all += k.N
			words = append(words, schema.Say("%s %d", word(k.Name), k.N))
		}
		if n := sum(c.Lost, h, "") - all; n > 0 {
			words = append(words, schema.Say("of no kind %d", n))
		}
		if len(words) > 0 {
			out = append(out, schema.Say("%s: %s", word(h), schema.Listed(words)))
		}
	}
	return out
}

// Caveats are the warnings.
func (c Count) Caveats() (out []schema.Sentence) {
	for i, s := range c.Warnings {
		if i < len(c.warned) {
			out = append(out, c.warned[i])
		} else {
			out = append(out, schema.Say("%s", s))
		}
	}
	return out
}

// longestError is how much of an error is shown, in code points.
const longestError = 200

// at is the one of a list; where there is none yet, it is added.
func at[T any](list *[]T, one func(T) bool, added T) *T {
	i := slices.IndexFunc(*list, one)
	if i < 0 {
		i, *list = len(*list), append(*list, added)
	}
	return &(*list)[i]
}

func count(list *[]Named, name string, n int) {
	at(list, func(n Named) bool { return n.Name == name }, Named{Name: name}).N += n
}

func lose(list *[]Lost, a *schema.Attribution) {
	at(list, func(l Lost) bool { return l.Hop == a.Hop && l.Cause == a.Cause && l.Kind == a.Kind }, Lost{Hop: a.Hop, Cause: a.Cause, Kind: a.Kind}).N++
}

// All lists the counts in the order in which systems and data sets came; hops, causes
// and categories in theirs.
func (c *Counts) All() []Count {
	hops, causes, categories, breaks := schema.Hops(), schema.Causes(), schema.Categories(), schema.Breaks()
	sort := func(l []Lost) {
		slices.SortFunc(l, func(a, b Lost) int {
			return cmp.Or(slices.Index(hops, a.Hop)-slices.Index(hops, b.Hop), slices.Index(causes, a.Cause)-slices.Index(causes, b.Cause), b.N-a.N, strings.Compare(a.Kind, b.Kind))
		})
	}
	out := make([]Count, len(c.order))
	for i, n := range c.order {
		sort(n.Lost)
		slices.SortFunc(n.Breaks, func(a, b Named) int { return slices.Index(breaks, a.Name) - slices.Index(breaks, b.Name) })
		slices.SortStableFunc(n.Categories, func(a, b Part) int {
			return slices.Index(categories, a.Category) - slices.Index(categories, b.Category)
		})
		for _, p := range n.Categories {
			sort(p.Lost)
		}
		out[i] = *n
		out[i].Attributions = n.sum.String()
		if c.o.Survey != nil {
			x := &out[i]
			x.said, x.warned = c.o.Survey.Lines(n.System, n.Dataset), c.o.Survey.Warnings(n.System, n.Dataset)
			x.Remarks, x.Warnings = inEnglish(x.said), inEnglish(x.warned)
		}
	}
	return out
}

// kinds returns the failures at a hop, most frequent first.
func kinds(l []Lost, hop string) []Named {
	var out []Named
	for _, x := range l {
		if x.Hop == hop && x.Kind != "" {
			count(&out, x.Kind, x.N)
		}
	}
	slices.SortFunc(out, func(a, b Named) int { return cmp.Or(b.N-a.N, strings.Compare(a.Name, b.Name)) })
	return out
}

// sum counts the questions lost at a hop for a cause; "" is any.
func sum(l []Lost, hop, cause string) (n int) {
	for _, x := range l {
		if (hop == "" || x.Hop == hop) && (cause == "" || x.Cause == cause) {
			n += x.N
		}
	}
	return n
}

func inEnglish(all []schema.Sentence) (out []string) {
	for _, s := range all {
		out = append(out, s.String())
	}
	return out
}

// WriteText draws hop × cause, then category × hop, in the language of words (fmt.Sprintf: English). Columns without a question are left out.
func (c Count) WriteText(w io.Writer, words func(format string, args ...any) string) {
	say := func(format string, args ...any) { fmt.Fprint(w, words(format, args...)) }
	var by []schema.Sentence
	for _, g := range c.Graders {
		by = append(by, schema.Say("%s (%d)", g.Name, g.N))
	}
	if len(by) == 0 {
		by = append(by, schema.Say("no grade"))
	}
	say("%s on %s: %d questions, %d right, %d failed", c.System, c.Dataset, c.Questions, c.Right, c.Failed)
	if c.NotAnswered > 0 {
		say(", %d not answered", c.NotAnswered)
	}
	if c.NotGraded > 0 {
		say(", %d not graded", c.NotGraded)
	}
	say("; by %s\n", schema.Listed(by))
	for _, s := range c.Caveats() {
		say("  warning: %s\n", s)
	}
	for _, s := range c.Facts() {
		say("  %s\n", s)
	}
	if c.Failed == 0 {
		return
	}
	hops := slices.DeleteFunc(schema.Hops(), func(h string) bool { return sum(c.Lost, h, "") == 0 })
	right := func(s string, n int) { fmt.Fprintf(w, " %s%s", strings.Repeat(" ", max(0, n-textnorm.Width(s))), s) }
	row := func(name schema.Sentence, cell func(hop string) string, last string) {
		fmt.Fprintf(w, "  %s", textnorm.Pad(words("%s", name), 14))
		for _, h := range hops {
			right(cell(h), max(9, textnorm.Width(words("%s", word(h)))))
		}
		if last != "" {
			right(last, 9)
		}
		fmt.Fprintln(w)
	}
	line := func(name schema.Sentence, n func(hop string) int, all int) {
		row(name, func(h string) string { return orDash(n(h)) }, fmt.Sprint(all))
	}
	row(schema.Say("lost at"), func(h string) string { return words("%s", word(h)) }, words("%s", schema.Say("all")))
	for _, cause := range schema.Causes() {
		if n := sum(c.Lost, "", cause); n > 0 {
			line(word(cause), func(h string) int { return sum(c.Lost, h, cause) }, n)
		}
	}
	none := func(hop string) (n int) {
		for _, l := range c.Lost {
			if l.Cause == "" && (hop == "" || l.Hop == hop) {
				n += l.N
			}
		}
		return n
	}
	if n := none(""); n > 0 {
		line(schema.Say("no cause"), none, n)
	}
	line(schema.Say("all"), func(h string) int { return sum(c.Lost, h, "") }, c.Failed)
	row(schema.Say("%% (95 %%)"), func(h string) string {
		i := stats.Wilson(sum(c.Lost, h, ""), c.Failed, .95)
		return fmt.Sprintf("%.0f–%.0f", 100*i.Lo, 100*i.Hi)
	}, "")
	for _, p := range c.Categories {
		if p.Failed > 0 {
			line(schema.Say("%s of %d", cmp.Or(p.Category, "?"), p.Questions), func(h string) int { return sum(p.Lost, h, "") }, p.Failed)
		}
	}
	var breaks []schema.Sentence
	for _, b := range c.Breaks {
		breaks = append(breaks, schema.Say("%s %d", b.Name, b.N))
	}
	if len(breaks) > 0 {
		say("  in the graph: %s\n", schema.Listed(breaks))
	}
}

// names are the words for hops, causes, kinds and outcomes, which are those of the records in English.
var names = func() map[string]schema.Sentence {
	say := schema.Say
	m := map[string]schema.Sentence{}
	for _, s := range []schema.Sentence{
		say("gold"), say("ingest"), say("store"), say("altered_stored"), say("overwrite"), say("retrieve"), say("altered_retrieved"), say("context"), say("altered_context"), say("read"), say("judge"), say("opaque"),
		say("miss"), say("conflict"), say("temporal"), say("hallucination"), say("overload"), say("generation"),
		say("empty"), say("identifier"), say("other"), say("cut"), say("added"), say("encoding"), say("speaker"), say("date"), say("negated"), say("number"), say("name"), say("words"), say("older"),
		say("failed"), say("dropped"), say("updated"), say("removed"), say("rank"), say("duplicate"), say("foreign"), say("echoed"), say("skipped"), say("order"), say("few"), say("impure"), say("source"), say("refused"), say("invented"),
		say("error"), say("timeout"),
	} {
		m[s.Format] = s
	}
	return m
}()

// word is the word for a hop, a cause, a kind or an outcome.
func word(id string) schema.Sentence {
	if s, ok := names[id]; ok {
		return s
	}
	return schema.Say("%s", id)
}

func orDash(n int) string {
	if n == 0 {
		return "·"
	}
	return fmt.Sprint(n)
}
