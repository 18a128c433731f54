package domaina

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
)

// Dataset is domain_a_v2.
func Dataset() datasets.Dataset {
	info, _ := datasets.Lookup("domain_a_v2")
	return datasets.Dataset{Info: info, Match: match, Cases: Cases}
}

func match(name string) bool {
	base := path.Base(name)
	return base == FileMain || base == FilePoints || base == FileCheckpoints || path.Ext(base) == ".json" && base != "small_ids.json" && base != "manifest.json"
}

// golds are the rows of the two side files, by sample: held while the main file
// streams, about the size of those files.
type golds struct {
	three       bool // the layout of three files
	points      map[string][]pointSession
	checkpoints map[string][]checkpoint
}

// Cases reads either layout; of the first all three files must be given.
func Cases(ctx context.Context, files []jsonl.File, o datasets.Options) schema.Seq[schema.Case] {
	return func(yield func(schema.Record[schema.Case], error) bool) {
		var main []jsonl.File
		side := map[string]jsonl.File{}
		for _, f := range files {
			switch base := plainBase(f.Name); base {
			case FilePoints, FileCheckpoints:
				side[base] = f
			default:
				main = append(main, f)
			}
		}
		g := golds{points: map[string][]pointSession{}, checkpoints: map[string][]checkpoint{}}
		g.three = slices.ContainsFunc(main, func(f jsonl.File) bool { return plainBase(f.Name) == FileMain }) || len(side) > 0
		if g.three {
			for _, name := range []string{FilePoints, FileCheckpoints} {
				f, ok := side[name]
				if !ok {
					at := ""
					if len(files) > 0 {
						at = files[0].Name
					}
					yield(schema.Record[schema.Case]{}, &schema.Finding{Pos: schema.Pos{File: at}, Code: "DST020", Message: "a file of the layout is missing", Want: name, Hint: "give the folder that holds all three"})
					return
				}
				if err := g.read(f, name, o); err != nil {
					yield(schema.Record[schema.Case]{}, err)
					return
				}
			}
		}
		datasets.Read(ctx, main, o, func(v *datasets.Value) (schema.Case, error) { return read(v, g) })(yield)
	}
}

func plainBase(name string) string {
	return jsonl.PlainName(path.Base(strings.ReplaceAll(name, "\\", "/")))
}

// read takes a side file; of a sample's several rows the last counts.
func (g golds) read(f jsonl.File, name string, o datasets.Options) error {
	for v, err := range datasets.FileValues([]jsonl.File{f}, o.Max) {
		if x, ok := err.(*schema.Finding); ok {
			o.Tell(x)
			continue
		}
		if err != nil {
			return err
		}
		id, twice := "", false
		if name == FilePoints {
			var r pointRow
			err = v.Decode(&r)
			_, twice = g.points[r.ID]
			id, g.points[r.ID] = r.ID, r.Sessions
		} else {
			var r checkpointRow
			err = v.Decode(&r)
			_, twice = g.checkpoints[r.ID]
			id, g.checkpoints[r.ID] = r.ID, r.Checkpoints
		}
		if x, ok := err.(*schema.Finding); ok {
			o.Tell(x)
			continue
		}
		if twice {
			x := v.Finding("DST021", "a second row of one sample; it replaces the first", "sample_id")
			x.Warning, x.Have = true, id
			o.Tell(x)
		}
	}
	return nil
}

func read(v *datasets.Value, g golds) (schema.Case, error) {
	var s sample
	if err := v.Decode(&s); err != nil {
		return schema.Case{}, err
	}
	if s.ID == "" {
		return schema.Case{}, v.Finding("DST001", "a sample without sample_id")
	}
	points, checkpoints := s.Points, s.Checkpoints
	if g.three {
		p, ok := g.points[s.ID]
		c, ok2 := g.checkpoints[s.ID]
		if !ok || !ok2 {
			f := v.Finding("DST020", "a sample without its rows in the other files", "sample_id")
			f.Have, f.Want = s.ID, "a row in "+FilePoints+" and in "+FileCheckpoints
			return schema.Case{}, f
		}
		points, checkpoints = p, c
	}
	b := datasets.NewBuilder("domain_a_v2", s.ID, schema.ConvID(s.ID), schema.UnitMemory)
	if s.Rest != nil {
		rest := *s.Rest
		rest.ID = s.ID
		b.Case = rest
		b.Case.Sessions, b.Case.Questions = nil, nil
	}
	byID := map[string]schema.MemoryPoint{}
	for i, raw := range s.Sessions {
		if err := addSession(v, b, raw, i, points, byID); err != nil {
			return schema.Case{}, err
		}
	}
	for _, cp := range checkpoints {
		for i, raw := range cp.Questions {
			ask(v, b, cp, i, raw, byID)
		}
	}
	return b.Case, nil
}

func addSession(v *datasets.Value, b *datasets.Builder, raw []byte, i int, points []pointSession, byID map[string]schema.MemoryPoint) error {
	place := []string{"sessions", strconv.Itoa(i)}
	var s session
	if err := v.DecodeCopy(raw, &s, place...); err != nil {
		return err
	}
	if s.ID == "" {
		v.Warn("DST010", "a session without _v2_session_id, skipped", "", place...)
		return nil
	}
	out := schema.Session{ID: s.ID, SourceID: s.SourceID, Time: s.Time}
	b.Session(out)
	for j, raw := range s.Dialogue {
		var e entry
		here := append(slices.Clone(place), "dialogue", strconv.Itoa(j))
		if err := codec.Unmarshal(raw, &e); err != nil {
			v.Warn("DST002", "an entry of the dialogue that is not a turn; it was skipped", string(raw), here...)
			continue
		}
		e.Role = cmp.Or(e.Role, "user")
		if !slices.Contains([]string{"user", "assistant", "system", "tool"}, e.Role) {
			v.Warn("DST002", "an unknown role, taken as the user's", e.Role, append(here, "role")...)
			e.Role = "user"
		}
		var att []schema.Attachment
		var names []string
		for _, a := range e.Attachments {
			x := schema.Attachment{Type: a.Type, ID: a.ImageID, Path: a.FilePath, URL: a.URL, Name: a.Name, Text: a.Caption}
			if x.Type == "" && !a.NoType {
				x.Type = "image_caption"
			}
			x.Path = cmp.Or(x.Path, a.ImagePath)
			att = append(att, x)
			if x.ID != "" {
				names = append(names, "image:"+x.ID)
			}
		}
		b.Turn(schema.CaseTurn{SourceID: e.SourceID, Role: e.Role, Name: e.Name, Text: e.Content.Text, Time: e.Timestamp, Attachments: att}, names...)
	}
	last := &b.Case.Sessions[len(b.Case.Sessions)-1]
	if last.Time == "" && len(last.Turns) > 0 && b.Case.Dataset == "domain_a_v2" {
		last.Time = last.Turns[0].Time
	}
	list := s.Points
	if s.ID != "S00" { // the first session's points are in the session, the others' in stage 4
		list = nil
		for _, p := range points {
			if p.ID == s.ID {
				list = append(list, p.Points...)
			}
		}
	}
	for _, p := range list {
		m := schema.MemoryPoint{ID: p.ID, Content: p.Content, Type: p.Type, Source: p.Source, IsUpdate: bool(p.IsUpdate), Originals: p.Originals, Importance: p.Importance, Evidence: p.Evidence}
		byID[m.ID] = m
		last.Points = append(last.Points, m)
	}
	return nil
}

func ask(v *datasets.Value, b *datasets.Builder, cp checkpoint, i int, raw []byte, byID map[string]schema.MemoryPoint) {
	var q question
	name := fmt.Sprintf("%s/%s/%d", b.Case.ID, cp.ID, i)
	if err := codec.Unmarshal(raw, &q); err != nil {
		f := v.Finding("DST002", "a question cannot be read, skipped: "+err.Error())
		f.Have = name
		v.Report(f)
		return
	}
	var out schema.Question
	if q.Rest != nil {
		out = *q.Rest
	} else {
		out = schema.Question{ID: name, Category: Category(q.Type, q.Abbrev), RawCategory: q.Type, Difficulty: q.Level}
		out.Abstain = out.Category == schema.CatABS
		out.RawCategory = cmp.Or(out.RawCategory, q.Abbrev)
		var turns []int
		for el := range codec.Elements(q.Evidence) {
			var e evidenceItem
			if codec.Unmarshal(el, &e) != nil {
				continue
			}
			id := e.MemoryID
			found := false
			if id != "" {
				var p schema.MemoryPoint
				if p, found = byID[id]; found {
					for _, r := range p.Evidence {
						turns = append(turns, r.TurnID)
					}
				}
			} else if id = e.ImageID; id != "" {
				t := b.Turns("image:" + id)
				turns, found = append(turns, t...), len(t) > 0
			} else {
				continue
			}
			out.EvidenceIDs = append(out.EvidenceIDs, id)
			if !found {
				out.Unresolved = append(out.Unresolved, id)
			}
		}
		out.Evidence = b.Refs(turns)
	}
	out.Text, out.Answer = q.Question.Text, v.Gold(q.Answer)
	if cp.Rest == nil || !cp.Rest.ID {
		out.Checkpoint = cp.ID
	}
	if cp.Rest == nil || !cp.Rest.Covered {
		out.Covered = cp.Covered
	}
	b.Case.Questions = append(b.Case.Questions, out)
}

// Category maps a question type by its words and its abbreviation: the set of types
// was not at hand. What none of them names is information extraction.
func Category(label, abbrev string) string {
	l := strings.ToLower(label)
	for _, r := range []struct{ word, cat string }{
		{"visual", schema.CatVIS}, {"image", schema.CatVIS}, {"abst", schema.CatABS}, {"refus", schema.CatABS}, {"boundary", schema.CatABS}, {"unanswer", schema.CatABS},
		{"conflict", schema.CatCR}, {"update", schema.CatKU}, {"dynamic", schema.CatKU}, {"temporal", schema.CatTR}, {"time", schema.CatTR},
		{"multi", schema.CatMR}, {"cross", schema.CatMR}, {"summar", schema.CatLRU}, {"rule", schema.CatTTL}, {"learn", schema.CatTTL},
	} {
		if strings.Contains(l, r.word) {
			return r.cat
		}
	}
	switch strings.ToUpper(abbrev) {
	case "VFR", "VS", "VU":
		return schema.CatVIS
	}
	return schema.CatIE
}
