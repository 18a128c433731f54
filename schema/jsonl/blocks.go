package jsonl

import (
	"bytes"
	"fmt"
	"io"
	"iter"

	"membench/internal/codec"
	"membench/schema"
)

// BlockSize is how much FileBlocks reads at a time: large enough that handing a block to
// a worker costs nothing, small enough that a few of them fit in a cache.
const BlockSize = 256 << 10

// spareBlocks is the number of released blocks that are kept for reuse.
const spareBlocks = 8

// A File is an input of the stages that read by blocks.
type File struct {
	Name string                        // used in positions
	Open func() (io.ReadCloser, error) // unpacked
}

// A Block is some whole lines of one file: the unit of work of the stages that read
// bytes on several cores.
type Block struct {
	Name  string
	File  int    // its place among the files, from 0
	First int    // number of the first line, from 1
	Bytes []byte // of whole lines; only the last one of a file may lack its end
	// TooLong reports that the block is the start of one line that is longer than the limit.
	TooLong bool

	max  int
	cr   bool // some line may end with "\r"
	free chan []byte
}

// Release hands the block's memory back. Nothing of it may be used after that.
func (b Block) Release() {
	select {
	case b.free <- b.Bytes[:0]:
	default: // no reader waits for it, or it is not a buffer of a pool
	}
}

// blocks cuts r into blocks. max is the longest line, in bytes; 0 means MaxLine. The blocks have the same lines as Lines. An error is an I/O error and ends the
// stream. Buffers are taken from free, and released ones return to it.
func blocks(r io.Reader, name string, size, max int, free chan []byte) iter.Seq2[Block, error] {
	if max <= 0 {
		max = MaxLine
	}
	return func(yield func(Block, error) bool) {
		// A buffer returns when its block is released; the carry is the start of a line whose end is not read yet. A sync.Pool would lose most buffers at each
		// collection, since the stages that read blocks make almost no other garbage.
		get := func() []byte {
			select {
			case b := <-free:
				return b
			default:
				return make([]byte, 0, size+64)
			}
		}
		buf := get()
		line := 1
		start := true
		looked := 0 // bytes of buf that are known to hold no line end: a long line is not searched again at each read
		for eof := false; !eof; {
			if cap(buf)-len(buf) < size/2 {
				buf = grown(buf, max+size)
			}
			want := size
			if len(buf) >= size {
				want = len(buf) + size/2 // one long line: grow
			}
			for len(buf) < want && !eof {
				n, err := r.Read(buf[len(buf):min(cap(buf), want)])
				buf = buf[:len(buf)+n]
				if err == io.EOF {
					eof = true
				} else if err != nil {
					yield(Block{Name: name, First: line}, fmt.Errorf("reading %s: %w", name, err))
					return
				}
			}
			if start {
				start = false
				if err := checkHead(buf, name); err != nil {
					yield(Block{Name: name, First: line}, err)
					return
				}
				buf = buf[:copy(buf, bytes.TrimPrefix(buf, []byte(bom)))]
			}
			end := len(buf)
			if !eof {
				if end = lastEnd(buf[looked:]); end > 0 {
					end += looked
				}
				if looked = len(buf); looked > 0 {
					looked-- // the last byte may be half of an end
				}
			}
			hopeless := end == 0 && len(buf) > longLine && len(buf) <= longLine+size && codec.Hopeless(buf)
			if hopeless || end == 0 && len(buf) > max+1 { // one more: a "\r" at the very end is not seen yet
				if !yield(Block{Name: name, First: line, Bytes: buf[:min(max, len(buf))], TooLong: !hopeless, max: max}, nil) {
					return
				}
				rest, ended, err := skipLine(r, buf, size, max)
				if err != nil {
					yield(Block{Name: name, First: line}, fmt.Errorf("reading %s: %w", name, err))
					return
				}
				buf, eof = append(make([]byte, 0, size+64), rest...), !ended
				looked = 0
				line++
				continue
			}
			if end == 0 && !eof {
				continue
			}
			next := append(get(), buf[end:]...)
			b := Block{Name: name, First: line, Bytes: buf[:end], max: max, cr: bytes.IndexByte(buf[:end], '\r') >= 0, free: free}
			line += b.count()
			if end > 0 && !yield(b, nil) {
				return
			}
			buf, looked = next, 0
		}
		select { // for the next file
		case free <- buf[:0]:
		default:
		}
	}
}

// grown gives buf room for more of a long line: twice as much, and all at once up to most when it is large, since each step holds two copies. Memory that is not
// written to is not taken from the system.
func grown(buf []byte, most int) []byte {
	n := max(2*cap(buf), 64<<10)
	if n > 16<<20 && cap(buf) < most {
		n = most
	}
	return append(make([]byte, 0, n), buf...)
}

// lastEnd is the length of the whole lines in b. A "\r" at the very end may be half
// of an end.
func lastEnd(b []byte) int {
	if i := bytes.LastIndexByte(b, '\n'); i >= 0 {
		return i + 1
	}
	if len(b) > 0 {
		return bytes.LastIndexByte(b[:len(b)-1], '\r') + 1
	}
	return 0
}

// skipLine reads to the end of the line that buf starts and returns the text after it in buf. ended is false at the end of the file.
func skipLine(r io.Reader, buf []byte, size, max int) (rest []byte, ended bool, err error) {
	n := len(buf)
	skipped := n
	if buf[n-1] == '\r' {
		buf[0], n = '\r', 1
	} else {
		n = 0
	}
	buf = buf[:min(cap(buf), size)]
	for {
		if i := indexEnd(buf[:n]); i >= 0 {
			if buf[i] == '\n' {
				return buf[i+1 : n], true, nil
			}
			if i+1 == n { // the other half of "\r\n" may follow
				m, err := io.ReadFull(r, buf[i+1:i+2])
				if err != nil && err != io.EOF {
					return nil, false, err
				}
				n += m
			}
			if i+1 < n && buf[i+1] == '\n' {
				i++
			}
			return buf[i+1 : n], true, nil
		}
		if err == io.EOF {
			return nil, false, nil
		}
		if err != nil {
			return nil, false, err
		}
		n, err = r.Read(buf[:len(buf)-1])
		if skipped += n; err == nil {
			err = endless(skipped, max)
		}
	}
}

// count is how many line ends the block holds.
func (b Block) count() int {
	n := bytes.Count(b.Bytes, []byte{'\n'})
	if b.cr {
		for i, c := range b.Bytes {
			if c == '\r' && (i+1 == len(b.Bytes) || b.Bytes[i+1] != '\n') {
				n++
			}
		}
	}
	return n
}

// Lines yields the lines of the block that are not blank.
func (b Block) Lines() iter.Seq[Line] {
	return func(yield func(Line) bool) {
		if b.TooLong {
			yield(Line{schema.Pos{File: b.Name, Line: b.First}, b.Bytes, true})
			return
		}
		rest := b.Bytes
		for n := b.First; len(rest) > 0; n++ {
			line := rest
			i := bytes.IndexByte(rest, '\n')
			if b.cr {
				i = indexEnd(rest)
			}
			if i < 0 {
				rest = nil
			} else {
				line = rest[:i]
				if rest[i] == '\r' && i+1 < len(rest) && rest[i+1] == '\n' {
					i++
				}
				rest = rest[i+1:]
			}
			long := len(line) > b.max
			if long {
				line = line[:b.max]
			}
			if !blank(line) && !yield(Line{schema.Pos{File: b.Name, Line: n}, line, long}) {
				return
			}
		}
	}
}

// TooLong is the finding of a line that is longer than the limit.
func TooLong(line Line) *schema.Finding {
	return &schema.Finding{Pos: line.Pos, Code: "JSON003", Message: "line is longer than the limit, skipped", Want: fmt.Sprintf("at most %d bytes", len(line.Bytes)), Hint: "raise --max-line"}
}

// DecodeFiles reads records of several files as one stream; nil files give a nil stream.
func DecodeFiles[T any](files []File, max int) schema.Seq[T] {
	if files == nil {
		return nil
	}
	return func(yield func(schema.Record[T], error) bool) {
		for _, f := range files {
			r, err := f.Open()
			if err != nil {
				yield(schema.Record[T]{}, err)
				return
			}
			stopped := false
			for rec, err := range DecodeMax[T](r, f.Name, max) {
				if stopped = !yield(rec, err); stopped {
					break
				}
			}
			if err := r.Close(); err != nil && !stopped {
				stopped = true
				yield(schema.Record[T]{}, err)
			}
			if stopped {
				return
			}
		}
	}
}

// FileBlocks reads several files as one stream of blocks of about BlockSize.
func FileBlocks(files []File, max int) iter.Seq2[Block, error] {
	return func(yield func(Block, error) bool) {
		free := make(chan []byte, spareBlocks)
		for i, f := range files {
			r, err := f.Open()
			if err != nil {
				yield(Block{Name: f.Name}, err)
				return
			}
			stopped := false
			for b, err := range blocks(r, f.Name, BlockSize, max, free) {
				b.File = i
				if stopped = !yield(b, err) || err != nil; stopped {
					break
				}
			}
			if err := r.Close(); err != nil && !stopped {
				stopped = true
				yield(Block{Name: f.Name}, err)
			}
			if stopped {
				return
			}
		}
	}
}
