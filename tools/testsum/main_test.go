package main

import (
	"bytes"
	"strings"
	"testing"
)

func TestRun(t *testing.T) {
	for name, tc := range map[string]struct {
		in   string
		want string
		code int
	}{
		"mixed": {`{"Action":"output","Package":"p","Test":"A","Output":"    a_test.go:3: bad\n"}
{"Action":"fail","Package":"p","Test":"A"}
{"Action":"pass","Package":"p","Test":"B"}
{"Action":"output","Package":"p","Test":"C","Output":"    c_test.go:9: needs java\n"}
{"Action":"skip","Package":"p","Test":"C"}
{"Action":"fail","Package":"p","Elapsed":1}
`, "a_test.go:3: bad\nFAIL p 1.0s\nskipped p C: needs java\n1 passed, 1 failed, 1 skipped\n", 1},
		"for want of programs": {`{"Action":"pass","Package":"p","Test":"B"}
{"Action":"output","Package":"p","Test":"C","Output":"    c_test.go:9: SKIP-EXTERNAL: java\n"}
{"Action":"skip","Package":"p","Test":"C"}`, "skipped p C: SKIP-EXTERNAL: java\n1 skipped because programs are missing: scripts/test-tools.sh installs them (Java and Maven for Neo4j, Chromium, Python, jq)\n1 passed, 0 failed, 1 skipped\n", 0},
		"nothing ran":  {"", "0 passed, 0 failed, 0 skipped\n", 1},
		"fine":         {`{"Action":"pass","Package":"p","Test":"B"}`, "1 passed, 0 failed, 0 skipped\n", 0},
		"broken build": {`{"Action":"pass","Package":"p","Test":"B"}` + "\n" + `{"Action":"build-fail","ImportPath":"q"}`, "1 passed, 0 failed, 0 skipped\n", 1},
		"tests without an end": {`{"Action":"output","Package":"p","Test":"B","Output":"panic: lost\n"}
{"Action":"pass","Package":"p","Test":"A"}
{"Action":"output","Package":"q","Test":"C","Output":"still running\n"}
{"Action":"output","Package":"p","Output":"FAIL p\n"}
{"Action":"fail","Package":"p","Elapsed":1}`, "FAIL p 1.0s\ndid not end: p B\npanic: lost\nFAIL p\n1 passed", 1},
		"package fails": {`{"Action":"pass","Package":"p","Test":"B"}` + "\n" + `{"Action":"output","Package":"p","Output":"exit status 2\n"}` + "\n" + `{"Action":"fail","Package":"p"}`, "exit status 2", 1},
	} {
		var out bytes.Buffer
		if code := run(strings.NewReader(tc.in), &out); code != tc.code || !strings.Contains(out.String(), tc.want) {
			t.Errorf("%s: exit %d, printed %q; want %d, %q", name, code, out.String(), tc.code, tc.want)
		}
	}
}
