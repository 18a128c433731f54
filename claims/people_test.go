package claims

import (
	"slices"
	"strings"
	"testing"

	"membench/schema"
)

// said makes memories of lines "Name: text", one a day.
func said(t *testing.T, conv string, lines ...string) []schema.MemoryExport {
	t.Helper()
	var out []schema.MemoryExport
	for i, l := range lines {
		name, text, _ := strings.Cut(l, ": ")
		m := memory(i+1, conv, "[User] "+text)
		m.Payload = m.Payload.Without("user_id", "agent_id", "character_id")
		var err error
		if m.Payload, err = m.Payload.With("actor_id", name); err != nil {
			t.Fatal(err)
		}
		out = append(out, m)
	}
	return out
}

func claimsOf(t *testing.T, o Options, ms ...schema.MemoryExport) (out []*schema.Claim) {
	t.Helper()
	m := NewMerger(nil, "")
	for r, err := range Extract(t.Context(), seq(ms...), o) {
		if err != nil {
			t.Fatal(err)
		}
		if _, err := m.Add(r.V); err != nil {
			t.Fatal(err)
		}
	}
	for _, s := range m.All() {
		if s.Claim != nil {
			out = append(out, s.Claim)
		}
	}
	return out
}

// The same name in two conversations is two people, and nobody's words outdate another's.
func TestPeopleApart(t *testing.T) {
	lines := []string{"Ann: My favorite color is blue.", "Ben: My favorite color is red.", "Ann: I like coffee.", "Ben: I don't like coffee."}
	cs := claimsOf(t, Options{}, append(said(t, "c1", lines...), said(t, "c2", lines...)...)...)
	subjects := map[schema.EntityID]bool{}
	for _, c := range cs {
		subjects[c.Subject.ID] = true
		if c.Status != schema.StatusActive {
			t.Errorf("%s is %s by %s", c.ID, c.Status, c.SupersededBy)
		}
	}
	for _, want := range []schema.EntityID{"person:c1/Ann", "person:c1/Ben", "person:c2/Ann", "person:c2/Ben"} {
		if !subjects[want] {
			t.Errorf("have %v, want %s", subjects, want)
		}
	}
}

// Mentions mean people: kin, pronouns, the one who listens.
func TestMentions(t *testing.T) {
	cs := claimsOf(t, Options{}, said(t, "c", "Ann: My sister works as a nurse.", "Ann: She loves pottery.", "Ben: Your sister lives in Lyon.", "Ben: I love pottery too.")...)
	want := map[string]bool{"person:c/Ann's sister": false}
	for _, c := range cs {
		if _, ok := want[string(c.Subject.ID)]; ok && c.Predicate == "WORKS_AS" {
			want[string(c.Subject.ID)] = true
		}
		if c.Predicate == "LIVES_IN" && c.Subject.ID != "person:c/Ann's sister" {
			t.Errorf("your sister in Ben's words: have %s", c.Subject.ID)
		}
	}
	for k, ok := range want {
		if !ok {
			t.Errorf("nothing about %s", k)
		}
	}
}

// What was sold is not owned, what used to be is not now, and when it happened is not
// when it was said.
func TestFactsOverTime(t *testing.T) {
	cs := claimsOf(t, Options{}, said(t, "c", "Ann: I own a Golf.", "Ann: I sold the Golf.", "Ann: I visited Lisbon in May 2023.")...)
	at := slices.IndexFunc(cs, func(c *schema.Claim) bool { return c.Predicate == "OWNS" })
	if at < 0 || cs[at].Status != schema.StatusDeprecated || cs[at].Reason != ReasonContradicted {
		t.Errorf("the Golf: have %+v", cs)
	}
	for _, c := range cs {
		if c.Predicate == "VISITED" && c.Evidence[0].EventTime != "2023-05" {
			t.Errorf("Lisbon: have %+v", c.Evidence[0])
		}
	}
}
