package explain

import (
	"hash/fnv"
	"io"
	"slices"
	"strings"
	"unicode"

	"membench/eval/records"
	"membench/internal/textnorm"
	"membench/schema"
)

// unsaid counts what does not come from the conversation that was asked about: hits with the texts of others, and right answers that no hit supports.
type unsaid struct {
	leaks          records.Leaks
	foreign, mixed int      // hits without sources that have a turn of another conversation, word for word, and questions with such a hit
	right          int      // right answers that a word of the gold would show in the hits
	made           altering // of these, from a hit that nobody said, without the evidence
	known          altering // of these, with neither the evidence nor a word of the gold in what was shown
}

// Shares of right answers from which unsaid warns. Guessing and inference give some right answers without any word of the gold.
const (
	madeShare  = 10 // one in so many
	knownShare = 3
	leastKnown = 5
)

// question takes the hits and the answer of a question.
func (u *unsaid) question(x *explainer, r *schema.QARecord) error {
	u.leaks.Take(r)
	strange := false
	for i := range r.Hits {
		h := &r.Hits[i]
		if len(h.Sources) > 0 || len(x.told.origins(h.Text)) > 0 {
			continue
		}
		of, err := x.everyone.has(x, h.Text)
		if err != nil {
			return err
		}
		if of {
			u.foreign++
			strange = true
		}
	}
	if strange {
		u.mixed++
	}
	if v := x.o.grade(r); v.grade == nil || v.failed || r.Abstain || len(r.Choices) > 0 || r.K == 0 || schema.Bound(r.System, r.Type) {
		return nil
	}
	needs := x.told.needs(r)
	needs = slices.DeleteFunc(needs, func(n *need) bool { return len(n.refs) == 0 || n.turns == nil || len(n.gold) == 0 })
	if len(needs) == 0 || yesNo(r.AllGolds()) {
		return nil
	}
	u.right++
	gold := needs[0].gold
	var telling *schema.QAHit // the first hit with a word of the gold
	for i := range r.Hits {
		h := &r.Hits[i]
		b := x.told.read(h.Text)
		if slices.ContainsFunc(needs, func(n *need) bool {
			return n.named(h.Sources) && n.turns.both(b) > 0 || slices.ContainsFunc(x.told.origins(h.Text), func(e schema.EventRef) bool { return slices.Contains(n.refs, e) })
		}) {
			return nil
		}
		if telling == nil && slices.ContainsFunc(gold, b.has) {
			telling = h
		}
	}
	switch {
	case telling != nil && x.madeUp(r, telling, gold):
		u.made.add("%s", quote(telling.Text))
	case telling == nil && !slices.ContainsFunc(gold, newBag(r.Context).has):
		u.known.add("%s – %s", quote(r.Question), quote(r.Answer))
	}
	return nil
}

// madeUp reports whether a hit with words of the gold cannot be what somebody said, or a note of it: it has the whole question, it is the gold itself, or none of
// the turns that it names has a word of the gold. Own words are not enough: memories are often written so.
func (x *explainer) madeUp(r *schema.QARecord, h *schema.QAHit, gold []string) bool {
	if len(x.told.origins(h.Text)) > 0 {
		return false
	}
	text, asked := x.told.read(h.Text).norm(), x.told.read(r.Question).norm()
	if len(asked) >= shortest && strings.Contains(text, asked) {
		return true
	}
	if slices.ContainsFunc(r.AllGolds(), func(g string) bool { return x.told.read(g).norm() == text }) {
		return true
	}
	named := false
	for _, e := range h.Sources {
		p := x.told.turns[e.TurnID]
		if p.turn == nil || e.ConvID != x.told.c.ConvID {
			continue
		}
		named = true
		for i := max(0, p.index-beside); i < min(len(p.session.Turns), p.index+beside+1); i++ {
			if slices.ContainsFunc(gold, newBag(place{turn: &p.session.Turns[i]}.text()+" "+p.session.Turns[i].Name+" "+p.session.Turns[i].Time+" "+p.session.Time).has) {
				return false
			}
		}
	}
	return named
}

// yesNo reports whether a gold begins with yes, no or a guess of one: such answers are guessed right.
func yesNo(golds []string) bool {
	return slices.ContainsFunc(golds, func(g string) bool {
		words := strings.FieldsFunc(strings.ToLower(g), func(r rune) bool { return !unicode.IsLetter(r) })
		return len(words) > 0 && (textnorm.YesNo(words[0]) != 0 || slices.Contains([]string{"likely", "probably", "true", "false"}, words[0]))
	})
}

// lines are the warnings; all is the number of hits.
func (u *unsaid) lines(all int) (out []schema.Sentence) {
	out = u.leaks.Warnings()
	if u.foreign >= leastBad && u.foreign*oneIn >= all {
		out = append(out, schema.Say("hits of other conversations than the one that was asked about, by their texts: %d in %d questions; the memory does not keep its users apart", u.foreign, u.mixed))
	}
	if u.made.n >= leastBad && u.made.n*madeShare >= u.right {
		out = append(out, schema.Say("%d of %d right answers come from hits with text that is not in the dialogue, and without the gold evidence (%s): the system may know the gold answers", u.made.n, u.right, u.made.example))
	}
	if u.known.n >= leastKnown && u.known.n*knownShare >= u.right {
		out = append(out, schema.Say("%d of %d right answers had neither the gold evidence nor a word of the gold among what the reader saw (%s): the reader may know them from elsewhere, or remember the test set", u.known.n, u.right, u.known.example))
	}
	return out
}

// turnsOfAll are the turns of all cases, as hashes; made when the first hit asks.
type turnsOfAll map[uint64]struct{}

// has reports whether a line of a text, with or without a name before it, is a turn of any case that is not too short to be the same by chance.
func (t *turnsOfAll) has(x *explainer, text string) (bool, error) {
	if x.o.Cases == nil {
		return false, nil
	}
	if *t == nil {
		*t = turnsOfAll{}
		for c, err := range schema.Drop(x.o.Cases, func(*schema.Finding) {}) {
			if err != nil {
				return false, err
			}
			for i := range c.V.Sessions {
				for j := range c.V.Sessions[i].Turns {
					if key := textnorm.Key(c.V.Sessions[i].Turns[j].Text); len(key) >= shortest {
						(*t)[hashOf(key)] = struct{}{}
					}
				}
			}
		}
	}
	for line := range strings.Lines(text) {
		for _, said := range []string{line, after(line, ": "), after(line, "："), after(line, "] ")} {
			if key := textnorm.Key(said); len(key) >= shortest {
				if _, ok := (*t)[hashOf(key)]; ok {
					return true, nil
				}
			}
		}
	}
	return false, nil
}

func after(line, sep string) string {
	_, rest, _ := strings.Cut(line, sep)
	return rest
}

func hashOf(key string) uint64 {
	h := fnv.New64a()
	_, _ = io.WriteString(h, key)
	return h.Sum64()
}
