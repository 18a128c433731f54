package netops

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"

	"membench/datasets"
	"membench/internal/codec"
	"membench/internal/csvdoc"
	"membench/schema"
	"membench/schema/jsonl"
)

// A record holds the recorded facts of one incident without telemetry. Cases over notes ask for stated facts; their golds are not root-cause scores, and their
// questions have telemetry: none.
type record struct {
	group  string // notes of a group are one case
	at     string // RFC 3339 without zone, or ""
	system string
	on     []string // things that were faulty
	kind   string
	alerts []string
}

// facts makes a data set of notes: each fact is a turn of the incident desk, and the
// graph of those turns gives the questions. All notes are held: about 300 bytes each.
func facts(name string, match func(string) bool, read func(jsonl.File, datasets.Options) ([]record, error)) datasets.Dataset {
	info, _ := datasets.Lookup(name)
	return datasets.Dataset{Info: info, Match: match, Cases: func(ctx context.Context, files []jsonl.File, o datasets.Options) schema.Seq[schema.Case] {
		return func(yield func(schema.Record[schema.Case], error) bool) {
			groups := map[string][]record{}
			var order []string
			for _, f := range files {
				notes, err := read(f, o)
				if err != nil {
					if !yield(schema.Record[schema.Case]{}, &schema.Finding{Pos: schema.Pos{File: f.Name}, Code: "DST002", Message: "the file cannot be read, skipped: " + err.Error()}) {
						return
					}
					continue
				}
				for _, n := range notes {
					if groups[n.group] == nil {
						order = append(order, n.group)
					}
					groups[n.group] = append(groups[n.group], n)
				}
			}
			for _, g := range order {
				for r, err := range Retell(ctx, desk(name, g, groups[g]), Options{Seed: o.Seed, NoTelemetry: true}) {
					if err == nil {
						rename(&r.V, name)
						r.V.Source = g
					}
					if !yield(r, err) {
						return
					}
				}
			}
		}
	}}
}

// rename gives a case of the graph the name of its data set.
func rename(c *schema.Case, name string) {
	c.Dataset, c.ID = name, name+"-"+strings.TrimPrefix(string(c.ConvID), name+"-")
	for i := range c.Questions {
		c.Questions[i].ID = fmt.Sprintf("%s/q/%d", c.ID, i)
	}
}

// desk writes notes as dialogue: one session per day, one turn per fact.
func desk(name, group string, notes []record) schema.Case {
	slices.SortStableFunc(notes, func(a, b record) int { return cmp.Compare(a.at, b.at) })
	id := name + "-" + group
	b := datasets.NewBuilder(name, id, schema.ConvID(id), schema.UnitTurn)
	b.Case.Speakers = []string{"Incident desk"}
	day := "\x00"
	for i, n := range notes {
		if d := n.at[:min(10, len(n.at))]; d != day || len(b.Case.Sessions) == 0 || d == "" && i%8 == 0 {
			day = d
			b.Session(schema.Session{ID: cmp.Or(d, datasets.Numbered("S", i/8+1, 2)), Time: n.at})
		}
		tell := func(format string, args ...any) {
			b.Turn(schema.CaseTurn{Role: "user", Name: "Incident desk", Time: n.at, Text: fmt.Sprintf("Incident %d: ", i+1) + fmt.Sprintf(format, args...)})
		}
		if n.system != "" {
			tell("it happened in %s.", n.system)
		}
		for _, on := range n.on {
			tell("the fault was on %s.", on)
		}
		if n.kind != "" {
			tell("the fault was of kind %s.", n.kind)
		}
		for _, a := range n.alerts {
			tell("the alert %s fired.", a)
		}
	}
	return b.Case
}

// matchEnd matches files by the end of their names.
func matchEnd(ends ...string) func(string) bool {
	return func(name string) bool {
		return slices.ContainsFunc(ends, func(e string) bool { return strings.HasSuffix(path.Base(name), e) })
	}
}

func matchOpenRCA(name string) bool {
	return strings.HasPrefix(path.Base(name), "agent-") && path.Ext(name) == ".csv"
}

func matchITBench(name string) bool {
	return path.Base(path.Dir(name)) == "scenarios" && path.Ext(name) == ".json"
}

// readNezha reads a fault list: hours with the faults injected in them.
func readNezha(f jsonl.File, _ datasets.Options) ([]record, error) {
	b, err := datasets.ReadAll(f)
	if err != nil {
		return nil, err
	}
	var hours map[string][]struct {
		Time string `json:"inject_time"`
		Pod  string `json:"inject_pod"`
		Type string `json:"inject_type"`
	}
	if err := codec.Unmarshal(b, &hours); err != nil {
		return nil, err
	}
	var out []record
	for _, list := range hours {
		for _, x := range list {
			if len(x.Time) < 10 || x.Pod == "" {
				continue
			}
			out = append(out, record{group: x.Time[:10], at: strings.Replace(x.Time, " ", "T", 1), on: []string{x.Pod}, kind: x.Type})
		}
	}
	slices.SortFunc(out, func(a, b record) int { return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.on[0], b.on[0])) })
	return out, nil
}

// readOpenRCA reads the ground truth of an archive: several questions share a failure, which is described once.
func readOpenRCA(f jsonl.File, _ datasets.Options) ([]record, error) {
	r, err := f.Open()
	if err != nil {
		return nil, err
	}
	defer r.Close()
	in := csvdoc.NewReader(r)
	in.FieldsPerRecord = -1
	head, err := in.Read()
	if err != nil {
		return nil, err
	}
	col := slices.Index(head, "groundtruth")
	if col < 0 {
		return nil, fmt.Errorf("no column groundtruth")
	}
	group := strings.TrimSuffix(strings.TrimPrefix(path.Base(strings.ReplaceAll(f.Name, "\\", "/")), "agent-"), ".csv")
	seen := map[string]bool{}
	var out []record
	for {
		row, err := in.Read()
		if err == io.EOF {
			return out, nil
		}
		if err != nil {
			return nil, err
		}
		if col >= len(row) || seen[row[col]] {
			continue
		}
		seen[row[col]] = true
		fields := map[string]string{}
		for line := range strings.Lines(row[col]) {
			k, v, _ := strings.Cut(strings.TrimSpace(line), ": ")
			fields[k] = v
		}
		if fields["component"] != "" {
			out = append(out, record{group: group, at: strings.Replace(fields["datetime"], " ", "T", 1), on: []string{fields["component"]}, kind: fields["reason"]})
		}
	}
}

// readITBench reads one scenario: where it plays, the faults put in, the alerts named.
func readITBench(f jsonl.File, _ datasets.Options) ([]record, error) {
	b, err := datasets.ReadAll(f)
	if err != nil {
		return nil, err
	}
	var s struct {
		Alerts      []string `json:"alerts"`
		Disruptions []struct {
			Injections []struct {
				ID string `json:"id"`
			} `json:"injections"`
		} `json:"disruptions"`
		Environment struct {
			Applications []struct {
				ID string `json:"id"`
			} `json:"applications"`
		} `json:"environment"`
	}
	if err := codec.Unmarshal(b, &s); err != nil {
		return nil, err
	}
	n := record{group: "sre", alerts: s.Alerts}
	if len(s.Environment.Applications) > 0 {
		n.system = s.Environment.Applications[0].ID
	}
	for _, d := range s.Disruptions {
		for _, x := range d.Injections {
			n.kind = cmp.Or(n.kind, x.ID)
		}
	}
	if n.kind == "" && n.system == "" {
		return nil, fmt.Errorf("no scenario: it has neither disruptions nor applications")
	}
	return []record{n}, nil
}

// readAIOpsLab reads the list of problems; the variants of one problem are described once.
func readAIOpsLab(f jsonl.File, _ datasets.Options) ([]record, error) {
	b, err := datasets.ReadAll(f)
	if err != nil {
		return nil, err
	}
	var list []struct {
		Application string  `json:"application"`
		Service     *string `json:"faulty_service"`
		Type        *string `json:"injected_fault_type"`
		Flag        *string `json:"injected_feature_flag"`
	}
	if err := codec.Unmarshal(b, &list); err != nil {
		return nil, err
	}
	seen := map[string]bool{}
	var out []record
	for _, p := range list {
		if p.Service == nil || *p.Service == "" || *p.Service == "PLACEHOLDER" {
			continue // a problem without a fault
		}
		n := record{group: "problems", system: p.Application, on: []string{*p.Service}}
		switch {
		case p.Type != nil:
			n.kind = *p.Type
		case p.Flag != nil:
			n.kind = *p.Flag
		}
		if key := fmt.Sprint(n); !seen[key] {
			seen[key] = true
			out = append(out, n)
		}
	}
	return out, nil
}
