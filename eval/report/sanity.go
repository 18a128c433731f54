package report

import (
	"fmt"
	"strings"

	"membench/schema"
)

// A Note is something to know about a table. It never fails anything: where the order
// of reference systems is not the usual one, either the systems are interesting or the
// run is broken, and someone should look.
type Note struct {
	Holds bool   `json:"holds"`
	EN    string `json:"en"`
	ZH    string `json:"zh"`
}

func (n Note) words() words { return words{n.EN, n.ZH} }

// reference is what the system is a reference for (schema.Reference).
func (s *System) reference() string { return schema.Reference(s.Name(), s.Summary.Type) }

// bound reports whether the system shows an achievable bound and is not a memory to choose.
func (s *System) bound() bool { return schema.Bound(s.Name(), s.Summary.Type) }

// sanity holds the order that is usual: oracle evidence on top, then the full context,
// systems between, embeddings alone below them, no memory at all at the bottom.
func sanity(d *Dataset) []Note {
	notes := []Note{}
	check := func(ref string, above bool, en, zh string, against func(k string) bool) {
		for i := range d.Systems {
			s := &d.Systems[i]
			if s.reference() != ref {
				continue
			}
			mine := d.Main(s)
			if mine == nil || mine.Overall.Value == nil {
				continue
			}
			var odd []string
			n := 0
			for j := range d.Systems {
				o := &d.Systems[j]
				sc := d.Main(o)
				if i == j || !against(o.reference()) || sc == nil || sc.Overall.Value == nil {
					continue
				}
				n++
				a, b := mine, sc // a is to be at least b
				if !above {
					a, b = sc, mine
				}
				if *a.Overall.Value >= *b.Overall.Value {
					continue
				}
				text := fmt.Sprintf("%s %s", o.Name(), percent(sc.Overall.Value))
				if b.Overall.Lo != nil && a.Overall.Hi != nil && *b.Overall.Lo <= *a.Overall.Hi {
					text += " (~)"
				}
				odd = append(odd, text)
			}
			if n == 0 {
				continue
			}
			note := Note{Holds: len(odd) == 0, EN: fmt.Sprintf("%s %s %s", s.Name(), percent(mine.Overall.Value), en), ZH: fmt.Sprintf("%s %s %s", s.Name(), percent(mine.Overall.Value), zh)}
			if len(odd) > 0 {
				note.EN += ": not so for " + strings.Join(odd, ", ")
				note.ZH += "：例外 " + strings.Join(odd, "、")
			}
			notes = append(notes, note)
		}
	}
	check(schema.RefOracle, true, "(oracle evidence) is usually on top", "（标准证据）通常最高", func(string) bool { return true })
	check(schema.RefFull, true, "(everything in the context) is usually at least as good as any memory", "（全部上下文）通常不低于任何记忆系统", func(k string) bool { return k != schema.RefOracle && k != schema.RefFull })
	check(schema.RefEmbedding, false, "(embeddings alone) is usually no better than other memories", "（仅向量检索）通常不高于其他记忆系统", func(k string) bool { return k == "" || k == schema.RefFull || k == schema.RefOracle })
	check(schema.RefNull, false, "(no memory) is usually at the bottom; its score is what can be guessed", "（无记忆）通常最低；它的得分是猜得出的部分", func(k string) bool { return k != schema.RefAbstain })
	return notes
}
