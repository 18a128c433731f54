// Package conformance runs golden vectors: it compares the original scorers' results for given inputs with ours. A vector file is JSON Lines,
// FILE.dev.jsonl, one row
// a case, as `docs/metrics.md` describes; the rows with invented text are built in, so that a program can verify by itself what it reproduces.
//
// A row that needs data which is not at hand (`ref` rows, prompts of the original) is
// skipped and shown, never counted as passed. A file is held in memory while its rows
// are checked.
package conformance

import (
	"bytes"
	"embed"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"math"
	"path"
	"slices"
	"strings"

	"membench/eval/protocol"
	"membench/internal/codec"
)

//go:embed golden
var builtIn embed.FS

// BuiltIn are the golden vectors that the program carries.
func BuiltIn() fs.FS {
	sub, err := fs.Sub(builtIn, "golden")
	if err != nil {
		panic(err) // embedded: a broken build
	}
	return sub
}

// Options of Run.
type Options struct {
	Golden  fs.FS             // folder of FILE.dev.jsonl or FILE.jsonl; nil: those built in
	Data    fs.FS             // data that `ref` rows refer to; nil: they are skipped
	Prompts *protocol.Prompts // the user's copies of original prompts; nil: rows that hash them are skipped
	Limit   int               // failures kept per file; 0: all
}

// A Result is one file's outcome.
type Result struct {
	Name      string    `json:"name"`
	Protocols []string  `json:"protocols"` // protocols compared with their originals
	Origin    string    `json:"origin"`    // the version of the original
	Passed    int       `json:"passed"`
	Failed    int       `json:"failed"`
	Skipped   int       `json:"skipped"` // for want of data
	Want      []string  `json:"want,omitempty"`
	Failures  []Failure `json:"failures,omitempty"`
}

// A Failure is one value that differs.
type Failure struct {
	ID    string `json:"id"`
	Field string `json:"field"`
	Have  string `json:"have"`
	Want  string `json:"want"`
}

// A check holds the rows of one file.
type check struct {
	name      string
	protocols []string
	origin    string
	row       func(s *suite, raw []byte) error
}

// rowsOf reads the rows of a check.
func rowsOf[T any](row func(s *suite, r T) error) func(*suite, []byte) error {
	return func(s *suite, raw []byte) error {
		var r T
		if err := codec.Unmarshal(raw, &r); err != nil {
			return err
		}
		return row(s, r)
	}
}

// suite is one file being checked.
type suite struct {
	o       Options
	golden  fs.FS
	res     *Result
	lines   map[string][][]byte // of the data files that rows point into
	cache   map[string]any      // data that a check reads once
	id      string
	bad     bool
	skipped string
}

// Run checks every vector file of the folder. A file that no check knows fails by one
// row: a golden folder is for running.
func Run(o Options) (rep Report, err error) {
	golden := o.Golden
	if golden == nil {
		golden = BuiltIn()
	}
	names, err := fs.Glob(golden, "*.jsonl")
	if err != nil {
		return rep, err
	}
	slices.Sort(names)
	if len(names) == 0 {
		return rep, fmt.Errorf("no vector file (*.jsonl) in the golden folder")
	}
	// Files of data are shared between checks that point into the same ones.
	lines := map[string][][]byte{}
	all := checks()
	for _, file := range names {
		stem := strings.TrimSuffix(strings.TrimSuffix(file, ".jsonl"), ".dev")
		i := slices.IndexFunc(all, func(c check) bool { return c.name == stem })
		if i < 0 {
			rep.add(Result{Name: stem, Failed: 1, Failures: []Failure{{Field: "file", Have: file, Want: "one of " + known(all)}}})
			continue
		}
		b, err := fs.ReadFile(golden, file)
		if err != nil {
			return rep, err
		}
		c := all[i]
		s := &suite{o: o, golden: golden, res: &Result{Name: stem, Protocols: c.protocols, Origin: c.origin}, lines: lines, cache: map[string]any{}}
		s.file(b, c)
		rep.add(*s.res)
	}
	return rep, nil
}

func known(all []check) string {
	var out []string
	for _, c := range all {
		out = append(out, c.name)
	}
	return strings.Join(out, ", ")
}

func (s *suite) file(b []byte, c check) {
	n := 0
	for line := range bytes.SplitSeq(b, []byte{'\n'}) { // rows hold U+2028 and U+0085
		n++
		if len(line) == 0 {
			continue
		}
		var head struct {
			ID string `json:"id"`
		}
		s.id, s.bad, s.skipped = fmt.Sprintf("line %d", n), false, ""
		if err := codec.Unmarshal(line, &head); err != nil {
			s.fail("row", err.Error(), "one JSON object")
		} else {
			if head.ID != "" {
				s.id = head.ID
			}
			if err := c.row(s, line); err != nil {
				s.fail("row", err.Error(), "a row of the form in docs/metrics.md")
			}
		}
		switch {
		case s.bad:
			s.res.Failed++
		case s.skipped != "":
			s.res.Skipped++
			if !slices.Contains(s.res.Want, s.skipped) {
				s.res.Want = append(s.res.Want, s.skipped)
			}
		default:
			s.res.Passed++
		}
	}
}

func (s *suite) fail(field, have, want string) {
	s.bad = true
	if s.o.Limit == 0 || len(s.res.Failures) < s.o.Limit {
		s.res.Failures = append(s.res.Failures, Failure{s.id, field, have, want})
	}
}

// skip skips the row because of the missing thing that want names.
func (s *suite) skip(want string) { s.skipped = want }

// tolerance of scores; BM25 has its own.
const tolerance = 1e-9

func (s *suite) near(field string, have, want, within float64) {
	if !(math.Abs(have-want) <= within || math.IsNaN(have) && math.IsNaN(want)) {
		s.fail(field, fmt.Sprint(have), fmt.Sprint(want))
	}
}

func (s *suite) num(field string, have, want float64) { s.near(field, have, want, tolerance) }

// same compares printed forms; texts are quoted.
func (s *suite) same(field string, have, want any) {
	verb := "%v"
	switch have.(type) {
	case string, []string:
		verb = "%q"
	}
	if h, w := fmt.Sprintf(verb, have), fmt.Sprintf(verb, want); h != w {
		s.fail(field, h, w)
	}
}

// ref points at one line of a file of data, counted from 0.
type ref struct {
	File string `json:"file"`
	Line int    `json:"line"`
}

// given fills in answer and gold if a row refers to recorded ones; ok is false, and the row skipped, if the data is not available.
func (s *suite) given(r *ref, answer *string, gold *text) (ok bool, err error) {
	if r == nil {
		return true, nil
	}
	a, g, ok, err := s.pair(*r)
	if ok && err == nil {
		*answer, *gold = a, text(strings.Join(g, ", "))
	}
	return ok, err
}

// pair returns a recorded answer and its gold as Python's str prints them; ok is false, and the row skipped, if the data is not available.
func (s *suite) pair(r ref) (answer string, gold []string, ok bool, err error) {
	if s.o.Data == nil {
		s.skip(path.Dir(r.File) + " (--data)")
		return "", nil, false, nil
	}
	lines, have := s.lines[r.File]
	if !have {
		b, err := fs.ReadFile(s.o.Data, path.Clean(r.File))
		if err != nil {
			s.skip(r.File)
			return "", nil, false, nil
		}
		lines = bytes.Split(b, []byte{'\n'})
		s.lines[r.File] = lines
	}
	if r.Line < 0 || r.Line >= len(lines) {
		return "", nil, false, fmt.Errorf("%s has %d lines, the row names %d", r.File, len(lines), r.Line)
	}
	var row struct {
		Answer json.RawMessage `json:"answer"`
		Gold   json.RawMessage `json:"gold"`
		Golds  json.RawMessage `json:"golds"`
	}
	if err := codec.Unmarshal(lines[r.Line], &row); err != nil {
		return "", nil, false, fmt.Errorf("%s:%d: %w", r.File, r.Line+1, err)
	}
	a, err := flat(row.Answer)
	if err != nil || len(a) != 1 {
		return "", nil, false, fmt.Errorf("%s:%d: answer %s: want one text", r.File, r.Line+1, row.Answer)
	}
	if len(row.Gold) == 0 {
		row.Gold = row.Golds
	}
	gold, err = flat(row.Gold)
	return a[0], gold, true, err
}

// flat reads a text, a number, a list of them, or a list of lists; numbers, truth
// values and null as Python's str prints them.
func flat(raw json.RawMessage) ([]string, error) {
	if len(raw) == 0 {
		return nil, fmt.Errorf("value is missing")
	}
	switch raw[0] {
	case '"':
		return []string{codec.Unquote(raw)}, nil
	case '[':
		var list []json.RawMessage
		if err := codec.Unmarshal(raw, &list); err != nil {
			return nil, err
		}
		out := []string{}
		for _, x := range list {
			f, err := flat(x)
			if err != nil {
				return nil, err
			}
			out = append(out, f...)
		}
		return out, nil
	case '{':
		return nil, fmt.Errorf("value %s: want a text, a number or a list", raw)
	case 'n':
		return []string{"None"}, nil
	case 't':
		return []string{"True"}, nil
	case 'f':
		return []string{"False"}, nil
	}
	return []string{string(raw)}, nil
}

// letters splits a text into code points, as upstream does if it iterates over a text in place of a list.
func letters(s string) []string {
	var out []string
	for _, r := range s {
		out = append(out, string(r))
	}
	return out
}

// A Report is the outcome of all files.
type Report struct {
	Passed  int      `json:"passed"`
	Failed  int      `json:"failed"`
	Skipped int      `json:"skipped"`
	Files   []Result `json:"files"`
}

func (rep *Report) add(r Result) {
	rep.Passed, rep.Failed, rep.Skipped = rep.Passed+r.Passed, rep.Failed+r.Failed, rep.Skipped+r.Skipped
	rep.Files = append(rep.Files, r)
}

// WriteText writes the report for people.
func (rep Report) WriteText(w io.Writer) {
	fmt.Fprintf(w, "%7s %7s %7s  vectors\n", "passed", "failed", "skipped")
	for _, r := range rep.Files {
		fmt.Fprintf(w, "%7d %7d %7d  %s: %s\n", r.Passed, r.Failed, r.Skipped, r.Name, strings.Join(r.Protocols, ", "))
		if r.Origin != "" {
			fmt.Fprintf(w, "%26s %s\n", "", r.Origin)
		}
		for _, want := range r.Want {
			fmt.Fprintf(w, "%26s skipped, not available: %s\n", "", want)
		}
		for _, f := range r.Failures {
			fmt.Fprintf(w, "%26s %s %s: have %s, want %s\n", "", f.ID, f.Field, f.Have, f.Want)
		}
	}
	fmt.Fprintf(w, "%7d %7d %7d  in all\n", rep.Passed, rep.Failed, rep.Skipped)
}
