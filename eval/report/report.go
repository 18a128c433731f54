// Package report turns graded runs into reports: Markdown, CSV, JSON, and one HTML file with tables, plots and every question behind them.
//
// A Builder receives the summaries (eval/aggregate) and then reads the graded records once. It holds counters, histograms and a random sample of answers. The
// records themselves go to side files of the HTML page, which loads them on demand, so that a million answers fill neither the memory nor the page.
//
// Every figure comes from a summary; nothing is averaged again. The package counts verdicts, the hops at which failed questions were lost, latencies, and the
// tokens shown to the reader. Equal input gives equal bytes.
package report

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"membench/eval/protocol"
	"membench/schema"
)

// Options of a report.
type Options struct {
	Title    string // "" is "Memory System Evaluation Report"
	Protocol string // of the main tables: name or name@version, with " by GRADER" where several graded by it; "": chosen by data set, see Dataset.Protocol
	Pages    bool   // collect single answers for the HTML page
	Embed    int    // up to this many failed answers and as many sampled ones are in the page itself; 0 means 200; a smaller run has no side files
	MaxText  int    // code points that are shown of a context or another long text; 0 means 20,000
	Runs     []Run  // inputs, for the last section
	Facts    []Fact // what eval explain says beside its figures
	// Side writes one side file, whole; names are like "answers-000001.js". nil: none are
	// written and only embedded answers can be opened.
	Side func(name string, data []byte) error
}

func (o Options) defaults() Options {
	o.Title = cmp.Or(o.Title, "Memory System Evaluation Report")
	if o.Embed <= 0 {
		o.Embed = 200
	}
	if o.MaxText <= 0 {
		o.MaxText = 20_000
	}
	return o
}

// A Run describes where records came from.
type Run struct {
	Path     string            `json:"path"`
	Membench string            `json:"membench,omitzero"` // the version that ran it
	Now      string            `json:"now,omitzero"`
	Models   map[string]string `json:"models,omitempty"` // purpose → model
}

// A Fact is a sentence about one system on one data set.
type Fact struct{ System, Dataset, Text string }

// Report is everything that the forms show; its JSON is the JSON form.
type Report struct {
	Version  int       `json:"version"` // of this form: 1
	Title    string    `json:"title"`
	Datasets []Dataset `json:"datasets"` // sorted by name
	Runs     []Run     `json:"runs,omitempty"`

	page *pageData // nil without Options.Pages
}

// Dataset is one data set and the systems that were asked its questions.
type Dataset struct {
	Name      string `json:"dataset"`
	Questions int    `json:"questions"` // distinct, the most that one system was asked
	Cases     int    `json:"cases"`
	// Protocol and By name the grades of the main tables. The default is the grader that scored most systems: a model before a rule, then in the order of
	// protocol.All; retrieval metrics last.
	Protocol string    `json:"protocol"`
	By       schema.By `json:"by"`
	Systems  []System  `json:"systems"` // best first, by the mean of Protocol; unscored last, then by name
	Sanity   []Note    `json:"sanity"`
	// Lead names the leading memory; Answerers and K come from the records: the author of the answers (a model, or rule), and the number of hits requested.
	Lead      *Lead    `json:"lead,omitempty"`
	Answerers []string `json:"answers_by,omitempty"`
	K         []string `json:"k,omitempty"`
}

// Main is the score of the main tables; nil where the protocol graded nothing of s.
func (d *Dataset) Main(s *System) *schema.Score {
	return scoreOf(&s.Summary, d.Protocol, d.By)
}

func scoreOf(s *schema.Summary, id string, by schema.By) *schema.Score {
	for i := range s.Scores {
		if s.Scores[i].Protocol == id && s.Scores[i].By == by {
			return &s.Scores[i]
		}
	}
	return nil
}

// System is one system on one data set.
type System struct {
	Summary schema.Summary `json:"summary"`
	Tokens  Tokens         `json:"tokens"`
	Losses  []Loss         `json:"losses"`              // by category in the order of reports
	Facts   []string       `json:"explained,omitempty"` // what eval explain says beside the counts of Losses
	// Retrieve and Answer are latencies by size; nil where none was recorded.
	Retrieve *Histogram `json:"retrieve_ms,omitempty"`
	Answer   *Histogram `json:"answer_ms,omitempty"`
}

// Name is the system's.
func (s *System) Name() string { return s.Summary.System }

// Tokens are the tokens that a system makes the models read and write, without judges.
type Tokens struct {
	Total     int     `json:"total"`     // of all steps but judging
	Shown     float64 `json:"shown"`     // mean tokens of the reader's context per question
	Questions int     `json:"questions"` // answers that Shown is the mean of
	// Estimated: no reader's usage was recorded, and Shown is counted from the length of
	// contexts (Total, too, where no step recorded any).
	Estimated bool `json:"estimated,omitzero"`
}

// Verdicts of one answer by the main protocol.
const (
	Right    = "right"    // scored Threshold or more
	Wrong    = "wrong"    // scored less
	Unscored = "unscored" // not answered, or the judge failed
	Ungraded = "ungraded" // the protocol does not score it, or it was not graded
)

// Threshold is the score from which on an answer counts as right in lists and losses;
// means are never cut by it.
const Threshold = 0.5

// Loss counts the results of the answers in one category.
type Loss struct {
	Category string         `json:"category"`
	Answers  int            `json:"answers"` // right, wrong and unscored
	Right    int            `json:"right"`
	Wrong    int            `json:"wrong"`
	Unscored int            `json:"unscored"`
	Hops     map[string]int `json:"hops,omitempty"`   // of the wrong answers, by the hop that eval explain found
	Causes   map[string]int `json:"causes,omitempty"` // and why; judge and gold errors have none
	Open     int            `json:"unexplained"`      // of those not right: without an attribution
	// Other counts attributions of answers that the main protocol calls right.
	Other int `json:"attributed_but_right,omitzero"`
}

// Lost is the sum over categories.
func (s *System) Lost() Loss {
	t := Loss{Hops: map[string]int{}, Causes: map[string]int{}}
	for _, l := range s.Losses {
		t.Answers += l.Answers
		t.Right += l.Right
		t.Wrong += l.Wrong
		t.Unscored += l.Unscored
		t.Open += l.Open
		t.Other += l.Other
		schema.Tally(t.Hops, l.Hops)
		schema.Tally(t.Causes, l.Causes)
	}
	return t
}

// retrieval are the protocols that grade the retrieval, not the answer.
var retrieval = []string{"evidence-recall", "turn-recall", "lme-retrieval", "domaina-evidence"}

// grader is a protocol and who graded by it.
type grader struct {
	id string
	by schema.By
}

func (g grader) String() string {
	if g.by == schema.ByRule || g.by == "" {
		return g.id
	}
	return g.id + " by " + string(g.by)
}

// notApplicable replaces figures that are not meaningful: a bound retrieves everything, exactly the evidence, or nothing, by construction.
const notApplicable = "n/a"

var silence = w("n/a: not meaningful. The full context holds all evidence, the oracle exactly the evidence, and no memory none; where no hit names a turn, the evidence found is unknown.", "n/a：该数字没有意义。全部上下文包含所有证据，oracle 恰好是证据，无记忆则没有证据；没有任何命中标明轮次时，无法得知找到了哪些证据。")

// says reports whether a grader's figure is meaningful for a system.
func (g grader) says(s *System) bool { return s.Says(g.id) }

// Says reports whether the figure of a protocol is meaningful for the system: a bound's retrieval is determined by its construction, and hits without sources
// cannot be compared with the evidence.
func (s *System) Says(protocol string) bool {
	if !slices.Contains(retrieval, schema.ProtocolName(protocol)) {
		return true
	}
	return !s.bound() && !slices.ContainsFunc(s.Summary.Scores, func(x schema.Score) bool {
		return x.Protocol == protocol && x.Outcomes[schema.GradeNA] > 0 && len(x.Outcomes) == 1
	})
}

// EvidenceFound is the share of evidence that the system found, by hits; nil where it was not asked for or means nothing.
func (s *System) EvidenceFound() *schema.Score {
	i := slices.IndexFunc(s.Summary.Scores, func(x schema.Score) bool {
		return strings.HasPrefix(x.Protocol, "evidence-recall@") && x.Overall.N > 0 && s.Says(x.Protocol)
	})
	if i < 0 {
		return nil
	}
	return &s.Summary.Scores[i]
}

// graders lists the graders with scores for the systems; the first one is used in the main tables, see Dataset.Protocol.
func graders(systems []System) []grader {
	scored := map[grader]int{}
	for i := range systems {
		for _, sc := range systems[i].Summary.Scores {
			g := grader{sc.Protocol, sc.By}
			if scored[g] += 0; sc.Overall.N > 0 || slices.ContainsFunc(sc.RawCategories, func(c schema.CategoryFigure) bool { return c.Figure.N > 0 }) {
				scored[g]++
			}
		}
	}
	names := protocol.Names()
	place := func(g grader) int {
		if i := slices.Index(names, schema.ProtocolName(g.id)); i >= 0 {
			return i
		}
		return len(names)
	}
	late := func(g grader) int {
		if slices.Contains(retrieval, schema.ProtocolName(g.id)) {
			return 1
		}
		return 0
	}
	rule := func(g grader) int {
		if g.by == schema.ByRule {
			return 1
		}
		return 0
	}
	return slices.SortedFunc(maps.Keys(scored), func(a, b grader) int {
		return cmp.Or(late(a)-late(b), scored[b]-scored[a], rule(a)-rule(b), place(a)-place(b), cmp.Compare(a.id, b.id), cmp.Compare(a.by, b.by))
	})
}

// chosen is the grader that want names.
func chosen(list []grader, want string) (grader, bool) {
	name, by, named := strings.Cut(want, " by ")
	for _, g := range list {
		if (g.id == name || schema.ProtocolName(g.id) == name) && (!named || string(g.by) == by) {
			return g, true
		}
	}
	return grader{}, false
}

// order sorts data sets, and systems by their scores with unscored answers as wrong, and picks the main protocol of each.
func (r *Report) order(want string) error {
	slices.SortFunc(r.Datasets, func(a, b Dataset) int { return cmp.Compare(a.Name, b.Name) })
	found, have := want == "", []string{}
	for i := range r.Datasets {
		d := &r.Datasets[i]
		list := graders(d.Systems)
		for _, g := range list {
			if !slices.Contains(have, g.String()) {
				have = append(have, g.String())
			}
		}
		if g, ok := chosen(list, want); ok {
			found = true
			d.Protocol, d.By = g.id, g.by
		} else if len(list) > 0 {
			d.Protocol, d.By = list[0].id, list[0].by
		}
		value := func(s *System) float64 {
			if sc := d.Main(s); sc != nil && sc.Overall.Value != nil {
				return *Shown(&sc.Overall)
			}
			return -1
		}
		slices.SortFunc(d.Systems, func(a, b System) int {
			return cmp.Or(cmp.Compare(value(&b), value(&a)), cmp.Compare(a.Name(), b.Name()))
		})
		for j := range d.Systems {
			d.Questions = max(d.Questions, d.Systems[j].Summary.Questions)
			for _, sc := range d.Systems[j].Summary.Scores {
				d.Cases = max(d.Cases, sc.Overall.Clusters)
			}
		}
		d.Sanity = sanity(d)
	}
	if !found {
		return fmt.Errorf("protocol %q graded nothing in these runs: have %s", want, cmp.Or(strings.Join(have, ", "), "none (membench eval grade)"))
	}
	return nil
}
