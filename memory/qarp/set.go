package qarp

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"

	"membench/llm"
	"membench/memory"
	"membench/memory/native"
	"membench/memory/op"
	"membench/memory/recall"
	"membench/memory/store"
)

// Specs are QARP and the systems that it is compared with, over one of those that find
// knows.
func Specs(find func(name string) (memory.Spec, error)) []memory.Spec {
	return []memory.Spec{Spec(find), AdaptiveRAG(find), TokenMatched(find), AdaptMR(find), OracleStrategy(find)}
}

// AdaptiveOptions of AdaptiveRAG.
type AdaptiveOptions struct {
	// None makes a simple question search for nothing, as published; otherwise for half of K.
	None  bool `json:"none"`
	Steps int  `json:"steps"` // searches of a question of several steps, at most
	Below
}

// AdaptiveRAG determines how complex a question is, and searches little, once, or several times, each time with the sentence that the previous search produced.
func AdaptiveRAG(find func(name string) (memory.Spec, error)) memory.Spec {
	return memory.Define("adaptive-rag", "searches as often as a question is complex, over another system (Adaptive-RAG, adapted)", AdaptiveOptions{Steps: 3, Below: below("embedding-only")}, func(d memory.Deps, o AdaptiveOptions) (memory.System, error) {
		if o.Steps < 1 {
			return nil, fmt.Errorf("steps %d: want 1 or more", o.Steps)
		}
		inner, err := o.open(find, d)
		if err != nil {
			return nil, err
		}
		return wrap(inner, d, way{name: "adaptive-rag", config: fmt.Sprint(o.None, o.Steps), asks: []string{op.PurposeComplexity, op.PurposeNextStep}, parts: o.Steps, least: 1, most: o.Steps,
			notes: []string{"adapted: the complexity is judged by a prompt or a rule, where the published system trains a classifier"},
			ask:   func(ctx context.Context, l *layer, q memory.Query) (memory.Retrieved, error) { return o.ask(ctx, l, q) }})
	})
}

func (o AdaptiveOptions) ask(ctx context.Context, l *layer, q memory.Query) (out memory.Retrieved, err error) {
	class, err := asked(ctx, l, &out, op.PurposeComplexity, func(d memory.Deps) (op.Complexity, llm.Usage, error) {
		return op.ModelComplexity(ctx, d.LLM, d.Prompts, q.Text)
	}, func() op.Complexity { return op.RuleComplexity(q.Text) })
	if err != nil {
		return out, err
	}
	k := q.K
	switch {
	case class == op.Simple && o.None:
		out.Context = noMemory
		return out, nil
	case class == op.Simple:
		k = (q.K + 1) / 2
	}
	hits, err := l.search(ctx, q, q.Text, k, &out)
	if err != nil {
		return out, err
	}
	for step := 1; class == op.Several && step < o.Steps && len(hits) > 0; step++ {
		next, err := nextStep(ctx, l, q.Text, hits, step, &out)
		if err != nil {
			return out, err
		}
		if next == "" {
			break
		}
		more, err := l.search(ctx, q, next, q.K, &out)
		if err != nil {
			return out, err
		}
		hits = union(hits, more)
	}
	if class == op.Several {
		byScore(hits)
	}
	out.Hits = ranked(hits[:min(q.K, len(hits))])
	return out, nil
}

// nextStep is what to search with after a step: by rule the text of the best hit that has
// not been searched with; "" for nothing more.
func nextStep(ctx context.Context, l *layer, question string, hits []hit, step int, out *memory.Retrieved) (string, error) {
	return asked(ctx, l, out, op.PurposeNextStep, func(d memory.Deps) (string, llm.Usage, error) {
		next, done, u, err := op.ModelNextStep(ctx, d.LLM, d.Prompts, question, textsOf(hits))
		if done {
			next = ""
		}
		return next, u, err
	}, func() string {
		if step > len(hits) {
			return ""
		}
		return question + " " + spoken(hits[step-1].Text)
	})
}

// MatchedOptions of TokenMatched.
type MatchedOptions struct {
	Pool  int `json:"pool"`  // hits that are ranked again, as a multiple of K
	Calls int `json:"calls"` // model calls of a question: QARP makes 2
	// Tokens is the number of tokens that all calls of a question may read, by recall.TokensOf; it limits the pool. 0: no limit.
	Tokens int `json:"tokens"`
	Below
}

// TokenMatched spends on reranking the tokens that QARP spends on planning and refining.
func TokenMatched(find func(name string) (memory.Spec, error)) memory.Spec {
	return memory.Define("token-matched", "ranks what was found again with as many model calls as QARP makes, over another system", MatchedOptions{Pool: 2, Calls: 2, Below: below("embedding-only")}, func(d memory.Deps, o MatchedOptions) (memory.System, error) {
		if o.Pool < 1 || o.Calls < 1 || o.Tokens < 0 {
			return nil, fmt.Errorf("pool %d, calls %d: want 1 or more; tokens %d: want 0 or more", o.Pool, o.Calls, o.Tokens)
		}
		inner, err := o.open(find, d)
		if err != nil {
			return nil, err
		}
		return wrap(inner, d, way{name: "token-matched", config: fmt.Sprint(o.Pool, o.Calls, o.Tokens), asks: []string{op.PurposeRerank}, parts: max(1, o.Calls), least: o.Calls, most: o.Calls,
			ask: func(ctx context.Context, l *layer, q memory.Query) (memory.Retrieved, error) { return o.ask(ctx, l, q) }})
	})
}

func (o MatchedOptions) ask(ctx context.Context, l *layer, q memory.Query) (out memory.Retrieved, err error) {
	pool := o.Pool * q.K
	if o.Tokens > 0 {
		pool = 20 * q.K
	}
	hits, err := l.search(ctx, q, q.Text, pool, &out)
	if err != nil || len(hits) == 0 {
		return out, err
	}
	d := l.sys.d
	looked := len(hits) // at in the first call; the others stay behind, in their order
	if o.Tokens > 0 {
		share := 2 - math.Pow(0.5, float64(o.Calls-1)) // of the texts that all calls read: 1 + 1/2 + 1/4 …
		prompt := o.Calls * recall.TokensOf(op.Prompt(d.Prompts, op.PurposeRerank).Text+q.Text)
		fit := recall.Fit(textsOf(hits), max(1, int(float64(o.Tokens-prompt)/share)))
		looked = min(len(hits), max(2, fit))
	}
	if d.LLM == nil {
		if err := l.rerank(ctx, q.Text, hits, &out); err != nil {
			return out, err
		}
	}
	for call := 0; d.LLM != nil && call < o.Calls; call++ { // the later calls look at the better half
		n := max(1, looked>>call)
		order, err := asked(ctx, l, &out, op.PurposeRerank, func(d memory.Deps) ([]int, llm.Usage, error) {
			return op.Rerank(ctx, d.LLM, d.Prompts, q.Text, textsOf(hits[:n]))
		}, func() (as []int) {
			for i := range n {
				as = append(as, i)
			}
			return as // as it was
		})
		if err != nil {
			return out, err
		}
		better := make([]hit, n)
		for i, at := range order {
			better[i] = hits[at]
		}
		copy(hits, better)
	}
	out.Hits = ranked(hits[:min(q.K, len(hits))])
	return out, nil
}

// rerank orders hits by 0.6·cosine + 0.4·share of the question's terms.
func (l *layer) rerank(ctx context.Context, question string, hits []hit, done *memory.Retrieved) error {
	v, err := store.Many(ctx, l.sys.d.Embed, &done.Usage, append([]string{question}, textsOf(hits)...))
	if err != nil {
		return err
	}
	for i := range hits {
		hits[i].Score = 0.6*recall.Dot(v[0], v[i+1]) + 0.4*recall.Coverage(question, hits[i].Text)
	}
	byScore(hits)
	return nil
}

// StrategyOptions of AdaptMR and OracleStrategy.
type StrategyOptions struct {
	Mode     string  `json:"mode"`     // fixed | faithful
	Pipeline string  `json:"pipeline"` // of AdaptMR: factual, temporal, update, several or abstain
	Near     float64 `json:"near"`     // cosine from which two texts are of one topic (update)
	Strong   float64 `json:"strong"`   // best score below which nothing is held to be known (abstain)
	Mild     float64 `json:"mild"`     // best score below which it is doubted
	Below
}

func strategyDefaults() StrategyOptions {
	return StrategyOptions{Pipeline: Factual, Near: 0.8, Strong: 0.35, Mild: 0.55, Below: below("embedding-only")}
}

func (o *StrategyOptions) check() (err error) {
	o.Mode, err = native.CheckMode(o.Mode)
	if _, ok := pipelines[o.Pipeline]; err == nil && !ok {
		err = fmt.Errorf("pipeline %q: have %v", o.Pipeline, Pipelines())
	}
	if err == nil && (o.Near < 0 || o.Near > 1 || o.Strong > o.Mild) {
		err = errors.New("near: want 0 to 1; strong: want no more than mild")
	}
	return err
}

// AdaptMR is one of the five pipelines for every question.
func AdaptMR(find func(name string) (memory.Spec, error)) memory.Spec {
	return memory.Define("adaptmr", "one fixed pipeline of AdaptMR (factual, temporal, update, several, abstain), over another system", strategyDefaults(), func(d memory.Deps, o StrategyOptions) (memory.System, error) {
		return o.system(find, d, "adaptmr", false, func(memory.Query) string { return o.Pipeline })
	})
}

// OracleStrategy chooses the pipeline by the data set's own category of the question.
func OracleStrategy(find func(name string) (memory.Spec, error)) memory.Spec {
	return memory.Define("oracle-strategy", "the pipeline of AdaptMR that the data set's own category calls for: an upper bound that uses ground truth", strategyDefaults(), func(d memory.Deps, o StrategyOptions) (memory.System, error) {
		return o.system(find, d, "oracle-strategy", true, func(q memory.Query) string {
			if p, ok := byCategory[q.Category]; ok {
				return p
			}
			return Factual
		})
	})
}

func (o StrategyOptions) system(find func(name string) (memory.Spec, error), d memory.Deps, name string, gold bool, choose func(memory.Query) string) (memory.System, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	inner, err := o.open(find, d)
	if err != nil {
		return nil, err
	}
	w := way{name: name, mode: o.Mode, config: fmt.Sprint(o.Pipeline, o.Near, o.Strong, o.Mild), parts: 4, most: 1, gold: gold,
		asks:  []string{op.PurposePlan, op.PurposeSupport},
		notes: []string{"thresholds of AdaptMR are not calibrated for this embedder"},
		ask: func(ctx context.Context, l *layer, q memory.Query) (memory.Retrieved, error) {
			return pipelines[choose(q)](ctx, strategy{o, l, q})
		}}
	if gold {
		w.notes = append(w.notes, "uses the data set's categories of questions: an upper bound, not a system")
	}
	return wrap(inner, d, w)
}

// withContext shows the hits, then lines that belong to none of them.
func withContext(out memory.Retrieved, before string, hits []hit, after []string) memory.Retrieved {
	var b strings.Builder
	if before != "" {
		b.WriteString(before + "\n")
	}
	for i, h := range hits {
		fmt.Fprintf(&b, "[%d] ", i+1)
		if h.time != "" {
			b.WriteString(h.time + " ")
		}
		b.WriteString(h.Text + "\n")
	}
	for _, line := range after {
		b.WriteString(line + "\n")
	}
	out.Context = strings.TrimSuffix(b.String(), "\n")
	return out
}
