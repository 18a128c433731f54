//go:build unix

package cli

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// hostileFiles makes files that no one means: units repeated n times, which nest,
// chain or never end, and texts of other kinds than their names say.
func hostileFiles(n int) map[string]string {
	out := map[string]string{}
	for _, unit := range []string{"[", "{", "]", "}", `{"a":`, `[1,`, `{"a":[`, `[{"id":`, "- ", "? ", `"`, "'", "&a ", "*a ", "!x ", "!!str ", "|\n", "a: ", "a: {", "[a,", "[a:", "{a: [", "? - ", "<<: ", "- &a ", "&a\n", "[\n", "a:\n",
		"-\n", ": ", "%", ",", "\\", `\u`, "\x00", "\xff", "\ufeff", "\r", "\n", "\t", "---\n", "${", "{}\n", "[]\n", "null\n", `"x"` + "\n", "1\n", "# ", "```\n", "@scene: s\n", "[U] x\n", "\u202e", "\x1b[2J", "<a>", "a|b:", "\u2028"} {
		out[fmt.Sprintf("%q times %d", unit, n)] = strings.Repeat(unit, n)
	}
	deep := strings.Builder{}
	for i := range min(n, 3000) {
		deep.WriteString(strings.Repeat(" ", i) + "a:\n")
	}
	out["block nesting"] = deep.String()
	laughs := "a: &a [x,x,x,x,x,x,x,x,x]\n"
	for c := 'b'; c < 'k'; c++ {
		laughs += fmt.Sprintf("%c: &%c [%s]\n", c, c, strings.TrimSuffix(strings.Repeat("*"+string(c-1)+",", 9), ","))
	}
	out["laughs"] = laughs
	out["deep and whole"] = strings.Repeat("[", n) + strings.Repeat("]", n) + "\n"
	out["deep member"] = `{"id": "x", "payload": {"data": ` + strings.Repeat("[", n) + strings.Repeat("]", n) + "}}\n"
	out["long number"] = `{"id": ` + strings.Repeat("9", n) + "}\n"
	out["long name"] = `{"` + strings.Repeat("n", n) + `": 1}` + "\n"
	out["many names"] = "{" + strings.TrimSuffix(strings.Repeat(`"a": 1,`, n), ",") + "}\n"
	out["UTF-16"] = "\xff\xfe" + strings.Repeat("{\x00}\x00\n\x00", n/4+1)
	out["false gzip"] = "\x1f\x8b\x08\x00" + strings.Repeat("x", n)
	out["false zstd"] = "\x28\xb5\x2f\xfd" + strings.Repeat("\xff", n)
	out["empty"] = ""
	if n > 10_000 {
		out["gzip bomb"] = gz(strings.Repeat("\x00", 256<<20), 0)
		out["zstd bomb"] = zst(strings.Repeat("[", 256<<20), 0)
	}
	return out
}

// hostileCommands read the file F, which is the one of its kind in the folder D, into O.
var hostileCommands = []struct{ name, args string }{
	{"in.jsonl", "validate F"},
	{"in.jsonl", "validate --catalog F F"},
	{"in.md", "annotate F -o O/e.jsonl"},
	{"index.json", "annotate F -o O/e.jsonl"},
	{"in.jsonl", "annotate F -o O/e.jsonl"},
	{"in.jsonl", "compile D -o O/all.jsonl"},
	{"in.jsonl", "claimify F -o O"},
	{"in.jsonl", "compile-claims D -o O"},
	{"in.jsonl", "to-graph --exports F -o O"},
	{"in.jsonl", "to-graph --claims F -o O"},
	{"nodes.jsonl", "cypher D -o O"},
	{"edges.jsonl", "cypher D -o O"},
	{"nodes.jsonl", "export D --format graphml -o O/g.graphml"},
	{"nodes.jsonl", "view D -o O/g.html"},
	{"nodes.jsonl", "trace mem:x --in D"},
	{"nodes.jsonl", "diff D D"},
	{"in.jsonl", "migrate F --to 0.1.0 -o O"},
	{"in.jsonl", "datasets lint plain F --summary"},
	{"eval.yaml", "eval -c F --dry-run"},
	{"membench.yaml", "chain D"},
	{"spec.yaml", "systems show F"},
}

// Limits of a command. Go's runtime maps more than it uses, so memory is what was resident
// at most, as the kernel says when the process has ended; the larger limit of address
// space only keeps a fault from stopping the machine. Time is that of the processor:
// another program on the machine changes nothing.
const (
	addressSpace = 4 << 20 // KiB
	resident     = 1 << 20 // KiB
	busy         = 20 * time.Second
)

// TestHostileInputs gives hostile files to every command that reads one, under limits of
// memory and time: none is killed, panics or hangs. MEMBENCH_SOAK (`make soak`) runs
// every pair, with larger files.
func TestHostileInputs(t *testing.T) {
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("no sh, which sets the limit of memory")
	}
	soak := os.Getenv("MEMBENCH_SOAK") != ""
	n := 5000
	if soak {
		n = 200_000
	}
	exe := program(t)
	files := hostileFiles(n)
	if len(files) < 60 {
		t.Fatalf("%d files, want at least 60", len(files))
	}
	most, where := int64(0), ""
	defer func() { t.Logf("most memory: %d MiB, %s", most>>10, where) }()
	for i, name := range slices.Sorted(maps.Keys(files)) {
		text := files[name]
		for j, c := range hostileCommands {
			if !soak && (i+j)%len(hostileCommands) != 0 {
				continue // each file meets one command, each command some files
			}
			dir := t.TempDir()
			file := filepath.Join(dir, "in", c.name)
			if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
			var args []string
			for _, a := range strings.Fields(c.args) {
				switch {
				case a == "F":
					a = file
				case a == "D":
					a = filepath.Dir(file)
				case strings.HasPrefix(a, "O"):
					a = filepath.Join(dir, "out") + a[1:]
				}
				args = append(args, a)
			}
			ctx, cancel := context.WithTimeout(context.Background(), time.Minute) // a hang, not a measure
			run := exec.CommandContext(ctx, "sh", append([]string{"-c", fmt.Sprintf(`ulimit -v %d; exec "$0" "$@"`, addressSpace), exe}, args...)...)
			run.Dir = dir
			run.Env = start(t, dir).Env
			said, err := run.CombinedOutput()
			late := ctx.Err() != nil
			if u, ok := run.ProcessState.SysUsage().(*syscall.Rusage); ok {
				peak := int64(u.Maxrss)
				if runtime.GOOS == "darwin" {
					peak >>= 10
				}
				took := run.ProcessState.UserTime() + run.ProcessState.SystemTime()
				if peak > most {
					most, where = peak, name+": "+c.args
				}
				if peak > resident || took > busy {
					t.Errorf("%s: %s: %d MiB resident and %v of processor time, want at most %d MiB and %v", name, c.args, peak>>10, took, resident>>10, busy)
				}
			}
			cancel()
			code := 0
			var exit *exec.ExitError
			if errors.As(err, &exit) {
				code = exit.ExitCode()
			} else if err != nil {
				t.Fatal(err)
			}
			if late || code < 0 || code > exitFindings || strings.Contains(string(said), "goroutine ") || strings.Contains(string(said), "fatal error") {
				t.Errorf("%s: %s: exit code %d, late %v:\n%.600s", name, c.args, code, late, said)
			}
		}
	}
}
