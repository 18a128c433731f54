package chats

import (
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"membench/internal/codec"
	"membench/internal/extsort"
	"membench/schema"
)

// line is a chat line as package annotate reads it.
type line struct {
	Role        string              `json:"role"`
	Content     string              `json:"content"`
	Name        string              `json:"name,omitzero"`
	Timestamp   string              `json:"timestamp,omitzero"`
	ConvID      schema.ConvID       `json:"conv_id"`
	Title       string              `json:"title,omitzero"`
	Quote       string              `json:"quote,omitzero"`
	MessageID   string              `json:"message_id,omitzero"`
	ReplyTo     string              `json:"reply_to,omitzero"`
	Account     string              `json:"account,omitzero"`
	Attachments []schema.Attachment `json:"attachments,omitzero"`
	SourceFile  string              `json:"source_file"`
	SourceLine  int                 `json:"source_line,omitzero"`
}

// Summary counts the lines written.
type Summary struct {
	Messages      int            `json:"messages"`
	Repeated      int            `json:"repeated,omitzero"` // messages that another export gave
	Conversations int            `json:"conversations"`
	Left          map[string]int `json:"left_out,omitzero"` // skipped entries that are not messages, by kind
	// Names are the speakers of role user with the number of their messages, those who
	// speak most first: at most 1,000 are counted.
	Names       []Count           `json:"names,omitzero"`
	Assistants  bool              `json:"assistants,omitzero"` // an assistant takes part
	First, Last string            `json:",omitzero"`           // times of the first and last message
	Undated     int               `json:"undated,omitzero"`
	Faults      int               `json:"faults,omitzero"` // of messages that are kept without what could not be read
	accounts    bool              // one name is one account
	undated     schema.Pos        // the first message without a time
	full        map[string]string // full names by the names of lines
}

// Count is a name and how often it was seen.
type Count struct {
	Name string `json:"name"`
	N    int    `json:"n"`
}

const maxNames = 1000

// Write writes the messages of an export as chat lines. Unreadable parts are reported to o.Report only; an error is a failure of reading or writing.
func (x *Export) Write(ctx context.Context, w io.Writer, o Options) (Summary, error) {
	s := newSet(ctx, []*Export{x}, o)
	defer s.Close()
	if err := s.read(); err != nil {
		return Summary{}, err
	}
	return s.summaries[0], s.lines(func(_ int, raw []byte) error { _, err := w.Write(raw); return err })
}

// sortMemory is how many bytes of lines are held before they go to disk.
const sortMemory = 64 << 20

// A set is the exports that make one project. Lines are sorted by file, conversation (in order of first appearance), time and place. A message without a
// time stays behind the one before it.
type set struct {
	Options
	ctx       context.Context
	exports   []*Export
	strands   map[strandID]*strand
	chats     []*chat
	counters  []*counter
	summaries []Summary
	sorter    *extsort.Sorter
	convs     map[home]uint32
	told      map[uint64]int // how often words were said; nil: not counted
	key       []byte
}

// home is where the lines of a conversation are.
type home struct {
	part int
	id   schema.ConvID
}

func newSet(ctx context.Context, exports []*Export, o Options) *set {
	if o.Report == nil {
		o.Report = func(*schema.Finding) {}
	}
	return &set{Options: o, ctx: ctx, exports: exports, strands: map[strandID]*strand{}, sorter: extsort.New(extsort.Options{Memory: sortMemory}), convs: map[home]uint32{}}
}

// Close removes what was put on disk.
func (s *set) Close() error { return s.sorter.Close() }

// several reports whether messages may be there twice: there is more than one export, or a file beside another.
func (s *set) several() bool {
	units := map[strandID]bool{}
	for part, x := range s.exports {
		for _, f := range x.files {
			units[strandID{part: part, unit: x.Form.unitOf(f.name)}] = true
		}
	}
	return len(units) > 1
}

// unitOf names the part of an export that has no message twice.
func (f Form) unitOf(file string) string {
	if f.unit == nil {
		return file
	}
	return f.unit(file)
}

// each reads the messages of all exports, in order. Names of accounts are the same in exports of one form.
func (s *set) each(o Options, take func(part int, m Message) error) ([]*reader, error) {
	of, ids := map[string]*people{}, map[uint64]uint64{} // what the message of an id is
	var readers []*reader
	for part, x := range s.exports {
		form := x.Form.Name
		if of[form] == nil {
			of[form] = newPeople()
		}
		r := &reader{Options: o, ctx: s.ctx, left: map[string]int{}, first: map[string]schema.Pos{}, minutes: map[schema.ConvID]time.Time{}, people: of[form]}
		r.emit = func(m Message) error {
			m.Role = cmp.Or(m.Role, "user")
			if program, id, ok := splitAccount(m.Account); ok { // of a project's own line
				if of[program] == nil {
					of[program] = newPeople()
				}
				of[program].held[m.Name], of[program].called[id] = id, m.Name
				if at := len(m.Conv) - len("-12345678"); program == mbox.Name && at > 0 && m.Conv[at] == '-' {
					of[program].threads.put(m.ID, string(m.Conv[at+1:]))
					of[program].threads.put(m.ReplyTo, string(m.Conv[at+1:]))
				}
			} else if id := r.people.held[m.Name]; id != "" {
				m.Account = form + ":" + id
			}
			if m.ID != "" && m.raw == nil {
				at := s.idOf(part, m)
				parts := []string{m.Time.String(), m.Role}
				for _, s := range m.fields() {
					parts = append(parts, *s)
				}
				id, is := hashOf(strconv.Itoa(part), at.unit, string(at.conv), m.ID), hashOf(parts...)
				if had := ids[id]; had == is {
					r.twice[0].add(m.Pos)
					return nil
				} else if had != 0 {
					r.twice[1].add(m.Pos)
				}
				ids[id] = is
			}
			return take(part, m)
		}
		if err := x.Form.read(r, x.files); err != nil {
			return nil, inFile(x.Path, err)
		}
		readers = append(readers, r)
	}
	return readers, nil
}

// clock is the time by which messages of a strand are sorted.
type clock map[strandID]int64

func (c clock) at(id strandID, f Form, m Message) int64 {
	if at := m.Time.UnixMilli(); !m.Time.IsZero() && (!f.linked || at > c[id]) {
		c[id] = at
	}
	return c[id]
}

// survey finds the chats that several files have messages of.
func (s *set) survey() error {
	var all []*strand
	times := clock{}
	quiet := s.Options
	quiet.Report = func(*schema.Finding) {} // faults are reported once
	_, err := s.each(quiet, func(part int, m Message) error {
		id := s.idOf(part, m)
		at := s.strands[id]
		if at == nil {
			at = &strand{strandID: id, form: s.exports[part].Form.Name, global: s.exports[part].Form.global}
			s.strands[id] = at
			all = append(all, at)
		}
		at.add(m, times.at(id, s.exports[part].Form, m))
		return nil
	})
	s.chats = chatsOf(all)
	return err
}

func (s *set) idOf(part int, m Message) strandID {
	return strandID{part, s.exports[part].Form.unitOf(m.Pos.File), m.Conv}
}

// read reads the exports into the sorter, and counts.
func (s *set) read() error {
	if s.several() {
		if err := s.survey(); err != nil {
			return err
		}
	}
	for range s.exports {
		s.counters = append(s.counters, &counter{names: map[string]int{}, convs: map[schema.ConvID]bool{}, years: map[int]year{}})
	}
	times, seen := clock{}, map[strandID]*order{}
	readers, err := s.each(s.Options, func(part int, m Message) error {
		id, c := s.idOf(part, m), s.counters[part]
		if s.told != nil {
			s.told[m.words()]++
		}
		if seen[id] == nil {
			seen[id] = &order{}
		}
		seen[id].see(m)
		at, n, to := times.at(id, s.exports[part].Form, m), seen[id].n, part
		if st := s.strands[id]; st != nil {
			m.Conv, to = st.chat.id, st.chat.part
			if st.rank != nil {
				if n = st.rank[n-1]; n == 0 {
					c.s.Repeated++
					return nil
				}
			}
		}
		return c.take(m, func(raw []byte) error { return s.put(home{to, m.Conv}, at, n, m, raw) })
	})
	if err != nil {
		return err
	}
	for part, r := range readers {
		s.summaries = append(s.summaries, s.counters[part].summary(r))
		s.report(part, r, seen)
	}
	s.chatFindings()
	return nil
}

// put adds a line to the sorter.
func (s *set) put(h home, at int64, place int, m Message, raw []byte) error {
	n, ok := s.convs[h]
	if !ok {
		n = uint32(len(s.convs))
		s.convs[h] = n
	}
	s.key = binary.BigEndian.AppendUint32(s.key[:0], uint32(h.part))
	s.key = binary.BigEndian.AppendUint32(s.key, n)
	if at == 0 {
		s.key = binary.BigEndian.AppendUint64(s.key, 0)
	} else {
		s.key = binary.BigEndian.AppendUint64(s.key, uint64(at)^1<<63) // signed order as unsigned
	}
	s.key = binary.BigEndian.AppendUint64(s.key, uint64(place))
	reply := m.ReplyTo
	if m.Quote != "" || m.raw != nil { // the line is as it should be
		reply = ""
	}
	for _, id := range []string{m.ID, reply} {
		s.key = append(binary.AppendUvarint(s.key, uint64(len(id))), id...)
	}
	return s.sorter.Add(append(s.key, raw...))
}

// In the sorter a line has before it its file and conversation (chatSize bytes), its time and place (with them keySize), and two texts with their
// lengths: its id, and that of the message whose words it quotes, where it does not have them.
const (
	chatSize = 4 + 4
	keySize  = chatSize + 8 + 8
)

// field splits a text off that has its length before it.
func field(rec []byte) (string, []byte) {
	n, size := binary.Uvarint(rec)
	return string(rec[size : size+int(n)]), rec[size+int(n):]
}

// lines hands every line to out, with the number of the export whose file it belongs to.
func (s *set) lines(out func(part int, raw []byte) error) error {
	said, chat := newQuotes(), ""
	for rec, err := range s.sorter.Sorted() {
		if err != nil {
			return err
		}
		if string(rec[:chatSize]) != chat {
			said, chat = newQuotes(), string(rec[:chatSize])
		}
		id, raw := field(rec[keySize:])
		reply, raw := field(raw)
		if words := said.get(reply); reply != "" && words != "" {
			if raw, err = quoting(raw, words); err != nil {
				return err
			}
		}
		if id != "" {
			var words string
			if v := codec.Member(raw, "content"); v != nil {
				words = codec.Unquote(v)
			}
			said.put(id, words)
		}
		if err := out(int(binary.BigEndian.Uint32(rec)), raw); err != nil {
			return err
		}
	}
	return nil
}

// quoting is a line with the words that it replies to.
func quoting(raw []byte, words string) ([]byte, error) {
	var l line
	if err := codec.Unmarshal(raw, &l); err != nil {
		return nil, err
	}
	l.Quote = words
	out, err := codec.Append(nil, l, codec.Compact)
	return append(out, '\n'), err
}

// An order is what the times of a strand's messages show.
type order struct {
	n, late, forward int // messages, how many must move to be in the order of time, and steps to a later time
	last             int64
	first            schema.Pos // of the first message that is earlier than the one before
	ends             []int64    // of runs in the order of time, the smallest for each length
}

func (o *order) see(m Message) {
	if o.n++; m.Time.IsZero() {
		return
	}
	at := m.Time.UnixMilli()
	if i, _ := slices.BinarySearch(o.ends, at+1); i == len(o.ends) {
		o.ends = append(o.ends, at)
	} else if o.ends[i], o.late = at, o.late+1; o.late == 1 {
		o.first = m.Pos
	}
	if at > o.last && len(o.ends)+o.late > 1 {
		o.forward++
	}
	o.last = at
}

// report reports what is seen of an export when all of it is read.
func (s *set) report(part int, r *reader, seen map[strandID]*order) {
	x := s.exports[part]
	for _, f := range x.files {
		f.guessed(s.Options)
	}
	for _, what := range slices.Sorted(maps.Keys(r.left)) {
		s.Report(&schema.Finding{Pos: r.first[what], Code: codeLeft, Warning: true, Message: fmt.Sprintf("skipped %d: %s", r.left[what], what)})
	}
	for i, what := range []string{"messages that the export has more than once, by their ids, taken once: %d", "messages with the id of another one, but other content; both are kept: %d"} {
		if t := r.twice[i]; t.n > 0 {
			s.Report(&schema.Finding{Pos: t.first, Code: codeTwice, Warning: true, Message: fmt.Sprintf(what, t.n)})
		}
	}
	late, first := 0, schema.Pos{}
	for id, o := range seen {
		if id.part == part && o.late > 0 && o.forward > 0 && !x.Form.linked && !x.Form.arrived { // the newest first is an order, too
			if late += o.late; first.File == "" || cmp.Or(cmp.Compare(o.first.File, first.File), o.first.Line-first.Line) < 0 {
				first = o.first
			}
		}
	}
	if late > 0 {
		s.Report(&schema.Finding{Pos: first, Code: codeOrder, Warning: true, Message: fmt.Sprintf("messages that are not in the order of time: %d; each conversation was sorted by time", late),
			Hint: "check the dates there; where clocks were put back, --zone NAME orders the hour that comes twice"})
	}
	if f := unlikely(s.counters[part].years); f != nil {
		s.Report(f)
	}
}

// A year has messages, of which the first is at a place.
type year struct {
	n     int
	first schema.Pos
}

// maxYears is how many years without a message are no finding.
const maxYears = 5

// unlikely is a finding where the years of messages show that a column or a date is not a time.
func unlikely(years map[int]year) *schema.Finding {
	f := &schema.Finding{Code: codeUnlikely, Warning: true, Hint: "check which part of the export was read as the time: --map time=COLUMN, --dates"}
	in := slices.Sorted(maps.Keys(years))
	if len(in) == 1 && in[0] == 1970 {
		f.Pos = years[1970].first
		f.Message, f.Have = "all times are of 1970: numbers that are no times look like this", fmt.Sprintf("%d messages", years[1970].n)
		return f
	}
	before, all := 0, 0
	for _, y := range years {
		all += y.n
	}
	for i, y := range in {
		if i > 0 && y-in[i-1] > maxYears {
			if f.Pos = years[y].first; before*2 < all {
				f.Pos = years[in[i-1]].first
			}
			f.Message = fmt.Sprintf("times are far from each other: no message between %d and %d", in[i-1], y)
			f.Have = fmt.Sprintf("%d messages until %d", before, in[i-1])
			return f
		}
		before += years[y].n
	}
	return nil
}

// chatFindings reports what several files have of one chat, and chats of one name.
func (s *set) chatFindings() {
	type overlap struct {
		id                   schema.ConvID
		convs, twice, edited int
	}
	shared := map[[2]string]*overlap{} // by two files
	var pairs [][2]string
	for _, c := range s.chats {
		if len(c.strands) > 1 {
			var files [2]string
			twice := 0
			for i, x := range c.strands {
				for _, n := range x.rank {
					if n == 0 {
						twice++
					}
				}
				if i < 2 {
					files[i] = cmp.Or(x.unit, s.exports[x.part].Path)
				}
			}
			if o := shared[files]; twice > 0 && o == nil {
				pairs = append(pairs, files)
				shared[files] = &overlap{c.id, 1, twice, c.edited}
			} else if twice > 0 {
				o.convs, o.twice, o.edited = o.convs+1, o.twice+twice, o.edited+c.edited
			}
		}
		if x := c.strands[0]; x.conv != c.id {
			s.Report(&schema.Finding{Pos: schema.Pos{File: cmp.Or(x.unit, s.exports[x.part].Path)}, Code: codeNamesake, Warning: true,
				Message: fmt.Sprintf("another chat is named %s, too, and has other messages of the same time; this one is %s", x.conv, c.id),
				Hint:    "if they are one chat, read both with the same --zone, --dates and --map"})
		}
	}
	for _, files := range pairs {
		o := shared[files]
		in := "conversation " + string(o.id)
		if o.convs > 1 {
			in = fmt.Sprintf("%d conversations", o.convs)
		}
		f := &schema.Finding{Pos: schema.Pos{File: files[1]}, Code: codeTwice, Warning: true, Message: fmt.Sprintf("messages of %s that other files have, too, taken once: %d", in, o.twice), Have: "also in " + files[0]}
		if o.edited > 0 {
			f.Message += fmt.Sprintf("; with another text, of which the later export's was taken: %d", o.edited)
		}
		s.Report(f)
	}
}

// counter makes lines of an export's messages and counts them. It holds one entry a conversation.
type counter struct {
	s           Summary
	names       map[string]int
	convs       map[schema.ConvID]bool
	years       map[int]year
	first, last time.Time
	buf         []byte
}

func (c *counter) take(m Message, out func([]byte) error) error {
	l := line{Role: m.Role, Content: m.Text, Name: m.Name, ConvID: m.Conv, Title: m.Title, Quote: m.Quote, MessageID: m.ID, ReplyTo: m.ReplyTo, Account: m.Account, Attachments: m.Attachments,
		SourceFile: strings.ToValidUTF8(m.Pos.File, "\uFFFD"), SourceLine: m.Pos.Line}
	if m.Time.IsZero() {
		if c.s.Undated++; c.s.Undated == 1 {
			c.s.undated = m.Pos
		}
	} else {
		l.Timestamp = m.Time.Format(time.RFC3339)
		y := c.years[m.Time.Year()]
		c.years[m.Time.Year()] = year{y.n + 1, cmp.Or(y.first, m.Pos)}
		if c.first.IsZero() || m.Time.Before(c.first) {
			c.first = m.Time
		}
		if m.Time.After(c.last) {
			c.last = m.Time
		}
	}
	c.s.Messages++
	c.convs[m.Conv] = true
	switch {
	case m.Role == "assistant":
		c.s.Assistants = true
	case m.Role == "user" && m.Name != "" && (c.names[m.Name] > 0 || len(c.names) < maxNames):
		c.names[m.Name]++
	}
	if m.raw != nil {
		return out(append(m.raw, '\n'))
	}
	raw, err := codec.Append(c.buf[:0], l, codec.Compact)
	if err != nil {
		return fmt.Errorf("%s: %w", m.Pos, err)
	}
	c.buf = append(raw, '\n')
	return out(c.buf)
}

func (c *counter) summary(r *reader) Summary {
	s := c.s
	s.Faults, s.Conversations = r.flaws, len(c.convs)
	s.Repeated += r.twice[0].n
	s.full = r.people.others()
	s.accounts = len(r.people.held) > 0 && !r.nameless
	if len(r.left) > 0 {
		s.Left = r.left
	}
	for name, n := range c.names {
		s.Names = append(s.Names, Count{name, n})
	}
	slices.SortFunc(s.Names, func(a, b Count) int { return cmp.Or(b.N-a.N, cmp.Compare(a.Name, b.Name)) })
	if !c.first.IsZero() {
		s.First, s.Last = c.first.Format(time.RFC3339), c.last.Format(time.RFC3339)
	}
	return s
}
