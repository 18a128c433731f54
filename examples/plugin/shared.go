package main

import (
	"cmp"
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"membench/memory"
	"membench/schema"
)

// shared finds turns by the words that they share with a question.
type shared struct{}

func (shared) Info() memory.Info {
	return memory.Info{Name: "shared-words", Version: "1", Fingerprint: "shared-words-1"}
}

// Open gives an empty memory: one for each namespace, nothing in common.
func (shared) Open(ctx context.Context, ns memory.Namespace) (memory.Memory, error) {
	return &mind{done: map[string]bool{}}, ctx.Err()
}

type mind struct {
	turns []kept
	done  map[string]bool // batches, by key: one that comes twice is stored once
}

type kept struct {
	memory.Hit
	user  string
	words []string
}

func (m *mind) Ingest(ctx context.Context, b memory.Batch) (memory.Receipt, error) {
	if err := ctx.Err(); err != nil {
		return memory.Receipt{}, err
	}
	if m.done[b.ID()] {
		return memory.Receipt{Skipped: true}, nil
	}
	for _, t := range b.Turns {
		id := schema.PointID(fmt.Sprintf("%s:%06d", t.Sources[0].ConvID, t.Sources[0].TurnID))
		m.turns = append(m.turns, kept{memory.Hit{ID: id, Text: t.Text, Sources: t.Sources}, b.UserID, words(t.Text)})
	}
	m.done[b.ID()] = true
	return memory.Receipt{}, nil
}

func (m *mind) Retrieve(ctx context.Context, q memory.Query) (memory.Retrieved, error) {
	var out memory.Retrieved
	for _, k := range m.turns {
		h := k.Hit
		for _, w := range words(q.Text) {
			if slices.Contains(k.words, w) {
				h.Score++
			}
		}
		if h.Score > 0 && (q.UserID == "" || q.UserID == k.user) {
			out.Hits = append(out.Hits, h)
		}
	}
	slices.SortFunc(out.Hits, func(a, b memory.Hit) int { return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.ID, b.ID)) })
	if len(out.Hits) > q.K {
		out.Hits = out.Hits[:q.K]
	}
	return out, ctx.Err()
}

func (m *mind) Close() error { return nil }

var word = regexp.MustCompile(`\p{Han}|[^\P{L}\p{Han}]+|\p{N}+`)

func words(text string) []string { return word.FindAllString(strings.ToLower(text), -1) }
