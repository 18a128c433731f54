package baseline_test

import (
	"fmt"
	"strings"
	"testing"

	"membench/internal/codec"
	"membench/llm"
	"membench/llm/hashing"
	"membench/llm/llmtest"
	"membench/memory"
	"membench/memory/all"
	"membench/memory/memorytest"
	"membench/memory/op"
)

// TestContract runs the conformance suite over every system of the list, with its
// defaults and with the options that change what it does.
func TestContract(t *testing.T) {
	options := map[string][]string{
		"simple-rag":      {"", `{"mode":"lexical"}`, `{"mode":"fused","unit":"turn","chunk_size":64}`, `{"rerank":"rule"}`},
		"bm25":            {"", `{"unit":"pair"}`},
		"FUMemory":        {"", `{"mode":"faithful"}`},
		"STMemory":        {"", `{"mode":"faithful"}`},
		"GAMemory":        {"", `{"mode":"faithful"}`},
		"MGMemory":        {"", `{"mode":"faithful"}`, `{"max_tokens":50}`},
		"amem":            {"", `{"mode":"faithful","reindex":2,"near":0}`},
		"LTMemory":        {"", `{"mode":"faithful"}`},
		"mem0":            {"", `{"mode":"faithful"}`},
		"memoryos":        {"", `{"short":1,"heat":2}`, `{"mode":"faithful","short":1,"heat":2}`},
		"simplemem":       {"", `{"window":3,"overlap":1}`, `{"mode":"faithful"}`},
		"omni-simplemem":  {"", `{"mode":"faithful","min_chars":1}`},
		"mem0-published":  {"", `{"mode":"faithful","both":true}`},
		"mem0-graph":      {"", `{"mode":"faithful","both":true}`},
		"mem0-v2":         {"", `{"mode":"faithful"}`, `{"mode":"faithful","plain":true}`},
		"graphiti-native": {"", `{"mode":"faithful"}`, `{"recipe":"episodes","mode":"faithful"}`},
		"qarp":            {"", `{"mode":"faithful","threshold":0.01}`, `{"backend":"mem0"}`, `{"backend":"bm25","without":["plan","refine"]}`},
		"pcm":             {"", `{"mode":"faithful","both":true}`, `{"surprisal":"ngram","both":true,"entities":true}`, `{"max_context_tokens":20}`},
		"adaptive-rag":    {"", `{"none":true,"backend":"bm25"}`},
		"token-matched":   {"", `{"backend":"amem"}`},
		"adaptmr":         {"", `{"pipeline":"temporal","mode":"faithful"}`, `{"pipeline":"update"}`, `{"pipeline":"several","backend":"amem"}`, `{"pipeline":"abstain"}`},
		"oracle-strategy": {""},
	}
	for _, spec := range all.Specs() {
		list := options[spec.Name]
		if list == nil {
			list = []string{""}
			if raw, err := spec.Defaults(); err == nil && strings.Contains(string(raw), `"mode":""`) {
				list = append(list, `{"mode":"faithful"}`)
			}
		}
		for _, o := range list {
			t.Run(spec.Name+o, func(t *testing.T) {
				within := map[string]int{"turn-alone": 2, "GAMemory": 3, "AUGUSTUSMemory": 3, "memoryos": 3, "hipporag": 3, "MGMemory": 3, "amem": 2, "pcm": 3, "qarp": 2}[spec.Name]
				answer := usable
				if sys, err := spec.Open(memory.Deps{}, []byte(o)); err != nil || len(memory.CapabilitiesOf(sys).ByRule) == 0 {
					answer = nil
				}
				memorytest.RunWith(t, memorytest.Options{Within: within, Answer: answer, Open: func(t *testing.T, d memory.Deps) memory.System {
					if d.Embed == nil {
						d.Embed = hashing.New(0)
					}
					if spec.Name == "graphiti-native" && !strings.Contains(o, "episodes") && d.LLM == nil {
						d.LLM = llmtest.Func(said) // it shows facts alone: by rule, what no rule reads is not found
					}
					s, err := spec.Open(d, []byte(o))
					if err != nil {
						t.Fatal(err)
					}
					return s
				}})
			})
		}
	}
}

// said are the answers of a model that takes each line of an exchange as a fact of who says
// it.
func said(r llm.Request) (string, error) {
	var things []string
	var facts []map[string]string
	text := r.Prompt
	if _, now, ok := strings.Cut(text, "\nNOW ("); ok {
		text = now
	}
	for line := range strings.Lines(text) {
		if who, what, ok := strings.Cut(strings.TrimSpace(line), ": "); ok {
			things = append(things, who, what)
			facts = append(facts, map[string]string{"source": who, "target": what, "relation": "SAID", "fact": what})
		}
	}
	switch r.Purpose {
	case op.PurposeThings:
		b, err := codec.Append([]byte(`{"things":`), append([]string{}, things...), codec.Compact)
		return string(b) + "}", err
	case op.PurposeEdges:
		b, err := codec.Append([]byte(`{"facts":`), append([]map[string]string{}, facts...), codec.Compact)
		return string(b) + "}", err
	case op.PurposeCompare:
		return "{}", nil
	}
	return usable(r)
}

// usable are answers of a model that can be used, by purpose.
func usable(r llm.Request) (string, error) {
	switch r.Purpose {
	case op.PurposeImportance:
		return `{"importance": 4}`, nil
	case op.PurposeRoute:
		return `{"route": "document"}`, nil
	case op.PurposeQuestions, op.PurposeInsights, op.PurposeKeywords, op.PurposeConcepts, op.PurposeNeeds, op.PurposeQueries:
		return `{"items": ["trees near Porto", "apple trees", "days of planting"]}`, nil
	case op.PurposeEntries:
		return `{"entries": [{"text":"Apple trees were planted near Porto.","keywords":["trees"],"time":"2026-03-01","place":"Porto","persons":["user"],"entities":[],"topic":"garden","turns":[1,99]}]}`, nil
	case op.PurposeAnalyse:
		return `{"keywords":["trees"],"persons":["user"],"time":"","place":"","entities":[]}`, nil
	case op.PurposeEnough:
		return `{"enough":false,"missing":["how many trees"]}`, nil
	case op.PurposeThings:
		return `{"things": ["user","apple trees","Porto"]}`, nil
	case op.PurposeRelations:
		return `{"relations": [{"source":"user","relation":"planted","destination":"apple trees"}]}`, nil
	case op.PurposeOutdated:
		return `{"relations": [{"source":"user","relation":"sold","destination":"apple trees"}]}`, nil
	case op.PurposeAdditive:
		return `{"memory":[{"text":"user planted apple trees near Porto","attributed_to":"user","linked":[0,99]}]}`, nil
	case op.PurposeFilter:
		return `{"keep":[1,99]}`, nil
	case op.PurposeEdges:
		return `{"facts": [{"source":"user","target":"apple trees","relation":"PLANTED","fact":"user planted apple trees near Porto","valid_at":"2026-03-01","invalid_at":""}]}`, nil
	case op.PurposeResolve:
		return `{"same":[{"n":1,"as":99}]}`, nil
	case op.PurposeCompare:
		return `{"same":[],"contradicted":[1,99]}`, nil
	case op.PurposeAct:
		return `{"calls":[{"name":"core_memory_append","block":"human","text":"plants trees"},{"name":"conversation_search","query":"trees"},{"name":"made_up"},{"name":"archival_memory_search","query":"trees","page":7}]}`, nil
	case op.PurposeItems:
		return `{"items":[{"content":"user planted apple trees near Porto","categories":["activities","made up"],"turns":[1,99]}]}`, nil
	case op.PurposeDecide:
		return `{"retrieve":true,"query":"trees near Porto"}`, nil
	case op.PurposeContinuity:
		return `{"continuous": true}`, nil
	case op.PurposeThemes:
		return `{"themes": [{"theme":"trees","keywords":["trees","Porto"],"content":"Apple trees were planted near Porto."}]}`, nil
	case op.PurposeKnowledge:
		return `{"user": ["planted apple trees near Porto"], "assistant": ["none"]}`, nil
	case op.PurposeSummary, op.PurposeMeta, op.PurposeProfile:
		return `{"summary": "Trees were planted."}`, nil
	case op.PurposeTrigger:
		return `{"calls": [{"name":"memory_recall","query":"trees"},{"name":"memory_transfer","indices":[0,99]},{"name":"made_up"}]}`, nil
	case op.PurposePlan:
		return `{"keywords":["trees"],"parts":[],"in_time":true,"latest":true,"threshold":0.65,"hint":"count"}`, nil
	case op.PurposeRefine:
		return `{"items":[{"n":1,"text":"Trees were planted."},{"n":99},{"n":1}]}`, nil
	case "facts":
		return `{"facts":[{"text":"[User] planted apple trees near Porto","turns":[0]}]}`, nil
	case "update":
		return `{"memory":[{"id":"9","text":"[User] planted apple trees near Porto","event":"ADD"}]}`, nil
	case op.PurposeComplexity:
		return `{"complexity":"C"}`, nil
	case op.PurposeNextStep:
		return `{"sentence":"Trees near Porto were planted.","done":false}`, nil
	case op.PurposeSupport:
		return `{"supported":true}`, nil
	case op.PurposeRerank:
		return `{"order":[2,1]}`, nil
	case op.PurposeIntent:
		return `{"distribution":{"Personal":0.7,"Casual":0.3}}`, nil
	case op.PurposeConflict:
		return `{"relation":"contradictory","conflict_score":0.9,"conflicting":[1,"99"]}`, nil
	case op.PurposeCorrect:
		return `{"diagnosis":"more trees","outdated":[1],"new_facts":[{"content":"planted apple trees near Porto","replaces":1}]}`, nil
	case op.PurposeHypothesis:
		return `{"reasoning":"trees","hypothesis":"likes gardening"}`, nil
	case op.PurposeNote:
		return `{"keywords":["trees"],"context":"Trees were planted.","tags":["garden"]}`, nil
	case op.PurposeEvolve:
		return `{"should_evolve":true,"actions":["strengthen","update_neighbor"],"suggested_connections":[0,77],"tags_to_update":["orchard"],"new_context_neighborhood":["Trees, again."],"new_tags_neighborhood":[["orchard","porto"]]}`, nil
	}
	return "", fmt.Errorf("no answer for purpose %q", r.Purpose)
}
