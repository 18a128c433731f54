package trace

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strings"

	"membench/graph"
	"membench/internal/textnorm"
	"membench/schema"
)

// Write draws the tree, with the source lines, or lists the candidates.
func (r Report) Write(w io.Writer) error {
	b := bufio.NewWriter(w)
	if r.Trail != nil {
		writeTrail(b, r)
	}
	for _, m := range r.Candidates {
		fmt.Fprintf(b, "%s\t%s\n", m.Node.ID, textnorm.OneLine(nodeText(m.Node), 80))
	}
	return b.Flush()
}

// writeTrail draws the tree: what the root rests on, then what rests on it.
func writeTrail(w io.Writer, rep Report) {
	t := rep.Trail
	fmt.Fprintln(w, describe(t.Node, nil))
	lines := func(s schema.Span) (l SourceLines) {
		if i := slices.IndexFunc(rep.Lines, func(l SourceLines) bool { return l.Span == s }); i >= 0 {
			l = rep.Lines[i]
		}
		return l
	}
	var draw func(t *graph.Trail, steps []*graph.Trail, omitted int, indent string)
	draw = func(t *graph.Trail, steps []*graph.Trail, omitted int, indent string) {
		for i, s := range steps {
			tee, bar := "├─ ", "│  "
			if i == len(steps)-1 && omitted == 0 {
				tee, bar = "└─ ", "   "
			}
			fmt.Fprintf(w, "%s%s%s\n", indent, tee, describe(s.Node, s.Via))
			if s.Via.Type == schema.EdgeInSource {
				first, last, _ := graph.Lines(*s.Via)
				path := s.Node.Props.Text("path")
				if s.Node.ID == s.Via.Src {
					path = t.Node.Props.Text("path")
				}
				source := lines(schema.Span{Path: path, First: first, Last: last})
				for n, text := range source.Text {
					fmt.Fprintf(w, "%s%s%6d │ %s\n", indent, bar, first+n, textnorm.OneLine(text, 200))
				}
				if len(source.From) > 0 {
					fmt.Fprintf(w, "%s%s       from %s\n", indent, bar, textnorm.OneLine(strings.Join(source.From, ", "), 200))
				}
			}
			next := s.Down
			if len(next) == 0 {
				next = s.Up
			}
			draw(s, next, s.Omitted, indent+bar)
		}
		if omitted > 0 {
			fmt.Fprintf(w, "%s└─ … and %d more; --limit 0 shows all\n", indent, omitted)
		}
	}
	switch down, up := len(t.Down) > 0, len(t.Up) > 0; {
	case down && up:
		fmt.Fprintln(w, "rests on")
		draw(t, t.Down, 0, "")
		fmt.Fprintln(w, "supports")
		draw(t, t.Up, t.Omitted, "")
	case down:
		draw(t, t.Down, t.Omitted, "")
	case up:
		draw(t, t.Up, t.Omitted, "")
	default:
		fmt.Fprintln(w, "no evidence leads from here")
	}
}

// nodeText is the text that a person knows a node by.
func nodeText(n schema.Node) string {
	for _, p := range []string{"data", "content", "gold", "path", "display", "name"} {
		if s := n.Props.Text(p); s != "" {
			return s
		}
	}
	return ""
}

// describe is one line: id, quoted text, and other distinguishing data.
func describe(n schema.Node, via *schema.Edge) string {
	var b strings.Builder
	label := "?"
	if len(n.Labels) > 0 {
		label = n.Labels[0]
	}
	var facts []string
	fact := func(names ...string) {
		for _, name := range names {
			if raw, ok := n.Props.Get(name); ok && string(raw) != "null" && string(raw) != `""` {
				text := string(raw)
				if raw[0] == '"' {
					text = n.Props.Text(name)
				}
				facts = append(facts, textnorm.OneLine(text, 60))
			}
		}
	}
	quote := ""
	switch label {
	case schema.LabelClaim:
		fact("status")
		if raw, ok := n.Props.Get("confidence"); ok {
			facts = append(facts, "confidence "+string(raw))
		}
		fact("updated_at", "deprecated_reason")
	case schema.LabelMemoryItem:
		quote = n.Props.Text("data")
		fact("created_at")
	case schema.LabelEvent:
		quote = n.Props.Text("content")
		fact("role_name", "time")
	case schema.LabelSource:
		if via != nil {
			if first, last, ok := graph.Lines(*via); ok {
				span := fmt.Sprintf("%s:%d", n.Props.Text("path"), first)
				if last > first {
					span += fmt.Sprintf("-%d", last)
				}
				return label + " " + span
			}
		}
		return label + " " + n.Props.Text("path")
	case schema.LabelProbe:
		fact("gold")
	default:
		if s := n.Props.Text("display"); s != "" && !strings.HasSuffix(string(n.ID), ":"+s) {
			facts = append(facts, s)
		}
	}
	b.WriteString(label + " " + textnorm.OneLine(string(n.ID), 0))
	if via != nil {
		// The evidence quotes the memory: say so only where it is not the memory's text.
		if text := via.Props.Text("text"); text != "" && via.Type == schema.EdgeEvidencedBy && n.ID == via.Dst && text != quote {
			facts = append(facts, "quoted as “"+textnorm.OneLine(text, 120)+"”")
		}
		if by := via.Props.Text("by"); by != "" && by != "recorded" && via.Type == schema.EdgeFromEvent {
			if conf, ok := via.Props.Get("confidence"); ok {
				by += " " + string(conf)
			}
			facts = append(facts, by)
		}
	}
	if quote != "" {
		b.WriteString(" “" + textnorm.OneLine(quote, 160) + "”")
	}
	if len(facts) > 0 {
		b.WriteString("  (" + strings.Join(facts, ", ") + ")")
	}
	return b.String()
}
