package claims

import (
	"bytes"
	"fmt"
	"hash/fnv"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"membench/schema"
	"membench/schema/jsonl"
)

// keyedData is odd: two hot subjects, ties, ranks, denials, two types of one id, broken
// lines, both versions, names with tabs, and claim ids that can be cut in two ways.
func keyedData(seed uint64) string {
	var b strings.Builder
	for _, lines := range randomFiles(rand.New(rand.NewPCG(seed, 1)), 40, true) {
		for i, l := range lines {
			if i%3 == 0 {
				l = strings.Replace(l, `{"record_type"`, `{"schema_version":"0.1.0","record_type"`, 1)
			}
			fmt.Fprintln(&b, l)
			if i%4 == 0 {
				fmt.Fprintln(&b, strings.ReplaceAll(l, "Le Guin", `Le\tGuin\n李`))
			}
			if strings.Contains(l, `"claim"`) && i%5 == 0 {
				fmt.Fprintln(&b, strings.ReplaceAll(l, "agent:a1", "agent:a1|author:鲁迅"))
				fmt.Fprintln(&b, strings.Replace(l, `"object":{"entity_type":"Author","entity_id":"author:`, `"object":{"entity_type":"Author","entity_id":"author:鲁迅|author:`, 1))
			}
		}
	}
	b.WriteString("[]\n{}\n\n")
	return b.String()
}

func fileOf(text string) []jsonl.File {
	return []jsonl.File{{Name: "in.jsonl", Open: func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(text)), nil }}}
}

// TestKeyed: the lines of map, cut into parts by key in any order and merged part by part,
// are those of Bulk, and so are the findings.
func TestKeyed(t *testing.T) {
	for seed := range uint64(2) {
		testKeyed(t, keyedData(seed))
	}
}

func testKeyed(t *testing.T, text string) {
	var codes, want []string
	note := func(list *[]string) func(*schema.Finding) {
		return func(f *schema.Finding) { *list = append(*list, f.Code) }
	}
	var ents, cls bytes.Buffer
	res, err := Bulk(t.Context(), fileOf(text), &ents, &cls, note(&want), BulkOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if res.Deprecated == 0 || res.Claims < 10 {
		t.Fatalf("the data has no conflicts: %+v", res)
	}
	whole := strings.SplitAfter(strings.TrimSuffix(ents.String()+cls.String(), "\n"), "\n")
	for _, n := range []int{1, 3, 16} {
		codes = nil
		var mapped bytes.Buffer
		if err := MapKeyed(t.Context(), fileOf(text), &mapped, note(&codes), BulkOptions{}); err != nil {
			t.Fatal(err)
		}
		spread := func(text string, by func(line string) string) [][]string {
			parts := make([][]string, n)
			for line := range strings.Lines(text) {
				h := fnv.New32a()
				io.WriteString(h, by(line))
				parts[h.Sum32()%uint32(n)] = append(parts[h.Sum32()%uint32(n)], line)
			}
			return parts
		}
		var combined bytes.Buffer
		for _, p := range spread(mapped.String(), func(line string) string { return line }) { // keys are salted
			if err := ReduceKeyed(t.Context(), strings.NewReader(strings.Join(p, "")), &combined, false, func(*schema.Finding) {}, BulkOptions{Partial: true}); err != nil {
				t.Fatal(err)
			}
		}
		byKey := func(line string) string { key, _, _ := strings.Cut(line, "\t"); return key }
		merge := func(p []string) (lines []string) {
			var out bytes.Buffer
			if err := ReduceKeyed(t.Context(), strings.NewReader(strings.Join(p, "")), &out, false, func(*schema.Finding) {}, BulkOptions{}); err != nil {
				t.Fatal(err)
			}
			for line := range strings.Lines(out.String()) {
				_, rec, _ := strings.Cut(line, "\t")
				lines = append(lines, strings.TrimSuffix(rec, "\n"))
			}
			return lines
		}
		var salted []string
		for _, p := range spread(combined.String(), byKey) {
			salted = append(salted, merge(p)...)
		}
		var got []string
		for _, p := range spread(mapped.String(), byKey) {
			slices.Sort(p)
			var out bytes.Buffer
			if err := ReduceKeyed(t.Context(), strings.NewReader(strings.Join(p, "")), &out, false, note(&codes), BulkOptions{}); err != nil {
				t.Fatal(err)
			}
			for line := range strings.Lines(out.String()) {
				key, rec, _ := strings.Cut(line, "\t")
				if !strings.Contains(mapped.String(), key+"\t") {
					t.Errorf("the merged record has the key %q, which no record had", key)
				}
				got = append(got, strings.TrimSuffix(rec, "\n"))
			}
		}
		have := slices.Clone(whole)
		for i := range have {
			have[i] = strings.TrimSuffix(have[i], "\n")
		}
		slices.Sort(have)
		slices.Sort(got)
		slices.Sort(salted)
		if !slices.Equal(have, salted) {
			t.Errorf("%d parts, salted: %d lines, want %d, or others", n, len(salted), len(have))
			for i := range have {
				if have[i] != salted[i] {
					t.Fatalf("line %d:\nhave %s\nwant %s", i, salted[i], have[i])
				}
			}
		}
		if !slices.Equal(have, got) {
			t.Errorf("%d parts: %d lines, want %d, or others", n, len(got), len(have))
		}
		slices.Sort(codes)
		slices.Sort(want)
		if !slices.Equal(codes, want) {
			t.Errorf("%d parts: findings %v, want %v", n, codes, want)
		}
	}
}
