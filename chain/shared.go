package chain

import (
	"cmp"
	"io"
	"os"
	"path/filepath"
	"strings"

	"membench/internal/build"
	"membench/internal/smallfile"
	"membench/schema"
	"membench/schema/catalog"
	"membench/schema/jsonl"
	"membench/schema/validate"
)

// Shared are the options of every step. The zero Shared reads no standard input, writes no standard output and accepts no loss.
type Shared struct {
	Stdin    io.Reader             `json:"-"` // for an input "-"
	Stdout   io.Writer             `json:"-"` // for an output "-"
	TempDir  string                `json:"-"` // "": the system's
	Report   func(*schema.Finding) `json:"-"` // called with every finding; nil: they are only counted
	Strict   bool                  `json:"-"` // write nothing when records are lost
	Accept   schema.Limit          `json:"-"` // lost records that are not errors
	Membench string                `json:"-"` // version of the program, for manifests
	// Progress is called with the number of units (such as turns) that a step has done, and that it took so far; it must be safe for concurrent use. nil: not
	// called.
	Progress func(unit string, done, taken int) `json:"-"`

	final string // final place of an output made in a temporary folder; "": where it is made
}

// frame is the frame of a step that writes to out.
func (s Shared) frame(step string, v schema.Version, out string, dir bool) *build.Frame {
	f := &build.Frame{Step: step, Version: 1, Schema: v, Membench: s.Membench, Out: out, Dir: dir && out != "-", Final: s.final,
		Stdin: s.Stdin, Stdout: s.Stdout, TempDir: s.TempDir, Report: s.Report, Strict: s.Strict, Accept: s.Accept, Empty: s.final != ""}
	if f.Stdin == nil {
		f.Stdin = strings.NewReader("")
	}
	f.Stdout = cmp.Or(f.Stdout, io.Discard)
	f.Schema = cmp.Or(f.Schema, schema.Latest)
	return f
}

// isFolder reports whether an output is a folder: not standard output, a pipe, a device, or a file, whose name ends in .jsonl.
func isFolder(out string) bool {
	if info, err := os.Stat(out); err == nil && !info.Mode().IsRegular() && !info.IsDir() {
		return false
	}
	return out != "-" && !strings.HasSuffix(out, ".jsonl")
}

// LoadCatalog reads the built-in catalogue and the files that add to it. An invalid file is a *schema.UsageError that names it.
func LoadCatalog(paths []string) (*catalog.Catalog, error) {
	var extra [][]byte
	for _, p := range paths {
		b, err := smallfile.Read(p)
		if err != nil {
			return nil, &schema.UsageError{Err: err}
		}
		extra = append(extra, b)
	}
	c, err := catalog.Load(extra...)
	if err != nil {
		return nil, &schema.UsageError{Err: err}
	}
	return c, nil
}

// readEvents reads events that validate accepts.
func readEvents(f *build.Frame, files []jsonl.File) schema.Seq[schema.Event] {
	return build.Drop(f, validate.Read[schema.Event](files, validate.PathOptions{Kind: schema.KindEvent}))
}

// readMemories reads exported memories that validate accepts. A hash that is not the text's decides nothing: ids are made of the text.
func readMemories(f *build.Frame, files []jsonl.File) schema.Seq[schema.MemoryExport] {
	return build.Drop(f, validate.Read[schema.MemoryExport](files, validate.PathOptions{Kind: schema.KindExport, Except: []string{"MEM001"}}))
}

// othersIn lists the files of a folder, which may be absent, whose name ends in one of
// the suffixes and whose stem is not kept.
func othersIn(dir string, keep map[string]bool, suffixes ...string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if os.IsNotExist(err) {
		return nil, nil
	}
	var out []string
	for _, d := range entries {
		for _, s := range suffixes {
			if stem, ok := strings.CutSuffix(d.Name(), s); ok {
				if d.Type().IsRegular() && !keep[stem] && !strings.HasPrefix(stem, ".") {
					out = append(out, d.Name())
				}
				break
			}
		}
	}
	return out, err
}

func exists(path string) bool { _, err := os.Stat(path); return err == nil }

// inDir lists the files that match in a folder, as inputs of a later step.
func inDir(dir, pattern string) ([]string, error) { return filepath.Glob(filepath.Join(dir, pattern)) }
