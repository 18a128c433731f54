package graphmem_test

import (
	"fmt"
	"testing"
	"time"

	"membench/memory/graphmem"
)

func TestX(t *testing.T) {
	cases, minilm := conversations(t)
	start := time.Now()
	gs := graphs(t, cases)
	fmt.Println("ingest", time.Since(start))
	for _, a := range xarms {
		o := graphmem.Defaults()
		a.change(&o)
		start := time.Now()
		each := over(t, gs, cases, minilm, o, nil)
		fmt.Printf("%-30s %.4f", a.name, mean(clusters(each, nil, "all")))
		for _, c := range []string{"1-4", "1", "2", "3", "4", "5"} {
			fmt.Printf(" %.3f", mean(clusters(each, nil, c)))
		}
		fmt.Println(time.Since(start).Round(time.Millisecond))
	}
}

var xarms = []arm{
	{"default", false, func(*graphmem.Options) {}},
	{"claims .1", false, func(o *graphmem.Options) { o.Claims = .1 }},
	{"claims .2", false, func(o *graphmem.Options) { o.Claims = .2 }},
	{"entities .3", false, func(o *graphmem.Options) { o.Entities = .3 }},
	{"walk .1", false, func(o *graphmem.Options) { o.Walk = .1 }},
	{"ppr .1", false, func(o *graphmem.Options) { o.PageRank = .1 }},
	{"ppr .3", false, func(o *graphmem.Options) { o.PageRank = .3 }},
	{"isa .2", false, func(o *graphmem.Options) { o.IsA = .2 }},
	{"isa .35", false, func(o *graphmem.Options) { o.IsA = .35 }},
	{"outdated -.3", false, func(o *graphmem.Options) { o.Outdated = -.3 }},
}
