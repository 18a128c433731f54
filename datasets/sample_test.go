package datasets_test

import (
	"fmt"
	"reflect"
	"testing"

	"membench/datasets"
	"membench/schema"
)

func TestDraw(t *testing.T) {
	var c schema.Case
	for i := range 100 {
		raw := []string{"a", "a", "a", "a", "a", "a", "b", "b", "b", "c"}[i%10]
		c.Questions = append(c.Questions, schema.Question{ID: fmt.Sprint("q", i), Category: "IE", RawCategory: raw})
	}
	draw := func(n int, seed uint64, cs ...schema.Case) datasets.Sampling {
		var s datasets.Sampler
		for _, c := range cs {
			s.Add(c, seed)
		}
		return s.Draw(n, seed)
	}
	s := draw(20, 7, c)
	if want := map[string]int{"IE a": 12, "IE b": 6, "IE c": 2}; s.Taken != 20 || s.Of != 100 || !reflect.DeepEqual(s.Strata, want) {
		t.Errorf("%+v, want %v", s, want)
	}
	half := schema.Case{Questions: c.Questions[50:]}
	other := schema.Case{Questions: c.Questions[:50]}
	if again := draw(20, 7, half, other); !reflect.DeepEqual(again.IDs, s.IDs) {
		t.Error("the order of cases changes the draw")
	}
	if reflect.DeepEqual(draw(20, 8, c).IDs, s.IDs) {
		t.Error("another seed draws the same")
	}
	for _, n := range []int{1, 3, 7, 33, 99, 100, 500} {
		if s := draw(n, 1, c); s.Taken != min(n, 100) || len(s.IDs) != s.Taken {
			t.Errorf("n %d: %d taken", n, s.Taken)
		}
	}
	if s := draw(5, 1); s.Taken != 0 || s.IDs == nil {
		t.Errorf("of nothing: %+v", s)
	}
	cut := schema.Case{Questions: append([]schema.Question{}, c.Questions...)}
	if !s.Cut(&cut) || len(cut.Questions) != 20 {
		t.Errorf("%d questions left", len(cut.Questions))
	}
}
