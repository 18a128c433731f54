package run

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"time"

	"membench/internal/keylog"
	"membench/schema"
	"membench/schema/jsonl"
)

// The journal of a unit is one file. Each line is a head followed by a record as it will be in the
// run's files:
//
//	CRC s JOB REPEAT SESSION OUTCOME\t{…}      a session record
//	CRC q JOB REPEAT QUESTION OUTCOME\t{…}     a QA record
//	CRC c JOB REPEAT QUESTION ID\t{…}          a context, before the first record that names it
//	CRC e JOB 0 0 -                            the job has ended
//
// CRC is eight hex digits of CRC-32C over the rest of the line. JOB counts the cases of the
// unit, times the repeats if each repeat ingests again.

// recordKey identifies a record within its job.
type recordKey struct {
	kind   byte // s, q or c
	repeat int
	i      int
}

// head is the text before a record.
type head struct {
	recordKey
	job     int
	outcome string // of a context its id
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// appendHead appends the head without its CRC.
func appendHead(dst []byte, h head) []byte {
	return fmt.Appendf(dst, "%c %d %d %d %s", h.kind, h.job, h.repeat, h.i, h.outcome)
}

var errJournalLine = errors.New("not a line of a journal")

// parseLine checks a line and cuts it into head and record.
func parseLine(line []byte) (h head, rec []byte, err error) {
	var sum [4]byte
	if len(line) < 10 || line[8] != ' ' {
		return h, nil, errJournalLine
	}
	if _, err := hex.Decode(sum[:], line[:8]); err != nil || crc32.Checksum(line[9:], castagnoli) != binary.BigEndian.Uint32(sum[:]) {
		return h, nil, errJournalLine
	}
	words, rec, _ := bytes.Cut(line[9:], []byte("\t"))
	var parts [5][]byte
	for i := range parts {
		var ok bool
		if parts[i], words, ok = bytes.Cut(words, []byte(" ")); !ok && i < len(parts)-1 {
			return h, nil, errJournalLine
		}
	}
	if len(parts[0]) != 1 {
		return h, nil, errJournalLine
	}
	h.kind, h.outcome = parts[0][0], string(parts[4])
	for i, at := range []*int{&h.job, &h.repeat, &h.i} {
		if *at, err = strconv.Atoi(string(parts[i+1])); err != nil || *at < 0 {
			return h, nil, errJournalLine
		}
	}
	return h, rec, nil
}

// partial holds the stored records of an unfinished job, and whether it succeeded so far.
type partial struct {
	keys     map[recordKey]bool
	contexts map[string]bool // by id
}

func (p *partial) has(k recordKey) bool {
	if p == nil {
		return false
	}
	_, ok := p.keys[k]
	return ok
}

// sessions is how many sessions in a row, from the first, are on record and went well.
func (p *partial) sessions(repeat int) int {
	n := 0
	for p != nil && p.keys[recordKey{'s', repeat, n}] {
		n++
	}
	return n
}

// A journal is open for appending; any goroutine may append.
type journal struct {
	mu       sync.Mutex
	path     string
	log      *keylog.Log
	buf      []byte // lines that were not written yet
	waits    bool   // someone will write them
	bad      error  // they could not be
	unsynced int
	// precious lines are written immediately: their content was paid for or cannot be obtained again. Others may wait for lateBytes of them or lateAfter.
	precious  bool
	questions int // that were there when it was opened
	outcomes  map[string]int
	sessions  int
	below     int              // all jobs below have ended
	above     map[int]struct{} // and these
	open      map[int]*partial // jobs that an earlier start left halfway
}

// syncEvery is the number of bytes after which the journal is made durable: at most this much is lost when the machine crashes. The death of the process
// takes nothing.
const syncEvery = 16 << 20

const (
	lateBytes = 64 << 10
	lateAfter = 100 * time.Millisecond
)

func journalPath(dir string, unit int) string {
	return filepath.Join(dir, fmt.Sprintf("%04d.log", unit))
}

func openJournal(path string) (*journal, error) {
	j := &journal{path: path, above: map[int]struct{}{}, open: map[int]*partial{}, outcomes: map[string]int{}}
	var err error
	j.log, err = keylog.Open(path, keylog.Options{Loose: true}, func(_ int, line []byte) error {
		h, _, err := parseLine(line)
		if err != nil {
			return err
		}
		j.note(h)
		return nil
	})
	return j, err
}

// note takes a head that was read into the account.
func (j *journal) note(h head) {
	if h.kind == 'e' {
		j.close1(h.job)
		return
	}
	p := j.open[h.job]
	if p == nil {
		p = &partial{map[recordKey]bool{}, map[string]bool{}}
		j.open[h.job] = p
	}
	switch h.kind {
	case 'c':
		p.contexts[h.outcome] = true
		return
	case 'q':
		j.questions++
		j.outcomes[h.outcome]++
	default:
		j.sessions++
	}
	p.keys[h.recordKey] = h.outcome == schema.OutcomeAnswered
}

func (j *journal) close1(job int) {
	delete(j.open, job)
	j.above[job] = struct{}{}
	for {
		if _, ok := j.above[j.below]; !ok {
			return
		}
		delete(j.above, j.below)
		j.below++
	}
}

func (j *journal) ended(job int) bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	_, ok := j.above[job]
	return ok || job < j.below
}

func (j *journal) partial(job int) *partial {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.open[job]
}

func (j *journal) session(job, repeat, i int, rec *schema.SessionRecord) error {
	return put(j, head{recordKey{'s', repeat, i}, job, rec.Outcome}, rec, len(rec.Usage) > 0)
}

func (j *journal) question(job, i int, rec *schema.QARecord) error {
	return put(j, head{recordKey{'q', rec.Repeat, i}, job, rec.Outcome}, rec, len(rec.Usage) > 0)
}

func (j *journal) context(job, i int, c *schema.ShownContext) error {
	return put(j, head{recordKey{'c', c.Repeat, i}, job, c.ID}, c, false)
}

// lines holds buffers for one line each.
var lines = sync.Pool{New: func() any { return new([]byte) }}

func put[T schema.Versioned[T]](j *journal, h head, rec *T, now bool) error {
	buf := lines.Get().(*[]byte)
	defer lines.Put(buf)
	line := append(appendHead(append((*buf)[:0], "12345678 "...), h), '\t')
	line, err := jsonl.Append(line, *rec, schema.Latest)
	if err != nil {
		return fmt.Errorf("a record of job %d cannot be written: %w", h.job, err)
	}
	*buf = line
	return j.put(line, now)
}

// put fills in the sum of a line that leaves room for it, and appends it.
func (j *journal) put(line []byte, now bool) error {
	sum := crc32.Checksum(line[9:len(line)-1], castagnoli)
	hex.Encode(line[:8], binary.BigEndian.AppendUint32(nil, sum))
	line[8] = ' '
	j.mu.Lock()
	defer j.mu.Unlock()
	j.buf = append(j.buf, line...)
	if now || j.precious || len(j.buf) >= lateBytes {
		return j.flush()
	}
	if !j.waits {
		j.waits = true
		time.AfterFunc(lateAfter, func() {
			j.mu.Lock()
			defer j.mu.Unlock()
			j.waits = false
			_ = j.flush() // it stays in j.bad
		})
	}
	return j.bad
}

// flush writes the waiting lines.
func (j *journal) flush() error {
	if j.bad != nil || len(j.buf) == 0 {
		return j.bad
	}
	j.bad = j.log.Put(j.buf)
	if j.unsynced += len(j.buf); j.bad == nil && j.unsynced >= syncEvery {
		j.unsynced = 0
		j.bad = j.log.Sync()
	}
	j.buf = j.buf[:0]
	return j.bad
}

// end notes that nothing more comes of a job.
func (j *journal) end(job int) error {
	line := append(appendHead(make([]byte, 9, 64), head{recordKey{kind: 'e'}, job, "-"}), '\n')
	if err := j.put(line, false); err != nil {
		return err
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	j.close1(job)
	return nil
}

// close writes the waiting lines; with sync the file is durable, too.
func (j *journal) close(sync bool) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	err := j.flush()
	if err == nil && sync {
		err = j.log.Sync()
	}
	return errors.Join(err, j.log.Close())
}

// removeJournals leaves the small files of the folder.
func removeJournals(dir string, units int) error {
	for i := range units {
		if err := os.Remove(journalPath(dir, i)); err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
	}
	return nil
}
