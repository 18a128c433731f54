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

// zhSpan is how long something has been so; zhUtterly how much, after the verb.
var (
	zhSpan    = pattern.New(`(?:了|快|有|差不多|整整)*(?:[一二三四五六七八九十两几半好多百\d]+多?(?:年|个月|天|周|个星期|阵子|辈子|个年头)多?|很多年|很久|好久)$`)
	zhUtterly = pattern.New(`(?:喜欢|爱|迷|讨厌|怕|烦|恨|馋)?(?:得|到)(?:不行|要命|要死|不得了|很|发狂|停不下来|不能自拔|无法自拔)$|^极了`)
)

// zhLikings makes the triples of a phrase of likes or dislikes.
func zhLikings(obj string, neg bool, rank int, conf float64) (out []Triple) {
	obj = zhUtterly.ReplaceAllString(zhSpan.ReplaceAllString(strings.TrimRight(obj, zhParticles+" "), ""), "")
	for _, t := range zhObjects(obj) {
		out = append(out, liking(t.kind, t.parts, neg, rank, conf))
	}
	if len(out) > 1 && rank > 0 { // a list has no favourite
		for i := range out {
			out[i].Rank = 0
		}
	}
	return out
}

// --- frames ---------------------------------------------------------------------

var (
	zhMineIs = pattern.New(`^(?:我|我们)(?:这辈子|一生|生活中|平时|现在|目前|唯一|最大|平生|人生)*的(最大的?|唯一的?|新)?(?:最爱|真爱|心头好|爱好|本命|偶像|白月光|乐趣|解压方式|放松方式|习惯|兴趣|男神|女神|嗜好|执念|癖好)(?:就|一直|永远|还|依然|现在|从来都|从来|变成了?|只)*是(.+)$`)
	zhIsFav  = pattern.New(`^(.{1,24}?)(?:才|就|一直|永远|还|也|都|绝对|可|仍|算|大概|应该)*(?:是|算是)$`)
	zhOfKind = pattern.New(`^的?(.{0,14}?)(?:之一)?(?:也是|还是|就是|是|：|:|依然是|仍然是|仍是|永远是|一直是|始终是|变成了?|换成了?|要数|莫过于|非|叫|只有|有)(.+?)(?:莫属)?$`)
)

// zhFavourite: "我最喜欢的作家是X", "X是我最喜欢的书", "我的爱好是X", "其次是X".
func zhFavourite(c *zhClause) []Triple {
	if c.past {
		return nil
	}
	if m := zhMineIs.FindStringSubmatch(c.text); m != nil {
		rank := 0
		if strings.Contains(c.text, "最") || strings.Contains(c.text, "真爱") || strings.Contains(c.text, "本命") {
			rank = 1
		}
		kind := kindTopic
		if strings.Contains(c.text, "偶像") && isAuthor(zhClean(m[2])) {
			kind = kindAuthor
		}
		return zhFavourites("", m[2], rank, kind, direct)
	}
	if rest, ok := strings.CutPrefix(c.text, "其次"); ok {
		if _, _, o := zhStrip(rest); o != "" {
			return zhLikings(strings.TrimPrefix(strings.TrimPrefix(o, "是"), "喜欢"), false, 2, clear)
		}
	}
	verb, after := zhLikeVerbs.cut(strings.TrimPrefix(c.core, "是"))
	neg := c.adv&zhNot != 0
	if verb == "" {
		if verb, after = zhHateVerbs.cut(c.core); verb == "" {
			return nil
		}
		neg = true
	}
	after = strings.TrimLeft(after, "看读听吃喝玩做写")
	after = pattern.New(`^的不是.{1,12}?，?(?:而)?是`).ReplaceAllString(pattern.New(`，\s?`).ReplaceAllString(after, ""), "的是")
	if m := zhOfKind.FindStringSubmatch(after); m != nil && (strings.HasPrefix(after, "的") || zhKind(m[1]) != kindTopic) {
		if strings.Contains(c.core, "之一") {
			return zhFavourites(m[1], m[2], 0, zhKind(m[1]), c.sure(plainly), neg)
		}
		return zhFavourites(m[1], m[2], c.rank(), zhKind(m[1]), c.sure(direct), neg)
	}
	if m := zhIsFav.FindStringSubmatch(c.front()); m != nil && strings.HasPrefix(after, "的") {
		what := strings.TrimRight(strings.TrimPrefix(after, "的"), zhParticles)
		rank := c.rank()
		if t, ok := strings.CutSuffix(what, "之一"); ok {
			what, rank = t, 0
		}
		return zhFavourites(what, m[1], rank, zhKind(what), direct-0.01, neg)
	}
	return nil
}

// front is the text before the speaker.
func (c *zhClause) front() string {
	head, _, _ := zhSpeaker(c.text)
	return strings.TrimSpace(head)
}

func zhFavourites(what, obj string, rank int, forced kind, conf float64, neg ...bool) (out []Triple) {
	denied := len(neg) > 0 && neg[0]
	if denied {
		rank = 0
	}
	// "最喜欢夏目漱石的作品是《我是猫》" names the author too.
	if name, _, ok := strings.Cut(what, "的"); ok && forced == kindWork && (isAuthor(name) || looksLikeName(name)) {
		out = append(out, liking(kindAuthor, []string{name}, denied, 0, clear))
	}
	ts := zhObjects(strings.TrimPrefix(strings.TrimPrefix(obj, "我觉得"), "那个"))
	if len(ts) > 1 {
		rank = 0
	}
	for _, t := range ts {
		switch {
		case forced == kindAuthor, forced == kindStyle, forced == kindWork && t.kind != kindChapter:
			t.kind = forced
		case forced == kindChapter && t.kind != kindChapter:
			t.kind, t.parts = kindChapter, []string{"", t.parts[0]}
		case t.kind == kindDeed:
			t.kind = kindTopic
		}
		out = append(out, liking(t.kind, t.parts, denied, rank, conf))
	}
	return out
}

// zhKind reads what sort of thing a favourite is.
func zhKind(what string) kind {
	what = strings.TrimSpace(what)
	for _, c := range []struct {
		k     kind
		words zhLexicon
	}{
		{kindAuthor, zhWords(`作家 作者 诗人 小说家 写手 文豪 大师 导演 编剧 漫画家 歌手 作曲家 散文家 剧作家`)},
		{kindChapter, zhWords(`一章 篇章 章节 一回 一节 那章 章`)},
		{kindStyle, zhWords(`写法 叙事 叙述 叙事方式 叙述方式 视角 人称 文风 手法 笔法`)},
		{kindWork, zhWords(`作品 书 小说 电影 动画 漫画 歌 歌曲 游戏 电视剧 剧 诗 片子 专辑 绘本 一本 一部 那本 那部 一首 动漫 番 短篇 长篇 纪录片 话剧 戏`)},
	} {
		if c.words.suffix(what) > 0 {
			return c.k
		}
	}
	return kindTopic
}

var (
	zhNoLike = pattern.New(`^(?:归|的话|的人|过|与否|不喜欢|信不信|你|我|他|她|一个人了?$|谁|好者?$|好是|情|人$|心|惜|面子|哭|较真|操心|理不理|咋|得|着|上了?你|这里|这种感觉)`)
	// "我写东西离不开咖啡": what the need is for stands before it.
	zhNeedsIt = pattern.New(`^([写读看吃睡出工学开做画][\p{Han}]{0,4}?)(离不开|离不了|少不了|受不了|忍不了|见不得|听不得)(.{1,10})$`)
	zhCannot  = pattern.New(`^(?:[吃喝闻听看坐待穿用住受忍]不(?:惯|来|了|得|下去))([^，了吗你他她我这那多完]{1,8})$`)
	zhUsedTo  = pattern.New(`^(?:吃|喝|用|看|听|住|穿|写)惯了?(.{1,8})$`)
	zhStill   = pattern.New(`^(?:我觉得|要我说|果然|说来说去|对我来说)?还是(?:得)?([^，我你他她这那先别等太不]{1,8}?)(?:最)?(?:好|香|舒服|踏实|对味|有意思|过瘾|地道|靠谱|好吃|好喝|好听|好看|好用|自在)$`)
	zhReason  = pattern.New(`因为我?(?:以前|小时候|从前)(?:就|也|一直|很|特别|非常|超|最|挺)*(?:喜欢|爱|迷)([^过].{0,8})$`)
	zhNoFear  = pattern.New(`^(?:你|我|他|她|它|是|来不及|赶不上|迟到|等|自己|万一|会|的就是|打扰|麻烦|耽误|错过|说错|忘|输|没|不|的是|生$|冷$|热$|疼$|吵$|高$|黑$)|太|了$|不上|不到`)
)

var zhThatSort = pattern.New(`这一?套|那一?套|这一?口`)

// zhFond: 我…喜欢/讨厌…X, and with the topic in front: 咖啡我不喜欢.
func zhFond(c *zhClause) []Triple {
	if c.past {
		// What is given as the reason for today is not over: "因为我以前很喜欢飞机".
		if m := zhReason.FindStringSubmatch(c.text); m != nil {
			return zhLikings(m[1], false, 0, interpreted)
		}
		return nil
	}
	core := c.core
	if m := zhUsedTo.FindStringSubmatch(c.bare()); m != nil && c.adv&zhNot == 0 {
		return zhLikings(m[1], false, 0, c.sure(weak))
	}
	if m := zhStill.FindStringSubmatch(strings.TrimRight(c.text, zhParticles)); m != nil && !c.moment {
		return zhLikings(m[1], false, 0, c.sure(weak))
	}
	if strings.HasPrefix(c.core, "不是") || strings.HasPrefix(c.core, "并不是") || strings.HasPrefix(c.core, "又不是") {
		return nil
	}
	neg, hate := c.adv&zhNot != 0, false
	verb, obj := zhHateVerbs.cut(core)
	if m := zhNeedsIt.FindStringSubmatch(core); m != nil && verb == "" && !zhLikeVerbs.starts(core) && !strings.ContainsAny(m[1], "你他她了") {
		return zhLikings(m[3], strings.HasSuffix(m[2], "不了") && !strings.HasPrefix(m[2], "少") && !strings.HasPrefix(m[2], "离") || strings.HasPrefix(m[2], "见") || strings.HasPrefix(m[2], "听"), 0, c.sure(clear))
	}
	if m := zhCannot.FindStringSubmatch(core); m != nil && verb == "" && c.who != other && !c.moment { // 闻不了烟味, 用不惯触屏
		return zhLikings(m[1], true, 0, c.sure(clear))
	}
	if verb != "" {
		hate = true
	} else if verb, obj = zhLikeVerbs.cut(core); verb == "" {
		return nil
	}
	if neg && (hate || c.adv&zhLack != 0 && c.adv&(zhSoftly|zhNever) == 0) {
		return nil // "不讨厌", "没有特别喜欢" say neither
	}
	obj = strings.TrimSpace(obj)
	marked := c.adv&(zhVery|zhMost|zhLong|zhOften|zhNot|zhSecond) != 0
	switch verb {
	case "爱", "好", "吃", "迷", "服", "粉":
		if verb == "爱" && (strings.HasPrefix(obj, "好") || strings.HasPrefix(obj, "人") || strings.HasPrefix(obj, "情") || strings.HasPrefix(obj, "心") || strings.HasPrefix(obj, "惜")) {
			return nil
		}
		n, _ := zhDeeds.prefix(obj)
		switch {
		case verb == "吃": // 吃这一套
			if !zhThatSort.MatchString(obj) {
				return nil
			}
			if t := zhThatSort.ReplaceAllString(obj, ""); zhClean(t) != "" {
				obj = t
			} else {
				obj = c.topic
			}
		case verb == "好":
			if !strings.Contains(obj, "这口") && !strings.Contains(obj, "这一口") && !strings.HasPrefix(obj, "这") {
				return nil
			}
			obj = c.topic
		case verb != "爱" && !c.stated:
			return nil
		case verb == "爱" && n == 0 && !marked && (!c.stated || strings.ContainsAny(obj, "你他她")):
			return nil
		}
	case "怕", "害怕", "恐惧":
		if zhNoFear.MatchString(obj) && obj != "黑" && obj != "高" || runes(obj) > 7 || !c.stated && !marked {
			return nil
		}
		if zhTraitAdjs.of[verb+strings.TrimRight(obj, zhParticles)] == 0 && zhTraitAdjs.suffix(verb+strings.TrimRight(obj, zhParticles)) == len(verb+strings.TrimRight(obj, zhParticles)) && strings.TrimRight(obj, zhParticles) != "黑" {
			return nil // 怕生 is a trait
		}
	case "烦", "恨", "忌", "服了", "排斥", "馋", "享受", "追捧", "首选", "惦记", "舍不得", "忘不了", "珍惜", "乐意", "乐于":
		if !c.stated && !marked {
			return nil
		}
	case "烦死了", "戒了":
		if obj == "" && c.topic == "" {
			return nil
		}
	}
	conf := c.sure(plainly + 0.02)
	rank := c.rank()
	switch {
	case strings.Contains(c.text, "之一"):
		rank, conf = 0, clear+0.04
	case rank > 0:
		conf = c.sure(direct)
	case c.adv&zhSoftly != 0:
		conf = c.sure(clear)
	}
	if hate {
		rank = 0
	}
	if t, ok := strings.CutPrefix(obj, "的是"); ok {
		obj = t
	} else if t, ok := strings.CutPrefix(obj, "的就是"); ok {
		obj = t
	} else if strings.HasPrefix(obj, "的") && strings.Trim(obj, zhParticles) != "" {
		return nil // "我喜欢的歌手来了"
	}
	if zhNoLike.MatchString(obj) {
		return nil
	}
	if bare := zhUtterly.ReplaceAllString(zhSpan.ReplaceAllString(strings.Trim(obj, zhParticles+" "), ""), ""); bare == "" || zhDeeds.suffix(bare) == len(bare) && runes(bare) == 1 && c.topic != "" {
		if c.topic == "" {
			return nil
		}
		if !zhOwnTopic(c.topic) {
			return nil
		}
		obj = c.topic
		conf -= 0.04
	} else if verb == "爱" {
		if w, r := zhConsume.cut(obj); w != "" && r != "" {
			obj = r
		}
	} else if c.who == dropped && !c.stated && c.topic != "" && !zhTitle.MatchString(c.topic) && c.adv&zhMost == 0 {
		conf -= 0.02
	}
	return zhLikings(obj, neg || hate, rank, conf)
}

var zhNoOwnTopic = pattern.New(`^(?:这|那)?(?:里|儿|边|个|些|么)|^(?:时候|事|话)$`)

// zhOwnTopic reports whether a topic may name something that is liked.
func zhOwnTopic(s string) bool {
	return !zhNoTopic.MatchString(s) && !zhNoOwnTopic.MatchString(s)
}

var (
	zhTriedVerb = pattern.New(`^(?:尝试过?了?|试着|试过了?|试了试|试了一?[下次篇]?|试|试用过|写过|写了|练过|练习过?|碰过?|用过|用|挑战过?了?|学着|模仿过?|改用了?|换成了?|改成了?|玩过|敢碰|敢写|敢试)`)
	zhUseWrite  = pattern.New(`(?:用|以|换成|改成|改用|换用)了?(.{2,12}?)(?:来|去)?(?:写|讲|重写|叙述|开头)`)
	zhWriteTail = pattern.New(`(?:来写|去写|写作|写一?[遍次篇段].*|写了.*|写|的东西|的短篇|的小说|的稿子|的故事|那一套|那套|这一套|这种写法|的写法|的形式|的方式|的方法|练笔|试试|的)$`)
)

var (
	zhOnceUpon  = pattern.New(`^(?:在.{1,6}?(?:里|中|上)|去年|前年|上个?月|前几天|前阵子|之前|有一次|曾经|以前|第一次|硬着头皮|大胆|偷偷)+`)
	zhTriedDone = pattern.New(`过|了|试|写下`)
)

// zhTried: 试过书信体, 意识流我不敢碰, 用第二人称写过一篇.
func zhTried(c *zhClause) []Triple {
	if strings.Contains(c.text, "读过") || strings.Contains(c.text, "看过") {
		return nil
	}
	core := c.core
	if m := zhOnceUpon.FindString(core); m != "" {
		core = core[len(m):]
	}
	v := zhTriedVerb.FindString(core)
	if v == "" {
		return nil
	}
	neg := c.adv&zhNot != 0
	obj := core[len(v):]
	if m := zhUseWrite.FindStringSubmatch(core); m != nil {
		obj = m[1]
		if !zhTriedDone.MatchString(c.text) {
			return nil
		}
	} else {
		switch v {
		case "用", "碰", "试", "写了", "敢碰", "敢写", "敢试", "改成", "改成了", "换成", "换成了":
			if !zhStyle.MatchString(obj) && !zhStyle.MatchString(c.topic) || (v == "用" || v == "试") && !neg {
				return nil
			}
		}
	}
	if strings.Trim(obj, zhParticles+" ") == "" || !zhStyle.MatchString(obj) {
		obj = strings.TrimPrefix(c.topic, "用")
	}
	obj = pattern.New(`^(?:[一两三几]|好几)?(?:篇|部|个|本|段|次)?(?:全是|都是|完全是|纯|用)?`).ReplaceAllString(obj, "")
	for {
		t := zhClean(zhWriteTail.ReplaceAllString(obj, ""))
		if t == obj {
			break
		}
		obj = t
	}
	if !zhStyle.MatchString(obj) || runes(obj) > 14 {
		return nil
	}
	conf := plainly
	if strings.HasPrefix(v, "敢") || strings.Contains(c.text, "敢") {
		neg, conf = true, interpreted
	}
	return []Triple{{Predicate: polar("TRIED_STYLE", neg), Object: Term{"Topic", []string{obj}}, Confidence: conf}}
}

var (
	zhAvoids  = pattern.New(`^(?:再|敢|会|肯|愿意|太|怎么)*(吃|喝|抽|碰|沾|看|听|玩|读|打|用|写|逛|熬夜|去|买|参加|坐|养|追|刷|在)(.*)$`)
	zhIfCan   = pattern.New(`^能不(.{1,8}?)就不(.{1,8})$`)
	zhIdioms  = pattern.New(`(?:(滴)(酒)不沾|(烟酒)不沾|(无)(.{1,2})不欢|(嗜)(.{1,2})如命|(爱)(.{1,2})如命)`)
	zhNoDeed  = pattern.New(`^(?:会|想|知道|觉得|后悔|认为|敢|怀疑|担心|相信|喜欢|是|在乎|介意|算|能|该|像|属于|觉|懂|明白|缺|迟到|说谎|撒谎|生气)|[你他她]`)
	zhQuitBa  = pattern.New(`^把(.{1,6}?)(?:给)?(?:彻底|完全)?戒(?:了|掉|断)`)
	zhEvading = pattern.New(`^(?:从来|一直|总|都|会|尽量)*(?:躲着|绕开|避开|远离|告别了?|放弃了?|戒掉了?|戒了|戒断了?)(.{1,10})$`)
)

// zhQuit: 不再/从不/早就不 + a deed, 戒了X, 能不X就不X, 无辣不欢.
func zhQuit(c *zhClause) []Triple {
	if m := zhIfCan.FindStringSubmatch(strings.TrimRight(c.text[strings.Index(c.text, "能不")+max(0, -strings.Index(c.text, "能不")):], zhParticles)); strings.Contains(c.text, "能不") && m != nil {
		return zhLikings(m[1], true, 0, clear)
	}
	if m := zhIdioms.FindStringSubmatch(c.text); m != nil {
		obj := m[2] + m[3] + m[5] + m[7] + m[9]
		return zhLikings(strings.Replace(obj, "烟酒", "烟、酒", 1), m[1]+m[3] != "", 0, clear)
	}
	if c.past || c.moment {
		return nil
	}
	if m := zhQuitBa.FindStringSubmatch(c.core); m != nil && c.adv&zhNot == 0 {
		return zhLikings(m[1], true, 0, clear)
	}
	if m := zhEvading.FindStringSubmatch(c.bare()); m != nil && c.adv&zhNot == 0 && !strings.ContainsAny(m[1], "你他她我") {
		return zhLikings(strings.TrimSuffix(m[1], "走"), true, 0, clear)
	}
	if c.adv&zhNot == 0 {
		return nil
	}
	m := zhAvoids.FindStringSubmatch(c.bare())
	if m == nil || c.adv&zhLack != 0 && c.adv&zhNever == 0 {
		// 不再 takes any deed.
		if b := c.bare(); c.adv&zhNever != 0 && c.adv&zhLack == 0 && runes(b) >= 2 && runes(b) <= 10 && !zhNoDeed.MatchString(b) {
			return zhLikings(b, true, 0, clear-0.04)
		}
		return nil
	}
	verb, obj := m[1], strings.TrimSpace(m[2])
	eats := strings.Contains("吃喝抽碰沾", verb)
	stopped := strings.HasSuffix(strings.TrimRight(c.core, "啊呀哈啦"), "了") && c.adv&zhLack == 0 && (c.stated || c.topic != "")
	if !c.never() && !stopped && !(eats && c.stated && !strings.ContainsAny(obj, "下饱完到起出动得")) {
		return nil
	}
	if strings.ContainsAny(obj, "你他她") || strings.HasPrefix(obj, "完") || strings.HasPrefix(obj, "到") || strings.HasPrefix(obj, "下") {
		return nil
	}
	if obj == "" {
		switch {
		case runes(verb) > 1:
			obj = verb
		case c.topic == "" || !zhOwnTopic(c.topic):
			return nil
		default:
			obj = c.topic
		}
	} else if !eats && !strings.Contains("看听玩读", verb) {
		obj = verb + obj
	}
	return zhLikings(obj, true, 0, clear)
}

// zhFeelsToward: 对X感兴趣 and its like.
func zhFeelsToward(c *zhClause) []Triple {
	obj, ok := strings.CutPrefix(c.core, "对")
	if !ok {
		if t, ok2 := strings.CutPrefix(c.text, "对"); ok2 {
			obj, ok = t, true
		}
	}
	if !ok || c.past {
		return nil
	}
	obj = strings.TrimPrefix(obj, "于")
	for _, p := range []struct {
		re   *pattern.Pattern
		neg  bool
		conf float64
	}{{zhTowardBad, true, clear}, {zhTowardGood, false, clear + 0.04}} {
		loc := p.re.FindStringIndex(obj)
		if loc == nil || loc[0] == 0 {
			continue
		}
		m := obj[loc[0]:loc[1]]
		neg := p.neg
		if m == "过敏" || strings.HasPrefix(m, "好奇") && c.adv&zhNot != 0 {
			return nil
		}
		if !neg && c.adv&zhNot != 0 {
			neg = true
		}
		conf := p.conf
		if strings.Contains(m, "感觉") || m == "无感" {
			conf = weak
		}
		what := zhTrimAdverbs(obj[:loc[0]])
		if strings.HasSuffix(what, "不") {
			what, neg = strings.TrimSuffix(what, "不"), true
		}
		return zhLikings(what, neg, 0, c.sure(conf))
	}
	return nil
}

// zhTrimAdverbs takes adverbs off the end of a phrase.
func zhTrimAdverbs(s string) string {
	for {
		s = strings.TrimRight(s, " ，,")
		if t, ok := strings.CutSuffix(s, "是"); ok {
			s = t
			continue
		}
		n := zhAdverbs.suffix(s)
		if n == 0 || n == len(s) {
			return s
		}
		s = s[:len(s)-n]
	}
}

var zhFanOf = pattern.New(`^(?:就|也|还|可|算|绝对)*是(?:个|一个|一名|位|名)?(?:资深|忠实|铁杆|骨灰级|老|超级|狂热|十足的?|不折不扣的|重度|死忠)*的?(.{1,12}?)(?:的?(?:死忠|忠实|铁杆|资深|老|骨灰级|头号|十年老)*(?:粉丝|书迷|影迷|歌迷|剧迷|迷弟|迷妹|拥趸|粉|忠实读者|读者|脑残粉)|迷|爱好者|发烧友|控|重度患者|重度用户|重度依赖者?)$`)

// zhFan: 我是X的粉丝, 我是X迷.
func zhFan(c *zhClause) []Triple {
	if c.past || c.adv&zhNot != 0 {
		return nil
	}
	if m := zhFanOf.FindStringSubmatch(c.bare()); m != nil && !strings.Contains(m[1], "细节") && !strings.Contains(m[1], "计划") {
		return zhLikings(m[1], false, 0, clear+0.04)
	}
	return nil
}

var (
	// A part of one's work, and what is said to be wrong with it.
	zhFlawOf   = pattern.New(`(` + zhAspects + `)(?:部分|那段|那里|这一块|那一块|读起来|看起来|看着|念起来|上|里|方面|写得|画得|用得|写的|得|，)*(.{0,6}?)(` + zhFaulty + `)$`)
	zhWrites   = pattern.New(`^(?:写|画|译|拍|编|翻译|下笔|行文|写作|用词|遣词造句)(?:出来)?(?:的)?(?:东西|小说|文章|稿子?|对话|诗|人物|景|作文|字)?(?:的时候|时|起来|总|都)?(?:得|的)?(?:读着|看着|念着|，)?(` + zhFaulty + `|(?:爱|喜欢|容易)(?:把.{1,6}|堆.{1,6}|用.{1,6}|说教|煽情|跑题|绕弯子|解释)|刹不住车?)$`)
	zhOnceBad  = pattern.New(`((?:一写到?|写着写着|一?写到)(?:.{0,8}?)(?:，)?就(?:会|容易|开始|想)?.{1,7})$`)
	zhHabitBad = pattern.New(`(写东西|写作|写稿子?|写小说|写文章|画画|做事|说话|写诗)?(?:时|的时候)?(?:一直|总|老|都|就|最大的|我的)*有个?(?:坏|老|大|很?大的)?(?:毛病|习惯|缺点|问题)[，,：:]?\s?(?:就是|是|，)?([^，,。！？]{2,14})$`)
	zhMyFlaw   = pattern.New(`^我(?:写作|写东西|写小说|画画|做事)?(?:时|的时候)?(?:最大)?的?(?:老|坏|最大的)?(?:毛病|缺点|问题|短板|弱点)(?:就|一直|还|大概)*(?:是|在于)(.{2,14})$`)
	zhWeakness = pattern.New(`^我?(.{2,8}?)(?:一直|还是|确实|就|永远|都|始终|向来)*是(?:我(?:写作|的写作|写东西)?的?)?(?:最大的)?(?:弱项|短板|软肋|老毛病|死穴|硬伤|弱点)$`)
	zhCantDo   = pattern.New(`^((?:总|老|总是|老是)?(?:写|画|收|圆|编|讲|理|压|接|译|驾驭|处理|把握|掌握|拿捏)不(?:住|好|来|了|出|圆|清|顺|准|到位)(?:.{1,8})|(?:不会|不擅长|不太会|不太擅长|最不会|怕|不懂|不懂得?怎么)(?:写|收尾|画|起名|铺垫|留白).{0,8})$`)
	zhFeels    = pattern.New(`^(?:唔|嗯)?(?:怎么)?(?:总|还是|自己|也|就|老)*(?:觉得|感觉)(?:还是|有点|有些|太|很|还|差点|总|都|好像|，)+(` + zhFlaws + `)$`)
	zhAllBad   = pattern.New(`(?:全都?|都|还是|就是|简直|像)?(?:是)?(半吊子|流水账|四不像)$`)
	zhGoodWork = pattern.New(`(?:太|还|很|挺|最|像|没有?|不)?(?:好了|好看|满意|喜欢|有意思|精彩|厉害|顺利|好玩|棒|开心|高兴|难写|难了|累|问题|忙|晚|早|感兴趣|意见|办法|时间|想好|写完|动笔|错|来得及|容易|关系)$|今天|太难|太贵|太久|天太|没想到|没人|没有人`)
)

var zhFaulty = `(?:(?:还是|总是|总|老是|老|实在|确实|都|也|有点儿?|有些|真的|又|就|全|一直|最后|依旧|依然|始终|好像|简直|显得|我自己都觉得|我觉得|我自己觉得|自己都觉得|觉得|让人觉得|特别|非常|很|挺|比较|多少|未免|略|稍|是|，))*(?:` + zhFlaws + `|一点儿?.{0,4}[都也][不没].{1,4}|(?:老是|总是|老)(?:重复|雷同|一个样|断|跑偏|不对|接不上|撞车|用错|写不完).{0,4}|漏洞.{0,4}|站不住|(?:干巴巴|怪怪|啰里啰嗦|平平|硬邦邦|轻飘飘|松松垮垮|乱糟糟|文绉绉|慢吞吞|酸溜溜|软绵绵|冷冰冰|空荡荡|直来直去|不知所云|云里雾里|磕磕绊绊|稀碎|稀烂|硬|拖拉|怪|飘|水|浮|滥|稚嫩|不对|不通|不顺)(?:的|得很)?)(?:得很)?`

var (
	zhWritingPart = pattern.New(`收尾|解释|结尾|描写`)
	zhOnlyPace    = pattern.New(`^[太很](?:慢|快|少|多)$`)
)

// zhFlaw: what the speaker finds wrong with its own work.
func zhFlaw(c *zhClause) []Triple {
	if zhForeign.MatchString(c.text) || c.moment && !strings.Contains(c.text, "这次") {
		return nil
	}
	flaw := func(name string, neg bool, conf float64) []Triple {
		if name = zhClean(name); runes(name) < 2 || runes(name) > 16 || zhGoodWork.MatchString(name) {
			return nil
		}
		return []Triple{{Predicate: polar("SELF_CRITIQUE", neg), Object: Term{"Tag", []string{name}}, Confidence: conf}}
	}
	text := strings.TrimRight(c.text, zhParticles+" ")
	creative := regexpWrites.MatchString(text)
	if m := zhHabitBad.FindStringSubmatch(text); m != nil && c.stated && !c.past {
		if m[1] == "" || m[1] == "做事" || m[1] == "说话" {
			return zhTraitOf(m[2], false, clear)
		}
		return flaw(m[2], false, clear)
	}
	if m := zhMyFlaw.FindStringSubmatch(text); m != nil {
		if !c.writes && !zhWritingPart.MatchString(m[1]) {
			return zhTraitOf(m[1], false, clear)
		}
		return flaw(m[1], false, clear)
	}
	if m := zhWeakness.FindStringSubmatch(text); m != nil && (c.stated || strings.Contains(text, "我")) {
		return flaw(m[1], false, weak)
	}
	own := zhMine.MatchString(text)
	neg := c.adv&zhNot != 0 && (strings.HasPrefix(c.core, "觉得") || strings.HasPrefix(c.core, "认为"))
	if strings.Contains(text, "不觉得") {
		neg = true
	}
	if own || c.writes {
		conf := weak
		if own {
			conf = clear
		}
		if m := zhFlawOf.FindStringSubmatch(text); m != nil && (own || !strings.Contains(m[3], "没")) {
			return flaw(m[1]+zhTrimAdverbs(m[2])+zhFaultLead.ReplaceAllString(m[3], ""), neg, conf)
		}
		if c.topic != "" && c.stated && zhFlawOnly.MatchString(c.bare()) {
			if m := zhFlawEnd.FindStringSubmatch(c.topic); m != nil {
				return flaw(m[1]+c.bare(), neg, clear)
			}
		}
	}
	if c.stated || c.who == self || c.writes {
		for _, t := range []string{c.bare(), strings.TrimPrefix(text, "我"), zhRestOf(strings.TrimPrefix(text, "我"))} {
			if neg {
				t = strings.TrimPrefix(strings.TrimPrefix(strings.TrimPrefix(t, "觉得"), "认为"), "自己")
			}
			t = strings.TrimPrefix(t, "自己")
			if m := zhWrites.FindStringSubmatch(t); m != nil && !zhOnlyPace.MatchString(m[1]) {
				return flaw(zhFaultLead.ReplaceAllString(m[1], ""), neg, clear)
			}
			if m := zhOnceBad.FindStringSubmatch(t); m != nil && (c.stated || c.who == self) {
				return flaw(m[1], false, weak)
			}
			if m := zhCantDo.FindStringSubmatch(t); m != nil {
				return flaw(m[1], false, clear-0.04)
			}
		}
	}
	if m := zhFeels.FindStringSubmatch(text); m != nil {
		return flaw(m[1], false, interpreted)
	}
	if m := zhAllBad.FindStringSubmatch(text); m != nil && c.writes {
		return flaw(m[1], false, interpreted)
	}
	if m := zhReads.FindStringSubmatch(text); m != nil && (creative || c.writes || strings.HasPrefix(text, "读起来")) {
		return flaw(m[1], neg, interpreted)
	}
	return nil
}

var (
	zhReads = pattern.New(`(?:读起来|读着|念起来|看起来|回头看|重读一遍|自己读)(?:还|都|也|就|有点|总|总觉得|，)*(` + zhFaulty + `)$`)
	// zhFaultLead is what a fault is called without: "(总是有点)平".
	zhFaultLead = pattern.New(`^(?:还是|总是|总|老是|老|实在|确实|都|也|有点儿?|有些|真的|又|就|全|一直|最后|依旧|依然|始终|好像|简直|显得|我自己都觉得|我觉得|我自己觉得|自己都觉得|觉得|让人觉得|特别|非常|很|挺|比较|是|，)+`)
	zhOwnPart   = pattern.New(`^我的(?:` + zhAspects + `)`)
	zhFlawEnd   = pattern.New(`(` + zhAspects + `)$`)
	zhFlawOnly  = pattern.New(`^(?:有点|有些|太|很)?` + zhFlaws + `$`)
)

func zhRestOf(s string) string { _, _, r := zhStrip(s); return r }

func zhTraitOf(name string, neg bool, conf float64) []Triple {
	name = zhClean(name)
	if n := runes(name); n < 2 && zhTraitAdjs.suffix(name) == 0 || n > 16 || strings.ContainsAny(name, "你他她") {
		return nil
	}
	return []Triple{{Predicate: polar("SELF_TRAIT", neg), Object: Term{"Tag", []string{name}}, Confidence: conf}}
}

var (
	zhPersonOf = pattern.New(`^(?:就|也|还|其实|本来|都|只|算|绝对|典型的)*(?:是|属于|算是|算|算得上是?)(?:那种|那类|一?个|一?名|一?位|典型的|很|挺|比较|特别|有点|蛮|不折不扣的|彻头彻尾的|标准的?|重度|天生的?|资深|老)*(.{1,22}?)(的人|的那种人|的那种|的性格|的类型|型人格|类型的人|类型|的那一?类人?|这一?类人?|这种人)?$`)
	zhNotOf    = pattern.New(`^(?:不是|并不是|不算是?|算不上是?|又不是|从来不是|称不上是?|不属于)(?:那种|一?个|一?名|什么|很|太|特别)*(.{1,14}?)(的人|的类型|的性格|的料|那种人|那类人)?$`)
	zhTrade    = pattern.New(`^是((?:学|念|读|教|搞|干|做|写|画|开)[^，你他她这那了过完什]{2,6})$`)
	zhHasFlaw  = pattern.New(`^(?:患)?有(?:很|点|点儿|一点|些|严重的?|轻微的?|重度|轻度|的)*(.{2,6})$`)
	zhScarcely = pattern.New(`^(?:算不上|称不上)(?:是|个|一个|什么|很|多)*([^，你他她]{2,6})$`)
	zhOnceThen = pattern.New(`^(?:只要)?(一旦?[^下直些点个了]{1,8}?就(?:会|想|要|特别|很)?.{2,8})$`)
	zhProne    = pattern.New(`^(?:很|特别|总|总是|老是|非常|比较|也|就)*(容易.{2,8}|总是忘.{0,6}|老忘.{0,6}|爱钻牛角尖|爱胡思乱想|爱走神|爱发呆|爱逞强|爱面子|爱较真|爱操心|爱哭|想太多|想得多|丢三落四|说走就走)$`)
	zhOnceI    = pattern.New(`^(一(?:到|紧张|激动|着急|忙|累|生气|心虚|害怕|兴奋|喝酒|熬夜)[^，你他她了]{0,5})我(就(?:会)?[^，你他她去来回走买给开]{2,6})[的了啊呀]*$`)
	zhSkills   = pattern.New(`^会(?:弹|拉|吹|织|修|游泳|开车|骑|滑|包|烤|下棋|打|剪|酿|缝|裁)(?:[^，了完好你他她给把到]{0,4})$`)
	zhProneTo  = pattern.New(`(?:一.{1,6}|.{2,6})就(容易.{2,6})$|(一旦.{2,8}就(?:很|会|特别|停不).{2,6})$`)
	zhPredWe   = pattern.New(`^我(?:这个人|这人|这种人|这样的人)(?:啊|吧|呢|嘛|呀)?`)
)

var (
	zhNoPerson  = pattern.New(`^(?:为|因为|来|在|认真|说|第一|最后|被|从|想|真|怕|特意|故意|做|你|他|她|这|那|谁|自己|刚|去|看|听|用|怎么|学|读)`)
	zhNoAbility = pattern.New(`^(?:看|想|这么|那么|你|再|因|被|把它|记得|去|来|在|有|是|让|给|不)|[吗呢了过]|你|他|她`)
	zhManner    = pattern.New(`^(?:(?:写|说|做|走|吃|学|看|读)得(?:很|特别|比较|挺|太)?(?:慢|快)|(?:睡|起|吃|喝|话)得?(?:很|特别|比较|挺)?(?:早|晚|少|浅|沉))$`)
)

// zhTrait: what the speaker says of itself as a person.
func zhTrait(c *zhClause) []Triple {
	if c.moment || c.past {
		return nil
	}
	core := strings.TrimSuffix(c.bare(), "得很")
	named := zhPredWe.MatchString(c.text)
	lasting := c.adv&zhLong != 0 || named
	if !c.stated && c.who != self && !lasting && !strings.HasPrefix(core, "是个") && !strings.HasPrefix(core, "属于") {
		if m := zhProneTo.FindStringSubmatch(core); m != nil && c.who == dropped && !strings.ContainsAny(core, "你他她") {
			return zhTraitOf(m[1]+m[2], false, weak-0.04)
		}
		if c.who == dropped && zhTraitNouns.suffix(core) == 0 {
			if m := zhProne.FindStringSubmatch(core); m != nil && c.topic == "" {
				return zhTraitOf(m[1], false, weak)
			}
			if m := zhOnceThen.FindStringSubmatch(core); m != nil && strings.Contains(core, "一旦") {
				return zhTraitOf(m[1], false, weak-0.06)
			}
			return nil
		}
	}
	if m := zhNotOf.FindStringSubmatch(core); m != nil {
		if name := strings.TrimSuffix(m[1], "的"); m[2] != "" || zhTraitNouns.suffix(name) == len(name) || zhTraitAdjs.suffix(name) == len(name) || zhNounEnds.MatchString(name) {
			if strings.ContainsAny(name, "你他她这") || strings.HasSuffix(c.text, "吧") && m[2] == "" {
				return nil
			}
			return zhTraitOf(name, true, clear+0.04)
		}
		return nil
	}
	if m := zhTrade.FindStringSubmatch(core); m != nil && c.stated && strings.HasSuffix(strings.TrimRight(c.core, "啊呀啦呢哦"), "的") && c.adv&zhNot == 0 {
		return zhTraitOf(m[1], false, weak)
	}
	if m := zhPersonOf.FindStringSubmatch(core); m != nil && (c.stated || c.who != other) {
		name, neg := strings.TrimSuffix(m[1], "的"), c.adv&zhNot != 0
		exact := zhTraitNouns.suffix(name) > 0 || zhTraitAdjs.suffix(name) == len(name) && name != ""
		switch {
		case zhNoPerson.MatchString(name) && m[2] == "" && !exact:
		case exact && !strings.Contains(name, "的"), zhNounEnds.MatchString(name) && !strings.Contains(name, "的") && runes(name) <= 8:
			return zhTraitOf(name, neg, plainly+0.02)
		case m[2] != "" && !strings.HasPrefix(m[2], "的类型") || m[2] != "" && runes(name) <= 12:
			return zhTraitOf(name, neg, clear+0.04)
		}
		return nil
	}
	if m := zhHasFlaw.FindStringSubmatch(core); m != nil && zhTraitNouns.suffix(m[1]) == len(m[1]) {
		return zhTraitOf(m[1], c.adv&zhNot != 0, clear+0.04)
	}
	if m := zhScarcely.FindStringSubmatch(core); m != nil && c.stated {
		return zhTraitOf(m[1], true, clear)
	}
	neg := c.adv&zhNot != 0
	if c.adv&zhLack != 0 || strings.HasPrefix(core, "缺") {
		q := strings.TrimLeft(strings.TrimPrefix(strings.TrimPrefix(strings.TrimPrefix(core, "缺乏"), "缺"), "有"), "什么太多")
		if zhQualities.suffix(q) > 0 && runes(q) <= 6 && (strings.HasPrefix(core, "缺") || c.adv&zhNot != 0) {
			return zhTraitOf(q, true, clear+0.04)
		}
	}
	if q, ok := strings.CutPrefix(core, "有"); ok && zhQualities.suffix(q) == len(q) && q != "" {
		return zhTraitOf(q, neg, clear)
	}
	if m := zhAbilities.FindStringSubmatch(core); m != nil && (c.stated || lasting) && !zhNoAbility.MatchString(m[2]) {
		switch {
		case neg && (m[1] == "会" || m[1] == "擅长" || m[1] == "善于" || strings.HasPrefix(m[1], "懂")):
			if c.adv&(zhSoftly) == 0 && m[1] == "会" && (c.never() || runes(m[2]) > 7) {
				break
			}
			pre := "不"
			if c.adv&zhSoftly != 0 {
				pre = "不太"
			}
			return zhTraitOf(pre+m[1]+m[2], false, clear)
		case m[1] == "擅长" || m[1] == "善于" || m[1] == "在行":
			return zhTraitOf(m[1]+m[2], false, clear+0.04)
		case m[1] == "会" && c.adv&zhVery != 0:
			return zhTraitOf(m[1]+m[2], false, weak)
		}
	}
	if m := zhSkills.FindStringSubmatch(core); m != nil && c.stated && !neg && c.adv&(zhOften|zhAt) == 0 {
		return zhTraitOf(m[0], false, weak-0.04)
	}
	if w, r := zhCannots.cut(core); w != "" && runes(r) <= 8 && (c.stated || lasting) {
		return zhTraitOf(w+r, false, weak+0.02)
	}
	if zhTraitParts.MatchString(core) && (c.stated || lasting || c.who == self) {
		return zhTraitOf(core, false, clear)
	}
	if n := zhTraitAdjs.suffix(core); n > 0 && n == len(core) && (c.stated || lasting || c.who == self && c.adv&(zhVery|zhNot) != 0) {
		if runes(core) == 1 && !named && c.adv&zhLong == 0 {
			return nil
		}
		if neg {
			return zhTraitOf(core, true, clear)
		}
		return zhTraitOf(core, false, clear+0.04)
	}
	if m := zhProne.FindStringSubmatch(core); m != nil && !neg {
		return zhTraitOf(m[1], false, weak)
	}
	if m := zhOnceI.FindStringSubmatch(c.text); m != nil && c.adv&zhOften == 0 && !strings.Contains(m[2], "天天") {
		return zhTraitOf(m[1]+m[2], false, weak-0.06)
	}
	if m := zhOnceThen.FindStringSubmatch(core); m != nil && (c.stated || named) && !strings.ContainsAny(core, "你他她过") {
		return zhTraitOf(m[1], false, weak-0.06)
	}
	// 我这人… says what the speaker is like, whatever it is.
	if named && !strings.Contains(core, "了") && runes(core) >= 2 && runes(core) <= 10 && !strings.ContainsAny(core, "你他她") {
		if neg {
			if c.adv&zhLack != 0 {
				return zhTraitOf(strings.TrimPrefix(core, "有"), true, clear)
			}
			return zhTraitOf("不"+core, false, clear)
		}
		return zhTraitOf(core, false, clear)
	}
	if m := zhManner.FindString(core); m != "" && c.who != other && (c.stated || lasting) {
		return zhTraitOf(m, false, weak)
	}
	return nil
}

var (
	zhAllOf   = pattern.New(`^(?:几乎|基本上?|差不多|全部?|都|每[本部篇首]都|一本|一部|是)*(?:读过|看过|买了|收齐了?|看完|读完|追|看|读|买|收|没(?:有)?落下?|不落|见一本买一本|出一本买一本|翻来覆去(?:地)?[读看]了?.{0,4}|[读看]了?又[读看]|[读看]了(?:好|很多|好几)[^，]{0,3}[年遍])了?$`)
	zhBody    = pattern.New(`(?:嗓子|胃|身体|眼睛|腰|脑子|心里|手|腿|脚|头|肠胃|皮肤|牙|膝盖|心脏|耳朵|家里)$`)
	zhBest    = pattern.New(`^(?:没有|没)(?:什么|有什么|啥|哪.{1,3})?(?:能|东西|事)?(?:比)(.{1,14}?)(?:更|还)(?:.{1,8})$`)
	zhWithout = pattern.New(`^(?:一天|一日|一顿|哪天)(?:要是)?不(.{1,8}?)(?:就|都|心里就|浑身|手就)(?:.{2,10})$|^(?:没有|没了?|少了|离了)(.{1,8}?)(?:我)?(?:就|都|可)?(?:活不|不行|睡不|写不|没法|不能活|浑身)`)
	zhOnSight = pattern.New(`^我?(?:一|只要)(?:听到|看到|看见|闻到|吃到|喝到|摸到|见到|听见|碰到|遇到|提到|说到|想到)(.{1,8}?)(?:，)?我?(?:就|都会)(?:会|很|特别|想|觉得|浑身)?(开心|高兴|走不动(?:路|道)?|两眼放光|挪不动|来劲|兴奋|安心|放松|心情好|头疼|头大|烦|犯困|想睡|难受|恶心|想跑|起鸡皮疙瘩|发毛|绕道)`)
	zhUneasy  = pattern.New(`头疼|头大|烦|犯困|想睡|难受|恶心|想跑|起鸡皮疙瘩|发毛|绕道`)
)

var zhThisOnce = pattern.New(`今天|这|店|的$`)

// zhVerdict: a topic and what is said of it.
func zhVerdict(c *zhClause) []Triple {
	if c.past && !strings.Contains(c.text, "陪") {
		return nil
	}
	if m := zhBest.FindStringSubmatch(c.text); m != nil {
		return zhLikings(m[1], false, 1, weak)
	}
	if m := zhOnSight.FindStringSubmatch(c.text); m != nil {
		return zhLikings(m[1], zhUneasy.MatchString(m[2]), 0, weak-0.04)
	}
	if m := zhWithout.FindStringSubmatch(c.text); m != nil {
		return zhLikings(m[1]+m[2], false, 0, weak)
	}
	if c.topic != "" && zhAllOf.MatchString(c.bare()) {
		for _, t := range zhObjects(c.topic) {
			if t.kind == kindAuthor { // 阿加莎的书我几乎都读过
				return []Triple{liking(t.kind, t.parts, false, 0, weak-0.04)}
			}
		}
	}
	for _, p := range []struct {
		re  *pattern.Pattern
		neg bool
	}{{zhBad, true}, {zhGood, false}} {
		for _, text := range []string{c.text, c.core} {
			loc := p.re.FindStringIndex(text)
			if loc == nil {
				continue
			}
			front := text[:loc[0]]
			if text == c.core && loc[0] == 0 || strings.TrimSpace(front) == "" {
				front = c.topic
			}
			if head, _, ok := zhSpeaker(front); ok && head != "" && c.topic != "" {
				front = c.topic
			}
			m := text[loc[0]:loc[1]]
			_, _, front = zhStrip(front)
			if _, r := zhSelves.cut(front); r != front { // the speaker led the clause
				if _, _, r = zhStrip(r); r == "" {
					r = c.topic
				}
				front = r
			}
			front = strings.TrimPrefix(front, "对")
			front = zhTopicOf(zhTrimAdverbs(strings.TrimSuffix(strings.TrimSpace(zhTopicOf(front)), "我")))
			if front == "" || zhBody.MatchString(front) || zhLikeVerbs.starts(front) || !zhOwnTopic(front) || runes(front) > 14 || zhOthers.MatchString(front) {
				continue
			}
			if p.neg && c.moment || strings.ContainsAny(front, "你他她") {
				return nil
			}
			if !strings.Contains(c.text, "我") && c.who == other {
				return nil
			}
			ranked := 0
			if strings.Contains(m, "最爱") || strings.Contains(m, "真爱") || strings.Contains(m, "本命") {
				ranked = 1
			}
			conf := clear
			if strings.HasPrefix(m, "最") || strings.HasPrefix(m, "才最") {
				conf = interpreted
				if zhThisOnce.MatchString(c.text) {
					return nil
				}
			}
			if strings.HasPrefix(m, "一本") && runes(front) <= 6 && !zhTitle.MatchString(front) {
				return []Triple{liking(kindAuthor, []string{zhClean(front)}, false, 0, weak)} // nobody reads every book of a thing
			}
			if !p.neg && c.adv&zhNot != 0 && !strings.Contains(m, "不") && !strings.Contains(m, "没") {
				return nil
			}
			return zhLikings(front, p.neg, ranked, conf)
		}
	}
	return nil
}

var (
	zhAlsoWill = pattern.New(`^会(.{2,8}?)[，,]?也会(.{2,10})$`)
	zhHabitual = pattern.New(`^(?:(?:都|会|要|就|得|爱|喜欢|也|是|习惯|先|再|总|必|必须|一定|能|在|都在|会在|大多会|多半会|忍不住|还|老|把自己)+)`)
	zhBecame   = pattern.New(`^(.{2,12}?)(?:已经|早就|慢慢|也|都)*(?:成了?|变成了?|成为了?|是)我?(?:多年|这些年|每天|的|雷打不动)*(?:的习惯|习惯|老习惯|日常|必修课|仪式)$`)
	zhMustDo   = pattern.New(`^(?:非得?|非要|必须|一定要|总要|总得|一定得)(?:先)?(.{2,14}?)(?:不可|才行|才能.*|才睡得着)?$`)
	// "煮面必放番茄", "炒菜从来不放味精": how the speaker does a thing.
	zhWays     = pattern.New(`^([写看读吃喝睡出煮炒做画听泡洗买坐开跑走用穿养种拍弹练][\p{Han}]{1,4}?)(?:的时候|时|前|后)?(必须|必|一定要?|总要|总得|总是?|非得|都要|只|一律|从来都?只|从不|从来不|从来都不|绝不)((?:放|加|用|带|戴|穿|吃|喝|听|看|开|点|坐|从|先|配|写|挑|走|站|去|买|打)[^，了过你他她]{1,8})$`)
	zhNoVerb   = pattern.New(`^(?:是|有|觉|会|能|想|没|不|在于|很|太|要|该|可|认|以|为|因|得|让|使|被|像|比|那|这|都|也|就|说|问|告|怀疑|希望|相信|羡慕|来|叫|当|处|充|心|胃|头|一)|[的了过]`)
	zhKeepsUp  = pattern.New(`^(?:坚持|保持)(?:着|了)?(.{2,12}?)(?:的习惯)?$`)
	zhHasHabit = pattern.New(`^(?:有|养成了?|保持着?|还有)(?:个|一个)?(.{2,12}?)的(?:老|好|坏|小)?习惯$`)
	zhForYears = pattern.New(`^(?:学|练|弹|画|唱|跳|玩|养|种|收集|打|踢|拍|钓|追|骑|下)了?([^了]{1,6}?)(?:学|练|弹|画|唱|跳|玩|养|种|打|踢|拍|钓|追|骑|下)?(?:了|也有|已经|都|快|有)*(?:[一二三四五六七八九十两几好多百\d]+多?年|很多年|半辈子)$`)
	zhTakesUp  = pattern.New(`^(?:又|重新)?开始((?:弹|画|练|学|养|种|织|跑步|健身|写诗|打球|游泳|骑车|钓鱼|收集|拍照|记账|写日记|做手账|练字).{0,5})$`)
	zhLearns   = pattern.New(`^(?:在|开始|正在|又)?(?:学着?|自学|练习|练)([^到会过着做怎][^，了过着得]{1,4})$`)
	zhMeasure  = pattern.New(`^(?:上|个|了|着|点|点儿|些|[一两三四五六七八九十几半]+(?:大|小)?(?:杯|碗|壶|罐|瓶|顿|口|个|份|片|块|首|本|部|集|篇|章|会儿|圈|局|盘|张|遍|次|小时|个小时|公里|页|支|根|场|颗))+(?:的)?`)
)

// zhHabitualLead is what stands before the verb of a habit; 在 only before a verb.
func zhHabitualLead(core string) string {
	lead := zhHabitual.FindString(core)
	if t, ok := strings.CutSuffix(lead, "在"); ok && !zhHabitVerbs.starts(core[len(lead):]) {
		return t
	}
	return lead
}

// zhHabit: what the speaker does again and again.
func zhHabit(c *zhClause) []Triple {
	if c.past || c.moment || c.adv&zhNot != 0 || zhNoHabit.MatchString(c.bare()) {
		return nil
	}
	core := c.bare()
	if m := zhAlsoWill.FindStringSubmatch(core); m != nil && c.who != other {
		return append(zhLikings(m[1], false, 0, weak-0.06), zhLikings(m[2], false, 0, weak-0.06)...)
	}
	if m := zhBecame.FindStringSubmatch(strings.TrimRight(c.text, zhParticles)); m != nil {
		if _, _, r := zhStrip(m[1]); zhHabitVerbs.starts(r) {
			return zhDeedOf(c, strings.TrimPrefix(m[1], "我"), weak)
		}
	}
	for _, re := range []*pattern.Pattern{zhKeepsUp, zhHasHabit, zhForYears, zhTakesUp, zhLearns} {
		if m := re.FindStringSubmatch(strings.TrimRight(c.core, zhParticles)); m != nil && (c.stated || c.who == self) && !strings.ContainsAny(m[1], "你他她") {
			deed := zhMeasure.ReplaceAllString(m[1], "")
			if re == zhKeepsUp || re == zhHasHabit {
				_, _, deed = zhStrip(deed)
			}
			return zhLikings(deed, false, 0, weak-0.04)
		}
	}
	if m := zhWays.FindStringSubmatch(core); m != nil && (c.stated || c.who == self) && c.adv&zhNot == 0 {
		neg := strings.Contains(m[2], "不")
		if neg || m[2] != "只" || zhHabitVerbs.starts(m[3]) {
			return zhLikings(m[1]+m[3], neg, 0, weak-0.04)
		}
	}
	conf := weak + 0.02
	lead := zhHabitualLead(core)
	often := c.adv&zhOften != 0
	if !often && c.adv&zhAt != 0 && lead != "" {
		often, conf = true, weak-0.04
	}
	if !often && c.adv&zhLong != 0 && strings.Contains(lead, "在") && !strings.Contains(c.text, "最近") {
		often, conf = true, weak-0.06
	}
	if !often && (strings.HasPrefix(core, "习惯") || strings.HasPrefix(core, "大多会") || strings.HasPrefix(core, "多半会")) {
		often = true
	}
	if m := zhMustDo.FindStringSubmatch(core); m != nil && (c.stated || often) {
		often, core, lead = true, m[1], ""
	}
	if !often {
		return nil
	}
	return zhDeedOf(c, core[len(lead):], conf)
}

// zhDeedOf makes the triple of something done: what is drunk, eaten or heard is the
// object itself, other deeds keep their verb.
func zhDeedOf(c *zhClause, deed string, conf float64) []Triple {
	_, _, deed = zhStrip(deed)
	deed = strings.TrimSpace(deed[len(zhHabitualLead(deed)):])
	if n := zhMeasure.FindString(deed); n != "" && c.adv&zhAt != 0 && runes(deed) > runes(n) { // "每天早上一杯手冲"
		return zhLikings(deed[len(n):], false, 0, conf)
	}
	if !zhHabitVerbs.starts(deed) && !(c.stated && c.adv&zhOften != 0 && runes(deed) <= 12 && !zhNoVerb.MatchString(deed)) || runes(deed) > 16 {
		return nil
	}
	for _, v := range []string{"喝", "吃", "听"} {
		if t, ok := strings.CutPrefix(deed, v); ok && t != "" {
			if t = zhMeasure.ReplaceAllString(t, ""); t != "" {
				return zhLikings(t, false, 0, conf)
			}
		}
	}
	if deed = zhClean(deed); runes(deed) < 2 || strings.ContainsAny(deed, "吗？") {
		return nil
	}
	if m := zhTitle.FindString(deed); m != "" {
		return nil
	}
	return []Triple{liking(kindDeed, []string{deed}, false, 0, conf)}
}

var zhOnlyDoes = pattern.New(`(?:只|改|独)(?:喝|吃|看|听|读|用|玩|买|穿|写)(.{1,10})$`)

// zhTaste: 只/换 + what is eaten, drunk or read: 我只喝美式, 改喝茶了.
func zhTaste(c *zhClause) []Triple {
	m := zhOnlyDoes.FindStringSubmatch(strings.TrimRight(c.text, zhParticles))
	if m == nil || c.past || c.moment || strings.ContainsAny(m[1], "了过完到剩一两几半三") || c.who == other || !c.stated && c.who != self {
		return nil
	}
	return zhLikings(m[1], false, 0, weak)
}
