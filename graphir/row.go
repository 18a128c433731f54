package graphir

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"encoding/hex"
)

// A row is one occurrence of a text, or some of one setting, as a record of a sorter.
// Strings are JSON string bodies; only data may hold escapes. A point that is a UUID is
// kept as its 16 bytes:
//
//	hash (16) · setting (4) · instant (8) · flags · point · created_at · data · position [· times · points]
type row struct {
	hash                 [16]byte
	setting              uint32
	at                   int64
	point, created, data []byte
	uuid                 [36]byte // backs point after unpacking
	escaped              bool     // data
	pos                  pos
	times                int
	points               []string // nil: just point
}

const (
	rowEscaped = 1
	rowMany    = 2
	rowUUID    = 4

	// mergedPoints is how many points rows of one setting are merged up to.
	mergedPoints = 64
)

// hashOf is the key of a row.
func hashOf(rec []byte) []byte { return rec[:16] }

func (x *row) append(dst []byte) []byte {
	var flags byte
	if x.escaped {
		flags |= rowEscaped
	}
	if x.points != nil {
		flags |= rowMany
	}
	u, packed := packUUID(x.point)
	if packed {
		flags |= rowUUID
	}
	dst = append(dst, x.hash[:]...)
	dst = binary.BigEndian.AppendUint32(dst, x.setting)
	dst = binary.BigEndian.AppendUint64(dst, uint64(x.at)^1<<63)
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

// read decodes a row, whose strings stay in b.
func (x *row) read(b []byte) {
	copy(x.hash[:], b)
	x.setting = binary.BigEndian.Uint32(b[16:])
	x.at = int64(binary.BigEndian.Uint64(b[20:]) ^ 1<<63)
	flags := b[28]
	if b = b[29:]; flags&rowUUID != 0 {
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
	x.pos = pos{uint32(f), uint32(l)}
	x.escaped, x.times, x.points = flags&rowEscaped != 0, 1, nil
	if flags&rowMany != 0 {
		t, k := binary.Uvarint(b[n:])
		x.times = int(t)
		x.points, _ = cutList(b[n+k:])
	}
}

// compare orders rows of one text by time, then by point.
func (x *row) compare(y *row) int {
	return cmp.Or(cmp.Compare(x.at, y.at), bytes.Compare(x.point, y.point))
}

// listed is all points of the row.
func (x *row) listed() []string {
	if x.points != nil {
		return x.points
	}
	return []string{string(x.point)}
}

// appendPoints appends all points of the row.
func (x *row) appendPoints(dst [][]byte) [][]byte {
	if x.points == nil {
		return append(dst, x.point)
	}
	for _, p := range x.points {
		dst = append(dst, []byte(p))
	}
	return dst
}

// combineRows folds rows of one text in one setting, so that a text that is stored a
// million times does not fill the disk.
func combineRows(a, b []byte) ([]byte, bool) {
	if !bytes.Equal(a[:20], b[:20]) {
		return nil, false
	}
	var x, y row
	x.read(a)
	y.read(b)
	if !x.take(&y) {
		return nil, false
	}
	return x.append(nil), true
}

// take merges the next row of a sorter into x if both have the same text and setting. Rows that differ only in content stay separate.
func (x *row) take(y *row) bool {
	c := x.compare(y)
	if x.hash != y.hash || x.setting != y.setting || c > 0 || len(x.points)+len(y.points) >= mergedPoints || !bytes.Equal(x.data, y.data) || c == 0 && !bytes.Equal(x.created, y.created) {
		return false
	}
	if c == 0 {
		x.pos = x.pos.min(y.pos)
	}
	cut := false // fewer are available
	x.points, x.times = unite(x.listed(), y.listed(), &cut), x.times+y.times
	return true
}

// packUUID packs the canonical text of a UUID; ok is false for any other text.
func packUUID(s []byte) (u [16]byte, ok bool) {
	if len(s) != 36 {
		return u, false
	}
	n := 0
	for _, part := range [][]byte{s[:8], s[9:13], s[14:18], s[19:23], s[24:]} {
		k, _ := hex.Decode(u[n:], part)
		n += k
	}
	var back [36]byte
	unpackUUID(&back, u[:])
	return u, bytes.Equal(back[:], s)
}

func unpackUUID(dst *[36]byte, u []byte) {
	i := 0
	for n, c := range u[:16] {
		if n == 4 || n == 6 || n == 8 || n == 10 {
			dst[i] = '-'
			i++
		}
		dst[i], dst[i+1] = hexPairs[c][0], hexPairs[c][1]
		i += 2
	}
}

// hexPairs are the two hex digits of each byte.
var hexPairs = func() (t [256][2]byte) {
	for c := range t {
		hex.Encode(t[c][:], []byte{byte(c)})
	}
	return t
}()
