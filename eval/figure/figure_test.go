package figure_test

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"testing"

	"membench/eval/figure"
	"membench/schema"
)

func TestCell(t *testing.T) {
	var c figure.Cell
	if f := c.Figure(figure.Options{}); f.Value != nil || f.Strict != nil || f.N != 0 || c.Binary() {
		t.Errorf("of nothing: %+v", f)
	}
	one, half := 1.0, 0.5
	c.Add("a", "1", &schema.Grade{Outcome: schema.GradeNA})
	c.Add("a", "2", &schema.Grade{Outcome: schema.GradeScored, Score: &one})
	c.Add("b", "2", &schema.Grade{Outcome: schema.GradeScored, Score: &one})
	if !c.Binary() {
		t.Error("two ones are verdicts")
	}
	c.Add("b", "3", &schema.Grade{Outcome: schema.GradeScored, Score: &half})
	c.Add("b", "4", &schema.Grade{Outcome: schema.GradeJudgeFailed})
	f := c.Figure(figure.Options{})
	if c.Binary() || f.N != 3 || f.Unscored != 1 || f.Clusters != 2 || math.Abs(*f.Value-2.5/3) > 1e-12 || math.Abs(*f.Strict-2.5/4) > 1e-12 {
		t.Errorf("%+v", f)
	}
	if *f.Lo > *f.Value || *f.Hi < *f.Value || *f.ClusterLo > *f.ClusterHi {
		t.Errorf("%+v", f)
	}
}

func TestSumHasNoOrder(t *testing.T) {
	if a, b := figure.Sum([]float64{.1, .2, .3, .7}), figure.Sum([]float64{.7, .3, .2, .1}); a != b {
		t.Errorf("%v, %v", a, b)
	}
	if figure.Defined(math.NaN()) != nil || figure.Defined(math.Inf(1)) != nil || *figure.Defined(0) != 0 {
		t.Error("NaN is null, 0 is 0")
	}
	if figure.Spread(nil) != nil || figure.Mean(nil) == 0 {
		t.Error("of nothing there is no mean")
	}
}

// A cell in which grades were exchanged is the cell of the later grades, repeats and all.
func TestReplace(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	random := func() schema.Grade {
		switch x := float64(r.IntN(3)) / 2; r.IntN(4) {
		case 0:
			return schema.Grade{Outcome: schema.GradeNA}
		case 1:
			return schema.Grade{Outcome: schema.GradeJudgeFailed}
		default:
			return schema.Grade{Outcome: schema.GradeScored, Score: &x}
		}
	}
	for range 200 {
		var before, after figure.Cell
		type one struct {
			c, q     string
			old, now schema.Grade
		}
		var list []one
		for i := range 12 {
			x := one{fmt.Sprint("c", i%3), fmt.Sprint("q", i/2), random(), random()}
			before.Add(x.c, x.q, &x.old)
			list = append(list, x)
		}
		kept := before.Figure(figure.Options{})
		have := before.Clone()
		for i, x := range list {
			if i%2 == 0 {
				have.Replace(x.c, x.q, &x.old, &x.now)
				after.Add(x.c, x.q, &x.now)
			} else {
				after.Add(x.c, x.q, &x.old)
			}
		}
		if a, b := have.Figure(figure.Options{}), after.Figure(figure.Options{}); !reflect.DeepEqual(a, b) {
			t.Fatalf("have %+v\nwant %+v", a, b)
		}
		if !reflect.DeepEqual(before.Figure(figure.Options{}), kept) {
			t.Fatal("the clone's changes reached the cell")
		}
	}
}

// Asking a question again measures nothing new: with every answer the same, the figures and both intervals are those of one repeat. Questions that all score
// one half are not certain.
func TestRepeatsOfAFigure(t *testing.T) {
	figureOf := func(repeats int, score func(i int) float64) schema.Figure {
		var c figure.Cell
		for i := range 64 {
			x := score(i)
			for range repeats {
				c.Add(fmt.Sprint("case", i%8), fmt.Sprint("q", i), &schema.Grade{Outcome: schema.GradeScored, Score: &x})
			}
		}
		return c.Figure(figure.Options{})
	}
	right := func(i int) float64 { return float64(i % 3 % 2) }
	once, often := figureOf(1, right), figureOf(5, right)
	if !reflect.DeepEqual(once, often) || once.N != 64 {
		t.Errorf("five repeats: have %s, want %s", show(often), show(once))
	}
	half := figureOf(1, func(int) float64 { return .5 })
	if *half.ClusterHi-*half.ClusterLo < .04 {
		t.Errorf("64 questions of one half each: %s", show(half))
	}
}

func show(f schema.Figure) string {
	b, err := json.Marshal(f)
	if err != nil {
		panic(err)
	}
	return string(b)
}
