package baseline_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"membench/llm"
	"membench/llm/llmtest"
	"membench/memory"
	"membench/memory/memorytest"
	"membench/memory/op"
	"membench/schema"
)

// alike embeds every text as the same vector: what then tells entries apart is no cosine.
type alike struct{}

func (alike) Profile() string { return "alike" }
func (alike) Embed(_ context.Context, texts []string) ([][]float32, error) {
	out := make([][]float32, len(texts))
	for i := range out {
		out[i] = []float32{1, 0, 0, 0, 0, 0, 0, 0}
	}
	return out, nil
}

// inTurn gives the answers of a purpose one after another, the last again and again.
func inTurn(answers map[string][]string) llm.Generator {
	n := map[string]int{}
	return llmtest.Func(func(r llm.Request) (string, error) {
		all, ok := answers[r.Purpose]
		if !ok {
			return usable(r)
		}
		i := min(n[r.Purpose], len(all)-1)
		n[r.Purpose]++
		return all[i], nil
	})
}

func has(t *testing.T, m memory.Memory, is func(memory.Item) bool) bool { return count(t, m, is) > 0 }

// flaw is something that the reference marks as wrong in a published system and as changing
// results: what is told, and what the two modes then say.
type flaw struct {
	system, what, options string
	deps                  func() memory.Deps
	told                  [][]string // sessions of the user's turns
	have                  func(t *testing.T, m memory.Memory) any
	fixed, faithful       any
}

func model(answers map[string][]string) func() memory.Deps {
	return func() memory.Deps { return memory.Deps{LLM: inTurn(answers)} }
}

func hits(q string, k int) func(*testing.T, memory.Memory) any {
	return func(t *testing.T, m memory.Memory) any { return len(ask(t, m, q, k).Hits) }
}

func first(q, word string) func(*testing.T, memory.Memory) any {
	return func(t *testing.T, m memory.Memory) any {
		r := ask(t, m, q, 1)
		return len(r.Hits) > 0 && strings.Contains(r.Hits[0].Text, word)
	}
}

func stored(t *testing.T, m memory.Memory) any { return len(items(t, m)) }

var twelve = func() (out [][]string) {
	for i := range 12 {
		out = append(out, []string{fmt.Sprintf("Tree number %d of the orchard is %s.", i, strings.Repeat(string(rune('a'+i)), 6))})
	}
	return out
}()

var flaws = []flaw{
	{"MGMemory", "only the new text is held against the budget, not the queue", `"max_tokens":80`, nil, twelve,
		func(t *testing.T, m memory.Memory) any {
			return has(t, m, func(it memory.Item) bool { return it.Tier == "recall" })
		}, true, false},
	{"AUGUSTUSMemory", "one of the nearest that shares a concept falls below those that share none", `"keep":2`, nil, [][]string{{"red kite one"}, {"blue soup two"}, {"green boat three"}, {"harbour lamp four"}},
		first("harbour zebra", "harbour"), true, false},
	{"amem", "a note that was changed is not embedded again", "", model(map[string][]string{
		op.PurposeKeywords: {`{"items":["orchard"]}`},
		op.PurposeNote:     {`{"keywords":["walls"],"context":"Painting.","tags":["home"]}`, `{"keywords":["orchids"],"context":"Rain.","tags":["home"]}`},
		op.PurposeEvolve:   {`{"should_evolve":false}`, `{"should_evolve":true,"actions":["update_neighbor"],"new_tags_neighborhood":[["orchard"]]}`},
	}), [][]string{{"We painted the kitchen."}, {"It rained on the roof."}},
		first("orchard", "painted"), true, false},
	{"amem-product", "keywords, context and tags are never asked for", "", model(nil), [][]string{{"We painted the kitchen."}},
		func(t *testing.T, m memory.Memory) any {
			return has(t, m, func(it memory.Item) bool { return strings.Contains(it.Text, "keywords: ") })
		}, true, false},
	{"amem-product", "what changes on the nearest notes is written on the oldest", "", model(map[string][]string{
		op.PurposeNote:   {`{"keywords":["home"],"context":"Home."}`},
		op.PurposeEvolve: {`{"should_evolve":false}`, `{"should_evolve":true,"actions":["update_neighbor"],"new_tags_neighborhood":[["canoe"]]}`},
	}), [][]string{{"We painted the kitchen."}, {"A heron stood by the canoe."}, {"The heron left the canoe."}},
		func(t *testing.T, m memory.Memory) any {
			return has(t, m, func(it memory.Item) bool {
				return strings.Contains(it.Text, "stood") && strings.Contains(it.Text, "tags: canoe")
			})
		}, true, false},
	{"amem-product", "links never resolve", "", model(map[string][]string{
		op.PurposeEvolve: {`{"should_evolve":true,"actions":["strengthen"],"suggested_connections":[0],"tags_to_update":["home"]}`},
	}), [][]string{{"We painted the kitchen."}, {"It rained on the roof."}},
		func(t *testing.T, m memory.Memory) any {
			return has(t, m, func(it memory.Item) bool { return len(it.Links) > 0 })
		}, true, false},
	{"amem-product", "a hit shows a note as it was when stored", "", model(map[string][]string{
		op.PurposeEvolve: {`{"should_evolve":true,"actions":["update_neighbor"],"new_tags_neighborhood":[["canoe"]]}`},
	}), [][]string{{"We painted the kitchen."}, {"It rained on the roof."}}, first("painted the kitchen", "tags: canoe"), true, false},
	{"memoryos", "a new profile takes the old one's place, whatever that said", `"short":1,"heat":1,"similar":0.01`, model(map[string][]string{
		op.PurposeProfile: {`{"summary":"Keeps bees in Porto and paints boats."}`, `{"summary":"Likes green tea."}`},
	}), [][]string{{"I keep bees."}, {"I paint boats."}, {"I like tea."}},
		func(t *testing.T, m memory.Memory) any {
			return has(t, m, func(it memory.Item) bool { return it.Kind == "profile" && strings.Contains(it.Text, "bees") })
		}, true, false},
	{"simplemem", "all fields that are asked for must fit", `"semantic":1`, model(map[string][]string{
		op.PurposeEntries: {`{"entries":[{"text":"Ines keeps bees.","persons":["Ines"]},{"text":"Ines sold a boat.","persons":["Ines"]},{"text":"It rains.","persons":[]}]}`},
		op.PurposeAnalyse: {`{"keywords":["zebra"],"persons":["Ines"],"place":"Ghent"}`},
		op.PurposeQueries: {`{"items":["rains"]}`}, op.PurposeEnough: {`{"enough":true,"missing":[]}`},
	}), [][]string{{"Ines keeps bees and sold a boat. It rains."}}, hits("rains", 9), 3, 1},
	{"simplemem", "a time that is asked for is not understood", `"semantic":1`, model(map[string][]string{
		op.PurposeEntries: {`{"entries":[{"text":"Ines keeps bees.","time":"2025-03-02"},{"text":"It rains.","time":"2025-04-01"}]}`},
		op.PurposeAnalyse: {`{"keywords":["zebra"],"time":"2 March 2025"}`},
		op.PurposeQueries: {`{"items":["rains"]}`}, op.PurposeEnough: {`{"enough":true,"missing":[]}`},
	}), [][]string{{"Ines keeps bees. It rains."}}, hits("rains", 9), 2, 1},
	{"omni-simplemem", "the number of hits is the system's own", "", nil, twelve, hits("exactly which trees, in detail?", 9), 9, 5},
	{"omni-simplemem", "words never count in a search", "", func() memory.Deps { return memory.Deps{Embed: alike{}} }, [][]string{{"We painted the kitchen blue."}, {"A heron stood by the canoe."}},
		first("heron", "heron"), true, false},
	{"mem0-published", "a fact that is near another new one can be changed by this one", `"near":1`, model(map[string][]string{
		"facts":  {`{"facts":["I live in Ghent","My dog is called Rex"]}`, `{"facts":["I live in Porto","My dog is called Max"]}`},
		"update": {`{"memory":[{"id":"9","text":"I live in Ghent","event":"ADD"},{"id":"9","text":"My dog is called Rex","event":"ADD"}]}`, `{"memory":[{"id":"1","text":"I live in Porto","event":"UPDATE"}]}`},
	}), [][]string{{"I live in Ghent. My dog is called Rex."}, {"I live in Porto. My dog is called Max."}}, stored, 3, 2},
	{"mem0-published", "what is known word for word is stored again", "", model(map[string][]string{
		"facts": {`{"facts":["I like tea"]}`}, "update": {`{"memory":[{"id":"9","text":"I like tea","event":"ADD"}]}`},
	}), [][]string{{"I like tea."}, {"I like tea."}}, stored, 1, 2},
	{"mem0-published", "what was taken back is gone, and with it that it was said", "", model(map[string][]string{
		"facts":  {`{"facts":["I like tea"]}`, `{"facts":["I do not like tea"]}`},
		"update": {`{"memory":[{"id":"9","text":"I like tea","event":"ADD"}]}`, `{"memory":[{"id":"0","text":"I like tea","event":"DELETE"}]}`},
	}), [][]string{{"I like tea."}, {"I do not like tea."}},
		func(t *testing.T, m memory.Memory) any {
			return count(t, m, func(it memory.Item) bool { return it.Status == memory.StatusInvalid })
		}, 1, 0},
	{"mem0-v2", "links that the model names are thrown away", "", model(map[string][]string{
		op.PurposeAdditive: {`{"memory":[{"text":"I keep bees"}]}`, `{"memory":[{"text":"I sold the hives","linked":[0]}]}`},
	}), [][]string{{"I keep bees."}, {"I sold the hives."}},
		func(t *testing.T, m memory.Memory) any {
			return has(t, m, func(it memory.Item) bool { return len(it.Links) > 0 })
		}, true, false},
	{"mem0-graph", "names that are near are one thing", "", model(map[string][]string{
		op.PurposeThings:    {`{"things":["old harbour crane"]}`, `{"things":["tall harbour crane"]}`},
		op.PurposeRelations: {`{"relations":[{"source":"old harbour crane","relation":"is","destination":"red"}]}`, `{"relations":[{"source":"tall harbour crane","relation":"are","destination":"blue"}]}`},
		op.PurposeOutdated:  {`{"relations":[]}`},
	}), [][]string{{"The old harbour crane is red."}, {"The tall harbour crane is blue."}},
		func(t *testing.T, m memory.Memory) any {
			return has(t, m, func(it memory.Item) bool { return strings.HasPrefix(it.Text, "tall_harbour_crane --") })
		}, true, false},
	{"memu", "what the summaries answer finds no item", "", model(map[string][]string{
		op.PurposeItems: {`{"items":[{"content":"Planted nine apple trees.","categories":["experiences"]}]}`}, op.PurposeDecide: {`{"retrieve":true}`}, op.PurposeEnough: {`{"enough":true}`},
	}), [][]string{{"I planted nine apple trees."}}, first("nine apple trees", "apple"), true, false},
	{"memu", "an item of an unknown category is in none", "", model(map[string][]string{
		op.PurposeItems: {`{"items":[{"content":"Planted nine apple trees.","categories":["gardens"]}]}`},
	}), [][]string{{"I planted nine apple trees."}}, func(t *testing.T, m memory.Memory) any {
		return has(t, m, func(it memory.Item) bool { return it.Kind == "summary" })
	}, true, false},
}

// TestFlaws: the modes differ exactly where a published system is wrong.
func TestFlaws(t *testing.T) {
	for _, f := range flaws {
		for mode, want := range map[string]any{"fixed": f.fixed, "faithful": f.faithful} {
			options, d := `{"mode":"`+mode+`"`, memory.Deps{}
			if f.options != "" {
				options += "," + f.options
			}
			if f.deps != nil {
				d = f.deps()
			}
			m := open(t, f.system, options+"}", d)
			talk(t, m, f.told...)
			if have := f.have(t, m); fmt.Sprint(have) != fmt.Sprint(want) {
				t.Errorf("%s, %s: %s: have %v, want %v", f.system, mode, f.what, have, want)
			}
		}
	}
}

// TestGAEvidence: published, what several questions find is evidence several times.
func TestGAEvidence(t *testing.T) {
	for mode, want := range map[string]int{"fixed": 1, "faithful": 3} {
		shown := 0
		m := open(t, "GAMemory", `{"mode":"`+mode+`"}`, memory.Deps{LLM: llmtest.Func(func(r llm.Request) (string, error) {
			if r.Purpose == op.PurposeInsights {
				shown = strings.Count(r.Prompt, "red kite")
			}
			return usable(r)
		})})
		if say(t, m, "The red kite flew over the harbour."); shown != want {
			t.Errorf("%s: shown %d times, want %d", mode, shown, want)
		}
	}
}

// TestMMFUBudget: published, an image that does not fit is passed over, and what is older is still
// shown.
func TestMMFUBudget(t *testing.T) {
	for mode, want := range map[string]bool{"fixed": false, "faithful": true} {
		m := open(t, "MMFUMemory", `{"mode":"`+mode+`","max_tokens":70,"image_tokens":50}`, memory.Deps{})
		b := memorytest.Batch("c", memorytest.Turn("c", 1, "user", "The oldest words."))
		for i := range 2 {
			turn := memorytest.Turn("c", i+2, "user", "Look.")
			turn.Attachments = []schema.Attachment{{Type: "image", ID: fmt.Sprint(i), Text: "a heron"}}
			b.Turns = append(b.Turns, turn)
		}
		if _, err := m.Ingest(context.Background(), b); err != nil {
			t.Fatal(err)
		}
		if _, err := memory.Finish(context.Background(), m, b.Session); err != nil {
			t.Fatal(err)
		}
		if have := strings.Contains(ask(t, m, "anything", 5).Context, "oldest"); have != want {
			t.Errorf("%s: the oldest is shown: %t, want %t", mode, have, want)
		}
	}
}

// TestMem0Metadata: published, an update takes the new metadata for the old.
func TestMem0Metadata(t *testing.T) {
	for mode, want := range map[string]string{"fixed": "first", "faithful": "second"} {
		m := open(t, "mem0-published", `{"mode":"`+mode+`"}`, memory.Deps{LLM: inTurn(map[string][]string{
			"facts":  {`{"facts":["I live in Ghent"]}`, `{"facts":["I live in Porto"]}`},
			"update": {`{"memory":[{"id":"9","text":"I live in Ghent","event":"ADD"}]}`, `{"memory":[{"id":"0","text":"I live in Porto","event":"UPDATE"}]}`},
		})})
		for i, where := range []string{"first", "second"} {
			b := memorytest.Batch("c", memorytest.Turn("c", i+1, "user", []string{"I live in Ghent.", "I live in Porto."}[i]))
			var meta schema.ObjectBuilder
			meta.String("where", where)
			b.Session, b.Key, b.Metadata = where, where, meta.Object()
			if _, err := m.Ingest(context.Background(), b); err != nil {
				t.Fatal(err)
			}
			if _, err := memory.Finish(context.Background(), m, b.Session); err != nil {
				t.Fatal(err)
			}
		}
		if all := items(t, m); len(all) != 1 || all[0].Text != "I live in Porto" || all[0].Meta.Text("where") != want {
			t.Errorf("%s: have %+v, want one fact with the metadata of the %s", mode, all, want)
		}
	}
}
