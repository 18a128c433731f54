package clause

import (
	"membench/internal/openie"
)

// Read lists the facts of a text in its order. Clauses that are no person's, and such
// as say nothing worth keeping (courtesies, hedges, "let me know"), are left out.
func Read(text string, o Options) []Fact {
	var out []Fact
	for _, t := range openie.Triples(text, openie.TripleOptions{}) {
		positive, negated := t.Positive()
		out = append(out, Fact{
			Subject: Mention{Kind: Speaker}, Verb: verbOf[positive], Slot: positive, Negated: negated,
			Value: Phrase{Text: t.Object.Parts[len(t.Object.Parts)-1]}, Object: Phrase{Text: t.Object.Parts[len(t.Object.Parts)-1]},
			Rank: t.Rank, Confidence: t.Confidence, Tier: Default, Start: t.Sentence.Start, End: t.Sentence.End,
		})
	}
	return out
}

var verbOf = map[string]string{
	"PREFERS_AUTHOR": "like", "FAVORITE_WORK": "like", "DISCUSSED_WORK": "read", "DISCUSSED_CHAPTER": "read",
	"PREFERS_NARRATIVE_STYLE": "like", "SELF_TRAIT": "be", "TRIED_STYLE": "try", "SELF_CRITIQUE": "be", "PREFERS_TOPIC": "like",
}
