package layers

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// layers, lowest first; "x/*" covers direct children not named on their own.
// Imports go strictly down; a child may import its parent.
var layers = [][]string{
	0:  {"data", "internal/atomicfile", "internal/codec", "internal/csvdoc", "internal/daemon", "internal/depparse", "internal/exttest", "internal/extsort", "internal/hanseg", "internal/jsonschema", "internal/keyed", "internal/keyed/keyedtest", "internal/loopback", "internal/par", "internal/pattern", "internal/pystr", "internal/rank", "internal/resident", "internal/stats", "internal/textnorm", "internal/timex", "internal/tokencount", "internal/tokens", "internal/vector", "internal/visible", "internal/yamldoc"},
	1:  {"scripts/spark", "schema", "schema/jsonl", "schema/catalog", "internal/sentence", "internal/smallfile", "internal/bm25", "internal/browsertest", "internal/keylog", "internal/measure", "internal/nltk"},
	2:  {"graph", "llm", "llm/*", "schema/findings", "schema/validate", "internal/clause", "internal/opstalk", "internal/build", "eval/judge", "eval/fidelity"},
	3:  {"graph/diff", "graph/trace", "schema/migrate", "config", "memory", "memory/store", "memory/try", "llm/llmtest", "datasets", "eval/reader", "eval/figure", "eval/protocol", "eval/records"},
	4:  {"datasets/probes", "annotate", "annotate/chats", "replay", "claims", "graphir", "graphir/*", "cypher", "graph/graphtest", "datasets/datasettest", "memory/memorytest", "memory/op", "memory/native", "memory/recall", "eval/*", "cypher/browser"},
	5:  {"eval/label", "eval/watch", "memory/*", "memory/mem0/*", "memory/mem0/qdrant/qdranttest", "memory/mem0/rest/resttest", "datasets/*", "cypher/neo4j", "cypher/neo4j/server", "memory/service/*", "models"},
	6:  {"cypher/neo4j/target", "datasets/convert", "memory/all", "datasets/all"},
	7:  {"memory/open"},
	8:  {"chain", "config/doctor", "eval/pipeline"},
	9:  {"eval/experiment"},
	10: {"cli", "internal/layers"},
	11: {"cmd/membench"},
}

// mayUse says which third-party module may be imported where.
var mayUse = map[string][]string{
	"github.com/goccy/go-json":                 {"internal/codec"},
	"github.com/goccy/go-yaml":                 {"internal/yamldoc", "config"},
	"github.com/klauspost/compress":            {"schema/jsonl"},
	"golang.org/x/text":                        {"annotate/chats", "eval/fidelity", "internal/textnorm"},
	"golang.org/x/net":                         {"annotate/chats"},
	"github.com/blevesearch/snowballstem":      {"eval/judge", "internal/tokens"},
	"golang.org/x/time":                        {"memory/service", "llm/openai"},
	"golang.org/x/sys":                         {"internal/atomicfile", "internal/resident", "internal/vector", "config/doctor"},
	"github.com/santhosh-tekuri/jsonschema/v5": {"internal/jsonschema"},
	"github.com/sashabaranov/go-openai":        {"llm/openai"},
	"github.com/parquet-go/parquet-go":         {"datasets/memoryagentbench"},
	"github.com/tiktoken-go/tokenizer":         {"internal/tokencount"},
	"github.com/google/uuid":                   {"memory/mem0", "memory/service", "memory/service/servicetest"},
	"modernc.org/sqlite":                       {"memory/mem0/localstore"},
	"github.com/qdrant/go-client":              {"memory/mem0/qdrant", "memory/mem0/qdrant/qdranttest"},
	"google.golang.org/grpc":                   {"memory/mem0/qdrant", "memory/mem0/qdrant/qdranttest"},
	"github.com/neo4j/neo4j-go-driver/v5":      {"cypher/neo4j"},
	"github.com/chromedp":                      {"internal/browsertest"},
	"github.com/spf13/cobra":                   {"cli"},
	"github.com/spf13/pflag":                   {"cli"},
	"github.com/joho/godotenv":                 {"cypher/neo4j/target", "cli"},
	"github.com/jedib0t/go-pretty/v6":          {"cli"},
	"golang.org/x/term":                        {"cli"},
	"gonum.org/v1/plot":                        {"eval/experiment"},
}

func layerOf(p string) int {
	for i, l := range layers {
		if slices.Contains(l, p) {
			return i
		}
	}
	for i, l := range layers {
		for _, q := range l {
			if d, ok := strings.CutSuffix(q, "/*"); ok && path.Dir(p) == d {
				return i
			}
		}
	}
	return -1
}

// The test opens the sources itself, so that `go test` does not answer from its
// cache when an import changes.
func TestLayers(t *testing.T) {
	faults, packages := check(os.DirFS("../.."))
	if len(packages) < 10 {
		t.Fatalf("found %d packages, want the whole tree", len(packages))
	}
	for _, f := range faults {
		t.Error(f)
	}
}

func check(root fs.FS) (faults, packages []string) {
	fset := token.NewFileSet()
	taken := map[string]bool{} // "module package" of imports that mayUse allows
	err := fs.WalkDir(root, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (strings.HasPrefix(d.Name(), ".") && name != "." || d.Name() == "testdata" || d.Name() == "node_modules" || ofItsOwn(root, name)) {
			return fs.SkipDir
		}
		if d.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return nil
		}
		src, err := fs.ReadFile(root, name)
		if err != nil {
			return err
		}
		f, err := parser.ParseFile(fset, name, src, 0)
		if err != nil {
			return err
		}
		from := path.Dir(name)
		if !slices.Contains(packages, from) {
			packages = append(packages, from)
		}
		lf := layerOf(from)
		if lf < 0 {
			faults = append(faults, fmt.Sprintf("%s is in no layer: give it a place in layers", from))
		}
		if name != "cli/cli.go" && !alone[from] {
			for _, s := range streams(f) {
				faults = append(faults, fmt.Sprintf("%s uses %s: text reaches a terminal through cli's env and internal/visible only", name, s))
			}
		}
		internal := map[string]string{}
		for _, im := range f.Imports {
			p, _ := strconv.Unquote(im.Path.Value)
			to, ours := strings.CutPrefix(p, "membench/")
			switch {
			case ours:
				if lt := layerOf(to); lt >= lf && to != path.Dir(from) {
					faults = append(faults, fmt.Sprintf("%s (layer %d) imports %s (layer %d)", name, lf, to, lt))
				}
				if strings.HasPrefix(to, "internal/") {
					internal[path.Base(to)] = to
				}
			case strings.Contains(strings.Split(p, "/")[0], "."):
				allowed := false
				for module, who := range mayUse {
					if p == module || strings.HasPrefix(p, module+"/") {
						allowed = allowed || slices.Contains(who, from)
						taken[module+" "+from] = true
					}
				}
				if !allowed {
					faults = append(faults, fmt.Sprintf("%s imports %s, which mayUse does not allow there", name, p))
				}
			}
		}
		if !strings.HasPrefix(from, "internal/") && !strings.HasPrefix(from, "cmd/") {
			for _, leak := range leaks(f, internal) {
				faults = append(faults, name+": exported "+leak)
			}
		}
		return nil
	})
	if err != nil {
		faults = append(faults, err.Error())
	}
	for _, module := range slices.Sorted(maps.Keys(mayUse)) {
		for _, who := range mayUse[module] {
			if slices.Contains(packages, who) && !taken[module+" "+who] {
				faults = append(faults, fmt.Sprintf("mayUse allows %s in %s, which does not import it", module, who))
			}
		}
	}
	return faults, packages
}

// ofItsOwn reports whether a folder below the root is a module of its own.
func ofItsOwn(root fs.FS, dir string) bool {
	_, err := fs.Stat(root, path.Join(dir, "go.mod"))
	return err == nil && dir != "."
}

// alone are programs and helpers of tests for developers, which print no foreign data.
var alone = map[string]bool{"internal/exttest": true}

// streams names the ways to print that a file uses and that pass the env by. Name of
// standard output is no way to print.
func streams(f *ast.File) (out []string) {
	ast.Inspect(f, func(n ast.Node) bool {
		if c, ok := n.(*ast.CallExpr); ok && len(c.Args) > 0 { // of cli's env, out is for data and text() for what people read
			if to, ok := c.Args[0].(*ast.SelectorExpr); ok && to.Sel.Name == "out" && fmt.Sprint(to.X) == "e" {
				if by, ok := c.Fun.(*ast.SelectorExpr); ok && fmt.Sprint(by.X) != "visible" && slices.Contains([]string{"Fprint", "Fprintln", "Fprintf", "NewWriter", "SetOutputMirror"}, by.Sel.Name) {
					out = append(out, by.Sel.Name+"(e.out), not e.text()")
				}
			}
		}
		s, ok := n.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		if inner, ok := s.X.(*ast.SelectorExpr); ok && inner.Sel.Name == "Stdout" && s.Sel.Name == "Name" {
			return false
		}
		if x, ok := s.X.(*ast.Ident); ok {
			switch name := x.Name + "." + s.Sel.Name; name {
			case "os.Stdout", "os.Stderr", "fmt.Print", "fmt.Println", "fmt.Printf":
				out = append(out, name)
			}
		}
		return true
	})
	return out
}

// leaks names the exported API of an importable package that mentions an internal type.
func leaks(f *ast.File, internal map[string]string) (out []string) {
	look := func(name string, n ast.Node) {
		ast.Inspect(n, func(n ast.Node) bool {
			if fl, ok := n.(*ast.Field); ok && len(fl.Names) > 0 && !fl.Names[0].IsExported() && strings.HasPrefix(name, "type ") {
				return false
			}
			if s, ok := n.(*ast.SelectorExpr); ok {
				if id, ok := s.X.(*ast.Ident); ok && internal[id.Name] != "" {
					out = append(out, name+" mentions "+internal[id.Name]+"."+s.Sel.Name)
				}
			}
			return true
		})
	}
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Name.IsExported() && (d.Recv == nil || exportedRecv(d.Recv)) {
				look("func "+d.Name.Name, d.Type)
			}
		case *ast.GenDecl:
			for _, s := range d.Specs {
				if ts, ok := s.(*ast.TypeSpec); ok && ts.Name.IsExported() {
					look("type "+ts.Name.Name, ts.Type)
				}
			}
		}
	}
	return out
}

func exportedRecv(r *ast.FieldList) bool {
	t := r.List[0].Type
	if p, ok := t.(*ast.StarExpr); ok {
		t = p.X
	}
	id, ok := t.(*ast.Ident)
	return !ok || id.IsExported()
}
