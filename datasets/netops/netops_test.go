package netops_test

import (
	"context"
	"fmt"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"membench/datasets"
	"membench/datasets/datasettest"
	"membench/datasets/netops"
	"membench/internal/exttest"
	"membench/schema"
	"membench/schema/jsonl"
)

type cases = func(context.Context, []jsonl.File, datasets.Options) schema.Seq[schema.Case]

func run(t testing.TB, f cases, o datasets.Options, files ...jsonl.File) (out []schema.Case, found []*schema.Finding) {
	t.Helper()
	out, found = datasettest.Read(t, f, o, files...)
	var k datasets.Checker
	for _, c := range out {
		k.Check(schema.Pos{}, c, func(f *schema.Finding) {
			if !f.Warning {
				t.Errorf("%s: %v", c.ID, f)
			}
		})
	}
	return out, found
}

func turns(c schema.Case) map[int]schema.CaseTurn {
	out := map[int]schema.CaseTurn{}
	for _, s := range c.Sessions {
		for _, t := range s.Turns {
			out[t.TurnID] = t
		}
	}
	return out
}

func categories(cs []schema.Case) map[string]int {
	out := map[string]int{}
	for _, c := range cs {
		for _, q := range c.Questions {
			out[q.Category]++
		}
	}
	return out
}

var alertLine = regexp.MustCompile(`^\[(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d)\] (?:WARNING|CRITICAL) (\S+) (\S+)$`)

// TestStormGolds reads the alerts back from the turns and counts again, without the
// generator's state.
func TestStormGolds(t *testing.T) {
	for seed := range uint64(12) {
		cs, _ := run(t, netops.Storms, datasets.Options{Seed: seed, Count: 4})
		if len(cs) != 4 {
			t.Fatalf("%d cases", len(cs))
		}
		checked := 0
		for _, c := range cs {
			type alert struct {
				at        time.Time
				who, what string
				turn      int
			}
			var alerts []alert
			for _, s := range c.Sessions {
				for _, x := range s.Turns {
					if m := alertLine.FindStringSubmatch(x.Text); m != nil {
						at, err := time.Parse(time.DateTime, m[1])
						if err != nil {
							t.Fatal(err)
						}
						alerts = append(alerts, alert{at: at, who: m[2], what: m[3], turn: x.TurnID})
					}
				}
			}
			minute := regexp.MustCompile(`\d{4}-\d\d-\d\d \d\d:\d\d`)
			text := turns(c)
			for _, q := range c.Questions {
				at, _ := time.Parse("2006-01-02 15:04", minute.FindString(q.Text))
				var storm []alert
				for _, a := range alerts {
					if d := a.at.Sub(at); !at.IsZero() && d >= 0 && d < 20*time.Minute {
						storm = append(storm, a)
					}
				}
				switch q.RawCategory {
				case "dedup":
					distinct := map[string]bool{}
					for _, a := range storm {
						distinct[a.who+a.what] = true
					}
					if q.Answer != strconv.Itoa(len(distinct)) || q.Wrong != strconv.Itoa(len(storm)) || len(q.Evidence) != len(distinct) {
						t.Errorf("seed %d %s: gold %s, counted %d of %d", seed, q.ID, q.Answer, len(distinct), len(storm))
					}
					checked++
				case "duration":
					if want := int(storm[len(storm)-1].at.Sub(storm[0].at).Seconds()); q.Answer != strconv.Itoa(want) {
						t.Errorf("seed %d %s: gold %s, counted %d", seed, q.ID, q.Answer, want)
					}
					checked++
				case "root cause", "two reports":
					if storm[0].who != q.Answer || q.Wrong == q.Answer {
						t.Errorf("seed %d %s: gold %s, first alert of %s", seed, q.ID, q.Answer, storm[0].who)
					}
					if !strings.Contains(text[q.Evidence[len(q.Evidence)-1].TurnID].Text, q.Answer) {
						t.Errorf("%s: the evidence does not name %s", q.ID, q.Answer)
					}
					checked++
				case "root cause, unreported":
					if storm[0].who != q.Answer || len(q.Evidence) != 2 {
						t.Errorf("seed %d %s: gold %s, first alert of %s, evidence %v", seed, q.ID, q.Answer, storm[0].who, q.Evidence)
					}
					for _, u := range text {
						if u.Role == "user" && strings.Contains(u.Text, minute.FindString(q.Text)) {
							t.Errorf("%s: a report is there: %s", q.ID, u.Text)
						}
					}
					checked++
				case "flapping":
					n := 0
					for _, e := range q.Evidence {
						if strings.HasSuffix(text[e.TurnID].Text, " IF_FLAP_DOWN") {
							n++
						}
					}
					if q.Answer != strconv.Itoa(n) {
						t.Errorf("%s: gold %s, %d in the evidence", q.ID, q.Answer, n)
					}
				case "window":
					last := text[q.Evidence[0].TurnID].Text
					for _, part := range strings.Split(q.Answer, "–") {
						if !strings.Contains(last, part) {
							t.Errorf("%s: %q is not in %q", q.ID, part, last)
						}
					}
				case "maintenance":
					if q.Answer != strconv.Itoa(len(q.Evidence)-1) {
						t.Errorf("%s: gold %s, evidence %d", q.ID, q.Answer, len(q.Evidence))
					}
				}
			}
		}
		if checked < 40 {
			t.Errorf("seed %d: only %d golds were counted again", seed, checked)
		}
	}
}

func TestStormsAreSeeded(t *testing.T) {
	a, _ := run(t, netops.Storms, datasets.Options{Seed: 7, Count: 3})
	b, _ := run(t, netops.Storms, datasets.Options{Seed: 7, Count: 5})
	c, _ := run(t, netops.Storms, datasets.Options{Seed: 8, Count: 3})
	if !reflect.DeepEqual(a, b[:3]) {
		t.Error("the same seed gives other cases")
	}
	if reflect.DeepEqual(a[0].Sessions, c[0].Sessions) {
		t.Error("another seed gives the same case")
	}
	all, _ := run(t, netops.Storms, datasets.Options{Seed: 1, Count: 40})
	n := categories(all)
	for _, cat := range []string{"IE", "MR", "TR", "KU", "CR", "ABS"} {
		if n[cat] < 10 {
			t.Errorf("%d questions of %s among %v", n[cat], cat, n)
		}
	}
}

const table = "\ufefftimestamp,object,fault_description,kpi,name,node_type,root_cause_node\n" +
	"1586534700,docker,CPU fault,cpu_used,docker_003,Docker CPU,docker_003 CPU\n" +
	"1586621100,docker,CPU fault,cpu_used,docker_003,Docker CPU,docker_003 CPU\n" +
	"1586707500,docker;docker,network delay;network loss,,docker_004;docker_001,Docker;Docker,docker_004;docker_001\n" +
	"x,docker,CPU fault,,,,\n" +
	"1586793900,db,db  close,On_Off_State;tnsping,db_007,DB State,db_007 State\n"

func TestFaults(t *testing.T) {
	cs, found := run(t, netops.Faults("aiops2020"), datasets.Options{}, datasets.TextFile("tables/A9/faults.csv", table))
	if len(cs) != 1 || len(found) != 1 || found[0].Pos.Line != 5 || found[0].Code != "DST002" {
		t.Fatalf("%d cases, %v", len(cs), found)
	}
	c := cs[0]
	if c.ID != "aiops2020-A9" || len(c.Sessions) != 4 || c.Sessions[0].Turns[0].Time != "2020-04-11T00:05:00+08:00" {
		t.Errorf("%s %+v", c.ID, c.Sessions)
	}
	if text := c.Sessions[3].Turns[1].Text; !strings.Contains(text, "db close on db_007") {
		t.Errorf("two blanks stay: %s", text)
	}
	find := func(raw, part string) schema.Question {
		i := slices.IndexFunc(c.Questions, func(q schema.Question) bool { return q.RawCategory == raw && strings.Contains(q.Text, part) })
		if i < 0 {
			t.Fatalf("no question %s about %s", raw, part)
		}
		return c.Questions[i]
	}
	if q := find("count", "docker_003"); q.Answer != "2" || len(q.Evidence) != 2 {
		t.Errorf("%+v", q)
	}
	if q := find("follow-up", "docker_003"); q.Answer != "1; docker_003 CPU" || !reflect.DeepEqual(q.Covered, []string{"2020-04-11"}) || q.AsOf != "2020-04-12T00:05:00+08:00" {
		t.Errorf("%+v", q)
	}
	if q := find("newest", "docker_001"); q.Answer != "network loss" {
		t.Errorf("%+v", q)
	}
	if q := find("order", "docker_003"); q.Answer != "docker_003" {
		t.Errorf("%+v", q)
	}
	for name, bad := range map[string]string{"empty": "", "no column": "a,b\n1,2\n", "no rows": "timestamp,root_cause_node\n", "quotes": "timestamp,root_cause_node\n\"1,2\n"} {
		if cs, found := run(t, netops.Faults("aiops2020"), datasets.Options{}, datasets.TextFile("faults.csv", bad)); len(cs) != 0 || len(found) == 0 {
			t.Errorf("%s: %d cases, %v", name, len(cs), found)
		}
	}
}

func TestRealFaults(t *testing.T) {
	shared := exttest.Shared(t, "data/aiops2020/alertrca_A1/faults.csv", "data/aiops2020/alertrca_A2/faults.csv")
	files, err := datasets.Find([]string{filepath.Join(shared, "data/aiops2020")}, netops.Datasets()[0].Match, nil)
	if err != nil {
		t.Fatal(err)
	}
	cs, found := run(t, netops.Faults("aiops2020"), datasets.Options{}, files...)
	var n []int
	for _, c := range cs {
		turns := 0
		for _, s := range c.Sessions {
			turns += len(s.Turns)
		}
		n = append(n, turns)
	}
	if !reflect.DeepEqual(n, []int{2 * 66, 2 * 94}) || len(found) != 0 {
		t.Errorf("turns %v, want two for each of 66 and 94 faults; %v", n, found)
	}
	t.Log(categories(cs))
}

const exam = `[
 {"id": "X-0", "question": "告警 A 出现时应先做什么？\n\nA: 检查链路\nB: 重启设备\nC: 忽略", "choices": ["检查链路", "重启设备", "忽略"], "answer": "A, ", "solution": ""},
 {"id": "X-1", "question": "\"12. Which two show a link failure?\nA. LINK_DOWN\nB. LOGIN_OK\nC. LOS_ALARM\"", "answer": "A,C", "solution": ""},
 {"id": "X-2", "question": "什么是告警风暴？", "answer": "短时间内\n大量告警"},
 {"id": "X-3", "question": "alarm?", "choices": ["a", "b"], "answer": "4"},
 {"id": "X-4", "question": "什么是告警风暴？", "answer": "别的"},
 {"id": "X-5", "question": "alarm with letters only", "answer": "A"},
 {"id": "X-6", "question": "Unrelated knowledge?", "answer": "yes"},
 {"id": "X-7", "question": "alarm: \nA. x\nB. y", "answer": "C"},
 {"id": "X-8", "question": "告警 B？", "answer": "乙"}, {"id": "X-9", "question": "告警 C？", "answer": "丙"}, {"id": "X-10", "question": "告警 D？", "answer": "丁"}]`

func TestOpsEval(t *testing.T) {
	cs, found := run(t, netops.OpsEval, datasets.Options{Seed: 3}, datasets.TextFile("t/X.json", exam))
	var why []string
	for _, f := range found {
		why = append(why, f.Have)
	}
	if !reflect.DeepEqual(why, []string{"X-3", "X-4", "X-5", "X-7"}) {
		t.Errorf("skipped %v: %v", why, found)
	}
	if len(cs) != 1 || cs[0].ID != "opseval-zh-001" { // one English item is too few for a case
		t.Fatalf("%d cases", len(cs))
	}
	all, _ := run(t, netops.OpsEval, datasets.Options{Topics: []string{""}}, datasets.TextFile("X.json", exam))
	if n := len(all); n != 1 {
		t.Errorf("%d cases of all topics", n)
	}
}

// runbookGolds: what a question asks for stands in the turns that are its evidence.
func runbookGolds(t *testing.T, cs []schema.Case) {
	for _, c := range cs {
		text := turns(c)
		told := fmt.Sprint(text)
		for _, q := range c.Questions {
			joined := ""
			for _, e := range q.Evidence {
				joined += text[e.TurnID].Text + "\n" + text[e.TurnID].Time[:10]
			}
			switch q.Category {
			case schema.CatABS:
				if q.Evidence != nil {
					t.Errorf("%s: evidence of what was never told", q.ID)
				}
			case schema.CatKU, schema.CatCR:
				if !strings.Contains(joined, q.Answer) || !strings.Contains(told, q.Wrong) {
					t.Errorf("%s: %q not in %q", q.ID, q.Answer, joined)
				}
			case schema.CatIE:
				if !strings.Contains(joined, q.Answer) {
					t.Errorf("%s: %q not in %q", q.ID, q.Answer, joined)
				}
			}
		}
	}
}

func TestRealOpsEval(t *testing.T) {
	shared := exttest.Shared(t, "data/opseval/test")
	files, err := datasets.Find([]string{filepath.Join(shared, "data/opseval/test")}, func(n string) bool { return strings.HasSuffix(n, ".json") }, nil)
	if err != nil {
		t.Fatal(err)
	}
	cs, found := run(t, netops.OpsEval, datasets.Options{Seed: 1}, files...)
	runbookGolds(t, cs)
	n := categories(cs)
	for _, cat := range []string{"IE", "MR", "TR", "KU", "CR", "ABS"} {
		if n[cat] < 10 {
			t.Errorf("%d questions of %s among %v", n[cat], cat, n)
		}
	}
	everything, left := run(t, netops.OpsEval, datasets.Options{Seed: 1, Topics: []string{""}}, files...)
	runbookGolds(t, everything)
	if len(left) != len(found) || len(left) > 130 {
		t.Errorf("%d items skipped, %d with topics", len(left), len(found))
	}
	t.Log(len(cs), n, len(everything), categories(everything), len(left))
}

func FuzzFaults(f *testing.F) {
	f.Add(table)
	f.Add("timestamp,root_cause_node\n1,;\n2,a;b\n")
	f.Fuzz(func(t *testing.T, text string) {
		run(t, netops.Faults("aiops2020"), datasets.Options{}, datasets.TextFile("faults.csv", text))
	})
}

func FuzzOpsEval(f *testing.F) {
	f.Add(exam)
	f.Fuzz(func(t *testing.T, text string) {
		run(t, netops.OpsEval, datasets.Options{Topics: []string{""}}, datasets.TextFile("X.json", text))
	})
}
