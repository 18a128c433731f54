package report

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"container/heap"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strings"

	"membench/internal/codec"
	"membench/schema"
)

// Sizes of side files: few enough files for a folder, small enough to open at once.
const (
	answersBytes = 2 << 20 // of records before compression, about
	answersRows  = 1000
	indexRows    = 10_000
	lineText     = 160 // code points of a question, gold or answer in a list
)

// pages collects the single answers for the HTML page.
type pages struct {
	o     Options
	table pageTable
	all   bool // every answer is embedded: there are no side files
	quota int  // of each of the two sets, of each system and data set
	n     int

	drawn, failed map[[2]int]*smallest
	batch         [][]byte // records of the side file that is being filled
	size          int
	files         int
	rows          rows // of the index file that is being filled
	index         []indexFile
	digest        []byte // running sha256 over the side files
}

// pageTable has the names that rows refer to by number.
type pageTable struct {
	Systems    []string `json:"systems"`
	Datasets   []string `json:"datasets"`
	Categories []string `json:"categories"`
	Verdicts   []string `json:"verdicts"`
	Hops       []string `json:"hops"`   // the first is "": no attribution
	Causes     []string `json:"causes"` // like Hops
}

// rows are answers in columns, for lists, filters and search.
type rows struct {
	First    int      `json:"first"` // number of the first row in the run; embedded rows have At instead
	System   []int    `json:"s"`
	Dataset  []int    `json:"d"`
	Category []int    `json:"c"`
	Verdict  []int    `json:"v"`
	Hop      []int    `json:"h"`
	Cause    []int    `json:"u"`
	Repeat   []int    `json:"r"`
	File     []int    `json:"f"` // side file that holds the record
	Place    []int    `json:"i"` // in it
	Case     []string `json:"k"`
	Question []string `json:"id"`
	Text     []string `json:"q"`
	Gold     []string `json:"g"`
	Answer   []string `json:"a"`
	At       []int    `json:"at,omitempty"` // number in the run, of embedded rows
}

// indexFile describes the content of an index file, so that a filter need not open it.
type indexFile struct {
	Rows     int   `json:"n"`
	First    int   `json:"first"`
	System   []int `json:"s"` // those that occur, sorted
	Dataset  []int `json:"d"`
	Category []int `json:"c"`
	Verdict  []int `json:"v"`
	Hop      []int `json:"h"`
	Cause    []int `json:"u"`
}

// pageData is the data embedded in the page.
type pageData struct {
	pageTable
	Total   int         `json:"total"`  // answers of the run
	Folder  string      `json:"folder"` // digest of the side files below report_files; "" if there are none
	Index   []indexFile `json:"index"`
	Rows    rows        `json:"rows"`    // embedded
	Records []raw       `json:"records"` // of them, in the same order
	Drawn   int         `json:"drawn"`
	Failed  int         `json:"failed"`
}

// raw is JSON that is made already.
type raw []byte

func (r raw) MarshalJSON() ([]byte, error) { return r, nil }

// one is an answer that may be embedded.
type one struct {
	draw   uint64 // its place in the draw: a hash of its key
	at     int
	row    [9]int
	text   [5]string
	record []byte
}

// smallest keeps the k answers of the smallest draw: a sample that the order of records
// does not change.
type smallest struct {
	k    int
	list []one // a heap, the largest draw first
}

func (s *smallest) Len() int           { return len(s.list) }
func (s *smallest) Less(i, j int) bool { return s.list[i].draw > s.list[j].draw }
func (s *smallest) Swap(i, j int)      { s.list[i], s.list[j] = s.list[j], s.list[i] }
func (s *smallest) Push(x any)         { s.list = append(s.list, x.(one)) }
func (s *smallest) Pop() any {
	x := s.list[len(s.list)-1]
	s.list = s.list[:len(s.list)-1]
	return x
}

func (s *smallest) wants(draw uint64) bool { return len(s.list) < s.k || draw < s.list[0].draw }

func (s *smallest) add(x one) {
	heap.Push(s, x)
	if len(s.list) > s.k {
		heap.Pop(s)
	}
}

func newPages(o Options, r *Report) *pages {
	p := &pages{o: o, drawn: map[[2]int]*smallest{}, failed: map[[2]int]*smallest{}}
	p.table = pageTable{Verdicts: []string{Right, Wrong, Unscored, Ungraded}, Hops: append([]string{""}, schema.Hops()...), Causes: append([]string{""}, schema.Causes()...), Categories: schema.Categories()}
	answers, groups := 0, 0
	for i := range r.Datasets {
		d := &r.Datasets[i]
		p.table.Datasets = append(p.table.Datasets, d.Name)
		for j := range d.Systems {
			groups++
			for _, n := range d.Systems[j].Summary.Outcomes {
				answers += n
			}
			number(&p.table.Systems, d.Systems[j].Name())
		}
	}
	p.all = answers <= 2*o.Embed
	p.quota = max(3, o.Embed/max(groups, 1))
	if p.all {
		p.quota = max(answers, 1)
	}
	return p
}

// number returns the position of a name in a list and appends a new name.
func number(list *[]string, name string) int {
	if i := slices.Index(*list, name); i >= 0 {
		return i
	}
	*list = append(*list, strings.Clone(name))
	return len(*list) - 1
}

// drawOf returns the position of an answer in the random sample, independent of clock and order.
func drawOf(q *schema.QARecord) uint64 {
	h := sha256.Sum256(fmt.Appendf(nil, "%s\x00%s\x00%s\x00%s\x00%d", q.Dataset, q.System, q.CaseID, q.QuestionID, q.Repeat))
	return binary.BigEndian.Uint64(h[:])
}

func (p *pages) add(q *schema.QARecord, verdict string, at [2]int) error {
	hop, cause := "", ""
	if q.Attribution != nil {
		hop, cause = q.Attribution.Hop, q.Attribution.Cause
	}
	x := one{draw: drawOf(q), at: p.n, row: [9]int{number(&p.table.Systems, q.System), number(&p.table.Datasets, q.Dataset), number(&p.table.Categories, q.Category),
		number(&p.table.Verdicts, verdict), number(&p.table.Hops, hop), number(&p.table.Causes, cause), q.Repeat, p.files, len(p.batch)},
		text: [5]string{q.CaseID, q.QuestionID, cutText(q.Question, lineText), cutText(q.Gold, lineText), cutText(q.Answer, lineText)}}
	for i, s := range x.text {
		x.text[i] = strings.Clone(s) // a part of its record would keep all of it
	}
	p.n++
	var sets []*smallest
	if verdict == Wrong || verdict == Unscored {
		sets = append(sets, set(p.failed, at, p.quota))
	}
	sets = append(sets, set(p.drawn, at, p.quota))
	sets = slices.DeleteFunc(sets, func(s *smallest) bool { return !s.wants(x.draw) })
	side := p.o.Side != nil && !p.all
	if !side && len(sets) == 0 {
		return nil
	}
	record, err := codec.Append(nil, p.shown(q), codec.Compact)
	if err != nil {
		return fmt.Errorf("%s, %s, %s: %w", q.System, q.CaseID, q.QuestionID, err)
	}
	for _, s := range sets {
		y := x
		y.record = record
		s.add(y)
	}
	if !side {
		return nil
	}
	p.batch = append(p.batch, record)
	p.size += len(record)
	p.rows.add(x)
	if len(p.batch) >= answersRows || p.size >= answersBytes {
		if err := p.flushAnswers(); err != nil {
			return err
		}
	}
	if len(p.rows.System) >= indexRows {
		return p.flushIndex()
	}
	return nil
}

func set(m map[[2]int]*smallest, at [2]int, k int) *smallest {
	if m[at] == nil {
		m[at] = &smallest{k: k}
	}
	return m[at]
}

// shown is the record as the page shows it: long texts are cut, and say by how much.
func (p *pages) shown(q *schema.QARecord) schema.QARecord {
	r := *q
	r.Context = cutText(r.Context, p.o.MaxText)
	r.Answer = cutText(r.Answer, p.o.MaxText)
	r.Question = cutText(r.Question, p.o.MaxText)
	hits := make([]schema.QAHit, len(r.Hits))
	for i, h := range r.Hits {
		h.Text = cutText(h.Text, max(500, p.o.MaxText/10))
		hits[i] = h
	}
	r.Hits = hits
	grades := make([]schema.Grade, len(r.Grades))
	for i, g := range r.Grades {
		g.Reply = cutText(g.Reply, 4000)
		grades[i] = g
	}
	r.Grades = grades
	r.Extra = schema.Extra{}
	return r
}

// cutText keeps the first n code points and says how many it removed.
func cutText(s string, n int) string {
	if len(s) <= n {
		return s
	}
	count, at := 0, len(s)
	for i := range s {
		if count == n {
			at = i
		}
		count++
	}
	if count <= n {
		return s
	}
	return fmt.Sprintf("%s … (+%d)", s[:at], count-n)
}

func (r *rows) add(x one) {
	for i, col := range []*[]int{&r.System, &r.Dataset, &r.Category, &r.Verdict, &r.Hop, &r.Cause, &r.Repeat, &r.File, &r.Place} {
		*col = append(*col, x.row[i])
	}
	for i, col := range []*[]string{&r.Case, &r.Question, &r.Text, &r.Gold, &r.Answer} {
		*col = append(*col, x.text[i])
	}
}

// write packs v and writes it as a script that passes it to the page: a page opened from disk may load only scripts.
func (p *pages) write(name string, v any) error {
	js, err := codec.Append(nil, v, codec.Compact)
	if err != nil {
		return err
	}
	packed, err := pack(js, gzip.BestSpeed)
	if err != nil {
		return err
	}
	file := fmt.Appendf(nil, "membenchSide(%q,\"%s\");\n", name, packed)
	sum := sha256.Sum256(append(append(p.digest, name...), file...))
	p.digest = sum[:]
	return p.o.Side(name+".js", file)
}

// pack makes base64 of gzip of b: no text of the data is script or markup.
func pack(b []byte, level int) (string, error) {
	var out bytes.Buffer
	enc := base64.NewEncoder(base64.StdEncoding, &out)
	z, err := gzip.NewWriterLevel(enc, level)
	if err != nil {
		return "", err
	}
	if _, err := z.Write(b); err != nil {
		return "", err
	}
	if err := cmp.Or(z.Close(), enc.Close()); err != nil {
		return "", err
	}
	return out.String(), nil
}

func (p *pages) flushAnswers() error {
	if len(p.batch) == 0 {
		return nil
	}
	list := make([]raw, len(p.batch))
	for i, b := range p.batch {
		list[i] = b
	}
	err := p.write(fmt.Sprintf("answers-%06d", p.files), list)
	p.batch, p.size = nil, 0
	p.files++
	return err
}

func (p *pages) flushIndex() error {
	n := len(p.rows.System)
	if n == 0 {
		return nil
	}
	p.rows.First = p.n - n
	r := &p.rows
	p.index = append(p.index, indexFile{n, r.First, distinct(r.System), distinct(r.Dataset), distinct(r.Category), distinct(r.Verdict), distinct(r.Hop), distinct(r.Cause)})
	err := p.write(fmt.Sprintf("index-%05d", len(p.index)-1), p.rows)
	p.rows = rows{}
	return err
}

func distinct(x []int) []int { return slices.Compact(slices.Sorted(slices.Values(x))) }

// end writes the rest and returns the data to embed.
func (p *pages) end() (*pageData, error) {
	if err := p.flushAnswers(); err != nil {
		return nil, err
	}
	if err := p.flushIndex(); err != nil {
		return nil, err
	}
	d := &pageData{pageTable: p.table, Total: p.n, Index: p.index}
	if d.Index == nil {
		d.Index = []indexFile{}
	}
	if p.files > 0 {
		d.Folder = hex.EncodeToString(p.digest)[:16]
	}
	kept := map[int]one{}
	for i, m := range []map[[2]int]*smallest{p.drawn, p.failed} {
		for _, s := range m {
			for _, x := range s.list {
				kept[x.at] = x
			}
			if i == 0 {
				d.Drawn += len(s.list)
			} else {
				d.Failed += len(s.list)
			}
		}
	}
	list := slices.SortedFunc(maps.Values(kept), func(a, b one) int { return cmp.Compare(a.at, b.at) })
	for _, x := range list {
		d.Rows.add(x)
		d.Rows.At = append(d.Rows.At, x.at)
		d.Records = append(d.Records, x.record)
	}
	return d, nil
}
