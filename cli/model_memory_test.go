//go:build linux

package cli

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// A flood is an answer that is made to take memory: head, n bytes of units, tail. What
// begins with "HTTP/" is sent as it is, anything else as the body of an answer of this type.
type flood struct {
	name, kind       string
	head, unit, tail string
	bytes            int
	vectors, cheap   bool // an answer for vectors; also played without MEMBENCH_SOAK
}

const (
	floodJSON   = "application/json"
	floodEvents = "text/event-stream"
)

// floods are the worst answers known: sizes lie just under what is read of them, or far over.
func floods() []flood {
	const ok = "HTTP/1.1 200 OK\r\n"
	said := func(text string) string { return `{"choices":[{"message":{"content":"` + text }
	const end = `"},"finish_reason":"stop"}]}`
	return []flood{
		{name: "an error of 400 MB", head: "HTTP/1.1 400 No\r\nConnection: close\r\n\r\n" + `{"error":{"message":"`, unit: "x", bytes: 400 << 20},
		{name: "a page of 400 MB", kind: "text/html", unit: "<p>", bytes: 400 << 20},
		{name: "a stream without an end", kind: floodEvents, unit: `data: {"choices":[{"delta":{"content":"abc"}}]}` + "\n\n", bytes: 400 << 20},
		{name: "an event without an end", kind: floodEvents, head: "data: ", unit: "[", bytes: 400 << 20},
		{name: "pings without an end", kind: floodEvents, unit: ": p\n\n", bytes: 400 << 20},
		{name: "a header of 400 MB", head: ok + "X: ", unit: "a", bytes: 400 << 20},
		{name: "100 million headers", head: ok, unit: "a:\r\n", bytes: 400 << 20},
		{name: "early hints without an end", unit: "HTTP/1.1 103 Early Hints\r\nX: " + strings.Repeat("a", 5000) + "\r\n\r\n", bytes: 400 << 20},
		{name: "trailers without an end", head: ok + "Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n", unit: "X: b\r\n", bytes: 400 << 20},
		{name: "chunks of one byte", head: ok + "Transfer-Encoding: chunked\r\n\r\n", unit: "1\r\n \r\n", bytes: 400 << 20},
		{name: "a text of 400 MB", kind: floodJSON, head: said(""), unit: "x", bytes: 400 << 20},
		{name: "a text of escapes", kind: floodJSON, head: said(""), unit: `\u4e00`, tail: end, bytes: 7 << 20},
		{name: "empty choices", kind: floodJSON, head: `{"choices":[`, unit: "{},", tail: "{}]}", bytes: 8<<20 - 100, cheap: true},
		{name: "empty parts", kind: floodJSON, head: `{"choices":[{"message":{"content":[`, unit: "{},", tail: "{}]}}]}", bytes: 8<<20 - 100},
		{name: "empty members", kind: floodJSON, head: "{", unit: `"":0,`, tail: `"a":0}`, bytes: 8<<20 - 100},
		{name: "brackets", kind: floodJSON, head: `{"choices":`, unit: "[", bytes: 8<<20 - 100},
		{name: "thoughts", kind: floodJSON, head: `{"choices":[{"message":{"content":"x","reasoning_content":"`, unit: "{", tail: end, bytes: 500 << 10},
		{name: "a text of empty objects", kind: floodJSON, head: said(""), unit: `{}\n`, tail: end, bytes: 600 << 10},
		{name: "facts without a word", kind: floodJSON, head: said(`{\"facts\":[`), unit: "{},", tail: "{}]}" + end, bytes: 120 << 10},
		{name: "gzip of 2 GB", kind: "gzip", unit: " ", bytes: 2 << 30},
		{name: "vectors of 100 MB", kind: floodJSON, head: `{"data":[{"index":0,"embedding":[`, unit: "0.25,", tail: "1]}]}", bytes: 100 << 20, vectors: true},
		{name: "a vector of zeros", kind: floodJSON, head: `{"data":[{"index":0,"embedding":[`, unit: "0,", tail: "1]}]}", bytes: 48<<20 - 100, vectors: true},
		{name: "empty vectors", kind: floodJSON, head: `{"data":[`, unit: "{},", tail: "{}]}", bytes: 48<<20 - 100, vectors: true, cheap: true},
		{name: "vectors in base64", kind: floodJSON, head: `{"data":[{"index":0,"embedding":"`, unit: "AAAA", tail: `"}]}`, bytes: 48<<20 - 100, vectors: true},
	}
}

// send answers one request.
func (f flood) send(w http.ResponseWriter, units []byte) {
	var to io.Writer = w
	switch {
	case f.kind == "gzip": // made once: units holds it
		w.Header().Set("Content-Encoding", "gzip")
		w.Write(units)
		return
	case f.kind == "":
		c, _, err := w.(http.Hijacker).Hijack()
		if err != nil {
			return
		}
		defer c.Close()
		to = c
	default:
		w.Header().Set("Content-Type", f.kind)
	}
	_, err := io.WriteString(to, f.head)
	for left := f.bytes - len(f.head) - len(f.tail); err == nil && left >= len(f.unit); left -= len(units) {
		_, err = to.Write(units[:min(len(units), left/len(f.unit)*len(f.unit))])
	}
	io.WriteString(to, f.tail)
}

// units are what send repeats.
func (f flood) units() []byte {
	block := bytes.Repeat([]byte(f.unit), max(1, (1<<18)/len(f.unit)))
	if f.kind != "gzip" {
		return block
	}
	var out bytes.Buffer
	z := gzip.NewWriter(&out)
	for range f.bytes / len(block) {
		z.Write(block)
	}
	z.Close()
	return out.Bytes()
}

// TestPeakMemory: whatever a server sends, a command that asks it holds less than 200 MiB,
// 32 calls at once, and ends with words. All of it with MEMBENCH_SOAK=1.
func TestPeakMemory(t *testing.T) {
	const most, calls = 200 << 20, 32
	dir := t.TempDir()
	put := func(name, text string) {
		name = filepath.Join(dir, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o777), os.WriteFile(name, []byte(text), 0o666)); err != nil {
			t.Fatal(err)
		}
	}
	var cases, memories, answers strings.Builder
	for i := range calls {
		id := fmt.Sprintf("c%02d", i)
		cases.WriteString(strings.NewReplacer(`"c1"`, `"`+id+`"`, `"q1"`, `"q`+id+`"`).Replace(secretCase))
		memories.WriteString(strings.NewReplacer("000000000001", "0000000001"+id[1:], `"conv_id":"a"`, `"conv_id":"`+id+`"`).Replace(localSources["en"][1]))
		answers.WriteString(strings.Replace(faultQA, `"q"`, `"`+id+`"`, 1))
		put("chats/"+id+".jsonl", localSources["en"][0])
	}
	put("cases.jsonl", cases.String())
	put("m.jsonl", memories.String())
	put("qa.jsonl", answers.String())
	lines := []string{
		"annotate chats --tagger model --workers 32 -o OUT",
		"claimify m.jsonl --extractor model --workers 32 -o OUT",
		"eval run cases.jsonl --system bm25 --reader model --calls 32 --memories 32 --no-grade -o OUT",
		"eval grade qa.jsonl -p mem0-2025 --judge model --workers 32 -o OUT.jsonl",
		"replay ingest events --model m --store OUT --now 2026-03-01T00:00:00Z",
		"eval run cases.jsonl --system simple-rag{mode:dense} --reader rule --memories 32 --no-grade -o OUT",
	}
	soak := os.Getenv("MEMBENCH_SOAK") != ""
	if soak {
		if r, _ := runWatched(t, start(t, dir, "annotate", "chats", "--tagger", "rule", "-o", "events")); r.code != exitFine {
			t.Fatal(r.stderr)
		}
	}
	peaks := map[string]int64{}
	for n, f := range floods() {
		if !soak && !f.cheap {
			continue
		}
		units := f.units()
		srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { f.send(w, units) }))
		put("membench.yaml", fmt.Sprintf("name: flood\nsources: [chats]\nmodel: {name: m, base_url: %q, tries: 1, timeout: 20s, max_tokens: 100000}\n", srv.URL+"/v1"))
		for i, line := range lines {
			embeds := i == len(lines)-1
			if f.vectors != embeds && (f.vectors || n > 12) || !soak && !embeds && i != 2 {
				continue
			}
			c := start(t, dir, strings.Fields(strings.ReplaceAll(line, "OUT", fmt.Sprintf("out-%d-%d", n, i)))...)
			if embeds {
				c.Env = append(c.Env, "LOCAL_EMBEDDING_BASE_URL="+srv.URL+"/v1", "LOCAL_EMBEDDING_MODEL=e", "OPENAI_TIMEOUT=20")
			}
			r, peak := runWatched(t, c)
			if peaks[line] = max(peaks[line], peak); peak > most {
				t.Errorf("%s, %s: %d MiB, want at most %d", f.name, line, peak>>20, most>>20)
			}
			if r.code < exitFine || r.code > exitFindings || strings.Contains(r.stderr, "goroutine ") || len(r.stderr) < 20 || !soak && r.code != exitFailed {
				t.Errorf("%s, %s: exit %d:\n%.1500s", f.name, line, r.code, r.stderr)
			}
		}
		srv.CloseClientConnections()
		srv.Close()
	}
	for _, line := range slices.Sorted(slices.Values(lines)) {
		if peaks[line] > 0 {
			t.Logf("peak %d MiB: %s", peaks[line]>>20, line)
		}
	}
}
