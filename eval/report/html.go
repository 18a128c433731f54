package report

import (
	"bufio"
	"compress/gzip"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html"
	"io"
	"net/url"
	"strings"

	"membench/internal/codec"
)

var (
	//go:embed page/index.html
	pageHTML string
	//go:embed page/style.css
	pageCSS string
	//go:embed page/report.js
	pageJS string
)

// Folder returns the name of the side files' folder below report_files: a digest of their content, so that a page never loads the files of another report; ""
// if there are none.
func (r *Report) Folder() string {
	if r.page == nil {
		return ""
	}
	return r.page.Folder
}

// HTML writes the page. Tables and plots are static, for print and for browsers without scripts; the answers are data that its script shows. lang is the
// initial language if the reader's browser prefers neither.
//
// No data becomes markup or script: texts are escaped, answers are base64, and the content policy allows only the program's script and the side files that it
// loads.
func (r *Report) HTML(out io.Writer, lang string) error {
	if r.page == nil {
		return fmt.Errorf("report: the page was not asked for: set Options.Pages")
	}
	js, err := codec.Append(nil, r.page, codec.Compact)
	if err != nil {
		return err
	}
	packed, err := pack(js, gzip.BestCompression)
	if err != nil {
		return err
	}
	hash := func(s string) string {
		h := sha256.Sum256([]byte(s))
		return "'sha256-" + base64.StdEncoding.EncodeToString(h[:]) + "'"
	}
	policy := "default-src 'none'; script-src " + hash(pageJS) + " 'strict-dynamic'; style-src " + hash(pageCSS) + "; img-src data:; base-uri 'none'; form-action 'none'"
	tag := "en"
	if lang == Chinese {
		tag = "zh-CN"
	}
	b := bufio.NewWriterSize(out, 1<<16)
	rest := pageHTML
	for _, part := range []struct {
		mark string
		fill func()
	}{
		{"{{lang}}", func() { b.WriteString(tag) }},
		{"{{policy}}", func() { b.WriteString(policy) }},
		{"{{title}}", func() { b.WriteString(html.EscapeString(r.Title)) }},
		{"{{style}}", func() { b.WriteString(pageCSS) }},
		{"{{heading}}", func() { b.WriteString(html.EscapeString(r.Title)) }},
		{"{{nav}}", func() { r.nav(b) }},
		{"{{body}}", func() { r.body(b) }},
		{"{{data}}", func() { b.WriteString(packed) }},
		{"{{script}}", func() { b.WriteString(pageJS) }},
	} {
		before, after, ok := strings.Cut(rest, part.mark)
		if !ok {
			return fmt.Errorf("report: the page has no %s", part.mark)
		}
		b.WriteString(before)
		part.fill()
		rest = after
	}
	b.WriteString(rest)
	return b.Flush()
}

// both writes a text in both languages; the style shows one.
func both(b *bufio.Writer, t words) {
	if t.same() {
		b.WriteString(html.EscapeString(t.en))
		return
	}
	fmt.Fprintf(b, `<span class="en" lang="en">%s</span><span class="zh" lang="zh-CN">%s</span>`, html.EscapeString(t.en), html.EscapeString(t.zh))
}

func (r *Report) nav(b *bufio.Writer) {
	for i := range r.Datasets {
		fmt.Fprintf(b, `<a href="#set%d">%s</a>`, i, html.EscapeString(r.Datasets[i].Name))
	}
}

func (r *Report) body(b *bufio.Writer) {
	for i := range r.Datasets {
		d := &r.Datasets[i]
		id := fmt.Sprintf("set%d", i)
		fmt.Fprintf(b, `<section class="set" id="%s"><h2>`, id)
		both(b, d.heading())
		b.WriteString(`</h2><p class="headline">`)
		both(b, d.headline())
		b.WriteString(`</p><p class="dim">`)
		both(b, r.setting(d))
		b.WriteString(`</p>`)
		d.overview().html(b)
		if len(d.Sanity) > 0 {
			b.WriteString(`<div class="sanity"><h3>`)
			both(b, w("Order of the reference systems", "参照系统的次序"))
			b.WriteString(`</h3><p class="dim">`)
			both(b, w("Notes, never failures; (~) marks intervals that overlap.", "仅为提示，不算失败；(~) 表示区间重叠。"))
			b.WriteString(`</p><ul>`)
			for _, n := range d.Sanity {
				class, sign := "holds", "✓"
				if !n.Holds {
					class, sign = "odd", "!"
				}
				fmt.Fprintf(b, `<li class="%s"><b aria-hidden="true">%s</b> `, class, sign)
				both(b, n.words())
				b.WriteString(`</li>`)
			}
			b.WriteString(`</ul></div>`)
		}
		for _, f := range d.plots(id) {
			fmt.Fprintf(b, `<figure><figcaption id="%s">`, f.id)
			both(b, f.caption)
			fmt.Fprintf(b, `</figcaption><div class="scroll" tabindex="0" role="group" aria-labelledby="%s">%s</div></figure>`, f.id, f.svg)
		}
		for _, t := range d.tables() {
			t.html(b)
		}
		if list := d.Warnings(); len(list) > 0 {
			b.WriteString(`<div class="warn"><h3>`)
			both(b, w("Caveats", "须知"))
			b.WriteString(`</h3><ul>`)
			for _, x := range list {
				fmt.Fprintf(b, `<li>%s</li>`, html.EscapeString(x))
			}
			b.WriteString(`</ul></div>`)
		}
		b.WriteString(`</section>`)
	}
	if len(r.Runs) > 0 {
		b.WriteString(`<section class="made"><h2>`)
		both(b, w("Made from", "来源"))
		b.WriteString(`</h2><ul>`)
		for _, x := range r.Runs {
			fmt.Fprintf(b, `<li>%s</li>`, html.EscapeString(x.line()))
		}
		b.WriteString(`</ul></section>`)
	}
}

// html writes a table; its first column stays in sight when the others scroll.
func (t table) html(b *bufio.Writer) {
	b.WriteString(`<div class="block">`)
	if t.title.en != "" {
		b.WriteString(`<h3>`)
		both(b, t.title)
		b.WriteString(`</h3>`)
	}
	b.WriteString(`<div class="scroll" tabindex="0" role="group"><table><thead><tr>`)
	for _, h := range t.head {
		class := ""
		if !h.text {
			class = ` class="n"`
		}
		fmt.Fprintf(b, `<th scope="col"%s>`, class)
		both(b, h.words)
		b.WriteString(`</th>`)
	}
	b.WriteString(`</tr></thead><tbody>`)
	for _, r := range t.rows {
		b.WriteString(`<tr>`)
		for i, c := range r {
			tag, class := "td", ` class="n"`
			if t.head[i].text {
				class = ""
			}
			if i == 0 {
				tag, class = `th scope="row"`, ""
			}
			fmt.Fprintf(b, `<%s%s>`, tag, class)
			if c.find != "" {
				fmt.Fprintf(b, `<a href="%s">`, html.EscapeString(c.find))
			}
			if c.strong {
				b.WriteString(`<strong>`)
			}
			both(b, c.words)
			if c.strong {
				b.WriteString(`</strong>`)
			}
			if c.find != "" {
				b.WriteString(`</a>`)
			}
			fmt.Fprintf(b, `</%s>`, tag[:2])
		}
		b.WriteString(`</tr>`)
	}
	b.WriteString(`</tbody></table></div>`)
	for _, n := range t.notes {
		b.WriteString(`<p class="dim">`)
		both(b, n)
		b.WriteString(`</p>`)
	}
	b.WriteString(`</div>`)
}

// address is the fragment that makes the page list answers: pairs of a filter's name
// and its value.
func address(pairs ...string) string {
	s := "#answers"
	for i := 0; i+1 < len(pairs); i += 2 {
		s += "&" + pairs[i] + "=" + url.QueryEscape(pairs[i+1])
	}
	return s
}
