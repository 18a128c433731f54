// Package locomo reads LoCoMo: conversations of two people over months, in sessions,
// with questions by category. Both releases are read: locomo10.json, and the earlier
// one of a flat object per conversation.
//
// Categories are those of the benchmark's own code: 1 several hops, 2 time, 3 open
// domain, 4 one hop, 5 adversarial. The annotations that came with the conversations
// (event_summary, observation, session_summary) and the annotator's image query are
// never part of a case. The observations, which a model made of the turns, can be read
// as its memories: see Observations.
package locomo

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"membench/datasets"
	"membench/internal/codec"
	"membench/schema"
	"membench/schema/jsonl"
)

// Dataset is LoCoMo.
func Dataset() datasets.Dataset {
	info, _ := datasets.Lookup("locomo")
	return datasets.Dataset{Info: info, Match: match, Cases: Cases, Errata: ReadErrata, Observations: Observations}
}

func match(name string) bool {
	base := path.Base(name)
	if ok, _ := path.Match("locomo*.json", base); ok {
		return true
	}
	_, err := strconv.Atoi(strings.TrimSuffix(base, ".json"))
	return err == nil && strings.HasSuffix(base, ".json")
}

// Cases reads conversations. A question's id is <sample_id>/qa/<index>.
func Cases(ctx context.Context, files []jsonl.File, o datasets.Options) schema.Seq[schema.Case] {
	return datasets.Read(ctx, files, o, func(v *datasets.Value) (schema.Case, error) {
		b, _, err := conversation(v)
		if err != nil {
			return schema.Case{}, err
		}
		return b.Case, nil
	})
}

type turn struct {
	Speaker string   `json:"speaker"`
	DiaID   string   `json:"dia_id"`
	Text    string   `json:"text"`
	Caption string   `json:"blip_caption"`
	ImgURL  []string `json:"img_url"`
}

type qa struct {
	Question    string          `json:"question"`
	Answer      datasets.Scalar `json:"answer"`
	Adversarial datasets.Scalar `json:"adversarial_answer"`
	Evidence    []string        `json:"evidence"`
	Category    datasets.Scalar `json:"category"`
}

// session is one number's keys.
type session struct {
	n     int
	turns []byte
	date  string
}

var (
	sessionKey = regexp.MustCompile(`^session_(\d{1,9})(_date_time)?$`)
	diaID      = regexp.MustCompile(`D:?(\d{1,9}):(\d{1,9})`)
	cleanID    = regexp.MustCompile(`^D[1-9]\d*:[1-9]\d*$`)
)

// conversation reads one conversation; the members are those of its object.
func conversation(v *datasets.Value) (*datasets.Builder, map[string][]byte, error) {
	if !codec.Valid(v.Bytes) || v.Bytes[0] != '{' {
		var o schema.Object
		if err := v.Decode(&o); err != nil {
			return nil, nil, err
		}
	}
	members := maps.Collect(codec.Members(v.Bytes))
	var at []string // of the conversation's keys
	if inner, ok := members["conversation"]; ok {
		at = []string{"conversation"}
		maps.Insert(members, codec.Members(inner))
	}
	text := func(name string) string {
		if m := members[name]; len(m) > 0 && m[0] == '"' {
			return codec.Unquote(m)
		}
		return ""
	}
	id := text("sample_id")
	if id == "" { // the flat release: its file is named by the number
		id = datasets.BaseName(v.Pos.File)
		if _, err := strconv.Atoi(id); err == nil {
			id = "conv-" + id
		}
	}
	b := datasets.NewBuilder("locomo", id, schema.ConvID(id), schema.UnitTurn)
	a := text("speaker_a")
	b.Case.Speakers = []string{a, text("speaker_b")}
	if a == "" || b.Case.Speakers[1] == "" {
		f := v.Finding("DST001", "a conversation without its two speakers", at...)
		f.Want = "speaker_a and speaker_b"
		return nil, nil, f
	}
	for _, s := range sessions(v, members, at) {
		if err := addSession(v, b, s, a, at); err != nil {
			return nil, nil, err
		}
	}
	if len(b.Case.Sessions) == 0 {
		f := v.Finding("DST001", "a conversation without a session", at...)
		f.Want = "session_1, session_2, …"
		return nil, nil, f
	}
	i := 0
	for raw := range codec.Elements(members["qa"]) {
		if q, ok := question(v, b, raw, i); ok {
			b.Case.Questions = append(b.Case.Questions, q)
		}
		i++
	}
	return b, members, nil
}

// sessions lists the session keys in the order of their numbers: as text, 10 would
// come before 2.
func sessions(v *datasets.Value, members map[string][]byte, at []string) []session {
	byNumber := map[int]*session{}
	for k, raw := range members {
		m := sessionKey.FindStringSubmatch(k)
		if m == nil {
			continue
		}
		n, _ := strconv.Atoi(m[1])
		s := byNumber[n]
		if s == nil {
			s = &session{n: n}
			byNumber[n] = s
		}
		if m[2] != "" {
			s.date = codec.Unquote(raw) // what is not a string is not a date either
		} else {
			s.turns = raw
		}
	}
	var out []session
	for _, s := range byNumber {
		out = append(out, *s)
	}
	slices.SortFunc(out, func(a, b session) int { return a.n - b.n })
	var lone []string
	out = slices.DeleteFunc(out, func(s session) bool {
		if s.turns == nil {
			lone = append(lone, fmt.Sprintf("session_%d_date_time", s.n))
		}
		return s.turns == nil
	})
	if len(lone) > 0 {
		v.Warn("DST010", fmt.Sprintf("%d dates without their sessions", len(lone)), strings.Join(lone, ", "), append(slices.Clone(at), lone[0])...)
	}
	return out
}

func addSession(v *datasets.Value, b *datasets.Builder, s session, speakerA string, at []string) error {
	key := fmt.Sprintf("session_%d", s.n)
	here := append(slices.Clone(at), key)
	date := datasets.LocalTime(v.Time("3:04 pm on 2 January, 2006", s.date, append(slices.Clone(at), key+"_date_time")...))
	b.Session(schema.Session{ID: key, Time: date})
	if s.date == "" {
		v.Warn("DST010", "a session without its date", key, here...)
	}
	i := -1
	for raw := range codec.Elements(s.turns) {
		i++
		var t turn
		place := append(slices.Clone(here), strconv.Itoa(i))
		if err := v.DecodeAt(raw, &t); err != nil {
			v.Lost(err, "a turn")
			continue
		}
		var att []schema.Attachment
		if t.Caption != "" || len(t.ImgURL) > 0 {
			x := schema.Attachment{Type: "image", Text: t.Caption}
			if len(t.ImgURL) > 0 {
				x.URL = t.ImgURL[0]
			}
			att = append(att, x)
		}
		if strings.TrimSpace(t.Text) == "" && len(att) == 0 {
			v.Warn("DST014", "a turn without text, skipped", t.DiaID, place...)
			continue
		}
		role := "assistant"
		if t.Speaker == speakerA {
			role = "user"
		} else if t.Speaker != b.Case.Speakers[1] {
			v.Warn("DST002", "a speaker who is neither of the two; read as the second", t.Speaker, append(place, "speaker")...)
		}
		b.Turn(schema.CaseTurn{SourceID: t.DiaID, Role: role, Name: t.Speaker, Text: t.Text, Time: date, Attachments: att}, normal(t.DiaID))
	}
	return nil
}

// normal writes a turn id without padding: D30:05 is D30:5.
func normal(id string) string {
	m := diaID.FindStringSubmatch(id)
	if m == nil || cleanID.MatchString(id) {
		return ""
	}
	s, _ := strconv.Atoi(m[1])
	t, _ := strconv.Atoi(m[2])
	return fmt.Sprintf("D%d:%d", s, t)
}

// evidence finds the turn ids in one evidence string.
func evidence(s string) (ids []string, clean bool) {
	for _, m := range diaID.FindAllStringSubmatch(s, -1) {
		n, _ := strconv.Atoi(m[1])
		t, _ := strconv.Atoi(m[2])
		ids = append(ids, fmt.Sprintf("D%d:%d", n, t))
	}
	return ids, cleanID.MatchString(s)
}

func question(v *datasets.Value, b *datasets.Builder, raw []byte, i int) (schema.Question, bool) {
	place := []string{"qa", strconv.Itoa(i)}
	var q qa
	if err := v.DecodeAt(raw, &q); err != nil {
		if f, ok := errors.AsType[*schema.Finding](err); ok {
			f.Code, f.Message, f.Pointer = "DST002", "a question cannot be read, skipped: "+f.Message, v.Pointer(place...)+f.Pointer[len(v.Pointer()):]
			v.Report(f)
		}
		return schema.Question{}, false
	}
	cat := datasets.CategoryIn("locomo", q.Category.Text)
	if cat == "" {
		f := v.Finding("DST003", "an unknown category, the question skipped", append(place, "category")...)
		f.Have, f.Want = q.Category.Text, "1 to 5"
		v.Report(f)
		return schema.Question{}, false
	}
	out := schema.Question{ID: fmt.Sprintf("%s/qa/%d", b.Case.ID, i), Text: q.Question, Answer: v.Gold(q.Answer, append(slices.Clone(place), "answer")...), Wrong: q.Adversarial.Text,
		Category: cat, RawCategory: q.Category.Text, Abstain: cat == schema.CatABS, EvidenceIDs: q.Evidence}
	var turns []int
	for j, e := range q.Evidence {
		ids, clean := evidence(e)
		if !clean {
			v.Warn("DST004", "an evidence string is not of the form D<session>:<turn>", e, append(slices.Clone(place), "evidence", strconv.Itoa(j))...)
		}
		if len(ids) == 0 {
			ids = []string{e}
		}
		for _, id := range ids {
			t := b.Turns(id)
			if len(t) == 0 && !slices.Contains(out.Unresolved, id) {
				out.Unresolved = append(out.Unresolved, id)
			}
			turns = append(turns, t...)
		}
	}
	out.Evidence = b.Refs(turns)
	return out, true
}
