// Package visible is the one way for text from data to a terminal: what a terminal
// would obey, or not show, becomes readable escapes. Those are control characters (C0
// without tab and line feed, DEL, C1), bytes that are not UTF-8, and characters that
// turn the direction of text, have no width or break lines unseen.
package visible

import (
	"fmt"
	"io"
	"unicode/utf8"
)

func appendText[T string | []byte](dst []byte, s T) []byte {
	for i := 0; i < len(s); {
		if c := s[i]; c < utf8.RuneSelf {
			if hidden(rune(c)) {
				dst = fmt.Appendf(dst, `\x%02x`, c)
			} else {
				dst = append(dst, c)
			}
			i++
			continue
		}
		r, n := utf8.DecodeRuneInString(string(s[i:min(i+utf8.UTFMax, len(s))]))
		switch {
		case r == utf8.RuneError && n == 1:
			dst = fmt.Appendf(dst, `\x%02x`, s[i])
		case !hidden(r):
			dst = utf8.AppendRune(dst, r)
		case r > 0xffff:
			dst = fmt.Appendf(dst, `\U%08x`, r)
		default:
			dst = fmt.Appendf(dst, `\u%04x`, r)
		}
		i += n
	}
	return dst
}

// hidden reports whether a terminal would obey r or not show it.
func hidden(r rune) bool {
	switch {
	case r == '\n' || r == '\t':
		return false
	case r < 0x20, r >= 0x7f && r < 0xa0: // C0, DEL, C1
		return true
	case r == 0x061c, r == 0x200e, r == 0x200f, r >= 0x202a && r <= 0x202e, r >= 0x2066 && r <= 0x206f: // direction
		return true
	case r >= 0x200b && r <= 0x200d, r >= 0x2060 && r <= 0x2064, r == 0xfeff, r == 0x180e, r == 0x00ad, r >= 0xe0000 && r <= 0xe007f: // no width
		return true
	case r == 0x2028, r == 0x2029: // lines
		return true
	}
	return false
}

// A Writer passes on what is written to it as the package says.
type Writer struct {
	w    io.Writer
	tail []byte // the start of a character that is not whole yet
	buf  []byte
}

// NewWriter returns a Writer to w.
func NewWriter(w io.Writer) *Writer { return &Writer{w: w} }

// Write fails as w does. A character may be divided between two writes.
func (v *Writer) Write(p []byte) (int, error) {
	all := p
	if len(v.tail) > 0 {
		all = append(v.tail, p...)
	}
	whole := len(all)
	for i := 1; i < utf8.UTFMax && i <= len(all); i++ {
		if c := all[len(all)-i]; c >= 0xc0 { // a first byte
			if !utf8.FullRune(all[len(all)-i:]) {
				whole = len(all) - i
			}
			break
		} else if c < utf8.RuneSelf {
			break
		}
	}
	v.buf = appendText(v.buf[:0], all[:whole])
	v.tail = append([]byte(nil), all[whole:]...)
	if _, err := v.w.Write(v.buf); err != nil {
		return 0, err
	}
	return len(p), nil
}
