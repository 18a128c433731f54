package validate_test

import (
	"bytes"
	"fmt"
	"hash/fnv"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"membench/internal/codec"
	"membench/schema"
	"membench/schema/validate"
)

// oddSet is files of every kind with repeated ids, ids of two things, dangling ends,
// turns out of order, wrong points and quotations, and lines that are cut.
func oddSet(seed uint64) (files []file) {
	r := rand.New(rand.NewPCG(seed, 3))
	pick := func(l ...string) string { return l[r.IntN(len(l))] }
	text := func() string { return "text " + pick("a", "b\\t", "李", strings.Repeat("long ", 200)) }
	memoryOf := func() string {
		s := text()
		plain := strings.ReplaceAll(s, "\\t", "\t")
		return fmt.Sprintf(`{"id": "p%d", "payload": {"conv_id": "ch01", "data": "%s", "hash": "%s", "created_at": "2026-02-24T06:33:58Z", "events": [{"conv_id": "ch0%d", "turn_id": %d}]}, "collection": "m", "isolation": "global", "exported_at": "2026-02-24T14:34:03Z"}`, r.IntN(6), s, schema.Hash(plain), 1+r.IntN(3), 1+r.IntN(9))
	}
	claimOf := func() string {
		s := text()
		l := with(with(with(claim, "Name is Congyin", s), "ec69f1ce8081ebb3e0b4c6c5ed484377", schema.Hash(strings.ReplaceAll(pick(s, s, "x"), "\\t", "\t"))), "06eb0189-e0cd-4516-af48-262e2172abd8", fmt.Sprint("p", r.IntN(6)))
		l = strings.ReplaceAll(l, "tag:t", pick("tag:t", "tag:u", "tag:a\\tb"))
		return strings.Replace(l, `,"evidence"`, pick(`,"evidence"`, `,"superseded_by":"claim:x","evidence"`, `,"superseded_by":"claim:PREFERS_TOPIC|daily|agent:c|tag:u","evidence"`), 1)
	}
	kinds := []struct {
		name string
		line func() string
	}{
		{"%d.events.jsonl", func() string {
			return strings.Replace(turn(1+r.IntN(7)), `"meta": {}`, pick(`"meta": {}`, `"meta": {"probe_id": "q", "expects": ["i", "claim:x"]}`, `"meta": {"inject_id": "i"}`), 1)
		}},
		{"%d.mem0.jsonl", memoryOf}, {"c\x01%d.jsonl", claimOf}, {"e%d.jsonl", func() string { return strings.ReplaceAll(entity, "tag:t", pick("tag:t", "tag:u")) }},
		{"g_nodes_%d.jsonl", func() string { return pick(node, char, mem, strings.ReplaceAll(char, "char:c", "char:d")) }},
		{"g_edges_%d.jsonl", func() string {
			return strings.ReplaceAll(strings.Replace(edge, `"dst": "mem:`, pick(`"dst": "mem:`, `"dst": "tag:`), 1), "char:c", pick("char:c", "char:d", "char:e", "scene:s"))
		}},
		{"%d.cases.jsonl", func() string {
			return fmt.Sprintf(`{"case_id":"k%d","dataset":"own","conv_id":"w%d","unit":"turn","sessions":[{"session_id":"S","turns":[{"turn_id":1,"role":"user","text":"text %d"}]}],"questions":[{"question_id":"q%d","question":"Who?","answer":"Ana","category":"IE","raw_category":"IE"}]}`, r.IntN(40), r.IntN(9), r.IntN(2), r.IntN(90))
		}},
	}
	for i := range 2 * len(kinds) {
		k := kinds[i%len(kinds)]
		f := file{name: "d/" + fmt.Sprintf(k.name, i)}
		for range 1 + r.IntN(40) {
			line := k.line()
			if r.IntN(15) == 0 {
				line = line[:r.IntN(len(line))]
			}
			f.text += line + "\n"
		}
		files = append(files, f)
	}
	slices.SortStableFunc(files, func(a, b file) int {
		if d := validate.Rank(a.name) - validate.Rank(b.name); d != 0 {
			return d
		}
		return strings.Compare(a.name, b.name)
	})
	return files
}

// TestKeyed: one Map a file and n Reduces find what one Checker finds, to the letter.
func TestKeyed(t *testing.T) {
	codes := map[string]bool{}
	for seed := range uint64(3) {
		files := oddSet(seed)
		c := validate.New(nil, validate.Options{})
		var want []string
		note := func(f *schema.Finding, err error) {
			if err != nil {
				t.Fatal(err)
			}
			text, _ := codec.Append(nil, f, codec.Compact)
			want = append(want, string(text))
			codes[f.Code] = true
		}
		var mapped bytes.Buffer
		for _, f := range files {
			for x, err := range c.Stream(strings.NewReader(f.text), f.name, "", "") {
				note(x, err)
			}
			if err := validate.New(nil, validate.Options{Workers: 2}).Map(t.Context(), strings.NewReader(f.text), f.name, "", "", &mapped); err != nil {
				t.Fatal(err)
			}
		}
		for x, err := range c.Close() {
			note(x, err)
		}
		slices.Sort(want)
		for _, n := range []int{1, 3, 8} {
			given, parts := "", make([]string, n)
			for line := range strings.Lines(mapped.String()) {
				key, _, _ := strings.Cut(line, "\t")
				if key == "!given" {
					given += line
					continue
				}
				h := fnv.New32a()
				io.WriteString(h, key)
				i := h.Sum32() % uint32(n)
				parts[i] = line + parts[i] // the order does not matter
			}
			var have []string
			for _, p := range parts {
				var out bytes.Buffer
				if _, err := validate.Reduce(t.Context(), strings.NewReader(given+p), &out, validate.ReduceOptions{Memory: 50_000, TempDir: t.TempDir()}); err != nil {
					t.Fatal(err)
				}
				for line := range strings.Lines(out.String()) {
					_, rec, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
					have = append(have, rec)
				}
			}
			slices.Sort(have)
			if !slices.Equal(have, want) {
				for i := range min(len(have), len(want)) {
					if have[i] != want[i] {
						t.Fatalf("seed %d, %d parts, finding %d:\nhave %.600s\nwant %.600s", seed, n, i, have[i], want[i])
					}
				}
				t.Fatalf("seed %d, %d parts: %d findings, want %d", seed, n, len(have), len(want))
			}
		}
	}
	for _, code := range []string{"ID001", "GRF003", "GRF004", "CLM007", "MEM006", "EVT001", "EVT003", "DST008", "LNK001", "LNK003", "LNK006"} {
		if !codes[code] {
			t.Errorf("the data has no %s", code)
		}
	}
}

// mappedOne is keyed lines of one file: its fact without the line of !given, or between two of them.
func mappedOne(t *testing.T, given bool) string {
	var out bytes.Buffer
	if err := validate.New(nil, validate.Options{}).Map(t.Context(), strings.NewReader(node+"\n"), "g_nodes.jsonl", "", "", &out); err != nil {
		t.Fatal(err)
	}
	var facts, last string
	for line := range strings.Lines(out.String()) {
		if strings.HasPrefix(line, "!given") {
			last = line
		} else {
			facts += line
		}
	}
	if given {
		return last + facts + last
	}
	return facts
}

// TestReduceWithoutKeys: lines that have no key are refused, wherever they stand.
func TestReduceWithoutKeys(t *testing.T) {
	for in, want := range map[string]string{
		"no key here\n":                    "line 1",
		"{\"id\":\"a\"}\n{\"id\":\"b\"}\n": "line 1",
		"bad\\qkey\t{\"id\":1}\n":          "line 1",
		mappedOne(t, true):                 "line 3",
		mappedOne(t, false):                "line 1",
	} {
		if _, err := validate.Reduce(t.Context(), strings.NewReader(in), io.Discard, validate.ReduceOptions{TempDir: t.TempDir()}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: have %v, want an error that names %s", in, err, want)
		}
	}
	if n, err := validate.Reduce(t.Context(), strings.NewReader(""), io.Discard, validate.ReduceOptions{TempDir: t.TempDir()}); n != 0 || err != nil {
		t.Errorf("an empty input: %d, %v", n, err)
	}
}

// FuzzReduce: whatever comes in is refused or settled.
func FuzzReduce(f *testing.F) {
	var mapped bytes.Buffer
	for _, file := range oddSet(1) {
		if err := validate.New(nil, validate.Options{}).Map(f.Context(), strings.NewReader(file.text), file.name, "", "", &mapped); err != nil {
			f.Fatal(err)
		}
	}
	given := ""
	for line := range strings.Lines(mapped.String()) {
		if strings.HasPrefix(line, "!given") {
			given += line
		}
		f.Add(strings.TrimSuffix(line, "\n"))
	}
	f.Add("!given\t{\"file\":\"a\",\"spaces\":\"AQI=\",\"prefixes\":[\"a\"]}")
	f.Add("00000000000000010000000000000001\t\"AAAA\"")
	f.Fuzz(func(t *testing.T, line string) {
		validate.Reduce(t.Context(), strings.NewReader(given+line+"\n"), io.Discard, validate.ReduceOptions{}) //nolint:errcheck // it must only end
	})
}
