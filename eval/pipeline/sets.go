package pipeline

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"membench/config"
	setsall "membench/datasets/all"
	"membench/llm/openai"
	"membench/memory/open"
	"membench/schema"
	"membench/schema/jsonl"
)

type caseSource = func(ctx context.Context, report func(*schema.Finding)) schema.Seq[schema.Case]

// A set is a data set of a run.
type set struct {
	name     string   // unique in the run
	sample   int      // questions; 0: all
	maxCases int      // 0: all
	seed     uint64   // of sampling
	window   int      // turns a batch; 0: the run's, below 0: sessions whole
	inputs   []string // files that it is read from
	key      string   // options of its reader
	reader   string   // its name and the paths, as datasets lint takes them
	cases    caseSource

	leave []string        // raw categories that are not asked
	raw   map[string]bool // those that were read
}

// unknown returns a raw category that is to be excluded and that no question has which was read, with those that there are.
func unknown(sets []set) (name string, have []string) {
	raw := map[string]bool{}
	for _, s := range sets {
		maps.Copy(raw, s.raw)
	}
	for _, s := range sets {
		for _, x := range s.leave {
			if !raw[x] {
				return x, slices.Sorted(maps.Keys(raw))
			}
		}
	}
	return "", nil
}

// planSet finds a data set of the configuration.
func (p *plan) planSet(d config.EvalSet) (set, error) {
	var paths []string
	for _, x := range append(slices.Clone(d.Paths), d.Path) {
		if x != "" {
			paths = append(paths, p.v.Path(x))
		}
	}
	out := set{name: d.Name, sample: cmp.Or(d.Sample, p.v.Run.Sample), maxCases: cmp.Or(d.MaxCases, p.v.Run.MaxCases), seed: p.v.Seed}
	switch d.Granularity {
	case "turn":
		out.window = 1
	case "session":
		out.window = -1
	}
	cases := d.Adapter == "cases"
	if cases {
		d.Adapter = "plain" // reads cases as they are
	}
	if err := p.openSet(&out, d, paths); err != nil {
		return out, err
	}
	if cases {
		out.key = "cases"
	}
	leave := slices.Clone(d.Exclude)
	if d.ExcludeAdversarial {
		if open.Fold(d.Adapter) != "locomo" {
			return out, schema.Usagef("data set %s: exclude_adversarial is LoCoMo's (category 5); elsewhere exclude names raw categories", d.Name)
		}
		leave = append(leave, "5")
	}
	if only := p.v.Run.Case; len(leave) > 0 || only != nil {
		out.leave, out.raw = leave, map[string]bool{}
		out.cases = choose(out.cases, leave, only, out.raw)
		out.key += fmt.Sprintf(" exclude=%q", leave)
		if only != nil {
			out.key += fmt.Sprintf(" case=%d", *only)
		}
	}
	return out, nil
}

// openSet opens a set through its reader.
func (p *plan) openSet(out *set, d config.EvalSet, paths []string) error {
	s := p.o.Data
	s.Name, s.Paths, s.Grain, s.Seed, s.Topics, s.Count = d.Adapter, paths, cmp.Or(d.Grain, "turn"), p.v.Seed, d.Topics, d.Count
	s.Chunk, s.ChunkTokens, s.Errata = cmp.Or(d.Chunk, 16000), d.ChunkTokens, ""
	for _, known := range setsall.Names() {
		if open.Fold(known) == open.Fold(d.Adapter) {
			s.Name = known
		}
	}
	out.inputs = slices.Clone(paths)
	out.reader = strings.Join(append([]string{s.Name}, paths...), " ")
	if d.Errata != "" {
		s.Errata = p.v.Path(d.Errata)
		out.inputs = append(out.inputs, s.Errata)
	}
	opened, err := s.Open()
	if err != nil {
		return err
	}
	out.key = fmt.Sprintf("%s grain=%s seed=%d topics=%q count=%d chunk=%d tokens=%d", s.Name, s.Grain, s.Seed, s.Topics, s.Count, s.Chunk, s.ChunkTokens)
	out.cases = opened.Read
	return nil
}

// caseFile reads a file of cases.
func caseFile(ctx context.Context, path string) schema.Seq[schema.Case] {
	return jsonl.Until(ctx, jsonl.Files[schema.Case]([]string{path}, nil))
}

// choose omits questions of some raw categories, and all cases but the one with a
// number. It collects the raw categories that it reads.
func choose(in caseSource, leave []string, only *int, raw map[string]bool) caseSource {
	return func(ctx context.Context, report func(*schema.Finding)) schema.Seq[schema.Case] {
		return func(yield func(schema.Record[schema.Case], error) bool) {
			n := -1
			for r, err := range in(ctx, report) {
				if err == nil {
					if n++; only != nil && n != *only {
						if n > *only {
							return
						}
						continue
					}
					for _, q := range r.V.Questions {
						raw[q.RawCategory] = true
					}
					r.V.Questions = slices.DeleteFunc(slices.Clone(r.V.Questions), func(q schema.Question) bool { return slices.Contains(leave, q.RawCategory) })
					if len(r.V.Questions) == 0 {
						continue
					}
				}
				if !yield(r, err) {
					return
				}
			}
			if only != nil && n < *only {
				yield(schema.Record[schema.Case]{}, schema.Usagef("--sample %d: the data set has %d cases, counted from 0", *only, n+1))
			}
		}
	}
}

// first are at most n records; 0: all.
func first[T any](in schema.Seq[T], n int) schema.Seq[T] {
	if n == 0 {
		return in
	}
	return func(yield func(schema.Record[T], error) bool) {
		left := n
		for r, err := range in {
			if !yield(r, err) {
				return
			}
			if err == nil {
				if left--; left == 0 {
					return
				}
			}
		}
	}
}

// NamedModels makes the model that the environment, .env or membench.yaml names answer and
// judge, where the flags leave open who does; an eval.yaml says it by itself.
func NamedModels(v *config.Eval, p *config.Project, lookup func(name string) (value, from string), log Log) error {
	var roles []string
	for _, role := range []config.Role{config.Read, config.Judge} {
		ep, err := p.Resolve(role, config.Model{}, lookup)
		switch {
		case err != nil:
			return &schema.UsageError{Err: err}
		case ep.Name == "":
			continue
		case ep.Key == "" && ep.BaseURL == openai.DefaultURL:
			log.Printf("the model %s is configured, but OPENAI_API_KEY is not set: answers and verdicts are made by rule", ep.Name)
			return nil
		}
		if role == config.Read && v.Reader.Type == "" && v.Reader.Model == "" {
			v.Reader.Type, v.Reader.Model = "model", ep.Name
			roles = append(roles, "answers")
		}
		if role == config.Judge && v.Grading.Judge == "" && v.Grading.JudgeModel == "" && len(v.Grading.Protocols) == 0 {
			v.Grading.Judge, v.Grading.JudgeModel = "model", ep.Name
			roles = append(roles, "verdicts")
		}
	}
	if len(roles) > 0 {
		log.Printf("%s are made by the model %s; --mock asks no model, --reader rule and --judge rule replace it in one role", strings.Join(roles, " and "), cmp.Or(v.Reader.Model, v.Grading.JudgeModel))
	}
	return nil
}
