package clause

import "strings"

// worth reports whether a fact is worth keeping, and sets its confidence and tier. Most
// wrong records of a parser are well-parsed clauses that state nothing: courtesies,
// hedges, talk about the talk.
func (f *Fact) worth() bool {
	if f.Subject.Kind == NoOne {
		return false
	}
	obj := strings.ToLower(f.Object.Text)
	if obj == "to" || idioms[f.Verb+" "+obj] || idioms[f.Verb+" "+headWord(obj)] || pronouns[obj] && thin[f.Verb] || obj == "" && needsObject[f.Verb] {
		return false
	}
	f.Confidence, f.Tier = 0.87+f.Confidence, Default // what doubts took
	low := func(by float64) { f.Confidence -= by }
	if f.Modality != Asserted && f.Modality != Plan {
		low(0.4)
	}
	switch f.Subject.Kind {
	case Addressee:
		low(0.3)
	case Pronoun, Described:
		low(0.12)
	case Named:
		low(0.05)
	}
	if thin[f.Verb] && strings.Count(obj, " ") < 2 {
		low(0.15)
	}
	if pronouns[obj] || obj == "" {
		low(0.08)
	}
	if f.Confidence < 0.78 {
		f.Tier = Wide
	}
	return true
}

// idioms state nothing, though they are clauses of the speaker.
var idioms = func() map[string]bool {
	m := map[string]bool{}
	for _, s := range strings.Split("wait to,know what,know how,know if,know that,see you,see ya,see what,see how,see why,say that,agree more,get it,get you,get back to you,be sure,be sorry,be good,be okay,be ok,be fine,be here,be there,be back,be curious if,hear you,talk to you,talk soon,tell you,be welcome,be right,do so,do that,do it,feel you,appreciate it,appreciate that,go ahead,be able,check it,look like,be like,be honest,be glad,be happy", ",") {
		m[s] = true
	}
	return m
}()

var pronouns = set("it that this them those these one him her you me us so there here what which everything anything something things stuff")

// thin verbs need a real object to say something.
var thin = set("say know see tell ask give show get do put take come look call mean agree understand remember forget keep help let seem appreciate notice catch guess check")

var needsObject = set("have make take get give want need like love hate enjoy find know see say tell think feel believe use put try do show realize become keep own bring help start ask mention seem notice")
