package explain

import (
	"bufio"
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"membench/internal/codec"
	"membench/internal/stats"
	"membench/schema"
)

// A Label is a failed question for a person to say where it was lost. What explain says
// is not in it: a label that was led is no check.
type Label struct {
	System   string `json:"system"`
	Dataset  string `json:"dataset"`
	CaseID   string `json:"case_id"`
	Question string `json:"question_id"`
	Repeat   int    `json:"repeat"`
	Category string `json:"category"`
	Asked    string `json:"question"`
	Gold     string `json:"gold"`
	Answer   string `json:"answer"`
	Evidence string `json:"evidence"` // the turns that hold the gold
	Kept     string `json:"kept"`     // what the memory ever held of them, as far as it shows
	Hits     string `json:"hits"`     // what was retrieved, best first, and which of it was cut
	Context  string `json:"context"`  // what the reader saw; its beginning where it is long
	Hop      string `json:"hop"`      // to fill in: one of schema.Hops
	Cause    string `json:"cause"`    // to fill in: one of schema.Causes, or nothing
	Note     string `json:"note"`     // free
}

func (l Label) key() labelKey {
	return labelKey{group{l.System, l.Dataset, l.CaseID, l.Repeat}, l.Question}
}

type labelKey struct {
	group
	question string
}

func keyOf(r *schema.QARecord) labelKey {
	return labelKey{group{r.System, r.Dataset, r.CaseID, r.Repeat}, r.QuestionID}
}

// A Sample draws n failed questions of a stream: those whose keys, hashed with the seed,
// are smallest, so that neither the order nor the length of the stream matters. It holds
// n labels.
type Sample struct {
	n     int
	seed  uint64
	drawn []drawn
}

type drawn struct {
	hash  uint64
	label Label
}

// NewSample draws n.
func NewSample(n int, seed uint64) *Sample { return &Sample{n: n, seed: seed} }

// Labels are those drawn, in the order of the draw: the first m of them are a sample of
// m, too.
func (s *Sample) Labels() []Label {
	out := make([]Label, len(s.drawn))
	for i, d := range s.drawn {
		out[i] = d.label
	}
	return out
}

func (s *Sample) offer(r *schema.QARecord, label func() Label) {
	k := keyOf(r)
	sum := sha256.Sum256(fmt.Appendf(nil, "%d\x00%s\x00%s\x00%s\x00%d\x00%s", s.seed, k.System, k.Dataset, k.Case, k.Repeat, k.question))
	h := binary.BigEndian.Uint64(sum[:8])
	i, _ := slices.BinarySearchFunc(s.drawn, h, func(d drawn, h uint64) int { return cmp.Compare(d.hash, h) })
	if i >= s.n {
		return
	}
	s.drawn = slices.Insert(s.drawn, i, drawn{h, label()})
	s.drawn = s.drawn[:min(len(s.drawn), s.n)]
}

// Bounds of what a label shows.
const (
	labelHits    = 20   // hits
	labelContext = 4000 // code points
)

// label writes down what a person needs to know of a failed question.
func (x *explainer) label(r *schema.QARecord) Label {
	l := Label{System: r.System, Dataset: r.Dataset, CaseID: r.CaseID, Question: r.QuestionID, Repeat: r.Repeat, Category: r.Category,
		Asked: r.Question, Gold: strings.Join(r.AllGolds(), " / "), Answer: r.Answer, Context: r.Context}
	if r.Abstain {
		l.Gold = strings.TrimPrefix(l.Gold+" ", " ") + "(cannot be answered · 无法回答)"
	}
	var evidence, kept, hits []string
	s := x.until(r)
	for _, n := range x.told.needs(r) {
		if len(n.refs) == 0 {
			evidence = append(evidence, n.fact.Text)
		}
		for _, ref := range n.refs {
			p := x.told.turns[ref.TurnID]
			if p.turn == nil {
				evidence = append(evidence, x.told.name(ref))
				continue
			}
			evidence = append(evidence, fmt.Sprintf("%s, %s %s %s: %s", x.told.name(ref), p.session.ID, cmp.Or(p.turn.Time, p.session.Time), cmp.Or(p.turn.Name, p.turn.Role), p.text()))
		}
		known := n.refs
		ever, _ := x.ledger.carriers(n, s, x.frame)
		for _, ref := range known {
			for _, v := range x.ledger.byRef[ref] {
				if !slices.Contains(ever, v) && v.from <= s {
					ever = append(ever, v)
				}
			}
		}
		for _, v := range ever {
			line := fmt.Sprintf("%s: %s, session %s", v.id, v.text, x.sessionName(v.from))
			if !v.liveAt(s) {
				line += "; session " + x.sessionName(v.to) + ": " + v.fate()
			}
			if !slices.Contains(kept, line) {
				kept = append(kept, line)
			}
		}
	}
	for i, h := range r.Hits {
		if i == labelHits {
			hits = append(hits, fmt.Sprintf("… %d more", len(r.Hits)-i))
			break
		}
		cut := ""
		if h.Cut {
			cut = " (cut · 截断)"
		}
		hits = append(hits, fmt.Sprintf("%d. %s%s", h.Rank, h.Text, cut))
	}
	for _, b := range r.Below {
		if len(b.Sources) > 0 && slices.ContainsFunc(b.Sources, func(e schema.EventRef) bool { return slices.Contains(r.Evidence, e) }) {
			hits = append(hits, fmt.Sprintf("%d. %s (below k · 未入选)", b.Rank, b.ID))
		}
	}
	if c := []rune(l.Context); len(c) > labelContext {
		l.Context = string(c[:labelContext]) + "…"
	}
	l.Evidence, l.Kept, l.Hits = strings.Join(evidence, "\n"), strings.Join(kept, "\n"), strings.Join(hits, "\n")
	return l
}

// columns of a table of labels: name, what it is in Chinese, place in a Label.
var columns = []struct {
	name, zh string
	at       func(*Label) *string
}{
	{"system", "系统", func(l *Label) *string { return &l.System }},
	{"dataset", "数据集", func(l *Label) *string { return &l.Dataset }},
	{"case_id", "用例", func(l *Label) *string { return &l.CaseID }},
	{"question_id", "题号", func(l *Label) *string { return &l.Question }},
	{"category", "类别", func(l *Label) *string { return &l.Category }},
	{"question", "问题", func(l *Label) *string { return &l.Asked }},
	{"gold", "标准答案", func(l *Label) *string { return &l.Gold }},
	{"answer", "系统回答", func(l *Label) *string { return &l.Answer }},
	{"evidence", "证据轮次", func(l *Label) *string { return &l.Evidence }},
	{"kept", "记忆内容", func(l *Label) *string { return &l.Kept }},
	{"hits", "检索结果", func(l *Label) *string { return &l.Hits }},
	{"context", "上下文", func(l *Label) *string { return &l.Context }},
	{"hop", "丢失环节", func(l *Label) *string { return &l.Hop }},
	{"cause", "原因", func(l *Label) *string { return &l.Cause }},
	{"note", "备注", func(l *Label) *string { return &l.Note }},
}

// Form is how a file of labels is written.
type Form int

const (
	JSONL Form = iota
	TSV        // with a byte order mark, so that spreadsheets read Chinese
	CSV
)

// WriteLabels writes labels. Tables have a header in both languages.
func WriteLabels(w io.Writer, labels []Label, f Form) error {
	if f == JSONL {
		for _, l := range labels {
			b, err := codec.Append(nil, l, codec.Compact)
			if err == nil {
				_, err = w.Write(append(b, '\n'))
			}
			if err != nil {
				return err
			}
		}
		return nil
	}
	if _, err := io.WriteString(w, "\uFEFF"); err != nil {
		return err
	}
	t := csv.NewWriter(w)
	if f == TSV {
		t.Comma = '\t'
	}
	row := []string{"repeat 重复"}
	for _, c := range columns {
		row = append(row, c.name+" "+c.zh)
	}
	if err := t.Write(row); err != nil {
		return err
	}
	for i := range labels {
		row = append(row[:0], strconv.Itoa(labels[i].Repeat))
		for _, c := range columns {
			row = append(row, *c.at(&labels[i]))
		}
		if err := t.Write(row); err != nil {
			return err
		}
	}
	t.Flush()
	return t.Error()
}

// ReadLabels reads a file of labels. A line that cannot be read, and a hop or cause that
// is none, is finding EVL102 and left out; report may end the reading with an error.
func ReadLabels(r io.Reader, name string, f Form, report func(*schema.Finding) error) ([]Label, error) {
	var out []Label
	bad := func(line int, message, have, want string) error {
		return report(&schema.Finding{Pos: schema.Pos{File: name, Line: line}, Code: "EVL102", Message: message, Have: have, Want: want})
	}
	take := func(l Label, line int) error {
		var ok bool
		have := l.Hop
		if l.Hop, ok = word(l.Hop, schema.Hops(), hopWords); !ok {
			return bad(line, "this is no hop", have, strings.Join(schema.Hops(), ", "))
		}
		have = l.Cause
		if l.Cause, ok = word(l.Cause, schema.Causes(), causeWords); !ok {
			return bad(line, "this is no cause", have, strings.Join(schema.Causes(), ", "))
		}
		out = append(out, l)
		return nil
	}
	b := bufio.NewReader(r)
	if mark, err := b.Peek(3); err == nil && bytes.Equal(mark, []byte("\uFEFF")) {
		b.Discard(3)
	}
	if f == JSONL {
		for line := 1; ; line++ {
			text, end := b.ReadBytes('\n')
			if text = bytes.TrimSpace(text); len(text) > 0 {
				var l Label
				err := codec.Unmarshal(text, &l)
				if err == nil {
					err = take(l, line)
				} else {
					err = bad(line, "the line is no label: "+err.Error(), "", "")
				}
				if err != nil {
					return out, err
				}
			}
			if end == io.EOF {
				return out, nil
			}
			if end != nil {
				return out, end
			}
		}
	}
	t := csv.NewReader(b)
	t.FieldsPerRecord, t.LazyQuotes = -1, true
	if f == TSV {
		t.Comma = '\t'
	}
	var head []string
	for {
		row, err := t.Read()
		var wrong *csv.ParseError
		switch {
		case err == io.EOF:
			return out, nil
		case errors.As(err, &wrong):
			if err := bad(wrong.Line, "the line is no row of a table: "+wrong.Err.Error(), "", ""); err != nil {
				return out, err
			}
			continue
		case err != nil:
			return out, err
		}
		if head == nil {
			head = make([]string, len(row))
			for i, h := range row {
				head[i], _, _ = strings.Cut(h, " ")
			}
			for _, want := range []string{"system", "case_id", "question_id", "hop"} {
				if !slices.Contains(head, want) {
					return nil, fmt.Errorf("%s: the first line has no column %s: is it a file that --labels wrote?", name, want)
				}
			}
			continue
		}
		var l Label
		for i, text := range row {
			if i >= len(head) {
				break
			}
			if head[i] == "repeat" {
				l.Repeat, _ = strconv.Atoi(text)
			}
			for _, c := range columns {
				if c.name == head[i] {
					*c.at(&l) = text
				}
			}
		}
		line, _ := t.FieldPos(0)
		if err := take(l, line); err != nil {
			return out, err
		}
	}
}

// hopWords and causeWords are further names that people may write: Chinese ones, and
// the codes of seed 002's annotation.
var (
	hopWords = map[string]string{"金标": schema.HopGold, "标注": schema.HopGold, "摄取": schema.HopIngest, "写入": schema.HopIngest, "存储": schema.HopStore, "覆盖": schema.HopOverwrite,
		"检索": schema.HopRetrieve, "上下文": schema.HopContext, "阅读": schema.HopRead, "生成": schema.HopRead, "评判": schema.HopJudge, "评分": schema.HopJudge, "不明": schema.HopOpaque}
	causeWords = map[string]string{"缺失": schema.CauseMiss, "检索缺失": schema.CauseMiss, "冲突": schema.CauseConflict, "旧信息干扰": schema.CauseConflict, "冲突记忆干扰": schema.CauseConflict,
		"时序": schema.CauseTemporal, "时序混乱": schema.CauseTemporal, "幻觉": schema.CauseHallucination, "噪声幻觉": schema.CauseHallucination, "hallu": schema.CauseHallucination, "halluc": schema.CauseHallucination,
		"过载": schema.CauseOverload, "上下文过载": schema.CauseOverload, "生成失败": schema.CauseGeneration, "gen": schema.CauseGeneration}
)

// word reads a label: one of list, or a further name of one; "" is none given.
func word(s string, list []string, more map[string]string) (string, bool) {
	s = strings.ToLower(strings.TrimSpace(s))
	if w, ok := more[s]; ok {
		return w, true
	}
	return s, s == "" || slices.Contains(list, s)
}

// An Agreement is how far people and explain say the same of the labelled questions.
type Agreement struct {
	Labels  int     `json:"labels"`  // in the file with a hop or a cause
	Blank   int     `json:"blank"`   // with neither
	Unknown int     `json:"unknown"` // of questions that are not in the run, or did not fail there
	Hop     Kappa   `json:"hop"`
	Cause   Kappa   `json:"cause"`
	Apart   []Apart `json:"apart"` // where they differ, most frequent first
}

// Kappa is one agreement with its intervals at 95 %.
type Kappa struct {
	N          int      `json:"n"`
	Same       int      `json:"same"`
	Share      *float64 `json:"share"` // Same of N; null of none
	ShareLow   *float64 `json:"share_low"`
	ShareHigh  *float64 `json:"share_high"`
	Kappa      *float64 `json:"kappa"` // Cohen's; null where it is not defined
	KappaLow   *float64 `json:"kappa_low"`
	KappaHigh  *float64 `json:"kappa_high"`
	Prevalence string   `json:"most,omitzero"` // what people said most often: κ is unsure where one class has nearly all
}

// Apart is one disagreement.
type Apart struct {
	Of     string `json:"of"`     // hop or cause
	People string `json:"people"` // "" is no cause
	Tool   string `json:"tool"`
	N      int    `json:"n"`
}

// Compare joins labels with the attributions of records.
type Compare struct {
	labels map[labelKey]Label
	out    Agreement
	hops   map[[2]string]int
	causes map[[2]string]int
}

// NewCompare takes the labels that people gave.
func NewCompare(labels []Label) *Compare {
	c := &Compare{labels: map[labelKey]Label{}, hops: map[[2]string]int{}, causes: map[[2]string]int{}}
	for _, l := range labels {
		if l.Hop == "" && l.Cause == "" {
			c.out.Blank++
			continue
		}
		c.labels[l.key()] = l
	}
	c.out.Labels = len(c.labels)
	return c
}

// Add meets a record that has passed QA.
func (c *Compare) Add(r *schema.QARecord) {
	k := keyOf(r)
	l, ok := c.labels[k]
	if !ok || r.Attribution == nil {
		return
	}
	delete(c.labels, k)
	if l.Hop != "" {
		c.hops[[2]string{l.Hop, r.Attribution.Hop}]++
	}
	// A hop without a cause is a label "no cause" where the hop has none.
	if l.Cause != "" || l.Hop == schema.HopGold || l.Hop == schema.HopJudge || l.Hop == schema.HopOpaque {
		c.causes[[2]string{l.Cause, r.Attribution.Cause}]++
	}
}

// Agreement is what Add found.
func (c *Compare) Agreement() Agreement {
	a := c.out
	a.Unknown = len(c.labels)
	a.Hop, a.Cause = kappa(c.hops, schema.Hops()), kappa(c.causes, append(schema.Causes(), ""))
	a.Apart = []Apart{}
	for of, pairs := range map[string]map[[2]string]int{"hop": c.hops, "cause": c.causes} {
		for p, n := range pairs {
			if p[0] != p[1] {
				a.Apart = append(a.Apart, Apart{of, p[0], p[1], n})
			}
		}
	}
	slices.SortFunc(a.Apart, func(x, y Apart) int {
		return cmp.Or(y.N-x.N, cmp.Compare(y.Of, x.Of), cmp.Compare(x.People, y.People), cmp.Compare(x.Tool, y.Tool))
	})
	return a
}

func kappa(pairs map[[2]string]int, classes []string) Kappa {
	table := make([][]int, len(classes))
	most := make([]int, len(classes))
	for i := range table {
		table[i] = make([]int, len(classes))
		for j := range table {
			table[i][j] = pairs[[2]string{classes[i], classes[j]}]
			most[i] += table[i][j]
		}
	}
	k := stats.Cohen(table, .95)
	out := Kappa{N: k.N}
	for i := range table {
		out.Same += table[i][i]
	}
	if k.N == 0 {
		return out
	}
	out.Prevalence = classes[slices.Index(most, slices.Max(most))]
	share := float64(out.Same) / float64(k.N)
	w := stats.Wilson(out.Same, k.N, .95)
	out.Share, out.ShareLow, out.ShareHigh = &share, &w.Lo, &w.Hi
	out.Kappa, out.KappaLow, out.KappaHigh = defined(k.K), defined(max(k.CI.Lo, -1)), defined(min(k.CI.Hi, 1))
	return out
}

func defined(x float64) *float64 {
	if x != x {
		return nil
	}
	return &x
}
