package qarp

import (
	"slices"
	"strings"
	"testing"

	"membench/eval/reader"
	"membench/memory"
	"membench/memory/baseline"
	"membench/schema"
)

// The eight memories of seed 002 §1.2, in words of our own with its facts and dates.
var eight = []struct{ time, text string }{
	{"2026-01-05", "我住在北京朝阳区"},
	{"2026-02-10", "我最近在找杭州的工作"},
	{"2026-03-15", "我养了一只叫小白的猫"},
	{"2026-04-20", "我搬到杭州西湖区了"},
	{"2026-05-01", "想找一家杭州的日料店，后来去了鹤矢日料"},
	{"2026-06-08", "我最近开始跑步了，每天5公里"},
	{"2026-07-12", "想找一家杭州的川菜馆，后来去了蜀乡情"},
	{"2026-08-03", "今天跑了10公里，比上个月进步不少"},
}

var eightInEnglish = []struct{ time, text string }{
	{"2026-01-05", "I live in the Chaoyang district of Beijing."},
	{"2026-02-10", "I have been looking for work in Hangzhou lately."},
	{"2026-03-15", "I have a cat called Snowy."},
	{"2026-04-20", "I moved to the West Lake district of Hangzhou."},
	{"2026-05-01", "Looking for a sushi place in Hangzhou, I found the Heron."},
	{"2026-06-08", "I started running recently, five kilometres every day."},
	{"2026-07-12", "Looking for a hotpot place in Hangzhou, I found the Red Lantern."},
	{"2026-08-03", "I ran ten kilometres today, much better than last month."},
}

func scene(t *testing.T, options string, memories []struct{ time, text string }) func(question string, k int) (ids []int, context string) {
	t.Helper()
	find := func(string) (memory.Spec, error) { return baseline.EmbeddingOnly(), nil }
	sys, err := Spec(find).Open(memory.Deps{}, []byte(options))
	if err != nil {
		t.Fatal(err)
	}
	m, err := sys.Open(t.Context(), memory.Namespace{Run: "r", Scope: "s"})
	if err != nil {
		t.Fatal(err)
	}
	b := memory.Batch{Key: "b", Session: "s"}
	for i, x := range memories {
		b.Turns = append(b.Turns, schema.Turn{Role: "user", Text: x.text, Time: x.time + "T10:00:00Z", Sources: []schema.EventRef{{ConvID: "c", TurnID: i + 1}}})
	}
	if _, err := m.Ingest(t.Context(), b); err != nil {
		t.Fatal(err)
	}
	return func(question string, k int) (ids []int, context string) {
		r, err := m.Retrieve(t.Context(), memory.Query{Text: question, K: k})
		if err != nil {
			t.Fatal(err)
		}
		for _, h := range r.Hits {
			ids = append(ids, h.Sources[0].TurnID)
		}
		if r.Context != "" {
			return ids, r.Context
		}
		var lines []string
		for _, h := range r.Hits {
			lines = append(lines, h.Text)
		}
		return ids, strings.Join(lines, "\n")
	}
}

// Scenes A to E of seed 002 §1.2: what QARP by rule shows, and what the unified search
// shows where the seed says it fails.
func TestScenes(t *testing.T) {
	index := func(ids []int, m int) int { return slices.Index(ids, m) }
	has := func(ids []int, m int) bool { return index(ids, m) >= 0 }
	for lang, c := range map[string]struct {
		memories []struct{ time, text string }
		q        map[string]string
	}{
		"zh": {eight, map[string]string{"A": "我的猫叫什么名字？", "B": "我是先开始跑步还是先搬到杭州的？", "C": "我现在住在哪里？", "D": "我提到过的餐厅里哪种菜系最多？", "E": "我跟你说过我的血型吗？"}},
		"en": {eightInEnglish, map[string]string{"A": "What is my cat called?", "B": "Did I start running before or after I moved to Hangzhou?", "C": "Where do I live now?", "D": "Which cuisine did I look for most often among the restaurants?", "E": "Did I ever tell you my blood type?"}},
	} {
		t.Run(lang, func(t *testing.T) {
			planned, plain := scene(t, `{}`, c.memories), scene(t, `{"without":["plan"]}`, c.memories)
			const k = 4
			for name, ask := range map[string]func(string, int) ([]int, string){"qarp": planned, "unified": plain} {
				if ids, _ := ask(c.q["A"], k); len(ids) == 0 || ids[0] != 3 {
					t.Errorf("A, %s: have %v, want M3 first", name, ids)
				}
			}
			ids, shown := planned(c.q["B"], k)
			if !has(ids, 4) || !has(ids, 6) || index(ids, 4) > index(ids, 6) || !slices.IsSorted(ids) {
				t.Errorf("B: have %v (%s), want M4 before M6, in the order of time", ids, shown)
			}
			if ids, _ := plain(c.q["B"], k); slices.IsSorted(ids) {
				t.Errorf("B, unified: have %v: the order of time by accident", ids)
			}
			if ids, shown = planned(c.q["C"], k); !has(ids, 4) || has(ids, 1) {
				t.Errorf("C: have %v (%s), want M4 without M1", ids, shown)
			}
			if ids, _ := plain(c.q["C"], k); !has(ids, 1) || has(ids, 4) && index(ids, 4) < index(ids, 1) {
				t.Errorf("C, unified: have %v, want the old M1 ahead", ids)
			}
			if ids, shown = planned(c.q["D"], k); !has(ids, 5) || !has(ids, 7) {
				t.Errorf("D: have %v (%s), want M5 and M7", ids, shown)
			}
			if ids, _ := plain(c.q["D"], k); has(ids, 5) && has(ids, 7) && len(ids) == 2 {
				t.Errorf("D, unified: have %v: nothing but the restaurants by accident", ids)
			}
			ids, shown = planned(c.q["E"], k)
			if len(ids) > 0 || shown != noMemory {
				t.Errorf("E: have %v (%s), want no relevant memory", ids, shown)
			}
			a, err := reader.Rule().Read(t.Context(), reader.Input{Question: schema.Question{Text: c.q["E"]}, Context: shown})
			if err != nil || a.Text != "" && !strings.Contains(a.Text, "没有") && !strings.Contains(a.Text, "No information") {
				t.Errorf("E: the rule reader answers %q (%v)", a.Text, err)
			}
			if ids, _ := plain(c.q["E"], k); len(ids) != k {
				t.Errorf("E, unified: have %v, want K hits whatever was asked", ids)
			}
		})
	}
}
