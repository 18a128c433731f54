package layers

import (
	"strings"
	"testing"
	"testing/fstest"
)

// Each planted fault must be found by name: a check that cannot fail is no check.
func TestPlantedFaults(t *testing.T) {
	for name, tc := range map[string]struct{ file, src, want string }{
		"stage imports stage":   {"claims/x.go", "package claims\nimport _ \"membench/annotate\"", "claims/x.go (layer 4) imports membench"},
		"util":                  {"util/x.go", "package util", "util is in no layer"},
		"driver outside":        {"cypher/x.go", "package cypher\nimport _ \"github.com/spf13/cobra\"", "mayUse does not allow"},
		"internal type exposed": {"claims/y.go", "package claims\nimport \"membench/internal/clause\"\nfunc X() clause.T { return nil }", "mentions internal/clause.T"},
	} {
		faults, _ := check(fstest.MapFS{tc.file: {Data: []byte(tc.src)}})
		want := strings.Replace(tc.want, "imports membench", "imports annotate", 1)
		if !strings.Contains(strings.Join(faults, "\n"), want) {
			t.Errorf("%s: have %q, want %q", name, faults, want)
		}
	}
}
