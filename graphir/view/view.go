// Package view draws a graph as one self-contained HTML file: no network, no server, no library.
//
// The file holds two blocks of gzip in base64: the data of the first picture (places, labels, edges, titles), and the properties, which are read after that
// picture is drawn. The layout is computed here (see layout.go); the page only draws. Equal graphs give equal bytes, independent of the order of the input and
// the number of workers.
//
// The whole graph is held in memory: about 250 bytes per node and 60 per edge in addition to the text of ids and properties; equal edge properties are stored
// once.
package view

import (
	"cmp"
	"compress/gzip"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"html/template"
	"io"
	"maps"
	"runtime"
	"slices"
	"strings"

	"membench/internal/codec"
	"membench/schema"
	"membench/schema/catalog"
)

// Options of HTML. The zero value draws everything.
type Options struct {
	Title    string                          // heading of the page; "" is "membench graph"
	MaxNodes int                             // draw at most this many nodes, claims and their evidence first; 0 is all
	Workers  int                             // goroutines of the layout; 0 is one per processor; never changes a byte
	Report   func(*schema.Finding)           // called for each fault in the input; nil drops them, counted in Stats
	Progress func(unit string, done, of int) // called with the moves of the layout that are made, of all; nil: not reported
}

// Stats counts the elements that were drawn and omitted.
type Stats struct {
	Nodes        int            `json:"nodes"`
	Edges        int            `json:"edges"`
	Labels       map[string]int `json:"labels"` // nodes by label; a node with two labels counts twice
	Types        map[string]int `json:"types"`  // edges by type
	Communities  int            `json:"communities"`
	Changes      int            `json:"changes"`       // claims that are inactive or have a successor
	NodesOmitted int            `json:"nodes_omitted"` // by MaxNodes
	EdgesOmitted int            `json:"edges_omitted"` // because an end was omitted
	Dangling     int            `json:"dangling"`      // edges whose end is not in the input
	Duplicates   int            `json:"duplicates"`    // ids met again with other content
	Findings     int            `json:"findings"`      // all faults, those two included
	Bytes        int64          `json:"bytes"`         // size of the page
}

var (
	//go:embed page/index.html
	pageHTML string
	//go:embed page/style.css
	pageCSS string
	//go:embed page/words.js
	wordsJS string
	//go:embed page/view.js
	viewJS string
	//go:embed page/people.js
	peopleJS string
	//go:embed page/start.js
	startJS string

	pageJS = "(async () => {\n\"use strict\";\n" + wordsJS + viewJS + peopleJS + startJS + "})();\n"
)

// HTML reads a graph and writes its page. A finding in the input is counted,
// reported and skipped; any other error ends it. Nothing is written before the
// input has been read whole.
func HTML(w io.Writer, in schema.Seq[schema.Element], o Options) (Stats, error) {
	o.Title = cmp.Or(o.Title, "membench graph")
	if o.MaxNodes < 0 {
		return Stats{}, fmt.Errorf("view: MaxNodes is %d, want 0 or more", o.MaxNodes)
	}
	if o.Workers <= 0 {
		o.Workers = runtime.GOMAXPROCS(0)
	}
	var st Stats
	m, err := read(in, o, &st)
	if err != nil {
		return st, err
	}
	lay := arrange(m.pairs(), len(m.nodes), o)
	st.Communities = len(lay.communities)

	graph, err := m.graphBlock(o, st, lay)
	if err != nil {
		return st, err
	}
	cw := &countWriter{w: w}
	err = writePage(cw, o.Title, graph, m.propsBlock())
	st.Bytes = cw.n
	return st, err
}

type countWriter struct {
	w io.Writer
	n int64
}

func (c *countWriter) Write(p []byte) (int, error) {
	n, err := c.w.Write(p)
	c.n += int64(n)
	return n, err
}

// writePage fills the page. Nothing of the data is markup: the title is escaped,
// the blocks are base64, and the policy lets nothing run but the script that came
// with the binary, and nothing be fetched at all.
func writePage(w io.Writer, title string, graph, props []byte) error {
	hash := func(s string) template.HTML {
		h := sha256.Sum256([]byte(s))
		return template.HTML("'sha256-" + base64.StdEncoding.EncodeToString(h[:]) + "'")
	}
	v := struct {
		Title                string
		Policy, Graph, Props template.HTML
		Style                template.CSS
		Script               template.JS
	}{Title: cut(title, titleRunes), Style: template.CSS(pageCSS), Script: template.JS(pageJS),
		Policy: `<meta http-equiv="Content-Security-Policy" content="` + "default-src 'none'; script-src " + hash(pageJS) + "; style-src " + hash(pageCSS) + "; img-src data:; base-uri 'none'; form-action 'none'" + `">`}
	var err error
	if v.Graph, err = pack(graph); err != nil {
		return err
	}
	if v.Props, err = pack(props); err != nil {
		return err
	}
	return pageTemplate.Execute(w, v)
}

var pageTemplate = template.Must(template.New("page").Parse(pageHTML))

// pack is base64 of gzip.
func pack(b []byte) (template.HTML, error) {
	var out strings.Builder
	enc := base64.NewEncoder(base64.StdEncoding, &out)
	z, err := gzip.NewWriterLevel(enc, gzip.BestCompression)
	if err != nil {
		return "", err // unreachable: the level exists
	}
	_, err = z.Write(b)
	err = errors.Join(err, z.Close(), enc.Close())
	return template.HTML(out.String()), err
}

// header is the JSON part of the first block.
type header struct {
	Title       string      `json:"title"`
	Nodes       int         `json:"nodes"`
	Edges       int         `json:"edges"`
	Omitted     int         `json:"omitted"`
	Labels      []string    `json:"labels"`
	Looks       []pageLook  `json:"looks"` // of the labels
	Roles       []edgeRole  `json:"roles"` // of the types
	Predicates  predicates  `json:"predicates"`
	People      []person    `json:"people"`
	Open        [][]int     `json:"open"`  // claims that contradict each other, all active
	Since       int64       `json:"since"` // Unix seconds of the earliest node that has a time
	LabelSets   [][]int     `json:"labelSets"`
	Types       []string    `json:"types"`
	Statuses    []string    `json:"statuses"`
	Unit        float64     `json:"unit"` // steps of the grid of places per radius of the smallest node
	Communities []community `json:"communities"`
	IDs         []string    `json:"ids"`
	Titles      []string    `json:"titles"`
}

// pageLook is how the page draws a label and what it takes it for; one without a
// shape gets a spare look.
type pageLook struct {
	Role    string   `json:"role,omitempty"`
	Caption string   `json:"caption,omitempty"` // the property that holds the text of a node
	When    []string `json:"when,omitempty"`    // the properties that date a node
	Size    int      `json:"size,omitempty"`
	Rank    int      `json:"rank,omitempty"`
	Shape   string   `json:"shape,omitempty"`
	Light   string   `json:"light,omitempty"`
	Dark    string   `json:"dark,omitempty"`
}

type edgeRole struct {
	Role string `json:"role,omitempty"`
	Back bool   `json:"back,omitempty"`
}

type community struct {
	Size int `json:"n"`
	Head int `json:"head"` // its best connected node
}

// graphBlock is: length of the JSON (uint32, little endian), the JSON, then numbers
// as varints: x, y of each node; label set, status, community of each; of each edge,
// sorted by source, the step of the source, the target as signed difference to the
// source, the type; last the time of each node: 0 for none, or 1 + seconds after Since.
func (m *model) graphBlock(o Options, st Stats, lay layout) ([]byte, error) {
	labels, labelSets, setOf := m.labelTable()
	types, typeOf := table(len(m.edges), func(i int) string { return m.edges[i].typ })
	statuses, statusOf := table(len(m.nodes), func(i int) string { return m.nodes[i].status })
	h := header{
		Title: o.Title, Nodes: len(m.nodes), Edges: len(m.edges), Omitted: st.NodesOmitted,
		Labels: labels, LabelSets: labelSets, Types: types, Statuses: statuses,
		Unit: lay.unit, Communities: lay.communities,
		IDs: make([]string, len(m.nodes)), Titles: make([]string, len(m.nodes)),
	}
	c := catalog.Default()
	for _, l := range labels {
		x := c.Labels[l].Look
		h.Looks = append(h.Looks, pageLook{c.Labels[l].Role, x.Caption, c.Labels[l].When, x.Size, x.Rank, x.Shape, x.Light, x.Dark})
	}
	for _, t := range types {
		h.Roles = append(h.Roles, edgeRole{c.Edges[t].Role, c.Edges[t].Back})
	}
	h.Predicates = m.predicates(c)
	h.People, h.Open = m.overview(c)
	if h.Communities == nil {
		h.Communities = []community{}
	}
	for i, n := range m.nodes {
		h.IDs[i], h.Titles[i] = string(n.id), n.title
		if n.at != 0 && (h.Since == 0 || n.at < h.Since) {
			h.Since = n.at
		}
	}
	js, err := codec.Append(nil, h, codec.Compact)
	if err != nil {
		return nil, err
	}
	b := binary.LittleEndian.AppendUint32(nil, uint32(len(js)))
	b = append(b, js...)
	for i := range m.nodes {
		b = binary.AppendUvarint(b, uint64(lay.x[i]))
		b = binary.AppendUvarint(b, uint64(lay.y[i]))
	}
	for _, col := range [][]int{setOf, statusOf, lay.member} {
		for _, v := range col {
			b = binary.AppendUvarint(b, uint64(v))
		}
	}
	last := 0
	for i, e := range m.edges {
		b = binary.AppendUvarint(b, uint64(e.src-last))
		b = binary.AppendVarint(b, int64(e.dst-e.src))
		b = binary.AppendUvarint(b, uint64(typeOf[i]))
		last = e.src
	}
	for _, n := range m.nodes {
		at := uint64(0)
		if n.at != 0 {
			at = uint64(n.at-h.Since) + 1
		}
		b = binary.AppendUvarint(b, at)
	}
	return b, nil
}

// propsBlock is: number of distinct edge properties, length of each node's
// properties, length of each distinct edge properties, the index of each edge's
// (all varints), then the texts.
func (m *model) propsBlock() []byte {
	b := binary.AppendUvarint(nil, uint64(len(m.edgeProps)))
	for _, n := range m.nodes {
		b = binary.AppendUvarint(b, uint64(len(n.props)))
	}
	for _, p := range m.edgeProps {
		b = binary.AppendUvarint(b, uint64(len(p)))
	}
	for _, e := range m.edges {
		b = binary.AppendUvarint(b, uint64(e.props))
	}
	for _, n := range m.nodes {
		b = append(b, n.props...)
	}
	for _, p := range m.edgeProps {
		b = append(b, p...)
	}
	return b
}

// table numbers the distinct values, sorted.
func table(n int, value func(int) string) (names []string, index []int) {
	at := map[string]int{}
	for i := range n {
		at[value(i)] = 0
	}
	names = slices.Sorted(maps.Keys(at))
	for i, s := range names {
		at[s] = i
	}
	index = make([]int, n)
	for i := range n {
		index[i] = at[value(i)]
	}
	return names, index
}

// labelTable numbers labels and sets of labels; a set keeps the order of its node.
func (m *model) labelTable() (labels []string, sets [][]int, setOf []int) {
	var all []string
	for _, n := range m.nodes {
		all = append(all, n.labels...)
	}
	labels, _ = table(len(all), func(i int) string { return all[i] })
	keys, setOf := table(len(m.nodes), func(i int) string { return strings.Join(m.nodes[i].labels, "\x00") })
	sets = make([][]int, len(keys))
	for i, k := range keys {
		sets[i] = []int{}
		if k == "" {
			continue
		}
		for _, l := range strings.Split(k, "\x00") {
			at, _ := slices.BinarySearch(labels, l)
			sets[i] = append(sets[i], at)
		}
	}
	return labels, sets, setOf
}
