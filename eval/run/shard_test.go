package run_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"membench/eval/records"
	"membench/eval/run"
	"membench/memory"
	"membench/schema"
)

// killed starts a shard whose memories end the run at their n-th batch, then takes some
// bytes from the end of its journal, as a crash of the machine may.
func killed(t *testing.T, o run.Options, n int64) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var seen atomic.Int64
	o.Systems = append([]run.System(nil), o.Systems...)
	o.Systems[0].System = hooked{System: o.Systems[0].System, ingest: func(ctx context.Context, m memory.Memory, b memory.Batch) (memory.Receipt, error) {
		if seen.Add(1) == n {
			cancel()
			return memory.Receipt{}, context.Canceled
		}
		return m.Ingest(ctx, b)
	}}
	if _, err := run.Run(ctx, o); err == nil {
		t.Fatal("the run was not ended")
	}
	path := filepath.Join(o.Dir, "journal", "0000.log")
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(path, max(0, info.Size()-7)); err != nil {
		t.Fatal(err)
	}
}

// joined reads shards and joins them into a folder.
func joined(ctx context.Context, list []schema.Case, dir string, dirs ...string) error {
	s, err := run.ReadShards(dirs)
	if err != nil {
		return err
	}
	end, err := s.Begin(dir)
	if err != nil {
		return err
	}
	defer end()
	files, err := s.Join(ctx, dir, []run.Set{set(list)}, run.SessionsFile, run.QAFile, records.ContextsFile)
	if err == nil {
		_, err = s.Finish(dir, files)
	}
	return err
}

// TestShards: eight shards, some without a case of their own and some ended halfway and
// started again, are joined into the folder of the run that one process makes.
func TestShards(t *testing.T) {
	list := cases(9)
	for _, c := range []struct {
		repeats int
		anew    bool
	}{{1, false}, {2, false}, {2, true}} {
		t.Run(fmt.Sprintf("%d,%v", c.repeats, c.anew), func(t *testing.T) {
			dir := t.TempDir()
			options := func(name string) run.Options {
				o := of(t, filepath.Join(dir, name), list, "bm25", "abstain")
				o.Repeats, o.Reingest = c.repeats, c.anew
				return o
			}
			must(t, options("whole"))
			var dirs []string
			empty := 0
			for i := range 8 {
				o := options(fmt.Sprintf("part-%d", i))
				o.Shard = run.Shard{I: i, Of: 8}
				n := 0
				for _, c := range list {
					if o.Shard.Has(c.ID) {
						n++
					}
				}
				o.Sets[0].Size = run.Size{Cases: n, Questions: 3 * n}
				if n == 0 {
					empty++
				}
				if n > 1 {
					killed(t, o, 3)
					if err := joined(t.Context(), list, filepath.Join(dir, "none"), o.Dir); err == nil || !strings.Contains(err.Error(), "is not finished") {
						t.Errorf("an unfinished shard: %v", err)
					}
				}
				res := must(t, o)
				if want := n * 2 * 3 * c.repeats; res.Questions != want {
					t.Errorf("shard %v: %d questions, want %d", o.Shard, res.Questions, want)
				}
				dirs = append([]string{o.Dir}, dirs...)
			}
			if empty == 0 {
				t.Error("every shard has a case: one without is not tested")
			}
			if err := joined(t.Context(), list, filepath.Join(dir, "joined"), dirs...); err != nil {
				t.Fatal(err)
			}
			for _, name := range []string{run.SessionsFile, run.QAFile, records.ContextsFile, "journal/config.json", "journal/done.json"} {
				a, err := os.ReadFile(filepath.Join(dir, "whole", name))
				if err != nil {
					t.Fatal(err)
				}
				if b, err := os.ReadFile(filepath.Join(dir, "joined", name)); err != nil || !bytes.Equal(a, b) {
					t.Errorf("%s differs from the whole run's (%v)", name, err)
				}
			}
			if res := must(t, options("joined")); res.Known != res.Questions {
				t.Errorf("%d of %d questions of the joined run are known", res.Known, res.Questions)
			}
		})
	}
}

// TestShardsRefused: what is not the whole of one run is not joined.
func TestShardsRefused(t *testing.T) {
	dir, list := t.TempDir(), cases(4)
	part := func(name string, i, n int, change func(*run.Options)) string {
		o := of(t, filepath.Join(dir, name), list, "bm25")
		o.Shard = run.Shard{I: i, Of: n}
		if change != nil {
			change(&o)
		}
		must(t, o)
		return o.Dir
	}
	a, b := part("a", 0, 2, nil), part("b", 1, 2, nil)
	whole := part("whole", 0, 0, nil)
	changed := part("changed", 1, 2, nil)
	if err := os.WriteFile(filepath.Join(changed, run.QAFile), []byte("{}\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	other := part("other", 1, 2, func(o *run.Options) { o.K = 3 })
	data := part("data", 1, 2, func(o *run.Options) { o.Sets[0].Digest = "another" })
	for _, c := range []struct {
		to, want string
		dirs     []string
	}{
		{"x", "shards are missing: 1/2", []string{a}},
		{"x", "shard 0/2 appears twice", []string{a, a}},
		{"x", "hits of bm25: the run there has 10, this one 3", []string{a, other}},
		{"x", "data set made: the run there has 4, this one another", []string{a, data}},
		{"x", "is a whole run, not a shard", []string{a, whole}},
		{"x", "not those that it wrote", []string{a, changed}},
		{"x", "want shards of one run", []string{a, part("third", 1, 3, nil)}},
		{"x", "not the folder of a run", []string{a, dir}},
		{"a", "is a shard", []string{a, b}},
		{"other", "holds a run of another configuration", []string{a, b}},
	} {
		if err := joined(t.Context(), list, filepath.Join(dir, c.to), c.dirs...); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: have %v, want %q", c.dirs, err, c.want)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "x", run.QAFile)); err == nil {
		t.Error("a refused join wrote records")
	}
	for _, text := range []string{"", "1", "4/4", "-1/4", "0/0", "a/b"} {
		if s, err := run.ParseShard(text); err == nil {
			t.Errorf("ParseShard(%q) = %v", text, s)
		}
	}
}
