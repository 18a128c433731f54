package validate

// table is the index of ids: open addressing over 32-byte slots, at most three
// quarters full. A Go map of the same entries takes half as much memory again and
// twice the time. The key is a hash already; the zero key never occurs.
type table struct {
	slots []slot
	n     int
}

type slot struct {
	k key
	entry
}

// at returns the slot of k: its own, or the free one where it belongs.
func (t *table) at(k key) *slot {
	mask := uint64(len(t.slots) - 1)
	for i := k[0] & mask; ; i = (i + 1) & mask {
		if s := &t.slots[i]; s.k == k || s.k == (key{}) {
			return s
		}
	}
}

func (t *table) get(k key) (entry, bool) {
	if t.n == 0 {
		return entry{}, false
	}
	s := t.at(k)
	return s.entry, s.k == k
}

// swap stores e under k and returns the previous entry.
func (t *table) swap(k key, e entry) (old entry, taken bool) {
	if t.n*4 >= len(t.slots)*3 {
		t.grow()
	}
	s := t.at(k)
	old, taken = s.entry, s.k == k
	if !taken {
		t.n++
		s.k = k
	}
	s.entry = e
	return old, taken
}

// warm reads the slots of a block's facts before they are used one by one: loads that
// do not wait for each other cost a fraction of as many cache misses in a row.
func (t *table) warm(facts []fact) (sum uint64) {
	if len(t.slots) == 0 {
		return 0
	}
	mask := uint64(len(t.slots) - 1)
	for i := range facts {
		sum += t.slots[facts[i].k[0]&mask].k[0]
	}
	return sum
}

func (t *table) grow() {
	old := t.slots
	t.slots = make([]slot, max(1024, 2*len(old)))
	for i := range old {
		if old[i].k != (key{}) {
			*t.at(old[i].k) = old[i]
		}
	}
}
