package judge

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"membench/internal/depparse"
	"membench/internal/hanseg"
	"membench/internal/measure"
	"membench/internal/textnorm"
	"membench/internal/timex"
	"membench/internal/tokens"
)

// tok is one word of a text: an English word, a number, or a Chinese word or pair
// of characters.
type tok struct {
	word    string // lower case, as written
	stem    string // form that is compared; for a phrase of the lexicon its first word's
	groups  []int  // groups of words with one meaning that it is in
	above   []int  // groups of things that it is a kind of: "puppy" of "pet"
	anti    []int  // pairs of opposites that it is in, by side: +n, -n
	val     float64
	weight  float64 // weight in the coverage
	sent    int     // sentence, from 0
	pos     int     // byte offset
	stop    bool
	num     bool
	han     bool
	proper  bool     // is a name, and no word of the language besides, acronym or identifier
	name    bool     // has a capital that no sentence start explains
	inQ     bool     // is in the question
	vague   bool     // "something", "various", "kind"
	hedge   bool     // "probably", "may"
	neg     bool     // "not", "never", 没
	parts   []string // of a phrase, the stems of its words
	valence int      // +1 a glad word, -1 a bad one
}

// text is a text cut for comparison.
type text struct {
	raw   string // NFKC
	han   bool   // has Chinese
	lower string // see low
	toks  []tok
	sents int
	items [][2]int // token ranges between list marks

	unitList  []tok // see units
	unitsRead bool
}

// low is the text in lower case.
func (t *text) low() string {
	if t.lower == "" {
		t.lower = strings.ToLower(t.raw)
	}
	return t.lower
}

// content yields the indexes of the words that carry meaning.
func (t *text) content() []int {
	out := make([]int, 0, len(t.toks))
	for i := range t.toks {
		if !t.toks[i].stop {
			out = append(out, i)
		}
	}
	return out
}

// cut cuts a text into words, which are appended to empty.
func cut(s string, empty []tok) *text {
	s = continental(weekdays(textnorm.Unaccented(textnorm.Simplify(textnorm.Compat(s)))))
	t := &text{raw: s, toks: slices.Grow(empty, 4+len(s)/5)}
	start, sentStart := 0, true
	mark := func() { // a list mark: the item before it ends
		if len(t.toks) > start {
			t.items = append(t.items, [2]int{start, len(t.toks)})
			start = len(t.toks)
		}
	}
	endSentence := func() {
		if len(t.toks) > 0 && t.toks[len(t.toks)-1].sent == t.sents {
			t.sents++
		}
		mark()
		sentStart = true
	}
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		switch {
		case unicode.Is(unicode.Han, r):
			t.han = true
			j := i
			for j < len(s) {
				r, n := utf8.DecodeRuneInString(s[j:])
				if !unicode.Is(unicode.Han, r) {
					break
				}
				j += n
			}
			start = t.hanRun(s[i:j], i, start)
			i, sentStart = j, false
			continue
		case unicode.IsLetter(r) || unicode.IsDigit(r):
			j := wordEnd(s, i)
			t.add(s[i:j], i, sentStart)
			w := t.toks[len(t.toks)-1].word
			if w == "and" || w == "or" {
				t.toks = t.toks[:len(t.toks)-1]
				mark()
			}
			i, sentStart = j, false
			continue
		case r == '.' && !endsSentence(s, i), r == '\'' || r == '"':
		case r == '.' || r == '!' || r == '?' || r == '\n' || r == '。' || r == '！' || r == '？':
			endSentence()
		case r == ',' || r == ';' || r == '&' || r == '、' || r == '，' || r == '；' || r == '/' || r == '(' || r == ')':
			mark()
		case r == '%' && len(t.toks) > 0 && t.toks[len(t.toks)-1].num:
			t.toks = append(t.toks, tok{word: "%", stem: "percent", sent: t.sents, pos: i, weight: .3})
		case (r == '$' || r == '¥' || r == '€' || r == '£') && i+n < len(s):
			t.toks = append(t.toks, tok{word: string(r), stem: string(r), sent: t.sents, pos: i, stop: true})
		}
		i += n
	}
	endSentence()
	t.sents = max(1, t.sents)
	t.openings()
	t.phrases()
	return t
}

// openings takes the first words of sentences that have other words in lower case for no names: their capitals say nothing.
func (t *text) openings() {
	for i := 0; i < len(t.toks); {
		j, lower := i+1, false
		for ; j < len(t.toks) && t.toks[j].sent == t.toks[i].sent; j++ {
			k := &t.toks[j]
			lower = lower || !k.stop && !k.num && !k.name && asciiLetter(k.word[0])
		}
		t.toks[i].proper = t.toks[i].proper && !lower
		i = j
	}
}

// weekdays writes the Chinese days of the week as English ones: they have several names, and their numerals are no numbers. "一周一次" and "一周五天" have none.
func weekdays(s string) string {
	if !strings.ContainsAny(s, "周期拜") {
		return s
	}
	return hanWeekday.ReplaceAllStringFunc(s, func(m string) string {
		part := hanWeekday.FindStringSubmatch(m)
		if part[2] != "" {
			return m
		}
		return " " + dayNames[strings.Index(dayNumerals, part[1])/len("一")] + " "
	})
}

// continental writes numbers and dates in the form that the readers know, where it can only be the form of most of Europe: 1.250,50 as 1,250.50, and
// "3. April 2026" as "3 April 2026".
func continental(s string) string {
	if strings.IndexByte(s, '.') < 0 {
		return s
	}
	s = dotGroups.ReplaceAllStringFunc(s, func(m string) string {
		return strings.NewReplacer(".", ",", ",", ".").Replace(m)
	})
	return dottedDay.ReplaceAllString(s, "$1 $2")
}

var (
	dotGroups = regexp.MustCompile(`\b\d{1,3}(?:\.\d{3})+,\d+\b`)
	dottedDay = regexp.MustCompile(`\b(\d{1,2})\. ((?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)\pL{0,6}\.? \d{4})\b`)
)

const (
	dayNumerals = "日天一二三四五六"
	perWeek     = "次回趟遍天小个节顿"
)

var (
	hanWeekday = regexp.MustCompile("(?:周|星期|礼拜)([" + dayNumerals + "])([" + perWeek + "]?)")
	dayNames   = [...]string{"Sunday", "Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"}
)

// endsSentence reports whether the full stop at i is one: not inside a number, an
// initial or a title.
func endsSentence(s string, i int) bool {
	if i+1 < len(s) && s[i+1] != ' ' && s[i+1] != '\n' && s[i+1] != '"' && s[i+1] != '\'' && s[i+1] != ')' {
		return false
	}
	j := i
	for j > 0 && (s[j-1] >= 'a' && s[j-1] <= 'z' || s[j-1] >= 'A' && s[j-1] <= 'Z') {
		j--
	}
	switch w := s[j:i]; w {
	case "Mr", "Mrs", "Ms", "Dr", "Prof", "St", "vs", "etc", "No", "Inc", "Jr", "Sr":
		return i+1 == len(s)
	default:
		return len(w) != 1 || i+1 == len(s)
	}
}

// wordEnd is the end of the word at i: letters and digits, with group commas, a
// decimal point, an inner apostrophe.
func wordEnd(s string, i int) int {
	for i < len(s) {
		r, n := utf8.DecodeRuneInString(s[i:])
		switch {
		case unicode.Is(unicode.Han, r):
			return i
		case unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.Is(unicode.Mn, r):
		case (r == ',' || r == '.') && i > 0 && digit(s[i-1]) && i+1 < len(s) && digit(s[i+1]) && (r == '.' || groupOfThree(s[i+1:])):
		case (r == '\'' || r == '’') && i+n < len(s) && asciiLetter(s[i+n]):
		default:
			return i
		}
		i += n
	}
	return i
}

func digit(c byte) bool       { return c >= '0' && c <= '9' }
func asciiLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

func groupOfThree(s string) bool {
	return len(s) >= 3 && digit(s[0]) && digit(s[1]) && digit(s[2]) && (len(s) == 3 || !digit(s[3]))
}

// add appends an English word; "10July" and "5km" are two words.
func (t *text) add(w string, pos int, sentStart bool) {
	if digit(w[0]) {
		k := 0
		for k < len(w) && (digit(w[k]) || w[k] == ',' || w[k] == '.') {
			k++
		}
		v, err := measure.Number(w[:k])
		if err == nil {
			rest := strings.ToLower(w[k:])
			switch rest {
			case "st", "nd", "rd", "th":
				rest = ""
			case "k":
				v, rest = v*1e3, ""
			case "m":
				if k > 0 && t.lastIs("$") {
					v, rest = v*1e6, ""
				}
			}
			stem := numberStem(v)
			if k > exactDigits && number(w[:k]) {
				stem = w[:k]
			}
			t.toks = append(t.toks, tok{word: w[:k], stem: stem, val: v, num: true, sent: t.sents, pos: pos, weight: 1.2})
			if rest != "" {
				t.add(rest, pos+k, false)
			}
			return
		}
	}
	low := strings.ToLower(w)
	low = strings.ReplaceAll(low, "’", "'")
	low = strings.TrimSuffix(low, "'s")
	neg := false
	if base, ok := strings.CutSuffix(low, "n't"); ok {
		neg = true
		if base == "ca" || base == "wo" {
			base = "will"
		}
		t.toks = append(t.toks, tok{word: low, stem: "not", stop: true, neg: true, sent: t.sents, pos: pos})
		if tokens.Stop(base) || base == "" {
			return
		}
		low = base
	}
	if strings.IndexByte(low, '\'') >= 0 {
		low = strings.TrimSuffix(strings.TrimSuffix(strings.TrimSuffix(strings.TrimSuffix(low, "'ll"), "'ve"), "'re"), "'d")
		low = strings.TrimSuffix(low, "'m")
		low = strings.ReplaceAll(low, "'", "")
	}
	if low == "" {
		low = "'"
	}
	k := tok{word: low, stem: low, sent: t.sents, pos: pos, weight: 1, neg: neg}
	if low == "one" {
		t.toks = append(t.toks, tok{word: low, stem: "1", val: 1, num: true, stop: true, sent: t.sents, pos: pos})
		return
	}
	if v, _, ok := timex.NumberWord(low); ok {
		k.num, k.val, k.stem, k.weight = true, v, numberStem(v), 1.2
		if v < 10 && len(t.toks) > 0 { // twenty-five
			if p := &t.toks[len(t.toks)-1]; p.num && p.val >= 20 && p.val < 100 && int(p.val)%10 == 0 && !digit(p.word[0]) {
				p.val += v
				p.stem = numberStem(p.val)
				return
			}
		}
		if v >= 100 && len(t.toks) > 0 {
			if p := &t.toks[len(t.toks)-1]; p.num && p.val < 1000 {
				p.val *= v
				p.stem = numberStem(p.val)
				return
			}
		}
		t.toks = append(t.toks, k)
		return
	}
	lex := lexicon()
	e := lex.word(low)
	k.stem, k.groups, k.above, k.anti = e.stem, e.groups, e.above, e.anti
	k.stop, k.vague, k.hedge, k.neg = e.stop, e.vague, e.hedge, k.neg || e.neg
	k.weight, k.valence = e.weight, e.valence
	if e.num > 0 {
		k.num, k.val, k.stem = true, e.num, numberStem(e.num)
	}
	if c := w[0]; c >= 'A' && c <= 'Z' && !k.stop && !(sentStart && (e.common || depparse.Common(low))) {
		k.name, k.proper = true, !e.common && !depparse.Common(low) && !notNames[low] && w != strings.ToUpper(w) && !strings.ContainsAny(w, "0123456789")
	}
	t.toks = append(t.toks, k)
}

func (t *text) lastIs(w string) bool {
	return len(t.toks) > 0 && t.toks[len(t.toks)-1].word == w
}

// hanRun cuts a run of Chinese characters: numbers, words of the lexicon, and of the
// rest the pairs of neighbours, or the character where it is alone.
func (t *text) hanRun(s string, pos, start int) int {
	lex := lexicon()
	var rest []rune
	restPos := 0
	flush := func() {
		at := pos + restPos
		switch {
		case len(rest) == 1:
			t.toks = append(t.toks, tok{word: string(rest), stem: string(rest), han: true, sent: t.sents, pos: at, weight: .7})
		case len(rest) > 1:
			for i := 0; i+1 < len(rest); i++ {
				t.toks = append(t.toks, tok{word: string(rest[i : i+2]), stem: string(rest[i : i+2]), han: true, sent: t.sents, pos: at, weight: .8})
				at += utf8.RuneLen(rest[i])
			}
		}
		rest = rest[:0]
	}
	named := namesIn(s)
	for i := 0; i < len(s); {
		if e, n := lex.hanWord(s[i:]); n > 0 {
			flush()
			if e.list {
				if len(t.toks) > start {
					t.items = append(t.items, [2]int{start, len(t.toks)})
					start = len(t.toks)
				}
			} else {
				t.toks = append(t.toks, tok{word: s[i : i+n], stem: e.stem, groups: e.groups, above: e.above, anti: e.anti, stop: e.stop, vague: e.vague, hedge: e.hedge, neg: e.neg, valence: e.valence, han: true, sent: t.sents, pos: pos + i, weight: e.weight})
			}
			i += n
			continue
		}
		if v, n := timex.HanNumber(s[i:]); n > 0 && (n > 3 || numberGoesOn(s[i+n:])) {
			flush()
			t.toks = append(t.toks, tok{word: s[i : i+n], stem: numberStem(v), val: v, num: true, han: true, sent: t.sents, pos: pos + i, weight: 1.2})
			i += n
			continue
		}
		r, n := utf8.DecodeRuneInString(s[i:])
		for len(named) > 0 && named[0].End <= i {
			named = named[1:]
		}
		if tokens.FunctionRune(r) && (len(named) == 0 || i < named[0].Start) {
			flush()
			t.toks = append(t.toks, tok{word: s[i : i+n], stem: s[i : i+n], stop: true, neg: r == '不' || r == '没' || r == '未' || r == '无', han: true, sent: t.sents, pos: pos + i})
		} else {
			if len(rest) == 0 {
				restPos = i
			}
			rest = append(rest, r)
		}
		i += n
	}
	flush()
	return start
}

// namesIn are the names of places and people that hold a character which is
// elsewhere grammar, such as 成都.
func namesIn(s string) (out []hanseg.Word) {
	if strings.IndexFunc(s, tokens.FunctionRune) < 0 {
		return nil
	}
	for _, w := range words.Cut(s) {
		if strings.IndexByte("SR", w.Class) >= 0 && utf8.RuneCountInString(w.Form) > 1 && strings.IndexFunc(w.Form, tokens.FunctionRune) >= 0 {
			out = append(out, w)
		}
	}
	return out
}

// words cuts Chinese.
var words hanseg.Segmenter

// numberGoesOn reports whether a single Chinese numeral is followed by a measure word, so that 一 of 一起 is not a number.
func numberGoesOn(s string) bool {
	r, _ := utf8.DecodeRuneInString(s)
	return s == "" || strings.ContainsRune(measureWords, r)
}

const measureWords = "个位名次只条本天年月日号岁周小分元块米公里斤张件家种辆部套双口人台层点倍场门座朵匹头幅首篇支枝颗粒棵桶杯瓶碗盘箱包袋对副架艘栋排组队群批季月课级"

// article reports whether a word is 一 before a measure word, or that measure word: 养了一只乌龟 says "a", not how many.
func (t *text) article(i int) bool {
	if i > 0 && t.toks[i-1].word == "一" && t.toks[i-1].num {
		i--
	}
	return t.toks[i].word == "一" && t.toks[i].num && i+1 < len(t.toks) && t.toks[i+1].han && len(t.toks[i+1].word) == len("只") && strings.Contains(measureWords, t.toks[i+1].word)
}

// phrases joins the phrases of the lexicon ("ice cream", "new york city") to one word.
func (t *text) phrases() {
	lex := lexicon()
	out := t.toks[:0]
	shift := make([]int, len(t.toks)+1)
	for i := 0; i < len(t.toks); {
		shift[i] = len(out)
		e, n := lex.phrase(t.toks[i:])
		if n == 0 {
			out = append(out, t.toks[i])
			i++
			continue
		}
		k := t.toks[i]
		k.stem, k.groups, k.above, k.anti, k.stop, k.num, k.vague = e.stem, e.groups, e.above, e.anti, false, false, e.vague
		k.weight = 1.2
		if e.neg || e.stop {
			k.stop = e.stop
		}
		for j := range n {
			shift[i+j] = len(out)
			if !t.toks[i+j].stop {
				k.parts = append(k.parts, t.toks[i+j].stem)
			}
		}
		out = append(out, k)
		i += n
	}
	shift[len(t.toks)] = len(out)
	t.toks = out
	for i, it := range t.items {
		t.items[i] = [2]int{shift[it[0]], shift[it[1]]}
	}
}
