package netops

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"membench/datasets"
	"membench/schema"
)

// note is something said beside the alerts.
type note struct {
	at   time.Time
	text string
	turn *int
}

// tell makes the case: a sitting a day with the alerts and notes of the day in order
// of time, then the questions.
func (w *world) tell(id string) schema.Case {
	a := &asker{Builder: datasets.NewBuilder("alert-storm", id, schema.ConvID(id), schema.UnitTurn)}
	a.Case.Speakers = []string{say(w.zh, "Operator", "运维工程师"), say(w.zh, "Alert bus", "告警总线")}
	notes := w.notes()
	turnOf := make([]struct{ suspected, concluded, announced, moved int }, max(len(w.storms), len(w.windows)))
	for i := range w.storms {
		notes.of(i, &turnOf[i].suspected, &turnOf[i].concluded)
	}
	for i := range w.windows {
		notes.window(i, &turnOf[i].announced, &turnOf[i].moved)
	}
	w.write(a, notes.list)
	for i, s := range w.storms {
		w.askStorm(a, s, turnOf[i].suspected, turnOf[i].concluded)
	}
	w.askHistory(a)
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
	n.concluded[i].turn = concluded
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

func (w *world) askStorm(a *asker, s *storm, suspected, concluded int) {
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
	if s.suspect == nil {
		a.ask(schema.CatIE, say(w.zh, "Which device was the root of the storm of %s?", "%s 的告警风暴根因是哪台设备？", when), s.root.name, "", root, concluded)
	} else {
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
			continue
		}
		a.ask(schema.CatMR, say(w.zh, "Before %s, on which dates had %s been the root of a storm with %s?", "在 %s 之前，%s 因 %s 引发风暴是在哪些日期？", s.start.Format("2006-01-02"), s.root.name, s.why.code), strings.Join(before, ", "), "", turns...)
	}
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
