package report

import (
	"fmt"
	"strings"
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

// kinds of reference systems, by the beginning of their names.
var references = map[string][]string{
	"oracle": {"oracle"}, "full": {"full-context", "long-context"}, "embedding": {"embedding-only"}, "null": {"null"}, "abstain": {"always-abstain", "abstain"},
}

// kind returns what a system is a reference for; "" for a system under test.
func kind(name string) string {
	name = strings.NewReplacer("_", "-", " ", "-").Replace(strings.ToLower(name))
	for k, starts := range references {
		for _, s := range starts {
			if name == s || strings.HasPrefix(name, s+"-") || strings.HasPrefix(name, s+":") || strings.HasPrefix(name, s+"(") || strings.HasPrefix(name, s+"@") {
				return k
			}
		}
	}
	return ""
}

// bound reports whether a system shows an achievable bound and is not a memory to choose.
func bound(name string) bool { k := kind(name); return k != "" && k != "embedding" }

// sanity holds the order that is usual: oracle evidence on top, then the full context,
// systems between, embeddings alone below them, no memory at all at the bottom.
func sanity(d *Dataset) []Note {
	notes := []Note{}
	check := func(ref string, above bool, en, zh string, against func(k string) bool) {
		for i := range d.Systems {
			s := &d.Systems[i]
			if kind(s.Name()) != ref {
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
				if i == j || !against(kind(o.Name())) || sc == nil || sc.Overall.Value == nil {
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
	check("oracle", true, "(oracle evidence) is usually on top", "（标准证据）通常最高", func(string) bool { return true })
	check("full", true, "(everything in the context) is usually at least as good as any memory", "（全部上下文）通常不低于任何记忆系统", func(k string) bool { return k != "oracle" && k != "full" })
	check("embedding", false, "(embeddings alone) is usually no better than other memories", "（仅向量检索）通常不高于其他记忆系统", func(k string) bool { return k == "" || k == "full" || k == "oracle" })
	check("null", false, "(no memory) is usually at the bottom; its score is what can be guessed", "（无记忆）通常最低；它的得分是猜得出的部分", func(k string) bool { return k != "abstain" })
	return notes
}
