package pipeline

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"membench/datasets"
	setsall "membench/datasets/all"
	"membench/eval/explain"
	"membench/eval/grade"
	"membench/eval/protocol"
	"membench/eval/records"
	"membench/internal/atomicfile"
	"membench/internal/build"
	"membench/internal/codec"
	"membench/internal/smallfile"
	"membench/schema"
	"membench/schema/jsonl"
)

// ErrNoVerdict reports that a judge was called and never gave a readable verdict.
var ErrNoVerdict = errors.New("no call to the judge gave a verdict")

// GradeOptions configure grading.
type GradeOptions struct {
	Inputs []string // files of QA records or session records, or folders of them
	Out    string   // a file; a folder for both kinds; "-": Stdout
	// Grade has the protocols and the judge. Workers 0: 4 with a judge, otherwise one per core.
	Grade     grade.Options
	Threshold float64 // a score from here on counts as a yes in the agreement, (0,1]
	Errata    string  // a list of corrections to grade against, too
	Strict    bool    // write nothing where the data has errors (schema.ErrFindings)
	Empty     bool    // no record is not an error: a shard may have no case
	Explain   *explain.Options
	Stdin     io.Reader
	Stdout    io.Writer
	Log       Log
}

// Grade adds the verdicts of the protocols to the answers. With Explain, failed answers get their attribution in the same pass. It fails with ErrNoVerdict,
// after writing, if a judge never gave a verdict.
func Grade(ctx context.Context, o GradeOptions) (GradeReport, error) {
	if !(o.Threshold > 0 && o.Threshold <= 1) {
		return GradeReport{}, schema.Usagef("--threshold: have %v, want above 0 to 1", o.Threshold)
	}
	qa, sessions, err := gradeInputs(o.Out, o.Inputs)
	if err != nil {
		return GradeReport{}, err
	}
	if err := o.Grade.Check(); err != nil {
		return GradeReport{}, wrong(err)
	}
	if o.Grade.Workers == 0 {
		o.Grade.Workers = runtime.GOMAXPROCS(0)
		if o.Grade.Judge != nil {
			o.Grade.Workers = 4
		}
	}
	g := &grading{GradeOptions: o, t: &tally{log: o.Log}, figures: newGradeFigures(o.Threshold), points: map[pointKey]string{}}
	if o.Errata != "" {
		if g.errata, err = Errata(o.Errata, o.Stdin); err != nil {
			return GradeReport{}, err
		}
	}
	if err := g.write(ctx, qa, sessions); err != nil {
		return GradeReport{}, err
	}
	UnusedErrata(g.errata, o.Log)
	rep := g.figures.report()
	rep.Explained = g.explained
	for _, p := range rep.Protocols {
		if p.JudgeFailed > 0 && p.N == 0 {
			return rep, fmt.Errorf("%s: %w (%d tried); first: %s", p.Grader, ErrNoVerdict, p.JudgeFailed, p.FirstFailure)
		}
	}
	return rep, nil
}

// Errata reads a list of corrections, in LoCoMo's form or the plain one.
func Errata(path string, stdin io.Reader) (*datasets.Errata, error) {
	d, _ := setsall.Lookup("locomo")
	return d.ReadErrata(path, stdin)
}

// UnusedErrata reports the corrections of a list, which may be nil, that met no question.
func UnusedErrata(list *datasets.Errata, log Log) {
	if list == nil {
		return
	}
	if u := list.Unused(); len(u) > 0 {
		log.Printf("%d of the list's %d corrections match no question of the input: %s", len(u), len(list.Of), strings.Join(u[:min(5, len(u))], ", "))
	}
}

// gradeInputs finds the records of runs, and sorts other files by the kind of their records, which the first line shows.
func gradeInputs(out string, inputs []string) (qa, sessions []string, err error) {
	runs, others := []string{}, []string{}
	for _, p := range inputs {
		if records.IsRun(p) {
			runs = append(runs, p)
		} else {
			others = append(others, p)
		}
	}
	if qa, sessions, err = records.FindAll(runs); err != nil {
		return nil, nil, err
	}
	files, err := build.Inputs(out, others, ".jsonl")
	if err = cmp.Or(err, build.NotInput(out, slices.Concat(runs, qa, sessions)...)); err != nil {
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
			return nil, nil, schema.Brokenf("%s: its first line is neither a QA record nor a session record: membench eval import reads tables of answers and other tools' results", f)
		}
	}
	if len(qa)+len(sessions) == 0 {
		return nil, nil, schema.Brokenf("%s: no file of QA records or session records", strings.Join(inputs, ", "))
	}
	return qa, sessions, nil
}

// firstKind is the kind of a file's first record; an empty file has QA records.
func firstKind(path string) (schema.Kind, error) {
	r, err := jsonl.Open(path, nil)
	if err != nil {
		return "", err
	}
	defer r.Close()
	for line, err := range jsonl.Lines(r, path, 0) {
		if err != nil || !codec.Valid(line.Bytes) {
			break // the reader of QA records reports the fault
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

// grading is one call of Grade: the state shared by both kinds of records.
type grading struct {
	GradeOptions
	t       *tally
	errata  *datasets.Errata // nil: none
	figures *gradeFigures
	points  map[pointKey]string // contents of the sessions' gold points

	explained []explain.Count
}

// outputs decides where the QA records and the session records go.
func (g *grading) outputs(qa, sessions []string) (qaOut, sessionOut string, err error) {
	isDir := func(path string) bool { info, err := os.Stat(path); return err == nil && info.IsDir() }
	folder := isDir(g.Out) || strings.HasSuffix(g.Out, string(filepath.Separator)) || g.Out != "-" && filepath.Ext(g.Out) == "" && slices.ContainsFunc(g.Inputs, isDir)
	both := len(qa) > 0 && len(sessions) > 0
	if both && g.Out == "-" && g.Stdout != io.Discard {
		return "", "", schema.Usagef("QA records and session records cannot share standard output: give a folder with -o")
	}
	if !folder && (!both || g.Out == "-") {
		return g.Out, g.Out, nil
	}
	qaOut, sessionOut = filepath.Join(g.Out, records.QAFile), filepath.Join(g.Out, records.SessionFile)
	return qaOut, sessionOut, errors.Join(os.MkdirAll(g.Out, 0o777), build.NotInput(qaOut, qa...), build.NotInput(sessionOut, sessions...))
}

func (g *grading) write(ctx context.Context, qa, sessions []string) error {
	qaOut, sessionOut, err := g.outputs(qa, sessions)
	if err != nil {
		return err
	}
	if len(sessions) > 0 {
		in := schema.Observe(drop(g.t, records.Sessions(ctx, g.Stdin, sessions...)), g.keepPoints)
		out := grade.Sessions(ctx, in, grade.SessionOptions{Judge: g.Grade.Judge, Workers: g.Grade.Workers})
		if err := writeGraded(g, sessionOut, schema.Observe(out, g.figures.session)); err != nil {
			return err
		}
	}
	if len(qa) == 0 {
		return nil
	}
	in := drop(g.t, records.QA(ctx, g.Stdin, qa...))
	if g.errata != nil {
		in = g.errata.Over(in, g.t.found)
	}
	out := schema.Observe(grade.QA(ctx, schema.Observe(in, g.fillPoints), g.Grade), g.figures.qa)
	if g.Explain == nil {
		return cmp.Or(writeGraded(g, qaOut, records.Bare(out, qaOut, qa...)), keepExplained(qaOut, nil))
	}
	o := *g.Explain
	o.Report, o.Survey = g.t.found, &explain.Survey{}
	o.Sessions = jsonl.Files[schema.SessionRecord]([]string{sessionOut}, nil)
	counts := explain.NewCounts(o)
	out = schema.Observe(explain.QA(ctx, out, o), counts.Add)
	if err := writeGraded(g, qaOut, records.Bare(out, qaOut, qa...)); err != nil {
		return err
	}
	g.explained = counts.All()
	return keepExplained(qaOut, g.explained)
}

func writeGraded[T schema.Versioned[T]](g *grading, path string, in schema.Seq[T]) error {
	none := schema.Brokenf("no record was read: give the records of membench eval run or eval import")
	if g.Empty {
		none = nil
	}
	return writeRecords(g.t, path, g.Stdout, in, g.Strict, none)
}

// writeRecords drains a stream into a file that appears whole. none is the error of a stream without records.
func writeRecords[T schema.Versioned[T]](t *tally, path string, stdout io.Writer, in schema.Seq[T], strict bool, none error) error {
	return atomicfile.WriteOr(path, stdout, func(w io.Writer) error {
		n, findings, err := jsonl.Write(w, schema.Latest, in)
		for _, f := range findings {
			err = errors.Join(err, t.take(f))
		}
		if err == nil && t.errors > 0 && (strict || n == 0) {
			err = schema.ErrFindings
		}
		if err == nil && n == 0 {
			err = none
		}
		return err
	})
}

func (g *grading) keepPoints(r *schema.SessionRecord) {
	for _, p := range r.Points {
		g.points[pointKey{r.CaseID, p.ID}] = p.Content
	}
}

// fillPoints gives a question the contents of its gold points, where the sessions have
// them.
func (g *grading) fillPoints(r *schema.QARecord) {
	if len(r.EvidenceTexts) > 0 {
		return
	}
	for _, id := range r.EvidenceIDs {
		if text, ok := g.points[pointKey{r.CaseID, id}]; ok {
			r.EvidenceTexts = append(r.EvidenceTexts, text)
		}
	}
}

// Entities reads MemoryAgentBench's entity2id.json, pairs of name and id.
func Entities(path string) (*protocol.Entities, error) {
	b, err := smallfile.Read(path)
	if err != nil {
		return nil, err
	}
	byName := map[string]int{}
	if err := codec.Unmarshal(b, &byName); err != nil {
		return nil, fmt.Errorf("%s: want one JSON object of names and ids (entity2id.json): %w", path, err)
	}
	return protocol.NewEntities(byName), nil
}

// Protocols picks protocols by name, protocol.Defaults where none is given.
func Protocols(in protocol.Inputs, names ...string) ([]*protocol.Protocol, error) {
	if len(names) == 0 {
		names = protocol.Defaults()
	}
	ps, err := protocol.Pick(protocol.With(in), names...)
	return ps, wrong(err)
}

// NeedsModel reports whether one of the protocols has no rule.
func NeedsModel(ps []*protocol.Protocol) bool {
	return slices.ContainsFunc(ps, func(p *protocol.Protocol) bool { return p.Rule == nil })
}

func graderName(name string, by schema.By) string {
	if by == schema.ByRule {
		return name
	}
	return name + " by " + string(by)
}
