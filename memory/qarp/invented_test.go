package qarp

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"membench/internal/stats"
	"membench/memory"
	"membench/memory/baseline"
	"membench/schema"
)

// An invented question: what must be shown, what must not, and in which order.
type invented struct {
	kind    string // IE, TR, KU, MR, ABS
	text    string
	want    []int // turns that must be shown
	not     []int // turns that must not be
	inOrder bool  // the wanted ones in the order of time
	nothing bool
}

type talk struct {
	lines     []string // a turn each, a week apart
	questions []invented
}

// talks are 30 dialogues in English and 30 in Chinese with a question of each type: the
// answer is known by the way they are made. Every list has its own length, so that no
// two dialogues are alike.
func talks() (out []talk) {
	cities, zhCities := []string{"Lisbon", "Ghent", "Turin", "Malmo", "Porto", "Graz", "Lyon"}, []string{"杭州", "苏州", "成都", "青岛", "昆明", "西安", "厦门"}
	pets, zhPets := []string{"Biscuit", "Pepper", "Saffron", "Juniper", "Waffle"}, []string{"小白", "豆豆", "花花", "团团", "咪咪"}
	sports, zhSports := [][3]string{{"run along the canal before breakfast", "swim in the old pool twice a week", "climb with two colleagues"}, {"tried yoga in the barn", "run on Sundays with a club", "bike to the lighthouse and back"}}, [][3]string{{"我每天早上跑步", "我周三去游泳", "我和同事去爬山"}, {"我试过瑜伽", "我周日跑步", "我骑车去灯塔"}}
	things, zhThings := []string{"blood type", "shoe size", "passport number", "landlord's surname", "dentist's address", "childhood nickname"}, []string{"血型", "鞋码", "护照号码", "房东姓氏", "牙医地址", "座右铭"}
	skills, zhSkills := []string{"pottery", "Swedish", "the cello", "welding"}, []string{"陶艺", "法语", "大提琴", "焊接"}
	noise := []string{"The ferry was late again this morning.", "I watched herons by the mill.", "My neighbour repaired the roof with slate.", "The museum opened a wing for maps.", "We had soup and talked about the elections.", "A train strike begins on Friday.", "The choir sang in the chapel.", "I finished a long novel about whalers."}
	zhNoise := []string{"今天渡轮又晚点了。", "邻居修好了屋顶。", "博物馆开了新的展厅。", "我们喝汤聊天到很晚。", "周五开始铁路罢工。", "合唱团在教堂演出。", "我读完了一本很厚的小说。", "河边来了很多白鹭。"}
	for i := range 60 {
		zh := i%2 == 1
		n := i / 2
		from, to, pet, set, thing, skill := n%7, (n+1+n/7%5)%7, n%5, n/5%2, n%6, n%4
		t := talk{lines: make([]string, 16)}
		say := func(at int, en, cn string) {
			if t.lines[at] = en; zh {
				t.lines[at] = cn
			}
		}
		for k := range t.lines {
			say(k, noise[(n+k*3)%8], zhNoise[(n+k*3)%8])
		}
		home, cat, lesson, moved := 0, 2+n%3, 6+n%2, 9+n%3
		if n%2 == 1 {
			lesson, moved = 12, 7+n%3
		}
		say(home, "I live in "+cities[from]+".", "我住在"+zhCities[from]+"。")
		say(cat, "I have a cat called "+pets[pet]+".", "我养了一只叫"+zhPets[pet]+"的猫。")
		say(lesson, "I started learning "+skills[skill]+".", "我开始学"+zhSkills[skill]+"。")
		say(moved, "I moved to "+cities[to]+".", "我搬到"+zhCities[to]+"了。")
		sport := []int{1, 5, 14}
		for k, at := range sport {
			say(at, "I "+sports[set][k]+".", zhSports[set][k]+"。")
		}
		ask := func(en, cn string) string {
			if zh {
				return cn
			}
			return en
		}
		order := []int{min(lesson, moved), max(lesson, moved)}
		t.questions = []invented{
			{kind: schema.CatIE, text: ask("What is my cat called?", "我的猫叫什么名字？"), want: []int{cat}},
			{kind: schema.CatTR, text: ask("Did I start learning "+skills[skill]+" before or after I moved to "+cities[to]+"?", "我是先开始学"+zhSkills[skill]+"还是先搬到"+zhCities[to]+"的？"), want: order, inOrder: true},
			{kind: schema.CatKU, text: ask("Where do I live now?", "我现在住在哪里？"), want: []int{moved}, not: []int{home}},
			{kind: schema.CatMR, text: ask("How many sports do I do?", "我做哪些运动？"), want: sport},
			{kind: schema.CatABS, text: ask("Did I ever tell you my "+things[thing]+"?", "我跟你说过我的"+zhThings[thing]+"吗？"), nothing: true},
		}
		out = append(out, t)
	}
	return out
}

// right reports whether what was shown answers the question as it was made, and how many
// of the hits are noise.
func (q invented) right(r memory.Retrieved) (ok bool, noise int) {
	var ids []int
	for _, h := range r.Hits {
		ids = append(ids, h.Sources[0].TurnID-1)
	}
	for _, id := range ids {
		if !slices.Contains(q.want, id) {
			noise++
		}
	}
	if q.nothing {
		return len(ids) == 0, noise
	}
	at := -1
	for _, w := range q.want {
		i := slices.Index(ids, w)
		if i < 0 || q.inOrder && i < at {
			return false, noise
		}
		at = i
	}
	return !slices.ContainsFunc(q.not, func(n int) bool { return slices.Contains(ids, n) }), noise
}

// Each ablation costs what it should on the invented set, and nothing elsewhere.
func TestAblations(t *testing.T) {
	set := talks()
	kinds := []string{schema.CatIE, schema.CatTR, schema.CatKU, schema.CatMR, schema.CatABS}
	const k = 6
	score := map[string]map[string][]float64{}
	noise := map[string]float64{}
	for _, without := range append([]string{""}, Ablations()...) {
		options := `{}`
		if without != "" {
			options = fmt.Sprintf(`{"without":[%q]}`, without)
		}
		sys, err := Spec(func(string) (memory.Spec, error) { return baseline.EmbeddingOnly(), nil }).Open(memory.Deps{}, []byte(options))
		if err != nil {
			t.Fatal(err)
		}
		score[without] = map[string][]float64{}
		for i, c := range set {
			m, err := sys.Open(t.Context(), memory.Namespace{Run: "r", Scope: fmt.Sprint(i)})
			if err != nil {
				t.Fatal(err)
			}
			b := memory.Batch{Key: "b", Session: "s"}
			for n, line := range c.lines {
				b.Turns = append(b.Turns, schema.Turn{Role: "user", Text: line, Time: fmt.Sprintf("2026-%02d-%02dT10:00:00Z", n/4+1, n%4*7+1), Sources: []schema.EventRef{{ConvID: "c", TurnID: n + 1}}})
			}
			if _, err := m.Ingest(t.Context(), b); err != nil {
				t.Fatal(err)
			}
			for _, q := range c.questions {
				r, err := m.Retrieve(t.Context(), memory.Query{Text: q.text, K: k})
				if err != nil {
					t.Fatal(err)
				}
				ok, extra := q.right(r)
				x := 0.0
				if ok {
					x = 1
				}
				score[without][q.kind] = append(score[without][q.kind], x)
				noise[without] += float64(extra) / 300
			}
		}
	}
	var table strings.Builder
	fmt.Fprintf(&table, "| QARP by rule | %s | noise |\n", strings.Join(kinds, " | "))
	mean := func(without, kind string) float64 { return stats.Mean(score[without][kind]) }
	for _, without := range append([]string{""}, Ablations()...) {
		name := "whole"
		if without != "" {
			name = "− " + without
		}
		fmt.Fprintf(&table, "| %s |", name)
		for _, kind := range kinds {
			n := len(score[without][kind])
			in := stats.Wilson(int(stats.Mean(score[without][kind])*float64(n)+.5), n, .95)
			fmt.Fprintf(&table, " %.1f [%.1f, %.1f] |", 100*mean(without, kind), 100*in.Lo, 100*in.Hi)
		}
		fmt.Fprintf(&table, " %.2f |\n", noise[without])
	}
	doc, err := os.ReadFile("../../docs/experiments.md")
	if err != nil {
		t.Fatal(err)
	}
	for row := range strings.Lines(table.String()) {
		if !strings.Contains(string(doc), row) {
			t.Errorf("docs/experiments.md is not current: it lacks %s", row)
		}
	}
	for kind, n := range map[string]int{schema.CatIE: 60, schema.CatABS: 60} {
		if len(score[""][kind]) != n {
			t.Errorf("%d questions of %s, want %d", len(score[""][kind]), kind, n)
		}
	}
	for _, kind := range kinds {
		if m := mean("", kind); m < .6 {
			t.Errorf("QARP whole: %.2f of %s, want at least 0.6", m, kind)
		}
	}
	for part, hurt := range map[string]string{"time": schema.CatTR, "latest": schema.CatKU, "gate": schema.CatABS, "parts": schema.CatMR} {
		for _, kind := range kinds {
			loss := mean("", kind) - mean(part, kind)
			if kind == hurt && loss < .25 {
				t.Errorf("without %s: %s falls by %.2f, want at least 0.25", part, kind, loss)
			}
			if kind != hurt && (loss > .05 || loss < -.05) {
				t.Errorf("without %s: %s moves by %.2f, want nothing", part, kind, -loss)
			}
		}
	}
	if noise["refine"] <= noise[""] {
		t.Errorf("without refining %.2f of the hits are noise, with it %.2f: want less", noise["refine"], noise[""])
	}
	for _, kind := range kinds[1:] {
		if mean("plan", kind) >= mean("", kind) {
			t.Errorf("without a plan %s is %.2f, with it %.2f: want less", kind, mean("plan", kind), mean("", kind))
		}
	}
}
