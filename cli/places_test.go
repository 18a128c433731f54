//go:build unix

package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestHostilePlaces: wherever an output is put, in or over its input, at the end of a link, under a
// name that no one means, a command replaces nothing but an earlier output, and makes what it makes
// elsewhere, the second time too; or it says why not and changes nothing.
func TestHostilePlaces(t *testing.T) {
	t.Parallel()
	dir, kinds := quickDir(t), lossKinds()
	put(t, filepath.Join(dir, "e"), map[string]string{"events.jsonl": hazEvent1 + "\n" + hazEvent2 + "\n"})
	if r := inProcess(dir, strings.NewReader(""), "replay", "ingest", filepath.Join(dir, "e", "events.jsonl"), "--store", filepath.Join(dir, "s"), "--agent-id", "c"); r.code != 0 {
		t.Fatal(r.stderr)
	}
	at := 0
	qa := `{"system": "s", "dataset": "d", "case_id": "c", "question_id": "q1", "question": "How many cats?", "gold": "2 cats", "category": "IE", "raw_category": "4", "hits": [], "answer": "2 cats.", "by": "rule", "outcome": "answered", "grades": [{"protocol": "em@1", "score": 1, "outcome": "scored", "by": "rule"}]}`
	kinds["qa"] = [2]string{qa, strings.ReplaceAll(qa, "q1", "q2")}
	rows := `{"conv": "conv-26", "qa_index": 0, "category": 2, "question": "When?", "gold": "2021", "answer": "2021", "grade": true}`
	kinds["rows"] = [2]string{rows, strings.Replace(rows, "0,", "1,", 1)}
	for _, c := range append(slices.Clip(lossCommands), hazardCommand{kind: "qa", args: "eval grade F -p em -o O.jsonl"}, hazardCommand{kind: "qa", args: "eval grade D -p em -o O.jsonl"},
		hazardCommand{kind: "qa", args: "eval report F -o O"}, hazardCommand{kind: "qa", args: "eval export F --format amb --dataset d -o O"},
		hazardCommand{kind: "rows", args: "eval import F --format locomo-rows -o O.jsonl"}, hazardCommand{kind: "rows", args: "eval import F --format locomo-rows -o O"},
		hazardCommand{kind: "events", args: "compile D -o O.jsonl"}, hazardCommand{kind: "mem0", args: "replay link D --events E -o O.jsonl"}, hazardCommand{kind: "mem0", args: "claimify D -o O.jsonl"}, hazardCommand{kind: "claims", args: "compile-claims D -o O"},
		hazardCommand{kind: "plain", args: "datasets convert plain D -o O.jsonl"}, hazardCommand{kind: "plain", args: "datasets convert plain D --to dialogue -o O"}, hazardCommand{kind: "plain", args: "datasets sample plain D -n 1 -o O.jsonl"},
		hazardCommand{kind: "plain", args: "eval run plain=F --system bm25 -k 2 -o O"}, hazardCommand{kind: "chat", args: "annotate D -o O.jsonl"}, hazardCommand{kind: "nodes", args: "view D --title t -o O.html"},
		hazardCommand{kind: "events", args: "migrate D --to 0.0.1 --input-version 0.1.0 -o O"}, hazardCommand{kind: "chat", args: "init F -o O"}) {
		name := c.kind + ".jsonl"
		text := kinds[c.kind][0] + "\n" + kinds[c.kind][1] + "\n"
		ext := ""
		if _, end, ok := strings.Cut(c.args, " O."); ok {
			ext = "." + end
		}
		run := func(file, out string) ran {
			var args []string
			for _, a := range strings.Fields(c.args) {
				switch name, _ := strings.CutSuffix(a, "F"); {
				case strings.HasPrefix(a, "O"):
					a = out
				case name == "" || strings.HasSuffix(name, "="):
					a = name + file
				case a == "D":
					a = filepath.Dir(file)
				case a == "E":
					a = filepath.Join(dir, "e", "events.jsonl")
				case a == "S":
					a = filepath.Join(dir, "s")
				}
				args = append(args, a)
			}
			return inProcess(dir, strings.NewReader(""), args...)
		}
		w := filepath.Join(dir, "w") // all that a case has
		in, other := filepath.Join(w, "in", name), filepath.Join(w, "other")
		fresh := func() {
			if err := os.RemoveAll(w); err != nil {
				t.Fatal(err)
			}
			put(t, filepath.Dir(in), map[string]string{name: text})
			put(t, other, map[string]string{"keep": "me\n", ".hidden": "too\n"})
		}
		fresh()
		want := w + "/out" + ext
		if r := run(in, want); r.code != exitFine {
			t.Fatalf("%s: exit code %d\n%s", c.args, r.code, r.stderr)
		}
		made := treeOf(t, want)
		link := func(to string) func(string) error { return func(at string) error { return os.Symlink(to, at) } }
		type place struct {
			what, in, out string
			prepare       func(out string) error
		}
		cases := []place{
			{"beside the input", in, w + "/in/o" + ext, nil},
			{"a link to the input", in, w + "/o" + ext, link(in)},
			{"a hard link to the input", in, w + "/o" + ext, func(at string) error { return os.Link(in, at) }},
			{"a link to the input's folder", in, w + "/o" + ext, link(filepath.Dir(in))},
			{"a link to nothing", in, w + "/o" + ext, link("nowhere")},
			{"a link to itself", in, w + "/o" + ext, link(w + "/o" + ext)},
			{"a link to a folder", in, w + "/o" + ext, link(other)},
			{"a link to an empty folder", in, w + "/o" + ext, func(at string) error { return errors.Join(os.Mkdir(w+"/empty", 0o777), os.Symlink("empty", at)) }},
			{"a link to a file", in, w + "/o" + ext, link("other/keep")},
			{"a foreign folder", in, other, nil},
			{"a foreign folder that has the input", filepath.Join(other, name), other, func(string) error { return os.Link(in, filepath.Join(other, name)) }},
			{"a file", in, w + "/o" + ext, func(at string) error { return os.WriteFile(at, []byte("old\n"), 0o666) }},
			{"a socket's place", in, "/dev/full", nil},
			{"below a file", in, in + "/o" + ext, nil},
		}
		for _, odd := range []string{"a\nb", "\xff\xfe", "-rf", "--", "~", "*?[", "\u202e\x1b[31m", strings.Repeat("x", 255-len(ext)), strings.Repeat("长", (255-len(ext))/3)} {
			cases = append(cases, place{fmt.Sprintf("named %.20q", odd), in, w + "/" + odd + ext, nil}, place{fmt.Sprintf("in a folder named %.20q", odd), in, w + "/" + odd + "/o" + ext, nil})
		}
		for written := range made { // the input is a file that will be written
			if p := filepath.Join(w, "here", written); ext == "" && !strings.HasPrefix(c.args, "init") && written != "" && written != ".lock" && !strings.Contains(written, "/") {
				cases = append(cases, place{"over the input " + written, p, w + "/here", func(string) error { return errors.Join(os.Mkdir(w+"/here", 0o777), os.Link(in, p)) }})
			}
		}
		for _, p := range cases {
			if at++; at%7 != 0 && os.Getenv("MEMBENCH_SOAK") == "" {
				continue
			}
			fresh()
			if p.prepare != nil {
				if err := p.prepare(p.out); err != nil {
					t.Fatal(err)
				}
			}
			before := treeOf(t, w)
			r := run(p.in, p.out)
			how := fmt.Sprintf("%s, output %s: exit code %d", c.args, p.what, r.code)
			if r.code < 0 || r.code > exitFindings || strings.Contains(r.stderr, "goroutine ") || strings.Contains(r.stderr, ".tmp-") {
				t.Errorf("%s\n%.400s", how, r.stderr)
			}
			after := treeOf(t, w)
			wrote := filepath.Clean(p.out)
			if to, err := filepath.EvalSymlinks(wrote); err == nil {
				wrote = to
			}
			for path, had := range before {
				full := filepath.Join(w, path)
				inside := full == wrote || strings.HasPrefix(full, wrote+"/")
				_, ours := made[strings.TrimPrefix(strings.TrimPrefix(full, wrote), "/")]
				if after[path] != had && !(r.code == exitFine && inside && ours && !os.SameFile(stat(full), stat(in)) && full != p.in) {
					t.Errorf("%s: %s was changed\n%.400s", how, path, r.stderr)
				}
			}
			if r.code != exitFine {
				for path := range after {
					if _, had := before[path]; !had && !strings.HasSuffix(path, ".lock") {
						t.Errorf("%s: %s was made\n%.400s", how, path, r.stderr)
					}
				}
				continue
			}
			if stat(wrote) != nil && stat(wrote).IsDir() && ext != "" {
				continue // the command puts files into a folder
			}
			if made[""] == "" && stat(wrote) != nil && !stat(wrote).Mode().IsRegular() && ext != "" {
				continue // nothing was to be written, so a full device took it
			}
			for again := range 2 {
				have := treeOf(t, wrote)
				for name, text := range made {
					if _, there := have[name]; (!there || have[name] != text && !strings.HasPrefix(c.args, "eval run") && !strings.HasPrefix(c.args, "init")) && p.in == in && !strings.HasSuffix(name, "manifest.json") {
						t.Errorf("%s: %q is not as elsewhere (run %d)\n%.400s", how, name, again+1, firstDifference(have[name], text))
					}
				}
				if again == 0 {
					if r := run(p.in, p.out); r.code != exitFine && r.code != exitUsage { // it may say what is there already
						t.Errorf("%s, then %d\n%.400s", how, r.code, r.stderr)
						break
					}
				}
			}
		}
	}
}

func stat(path string) fs.FileInfo { info, _ := os.Stat(path); return info }

// treeOf is files with links and folders: what a link names, "/" of a folder. A file itself is "".
func treeOf(t *testing.T, root string) map[string]string {
	out := map[string]string{}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel := strings.TrimPrefix(strings.TrimPrefix(path, root), "/")
		switch {
		case d.Type()&fs.ModeSymlink != 0:
			out[rel], err = os.Readlink(path)
		case d.IsDir():
			if rel != "" {
				out[rel] = "/"
			}
		case d.Type().IsRegular():
			var b []byte
			b, err = os.ReadFile(path)
			out[rel] = string(b)
		}
		return err
	})
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	return out
}
