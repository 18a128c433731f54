package openie

import (
	"strings"

	"membench/internal/pattern"
)

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
