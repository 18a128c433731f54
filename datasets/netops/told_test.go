package netops_test

import (
	"encoding/csv"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"membench/datasets"
	"membench/datasets/netops"
	"membench/internal/exttest"
	"membench/schema"
)

func set(t testing.TB, name string) datasets.Dataset {
	t.Helper()
	for _, d := range netops.Datasets() {
		if d.Name == name {
			return d
		}
	}
	t.Fatalf("no data set %s", name)
	return datasets.Dataset{}
}

// Invented records of the shapes of the four sets that have labels and no telemetry.
var told = map[string]struct {
	file, text string
	repeat     string // gold of the repeated incident
}{
	"nezha":    {"2031-01-02-fault_list.json", `{"03":[{"inject_time":"2031-01-02 03:10:00","inject_timestamp":"1","inject_pod":"quay-5c9-x1","inject_type":"cpu_contention"},{"inject_time":"2031-01-02 03:20:00","inject_timestamp":"1","inject_pod":"crane-7d-y2","inject_type":"return"}],"04":[],"05":[{"inject_time":"2031-01-02 05:10:00","inject_timestamp":"1","inject_pod":"quay-5c9-x1","inject_type":"cpu_contention"}]}`, "1"},
	"openrca":  {"agent-Harbour.csv", "instruction,prediction,groundtruth\nq1,{},\"component: Quay01\ntimestamp: 1\ndatetime: 2031-01-02 10:00:00\nreason: high disk use\"\nq2,{},\"component: Quay01\ntimestamp: 1\ndatetime: 2031-01-02 10:00:00\nreason: high disk use\"\nq3,{},\"component: Quay01\ndatetime: 2031-01-03 11:00:00\nreason: high disk use\"\n", "1"},
	"itbench":  {"scenarios/1.json", `{"alerts":["TideTooHigh"],"disruptions":[{"injections":[{"id":"flooded-quay","args":{"a":1}}]}],"environment":{"applications":[{"id":"harbour-demo"}]}}`, ""},
	"aiopslab": {"problems.json", `[{"problem_id":"a","application":"Harbour","faulty_service":"quay","injected_fault_type":"flood","injected_feature_flag":null},{"problem_id":"b","application":"Harbour","faulty_service":"quay","injected_fault_type":"flood","injected_feature_flag":null},{"problem_id":"c","application":"Harbour","faulty_service":null}]`, ""},
}

func TestTold(t *testing.T) {
	for name, x := range told {
		cs, found := run(t, set(t, name).Cases, datasets.Options{Seed: 1}, datasets.TextFile(x.file, x.text))
		if len(cs) != 1 || len(found) != 0 {
			t.Errorf("%s: %d cases, %v", name, len(cs), found)
			continue
		}
		c := cs[0]
		if c.Dataset != name || !strings.HasPrefix(c.ID, name+"-") || len(c.Questions) == 0 {
			t.Errorf("%s: %s of %s with %d questions", name, c.ID, c.Dataset, len(c.Questions))
		}
		repeats := ofType(c, netops.Repeat)
		if x.repeat != "" && (len(repeats) != 1 || repeats[0].Answer != x.repeat || !strings.Contains(string(raw(t, repeats[0].Meta)), `"telemetry":"none"`)) {
			t.Errorf("%s: %+v", name, repeats)
		}
		if len(ofType(c, netops.RootCause)) != 0 {
			t.Errorf("%s: root causes without telemetry", name)
		}
		if !set(t, name).Match(x.file) || set(t, name).Match("README.md") {
			t.Errorf("%s: its files are not told from others", name)
		}
		for _, bad := range []string{"", "{", "[]x", "a,b\n1,2\n"} {
			if cs, found := run(t, set(t, name).Cases, datasets.Options{}, datasets.TextFile(x.file, bad)); len(cs) != 0 || len(found) != 1 {
				t.Errorf("%s: %q gives %d cases, %v", name, bad, len(cs), found)
			}
		}
	}
}

func raw(t testing.TB, o schema.Object) []byte {
	b, err := o.MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func FuzzTold(f *testing.F) {
	for name, x := range told {
		f.Add(name, x.text)
	}
	f.Fuzz(func(t *testing.T, name, text string) {
		x, ok := told[name]
		if !ok {
			return
		}
		run(t, set(t, name).Cases, datasets.Options{}, datasets.TextFile(x.file, text))
	})
}

func FuzzRetell(f *testing.F) {
	f.Add("[2026-03-02 10:00:00] CRITICAL core-01 LINK_DOWN", "[2026-03-02 10:00:05] CRITICAL agg-011 UNREACHABLE")
	f.Add("Runbook entry 1. Situation: a Procedure: b", "Correction to runbook entry 1 (\"a\"): … The right procedure is: c")
	f.Add("Incident 1: the fault was on x.", "Incident 1 at 2026-03-02 10:00: alarm on a (b); indicators out of range: c, d.")
	f.Fuzz(func(t *testing.T, a, b string) {
		c := datasets.NewBuilder("x", "x", "x", schema.UnitTurn)
		c.Session(schema.Session{ID: "S1", Time: "2026-01-05T09:00:00"})
		for _, text := range []string{a, b, a} {
			if strings.TrimSpace(text) != "" {
				c.Turn(schema.CaseTurn{Role: "user", Name: "E", Text: text, Time: "2026-01-05T09:00:00"})
			}
		}
		for _, err := range netops.Retell(t.Context(), c.Case, netops.Options{}) {
			if err != nil {
				t.Fatal(err)
			}
		}
	})
}

func TestRealTold(t *testing.T) {
	shared := exttest.Shared(t, "data/nezha", "data/openrca", "data/itbench", "data/aiopslab")
	for name, dir := range map[string]string{"nezha": "nezha", "openrca": "openrca", "itbench": "itbench/sre", "aiopslab": "aiopslab"} {
		d := set(t, name)
		files, err := datasets.Find([]string{filepath.Join(shared, "data", dir)}, d.Match, nil)
		if err != nil {
			t.Fatal(err)
		}
		cs, found := run(t, d.Cases, datasets.Options{Seed: 1}, files...)
		turns, questions := 0, 0
		for _, c := range cs {
			questions += len(c.Questions)
			for _, s := range c.Sessions {
				turns += len(s.Turns)
			}
		}
		t.Logf("%s: %d files, %d cases, %d turns, %d questions, %d findings", name, len(files), len(cs), turns, questions, len(found))
		if questions < 30 || len(found) > 0 {
			t.Errorf("%s: %d questions, %v", name, questions, found)
		}
		if name == "nezha" && turns != 2*85 {
			t.Errorf("%d turns, want two for each of 85 faults", turns)
		}
	}
}

// TestNezhaFour lists the four faults of Nezha whose metrics are at hand, and what a
// plain rule sees of each: CPU of the pod over the threshold table's mean and three
// deviations in the four minutes from the injection.
func TestNezhaFour(t *testing.T) {
	shared := exttest.Shared(t, "data/nezha/2022-08-22/metric", "data/nezha/metric_threshold")
	dir := filepath.Join(shared, "data/nezha")
	var hours map[string][]struct {
		Time string `json:"inject_time"`
		Pod  string `json:"inject_pod"`
		Type string `json:"inject_type"`
	}
	b, err := os.ReadFile(filepath.Join(dir, "2022-08-22/2022-08-22-fault_list.json"))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(b, &hours); err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, list := range hours {
		for _, f := range list {
			metric := filepath.Join(dir, "2022-08-22/metric", f.Pod+"_metric.csv")
			if _, err := os.Stat(metric); err != nil {
				continue // no telemetry
			}
			at, err := time.Parse(time.DateTime, f.Time)
			if err != nil {
				t.Fatal(err)
			}
			parts := strings.Split(f.Pod, "-")
			limits := table2(t, filepath.Join(dir, "metric_threshold", strings.Join(parts[:len(parts)-2], "-")+".csv"))
			limit := number(limits[1][0]) + 3*number(limits[2][0])
			rows := table2(t, metric)
			cpu, stamp := slices.Index(rows[0], "CpuUsageRate(%)"), slices.Index(rows[0], "TimeStamp")
			peak := 0.0
			for _, r := range rows[1:] {
				if s := number(r[stamp]) - float64(at.Unix()); s >= 0 && s < 240 {
					peak = math.Max(peak, number(r[cpu]))
				}
			}
			t.Logf("%s %s %s: CPU peak %.1f %%, limit %.1f %%: alarm %v", f.Time, f.Pod, f.Type, peak, limit, peak > limit)
			if (peak > limit) != strings.HasPrefix(f.Type, "cpu_") {
				t.Errorf("%s %s: CPU says %v", f.Pod, f.Type, peak > limit)
			}
			seen[f.Pod+" "+f.Type] = true
		}
	}
	if len(seen) != 4 {
		t.Errorf("%d faults with metrics at hand, want 4: %v", len(seen), seen)
	}
}

func table2(t testing.TB, path string) [][]string {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	in := csv.NewReader(f)
	in.FieldsPerRecord = -1
	rows, err := in.ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

func number(s string) float64 { x, _ := strconv.ParseFloat(strings.TrimSpace(s), 64); return x }

// TestAlertLabels holds what levels say of BGL's and Thunderbird's lines against the
// alert labels of people.
func TestAlertLabels(t *testing.T) {
	shared := exttest.Shared(t, "data/loghub/BGL", "data/loghub/Thunderbird")
	for system, rule := range map[string]func(get func(string) string) bool{
		"BGL": func(get func(string) string) bool { return get("Level") == "FATAL" || get("Level") == "FAILURE" },
		"Thunderbird": func(get func(string) string) bool {
			c := strings.ToLower(get("Content"))
			return strings.Contains(c, "error") || strings.Contains(c, "fail") || strings.Contains(c, "fatal") || strings.Contains(c, "bad")
		},
	} {
		rows := table2(t, filepath.Join(shared, "data/loghub", system, system+"_2k.log_structured.csv"))
		var n [2][2]int // label, rule
		storms, last, devices := 0, int64(0), map[string]bool{}
		for _, r := range rows[1:] {
			get := func(name string) string {
				if i := slices.Index(rows[0], name); i >= 0 && i < len(r) {
					return r[i]
				}
				return ""
			}
			label, said := 0, 0
			if get("Label") != "-" {
				label = 1
				at := int64(number(get("Timestamp")))
				if at-last > 600 {
					storms++
				}
				last = at
				devices[get("Node")+get("Location")] = true
			}
			if rule(get) {
				said = 1
			}
			n[label][said]++
		}
		alerts := n[1][0] + n[1][1]
		t.Logf("%s: %d lines, %d labelled alerts on %d nodes in %d bursts; of them %d seen by level or word (recall %.2f), %d others taken for alerts (precision %.2f)", system, len(rows)-1, alerts, len(devices), storms, n[1][1], float64(n[1][1])/float64(max(1, alerts)), n[0][1], float64(n[1][1])/float64(max(1, n[1][1]+n[0][1])))
		// Thunderbird's 2,000 lines hold no labelled alert at all: nothing can be checked there.
		if want := map[string]int{"BGL": 143, "Thunderbird": 0}[system]; len(rows)-1 != 2000 || alerts != want || n[1][1] != want {
			t.Errorf("%s: %d lines, %d alerts, %d seen", system, len(rows)-1, alerts, n[1][1])
		}
	}
}
