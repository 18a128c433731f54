package netops

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"membench/datasets"
	"membench/schema"
	"membench/schema/jsonl"
)

// device is a node of the generated network; its failure takes down the devices below it.
type device struct {
	name  string
	below []*device
}

func (d *device) under() []*device {
	var out []*device
	for _, c := range d.below {
		out = append(append(out, c), c.under()...)
	}
	return out
}

// trouble is a possible root of a storm.
type trouble struct {
	code   string // of its alert
	en, cn string
}

var troubles = []trouble{
	{"BGP_PEER_DOWN", "BGP session reset by a wrong hold timer", "hold timer 配置错误导致 BGP 会话中断"},
	{"LINK_DOWN", "a cut fibre", "光纤中断"},
	{"POWER_LOSS", "loss of power", "电源故障"},
	{"CPU_HIGH", "a routing loop that used up the CPU", "路由环路耗尽 CPU"},
}

// alert is one line of the stream, with the generator's knowledge about it.
type alert struct {
	at          time.Time
	device      string
	code        string
	storm       int  // -1: none
	root        bool // the first alert of a storm's root
	duplicate   bool // the same device and code were raised before in this storm
	flap        bool
	maintenance bool
	turn        int
}

func (a alert) text() string {
	level := "WARNING"
	if a.code != "IF_FLAP_DOWN" && a.code != "IF_FLAP_UP" {
		level = "CRITICAL"
	}
	return fmt.Sprintf("[%s] %s %s %s", a.at.Format("2006-01-02 15:04:05"), level, a.device, a.code)
}

// storm is the generator's state of one storm: every gold comes from it.
type storm struct {
	n       int
	start   time.Time
	root    *device
	why     trouble
	suspect *device // device that the first report blamed wrongly; nil: none
	alerts  []*alert
	flapper string // interface's device, "" none
	flaps   int    // downs of it
}

// window is a maintenance window, as it was announced and as it was moved to.
type window struct {
	device      *device
	first, last [2]time.Time // from, to
	alerts      int          // that fell into it and belong to no fault
}

type world struct {
	zh      bool
	r       *rand.Rand
	devices []*device
	storms  []*storm
	windows []*window
	alerts  []*alert
}

// Storms generates cases of alert storms: a stream of alerts with duplicates, cascades down a topology, flapping interfaces and maintenance windows, reported
// day by day together with the operators' reports. Roots, counts and times in golds come from the generator's state, never from the text. Every second case is
// Chinese. Equal seeds give equal cases; a case does not depend on the number of cases.
func Storms(ctx context.Context, _ []jsonl.File, o datasets.Options) schema.Seq[schema.Case] {
	return func(yield func(schema.Record[schema.Case], error) bool) {
		n := o.Count
		if n <= 0 {
			n = 4
		}
		for i := range n {
			if ctx.Err() != nil {
				yield(schema.Record[schema.Case]{}, context.Cause(ctx))
				return
			}
			w := newWorld(o.Seed, i)
			if !yield(schema.Record[schema.Case]{V: w.tell(fmt.Sprintf("alert-storm-%d-%03d", o.Seed, i+1))}, nil) {
				return
			}
		}
	}
}

func newWorld(seed uint64, n int) *world {
	w := &world{zh: n%2 == 1, r: newRand(seed, n)}
	add := func(name string, parent *device) *device {
		d := &device{name: name}
		if parent != nil {
			parent.below = append(parent.below, d)
		}
		w.devices = append(w.devices, d)
		return d
	}
	for c := range 2 {
		core := add(fmt.Sprintf("core-%02d", c+1), nil)
		for s := range 2 + w.r.IntN(2) {
			agg := add(fmt.Sprintf("agg-%02d%d", c+1, s+1), core)
			for x := range 2 + w.r.IntN(3) {
				add(fmt.Sprintf("acc-%02d%d%d", c+1, s+1, x+1), agg)
			}
		}
	}
	day := time.Date(2026, 3, 2, 0, 0, 0, 0, time.UTC)
	for i := range 5 + w.r.IntN(3) {
		start := day.AddDate(0, 0, 2*i).Add(time.Duration(8+w.r.IntN(10))*time.Hour + time.Duration(w.r.IntN(60))*time.Minute)
		w.storm(i, start)
		if i%2 == 1 {
			w.maintain(day.AddDate(0, 0, 2*i+1))
		}
	}
	slices.SortStableFunc(w.alerts, func(a, b *alert) int { return a.at.Compare(b.at) })
	return w
}

// pick draws a device that something hangs below.
func (w *world) pick() *device {
	for {
		if d := w.devices[w.r.IntN(len(w.devices))]; len(d.below) > 0 {
			return d
		}
	}
}

func (w *world) storm(n int, start time.Time) {
	s := &storm{n: n + 1, start: start, root: w.pick(), why: troubles[w.r.IntN(len(troubles))]}
	if n > 0 && w.r.IntN(2) == 0 { // history repeats itself
		old := w.storms[w.r.IntN(n)]
		s.root, s.why = old.root, old.why
	}
	raise := func(at time.Time, device, code string) *alert {
		a := &alert{at: at, device: device, code: code, storm: n}
		s.alerts = append(s.alerts, a)
		return a
	}
	raise(start, s.root.name, s.why.code).root = true
	at := start
	for _, d := range s.root.under() {
		at = at.Add(time.Duration(1+w.r.IntN(9)) * time.Second)
		raise(at, d.name, "UNREACHABLE")
	}
	for range 3 + w.r.IntN(6) { // repetitions of raised alerts
		of := s.alerts[w.r.IntN(len(s.alerts))]
		raise(of.at.Add(time.Duration(30+w.r.IntN(90))*time.Second), of.device, of.code)
	}
	if w.r.IntN(2) == 0 {
		d := s.root.below[w.r.IntN(len(s.root.below))]
		s.flapper, s.flaps = d.name, 2+w.r.IntN(4)
		at := start.Add(3 * time.Minute)
		for range s.flaps {
			raise(at, d.name, "IF_FLAP_DOWN").flap = true
			raise(at.Add(7*time.Second), d.name, "IF_FLAP_UP").flap = true
			at = at.Add(20 * time.Second)
		}
	}
	slices.SortStableFunc(s.alerts, func(a, b *alert) int { return a.at.Compare(b.at) })
	seen := map[string]bool{}
	for _, a := range s.alerts {
		key := a.device + " " + a.code
		a.duplicate = seen[key]
		seen[key] = true
	}
	if w.r.IntN(2) == 0 {
		s.suspect = s.root.below[w.r.IntN(len(s.root.below))]
	}
	w.storms = append(w.storms, s)
	w.alerts = append(w.alerts, s.alerts...)
}

func (w *world) maintain(day time.Time) {
	var leaves []*device
	for _, d := range w.devices {
		if len(d.below) == 0 {
			leaves = append(leaves, d)
		}
	}
	from := day.Add(time.Duration(1+w.r.IntN(3)) * time.Hour)
	m := &window{device: leaves[w.r.IntN(len(leaves))], first: [2]time.Time{from, from.Add(time.Hour)}}
	m.last = m.first
	if w.r.IntN(2) == 0 {
		m.last = [2]time.Time{from.Add(2 * time.Hour), from.Add(3 * time.Hour)}
	}
	for range 2 + w.r.IntN(4) {
		at := m.last[0].Add(time.Duration(w.r.IntN(3500)) * time.Second)
		w.alerts = append(w.alerts, &alert{at: at, device: m.device.name, code: "UNREACHABLE", storm: -1, maintenance: true})
		m.alerts++
	}
	w.windows = append(w.windows, m)
}
