package cli

import (
	"bytes"
	"cmp"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"membench/llm/llmtest"
)

// A modelFault is what an endpoint sends instead of an answer.
type modelFault struct {
	name     string
	reply    llmtest.Reply
	chatOnly bool
}

// modelFaults are the faults of the table.
func modelFaults() []modelFault {
	f := llmtest.Fault
	head := func(r llmtest.Reply, name, value string) llmtest.Reply {
		r.Header = map[string]string{name: value}
		return r
	}
	body := func(s string) llmtest.Reply { return llmtest.Reply{Body: s} }
	choice := func(message, finish string) llmtest.Reply {
		return body(`{"choices":[{"index":0,"message":` + message + `,"finish_reason":"` + finish + `"}],"usage":{"prompt_tokens":9,"completion_tokens":9}}`)
	}
	return []modelFault{
		{"429", f(429, "rate_limit_exceeded", "slow down"), false},
		{"429, Retry-After: 7", head(f(429, "rate_limit_exceeded", "slow down"), "Retry-After", "7"), false},
		{"429, Retry-After: a day", head(f(429, "rate_limit_exceeded", "slow down"), "Retry-After", "86400"), false},
		{"429, insufficient_quota", f(429, "insufficient_quota", "You exceeded your current quota"), false},
		{"402", f(402, "", "Insufficient Balance"), false},
		{"500", llmtest.Reply{Status: 500, Body: "oops"}, false},
		{"500, X-Should-Retry: false", head(llmtest.Reply{Status: 500, Body: "oops"}, "X-Should-Retry", "false"), false},
		{"502, a page", llmtest.Reply{Status: 502, Body: "<html>bad gateway</html>"}, false},
		{"503", f(503, "", "Loading model"), false},
		{"504", f(504, "", "upstream timed out"), false},
		{"529", f(529, "overloaded", "overloaded"), false},
		{"501", f(501, "", "not implemented"), false},
		{"408", f(408, "", "request timeout"), false},
		{"409", f(409, "", "conflict"), false},
		{"425", f(425, "", "too early"), false},
		{"400", f(400, "", "messages: too few"), false},
		{"400, no JSON", llmtest.Reply{Status: 400, Body: "no"}, false},
		{"401", f(401, "invalid_api_key", "Incorrect API key"), false},
		{"403", f(403, "", "no access"), false},
		{"404", f(404, "model_not_found", "The model does not exist"), false},
		{"connection cut in the answer", llmtest.Reply{Body: `{"choices":[{"message":{"content":"` + strings.Repeat("a", 3000), CutAt: 900}, false},
		{"an empty body", llmtest.Reply{Body: " "}, false},
		{"a page", body("<html>login</html>"), false},
		{"half a JSON object", body(`{"choices":[{"message":{"content":"hel`), false},
		{"{}", body(`{}`), false},
		{"error in a 200", body(`{"error":{"message":"Provider returned error","code":502}}`), false},
		{"rate limit in a 200", body(`{"error":{"message":"Rate limit exceeded","code":429}}`), false},
		{"key refused in a 200", body(`{"error":{"message":"invalid API key"}}`), false},
		{"detail in a 200", body(`{"detail":"still loading"}`), false},
		{"a 9 MB answer", body(`{"choices":[{"message":{"content":"` + strings.Repeat("x", 9<<20) + `"}}]}`), true},
		{"no choices", body(`{"choices":[]}`), true},
		{"an empty text", choice(`{"content":""}`, "stop"), true},
		{"reasoning only", choice(`{"content":null,"reasoning_content":"hm"}`, "stop"), true},
		{"the call of a tool", choice(`{"content":null,"tool_calls":[{"id":"1"}]}`, "tool_calls"), true},
		{"cut off at once", choice(`{"content":""}`, "length"), true},
		{"a broken stream", body("data: {\"choices\":[{\"delta\":{\"content\":\"he\"}}]}\n\n"), true},
		{"an error in a stream", body("data: {\"error\":{\"message\":\"overloaded\",\"code\":503}}\n\n"), true},
		{"filtered answer", choice(`{"content":""}`, "content_filter"), true},
		{"filtered question", f(400, "content_filter", "content management policy"), true},
		{"a refusal", choice(`{"content":null,"refusal":"I cannot help with that."}`, "stop"), true},
		{"too long", f(400, "context_length_exceeded", "maximum context length is 8192 tokens"), true},
		{"413", f(413, "", "payload too large"), true},
	}
}

// rarerFaults are further ones; each is played once only.
func rarerFaults() []modelFault {
	f := llmtest.Fault
	body := func(s string) llmtest.Reply { return llmtest.Reply{Body: s} }
	head := func(r llmtest.Reply, name, value string) llmtest.Reply {
		r.Header = map[string]string{name: value}
		return r
	}
	out := []modelFault{
		{"429, Retry-After: a date", head(f(429, "", "slow down"), "Retry-After", "Sun, 01 Mar 2026 00:00:09 GMT"), false},
		{"429, Retry-After-Ms: 70", head(f(429, "", "slow down"), "Retry-After-Ms", "70"), false},
		{"429, Retry-After: soon", head(f(429, "", "slow down"), "Retry-After", "soon"), false},
		{"429, tokens per minute", f(429, "tokens", "Limit 30000, used 29990"), false},
		{"503, Retry-After: 3", head(f(503, "", "busy"), "Retry-After", "3"), false},
		{"a redirect to another host", head(llmtest.Reply{Status: 302, Body: "moved"}, "Location", "http://127.0.0.1:1/v1"), false},
		{"a redirect to nowhere", llmtest.Reply{Status: 301, Body: "moved"}, false},
		{"a text in place of an error", body(`{"error":"overloaded"}`), false},
		{"an error without words", body(`{"error":{}}`), false},
		{"null", body(`null`), false},
		{"[]", body(`[]`), false},
		{"a JSON text", body(`"hello"`), false},
		{"bytes that are no text", body("\xff\xfe\x00\x01"), false},
		{"NULs", body("\x00\x00\x00\x00"), false},
		{"two objects", body(`{}{}`), false},
		{"gzip that is none", head(body(`{"choices":[]}`), "Content-Encoding", "gzip"), false},
		{"an unknown encoding", head(body("\x8b\x02\x80abc\x03"), "Content-Encoding", "br"), false},
		{"UTF-16", body("\xff\xfe{\x00}\x00"), false},
		{"a header of 100 kB", head(body(`{}`), "X-Long", strings.Repeat("a", 100<<10)), false},
		{"429, Retry-After: years", head(f(429, "", "slow down"), "Retry-After", "99999999999999999999"), false},
		{"429, Retry-After: -5", head(f(429, "", "slow down"), "Retry-After", "-5"), false},
		{"a redirect to itself", head(llmtest.Reply{Status: 307, Body: "moved"}, "Location", "/v1/chat/completions"), true},
		{"nested 5,000 deep", body(strings.Repeat("[", 5000)), false},
	}
	for _, status := range []int{405, 406, 410, 411, 422, 451, 505, 507, 520, 521, 522, 524, 530} {
		out = append(out, modelFault{fmt.Sprint(status), f(status, "", "no"), false})
	}
	for name, answer := range map[string]string{
		"choices is null":            `{"choices":null}`,
		"choices is an object":       `{"choices":{"message":{"content":"x"}}}`,
		"a choice without a message": `{"choices":[{"index":0,"finish_reason":"stop"}]}`,
		"the message is null":        `{"choices":[{"message":null,"finish_reason":"stop"}]}`,
		"the text is a number":       `{"choices":[{"message":{"content":7},"finish_reason":"stop"}]}`,
		"no part of a text":          `{"choices":[{"message":{"content":[]},"finish_reason":"stop"}]}`,
		"an image for a text":        `{"choices":[{"message":{"content":[{"type":"image_url"}]},"finish_reason":"stop"}]}`,
		"blanks":                     `{"choices":[{"message":{"content":" \n "},"finish_reason":"stop"}]}`,
		"an unknown finish reason":   `{"choices":[{"message":{"content":""},"finish_reason":"gone"}]}`,
		"a stream of pings":          ": ping\n\n: ping\n\n",
		"a stream that only ends":    "data: [DONE]\n\n",
		"a stream of half an event":  `data: {"choices":[{"delta":{"con`,
		"a stream cut in a letter":   "data: {\"choices\":[{\"delta\":{\"content\":\"\xe6\xb1",
		"a stream that fails later":  "data: {\"choices\":[{\"delta\":{\"content\":\"he\"}}]}\n\nevent: error\ndata: {\"error\":{\"message\":\"engine died\"}}\n\n",
		"choices twice":              `{"choices":[{"message":{"content":"x"},"finish_reason":"stop"}],"choices":[]}`,
		"usage that is not a number": `{"choices":[{"message":{"content":"x"},"finish_reason":"stop"}],"usage":{"prompt_tokens":NaN}}`,
		"a text without width":       `{"choices":[{"message":{"content":"\ufeff\u200b"},"finish_reason":"stop"}]}`,
		"a stream that ends early":   "data: {\"choices\":[{\"delta\":{\"content\":\"he\"},\"finish_reason\":null}]}\n\ndata: [DONE]\n\n",
		"another choice in a stream": "data: {\"choices\":[{\"index\":1,\"delta\":{\"content\":\"he\"},\"finish_reason\":\"stop\"}]}\n\ndata: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"\"},\"finish_reason\":\"stop\"}]}\n\n",
		"an answer as a JSON text":   `"{\"choices\":[{\"message\":{\"content\":\"x\"},\"finish_reason\":\"stop\"}]}"`,
		"a guard before the JSON":    ")]}'\n" + `{"choices":[{"message":{"content":"x"},"finish_reason":"stop"}]}`,
		"an answer still to come":    `{"status":"queued","id":"q1"}`,
		"code and msg":               `{"code":50501,"msg":"system busy"}`,
		"success: false":             `{"success":false,"message":"used up"}`,
		"half a surrogate":           `{"choices":[{"message":{"content":"\ud800"},"finish_reason":"stop"}]}`,
		"thoughts without an end":    `{"choices":[{"message":{"content":"<think>well, {\"1\":\"filler\"}"},"finish_reason":"stop"}]}`,
		"an answer in an array":      `[{"choices":[{"message":{"content":"x"},"finish_reason":"stop"}]}]`,
		"a text as an object":        `{"choices":[{"message":{"content":{"text":"x"}},"finish_reason":"stop"}]}`,
		"more behind the answer":     `{"choices":[{"message":{"content":"x"},"finish_reason":"stop"}]}}]}`,
		"lines of Ollama's own form": `{"message":{"content":"x"},"done":false}` + "\n" + `{"message":{"content":"y"},"done":true}`,
	} {
		out = append(out, modelFault{name, body(answer), true})
	}
	slices.SortStableFunc(out, func(a, b modelFault) int { return strings.Compare(a.name, b.name) })
	return out
}

// vectorFaults are faults of vectors, each played once.
func vectorFaults() []modelFault {
	var out []modelFault
	one := func(name, data string) {
		out = append(out, modelFault{name, llmtest.Reply{Body: `{"data":` + data + `}`}, false})
	}
	one("vectors: none", `[]`)
	one("vectors: too many", "["+strings.Repeat(`{"embedding":[1,2]},`, 99)+`{"embedding":[1,2]}]`)
	one("vectors: one index twice", `[{"index":0,"embedding":[1,2]},{"index":0,"embedding":[1,2]}]`)
	one("vectors: index 7", `[{"index":7,"embedding":[1,2]}]`)
	one("vectors: index -1", `[{"index":-1,"embedding":[1,2]}]`)
	one("vectors: half an index", `[{"index":0.5,"embedding":[1,2]}]`)
	one("vectors: of two lengths", `[{"index":0,"embedding":[1,2]},{"index":1,"embedding":[1,2,3]}]`)
	one("vectors: empty", `[{"index":0,"embedding":[]}]`)
	one("vectors: null", `[{"index":0,"embedding":null}]`)
	one("vectors: null inside", `[{"index":0,"embedding":[1,null]}]`)
	one("vectors: NaN", `[{"index":0,"embedding":[1,NaN]}]`)
	one("vectors: infinite", `[{"index":0,"embedding":[1,1e999]}]`)
	one("vectors: words", `[{"index":0,"embedding":["a","b"]}]`)
	one("vectors: nested", `[{"index":0,"embedding":[[1,2]]}]`)
	one("vectors: not base64", `[{"index":0,"embedding":"***"}]`)
	one("vectors: bare", `[[1,2]]`)
	return out
}

// contentFaults are what an endpoint says to some questions for what stands in them.
func contentFaults() []modelFault {
	return []modelFault{
		{"400 in unknown words", llmtest.Fault(400, "", "blocked"), true},
		{"500", llmtest.Reply{Status: 500, Body: "oops"}, true},
		{"filtered", llmtest.Fault(400, "content_filter", "content management policy"), true},
	}
}

// playContent is the row of a fault that 24 of 25 records meet, the last of them not: that one
// is done whatever the others met.
func playContent(t *testing.T, fault modelFault, takers ...faultTaker) string {
	row, ends := fmt.Sprintf("| %s, at 24 records before a good one |", fault.name), []string{}
	for _, f := range takers {
		if f.name == "embedding" {
			row += " – |"
			continue
		}
		f.refused = &fault.reply
		_, want := f.play(t, "", nil, "")
		cell, _ := f.play(t, fault.name+" for its content", nil, want)
		if stops := f.name == "memory operation" && fault.name != "filtered"; cell.exit != exitFailed || !stops && cell.attempts < 25 {
			t.Errorf("%s, %s: %s, want exit 1 after all 25 were asked about", f.name, fault.name, cell)
		}
		row += fmt.Sprintf(" exit %d, %s |", cell.exit, cell.after) // attempts and pauses vary with what is under way
		ends = append(ends, cell.outcomes...)
	}
	slices.Sort(ends)
	return row + fmt.Sprintf(" %s | – |\n", strings.Join(slices.Compact(ends), ", "))
}

// TestContentFaults is a part of those rows.
func TestContentFaults(t *testing.T) {
	if row := playContent(t, contentFaults()[0], faultTakers[2], faultTakers[5]); strings.Count(row, "recovered") != 2 {
		t.Error(row)
	}
}

// A faultTaker is a command that asks a model; again finishes what it could not do.
type faultTaker struct {
	name  string
	setup string
	line  string
	again string
	show  string // writes DIR/out.jsonl
	file  string // what is compared
	// refused is what the endpoint says to every question that holds the word pox, of which
	// there are then 24 before the good one; nil: the inputs are one record each.
	refused *llmtest.Reply
}

// inputs are the files that a play begins with.
func (f faultTaker) inputs() map[string]string {
	in := map[string]string{"a.jsonl": localSources["en"][0], "m.jsonl": localSources["en"][1], "cases.jsonl": secretCase, "qa.jsonl": faultQA}
	if f.refused == nil {
		return in
	}
	in["in/a.jsonl"] = in["a.jsonl"]
	for i := range 24 {
		id := fmt.Sprintf("0%02d", 23-i)
		in["in/"+id+".jsonl"] = strings.ReplaceAll(localSources["en"][0], "tea", "pox "+id)
		in["m.jsonl"] = strings.NewReplacer("000000000001", "000000000"+id, `"conv_id":"a"`, `"conv_id":"`+id+`"`, "tea", "pox "+id).Replace(localSources["en"][1]) + in["m.jsonl"]
		in["cases.jsonl"] = strings.NewReplacer(`"c1"`, `"`+id+`"`, `"q1"`, `"q`+id+`"`, "tortoises", "pox "+id).Replace(secretCase) + in["cases.jsonl"]
		in["qa.jsonl"] = strings.NewReplacer(`"q"`, `"`+id+`"`, "tea", "pox "+id).Replace(faultQA) + in["qa.jsonl"]
	}
	return in
}

var faultTakers = []faultTaker{
	{"annotate", "", "annotate DIR/a.jsonl --tagger model -o DIR/events", "", "", "events/a.events.jsonl", nil},
	{"claimify", "", "claimify DIR/m.jsonl --extractor model -o DIR/claims", "", "", "claims/a.jsonl", nil},
	{"reader", "", "eval run DIR/cases.jsonl --system bm25 --reader model --judge rule -p em --no-times -o DIR/run", " --only-failed", "", "run/pipeline_qa.jsonl", nil},
	{"judge", "", "eval grade DIR/qa.jsonl -p mem0-2025 --model m -o DIR/out.jsonl", "", "", "out.jsonl", nil},
	{"memory operation", "annotate DIR/a.jsonl --tagger rule -o DIR/events", "replay ingest DIR/events --model m --store DIR/store --now 2026-03-01T00:00:00Z", "", "replay export --store DIR/store -o DIR/out.jsonl", "out.jsonl", nil},
	{"operation in eval run", "", "eval run DIR/cases.jsonl --system mem0 --system-model m --reader rule --judge rule -p em --no-times -o DIR/run", " --only-failed", "", "run/pipeline_qa.jsonl", nil},
	{"embedding", "", "eval run DIR/cases.jsonl --system simple-rag{mode:dense} --reader rule --judge rule -p em --no-times -o DIR/run", " --only-failed", "", "run/pipeline_qa.jsonl", nil},
}

const faultQA = `{"system":"s","dataset":"d","case_id":"c","question_id":"q","question":"Which tea?","gold":"oolong","category":"IE","raw_category":"4","hits":[],"answer":"oolong tea","by":"rule","outcome":"answered"}` + "\n"

// ofThisPlay are members that differ from play to play: what was paid, and where the
// source lies.
var ofThisPlay = regexp.MustCompile(`"usage": \[[^\]]*\], |, "usage": \[[^\]]*\]|"source_path": "[^"]*"`)

// faultCell is what became of one fault at one command.
type faultCell struct {
	attempts, exit int
	waited         time.Duration
	after          string
	outcomes       []string // of the calls, beside complete
}

// ended finds in a command's words how its calls ended that have no answer.
var ended = regexp.MustCompile(`answered \d+(?:, \d+ of them from the cassette)?((?:, \d+ (?:cut off|empty|refused|filtered|unreadable|failed))+)`)

// outcomes are the outcomes that stand in a command's words.
func outcomes(words string) (out []string) {
	for _, m := range ended.FindAllStringSubmatch(words, -1) {
		for _, o := range strings.Split(m[1][2:], ", ") {
			_, name, _ := strings.Cut(o, " ")
			out = append(out, name)
		}
	}
	return out
}

// upTo is a round time that is not passed.
func upTo(d time.Duration) string {
	for _, s := range []int{1, 2, 5, 10, 20, 30, 60, 120, 300, 600} {
		if d <= time.Duration(s)*time.Second {
			return fmt.Sprintf("%d s", s)
		}
	}
	return "15 min"
}

func (c faultCell) String() string {
	if c.exit == 0 {
		return fmt.Sprintf("%d", c.attempts)
	}
	return fmt.Sprintf("%d, exit %d, %s", c.attempts, c.exit, c.after)
}

// play runs a command, with more on its line, against an endpoint with these replies before
// its good ones, then again, as it stands, against a good one; it fails t where something
// is lost in silence.
func (f faultTaker) play(t *testing.T, name string, replies []llmtest.Reply, want string, more ...string) (faultCell, string) {
	t.Helper()
	srv := stubModels("")
	defer srv.Close()
	mended := false
	dir := t.TempDir()
	for file, text := range f.inputs() {
		file = filepath.Join(dir, filepath.FromSlash(file))
		if err := cmp.Or(os.MkdirAll(filepath.Dir(file), 0o777), os.WriteFile(file, []byte(text), 0o666)); err != nil {
			t.Fatal(err)
		}
	}
	line, setup := f.line, f.setup
	if f.refused != nil {
		line, setup = strings.ReplaceAll(line, "DIR/a.jsonl", "DIR/in"), strings.ReplaceAll(setup, "DIR/a.jsonl", "DIR/in")
		srv.Chat = func(r llmtest.ChatRequest) llmtest.Reply {
			if want != "" && !mended && strings.Contains(r.Prompt(), "pox") {
				return *f.refused
			}
			return answerSteps(r)
		}
	}
	clock := llmtest.NewClock()
	waits := clock.Clock()
	vars := map[string]string{"OPENAI_BASE_URL": srv.BaseURL(), "OPENAI_MODEL": "m", "OPENAI_API_KEY": "k"}
	if f.name == "embedding" {
		vars = map[string]string{"LOCAL_EMBEDDING_BASE_URL": srv.BaseURL(), "LOCAL_EMBEDDING_MODEL": "e"}
	}
	membench := func(line string) (int, string) {
		var words bytes.Buffer
		e := plainEnv(&words, &words, vars)
		e.waits = &waits
		return run(t.Context(), e, strings.Fields(strings.ReplaceAll(line, "DIR", dir))), words.String()
	}
	output := func() string {
		if f.show != "" {
			if code, words := membench(f.show); code != 0 {
				return words
			}
		}
		b, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(f.file)))
		if err != nil && !os.IsNotExist(err) && !strings.Contains(err.Error(), fs.ErrNotExist.Error()) {
			t.Fatal(err)
		}
		return ofThisPlay.ReplaceAllString(string(b), "")
	}
	if setup != "" {
		if code, words := membench(setup); code != 0 {
			t.Fatal(words)
		}
	}
	start := clock.Now()
	srv.Next(replies...)
	code, words := membench(strings.Join(append([]string{line}, more...), " "))
	cell := faultCell{attempts: len(srv.Asked()), exit: code, waited: clock.Now().Sub(start), outcomes: outcomes(words)}
	out := output()
	if want == "" { // the undisturbed run
		if code != 0 || out == "" {
			t.Fatalf("%s: exit %d:\n%s", f.name, code, words)
		}
		return cell, out
	}
	switch {
	case code != exitFine && code != exitFailed:
		t.Errorf("%s, %s: exit %d:\n%s", f.name, name, code, words)
	case code == exitFine && out != want:
		t.Errorf("%s, %s: exit 0 and another output:\n%s\n%s", f.name, name, out, words)
	case code == exitFailed && len(words) < 20:
		t.Errorf("%s, %s: exit 1 without a word: %q", f.name, name, words)
	}
	if cell.waited > 15*time.Minute || cell.attempts > 60 && f.refused == nil {
		t.Errorf("%s, %s: %d attempts, %v", f.name, name, cell.attempts, cell.waited)
	}
	srv.Drop()
	mended = true
	if code == exitFailed {
		again, words := membench(line)
		if again != exitFine && f.again != "" {
			again, words = membench(line + f.again)
		}
		switch out := output(); {
		case again == exitFine && out == want:
			cell.after = "recovered"
		default:
			t.Errorf("%s, %s: run again: exit %d, and\n%s\nis not\n%s\n%s", f.name, name, again, out, want, words)
		}
	}
	return cell, out
}

// TestModelFaults: every fault once, and the common ones for ever, at every command that asks a model: it
// ends, says what failed, and the next run gives what an undisturbed one does. All of it
// with MEMBENCH_SOAK=1, which -update writes into docs/model-faults.md; else every ninth.
func TestModelFaults(t *testing.T) {
	all := os.Getenv("MEMBENCH_SOAK") != "" || *updateDocs
	wants := make([]string, len(faultTakers))
	var table strings.Builder
	table.WriteString("| fault |")
	for i, f := range faultTakers {
		if all || i >= 0 {
			_, wants[i] = f.play(t, "", nil, "")
		}
		fmt.Fprintf(&table, " %s |", f.name)
	}
	table.WriteString(" calls end | in |\n|---|" + strings.Repeat("---|", len(faultTakers)+2) + "\n")
	common, rarer, vectors := modelFaults(), rarerFaults(), vectorFaults()
	for n, fault := range slices.Concat(common, rarer, vectors) {
		for _, times := range []int{1, 60} {
			if times > 1 && n >= len(common) {
				continue
			}
			if !all && (n%13 != 0 || times > 1 && n%2 == 0) {
				continue
			}
			often := map[int]string{1: "once", 60: "for ever"}[times]
			fmt.Fprintf(&table, "| %s, %s |", fault.name, often)
			var ends []string
			waited := time.Duration(0)
			for i, f := range faultTakers {
				if fault.chatOnly && f.name == "embedding" || n >= len(common)+len(rarer) && f.name != "embedding" {
					table.WriteString(" – |")
					continue
				}
				replies := make([]llmtest.Reply, times)
				for k := range replies {
					replies[k] = fault.reply
				}
				cell, _ := f.play(t, fault.name+", "+often, replies, wants[i])
				fmt.Fprintf(&table, " %s |", cell)
				if waited = max(waited, cell.waited); cell.exit != exitFine {
					ends = append(ends, cell.outcomes...)
				}
			}
			slices.Sort(ends)
			fmt.Fprintf(&table, " %s | %s |\n", cmp.Or(strings.Join(slices.Compact(ends), ", "), "complete"), upTo(waited))
		}
	}
	if all {
		for _, fault := range contentFaults() {
			table.WriteString(playContent(t, fault, faultTakers...))
		}
	}
	if n := len(common) + len(rarer); n < 80 {
		t.Errorf("%d faults, want 80", n)
	}
	if !all {
		return
	}
	const from, to = "<!-- model faults: begin -->\n", "<!-- model faults: end -->"
	doc, err := os.ReadFile("../docs/model-faults.md")
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(doc), from)
	have, after, ok2 := strings.Cut(rest, to)
	switch {
	case !ok || !ok2:
		t.Fatal("docs/model-faults.md lacks the marks of the table")
	case *updateDocs:
		if err := os.WriteFile("../docs/model-faults.md", []byte(before+from+table.String()+to+after), 0o666); err != nil {
			t.Fatal(err)
		}
	case have != table.String():
		t.Errorf("docs/model-faults.md is not current: go test ./cli -run TestModelFaults -update\n%s", table.String())
	}
}

// TestFaultMixes: whatever faults come one after the other, and however little may be
// paid, what a command makes, now and when it is run again, is what an undisturbed run
// makes; never are more attempts made than the budget allows.
func TestFaultMixes(t *testing.T) {
	faults := modelFaults()
	random := rand.New(rand.NewPCG(7, 7))
	mixes := 4
	if os.Getenv("MEMBENCH_SOAK") != "" {
		mixes = 40
	}
	short := 0
	for _, f := range faultTakers {
		_, want := f.play(t, "", nil, "")
		for n := range mixes {
			var mix []llmtest.Reply
			var names []string
			for range 1 + random.IntN(12) {
				x := faults[random.IntN(len(faults))]
				if strings.HasPrefix(x.name, "a 9 MB") || x.chatOnly && f.name == "embedding" {
					continue
				}
				mix, names = append(mix, x.reply), append(names, x.name)
			}
			name := strings.Join(names, "; ")
			if n%2 == 0 {
				f.play(t, name, mix, want)
				continue
			}
			budget := 1 + random.IntN(4)
			cell, _ := f.play(t, fmt.Sprintf("%s; a budget of %d", name, budget), mix, want, "--budget", fmt.Sprintf("calls=%d", budget))
			if cell.attempts > budget {
				t.Errorf("%s, %s: %d attempts, paid for %d", f.name, name, cell.attempts, budget)
			}
			if cell.exit == exitFailed {
				short++
			}
		}
	}
	if short == 0 {
		t.Error("no budget ever ended a command")
	}
}
