// Command testsum reads `go test -json` on standard input and prints what a person
// wants to see: one line a package, the output of failed tests, every skipped test
// with its reason, and a closing line "N passed, N failed, N skipped". It exits 1
// when a test or a build failed, or when no test ran.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
)

type event struct {
	Action, Package, ImportPath, Test, Output string
	Elapsed                                   float64
}

func main() { os.Exit(run(os.Stdin, os.Stdout)) }

func run(in io.Reader, out io.Writer) int {
	var passed, failed, broken int
	var skips []string
	logs := map[string][]string{} // of a test, until it ends
	sc := bufio.NewReader(in)
	for {
		line, err := sc.ReadString('\n')
		if strings.TrimSpace(line) != "" {
			var e event
			if json.Unmarshal([]byte(line), &e) != nil {
				fmt.Fprint(out, line) // build output of older toolchains
			} else {
				key := e.Package + " " + e.Test
				switch e.Action {
				case "output":
					logs[key] = append(logs[key], e.Output)
				case "build-output":
					fmt.Fprint(out, e.Output)
				case "build-fail":
					broken++
				case "pass", "fail", "skip":
					if e.Test == "" {
						if e.Action != "skip" {
							fmt.Fprintf(out, "%-4s %s %.1fs\n", map[string]string{"pass": "ok", "fail": "FAIL"}[e.Action], e.Package, e.Elapsed)
						}
						if e.Action == "fail" {
							broken++
							printUnended(out, logs, e.Package)
							fmt.Fprint(out, strings.Join(logs[key], ""))
						}
						break
					}
					switch e.Action {
					case "pass":
						passed++
					case "fail":
						failed++
						fmt.Fprint(out, strings.Join(logs[key], ""))
					case "skip":
						skips = append(skips, e.Package+" "+e.Test+": "+reason(logs[key]))
					}
				}
				if e.Action == "pass" || e.Action == "fail" || e.Action == "skip" {
					delete(logs, key)
				}
			}
		}
		if err != nil {
			break
		}
	}
	external := 0
	for _, s := range skips {
		fmt.Fprintln(out, "skipped", s)
		if strings.Contains(s, ": SKIP-EXTERNAL:") {
			external++
		}
	}
	if external > 0 {
		fmt.Fprintf(out, "%d skipped because programs are missing: scripts/test-tools.sh installs them (Java and Maven for Neo4j, Chromium, Python, jq)\n", external)
	}
	fmt.Fprintf(out, "%d passed, %d failed, %d skipped\n", passed, failed, len(skips))
	if failed > 0 || broken > 0 || passed == 0 {
		return 1
	}
	return 0
}

// printUnended prints the last lines of the tests of a failed package that never
// reported an end: of a panic, an exit or a kill, they are all that is known.
func printUnended(out io.Writer, logs map[string][]string, pkg string) {
	const last = 40 // lines of each test
	keys := slices.Sorted(maps.Keys(logs))
	for _, key := range keys {
		p, test, _ := strings.Cut(key, " ")
		if p != pkg || test == "" {
			continue
		}
		lines := logs[key]
		fmt.Fprintf(out, "did not end: %s\n%s", key, strings.Join(lines[max(0, len(lines)-last):], ""))
	}
}

// reason is the text of the call to Skip.
func reason(log []string) string {
	for _, l := range log {
		l = strings.TrimSpace(l)
		if l != "" && !strings.HasPrefix(l, "===") && !strings.HasPrefix(l, "---") {
			if _, text, ok := strings.Cut(l, ".go:"); ok {
				_, text, _ = strings.Cut(text, ": ")
				return text
			}
			return l
		}
	}
	return "no reason given"
}
