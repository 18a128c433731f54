package cli

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	evalrun "membench/eval/run"
	"membench/internal/textnorm"
	"membench/schema"
	"membench/schema/jsonl"
)

// When progress is shown: a step of less than two seconds shows none, a terminal has a
// bar that is written over, everything else a line every ten seconds.
const (
	barAfter  = 2 * time.Second
	barEvery  = 500 * time.Millisecond
	lineEvery = 10 * time.Second
)

// A state is how far a step is.
type state struct {
	done, of int64 // of 0: unknown
	before   int64 // of done: by an earlier start, which says nothing of the rate
	unit     string
	more     string // after it, such as ", 3 failed"
}

// A meter shows how far a command is. Without a better source it counts the bytes read of
// input files. Every command has one, all share this way of showing it.
type meter struct {
	e                     *env
	after, often, between time.Duration

	mu     sync.Mutex
	name   string
	source func() state
	began  time.Time
	wide   int // of the bar that is on the terminal
	end    func()
}

func newMeter(e *env) *meter {
	return &meter{e: e, after: barAfter, often: barEvery, between: lineEvery}
}

// begin starts a step of the command: its rate and time left are its own.
func (m *meter) begin(name string, source func() state) {
	if m == nil {
		return
	}
	done, of := jsonl.Read()
	if source == nil {
		source = func() state {
			d, o := jsonl.Read()
			return state{done: d - done, of: o - of, unit: "MB"}
		}
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.name, m.source, m.began = name, source, time.Now()
}

// batches is the progress of a step that stores batches, which take longer than reading does.
// A call with 0 done begins the count, under the name of the current step.
func (m *meter) batches() func(done, of int) {
	var done, of atomic.Int64
	return func(n, all int) {
		done.Store(int64(n))
		of.Store(int64(all))
		if n == 0 && m != nil {
			m.mu.Lock()
			name := m.name
			m.mu.Unlock()
			m.begin(name, func() state { return state{done: done.Load(), of: of.Load(), unit: "batches"} })
		}
	}
}

// run shows progress until stop.
func (m *meter) run() {
	end, ended := make(chan struct{}), make(chan struct{})
	m.end = func() { close(end); <-ended; m.clear() }
	every := m.between
	if m.e.screen != nil {
		every = m.often
	}
	go func() {
		defer close(ended)
		tick := time.NewTicker(every)
		defer tick.Stop()
		for {
			select {
			case <-end:
				return
			case <-tick.C:
				m.show()
			}
		}
	}()
}

// stop ends it for good: the command is done, or waits for people.
func (m *meter) stop() {
	if m == nil || m.end == nil {
		return
	}
	m.end()
	m.end = nil
}

func (m *meter) show() {
	m.mu.Lock()
	name, s, passed := m.name, m.source(), time.Since(m.began)
	m.mu.Unlock()
	line := s.line(passed)
	if line == "" || passed < m.after {
		return
	}
	if m.e.screen == nil {
		m.e.warnf("%s: %s", name, line)
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	text := name + " " + s.bar() + line
	fmt.Fprint(m.e.screen, "\r"+textnorm.Pad(text, m.wide))
	m.wide = textnorm.Width(text)
}

// clear removes the bar, so that a line can stand in its place.
func (m *meter) clear() {
	if m == nil {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.wide > 0 && m.e.screen != nil {
		fmt.Fprintf(m.e.screen, "\r%*s\r", m.wide, "")
		m.wide = 0
	}
}

// clearing is a stream to the terminal that the bar is on.
type clearing struct {
	w io.Writer
	e *env
}

func (c clearing) Write(p []byte) (int, error) {
	c.e.meter.clear()
	return c.w.Write(p)
}

func (s state) bar() string {
	const width = 20
	if s.of <= 0 {
		return ""
	}
	n := int(min(width, max(0, width*s.done/s.of)))
	return "[" + strings.Repeat("#", n) + strings.Repeat("-", width-n) + "] "
}

// line is "1,200 of 15,410 questions (8 %), 310/s, about 46s left"; "" where nothing is known.
func (s state) line(passed time.Duration) string {
	if s.done == 0 && s.of == 0 && s.more == "" {
		return ""
	}
	scale, form := 1.0, "%.0f"
	if s.unit == "MB" {
		scale, form = 1e6, "%.1f"
	}
	line := fmt.Sprintf(form, float64(s.done)/scale)
	if s.of > 0 {
		line += fmt.Sprintf(" of "+form, float64(s.of)/scale)
	}
	line += " " + s.unit
	if s.unit == "MB" {
		line += " read"
	}
	if s.of > 0 {
		line += fmt.Sprintf(" (%.0f %%)", 100*float64(s.done)/float64(s.of))
	}
	if now := s.done - s.before; now > 0 && passed > 0 {
		rate := float64(now) / passed.Seconds()
		unit := "/s"
		if s.unit == "MB" {
			unit = " MB/s"
		}
		if shown := rate / scale; shown >= 10 {
			line += fmt.Sprintf(", %.0f%s", shown, unit)
		} else {
			line += fmt.Sprintf(", %.1f%s", shown, unit)
		}
		if s.of > s.done {
			left := time.Duration(float64(s.of-s.done) / rate * float64(time.Second)).Round(time.Second).String()
			if strings.HasSuffix(left, "m0s") {
				left = strings.TrimSuffix(left, "0s")
			}
			line += ", about " + left + " left"
		}
	}
	if s.of > 0 && s.done >= s.of && passed > 0 {
		line += fmt.Sprintf(", working on it for %v", passed.Round(time.Second))
	}
	return line + s.more
}

// asking is how far a run is that asks questions.
func asking(w *evalrun.Watch, m *models) func() state {
	return func() state {
		all := evalrun.Sum(w.Counts())
		s := state{done: int64(all.Questions), of: int64(all.Of), before: int64(all.Known), unit: "questions"}
		for _, o := range []string{schema.OutcomeError, schema.OutcomeTimeout, schema.OutcomeRefused} {
			if n := all.Outcomes[o]; n > 0 {
				s.more += fmt.Sprintf(", %s %d", o, n)
			}
		}
		if m == nil {
			return s
		}
		if waiting := m.Waiting(); waiting != "" {
			s.more += ", " + waiting
		}
		r := m.Usage()
		money, priced, calls := 0.0, false, 0
		for _, row := range r.Rows {
			calls += row.Now.Calls
			if row.Cost != nil {
				money, priced = money+row.Cost.Now, true
			}
		}
		if calls > 0 {
			s.more += fmt.Sprintf(", %d model calls", calls)
		}
		if priced {
			s.more += fmt.Sprintf(", %s %.4f", r.Currency, money)
		}
		return s
	}
}
