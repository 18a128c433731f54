package memorytest

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"membench/internal/codec"
	"membench/llm"
	"membench/memory"
	"membench/schema"
)

// Recorded returns an embedder with all-MiniLM-L6-v2's recorded vectors of LoCoMo's turns and questions from the folder dir (locomo8.f16.npy,
// locomo8.keys.jsonl). A text without a recorded vector is an error.
func Recorded(t testing.TB, dir string) llm.Embedder {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(dir, "locomo8.f16.npy"))
	if err != nil {
		t.Fatal(err)
	}
	keys, err := os.ReadFile(filepath.Join(dir, "locomo8.keys.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	r := recorded{data: b[10+int(binary.LittleEndian.Uint16(b[8:])):], row: map[string]int{}}
	n := 0
	for line := range strings.Lines(string(keys)) {
		var k struct {
			Sum string `json:"sha256_16"`
		}
		if err := codec.Unmarshal([]byte(line), &k); err != nil {
			t.Fatal(err)
		}
		r.row[k.Sum] = n
		n++
	}
	return r
}

type recorded struct {
	data []byte
	row  map[string]int // by the first 16 hex digits of the text's sha256
}

const dims = 384

func (recorded) Profile() string { return "all-MiniLM-L6-v2" }

func (r recorded) Embed(_ context.Context, texts []string) ([][]float32, error) {
	out := make([][]float32, len(texts))
	for i, t := range texts {
		sum := sha256.Sum256([]byte(t))
		row, ok := r.row[hex.EncodeToString(sum[:8])]
		if !ok {
			return nil, &llm.Error{Purpose: llm.PurposeEmbed, Kind: llm.KindMissing, Err: fmt.Errorf("no recorded vector of a text of %d bytes", len(t))}
		}
		v := make([]float32, dims)
		norm := 0.0
		for j := range v {
			v[j] = half(binary.LittleEndian.Uint16(r.data[(row*dims+j)*2:]))
			norm += float64(v[j]) * float64(v[j])
		}
		for j := range v {
			v[j] /= float32(math.Sqrt(norm)) // rounding to 16 bits moved the length
		}
		out[i] = v
	}
	return out, nil
}

func half(h uint16) float32 {
	sign, exp, frac := 1.0, int(h>>10&31), float64(h&1023)
	if h>>15 == 1 {
		sign = -1
	}
	if exp == 0 {
		return float32(sign * math.Ldexp(frac, -24))
	}
	return float32(sign * math.Ldexp(1024+frac, exp-25))
}

// Play ingests a case session by session, each to its end.
func Play(ctx context.Context, m memory.Memory, c schema.Case) error {
	for _, s := range c.Sessions {
		b := memory.Batch{Key: s.ID, Session: s.ID}
		for _, u := range s.Turns {
			turn := u.Turn(c.ConvID)
			turn.Time = cmp.Or(turn.Time, s.Time)
			b.Turns = append(b.Turns, turn)
		}
		if _, err := m.Ingest(ctx, b); err != nil {
			return err
		}
		if _, err := memory.Finish(ctx, m, s.ID); err != nil {
			return err
		}
	}
	return nil
}

// A Score is the evidence recall of one question.
type Score struct {
	Question schema.Question
	Recall   float64 // [0,1]
}

// EvidenceRecall ingests a case and asks it: see AskEvidence. The oracle is given the
// gold and as many hits as it likes.
func EvidenceRecall(ctx context.Context, sys memory.System, c schema.Case, k int, unit func(schema.EventRef) schema.EventRef) ([]Score, error) {
	m, err := sys.Open(ctx, memory.Namespace{Run: "recall", Scope: c.ID})
	if err != nil {
		return nil, err
	}
	defer m.Close()
	if err := Play(ctx, m, c); err != nil {
		return nil, err
	}
	return AskEvidence(ctx, m, c, k, unit, memory.CapabilitiesOf(sys).UsesGold)
}

// AskEvidence asks the questions of a case that name evidence, in order, and returns the share of the gold among the first k distinct units of the hits: every
// hit is expanded to its turns in rank order, and unit maps a turn to its unit (nil: the turn itself).
func AskEvidence(ctx context.Context, m memory.Memory, c schema.Case, k int, unit func(schema.EventRef) schema.EventRef, gold bool) ([]Score, error) {
	var out []Score
	for _, q := range c.Questions {
		if len(q.Evidence) == 0 {
			continue
		}
		query, n := memory.Query{Text: q.Text, K: k, AsOf: q.AsOf}, k
		if unit != nil {
			query.K = 20 * k // so that k distinct units can come of it
		}
		if gold {
			query.Gold, query.K, n = q.Evidence, 100, 100
		}
		r, err := m.Retrieve(ctx, query)
		if err != nil {
			return nil, err
		}
		out = append(out, Score{q, recallAt(r.Hits, q.Evidence, n, unit)})
	}
	return out, nil
}

// AskWithin is AskEvidence with as many hits as fit into chars characters shown, instead
// of a number of them.
func AskWithin(ctx context.Context, m memory.Memory, c schema.Case, chars int, unit func(schema.EventRef) schema.EventRef) ([]Score, error) {
	var out []Score
	for _, q := range c.Questions {
		if len(q.Evidence) == 0 {
			continue
		}
		r, err := m.Retrieve(ctx, memory.Query{Text: q.Text, K: chars/40 + 1, AsOf: q.AsOf})
		if err != nil {
			return nil, err
		}
		n, left := 0, chars
		for n < len(r.Hits) && left >= utf8.RuneCountInString(r.Hits[n].Text) {
			left -= utf8.RuneCountInString(r.Hits[n].Text)
			n++
		}
		out = append(out, Score{q, recallAt(r.Hits[:n], q.Evidence, math.MaxInt, unit)})
	}
	return out, nil
}

func recallAt(hits []memory.Hit, gold []schema.EventRef, k int, unit func(schema.EventRef) schema.EventRef) float64 {
	if unit == nil {
		unit = func(e schema.EventRef) schema.EventRef { return e }
	}
	seen := map[schema.EventRef]bool{}
	for _, h := range hits {
		for _, e := range h.Sources {
			if len(seen) < k {
				seen[unit(e)] = true
			}
		}
	}
	want, got := map[schema.EventRef]bool{}, 0
	for _, e := range gold {
		u := unit(e)
		if !want[u] && seen[u] {
			got++
		}
		want[u] = true
	}
	return float64(got) / float64(len(want))
}

// A Sum is the scores of a category in one case and their number: a stats.Cluster.
type Sum struct {
	Sum float64
	N   int
}

// By sums the scores of one case by category: "all", each raw category, and "1-4",
// which omits category 5 (LoCoMo's adversarial questions).
func By(scores []Score) map[string]Sum {
	out := map[string]Sum{}
	for _, s := range scores {
		cats := []string{"all", s.Question.RawCategory}
		if s.Question.RawCategory != "5" {
			cats = append(cats, "1-4")
		}
		for _, cat := range cats {
			x := out[cat]
			x.Sum, x.N = x.Sum+s.Recall, x.N+1
			out[cat] = x
		}
	}
	return out
}
