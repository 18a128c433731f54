package neo4j

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"membench/graph"
	"membench/graph/graphtest"
	"membench/schema"
)

// A second writer is told who holds the scope, waits where it may, and a lease whose
// holder is gone is taken over; the holder then writes nothing more.
func TestLease(t *testing.T) {
	ctx := context.Background()
	a := open(t)
	b := openScope(t, a.scope)
	release, err := a.Hold(ctx, HoldOptions{})
	if err != nil {
		t.Fatal(err)
	}
	host, _ := os.Hostname()
	who := fmt.Sprintf("process %d on %s", os.Getpid(), host)
	one := seq(graphtest.Node("user:a", "User", ""))
	_, err = Load(ctx, b, one, LoadOptions{})
	if !errors.Is(err, ErrHeld) || !strings.Contains(err.Error(), who) {
		t.Errorf("a second load: have %v, want %v and %q", err, ErrHeld, who)
	}
	if _, err = b.Apply(ctx, oneNode); !errors.Is(err, ErrHeld) {
		t.Errorf("a change beside a load: have %v", err)
	}
	if _, err := b.Empty(ctx, EmptyOptions{}); !errors.Is(err, ErrHeld) {
		t.Errorf("clear beside a load: have %v", err)
	}
	if n, e, err := b.Size(ctx); n+e != 0 || err != nil {
		t.Errorf("the refused wrote %d nodes and %d edges, %v", n, e, err)
	}
	load(t, a, one, LoadOptions{}) // who holds it may
	waited := ""
	done := make(chan error, 1)
	go func() {
		_, err := Load(ctx, b, seq(graphtest.Node("user:b", "User", "")), LoadOptions{Prune: true, Hold: HoldOptions{Wait: time.Minute, Waiting: func(why error) { waited = why.Error(); release() }}})
		done <- err
	}()
	if err := <-done; err != nil || !strings.Contains(waited, who) {
		t.Errorf("after waiting: have %v, said %q", err, waited)
	}
	wholeGraph(t, a, seq(graphtest.Node("user:b", "User", "")))

	// The lease runs out while its holder sleeps, and another takes it.
	if release, err = a.Hold(ctx, HoldOptions{}); err != nil {
		t.Fatal(err)
	}
	defer release()
	if err := b.schemaChange(ctx, "MATCH (g:MembenchLoad) WHERE g.token = '"+a.token()+"' SET g.until = 1"); err != nil {
		t.Fatal(err)
	}
	load(t, b, one, LoadOptions{Prune: true})
	if _, err = Load(ctx, a, seq(graphtest.Node("user:c", "User", "")), LoadOptions{}); !errors.Is(err, ErrLost) {
		t.Errorf("the one who slept: have %v, want %v", err, ErrLost)
	}
	wholeGraph(t, b, one)
	if h, err := b.Held(ctx); err != nil || h.Digest == "" {
		t.Errorf("the digest of the second is gone: %+v %v", h, err)
	}
}

// Loads at the same time into one scope leave one of their graphs, whole, and whoever
// did not make it is told so. 4 pairs; 100 with MEMBENCH_SOAK.
func TestConcurrentLoads(t *testing.T) {
	ctx := context.Background()
	nodes, edges := generated(60)
	one := append(slices.Clone(nodes), edges...)
	other := slices.Clone(one[20:60])
	for i := range 30 {
		other = append(other, graphtest.Node(fmt.Sprint("user:other", i), "User", `{"n":1}`))
	}
	sorted := func(es []schema.Element) schema.Seq[schema.Element] { return graph.Sort(seq(es...), graph.Compare) }
	prune := func(es []schema.Element) func(*DB) error {
		return func(db *DB) error {
			_, err := Load(ctx, db, seq(es...), LoadOptions{Prune: true, Batch: 20, Sessions: 2})
			return err
		}
	}
	delta := func(from, to []schema.Element) func(*DB) error {
		return func(db *DB) error {
			d, err := DigestOf(ctx, db, seq(from...))
			if err != nil {
				return err
			}
			_, err = LoadChanges(ctx, db, graph.Diff(sorted(from), sorted(to)), LoadOptions{From: &d, Batch: 20})
			return err
		}
	}
	third := slices.Clone(one[:40])
	pairs := []struct {
		name  string
		loads [2]func(*DB) error
		ends  [][]schema.Element // what each leaves
	}{
		{"same", [2]func(*DB) error{prune(one), prune(one)}, [][]schema.Element{one, one}},
		{"different", [2]func(*DB) error{prune(other), prune(third)}, [][]schema.Element{other, third}},
		{"delta", [2]func(*DB) error{delta(one, other), delta(one, third)}, [][]schema.Element{other, third}},
		{"clear", [2]func(*DB) error{prune(other), func(db *DB) error { _, err := db.Empty(ctx, EmptyOptions{}); return err }}, [][]schema.Element{other, nil}},
	}
	rounds := len(pairs)
	if soak() {
		rounds = 100
	}
	dbs := [2]*DB{open(t), nil}
	dbs[1] = openScope(t, dbs[0].scope)
	told := 0
	for i := range rounds {
		p := pairs[i%len(pairs)]
		load(t, dbs[0], seq(one...), LoadOptions{Prune: true})
		var errs [2]error
		var wg sync.WaitGroup
		for k := range 2 {
			wg.Go(func() {
				time.Sleep(time.Duration(i/len(pairs)*k) * time.Millisecond)
				errs[k] = p.loads[k](dbs[k])
			})
		}
		wg.Wait()
		var whole []int
		for k := range 2 {
			if errs[k] != nil {
				told++
				if !errors.Is(errs[k], ErrHeld) && !errors.Is(errs[k], ErrChanged) {
					t.Errorf("%s: %v", p.name, errs[k])
				}
			}
			v, err := Verify(ctx, dbs[0], seq(p.ends[k]...), VerifyOptions{})
			if err != nil {
				t.Fatal(err)
			}
			if v.Good() && v.Others == 0 {
				whole = append(whole, k)
			}
		}
		if len(whole) == 0 || !slices.ContainsFunc(whole, func(k int) bool { return errs[k] == nil }) {
			t.Errorf("%s, round %d: the scope holds the graphs of %v, errors %v", p.name, i, whole, errs)
		}
		if errs[0] == nil && errs[1] == nil && p.name == "delta" {
			t.Errorf("two deltas from one graph both succeeded")
		}
	}
	t.Logf("%d pairs, %d loads refused", rounds, told)
}
