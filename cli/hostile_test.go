//go:build unix

package cli

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"membench/datasets/all"

	"github.com/spf13/pflag"
)

// hostileFiles makes files that no one means: units repeated n times, which nest,
// chain or never end, and texts of other kinds than their names say.
func hostileFiles(n int) map[string]string {
	out := map[string]string{}
	for _, unit := range []string{"[", "{", "]", "}", `{"a":`, `[1,`, `{"a":[`, `[{"id":`, "- ", "? ", `"`, "'", "&a ", "*a ", "!x ", "!!str ", "|\n", "a: ", "a: {", "[a,", "[a:", "{a: [", "? - ", "<<: ", "- &a ", "&a\n", "[\n", "a:\n",
		"-\n", ": ", "%", ",", "\\", `\u`, "\x00", "\xff", "\ufeff", "\r", "\n", "\t", "---\n", "${", "{}\n", "[]\n", "null\n", `"x"` + "\n", "1\n", "# ", "```\n", "@scene: s\n", "[U] x\n", "\u202e", "\x1b[2J", "<a>", "a|b:", "\u2028"} {
		out[fmt.Sprintf("%q again and again", unit)] = strings.Repeat(unit, n)
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
	out["lone surrogate"] = `{"id": "a\ud800b", "payload": {"data": "\udc00"}}` + "\n"
	out["overlong UTF-8"] = "{\"id\": \"t\xc0\xafa\"}\n"
	out["byte order mark between lines"] = "{}\n\ufeff{}\n"
	out["numbers of no float"] = `{"id": 1e400, "turn_id": -0, "payload": {"x": ` + strings.Repeat("9", n) + "}}\n"
	out["names of names"] = `{"` + strings.Repeat(`\u0000`, n) + `": {"` + strings.Repeat(`\u001b`, n) + `": "\u202e"}}` + "\n"
	out["gzip in gzip"] = gz(gz(strings.Repeat("{}\n", n), 0), 0)
	out["gzip with something behind"] = gz("{}\n", 0) + "x"
	out["zstd of a wide window"] = "\x28\xb5\x2f\xfd\x00\xf8\x01\x00\x00"
	out["times that are none"] = `{"id": "x", "payload": {"data": "a", "created_at": "0000-00-00T24:60:61+99:99"}, "exported_at": "10000-01-01T00:00:00Z"}` + "\n"
	// What a reader of YAML takes by its limits: many members, blank entries, documents.
	many := strings.Builder{}
	for i := range min(n, 40_000) {
		fmt.Fprintf(&many, "k%d: a\n", i)
	}
	out["many members"] = many.String()
	out["blank entries"] = strings.Repeat("-\n", min(n, 150_000))
	out["documents"] = strings.Repeat("--- a\n", min(n, 60_000))
	if n > 10_000 {
		out["gzip bomb"] = gz(strings.Repeat("\x00", 256<<20), 0)
		out["zstd bomb"] = zst(strings.Repeat("[", 256<<20), 0)
		out["zstd bomb of records"] = zst(strings.Repeat("{}\n", 64<<20), 0)
	}
	return out
}

// A hostileCommand reads the file F, which is the one of its kind in the folder D, or
// standard input (<F), into O.
type hostileCommand struct{ name, args string }

// hostileCommands is every command that reads a file, and every flag that names one:
// TestHostileCommandsAreAll. The list is made when it is asked for: the test binary is
// membench too, and starts thousands of times.
var hostileCommands = sync.OnceValue(func() []hostileCommand { return slices.Concat(hostileListed, hostileDatasets()) })

var hostileListed = []hostileCommand{
	{"in.jsonl", "validate F"},
	{"in.jsonl", "validate --catalog F F"},
	{"in.md", "annotate F -o O/e.jsonl"},
	{"index.json", "annotate F -o O/e.jsonl"},
	{"in.jsonl", "annotate F -o O/e.jsonl"},
	{"in.jsonl", "annotate F --tagger model --config F -o O/e.jsonl"},
	{"in.jsonl", "annotate F --tagger model --base-url http://127.0.0.1:1 --model m --prices F -o O/e.jsonl"},
	{"in.jsonl", "annotate F --tagger model --base-url http://127.0.0.1:1 --model m --cassette F -o O/e.jsonl"},
	{"annotate.md", "annotate F --tagger model --base-url http://127.0.0.1:1 --model m --prompts D -o O/e.jsonl"},
	{"in.jsonl", "compile D -o O/all.jsonl"},
	{"in.jsonl", "compile D --index F -o O/all.jsonl"},
	{"ch01_a.norm.md", "index D -o O/index.json"},
	{"in.jsonl", "claimify F -o O"},
	{"in.jsonl", "claimify F --people F -o O"},
	{"in.jsonl", "claimify F --catalog F -o O"},
	{"in.jsonl", "compile-claims D -o O"},
	{"in.jsonl", "shard compile-claims map <F"},
	{"in.jsonl", "shard compile-claims reduce <F"},
	{"in.jsonl", "shard compile-claims combine <F"},
	{"in.jsonl", "shard to-graph map --hop exports <F"},
	{"in.jsonl", "shard to-graph map --catalog F"},
	{"in.jsonl", "shard to-graph map --people F"},
	{"in.jsonl", "shard to-graph combine <F"},
	{"in.jsonl", "shard to-graph reduce <F"},
	{"in.jsonl", "shard cypher map <F"},
	{"in.jsonl", "shard cypher reduce <F"},
	{"in.jsonl", "shard admin-csv survey <F"},
	{"in.jsonl", "shard admin-csv survey --catalog F"},
	{"in.jsonl", "shard admin-csv plan <F"},
	{"in.jsonl", "shard admin-csv rows <F"},
	{"in.jsonl", "shard cut <F"},
	{"in.jsonl", "shard cut --bounds F <F"},
	{"in.jsonl", "shard validate map --name F --catalog F"},
	{"in.jsonl", "shard validate reduce <F"},
	{"in.jsonl", "to-graph --exports F -o O"},
	{"in.jsonl", "to-graph --claims F -o O"},
	{"in.jsonl", "to-graph --events F -o O"},
	{"nodes.jsonl", "cypher D -o O"},
	{"edges.jsonl", "cypher D -o O"},
	{"nodes.jsonl", "export D --format graphml -o O/g.graphml"},
	{"nodes.jsonl", "export D --format jsonld -o O/g.jsonld"},
	{"nodes.jsonl", "export D --format admin-csv -o O"},
	{"nodes.jsonl", "view D -o O/g.html"},
	{"nodes.jsonl", "trace mem:x --in D"},
	{"nodes.jsonl", "trace mem:x --in D --source-root D"},
	{"nodes.jsonl", "ask D tea?"},
	{"nodes.jsonl", "diff D D"},
	{"nodes.jsonl", "load-neo4j D --uri bolt://127.0.0.1:1"},
	{"in.jsonl", "load-neo4j --changes F --uri bolt://127.0.0.1:1"},
	{"in.yaml", "neo4j browser --catalog F -o O"},
	{"in.jsonl", "migrate F --to 0.1.0 -o O"},
	{"in.jsonl", "replay ingest F --store O --agent-id a"},
	{"in.jsonl", "replay probe F --store D -o O/p.jsonl"},
	{"in.jsonl", "replay export --store D --events F -o O"},
	{"in.jsonl", "replay link F --events F -o O"},
	{"in.json", "init F -o O"},
	{"in.txt", "init F -o O"},
	{"in.csv", "init F -o O"},
	{"in.mbox", "init F -o O"},
	{"in.zip", "init F -o O"},
	{"membench.yaml", "chain D"},
	{"membench.yaml", "chain -c F"},
	{"spec.yaml", "systems show F"},
	{"spec.yaml", "systems check F --offline"},
	{"eval.yaml", "config show --config F"},
	{"in.md", "config prompts --prompts D -o O"},
	{"eval.yaml", "doctor --config F"},
	{"in.jsonl", "cassette check F"},
	{"in.jsonl", "cassette list F"},
	{"in.jsonl", "cassette pack F -o O/c.jsonl"},
	{"in.jsonl", "cassette repair F -o O/c.jsonl"},
	{"in.json", "schema show F"},
	{"in.json", "schema check F F"},
	{"in.jsonl", "datasets lint plain F --summary"},
	{"in.jsonl", "datasets convert plain F -o O/c.jsonl"},
	{"in.jsonl", "datasets sample plain F -n 2 -o O/c.jsonl"},
	{"in.json", "datasets fetch longmemeval --file F -o O"},
	{"nodes.jsonl", "datasets probes D -o O/c.jsonl"},
	{"nodes.jsonl", "datasets probes D --words F -o O/c.jsonl"},
	{"eval.yaml", "eval -c F --dry-run"},
	{"in.jsonl", "eval run plain=F --system bm25 -o O"},
	{"qa.jsonl", "eval aggregate F"},
	{"qa.jsonl", "eval agreement F F"},
	{"qa.jsonl", "eval audit F --cases F"},
	{"qa.jsonl", "eval audit F --claims F"},
	{"qa.jsonl", "eval calibrate F"},
	{"qa.jsonl", "eval calibrate F --labels F"},
	{"qa.jsonl", "eval calibrate F --plants F"},
	{"qa.jsonl", "eval compare F F"},
	{"arms.jsonl", "eval conformance --golden D --data D"},
	{"qa.jsonl", "eval explain F --cases F --sessions F -o O/q.jsonl"},
	{"qa.jsonl", "eval export D --format lme --cases F -o O"},
	{"qa.jsonl", "eval grade F -p em -o O/q.jsonl"},
	{"qa.jsonl", "eval grade F -p em --entities F -o O/q.jsonl"},
	{"in.json", "eval import F --cases F -o O"},
	{"in.txt", "eval judge check --each 1 --shapes F"},
	{"qa.jsonl", "eval label D --all --out O/l.csv"},
	{"config.yaml", "eval merge D -o O/run"},
	{"qa.jsonl", "eval plan F F"},
	{"qa.jsonl", "eval report F -o O"},
	{"config.yaml", "eval status D"},
	{"in.yaml", "experiment pcm -c F --dry-run -o O"},
	{"in.yaml", "experiment qarp -c F --dry-run -o O"},
	{"in.csv", "experiment qarp -c F --labels F --dry-run -o O"},
	{"records.jsonl", "pcm analyze D"},
	{"records.jsonl", "pcm analyze --experiment D"},
}

// with is the arguments for a file and an output folder.
func (c hostileCommand) with(file, out string) (args []string) {
	for _, a := range strings.Fields(strings.TrimSuffix(c.args, " <F")) {
		switch {
		case a == "D":
			a = filepath.Dir(file)
		case strings.HasPrefix(a, "O"):
			a = out + a[1:]
		case a == "F" || strings.HasSuffix(a, "=F"):
			a = a[:len(a)-1] + file
		}
		args = append(args, a)
	}
	return args
}

// hostileDatasets reads the file as each data set.
func hostileDatasets() (out []hostileCommand) {
	for _, name := range all.Names() {
		out = append(out, hostileCommand{"in.json", "datasets info " + name + " F"})
	}
	return out
}

// readsNoFile says why a command is not among the hostile ones.
var readsNoFile = map[string]string{
	"demo": "bundled dialogues only", "version": "nothing", "datasets list": "nothing", "schema list": "nothing", "schema codes": "nothing", "schema export": "nothing",
	"systems list": "nothing", "eval protocols": "nothing", "pcm demo": "bundled texts only",
	"eval watch": "stays until it is ended; it reads a run as eval status does",
	"model up":   "a program of its own reads the weights", "model fetch": "the network", "model down": "a process id", "model status": "a process id",
	"neo4j up": "starts a server", "neo4j down": "a process id", "neo4j status": "a server", "neo4j clear": "a server", "neo4j fetch": "the network",
	"neo4j schema": "a server; its catalogue is read as by neo4j browser",
}

// namesNoInput are flags with a file or folder that is written, or says where files stand.
var namesNoInput = []string{"output", "output-dir", "usage", "home", "root", "markdown", "junit", "out", "report", "record", "graph-out", "misses", "gguf", "file"}

// TestHostileCommandsAreAll: a command that nobody thought of, or a flag, fails here.
func TestHostileCommandsAreAll(t *testing.T) {
	e := &env{in: strings.NewReader(""), out: io.Discard, err: io.Discard, getenv: func(string) string { return "" }, now: time.Now}
	has := func(part string) bool {
		return slices.ContainsFunc(hostileCommands(), func(c hostileCommand) bool { return strings.Contains(" "+c.args+" ", " "+part+" ") })
	}
	for c := range commands(newRoot(e)) {
		name := strings.TrimPrefix(strings.TrimPrefix(c.CommandPath(), "membench"), " ")
		if c.HasSubCommands() && name != "eval" {
			continue // prints its help
		}
		begins := slices.ContainsFunc(hostileCommands(), func(h hostileCommand) bool { return strings.HasPrefix(h.args+" ", name+" ") })
		if why := readsNoFile[name]; !begins && why == "" || begins && why != "" {
			t.Errorf("%s: want an entry in hostileCommands or, instead, a reason in readsNoFile", name)
		}
		c.Flags().VisitAll(func(f *pflag.Flag) {
			kind, _ := pflag.UnquoteUsage(f)
			if slices.Contains([]string{"file", "files", "path", "folder", "dir"}, strings.ToLower(kind)) && !slices.Contains(namesNoInput, f.Name) && !has("--"+f.Name) && (f.Shorthand == "" || !has("-"+f.Shorthand)) && readsNoFile[name] == "" {
				t.Errorf("%s: want an entry in hostileCommands for --%s", name, f.Name)
			}
		})
	}
}

// Limits of a command. Go's runtime maps more than it uses, so memory is what was resident
// at most, as the kernel says when the process has ended; the larger limit of address
// space only keeps a fault from stopping the machine. Time is that of the processor:
// another program on the machine changes nothing.
const (
	addressSpace = 4 << 20 // KiB
	mostHeld     = 1 << 20 // KiB
	busy         = 20 * time.Second
	mostSaid     = 256 << 10 // bytes on standard error: findings are counted, not all printed
)

// TestHostileInputs gives hostile files to every command that reads one, under limits of
// memory and time: none is killed, panics, hangs or changes what it reads. MEMBENCH_SOAK
// (`make soak`) runs every pair, with larger files.
func TestHostileInputs(t *testing.T) {
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("no sh, which sets the limit of memory")
	}
	soak := os.Getenv("MEMBENCH_SOAK") != ""
	n := 5000
	if soak {
		n = 200_000
	}
	run := hostileRun{exe: program(t), env: start(t, t.TempDir()).Env}
	// Data sets share what reads a file, which meets the large ones as 'datasets lint'; each
	// has its own decoder, for which ten times fewer records say the same.
	large, small := hostileFolder(t, n), hostileFolder(t, min(n, 20_000))
	names := slices.Sorted(maps.Keys(large))
	if len(names) < 60 {
		t.Fatalf("%d files, want at least 60", len(names))
	}
	var wg sync.WaitGroup
	two := make(chan bool, 2)
	rounds := 1 // in one each command meets one file, each file a command or two
	if soak {
		rounds = len(names)
	}
	for round := range rounds {
		for j, c := range hostileCommands() {
			name := names[(round+j)%len(names)]
			from := large[name]
			if strings.HasPrefix(c.args, "datasets info ") {
				from = small[name]
			}
			two <- true
			wg.Go(func() {
				defer func() { <-two }()
				run.pair(t, c, name, from)
			})
		}
	}
	wg.Wait()
	t.Logf("%d pairs; most memory: %d MiB, %s; most time: %v, %s", run.pairs, run.most>>10, run.mostBy, run.longest, run.longestBy)
	for _, files := range []map[string]hostileFile{large, small} {
		for name, f := range files {
			if b, err := os.ReadFile(f.path); err != nil || sha256.Sum256(b) != f.sum {
				t.Errorf("%s: some command changed its input (%v)", name, err)
			}
		}
	}
}

// A hostileFile is one on disk: what runs read is a second name of it.
type hostileFile struct {
	path string
	sum  [32]byte
}

func hostileFolder(t *testing.T, n int) map[string]hostileFile {
	out, dir := map[string]hostileFile{}, t.TempDir()
	for name, text := range hostileFiles(n) {
		path := filepath.Join(dir, strconv.Itoa(len(out)))
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		out[name] = hostileFile{path, sha256.Sum256([]byte(text))}
	}
	return out
}

// A hostileRun runs pairs of a command and a file.
type hostileRun struct {
	exe string
	env []string

	mu                sync.Mutex
	pairs             int
	most              int64 // KiB
	longest           time.Duration
	mostBy, longestBy string
}

// place puts a hostile file where a command finds it: a link, since some are large, but a
// copy for a command that writes to it.
func place(c hostileCommand, from, to string) error {
	if !strings.Contains(c.args, "--cassette F") {
		return os.Link(from, to)
	}
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.Create(to)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Close())
}

func (r *hostileRun) pair(t *testing.T, c hostileCommand, name string, from hostileFile) {
	dir, err := os.MkdirTemp("", "hostile-*")
	if err != nil {
		t.Error(err)
		return
	}
	defer os.RemoveAll(dir) // at once: there are thousands
	file := filepath.Join(dir, "in", c.name)
	if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.Mkdir(filepath.Join(dir, "tmp"), 0o755), place(c, from.path, file)); err != nil {
		t.Error(err)
		return
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute) // a hang, not a measure
	defer cancel()
	run := exec.CommandContext(ctx, "sh", append([]string{"-c", fmt.Sprintf(`ulimit -v %d; exec "$0" "$@"`, addressSpace), r.exe}, c.with(file, filepath.Join(dir, "out"))...)...)
	run.Dir, run.Env = dir, append(slices.Clip(r.env), "TMPDIR="+filepath.Join(dir, "tmp"))
	if strings.HasSuffix(c.args, "<F") {
		in, err := os.Open(file)
		if err != nil {
			t.Error(err)
			return
		}
		defer in.Close()
		run.Stdin = in
	}
	var said bytes.Buffer
	run.Stderr = &said
	err = run.Run()
	if run.ProcessState == nil {
		t.Error(err)
		return
	}
	r.check(t, name+": "+c.args, run.ProcessState)
	if code := run.ProcessState.ExitCode(); ctx.Err() != nil || code < 0 || code > exitFindings || said.Len() > mostSaid || strings.Contains(said.String(), "goroutine ") || strings.Contains(said.String(), "fatal error") {
		t.Errorf("%s: %s: exit code %d, late: %v, %d bytes said, want at most %d\n%.600s", name, c.args, code, ctx.Err(), said.Len(), mostSaid, said.String())
	}
}

// check holds what a process took against the limits.
func (r *hostileRun) check(t *testing.T, what string, p *os.ProcessState) {
	u, ok := p.SysUsage().(*syscall.Rusage)
	if !ok {
		return
	}
	peak, took := int64(u.Maxrss), p.UserTime()+p.SystemTime()
	if runtime.GOOS == "darwin" {
		peak >>= 10
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.pairs++; r.pairs%500 == 0 {
		t.Logf("%d pairs", r.pairs)
	}
	if peak > r.most {
		r.most, r.mostBy = peak, what
	}
	if took > r.longest {
		r.longest, r.longestBy = took, what
	}
	if peak > mostHeld || took > busy {
		t.Errorf("%s: %d MiB resident and %v of processor time, want at most %d MiB and %v", what, peak>>10, took, mostHeld>>10, busy)
	}
}

// endlessCommands read standard input, as far as it goes.
var endlessCommands = []string{"to-graph --exports - -o o", "annotate - -o o.jsonl", "eval import - -o o", "cypher - -o o", "claimify - -o o", "validate -", "eval grade - -p em -o o.jsonl", "view - -o o.html",
	"datasets lint plain -", "shard to-graph map --hop exports", "trace mem:x --in -", "compile - -o o.jsonl", "compile-claims - -o o", "to-graph --events - -o o", "eval import - --cases - -o o", "eval audit -",
	"export - --format jsonld -o o.jsonl", "shard compile-claims map", "shard cypher map", "ask - tea?", "replay ingest - --store o --agent-id a", "datasets convert plain - -o o.jsonl"}

// endless yields a text again and again.
type endless string

func (e endless) Read(p []byte) (int, error) {
	p = p[:max(len(e), len(p)/len(e)*len(e))]
	for n := copy(p, e); n < len(p); n *= 2 {
		copy(p[n:], p[:n])
	}
	return len(p), nil
}

// TestEndlessInput gives commands data without an end: they end by themselves where it has no lines, and need little memory. The limit of address space is that of
// a person's shell; the runtime reserves 1.3 GB of it.
func TestEndlessInput(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("what the runtime reserves is known for Linux only")
	}
	soak := os.Getenv("MEMBENCH_SOAK") != ""
	exe, env := program(t), start(t, t.TempDir()).Env
	for i, args := range endlessCommands {
		for _, text := range []string{"\x00", "[", "{\n"} {
			if !soak && (i%4 != 0 || text != "\x00") {
				continue
			}
			ctx, cancel := context.WithTimeout(t.Context(), busy)
			run := exec.CommandContext(ctx, "sh", append([]string{"-c", `ulimit -v 1500000; exec "$0" "$@"`, exe}, strings.Fields(args)...)...)
			run.Cancel = func() error { return run.Process.Signal(syscall.SIGTERM) }
			run.WaitDelay = 10 * time.Second
			run.Dir, run.Env, run.Stdin = t.TempDir(), env, endless(text)
			var said bytes.Buffer
			run.Stderr = &said
			run.Run()
			code, late := run.ProcessState.ExitCode(), ctx.Err() != nil
			cancel()
			if u, ok := run.ProcessState.SysUsage().(*syscall.Rusage); ok && u.Maxrss > 256<<10 {
				t.Errorf("%s of %q without end: %d MiB resident, want at most 256", args, text, u.Maxrss>>10)
			}
			if strings.Contains(said.String(), "goroutine ") || strings.Contains(said.String(), "fatal error") || !late && code != exitFindings && code != exitFailed || late && text != "{\n" {
				t.Errorf("%s of %q without end: exit code %d, late: %v\n%.600s", args, text, code, late, said.String())
			}
		}
	}
}

// TestPipeIsReadOnce: a command that wants its input again refuses a pipe, before anything
// is replaced; others read it as it comes.
func TestPipeIsReadOnce(t *testing.T) {
	t.Parallel()
	graph := hazNode1 + "\n" + hazNode2 + "\n"
	events := hazEvent1 + "\n" + hazEvent2 + "\n"
	qa := `{"system": "s", "dataset": "d", "case_id": "c", "question_id": "q1", "question": "How many cats?", "gold": "2 cats", "category": "IE", "raw_category": "4", "hits": [], "answer": "2 cats.", "by": "rule", "outcome": "answered", "grades": [{"protocol": "em@1", "score": 1, "outcome": "scored", "by": "rule"}]}` + "\n"
	for args, text := range map[string]string{
		"migrate F --to 0.1.0 -o O":                       events,
		"replay ingest F --store S --agent-id a":          events,
		"export F --format graphml -o O":                  graph,
		"diff F O":                                        graph,
		"eval grade F -p em -o O":                         qa,
		"eval report F -o S":                              qa,
		"migrate F --input-version 0.1.0 --to 0.1.0 -o N": events,
		"view F --title t -o N":                           graph,
		"eval aggregate F":                                qa,
	} {
		dir := quickDir(t)
		put(t, dir, map[string]string{"out": "kept\n"})
		file := filepath.Join(dir, "pipe.jsonl")
		if err := syscall.Mkfifo(file, 0o600); err != nil {
			t.Skip("no named pipes here:", err)
		}
		go func() {
			if w, err := os.OpenFile(file, os.O_WRONLY, 0); err == nil {
				io.WriteString(w, text)
				w.Close()
			}
		}()
		r := inProcess(dir, strings.NewReader(""), strings.Fields(strings.NewReplacer("F", file, "O", filepath.Join(dir, "out"), "S", filepath.Join(dir, "s"), "N", filepath.Join(dir, "new")).Replace(args))...)
		want := exitUsage
		if strings.Contains(args, "N") || strings.Contains(args, "aggregate") {
			want = exitFine
		}
		kept, _ := os.ReadFile(filepath.Join(dir, "out"))
		if r.code != want || want == exitUsage && !strings.Contains(r.stderr, "save it to a file") || string(kept) != "kept\n" || exists(filepath.Join(dir, "s", "report.md")) {
			t.Errorf("%s of a pipe: exit code %d, want %d, output %q\n%s", args, r.code, want, kept, r.stderr)
		}
	}
}
