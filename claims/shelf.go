package claims

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"fmt"
	"iter"

	"membench/internal/codec"
	"membench/internal/extsort"
	"membench/schema"
)

// A shelf puts memories in the order of their conversations, on disk when there are
// many. A record in the sorter:
//
//	length of conv_id · conv_id · number of the record (8 bytes) · file · line · JSON
type shelf struct {
	o      Options
	sorter *extsort.Sorter
	n      uint64
	files  []string // names, few
	fileOf map[string]uint64
	buf    []byte
}

func newShelf(o Options) *shelf {
	return &shelf{o: o, fileOf: map[string]uint64{}, sorter: extsort.New(extsort.Options{Memory: o.Memory, Dir: o.TempDir, Compare: func(a, b []byte) int {
		ca, a := cutConv(a)
		cb, b := cutConv(b)
		if !bytes.Equal(ca, cb) {
			return Natural(string(ca), string(cb))
		}
		return cmp.Compare(binary.BigEndian.Uint64(a), binary.BigEndian.Uint64(b))
	}})}
}

func (s *shelf) close() { s.sorter.Close() }

func cutConv(rec []byte) (conv, rest []byte) {
	n, k := binary.Uvarint(rec)
	return rec[k : k+int(n)], rec[k+int(n):]
}

func (s *shelf) add(conv schema.ConvID, rec schema.Record[schema.MemoryExport]) (err error) {
	file, ok := s.fileOf[rec.Pos.File]
	if !ok {
		file = uint64(len(s.files))
		s.files = append(s.files, rec.Pos.File)
		s.fileOf[rec.Pos.File] = file
	}
	b := append(binary.AppendUvarint(s.buf[:0], uint64(len(conv))), conv...)
	b = binary.BigEndian.AppendUint64(b, s.n)
	b = binary.AppendUvarint(binary.AppendUvarint(b, file), uint64(rec.Pos.Line))
	s.n++
	if s.buf, err = codec.Append(b, rec.V, codec.Compact); err != nil {
		return err
	}
	return s.sorter.Add(s.buf)
}

// conversations yields the memories of one conversation after the other, in natural
// order of their ids, each in the order of the input.
func (s *shelf) conversations() iter.Seq2[[]Memory, error] {
	return func(yield func([]Memory, error) bool) {
		var ms []Memory
		for rec, err := range s.sorter.Sorted() {
			var m Memory
			if err == nil {
				m, err = s.read(rec)
			}
			if err != nil {
				yield(nil, err)
				return
			}
			if len(ms) > 0 && ms[0].Fields.ConvID != m.Fields.ConvID {
				if !yield(ms, nil) {
					return
				}
				ms = nil
			}
			ms = append(ms, m)
		}
		if len(ms) > 0 {
			yield(ms, nil)
		}
	}
}

func (s *shelf) read(rec []byte) (Memory, error) {
	_, b := cutConv(rec)
	b = b[8:]
	file, n := binary.Uvarint(b)
	b = b[n:]
	line, n := binary.Uvarint(b)
	var x schema.MemoryExport
	if err := codec.Unmarshal(bytes.Clone(b[n:]), &x); err != nil {
		return Memory{}, fmt.Errorf("reading a memory again: %w", err)
	}
	return memoryOf(schema.Record[schema.MemoryExport]{Pos: schema.Pos{File: s.files[file], Line: int(line)}, V: x}, s.o)
}
