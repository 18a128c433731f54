package run

import (
	"maps"
	"sync"

	"membench/schema"
)

// A Watch counts the progress of a run for readers in other goroutines. The nil Watch counts nothing.
type Watch struct {
	mu    sync.Mutex
	units []*tally
}

// A Count is the progress of one system on one data set.
type Count struct {
	System    string             `json:"system"`
	Dataset   string             `json:"dataset"`
	Sessions  int                `json:"sessions"`          // ingested
	Questions int                `json:"questions"`         // with an outcome
	Known     int                `json:"known,omitzero"`    // of these, made by earlier starts
	Of        int                `json:"of,omitzero"`       // questions times repeats; 0: unknown
	Outcomes  map[string]int     `json:"outcomes"`          // of the questions
	Degraded  int                `json:"degraded,omitzero"` // operations of the system that went a plainer way than asked
	Failed    map[string]int     `json:"failed,omitempty"`  // of them, those that a model failed, by operation and outcome
	Usage     []schema.StepUsage `json:"usage,omitempty"`
}

// tally is a Count that grows. Usage covers this start only: earlier usage is in the records.
type tally struct {
	mu sync.Mutex
	Count
}

func (w *Watch) unit(u *unit, j *journal) *tally {
	t := &tally{Count: Count{System: u.name, Dataset: u.set.Name, Sessions: j.sessions, Questions: j.questions, Known: j.questions, Of: u.set.Size.Questions * u.repeats, Outcomes: map[string]int{}}}
	maps.Copy(t.Outcomes, j.outcomes)
	if w != nil {
		w.mu.Lock()
		w.units = append(w.units, t)
		w.mu.Unlock()
	}
	return t
}

func (t *tally) session(r *schema.SessionRecord) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.Sessions++
	t.use(r.Usage)
}

func (t *tally) question(r *schema.QARecord) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.Questions++
	t.Outcomes[r.Outcome]++
	t.use(r.Usage)
}

func (t *tally) use(list []schema.StepUsage) { t.Usage = addUsage(t.Usage, list) }

func addUsage(all, more []schema.StepUsage) []schema.StepUsage {
next:
	for _, u := range more {
		for i := range all {
			if a := &all[i]; a.Step == u.Step && a.Model == u.Model {
				a.Calls += u.Calls
				a.InputTokens += u.InputTokens
				a.OutputTokens += u.OutputTokens
				continue next
			}
		}
		all = append(all, u)
	}
	return all
}

// finished fills the watch in for a run that was over before it began.
func (w *Watch) finished(res Result) {
	if w == nil {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.units = nil
	for _, c := range res.Units {
		c.Known = c.Questions
		w.units = append(w.units, &tally{Count: c})
	}
}

// Counts is the progress of every unit.
func (w *Watch) Counts() []Count {
	if w == nil {
		return nil
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	var out []Count
	for _, t := range w.units {
		t.mu.Lock()
		c := t.Count
		c.Outcomes = map[string]int{}
		maps.Copy(c.Outcomes, t.Outcomes)
		c.Usage = append([]schema.StepUsage(nil), t.Usage...)
		t.mu.Unlock()
		out = append(out, c)
	}
	return out
}

// Sum adds units up.
func Sum(units []Count) Count {
	all := Count{Outcomes: map[string]int{}}
	for _, c := range units {
		all.Sessions, all.Questions, all.Known, all.Of = all.Sessions+c.Sessions, all.Questions+c.Questions, all.Known+c.Known, all.Of+c.Of
		schema.Tally(all.Outcomes, c.Outcomes)
		all.Usage = append(all.Usage, c.Usage...)
	}
	return all
}
