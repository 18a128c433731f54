package pipeline

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"membench/config"
	evalrun "membench/eval/run"
	"membench/internal/atomicfile"
	"membench/internal/codec"
	"membench/internal/smallfile"
	"membench/llm"
)

// startFile says when a run was last started, for the rate that a status shows.
const startFile = "start.json"

// A Start is when a run was last started.
type Start struct {
	At        time.Time     `json:"at"`
	Questions int           `json:"questions"`       // that had an outcome then
	Budget    config.Budget `json:"budget,omitzero"` // of the run; a shard has its part of it
}

// begunAt reads the last start of a run.
func begunAt(dir string) (s Start, err error) {
	err = smallfile.ReadJSON(filepath.Join(dir, "journal", startFile), &s)
	return s, err
}

// noteStart keeps when an unfinished run starts.
func noteStart(dir string, s Start) error {
	if st, err := evalrun.Look(dir); err == nil {
		if st.Finished {
			return nil
		}
		s.Questions = evalrun.Sum(st.Units).Questions
	}
	return atomicfile.WriteOr(filepath.Join(dir, "journal", startFile), nil, func(w io.Writer) error { return codec.WriteFile(w, s) })
}

// States of a run.
const (
	Running  = "running"
	Stopped  = "stopped"
	Finished = "finished"
)

// A RunStatus is how far a run is and what its answers cost when they were first asked for.
type RunStatus struct {
	State    string          `json:"state"` // Running | Stopped | Finished
	Done     int             `json:"done"`
	Of       int             `json:"of,omitzero"` // 0: unknown
	Rate     float64         `json:"per_second,omitzero"`
	Left     float64         `json:"left_seconds,omitzero"`
	Currency string          `json:"currency"`
	Money    *float64        `json:"money"` // null where nothing has a price
	Unpriced []string        `json:"unpriced_models,omitempty"`
	Units    []evalrun.Count `json:"units"`
}

// Status looks at a run that is running, was killed or is finished; now is the time for its
// rate. It fails where no run began in the folder.
func Status(dir string, prices config.PriceTable, now time.Time) (r RunStatus, err error) {
	st, err := evalrun.Look(dir)
	if errors.Is(err, fs.ErrNotExist) {
		if _, err := os.Stat(dir); err != nil {
			return r, err
		}
		return r, fmt.Errorf("%s: no run began here (membench eval run … -o %s)", dir, dir)
	}
	if err != nil {
		return r, err
	}
	all := evalrun.Sum(st.Units)
	r = RunStatus{State: Stopped, Done: all.Questions, Of: all.Of, Units: st.Units, Currency: prices.Currency}
	switch {
	case st.Finished:
		r.State = Finished
	case st.Running:
		r.State = Running
		if began, err := begunAt(dir); err == nil {
			if passed := now.Sub(began.At).Seconds(); passed > 0 && all.Questions > began.Questions {
				r.Rate = float64(all.Questions-began.Questions) / passed
				r.Left = max(0, float64(all.Of-all.Questions)/r.Rate)
			}
		}
	}
	for _, u := range all.Usage {
		p, ok := prices.Prices.Of(u.Model)
		if !ok {
			r.Unpriced = append(r.Unpriced, u.Model)
			continue
		}
		if r.Money == nil {
			r.Money = new(float64)
		}
		*r.Money += p.Cost(llm.Usage{Calls: u.Calls, InputTokens: u.InputTokens, OutputTokens: u.OutputTokens})
	}
	return r, nil
}
