package server

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// ErrNoJava is returned by FindJava when no Java fits.
var ErrNoJava = errors.New("no suitable Java")

// JavaFor is the range of Java versions that a version of Neo4j runs on; most is 0 if there is no upper limit.
func JavaFor(version string) (least, most int) {
	if release(version) >= 2025 {
		return 21, 0
	}
	return 17, 21
}

// FindJava returns the first Java that a version of Neo4j runs on: of the programs
// in first (empty ones are passed over), then java of PATH, then those where systems
// keep them.
func FindJava(version string, first ...string) (string, error) {
	least, most := JavaFor(version)
	var seen []string
	for _, try := range candidates(first) {
		path, err := exec.LookPath(try)
		if err != nil {
			continue
		}
		v := javaVersion(path)
		if v >= least && (most == 0 || v <= most) {
			return path, nil
		}
		if s := fmt.Sprintf("%d at %s", v, path); v != 0 && !slices.Contains(seen, s) {
			seen = append(seen, s)
		}
	}
	want := fmt.Sprintf("%d to %d", least, most)
	if most == 0 {
		want = fmt.Sprintf("%d or newer", least)
	}
	if len(seen) == 0 {
		return "", fmt.Errorf("%w for Neo4j %s: found none, want %s (apt-get install default-jre-headless, or set JAVA_HOME)", ErrNoJava, version, want)
	}
	return "", fmt.Errorf("%w for Neo4j %s: have %s, want %s", ErrNoJava, version, strings.Join(seen, ", "), want)
}

func candidates(first []string) []string {
	out := slices.DeleteFunc(slices.Clone(first), func(s string) bool { return s == "" })
	out = append(out, "java")
	for _, pattern := range []string{"/usr/lib/jvm/*/bin/java", "/Library/Java/JavaVirtualMachines/*/Contents/Home/bin/java", `C:\Program Files\*\jdk*\bin\java.exe`} {
		found, _ := filepath.Glob(pattern) // the patterns are well-formed
		out = append(out, found...)
	}
	return out
}

var quotedVersion = regexp.MustCompile(`version "(?:1\.)?(\d+)`)

// javaVersion returns the major version of a java program, 0 if unknown: from the file next to it, or by running the program.
func javaVersion(path string) int {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		if f, err := os.Open(filepath.Join(filepath.Dir(filepath.Dir(real)), "release")); err == nil {
			defer f.Close()
			for lines := bufio.NewScanner(f); lines.Scan(); {
				if v, ok := strings.CutPrefix(lines.Text(), `JAVA_VERSION="`); ok {
					n, _ := strconv.Atoi(v[:max(strings.IndexAny(v, `."`), 0)])
					return n
				}
			}
		}
	}
	out, _ := exec.Command(path, "-version").CombinedOutput()
	if m := quotedVersion.FindSubmatch(out); m != nil {
		n, _ := strconv.Atoi(string(m[1]))
		return n
	}
	return 0
}
