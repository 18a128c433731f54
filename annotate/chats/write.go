package chats

import (
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"maps"
	"slices"
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
	Attachments []schema.Attachment `json:"attachments,omitzero"`
	SourceFile  string              `json:"source_file"`
	SourceLine  int                 `json:"source_line,omitzero"`
}

// Summary counts the lines written.
type Summary struct {
	Messages      int            `json:"messages"`
	Conversations int            `json:"conversations"`
	Left          map[string]int `json:"left_out,omitzero"` // skipped entries that are not messages, by kind
	// Names are the speakers of role user with the number of their messages, those who
	// speak most first: at most 1,000 are counted.
	Names       []Count `json:"names,omitzero"`
	Assistants  bool    `json:"assistants,omitzero"` // an assistant takes part
	First, Last string  `json:",omitzero"`           // times of the first and last message
	Undated     int     `json:"undated,omitzero"`
	Faults      int     `json:"faults,omitzero"` // of messages that are kept without what could not be read
	accounts    bool    // one name is one account
}

// Count is a name and how often it was seen.
type Count struct {
	Name string `json:"name"`
	N    int    `json:"n"`
}

const maxNames = 1000

// Write writes the messages of an export as chat lines. Unreadable parts are reported to o.Report only; an error is a failure of reading or writing.
func (x *Export) Write(ctx context.Context, w io.Writer, o Options) (Summary, error) {
	if o.Report == nil {
		o.Report = func(*schema.Finding) {}
	}
	c := &counter{names: map[string]int{}, convs: map[schema.ConvID]uint32{}}
	r := &reader{Options: o, ctx: ctx, left: map[string]int{}, held: map[string]string{}}
	out := func(raw []byte) error { _, err := w.Write(raw); return err }
	var err error
	if x.Form.sorted {
		r.emit = func(m Message) error { return c.take(m, out) }
		err = x.Form.read(r, x.files)
	} else {
		err = x.inOrder(r, c, out)
	}
	if err != nil {
		return Summary{}, err
	}
	for _, f := range x.files {
		f.guessed(o)
	}
	for _, what := range slices.Sorted(maps.Keys(r.left)) {
		o.Report(&schema.Finding{Pos: schema.Pos{File: x.Path}, Code: codeLeft, Warning: true, Message: fmt.Sprintf("skipped %d: %s", r.left[what], what)})
	}
	s := c.summary()
	s.Faults = r.flaws
	s.accounts = len(r.held) > 0 && !r.nameless
	if len(r.left) > 0 {
		s.Left = r.left
	}
	return s, nil
}

// sortMemory is how many bytes of lines are held before they go to disk.
const sortMemory = 64 << 20

// inOrder sorts by conversation (in order of first appearance), time and place. A message
// without a time stays behind the one before it.
func (x *Export) inOrder(r *reader, c *counter, out func([]byte) error) error {
	sorter := extsort.New(extsort.Options{Memory: sortMemory})
	defer sorter.Close()
	var n uint64
	last := map[schema.ConvID]uint64{}
	var key []byte
	r.emit = func(m Message) error {
		return c.take(m, func(raw []byte) error {
			n++
			at := last[m.Conv]
			if !m.Time.IsZero() {
				at = uint64(m.Time.UnixMilli()) ^ 1<<63 // signed order as unsigned
				last[m.Conv] = at
			}
			key = binary.BigEndian.AppendUint32(key[:0], c.convs[m.Conv])
			key = binary.BigEndian.AppendUint64(key, at)
			key = binary.BigEndian.AppendUint64(key, n)
			return sorter.Add(append(key, raw...))
		})
	}
	if err := x.Form.read(r, x.files); err != nil {
		return err
	}
	for rec, err := range sorter.Sorted() {
		if err != nil {
			return err
		}
		if err := out(rec[20:]); err != nil {
			return err
		}
	}
	return nil
}

// counter makes lines of messages and counts them. It holds one entry a conversation.
type counter struct {
	s           Summary
	names       map[string]int
	convs       map[schema.ConvID]uint32
	first, last time.Time
	buf         []byte
}

func (c *counter) take(m Message, out func([]byte) error) error {
	m.Role = cmp.Or(m.Role, "user")
	l := line{Role: m.Role, Content: m.Text, Name: m.Name, ConvID: m.Conv, Title: m.Title, Quote: m.Quote, Attachments: m.Attachments,
		SourceFile: m.Pos.File, SourceLine: m.Pos.Line}
	if m.Time.IsZero() {
		c.s.Undated++
	} else {
		l.Timestamp = m.Time.Format(time.RFC3339)
		if c.first.IsZero() || m.Time.Before(c.first) {
			c.first = m.Time
		}
		if m.Time.After(c.last) {
			c.last = m.Time
		}
	}
	c.s.Messages++
	if _, ok := c.convs[m.Conv]; !ok {
		c.convs[m.Conv] = uint32(len(c.convs))
	}
	switch {
	case m.Role == "assistant":
		c.s.Assistants = true
	case m.Role == "user" && m.Name != "" && (c.names[m.Name] > 0 || len(c.names) < maxNames):
		c.names[m.Name]++
	}
	raw, err := codec.Append(c.buf[:0], l, codec.Compact)
	if err != nil {
		return fmt.Errorf("%s: %w", m.Pos, err)
	}
	c.buf = append(raw, '\n')
	return out(c.buf)
}

func (c *counter) summary() Summary {
	s := c.s
	s.Conversations = len(c.convs)
	for name, n := range c.names {
		s.Names = append(s.Names, Count{name, n})
	}
	slices.SortFunc(s.Names, func(a, b Count) int { return cmp.Or(b.N-a.N, cmp.Compare(a.Name, b.Name)) })
	if !c.first.IsZero() {
		s.First, s.Last = c.first.Format(time.RFC3339), c.last.Format(time.RFC3339)
	}
	return s
}
