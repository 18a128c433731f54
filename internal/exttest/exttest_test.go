package exttest

import (
	"path/filepath"
	"strings"
	"testing"
)

func TestMissing(t *testing.T) {
	dir := t.TempDir()
	for _, tc := range []struct {
		tools []string
		want  string
	}{
		{nil, ""},
		{[]string{"go"}, ""},
		{[]string{"go", dir}, ""},
		{[]string{"no-such-program"}, "SKIP-EXTERNAL: no-such-program"},
		{[]string{"go", filepath.Join(dir, "jars"), "no-such-program"}, filepath.Join(dir, "jars") + ", no-such-program"},
	} {
		if have := Missing(tc.tools...); !strings.HasSuffix(have, tc.want) || (have == "") != (tc.want == "") {
			t.Errorf("Missing(%q) = %q, want %q", tc.tools, have, tc.want)
		}
	}
}

func TestNeo4jLib(t *testing.T) {
	t.Setenv("MEMBENCH_NEO4J_LIB", "")
	t.Setenv("XDG_CACHE_HOME", "/c")
	if have, want := Neo4jLib(), filepath.Join("/c", "membench", "neo4j-lib"); have != want {
		t.Errorf("have %s, want %s", have, want)
	}
	t.Setenv("MEMBENCH_NEO4J_LIB", "/jars")
	if have := Neo4jLib(); have != "/jars" {
		t.Errorf("have %s, want /jars", have)
	}
}
