// Package build makes outputs completely or not at all, and skips current ones.
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
	"membench/internal/smallfile"
	"membench/schema"
	"membench/schema/jsonl"
)

// A Step makes one output, a file or a folder, from named inputs.
type Step struct {
	Name    string // unique in the chain, e.g. "annotate ch01"
	Version int    // raise when the same inputs give other bytes
	Options any    // resolved; part of the key; no secrets
	Inputs  []string
	Output  string // path of a file, or of a folder when Dir is set
	Dir     bool
	// InPlace steps write to Output itself and can continue where a killed run stopped
	// (a memory store); all others write aside, and Output changes when Run returns nil.
	InPlace bool
	// Also are additional files and folders that an InPlace step writes. The last element of a path may be a pattern; missing ones are ignored.
	Also    []string
	Models  map[string]string // purpose → model
	Prompts map[string]string // name → sha256
	// Run makes the output at path and returns its counts.
	Run func(ctx context.Context, path string) (Result, error)
}

// outputs returns the paths of the step's outputs.
func (s Step) outputs() []string {
	out := []string{s.Output}
	for _, also := range s.Also {
		list, _ := os.ReadDir(filepath.Dir(also)) // no folder, no output
		for _, d := range list {
			if ok, _ := filepath.Match(filepath.Base(also), d.Name()); ok {
				out = append(out, filepath.Join(filepath.Dir(also), d.Name()))
			}
		}
	}
	return out
}

// Result is the result of a step's run.
type Result struct {
	Counts   map[string]int
	Findings map[string]int // code → how many
	Again    bool           // something failed that may not fail next time: the step is not current
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

// Do runs s unless its record says that it is current. ran reports whether it ran.
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
	record := filepath.Join(b.Records, RecordName(s.Name))
	// A record that cannot be read is as good as none: the step runs again.
	if old, err := ReadManifest(record); err == nil && !b.Force && old.Key == m.Key {
		if now, err := Digests(b.Root, s.outputs()); err == nil && slices.Equal(now, old.Outputs) {
			return old, false, nil
		}
	}
	// Once the step has begun, its record is no longer reliable.
	if err := os.Remove(record); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return m, false, fmt.Errorf("%s: %w", s.Name, err)
	}
	result, p, err := b.make(ctx, s)
	if err != nil {
		return m, false, fmt.Errorf("%s: %w", s.Name, err)
	}
	m.Counts, m.Findings = result.Counts, result.Findings
	if result.Again {
		m.Key = "" // matches no step: the next run makes this one again
	}
	if m.Outputs, err = Digests(b.Root, s.outputs()); err == nil {
		err = WriteManifest(record, m)
	}
	if err != nil {
		return m, false, fmt.Errorf("%s: %w", s.Name, errors.Join(err, p.RollBack()))
	}
	return m, true, p.Done()
}

// Edited reports whether the outputs of a step that was finished are no longer those of its record. A step that continues what it finds must not continue them.
func (b *Builder) Edited(s Step) bool {
	old, err := ReadManifest(filepath.Join(b.Records, RecordName(s.Name)))
	if err != nil {
		return false
	}
	now, err := Digests(b.Root, s.outputs())
	return err != nil || !slices.Equal(now, old.Outputs)
}

func (b *Builder) make(ctx context.Context, s Step) (r Result, p *Place, err error) {
	if s.InPlace {
		r, err = s.Run(ctx, s.Output)
		return r, nil, err
	}
	if p, err = aside(s.Output); err != nil {
		return r, nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, p.RollBack())
		}
	}()
	made := filepath.Join(p.Dir, filepath.Base(s.Output))
	if s.Dir {
		if err := os.Mkdir(made, 0o777); err != nil {
			return r, p, err
		}
	}
	if r, err = s.Run(ctx, made); err != nil {
		return r, p, Explain(err, made, s.Output)
	}
	if err := ctx.Err(); err != nil {
		return r, p, err
	}
	return r, p, p.Put(made)
}

// asideMark is part of the names of temporary folders; atomicfile.Sweep knows it.
const asideMark = ".tmp-"

// A Place is an output that is being replaced by the content of Dir, a folder next to it. A folder cannot be replaced in one rename: the old one waits in Dir
// until Done, so that RollBack restores the old state whatever stops the process in between. A step that compares its output with the last one (changes of a
// graph) then sees the same old output when it runs again.
type Place struct {
	Dir    string
	output string
	lock   io.Closer
}

// NewPlace starts replacing output, which may be absent. Unfinished replacements of killed processes are rolled back first.
func NewPlace(output string) (*Place, error) {
	if info, err := os.Lstat(output); err == nil && info.Mode()&fs.ModeSymlink != 0 { // what a link names is replaced, not the link
		if output, err = filepath.EvalSymlinks(output); err != nil {
			return nil, err
		}
	}
	if base := filepath.Base(output); base == "." || base == ".." { // these cannot be moved
		output, _ = filepath.Abs(output)
	}
	prefix := "." + filepath.Base(output) + asideMark
	if err := rollBackIn(filepath.Dir(output), func(name string) bool { return strings.HasPrefix(name, prefix) }); err != nil {
		return nil, err
	}
	return aside(output)
}

func aside(output string) (*Place, error) {
	dir := filepath.Dir(output)
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, err
	}
	atomicfile.Step("create", output)
	made, err := os.MkdirTemp(dir, "."+filepath.Base(output)+asideMark+"*")
	if pe, ok := errors.AsType[*fs.PathError](err); ok {
		return nil, &fs.PathError{Op: "write", Path: output, Err: pe.Err}
	} else if err != nil {
		return nil, err
	}
	lock, err := atomicfile.Hold(made)
	if err != nil {
		return nil, errors.Join(err, os.Remove(made))
	}
	return &Place{Dir: made, output: output, lock: lock}, nil
}

// Explain makes an error that speaks of a file below made, aside, speak of the one
// below path that was wanted.
func Explain(err error, made, path string) error {
	if err == nil || !strings.Contains(err.Error(), made) {
		return err
	}
	return explained{err, strings.ReplaceAll(err.Error(), made, path)}
}

type explained struct {
	error
	text string
}

func (e explained) Error() string { return e.text }
func (e explained) Unwrap() error { return e.error }

// Names in the folder Dir, in addition to the new output.
const (
	oldName  = ".old"  // the output as it was
	noneName = ".none" // an empty file: there was no output
	goneName = ".gone" // to be removed
)

// Put moves the new output, a file or folder in Dir, into its place. Two processes do so one after the other.
func (p *Place) Put(made string) error {
	if err := syncTree(made); err != nil {
		return err
	}
	return atomicfile.Alone(filepath.Dir(p.output), func() error { return p.put(made) })
}

func (p *Place) put(made string) error {
	info, err := os.Lstat(made)
	if err != nil {
		return err
	}
	old, err := os.Lstat(p.output)
	switch {
	case err == nil && info.IsDir() != old.IsDir():
		return &fs.PathError{Op: "write", Path: p.output, Err: errors.New("there is a file where a folder is wanted, or a folder where a file is")}
	case err == nil && info.IsDir():
		atomicfile.Step("move", p.output)
		if err := os.Rename(p.output, filepath.Join(p.Dir, oldName)); err != nil {
			return err
		}
	case info.IsDir():
		f, err := os.Create(filepath.Join(p.Dir, noneName))
		if err != nil {
			return err
		}
		if err := f.Close(); err != nil {
			return err
		}
	}
	atomicfile.Step("commit", p.output)
	if err := os.Rename(made, p.output); err != nil {
		return err
	}
	atomicfile.Step("sync", p.output)
	return atomicfile.SyncDir(filepath.Dir(p.output))
}

// Done gives the old output up.
func (p *Place) Done() error {
	if p == nil {
		return nil
	}
	// A half-removed old output must not be restored.
	atomicfile.Step("move", p.Dir)
	if err := os.Rename(filepath.Join(p.Dir, oldName), filepath.Join(p.Dir, goneName)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return p.end()
}

func (p *Place) end() error {
	atomicfile.Step("remove", p.Dir)
	err := os.RemoveAll(p.Dir)
	if p.lock != nil {
		p.lock.Close()
		if err != nil { // Windows removes no folder that is open
			err = os.RemoveAll(p.Dir)
		}
	}
	p.Dir = ""
	return err
}

// RollBack brings the output as it was back. It may itself be stopped anywhere and
// run again. A second call, or one after Done, does nothing.
func (p *Place) RollBack() error {
	if p == nil || p.Dir == "" {
		return nil
	}
	old := filepath.Join(p.Dir, oldName)
	_, errOld := os.Lstat(old)
	_, errNone := os.Lstat(filepath.Join(p.Dir, noneName))
	if errOld == nil || errNone == nil {
		atomicfile.Step("move", p.output)
		gone, err := os.MkdirTemp(p.Dir, goneName+"*")
		if err != nil {
			return err
		}
		if err := os.Rename(p.output, filepath.Join(gone, "new")); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	if errOld == nil {
		atomicfile.Step("move", p.output)
		if err := os.Rename(old, p.output); err != nil {
			return err
		}
	}
	if err := atomicfile.SyncDir(filepath.Dir(p.output)); err != nil {
		return err
	}
	return p.end()
}

// Recover rolls back the replacements in dir, which may be absent, that a killed process did not finish, and removes everything else that it left there. It is
// called before the first Do, by the only process that works in dir.
func Recover(dir string) error {
	if err := rollBackIn(dir, func(string) bool { return true }); err != nil {
		return err
	}
	return atomicfile.Sweep(dir)
}

func rollBackIn(dir string, match func(name string) bool) error {
	have, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	for _, d := range have {
		base, _, ok := strings.Cut(strings.TrimPrefix(d.Name(), "."), asideMark)
		if !ok || !d.IsDir() || !strings.HasPrefix(d.Name(), ".") || !match(d.Name()) {
			continue
		}
		p := Place{Dir: filepath.Join(dir, d.Name()), output: filepath.Join(dir, base)}
		if p.lock, err = atomicfile.Hold(p.Dir); errors.Is(err, atomicfile.ErrBusy) {
			continue // its process is alive
		} else if err != nil {
			return err
		}
		if err := p.RollBack(); err != nil {
			return err
		}
	}
	return nil
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

// RecordName is the file of a step's record in the folder Records.
func RecordName(step string) string { return atomicfile.Name(step) + ".json" }

// Key returns the sha256 of everything that determines a step's output.
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

// Digests returns path, sha256 and size of every file named or below a named
// folder, sorted by path. Names that start with "." are omitted below a folder.
func Digests(root string, paths []string) ([]schema.FileDigest, error) {
	out := []schema.FileDigest{}
	for _, p := range paths {
		names := []string{""}
		if st, err := os.Stat(p); err != nil {
			return nil, err
		} else if st.IsDir() {
			if names, err = jsonl.Below(p); err != nil {
				return nil, err
			}
		}
		for _, name := range names {
			fd, err := Digest(filepath.Join(p, name))
			if err != nil {
				return nil, err
			}
			fd.Path = Rel(root, filepath.Join(p, name))
			out = append(out, fd)
		}
	}
	slices.SortFunc(out, func(a, b schema.FileDigest) int { return strings.Compare(a.Path, b.Path) })
	return out, nil
}

// Digest reads one file. Path is as given.
func Digest(path string) (schema.FileDigest, error) {
	f, err := jsonl.OpenFile(path)
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

// Rel is path relative to root, with '/' separators, where both can be compared. It is to be
// written as JSON: bytes that are not UTF-8 become U+FFFD.
func Rel(root, path string) string {
	if r, err := filepath.Rel(root, path); err == nil {
		path = r
	}
	return strings.ToValidUTF8(filepath.ToSlash(path), "\ufffd")
}

// ReadManifest reads one manifest.
func ReadManifest(path string) (m schema.Manifest, err error) {
	err = smallfile.ReadJSON(path, &m)
	return m, err
}

// ChangedCode is the finding of a file that is not what the manifest beside it says.
const ChangedCode = "MAN001"

// Manifests are the manifests of folders; it keeps the last one, since files come folder by folder.
type Manifests struct {
	dir string
	m   schema.Manifest
	err error
}

// Compare holds a file against the manifest in its folder; digest, which is called only if the manifest names the file, gives the file as it was read. It
// returns the step that made the file as it is, "" if no manifest names it or it is another one; that is the finding. The error is digest's.
func (b *Manifests) Compare(name string, digest func(string) (schema.FileDigest, error)) (step string, x *schema.Finding, err error) {
	if dir := filepath.Dir(name); b.m.Step == "" || b.dir != dir {
		b.dir = dir
		b.m, b.err = ReadManifest(filepath.Join(dir, "manifest.json"))
	}
	i := slices.IndexFunc(b.m.Outputs, func(d schema.FileDigest) bool { return d.Path == filepath.Base(name) })
	if b.err != nil || i < 0 {
		return "", nil, nil
	}
	want := b.m.Outputs[i]
	switch have, err := digest(name); {
	case err != nil:
		return "", nil, err
	case have.SHA256 != want.SHA256:
		return "", &schema.Finding{Pos: schema.Pos{File: filepath.Join(b.dir, "manifest.json")}, Pointer: fmt.Sprintf("/outputs/%d/sha256", i), Code: ChangedCode, Message: "an output of the step has changed: " + want.Path, Have: have.SHA256, Want: want.SHA256, Hint: "run the step again"}, nil
	}
	return b.m.Step, nil, nil
}

// WriteManifest writes one manifest, indented, whole or not at all.
func WriteManifest(path string, m schema.Manifest) error { return smallfile.WriteJSON(path, m) }

// Folder makes a folder completely or not at all. It replaces one that has files of the same names, and no other: the rest is not the caller's to remove.
func Folder(out string, fill func(dir string) error) error {
	place, err := NewPlace(out)
	if err != nil {
		return err
	}
	defer place.RollBack() // nothing after Done
	made := filepath.Join(place.Dir, "made")
	if err := os.Mkdir(made, 0o777); err != nil {
		return err
	}
	if err := fill(made); err != nil {
		return Explain(err, made, out)
	}
	err = filepath.WalkDir(place.output, func(path string, d fs.DirEntry, err error) error {
		name, _ := filepath.Rel(place.output, path)
		if _, none := os.Lstat(filepath.Join(made, name)); err == nil && !d.IsDir() && none != nil {
			return schema.Usagef("%s holds %s, which this command does not write: give a new folder with -o, or empty it", out, name)
		}
		return err
	})
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := place.Put(made); err != nil {
		return err
	}
	return place.Done()
}
