package published

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"

	"membench/eval/figure"
	"membench/eval/protocol"
	"membench/internal/stats"
	"membench/schema"
)

// Verdicts of a check.
const (
	Reproduced    = "reproduced"
	Differs       = "differs"
	NotHere       = "not reproducible here" // the rows are only a subset of the claim's rows
	NoSuchGrades  = "nothing recorded"      // the file holds no such verdicts
	NotReproduced = "no protocol gives it"
)

// An Audit compares a run's published figures with its own rows.
type Audit struct {
	Run     string `json:"run"`
	Known   string `json:"known,omitzero"` // the public run that the answers are of
	Format  string `json:"format"`
	Dataset string `json:"dataset"`
	Rows    int    `json:"rows"`
	// Left counts findings: skipped rows, unreadable verdicts.
	Left     int            `json:"findings"`
	Outcomes map[string]int `json:"outcomes"`
	Recorded []Recorded     `json:"recorded"`
	Sessions []Recorded     `json:"sessions,omitempty"`
	Regrades []Regrade      `json:"regrades"`
	Checks   []Check        `json:"checks"`
	Votes    *Votes         `json:"votes,omitempty"`
}

// Recorded is one kind of recorded figure, over the available rows.
type Recorded struct {
	Protocol   string                  `json:"protocol"`
	By         schema.By               `json:"by,omitzero"`
	Overall    schema.Figure           `json:"overall"`
	Categories []schema.CategoryFigure `json:"categories,omitempty"` // by raw category
	Labels     map[string]int          `json:"labels,omitempty"`
}

// Votes is the agreement of several recorded votes with each other.
type Votes struct {
	N         int      `json:"n"`
	Raters    int      `json:"raters"`
	Unanimous float64  `json:"unanimous"` // share of the questions
	Fleiss    *float64 `json:"fleiss_kappa"`
	Randolph  *float64 `json:"randolph_kappa"`
}

// Regrade is one string protocol over the same answers, next to the recorded one.
type Regrade struct {
	Protocol string        `json:"protocol"`
	Overall  schema.Figure `json:"overall"`
	Against  []Against     `json:"against"`
}

// Reproduces reports whether the protocol gives the recorded score of every row.
func (x Against) Reproduces() bool { return x.Equal == x.N && x.N == x.Of && x.N > 0 }

// Against compares a protocol of ours with a recorded grade, row by row.
type Against struct {
	Recorded string  `json:"recorded"`
	Of       int     `json:"of"`    // rows with the recorded score
	N        int     `json:"n"`     // of them those that the protocol scores
	Equal    int     `json:"equal"` // rows whose score is the same within 1e-9
	Largest  float64 `json:"largest_difference"`
	// Agreement and κ exist where both are verdicts.
	Kappa *stats95 `json:"kappa,omitempty"`
}

type stats95 struct {
	K  *float64 `json:"kappa"`
	Lo *float64 `json:"lo"`
	Hi *float64 `json:"hi"`
}

// Check is one claim against the rows.
type Check struct {
	Claim
	Ours         schema.Figure `json:"ours"`
	Difference   *float64      `json:"difference"` // ours − claimed
	Inside       bool          `json:"inside"`     // the claim lies in the interval of ours
	Verdict      string        `json:"verdict"`
	By           string        `json:"reproduced_by,omitzero"` // the protocol that gives the value, of claims "any"
	Denominators []Denominator `json:"denominators"`
}

// AuditOptions select the graders and the intervals.
type AuditOptions struct {
	figure.Options
	Protocols []*protocol.Protocol // string protocols; nil: every rule of protocol.All that grades answers
	Claims    []Claim              // in addition to the claims of the public run that the rows belong to; claims of other runs are skipped
}

// RuleProtocols lists the protocols that grade an answer by rule.
func RuleProtocols() []*protocol.Protocol {
	var out []*protocol.Protocol
	for _, p := range protocol.All() {
		if p.Rule != nil && !strings.Contains(p.Name, "retrieval") && !strings.Contains(p.Name, "evidence") {
			out = append(out, p)
		}
	}
	return out
}

type audit struct {
	o        AuditOptions
	out      *Audit
	recorded map[string]*tallied
	regrades []*regrade
	counts   [][]int // votes: items × {accepted, rejected}
	session  map[string]*tallied
	rows     []placed
	alike    [2]alike
}

type tallied struct {
	by     schema.By
	all    figure.Cell
	rows   int
	scored int
	raw    map[string]*figure.Cell
	labels map[string]int
}

type regrade struct {
	p       *protocol.Protocol
	all     figure.Cell
	against map[string]*against
}

type against struct {
	n, equal int
	largest  float64
	table    [2][2]int
	verdicts bool
	differ   []int // rows whose score is another
	sure     sure  // of the rule judge beside verdicts
}

// Run audits one import of one system; a table of several is a usage error. Findings go to report; an error of the stream ends the audit.
func Run(im *Import, o AuditOptions, report func(*schema.Finding)) (*Audit, error) {
	if o.Protocols == nil {
		o.Protocols = RuleProtocols()
	}
	if len(im.Systems) > 1 {
		return nil, schema.Usagef("the table has %d systems: audit one of them, in a table of its own", len(im.Systems))
	}
	a := &audit{o: o, out: &Audit{Run: im.System, Format: im.Format.Name, Outcomes: map[string]int{}}, recorded: map[string]*tallied{}, session: map[string]*tallied{}}
	for _, p := range o.Protocols {
		a.regrades = append(a.regrades, &regrade{p: p, against: map[string]*against{}})
	}
	fault := func(f *schema.Finding) {
		a.out.Left++
		report(f)
	}
	var rows *rowCheck
	if im.asked != nil {
		rows = newRowCheck(im.asked)
	}
	same, err := protocol.ByName("em")
	if err != nil {
		return nil, err
	}
	for r, err := range schema.Drop(im.QA, fault) {
		if err != nil {
			return nil, err
		}
		a.add(&r.V)
		a.compare(&r.V)
		a.rows = append(a.rows, placed{digestOf(&r.V, same[0]), r.Pos, r.V.QuestionID})
		if why := contradicts(&r.V, same[0]); why != "" {
			fault(&schema.Finding{Pos: r.Pos, Code: "PUB012", Warning: true, Message: why + " (" + r.V.QuestionID + ")", Have: r.V.Answer, Want: r.V.Gold})
		}
		if rows != nil {
			rows.row(&r.V, r.Pos, fault)
		}
	}
	if rows != nil {
		rows.missing(a.out.Dataset, im.System, fault)
	}
	for r, err := range schema.Drop(im.Sessions, fault) {
		if err != nil {
			return nil, err
		}
		a.addSession(&r.V)
	}
	a.unlikely(fault)
	a.uneven(fault)
	a.constant(fault)
	run, known, err := recognise(a.rows)
	if err != nil {
		return nil, err
	}
	a.out.Known = run
	if known != nil {
		differences(run, a.rows, known, fault)
	}
	a.finish(slices.Concat(im.Claims, Published(run), o.Claims))
	return a.out, nil
}

func tally(m map[string]*tallied, name string, by schema.By) *tallied {
	t := m[name]
	if t == nil {
		t = &tallied{by: by, raw: map[string]*figure.Cell{}, labels: map[string]int{}}
		m[name] = t
	}
	return t
}

func (t *tallied) category(name string) *figure.Cell {
	c := t.raw[name]
	if c == nil {
		c = &figure.Cell{}
		t.raw[name] = c
	}
	return c
}

func (a *audit) add(q *schema.QARecord) {
	a.out.Rows++
	a.out.Dataset = q.Dataset
	a.out.Outcomes[q.Outcome]++
	apart := slices.Contains(figure.Apart(q.Dataset), q.RawCategory)
	for i := range q.Grades {
		g := &q.Grades[i]
		if g.Gold == schema.GoldCorrected {
			continue
		}
		t := tally(a.recorded, g.Protocol, g.By)
		t.rows++
		t.category(q.RawCategory).Add(q.CaseID, q.QuestionID, g)
		if g.Score != nil {
			t.scored++
		}
		if !apart {
			t.all.Add(q.CaseID, q.QuestionID, g)
		}
		if g.Label != "" {
			t.labels[g.Label]++
		}
		if n := int(g.Parts[PartVotes]); n > 1 {
			k := int(g.Parts[PartAccepted])
			a.counts = append(a.counts, []int{k, n - k})
		}
	}
	for _, r := range a.regrades {
		g := r.p.Grade(q)
		abstains := r.p.Name == ruleJudge && !q.Abstain && g.Label == "wrong" && abstention(r.p, *q)
		if !apart {
			r.all.Add(q.CaseID, q.QuestionID, &g)
		}
		if g.Score == nil {
			continue
		}
		for i := range q.Grades {
			rec := &q.Grades[i]
			if rec.Score == nil || rec.Gold == schema.GoldCorrected {
				continue
			}
			x := r.against[rec.Protocol]
			if x == nil {
				x = &against{verdicts: true}
				r.against[rec.Protocol] = x
			}
			x.n++
			d := math.Abs(*g.Score - *rec.Score)
			if d <= 1e-9 {
				x.equal++
			} else if len(x.differ) <= x.n/10+enoughRows {
				x.differ = append(x.differ, len(a.rows))
			}
			x.largest = max(x.largest, d)
			ours, theirs := *g.Score, *rec.Score
			if (ours == 0 || ours == 1) && (theirs == 0 || theirs == 1) {
				x.table[1-int(theirs)][1-int(ours)]++
				if r.p.Name == ruleJudge && g.Doubt == "" {
					x.sure.add(theirs == 1, ours == 1, abstains, len(a.rows))
				}
			} else {
				x.verdicts = false
			}
		}
	}
}

func (a *audit) addSession(s *schema.SessionRecord) {
	for i := range s.Grades {
		g := &s.Grades[i]
		name := map[string]string{"recall": sessionRecall, "interference": sessionInterference, "update": sessionUpdate}[g.Judge]
		name = cmp.Or(name, "session-"+g.Judge)
		t := tally(a.session, name, g.By)
		t.all.Add(s.CaseID, s.SessionID+"/"+g.Item, &schema.Grade{Score: g.Score, Outcome: g.Outcome})
		if g.Label != "" {
			t.labels[g.Label]++
		}
	}
}

func (a *audit) finish(claims []Claim) {
	for _, name := range sortedNames(a.recorded) {
		a.out.Recorded = append(a.out.Recorded, a.figures(name, a.recorded[name]))
	}
	for _, name := range sortedNames(a.session) {
		a.out.Sessions = append(a.out.Sessions, a.figures(name, a.session[name]))
	}
	for _, r := range a.regrades {
		g := Regrade{Protocol: r.p.ID(), Overall: r.all.Figure(a.o.Options)}
		for _, name := range sortedNames(r.against) {
			x := r.against[name]
			row := Against{Recorded: name, Of: a.recorded[name].scored, N: x.n, Equal: x.equal, Largest: x.largest}
			if x.verdicts {
				k := stats.Cohen([][]int{x.table[0][:], x.table[1][:]}, a.o.Defaults().Confidence)
				row.Kappa = &stats95{figure.Defined(k.K), figure.Defined(k.CI.Lo), figure.Defined(k.CI.Hi)}
			}
			g.Against = append(g.Against, row)
		}
		a.out.Regrades = append(a.out.Regrades, g)
	}
	if len(a.counts) > 0 {
		v := &Votes{N: len(a.counts), Raters: a.counts[0][0] + a.counts[0][1]}
		same := 0
		for _, c := range a.counts {
			if c[0] == 0 || c[1] == 0 {
				same++
			}
		}
		v.Unanimous = float64(same) / float64(v.N)
		if !slices.ContainsFunc(a.counts, func(c []int) bool { return c[0]+c[1] != v.Raters }) {
			k, free := stats.Fleiss(a.counts)
			v.Fleiss, v.Randolph = figure.Defined(k), figure.Defined(free)
		}
		a.out.Votes = v
	}
	for _, c := range claims {
		if c.Run == "" || c.Run == a.out.Run {
			a.out.Checks = append(a.out.Checks, a.check(c))
		}
	}
}

func (a *audit) figures(name string, t *tallied) Recorded {
	r := Recorded{Protocol: name, By: t.by, Overall: t.all.Figure(a.o.Options), Labels: t.labels}
	for _, c := range sortedNames(t.raw) {
		r.Categories = append(r.Categories, schema.CategoryFigure{Category: c, Figure: t.raw[c].Figure(a.o.Options)})
	}
	return r
}

// ours returns the figure of a claim, computed over the available rows.
func (a *audit) ours(c Claim) (schema.Figure, bool) {
	for _, m := range []map[string]*tallied{a.recorded, a.session} {
		for _, name := range sortedNames(m) {
			t := m[name]
			switch {
			case schema.ProtocolName(name) != schema.ProtocolName(c.Protocol):
			case c.Label != "":
				n := 0
				for _, k := range t.labels {
					n += k
				}
				return share(t.labels[c.Label], n, a.o.Options), n > 0
			case c.Category != "":
				cell := t.raw[c.Category]
				if cell == nil {
					return schema.Figure{}, false
				}
				return cell.Figure(a.o.Options), true
			default:
				return t.all.Figure(a.o.Options), true
			}
		}
	}
	for _, r := range a.regrades {
		if c.Category == "" && (r.p.Name == c.Protocol || r.p.ID() == c.Protocol) {
			return r.all.Figure(a.o.Options), true
		}
	}
	return schema.Figure{}, false
}

func share(k, n int, o figure.Options) schema.Figure {
	var c figure.Cell
	one, zero := 1.0, 0.0
	for i := range n {
		s := &zero
		if i < k {
			s = &one
		}
		c.Add("", strconv.Itoa(i), &schema.Grade{Score: s, Outcome: schema.GradeScored})
	}
	return c.Figure(o)
}

func (a *audit) check(c Claim) Check {
	out := Check{Claim: c}
	half := 0.5*math.Pow(10, -float64(c.Decimals)) + 1e-12
	if c.Protocol == AnyProtocol {
		out.Verdict = NotReproduced
		for _, r := range a.regrades {
			f := r.all.Figure(a.o.Options)
			if f.Value != nil && math.Abs(*f.Value-c.Value) <= half {
				out.Ours, out.By, out.Verdict = f, r.p.ID(), Reproduced
				out.Difference, out.Inside = figure.Defined(*f.Value-c.Value), true
				break
			}
		}
		return out
	}
	f, ok := a.ours(c)
	out.Ours = f
	if !ok || f.Value == nil {
		out.Verdict = NoSuchGrades
		return out
	}
	out.Difference = figure.Defined(*f.Value - c.Value)
	out.Inside = *f.Lo <= c.Value && c.Value <= *f.Hi
	rows := f.N + f.Unscored
	switch {
	case c.N > rows:
		out.Verdict = NotHere
	case math.Abs(*f.Value-c.Value) <= half:
		out.Verdict = Reproduced
	default:
		out.Verdict = Differs
	}
	candidates := []int{c.N}
	if c.Runs > 1 {
		candidates = append(candidates, c.Runs*c.N)
	}
	if a.out.Dataset == "locomo" && c.Category == "" {
		candidates = append(candidates, 1986) // with category 5, which no published table may count
	}
	if c.N < rows {
		candidates = append(candidates, rows)
	}
	// A mean of fractions may have any value, so the test does not apply to F1 and BLEU.
	if p := schema.ProtocolName(c.Protocol); p == RecordedJudge || p == RecordedMean || strings.HasPrefix(p, "session-") {
		out.Denominators = Denominators(c.Value, c.Decimals, candidates...)
	}
	return out
}
