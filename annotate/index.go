package annotate

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"membench/internal/codec"
	"membench/internal/pattern"
	"membench/internal/smallfile"
	"membench/internal/textnorm"
	"membench/schema"
	"membench/schema/jsonl"
)

var (
	rawName  = pattern.New(`^(ch\d{2,})_.*\.md$`)
	normName = pattern.New(`^(ch\d{2,})_.*\.norm\.md$`)
)

// Index lists the chapters of a folder: raw chapters chNN_<slug>.md and norm
// chapters chNN_<slug>.norm.md, joined by chNN, in dir itself or in its sub-folders
// raw and norm; a dir that is itself called raw or norm means its parent. Paths are
// relative to the folder relTo, where index.json will be. Order: the number in
// chNN, then the id, then the name. Two files for one place are a finding, the first
// by name stays. Other files are skipped; Markdown files among them with a warning.
func Index(dir, relTo string) ([]schema.IndexEntry, []*schema.Finding, error) {
	dir = filepath.Clean(dir)
	if base := filepath.Base(dir); base == "raw" || base == "norm" {
		dir = filepath.Dir(dir)
	}
	entries := map[string]*schema.IndexEntry{}
	var findings []*schema.Finding
	looked := 0
	for _, sub := range []string{"", "raw", "norm"} {
		folder := filepath.Join(dir, sub)
		names, err := jsonl.In(folder, func(name string) bool { return strings.HasSuffix(name, ".md") })
		if err != nil {
			if sub != "" && errors.Is(err, fs.ErrNotExist) {
				continue
			}
			return nil, findings, err
		}
		looked++
		for _, name := range names {
			path := relativeTo(filepath.Join(folder, name), relTo)
			norm := normName.FindStringSubmatch(name)
			raw := rawName.FindStringSubmatch(name)
			m := norm
			if m == nil {
				m = raw
			}
			if m == nil {
				findings = append(findings, &schema.Finding{Pos: schema.Pos{File: filepath.Join(folder, name)}, Code: codeFileName, Warning: true,
					Message: "the name is not a chapter name, skipped", Have: name, Want: "chNN_<slug>.md or chNN_<slug>.norm.md"})
				continue
			}
			e := entries[m[1]]
			if e == nil {
				e = &schema.IndexEntry{ID: m[1]}
				entries[m[1]] = e
			}
			place := &e.RawPath
			if norm != nil {
				place = &e.NormPath
			}
			if *place != "" {
				findings = append(findings, &schema.Finding{Pos: schema.Pos{File: filepath.Join(folder, name)}, Code: codeTwoSources,
					Message: "a second file for chapter " + m[1] + ", skipped", Have: path, Want: "one file; the index lists " + *place})
				continue
			}
			*place = path
		}
	}
	out := make([]schema.IndexEntry, 0, len(entries))
	for _, e := range entries {
		out = append(out, *e)
	}
	slices.SortFunc(out, func(a, b schema.IndexEntry) int { return compareConv(a.ID, b.ID) })
	for _, e := range out {
		if e.NormPath == "" {
			findings = append(findings, &schema.Finding{Pos: schema.Pos{File: e.RawPath}, Code: codeMissingNorm, Warning: true,
				Message: "chapter " + e.ID + " has no norm file", Hint: "its raw file will be annotated"})
		}
	}
	if len(out) == 0 {
		return nil, findings, fmt.Errorf("%s: no file named chNN_<slug>.md or chNN_<slug>.norm.md here or in raw and norm", dir)
	}
	return out, findings, nil
}

func relativeTo(path, base string) string {
	abs, err1 := filepath.Abs(path)
	dir, err2 := filepath.Abs(base)
	if err1 == nil && err2 == nil {
		if rel, err := filepath.Rel(dir, abs); err == nil {
			path = rel
		}
	}
	return filepath.ToSlash(path)
}

// compareConv orders conversations: chNN by number first, then all others in textnorm.Natural order, in which runs of digits count as numbers; ties by the
// text.
func compareConv(a, b string) int {
	na, aok := chapterNumber(a)
	nb, bok := chapterNumber(b)
	switch {
	case aok != bok:
		if aok {
			return -1
		}
		return 1
	case aok:
		return cmp.Or(textnorm.CompareDigits(na, nb), strings.Compare(a, b))
	}
	return cmp.Or(textnorm.Natural(a, b), strings.Compare(a, b))
}

var chapterOnly = pattern.New(`^ch(\d+)$`)

func chapterNumber(s string) (string, bool) {
	m := chapterOnly.FindStringSubmatch(s)
	if m == nil {
		return "", false
	}
	return m[1], true
}

// CompareConv orders conversations where no index does: chapters chNN by number,
// then the others in textnorm.Natural order.
func CompareConv(a, b schema.ConvID) int { return compareConv(string(a), string(b)) }

// An IndexError reports that a file is not an index.
type IndexError struct {
	File string
	Err  error
}

func (e *IndexError) Error() string { return "reading index " + e.File + ": " + e.Err.Error() }
func (e *IndexError) Unwrap() error { return e.Err }

// ReadIndex reads index.json. An entry that is not as it should be is a finding and
// is omitted.
func ReadIndex(text []byte, name string) ([]schema.IndexEntry, []*schema.Finding, error) {
	text = []byte(strings.TrimPrefix(string(text), "\ufeff"))
	if !codec.Valid(text) {
		var v any
		return nil, nil, &IndexError{name, codec.Unmarshal(text, &v)}
	}
	if t := strings.TrimLeft(string(text), " \t\r\n"); !strings.HasPrefix(t, "[") {
		return nil, nil, &IndexError{name, errors.New("want an array of {id, raw_path, norm_path}")}
	}
	starts := lineStarts(text)
	var out []schema.IndexEntry
	var findings []*schema.Finding
	seen := map[string]bool{}
	i := 0
	for el := range codec.Elements(text) {
		line, _ := slices.BinarySearch(starts, cap(text)-cap(el)+1)
		pos := schema.Pos{File: name, Line: line}
		pointer := "/" + strconv.Itoa(i)
		i++
		var e schema.IndexEntry
		if err := codec.Unmarshal(el, &e); err != nil {
			findings = append(findings, &schema.Finding{Pos: pos, Pointer: pointer, Code: "JSON002", Message: err.Error()})
			continue
		}
		switch {
		case e.ID == "":
			findings = append(findings, &schema.Finding{Pos: pos, Pointer: pointer + "/id", Code: codeMessage, Message: "an entry without an id, skipped"})
			continue
		case seen[e.ID]:
			findings = append(findings, &schema.Finding{Pos: pos, Pointer: pointer + "/id", Code: codeTwoSources, Message: "a second entry for this chapter, skipped", Have: e.ID})
			continue
		}
		seen[e.ID] = true
		out = append(out, e)
	}
	return out, findings, nil
}

// Resolve finds the file an index entry names. A path may be relative to the
// index's folder or to root, or absolute; the paths of another machine are not there.
// The file must lie in one of the two folders, links followed, unless outside is true:
// an index is data, and others write it.
func Resolve(path, indexDir, root string, outside bool) (string, bool) {
	if path == "" {
		return "", false
	}
	local := filepath.FromSlash(path)
	candidates := []string{local}
	if !filepath.IsAbs(local) {
		candidates = []string{filepath.Join(indexDir, local), filepath.Join(root, local)}
	}
	for _, c := range candidates {
		if info, err := os.Stat(c); err == nil && info.Mode().IsRegular() && (outside || smallfile.Within(c, indexDir) || smallfile.Within(c, root)) {
			return c, true
		}
	}
	return "", false
}
