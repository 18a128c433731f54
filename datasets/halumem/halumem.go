// Package halumem reads HaluMem: one user a record, sessions with gold memory points,
// questions asked at the end of the session that they are in.
//
// Sessions have no id in the source: their index is one. Evidence is given as texts
// of memory points and is resolved by them; what an update replaces is text too and
// stays text, as most of it matches no earlier point word for word.
package halumem

import (
	"context"
	"fmt"
	"path"
	"strconv"
	"strings"

	"membench/datasets"
	"membench/schema"
	"membench/schema/jsonl"
)

// Dataset is HaluMem.
func Dataset() datasets.Dataset {
	info, _ := datasets.Lookup("halumem")
	return datasets.Dataset{Info: info, Match: match, Cases: Cases}
}

func match(name string) bool { return path.Ext(name) == ".jsonl" }

type user struct {
	UUID     string    `json:"uuid"`
	Persona  string    `json:"persona_info"`
	Sessions []session `json:"sessions"`
}

type session struct {
	Start     string     `json:"start_time"`
	Points    []point    `json:"memory_points"`
	Dialogue  []turn     `json:"dialogue"`
	Questions []question `json:"questions"`
}

type turn struct {
	Role    string `json:"role"`
	Content string `json:"content"`
	Time    string `json:"timestamp"`
	Round   int    `json:"dialogue_turn"`
}

type point struct {
	Content    string          `json:"memory_content"`
	Type       string          `json:"memory_type"`
	Source     string          `json:"memory_source"`
	IsUpdate   datasets.Scalar `json:"is_update"` // the text "True" or "False"
	Originals  []string        `json:"original_memories"`
	Importance *float64        `json:"importance"`
}

type question struct {
	Question string          `json:"question"`
	Answer   datasets.Scalar `json:"answer"`
	Type     string          `json:"question_type"`
	Level    string          `json:"difficulty"`
	Evidence []struct {
		Content string `json:"memory_content"`
	} `json:"evidence"`
}

const timeLayout = "Jan 02, 2006, 15:04:05"

// Cases reads users. A memory point's id is its session's and its place there,
// "S03-m05"; a question's <uuid>/S03/q/0, at the checkpoint S03.
func Cases(ctx context.Context, files []jsonl.File, o datasets.Options) schema.Seq[schema.Case] {
	return datasets.ReadAs(ctx, files, o, read)
}

func read(v *datasets.Value, u user) (schema.Case, error) {
	if u.UUID == "" || len(u.Sessions) == 0 {
		return schema.Case{}, v.Finding("DST001", "a user without uuid or sessions")
	}
	b := datasets.NewBuilder("halumem", u.UUID, schema.ConvID(u.UUID), schema.UnitMemory)
	if u.Persona != "" {
		meta, err := schema.NewObject(map[string]string{"persona_info": u.Persona})
		if err != nil {
			return schema.Case{}, err
		}
		b.Case.Meta = meta
	}
	points := map[string]string{} // text → id of its last point
	var covered []string
	for i, s := range u.Sessions {
		id := datasets.Numbered("S", i+1, 2)
		at := []string{"sessions", strconv.Itoa(i)}
		covered = append(covered[:len(covered):len(covered)], id)
		b.Session(schema.Session{ID: id, Time: when(v, s.Start, append(at, "start_time")...)})
		for j, t := range s.Dialogue {
			here := append(at[:2:2], "dialogue", strconv.Itoa(j))
			if strings.TrimSpace(t.Content) == "" {
				v.Warn("DST014", "a turn without text, skipped", "", here...)
				continue
			}
			if t.Role != "user" && t.Role != "assistant" {
				v.Warn("DST002", "an unknown role, taken as the user's", t.Role, append(here, "role")...)
				t.Role = "user"
			}
			b.Turn(schema.CaseTurn{SourceID: fmt.Sprintf("%s:%d", id, j), Role: t.Role, Text: t.Content, Time: when(v, t.Time, append(here, "timestamp")...)})
		}
		last := &b.Case.Sessions[i]
		for j, p := range s.Points {
			m := schema.MemoryPoint{ID: fmt.Sprintf("%s-m%02d", id, j+1), Content: p.Content, Type: p.Type, Source: p.Source,
				IsUpdate: strings.EqualFold(p.IsUpdate.Text, "true"), Originals: p.Originals, Importance: p.Importance}
			points[p.Content] = m.ID
			last.Points = append(last.Points, m)
		}
		for j, q := range s.Questions {
			if out, ok := ask(v, q, fmt.Sprintf("%s/%s/q/%d", u.UUID, id, j), points, append(at[:2:2], "questions", strconv.Itoa(j))); ok {
				out.Checkpoint, out.Covered, out.AsOf = id, covered, last.Time
				if n := len(last.Turns); n > 0 {
					out.AsOf = last.Turns[n-1].Time
				}
				b.Case.Questions = append(b.Case.Questions, out)
			}
		}
	}
	return b.Case, nil
}

func ask(v *datasets.Value, q question, id string, points map[string]string, at []string) (schema.Question, bool) {
	cat := datasets.CategoryIn("halumem", q.Type)
	if cat == "" {
		f := v.Finding("DST003", "an unknown question_type, the question skipped", append(at, "question_type")...)
		f.Have = q.Type
		v.Report(f)
		return schema.Question{}, false
	}
	out := schema.Question{ID: id, Text: q.Question, Answer: v.Gold(q.Answer, append(at, "answer")...), Category: cat, RawCategory: q.Type, Difficulty: q.Level, Abstain: cat == schema.CatABS}
	for _, e := range q.Evidence {
		m, ok := points[e.Content]
		if !ok {
			m = e.Content
			out.Unresolved = append(out.Unresolved, m)
		}
		out.EvidenceIDs = append(out.EvidenceIDs, m)
	}
	return out, true
}

func when(v *datasets.Value, s string, at ...string) string {
	return datasets.LocalTime(v.Time(timeLayout, s, at...))
}
