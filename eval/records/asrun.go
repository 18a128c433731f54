package records

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"membench/internal/build"
	"membench/internal/codec"
	"membench/schema"
	"membench/schema/jsonl"
)

// asRun gives records what only their run as a whole shows: the types of its systems, as its manifest records them, and which systems show something, but name no
// turn in any hit of the file. Grades of what such hits name are not applicable, whatever they were graded as. It reads the file a second time; of standard input and pipes, which cannot be read twice, nothing is known.
func asRun(in schema.Seq[schema.QARecord], path string) schema.Seq[schema.QARecord] {
	return func(yield func(schema.Record[schema.QARecord], error) bool) {
		types, unnamed := systemTypes(filepath.Dir(path)), unnamedSystems(path)
		schema.Observe(in, func(r *schema.QARecord) {
			if t, ok := types[r.System]; ok {
				r.Type = t
			}
			if r.Unnamed = unnamed[r.System]; r.Unnamed {
				r.Grades = withoutSources(r.Grades)
			}
		})(yield)
	}
}

// withoutSources returns grades in which none is of the turns that hits name.
func withoutSources(grades []schema.Grade) []schema.Grade {
	grades = slices.Clone(grades)
	for i := range grades {
		if g := &grades[i]; schema.OfSources(g.Protocol) && g.Outcome == schema.GradeScored {
			*g = schema.Grade{Protocol: g.Protocol, By: g.By, Gold: g.Gold, Outcome: schema.GradeNA, Reason: schema.NoSources}
		}
	}
	return grades
}

// systemTypes are the types of the systems of a run's folder, "" where the name is the type.
func systemTypes(dir string) map[string]string {
	m, err := build.ReadManifest(filepath.Join(dir, "manifest.json"))
	if err != nil {
		return nil
	}
	out := map[string]string{}
	for name := range m.Options.Members() {
		system, ok := strings.CutPrefix(name, "system ")
		info := strings.Split(m.Options.Text(name), " ") // memory.Info: name, version, mode, fingerprint
		if !ok || len(info) < 4 {
			continue
		}
		out[system] = info[0]
		if mode := info[len(info)-2]; mode == schema.TypeProgram || mode == schema.TypeService {
			out[system] = mode
		}
		if t := out[system]; t == system || t+"-rule" == system {
			out[system] = ""
		}
	}
	return out
}

// unnamedSystems are the systems of a file that show hits, or a context without any, and have no hit, nor a memory below the hits, that names a turn. Of a file
// that cannot be read twice there are none.
func unnamedSystems(path string) map[string]bool {
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
		return nil
	}
	f, err := jsonl.Open(path, nil)
	if err != nil {
		return nil
	}
	defer f.Close()
	type item struct {
		Sources []schema.EventRef `json:"sources"`
	}
	out := map[string]bool{} // false: it names turns
	for line, err := range jsonl.Lines(f, path, 0) {
		if err != nil {
			return nil // the reader of the records reports it
		}
		if unnamed, known := out[systemOf(line.Bytes)]; known && (!unnamed || !bytes.Contains(line.Bytes, []byte(`"sources"`))) {
			continue
		}
		var r struct {
			System    string `json:"system"`
			Hits      []item `json:"hits"`
			Below     []item `json:"below_k"`
			Context   string `json:"context"`
			ContextID string `json:"context_id"`
		}
		if codec.Unmarshal(line.Bytes, &r) != nil {
			continue
		}
		if slices.ContainsFunc(append(r.Hits, r.Below...), func(x item) bool { return len(x.Sources) > 0 }) {
			out[r.System] = false
		} else if _, known := out[r.System]; !known && (len(r.Hits) > 0 || r.Context != "" || r.ContextID != "") {
			out[r.System] = true
		}
	}
	return out
}

// systemOf is the system of a record whose first member it is, as membench writes them.
func systemOf(line []byte) string {
	for name, value := range codec.Members(line) {
		if name != "system" {
			return ""
		}
		return codec.Unquote(value)
	}
	return ""
}
