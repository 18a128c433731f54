package server

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"membench/internal/daemon"
	"membench/internal/exttest"
)

func TestVersionsAreThoseOfTheTests(t *testing.T) {
	if Default != exttest.Neo4jVersion || Newest != exttest.Neo4jNewest {
		t.Errorf("have %s and %s, exttest has %s and %s", Default, Newest, exttest.Neo4jVersion, exttest.Neo4jNewest)
	}
	if !versionText.MatchString(Default) || release(Default) != 5 || release(Newest) < 2026 {
		t.Errorf("versions %q, %q", Default, Newest)
	}
}

func TestStartRefuses(t *testing.T) {
	ctx := context.Background()
	_, err := Start(ctx, Config{Lib: t.TempDir(), Home: t.TempDir()})
	if !errors.Is(err, ErrNoJars) || !strings.Contains(err.Error(), "membench neo4j fetch") {
		t.Errorf("without jars: have %v, want what to do", err)
	}
	lib := fakeLib(t, "5.26.30")
	if _, err := Start(ctx, Config{Java: "no-such-java", Lib: lib, Home: t.TempDir()}); err == nil || !strings.Contains(err.Error(), "no-such-java") {
		t.Errorf("without java: have %v, want its name", err)
	}
	if _, err := Start(ctx, Config{Lib: lib, Home: t.TempDir(), Password: "kurz 密码"}); !errors.Is(err, ErrPassword) {
		t.Errorf("short password: have %v", err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	taken := l.Addr().(*net.TCPAddr).Port
	if _, err := Start(ctx, Config{Lib: lib, Home: t.TempDir(), BoltPort: taken}); !errors.Is(err, ErrPort) {
		t.Errorf("taken port: have %v", err)
	}
	l.Close()
	var asked sync.WaitGroup // whoever asks does not take the port from another who asks
	for range 50 {
		asked.Go(func() {
			if err := free(taken); err != nil {
				t.Error(err)
			}
		})
	}
	asked.Wait()
	home := t.TempDir()
	lock, err := lockHome(home)
	if err != nil {
		t.Fatal(err)
	}
	defer lock.Close()
	if _, err := Start(ctx, Config{Lib: lib, Home: home}); !errors.Is(err, daemon.ErrInUse) {
		t.Errorf("folder in use: have %v", err)
	}
}

func fakeLib(t *testing.T, version string) string {
	t.Helper()
	lib := t.TempDir()
	if err := os.WriteFile(filepath.Join(lib, versionFile), []byte(version+"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	return lib
}

// script writes a program for /bin/sh into a folder of its own.
func script(t *testing.T, name, text string) (dir string) {
	t.Helper()
	dir = t.TempDir()
	exttest.WriteProgram(t, filepath.Join(dir, name), "#!/bin/sh\n"+text)
	return dir
}

// A server that says why it does not start is quoted, and leaves the folder free.
func TestNotReady(t *testing.T) {
	java := filepath.Join(script(t, "java", "echo 'Directory is broken: 目录'\nexit 3\n"), "java")
	home := t.TempDir()
	_, err := Up(context.Background(), Java, Config{Java: java, Lib: fakeLib(t, "5.26.30"), Home: home})
	if !errors.Is(err, ErrNotReady) || !strings.Contains(err.Error(), "Directory is broken: 目录") {
		t.Errorf("have %v", err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 300*time.Millisecond)
	defer cancel()
	java = filepath.Join(script(t, "java", "trap 'exit 0' INT TERM\nwhile :; do sleep 0.05; done\n"), "java")
	if _, err := Up(ctx, Java, Config{Java: java, Lib: fakeLib(t, "5.26.30"), Home: home}); !errors.Is(err, ErrNotReady) || !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("never ready: have %v", err)
	}
	if s, err := Look(context.Background(), home); err != nil || s.Running {
		t.Errorf("after it: %+v, %v", s, err)
	}
}

// fakeServer is a java that says that it is ready and stays.
const fakeServer = "echo Started.\ntrap 'exit 0' INT TERM\nwhile :; do sleep 0.05; done\n"

// The process that Up leaves holds the folder; Down ends it, and a crash frees it.
func TestUpLookDown(t *testing.T) {
	ctx := context.Background()
	c := Config{Java: filepath.Join(script(t, "java", fakeServer), "java"), Lib: fakeLib(t, "5.26.30"), Home: t.TempDir()}
	st, err := Up(ctx, Java, c)
	if err != nil {
		t.Fatal(err)
	}
	exttest.EndWith(t, st.PID)
	defer Down(ctx, c.Home)
	if !st.Running || st.PID == 0 || !strings.HasPrefix(st.URI, "bolt://127.0.0.1:") || !strings.HasPrefix(st.Browser, "http://127.0.0.1:") {
		t.Errorf("state: %+v", st)
	}
	if _, err := Up(ctx, Java, c); !errors.Is(err, daemon.ErrInUse) {
		t.Errorf("twice: have %v", err)
	}
	if s, err := Look(ctx, c.Home); err != nil || s != st {
		t.Errorf("look: have %+v, %v; want %+v", s, err, st)
	}
	if was, killed, err := Down(ctx, c.Home); err != nil || killed || was.PID != st.PID {
		t.Errorf("down: %+v, %t, %v", was, killed, err)
	}
	if was, _, err := Down(ctx, c.Home); err != nil || was.Running {
		t.Errorf("down again: %+v, %v", was, err)
	}
	// The same ports again, and then a crash.
	again, err := Up(ctx, Java, c)
	if err != nil || again.URI != st.URI || again.Browser != st.Browser {
		t.Fatalf("again: %+v, %v; want %s", again, err, st.URI)
	}
	p, err := os.FindProcess(again.PID)
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Kill(); err != nil {
		t.Fatal(err)
	}
	if ended, err := gone(ctx, c.Home, 5*time.Second); !ended || err != nil {
		t.Errorf("after a crash the folder is not free: %v", err)
	}
	// Data of another release are left alone.
	if err := os.MkdirAll(filepath.Join(c.Home, "data"), 0o755); err != nil {
		t.Fatal(err)
	}
	c.Lib = fakeLib(t, "2026.08.1")
	if _, err := Up(ctx, Java, c); !errors.Is(err, ErrVersion) {
		t.Errorf("another release: have %v", err)
	}
}

// A server that does not listen is ended by force.
func TestDownByForce(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	c := Config{Java: filepath.Join(script(t, "java", "trap '' INT TERM\necho Started.\nwhile :; do sleep 0.05; done\n"), "java"), Lib: fakeLib(t, "5.26.30"), Home: t.TempDir()}
	if _, err := Up(ctx, Java, c); err != nil {
		t.Fatal(err)
	}
	if was, killed, err := down(ctx, c.Home, 2*time.Second); err != nil || !killed || !was.Running {
		t.Errorf("killed %t, %v", killed, err)
	}
	if s, err := Look(ctx, c.Home); err != nil || s.Running {
		t.Errorf("after it: %+v, %v", s, err)
	}
}

// TestKeepOnly: archives of another Java go, whatever the folder is called; everything else stays.
func TestKeepOnly(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "odd [name]*")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"start-1.jsa", "start-2.jsa", "start-3.jsa", "neo4j.jar", "start-2.txt"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := keepOnly(filepath.Join(dir, "start-2.jsa")); err != nil {
		t.Fatal(err)
	}
	var have []string
	entries, err := os.ReadDir(dir)
	for _, e := range entries {
		have = append(have, e.Name())
	}
	if want := []string{"neo4j.jar", "start-2.jsa", "start-2.txt"}; err != nil || !slices.Equal(have, want) {
		t.Errorf("have %v, %v, want %v", have, err, want)
	}
}

func TestStartStop(t *testing.T) {
	t.Parallel()
	exttest.Need(t, "java", exttest.Neo4jLib())
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Minute)
	defer cancel()
	c := Config{Java: "java", Lib: exttest.Neo4jLib(), Home: t.TempDir(), Bound: true}
	var made [2]os.FileInfo // the archive of classes is made once; neo4j fetch may have done it
	for i := range made {
		name, err := archive(c.Java, c.Lib)
		if err := errors.Join(err, Warm(ctx, c.Java, c.Lib)); err != nil {
			t.Fatal(err)
		}
		if made[i], err = os.Stat(name); err != nil {
			t.Fatal(err)
		}
	}
	if !os.SameFile(made[0], made[1]) {
		t.Error("the second call made the archive again")
	}
	c.extra = []string{"-Xshare:on"} // Java does not start where it cannot take the archive
	s, err := Start(ctx, c)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Kill()
	addr := strings.TrimPrefix(s.URI, "bolt://")
	if !strings.HasPrefix(addr, "127.0.0.1:") {
		t.Errorf("address: have %s, want loopback", addr)
	}
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	conn.Close()
	if err := s.Stop(); err != nil {
		t.Fatal(err)
	}
	if c, err := net.Dial("tcp", addr); err == nil {
		c.Close()
		t.Error("the server still answers after Stop")
	}
}

// The newest Neo4j, which wants another Java, starts, serves Browser, and ends cleanly.
func TestNewest(t *testing.T) {
	t.Parallel()
	lib := exttest.Neo4jLibOf(Newest)
	if _, err := FindJava(Newest); err != nil {
		t.Skip("SKIP-EXTERNAL: " + err.Error()) // also on a build server: only where a second Java is
	}
	exttest.Need(t, lib)
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Minute)
	defer cancel()
	home := t.TempDir()
	// Not the usual ports: another package's test starts a server there at the same time.
	c := Config{Lib: lib, Home: home, Password: "12345678"}
	for _, p := range []*int{&c.BoltPort, &c.HTTPPort} {
		var err error
		if *p, err = freePort(); err != nil {
			t.Fatal(err)
		}
	}
	st, err := Up(ctx, Java, c)
	if err != nil {
		t.Fatal(err)
	}
	exttest.EndWith(t, st.PID)
	defer Down(ctx, home)
	res, err := http.Get(st.Browser)
	if err != nil {
		t.Fatal(err)
	}
	page, err := io.ReadAll(res.Body)
	res.Body.Close()
	if err != nil || res.StatusCode != http.StatusOK || !strings.Contains(string(page), "Neo4j Browser") {
		t.Errorf("Browser: %s, %v", res.Status, err)
	}
	_, killed, err := Down(ctx, home)
	log, _ := os.ReadFile(st.Log)
	if err != nil || killed || !strings.Contains(string(log), "Stopped.") {
		t.Errorf("down: killed %t, %v\n%s", killed, err, log)
	}
}

// A password of any signs is set as it is; it is in no list of processes.
func TestPassword(t *testing.T) {
	t.Parallel()
	exttest.Need(t, "java", exttest.Neo4jLib())
	for _, password := range []string{"--help -a\"b\\c @x 密码", "@/etc/passwd tab\tand 'quotes'", `\\\u0041 $HOME`} {
		c := Config{Lib: exttest.Neo4jLib(), Home: t.TempDir(), Password: password}
		version, err := c.prepare()
		if err != nil {
			t.Fatal(err)
		}
		if err := c.configure(context.Background(), version); err != nil {
			t.Fatalf("%q: %v", password, err)
		}
		auth, err := os.ReadFile(filepath.Join(c.Home, "data", "dbms", "auth.ini"))
		if err != nil {
			t.Fatal(err)
		}
		// neo4j:SHA-256,<hash>,<salt>,<rounds>:
		m := regexp.MustCompile(`^neo4j:SHA-256,([0-9a-f]+),([0-9a-f]+),(\d+):`).FindStringSubmatch(string(auth))
		if m == nil {
			t.Fatalf("auth.ini: %s", auth)
		}
		salt, _ := hex.DecodeString(m[2])
		rounds, _ := strconv.Atoi(m[3])
		sum := sha256.Sum256(append(salt, password...))
		for range rounds - 1 {
			sum = sha256.Sum256(sum[:])
		}
		if hex.EncodeToString(sum[:]) != m[1] {
			t.Errorf("%q was set as something else", password)
		}
		left, _ := filepath.Glob(filepath.Join(c.Home, "conf", "first*"))
		if len(left) > 0 {
			t.Errorf("left behind: %v", left)
		}
	}
}

func TestFindJava(t *testing.T) {
	old := filepath.Join(script(t, "java", "echo 'java version \"1.8.0_292\"' >&2\n"), "java")
	new := filepath.Join(script(t, "java", "echo 'openjdk version \"21.0.1\" 2023-10-17' >&2\n"), "java")
	if v := javaVersion(old); v != 8 {
		t.Errorf("have %d, want 8", v)
	}
	if got, err := FindJava("5.26.30", "", old, new); err != nil || got != new {
		t.Errorf("have %s, %v; want %s", got, err, new)
	}
	// A JDK's own file is believed without starting it.
	jdk := t.TempDir()
	if err := os.MkdirAll(filepath.Join(jdk, "bin"), 0o755); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"release": "IMPLEMENTOR=\"x\"\nJAVA_VERSION=\"22\"\n", "bin/java": "#!/bin/sh\nexit 1\n"} {
		if err := os.WriteFile(filepath.Join(jdk, name), []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if v := javaVersion(filepath.Join(jdk, "bin", "java")); v != 22 {
		t.Errorf("have %d, want 22", v)
	}
}

// fakeMaven writes what Maven would, or fails half way.
const fakeMaven = `
for a; do case $a in -DoutputDirectory=*) out=${a#*=};; esac; done
case "$*" in *-Dneo4j.version=5.0.0*) case "$*" in *-Pshell*) echo 'no route to host' >&2; exit 1;; esac;; esac
mkdir -p "$out" && echo "$@" > "$out/args.jar"
`

func TestFetch(t *testing.T) {
	ctx, dir := context.Background(), t.TempDir()
	t.Setenv("PATH", script(t, "mvn", fakeMaven)+string(os.PathListSeparator)+os.Getenv("PATH"))
	lib, err := Fetch(ctx, dir, "5.26.30", io.Discard, nil, func(error) {})
	if err != nil {
		t.Fatal(err)
	}
	var said strings.Builder
	var got []string
	words0 := &maven{log: &said, progress: func(files int, size int64, last string) { got = append(got, fmt.Sprint(files, " ", size, " ", last)) }}
	for _, part := range []string{"\x1b[1m[INFO]\x1b[0m Scanning\nDownloading from central: https://r/a/b-1.jar\nDownloaded from central: https://r/a/b-1.jar (1.2 MB at 3.4 MB/s)\nDownloaded from", " central: https://r/c.pom (600 B at 1 kB/s)\n[\x1b[1;33mWARNING\x1b[m] old\n\x1b[0m\x1b[0m\n"} {
		io.WriteString(words0, part)
	}
	if want := []string{"1 1200000 b-1.jar", "2 1200600 c.pom"}; !slices.Equal(got, want) || said.String() != "[WARNING] old\n" {
		t.Errorf("Maven's words: have %q and %q", got, said.String())
	}
	if v, err := Version(lib); err != nil || v != "5.26.30" {
		t.Errorf("version %q, %v", v, err)
	}
	for _, f := range []string{"args.jar", "shell/args.jar"} {
		b, err := os.ReadFile(filepath.Join(lib, f))
		if err != nil || !strings.Contains(string(b), "-Dneo4j.version=5.26.30") {
			t.Errorf("%s: %s, %v", f, b, err)
		}
	}
	var words strings.Builder
	if _, err := Fetch(ctx, dir, "5.0.0", &words, nil, func(error) {}); err == nil || !strings.Contains(words.String(), "no route to host") {
		t.Errorf("half: %v; %s", err, &words)
	}
	if _, err := Fetch(ctx, dir, "../up", io.Discard, nil, func(error) {}); err == nil {
		t.Error("a path is taken for a version")
	}
	// A broken folder is replaced; nothing is left beside the good ones.
	if err := os.Remove(filepath.Join(lib, versionFile)); err != nil {
		t.Fatal(err)
	}
	if _, err := Fetch(ctx, dir, "5.26.30", io.Discard, nil, func(error) {}); err != nil {
		t.Error(err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 1 {
		t.Errorf("left: %v, %v", entries, err)
	}
	// With the jars there, Maven is not asked.
	t.Setenv("PATH", t.TempDir())
	if _, err := Fetch(ctx, dir, "5.26.30", io.Discard, nil, func(error) {}); err != nil {
		t.Error(err)
	}
	if _, err := Fetch(ctx, dir, "5.26.29", io.Discard, nil, func(error) {}); !errors.Is(err, ErrNoMaven) {
		t.Errorf("without mvn: %v", err)
	}
}

// fakeDocker keeps containers as files of $STATE and notes what it was told.
const fakeDocker = `
echo "$@" >> "$STATE/calls"
echo "auth=$NEO4J_AUTH" >> "$STATE/env"
for name; do :; done
case "$1 $2" in
"version --format") echo 28.2.2;;
"container inspect") [ -f "$STATE/$name" ] || { echo "Error response from daemon: No such container: $name" >&2; exit 1; }; cat "$STATE/$name";;
"run --detach") shift; while [ "$1" != --name ]; do shift; done; echo true > "$STATE/$2";;
"logs --tail") echo "INFO  Started.";;
"stop --time") echo false > "$STATE/$name";;
"rm "*) rm "$STATE/$name";;
*) echo "unknown: $*" >&2; exit 125;;
esac
`

// The engine is not on every machine, so this holds what is asked of it: loopback
// only, our folder, the pinned image, the password in no argument.
func TestDocker(t *testing.T) {
	state := t.TempDir()
	t.Setenv("STATE", state)
	t.Setenv("PATH", script(t, "docker", fakeDocker)+string(os.PathListSeparator)+os.Getenv("PATH"))
	ctx, home := context.Background(), t.TempDir()
	if !HasDocker(ctx) {
		t.Fatal("the engine is not seen")
	}
	st, err := Up(ctx, Docker, Config{Home: home, Password: "hunter2-hunter2", HeapMB: 1024, PageCacheMB: 256})
	if err != nil {
		t.Fatal(err)
	}
	if s, err := Look(ctx, home); err != nil || s != st || !s.Running {
		t.Errorf("look: %+v, %v; want %+v", s, err, st)
	}
	if _, err := Up(ctx, Docker, Config{Home: home}); !errors.Is(err, daemon.ErrInUse) {
		t.Errorf("twice: %v", err)
	}
	if _, _, err := Down(ctx, home); err != nil {
		t.Error(err)
	}
	if s, err := Look(ctx, home); err != nil || s.Running {
		t.Errorf("after down: %+v, %v", s, err)
	}
	calls, _ := os.ReadFile(filepath.Join(state, "calls"))
	env, _ := os.ReadFile(filepath.Join(state, "env"))
	if strings.Contains(string(calls), "hunter2") || !strings.Contains(string(env), "auth=neo4j/hunter2-hunter2") {
		t.Errorf("the password goes the wrong way:\n%s%s", calls, env)
	}
	for _, want := range []string{"--publish 127.0.0.1:" + strconv.Itoa(portOf(st.URI)) + ":7687", "--publish 127.0.0.1:" + strconv.Itoa(portOf(st.Browser)) + ":7474",
		"--volume " + home + "/data:/data", fmt.Sprintf("--user %d:%d", os.Getuid(), os.Getgid()), "NEO4J_server_memory_heap_max__size=1024m", "neo4j:" + Default} {
		if !strings.Contains(string(calls), want) {
			t.Errorf("the engine is not told %q:\n%s", want, calls)
		}
	}
	t.Setenv("PATH", t.TempDir())
	if HasDocker(ctx) {
		t.Error("an engine is seen where there is none")
	}
	if _, err := exec.LookPath("docker"); err == nil {
		t.Error("the test's PATH has a docker")
	}
}
