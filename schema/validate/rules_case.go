package validate

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"membench/internal/codec"
	"membench/internal/csvdoc"
	"membench/internal/textnorm"
	"membench/schema"
)

// caseRecord reports the errors of a case, each at the value that is wrong, and defines its ids. Values that the schema has reported are left to it.
func (w *worker) caseRecord() {
	var c schema.Case
	if codec.Unmarshal(w.doc.B, &c) != nil {
		return // the schema reports it
	}
	tell := func(f *schema.Finding) {
		if at := w.doc.Find(f.Pointer); !f.Warning && !slices.ContainsFunc(w.fs, func(has *schema.Finding) bool { return has.Pointer == f.Pointer }) {
			f.Pos = w.pos(at)
			w.report(*f)
		}
	}
	Misspelt(w.doc.B, c, func(place []string, message, meant string) {
		tell(&schema.Finding{Pointer: schema.Pointer(place...), Code: "DST027", Message: message, Have: place[len(place)-1], Want: meant})
	})
	Case(c, tell)

	set := hashKey(0, []byte(c.Dataset))[0] &^ (1<<32 - 1)
	define := func(ns, ptr byte, i int, id, pointer string, content uint64) {
		if at := w.doc.Find(pointer); at >= 0 && id != "" {
			w.put(fact{op: opDefine, ns: ns, ptr: ptr, idx: int32(i), k: hashKey(ns, []byte(id)), tup: set | content>>32, id: w.text(at)}, at)
		}
	}
	content := textHash(w.doc.B)
	define(nsCase, ptrCase, 0, c.ID, "/case_id", content)
	define(nsCaseConv, ptrConv, 0, string(c.ConvID), "/conv_id", SumOfTurns(c))
	for i, q := range c.Questions {
		define(nsQuestion, ptrCaseQuestion, i, q.ID, pointer(ptrCaseQuestion, int32(i)), content)
	}
}

// SumOfTurns identifies what is said in a case.
func SumOfTurns(c schema.Case) uint64 {
	var texts [][]byte
	for _, s := range c.Sessions {
		for _, t := range s.Turns {
			texts = append(texts, []byte(t.Text))
		}
	}
	return hashKey(0, texts...)[0]
}

// Uncounted returns the first turn, by its indices, whose id is not the number that follows from the turns before it, and that number.
func Uncounted(c schema.Case) (session, turn, want int, found bool) {
	for i, s := range c.Sessions {
		for j, t := range s.Turns {
			if want++; t.TurnID != want {
				return i, j, want, true
			}
		}
	}
	return 0, 0, want, false
}

// Case reports the errors and warnings that a case shows by itself, with pointers into its record and without a place. Faults that only the reader of a source's
// format can see (dirty evidence strings, dates without sessions) are reported by the reader.
func Case(c schema.Case, tell func(*schema.Finding)) {
	k := caseCheck{c: c, tell: tell}
	k.turns()
	k.turnIDs()
	for i := range c.Questions {
		k.question(i)
	}
}

type caseCheck struct {
	c        schema.Case
	tell     func(*schema.Finding)
	sessions map[string]bool
	n        int            // turns
	last     schema.Instant // of the latest session
	texts    map[string]string
}

func (k *caseCheck) fault(place, code, message, have, want string) {
	k.tell(&schema.Finding{Pointer: place, Code: code, Message: message, Have: textnorm.Short(have, 120), Want: want})
}

func (k *caseCheck) warn(place, code, message, have string) {
	k.tell(&schema.Finding{Pointer: place, Code: code, Warning: true, Message: message, Have: textnorm.Short(have, 120)})
}

// instant reads a time. One that cannot be read is unknown: what is cut by it, or dated by it, would be answered from the whole history or not at all.
func (k *caseCheck) instant(place, text, of string) schema.Instant {
	t, ok := schema.ParseInstant(text)
	if !ok && text != "" {
		k.fault(place, "DST009", "a time cannot be read", of+": "+text, "RFC 3339 or its beginning, such as 2026-03-05")
	}
	return t
}

func (k *caseCheck) turns() {
	c := k.c
	k.sessions = map[string]bool{}
	for i, s := range c.Sessions {
		place := "/sessions/" + strconv.Itoa(i)
		if k.sessions[s.ID] {
			k.fault(place+"/session_id", "DST008", "a session id occurs twice in its case", c.ID+" "+s.ID, "")
		}
		k.sessions[s.ID] = true
		if len(s.Turns) == 0 {
			k.warn(place, "DST014", "a session without turns", c.ID+" "+s.ID)
		}
		at := k.instant(place+"/time", s.Time, c.ID+" "+s.ID)
		if at != 0 && at < k.last {
			k.warn(place+"/time", "DST013", "a session is dated before the one that precedes it", fmt.Sprintf("%s %s: %s after %s", c.ID, s.ID, s.Time, k.last))
		}
		k.last = max(k.last, at)
		k.n += len(s.Turns)
		for j, t := range s.Turns {
			k.instant(fmt.Sprintf("%s/turns/%d/time", place, j), t.Time, fmt.Sprintf("%s turn %d", c.ID, t.TurnID))
		}
	}
	if i, j, want, ok := Uncounted(c); ok {
		k.fault(fmt.Sprintf("/sessions/%d/turns/%d/turn_id", i, j), "DST001", TurnsCount, strconv.Itoa(c.Sessions[i].Turns[j].TurnID), strconv.Itoa(want))
	}
}

// TurnsCount is the message of a finding that readers of data sets report too.
const TurnsCount = "turn ids must count from 1 through the case"

const nearName = "this member is not read, and the one that it seems to be is missing"

// turnIDs reports ids that two turns of a case share, and turns without one where others have it: evidence names turns by them. In a set of rounds both turns of
// one share its id.
func (k *caseCheck) turnIDs() {
	first := map[string]string{}
	var without []string
	for i, s := range k.c.Sessions {
		for j, t := range s.Turns {
			at := fmt.Sprintf("%s %s turn %d", k.c.ID, s.ID, j+1)
			if t.SourceID == "" {
				without = append(without, at)
				continue
			}
			if other, twice := first[t.SourceID]; twice && k.c.Unit == schema.UnitTurn {
				k.fault(fmt.Sprintf("/sessions/%d/turns/%d/source_id", i, j), "DST008", "a turn id occurs twice in its case: evidence that names it is ambiguous", t.SourceID+" at "+at, "one; the first is "+other)
				continue
			}
			first[t.SourceID] = at
		}
	}
	if len(first) > 0 && len(without) > 0 {
		k.fault("/sessions", "DST026", fmt.Sprintf("%d turns without an id, which others of the case have", len(without)), strings.Join(without[:min(3, len(without))], ", "), "")
	}
}

func (k *caseCheck) question(i int) {
	c, q := k.c, k.c.Questions[i]
	place := "/questions/" + strconv.Itoa(i)
	for j, id := range q.Covered {
		if !k.sessions[id] {
			k.fault(fmt.Sprintf("%s/covered_sessions/%d", place, j), "DST005", "a question covers a session that its case does not have", q.ID+": "+id, "")
		}
	}
	k.instant(place+"/as_of", q.AsOf, q.ID)
	key := q.Checkpoint + "\x00" + q.Text
	for _, a := range q.Attachments {
		key += "\x00" + a.ID + a.Path
	}
	if other, ok := k.texts[key]; ok {
		k.warn(place+"/question", "DST007", "a question is asked twice in its case", q.ID+" is "+other+": "+q.Text)
	} else {
		if k.texts == nil {
			k.texts = map[string]string{}
		}
		k.texts[key] = q.ID
	}
	switch {
	case strings.TrimSpace(q.Text) == "":
		k.fault(place+"/question", "DST019", "a question without text", q.ID, "")
	case q.Answer == "" && !q.Abstain:
		k.fault(place+"/answer", "DST019", "a question without a gold", q.ID, "")
	case strings.TrimSpace(q.Text) != q.Text || strings.TrimSpace(q.Answer) != q.Answer:
		k.warn(place, "DST018", "white space around a question or its gold", q.ID)
	}
	if !slices.Contains(schema.Categories(), q.Category) {
		k.fault(place+"/category", "DST003", "a category outside the common set", q.ID+" "+q.Category, fmt.Sprint(schema.Categories()))
	}
	if q.Abstain != (q.Category == schema.CatABS) {
		k.fault(place+"/category", "DST028", "category and abstain contradict each other: ABS is the category of the questions that cannot be answered", fmt.Sprintf("%s: category %s, abstain %t", q.ID, q.Category, q.Abstain), "")
	}
	if len(q.Evidence) == 0 && len(q.EvidenceIDs) == 0 && !q.Abstain {
		k.warn(place, "DST006", "a question without gold evidence", q.ID)
	}
	if len(q.Unresolved) > 0 {
		k.warn(place+"/unresolved", "DST005", "evidence that names nothing in the case", q.ID+": "+strings.Join(q.Unresolved, ", "))
	}
	for j, r := range q.Evidence {
		if r.ConvID != c.ConvID || r.TurnID < 1 || r.TurnID > k.n {
			k.fault(fmt.Sprintf("%s/evidence/%d", place, j), "DST005", "evidence outside the case", fmt.Sprintf("%s: %s turn %d", q.ID, r.ConvID, r.TurnID), fmt.Sprintf("turns 1 to %d", k.n))
		}
	}
	last := k.last
	if len(q.Covered) > 0 {
		last = 0
		for _, s := range c.Sessions {
			if slices.Contains(q.Covered, s.ID) {
				at, _ := schema.ParseInstant(s.Time)
				last = max(last, at)
			}
		}
	}
	if _, end, ok := schema.ParsePeriod(q.AsOf); ok && schema.InstantOf(end) <= last {
		k.warn(place+"/as_of", "DST012", "a session is dated after the question; history is not cut", fmt.Sprintf("%s asked %s, last session %s", q.ID, q.AsOf, last))
	}
	if q.Errata != nil {
		k.warn(place, "DST016", "the gold is disputed", fmt.Sprintf("%s: %s by %s: %s", q.ID, q.Errata.Kind, q.Errata.Overlay, q.Errata.Note))
	}
}

// Misspelt reports members of a JSON text that seem to be one that the form, a struct, has and the object lacks, as a reader would not see them: under nearly its
// name, under another usual name of it (sender for speaker), or beside the object that they belong into. All other unknown members are the user's own. Of those that
// differ by their place in a list only, the first is reported, with their number.
func Misspelt(text []byte, form any, tell func(place []string, message, meant string)) {
	var value any
	if json.Unmarshal(text, &value) != nil {
		return
	}
	type found struct {
		place []string
		meant string
		n     int
	}
	var all []*found
	alike := map[string]*found{}
	misspeltIn(reflect.TypeOf(form), value, nil, nil, func(place []string, meant string) {
		key := meant
		for _, p := range place {
			if _, err := strconv.Atoi(p); err != nil {
				key += "/" + p
			}
		}
		if alike[key] == nil {
			alike[key] = &found{place: place, meant: meant}
			all = append(all, alike[key])
		}
		alike[key].n++
	})
	for _, f := range all {
		message := nearName
		if f.n > 1 {
			message += fmt.Sprintf(" (in %d places)", f.n)
		}
		tell(f.place, message, f.meant)
	}
}

// A filled object is one with the members that its form has.
type filled struct {
	form  map[string]reflect.Type
	value map[string]any
	where string // how a name in it is written
}

// lacks lists the members that the form has and the object does not.
func (f filled) lacks() (names []string) {
	for _, name := range slices.Sorted(maps.Keys(f.form)) {
		if f.value[name] == nil {
			names = append(names, name)
		}
	}
	return names
}

func membersOf(form reflect.Type) map[string]reflect.Type {
	if form.Kind() == reflect.Pointer {
		form = form.Elem()
	}
	known := map[string]reflect.Type{}
	for i := 0; form.Kind() == reflect.Struct && i < form.NumField(); i++ {
		f := form.Field(i)
		if name, _, _ := strings.Cut(f.Tag.Get("json"), ","); name != "" && name != "-" {
			known[name] = f.Type
		}
	}
	return known
}

func misspeltIn(form reflect.Type, value any, place []string, parent *filled, tell func(place []string, meant string)) {
	switch value := value.(type) {
	case []any:
		if form.Kind() == reflect.Slice {
			for i, x := range value {
				misspeltIn(form.Elem(), x, append(slices.Clone(place), strconv.Itoa(i)), nil, tell)
			}
		}
	case map[string]any:
		own := filled{membersOf(form), value, "%s"}
		if len(own.form) == 0 {
			return
		}
		around := []filled{own}
		if parent != nil {
			around = append(around, filled{parent.form, parent.value, "%s, beside " + place[len(place)-1]})
		}
		for _, name := range slices.Sorted(maps.Keys(own.form)) {
			if in := membersOf(own.form[name]); len(in) > 0 {
				object, _ := value[name].(map[string]any)
				around = append(around, filled{in, object, "%s, in " + name})
			}
		}
		for _, name := range slices.Sorted(maps.Keys(value)) {
			at := append(slices.Clone(place), name)
			if t, ok := own.form[name]; ok {
				misspeltIn(t, value[name], at, &own, tell)
				continue
			}
			for i, o := range around {
				for _, meant := range o.lacks() {
					if i == 0 && textnorm.Near(name, meant) || says(value[name]) && csvdoc.Means(name, meant) {
						tell(at, fmt.Sprintf(o.where, meant))
					}
				}
			}
		}
	}
}

// says reports whether a value is a text or a number.
func says(value any) bool {
	switch v := value.(type) {
	case string:
		return strings.TrimSpace(v) != ""
	case float64:
		return true
	}
	return false
}
