package netops

import (
	_ "embed"
	"slices"
	"strings"
	"sync"
	"time"

	"membench/internal/pattern"
	"membench/schema"
	"membench/schema/catalog"
)

//go:embed netops.yaml
var vocabulary []byte

//go:embed words.yaml
var wordings []byte

// Catalog returns the built-in catalogue with the terms of operations (netops.yaml).
func Catalog() (*catalog.Catalog, error) { return loadCatalog() }

var loadCatalog = sync.OnceValues(func() (*catalog.Catalog, error) { return catalog.Load(vocabulary) })

// said is one typed statement that a turn makes.
type said struct {
	pred              string
	subjectType, subj string
	objectType, obj   string
}

// Patterns of operations texts: alarms of a bus, reports, windows, runbook entries, histories of incidents. Everything in the graph comes from them.
var (
	reAlarm   = pattern.New(`^\[(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d)\] (?:WARNING|CRITICAL|ERROR|FATAL|SEVERE|FAILURE) (\S+) (\S+)$`)
	reSuspect = pattern.New(`^First look at the storm of (\d{4}-\d\d-\d\d \d\d:\d\d): I think the root is (\S+)\.$|^初步判断：(\d{4}-\d\d-\d\d \d\d:\d\d) 的告警风暴根因可能是 (\S+)。$`)
	reReport  = pattern.New(`^Report on the storm of (\d{4}-\d\d-\d\d \d\d:\d\d): the root cause was ([^,\s]+), |^复盘：(\d{4}-\d\d-\d\d \d\d:\d\d) 的告警风暴根因是 ([^，\s]+)，`)
	reWindow  = pattern.New(`^Maintenance of (\S+) on (\d{4}-\d\d-\d\d) from (\d\d:\d\d) to (\d\d:\d\d);|^(\S+) 将于 (\d{4}-\d\d-\d\d) 的 (\d\d:\d\d) 至 (\d\d:\d\d) 维护`)
	reMoved   = pattern.New(`^The maintenance of (\S+) on (\d{4}-\d\d-\d\d) is moved: it is from (\d\d:\d\d) to (\d\d:\d\d) now\.$|^(\S+) 在 (\d{4}-\d\d-\d\d) 的维护改期：现为 (\d\d:\d\d) 至 (\d\d:\d\d)。$`)
	reEntry   = pattern.New(`(?s)^Runbook entry (\d+)\. Situation: .*? Procedure: (.+?)(?: Why: .*)?$|^运维手册第(\d+)条。情形：.*? 处理：(.+?)(?: 说明：.*)?$`)
	reCorrect = pattern.New(`(?s)^Correction to runbook entry (\d+) \(.*The right procedure is: (.+?)(?: Why: .*)?$|^更正运维手册第(\d+)条（.*正确做法是：(.+?)(?: 说明：.*)?$`)
	reDesk    = pattern.New(`^Incident (\d+): (it happened in|the fault was on|the fault was of kind|the alert) (.+?)(?: fired)?\.$`)
	reHistory = pattern.New(`^Incident (\d+) at (\d{4}-\d\d-\d\d \d\d:\d\d): alarm on (.+); (?:indicators out of range: (.+)|no indicator out of range was recorded)\.$`)
)

// groups are the filled groups of a match: each pattern has an English and a Chinese half.
func groups(re *pattern.Pattern, text string) []string {
	m := re.FindStringSubmatch(text)
	if m == nil {
		return nil
	}
	return slices.DeleteFunc(m[1:], func(s string) bool { return s == "" })
}

// alarm is a raised alarm, as given in its line.
type alarm struct {
	at           time.Time
	device, kind string
	incident     string // incident that it belongs to; "" none
	turn         int
}

func (a alarm) name() string { return a.at.Format(time.DateTime) + " " + a.device + " " + a.kind }

// gapBetween ends an incident: alarms further apart do not belong together.
const gapBetween = 10 * time.Minute

// cluster joins alarms to incidents by time alone. An incident has at least two
// devices: alarms of one device are its own affair.
func cluster(alarms []*alarm) {
	slices.SortStableFunc(alarms, func(a, b *alarm) int { return a.at.Compare(b.at) })
	for from := 0; from < len(alarms); {
		to := from + 1
		for to < len(alarms) && alarms[to].at.Sub(alarms[to-1].at) <= gapBetween {
			to++
		}
		devices := map[string]bool{}
		for _, a := range alarms[from:to] {
			devices[a.device] = true
		}
		if len(devices) > 1 {
			for _, a := range alarms[from:to] {
				a.incident = clock(alarms[from].at)
			}
		}
		from = to
	}
}

// typed extracts the statements of every turn of a case from its text alone.
func typed(c schema.Case) map[int][]said {
	out := map[int][]said{}
	var alarms []*alarm
	for _, s := range c.Sessions {
		for _, t := range s.Turns {
			if m := groups(reAlarm, t.Text); m != nil {
				if at, err := time.Parse(time.DateTime, m[0]); err == nil {
					alarms = append(alarms, &alarm{at: at, device: m[1], kind: m[2], turn: t.TurnID})
				}
				continue
			}
			out[t.TurnID] = sayings(t.Text)
		}
	}
	cluster(alarms)
	for _, a := range alarms {
		list := []said{{"RAISED_BY", "Alarm", a.name(), "Device", a.device}, {"OF_KIND", "Alarm", a.name(), "Topic", a.kind}}
		if a.incident != "" {
			list = append(list, said{"PART_OF", "Alarm", a.name(), "Incident", a.incident})
		}
		out[a.turn] = list
	}
	return out
}

func sayings(text string) []said {
	switch m := groups(reSuspect, text); {
	case m != nil:
		return []said{{"BLAMED_ON", "Incident", m[0], "Device", m[1]}}
	}
	if m := groups(reReport, text); m != nil {
		return []said{{"BLAMED_ON", "Incident", m[0], "Device", m[1]}}
	}
	if m := groups(reWindow, text); m != nil {
		change := m[0] + " " + m[1]
		return []said{{"PLANNED_FOR", "Change", change, "Device", m[0]}, {"WINDOW", "Change", change, "Tag", "window=" + m[2] + "–" + m[3]}}
	}
	if m := groups(reMoved, text); m != nil {
		return []said{{"WINDOW", "Change", m[0] + " " + m[1], "Tag", "window=" + m[2] + "–" + m[3]}}
	}
	for _, re := range []*pattern.Pattern{reCorrect, reEntry} {
		if m := groups(re, text); len(m) == 2 {
			return []said{{"PRESCRIBES", "Runbook", m[0], "Action", m[1]}}
		}
	}
	if m := groups(reDesk, text); m != nil {
		switch m[1] {
		case "it happened in":
			return []said{{"IN_SYSTEM", "Incident", m[0], "Service", m[2]}}
		case "the fault was on":
			return []said{{"FAULT_ON", "Incident", m[0], "Device", m[2]}}
		case "the fault was of kind":
			return []said{{"FAULT_KIND", "Incident", m[0], "Topic", m[2]}}
		}
		return []said{{"FIRED", "Incident", m[0], "Alert", m[2]}}
	}
	if m := groups(reHistory, text); m != nil {
		var out []said
		for node := range strings.SplitSeq(m[2], "; ") {
			name, _, _ := strings.Cut(node, " (")
			out = append(out, said{"HIT", "Incident", m[0], "Device", name})
		}
		if len(m) > 3 {
			for kpi := range strings.SplitSeq(m[3], ", ") {
				out = append(out, said{"SHOWED", "Incident", m[0], "Topic", kpi})
			}
		}
		return out
	}
	return nil
}
