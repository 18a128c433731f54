package pipeline

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"membench/config"
	"membench/eval/figure"
	"membench/eval/records"
	evalrun "membench/eval/run"
	"membench/internal/atomicfile"
	"membench/internal/build"
	"membench/internal/smallfile"
	"membench/internal/yamldoc"
	"membench/schema"
)

// MergeOptions say which shards become which run.
type MergeOptions struct {
	Shards   []string // folders, in any order
	Dir      string   // of the run
	Prices   figure.Prices
	Membench string // version of the program, for manifests
	Now      func() time.Time
	Log      Log
}

// merge is one call of Merge.
type merge struct {
	MergeOptions
	shards *evalrun.Shards
	sets   []evalrun.Set
	grade  *schema.Manifest // of the grading of the shards; nil: they are not graded
	again  bool             // a verdict is missing in one of them
}

// Merge joins finished shards into the run that one process would have made. It can be
// killed and called again.
func Merge(ctx context.Context, o MergeOptions) (res Result, err error) {
	m := &merge{MergeOptions: o}
	res.Dir = o.Dir
	if m.shards, err = evalrun.ReadShards(o.Shards); err != nil {
		return res, err
	}
	if err := m.sameCases(ctx); err != nil {
		return res, err
	}
	if err := m.sameGrades(); err != nil {
		return res, err
	}
	end, err := m.shards.Begin(o.Dir)
	if err != nil {
		return res, err
	}
	defer func() { err = errors.Join(err, end()) }()
	if res.Asked, err = m.join(ctx); err != nil {
		return res, err
	}
	usage := evalrun.Sum(res.Asked.Units).Usage
	if m.grade != nil {
		err := aggregateStep(ctx, builder(o.Dir, o.Membench, o.Now), o.Prices, AggregateOptions{Inputs: []string{o.Dir}, Log: o.Log})
		if err != nil {
			return res, err
		}
		if res.Summaries, err = Summaries(o.Dir); err != nil {
			return res, err
		}
		usage = nil
		for _, s := range res.Summaries {
			usage = append(usage, s.Usage...)
		}
	}
	sayAsked(o.Dir, res.Asked, o.Log)
	return res, m.sayRest(usage)
}

func sideOf(dir string) string { return filepath.Join(dir, "journal", setsFile) }

// sameCases finds the cases of the run, which every shard keeps whole.
func (m *merge) sameCases(ctx context.Context) error {
	var first schema.FileDigest
	for i, dir := range m.shards.Dirs {
		d, err := build.Digest(filepath.Join(dir, records.CasesFile))
		if err != nil {
			return err
		}
		if i == 0 {
			first = d
		}
		if d.SHA256 != first.SHA256 {
			return fmt.Errorf("%s and %s hold different cases: want shards of one run", d.Path, first.Path)
		}
	}
	var kept keptSets
	dir := m.shards.Dirs[0]
	if err := smallfile.ReadJSON(sideOf(dir), &kept); err != nil {
		return err
	}
	for i, k := range kept {
		m.sets = append(m.sets, evalrun.Set{Name: k.Name, Cases: kept.read(ctx, dir, i)})
	}
	return nil
}

// sameGrades finds out how the shards were graded, which must be in one way.
func (m *merge) sameGrades() error {
	var way string
	for i, dir := range m.shards.Dirs {
		g, err := build.ReadManifest(records.GradeStep(dir))
		switch {
		case errors.Is(err, fs.ErrNotExist):
			if m.grade != nil {
				return fmt.Errorf("%s is not graded, and %s is: start it again without --no-grade", dir, m.shards.Dirs[0])
			}
			continue
		case err != nil:
			return err
		case i > 0 && m.grade == nil:
			return fmt.Errorf("%s is not graded, and %s is: start it again without --no-grade", m.shards.Dirs[0], dir)
		}
		for _, f := range g.Outputs {
			if have, err := build.Digest(filepath.Join(dir, f.Path)); err != nil || have.SHA256 != f.SHA256 {
				return schema.Brokenf("%s: the graded records were changed: start the shard again with the same command", filepath.Join(dir, f.Path))
			}
		}
		bare := schema.Manifest{Step: g.Step, StepVersion: g.StepVersion, Options: g.Options, Models: g.Models, Prompts: g.Prompts}
		key, err := build.Key(bare)
		if err != nil {
			return err
		}
		if i > 0 && key != way {
			return fmt.Errorf("%s and %s were graded in different ways (compare %s with the same file of the other): grade them in the same way", m.shards.Dirs[0], dir, records.GradeStep(dir))
		}
		way, m.grade, m.again = key, &g, m.again || g.Key == ""
	}
	return nil
}

// join writes the files of the run. The mark that it is finished comes last.
func (m *merge) join(ctx context.Context) (res evalrun.Result, err error) {
	from := m.shards.Dirs[0]
	for _, path := range []func(string) string{sideOf, func(dir string) string { return filepath.Join(dir, records.CasesFile) }} {
		if err := copyFile(path(m.Dir), path(from)); err != nil {
			return res, err
		}
	}
	files, err := m.shards.Join(ctx, m.Dir, m.sets, evalrun.SessionsFile, evalrun.QAFile, records.ContextsFile)
	if err != nil {
		return res, err
	}
	if m.grade != nil {
		graded, err := m.shards.Join(ctx, m.Dir, m.sets, records.SessionFile, records.QAFile)
		if err != nil {
			return res, err
		}
		g := *m.grade
		g.Membench, g.Now = m.Membench, m.Now().UTC().Format(time.RFC3339)
		g.Inputs, g.Outputs = []schema.FileDigest{files[2], files[1], files[0]}, []schema.FileDigest{graded[1], graded[0]}
		if g.Key, err = build.Key(g); err != nil {
			return res, err
		}
		if m.again {
			g.Key = ""
		}
		if err := build.WriteManifest(records.GradeStep(m.Dir), g); err != nil {
			return res, err
		}
	}
	if err := m.config(from); err != nil {
		return res, err
	}
	if res, err = m.shards.Finish(m.Dir, files); err != nil {
		return res, err
	}
	return res, m.manifest(from, res)
}

// config writes the configuration of the run: a shard's, with another folder.
func (m *merge) config(from string) error {
	b, err := smallfile.Read(filepath.Join(from, "config.yaml"))
	if err != nil {
		return err
	}
	var v config.Eval
	if err := yamldoc.Unmarshal(b, &v); err != nil {
		return fmt.Errorf("%s: %w", filepath.Join(from, "config.yaml"), err)
	}
	here, err := v.Moved(from, m.Dir)
	if err != nil {
		return err
	}
	here.Output.Folder = m.Dir
	if b, err = here.YAML(); err != nil {
		return err
	}
	return atomicfile.WriteOr(filepath.Join(m.Dir, "config.yaml"), nil, func(w io.Writer) error { _, err := w.Write(b); return err })
}

func (m *merge) manifest(from string, res evalrun.Result) error {
	x, err := build.ReadManifest(filepath.Join(from, "manifest.json"))
	if err != nil {
		return err
	}
	x.Membench, x.Now = m.Membench, m.Now().UTC().Format(time.RFC3339)
	x.Outputs, x.Counts = res.Files, counts(res)
	if x.Options, err = schema.NewObject(m.shards.Config()); err != nil {
		return err
	}
	if x.Key, err = build.Key(x); err != nil {
		return err
	}
	return build.WriteManifest(filepath.Join(m.Dir, "manifest.json"), x)
}

// sayRest prints the rest of the budget that the shards shared.
func (m *merge) sayRest(usage []schema.StepUsage) error {
	var b config.Budget
	for i, dir := range m.shards.Dirs {
		s, err := begunAt(dir)
		if err != nil {
			return err
		}
		if i > 0 && s.Budget != b {
			m.Log.Printf("the shards had different budgets: the remaining budget is unknown")
			return nil
		}
		b = s.Budget
	}
	calls, tokens := 0, 0
	for _, u := range usage {
		calls += u.Calls
		tokens += u.InputTokens + u.OutputTokens
	}
	if b.Calls > 0 {
		m.Log.Printf("budget: %d of %d calls are on record, %d are left", calls, b.Calls, b.Calls-calls)
	}
	if b.Tokens > 0 {
		m.Log.Printf("budget: %d of %d tokens are on record, %d are left", tokens, b.Tokens, b.Tokens-tokens)
	}
	if b.Money > 0 {
		spent := 0.0
		if c := figure.Cost(usage, m.Prices); c != nil {
			spent = c.Total
		}
		m.Log.Printf("budget: %.4f of %.4f %s are on record, %.4f are left", spent, b.Money, m.Prices.Currency, b.Money-spent)
	}
	return nil
}

func copyFile(to, from string) error {
	f, err := os.Open(from)
	if err != nil {
		return err
	}
	defer f.Close()
	return atomicfile.WriteOr(to, nil, func(w io.Writer) error { _, err := io.Copy(w, f); return err })
}
