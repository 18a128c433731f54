package records_test

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"membench/eval/records"
	"membench/internal/atomicfile"
	"membench/internal/build"
	"membench/schema"
	"membench/schema/jsonl"
)

// folder writes the records of two memories, each answering three times from two contexts,
// and a record of an older run, which has its context itself.
func folder(t *testing.T) (dir string, want []string) {
	dir = t.TempDir()
	var qa, shown strings.Builder
	add := func(w io.Writer, line []byte, err error) {
		if err != nil {
			t.Fatal(err)
		}
		w.Write(line)
	}
	for repeat := range 2 { // the second only answers again
		for _, c := range []string{"c1", "c2"} {
			for i, q := range []string{"q1", "q2", "q3"} {
				text := "what " + c + " said " + strings.Repeat("x", i/2)
				r := schema.QARecord{System: "a", Dataset: "made", CaseID: c, QuestionID: q, Repeat: repeat, Category: schema.CatIE, Outcome: schema.OutcomeAnswered, Hits: []schema.QAHit{}, ContextID: schema.ContextID(text)}
				line, err := jsonl.Append(nil, r, schema.Latest)
				add(&qa, line, err)
				want = append(want, text)
				if repeat == 0 && i != 1 {
					line, err := jsonl.Append(nil, schema.ShownContext{System: "a", Dataset: "made", CaseID: c, ID: r.ContextID, Context: text}, schema.Latest)
					add(&shown, line, err)
				}
			}
		}
	}
	line, err := jsonl.Append(nil, schema.QARecord{System: "a", Dataset: "made", CaseID: "old", QuestionID: "q1", Category: schema.CatIE, Outcome: schema.OutcomeAnswered, Hits: []schema.QAHit{}, Context: "its own"}, schema.Latest)
	add(&qa, line, err)
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write(records.QAFile, qa.String())
	err = atomicfile.Write(filepath.Join(dir, records.ContextsFile), func(w io.Writer) error {
		z, err := jsonl.Compress(w)
		if err == nil {
			io.WriteString(z, shown.String())
			err = z.Close()
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return dir, append(want, "its own")
}

func contexts(t *testing.T, path string) (out []string, err error) {
	for r, err := range records.QA(t.Context(), nil, path) {
		if err != nil {
			return out, err
		}
		out = append(out, r.V.Context)
	}
	return out, nil
}

func TestContextsAreFound(t *testing.T) {
	dir, want := folder(t)
	path := filepath.Join(dir, records.QAFile)
	for range 2 { // a Seq begins anew
		have, err := contexts(t, path)
		if err != nil || strings.Join(have, "|") != strings.Join(want, "|") {
			t.Errorf("have %q, %v; want %q", have, err, want)
		}
	}
	// Written beside the contexts, the records name them; anywhere else they have them.
	for _, out := range []string{filepath.Join(dir, "told.jsonl"), filepath.Join(t.TempDir(), "told.jsonl")} {
		err := atomicfile.Write(out, func(w io.Writer) error {
			_, err := records.Write(w, records.Bare(records.QA(t.Context(), nil, path), out, path))
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		b, _ := os.ReadFile(out)
		if inside := filepath.Dir(out) == dir; strings.Contains(string(b), "what c1 said") == inside || strings.Contains(string(b), "context_id") != inside {
			t.Errorf("%s: %s", out, b)
		}
		if have, err := contexts(t, out); err != nil || strings.Join(have, "|") != strings.Join(want, "|") {
			t.Errorf("%s: have %q, %v; want %q", out, have, err, want)
		}
	}
}

func TestMissingContextsAreNotEmptyOnes(t *testing.T) {
	dir, _ := folder(t)
	path, alone := filepath.Join(dir, records.QAFile), filepath.Join(t.TempDir(), records.QAFile)
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(alone, b, 0o666); err != nil {
		t.Fatal(err)
	}
	var said []string
	n := 0
	for r, err := range schema.Drop(records.QA(t.Context(), nil, alone), func(f *schema.Finding) { said = append(said, f.Code) }) {
		if n++; err != nil || r.V.Away() != (r.V.ContextID != "") {
			t.Errorf("copied without the contexts: %+v, %v", r.V, err)
		}
	}
	if n < 3 || strings.Join(said, " ") != "EVL108" {
		t.Errorf("copied without the contexts: %d records, findings %q", n, said)
	}
	if err := os.WriteFile(filepath.Join(filepath.Dir(alone), records.AskedFile), b, 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := contexts(t, alone); err == nil || !strings.Contains(err.Error(), "missing beside them") {
		t.Errorf("in a run's folder without the contexts: %v", err)
	}
	if err := os.WriteFile(path, []byte(strings.Replace(string(b), schema.ContextID("what c2 said "), "0123456789abcdef", 1)), 0o666); err != nil {
		t.Fatal(err)
	}
	if have, err := contexts(t, path); len(have) != 3 || err == nil || !strings.Contains(err.Error(), "no context 0123456789abcdef of case c2") {
		t.Errorf("with the contexts of another run: %q, %v", have, err)
	}
}

// TestFind: a folder with fewer answers than its run gave is refused.
// A folder with the cases of a run and no answers is one that was interrupted.
func TestFindUnfinished(t *testing.T) {
	dir := t.TempDir()
	if _, _, err := records.Find(dir); err == nil || strings.Contains(err.Error(), "not finished") {
		t.Errorf("an empty folder: %v", err)
	}
	if err := os.WriteFile(filepath.Join(dir, records.CasesFile), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, _, err := records.Find(dir); err == nil || !strings.Contains(err.Error(), "not finished") {
		t.Errorf("have %v", err)
	}
}

func TestFind(t *testing.T) {
	dir := t.TempDir()
	if err := build.WriteManifest(filepath.Join(dir, "manifest.json"), schema.Manifest{Counts: map[string]int{"questions": 2}}); err != nil {
		t.Fatal(err)
	}
	for text, code := range map[string]string{"{}\n{}\n": "", "{}\n": "EVL104", "": "EVL104"} {
		if err := os.WriteFile(filepath.Join(dir, records.QAFile), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		_, _, err := records.Find(dir)
		found := &schema.Finding{}
		if errors.As(err, &found); found.Code != code || (err == nil) != (code == "") {
			t.Errorf("%q: %v, want code %q", text, err, code)
		}
	}
}

// TestGate: of several files every answer is read once, and a record that contradicts itself is not read at all.
func TestGate(t *testing.T) {
	dir := t.TempDir()
	line := func(question, outcome string, score string) string {
		return `{"system":"s","dataset":"d","case_id":"c","question_id":"` + question + `","question":"Who?","gold":"Ana","category":"IE","raw_category":"IE","hits":[],"answer":"Ana","by":"rule","outcome":"` + outcome +
			`","grades":[{"protocol":"rule@2","by":"rule","score":` + score + `,"label":"right","outcome":"scored"}]}` + "\n"
	}
	var paths []string
	for i, text := range []string{line("q1", "answered", "1") + line("q2", "error", "1") + line("q1", "answered", "1"), line("q3", "answered", "0") + line("q1", "answered", "1") + line("q2", "answered", "1")} {
		paths = append(paths, filepath.Join(dir, string(rune('a'+i))+".jsonl"))
		if err := os.WriteFile(paths[i], []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for range 2 { // a Seq begins anew
		var have []string
		for r, err := range records.QA(t.Context(), nil, paths...) {
			var f *schema.Finding
			if errors.As(err, &f) {
				have = append(have, fmt.Sprintf("%s:%d %s", filepath.Base(f.Pos.File), f.Pos.Line, f.Code))
			} else if err != nil {
				t.Fatal(err)
			} else {
				have = append(have, r.V.QuestionID)
			}
		}
		if want := []string{"q1", "a.jsonl:2 EVL105", "a.jsonl:3 EVL101", "b.jsonl:1 EVL105", "b.jsonl:2 EVL101", "q2"}; !slices.Equal(have, want) {
			t.Errorf("have %q\nwant %q", have, want)
		}
	}
}
