package watch

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"membench/eval/reader"
	"membench/eval/records"
	"membench/eval/run"
	"membench/internal/browsertest"
	"membench/internal/codec"
	"membench/internal/exttest"
	"membench/internal/loopback"
	"membench/memory"
	"membench/memory/all"
	"membench/schema"
	"membench/schema/jsonl"
)

// garden makes a case of n questions, of which those with an odd number have a gold that
// nothing says.
func garden(n int) schema.Case {
	c := schema.Case{ID: "c", Dataset: "made", ConvID: "c", Unit: schema.UnitTurn, Speakers: []string{"Ana"}, Sessions: []schema.Session{{ID: "s1", Time: "2026-01-05T10:00:00Z"}}}
	for i := range n {
		c.Sessions[0].Turns = append(c.Sessions[0].Turns, schema.CaseTurn{TurnID: i + 1, Role: "user", Name: "Ana", Text: fmt.Sprintf("Bed number %d of the garden grows plant%d.", i, i)})
		gold := fmt.Sprintf("plant%d", i)
		if i%2 == 1 {
			gold = "<b>Lisbon</b>"
		}
		c.Questions = append(c.Questions, schema.Question{ID: fmt.Sprint("q", i), Text: fmt.Sprintf("What grows in bed number %d of the garden?", i), Answer: gold, Category: schema.CatIE, RawCategory: "1", Evidence: []schema.EventRef{{ConvID: "c", TurnID: i + 1}}})
	}
	return c
}

// gate answers as many questions as it is let.
type gate struct {
	reader.Reader
	let chan struct{}
}

func (g gate) Read(ctx context.Context, in reader.Input) (reader.Answer, error) {
	select {
	case <-g.let:
	case <-ctx.Done():
	}
	return g.Reader.Read(ctx, in)
}

func one[T any](v T) schema.Seq[T] {
	return func(yield func(schema.Record[T], error) bool) { yield(schema.Record[T]{V: v}, nil) }
}

// A page that was opened before the run began follows it to its end, and on to what
// grading and explaining say.
func TestPage(t *testing.T) {
	exttest.Need(t, "chromium")
	dir := filepath.Join(t.TempDir(), "run")
	w := New(Options{Dir: dir, Every: 50 * time.Millisecond, Now: time.Now})
	ctx, stop := context.WithCancel(t.Context())
	at, served, watched := make(chan string, 1), make(chan error, 1), make(chan struct{})
	go func() { served <- loopback.Serve(ctx, "127.0.0.1:0", w.Handler(), func(u string) { at <- u }) }()
	go func() { defer close(watched); w.Run(ctx) }()
	url := <-at
	b := browsertest.Open(t, url, "en-US", 1200, 800, url)
	b.Until("it waits", `document.querySelector("#state").textContent.startsWith("waiting")`)

	spec, err := all.Lookup("bm25")
	if err != nil {
		t.Fatal(err)
	}
	sys, err := spec.Open(memory.Deps{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	c := garden(20)
	let, ran := make(chan struct{}), make(chan error, 1)
	go func() {
		_, err := run.Run(context.Background(), run.Options{Dir: dir, Sets: []run.Set{{Name: "named otherwise", Cases: one(c), Digest: "1", Size: run.Size{Cases: 1, Questions: 20}}},
			Systems: []run.System{{System: sys, Reader: gate{reader.Rule(), let}}}, Memories: 1, Calls: 1, Limits: run.Limits{Ingest: time.Minute, Retrieve: time.Minute, Read: time.Minute}})
		ran <- err
	}()
	for range 8 {
		let <- struct{}{}
	}
	b.Until("eight answers", `document.querySelector("#far").textContent.startsWith("8 of 20")`)
	if s := b.Text("#rows"); !strings.Contains(s, "bm25") || !strings.Contains(s, "50.0 %") || !strings.Contains(s, "rule@2") {
		t.Errorf("figures so far: %q, want half of bm25's 8 answers right by rule", s)
	}
	if s := b.Text("#failures li"); !strings.Contains(s, "gold: <b>Lisbon</b>") || !strings.Contains(s, "What grows in bed number") {
		t.Errorf("the last failure is %q, want an odd question's, as text", s)
	}
	b.Until("it runs", `document.querySelector("#state").textContent.startsWith("running")`)
	for range 12 {
		let <- struct{}{}
	}
	if err := <-ran; err != nil {
		t.Fatal(err)
	}
	b.Until("the end", `document.querySelector("#state").textContent.startsWith("finished") && document.querySelectorAll("#failures li").length === 10`)

	// Graded and explained, the page goes by these.
	f, err := os.Create(filepath.Join(dir, records.QAFile))
	if err != nil {
		t.Fatal(err)
	}
	for r, err := range jsonl.Files[schema.QARecord]([]string{filepath.Join(dir, run.QAFile)}, nil) {
		if err != nil {
			t.Fatal(err)
		}
		zero := 0.
		r.V.Grades = []schema.Grade{{Protocol: "mem0-2025@1", By: "strict-model", Score: &zero, Outcome: schema.GradeScored}}
		r.V.Attribution = &schema.Attribution{Hop: schema.HopAlteredStored, Reason: "the memory says another number"}
		line, err := jsonl.Append(nil, r.V, schema.Latest)
		if err != nil {
			t.Fatal(err)
		}
		f.Write(line)
	}
	f.Close()
	// It may look while the file is being written, and looks again.
	b.Until("grades of the run", `document.querySelector("#rows").innerText.includes("altered_stored 20")`)
	if s := b.Text("#rows"); !strings.Contains(s, "0.0 %") || !strings.Contains(s, "strict-model") {
		t.Errorf("figures of the graded run: %q", s)
	}
	b.Clean()
	stop()
	if err := <-served; err != nil {
		t.Error(err)
	}
	<-watched
	b.Until("the page says that nobody answers", `document.querySelector("#fault").textContent.includes("has ended")`)
}

// The state stays small whatever the run: a page of a hundred thousand answers is as one
// of a hundred.
func TestManyAnswers(t *testing.T) {
	w := New(Options{Now: time.Now})
	zero, n := 0., 100_000
	for i := range n {
		w.add(&schema.QARecord{System: fmt.Sprint("system ", i%12), Dataset: "made", QuestionID: fmt.Sprint(i), Question: strings.Repeat("long ", 5000), Outcome: schema.OutcomeAnswered,
			Grades: []schema.Grade{{Protocol: "em@1", By: schema.ByRule, Score: &zero, Outcome: schema.GradeScored}}})
	}
	if len(w.rows) != 12 || len(w.failures) > 2*lastFailures {
		t.Errorf("%d rows, %d failures held", len(w.rows), len(w.failures))
	}
	s := State{Failures: w.failures}
	judged := 0
	for _, r := range w.rows {
		s.Rows = append(s.Rows, *r)
		judged += r.Judged
	}
	b, err := codec.Append(nil, s, codec.Compact)
	if err != nil || len(b) > 64<<10 || judged != n {
		t.Errorf("a state of %d bytes, %d judged, %v", len(b), judged, err)
	}
}
