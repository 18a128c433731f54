// Package memgallery reads Mem-Gallery: dialogues of rounds (a user's and an
// assistant's turn), some with an image, and questions that name rounds as clues. A
// caption stands in for each image; the images themselves are only named.
package memgallery

import (
	"cmp"
	"context"
	"path"
	"strconv"
	"strings"
	"time"

	"membench/datasets"
	"membench/schema"
	"membench/schema/jsonl"
)

// Dataset is Mem-Gallery.
func Dataset() datasets.Dataset {
	info, _ := datasets.Lookup("memgallery")
	return datasets.Dataset{Info: info, Match: match, Cases: Cases}
}

func match(name string) bool {
	return path.Ext(name) == ".json" && !strings.Contains(name, "result")
}

type dialog struct {
	Profile   schema.Object `json:"character_profile"`
	Sessions  []session     `json:"multi_session_dialogues"`
	Questions []question    `json:"human-annotated QAs"`
}

type session struct {
	ID     string  `json:"session_id"`
	Date   string  `json:"date"`
	Rounds []round `json:"dialogues"`
}

type round struct {
	ID        string   `json:"round"`
	User      string   `json:"user"`
	Assistant string   `json:"assistant"`
	ImageID   []string `json:"image_id"`
	Image     []string `json:"input_image"`
	Caption   []string `json:"image_caption"`
}

type question struct {
	Point    string          `json:"point"`
	Question string          `json:"question"`
	Answer   datasets.Scalar `json:"answer"`
	Sessions []string        `json:"session_id"`
	Clue     []string        `json:"clue"`
	Image    string          `json:"question_image"`
	Caption  string          `json:"image_caption"`
}

// Cases reads dialogues, one a file; the case is named by the file. A question's id is
// <case>/qa/<index>: question and answer repeat, only the image differs.
func Cases(ctx context.Context, files []jsonl.File, o datasets.Options) schema.Seq[schema.Case] {
	return datasets.ReadAs(ctx, files, o, read)
}

func read(v *datasets.Value, d dialog) (schema.Case, error) {
	if len(d.Sessions) == 0 {
		return schema.Case{}, v.Finding("DST001", "a dialogue without multi_session_dialogues")
	}
	id := datasets.BaseName(v.Pos.File)
	if v.Index > 0 {
		id += "#" + strconv.Itoa(v.Index)
	}
	b := datasets.NewBuilder("memgallery", id, schema.ConvID(id), schema.UnitRound)
	b.Case.Meta = d.Profile
	if name := d.Profile.Text("name"); name != "" {
		b.Case.Speakers = []string{name, "Assistant"}
	}
	for i, s := range d.Sessions {
		at := []string{"multi_session_dialogues", strconv.Itoa(i)}
		if v.Time(time.DateOnly, s.Date, append(at, "date")...).IsZero() {
			s.Date = ""
		}
		s.ID = cmp.Or(s.ID, "D"+strconv.Itoa(i+1))
		b.Session(schema.Session{ID: s.ID, Time: s.Date})
		for j, r := range s.Rounds {
			addRound(v, b, r, s.Date, append(at[:2:2], "dialogues", strconv.Itoa(j)))
		}
	}
	for i, q := range d.Questions {
		cat := datasets.CategoryIn("memgallery", q.Point)
		if cat == "" {
			f := v.Finding("DST003", "an unknown point, the question skipped", "human-annotated QAs", strconv.Itoa(i), "point")
			f.Have = q.Point
			v.Report(f)
			continue
		}
		out := schema.Question{ID: id + "/qa/" + strconv.Itoa(i), Text: q.Question, Answer: v.Gold(q.Answer, "human-annotated QAs", strconv.Itoa(i), "answer"), Category: cat, RawCategory: q.Point, Abstain: cat == schema.CatABS, EvidenceIDs: q.Clue}
		out.Evidence, out.Unresolved = b.Resolve(q.Clue)
		if q.Image != "" || q.Caption != "" {
			out.Attachments = []schema.Attachment{{Type: "image", Path: q.Image, Text: q.Caption}}
		}
		b.Case.Questions = append(b.Case.Questions, out)
	}
	return b.Case, nil
}

// addRound makes two turns of a round; the image belongs to the user's.
func addRound(v *datasets.Value, b *datasets.Builder, r round, date string, at []string) {
	var att []schema.Attachment
	for i := range max(len(r.ImageID), len(r.Image), len(r.Caption)) {
		get := func(list []string) string {
			if i < len(list) {
				return list[i]
			}
			return ""
		}
		att = append(att, schema.Attachment{Type: "image", ID: get(r.ImageID), Path: get(r.Image), Text: get(r.Caption)})
	}
	user := len(att) > 0 || strings.TrimSpace(r.User) != ""
	if user {
		b.Turn(schema.CaseTurn{SourceID: r.ID, Role: "user", Text: r.User, Time: date, Attachments: att})
	}
	if strings.TrimSpace(r.Assistant) != "" {
		b.Turn(schema.CaseTurn{SourceID: r.ID, Role: "assistant", Text: r.Assistant, Time: date})
	} else if !user {
		v.Warn("DST014", "a round without text, skipped", r.ID, at...)
	}
}
