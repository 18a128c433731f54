package depparse

import (
	_ "embed"
	"encoding/binary"
	"fmt"
	"strings"
	"sync"
)

//go:embed model.bin
var modelFile string

// model is the embedded weights, read on first use.
var model = sync.OnceValue(func() *models {
	m, err := decode(modelFile)
	if err != nil {
		panic(err) // unreachable unless the embedded file is broken; a test reads it
	}
	return m
})

// models are the three perceptrons.
type models struct{ tag, move, label weights }

// Weights of one perceptron: for a feature the classes that it speaks for or against.
// Slots are an open-addressed table of features; a feature's cells are pairs of bytes,
// class and signed weight, after their number. A feature is the hash of its template
// and values; two that share a hash share weights. Of a perceptron with few classes the
// weights are in the slots themselves, a byte for each class: looking up is waiting for
// memory, and this waits once.
type weights struct {
	classes []string
	slots   []slot
	mask    uint32
	packed  bool
	cells   []byte
}

// A slot is free where at is 0. Else at is the offset in cells plus one, or the weights.
type slot struct{ feature, at uint32 }

// fewClasses is how many weights a slot holds.
const fewClasses = 4

const most = 64 // features of one decision, at most

// vote adds the weights of the features to the score of each class. First all slots are read, then what they lead to: the memory answers many loads at once if no
// branch waits for one of them.
func (w *weights) vote(features []uint32, score []int32) {
	clear(score)
	var first [most]slot
	var at [most]uint32 // of the slots that hold a feature
	n := 0
	for k, f := range features {
		first[k] = w.slots[f&w.mask]
	}
	for k, f := range features {
		s := first[k]
		for i := f & w.mask; s.feature != f && s.at != 0; s = w.slots[i] {
			i = (i + 1) & w.mask
		}
		at[n] = s.at
		if s.at != 0 {
			n++
		}
	}
	if w.packed {
		for _, a := range at[:n] {
			for c := range score {
				score[c] += int32(int8(a >> (8 * c)))
			}
		}
		return
	}
	var size [most]byte
	for k, a := range at[:n] {
		size[k] = w.cells[a-1]
	}
	for k, a := range at[:n] {
		for c := w.cells[a : a+2*uint32(size[k])]; len(c) > 1; c = c[2:] {
			score[c[0]] += int32(int8(c[1]))
		}
	}
}

// best is the class of the highest score; the first one wins a tie.
func best[N int32 | float32](score []N) int {
	b := 0
	for i, s := range score {
		if s > score[b] {
			b = i
		}
	}
	return b
}

const magic = "membench dependency model 1\n"

// decode reads a model: for each perceptron the classes (one line, blank-separated), the
// number of features, and for each feature in ascending order the difference to the one
// before (uvarint), the number of its cells and the cells.
func decode(s string) (*models, error) {
	rest, ok := strings.CutPrefix(s, magic)
	if !ok {
		return nil, fmt.Errorf("dependency model: have %.20q, want %q first", s, magic)
	}
	b := []byte(rest)
	var m models
	for _, w := range []*weights{&m.tag, &m.move, &m.label} {
		var err error
		if b, err = w.decode(b); err != nil {
			return nil, err
		}
	}
	return &m, nil
}

func (w *weights) decode(b []byte) ([]byte, error) {
	short := fmt.Errorf("dependency model: cut off")
	line, _, ok := strings.Cut(string(b[:min(len(b), 4096)]), "\n")
	if !ok {
		return nil, short
	}
	w.classes = strings.Fields(line)
	w.packed = len(w.classes) <= fewClasses
	b = b[len(line)+1:]
	n, k := binary.Uvarint(b)
	if k <= 0 || n > uint64(len(b)) {
		return nil, short
	}
	b = b[k:]
	size := uint32(16)
	for uint64(size) < 2*n {
		size *= 2
	}
	w.slots, w.mask = make([]slot, size), size-1
	feature := uint32(0)
	for range n {
		d, k := binary.Uvarint(b)
		if k <= 0 || len(b) < k+1 || len(b) < k+1+2*int(b[k]) {
			return nil, short
		}
		feature += uint32(d)
		cells := b[k : k+1+2*int(b[k])]
		i := feature & w.mask
		for w.slots[i].at != 0 {
			i = (i + 1) & w.mask
		}
		w.slots[i] = slot{feature, uint32(len(w.cells)) + 1}
		if w.packed {
			w.slots[i].at = 0
			for c := cells[1:]; len(c) > 1; c = c[2:] {
				w.slots[i].at |= uint32(c[1]) << (8 * (c[0] % fewClasses))
			}
		} else {
			w.cells = append(w.cells, cells...)
		}
		b = b[k+len(cells):]
	}
	return b, nil
}
