package cli

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	evalrun "membench/eval/run"
	"membench/internal/textnorm"
	"membench/schema"
	"membench/schema/jsonl"
)

// Progress is shown only for steps of two seconds or more: on a terminal as a bar that is redrawn, otherwise as a line every ten seconds.
const (
	barAfter  = 2 * time.Second
	barEvery  = 500 * time.Millisecond
	lineEvery = 10 * time.Second
)

// A state is how far a step is.
type state struct {
	done, of int64 // of 0: unknown
	before   int64 // of these, done by an earlier start, so excluded from the rate
	unit     string
	bytes    bool   // done, of and before are bytes: they are shown as MB before the unit
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
	part   work // of the step, since it began its last unit
	wide   int  // of the bar that is on the terminal
	end    func()
}

func newMeter(e *env) *meter {
	return &meter{e: e, after: barAfter, often: barEvery, between: lineEvery}
}

// begin starts a step of the command: its rate and time left are its own. It returns the
// name of the step before.
func (m *meter) begin(name string, source func() state) (before string) {
	if m == nil {
		return ""
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.part = work{began: time.Now()}
	m.part.before, m.part.beforeAll = jsonl.Read()
	if source == nil {
		source = m.part.read
	}
	before = m.name
	m.name, m.source, m.began = name, source, m.part.began
	return before
}

// work is a step's progress on its input.
type work struct {
	unit              string // "": it only reads
	began             time.Time
	done, taken       int64
	before, beforeAll int64 // jsonl.Read when the step began
}

// read is how much of the step's input is read.
func (w *work) read() state {
	done, all := jsonl.Read()
	return state{done: done - w.before, of: all - w.beforeAll, unit: "read", bytes: true}
}

// left is how much of the work is done. As long as not all of the input is read, there is as
// much more of it as there is more input.
func (w *work) left() state {
	of := w.taken
	if r := w.read(); 0 < r.done && r.done < r.of {
		of = int64(float64(of) * float64(r.of) / float64(r.done))
	}
	return state{done: w.done, of: of, unit: w.unit}
}

// work reports how many of the units taken so far a step has done. A new unit starts a new part of the step, with a rate and a time left of its own.
func (m *meter) work(unit string, done, taken int) {
	if m == nil {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	w := &m.part
	if unit != w.unit {
		w.unit, w.began, m.source = unit, time.Now(), w.left
	}
	w.done, w.taken = int64(done), int64(taken)
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
	name, s, early := m.name, m.source(), time.Since(m.began) < m.after
	line := s.line(time.Since(m.part.began))
	m.mu.Unlock()
	if early {
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

// clear removes the bar, so that a line can be printed in its place.
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

// line returns "1,200 of 15,410 questions (8 %), 310/s, about 46s left", or the time so far if nothing else is known.
func (s state) line(passed time.Duration) string {
	busy := fmt.Sprintf("working on it for %v", passed.Round(time.Second))
	if s.done == 0 && s.of == 0 && s.more == "" {
		return busy
	}
	scale, form, unit := 1.0, "%.0f", s.unit
	per := "/s"
	if s.bytes {
		scale, form, unit, per = 1e6, "%.1f", strings.TrimSpace("MB "+s.unit), " MB/s"
	}
	line := fmt.Sprintf(form, float64(s.done)/scale)
	if s.of > 0 {
		line += fmt.Sprintf(" of "+form, float64(s.of)/scale)
	}
	line += " " + unit
	if s.of > 0 {
		line += fmt.Sprintf(" (%.0f %%)", 100*float64(s.done)/float64(s.of))
	}
	if now := s.done - s.before; now > 0 && passed > 0 {
		rate := float64(now) / passed.Seconds()
		if shown := rate / scale; shown >= 10 {
			line += fmt.Sprintf(", %.0f%s", shown, per)
		} else {
			line += fmt.Sprintf(", %.1f%s", shown, per)
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
		line += ", " + busy
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
