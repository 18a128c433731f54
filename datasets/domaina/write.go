package domaina

import (
	"cmp"
	"encoding/json"
	"io"
	"path/filepath"
	"slices"

	"membench/datasets"
	"membench/internal/atomicfile"
	"membench/internal/codec"
	"membench/schema"
)

// Out are the three files.
type Out struct{ Main, Points, Checkpoints io.Writer }

// WriteFolder writes the three files into a folder. It ends at the first error of the stream.
func WriteFolder(dir string, in schema.Seq[schema.Case]) error {
	var files []*atomicfile.File
	defer func() {
		for _, f := range files {
			f.Close() // nothing after Commit
		}
	}()
	for _, name := range []string{FileMain, FilePoints, FileCheckpoints} {
		f, err := atomicfile.Create(filepath.Join(dir, name))
		if err != nil {
			return err
		}
		files = append(files, f)
	}
	if _, err := Write(Out{files[0], files[1], files[2]}, in, func(*schema.Finding) {}); err != nil {
		return err
	}
	for _, f := range files {
		if err := f.Commit(); err != nil {
			return err
		}
	}
	return nil
}

// Write writes cases in the layout of three files and returns how many. It holds one
// case at a time. A finding in the stream is handed to tell; any other error ends it.
func Write(out Out, in schema.Seq[schema.Case], tell func(*schema.Finding)) (n int, err error) {
	for r, err := range in {
		if f, ok := err.(*schema.Finding); ok {
			tell(f)
			if !f.Warning {
				continue
			}
		} else if err != nil {
			return n, err
		}
		s, p, c, err := split(r.V)
		if err != nil {
			return n, err
		}
		start := "[\n"
		if n > 0 {
			start = ",\n"
		}
		if err := put(out.Main, start, s, ""); err != nil {
			return n, err
		}
		if err := put(out.Points, "", p, "\n"); err != nil {
			return n, err
		}
		if err := put(out.Checkpoints, "", c, "\n"); err != nil {
			return n, err
		}
		n++
	}
	end := "\n]\n"
	if n == 0 {
		end = "[]\n"
	}
	_, err = io.WriteString(out.Main, end)
	return n, err
}

func put(w io.Writer, before string, v any, after string) error {
	b, err := codec.Append([]byte(before), v, codec.Spaced)
	if err != nil {
		return err
	}
	_, err = w.Write(append(b, after...))
	return err
}

func raw(v any) (json.RawMessage, error) { return codec.Append(nil, v, codec.Spaced) }

func text(s string) datasets.Scalar { return datasets.Scalar{Text: s, Kind: '"'} }

func split(c schema.Case) (sample, pointRow, checkpointRow, error) {
	rest := c
	rest.Sessions, rest.Questions = nil, nil
	s := sample{UUID: c.ID, ID: c.ID, Rest: &rest}
	p := pointRow{UUID: c.ID, ID: c.ID}
	k := checkpointRow{UUID: c.ID, ID: c.ID}
	var all []string
	for _, in := range c.Sessions {
		all = append(all, in.ID)
		out := session{ID: in.ID, SourceID: in.SourceID, Time: in.Time}
		for _, t := range in.Turns {
			e := entry{Role: t.Role, Content: text(t.Text), Timestamp: t.Time, Name: t.Name, SourceID: t.SourceID}
			for _, a := range t.Attachments {
				e.Attachments = append(e.Attachments, attachment{Caption: a.Text, Type: a.Type, ImageID: a.ID, FilePath: a.Path, URL: a.URL, Name: a.Name, NoType: a.Type == ""})
			}
			b, err := raw(e)
			if err != nil {
				return s, p, k, err
			}
			out.Dialogue = append(out.Dialogue, b)
		}
		var points []point
		for _, m := range in.Points {
			points = append(points, point{ID: m.ID, Content: m.Content, Type: m.Type, Source: m.Source, IsUpdate: flag(m.IsUpdate), Originals: m.Originals, Importance: m.Importance, Evidence: m.Evidence})
		}
		if in.ID == "S00" {
			out.Points = points
		} else if points != nil {
			p.Sessions = append(p.Sessions, pointSession{ID: in.ID, Points: points})
		}
		b, err := raw(out)
		if err != nil {
			return s, p, k, err
		}
		s.Sessions = append(s.Sessions, b)
	}
	for i, q := range c.Questions {
		if i == 0 || q.Checkpoint != c.Questions[i-1].Checkpoint || !slices.Equal(q.Covered, c.Questions[i-1].Covered) {
			cp := checkpoint{ID: q.Checkpoint, Covered: q.Covered}
			if im := (implied{ID: cp.ID == "", Covered: cp.Covered == nil}); im != (implied{}) {
				cp.Rest = &im
			}
			cp.ID = cmp.Or(cp.ID, "end")
			if cp.Covered == nil {
				cp.Covered = all
			}
			k.Checkpoints = append(k.Checkpoints, cp)
		}
		out := question{Question: text(q.Text), Answer: text(q.Answer), Type: q.RawCategory, Abbrev: q.Category, Level: q.Difficulty}
		items := []evidenceItem{}
		if c.Unit == schema.UnitMemory {
			for _, id := range q.EvidenceIDs {
				items = append(items, evidenceItem{MemoryID: id})
			}
		}
		var err error
		if out.Evidence, err = raw(items); err != nil {
			return s, p, k, err
		}
		q.Text, q.Answer, q.Covered = "", "", nil
		out.Rest = &q
		b, err := raw(out)
		if err != nil {
			return s, p, k, err
		}
		cp := &k.Checkpoints[len(k.Checkpoints)-1]
		cp.Questions = append(cp.Questions, b)
	}
	return s, p, k, nil
}
