package claims

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"runtime"
	"strings"
	"testing"

	"membench/internal/codec"
	"membench/schema"
	"membench/schema/catalog"
	"membench/schema/jsonl"
)

// randomFiles makes claim files of many conversations: popular claims, changed
// ranks, denials, repeated evidence, unknown members, odd spacing, broken lines.
func randomFiles(r *rand.Rand, convs int, odd bool) [][]string {
	authors := []string{"鲁迅", "老舍", "Le Guin", "Ja\\\"son", "A%B"}
	var out [][]string
	for c := range convs {
		var lines []string
		conv := fmt.Sprintf("ch%02d", c)
		add := func(s string) { lines = append(lines, s) }
		add(fmt.Sprintf(`{"record_type":"entity","entity_type":"Agent","entity_id":"agent:a%d","props":{"name":"a","display":"a"},"aliases":["a"],"tags":[],"confidence":0.99}`, r.IntN(2)))
		for range 1 + r.IntN(6) {
			pred, dom, typ, pre := "PREFERS_AUTHOR", "reading", "Author", "author"
			switch r.IntN(5) {
			case 0:
				pred = "DISLIKES_AUTHOR"
			case 1:
				pred, dom, typ, pre = "PREFERS_TOPIC", "daily", "Topic", "topic"
			}
			name := authors[r.IntN(4)]
			subj, obj := fmt.Sprintf("agent:a%d", r.IntN(2)), pre+":"+name
			rank := "null"
			if r.IntN(3) == 0 {
				rank = fmt.Sprint(1 + r.IntN(2))
			}
			var ev []string
			for range 1 + r.IntN(3) {
				p := r.IntN(12)
				text := fmt.Sprintf("text %d", p)
				ev = append(ev, fmt.Sprintf(`{"memory_item_id":"mem:%s","point_id":"p%d","conv_id":"%s","scene_id":"s","created_at":"2026-02-%02dT%02d:00:00%s","text":"%s"%s}`, schema.Hash(text), p, conv, 1+p, r.IntN(24), []string{"Z", "-08:00", ".5+08:00"}[p%3], text, []string{"", `,"event_time":"2026"`}[r.IntN(8)/7]))
			}
			id := fmt.Sprintf("claim:%s|%s|%s|%s", pred, dom, subj, obj)
			if odd && r.IntN(10) == 0 {
				id = "claim:wrong"
			}
			extra := ""
			if r.IntN(4) == 0 {
				extra = `,"by":"rule"`
			}
			if r.IntN(5) == 0 { // goes where another record of the claim is not deprecated
				extra += fmt.Sprintf(`,"deprecated_reason":"r%d"`, r.IntN(2))
			}
			if r.IntN(8) == 0 {
				extra += fmt.Sprintf(`,"superseded_by":"claim:%d"`, r.IntN(2))
			}
			if odd && r.IntN(6) == 0 {
				extra += fmt.Sprintf(`,"note":{"n":%d}`, r.IntN(3))
			}
			conf, status := fmt.Sprintf("0.%d", 61+r.IntN(38)), "active"
			if r.IntN(3) == 0 {
				status = []string{"candidate", "deprecated", "superseded"}[r.IntN(3)]
			}
			if odd && r.IntN(12) == 0 {
				switch r.IntN(4) {
				case 0:
					conf = "1.5"
				case 1:
					status = ""
				case 2:
					ev = nil
				case 3:
					ev = append(ev, `{"memory_item_id":"","point_id":"p","conv_id":"c","scene_id":"s","created_at":"2026-02-01T00:00:00Z","text":"t"}`)
				}
			}
			line := fmt.Sprintf(`{"record_type":"claim","claim_id":"%s","predicate":"%s","subject":{"entity_type":"Agent","entity_id":"%s"},"object":{"entity_type":"%s","entity_id":"%s"},"domain":"%s","confidence":%s,"status":"%s","rank":%s,"updated_at":"2026-02-%02dT00:00:00Z","evidence":[%s]%s}`,
				id, pred, subj, typ, obj, dom, conf, status, rank, 1+r.IntN(20), strings.Join(ev, ","), extra)
			add(line)
			alias := ""
			if r.IntN(2) == 0 {
				alias = fmt.Sprintf(`"x%d"`, r.IntN(5))
			}
			add(fmt.Sprintf(`{"record_type":"entity","entity_type":"%s","entity_id":"%s","props":{"name":"%s","display":"d%d"},"aliases":[%s],"tags":[],"confidence":0.%d}`, typ, obj, name, r.IntN(2), alias, 80+r.IntN(9)))
			if odd && r.IntN(8) == 0 { // one id under two types
				add(fmt.Sprintf(`{"record_type":"entity","entity_type":"Tag","entity_id":"%s","props":{"name":"%s"},"aliases":[],"tags":[],"confidence":0.9}`, obj, name))
			}
			if odd && r.IntN(12) == 0 {
				add(strings.Replace(line, `,"domain"`, ` , "domain"`, 1))
				add(`{"record_type":"claim", broken`)
				add(`{"record_type":"wish"}`)
			}
		}
		out = append(out, lines)
	}
	return out
}

var testCatalog = catalog.Default()

func bulkOf(t testing.TB, files [][]string, o BulkOptions) (string, []string) {
	t.Helper()
	var in []jsonl.File
	for i, f := range files {
		text := strings.Join(f, "\n") + "\n"
		in = append(in, jsonl.File{Name: fmt.Sprintf("f%d", i), Open: func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(text)), nil }})
	}
	o.Catalog = testCatalog
	var out bytes.Buffer
	var codes []string
	res, err := Bulk(context.Background(), in, &out, &out, func(f *schema.Finding) { codes = append(codes, f.Code) }, o)
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(out.String(), `"status":"deprecated"`); n != res.Deprecated {
		t.Fatalf("have %d deprecated claims in the result, %d in the output", res.Deprecated, n)
	}
	return out.String(), codes
}

func plainOf(t testing.TB, files [][]string, v schema.Version) string {
	t.Helper()
	in := func(yield func(schema.Record[schema.Statement], error) bool) {
		for i, f := range files {
			for r, err := range jsonl.Decode[schema.Statement](strings.NewReader(strings.Join(f, "\n")+"\n"), fmt.Sprintf("f%d", i)) {
				if !yield(r, err) {
					return
				}
			}
		}
	}
	var out []byte
	for r, err := range Compile(context.Background(), in, CompileOptions{Version: v, Catalog: testCatalog}) {
		var f *schema.Finding
		if errors.As(err, &f) {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		if out, err = jsonl.Append(out, r.V, v); err != nil {
			t.Fatal(err)
		}
	}
	return string(out)
}

// The path over bytes gives what the plain one gives, at any number of workers, in
// any order of files and lines (0.1.0), spilled or not.
func TestBulkEqualsCompile(t *testing.T) {
	defer func(n int64, m int) { minShare, rangeSize = n, m }(minShare, rangeSize)
	minShare, rangeSize = 1, 4<<10 // many runs and ranges, of little data
	for seed := range uint64(30) {
		r := rand.New(rand.NewPCG(seed, 1))
		files := randomFiles(r, 3+r.IntN(25), seed%2 == 1)
		for _, v := range schema.Versions() {
			want := plainOf(t, files, v)
			if want == "" {
				t.Fatal("nothing was compiled")
			}
			for _, o := range []BulkOptions{{Workers: 1}, {Workers: 2}, {Workers: 3, Memory: 3}, {Workers: 2, Memory: 5000}} {
				o.Version, o.Dir = v, t.TempDir()
				got, _ := bulkOf(t, files, o)
				if !sameLines(t, v, got, want) {
					t.Fatalf("seed %d, version %s, %+v:\n%s", seed, v, o, firstDiff(got, want))
				}
			}
			if v == schema.V001 {
				continue
			}
			shuffled := make([][]string, len(files))
			for i, p := range r.Perm(len(files)) {
				for _, j := range r.Perm(len(files[p])) {
					shuffled[i] = append(shuffled[i], files[p][j])
				}
			}
			got, _ := bulkOf(t, shuffled, BulkOptions{Version: v, Workers: 2})
			if got != want {
				t.Fatalf("seed %d: shuffled input differs:\n%s", seed, firstDiff(got, want))
			}
			// Compiling what was compiled changes nothing.
			again, _ := bulkOf(t, [][]string{strings.Split(strings.TrimSpace(want), "\n")}, BulkOptions{Version: v})
			if again != want {
				t.Fatalf("seed %d: compiling twice differs:\n%s", seed, firstDiff(again, want))
			}
		}
	}
}

// sameLines compares bytes; in 0.0.1, where records that occur once keep the order of
// their members and what they lack, what is read of them.
func sameLines(t *testing.T, v schema.Version, got, want string) bool {
	if got == want {
		return true
	}
	if v != schema.V001 {
		return false
	}
	a, b := strings.Split(got, "\n"), strings.Split(want, "\n")
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] == b[i] {
			continue
		}
		var x, y schema.Statement
		if codec.Unmarshal([]byte(a[i]), &x) != nil || codec.Unmarshal([]byte(b[i]), &y) != nil {
			return false
		}
		p, _ := codec.Append(nil, x.At(v), codec.Compact)
		q, _ := codec.Append(nil, y.At(v), codec.Compact)
		if !bytes.Equal(p, q) {
			return false
		}
	}
	return true
}

func firstDiff(got, want string) string {
	a, b := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range max(len(a), len(b)) {
		x, y := "", ""
		if i < len(a) {
			x = a[i]
		}
		if i < len(b) {
			y = b[i]
		}
		if x != y {
			return fmt.Sprintf("line %d\nhave %s\nwant %s", i+1, x, y)
		}
	}
	return "equal"
}

// What the scanner takes for plain is what the plain path writes of it: lines with a
// few bytes changed, most of which it must refuse.
func TestPlainLines(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	var lines []string
	for _, f := range randomFiles(rng, 6, false) {
		lines = append(lines, f...)
	}
	lines = append(lines,
		`{"record_type":"entity","entity_type":"Topic","entity_id":"topic:茶","props":{"name":"茶\n\"x\"","n":[1.50,{}]},"aliases":["a","b"],"tags":["t"],"confidence":1.0}`,
		`{"record_type":"claim","claim_id":"claim:P|d|agent:a|topic:b","predicate":"P","subject":{"entity_type":"Agent","entity_id":"agent:a"},"object":{"entity_type":"Topic","entity_id":"topic:b"},"domain":"d","confidence":0.123,"status":"active","rank":10,"updated_at":"2026-02-01T00:00:00Z","evidence":[{"memory_item_id":"mem:x","point_id":"p","conv_id":"c","scene_id":"s","created_at":"2026-02-01T00:00:00Z","text":"a\\b\t\"茶\""}],"by":"rule"}`)
	bits := []string{"", " ", "0", "1", "9", "-", "e", ".", ",", ":", `"`, `\`, `\n`, `\u0041`, `\/`, "\x00", "\xff", "\xe8\x8c", "茶", "\u2028", "null", "NaN", "Inf", "{", "}", "[", "]", "deprecated", "+", "%", "|"}
	var scan lineScanner
	taken := 0
	for n := range 60_000 {
		line := lines[rng.IntN(len(lines))]
		if n >= len(lines) {
			for range 1 + rng.IntN(2) {
				at := rng.IntN(len(line))
				end := min(len(line), at+rng.IntN(3))
				line = line[:at] + bits[rng.IntN(len(bits))] + line[end:]
				if line == "" {
					line = "{"
				}
			}
		} else {
			line = lines[n]
		}
		for _, v := range schema.Versions() {
			if strings.ContainsAny(line, "\r\n") || !scan.read([]byte(line), v) {
				continue
			}
			taken++
			if want := plainOf(t, [][]string{{line}}, v); want != line+"\n" {
				t.Fatalf("version %s: taken for plain:\nhave %q\nwant %q", v, line, want)
			}
		}
	}
	if taken < 5_000 {
		t.Errorf("have %d plain lines, want most of the unbroken", taken)
	}
}

// A claim and an entity with very many occurrences stay bounded and come out as on
// the plain path.
func TestBulkBigGroup(t *testing.T) {
	defer func(n int, m int64) { bigGroup, minShare = n, m }(bigGroup, minShare)
	bigGroup, minShare = 100<<10, 1
	for _, v := range schema.Versions() {
		var lines []string
		for i := range 3_000 {
			day, p := 1+i%28, i%2_500
			lines = append(lines, fmt.Sprintf(`{"record_type":"claim","claim_id":"claim:PREFERS_TOPIC|daily|agent:a|topic:茶","predicate":"PREFERS_TOPIC","subject":{"entity_type":"Agent","entity_id":"agent:a"},"object":{"entity_type":"Topic","entity_id":"topic:茶"},"domain":"daily","confidence":0.8,"status":"active","rank":null,"updated_at":"2026-02-%02dT00:00:00Z","evidence":[{"memory_item_id":"mem:%032x","point_id":"p%d","conv_id":"c","scene_id":"s","created_at":"2026-02-%02dT00:00:%02d-08:00","text":"%d"}]}`, day, p, p, day, i%60, i))
			lines = append(lines, fmt.Sprintf(`{"record_type":"entity","entity_type":"Topic","entity_id":"topic:茶","props":{"name":"茶","display":"茶"},"aliases":["a%d"],"tags":[],"confidence":0.9}`, i%100))
		}
		lines = append(lines, `{"record_type":"claim","claim_id":"claim:DISLIKES_TOPIC|daily|agent:a|topic:茶","predicate":"DISLIKES_TOPIC","subject":{"entity_type":"Agent","entity_id":"agent:a"},"object":{"entity_type":"Topic","entity_id":"topic:茶"},"domain":"daily","confidence":0.8,"status":"active","rank":null,"updated_at":"2026-03-01T00:00:00Z","evidence":[{"memory_item_id":"mem:x","point_id":"x","conv_id":"c","scene_id":"s","created_at":"2026-03-01T00:00:00Z","text":"no"}]}`)
		files := [][]string{lines}
		want := plainOf(t, files, v)
		for _, o := range []BulkOptions{{Workers: 2}, {Workers: 2, Memory: 50 << 10}} {
			o.Version = v
			if got, _ := bulkOf(t, files, o); got != want {
				t.Fatalf("version %s: %s", v, firstDiff(got, want)[:400])
			}
		}
		if v != schema.V001 && !strings.Contains(want, `"deprecated_reason":"contradicted"`) {
			t.Error("the denied claim stayed active")
		}
	}
}

func TestBulkFindings(t *testing.T) {
	_, codes := bulkOf(t, [][]string{{`{"record_type":"claim", broken`, `{"record_type":"wish"}`, `{"a":1,"a":2}`, "\xff", `[]`}}, BulkOptions{})
	if len(codes) != 5 {
		t.Errorf("have %v, want five findings", codes)
	}
}

// What merging cannot rest on is left out with a finding, by both paths.
func TestBulkRejects(t *testing.T) {
	claim := `{"record_type":"claim","claim_id":"claim:P|d|agent:a|topic:b","predicate":"P","subject":{"entity_type":"Agent","entity_id":"agent:a"},"object":{"entity_type":"Topic","entity_id":"topic:b"},"domain":"d","confidence":0.9,"status":"active","rank":null,"updated_at":"2026-02-01T00:00:00Z","evidence":[{"memory_item_id":"mem:x","point_id":"p","conv_id":"c","scene_id":"s","created_at":"2026-02-01T00:00:00Z","text":"t"}]}`
	entity := `{"record_type":"entity","entity_type":"Topic","entity_id":"topic:b","props":{"name":"b"},"aliases":[],"tags":[],"confidence":0.9}`
	for _, c := range []struct {
		lines []string
		code  string
		kept  int
	}{
		{[]string{claim}, "", 1},
		{[]string{strings.Replace(claim, "0.9", "1.01", 1)}, "CLM208", 0},
		{[]string{strings.Replace(claim, "0.9", "-0.1", 1)}, "CLM208", 0},
		{[]string{strings.Replace(entity, "0.9", "7", 1)}, "CLM208", 0},
		{[]string{strings.Replace(claim, `"active"`, `""`, 1)}, "CLM207", 0},
		{[]string{strings.Replace(claim, `"status":"active",`, "", 1)}, "CLM207", 0},
		{[]string{claim[:strings.Index(claim, `"evidence"`)] + `"evidence":[]}`}, "CLM209", 0},
		{[]string{strings.Replace(claim, "mem:x", "", 1)}, "CLM209", 0},
		{[]string{entity, strings.Replace(entity, "Topic", "Tag", 1)}, "CLM205", 1},
		{[]string{entity, strings.Replace(entity, "Topic", "Author", 1), strings.Replace(entity, "Topic", "Work", 1)}, "CLM205 CLM205", 1},
	} {
		for _, v := range schema.Versions() {
			out, codes := bulkOf(t, [][]string{c.lines}, BulkOptions{Version: v, Workers: 2})
			if strings.Join(codes, " ") != c.code || strings.Count(out, "\n") != c.kept {
				t.Errorf("%s: version %s: have %v, %d records, want %q, %d", c.lines[len(c.lines)-1], v, codes, strings.Count(out, "\n"), c.code, c.kept)
			}
			if want := plainOf(t, [][]string{c.lines}, v); !sameLines(t, v, out, want) {
				t.Errorf("%s: version %s:\n%s", c.lines[len(c.lines)-1], v, firstDiff(out, want))
			}
		}
	}
}

func FuzzBulkLine(f *testing.F) {
	for _, file := range randomFiles(rand.New(rand.NewPCG(1, 1)), 3, true) {
		for _, l := range file {
			f.Add(l)
		}
	}
	f.Fuzz(func(t *testing.T, line string) {
		if strings.ContainsAny(line, "\r\n") {
			return
		}
		files := [][]string{{line, line}}
		for _, v := range schema.Versions() {
			want := plainOf(t, files, v)
			got, _ := bulkOf(t, files, BulkOptions{Version: v, Workers: 1})
			if !sameLines(t, v, got, want) {
				t.Errorf("version %s:\n%s", v, firstDiff(got, want))
			}
		}
	})
}

// bench rows as in CHAIN-FACTS §19: about four rows for each distinct id.
func benchRows(n int) []byte {
	r := rand.New(rand.NewPCG(7, 7))
	var b bytes.Buffer
	for i := 0; i < n; i += 2 {
		conv := i * 2000 / max(n, 1)
		t := r.IntN(max(1, n*22/100))
		text := fmt.Sprintf("会在写作之前泡一壶普洱茶，然后打开窗户听雨，编号 %d，其余的话只是为了把一行写得和真实记录一样长", i)
		fmt.Fprintf(&b, `{"record_type":"entity","entity_type":"Tag","entity_id":"tag:话题编号%d","props":{"name":"话题编号%d","display":"话题编号%d"},"aliases":[],"tags":[],"confidence":0.85}`+"\n", t, t, t)
		fmt.Fprintf(&b, `{"record_type":"claim","claim_id":"claim:PREFERS_TOPIC|daily|agent:congyin|tag:话题编号%d","predicate":"PREFERS_TOPIC","subject":{"entity_type":"Agent","entity_id":"agent:congyin"},"object":{"entity_type":"Tag","entity_id":"tag:话题编号%d"},"domain":"daily","confidence":0.86,"status":"active","rank":null,"updated_at":"2026-02-%02dT18:22:22.541103-08:00","evidence":[{"memory_item_id":"mem:%s","point_id":"81c53765-704a-4216-928b-%012d","conv_id":"ch%04d","scene_id":"chill_ai_chat","created_at":"2026-02-%02dT18:21:58.055341-08:00","text":"%s"}]}`+"\n",
			t, t, 1+i%28, schema.Hash(text), i, conv, 1+i%28, text)
	}
	return b.Bytes()
}

func BenchmarkBulk(b *testing.B) {
	data := benchRows(100_000)
	if path := os.Getenv("MEMBENCH_BENCH_ROWS"); path != "" {
		if err := os.WriteFile(path, benchRows(240_857), 0o644); err != nil {
			b.Fatal(err)
		}
	}
	b.SetBytes(int64(len(data)))
	for b.Loop() {
		_, err := Bulk(context.Background(), []jsonl.File{{Name: "x", Open: func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(data)), nil }}}, io.Discard, io.Discard, nil, BulkOptions{Catalog: testCatalog, Workers: runtime.NumCPU()})
		if err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(100_000*float64(b.N)/b.Elapsed().Seconds(), "rows/s")
}
