package netops

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"membench/datasets"
	"membench/schema"
)

// note is a statement in addition to the alerts.
type note struct {
	at   time.Time
	text string
	turn *int
}

// tell makes the case: one session per day with the alerts and notes of the day in order of time, then the questions.
func (w *world) tell(id string) schema.Case {
	a := &asker{Builder: datasets.NewBuilder("alert-storm", id, schema.ConvID(id), schema.UnitTurn)}
	a.Case.Speakers = []string{say(w.zh, "Operator", "运维工程师"), say(w.zh, "Alert bus", "告警总线")}
	notes := w.notes()
	var topology int
	notes.list = append(notes.list, &note{w.alerts[0].at.Add(-time.Hour), w.topology(), &topology})
	turnOf := make([]struct{ suspected, concluded, announced, moved int }, max(len(w.storms), len(w.windows)))
	for i := range w.storms {
		notes.of(i, &turnOf[i].suspected, &turnOf[i].concluded)
	}
	for i := range w.windows {
		notes.window(i, &turnOf[i].announced, &turnOf[i].moved)
	}
	w.write(a, notes.list)
	for i, s := range w.storms {
		w.askStorm(a, s, topology, turnOf[i].concluded)
	}
	w.askHistory(a)
	w.askSymptom(a)
	for i, m := range w.windows {
		w.askWindow(a, m, turnOf[i].announced, turnOf[i].moved)
	}
	w.askUnknown(a)
	return a.Case
}

type notes struct {
	list      []*note
	suspected map[int]*note
	concluded map[int]*note
	announced map[int]*note
	moved     map[int]*note
}

func (n *notes) of(i int, suspected, concluded *int) {
	if x := n.suspected[i]; x != nil {
		x.turn = suspected
	}
	if x := n.concluded[i]; x != nil {
		x.turn = concluded
	}
}

func (n *notes) window(i int, announced, moved *int) {
	n.announced[i].turn = announced
	if x := n.moved[i]; x != nil {
		x.turn = moved
	}
}

func (w *world) notes() *notes {
	n := &notes{suspected: map[int]*note{}, concluded: map[int]*note{}, announced: map[int]*note{}, moved: map[int]*note{}}
	add := func(at time.Time, text string) *note {
		x := &note{at: at, text: text}
		n.list = append(n.list, x)
		return x
	}
	for i, s := range w.storms {
		end := s.alerts[len(s.alerts)-1].at
		if s.suspect != nil {
			n.suspected[i] = add(end.Add(2*time.Minute), say(w.zh, "First look at the storm of %s: I think the root is %s.", "初步判断：%s 的告警风暴根因可能是 %s。", clock(s.start), s.suspect.name))
		}
		if w.unreported(i) {
			continue
		}
		n.concluded[i] = add(end.Add(40*time.Minute), say(w.zh, "Report on the storm of %s: the root cause was %s, %s. It was mended.", "复盘：%s 的告警风暴根因是 %s，%s，已修复。", clock(s.start), s.root.name, s.why.words(w.zh)))
	}
	for i, m := range w.windows {
		told := m.first[0].AddDate(0, 0, -1).Add(-30 * time.Minute)
		n.announced[i] = add(told, say(w.zh, "Maintenance of %s on %s from %s to %s; alerts of it are expected then.", "%s 将于 %s 的 %s 至 %s 维护，期间告警属预期。", m.device.name, m.first[0].Format("2006-01-02"), m.first[0].Format("15:04"), m.first[1].Format("15:04")))
		if m.last != m.first {
			n.moved[i] = add(told.Add(10*time.Minute), say(w.zh, "The maintenance of %s on %s is moved: it is from %s to %s now.", "%s 在 %s 的维护改期：现为 %s 至 %s。", m.device.name, m.last[0].Format("2006-01-02"), m.last[0].Format("15:04"), m.last[1].Format("15:04")))
		}
	}
	return n
}

func (t trouble) words(zh bool) string {
	if zh {
		return t.cn
	}
	return t.en
}

// unreported reports whether nobody states the root of a storm, so that it follows only from the topology and the alerts. Storms with a wrong first guess have
// a report.
func (w *world) unreported(i int) bool { return i%2 == 1 && w.storms[i].suspect == nil }

// topology describes which devices are below which.
func (w *world) topology() string {
	var parts []string
	for _, d := range w.devices {
		if len(d.below) == 0 {
			continue
		}
		var below []string
		for _, c := range d.below {
			below = append(below, c.name)
		}
		parts = append(parts, say(w.zh, "%s feeds %s", "%s 下接 %s", d.name, strings.Join(below, say(w.zh, " and ", "、"))))
	}
	return say(w.zh, "Topology: %s.", "网络拓扑：%s。", strings.Join(parts, say(w.zh, "; ", "；")))
}

// write puts alerts and notes into sittings.
func (w *world) write(a *asker, list []*note) {
	type line struct {
		at    time.Time
		alert *alert
		note  *note
	}
	var lines []line
	for _, x := range w.alerts {
		lines = append(lines, line{x.at, x, nil})
	}
	for _, x := range list {
		lines = append(lines, line{x.at, nil, x})
	}
	slices.SortStableFunc(lines, func(a, b line) int { return a.at.Compare(b.at) })
	day := ""
	for _, l := range lines {
		stamp := l.at.Format(time.RFC3339)
		if d := stamp[:10]; d != day {
			day = d
			a.Session(schema.Session{ID: day, Time: stamp})
		}
		if l.alert != nil {
			l.alert.turn = a.Turn(schema.CaseTurn{Role: "assistant", Name: a.Case.Speakers[1], Time: stamp, Text: l.alert.text()})
			continue
		}
		turn := a.Turn(schema.CaseTurn{Role: "user", Name: a.Case.Speakers[0], Time: stamp, Text: l.note.text})
		if l.note.turn != nil {
			*l.note.turn = turn
		}
	}
}

// askStorm asks about one storm; topology and concluded are the turns of the network's plan and of the report, 0 if there is none.
func (w *world) askStorm(a *asker, s *storm, topology, concluded int) {
	when := clock(s.start)
	var distinct, downs []int
	root := 0
	for _, x := range s.alerts {
		if !x.duplicate {
			distinct = append(distinct, x.turn)
		}
		if x.root {
			root = x.turn
		}
		if x.code == "IF_FLAP_DOWN" {
			downs = append(downs, x.turn)
		}
	}
	a.raw = "dedup"
	a.ask(schema.CatMR, say(w.zh, "How many distinct alerts (device and kind) did the storm of %s raise?", "%s 的告警风暴中，不重复的告警（设备+类型）有多少条？", when), strconv.Itoa(len(distinct)), strconv.Itoa(len(s.alerts)), distinct...)
	a.raw = "root cause"
	switch {
	case concluded == 0:
		a.raw = "root cause, unreported"
		a.ask(schema.CatMR, say(w.zh, "Nobody reported on the storm of %s. Going by the topology and the alerts, which device was its root?", "%s 的告警风暴没有复盘。从拓扑和告警看，根因是哪台设备？", when), s.root.name, "", root, topology)
	case s.suspect == nil:
		a.ask(schema.CatIE, say(w.zh, "Which device was the root of the storm of %s?", "%s 的告警风暴根因是哪台设备？", when), s.root.name, "", root, concluded)
	default:
		a.raw = "two reports"
		a.ask(schema.CatCR, say(w.zh, "Two reports name the root of the storm of %s. Which device does the newer one name?", "关于 %s 的告警风暴有两次结论，以最新的为准，根因是哪台设备？", when), s.root.name, s.suspect.name, concluded)
	}
	a.raw = "duration"
	last := s.alerts[len(s.alerts)-1]
	a.ask(schema.CatTR, say(w.zh, "How many seconds lie between the first and the last alert of the storm of %s?", "%s 的告警风暴，首条与末条告警相隔多少秒？", when), strconv.Itoa(int(last.at.Sub(s.alerts[0].at).Seconds())), "", s.alerts[0].turn, last.turn)
	if s.flapper != "" {
		a.raw = "flapping"
		a.ask(schema.CatMR, say(w.zh, "How often did the interface of %s go down while it flapped on %s?", "%s 的接口在 %s 抖动时 down 了几次？", s.flapper, s.start.Format("2006-01-02")), strconv.Itoa(s.flaps), "", downs...)
	}
}

// askHistory asks of each storm whether its like was seen before.
func (w *world) askHistory(a *asker) {
	a.raw = "history"
	for i, s := range w.storms {
		var before []string
		var turns []int
		for _, o := range w.storms[:i] {
			if o.root == s.root && o.why.code == s.why.code {
				before = append(before, o.start.Format("2006-01-02"))
				turns = append(turns, o.alerts[0].turn)
			}
		}
		if before == nil {
			w.askNew(a, i)
			continue
		}
		a.ask(schema.CatMR, say(w.zh, "Before %s, on which dates had %s been the root of a storm with %s?", "在 %s 之前，%s 因 %s 引发风暴是在哪些日期？", s.start.Format("2006-01-02"), s.root.name, s.why.code), strings.Join(before, ", "), "", turns...)
	}
}

// askNew asks of a storm whose like was not seen before, where something near was: the same
// device for another reason, or the same reason at another device.
func (w *world) askNew(a *asker, i int) {
	s := w.storms[i]
	for _, o := range w.storms[:i] {
		if (o.root == s.root) == (o.why.code == s.why.code) {
			continue
		}
		a.ask(schema.CatMR, say(w.zh, "The storm of %s began at %s with %s. Have we seen this before?", "%s 的告警风暴始于 %s 的 %s。以前遇到过吗？", clock(s.start), s.root.name, s.why.code),
			say(w.zh, "No", "没有"), say(w.zh, "Yes", "遇到过"), s.alerts[0].turn, o.alerts[0].turn)
		return
	}
}

// askSymptom asks of two storms that look alike on a device below whether they had one root.
func (w *world) askSymptom(a *asker) {
	a.raw = "same symptom"
	type sign struct{ device, code string }
	for i, s := range w.storms {
		for _, o := range w.storms[:i] {
			if s.root == o.root {
				continue
			}
			seen := map[sign]int{}
			for _, x := range o.alerts {
				if !x.root && seen[sign{x.device, x.code}] == 0 {
					seen[sign{x.device, x.code}] = x.turn
				}
			}
			for _, x := range s.alerts {
				if turn := seen[sign{x.device, x.code}]; turn != 0 && !x.root && x.code != "IF_FLAP_DOWN" && x.code != "IF_FLAP_UP" {
					a.ask(schema.CatMR, say(w.zh, "%s raised %s in the storm of %s and in that of %s. Which device was the root of the later one?", "%[1]s 在 %[3]s 和 %[4]s 的告警风暴中都报了 %[2]s。后一次的根因是哪台设备？", x.device, x.code, clock(o.start), clock(s.start)),
						s.root.name, o.root.name, rootTurn(s), x.turn, turn)
					return
				}
			}
		}
	}
}

func rootTurn(s *storm) int {
	for _, x := range s.alerts {
		if x.root {
			return x.turn
		}
	}
	return s.alerts[0].turn
}

func (w *world) askWindow(a *asker, m *window, announced, moved int) {
	day := m.last[0].Format("2006-01-02")
	a.raw = "maintenance"
	var turns []int
	for _, x := range w.alerts {
		if x.maintenance && x.device == m.device.name && !x.at.Before(m.last[0]) && !x.at.After(m.last[1]) {
			turns = append(turns, x.turn)
		}
	}
	told := announced
	if moved > 0 {
		told = moved
	}
	a.ask(schema.CatMR, say(w.zh, "How many alerts of %s on %s fell into its maintenance window and can be ignored?", "%s 在 %s 有多少条告警落在维护窗口内、可以忽略？", m.device.name, day), strconv.Itoa(m.alerts), "", append(turns, told)...)
	a.raw = "window"
	times := func(x [2]time.Time) string { return x[0].Format("15:04") + "–" + x[1].Format("15:04") }
	cat, wrong := schema.CatIE, ""
	if moved > 0 {
		cat, wrong = schema.CatKU, times(m.first)
	}
	a.ask(cat, say(w.zh, "From when to when is the maintenance of %s on %s?", "%s 在 %s 的维护时间是几点到几点？", m.device.name, day), times(m.last), wrong, told)
}

func (w *world) askUnknown(a *asker) {
	a.raw = "unknown"
	a.ask(schema.CatABS, say(w.zh, "What was the root cause of the storm on core-09?", "core-09 那次告警风暴的根因是什么？"), say(w.zh, "No storm of it is known.", "没有相关记录。"), "")
	quiet := ""
	for _, d := range w.devices {
		if !slices.ContainsFunc(w.windows, func(m *window) bool { return m.device == d }) {
			quiet = d.name
			break
		}
	}
	a.ask(schema.CatABS, say(w.zh, "When is the maintenance window of %s?", "%s 的维护窗口是什么时候？", quiet), say(w.zh, "None was announced.", "没有公布过。"), "")
}
