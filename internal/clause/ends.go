package clause

import (
	"slices"
	"strings"

	"membench/internal/depparse"
	"membench/internal/pattern"
)

// An End is a state that a clause says is over: Value no longer fills Slot.
type End struct{ Slot, Value string }

// Ends lists the states that the clause ends. of returns the slots that a verb with its particles and prepositions can end:
// "move out of" ends LIVES_IN. The object decides which of them is meant, if any: "sold my Golf" ends possession, "sell
// insurance" is a job, "quit the bank" ends employment, "quit smoking" a habit.
func (f *Fact) Ends(of func(verb string) []string) (out []End) {
	if f.Negated || f.Modality != Asserted || f.Tense != Past {
		return nil
	}
	verb, object := f.Verb, f.Object.Text
	slots := of(verb)
	for n := 0; n < 2 && len(slots) == 0; n++ {
		first, rest, ok := strings.Cut(object, " ")
		if !ok {
			return nil
		}
		verb, object = verb+" "+first, rest
		slots = of(verb)
	}
	certain := f.definite || definite[headWord(object)]
	object, _ = cutFirst(object, "the ", "a ", "an ")
	for _, slot := range slots {
		if value := f.held(slot, object, certain); value != "" && slot != f.Slot {
			out = append(out, End{slot, value})
		}
	}
	return out
}

// held is what filled a slot until the clause ended it, or "" if the object is not of that kind.
func (f *Fact) held(slot, object string, certain bool) string {
	first, rest, _ := strings.Cut(object, " ")
	habit := depparse.Verb(first, "VBG")
	doing := habit != first && strings.HasSuffix(first, "ing")
	thing := toWhom.ReplaceAllString(whose.ReplaceAllString(object, ""), "")
	switch slot {
	case "HAS_HABIT":
		if !doing || f.When.Text != "" && rest == "" || strings.HasPrefix(rest, "at ") { // "stopped working at nine"
			return ""
		}
		return strings.TrimSpace(habit + " " + rest)
	case "OWNS", "HAS", "HAS_PET":
		kind := had("have", set(strings.Map(letter, strings.ToLower(ownPart.ReplaceAllString(thing, "")))))
		if zhPet(thing) {
			kind = "HAS_PET"
		}
		if !certain || (kind == "HAS_PET") != (slot == "HAS_PET") || kind == "HAS_RELATIVE" || kind == "HAS_CONDITION" {
			return ""
		}
	case "WORKS_AT":
		if m := post.FindString(thing); m != "" {
			thing, _ = cutFirst(thing[len(m):], "the ", "a ", "an ")
		}
		thing = postZH.ReplaceAllString(thing, "")
		if doing || postAlone.MatchString(thing) {
			return ""
		}
	}
	return thing
}

var (
	// whose is what makes an object a certain one: it does not belong to its name.
	whose = pattern.New(`(?i)^(?:(?:my|our|his|her|their|its|this|that|these|those|own|old) )+|^(?:我们?|他们?|她们?|自己)(?:家)?的`)
	// toWhom is who got a thing, for how much or why.
	toWhom = pattern.New(` (?:to|for|because|since|so|when|after|before) .*$`)
	// post is a job before its employer: "job at the bank".
	post      = pattern.New(`(?i)^(?:\S+ ){0,3}(?:job|position|post|role|work) (?:at|with|for|in) `)
	postZH    = pattern.New(`的(?:工作|职务|职位|岗位)$`)
	postAlone = pattern.New(`(?i)^(?:\S+ ){0,3}(?:job|position|post|role|work)$`)
)

// definite words before a noun say that it is a certain one.
var definite = set("the my our his her their its this that these those")

// oneForm are verbs of one act whose present and past look the same: "I quit my job".
var oneForm = set("quit split shut burst shed")

// apart joins a particle behind the object to the verb: "gave my canoe away". It returns the end of the object.
func (s *enSentence) apart(i, from, end int, f *Fact) int {
	last := end - 1
	if last <= from || !slices.Contains(s.kids[i], last) || s.kid(i, "obj") < 0 || s.ws[last].Rel != "compound:prt" && !(s.ws[last].Rel == "advmod" && particles[s.low(last)]) {
		return end
	}
	f.Verb += " " + s.low(last)
	return last
}
