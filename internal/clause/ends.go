package clause

import (
	"slices"
	"strings"

	"membench/internal/depparse"
	"membench/internal/pattern"
	"membench/internal/timex"
)

// An End is a state that a clause says is over: something no longer fills Slot. What it is must have been said before, unless Value names it.
type End struct {
	Slot string
	// Value is what filled the slot, if the words say it by themselves ("sold my Golf"); "" where they may mean something else ("gave up coffee").
	Value string
	// Names are words for what filled the slot, the best first. "" is whatever filled it, if that is one single thing: "I quit".
	Names []string
	// Mine: the state is the speaker's, whoever the subject is: "Biscuit died".
	Mine bool
}

// An enders lists the slots that a verb ends, and those that it ends only if what it names was said to fill them.
type enders func(verb string) (ends, may []string)

// ending lists the states that the clause ends for good. text is the sentence.
func (f *Fact) ending(of enders, text string) (out []End) {
	switch {
	case f.Modality != Asserted, f.Time.Kind == timex.Clock: // "finished school at four"
		return nil
	case f.Verb == "mean" && f.Tense == Past && f.Subject.Kind == Speaker: // "I meant a Fiat, not a Volvo"
		if m := notThat.FindStringSubmatch(text); m != nil {
			for _, slot := range []string{"OWNS", "HAS", "HAS_PET", "LIVES_IN", "WORKS_AT", "WORKS_AS", "STUDIES", "STUDIES_AT", "PLANS"} {
				out = append(out, End{Slot: slot, Names: []string{m[1]}})
			}
		}
	case f.Negated:
		out = f.lacking()
	default:
		out = f.over(of)
	}
	if len(out) > 0 && forAWhile.MatchString(text) {
		return nil
	}
	return out
}

// over lists the states that the clause ends, by the verb with its particles and prepositions: "move out of" ends LIVES_IN. What the verb is about
// decides which of them is meant, if any: "sold my Golf" ends possession, "sell insurance" is a job, "quit the bank" ends employment, "quit smoking"
// a habit.
func (f *Fact) over(of enders) (out []End) {
	l := f.loss(of)
	slots := append(slices.Clone(l.ends), l.may...)
	if len(slots) == 0 || f.Tense != Past && f.Verb != "be" {
		return nil
	}
	if l.object == "" && f.Subject.Kind != Speaker && !l.mine {
		return f.lost(slots)
	}
	certain := !l.suffered && !l.mine && (f.definite || definite[headWord(l.object)] || proper(firstWords(l.object, 1)))
	object, _ := cutFirst(l.object, "the ", "a ", "an ")
	if pronouns[strings.ToLower(short(object))] {
		return nil
	}
	for n, slot := range slots {
		if f.another && slices.Contains(having, slot) { // "cancelled a subscription": not the one that was spoken of
			continue
		}
		e := End{Slot: slot, Names: namesOf(slot, object), Mine: l.mine}
		switch {
		case object == "":
			if e.Names = f.implies(slot, l.verb); l.suffered && l.mine && proper(f.Subject.Text) { // "Delta fired me"
				e.Names = slices.Insert(e.Names, 0, f.Subject.Text)
			}
		case l.suffered && !proper(short(object)): // "laid off from the bank": the employer's name may be another
			e.Names = append(e.Names, "")
		}
		if n < len(l.ends) && !l.suffered && !l.mine {
			e.Value = f.held(slot, object, certain)
		}
		if (e.Value != "" || len(e.Names) > 0) && slot != f.Slot {
			out = append(out, e)
		}
	}
	return append(out, f.undone(object)...)
}

// A loss is a verb that ends states, and what it is about: its object; of a passive and of a clause without an object the subject, and object is "".
type loss struct {
	verb, object string
	ends, may    []string // slots, see enders
	suffered     bool     // by the subject: "the Panda was scrapped", "I got laid off"
	mine         bool     // the object is the speaker's, whoever did it: "the storm smashed my shed"
}

func (f *Fact) loss(of enders) loss {
	first, rest, _ := strings.Cut(f.Object.Text, " ")
	speaks, bare := f.Subject.Kind == Speaker, f.Object.Text == "" || opensPhrase.MatchString(f.Object.Text)
	l := loss{suffered: f.passive, mine: !speaks && (first == "my" || first == "our" || f.Subject.Kind == NoOne && definite[first])}
	switch {
	case !speaks && (first == "me" || first == "us"): // "they let me go"
		l.verb, l.object, l.ends, l.may = of.split(f.Verb, rest)
		l.suffered, l.mine, speaks = true, true, true
		if l.object != "" && !opensPhrase.MatchString(l.object) { // "it left me tired"
			return loss{}
		}
	default:
		l.verb, l.object, l.ends, l.may = of.split(f.Verb, f.Object.Text)
	}
	if len(l.ends)+len(l.may) == 0 && (f.Verb == "get" || f.Verb == "be" && !speaks) { // "got laid off", "is all healed"
		for fillers[first] || first == "all" {
			first, rest, _ = strings.Cut(rest, " ")
		}
		l.verb, l.object, l.ends, l.may = of.split(depparse.Verb(first, "VBN"), rest)
		l.suffered = true
	}
	from, behind := cutFirst(l.object, "from ", "by ")
	switch {
	case l.suffered && speaks && behind:
		l.object = from
	case l.suffered, !speaks && bare, opensPhrase.MatchString(l.object): // "I retired on Friday"
		l.object = ""
	}
	return l
}

// implies are the names of what a verb without an object ends in a slot: "I quit", "Tom and I broke up".
func (f *Fact) implies(slot, verb string) (names []string) {
	if alone[slot] && !needsNaming[headWord(verb)] {
		return []string{""}
	}
	for _, m := range f.With {
		names = append(names, m.Text)
	}
	return append(names, strings.Fields(implied[verb])...)
}

// having are the slots of what somebody has. Which one a denial fills depends on its verb, not on that of what it denies.
var having = []string{"HAS", "HAS_PET", "OWNS"}

// lacking are the states that a denial ends beside that of its own slot: "I don't have the car any more", "I'm not with Tom any more".
func (f *Fact) lacking() (out []End) {
	with, partner := cutFirst(f.Object.Text, "with ", "seeing ", "dating ")
	switch {
	case f.Verb == "be" && partner && f.Formerly:
		for _, slot := range []string{"HAS_RELATIVE", "HAS_STATUS"} {
			out = append(out, End{Slot: slot, Names: namesOf(slot, with)})
		}
	case slices.Contains(having, f.Slot) && (f.definite || f.Formerly):
		for _, slot := range having {
			if slot != f.Slot {
				out = append(out, End{Slot: slot, Names: namesOf(slot, f.Object.Text)})
			}
		}
	}
	return out
}

// split parts the words that belong to a verb from what it is about: "drop out of" and "my degree".
func (of enders) split(verb, object string) (string, string, []string, []string) {
	ends, may := of(verb)
	if isHanWord(verb) && len(ends)+len(may) == 0 {
		ends, may = of(verb + object)
		return verb + object, "", ends, may
	}
	words := strings.SplitN(object, " ", 5)
	for n := min(4, len(words)); n > 0; n-- { // "drop out of" ends other states than "drop"
		long := verb + " " + strings.ToLower(strings.Join(words[:n], " "))
		if e, m := of(long); object != "" && len(e)+len(m) > 0 {
			return long, strings.Join(words[n:], " "), e, m
		}
	}
	return verb, object, ends, may
}

// lost are the ends of what the subject names, if it is the speaker's: "my dog", "the Panda", "Biscuit".
func (f *Fact) lost(slots []string) (out []End) {
	name := f.Subject.Text
	if ofAnother(name) || f.Subject.Owner != nil || f.Subject.Kind == Pronoun || f.Subject.Kind == Addressee {
		return nil
	}
	for _, slot := range slots {
		if names := namesOf(slot, name); len(names) > 0 && names[0] != "" {
			out = append(out, End{Slot: slot, Names: names, Mine: true})
		}
	}
	return out
}

// undone reads what was stopped as a statement of its own: "stopped being vegan" ends what "I am vegan" says.
func (f *Fact) undone(object string) (out []End) {
	first, rest, _ := strings.Cut(object, " ")
	verb := depparse.Verb(first, "VBG")
	if verb == first || !strings.HasSuffix(first, "ing") || f.Subject.Kind != Speaker {
		return nil
	}
	if verb == "be" {
		first = ""
	}
	for _, g := range Read(strings.Join(strings.Fields("I am "+first+" "+rest), " "), Options{}) {
		if g.Slot != "HAS_HABIT" {
			out = append(out, End{Slot: g.Slot, Names: []string{g.Value.Text, short(g.Value.Text)}})
		}
	}
	return out
}

// held is what filled a slot until the clause ended it, or "" if the words do not say so by themselves.
func (f *Fact) held(slot, object string, certain bool) string {
	first, rest, _ := strings.Cut(object, " ")
	habit := depparse.Verb(first, "VBG")
	doing := habit != first && strings.HasSuffix(first, "ing")
	thing := toWhom.ReplaceAllString(whose.ReplaceAllString(object, ""), "")
	switch slot {
	case "HAS_HABIT":
		if !doing || habit == "be" || f.When.Text != "" && rest == "" || strings.HasPrefix(rest, "at ") { // "stopped working at nine"
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
		if doing || !certain || allOf(thing, general[slot]) {
			return ""
		}
	case "LIVES_IN", "STUDIES_AT":
		if !certain || allOf(thing, general[slot]) {
			return ""
		}
	default:
		return ""
	}
	return thing
}

// namesOf are the words of an object by which a state may be known: with and without what follows its noun, and without the words that say only what
// kind of state it is. Words of the kind alone mean whatever fills the slot: "lost my job".
func namesOf(slot, object string) (names []string) {
	if ofAnother(short(object)) || object == "" {
		return nil
	}
	object = postZH.ReplaceAllString(whose.ReplaceAllString(object, ""), "")
	if m := post.FindString(object); m != "" && slot == "WORKS_AT" && proper(object[len(m):]) {
		object, _ = cutFirst(object[len(m):], "the ", "a ", "an ")
	}
	if first, rest, _ := strings.Cut(object, " "); slot == "HAS_HABIT" && strings.HasSuffix(first, "ing") {
		object = strings.TrimSpace(depparse.Verb(first, "VBG") + " " + rest)
	}
	for _, name := range []string{object, memberOf.ReplaceAllString(object, ""), short(object)} {
		if kinds := general[slot]; kinds != nil {
			which := strings.Join(slices.DeleteFunc(strings.Fields(name), func(w string) bool { return kinds[strings.ToLower(w)] }), " ")
			if which != "" || alone[slot] {
				name = which
			}
		}
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// short is an object without what follows its noun: "Tesco", of "Tesco on Friday".
func short(object string) string {
	object = behindNoun.ReplaceAllString(object, "")
	return strings.TrimRight(object, " ,")
}

// allOf reports whether all words of a phrase are of a set.
func allOf(phrase string, words map[string]bool) bool {
	return !slices.ContainsFunc(strings.Fields(strings.ToLower(phrase)), func(w string) bool { return !words[w] })
}

// behindNoun is what follows the noun of an object and is no part of its name.
var behindNoun = pattern.New(`(?i)(?:,| (?:on|in|at|to|for|from|with|because|since|so|when|after|before|but|and|as|during|due|over|around|this|last|by|yesterday|today|now)\b).*$`)

// forAWhile says that something is so for some time only, or on one day.
var forAWhile = pattern.New(`(?i)\bfor (?:(?:an?|the|half|whole|few|couple|of|\d+|one|two|three|four|five|six|\w+teen) ){1,4}(?:second|minute|hour|night|day|week|month|weekend)s?\b|\bfor (?:now|today|the (?:day|night|weekend|week))\b|\b(?:early|late) (?:today|tonight|yesterday)\b|\bat \d|\d ?[ap]m\b|(?:一|两|几|三)(?:天|周|个星期|个小时|阵子|会儿)(?:不|没|先)|先不|暂时|先停`)

// opensPhrase begins what is no object.
var opensPhrase = pattern.New(`(?i)^(?:on|in|at|to|for|from|because|since|when|after|before|during|this|last|of|by|peacefully|suddenly|yesterday|today|now)\b`)

// ofAnother reports whether a phrase is a thing that is not the speaker's: "my neighbour's dog", 邻居家的狗.
func ofAnother(phrase string) bool {
	if m := owner.FindStringSubmatch(phrase); theirs.MatchString(phrase) || m != nil && (Relation(strings.ToLower(m[1])) != "" || proper(m[1])) {
		return true
	}
	phrase = strings.TrimPrefix(strings.TrimPrefix(phrase, "我们"), "我")
	for who := range zhRelations {
		if strings.HasPrefix(phrase, who) && phrase != who {
			return true
		}
	}
	return false
}

var theirs = pattern.New(`(?i)^(?:his|her|their|your|its|another|someone|somebody)\b|^[你他她]`)

// owner is somebody before a thing: "my neighbour's dog", but not "my driver's licence".
var owner = pattern.New(`(\pL+)(?:['’]s|s['’]) `)

var (
	// whose is what makes an object a certain one: it does not belong to its name.
	whose = pattern.New(`(?i)^(?:(?:my|our|his|her|their|its|this|that|these|those|own|old|poor|dear|beloved|all|both|of|the|two|three|four|five|six|seven|eight|nine|ten|\d+) )+|^(?:我们?|他们?|她们?|自己)(?:家)?的|^我们?家`)
	// toWhom is who got a thing, for how much or why.
	toWhom = pattern.New(` (?:to|for|because|since|so|when|after|before) .*$`)
	// memberOf is a membership before that of which one is a member.
	memberOf = pattern.New(`(?i)^(?:\S+ ){0,2}(?:membership|subscription|season ticket) (?:at|of|with|in|to|for) (?:the )?`)
	// post is a job before its employer: "job at the bank".
	post   = pattern.New(`(?i)^(?:\S+ ){0,3}(?:job|position|post|role|work) (?:at|with|for|in) `)
	postZH = pattern.New(`的(?:工作|职务|职位|岗位|活儿?|班)$`)
)

// notThat is what was said and not meant.
var notThat = pattern.New(`(?i), ?not (?:an? |the |my |in |at |to )?([^,.;!?]+)[.!]?$`)

// general are words that say of what kind a state is, not which one.
var general = map[string]map[string]bool{
	"WORKS_AT":   set("job jobs work position post role career notice badge resignation company firm workplace employer"),
	"WORKS_AS":   set("job work position post role career notice"),
	"STUDIES":    set("degree course studies program programme university uni college school lessons classes class"),
	"STUDIES_AT": set("degree course studies program programme university uni college school"),
	"HAS":        set("membership subscription account plan"),
	"IS":         set("membership"),
	"PLANS":      set("trip holiday visit flight plan plans journey tour vacation stay idea"),
}

// needsNaming are verbs that end nothing unless it is named: "I left".
var needsNaming = set("leave lose drop finish complete give pack hand")

// alone are the slots of which one end without a name means the single thing that fills them.
var alone = set("WORKS_AT WORKS_AS STUDIES STUDIES_AT")

// implied are words for what a verb ends that needs no object: who divorces was married.
var implied = map[string]string{
	"divorce": "married husband wife marriage", "break up": "boyfriend girlfriend partner fiancé fiancée engaged dating relationship",
	"split up": "boyfriend girlfriend partner fiancé fiancée husband wife engaged dating relationship", "separate": "married husband wife",
	"分手": "男朋友 女朋友 男友 女友 对象 恋爱", "离婚": "结婚 已婚 老公 老婆 丈夫 妻子", "戒烟": "烟", "戒酒": "酒",
}

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
