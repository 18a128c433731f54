package keyed

import (
	"bytes"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"io"
	"maps"
	"slices"
	"sort"
	"strconv"
	"strings"
)

// A Framer writes text to several places over one pipe: frames, each NAME TAB LENGTH LF and LENGTH bytes of whole lines. An engine moves frames and
// never looks at lines.
type Framer struct {
	w     io.Writer
	size  int // of a frame, about
	names map[string][]byte
	err   error
}

// NewFramer writes to w. names is about how many names are in use at a time.
func NewFramer(w io.Writer, names int) *Framer {
	return &Framer{w: w, size: min(1<<19, max(1<<14, 32<<20/max(1, names))), names: map[string][]byte{}}
}

// Add appends to what a name has. Frames are of whole lines.
func (f *Framer) Add(name string, text ...[]byte) {
	b := f.names[name]
	for _, t := range text {
		b = append(b, t...)
	}
	if len(b) >= f.size {
		n := bytes.LastIndexByte(b, '\n') + 1
		f.send(name, b[:n])
		b = append(b[:0], b[n:]...)
	}
	f.names[name] = b
}

func (f *Framer) send(name string, b []byte) {
	if f.err == nil && len(b) > 0 {
		if _, f.err = fmt.Fprintf(f.w, "%s\t%d\n", name, len(b)); f.err == nil {
			_, f.err = f.w.Write(b)
		}
	}
}

// Flush writes buffered data, and returns the first error since the beginning.
func (f *Framer) Flush() error {
	names := slices.Sorted(maps.Keys(f.names))
	for _, name := range names {
		f.send(name, f.names[name])
		delete(f.names, name)
	}
	return f.err
}

// Writer appends to what a name has, parts of lines too.
func (f *Framer) Writer(name string) io.Writer { return named{f, name} }

type named struct {
	f    *Framer
	name string
}

func (n named) Write(p []byte) (int, error) {
	n.f.Add(n.name, p)
	return len(p), n.f.err
}

// EveryPart is the name of the frames whose lines every part is to have: those of keys
// that start with it.
const EveryPart = "!"

// GroupMark ends the beginning of a key that is its group, where keys have one.
const GroupMark = "\x01"

// Group says how many lines of a group Cut sent to a part, or a reduce how many are in
// the parts before its own, and in all.
type Group struct {
	Part   int    `json:"part"`
	Group  string `json:"group"`
	Before int    `json:"before"`
	Rows   int    `json:"rows"`
}

// Cut frames keyed lines for an engine. With bounds, escaped keys in order, a line goes to
// the part that counts the bounds not above its key, and the last frame, "count", has the
// lines' Groups; without, it goes to one of parts by the hash of its key; and of neither,
// without its key, to the frame of what is before the key's first ":".
func Cut(in io.Reader, out io.Writer, parts int, bounds []string) error {
	names := make([]string, max(parts, len(bounds)+1))
	for i := range names {
		names[i] = strconv.Itoa(i)
	}
	f, hash := NewFramer(out, len(names)), fnv.New64a()
	tab, lf := []byte("\t"), []byte("\n")
	groups := make([]map[string]int, len(names))
	for line, err := range Lines(in) {
		if err != nil {
			return err
		}
		key, record := line[0], line[1]
		switch {
		case parts == 0 && bounds == nil:
			kind, _, _ := bytes.Cut(key, []byte(":"))
			f.Add(string(kind), record, lf)
		case bytes.HasPrefix(key, []byte(EveryPart)):
			f.Add(EveryPart, key, tab, record, lf)
		case bounds != nil:
			i := sort.Search(len(bounds), func(i int) bool { return strings.Compare(bounds[i], string(key)) > 0 })
			f.Add(names[i], key, tab, record, lf)
			group, _, _ := bytes.Cut(key, []byte(GroupMark))
			if groups[i] == nil {
				groups[i] = map[string]int{}
			}
			groups[i][string(group)]++
		default:
			hash.Reset()
			hash.Write(key) //nolint:errcheck // a hash
			f.Add(names[hash.Sum64()%uint64(parts)], key, tab, record, lf)
		}
	}
	if err := f.Flush(); err != nil || bounds == nil {
		return err
	}
	for i, of := range groups {
		for _, group := range slices.Sorted(maps.Keys(of)) {
			line, err := json.Marshal(Group{Part: i, Group: Unescape([]byte(group)), Rows: of[group]})
			if err != nil {
				return err
			}
			f.Add("count", line, lf)
		}
	}
	return f.Flush()
}
