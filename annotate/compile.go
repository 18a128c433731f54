package annotate

import (
	"bytes"
	"context"
	"errors"
	"io"
	"slices"
	"strconv"

	"membench/internal/codec"
	"membench/schema"
	"membench/schema/jsonl"
	"membench/schema/validate"
)

// Compile joins files of events into one sequence of lines, each as it was read,
// without its end. A line that is not an event, breaks the order of its conversation or
// belongs to a conversation of an earlier part is a finding and is skipped. Lines
// are valid until the next step. It keeps, per conversation, its id and last turn
// (about 100 bytes).
func Compile(ctx context.Context, parts []jsonl.File) schema.Seq[[]byte] {
	return func(yield func(schema.Record[[]byte], error) bool) {
		home := map[schema.ConvID]int{} // conversation → part
		last := map[schema.ConvID]int{}
		for i, part := range parts {
			if err := ctx.Err(); err != nil {
				yield(schema.Record[[]byte]{}, err)
				return
			}
			n, ok := compilePart(part, i, home, last, yield)
			if !ok {
				return
			}
			if n == 0 {
				f := &schema.Finding{Pos: schema.Pos{File: part.Name}, Code: codeCompiledNone, Message: "no event in the file"}
				if !yield(schema.Record[[]byte]{Pos: f.Pos}, f) {
					return
				}
			}
		}
	}
}

func compilePart(file jsonl.File, part int, home map[schema.ConvID]int, last map[schema.ConvID]int, yield func(schema.Record[[]byte], error) bool) (n int, ok bool) {
	told := map[schema.ConvID]bool{}
	for l, err := range validate.Lines([]jsonl.File{file}, validate.PathOptions{Kind: schema.KindEvent}) {
		var f *schema.Finding
		if err == nil {
			if f = compileLine(l, part, home, last, told); f != nil {
				err = f
			}
			if f == nil || f.Warning {
				n++
			}
		}
		if !yield(schema.Record[[]byte]{Pos: l.Pos, V: l.Bytes}, err) || err != nil && !schema.IsFinding(err) {
			return n, false
		}
	}
	return n, true
}

// compileLine checks the place of an event that is valid by itself.
func compileLine(l jsonl.Line, part int, home map[schema.ConvID]int, last map[schema.ConvID]int, told map[schema.ConvID]bool) *schema.Finding {
	var e schema.Event
	if err := codec.Unmarshal(l.Bytes, &e); err != nil {
		return jsonl.Fault(l, err)
	}
	bad := func(code, pointer, msg, have, want string) *schema.Finding {
		return &schema.Finding{Pos: l.Pos, Pointer: pointer, Code: code, Message: msg, Have: have, Want: want}
	}
	if p, known := home[e.ConvID]; known && p != part {
		f := bad(codeCompiledConv, "/conv_id", "the conversation has events in an earlier file; skipped", quote(string(e.ConvID)), "one file per conversation")
		if told[e.ConvID] {
			f.Hint = "as before"
		}
		told[e.ConvID] = true
		return f
	}
	home[e.ConvID] = part
	before := last[e.ConvID]
	switch {
	case e.TurnID <= before:
		return bad(codeCompiledTurn, "/turn_id", "turn ids must increase; the line was skipped", strconv.Itoa(e.TurnID), "more than "+strconv.Itoa(before))
	case e.TurnID != before+1:
		last[e.ConvID] = e.TurnID
		f := bad(codeCompiledGap, "/turn_id", "turn ids have a gap", strconv.Itoa(e.TurnID), strconv.Itoa(before+1))
		f.Warning = true
		return f
	}
	last[e.ConvID] = e.TurnID
	return nil
}

// Order sorts names of conversations by an index, or by CompareConv where there is
// none. Conversations that the index does not list are omitted, those that only it
// lists are missing; both are findings.
func Order(have []schema.ConvID, index []schema.IndexEntry, indexName string) ([]schema.ConvID, []*schema.Finding) {
	if index == nil {
		out := slices.Clone(have)
		slices.SortFunc(out, CompareConv)
		return out, nil
	}
	var out []schema.ConvID
	var findings []*schema.Finding
	listed := map[schema.ConvID]bool{}
	for _, e := range index {
		id := schema.ConvID(e.ID)
		listed[id] = true
		if !slices.Contains(have, id) {
			findings = append(findings, &schema.Finding{Pos: schema.Pos{File: indexName}, Code: codeCompiledNone, Message: "no events for a chapter of the index", Have: e.ID, Hint: "run membench annotate on it"})
			continue
		}
		out = append(out, id)
	}
	for _, id := range have {
		if !listed[id] {
			findings = append(findings, &schema.Finding{Pos: schema.Pos{File: indexName}, Code: codeNotIndexed, Warning: true, Message: "events of a conversation that the index does not list, skipped", Have: string(id)})
		}
	}
	return out, findings
}

// WriteLines writes the lines of a compiled sequence. A finding goes to report and,
// unless it is a warning, its line is skipped; the first other error ends it.
func WriteLines(w io.Writer, in schema.Seq[[]byte], report func(*schema.Finding)) (n int, err error) {
	var buf bytes.Buffer
	for rec, err := range in {
		if f, ok := errors.AsType[*schema.Finding](err); ok {
			report(f)
			if !f.Warning {
				continue
			}
		} else if err != nil {
			return n, err
		}
		buf.Reset()
		buf.Write(rec.V)
		buf.WriteByte('\n')
		if _, err := w.Write(buf.Bytes()); err != nil {
			return n, err
		}
		n++
	}
	return n, nil
}
