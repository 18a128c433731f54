//go:build unix

package pcm

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"membench/memory"
	"membench/schema"
)

// A plant is a short invented dialogue whose last turn contradicts, confirms, or has
// nothing to do with one earlier turn.
type plant struct {
	kind  string // Contradictory | Consistent | Novel
	lines []string
}

// Shapes of statements: what is said first, what contradicts it, what confirms it. %[1]s
// is the first value, %[2]s another one.
var shapes = []struct{ first, against, again string }{
	{"I live in %[1]s.", "I moved to %[2]s.", "I live in %[1]s, as you know."},
	{"I work as a %[3]s.", "I now work as a %[4]s.", "I still work as a %[3]s."},
	{"My favourite drink is %[5]s.", "My favourite drink is now %[6]s.", "My favourite drink is %[5]s, no doubt."},
	{"I eat %[5]s every morning.", "I no longer eat %[5]s.", "I had %[5]s this morning, I eat it every morning."},
	{"I am afraid of dogs near %[1]s.", "Actually I am not afraid of dogs near %[1]s any more.", "Dogs near %[1]s still make me afraid."},
	{"My sister is called %[7]s.", "My sister calls herself %[8]s these days.", "My sister %[7]s is called that after our aunt."},
	{"我住在%[9]s。", "我搬到%[10]s了。", "我住在%[9]s，住了很久。"},
	{"我最喜欢的饮料是%[11]s。", "我最喜欢的饮料变成%[12]s了。", "我最喜欢的饮料还是%[11]s。"},
	{"我喜欢吃%[13]s。", "我不喜欢吃%[13]s了。", "我昨天又吃了%[13]s，真喜欢。"},
	{"我在%[9]s的医院工作。", "我现在在%[10]s的学校工作。", "我在%[9]s的医院工作，很忙。"},
}

var values = [][]string{
	{"Lyon", "Ghent", "Turin", "Malmo", "Porto"}, {"baker", "nurse", "carpenter", "pilot", "teacher"},
	{"oolong", "cocoa", "cider", "porridge", "espresso"}, {"Ines", "Clara", "Greta", "Nora", "Ida"},
	{"杭州", "苏州", "成都", "青岛", "昆明"}, {"普洱茶", "豆浆", "咖啡", "果汁", "绿茶"}, {"牛丼", "火锅", "豆腐", "米线", "饺子"},
}

var others = []string{"It rained on the ferry all afternoon.", "My neighbour repaired the roof with slate.", "We watched herons by the canal.", "昨天的音乐会很长。", "邻居修好了屋顶。",
	"The museum has a new wing for maps.", "A train strike begins on Friday.", "Our choir sings in the old mill.", "图书馆周一不开门。", "河边来了很多白鹭。"}

// planted makes n dialogues of each kind: every shape with every pair of values, in turn.
func planted(n int) (out []plant) {
	for i := range n {
		s := shapes[i%len(shapes)]
		var v []any
		for _, list := range values[:4] {
			v = append(v, list[i/len(shapes)%5], list[(i/len(shapes)+1+i/50%4)%5])
		}
		for _, list := range values[4:6] {
			v = append(v, list[i/len(shapes)%5], list[(i/len(shapes)+1+i/50%4)%5])
		}
		v = append(v, values[6][i/len(shapes)%5])
		say := func(f string) string { return fmt.Sprintf(f+"%[14]s", append(slices.Clone(v), "")...) }
		before := []string{others[i%10], say(s.first), others[(i+3)%10], others[(i+6)%10]}
		for kind, last := range map[string]string{Contradictory: say(s.against), Consistent: say(s.again), Novel: others[(i+1)%10]} {
			out = append(out, plant{kind, append(slices.Clone(before), last)})
		}
	}
	slices.SortFunc(out, func(a, b plant) int {
		return slices.Compare(append([]string{a.kind}, a.lines...), append([]string{b.kind}, b.lines...))
	})
	return out
}

// Of 200 planted contradictions and 200 planted confirmations, with 200 turns that are
// neither: how many reach the level they should, and how many at that level should.
func TestPlanted(t *testing.T) {
	want := map[string]string{Contradictory: High, Consistent: Low, Novel: Medium}
	doc, err := os.ReadFile("../../docs/experiments.md")
	if err != nil {
		t.Fatal(err)
	}
	count, forced := map[[2]string]int{}, 0
	for _, p := range planted(200) {
		_, all := play(t, memory.Deps{}, Defaults(), p.lines...)
		d := turns(all)
		level := d[len(d)-1].Surprisal.Level
		count[[2]string{p.kind, level}]++
		if d[len(d)-1].Surprisal.Forced {
			forced++
		}
	}
	for _, c := range []struct {
		kind              string
		precision, recall float64 // at least
	}{{Contradictory, .95, .85}, {Consistent, .95, .85}, {Novel, .8, .95}} {
		right := count[[2]string{c.kind, want[c.kind]}]
		all, at := 0, 0
		for k, n := range count {
			if k[0] == c.kind {
				all += n
			}
			if k[1] == want[c.kind] {
				at += n
			}
		}
		precision, recall := float64(right)/float64(at), float64(right)/float64(all)
		row := fmt.Sprintf("| %s | %s | %.3f (%d of %d) | %.3f (%d of %d) |", c.kind, want[c.kind], precision, right, at, recall, right, all)
		if !strings.Contains(string(doc), row) {
			t.Errorf("docs/experiments.md is not current: it lacks %s", row)
		}
		t.Logf("%-13s at %-6s: precision %.3f (%d of %d), recall %.3f (%d of %d)", c.kind, want[c.kind], precision, right, at, recall, right, all)
		if precision < c.precision || recall < c.recall || all != 200 {
			t.Errorf("%s: precision %.3f, recall %.3f of %d: want at least %.2f, %.2f of 200", c.kind, precision, recall, all, c.precision, c.recall)
		}
	}
	t.Logf("%d at high by the contradiction alone, whatever the score", forced)
}

// A turn by rule takes less than a millisecond in a memory of a thousand.
func TestRate(t *testing.T) {
	if testing.Short() {
		t.Skip("measures time")
	}
	const n = 1000
	b := memory.Batch{Key: "b", Session: "s"}
	for i := range n {
		b.Turns = append(b.Turns, schema.Turn{Role: "user", Name: "Ana", Text: fmt.Sprintf("On day %d I met %s %s and we spoke about %s number %d.", i, values[3][i%5], values[1][i/5%5], values[2][i/25%5], i), Sources: []schema.EventRef{{ConvID: "c", TurnID: i + 1}}})
	}
	sys, err := New(memory.Deps{}, Defaults(), nil)
	if err != nil {
		t.Fatal(err)
	}
	m, err := sys.Open(t.Context(), memory.Namespace{Run: "r", Scope: "u"})
	if err != nil {
		t.Fatal(err)
	}
	start, used := time.Now(), processorTime(t)
	if _, err := m.Ingest(t.Context(), b); err != nil {
		t.Fatal(err)
	}
	wall, rate := n/time.Since(start).Seconds(), n/(processorTime(t)-used).Seconds()
	t.Logf("%.0f turns a second of processor time, %.0f by the wall", rate, wall)
	if rate < 1000 && os.Getenv("MEMBENCH_SOAK") != "" {
		t.Errorf("%.0f turns a second of processor time, want 1,000", rate)
	}
}

// processorTime is that of the process, with all of its threads.
func processorTime(t *testing.T) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		t.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
