package judge

import (
	_ "embed"
	"hash/maphash"
	"strings"
	"sync"
	"sync/atomic"
	"unicode/utf8"

	"membench/internal/tokens"

	"github.com/blevesearch/snowballstem"
	"github.com/blevesearch/snowballstem/english"
)

//go:embed lexicon.txt
var lexiconText string

// entry is the lexicon's information about a word.
type entry struct {
	stem    string
	groups  []int  // sorted
	canon   string // stem shared by all names of one thing; "": its own stem
	above   []int  // groups of more general words
	anti    []int  // opposites: +n on one side of pair n, -n on the other
	weight  float64
	num     float64
	valence int
	stop    bool
	vague   bool
	hedge   bool
	neg     bool
	list    bool // parts items of a list, as 和 does
	common  bool // listed in the lexicon: a capital at the start of a sentence means nothing
}

// lex is the lexicon, read once. Immutable after that, but for the words that were looked up: safe for concurrent use.
type lex struct {
	words   map[string]entry // exact forms: stop words and marks
	stems   map[string]entry // groups by stem
	phrases map[string][]phrase
	han     map[string]entry
	alone   map[string]entry // Chinese words of one character that are read only where they are a word
	whole   bool             // while reading: such follow
	hanMax  int              // longest Chinese word, in bytes
	groups  int
	recent  [8192]atomic.Pointer[known]
}

type phrase struct {
	stems []string // all of it
	e     entry
}

var lexicon = sync.OnceValue(func() *lex {
	l := &lex{words: map[string]entry{}, stems: map[string]entry{}, phrases: map[string][]phrase{}, han: map[string]entry{}, alone: map[string]entry{}}
	for line := range strings.Lines(lexiconText + "neg " + tokens.Negators + "\nzhneg " + tokens.HanNegators + "\n") {
		kind, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		switch kind {
		case "=":
			g := l.group()
			for _, w := range strings.Fields(rest) {
				l.put(w, func(e *entry) { e.groups = append(e.groups, g) })
			}
		case "==":
			canon := "=" + strings.Fields(rest)[0]
			for _, w := range strings.Fields(rest) {
				l.put(w, func(e *entry) { e.canon = canon })
			}
		case "<":
			general, kinds, _ := strings.Cut(rest, ":")
			g := l.group()
			l.put(strings.TrimSpace(general), func(e *entry) { e.groups = append(e.groups, g) })
			for _, w := range strings.Fields(kinds) {
				l.put(w, func(e *entry) { e.above = append(e.above, g) })
			}
		case "whole":
			l.whole = true
		case "!":
			one, other, _ := strings.Cut(rest, "|")
			n := l.group()
			for side, words := range []string{one, other} {
				for _, w := range strings.Fields(words) {
					l.put(w, func(e *entry) { e.anti = append(e.anti, n-2*n*side) })
				}
			}
		case "glad", "bad":
			v := map[string]int{"glad": 1, "bad": -1}[kind]
			for _, w := range strings.Fields(rest) {
				l.put(w, func(e *entry) { e.valence = v })
			}
		case "stop", "vague", "hedge", "neg", "light":
			for _, w := range strings.Fields(rest) {
				e := l.words[w]
				e.stop = e.stop || kind == "stop"
				e.vague = e.vague || kind == "vague"
				e.hedge = e.hedge || kind == "hedge"
				e.neg = e.neg || kind == "neg"
				e.stop = e.stop || kind == "neg"
				e.common = true
				if e.weight == 0 && kind == "light" || kind == "vague" {
					e.weight = .5
				}
				l.words[w] = e
			}
		case "zhstop", "zhvague", "zhhedge", "zhneg", "zhlist":
			for _, w := range strings.Fields(rest) {
				e := l.han[w]
				e.stem = w
				e.stop = e.stop || kind == "zhstop" || kind == "zhneg"
				e.vague = e.vague || kind == "zhvague"
				e.hedge = e.hedge || kind == "zhhedge"
				e.neg = e.neg || kind == "zhneg"
				e.list = e.list || kind == "zhlist"
				e.weight = .5
				l.han[w] = e
				l.hanMax = max(l.hanMax, len(w))
			}
		}
	}
	for _, x := range []struct {
		w string
		v float64
	}{{"once", 1}, {"twice", 2}, {"thrice", 3}} {
		l.words[x.w] = entry{num: x.v, weight: 1.2, common: true}
	}
	return l
})

func (l *lex) group() int { l.groups++; return l.groups }

func (l *lex) put(w string, f func(*entry)) {
	if r, n := utf8.DecodeRuneInString(w); r >= 0x80 {
		if l.whole && n == len(w) {
			e := l.alone[w]
			e.stem, e.weight = w, 1
			f(&e)
			l.alone[w] = e
			return
		}
		e := l.han[w]
		e.stem, e.weight = w, 1
		f(&e)
		l.han[w] = e
		l.hanMax = max(l.hanMax, len(w))
		return
	}
	parts := strings.Split(w, "_")
	if len(parts) == 1 {
		s := stem(w)
		e := l.stems[s]
		f(&e)
		l.stems[s] = e
		return
	}
	var stems []string
	for _, p := range parts {
		stems = append(stems, stem(p))
	}
	for i, ph := range l.phrases[stems[0]] {
		if strings.Join(ph.stems, "_") == strings.Join(stems, "_") {
			f(&l.phrases[stems[0]][i].e)
			return
		}
	}
	ph := phrase{stems: stems, e: entry{stem: strings.Join(stems, "_"), weight: 1.2, common: true}}
	f(&ph.e)
	l.phrases[stems[0]] = append(l.phrases[stems[0]], ph)
}

func stem(w string) string {
	if len(w) < 3 {
		return w
	}
	if s, ok := irregular[w]; ok {
		w = s
	}
	env := snowballstem.NewEnv(w)
	english.Stem(env)
	return env.Current()
}

// irregular leads forms that endings do not show to their base.
var irregular = func() map[string]string {
	m := map[string]string{}
	for _, row := range strings.Split("go went gone goes|buy bought|eat ate eaten|take took taken|make made|write wrote written|see saw seen|get got gotten|give gave given|run ran|swim swam swum|teach taught|think thought|tell told|meet met|feel felt|find found|leave left|lose lost|sing sang sung|speak spoke spoken|win won|begin began begun|bring brought|choose chose chosen|draw drew drawn|drink drank drunk|drive drove driven|fly flew flown|grow grew grown|know knew known|sell sold|send sent|spend spent|child children|person people|break broke broken|build built|catch caught|come came|fall fell fallen|fight fought|forget forgot forgotten|hold held|keep kept|pay paid|ride rode ridden|rise rose risen|say said|sleep slept|stand stood|steal stole stolen|swing swung|throw threw thrown|understand understood|wear wore worn|wake woke woken|woman women|man men|foot feet|tooth teeth|mouse mice|life lives|wife wives|leaf leaves|shelf shelves|knife knives|better best good|worse worst bad|favourite favorite|colour color|hear heard|become became|lead led|shoot shot|sit sat|hide hid hidden|bake baked|die died dying|adopt adoption|donate donation", "|") {
		f := strings.Fields(row)
		for _, w := range f[1:] {
			m[w] = f[0]
		}
	}
	return m
}()

// word looks an English word up, in lower case.
func (l *lex) word(w string) *entry {
	slot := &l.recent[maphash.String(wordSeed, w)%uint64(len(l.recent))]
	if k := slot.Load(); k != nil && k.word == w {
		return &k.entry
	}
	k := &known{strings.Clone(w), l.words[w]}
	e := &k.entry
	if e.weight == 0 {
		e.weight = 1
	}
	if e.stem == "" {
		e.stem = strings.Clone(stem(w))
	}
	if s, ok := l.stems[e.stem]; ok {
		e.groups, e.above, e.anti, e.valence, e.common = s.groups, s.above, s.anti, s.valence, true
		if s.canon != "" {
			e.stem = s.canon
		}
	}
	if len(w) <= 24 {
		slot.Store(k)
	}
	return e
}

// A known word was looked up before. Texts repeat their words, so the last word of each slot is kept.
type known struct {
	word  string
	entry entry
}

var wordSeed = maphash.MakeSeed()

// phrase looks for a phrase at the start of toks: the longest.
func (l *lex) phrase(toks []tok) (entry, int) {
	var best entry
	n := 0
	for _, p := range l.phrases[toks[0].stem] {
		if len(p.stems) <= n || len(p.stems) > len(toks) {
			continue
		}
		same := true
		for i, s := range p.stems {
			if toks[i].stem != s || toks[i].sent != toks[0].sent {
				same = false
				break
			}
		}
		if same {
			best, n = p.e, len(p.stems)
			if best.canon != "" {
				best.stem = best.canon
			}
		}
	}
	return best, n
}

// hanWord looks for the longest Chinese word of the lexicon at the start of s.
func (l *lex) hanWord(s string) (entry, int) {
	for n := min(l.hanMax, len(s)); n >= 3; n -= 3 {
		if e, ok := l.han[s[:n]]; ok {
			if e.canon != "" {
				e.stem = e.canon
			}
			return e, n
		}
	}
	return entry{}, 0
}
