package report

import (
	"bufio"
	"compress/gzip"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"errors"
	"fmt"
	"html"
	"html/template"
	"io"
	"net/url"

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
	hash := func(s string) template.HTML {
		h := sha256.Sum256([]byte(s))
		return template.HTML("'sha256-" + base64.StdEncoding.EncodeToString(h[:]) + "'")
	}
	v := struct {
		Lang, Title  string
		Policy, Data template.HTML
		Style        template.CSS
		Script       template.JS
		Sets         []section
		Made         []string
	}{Lang: "en", Title: r.Title, Style: template.CSS(pageCSS), Script: template.JS(pageJS), Data: template.HTML(packed),
		Policy: `<meta http-equiv="Content-Security-Policy" content="` + "default-src 'none'; script-src " + hash(pageJS) + " 'strict-dynamic'; style-src " + hash(pageCSS) + "; img-src data:; base-uri 'none'; form-action 'none'" + `">`}
	if lang == Chinese {
		v.Lang = "zh-CN"
	}
	for i := range r.Datasets {
		d, id := &r.Datasets[i], fmt.Sprintf("set%d", i)
		v.Sets = append(v.Sets, section{d, id, d.heading(), d.headline(), r.setting(d), d.overview(), d.plots(id), d.tables()})
	}
	for _, run := range r.Runs {
		v.Made = append(v.Made, run.line())
	}
	b := bufio.NewWriterSize(out, 1<<16)
	return errors.Join(pageTemplate.Execute(b, v), b.Flush())
}

// section is a data set's part of the page.
type section struct {
	*Dataset
	ID                         string
	Heading, Headline, Setting words
	Overview                   table
	Plots                      []captioned
	Tables                     []table
}

var pageTemplate = template.Must(template.New("page").Funcs(template.FuncMap{"both": func(en, zh string) template.HTML { return words{en, zh}.HTML() }}).Parse(pageHTML))

// HTML is the text in both languages; the style shows one.
func (t words) HTML() template.HTML {
	if t.same() {
		return template.HTML(html.EscapeString(t.en))
	}
	return template.HTML(fmt.Sprintf(`<span class="en" lang="en">%s</span><span class="zh" lang="zh-CN">%s</span>`, html.EscapeString(t.en), html.EscapeString(t.zh)))
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
