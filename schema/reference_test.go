package schema_test

import (
	"testing"

	"membench/schema"
)

// TestReference: the type decides where it is known, else the name.
func TestReference(t *testing.T) {
	for _, c := range []struct {
		name, typ, want string
		bound           bool
	}{
		{"oracle", "", schema.RefOracle, true}, {"Oracle (top 10)", "", schema.RefOracle, true}, {"full_context@4k", "", schema.RefFull, true}, {"embedding-only", "", schema.RefEmbedding, false}, {"null", "", schema.RefNull, true},
		{"always abstain", "", schema.RefAbstain, true}, {"oracles", "", "", false}, {"bm25", "", "", false},
		{"upper-bound", "oracle", schema.RefOracle, true}, {"bm25", "full-context", schema.RefFull, true}, {"best", "oracle-strategy", schema.RefOracle, true},
		{"oracle", schema.TypeProgram, "", false}, {"null", schema.TypeService, "", false}, {"full-context", "bm25", "", false},
	} {
		if have := schema.Reference(c.name, c.typ); have != c.want || schema.Bound(c.name, c.typ) != c.bound {
			t.Errorf("%s of type %q: %q", c.name, c.typ, have)
		}
	}
}
