package compare

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"

	"membench/eval/protocol"
	"membench/eval/records"
	"membench/internal/build"
	"membench/schema"
	"membench/schema/jsonl"
)

// Files are runs on disk: folders with qa_records.jsonl, or such files.
type Files struct {
	Options
	Paths    []string
	Examples int // questions to show of each pair, or gate; 0: none
	Stdin    io.Reader
	Found    func(*schema.Finding) // gets each finding in the records
	Counted  func()                // called for each good record; nil: not called
}

// A source is one of the paths, and the runs that it holds.
type source struct {
	qa   string
	runs []*Run
}

// read reads every path. A system that several of them have is named with its path.
func (f Files) read(ctx context.Context, measured ...string) ([]source, error) {
	var out []source
	type place struct {
		path string
		run  *Run
	}
	same := map[string][]place{} // by data set and system
	for _, path := range f.Paths {
		qa, _, err := records.Find(path)
		if err != nil {
			return nil, err
		}
		if qa == "" {
			return nil, fmt.Errorf("%s: no qa_records.jsonl: only answers are compared", path)
		}
		in := source{qa: qa}
		answers := new(protocol.Repeats).Over(ctx, records.QA(ctx, f.Stdin, qa))
		if f.Counted != nil {
			answers = schema.Observe(answers, func(*schema.QARecord) { f.Counted() })
		}
		if in.runs, err = Read(answers, f.Found, measured...); err != nil {
			return nil, err
		}
		for _, r := range in.runs {
			key := r.Dataset + "\x00" + r.System
			same[key] = append(same[key], place{path, r})
		}
		out = append(out, in)
	}
	if err := readDialogues(ctx, out); err != nil {
		return nil, err
	}
	pairByText(runsOf(out))
	for _, places := range same {
		for _, x := range places {
			if len(places) > 1 {
				x.run.Name = records.NameIn(x.path, x.run.System)
			}
		}
	}
	return out, nil
}

// readDialogues takes in the conversations of the cases that runs keep in their folders, unless all of them keep the same file. It holds 32 bytes for each.
func readDialogues(ctx context.Context, in []source) error {
	files, digests := make([]string, len(in)), map[string]bool{}
	for i, x := range in {
		if base := filepath.Base(x.qa); x.qa == "-" || base != records.QAFile && base != records.AskedFile {
			continue
		}
		if files[i] = records.In(filepath.Dir(x.qa), "cases.jsonl"); files[i] == "" {
			continue
		}
		d, err := build.Digest(files[i])
		if err != nil {
			return err
		}
		digests[d.SHA256] = true
	}
	if len(digests) < 2 {
		return nil
	}
	for i, x := range in {
		if files[i] == "" {
			continue
		}
		for c, err := range jsonl.Until(ctx, records.Cases(nil, files[i])) {
			if !schema.Whole(err) {
				return err
			}
			sum := sha256.New()
			for _, s := range c.V.Sessions {
				fmt.Fprintf(sum, "%q\n", s.Time)
				for _, t := range s.Turns {
					fmt.Fprintf(sum, "%#v\n", t.Turn(c.V.ConvID))
				}
			}
			for _, r := range x.runs {
				if r.Dataset == c.V.Dataset {
					r.prints.Dialogue(c.V.ID, [32]byte(sum.Sum(nil)))
				}
			}
		}
	}
	return nil
}

// fill reads the runs a second time, for the texts of examples.
func (f Files) fill(ctx context.Context, in []source, wanted ...*Wanted) error {
	for _, w := range wanted {
		for _, x := range in {
			if err := w.Read(records.QA(ctx, f.Stdin, x.qa), x.runs); err != nil {
				return err
			}
		}
	}
	return nil
}

// Compare compares the runs, each pair question by question. Runs that differ after records were lost are an error of the data.
func (f Files) Compare(ctx context.Context) (*Report, error) {
	report, lost := f.Found, false
	f.Found = func(x *schema.Finding) {
		lost = lost || !x.Warning
		report(x)
	}
	in, err := f.read(ctx)
	if err != nil {
		return nil, err
	}
	runs := runsOf(in)
	rep, err := Compare(runs, f.Options)
	var differ *FingerprintError
	if lost && errors.As(err, &differ) {
		return nil, &schema.BrokenError{Err: err}
	}
	if err != nil || f.Examples == 0 {
		return rep, err
	}
	w, err := Examples(rep, runs, f.Options, f.Examples)
	if err != nil {
		return nil, err
	}
	return rep, f.fill(ctx, in, w)
}

func runsOf(in []source) (out []*Run) {
	for _, x := range in {
		out = append(out, x.runs...)
	}
	return out
}

// A Verdict is the result of gates.
type Verdict struct {
	Alpha float64 `json:"alpha"`
	Gates []Gated `json:"gates"`
	// Failed reports that a gate got worse, or, unless that is accepted, that the baseline was scored on questions that a new run was not.
	Failed       bool `json:"worse"`
	Worse        int  `json:"-"`            // gates
	Inconclusive int  `json:"inconclusive"` // gates
	Lost         int  `json:"-"`            // gates with questions that only the baseline was scored on
}

// Variation returns how the differences of two paths with one run each vary, and the number of questions per conversation.
func (f Files) Variation(ctx context.Context) (v Variation, perConversation float64, err error) {
	in, err := f.read(ctx)
	if err != nil {
		return v, 0, err
	}
	for i, x := range in {
		if len(x.runs) != 1 {
			return v, 0, fmt.Errorf("%s holds %d systems and data sets: a pilot compares one with one", f.Paths[i], len(x.runs))
		}
	}
	return VariationOf(in[0].runs[0], in[1].runs[0], f.Options)
}

// Hold compares the runs of all other paths with those of the first, the baseline. uneven accepts questions that only the baseline was scored on.
func (f Files) Hold(ctx context.Context, gates []Gate, uneven bool) (v Verdict, err error) {
	in, err := f.read(ctx, MeasuresOf(gates)...)
	if err != nil {
		return v, err
	}
	runs := runsOf(in[1:])
	v.Alpha = f.Alpha
	if v.Gates, err = Hold(in[0].runs, runs, gates, f.Options); err != nil {
		return v, err
	}
	if uneven {
		v.Gates = slices.DeleteFunc(v.Gates, func(x Gated) bool { return x.Gone })
	}
	if f.Examples > 0 {
		wanted, err := LostExamples(v.Gates, in[0].runs, runs, f.Examples)
		if err != nil {
			return v, err
		}
		if err := f.fill(ctx, in, wanted...); err != nil {
			return v, err
		}
	}
	for i := range v.Gates {
		x := &v.Gates[i]
		if x.Outcome == NotWorse && x.Lost > 0 && !uneven {
			x.Outcome = Lost
		}
		switch x.Outcome {
		case Worse:
			v.Worse++
		case Inconclusive:
			v.Inconclusive++
		}
		if x.Lost > 0 {
			v.Lost++
		}
	}
	v.Failed = v.Worse > 0 || v.Lost > 0 && !uneven
	return v, nil
}
