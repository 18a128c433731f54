package graphir

import (
	"encoding/binary"
	"encoding/hex"
	"sync"
)

// A row is one occurrence, or several of one text in one setting.
type row struct {
	hash    [16]byte
	at      int64
	setting uint32
	chunk   uint32 // of the table, where its text is
	off     uint32
}

const rowBytes = 40

// The key of a row is the first 20 bits of its hash: 12 for the bucket of the spool,
// 8 more to read a bucket in passes.
const (
	subBits    = 8
	keyBuckets = 1 << 12
	maxKey     = keyBuckets<<subBits - 1
)

func (r *row) key() uint32 { return binary.BigEndian.Uint32(r.hash[:]) >> 12 }

// A table holds rows and their texts.
type table struct {
	mu     sync.Mutex
	rows   []row
	chunks [][]byte
	spare  [][]byte // empty chunks of the usual size, to be used again
	buf    []byte   // of a table that was loaded, its only chunk
}

const tableChunk = 16 << 10

// add copies the text of a row.
func (t *table) add(r row, text []byte) (grown int) {
	n := len(t.chunks) - 1
	if n < 0 || cap(t.chunks[n])-len(t.chunks[n]) < len(text) {
		size := max(tableChunk, len(text))
		if k := len(t.spare); k > 0 && size == tableChunk {
			t.chunks = append(t.chunks, t.spare[k-1])
			t.spare = t.spare[:k-1]
		} else {
			t.chunks = append(t.chunks, make([]byte, 0, size))
		}
		grown = size
		n++
	}
	r.chunk, r.off = uint32(n), uint32(len(t.chunks[n]))
	t.chunks[n] = append(t.chunks[n], text...)
	t.rows = append(t.rows, r)
	return grown + rowBytes
}

// reset empties the table and keeps its memory.
func (t *table) reset() {
	for _, c := range t.chunks {
		if cap(c) == tableChunk {
			t.spare = append(t.spare, c[:0])
		}
	}
	t.rows, t.chunks = t.rows[:0], t.chunks[:0]
}

// text is everything behind the start of a row's text: see rowText.
func (t *table) text(r *row) []byte { return t.chunks[r.chunk][r.off:] }

// A rowText is what a row says beyond its setting. Strings are JSON string bodies;
// only data may hold escapes. A point that is a UUID is kept as its 16 bytes. Encoding:
//
//	flags · point · created_at · data · position [· times · points]
type rowText struct {
	point, created, data []byte
	uuid                 [36]byte // what point is a slice of, when it was packed
	escaped              bool     // data
	pos                  pos
	times                int
	points               []string // nil: just point
	cut                  bool
}

const (
	rowEscaped = 1
	rowMany    = 2
	rowCut     = 4
	rowUUID    = 8
)

// packUUID packs the canonical text of a UUID; ok is false for any other text.
func packUUID(s []byte) (u [16]byte, ok bool) {
	if len(s) != 36 || s[8] != '-' || s[13] != '-' || s[18] != '-' || s[23] != '-' {
		return u, false
	}
	i := 0
	for k := 0; k < 36; k += 2 {
		if s[k] == '-' {
			k++
		}
		h, l := unhex[s[k]], unhex[s[k+1]]
		if h > 15 || l > 15 {
			return u, false
		}
		u[i] = h<<4 | l
		i++
	}
	return u, true
}

// unhex is the value of a lower-case hex digit, 255 for other bytes.
var unhex = func() (t [256]byte) {
	for i := range t {
		t[i] = 255
	}
	for i, c := range []byte("0123456789abcdef") {
		t[c] = byte(i)
	}
	return t
}()

func unpackUUID(dst *[36]byte, u []byte) {
	hex.Encode(dst[0:], u[0:4])
	hex.Encode(dst[9:], u[4:6])
	hex.Encode(dst[14:], u[6:8])
	hex.Encode(dst[19:], u[8:10])
	hex.Encode(dst[24:], u[10:16])
	dst[8], dst[13], dst[18], dst[23] = '-', '-', '-', '-'
}

func appendRow(dst []byte, x *rowText) []byte {
	var flags byte
	if x.escaped {
		flags |= rowEscaped
	}
	if x.points != nil {
		flags |= rowMany
	}
	if x.cut {
		flags |= rowCut
	}
	u, packed := packUUID(x.point)
	if packed {
		flags |= rowUUID
	}
	dst = append(dst, flags)
	if packed {
		dst = append(dst, u[:]...)
	} else {
		dst = append(binary.AppendUvarint(dst, uint64(len(x.point))), x.point...)
	}
	for _, s := range [2][]byte{x.created, x.data} {
		dst = append(binary.AppendUvarint(dst, uint64(len(s))), s...)
	}
	dst = binary.AppendUvarint(binary.AppendUvarint(dst, uint64(x.pos.file)), uint64(x.pos.line))
	if x.points != nil {
		dst = appendList(binary.AppendUvarint(dst, uint64(x.times)), x.points)
	}
	return dst
}

// read decodes a row's text and returns how long it is.
func (x *rowText) read(b []byte) int {
	all := len(b)
	flags := b[0]
	if b = b[1:]; flags&rowUUID != 0 {
		unpackUUID(&x.uuid, b)
		x.point, b = x.uuid[:], b[16:]
	} else {
		x.point, b = cutStr(b)
	}
	x.created, b = cutStr(b)
	x.data, b = cutStr(b)
	f, n := binary.Uvarint(b)
	b = b[n:]
	l, n := binary.Uvarint(b)
	b = b[n:]
	x.pos = pos{uint32(f), uint32(l)}
	x.escaped, x.cut, x.times, x.points = flags&rowEscaped != 0, flags&rowCut != 0, 1, nil
	if flags&rowMany != 0 {
		t, n := binary.Uvarint(b)
		x.times = int(t)
		x.points, b = cutList(b[n:])
	}
	return all - len(b)
}
