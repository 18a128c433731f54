package clause

import (
	"cmp"
	"strings"

	"membench/internal/depparse"
	"membench/internal/pattern"
	"membench/internal/tokens"
)

// A slot is chosen by the verb and, where the verb is one of many uses, by a word of
// the object. What fits none is an event (DID), a property (IS) or a thing had (HAS).

var verbSlots = table("verbs.txt")

// slotEN says what slot an English clause fills, and is false for what is not worth
// keeping.
func slotEN(s *enSentence, i int, v verbGroup, f *Fact) bool {
	if v.cop || f.Verb == "be" {
		return f.be()
	}
	first, obj := headWord(f.Object.Text), strings.ToLower(f.Object.Text)
	f.Slot, f.Value = "DID", f.Object
	if f.Subject.Kind == Named && !f.Subject.Plural && f.Tense == Present && len(v.aux) == 0 && !v.cop && v.head == v.chain && s.low(v.head) == f.Verb { // "Raghav call me": the name is called
		return false
	}
	slot, verb := verbSlots[f.Verb], f.Verb
	if prep, rest, _ := strings.Cut(f.Object.Text, " "); verbSlots[verb+" "+prep] != "" { // the preposition says it: "suffer from"
		name, form, _ := strings.Cut(verbSlots[verb+" "+prep], " ") // "IS member of %"
		rest, _ = cutFirst(rest, "the ", "a ", "an ")
		slot, verb, f.Value.Text = name, "", strings.Replace(cmp.Or(form, "%"), "%", rest, 1)
	}
	if at, ok := takesUp(f); ok {
		slot, verb, f.Value.Text = "WORKS_AT", "", at
		if schools.MatchString(at) {
			slot = "STUDIES_AT"
		}
	}
	switch verb {
	case "have", "get", "own", "keep", "adopt", "raise":
		if todo, ok := cutFirst(f.Object.Text, "to "); ok && f.Verb == "have" { // "I have to work"
			f.Slot, f.Value.Text, f.Modality = "PLANS", todo, Plan
			return !f.Negated && f.worth()
		}
		slot = had(f.Verb, set(strings.Map(letter, ownPart.ReplaceAllString(obj, ""))))
		if slot == "HAS_CONDITION" && f.Verb == "get" && f.Tense == Past || slot == "HAS" && f.Tense == Past && f.Modality == Asserted { // "had a blast": an event, no possession
			slot = "DID"
		}
		if slot == "HAS_RELATIVE" && offspring[Relation(headWord(f.Object.Text))] { // "had a baby": since then there is one
			f.Begun = true
		}
	case "work":
		slot = "DID"
		if rest, ok := cutFirst(asWhat.ReplaceAllString(f.Object.Text, ""), "at ", "for ", "in "); (ok || s.low(v.end) == "for" && (proper(rest) || definite[s.low(v.end+1)])) && (f.Tense != Past || f.Formerly) {
			slot, f.Value.Text = "WORKS_AT", rest
		}
		if _, at, ok := strings.Cut(f.Object.Text, " at "); slot == "DID" && ok && f.Tense != Past && at != "" && at[0] > '9' { // "work security at a warehouse"
			slot = "WORKS_AT"
			f.Value.Text, _ = cutFirst(at, "the ", "a ", "an ")
		}
	case "hold":
		if memberThing.MatchString(f.Object.Text) && f.Tense == Present {
			slot = "HAS"
		}
	case "date", "see":
		if f.Subject.Kind == Speaker && s.ws[v.head].Tag == "VBG" && f.Tense == Present && partner.MatchString(f.Object.Text) {
			slot = "HAS_RELATIVE"
		}
	case "learn":
		if s.ws[v.head].Tag == "VBG" && f.Tense == Present && obj != "" && (v.end < len(s.ws) && nounTag(s.ws[v.end].Tag) || proper(firstWords(f.Object.Text, 1))) {
			slot = "STUDIES"
		}
	case "break", "sprain", "fracture", "twist", "tear":
		if part, mine := cutFirst(f.Object.Text, "my "); f.perfect && mine { // "I've broken my wrist"
			slot, f.Value.Text = "HAS_CONDITION", s.low(v.head)+" "+short(part)
		}
	case "live", "reside":
		rest, ok := cutFirst(f.Object.Text, "in ", "at ", "near ", "on ", "above ", "below ", "over ", "behind ", "beside ", "opposite ", "outside ", "next to ", "by ", "close to ")
		if !ok || !proper(rest) { // a dorm is not a rival of the town that it is in
			slot = "DID"
		}
		f.Value.Text = settled.ReplaceAllString(rest, "")
	case "move", "relocate", "move back":
		if rest, ok := cutFirst(leftFor.ReplaceAllString(f.Object.Text, "to"), "to ", "into ", "back to "); ok && proper(rest) {
			slot, f.Value.Text = "LIVES_IN", settled.ReplaceAllString(rest, "")
			if f.Modality == Plan || f.Negated {
				slot = "DID"
			}
		}
	case "go", "travel", "fly", "drive":
		if rest, ok := cutFirst(f.Object.Text, "to "); ok && f.Tense == Past && f.Place.Text != "" && f.Modality == Asserted {
			slot, f.Value.Text = "VISITED", rest
		}
	case "bear":
		if f.When.Text != "" && f.Place.Text == "" {
			slot, f.Object, f.Begun = "HAS_AGE", f.When, true
			f.Value.Text = "born " + f.When.Text
		}
	case "turn":
		if m := years.FindStringSubmatch(obj); m != nil && !f.Negated && f.Modality == Asserted && f.main {
			slot, f.Value.Text, f.Begun = "HAS_AGE", m[1], true
		}
	case "come":
		if rest, ok := cutFirst(f.Object.Text, "from "); ok && f.Tense == Present {
			slot, f.Value.Text = "COMES_FROM", rest
		}
	case "eat":
		if diets[lastWord(short(obj))] && f.Tense == Present && f.Modality == Asserted {
			slot, f.Value.Text = "FOLLOWS_DIET", short(f.Object.Text)
		}
	case "study", "major":
		if v.end < len(s.ws) && s.ws[v.end].Rel == "advmod" { // "studied hard"
			slot = "DID"
		}
	case "name", "call":
		switch {
		case v.passive && f.Subject.Kind == Speaker:
			slot = "HAS_NAME"
		case v.passive && f.named(): // "my boyfriend is called Marcus"
			slot = f.Slot
		}
	case "speak":
		if !languages[first] {
			slot = "DID"
		}
	case "feel", "think":
		if obj == "" {
			return false
		}
		if first == "about" || first == "of" || first == "like" {
			slot = "DID"
		}
	case "read", "watch", "finish":
		if f.Modality == Plan || !title(f.Object.Text) {
			slot = "DID"
		}
	}
	if slot == "WANTS" || slot == "NEEDS" || slot == "PREFERS_TOPIC" || slot == "HAS_OPINION" {
		f.Value = f.Object
		f.Value.Text = strings.TrimPrefix(strings.TrimPrefix(strings.TrimPrefix(f.Value.Text, "forward "), "to "), "na ")
	}
	if f.able && f.Negated && (f.Verb == "stand" || f.Verb == "bear") && obj != "" { // "can't stand olives"
		slot, f.able = "PREFERS_TOPIC", false
	}
	if f.able && skills[f.Verb] && f.Modality == Asserted && f.When.Text == "" && strings.Count(obj, " ") < 3 { // "can't swim", "can play the cello"
		slot, f.able, f.Value.Text = "HAS_SKILL", false, strings.TrimSpace(f.Verb+" "+f.Object.Text)
	}
	if like, ok := stirs[f.Verb]; ok && v.passive && f.Subject.Kind == Speaker && f.Tense == Present { // "I'm fascinated by trains"
		if rest, ok := cutFirst(f.Object.Text, "by ", "with ", "in "); ok && !pronouns[strings.ToLower(rest)] {
			slot, f.Value.Text, f.Negated = "PREFERS_TOPIC", rest, f.Negated == like
		}
	}
	if slot == "PREFERS_TOPIC" && dislikes[f.Verb] {
		if f.Negated { // who does not hate a thing need not like it
			return false
		}
		f.Negated = true
	}
	if slot == "PREFERS_TOPIC" && restricted.MatchString(s.text[min(len(s.text), max(0, f.Object.End-s.start)):]) {
		f.note("object restricted") // "I hate movies that drag on": not movies
	}
	if doing, rest, _ := strings.Cut(f.Object.Text, " "); f.Negated && !f.able && (f.Verb == "stop" || f.Verb == "quit") && strings.HasSuffix(doing, "ing") && f.Tense != Past { // "won't stop whistling"
		f.Verb, f.Object.Text, f.Negated, f.Modality, f.Tense, slot = depparse.Verb(doing, "VBG"), rest, false, Asserted, Present, "HAS_HABIT"
	}
	if f.Modality == Plan && slot != "PLANS" {
		slot = "PLANS"
	}
	if slot == "" || f.Value.Text == "" && slot != "HAS_SKILL" {
		slot = "DID"
	}
	if rest := times.ReplaceAllString(f.Object.Text, ""); rest != f.Object.Text && habitual(f.When.Text) {
		f.Object.Text = rest
	}
	if events[slot] && f.Modality == Asserted && (f.Formerly || f.Tense == Present && (habitual(f.When.Text) || s.stands(v, f))) {
		slot = "HAS_HABIT"
	}
	f.Slot = slot
	if slot == "DID" || slot == "PLANS" || slot == "HAS_HABIT" {
		f.Value = f.event()
	}
	return f.worth()
}

// asWhat is the job behind an employer: "at Vega as a cook".
var asWhat = pattern.New(` as (?:an?|the) .*$`)

// settled is what follows a place and is no part of its name.
var settled = pattern.New(`(?:,| (?:now|on (?:\w{3,6}day|the \d|\d)|with|since|because|for|until|till|while|but|these|before|at the moment)\b).*$`)

// leftFor is the place that somebody moved from before the one moved to.
var leftFor = pattern.New(`^from .*?\b(?:(?:back )?to|into)\b`)

// offspring are the relations that begin when somebody "had" one.
var offspring = set("child son daughter")

// takesUp returns where somebody began to work or study, by a verb that begins a state: "started at Siemens on Monday", "got a job as a cook at the Ritz".
func takesUp(f *Fact) (at string, ok bool) {
	if f.Tense != Past || f.Modality != Asserted || f.Negated || !beginning[f.Verb] {
		return "", false
	}
	at, ok = cutFirst(f.Object.Text, "at ")
	if m := jobOf.FindStringSubmatch(f.Object.Text); m != nil {
		at, ok = m[1], true
	} else if m := employment.FindStringSubmatch(f.Object.Text); m != nil {
		at, _ = cutFirst(m[1], "the ", "a ", "an ")
	} else if f.Verb != "start" || !ok {
		return "", false
	}
	at = short(at)
	return at, proper(firstWords(at, 1))
}

var (
	beginning  = set("start get find land take accept")
	jobOf      = pattern.New(`^(?:the |an? )?(\p{Lu}[\w&.-]*(?: \p{Lu}[\w&.-]*)*) (?:job|role|position|post)$`) // "got the Acme job"
	employment = pattern.New(`(?i)\b(?:job|role|position|post|internship|apprenticeship|place|gig)\b.*? (?:at|with) (.+)$`)
	schools    = pattern.New(`(?i)\b(?:school|college|university|uni|academy|polytechnic|institute)\b`)
)

// events are the slots of what happens once. In the simple present it is done again and again.
var events = set("DID MADE VISITED")

// stands reports whether a clause of the present is one of habit: not what is going on, can be done or comes to mind now.
func (s *enSentence) stands(v verbGroup, f *Fact) bool {
	return s.ws[v.head].Tag != "VBG" && !v.passive && (!f.able || f.Negated) && !passing[f.Verb]
}

// ownPart is what follows the noun of an object: "the idea", of "the idea from a walk with my
// dogs".
var ownPart = pattern.New(`\s(?:from|for|with|of|to|in|at|on|about|by|into|over|that|who|which|when|where)\s.*$`)

// times is how often something is done in a day or a week.
var times = pattern.New(`(?i)(?:^| )(?:once|twice|\S+ times)$`)

// partner is somebody whom one is seeing.
var partner = pattern.New(`^(?:this |that |the |an? )?(?:\S+ )?(?:guy|girl|boy|man|woman|lad|bloke|someone|somebody|colleague|coworker|neighbou?r)\b|^[A-Z]\pL+$`)

// memberThing is what one holds as a member, subscriber or owner of a right.
var memberThing = pattern.New(`(?i)\b(?:permit|licen[cs]e|ticket|card|pass|membership|subscription|account|degree|passport|visa)\b`)

// restricted begins a clause that says which of the things that were named.
var restricted = pattern.New(`^ (?:that|who|when|where|if|how)\b`)

var dislikes = set("hate dislike detest loathe avoid")

var languages = set("english spanish french german italian chinese mandarin cantonese japanese korean arabic portuguese russian hindi urdu bengali polish dutch turkish greek hebrew vietnamese thai")

func letter(r rune) rune {
	if r >= 'a' && r <= 'z' || r == '-' {
		return r
	}
	return ' '
}

// headWord is the first word.
func headWord(s string) string {
	w, _, _ := strings.Cut(strings.ToLower(s), " ")
	return w
}

func cutFirst(s string, prefixes ...string) (string, bool) {
	for _, p := range prefixes {
		if len(s) > len(p) && strings.EqualFold(s[:len(p)], p) {
			return strings.TrimPrefix(strings.TrimPrefix(strings.TrimPrefix(s[len(p):], "the "), "an "), "a "), true
		}
	}
	return s, false
}

// title reports whether a phrase is the name of a work: in quotes, or all of its words
// that count with a capital.
func title(s string) bool {
	if strings.HasPrefix(s, "\"") || strings.HasPrefix(s, "“") {
		return true
	}
	for w := range strings.FieldsSeq(s) {
		if r := w[0]; r >= 'a' && r <= 'z' && !tokens.Stop(w) {
			return false
		}
	}
	return s != ""
}

// proper reports whether a phrase has a name in it.
func proper(s string) bool { return strings.ToLower(s) != s }

func anyOf(words, of map[string]bool) bool {
	for w := range words {
		if of[w] {
			return true
		}
	}
	return false
}

func had(verb string, words map[string]bool) string {
	relative, pet := false, false
	for w := range words {
		relative, pet = relative || Relation(w) != "", pet || animals[w] != ""
	}
	switch {
	case verb == "have" && relative:
		return "HAS_RELATIVE"
	case pet:
		return "HAS_PET"
	case (verb == "have" || verb == "get") && anyOf(words, conditions):
		return "HAS_CONDITION"
	case verb == "own":
		return "OWNS"
	case verb == "have":
		return "HAS"
	}
	return "DID"
}

// event is the whole of what was done.
func (f *Fact) event() Phrase {
	p := Phrase{Text: f.Verb, Start: f.Object.Start, End: f.Object.End}
	if to, ok := cutFirst(f.Object.Text, "to ", "on "); ok && plans[f.Verb] { // what is planned, as it would be denied: "not going to visit Bern"
		verb, rest, _ := strings.Cut(to, " ")
		p.Text = strings.TrimSpace(depparse.Verb(verb, "VBG") + " " + rest)
		return p
	}
	if f.Object.Text != "" {
		p.Text += " " + f.Object.Text
	}
	return p
}

func lastWord(s string) string { return s[strings.LastIndexByte(s, ' ')+1:] }

// firstWords are the first n words.
func firstWords(s string, n int) string {
	f := strings.Fields(s)
	return strings.Join(f[:min(n, len(f))], " ")
}

// named reads who or what is called so: "my flatmate is Tamsin", "Waffles is my beagle".
func (f *Fact) named() bool {
	thing, name := f.Subject.Text, f.Object.Text
	if f.Subject.Kind == Named {
		thing, name = name, thing
	}
	what := whose.ReplaceAllString(thing, "")
	kind := had("have", set(strings.Map(letter, strings.ToLower(what))))
	if f.Negated || f.Tense != Present || what == thing || ofAnother(thing) || f.Subject.Owner != nil || opensPhrase.MatchString(name) || !title(name) || kind != "HAS_PET" && kind != "HAS_RELATIVE" {
		return false
	}
	f.Slot, f.Value.Text = kind, what+" called "+name
	f.Subject = Mention{Kind: Speaker, Phrase: f.Subject.Phrase}
	return true
}

// years is an age without its unit: "nine", "like 12", "nearly forty".
var years = pattern.New(`(?i)^(?:(?:like|about|around|almost|nearly|barely|already|just|only|now|turning) )*(\d{1,2}|(?:twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety)(?:[- ](?:one|two|three|four|five|six|seven|eight|nine))?|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|\w{3,5}teen)(?: now| today| already)?$`)

// be fills the slot of a clause with "be".
func (f *Fact) be() bool {
	f.Object.Text, _ = cutFirst(f.Object.Text, "both ")
	obj := strings.ToLower(f.Object.Text)
	words := set(strings.Map(letter, obj))
	first := headWord(f.Object.Text)
	f.Slot, f.Value = "IS", f.Object
	last := lastWord(obj)
	rest, from := cutFirst(f.Object.Text, "originally from ", "from ")
	seen, been := cutFirst(f.Object.Text, "to ")
	liked, likes := cutFirst(f.Object.Text, "really into ", "so into ", "into ", "obsessed with ", "addicted to ", "fond of ", "crazy about ", "passionate about ", "interested in ", "hooked on ", "keen on ", "big fan of ", "huge fan of ", "fan of ", "big on ")
	base, based := cutFirst(f.Object.Text, "based in ", "based out of ")
	to, off := strings.CutPrefix(f.Object.Text, "off to ")
	switch {
	case obj == "":
		return false
	case off && f.Tense == Present && !f.Negated && f.Modality == Asserted && !strings.HasPrefix(to, "a "): // "I'm off to Lisbon"
		if f.Modality, f.Tense, f.Verb = Plan, Future, "go"; proper(firstWords(to, 1)) || places[headWord(to)] || definite[headWord(to)] || headWord(to) == "bed" || headWord(to) == "work" {
			f.Object.Text = "to " + to
		} else {
			f.Verb, f.Object.Text, _ = strings.Cut(strings.TrimPrefix(to, "go "), " ")
		}
	case likes && f.Tense != Past:
		f.Slot, f.Value.Text = "PREFERS_TOPIC", liked
	case from:
		f.Slot, f.Value.Text = "COMES_FROM", rest
	case based && f.Tense != Past && proper(base):
		f.Slot, f.Value.Text = "LIVES_IN", settled.ReplaceAllString(base, "")
	case been && f.Tense == Past && f.Modality == Asserted: // "I've never been to Japan"
		f.Slot, f.Value.Text = "VISITED", seen
	case anyOf(words, diets):
		f.Slot = "FOLLOWS_DIET"
		if rest, off := cutFirst(f.Object.Text, "off "); off && !f.Negated {
			f.Value.Text, f.Negated, f.Formerly = short(rest), true, true
		} else if rest, on := cutFirst(f.Object.Text, "on "); on {
			f.Value.Text = strings.TrimSuffix(rest, " diet")
		} else {
			f.Value.Text = settled.ReplaceAllString(f.Object.Text, "")
		}
	case anyOf(words, statuses):
		f.Slot = "HAS_STATUS"
		f.Value.Text, _, _ = strings.Cut(f.Object.Text, ",")
	case anyOf(set(strings.Map(letter, firstWords(obj, 2))), feelings) || anyOf(words, feelings) && len(words) < 4:
		f.Slot = "FEELS"
	case anyOf(set(strings.Map(letter, firstWords(obj, 3))), conditions):
		f.Slot = "HAS_CONDITION"
	case strings.HasSuffix(obj, "years old") || strings.HasSuffix(obj, "year old"):
		f.Slot = "HAS_AGE"
	case f.Subject.Kind != NoOne && !f.Subject.Plural && f.Tense == Present && years.MatchString(obj):
		f.Slot, f.Value.Text = "HAS_AGE", years.FindStringSubmatch(f.Object.Text)[1]
	case jobs[last] || jobs[first] || jobs[lastWord(short(obj))]:
		f.Slot = "WORKS_AS"
	case f.named():
	}
	if f.Modality == Plan {
		f.Slot = "PLANS"
		f.Value = f.event()
	}
	return f.worth()
}

// skills are verbs of what one learns to do.
var skills = set("swim drive cook dance ski skate sing whistle type sew knit juggle ride read play speak")
