package netops

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"membench/schema"
)

// Names of the queries of operations.
const (
	queryFirst   = "netops-first-alarm"
	queryAlarms  = "netops-alarms"
	queryMoved   = "netops-replaced"
	queryRepeat  = "netops-same-first-alarm"
	queryHistory = "netops-same-incident"

	queryRecorded = "netops-same-fault"
)

const (
	stepTo   = `-[:HAS_DOMAIN]->(:Domain)-[:HAS_PREDICATE]->(:Predicate {predicate: '%s'})-[:HAS_CLAIM]->(%s:Claim)-[:ABOUT]->`
	turnOf   = `-[:EVIDENCED_BY]->(:MemoryItem)-[:FROM_EVENT]->(e:Event)`
	ofAlarms = "MATCH (a:Alarm)%s(i:Incident {name: $incident})\nMATCH (p)" + turnOf + "\nMATCH (a)%s(d:Device)\nMATCH (a)%s(k:Topic)\n"
)

func step(pred, as string) string { return fmt.Sprintf(stepTo, pred, as) }

func alarmsOf() string {
	return fmt.Sprintf(ofAlarms, step("PART_OF", "p"), step("RAISED_BY", "r"), step("OF_KIND", "o"))
}

// opsAlarm is one turn of an alarm.
type opsAlarm struct {
	device, kind, time string
	event              schema.NodeID
	turn               int
}

// members are the alarms of every incident of this case, in the order of their instants.
func (a *opsAsker) members() (map[string][]opsAlarm, []string) {
	device, kind := map[string]string{}, map[string]string{}
	for _, f := range a.ops["RAISED_BY"] {
		device[f.subject] = f.obj
	}
	for _, f := range a.ops["OF_KIND"] {
		kind[f.subject] = f.obj
	}
	out := map[string][]opsAlarm{}
	var order []string
	for _, f := range a.ops["PART_OF"] {
		for _, e := range f.events {
			t, ok := a.turns[e]
			if !ok {
				continue
			}
			if out[f.obj] == nil {
				order = append(order, f.obj)
			}
			out[f.obj] = append(out[f.obj], opsAlarm{device[f.subject], kind[f.subject], t.Time, e, t.TurnID})
		}
	}
	for _, list := range out {
		slices.SortFunc(list, func(x, y opsAlarm) int { return cmp.Or(cmp.Compare(x.time, y.time), cmp.Compare(x.turn, y.turn)) })
	}
	slices.Sort(order) // an incident is named by its first minute
	return out, order
}

// incidents asks for the root, the number of different alarms, and like incidents before.
func (a *opsAsker) incidents() {
	members, order := a.members()
	type like struct{ device, kind string }
	before := map[like][]string{}
	firsts := map[like][]schema.NodeID{}
	for _, inc := range order {
		list := members[inc]
		first := list[0]
		params := map[string]string{"incident": inc}
		var others []string
		for _, x := range list {
			if x.device != first.device && !slices.Contains(others, x.device) && len(others) < 3 {
				others = append(others, x.device)
			}
		}
		blamed, withdrawn, told := "", "", []schema.NodeID{}
		for _, f := range a.ops.of("BLAMED_ON", inc) {
			if f.active {
				blamed = f.obj
			} else {
				withdrawn = f.obj
			}
			told = append(told, f.events...)
		}
		switch {
		case slices.ContainsFunc(list, func(x opsAlarm) bool { return x.time == first.time && x.device != first.device }):
			a.drops[RootCause+": two devices alarm first"]++
		case blamed != "" && blamed != first.device:
			a.drops[RootCause+": the operators name another device than the first alarm"]++
		default:
			wrong := withdrawn
			if wrong == "" && len(others) > 0 {
				wrong = others[0]
			}
			evidence := append([]schema.NodeID{first.event}, told...)
			a.ask(RootCause, schema.CatMR, say(a.zh, "Going by its alarms, on which device did the incident of %s begin?", "从告警看，%s 的事件最先出现在哪台设备上？", inc), first.device, wrong,
				opsProof{queryFirst, alarmsOf() + "RETURN d.name, e.time, e.id ORDER BY e.time, e.turn_id LIMIT 1", params}, others, evidence...)
		}
		distinct := map[like]bool{}
		var events []schema.NodeID
		for _, x := range list {
			if k := (like{x.device, x.kind}); !distinct[k] {
				distinct[k] = true
				events = append(events, x.event)
			}
		}
		a.ask(Aggregation, schema.CatMR, say(a.zh, "How many different alarms (device and kind) make up the incident of %s?", "%s 的事件共有多少种不同的告警（设备+类型）？", inc), strconv.Itoa(len(distinct)), strconv.Itoa(len(list)),
			opsProof{queryAlarms, alarmsOf() + "RETURN DISTINCT d.name, k.name ORDER BY d.name, k.name", params}, []string{strconv.Itoa(len(list)), strconv.Itoa(len(distinct) + 1)}, events...)
		k := like{first.device, first.kind}
		if days := before[k]; len(days) > 0 {
			a.ask(Repeat, schema.CatMR, say(a.zh, "The incident of %s began with %s on %s. Have we seen this before? Name the dates.", "%s 的事件始于 %[3]s 的 %[2]s。以前遇到过吗？请列出日期。", inc, k.kind, k.device), strings.Join(days, ", "), "",
				opsProof{queryRepeat, "MATCH (a:Alarm)" + step("PART_OF", "p") + "(i:Incident) WHERE i.name < $incident\nMATCH (p)" + turnOf + "\nMATCH (a)" + step("RAISED_BY", "r") + "(d:Device)\nMATCH (a)" + step("OF_KIND", "o") + "(k:Topic)\nWITH i, d, k, e ORDER BY e.time, e.turn_id\nWITH i, head(collect({device: d.name, kind: k.name, event: e.id})) AS first\nWHERE first.device = $device AND first.kind = $kind\nRETURN left(i.name, 10), first.event ORDER BY i.name",
					map[string]string{"incident": inc, "device": k.device, "kind": k.kind}}, nil, append(slices.Clone(firsts[k]), first.event)...)
		}
		before[k] = append(before[k], inc[:min(10, len(inc))])
		firsts[k] = append(firsts[k], first.event)
	}
}

// replacedBy returns the query for a claim and its replacement.
func replacedBy(label, pred string) string {
	return "MATCH (s:" + label + " {name: $subject})" + step(pred, "c") + "(old:Node)\nMATCH (c)-[:SUPERSEDED_BY]->(n:Claim)-[:ABOUT]->(now:Node)\nRETURN now.name, old.name ORDER BY now.name, old.name"
}

// changes asks to when a change was moved.
func (a *opsAsker) changes() {
	for _, f := range a.ops["WINDOW"] {
		now := a.ops.by("WINDOW", f.next)
		if now == nil || !a.here(f) {
			continue
		}
		_, was, _ := strings.Cut(f.obj, "=")
		_, is, _ := strings.Cut(now.obj, "=")
		device, day, _ := strings.Cut(f.subject, " ")
		a.ask(WhatChanged, schema.CatKU, say(a.zh, "What changed in the maintenance of %s on %s: from when to when is it now?", "%s 在 %s 的维护有什么变动：现在是几点到几点？", device, day), is, was,
			opsProof{queryMoved, replacedBy("Change", "WINDOW"), map[string]string{"subject": f.subject}}, []string{was}, append(slices.Clone(f.events), now.events...)...)
	}
}

// runbooks asks for the current and the former text of a corrected entry.
func (a *opsAsker) runbooks() {
	for _, f := range a.ops["PRESCRIBES"] {
		now := a.ops.by("PRESCRIBES", f.next)
		if now == nil || !a.here(f) {
			continue
		}
		proof := opsProof{queryMoved, replacedBy("Runbook", "PRESCRIBES"), map[string]string{"subject": f.subject}}
		events := append(slices.Clone(f.events), now.events...)
		a.ask(RunbookNow, schema.CatKU, say(a.zh, "Runbook entry %s was corrected. What does it say to do now?", "运维手册第%s条更正过。现在的处理是什么？", f.subject), now.obj, f.obj, proof, []string{f.obj}, events...)
		a.ask(RunbookThen, schema.CatKU, say(a.zh, "What did runbook entry %s say to do before it was corrected?", "运维手册第%s条在更正之前写的处理是什么？", f.subject), f.obj, now.obj, proof, []string{now.obj}, events...)
	}
}

// histories asks about an incident whether the same nodes raised alarms with the same indicators before.
func (a *opsAsker) histories() {
	type incident struct {
		number int
		name   string
		nodes  []string
		kpis   []string
		events []schema.NodeID
	}
	found := map[string]*incident{}
	var list []*incident
	for _, f := range a.ops["HIT"] {
		if !a.here(f) {
			continue
		}
		x := found[f.subject]
		if x == nil {
			n, _ := strconv.Atoi(f.subject)
			x = &incident{number: n, name: f.subject, events: f.events}
			found[f.subject] = x
			list = append(list, x)
		}
		x.nodes = append(x.nodes, f.obj)
	}
	for _, f := range a.ops["SHOWED"] {
		if x := found[f.subject]; x != nil {
			x.kpis = append(x.kpis, f.obj)
		}
	}
	slices.SortFunc(list, func(x, y *incident) int { return x.number - y.number })
	before := map[string][]*incident{}
	for _, x := range list {
		slices.Sort(x.nodes)
		slices.Sort(x.kpis)
		key := strings.Join(x.nodes, ";") + "|" + strings.Join(x.kpis, ";")
		if old := before[key]; len(old) > 0 && len(old) <= 6 && len(x.kpis) > 0 {
			var names []string
			var events []schema.NodeID
			for _, o := range old {
				names = append(names, o.name)
				events = append(events, o.events...)
			}
			a.ask(Repeat, schema.CatMR, say(a.zh, "Incident %s: alarm on %s with %s. Which earlier incidents looked just the same? Give their numbers.", "事件%s：%s 告警，指标为 %s。之前哪些事件与此完全相同？请给出编号。", x.name, strings.Join(x.nodes, "; "), strings.Join(x.kpis, ", ")), strings.Join(names, ", "), "",
				opsProof{queryHistory, "MATCH (i:Incident)" + step("HIT", "h") + "(d:Device)\nWITH i, d ORDER BY d.name\nWITH i, collect(DISTINCT d.name) AS nodes\nOPTIONAL MATCH (i)" + step("SHOWED", "s") + "(k:Topic)\nWITH i, nodes, k ORDER BY k.name\nWITH i, nodes, collect(DISTINCT k.name) AS kpis\nWHERE toInteger(i.name) < toInteger($incident) AND nodes = split($nodes, '; ') AND kpis = split($kpis, '; ')\nRETURN i.name ORDER BY toInteger(i.name)",
					map[string]string{"incident": x.name, "nodes": strings.Join(x.nodes, "; "), "kpis": strings.Join(x.kpis, "; ")}}, nil, append(events, x.events...)...)
		}
		before[key] = append(before[key], x)
	}
}

// here reports whether a fact's turns are of this case.
func (a *opsAsker) here(f *opsFact) bool {
	return slices.ContainsFunc(f.events, func(e schema.NodeID) bool { _, ok := a.turns[e]; return ok })
}

// recorded asks of an incident of the desk which earlier ones had the same fault on the
// same thing.
func (a *opsAsker) recorded() {
	type like struct{ on, kind string }
	kinds, numbers := map[string]*opsFact{}, map[string]int{}
	for _, f := range a.ops["FAULT_KIND"] {
		kinds[f.subject] = f
	}
	var list []*opsFact
	for _, f := range a.ops["FAULT_ON"] {
		if kinds[f.subject] != nil && a.here(f) {
			numbers[f.subject], _ = strconv.Atoi(f.subject)
			list = append(list, f)
		}
	}
	slices.SortFunc(list, func(x, y *opsFact) int {
		return cmp.Or(numbers[x.subject]-numbers[y.subject], cmp.Compare(x.obj, y.obj))
	})
	before := map[like][]*opsFact{}
	for _, f := range list {
		k := like{f.obj, kinds[f.subject].obj}
		if old := before[k]; len(old) > 0 && len(old) <= 6 {
			var names []string
			var events []schema.NodeID
			for _, o := range old {
				names = append(names, o.subject)
				events = append(append(events, o.events...), kinds[o.subject].events...)
			}
			a.ask(Repeat, schema.CatMR, say(a.zh, "Incident %s: %s on %s. Have we seen this before? Give the numbers of the earlier incidents.", "事件%s：%s，位于 %s。以前遇到过吗？请给出之前事件的编号。", f.subject, k.kind, k.on), strings.Join(names, ", "), "",
				opsProof{queryRecorded, "MATCH (i:Incident)" + step("FAULT_ON", "f") + "(d:Device {name: $on})\nMATCH (i)" + step("FAULT_KIND", "g") + "(k:Topic {name: $kind})\nWHERE toInteger(i.name) < toInteger($incident)\nRETURN DISTINCT i.name ORDER BY toInteger(i.name)",
					map[string]string{"incident": f.subject, "on": k.on, "kind": k.kind}}, nil, append(append(events, f.events...), kinds[f.subject].events...)...)
		}
		before[k] = append(before[k], f)
	}
}
