package run

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"membench/internal/textnorm"
	"membench/memory"
	"membench/schema"
)

// shortTurn is the length, in bytes of textnorm.Key, below which a turn is in other texts
// by chance.
const shortTurn = 12

// lost finds the turns of the first n sessions that no memory holds word for word, of a
// system that holds most of them so. It is done before a question is asked: a system that
// lost data is known before its answers are. A system that does not show its memories, or
// keeps them in its own words, gives none.
func (p *player) lost(ctx context.Context, n int) ([]schema.EventRef, error) {
	list, ok := memory.List(p.m)
	if !ok || p.u.caps.Unit == "fact" || p.u.caps.Unit == "nothing" {
		return nil, nil
	}
	type texts struct {
		all string
		of  map[schema.EventRef][]string // by the turns that they name, which mostly hold them: all texts are not searched for each turn
	}
	held, err := do(ctx, p, "listing the memory", p.o.Limits.Ingest, func(ctx context.Context) (texts, error) {
		var b strings.Builder
		of := map[schema.EventRef][]string{}
		for it, err := range list(ctx) {
			if err != nil {
				return texts{}, err
			}
			key := textnorm.Key(it.Text)
			for _, ref := range it.Sources {
				of[ref] = append(of[ref], key)
			}
			b.WriteString(key + "\n")
		}
		return texts{b.String(), of}, nil
	})
	if err != nil {
		return nil, err
	}
	var missing []schema.EventRef
	looked := 0
	for i := range p.j.c.Sessions[:n] {
		for _, t := range p.j.c.Sessions[i].Turns {
			key := textnorm.Key(t.Text)
			if len(key) < shortTurn {
				continue
			}
			looked++
			ref := schema.EventRef{ConvID: p.j.c.ConvID, TurnID: t.TurnID}
			if !slices.ContainsFunc(held.of[ref], func(text string) bool { return strings.Contains(text, key) }) && !strings.Contains(held.all, key) {
				missing = append(missing, ref)
			}
		}
	}
	if len(missing) == 0 || len(missing)*2 > looked { // it writes in its own words
		return nil, nil
	}
	if p.o.Warn != nil {
		p.o.Warn("%s, case %s: %d of %d turns are in none of its memories word for word: %s", p.u.name, p.j.c.ID, len(missing), looked, turnList(missing))
	}
	return missing, nil
}

// turnList names the first turns of a list.
func turnList(refs []schema.EventRef) string {
	const most = 8
	var b strings.Builder
	for i, r := range refs {
		if i == most {
			return b.String() + ", …"
		}
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(strconv.Itoa(r.TurnID))
	}
	return b.String()
}
