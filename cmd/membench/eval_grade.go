package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"unicode/utf8"

	"membench/config"
	"membench/eval/grade"
	"membench/eval/protocol"
	"membench/internal/codec"
	"membench/schema"
	"membench/schema/jsonl"

	"github.com/spf13/cobra"
)

type gradeOptions struct {
	inputs    []string
	out       string
	protocols []string
	judge     string // rule | model | "" (model where a protocol needs one)
	model     modelFlags
	prompts   []string
	errata    string
	entities  string
	votes     int
	workers   int
	again     bool
	threshold float64
	report    string
	strict    bool
	mixed     bool                                                // records of several systems: means over all of them say nothing, and are not told
	asks      func(p *protocol.Protocol, r *schema.QARecord) bool // a run's: which judges see which data set; nil: all
}

var errNoVerdict = errors.New("no call to the judge gave a verdict")

// stringProtocols are what is graded by without -p: rules that see every data set.
var stringProtocols = []string{"rule", "em", "contains", "numeric", "squad-f1", "locomo-f1", "mem0-2025-f1", "bleu1", "rouge-l", "evidence-recall"}

func newEvalGradeCmd(e *env) *cobra.Command {
	var o gradeOptions
	c := &cobra.Command{
		Use:   "grade FILE... -o OUT",
		Short: "Grade answers by named protocols, side by side",
		Long: `Grade QA records and session records. Each protocol puts one verdict beside the answer;
nothing else of a record changes, so answers are graded again at will and systems are
not asked again.

FILE is a file of QA records or of session records, a folder of them, or - for QA
records on standard input. Of one kind, -o is a file or -; of both, or of a folder, a
folder, which gets qa_records.jsonl and session_records.jsonl. Session records are graded by the four
judges of sessions; their gold points are what domaina-evidence looks for.

-p names protocols ('membench eval protocols' lists them). Rules need no model. A
protocol that asks a model needs --model or its settings; domaina-answer,
domaina-evidence and the session judges have a rule twin, which is used with --judge
rule, and where no given protocol needs a model. A grade says which of the two it is from.
A reply without a verdict, or none, is the outcome judge_failed: neither right nor
wrong. Running again on the output asks only about those; --again asks about all.

Answers whose record holds a correction of its gold (errata; --errata lays a list over,
such as LoCoMo's two) get a second grade of each protocol, marked gold: corrected. A
contested gold, or a question that is wrong itself, has no right answer there and is
not_applicable. The protocol rule is the rule judge: dates, numbers, lists, names and
words of answer and gold compared, without a model; eval calibrate says how far to
trust it on your questions.

On standard error: for each protocol the number of answers scored, their mean, and what
was not scored and why; then how far the graders agree (share and Cohen's κ; a score
counts as a yes at --threshold or above). --report writes the same as JSON.`,
		Example: `  membench eval grade qa.jsonl -o graded.jsonl
  membench eval grade qa.jsonl -p rule,locomo-f1 --errata errata.json -o graded.jsonl
  membench eval grade qa.jsonl -p locomo-f1,mem0-2025 --model gpt-4o-mini --cassette judge.jsonl -o graded.jsonl
  membench eval grade run/ -p domaina-answer,domaina-evidence --judge rule -o graded/
  membench eval grade qa.jsonl -p em,contains -o - --report r.json | jq -c '[.question_id, .grades[].score]'`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			o.inputs = args
			return runEvalGrade(c.Context(), e, o)
		},
	}
	f := c.Flags()
	f.StringVarP(&o.out, "output", "o", "-", "write to this `file` or folder; - is standard output")
	f.StringSliceVarP(&o.protocols, "protocol", "p", nil, "grade by these `protocols` (default "+strings.Join(stringProtocols, ",")+")")
	f.StringVar(&o.judge, "judge", "", "`rule` or model (default: model where a protocol has no rule)")
	f.StringArrayVar(&o.prompts, "prompt-file", nil, promptFileHelp)
	f.StringVar(&o.errata, "errata", "", "lay a correction `list` over the golds, and grade against both")
	f.StringVar(&o.entities, "entities", "", "`file` entity2id.json of MemoryAgentBench, for mab-recsys")
	f.IntVar(&o.votes, "votes", 1, "ask a judge `n` times about one answer, odd; the majority decides")
	f.IntVar(&o.workers, "workers", 0, "grade `n` answers at once (0: 4 with a model, else one per core)")
	f.BoolVar(&o.again, "again", false, "ask judges again where a record has their verdict")
	f.Float64Var(&o.threshold, "threshold", 0.5, "a score from here on is a yes in the agreement table, above 0 to `1`")
	f.StringVar(&o.report, "report", "", "write the figures to this `file` as JSON (- is standard output)")
	f.BoolVar(&o.strict, "strict", false, "write nothing and exit 3 when the data has errors")
	o.model.add(c)
	return c
}

func runEvalGrade(ctx context.Context, e *env, o gradeOptions) (err error) {
	prompts, err := readPrompts(o.prompts)
	if err != nil {
		return err
	}
	entities, err := readEntities(o.entities)
	if err != nil {
		return err
	}
	names := o.protocols
	if len(names) == 0 {
		names = stringProtocols
	}
	ps, err := protocol.Pick(protocol.With(protocol.Inputs{Prompts: prompts, Entities: entities}), names...)
	if err != nil {
		return usageError{err}
	}
	switch {
	case !(o.threshold > 0 && o.threshold <= 1):
		return usagef("--threshold: have %v, want above 0 to 1", o.threshold)
	case o.report == "-" && o.out == "-":
		return usagef("--report and the records both go to standard output: give -o FILE")
	case o.judge != "" && o.judge != "rule" && o.judge != "model":
		return usagef("--judge: have %q, want rule or model", o.judge)
	}
	if err := notInput(o.out, o.inputs...); err != nil {
		return err
	}
	qa, sessions, err := gradeInputs(o.inputs)
	if err != nil {
		return err
	}
	g := grade.Options{Protocols: ps, Votes: o.votes, Workers: o.workers, Again: o.again, Asks: o.asks}
	needed := slices.ContainsFunc(ps, func(p *protocol.Protocol) bool { return p.Rule == nil })
	if o.judge == "model" || o.judge == "" && needed {
		ms, err2 := o.model.open(e)
		if err2 != nil {
			return err2
		}
		defer ms.close(&err)
		if g.Judge, err = ms.Generator(config.Judge); err != nil {
			return err
		}
		if ms.dryRun() {
			o.out, o.report, e = "-", "", e.mute()
		}
	}
	if err := g.Check(); err != nil {
		return usageError{err}
	}
	if g.Workers == 0 {
		g.Workers = runtime.GOMAXPROCS(0)
		if g.Judge != nil {
			g.Workers = 4
		}
	}
	t := newTally(e, 20)
	lay, err := newOverlay(e, t, o.errata)
	if err != nil {
		return err
	}
	run := &gradeRun{lay: lay, e: e, o: o, t: t, figures: newGradeFigures(o.threshold), points: map[pointKey]string{}}
	if err := run.write(ctx, qa, sessions, g); err != nil {
		return err
	}
	t.summary()
	warnUnused(e, lay.list)
	rep := run.figures.report()
	if o.report != "" {
		if err := writeOut(e, o.report, func(w io.Writer) error { return writeJSON(w, rep) }); err != nil {
			return err
		}
	}
	if !o.mixed {
		rep.words(e)
	}
	for _, p := range rep.Protocols {
		if p.JudgeFailed > 0 && p.N == 0 {
			return fmt.Errorf("%s: %w (%d tried); first: %s", p.Grader, errNoVerdict, p.JudgeFailed, p.FirstFailure)
		}
	}
	return nil
}

// readEntities reads the pairs of name and id; nil without a file.
func readEntities(path string) (*protocol.Entities, error) {
	if path == "" {
		return nil, nil
	}
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	byName := map[string]int{}
	if err := codec.Unmarshal(b, &byName); err != nil {
		return nil, fmt.Errorf("%s: want one JSON object of names and ids (entity2id.json): %w", path, err)
	}
	return protocol.NewEntities(byName), nil
}

// gradeInputs sorts the files by the kind of their records, told from the first line.
func gradeInputs(inputs []string) (qa, sessions []string, err error) {
	files, err := inputFiles(inputs, ".jsonl")
	if err != nil {
		return nil, nil, err
	}
	for _, f := range files {
		kind := schema.KindQA
		if f != "-" {
			if kind, err = firstKind(f); err != nil {
				return nil, nil, err
			}
		}
		switch {
		case kind == schema.KindQA:
			qa = append(qa, f)
		case kind == schema.KindSession:
			sessions = append(sessions, f)
		case slices.Contains(inputs, f):
			return nil, nil, usagef("%s: its first line is not a QA record or a session record", f)
		}
	}
	if len(qa)+len(sessions) == 0 {
		return nil, nil, usagef("%s: no file of QA records or session records", strings.Join(inputs, ", "))
	}
	return qa, sessions, nil
}

// firstKind tells the kind of a file's records; an empty file is one of QA records.
func firstKind(path string) (schema.Kind, error) {
	r, err := jsonl.Open(path, nil)
	if err != nil {
		return "", err
	}
	defer r.Close()
	for line, err := range jsonl.Lines(r, path, 0) {
		if err != nil {
			break
		}
		has := map[string]bool{}
		for name := range codec.Members(line.Bytes) {
			has[name] = true
		}
		switch {
		case has["question_id"]:
			return schema.KindQA, nil
		case has["session_id"] && has["case_id"] && has["turns"]:
			return schema.KindSession, nil
		}
		return "", nil
	}
	return schema.KindQA, nil
}

type pointKey struct{ caseID, memoryID string }

// gradeRun is one run of the command: what both kinds of records share.
type gradeRun struct {
	e       *env
	o       gradeOptions
	t       *tally
	lay     *overlay
	figures *gradeFigures
	points  map[pointKey]string // gold points of the sessions in words
}

func (g *gradeRun) write(ctx context.Context, qa, sessions []string, o grade.Options) error {
	qaOut, sessionOut := g.o.out, g.o.out
	info, err := os.Stat(g.o.out)
	folder := err == nil && info.IsDir() || strings.HasSuffix(g.o.out, string(filepath.Separator)) || g.o.out != "-" && filepath.Ext(g.o.out) == "" && slices.ContainsFunc(g.o.inputs, isDir)
	if len(qa) > 0 && len(sessions) > 0 && g.o.out == "-" && g.e.out != io.Discard {
		return usagef("QA records and session records cannot share standard output: give a folder with -o")
	}
	if folder || len(qa) > 0 && len(sessions) > 0 && g.o.out != "-" {
		if err := os.MkdirAll(g.o.out, 0o777); err != nil {
			return err
		}
		qaOut, sessionOut = filepath.Join(g.o.out, "qa_records.jsonl"), filepath.Join(g.o.out, "session_records.jsonl")
		if err := errors.Join(notInput(qaOut, qa...), notInput(sessionOut, sessions...)); err != nil {
			return err
		}
	}
	if len(sessions) > 0 {
		in := observe(drop(g.t, jsonl.Files[schema.SessionRecord](sessions, g.e.in)), g.keepPoints)
		out := grade.Sessions(ctx, in, grade.SessionOptions{Judge: o.Judge, Workers: o.Workers})
		if err := writeGraded(g, sessionOut, observe(out, g.figures.session)); err != nil {
			return err
		}
	}
	if len(qa) > 0 {
		in := observe(g.lay.over(drop(g.t, jsonl.Files[schema.QARecord](qa, g.e.in))), g.fillPoints)
		return writeGraded(g, qaOut, observe(grade.QA(ctx, in, o), g.figures.qa))
	}
	return nil
}

// observe calls see on every record that passes; see may change it.
func observe[T any](in schema.Seq[T], see func(*T)) schema.Seq[T] {
	return func(yield func(schema.Record[T], error) bool) {
		for r, err := range in {
			if err == nil {
				see(&r.V)
			}
			if !yield(r, err) {
				return
			}
		}
	}
}

// writeGraded drains a stream into a file that appears whole; with --strict nothing is
// written where the data has errors.
func writeGraded[T schema.Versioned[T]](g *gradeRun, path string, in schema.Seq[T]) error {
	return writeOut(g.e, path, func(w io.Writer) error {
		_, findings, err := jsonl.Write(w, schema.Latest, in)
		for _, f := range findings {
			err = errors.Join(err, g.t.take(f))
		}
		if err == nil && g.o.strict && g.t.errors > 0 {
			g.t.summary()
			err = errFindings
		}
		return err
	})
}

func (g *gradeRun) keepPoints(r *schema.SessionRecord) {
	for _, p := range r.Points {
		g.points[pointKey{r.CaseID, p.ID}] = p.Content
	}
}

// fillPoints gives a question the words of its gold points, where the sessions have them.
func (g *gradeRun) fillPoints(r *schema.QARecord) {
	if len(r.EvidenceTexts) > 0 {
		return
	}
	for _, id := range r.EvidenceIDs {
		if text, ok := g.points[pointKey{r.CaseID, id}]; ok {
			r.EvidenceTexts = append(r.EvidenceTexts, text)
		}
	}
}

// gradeFigures are the counts of a run.
type gradeFigures struct {
	order     []string
	byGrader  map[string]*graderFigures
	agreement *grade.Agreement
}

// graderFigures are one protocol's outcomes; the mean is over what was scored.
type graderFigures struct {
	Grader        string   `json:"grader"`
	N             int      `json:"n"`    // scored
	Mean          *float64 `json:"mean"` // [0,1]; null where nothing was scored
	NotApplicable int      `json:"not_applicable"`
	NotAnswered   int      `json:"not_answered"`
	JudgeFailed   int      `json:"judge_failed"`
	FirstFailure  string   `json:"first_failure,omitzero"`
	sum           float64
}

// gradeReport is what --report writes.
type gradeReport struct {
	Protocols []*graderFigures `json:"protocols"`
	Threshold float64          `json:"threshold"`
	Agreement []grade.Pair     `json:"agreement"`
}

func newGradeFigures(threshold float64) *gradeFigures {
	return &gradeFigures{byGrader: map[string]*graderFigures{}, agreement: grade.NewAgreement(threshold)}
}

func (f *gradeFigures) count(name string, score *float64, outcome, reason string) {
	g := f.byGrader[name]
	if g == nil {
		g = &graderFigures{Grader: name}
		f.byGrader[name] = g
		f.order = append(f.order, name)
	}
	switch {
	case score != nil:
		g.N++
		g.sum += *score
	case outcome == schema.GradeJudgeFailed:
		g.JudgeFailed++
		if g.FirstFailure == "" {
			g.FirstFailure = reason
		}
	case outcome == schema.GradeNotAnswered:
		g.NotAnswered++
	default:
		g.NotApplicable++
	}
}

func graderName(name string, by schema.By) string {
	if by == schema.ByRule {
		return name
	}
	return name + " by " + string(by)
}

func (f *gradeFigures) qa(r *schema.QARecord) {
	for _, g := range r.Grades {
		name := graderName(g.Protocol, g.By)
		if g.Gold == schema.GoldCorrected {
			name += ", corrected"
		}
		f.count(name, g.Score, g.Outcome, g.Reason)
	}
	f.agreement.Add(r)
}

func (f *gradeFigures) session(r *schema.SessionRecord) {
	for _, g := range r.Grades {
		f.count(graderName("session/"+g.Judge, g.By), g.Score, g.Outcome, g.Reason)
	}
}

func (f *gradeFigures) report() gradeReport {
	r := gradeReport{Threshold: f.agreement.Threshold(), Agreement: f.agreement.Pairs(), Protocols: []*graderFigures{}}
	for _, name := range f.order {
		g := f.byGrader[name]
		if g.N > 0 {
			mean := g.sum / float64(g.N)
			g.Mean = &mean
		}
		r.Protocols = append(r.Protocols, g)
	}
	return r
}

// words prints the report for a person.
func (r gradeReport) words(e *env) {
	w := bufio.NewWriter(e.err)
	defer w.Flush()
	wide := 28
	for _, g := range r.Protocols {
		wide = max(wide, utf8.RuneCountInString(g.Grader))
	}
	fmt.Fprintf(w, "%-*s %7s %7s %7s %9s %7s\n", wide, "", "scored", "mean", "n/a", "unasked", "failed")
	for _, g := range r.Protocols {
		mean := "–"
		if g.Mean != nil {
			mean = fmt.Sprintf("%.4f", *g.Mean)
		}
		fmt.Fprintf(w, "%-*s %7d %7s %7d %9d %7d\n", wide, g.Grader, g.N, mean, g.NotApplicable, g.NotAnswered, g.JudgeFailed)
	}
	if len(r.Agreement) == 0 {
		return
	}
	fmt.Fprintf(w, "agreement (yes: score ≥ %g)\n", r.Threshold)
	for i, p := range r.Agreement {
		if i == 10 {
			fmt.Fprintf(w, "  … and %d more pairs: --report has them\n", len(r.Agreement)-i)
			break
		}
		kappa := "κ –"
		if p.Kappa != nil {
			kappa = fmt.Sprintf("κ %.3f", *p.Kappa)
			if p.KappaLow != nil && p.KappaHigh != nil {
				kappa += fmt.Sprintf(" [%.3f, %.3f]", *p.KappaLow, *p.KappaHigh)
			}
		}
		fmt.Fprintf(w, "  %-22s %-22s %.4f of %d, %s\n", p.First, p.Second, p.Agreement, p.N, kappa)
	}
}
