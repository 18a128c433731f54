// Package exttest declares what a test needs from outside the Go toolchain. Where it is
// missing the test skips and says why, in one voice, and `make test` counts it; on a
// build server (CI=true) it fails, so that nothing stays untested in silence.
package exttest

import (
	"cmp"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// Need skips t, or fails it where the environment has CI=true, unless every tool is
// there: a program of PATH, or a file or folder when the name holds a separator.
func Need(t testing.TB, tools ...string) {
	t.Helper()
	if why := Missing(tools...); why != "" {
		Lack(t, why)
	}
}

// Lack skips t, or fails it if the environment has CI=true, because of the missing thing that why names.
func Lack(t testing.TB, why string) {
	t.Helper()
	if os.Getenv("CI") == "true" {
		t.Fatal(why + ": not on this machine, and CI=true wants every test run; .ci/run installs it")
		return
	}
	t.Skip(why)
}

// Missing is "SKIP-EXTERNAL: " and the tools that are not there, "" when all are. It
// is for a TestMain, which has no test to skip.
func Missing(tools ...string) string {
	var missing []string
	for _, tool := range tools {
		if strings.ContainsRune(tool, filepath.Separator) {
			if _, err := os.Stat(tool); err != nil {
				missing = append(missing, tool)
			}
		} else if _, err := exec.LookPath(tool); err != nil {
			missing = append(missing, tool)
		}
	}
	if len(missing) == 0 {
		return ""
	}
	return "SKIP-EXTERNAL: " + strings.Join(missing, ", ")
}

// Python returns the path of a Python that can import the modules: MEMBENCH_PYTHON, or the test environment's (scripts/test-tools.sh), or python3 in PATH.
func Python(t testing.TB, modules ...string) string {
	t.Helper()
	for _, try := range []string{os.Getenv("MEMBENCH_PYTHON"), filepath.Join(Cache(), "venv", "bin", "python3"), "python3"} {
		if try == "" {
			continue
		}
		path, err := exec.LookPath(try)
		if err != nil || len(modules) > 0 && exec.Command(path, "-c", "import "+strings.Join(modules, ", ")).Run() != nil {
			continue
		}
		return path
	}
	Lack(t, "SKIP-EXTERNAL: python3 with "+strings.Join(modules, ", "))
	return ""
}

// Mem0 returns the Python of the environment in which scripts/test-tools.sh installed
// a version of mem0ai.
func Mem0(t testing.TB, version string) string {
	t.Helper()
	path := filepath.Join(Cache(), "mem0-"+version, "bin", "python3")
	if _, err := os.Stat(path); err != nil {
		Lack(t, "SKIP-EXTERNAL: mem0ai "+version+" (scripts/test-tools.sh)")
	}
	return path
}

// WantsSpark reports whether tests of Spark run: under `make spark`, and on a build server.
func WantsSpark() bool { return os.Getenv("MEMBENCH_SPARK") != "" || os.Getenv("CI") == "true" }

// Spark returns the Python of the environment into which `make spark` installs Spark, 850
// MB of it. t skips where these tests are not wanted.
func Spark(t testing.TB) string {
	t.Helper()
	if !WantsSpark() {
		t.Skip("SKIP-EXTERNAL: Spark (make spark)")
	}
	Need(t, "java", SparkPython())
	return SparkPython()
}

// SparkPython is where the interpreter of Spark is, once installed.
func SparkPython() string { return filepath.Join(Cache(), "venv-spark", "bin", "python3") }

// LocalModel returns the Python of the environment in which 'membench model fetch'
// installed small models.
func LocalModel(t testing.TB) string {
	t.Helper()
	path := filepath.Join(Cache(), "localmodel", "bin", "python3")
	if _, err := os.Stat(path); err != nil {
		Lack(t, "SKIP-EXTERNAL: small models (membench model fetch)")
	}
	return path
}

// Mem0Server returns the source of Mem0's own server, which no package registry has (MEM0_SERVER_SRC: the folder server/ of mem0ai/mem0), and a Python that can
// run it (MEM0_SERVER_PYTHON, or python3). Without the source it skips t, on a build server too; a source that cannot be run is a failure.
func Mem0Server(t testing.TB) (source, python string) {
	t.Helper()
	source = os.Getenv("MEM0_SERVER_SRC")
	if source == "" {
		t.Skip("SKIP-EXTERNAL: Mem0's server (MEM0_SERVER_SRC=the folder server/ of mem0ai/mem0)")
		return "", ""
	}
	// A test runs in its package's folder; relative paths are meant from the repository.
	if !filepath.IsAbs(source) {
		source = filepath.Join(root(t), source)
	}
	if _, err := os.Stat(filepath.Join(source, "main.py")); err != nil {
		t.Fatal("MEM0_SERVER_SRC: want the folder server/ of mem0ai/mem0: " + err.Error())
		return "", ""
	}
	python = cmp.Or(os.Getenv("MEM0_SERVER_PYTHON"), "python3")
	if strings.ContainsRune(python, filepath.Separator) && !filepath.IsAbs(python) {
		python = filepath.Join(root(t), python)
	}
	if out, err := exec.Command(python, "-c", "import mem0, fastapi, uvicorn").CombinedOutput(); err != nil {
		t.Fatalf("%s cannot run Mem0's server (MEM0_SERVER_PYTHON names another; docs/mem0.md says what to install): %v\n%s", python, err, out)
	}
	return source, python
}

// Versions of Neo4j that the tests run on; a test of cypher/neo4j/server holds them
// equal to that package's.
const (
	Neo4jVersion = "5.26.30"
	Neo4jNewest  = "2026.08.1"
)

// Neo4jLib returns the folder of Neo4j's jars that 'membench neo4j fetch' fills: MEMBENCH_NEO4J_LIB, or the folder of Neo4jVersion.
func Neo4jLib() string {
	if dir := os.Getenv("MEMBENCH_NEO4J_LIB"); dir != "" {
		return dir
	}
	return Neo4jLibOf(Neo4jVersion)
}

// Neo4jLibOf is the folder of the jars of a version.
func Neo4jLibOf(version string) string { return filepath.Join(Cache(), "neo4j", version) }

// Neo4jJava returns the flags with which a Java that lives for a short time costs least: the quick compiler, the simple collector, and the classes that 'membench
// neo4j fetch' stored beside the jars.
func Neo4jJava() []string {
	flags := []string{"-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"}
	if found, _ := filepath.Glob(filepath.Join(Neo4jLib(), "start-*.jsa")); len(found) == 1 {
		flags = append(flags, "-XX:SharedArchiveFile="+found[0])
	}
	return flags
}

// Cache returns the folder in which the scripts keep the tests' tools: $XDG_CACHE_HOME/membench, or ~/.cache/membench.
func Cache() string {
	cache := os.Getenv("XDG_CACHE_HOME")
	if cache == "" {
		home, err := os.UserHomeDir()
		if err != nil {
			home = string(filepath.Separator)
		}
		cache = filepath.Join(home, ".cache")
	}
	return filepath.Join(cache, "membench")
}

// Shared returns the folder of shared data, MEMBENCH_SHARED or "shared" next to the repository, and skips t unless it has all of the named files. The data may
// not be redistributed, so its absence is not a failure on a build server either.
func Shared(t testing.TB, names ...string) string {
	t.Helper()
	dir, err := FindShared(t, names...)
	if err != nil {
		t.Skip("SKIP-EXTERNAL: shared data (MEMBENCH_SHARED names its folder): " + err.Error())
	}
	return dir
}

// FindShared is Shared for a test that can check something without the data: its error names the missing file.
func FindShared(t testing.TB, names ...string) (dir string, err error) {
	t.Helper()
	dir = os.Getenv("MEMBENCH_SHARED")
	if dir == "" {
		dir = filepath.Join(root(t), "..", "shared")
	}
	for _, n := range names {
		if _, err := os.Stat(filepath.Join(dir, n)); err != nil {
			return "", err
		}
	}
	return dir, nil
}

// root is the folder of the repository, also for the modules within it.
func root(t testing.TB) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "internal", "exttest")); err == nil {
			return dir
		}
		if filepath.Dir(dir) == dir {
			t.Fatal("no go.mod above the test's folder")
		}
		dir = filepath.Dir(dir)
	}
}

// WriteJava writes a program that is java with the flags of Neo4jJava; a server that it starts has more settings.
func WriteJava(t testing.TB, name string, settings ...string) {
	t.Helper()
	java := "exec java '" + strings.Join(Neo4jJava(), "' '") + "' \"$@\""
	text := "#!/bin/sh\ncase \"$*\" in *AdminTool*) " + java + ";; esac\n" + java // AdminTool sets passwords and imports
	for _, s := range settings {
		text += " -c '" + s + "'" // the server takes settings at the end of its command line, too
	}
	WriteProgram(t, name, text+"\n")
}

// WriteProgram writes a program that can be started at once. A process that another test starts at this moment would inherit the open file, and while any process
// has a file open for writing, it cannot be started ("text file busy"); so none starts meanwhile.
func WriteProgram(t testing.TB, name, text string) {
	t.Helper()
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	if err := os.WriteFile(name, []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
}

// EndWith ends a background process when the test binary ends for any reason. It needs a shell.
func EndWith(t testing.TB, pid int) {
	t.Helper()
	cmd := exec.Command("sh", "-c", `while kill -0 "$0" 2>/dev/null && kill -0 "$1" 2>/dev/null; do sleep 1; done; kill -9 "$1" 2>/dev/null`, strconv.Itoa(os.Getpid()), strconv.Itoa(pid))
	if err := cmd.Start(); err == nil {
		go cmd.Wait()
	}
}
