package cli

import (
	"fmt"
	"strings"
	"time"

	evalrun "membench/eval/run"
	"membench/schema"
)

// showProgress says on standard error how far a run is: a line that is written over on
// a terminal, else one every ten seconds. The function that it returns ends it.
func showProgress(e *env, dir string, w *evalrun.Watch, m *models) (stop func()) {
	every, terminal := 10*time.Second, false
	if e.screen != nil {
		every, terminal = time.Second, true
	}
	end, ended := make(chan struct{}), make(chan struct{})
	start := e.now()
	go func() {
		defer close(ended)
		tick := time.NewTicker(every)
		defer tick.Stop()
		wide := 0
		for {
			select {
			case <-end:
				if wide > 0 {
					fmt.Fprintf(e.screen, "\r%*s\r", wide, "")
				}
				return
			case <-tick.C:
			}
			line := progressLine(w.Counts(), e.now().Sub(start), m)
			if line == "" {
				continue
			}
			if terminal {
				fmt.Fprintf(e.screen, "\r%-*s", wide, line)
				wide = max(wide, len(line))
			} else {
				e.warnf("%s: %s", dir, line)
			}
		}
	}()
	return func() { close(end); <-ended }
}

// progressLine is "1,200 of 15,410 questions (8 %), 310/s, 46 s left, 3 failed, USD 0.1200".
func progressLine(counts []evalrun.Count, passed time.Duration, m *models) string {
	all := evalrun.Sum(counts)
	if all.Sessions+all.Questions == 0 {
		return ""
	}
	line := doneLine(all) + rateLine(all.Questions-all.Known, all.Of-all.Questions, passed)
	for _, o := range []string{schema.OutcomeError, schema.OutcomeTimeout, schema.OutcomeRefused} {
		if n := all.Outcomes[o]; n > 0 {
			line += fmt.Sprintf(", %s %d", o, n)
		}
	}
	if m == nil {
		return line
	}
	if waiting := m.Waiting(); waiting != "" {
		line += ", " + waiting
	}
	r := m.Usage()
	money, priced := 0.0, false
	calls := 0
	for _, row := range r.Rows {
		calls += row.Now.Calls
		if row.Cost != nil {
			money, priced = money+row.Cost.Now, true
		}
	}
	if calls > 0 {
		line += fmt.Sprintf(", %d model calls", calls)
	}
	if priced {
		line += fmt.Sprintf(", %s %.4f", r.Currency, money)
	}
	return line
}

func doneLine(c evalrun.Count) string {
	if c.Of == 0 {
		return fmt.Sprintf("%d questions", c.Questions)
	}
	return fmt.Sprintf("%d of %d questions (%.0f %%)", c.Questions, c.Of, 100*float64(c.Questions)/float64(c.Of))
}

// rateLine says how fast it goes and how long it takes; "" where nothing is known yet.
func rateLine(done, left int, passed time.Duration) string {
	if done == 0 || passed <= 0 {
		return ""
	}
	rate := float64(done) / passed.Seconds()
	line := fmt.Sprintf(", %.1f/s", rate)
	if rate >= 10 {
		line = fmt.Sprintf(", %.0f/s", rate)
	}
	if left > 0 {
		line += ", about " + strings.TrimSuffix(time.Duration(float64(left)/rate*float64(time.Second)).Round(time.Second).String(), "m0s") + " left"
	}
	return line
}
