package baseline_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"membench/llm"
	"membench/llm/hashing"
	"membench/llm/llmtest"
	"membench/memory"
	"membench/memory/all"
	"membench/memory/memorytest"
	"membench/memory/op"
	"membench/schema"
)

// scripted gives answers by purpose; what it has none for is usable's.
func scripted(answers map[string]string) llm.Generator {
	return llmtest.Func(func(r llm.Request) (string, error) {
		if a, ok := answers[r.Purpose]; ok {
			return a, nil
		}
		return usable(r)
	})
}

func modes(t *testing.T, name, options string, d memory.Deps, test func(mode string, m memory.Memory)) {
	t.Helper()
	for _, mode := range []string{"fixed", "faithful"} {
		o := `{"mode":"` + mode + `"`
		if options != "" {
			o += "," + options
		}
		test(mode, open(t, name, o+"}", d))
	}
}

// talk stores turns as sessions of their own, two texts an exchange: the user's and "".
func talk(t *testing.T, m memory.Memory, sessions ...[]string) {
	t.Helper()
	n := 0
	for i, texts := range sessions {
		b := memorytest.Batch("c")
		b.Session, b.Key = fmt.Sprint("s", i), fmt.Sprint(i)
		for _, text := range texts {
			n++
			b.Turns = append(b.Turns, memorytest.Turn("c", n, "user", text))
		}
		if _, err := m.Ingest(context.Background(), b); err != nil {
			t.Fatal(err)
		}
		if _, err := memory.Finish(context.Background(), m, b.Session); err != nil {
			t.Fatal(err)
		}
	}
}

func count(t *testing.T, m memory.Memory, is func(memory.Item) bool) (n int) {
	t.Helper()
	for _, it := range items(t, m) {
		if is(it) {
			n++
		}
	}
	return n
}

func expect(t *testing.T, mode, what string, have any, want map[string]any) {
	t.Helper()
	if fmt.Sprint(have) != fmt.Sprint(want[mode]) {
		t.Errorf("%s, %s: have %v, want %v", mode, what, have, want[mode])
	}
}

func texts(r memory.Retrieved) string {
	var out []string
	for _, h := range r.Hits {
		out = append(out, h.Text)
	}
	return strings.Join(out, "\n")
}

// TestModesGallery: where the systems of Mem-Gallery do something wrong, faithful does it.
func TestModesGallery(t *testing.T) {
	modes(t, "RFMemory", `"max_tokens":60`, memory.Deps{}, func(mode string, m memory.Memory) {
		talk(t, m, []string{"My tortoise Bo lives on the balcony."}, []string{"We painted the kitchen blue."}, []string{strings.Repeat("soup and bread ", 20)})
		expect(t, mode, "insights", count(t, m, func(it memory.Item) bool { return it.Kind == "insight" }), map[string]any{"fixed": 3, "faithful": 1})
		expect(t, mode, "insight shown", strings.Contains(ask(t, m, "Bo", 5).Context, "(Insight)"), map[string]any{"fixed": true, "faithful": false})
	})
	modes(t, "MMFUMemory", `"max_images":1`, memory.Deps{}, func(mode string, m memory.Memory) {
		b := memorytest.Batch("c", memorytest.Turn("c", 1, "user", "The oldest words."))
		for i, caption := range []string{"a heron", "a canoe"} {
			turn := memorytest.Turn("c", i+2, "user", "Look.")
			turn.Attachments = []schema.Attachment{{Type: "image", ID: fmt.Sprint(i), Text: caption}}
			b.Turns = append(b.Turns, turn)
		}
		m.Ingest(context.Background(), b)
		memory.Finish(context.Background(), m, b.Session)
		found := ask(t, m, "anything", 5).Context
		expect(t, mode, "heron, canoe, oldest", fmt.Sprint(strings.Contains(found, "heron"), strings.Contains(found, "canoe"), strings.Contains(found, "oldest")), map[string]any{"fixed": "true true true", "faithful": "false true true"})
	})
	chain := []string{"red kite one", "blue soup two", "green boat three", "harbour lamp four", "harbour crane five", "harbour ferry six"}
	modes(t, "NGMemory", `"keep":-1,"edge":0.99`, memory.Deps{}, func(mode string, m memory.Memory) {
		talk(t, m, chain)
		found := texts(ask(t, m, "harbour lamp crane ferry", 10))
		expect(t, mode, "an older neighbour is reached", strings.Contains(found, "three"), map[string]any{"fixed": true, "faithful": false})
	})
	modes(t, "AUGUSTUSMemory", `"keep":2`, memory.Deps{}, func(mode string, m memory.Memory) {
		talk(t, m, chain)
		r := ask(t, m, "zz qq", 1) // no concept
		expect(t, mode, "a start without a concept counts 1", r.Hits[0].Score == 1, map[string]any{"fixed": false, "faithful": true})
	})
	g := scripted(map[string]string{op.PurposeRoute: `{"route":"I cannot know"}`})
	modes(t, "UniversalRAGMemory", "", memory.Deps{LLM: g}, func(mode string, m memory.Memory) {
		talk(t, m, chain)
		expect(t, mode, "hits", len(ask(t, m, "harbour", 2).Hits), map[string]any{"fixed": 2, "faithful": 0})
	})
}

// TestModesFacts: the same of systems that keep facts.
func TestModesFacts(t *testing.T) {
	twice := [][]string{{"I planted nine apple trees."}, {"I planted nine apple trees."}}
	modes(t, "simplemem", "", memory.Deps{}, func(mode string, m memory.Memory) {
		talk(t, m, twice...)
		expect(t, mode, "entries", len(items(t, m)), map[string]any{"fixed": 1, "faithful": 2})
		expect(t, mode, "the first hit's score is its rank", ask(t, m, "apple trees", 2).Hits[0].Score == 1, map[string]any{"fixed": false, "faithful": true})
	})
	modes(t, "omni-simplemem", "", memory.Deps{}, func(mode string, m memory.Memory) {
		talk(t, m, []string{"Soup."}, []string{"I planted nine apple trees near Porto."}, []string{"I planted nine apple trees near Porto."})
		expect(t, mode, "units and turns behind them", fmt.Sprint(len(items(t, m)), count(t, m, func(it memory.Item) bool { return len(it.Sources) == 2 })), map[string]any{"fixed": "2 1", "faithful": "1 0"})
		expect(t, mode, "asked to see", len(ask(t, m, "show me a picture of trees", 5).Hits) > 0, map[string]any{"fixed": true, "faithful": false})
	})
	update := scripted(map[string]string{"facts": `{"facts":["I live in Porto"]}`, "update": `{"memory":[{"id":"0","text":"I live in Porto","event":"UPDATE"}]}`})
	modes(t, "mem0-published", "", memory.Deps{LLM: update}, func(mode string, m memory.Memory) {
		first := scripted(map[string]string{"facts": `{"facts":["I live in Ghent"]}`, "update": `{"memory":[{"id":"9","text":"I live in Ghent","event":"ADD"}]}`})
		n := 0
		m = open(t, "mem0-published", `{"mode":"`+mode+`"}`, memory.Deps{LLM: llmtest.Func(func(r llm.Request) (string, error) {
			if n++; n <= 2 {
				return first.(llmtest.Func)(r)
			}
			return update.(llmtest.Func)(r)
		})})
		talk(t, m, []string{"I live in Ghent"}, []string{"I live in Porto"})
		all := items(t, m)
		if len(all) != 1 || all[0].Text != "I live in Porto" {
			t.Fatalf("%s: have %v, want one fact, updated", mode, all)
		}
		expect(t, mode, "turns behind it", len(all[0].Sources), map[string]any{"fixed": 2, "faithful": 1})
	})
	modes(t, "mem0-published", "", memory.Deps{}, func(mode string, m memory.Memory) {
		b := memorytest.Batch("c", memorytest.Turn("c", 1, "user", "I like tea."), memorytest.Turn("c", 2, "assistant", "The harbour bakery opens at seven."))
		m.Ingest(context.Background(), b)
		memory.Finish(context.Background(), m, b.Session)
		expect(t, mode, "facts of both", len(items(t, m)), map[string]any{"fixed": 2, "faithful": 1})
	})
	modes(t, "mem0-v2", `"existing":1,"threshold":0.99`, memory.Deps{}, func(mode string, m memory.Memory) {
		talk(t, m, []string{"I planted nine apple trees.", "The harbour crane is old and rusty and loud and red and tall."}, []string{"The harbour crane is old and rusty and loud and red and thin. I planted nine apple trees."})
		expect(t, mode, "facts", len(items(t, m)), map[string]any{"fixed": 3, "faithful": 4})
		expect(t, mode, "found by words alone", len(ask(t, m, "apple", 5).Hits) > 0, map[string]any{"fixed": true, "faithful": false})
	})
	decide := scripted(map[string]string{op.PurposeDecide: `{"retrieve":false,"query":""}`})
	modes(t, "memu", "", memory.Deps{LLM: decide}, func(mode string, m memory.Memory) {
		talk(t, m, twice...)
		expect(t, mode, "items", count(t, m, func(it memory.Item) bool { return it.Kind == "event" }), map[string]any{"fixed": 1, "faithful": 2})
		expect(t, mode, "hits", len(ask(t, m, "trees", 5).Hits) > 0, map[string]any{"fixed": true, "faithful": false})
	})
	modes(t, "memoryos", `"short":1,"heat":1,"similar":0.01`, memory.Deps{LLM: scripted(nil)}, func(mode string, m memory.Memory) {
		talk(t, m, []string{"I planted trees."}, []string{"I planted trees again."}, []string{"I planted more trees."})
		expect(t, mode, "the same knowledge", count(t, m, func(it memory.Item) bool { return it.Kind == "knowledge" }), map[string]any{"fixed": 1, "faithful": 2})
	})
}

// TestModesGraphs: the same of systems with a graph.
func TestModesGraphs(t *testing.T) {
	modes(t, "hipporag", "", memory.Deps{}, func(mode string, m memory.Memory) {
		talk(t, m, []string{"我住在北京。"}, []string{"我喜欢普洱茶。"})
		named := count(t, m, func(it memory.Item) bool { return it.Kind == "fact" && strings.Contains(it.Text, "北京") })
		expect(t, mode, "facts with Chinese names", named > 0, map[string]any{"fixed": true, "faithful": false})
	})
	n := 0
	g := llmtest.Func(func(r llm.Request) (string, error) {
		switch r.Purpose {
		case op.PurposeThings:
			return `{"things":["Ines","Ghent","Porto"]}`, nil
		case op.PurposeEdges:
			n++
			town := []string{"Ghent", "Porto"}[(n-1)%2]
			return `{"facts":[{"source":"Ines","target":"` + town + `","relation":"LIVES_IN","fact":"Ines lives in ` + town + `"}]}`, nil
		case op.PurposeCompare:
			return `{"same":[],"contradicted":[1]}`, nil
		}
		return usable(r)
	})
	modes(t, "graphiti-native", "", memory.Deps{LLM: g}, func(mode string, m memory.Memory) {
		n = 0
		talk(t, m, []string{"Ines lives in Ghent."}, []string{"Ines lives in Porto."})
		ended := count(t, m, func(it memory.Item) bool { return it.Kind == "edge" && it.Status == memory.StatusInvalid })
		expect(t, mode, "facts that ended without a time", ended, map[string]any{"fixed": 1, "faithful": 0})
		expect(t, mode, "the old one is found", strings.Contains(texts(ask(t, m, "Where does Ines live?", 5)), "Ghent"), map[string]any{"fixed": false, "faithful": true})
	})
	modes(t, "memverse-lite", "", memory.Deps{LLM: scripted(map[string]string{op.PurposeRelations: `{"relations":[{"source":"Ines","relation":"tends","destination":"hives"}]}`})}, func(mode string, m memory.Memory) {
		talk(t, m, []string{"My sister Ines keeps bees."})
		expect(t, mode, "a relation is found", strings.Contains(texts(ask(t, m, "Ines bees", 10)), "Ines tends hives"), map[string]any{"fixed": true, "faithful": false})
	})
	graph := scripted(map[string]string{op.PurposeThings: `{"things":["Ines"]}`, op.PurposeRelations: `{"relations":[{"source":"Ines","relation":"takes care of","destination":"old bees"},{"source":"Ines","relation":"lives in","destination":"north porto"},{"source":"Ines","relation":"likes","destination":"red kites"}]}`, op.PurposeOutdated: `{"relations":[]}`})
	modes(t, "mem0-graph", `"triples":1`, memory.Deps{LLM: graph}, func(mode string, m memory.Memory) {
		talk(t, m, []string{"Ines keeps old bees and lives in north Porto."})
		expect(t, mode, "the relation with the question's words is first", strings.Contains(texts(ask(t, m, "who cares for bees", 10)), "old_bees"), map[string]any{"fixed": true, "faithful": false})
	})
}

// TestImages: an image is found by its vector where there is one, and one that nothing is
// known of is counted.
func TestImages(t *testing.T) {
	v, _ := hashing.New(0).Embed(context.Background(), []string{"a heron beside a red canoe"})
	line := `{"id":"img_7","vector":` + strings.ReplaceAll(fmt.Sprint(v[0]), " ", ",") + "}\n"
	file := filepath.Join(t.TempDir(), "images.jsonl")
	if err := os.WriteFile(file, []byte(line), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"MMMemory", "NGMemory", "AUGUSTUSMemory", "UniversalRAGMemory", "omni-simplemem"} {
		for _, vectors := range []bool{true, false} {
			options := ""
			if vectors {
				options = `{"image_vectors":"` + file + `"}`
			}
			m := open(t, name, options, memory.Deps{})
			b := memorytest.Batch("c", memorytest.Turn("c", 1, "user", "We had soup with bread at home."), memorytest.Turn("c", 2, "user", "Here you go, from the weekend."), memorytest.Turn("c", 3, "user", "It rained on the roof all day."))
			b.Turns[1].Attachments = []schema.Attachment{{Type: "image", ID: "img_7"}}
			r, err := m.Ingest(context.Background(), b)
			if err != nil {
				t.Fatal(err)
			}
			last, _ := memory.Finish(context.Background(), m, b.Session)
			unknown := slices.ContainsFunc(append(r.Degraded, last.Degraded...), func(n memory.Note) bool { return strings.Contains(n.Why, `"img_7"`) })
			if unknown == vectors {
				t.Errorf("%s, vectors %t: the image is counted as unknown: %t", name, vectors, unknown)
			}
			if got := ask(t, m, "a picture of a heron and a canoe", 1); vectors && (len(got.Hits) == 0 || !strings.Contains(got.Hits[0].Text, "weekend")) {
				t.Errorf("%s: have %q, want the entry with the image", name, texts(got))
			}
		}
	}
	for _, bad := range []string{`{"id":"x"}`, `{"vector":[1]}`, "x"} {
		os.WriteFile(file, []byte(bad+"\n"), 0o600)
		spec, _ := all.Lookup("MMMemory")
		if _, err := spec.Open(memory.Deps{}, []byte(`{"image_vectors":"`+file+`"}`)); err == nil || !strings.Contains(err.Error(), ":1: ") {
			t.Errorf("%s: have %v, want an error with the line", bad, err)
		}
	}
}

// TestCalls: what systems say that they ask a model and embed, and do, is what the published
// ones do (facts/systems-native.md §0.6); the ledger of TestContract counts. What the
// table has once more for the answer is the reader's, and a text that it has embedded or
// asked twice is embedded and asked once here.
func TestCalls(t *testing.T) {
	for name, want := range map[string]string{ // model calls a unit, session, question; embedded texts of the same
		"FUMemory":           "0 0 0, 0 0 0",
		"full-context":       "0 0 0, 0 0 0",
		"MMFUMemory":         "0 0 0, 0 0 0",
		"STMemory":           "0 0 0, 0 0 0",
		"LTMemory":           "0 0 0, 1 0 1",
		"embedding-only":     "0 0 0, 1 0 1",
		"MMMemory":           "0 0 0, 1 0 1",
		"simple-rag":         "0 0 0, 1 and more 0 1",
		"GAMemory":           "1 0–5 0, 1 0–6 1",
		"MGMemory":           "0–1 0 1, 0 and more 0 0–2",
		"RFMemory":           "0 1 0, 0 0 0",
		"NGMemory":           "0 0 0, 1 0 1",
		"AUGUSTUSMemory":     "1 0 1, 1 0 1",
		"UniversalRAGMemory": "0 0 1, 1–2 0 0–1",
		"amem":               "2 0 1, 2–7 0 1",
		"amem-product":       "1–2 0 0, 1 0 1",
		"memoryos":           "0–5 0 0, 0–203 0 1",
		"simplemem":          "0–1 0–1 4–7, 0 and more 0 and more 1–12",
		"omni-simplemem":     "0–1 0 0, 0–1 0 1",
		"mem0-published":     "1–2 0 0, 0 and more 0 1",
		"mem0-graph":         "4–5 0 1, 0 and more 0 1 and more",
		"mem0-v2":            "1 0 0, 1 and more 0 1–9",
		"hipporag":           "2 0 0–1, 1 and more 0 1",
		"graphiti-native":    "2 and more 0 0, 1 and more 0 1",
		"zep-like":           "2 and more 0 0, 1 and more 0 1",
		"memu":               "0 2–12 1–3, 0 0 and more 0–2",
		"memu-v2":            "0 0 0, 0 and more 0 1",
		"memverse-lite":      "3 0 1, 1 and more 0 1–3",
		"memgpt":             "1–4 0 1–4, 1 and more 0 0–40",
		"pcm":                "0–3 0 1, 1 and more 0 1",
		"qarp":               "0 0 1–2, 1 0 1–1028",
		"adaptive-rag":       "0 0 1–3, 1 0 1–1027",
	} {
		spec, err := all.Lookup(name)
		if err != nil {
			t.Fatal(err)
		}
		s, err := spec.Open(memory.Deps{LLM: scripted(nil)}, nil)
		if err != nil {
			t.Fatal(err)
		}
		c := memory.CapabilitiesOf(s).Calls
		have := fmt.Sprintf("%s %s %s, %s %s %s", span(c.LLMPerUnit), span(c.LLMPerSession), span(c.LLMPerQuery), span(c.EmbedPerUnit), span(c.EmbedPerSession), span(c.EmbedPerQuery))
		if have != want {
			t.Errorf("%s: have %s, want %s", name, have, want)
		}
	}
}

// TestFallbacks: whatever a model answers to a question's own calls, the rule does the
// work, and the answer says so.
func TestFallbacks(t *testing.T) {
	for what, answer := range map[string]string{"garbage": "} no {", "empty": "", "refusal": "I cannot help with that.", "truncated": `{"items": ["a`, "another shape": `[1,2]`} {
		broken := llmtest.Func(func(llm.Request) (string, error) { return answer, nil })
		for _, name := range []string{"AUGUSTUSMemory", "UniversalRAGMemory", "simplemem", "mem0-graph", "hipporag", "memgpt", "memu", "memverse-lite"} {
			m := open(t, name, "", memory.Deps{LLM: broken})
			talk(t, m, []string{"My sister Ines keeps bees on the roof.", "I moved to Porto and planted nine apple trees."})
			r, err := m.Retrieve(context.Background(), memory.Query{Text: "Where does Ines keep bees?", K: 5})
			if err != nil || len(r.Hits) == 0 || len(r.Degraded) == 0 {
				t.Errorf("%s, %s: %d hits, degraded %q (%v): want hits by rule, and a word of it", name, what, len(r.Hits), r.Degraded, err)
			}
		}
	}
}

// TestMemGPTIsBounded: an agent that never stops is stopped.
func TestMemGPTIsBounded(t *testing.T) {
	calls := 0
	m := open(t, "memgpt", `{"steps":3,"block":30}`, memory.Deps{LLM: llmtest.Func(func(llm.Request) (string, error) {
		calls++
		return `{"calls":[{"name":"core_memory_append","block":"human","text":"likes long walks at dawn"},{"name":"conversation_search","query":"walks","page":0}]}`, nil
	})})
	talk(t, m, []string{"I like long walks at dawn."})
	if calls != 3 {
		t.Errorf("storing: %d calls, want 3", calls)
	}
	core, archive := 0, 0
	for _, it := range items(t, m) {
		switch it.Kind {
		case "block":
			core = len(it.Text)
		case "fact":
			archive++
		}
	}
	if core == 0 || core > 30 || archive != 2 {
		t.Errorf("core memory of %d characters, %d in the archive: want at most 30, and what has no room archived", core, archive)
	}
	calls = 0
	if ask(t, m, "walks?", 3); calls != 3 {
		t.Errorf("asking: %d calls, want 3", calls)
	}
}

// TestOmniKeepsWhatDiffers: a turn that is like one before and says another number is no repeat of it.
func TestOmniKeepsWhatDiffers(t *testing.T) {
	m := open(t, "omni-simplemem", "", memory.Deps{})
	said := []string{"After lunch I planted nine apple trees near the old weir in Porto with Ana.", "After lunch I planted eleven apple trees near the old weir in Porto with Ana."}
	talk(t, m, said[:1], said[1:], said[:1])
	if n := len(items(t, m)); n != len(said) {
		t.Errorf("have %d units, want %d", n, len(said))
	}
	for _, text := range said {
		if count(t, m, func(it memory.Item) bool { return strings.Contains(it.Text, text) }) != 1 {
			t.Errorf("%q is not kept word for word", text)
		}
	}
}
