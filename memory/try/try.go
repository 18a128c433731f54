// Package try checks a memory system against the essentials of the memory contract outside of a Go test: for a new program or service. The
// whole suite, for systems in Go, is memory/memorytest.
package try

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"membench/internal/textnorm"
	"membench/internal/tokens"
	"membench/memory"
	"membench/schema"
)

const conv = "membench-try"

// sessions is the dialogue: two sessions a month apart, two speakers, two languages,
// and text that careless code breaks.
var sessions = []memory.Batch{
	{Session: "try-s1", UserID: "Ann", AgentID: "Ben", Turns: []schema.Turn{
		turn(1, memory.RoleUser, "2023-05-08T13:56:00Z", "I adopted a dog called Biscuit."),
		turn(2, memory.RoleAssistant, "2023-05-08T13:57:00Z", "The vet on Rose Street is the best one in town."),
		turn(3, memory.RoleUser, "2023-05-08T13:58:00Z", "我最喜欢的饮料是普洱茶。"),
	}},
	{Session: "try-s2", UserID: "Ann", AgentID: "Ben", Turns: []schema.Turn{
		turn(4, memory.RoleUser, "2023-06-12T09:30:00Z", `My password hint is "a\b" ${ns} {"x": [1]} & 100%.`),
		turn(5, memory.RoleAssistant, "2023-06-12T09:31:00Z", "我下周去杭州出差。"),
	}},
}

func turn(n int, role, time, text string) schema.Turn {
	name := map[string]string{memory.RoleUser: "Ann", memory.RoleAssistant: "Ben"}[role]
	return schema.Turn{Role: role, Name: name, Time: time, Text: text, Sources: []schema.EventRef{{ConvID: conv, TurnID: n}}}
}

// An ask is a question about the dialogue; it wants a hit or an answer with one of the words.
type ask struct {
	text  string
	words []string
	turn  int
}

func (a ask) says(text string) bool {
	return slices.ContainsFunc(a.words, func(w string) bool { return strings.Contains(text, w) })
}

var asks = []ask{
	{"What is the name of the dog that Ann adopted?", []string{"Biscuit"}, 1},
	{"Ann最喜欢的饮料是什么?", []string{"普洱", "Pu'er", "Pu-erh", "Puer"}, 3},
	{"杭州出差", []string{"杭州", "Hangzhou"}, 5},
}

// An Inspector is a system with additional checks of its own.
type Inspector interface {
	// Ready looks before a memory is opened.
	Ready(ctx context.Context, tell func(schema.Check)) error
	// Inspect compares the stored items with the dialogue; seen is the text of the questions' hits.
	Inspect(ctx context.Context, m memory.Memory, said []memory.Batch, seen string, tell func(schema.Check)) error
	// Left looks at a memory that was dropped.
	Left(ctx context.Context, m memory.Memory, tell func(schema.Check)) error
}

// System stores five turns in a namespace of its own, asks questions, and reports violations of the contract. Checks are reported as they end. The error is
// only ctx's: a failure of the system is a check.
func System(ctx context.Context, s memory.System, run string, tell func(schema.Check)) error {
	t := &trial{broad: map[string]bool{}, sys: s, caps: memory.CapabilitiesOf(s), ns: memory.Namespace{Run: run, Scope: conv}, tell: tell}
	if err := t.all(ctx); err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		var f interface{ Check() schema.Check }
		if errors.As(err, &f) {
			tell(f.Check())
			return nil
		}
		t.say(schema.CheckFail, t.step, "the other checks need this one", "%v", err)
	}
	return nil
}

type trial struct {
	sys  memory.System
	caps memory.Capabilities
	ns   memory.Namespace
	tell func(schema.Check)
	step string
	seen strings.Builder // what hits say

	beyond    int             // most hits of one question beyond k
	strangers int             // hits that name only turns that were not sent
	narrow    int             // hits that name some turns and not others
	broad     map[string]bool // texts of hits that name every turn
}

func (t *trial) say(state, name, fix, f string, a ...any) {
	if state == schema.CheckOK || state == schema.CheckNA {
		fix = ""
	}
	t.tell(schema.Check{Name: name, State: state, Detail: fmt.Sprintf(f, a...), Fix: fix})
}

func (t *trial) all(ctx context.Context) error {
	own, inspects := memory.As[Inspector](t.sys)
	if inspects {
		t.step = "ready"
		if err := own.Ready(ctx, t.tell); err != nil {
			return err
		}
	}
	t.step = "open"
	m, err := t.sys.Open(ctx, t.ns)
	if err != nil {
		return err
	}
	defer m.Close()
	info := t.sys.Info()
	if info.Name == "" || info.Fingerprint == "" {
		t.say(schema.CheckFail, "info", "give Info a name and a fingerprint that changes with the options: it distinguishes runs", "name %q, fingerprint %q", info.Name, info.Fingerprint)
	} else {
		t.say(schema.CheckOK, "info", "", "%s %s, fingerprint %s", info.Name, info.Version, info.Fingerprint)
	}
	look := t.look
	if inspects {
		look = func(ctx context.Context, m memory.Memory) error {
			return own.Inspect(ctx, m, sessions, t.seen.String(), t.tell)
		}
	}
	for _, check := range []struct {
		step string
		run  func(context.Context, memory.Memory) error
	}{{"ingest", t.ingest}, {"ask", t.ask}, {"repeat", t.again}, {"look", look}, {"isolation", t.wall}, {"drop", t.drop}, {"reset", t.reset}} {
		t.step = check.step
		if err := check.run(ctx, m); err != nil {
			return err
		}
	}
	return nil
}

func (t *trial) ingest(ctx context.Context, m memory.Memory) error {
	n := 0
	for _, b := range sessions {
		r, err := m.Ingest(ctx, b)
		if err != nil {
			return err
		}
		for _, d := range r.Degraded {
			t.say(schema.CheckWarn, "ingest", "check the model that the system uses", "%s", d)
		}
		if _, err := memory.Finish(ctx, m, b.Session); err != nil {
			return fmt.Errorf("end of session %s: %w", b.Session, err)
		}
		n += len(b.Turns)
	}
	t.say(schema.CheckOK, "ingest", "", "%d turns in %d sessions accepted", n, len(sessions))
	return nil
}

func (t *trial) drop(ctx context.Context, m memory.Memory) error {
	d, ok := memory.As[memory.Dropper](m)
	err := errors.ErrUnsupported
	if ok {
		err = d.Drop(ctx)
	}
	own, inspects := memory.As[Inspector](t.sys)
	switch {
	case errors.Is(err, errors.ErrUnsupported):
		t.say(schema.CheckNA, "drop", "", "the system has no drop: stored data is kept")
	case err != nil:
		return err
	case inspects:
		return own.Left(ctx, m, t.tell)
	default:
		t.say(schema.CheckOK, "drop", "", "the namespace was dropped")
	}
	return nil
}

// ask looks whether what was said is found, or answered.
func (t *trial) ask(ctx context.Context, m memory.Memory) error {
	q := memory.Query{Text: asks[0].text, K: 5, UserID: "Ann", AgentID: "Ben"}
	first, err := m.Retrieve(ctx, q)
	switch {
	case errors.Is(err, errors.ErrUnsupported):
		return t.answers(ctx, m, true)
	case err != nil:
		return err
	}
	if t.caps.UsesGold {
		t.say(schema.CheckNA, "retrieval", "", "the system is a bound: it is given the gold evidence")
		return nil
	}
	if t.caps.Unit == "nothing" {
		t.say(schema.CheckNA, "retrieval", "", "the system keeps nothing")
		return nil
	}
	named, best, worst := 0, 0, 0 // hits that name their turns; questions that the first hit, or the last of several, answers
	for _, a := range asks {
		q.Text = a.text
		r, err := m.Retrieve(ctx, q)
		if err != nil {
			return err
		}
		named += t.hits(a.text, q.K, r.Hits)
		t.beyond = max(t.beyond, r.Beyond)
		text := r.Context
		for _, h := range r.Hits {
			text += "\n" + h.Text
		}
		if a.says(text) {
			t.say(schema.CheckOK, "retrieval", "", "%q finds turn %d", a.text, a.turn)
		} else if textnorm.Lang(a.text) == "zh" {
			t.say(schema.CheckWarn, "retrieval", "check what the system stored for the turn, and how it segments Chinese; a system without Chinese can ignore this", "%q: none of %d hits has %s", a.text, len(r.Hits), strings.Join(a.words, " or "))
		} else {
			t.say(schema.CheckFail, "retrieval", "check what the system stored for the turn, and which words of a question it searches for", "%q: none of %d hits has %s", a.text, len(r.Hits), strings.Join(a.words, " or "))
		}
		i := slices.IndexFunc(r.Hits, func(h memory.Hit) bool { return a.says(h.Text) })
		if n := len(r.Hits); i == 0 {
			best++
		} else if i == n-1 && n > 2 && r.Hits[0].Score > r.Hits[i].Score {
			worst++
		}
		t.source(a, r.Hits)
	}
	if worst > 1 && best == 0 {
		t.say(schema.CheckFail, "order", "a better hit has a greater score: negate distances (for a service: use fields.distance, not fields.score)",
			"the hit that answers is the last of the list for %d of %d questions, and the first for none", worst, len(asks))
	}
	t.named(named)
	if t.beyond > 0 {
		t.say(schema.CheckWarn, "k", "return k hits at most: a run uses the first k, and records how many there were", "asked for %d hits, it returns up to %d", q.K, q.K+t.beyond)
	}
	q.Text = asks[0].text
	after, err := m.Retrieve(ctx, q)
	if err != nil {
		return err
	}
	if fmt.Sprint(ids(first)) != fmt.Sprint(ids(after)) {
		t.say(schema.CheckFail, "pure", "retrieval must not change the memory: ask a copy, or keep counters out of the score", "the same question gives %v, later %v", ids(first), ids(after))
	} else {
		t.say(schema.CheckOK, "pure", "", "the same question gives the same hits")
	}
	if _, ok := memory.As[memory.Answerer](m); ok {
		return t.answers(ctx, m, false)
	}
	return nil
}

// hits checks the list of hits for a question, and returns how many name their turns.
func (t *trial) hits(question string, k int, hits []memory.Hit) (named int) {
	for i, h := range hits {
		meta, _ := h.Meta.MarshalJSON() // what a system says beside the text: dates, speakers
		fmt.Fprintf(&t.seen, "%s %s\n", h.Text, meta)
		if slices.ContainsFunc(h.Sources, func(e schema.EventRef) bool { return e.ConvID == conv }) {
			named++
			if everyTurn(h.Sources) {
				t.broad[h.Text] = true
			} else {
				t.narrow++
			}
		} else if len(h.Sources) > 0 {
			t.strangers++
		}
		if i > 0 && h.Score > hits[i-1].Score {
			t.say(schema.CheckFail, "order", "sort hits by score, ties by id", "%q: hit %d has score %v, the hit before it %v", question, i+1, h.Score, hits[i-1].Score)
		}
	}
	if len(hits) > k {
		t.say(schema.CheckFail, "k", "cut the list at k", "%q: asked for %d hits, have %d", question, k, len(hits))
	}
	return named
}

// turns counts what is sent.
func turns() (n int) {
	for _, b := range sessions {
		n += len(b.Turns)
	}
	return n
}

// everyTurn reports whether the list has all turns that were sent.
func everyTurn(list []schema.EventRef) bool {
	for _, b := range sessions {
		for _, turn := range b.Turns {
			if !slices.Contains(list, turn.Sources[0]) {
				return false
			}
		}
	}
	return true
}

// source checks that the first hit that answers a question names the turn that does.
func (t *trial) source(a ask, hits []memory.Hit) {
	i := slices.IndexFunc(hits, func(h memory.Hit) bool { return a.says(h.Text) })
	if i >= 0 && len(hits[i].Sources) > 0 && !slices.Contains(hits[i].Sources, schema.EventRef{ConvID: conv, TurnID: a.turn}) {
		t.say(schema.CheckFail, "sources", "report only the turns that a hit was made from (for a service: turns or sources in its spec)", "%q: hit %d names %s, and has the text of %s", a.text, i+1, refs(hits[i].Sources), refs([]schema.EventRef{{ConvID: conv, TurnID: a.turn}}))
	}
}

func (t *trial) named(n int) {
	switch {
	case n == 0 && t.strangers > 0:
		t.say(schema.CheckFail, "sources", "return a turn's id unchanged, with the hit that was made of it", "no hit names a turn that was sent; %d name others", t.strangers)
	case n == 0:
		t.say(schema.CheckWarn, "sources", "report the turns that each hit was made from (the turn's id as received): without them retrieval metrics and explain are not applicable", "no hit names the turn it comes from")
	case t.narrow == 0 && len(t.broad) > 1:
		t.say(schema.CheckFail, "sources", "report only the turns that a hit was made from (for a service: turns or sources in its spec)", "every hit names all %d turns that were sent, whatever its text: retrieval metrics would always be full marks", turns())
	case t.narrow == 0:
		t.say(schema.CheckWarn, "sources", "search for what is asked, and return a hit for each memory", "the only hit of every question names all %d turns that were sent: it returns its whole memory, so retrieval metrics would always be full marks", turns())
	default:
		t.say(schema.CheckOK, "sources", "", "hits name turns that were sent, and not all of them")
	}
}

func ids(r memory.Retrieved) []schema.PointID {
	var out []schema.PointID
	for _, h := range r.Hits {
		out = append(out, h.ID)
	}
	return out
}

// answers asks for answers. alone: the system cannot be asked for hits, so those that come with answers are checked.
func (t *trial) answers(ctx context.Context, m memory.Memory, alone bool) error {
	a, ok := memory.As[memory.Answerer](m)
	if !ok {
		t.say(schema.CheckFail, "answer", "implement Retrieve or Answer", "the system neither retrieves nor answers")
		return nil
	}
	hits, named := 0, 0
	for _, q := range asks {
		r, text, err := a.Answer(ctx, memory.Query{Text: q.text, K: 5, UserID: "Ann", AgentID: "Ben"})
		if err != nil {
			return err
		}
		fmt.Fprintln(&t.seen, text)
		state, fix := schema.CheckOK, ""
		if !q.says(text) {
			state, fix = schema.CheckWarn, "an answer by rule or a small model may be right in other words: check it"
		}
		t.say(state, "answer", fix, "%q: %q", q.text, text)
		if alone {
			hits += len(r.Hits)
			named += t.hits(q.text, len(r.Hits), r.Hits)
			t.source(q, r.Hits)
		}
	}
	switch {
	case !alone:
	case hits == 0:
		t.say(schema.CheckNA, "retrieval", "", "the system answers by itself and returns no hits: retrieval metrics are not applicable")
	default:
		t.say(schema.CheckNA, "retrieval", "", "the system answers by itself, with %d hits for %d answers; it cannot be asked for k hits, so retrieval metrics are not applicable", hits, len(asks))
		t.named(named)
	}
	return nil
}

// again sends a batch a second time, as a run does that was killed.
func (t *trial) again(ctx context.Context, m memory.Memory) error {
	before, can, err := contents(ctx, m)
	if err != nil {
		return err
	}
	r, err := m.Ingest(ctx, sessions[0])
	if err != nil {
		return err
	}
	after, _, err := contents(ctx, m)
	if err != nil {
		return err
	}
	switch {
	case r.Skipped && (!can || len(before) == len(after)):
		t.say(schema.CheckOK, "repeat", "", "a batch whose key is known is skipped; a program or service is not sent it again, so what it would do with it is not tested")
	case can && len(before) != len(after):
		t.say(schema.CheckFail, "repeat", "recognise a batch by its key and do not store it twice", "the same batch sent twice: %d items became %d", len(before), len(after))
	case !can:
		t.say(schema.CheckWarn, "repeat", "report Skipped for a batch whose key is known", "the same batch sent twice: not skipped; the system lists nothing, so duplicates cannot be detected")
	default:
		t.say(schema.CheckOK, "repeat", "", "a batch that is sent twice is stored once")
	}
	return nil
}

// contents lists what is kept, by whatever ability there is; can says that there is one.
func contents(ctx context.Context, m memory.Memory) (items []memory.Item, can bool, err error) {
	list, can := memory.List(m)
	if !can {
		return nil, false, nil
	}
	for it, err := range list(ctx) {
		if errors.Is(err, errors.ErrUnsupported) {
			return nil, false, nil
		}
		if err != nil {
			return nil, true, err
		}
		items = append(items, it)
	}
	return items, true, nil
}

// look compares what is kept with what was said.
func (t *trial) look(ctx context.Context, m memory.Memory) error {
	items, can, err := contents(ctx, m)
	switch {
	case err != nil:
		return err
	case !can:
		t.say(schema.CheckNA, "counts", "", "the system lists nothing: session metrics and explain's hop store are not applicable")
		return nil
	case t.caps.Unit == "nothing" || t.caps.UsesGold:
		t.say(schema.CheckNA, "counts", "", "the system stores nothing itself")
		return nil
	case len(items) == 0:
		t.say(schema.CheckFail, "counts", "find where the system drops turns", "5 turns were accepted, but nothing is stored")
		return nil
	}
	var texts []string
	different := map[string]bool{}
	for _, it := range items {
		texts = append(texts, it.Text)
		different[it.Text] = true
	}
	whole, lost := unkept(texts)
	switch {
	case len(items) >= 2*len(different):
		t.say(schema.CheckFail, "counts", "store each turn once: copies take the places of other hits", "5 turns sent, %d items kept, of these %d different", len(items), len(different))
	case whole > 0 && len(lost) > 0:
		t.say(schema.CheckWarn, "counts", "find where the system drops turns, unless it chooses what it keeps", "5 turns sent, %d items kept; %d turns are in them word for word, and %s in none", len(items), whole, refs(lost))
	default:
		t.say(schema.CheckOK, "counts", "", "5 turns sent, %d items kept", len(items))
	}
	t.claims(items)
	hard := sessions[1].Turns[0].Text
	if all := strings.Join(texts, "\n"); strings.Contains(all, hard) {
		t.say(schema.CheckOK, "words", "", "quotes, backslashes, ${…} and braces come back as they were sent")
	} else if strings.Contains(all, "password hint") {
		t.say(schema.CheckWarn, "words", "a system that rewrites may change them; one that stores turns must not", "the turn with quotes, backslashes and ${…} does not come back as it was sent")
	}
	return nil
}

// unkept counts the turns that a text has word for word, and lists those of which none has half of the words.
func unkept(texts []string) (whole int, lost []schema.EventRef) {
	for _, b := range sessions {
		for _, turn := range b.Turns {
			words := tokens.Terms(turn.Text)
			has := func(text string) bool {
				kept := tokens.Terms(text)
				n := 0
				for _, w := range words {
					if slices.Contains(kept, w) {
						n++
					}
				}
				return 2*n >= len(words)
			}
			switch {
			case slices.ContainsFunc(texts, func(s string) bool { return strings.Contains(s, turn.Text) }):
				whole++
			case !slices.ContainsFunc(texts, has):
				lost = append(lost, turn.Sources[0])
			}
		}
	}
	return whole, lost
}

// claims compares what the system says of its items with the turns whose text they have. A time more than a year away is that of the run.
func (t *trial) claims(items []memory.Item) {
	const zones, year = 20 * time.Hour, 366 * 24 * time.Hour
	source, at, right := "", "", 0
	for _, it := range items {
		var of []schema.EventRef
		var said []string
		near := false
		has, dated := schema.ParseInstant(it.Time)
		for _, b := range sessions {
			for _, turn := range b.Turns {
				if !strings.Contains(it.Text, turn.Text) {
					continue
				}
				of, said = append(of, turn.Sources[0]), append(said, turn.Time)
				when, _ := schema.ParseInstant(turn.Time)
				off := has.Time().Sub(when.Time()).Abs()
				near = near || off < zones || off > year
			}
		}
		if len(of) == 0 {
			continue
		}
		switch {
		case !dated:
		case near:
			right++
		default:
			at = fmt.Sprintf("the item of %s has the time %s, it was said at %s", refs(of), it.Time, strings.Join(said, ", "))
		}
		if len(it.Sources) > 0 && !slices.ContainsFunc(of, func(e schema.EventRef) bool { return slices.Contains(it.Sources, e) }) {
			source = fmt.Sprintf("the item with the text of %s names %s", refs(of), refs(it.Sources))
		}
	}
	if at != "" && right == 0 { // some times are of what a turn speaks of, or of its last change
		t.say(schema.CheckFail, "times", "keep a turn's time as it was sent", "%s", at)
	}
	if source != "" {
		t.say(schema.CheckFail, "sources", "return a turn's id unchanged, with the item that was made of it", "%s", source)
	}
}

// refs writes sources as a program reports them.
func refs(list []schema.EventRef) string {
	var out []string
	for _, e := range list {
		out = append(out, memory.TurnID(e))
	}
	return strings.Join(out, ", ")
}

// wall asks another namespace.
func (t *trial) wall(ctx context.Context, _ memory.Memory) error {
	return t.knowsNothing(ctx, "isolation", conv+"-2", "keep namespaces apart: run and scope together identify a namespace")
}

// reset asks the same namespace, opened again.
func (t *trial) reset(ctx context.Context, _ memory.Memory) error {
	return t.knowsNothing(ctx, "reset", conv, "Open must drop what an earlier run left in the namespace")
}

// knowsNothing opens a namespace and asks it what only the dialogue says.
func (t *trial) knowsNothing(ctx context.Context, name, scope, fix string) (err error) {
	m, err := t.sys.Open(ctx, memory.Namespace{Run: t.ns.Run, Scope: scope})
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	defer func() { err = errors.Join(err, m.Close()) }()
	q := memory.Query{Text: asks[0].text, K: 5, UserID: "Ann", AgentID: "Ben"}
	text := ""
	r, err := m.Retrieve(ctx, q)
	if errors.Is(err, errors.ErrUnsupported) {
		if a, ok := memory.As[memory.Answerer](m); ok {
			_, text, err = a.Answer(ctx, q)
		}
	}
	if err != nil && !errors.Is(err, errors.ErrUnsupported) {
		return fmt.Errorf("%s: %w", name, err)
	}
	text += r.Context
	for _, h := range r.Hits {
		text += h.Text
	}
	if strings.Contains(text, asks[0].words[0]) {
		t.say(schema.CheckFail, name, fix, "an empty namespace returned a fact of the dialogue (the dog)")
	} else {
		t.say(schema.CheckOK, name, "", "an empty namespace returns nothing of the dialogue")
	}
	if d, ok := memory.As[memory.Dropper](m); ok && scope != conv {
		if err := d.Drop(ctx); err != nil && !errors.Is(err, errors.ErrUnsupported) {
			return err
		}
	}
	return nil
}
