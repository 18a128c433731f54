package service_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"membench/memory/service"
	"membench/memory/service/servicetest"
)

var update = flag.Bool("update", false, "write docs/services.md again")

// recorded is what a vendor's own client sent: scripts/contracts/life.py wrote it.
type recorded struct {
	Client, Version string
	Specs           map[string][]recordedRequest
}

type recordedRequest struct {
	Step, Method, Path, Key string
	Query                   map[string]string
	Body                    any
	Form, Headers           map[string]string
}

// A contract is one client held against one spec.
type contract struct {
	spec, client string
	requests     int
	differences  []string // "POST /x body/a: what differs"
}

// TestContractsDocs holds what each spec sends against what the vendor's own client sends
// for the same dialogue, member by member: method, path, query, body, form, key. Every
// difference has a reason (differences_test.go), no reason is idle, and docs/services.md
// shows both. scripts/contracts runs the clients again (make contracts).
func TestContractsDocs(t *testing.T) {
	files, err := filepath.Glob("testdata/contracts/*.json")
	if err != nil || len(files) < 10 {
		t.Fatalf("%d clients were recorded (%v)", len(files), err)
	}
	ours := map[string][]servicetest.Request{}
	var all []contract
	for _, file := range files {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var rec recorded
		if err := json.Unmarshal(b, &rec); err != nil {
			t.Fatal(file, err)
		}
		for _, name := range slices.Sorted(maps.Keys(rec.Specs)) {
			if ours[name] == nil {
				ours[name] = life(t, name, true)
			}
			c := contract{spec: name, client: rec.Client + " " + rec.Version, requests: len(rec.Specs[name])}
			c.differences = differ(shapesOf(ours[name]), clientShapes(rec.Specs[name]))
			all = append(all, c)
		}
	}
	slices.SortFunc(all, func(a, b contract) int { return strings.Compare(a.spec+" "+a.client, b.spec+" "+b.client) })
	compared := map[string]bool{}
	for _, c := range all {
		compared[c.spec+" "+c.client] = true
		known := reasons[c.spec+" "+c.client]
		for _, d := range c.differences {
			if known[d] == "" && known["all"] == "" {
				t.Errorf("%s, %s: a difference without a reason:\n\t%q: \"\",", c.spec, c.client, d)
			}
		}
		for d := range known {
			if d != "all" && !slices.Contains(c.differences, d) || d == "all" && len(known) > 1 {
				t.Errorf("%s, %s: a reason for what does not differ: %q", c.spec, c.client, d)
			}
		}
	}
	for _, name := range service.Names() {
		spec, err := service.Load(name)
		if err != nil {
			t.Fatal(err)
		}
		if why, ok := uncompared[name]; ok == compared[name+" "+spec.Compared] || ok && why == "" {
			t.Errorf("%s: the spec says that it was compared with %q; a recording of it there is: %t; no client can be had: %t", name, spec.Compared, compared[name+" "+spec.Compared], ok)
		}
	}
	page := contractsPage(all)
	path := "../../docs/services.md"
	if *update {
		if err := os.WriteFile(path, page, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if have, err := os.ReadFile(path); err != nil || !bytes.Equal(have, page) {
		t.Errorf("docs/services.md is not current: go test ./memory/service -run ContractsDocs -update (%v)", err)
	}
}

func contractsPage(all []contract) []byte {
	var b bytes.Buffer
	b.WriteString("# Services, held against their vendors' clients\n\n" +
		"<!-- written by `make contracts` (go test ./memory/service -run ContractsDocs -update) -->\n\n" +
		"Each vendor's own Python client performed the life of a memory against a recorder: create, add, search, list, update, delete, clear. What it\n" +
		"sent is kept in `memory/service/testdata/contracts`. `make test` lets each spec send the same dialogue and compares the two, member by\n" +
		"member: method, path, query, body, form, the header of the key, and every value. `make contracts` runs the clients again (package index,\n" +
		"python3.11). What no comparison can show is what a service answers: `membench systems check` tries that on a live one.\n\n" +
		"| spec | client | requests | differences |\n|---|---|---:|---:|\n")
	for _, c := range all {
		fmt.Fprintf(&b, "| `%s` | %s | %d | %d |\n", c.spec, c.client, c.requests, len(c.differences))
	}
	b.WriteString("\n## Not compared\n\n| spec | why |\n|---|---|\n")
	for _, name := range slices.Sorted(maps.Keys(uncompared)) {
		fmt.Fprintf(&b, "| `%s` | %s |\n", name, uncompared[name])
	}
	b.WriteString("\n## Differences, each with its reason\n\n| spec | client | request and member | reason |\n|---|---|---|---|\n")
	for _, c := range all {
		if why := reasons[c.spec+" "+c.client]["all"]; why != "" {
			fmt.Fprintf(&b, "| `%s` | %s | all %d | %s |\n", c.spec, c.client, len(c.differences), why)
			continue
		}
		for _, d := range c.differences {
			fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", c.spec, c.client, strings.ReplaceAll(d, "|", "\\|"), reasons[c.spec+" "+c.client][d])
		}
	}
	return b.Bytes()
}

// A shape is all requests of one method and path: which members they have, and with
// which values.
type shape map[string][]string

var anID = regexp.MustCompile(`^(v\d+|[^0-9]*)$`)

// known writes ids as {}: those that a service gives away are not the same in both.
func shapePath(method, path string) string {
	segs := strings.Split(path, "/")
	for i, s := range segs {
		if !anID.MatchString(s) {
			segs[i] = "{}"
		}
	}
	return method + " " + strings.Join(segs, "/")
}

var givenID = regexp.MustCompile(`^[a-z]*-?[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$|^(agent|task)-\d+$`)

func (s shape) add(member string, v any) {
	var text string
	switch v := v.(type) {
	case nil: // as good as absent
		return
	case map[string]any:
		for k, x := range v {
			s.add(member+"/"+k, x)
		}
		return
	case []any:
		for _, x := range v {
			s.add(member+"/*", x)
		}
		return
	case string:
		var inner any // JSON inside a string: its spelling does not matter
		if (strings.HasPrefix(v, "{") || strings.HasPrefix(v, "[")) && json.Unmarshal([]byte(v), &inner) == nil {
			if b, err := json.Marshal(inner); err == nil {
				v = string(b)
			}
		}
		if text = v; givenID.MatchString(v) {
			text = "{}"
		}
		if b, err := json.Marshal(text); err == nil {
			text = string(b)
		}
	default:
		text = fmt.Sprint(v)
	}
	if !slices.Contains(s[member], text) {
		s[member] = append(s[member], text)
	}
}

func shapesOf(log []servicetest.Request) map[string]shape {
	out := map[string]shape{}
	for _, r := range log {
		path, query, _ := strings.Cut(r.Path, "?")
		s := at(out, shapePath(r.Method, path))
		s.addQuery(query)
		key := ""
		for _, h := range []string{"Authorization", "X-Api-Key"} {
			if v := r.Header.Get(h); v != "" {
				key = h + ": " + strings.ReplaceAll(v, servicetest.Key, "*")
			}
		}
		if r.Header.Get("Idempotency-Key") != "" {
			s.add("header/Idempotency-Key", "{}")
		}
		s.add("key", key)
		if form := r.Form(); form != nil {
			for k, v := range form {
				s.add("form/"+k, v)
			}
		} else if r.Body != "" {
			var v any
			if json.Unmarshal([]byte(r.Body), &v) == nil {
				s.add("body", v)
			}
		}
	}
	return out
}

func clientShapes(requests []recordedRequest) map[string]shape {
	out := map[string]shape{}
	for _, r := range requests {
		if slices.Contains([]string{"update", "delete", "clear"}, r.Step) { // membench asks for none of it
			continue
		}
		s := at(out, shapePath(r.Method, r.Path))
		for k, v := range r.Query {
			s.add("query/"+k, v)
		}
		for k, v := range r.Form {
			s.add("form/"+k, v)
		}
		for k, v := range r.Headers {
			s.add("header/"+k, v)
		}
		s.add("key", r.Key)
		s.add("body", r.Body)
	}
	return out
}

func at(m map[string]shape, name string) shape {
	if m[name] == nil {
		m[name] = shape{}
	}
	return m[name]
}

// differ lists what one side sends and the other does not, sorted.
func differ(ours, theirs map[string]shape) (out []string) {
	for name, s := range ours {
		c, ok := theirs[name]
		if !ok {
			out = append(out, name+": the spec's alone")
			continue
		}
		for member, have := range s {
			want, ok := c[member]
			slices.Sort(have)
			slices.Sort(want)
			switch {
			case !ok:
				out = append(out, name+" "+member+": the spec's alone")
			case !slices.Equal(have, want):
				out = append(out, fmt.Sprintf("%s %s: the spec sends %s, the client %s", name, member, brief(have), brief(want)))
			}
		}
		for member := range c {
			if _, ok := s[member]; !ok {
				out = append(out, name+" "+member+": the client's alone")
			}
		}
	}
	for name := range theirs {
		if _, ok := ours[name]; !ok {
			out = append(out, name+": the client's alone")
		}
	}
	slices.Sort(out)
	return out
}

func brief(values []string) string {
	s := strings.Join(values, ", ")
	if r := []rune(s); len(r) > 80 {
		return string(r[:80]) + "…"
	}
	return s
}

func (s shape) addQuery(query string) {
	values, err := url.ParseQuery(query)
	if err != nil {
		s.add("query", query)
	}
	for k, v := range values {
		s.add("query/"+k, v[0])
	}
}
