package store

import (
	"context"
	"errors"
	"slices"
	"testing"

	"membench/llm"
	"membench/llm/hashing"
	"membench/memory"
	"membench/schema"
)

var ctx = context.Background()

func rec(id, text string) Record {
	r := Record{UserID: "u", AgentID: "a"}
	r.ID, r.Text = schema.PointID(id), text
	return r
}

func list(t *testing.T, texts ...string) *Linear {
	t.Helper()
	l := New(Options{Scope: "s", Words: &Words{}, Embed: hashing.New(64)})
	for _, text := range texts {
		put(t, l, rec("", text))
	}
	return l
}

func put(t *testing.T, l *Linear, r Record) {
	t.Helper()
	v, err := One(ctx, l.Embed(), &llm.Usage{}, r.Text)
	if err != nil {
		t.Fatal(err)
	}
	l.AppendVector(r, v)
}

func ids(l *Linear) (out []schema.PointID) {
	for _, r := range l.Records() {
		out = append(out, r.ID)
	}
	return out
}

func TestLinear(t *testing.T) {
	l := list(t, "green tea", "black tea", "rain")
	if have := ids(l); !slices.Equal(have, []schema.PointID{"s:00000001", "s:00000002", "s:00000003"}) || l.Next() != "s:00000004" {
		t.Errorf("have %v, next %s", have, l.Next())
	}
	if l.At(0).Status != memory.StatusActive {
		t.Errorf("status %q", l.At(0).Status)
	}
	l.Remove(1)
	l.Remove(1)
	if _, ok := l.Find("s:00000002"); ok || l.Live(1) || l.Len() != 3 || len(ids(l)) != 2 {
		t.Errorf("removed, and yet there: %v", ids(l))
	}
	if v := l.WordScores(nil, "black"); v[1] != 0 {
		t.Errorf("a removed record scores %v", v)
	}
	if v := l.WordScores(nil, "tea"); v[0] <= 0 || v[2] != 0 {
		t.Errorf("have %v", v)
	}
	if next := l.Next(); next != "s:00000004" { // an id is never given again
		t.Errorf("next %s", next)
	}
}

// Who may see a record: a live one that holds, of the user and agent.
func TestEligible(t *testing.T) {
	l := list(t, "one")
	past := rec("", "two")
	past.Status = memory.StatusInvalid
	other := rec("", "theirs")
	other.UserID = "v"
	for _, r := range []Record{past, rec("", "three"), other} {
		put(t, l, r)
	}
	l.Remove(2)
	for who, want := range map[[2]string][]bool{{"", ""}: {true, false, false, true}, {"u", ""}: {true, false, false, false}, {"v", "a"}: {false, false, false, true}, {"v", "b"}: {false, false, false, false}, {"nobody", ""}: {false, false, false, false}} {
		if have := l.Eligible(who[0], who[1]); !slices.Equal(have, want) {
			t.Errorf("%q: have %v, want %v", who, have, want)
		}
	}
}

type broken struct{ hashing.Embedder }

func (broken) Embed(context.Context, []string) ([][]float32, error) { return nil, errors.New("broken") }

// What cannot be embedded has no vector, nor has anything after its context ended.
func TestEmbeddingFails(t *testing.T) {
	if v, err := One(ctx, broken{hashing.New(8)}, &llm.Usage{}, "tea"); err == nil {
		t.Errorf("have %v, want an error", v)
	}
	dead, cancel := context.WithCancel(ctx)
	cancel()
	if v, err := One(dead, hashing.New(8), &llm.Usage{}, "tea"); err == nil {
		t.Errorf("have %v, want an error", v)
	}
}

// What is done to a copy is not done to the list, and the other way.
func TestClone(t *testing.T) {
	l := list(t, "green tea", "rain")
	c := l.Clone()
	put(t, c, rec("", "snow"))
	c.Remove(0)
	c.SetVector(1, make([]float32, 64))
	c.At(1).Text = "changed"
	if !l.Live(0) || l.Len() != 2 || l.At(1).Text != "rain" || !l.Eligible("u", "a")[1] || l.WordScores(nil, "snow")[0] != 0 || l.WordScores(nil, "green")[0] == 0 {
		t.Errorf("the list changed with its copy: %v", ids(l))
	}
	if slices.Equal(l.Vector(1), c.Vector(1)) {
		t.Error("a vector is shared")
	}
	l.Remove(1)
	if !c.Live(1) || c.Len() != 3 {
		t.Error("the copy changed with its list")
	}
}
