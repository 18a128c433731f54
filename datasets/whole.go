package datasets

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"slices"
	"strings"

	"membench/schema"
	"membench/schema/jsonl"
)

// Counts is the size of a data set, or of a case; 0 is unknown.
type Counts struct {
	Cases     int `json:"cases,omitzero"`
	Sessions  int `json:"sessions,omitzero"`
	Turns     int `json:"turns,omitzero"`
	Questions int `json:"questions,omitzero"`
}

// Read is Cases with the findings that need the catalogue and all files: files whose checksum differs from the catalogue's, cases smaller than in the
// catalogue, files without a case, and the errors that a Checker finds in a case; with Options.Lint also its warnings.
func (d Dataset) Read(ctx context.Context, files []jsonl.File, o Options) schema.Seq[schema.Case] {
	return func(yield func(schema.Record[schema.Case], error) bool) {
		sums := d.withSums(files)
		cases, found := 0, 0
		var check Checker
		report := o.Report
		o.Report = func(f *schema.Finding) {
			found++
			if report != nil {
				report(f)
			}
		}
		for r, err := range d.Cases(ctx, files, o) {
			var f *schema.Finding
			switch {
			case errors.As(err, &f):
				found++
			case err == nil:
				cases++
				d.short(r, o.Tell)
				check.Check(r.Pos, r.V, func(f *schema.Finding) {
					if !f.Warning || o.Lint {
						o.Tell(f)
					}
				})
			}
			if !yield(r, err) {
				return
			}
		}
		if cases == 0 && found == 0 && d.Match != nil {
			o.Tell(&schema.Finding{Pos: schema.Pos{File: files[0].Name}, Code: "DST001", Message: "it contains no case", Want: d.Title, Hint: "membench datasets info " + d.Name + " says which files the reader takes"})
		}
		for _, s := range sums {
			s.check(o.Tell)
		}
	}
}

// short reports a case that holds less than the catalogue states.
func (d Dataset) short(r schema.Record[schema.Case], tell func(*schema.Finding)) {
	c, turns := r.V, 0
	for _, s := range c.Sessions {
		turns += len(s.Turns)
	}
	want, known := d.ByCase[c.ID]
	if !known && d.Whole.Questions > 0 {
		want.Questions = 1
	}
	var have, least []string
	for _, x := range []struct {
		what       string
		have, want int
	}{{"sessions", len(c.Sessions), want.Sessions}, {"turns", turns, want.Turns}, {"questions", len(c.Questions), want.Questions}} {
		if x.have < x.want {
			have, least = append(have, fmt.Sprintf("%d %s", x.have, x.what)), append(least, fmt.Sprintf("%d %s", x.want, x.what))
		}
	}
	if have != nil {
		tell(&schema.Finding{Pos: r.Pos, Code: "DST024", Message: "the case " + c.ID + " holds less than its data set has", Have: strings.Join(have, ", "), Want: "at least " + strings.Join(least, ", ")})
	}
}

// A sum is the checksum of a file that bears the name of one in the catalogue, taken
// while its reader reads it.
type sum struct {
	file File
	at   string
	h    hash.Hash
	end  bool // it was read to its end
}

// withSums makes such files of the list take their sum while they are read.
func (d Dataset) withSums(files []jsonl.File) (out []*sum) {
	for i, f := range files {
		k := slices.IndexFunc(d.Files, func(c File) bool { return c.SHA256 != "" && strings.HasPrefix(c.Name, BaseName(f.Name)+".") })
		if k < 0 {
			continue
		}
		s := &sum{file: d.Files[k], at: f.Name, h: sha256.New()}
		out = append(out, s)
		files[i].Open = func() (io.ReadCloser, error) {
			r, err := f.Open()
			if err != nil {
				return nil, err
			}
			s.h.Reset()
			s.end = false
			return summed{r, s}, nil
		}
	}
	return out
}

type summed struct {
	io.ReadCloser
	s *sum
}

func (r summed) Read(p []byte) (int, error) {
	n, err := r.ReadCloser.Read(p)
	r.s.h.Write(p[:n])
	r.s.end = r.s.end || err == io.EOF
	return n, err
}

func (s *sum) check(tell func(*schema.Finding)) {
	if have := hex.EncodeToString(s.h.Sum(nil)); s.end && have != s.file.SHA256 {
		tell(&schema.Finding{Pos: schema.Pos{File: s.at}, Code: "DST025", Warning: true, Message: "the file has the name of a published file and another checksum", Have: have, Want: s.file.SHA256})
	}
}
