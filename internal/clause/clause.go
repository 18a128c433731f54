// Package clause extracts a text's statements about people: who did or is what, where, with whom and when, and whether the text asserts it, plans it,
// denies it or only asks.
//
// It knows mentions ("I", "my sister", "Anna", 我妈), not people: the caller decides
// who is meant. It knows expressions of time, not the day of speaking: the caller
// resolves Fact.Time with timex.Expr.At. Nothing here reads a clock, and the same text
// always gives the same facts.
package clause

import (
	"membench/internal/timex"
)

// A Phrase is a piece of the text that was read. Text[Start:End] of the input holds
// its words; Text is their plain form, without articles and marks around them, and is
// "" where there is none.
type Phrase struct {
	Text       string
	Start, End int // bytes
}

// A MentionKind says how a person is spoken of.
type MentionKind uint8

// Kinds of mentions.
const (
	NoOne     MentionKind = iota // the zero Mention: nobody is spoken of
	Speaker                      // I, me, 我; with Plural we, 我们
	Addressee                    // you, 你
	Named                        // by name
	Relative                     // by relation to another: my sister, Anna's boss, 我妈
	Pronoun                      // he, she, they, 他
	Described                    // otherwise: "a friend from work", 同事小组
)

// A Gender is what the words of a mention tell.
type Gender uint8

// Genders.
const (
	Unknown Gender = iota
	Female
	Male
)

// A Mention is one way in which a text speaks of a person. Start == End where the
// subject is omitted, as Chinese and chats do ("Went home early").
type Mention struct {
	Kind MentionKind
	Phrase
	// Relation is the relation of a Relative as an English key, the same for "mom",
	// "mother" and 妈妈: mother, sister, husband, boss, friend …
	Relation string
	Owner    *Mention // whose relation it is; nil: the speaker's, or nobody's
	Plural   bool     // more than one person: we, my parents, 他们
	Gender   Gender
	Known    bool // of a Named: someone who takes part in the talk
	Several  bool // of a Pronoun: the text speaks of more than one person whom it may mean
}

// A Tense is the time of what a clause says, against the time of speaking.
type Tense uint8

// Tenses.
const (
	Present Tense = iota
	Past
	Future
)

// A Modality says how the text holds what a clause says.
type Modality uint8

// Modalities. Only Asserted and Plan make facts; the others are there so that a caller
// can tell what was said from what is so.
const (
	Asserted   Modality = iota // it is, was or has been so
	Plan                       // it is meant to come: "I'm going to", "next week I fly", 打算
	Wish                       // "I'd love to", "I hope", 想要
	Condition                  // "if I had time", 如果
	Hearsay                    // "she says that", 听说
	Question                   // asked, not said
	Imperative                 // told to do: "let me know"
)

// A Tier says how far a fact can be trusted.
type Tier uint8

// Tiers.
const (
	Wide    Tier = iota // worth keeping, one way of reading found it
	Default             // sure enough to become a claim unless the caller asks otherwise
)

// A Fact is one clause's statement about one person.
//
//	I went to Lisbon with my sister last May.
//	Subject {Speaker "I"}  Verb "go"  Place "Lisbon"  With [{Relative "my sister"}]
//	When "last May"  Time {Deictic …}  Tense Past  Slot "VISITED"  Value "Lisbon"
type Fact struct {
	Subject Mention
	Verb    string // lemma of the predicate, with its particle: go, give up, be, 去
	Object  Phrase // what the predicate is about, to the end of the clause; of "be" the complement
	Place   Phrase
	With    []Mention
	When    Phrase     // the words of time
	Time    timex.Expr // their meaning; only where When.Text is not ""
	Tense   Tense
	Negated bool
	// Formerly: it was so for some time and is no longer ("used to"), or is denied with "any more".
	Formerly bool
	// Begun: a Past says that something has come about (我养了一只猫, 我上班了, "had a baby"), so that a state holds from then on and is not over.
	Begun bool
	// Modality is how the clause is held; see Modality.
	Modality Modality
	// Slot is the predicate of the catalogue that the fact fills, always the positive
	// of its pair (Negated says the polarity). It is DID where no other fits: a general
	// event, whose object is the whole of Verb, Object and Place.
	Slot string
	// Value is what fills the slot: the town of LIVES_IN, the animal of HAS_PET. Of a
	// slot whose rivals have a name (FAVORITE, "dessert=tiramisu") Value holds both.
	Value Phrase
	Of    string // of a chapter: its work, "" where the text names none
	Rank  int    // 1: "favourite", "best", 最; 0: not ranked
	// Confidence is how many of a hundred facts with these traits readers would find right, in [0,1]; see weigh.
	Confidence float64
	Tier       Tier
	Start, End int // bytes of the sentence in the text

	// Over are the states that the clause says are over; see Options.Ended.
	Over []End

	traits   []string // what its form tells of how likely it is right; see note
	onlyEnds bool     // it says what is over, and nothing else worth keeping
	able     bool     // under "can"
	main     bool     // depends on no other clause
	beside   Mention  // who does it with the speaker, of "Tom and I"
	passive  bool     // "was scrapped": the subject suffers it
	becomes  bool     // "got married"
	perfect  bool     // "have broken"
	another  bool     // the object is a new thing: "a bike"
	definite bool     // the object is a certain thing: "my Golf", "the bank", not "insurance"
}

// Options say how a text is to be read.
type Options struct {
	Year  int      // completes dates that name none; 0: unknown
	Names []string // who takes part in the talk, the speaker and the one spoken to first: these capital words are people
	// Before is what another speaker said just before. A text that only answers its question (华为, asked 在哪儿上班; "Northgate", asked "where do you work?") is read with it, and an English
	// pronoun may mean somebody named there.
	Before string
	// Own is what the speaker said before that: a question without a subject is about whom it was about.
	Own string
	// Presupposed asks also for what an English text only presupposes: the relatives and pets that it mentions with their owners.
	Presupposed bool
	// Ended lists the slots that a verb, with its particles and prepositions, ends, and those that it ends if what it names filled them before. If it is set, a clause that ends one is returned even if it
	// is not worth keeping or its subject is not a person (Kind NoOne); its Tier is Wide then.
	Ended func(verb string) (ends, may []string)
}
