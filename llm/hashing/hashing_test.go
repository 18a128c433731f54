package hashing

import (
	"context"
	"math"
	"testing"
)

func cos(a, b []float32) (s float64) {
	for i := range a {
		s += float64(a[i]) * float64(b[i])
	}
	return s
}

func TestVector(t *testing.T) {
	e := New(0)
	if e.Profile() != "hash512" {
		t.Errorf("profile %q", e.Profile())
	}
	for _, c := range [][3]string{ // the first is nearer to the second than to the third
		{"我最喜欢的作家是鲁迅", "你最喜欢哪个作家？", "昨天下雨了"},
		{"I moved to Berlin", "moving to Berlin", "I like tea"},
		{"painting sunsets", "she paints a sunset", "he drives a car"},
	} {
		v := e.Vector(c[0])
		near, far := cos(v, e.Vector(c[1])), cos(v, e.Vector(c[2]))
		if near <= far+0.1 {
			t.Errorf("%q: cos %.3f to %q, %.3f to %q", c[0], near, c[1], far, c[2])
		}
		if n := cos(v, v); math.Abs(n-1) > 1e-6 {
			t.Errorf("length %v, want 1", n)
		}
	}
	if n := cos(e.Vector("……"), e.Vector("……")); n != 0 {
		t.Errorf("a text without letters has length %v, want 0", n)
	}
}

func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := New(64).Embed(ctx, []string{"a"}); err == nil {
		t.Error("no error from a cancelled context")
	}
}

func FuzzVector(f *testing.F) {
	f.Add("a 我\xff")
	e := New(64)
	f.Fuzz(func(t *testing.T, s string) {
		for _, x := range e.Vector(s) {
			if math.IsNaN(float64(x)) {
				t.Fatalf("NaN in the vector of %q", s)
			}
		}
	})
}

func BenchmarkVector(b *testing.B) {
	e := New(0)
	for b.Loop() {
		e.Vector("我最喜欢的作家是夏目漱石, and I moved to Berlin last year")
	}
}
