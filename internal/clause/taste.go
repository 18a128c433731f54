package clause

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"

	"membench/internal/pattern"
	"membench/internal/sentence"
)

// What people like best is said in a frame of its own ("my favourite dessert is
// tiramisu", 我最喜欢的作家是老舍), whose subject is a thing. And what they like, read
// and write has a kind: an author, a work, a chapter, a way of telling.

// A frame is a sentence of taste. Its groups: who, rank, kind, thing, not.
type frame struct {
	re   *pattern.Pattern
	slot string // "": by the kind
}

const (
	favEN = `(?:(?P<rank>second|third|least)[- ])?(?:all[- ]time |absolute |new )*(?:favou?rite|fave)(?: (?P<kind>[a-z]+(?: [a-z]+)??))?(?: of all time| ever| these days)?`
	beEN  = `(?: (?:is|are|was|were|has to be|have to be|would be|will always be|has always been|became|changed to)|['’]s)(?: (?:now|still|probably|definitely|actually|mostly|just|really|always|by far|hands down))*`
	favZH = `(?P<rank>最|第二|第三)(?:喜欢|爱|欣赏|崇拜|中意)的(?:一[个本部首章位种])?(?P<kind>\p{Han}{1,4}?)?`
)

var frames = []frame{
	{re: pattern.New(`(?i)\b(?P<who>my|our) ` + favEN + beEN + `(?P<not> not|n't)? (?P<thing>.+)$`)},
	{re: pattern.New(`(?i)^(?:and |but |so |well,? |honestly,? )*(?P<thing>.+?)` + beEN + `(?P<not> not|n't)? (?P<who>my|our) ` + favEN + `(?:[,.!;]|$| (?:because|and|but|so|when|since|to)\b)`)},
	{re: pattern.New(`(?:^|[，,。：:])(?:其实|想了.{1,3}|现在|说真的|要说)?，?\s?(?P<who>我|咱)?(?:现在|一直|其实|还是)*` + favZH + `[，,]?(?:现在|还|就|一直|其实|仍然?)*(?:(?P<not>不)?是|换成了?|变成了?)(?P<thing>[^，,。！；]+)`)},
	{re: pattern.New(`^(?:其实|说真的，?)?(?P<thing>[^，,。我]{1,16}?)(?:一直|还|就|绝对)*(?:(?P<not>不)?是|算)(?P<who>我)` + strings.Replace(favZH, "(?P<rank>最|第二|第三)", "(?P<rank>最|第二|第三)?", 1) + `(?:之一)?(?:了)?(?:[，,。！]|$)`)},
	{slot: "PREFERS_TOPIC", re: pattern.New(`^(?:其实吧?，?|说实话，?|最近)*(?P<who>我|咱)?(?:最近|一直|从小|其实)*对(?P<thing>[^，。]{1,12}?)(?:很|挺|特别|非常|一直|都|也|超|比较|还|最|有点|真的?)*(?P<not>没什么|没有?|不太?|毫无|不怎么)?(?:感|有)?兴趣`)},
	{slot: "PREFERS_TOPIC", re: pattern.New(`(?i)^(?:honestly,? |and |but |well,? )*(?P<who>i) (?:can't|can’t|cannot|could never|can never|never) (?:get enough of|resist|live without|get tired of) (?P<thing>.+)$`)},
	{slot: "PREFERS_TOPIC", re: pattern.New(`(?i)^(?:and |but |well,? |yeah,? )*(?P<thing>[^,;]+?)` + beEN + `(?P<not> not|n't|n’t)?(?: really| just)? (?:an? (?:very |really |such )?(?:huge|big|great|large|major|important) part of (?P<who>my) (?:life|day|week|routine)|(?:so |very |really |super |quite |extremely )*(?:important|dear|special|precious) to me(?:[,.!;]|$| (?:and|because|so)\b))`)},
	{slot: "PREFERS_TOPIC", re: pattern.New(`(?i)^(?:and |but |well,? |yeah,? )*(?P<thing>(?:[\w'’-]+ ){0,3}?[\w’-]+?)(?: (?:is|are) [a-z ]+?[,;] (?:and )?(?:it|they))?(?: (?:always|really|just|still|often|definitely))*(?P<not> (?:do|does)(?:n['’]t| not))? (?:gives?|brings?|makes?|(?:has|have) (?:given|brought|made)) (?P<who>me) (?:(?:so much|a lot of|lots of|a sense of|a feeling of|great|such|real|pure|so|very|really|feel|inner) )*(?:joy|peace|happiness|freedom|comfort|pleasure|delight|happy|alive|calm|at ease)\b`)},
	{slot: "PREFERS_TOPIC", re: pattern.New(`(?i)^(?:and |but |well,? )*(?P<thing>.+?)` + beEN + `(?P<not> not|n't|n’t)?(?: really| just)? (?:(?:one of )?(?P<who>my) (?:thing|weakness|jam|comfort food|passions?|happy place|favou?rites|go-to|cup of tea|obsession|hobby|anchor)|what (?:recharges|relaxes|calms) me)\b`)},
	{slot: "PREFERS_TOPIC", re: pattern.New(`(?i)^(?:i['’]m |and |but )*(?P<not>not)(?: really)? (?:a |much of a )(?:big |huge )?fan of (?P<thing>.+)$`)},
	{slot: "PREFERS_TOPIC", re: pattern.New(`(?:^|[，,])(?:其实|平时)?(?P<who>我)[^，。只]{0,8}只(?:喝|吃|听|读|看|穿)(?P<thing>[^，。过了]{1,12})(?:[，,。！]|$)`)},
	{slot: "PREFERS_TOPIC", re: pattern.New(`^(?P<thing>[^，。我]{1,14}?)(?:真的?|一直|还|完全|才)*(?P<not>不)?是(?P<who>我)的(?:菜|最爱|心头好|命|爱好)`)},
}

// kinds are words for a kind of thing, by the slot that what is liked best of it fills.
var kinds = table("kinds.txt")

// taste reads the frames of a sentence; mod is how the sentence is held.
func taste(st sentence.Sentence) (out []Fact) {
	if st.Question || !tasteEN.MatchString(st.Text) && !strings.ContainsAny(st.Text, "喜爱兴欣崇中只菜") {
		return nil
	}
	for _, fr := range frames {
		m := fr.re.FindStringSubmatch(st.Text)
		if m == nil {
			continue
		}
		group := func(name string) string {
			if i := fr.re.SubexpIndex(name); i >= 0 {
				return strings.TrimSpace(m[i])
			}
			return ""
		}
		thing := thingOf(group("thing"))
		who, rank, kind := group("who"), strings.ToLower(group("rank")), strings.ToLower(group("kind"))
		if thing == "" || ownClause.MatchString(thing) || questionWords[headWord(thing)] || pronouns[strings.ToLower(thing)] || zhHere[thing] || hedged.MatchString(st.Text) {
			continue
		}
		f := Fact{Subject: Mention{Kind: Speaker, Phrase: Phrase{Text: who, Start: st.Start, End: st.Start}}, Verb: "be", Slot: fr.slot, Start: st.Start, End: st.End,
			Negated: group("not") != "" || rank == "least", traits: []string{"frame"}}
		if isHanWord(st.Text) {
			f.Verb = "喜欢"
		}
		f.Object = Phrase{Text: thing, Start: st.Start, End: st.End}
		f.Value = f.Object
		if f.Slot == "" {
			last := kind[strings.LastIndexByte(kind, ' ')+1:]
			f.Slot, f.Rank = kinds[last], ranks[rank]
			switch {
			case strings.Contains(st.Text, "之一") || f.Negated:
				f.Rank = 0
			}
			switch {
			case f.Slot == "DISCUSSED_CHAPTER":
				f.Rank = 0
			case f.Slot == "" && kind != "" && kind != "thing" && f.Rank > 0:
				f.Slot, f.Value.Text = "FAVORITE", kind+"="+thing
			case f.Slot == "": // of no kind that is named: two of them are not rivals
				f.Slot, f.Rank = "PREFERS_TOPIC", 0
			}
		}
		out = append(out, f)
		break
	}
	return out
}

// ownClause is a clause in what should be a thing: "after I reread them I'll be sure but …".
var ownClause = pattern.New(`(?i)\b(?:I|we|he|she|they)(?:['’](?:m|s|ll|ve|d|re))? \w`)

var questionWords = set("what how when where who whoever whatever that seeing")

// tasteEN is in every English sentence that a frame fits.
var tasteEN = pattern.New(`(?i)fav|part of my|to me\b|(?:g[ia]ve|given|br(?:ing|ought)|ma[kd]e)s? me|enough of|resist|live without|tired of|\bmy (?:thing|weakness|jam|comfort|passion|happy|go-to|cup|obsession|hobby|anchor)|\b(?:recharges|relaxes|calms) me|fan of`)

var ranks = map[string]int{"": 1, "最": 1, "second": 2, "第二": 2, "third": 3, "第三": 3}

var hedged = pattern.New(`(?i)\b(?:if|maybe|perhaps|might|could|used to be|wish)\b|如果|要是|可能|也许|以前|曾经|[“"][^”"]*[？?！。][”"]|[：:]\s?[“"]`)

var (
	thingEnd  = pattern.New(`(?i)\s*(?:[,.;!，。；！—]|\s-\s|\b(?:because|but|so|when|since|which|who|and (?:i|it|nobody|the|we|he|she|they))\b).*$`)
	tail      = pattern.New(`(?i)(?:,? (?:now|any ?more|these days|too|instead|anyway|again|lately|to be honest|a bit|at all|so much|a lot|very much|right now))+$`)
	zhTail    = pattern.New(`(?:了|的|吧|啊|呢|啦)+$`)
	workMark  = pattern.New(`《([^《》]{1,40})》|["“]([^"“”]{1,60})["”]`)
	chapters  = pattern.New(`第[\p{Han}\d]{1,4}[章回节篇]|最后一章|开头|结尾|尾声|(?i:\bchapter \w+|\b(?:last|first|final|opening) chapter|\bepilogue|\bprologue)`)
	styles    = pattern.New(`叙事|叙述|视角|人称|文风|书信体|意识流|写法|体裁|自由诗|散文诗|白描|(?i:narrat|point of view|-person|\bfree verse|stream of consciousness|prose|sonnet|haiku|storytelling)`)
	ofAuthor  = pattern.New(`^(?:the )?([\p{L}. ·'-]{2,40}?)(?:['’]s (?:novels?|books?|films?|movies|poems|poetry|stories|music|work|writing|essays)|的(?:作品|小说|书|诗|文字|散文|电影|歌|音乐))$`)
	isTrait   = pattern.New(`(?i)(?:性子|性格|脾气|急性子|夜猫子|控|党|[^的]的人|派)$|^(?:an? )?\w+(?:-\w+)*(?: person| owl| bird)$|^(?:an? )?(?:introvert|extrovert|perfectionist|procrastinator|vegetarian|homebody|pessimist|optimist|bookworm|foodie|workaholic)$`)
	critiques = pattern.New(`(?i)\bmy (?:own )?((?:plots?|dialogues?|prose|pacing|endings?|openings?|characters?|drafts?|descriptions?|sentences|chapters?|poems?|metaphors?|writing) (?:is|are|feels?|reads?|sounds?) (?:way |still |a bit |much )?too [\w-]+)|我(?:写的|的)?(?:东西|稿子)?(?:的)?((?:对话|节奏|结尾|开头|描写|人物|句子|情节|文字|比喻|故事|章节|段落)[^，。！]{0,4}(?:太|不够|有点)[^，。！]{1,6})`)
)

// thingOf is the plain name of what is liked: to the end of the clause, without marks.
func thingOf(s string) string {
	if m := workMark.FindStringSubmatch(s); m != nil && strings.HasPrefix(strings.TrimLeft(s, " "), m[0][:1]) {
		return m[1] + m[2]
	}
	s = strings.ReplaceAll(s, ". ", "\x01 ") // initials: "Ursula K. Le Guin"
	s = strings.ReplaceAll(thingEnd.ReplaceAllString(s, ""), "\x01", ".")
	s = zhTail.ReplaceAllString(strings.Trim(s, " .!?。！？\"“”《》*"), "")
	s = tail.ReplaceAllString(s, "")
	for _, p := range []string{"definitely ", "probably ", "by far ", "still ", "now ", "the ", "a ", "an "} {
		s = strings.TrimPrefix(s, p)
	}
	if n := utf8.RuneCountInString(s); n > 60 {
		return ""
	}
	return s
}

// critique reads a judgement of the speaker's own work.
func critique(st sentence.Sentence) (out []Fact) {
	m := critiques.FindStringSubmatch(st.Text)
	if m == nil || st.Question || hedged.MatchString(st.Text) {
		return nil
	}
	what := strings.Replace(strings.Replace(m[1]+m[2], " is ", " ", 1), " are ", " ", 1)
	p := Phrase{Text: what, Start: st.Start, End: st.End}
	return []Fact{{Subject: Mention{Kind: Speaker, Phrase: Phrase{Start: st.Start, End: st.Start}}, Verb: "be", Object: p, Slot: "SELF_CRITIQUE", Value: p, traits: []string{"frame"}, Start: st.Start, End: st.End}}
}

// spoken is speech that a sentence quotes.
var spoken = pattern.New(`["“「][^"”」]+["”」]`)

// ownWords omits the facts that a sentence only quotes.
func ownWords(st sentence.Sentence, found []Fact) []Fact {
	for _, at := range spoken.FindAllStringIndex(st.Text, -1) {
		inside := func(p Phrase) bool { return p.Start-st.Start > at[0] && p.Start-st.Start < at[1] }
		found = slices.DeleteFunc(found, func(f Fact) bool { return inside(f.Subject.Phrase) })
	}
	return found
}

// typed gives the slots of works, writers and ways of telling to facts of liking, reading
// and trying, and may add a second one: whoever read a chapter read in its work.
func (f Fact) typed(text string) []Fact {
	src := text[f.Start:f.End]
	like := f.Slot == "PREFERS_TOPIC"
	if like && f.compliment(src) && f.Over == nil {
		return nil
	}
	if like {
		f.Value.Text = tail.ReplaceAllString(f.Value.Text, "")
	}
	read := readVerbs[f.Verb]
	if f.Slot == "VISITED" { // the place, without company and time
		v, _, _ := strings.Cut(f.Value.Text, " with ")
		if f.When.Text != "" {
			v, _, _ = strings.Cut(v, f.When.Text)
		}
		f.Value.Text = strings.TrimRight(cmp.Or(strings.TrimSpace(v), f.Value.Text), " ,")
	}
	switch {
	case f.Subject.Kind == Speaker && f.Slot == "IS" && f.Tense != Past && isTrait.MatchString(f.Value.Text):
		f.Slot = "SELF_TRAIT"
		f.Value.Text = zhTrait.ReplaceAllString(f.Value.Text, "")
	case (f.Verb == "try" || f.Verb == "试" || f.Verb == "尝试") && f.Slot == "DID" && f.Modality == Asserted && styles.MatchString(f.Object.Text):
		f.Slot, f.Value = "TRIED_STYLE", f.Object
	case like && styles.MatchString(f.Value.Text):
		f.Slot = "PREFERS_NARRATIVE_STYLE"
	case like && ofAuthor.MatchString(f.Value.Text) && f.Value.Text[0] != 'm':
		f.Slot, f.Value.Text = "PREFERS_AUTHOR", ofAuthor.FindStringSubmatch(f.Value.Text)[1]
	case like && named(src, f.Value.Text) != "":
		f.Slot, f.Value.Text = "FAVORITE_WORK", named(src, f.Value.Text)
	case read && f.Subject.Kind != NoOne && (f.Slot == "DISCUSSED_WORK" || f.Slot == "DID") && f.Modality == Asserted:
		m := workMark.FindStringSubmatch(src)
		if m == nil && (f.Slot != "DISCUSSED_WORK" || isHanWord(src)) {
			f.Slot = "DID"
			break
		}
		if m != nil {
			f.Slot, f.Value.Text = "DISCUSSED_WORK", m[1]+m[2]
		}
		if c := chapters.FindString(src); c != "" {
			g := f
			if m == nil && strings.EqualFold(f.Value.Text, c) { // "I reread chapter two": of what is not said
				g.Slot, g.Value.Text = "DISCUSSED_CHAPTER", c
				return []Fact{g}
			}
			g.Slot, g.Of, g.Value.Text = "DISCUSSED_CHAPTER", f.Value.Text, c
			if f.Negated { // not the chapter: of the work nothing is said
				return []Fact{g}
			}
			return []Fact{f, g}
		}
	}
	return []Fact{f}
}

// compliment reports a liking of what the other one has just shown or said: "your", "how
// you did it", and "Love the colours!", whose subject is omitted and whose thing is known.
func (f Fact) compliment(src string) bool {
	first := headWord(f.Value.Text)
	if first == "your" || first == "how" || first == "anymore" || strings.HasPrefix(f.Value.Text, "你的") {
		return true
	}
	return f.Subject.Text == "" && shown.MatchString(src)
}

var shown = pattern.New(`(?i)\b(?:love|like|loved|adore|loving) (?:all )?(?:the|that|this|those|these|it)\b`)

// named is the title of the work that a thing begins with, "" where it is none.
func named(src, thing string) string {
	for _, m := range workMark.FindAllStringSubmatch(src, -1) {
		title := strings.TrimSuffix(m[1]+m[2], ",")
		if strings.HasPrefix(strings.TrimLeft(thing, "《“\""), title) {
			return title
		}
	}
	return ""
}

var zhTrait = pattern.New(`^(?:一个|个|很|特别)+`)

var readVerbs = set("read watch finish rewatch reread binge see play hear discuss 读 看 看到 看完 读完 重读 听 玩 聊 追")

// Values are the things of a value that is a list: "tea and coffee", 茶、咖啡.
func (f Fact) Values() []string {
	parts := listMark.Split(f.Value.Text, -1)
	switch f.Slot {
	case "PREFERS_TOPIC", "NEEDS", "OWNS", "HAS_PET":
	case "HAS": // "two routers, a Fritz and a Speedport", not "fun and games"
		for _, p := range parts[1:] {
			if _, one := cutFirst(p, "a ", "an ", "the ", "my "); !one && !proper(p) {
				return []string{f.Value.Text}
			}
		}
	default:
		return []string{f.Value.Text}
	}
	short := func(s string) bool {
		return s != "" && strings.Count(s, " ") < 3 && utf8.RuneCountInString(s) < 24
	}
	if slices.ContainsFunc(parts, func(s string) bool { return !short(s) }) || !short(parts[0]) {
		return []string{f.Value.Text}
	}
	for i := range parts {
		parts[i], _ = cutFirst(parts[i], "a ", "an ", "the ")
	}
	return parts
}

var listMark = pattern.New(`, and |, | and |、|和|以及`)
