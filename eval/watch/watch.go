// Package watch follows a run on a local page: its progress, each system's results so far, and the last failures. It reads what the run writes and
// changes nothing.
//
// While answers are being made their figures are by the rule judge; once the run's files
// are there, by the grade that eval explain goes by. Held: a row for each system and data
// set, and the last failures.
package watch

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"maps"
	"os"
	"slices"
	"sync"
	"time"

	"membench/eval/explain"
	"membench/eval/protocol"
	"membench/eval/records"
	"membench/eval/run"
	"membench/internal/codec"
	"membench/internal/textnorm"
	"membench/schema"
)

// Options of a watch.
type Options struct {
	Dir   string // of the run
	Every time.Duration
	Now   func() time.Time
}

// A State is what the page shows.
type State struct {
	Dir      string    `json:"dir"`
	State    string    `json:"state"` // waiting | running | stopped | finished
	Done     int       `json:"done"`  // questions with an outcome
	Of       int       `json:"of,omitzero"`
	Rate     float64   `json:"per_second,omitzero"` // since the page was opened
	Left     float64   `json:"left_seconds,omitzero"`
	Rows     []Row     `json:"rows"`
	Failures []Failure `json:"failures"` // the newest first
	Fault    string    `json:"fault,omitzero"`
}

// A Row is one system on one data set.
type Row struct {
	System   string         `json:"system"`
	Dataset  string         `json:"dataset"`
	Sessions int            `json:"sessions"`
	Done     int            `json:"done"`
	Of       int            `json:"of,omitzero"`
	Outcomes map[string]int `json:"outcomes"`
	Right    int            `json:"right"`  // of Judged
	Judged   int            `json:"judged"` // answers with a verdict
	By       string         `json:"by"`     // whose verdicts
	Lost     map[string]int `json:"lost"`   // failures by hop, once the run is explained
}

// A Failure is an answer that is wrong, or none.
type Failure struct {
	System   string `json:"system"`
	Dataset  string `json:"dataset"`
	ID       string `json:"id"`
	Question string `json:"question"`
	Gold     string `json:"gold"`
	Answer   string `json:"answer"`
	Why      string `json:"why"`
}

// Bounds of a State.
const (
	lastFailures = 30
	textRunes    = 400
)

// A Watcher follows one run for any number of pages.
type Watcher struct {
	o     Options
	judge *protocol.Protocol

	follower *run.Follower
	rows     map[[2]string]*Row
	failures []Failure // oldest first
	graded   string    // the state of the file that rows come from; "": the journals
	began    time.Time
	first    int // questions done when the watch began

	mu      sync.Mutex
	now     []byte        // the state as JSON
	changed chan struct{} // closed with the next one
}

// New makes a watcher; Run keeps it going.
func New(o Options) *Watcher {
	o.Every = cmp.Or(o.Every, time.Second)
	return &Watcher{o: o, judge: protocol.RuleJudge(), follower: run.Follow(o.Dir), rows: map[[2]string]*Row{}, first: -1, now: []byte("{}"), changed: make(chan struct{})}
}

// Run looks again and again until ctx is done.
func (w *Watcher) Run(ctx context.Context) {
	w.began = w.o.Now()
	for {
		before := w.o.Now()
		if err := w.show(w.look(ctx)); err != nil {
			_ = w.show(State{Dir: w.o.Dir, State: "stopped", Fault: err.Error()}) // text of ours
		}
		// A look may be long where much was written: the run comes first.
		pause := max(w.o.Every, 2*w.o.Now().Sub(before))
		select {
		case <-ctx.Done():
			return
		case <-time.After(pause):
		}
	}
}

// show publishes a state that differs from the last.
func (w *Watcher) show(s State) error {
	b, err := codec.Append(nil, s, codec.Compact)
	if err != nil {
		return err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if string(b) != string(w.now) {
		w.now = b
		close(w.changed)
		w.changed = make(chan struct{})
	}
	return nil
}

// state is the last one, and what is closed when there is another.
func (w *Watcher) state() ([]byte, <-chan struct{}) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.now, w.changed
}

func (w *Watcher) look(ctx context.Context) State {
	s := State{Dir: w.o.Dir, State: "stopped", Rows: []Row{}, Failures: []Failure{}}
	st, err := w.follower.Next(w.forget, func(r *schema.QARecord) error { w.add(r); return ctx.Err() })
	switch {
	case errors.Is(err, fs.ErrNotExist):
		s.State = "waiting"
		return s
	case err != nil:
		s.Fault = err.Error()
	case st.Finished:
		s.State = "finished"
		if err := w.files(ctx); err != nil {
			s.Fault = err.Error()
		}
	case st.Running:
		s.State = "running"
	}
	all := run.Sum(st.Units)
	s.Done, s.Of = all.Questions, all.Of
	if w.first < 0 {
		w.first = all.Questions
	}
	if passed := w.o.Now().Sub(w.began).Seconds(); s.State == "running" && passed > 0 && all.Questions > w.first {
		s.Rate = float64(all.Questions-w.first) / passed
		s.Left = max(0, float64(all.Of-all.Questions)/s.Rate)
	}
	s.Rows = w.table(st.Units)
	s.Failures = append(s.Failures, w.failures...)
	slices.Reverse(s.Failures)
	return s
}

// table joins how far the units of a run are with the figures of their answers. A unit has
// the name of its data set in the run, an answer that of its case: where they differ, the
// only unit of a system has all its answers, else figures are in rows of their own.
func (w *Watcher) table(units []run.Count) []Row {
	rows, placed := []Row{}, map[[2]string]bool{}
	of := map[string]int{}
	for _, u := range units {
		of[u.System]++
	}
	keys := slices.SortedFunc(maps.Keys(w.rows), func(a, b [2]string) int { return slices.Compare(a[:], b[:]) })
	for _, u := range units {
		row := Row{System: u.System, Dataset: u.Dataset, Sessions: u.Sessions, Done: u.Questions, Of: u.Of, Outcomes: u.Outcomes, Lost: map[string]int{}}
		for _, k := range keys {
			if k[0] == u.System && (k[1] == u.Dataset || of[u.System] == 1) {
				f := w.rows[k]
				row.Right, row.Judged, row.By, placed[k] = row.Right+f.Right, row.Judged+f.Judged, f.By, true
				schema.Tally(row.Lost, f.Lost)
			}
		}
		rows = append(rows, row)
	}
	for _, k := range keys {
		if !placed[k] {
			rows = append(rows, *w.rows[k])
		}
	}
	return rows
}

// forget drops what was counted.
func (w *Watcher) forget() { w.rows, w.failures, w.graded = map[[2]string]*Row{}, nil, "" }

// files counts the records of a finished run, again where its file is another.
func (w *Watcher) files(ctx context.Context) error {
	qa, _, err := records.Find(w.o.Dir)
	if err != nil || qa == "" {
		return err
	}
	info, err := os.Stat(qa)
	if err != nil {
		return err
	}
	mark := info.Name() + info.ModTime().String()
	if mark == w.graded {
		return nil
	}
	w.forget()
	for r, err := range records.QA(ctx, nil, qa) {
		var f *schema.Finding
		switch {
		case errors.As(err, &f):
			continue
		case err != nil:
			return err
		case ctx.Err() != nil:
			return ctx.Err()
		}
		w.add(&r.V)
	}
	w.graded = mark
	return nil
}

// add counts one answer.
func (w *Watcher) add(r *schema.QARecord) {
	k := [2]string{r.System, r.Dataset}
	row := w.rows[k]
	if row == nil {
		row = &Row{System: r.System, Dataset: r.Dataset, Lost: map[string]int{}}
		w.rows[k] = row
	}
	f := Failure{System: r.System, Dataset: r.Dataset, ID: r.CaseID + " " + r.QuestionID, Question: short(r.Question), Gold: short(r.Gold), Answer: short(r.Answer)}
	if r.Outcome != schema.OutcomeAnswered && r.Outcome != schema.OutcomeEmpty && r.Outcome != "" {
		f.Why = r.Outcome + ": " + short(r.Error)
		w.fail(f)
		return
	}
	g, failed := explain.Options{}.Deciding(r)
	if g == nil {
		made := w.judge.Grade(r)
		if g = &made; g.Score == nil {
			return
		}
		failed = *g.Score < 0.5
	}
	row.Judged, row.By = row.Judged+1, g.Grader()
	if !failed {
		row.Right++
		return
	}
	f.Why = short(g.Reason)
	if a := r.Attribution; a != nil {
		row.Lost[a.Hop]++
		f.Why = a.Hop + ": " + short(a.Reason)
	}
	w.fail(f)
}

func (w *Watcher) fail(f Failure) {
	if w.failures = append(w.failures, f); len(w.failures) > 2*lastFailures {
		w.failures = slices.Clone(w.failures[len(w.failures)-lastFailures:])
	}
}

func short(s string) string { return textnorm.Short(s, textRunes) }
