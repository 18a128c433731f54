// Package beam reads BEAM: long conversations of a user and an assistant, a folder each
// (chat.json, topic.json, probing_questions.json), asked about ten abilities.
//
// The abilities are not of one kind. Five have an answer that can be compared with a gold
// (information extraction, knowledge update, multi-session and temporal reasoning,
// abstention). The gold of the others (contradiction resolution, event ordering,
// instruction and preference following, summarization) describes a good answer: their
// questions are marked open_ended, and only a model can grade them, by the rubric.
package beam

import (
	"cmp"
	"context"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"membench/datasets"
	"membench/internal/codec"
	"membench/schema"
	"membench/schema/jsonl"
)

// Dataset is BEAM.
func Dataset() datasets.Dataset {
	info, _ := datasets.Lookup("beam")
	return datasets.Dataset{Info: info, Match: match, Cases: Cases}
}

// Names of a conversation's files. Upstream keeps the questions in a folder of their own.
const (
	fileChat      = "chat.json"
	fileTopic     = "topic.json"
	fileQuestions = "probing_questions.json"
)

func match(name string) bool {
	switch path.Base(name) {
	case fileChat, fileTopic, fileQuestions:
		return true
	}
	return false
}

// ability is one of the ten.
type ability struct {
	category string
	gold     string // the member that has the gold
	open     bool   // the gold describes a good answer
}

var abilities = map[string]ability{
	"abstention":               {schema.CatABS, "ideal_response", false},
	"contradiction_resolution": {schema.CatCR, "ideal_answer", true},
	"event_ordering":           {schema.CatTR, "answer", true},
	"information_extraction":   {schema.CatIE, "answer", false},
	"instruction_following":    {schema.CatTTL, "expected_compliance", true},
	"knowledge_update":         {schema.CatKU, "answer", false},
	"multi_session_reasoning":  {schema.CatMR, "answer", false},
	"preference_following":     {schema.CatTTL, "expected_compliance", true},
	"summarization":            {schema.CatLRU, "ideal_summary", true},
	"temporal_reasoning":       {schema.CatTR, "answer", false},
}

// conversation is the files of one folder.
type conversation struct {
	chat, topic, questions jsonl.File
}

// Cases reads conversations. The case is named by its folder: "100K/3" is beam-100K-3; a
// question <case>/<ability>/<index>. Held at a time: one conversation.
func Cases(ctx context.Context, files []jsonl.File, o datasets.Options) schema.Seq[schema.Case] {
	return func(yield func(schema.Record[schema.Case], error) bool) {
		for _, c := range folders(files) {
			r, err := read(ctx, c, o)
			if !yield(r, err) {
				return
			}
			if err != nil && !schema.IsFinding(err) {
				return
			}
		}
	}
}

// folders groups files by conversation, in the order of the first file of each.
func folders(files []jsonl.File) (out []conversation) {
	at := map[string]int{}
	for _, f := range files {
		name := strings.ReplaceAll(f.Name, `\`, "/")
		dir := strings.TrimSuffix(path.Dir(name), "/"+strings.TrimSuffix(fileQuestions, ".json"))
		i, ok := at[dir]
		if !ok {
			i = len(out)
			at[dir], out = i, append(out, conversation{})
		}
		switch datasets.BaseName(name) + ".json" {
		case fileTopic:
			out[i].topic = f
		case fileQuestions:
			out[i].questions = f
		default:
			out[i].chat = f
		}
	}
	return out
}

type batch struct {
	Number int      `json:"batch_number"`
	Turns  [][]turn `json:"turns"`
}

type turn struct {
	Role    string          `json:"role"`
	ID      datasets.Scalar `json:"id"`
	Anchor  string          `json:"time_anchor"`
	Content string          `json:"content"`
}

func read(ctx context.Context, c conversation, o datasets.Options) (schema.Record[schema.Case], error) {
	none := schema.Record[schema.Case]{}
	for _, need := range []struct {
		f    jsonl.File
		name string
	}{{c.chat, fileChat}, {c.questions, fileQuestions}} {
		if need.f.Open == nil {
			at := schema.Pos{File: c.chat.Name + c.questions.Name}
			return none, &schema.Finding{Pos: at, Code: "DST020", Message: "a file of the conversation is missing; the conversation was skipped", Want: need.name, Hint: "give the folder that holds all of them"}
		}
	}
	id := caseID(c.chat.Name)
	b := datasets.NewBuilder("beam", id, schema.ConvID(id), schema.UnitTurn)
	pos := schema.Pos{File: c.chat.Name, Line: 1, Col: 1}
	err := datasets.Each(ctx, []jsonl.File{c.chat}, o, func(v *datasets.Value) error {
		var x batch
		if err := v.Decode(&x); err != nil {
			return err
		}
		addBatch(v, b, x)
		return nil
	})
	if err != nil {
		return none, err
	}
	if len(b.Case.Sessions) == 0 {
		return none, &schema.Finding{Pos: pos, Code: "DST001", Message: "a conversation without a batch of turns", Want: "an array of objects with batch_number and turns"}
	}
	if c.topic.Open != nil {
		if err := datasets.Each(ctx, []jsonl.File{c.topic}, o, func(v *datasets.Value) error { return v.Decode(&b.Case.Meta) }); err != nil {
			return none, err
		}
	}
	if err := datasets.Each(ctx, []jsonl.File{c.questions}, o, func(v *datasets.Value) error { return questions(v, b) }); err != nil {
		return none, err
	}
	o.Correct(&b.Case, pos)
	return schema.Record[schema.Case]{Pos: pos, V: b.Case}, nil
}

// tier is the folder above a conversation's: its length in tokens.
var tier = regexp.MustCompile(`^\d+[KkMm]$`)

func caseID(chat string) string {
	dir := path.Dir(strings.ReplaceAll(chat, `\`, "/"))
	id := path.Base(dir)
	if above := path.Base(path.Dir(dir)); tier.MatchString(above) {
		id = above + "-" + id
	}
	return "beam-" + id
}

// generatorIndex is what the generator left at the end of a message: "->-> 5,14".
var generatorIndex = regexp.MustCompile(`\s*->->[^\n]{0,12}$`)

// addBatch makes a session of a batch, dated by its first time anchor. Turns after a later
// anchor carry that one.
func addBatch(v *datasets.Value, b *datasets.Builder, x batch) {
	s := schema.Session{ID: "batch_" + strconv.Itoa(x.Number)}
	b.Session(s)
	session := &b.Case.Sessions[len(b.Case.Sessions)-1]
	at := ""
	for i, group := range x.Turns {
		for j, t := range group {
			place := []string{"turns", strconv.Itoa(i), strconv.Itoa(j)}
			if day := v.Time("January-02-2006", t.Anchor, append(place, "time_anchor")...); !day.IsZero() {
				at = day.Format(time.DateOnly)
			}
			session.Time = cmp.Or(session.Time, at)
			text := generatorIndex.ReplaceAllString(t.Content, "")
			if strings.TrimSpace(text) == "" {
				v.Warn("DST014", "a turn without text, skipped", t.ID.Text, place...)
				continue
			}
			b.Turn(schema.CaseTurn{SourceID: t.ID.Text, Role: t.Role, Text: text, Time: at})
		}
	}
}

func questions(v *datasets.Value, b *datasets.Builder) error {
	if len(v.Bytes) == 0 || v.Bytes[0] != '{' {
		f := v.Finding("DST001", "the questions are not an object of abilities")
		f.Want = "{\"abstention\": [...], ...}"
		return f
	}
	for name, list := range codec.Members(v.Bytes) {
		i := 0
		for raw := range codec.Elements(list) {
			ask(v, b, name, i, raw)
			i++
		}
	}
	return nil
}

func ask(v *datasets.Value, b *datasets.Builder, name string, i int, raw []byte) {
	place := []string{name, strconv.Itoa(i)}
	a, ok := abilities[name]
	if !ok {
		f := v.Finding("DST003", "an unknown ability, the question skipped", name)
		f.Have = name
		v.Report(f)
		return
	}
	var q struct {
		Question   string   `json:"question"`
		Difficulty string   `json:"difficulty"`
		Rubric     []string `json:"rubric"`
	}
	if err := v.DecodeAt(raw, &q); err != nil {
		v.Lost(err, "a question")
		return
	}
	out := schema.Question{ID: fmt.Sprintf("%s/%s/%d", b.Case.ID, name, i), Text: q.Question, Category: a.category, RawCategory: name, Abstain: a.category == schema.CatABS,
		OpenEnded: a.open, Rubric: q.Rubric, Difficulty: q.Difficulty}
	for k, m := range codec.Members(raw) {
		switch k {
		case a.gold:
			var gold datasets.Scalar
			if err := v.DecodeAt(m, &gold); err == nil {
				out.Answer = v.Gold(gold, append(place, k)...)
			}
		case "source_chat_ids":
			out.EvidenceIDs = numbers(m)
		}
	}
	if len(q.Rubric) == 0 {
		v.Warn("DST019", "a question without a rubric: its judge cannot grade it", q.Question, place...)
	}
	out.Evidence, out.Unresolved = b.Resolve(out.EvidenceIDs)
	b.Case.Questions = append(b.Case.Questions, out)
}

// numbers lists the turn ids in a list, or in an object of lists by role (first and
// second statement, original and updated information), in their order, once each.
func numbers(raw []byte) (out []string) {
	if len(raw) == 0 {
		return nil
	}
	add := func(ids ...string) {
		for _, id := range ids {
			if !slices.Contains(out, id) {
				out = append(out, id)
			}
		}
	}
	switch raw[0] {
	case '[':
		for el := range codec.Elements(raw) {
			add(numbers(el)...)
		}
	case '{':
		for _, m := range codec.Members(raw) {
			add(numbers(m)...)
		}
	default:
		var id datasets.Scalar
		if codec.Unmarshal(raw, &id) == nil && id.Given() {
			add(id.Text)
		}
	}
	return out
}
