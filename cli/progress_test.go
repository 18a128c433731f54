package cli

import (
	"bytes"
	"io"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"membench/internal/visible"
)

func TestProgressLine(t *testing.T) {
	for _, tc := range []struct {
		s      state
		passed time.Duration
		want   string
	}{
		{state{unit: "MB"}, time.Minute, ""},
		{state{done: 20e6, of: 80e6, unit: "MB"}, 10 * time.Second, "20.0 of 80.0 MB read (25 %), 2.0 MB/s, about 30s left"},
		{state{done: 80e6, of: 80e6, unit: "MB"}, 20 * time.Second, "80.0 of 80.0 MB read (100 %), 4.0 MB/s, working on it for 20s"},
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

// Storing begins after reading has ended: its own batches are what is left.
func TestProgressOfBatches(t *testing.T) {
	m := &meter{}
	m.begin("replay ingest", nil)
	stored := m.batches()
	for _, n := range []int{0, 1, 2} {
		stored(n, 8)
	}
	if have, want := m.source(), (state{done: 2, of: 8, unit: "batches"}); have != want || m.name != "replay ingest" {
		t.Errorf("have %+v of %q, want %+v", have, m.name, want)
	}
	m.begin("replay export", nil)
	if have := m.source(); have.unit != "MB" {
		t.Errorf("the next step shows %+v", have)
	}
	(*meter)(nil).batches()(0, 8) // a command without a meter
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
