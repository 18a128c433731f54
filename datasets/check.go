package datasets

import (
	"fmt"
	"hash/maphash"
	"slices"
	"strings"

	"membench/schema"
)

// A Checker holds the state of lint for the cases it has seen: 60 to 100 bytes per case and question.
type Checker struct {
	cases, questions map[string]schema.Pos
	convs            map[schema.ConvID]conversation
}

// A conversation is what the first case with its id says in it: cases may share one, and turns are known by its id.
type conversation struct {
	at  schema.Pos
	sum uint64
}

var seed = maphash.MakeSeed()

func sumOfTurns(c schema.Case) uint64 {
	var h maphash.Hash
	h.SetSeed(seed)
	for _, s := range c.Sessions {
		for _, t := range s.Turns {
			h.WriteString(t.Text)
			h.WriteByte(0)
		}
	}
	return h.Sum64()
}

// Check reports errors and warnings in a case of any data set. Faults that only the reader of a format can see (dirty evidence strings, dates without
// sessions) are reported by the reader.
func (k *Checker) Check(pos schema.Pos, c schema.Case, tell func(*schema.Finding)) {
	if k.cases == nil {
		k.cases, k.questions, k.convs = map[string]schema.Pos{}, map[string]schema.Pos{}, map[schema.ConvID]conversation{}
	}
	warn := func(code, message, have string) {
		tell(&schema.Finding{Pos: pos, Code: code, Warning: true, Message: message, Have: clip(have)})
	}
	// An unreadable time is unknown: what is cut by it, or dated by it, would be answered from the whole history or not at all.
	instant := func(text, of string) schema.Instant {
		t, ok := schema.ParseInstant(text)
		if !ok && text != "" {
			tell(&schema.Finding{Pos: pos, Code: "DST009", Message: "a time cannot be read", Have: clip(of + ": " + text), Want: "RFC 3339 or its beginning, such as 2026-03-05"})
		}
		return t
	}
	twice := func(seen map[string]schema.Pos, what, id string) {
		if first, ok := seen[id]; ok {
			tell(&schema.Finding{Pos: pos, Code: "DST008", Message: "a " + what + " occurs twice", Have: id, Want: "one; the first is at " + first.String()})
			return
		}
		seen[id] = pos
	}
	twice(k.cases, "case id", c.ID)
	conv := conversation{pos, sumOfTurns(c)}
	if first, ok := k.convs[c.ConvID]; !ok {
		k.convs[c.ConvID] = conv
	} else if first.sum != conv.sum {
		tell(&schema.Finding{Pos: pos, Code: "DST008", Message: "two cases have the same conv_id and other turns", Have: string(c.ConvID), Want: "one conversation; the first is at " + first.at.String()})
	}
	var last schema.Instant
	ids := map[string]bool{}
	for _, s := range c.Sessions {
		if ids[s.ID] {
			tell(&schema.Finding{Pos: pos, Code: "DST008", Message: "a session id occurs twice in its case", Have: c.ID + " " + s.ID})
		}
		ids[s.ID] = true
		if len(s.Turns) == 0 {
			warn("DST014", "a session without turns", c.ID+" "+s.ID)
		}
		at := instant(s.Time, c.ID+" "+s.ID)
		if at != 0 && at < last {
			warn("DST013", "a session is dated before the one that precedes it", fmt.Sprintf("%s %s: %s after %s", c.ID, s.ID, s.Time, last))
		}
		last = max(last, at)
		for _, t := range s.Turns {
			if t.Time != "" {
				instant(t.Time, fmt.Sprintf("%s turn %d", c.ID, t.TurnID))
			}
		}
	}
	texts := map[string]string{}
	for _, q := range c.Questions {
		twice(k.questions, "question id", q.ID)
		for _, id := range q.Covered {
			if !ids[id] {
				tell(&schema.Finding{Pos: pos, Code: "DST005", Message: "a question covers a session that its case does not have", Have: q.ID + ": " + id})
			}
		}
		instant(q.AsOf, q.ID)
		k.question(c, q, last, texts, warn, tell, pos)
	}
}

func (k *Checker) question(c schema.Case, q schema.Question, last schema.Instant, texts map[string]string, warn func(code, message, have string), tell func(*schema.Finding), pos schema.Pos) {
	key := q.Checkpoint + "\x00" + q.Text
	for _, a := range q.Attachments {
		key += "\x00" + a.ID + a.Path
	}
	switch other, ok := texts[key]; {
	case !ok:
		texts[key] = q.ID
	default:
		warn("DST007", "a question is asked twice in its case", q.ID+" is "+other+": "+q.Text)
	}
	switch {
	case strings.TrimSpace(q.Text) == "":
		tell(&schema.Finding{Pos: pos, Code: "DST019", Message: "a question without text", Have: q.ID})
	case q.Answer == "" && !q.Abstain:
		tell(&schema.Finding{Pos: pos, Code: "DST019", Message: "a question without a gold", Have: q.ID})
	case strings.TrimSpace(q.Text) != q.Text || strings.TrimSpace(q.Answer) != q.Answer:
		warn("DST018", "white space around a question or its gold", q.ID)
	}
	if !slices.Contains(schema.Categories(), q.Category) {
		tell(&schema.Finding{Pos: pos, Code: "DST003", Message: "a category outside the common set", Have: q.ID + " " + q.Category, Want: fmt.Sprint(schema.Categories())})
	}
	if len(q.Evidence) == 0 && len(q.EvidenceIDs) == 0 && !q.Abstain {
		warn("DST006", "a question without gold evidence", q.ID)
	}
	if len(q.Unresolved) > 0 {
		warn("DST005", "evidence that names nothing in the case", q.ID+": "+strings.Join(q.Unresolved, ", "))
	}
	turns := 0
	for _, s := range c.Sessions {
		turns += len(s.Turns)
	}
	for _, r := range q.Evidence {
		if r.ConvID != c.ConvID || r.TurnID < 1 || r.TurnID > turns {
			tell(&schema.Finding{Pos: pos, Code: "DST005", Message: "evidence outside the case", Have: fmt.Sprintf("%s: %s turn %d", q.ID, r.ConvID, r.TurnID), Want: fmt.Sprintf("turns 1 to %d", turns)})
		}
	}
	if len(q.Covered) > 0 {
		last = 0
		for _, s := range c.Sessions {
			if slices.Contains(q.Covered, s.ID) {
				at, _ := schema.ParseInstant(s.Time)
				last = max(last, at)
			}
		}
	}
	if _, end, ok := schema.ParsePeriod(q.AsOf); ok && schema.InstantOf(end) <= last {
		warn("DST012", "a session is dated after the question; history is not cut", fmt.Sprintf("%s asked %s, last session %s", q.ID, q.AsOf, last))
	}
	if q.Errata != nil {
		warn("DST016", "the gold is disputed", fmt.Sprintf("%s: %s by %s: %s", q.ID, q.Errata.Kind, q.Errata.Overlay, q.Errata.Note))
	}
}
