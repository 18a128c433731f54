//go:build linux

package cli

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"membench/internal/exttest"
)

// A full disk: every stage fails with one line that names the file, leaves what was
// there as it was, and once there is room gives what an undisturbed run gives. The
// disk is a small tmpfs in a mount namespace of its own: the test runs itself there.
func TestFullDisk(t *testing.T) {
	if os.Getenv("TEST_FULL_DISK") == "" {
		t.Parallel()
		if os.Getuid() != 0 {
			exttest.Lack(t, "SKIP-EXTERNAL: root, to mount a small disk")
		}
		c := exec.Command(os.Args[0], "-test.run=^TestFullDisk$", "-test.v")
		c.Env = append(os.Environ(), "TEST_FULL_DISK=1")
		c.SysProcAttr = &syscall.SysProcAttr{Unshareflags: syscall.CLONE_NEWNS}
		out, err := c.CombinedOutput()
		switch {
		case bytes.Contains(out, []byte("cannot mount")) || err != nil && c.ProcessState == nil:
			exttest.Lack(t, "SKIP-EXTERNAL: the right to mount a small disk: "+fmt.Sprint(err))
		case err != nil:
			t.Errorf("%v\n%s", err, out)
		}
		return
	}
	w := newWorld(t)
	disk := filepath.Join(w.dir, "disk")
	if err := os.Mkdir(disk, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mount("", "/", "", syscall.MS_REC|syscall.MS_PRIVATE, ""); err != nil {
		t.Fatalf("cannot mount: %v", err)
	}
	if err := syscall.Mount("none", disk, "tmpfs", 0, "size=768k"); err != nil {
		t.Fatalf("cannot mount: %v", err)
	}
	defer syscall.Unmount(disk, syscall.MNT_DETACH)
	filler := filepath.Join(disk, "filler")
	fill := func(leave int64) {
		t.Helper()
		f, err := os.Create(filler)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		n, err := io.Copy(f, io.LimitReader(zeros{}, 64<<20))
		if err == nil {
			t.Fatal("the disk does not get full")
		}
		if err := f.Truncate(max(0, n-leave)); err != nil {
			t.Fatal(err)
		}
	}
	stages := append([]crashStage{}, crashStages...)
	stages = append(stages, crashStage{name: "chain", args: func(in string) []string {
		return []string{"chain", "-c", in + "/project/membench.yaml", "-o", "out"}
	}})
	failed := 0
	for _, s := range stages {
		out := filepath.Join(disk, "out")
		os.Remove(filler)
		put(t, out, nil)
		old := map[string]string{}
		if s.name != "ingest" { // a store refuses other input
			good(t, disk, s.args(w.first)...)
			old = files(t, out)
		}
		good(t, disk, s.args(w.second)...)
		want := files(t, out)
		for _, leave := range []int64{0, 12 << 10} {
			how := fmt.Sprintf("%s with %d bytes left", s.name, leave)
			os.Remove(filler)
			put(t, out, old)
			fill(leave)
			c := start(t, disk, s.args(w.second)...)
			c.Env = append(c.Env, "TMPDIR="+w.dir)
			r := finish1(t, c)
			if r.code == 0 && leave > 0 {
				continue // it was enough
			}
			failed++
			last := strings.Split(strings.TrimSpace(r.stderr), "\n")
			line := last[len(last)-1]
			if r.code != 1 || !strings.Contains(line, "no space left on device") || !strings.Contains(line, "out") || strings.Contains(line, ".tmp-") || strings.Contains(r.stderr, "goroutine") {
				t.Errorf("%s: exit code %d\n%s", how, r.code, r.stderr)
			}
			have := files(t, filepath.Join(disk, "out"))
			for name := range have {
				if strings.Contains(name, ".tmp-") {
					t.Errorf("%s: %s is left aside", how, name)
				}
			}
			if !s.appends && s.name != "chain" && s.name != "annotate" && s.name != "replay-export" && s.name != "claimify" {
				delete(have, "store/.lock")
				if d := sameFiles(have, old); d != "" && leave == 0 {
					t.Errorf("%s: %s", how, d)
				}
			}
			if err := os.Remove(filler); err != nil {
				t.Fatal(err)
			}
			good(t, disk, s.args(w.second)...)
			if d := sameFiles(files(t, out), want); d != "" {
				t.Errorf("%s, then run again: %s", how, d)
			}
		}
	}
	t.Logf("%d failures for want of space", failed)
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }

// nobody runs membench as a user without rights.
func nobody(t *testing.T, dir string, args ...string) ran {
	t.Helper()
	if os.Getuid() != 0 {
		exttest.Lack(t, "SKIP-EXTERNAL: root, to drop the rights of a user")
	}
	bin := filepath.Join(dir, "membench")
	if _, err := os.Stat(bin); err != nil {
		b, err := os.ReadFile(program(t))
		if err != nil {
			t.Fatal(err)
		}
		exttest.WriteProgram(t, bin, string(b))
	}
	c := start(t, dir, args...)
	c.Path = bin
	c.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	return finish1(t, c)
}

// A folder that may not be written, and inputs that may not be read: one line that
// names the file, exit 1, nothing changed.
func TestNoRights(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	if err := os.Chmod(w.dir, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, s := range append(crashStages, crashStage{name: "chain", args: func(in string) []string {
		return []string{"chain", "-c", in + "/project/membench.yaml", "-o", "out"}
	}}) {
		out := filepath.Join(w.dir, "out")
		put(t, out, nil)
		good(t, w.dir, s.args(w.first)...)
		old := files(t, out)
		chmod(t, out, 0o555, 0o444)
		r := nobody(t, w.dir, s.args(w.second)...)
		if n := strings.Count(strings.TrimSpace(r.stderr), "\n"); r.code != 1 || n > 3 || !strings.Contains(r.stderr, "permission denied") || !strings.Contains(r.stderr, "out") || strings.Contains(r.stderr, "goroutine") {
			t.Errorf("%s into a read-only folder: exit code %d\n%s", s.name, r.code, r.stderr)
		}
		if d := sameFiles(files(t, out), old); d != "" {
			t.Errorf("%s into a read-only folder: %s", s.name, d)
		}
		chmod(t, out, 0o755, 0o644)
		chmod(t, w.first, 0o755, 0o000)
		put(t, out, nil)
		if err := os.Mkdir(out, 0o777); err != nil {
			t.Fatal(err)
		}
		os.Chmod(out, 0o777)
		r = nobody(t, w.dir, s.args(w.first)...)
		if s.name != "index" && (r.code != 1 || !strings.Contains(r.stderr, "permission denied") || !strings.Contains(r.stderr, "first/")) {
			t.Errorf("%s of an unreadable input: exit code %d\n%s", s.name, r.code, r.stderr)
		}
		for name := range files(t, out) {
			if s.name != "index" && !strings.HasSuffix(name, "lock") && !strings.HasSuffix(name, ".steps/now") {
				t.Errorf("%s of an unreadable input made %s", s.name, name)
			}
		}
		chmod(t, w.first, 0o755, 0o644)
	}
}

func chmod(t *testing.T, dir string, folders, files fs.FileMode) {
	t.Helper()
	err := filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			return os.Chmod(p, folders)
		}
		return os.Chmod(p, files)
	})
	if err != nil {
		t.Fatal(err)
	}
}

// Odd inputs and outputs of every stage.
func TestOddPaths(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	file := map[string]bool{"index": true, "compile": true, "probe": true, "link": true, "graphml": true, "view": true}
	dir := filepath.Join(w.dir, "odd [x] *?")
	for _, s := range crashStages {
		put(t, dir, nil)
		good(t, dir, s.args(w.first)...)
		want := files(t, filepath.Join(dir, "out"))
		out := ""
		replace := func(to string) []string {
			args := s.args(w.first)
			for i, a := range args {
				if strings.HasPrefix(a, "out/") {
					args[i], out = to, a
				}
			}
			return args
		}

		// Into a missing deep folder.
		put(t, dir, nil)
		deep := "out/" + strings.Repeat("deep/", 20) + "x"
		if s.name == "view" || s.name == "probe" || s.name == "link" || file[s.name] {
			deep += ".jsonl"
		}
		good(t, dir, replace(deep)...)
		if len(files(t, filepath.Join(dir, "out"))) != len(want) {
			t.Errorf("%s into a missing folder: %d files, want %d", s.name, len(files(t, filepath.Join(dir, "out"))), len(want))
		}

		// Onto a folder where a file is wanted, or the other way round.
		put(t, dir, nil)
		odd := filepath.Join(dir, out)
		if file[s.name] {
			put(t, odd, map[string]string{"keep": "me"})
		} else {
			put(t, filepath.Dir(odd), map[string]string{filepath.Base(odd): "me"})
		}
		before := files(t, dir)
		r := membench(t, dir, s.args(w.first)...)
		if s.name == "migrate" {
			if r.code == 0 {
				t.Errorf("migrate replaced a file by a folder")
			}
		} else if r.code != 1 || strings.Count(strings.TrimSpace(r.stderr), "\n") > 2 || !strings.Contains(r.stderr, filepath.Base(out)) {
			t.Errorf("%s onto another kind of thing: exit code %d\n%s", s.name, r.code, r.stderr)
		}
		if d := sameFiles(files(t, dir), before); d != "" {
			t.Errorf("%s onto another kind of thing: %s", s.name, d)
		}

		// An input that is gone, and one that goes between listing and reading.
		put(t, dir, nil)
		r = membench(t, dir, s.args(w.dir+"/absent")...)
		if r.code != 1 || strings.Contains(r.stderr, "goroutine") || !strings.Contains(r.stderr, "absent/") {
			t.Errorf("%s of a missing input: exit code %d\n%s", s.name, r.code, r.stderr)
		}
		for name := range files(t, filepath.Join(dir, "out")) {
			if !strings.HasSuffix(name, ".lock") {
				t.Errorf("%s of a missing input made %s", s.name, name)
			}
		}
	}
	gone := filepath.Join(dir, "in")
	put(t, gone, files(t, filepath.Join(w.first, "out", "exports")))
	if err := os.Symlink("nowhere", filepath.Join(gone, "ch99.mem0.jsonl")); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"claimify", gone, "-o", "out/a"}, {"to-graph", "--exports", gone, "-o", "out/b"}, {"validate", gone}, {"compile-claims", gone, "-o", "out/c"}} {
		r := membench(t, dir, args...)
		if r.code != 1 || !strings.Contains(r.stderr, "ch99.mem0.jsonl") {
			t.Errorf("%v of an input that went: exit code %d\n%s", args, r.code, r.stderr)
		}
	}

	// The output is the input.
	put(t, dir, nil)
	put(t, filepath.Join(dir, "w"), files(t, filepath.Join(w.first, "out")))
	before := files(t, filepath.Join(dir, "w"))
	for _, args := range [][]string{
		{"annotate", "w/events", "-o", "w/events"}, {"compile", "w/events.jsonl", "-o", "w/./events.jsonl"},
		{"replay", "probe", "w/events.jsonl", "--store", "w/store", "-o", "w/events.jsonl"},
		{"replay", "link", "w/exports", "--events", "w/events.jsonl", "-o", "w/exports"},
		{"claimify", "w/exports", "-o", "w/exports"}, {"compile-claims", "w/claims/by_conv", "-o", "w/claims/by_conv"},
		{"to-graph", "--claims", "w/claims/compiled", "-o", "w/claims/compiled"}, {"cypher", "w/graph", "-o", "w/graph"},
		{"export", "w/graph", "--format", "admin-csv", "-o", "w/graph"}, {"view", "w/graph/nodes.jsonl", "-o", "w/graph/nodes.jsonl"},
		{"migrate", "w/events.jsonl", "--to", "0.0.1", "-o", "w/events.jsonl"},
	} {
		r := membench(t, dir, args...)
		if r.code != 2 {
			t.Errorf("%v: exit code %d\n%s", args, r.code, r.stderr)
		}
		if d := sameFiles(files(t, filepath.Join(dir, "w")), before); d != "" {
			t.Errorf("%v: %s", args, d)
		}
	}
}

// Whoever reads standard output goes away: the command ends with 141, as one that
// SIGPIPE ends, says nothing and leaves nothing.
func TestBrokenPipe(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, s := range crashStages {
		args := s.args(w.second)
		for i, a := range args {
			if strings.HasPrefix(a, "out/") {
				args[i] = "-"
			}
		}
		if s.appends || s.name == "admin-csv" || s.name == "migrate" {
			continue
		}
		c := start(t, w.dir, args...)
		r, p, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		r.Close()
		var words bytes.Buffer
		c.Stdout, c.Stderr = p, &words
		err = c.Run()
		p.Close()
		if code := c.ProcessState.ExitCode(); code != exitPipe || strings.Contains(words.String(), "membench:") || strings.Contains(words.String(), "goroutine") {
			t.Errorf("%s -o -: exit code %d (%v)\n%s", s.name, code, err, words.String())
		}
		if left := files(t, filepath.Join(w.dir, "tmp")); len(left) > 0 {
			t.Errorf("%s -o -: left in TMPDIR: %d files", s.name, len(left))
		}
	}
	for _, args := range []string{"validate -", "compile - -o -", "to-graph --exports - -o -", "view - -o -", "replay ingest - --store s"} {
		c := exec.Command("sh", "-c", `exec "$0" "$@" <&-`)
		c.Args = append(c.Args, program(t))
		c.Args = append(c.Args, strings.Fields(args)...)
		c.Dir = w.dir
		var both bytes.Buffer
		c.Stdout, c.Stderr = &both, &both
		c.Run()
		if code := c.ProcessState.ExitCode(); code < 0 || code > 3 || strings.Contains(both.String(), "goroutine") {
			t.Errorf("%s with standard input closed: exit code %d\n%.400s", args, code, both.String())
		}
	}
}

// SIGTERM and SIGINT: one line, exit 1, no half output; also while a read of standard
// input blocks, and a second signal ends it at once.
func TestInterrupted(t *testing.T) {
	dir := quickDir(t)
	var lines strings.Builder
	for i := range 60000 {
		fmt.Fprintf(&lines, `{"id": "%08x-0000-4000-8000-000000000000", "payload": {"scene_id": "s", "character_id": "c", "conv_id": "ch%02d", "user_id": "u", "agent_id": "c", "data": "我喜欢第%d种茶。", "created_at": "2026-02-24T06:33:58Z"}, "collection": "c", "isolation": "global", "exported_at": "2026-02-24T14:34:03Z"}`+"\n", i, i/100, i)
	}
	put(t, filepath.Join(dir, "exports"), map[string]string{"a.jsonl": lines.String()})
	for _, args := range [][]string{
		{"to-graph", "--exports", "exports", "-o", "out"}, {"claimify", "exports", "-o", "out"}, {"validate", "exports"},
		{"to-graph", "--exports", "-", "-o", "out"}, {"replay", "ingest", "-", "--store", "out"}, {"view", "-", "-o", "out/x.html"},
	} {
		put(t, filepath.Join(dir, "out"), nil)
		for _, sig := range []os.Signal{syscall.SIGTERM, os.Interrupt} {
			c := start(t, dir, args...)
			var words bytes.Buffer
			c.Stderr = &words
			in, err := c.StdinPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := c.Start(); err != nil {
				t.Fatal(err)
			}
			if slices.Contains(args, "-") { // more than a pipe holds: then it has read
				io.WriteString(in, lines.String()[:200<<10])
			} else {
				whileNotReading(t, c.Process.Pid, "a.jsonl")
			}
			c.Process.Signal(sig)
			began := time.Now()
			ctx, stop := context.WithTimeout(t.Context(), 20*time.Second)
			kill := context.AfterFunc(ctx, func() { c.Process.Kill() })
			c.Wait()
			kill()
			stop()
			in.Close()
			if code := c.ProcessState.ExitCode(); code != 1 || !strings.HasSuffix(words.String(), interrupted+"\n") {
				t.Errorf("%v, %v: exit code %d after %v\n%.600s", args, sig, code, time.Since(began), words.String())
			}
			for name := range files(t, filepath.Join(dir, "out")) {
				if args[0] == "to-graph" && !strings.HasPrefix(name, ".") || args[0] == "view" && !strings.HasPrefix(name, ".") {
					t.Errorf("%v, %v: %s is there", args, sig, name)
				}
			}
		}
	}
}

// whileNotReading waits until the process has opened a file of that name.
func whileNotReading(t *testing.T, pid int, name string) {
	t.Helper()
	for range 2000 {
		open, _ := filepath.Glob(fmt.Sprintf("/proc/%d/fd/*", pid))
		for _, fd := range open {
			if to, err := os.Readlink(fd); err == nil && filepath.Base(to) == name {
				return
			}
		}
		time.Sleep(5 * time.Millisecond)
	}
	t.Errorf("%s is not opened", name)
}

// Ids of conversations that no file system would take stay in their folder, apart.
func TestOddNames(t *testing.T) {
	t.Parallel()
	dir := quickDir(t)
	ids := []string{"../x", "a/b", "a\\b", "CON", "con.txt", "nul", "LPT1", "😀", "..", ".", ".hidden", "_none", "_x", " ", "a b", "%41", "A", "a:b|c", "\"'`", "a\nb", "全角　ｘ", "e\u0301", "é", "-rf", strings.Repeat("长", 300), strings.Repeat("长", 300) + "x", strings.Repeat("a", 240)}
	var exports, events strings.Builder
	for i, id := range ids {
		q := quote(id)
		fmt.Fprintf(&exports, `{"id": "%08x-0000-4000-8000-000000000000", "payload": {"scene_id": "s", "character_id": "c", "conv_id": %s, "user_id": "u", "agent_id": "c", "data": "[User] I love tea number %d.", "created_at": "2026-02-24T06:33:58Z"}, "collection": "c", "isolation": "global", "exported_at": "2026-02-24T14:34:03Z"}`+"\n", i, q, i)
		fmt.Fprintf(&events, `{"scene_id": "s", "character_id": "c", "conv_id": %s, "turn_id": 1, "role_type": "human", "role_name": "Me", "content": "I love tea number %d.", "tags": ["episodic"], "meta": {"user_id": %s}}`+"\n", q, i, q)
	}
	put(t, dir, map[string]string{"in/exports.jsonl": exports.String(), "in/events.jsonl": events.String(), "keep": ""})
	want := len(ids)
	for _, c := range []struct {
		out  string
		args []string
	}{
		{"linked", []string{"replay", "link", "in/exports.jsonl", "--events", "in/events.jsonl", "-o", "linked"}},
		{"claims", []string{"claimify", "in/exports.jsonl", "-o", "claims"}},
		{"store/memory_bench_per_conv", []string{"replay", "ingest", "in/events.jsonl", "--store", "store", "--isolation", "per_conv"}},
		{"exports", []string{"replay", "export", "--store", "store", "-o", "exports"}},
	} {
		before := len(files(t, dir))
		r := good(t, dir, c.args...)
		n := 0
		for name := range files(t, filepath.Join(dir, c.out)) {
			if strings.HasSuffix(name, ".jsonl") {
				n++
			}
			if strings.Contains(name, "/") {
				t.Errorf("%v: %s is below the folder", c.args, name)
			}
		}
		if n != want {
			t.Errorf("%v: %d files, want %d\n%s", c.args, n, want, r.stderr)
		}
		if all := len(files(t, dir)); all > before+want+2 {
			t.Errorf("%v: %d files more, want %d", c.args, all-before, want)
		}
	}
	for _, id := range ids {
		put(t, filepath.Join(dir, "chat"), map[string]string{"x.jsonl": `{"role": "user", "content": "I love tea."}` + "\n"})
		put(t, filepath.Join(dir, "one"), nil)
		r := membench(t, dir, "annotate", "chat/x.jsonl", "--conv", id, "-o", "one")
		n := 0
		for name := range files(t, filepath.Join(dir, "one")) {
			if strings.Contains(name, "/") {
				t.Errorf("annotate --conv %.20q wrote %s", id, name)
			}
			if name != "manifest.json" {
				n++
			}
		}
		if r.code != 0 && r.code != 2 || r.code == 0 && n != 1 {
			t.Errorf("annotate --conv %.20q: exit code %d, %d files\n%.300s", id, r.code, n, r.stderr)
		}
	}
}
