package claims

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"membench/internal/codec"
	"membench/llm"
	"membench/llm/llmtest"
	"membench/schema"
)

func memory(n int, conv, data string) schema.MemoryExport {
	var b schema.ObjectBuilder
	b.String("scene_id", "night_study")
	b.String("character_id", "lanxi")
	b.String("conv_id", conv)
	b.String("user_id", "lin")
	b.String("agent_id", "lanxi")
	b.String("data", data)
	b.String("hash", schema.Hash(data))
	b.String("created_at", fmt.Sprintf("2026-03-01T20:%02d:00+08:00", n))
	return schema.MemoryExport{ID: schema.PointID(fmt.Sprintf("point-%02d", n)), Payload: b.Object(), Collection: "c", Isolation: "global", ExportedAt: "2026-03-02T00:00:00Z"}
}

func seq(ms ...schema.MemoryExport) schema.Seq[schema.MemoryExport] {
	return func(yield func(schema.Record[schema.MemoryExport], error) bool) {
		for i, m := range ms {
			if !yield(schema.Record[schema.MemoryExport]{Pos: schema.Pos{File: "x", Line: i + 1}, V: m}, nil) {
				return
			}
		}
	}
}

var three = []schema.MemoryExport{
	memory(1, "ch01", "[User] 最喜欢的作家是汪曾祺"),
	memory(2, "ch01", "[Agent] 我是个慢性子"),
	memory(3, "ch02", "[User] I don't like olives."),
}

func extractAll(t *testing.T, o Options, ms ...schema.MemoryExport) (string, []Conversation) {
	t.Helper()
	o.Catalog = testCatalog
	var out []byte
	var cs []Conversation
	for c, err := range ByConversation(context.Background(), seq(ms...), o) {
		var f *schema.Finding
		if err != nil && !errors.As(err, &f) {
			t.Fatal(err)
		}
		cs = append(cs, c)
		for _, s := range c.Statements {
			line, err := encodeStatement(s, schema.Latest)
			if err != nil {
				t.Fatal(err)
			}
			out = append(append(out, line...), '\n')
		}
	}
	return string(out), cs
}

func TestRule(t *testing.T) {
	out, _ := extractAll(t, Options{}, three...)
	for _, want := range []string{
		`"claim_id":"claim:PREFERS_AUTHOR|reading|user:lin|author:汪曾祺"`, `"rank":1`,
		`"claim_id":"claim:SELF_TRAIT|writing|agent:lanxi|tag:慢性子"`,
		`"claim_id":"claim:DISLIKES_TOPIC|daily|user:lin|topic:olives"`,
		`{"memory_item_id":"mem:` + schema.Hash("[User] I don't like olives.") + `","point_id":"point-03","conv_id":"ch02","scene_id":"night_study","created_at":"2026-03-01T20:03:00+08:00","text":"[User] I don't like olives."}`,
		`"by":"rule"`,
	} {
		if !strings.Contains(out, want) {
			t.Errorf("no %s in\n%s", want, out)
		}
	}
	v1 := Options{Version: schema.V001}
	out, _ = extractAll(t, v1, three...)
	if strings.Contains(out, "DISLIKES") {
		t.Error("0.0.1 has no denials")
	}
}

// answerOf turns what the rules said into a model's answer.
// Conversations that are read at once come out as when read one by one.
func TestRuleWorkers(t *testing.T) {
	var ms []schema.MemoryExport
	for i := range 60 {
		ms = append(ms, memory(i, fmt.Sprintf("ch%02d", i%20), []string{"[User] 最喜欢的作家是汪曾祺", "[Agent] 我是个慢性子", "[User] I don't like olives."}[i%3]))
	}
	want, cs := extractAll(t, Options{Workers: 1}, ms...)
	if got, gs := extractAll(t, Options{Workers: 4}, ms...); got != want || len(gs) != len(cs) || len(cs) != 20 {
		t.Errorf("4 workers, %d conversations:\nhave %s\nwant %s", len(gs), got, want)
	}
}

func answerOf(t *testing.T, ms []schema.MemoryExport) string {
	out, _ := extractAll(t, Options{}, ms...)
	return strings.ReplaceAll(out, `,"by":"rule"`, "")
}

// A model that says what the rules say gives the same records, but for its name.
func TestModelEqualsRule(t *testing.T) {
	want, _ := extractAll(t, Options{}, three...)
	g := llmtest.NewScript(answerOf(t, three[:2]), answerOf(t, three[2:]))
	got, cs := extractAll(t, Options{Extractor: Model(g, llm.Prompts{}, testCatalog, schema.Latest, nil)}, three...)
	if got = strings.ReplaceAll(got, `"by":"scripted"`, `"by":"rule"`); got != want {
		t.Errorf("have\n%s\nwant\n%s", got, want)
	}
	if cs[0].Usage.Calls != 1 || cs[0].Asked != 2 {
		t.Errorf("have %+v", cs[0])
	}
}

func TestModelAnswers(t *testing.T) {
	good := answerOf(t, three[:2])
	lines := strings.Split(strings.TrimSpace(good), "\n")
	bad := `{"record_type":"claim","predicate":"LOVES","subject":{"entity_type":"User","entity_id":"user:lin"},"object":{"entity_type":"Topic","entity_id":"topic:x"},"domain":"daily","confidence":0.9,"status":"active","rank":null,"evidence":[{"point_id":"point-01"}]}`
	invented := strings.Replace(lines[len(lines)-1], `"point_id":"point-02"`, `"point_id":"point-99"`, 1)
	misquoted := strings.Replace(lines[len(lines)-1], `"text":"[Agent] `, `"text":"[Agent] 他说`, 1)
	for name, tc := range map[string]struct {
		answers  []llmtest.Answer
		rejected int
		calls    int
		claims   int
		failed   bool
	}{
		"good":               {[]llmtest.Answer{{Text: good}}, 0, 1, 2, false},
		"fenced":             {[]llmtest.Answer{{Text: "Here you are:\n```json\n" + good + "```\nThat is all."}}, 0, 1, 2, false},
		"array":              {[]llmtest.Answer{{Text: "[\n" + strings.Join(lines, ",\n") + "\n]"}}, 0, 1, 2, false},
		"nothing to say":     {[]llmtest.Answer{{Text: `{"record_type":"none"}`}}, 0, 1, 0, false},
		"an empty list":      {[]llmtest.Answer{{Text: "[]"}}, 0, 1, 0, false},
		"empty":              {[]llmtest.Answer{{Text: ""}}, 0, 1, 0, true},
		"bad then mended":    {[]llmtest.Answer{{Text: good + bad}, {Text: `{"record_type":"none"}`}}, 0, 2, 2, false},
		"cut at once":        {[]llmtest.Answer{{Text: "", Truncated: true}, {Text: lines[0][:9], Truncated: true}, {Text: good}}, 0, 3, 2, false},
		"cut for ever":       {[]llmtest.Answer{{Text: "", Truncated: true}, {Text: "", Truncated: true}, {Text: "{", Truncated: true}}, 0, 3, 0, true},
		"cut after the good": {[]llmtest.Answer{{Text: good + "{", Truncated: true}, {Text: "", Truncated: true}, {Text: "", Truncated: true}, {Text: "", Truncated: true}}, 0, 4, 2, true},
		"bad for ever":       {[]llmtest.Answer{{Text: good + bad}, {Text: bad}, {Text: bad}}, 1, 3, 2, false},
		"invented evidence":  {[]llmtest.Answer{{Text: invented}, {Text: invented}, {Text: invented}}, 1, 3, 0, true},
		"misquoted evidence": {[]llmtest.Answer{{Text: good + misquoted}, {Text: misquoted}, {Text: misquoted}}, 1, 3, 2, false},
		"truncated":          {[]llmtest.Answer{{Text: strings.Join(lines[:len(lines)-1], "\n") + "\n" + lines[len(lines)-1][:40], Truncated: true}, {Text: lines[len(lines)-1]}}, 0, 2, 2, false},
		"prose":              {[]llmtest.Answer{{Text: "I found nothing."}, {Text: "Really."}, {Text: "No."}}, 1, 3, 0, true},
		"prose then lines":   {[]llmtest.Answer{{Text: "Sure, I will do that."}, {Text: good}}, 0, 2, 2, false},
		"call fails":         {[]llmtest.Answer{{Err: errors.New("503")}}, 0, 0, 0, true},
		"dropped":            {[]llmtest.Answer{{Text: strings.Replace(bad, "LOVES", "AUTHOR_WROTE_WORK", 1)}}, 0, 1, 0, false},
		"low confidence":     {[]llmtest.Answer{{Text: regexp.MustCompile(`"confidence":[0-9.]+`).ReplaceAllString(lines[len(lines)-1], `"confidence":0.5`)}}, 0, 1, 0, false},
	} {
		t.Run(name, func(t *testing.T) {
			g := llmtest.NewScript().Then(tc.answers...)
			cache := mapCache{}
			_, cs := extractAll(t, Options{Extractor: Model(g, llm.Prompts{}, testCatalog, schema.Latest, nil), Cache: cache}, three[:2]...)
			c := cs[0]
			n := 0
			for _, s := range c.Statements {
				if s.Claim != nil {
					n++
				}
			}
			if len(c.Rejected) != tc.rejected || c.Usage.Calls != tc.calls || n != tc.claims || (len(c.Findings) > 0) != tc.failed {
				t.Errorf("have %d rejected %d calls %d claims %v, want %+v\n%+v", len(c.Rejected), c.Usage.Calls, n, c.Findings, tc, c.Rejected)
			}
			// A second run asks about nothing that was answered, and says the same.
			again := llmtest.NewScript()
			_, cs2 := extractAll(t, Options{Extractor: Model(again, llm.Prompts{}, testCatalog, schema.Latest, nil), Cache: cache}, three[:2]...)
			if !tc.failed && (cs2[0].Asked != 0 || len(cs2[0].Rejected) != tc.rejected || len(cs2[0].Statements) != len(c.Statements)) {
				t.Errorf("second run: asked %d, %d rejected, %d statements", cs2[0].Asked, len(cs2[0].Rejected), len(cs2[0].Statements))
			}
			if tc.failed && cs2[0].Asked != 2 {
				t.Errorf("second run asked about %d memories, want 2", cs2[0].Asked)
			}
		})
	}
}

type mapCache map[string][]byte

func (m mapCache) Get(k string) ([]byte, bool)      { v, ok := m[k]; return v, ok }
func (m mapCache) Put(k string, value []byte) error { m[k] = slices.Clone(value); return nil }

// New memories of a known conversation are asked about, known ones are not, and those
// that are gone leave nothing behind.
func TestIncremental(t *testing.T) {
	cache := mapCache{}
	asked := 0
	g := llmtest.Func(func(r llm.Request) (string, error) {
		var out []string
		for _, m := range three {
			raw, _ := m.Payload.Get("data")
			if strings.Contains(r.Prompt, string(raw)) {
				asked++
				out = append(out, answerOf(t, []schema.MemoryExport{m}))
			}
		}
		return strings.Join(out, ""), nil
	})
	o := Options{Extractor: Model(g, llm.Prompts{}, testCatalog, schema.Latest, nil), Cache: cache}
	more := memory(4, "ch01", three[2].Payload.Text("data"))
	extractAll(t, o, three[0])
	both, cs := extractAll(t, o, three[1], three[0])
	if asked != 2 || cs[0].Asked != 1 {
		t.Errorf("asked %d times, %d in the second run; want 2 and 1", asked, cs[0].Asked)
	}
	fresh, _ := extractAll(t, Options{Extractor: o.Extractor}, three[0], three[1])
	if both != fresh {
		t.Errorf("incremental\n%s\nfresh\n%s", both, fresh)
	}
	less, _ := extractAll(t, o, three[1])
	if strings.Contains(less, "汪曾祺") {
		t.Error("a memory that is gone left a claim")
	}
	if _, cs := extractAll(t, o, three[0], three[1], three[2], more); cs[0].Asked+cs[1].Asked != 1 {
		t.Error("one text at two points was asked about twice")
	}
}

func TestChunks(t *testing.T) {
	var ms []Memory
	for i := range 65 {
		ms = append(ms, Memory{Point: schema.PointID(fmt.Sprint(i)), Fields: schema.PayloadFields{Data: strings.Repeat("字", 1+i)}})
	}
	o := Options{MaxItems: MaxItems, MaxChars: MaxChars}.withDefaults()
	o.MaxItems, o.MaxChars = MaxItems, MaxChars
	todo := func(ms []Memory, leave ...int) map[string]bool {
		out := map[string]bool{}
		for i, m := range ms {
			if !slices.Contains(leave, i) {
				out[workKey(o, m)] = true
			}
		}
		return out
	}
	cs := chunksOf(ms, todo(ms), o)
	if len(cs) != 3 || len(cs[0].Memories) != 30 {
		t.Errorf("have %d chunks", len(cs))
	}
	// What is left of a chunk stands behind those that are whole.
	cs = chunksOf(ms, todo(ms, 3, 64), o)
	if len(cs) != 3 || cs[0].Memories[0].Point != "30" || len(cs[1].Memories) != 30 || cs[1].Memories[29].Point != "60" || len(cs[2].Memories) != 3 {
		t.Errorf("have %d chunks: %+v", len(cs), cs)
	}
	ms[3].Fields.Data = strings.Repeat("字", 30_000)
	if cs := chunksOf(ms[:5], todo(ms[:5]), o); len(cs) != 3 || len(cs[1].Memories) != 1 {
		t.Errorf("have %d chunks, want the long text alone", len(cs))
	}
}

// TestModelWorkers: 64 workers keep 64 calls under way over many small conversations, and
// the output is that of one worker.
func TestModelWorkers(t *testing.T) {
	var ms []schema.MemoryExport
	for i := range 4000 {
		ms = append(ms, memory(i, fmt.Sprintf("ch%04d", i), "[User] I don't like olives."))
	}
	run := func(workers int) (string, *llmtest.Gate) {
		g := llmtest.NewGate(workers, func(llm.Request) string { return `{"record_type":"none"}` }, func(r llm.Request) int { return 1 + len(r.Prompt)%7*3 })
		out, cs := extractAll(t, Options{Extractor: Model(g, llm.Prompts{}, testCatalog, schema.Latest, nil), Workers: workers}, ms...)
		if len(cs) != len(ms) {
			t.Fatalf("%d conversations", len(cs))
		}
		return out, g
	}
	out, g := run(64)
	if kept, calls := g.Kept(); calls != len(ms) || kept < 0.95*64 {
		t.Errorf("%d calls, %.1f of 64 under way", calls, kept)
	}
	if one, _ := run(1); out != one {
		t.Error("64 workers give another output than one")
	}
}

func TestBadMemories(t *testing.T) {
	null := memory(5, "ch01", "x")
	if err := codec.Unmarshal([]byte(`{"id":"p","payload":null,"collection":"c","isolation":"global","exported_at":"t"}`), &null); err != nil {
		t.Fatal(err)
	}
	noText := memory(6, "ch01", " ")
	nobody := three[0]
	nobody.Payload = nobody.Payload.Without("user_id", "agent_id", "character_id")
	_, cs := extractAll(t, Options{}, null, noText, nobody, three[0])
	if len(cs) != 4 {
		t.Errorf("have %d, want three findings and a conversation", len(cs))
	}
}

func TestSpeaker(t *testing.T) {
	for _, tc := range []struct {
		data, typ, id, infer, want string
	}{
		{"[User] x", "", "", "", "user:lin"},
		{"[Agent] x", "", "", "", "agent:lanxi"},
		{"x", "", "", "", "agent:lanxi"},
		{"[User] x", "Agent", "lanxi", "fallback", "user:lin"},
		{"[Agent] x", "User", "maya", "explicit", "user:maya"},
		{"x", "User", "lin", "matched_event", "user:lin"},
	} {
		m := memory(1, "c", tc.data)
		for k, v := range map[string]string{"owner_type": tc.typ, "owner_id": tc.id, "owner_infer": tc.infer} {
			if v != "" {
				m.Payload, _ = m.Payload.With(k, v)
			}
		}
		f, err := m.Fields()
		if err != nil {
			t.Fatal(err)
		}
		if s, _, _ := speakerOf(m, f, Options{Version: schema.Latest}); string(s.ID) != tc.want {
			t.Errorf("%+v: have %s", tc, s.ID)
		}
	}
}

func TestTagName(t *testing.T) {
	for in, want := range map[string]string{
		"读起来不够有趣": "不够有趣", "写作不够诚实": "不够诚实", "可能性": "可能性", "比较文学": "比较文学", "写作": "写作", "可能 有点 笨": "笨", "“BGM”": "BGM", "写作瓶颈": "写作瓶颈", "觉得自认为有点固执": "固执",
	} {
		if want == "笨" {
			want = "有点 笨" // one character does not remain alone
		}
		if got := TagName(in); got != want {
			t.Errorf("%q: have %q, want %q", in, got, want)
		}
	}
}

func TestCandidates(t *testing.T) {
	reg := Registry{Tags: []TagCount{{ID: "tag:不够有趣", Name: "不够有趣", Count: 2}, {ID: "tag:BGM", Name: "BGM", Count: 1}, {ID: "tag:无关", Name: "完全无关", Count: 9}}}
	got := NewTags(reg).Candidates(Chunk{Memories: []Memory{{Text: "写得不够有趣，ｂｇｍ 也吵"}}})
	if !slices.Equal(got, []string{"不够有趣", "BGM"}) {
		t.Errorf("have %v", got)
	}
}

func TestNatural(t *testing.T) {
	in := []string{"ch100", "ch2", "ch11", "ch02", "a"}
	slices.SortFunc(in, Natural)
	if want := []string{"a", "ch02", "ch2", "ch11", "ch100"}; !slices.Equal(in, want) {
		t.Errorf("have %v, want %v", in, want)
	}
}

func FuzzAnswer(f *testing.F) {
	for _, s := range llmtest.RealAnswers() {
		f.Add(s, true)
	}
	f.Add("```\n{\"record_type\":\"claim\"}\n```", true)
	f.Add(`[{"record_type":"entity","entity_type":"Tag","entity_id":"tag:x","props":{"name":"x"},"confidence":1}]`, false)
	ms := make([]Memory, 0, 2)
	for r, err := range seq(three[:2]...) {
		if err != nil {
			f.Fatal(err)
		}
		m, err := memoryOf(r, Options{Version: schema.Latest})
		if err != nil {
			f.Fatal(err)
		}
		ms = append(ms, m)
	}
	f.Fuzz(func(t *testing.T, text string, cut bool) {
		for _, v := range schema.Versions() {
			p := answerParser{cat: testCatalog, v: v, mint: schema.Mint{V: v}, chunk: Chunk{Memories: ms}, by: "m"}
			got := p.parse(text, cut)
			m := NewMerger(testCatalog, v)
			for _, s := range p.complete(got.statements) {
				if s.Claim != nil {
					if id, f := claimID(schema.Mint{V: v}, s.Claim); f != nil || id == "" {
						t.Errorf("claim id %q does not match that of its parts", s.Claim.ID)
					}
					if len(s.Claim.Evidence) == 0 {
						t.Error("a claim without evidence")
					}
				}
				m.fold(s, schema.Pos{})
			}
			for _, s := range m.All() {
				if _, err := encodeStatement(s, v); err != nil {
					t.Error(err)
				}
			}
		}
	})
}

// encodeStatement is the line of a statement, without its end.
func encodeStatement(s schema.Statement, v schema.Version) ([]byte, error) {
	return codec.Append(nil, s.At(v), codec.Compact)
}

// A memory that is too long for the rules is read in part, and that is a warning: the record is taken.
func TestLongMemory(t *testing.T) {
	long := memory(7, "ch01", "[User] I don't like olives. "+strings.Repeat("word ", 5000))
	_, cs := extractAll(t, Options{}, long)
	c := cs[len(cs)-1]
	if len(c.Rejected) > 0 || len(c.Findings) != 1 || c.Findings[0].Code != "CLM112" || !c.Findings[0].Warning || len(c.Statements) == 0 {
		t.Errorf("have %d rejected, findings %v, %d statements, want one warning CLM112 and the claim at the beginning", len(c.Rejected), c.Findings, len(c.Statements))
	}
}
