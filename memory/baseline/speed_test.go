//go:build unix

package baseline_test

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"membench/memory"
	"membench/memory/all"
	"membench/memory/memorytest"
)

// cpu is the processor time that this process has used: other work on the machine does
// not count.
func cpu(t *testing.T) time.Duration {
	t.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		t.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// TestTenThousandTurns stores 10,000 turns in every system by rule (with MEMBENCH_SOAK;
// else 300) and asks 20 questions after 1,000 and after all. It prints what docs/systems.md
// keeps, and fails above a minute of
// storing, in processor time, or 400 MiB.
func TestTenThousandTurns(t *testing.T) {
	turns := 300
	if os.Getenv("MEMBENCH_SOAK") != "" {
		turns = 10_000
	}
	people := []string{"Ines", "Marco", "Lena", "Tomas", "Greta", "Ravi"}
	verbs := []string{"moved to", "visited", "likes", "works in", "bought a boat in", "met a friend in"}
	towns := []string{"Porto", "Lisbon", "Turin", "Ghent", "Malmo", "Bergen", "Graz"}
	text := func(i int) string {
		return fmt.Sprintf("My friend %s %s %s and counted %d %s there on day %d.", people[i%6], verbs[i/6%6], towns[i/36%7], 3+i%97, []string{"bridges", "kites", "bakers", "herons", "trams"}[i%5], i)
	}
	var rows strings.Builder
	defer func() {
		if *update && turns == 10_000 {
			if err := os.WriteFile("testdata/speed.tsv", []byte(rows.String()), 0o666); err != nil {
				t.Error(err)
			}
		}
	}()
	for _, spec := range all.Specs() {
		if only := os.Getenv("MEMBENCH_SYSTEMS"); only != "" && !slices.Contains(strings.Split(only, ","), spec.Name) {
			continue
		}
		t.Run(spec.Name, func(t *testing.T) {
			m := open(t, spec.Name, "", memory.Deps{})
			var took [2]time.Duration
			var asked [2]float64
			start := cpu(t)
			ask20 := func(n int) float64 {
				var ms []float64
				for i := range 20 {
					from := cpu(t)
					if _, err := m.Retrieve(context.Background(), memory.Query{Text: fmt.Sprintf("How many %s did %s count in %s?", []string{"kites", "trams"}[i%2], people[i%6], towns[i%7]), K: 10}); err != nil {
						t.Fatal(err)
					}
					ms = append(ms, float64((cpu(t)-from).Microseconds())/1000)
				}
				return percentile(ms, .95)
			}
			for from := 0; from < turns; from += 50 {
				b := memorytest.Batch("c")
				b.Session, b.Key = fmt.Sprint("s", from/50), fmt.Sprint(from)
				for i := from; i < min(turns, from+50); i++ {
					role := "user"
					if i%2 == 1 {
						role = "assistant"
					}
					turn := memorytest.Turn("c", i+1, role, text(i))
					turn.Time = time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC).Add(time.Duration(i) * time.Hour).Format(time.RFC3339)
					b.Turns = append(b.Turns, turn)
				}
				if _, err := m.Ingest(context.Background(), b); err != nil {
					t.Fatal(err)
				}
				if _, err := memory.Finish(context.Background(), m, b.Session); err != nil {
					t.Fatal(err)
				}
				if from+50 == 1000 {
					took[0] = cpu(t) - start
					asked[0] = ask20(1000)
					start = cpu(t) - took[0]
				}
			}
			took[1] = cpu(t) - start
			asked[1] = ask20(turns)
			var mem runtime.MemStats
			runtime.GC()
			runtime.ReadMemStats(&mem)
			row := fmt.Sprintf("%s\t%.1f\t%.1f\t%.1f\t%.1f\t%d", spec.Name, took[0].Seconds(), took[1].Seconds(), asked[0], asked[1], mem.HeapAlloc>>20)
			t.Log("SPEED " + row)
			rows.WriteString(row + "\n")
			if took[1] > time.Minute {
				t.Errorf("storing %d turns took %v, want a minute at most", turns, took[1])
			}
			if mem.HeapAlloc > 400<<20 {
				t.Errorf("%d MiB held, want 400 at most", mem.HeapAlloc>>20)
			}
			runtime.KeepAlive(m)
		})
	}
}
