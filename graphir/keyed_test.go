package graphir

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"hash/fnv"
	"io"
	"slices"
	"strings"
	"testing"

	"membench/internal/codec"
	"membench/schema"
)

var allHops = []schema.Kind{schema.KindEvent, schema.KindExport, schema.KindClaim}

// sharded is Write in n maps, n combines where asked for, and n reduces.
func sharded(t *testing.T, in input, n int, combine bool, o Options) (nodes, edges, codes []string) {
	t.Helper()
	report := func(f *schema.Finding) { codes = append(codes, f.Code) }
	spread := func(text string, by func(line string) uint32) []string {
		parts := make([]string, n)
		for line := range strings.Lines(text) {
			parts[by(line)%uint32(n)] += line
		}
		return parts
	}
	sum := func(s string) uint32 { h := fnv.New32a(); io.WriteString(h, s); return h.Sum32() }
	all := func(line string) uint32 { return sum(line) }
	key := func(line string) uint32 { k, _, _ := strings.Cut(line, "\t"); return sum(k) }
	var mapped bytes.Buffer
	for kind, text := range map[schema.Kind]string{schema.KindExport: in.exports, schema.KindClaim: in.claims, schema.KindEvent: in.events} {
		for _, part := range spread(text, all) {
			if err := Map(t.Context(), files("-", part), kind, allHops, &mapped, o, report); err != nil {
				t.Fatal(err)
			}
		}
	}
	keyed := mapped.String()
	if combine {
		var out bytes.Buffer
		for _, part := range spread(keyed, all) { // by line: keys are salted
			if err := Combine(t.Context(), strings.NewReader(part), allHops, &out, o); err != nil {
				t.Fatal(err)
			}
		}
		keyed = out.String()
	}
	for _, part := range spread(keyed, key) {
		var out bytes.Buffer
		if err := Reduce(t.Context(), strings.NewReader(part), allHops, &out, false, o, report); err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(out.String()) {
			k, rec, _ := strings.Cut(line, "\t")
			if strings.HasPrefix(k, "edge:") {
				edges = append(edges, rec)
			} else {
				nodes = append(nodes, rec)
			}
		}
	}
	slices.Sort(nodes)
	slices.Sort(edges)
	slices.Sort(codes)
	return nodes, edges, codes
}

// TestKeyed: maps and reduces over parts of the lines make the graph of Write, byte for
// byte, with keys salted or not, and report the same.
func TestKeyed(t *testing.T) {
	sorted := func(s string) []string { return slices.Sorted(strings.Lines(s)) }
	for seed, odd := range []int{0, 5, 25} {
		in := hazards(uint64(seed+30), 300, odd)
		in.exports = strings.ReplaceAll(in.exports, "\ufeff", "") // of the first line of a file only
		o := Options{TempDir: t.TempDir()}
		var n, e bytes.Buffer
		var codes []string
		if _, err := Write(t.Context(), in.files(), &n, &e, o, func(f *schema.Finding) { codes = append(codes, f.Code) }); err != nil {
			t.Fatal(err)
		}
		slices.Sort(codes)
		for i, shards := range []int{1, 3, 8} {
			o.Memory, o.Workers = []int64{0, 20_000, 200_000}[i], 1+i%2
			for _, combine := range []bool{false, true} {
				nodes, edges, found := sharded(t, in, shards, combine, o)
				what := fmt.Sprint(odd, " % odd, ", shards, " shards, combine ", combine)
				if w := sorted(n.String()); !slices.Equal(nodes, w) {
					t.Errorf("%s: nodes: %s", what, diffLines(strings.Join(nodes, ""), strings.Join(w, "")))
				}
				if w := sorted(e.String()); !slices.Equal(edges, w) {
					t.Errorf("%s: edges: %s", what, diffLines(strings.Join(edges, ""), strings.Join(w, "")))
				}
				if !slices.Equal(found, codes) {
					t.Errorf("%s: findings: %s", what, diffLines(strings.Join(found, "\n"), strings.Join(codes, "\n")))
				}
			}
		}
	}
}

// FuzzPart: what is read as a part is written again as it was; all else is refused.
func FuzzPart(f *testing.F) {
	x := part{id: "mem:a", labels: []string{"MemoryItem"}, props: []byte(`{"a":1}`), at: noInstant, order: "p\x00"}
	x.listed, x.times, x.points, x.convs = true, 2, []string{"p", "q\t"}, []string{"李"}
	y := part{edge: true, id: "edge:T:a:b", typ: "T", src: "a", dst: "event:c:1", props: []byte("{}"), half: halfEvent}
	for _, x := range []*part{&x, &y} {
		f.Add(x.append(nil))
	}
	f.Add(turnRecord(newProjector(Options{}), schema.Event{ConvID: "a:b", TurnID: 3}, turn{n: 3, speaker: 1 << 63}))
	f.Add([]byte("Bxx"))
	f.Fuzz(func(t *testing.T, rec []byte) {
		line := []byte(`"` + base64.StdEncoding.EncodeToString(rec) + `"`)
		back, err := decodePart(line)
		if err != nil {
			return
		}
		if !bytes.Equal(back, rec) {
			t.Fatalf("%q came back as %q", rec, back)
		}
		if rec[0] == kindTurn {
			g := newGatherer(Options{}, nil)
			defer g.close()
			g.takeTurn(back, false)
		} else if again := readPart(back).append(nil); !bytes.Equal(again, rec) {
			t.Fatalf("%q was written as %q", rec, again)
		}
		keyed := keyedPart(nil, back)
		if _, got, ok := bytes.Cut(keyed, []byte("\t")); !ok || !bytes.Equal(bytes.TrimSuffix(got, []byte("\n")), line) || !codec.Valid(line) {
			t.Fatalf("the keyed line is %q", keyed)
		}
	})
}
