package graph

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"membench/schema"
	"membench/schema/jsonl"
)

func gateLines(t *testing.T, lines []string, o GateOptions) (out, findings []string) {
	t.Helper()
	o.Report = func(f *schema.Finding) {
		kind := "error"
		if f.Warning {
			kind = "warning"
		}
		findings = append(findings, f.Code+" "+kind)
	}
	src := func() schema.Seq[schema.Element] {
		return jsonl.Decode[schema.Element](strings.NewReader(strings.Join(lines, "\n")), "g")
	}
	g, err := NewGate(context.Background(), src, o)
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	for range 2 { // it may be read again
		out = out[:0]
		for rec, err := range g.Elements() {
			if err != nil {
				t.Fatal(err)
			}
			out = append(out, fmt.Sprint(rec.Pos.Line, " ", rec.V.ID()))
		}
	}
	slices.Sort(findings)
	return out, findings
}

func TestGate(t *testing.T) {
	a, b, mem := `{"id": "t:a", "labels": ["T"], "props": {}}`, `{"id": "t:b", "labels": ["T"], "props": {}}`, `{"id": "e:3", "type": "E", "src": "t:a", "dst": "mem:1", "props": {}}`
	a2 := `{"id": "t:a", "labels": ["S"], "props": {}}`
	ab, gone := `{"id": "e:1", "type": "E", "src": "t:a", "dst": "t:b", "props": {}}`, `{"id": "e:2", "type": "E", "src": "t:a", "dst": "t:c", "props": {}}`
	for _, c := range []struct {
		name     string
		lines    []string
		keep     bool
		out      string
		findings string
	}{
		{"clean", []string{a, b, ab}, false, "[1 t:a 2 t:b 3 e:1]", "[]"},
		{"edges first", []string{ab, b, a}, false, "[3 t:a 2 t:b 1 e:1]", "[]"},
		{"repeated", []string{a, b, a2, ab, ab}, false, "[3 t:a 2 t:b 4 e:1]", "[GRF033 error GRF033 error]"},
		{"repeated without properties", []string{`{"id": "t:a", "labels": ["T"], "props": null}`, `{"id": "t:a", "labels": ["T"], "props": {"n": 1}}`}, false, "[2 t:a]", "[GRF033 error GRF038 warning]"},
		{"no end", []string{a, b, ab, gone}, true, "[1 t:a 2 t:b 3 e:1]", "[GRF031 error]"},
		{"end elsewhere", []string{a, mem}, true, "[1 t:a 2 e:3]", "[GRF031 warning]"},
		{"end elsewhere, for a file", []string{a, mem}, false, "[1 t:a]", "[GRF031 error]"},
		{"members", []string{a, `{"labels": []}`, `{"id": "x", "src": "t:a", "dst": "t:a"}`, "{", b}, false, "[1 t:a 5 t:b]", "[GRF030 error GRF030 error JSON001 error]"},
		{"bare", []string{a, `{"id": "t:b", "props": {}}`, `{"id": "t:c", "labels": ["T", ""], "props": {}}`, `{"id": "t:d", "labels": ["T"]}`, `{"id": "e", "type": "E", "src": "t:a", "dst": "t:b"}`}, false, "[1 t:a 2 t:b 4 t:d 5 e]", "[GRF030 error GRF038 warning]"},
		{"NUL in ids", []string{`{"id": "t:a\u0000", "labels": ["T"], "props": {}}`, `{"id": "t:a\u0000b", "labels": ["T"], "props": {}}`, a}, false, "[3 t:a 1 t:a\x00 2 t:a\x00b]", "[]"},
	} {
		for _, once := range []bool{false, true} {
			out, findings := gateLines(t, c.lines, GateOptions{Keep: c.keep, Once: once})
			if fmt.Sprint(out) != c.out || fmt.Sprint(findings) != c.findings {
				t.Errorf("%s, once %v: have %v %v, want %s %s", c.name, once, out, findings, c.out, c.findings)
			}
		}
	}
}

// The order of the input changes neither the graph nor the findings, on disk or not.
func TestGateOrder(t *testing.T) {
	var lines []string
	for i := range 3000 {
		lines = append(lines, fmt.Sprintf(`{"id": "t:%d", "labels": ["T"], "props": {"n": %d}}`, i%2900, i),
			fmt.Sprintf(`{"id": "e:%d", "type": "E", "src": "t:%d", "dst": "t:%d", "props": {}}`, i%2950, i%2950, i))
	}
	ids := func(lines []string, o GateOptions) (string, string) {
		out, findings := gateLines(t, lines, o)
		for i := range out {
			_, out[i], _ = strings.Cut(out[i], " ")
		}
		return strings.Join(out, "\n"), strings.Join(findings, "\n")
	}
	want, said := ids(lines, GateOptions{})
	r := rand.New(rand.NewPCG(1, 1))
	for _, memory := range []int64{0, 20_000} {
		mixed := slices.Clone(lines)
		r.Shuffle(len(mixed), func(i, j int) { mixed[i], mixed[j] = mixed[j], mixed[i] })
		have, findings := ids(mixed, GateOptions{Memory: memory})
		if have != want || findings != said {
			t.Errorf("memory %d: the order of the input matters", memory)
		}
	}
}
