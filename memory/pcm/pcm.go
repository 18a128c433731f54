// Package pcm is PCM, the proactive cognitive memory: a user's statements are kept according to how much they surprise.
//
//	perceive  working memory of the last turns; which domain a turn is about; how much
//	          it surprises, given what is known (perceive.go)
//	world     weighted nodes (facts, hypotheses, entities, attributes) and edges; search
//	          by similarity, domain and weight; nothing is ever deleted (world.go)
//	evolve    a high surprise corrects what is known, a medium one makes a hypothesis, a
//	          low one confirms (evolve.go)
//
// Faithful mode does what the published code does: contradicted nodes are named by list
// positions where ids are expected, so none of them decays; all that a search finds is
// confirmed by a low surprise; the entropy is that of plain scores; what leaves the
// working memory has the domain General, which no intent has; assistants are not heard.
// Fixed mode repairs these, and routes a turn that contradicts a known node to the
// correction whatever its score. Where the seed leaves a choice, docs/experiments.md
// says which one was made.
//
// By rule, intent is counted in words, a conflict is what op.Compare says, hypotheses are
// a triple or the turn itself: named pcm-rule.
package pcm

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync"

	"membench/llm"
	"membench/llm/hashing"
	"membench/memory"
	"membench/memory/native"
	"membench/memory/op"
	"membench/memory/store"
)

// Options of the system. The defaults are those of the published configuration.
type Options struct {
	Mode      string `json:"mode"`      // fixed | faithful
	Surprisal string `json:"surprisal"` // semantic | ngram | nll: how the raw surprise is found

	ThetaHigh float64 `json:"theta_high"` // of the effective surprise: above it is high
	ThetaLow  float64 `json:"theta_low"`  // up to it is low
	Lambda    float64 `json:"lambda"`     // weight of the search's entropy; faithful: always 0.3
	Alpha     float64 `json:"alpha"`      // weight of the distance against the conflict, in [0,1]
	Eta       float64 `json:"eta"`        // of confirmation
	Beta      float64 `json:"beta"`       // of decay by contradiction
	Gamma     float64 `json:"gamma"`      // of decay of hypotheses, per day of dialogue time

	MaxContextTokens int `json:"max_context_tokens"` // of the working memory, a fourth of the characters each
	EvictionSize     int `json:"eviction_size"`      // turns that leave it at once
	TopK             int `json:"top_k"`              // nodes that a turn is compared with

	Match float64 `json:"match"` // cosine from which a low surprise confirms a node; not calibrated
	Same  float64 `json:"same"`  // cosine from which a node is not stored again but confirmed

	Both     bool     `json:"both"`     // hear both speakers as users: for dialogues of two people
	Gate     bool     `json:"gate"`     // turns that leave the working memory are stored only if they surprised
	Entities bool     `json:"entities"` // make nodes of entities and attributes, too
	Domains  []string `json:"domains"`
	// Keep continues with the store of record of an earlier process when a namespace is opened for the first time.
	Keep bool `json:"keep,omitzero"`
}

// Defaults are the published values where they are known.
func Defaults() Options {
	return Options{Surprisal: Semantic, ThetaHigh: 3, ThetaLow: 1, Lambda: 0.5, Alpha: 0.4, Eta: 0.05, Beta: 0.3, Gamma: 0.01,
		MaxContextTokens: 2000, EvictionSize: 3, TopK: 10, Match: 0.4, Same: 0.95, Domains: Domains()}
}

// Spec is the system.
func Spec() memory.Spec {
	return SpecIn("pcm", "a weighted graph; the more a turn surprises, the more it changes (PCM)", nil)
}

// New makes the system. seen, where it is set, is called with each decision, in order.
func New(d memory.Deps, o Options, seen func(Decision)) (memory.System, error) {
	return NewIn(d, o, seen, nil)
}

func newIn(name string, d memory.Deps, o Options, seen func(Decision), open native.Home) (memory.System, error) {
	if err := o.check(d.LLM); err != nil {
		return nil, err
	}
	if d.Embed == nil {
		d.Embed = hashing.New(0)
	}
	caps := memory.Capabilities{Unit: "fact", Retrieval: memory.RetrievalRanked, Colder: tiers, Stateful: true,
		Calls: &memory.Calls{EmbedPerUnit: memory.Span{Min: 1, Max: 1 << 20}, EmbedPerQuery: memory.Exactly(1)},
		Notes: []string{"raw surprise by " + Estimators[o.Surprisal], "thresholds of PCM are not calibrated for this embedder"}}
	if d.LLM == nil {
		caps.ByRule = []string{op.PurposeIntent, op.PurposeConflict, op.PurposeCorrect, op.PurposeHypothesis}
	} else {
		caps.Calls.LLMPerUnit = memory.Span{Max: 3} // intent and conflict of a user's turn, and a correction or a hypothesis
		if o.Surprisal == NLL {
			caps.Calls.LLMPerUnit.Max++
		}
		if o.Both {
			caps.Calls.LLMPerUnit.Max *= 2
		}
		caps.Calls.LLMPerQuery = memory.Exactly(1)
	}
	if open != nil { // changes by others are embedded when they are read
		caps.Calls.EmbedPerSession.Max, caps.Calls.EmbedPerQuery.Max = 1<<20, 1<<20
	}
	var opened sync.Map // namespaces: opening one again must give an empty one
	return native.New(native.Options{Name: name, Version: "1", Mode: o.Mode, Config: o, Deps: d, Caps: caps, Open: func(ctx context.Context, ns memory.Namespace) (native.Policy, error) {
		p := &policy{o: o, d: d, seen: seen, scope: ns.Scope, world: world{st: store.New(store.Options{Scope: ns.Scope, Embed: d.Embed})}}
		if open == nil {
			return p, nil
		}
		_, again := opened.LoadOrStore(ns, true)
		return openIn(ctx, p, ns, open, o.Keep && !again)
	}}), nil
}

// check completes the options.
func (o *Options) check(g llm.Generator) error {
	var err error
	if o.Mode, err = native.CheckMode(o.Mode); err != nil {
		return err
	}
	o.Surprisal = cmp.Or(o.Surprisal, Semantic)
	if _, ok := Estimators[o.Surprisal]; !ok {
		return fmt.Errorf("surprisal %q: have %s, %s and %s", o.Surprisal, Semantic, Ngram, NLL)
	}
	if o.Surprisal == NLL && g == nil {
		return fmt.Errorf("surprisal %s needs a model that gives log-probabilities; %s and %s need none", NLL, Semantic, Ngram)
	}
	if o.ThetaLow > o.ThetaHigh {
		return fmt.Errorf("theta_low %g is above theta_high %g", o.ThetaLow, o.ThetaHigh)
	}
	for _, x := range []float64{o.Lambda, o.Alpha, o.Eta, o.Match, o.Same} {
		if x < 0 || x > 1 {
			return fmt.Errorf("lambda %g, alpha %g, eta %g, match %g, same %g: want 0 to 1 each", o.Lambda, o.Alpha, o.Eta, o.Match, o.Same)
		}
	}
	if o.Beta < 0 || o.Gamma < 0 {
		return fmt.Errorf("beta %g, gamma %g: want 0 or more", o.Beta, o.Gamma)
	}
	if o.MaxContextTokens < 1 || o.EvictionSize < 1 || o.TopK < 1 {
		return fmt.Errorf("max_context_tokens %d, eviction_size %d, top_k %d: want 1 or more", o.MaxContextTokens, o.EvictionSize, o.TopK)
	}
	if len(o.Domains) == 0 {
		o.Domains = Domains()
	}
	if o.Mode == native.Faithful {
		o.Lambda = 0.3
		if !slices.Contains(o.Domains, "Creative") {
			o.Domains = append(slices.Clone(o.Domains), "Creative")
		}
	}
	return nil
}
