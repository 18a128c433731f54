package chain

import (
	"context"
	"os"
	"runtime"
	"slices"
	"strings"

	"membench/graph"
	"membench/internal/build"
	"membench/schema"
	"membench/schema/catalog"
	"membench/schema/validate"
)

// RulesOptions of Rules.
type RulesOptions struct {
	Catalog  *catalog.Catalog                             // nil: the built-in one
	MaxLine  int                                          // 0: jsonl.MaxLine
	Digest   func(path string) (schema.FileDigest, error) // of a file as it was read
	Gated    bool                                         // graph.Gate has reported repeats and missing ends
	Rejected bool                                         // lines that are not records were reported
	Renamed  bool                                         // report names of properties that Neo4j gets under another one, too
	Report   func(*schema.Finding)
}

// Rules reports faults that validate rejects in a graph and graph.Gate accepts: missing members, ids, the vocabulary. Every writer of a graph calls it, after
// its gate. A label or type outside the vocabulary, or a reserved name of a property, is a warning, once for each name: it can be written. Files that
// match to-graph's manifest are not read again, since validate accepts all output of to-graph. Standard input and pipes cannot be read again.
func Rules(ctx context.Context, files []string, o RulesOptions) error {
	made, err := asMade(files, o.Digest, o.Report)
	if made || err != nil || slices.ContainsFunc(files, readOnce) {
		return err
	}
	seen := map[string]bool{} // names outside the vocabulary, and reserved ones
	once := func(f *schema.Finding) {
		if key := f.Code + f.Have; !seen[key] {
			seen[key] = len(seen) < maxNames
			f.Warning = true
			o.Report(f)
		}
	}
	_, err = validate.Paths(ctx, files, validate.PathOptions{Options: validate.Options{Workers: runtime.GOMAXPROCS(0), MaxLine: o.MaxLine}, Catalog: o.Catalog}, func(f *schema.Finding) {
		switch {
		case f.Code == "GRF010" && o.Renamed:
			once(f)
		case f.Warning, o.Gated && slices.Contains(gated, f.Code):
		case o.Rejected && (strings.HasPrefix(f.Code, "JSON") || strings.HasPrefix(f.Code, "SCH")): // the gate said so, in its own words
		case validate.Vocabulary(f.Code):
			once(f)
		default:
			o.Report(f)
		}
	})
	return err
}

// readOnce reports whether a file is gone once it was read: standard input, a pipe, a device.
func readOnce(name string) bool {
	if name == "-" {
		return true
	}
	st, err := os.Stat(name)
	return err == nil && !st.Mode().IsRegular()
}

// maxNames is how many names outside the vocabulary are reported once, not at each place.
const maxNames = 4096

// gated are the codes of faults that the gate reports as GRF031 and GRF033.
var gated = []string{"GRF003", "GRF004", "ID001"}

// asMade reports whether files are as to-graph made them. A file that is not what the manifest beside it says is a finding.
func asMade(files []string, digest func(string) (schema.FileDigest, error), report func(*schema.Finding)) (bool, error) {
	var beside build.Manifests
	made := true
	for _, name := range files {
		step, x, err := beside.Compare(name, digest)
		if err != nil {
			return false, err
		}
		if x != nil {
			report(x)
		}
		made = made && step == toGraphStep
	}
	return made, nil
}

// rules applies Rules to the input of a step that is about to commit.
func rules(ctx context.Context, f *build.Frame, graphs []string, catalogs []string, maxLine int, neo4j bool) error {
	if f.Taken == 0 {
		return nil
	}
	cat, err := LoadCatalog(catalogs)
	if err != nil {
		return err
	}
	var files []string
	for _, g := range graphs {
		more, err := graph.Files(g)
		if err != nil {
			return err
		}
		files = append(files, more...)
	}
	return Rules(ctx, files, RulesOptions{Catalog: cat, MaxLine: maxLine, Digest: f.WasRead, Gated: true, Rejected: f.Rejected > 0, Renamed: neo4j, Report: func(x *schema.Finding) {
		if x.Code != build.ChangedCode { // Commit reports it of every input
			f.FoundIn(x)
		}
	}})
}
