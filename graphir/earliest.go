package graphir

import (
	"bytes"
	"cmp"
	"encoding/hex"
	"slices"
	"strings"
)

// A firstOf is the earliest occurrence in a setting, which determines shared edges.
type firstOf struct {
	setting        uint32
	at             int64
	hash           [16]byte
	point, created []byte
	pos            pos
}

// takeFirst keeps the earliest occurrence of each setting.
func (b *bulk) takeFirst(f *firstOf) {
	for int(f.setting) >= len(b.firsts) {
		b.firsts = append(b.firsts, nil)
	}
	g := b.firsts[f.setting]
	c := -1
	if g != nil {
		c = f.compare(g)
	}
	if c <= 0 {
		f := new(*f)
		if c < 0 {
			b.firsts[f.setting] = f
		} else {
			b.others = append(b.others, f)
		}
	}
}

func (f *firstOf) compare(g *firstOf) int {
	return cmp.Or(cmp.Compare(f.at, g.at), bytes.Compare(f.point, g.point))
}

// shareEdges adds the edges between people and places, as the earliest occurrence of
// each setting has them.
func (b *bulk) shareEdges() {
	all := slices.DeleteFunc(append(b.firsts, b.others...), func(f *firstOf) bool { return f == nil })
	slices.SortFunc(all, (*firstOf).compare)
	e := earliest{emit: b.g.add}
	for _, f := range all {
		o := &occurrence{point: string(f.point), hash: hex.EncodeToString(f.hash[:]), createdAt: string(f.created), setting: b.settings[f.setting].setting(), at: f.at, pos: f.pos}
		b.p.sharedEdges(o, e.part)
	}
	b.firsts, b.others = nil, nil
}

// An earliest passes on parts of shared elements, but for those that come after one
// that it passed and so say nothing: of a half, the first wins whole. It remembers
// the elements it met last.
type earliest struct {
	emit func(*part)
	seen map[string]passed
}

type passed struct {
	at               int64
	order, what, dst string
}

func (e *earliest) part(x *part) {
	now := passed{x.at, x.order, x.typ, x.dst}
	if !x.edge {
		now.what = x.labels[0]
	}
	if k, ok := e.seen[x.id]; ok && k.what == now.what && k.dst == now.dst && cmp.Or(cmp.Compare(k.at, x.at), strings.Compare(k.order, x.order)) < 0 {
		return
	}
	if e.seen == nil || len(e.seen) >= 4096 {
		e.seen = map[string]passed{}
	}
	e.seen[x.id] = now
	e.emit(x)
}
