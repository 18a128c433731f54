package openie

import (
	"strings"
	"unicode/utf8"

	"membench/internal/pattern"
)

// Chinese is read clause by clause. A clause is taken apart into
//
//	opener* [topic] [speaker] (adverb | time)* core
//
// and its core is offered to the frames below in order; the first that fits makes the
// triples. What a clause leaves out comes from the clauses before it: the subject, and
// the topic where a verb has no object ("那部《大鱼海棠》我看睡着了，不喜欢").

type subject uint8

const (
	dropped subject = iota // no subject so far: a memory often leaves the speaker out
	self
	other
)

type zhClause struct {
	text   string // without openers
	topic  string // what stands before the speaker
	who    subject
	stated bool // the clause itself names the speaker
	adv    zhSense
	core   string // from the verb on, without particles at its end
	writes bool   // the sentence is about the speaker's own writing
	past   bool
	moment bool
}

// never reports a denial that is meant to last.
func (c *zhClause) never() bool {
	return c.adv&zhNever != 0 || c.adv&zhNot != 0 && c.adv&(zhLong|zhDone) != 0 && c.adv&zhLack == 0
}

func (c *zhClause) rank() int {
	switch {
	case c.adv&zhNot != 0:
		return 0
	case c.adv&zhMost != 0:
		return 1
	case c.adv&zhSecond != 0:
		return 2
	case c.adv&zhThird != 0:
		return 3
	}
	return 0
}

// sure lowers a confidence where the speaker is only understood.
func (c *zhClause) sure(conf float64) float64 {
	if !c.stated && c.who == dropped {
		return conf - 0.04
	}
	return conf
}

// zhFrames in the order in which they are tried.
var zhFrames = []func(*zhClause) []Triple{
	zhFavourite, zhFond, zhTried, zhQuit, zhFeelsToward, zhFan, zhFlaw, zhTrait, zhTaste, zhVerdict, zhHabit,
}

func zhTriples(s string, o TripleOptions) (out []Triple) {
	if zhSupposed.MatchString(s) && !strings.Contains(s, "每当") || zhIronic.MatchString(s) {
		return nil
	}
	who, topic, past := dropped, "", false
	writes, agreed := regexpWrites.MatchString(s), zhAgreed.MatchString(s)
	for _, text := range zhClauses(s) {
		c := zhParse(text, o.Names)
		if c.who == dropped {
			c.who = who
		}
		who = c.who
		if t := zhTitle.FindString(text); t != "" {
			topic = t
		}
		if head := zhTopicOf(c.text); c.topic == "" && runes(head) <= 5 && !c.stated && zhTopicMark.MatchString(c.text) && zhOwnTopic(head) {
			topic = head // "钢琴嘛，…"
		} else if m := zhReading.FindStringSubmatch(c.core); m != nil && isAuthor(zhClean(m[1])) {
			topic = m[1] // "最近在读卡尔维诺，很喜欢"
		}
		if c.past && runes(c.text) <= 4 {
			past = true // "从前，我很怕黑"
		}
		c.past = c.past || past
		if zhOut(&c) {
			if agreed { // "编辑说我节奏太慢，这个我认"
				said := zhClause{text: "我" + strings.TrimPrefix(zhSaidThat.ReplaceAllString(text, ""), "我"), who: self, stated: true, writes: true}
				said.core = strings.TrimPrefix(said.text, "我")
				if ts := zhFlaw(&said); zhSaidThat.MatchString(text) {
					out = append(out, ts...)
				}
			}
			continue
		}
		c.writes = writes
		if c.topic == "" {
			c.topic = topic
		} else {
			topic = c.topic
		}
		n := len(out)
		frames := zhFrames
		if c.who == other {
			frames = []func(*zhClause) []Triple{zhFlaw} // "我的主角写得不够鲜活"
		}
		for _, f := range frames {
			if out = append(out, f(&c)...); len(out) > n {
				break
			}
		}
		if len(out) == n && !c.stated && runes(text) <= 12 && !zhVerbal.MatchString(text) {
			topic = zhTopicOf(c.text) // "博尔赫斯写的那些迷宫，我永远读不够"
		}
	}
	return append(out, zhMentions(s, o.Names)...)
}

var (
	zhAgreed   = pattern.New(`我[也都]?(?:认|承认|同意|服气)(?:的|了)?[。！…]*$|，(?:也)?确实(?:是|如此)?[。！…]*$|(?:人家|他|她|编辑|老师|朋友)?说得(?:没错|对|有道理|也对)|没说错|我也这么觉得|我也觉得`)
	zhSaidThat = pattern.New(`^.{1,12}?(?:说|嫌|批评|觉得|回信说|点评说|吐槽)(?:我的?)?`)
)

var regexpWrites = pattern.New(`写|稿|小说|创作|文章|初稿|动笔|得改|要改|画得|画的|作品|诗`)

var (
	zhTopicMark = pattern.New(`[嘛呢啊吧]$|的话$|这东西$`)
	zhVerbal    = pattern.New(`[了过着是有在会想说要能得不]`)
	zhReading   = pattern.New(`^在?(?:读|看|追|听)(.{2,10})$`)
)

// zhOut reports whether a clause states nothing of the speaker.
func zhOut(c *zhClause) bool {
	t := c.text
	if c.who == other && !zhOwnPart.MatchString(t) || zhWanted.MatchString(t) || zhAsked.MatchString(zhNoAsk.Replace(t)) {
		return true
	}
	if zhGuess.MatchString(t) && !strings.Contains(t, "那种") {
		return true
	}
	return zhReported.MatchString(zhSaidSelf.ReplaceAllString(t, ""))
}

// zhClauses splits a sentence at the marks between clauses, but not inside titles and
// quotes, and joins what a pause tore apart: "我最喜欢的，是…", "我是那种，…的人".
func zhClauses(s string) (out []string) {
	depth, start := 0, 0
	cut := func(end, next int) {
		t := strings.TrimSpace(s[start:end])
		start = next
		if t == "" {
			return
		}
		if n := len(out); n > 0 && zhTorn.MatchString(out[n-1]) && (!zhNotTorn.MatchString(t) || strings.HasPrefix(t, "就是") || zhTornOn.MatchString(t)) && (zhTornOn.MatchString(t) || zhTornOff.MatchString(out[n-1])) {
			out[n-1] += t
			return
		}
		out = append(out, t)
	}
	for i, r := range s {
		switch r {
		case '《', '“', '「', '『':
			depth++
		case '》', '”', '」', '』':
			depth = max(0, depth-1)
		case '，', ',', '；', ';', '。', '！', '!', '？', '?', '～', '~', '：', ':', '…', '—', '·':
			if depth == 0 && i >= start && (r != '·' || strings.HasPrefix(s[i:], "··")) && !(r == ',' && i+1 < len(s) && s[i+1] >= '0' && s[i+1] <= '9') {
				cut(i, i+utf8.RuneLen(r))
			}
		}
	}
	cut(len(s), len(s))
	return out
}

var (
	zhTornOn  = pattern.New(`^就(?:会|停|很|特别|睡|想|忘|紧|慌|脸)|^(?:就|还|当然|大概|应该|果然|可能|始终|永远)?是|^要数|^莫过于|^非`)
	zhTornOff = pattern.New(`(?:那种|一种|就是|的是|大概是|属于|主要是|毛病|缺点)$|^我(?:这个人|这人|这种人|这样的人)[啊吧呢嘛呀]*$|^我?[\p{Han}]{0,3}(?:喜欢|讨厌|受不了)$`)
	zhNotTorn = pattern.New(`^(?:太|很|真|特别|但|可|所以|因为|不过|就|也|又|还|我|它|他|她|你)`)
)

var zhTorn = pattern.New(`^我(?:这个人|这人|这种人|这样的人)[啊吧呢嘛呀]*$|有个?(?:坏|老|大)?(?:毛病|缺点)$|^一旦?[^，]{2,8}$|(?:喜欢|讨厌|受不了|最爱|最怕)的?$|(?:喜欢|讨厌|爱|怕)的.{1,6}$|(?:那种|一种|就是|的是|大概是|属于|主要是)$|的(?:人|东西|作家|书|事)$|^(?:最|我最).{2,4}的`)

var zhOthersWork = pattern.New(`^(?:你|他|她|大家|别人|人家).{0,6}(?:书|歌|作品|电影|小说|文章|画|那种|那本|那部)`)

// zhParse takes a clause apart.
func zhParse(text string, names []string) zhClause {
	s := strings.TrimSpace(text)
	for {
		w, rest := zhOpeners.cut(s)
		if strings.HasPrefix(s, "可我") || strings.HasPrefix(s, "那我") || strings.HasPrefix(s, "可对") {
			w, rest = s[:len("可")], s[len("可"):]
		}
		rest = strings.TrimLeft(rest, " ，,")
		if w == "" || rest == "" {
			break
		}
		s = rest
	}
	if m := zhJointly.FindStringSubmatchIndex(s); m != nil { // 我老婆和我每个周五都…
		s = s[m[2]:]
	}
	for _, n := range names { // a memory may call the speaker by name
		if n != "" && len(s) > len(n) && strings.EqualFold(s[:len(n)], n) {
			s = "我" + s[len(n):]
		}
	}
	c := zhClause{text: s, past: zhPast.MatchString(zhSince.ReplaceAllString(s, "")) && !strings.Contains(s, "从小"), moment: zhMoment.MatchString(s)}
	rest := s
	head, after, found := zhSpeaker(s)
	switch {
	case found:
		c.who, c.stated, rest = self, true, after
		zadv, _, left := zhStrip(head)
		if t := strings.TrimSpace(head); isAuthor(t) || isAuthor(strings.SplitN(t, "的", 2)[0]) {
			left = t // 太宰治 starts with no adverb
		}
		if left = strings.TrimSpace(strings.TrimRight(left, zhParticlesNoDe)); left != "" && zhOthers.MatchString(left) && !zhTitle.MatchString(left) {
			c.who = other
			if zhOthersWork.MatchString(left) {
				c.who = self
			}
		} else if !zhNoTopic.MatchString(left) {
			c.topic = zhTopicOf(left)
		}
		c.adv |= zadv
	case zhOthers.MatchString(s) || zhLatinThird.MatchString(s):
		c.who = other
	}
	adv, _, core := zhStrip(rest)
	for {
		w, r := zhSayings.cut(core)
		if w == "" || r == "" || adv&zhNot != 0 {
			break
		}
		if _, a, ok := zhSpeaker(r); ok && strings.HasPrefix(r, "我") {
			r = a
		}
		var more zhSense
		more, _, core = zhStrip(r)
		adv |= more
	}
	c.adv |= adv
	if t, ok := strings.CutPrefix(core, "是"); ok { // 我是喜欢冬天的, 香菜我是不碰的
		more, _, r := zhStrip(t)
		if zhLikeVerbs.starts(r) || zhHateVerbs.starts(r) || more&zhNot != 0 && zhAvoids.MatchString(r) {
			c.adv |= more
			core = r
		}
	}
	c.core = strings.TrimSpace(core)
	return c
}

var (
	zhJointly       = pattern.New(`^[^，]{1,6}(?:和|跟|与)(我)(?:都|每|也|常|经常|俩|就|最|很|一直)`)
	zhSince         = pattern.New(`(?:自?从|打)[^，]{1,6}?(?:开始|起|就|到现在)`)
	zhLatinThird    = pattern.New(`^[A-Z][a-z]+ ?[\p{Han}]`)
	zhSayings       = zhWords(`觉得 感觉 发现 认为 承认 知道 想 敢说 得说 要说 必须说 可以说 相信 得承认`)
	zhNoTopic       = pattern.New(`^(?:|这|那|它|反正|其实|不过|所以|因为|而且|虽然|一直|那种|这种|这个|那个|有时候?|真的|好像|就|对|这样|那样|今天|昨天|明天|刚才|最后|后来|结果|为|除了|跟|和|作为.*|自从.*|随着.*|当.*时|在.*|每.*|到.*|从.*)$`)
	zhParticlesNoDe = strings.ReplaceAll(zhParticles, "的", "")
)

// zhTopicOf trims what links a topic to the rest: "咖啡的话", "恐怖片这种东西".
func zhTopicOf(s string) string {
	return trimAny(s, []string{"像", "至于", "要说", "说到", "只要是", "凡是", "只要"}, []string{"的话", "这东西", "这玩意儿", "这种东西", "这种", "这类", "那种", "那套", "那一套", "这件事", "这事", "呢", "嘛", "啊", "吧", "真的", "也", "都", "就"})
}

// zhSpeaker finds the word for the speaker that is the subject of s.
func zhSpeaker(s string) (head, rest string, ok bool) {
	depth := 0
	for i, r := range s {
		switch r {
		case '《', '“':
			depth++
		case '》', '”':
			depth--
		}
		n, _ := zhSelves.prefix(s[i:])
		if n == 0 || depth > 0 {
			continue
		}
		if m, _ := zhAfter我.prefix(s[i+n:]); m > 0 || zhBefore我.suffix(s[:i]) > 0 && !strings.HasSuffix(s[:i], "小说") {
			continue
		}
		return s[:i], s[i+n:], true
	}
	return "", s, false
}

// zhStrip takes adverbs and times off the front of s.
func zhStrip(s string) (adv zhSense, times, rest string) {
	for {
		s = strings.TrimLeft(s, " ，,")
		if loc := zhSince.FindStringIndex(s); loc != nil && loc[0] == 0 {
			adv |= zhLong
			s = s[loc[1]:]
			continue
		}
		if strings.HasPrefix(s, "只认") || strings.HasPrefix(s, "只爱") {
			return adv, times, s
		}
		if t := zhTimes.FindString(s); t != "" {
			adv |= zhAt
			if strings.HasPrefix(t, "每") || strings.HasPrefix(t, "一有") || strings.HasPrefix(t, "一到") || strings.HasPrefix(t, "没事") || strings.HasPrefix(t, "有空") || strings.HasPrefix(t, "闲") {
				adv |= zhOften
			}
			times += t
			s = s[len(t):]
			continue
		}
		n, z := zhAdverbs.prefix(s)
		if n == 0 {
			return adv, times, s
		}
		if z == zhMost && zhTraitNouns.suffix(s) == len(s) || strings.HasPrefix(s, "老师") || strings.HasPrefix(s, "全是") || strings.HasPrefix(s, "不是") && z == zhNot && !strings.HasPrefix(s, "不是很") {
			return adv, times, s
		}
		adv |= z
		s = s[n:]
	}
}

// bare is the core without particles and without how long or how much it is so.
func (c *zhClause) bare() string {
	return zhSpan.ReplaceAllString(strings.TrimRight(c.core, zhParticles+" "), "")
}
