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
	{"ppr .05", false, func(o *graphmem.Options) { o.PageRank = .05 }},
	{"ppr .1", false, func(o *graphmem.Options) { o.PageRank = .1 }},
	{"ppr .15", false, func(o *graphmem.Options) { o.PageRank = .15 }},
	{"ppr .1 isa .35", false, func(o *graphmem.Options) { o.PageRank = .1; o.IsA = .35 }},
	{"ppr .15 isa .35", false, func(o *graphmem.Options) { o.PageRank = .15; o.IsA = .35 }},
	{"ppr .1 isa .5", false, func(o *graphmem.Options) { o.PageRank = .1; o.IsA = .5 }},
	{"ppr .1 isa .35 claims .05", false, func(o *graphmem.Options) { o.PageRank = .1; o.IsA = .35; o.Claims = .05 }},
	{"ppr .1 isa .35 ent .2", false, func(o *graphmem.Options) { o.PageRank = .1; o.IsA = .35; o.Entities = .2 }},
}
