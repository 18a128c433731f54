package datasets

import (
	"membench/schema"
	"membench/schema/validate"
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

// Check reports errors and warnings in a case of any data set: those that it shows by itself (validate.Case), and ids that an earlier case has.
func (k *Checker) Check(pos schema.Pos, c schema.Case, tell func(*schema.Finding)) {
	if k.cases == nil {
		k.cases, k.questions, k.convs = map[string]schema.Pos{}, map[string]schema.Pos{}, map[schema.ConvID]conversation{}
	}
	twice := func(seen map[string]schema.Pos, what, id string) {
		if first, ok := seen[id]; ok {
			tell(&schema.Finding{Pos: pos, Code: "DST008", Message: "a " + what + " occurs twice", Have: id, Want: "one; the first is at " + first.String()})
			return
		}
		seen[id] = pos
	}
	twice(k.cases, "case id", c.ID)
	conv := conversation{pos, validate.SumOfTurns(c)}
	if first, ok := k.convs[c.ConvID]; !ok {
		k.convs[c.ConvID] = conv
	} else if first.sum != conv.sum {
		tell(&schema.Finding{Pos: pos, Code: "DST008", Message: "two cases have the same conv_id and other turns", Have: string(c.ConvID), Want: "one conversation; the first is at " + first.at.String()})
	}
	validate.Case(c, func(f *schema.Finding) {
		f.Pos, f.Pointer = pos, "" // it leads into a case, which the source need not be
		tell(f)
	})
	for _, q := range c.Questions {
		twice(k.questions, "question id", q.ID)
	}
}
