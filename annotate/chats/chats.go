// Package chats reads the exports of chat programs and writes them as chat lines, the form that package annotate reads.
//
//	export (file, zip or folder) ── Find ──▶ Export (form, files) ── Init ──▶ chat lines (JSON Lines)
//
// A line keeps speaker, time, attachments, quotation, and the file and line of the export that it was read from (source_file, source_line). Lines of one
// conversation are sorted by time; conversations are in the order of first appearance. Entries that are not messages (someone joined, a call, a deleted
// message) are counted in a warning; an unreadable message is a finding. Codes: CHT. What several files have of one chat is taken once.
//
// Exports are read as streams: memory holds one message of a file, or one conversation if the export is a list of conversations. Lines are sorted on disk.
// Several files are read twice; memory then holds 32 bytes of each message. Of messages with an id it holds about 40 bytes.
package chats

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"membench/internal/pattern"
	"membench/internal/textnorm"
	"membench/schema"
	"membench/schema/jsonl"

	"golang.org/x/text/encoding/htmlindex"
)

// A Message is one message of an export.
type Message struct {
	Conv        schema.ConvID       // in one export the same for all messages of a conversation
	Title       string              // of the conversation, where it has one
	Role        string              // user, assistant, system or tool; empty means user
	Name        string              // who spoke
	Time        time.Time           // zero where the export does not say
	Text        string              // as written, without quotations
	Quote       string              // text that it replies to or quotes
	Attachments []schema.Attachment // attachments
	ID          string              // of the message in its conversation; "": the export does not say
	ReplyTo     string              // the ID of the message that it replies to
	Account     string              // form:id of who spoke, where a name is an account
	Pos         schema.Pos          // where it is in the export

	written string // the time as the export has it, where that may lack seconds
	raw     []byte // a line of the project, which stays as it is
}

// fields are the texts of a message.
func (m *Message) fields() []*string {
	out := []*string{&m.Title, &m.Name, &m.Text, &m.Quote, &m.ID, &m.ReplyTo}
	for i := range m.Attachments {
		a := &m.Attachments[i]
		out = append(out, &a.ID, &a.Type, &a.Name, &a.URL, &a.Path, &a.Text)
	}
	return out
}

// A Form is one program's way of exporting.
type Form struct {
	Name     string // as --form takes it
	Doc      string // where people get such a file
	linked   bool   // the export's order is that of the conversation, whatever the times say
	personal bool   // an unnamed user is the owner of the account
	global   bool   // a conversation has the same id in all exports
	arrived  bool   // the export's order is that of arrival, not of the times
	// unit names the part of an export that has no message twice, by a file of it; nil: the file.
	unit func(file string) string
	// match gives the files of an export that hold messages; none: it is not this form.
	match func(files []*file) []*file
	read  func(r *reader, files []*file) error
}

// each matches the files of a form that are recognised one by one.
func each(match func(*file) bool) func([]*file) []*file {
	return func(files []*file) []*file {
		return slices.DeleteFunc(slices.Clone(files), func(f *file) bool { return !match(f) })
	}
}

// every reads the files of a form that are read one by one.
func every(read func(*reader, *file) error) func(*reader, []*file) error {
	return func(r *reader, files []*file) error {
		for _, f := range files {
			if err := read(r, f); err != nil {
				return err
			}
		}
		return nil
	}
}

// Forms lists the supported forms, in the order in which an export is compared with them.
func Forms() []Form {
	return []Form{chatGPT, claude, gemini, telegram, discord, slack, transcript, whatsApp, mbox, plain, table}
}

// Options of reading.
type Options struct {
	Form  string            // "": detected from names and content
	Map   map[string]string // columns of a table
	Dates string            // order of the parts in dates such as 3/4/26: dmy, mdy or "" (detected from the file)
	Zone  *time.Location    // of times that name none; nil: UTC
	// Encoding is the encoding of files, and of parts of mails that name none, that are not UTF-8, by its name on the web; "": detected.
	Encoding string
	// Report receives every finding.
	Report func(*schema.Finding)
}

// An Export is the export found at one path.
type Export struct {
	Form  Form
	Path  string
	files []*file
}

// Find detects the form of path: a file, a zip or a folder. It fails with a *schema.Finding if it matches none of the forms.
func Find(path string, o Options) (*Export, error) {
	if o.Report == nil {
		o.Report = func(*schema.Finding) {}
	}
	if _, err := htmlindex.Get(o.Encoding); o.Encoding != "" && err != nil {
		return nil, &schema.UsageError{Err: fmt.Errorf("--encoding: found %q, expected a name such as gb18030, windows-1252, shift_jis or big5", o.Encoding)}
	}
	files, err := expand(path, o.Encoding)
	if err != nil {
		return nil, err
	}
	for _, f := range Forms() {
		if o.Form != "" && o.Form != f.Name || o.Form == "" && len(o.Map) > 0 && f.Name != table.Name {
			continue
		}
		own := f.match(files)
		if f.Name == table.Name && o.Form == "" && len(o.Map) == 0 {
			own = slices.DeleteFunc(own, func(f *file) bool { return !usual(f) })
		}
		if len(own) > 0 {
			x := &Export{Form: f, Path: path, files: own}
			if o.Form == "" && len(o.Map) == 0 {
				x.others(files, o)
			}
			return x, nil
		}
	}
	if o.Form != "" && !slices.ContainsFunc(Forms(), func(f Form) bool { return f.Name == o.Form }) {
		return nil, &schema.UsageError{Err: fmt.Errorf("--form: found %q, expected one of %s", o.Form, strings.Join(names(), ", "))}
	}
	return nil, unknown(path, files, o)
}

// others reports the files of an export that look like exports of another form: they may be the same messages once more, so they are read only where they are named.
func (x *Export) others(files []*file, o Options) {
	rest := slices.DeleteFunc(slices.Clone(files), func(f *file) bool { return slices.Contains(x.files, f) })
	for _, f := range Forms() {
		if f.Name == x.Form.Name || f.Name == plain.Name || len(rest) == 0 {
			continue
		}
		for _, other := range f.match(rest) {
			if f.Name == table.Name && !usual(other) {
				continue
			}
			o.Report(&schema.Finding{Pos: schema.Pos{File: other.name}, Code: codeOthers, Warning: true, Message: "the file was not read: it looks like an export of " + f.Name + ", and the others here are of " + x.Form.Name,
				Hint: "if it holds other messages, name it: membench init takes several files and folders"})
		}
	}
}

func names() []string {
	var out []string
	for _, f := range Forms() {
		out = append(out, f.Name)
	}
	return out
}

// unknown returns a finding that says what was expected, what was found, and how to read such a file.
func unknown(path string, files []*file, o Options) *schema.Finding {
	f := &schema.Finding{Pos: schema.Pos{File: path}, Code: codeForm, Message: "not a known chat export",
		Want: "an export of " + strings.Join(names(), ", ")}
	if o.Form != "" {
		f.Message, f.Want = "not an export of "+o.Form, "what that program exports"
	}
	f.Have = "nothing that can be read"
	for _, x := range files {
		if head := x.text(); head != "" {
			f.Pos.File, f.Have = x.name, textnorm.OneLine(head, 80)
			f.Hint = suggest(x)
			x.guessed(o)
			break
		}
	}
	f.Hint = cmp.Or(f.Hint, "write it as a CSV file with a header, and name its columns: --map sender=COLUMN,text=COLUMN,time=COLUMN")
	return f
}

// Codes of findings, described in schema.Codes.
const (
	codeForm    = "CHT001" // not a known export
	codeMessage = "CHT002" // a message cannot be read
	codeLeft    = "CHT003" // skipped entries that are not messages, with their number
	codeDates   = "CHT004" // dates that can be read in two ways
	codeOnce    = "CHT005" // names that start one line only
	codeCharset = "CHT006" // not UTF-8, read in another encoding
	codeOthers  = "CHT007" // files of another form beside those that are read

	codeTwice    = "CHT008" // messages that several files have
	codeNamesake = "CHT009" // two chats of one name
	codeOrder    = "CHT010" // messages that are not in the order of time
	codeUnlikely = "CHT011" // times that are hardly times
	codeReplaced = "CHT012" // messages of a replaced project that are in no export
	codeUndated  = "CHT013" // messages without a time
	codeGuessed  = "CHT014" // the time of a table was found by its values
)

// A reader reads one export.
type reader struct {
	Options
	ctx     context.Context
	emit    func(Message) error
	left    map[string]int              // number of skipped entries by kind
	first   map[string]schema.Pos       // where the first of a kind is
	minutes map[schema.ConvID]time.Time // the last time that was written without seconds
	flaws   int                         // of messages that are kept
	twice   [2]repeats                  // messages whose id another one has: equal, and other ones

	people   *people
	nameless bool // a speaker's account is not known
}

// repeats is how many messages there are, and where the first is.
type repeats struct {
	n     int
	first schema.Pos
}

func (t *repeats) add(pos schema.Pos) {
	if t.n++; t.n == 1 {
		t.first = pos
	}
}

// people are the accounts of exports of one form.
type people struct {
	held   map[string]string // the account that has a name
	called map[string]string // the name of an account
	full   map[string]string // the full name of who is shown by another

	threads *quotes // of mails, by id
}

func newPeople() *people {
	return &people{map[string]string{}, map[string]string{}, map[string]string{}, newQuotes()}
}

// others are the full names that are those of one person only, by the names that are shown.
func (p *people) others() map[string]string {
	n := map[string]int{}
	for _, full := range p.full {
		n[full]++
	}
	out := map[string]string{}
	for name, full := range p.full {
		if n[full] == 1 && p.held[full] == "" {
			out[name] = full
		}
	}
	return out
}

// account is the name of an account of one person: the first that it is seen with, also where a later export has another.
func (r *reader) account(id, name string) string {
	if n := r.people.called[id]; n != "" {
		return n
	}
	name = r.person(id, name)
	if id != "" {
		r.people.called[id] = name
	}
	return name
}

// person is the name of an account in all conversations: two accounts of one name are two
// people, and the second one's has its id behind it.
func (r *reader) person(id, name string) string {
	if id == "" {
		r.nameless = true
		return name
	}
	for r.people.held[name] != "" && r.people.held[name] != id {
		name += " (" + id + ")"
	}
	r.people.held[name] = id
	return name
}

// quiet is for reading a file before its messages are read: faults are reported then.
func (r *reader) quiet() *reader {
	return &reader{Options: Options{Map: r.Map, Zone: r.Zone, Encoding: r.Encoding, Report: func(*schema.Finding) {}}, ctx: r.ctx, left: map[string]int{}, first: map[string]schema.Pos{}, minutes: map[schema.ConvID]time.Time{}}
}

func (r *reader) zone() *time.Location { return cmp.Or(r.Zone, time.UTC) }

func (r *reader) add(m Message) error {
	if err := r.ctx.Err(); err != nil {
		return err
	}
	bad := false
	for _, s := range m.fields() {
		bad = bad || !utf8.ValidString(*s)
		*s = strings.ToValidUTF8(*s, "\uFFFD")
	}
	if bad {
		r.flaw(m.Pos, notUTF8, "", "UTF-8, or another encoding named by --encoding")
	}
	if m.Text = strings.TrimFunc(m.Text, unicode.IsSpace); !m.Time.IsZero() && minuteOnly.MatchString(m.written) {
		if last := r.minutes[m.Conv]; last.Truncate(time.Minute).Equal(m.Time) { // several of one minute are in the order of the export
			m.Time = m.Time.Add(time.Duration(min(last.Second()+1, 59)) * time.Second)
		}
		r.minutes[m.Conv] = m.Time
	}
	if m.Text == "" && len(m.Attachments) == 0 {
		r.leave(m.Pos, "messages without text")
		return nil
	}
	return r.emit(m)
}

// minuteOnly matches a time of day without seconds, in a date and time.
var minuteOnly = pattern.New(`(?:^|[^\d:.+-])\d{1,2}[:.]\d{2}(?:$|[^:.\d])`)

const notUTF8 = "text is not UTF-8; what cannot be read is shown as U+FFFD"

// leave counts something that is not a message, and keeps the place of the first.
func (r *reader) leave(pos schema.Pos, what string) {
	if r.left[what]++; r.left[what] == 1 {
		r.first[what] = pos
	}
}

// flaw reports what cannot be read of a message that is kept without it.
func (r *reader) flaw(pos schema.Pos, message, have, want string) {
	r.flaws++
	r.fault(pos, message, have, want)
}

// fault reports a message, or a part of the export, that cannot be read and is skipped.
func (r *reader) fault(pos schema.Pos, message, have, want string) {
	r.Report(&schema.Finding{Pos: pos, Code: codeMessage, Message: message, Have: have, Want: want})
}

// convID makes a conversation id from a title and the parts that make it unique in its export.
func convID(parts ...string) schema.ConvID {
	var b strings.Builder
	for _, p := range parts {
		dash := b.Len() > 0
		for _, c := range strings.ToLower(p) {
			if !unicode.IsLetter(c) && !unicode.IsDigit(c) {
				dash = true
				continue
			}
			if dash && b.Len() > 0 {
				b.WriteByte('-')
			}
			dash = false
			b.WriteRune(c)
			if b.Len() > 80 {
				break
			}
		}
	}
	if b.Len() == 0 {
		return "chat"
	}
	return schema.ConvID(b.String())
}

// values is the files as the readers of JSON take them.
func values(files []*file) []jsonl.File {
	var out []jsonl.File
	for _, f := range files {
		out = append(out, jsonl.File{Name: f.name, Open: f.open})
	}
	return out
}
