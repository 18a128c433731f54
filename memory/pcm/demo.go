package pcm

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"membench/memory"
	"membench/schema"
)

// A Demo plays lines into a memory and prints the decision on each.
type Demo struct {
	Deps    memory.Deps
	Options Options
	Out     io.Writer
	Now     func() time.Time
	Echo    bool // print the lines, too
}

// Play reads a line a turn of the user, until the end or /quit. A line that begins with ?
// asks the memory, /end ends the session.
func (x Demo) Play(ctx context.Context, in io.Reader) error {
	var failed error
	sys, err := New(x.Deps, x.Options, func(d Decision) {
		if failed == nil {
			_, failed = io.WriteString(x.Out, d.String())
		}
	})
	if err != nil {
		return &schema.UsageError{Err: err}
	}
	m, err := sys.Open(ctx, memory.Namespace{Run: "demo", Scope: "demo"})
	if err != nil {
		return err
	}
	defer m.Close()
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, 1<<20)
	for n := 1; lines.Scan() && failed == nil; n++ {
		text := strings.TrimSpace(lines.Text())
		if text == "/quit" {
			return nil
		}
		if x.Echo && text != "" {
			fmt.Fprintf(x.Out, "\n> %s\n", text)
		}
		if err := x.line(ctx, m, n, text); err != nil {
			return err
		}
	}
	if failed != nil {
		return failed
	}
	return lines.Err()
}

func (x Demo) line(ctx context.Context, m memory.Memory, n int, text string) error {
	question, asks := strings.CutPrefix(text, "?")
	switch {
	case text == "":
		return nil
	case text == "/end":
		_, err := memory.Finish(ctx, m, "demo")
		return err
	case asks:
		r, err := m.Retrieve(ctx, memory.Query{Text: question, K: 5})
		for _, h := range r.Hits {
			fmt.Fprintf(x.Out, "  %.3f %s\n", h.Score, h.Text)
		}
		return err
	}
	t := schema.Turn{Role: memory.RoleUser, Text: text, Time: x.Now().UTC().Format("2006-01-02T15:04:05Z"), Sources: []schema.EventRef{{ConvID: "demo", TurnID: n}}}
	_, err := m.Ingest(ctx, memory.Batch{Key: strconv.Itoa(n), Session: "demo", Turns: []schema.Turn{t}})
	return err
}

// String shows a decision, a line for each part.
func (d Decision) String() string {
	var b strings.Builder
	if d.Intent != nil {
		fmt.Fprintf(&b, "  intent     %s %.2f\n", d.Intent.Label, d.Intent.Confidence)
	}
	if s := d.Surprisal; s != nil {
		fmt.Fprintf(&b, "  surprise   raw %.2f (%s; distance %.2f, conflict %.2f, %s), entropy %.2f, effective %.2f: %s\n", s.Raw, s.Estimator, s.Distance, s.Conflict, s.Relation, s.Entropy, s.Effective, s.Level)
	}
	fmt.Fprintf(&b, "  agent      %s\n", d.Agent)
	if d.Reason != "" {
		fmt.Fprintf(&b, "  reason     %s\n", d.Reason)
	}
	weight := func(x *float64) string {
		if x == nil {
			return "–"
		}
		return strconv.FormatFloat(*x, 'f', 3, 64)
	}
	for _, n := range d.Nodes {
		fmt.Fprintf(&b, "  %-10s %s → %s  %s %q\n", n.Op, weight(n.Before), weight(n.After), n.Type, n.Text)
	}
	for _, e := range d.Edges {
		fmt.Fprintf(&b, "  edge       %s -%s-> %s %.2f\n", e.From, e.Relation, e.To, e.Weight)
	}
	return b.String()
}
