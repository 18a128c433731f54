package cassette

import (
	"bufio"
	"bytes"
	"fmt"
	"hash/crc32"
	"io"
)

// Damage is a part of a cassette that holds no whole record, before records that are whole.
type Damage struct {
	Offset int64 `json:"offset"`
	Bytes  int64 `json:"bytes"`
}

func (d Damage) String() string {
	return fmt.Sprintf("%d bytes from byte %d are damaged", d.Bytes, d.Offset)
}

// mostTried is how many bytes a search behind damage may check against sums, for each
// byte of the file: a file made of heads only must not cost more than others.
const mostTried = 4

// scan yields every complete record from a position on whose bytes match their checksum, and every damaged part before one. It returns the end of the last
// complete record: the rest is a tail that a killed process left.
func scan(r io.ReaderAt, at, size int64, each func(Key, place), damaged func(Damage)) (int64, error) {
	s := scanner{r: r, size: size, left: mostTried*size + 1<<20}
	s.seek(at)
	for {
		k, p, ok, err := s.next()
		if err != nil {
			return 0, err
		}
		if ok {
			each(k, p)
			at = s.at
			continue
		}
		if at == size {
			return at, nil
		}
		found, ok, err := s.search(at + 1)
		if err != nil || !ok {
			return at, err
		}
		damaged(Damage{at, found - at})
		at = found
		s.seek(at)
	}
}

type scanner struct {
	r        io.ReaderAt
	size, at int64
	left     int64 // bytes that searches may check
	br       *bufio.Reader
	buf      []byte
}

func (s *scanner) seek(at int64) {
	s.at = at
	part := io.NewSectionReader(s.r, at, s.size-at)
	if s.br == nil {
		s.br = bufio.NewReaderSize(part, 1<<18)
		return
	}
	s.br.Reset(part)
}

// next reads the record at s.at; ok is false where none is whole there.
func (s *scanner) next() (k Key, p place, ok bool, err error) {
	line, err := s.br.ReadSlice('\n')
	if err != nil && err != io.EOF && err != bufio.ErrBufferFull {
		return k, p, false, err
	}
	k, p, ok = parseHead(line)
	if err != nil || !ok {
		return k, p, false, nil
	}
	p.off = s.at + int64(len(line))
	if p.off+int64(p.size)+1 > s.size {
		return k, p, false, nil
	}
	if cap(s.buf) < int(p.size)+1 {
		s.buf = make([]byte, p.size+1)
	}
	s.buf = s.buf[:p.size+1]
	if _, err := io.ReadFull(s.br, s.buf); err != nil {
		if err == io.EOF || err == io.ErrUnexpectedEOF { // it became shorter meanwhile
			return k, p, false, nil
		}
		return k, p, false, err
	}
	if s.buf[p.size] != '\n' || crc32.ChecksumIEEE(s.buf[:p.size]) != p.sum {
		return k, p, false, nil
	}
	s.at = p.off + int64(p.size) + 1
	return k, p, true, nil
}

// longestHead is how many bytes a head has at most.
const longestHead = 64

// search finds the next complete record from a position on: a head, at the end of any line, whose bytes match their checksum. The preceding line end may be
// damaged.
func (s *scanner) search(from int64) (int64, bool, error) {
	br := bufio.NewReaderSize(io.NewSectionReader(s.r, from, s.size-from), 1<<18)
	var tail []byte // end of the preceding text of the line
	for end := from; ; {
		line, err := br.ReadSlice('\n')
		end += int64(len(line))
		tail = append(tail, line[max(0, len(line)-longestHead):]...)
		if n := headLength(tail); err == nil && n > 0 {
			if _, p, ok := parseHead(tail[len(tail)-n:]); ok && int64(p.size) <= s.left {
				s.left -= int64(p.size)
				s.seek(end - int64(n))
				if _, _, whole, err := s.next(); whole || err != nil {
					return end - int64(n), whole, err
				}
			}
		}
		switch err {
		case nil:
			tail = tail[:0]
		case bufio.ErrBufferFull:
			tail = append(tail[:0], line[len(line)-longestHead:]...)
		case io.EOF:
			return 0, false, nil
		default:
			return 0, false, err
		}
	}
}

// headLength returns the length of a possible head at the end of a line, 0 if there is none: a kind before the last three fields.
func headLength(line []byte) int {
	at := len(line)
	for range 3 {
		if at = bytes.LastIndexByte(line[:at], ' '); at < 1 {
			return 0
		}
	}
	return len(line) - at + 1
}
