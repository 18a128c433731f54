package server

import (
	"bytes"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

//go:embed pom.xml
var pom string

// Default is the version to use, the long-term one: pom.xml names it.
var Default = func() string {
	_, rest, _ := strings.Cut(pom, "<neo4j.version>")
	version, _, _ := strings.Cut(rest, "</neo4j.version>")
	return version
}()

// Newest is the newest Neo4j that the tests run on where a Java for it is found.
const Newest = "2026.08.1"

// ErrNoMaven is returned by Fetch.
var ErrNoMaven = errors.New("mvn is not installed")

// versionFile marks a complete folder.
const versionFile = "VERSION"

// Version returns the version of Neo4j in a folder of jars.
func Version(lib string) (string, error) {
	b, err := os.ReadFile(filepath.Join(lib, versionFile))
	if err != nil {
		return "", fmt.Errorf("%w: %s: run 'membench neo4j fetch'", ErrNoJars, lib)
	}
	return strings.TrimSpace(string(b)), nil
}

// Lib returns the folder below dir that Fetch fills with a version: the jars of server, Browser and admin import, and in shell those of cypher-shell.
func Lib(dir, version string) string { return filepath.Join(dir, version) }

var versionText = regexp.MustCompile(`^\d+(\.\d+){1,2}$`)

// Fetch downloads a version of Neo4j with Maven, about 180 MB, into Lib(dir, version) unless it exists, and returns that folder. The folder appears completely
// or not at all. Maven's errors go to log. progress, which may be nil, receives the number of files so far, their size, and the last file's name. Then Fetch
// calls Warm; slow is called with its error.
func Fetch(ctx context.Context, dir, version string, log io.Writer, progress func(files int, size int64, last string), slow func(error)) (string, error) {
	lib, err := fetch(ctx, dir, version, log, progress)
	if err != nil {
		return "", err
	}
	if err := Warm(ctx, "", lib); err != nil {
		slow(err)
	}
	return lib, nil
}

func fetch(ctx context.Context, dir, version string, log io.Writer, progress func(files int, size int64, last string)) (string, error) {
	if !versionText.MatchString(version) {
		return "", fmt.Errorf("version of Neo4j: have %q, want one like %s", version, Default)
	}
	lib := Lib(dir, version)
	if _, err := Version(lib); err == nil {
		return lib, nil
	}
	mvn, err := exec.LookPath("mvn")
	if err != nil {
		return "", fmt.Errorf("%w: Maven downloads Neo4j (apt-get install maven); without it, copy %s from another machine", ErrNoMaven, lib)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	aside, err := os.MkdirTemp(dir, ".fetch-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(aside)
	pomFile, out := filepath.Join(aside, "pom.xml"), filepath.Join(aside, "lib")
	if err := os.WriteFile(pomFile, []byte(pom), 0o644); err != nil {
		return "", err
	}
	words := &maven{log: log, progress: progress}
	for _, part := range []struct{ profile, to string }{{"server", out}, {"shell", filepath.Join(out, "shell")}} {
		cmd := exec.CommandContext(ctx, mvn, "-B", "-Dstyle.color=never", "-f", pomFile, "-P"+part.profile, "-Dneo4j.version="+version,
			"dependency:copy-dependencies", "-DincludeScope=runtime", "-DoutputDirectory="+part.to)
		cmd.Stdout, cmd.Stderr = words, words
		cmd.Env = append(os.Environ(), "TERM=dumb", "NO_COLOR=1")
		if err := cmd.Run(); err != nil {
			return "", fmt.Errorf("fetching the %s of Neo4j %s with %s: %w (its output is above)", part.profile, version, mvn, errors.Join(err, ctx.Err()))
		}
	}
	if err := os.WriteFile(filepath.Join(out, versionFile), []byte(version+"\n"), 0o644); err != nil {
		return "", err
	}
	if err := os.Rename(out, lib); err != nil {
		// Another process was faster, or the folder lacks its last file.
		if _, there := Version(lib); there == nil {
			return lib, nil
		}
		if err := os.RemoveAll(lib); err != nil {
			return "", err
		}
		return lib, os.Rename(out, lib)
	}
	return lib, nil
}

// maven reads Maven's output line by line: it counts downloads and passes on warnings and errors without colour codes.
type maven struct {
	log      io.Writer
	progress func(files int, size int64, last string)
	rest     []byte
	files    int
	size     int64
}

var (
	downloaded = regexp.MustCompile(`Downloaded from \S+: \S*/(\S+) \(([\d.]+) ?(B|kB|MB|GB)\b`)
	escape     = regexp.MustCompile(`\x1b\[[0-9;]*[A-Za-z]`)
)

func (m *maven) Write(p []byte) (int, error) {
	m.rest = append(m.rest, p...)
	for {
		i := bytes.IndexByte(m.rest, '\n')
		if i < 0 {
			return len(p), nil
		}
		line := strings.TrimRight(escape.ReplaceAllString(string(m.rest[:i]), ""), "\r ")
		m.rest = m.rest[i+1:]
		if d := downloaded.FindStringSubmatch(line); d != nil {
			size, _ := strconv.ParseFloat(d[2], 64)
			m.files++
			m.size += int64(size * map[string]float64{"B": 1, "kB": 1e3, "MB": 1e6, "GB": 1e9}[d[3]])
			if m.progress != nil {
				m.progress(m.files, m.size, d[1])
			}
		} else if line != "" && !strings.HasPrefix(line, "[INFO]") && !strings.HasPrefix(line, "Download") && !strings.HasPrefix(line, "Progress") {
			if _, err := io.WriteString(m.log, line+"\n"); err != nil {
				return 0, err
			}
		}
	}
}
