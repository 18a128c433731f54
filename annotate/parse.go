package annotate

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"time"
	"unicode/utf8"

	"membench/internal/codec"
	"membench/schema"
	"membench/schema/jsonl"
)

// A Format is a source format.
type Format string

const (
	Auto     Format = "auto"   // detected from name and content
	Norm     Format = "norm"   // chapter with headers and markers
	Raw      Format = "raw"    // chapter with speaker labels
	Chat     Format = "chat"   // JSON Lines: role, content, …
	Messages Format = "openai" // JSON: a list of chat messages, {"messages": […]}, or lines of these
)

// Formats lists the formats.
func Formats() []Format { return []Format{Auto, Norm, Raw, Chat, Messages} }

// Limits of a source file. It is held in memory until its conversations are annotated,
// its text and over a kilobyte a turn: lines of several conversations may be mixed, and
// who speaks in a chapter is seen at its end.
const (
	MaxSource = 256 << 20 // bytes
	MaxTurns  = 500_000   // lines that are not blank, or messages
	maxFaults = 200_000
)

// Parse reads the conversations of one file in the order of their first turns. name
// is how the file was opened: positions carry it, and meta.source_path is made of it
// by Options.Root. A fault is a *schema.Finding with an empty Source (reading continues); any other error is an I/O fault and ends the sequence.
func Parse(r io.Reader, name string, o Options) iter.Seq2[Source, error] {
	return func(yield func(Source, error) bool) {
		text, want, err := jsonl.All(r, name, MaxSource)
		if err != nil {
			yield(Source{}, err)
			return
		}
		p := &parser{file: name, path: SourcePath(name, o.Root), o: o}
		var out []Source
		if want != "" {
			p.tooLarge("", want)
		}
		switch format := p.detect(text); {
		case len(p.findings) > 0:
		case !p.isText(text, format == Chat):
		case format == Norm:
			out = p.norm(text)
		case format == Raw:
			out = p.raw(text)
		case format == Chat:
			out = p.chat(text)
		case format == Messages:
			out = p.messages(text)
		default:
			p.fault(schema.Pos{File: name}, codeFormat, "the format of the file cannot be determined", "", "norm, raw, chat or openai", "give --format")
		}
		switch {
		case p.turns > MaxTurns:
			out = nil
			p.tooLarge(fmt.Sprintf("more than %d turns", MaxTurns), "at most that")
		case p.tooMany():
			out = nil
			p.fault(schema.Pos{File: name}, codeFormat, fmt.Sprintf("more than %d errors: the file was skipped", maxFaults), "", "a file of the format that --format names", "check the format")
		}
		for _, f := range p.findings {
			if !yield(Source{}, f) {
				return
			}
		}
		for _, s := range out {
			if len(s.Turns) == 0 {
				f := &schema.Finding{Pos: schema.Pos{File: name}, Code: codeNoTurns, Message: "no utterance in " + string(s.ConvID)}
				if !yield(Source{}, f) {
					return
				}
				continue
			}
			if !yield(s, nil) {
				return
			}
		}
	}
}

// isText reports whether a file is text in UTF-8 except for some bytes; otherwise it is a fault, and the file is not read, since in another encoding no word
// would be readable. For files whose lines are read one by one only the first character decides.
func (p *parser) isText(text []byte, lines bool) bool {
	have := ""
	switch {
	case jsonl.IsWide(text):
		have = "UTF-16 or UTF-32"
	case lines:
		return true
	case bytes.IndexByte(text, 0) >= 0:
		have = "a zero byte, as in UTF-16 or a binary file"
	case mostlyInvalid(text):
		have = "another encoding"
	default:
		return true
	}
	p.fault(schema.Pos{File: p.file, Line: 1}, codeFormat, "the file is not text in UTF-8; nothing was read from it", have, "UTF-8", "convert the file to UTF-8")
	return false
}

// mostlyInvalid reports whether more bytes above ASCII are in no character of UTF-8 than
// there are such characters.
func mostlyInvalid(text []byte) bool {
	bad, good := 0, 0
	for len(text) > 0 {
		r, n := utf8.DecodeRune(text)
		switch {
		case r == utf8.RuneError && n == 1:
			bad++
		case n > 1:
			good++
		}
		text = text[n:]
	}
	return bad >= 8 && bad > good
}

// SourcePath is the path that events carry: relative to root where that can be
// said, always with '/' separators.
func SourcePath(name, root string) string {
	if name == "-" {
		return "stdin"
	}
	if root != "" {
		abs, err1 := filepath.Abs(name)
		base, err2 := filepath.Abs(root)
		if err1 == nil && err2 == nil {
			if rel, err := filepath.Rel(base, abs); err == nil {
				name = rel
			}
		}
	}
	return path.Clean(filepath.ToSlash(name))
}

type parser struct {
	file, path string
	o          Options
	findings   []*schema.Finding
	turns      int // or lines of a chapter
}

// another counts a turn, and reports whether there is room for it.
func (p *parser) another() bool {
	p.turns++
	return p.turns <= MaxTurns
}

// tooMany reports that the file's faults would fill memory.
func (p *parser) tooMany() bool { return len(p.findings) > maxFaults }

// tooLarge replaces the findings of a file that is not read.
func (p *parser) tooLarge(have, want string) {
	p.findings = nil
	p.fault(schema.Pos{File: p.file}, codeFormat, "the file is too large to be held in memory; nothing was read from it", have, want, "split it by conversation")
}

func (p *parser) fault(pos schema.Pos, code, msg, have, want, hint string) {
	p.findings = append(p.findings, &schema.Finding{Pos: pos, Code: code, Message: msg, Have: have, Want: want, Hint: hint})
}

func (p *parser) warn(pos schema.Pos, code, msg, have, want, hint string) {
	p.findings = append(p.findings, &schema.Finding{Pos: pos, Code: code, Message: msg, Have: have, Want: want, Hint: hint, Warning: true})
}

func (p *parser) at(line, col int) schema.Pos { return schema.Pos{File: p.file, Line: line, Col: col} }

// detect determines the format by the options, the suffix of the name, the first byte that is not white space, and for chapters by whether a line starts
// with a header or marker.
func (p *parser) detect(text []byte) Format {
	if p.o.Format != "" && p.o.Format != Auto {
		return p.o.Format
	}
	name := strings.ToLower(p.file)
	name = jsonl.PlainName(name)
	body := bytes.TrimLeft(bytes.TrimPrefix(text, []byte("\xef\xbb\xbf")), " \t\r\n")
	start := body[:min(len(body), 1<<20)]
	switch {
	case strings.HasSuffix(name, ".norm.md"):
		return Norm
	case strings.HasSuffix(name, ".jsonl"), strings.HasSuffix(name, ".ndjson"):
		return Chat
	case normLine.Match(start):
		return Norm
	case listStart.Match(start):
		return Messages
	case bytes.HasPrefix(body, []byte("{")):
		line, _, _ := bytes.Cut(body, []byte("\n"))
		if !codec.Valid(line) || hasMember(line, "messages") && codec.Valid(bytes.TrimSpace(body)) {
			return Messages
		}
		return Chat
	case strings.HasSuffix(name, ".json"):
		return "" // neither messages nor chat lines: not dialogue
	}
	return Raw
}

var listStart = regexp.MustCompile(`^\[\s*[{\]]`)

var normLine = regexp.MustCompile(`(?m)^[ \t]*(@[a-z_]+[ \t]*[:：]|\[(S|S\|MONO|U|UI|(INJECT|PROBE)\b[^\]\n]*)\])`)

func hasMember(obj []byte, name string) bool {
	for k := range codec.Members(obj) {
		if k == name {
			return true
		}
	}
	return false
}

// lines are the lines of a text that are not blank. Bytes that are not UTF-8 become
// U+FFFD, with one finding per line.
func (p *parser) lines(text []byte) []jsonl.Line {
	var out []jsonl.Line
	for l, err := range jsonl.Lines(bytes.NewReader(text), p.file, len(text)+1) {
		if err != nil { // unreachable: the reader is a byte slice
			break
		}
		if !p.another() {
			return nil
		}
		l.Bytes = bytes.Clone(l.Bytes)
		if !utf8.Valid(l.Bytes) {
			i := 0
			for i < len(l.Bytes) {
				r, n := utf8.DecodeRune(l.Bytes[i:])
				if r == utf8.RuneError && n == 1 {
					break
				}
				i += n
			}
			p.fault(p.at(l.Pos.Line, jsonl.Column(l.Bytes, i)), codeText, "not UTF-8, read as U+FFFD", fmt.Sprintf("byte 0x%02x", l.Bytes[i]), "UTF-8", "convert the file to UTF-8")
			l.Bytes = bytes.ToValidUTF8(l.Bytes, []byte("\uFFFD"))
		}
		out = append(out, l)
	}
	return out
}

// chapterID is the "chNN" that a chapter's file name starts with.
var chapterID = regexp.MustCompile(`^(ch\d{2,})(?:[_.]|$)`)

// convID returns the conversation of a file that does not name one: chNN of the file's name, or the name without its extensions.
func (p *parser) convID() schema.ConvID {
	if p.o.ConvID != "" {
		return p.o.ConvID
	}
	base := path.Base(filepath.ToSlash(p.file))
	if p.file == "-" {
		return "stdin"
	}
	if m := chapterID.FindStringSubmatch(base); m != nil {
		return schema.ConvID(m[1])
	}
	for _, ext := range []string{".gz", ".zst", ".md", ".norm", ".jsonl", ".ndjson", ".json", ".txt"} {
		if s := strings.TrimSuffix(base, ext); s != "" {
			base = s
		}
	}
	return schema.ConvID(base)
}

// layouts of times that sources carry, besides RFC 3339 and its beginnings.
var layouts = []string{
	"2006-01-02 15:04:05 -0700", "2006/01/02 15:04:05", "2006/01/02 15:04", "2006/01/02 (Mon) 15:04",
	time.RFC1123Z, "Jan 2, 2006 3:04 PM", "Jan 2, 2006, 3:04 PM", "Jan 2, 2006, 3:04:05 PM", "2 Jan 2006 15:04", "2 Jan 2006, 15:04",
	"2006年1月2日 15:04", "3:04 pm on 2 January, 2006", "2006/01/02", "2006年1月2日",
}

// mailZones are the zones that have names in RFC 822. The offset of other names is unknown, so their times are unreadable.
var mailZones = map[string]string{
	"UT": "+0000", "UTC": "+0000", "GMT": "+0000", "EST": "-0500", "EDT": "-0400", "CST": "-0600", "CDT": "-0500",
	"MST": "-0700", "MDT": "-0600", "PST": "-0800", "PDT": "-0700",
}

// ParseTime reads a date and time as people write them in chat exports; without an offset they are in zone.
func ParseTime(s string, zone *time.Location) (time.Time, error) {
	s = strings.TrimSpace(s)
	if t, ok := schema.ParseTime(s, zone); ok && len(s) > len("2006-01") { // a number of seconds is not a year
		return t, nil
	}
	if i := strings.LastIndexByte(s, ' '); i > 0 && mailZones[s[i+1:]] != "" {
		s = s[:i+1] + mailZones[s[i+1:]]
	}
	for _, l := range layouts {
		if t, err := time.ParseInLocation(l, s, zone); err == nil {
			return t, nil
		}
	}
	if t, ok := schema.ParseEpoch(s); ok {
		return t, nil
	}
	return time.Time{}, errors.New("not a time")
}

// zone is the one of the start that is set for a conversation, UTC when none is.
func (o Options) zone(conv schema.ConvID) *time.Location {
	for _, t := range []time.Time{o.Conversations[conv].Start, o.Start, o.Defaults.Start} {
		if _, offset := t.Zone(); offset != 0 {
			return time.FixedZone("", offset) // not t's location: that depends on the machine
		} else if !t.IsZero() {
			return time.UTC
		}
	}
	return time.UTC
}

const timeWanted = "RFC 3339 as 2026-02-24T18:00:00+08:00, a date and time, or seconds since 1970"
