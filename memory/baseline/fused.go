package baseline

import (
	"membench/memory"
	"membench/memory/native"
	"membench/memory/recall"
	"membench/memory/store"
)

// FusedOptions of the fused systems.
type FusedOptions struct {
	C float64 `json:"c"` // constant of the rank fusion
}

// RankFused joins plain BM25 and embeddings by reciprocal rank.
func RankFused() memory.Spec {
	return memory.Define("rank-fused", "joins BM25 over plain words and embeddings by reciprocal rank", FusedOptions{60}, func(d memory.Deps, o FusedOptions) (memory.System, error) {
		cut, _ := terms("plain")
		return hybrid(d, "rank-fused", o, store.Words{K1: 1.2, B: .75, Terms: cut}, 1, "", false, func(*list) recall.Signal {
			return recall.RRF(o.C, 0, recall.Term{Weight: 1, Signal: recall.Words()}, recall.Term{Weight: 1, Signal: recall.Cosine()})
		}), nil
	})
}

// ScoreOptions are the weights of ScoreFused.
type ScoreOptions struct {
	Words   float64 `json:"words"`
	Meaning float64 `json:"meaning"`
}

// ScoreFused joins stemmed BM25 and embeddings by the sum of their z-values.
func ScoreFused() memory.Spec {
	return memory.Define("score-fused", "joins BM25 over stems and embeddings by the sum of z-values", ScoreOptions{0.8, 1}, func(d memory.Deps, o ScoreOptions) (memory.System, error) {
		return hybrid(d, "score-fused", o, stemmed(), 1, locomoWeights, false, func(*list) recall.Signal {
			return recall.ZSum(recall.Term{Weight: o.Words, Signal: recall.Words()}, recall.Term{Weight: o.Meaning, Signal: recall.Cosine()})
		}), nil
	})
}

func stemmed() store.Words {
	cut, _ := terms("snowball")
	return store.Words{K1: 0.5, B: 0.3, Terms: cut}
}

// TurnOptions are the weights of TurnAlone, tuned on LoCoMo.
type TurnOptions struct {
	Words    float64 `json:"words"`    // of the z-value of BM25 over stems
	Meaning  float64 `json:"meaning"`  // of the z-value of the cosine to the question
	NoNames  float64 `json:"no_names"` // of the z-value of the cosine to the question without names
	Speaker  float64 `json:"speaker"`  // when the one who is named speaks
	Date     float64 `json:"date"`     // of the fit of the day that is named
	When     float64 `json:"when"`     // of a time word, when a time is asked for
	Temporal float64 `json:"temporal"` // of a time word
	Length   float64 `json:"length"`   // of ln(1 + content terms)
	Question float64 `json:"question"` // of a turn that asks
	First    float64 `json:"first"`    // of a turn that speaks of I or we
}

// TurnAlone ranks each turn by itself: words, meaning, speaker, time, and kind of turn.
func TurnAlone() memory.Spec {
	return memory.Define("turn-alone", "ranks each turn by itself: words, meaning, speaker, date and the kind of turn",
		TurnOptions{Words: .5, Meaning: .2, NoNames: .5, Speaker: 1.2, Date: 4, When: 2, Temporal: .4, Length: .4, Question: -.6, First: .5},
		func(d memory.Deps, o TurnOptions) (memory.System, error) {
			embeds := 0
			if o.Meaning != 0 {
				embeds++
			}
			if o.NoNames != 0 {
				embeds++
			}
			return hybrid(d, "turn-alone", o, stemmed(), embeds, locomoWeights, true, func(l *list) recall.Signal {
				terms := []recall.Term{{Weight: o.Words, Signal: recall.Z(recall.Words())}}
				if o.Meaning != 0 {
					terms = append(terms, recall.Term{Weight: o.Meaning, Signal: recall.Z(recall.Cosine())})
				}
				if o.NoNames != 0 {
					terms = append(terms, recall.Term{Weight: o.NoNames, Signal: recall.Z(recall.CosineOf(recall.WithoutNames))})
				}
				return recall.Sum(append(terms,
					recall.Term{Weight: o.Speaker, Signal: recall.Spoken()},
					recall.Term{Weight: o.Date, Signal: recall.Dated()},
					recall.Term{Weight: 1, Signal: recall.Prior(func(i int) recall.Priors { return l.pre[i] },
						recall.Priors{Temporal: o.Temporal, Length: o.Length, Question: o.Question, First: o.First}, o.When)})...)
			}), nil
		})
}

// hybrid is a system over turns with words and vectors.
func hybrid(d memory.Deps, name string, config any, w store.Words, embeds int, note string, priors bool, signal func(*list) recall.Signal) memory.System {
	d.Embed = embedder(d)
	caps := ranked(native.Turn, 1)
	caps.Calls.EmbedPerQuery = memory.Span{Min: min(embeds, 1), Max: embeds} // a question without names is embedded once
	if note != "" {
		caps.Notes = []string{note}
	}
	return native.New(native.Options{Name: name, Version: version, Config: config, Deps: memory.Deps{Embed: d.Embed}, Caps: caps, New: func(scope string) native.Policy {
		l := &list{grows: true, st: store.New(store.Options{Scope: scope, Embed: d.Embed, Words: &w}), keep: priors}
		l.bind(func(l *list) recall.Pipeline { return recall.Pipeline{recall.Rank(signal(l), nil)} })
		return l
	}})
}
