package validate

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sort"
	"strings"

	"membench/internal/codec"
	"membench/internal/smallfile"
	"membench/schema"
	"membench/schema/catalog"
	"membench/schema/jsonl"
)

// PathOptions of Paths.
type PathOptions struct {
	Options                  // its Digest is set
	Catalog *catalog.Catalog // nil: the built-in one
	Kind    schema.Kind      // of every record; "": detected
	Version schema.Version   // of the input; "": of the manifest in the file's folder, otherwise detected
	Stdin   io.Reader        // for "-"
	Except  []string         // codes that Lines does not count: the step takes such records as they are
}

// Checked is the result of Paths.
type Checked struct {
	Files   []File
	Foreign []string // files of another format that a folder holds: left alone
}

// Paths checks files and folders as one set and reports every finding. An error is an
// I/O fault: the rest is not checked.
func Paths(ctx context.Context, paths []string, o PathOptions, report func(*schema.Finding)) (Checked, error) {
	var out Checked
	files, err := inputFiles(paths)
	if err != nil {
		return out, err
	}
	names := make([]string, len(files))
	for i, f := range files {
		names[i] = f.path
	}
	jsonl.Expect(names)
	o.Digest = fileDigest
	c := New(o.Catalog, o.Options)
	versions := map[string]schema.Version{}
	for _, f := range files {
		foreign, err := c.path(ctx, f, o, versions, report)
		if err != nil {
			return out, err
		}
		if foreign {
			out.Foreign = append(out.Foreign, f.path)
		}
	}
	for f, err := range c.Close() {
		if err != nil {
			return out, err
		}
		report(f)
	}
	out.Files = c.Checked
	return out, nil
}

// path checks one file, unless a folder gave it and it is of another format.
func (c *Checker) path(ctx context.Context, in inputFile, o PathOptions, versions map[string]schema.Version, report func(*schema.Finding)) (foreign bool, err error) {
	r, err := jsonl.Open(in.path, o.Stdin)
	if err != nil {
		return false, fmt.Errorf("opening %s: %w", in.path, err)
	}
	defer r.Close()
	br := bufio.NewReaderSize(r, SniffBytes)
	if head, _ := br.Peek(SniffBytes); in.found && o.Kind == "" && Foreign(in.path, head) {
		return true, nil
	}
	v := o.Version
	if v == "" && in.path != "-" {
		v = manifestVersion(filepath.Dir(in.path), versions)
	}
	for f, err := range c.Stream(jsonl.UntilDone(ctx, br), in.path, o.Kind, v) {
		if err != nil {
			return false, err
		}
		report(f)
	}
	return false, nil
}

// inputFile is a file to check; found reports that it comes from a folder, not from the user.
type inputFile struct {
	path  string
	found bool
}

// inputFiles expands folders and subfolders; files of a folder are sorted so that referenced records come first.
func inputFiles(paths []string) ([]inputFile, error) {
	var out []inputFile
	for _, p := range paths {
		if p == "-" {
			out = append(out, inputFile{path: p})
			continue
		}
		info, err := os.Stat(p)
		if err != nil {
			return nil, err
		}
		if !info.IsDir() {
			out = append(out, inputFile{path: p})
			continue
		}
		var files []inputFile
		names, err := jsonl.Below(p)
		if err != nil {
			return nil, err
		}
		for _, name := range names {
			name = filepath.Join(p, name)
			if strings.HasSuffix(jsonl.PlainName(name), ".jsonl") || KindOfName(name) != "" && !foreignMeta(name) {
				files = append(files, inputFile{name, true})
			}
		}
		if len(files) == 0 {
			return nil, fmt.Errorf("%s: no .jsonl file and no index, manifest or meta .json file in it", p)
		}
		out = append(out, files...)
	}
	sort.SliceStable(out, func(i, j int) bool { return Rank(out[i].path) < Rank(out[j].path) })
	return out, nil
}

// foreignMeta reports a meta.json in a folder without claims: other programs use the name too.
func foreignMeta(name string) bool {
	if KindOfName(name) != schema.KindMeta {
		return false
	}
	for _, end := range []string{"", ".gz", ".zst"} {
		if _, err := os.Stat(filepath.Join(filepath.Dir(name), "claims.jsonl"+end)); err == nil {
			return false
		}
	}
	return true
}

// manifestVersion is the schema version in a folder's manifest.json, or "".
func manifestVersion(dir string, known map[string]schema.Version) schema.Version {
	if v, ok := known[dir]; ok {
		return v
	}
	known[dir] = ""
	b, err := smallfile.Read(filepath.Join(dir, "manifest.json"))
	if err != nil {
		return ""
	}
	for k, v := range codec.Members(b) {
		if k == "schema_version" {
			if sv, err := schema.ParseVersion(codec.Unquote(v)); err == nil {
				known[dir] = sv
			}
		}
	}
	return known[dir]
}

// fileDigest is the SHA-256 and the size of a file named in a manifest.
func fileDigest(path string) (string, int64, error) {
	f, err := os.Open(filepath.FromSlash(path))
	if err != nil {
		return "", 0, err
	}
	defer f.Close()
	h := sha256.New()
	n, err := io.Copy(h, f)
	return hex.EncodeToString(h.Sum(nil)), n, err
}
