// Package realtalk reads REALTALK: chats of two real people over three weeks, in
// sessions, with questions whose evidence names turns, and a list of what each speaker's
// session says happened.
//
// A turn's id (D<n>:<m>) does not say which session holds the turn: the authors split
// sessions after they numbered the turns, and removed some. Evidence is therefore found by
// the ids that the turns carry. Several messages in a row by one person are common and
// stay turns of their own.
package realtalk

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"membench/datasets"
	"membench/internal/codec"
	"membench/internal/pattern"
	"membench/schema"
	"membench/schema/jsonl"
)

// Dataset is REALTALK.
func Dataset() datasets.Dataset {
	info, _ := datasets.Lookup("realtalk")
	return datasets.Dataset{Info: info, Match: match, Cases: Cases}
}

func match(name string) bool {
	ok, _ := path.Match("Chat_*.json", path.Base(name))
	return ok
}

// categories as the paper names them: 1 several hops, 2 time, 3 commonsense.
var categories = map[string]string{"1": schema.CatMR, "2": schema.CatTR, "3": schema.CatOD}

// Layout of the times of turns and sessions: day first, local, no zone.
const layout = "02.01.2006, 15:04:05"

var sessionKey = pattern.New(`^session_(\d{1,9})$`)

type chat struct {
	Name struct {
		One string `json:"speaker_1"`
		Two string `json:"speaker_2"`
	} `json:"name"`
}

type turn struct {
	Text    string   `json:"clean_text"`
	Speaker string   `json:"speaker"`
	Time    string   `json:"date_time"`
	ID      string   `json:"dia_id"`
	Caption string   `json:"blip_caption"`
	ImgURL  []string `json:"img_url"`
}

// event is what one speaker's session says happened.
type event struct {
	Text string `json:"sub-event"`
}

type qa struct {
	Question string          `json:"question"`
	Answer   datasets.Scalar `json:"answer"`
	Evidence []string        `json:"evidence"`
	Category datasets.Scalar `json:"category"`
}

// Cases reads chats, one a file; the case is named by the file, a question
// <case>/qa/<index>. The lists of events become the sessions' gold memory points, of type
// "event", with the speaker in their id: S<n>/<speaker>/<index>.
func Cases(ctx context.Context, files []jsonl.File, o datasets.Options) schema.Seq[schema.Case] {
	return datasets.ReadAs(ctx, files, o, read)
}

// reader is one chat while it is read.
type reader struct {
	v       *datasets.Value
	b       *datasets.Builder
	members map[string][]byte
	order   []string // ids of the turns as they come, for ranges of evidence
}

func read(v *datasets.Value, c chat) (schema.Case, error) {
	if c.Name.One == "" || c.Name.Two == "" {
		f := v.Finding("DST001", "a chat without its two speakers", "name")
		f.Want = "speaker_1 and speaker_2"
		return schema.Case{}, f
	}
	id := datasets.BaseName(v.Pos.File)
	if v.Index > 0 {
		id += "#" + strconv.Itoa(v.Index)
	}
	r := reader{v: v, b: datasets.NewBuilder("realtalk", id, schema.ConvID(id), schema.UnitTurn), members: map[string][]byte{}}
	r.b.Case.Speakers = []string{c.Name.One, c.Name.Two}
	var numbers []int
	for k, m := range codec.Members(v.Bytes) {
		r.members[k] = m
		if n := sessionKey.FindStringSubmatch(k); n != nil {
			i, _ := strconv.Atoi(n[1])
			numbers = append(numbers, i)
		}
	}
	slices.Sort(numbers)
	for _, n := range slices.Compact(numbers) {
		r.session(n)
	}
	if len(r.b.Case.Sessions) == 0 {
		f := v.Finding("DST001", "a chat without a session")
		f.Want = "session_1, session_2, …"
		return schema.Case{}, f
	}
	i := 0
	for q := range codec.Elements(r.members["qa"]) {
		r.question(q, i)
		i++
	}
	return r.b.Case, nil
}

func (r *reader) session(n int) {
	key := "session_" + strconv.Itoa(n)
	out := schema.Session{ID: key, Time: r.time(codec.Unquote(r.members[key+"_date_time"]), key+"_date_time")}
	for i, who := range []string{"agent_a", "agent_b"} {
		for k, list := range codec.Members(r.members["events_"+key]) {
			if k == who {
				out.Points = append(out.Points, r.events(list, n, r.b.Case.Speakers[i])...)
			}
		}
	}
	r.b.Session(out)
	i := -1
	for raw := range codec.Elements(r.members[key]) {
		i++
		place := []string{key, strconv.Itoa(i)}
		var t turn
		if err := r.v.DecodeAt(raw, &t); err != nil {
			r.v.Lost(err, "a turn")
			continue
		}
		r.turn(t, place)
	}
}

func (r *reader) turn(t turn, place []string) {
	var att []schema.Attachment
	for i, u := range t.ImgURL {
		a := schema.Attachment{Type: "image", URL: u}
		if i == 0 {
			a.Text = t.Caption
		}
		att = append(att, a)
	}
	if len(att) == 0 && t.Caption != "" {
		att = []schema.Attachment{{Type: "image", Text: t.Caption}}
	}
	if strings.TrimSpace(t.Text) == "" && len(att) == 0 {
		r.v.Warn("DST014", "a turn without text, skipped", t.ID, place...)
		return
	}
	role, name := "assistant", r.b.Case.Speakers[1]
	switch who := strings.TrimSpace(t.Speaker); {
	case strings.EqualFold(who, r.b.Case.Speakers[0]):
		role, name = "user", r.b.Case.Speakers[0]
	case !strings.EqualFold(who, name):
		r.v.Warn("DST002", "a speaker who is neither of the two; read as the second", t.Speaker, append(place, "speaker")...)
		name = t.Speaker
	}
	r.b.Turn(schema.CaseTurn{SourceID: t.ID, Role: role, Name: name, Text: t.Text, Time: r.time(t.Time, append(place, "date_time")...), Attachments: att})
	r.order = append(r.order, t.ID)
}

// time reads a time of the source, "" where it has none.
func (r *reader) time(s string, place ...string) string {
	if s == "" {
		r.v.Warn("DST010", "a session or turn without its time", "", place...)
	}
	return datasets.LocalTime(r.v.Time(layout, s, place...))
}

func (r *reader) events(list []byte, n int, speaker string) (out []schema.MemoryPoint) {
	for raw := range codec.Elements(list) {
		var e event
		if err := r.v.DecodeAt(raw, &e); err != nil {
			r.v.Lost(err, "an event")
			continue
		}
		out = append(out, schema.MemoryPoint{ID: fmt.Sprintf("S%d/%s/%d", n, speaker, len(out)), Content: e.Text, Type: "event"})
	}
	return out
}

func (r *reader) question(raw []byte, i int) {
	place := []string{"qa", strconv.Itoa(i)}
	var q qa
	if err := r.v.DecodeAt(raw, &q); err != nil {
		r.v.Lost(err, "a question")
		return
	}
	cat, known := categories[q.Category.Text]
	if !known {
		f := r.v.Finding("DST003", "an unknown category, the question skipped", append(place, "category")...)
		f.Have, f.Want = q.Category.Text, "1 to 3"
		r.v.Report(f)
		return
	}
	out := schema.Question{ID: r.b.Case.ID + "/qa/" + strconv.Itoa(i), Text: q.Question, Answer: r.v.Gold(q.Answer, append(place, "answer")...), Category: cat, RawCategory: q.Category.Text, EvidenceIDs: q.Evidence}
	var ids []string
	for j, e := range q.Evidence {
		named, clean := r.evidence(e)
		if !clean {
			r.v.Warn("DST004", "an evidence string is not of the form D<n>:<m>", e, append(slices.Clone(place), "evidence", strconv.Itoa(j))...)
		}
		ids = append(ids, named...)
	}
	out.Evidence, out.Unresolved = r.b.Resolve(ids)
	out.Unresolved = slices.Compact(out.Unresolved)
	r.b.Case.Questions = append(r.b.Case.Questions, out)
}

var (
	cleanID = pattern.New(`^D\d{1,9}:\d{1,9}$`)
	anyID   = pattern.New(`D?\s*(\d{1,9}):(\d{1,9})`)
	isRange = pattern.New(`^\s*[-–—]\s*$`)
)

// evidence finds the turn ids in one evidence string: one, several with anything between
// them, or ranges ("D12:3-D12:5"), which stand for the turns from the first to the last.
func (r *reader) evidence(s string) (ids []string, clean bool) {
	if cleanID.MatchString(s) {
		return []string{s}, true
	}
	end := 0
	for _, m := range anyID.FindAllStringSubmatchIndex(s, -1) {
		id := "D" + s[m[2]:m[3]] + ":" + s[m[4]:m[5]]
		if len(ids) > 0 && isRange.MatchString(s[end:m[0]]) {
			from, to := slices.Index(r.order, ids[len(ids)-1]), slices.Index(r.order, id)
			if from >= 0 && to > from {
				ids = append(ids, r.order[from+1:to]...)
			}
		}
		ids = append(ids, id)
		end = m[1]
	}
	if len(ids) == 0 {
		ids = []string{s}
	}
	return ids, false
}
