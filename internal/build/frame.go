package build

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"membench/internal/atomicfile"
	"membench/schema"
	"membench/schema/jsonl"
)

// A Frame is the common part of steps that read files and write outputs: inputs whose digests are computed while they are read, counted findings, outputs that
// appear together or not at all, a manifest in the same folder, and the handling of lost records.
//
// A step calls Files, Read and Create, then Commit; Close drops uncommitted outputs.
type Frame struct {
	Step     string
	Version  int            // raise when the same inputs give other bytes
	Schema   schema.Version // of the outputs
	Membench string         // version of the program
	Out      string         // "-", a file, or a folder
	Dir      bool           // Out is a folder
	Final    string         // final place of Out if it is made in a temporary folder; "": Out
	Stdin    io.Reader
	Stdout   io.Writer
	TempDir  string
	Report   func(*schema.Finding) // called with every finding; nil: not called
	Strict   bool                  // write nothing when more is rejected than Accept allows
	Accept   schema.Limit
	Empty    bool // an input without a record is not a loss
	Stream   bool // several outputs may share standard output, or the file Out, one after the other

	Rejected int            // records with findings that are errors
	Faulty   int            // records with errors that the step writes all the same
	Failed   int            // findings that a model or a service is at fault for
	Taken    int            // what the step made of the good records; 0: nothing
	ByCode   map[string]int // findings by code

	sources []source // every input
	digests []*digestReader
	named   map[string]int // of digests, by name
	outputs []*Output
	spare   []*bufio.Writer // of closed outputs
	gone    []string
	stage   *Place
	why     map[string]int // how they failed
	made    bool           // the folder Out is ours
	last    schema.Pos     // of the last rejected record
}

// Found counts a finding and reports it.
func (f *Frame) Found(x *schema.Finding) {
	if f.ByCode == nil {
		f.ByCode = map[string]int{}
	}
	f.ByCode[x.Code]++
	switch {
	case x.Warning: // counted by code alone
	case x.Failed != "":
		f.Fail(x.Failed, 1)
	case x.SameLine(&f.last): // another fault of the same record
	default:
		f.Rejected++
	}
	if f.Report != nil {
		f.Report(x)
	}
}

// FoundIn is Found of a record that the step writes all the same.
func (f *Frame) FoundIn(x *schema.Finding) {
	before := f.Rejected
	f.Found(x)
	f.Faulty, f.Rejected = f.Faulty+f.Rejected-before, before
}

// Fail counts n records that a model or a service is at fault for.
func (f *Frame) Fail(how string, n int) {
	if n == 0 {
		return
	}
	if f.why == nil {
		f.why = map[string]int{}
	}
	f.Failed += n
	f.why[how] += n
}

// Take counts err if it is a finding and returns nil; it returns other errors.
func (f *Frame) Take(err error) error {
	var x *schema.Finding
	if err == nil || !errors.As(err, &x) {
		return err
	}
	f.Found(x)
	return nil
}

// Files expands paths as InputFiles does and opens them with their digests taken; nil
// stays nil. Reading ends when ctx does.
func (f *Frame) Files(ctx context.Context, paths []string, suffixes ...string) ([]jsonl.File, error) {
	if paths == nil {
		return nil, nil
	}
	names, err := Inputs(f.Out, paths, suffixes...)
	if err != nil {
		return nil, err
	}
	jsonl.Expect(names)
	out := make([]jsonl.File, 0, len(names))
	for _, name := range names {
		out = append(out, f.file(ctx, name, true))
	}
	return out, nil
}

// A source is an input and, where it is a file, what it and its folder were before the step began.
type source struct {
	name    string
	at, dir fs.FileInfo
}

// keep rejects an output that is an input, and a folder that holds one: its manifest would be taken for the input's.
func (f *Frame) keep(names ...string) error {
	out, err := os.Stat(f.Out)
	if err != nil || f.Out == "-" {
		return nil
	}
	for _, s := range f.sources {
		if f.Dir && s.at != nil && os.SameFile(s.dir, out) {
			return schema.Usagef("the output folder %s holds the input %s: give another folder with -o", f.Out, s.name)
		}
	}
	for _, name := range names {
		path := f.Out
		if f.Dir {
			path = filepath.Join(f.Out, name)
		}
		to, err := os.Stat(path)
		if err != nil {
			continue
		}
		if i := slices.IndexFunc(f.sources, func(s source) bool { return s.at != nil && os.SameFile(s.at, to) }); i >= 0 {
			return schema.Usagef("the output %s would replace the input %s: give another place with -o", path, f.sources[i].name)
		}
	}
	return nil
}

// File is one input, "-" for standard input, whose records are not lines.
func (f *Frame) File(ctx context.Context, name string) jsonl.File { return f.file(ctx, name, false) }

func (f *Frame) file(ctx context.Context, name string, lines bool) jsonl.File {
	s := source{name: name}
	if info, err := os.Stat(name); err == nil && name != "-" {
		if s.dir, err = os.Stat(filepath.Dir(name)); err == nil {
			s.at = info
		}
	}
	f.sources = append(f.sources, s)
	return jsonl.File{Name: name, Open: func() (io.ReadCloser, error) {
		r := &digestReader{ctx: ctx, name: name, r: io.NopCloser(f.Stdin), h: sha256.New()}
		if name != "-" {
			file, err := jsonl.OpenFile(name)
			if err != nil {
				return nil, err
			}
			r.r = file
		}
		if i, ok := f.named[name]; ok {
			if now, err := r.Stat(); err == nil && s.at != nil && (!os.SameFile(now, s.at) || now.Size() != s.at.Size() || !now.ModTime().Equal(s.at.ModTime())) {
				return nil, errors.Join(fmt.Errorf("%s: %w", name, jsonl.ErrChanged), r.Close())
			}
			f.digests[i] = r // read again
		} else {
			if f.named == nil {
				f.named = map[string]int{}
			}
			if name != "-" {
				f.named[name] = len(f.digests)
			}
			f.digests = append(f.digests, r)
		}
		z, err := jsonl.Decompress(r)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		if lines {
			z = &lineCounter{ReadCloser: z, of: r}
		}
		return z, nil
	}}
}

// A lineCounter counts the lines of an unpacked input, which are its records.
type lineCounter struct {
	io.ReadCloser
	of *digestReader
}

func (c *lineCounter) Read(p []byte) (int, error) {
	n, err := c.ReadCloser.Read(p)
	if n > 0 {
		c.of.lines += bytes.Count(p[:n], []byte{'\n'})
		c.of.open = p[n-1] != '\n'
	}
	return n, err
}

// Drop passes a stream on without its findings, which are counted, as are the records.
func Drop[T any](f *Frame, in schema.Seq[T]) schema.Seq[T] {
	return schema.Observe(schema.Drop(in, f.Found), func(*T) { f.Taken++ })
}

// inputs is the digests of all files that were opened, sorted by path. Paths are relative
// to the output's folder, so that a tree of inputs and outputs can be moved.
func (f *Frame) inputs() []schema.FileDigest {
	dir := cmp.Or(f.Final, f.Out)
	if f.joined() {
		dir = filepath.Dir(dir)
	}
	here, err := filepath.Abs("")
	absolute := func(path string) string {
		if err != nil || filepath.IsAbs(path) {
			return path
		}
		return filepath.Join(here, path)
	}
	dir = absolute(dir)
	out := []schema.FileDigest{}
	for _, r := range f.digests {
		path := r.name
		if path != "-" {
			path = Rel(dir, absolute(path))
		}
		d := r.digest()
		d.Path = path
		out = append(out, d)
	}
	slices.SortFunc(out, func(a, b schema.FileDigest) int { return strings.Compare(a.Path, b.Path) })
	return out
}

// WasRead is the digest of an input as it was read to its end.
func (f *Frame) WasRead(name string) (schema.FileDigest, error) {
	i, ok := f.named[name]
	if !ok {
		return schema.FileDigest{}, fmt.Errorf("%s was not read", name)
	}
	return f.digests[i].digest(), nil
}

// changed reports every input that was read to its end and is not what the manifest beside it says. A step that writes to a temporary folder is part of a run
// that keeps account of its files itself and writes their manifest last.
func (f *Frame) changed() error {
	if f.Final != "" {
		return nil
	}
	var beside Manifests
	for _, s := range f.sources {
		i, read := f.named[s.name]
		if !read || s.at == nil || s.at.Size() != f.digests[i].n {
			continue
		}
		_, x, err := beside.Compare(s.name, f.WasRead)
		if err != nil {
			return err
		}
		if x != nil {
			f.Found(x)
		}
	}
	return nil
}

type digestReader struct {
	ctx  context.Context
	name string
	r    io.ReadCloser
	h    hash.Hash
	n    int64

	lines int  // ends of lines, unpacked, where lines are records
	open  bool // the last line has no end
}

func (r *digestReader) Read(p []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	n, err := r.r.Read(p)
	r.h.Write(p[:n])
	r.n += int64(n)
	return n, err
}

func (r *digestReader) digest() schema.FileDigest {
	return schema.FileDigest{Path: r.name, SHA256: hex.EncodeToString(r.h.Sum(nil)), Bytes: r.n}
}

func (r *digestReader) Close() error { return r.r.Close() }

// Stat returns the file's info; a stream has none.
func (r *digestReader) Stat() (fs.FileInfo, error) {
	if f, ok := r.r.(*os.File); ok {
		return f.Stat()
	}
	return nil, errors.ErrUnsupported
}

// An Output is a file that appears on the frame's Commit, with its SHA-256; or standard
// output. It is buffered.
type Output struct {
	*bufio.Writer
	frame  *Frame
	name   string // in the manifest
	file   *atomicfile.File
	staged bool // below a folder
	ahead  io.WriteCloser
	spool  *os.File // of standard output
	direct io.Writer
	h      hash.Hash
	sum    []byte // of h, of a closed output below a folder
	n      int64
	closed bool
}

// Create starts an output. name is its place below Out, where that is a folder.
func (f *Frame) Create(name string) (*Output, error) {
	o := &Output{frame: f, name: name, h: sha256.New()}
	switch {
	case f.joined() && len(f.outputs) > 0, f.Out == "-" && f.Stream && !f.Strict && len(f.outputs) > 0:
		return f.outputs[0], nil
	case f.Out == "-" && f.Stream && !f.Strict:
		o.direct = f.Stdout
	case f.Out == "-":
		var err error
		if o.spool, err = os.CreateTemp(f.TempDir, "membench-*"); err != nil {
			return nil, err
		}
		os.Remove(o.spool.Name()) // removed when it is closed, where the system allows that
	default:
		if err := f.keep(name); err != nil {
			return nil, err
		}
		path := f.Out
		if f.Dir {
			if err := f.begin(); err != nil {
				return nil, err
			}
			path, o.staged = filepath.Join(f.stage.Dir, name), true
		} else {
			o.name = strings.ToValidUTF8(filepath.Base(f.Out), "\ufffd")
			if _, err := os.Lstat(f.Out + besideSuffix); f.Stream && err != nil && !errors.Is(err, fs.ErrNotExist) { // before anything is written
				return nil, err
			}
		}
		var err error
		if o.file, err = atomicfile.Create(path); err != nil {
			return nil, f.explain(err)
		}
		o.ahead = o.file.Ahead()
	}
	if n := len(f.spare); n > 0 {
		o.Writer, f.spare = f.spare[n-1], f.spare[:n-1]
		o.Writer.Reset(digestWriter{o})
	} else {
		o.Writer = bufio.NewWriterSize(digestWriter{o}, 1<<16)
	}
	f.outputs = append(f.outputs, o)
	return o, nil
}

// Write makes an output from the bytes that fill writes.
func (f *Frame) Write(name string, fill func(io.Writer) error) error {
	o, err := f.Create(name)
	if err != nil {
		return err
	}
	if err := fill(o); err != nil {
		return f.explain(err)
	}
	if f.joined() {
		return f.explain(o.Flush())
	}
	return f.explain(o.Close())
}

// joined reports that all outputs are one file.
func (f *Frame) joined() bool { return f.Stream && !f.Dir && f.Out != "-" }

// Remove has a file below Out removed on Commit.
func (f *Frame) Remove(name string) { f.gone = append(f.gone, name) }

// begin makes the folder in which outputs wait for Commit.
func (f *Frame) begin() (err error) {
	if f.stage != nil {
		return nil
	}
	_, err = os.Stat(f.Out)
	absent := errors.Is(err, fs.ErrNotExist)
	if err := os.MkdirAll(f.Out, 0o777); err != nil {
		return err
	}
	f.made = absent
	f.stage, err = NewPlace(filepath.Join(f.Out, strings.ReplaceAll(f.Step, " ", "-")))
	return err
}

// explain makes an error speak of the place that was wanted.
func (f *Frame) explain(err error) error {
	if f.stage == nil {
		return err
	}
	return Explain(err, f.stage.Dir, f.Out)
}

// besides is the size of a write that is hashed while it is written.
const besides = 64 << 10

type digestWriter struct{ o *Output }

func (w digestWriter) Write(p []byte) (int, error) {
	o := w.o
	to := o.direct
	switch {
	case o.spool != nil:
		to = o.spool
	case o.file != nil:
		to = o.ahead
	}
	var hashing sync.WaitGroup
	if len(p) < besides {
		o.h.Write(p)
	} else {
		hashing.Go(func() { o.h.Write(p) })
	}
	n, err := to.Write(p)
	hashing.Wait()
	o.n += int64(n)
	return n, o.frame.explain(err) // after an error the digest is not needed
}

// Reset discards the output so far. It fails for standard output.
func (o *Output) Reset() error {
	file := o.spool
	if o.file != nil {
		o.ahead.Close()
		file = o.file.File
	}
	if file == nil {
		return fmt.Errorf("%s cannot be written again", o.name)
	}
	if err := file.Truncate(0); err != nil {
		return err
	}
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		return err
	}
	if o.file != nil {
		o.ahead = o.file.Ahead()
	}
	o.Writer.Reset(digestWriter{o})
	o.n = 0
	o.h.Reset()
	return nil
}

// Close ends the output. A file below a folder then waits there for Commit.
func (o *Output) Close() error {
	if o.closed {
		return nil
	}
	o.closed = o.direct == nil // standard output may get more
	err := o.Flush()
	if o.ahead != nil {
		o.ahead.Close()
	}
	if o.staged && err == nil {
		err = o.file.Commit() // into the stage: nothing stays open
	}
	if o.staged && err == nil { // a step may have a hundred thousand outputs: what is left of one is its digest
		o.sum = o.h.Sum(nil)
		o.frame.spare = append(o.frame.spare, o.Writer)
		o.Writer, o.file, o.ahead, o.h = nil, nil, nil, nil
	}
	return err
}

// Digest ends the output and returns its entry in the manifest.
func (o *Output) Digest() (schema.FileDigest, error) {
	err := o.Close()
	sum := o.sum
	if sum == nil {
		sum = o.h.Sum(nil)
	}
	return schema.FileDigest{Path: o.name, SHA256: hex.EncodeToString(sum), Bytes: o.n}, err
}

func (f *Frame) loss() schema.Loss {
	return schema.Loss{Step: f.Step, Rejected: f.Rejected, Faulty: f.Faulty, Taken: f.Taken, Read: f.read(), Accept: f.Accept, Strict: f.Strict, Empty: f.Empty}
}

// read returns the number of records that were read: the lines of the inputs, where lines are records, each input counted as it was last read.
func (f *Frame) read() (n int) {
	for _, r := range f.digests {
		if n += r.lines; r.open {
			n++
		}
	}
	return cmp.Or(n, f.Rejected+f.Taken)
}

// Check is called before anything is written: it returns a *schema.RejectedError or FailedError if nothing may be written.
func (f *Frame) Check() error { return f.CheckAs(f.Strict) }

// CheckAs is Check of a frame that is strict or not.
func (f *Frame) CheckAs(strict bool) error {
	l := f.loss()
	if l.Strict = strict; l.Before() != nil || f.failed() && strict {
		return f.verdict(false)
	}
	return nil
}

// Verdict is called when everything is written: it returns a *schema.RejectedError if some records were lost, a *schema.FailedError if some failed.
func (f *Frame) Verdict() error { return f.verdict(true) }

func (f *Frame) verdict(written bool) error {
	var out []error
	if f.failed() {
		out = append(out, &schema.FailedError{Step: f.Step, Failed: f.Failed, Taken: f.Taken, Why: f.why, Written: written})
	}
	if f.loss().Lost() {
		out = append(out, f.loss().Error(written))
	}
	if len(out) == 1 {
		return out[0]
	}
	return errors.Join(out...)
}

// failed reports whether more failed than Accept allows.
func (f *Frame) failed() bool {
	return f.Failed > 0 && !f.Accept.Allows(f.Failed, f.Failed+f.Taken)
}

// Commit decides by the rejected records, moves the outputs into place and writes the manifest, in the folder or next to a file: m with the frame's data. The
// error is Check's, if nothing was written, or Verdict's.
func (f *Frame) Commit(m schema.Manifest) (schema.Manifest, error) {
	if m.Findings = f.ByCode; m.Findings == nil {
		m.Findings = map[string]int{}
	}
	if err := f.changed(); err != nil {
		return m, err
	}
	if err := f.Check(); err != nil {
		return m, err
	}
	names := append(slices.Clone(f.gone), "manifest.json")
	for _, o := range f.outputs {
		names = append(names, o.name)
	}
	if err := f.keep(names...); err != nil {
		return m, err
	}
	var made []schema.FileDigest
	for _, o := range f.outputs {
		d, err := o.Digest()
		if err != nil {
			return m, f.explain(err)
		}
		made = append(made, d)
	}
	m, err := f.Describe(m, made)
	if err != nil {
		return m, err
	}
	if err := f.put(m); err != nil {
		return m, f.explain(err)
	}
	f.Close()
	return m, f.Verdict()
}

// Describe fills m with the frame's data, for outputs whose paths are relative to Out.
func (f *Frame) Describe(m schema.Manifest, outputs []schema.FileDigest) (_ schema.Manifest, err error) {
	m.SchemaVersion, m.Step, m.StepVersion, m.Membench, m.Inputs = f.Schema, f.Step, f.Version, f.Membench, f.inputs()
	m.Outputs = append([]schema.FileDigest{}, outputs...)
	slices.SortFunc(m.Outputs, func(a, b schema.FileDigest) int { return strings.Compare(a.Path, b.Path) })
	m.Key, err = Key(m)
	return m, err
}

// besideSuffix ends the name of a manifest for a single file.
const besideSuffix = ".manifest.json"

// put moves the outputs into place; the manifest comes last.
func (f *Frame) put(m schema.Manifest) error {
	if f.Dir && f.Out != "-" {
		if err := f.begin(); err != nil {
			return err
		}
	}
	for _, o := range f.outputs {
		switch {
		case o.spool != nil:
			if _, err := o.spool.Seek(0, io.SeekStart); err != nil {
				return err
			}
			if _, err := io.Copy(f.Stdout, o.spool); err != nil {
				return err
			}
		case o.file != nil:
			if err := o.file.Commit(); err != nil { // one of a folder is in the stage already
				return err
			}
		}
	}
	if f.stage == nil {
		if info, err := os.Stat(f.Out); f.joined() && len(f.outputs) > 0 && err == nil && info.Mode().IsRegular() {
			return WriteManifest(f.Out+besideSuffix, m)
		}
		return nil
	}
	return atomicfile.Alone(f.Out, func() error { return f.putFolder(m) })
}

// putFolder moves the outputs from the stage into the folder Out. Two processes do so one after the other, so that all files there are of one.
func (f *Frame) putFolder(m schema.Manifest) error {
	for _, o := range f.outputs {
		to := filepath.Join(f.Out, o.name)
		atomicfile.Step("commit", to)
		if err := os.Rename(filepath.Join(f.stage.Dir, o.name), to); err != nil {
			return err
		}
	}
	f.made = false
	for _, name := range f.gone {
		path := filepath.Join(f.Out, name)
		atomicfile.Step("remove", path)
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	atomicfile.Step("sync", f.Out)
	if err := atomicfile.SyncDir(f.Out); err != nil {
		return err
	}
	return WriteManifest(filepath.Join(f.Out, "manifest.json"), m)
}

// Close drops uncommitted outputs. It may be called twice.
func (f *Frame) Close() {
	for _, o := range f.outputs {
		o.closed = true
		if o.ahead != nil {
			o.ahead.Close()
		}
		if o.file != nil {
			o.file.Close()
		}
		if o.spool != nil {
			o.spool.Close()
		}
	}
	f.outputs = nil
	if f.stage != nil {
		f.stage.RollBack() // nothing was put: it only removes
		f.stage = nil
	}
	if f.made {
		os.Remove(f.Out) // only when it is empty
	}
}
