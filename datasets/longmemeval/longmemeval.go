// Package longmemeval reads LongMemEval (the files s, m and oracle): each question
// has a history of its own, which is one case.
//
// What gives answers away is kept from what a system sees: the ids of evidence
// sessions begin with "answer_" and those of unanswerable questions hold "_abs", so
// sessions get neutral ids (the source's is in SourceID) and cases are named by
// a hash of the question id; has_answer becomes gold evidence.
package longmemeval

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"membench/datasets"
	"membench/schema"
	"membench/schema/jsonl"
)

// Dataset is LongMemEval.
func Dataset() datasets.Dataset {
	info, _ := datasets.Lookup("longmemeval")
	return datasets.Dataset{Info: info, Match: match, Cases: Cases}
}

func match(name string) bool {
	ok, _ := path.Match("longmemeval*.json", path.Base(name))
	return ok
}

type item struct {
	ID        string            `json:"question_id"`
	Type      string            `json:"question_type"`
	Question  string            `json:"question"`
	Answer    datasets.Scalar   `json:"answer"`
	Questions []string          `json:"questions"` // several questions about one history
	Answers   []datasets.Scalar `json:"answers"`
	Date      string            `json:"question_date"`
	Dates     []string          `json:"haystack_dates"`
	IDs       []string          `json:"haystack_session_ids"` // nil: not given
	Sessions  [][]turn          `json:"haystack_sessions"`
	Gold      json.RawMessage   `json:"answer_session_ids"` // [id], or [[id]] beside questions
}

type turn struct {
	Role   string `json:"role"`
	Text   string `json:"content"`
	Answer bool   `json:"has_answer"`
}

// Cases reads histories. At the grain "session" gold evidence is every turn of the
// gold sessions, else the turns that the file marks.
func Cases(ctx context.Context, files []jsonl.File, o datasets.Options) schema.Seq[schema.Case] {
	return datasets.ReadAs(ctx, files, o, func(v *datasets.Value, it item) (schema.Case, error) {
		return history(v, it, o.Grain == schema.UnitSession)
	})
}

// Abstain reports whether the gold of a question is that it cannot be answered: its
// id says so, anywhere in it, as in the benchmark's own evaluate_qa.py.
func Abstain(questionID string) bool { return strings.Contains(questionID, "_abs") }

// Conv is the conversation, and case, of a question: "lme-" and the first 12 hex
// digits of the SHA-256 of the question id.
func Conv(questionID string) schema.ConvID {
	sum := sha256.Sum256([]byte(questionID))
	return schema.ConvID("lme-" + hex.EncodeToString(sum[:6]))
}

// sitting is one session of the history.
type sitting struct {
	index int // in the file
	time  time.Time
	id    string
	turns []turn
}

func history(v *datasets.Value, it item, bySession bool) (schema.Case, error) {
	many := len(it.Questions) > 0
	switch {
	case it.ID == "" && !many || it.Question == "" && !many:
		return schema.Case{}, v.Finding("DST001", "a record without question_id or question")
	case len(it.Sessions) == 0:
		return schema.Case{}, v.Finding("DST001", "a record without haystack_sessions")
	case len(it.Dates) != len(it.Sessions), it.IDs != nil && len(it.IDs) != len(it.Sessions), len(it.Questions) != len(it.Answers):
		f := v.Finding("DST011", "parallel lists of different length")
		f.Have = fmt.Sprintf("%d dates, %d ids, %d sessions; %d questions, %d answers", len(it.Dates), len(it.IDs), len(it.Sessions), len(it.Questions), len(it.Answers))
		return schema.Case{}, f
	}
	category := datasets.CategoryIn("longmemeval", it.Type)
	if category == "" && !many {
		f := v.Finding("DST003", "an unknown question_type, the case skipped", "question_type")
		f.Have = it.Type
		return schema.Case{}, f
	}
	id := cmp.Or(it.ID, fmt.Sprintf("%s#%d", path.Base(v.Pos.File), v.Index))
	conv := Conv(id)
	b := datasets.NewBuilder("longmemeval", string(conv), conv, schema.UnitTurn)
	if bySession {
		b.Case.Unit = schema.UnitSession
	}
	marked := map[int]bool{} // turns with has_answer
	where := map[string][]int{}
	for n, s := range inOrder(v, it) {
		out := schema.Session{ID: datasets.Numbered("s", n+1, 3), SourceID: s.id, Time: datasets.LocalTime(s.time)}
		b.Session(out)
		for j, t := range s.turns {
			if strings.TrimSpace(t.Text) == "" {
				v.Warn("DST014", "a turn without text, skipped", "", "haystack_sessions", strconv.Itoa(s.index), strconv.Itoa(j))
				continue
			}
			role := t.Role
			if role != "user" && role != "assistant" && role != "system" && role != "tool" {
				v.Warn("DST002", "an unknown role, taken as the user's", t.Role, "haystack_sessions", strconv.Itoa(s.index), strconv.Itoa(j), "role")
				role = "user"
			}
			turnID := b.Turn(schema.CaseTurn{Role: role, Text: t.Text, Time: out.Time})
			marked[turnID] = t.Answer
			where[s.id] = append(where[s.id], turnID)
		}
	}
	add := func(qid, text, answer string, gold []string, abstain bool) {
		q := schema.Question{ID: qid, Text: text, Answer: answer, Category: category, RawCategory: it.Type, Abstain: abstain, AsOf: datasets.LocalTime(v.Time(datasets.LongMemEvalTime, it.Date, "question_date")), EvidenceIDs: gold}
		if abstain {
			q.Category = schema.CatABS
		}
		q.Category = cmp.Or(q.Category, schema.CatIE)
		var turns []int
		for _, g := range gold {
			in, ok := where[g]
			if !ok && it.IDs != nil {
				q.Unresolved = append(q.Unresolved, g)
			}
			for _, t := range in {
				if bySession || marked[t] {
					turns = append(turns, t)
				}
			}
		}
		if it.IDs == nil || gold == nil { // no way from the gold's ids to sessions: what is marked
			for t := 1; t <= len(marked); t++ {
				if marked[t] {
					turns = append(turns, t)
				}
			}
		}
		slices.Sort(turns)
		q.Evidence = b.Refs(turns)
		b.Case.Questions = append(b.Case.Questions, q)
	}
	if many {
		gold, err := goldLists(v, it)
		if err != nil {
			return schema.Case{}, err
		}
		for i, text := range it.Questions {
			add(fmt.Sprintf("%s/q/%d", id, i), text, v.Gold(it.Answers[i], "answers", strconv.Itoa(i)), gold(i), Abstain(it.ID))
		}
		return b.Case, nil
	}
	var gold []string
	if len(it.Gold) > 0 {
		if err := v.DecodeCopy(it.Gold, &gold, "answer_session_ids"); err != nil {
			return schema.Case{}, err
		}
	}
	add(it.ID, it.Question, v.Gold(it.Answer, "answer"), gold, Abstain(it.ID))
	return b.Case, nil
}

// goldLists reads answer_session_ids beside several questions: a list for each.
func goldLists(v *datasets.Value, it item) (func(i int) []string, error) {
	var lists [][]string
	if len(it.Gold) > 0 {
		if err := v.DecodeCopy(it.Gold, &lists, "answer_session_ids"); err != nil {
			return nil, err
		}
	}
	return func(i int) []string {
		if i < len(lists) {
			return lists[i]
		}
		return nil
	}, nil
}

// inOrder sorts the sessions by date, ties in file order, and keeps a session that
// the history repeats once.
func inOrder(v *datasets.Value, it item) []sitting {
	out := make([]sitting, 0, len(it.Sessions))
	first := map[string]int{}
	dated := true
	for i, turns := range it.Sessions {
		s := sitting{index: i, turns: turns}
		if it.IDs != nil {
			s.id = it.IDs[i]
		}
		s.time = v.Time(datasets.LongMemEvalTime, it.Dates[i], "haystack_dates", strconv.Itoa(i))
		if dated = dated && !s.time.IsZero(); it.Dates[i] == "" {
			v.Warn("DST010", "a session without its date; the history keeps the file's order", s.id, "haystack_dates", strconv.Itoa(i))
		}
		if other, ok := first[s.id]; ok && s.id != "" {
			if slices.Equal(it.Sessions[other], turns) {
				v.Warn("DST015", "a session is repeated in one history; the first stays", s.id, "haystack_session_ids", strconv.Itoa(i))
				continue
			}
			v.Warn("DST015", "one session id means two sessions; both stay", s.id, "haystack_session_ids", strconv.Itoa(i))
		} else {
			first[s.id] = i
		}
		out = append(out, s)
	}
	byTime := func(a, b sitting) int { return a.time.Compare(b.time) }
	if dated && !slices.IsSortedFunc(out, byTime) {
		v.Warn("DST013", "the history is not in the order of its dates; sorted", it.ID, "haystack_dates")
		slices.SortStableFunc(out, byTime)
	}
	return out
}
