// Package findings prints findings for people and for programs: text, JSON Lines, SARIF,
// JUnit and the workflow commands of GitHub Actions.
package findings

import (
	"fmt"
	"io"
	"path/filepath"
	"sort"
	"strings"

	"membench/internal/codec"
	"membench/schema"
)

// Formats are the forms in which findings can be printed.
func Formats() []string { return []string{"text", "json", "sarif", "github", "junit"} }

// A Printer writes findings in one of Formats as they come. Only SARIF rules and the
// summary's groups are held.
type Printer struct {
	Errors, Warnings int    // added so far
	Version          string // of the program, for SARIF
	// Text is a finding in the form text; nil: as the finding prints itself.
	Text func(*schema.Finding) string

	w       io.Writer
	format  string
	limit   int
	summary bool
	printed int
	groups  map[groupKey]*findingGroup
	rules   []string // codes in the order met
	ruleAt  map[string]int
	err     error
}

type groupKey struct {
	code    string
	pointer string // with indexes as *
	warning bool
}

type findingGroup struct {
	groupKey
	n     int
	first *schema.Finding
}

// New starts the output. At most limit findings are printed (0: all); with summary they
// are grouped by code and kind of place.
func New(w io.Writer, format string, limit int, summary bool) (*Printer, error) {
	p := &Printer{w: w, format: format, limit: limit, summary: summary, groups: map[groupKey]*findingGroup{}, ruleAt: map[string]int{},
		Text: (*schema.Finding).Error}
	switch format {
	case "sarif":
		p.printf("%s", sarifHead)
	case "junit":
		p.printf("%s", junitHead)
	}
	return p, p.err
}

func (p *Printer) printf(format string, args ...any) {
	if p.err == nil {
		_, p.err = fmt.Fprintf(p.w, format, args...)
	}
}

// Add counts a finding and prints it.
func (p *Printer) Add(f *schema.Finding) {
	if f.Warning {
		p.Warnings++
	} else {
		p.Errors++
	}
	if p.summary {
		k := groupKey{f.Code, generalPointer(f.Pointer), f.Warning}
		g := p.groups[k]
		if g == nil {
			g = &findingGroup{groupKey: k, first: f}
			p.groups[k] = g
		}
		g.n++
		if p.format == "text" || p.format == "json" {
			return
		}
	}
	if p.limit > 0 && p.printed >= p.limit {
		return
	}
	p.printed++
	switch p.format {
	case "text":
		p.printf("%s\n", p.Text(f))
	case "json":
		p.line(f)
	case "github":
		p.printf("%s\n", githubLine(f))
	case "sarif":
		p.sarif(f)
	case "junit":
		p.junit(f)
	}
}

func (p *Printer) line(v any) {
	b, err := codec.Append(nil, v, codec.Compact)
	if err != nil && p.err == nil {
		p.err = err
	}
	p.printf("%s\n", b)
}

// End closes the output.
func (p *Printer) End() error {
	switch {
	case p.format == "sarif":
		p.sarifTail()
	case p.format == "junit" && p.printed == 0:
		p.printf("<testcase classname=\"membench\" name=\"no findings\"/>\n%s", junitTail)
	case p.format == "junit":
		p.printf("%s", junitTail)
	}
	if p.summary && (p.format == "text" || p.format == "json") {
		list := make([]*findingGroup, 0, len(p.groups))
		for _, g := range p.groups {
			list = append(list, g)
		}
		sort.Slice(list, func(i, j int) bool {
			a, b := list[i], list[j]
			switch {
			case a.warning != b.warning:
				return b.warning
			case a.n != b.n:
				return a.n > b.n
			case a.code != b.code:
				return a.code < b.code
			}
			return a.pointer < b.pointer
		})
		for i, g := range list {
			if p.limit > 0 && i == p.limit {
				if p.format == "text" {
					p.printf("… and %s\n", Count(len(list)-i, "more group"))
				}
				break
			}
			info, _ := schema.Code(g.code)
			if p.format == "json" {
				p.line(struct {
					Code    string          `json:"code"`
					Pointer string          `json:"pointer,omitzero"`
					Warning bool            `json:"warning,omitzero"`
					Count   int             `json:"count"`
					Meaning string          `json:"meaning,omitzero"`
					Do      string          `json:"do,omitzero"`
					First   *schema.Finding `json:"first"`
				}{g.code, g.pointer, g.warning, g.n, info.Meaning, info.Do, g.first})
				continue
			}
			sev := "error"
			if g.warning {
				sev = "warning"
			}
			p.printf("%7d  %-7s  %s  %s\n", g.n, g.code, sev, strings.TrimSpace(g.pointer+"  "+info.Meaning))
			p.printf("         first: %v\n", g.first)
			if info.Do != "" {
				p.printf("         do: %s\n", info.Do)
			}
		}
	} else if n := p.Errors + p.Warnings - p.printed; n > 0 && p.format == "text" {
		p.printf("… and %s\n", Count(n, "more finding"))
	}
	return p.err
}

// generalPointer turns indexes into *: one group for all elements of an array.
func generalPointer(s string) string {
	toks := strings.Split(s, "/")
	for i, t := range toks {
		if i > 0 && t != "" && strings.Trim(t, "0123456789") == "" {
			toks[i] = "*"
		}
	}
	return strings.Join(toks, "/")
}

// githubLine is a workflow command of GitHub Actions: it marks the line in a review.
func githubLine(f *schema.Finding) string {
	data := strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	prop := strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
	level := "error"
	if f.Warning {
		level = "warning"
	}
	var b strings.Builder
	b.WriteString("::" + level + " ")
	if f.Pos.File != "" {
		b.WriteString("file=" + prop.Replace(filepath.ToSlash(f.Pos.File)) + ",")
	}
	if f.Pos.Line > 0 {
		fmt.Fprintf(&b, "line=%d,", f.Pos.Line)
	}
	if f.Pos.Col > 0 {
		fmt.Fprintf(&b, "col=%d,", f.Pos.Col)
	}
	b.WriteString("title=" + prop.Replace(f.Code) + "::")
	g := *f
	g.Pos, g.Code, g.Warning = schema.Pos{}, "", false
	text := strings.TrimPrefix(strings.Replace(g.Error(), ": : ", ": ", 1), ": ") // the code is the title
	b.WriteString(data.Replace(text))
	return b.String()
}

// Count is a number of things: "1 file", "2 files".
func Count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
