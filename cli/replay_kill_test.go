package cli

import (
	"bytes"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// The process is killed with SIGKILL at random points, then finished by one more run:
// the store is byte for byte that of an undisturbed run.
func TestReplayKilled(t *testing.T) {
	program, err := exec.LookPath("membench") // testscript puts the test binary there
	if err != nil {
		t.Fatal(err)
	}
	work := t.TempDir()
	events := filepath.Join(work, "events.jsonl")
	var lines strings.Builder
	for conv := range 6 {
		for turn := range 30 {
			fmt.Fprintf(&lines, `{"scene_id":"s","character_id":"bot","conv_id":"ch%02d","turn_id":%d,"role_type":"human","role_name":"Me","content":"I put item %d into drawer %d of cabinet %d.","tags":["episodic"],"meta":{"user_id":"u%d"}}`+"\n", conv, turn+1, turn, turn*conv%7, conv, conv%2)
		}
	}
	if err := os.WriteFile(events, []byte(lines.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	run := func(store string, kill time.Duration) (killed bool) {
		t.Helper()
		c := exec.Command(program, "replay", "ingest", events, "--store", store, "--now", "2026-03-01T12:00:00Z")
		var out bytes.Buffer
		c.Stderr = &out
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		if kill > 0 {
			timer := time.AfterFunc(kill, func() { c.Process.Kill() })
			defer timer.Stop()
		}
		err := c.Wait()
		if err != nil && kill == 0 {
			t.Fatalf("%v: %s", err, out.String())
		}
		return err != nil
	}
	start := time.Now()
	clean := filepath.Join(work, "clean")
	run(clean, 0)
	whole := time.Since(start)
	want := tree(t, clean)
	rng := rand.New(rand.NewPCG(3, 9))
	rounds := 16
	if testing.Short() {
		rounds = 4
	}
	killed := 0
	for i := range rounds {
		store := filepath.Join(work, fmt.Sprint(i))
		for range 1 + rng.IntN(3) {
			if run(store, 1+time.Duration(rng.Int64N(int64(whole)))) {
				killed++
			}
		}
		run(store, 0)
		if have := tree(t, store); have != want {
			t.Fatalf("round %d: the finished store differs from an undisturbed one:\n%s", i, have)
		}
		os.RemoveAll(store)
	}
	t.Logf("killed %d times in %d rounds", killed, rounds)
	if killed == 0 {
		t.Error("no run was killed: the test shows nothing")
	}
}

// tree is every file below dir with its bytes.
func tree(t *testing.T, dir string) string {
	t.Helper()
	var b strings.Builder
	err := filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		raw, err := os.ReadFile(p)
		fmt.Fprintf(&b, "%s\n%s\n", strings.TrimPrefix(p, dir), raw)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}
