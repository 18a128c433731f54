package baseline

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"membench/internal/rank"
	"membench/internal/textnorm"
	"membench/memory"
	"membench/memory/native"
	"membench/memory/op"
	"membench/memory/recall"
	"membench/memory/store"
	"membench/schema"
)

// MemUOptions of MemU 1.5.
type MemUOptions struct {
	ModeOptions
	Types    []string `json:"types"`    // of items that are taken out of a session, one call each
	Assign   float64  `json:"assign"`   // minimum cosine at which an item belongs to a category; 0: 0.25, or the hashing embedder's
	TopK     int      `json:"top_k"`    // categories, items and sessions that are looked at
	Salience bool     `json:"salience"` // items rank by how often and how lately they were said, too
	Words    int      `json:"words"`    // of a category's summary
}

// categories of MemU, with words that by rule put an item there.
var memuCategories = []struct{ name, words string }{
	{"personal_info", "name age birthday live born job work married home city family 名字 岁 生日 住 出生 工作"},
	{"preferences", "like love prefer favourite favorite enjoy hate dislike 喜欢 爱 讨厌 最爱"},
	{"relationships", "friend sister brother mother father wife husband partner colleague boss 朋友 姐 妹 哥 弟 妈 爸 妻 丈夫 同事"},
	{"activities", "go went play run swim hike cook paint visit travel 去 玩 跑 游泳 旅行 做饭"},
	{"goals", "plan want goal hope dream will intend 打算 想 目标 希望 计划"},
	{"experiences", "was had happened remember first once trip 经历 发生 记得 曾经"},
	{"knowledge", "know learn means how definition book course 知道 学 定义 书"},
	{"opinions", "think believe opinion feel seems 觉得 认为 看法"},
	{"habits", "always usually every often never morning weekly daily 总是 经常 每 习惯"},
	{"work_life", "project meeting team office client company deadline 项目 会议 团队 公司 客户"},
}

// MemU extracts items from sessions, by type, and puts them into categories with summaries that are rewritten. A question searches categories, then items, then
// sessions, until the results suffice.
//
// Faithful: a question that the model considers to need no memory finds nothing, and one that the model considers answered by the categories' summaries finds
// no items; a repeated item is stored again; an item whose category does not exist has none. Fixed: every question finds items; a repetition is counted on the
// item; an item is in the nearest category.
func MemU() memory.Spec {
	return modal("memu", "items by type in categories with summaries (MemU 1.5)", MemUOptions{Types: []string{"profile", "event"}, TopK: 5, Words: 300}, newMemU)
}

func newMemU(d memory.Deps, o MemUOptions) (memory.System, error) {
	for _, t := range o.Types {
		if !slices.Contains([]string{"profile", "event", "knowledge", "behavior", "skill"}, t) {
			return nil, fmt.Errorf("type %q: have profile, event, knowledge, behavior and skill", t)
		}
	}
	d.Embed = embedder(d)
	o.Assign = gate(o.Assign, d.Embed, 0.25, hashNear)
	caps := memory.Capabilities{Unit: "fact", Retrieval: memory.RetrievalRanked, Calls: &memory.Calls{EmbedPerSession: memory.Span{Max: many}, EmbedPerQuery: memory.Span{Max: 2}}}
	gated(&caps, d.Embed)
	asks(&caps, d, memory.Calls{LLMPerSession: memory.Span{Min: len(o.Types), Max: len(o.Types) + len(memuCategories)}, LLMPerQuery: memory.Span{Min: 1, Max: 3}}, op.PurposeItems, op.PurposeSummary, op.PurposeDecide, op.PurposeEnough)
	return native.New(native.Options{Name: "memu", Version: version, Mode: o.Mode, Config: o, Deps: d, Caps: caps, New: func(scope string) native.Policy {
		return &memu{o: o, d: d, scope: scope, st: store.New(store.Options{Scope: scope, Embed: d.Embed}), sums: map[string]memuCategory{}, known: map[string]int{}}
	}}), nil
}

type memuItem struct {
	count int
	last  string // said again
}

type memuCategory struct {
	rec store.Record // its summary
	vec []float32
}

type memu struct {
	o      MemUOptions
	d      memory.Deps
	scope  string
	st     *store.Linear
	items  []memuItem // by position
	sums   map[string]memuCategory
	buffer []native.Observation
	known  map[string]int // items by kind, owner and text
	names  lexicon        // categories
	now    string
}

func (p *memu) Store(_ context.Context, o native.Observation, _ *memory.Receipt) error {
	p.buffer = append(slices.Clip(p.buffer), o)
	return nil
}

type itemAnswer struct {
	Content    string   `json:"content"`
	Categories []string `json:"categories"`
	Turns      []int    `json:"turns"`
	kind       string
}

// EndSession makes items of the session's turns.
func (p *memu) EndSession(ctx context.Context, _ string, r *memory.Receipt) error {
	if len(p.buffer) == 0 {
		return nil
	}
	w := op.Begin(ctx, p.d, r)
	items := p.extract(w)
	said := texts(items, func(it itemAnswer) string { return it.Content })
	if len(p.names.names) == 0 {
		for _, c := range memuCategories {
			said = append(said, strings.ReplaceAll(c.name, "_", " "))
		}
	}
	vecs := w.Embed(said...)
	if w.Err != nil {
		return w.Err
	}
	for i, v := range vecs[len(items):] {
		p.names.add(memuCategories[i].name, v)
	}
	touched := map[string][]string{}
	for i := range items {
		items[i].Categories = p.assign(items[i], vecs[i])
		for _, c := range items[i].Categories {
			touched[c] = append(touched[c], items[i].Content)
		}
	}
	names := slices.Sorted(maps.Keys(touched))
	var sums []string
	for _, name := range names { // rewrites the summary of each changed category
		sums = append(sums, w.Summary(op.PurposeSummary, p.sums[name].rec.Text, touched[name], p.o.Words, nil))
	}
	of := w.Embed(sums...)
	if w.Err != nil {
		return w.Err
	}
	p.now = p.buffer[len(p.buffer)-1].Time
	p.keep(items, vecs, r)
	for i, name := range names {
		rec := p.buffer[len(p.buffer)-1].Made("summary", sums[i])
		rec.ID, rec.Status, rec.Attachments = schema.PointID(p.scope+":category:"+name), memory.StatusActive, nil
		for _, o := range p.buffer {
			rec.Sources = memory.Union(rec.Sources, o.Sources)
		}
		p.sums[name] = memuCategory{store.Rewrite(p.sums[name].rec, rec, r), of[i]}
	}
	p.buffer = nil
	return nil
}

// extract takes items out of the session, a call for each type.
func (p *memu) extract(w *op.Work) (out []itemAnswer) {
	turns := numbered(p.buffer)
	for _, kind := range p.o.Types {
		for _, it := range op.Member(w, op.PurposeItems, "items", "TYPE\n"+kind+"\n\nTURNS\n"+turns, func() []itemAnswer { return p.ruleItems(kind) }) {
			if it.kind = kind; textnorm.Strip(it.Content) != "" {
				out = append(out, it)
			}
		}
	}
	return out
}

// ruleItems returns the facts of a kind: what someone is, has or likes is profile; general knowledge and habits have their kinds; everything else is an event.
func (p *memu) ruleItems(kind string) (out []itemAnswer) {
	var turns []schema.Turn
	for _, o := range p.buffer {
		turns = append(turns, o.Turns...)
	}
	for _, f := range op.CaptionedFacts(turns) {
		is := "event"
		switch cats := ruleCategories(f.Text); {
		case slices.Contains(cats, "habits") && slices.Contains(p.o.Types, "behavior"):
			is = "behavior"
		case slices.Contains(cats, "knowledge") && slices.Contains(p.o.Types, "knowledge"):
			is = "knowledge"
		case slices.Contains(cats, "personal_info") || slices.Contains(cats, "preferences") || slices.Contains(cats, "relationships"):
			is = "profile"
		}
		if is == kind || !slices.Contains(p.o.Types, is) && kind == p.o.Types[0] {
			it := itemAnswer{Content: f.Text, Categories: ruleCategories(f.Text)}
			for _, i := range f.Turns {
				it.Turns = append(it.Turns, i+1)
			}
			out = append(out, it)
		}
	}
	return out
}

func ruleCategories(text string) (out []string) {
	low := " " + strings.ToLower(text) + " "
	for _, c := range memuCategories {
		if slices.ContainsFunc(strings.Fields(c.words), func(w string) bool {
			if w[0] < 0x80 {
				w = " " + w
			}
			return strings.Contains(low, w)
		}) {
			out = append(out, c.name)
		}
	}
	return out
}

// assign returns the categories of an item: those named that exist, or (fixed) those with a near name, or experiences.
func (p *memu) assign(it itemAnswer, v []float32) (out []string) {
	for _, c := range it.Categories {
		if _, ok := p.names.at[c]; ok && !slices.Contains(out, c) {
			out = append(out, c)
		}
	}
	if len(out) > 0 || p.o.Mode == native.Faithful {
		return out
	}
	for _, c := range p.names.near(v, 0, p.o.Assign) {
		out = append(out, p.names.names[c.Pos])
	}
	if len(out) == 0 {
		out = []string{"experiences"}
	}
	return out
}

func (p *memu) keep(items []itemAnswer, vecs [][]float32, r *memory.Receipt) {
	for i, it := range items {
		rec := recordOf(p.buffer, entry{Text: it.Content, Turns: it.Turns})
		key := strings.Join([]string{it.kind, rec.UserID, rec.AgentID, textnorm.Key(it.Content)}, "\x00")
		if at, known := p.known[key]; known && p.o.Mode == native.Fixed {
			old := p.st.At(at)
			old.Sources, old.Attachments = memory.Union(old.Sources, rec.Sources), append(slices.Clone(old.Attachments), rec.Attachments...)
			p.items[at].count++
			p.items[at].last = rec.Time
			r.Changes = append(r.Changes, memory.Change{Op: memory.OpNone, ID: old.ID, Old: old.Text})
			continue
		}
		rec.Kind = it.kind
		p.known[key] = p.st.Len()
		p.st.Add(rec, vecs[i], r)
		if p.o.Mode == native.Faithful { // it is never said again: its age is unknown
			rec.Time = ""
		}
		p.items = append(p.items, memuItem{1, rec.Time})
	}
}

// salience is a cosine with how often and how many days ago an item was said.
func salience(cos float64, count int, days float64) float64 {
	return cos * math.Log(float64(count)+1) * math.Exp(-0.693*days/30)
}

func (p *memu) Recall(ctx context.Context, q memory.Query) (memory.Retrieved, error) {
	return recall.Pipeline{func(ctx context.Context, s *recall.State) error {
		type answer struct {
			Retrieve bool   `json:"retrieve"`
			Query    string `json:"query"`
		}
		w := op.Begin(ctx, p.d, &s.Receipt)
		a := op.JSON(w, op.PurposeDecide, q.Text, nil, func() answer { return answer{true, q.Text} })
		if w.Err != nil || p.o.Mode == native.Faithful && !a.Retrieve {
			return w.Err
		}
		if p.o.Mode == native.Faithful { // one question alone is not rewritten
			a.Query = ""
		}
		a.Query = cmp.Or(strings.TrimSpace(a.Query), q.Text)
		v, err := s.Vector(ctx, a.Query)
		if err != nil || p.st.Len() == 0 {
			return err
		}
		type check struct {
			Enough bool   `json:"enough"`
			Query  string `json:"query"`
		}
		s.Context = p.categories(v, q)
		enough := op.JSON(w, op.PurposeEnough, a.Query+"\n\nFOUND\n"+s.Context, nil, func() (c check) { return c })
		if w.Err != nil || p.o.Mode == native.Faithful && enough.Enough {
			return w.Err
		}
		if v, err = s.Vector(ctx, cmp.Or(strings.TrimSpace(enough.Query), a.Query)); err != nil {
			return err
		}
		if s.List = p.rank(s, v); p.o.Mode == native.Faithful {
			s.List = s.List[:min(p.o.TopK, len(s.List))]
		}
		return nil
	}}.Run(ctx, p.st, q)
}

// categories are the summaries of those nearest to the question.
func (p *memu) categories(v []float32, q memory.Query) (shown string) {
	all := slices.Sorted(maps.Keys(p.sums))
	for _, c := range recall.Among(len(all), p.o.TopK, func(i int) (float64, bool) {
		c := p.sums[all[i]]
		return recall.Dot(c.vec, v), c.rec.For(q)
	}) {
		shown += "(" + all[c.Pos] + ")\n" + p.sums[all[c.Pos]].rec.Text + "\n"
	}
	return strings.TrimSpace(shown)
}

func (p *memu) rank(s *recall.State, v []float32) []recall.Scored {
	near := recall.Nearest(p.st, v, 0, s.Eligible)
	if !p.o.Salience {
		return near
	}
	score := map[int]float64{}
	for _, c := range near {
		it := p.items[c.Pos]
		days := seconds(it.last, p.now) / 86400
		if _, ok := schema.ParseInstant(it.last); !ok {
			days = 30 // unknown age: half
		}
		score[c.Pos] = rank.Round6(salience(c.Score, it.count, days))
	}
	return recall.Best(score)
}

// Records lists items and the categories' summaries.
func (p *memu) Records() []store.Record {
	out := p.st.Records()
	for _, name := range slices.Sorted(maps.Keys(p.sums)) {
		out = append(out, p.sums[name].rec)
	}
	return out
}

func (p *memu) Clone() native.Policy {
	c := *p
	c.st, c.items, c.sums, c.buffer = p.st.Clone(), slices.Clone(p.items), maps.Clone(p.sums), slices.Clone(p.buffer)
	c.known, c.names = maps.Clone(p.known), p.names.clone()
	return &c
}
