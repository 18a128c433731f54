package main

import (
	"math"
	"os"

	"membench/eval/judge"
	"membench/internal/codec"
)

// writePart changes a part of the weights in the program, with six digits: enough, and short.
func writePart(change func(*judge.Model) error) error {
	const path = "../eval/judge/weights.json"
	var m judge.Model
	if err := readJSON(path, &m); err != nil {
		return err
	}
	if err := change(&m); err != nil {
		return err
	}
	for _, x := range []*judge.Model{&m, m.Long, m.Sure} {
		if x != nil {
			shorten(x)
		}
	}
	b, err := codec.Append(nil, &m, codec.Compact)
	if err != nil {
		return err
	}
	return os.WriteFile(path, append(b, '\n'), 0o644)
}

func shorten(m *judge.Model) {
	short := func(v []float64) {
		for i := range v {
			v[i] = digits(v[i])
		}
	}
	short(m.Mean)
	short(m.Weights)
	m.Bias = digits(m.Bias)
	m.Thresholds.Trained = digits(m.Thresholds.Trained)
	for _, t := range m.Trees {
		short(t.At)
		short(t.Value)
	}
}

func digits(v float64) float64 {
	if v == 0 || math.IsInf(v, 0) || math.IsNaN(v) {
		return v
	}
	p := math.Pow(10, 5-math.Floor(math.Log10(math.Abs(v))))
	return math.Round(v*p) / p
}
