package netops

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"membench/datasets"
	"membench/internal/csvdoc"
	"membench/schema"
	"membench/schema/jsonl"
)

func matchFaults(name string) bool { return path.Base(name) == "faults.csv" }

// chinaTime is the zone of the tables' narratives (UTC+8); their stamps are Unix seconds.
var chinaTime = time.FixedZone("UTC+8", 8*60*60)

// fault is one thing that broke; a row of the table has one, or two at once.
type fault struct{ what, name, nodeType, root string }

// incident is one row.
type incident struct {
	n      int // from 1
	at     time.Time
	faults []fault
	kpis   []string // of the row: two faults with the same ones are indistinguishable
	turns  []int
}

// key identifies an incident by its visible signs: nodes and indicators.
func (i incident) key() string {
	var names []string
	for _, f := range i.faults {
		names = append(names, f.name+" "+f.nodeType)
	}
	return strings.Join(names, "; ") + " | " + strings.Join(i.kpis, ", ")
}

func (i incident) roots() string { return join(i.faults, func(f fault) string { return f.root }) }
func (i incident) whats() string {
	return join(i.faults, func(f fault) string { return f.what + " on " + f.name })
}

func join(fs []fault, f func(fault) string) string {
	var out []string
	for _, x := range fs {
		out = append(out, f(x))
	}
	return strings.Join(out, "; ")
}

// Faults reads fault tables: a header line and at least timestamp (Unix seconds) and root_cause_node; object, fault_description, kpi, name and node_type if
// present. A file is a case: a history of incidents reported day by day, and questions, some of them follow-ups asked before the next similar incident.
func Faults(dataset string) func(context.Context, []jsonl.File, datasets.Options) schema.Seq[schema.Case] {
	return func(ctx context.Context, files []jsonl.File, o datasets.Options) schema.Seq[schema.Case] {
		return func(yield func(schema.Record[schema.Case], error) bool) {
			for _, f := range files {
				if ctx.Err() != nil {
					yield(schema.Record[schema.Case]{}, context.Cause(ctx))
					return
				}
				list, err := readFaults(f, o)
				var x *schema.Finding
				switch {
				case errors.As(err, &x):
					if !yield(schema.Record[schema.Case]{}, x) {
						return
					}
					continue
				case err != nil:
					yield(schema.Record[schema.Case]{}, err)
					return
				}
				c := history(dataset, tableName(f.Name), list)
				if !yield(schema.Record[schema.Case]{Pos: schema.Pos{File: f.Name, Line: 1}, V: c}, nil) {
					return
				}
			}
		}
	}
}

// tableName is the folder of a faults.csv, or the file's own name.
func tableName(file string) string {
	file = strings.ReplaceAll(file, "\\", "/")
	base := strings.TrimSuffix(path.Base(file), ".csv")
	if dir := path.Base(path.Dir(file)); base == "faults" && dir != "." && dir != "/" {
		return dir
	}
	return base
}

func readFaults(f jsonl.File, o datasets.Options) ([]*incident, error) {
	r, err := f.Open()
	if err != nil {
		return nil, err
	}
	defer r.Close()
	in := csvdoc.NewReader(r)
	in.FieldsPerRecord = -1
	head, err := in.Read()
	if err != nil {
		return nil, tableFault(f.Name, 1, "no header line", err)
	}
	if len(head) > 0 {
		head[0] = strings.TrimPrefix(head[0], "\ufeff")
	}
	col := map[string]int{}
	for i, h := range head {
		col[strings.TrimSpace(h)] = i
	}
	if _, ok := col["timestamp"]; !ok {
		return nil, tableFault(f.Name, 1, "no column timestamp", nil)
	}
	if _, ok := col["root_cause_node"]; !ok {
		return nil, tableFault(f.Name, 1, "no column root_cause_node", nil)
	}
	var out []*incident
	line := 1
	for {
		row, err := in.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if errors.Is(err, csvdoc.ErrRow) {
			return nil, tableFault(f.Name, line+1, "the table cannot be read", err)
		}
		if len(row) > 0 {
			line, _ = in.FieldPos(0)
		}
		if err != nil {
			var pe *csv.ParseError
			if !errors.As(err, &pe) {
				return nil, fmt.Errorf("reading %s: %w", f.Name, err)
			}
			o.Tell(tableFault(f.Name, pe.Line, "a row cannot be read, skipped", pe.Err))
			continue
		}
		get := func(name string) string {
			if i, ok := col[name]; ok && i < len(row) {
				return row[i]
			}
			return ""
		}
		inc, why := readIncident(get)
		if why != "" {
			o.Tell(tableFault(f.Name, line, "a row cannot be read, skipped: "+why, nil))
			continue
		}
		out = append(out, inc)
	}
	if len(out) == 0 {
		return nil, tableFault(f.Name, 1, "no fault in the table", nil)
	}
	slices.SortStableFunc(out, func(a, b *incident) int { return a.at.Compare(b.at) })
	for i := range out {
		out[i].n = i + 1
	}
	return out, nil
}

func tableFault(file string, line int, what string, err error) *schema.Finding {
	f := &schema.Finding{Pos: schema.Pos{File: file, Line: line}, Code: "DST002", Message: what, Want: "timestamp,object,fault_description,kpi,name,node_type,root_cause_node"}
	if strings.HasPrefix(what, "no ") {
		f.Code = "DST001"
	}
	if err != nil {
		f.Message += ": " + err.Error()
	}
	return f
}

func readIncident(get func(string) string) (*incident, string) {
	sec, err := strconv.ParseInt(strings.TrimSpace(get("timestamp")), 10, 64)
	if err != nil || sec <= 0 || sec > 1<<33 {
		return nil, "the timestamp is not a number of seconds"
	}
	inc := &incident{at: time.Unix(sec, 0).In(chinaTime)}
	roots := split(get("root_cause_node"))
	if len(roots) == 0 {
		return nil, "no root_cause_node"
	}
	whats, names, types := split(get("fault_description")), split(get("name")), split(get("node_type"))
	at := func(list []string, i int, other string) string {
		if i < len(list) {
			return list[i]
		}
		return other
	}
	for i, root := range roots {
		inc.faults = append(inc.faults, fault{at(whats, i, "fault"), at(names, i, root), at(types, i, ""), root})
	}
	for _, k := range split(get("kpi")) {
		if !slices.Contains(inc.kpis, k) {
			inc.kpis = append(inc.kpis, k)
		}
	}
	return inc, ""
}

// split cuts a cell at ";"; runs of blanks are one ("db  close").
func split(cell string) []string {
	var out []string
	for _, s := range strings.Split(cell, ";") {
		if s = squeeze(s); s != "" {
			out = append(out, s)
		}
	}
	return out
}

// history makes the case: one session per day, two turns per incident: the alarm and its cause.
func history(dataset, name string, list []*incident) schema.Case {
	id := dataset + "-" + name
	a := &asker{Builder: datasets.NewBuilder(dataset, id, schema.ConvID(id), schema.UnitTurn)}
	a.Case.Source = name
	a.Case.Speakers = []string{"Monitor", "On-call engineer"}
	day := ""
	for _, inc := range list {
		if d := inc.at.Format("2006-01-02"); d != day {
			day = d
			a.Session(schema.Session{ID: day, Time: inc.at.Format(time.RFC3339)})
		}
		kpis := "no indicator out of range was recorded"
		if len(inc.kpis) > 0 {
			kpis = "indicators out of range: " + strings.Join(inc.kpis, ", ")
		}
		stamp := inc.at.Format(time.RFC3339)
		alarm := join(inc.faults, func(f fault) string {
			if f.nodeType != "" {
				return f.name + " (" + f.nodeType + ")"
			}
			return f.name
		})
		inc.turns = []int{
			a.Turn(schema.CaseTurn{Role: "user", Name: "Monitor", Time: stamp, Text: fmt.Sprintf("Incident %d at %s: alarm on %s; %s.", inc.n, clock(inc.at), alarm, kpis)}),
			a.Turn(schema.CaseTurn{Role: "assistant", Name: "On-call engineer", Time: stamp, Text: fmt.Sprintf("Incident %d was %s. Root cause: %s.", inc.n, inc.whats(), inc.roots())}),
		}
	}
	askFaults(a, list)
	return a.Case
}

func askFaults(a *asker, list []*incident) {
	for i, inc := range list {
		if i%4 == 0 {
			a.raw = "root cause"
			a.ask(schema.CatIE, fmt.Sprintf("What was the root cause of the incident of %s?", clock(inc.at)), inc.roots(), "", inc.turns[1])
		}
		followUp(a, list, i)
	}
	counts(a, list)
	names := map[string]*incident{}
	var order []string
	for _, inc := range list {
		for _, f := range inc.faults {
			if names[f.name] == nil {
				order = append(order, f.name)
			}
			names[f.name] = inc
		}
	}
	for _, n := range order { // the latest value
		inc := names[n]
		a.raw = "newest"
		a.ask(schema.CatKU, fmt.Sprintf("What was the most recent fault on %s, over the whole history?", n), newest(inc, n), "", inc.turns[1])
	}
	for i := 0; i+1 < len(order); i += 3 {
		x, y := first(list, order[i]), first(list, order[i+1])
		if x.at.Equal(y.at) {
			continue
		}
		gold := order[i]
		if y.at.Before(x.at) {
			gold = order[i+1]
		}
		a.raw = "order"
		a.ask(schema.CatTR, fmt.Sprintf("Which of them failed first, %s or %s?", order[i], order[i+1]), gold, "", x.turns[0], y.turns[0])
	}
	a.raw = "unknown node"
	for _, prefix := range []string{"docker", "os", "db"} {
		n := 0
		for names[fmt.Sprintf("%s_%03d", prefix, 90+n)] != nil {
			n++
		}
		a.ask(schema.CatABS, fmt.Sprintf("What was the root cause of the last incident on %s_%03d?", prefix, 90+n), "No incident on it is known.", "")
	}
}

func first(list []*incident, name string) *incident {
	i := slices.IndexFunc(list, func(inc *incident) bool {
		return slices.ContainsFunc(inc.faults, func(f fault) bool { return f.name == name })
	})
	return list[i]
}

func newest(inc *incident, name string) string {
	i := slices.IndexFunc(inc.faults, func(f fault) bool { return f.name == name })
	return inc.faults[i].what
}

// followUp asks, before the day of an incident, about similar ones: only the days before it have been described by then.
func followUp(a *asker, list []*incident, i int) {
	inc := list[i]
	today := inc.at.Format("2006-01-02")
	var before []*incident
	for _, x := range list[:i] {
		if x.key() == inc.key() && x.at.Format("2006-01-02") < today {
			before = append(before, x)
		}
	}
	if len(before) == 0 || len(inc.kpis) == 0 {
		return
	}
	var covered []string
	for _, s := range a.Case.Sessions {
		if s.ID < today {
			covered = append(covered, s.ID)
		}
	}
	last := before[len(before)-1]
	a.raw = "follow-up"
	var turns []int
	for _, x := range before {
		turns = append(turns, x.turns...)
	}
	alarm := join(inc.faults, func(f fault) string { return f.name })
	q := a.ask(schema.CatMR, fmt.Sprintf("%s: %s alarms again with %s. How often did the same happen before, and what was the root cause the last time?", clock(inc.at), alarm, strings.Join(inc.kpis, ", ")),
		fmt.Sprintf("%d; %s", len(before), last.roots()), "", turns...)
	q.Checkpoint, q.Covered, q.AsOf = "before-"+today, covered, inc.at.Format(time.RFC3339)
}

// counts asks how often a kind of fault hit a node.
func counts(a *asker, list []*incident) {
	type pair struct{ what, name string }
	seen := map[pair][]int{}
	var order []pair
	for _, inc := range list {
		for _, f := range inc.faults {
			p := pair{f.what, f.name}
			if seen[p] == nil {
				order = append(order, p)
			}
			seen[p] = append(seen[p], inc.turns[1])
		}
	}
	a.raw = "count"
	for _, p := range order {
		if n := len(seen[p]); n > 1 {
			a.ask(schema.CatMR, fmt.Sprintf("How many incidents of %s on %s are there in all?", p.what, p.name), strconv.Itoa(n), "", seen[p]...)
		}
	}
}
