package service

import (
	"cmp"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"membench/internal/codec"
	"membench/internal/jsonschema"
	"membench/internal/smallfile"
	"membench/internal/yamldoc"
	"membench/schema"
)

//go:embed specs/*.yaml
var shipped embed.FS

//go:embed spec.schema.json
var specSchema []byte

// SchemaJSON is the JSON Schema (2020-12) that a spec must meet.
func SchemaJSON() []byte { return slices.Clone(specSchema) }

// Spec describes one service. docs/adding-a-service.md explains every member.
type Spec struct {
	System     string            `json:"system"`
	Doc        string            `json:"doc"`
	Version    string            `json:"version"`
	Verified   string            `json:"verified"` // how the spec was compared with the service
	Compared   string            `json:"compared"` // client of the vendor, with version, whose requests were last compared with the spec's
	BaseURL    string            `json:"base_url"`
	Headers    map[string]string `json:"headers"`
	Variables  map[string]string `json:"variables"`
	Namespace  namespace         `json:"namespace"`
	OKWhen     *condition        `json:"ok_when"`
	Errors     []path            `json:"errors"`
	Timeout    duration          `json:"timeout"`
	Retry      retry             `json:"retry"`
	Limit      limit             `json:"limit"`
	Idempotent bool              `json:"idempotent"`

	Ping         *request  `json:"ping"`
	Open         []request `json:"open"`
	BeginSession []request `json:"begin_session"`
	Ingest       ingest    `json:"ingest"`
	EndSession   []request `json:"end_session"`
	Settle       []settle  `json:"settle"`
	Search       search    `json:"search"`
	List         *list     `json:"list"`
	Drop         []request `json:"drop"`
	Keeps        keeps     `json:"keeps"`
	Readback     string    `json:"readback"` // none | any | ids
}

type namespace struct {
	ID    string `json:"id"`
	Chars string `json:"chars"` // characters allowed in addition to ASCII letters and digits; "": all
	Max   int    `json:"max"`   // longest name in bytes; 0: no known limit
}

// condition holds if the value at path is one of in, or if all of its parts hold.
type condition struct {
	Path path        `json:"path"`
	In   []any       `json:"in"`
	All  []condition `json:"all"`
}

func (c *condition) holds(v any) bool {
	if len(c.All) > 0 {
		return !slices.ContainsFunc(c.All, func(x condition) bool { return !x.holds(v) })
	}
	have := c.Path.text(v)
	return slices.ContainsFunc(c.In, func(want any) bool { return text(want) == have })
}

// missing describes what an answer lacks that a condition which does not hold tests, "" if nothing.
func (c *condition) missing(v any) string {
	if c.holds(v) {
		return ""
	}
	for _, x := range c.All {
		if m := x.missing(v); m != "" {
			return m
		}
	}
	return c.Path.missing("the answer", v)
}

// said returns the values that a condition tests, for messages.
func (c *condition) said(v any) string {
	var out []string
	for _, x := range c.All {
		out = append(out, x.said(v))
	}
	if len(c.All) == 0 {
		out = append(out, c.Path.text(v))
	}
	return strings.Join(out, ", ")
}

type retry struct {
	Max      int        `json:"max"`       // retries (default: 4)
	On       []int      `json:"on"`        // status codes that are retried (default: 408 429 500 502 503 504)
	IngestOn []int      `json:"ingest_on"` // status codes after which certainly nothing was stored (default: 429 503)
	IngestIf *condition `json:"ingest_if"` // body with the same meaning, at any status
}

type limit struct {
	Concurrent int `json:"concurrent"` // requests at once over all namespaces (default: 4)
	PerMinute  int `json:"per_minute"` // 0: no limit
}

type request struct {
	Method string         `json:"method"`
	Path   string         `json:"path"`
	Query  map[string]any `json:"query"`
	Body   any            `json:"body"`
	Form   map[string]any `json:"form"` // parts of multipart/form-data in place of a body; NAME@FILE is a file
	// Headers are sent with this request only; no secrets.
	Headers map[string]string `json:"headers"`
	OK      []int             `json:"ok"`            // status codes that mean success (default: any 2xx)
	Ignore  []int             `json:"ignore_status"` // status codes that count as success without an answer
	Save    map[string]path   `json:"save"`
	Each    string            `json:"each"` // repeats the request for each saved value, or for each id listed ("listed")
}

type ingest struct {
	request
	Unit     string  `json:"unit"`      // turn | pair | session
	MaxTurns int     `json:"max_turns"` // most turns in one request
	MaxChars int     `json:"max_chars"` // most code points of one turn; longer turns are sent in parts
	Stored   *stored `json:"stored"`
	Origins  path    `json:"origins"` // ids that hits name as their sources
}

// stored describes the items in an ingest answer.
type stored struct {
	Items path `json:"items"`
	ID    path `json:"id"`
	Text  path `json:"text"`
	Old   path `json:"old"`
	Op    path `json:"op"`
}

type settle struct {
	request
	Done        *condition `json:"done"`
	Fail        *condition `json:"fail"`
	Count       path       `json:"count"` // done when it is at least the number of turns sent
	Every       duration   `json:"every"`
	Timeout     duration   `json:"timeout"`
	Consecutive int        `json:"consecutive"`
	Learn       *learn     `json:"learn"`
}

// learn reads which of the service's ids belongs to which turn.
type learn struct {
	Items path `json:"items"`
	ID    path `json:"id"`
	Turn  path `json:"turn"`
}

type fields struct {
	ID        path `json:"id"`
	Text      path `json:"text"`
	Score     path `json:"score"`
	Distance  path `json:"distance"` // distance in place of a score: smaller is nearer
	Created   path `json:"created"`
	Updated   path `json:"updated"`
	ValidFrom path `json:"valid_from"`
	ValidTo   path `json:"valid_to"`
	Meta      path `json:"meta"`
	Turns     path `json:"turns"`   // turn ids that we sent and the service returned
	Sources   path `json:"sources"` // the service's ids of the turns that we sent
	Session   path `json:"session"` // session of the turns, if nothing finer is returned
}

type search struct {
	request
	Items  path   `json:"items"`
	Fields fields `json:"fields"`
	Text   path   `json:"text"`   // one text in place of items
	Answer path   `json:"answer"` // in place of both: the service's own answer; the last value counts
	MaxK   int    `json:"max_k"`  // largest k that the service accepts; 0: no known limit
}

type list struct {
	request
	Items  path    `json:"items"`
	Fields fields  `json:"fields"`
	Paging *paging `json:"paging"`
	Limit  int     `json:"limit"` // limit of a list without pages: a list of this length is treated as truncated
}

type paging struct {
	Kind  string `json:"kind"` // page | offset | cursor | last_id
	Size  int    `json:"size"`
	First int    `json:"first"` // number of the first page (default: 1)
	Next  path   `json:"next"`  // cursor of the next page; absent at the end
	Total path   `json:"total"` // total number of items
}

// keeps describes which parts of the turns the service returns; `systems check` tests it.
type keeps struct {
	Dates    string `json:"dates"`    // turn | session | text | none: place where the time of a turn is returned
	Speakers bool   `json:"speakers"` // returns who said a turn
	Verbatim bool   `json:"verbatim"` // stores one item per turn, verbatim; otherwise the service writes its own text
}

// duration is a time in Go's form: 500ms, 2s, 10m.
type duration time.Duration

func (d *duration) UnmarshalJSON(b []byte) error {
	v, err := time.ParseDuration(codec.Unquote(b))
	*d = duration(v)
	return err
}

// Names lists the shipped specs, sorted.
func Names() []string {
	files, _ := fs.Glob(shipped, "specs/*.yaml") // the pattern is valid
	for i, f := range files {
		files[i] = strings.TrimSuffix(filepath.Base(f), ".yaml")
	}
	return files
}

// Load reads a shipped spec by name, or a file by path (a name that contains a separator or ends in .yaml or .yml). Errors in the file are *schema.Finding with
// a line.
func Load(nameOrPath string) (*Spec, error) {
	if strings.ContainsAny(nameOrPath, `/\`) || strings.HasSuffix(nameOrPath, ".yaml") || strings.HasSuffix(nameOrPath, ".yml") {
		b, err := smallfile.Read(nameOrPath)
		if err != nil {
			return nil, err
		}
		return Parse(nameOrPath, b)
	}
	b, err := Source(nameOrPath)
	if err != nil {
		return nil, err
	}
	return Parse(nameOrPath+".yaml", b)
}

// Source returns the text of a shipped spec, or a *schema.UsageError if the name is unknown.
func Source(name string) ([]byte, error) {
	b, err := shipped.ReadFile("specs/" + name + ".yaml")
	if err != nil {
		return nil, &schema.UsageError{Err: fmt.Errorf("there is no built-in spec %q: have %s; name your own file by its path", name, strings.Join(Names(), ", "))}
	}
	return b, nil
}

var compiled = sync.OnceValues(func() (*jsonschema.Schema, error) {
	set := jsonschema.NewSet()
	const url = "https://membench.local/service-spec"
	if err := set.Add(url, specSchema); err != nil {
		return nil, err
	}
	return set.Compile(url)
})

// Parse checks a spec and fills in the defaults. Errors are *schema.Finding, joined.
func Parse(file string, b []byte) (*Spec, error) {
	sch, err := compiled()
	if err != nil {
		return nil, fmt.Errorf("the schema of specs: %w", err)
	}
	doc, err := yamldoc.Parse(b, nil)
	var raw []byte
	if err == nil {
		raw, err = doc.JSON()
	}
	if err != nil {
		f := &schema.Finding{Pos: schema.Pos{File: file}, Code: "SVC001", Message: "not YAML: " + err.Error(), Hint: "correct the YAML at the place that is named"}
		if ye, ok := errors.AsType[*yamldoc.Error](err); ok {
			f.Message = "not YAML: " + ye.Msg
			f.Pos.Line, f.Pos.Col = ye.Line, ye.Col
		}
		return nil, f
	}
	where := positions(file, doc)
	var d jsonschema.Doc
	d.Parse(raw)
	if d.Broken || len(d.Nodes) == 0 {
		return nil, &schema.Finding{Pos: schema.Pos{File: file}, Code: "SVC001", Message: "no spec in it", Want: "a YAML mapping"}
	}
	var faults []error
	for _, v := range sch.Check(&d, 0) {
		if names := strings.Split(v.Message, "'"); v.Keyword == "additionalProperties" && len(names) > 2 {
			for i := 1; i < len(names); i += 2 {
				p := v.Pointer + schema.Pointer(names[i])
				faults = append(faults, &schema.Finding{Pos: where(p), Pointer: p, Code: "SVC002", Message: "unknown member", Hint: "docs/adding-a-service.md lists every member"})
			}
			continue
		}
		faults = append(faults, &schema.Finding{Pos: where(v.Pointer), Pointer: v.Pointer, Code: "SVC002", Message: v.Message, Have: v.Have, Want: v.Want,
			Hint: "docs/adding-a-service.md lists every member"})
	}
	if len(faults) > 0 {
		return nil, errors.Join(faults...)
	}
	s := &Spec{}
	if err := codec.Unmarshal(raw, s); err != nil {
		f := &schema.Finding{Pos: schema.Pos{File: file}, Code: "SVC002", Message: err.Error()}
		if ce, ok := errors.AsType[*codec.Error](err); ok {
			f.Pos, f.Pointer, f.Message = where(ce.Pointer), ce.Pointer, ce.Msg
		}
		return nil, f
	}
	for _, f := range s.lint(raw) {
		f.Pos = where(f.Pointer)
		faults = append(faults, f)
	}
	if len(faults) > 0 {
		return nil, errors.Join(faults...)
	}
	s.defaults()
	return s, nil
}

// positions finds the line of a JSON pointer in the YAML text.
func positions(file string, doc *yamldoc.Doc) func(pointer string) schema.Pos {
	return func(pointer string) schema.Pos {
		pos := schema.Pos{File: file}
		for p := pointer; ; p = p[:strings.LastIndexByte(p, '/')] { // for a missing member, the place of its parent
			if line, _, ok := doc.Place(yamlPath(p)); ok {
				pos.Line = line
				return pos
			}
			if p == "" {
				return pos
			}
		}
	}
}

func yamlPath(pointer string) string {
	out := "$"
	for tok := range strings.SplitSeq(strings.TrimPrefix(pointer, "/"), "/") {
		switch {
		case tok == "":
		case strings.Trim(tok, "0123456789") == "":
			out += "[" + tok + "]"
		default:
			out += ".'" + strings.NewReplacer("~1", "/", "~0", "~", "'", "").Replace(tok) + "'"
		}
	}
	return out
}

func (s *Spec) defaults() {
	orInt := func(p *int, v int) { *p = cmp.Or(*p, v) }
	orDur := func(p *duration, v time.Duration) { *p = cmp.Or(*p, duration(v)) }
	orDur(&s.Timeout, time.Minute)
	orInt(&s.Retry.Max, 4)
	if s.Retry.On == nil {
		s.Retry.On = []int{408, 429, 500, 502, 503, 504}
	}
	if s.Retry.IngestOn == nil {
		s.Retry.IngestOn = []int{429, 503}
	}
	orInt(&s.Limit.Concurrent, 4)
	if s.Ingest.Unit == "turn" {
		s.Ingest.MaxTurns = 1
	}
	s.Readback = cmp.Or(s.Readback, "any")
	for i := range s.Settle {
		t := &s.Settle[i]
		orDur(&t.Every, 2*time.Second)
		orDur(&t.Timeout, 10*time.Minute)
		orInt(&t.Consecutive, 1)
	}
	if s.List != nil && s.List.Paging != nil {
		orInt(&s.List.Paging.Size, 100)
		orInt(&s.List.Paging.First, 1)
	}
}
