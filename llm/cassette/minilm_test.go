package cassette_test

import (
	"context"
	"encoding/binary"
	"flag"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"membench/internal/codec"
	"membench/internal/exttest"
	"membench/llm"
	"membench/llm/cassette"
	"membench/llm/hashing"
	"membench/llm/llmtest"
	"membench/llm/openai"
)

var update = flag.Bool("update", false, "write the generated parts of docs/ and the recorded vectors again")

// invented pairs: a question and what answers it, in other words. The last are Chinese,
// of which the model knows little.
var invented = [][2]string{
	{"Where does Maya keep her spare key?", "Maya: I hide the extra one under the blue flowerpot by the back door."},
	{"What is Tomas allergic to?", "Tomas: Peanuts make my throat swell up, so please no satay for me."},
	{"When did the dog have surgery?", "Ines: Biscuit came home from the vet on Friday with stitches on her leg."},
	{"Which instrument is Lin learning?", "Lin: My cello teacher says my bowing is finally getting better."},
	{"Why did the checkout service fail?", "oncall: the payment pods ran out of connections to the database at noon"},
	{"What did grandmother bake?", "Omar: The kitchen smelled of her walnut cake all Sunday."},
	{"How does Petra get to work?", "Petra: I cycle along the canal every morning, even in the rain."},
	{"岚汐喜欢喝什么？", "岚汐：晚上我只喝茉莉花茶。"},
	{"林的小说写什么？", "林：我在写一篇关于雨夜的故事。"},
}

// minilm is the model's embedder: the real server where it is installed, else what it
// said, from testdata.
func minilm(t *testing.T) (e llm.Embedder, live bool) {
	t.Helper()
	url := exttest.MiniLM(t)
	if url == "" {
		c, err := cassette.Open("testdata/minilm.cassette", cassette.Replay)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { c.Close() })
		return c.Embedder(cassette.AbsentEmbedder("all-MiniLM-L6-v2")), false
	}
	clock := llmtest.NewClock().Clock()
	clock.Sleep = func(ctx context.Context, d time.Duration) error { time.Sleep(d); return ctx.Err() }
	client, err := openai.New(openai.Options{BaseURL: url, Model: "all-MiniLM-L6-v2", Clock: clock})
	if err != nil {
		t.Fatal(err)
	}
	return client, true
}

// TestMiniLM: real vectors, live or recorded, find what hashing of words cannot; and
// what is live agrees with what is recorded.
func TestMiniLM(t *testing.T) {
	e, live := minilm(t)
	var texts []string
	for _, p := range invented {
		texts = append(texts, p[0], p[1])
	}
	got, err := llm.Embed(context.Background(), e, texts)
	if err != nil {
		t.Fatal(err)
	}
	if got.Usage.InputTokens < 100 || got.Usage.Estimated > 0 || len(got.Vectors[0]) != 384 {
		t.Errorf("usage %+v, %d dimensions", got.Usage, len(got.Vectors[0]))
	}
	found := func(v [][]float32, n int) (hits int) {
		for q := range n {
			best, at := -2.0, 0
			for a := range n {
				if s := dot(v[2*q], v[2*a+1]); s > best {
					best, at = s, a
				}
			}
			if at == q {
				hits++
			}
		}
		return hits
	}
	const english = 7
	byHash, err := hashing.New(0).Embed(context.Background(), texts)
	if err != nil {
		t.Fatal(err)
	}
	if m, h := found(got.Vectors, english), found(byHash, english); m != english || h >= m {
		t.Errorf("nearest answer right for %d of %d questions by MiniLM, %d by hashing", m, english, h)
	}
	const recorded = "testdata/minilm.cassette"
	if live && *update {
		os.Remove(recorded)
		c, err := cassette.Open(filepath.Join(t.TempDir(), "c"), cassette.Cache)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := c.Embedder(e).Embed(context.Background(), texts); err != nil {
			t.Fatal(err)
		}
		f, err := os.Create(recorded)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := cassette.Pack(f, func(cassette.Conflict) {}, c.Path()); err != nil {
			t.Fatal(err)
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if !live {
		return
	}
	c, err := cassette.Open(recorded, cassette.Replay)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	old, err := c.Embedder(cassette.AbsentEmbedder("all-MiniLM-L6-v2")).Embed(context.Background(), texts)
	if err != nil {
		t.Fatal(err)
	}
	for i := range texts {
		for j := range old[i] {
			if d := math.Abs(float64(old[i][j] - got.Vectors[i][j])); d > 1e-4 {
				t.Fatalf("%q: the recorded vector is %g off the live one", texts[i], d)
			}
		}
	}
}

func dot(a, b []float32) (s float64) {
	for i := range a {
		s += float64(a[i]) * float64(b[i])
	}
	return s
}

var turnID = regexp.MustCompile(`D:?(\d+):(\d+)`)

// locomoCase is what is read of a LoCoMo conversation.
type locomoCase struct {
	ID           string              `json:"sample_id"`
	Conversation map[string]codecRaw `json:"conversation"`
	QA           []struct {
		Question string   `json:"question"`
		Evidence []string `json:"evidence"`
		Category int      `json:"category"`
	} `json:"qa"`
}

type codecRaw []byte

func (r *codecRaw) UnmarshalJSON(b []byte) error { *r = slices.Clone(b); return nil }

// TestLocomoQuality is the row of docs/quality.md: evidence recall at 10 of hashing and
// of MiniLM (recorded vectors) over LoCoMo's questions; a turn is the unit.
func TestLocomoQuality(t *testing.T) {
	dir := exttest.Shared(t, "data/locomo/locomo8.json", "data/locomo_minilm/locomo8.f16.npy")
	dir = filepath.Join(dir, "data")
	recorded := readRecorded(t, filepath.Join(dir, "locomo_minilm"))
	b, err := os.ReadFile(filepath.Join(dir, "locomo", "locomo8.json"))
	if err != nil {
		t.Fatal(err)
	}
	var cases []locomoCase
	if err := codec.Unmarshal(b, &cases); err != nil {
		t.Fatal(err)
	}
	h := hashing.New(0)
	n := 0
	byCategory := map[int]int{}
	var sums [2]map[int]float64
	sums[0], sums[1] = map[int]float64{}, map[int]float64{}
	for _, c := range cases {
		ids, texts := turnsOf(t, c)
		at := map[string]int{}
		var hashed, real [][]float32
		for i, id := range ids {
			at[id] = i
			hashed = append(hashed, h.Vector(texts[i]))
			real = append(real, recorded(c.ID+"/"+id))
		}
		for q, qa := range c.QA {
			want := map[int]bool{}
			for _, e := range qa.Evidence {
				for _, m := range turnID.FindAllStringSubmatch(e, -1) { // "D8:6; D9:17", "D30:05"
					session, _ := strconv.Atoi(m[1])
					turn, _ := strconv.Atoi(m[2])
					if i, ok := at["D"+strconv.Itoa(session)+":"+strconv.Itoa(turn)]; ok {
						want[i] = true
					}
				}
			}
			if len(want) == 0 {
				continue
			}
			n++
			byCategory[qa.Category]++
			for k, pair := range [][2]any{{h.Vector(qa.Question), hashed}, {recorded(c.ID + "/qa/" + strconv.Itoa(q)), real}} {
				hits := 0
				for _, i := range best(pair[0].([]float32), pair[1].([][]float32), 10) {
					if want[i] {
						hits++
					}
				}
				r := float64(hits) / float64(len(want))
				sums[k][0] += r
				sums[k][qa.Category] += r
			}
		}
	}
	var row strings.Builder
	row.WriteString("| embedder | all (" + strconv.Itoa(n) + ") |")
	for cat := 1; cat <= 5; cat++ {
		row.WriteString(" " + strconv.Itoa(cat) + " (" + strconv.Itoa(byCategory[cat]) + ") |")
	}
	row.WriteString("\n|---|---|---|---|---|---|---|\n")
	for k, name := range []string{"hashing, 512 dimensions (the default)", "all-MiniLM-L6-v2, 384 dimensions"} {
		row.WriteString("| " + name + " | " + decimals(sums[k][0]/float64(n)) + " |")
		for cat := 1; cat <= 5; cat++ {
			row.WriteString(" " + decimals(sums[k][cat]/float64(byCategory[cat])) + " |")
		}
		row.WriteString("\n")
	}
	if m := sums[1][0] / float64(n); math.Abs(m-0.431) > 0.01 || n < 1500 {
		t.Errorf("MiniLM: recall %.3f over %d questions, want what was measured when the vectors were made: 0.431 over 1,541", m, n)
	}
	doc, err := os.ReadFile("../../docs/quality.md")
	if err != nil {
		t.Fatal(err)
	}
	part := regexp.MustCompile(`(?s)(<!-- generated: embedders -->\n).*?(<!-- end: embedders -->)`)
	want := part.ReplaceAll(doc, []byte("${1}"+row.String()+"${2}"))
	if *update {
		if err := os.WriteFile("../../docs/quality.md", want, 0o666); err != nil {
			t.Fatal(err)
		}
	} else if !slices.Equal(want, doc) {
		t.Errorf("docs/quality.md is not current (run with -update); now\n%s", row.String())
	}
}

func best(q []float32, of [][]float32, k int) []int {
	type scored struct {
		i int
		s float64
	}
	all := make([]scored, len(of))
	for i, v := range of {
		all[i] = scored{i, dot(q, v)}
	}
	slices.SortStableFunc(all, func(a, b scored) int {
		switch {
		case a.s > b.s:
			return -1
		case a.s < b.s:
			return 1
		}
		return 0
	})
	var out []int
	for _, s := range all[:min(k, len(all))] {
		out = append(out, s.i)
	}
	return out
}

// turnsOf gives a conversation's turns as the recorded vectors were made of them.
func turnsOf(t *testing.T, c locomoCase) (ids, texts []string) {
	t.Helper()
	for s := 1; ; s++ {
		raw, ok := c.Conversation["session_"+strconv.Itoa(s)]
		if !ok {
			if s > 60 {
				return ids, texts
			}
			continue
		}
		var turns []struct {
			Speaker string `json:"speaker"`
			ID      string `json:"dia_id"`
			Text    string `json:"text"`
			Caption string `json:"blip_caption"`
		}
		if err := codec.Unmarshal(raw, &turns); err != nil {
			t.Fatal(err)
		}
		for _, u := range turns {
			text := u.Speaker + ": " + u.Text
			if u.Caption != "" {
				text += " [image: " + u.Caption + "]"
			}
			ids, texts = append(ids, u.ID), append(texts, text)
		}
	}
}

// readRecorded reads NumPy's float16 matrix and the key of each row.
func readRecorded(t *testing.T, dir string) func(key string) []float32 {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(dir, "locomo8.f16.npy"))
	if err != nil {
		t.Fatal(err)
	}
	keys, err := os.ReadFile(filepath.Join(dir, "locomo8.keys.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	data := b[10+int(binary.LittleEndian.Uint16(b[8:])):]
	rows := map[string]int{}
	n := 0
	for line := range strings.Lines(string(keys)) {
		var k struct {
			Key string `json:"key"`
		}
		if err := codec.Unmarshal([]byte(line), &k); err != nil {
			t.Fatal(err)
		}
		rows[k.Key] = n
		n++
	}
	if len(data) != n*384*2 {
		t.Fatalf("%d bytes of vectors for %d keys", len(data), n)
	}
	return func(key string) []float32 {
		row, ok := rows[key]
		if !ok {
			t.Fatalf("no vector of %s", key)
		}
		v := make([]float32, 384)
		for i := range v {
			v[i] = half(binary.LittleEndian.Uint16(data[(row*384+i)*2:]))
		}
		return v
	}
}

// half reads a binary16 number.
func half(h uint16) float32 {
	sign, exp, frac := 1.0, int(h>>10&31), float64(h&1023)
	if h>>15 == 1 {
		sign = -1
	}
	if exp == 0 {
		return float32(sign * math.Ldexp(frac, -24))
	}
	return float32(sign * math.Ldexp(1024+frac, exp-25))
}

func decimals(x float64) string { return strconv.FormatFloat(x, 'f', 3, 64) }
