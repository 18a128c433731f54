//go:build !windows

package run_test

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
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
	"membench/llm/cassette"
	"membench/llm/llmtest"
	"membench/llm/openai"
	"membench/memory"
	"membench/memory/mem0"
	"membench/schema"
	"membench/schema/jsonl"
)

// TestMain also is the process that TestKilled kills.
func TestMain(m *testing.M) {
	if dir := os.Getenv("TEST_RUN_DIR"); dir != "" {
		if err := crashRun(dir, os.Getenv("TEST_RUN_URL")); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// steps counts the points of a run at which it can be killed. At the one that it was
// told it says so to its parent and goes no further; other goroutines do.
type steps struct {
	n    atomic.Int64
	stop int64
	tell *os.File
}

func (s *steps) step() {
	if n := s.n.Add(1); n == s.stop {
		s.tell.Write([]byte{'!'})
		time.Sleep(time.Hour) // a select would be a deadlock where no other goroutine is left
	}
}

// crashRun is a run as commands make it: models over HTTP with a cassette, a system that
// asks a model when it stores, one that keeps its memory on disk, then a model's grades.
func crashRun(dir, url string) (err error) {
	st := &steps{tell: os.NewFile(3, "parent")}
	st.stop, _ = strconv.ParseInt(os.Getenv("TEST_RUN_STOP"), 10, 64)
	atomicfile.Observe(func(string, string) { st.step() })
	client, err := openai.New(openai.Options{BaseURL: url, Model: "stub", Clock: llmtest.NewClock().Clock()})
	if err != nil {
		return err
	}
	tape, err := cassette.Open(filepath.Join(dir, "cassette"), cassette.Cache)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, tape.Close()) }()
	model := llm.NewLedger().Generator(tape.Generator(stepped{client, st}))

	var t testing.T
	o := of(&t, filepath.Join(dir, "run"), cases(3), "bm25")
	o.Limits = run.Limits{}
	o.Memories, o.Calls, o.Repeats = 3, 4, 2
	o.Systems[0].System = hooked{System: o.Systems[0].System, ingest: func(ctx context.Context, m memory.Memory, b memory.Batch) (memory.Receipt, error) {
		var r memory.Receipt
		for i := range b.Turns {
			a, err := model.Generate(ctx, llm.Request{Purpose: llm.PurposeFacts, Prompt: b.Turns[i].Text})
			if err != nil {
				return r, err
			}
			b.Turns[i].Text += " (" + a.Text + ")"
			r.Usage = r.Usage.Add(a.Usage)
		}
		s, err := m.Ingest(ctx, b)
		s.Usage = r.Usage
		return s, err
	}}
	embedded, err := mem0.Embedded(mem0.Options{Dir: filepath.Join(dir, "store")})
	if err != nil {
		return err
	}
	o.Systems = append(o.Systems, run.System{System: embedded})
	for i := range o.Systems {
		o.Systems[i].Reader = modelReader{model}
	}
	if _, err := run.Run(context.Background(), o); err != nil {
		return err
	}
	st.step()
	ps, err := protocol.Pick(protocol.All(), "mem0-2025")
	if err != nil {
		return err
	}
	in := records.QA(context.Background(), nil, filepath.Join(o.Dir, run.QAFile))
	err = atomicfile.Write(filepath.Join(o.Dir, "qa_records.jsonl"), func(w io.Writer) error {
		b := bufio.NewWriter(w)
		if _, _, err := jsonl.Write(b, schema.Latest, grade.QA(context.Background(), in, grade.Options{Protocols: ps, Judge: model, Workers: 4})); err != nil {
			return err
		}
		return b.Flush()
	})
	if err == nil && os.Getenv("TEST_RUN_COUNT") != "" {
		fmt.Fprint(st.tell, st.n.Load())
	}
	return err
}

// stepped is a model with a step before and one behind each call.
type stepped struct {
	llm.Generator
	st *steps
}

func (s stepped) Generate(ctx context.Context, r llm.Request) (llm.Response, error) {
	s.st.step()
	a, err := s.Generator.Generate(ctx, r)
	s.st.step()
	return a, err
}

type modelReader struct{ g llm.Generator }

func (modelReader) Fingerprint() string { return "model" }
func (m modelReader) Read(ctx context.Context, in reader.Input) (reader.Answer, error) {
	a, err := m.g.Generate(ctx, llm.Request{Purpose: llm.PurposeRead, Prompt: in.Context + "\n" + in.Question.Text, Sample: in.Sample})
	return reader.Answer{Text: a.Text, By: "stub", Model: "stub", Usage: a.Usage}, err
}

// A toll is what the stub knows of the calls: each answer holds a mark of its question,
// so that the cassette's bytes tell what is on record.
type toll struct {
	mu       sync.Mutex
	expected map[string]int // calls of an undisturbed run, by mark
	recorded map[string]int // on record when the process that is running was started
	served   map[string]int // to it
	twice    []string       // paid again although it was on record
	calls    int
}

func (c *toll) answer(r llmtest.ChatRequest) llmtest.Reply {
	sum := sha256.Sum256([]byte(r.System() + "\x00" + r.Prompt()))
	mark := "m" + hex.EncodeToString(sum[:10])
	c.mu.Lock()
	defer c.mu.Unlock()
	c.calls++
	c.served[mark]++
	if c.expected != nil && c.served[mark] > c.expected[mark]-c.recorded[mark] {
		c.twice = append(c.twice, mark)
	}
	if strings.Contains(r.Prompt(), "CORRECT") {
		return llmtest.Reply{Text: `{"label": "CORRECT", "reasoning": "` + mark + `"}`}
	}
	return llmtest.Reply{Text: mark}
}

// Killed with SIGKILL at points in and between ingest, retrieval, reading, the writing of
// records, the putting together and the grading, with three memories and four answers
// under way: the next start gives the bytes of an undisturbed run, and nothing that was
// on record is asked of a model again.
func TestKilled(t *testing.T) {
	t.Parallel()
	root := quickDir(t)
	var served toll
	reset := func(expected map[string]int) {
		served = toll{expected: expected, served: map[string]int{}, recorded: map[string]int{}}
	}

	// start runs the process; it is killed at the n-th point, 0: not.
	start := func(dir string, n int, count bool) (said string, killed bool) {
		t.Helper()
		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		// A server of its own: closed, it has no call of a dead process under way.
		server := llmtest.NewServer()
		defer server.Close()
		server.Chat = func(r llmtest.ChatRequest) llmtest.Reply { return served.answer(r) }
		c := exec.Command(os.Args[0])
		c.Env = append(os.Environ(), "TEST_RUN_DIR="+dir, "TEST_RUN_URL="+server.BaseURL(), fmt.Sprint("TEST_RUN_STOP=", n))
		if count {
			c.Env = append(c.Env, "TEST_RUN_COUNT=1")
		}
		c.ExtraFiles = []*os.File{w}
		var words strings.Builder
		c.Stderr = &words
		err = c.Start()
		w.Close()
		if err != nil {
			t.Fatal(err)
		}
		size := int64(20)
		if n > 0 {
			size = 1
		}
		b, _ := io.ReadAll(io.LimitReader(r, size))
		if n > 0 && len(b) > 0 {
			// The parent kills; until then the other goroutines go on.
			time.Sleep(time.Duration(n%3) * time.Millisecond)
			c.Process.Kill()
		}
		err = c.Wait()
		if err != nil && c.ProcessState.ExitCode() >= 0 {
			t.Fatalf("%v: %s", err, words.String())
		}
		return string(b), c.ProcessState.ExitCode() < 0
	}
	result := func(dir string) string {
		out := files(t, filepath.Join(dir, "run"))
		b, err := os.ReadFile(filepath.Join(dir, "run", "qa_records.jsonl"))
		if err != nil {
			t.Fatal(err)
		}
		return out + string(b)
	}

	reset(nil)
	clean := filepath.Join(root, "clean")
	os.Mkdir(clean, 0o777)
	said, _ := start(clean, 0, true)
	n, err := strconv.Atoi(said)
	if err != nil || n < 200 {
		t.Fatalf("a run has %q points, want 200 or more", said)
	}
	want := result(clean)
	undisturbed, expected := served.calls, served.served
	tape, err := os.ReadFile(filepath.Join(clean, "cassette"))
	if err != nil {
		t.Fatal(err)
	}
	for mark := range expected {
		if !strings.Contains(string(tape), mark) {
			t.Fatalf("the cassette does not show %s: the test could not tell what is on record", mark)
		}
	}

	most := 60
	switch {
	case os.Getenv("MEMBENCH_SOAK") != "":
		most = 200
	case testing.Short():
		most = 20
	}
	rng := rand.New(rand.NewPCG(7, 11))
	kills, again := 0, 0
	for i := range most {
		reset(expected)
		dir := filepath.Join(root, "killed")
		os.RemoveAll(dir)
		os.Mkdir(dir, 0o777)
		points := []int{1 + i*(n-1)/most}
		if i%5 == 0 {
			points = append(points, 1+rng.IntN(n/2)) // twice
		}
		for _, p := range append(points, 0) {
			if b, err := os.ReadFile(filepath.Join(dir, "cassette")); err == nil {
				served.mu.Lock()
				clear(served.served)
				for mark := range expected {
					served.recorded[mark] = strings.Count(string(b), mark)
				}
				served.mu.Unlock()
			}
			if _, killed := start(dir, p, false); killed {
				kills++
			}
		}
		if have := result(dir); have != want {
			t.Fatalf("killed at %v of %d: other bytes\n%s", points, n, firstDifference(have, want))
		}
		if len(served.twice) > 0 {
			t.Fatalf("killed at %v: %d calls paid twice", points, len(served.twice))
		}
		// What was under way and not on record when the process died is asked again: no
		// more than work at once, for each kill.
		again = max(again, served.calls-undisturbed)
		if over := served.calls - undisturbed; over > len(points)*(3+4) {
			t.Fatalf("killed at %v: %d calls more than undisturbed", points, over)
		}
	}
	t.Logf("%d points in a run, killed %d times; %d calls undisturbed, at most %d more", n, kills, undisturbed, again)
	if kills < most {
		t.Errorf("killed %d times, want %d", kills, most)
	}
}

func quickDir(t testing.TB) string {
	t.Helper()
	if info, err := os.Stat("/dev/shm"); err == nil && info.IsDir() {
		if dir, err := os.MkdirTemp("/dev/shm", "membench-test-*"); err == nil {
			t.Cleanup(func() { os.RemoveAll(dir) })
			return dir
		}
	}
	return t.TempDir()
}

func firstDifference(have, want string) string {
	h, w := strings.Split(have, "\n"), strings.Split(want, "\n")
	for i := range min(len(h), len(w)) {
		if h[i] != w[i] {
			return fmt.Sprintf("line %d\nhave %s\nwant %s", i+1, h[i], w[i])
		}
	}
	return fmt.Sprintf("%d lines, want %d", len(h), len(w))
}
