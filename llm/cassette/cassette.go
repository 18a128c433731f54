// Package cassette keeps every answer of a model and every vector in one file, so that paid answers are replayed for free: in resumed runs, on other machines,
// and in tests without a network.
//
// A call is identified by its content: a hash of kind, model, parameters and text. The endpoint's address and key and the purpose are not part of it; prompts
// are not stored. Answers to several samples of one question are stored separately (llm.Request.Sample).
//
// # The file
//
//	membench cassette 1
//	c 5d41402abc4b2a76b9719d911017c592 118 3610a686
//	{"model":"gpt-4o-mini","purpose":"tag","text":"…","usage":{…}}
//	v 7d793037a0760186574b0282f2f435e7 1580 9be3e0a3
//	{"model":"all-MiniLM-L6-v2","dim":384,"usage":{…}}
//	<1,536 bytes: little-endian float32>
//
// A record is a head line (c: chat, v: vector; the key; number of bytes; their CRC-32) followed by the bytes and a line end. Records are only appended, under a
// lock of the file, by any number of processes; each is synced before its answer is returned. The next writer removes a record that a killed process left
// incomplete. Of two records with one key the later counts. A process that makes a call holds a lock on a byte far beyond the end of the file, which belongs to
// the key: one process calls the model, and the others wait for its record.
//
// Damage in the middle affects only the damaged records: every record has a checksum, and reading continues at the next complete record. Cassette.Damages lists
// damaged parts; the lost answers are requested again.
//
// The index takes 60 to 85 bytes of memory per record; answers are read from the file when they are requested.
package cassette

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"membench/internal/atomicfile"
	"membench/internal/textnorm"
	"membench/llm"
	"membench/schema"
)

// Mode selects how a cassette is used.
type Mode string

// The modes. Off is not a cassette at all.
const (
	Off    Mode = "off"
	Cache  Mode = "cache"       // stored answers are used, missing ones are requested and stored
	Record Mode = "record"      // everything is asked again, once in this session, and kept
	Replay Mode = "replay-only" // no calls are made; a missing answer is an error
)

// ParseMode reads a mode; "replay" means replay-only.
func ParseMode(s string) (Mode, error) {
	switch m := Mode(s); m {
	case Off, Cache, Record, Replay:
		return m, nil
	case "replay":
		return Replay, nil
	}
	return "", fmt.Errorf("mode of the cassette: have %q, want off, cache, record or replay-only", s)
}

const (
	magic = "membench cassette 1\n"
	// mostBytes is the longest record that can be true.
	mostBytes = 64 << 20
)

// Kinds of records.
const (
	kindChat   = 'c'
	kindVector = 'v'
)

// Key is the content address of a call.
type Key [16]byte

func (k Key) String() string { return hex.EncodeToString(k[:]) }

// place is the position of a record's bytes.
type place struct {
	off  int64
	size int32
	sum  uint32
	kind byte
	mine bool // written in this session
}

// A Cassette is open for one run. Several goroutines may use it at once. The nil
// Cassette is Off.
type Cassette struct {
	mode Mode
	f    *os.File

	mu       sync.Mutex
	index    map[Key]place
	end      int64 // end of the indexed part
	flights  map[Key]*flight
	bad      error // the first failed write
	stats    Stats
	dims     map[string]int   // of the vectors given out, by profile
	start    int64            // end of the file when this session started
	aside    map[Key]struct{} // records before start that were of no use
	damages  []Damage
	replaced int // records of a key that a later one has, too

	writing sync.Mutex // one writer of this process
	waiting sync.Mutex
	queue   []*kept // to be written with the next sync
}

// A flight is a call under way; other callers with the same key wait for it.
type flight struct {
	done chan struct{}
	err  error
}

// Stats counts the calls of a session. Each vector counts as one.
type Stats struct {
	Records int `json:"records"` // in the file
	Hits    int `json:"hits"`
	Added   int `json:"added"`
}

// Open opens the cassette at path. With Cache and Record it is made where it is not
// there; with Replay it is only read.
func Open(path string, m Mode) (*Cassette, error) {
	c := &Cassette{mode: m, index: map[Key]place{}, flights: map[Key]*flight{}, aside: map[Key]struct{}{}, dims: map[string]int{}}
	if m == Off {
		return nil, nil
	}
	err := anywhere(path)
	if err != nil {
		return nil, err
	}
	switch m {
	case Replay:
		if c.f, err = os.Open(path); errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("%w: replay-only requires the cassette of an earlier run; record one with mode cache", err)
		} else if err != nil {
			return nil, err
		}
		if err = c.refresh(false); err == nil && c.end == 0 {
			err = schema.Brokenf("%s: the file is empty: have no record, want the cassette of a run (--cassette)", path)
		}
	case Cache, Record:
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			return nil, err
		}
		if c.f, err = os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o644); err != nil {
			return nil, err
		}
		err = atomicfile.Exclusive(c.f, func() error { return c.refresh(true) })
	default:
		_, err = ParseMode(string(m))
		return nil, err
	}
	if err != nil {
		c.f.Close()
		return nil, err
	}
	c.start = c.end
	return c, nil
}

// anywhere wants a file that can be read at any place, where there is one: a pipe would seem
// to hold no records.
func anywhere(path string) error {
	if st, err := os.Stat(path); err == nil && !st.Mode().IsRegular() {
		return fmt.Errorf("%s: not a regular file (a pipe, device or folder): write the cassette to a file and name that", path)
	}
	return nil
}

// Close closes the file. Everything was made durable before.
func (c *Cassette) Close() error {
	if c == nil {
		return nil
	}
	return c.f.Close()
}

// Path is the file's.
func (c *Cassette) Path() string { return c.f.Name() }

// Mode is how it was opened; Off for nil.
func (c *Cassette) Mode() Mode {
	if c == nil {
		return Off
	}
	return c.mode
}

// Stats returns the counts of this session so far.
func (c *Cassette) Stats() Stats {
	if c == nil {
		return Stats{}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	s := c.stats
	s.Records = len(c.index)
	return s
}

// refresh indexes the records that this or other processes appended since the last time. As a writer, under the lock, it writes the first line of a new file
// and removes an incomplete record of a killed process.
func (c *Cassette) refresh(writer bool) error {
	info, err := c.f.Stat()
	if err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if info.Size() < c.end {
		return fmt.Errorf("%s: the cassette was truncated while it was in use: run the command again", c.f.Name())
	}
	if info.Size() == c.end {
		if c.end > 0 || !writer {
			return nil
		}
	}
	if c.end == 0 {
		head := make([]byte, len(magic))
		n, err := c.f.ReadAt(head, 0)
		if err != nil && err != io.EOF {
			return err
		}
		switch {
		case n == len(magic) && string(head) == magic:
		case strings.HasPrefix(magic, string(head[:n])) && writer: // new, or torn while it was made
			if _, err := c.f.WriteAt([]byte(magic), 0); err != nil {
				return err
			}
			info, err = c.f.Stat()
			if err != nil {
				return err
			}
		default:
			return schema.Brokenf("%s: not a cassette: want %q as its first line", c.f.Name(), strings.TrimSpace(magic))
		}
		c.end = int64(len(magic))
	}
	good, err := scan(c.f, c.end, info.Size(), func(k Key, p place) {
		if _, known := c.index[k]; known {
			c.replaced++
		}
		c.index[k] = p
	}, func(d Damage) { c.damages = append(c.damages, d) })
	if err != nil {
		return fmt.Errorf("%s: %w", c.f.Name(), err)
	}
	c.end = good
	if writer && good < info.Size() {
		if err := c.f.Truncate(good); err != nil {
			return err
		}
	}
	return nil
}

// head writes a record's first line.
func appendHead(dst []byte, kind byte, k Key, body []byte) []byte {
	dst = append(dst, kind, ' ')
	dst = hex.AppendEncode(dst, k[:])
	return fmt.Appendf(dst, " %d %08x\n", len(body), crc32.ChecksumIEEE(body))
}

func parseHead(line []byte) (k Key, p place, ok bool) {
	f := bytes.Fields(line)
	if len(f) != 4 || len(f[0]) != 1 || len(f[1]) != 2*len(k) || len(f[3]) != 8 {
		return k, p, false
	}
	if _, err := hex.Decode(k[:], f[1]); err != nil {
		return k, p, false
	}
	n, err := strconv.ParseInt(string(f[2]), 10, 32)
	sum, err2 := strconv.ParseUint(string(f[3]), 16, 32)
	p = place{size: int32(n), sum: uint32(sum), kind: f[0][0]}
	return k, p, err == nil && err2 == nil && n >= 0 && n <= mostBytes && (p.kind == kindChat || p.kind == kindVector)
}

// find returns the position of a key's record, if this session may use it.
func (c *Cassette) find(k Key) (place, bool) {
	p, ok := c.index[k]
	if _, useless := c.aside[k]; useless && p.off < c.start {
		return p, false
	}
	return p, ok && (c.mode != Record || p.mine)
}

// forget sets a record aside that an earlier run wrote: it is asked for again.
func (c *Cassette) forget(k Key) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.aside[k] = struct{}{}
}

var buffers = sync.Pool{New: func() any { return new([]byte) }}

// read gives f the bytes of a record, which it must not keep.
func (c *Cassette) read(p place, f func([]byte) error) error {
	b := buffers.Get().(*[]byte)
	defer buffers.Put(b)
	if cap(*b) < int(p.size) {
		*b = make([]byte, p.size)
	}
	*b = (*b)[:p.size]
	if _, err := c.f.ReadAt(*b, p.off); err != nil {
		return fmt.Errorf("reading %s: %w", c.f.Name(), err)
	}
	if crc32.ChecksumIEEE(*b) != p.sum {
		return fmt.Errorf("%s: the record at byte %d does not match its checksum", c.f.Name(), p.off)
	}
	return f(*b)
}

// A record is an answer that is about to be written.
type record struct {
	key  Key
	kind byte
	body []byte
}

// kept are records on their way into the file.
type kept struct {
	records []record
	err     error
}

// keep appends records and makes them durable. A record of the same key that another process wrote in the meantime stays, so that every run returns the same
// answer. Callers that arrive during a write are written together by the next one.
func (c *Cassette) keep(records []record) error {
	mine := &kept{records: records}
	c.waiting.Lock()
	c.queue = append(c.queue, mine)
	c.waiting.Unlock()
	c.writing.Lock()
	defer c.writing.Unlock()
	c.waiting.Lock()
	all := c.queue
	c.queue = nil
	c.waiting.Unlock()
	if len(all) == 0 { // another has written them
		return mine.err
	}
	err := atomicfile.Exclusive(c.f, func() error { return c.write(all) })
	if err != nil {
		err = fmt.Errorf("keeping answers in the cassette: %w", err)
		c.mu.Lock()
		c.bad = errors.Join(c.bad, err)
		c.mu.Unlock()
	}
	for _, k := range all {
		k.err = err
	}
	return err
}

// write appends the new records. The caller is the only writer of the file.
func (c *Cassette) write(all []*kept) error {
	if err := c.refresh(true); err != nil {
		return err
	}
	var out []byte
	at := map[Key]place{}
	for _, k := range all {
		for _, r := range k.records {
			_, twice := at[r.key]
			c.mu.Lock()
			_, here := c.find(r.key)
			c.mu.Unlock()
			if twice || here {
				continue
			}
			out = appendHead(out, r.kind, r.key, r.body)
			at[r.key] = place{off: c.end + int64(len(out)), size: int32(len(r.body)), sum: crc32.ChecksumIEEE(r.body), kind: r.kind, mine: true}
			out = append(append(out, r.body...), '\n')
		}
	}
	if len(out) == 0 {
		return nil
	}
	atomicfile.Step("append", c.f.Name())
	_, err := c.f.WriteAt(out, c.end)
	if err == nil {
		err = c.f.Sync()
	}
	if err != nil {
		return errors.Join(err, c.f.Truncate(c.end))
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	maps.Copy(c.index, at)
	c.end += int64(len(out))
	c.stats.Added += len(at)
	return nil
}

// Damages are the parts of the file that hold no record, though records follow.
func (c *Cassette) Damages() []Damage {
	if c == nil {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.damages)
}

// Pauses between two checks for another process's record.
const (
	firstLook   = 2 * time.Millisecond
	longestLook = 100 * time.Millisecond
)

// claim takes the locks of keys, in order, and waits for processes that are requesting one of them; afterwards their records are indexed. release returns the
// locks. It fails if ctx ends.
func (c *Cassette) claim(ctx context.Context, keys ...Key) (release func(), err error) {
	if c.mode != Cache { // Replay makes no calls, and Record always makes its own
		return func() {}, nil
	}
	places := make([]int64, len(keys))
	for i, k := range keys { // behind any record: 2^62 and 61 bits of the key
		places[i] = 1<<62 | int64(binary.LittleEndian.Uint64(k[:8])>>3)
	}
	slices.Sort(places)
	places = slices.Compact(places)
	held := 0
	release = func() {
		for _, at := range places[:held] {
			atomicfile.ReleaseByte(c.f, at)
		}
	}
	for pause := firstLook; held < len(places); {
		if atomicfile.TryByte(c.f, places[held]) {
			held++
			continue
		}
		t := time.NewTimer(pause)
		select {
		case <-t.C:
			pause = min(2*pause, longestLook)
		case <-ctx.Done():
			t.Stop()
			release()
			return nil, ctx.Err()
		}
	}
	c.writing.Lock()
	defer c.writing.Unlock()
	// A file that cannot be read any more is found out by the next write.
	_ = atomicfile.Exclusive(c.f, func() error { return c.refresh(true) })
	return release, nil
}

// mayAsk returns an error if a missing call may not be made.
func (c *Cassette) mayAsk(purpose, model string, k Key, text string) error {
	c.mu.Lock()
	bad := c.bad
	c.mu.Unlock()
	switch {
	case c.mode == Replay:
		return &llm.Error{Purpose: purpose, Kind: llm.KindMissing, Err: fmt.Errorf("the cassette %s lacks this call (model %s, key %v): %s", c.f.Name(), model, k, excerpt(text))}
	case bad != nil:
		return &llm.Error{Purpose: purpose, Kind: llm.KindStore, Err: bad}
	}
	return nil
}

// excerpt is the beginning of a prompt, on one line.
func excerpt(s string) string {
	if len(s) > 1000 {
		s = s[:1000]
	}
	return strconv.Quote(textnorm.Short(strings.Join(strings.Fields(strings.ToValidUTF8(s, "")), " "), 100))
}
