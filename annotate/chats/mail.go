package chats

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"mime/quotedprintable"
	"net/mail"
	"path"
	"regexp"
	"strings"
	"time"

	"membench/annotate"
	"membench/internal/pattern"
	"membench/schema"
	"membench/schema/jsonl"

	"golang.org/x/text/encoding/htmlindex"
	"golang.org/x/text/encoding/unicode"
)

// mbox reads mail folders: messages one after another, each behind a line "From …", or one a file. The mails of a thread are a conversation; quoted text is kept
// separate from a mail's own text.
var mbox = Form{
	Name: "mbox", Doc: "mail folders (Thunderbird, Google Takeout), mails (.eml)", arrived: true, global: true,
	unit:  func(string) string { return "" },
	match: each(func(f *file) bool { return f.mail() || fromLine.Match(f.head()) }),
	read: func(r *reader, files []*file) error {
		names := map[string]string{}
		for _, f := range files {
			if err := r.senders(f, names); err != nil {
				return err
			}
		}
		return every(func(r *reader, f *file) error { return r.mbox(f, names) })(r, files)
	},
}

// mail reports whether a file has the name of a single mail.
func (f *file) mail() bool { return strings.EqualFold(path.Ext(jsonl.PlainName(f.base)), ".eml") }

// senders adds the names of addresses that have one in a file, the first of each: a mail may come from a bare address that another mail names.
func (r *reader) senders(f *file, names map[string]string) error {
	return r.quiet().rawLines(f, func(l []byte, _ schema.Pos) error {
		if from, ok := bytes.CutPrefix(l, []byte("From:")); ok {
			if a, err := r.address(string(from)); err == nil && names[strings.ToLower(a.Address)] == "" {
				names[strings.ToLower(a.Address)] = a.Name
			}
		}
		return nil
	})
}

// address reads the header From.
func (r *reader) address(from string) (*mail.Address, error) {
	parser := mail.AddressParser{WordDecoder: &mime.WordDecoder{CharsetReader: charset}}
	b := body{named: r.Encoding}
	a, err := parser.Parse(b.text(strings.TrimSpace(from)))
	if err == nil {
		a.Name = b.text(a.Name)
	}
	return a, err
}

var fromLine = regexp.MustCompile(`^From [^\n]*\d{4}\r?\n(?:[\w-]+:|>From )`)

// envelope is the line before a mail, with its date: text may start with From, too.
var envelope = regexp.MustCompile(`^From .*(\w{3} \w{3} +\d{1,2} \d{2}:\d{2}:\d{2}) (?:[+-]\d{4} |\w{3,4} )?(\d{4})`)

// maxMail is the largest mail that is read, in bytes.
const maxMail = 64 << 20

func (r *reader) mbox(f *file, names map[string]string) error {
	var raw bytes.Buffer
	start := schema.Pos{File: f.name, Line: 1}
	var came time.Time
	blank, large := true, false
	flush := func() error {
		defer raw.Reset()
		if large {
			r.fault(start, "a mail is too large; it was skipped", "", fmt.Sprintf("at most %d MiB", maxMail>>20))
			large = false
			return nil
		}
		if raw.Len() == 0 {
			return nil
		}
		m, err := mail.ReadMessage(bytes.NewReader(raw.Bytes()))
		if err != nil {
			r.fault(start, "a mail cannot be read: "+err.Error(), "", "headers, a blank line, a text")
			return nil
		}
		return r.mail(m, f, came, names, start)
	}
	err := r.rawLines(f, func(l []byte, pos schema.Pos) error {
		if p := envelope.FindSubmatch(l); p != nil && blank && !f.mail() {
			err := flush()
			start = pos
			came, _ = time.ParseInLocation("Mon Jan _2 15:04:05 2006", string(p[1])+" "+string(p[2]), time.UTC)
			return err
		}
		blank = len(bytes.TrimRight(l, "\r\n")) == 0
		if q := bytes.TrimLeft(l, ">"); !f.mail() && len(q) < len(l) && bytes.HasPrefix(q, []byte("From ")) {
			l = l[1:] // mbox puts a > before such a line
		}
		if raw.Len()+len(l) > maxMail {
			large = true
			return nil
		}
		raw.Write(l)
		return nil
	})
	if err != nil {
		return err
	}
	return flush()
}

// mail adds a mail, that came at an instant by its envelope. names are those of senders by address.
func (r *reader) mail(m *mail.Message, f *file, came time.Time, names map[string]string, pos schema.Pos) error {
	b := body{named: r.Encoding}
	about := b.header(m.Header, "Subject")
	subject := replyMark.ReplaceAllString(about, "")
	thread := threadOf(m.Header, r.people.threads)
	out := Message{Conv: convID(subject, thread), Title: subject, ID: messageID(m.Header, "Message-Id"), ReplyTo: messageID(m.Header, "In-Reply-To"), Pos: pos}
	if thread == "" {
		out.Conv = convID(f.stem(), subject)
	}
	from := b.header(m.Header, "From")
	if a, err := r.address(m.Header.Get("From")); err == nil {
		id := strings.ToLower(a.Address)
		out.Name = r.account(id, cmp.Or(names[id], a.Name, a.Address))
	} else if out.Name = r.person("", from); out.Name == "" {
		r.flaw(pos, "a mail does not say who sent it", "", "a header From")
	}
	if t, err := m.Header.Date(); err == nil {
		out.Time = t
		if name, offset := t.Zone(); name != "" && offset == 0 { // a name such as EST, for which net/mail knows no offset
			if t, err = annotate.ParseTime(t.Format("Mon, 02 Jan 2006 15:04:05 ")+name, time.UTC); err == nil {
				out.Time = t
			}
		}
	} else {
		out.Time = came
		if t, err := annotate.ParseTime(m.Header.Get("Date"), r.zone()); err == nil {
			out.Time = t
		} else if what := "it is kept with that of the line before it"; m.Header.Get("Date") != "" || came.IsZero() {
			if came.IsZero() {
				what = "it is kept without one"
			}
			r.flaw(pos, "a mail has no date that can be read; "+what, m.Header.Get("Date"), "a date as RFC 5322 has it")
		}
	}
	if err := b.add(m.Header.Get("Content-Type"), m.Header.Get("Content-Transfer-Encoding"), "", m.Body, 0); err != nil {
		r.flaw(pos, "a part of a mail cannot be read: "+err.Error(), "", "")
	}
	if out.Attachments = b.files; b.detected != "" {
		r.Report(&schema.Finding{Pos: pos, Code: codeCharset, Warning: true, Message: "parts of a mail are not in the encoding that they name, or name none; they were read as " + b.detected,
			Hint: "if names or texts look wrong, give --encoding"})
	}
	text := cmp.Or(b.plain, plainText(b.html))
	follows := subject != about || m.Header.Get("In-Reply-To") != "" || m.Header.Get("References") != ""
	if out.Text, out.Quote = unquote(text, subject, follows, forwardMark.MatchString(about)); signature.MatchString(text) {
		r.leave(pos, "signatures of mails")
	}
	return r.add(out)
}

// messageID is the id of a mail in one of its headers.
func messageID(h mail.Header, name string) string {
	return strings.Join(strings.Fields(h.Get(name)), "")
}

// threadOf is a hash that a thread's mails share: that of a mail, of the mail that it answers or of the oldest that it names, if one is known, or else a new one.
func threadOf(h mail.Header, threads *quotes) string {
	own := messageID(h, "Message-Id")
	thread := threads.get(own)
	for _, name := range []string{"References", "In-Reply-To", "Message-Id"} {
		if ids := strings.Fields(h.Get(name)); thread == "" && len(ids) > 0 {
			if thread = cmp.Or(threads.get(ids[len(ids)-1]), threads.get(ids[0])); thread == "" {
				sum := sha256.Sum256([]byte(ids[0]))
				thread = short(hex.EncodeToString(sum[:]))
				threads.put(ids[0], thread)
			}
		}
	}
	if own != "" {
		threads.put(own, thread)
	}
	return thread
}

var replyMark = pattern.New(`(?i)^(?:\s*(?:re|aw|fwd?|wg|回复|答复|转发)\s*[:：])+\s*`)

// forwardMark starts the subject of a mail that hands on another.
var forwardMark = pattern.New(`(?i)^\s*(?:fwd?|wg|转发)\s*[:：]`)

// body collects the text of a mail and lists its attachments.
type body struct {
	plain, html string
	files       []schema.Attachment
	named       string // the encoding of parts that are not UTF-8 and name none, by the user
	detected    string // the encoding that a part was read in that the user did not name
}

// text reads text that should be UTF-8 in the encoding that it is in, if that can be detected.
func (b *body) text(s string) string {
	in := encodingOf([]byte(s), b.named)
	e, err := htmlindex.Get(in)
	if err != nil {
		return s
	}
	if in != b.named {
		b.detected = in
	}
	t, _ := e.NewDecoder().String(s) // what cannot be read is U+FFFD
	return t
}

// header reads a header of a mail.
func (b *body) header(h mail.Header, name string) string {
	words, v := mime.WordDecoder{CharsetReader: charset}, h.Get(name)
	if s, err := words.DecodeHeader(v); err == nil {
		v = s
	}
	return strings.TrimSpace(b.text(v))
}

// maxParts is how deep parts of a mail may be in each other.
const maxParts = 10

func (b *body) add(contentType, encoding, name string, in io.Reader, depth int) error {
	kind, params, err := mime.ParseMediaType(contentType)
	if err != nil {
		kind, params = "text/plain", nil
	}
	if strings.HasPrefix(kind, "multipart/") {
		if depth == maxParts {
			return errors.New("its parts are nested too deeply")
		}
		parts := multipart.NewReader(in, params["boundary"])
		for {
			p, err := parts.NextRawPart()
			if err == io.EOF {
				return nil
			}
			if err != nil {
				return err
			}
			if err := b.add(p.Header.Get("Content-Type"), p.Header.Get("Content-Transfer-Encoding"), p.FileName(), p, depth+1); err != nil {
				return err
			}
		}
	}
	if kind == "message/rfc822" { // a mail that was forwarded whole
		m, err := mail.ReadMessage(in)
		if err != nil {
			return err
		}
		inner := body{named: b.named}
		if depth == maxParts {
			return errors.New("its parts are nested too deeply")
		}
		err = inner.add(m.Header.Get("Content-Type"), m.Header.Get("Content-Transfer-Encoding"), "", m.Body, depth+1)
		text := join(join(inner.header(m.Header, "From"), inner.header(m.Header, "Subject")), cmp.Or(inner.plain, plainText(inner.html)))
		b.detected = cmp.Or(b.detected, inner.detected)
		b.files = append(b.files, schema.Attachment{Type: "mail", Name: name, Text: strings.TrimSpace(text)})
		b.files = append(b.files, inner.files...)
		return err
	}
	if name = cmp.Or(name, params["name"]); name != "" || !strings.HasPrefix(kind, "text/") {
		b.files = append(b.files, schema.Attachment{Type: kindOf(kind), Name: name})
		return nil
	}
	switch strings.ToLower(strings.TrimSpace(encoding)) {
	case "quoted-printable":
		in = quotedprintable.NewReader(in)
	case "base64":
		in = base64.NewDecoder(base64.StdEncoding, in)
	}
	if cs, err := charset(params["charset"], in); err == nil {
		in = cs
	}
	text, err := io.ReadAll(in)
	s := b.text(string(text))
	if kind == "text/html" {
		b.html = join(b.html, s)
	} else {
		b.plain = join(b.plain, s)
	}
	return err
}

// charset reads a character set by the name that mails give it. What should be UTF-8 stays as it is.
func charset(name string, in io.Reader) (io.Reader, error) {
	enc, err := htmlindex.Get(cmp.Or(strings.TrimSpace(name), "utf-8"))
	if err != nil {
		return nil, err
	}
	if enc == unicode.UTF8 || strings.EqualFold(name, "us-ascii") {
		return in, nil
	}
	return enc.NewDecoder().Reader(in), nil
}

var signature = pattern.New(`(?m)^-- \r?$`)

var (
	whoWrote    = pattern.New(`[:：]\s*$`)
	sentenceEnd = pattern.New(`[.!?。！？]["'”’」』)）]*\s*$`)
)

// unquote removes quoted lines, their introduction, and the signature from a mail's text. In an answer or forward, the other mail begins below a block of
// headers with its subject. If nothing is above it, a forward has no words of its own, and an answer has them further below: then all of its text stays.
func unquote(text, subject string, follows, forward bool) (said, quoted string) {
	lines := strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n")
	own := len(lines)
	if follows {
		own = otherMail(lines, subject)
	}
	said, quoted = ownLines(lines, own, true)
	if said != "" || own == len(lines) {
		return said, quoted
	}
	if !forward {
		return ownLines(lines, len(lines), false)
	}
	said = "[forwarded]"
	if p := sender.FindStringSubmatch(strings.Join(lines[own:], "\n")); p != nil {
		name, _, _ := strings.Cut(p[1], " <")
		said = "[forwarded from " + strings.Trim(name, `"`) + "]"
	}
	return said, quoted
}

// sender is the header with the name of who wrote a mail.
var sender = pattern.New(`(?im)^[\s>*]*(?:from|von|de|da|van|发件人|寄件人|寄件者)\s*\*?[:：]\*?[ \t]*(\S[^\n]*?)\s*[;；]?$`)

// ownLines separates quoted lines above own from the others; signed: text below a signature's mark is neither.
func ownLines(lines []string, own int, signed bool) (said, quoted string) {
	var s, q []string
	for _, l := range lines[:own] {
		if l == "-- " && signed {
			break
		}
		if !strings.HasPrefix(l, ">") {
			s = append(s, strings.TrimRight(l, " \t"))
			continue
		}
		if len(q) == 0 {
			s, q = announced(s)
		}
		q = append(q, strings.TrimLeft(l, "> "))
	}
	if rest := lines[own:]; len(rest) > 0 {
		q = append(append(q, ""), rest...)
	}
	return strings.TrimSpace(strings.Join(s, "\n")), strings.TrimSpace(strings.Join(q, "\n"))
}

// announced splits the introduction of a quotation off the lines before it: a last paragraph of at most three lines that ends with a colon; several lines count
// only if they contain an address or a number, as dates do. It begins after a line that ends a sentence.
func announced(s []string) (said, by []string) {
	for len(s) > 0 && s[len(s)-1] == "" {
		s = s[:len(s)-1]
	}
	if len(s) == 0 || !whoWrote.MatchString(s[len(s)-1]) {
		return s, nil
	}
	i := len(s) - 1
	for i > 0 && s[i-1] != "" && len(s)-i < 3 && !sentenceEnd.MatchString(s[i-1]) {
		i--
	}
	if p := strings.Join(s[i:], " "); i > 0 && s[i-1] != "" && !sentenceEnd.MatchString(s[i-1]) || !strings.ContainsAny(p, "@0123456789") {
		i = len(s) - 1
	}
	return s[:i], append([]string(nil), s[i:]...)
}

var (
	headerLine = pattern.New(`^[\s>*]*\*?([^\s:：][^:：]{0,24})\*?[:：]\*?\s*(.*?)\s*[;；]?$`)
	ruler      = pattern.New(`^[\s>]*[-_=—]{3,}.*$`)
)

// otherMail returns the line at which another mail begins below the mail's own text: the first of at least three headers, one of which is this mail's subject,
// or the line drawn above them. If there is none, it is the number of lines.
func otherMail(lines []string, subject string) int {
	for i := 0; i < len(lines); i++ {
		same, n := false, 0
		for ; i+n < len(lines) && n < 12; n++ {
			p := headerLine.FindStringSubmatch(lines[i+n])
			if p == nil {
				break
			}
			same = same || subject != "" && strings.EqualFold(replyMark.ReplaceAllString(p[2], ""), subject)
		}
		if n < 3 || !same {
			continue
		}
		for i > 0 && (strings.TrimSpace(lines[i-1]) == "" || ruler.MatchString(lines[i-1])) {
			i--
		}
		return i
	}
	return len(lines)
}
