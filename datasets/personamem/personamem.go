// Package personamem reads PersonaMem in the form of the Agent Memory Benchmark: a
// history of sessions for each user (documents.json), and messages of the user with four
// replies to choose from (queries.json).
//
// The source names the whole history as gold, so questions have no turn evidence: its ids
// are kept, and retrieval is not scored.
package personamem

import (
	"context"
	"errors"
	"path"
	"regexp"
	"slices"
	"strings"

	"membench/datasets"
	"membench/schema"
	"membench/schema/jsonl"
)

// Dataset is PersonaMem.
func Dataset() datasets.Dataset {
	info, _ := datasets.Lookup("personamem")
	return datasets.Dataset{Info: info, Match: match, Cases: Cases}
}

// Names of the two files.
const (
	fileQueries   = "queries.json"
	fileDocuments = "documents.json"
)

func match(name string) bool {
	base := path.Base(name)
	return base == fileQueries || base == fileDocuments
}

// categories of the seven types.
var categories = map[string]string{
	"recall_user_shared_facts":                      schema.CatIE,
	"recalling_facts_mentioned_by_the_user":         schema.CatIE,
	"recalling_the_reasons_behind_previous_updates": schema.CatKU,
	"track_full_preference_evolution":               schema.CatKU,
	"suggest_new_ideas":                             schema.CatOD,
	"generalizing_to_new_scenarios":                 schema.CatOD,
	"provide_preference_aligned_recommendations":    schema.CatOD,
}

type document struct {
	ID      string `json:"id"`
	User    string `json:"user_id"`
	Time    string `json:"timestamp"`
	Content string `json:"content"`
}

type query struct {
	ID    string   `json:"id"`
	Query string   `json:"query"`
	Gold  []string `json:"gold_answers"` // the option, its letter
	Docs  []string `json:"gold_ids"`
	User  string   `json:"user_id"`
	Meta  struct {
		Type  string `json:"question_type"`
		Topic string `json:"topic"`
	} `json:"meta"`
}

// Cases reads the two files of a folder, which both must be given. The case is a user's
// history, a session is a document. Held at a time: the questions, and one history.
func Cases(ctx context.Context, files []jsonl.File, o datasets.Options) schema.Seq[schema.Case] {
	return func(yield func(schema.Record[schema.Case], error) bool) {
		var docs, queries []jsonl.File
		for _, f := range files {
			if datasets.BaseName(f.Name)+".json" == fileQueries {
				queries = append(queries, f)
			} else {
				docs = append(docs, f)
			}
		}
		if len(docs) == 0 || len(queries) == 0 {
			f := &schema.Finding{Code: "DST020", Message: "a file of the layout is missing", Want: fileQueries + " and " + fileDocuments, Hint: "give the folder that holds both"}
			for _, x := range files {
				f.Pos.File = x.Name
			}
			yield(schema.Record[schema.Case]{}, f)
			return
		}
		r := reader{o: o, questions: map[string][]asked{}, done: map[string]bool{}, yield: yield}
		if err := datasets.Each(ctx, queries, o, r.query); err != nil {
			yield(schema.Record[schema.Case]{}, err)
			return
		}
		if err := datasets.Each(ctx, docs, o, r.document); err != nil {
			if err != errStopped {
				yield(schema.Record[schema.Case]{}, err)
			}
			return
		}
		if r.flush() == nil {
			r.unasked()
		}
	}
}

// errStopped: whoever takes the cases wants no more of them.
var errStopped = errors.New("stopped")

// asked is a question with its place.
type asked struct {
	pos schema.Pos
	q   schema.Question
}

type reader struct {
	o         datasets.Options
	questions map[string][]asked // by user
	users     []string           // in the order of their first question
	done      map[string]bool    // users whose case was made
	b         *datasets.Builder  // the history being read; nil: none
	pos       schema.Pos         // of its first document
	yield     func(schema.Record[schema.Case], error) bool
}

var option = regexp.MustCompile(`(?m)^\(([a-z])\) `)

// query reads a question: a message, then one option a letter, each from the beginning of
// a line to the next option.
func (r *reader) query(v *datasets.Value) error {
	var q query
	if err := v.Decode(&q); err != nil {
		return err
	}
	cat, ok := categories[q.Meta.Type]
	if !ok {
		f := v.Finding("DST003", "an unknown type, the question skipped", "meta", "question_type")
		f.Have = q.Meta.Type
		return f
	}
	at := option.FindAllStringSubmatchIndex(q.Query, -1)
	if len(at) < 2 || len(q.Gold) == 0 {
		f := v.Finding("DST002", "a question without options or gold, skipped", "query")
		f.Have, f.Want = q.ID, `options "(a) …" and gold_answers`
		return f
	}
	out := schema.Question{ID: q.ID, Text: strings.TrimSpace(q.Query[:at[0][0]]), Category: cat, RawCategory: q.Meta.Type, EvidenceIDs: q.Docs}
	var letters []string
	for i, m := range at {
		end := len(q.Query)
		if i+1 < len(at) {
			end = at[i+1][0]
		}
		letters = append(letters, q.Query[m[2]:m[3]])
		out.Choices = append(out.Choices, strings.TrimSpace(q.Query[m[1]:end]))
	}
	gold := strings.TrimSpace(option.ReplaceAllString(q.Gold[0], ""))
	i := slices.Index(out.Choices, gold)
	if i < 0 || len(q.Gold) > 1 && strings.Trim(q.Gold[1], "() ") != letters[i] {
		f := v.Finding("DST002", "the gold is not one of the options, or its letter is another option's; the question was skipped", "gold_answers")
		f.Have = q.ID
		return f
	}
	out.Answer = gold
	var b schema.ObjectBuilder
	b.String("topic", q.Meta.Topic)
	out.Meta = b.Object()
	if _, ok := r.questions[q.User]; !ok {
		r.users = append(r.users, q.User)
	}
	r.questions[q.User] = append(r.questions[q.User], asked{v.Pos, out})
	return nil
}

// document reads a session. Documents of one user stand together.
func (r *reader) document(v *datasets.Value) error {
	var d document
	if err := v.Decode(&d); err != nil {
		return err
	}
	if d.User == "" || d.ID == "" {
		return v.Finding("DST001", "a document without id or user_id, skipped")
	}
	if r.b == nil || r.b.Case.ID != d.User {
		if err := r.flush(); err != nil {
			return err
		}
		if r.done[d.User] {
			f := v.Finding("DST020", "a document is separated from the others of its user; skipped", "user_id")
			f.Have = d.User
			return f
		}
		r.b, r.pos = datasets.NewBuilder("personamem", d.User, schema.ConvID(d.User), schema.UnitSession), v.Pos
	}
	r.b.Session(schema.Session{ID: d.ID, Time: d.Time})
	for _, t := range turns(d.Content) {
		r.b.Turn(t)
	}
	return nil
}

var turnHead = regexp.MustCompile(`(?m)^\[(SYSTEM|USER|ASSISTANT)\] `)

// turns takes a document apart at the lines that name a role. "User: " and "Assistant: "
// after it repeat the role and are dropped; other names (Patient, Therapist) are part of
// what was said.
func turns(content string) (out []schema.CaseTurn) {
	at := turnHead.FindAllStringSubmatchIndex(content, -1)
	for i, m := range at {
		end := len(content)
		if i+1 < len(at) {
			end = at[i+1][0]
		}
		role := strings.ToLower(content[m[2]:m[3]])
		text := strings.TrimSpace(content[m[1]:end])
		if name, rest, ok := strings.Cut(text, ": "); ok && strings.EqualFold(name, role) {
			text = rest
		}
		if text != "" {
			out = append(out, schema.CaseTurn{Role: role, Text: text})
		}
	}
	return out
}

// flush yields the history that is complete, with its questions.
func (r *reader) flush() error {
	if r.b == nil {
		return nil
	}
	c := &r.b.Case
	for _, a := range r.questions[c.ID] {
		for _, id := range a.q.EvidenceIDs {
			if !slices.ContainsFunc(c.Sessions, func(s schema.Session) bool { return s.ID == id }) {
				a.q.Unresolved = append(a.q.Unresolved, id)
			}
		}
		c.Questions = append(c.Questions, a.q)
	}
	r.o.Correct(c, r.pos)
	out := schema.Record[schema.Case]{Pos: r.pos, V: *c}
	r.done[c.ID], r.b = true, nil
	if !r.yield(out, nil) {
		return errStopped
	}
	return nil
}

// unasked reports questions of users who have no history.
func (r *reader) unasked() {
	for _, u := range r.users {
		if !r.done[u] {
			first := r.questions[u][0]
			r.o.Tell(&schema.Finding{Pos: first.pos, Code: "DST020", Message: "questions of a user without documents, skipped", Have: u, Want: "documents of this user_id"})
		}
	}
}
