package vector

import "testing"

func TestDot(t *testing.T) {
	var x Index
	if x.Len() != 0 {
		t.Error("the zero index is not empty")
	}
	x.Add([]float32{1, 0, 0, 0, 0})
	i := x.Add([]float32{0, 1, 0, 0, 0})
	x.Set(i, []float32{0, 0, 0, 0.6, 0.8})
	if d := x.Dot([]float32{0, 0, 0, 0, 1}, 1); d < 0.799 || d > 0.801 {
		t.Errorf("have %v, want 0.8", d)
	}
}

func BenchmarkDot(b *testing.B) {
	var x Index
	v := make([]float32, 512)
	for i := range v {
		v[i] = float32(i)
	}
	x.Add(v)
	for b.Loop() {
		x.Dot(v, 0)
	}
}
