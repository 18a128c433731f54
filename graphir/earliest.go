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

// A first is a firstOf that is kept: its texts are numbers in bulk.said.
type first struct {
	kept           bool
	setting        uint32
	at             int64
	hash           [16]byte
	point, created uint32
	pos            pos
}

// takeFirst keeps the earliest occurrence of each setting.
func (b *bulk) takeFirst(f *firstOf) {
	for int(f.setting) >= len(b.firsts) {
		b.firsts = append(b.firsts, first{})
	}
	g := &b.firsts[f.setting]
	c := -1
	if g.kept {
		c = cmp.Or(cmp.Compare(f.at, g.at), bytes.Compare(f.point, b.said.at(g.point)))
	}
	if c > 0 {
		return
	}
	kept := first{true, f.setting, f.at, f.hash, b.said.add(string(f.point)), b.said.add(string(f.created)), f.pos}
	if c < 0 {
		*g = kept
	} else {
		b.others = append(b.others, kept)
	}
}

// shareEdges adds the edges between people and places, as the earliest occurrence of
// each setting has them.
func (b *bulk) shareEdges() {
	all := slices.DeleteFunc(append(b.firsts, b.others...), func(f first) bool { return !f.kept })
	slices.SortFunc(all, func(f, g first) int {
		return cmp.Or(cmp.Compare(f.at, g.at), bytes.Compare(b.said.at(f.point), b.said.at(g.point)))
	})
	e := earliest{emit: b.g.add}
	for _, f := range all {
		o := &occurrence{point: string(b.said.at(f.point)), hash: hex.EncodeToString(f.hash[:]), createdAt: string(b.said.at(f.created)), setting: b.setting(f.setting), at: f.at, pos: f.pos}
		b.p.sharedEdges(o, e.part)
	}
	b.firsts, b.others, b.said = nil, nil, texts{}
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
