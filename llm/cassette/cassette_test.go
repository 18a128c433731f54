package cassette

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"membench/internal/codec"
	"membench/llm"
	"membench/llm/hashing"
	"membench/llm/llmtest"
)

// counting is a model that counts how often it is asked.
type counting struct {
	n    atomic.Int64
	fail func(llm.Request) error
}

func (*counting) Model() string { return "m" }

func (g *counting) Generate(ctx context.Context, r llm.Request) (llm.Response, error) {
	g.n.Add(1)
	if err := ctx.Err(); err != nil {
		return llm.Response{}, &llm.Error{Purpose: r.Purpose, Kind: llm.KindCanceled, Err: err}
	}
	if g.fail != nil {
		if err := g.fail(r); err != nil {
			return llm.Response{}, err
		}
	}
	return llm.Response{Text: "answer to " + r.Prompt + " ✓", Model: "m-2026", Elapsed: 1500 * time.Millisecond, Truncated: r.MaxTokens == 1,
		Usage: llm.Usage{Calls: 1, InputTokens: 10, OutputTokens: 3}}, nil
}

// vectors counts the texts it is asked for; it costs a token each.
type vectors struct {
	hashing.Embedder
	texts, calls atomic.Int64
}

func (v *vectors) EmbedMetered(ctx context.Context, texts []string) (llm.Embedding, error) {
	v.texts.Add(int64(len(texts)))
	v.calls.Add(1)
	out, err := v.Embedder.Embed(ctx, texts)
	u := llm.Usage{Calls: 1, InputTokens: 7 * len(texts)}
	return llm.Embedding{Vectors: out, Usage: u, Paid: u}, err
}

func (v *vectors) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	e, err := v.EmbedMetered(ctx, texts)
	return e.Vectors, err
}

func open(t testing.TB, path string, m Mode) *Cassette {
	t.Helper()
	c, err := Open(path, m)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

func TestNothingIsPaidTwice(t *testing.T) {
	path := filepath.Join(t.TempDir(), "sub", "run.cassette")
	ctx := context.Background()
	g := &counting{}
	c := open(t, path, Cache)
	l := llm.NewLedger()
	w := l.Generator(c.Generator(g))
	reqs := []llm.Request{
		{Purpose: "tag", Prompt: "p"}, {Prompt: "p", System: "s"}, {Prompt: "p", Temperature: 0.5}, {Prompt: "p", MaxTokens: 1},
		{Prompt: "p", JSON: true}, {Prompt: "p", Schema: []byte(`{}`)}, {Prompt: "p", Sample: 1}, {Prompt: "sp"}, {Prompt: "q\x00", System: ""},
	}
	var first []llm.Response
	for _, r := range reqs {
		a, err := w.Generate(ctx, r)
		if err != nil || a.Cached {
			t.Fatalf("%+v: %+v, %v", r, a, err)
		}
		first = append(first, a)
	}
	if int(g.n.Load()) != len(reqs) {
		t.Errorf("%d calls for %d different questions", g.n.Load(), len(reqs))
	}
	same := reqs[0]
	same.Purpose = "another"
	if a, err := w.Generate(ctx, same); err != nil || !a.Cached {
		t.Errorf("the purpose is part of the key: %+v, %v", a, err)
	}
	again := open(t, path, Replay)
	r := again.Generator(Absent("m"))
	for i, q := range reqs {
		a, err := r.Generate(ctx, q)
		if err != nil || !a.Cached {
			t.Fatalf("%+v: %+v, %v", q, a, err)
		}
		a.Cached = false
		if a != first[i] {
			t.Errorf("replayed %+v, first %+v", a, first[i])
		}
	}
	if int(g.n.Load()) != len(reqs) {
		t.Error("a replay asked")
	}
	rows := l.Rows(llm.Prices{"m": {Input: 1, Output: 2}})
	var now, all llm.Usage
	for _, row := range rows {
		now, all = now.Add(row.Now), all.Add(row.First)
	}
	if now.Calls != len(reqs) || all.Calls != len(reqs)+1 || rows[0].Cost == nil {
		t.Errorf("ledger: paid now %+v, first %+v", now, all)
	}
}

func TestReplayNamesWhatItLacks(t *testing.T) {
	path := filepath.Join(t.TempDir(), "c")
	open(t, path, Cache)
	c := open(t, path, Replay)
	_, err := c.Generator(Absent("m")).Generate(context.Background(), llm.Request{Purpose: "judge", Prompt: "Is\n tea " + strings.Repeat("好", 300)})
	if llm.KindOf(err) != llm.KindMissing || !llm.Fatal(err) || !strings.Contains(err.Error(), "judge") || !strings.Contains(err.Error(), `"Is tea 好`) || len(err.Error()) > 700 {
		t.Errorf("have %v", err)
	}
	if _, err := c.Embedder(AbsentEmbedder("hash512")).Embed(context.Background(), []string{"rain"}); llm.KindOf(err) != llm.KindMissing || !strings.Contains(err.Error(), `"rain"`) {
		t.Errorf("have %v", err)
	}
	if _, err := Open(path+"x", Replay); err == nil || !strings.Contains(err.Error(), "earlier run") {
		t.Errorf("have %v", err)
	}
}

func TestVectorsAreExact(t *testing.T) {
	path := filepath.Join(t.TempDir(), "c")
	ctx := context.Background()
	e := &vectors{Embedder: hashing.New(384)}
	c := open(t, path, Cache)
	w := c.Embedder(e)
	texts := []string{"tea", "coffee", "tea", "雨"}
	first, err := llm.Embed(ctx, w, texts)
	if err != nil || e.texts.Load() != 3 || first.Paid.InputTokens != 21 || first.Replayed != 0 {
		t.Fatalf("%v; asked for %d texts, paid %+v", err, e.texts.Load(), first.Paid)
	}
	// Other batches, the same texts.
	more, err := llm.Embed(ctx, w, []string{"snow", "雨"})
	if err != nil || e.texts.Load() != 4 || more.Replayed != 1 || more.Paid.InputTokens != 7 {
		t.Fatalf("%v; asked for %d texts, %+v", err, e.texts.Load(), more.Paid)
	}
	again, err := llm.Embed(ctx, open(t, path, Replay).Embedder(AbsentEmbedder("hash384")), texts)
	if err != nil || !reflect.DeepEqual(again.Vectors, first.Vectors) || again.Paid != (llm.Usage{}) || again.Usage.InputTokens != 21 {
		t.Fatalf("replayed otherwise: %v, %+v", err, again.Usage)
	}
	info, err := os.Stat(path)
	if err != nil || info.Size() > 4*(384*4+200) {
		t.Errorf("4 vectors of 384 take %d bytes: %v", info.Size(), err)
	}
}

func TestRecordAsksAnewOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "c")
	ctx := context.Background()
	q := llm.Request{Prompt: "p"}
	if _, err := open(t, path, Cache).Generator(&counting{}).Generate(ctx, q); err != nil {
		t.Fatal(err)
	}
	g := llmtest.NewScript("new")
	w := open(t, path, Record).Generator(named{g, "m"})
	for range 2 { // the script has one answer
		if a, err := w.Generate(ctx, q); err != nil || a.Text != "new" {
			t.Fatalf("%+v, %v", a, err)
		}
	}
	if a, err := open(t, path, Replay).Generator(Absent("m")).Generate(ctx, q); err != nil || a.Text != "new" {
		t.Errorf("%+v, %v: want the later recording", a, err)
	}
}

type named struct {
	llm.Generator
	name string
}

func (n named) Model() string { return n.name }

// TestFailures: what would pass is asked again, what would not is kept.
func TestFailures(t *testing.T) {
	path := filepath.Join(t.TempDir(), "c")
	ctx := context.Background()
	kind := llm.KindServer
	g := &counting{fail: func(r llm.Request) error {
		if r.Prompt == "bad" {
			return &llm.Error{Purpose: r.Purpose, Kind: kind, Status: 500, Usage: llm.Usage{Calls: 3}, Err: errors.New("oops")}
		}
		return nil
	}}
	// A chunk that always fails beside good ones: only it is asked again.
	run := func() {
		c := open(t, path, Cache)
		for i := range 5 {
			if _, err := c.Generator(g).Generate(ctx, llm.Request{Prompt: fmt.Sprint(i)}); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := c.Generator(g).Generate(ctx, llm.Request{Prompt: "bad"}); llm.KindOf(err) != kind {
			t.Fatalf("have %v", err)
		}
		c.Close()
	}
	run()
	run()
	if g.n.Load() != 7 {
		t.Errorf("%d calls, want 6 and the failed one again", g.n.Load())
	}
	kind = llm.KindFiltered
	run()
	run()
	if g.n.Load() != 8 {
		t.Errorf("%d calls, want a refusal of content kept as an outcome", g.n.Load())
	}
	_, err := open(t, path, Replay).Generator(Absent("m")).Generate(ctx, llm.Request{Purpose: "read", Prompt: "bad"})
	var e *llm.Error
	if !errors.As(err, &e) || e.Kind != llm.KindFiltered || e.Status != 500 || e.Purpose != "read" {
		t.Errorf("replayed %v", err)
	}
}

func TestOneCallForManyWhoAsk(t *testing.T) {
	c := open(t, filepath.Join(t.TempDir(), "c"), Cache)
	g := &counting{}
	e := &vectors{Embedder: hashing.New(8)}
	var wg sync.WaitGroup
	for i := range 40 {
		wg.Go(func() {
			if _, err := c.Generator(g).Generate(context.Background(), llm.Request{Prompt: fmt.Sprint(i % 4)}); err != nil {
				t.Error(err)
			}
			texts := []string{fmt.Sprint("t", i%5), fmt.Sprint("t", (i+1)%5), "all"}
			v, err := c.Embedder(e).Embed(context.Background(), texts)
			if err != nil || len(v) != 3 || !reflect.DeepEqual(v[2], e.Vector("all")) {
				t.Error(err, len(v))
			}
		})
	}
	wg.Wait()
	if g.n.Load() != 4 || e.texts.Load() != 6 {
		t.Errorf("asked %d times and for %d texts, want 4 and 6", g.n.Load(), e.texts.Load())
	}
}

// TestWriterProcess is a process that records; see TestManyProcesses.
func TestWriterProcess(t *testing.T) {
	path := os.Getenv("CASSETTE_WRITER")
	if path == "" {
		t.Skip("run by TestManyProcesses")
	}
	c := open(t, path, Cache)
	g := &counting{}
	w := c.Generator(g)
	e := &vectors{Embedder: hashing.New(32)}
	defer func() { fmt.Printf("asked %d %d\n", g.n.Load(), e.texts.Load()) }()
	for i := range 60 {
		if _, err := w.Generate(context.Background(), llm.Request{Prompt: fmt.Sprint(i % 40)}); err != nil {
			t.Fatal(err)
		}
		if _, err := c.Embedder(e).Embed(context.Background(), []string{fmt.Sprint(i), fmt.Sprint(i + 1)}); err != nil {
			t.Fatal(err)
		}
	}
}

func TestManyProcesses(t *testing.T) {
	path := filepath.Join(t.TempDir(), "c")
	var cmds []*exec.Cmd
	var out [4]bytes.Buffer
	for i := range 4 {
		cmd := exec.Command(os.Args[0], "-test.run", "^TestWriterProcess$")
		cmd.Env = append(os.Environ(), "CASSETTE_WRITER="+path)
		cmd.Stdout = &out[i]
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		cmds = append(cmds, cmd)
	}
	for _, cmd := range cmds {
		if err := cmd.Wait(); err != nil {
			t.Fatal(err)
		}
	}
	asked, embedded := 0, 0
	for i := range out {
		var a, e int
		if _, err := fmt.Sscanf(out[i].String(), "asked %d %d", &a, &e); err != nil {
			t.Fatalf("%v: %s", err, &out[i])
		}
		asked, embedded = asked+a, embedded+e
	}
	if runtime.GOOS == "linux" && (asked != 40 || embedded != 61) {
		t.Errorf("four processes asked %d questions and for %d vectors, want 40 and 61 in all", asked, embedded)
	}
	n := 0
	if err := Entries(path, func(Entry) error { n++; return nil }); err != nil || n != 101 {
		t.Errorf("%d records, want 40 answers and 61 vectors: %v", n, err)
	}
	b, err := os.ReadFile(path)
	if heads := bytes.Count(b, []byte("\nc ")); err != nil || heads != 40 {
		t.Errorf("%d chat records in the file, want one a question", heads)
	}
}

// TestTornAnywhere: whatever a killed process left, the whole records before it count,
// and the next run goes on.
func TestTornAnywhere(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "c")
	ctx := context.Background()
	c := open(t, path, Cache)
	var ends []int64 // of the file after each record
	for i := range 4 {
		if i%2 == 0 {
			if _, err := c.Generator(&counting{}).Generate(ctx, llm.Request{Prompt: fmt.Sprint(i)}); err != nil {
				t.Fatal(err)
			}
		} else if _, err := c.Embedder(hashing.New(16)).Embed(ctx, []string{fmt.Sprint(i)}); err != nil {
			t.Fatal(err)
		}
		ends = append(ends, c.end)
	}
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for cut := 0; cut <= len(whole); cut++ {
		want := 0
		for _, e := range ends {
			if int64(cut) >= e {
				want++
			}
		}
		torn := filepath.Join(dir, "torn")
		if err := os.WriteFile(torn, whole[:cut], 0o666); err != nil {
			t.Fatal(err)
		}
		if cut >= len(magic) {
			r, err := Open(torn, Replay)
			if err != nil || r.Stats().Records != want {
				t.Fatalf("cut at %d: %v, want %d records", cut, err, want)
			}
			r.Close()
		}
		w, err := Open(torn, Cache)
		if err != nil || w.Stats().Records != want {
			t.Fatalf("cut at %d: %v, want %d records", cut, err, want)
		}
		if _, err := w.Generator(&counting{}).Generate(ctx, llm.Request{Prompt: "next"}); err != nil {
			t.Fatalf("cut at %d: %v", cut, err)
		}
		w.Close()
		r := open(t, torn, Replay)
		if r.Stats().Records != want+1 {
			t.Fatalf("cut at %d: %d records after going on, want %d", cut, r.Stats().Records, want+1)
		}
		r.Close()
	}
	// Garbage of full length at the end, as a crash of the machine can leave it.
	bad := bytes.Clone(whole)
	copy(bad[len(bad)-20:], make([]byte, 20))
	torn := filepath.Join(dir, "garbage")
	if err := os.WriteFile(torn, bad, 0o666); err != nil {
		t.Fatal(err)
	}
	if c := open(t, torn, Cache); c.Stats().Records != 3 {
		t.Errorf("%d records, want 3 before the garbage", c.Stats().Records)
	}
	// Damage in the middle takes nothing else along, wherever it is and however long.
	for at := len(magic); at < len(whole); at += 7 {
		for _, n := range []int{1, 40} {
			bad := bytes.Clone(whole)
			for i := at; i < min(at+n, len(bad)); i++ {
				bad[i] ^= 0xa5
			}
			hit := 0 // records that the damage touches
			from := int64(len(magic))
			for _, e := range ends {
				if int64(at) < e && int64(at+n) > from {
					hit++
				}
				from = e
			}
			if err := os.WriteFile(torn, bad, 0o666); err != nil {
				t.Fatal(err)
			}
			got, err := Look(torn)
			if err != nil || got.Records != 4-hit || len(got.Damages) != 1 || got.Damages[0].Offset > int64(at) || got.Damages[0].Offset+got.Damages[0].Bytes < int64(min(at+n, len(bad))) {
				t.Fatalf("%d bytes at %d: have %+v, %v; want %d records", n, at, got, err, 4-hit)
			}
			var mended bytes.Buffer
			if _, err := Repair(&mended, torn); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(torn+".mended", mended.Bytes(), 0o666); err != nil {
				t.Fatal(err)
			}
			if again, err := Look(torn + ".mended"); err != nil || again.Records != got.Records || len(again.Damages) != 0 {
				t.Fatalf("%d bytes at %d: mended %+v, %v", n, at, again, err)
			}
		}
	}
	bad = bytes.Clone(whole)
	bad[len(magic)+50] ^= 1
	if err := os.WriteFile(torn, bad, 0o666); err != nil {
		t.Fatal(err)
	}
	w := open(t, torn, Cache)
	if _, err := w.Generator(&counting{}).Generate(ctx, llm.Request{Prompt: "next"}); err != nil || len(w.Damages()) != 1 {
		t.Errorf("going on after damage: %v, %v", err, w.Damages())
	}
	if got, err := Look(torn); err != nil || got.Records != 4 || len(got.Damages) != 1 {
		t.Errorf("after it: %+v, %v", got, err)
	}
	if err := os.WriteFile(torn, []byte("dear diary\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, m := range []Mode{Cache, Replay, Record} {
		if _, err := Open(torn, m); err == nil || !strings.Contains(err.Error(), "not a cassette") {
			t.Errorf("%s: have %v", m, err)
		}
	}
}

func TestAFullDiskStopsPaying(t *testing.T) {
	c := open(t, filepath.Join(t.TempDir(), "c"), Cache)
	g := &counting{}
	w := c.Generator(g)
	c.f.Close() // every write fails from now on
	a, err := w.Generate(context.Background(), llm.Request{Prompt: "1"})
	if err != nil || !strings.HasPrefix(a.Text, "answer to 1") {
		t.Errorf("what was paid for is lost: %+v, %v", a, err)
	}
	if _, err := w.Generate(context.Background(), llm.Request{Prompt: "2"}); llm.KindOf(err) != llm.KindStore || !llm.Fatal(err) || g.n.Load() != 1 {
		t.Errorf("have %v after %d calls", err, g.n.Load())
	}
}

func TestPackDependsOnTheAnswersOnly(t *testing.T) {
	dir := t.TempDir()
	ctx := context.Background()
	record := func(name string, order ...int) string {
		path := filepath.Join(dir, name)
		c := open(t, path, Cache)
		for _, i := range order {
			if _, err := c.Generator(&counting{}).Generate(ctx, llm.Request{Prompt: fmt.Sprint(i)}); err != nil {
				t.Fatal(err)
			}
			if _, err := c.Embedder(hashing.New(16)).Embed(ctx, []string{fmt.Sprint(i)}); err != nil {
				t.Fatal(err)
			}
		}
		return path
	}
	a, b, c := record("a", 1, 2, 3), record("b", 3, 1, 2), record("c", 2)
	var packed [3]bytes.Buffer
	for i, in := range [][]string{{a}, {b}, {c, a}} {
		if n, err := Pack(&packed[i], func(x Conflict) { t.Errorf("conflict %+v", x) }, in...); err != nil || n != 6 {
			t.Fatalf("%d records, %v", n, err)
		}
	}
	if !bytes.Equal(packed[0].Bytes(), packed[1].Bytes()) || !bytes.Equal(packed[0].Bytes(), packed[2].Bytes()) {
		t.Error("the bytes depend on the order of recording")
	}
	path := filepath.Join(dir, "packed")
	if err := os.WriteFile(path, packed[0].Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	if s := open(t, path, Replay).Stats(); s.Records != 6 {
		t.Errorf("have %+v", s)
	}
}

// TestPackConflicts: which of two answers counts does not depend on the order of the files.
func TestPackConflicts(t *testing.T) {
	dir := t.TempDir()
	record := func(name, text string, err error) string {
		path := filepath.Join(dir, name)
		c := open(t, path, Cache)
		_, got := c.Generator(llmtest.NewScript().Then(llmtest.Answer{Text: text, Err: err})).Generate(t.Context(), llm.Request{Purpose: "tag", Prompt: "p"})
		if (got != nil) != (err != nil) {
			t.Fatal(got)
		}
		return path
	}
	a, b, c := record("a", "tea", nil), record("b", "coffee", nil), record("c", "tea", nil)
	var packed [3]bytes.Buffer
	for i, in := range [][]string{{a, b, c}, {c, b, a}, {b, c, a}} {
		var found []Conflict
		if n, err := Pack(&packed[i], func(x Conflict) { found = append(found, x) }, in...); err != nil || n != 1 {
			t.Fatalf("%d records, %v", n, err)
		}
		if len(found) != 1 || found[0].Purpose != "tag" || len(found[0].Files) != 3 || found[0].Files[0] != b {
			t.Errorf("%v: have %+v", in, found)
		}
	}
	if !bytes.Equal(packed[0].Bytes(), packed[1].Bytes()) || !bytes.Equal(packed[0].Bytes(), packed[2].Bytes()) {
		t.Error("the bytes depend on the order of the files")
	}
}

func TestModes(t *testing.T) {
	c, err := Open("nowhere", Off)
	g := &counting{}
	if err != nil || c != nil || c.Generator(g) != llm.Generator(g) || c.Mode() != Off || c.Close() != nil || c.Stats() != (Stats{}) {
		t.Errorf("off is no cassette: %v, %v", c, err)
	}
	if _, err := Open(filepath.Join(t.TempDir(), "x"), "sometimes"); err == nil {
		t.Error("an unknown mode is taken")
	}
	if m, err := ParseMode("replay"); m != Replay || err != nil {
		t.Error(m, err)
	}
}

func FuzzOpen(f *testing.F) {
	path := filepath.Join(f.TempDir(), "c")
	c := open(f, path, Cache)
	if _, err := c.Generator(&counting{}).Generate(context.Background(), llm.Request{Prompt: "p"}); err != nil {
		f.Fatal(err)
	}
	if _, err := c.Embedder(hashing.New(4)).Embed(context.Background(), []string{"t"}); err != nil {
		f.Fatal(err)
	}
	good, err := os.ReadFile(path)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(good)
	f.Add([]byte(magic + "v 00000000000000000000000000000000 3 352441c2\nabc\n"))
	f.Fuzz(func(t *testing.T, b []byte) {
		path := filepath.Join(t.TempDir(), "c")
		if err := os.WriteFile(path, b, 0o666); err != nil {
			t.Fatal(err)
		}
		_ = Entries(path, func(Entry) error { return nil })
		_, _, _ = parseVector(b)
	})
}

// BenchmarkReplay is 10,000 different cached answers of 300 bytes, by two goroutines.
func BenchmarkReplay(b *testing.B) {
	const n = 10000
	path := filepath.Join(b.TempDir(), "c")
	c := open(b, path, Cache)
	long := strings.Repeat("The reader's prompt with its memories. ", 25) // about 1,000 bytes
	var records []record
	reqs := make([]llm.Request, n)
	for i := range n {
		reqs[i] = llm.Request{Purpose: "read", System: "Answer from the memories.", Prompt: fmt.Sprint(long, i), MaxTokens: 200}
		records = append(records, record{ChatKey("m", reqs[i]), kindChat, chatBody(b, strings.Repeat("answer ", 30))})
	}
	if err := c.keep(records); err != nil {
		b.Fatal(err)
	}
	r := open(b, path, Replay)
	g := r.Generator(Absent("m"))
	b.ReportAllocs()
	b.ResetTimer()
	for range b.N {
		var wg sync.WaitGroup
		for w := range 2 {
			wg.Go(func() {
				for i := w; i < n; i += 2 {
					if _, err := g.Generate(context.Background(), reqs[i]); err != nil {
						b.Error(err)
						return
					}
				}
			})
		}
		wg.Wait()
	}
	b.ReportMetric(float64(n)*float64(b.N)/b.Elapsed().Seconds(), "answers/s")
}

// BenchmarkReplayVectors is 7,719 vectors of 384, LoCoMo's turns and questions, in
// batches of 64.
func BenchmarkReplayVectors(b *testing.B) {
	const n = 7719
	path := filepath.Join(b.TempDir(), "c")
	c := open(b, path, Cache)
	texts := make([]string, n)
	for i := range texts {
		texts[i] = fmt.Sprint("Caroline: I went to the support group on day ", i)
	}
	if _, err := c.Embedder(hashing.New(384)).Embed(context.Background(), texts); err != nil {
		b.Fatal(err)
	}
	e := open(b, path, Replay).Embedder(AbsentEmbedder("hash384"))
	b.ReportAllocs()
	b.ResetTimer()
	for range b.N {
		for i := 0; i < n; i += 64 {
			if _, err := e.Embed(context.Background(), texts[i:min(n, i+64)]); err != nil {
				b.Fatal(err)
			}
		}
	}
	b.ReportMetric(float64(n)*float64(b.N)/b.Elapsed().Seconds(), "vectors/s")
}

func chatBody(b *testing.B, text string) []byte {
	body, err := codec.Append(nil, answer{Model: "m", Purpose: "read", Text: text, Usage: llm.Usage{Calls: 1, InputTokens: 250, OutputTokens: 60}}, codec.Compact)
	if err != nil {
		b.Fatal(err)
	}
	return body
}
