package run_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"membench/eval/grade"
	"membench/eval/protocol"
	"membench/eval/reader"
	"membench/eval/records"
	"membench/eval/run"
	"membench/internal/atomicfile"
	"membench/llm"
	"membench/llm/llmtest"
	"membench/llm/openai"
	"membench/schema"
	"membench/schema/jsonl"
)

// mock answers at once: what is measured is the harness.
type mock struct{}

func (mock) Fingerprint() string { return "mock" }
func (mock) Read(context.Context, reader.Input) (reader.Answer, error) {
	return reader.Answer{Text: "the garden behind the house", By: "mock"}, nil
}

// mockCases are made while they are read: n questions, per a case, over turns turns.
func mockCases(n, per, turns int) schema.Seq[schema.Case] {
	return func(yield func(schema.Record[schema.Case], error) bool) {
		for i := 0; i*per < n; i++ {
			conv := schema.ConvID(fmt.Sprintf("c%07d", i))
			c := schema.Case{ID: string(conv), Dataset: "mock", ConvID: conv, Unit: schema.UnitTurn, Sessions: []schema.Session{{ID: "s1", Time: "2026-01-05T10:00:00Z"}}}
			for k := range turns {
				c.Sessions[0].Turns = append(c.Sessions[0].Turns, schema.CaseTurn{TurnID: k + 1, Role: "user", Name: "Ana", Text: fmt.Sprintf("On day %d of trip %d we saw the garden behind house %d.", k, i, k*7)})
			}
			for k := range min(per, n-i*per) {
				c.Questions = append(c.Questions, schema.Question{ID: fmt.Sprintf("%s-%d", conv, k), Text: fmt.Sprintf("What did we see on day %d?", k%turns), Answer: "the garden", Category: schema.CatIE, RawCategory: "1",
					Evidence: []schema.EventRef{{ConvID: conv, TurnID: 1 + k%turns}}})
			}
			if !yield(schema.Record[schema.Case]{V: c}, nil) {
				return
			}
		}
	}
}

// pipeline runs and grades; all records are on disk when it ends.
func pipeline(b *testing.B, dir string, o run.Options) {
	b.Helper()
	must(b, o)
	ps, err := protocol.Pick(protocol.All(), "locomo-f1")
	if err != nil {
		b.Fatal(err)
	}
	in := records.QA(context.Background(), nil, filepath.Join(dir, run.QAFile))
	err = atomicfile.Write(filepath.Join(dir, "qa_records.jsonl"), func(w io.Writer) error {
		buf := bufio.NewWriterSize(w, 1<<16)
		_, _, err := jsonl.Write(buf, schema.Latest, grade.QA(context.Background(), in, grade.Options{Protocols: ps, Workers: runtime.GOMAXPROCS(0)}))
		return errors.Join(err, buf.Flush())
	})
	if err != nil {
		b.Fatal(err)
	}
}

// BenchmarkPipeline plays mock samples through the whole pipeline: ingest into BM25,
// retrieve, read (a mock), records on disk, grade by F1, graded records on disk. An
// operation is a question. samples/s, and the heap in use after a collection.
func BenchmarkPipeline(b *testing.B) {
	for _, shape := range []struct{ per, turns int }{{1, 2}, {10, 20}, {200, 400}} {
		b.Run(fmt.Sprintf("questions=%d/turns=%d", shape.per, shape.turns), func(b *testing.B) {
			dir := b.TempDir()
			o := of(b, dir, nil, "bm25")
			o.Sets[0] = run.Set{Name: "mock", Cases: mockCases(b.N, shape.per, shape.turns), Digest: "x", Size: run.Size{Questions: b.N}}
			o.Systems[0].Reader, o.Now, o.K, o.Depth = mock{}, time.Now, 5, 0
			ballast := make([]byte, 64<<20) // as the command has
			b.ResetTimer()
			pipeline(b, dir, o)
			runtime.KeepAlive(ballast)
			b.StopTimer()
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "samples/s")
			start := time.Now()
			must(b, o)
			b.ReportMetric(float64(time.Since(start).Microseconds())/1000, "resume-ms")
		})
	}
}

// BenchmarkOverhead is the wall time of a run whose reader waits 200 ms for each answer
// of an HTTP endpoint, 64 at once, against a bare loop that asks the same client the same
// number of questions, 64 at once, and keeps nothing; and against the waiting alone.
func BenchmarkOverhead(b *testing.B) {
	const wait, atOnce, questions = 200 * time.Millisecond, 64, 64 * 160 // over 10,000 calls, half a minute a loop
	server := llmtest.NewServer()
	defer server.Close()
	server.Chat = func(llmtest.ChatRequest) llmtest.Reply { return llmtest.Reply{Text: "the garden", Wait: wait} }
	clock := llm.Clock{Now: time.Now, Random: func() float64 { return .5 }, Sleep: func(context.Context, time.Duration) error { return nil }}
	client, err := openai.New(openai.Options{BaseURL: server.BaseURL(), Model: "stub", Clock: clock})
	if err != nil {
		b.Fatal(err)
	}
	r := modelReader{client}
	for b.Loop() {
		start := time.Now()
		var wg sync.WaitGroup
		left := atomic.Int64{}
		for range atOnce {
			wg.Go(func() {
				for left.Add(1) <= questions {
					if _, err := r.Read(context.Background(), reader.Input{Context: strings.Repeat("a turn of a dialogue\n", 5)}); err != nil {
						b.Error(err)
					}
				}
			})
		}
		wg.Wait()
		bare := time.Since(start)

		dir := b.TempDir()
		o := of(b, dir, nil, "bm25")
		o.Sets[0] = run.Set{Name: "mock", Cases: mockCases(questions, 40, 80), Digest: "x"}
		o.Systems[0].Reader, o.Now, o.Calls, o.Memories, o.K = r, time.Now, atOnce, 8, 5
		start = time.Now()
		must(b, o)
		took, ideal := time.Since(start), wait*questions/atOnce
		b.ReportMetric(100*(took.Seconds()/bare.Seconds()-1), "%over-bare-loop")
		b.ReportMetric(100*(took.Seconds()/ideal.Seconds()-1), "%over-waiting")
		b.ReportMetric(100*(bare.Seconds()/ideal.Seconds()-1), "%bare-over-waiting")
	}
}
