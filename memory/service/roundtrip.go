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

// trip is the dialogue of a round trip: two sessions a month apart, two speakers, two
// languages, and text that a careless adapter would break.
var trip = []struct {
	session string
	turns   []schema.Turn
}{
	{"membench-s1", []schema.Turn{
		{Role: memory.RoleUser, Name: "Ann", Time: "2023-05-08T13:56:00Z", Text: "I adopted a dog called Biscuit."},
		{Role: memory.RoleAssistant, Name: "Ben", Time: "2023-05-08T13:57:00Z", Text: "The vet on Rose Street is the best one in town."},
		{Role: memory.RoleUser, Name: "Ann", Time: "2023-05-08T13:58:00Z", Text: "我最喜欢的饮料是普洱茶。"},
	}},
	{"membench-s2", []schema.Turn{
		{Role: memory.RoleUser, Name: "Ann", Time: "2023-06-12T09:30:00Z", Text: `My password hint is "a\b" ${ns} {"x": [1]} & 100%.`},
		{Role: memory.RoleAssistant, Name: "Ben", Time: "2023-06-12T09:31:00Z", Text: "我下周去杭州出差。"},
	}},
}

// asks are its questions; each wants a hit with one of the words, made of the turn.
var asks = []struct {
	text  string
	words []string
	turn  int
}{
	{"What is the name of the dog that Ann adopted?", []string{"Biscuit"}, 1},
	{"Ann最喜欢的饮料是什么?", []string{"普洱", "Pu'er", "Pu-erh", "Puer"}, 3},
	{"杭州出差", []string{"杭州", "Hangzhou"}, 5},
}

// RoundTrip tries a live service: it stores a dialogue of five turns in a namespace of
// its own, waits, asks, lists and drops, and says what survived: counts, words, dates,
// speakers, the turns behind a hit, the wall between namespaces. It costs what five
// turns cost. Checks are told to each as they end. The error is ctx's alone: what
// the service does wrong is a check.
func RoundTrip(ctx context.Context, s *System, run string, tell func(schema.Check)) error {
	t := &tripper{System: s, tell: tell}
	m, err := t.fill(ctx, memory.Namespace{Run: run, Scope: "membench-check"})
	if err != nil {
		return t.fault(ctx, err)
	}
	defer m.Close()
	if err := t.look(ctx, m); err != nil {
		return t.fault(ctx, err)
	}
	if err := t.wall(ctx, memory.Namespace{Run: run, Scope: "membench-check-2"}); err != nil {
		return t.fault(ctx, err)
	}
	return t.fault(ctx, t.drop(ctx, m))
}

type tripper struct {
	*System
	tell func(schema.Check)
}

func (t *tripper) ok(name, f string, a ...any) {
	t.tell(schema.Check{Name: name, State: schema.CheckOK, Detail: fmt.Sprintf(f, a...)})
}
func (t *tripper) na(name, f string, a ...any) {
	t.tell(schema.Check{Name: name, State: schema.CheckNA, Detail: fmt.Sprintf(f, a...)})
}
func (t *tripper) bad(state, name, fix, f string, a ...any) {
	t.tell(schema.Check{Name: name, State: state, Detail: fmt.Sprintf(f, a...), Fix: fix})
}

// fixes say what to do about a kind of failure.
var fixes = map[Kind]string{
	KindNetwork:   "start the service, or fix base_url (or the variable it reads)",
	KindTimeout:   "give it a longer timeout in the spec, or look at the service's log",
	KindRate:      "lower limit.concurrent or limit.per_minute in the spec",
	KindServer:    "look at the service's log",
	KindRefused:   "compare the request of the spec with the service's documentation",
	KindKey:       "set the key that the spec's headers name, in the environment or in .env",
	KindMalformed: "compare the paths of the spec with an answer of the service",
	KindUnsure:    "look at the service's log: the connection broke while it stored",
	KindSettle:    "look at the service's log; give settle a longer timeout if it is merely slow",
	KindLost:      "look at the service's log: it takes what it does not keep (its model may answer badly)",
	KindStale:     "use another --run",
	KindPaging:    "fix list.paging of the spec",
	KindSpec:      "fix the spec: give the value a default, or mark it optional with ?",
}

// fault tells of a failure of the service; only the end of ctx is an error.
func (t *tripper) fault(ctx context.Context, err error) error {
	if err == nil || ctx.Err() != nil {
		return ctx.Err()
	}
	var e *Error
	if !errors.As(err, &e) {
		t.bad(schema.CheckFail, "round trip", "", "%v", err)
		return nil
	}
	t.bad(schema.CheckFail, e.Step, fixes[e.Kind], "%s: %v", e.Kind, e)
	return nil
}

func (t *tripper) fill(ctx context.Context, ns memory.Namespace) (memory.Memory, error) {
	if err := t.Ping(ctx); err == nil {
		t.ok("ping", "%s answers", t.base)
	} else if !errors.Is(err, errors.ErrUnsupported) {
		return nil, err
	}
	m, err := t.Open(ctx, ns)
	if err != nil {
		return nil, err
	}
	r, _ := remoteOf(m)
	t.ok("open", "namespace %s is new and empty", r.j.opened.Name)
	n := 0
	for _, s := range trip {
		var b memory.Batch
		b.Session, b.UserID, b.AgentID = s.session, "Ann", "Ben"
		for _, turn := range s.turns {
			n++
			turn.Sources = []schema.EventRef{{ConvID: "membench-check", TurnID: n}}
			b.Turns = append(b.Turns, turn)
		}
		rc, err := m.Ingest(ctx, b)
		if err != nil {
			return nil, errors.Join(err, m.Close())
		}
		for _, d := range rc.Degraded {
			t.bad(schema.CheckWarn, "ingest", "", "%s", d)
		}
	}
	t.ok("ingest", "%d turns in %d sessions taken", n, len(trip))
	if _, err := r.Settle(ctx); err != nil {
		return nil, errors.Join(err, m.Close())
	}
	if len(t.spec.Settle) > 0 {
		t.ok("settle", "background work is done")
	}
	return m, nil
}

func remoteOf(m memory.Memory) (*remote, bool) { return memory.As[*remote](m) }

// look holds what comes back against what was sent.
func (t *tripper) look(ctx context.Context, m memory.Memory) error {
	r, _ := remoteOf(m)
	var seen []string // all that comes back, as text
	if t.spec.List != nil {
		items, err := r.list(ctx)
		if err != nil {
			return err
		}
		for _, x := range items {
			seen = append(seen, whole(x.text, x.meta)+" "+x.created)
		}
		t.count(items, r)
	} else {
		t.na("counts", "the service lists nothing")
	}
	for _, q := range asks {
		hits, err := found(ctx, m, q.text)
		if err != nil {
			return err
		}
		for _, h := range hits {
			seen = append(seen, whole(h.Text, h.Meta))
		}
		t.answer(q.text, q.words, q.turn, hits)
	}
	t.survivors(strings.Join(seen, "\n"))
	return nil
}

// found is what a question finds; an answer of a service that answers itself counts as a hit.
func found(ctx context.Context, m memory.Memory, question string) ([]memory.Hit, error) {
	q := memory.Query{Text: question, K: 5}
	if a, ok := memory.As[memory.Answerer](m); ok {
		_, said, err := a.Answer(ctx, q)
		return []memory.Hit{{ID: "answer", Text: said, Score: 1}}, err
	}
	got, err := m.Retrieve(ctx, q)
	return got.Hits, err
}

func whole(text string, meta schema.Object) string {
	b, err := meta.MarshalJSON()
	if err != nil {
		return text
	}
	return text + " " + string(b)
}

func (t *tripper) count(items []item, r *remote) {
	sent := r.j.sent
	switch n := len(items); {
	case n == 0:
		t.bad(schema.CheckFail, "counts", fixes[KindLost], "%d turns were sent and taken, and nothing is listed", sent)
	case t.spec.Keeps.Verbatim && n != sent:
		t.bad(schema.CheckFail, "counts", "the spec says keeps.verbatim: look for what is missing, or remove keeps.verbatim", "%d turns were sent, %d items are listed", sent, n)
	default:
		if err := r.missing(items); err != nil {
			t.bad(schema.CheckFail, "counts", fixes[KindLost], "%v", err)
			return
		}
		t.ok("counts", "%d turns sent, %d items listed", sent, n)
	}
	if t.spec.Keeps.Verbatim {
		for _, x := range items {
			if strings.Contains(x.text, trip[1].turns[0].Text) {
				t.ok("words", "quotes, backslashes, ${…} and braces come back as they were sent")
				return
			}
		}
		t.bad(schema.CheckFail, "words", "compare the item in the service with the dialogue", "the text with quotes, backslashes and ${…} does not come back as it was sent")
	}
}

func (t *tripper) answer(q string, words []string, turn int, hits []memory.Hit) {
	for i, h := range hits {
		for _, w := range words {
			if !strings.Contains(h.Text, w) {
				continue
			}
			switch {
			case len(h.Sources) == 0:
				t.bad(schema.CheckWarn, "search", "retrieval metrics over gold turns are n/a; fields.turns, fields.sources or ingest.stored may name the turns", "%q: hit %d of %d has %q; its turns are not known", q, i+1, len(hits), w)
			case !containsTurn(h.Sources, turn):
				t.bad(schema.CheckFail, "search", "the spec's turns or sources name the wrong turns", "%q: hit %d has %q, from %v, not from turn %d", q, i+1, w, h.Sources, turn)
			default:
				t.ok("search", "%q: hit %d of %d has %q and names its turn", q, i+1, len(hits), w)
			}
			return
		}
	}
	t.bad(schema.CheckFail, "search", "search by hand in the service: is the fact there, is the language supported?", "%q: none of %d hits has %q", q, len(hits), words[0])
}

func containsTurn(refs []schema.EventRef, n int) bool {
	for _, r := range refs {
		if r.TurnID == n {
			return true
		}
	}
	return false
}

func (t *tripper) survivors(seen string) {
	may, june := strings.Contains(seen, "2023-05-08") || strings.Contains(seen, "May 2023"), strings.Contains(seen, "2023-06-12") || strings.Contains(seen, "June 2023")
	switch claim := t.spec.Keeps.Dates; {
	case may && june:
		t.ok("dates", "the dates of both sessions come back (the spec says: %s)", claim)
	case claim == "none":
		t.bad(schema.CheckWarn, "dates", "questions about time have no basis with this service", "no date comes back, as the spec says")
	default:
		t.bad(schema.CheckFail, "dates", "send the time of a turn where the service takes it, or in its text; or say keeps.dates: none", "the spec says keeps.dates: %s, and of 2023-05-08 and 2023-06-12 there comes back: %t, %t", claim, may, june)
	}
	switch who := strings.Contains(seen, "Ann") && strings.Contains(seen, "Ben"); {
	case who:
		t.ok("speakers", "both speakers are named in what comes back")
	case t.spec.Keeps.Speakers:
		t.bad(schema.CheckFail, "speakers", "send t.name, in a member or in the text; or say keeps.speakers: false", "the spec says keeps.speakers, and Ann and Ben are not both named in what comes back")
	default:
		t.bad(schema.CheckWarn, "speakers", "questions about who said something have no basis with this service", "the speakers are not named, as the spec says")
	}
}

// wall looks whether another namespace sees the first.
func (t *tripper) wall(ctx context.Context, ns memory.Namespace) error {
	m, err := t.Open(ctx, ns)
	if err != nil {
		return err
	}
	defer m.Close()
	hits, err := found(ctx, m, asks[0].text)
	if err != nil {
		return err
	}
	for _, h := range hits {
		if strings.Contains(h.Text, asks[0].words[0]) {
			t.bad(schema.CheckFail, "isolation", "namespaces are not kept apart: fix the spec's search, or the service", "another namespace answers %q", h.Text)
			return nil
		}
	}
	t.ok("isolation", "another namespace sees nothing of it")
	if d, ok := memory.As[memory.Dropper](m); ok {
		return d.Drop(ctx)
	}
	return nil
}

func (t *tripper) drop(ctx context.Context, m memory.Memory) error {
	d, ok := memory.As[memory.Dropper](m)
	if !ok {
		t.na("drop", "the service deletes nothing: what was stored stays")
		return nil
	}
	if err := d.Drop(ctx); err != nil {
		return err
	}
	r, _ := remoteOf(m)
	if t.spec.List == nil {
		t.ok("drop", "taken; the service lists nothing, so it cannot be looked at")
		return nil
	}
	items, _, err := r.page(ctx, "drop: is it empty", r.pageScope(1, 0, ""))
	switch {
	case err == nil && len(items) > 0:
		t.bad(schema.CheckWarn, "drop", "the service may delete later; names are never used again, so runs are not affected", "taken, and %d items are still listed", len(items))
	case err != nil && KindOf(err) != KindRefused:
		return err
	default:
		t.ok("drop", "nothing is left")
	}
	return nil
}

// TripTime is how long a round trip may take: every wait of the spec, and an hour.
func (s *Spec) TripTime() time.Duration {
	d := time.Hour
	for _, t := range s.Settle {
		d += time.Duration(t.Timeout)
	}
	return d
}
