package claims

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"membench/schema"
)

func claimOf(pred, obj string, rank int, day int) schema.Statement {
	def, _ := testCatalog.Predicate(pred)
	typ := def.Objects[0]
	c := &schema.Claim{RecordType: "claim", Predicate: pred, Domain: def.Domain, Subject: schema.Ref{Type: "User", ID: "user:lin"}, Object: schema.Ref{Type: typ, ID: schema.EntityID(strings.ToLower(typ) + ":" + obj)},
		Confidence: 0.9, Status: "active", UpdatedAt: fmt.Sprintf("2026-03-%02dT00:00:00Z", day), By: schema.ByRule,
		Evidence: []schema.Evidence{{Memory: schema.MemoryID(fmt.Sprintf("mem:%d", day)), Point: schema.PointID(fmt.Sprint(day)), CreatedAt: fmt.Sprintf("2026-03-%02dT00:00:00Z", day)}}}
	c.ID = schema.Mint{V: schema.Latest}.Claim(pred, def.Domain, c.Subject.ID, c.Object.ID)
	if rank > 0 {
		c.Rank = &rank
	}
	return schema.Statement{Claim: c}
}

func statusOf(m *Merger) map[string]string {
	out := map[string]string{}
	for _, s := range m.All() {
		if s.Claim != nil {
			out[s.Claim.Predicate+" "+schema.NameOf(s.Claim.Object.ID)] = strings.TrimSpace(s.Claim.Status + " " + s.Claim.Reason + " " + schema.NameOf(schema.EntityID(s.Claim.SupersededBy)))
		}
	}
	return out
}

// A → B → A leaves A active, and both are kept.
func TestConflicts(t *testing.T) {
	m := NewMerger(testCatalog, "")
	add := func(s schema.Statement) int {
		changed, err := m.Add(s)
		if err != nil {
			t.Fatal(err)
		}
		return len(changed)
	}
	add(claimOf("PREFERS_AUTHOR", "A", 1, 1))
	if n := add(claimOf("PREFERS_AUTHOR", "B", 1, 2)); n != 2 {
		t.Errorf("the second favourite changed %d claims, want 2", n)
	}
	if got := statusOf(m); got["PREFERS_AUTHOR A"] != "deprecated superseded PREFERS_AUTHOR|reading|user:lin|author:B" || got["PREFERS_AUTHOR B"] != "active" {
		t.Errorf("have %v", got)
	}
	add(claimOf("PREFERS_AUTHOR", "A", 1, 3))
	if got := statusOf(m); got["PREFERS_AUTHOR A"] != "active" || !strings.HasPrefix(got["PREFERS_AUTHOR B"], "deprecated") {
		t.Errorf("A → B → A: have %v", got)
	}
	add(claimOf("DISLIKES_AUTHOR", "A", 0, 4))
	if got := statusOf(m); !strings.HasPrefix(got["PREFERS_AUTHOR A"], "deprecated contradicted") || got["DISLIKES_AUTHOR A"] != "active" {
		t.Errorf("denied: have %v", got)
	}
	// No rank, no conflict.
	add(claimOf("PREFERS_TOPIC", "x", 0, 1))
	add(claimOf("PREFERS_TOPIC", "y", 0, 2))
	if got := statusOf(m); got["PREFERS_TOPIC x"] != "active" || got["PREFERS_TOPIC y"] != "active" {
		t.Errorf("unranked: have %v", got)
	}
	// One instant: neither is older.
	add(claimOf("PREFERS_TOPIC", "p", 1, 9))
	add(claimOf("PREFERS_TOPIC", "q", 1, 9))
	if got := statusOf(m); got["PREFERS_TOPIC p"] != "active" || got["PREFERS_TOPIC q"] != "active" {
		t.Errorf("tied: have %v", got)
	}
	old := NewMerger(testCatalog, schema.V001)
	old.Add(claimOf("PREFERS_AUTHOR", "A", 1, 1))
	old.Add(claimOf("PREFERS_AUTHOR", "B", 1, 2))
	if got := statusOf(old); got["PREFERS_AUTHOR A"] != "active" || got["PREFERS_AUTHOR B"] != "active" {
		t.Errorf("0.0.1 leaves both active: have %v", got)
	}
}

func TestSingleName(t *testing.T) {
	m := NewMerger(testCatalog, "")
	for i, v := range []string{"threshold=1s", "threshold=800ms", "replicas=3"} {
		s := claimOf("HAS_SETTING", v, 0, 1+i)
		s.Claim.Subject = schema.Ref{Type: "Service", ID: "service:order-api"}
		s.Claim.ID = schema.Mint{V: schema.Latest}.Claim("HAS_SETTING", "ops", s.Claim.Subject.ID, s.Claim.Object.ID)
		if _, err := m.Add(s); err != nil {
			t.Fatal(err)
		}
	}
	got := statusOf(m)
	if !strings.HasPrefix(got["HAS_SETTING threshold=1s"], "deprecated") || got["HAS_SETTING threshold=800ms"] != "active" || got["HAS_SETTING replicas=3"] != "active" {
		t.Errorf("have %v", got)
	}
}

// Adding one by one ends where compiling does, in any order.
func TestMergerOrderFree(t *testing.T) {
	for seed := range uint64(40) {
		r := rand.New(rand.NewPCG(seed, 3))
		var all []schema.Statement
		for range 30 {
			pred := []string{"PREFERS_AUTHOR", "DISLIKES_AUTHOR", "FAVORITE_WORK"}[r.IntN(3)]
			s := claimOf(pred, string(rune('A'+r.IntN(3))), r.IntN(3), 1+r.IntN(20))
			s.Claim.Confidence = schema.Confidence(60+r.IntN(30)) / 100
			all = append(all, s)
		}
		dump := func(add func(m *Merger, s schema.Statement), settle bool) string {
			m := NewMerger(testCatalog, "")
			for _, i := range r.Perm(len(all)) {
				add(m, all[i])
			}
			if settle {
				m.settleAll()
			}
			var b strings.Builder
			for _, s := range m.All() {
				line, _ := encodeStatement(s, schema.Latest)
				b.Write(append(line, '\n'))
			}
			return b.String()
		}
		fold := func(m *Merger, s schema.Statement) { m.fold(s, schema.Pos{}) }
		one := func(m *Merger, s schema.Statement) { m.Add(s) }
		want := dump(fold, true)
		for range 3 {
			if got := dump(fold, true); got != want {
				t.Fatalf("seed %d: order matters:\n%s", seed, firstDiff(got, want))
			}
			if got := dump(one, false); got != want {
				t.Fatalf("seed %d: one by one differs:\n%s", seed, firstDiff(got, want))
			}
		}
	}
}

// 0.0.1: times compare as text, the first record of two comes first, evidence of one
// point and two memories is kept.
func TestMerge001(t *testing.T) {
	a, b := claimOf("PREFERS_AUTHOR", "A", 0, 1), claimOf("PREFERS_AUTHOR", "A", 0, 1)
	a.Claim.Evidence[0].CreatedAt, a.Claim.UpdatedAt = "2026-02-24T23:50:00-08:00", "2026-02-24T23:50:00-08:00"
	b.Claim.Evidence[0].CreatedAt, b.Claim.UpdatedAt = "2026-02-25T00:10:00Z", "2026-02-25T00:10:00Z"
	b.Claim.Evidence[0].Memory = "mem:other"
	for v, want := range map[schema.Version]string{schema.V001: "2026-02-25T00:10:00Z", schema.V010: "2026-02-24T23:50:00-08:00"} {
		m := NewMerger(testCatalog, v)
		m.Add(a)
		m.Add(b)
		c := m.All()[0].Claim
		if c.UpdatedAt != want || len(c.Evidence) != 2 {
			t.Errorf("%s: updated %s with %d evidence, want %s with 2", v, c.UpdatedAt, len(c.Evidence), want)
		}
	}
}
