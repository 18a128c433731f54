// Package plain is the form for one's own cases. Two records are read, mixed as one
// likes, as JSON Lines or in an array: membench's own Case, and the shorter form of
// seed 000 §6.3:
//
//	{"case_id": "bgp", "source": "netops",
//	 "chunks": [{"content": "…", "timestamp": "2026-03-01T09:00:00", "metadata": {"speaker": "Mira", "session_id": "S1"}}],
//	 "questions": [{"question": "…", "answer": "…", "category": "IE"}]}
//
// In a chunk's metadata role, speaker, session_id and id are read; the rest of it is the
// user's own. A question may also have question_id, answers, wrong_answer, choices,
// raw_category, timestamp (when it is asked), difficulty, and evidence: numbers of
// chunks from 1, or, as texts, ids given in their metadata.
package plain

import (
	"cmp"
	"context"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"membench/datasets"
	"membench/internal/codec"
	"membench/schema"
	"membench/schema/jsonl"
	"membench/schema/validate"
)

// Dataset is the plain form.
func Dataset() datasets.Dataset {
	info, _ := datasets.Lookup("plain")
	return datasets.Dataset{Info: info, Match: match, Cases: Cases}
}

func match(name string) bool { return slices.Contains([]string{".jsonl", ".json"}, path.Ext(name)) }

type record struct {
	ID        datasets.Scalar `json:"case_id"`
	Source    string          `json:"source"`
	Chunks    []chunk         `json:"chunks"`
	Questions []question      `json:"questions"`
	Meta      schema.Object   `json:"meta,omitzero"`
}

type chunk struct {
	Content   string   `json:"content"`
	Timestamp string   `json:"timestamp"`
	Metadata  metadata `json:"metadata"`
}

type metadata struct {
	ID      datasets.Scalar `json:"id"`
	Session datasets.Scalar `json:"session_id"`
	Role    datasets.Scalar `json:"role"`
	Speaker datasets.Scalar `json:"speaker"`
}

type question struct {
	ID        string            `json:"question_id"`
	Question  string            `json:"question"`
	Answer    datasets.Scalar   `json:"answer"`
	Answers   []datasets.Scalar `json:"answers"`
	Wrong     datasets.Scalar   `json:"wrong_answer"`
	Choices   []string          `json:"choices"`
	Category  string            `json:"category"`
	Raw       string            `json:"raw_category"`
	Timestamp string            `json:"timestamp"`
	Level     string            `json:"difficulty"`
	Evidence  []datasets.Scalar `json:"evidence"`
	Abstain   bool              `json:"abstain"`
	Meta      schema.Object     `json:"meta,omitzero"`
}

// Cases reads both forms.
func Cases(ctx context.Context, files []jsonl.File, o datasets.Options) schema.Seq[schema.Case] {
	return datasets.Read(ctx, files, o, func(v *datasets.Value) (schema.Case, error) {
		if own(v.Bytes) {
			return native(v)
		}
		return short(v)
	})
}

// own reports whether a record is a Case: it has sessions.
func own(b []byte) bool {
	if len(b) == 0 || b[0] != '{' || !codec.Valid(b) {
		return false
	}
	for k := range codec.Members(b) {
		if k == "sessions" {
			return true
		}
	}
	return false
}

func native(v *datasets.Value) (schema.Case, error) {
	var c schema.Case
	if err := v.Decode(&c); err != nil {
		return c, err
	}
	misspelt(v, c)
	missing := ""
	switch {
	case c.ID == "":
		missing = "case_id"
	case c.ConvID == "":
		missing = "conv_id"
	case c.Dataset == "":
		missing = "dataset"
	}
	if missing != "" {
		return c, v.Finding("DST001", "a case without "+missing)
	}
	if i, j, n, ok := validate.Uncounted(c); ok {
		f := v.Finding("DST001", validate.TurnsCount, "sessions", strconv.Itoa(i), "turns", strconv.Itoa(j), "turn_id")
		f.Have, f.Want = strconv.Itoa(c.Sessions[i].Turns[j].TurnID), strconv.Itoa(n)
		return c, f
	}
	return c, validate.Record(v.Bytes, schema.KindCase, v.Pos)
}

func misspelt(v *datasets.Value, form any) {
	validate.Misspelt(v.Bytes, form, func(place []string, message, meant string) {
		f := v.Finding("DST027", message, place...)
		f.Have, f.Want = place[len(place)-1], meant
		v.Report(f)
	})
}

func short(v *datasets.Value) (schema.Case, error) {
	var r record
	if err := v.Decode(&r); err != nil {
		return schema.Case{}, err
	}
	misspelt(v, r)
	switch {
	case r.ID.Text == "":
		return schema.Case{}, v.Finding("DST001", "a case without case_id")
	case len(r.Questions) == 0:
		return schema.Case{}, v.Finding("DST001", "a case without questions", "questions")
	case len(r.Chunks) == 0:
		f := v.Finding("DST001", "a case without chunks")
		f.Want = "chunks (the short form), or sessions (a Case record); docs/datasets.md shows both"
		return schema.Case{}, f
	}
	b := datasets.NewBuilder("plain", r.ID.Text, schema.ConvID(r.ID.Text), schema.UnitTurn)
	b.Case.Source, b.Case.Meta = r.Source, r.Meta
	session := "\x00"
	turnOf := make([]int, len(r.Chunks)+1)
	for i, ch := range r.Chunks {
		if strings.TrimSpace(ch.Content) == "" {
			v.Warn("DST014", "a chunk without content, skipped", "", "chunks", strconv.Itoa(i), "content")
			continue
		}
		id := ch.Metadata.Session.Text
		if id != session {
			session = id
			b.Session(schema.Session{ID: sessionID(b, id), Time: ch.Timestamp})
		}
		role := ch.Metadata.Role.Text
		if !slices.Contains([]string{"user", "assistant", "system", "tool"}, role) {
			role = "user"
		}
		name := ch.Metadata.Speaker.Text
		if name != "" && !slices.Contains(b.Case.Speakers, name) {
			b.Case.Speakers = append(b.Case.Speakers, name)
		}
		turnOf[i+1] = b.Turn(schema.CaseTurn{SourceID: ch.Metadata.ID.Text, Role: role, Name: name, Text: ch.Content, Time: ch.Timestamp})
	}
	if len(b.Case.Sessions) == 0 {
		return schema.Case{}, v.Finding("DST001", "a case whose chunks are all empty", "chunks")
	}
	for i, q := range r.Questions {
		if out, ok := ask(v, b, q, i, turnOf); ok {
			b.Case.Questions = append(b.Case.Questions, out)
		}
	}
	return b.Case, nil
}

// sessionID is the id given, with a number where a session of that id was before.
func sessionID(b *datasets.Builder, id string) string {
	if id == "" {
		id = "S" + strconv.Itoa(len(b.Case.Sessions)+1)
	}
	used := func(id string) bool {
		return slices.ContainsFunc(b.Case.Sessions, func(s schema.Session) bool { return s.ID == id })
	}
	out := id
	for n := 2; used(out); n++ {
		out = fmt.Sprintf("%s#%d", id, n)
	}
	return out
}

func ask(v *datasets.Value, b *datasets.Builder, q question, i int, turnOf []int) (schema.Question, bool) {
	place := []string{"questions", strconv.Itoa(i)}
	cat := datasets.Category(q.Category)
	if cat == "" {
		f := v.Finding("DST003", "an unknown category, the question skipped", append(place, "category")...)
		f.Have, f.Want = q.Category, fmt.Sprint(schema.Categories())
		f.Hint = "give each question one of these as category, and your own as raw_category: figures are by both"
		v.Report(f)
		return schema.Question{}, false
	}
	out := schema.Question{ID: q.ID, Text: q.Question, Answer: v.Gold(q.Answer, append(slices.Clone(place), "answer")...), Wrong: q.Wrong.Text, Choices: q.Choices, Category: cat, RawCategory: q.Raw,
		Abstain: q.Abstain || cat == schema.CatABS, AsOf: q.Timestamp, Difficulty: q.Level, Meta: q.Meta}
	out.ID = cmp.Or(out.ID, b.Case.ID+"/q/"+strconv.Itoa(i))
	out.RawCategory = cmp.Or(out.RawCategory, q.Category)
	for j, a := range q.Answers {
		out.Answers = append(out.Answers, v.Gold(a, append(slices.Clone(place), "answers", strconv.Itoa(j))...))
	}
	if out.Answer == "" && len(out.Answers) > 0 {
		out.Answer = out.Answers[0]
	}
	var turns []int
	for _, e := range q.Evidence {
		out.EvidenceIDs = append(out.EvidenceIDs, e.Text)
		var t []int
		if !e.Number {
			t = b.Turns(e.Text)
		} else if n, err := strconv.Atoi(e.Text); err == nil && n > 0 && n < len(turnOf) && turnOf[n] > 0 {
			t = []int{turnOf[n]}
		}
		if len(t) == 0 {
			out.Unresolved = append(out.Unresolved, e.Text)
		}
		turns = append(turns, t...)
	}
	out.Evidence = b.Refs(turns)
	return out, true
}
