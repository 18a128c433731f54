package report

import (
	"fmt"
	"html"
	"html/template"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
)

// captioned is a plot with its caption. Plots carry no colour of their own: the page's
// style gives it by class, so that they follow light, dark and print; every number can
// be read from a table, too.
type captioned struct {
	ID      string // of the caption, which names the plot
	Caption words
	SVG     template.HTML
}

// canvas writes SVG. All text is escaped here.
type canvas struct {
	b strings.Builder
}

func (c *canvas) printf(format string, args ...any) { fmt.Fprintf(&c.b, format, args...) }

// n writes a coordinate: a tenth of a pixel is enough, and equal on all machines.
func n(x float64) string {
	return strconv.FormatFloat(math.Round(x*10)/10, 'f', -1, 64)
}

func (c *canvas) text(x, y float64, class, s string) {
	c.printf(`<text x="%s" y="%s" class="%s">%s</text>`, n(x), n(y), class, html.EscapeString(s))
}

// words writes a text in both languages; the page shows one of them.
func (c *canvas) words(x, y float64, class string, t words) {
	if t.same() {
		c.text(x, y, class, t.en)
		return
	}
	c.text(x, y, class+" en", t.en)
	c.text(x, y, class+" zh", t.zh)
}

func (c *canvas) line(x1, y1, x2, y2 float64, class string) {
	c.printf(`<path d="M%s %sL%s %s" class="%s"/>`, n(x1), n(y1), n(x2), n(y2), class)
}

func (c *canvas) rect(x, y, w, h float64, class, title string) {
	c.printf(`<rect x="%s" y="%s" width="%s" height="%s" class="%s">`, n(x), n(y), n(max(w, 0)), n(h), class)
	if title != "" {
		c.printf(`<title>%s</title>`, html.EscapeString(title))
	}
	c.printf(`</rect>`)
}

// end closes the picture; label names it for those who do not see it.
func (c *canvas) end(width, height float64, id string) template.HTML {
	return template.HTML(fmt.Sprintf(`<svg class="plot" viewBox="0 0 %s %s" width="%s" height="%s" role="img" aria-labelledby="%s">%s</svg>`, n(width), n(height), n(width), n(height), id, c.b.String()))
}

// wide is about how many pixels a text of 12 px takes.
func wide(s string) float64 {
	x := 0.0
	for _, r := range s {
		if r < 0x1100 {
			x += 6.7
		} else {
			x += 12
		}
	}
	return x
}

// fit cuts a text to a width.
func fit(s string, width float64) string {
	if wide(s) <= width {
		return s
	}
	for wide(s)+7 > width && s != "" {
		_, size := utf8.DecodeLastRuneInString(s)
		s = s[:len(s)-size]
	}
	return s + "…"
}
