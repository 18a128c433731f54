package openie

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// enForm is the inflection of a word that the lexicon knows as a verb, or that ends
// like a gerund.
type enForm uint8

const (
	formNone enForm = iota // no verb of the lexicon
	formBase
	formS
	formPast // past tense and participle: rules tell them by the auxiliary
	formIng
)

// An enWord is a word, a quoted title or a mark of an English sentence. Contractions
// are taken apart ("don't" is "do" and "not"), so that a rule names each word once.
type enWord struct {
	low     string // lower case; of a quoted title, what is between the quotes
	lemma   string // dictionary form of a verb, else low
	form    enForm
	at, end int // bytes in the sentence
	mark    bool
	quoted  bool
	capital bool
}

// enWords takes a sentence apart. Apostrophes are ASCII.
func enWords(s string) []enWord {
	out := make([]enWord, 0, len(s)/4)
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		switch {
		case unicode.IsSpace(r):
			i += n
		case r == '"' || r == '“' || r == '*' || r == '_' || r == '\'' || r == '`':
			if inner, end, ok := enQuote(s, i, r, n); ok {
				out = append(out, enWord{low: s[inner[0]:inner[1]], lemma: "\"", at: inner[0], end: inner[1], quoted: true, capital: true})
				i = end
				continue
			}
			i += n
		case unicode.IsLetter(r) || unicode.IsNumber(r):
			j := i + n
			for j < len(s) {
				q, m := utf8.DecodeRuneInString(s[j:])
				if !unicode.IsLetter(q) && !unicode.IsNumber(q) && !(strings.ContainsRune("'-\u2024.&:_", q) && j+m < len(s) && inWord(s[j+m:])) && q != '\u2024' {
					break
				}
				j += m
			}
			out = enContraction(out, s, i, j)
			i = j
		default:
			j := i + n
			for j < len(s) && strings.HasPrefix(s[j:], s[i:i+n]) {
				j += n
			}
			out = append(out, enWord{low: s[i : i+n], lemma: s[i : i+n], at: i, end: j, mark: true})
			i = j
		}
	}
	for i := range out {
		if w := &out[i]; !w.mark && !w.quoted {
			w.lemma, w.form = enLemma(w.low)
		}
	}
	return out
}

// inWord reports whether what follows an apostrophe, hyphen or dot goes on with the word.
func inWord(s string) bool {
	r, _ := utf8.DecodeRuneInString(s)
	return unicode.IsLetter(r) || unicode.IsNumber(r)
}

// enQuote finds the quoted title that starts at i. A single quote opens one only
// before a capital and closes after a letter, so that apostrophes stay apostrophes.
func enQuote(s string, i int, r rune, n int) (inner [2]int, end int, ok bool) {
	closing := string(r)
	if r == '“' {
		closing = "”"
	}
	from := i + n
	first, _ := utf8.DecodeRuneInString(s[from:])
	if r != '"' && r != '“' && !unicode.IsUpper(first) && !unicode.IsDigit(first) {
		return inner, 0, false
	}
	for at := from; ; {
		k := strings.Index(s[at:], closing)
		if k < 0 {
			return inner, 0, false
		}
		k += at
		if r == '\'' && k+1 < len(s) && inWord(s[k+1:]) {
			at = k + 1
			continue
		}
		text := strings.TrimRight(s[from:k], " .,!?;:")
		if c := utf8.RuneCountInString(text); c < 1 || c > 60 {
			return inner, 0, false
		}
		return [2]int{from, from + len(text)}, k + len(closing), true
	}
}

func enContraction(out []enWord, s string, i, j int) []enWord {
	text := s[i:j]
	low := strings.ToLower(text)
	first, _ := utf8.DecodeRuneInString(text)
	word := func(low string, at, end int) {
		out = append(out, enWord{low: low, at: at, end: end, capital: unicode.IsUpper(first) && at == i})
	}
	if p, ok := enShort[low]; ok {
		a, b, _ := strings.Cut(p, " ")
		cut := i + min(len(a), j-i-1)
		word(a, i, cut)
		word(b, cut, j)
		return out
	}
	k := strings.LastIndexByte(low, '\'')
	if k < 1 {
		word(low, i, j)
		return out
	}
	head, tail := low[:k], low[k:]
	switch tail {
	case "'m", "'re", "'ve", "'ll", "'d":
		word(head, i, i+k)
		word(map[string]string{"'m": "am", "'re": "are", "'ve": "have", "'ll": "will", "'d": "would"}[tail], i+k, j)
	case "'t":
		if h, ok := strings.CutSuffix(head, "n"); ok && h != "" {
			if h == "ca" {
				h = "can"
			}
			if h == "wo" {
				h = "will"
			}
			word(h, i, i+k-1)
			word("not", i+k-1, j)
			return out
		}
		word(low, i, j)
	case "'s":
		rest := enFirstWord(strings.TrimLeft(s[j:], " "))
		if enIsAfter[head] || enIsBefore[rest] {
			word(head, i, i+k)
			word("is", i+k, j)
			return out
		}
		word(low, i, j)
	default:
		word(low, i, j)
	}
	return out
}

// enFirstWord is the first word of s in lower case.
func enFirstWord(s string) string {
	if k := strings.IndexFunc(s, func(r rune) bool { return !unicode.IsLetter(r) }); k >= 0 {
		s = s[:k]
	}
	return strings.ToLower(s)
}

// enLemma is the dictionary form of a verb of the lexicon.
func enLemma(w string) (string, enForm) {
	if v, ok := enIrregular[w]; ok {
		return v.lemma, v.form
	}
	if enVerbs[w] {
		return w, formBase
	}
	try := func(suffix string, form enForm, endings ...string) (string, enForm) {
		stem, ok := strings.CutSuffix(w, suffix)
		if !ok || len(stem) < 2 {
			return "", formNone
		}
		for _, e := range endings {
			if enVerbs[stem+e] {
				return stem + e, form
			}
		}
		if n := len(stem); form != formS && stem[n-1] == stem[n-2] && enVerbs[stem[:n-1]] {
			return stem[:n-1], form
		}
		return "", formNone
	}
	for _, t := range []struct {
		suffix  string
		form    enForm
		endings []string
	}{{"ies", formS, []string{"y"}}, {"es", formS, []string{"", "e"}}, {"s", formS, []string{""}}, {"ied", formPast, []string{"y"}}, {"ed", formPast, []string{"", "e"}}, {"ing", formIng, []string{"", "e"}}} {
		if l, f := try(t.suffix, t.form, t.endings...); f != formNone {
			return l, f
		}
	}
	if len(w) > 5 && strings.HasSuffix(w, "ing") && !enNoGerund[w] {
		return w, formIng
	}
	return w, formNone
}

// set makes a set of the words of its lists.
func set(lists ...string) map[string]bool {
	m := map[string]bool{}
	for _, l := range lists {
		for _, w := range strings.Fields(l) {
			m[strings.ReplaceAll(w, "_", " ")] = true
		}
	}
	return m
}

type enVerb struct {
	lemma string
	form  enForm
}

var enIrregular = func() map[string]enVerb {
	m := map[string]enVerb{"am": {"be", formBase}, "are": {"be", formBase}, "is": {"be", formS}, "was": {"be", formPast}, "were": {"be", formPast}, "been": {"be", formPast}, "being": {"be", formIng},
		"has": {"have", formS}, "had": {"have", formPast}, "does": {"do", formS}, "did": {"do", formPast}, "done": {"do", formPast}, "goes": {"go", formS}, "lying": {"lie", formIng}, "dying": {"die", formIng}}
	for _, line := range strings.Fields(`read/read write/wrote/written find/found take/took/taken give/gave/given get/got/gotten keep/kept make/made go/went/gone come/came see/saw/seen mean/meant bring/brought
		draw/drew/drawn sing/sang/sung swim/swam/swum run/ran drink/drank/drunk eat/ate/eaten ride/rode/ridden grow/grew/grown drive/drove/driven sleep/slept fall/fell/fallen quit/quit put/put feel/felt
		think/thought buy/bought teach/taught spend/spent leave/left lose/lost stand/stood know/knew/known begin/began/begun say/said tell/told hear/heard build/built choose/chose/chosen hold/held learn/learnt throw/threw/thrown
		fly/flew/flown wear/wore/worn sit/sat speak/spoke/spoken fight/fought knit/knit let/let swear/swore/sworn bear/bore/borne sell/sold pay/paid meet/met send/sent win/won stick/stuck dream/dreamt wake/woke/woken become/became lead/led break/broke/broken`) {
		forms := strings.Split(line, "/")
		for _, f := range forms[1:] {
			if f != forms[0] {
				m[f] = enVerb{forms[0], formPast}
			}
		}
	}
	return m
}()

// Data tables. "_" stands for a space inside an entry.
var (
	enShort = map[string]string{"cannot": "can not", "gonna": "going to", "wanna": "want to", "gotta": "have to", "im": "i am", "ive": "i have", "dont": "do not", "cant": "can not", "didnt": "did not", "doesnt": "does not", "isnt": "is not"}
	// 's is "is" after these words, or before those.
	enIsAfter  = set(`it that there what who he she here where how everything this everyone everybody somebody nobody nothing`)
	enIsBefore = set(`mostly totally definitely basically honestly all also kinda probably my not been a an the just always really so still such one what how why where too is`)
	enNoGerund = set(`thing anything something nothing everything morning evening spring string ceiling sibling wedding during beijing interesting boring exciting amazing stunning charming king loving evenings darling sterling viking`)

	// enVerbs are the verbs that rules name, and those of pastimes below.
	enVerbs = set(`be do have can could will would should shall may might must need want try like love enjoy adore prefer cherish treasure relish appreciate fancy dig value worship miss hate dislike detest loathe despise dread resent avoid
		stand bear abide stomach tolerate handle cope deal care fall get give take keep make go come find look live swear gravitate lean tire bore annoy irritate drain scare terrify disgust exhaust depress infuriate relax calm soothe recharge fascinate ground
		centre center refresh energise energize inspire intrigue thrill delight comfort mean matter bring help cheer bug stress creep freak turn put drive leave quit stop drop ditch grow lose tend struggle suck worry cry panic procrastinate overthink forget ramble daydream
		see hear know think feel say tell ask hope wish guess suppose seem sound start begin finish pick spend learn beat work love allow let lift help lack drag sag wander limp collapse fizzle peter end rush repeat overuse overwrite overexplain experiment dabble attempt
		rewrite discuss abandon devour reread rewatch recommend borrow buy cut use believe excite motivate warm melt rock suit spoil steer stay absorb consume interest touch tempt bless shape save lift clear own become`, enDeeds)

	// enDeeds are verbs of pastimes: "I knit" is a habit by itself.
	enDeeds = `read write paint draw sketch knit sew crochet bake cook garden swim hike run jog cycle bike ride surf ski skate sail row climb camp fish hunt dance sing play practise practice journal meditate volunteer sculpt carve
		photograph collect restore brew sketch doodle weave quilt embroider forage birdwatch drink eat watch listen walk lift exercise train stretch volunteer blog podcast juggle travel binge stream compose build tinker grow plant do go order carry wear drive sleep wake outline draft revise edit nap study`

	// enIntransitive of these make a habit without an object.
	enAlone = set(`paint draw sketch knit sew crochet bake garden swim hike run jog cycle bike surf ski skate sail row climb camp fish dance sing journal meditate volunteer sculpt carve doodle weave quilt embroider forage birdwatch exercise blog juggle tinker compose birdwatch nap box`)

	// enSkip are the words that a rule does not care for: they may stand anywhere in it.
	enSkip = set(`really also still just always absolutely definitely actually honestly truly particularly especially quite rather mostly generally usually often simply totally completely even both genuinely secretly so very pretty super too such much
		kinda such basically naturally fairly incredibly terribly extremely utterly deeply thoroughly wholly heavily strongly hugely massively immensely endlessly seriously frankly long quickly slowly recently lately increasingly currently now already forever finally bit little kind sort of far way more most all
		huge big massive lifelong great real total proud avid serious long-time longtime die-hard diehard complete true personally honestly mainly typically normally regularly frequently constantly continually sometimes occasionally personally officially probably certainly surely easily since then only ever obviously admittedly right`)
	enNegators = set(`not never hardly scarcely barely neither no_longer`)
	// enFrequent make a present tense a habit.
	enFrequent = set(`always usually often normally typically regularly generally mostly frequently only constantly sometimes never`)

	// enOpeners say nothing of their own at the start of a clause.
	enOpeners  = set(`cause cuz and but so well yeah yes yep oh ah ha haha hmm plus also because though although actually honestly personally still nowadays now lately see ok okay tbh thanks wow hey sure right no nope look anyway besides or yet frankly seriously otherwise since as mostly basically then admittedly truthfully naturally ooh aww lol obviously recently apparently_not ultimately definitely absolutely exactly totally`)
	enOpenings = enPhrases(`i_think i_have_to_say i_must_say i_must_admit i_will_admit i_admit i_know i_feel_like i_would_say to_be_honest to_be_fair for_me to_me for_my_part by_the_way of_course in_fact you_know i_mean for_one as_a_rule in_general on_the_whole these_days for_what_it_is_worth at_the_moment my_kids_aside
		not_gonna_lie not_going_to_lie like_you like_me same_here me_too if_i_am_honest truth_be_told let_us_say as_for_me deep_down all_in_all at_heart after_all good_question to_tell_the_truth i_must_confess i_confess i_realise i_realize i_have_noticed i_noticed that_is_why that_is_because which_is_why this_is_why`)

	// Who speaks, who else is spoken of.
	enSelfWords = set(`i we`)
	enPronouns  = set(`i we he she they you it there this that these those who what which one everyone everybody someone somebody nobody anyone people`)
	enOthers    = set(`he she they you who everyone everybody someone somebody nobody anyone people`)
	// enKin are heads of subjects that stand for a third person.
	enKin = set(`brother sister mother father mom mum dad parent parents wife husband partner friend friends flatmate roommate teacher boss editor kid kids son daughter grandma grandpa grandmother grandfather neighbour neighbor colleague colleagues cousin aunt uncle buddy mentor team company doctor reader readers girlfriend boyfriend children child twins girls boys guests family dog cat pup kitty coach fiance fiancé niece nephew grandson granddaughter guy man woman girl boy baby students student hubby fam bestie`)

	// Clauses that begin with these are not asserted, or are of somebody else.
	enUnless = set(`if unless whether who whom whose until till lest suppose imagine assuming`)
	// Words that begin a new clause.
	enConj = set(`but because although though whereas while which who where when whenever if unless until till since cuz cause 'cause as whether so except than`)
	enAux  = set(`am is are was were be been have has had do does did can could will would should shall may might must`)

	enDays  = set(`day days morning mornings afternoon afternoons evening evenings night nights week weeks weekend weekends month months year years summer summers winter winters spring springs autumn autumns fall monday mondays tuesday tuesdays wednesday wednesdays thursday thursdays friday fridays saturday saturdays sunday sundays lunchtime time season seasons january february march april may june july august september october november december`)
	enTimes = enPhrases(`these_days nowadays lately now right_now at_the_moment at_present recently again yet already too though anymore any_more a_lot a_bit so_much very_much too_much as_well at_all by_the_way most_of_all best_of_all more_than_anything in_general all_the_time anyway of_course honestly actually really for_sure when_i_can ever_since forever today tonight tomorrow
		yesterday either instead the_most most so_far with_you here these even_more more_and_more more in_my_free_time in_my_spare_time in_my_downtime for_fun for_a_living on_the_side from_time_to_time now_and_then once_in_a_while year_round all_day all_day_long all_year myself ourselves together i_think to_be_honest first for_good any_day any_time anytime deeply dearly sorry for_years for_ages for_decades ages_ago all_my_life for_life since_childhood since_forever over_everything
		long_ago to_bits to_pieces to_death and_all best well as_a_hobby as_a_family with_the_kids with_my_kids with_my_family with_the_family with_friends with_my_friends whenever_possible every_time every_chance_i_get every_now_and_then much just especially for_me at_heart for_some_reason in_my_life in_life more_than_ever after_all so`)
	enNumbers = set(`one two three four five six seven eight nine ten a an several many few couple twenty thirty`)
)

// enPhrases turns "a_b c" into sequences by their first word.
func enPhrases(list string) map[string][][]string {
	m := map[string][][]string{}
	for _, p := range strings.Fields(list) {
		ws := strings.Split(p, "_")
		m[ws[0]] = append(m[ws[0]], ws)
	}
	return m
}

// at is the length of the longest phrase of the list at word i, 0 if there is none.
func enPhraseAt(m map[string][][]string, ws []enWord, i int) (n int) {
	if i >= len(ws) {
		return 0
	}
	for _, p := range m[ws[i].low] {
		if len(p) > n && i+len(p) <= len(ws) {
			ok := true
			for k := 1; ok && k < len(p); k++ {
				ok = ws[i+k].low == p[k]
			}
			if ok {
				n = len(p)
			}
		}
	}
	return n
}

// enTimeAt is the length of an adverbial of time or degree at word i; habit tells that
// it makes a present tense a habit ("every Sunday", "twice a week", "for years").
func enTimeAt(ws []enWord, i int) (n int, habit bool) {
	low := func(k int) string {
		if i+k < len(ws) {
			return ws[i+k].low
		}
		return ""
	}
	unit := func(k int) bool { return enDays[low(k)] }
	plural := func(k int) bool { return unit(k) && strings.HasSuffix(low(k), "s") }
	switch low(0) {
	case "every", "each":
		for k := 1; k <= 3; k++ {
			if unit(k) {
				if k < 3 && unit(k+1) {
					k++
				}
				return k + 1, true
			}
		}
	case "most":
		if plural(1) {
			return 2, true
		}
	case "on":
		if plural(1) || low(1) == "weekends" {
			return 2, true
		}
		if enDays[low(1)] || low(1) == "the" && unit(2) || low(1) == "my" && (low(2) == "days" || low(2) == "day") {
			return 2, plural(1)
		}
	case "at":
		if low(1) == "night" || low(1) == "nights" || low(1) == "weekends" || low(1) == "least" {
			return 2, low(1) != "night" && low(1) != "least"
		}
	case "in":
		if low(1) == "the" && unit(2) || low(1) == "my" && (low(2) == "free" || low(2) == "spare") && low(3) == "time" {
			if low(1) == "my" {
				return 4, true
			}
			return 3, strings.HasSuffix(low(2), "s")
		}
		if len(low(1)) == 4 && (strings.HasPrefix(low(1), "19") || strings.HasPrefix(low(1), "20")) {
			return 2, false
		}
	case "once", "twice":
		if (low(1) == "a" || low(1) == "every") && unit(2) {
			return 3, true
		}
		return 1, false
	case "for", "about", "over", "nearly", "almost":
		k := 1
		for enSkip[low(k)] || low(k) == "about" || low(k) == "over" || low(k) == "nearly" || low(k) == "almost" || low(k) == "the" || low(k) == "past" || low(k) == "last" || low(k) == "a" {
			k++
		}
		if unit(k) && k > 1 || (enNumbers[low(k)] || low(k) != "" && low(k)[0] >= '0' && low(k)[0] <= '9') && (unit(k+1) || low(k+1) == "of" && unit(k+2)) {
			for k < 6 && (unit(k) || enNumbers[low(k)] || low(k) == "of" || low(k) != "" && low(k)[0] <= '9' && low(k)[0] >= '0') {
				k++
			}
			return k, strings.HasPrefix(low(k-1), "year") || strings.HasPrefix(low(k-1), "month")
		}
	case "since":
		return 2, true
	case "last", "this", "next":
		if unit(1) {
			return 2, false
		}
	case "after", "before", "during":
		if enMeals[low(1)] {
			return 2, false
		}
	}
	if enNumbers[low(0)] && low(1) == "times" && (low(2) == "a" || low(2) == "each" || low(2) == "every") {
		return 4, true
	}
	if enNumbers[low(0)] && unit(1) && low(2) == "ago" {
		return 3, false
	}
	return enPhraseAt(enTimes, ws, i), false
}

var enMeals = set(`work dinner lunch breakfast bed school dark class`)
