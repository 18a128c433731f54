package baseline

import (
	"membench/memory"
	"membench/memory/native"
	"membench/memory/recall"
	"membench/memory/store"
)

// BM25Options of BM25.
type BM25Options struct {
	Unit  string  `json:"unit"`  // turn | pair
	Terms string  `json:"terms"` // plain | light | snowball
	K1    float64 `json:"k1"`
	B     float64 `json:"b"`
}

// BM25 ranks turns by shared words.
func BM25() memory.Spec {
	return bm25("bm25", "ranks turns by BM25 over plain words, the textbook settings", BM25Options{native.Turn, "plain", 1.2, 0.75}, "")
}

// BM25Stemmed ranks turns by shared stems; its settings suit short turns.
func BM25Stemmed() memory.Spec {
	return bm25("bm25-stemmed", "ranks turns by BM25 over stems without stop words", BM25Options{native.Turn, "snowball", 0.5, 0.3}, locomoWeights)
}

// locomoWeights is the note in every table on systems whose weights were set there.
const locomoWeights = "weights set on LoCoMo"

func bm25(name, doc string, defaults BM25Options, note string) memory.Spec {
	return memory.Define(name, doc, defaults, func(d memory.Deps, o BM25Options) (memory.System, error) {
		cut, err := terms(o.Terms)
		if err != nil {
			return nil, err
		}
		u, err := unit(o.Unit)
		if err != nil {
			return nil, err
		}
		caps := ranked(u, 0)
		if note != "" {
			caps.Notes = []string{note}
		}
		return native.New(native.Options{Name: name, Version: version, Config: o, Caps: caps, New: func(scope string) native.Policy {
			return &list{grows: true, st: store.New(store.Options{Scope: scope, Words: &store.Words{K1: o.K1, B: o.B, Terms: cut}}),
				recall: recall.Pipeline{recall.Rank(recall.Words(), recall.Positive)}}
		}}), nil
	})
}

// EmbeddingOptions of EmbeddingOnly.
type EmbeddingOptions struct {
	Unit string `json:"unit"` // turn | pair
}

// EmbeddingOnly ranks turns by the cosine of their embeddings.
func EmbeddingOnly() memory.Spec {
	return memory.Define("embedding-only", "ranks turns by the cosine of embeddings", EmbeddingOptions{native.Turn}, func(d memory.Deps, o EmbeddingOptions) (memory.System, error) {
		u, err := unit(o.Unit)
		if err != nil {
			return nil, err
		}
		d.Embed = embedder(d)
		return native.New(native.Options{Name: "embedding-only", Version: version, Config: o, Deps: memory.Deps{Embed: d.Embed}, Caps: ranked(u, 1), New: func(scope string) native.Policy {
			return &list{grows: true, st: store.New(store.Options{Scope: scope, Embed: d.Embed}), recall: recall.Pipeline{recall.Rank(recall.Cosine(), nil)}}
		}}), nil
	})
}
