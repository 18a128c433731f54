package report

import (
	"bufio"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
)

// Languages of the Markdown form and of the page before someone chooses.
const (
	English = "en"
	Chinese = "zh"
)

var markdownEscapes = strings.NewReplacer("\\", "\\\\", "|", "\\|", "\r", "", "\n", " ", "<", "&lt;", ">", "&gt;", "&", "&amp;", "`", "\\`", "*", "\\*", "_", "\\_", "[", "\\[", "]", "\\]", "#", "\\#", "~", "\\~")

// Markdown writes the report as GitHub shows it, in English or Chinese.
func (r *Report) Markdown(out io.Writer, lang string) error {
	b := bufio.NewWriter(out)
	esc := markdownEscapes.Replace
	fmt.Fprintf(b, "## %s\n", esc(r.Title))
	for i := range r.Datasets {
		d := &r.Datasets[i]
		fmt.Fprintf(b, "\n### %s\n\n**%s**\n\n%s\n\n", esc(d.heading().in(lang)), esc(d.headline().in(lang)), esc(r.setting(d).in(lang)))
		d.overview().markdown(b, lang)
		if len(d.Sanity) > 0 {
			fmt.Fprintf(b, "\n%s\n\n", w("Order of the reference systems (notes, not failures; (~) marks intervals that overlap):", "参照系统的次序（仅为提示，不算失败；(~) 表示区间重叠）：").in(lang))
			for _, n := range d.Sanity {
				fmt.Fprintf(b, "- %s %s\n", mark(n), esc(n.words().in(lang)))
			}
		}
		for _, t := range d.tables() {
			fmt.Fprintf(b, "\n#### %s\n\n", esc(t.Title.in(lang)))
			t.markdown(b, lang)
		}
		if list := d.Warnings(); len(list) > 0 {
			fmt.Fprintf(b, "\n%s\n\n", w("Caveats:", "须知：").in(lang))
			for _, x := range list {
				fmt.Fprintf(b, "- %s\n", esc(x.String()))
			}
		}
	}
	if len(r.Runs) > 0 {
		fmt.Fprintf(b, "\n### %s\n\n", w("Made from", "来源").in(lang))
		for _, run := range r.Runs {
			fmt.Fprintf(b, "- %s\n", esc(run.line()))
		}
	}
	return b.Flush()
}

func mark(n Note) string {
	if n.Holds {
		return "✓"
	}
	return "!"
}

// line is one run in words.
func (x Run) line() string {
	s := x.Path
	if x.Membench != "" {
		s += ", membench " + x.Membench
	}
	if x.Now != "" {
		s += ", " + x.Now
	}
	for _, k := range slices.Sorted(maps.Keys(x.Models)) {
		s += ", " + k + ": " + x.Models[k]
	}
	return s
}

func (t table) markdown(b *bufio.Writer, lang string) {
	for i, h := range t.Head {
		if i == 0 {
			b.WriteString("|")
		}
		fmt.Fprintf(b, " %s |", markdownEscapes.Replace(h.in(lang)))
	}
	b.WriteString("\n|")
	for _, h := range t.Head {
		if h.Text {
			b.WriteString("---|")
		} else {
			b.WriteString("---:|")
		}
	}
	b.WriteString("\n")
	for _, r := range t.Rows {
		b.WriteString("|")
		for _, c := range r {
			s := markdownEscapes.Replace(c.in(lang))
			if c.Strong {
				s = "**" + s + "**"
			}
			fmt.Fprintf(b, " %s |", s)
		}
		b.WriteString("\n")
	}
	for _, n := range t.Notes {
		fmt.Fprintf(b, "\n%s\n", markdownEscapes.Replace(n.in(lang)))
	}
}
