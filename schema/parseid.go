package schema

import (
	"fmt"
	"membench/internal/textnorm"
	"strconv"
	"strings"
	"unicode/utf8"
)

// A ParsedID is an id since version 0.1.0 taken apart by its grammar. Its Parts are
// unescaped; Ends are whole ids.
type ParsedID struct {
	Prefix    string   // mem, user, claim, edge, …
	Parts     []string // free-text parts, in order: name; conv and turn; domain; …
	Predicate string   // claim, pred: the predicate; edge: the type
	Ends      []string // claim: subject, object; edge: src, dst; dom, pred: the root
}

// ParseID reads one id of any kind by the grammar since 0.1.0. It is strict: for every
// id that it accepts, Mint gives back the same text from the parts. Ids of 0.0.1 join
// their parts raw and cannot be read this way.
func ParseID(s string) (ParsedID, error) {
	p := idReader{s: s}
	id, err := p.node(true)
	if err == nil && p.i < len(s) {
		err = p.errorf("unexpected %q after the id", cut(s[p.i:]))
	}
	if err != nil {
		return ParsedID{}, err
	}
	return id, nil
}

// String mints the id again.
func (id ParsedID) String() string {
	m := Mint{V010}
	part := func(i int) string {
		if i < len(id.Parts) {
			return id.Parts[i]
		}
		return ""
	}
	switch id.Prefix {
	case "claim":
		return string(m.Claim(id.Predicate, part(0), EntityID(id.Ends[0]), EntityID(id.Ends[1])))
	case "edge":
		return string(m.Edge(id.Predicate, NodeID(id.Ends[0]), NodeID(id.Ends[1])))
	case "dom":
		return string(m.Domain(NodeID(id.Ends[0]), part(0)))
	case "pred":
		return string(m.Predicate(NodeID(id.Ends[0]), part(0), id.Predicate))
	case "event", "session":
		return id.Prefix + ":" + m.Escape(part(0)) + ":" + m.Escape(part(1))
	case "chapter":
		return string(m.raw(id.Prefix, "#", id.Parts...))
	case "person":
		return string(m.raw(id.Prefix, "/", id.Parts...))
	}
	return string(m.Node(id.Prefix, part(0)))
}

// raw is Compound without the normalisation of names, which an id already has.
func (m Mint) raw(prefix, sep string, parts ...string) EntityID {
	out := make([]string, len(parts))
	for i, p := range parts {
		out[i] = m.EscapePart(p, sep)
	}
	return EntityID(prefix + ":" + strings.Join(out, sep))
}

type idReader struct {
	s string
	i int
}

func (p *idReader) errorf(format string, args ...any) error {
	return fmt.Errorf("at byte %d: "+format, append([]any{p.i + 1}, args...)...)
}

func cut(s string) string { return textnorm.Short(s, 20) }

// node = claim | edge (top only) | dom | pred | event | session | simple
func (p *idReader) node(top bool) (id ParsedID, err error) {
	if id.Prefix, err = p.prefix(); err != nil {
		return id, err
	}
	part := func(sep string) {
		var s string
		if err == nil {
			s, err = p.seg(sep)
			id.Parts = append(id.Parts, s)
		}
	}
	want := func(c byte) {
		if err == nil && (p.i >= len(p.s) || p.s[p.i] != c) {
			err = p.errorf("want %q", string(c))
		}
		p.i++
	}
	end := func(simple bool) {
		if err != nil {
			return
		}
		from := p.i
		var e ParsedID
		if e, err = p.node(false); err == nil && simple && !isSimple(e.Prefix) {
			err = p.errorf("a claim's end cannot be a %s", e.Prefix)
		}
		if err == nil {
			id.Ends = append(id.Ends, p.s[from:p.i])
		}
	}
	switch id.Prefix {
	case "edge":
		if !top {
			return id, p.errorf("an edge cannot be a part of an id")
		}
		id.Predicate, err = p.upper()
		want(':')
		end(false)
		want(':')
		end(false)
	case "claim":
		id.Predicate, err = p.upper()
		want('|')
		part("")
		want('|')
		end(true)
		want('|')
		end(true)
	case "dom":
		end(false)
		want(':')
		part("")
	case "pred":
		end(false)
		want(':')
		part("")
		want(':')
		if err == nil {
			id.Predicate, err = p.upper()
		}
	case "event":
		part("")
		want(':')
		from := p.i
		part("")
		if err == nil {
			if n, e := strconv.Atoi(p.s[from:p.i]); e != nil || n < 1 || strconv.Itoa(n) != p.s[from:p.i] {
				err = p.errorf("turn %q is not a number from 1", p.s[from:p.i])
			}
		}
	case "session":
		part("")
		want(':')
		part("")
	case "chapter":
		part("#")
		want('#')
		part("#")
	case "person": // of 0.2.0
		part("/")
		want('/')
		part("/")
	case "mem":
		part("")
		if err == nil && !IsHash(id.Parts[0]) {
			err = p.errorf("a memory's id is mem: and 32 hexadecimal digits")
		}
	default:
		part("")
		if err == nil && id.Parts[0] == "" {
			err = p.errorf("the name is empty")
		}
	}
	return id, err
}

func isSimple(prefix string) bool {
	switch prefix {
	case "claim", "dom", "pred", "event", "session", "mem":
		return false
	}
	return true
}

func (p *idReader) prefix() (string, error) {
	from := p.i
	for p.i < len(p.s) {
		c := p.s[p.i]
		if c >= 'a' && c <= 'z' || p.i > from && (c >= '0' && c <= '9' || c == '_') {
			p.i++
			continue
		}
		break
	}
	if p.i == from || p.i >= len(p.s) || p.s[p.i] != ':' {
		return "", p.errorf("want a lower-case prefix and ':'")
	}
	p.i++
	return p.s[from : p.i-1], nil
}

// upper reads a predicate or edge type.
func (p *idReader) upper() (string, error) {
	from := p.i
	for p.i < len(p.s) {
		c := p.s[p.i]
		if c >= 'A' && c <= 'Z' || p.i > from && (c >= '0' && c <= '9' || c == '_') {
			p.i++
			continue
		}
		break
	}
	if p.i == from {
		return "", p.errorf("want a name in capitals")
	}
	return p.s[from:p.i], nil
}

// seg reads a free-text part up to ':', '|', one of sep or the end. Only characters that must be escaped may be, in upper-case hex.
func (p *idReader) seg(sep string) (string, error) {
	from, escaped := p.i, false
	for p.i < len(p.s) {
		c := p.s[p.i]
		if c == ':' || c == '|' || sep != "" && strings.IndexByte(sep, c) >= 0 {
			break
		}
		if c == '%' {
			escaped = true
			p.i++
			continue
		}
		r, w := utf8.DecodeRuneInString(p.s[p.i:])
		if r == utf8.RuneError && w == 1 {
			return "", p.errorf("not UTF-8")
		}
		if reserved(r, sep) {
			return "", p.errorf("%U must be escaped", r)
		}
		p.i += w
	}
	raw := p.s[from:p.i]
	if !escaped {
		return raw, nil
	}
	text := Unescape(raw)
	if !utf8.ValidString(text) || (Mint{V010}).EscapePart(text, sep) != raw {
		p.i = from
		return "", p.errorf("%q is not escaped correctly", cut(raw))
	}
	return text, nil
}
