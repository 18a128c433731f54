package netops_test

import (
	"context"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"membench/datasets"
	"membench/datasets/netops"
	"membench/graph"
	"membench/internal/exttest"
	"membench/schema"
)

// retell sends a case, without its questions, through the typed graph.
func retell(t testing.TB, c schema.Case, o netops.Options) schema.Case {
	t.Helper()
	c.Questions, c.Meta, c.Source = nil, schema.Object{}, ""
	var out []schema.Case
	var k datasets.Checker
	for r, err := range netops.Retell(context.Background(), c, o) {
		if err != nil {
			t.Fatal(err)
		}
		k.Check(schema.Pos{}, r.V, func(f *schema.Finding) {
			if !f.Warning {
				t.Errorf("%s: %v", r.V.ID, f)
			}
		})
		out = append(out, r.V)
	}
	if len(out) != 1 {
		t.Fatalf("%d cases of one", len(out))
	}
	return out[0]
}

func ofType(c schema.Case, raw string) (out []schema.Question) {
	for _, q := range c.Questions {
		if q.RawCategory == raw {
			out = append(out, q)
		}
	}
	return out
}

var minute = regexp.MustCompile(`\d{4}-\d\d-\d\d \d\d:\d\d`)

// TestStormsThroughTheGraph: what the graph computes from the alerts alone is what the
// generator's state says.
func TestStormsThroughTheGraph(t *testing.T) {
	agree := map[string]int{}
	for seed := range uint64(10) {
		cs, _ := run(t, netops.Storms, datasets.Options{Seed: seed, Count: 4})
		for _, c := range cs {
			drops := netops.Drops{}
			got := retell(t, c, netops.Options{Seed: seed, Drops: drops})
			gold := func(raw, when string) (schema.Question, bool) {
				for _, q := range c.Questions {
					if slices.Contains(strings.Split(raw, "|"), q.RawCategory) && strings.Contains(q.Text, when) {
						return q, true
					}
				}
				return schema.Question{}, false
			}
			for typ, raw := range map[string]string{netops.RootCause: "root cause|root cause, unreported|two reports", netops.Aggregation: "dedup"} {
				asked := ofType(got, typ)
				if len(asked)+drops[typ+": two devices alarm first"] != len(ofType(c, "dedup")) {
					t.Errorf("seed %d %s: %d of %d storms asked, dropped %v", seed, typ, len(asked), len(ofType(c, "dedup")), drops)
				}
				for _, q := range asked {
					want, ok := gold(raw, minute.FindString(q.Text))
					if !ok || q.Answer != want.Answer || typ == netops.Aggregation && q.Wrong != want.Wrong {
						t.Errorf("seed %d: %s: have %q (not %q), the state says %q (not %q)", seed, q.Text, q.Answer, q.Wrong, want.Answer, want.Wrong)
					}
					agree[typ]++
				}
			}
			for _, q := range ofType(got, netops.Repeat) {
				if want, ok := gold("history", minute.FindString(q.Text)[:10]); !ok || q.Answer != want.Answer {
					t.Errorf("seed %d: %s: have %q, the state says %q", seed, q.Text, q.Answer, want.Answer)
				}
				agree[netops.Repeat]++
			}
			moved := 0
			for _, q := range ofType(c, "window") {
				if q.Category == schema.CatKU {
					moved++
				}
			}
			changed := ofType(got, netops.WhatChanged)
			if len(changed) != moved {
				t.Errorf("seed %d: %d changes, the state has %d", seed, len(changed), moved)
			}
			for _, q := range changed {
				ok := slices.ContainsFunc(ofType(c, "window"), func(w schema.Question) bool { return w.Answer == q.Answer && w.Wrong == q.Wrong })
				if !ok {
					t.Errorf("seed %d: %s = %s, was %s: no window of the state", seed, q.Text, q.Answer, q.Wrong)
				}
				agree[netops.WhatChanged]++
			}
		}
	}
	for _, typ := range []string{netops.RootCause, netops.Aggregation, netops.Repeat, netops.WhatChanged} {
		if agree[typ] < 20 {
			t.Errorf("%s: only %d compared", typ, agree[typ])
		}
	}
	t.Log(agree)
}

// TestNoLabelIsRead: the questions, golds and labels of a case may be anything: what
// the graph gives stays the same.
func TestNoLabelIsRead(t *testing.T) {
	cs, _ := run(t, netops.Storms, datasets.Options{Seed: 3, Count: 2})
	for _, c := range cs {
		in, err := netops.Graph(context.Background(), c)
		if err != nil {
			t.Fatal(err)
		}
		bare := c
		bare.Questions, bare.Meta, bare.Source = nil, schema.Object{}, ""
		without, err := netops.Graph(context.Background(), bare)
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(collect(t, in), collect(t, without)) {
			t.Error("the graph depends on questions or labels")
		}
	}
	// The tables: root_cause_node and fault_description are labels. With others in their
	// place the incidents that look alike are the same.
	cut := strings.NewReplacer("CPU fault", "x", "docker_003 CPU", "r", "network delay;network loss", "x;x", "docker_004;docker_001\n", "r;r\n", "db  close", "x", "db_007 State", "r")
	var got [2][]schema.Question
	for i, text := range []string{table, cut.Replace(table)} {
		cs, _ := run(t, netops.Faults("aiops2020"), datasets.Options{}, datasets.TextFile("tables/A9/faults.csv", text))
		got[i] = ofType(retell(t, cs[0], netops.Options{}), netops.Repeat)
	}
	if len(got[0]) == 0 || !reflect.DeepEqual(got[0], got[1]) {
		t.Errorf("with labels %v\nwithout %v", got[0], got[1])
	}
	if q := got[0][0]; q.Answer != "1" || !strings.Contains(q.Text, "docker_003") {
		t.Errorf("%+v", q)
	}
}

func collect(t *testing.T, in schema.Seq[schema.Element]) (out []string) {
	t.Helper()
	for r, err := range in {
		if err != nil {
			t.Fatal(err)
		}
		b, err := r.V.MarshalJSON()
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, string(b))
	}
	return out
}

// TestRunbooks: a correction replaces what an entry says, and both can be asked for.
func TestRunbooks(t *testing.T) {
	for _, zh := range []bool{false, true} {
		b := datasets.NewBuilder("x", "x", "x", schema.UnitTurn)
		b.Session(schema.Session{ID: "S1", Time: "2026-01-05T09:00:00"})
		lines := []string{"Runbook entry 7. Situation: a link flaps? Procedure: restart the port Why: it is quick", "Correction to runbook entry 7 (\"a link flaps?\"): what we wrote is out of date. The right procedure is: look at the optics first Why: ports are innocent"}
		if zh {
			lines = []string{"运维手册第7条。情形：链路抖动？ 处理：重启端口 说明：快", "更正运维手册第7条（“链路抖动？”）：原来的写法已过时，正确做法是：先查光模块 说明：端口无辜"}
		}
		for i, l := range lines {
			b.Turn(schema.CaseTurn{Role: "user", Name: "Engineer", Text: l, Time: []string{"2026-01-05T09:00:00", "2026-01-12T09:00:00"}[i]})
		}
		c := retell(t, b.Case, netops.Options{})
		now, then := ofType(c, netops.RunbookNow), ofType(c, netops.RunbookThen)
		want := []string{"look at the optics first", "restart the port"}
		if zh {
			want = []string{"先查光模块", "重启端口"}
		}
		if len(now) != 1 || len(then) != 1 || now[0].Answer != want[0] || now[0].Wrong != want[1] || then[0].Answer != want[1] || len(now[0].Evidence) != 2 {
			t.Errorf("now %+v, before %+v", now, then)
		}
	}
}

// TestTypedGraphIsValid: the graph is one by the extended catalogue.
func TestTypedGraphIsValid(t *testing.T) {
	cat, err := netops.Catalog()
	if err != nil {
		t.Fatal(err)
	}
	cs, _ := run(t, netops.Storms, datasets.Options{Seed: 1, Count: 1})
	in, err := netops.Graph(context.Background(), cs[0])
	if err != nil {
		t.Fatal(err)
	}
	labels := map[string]int{}
	g := graph.NewLocal()
	if err := g.Read(context.Background(), in, func(f *schema.Finding) { t.Error(f) }); err != nil {
		t.Fatal(err)
	}
	for n, err := range g.Nodes(context.Background(), graph.Filter{}) {
		if err != nil {
			t.Fatal(err)
		}
		for _, l := range n.Labels {
			labels[l]++
			if _, ok := cat.Labels[l]; !ok {
				t.Errorf("%s has the label %s, which no catalogue has", n.ID, l)
			}
		}
	}
	for _, l := range []string{"Alarm", "Device", "Incident", "Change", "Event", "Claim"} {
		if labels[l] == 0 {
			t.Errorf("no %s among %v", l, labels)
		}
	}
}

func TestRealThroughTheGraph(t *testing.T) {
	shared := exttest.Shared(t, "data/aiops2020/alertrca_A1/faults.csv", "data/opseval/test")
	n := map[string]int{}
	for _, d := range netops.Datasets() {
		dir := map[string]string{"aiops2020-graph": "data/aiops2020", "opseval-graph": "data/opseval/test"}[d.Name]
		if dir == "" {
			continue
		}
		files, err := datasets.Find([]string{filepath.Join(shared, dir)}, d.Match, nil)
		if err != nil {
			t.Fatal(err)
		}
		cs, _ := run(t, d.Cases, datasets.Options{Seed: 1}, files...)
		for _, c := range cs {
			for _, q := range c.Questions {
				n[d.Name+" "+q.RawCategory]++
			}
		}
	}
	for _, key := range []string{"aiops2020-graph " + netops.Repeat, "opseval-graph " + netops.RunbookNow, "opseval-graph " + netops.RunbookThen} {
		if n[key] < 10 {
			t.Errorf("%d of %s", n[key], key)
		}
	}
	t.Log(n)
}
