package openie

import (
	"regexp"
	"strings"
	"unicode/utf8"
)

// More ways of saying it in Chinese, by shape. The longer rules of triples_zh.go come
// first; these take what they leave.
const zhTime = `(?:每天|每晚|每周末?|每到周末|每个周末|每次|每年|天天|周末|早上|早晨|清早|一大早|晚上|夜里|半夜|睡前|睡觉前|饭后|午休|下班后?|放学后?|通勤(?:路上|的时候)?|开工前|动笔前|写之前|写稿前|起床后?|出门前|下雨天|一到(?:周末|晚上|冬天|夏天)|周[一二三四五六日天]|星期[一二三四五六日天])`

var (
	// 我 … VERB object
	zhMoreLike = regexp.MustCompile(`^` + zhOpen + zhAdv + zhSelf + zhAdv + `(?:就)?(爱死|离不开|少不了|戒不掉|馋|惦记|痴心于|热衷于|醉心于|沉浸在|入坑|粉|迷|推崇|着迷|上头|吃|站|偏心|惯用|习惯用|习惯喝|习惯吃|只认|只爱|只喜欢|就好|喜好|钻研|研究|追)了?([^了过不没]{1,14}?)(?:这一?口|这一套|了|很久|好几年|多年)?[啊呀哦嘛啦呢哈]*$`)
	zhLearn    = regexp.MustCompile(`^` + zhOpen + zhAdv + zhSelf + `(?:最近|一直|还|也|从小|开始|又|这两年|去年开始|在业余)*(?:在学|学过|在练|练过|在弹|会弹|会拉|会吹|学了|练了|开始学|开始练|在自学|自学)(?:了)?(?:[一二三四五六七八九十几两\d]+年(?:的)?)?([^了过的]{1,8})(?:[一二三四五六七八九十几两\d]+年了?)?[啊呀哦嘛啦呢]*$`)
	zhAvoid    = regexp.MustCompile(`^` + zhOpen + zhAdv + zhSelf + `?(?:也|都|真的|从来|从小|一向|一直|现在|反正|是|可)*(?:最烦|最怕|烦透了?|烦|恨|忌|不沾|不碰|从不碰|从不吃|从不喝|不吃|不喝|不看|不听|不玩|不抽|吃不来|喝不来|看不来|听不来|欣赏不来|吃不惯|喝不惯|理解不了|忍不了|受不住|见不得|腻味|嫌弃|懒得看)(别人|人家)?([^了吗呢]{1,12}?)(?:的)?[啊呀哦嘛啦哈]*$`)
	// object (我) … PREDICATE
	zhPostLike = regexp.MustCompile(`^` + zhOpen + `(.{2,14}?)(?:嘛|呢|啊|的话|这东西|这玩意儿)?[，, ]?(?:我)?(?:是|就是|才是|永远是|一直是|绝对是|简直是|真是|可是|真的|都|也|能|可以)*(?:我的?(?:菜|最爱|心头好|真爱|本命|命根子|续命水|快乐源泉|避风港|解压方式|爱好|兴趣)|我.{1,6}的(?:方式|办法|法子|乐趣|消遣|爱好|习惯)|百(?:吃|喝|看|听|读|玩)不厌|(?:吃|喝|看|听|读|玩)(?:一辈子|一整天|一天|多少遍|几遍)(?:都|也)?(?:行|不腻|不够|愿意|可以)|(?:怎么)?(?:吃|喝|看|听|读)(?:都|也)?不(?:腻|够|厌)|香得很|(?:能|最能|会)?让我(?:静下来|平静|放松|开心|安心|踏实|快乐|治愈).{0,2}|陪了我.{1,8}年|(?:已经)?成了?我生活的一部分|(?:最|很)?(?:对|合)我(?:的)?胃口|深得我心|最打动我|(?:我)?(?:永远|怎么)?(?:都)?(?:看|读|听|吃|喝)(?:都)?(?:看|读|听|吃)?不(?:腻|够|厌)|我(?:都|也)?(?:全|都)?(?:读过|看过|买了|收齐了|有|追完了)|我能背(?:下来)?)[了的啊呀哦嘛啦]*$`)
	zhPostHate = regexp.MustCompile(`^` + zhOpen + `(.{2,14}?)(?:嘛|呢|啊|的话|这东西|这玩意儿|那种|那套|那一套)?[，, ]?我(?:是|真是|真的|实在|没办法|一直|始终|反正|总是|都|也|就|真|有点|完全|根本|一点(?:儿)?都?)*(?:(?:碰都不碰|一概不.{1,3}|一口(?:都)?不(?:吃|喝|碰)|喜欢不起来|喜欢不来)|(?:不(?:太|怎么|大)?)?(?:没办法)喜欢|没办法喜欢|喜欢不起来|不(?:太|怎么|大)?(?:喜欢|爱|感冒|来电|碰|沾|吃|喝|看|行|能接受)|(?:吃|喝|看|听|读|欣赏|理解)不(?:来|惯|了|下去|进去|动)|没(?:什么)?(?:兴趣|感觉|好感|胃口)|无感|受不了|敬谢不敏|提不起(?:劲|兴趣|兴致)|嫌(?:吵|腻|烦|假|闷|油|俗)|接受不了|反感|讨厌|最烦|烦)[了的啊呀哦嘛啦]*$`)
	// 对 object PREDICATE
	zhMoreToward = regexp.MustCompile(`^` + zhOpen + zhAdv + zhSelf + `?` + zhAdv + `对于?(.{1,14}?)(?:是|可|真|一直|就|还是|倒|实在|完全|根本|一点(?:儿)?都?|也|都|比较|特别|很|超|有点|真的)*(上头|没抵抗力|毫无抵抗力|欲罢不能|爱得不行|着了?迷|入迷|上心|情有独钟|有感情|有执念|不感冒|不来电|反感|无语|没什么好感|没好感|没耐心|没辙|不感冒|敬而远之)[了的啊呀哦嘛啦]*$`)

	zhMoreHabit = regexp.MustCompile(`^` + zhOpen + `(?:` + zhSelf + `)?(?:一般|通常|基本上?|差不多|几乎|习惯|都是|现在|自己|也|都|还)*(?:在)?` + zhTime + `(?:我)?(?:的时候)?(?:雷打不动|一般|通常|基本|几乎|习惯|一定|必须|非|总|老|都|就|会|必|要|得|也|先|再|爱|喜欢|是|还|只)+(?:地|要|去|会|得)*(.{2,16})$`)
	zhMust      = regexp.MustCompile(`^` + zhOpen + zhSelf + `(.{0,10}?)(?:雷打不动|必须|非得|非要|一定要|总要|总得|离了.{1,6}不行|没有.{1,6}不行)(?:先)?(.{2,12}?)(?:不可|才行|才能.{0,8}|才睡得着)?[的了啊呀]*$`)

	zhMe       = regexp.MustCompile(`^` + zhOpen + zhAdv + `(?:` + zhSelf + `)(?:这个?人|这种人|天生|生来|从小|一向|向来|本来|骨子里|平时|其实|就|也|真的|是)*(?:有点|有些|比较|特别|挺|很|太|超|非常|严重|重度|轻微|老|是个|属于|算是|算|是)*(路痴|脸盲|社恐|社牛|强迫症|拖延症|夜猫子|洁癖|选择困难(?:症)?|工作狂|完美主义|急脾气|直肠子|死脑筋|一根筋|没心没肺|三分钟热度|刀子嘴豆腐心|丢三落四|粗枝大叶|大大咧咧|优柔寡断|眼高手低|耳根子软|心软|嘴硬|记仇|嘴笨|手笨|手慢|脸皮薄|胆小|胆子小|怕生|恐高|念旧|慢热|慢性子|急性子|话痨|闷葫芦|记性(?:差|不好|好)|方向感(?:差|不好)|不合群|爱较真|爱操心|爱哭|爱面子|好强|要强|坐不住|静不下来|闲不住|容易紧张|容易焦虑|容易心软|容易走神|容易分心|容易害羞|睡眠浅|起床困难|没方向感|没耐心|没主见|没毅力|没安全感|没什么(?:耐心|方向感|天赋|毅力|主见|安全感|野心))[的了啊呀哦嘛啦吧]*$`)
	zhSkill    = regexp.MustCompile(`^` + zhOpen + zhSelf + `(?:其实|真的|一直|从来|到现在|也|就|还|根本|完全|压根|真)*(不会|不太会|挺会|很会|蛮会|学不会|不懂|不太懂|干不来|做不来|搞不定|应付不来|说不来)([^了吗呢让因再去来被有是把给那这]{1,8})[的啊呀哦嘛啦]*$`)
	zhOnce2    = regexp.MustCompile(`^` + zhOpen + zhSelf + `(?:只要|总是|老是|就是)?(一(?:.{1,6})就(?:.{2,8}))$`)
	zhCreature = regexp.MustCompile(`^` + zhOpen + zhSelf + `(?:其实|就|也|算)*是(?:个|一个|一名|位|一位|名)?([^，,这那因为]{1,10}?(?:人|生|员|师|者|家|手|派|党|迷|控|狂|子|主义|座|型|粉|女|男|医|警|兵))[的了啊呀哦嘛啦呢]*$`)
	zhWorkAs   = regexp.MustCompile(`^` + zhOpen + zhSelf + `(?:现在|目前|平时|白天|以前|一直)*(?:做|干|从事|当)(?:的是)?(?:了.{1,3}年)?([^的了这那什]{2,6}?)(?:这一?行|工作|的工作)?(?:的|[一二三四五六七八九十几两\d]+年了)[啊呀哦]*$`)

	zhPlainBad  = regexp.MustCompile(`^` + zhOpen + `(?:` + zhSelf + `?(?:总|老|一直|还是|自己|倒|也|就|现在|写完)*(?:觉得|感觉|认为|发现|知道|嫌|怕|承认))?(?:` + zhSelf + `(?:的|写的)?)?(?:自己的?)?(?:写的)?(?:这篇|这稿|初稿|上一稿|新写的|第.{1,2}章)?(?:的)?(` + zhAspect + `|开篇|收尾|中段|后半段|前半段|语感|场景|旁白|伏笔|感情线|主线|支线|反派|心理)(?:部分|那段|这段)?(?:还是|总是|总|实在|确实|都|也|写得|得|有点|有些|真的|又|就|全|一直|老|最后)*((?:太|不够|过于|没什么|缺乏|缺|像|显得|没有?)?(?:平淡|平|拖沓|拖|啰嗦|冗长|空洞|空|生硬|僵硬|僵|仓促|突兀|散|碎|乱|单薄|扁平|扁|脸谱化|老套|俗套|俗|做作|刻意|矫情|假|干巴巴|干|无聊|没劲|烂尾|虎头蛇尾|流水账|立不住|垮了|崩了|塌了|写崩了|不自然|不连贯|不生动|不立体|没张力|没味道|没灵魂|没血没肉|没起伏|没意思|一个样|差点意思|不够.{1,4}|太.{1,4}|像.{2,8}|缺.{1,4}))[的了啊呀哦嘛啦吧]*$`)
	zhTooWordy  = regexp.MustCompile(`^` + zhOpen + zhSelf + `?(?:写的东西|写出来的东西|读起来|写东西|写小说|写文章|写稿子?|写作|下笔|行文)(?:的时候|时)?(?:总是|总|老是|老|一直|还是|常常|往往)?((?:太|不够|过于|爱|喜欢|容易)[^，]{1,8}?)[了的啊呀哦]*$`)
	zhCantWrite = regexp.MustCompile(`^` + zhOpen + zhSelf + `(?:总|老|一直|其实|就是|最|也|还是|真的)*(写不好|写不来|不会写|不擅长写|不太会写|不太擅长写|最不会写|怕写|写不了|驾驭不了|处理不好)([^了吗呢]{1,8})[的啊呀哦嘛啦]*$`)
	zhWeakness  = regexp.MustCompile(`^` + zhOpen + `(.{2,8}?)(?:一直|还是|确实|就|可能|永远)*是` + zhSelf + `(?:写作)?的?(?:弱项|短板|软肋|毛病|老毛病|死穴|硬伤)[了啊呀]*$`)

	zhSwitch = regexp.MustCompile(`^(.*?)(?:换成|改成|改用|换用|学着用|试着用|尝试用|模仿|第一次用|第一次写|第一次试|练习|挑战)了?(.{2,12}?)(?:来写|写了?|的写法|试试|重写).*$`)

	zhReadBooks = regexp.MustCompile(`^` + zhOpen + `(.{2,10}?)(?:的书|的小说|的作品|的东西|写的)?[，, ]?(?:我)?(?:几乎|基本|差不多|全|都|也)*(?:都?买齐了|都?收齐了|一本(?:没|不)落|全读过|都读过|全看过|都看过|都买了|全买了|收齐了|一本不剩)`)
)

var (
	zhGaveUp  = regexp.MustCompile(`^` + zhOpen + `(.{1,8}?)(?:我)?(?:已经|早就|早)?(?:戒|不(?:喝|吃|抽|玩|看|碰)|再也不(?:碰|吃|喝)|(?:吃|喝|看|听|玩)腻)了?(?:了|三年了)?$`)
	zhAilment = regexp.MustCompile(`^` + zhOpen + `(.{2,10}?)(?:真|总|会|最|能)*让我(?:头大|头疼|烦|紧张|犯困|难受|崩溃|害怕|起鸡皮疙瘩|想逃).{0,3}$`)
	zhDeeds   = []*regexp.Regexp{
		regexp.MustCompile(`^` + zhOpen + zhAdv + zhSelf + zhAdv + `(?:更愿意|更乐意|宁愿|宁可|情愿)(.{2,12}?)$`),
		regexp.MustCompile(`^` + zhOpen + zhAdv + zhSelf + zhAdv + `一有(?:时间|空|机会)就(.{2,12}?)$`),
		regexp.MustCompile(`^` + zhOpen + zhAdv + zhSelf + `?` + zhAdv + `能不(.{1,8}?)就不.{1,8}$`),
		regexp.MustCompile(`^` + zhOpen + zhAdv + zhSelf + zhAdv + `(?:早就|已经)?不再(.{2,10}?)了?$`),
		regexp.MustCompile(`^` + zhOpen + zhAdv + zhSelf + zhAdv + `(?:挺|很|最|特别)?怕(黑|高|吵|打雷|虫子?|蛇|鬼|冷|热|痛|疼|水|狗|猫|.{2,5}?)的?$`),
		regexp.MustCompile(`^` + zhOpen + zhAdv + zhSelf + zhAdv + `无(.{1,4}?)不欢$`),
		regexp.MustCompile(`^` + zhOpen + `(?:没有?|离了)(.{1,6}?)(?:，)?我?(?:就)?(?:活不(?:下去|了)|不行|睡不着|写不出来?)$`),
		regexp.MustCompile(`^` + zhOpen + `(.{2,8}?)(?:这事儿?|这件事)?我?(?:玩|练|学|画|写|弹|跑|拍|种|养)了(?:好|很)?(?:多|几|[一二三四五六七八九十两\d]+)年了?$`),
		regexp.MustCompile(`^` + zhOpen + `.{0,6}?我?站(.{1,4}?)党$`),
		regexp.MustCompile(`^` + zhOpen + `(?:最近|一直|还)(?:也|又)?(?:在学|在练|开始学|迷上了?)(.{1,8}?)$`),
		regexp.MustCompile(`^` + zhOpen + `最烦(.{2,16}?)$`),
	}
)

var zhANotA = regexp.MustCompile(`看不看|烦不烦|好不好|喜不喜欢|爱不爱|吃不吃|去不去|对不对|行不行|是不是`)

// zhMore takes a clause that the longer rules made nothing of.
func zhMore(clause string, who subject, writing bool) (out []Triple) {
	likes := func(obj string, neg bool, conf float64) {
		for _, t := range zhObjects(obj, false) {
			if n := utf8.RuneCountInString(t.parts[len(t.parts)-1]); n >= 1 && n <= 14 {
				out = append(out, liking(t.kind, t.parts, neg, 0, conf))
			}
		}
	}
	trait := func(name string, conf float64) {
		if name = zhClean(name); utf8.RuneCountInString(name) >= 2 && !strings.ContainsAny(name, "你他她") {
			out = append(out, Triple{Predicate: "SELF_TRAIT", Object: Term{"Tag", []string{name}}, Confidence: conf})
		}
	}
	flaw := func(name string, conf float64) {
		if name = zhClean(name); utf8.RuneCountInString(name) >= 2 && !strings.ContainsAny(name, "你他她") {
			out = append(out, Triple{Predicate: "SELF_CRITIQUE", Object: Term{"Tag", []string{name}}, Confidence: conf})
		}
	}
	if who == other || strings.ContainsAny(clause, "？?") || strings.Contains(clause, "怕是") || zhANotA.MatchString(clause) {
		return nil
	}
	if m := zhGaveUp.FindStringSubmatch(clause); m != nil && !topicWord(m[1]) {
		likes(m[1], true, weak)
		return out
	}
	if m := zhAilment.FindStringSubmatch(clause); m != nil && !topicWord(m[1]) {
		likes(m[1], true, weak)
		return out
	}
	for _, re := range zhDeeds {
		if m := re.FindStringSubmatch(clause); m != nil && !topicWord(m[1]) {
			neg := strings.Contains(m[0], "能不") || strings.Contains(m[0], "不再") || strings.Contains(m[0], "怕") || strings.Contains(m[0], "最烦")
			obj := strings.TrimRight(m[1], "了")
			k := zhObjects(obj, false)
			if len(k) == 1 {
				out = append(out, liking(k[0].kind, k[0].parts, neg, 0, weak))
			}
			return out
		}
	}
	first := func(re *regexp.Regexp) []string { return re.FindStringSubmatch(clause) }
	if m := first(zhReadBooks); m != nil && (isAuthor(m[1]) || looksLikeName(m[1])) {
		return append(out, liking(kindAuthor, []string{m[1]}, false, 0, weak))
	}
	if m := first(zhPostHate); m != nil && !topicWord(m[1]) {
		likes(m[1], true, clear)
		return out
	}
	if m := first(zhPostLike); m != nil && !topicWord(m[1]) {
		likes(m[1], false, clear)
		return out
	}
	if m := first(zhMoreToward); m != nil {
		neg := regexp.MustCompile(`不感冒|不来电|反感|无语|好感|没耐心|没辙|敬而远之`).MatchString(m[2])
		if strings.Contains(m[2], "好感") && !strings.HasPrefix(m[2], "没") {
			neg = false
		}
		likes(m[1], neg, clear-0.04)
		return out
	}
	if m := first(zhMe); m != nil {
		trait(m[1], clear+0.06)
		return out
	}
	if m := first(zhCantWrite); m != nil {
		flaw(m[1]+m[2], clear-0.04)
		return out
	}
	if m := first(zhWeakness); m != nil {
		flaw(m[1], weak)
		return out
	}
	if m := first(zhSkill); m != nil {
		trait(m[1]+m[2], weak)
		return out
	}
	if m := first(zhCreature); m != nil && !strings.ContainsAny(m[1], "你他她谁最说想") && !strings.HasPrefix(m[1], "为") && !strings.HasSuffix(m[1], "样子") {
		trait(m[1], clear)
		return out
	}
	if m := first(zhWorkAs); m != nil {
		trait(m[1], weak-0.04)
		return out
	}
	if m := first(zhOnce2); m != nil && !strings.Contains(m[1], "一下") && !strings.ContainsAny(m[1], "了过") {
		trait(m[1], weak-0.06)
		return out
	}
	if m := first(zhPlainBad); m != nil {
		conf := weak
		if strings.Contains(clause, "我") || writing {
			conf = clear
		}
		flaw(m[1]+m[2], conf)
		return out
	}
	if m := first(zhTooWordy); m != nil {
		flaw(m[1], clear-0.04)
		return out
	}
	if m := first(zhAvoid); m != nil && m[1] == "" && (who == self || strings.Contains(clause, "我")) && !regexp.MustCompile(`^(?:到|见|懂|清|出|完|下|进|动|得|好|过|一|起|了)`).MatchString(m[2]) {
		likes(m[2], true, clear-0.04)
		return out
	}
	if m := first(zhMoreLike); m != nil && !regexp.MustCompile(`^(?:吃|站|追|研究|迷|粉)$`).MatchString(m[1]) {
		likes(m[2], false, clear-0.04)
		return out
	}
	if m := first(zhLearn); m != nil {
		likes(m[1], false, weak-0.04)
		return out
	}
	if m := first(zhSwitch); m != nil {
		if o := zhClean(m[2]); zhStyle.MatchString(o) {
			return append(out, Triple{Predicate: "TRIED_STYLE", Object: Term{"Topic", []string{o}}, Confidence: weak})
		}
	}
	for _, re := range []*regexp.Regexp{zhMoreHabit, zhMust} {
		m := first(re)
		if m == nil {
			continue
		}
		obj := strings.TrimSpace(m[len(m)-1])
		if !zhHabitVerb.MatchString(obj) || strings.ContainsAny(obj, "了过你他她吗吧") || regexp.MustCompile(`想起|觉得|感到|看到|听到|知道|考试|上班|开会|交`).MatchString(obj) {
			continue
		}
		for _, v := range []string{"喝", "吃", "听"} {
			if t, ok := strings.CutPrefix(obj, v); ok && t != "" {
				likes(t, false, weak-0.04)
				return out
			}
		}
		if obj = zhClean(obj); utf8.RuneCountInString(obj) >= 2 && utf8.RuneCountInString(obj) <= 12 {
			return append(out, liking(kindDeed, []string{obj}, false, 0, weak-0.06))
		}
	}
	return out
}

// topicWord reports whether a fronted phrase names nothing: a pronoun, a time, an opener.
func topicWord(s string) bool {
	return regexp.MustCompile(`^(?:我|你|他|她|它|这|那|反正|现在|其实|最近|今天|昨天|明天|真的|不过|所以|因为|而且|虽然|一直|那种|这种|这个|那个|有时候?|一般|平时|大家|别人)`).MatchString(s)
}
