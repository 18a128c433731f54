package baseline

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"membench/internal/sentence"
	"membench/memory"
	"membench/memory/native"
	"membench/memory/op"
	"membench/memory/recall"
	"membench/memory/store"
)

// Modes of SimpleRAG.
const (
	Dense   = "dense"
	Lexical = "lexical"
	Fused   = "fused"
)

// RAGOptions of SimpleRAG.
type RAGOptions struct {
	Mode      string `json:"mode"`       // dense | lexical | fused
	Unit      string `json:"unit"`       // turn | pair: unit that is cut into chunks
	ChunkSize int    `json:"chunk_size"` // tokens (recall.TokensOf) of a chunk at most
	Rerank    string `json:"rerank"`     // "" | rule | model: of the first 4·k
}

// SimpleRAG is retrieval over chunks in the usual form.
func SimpleRAG() memory.Spec {
	return memory.Define("simple-rag", "chunks, retrieved by embeddings, words or both, and optionally reranked", RAGOptions{Dense, native.Pair, 512, ""}, newRAG)
}

func newRAG(d memory.Deps, o RAGOptions) (memory.System, error) {
	u, err := unit(o.Unit)
	if err != nil {
		return nil, err
	}
	if o.ChunkSize < 8 {
		return nil, fmt.Errorf("chunk_size %d: want at least 8 tokens", o.ChunkSize)
	}
	so := store.Options{}
	var signal recall.Signal
	keep := recall.Positive
	switch o.Mode {
	case Dense:
		so.Embed, signal, keep = embedder(d), recall.Cosine(), nil
	case Lexical:
		so.Words, signal = &store.Words{}, recall.Words()
	case Fused:
		so.Embed, so.Words = embedder(d), &store.Words{}
		signal = recall.RRF(60, 0, recall.Term{Weight: 1, Signal: recall.Words()}, recall.Term{Weight: 1, Signal: recall.Cosine()})
	default:
		return nil, fmt.Errorf("mode %q: have %s, %s and %s", o.Mode, Dense, Lexical, Fused)
	}
	p := recall.Pipeline{recall.Rank(signal, keep)}
	caps := ranked(u, 0)
	if so.Embed != nil {
		caps = ranked(u, 1)
		caps.Calls.EmbedPerUnit.Max = 1 << 20 // one a chunk
	}
	deps := memory.Deps{Embed: so.Embed}
	switch o.Rerank {
	case "":
	case "rule":
		if so.Embed == nil {
			return nil, fmt.Errorf("rerank %q needs embeddings: use mode %s or %s", o.Rerank, Dense, Fused)
		}
		p = append(p, func(ctx context.Context, s *recall.State) error { return recall.Rerank(4*s.Query.K)(ctx, s) })
	case "model":
		if d.LLM == nil {
			return nil, fmt.Errorf("rerank %q needs a model; rerank \"rule\" does not", o.Rerank)
		}
		caps.Calls.LLMPerQuery = memory.Span{Min: 1, Max: 2} // the second asks for a usable answer
		deps.LLM = d.LLM
		p = append(p, rerankModel(d))
	default:
		return nil, fmt.Errorf("rerank %q: have rule, model and \"\"", o.Rerank)
	}
	return native.New(native.Options{Name: "simple-rag", Version: version, Config: o, Deps: deps, Caps: caps, New: func(scope string) native.Policy {
		so := so
		so.Scope = scope
		return &list{grows: true, st: store.New(so), recall: p, split: func(o2 native.Observation) (out []store.Record) {
			parts := Chunks(o2.Text, o.ChunkSize)
			for _, text := range parts {
				r := o2.Record("chunk")
				if r.Text = text; len(parts) > 1 {
					r.Index = ""
				}
				out = append(out, r)
			}
			return out
		}}
	}}), nil
}

// rerankModel asks the model which of the first 4·k say most about the question. A
// model that fails is an error: retrieval never falls back in silence.
func rerankModel(d memory.Deps) recall.Stage {
	return func(ctx context.Context, s *recall.State) error {
		if len(s.List) == 0 {
			return nil
		}
		s.List = s.List[:min(4*s.Query.K, len(s.List))]
		order, u, err := op.Rerank(ctx, d.LLM, d.Prompts, s.Query.Text, texts(s.List, func(c recall.Scored) string { return s.Store.At(c.Pos).Text }))
		s.Usage = s.Usage.Add(u)
		if err != nil {
			return err
		}
		out := make([]recall.Scored, 0, len(order))
		for rank, i := range order {
			out = append(out, recall.Scored{Pos: s.List[i].Pos, Score: 1 / float64(1+rank)})
		}
		s.List = out
		return nil
	}
}

// Chunks cuts a text at line and sentence ends into parts of at most size tokens
// (recall.TokensOf); a longer sentence is cut between words, a longer word between
// characters. Nothing is lost but blanks at the cuts.
func Chunks(text string, size int) []string {
	if recall.TokensOf(text) <= size {
		return []string{text}
	}
	var pieces []string
	for line := range strings.Lines(text) {
		rest := line
		for _, s := range sentence.Split(line) {
			i := strings.Index(rest, s.Text)
			if i < 0 {
				continue
			}
			end := i + len(s.Text)
			pieces, rest = append(pieces, rest[:end]), rest[end:]
		}
		pieces = append(pieces, rest)
	}
	var out []string
	cur := ""
	add := func(p, glue string) {
		switch {
		case cur != "" && recall.TokensOf(cur)+recall.TokensOf(p) <= size:
			cur += glue + p
		default:
			if strings.TrimSpace(cur) != "" {
				out = append(out, strings.TrimSpace(cur))
			}
			cur = p
		}
	}
	for _, p := range pieces {
		if recall.TokensOf(p) <= size {
			add(p, "")
			continue
		}
		for _, w := range strings.Fields(p) {
			for recall.TokensOf(w) > size {
				head := []rune(w)
				n := min(len(head), size)
				add(string(head[:n]), " ")
				w = string(head[n:])
			}
			if w != "" {
				add(w, " ")
			}
		}
	}
	if strings.TrimSpace(cur) != "" {
		out = append(out, strings.TrimSpace(cur))
	}
	return slices.Clip(out)
}
