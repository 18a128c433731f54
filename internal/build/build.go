// Package build makes outputs whole or not at all and skips what is current.
//
// A step's key is the sha256 of its name, version, resolved options and the digests
// of its inputs. Its record, a schema.Manifest, holds the key and the digests of the
// outputs; a step is current when both agree with what is on disk. Keys use
// content, so an upstream rerun that gives the same bytes stops there.
package build

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"membench/internal/atomicfile"
	"membench/internal/codec"
	"membench/schema"
)

// A Step makes one output, a file or a folder, from named inputs.
type Step struct {
	Name    string // unique in the chain, e.g. "annotate ch01"
	Version int    // raise when the same inputs give other bytes
	Options any    // resolved; part of the key; no secrets
	Inputs  []string
	Output  string // path of a file, or of a folder when Dir is set
	Dir     bool
	// InPlace steps write to Output itself and can go on where a killed run stopped
	// (a memory store); all others write aside, and Output changes when Run returns nil.
	InPlace bool
	Models  map[string]string // purpose → model
	Prompts map[string]string // name → sha256
	// Run makes the output at path. It returns what it counted.
	Run func(ctx context.Context, path string) (Result, error)
}

// Result is what a step says about its run.
type Result struct {
	Counts   map[string]int
	Findings map[string]int // code → how many
}

// Builder runs steps and keeps their records in the folder Records.
type Builder struct {
	Root     string // paths in records are relative to it
	Records  string
	Schema   schema.Version
	Membench string // version of the program, part of the record and not of the key
	Now      string // the run's clock; kept in records, not in keys
	Force    bool   // run steps that are current, too
}

// Do runs s unless its record says that it is current. ran reports which it was.
func (b *Builder) Do(ctx context.Context, s Step) (m schema.Manifest, ran bool, err error) {
	if err := ctx.Err(); err != nil {
		return m, false, err
	}
	inputs, err := Digests(b.Root, s.Inputs)
	if err != nil {
		return m, false, fmt.Errorf("%s: %w", s.Name, err)
	}
	options, err := schema.NewObject(s.Options)
	if err != nil {
		return m, false, fmt.Errorf("%s: options: %w", s.Name, err)
	}
	m = schema.Manifest{SchemaVersion: b.Schema, Step: s.Name, StepVersion: s.Version, Membench: b.Membench, Now: b.Now,
		Options: options, Models: s.Models, Prompts: s.Prompts, Inputs: inputs}
	if m.Key, err = Key(m); err != nil {
		return m, false, fmt.Errorf("%s: %w", s.Name, err)
	}
	record := filepath.Join(b.Records, recordName(s.Name))
	if old, err := ReadManifest(record); err == nil && !b.Force && old.Key == m.Key {
		if now, err := Digests(b.Root, []string{s.Output}); err == nil && slices.Equal(now, old.Outputs) {
			return old, false, nil
		}
	} else if err != nil && !errors.Is(err, fs.ErrNotExist) {
		// A record that cannot be read is as good as none: the step runs again.
		if e := os.Remove(record); e != nil {
			return m, false, fmt.Errorf("%s: %w", s.Name, e)
		}
	}
	result, err := b.make(ctx, s)
	if err != nil {
		return m, false, fmt.Errorf("%s: %w", s.Name, err)
	}
	m.Counts, m.Findings = result.Counts, result.Findings
	if m.Outputs, err = Digests(b.Root, []string{s.Output}); err != nil {
		return m, false, fmt.Errorf("%s: %w", s.Name, err)
	}
	return m, true, WriteManifest(record, m)
}

func (b *Builder) make(ctx context.Context, s Step) (r Result, err error) {
	if s.InPlace {
		return s.Run(ctx, s.Output)
	}
	parent := filepath.Dir(s.Output)
	if err := os.MkdirAll(parent, 0o777); err != nil {
		return r, err
	}
	aside, err := os.MkdirTemp(parent, "."+filepath.Base(s.Output)+".tmp-*")
	if err != nil {
		return r, err
	}
	defer os.RemoveAll(aside)
	made := filepath.Join(aside, filepath.Base(s.Output))
	if s.Dir {
		if err := os.Mkdir(made, 0o777); err != nil {
			return r, err
		}
	}
	if r, err = s.Run(ctx, made); err != nil {
		return r, err
	}
	if err := ctx.Err(); err != nil {
		return r, err
	}
	return r, Replace(made, s.Output)
}

// Replace puts the file or folder made at path, which it replaces. A folder is
// replaced by two renames: a process killed between them leaves no folder, never a
// mixed one.
func Replace(made, path string) error {
	if err := syncTree(made); err != nil {
		return err
	}
	if info, err := os.Lstat(path); err == nil && info.IsDir() {
		old, err := os.MkdirTemp(filepath.Dir(path), "."+filepath.Base(path)+".tmp-*")
		if err != nil {
			return err
		}
		defer os.RemoveAll(old)
		if err := os.Rename(path, filepath.Join(old, "old")); err != nil {
			return err
		}
	}
	if err := os.Rename(made, path); err != nil {
		return err
	}
	return atomicfile.SyncDir(filepath.Dir(path))
}

func syncTree(path string) error {
	return filepath.WalkDir(path, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			return atomicfile.SyncDir(p)
		}
		f, err := os.OpenFile(p, os.O_RDWR, 0)
		if err != nil {
			return err
		}
		defer f.Close()
		return f.Sync()
	})
}

// Key is the sha256 of what decides a step's output.
func Key(m schema.Manifest) (string, error) {
	text, err := codec.Append(nil, struct {
		Step    string
		Version int
		Schema  schema.Version
		Options schema.Object
		Models  map[string]string
		Prompts map[string]string
		Inputs  []schema.FileDigest
	}{m.Step, m.StepVersion, m.SchemaVersion, m.Options, m.Models, m.Prompts, m.Inputs}, codec.Compact)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:]), nil
}

// recordName makes a file name of a step's name: everything outside [A-Za-z0-9._-] is percent-encoded.
func recordName(step string) string {
	var b strings.Builder
	for _, c := range []byte(step) {
		if c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c == '-' || c == '_' || c == '.' && b.Len() > 0 {
			b.WriteByte(c)
		} else {
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	return b.String() + ".json"
}

// Digests returns path, sha256 and size of every file named or below a named
// folder, sorted by path. Names that start with "." are left out below a folder.
func Digests(root string, paths []string) ([]schema.FileDigest, error) {
	out := []schema.FileDigest{}
	for _, p := range paths {
		err := filepath.WalkDir(p, func(name string, d fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			if name != p && strings.HasPrefix(d.Name(), ".") {
				if d.IsDir() {
					return fs.SkipDir
				}
				return nil
			}
			if d.IsDir() {
				return nil
			}
			fd, err := Digest(name)
			if err != nil {
				return err
			}
			fd.Path = Rel(root, name)
			out = append(out, fd)
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	slices.SortFunc(out, func(a, b schema.FileDigest) int { return strings.Compare(a.Path, b.Path) })
	return out, nil
}

// Digest reads one file. Path is as given.
func Digest(path string) (schema.FileDigest, error) {
	f, err := os.Open(path)
	if err != nil {
		return schema.FileDigest{}, err
	}
	defer f.Close()
	h := sha256.New()
	n, err := io.Copy(h, f)
	if err != nil {
		return schema.FileDigest{}, fmt.Errorf("reading %s: %w", path, err)
	}
	return schema.FileDigest{Path: path, SHA256: hex.EncodeToString(h.Sum(nil)), Bytes: n}, nil
}

// Rel is path relative to root, with '/' separators, where both can be compared.
func Rel(root, path string) string {
	if r, err := filepath.Rel(root, path); err == nil {
		return filepath.ToSlash(r)
	}
	return filepath.ToSlash(path)
}

// ReadManifest reads one manifest.
func ReadManifest(path string) (m schema.Manifest, err error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return m, err
	}
	if err := codec.Unmarshal(b, &m); err != nil {
		return m, fmt.Errorf("reading %s: %w", path, err)
	}
	return m, nil
}

// WriteManifest writes one manifest, indented, whole or not at all.
func WriteManifest(path string, m schema.Manifest) error {
	b, err := codec.Append(nil, m, codec.Indented)
	if err != nil {
		return err
	}
	return atomicfile.Write(path, func(w io.Writer) error {
		_, err := w.Write(append(b, '\n'))
		return err
	})
}
