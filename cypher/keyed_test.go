package cypher

import (
	"bytes"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"io"
	"slices"
	"strconv"
	"strings"
	"testing"

	"membench/internal/codec"
	"membench/internal/keyed"
	"membench/internal/keyed/keyedtest"
	"membench/schema"
)

// sharded is Write in n maps and n reduces over ranges of keys.
func sharded(t testing.TB, lines string, n int, memory int64) map[string]string {
	t.Helper()
	report := func(f *schema.Finding) {
		if !f.Warning {
			t.Error(f)
		}
	}
	in := make([]string, n)
	for line := range strings.Lines(lines) {
		h := fnv.New32a()
		io.WriteString(h, line)
		in[h.Sum32()%uint32(n)] += line
	}
	var mapped bytes.Buffer
	for _, part := range in {
		if err := Map(t.Context(), source("-", part), &mapped, Options{}, report); err != nil {
			t.Fatal(err)
		}
	}
	var keys []string
	for line, err := range keyed.Lines(bytes.NewReader(mapped.Bytes())) {
		if err != nil {
			t.Fatal(err)
		}
		keys = append(keys, string(line[0]))
	}
	slices.Sort(keys)
	bounds := []string{}
	for i := 1; i < n && len(keys) > 0; i++ {
		bounds = append(bounds, keys[i*len(keys)/n])
	}
	var cut bytes.Buffer
	if err := keyed.Cut(&mapped, &cut, 0, bounds); err != nil {
		t.Fatal(err)
	}
	parts := map[string]string{}
	keyedtest.Frames(t, cut.Bytes(), parts)
	counts, total, before := make([][]keyed.Group, n), map[string]int{}, map[string]int{}
	for line := range strings.Lines(parts["count"]) {
		var g keyed.Group
		if err := json.Unmarshal([]byte(line), &g); err != nil {
			t.Fatal(err)
		}
		counts[g.Part] = append(counts[g.Part], g)
		total[g.Group] += g.Rows
	}
	head := func(b []byte, p keyed.Group) []byte {
		text, _ := codec.Append(nil, p, codec.Compact)
		return keyed.Append(b, groupKey, text)
	}
	out := map[string]string{}
	var last []byte
	for i := range n {
		var told []byte
		for _, p := range counts[i] {
			told = head(told, keyed.Group{Group: p.Group, Before: before[p.Group], Rows: total[p.Group]})
			before[p.Group] += p.Rows
		}
		var b bytes.Buffer
		if err := Reduce(t.Context(), io.MultiReader(bytes.NewReader(told), strings.NewReader(parts[strconv.Itoa(i)])), &b, false, memory, Options{}); err != nil {
			t.Fatal(err)
		}
		keyedtest.Frames(t, b.Bytes(), out)
	}
	for group, rows := range total {
		last = head(last, keyed.Group{Group: group, Rows: rows})
	}
	var b bytes.Buffer
	if err := Reduce(t.Context(), io.MultiReader(bytes.NewReader(last), strings.NewReader(out[rest])), &b, true, memory, Options{}); err != nil {
		t.Fatal(err)
	}
	delete(out, rest)
	keyedtest.Frames(t, b.Bytes(), out)
	return out
}

// TestKeyed: maps and reduces over parts of the rows make the statements of Write, each
// byte for byte, wherever the parts are cut.
func TestKeyed(t *testing.T) {
	sorted := func(s string) []string { return slices.Sorted(strings.SplitSeq(s, ";\n")) }
	for _, size := range []int{0, 1, 3, 700, 4000} {
		nodes, edges := many(size)
		c, n, e, _, _ := write(t, nodes, edges, 1)
		for i, parts := range []int{1, 2, 7, 40} {
			have := sharded(t, nodes+edges, parts, []int64{0, 10_000}[i%2])
			if have[ConstraintsFile] != c {
				t.Errorf("%d rows, %d parts: constraints are %q, want %q", size, parts, have[ConstraintsFile], c)
			}
			// What a script starts with stands before its first statement, whichever this is.
			strip := func(text, head string) []string { return sorted(strings.Replace(text, head, "", 1)) }
			if !slices.Equal(strip(have[NodesFile], nodesHead), strip(n, nodesHead)) {
				t.Errorf("%d rows, %d parts: nodes differ", size, parts)
			}
			if !slices.Equal(strip(have[EdgesFile], edgesHead), strip(e, edgesHead)) {
				t.Errorf("%d rows, %d parts: edges differ", size, parts)
			}
		}
	}
}

func TestKeyedFaults(t *testing.T) {
	var codes []string
	var out bytes.Buffer
	in := `{"id": "a", "labels": ["A"], "props": {}}` + "\nno\n" + `{"labels": ["A"], "props": {}}` + "\n" + `{"id": "b", "labels": [], "props": {}}` + "\n"
	if err := Map(t.Context(), source("-", in+in), &out, Options{}, func(f *schema.Finding) { codes = append(codes, f.Code) }); err != nil {
		t.Fatal(err)
	}
	if want := "[JSON001 GRF030 GRF038 JSON001 GRF030 GRF038]"; fmt.Sprint(codes) != want {
		t.Errorf("findings %v, want %s", codes, want)
	}
	var rows bytes.Buffer
	if err := Reduce(t.Context(), &out, &rows, true, 0, Options{}); err == nil || !strings.Contains(err.Error(), "is repeated") {
		t.Errorf("a repeated id: %v", err)
	}
	for _, bad := range []string{"x\t{}\n", "edges[\"A\",\"B\"]\x01a\t{}\n", "nodes]\x01a\t{}\n", "!group\t{\"group\": 1}\n", "nodes\x01a\t{}\n", "!group\t{\"group\":\"x\"}\n"} {
		if err := Reduce(t.Context(), strings.NewReader(bad), &rows, true, 0, Options{}); err == nil {
			t.Errorf("%q is taken", bad)
		}
	}
}
