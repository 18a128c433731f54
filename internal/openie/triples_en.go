package openie

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	enAdv  = `(?:(?:really|also|still|just|always|absolutely|definitely|actually|honestly|truly|particularly|especially|do|quite|rather|mostly|generally|usually|often|simply|totally|completely|pretty much|kind of|kinda|sort of|now|even|both|all|probably always|genuinely|secretly|especially) )*`
	enOpen = `(?:(?:and|but|so|well|yeah|yes|yep|oh|ha|haha|plus|also|because|though|actually|honestly|personally|still|you know|oh|yep|i mean|so yeah|funny enough|in fact|for me|these days|nowadays|now|lately|i think|i guess|see|by the way|btw|ok|okay|to be honest|tbh|as a rule|thanks|wow|hey|sure|right|no|nope|look|anyway|besides|of course|like you)[ ,]+)*`
	enSelf = `(?:i|we|the user|user|the agent|agent)`
)

var (
	enCond  = regexp.MustCompile(`(?i)\b(if|unless|wish|hope|hopefully|imagine|suppose|would|wouldn't|could|couldn't|should|might|may|maybe|perhaps|someday|one day|'d)\b|'d (?:love|like|rather|probably|hate)`)
	enHedge = regexp.MustCompile(`(?i)\b(maybe|perhaps|possibly|i suppose|i doubt|might|apparently|supposedly|not sure|i'm guessing)\b`)
	enOther = regexp.MustCompile(`(?i)^` + enOpen + `(?:my|our|his|her|their|your|the|a|an|some|most|many|every)? ?(?:[a-z-]+ )?(?:brother|sister|mother|father|mom|mum|dad|parents?|wife|husband|partner|friends?|flatmate|roommate|teacher|boss|editor|kids?|son|daughter|grandma|grandpa|grandmother|grandfather|neighbou?r|colleagues?|people|everyone|someone|nobody|they|he|she|it|you|who|dog|cat|pup|kitty|guests?|family|cousin|aunt|uncle|buddy|mentor|team|company|doctor|readers?)(?:'s|s')?\b`)
	enPast  = regexp.MustCompile(`(?i)\b(used to|as a kid|as a child|when i was|back then|once upon|back in the day|in high school|growing up|at first)\b`)

	enClause = regexp.MustCompile(`(?:;|\s[–—-]{1,2}\s|—|…|\.{3}|--|:\s|, (?:and|but|so|because|though|although|which|where|while|since|as|then|either|too|it|he|she|they|you|that|this|there)\b|,\s|\b(?:but|because|although|though|while|whereas)\b|\band (?:i|it|my|the|you|he|she|they)\b|\bso (?:i|it|please|that)\b)`)

	enFav      = regexp.MustCompile(`(?i)^` + enOpen + `(?:my|the user's|user's|agent's)? ?(?:all[- ]time |new |current |absolute |personal )*(second |third )?(?:all[- ]time )?(favou?rite|fave|go-to) ([a-z' -]{0,30}?) ?(?:is|are|remains|has always been|is still|is now|would be|'s|:) (?:still |now |definitely |probably |always |actually |currently )*(.+)$`)
	enIsFav    = regexp.MustCompile(`(?i)^` + enOpen + `(.{2,50}?) (?:is|are|'s|remains|has to be|will always be|has always been|have always been) (?:hands down |easily |by far |honestly |probably |definitely |still |basically )*(?:my (?:number one|no\. ?1|top)|one of my|still my|definitely my|by far my|my|probably my) (?:all[- ]time |new |absolute )*(second |third )?(?:favou?rites?|fave|choice|pick|[a-z]+ genre)(?: ([a-z -]{2,25}))?(?: of all time| ever| now)?$`)
	enBest     = regexp.MustCompile(`(?i)^` + enOpen + `(?:the )?([a-z]{3,12})? ?i (?:like|love|enjoy) (?:best|most|the most)(?: of all)? (?:is|are|'s) (.+)$`)
	enLike     = regexp.MustCompile(`(?i)^` + enOpen + `(?:` + enSelf + `(?:'ve| have)?(?: always)? )?` + enAdv + `(?:(don't|do not|doesn't|does not|never|no longer|didn't|can't say i|not) )?` + enAdv + `(like|likes|love|loves|enjoy|enjoys|adore|adores|prefer|prefers|treasure|cherish|value|hate|hates|hated|dread|dislike|dislikes|detest|loathe|despise|can't stand|cannot stand|can't bear|liked|loved|enjoyed|fancy) (.+)$`)
	enBe       = regexp.MustCompile(`(?i)^` + enOpen + `(?:(?:i|we)(?:'m|’m| am|'re| are|'ve (?:always )?been| have (?:always )?been|'ve become)|is|am|are|the user is|user is|agent is) ` + enAdv + `(?:(not|never|no longer|not really|not much of|not exactly) )?` + enAdv + `(?:(?:so|very|really|pretty|quite|totally|completely|super|a bit|such|big|always|a) )*(fond of|into|keen on|crazy about|mad about|passionate about|obsessed with|hooked on|interested in|a fan of|an? (?:big|huge|massive|lifelong|great|long-time|real|die-hard) fan of|fan of|big fan of|big on|addicted to|drawn to|sick of|tired of|bored of|done with|over|allergic to|fascinated by|partial to) (.+)$`)
	enStop     = regexp.MustCompile(`(?i)^` + enOpen + `(?:i(?:'ve| have)?|we(?:'ve)?) (?:recently |just |finally |completely |already )*(stopped|quit|given up|gave up|gone off|grown out of|lost interest in|lost my taste for) (.+)$`)
	enFanPlain = regexp.MustCompile(`(?i)^(?:reading|painting|running|music|nature|art|pottery|swimming|hiking|camping|cooking|gardening|dancing|writing|photography|books?|cats|dogs|animals)$`)
	enDegree   = regexp.MustCompile(`(?i)(?:\b| )?(mean(?:s)? (?:a lot|so much|the world|everything) to me|(?:is|are|has been|have been|was always) (?:such )?(?:a )?(?:huge|big|large) part of my (?:life|journey|day)|(?:is|are) (?:so |really |very |super )?important to me|(?:bring|give)s? me (?:so much |such |a lot of |such a |a |real )?(?:joy|peace|happiness|sense|comfort|energy|freedom|calm)|matters? (?:a lot )?to me|(?:is|'s) (?:mostly |really |kind of |totally )?my (?:thing|passion|happy place|jam|hobby|therapy|escape))\b`)
	enVeOf     = regexp.MustCompile(`(?i)^` + enOpen + `i(?:'ve| have) (?:always )?(?:had )?(?:got )?an? (?:love|passion|soft spot|weakness|thing) (?:for|of) (.+)$`)

	enPlay     = regexp.MustCompile(`(?i)^` + enOpen + `(?:i|we)(?:'ve| have)? (?:also |just |recently |even )*(?:started |began |been |took up |got into |am |got back into )?(?:play|playing|practice|practicing|practise|practising|learning|learning to play|learning how to play|taking up|took up|got into|teaching myself) (?:the |a |my |some )?([a-z][a-z -]{2,40})$`)
	enBeen     = regexp.MustCompile(`(?i)^` + enOpen + `(?:i|we)(?:'ve| have) been ((?:running|painting|drawing|reading|writing|swimming|hiking|cooking|baking|gardening|knitting|dancing|singing|journaling|meditating|volunteering|climbing|cycling|sewing|practicing|practising|playing|walking)\b.{0,30})$`)
	enLookInto = regexp.MustCompile(`(?i)^` + enOpen + `(?:i|we)(?:'m| am|'ve been| have been) (?:still |also |really |currently )*(?:doing(?: a bit of| some| a lot of)?|looking into|exploring|getting into|studying|researching) (.{3,60})$`)
	enHabit    = regexp.MustCompile(`(?i)^` + enOpen + `(?:i|we) (?:(always|usually|often|regularly|normally|typically|only|mostly|generally|never) )(?:just |only )?([a-z]+(?:ing)? .{2,60})$`)
	enEvery    = regexp.MustCompile(`(?i)^` + enOpen + `(?:i|we) (?:go |do |have |take |play )?(.{3,45}?) (every (?:single )?(?:day|morning|evening|night|week|weekend|winter|summer|spring|autumn|year|month|sunday|monday|tuesday|wednesday|thursday|friday|saturday)|each (?:day|morning|night|week)|(?:once|twice|three \w+|two \w+|four \w+) a (?:week|month|day|year)|on (?:weekends|sundays|saturdays))\b`)

	enTry   = regexp.MustCompile(`(?i)^` + enOpen + `(?:i|we)?(?:'ve| have)? ?(?:also |just |recently |once |even |finally )*(never |not |haven't |didn't |never dared )?(?:yet )?(tried|try|experimented with|experiment with|attempted|wrote|written|had a go at|played with|dabbled in|been trying out|trying out|been trying|gave) (.+)$`)
	enStyle = regexp.MustCompile(`(?i)\b(narrat\w*|first[- ]person|second[- ]person|third[- ]person|present tense|past tense|epistolary|stream[- ]of[- ]consciousness|point of view|pov|unreliable|non-?linear|flashbacks?|monologue|dialogue[- ]only|all[- ]dialogue|without any dialogue|no dialogue|diary form|letter form|verse|free verse|haikus?|sonnets?|villanelles?|sestinas?|limericks?|ballads?|dialect|dialogue|in letters|told in letters|timeline|abstract|watercolou?rs?|magical realism|omniscient|open endings?|happy endings?|slow burn|cliffhangers?|vignettes?|fragments|minimalis\w*|satire|allegory|twist endings?|multiple (?:narrators|viewpoints|perspectives)|storytelling|prose style|flash fiction|outlin\w+|short sentences|long sentences|parallel timelines|frame (?:story|narrative))\b`)

	enRead     = regexp.MustCompile(`(?i)\b(read|reading|reread|rereading|re-read|re-reading|finished|finishing|watched|watching|rewatched|started|picked up|devoured|listened to|listening to|seen|saw|halfway|right now i'm on|discussed|talked about|recommend|recommended|went through|played|playing|loved|love|quit|abandoned|enjoyed|borrowed|bought)\b`)
	enNotRead  = regexp.MustCompile(`(?i)\b(?:haven't|have not|hasn't|never|didn't|not yet|yet to)(?: even| yet)? (?:read|finish(?:ed)?|seen|watched|got(?:ten)? round to|started|heard|play(?:ed)?)\b`)
	enQuoted   = regexp.MustCompile(`["“]([^"“”]{2,60})["”]|'([A-Z][^']{2,50})'|\*([A-Z][^*]{2,60})\*|_([A-Z][^_]{2,60})_`)
	enReadCap  = regexp.MustCompile(`\b(?:[Rr]ead|[Rr]eading|[Rr]eread|[Rr]ereading|[Ff]inished|[Ww]atched|[Rr]ewatched|talked about|[Qq]uit|pages into|[Dd]evoured|[Aa]bandoned)(?: the book| the novel| the film| the movie| the series)? ((?:[A-Z][\w'’-]*)(?:[ :]+(?:(?:of|the|and|a|an|in|on|to|for|at|with|from) )*[A-Z][\w'’-]*)*)`)
	enByAuthor = regexp.MustCompile(`\bby ((?:[A-Z][\w.'’-]*)(?: (?:[A-Z][\w.'’-]*|de|van|von|la|le))*)`)
	enChapter  = regexp.MustCompile(`(?i)\bchapter (\d{1,3}|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|twenty|[ivxlc]{1,6})\b`)
	enChNamed  = regexp.MustCompile(`(?i)\b(?:chapter|story|section|part|scene)(?: called| titled| named|,)? ["“]([^"“”]{2,60})["”]|["“]([^"“”]{2,60})["”] (?:chapter|section)`)
	enOwnDraft = regexp.MustCompile(`(?i)\b(?:i'm writing|i am writing|my (?:own )?(?:novel|book|story|draft|poem|manuscript|painting|song)|i wrote|i called it|it's called|is called|working title|the title is|i'll call|titled)\b`)
	enNotTitle = regexp.MustCompile(`(?i)^(?:i|the|a|it|this|that|my|me|you|he|she|they|we|thanks|wow|yeah|hi|hey|hello|monday|tuesday|wednesday|thursday|friday|saturday|sunday|lgbtq\+?)$`)

	enTraitPerson = regexp.MustCompile(`(?i)^` + enOpen + `(?:(?:i|we)(?:'m|’m| am|'ve always been| have always been)|is|am|the user is|user is) ` + enAdv + `(not |never |hardly |not exactly |not much of )?(?:such |kind of |sort of |more of |basically |something of |a bit of |very much )*(?:a|an) ((?:[a-z-]+ ){0,4}[a-z-]+)(.*)$`)
	enTraitTend   = regexp.MustCompile(`(?i)^` + enOpen + `(?:i|we) (?:do |usually |always |also |really )*tend(?:s)? (not )?to (.{3,50})$`)
	enTraitAdj    = regexp.MustCompile(`(?i)^` + enOpen + `(?:i(?:'m|’m| am|'ve always been| have always been)|is|am) ` + enAdv + `(not |never |no )?(?:(?:very|pretty|quite|rather|naturally|so|too|really|a bit|a little|terribly|super|extremely|fairly|always|such|incredibly) )*(shy|introverted|extroverted|stubborn|patient|impatient|lazy|curious|organi[sz]ed|disorgani[sz]ed|messy|tidy|optimistic|pessimistic|forgetful|competitive|sensitive|quiet|talkative|anxious by nature|ambitious|creative|clumsy|punctual|honest|blunt|picky|fussy|cautious|independent|sentimental|superstitious|methodical|practical|restless|perfectionist|resilient|easily distracted|hard on myself|left-handed|colou?r-?blind|vegetarian|vegan|bilingual|(?:good|bad|terrible|great|hopeless|useless|better|rubbish|awful) (?:at|with) .{3,60}|(?:useless|hopeless|grumpy|no good|lost|a mess) (?:after|before|without) .{2,30})(.*)$`)
	enTraitNouns  = regexp.MustCompile(`(?i)\b(person|reader|writer|reviser|editor|owl|bird|perfectionist|introvert|extrovert|optimist|pessimist|realist|procrastinator|planner|pantser|plotter|learner|listener|thinker|dreamer|romantic|homebody|student|teacher|engineer|nurse|doctor|designer|translator|artist|painter|musician|singer|cook|baker|runner|swimmer|hiker|gardener|traveller|traveler|collector|worrier|minimalist|vegetarian|vegan|coward|control freak|workaholic|early riser|night owl|creature of habit|mom|mum|mother|dad|father|parent|librarian|programmer|developer|lawyer|journalist|photographer|driver|manager|accountant|scientist|poet|novelist|barista|carpenter|chef|type|sort|soul|lover|nerd|geek|foodie|insomniac|sceptic|skeptic|feminist|hoarder|drafter|outliner|overthinker|people-pleaser|team player|member|counsell?or)$`)

	enTraitSuffix = regexp.MustCompile(`(?i)(?:[a-z](?:ist|ian|man|woman|wife|aholic|keeper|worker|maker|teller)|banker|cashier|dropout|gambler|lawyer|farmer|baker|welder|plumber|dancer|writer|trainer|coach|waiter|waitress|actor|actress|singer|tailor|sailor|soldier|pilot|veteran|survivor|mentor|volunteer|freelancer|founder|owner|professor|tutor|nanny|widow|orphan|twin|only child|middle child|immigrant|refugee|geek|nomad|loner|rebel|pushover|chatterbox|bookworm|lightweight|klutz|softie|stickler|skeptic|believer|atheist|christian|buddhist|muslim|vegan|pescatarian|adult|grown-up|newbie|beginner|amateur|expert|pro|freshman|sophomore|junior|senior|graduate|intern|apprentice)$`)

	enCritique  = regexp.MustCompile(`(?i)^` + enOpen + `(?:i (?:think|feel|know|feel like|find) )?(?:that )?(?:my|the)(?: own)? (` + enAspect + `)(?: in (?:it|chapter \w+|the draft|my \w+))? (?:of my [a-z]+ )?(is|are|was|were|isn't|aren't|feels?|sounds?|reads?|seems?|lacks?|drags?|needs?|comes? (?:out|across)|came out|fell flat|falls flat)(?: (?:still|just|always|all|kind of|a bit|really|so|like|rather|pretty|as|far|way|honestly|way)*)? ?(.{0,50})$`)
	enBad       = regexp.MustCompile(`(?i)\b(too|dead|flat|boring|dull|stiff|wooden|weak|rushed|clunky|clumsy|thin|predictable|clich\w*|sloppy|slow|forced|awkward|repetitive|messy|confusing|shallow|stilted|bland|bad|terrible|awful|rubbish|lifeless|not .{2,20} enough|overwritten|purple|heavy-handed|uneven|depth|tension|work|muddy|amateurish|drag|clichéd|sentimental|wordy|mess|confusing|overlong|preachy|hollow|melodramatic|mawkish)\b|(?:lacks?) \w+`)
	enOverwrite = regexp.MustCompile(`(?i)^` + enOpen + `i (?:always |tend to |do |definitely |still )*(overwrite|overexplain|over-explain|ramble|rush (?:the|my) endings?|use too many \w+|write too (?:much|slowly|fast|long))\b`)
	enCantWrite = regexp.MustCompile(`(?i)^` + enOpen + `i(?:'m| am)? (?:really |just )?(?:can't write|terrible at writing|bad at writing|no good at) (.{3,30})$`)
)

const enAspect = `writing|plot|plots|dialogue|dialogues|pacing|prose|chapters?|characters?|endings?|openings?|beginnings?|draft|first draft|stor(?:y|ies)|sentences|style|lyrics|rhymes|poems?|essays?|script|screenplay|second act|first act|novel|verse|paragraphs?|descriptions?|metaphors?|structure|tone|voice|middle|title|titles|paintings?|drawings?|sketches|handwriting`

var enInitial = regexp.MustCompile(`\b([A-Z]|Mr|Mrs|Ms|Dr|St)\.`)

func enTriples(s string, o TripleOptions) (out []Triple) {
	s = strings.NewReplacer("’", "'", "‘", "'").Replace(s)
	s = strings.TrimSpace(enInitial.ReplaceAllString(s, "$1\u2024")) // "Ursula K. Le Guin" is one name
	for _, n := range o.Names {
		if n != "" && len(s) > len(n) && strings.EqualFold(s[:len(n)], n) && (s[len(n)] == ' ' || s[len(n)] == '\'') {
			s = strings.Replace("User"+s[len(n):], "User's", "My", 1)
		}
	}
	cond := enCond.MatchString(s)
	third := false
	if enIrony.MatchString(s) {
		return nil
	}
	s = enWithMe.ReplaceAllString(s, "I ")
	for _, clause := range enClauses(s) {
		if ts := enWould(clause); len(ts) > 0 {
			out = append(out, ts...)
			continue
		}
		if enHedge.MatchString(clause) || cond && enCond.MatchString(clause) || strings.HasSuffix(clause, "?") {
			continue
		}
		if enOther.MatchString(clause) && !enIsFav.MatchString(clause) && !enCritique.MatchString(clause) {
			third = true
			continue
		}
		if regexp.MustCompile(`(?i)^` + enOpen + `(?:i|i'm|i've|my)\b`).MatchString(clause) {
			third = false
		}
		if third {
			continue
		}
		out = append(out, enClauseTriples(clause)...)
	}
	out = append(out, enMentions(s, cond, out)...)
	for i := range out {
		for j, p := range out[i].Object.Parts {
			out[i].Object.Parts[j] = strings.ReplaceAll(p, "\u2024", ".")
		}
	}
	return out
}

var (
	enIrony  = regexp.MustCompile(`(?i)^(?:oh )?(?:great|wonderful|fantastic|brilliant|perfect), `)
	enWithMe = regexp.MustCompile(`(?i)^(?:well, )?(?:my [\w-]+ and i|me and my [\w-]+|you and i)(?: both)? `)
)

// enNoPastime are words after "doing" and "playing" that name nothing one does.
var enNoPastime = regexp.MustCompile(`(?i)^(?:\w+ly|alright|all right|ok(?:ay)?|well|fine|great|good|better|awesome|amazing|things?|stuff|work|research|lots?|bit|best|part)$|^(?:well|great|good|better|okay|alright) `)

var enSubject = regexp.MustCompile(`(?i)^` + enOpen + `(?:i|we|is|am|are|the user|user|agent|the agent)\b`)

// enWould reads the likes that are said with "would" or "could".
func enWould(c string) (out []Triple) {
	for i, re := range enWoulds {
		if m := re.FindStringSubmatch(c); m != nil {
			if pronounEN(m[1]) || regexp.MustCompile(`(?i)\bnot\b`).MatchString(m[1]) {
				return nil
			}
			for _, t := range enObjects(m[1]) {
				conf := clear - 0.02
				if i == 2 {
					conf = weak - 0.06
				}
				out = append(out, liking(t.kind, t.parts, false, 0, conf))
			}
			return out
		}
	}
	return nil
}

var enWoulds = []*regexp.Regexp{
	regexp.MustCompile(`(?i)^` + enOpen + `i(?:'d| would) (?:take|pick|choose) (.{3,40}?) over .+$`),
	regexp.MustCompile(`(?i)^` + enOpen + `i could (?:listen to|watch|eat|drink|read|play|talk about|stare at|look at) (.{3,40}?) (?:all day|all night|for hours|forever|every day|for ever|for days)(?: long)?$`),
	regexp.MustCompile(`(?i)^` + enOpen + `i(?:'d| would) (?:much |always )?rather ((?:be|stay|read|cook|walk|build|make|play|sit|watch|write|paint|swim|sleep|cycle|drive|listen)\b.{2,40}?)(?: than .+)?$`),
}

// enClauses cuts at clause borders outside quotes; a border word starts the next clause.
func enClauses(s string) (out []string) {
	start := 0
	quoted := make([]bool, len(s))
	in := false
	for i := range len(s) {
		if s[i] == '"' {
			in = !in
		}
		quoted[i] = in
	}
	add := func(c string) {
		c = strings.Trim(c, " ,;:.!–—-…\t")
		for _, w := range []string{"and ", "And ", "but ", "But "} {
			c = strings.TrimPrefix(c, w)
		}
		if c != "" {
			out = append(out, c)
		}
	}
	for _, m := range enClause.FindAllStringIndex(s, -1) {
		if quoted[m[0]] || m[0] < start {
			continue
		}
		add(s[start:m[0]])
		start = m[0]
	}
	add(s[start:])
	return out
}

func enClauseTriples(c string) (out []Triple) {
	past := enPast.MatchString(c)
	if m := enFav.FindStringSubmatch(c); m != nil && !past {
		if strings.EqualFold(m[2], "go-to") {
			return enFavourite(m[3], m[4], 0, clear)
		}
		return enFavourite(m[3], m[4], enRankOf(m[1]), direct)
	}
	if m := enIsFav.FindStringSubmatch(c); m != nil && !past && !pronounEN(m[1]) {
		rank := enRankOf(m[2])
		conf := direct
		if strings.Contains(strings.ToLower(c), "one of my") {
			rank, conf = 0, clear+0.04
		}
		return enFavourite(m[3], m[1], rank, conf)
	}
	if m := enBest.FindStringSubmatch(c); m != nil && !past {
		return enFavourite(m[1], m[2], 1, direct-0.02)
	}
	if ts := enTries(c); len(ts) > 0 {
		return ts
	}
	if m := enStop.FindStringSubmatch(c); m != nil {
		for _, t := range enObjects(m[2]) {
			if (t.kind == kindTopic || t.kind == kindDeed) && !unicode.IsUpper(rune(t.parts[0][0])) {
				out = append(out, liking(t.kind, t.parts, true, 0, weak))
			}
		}
		return out
	}
	if m := enBe.FindStringSubmatch(c); m != nil && !past {
		neg := m[1] != ""
		if !enSubject.MatchString(c) && !neg && !strings.Contains(strings.ToLower(m[2]), "fan of") || regexp.MustCompile(`(?i)^(?:my|the)\b`).MatchString(m[3]) && strings.EqualFold(m[2], "into") {
			return nil // "Into the third hour"
		}
		switch strings.ToLower(m[2]) {
		case "sick of", "tired of", "bored of", "done with", "over":
			if neg {
				return nil
			}
			neg = true
		case "allergic to":
			return nil
		}
		for _, t := range enObjects(m[3]) {
			conf := plainly - 0.02
			if strings.EqualFold(m[2], "into") || strings.HasPrefix(strings.ToLower(m[2]), "interested") {
				conf = clear + 0.04
			}
			out = append(out, liking(t.kind, t.parts, neg, 0, conf))
		}
		return out
	}
	if m := enVeOf.FindStringSubmatch(c); m != nil {
		for _, t := range enObjects(m[1]) {
			out = append(out, liking(t.kind, t.parts, false, 0, plainly))
		}
		return out
	}
	if ts := enLikes(c, past); len(ts) > 0 {
		return ts
	} else if ts != nil {
		return enMore(c, past)
	}
	if loc := enDegree.FindStringIndex(c); loc != nil && loc[0] > 0 && !past {
		for _, t := range enObjects(c[:loc[0]]) {
			if t.kind == kindTopic && len(strings.Fields(t.parts[0])) <= 3 && !strings.HasPrefix(strings.ToLower(t.parts[0]), "your") {
				out = append(out, liking(t.kind, t.parts, false, 0, weak))
			}
		}
		return out
	}
	for _, re := range []*regexp.Regexp{enPlay, enBeen, enLookInto} {
		if m := re.FindStringSubmatch(c); m != nil && !past && !regexp.MustCompile(`(?i)\b(?:games? with|around|that book|this|it|about)\b|^\w+ly$`).MatchString(m[1]) {
			np := regexp.MustCompile(`(?i) (?:about|for|with|at|in|on|to|since|from|by|over) .*$`).ReplaceAllString(m[1], "")
			if re == enLookInto {
				np = m[1]
			}
			for _, t := range enObjects(np) {
				if t.kind == kindTopic && !enNoPastime.MatchString(t.parts[0]) {
					out = append(out, liking(t.kind, t.parts, false, 0, weak-0.04))
				}
			}
			return out
		}
	}
	if enLover.MatchString(c) {
		return enMore(c, past)
	}
	if ts := enTraits(c); len(ts) > 0 {
		return ts
	}
	if ts := enCritiques(c); len(ts) > 0 {
		return ts
	}
	if !past {
		out = append(out, enHabits(c)...)
	}
	if len(out) == 0 {
		out = enMore(c, past)
	}
	return out
}

func enRankOf(s string) int {
	switch strings.ToLower(strings.TrimSpace(s)) {
	case "second":
		return 2
	case "third":
		return 3
	}
	return 1
}

func enFavourite(what, obj string, rank int, conf float64) (out []Triple) {
	what = strings.ToLower(strings.TrimSpace(what))
	forced, known := kindTopic, true
	word := what
	if i := strings.LastIndexByte(what, ' '); i >= 0 {
		word = what[i+1:]
	}
	switch strings.TrimSuffix(word, "s") {
	case "author", "writer", "novelist", "poet", "playwright":
		forced = kindAuthor
	case "book", "novel", "film", "movie", "story", "storie", "show", "series", "serie", "song", "album", "game", "play", "poem", "comic", "manga", "read", "anime", "musical":
		forced = kindWork
	case "chapter":
		forced = kindChapter
	default:
		known = false
	}
	for _, t := range enObjects(obj) {
		switch {
		case forced == kindAuthor:
			t.kind = kindAuthor
		case forced == kindChapter:
			t = zhObject{kindChapter, []string{"", t.parts[0]}}
		case forced == kindWork && (t.kind == kindTopic || t.kind == kindDeed || t.kind == kindAuthor):
			if !capitalised(t.parts[0]) {
				continue
			}
			if title, _, ok := strings.Cut(t.parts[0], " by "); ok {
				t.parts = []string{title}
			}
			t.kind = kindWork
		case !known && t.kind == kindDeed:
			t.kind = kindTopic
		}
		out = append(out, liking(t.kind, t.parts, false, rank, conf))
		if forced == kindAuthor || forced == kindWork {
			break
		}
	}
	return out
}

var enThatChapter = regexp.MustCompile(`\bthe ([\w' -]{2,24}?) chapter (?:of|in|from) ["“]?((?:[A-Z][\w'’-]*)(?: (?:(?:of|the|and|a|in|to) )*[A-Z][\w'’-]*)*)`)

var enReallyRead = regexp.MustCompile(`(?i)\b(?:read|reread|watched|finished|seen|saw|listened|halfway|played)\b`)

var enBadStart = regexp.MustCompile(`(?i)^(?:how|that|what|when|where|why|who|which|this|these|those|it|them|him|her|his|hers|their|theirs|you|your|yours|me|us|our|my own|seeing|hearing|knowing|being able|the way|the fact|the idea|the look|the sound of (?:that|it)|some of|two of|both of|all of|each other|myself|someone|having|everyone|anything|something|everything|nothing|to|a lot|so|as|getting (?:to|along))\b`)

// enBadTo: what one loves "to see" or "to hear" is a reply, not a taste.
var enBadTo = regexp.MustCompile(`(?i)^to (?:see|hear|know|say|think|believe|help|check|be|have|take a look|tell|show|talk|chat|meet|get|try|do|know|keep|give|share|join|come|go back|ask|let|support|hear|learn more|call|catch|add|point)\b|^to$`)

var enDeictic = regexp.MustCompile(`(?i)^the [\w-]+(?: [\w-]+)?(?: and (?:the )?[\w-]+(?: [\w-]+)?)?$`)
var enGeneric = regexp.MustCompile(`(?i)^the (?:beach|sea|ocean|mountains?|outdoors|rain|snow|sun|cold|heat|city|countryside|forest|woods|night|dark|theatre|theater|cinema|movies|gym|piano|guitar|violin|smell of .+|sound of .+|taste of .+|quiet|morning|summer|winter|autumn|spring|water|sky|stars|classics|opera|library)$`)

func enLikes(c string, past bool) (out []Triple) {
	m := enLike.FindStringSubmatch(c)
	if m == nil {
		return nil
	}
	verb := strings.ToLower(m[2])
	neg := m[1] != ""
	hate := false
	switch verb {
	case "hate", "hates", "hated", "dread", "dislike", "dislikes", "detest", "loathe", "despise", "can't stand", "cannot stand", "can't bear":
		hate = true
	case "liked", "loved", "enjoyed":
		if enAlwaysHas.MatchString(c) {
			break
		}
		if t := enObjects(m[3]); len(t) == 1 && t[0].kind == kindWork && !neg {
			return []Triple{{Predicate: "DISCUSSED_WORK", Object: Term{"Work", t[0].parts}, Confidence: clear + 0.04}}
		}
		return []Triple{}
	case "fancy":
		if !neg {
			return []Triple{}
		}
	}
	if verb == "hated" && !enAlwaysHas.MatchString(c) {
		if t := enObjects(m[3]); len(t) == 1 && (t[0].kind == kindWork || capitalised(t[0].parts[0])) {
			return []Triple{{Predicate: "DISLIKES_WORK", Object: Term{"Work", t[0].parts}, Confidence: clear}}
		}
		return []Triple{}
	}
	if strings.HasPrefix(verb, "can't stand") && regexp.MustCompile(`(?i)^(?:up|still|on|here|in line|straight)\b`).MatchString(m[3]) {
		return []Triple{}
	}
	if hate && neg || past {
		return []Triple{}
	}
	bare := !regexp.MustCompile(`(?i)^` + enOpen + enSelf + `\b`).MatchString(c)
	if bare && !neg && !strings.HasSuffix(verb, "s") && (verb == "like" || verb == "love" || verb == "prefer") {
		// "Like a greenhouse", "Love that!": no statement of a taste in dialogue.
		if verb == "like" || regexp.MustCompile(`(?i)^(?:all )?(?:the|that|this|those|your|these)\b`).MatchString(m[3]) || enBadStart.MatchString(m[3]) || enDeictic.MatchString(strings.TrimSpace(enNP(m[3]))) {
			return []Triple{}
		}
	}
	for _, t := range enObjects(m[3]) {
		conf := plainly + 0.02
		if bare {
			conf -= 0.06
		}
		low := strings.ToLower(m[3])
		if strings.Contains(low, "a bit") || strings.Contains(low, "kind of") {
			conf -= 0.08
		}
		rank := 0
		if regexp.MustCompile(`(?i)\b(?:best|most|the most|more than anything)\b(?: of all)?$`).MatchString(strings.TrimSpace(m[3])) && !neg && !hate {
			rank = 1
		}
		if t.kind == kindWork && !neg && !hate {
			conf = min(conf, clear+0.04)
		}
		out = append(out, liking(t.kind, t.parts, neg || hate, rank, conf))
	}
	if out == nil {
		out = []Triple{}
	}
	return out
}

var enAlwaysHas = regexp.MustCompile(`(?i)\b(?:'ve|have) always\b`)

var enTail = regexp.MustCompile(`(?i)[ ,]+(?:a lot|very much|so much|too much|much|too|though|these days|nowadays|now|any ?more|either|the most|most|best|by the way|most of all|again|recently|lately|as well|a bit|at all|right now|at the moment|in general|especially|and it isn't close|more and more|even more|more than anything|more|yet|still|already|so far|these|i think|myself|together|when i can|with you|today|here|there|anyway|of course|honestly|actually|really|for sure|ever since|all the time|with my .+|for years|forever|so|for good|once|yesterday|now and then|on the side|to be honest|anytime|any time|two years ago|(?:\w+ )?(?:years?|months?|weeks?|days?) ago|last (?:year|month|week|night|summer|winter)|this (?:year|summer|winter|morning|week)|and never .*|at (?:the|this) point)$`)
var enStopNP = regexp.MustCompile(`(?i)[,;:.!?()–—"“”]| - |--|\b(?:because|since|when|whenever|while|but|so|which|who|whose|that|where|as|if|especially|and (?:i|it|my|how|the way|am|was|they|always|then|even|also|wish)|it|is|are|was|were|has|have|helps?|makes?|reminds?|like|than|than ever|until|after|before|for (?:me|its|their|the way)|'cause|cuz|cause|such as|due to|thanks to|lets?|gives?|through which|without)\b`)

// enNP cuts a noun phrase out of what follows a verb.
func enNP(s string) string {
	s = strings.TrimSpace(s)
	if loc := enStopNP.FindStringIndex(s); loc != nil {
		if loc[0] == 0 {
			return ""
		}
		s = s[:loc[0]]
	}
	for {
		t := enTail.ReplaceAllString(strings.TrimRight(s, " ,.!"), "")
		if t == s {
			return strings.TrimSpace(s)
		}
		s = t
	}
}

// enObjects reads the names in an object phrase and what each of them is.
func enObjects(s string) (out []zhObject) {
	s = strings.TrimSpace(s)
	s = regexp.MustCompile(`(?i)^(?:the |a )?(?:band|singer|group|rapper|team|artist) ['"“]?([A-Z])`).ReplaceAllString(s, "$1")
	if m := enQuoted.FindStringSubmatchIndex(s); m != nil && m[0] <= 40 {
		for g := 2; g < len(m); g += 2 {
			if m[g] >= 0 {
				return []zhObject{{kindWork, []string{enTitle(s[m[g]:m[g+1]])}}}
			}
		}
	}
	if enBadStart.MatchString(s) && (!strings.HasPrefix(strings.ToLower(s), "to ") || enBadTo.MatchString(s)) {
		return nil
	}
	np := enNP(s)
	if np == "" || enDeictic.MatchString(np) && !enGeneric.MatchString(np) && !capitalised(strings.TrimPrefix(np, "the ")) {
		return nil
	}
	if m := enWrote.FindStringSubmatch(s); m != nil {
		return []zhObject{{kindAuthor, []string{m[1]}}}
	}
	authors := 0
	for _, p := range enSplit(np) {
		p = enClean(p)
		if isAuthor(p) {
			authors++
		} else if authors > 0 && capitalised(p) && len(strings.Fields(p)) >= 2 {
			out = append(out, zhObject{kindAuthor, []string{p}}) // in a list with one
			continue
		}
		words := strings.Fields(p)
		if len(words) == 0 || len(words) > 8 || enBadStart.MatchString(p) {
			continue
		}
		switch {
		case isAuthor(p):
			out = append(out, zhObject{kindAuthor, []string{p}})
		case enBooksOf(p) != "":
			out = append(out, zhObject{kindAuthor, []string{enBooksOf(p)}})
		case enStyle.MatchString(p) && !regexp.MustCompile(`(?i)^(?:reading|writing|painting|abstract art)`).MatchString(p):
			out = append(out, zhObject{kindStyle, []string{p}})
		default:
			out = append(out, zhObject{kindTopic, []string{p}})
		}
	}
	return out
}

var enWrote = regexp.MustCompile(`(?i)^everything (?:by )?((?-i:[A-Z][\w.'-]+(?: [A-Z][\w.'-]+)+)) (?:ever )?(?:wrote|has written|published)`)

var enBooks = regexp.MustCompile(`^(.+?)(?:'s|s')? (?:books|novels|stories|poems|poetry|plays|essays|writing|work|works)$`)

func enBooksOf(p string) string {
	m := enBooks.FindStringSubmatch(p)
	if m == nil || !capitalised(m[1]) {
		return ""
	}
	if isAuthor(m[1]) || strings.Contains(p, "'s ") && len(strings.Fields(m[1])) >= 2 {
		return m[1]
	}
	return ""
}

func enSplit(s string) []string {
	parts := regexp.MustCompile(`(?i),? (?:and|or) |, |\s?&\s?`).Split(enFixed.ReplaceAllString(s, "$1\u00a0$2\u00a0$3"), -1)
	if len(parts) == 1 {
		return parts
	}
	for _, p := range parts {
		if n := len(strings.Fields(p)); n == 0 || n > 4 {
			return []string{s}
		}
	}
	return parts
}

// enFixed are pairs that are one thing.
var enFixed = regexp.MustCompile(`(?i)\b(rock|arts|mac|spaghetti|fish|salt|black|drum|bed|r|rhythm|peanut butter|gin|bread|dungeons|food|cat|law) (and|&) (roll|crafts|cheese|meatballs|chips|pepper|white|bass|breakfast|b|blues|jelly|tonic|butter|dragons|drink|mouse|order)\b`)

func enTitle(s string) string { return strings.Trim(strings.TrimSpace(s), ".,!?;:") }

var enArticles = []string{"a ", "an ", "the ", "A ", "An ", "The ", "some ", "my ", "any ", "all ", "both ", "to ", "doing ", "all kinds of ", "all sorts of ", "pretty much ", "really ", "just ", "such ", "also ", "lots of ", "good ", "other "}

// enClean makes a canonical name: no articles, quotes or marks around it.
func enClean(s string) string {
	s = strings.Trim(strings.TrimSpace(strings.NewReplacer("\u00a0", " ").Replace(s)), "\"'“”‘’.,!?;:*_()– ")
	if capitalised(s) && len(strings.Fields(s)) > 1 && strings.HasPrefix(s, "The ") {
		return s // a name that has its article
	}
	for {
		was := s
		for _, a := range enArticles {
			if t, ok := strings.CutPrefix(s, a); ok && t != "" {
				s = t
			}
		}
		s = strings.TrimSpace(enTail.ReplaceAllString(s, ""))
		if s == was {
			return s
		}
	}
}

func enTries(c string) (out []Triple) {
	m := enTry.FindStringSubmatch(c)
	if m == nil {
		return nil
	}
	neg := strings.TrimSpace(m[1]) != "" || regexp.MustCompile(`(?i)\b(?:haven't|never|not) (?:yet )?tried\b`).MatchString(c)
	np := regexp.MustCompile(`(?i)^(?:writing|to write|doing|out)(?: (?:in|with))? (?:the )?`).ReplaceAllString(m[3], "")
	if w := regexp.MustCompile(`(?i)\b(?:entirely|all|completely|only|the first \w+ chapters?) in ([\w -]{3,30})|(?:chapters?|story|piece|poem|novel|draft|book|scene) in ([\w -]{3,30})`).FindStringSubmatch(m[3]); w != nil {
		np = w[1] + w[2]
	}
	np = regexp.MustCompile(`(?i)^(?:a couple of|a few|some|several|a lot of) `).ReplaceAllString(np, "")
	if loc := regexp.MustCompile(`(?i) (?:for|in|on|to|once|twice|last|this|with|and|but|because|just|until|as)\b|[,.;:!?]`).FindStringIndex(np); loc != nil && loc[0] > 0 {
		np = np[:loc[0]]
	}
	np = enClean(strings.TrimPrefix(strings.TrimPrefix(np, "writing in "), "writing "))
	if !enStyle.MatchString(np) || len(strings.Fields(np)) > 6 {
		return nil
	}
	conf := plainly
	if strings.EqualFold(m[2], "wrote") || strings.EqualFold(m[2], "written") {
		conf = clear
	}
	if strings.EqualFold(m[2], "try") && !neg {
		return nil
	}
	return append(out, Triple{Predicate: polar("TRIED_STYLE", neg), Object: Term{"Topic", []string{np}}, Confidence: conf})
}

func enTraits(c string) (out []Triple) {
	trait := func(name string, neg bool, conf float64) {
		name = enClean(name)
		if n := len(strings.Fields(name)); n >= 1 && n <= 10 && utf8.RuneCountInString(name) <= 64 {
			out = append(out, Triple{Predicate: polar("SELF_TRAIT", neg), Object: Term{"Tag", []string{strings.ToLower(name[:1]) + name[1:]}}, Confidence: conf})
		}
	}
	if m := enTraitTend.FindStringSubmatch(c); m != nil {
		trait(m[2], m[1] != "", clear)
		return out
	}
	if m := enTraitPerson.FindStringSubmatch(c); m != nil {
		name := m[2]
		// The noun phrase ends at the first preposition or verb.
		if loc := regexp.MustCompile(`(?i) (?:at|in|on|with|for|of|who|that|about|to|from|when|by|and|so|now|like|after|just|too|these|as)\b`).FindStringIndex(name); loc != nil {
			name = name[:loc[0]]
		}
		if (enTraitNouns.MatchString(name) || enTraitSuffix.MatchString(name) && len(strings.Fields(name)) <= 4) && !regexp.MustCompile(`(?i)\b(fan|bit|little|lot|good (?:person|mother)|great|big|huge|lucky|proud|happy|new)\b`).MatchString(name) {
			trait(strings.TrimSuffix(name, " person"), m[1] != "", plainly)
		}
		return out
	}
	if m := enTraitAdj.FindStringSubmatch(c); m != nil && !regexp.MustCompile(`(?i)^ ?(?:now|today|about|to|that|of|for|right)\b`).MatchString(m[3]) {
		adj := m[2]
		if i := strings.Index(adj, " "); i > 0 && regexp.MustCompile(`(?i)^(?:better|good|great)`).MatchString(adj) && regexp.MustCompile(`(?i)\b(?:now|today|that|this|it)\b`).MatchString(adj) {
			return nil
		}
		trait(enNP(adj), m[1] != "", clear+0.04)
	}
	return out
}

func enCritiques(c string) (out []Triple) {
	add := func(name string, neg bool, conf float64) {
		name = enClean(name)
		if n := len(strings.Fields(name)); n >= 1 && n <= 7 {
			out = append(out, Triple{Predicate: polar("SELF_CRITIQUE", neg), Object: Term{"Tag", []string{strings.ToLower(name)}}, Confidence: conf})
		}
	}
	if m := enOverwrite.FindStringSubmatch(c); m != nil {
		add(m[1], false, clear)
		return out
	}
	if m := enCantWrite.FindStringSubmatch(c); m != nil {
		add("bad at "+m[1], false, clear)
		return out
	}
	m := enCritique.FindStringSubmatch(c)
	if m == nil || !enBad.MatchString(m[2]+" "+m[3]) {
		return nil
	}
	conf := clear + 0.04
	if !regexp.MustCompile(`(?i)\bmy\b`).MatchString(c) {
		conf = interpreted
	}
	what := enNP(m[3])
	switch v := strings.ToLower(m[2]); {
	case v == "isn't" || v == "aren't":
		if !strings.Contains(what, "enough") {
			return nil
		}
		what = "not " + what
	case strings.HasPrefix(v, "lack"), strings.HasPrefix(v, "drag"), strings.HasSuffix(v, "flat"):
		what = v + " " + what
	}
	add(strings.TrimSpace(m[1]+" "+what), false, conf)
	return out
}

func enHabits(c string) (out []Triple) {
	if m := enEvery.FindStringSubmatch(c); m != nil && !regexp.MustCompile(`(?i)\b(?:was|were|did|went|had|got|at|out|meet|one|back|there|you|this|that|it|think|see|need|say|know|tell|miss|feel|wonder|learn|hear)\b`).MatchString(m[1]) {
		what := strings.TrimSpace(m[1])
		if regexp.MustCompile(`(?i)^(?:'|am|are|been|have|will|can|just)`).MatchString(what) {
			return nil
		}
		what = regexp.MustCompile(`(?i) (?:before|after|at|by|in|on|with|to) .*$`).ReplaceAllString(what, "")
		what = enClean(what)
		if regexp.MustCompile(`^(?:re-?)?(?:read|watch)\w* [A-Z]`).MatchString(what) {
			return nil // a work, see enMentions
		}
		if what != "" && len(strings.Fields(what)) <= 6 && unicode.IsLower(rune(what[0])) {
			k := kindTopic
			if !strings.HasSuffix(strings.Fields(what)[0], "ing") && len(strings.Fields(what)) > 1 {
				k = kindDeed
			}
			out = append(out, liking(k, []string{what}, false, 0, weak))
		}
		return out
	}
	m := enHabit.FindStringSubmatch(c)
	if m == nil {
		return nil
	}
	adv, what := strings.ToLower(m[1]), enNP(m[2])
	if !regexp.MustCompile(`(?i)^(?:read|write|drink|eat|listen|watch|run|swim|walk|paint|draw|cook|bake|go|carry|keep|use|buy|wear|take|make|work|outline|start|sleep|wake|play|order|have)\b`).MatchString(what) || len(strings.Fields(what)) > 7 || len(strings.Fields(what)) < 2 {
		return nil
	}
	what = enClean(what)
	return append(out, liking(kindDeed, []string{what}, adv == "never", 0, weak))
}

// enMentions finds works and chapters that are read or talked about.
func enMentions(s string, cond bool, said []Triple) (out []Triple) {
	if enOther.MatchString(s) || regexp.MustCompile(`(?i)\b(?:he|she|they|you|who)(?:'s| has|'ve| have)? (?:read|loves?|likes?|reading|watch|adores?)\b`).MatchString(s) {
		return nil
	}
	if enOwnDraft.MatchString(s) {
		return nil
	}
	work := ""
	neg := enNotRead.MatchString(s)
	if cond && !regexp.MustCompile(`(?i)\bi(?:'ve)? (?:just )?(?:read|finished|reread|watched|loved)\b`).MatchString(s) {
		return nil
	}
	fav := regexp.MustCompile(`(?i)favou?rite`).MatchString(s)
	chapter := ""
	if m := enChNamed.FindStringSubmatch(s); m != nil {
		chapter = enTitle(m[1] + m[2])
	}
	mention := func(title string, conf float64) {
		title = enTitle(title)
		if title == "" || title == chapter || enNotTitle.MatchString(title) || !capitalised(title) || isAuthor(title) {
			return
		}
		work = title
		if fav && !neg || liked(said, title) && !enReallyRead.MatchString(s) {
			return
		}
		t := Triple{Predicate: "DISCUSSED_WORK", Object: Term{"Work", []string{title}}, Confidence: conf}
		if neg {
			t.Predicate, t.Confidence = "HAS_NOT_DISCUSSED_WORK", clear
		}
		out = append(out, t)
	}
	mine := regexp.MustCompile(`(?i)\b(?:i|i've|i'm|me|my|we)\b|^(?:just )?(?:re-?)?(?:read|finished|watched)\b`).MatchString(s)
	if regexp.MustCompile(`(?i)\b(?:planning|plan|going|want|wants|hoping|hope|meaning|need) to (?:re-?)?(?:read|watch|see|start|finish|try)\b|\b(?:will|gonna|'ll) (?:read|watch|try)\b`).MatchString(s) {
		return nil
	}
	if mine && (enRead.MatchString(s) || enByAuthor.MatchString(s)) {
		for _, m := range enQuoted.FindAllStringSubmatch(s, -1) {
			mention(m[1]+m[2]+m[3]+m[4], plainly-0.02)
		}
		if work == "" {
			if m := enReadCap.FindStringSubmatch(s); m != nil {
				if a := enByAuthor.FindStringSubmatch(s); a == nil || !strings.Contains(m[1], a[1]) {
					mention(m[1], clear-0.02)
				}
			}
		}
	}
	if m := enThatChapter.FindStringSubmatch(s); m != nil && !neg {
		if work == "" {
			out = append(out, Triple{Predicate: "DISCUSSED_WORK", Object: Term{"Work", []string{m[2]}}, Confidence: clear})
		}
		return append(out, Triple{Predicate: "DISCUSSED_CHAPTER", Object: Term{"Chapter", []string{m[2], m[1] + " chapter"}}, Confidence: clear})
	}
	if m := enChapter.FindStringSubmatch(s); (m != nil || chapter != "") && !neg {
		if regexp.MustCompile(`(?i)\b(?:my|i wrote|i'm writing|draft)\b`).MatchString(s) && work == "" {
			return out
		}
		conf := clear + 0.04
		if work == "" {
			conf = interpreted
			if chapter == "" {
				return out // most likely of the speaker's own draft
			}
		}
		name := chapter
		if name == "" {
			name = "chapter " + strings.ToLower(m[1])
		}
		out = append(out, Triple{Predicate: "DISCUSSED_CHAPTER", Object: Term{"Chapter", []string{work, name}}, Confidence: conf})
	}
	return out
}
