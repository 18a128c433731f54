package openie

import (
	"regexp"
	"strings"
)

// More ways of saying it in English, by shape. The longer rules of triples_en.go come
// first; these take what they leave.
const enMay = `(?:(?:really|also|still|just|always|absolutely|definitely|actually|honestly|truly|do|quite|rather|mostly|generally|usually|often|simply|totally|completely|pretty much|kind of|kinda|sort of|even|both|genuinely|secretly|now|never|probably|basically|mainly) )*`

var (
	enMoreLike  = regexp.MustCompile(`(?i)^` + enOpen + `(?:i|we) ` + enMay + `(?:(?:can't|cannot|can never|could never) (?:get enough of|live without|do without|resist|say no to|stop (?:reading|watching|listening to|eating|drinking|playing))|swear by|live for|dig|am all about|am a sucker for|have a (?:soft spot|thing|weakness|passion) for|never (?:get tired|tire|get bored) of|gravitate (?:to|towards?)|lean towards?|go for|collect|grew up on|keep (?:going|coming) back to|always (?:go|come) back to|survive on|appreciate|look forward to|relish|revel in|find (?:joy|comfort|peace|solace) in|get (?:a lot of )?(?:joy|pleasure) (?:from|out of)|unwind with|relax with|recharge by) (.+)$`)
	enImLike    = regexp.MustCompile(`(?i)^` + enOpen + `(?:i'm|i am|we're|we are) ` + enMay + `(?:all about|a sucker for|nuts about|mad for|a fiend for|devoted to|enamou?red with|hooked on|big into|deep into|a (?:big |huge |total |real |massive |complete |bit of an? )?(.{3,20}?) (?:person|fan|nut|addict|lover|fanatic|nerd|geek|junkie|enthusiast|freak|buff|fiend))(?: (.+))?$`)
	enAvoid     = regexp.MustCompile(`(?i)^` + enOpen + `(?:i|we) ` + enMay + `(?:(?:can't|cannot|couldn't|could never) (?:get into|stomach|deal with|get on with|get past|get through|finish|abide|be doing with|face|see the (?:appeal|point) (?:of|in))|avoid|don't (?:really |much )?(?:do|eat|drink|touch|care (?:much )?for|can't handle|watch|read|get on with|get|see the appeal of|see the point of|have (?:much )?time for|have the patience for)|never (?:touch|eat|drink|got on with|got into|cared for|took to|warmed to|read|watch)|gave up on|'ve given up on|stay away from|steer clear of|could do without|am not one for) (.+)$`)
	enPostHate  = regexp.MustCompile(`(?i)^` + enOpen + `(.{3,50}?) (?:(?:is|are|was|were)(?:n't| not) (?:really |quite |exactly )?(?:for me|my (?:thing|cup of tea|bag|style|favou?rite|scene))|(?:really |just |always )*(?:bores?|bored|annoys?|irritates?|drains?|exhausts?|stresses) me(?: (?:to tears|to death|out|silly|rigid))?|(?:puts?|put) me (?:off|to sleep)|drives? me (?:mad|crazy|nuts|insane|up the wall)|leaves? me cold|(?:do|does) nothing for me|gives? me (?:the creeps|a headache)|makes? me (?:gag|cringe|sneeze))$`)
	enPostLike  = regexp.MustCompile(`(?i)^` + enOpen + `(.{3,50}?) (?:(?:is|are|'s|has (?:always )?been) (?:really |always |totally |kind of |pretty much |definitely )*my (?:thing|weakness|guilty pleasure|comfort (?:food|drink|read|show|book|zone)|go-to|happy place|(?:creative |main |only )?(?:outlet|anchor|escape)|passion|hobby|first love|true love|jam|obsession|therapy|outlet|safe place|way to (?:relax|unwind|de-stress))|is the best(?: thing(?: ever)?)?|(?:is|are) a must for me|(?:is|are) (?:how|what|where) (?:i (?:switch off|unwind|relax|recharge|look forward to|live for|come alive|do best)|recharges me|relaxes me|keeps me).{0,20}|(?:really |always )?works? for me|keeps? me (?:sane|grounded|going|motivated|calm|happy|young|on the edge.*|company|balanced)|(?:has|have) been my (?:anchor|rock|escape|outlet|therapy)|(?:always |really |just )*(?:fascinates|excites|inspires|recharges|calms?|relaxes|soothes|centers|centres|grounds|refreshes) me|(?:helps?|lets?) me (?:relax|unwind|de-stress|destress|think|sleep|express myself|clear my (?:head|mind)|recharge|focus|calm down|stay sane|cope)|(?:makes?|made) me (?:so |really |very )?(?:happy|calm|feel (?:alive|at home|at peace|calm|free))|(?:brings?|gives?) me (?:so much |such |a lot of |real )?(?:joy|peace|comfort|happiness|life)|(?:is|are) (?:so |really |very )?(?:special|dear|important|precious) to me)\b`)
	enFind      = regexp.MustCompile(`(?i)^` + enOpen + `i find (.{3,40}?) (?:so |really |very |endlessly |incredibly |quite |deeply |always )*(interesting|relaxing|fascinating|calming|soothing|therapeutic|fun|rewarding|satisfying|comforting|delightful|boring|tedious|annoying|exhausting|stressful|dull|unbearable|irritating)$`)
	enMost      = regexp.MustCompile(`(?i)^` + enOpen + `(?:there's nothing i (?:like|love|enjoy) more than|there is nothing i (?:like|love|enjoy) more than|what i (?:like|love|enjoy)(?: (?:most|best))?(?: about [^,]+?)? is|the best (?:thing|part) (?:about|of) my (?:week|day|life|morning|year) is|i never miss (?:a|an|the)|(?:i'm )?more of an? (?:fan of )?|big fan of|huge fan of|i(?:'m| am) always up for|i spend (?:my|most|most of my|all my|a lot of my|a lot of) (?:evenings|weekends|mornings|nights|sundays|time|free time|days)) (.{3,50}?)(?: guy| girl| gal)?$`)
	enMuchOf    = regexp.MustCompile(`(?i)^` + enOpen + `(?:i'm not|i've never been|never been|i am not|not) much of an? ([a-z]+) (?:drinker|eater|person|fan|reader|watcher|player|fanatic)$`)
	enLover     = regexp.MustCompile(`(?i)^` + enOpen + `i(?:'m|'ve always been| am| have always been) (?:such |more of |definitely |very much |totally )*an? (tea|coffee|cat|dog|beach|summer|winter|autumn|spring|book|wine|beer|music|horse|city|mountain|plant|bird|pasta|pizza|chocolate|cheese|bread|theatre|film|movie|jazz|opera|fantasy|sci-fi|poetry|history|car|bike|train|soup|curry|ocean|sea|nature|rain) (?:person|guy|girl|lover|gal)$`)
	enBone      = regexp.MustCompile(`(?i)^` + enOpen + `i don't have (?:an? )?([a-z]+) bone in my body$`)
	enNeverGood = regexp.MustCompile(`(?i)^` + enOpen + `i(?:'ve| have) (never been (?:any )?(?:good|great) (?:at|with) .{3,40})$`)
	enNothing   = regexp.MustCompile(`(?i)^` + enOpen + `(?:nothing beats|there's nothing like|there is nothing like|you can't beat|give me|i'd take|always up for|can't beat) (.{3,40}?)(?: any day| over .+| any time| every time)?$`)

	// "I ride horses": the present tense of a pastime is a habit.
	enPastime = regexp.MustCompile(`(?i)^` + enOpen + `(?:i|we) (?:also |still |often |sometimes |usually )*((?:do|teach|practi[cs]e|play|study) (?:yoga|tap dancing|ballet|karate|judo|pilates|crafts?|arts and crafts|crosswords|puzzles|improv|magic tricks|gymnastics|athletics|[a-z]+ing)|(?:ride|make|bake|cook|brew|knit|sew|crochet|paint|draw|sketch|carve|fish|hunt|garden|swim|hike|bike|cycle|jog|surf|ski|skate|sail|row|climb|camp|dance|sing|journal|meditate|volunteer|grow|restore|collect|watch|listen to|read|write|go)(?: (?:horses|motorcycles|bikes|art|my own [a-z]+|music|poetry|poems|books|comics|novels|mysteries|stories|vegetables|flowers|old [a-z]+|birds|movies|films|anime|podcasts|jazz|the piano|[a-z]+ing|to (?:dance|yoga|art|pottery|cooking|language) (?:lessons|classes|class)))?)(?: (?:in my (?:free|spare) time|for (?:fun|exercise|relaxation|a living)|a lot|at (?:a|the) .{3,24}|with my .{3,20}|on (?:the )?(?:weekends|side)|to (?:relax|unwind|de-stress|destress|stay fit)))?$`)

	enEach     = regexp.MustCompile(`(?i)^` + enOpen + `(?:every|each|most|on|before|after|first thing in the) (?:single )?(?:mornings?|nights?|evenings?|days?|weekends?|weeks?|sundays?|mondays?|tuesdays?|wednesdays?|thursdays?|fridays?|saturdays?|winter|summer|spring|autumn|month|year|bed|breakfast|lunch|dinner|work|lunchtime)s?,? (?:i|we) (?:always |usually |like to |try to |tend to )?(.{4,50})$`)
	enAlways   = regexp.MustCompile(`(?i)^` + enOpen + `(?:i|we) (always|usually|normally|typically|mostly|generally|only ever|only|never) (.{4,50})$`)
	enForYears = regexp.MustCompile(`(?i)^` + enOpen + `(?:i|we)(?:'ve| have) (?:always )?(?:been )?([a-z]+(?:ing|ed|n) .{0,30}?)(?: (?:every \w+ )?for (?:years|ages|(?:about |over |almost |nearly )?\w+ years(?: now)?|a long time|as long as i can remember)| since (?:i was .+|\d{4}|childhood|.{3,20}))$`)

	enPersonWho = regexp.MustCompile(`(?i)^` + enOpen + `i(?:'m| am) ` + enMay + `(?:the|one of those|that) (?:kind|sort|type|person|people|kinds|sorts)?(?: of (?:person|people|reader|writer|idiot|weirdo))? ?(?:who|that) (.{4,50})$`)
	enHaveA     = regexp.MustCompile(`(?i)^` + enOpen + `i(?:'ve| have)(?: got| always had)? ((?:an? |no |zero |very little |such an? |quite an? )?(?:terrible|bad|awful|good|great|short|long|low|high|sweet|poor|weak|strong|photographic|tiny|huge|really bad|really good|)? ?(?:memory|attention span|sweet tooth|sense of (?:direction|humou?r|rhythm|time)|temper|patience|willpower|imagination|ear for .+|eye for .+|fear of .+|phobia of .+|allergy to .+|self-control|poker face|stage fright|imposter syndrome|impostor syndrome))$`)
	enSkill     = regexp.MustCompile(`(?i)^` + enOpen + `i (can't|cannot|can barely|could never|never learned to|never learnt to|don't know how to) ((?:cook|draw|dance|sing|drive|swim|write (?:neatly|fast|by hand)|sit still|sleep .+|work .+|concentrate|focus|multitask|whistle|spell|read maps?|read music|keep (?:a )?(?:secrets?|plants? alive|still|quiet)|say no|tell (?:jokes|lies|a lie)|lie|remember (?:names|faces|dates)|do (?:maths|math|small talk)|handle .+|ride a bike|parallel park|function .+|think .+)(?: .{0,24})?)$`)
	enWorkBest  = regexp.MustCompile(`(?i)^` + enOpen + `i ((?:work|write|think|sleep|concentrate|focus|read|study) (?:best|better|well|fastest|slowly|badly) .{3,40})$`)
	enGet       = regexp.MustCompile(`(?i)^` + enOpen + `i (?:always |usually |often |tend to |do )?((?:get|fall) (?:bored|distracted|nervous|anxious|carried away|lost|attached|seasick|carsick|emotional|stressed|overwhelmed|tired|cold|homesick|grumpy|asleep)(?: (?:easily|quickly|very easily|so easily|too easily|when .+|in .+|a lot))|(?:worry|overthink|procrastinate|daydream|ramble|interrupt people|cry|blush|panic|forget (?:names|faces|things|everything))(?: (?:a lot|easily|too much|everything|all the time|at .+|about .+))?)$`)
	enSelfAdj   = regexp.MustCompile(`(?i)^` + enOpen + `(?:i(?:'m|’m| am|'ve always been|'ve never been| have always been)) (not |never |no )?(?:(?:very|pretty|quite|rather|naturally|so|too|really|a bit|a little|a little bit|terribly|super|extremely|fairly|always|such|incredibly|just|basically|generally|kind of|honestly) )*((?:always |never )?(?:late|early|on time)|hopeless|useless|hard to please|easy to please|easily (?:bored|distracted|startled|led)|slow|thorough|obsessive|superstitious|squeamish|nosy|vain|stingy|frugal|generous|loyal|private|reserved|chatty|bossy|moody|jumpy|needy|nostalgic|old-fashioned|low-maintenance|high-maintenance|outgoing|social|sociable|antisocial|unsociable|solitary|empathetic|compassionate|passionate|driven|determined|persistent|indecisive|impulsive|spontaneous|careful|careless|clingy|sarcastic|cynical|skeptical|sceptical|gullible|trusting|scatterbrained|absent-minded|absentminded|short-sighted|long-sighted|tone-deaf|lactose intolerant|trans|transgender|gay|bi|queer|single|married|divorced|self-taught|self-conscious|self-critical|thin-skinned|thick-skinned|risk-averse|detail-oriented|introspective|analytical|artistic|musical|sporty|outdoorsy|bookish|geeky|nocturnal)(?: (?:person|by nature|about (?:that|this|it|money|people|time|details|everything)|when .+|in the mornings?))?$`)

	enFlaw   = regexp.MustCompile(`(?i)^` + enOpen + `(?:i (?:think|feel|know|admit|find) )?(?:that )?(?:my|the) (` + enAspect + `|first chapters?|last chapters?|drafts|scenes?|narrators?|villains?|heroes|heroine|protagonist|jokes?|rhymes?|stanzas?|arguments?|transitions?) (?:(?:always|never|just|all|still|kind of|sort of|really|usually|often|somehow|keeps?|tends? to) )*((?:could (?:be|use)|needs?|lacks?|drags?|sags?|falls? (?:apart|flat)|goes? nowhere|go nowhere|rambles?|wanders?|limps?|collapses?|fizzles?(?: out)?|peters? out|comes? (?:out|off|across)(?: as)?|reads? like|sounds? (?:like|the same)|all sound|is a mess|are a mess|is all over the place|runs? (?:out of steam|too long)|ends? too|starts? too|stops? dead|has no|have no|doesn't (?:work|land|hold|go|flow|sound|feel|ring)|don't (?:work|land|flow|sound|feel|ring)|isn't|aren't|feels? (?:like|off|flat|forced|thin|rushed)) ?.{0,40})$`)
	enIWrite = regexp.MustCompile(`(?i)^` + enOpen + `i (?:always |still |definitely |just |really |tend to |usually |often )*((?:can never|can't|struggle to|struggle with|suck at|am bad at|am terrible at|fail at|use too many|use too much|rely too much on|lean too (?:much|hard) on|repeat|rush|overuse|over-use|neglect|never know how to (?:end|finish|start)) ?(?:writing |my )?(?:.{0,12}?)?(?:` + enAspect + `|adverbs|adjectives|clich[eé]s|commas|similes|exclamation marks|dashes|stories|scenes|a story|a scene|words|myself|description|action scenes|love scenes|women|men|children)(?: .{0,20})?)$`)

	enRead2 = regexp.MustCompile(`\b(?:halfway through|most of the way through|in the middle of|started|starting|re-reading|rewatching|finished|finishing|just read|loved|adored|couldn't finish|couldn't put down|gave up on|pages (?:of|into)|chapters (?:of|into)|copy of|reading|read|seen|saw|watching) ((?:[A-Z][\w'’-]*)(?:[ :]+(?:(?:of|the|and|a|an|in|on|to|for|at|with|from) )*[A-Z][\w'’-]*)+)`)
)

// enNotHabit are verbs of a moment or of the mind: "I always thought so".
var enNotHabit = regexp.MustCompile(`(?i)^(?:at|take on|just|\w+ed|caught|bought|brought|taught|ate|drank|wrote|took|made|came|sat|slept|woke|lost|won|met|paid|sold|sent|spent|built|broke|fell|flew|gave|grew|led|left|lent|rode|rose|sang|stood|swam|threw|wore|made|told|held|ran|read it|be|been|am|is|was|were|thought|think|knew|know|felt|feel|wanted|want|wonder|wondered|forget|forgot|remember|remembered|say|said|tell|told|hoped|hope|wish|liked|like|loved|love|enjoy|enjoyed|hated|hate|had|have|has|got|get|went|came|did|do|done|could|can|will|would|should|might|see|saw|hear|heard|meant|mean|found|find|seem|need|needed|try|tried|ask|asked|guess|believe|believed|expect|imagine|appreciate|support|look|looked|end up|ended|wind|notice|noticed|understand|understood|agree|take a|make it|dreamed|dream|put|let|admire|admired|there|here|so|the|my|your|grateful|thankful|thank|speak|spoke|learn|learned|help|helped|give|gave|keep|kept|bring|trust|choose|chose|realize|realise|call|called|miss|missed|stay|start|started)\b`)

// enMore takes a clause that the longer rules made nothing of.
func enMore(c string, past bool) (out []Triple) {
	likes := func(obj string, neg bool, conf float64) {
		for _, t := range enObjects(obj) {
			out = append(out, liking(t.kind, t.parts, neg, 0, conf))
		}
	}
	tag := func(pred, name string, conf float64) {
		name = strings.TrimSpace(enTail.ReplaceAllString(strings.TrimRight(name, " .,!"), ""))
		name = enClean(name)
		if n := len(strings.Fields(name)); n >= 1 && n <= 9 {
			out = append(out, Triple{Predicate: pred, Object: Term{"Tag", []string{strings.ToLower(name[:1]) + name[1:]}}, Confidence: conf})
		}
	}
	first := func(re *regexp.Regexp) []string { return re.FindStringSubmatch(c) }
	if m := first(enFlaw); m != nil {
		conf := clear
		if !regexp.MustCompile(`(?i)\bmy\b`).MatchString(c) {
			conf = interpreted
		}
		tag("SELF_CRITIQUE", m[1]+" "+m[2], conf)
		return out
	}
	if m := first(enIWrite); m != nil {
		tag("SELF_CRITIQUE", m[1], clear-0.04)
		return out
	}
	if m := first(enHaveA); m != nil {
		tag("SELF_TRAIT", m[1], clear+0.04)
		return out
	}
	if m := first(enPersonWho); m != nil {
		tag("SELF_TRAIT", m[1], clear)
		return out
	}
	if m := first(enSkill); m != nil && !past {
		tag("SELF_TRAIT", strings.ToLower(m[1])+" "+m[2], weak)
		return out
	}
	if m := first(enBone); m != nil {
		tag("LACKS_TRAIT", m[1], clear)
		return out
	}
	if m := first(enNeverGood); m != nil {
		tag("SELF_TRAIT", m[1], clear)
		return out
	}
	for _, re := range []*regexp.Regexp{enWorkBest, enGet} {
		if m := first(re); m != nil && !past {
			tag("SELF_TRAIT", m[1], weak)
			return out
		}
	}
	if m := first(enSelfAdj); m != nil {
		pred := "SELF_TRAIT"
		if strings.TrimSpace(m[1]) != "" {
			pred = "LACKS_TRAIT"
		}
		tag(pred, m[2], clear-0.02)
		return out
	}
	if past {
		return out
	}
	if m := first(enPostHate); m != nil && !pronounEN(m[1]) {
		likes(m[1], true, clear)
		return out
	}
	if m := first(enPostLike); m != nil && !pronounEN(m[1]) {
		likes(m[1], false, clear-0.04)
		return out
	}
	if m := first(enFind); m != nil && !pronounEN(m[1]) {
		likes(m[1], regexp.MustCompile(`(?i)boring|tedious|annoying|exhausting|stressful|dull|unbearable|irritating`).MatchString(m[2]), weak)
		return out
	}
	if m := first(enMuchOf); m != nil {
		likes(m[1], true, weak)
		return out
	}
	if m := first(enLover); m != nil {
		likes(m[1], false, clear)
		return out
	}
	if m := first(enMost); m != nil && !pronounEN(m[1]) {
		likes(m[1], false, clear-0.04)
		return out
	}
	if m := first(enMoreLike); m != nil {
		likes(m[1], false, clear-0.02)
		return out
	}
	if m := first(enImLike); m != nil {
		obj := m[1]
		if obj == "" {
			obj = m[2]
		} else if regexp.MustCompile(`(?i)^(?:bit|big|good|great|nice|huge|kind|busy|lucky|people|happy)$`).MatchString(obj) {
			return out
		}
		likes(obj, false, clear)
		return out
	}
	if m := first(enAvoid); m != nil {
		likes(m[1], true, clear-0.04)
		return out
	}
	if m := first(enNothing); m != nil && !pronounEN(m[1]) && !regexp.MustCompile(`(?i)^(?:me|a (?:sec|minute|call|shout|break|hand)|us|it)\b`).MatchString(m[1]) {
		likes(m[1], false, weak-0.04)
		return out
	}
	if m := first(enPastime); m != nil {
		what := m[1]
		if len(strings.Fields(what)) == 1 && strings.HasSuffix(c, what) && regexp.MustCompile(`(?i)^(?:make|go|grow|watch|read|write|ride|cook|row|draw|climb|hunt|do)$`).MatchString(what) {
			return out
		}
		return append(out, liking(kindDeed, []string{enClean(what)}, false, 0, weak-0.08))
	}
	for i, re := range []*regexp.Regexp{enEach, enForYears, enAlways} {
		m := first(re)
		if m == nil {
			continue
		}
		what := enNP(m[len(m)-1])
		neg := i == 2 && strings.EqualFold(m[1], "never")
		if enNotHabit.MatchString(what) || len(strings.Fields(what)) > 8 || len(strings.Fields(what)) < 2 || regexp.MustCompile(`(?i)\b(?:you|your|it|that|this|him|her|them)\b`).MatchString(what) {
			return out
		}
		return append(out, liking(kindDeed, []string{enClean(what)}, neg, 0, weak-0.06))
	}
	return out
}

func pronounEN(s string) bool {
	return regexp.MustCompile(`(?i)^(?:it|that|this|these|those|they|he|she|you|there|what|which|who|everything|something|nothing|your|his|her|their|all|one|both|some|i|we)\b`).MatchString(strings.TrimSpace(s))
}
