package chats

import (
	"bufio"
	"cmp"
	"io"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"membench/annotate"
	"membench/internal/pattern"
	"membench/internal/textnorm"
	"membench/schema"
)

// maxLine is the longest line of a text export in bytes; longer lines are cut with a finding.
const maxLine = 1 << 20

// rawLines hands every line of a file to take, with its end. Of a line beyond maxLine the
// start is given, with a finding.
func (r *reader) rawLines(f *file, take func(l []byte, pos schema.Pos) error) error {
	in, err := f.open()
	if err != nil {
		return err
	}
	defer in.Close()
	br := bufio.NewReaderSize(in, maxLine)
	for n := 1; ; n++ {
		l, err := br.ReadSlice('\n')
		pos := schema.Pos{File: f.name, Line: n}
		if err != nil && err != io.EOF && err != bufio.ErrBufferFull {
			return err
		}
		if err == bufio.ErrBufferFull {
			r.flaw(pos, "a line is too long; its end was cut", "", "at most 1 MiB")
		}
		if len(l) > 0 {
			if err := take(l, pos); err != nil {
				return err
			}
		}
		for err == bufio.ErrBufferFull {
			_, err = br.ReadSlice('\n')
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// textLines is rawLines of text, without line ends.
func (r *reader) textLines(f *file, take func(text string, pos schema.Pos) error) error {
	return r.rawLines(f, func(l []byte, pos schema.Pos) error {
		text := strings.TrimRight(string(l), "\r\n")
		if !utf8.ValidString(text) {
			r.flaw(pos, notUTF8, "", "UTF-8, or UTF-16 with a byte order mark")
			text = strings.ToValidUTF8(text, "\uFFFD")
		}
		return take(text, pos)
	})
}

// A pending message may continue in the next line.
type pending struct {
	m     *Message
	lines []string
}

func (p *pending) start(m Message) {
	p.m, p.lines = &m, append(p.lines[:0], m.Text)
}

// end hands the message on, if there is one.
func (p *pending) end(add func(Message) error) error {
	if p.m == nil {
		return nil
	}
	m := *p.m
	p.m = nil
	m.Text = strings.Join(p.lines, "\n")
	return add(m)
}

// more adds a line to the message; before the first message it is skipped.
func (p *pending) more(r *reader, text string, pos schema.Pos) {
	switch {
	case p.m != nil:
		p.lines = append(p.lines, text)
	case strings.TrimSpace(text) != "":
		r.leave(pos, "lines before the first message")
	}
}

// whatsApp reads the text exports of WhatsApp, in the forms of its phones and languages: a date and time, in brackets or followed by " - ", a name, a colon,
// and a text of one or more lines.
var whatsApp = Form{
	Name: "whatsapp", Doc: "WhatsApp: a chat's menu, Export chat (text or zip)",
	match: each(func(f *file) bool {
		good, all := 0, 0
		for l := range strings.Lines(f.text()) {
			if strings.TrimSpace(l) == "" {
				continue
			}
			if all++; stamped(l) != nil {
				good++
			}
		}
		return good >= 2 && good*4 >= all || good > 0 && good == all
	}),
	read: every((*reader).whatsApp),
}

var (
	stampLine = pattern.New(`^[\x{200e}\x{200f}\x{feff}]*(?:\[([^\]]{6,40})\] |(\d{1,4}[\x{200e}\x{200f}]*[./年-].{5,34}?) [-–] |(\d{4}년 .{5,34}?:\d{2})(?:, |$))(.*)$`)
	stampForm = pattern.New(`^(\d{1,4})\s?[./年년-]\s?(\d{1,2})\s?[./月월-]\s?(\d{1,4})[日일.]?,?\s+(上午|下午|凌晨|清晨|早上|早晨|中午|傍晚|晚上|半夜|午夜|午前|午後|오전|오후)?\s?(\d{1,2})[:.](\d{2})(?:[:.](\d{2}))?\s?([AaPp]\.?\s?[Mm]\.?|上午|下午|ص|م)?$`)
	invisible = pattern.New(`[\x{200e}\x{200f}\x{202a}-\x{202e}\x{2066}-\x{2069}\x{feff}]`)
	// A file that came with a message: named in brackets behind a caption, or before one as
	// the program names files.
	fileMark  = pattern.New(`\s*\x{200e}?<[^<>:：\n]{2,20}[:：] ?([^<>\n]+\.\w{1,5})>$`)
	fileNamed = pattern.New(`^\x{200e}?((?:IMG|VID|AUD|PTT|DOC|STK)-\d{8}-WA\d+\.\w+|[\w .()-]+\.\w{2,5}) \([^()\n]{3,40}\)`)
	omitted   = pattern.New(`^<[^<>\n]{3,50}>$`)
	editedEnd = pattern.New(`\s*(?:\x{200e}<[^<>\n]+>|<[^<>\n]*(?:edited|编辑|編輯|bearbeitet|edit[óoée])[^<>\n]*>)$`)
	// The phone starts its own words with a left-to-right mark; if they replace an omitted file, they are short and contain the word for "omitted". A mark
	// inside starts a detail: the length of a call, the effect of a tap.
	byPhone   = pattern.New(`^(?:([^\x{200e}\n]+) • .*)?\x{200e}([^\n]{2,400})$`)
	leftOut   = pattern.New(`(?i)(?:omitted|weggelassen|ausgelassen|omitid[oa]s?|omess[oai]|absente?s?|weggelaten|ocult[oa]s?|忽略|省略|略過)\W*$|^(?:已?忽略|已?省略|已?略過)`)
	sentence  = pattern.New(`[.。!！]\s*$`)
	elsewhere = pattern.New(`https?://|:$`)
	// deleted matches the text in place of a message that was deleted or can be viewed only once.
	deleted = pattern.New(`^(?:null|(?:You received a view once message|Waiting for this message)\..*|(?:This message was deleted|You deleted this message|` +
		`(?:此|这条|該|该|這則)(?:消息|訊息|讯息)已被?[删刪]除|[您你]已?[删刪]除了?(?:此|这条|該|该|這則)(?:消息|訊息|讯息)|` +
		`Diese Nachricht wurde gelöscht|Du hast diese Nachricht gelöscht|Se eliminó este mensaje|Eliminaste este mensaje|Mensagem apagada|Você apagou esta mensagem|` +
		`Ce message a été supprimé|Vous avez supprimé ce message|Questo messaggio è stato eliminato|Hai eliminato questo messaggio)[.。]?)$`)
	unsaved = pattern.New(`^~[\s\x{a0}\x{202f}]*`) // before the name of someone who is not a contact
)

// stamp is the numbers of a date and time, in their order.
type stamp struct {
	date     [3]int
	wide     [3]bool // four digits
	h, m, s  int
	half     string // before or after noon, as written
	rest     string
	original string
}

func stamped(l string) *stamp {
	l = strings.TrimRight(l, "\r\n")
	p := stampLine.FindStringSubmatch(decimal(l))
	if p == nil {
		return nil
	}
	s := numbersOf(p[1] + p[2] + p[3])
	if s != nil {
		all := []rune(l) // what was said stays as it was written
		s.rest, s.original = string(all[len(all)-utf8.RuneCountInString(p[4]):]), p[1]+p[2]+p[3]
	}
	return s
}

// decimal writes the digits and the comma of other scripts as those of ASCII, a character for each.
func decimal(s string) string {
	return strings.Map(func(c rune) rune {
		switch {
		case c < utf8.RuneSelf:
		case c == '،':
			return ','
		case unicode.IsDigit(c):
			for _, in := range unicode.Nd.R16 {
				if d := c - rune(in.Lo); d >= 0 && c <= rune(in.Hi) {
					return '0' + d%10
				}
			}
		}
		return c
	}, s)
}

// plainBlanks writes the blanks that do not break, which exports put before AM and PM, as plain ones. It is made once: building it costs more than a message.
var plainBlanks = strings.NewReplacer("\u202f", " ", "\u00a0", " ")

// numbersOf parses a date and a time in numbers; nil if it is neither.
func numbersOf(text string) *stamp {
	text = strings.TrimSpace(plainBlanks.Replace(invisible.ReplaceAllString(text, "")))
	q := stampForm.FindStringSubmatch(text)
	if q == nil {
		return nil
	}
	s := &stamp{}
	for i := range 3 {
		s.date[i], _ = strconv.Atoi(q[i+1]) // digits by the pattern
		s.wide[i] = len(q[i+1]) == 4
	}
	s.h, _ = strconv.Atoi(q[5])
	s.m, _ = strconv.Atoi(q[6])
	s.s, _ = strconv.Atoi(q[7]) // none: 0
	s.half = q[4] + strings.ToLower(q[8])
	return s
}

// time is the instant by the order of the parts of the date; ok is false if the day or hour does not exist.
func (s *stamp) time(order string, zone *time.Location) (time.Time, bool) {
	d, m, y := s.date[0], s.date[1], s.date[2]
	switch {
	case s.wide[0]:
		y, m, d = s.date[0], s.date[1], s.date[2]
	case order == "mdy":
		m, d, y = s.date[0], s.date[1], s.date[2]
	}
	if y < 100 {
		y += 2000
	}
	h := s.h
	switch half := s.half; {
	case half == "":
	case strings.HasPrefix(half, "p"), half == "下午", half == "午後", half == "오후", half == "م", half == "晚上" && h < 12, half == "傍晚", half == "中午" && h < 11:
		if h < 12 {
			h += 12
		}
	case h == 12 && half != "中午":
		h = 0
	}
	t := time.Date(y, time.Month(m), d, h, s.m, s.s, 0, zone)
	return t, t.Day() == d && int(t.Month()) == m && h < 24 && s.m < 60 && s.s < 60
}

// notBefore is the later of the two instants that a clock shows where it is put back, if the message before it is after the earlier one.
func notBefore(t, last time.Time) time.Time {
	if s := t.Add(-time.Hour); s.Hour() == t.Hour() {
		t = s
	}
	if s := t.Add(time.Hour); s.Hour() == t.Hour() && t.Before(last) && !s.Before(last) {
		return s
	}
	return t
}

// wrong is what was expected in place of a date or time that does not exist.
func (s *stamp) wrong(order string) string {
	day := stamp{date: s.date, wide: s.wide}
	if _, ok := day.time(order, time.UTC); ok {
		return "a time of day"
	} else if s.wide[0] {
		order = "ymd"
	}
	return "a date in the order " + order
}

// dateOrder finds out which of day and month is first: in the order in which fewer dates are impossible, or else by far fewer messages are earlier than the one before.
func (r *reader) dateOrder(each func(take func(*stamp, schema.Pos)) error) (string, error) {
	if r.Dates != "" {
		return r.Dates, nil
	}
	var impossible [2]int
	var back [2]int // steps back in time, read as dmy and as mdy
	var last [2]time.Time
	var seen *schema.Pos
	err := each(func(s *stamp, pos schema.Pos) {
		if s == nil || s.wide[0] {
			return
		}
		if seen == nil {
			seen = &pos
		}
		for i, order := range []string{"dmy", "mdy"} {
			t, ok := s.time(order, time.UTC)
			if !ok {
				impossible[i]++
				continue
			}
			if t.Before(last[i]) {
				back[i]++
			}
			last[i] = t
		}
	})
	switch n := impossible[0] - impossible[1]; {
	case err != nil || seen == nil || n < 0 || n == 0 && back[0]*4 <= back[1] && back[1] > 0:
		return "dmy", err
	case n > 0 || back[1]*4 <= back[0] && back[0] > 0:
		return "mdy", nil
	}
	r.Report(&schema.Finding{Pos: *seen, Code: codeDates, Warning: true, Message: "the file does not show whether the day or the month comes first; it was read as day first",
		Hint: "give --dates dmy or --dates mdy"})
	return "dmy", nil
}

// orderOf is dateOrder of the lines of a file.
func (r *reader) orderOf(f *file, of func(line string) *stamp) (string, error) {
	return r.dateOrder(func(take func(*stamp, schema.Pos)) error {
		return r.quiet().textLines(f, func(text string, pos schema.Pos) error { take(of(text), pos); return nil })
	})
}

func (r *reader) whatsApp(f *file) error {
	order, err := r.orderOf(f, stamped)
	if err != nil {
		return err
	}
	title, group, known := whatsAppTitle(f), phoneName(f), knownLeftOut(f)
	var p pending
	var last time.Time
	add := func(m Message) error {
		if kind := media(&m, group, known); kind != "" {
			r.leave(m.Pos, kind)
			return nil
		}
		m.Text = invisible.ReplaceAllString(m.Text, "")
		return r.add(m)
	}
	err = r.textLines(f, func(text string, pos schema.Pos) error {
		s := stamped(text)
		if s == nil {
			p.more(r, text, pos)
			return nil
		}
		if err := p.end(add); err != nil {
			return err
		}
		at, ok := s.time(order, r.zone())
		if !ok {
			r.fault(pos, "there is no such date or time; the message was skipped", s.original, s.wrong(order))
			return nil
		}
		at = notBefore(at, last)
		last = at
		name, said := s.speech()
		if name == "" {
			r.leave(pos, notices)
			return nil
		}
		p.start(Message{Conv: convID("whatsapp", title), Title: title, Text: said, Time: at, written: s.original, Pos: pos, Name: name})
		return nil
	})
	if err != nil {
		return err
	}
	return p.end(add)
}

// speech returns the speaker after the time and the text; the name is empty if the program speaks.
func (s *stamp) speech() (name, said string) {
	name, said, found := strings.Cut(s.rest, ": ")
	if !found && strings.HasSuffix(s.rest, ":") {
		name, found = strings.TrimSuffix(s.rest, ":"), true
	}
	if !found || utf8.RuneCountInString(name) > 80 || strings.Count(name, `"`)%2 > 0 { // Bob changed the subject to "A: b"
		return "", ""
	}
	return strings.TrimSpace(unsaved.ReplaceAllString(invisible.ReplaceAllString(name, ""), "")), said
}

// phoneName returns the name under which the phone writes notices into a group, if it uses the group's name: the name on the first line, if every entry under
// it is a notice.
func phoneName(f *file) string {
	group := ""
	for l := range strings.Lines(f.text()) {
		s := stamped(l)
		if s == nil {
			continue
		}
		name, said := s.speech()
		group = cmp.Or(group, name)
		if name == group && !byPhone.MatchString(said) {
			return ""
		}
	}
	return group
}

// knownLeftOut reports whether the file is in a language whose word for omitted files is known: the phone uses it.
func knownLeftOut(f *file) bool {
	for l := range strings.Lines(f.text()) {
		if s := stamped(l); s != nil {
			_, said := s.speech()
			if p := byPhone.FindStringSubmatch(said); p != nil && leftOut.MatchString(p[2]) {
				return true
			}
		}
	}
	return false
}

// notices are messages of the program itself.
const notices = "notices of the program (someone joined, calls, pins)"

// media moves the file of a message, and the phone's additions, out of its text. If the entry is not a message, it returns its kind. Entries under the name of
// the group come from the phone. known: the word for omitted files is known, so other words of the phone are notices.
func media(m *Message, group string, known bool) (notMessage string) {
	said := editedEnd.ReplaceAllString(m.Text, "")
	if fileMark.MatchString(m.Text) {
		said = m.Text
	}
	m.Text = said
	if p := fileMark.FindStringSubmatch(said); p != nil {
		m.Attachments = []schema.Attachment{{Type: fileKind(p[1]), Name: p[1], Path: p[1]}}
		m.Text = strings.TrimSuffix(said, p[0])
		return ""
	}
	if p := fileNamed.FindStringSubmatch(said); p != nil {
		m.Attachments = []schema.Attachment{{Type: fileKind(p[1]), Name: p[1], Path: p[1]}}
		m.Text = said[len(p[0]):]
		return ""
	}
	if deleted.MatchString(invisible.ReplaceAllString(said, "")) {
		return "deleted messages"
	}
	words, name := strings.Trim(said, "<>"), ""
	own := byPhone.FindStringSubmatch(said)
	if own != nil {
		words, name = own[2], own[1]
	}
	switch {
	case own == nil && !omitted.MatchString(said), elsewhere.MatchString(words): // a place, a list to vote on
		return ""
	case own != nil && !leftOut.MatchString(words) && (known || m.Name == group || strings.Contains(words, m.Name) || strings.Contains(words, "\u200e") ||
		sentence.MatchString(words) || utf8.RuneCountInString(words) > maxPlaceholder):
		return notices
	}
	name = invisible.ReplaceAllString(cmp.Or(name, words), "")
	m.Text, m.Attachments = "", []schema.Attachment{{Type: fileKind(name), Name: name}}
	return ""
}

// maxPlaceholder is the length of the longest words for a file that was skipped, where
// their language is not known.
const maxPlaceholder = 20

func fileKind(name string) string {
	switch strings.ToLower(path.Ext(name)) {
	case ".jpg", ".jpeg", ".png", ".webp", ".gif", ".heic":
		return "image"
	case ".mp4", ".mov", ".3gp":
		return "video"
	case ".opus", ".m4a", ".ogg", ".mp3", ".aac":
		return "audio"
	}
	return "file"
}

// whatsAppTitle is the chat's name: phones put it into the name of the text, or of the zip or folder that holds it.
func whatsAppTitle(f *file) string {
	stem := f.stem()
	if in := path.Dir(strings.Replace(filepath.ToSlash(f.name), "!", "/", 1)); (stem == "_chat" || stem == "chat") && in != "." {
		stem = strings.TrimSuffix(path.Base(in), ".zip")
	}
	for _, lead := range []string{"WhatsApp Chat with ", "WhatsApp Chat - ", "WhatsApp Chat mit ", "与", "WhatsApp 与"} {
		stem = strings.TrimPrefix(stem, lead)
	}
	return strings.TrimSuffix(stem, "的 WhatsApp 聊天")
}

// plain reads text in which each message starts with a name: "Name: text", with or
// without a time before it, or "Name 2026-03-01 20:15" above its text.
var plain = Form{
	Name: "text", Doc: "plain text, \"Name: text\" a line",
	match: each(func(f *file) bool {
		if ext := strings.ToLower(path.Ext(f.stem() + path.Ext(f.base))); !slices.Contains([]string{".txt", ".log", ".text", ".md", ".markdown", ""}, ext) {
			return false
		}
		names, good, all := map[string]bool{}, 0, 0
		for l := range strings.Lines(f.text()) {
			if strings.TrimSpace(l) == "" || l[0] == '#' {
				continue
			}
			all++
			if name, _, _ := speech(l); name != "" {
				good++
				names[name] = true
			}
		}
		// Few names that return: prose with colons has many that do not.
		return good >= 2 && good*2 >= all && len(names)*2 <= good+2
	}),
	read: every((*reader).plain),
}

var (
	speechLine = pattern.New(`^(?:\[([^\]]{4,40})\]\s*|((?:\d{1,4}[-/.年]\d{1,2}[-/.月]\d{1,4}日?,?[T ])?\d{1,2}:\d{2}(?::\d{2})?(?:Z|[+-]\d{2}:\d{2})?)\s+(?:[-–]\s+)?)?([^:：\[\]<>{}"]{1,40}?)\s?(?:[:：])(?:\s+|$|([^/\\\d\s]))(.*)$`)
	// listMark is Markdown around a name: an item of a list, bold.
	listMark = pattern.New(`^\s*(?:[-*+•]\s+)?(?:\*\*([^*:：]{1,40})(?:([:：])\s*\*\*|\*\*\s*([:：]))|([^\s*]))`)
	// dayLine is a heading with a date, which is that of what is below it.
	dayLine  = pattern.New(`^#{1,6}\s.*?(\d{4}[-/.年]\d{1,2}[-/.月]\d{1,2})(?:\D|$)`)
	headLine = pattern.New(`^(.{1,40}?)\s+(\d{1,4}[-/.年]\d{1,2}[-/.月]\d{1,4}日?,? \d{1,2}:\d{2}(?::\d{2})?)$`)
)

// speech reads the start of a message.
func speech(l string) (name, at, text string) {
	l = listMark.ReplaceAllString(strings.TrimRight(l, "\r\n \t"), "$1$2$3$4")
	if p := headLine.FindStringSubmatch(l); p != nil {
		return strings.TrimSpace(p[1]), p[2], ""
	}
	p := speechLine.FindStringSubmatch(l)
	if p == nil || !strings.ContainsFunc(p[3], unicode.IsLetter) {
		return "", "", ""
	}
	return strings.TrimSpace(textnorm.Collapse(p[3])), p[1] + p[2], p[4] + p[5]
}

func (r *reader) plain(f *file) error {
	order, err := r.orderOf(f, func(l string) *stamp { _, at, _ := speech(l); return numbersOf(at) })
	if err != nil {
		return err
	}
	var p pending
	names := speakers(f)
	var once []string
	var first schema.Pos
	var last time.Time
	day, below := "", 0 // of the last heading with a date, and how many messages are below it
	err = r.textLines(f, func(text string, pos schema.Pos) error {
		if d := dayLine.FindStringSubmatch(text); d != nil {
			day, below = d[1], 0
			return p.end(r.add)
		}
		name, at, said := speech(text)
		dated := strings.ContainsAny(at, "-/.年")
		if name == "" || len(names) > 0 && names[name] == 0 && !dated {
			if name != "" && len(once) < maxOnce {
				if once = append(once, name); len(once) == 1 {
					first = pos
				}
			}
			p.more(r, text, pos)
			return nil
		}
		if err := p.end(r.add); err != nil {
			return err
		}
		m := Message{Conv: convID(f.stem()), Title: f.stem(), Name: name, Text: said, written: at, Pos: pos}
		if below++; day != "" && !dated {
			at, dated = day+" "+cmp.Or(at, time.Unix(int64(min(below-1, 86399)), 0).UTC().Format(time.TimeOnly)), true
		}
		switch {
		case dated:
			t, err := annotate.ParseTime(at, r.zone())
			ok, want := err == nil, "a date and time as 2025-03-01 20:01"
			if s := numbersOf(at); s != nil {
				t, ok = s.time(order, r.zone())
				want = s.wrong(order)
			}
			if !ok {
				r.Report(&schema.Finding{Pos: pos, Code: codeUndated, Warning: true, Message: "the date or time cannot be read; the message has no time", Have: at, Want: want})
			} else {
				m.Time = notBefore(t, last)
				last = m.Time
			}
		case at != "":
			r.leave(pos, "times of day without a date; their messages have no time")
		}
		p.start(m)
		return nil
	})
	if err != nil {
		return err
	}
	if len(once) > 0 {
		r.Report(&schema.Finding{Pos: first, Code: codeOnce, Warning: true, Message: "names that start one line only were read as text of the message above: " + strings.Join(once, ", "),
			Hint: "if they are speakers, put a date before each line, or write the chat as a CSV file"})
	}
	return p.end(r.add)
}

// maxOnce is how many names a finding lists.
const maxOnce = 10

// speakers returns the names that start at least two lines at the start of the file, since a colon in the middle of a text does not mark a speaker. An empty
// map: every name counts.
func speakers(f *file) map[string]int {
	names := map[string]int{}
	for l := range strings.Lines(f.text()) {
		if name, _, _ := speech(l); name != "" {
			names[name]++
		}
	}
	if len(f.head()) >= headSize { // who speaks later is not known yet
		return nil
	}
	for name, n := range names {
		if n < 2 && len(names) > 2 {
			delete(names, name)
		}
	}
	return names
}
