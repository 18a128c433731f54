package claims

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"hash/maphash"
	"sync"

	"membench/internal/extsort"
	"membench/schema"
)

// An entity is under one type. Rows are sorted by type before id, so that two types
// of one id do not meet there: workers note the types of ids, by hash, and only where
// two differ the entities are read once more to find them, and to choose the type that
// stays as entityGroup.add does.

// A typeTable holds 56 bits of the hash of each entity id and a number for its type.
type typeTable struct {
	slots []uint64 // open addressing; 0 is free
	n     int
	twice map[uint64]bool // hashes that have, or seem to have, two types
	last  string
	no    uint64
}

// typeNumbers gives types their numbers, from 1; the 255th and later ones share the last.
type typeNumbers struct {
	mu sync.Mutex
	m  map[string]uint64
}

func (t *typeNumbers) of(typ []byte) uint64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	n, ok := t.m[string(typ)]
	if !ok {
		if t.m == nil {
			t.m = map[string]uint64{}
		}
		n = min(uint64(len(t.m)+1), 255)
		t.m[string(typ)] = n
	}
	return n
}

var typeSeed = maphash.MakeSeed() // no hash leaves the process

func (t *typeTable) note(types *typeNumbers, typ, id []byte) {
	if t.no == 0 || t.last != string(typ) {
		t.last, t.no = string(typ), types.of(typ)
	}
	t.add(maphash.Bytes(typeSeed, id)&^255 | t.no)
}

// add enters a hash with a type in its low byte.
func (t *typeTable) add(x uint64) {
	if 3*t.n >= 2*len(t.slots) {
		old := t.slots
		t.slots, t.n = make([]uint64, max(1024, 2*len(old))), 0
		for _, x := range old {
			if x != 0 {
				t.add(x)
			}
		}
	}
	mask := uint64(len(t.slots) - 1)
	for i := x >> 8 & mask; ; i = (i + 1) & mask {
		switch have := t.slots[i]; {
		case have == 0:
			t.slots[i] = x
			t.n++
			return
		case have>>8 == x>>8:
			if have != x || x&255 == 255 {
				if t.twice == nil {
					t.twice = map[uint64]bool{}
				}
				t.twice[x>>8] = true
			}
			return
		}
	}
}

// join adds the entries of another table.
func (t *typeTable) join(o *typeTable) {
	for _, x := range o.slots {
		if x != 0 {
			t.add(x)
		}
	}
	for h := range o.twice {
		if t.twice == nil {
			t.twice = map[uint64]bool{}
		}
		t.twice[h] = true
	}
}

// entityKey reads type and id out of a row's id, as claimKey does.
func entityKey(key []byte) (typ, id []byte) {
	end := []byte{0, 1}
	typ, id, _ = bytes.Cut(key[1:], end)
	return typ, bytes.TrimSuffix(id, end)
}

// findTwoTypes fills in b.lost: the rows, by kind and key, of entities whose id stays
// under another type, and that type.
func (b *bulk) findTwoTypes(ctx context.Context) error {
	if len(b.types.twice) == 0 {
		return nil
	}
	type side struct {
		typ   string
		order uint64
	}
	best := map[string]side{}
	all := map[string][]side{}
	for _, r := range extsort.Cut(b.sorters, 1<<40) {
		for raw, err := range r.Sorted() {
			if err = cmp.Or(err, ctx.Err()); err != nil {
				return err
			}
			key := rowID(raw)
			if key[0] != kindEntity {
				break
			}
			typ, id := entityKey(key)
			if !b.types.twice[maphash.Bytes(typeSeed, bytes.ReplaceAll(id, []byte{0, 0xff}, []byte{0}))>>8] {
				continue
			}
			s := side{string(typ), binary.BigEndian.Uint64(raw[len(key):])}
			have := all[string(id)]
			if n := len(have); n > 0 && have[n-1].typ == s.typ {
				continue // rows of one id come by order
			}
			all[string(id)] = append(have, s)
			old, ok := best[string(id)]
			if !ok || b.Version == schema.V001 && s.order < old.order { // otherwise the smaller type, which comes first
				best[string(id)] = s
			}
		}
	}
	b.lost = map[string]string{}
	for id, sides := range all {
		for _, s := range sides {
			if s.typ != best[id].typ {
				key := append([]byte{kindEntity}, s.typ...)
				key = append(append(append(key, 0, 1), id...), 0, 1)
				b.lost[string(key)] = best[id].typ
			}
		}
	}
	return nil
}

// twoTypes is the finding of an entity whose id stays under another type, nil when it
// does not.
func (b *bulk) twoTypes(key []byte) *schema.Finding {
	want, ok := b.lost[string(key)]
	if !ok {
		return nil
	}
	typ, _ := entityKey(key)
	return typeFault(string(typ), want)
}
