package cli

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"membench/internal/visible"
	"membench/schema/jsonl"
)

func TestProgressLine(t *testing.T) {
	for _, tc := range []struct {
		s      state
		passed time.Duration
		want   string
	}{
		{state{unit: "read", bytes: true}, time.Minute, "working on it for 1m0s"},
		{state{done: 20e6, of: 80e6, unit: "read", bytes: true}, 10 * time.Second, "20.0 of 80.0 MB read (25 %), 2.0 MB/s, about 30s left"},
		{state{done: 80e6, of: 80e6, unit: "read", bytes: true}, 20 * time.Second, "80.0 of 80.0 MB read (100 %), 4.0 MB/s, working on it for 20s"},
		{state{done: 300, of: 1500, before: 100, unit: "questions", more: ", 3 failed"}, 10 * time.Second, "300 of 1500 questions (20 %), 20/s, about 1m left, 3 failed"},
		{state{done: 7, unit: "nodes"}, 10 * time.Second, "7 nodes, 0.7/s"},
	} {
		if have := tc.s.line(tc.passed); have != tc.want {
			t.Errorf("have %q, want %q", have, tc.want)
		}
	}
	if have := (state{done: 25, of: 100}).bar(); have != "[#####---------------] " {
		t.Errorf("the bar is %q", have)
	}
}

// What a step does with its input takes longer than reading: its own units are what is left.
// Of input that is half read, half of the work is known.
func TestProgressOfWork(t *testing.T) {
	name := filepath.Join(t.TempDir(), "x.jsonl")
	if err := os.WriteFile(name, bytes.Repeat([]byte("{}\n"), 100), 0o600); err != nil {
		t.Fatal(err)
	}
	m := &meter{}
	m.begin("annotate", nil)
	jsonl.Expect([]string{name})
	m.work("turns", 0, 0)
	r, err := jsonl.Open(name, nil)
	if err != nil {
		t.Fatal(err)
	}
	io.CopyN(io.Discard, r, 150)
	m.work("turns", 20, 50)
	if have := m.source(); have.done != 20 || have.unit != "turns" || have.of <= 20 || have.of > 100 || m.name != "annotate" {
		t.Errorf("have %+v of %q, want 20 of 50 to 100 turns", have, m.name)
	}
	io.Copy(io.Discard, r)
	r.Close()
	m.work("turns", 20, 100)
	if have, want := m.source(), (state{done: 20, of: 100, unit: "turns"}); have != want {
		t.Errorf("have %+v, want %+v", have, want)
	}
	m.begin("replay export", nil)
	if have := m.source(); !have.bytes || have.done != 0 {
		t.Errorf("the next step shows %+v", have)
	}
	(*meter)(nil).work("batches", 0, 8) // a command without a meter
}

// slow is an input that lasts longer than a meter waits.
type slow struct {
	lines int
	pause time.Duration
}

func (s *slow) Read(p []byte) (int, error) {
	if s.lines == 0 {
		return 0, io.EOF
	}
	s.lines--
	time.Sleep(s.pause)
	return copy(p, `{"conv_id":"c","turn_id":1,"role":"user","text":"hello"}`+"\n"), nil
}

// Every command shows how far it is: a line where standard error is no terminal, a bar
// where it is one, and neither with --quiet.
func TestProgressOfACommand(t *testing.T) {
	meters := func(e *env) {
		e.meter = &meter{e: e, after: 20 * time.Millisecond, often: 10 * time.Millisecond, between: 30 * time.Millisecond}
	}
	var out lockedBuffer
	e := &env{in: strings.NewReader(""), out: io.Discard, err: newConsole(&out, time.Now), getenv: os.Getenv, now: time.Now}
	meters(e)
	work := func(args ...string) {
		t.Helper()
		e.in = &slow{lines: 20, pause: 10 * time.Millisecond}
		e.err.(*console).max = levelInfo
		run(t.Context(), e, append([]string{"validate", "-"}, args...))
	}
	work()
	if s := out.String(); !strings.Contains(s, "membench validate: 0.0 of 0.0 MB read") {
		t.Errorf("no line of progress:\n%s", s)
	}
	out.Reset()
	work("-q")
	if s := out.String(); strings.Contains(s, "MB read") {
		t.Errorf("--quiet shows progress:\n%s", s)
	}

	// A terminal: the bar is written over, and is gone before a line and at the end.
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	e.screen = w
	e.err = newConsole(clearing{visible.NewWriter(w), e}, time.Now)
	var seen bytes.Buffer
	read := make(chan struct{})
	go func() { defer close(read); io.Copy(&seen, r) }()
	work()
	w.Close()
	<-read
	s := seen.String()
	if !strings.Contains(s, "\rmembench validate [####################] 0.0 of 0.0 MB read (100 %)") {
		t.Errorf("no bar:\n%q", s)
	}
	last := s[strings.LastIndex(s, "MB read"):]
	if !strings.Contains(last, "\r") {
		t.Errorf("the bar stays at the end: %q", last)
	}
}

type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}

func (b *lockedBuffer) Reset() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.b.Reset()
}
