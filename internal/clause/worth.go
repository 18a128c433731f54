package clause

import (
	"strings"

	"membench/internal/pattern"
	"membench/internal/tokens"
)

// worth reports whether a clause states something, and notes what makes that doubtful. Most
// wrong records of a parser are well-parsed clauses that state nothing: courtesies,
// hedges, talk about the talk.
func (f *Fact) worth() bool {
	if f.Subject.Kind == NoOne {
		return false
	}
	obj := strings.ToLower(f.Object.Text)
	polite := idioms[f.Verb+" "+obj] || idioms[f.Verb+" "+headWord(obj)]
	if polite && f.Slot == "FEELS" && f.Negated && strings.Contains(obj, " with ") || obj != headWord(obj) && f.Subject.Kind > Addressee && (f.Slot == "FEELS" || f.Slot == "HAS_AGE") {
		polite = false // "Tom is not happy with the smell"
	}
	if f.Verb == "be" && tokens.Stop(obj) || obj == "to" || f.Slot != "HAS_CONDITION" && polite || pronouns[obj] && thin[f.Verb] || obj == "" && needsObject[f.Verb] {
		return false
	}
	if f.Verb == "feel" && strings.HasPrefix(obj, "like ") { // a comparison
		return false
	}
	if f.able && f.Negated && (f.Verb == "wait" || f.Verb == "stop" || f.Verb == "help") { // "can't wait" is not a denial
		return false
	}
	switch f.Subject.Kind {
	case Addressee:
		// What the other one knows is worth saying to remind of: "you haven't sung since high school". The rest is praise and guesses.
		f.noteIf(f.Tense != Past && !f.perfect || f.Modality != Asserted || !f.main || f.Time.Kind == 0 && !f.Negated && !f.Formerly, "guess about the addressee")
	case Named:
		f.noteIf(!f.Subject.Known, "unknown name")
		// "Dog's Alan, he's Adrian": who has which name, nothing about one
		f.noteIf(f.Verb == "be" && f.Slot == "IS" && proper(f.Object.Text) && !strings.Contains(f.Object.Text, " "), "name to name")
	}
	f.noteIf(f.Verb == "be" && f.Modality == Plan, "will be") // "I'll be right there"
	f.noteIf(thin[f.Verb] && !f.becomes && (f.Slot == "DID" || f.Slot == "PLANS" || f.Slot == "HAS_HABIT" || f.Slot == "HAS_OPINION") && strings.Count(obj, " ") < 2, "thin verb")
	switch first := headWord(obj); {
	case obj == "" && (f.able && f.Negated && !thin[f.Verb] || f.Subject.Kind == Speaker && habitual(f.When.Text)): // "I can't swim", "I train every day"
	case obj == "" && f.When.Text == "" && !f.Formerly, first == "it" || first == "them" || first == "something", anaphor.MatchString(obj):
		f.note("reference lost") // nobody can tell later what was meant
	case pronouns[obj] || obj == "" && !f.Formerly:
		f.note("reference vague")
	}
	f.noteIf(f.Slot == "HAS_OPINION" && (tokens.Stop(obj) || f.Tense == Past), "opinion of the past") // "I thought that was April": mostly what turned out otherwise
	f.noteIf(f.Slot == "FEELS" && strings.Contains(obj, " you"), "courtesy")                          // "so proud of you", "excited to hear your thoughts"
	f.noteIf(f.able && !f.Negated && f.Slot == "DID", "may do")
	f.noteIf(f.able && (f.Subject.Plural || f.Subject.Kind != Speaker), "able others") // "we can make a difference"
	return true
}

// anaphor is what only those present know: "most of it", "the above".
var anaphor = pattern.New(`\bof (?:it|them|that|this|these|those)$|\bthe (?:above|below|following|former|latter|same)(?:$|,)`)

// idioms state nothing, though they are clauses of the speaker.
var idioms = phrases("wait to,know what,know how,know if,know that,see you,see ya,see what,see how,see why,say that,agree more,get it,get you,get back to you,be sure,be sorry,be good,be okay,be ok,be fine,be here,be there,be back,be curious if,hear you,talk to you,talk soon,tell you,be welcome,be right,do so,do that,do it,feel you,appreciate it,appreciate that,go ahead,be able,check it,look like,be like,be honest,be glad,be happy")

var pronouns = set("it that this them em those these one him her you u ya me us so there here what which everything anything something things stuff")

// thin verbs need a real object to say something.
var thin = set("say know see tell ask give show get do put take come look call mean agree understand remember forget keep help let seem appreciate notice catch guess check")

// passing are verbs of what is so, or comes to mind, as one speaks, though they are of the simple present.
var passing = set("say know see tell ask mean agree understand remember forget seem appreciate notice guess feel miss care mind find start try hear realize get")

var needsObject = set("have make take get give want need like love hate enjoy find know see say tell think feel believe use put try do show realize become keep own bring help start ask mention seem notice")
