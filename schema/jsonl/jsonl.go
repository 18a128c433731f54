// Package jsonl frames records as lines: reading with positions, writing, teeing.
//
// Line ends are "\n", "\r\n" and, as in the existing chain, a lone "\r" outside
// JSON strings (where a raw one is a fault anyway). A byte order mark at the start
// of a file is skipped. Blank lines are skipped and count as lines.
package jsonl

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"unicode/utf8"

	"membench/internal/atomicfile"
	"membench/internal/codec"
	"membench/schema"

	"github.com/klauspost/compress/zstd"
)

// MaxLine is the default length of the longest line: 64 MiB. A longer one is finding JSON003, skipped in constant memory.
const MaxLine = 64 << 20

// A Line is the text of one line without its end. Bytes are valid until the next
// step of the iteration.
type Line struct {
	Pos   schema.Pos // Col is 0
	Bytes []byte
	// TooLong reports that the line was longer than the limit; Bytes then holds its start.
	TooLong bool
}

// Open opens a file, or standard input for "-", and decompresses it when it starts
// with the magic number of gzip or zstd. Closing the result closes the file.
func Open(path string, stdin io.Reader) (io.ReadCloser, error) {
	if path == "-" {
		if stdin == nil {
			return nil, schema.Usagef("standard input cannot be read here: give a file")
		}
		return Decompress(io.NopCloser(stdin))
	}
	f, err := OpenFile(path)
	if err != nil {
		return nil, err
	}
	r, err := Decompress(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return r, nil
}

// pipes are those that this process opened.
var pipes struct {
	sync.Mutex
	opened []fs.FileInfo
}

// OpenFile opens an input. A usage error rejects a device other than os.DevNull, which may have no end, and a pipe that was opened before, since it gives its data
// only once: a second reader would wait for ever, or take the rest for the whole.
func OpenFile(path string) (*os.File, error) {
	at, err := os.Stat(path)
	if err == nil && atomicfile.IsDevice(at) {
		return nil, schema.Usagef("%s is a device, which may have no end: save its data to a file and give that, or give - and the data on standard input", path)
	}
	if err == nil && at.Mode()&fs.ModeNamedPipe != 0 {
		pipes.Lock()
		defer pipes.Unlock()
		if slices.ContainsFunc(pipes.opened, func(had fs.FileInfo) bool { return os.SameFile(had, at) }) {
			return nil, schema.Usagef("%s is a pipe, and this command reads its input more than once: save it to a file and give that", path)
		}
		pipes.opened = append(pipes.opened, at)
	}
	return os.Open(path)
}

// MaxStream limits, in bytes, what is read whole of standard input, whose size is not known before.
const MaxStream = MaxLine

// All reads an input whole: at most max bytes, and of standard input ("-") at most MaxStream. want is "", or what an input must be that was not read to its end:
// no longer, or lines or JSON. Of data that is neither a mebibyte is held.
func All(r io.Reader, name string, max int) (text []byte, want string, err error) {
	most := max
	if name == "-" {
		most = min(most, MaxStream)
	}
	var one [1]byte
	for looked := false; ; {
		if !looked && len(text) >= longLine {
			if looked = true; indexEnd(text) < 0 && codec.Hopeless(text) {
				return nil, fmt.Sprintf("JSON, or a line end within %d bytes", longLine), nil
			}
		}
		if len(text) == cap(text) && len(text) < most {
			text = grown(text, min(most, MaxLine))
		}
		room := text[len(text):min(cap(text), most)]
		if len(room) == 0 { // is there more?
			room = one[:]
		}
		n, err := r.Read(room)
		switch whole := len(text) + n; {
		case whole > most:
			return nil, fmt.Sprintf("at most %d bytes", most), nil
		case err == io.EOF:
			return text[:whole], "", nil
		case err != nil:
			return nil, "", fmt.Errorf("reading %s: %w", name, err)
		default:
			text = text[:whole]
		}
	}
}

// PlainName is a file name without the ending of its compression.
func PlainName(name string) string {
	return strings.TrimSuffix(strings.TrimSuffix(name, ".gz"), ".zst")
}

// Below lists the files of a folder and of its subfolders, by their relative names with slashes, sorted. Hidden files (names beginning with "."), devices and
// pipes are excluded; a link to a file is included.
func Below(dir string) ([]string, error) {
	var out []string
	err := fs.WalkDir(os.DirFS(dir), ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case name != "." && strings.HasPrefix(d.Name(), "."):
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		ok, err := isFile(filepath.Join(dir, filepath.FromSlash(name)), d)
		if ok {
			out = append(out, name)
		}
		return err
	})
	return out, err
}

// In is Below without the sub-folders, of the names that want takes.
func In(dir string, want func(name string) bool) ([]string, error) {
	entries, err := os.ReadDir(dir)
	var out []string
	for _, d := range entries {
		if strings.HasPrefix(d.Name(), ".") || !want(d.Name()) {
			continue
		}
		ok, err := isFile(filepath.Join(dir, d.Name()), d)
		if err != nil {
			return nil, err
		}
		if ok {
			out = append(out, d.Name())
		}
	}
	return out, err
}

// isFile reports whether an entry of a folder is a file, or a link to one. A link that
// leads nowhere is an error that is not fs.ErrNotExist: the folder is there.
func isFile(path string, d fs.DirEntry) (bool, error) {
	if d.Type()&fs.ModeSymlink == 0 {
		return d.Type().IsRegular(), nil
	}
	at, err := os.Stat(path)
	if err != nil {
		return false, fmt.Errorf("a link cannot be followed: %v", err)
	}
	return at.Mode().IsRegular(), nil
}

// DefaultMaxRatio is how many times its own size a compressed file may unpack to, unless
// SetMaxRatio said otherwise. Text rarely passes 30.
const DefaultMaxRatio = 200

// ratio is the value of SetMaxRatio plus one; 0 is unset.
var ratio atomic.Int64

// SetMaxRatio replaces DefaultMaxRatio for files that are opened by this process; 0 is
// without a limit.
func SetMaxRatio(n int64) { ratio.Store(n + 1) }

// MaxRatio is the limit that holds now, 0 without one.
func MaxRatio() int64 {
	if n := ratio.Load(); n != 0 {
		return n - 1
	}
	return DefaultMaxRatio
}

const (
	freeBytes = 8 << 20   // unpacked before MaxRatio counts
	maxWindow = 128 << 20 // memory that a zstd file may ask for
)

// inflated is an unpacked stream that ends with an error when it grows beyond limit times the packed bytes read.
type inflated struct {
	r     io.Reader
	in    *counted
	n     int64
	limit int64 // MaxRatio when it was opened
}

// read counts the bytes read from input files and their sizes, for progress; ahead counts files that will be opened.
var read struct{ done, of, ahead atomic.Int64 }

// Expect announces the sizes of input files that will be opened, so that Read knows the total from the beginning. Files that cannot be examined are skipped.
func Expect(names []string) {
	for _, name := range names {
		if info, err := os.Stat(name); err == nil && info.Mode().IsRegular() {
			read.ahead.Add(info.Size())
		}
	}
}

// Read is how many bytes were read of input files since the program began, and how many
// the files have that were opened or announced; a stream without a size counts as far as it
// was read.
func Read() (done, of int64) {
	done = read.done.Load()
	return done, max(done, read.of.Load()+max(0, read.ahead.Load()))
}

// ErrChanged says that an input is not what it was when the program opened it.
var ErrChanged = errors.New("the file was changed while it was read: run the command again when no program writes it")

type counted struct {
	r   io.Reader
	n   int64
	err error                       // of r, other than its end
	at  fs.FileInfo                 // of a regular file when it was opened; nil: a stream
	now func() (fs.FileInfo, error) // of the same file
}

func count(r io.Reader) *counted {
	c := &counted{r: r}
	if f, ok := r.(interface{ Stat() (fs.FileInfo, error) }); ok {
		if info, err := f.Stat(); err == nil && info.Mode().IsRegular() {
			c.at, c.now = info, f.Stat
			read.of.Add(info.Size())
			if ahead := read.ahead.Add(-info.Size()); ahead < 0 { // it was not announced
				read.ahead.CompareAndSwap(ahead, 0)
			}
		}
	}
	return c
}

func (c *counted) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n += int64(n)
	if read.done.Add(int64(n)); c.at == nil {
		read.of.Add(int64(n))
	} else if err == io.EOF {
		if now, e := c.now(); e == nil && (now.Size() != c.at.Size() || !now.ModTime().Equal(c.at.ModTime())) {
			err = ErrChanged
		}
	}
	if err != nil && err != io.EOF {
		c.err = err
	}
	return n, err
}

// broken marks an error of unpacking as a fault of the data, if reading had none.
func (c *counted) broken(err error) error {
	if err == nil || err == io.EOF || c.err != nil {
		return err
	}
	return schema.Brokenf("it looks compressed but cannot be unpacked: %w", err)
}

func (f *inflated) Read(p []byte) (int, error) {
	n, err := f.r.Read(p)
	f.n += int64(n)
	if f.n > freeBytes && f.limit > 0 && f.n/f.limit > f.in.n {
		return 0, schema.Brokenf("the compressed file unpacks to more than %d times its size: if that is right, raise --max-ratio", f.limit)
	}
	return n, f.in.broken(err)
}

// Decompress looks at the first bytes of r and unpacks gzip or zstd. The stream fails
// beyond MaxRatio.
func Decompress(r io.ReadCloser) (io.ReadCloser, error) {
	in := count(r)
	small := bufio.NewReaderSize(in, 16) // who reads blocks reads past it: there may be thousands of files
	head, err := small.Peek(4)
	if err != nil && !errors.Is(err, io.EOF) {
		r.Close()
		return nil, err
	}
	switch {
	case bytes.HasPrefix(head, []byte{0x1f, 0x8b}):
		z, err := gzip.NewReader(bufio.NewReaderSize(small, 1<<16))
		if err != nil {
			r.Close()
			return nil, in.broken(err)
		}
		return readCloser{&inflated{r: z, in: in, limit: MaxRatio()}, r}, nil
	case bytes.Equal(head, []byte{0x28, 0xb5, 0x2f, 0xfd}):
		z, err := zstd.NewReader(small, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(maxWindow))
		if err != nil {
			r.Close()
			return nil, in.broken(err)
		}
		return readCloser{&inflated{r: z, in: in, limit: MaxRatio()}, closers{z.IOReadCloser(), r}}, nil
	}
	return readCloser{small, r}, nil
}

// Compress packs its input as zstd. Closing the result ends the stream and leaves w open. The same input gives the same bytes.
func Compress(w io.Writer) (io.WriteCloser, error) {
	return zstd.NewWriter(w, zstd.WithEncoderConcurrency(1))
}

type readCloser struct {
	io.Reader
	io.Closer
}

type closers []io.Closer

func (cs closers) Close() error {
	var errs []error
	for _, c := range cs {
		errs = append(errs, c.Close())
	}
	return errors.Join(errs...)
}

const bom = "\xef\xbb\xbf"

// IsWide reports whether a text that begins with head is in UTF-16 or UTF-32: by its byte order mark, or a zero byte within the first character.
func IsWide(head []byte) bool {
	return len(head) > 1 && (head[0] == 0xff && head[1] == 0xfe || head[0] == 0xfe && head[1] == 0xff || head[0] == 0 || head[1] == 0)
}

// checkHead rejects a stream whose lines no reader could read.
func checkHead(head []byte, name string) error {
	if !IsWide(head) {
		return nil
	}
	return schema.Brokenf("%s is in UTF-16 or UTF-32, and records are read in UTF-8: convert it with iconv -f UTF-16 -t UTF-8", name)
}

// endless is the error of a line that is too long even to skip: it may have no end. max is the longest line that is read.
func endless(n, max int) error {
	if limit := 16 * MaxLine; n <= limit || n <= 16*max {
		return nil
	}
	return schema.Brokenf("a line has more than %d bytes: the data has no lines, or no end", n-1)
}

// longLine is the length from which a line is kept only while it may be JSON: what no reader accepts is not held in memory.
const longLine = 1 << 20

// Lines yields every line of r that is not blank. max is the longest line kept, in bytes; 0 means MaxLine. Of a line beyond longLine that is no JSON only the start
// is kept, which shows the fault. An error is an I/O fault and ends the stream.
func Lines(r io.Reader, name string, max int) iter.Seq2[Line, error] {
	if max <= 0 {
		max = MaxLine
	}
	return func(yield func(Line, error) bool) {
		br := bufio.NewReaderSize(r, 1<<18)
		_, held := r.(*bytes.Reader) // in memory already, and maybe not JSON
		head, _ := br.Peek(len(bom))
		if err := checkHead(head, name); err != nil {
			yield(Line{Pos: schema.Pos{File: name, Line: 1}}, err)
			return
		}
		if string(head) == bom {
			br.Discard(len(bom))
		}
		var buf []byte
		skipLF := false
		for n := 1; ; n++ {
			buf = buf[:0]
			long := false
			most, skipped := max, 0
			var end error
			for first := true; ; {
				chunk, err := br.Peek(1)
				if len(chunk) == 0 {
					end = err
					break
				}
				chunk, _ = br.Peek(br.Buffered())
				if first && skipLF && chunk[0] == '\n' {
					br.Discard(1)
					skipLF = false
					continue
				}
				first, skipLF = false, false
				i := indexEnd(chunk)
				take := chunk
				if i >= 0 {
					take = chunk[:i]
				}
				whole := len(buf) + len(take)
				if whole > cap(buf) && whole > longLine && most == max && !held && codec.Hopeless(buf) {
					most = len(buf)
				}
				if room := most - len(buf); len(take) > room {
					long = most == max
					skipped += len(take) - room
					take = take[:room]
					if end = endless(len(buf)+skipped, max); end != nil {
						break
					}
				}
				if whole > cap(buf) && whole > longLine {
					buf = grown(buf, most)
				}
				buf = append(buf, take...)
				if i >= 0 {
					skipLF = chunk[i] == '\r'
					br.Discard(i + 1)
					break
				}
				br.Discard(len(chunk))
			}
			if end != nil && end != io.EOF {
				yield(Line{Pos: schema.Pos{File: name, Line: n}}, fmt.Errorf("reading %s: %w", name, end))
				return
			}
			if !blank(buf) && !yield(Line{schema.Pos{File: name, Line: n}, buf, long}, nil) {
				return
			}
			if end == io.EOF {
				return
			}
		}
	}
}

// indexEnd is where the first line ends, at "\n" or "\r"; -1 when it does not. Neither is
// looked for far behind the other: a file may have "\r" only.
func indexEnd(b []byte) int {
	for from, n := 0, 256; from < len(b); from, n = from+n, 2*n {
		part := b[from:min(len(b), from+n)]
		lf := bytes.IndexByte(part, '\n')
		if lf >= 0 {
			part = part[:lf]
		}
		if cr := bytes.IndexByte(part, '\r'); cr >= 0 {
			return from + cr
		}
		if lf >= 0 {
			return from + lf
		}
	}
	return -1
}

func blank(b []byte) bool {
	for _, c := range b {
		if c != ' ' && c != '\t' {
			return false
		}
	}
	return true
}

// Column turns a byte offset in line into a column: code points, from 1.
func Column(line []byte, offset int) int {
	return utf8.RuneCount(line[:max(0, min(offset, len(line)))]) + 1
}

// Fault makes a finding of a codec error in a line.
func Fault(line Line, err error) *schema.Finding {
	f := &schema.Finding{Pos: line.Pos, Code: "JSON001", Message: err.Error()}
	if ce, ok := errors.AsType[*codec.Error](err); ok {
		f.Pos.Col = Column(line.Bytes, int(ce.Offset))
		f.Pointer, f.Message = ce.Pointer, ce.Msg
		if ce.Want != "" {
			f.Code, f.Message, f.Have, f.Want = "JSON002", "wrong type", ce.Have, ce.Want
		}
	}
	return f
}

// Decode reads records. A line that does not decode yields a *schema.Finding and
// the stream continues; any other error is an I/O fault, yielded once, at the end.
func Decode[T any](r io.Reader, name string) schema.Seq[T] { return DecodeMax[T](r, name, 0) }

// DecodeMax is Decode with a limit on the length of a line, in bytes.
func DecodeMax[T any](r io.Reader, name string, max int) schema.Seq[T] {
	return func(yield func(schema.Record[T], error) bool) {
		for line, err := range Lines(r, name, max) {
			rec := schema.Record[T]{Pos: line.Pos}
			switch {
			case err != nil:
			case line.TooLong:
				err = TooLong(line)
			default:
				if e := codec.Unmarshal(line.Bytes, &rec.V); e != nil {
					err = Fault(line, e)
				}
			}
			if !yield(rec, err) {
				return
			}
		}
	}
}

// LayoutOf is the white space of a record type's file.
func layoutOf(v any) codec.Layout {
	switch v.(type) {
	case schema.Statement, schema.Claim, schema.Entity:
		return codec.Compact
	}
	return codec.Spaced
}

// Append appends the line of v, with its end, in the layout of its kind.
func Append[T schema.Versioned[T]](dst []byte, rec T, v schema.Version) ([]byte, error) {
	dst, err := codec.Append(dst, rec.At(v), layoutOf(rec))
	return append(dst, '\n'), err
}

// Tee writes each good record to w as it passes: encoded once, never decoded again.
// A failure to write is yielded and ends the stream.
func Tee[T schema.Versioned[T]](w io.Writer, v schema.Version, in schema.Seq[T]) schema.Seq[T] {
	return func(yield func(schema.Record[T], error) bool) {
		var buf []byte
		for rec, err := range in {
			fatal := false
			if err == nil {
				if buf, err = Append(buf[:0], rec.V, v); err == nil {
					_, err = w.Write(buf)
				}
				fatal = err != nil
			}
			if !yield(rec, err) || fatal {
				return
			}
		}
	}
}

// Write drains in to w. It returns how many records were written and the findings
// met; err is the first error that is not a finding.
func Write[T schema.Versioned[T]](w io.Writer, v schema.Version, in schema.Seq[T]) (n int, findings []*schema.Finding, err error) {
	for _, e := range Tee(w, v, in) {
		var f *schema.Finding
		switch {
		case e == nil:
			n++
		case errors.As(e, &f):
			findings = append(findings, f)
		default:
			return n, findings, e
		}
	}
	return n, findings, nil
}

// Files reads several files as one stream, in the given order; "-" is stdin.
func Files[T any](paths []string, stdin io.Reader) schema.Seq[T] {
	files := make([]File, len(paths))
	for i, path := range paths {
		files[i] = File{Name: path, Open: func() (io.ReadCloser, error) { return Open(path, stdin) }}
	}
	return DecodeFiles[T](files, 0)
}

// Until ends a stream when ctx does.
func Until[T any](ctx context.Context, in schema.Seq[T]) schema.Seq[T] {
	return func(yield func(schema.Record[T], error) bool) {
		for rec, err := range in {
			if ctx.Err() != nil {
				yield(rec, ctx.Err())
				return
			}
			if !yield(rec, err) {
				return
			}
		}
	}
}

// UntilDone makes a reader fail once ctx is done.
func UntilDone(ctx context.Context, r io.Reader) io.Reader { return untilDone{ctx, r} }

type untilDone struct {
	ctx context.Context
	r   io.Reader
}

func (u untilDone) Read(p []byte) (int, error) {
	if err := u.ctx.Err(); err != nil {
		return 0, err
	}
	return u.r.Read(p)
}
