package server

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
)

//go:embed pom.xml
var pom []byte

// Default is the version to use, the long-term one: pom.xml names it.
var Default = string(regexp.MustCompile(`<neo4j.version>(.*)</neo4j.version>`).FindSubmatch(pom)[1])

// Newest is the newest Neo4j that the tests run on where a Java for it is found.
const Newest = "2026.08.1"

// ErrNoMaven is returned by Fetch.
var ErrNoMaven = errors.New("mvn is not installed")

// versionFile stands in a folder that is complete.
const versionFile = "VERSION"

// Version says which Neo4j a folder of jars holds.
func Version(lib string) (string, error) {
	b, err := os.ReadFile(filepath.Join(lib, versionFile))
	if err != nil {
		return "", fmt.Errorf("%w: %s: run 'membench neo4j fetch'", ErrNoJars, lib)
	}
	return strings.TrimSpace(string(b)), nil
}

// Lib is the folder below dir that Fetch fills with a version: the jars of server,
// Browser and admin import, and in shell those of cypher-shell.
func Lib(dir, version string) string { return filepath.Join(dir, version) }

var versionText = regexp.MustCompile(`^\d+(\.\d+){1,2}$`)

// Fetch has Maven copy a version of Neo4j, about 180 MB, into Lib(dir, version) and
// returns that folder; where it is there already nothing happens. The folder appears
// whole or not at all. Maven's words go to log.
func Fetch(ctx context.Context, dir, version string, log io.Writer) (string, error) {
	if !versionText.MatchString(version) {
		return "", fmt.Errorf("version of Neo4j: have %q, want one like %s", version, Default)
	}
	lib := Lib(dir, version)
	if _, err := Version(lib); err == nil {
		return lib, nil
	}
	mvn, err := exec.LookPath("mvn")
	if err != nil {
		return "", fmt.Errorf("%w: it fetches Neo4j (apt-get install maven); where it cannot be, copy %s from another machine", ErrNoMaven, lib)
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
	if err := os.WriteFile(pomFile, pom, 0o644); err != nil {
		return "", err
	}
	for _, part := range []struct{ profile, to string }{{"server", out}, {"shell", filepath.Join(out, "shell")}} {
		cmd := exec.CommandContext(ctx, mvn, "-q", "-B", "-Dstyle.color=never", "-f", pomFile, "-P"+part.profile, "-Dneo4j.version="+version,
			"dependency:copy-dependencies", "-DincludeScope=runtime", "-DoutputDirectory="+part.to)
		cmd.Stdout, cmd.Stderr = log, log
		if err := cmd.Run(); err != nil {
			return "", fmt.Errorf("fetching the %s of Neo4j %s with %s: %w (its words are above)", part.profile, version, mvn, errors.Join(err, ctx.Err()))
		}
	}
	if err := os.WriteFile(filepath.Join(out, versionFile), []byte(version+"\n"), 0o644); err != nil {
		return "", err
	}
	if err := os.Rename(out, lib); err != nil {
		// Somebody else was quicker, or the folder is one that lacks its last file.
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
