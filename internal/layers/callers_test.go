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

// uncalled are exported names that nothing outside tests uses, and why they stay.
var uncalled = map[string]string{
	"cypher/neo4j.Verified.Good":      "for Go users: what the numbers of a verification come to",
	"datasets.TextFile":               "for Go users: a data set from memory; the tests of every reader use it",
	"internal/atomicfile.Observe":     "the crash tests of other packages stop at each step that it reports",
	"internal/stats.BootstrapMean":    "the tests that write the retrieval tables of docs/results.md draw conversations with it",
	"internal/jsonschema.Schema.Fast": "tests of the published schemas hold them to the fast path",
	"llm.Budget.Spent":                "for Go users: what a budget has used up",
	"memory.FromSimple":               "for Go users: a system of three methods (docs/adding-a-system.md)",
	"replay.NewLinker":                "for Go users: names the turns that a memory was made of",
	"schema.ErratumAnswer":            "a word of the format: overlays and their readers write it",
	"schema.ProbeAnchor":              "a record of schema 0.0.1 that other programs write",
}

// standard are methods that the standard library or a kept one calls.
var standard = []string{"Close", "Error", "Flush", "Format", "GoString", "Is", "Len", "Less", "MarshalJSON", "MarshalJSONTo", "MarshalText", "MarshalYAML",
	"Pop", "Push", "Read", "ReadAt", "ReadFrom", "RoundTrip", "Scan", "Seek", "ServeHTTP", "String", "Swap", "Type", "Set", "UnmarshalJSON", "UnmarshalJSONFrom", "UnmarshalText", "UnmarshalYAML", "Unwrap", "Write", "WriteByte", "WriteString"}

// TestCallers: an exported name has a caller outside tests, or a reason in uncalled; packages for tests only are exempt.
func TestCallers(t *testing.T) {
	found := withoutCaller(t, os.DirFS("../.."))
	for _, name := range found {
		if uncalled[name] == "" {
			t.Errorf("%s has no caller outside tests: delete it, make it unexported, or give the reason in uncalled", name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(uncalled)) {
		if !slices.Contains(found, name) {
			t.Errorf("uncalled names %s, which has a caller or is gone: take the line out", name)
		}
	}
}

// forTests reports whether a package only serves tests.
func forTests(dir string) bool {
	base := path.Base(dir)
	return strings.HasSuffix(base, "test") || base == "memorytest"
}

// withoutCaller lists exported names as "package.Name" and "package.Type.Method". Functions, types, variables and constants are
// matched by import and name; methods by name alone, which overlooks some but accuses none.
func withoutCaller(t *testing.T, root fs.FS) (out []string) {
	declared := map[string]bool{}         // package.Name or package.Type.Method
	used := map[string]bool{}             // package.Name
	selected := map[string]bool{}         // names after a dot, and those of interface methods
	inside := map[string]map[string]int{} // package → identifier → times
	err := fs.WalkDir(root, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (strings.HasPrefix(d.Name(), ".") && name != "." || d.Name() == "testdata") {
			return fs.SkipDir
		}
		example := strings.HasPrefix(path.Base(name), "example") && strings.HasSuffix(name, "_test.go")
		if d.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") && !example {
			return nil
		}
		src, err := fs.ReadFile(root, name)
		if err != nil {
			return err
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, src, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		dir := path.Dir(name)
		if inside[dir] == nil {
			inside[dir] = map[string]int{}
		}
		if !example && !forTests(dir) && f.Name.Name != "main" {
			for _, name := range exported(f) {
				declared[dir+"."+name] = true
			}
		}
		uses(f, inside[dir], used, selected)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for name := range declared {
		dir, rest := name[:strings.LastIndexByte(name, '/')+1], name[strings.LastIndexByte(name, '/')+1:]
		base, rest, _ := strings.Cut(rest, ".")
		dir += base
		if _, method, ok := strings.Cut(rest, "."); ok {
			if !selected[method] && !slices.Contains(standard, method) {
				out = append(out, name)
			}
		} else if !used[name] && inside[dir][rest] < 2 { // its declaration is one
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return out
}

// exported lists the exported declarations of a file; a method as Type.Method.
func exported(f *ast.File) (out []string) {
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			switch {
			case !d.Name.IsExported():
			case d.Recv == nil:
				out = append(out, d.Name.Name)
			case exportedRecv(d.Recv):
				out = append(out, fmt.Sprint(receiver(d.Recv), ".", d.Name.Name))
			}
		case *ast.GenDecl:
			for _, s := range d.Specs {
				switch s := s.(type) {
				case *ast.TypeSpec:
					if s.Name.IsExported() {
						out = append(out, s.Name.Name)
					}
				case *ast.ValueSpec:
					for _, n := range s.Names {
						if n.IsExported() {
							out = append(out, n.Name)
						}
					}
				}
			}
		}
	}
	return out
}

func receiver(r *ast.FieldList) string {
	t := r.List[0].Type
	for {
		switch x := t.(type) {
		case *ast.StarExpr:
			t = x.X
		case *ast.IndexExpr:
			t = x.X
		case *ast.Ident:
			return x.Name
		default:
			return "?"
		}
	}
}

// uses counts the identifiers of a file, and notes what it takes from our packages and what it selects.
func uses(f *ast.File, inside map[string]int, used, selected map[string]bool) {
	imports := map[string]string{}
	for _, im := range f.Imports {
		p, _ := strconv.Unquote(im.Path.Value)
		if to, ok := strings.CutPrefix(p, "membench/"); ok {
			imports[path.Base(to)] = to
			if im.Name != nil {
				imports[im.Name.Name] = to
			}
		}
	}
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncDecl:
			if n.Recv != nil { // its receiver does not use the type, nor its name a function
				for _, part := range []ast.Node{n.Type, n.Body} {
					ast.Inspect(part, func(m ast.Node) bool { return count(m, inside, imports, used, selected) })
				}
				return false
			}
		case *ast.InterfaceType:
			for _, m := range n.Methods.List {
				for _, name := range m.Names {
					selected[name.Name] = true
				}
			}
		}
		return count(n, inside, imports, used, selected)
	})
}

func count(n ast.Node, inside map[string]int, imports map[string]string, used, selected map[string]bool) bool {
	switch n := n.(type) {
	case *ast.SelectorExpr:
		selected[n.Sel.Name] = true
		if id, ok := n.X.(*ast.Ident); ok && imports[id.Name] != "" {
			used[imports[id.Name]+"."+n.Sel.Name] = true
		}
		ast.Inspect(n.X, func(m ast.Node) bool { return count(m, inside, imports, used, selected) })
		return false
	case *ast.Ident:
		inside[n.Name]++
	}
	return true
}
