//go:build !windows

package cli

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"membench/llm/llmtest"
)

const killedCases = `{"case_id":"c1","dataset":"made","conv_id":"c1","unit":"turn","speakers":["Ana","Ben"],"sessions":[{"session_id":"s1","time":"2026-01-05T10:00:00Z","turns":[{"turn_id":1,"role":"user","name":"Ana","text":"I keep three tortoises on the balcony."},{"turn_id":2,"role":"assistant","name":"Ben","text":"Tortoises grow old."}]},{"session_id":"s2","time":"2026-02-05T10:00:00Z","turns":[{"turn_id":3,"role":"user","name":"Ana","text":"I moved to Lisbon."},{"turn_id":4,"role":"user","name":"Ana","text":"我最喜欢的城市是里斯本。"}]}],"questions":[{"question_id":"q1","question":"How many tortoises does Ana keep?","answer":"three","category":"IE","raw_category":"1","evidence":[{"conv_id":"c1","turn_id":1}]},{"question_id":"q2","question":"最喜欢的城市是哪里？","answer":"里斯本","category":"KU","raw_category":"1","evidence":[{"conv_id":"c1","turn_id":4}]}]}
`

// oneForAll is an answer that each operation of QARP and PCM can read.
const oneForAll = `{"distribution":{"Personal":1},"relation":"novel","conflict_score":0.4,"conflicting":[],"diagnosis":"d","outdated":[],"new_facts":[{"content":"c"}],"reasoning":"r","hypothesis":"Ana likes animals","keywords":["city"],"parts":[],"in_time":false,"latest":false,"threshold":0.65,"hint":"","class":"one","complexity":"one","done":true,"next":"","supported":true,"order":[1,2,3],"items":[{"id":1,"keep":true}],"no_relevant":false}`

// A counted endpoint answers, counts what it is asked, and kills a process instead of
// answering its n-th question.
type counted struct {
	*llmtest.Server
	mu     sync.Mutex
	served map[string]int // by question
	asked  int
	at     int // 0: never
	kill   func()
}

func newCounted(t *testing.T) *counted {
	c := &counted{Server: llmtest.NewServer(), served: map[string]int{}}
	t.Cleanup(c.Close)
	c.Chat = func(r llmtest.ChatRequest) llmtest.Reply {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.asked++
		if c.asked == c.at {
			c.kill() // before it is answered: nothing is paid
			return llmtest.Fault(500, "", "the asker is dead")
		}
		c.served[r.System()+"\x00"+r.Prompt()]++
		if r.ResponseFormat.Type != "" {
			return llmtest.Reply{Text: oneForAll}
		}
		return llmtest.Reply{Text: "three"}
	}
	return c
}

// again lists what was paid for more than once.
func (c *counted) again() (out []string) {
	for _, q := range slices.Sorted(maps.Keys(c.served)) {
		if n := c.served[q]; n > 1 {
			out = append(out, fmt.Sprintf("%d times: %.200q", n, q))
		}
	}
	return out
}

// An experiment that is killed (SIGKILL) at five questions to its model, and twice while
// it writes, goes on to the same tables; nothing is paid for twice. An option of one arm
// asks that arm again and no other.
func TestKilledExperiments(t *testing.T) {
	kinds := []string{"pcm"}
	if os.Getenv("MEMBENCH_SOAK") != "" {
		kinds = append(kinds, "qarp")
	}
	for _, kind := range kinds {
		t.Run(kind, func(t *testing.T) { killExperiment(t, kind) })
	}
}

func killExperiment(t *testing.T, kind string) {
	dir := quickDir(t)
	if err := os.WriteFile(filepath.Join(dir, "cases.jsonl"), []byte(killedCases), 0o666); err != nil {
		t.Fatal(err)
	}
	args := func(srv *counted, out string, more ...string) *exec.Cmd {
		a := []string{"experiment", kind, "cases.jsonl", "--no-times", "--calls", "1", "--memories", "1", "--system-model", "m", "--model", "m", "--base-url", srv.BaseURL(), "--judge", "rule", "-o", out}
		if kind == "qarp" {
			a = append(a, "--failures", "", "--ks", "0")
		}
		return start(t, dir, append(a, more...)...)
	}
	whole := newCounted(t)
	if r := finish1(t, args(whole, "whole")); r.code != 0 {
		t.Fatalf("undisturbed: exit code %d\n%s", r.code, r.stderr)
	}
	if twice := whole.again(); len(whole.served) < 10 || twice != nil {
		t.Fatalf("undisturbed: %d questions, paid again: %v", len(whole.served), twice)
	}

	srv := newCounted(t)
	kills := 0
	for i := range 5 {
		c := args(srv, "killed")
		srv.asked, srv.at = 0, 1+(i+1)*len(whole.served)/7-len(srv.served)
		srv.kill = func() { c.Process.Kill() }
		if srv.at < 1 {
			t.Fatalf("point %d is passed already", i)
		}
		if finish1(t, c).code == -1 {
			kills++
		}
	}
	if kills != 5 {
		t.Fatalf("%d of 5 runs were killed", kills)
	}
	srv.at = 0
	for i := range 2 {
		killAt(t, args(srv, "killed"), 40*(i+1))
	}
	if r := finish1(t, args(srv, "killed")); r.code != 0 {
		t.Fatalf("continued: exit code %d\n%s", r.code, r.stderr)
	}
	if twice := srv.again(); twice != nil || len(srv.served) != len(whole.served) {
		t.Errorf("killed: %d questions, undisturbed %d; paid again: %v", len(srv.served), len(whole.served), twice)
	}
	tables := func(out string) map[string]string {
		all := files(t, filepath.Join(dir, out))
		maps.DeleteFunc(all, func(name, _ string) bool { return strings.HasPrefix(name, "runs/") || !strings.HasSuffix(name, ".csv") })
		return all
	}
	if d := sameFiles(tables("killed"), tables("whole")); d != "" || len(tables("whole")) == 0 {
		t.Errorf("%d tables; %s", len(tables("whole")), d)
	}

	if kind == "pcm" {
		before := len(srv.served)
		one, two := fileTimes(t, dir, "killed/runs/store-all"), fileTimes(t, dir, "killed/runs/pcm")
		if r := finish1(t, args(srv, "killed", "--surprisal-by", "ngram")); r.code != 0 {
			t.Fatalf("another option: exit code %d\n%s", r.code, r.stderr)
		}
		if !maps.Equal(one, fileTimes(t, dir, "killed/runs/store-all")) {
			t.Error("an option of pcm asked store-all again")
		}
		if maps.Equal(two, fileTimes(t, dir, "killed/runs/pcm")) {
			t.Error("an option of pcm did not ask pcm again")
		}
		t.Logf("%d questions; another option asked %d more", before, len(srv.served)-before)
	}
}

// fileTimes are the times of the files below a folder.
func fileTimes(t *testing.T, dir, sub string) map[string]int64 {
	t.Helper()
	out := map[string]int64{}
	for name := range files(t, filepath.Join(dir, sub)) {
		info, err := os.Stat(filepath.Join(dir, sub, name))
		if err != nil {
			t.Fatal(err)
		}
		out[name] = info.ModTime().UnixNano()
	}
	return out
}
