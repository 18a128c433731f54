package service

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"membench/memory"
	"membench/schema"
)

// fixes are the suggested fixes by kind of failure.
var fixes = map[Kind]string{
	KindNetwork:   "start the service, or fix base_url (or the variable it reads)",
	KindTimeout:   "give it a longer timeout in the spec, or look at the service's log",
	KindRate:      "lower limit.concurrent or limit.per_minute in the spec",
	KindServer:    "look at the service's log",
	KindRefused:   "compare the request of the spec with the service's documentation",
	KindKey:       "set the key that the spec's headers name, in the environment or in .env",
	KindMalformed: "compare the paths of the spec with an answer of the service; a member that may be absent ends in ?",
	KindUnsure:    "look at the service's log: the connection broke while it stored",
	KindSettle:    "look at the service's log; give settle a longer timeout if it is merely slow",
	KindLost:      "check the service's log: it accepts turns and does not keep them (its model may answer badly)",
	KindStale:     "use another --run",
	KindPaging:    "fix list.paging of the spec",
	KindSpec:      "fix the spec: give the value a default, or mark it optional with ?",
}

// Check returns the failure as a check: the step that failed and the fix.
func (e *Error) Check() schema.Check {
	return schema.Check{Name: e.Step, State: schema.CheckFail, Detail: fmt.Sprintf("%s: %v", e.Kind, e), Fix: fixes[e.Kind]}
}

// Ready asks the service whether it answers, where the spec has a ping.
func (s *System) Ready(ctx context.Context, tell func(schema.Check)) error {
	err := s.Ping(ctx)
	if err == nil {
		inspector{s, nil, tell}.ok("ping", "%s answers", s.base)
	} else if errors.Is(err, errors.ErrUnsupported) {
		err = nil
	}
	return err
}

// Inspect compares the stored items with the spec's promises about the dialogue said: number of items, words, dates of both sessions, speakers. seen is the
// text of its hits.
func (s *System) Inspect(ctx context.Context, m memory.Memory, said []memory.Batch, seen string, tell func(schema.Check)) error {
	t := inspector{s, said, tell}
	r, _ := memory.As[*remote](m)
	if len(s.spec.Settle) > 0 {
		t.ok("settle", "background work is done")
	}
	if s.spec.List == nil {
		t.na("counts", "the service lists nothing")
	} else {
		items, err := r.list(ctx)
		if err != nil {
			return err
		}
		for _, x := range items {
			meta, _ := x.meta.MarshalJSON() // it was read as JSON
			seen += fmt.Sprintf("\n%s %s %s", x.text, meta, x.created)
		}
		t.count(items, r)
	}
	t.survivors(seen)
	return nil
}

// Left reports what is still listed after a drop; a service may delete later.
func (s *System) Left(ctx context.Context, m memory.Memory, tell func(schema.Check)) error {
	t := inspector{s, nil, tell}
	r, _ := memory.As[*remote](m)
	if s.spec.List == nil {
		t.ok("drop", "accepted; the service lists nothing, so this cannot be checked")
		return nil
	}
	items, _, err := r.page(ctx, "drop: is it empty", r.pageScope(1, 0, ""))
	switch {
	case err == nil && len(items) > 0:
		t.bad(schema.CheckWarn, "drop", "the service may delete later; names are never used again, so runs are not affected", "accepted, but %d items are still listed", len(items))
	case err != nil && KindOf(err) != KindRefused:
		return err
	default:
		t.ok("drop", "nothing is left")
	}
	return nil
}

type inspector struct {
	*System
	said []memory.Batch
	tell func(schema.Check)
}

func (t inspector) ok(name, f string, a ...any) { t.bad(schema.CheckOK, name, "", f, a...) }
func (t inspector) na(name, f string, a ...any) { t.bad(schema.CheckNA, name, "", f, a...) }
func (t inspector) bad(state, name, fix, f string, a ...any) {
	t.tell(schema.Check{Name: name, State: state, Detail: fmt.Sprintf(f, a...), Fix: fix})
}

func (t inspector) count(items []item, r *remote) {
	sent := r.j.sent
	switch n := len(items); {
	case n == 0:
		t.bad(schema.CheckFail, "counts", fixes[KindLost], "%d turns were sent and accepted, but nothing is listed", sent)
	case t.spec.Keeps.Verbatim && n != sent:
		t.bad(schema.CheckFail, "counts", "the spec says keeps.verbatim: find what is missing, or remove keeps.verbatim", "%d turns were sent, %d items are listed", sent, n)
	default:
		if err := r.missing(items); err != nil {
			t.bad(schema.CheckFail, "counts", fixes[KindLost], "%v", err)
			return
		}
		t.ok("counts", "%d turns sent, %d items listed", sent, n)
	}
	if t.spec.Keeps.Verbatim {
		sent := t.said[1].Turns[0].Text
		begin, _, _ := strings.Cut(sent, `"`)
		have := "no item begins with these words"
		for _, x := range items {
			if strings.Contains(x.text, sent) {
				t.ok("words", "quotes, backslashes, ${…} and braces come back as they were sent")
				return
			}
			if strings.Contains(x.text, begin) {
				have = "an item says " + clip(x.text)
			}
		}
		t.bad(schema.CheckFail, "words", "send and read texts as they are; remove keeps.verbatim if the service rewrites texts", "sent: %s; %s", sent, have)
	}
}

func (t inspector) survivors(seen string) {
	may, june := strings.Contains(seen, "2023-05-08") || strings.Contains(seen, "May 2023"), strings.Contains(seen, "2023-06-12") || strings.Contains(seen, "June 2023")
	switch claim := t.spec.Keeps.Dates; {
	case may && june:
		t.ok("dates", "the service returns the dates of both sessions (the spec says: %s)", claim)
	case claim == "none":
		t.bad(schema.CheckWarn, "dates", "this service cannot answer questions about time", "the service returns no dates, as the spec says")
	default:
		t.bad(schema.CheckFail, "dates", "send the time of a turn in the service's own field or in its text, or set keeps.dates: none", "the spec says keeps.dates: %s, but the service returned 2023-05-08: %t, 2023-06-12: %t", claim, may, june)
	}
	switch who := strings.Contains(seen, "Ann") && strings.Contains(seen, "Ben"); {
	case who:
		t.ok("speakers", "the service returns the names of both speakers")
	case t.spec.Keeps.Speakers:
		t.bad(schema.CheckFail, "speakers", "send t.name, in a member or in the text, or set keeps.speakers: false", "the spec says keeps.speakers, but the service does not return both names, Ann and Ben")
	default:
		t.bad(schema.CheckWarn, "speakers", "this service cannot answer questions about who said something", "the service does not return the speakers, as the spec says")
	}
}

// TripTime is how long a round trip may take: every wait of the spec, and an hour.
func (s *Spec) TripTime() time.Duration {
	d := time.Hour
	for _, t := range s.Settle {
		d += time.Duration(t.Timeout)
	}
	return d
}
