package graphmem

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"membench/claims"
	"membench/eval/reader"
	"membench/internal/clause"
	"membench/internal/pattern"
	"membench/internal/textnorm"
	"membench/internal/timex"
	"membench/internal/tokens"
	"membench/memory"
	"membench/schema"
	"membench/schema/catalog"
)

// A Told is an answer from the graph's claims alone: the current value, the former one, or a number.
type Told struct {
	Text   string
	Claims []schema.ClaimID // that it was taken from
	Hits   []memory.Hit     // the turns that they rest on
}

// An asking is a form of question that claims answer. Its groups: who, and what ("" where
// it has none).
type asking struct {
	re         *pattern.Pattern
	predicates []string
	how        func(*asked) string
}

// asked is one question on its way through the claims.
type asked struct {
	people people
	han    bool
	past   bool // "did", "used to": what held before counts as well
	what   string
	held   []Held // of the person and the predicates, oldest first; the positive of each pair
	denied []Held
	used   []Held
	count  int    // of what several lists
	at     string // instant or its beginning that is asked about; asOf, unless the question names another
	asOf   string
	former bool   // what was before than is asked for
	than   string // "": before now
}

// reName is a name that whoEN takes.
var reName = pattern.New(`^` + whoEN + `$`)

// whoEN is one word, or several with capitals: "Ann still" is no name.
const whoEN = `(?P<who>(?-i:\p{Lu}[\pL\pM\d_.'’-]*(?: \p{Lu}[\pL\pM\d_.'’-]*)+)|[\pL\pM\d_.'’-]+)`

var askings = []asking{
	{pattern.New(`(?i)^where (?:does|do|did|is|was) ` + whoEN + ` (?:currently |now |still )?(?:live|living|reside)(?: now| currently| these days)?\??$`), []string{"LIVES_IN"}, current},
	{pattern.New(`(?i)^(?:where (?:does|did) ` + whoEN + ` work|who (?:does|did) [A-Z]\w+ work for)(?: now| currently)?\??$`), []string{"WORKS_AT"}, current},
	{pattern.New(`(?i)^what (?:is|was) ` + whoEN + `['’]s? (?:current |old |former )?(?:job|occupation|profession)\??$`), []string{"WORKS_AS"}, current},
	{pattern.New(`(?i)^what (?:does|did) ` + whoEN + ` do for (?:a living|work)\??$`), []string{"WORKS_AS"}, current},
	{pattern.New(`(?i)^where (?:is|does) ` + whoEN + ` (?:come )?(?:originally )?from\??$`), []string{"COMES_FROM"}, current},
	{pattern.New(`(?i)^where (?:does|did) ` + whoEN + ` (?:study|go to (?:school|university|college))\??$`), []string{"STUDIES_AT"}, current},
	{pattern.New(`(?i)^what (?:does|did|is) ` + whoEN + ` (?:currently |still )?(?:study|studying|learning|majoring in)\??$`), []string{"STUDIES"}, current},
	{pattern.New(`(?i)^how old is ` + whoEN + `\??$`), []string{"HAS_AGE"}, current},
	{pattern.New(`(?i)^(?:what|which|who) (?:is|was) ` + whoEN + `['’]s? (?:current )?favou?rite (?P<what>[a-z ]+?)\??$`), []string{"FAVORITE", "PREFERS_AUTHOR", "FAVORITE_WORK"}, favourite},
	{pattern.New(`(?i)^what (?:kind of )?(?:pets?|animals?) does ` + whoEN + ` (?:have|own|keep)\??$`), []string{"HAS_PET"}, several},
	{pattern.New(`(?i)^how many pets does ` + whoEN + ` have\??$`), []string{"HAS_PET"}, howMany},
	{pattern.New(`(?i)^how many (?P<what>[a-z -]+?) (?:does|do) ` + whoEN + ` (?:currently |still )?(?:have|own|keep)\??$`), []string{"HAS_PET", "HAS_RELATIVE", "OWNS", "HAS"}, numbered},
	{pattern.New(`(?i)^what (?:is|are) ` + whoEN + ` (?P<what>allergic) to\??$`), []string{"HAS_CONDITION"}, each(reWhole)},
	{pattern.New(`(?i)^(?:who|what)(?: is|['’]s) ` + whoEN + `['’]s? (?P<what>[a-z-]+?)(?:['’]s name| called)?\??$`), []string{"HAS_RELATIVE", "HAS_PET"}, each(reNamed)},
	{pattern.New(`(?i)^(?:which|what) places (?:has|did) ` + whoEN + ` (?:visit|visited|been to)\??$`), []string{"VISITED"}, several},
	{pattern.New(`(?i)^(?:does|do) ` + whoEN + ` (?:still )?(?:like|love|enjoy) (?P<what>[^?]+?)\??$`), []string{"PREFERS_TOPIC", "PREFERS_AUTHOR", "FAVORITE_WORK"}, whether},
	{pattern.New(`(?i)^(?:does|do) ` + whoEN + ` (?:still )?(?:own|have) (?P<what>[^?]+?)\??$`), []string{"OWNS", "HAS_PET", "HAS", "HAS_RELATIVE", "HAS_CONDITION"}, whether},
	{pattern.New(`(?i)^does ` + whoEN + ` (?:still )?live in (?P<what>[^?]+?)\??$`), []string{"LIVES_IN"}, whether},
	{pattern.New(`(?i)^does ` + whoEN + ` (?:still )?work (?:at|for|as an?) (?P<what>[^?]+?)\??$`), []string{"WORKS_AT", "WORKS_AS"}, whether},
	{pattern.New(`(?i)^(?:has|did) ` + whoEN + ` ever (?:been to|visit(?:ed)?|gone to|go to|travel(?:ed)? to) (?P<what>[^?]+?)\??$`), []string{"VISITED", "LIVES_IN", "COMES_FROM"}, ever},
	{pattern.New(`(?i)^(?:has|did) ` + whoEN + ` ever (?P<what>[^?]+?)\??$`), []string{"DID", "VISITED", "MADE", "OWNS", "HAS_PET", "DISCUSSED_WORK", "TRIED_STYLE", "HAS_HABIT"}, ever},
	{pattern.New(`(?i)^is ` + whoEN + ` (?:still )?(?:together with|with|seeing|dating|married to) (?P<what>[^?]+?)\??$`), []string{"HAS_RELATIVE", "HAS_STATUS"}, whether},
	{pattern.New(`(?i)^is ` + whoEN + ` (?:still )?(?:an? |on (?:an? )?)?(?P<what>[^?]+?)\??$`), []string{"FOLLOWS_DIET", "HAS_STATUS", "WORKS_AS", "IS", "HAS_CONDITION"}, whether},
	{pattern.New(`(?i)^does ` + whoEN + ` (?:still )?(?P<what>[^?]+?)\??$`), []string{"HAS_HABIT", "FOLLOWS_DIET", "STUDIES"}, whether},
	{pattern.New(`(?i)^who (?:owns|maintains|runs|looks after|is responsible for|is the owner of) ` + whoEN + `(?: now)?\??$`), []string{"OWNED_BY"}, current},
	{pattern.New(`(?i)^(?:where|on which (?:host|machine|server)) (?:does|is) ` + whoEN + ` (?:run|running|hosted|deployed)(?: now| on)?\??$`), []string{"RUNS_ON"}, current},
	{pattern.New(`(?i)^what does ` + whoEN + ` depend on\??$`), []string{"DEPENDS_ON"}, all},
	{pattern.New(`(?i)^what (?:caused|was the (?:root )?cause of) ` + whoEN + `\??$`), []string{"CAUSED_BY"}, all},
	{pattern.New(`(?i)^what(?: is|['’]s) the (?:current )?(?P<what>[a-z_ ]+?) of ` + whoEN + `(?: now)?\??$`), []string{"HAS_SETTING"}, setting},
	{pattern.New(`^(?P<who>[A-Za-z][\w.-]*) ?的?(?:现在的?)?(?:负责人|owner|责任人|维护人)(?:现在)?是谁[？?]?$`), []string{"OWNED_BY"}, current},
	{pattern.New(`^(?P<who>[A-Za-z][\w.-]*) ?(?:现在)?(?:部署|跑|运行)在(?:哪里|哪儿|哪台(?:机器|主机|服务器)?|哪)(?:上面?)?[？?]?$`), []string{"RUNS_ON"}, current},
	{pattern.New(`^(?P<who>[A-Za-z][\w.-]*) ?(?:现在)?依赖(?:什么|哪些?)(?:服务)?[？?]?$`), []string{"DEPENDS_ON"}, all},
	{pattern.New(`^(?P<who>[A-Za-z][\w.-]*) ?的?(?:现在的?)?(?P<what>[^，？?的现是]{1,12}?)(?:现在)?是多少[？?]?$`), []string{"HAS_SETTING"}, setting},
	{pattern.New(`^(?P<who>[A-Za-z][\w.-]*) ?(?:现在)?是?(?:什么|哪个)(?P<what>版本)[？?]?$`), []string{"HAS_SETTING"}, setting},
	{pattern.New(`^(?P<who>[^，？?]{1,30}?)的(?:根本|根)?(?:原因|因)是什么[？?]?$`), []string{"CAUSED_BY"}, all},
	{pattern.New(`^(?P<who>[^，？?]{1,12}?)(?:现在)?还?有没?有?(?P<what>[^，？?什哪谁]{1,12}?)吗?[？?]?$`), []string{"OWNS", "HAS_PET", "HAS", "HAS_RELATIVE"}, whether},
	{pattern.New(`^(?P<who>[^，？?]{1,12}?)(?:现在|目前|还)?住在?(?:哪里|哪儿|哪|什么地方)[？?]?$`), []string{"LIVES_IN"}, current},
	{pattern.New(`^(?P<who>[^，？?]{1,12}?)(?:现在|目前)?在(?:哪里|哪儿|哪)(?:工作|上班)[？?]?$`), []string{"WORKS_AT"}, current},
	{pattern.New(`^(?P<who>[^，？?]{1,12}?)(?:现在)?是?做什么(?:工作)?的[？?]?$`), []string{"WORKS_AS"}, current},
	{pattern.New(`^(?P<who>[^，？?]{1,12}?)最(?:喜欢|爱)的(?P<what>\p{Han}{1,4}?)是(?:什么|谁|哪.{1,3})[？?]?$`), []string{"FAVORITE", "PREFERS_AUTHOR", "FAVORITE_WORK"}, favourite},
	{pattern.New(`^(?P<who>[^，？?]{1,12}?)(?:还|现在还)?(?:喜欢|爱)(?P<what>[^，？?什哪谁]{1,12}?)吗[？?]?$`), []string{"PREFERS_TOPIC", "PREFERS_AUTHOR", "FAVORITE_WORK"}, whether},
	{pattern.New(`^(?P<who>[^，？?]{1,12}?)(?:今年|现在)?(?:多大|几岁)了?[？?]?$`), []string{"HAS_AGE"}, current},
	{pattern.New(`^(?P<who>[^，？?]{1,12}?)(?:是哪里人|是哪儿人|来自哪里|老家在哪里?)[？?]?$`), []string{"COMES_FROM"}, current},
	{pattern.New(`^(?P<who>[^，？?]{1,12}?)(?:现在|最近)?(?:在学什么|学的?是?什么专业|是?学什么的)[？?]?$`), []string{"STUDIES"}, current},
	{pattern.New(`^(?P<who>[^，？?]{1,12}?)(?:现在)?养了?(?:什么|哪些)(?:宠物|动物)?[？?]?$`), []string{"HAS_PET"}, several},
	{pattern.New(`^(?P<who>[^，？?]{1,12}?)(?:现在)?[有养]了?(?:几|多少)[个只条位匹台辆](?P<what>[^，？?]{1,8}?)[？?]?$`), []string{"HAS_PET", "HAS_RELATIVE", "OWNS", "HAS"}, numbered},
	{pattern.New(`^(?P<who>[^，？?]{1,12}?)对什么(?P<what>过敏)[？?]?$`), []string{"HAS_CONDITION"}, each(reWhole)},
	{pattern.New(`^(?P<who>[^，？?]{1,12}?)的(?P<what>\p{Han}{1,4})叫什么(?:名字)?[？?]?$`), []string{"HAS_RELATIVE", "HAS_PET"}, each(reNamed)},
	{pattern.New(`^(?P<who>[^，？?]{1,12}?)(?:已经)?(?P<what>结婚|离婚|退休|怀孕)了?(?:吗|没有|没)[？?]?$`), []string{"HAS_STATUS", "HAS_CONDITION"}, whether},
	{pattern.New(`^(?P<who>[^，？?]{1,12}?)还?会(?P<what>[^，？?什哪谁]{1,8}?)吗[？?]?$`), []string{"HAS_SKILL", "HAS_HABIT"}, whether},
	{pattern.New(`^(?P<who>[^，？?]{1,12}?)(?:现在)?还?住在(?P<what>[^，？?什哪谁]{1,12}?)吗[？?]?$`), []string{"LIVES_IN"}, whether},
	{pattern.New(`^(?P<who>[^，？?]{1,12}?)(?:现在)?还?在(?P<what>[^，？?什哪谁]{1,12}?)(?:工作|上班)吗[？?]?$`), []string{"WORKS_AT"}, whether},
	{pattern.New(`^(?P<who>[^，？?]{1,12}?)去过(?P<what>[^，？?什哪谁]{1,12}?)(?:吗|没有)[？?]?$`), []string{"VISITED"}, ever},
}

// told answers a question that names no time.
func (r *Reading) told(question string, then asked) (Told, bool) {
	for _, a := range askings {
		m := a.re.FindStringSubmatch(question)
		if m == nil {
			continue
		}
		group := func(name string) string {
			if i := a.re.SubexpIndex(name); i >= 0 {
				return strings.TrimSpace(m[i])
			}
			return ""
		}
		q := &then
		q.what, q.past, q.han = group("what"), strings.Contains(strings.ToLower(m[0]), " did ") || strings.Contains(m[0], " was "), reader.InHan(question)
		who := strings.TrimSuffix(group("who"), "在")
		if !q.then(a.predicates) || !r.claimsOf(q, who, a.predicates, q.at) {
			return Told{}, false
		}
		if q.at != q.asOf && r.toldLater(who, a.predicates, q) {
			return Told{}, false
		}
		text := a.how(q)
		if text == "" {
			return Told{}, false
		}
		t := Told{Text: text}
		for _, h := range q.used {
			t.Claims = append(t.Claims, h.ID)
			for _, e := range h.Evidence {
				for _, ref := range e.Turns {
					if at, ok := r.p.v.at[ref]; ok && SaidBy(e.Time, q.at) {
						t.Hits = append(t.Hits, r.p.v.st.Hit(at, 0))
					}
				}
			}
		}
		return t, true
	}
	return Told{}, false
}

// claimsOf fills in what is known of a person; false where the name is nobody's, or that
// of several.
func (r *Reading) claimsOf(q *asked, who string, predicates []string, asOf string) bool {
	v, cat := r.p.v, catalog.Default()
	end, limited := until(asOf)
	low := strings.ToLower(who)
	var person schema.NodeID
	ids := q.people.of(low)
	if len(ids) == 1 {
		person = ids[0]
	}
	whole := slices.ContainsFunc(v.facts, func(f Fact) bool { name, _ := f.ends(); return strings.ToLower(name) == low })
	for i := range v.facts {
		f := &v.facts[i]
		name, _ := f.ends()
		name = strings.ToLower(name)
		if first, _, _ := strings.Cut(name, " "); len(ids) == 1 && f.Subject != person || len(ids) != 1 && (name != low && (whole || first != low) || strings.Contains(name, "'s ")) {
			continue
		}
		if person != "" && person != f.Subject {
			return false
		}
		person = f.Subject
		positive, negated, ok := cat.Polarity(f.Predicate)
		if !ok || predicates != nil && !slices.Contains(predicates, positive) {
			continue
		}
		holds, known := v.holds(f, end, limited)
		if !known {
			continue
		}
		h := Held{*f, holds, v.spans(f)}
		if limited { // nothing that comes later is known
			h.Spans = slices.DeleteFunc(h.Spans, func(s Span) bool { return !s.From.Before(end) })
			if n := len(h.Spans); n > 0 && !h.Spans[n-1].To.Before(end) {
				h.Spans[n-1].To = time.Time{}
			}
		}
		if negated {
			q.denied = append(q.denied, h)
		} else {
			q.held = append(q.held, h)
		}
	}
	byTime := func(a, b Held) int { return cmp.Or(a.from().Compare(b.from()), compareTimes(a.said(), b.said())) }
	slices.SortStableFunc(q.held, byTime)
	slices.SortStableFunc(q.denied, byTime)
	return person != "" && len(q.held)+len(q.denied) > 0
}

// oneWord is a name as the forms of questions know one, without what belongs to no word where it is not of words with capitals: Alex (user3) is Alex__user3_.
func oneWord(name string) string {
	if reName.MatchString(name) || textnorm.IsHan([]rune(name)[0]) {
		return name
	}
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) || strings.ContainsRune(".'’-", r) {
			return r
		}
		return '_'
	}, name)
}

// said is when a claim was said first.
func (h Held) said() string {
	if len(h.Evidence) == 0 {
		return ""
	}
	return h.Evidence[0].Time
}

// from is when a claim began to hold, the last time; zero where nobody knows.
func (h Held) from() (t time.Time) {
	if n := len(h.Spans); n > 0 {
		t = h.Spans[n-1].From
	}
	return t
}

// when is when what a claim says happened, else when it was said.
func (h Held) when() string {
	for _, e := range h.Evidence {
		if e.Event != "" {
			from, _, _ := strings.Cut(e.Event, "/")
			return from
		}
	}
	return h.said()
}

func (h Held) value() string {
	_, v := h.ends()
	if _, after, ok := strings.Cut(v, "="); ok {
		return after
	}
	return v
}

// shown is the value as an answer shows it: one that was cut when it was stored says so.
func (h Held) shown() string {
	value := h.value()
	for _, e := range h.Evidence {
		value = reader.Uncut(value, e.Text)
	}
	return value
}

// ended is the day on which a claim stopped to hold, "" where nobody knows.
func (h Held) ended() string {
	if n := len(h.Spans); n > 0 && !h.Spans[n-1].To.IsZero() {
		return h.Spans[n-1].To.Format(time.DateOnly)
	}
	return ""
}

// current is the value that holds, with the one before it and its end.
func current(q *asked) string {
	var now, was *Held
	for i := range q.held {
		if h := &q.held[i]; h.Holds {
			now = h
		} else {
			was = h
		}
	}
	switch {
	case q.former || q.at != q.asOf:
		return q.another(now)
	case now == nil && was == nil:
		return ""
	case now == nil:
		q.used = []Held{*was}
		return q.say(was.shown()+" (no longer"+ending(", until ", was.ended())+")", was.shown()+"（已不再"+ending("，到 ", was.ended())+"）")
	case was == nil || was.value() == now.value():
		q.used = []Held{*now}
		return now.shown()
	}
	q.used = []Held{*now, *was}
	return q.say(now.shown()+" (before: "+was.shown()+ending(", until ", was.ended())+")", now.shown()+"（此前："+was.shown()+ending("，到 ", was.ended())+"）")
}

func ending(words, day string) string {
	if day == "" {
		return ""
	}
	return words + day
}

func (q *asked) say(en, zh string) string {
	if q.han {
		return zh
	}
	return en
}

// favourite is the current value of one kind.
func favourite(q *asked) string {
	kind := strings.ToLower(q.what)
	q.held = slices.DeleteFunc(q.held, func(h Held) bool {
		_, v := h.ends()
		k, _, named := strings.Cut(v, "=")
		switch h.Predicate {
		case "PREFERS_AUTHOR":
			return kind != "author" && kind != "writer" && kind != "作家"
		case "FAVORITE_WORK":
			return !slices.Contains([]string{"book", "novel", "movie", "film", "show", "song", "game", "书", "小说", "电影"}, kind)
		}
		return !named || strings.ToLower(k) != kind
	})
	return current(q)
}

// all lists the values that hold, also one.
func all(q *asked) string {
	q.held = slices.DeleteFunc(q.held, func(h Held) bool { return !h.Holds })
	if len(q.held) > 1 {
		return several(q)
	}
	return current(q)
}

// setting is the current value of what is set, by its name or a part of it, if that is one thing.
func setting(q *asked) string {
	var name string
	for _, h := range q.held {
		_, v := h.ends()
		k, _, _ := strings.Cut(strings.ToLower(v), "=")
		what := strings.ToLower(q.what)
		switch {
		case k == what:
			name = k
		case name != what && (strings.Contains(k, what) || strings.Contains(what, k)):
			if name != "" && name != k {
				return "" // two settings have it in their names
			}
			name = k
		}
	}
	q.what = name
	return favourite(q)
}

// several lists the values that hold.
func several(q *asked) string {
	var values []string
	for _, h := range q.held {
		value := h.value()
		if h.Predicate == "VISITED" && !q.han {
			value = reTown.FindString(value) // "home" is no town, and "Mexico, however" is Mexico
		}
		if value != "" && h.Holds && !slices.ContainsFunc(values, func(v string) bool { return like(v, value) }) {
			values = append(values, value)
			q.used = append(q.used, h)
		}
	}
	if len(values) == 0 && !slices.ContainsFunc(q.held, func(h Held) bool { return h.Holds }) {
		return current(q) // what it was
	}
	if len(values) < 2 { // one of a list is not a list
		q.used = nil
		return ""
	}
	var shown []string
	for i, value := range values {
		n := counted(value)
		if n == 0 && unicode.IsUpper([]rune(value)[0]) && slices.ContainsFunc(q.used, func(h Held) bool { return counted(h.value()) > 0 && h.quote() == q.used[i].quote() }) {
			continue // "two rabbits, Basil and Clove" are two
		}
		q.count += max(n, 1)
		shown = append(shown, value)
	}
	return strings.Join(shown, q.say(", ", "、"))
}

// counted is the number that a value begins with, 0 none: two rabbits.
func counted(value string) int {
	first, _, _ := strings.Cut(strings.ToLower(value), " ")
	n, _, _ := timex.NumberWord(first)
	if v, size := timex.HanNumber(first); size > 0 {
		return int(v)
	}
	if d, err := strconv.Atoi(first); err == nil {
		return d
	}
	return int(n)
}

// reTown is a name with its capitals.
var reTown = pattern.New(`\p{Lu}[\pL\pM\d'’-]*(?: (?:of |the |and )?\p{Lu}[\pL\pM\d'’-]+)*`)

// howMany counts the values that hold, and lists them: one of several may be several.
func howMany(q *asked) string {
	list := several(q)
	if list == "" {
		return ""
	}
	return strconv.Itoa(q.count) + q.say(" that were mentioned: ", " 个被提到：") + list
}

// ofKind lists the claims that hold of the kind asked for, a relation, an animal or a noun, the newest first.
func (q *asked) ofKind() []Held {
	words := strings.Fields(strings.ToLower(q.what))
	kind := strings.TrimSuffix(words[len(words)-1], "s")
	out := slices.DeleteFunc(slices.Clone(q.held), func(h Held) bool {
		return !h.Holds || !slices.ContainsFunc(strings.Fields(strings.ToLower(h.value())), func(w string) bool {
			w = strings.TrimSuffix(w, "s")
			return w == kind || strings.Contains(w, kind) && strings.ContainsFunc(kind, textnorm.IsHan) || slices.Contains(tokens.Kin(kind), tokens.Stem(w)) && clause.Covers(kind, w) || clause.Animal(w) != "" && clause.Animal(w) == clause.Animal(kind) || clause.Relation(w) != "" && clause.Relation(w) == clause.Relation(kind)
		})
	})
	slices.Reverse(out)
	return out
}

// numbered is how many there are of a kind, as the newest statement that counts them has it.
func numbered(q *asked) string {
	for _, h := range q.ofKind() {
		n := counted(h.value())
		if n == 0 {
			continue
		}
		q.used = []Held{h}
		shown, gone, left := h.shown(), 0, []string(nil)
		for _, x := range q.held { // "three dogs, Rex, Max and Leo", of which one died
			switch {
			case x.ID == h.ID || x.quote() != h.quote():
			case x.Holds:
				left = append(left, x.shown())
			default:
				gone++
			}
		}
		if gone > 0 && gone < n {
			n, shown = n-gone, strings.Join(left, q.say(", ", "、"))
		}
		return strconv.Itoa(n) + q.say(" that were mentioned: ", " 个被提到：") + shown
	}
	return ""
}

// each lists what a pattern finds in the values of a kind.
func each(re *pattern.Pattern) func(*asked) string {
	return func(q *asked) string {
		var out []string
		for _, h := range q.ofKind() {
			if m := re.FindStringSubmatch(h.shown()); m != nil && !slices.Contains(out, m[1]) {
				out, q.used = append(out, m[1]), append(q.used, h)
			}
		}
		return strings.Join(out, q.say(", ", "、"))
	}
}

var (
	reWhole = pattern.New(`^(.+)$`)
	reNamed = pattern.New(`(?:^[a-z -]+ |，叫)((?-i:\p{Lu}|\p{Han}).*)$`) // "sister Bea", "boyfriend called Marcus"
)

// whether says yes or no of what holds now.
func whether(q *asked) string {
	holding := slices.DeleteFunc(slices.Clone(q.held), func(h Held) bool { return !h.Holds })
	yes, no := cmp.Or(q.about(holding), q.about(q.held)), q.about(q.denied)
	another := yes != nil && no != nil && no.Object != yes.Object && !like(no.value(), q.what) // "sold the red bike", the blue one is still there
	switch {
	case yes != nil && yes.Holds && (no == nil || !no.Holds || another):
		q.used = []Held{*yes}
		return q.say("Yes: "+yes.quote(), "是的："+yes.quote())
	case no != nil && no.Holds:
		q.used = []Held{*no}
		return q.say("No: "+no.quote(), "不："+no.quote())
	case yes != nil && !yes.Holds:
		q.used = []Held{*yes}
		return q.say("No longer"+ending(", since ", yes.ended())+": "+yes.quote(), "不再"+ending("，自 ", yes.ended())+"："+yes.quote())
	}
	return ""
}

// ever says yes of what was so at some time, and no of what was only denied.
func ever(q *asked) string {
	if yes := q.about(q.held); yes != nil {
		q.used = []Held{*yes}
		return q.say("Yes"+ending(", ", day(yes.when()))+": "+yes.quote(), "是的"+ending("，", day(yes.when()))+"："+yes.quote())
	}
	if no := q.about(q.denied); no != nil {
		q.used = []Held{*no}
		return q.say("No: "+no.quote(), "没有："+no.quote())
	}
	return ""
}

func day(at string) string { return at[:min(len(at), len(time.DateOnly))] }

// about is the newest of the claims whose value or words hold every word that is asked
// about.
func (q *asked) about(hs []Held) *Held {
	want := stems(q.what)
	for i := len(hs) - 1; i >= 0; i-- {
		value := hs[i].value()
		if !reAbout.MatchString(q.what) { // who is "allergic to dogs" has no dog
			value = reAbout.ReplaceAllString(value, "")
		}
		have := stems(value)
		positive, _, _ := catalog.Default().Polarity(hs[i].Predicate)
		if len(want) > 0 && !slices.ContainsFunc(want, func(w string) bool { return !slices.Contains(have, w) }) || positive == "HAS_PET" && clause.Animal(q.what) != "" && clause.Animal(q.what) == clause.Animal(value) || claims.Means(positive, articles.ReplaceAllString(q.what, ""), value) {
			return &hs[i]
		}
	}
	return nil
}

// reAbout is what a condition or a state is of.
var reAbout = pattern.New(`(?i) (?:to|of|from|about) .*$`)

// articles before what is asked about belong to no name.
var articles = pattern.New(`(?i)^(?:the|an?|any|his|her|their) `)

func stems(s string) (out []string) {
	for _, w := range tokens.Words(strings.ToLower(s)) {
		if !tokens.Stop(w) {
			out = append(out, tokens.Stem(w))
		}
	}
	return out
}

func like(a, b string) bool {
	x, y := stems(a), stems(b)
	return slices.Equal(x, y)
}

// quote is the sentence that a claim rests on, the newest.
func (h Held) quote() string {
	if n := len(h.Evidence); n > 0 {
		return cmp.Or(strings.TrimSpace(speaker.ReplaceAllString(h.Evidence[n-1].Text, "")), h.Text)
	}
	return h.Text
}

// speaker is the mark of the speaker before a memory's text.
var speaker = pattern.New(`^\[\w+\] `)
