// Yamlschema writes the JSON Schemas of the YAML files that people write: membench.yaml,
// eval.yaml, catalogues and service specs. It makes them of the Go types that read these
// files, with the comments beside their members as descriptions.
//
//	go run -C tools ./yamlschema -o ../config/schemas
package main

import (
	"bytes"
	"encoding"
	"encoding/json"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strings"

	"membench/config"
	"membench/memory/service"
	"membench/schema/catalog"
)

// A form is one kind of file.
type form struct {
	name, title, tag string
	of               reflect.Type
	required         []string
}

var forms = []form{
	{"membench", "A project, read by membench chain -c (docs/project.md)", "yaml", reflect.TypeFor[config.Project](), []string{"sources"}},
	{"eval", "An evaluation, read by membench eval run -c (docs/eval-yaml.md)", "yaml", reflect.TypeFor[config.Eval](), []string{"datasets", "systems"}},
	{"catalog", "A catalogue: domains, predicates, entity types and patterns of your own (docs/project.md)", "yaml", reflect.TypeFor[catalog.Catalog](), nil},
	{"service", "A memory service under test (docs/adding-a-service.md)", "json", reflect.TypeFor[service.Spec](), []string{"system"}},
}

func main() {
	out := flag.String("o", "../config/schemas", "`folder` to write to")
	flag.Parse()
	files, err := schemas("..")
	for name, text := range files {
		if err == nil {
			err = os.WriteFile(filepath.Join(*out, name), text, 0o666)
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "yamlschema:", err)
		os.Exit(1)
	}
}

// schemas makes every file, by name. root is the repository.
func schemas(root string) (map[string][]byte, error) {
	m := maker{docs: map[string]string{}, root: root, read: map[string]bool{}}
	out := map[string][]byte{}
	for _, f := range forms {
		m.tag = f.tag
		s, err := m.object(f.of)
		if err != nil {
			return nil, err
		}
		s["$schema"] = "https://json-schema.org/draft/2020-12/schema"
		s["title"] = f.title
		if f.required != nil {
			s["required"] = f.required
		}
		var b bytes.Buffer
		e := json.NewEncoder(&b)
		e.SetEscapeHTML(false)
		e.SetIndent("", "  ")
		if err := e.Encode(s); err != nil {
			return nil, err
		}
		out[f.name+".schema.json"] = b.Bytes()
	}
	return out, nil
}

type maker struct {
	tag, root string
	docs      map[string]string // comments, by "package.Type.Member"
	read      map[string]bool   // packages whose comments are known
	within    []reflect.Type    // what is being described: a type within itself stays open
}

var text = reflect.TypeFor[encoding.TextUnmarshaler]()

func (m *maker) value(t reflect.Type) (map[string]any, error) {
	custom := func(method string) bool { _, ok := reflect.PointerTo(t).MethodByName(method); return ok }
	switch {
	case t.Kind() == reflect.Pointer:
		return m.value(t.Elem())
	case reflect.PointerTo(t).Implements(text):
		return map[string]any{"type": []string{"string", "number"}}, nil
	case custom("UnmarshalYAML"), custom("UnmarshalJSON"), t.Name() == "MapSlice":
		return map[string]any{}, nil // several forms: the program's own check says which
	}
	switch t.Kind() {
	case reflect.String:
		return map[string]any{"type": []string{"string", "number", "boolean"}}, nil // YAML reads 1 as a number
	case reflect.Bool:
		return map[string]any{"type": "boolean"}, nil
	case reflect.Int, reflect.Int64, reflect.Uint64, reflect.Uint, reflect.Int32:
		return map[string]any{"type": []string{"integer", "string"}}, nil // a string may be ${NAME}
	case reflect.Float64:
		return map[string]any{"type": []string{"number", "string"}}, nil
	case reflect.Slice, reflect.Array:
		items, err := m.value(t.Elem())
		return map[string]any{"type": "array", "items": items}, err
	case reflect.Map:
		values, err := m.value(t.Elem())
		return map[string]any{"type": "object", "additionalProperties": values}, err
	case reflect.Struct:
		return m.object(t)
	}
	return map[string]any{}, nil
}

func (m *maker) object(t reflect.Type) (map[string]any, error) {
	for _, outer := range m.within {
		if outer == t {
			return map[string]any{"type": "object"}, nil
		}
	}
	m.within = append(m.within, t)
	defer func() { m.within = m.within[:len(m.within)-1] }()
	if err := m.comments(t); err != nil {
		return nil, err
	}
	members := map[string]any{}
	for i := range t.NumField() {
		f := t.Field(i)
		name, _, _ := strings.Cut(f.Tag.Get(m.tag), ",")
		if name == "" || name == "-" {
			if f.Anonymous && f.Type.Kind() == reflect.Struct {
				inner, err := m.object(f.Type)
				if err != nil {
					return nil, err
				}
				for k, v := range inner["properties"].(map[string]any) {
					members[k] = v
				}
			}
			continue
		}
		v, err := m.value(f.Type)
		if err != nil {
			return nil, err
		}
		if doc := m.docs[t.PkgPath()+"."+t.Name()+"."+f.Name]; doc != "" {
			v["description"] = doc
		}
		members[name] = v
	}
	return map[string]any{"type": "object", "additionalProperties": false, "properties": members}, nil
}

// comments reads what stands beside the members of the types of a package.
func (m *maker) comments(t reflect.Type) error {
	pkg, ours := strings.CutPrefix(t.PkgPath(), "membench/")
	if !ours || m.read[pkg] {
		return nil
	}
	m.read[pkg] = true
	parsed, err := parser.ParseDir(token.NewFileSet(), filepath.Join(m.root, pkg), func(f fs.FileInfo) bool { return !strings.HasSuffix(f.Name(), "_test.go") }, parser.ParseComments)
	if err != nil {
		return err
	}
	for _, p := range parsed {
		ast.Inspect(p, func(n ast.Node) bool {
			if spec, ok := n.(*ast.TypeSpec); ok {
				if s, ok := spec.Type.(*ast.StructType); ok {
					for _, f := range s.Fields.List {
						for _, name := range f.Names {
							doc := strings.TrimSpace(f.Doc.Text() + " " + f.Comment.Text())
							m.docs[t.PkgPath()+"."+spec.Name.Name+"."+name.Name] = strings.Join(strings.Fields(doc), " ")
						}
					}
				}
			}
			return true
		})
	}
	return nil
}
