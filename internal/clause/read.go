package clause

import (
	"slices"
	"strings"
	"unicode"

	"membench/internal/depparse"
	"membench/internal/pattern"
	"membench/internal/sentence"
	"membench/internal/textnorm"
	"membench/internal/tokens"
)

// longSentence is the length in bytes above which a sentence is a log, a list or a
// blob, and nobody's clause.
const longSentence = 4 << 10

// Read lists the facts of a text in its order, of every modality; see Fact.Modality.
// Clauses that are no person's, and such as say nothing worth keeping (courtesies,
// hedges, talk about the talk), are skipped.
func Read(text string, o Options) []Fact {
	all := Candidates(text, o)
	kept := all[:0]
	for _, f := range all {
		if f.weigh() {
			kept = append(kept, f)
		}
	}
	return kept
}

// Candidates lists what Read weighs, with its traits, however unlikely to be right.
func Candidates(text string, o Options) []Fact {
	var out []Fact
	zh := zhReader{o: o}
	text = unmarked(textnorm.WithoutLinks(text))
	if quotation(text) { // a draft, a line of a song: what it says is not said of the one who shows it
		return nil
	}
	all := sentence.Split(text)
	q, asked := query{}, false
	switch {
	case strings.IndexFunc(o.Before, textnorm.IsHan) >= 0:
		zh.asks(o.Before)
	case o.Before != "":
		q, asked = o.asked(o.Before)
	}
	for i, st := range all {
		var found []Fact
		if asked && i == 0 {
			for _, f := range o.reply(st, q) {
				out = append(out, f.typed(text)...)
			}
		}
		framed := taste(st)
		switch {
		case st.Quoted || len(st.Text) > longSentence || i+1 < len(all) && takenBack(all[i+1].Text):
			continue
		case len(framed) > 0: // the frame says what the grammar would misread
		case otherLanguage(st.Text):
		case strings.IndexFunc(st.Text, textnorm.IsHan) >= 0:
			found = zh.sentence(st)
		case o.speaksOfPeople(st.Text) || asked && !otherLanguage(st.Text):
			found = o.english(st, q.subject, text[:st.Start])
		}
		n := len(out)
		for _, f := range append(framed, append(critique(st), ownWords(st, found)...)...) {
			out = append(out, f.typed(text)...)
		}
		for k := n; k < len(out); k++ {
			out[k].describe(text, st.Text, len(out)-n)
		}
	}
	return out
}

// quotation reports whether all of a text is in one pair of quotation marks.
func quotation(text string) bool {
	text = strings.TrimSpace(text)
	for _, q := range []string{`""`, "“”", "「」"} {
		r := []rune(q)
		inner, ok := strings.CutPrefix(text, string(r[0]))
		if ok {
			inner, ok = strings.CutSuffix(inner, string(r[1]))
		}
		if ok && !strings.ContainsAny(inner, q) {
			return true
		}
	}
	return false
}

// takenBack reports whether a sentence takes back the one before it.
func takenBack(s string) bool { return len(s) < 60 && joking.MatchString(s) }

var joking = pattern.New(`(?i)开玩笑|逗你|骗你的|瞎说的|说着玩|\b(?:just kidding|(?:just|only) joking|i['’]?m (?:kidding|joking))\b`)

// speaksOfPeople reports whether a sentence of Latin letters may have a person as a
// subject: two words at least, and of them a pronoun, a relation or a name, or the
// first one may be a verb. Parsing is what takes the time.
func (o Options) speaksOfPeople(s string) bool {
	n, thing := 0, false
	for f := range strings.FieldsFuncSeq(s, func(r rune) bool { return !unicode.IsLetter(r) && r != '-' }) {
		low := strings.ToLower(f)
		if n == 0 && interjections[low] {
			continue
		}
		if n++; n == 1 {
			thing = openers[low]
		} else if thing && o.Ended != nil { // "The bike was stolen"
			ends, may := o.Ended(depparse.Verb(low, "VBD"))
			thing = len(ends)+len(may) == 0
		}
		if persons[low] || Relation(low) != "" || f[0] != low[0] && (n > 1 || !depparse.Common(low)) {
			thing = false
		}
		if n > 1 && !thing {
			return true
		}
	}
	return false
}

// Unread reports whether a text has sentences, and all of them are in languages that Read skips.
func Unread(text string) bool {
	all := sentence.Split(text)
	return len(all) > 0 && !slices.ContainsFunc(all, func(st sentence.Sentence) bool { return st.Quoted || !otherLanguage(st.Text) })
}

// otherLanguage reports whether a sentence is neither Chinese nor English. One of Latin letters is not if it has more function words of other languages than of
// English, "wir heiraten im Sommer", or a word with an accent and no function words of English: "Me mudé a Sevilla", but not "She loves crème brûlée". One of other
// letters is not if most of them are, or if it has kana, which Japanese has beside Han.
func otherLanguage(s string) bool {
	letters, latin, han, kana := 0, 0, 0, 0
	for _, r := range s {
		switch {
		case r <= unicode.MaxASCII && unicode.IsLetter(r), unicode.Is(unicode.Latin, r):
			latin++
		case textnorm.IsHan(r):
			han++
		case unicode.In(r, unicode.Hiragana, unicode.Katakana):
			kana++
		}
		if unicode.IsLetter(r) {
			letters++
		}
	}
	if kana > 1 || 2*(latin+han) < letters { // one kana is a の in a Chinese name of a shop
		return true
	}
	if han > 0 {
		return false
	}
	n, other, english, accent := 0, 0, 0, false
	for f := range strings.FieldsFuncSeq(s, func(r rune) bool { return !unicode.IsLetter(r) }) {
		n++
		switch low := strings.ToLower(f); {
		case foreign[low]:
			if low == f || n == 1 { // in "El Paso" and "La Paz" it is part of a name
				other++
			}
		case !shared[low] && tokens.Stop(low):
			english++
		case low == f && strings.IndexFunc(f, func(r rune) bool { return r > unicode.MaxASCII }) >= 0:
			accent = true
		}
	}
	return (other > 0 || accent) && other >= english
}

// shared are function words of English that other languages have, too: in German "im" is "in the".
var shared = set("im in an am so was die me a no as do on he")

// foreign are function words of German, Dutch, French, Spanish, Italian and Portuguese that are no words of English, nor names.
var foreign = set("und der das ist nicht ich wir sie ein eine einen einem einer mit für auf zum zur von vom bei auch noch aber wie sind haben habe hast seit nach dem den mein meine unser nur schon wenn weil dass sehr gern heute morgen gestern het een niet naar ook zijn mijn heeft je tu il elle nous vous est les une dans avec pas du aux qui suis ont mais c'est chez très mon ma mes el los las por con para una pero muy está vivo mi soy tengo che di per non sono è della nel sul ho ha não uma com meu minha eu você")

// openers are first words of sentences that have another subject than the speaker.
var openers = set("the a an this that these those it its there here what how why who which where when is are was were do does did if")

// interjections may be before the first word.
var interjections = set("hi hey hello wow oh yeah yes yep no nah ok okay thanks thank haha lol man dude yo oops damn omg so and but")

var persons = set("i im ive id ill me my mine we us our ours were you your yours u ur ya he him his she her hers they them their theirs myself ourselves everyone")
