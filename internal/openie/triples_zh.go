package openie

import (
	"regexp"
	"strings"
	"unicode/utf8"

	"membench/internal/textnorm"
)

// Words that may stand between a subject and its verb, or before both.
const (
	zhOpen = `(?:其实吧|哈哈哈|呐|要我说|你知道的|不瞒你说|老实讲|坦白说|没错|嗯嗯|而且|不过|但是|但|可是|其实|说实话|老实说|说起来|对了|还有|另外|反正|嗯|唔|啊|哎|诶|哈哈|当然|毕竟|因为|所以|那|就|因此|总之|至于|其实呢|话说|讲真|说真的|想来想去|想了想|读完就变心了)*`
	zhAdv  = `(?:吧|啊|彻底|完全|渐渐|慢慢|越来越|深深|一向|从来|几乎|基本|打小|自己|嘛|呢|个人|其实|真的|确实|一直以来|一直|从小就|从小|现在|如今|目前|最近|平时|平常|通常|经常|常常|总是|向来|始终|还是|还|也|都|就是|就|又|更|很|挺|蛮|超级|超|特别|尤其|非常|十分|相当|比较|有点|有些|真是|真|太|好|可|倒是|倒|反而|一般|多半|主要|老|最|这两年|这几年|今年|这阵子|这段时间|近来|好像就|是|会|打心底|由衷地?)*`
	zhSelf = `(?:咱俩都?|咱们俩|我自己|我个人|本人|我|俺|用户|User|Agent)`
)

var (
	zhCond       = regexp.MustCompile(`如果|要是|假如|假设|倘若|万一|希望|但愿|哪天|如何|怎么样|会不会|是不是|能不能|要不要|好不好|难道|何不|请你|帮我|记得|别忘`)
	zhHedge      = regexp.MustCompile(`也许|或许|可能|说不定|大概|好像|似乎|据说|听说|应该会|没准|未必|不一定|差点|恨不得|假装|想象|本来想|原以为|打算|准备|计划|想要|想去|想试|想写|想读|想看|以为`)
	zhPast       = regexp.MustCompile(`以前|从前|曾经|小时候|小学|初中|高中|当年|那会儿|那时候|原来|过去|年轻时|喜欢过|爱过`)
	zhOthers     = regexp.MustCompile(`^(?:我的?|我们的?|他的?|她的?)?(?:爸妈|父母|妈妈|爸爸|妈|爸|姐姐|姐|哥哥|哥|弟弟|弟|妹妹|妹|奶奶|爷爷|外婆|外公|室友|舍友|同桌|同学|朋友|闺蜜|同事|老师|教授|导师|编辑|老板|邻居|女儿|儿子|孩子|老公|丈夫|老婆|妻子|对象|男友|女友|男朋友|女朋友|家人|家里人|读者|粉丝|大家|别人|人家|有人|他们|她们|他|她|咱妈|咱爸|客人|我家|你们|您|你|谁)|(?:那个|这个|那位|这位)(?:男孩|女孩|人|家伙|老人|孩子|主角|姑娘|小伙子)$`)
	zhLatinThird = regexp.MustCompile(`^[A-Z][a-z]+`)

	zhOnce   = regexp.MustCompile(`^(?:.*因为)?` + zhOpen + zhSelf + `?(?:以前|小时候|从前)(?:就|也|一直)?(?:很|特别|非常|超|最|挺)?(?:喜欢|爱)([^过].{1,10}?)[啊了呀哦嘛]*$`)
	zhRelish = regexp.MustCompile(`^` + zhOpen + `(.{2,10}?)(?:那种.{0,2}|的)?我(?:就|都|也|倒是?|是)?(?:(?:看|读|听|吃|喝|玩)得(?:津津有味|很开心|停不下来|入迷|过瘾|很香)|(?:一本|一部|一首|一集)(?:都|也)?(?:没|不)落下?|百看不厌|百听不厌|看多少遍都不腻)`)
	zhFlaw   = regexp.MustCompile(zhSelf + `(写东西|写作|写稿|写小说|画画|做事|说话|这人|这个人)?(?:一直|总|老)?有个?(?:坏|老|大)?(?:毛病|习惯|缺点)[，,：:]?\s?(?:就是|是|，)?([^，,。！？]{2,14})`)
	// zhClauseFirst are the characters that a clause end may begin with.
	zhClauseFirst = "，,；;。！!？?～~—…·．. ："
	zhClauseHere  = regexp.MustCompile(`^(?:` + zhClause.String() + `)`)
	zhClause      = regexp.MustCompile(`[，,；;。！!？?～~]|——|—|…+|·{2,}|．{2,}|\.{2,}| - |：`)

	zhFavKind = regexp.MustCompile(`^` + zhOpen + zhAdv + zhSelf + `?` + zhAdv + `(最|第一|第二|第三)(?:喜欢|爱|喜爱|钟爱|中意|爱看|爱读|推崇)的?(.{0,14}?)(?:之一)?(?:还是|就是|是|：|:|依然是|仍然是|仍是|变成了?|换成了?|要数|莫过于|叫)(.+)$`)
	zhIsFav   = regexp.MustCompile(`^` + zhOpen + `(.{1,20}?)(?:才|就|一直|永远|还|也|都|绝对)*是` + zhSelf + zhAdv + `(最|第二|第三)?(?:喜欢|爱|喜爱|钟爱|敬爱|敬佩|佩服|崇拜|推崇|爱看|看重|欣赏)的(.{1,10}?)(之一)?[了啦哦呢]*$`)
	zhSecond  = regexp.MustCompile(`^其次(?:是|就是|喜欢)(.+)$`)

	zhLike = regexp.MustCompile(`^(.*?)(最不|第一|第二|第三|最|更|并不是很|不是很|不是特别|不怎么|不太|没那么|不那么|不大|不再|再也不|已经不|不|没|从不|从来不)?(?:再|是)?(很|挺|蛮|超|特别|那么|太)?(喜欢上了?|喜欢|喜爱|热爱|佩服|崇拜|欣赏|仰慕|敬佩|偏爱|钟爱|钟情于|迷上了?|沉迷于?|痴迷于?|着迷于|迷恋|中意|偏好|爱看|爱读|爱听|爱吃|爱喝|爱玩|爱写|爱逛|爱|讨厌|厌恶|反感|受不了|看不惯|嫌弃|腻了|怕)(.*)$`)

	zhToward = regexp.MustCompile(`^` + zhOpen + zhAdv + zhSelf + `?` + zhAdv + `对于?(.{1,16}?)(?:很|挺|特别|非常|一直|也|都|超|比较|还是|真的|其实|蛮)*(感兴趣|有兴趣|着迷|上瘾|情有独钟|不感兴趣|没什么感觉|没感觉|没什么兴趣|没兴趣|没有兴趣|无感|提不起兴趣|过敏|痴迷|迷恋|有一种.{0,6}(?:迷恋|偏爱|执念|好感)|没有抵抗力)`)
	zhCant   = regexp.MustCompile(`^(.*?)(?:一页都|怎么都|实在|完全|根本|还是|也|都|就|一直|有点|不太)*(看不下去|读不下去|听不下去|吃不下|喝不惯|吃不惯|看不惯|没读进去|读不进去|看不进去)(.*)$`)
	zhFanOf  = regexp.MustCompile(`^` + zhOpen + zhAdv + zhSelf + zhAdv + `是(?:个|一个|一名|位)?(?:资深|忠实|铁杆|老|超级)?(.{1,12}?)(?:的(?:死忠粉?|铁粉|忠粉|粉丝|忠实读者|书迷|拥趸|粉)|迷|爱好者|控)$`)

	zhTried    = regexp.MustCompile(`^(.*?)(没有?|还没|从没|从来没有?|未曾|不曾|没敢|不敢)?(尝试过?了?|试着|试过|试了试|试了|试用过|写过|写了|练过|碰|用过|挑战过|挑战了)(.*)$`)
	zhUseWrite = regexp.MustCompile(`用(.{2,10}?)(?:写了|写过|来写|写)`)
	zhStyle    = regexp.MustCompile(`(叙事|叙述|叙述者|视角|人称|写法|笔法|笔调|手法|文体|书信体?|日记体|自传体|对话体|意识流|白描|对白|方言|韵文|格律|剧本体|写诗|倒叙|插叙|顺叙|伏笔|多线|留白|独白|文风|语调|口吻|开头|结局|结尾|开放式|群像|蒙太奇|碎片化|复调|元小说|心理描写|环境描写|讲故事的方式|慢节奏|悬念|反转)`)
	zhStyleEnd = regexp.MustCompile(`(叙事|叙述|叙事方式|叙述方式|叙述者|视角|人称|写法|笔法|笔调|手法|文体|书信体|日记体|自传体|对话体|意识流|白描|倒叙|插叙|顺叙|伏笔|多线|留白|独白|文风|口吻|开头|结局|结尾|群像|复调|元小说|心理描写|反转)$`)

	zhTitle   = regexp.MustCompile(`《([^《》]{1,40})》`)
	zhRead    = regexp.MustCompile(`读|看|翻|抄|追|听|玩|刷|聊|讲|提到|讨论|推荐|背|借|买|重温|通关|啃|哭`)
	zhNotRead = regexp.MustCompile(`(?:没有?|从没|还没|从来没|未|没怎么|没来得及|尚未)(?:再|怎么|来得及|有|时间|机会|认真){0,2}(?:读|看|翻|听|玩|接触)(?:过|到|完)?`)
	zhPlan    = regexp.MustCompile(`想(?:读|看|去|试|借|买)|打算|准备|计划|下次|以后|将来|改天|回头|会(?:去)?(?:读|看)|要(?:去)?(?:读|看)`)
	zhOwnWork = regexp.MustCompile(`(?:叫做?|名叫|题目是?|名为|书名是?|取名|命名为|标题是?)[“"「]?《|我的?(?:第一|新|这|那)?(?:篇|部|本|个)?(?:小说|稿子|故事|作品|短篇|长篇|剧本)[，,]?(?:叫|是)?《|(?:我写的|在写的|新写的|写完了?)《`)
	zhManual  = regexp.MustCompile(`手册|预案|流程|规范|文档|SOP|指南$|制度`)
	zhChapter = regexp.MustCompile(`第[一二三四五六七八九十百零〇两\d]{1,5}[章回节篇卷幕话]|最后一章`)
	zhNamedCh = regexp.MustCompile(`[“"「『]([^“”"「」『』]{1,16})[”"」』](?:那|这)?一?(?:章|篇|节|回|部分|段)|(?:那|这)一?(?:章|篇|回|部分)(?:叫|是|，就是)?[“"「『]([^“”"「」『』]{1,16})[”"」』]|就是[“"「『]([^“”"「」『』]{1,16})[”"」』]`)

	zhTraitPerson = regexp.MustCompile(`^` + zhOpen + zhAdv + zhSelf + `(.{0,8}?)(不是|并不是|不算是?|算不上|是|属于|算是|算)(?:那种|一个|个|一名|一位|名|位|挺|很|比较|蛮|特别|有点|典型的)*(.{1,16}?)(?:的人|的那种人|的性格|的类型|型人格|类型的人|的那一?类)?[了啦哦呢呀嘛吧啊]*$`)
	zhTraitVerb   = regexp.MustCompile(`^` + zhOpen + zhAdv + zhSelf + `(?:这个?人|自己|平时|一直|总是|从小|其实|就|也|真的|向来|确实|本来|有时候?|一专注起来)*(不太会|不擅长|不太擅长|很擅长|挺擅长|比较擅长|擅长|总是容易|容易|比较|特别容易|不善于|善于|不太能|总忍不住|总爱|老爱|有点|坐得住|静不下心|性子|性格|脾气|胆子|记性)(.{0,14})$`)
	zhTraitHabit  = regexp.MustCompile(`^(?:写东西|写作|做事|说话)?有个?(?:坏)?(毛病|习惯)(?:是|就是)?(.*)$`)
	zhTraitNoun   = regexp.MustCompile(`(性子|脾气|完美主义者?|拖延症|强迫症|路痴|吃货|夜猫子|早起的人|社恐|内向|外向|乐观|悲观|理科生|工科生|文科生|学生|研究生|大学生|程序员|工程师|老师|教师|医生|护士|设计师|编辑|翻译|作家|画家|记者|律师|会计|厨师|摄影师|司机|销售|产品经理|运维|管理员|左撇子|急性子|慢性子|胆小鬼|乐天派|行动派|理想主义者?|悲观主义者?|现实主义者?|素食者|素食主义者|独生子女?|北方人|南方人|[\p{Han}]{1,4}人|[\p{Han}]{1,6}(?:者|派|控|党|狂|迷|族))$`)
	zhTraitAdj    = regexp.MustCompile(`^(?:很|挺|比较|特别|有点|非常|太|蛮|超|不太|不够|不)*(内向|外向|害羞|固执|倔|急|急躁|慢热|敏感|细心|粗心|马虎|懒|懒散|勤快|耐心|有耐心|没耐心|乐观|悲观|胆小|健忘|挑剔|执着|专注|念旧|怕生|话少|话多|安静|理性|感性|自律|散漫|随和|较真|老实|诚实|要强|好胜|爱哭|怕黑|笨|笨拙|迟钝|拖拉|谨慎|浪漫|现实|独立|优柔寡断|多愁善感|大大咧咧|三分钟热度|有天分|没天分|容易.{1,8}|喜欢独处)$`)

	zhCritique = regexp.MustCompile(`^` + zhOpen + `(?:` + zhSelf + `?(?:总|一直|还是|自己|倒|也|就|现在)*(?:觉得|感觉|认为|自认为|发现|知道|嫌))?(?:` + zhSelf + `的?)?(?:自己)?(?:写的|写出来的|笔下的|这篇|这稿|初稿|新写的|画的|做的)?(?:的)?(` + zhAspect + `)?(?:部分|那段|这段|那里|这里)?(?:还是|总是|实在|确实|都|也|写得|得|有点|有些|真的|又|就|全)*(太|过于|不够|没什么|缺乏|缺少|像|显得|还是|过分)(.{1,14})$`)
	zhWriteDe  = regexp.MustCompile(`^` + zhOpen + `(?:` + zhSelf + `)?(?:这篇|这次|那篇|那时|总是|老是|还是|总)*(?:写|画|拍|唱|弹|译)(?:得|的)(?:还是|实在|有点|有些|真的|也|又)*(太|不够|过于|很|有点|不|像)(.{1,12})$`)
	zhBadWords = regexp.MustCompile(`平淡|普通|无聊|无趣|有趣|生硬|僵硬|仓促|拖沓|啰嗦|冗长|碎|乱|散|空洞|单薄|浅|薄|老套|俗|做作|刻意|矫情|假|纸片|流水账|自然|诚实|真诚|连贯|生动|立体|饱满|细腻|深|紧凑|说教|满|弱|长|短|多|少|重|轻|差|烂|糟|丑|拉胯|半吊子|呆板|糟糕|匠气|通知|训话|俗套|松散|用力|直白|晦涩|贫乏|粗糙|幼稚|干|平|刻板|警察报告|报告|味道|张力|节奏|想象力|画面感`)

	zhHabit  = regexp.MustCompile(`^` + zhOpen + zhAdv + zhSelf + `?(?:也|都|还|一直|就|自己|平时|一般|现在|以前)*(经常|常常|时常|每天|每晚|每周|每个周末|每到周末|每年|每月|每次|总是|总会|通常|平时|一般|习惯|大多会|多半会|天天|只|改喝|改吃|改用|改看|改写|改|老是|从不|从来不|再也不|不再|很少)(?:都|会|在|要|是|也|又|就|会在)*(.{2,24})$`)
	zhNoMore = regexp.MustCompile(`^(.{1,8}?)(?:我)?(?:已经)?(?:不|戒)(喝|吃|玩|看|读|听|抽|用|跑|写)?了$`)
)

const zhAspect = `对话|情节|人物|角色|开头|结尾|结局|节奏|语言|文笔|描写|叙述|比喻|句子|故事|小说|稿子|文章|标题|题目|剧情|设定|铺垫|转折|心理描写|配角|主角|诗|画|散文|段落|细节|文字`

var zhSoft = regexp.MustCompile(`好像|大概`)

var zhThatChapter = regexp.MustCompile(`》(?:里面?|中|的|，|里的){0,3}([\p{Han}]{2,10}?)(?:的)?那一?(?:章|篇|回|节)`)

var zhShoddy = regexp.MustCompile(`(半吊子|流水账|四不像)[了啊呀]*$`)

// zhSubject says who a clause speaks of, by how it starts.
type subject uint8

const (
	dropped subject = iota // no subject: that of the clause before
	self
	other
)

var zhLead = regexp.MustCompile(`^` + zhOpen + zhAdv)

func zhSubjectOf(clause string, names []string) (subject, string) {
	rest := strings.TrimLeft(clause, " ")
	rest = strings.TrimLeft(rest[len(zhLead.FindString(rest)):], " ")
	if zhOthers.MatchString(rest) {
		return other, rest
	}
	if strings.HasPrefix(rest, "我们") || strings.HasPrefix(rest, "咱们") {
		return other, rest
	}
	for _, n := range names {
		if n != "" && strings.HasPrefix(strings.ToLower(rest), strings.ToLower(n)) {
			return self, "我" + rest[len(n):]
		}
	}
	if regexpSelf.MatchString(rest) {
		return self, rest
	}
	if zhLatinThird.MatchString(rest) && !strings.Contains(rest, "我") {
		return other, rest
	}
	return dropped, rest
}

var regexpSelf = regexp.MustCompile(`^` + zhSelf)

func zhTriples(s string, o TripleOptions) (out []Triple) {
	if zhCond.MatchString(s) && !strings.Contains(s, "每当") {
		return zhMentions(s, true, nil)
	}
	// "我最喜欢的，是…", "我对宇宙，有…", "夏目漱石……是…" are one clause.
	s = zhJoin.ReplaceAllString(s, "$1$2")
	if strings.Contains(s, "可太") && strings.Contains(s, "了呢") {
		return nil // irony
	}
	who := dropped
	writing := strings.ContainsAny(s, "写稿") || strings.Contains(s, "小说") || strings.Contains(s, "创作")
	if m := zhFlaw.FindStringSubmatch(s); m != nil {
		pred, conf := "SELF_TRAIT", clear
		if strings.HasPrefix(m[1], "写") || strings.HasPrefix(m[1], "画") {
			pred = "SELF_CRITIQUE"
		}
		out = append(out, Triple{Predicate: pred, Object: Term{"Tag", []string{zhClean(m[2])}}, Confidence: conf})
	}
	for _, clause := range splitClauses(s) {
		if zhSoft.MatchString(clause) && !zhHedge.MatchString(zhSoft.ReplaceAllString(clause, "")) {
			for _, t := range zhTraits(zhSoft.ReplaceAllString(clause, ""), self) { // "我好像不太会…" is a soft way to say it
				t.Confidence -= 0.08
				out = append(out, t)
			}
			continue
		}
		if zhHedge.MatchString(clause) {
			if w, _ := zhSubjectOf(clause, o.Names); w != dropped {
				who = w
			}
			continue
		}
		w, rest := zhSubjectOf(clause, o.Names)
		if w != dropped {
			who = w
		}
		if who == other && !topicalSelf.MatchString(clause) {
			continue
		}
		explicit := 0.0
		if who == dropped {
			explicit = -0.04 // a memory often leaves the subject out
		}
		past := zhPast.MatchString(clause) && !strings.Contains(clause, "从小")
		n := len(out)
		out = append(out, zhClauseTriples(clause, rest, who, past, writing, explicit)...)
		if m := zhShoddy.FindStringSubmatch(clause); m != nil && who != other && (writing || regexp.MustCompile(zhAspect).MatchString(s)) {
			out = append(out, Triple{Predicate: "SELF_CRITIQUE", Object: Term{"Tag", []string{m[1]}}, Confidence: interpreted})
		} else if len(out) == n && writing {
			out = append(out, zhCritiques(clause, who)...)
		}
		if len(out) == n && !past {
			out = append(out, zhMore(clause, who, writing)...)
		}
	}
	return append(out, zhMentions(s, who == other, out)...)
}

var zhJoin = regexp.MustCompile(`(喜欢的|最爱的|对\p{Han}{1,8}|\p{Han})(?:，|…+|——)((?:，)?是我|是宫|有一种|就是《|是《|我(?:真是|真的|是真|实在|一概|从来|怎么|一直|没办法|都|也|很|真|可|很喜欢|不))`)

var topicalSelf = regexp.MustCompile(`[^我]我(?:也|就|都|是|还|真的|一直|倒|最|很|不|实在|完全)*(?:不太|不怎么|喜欢|讨厌|爱|看不|读不|吃不|喝不)`)

func splitClauses(s string) (out []string) {
	// Title marks and quotes may hold commas.
	depth, start := 0, 0
	for i, r := range s {
		switch r {
		case '《', '“', '「', '『':
			depth++
		case '》', '”', '」', '』':
			depth = max(0, depth-1)
		default:
			// The pattern looks at no more than the next clause end: a text of a million
			// characters without one costs no more than its length.
			if depth > 0 || i < start || !strings.ContainsRune(zhClauseFirst, r) {
				continue
			}
			if loc := zhClauseHere.FindStringIndex(s[i:]); loc != nil {
				out = append(out, strings.TrimSpace(s[start:i]))
				start = i + loc[1]
			}
		}
	}
	if start < len(s) {
		out = append(out, strings.TrimSpace(s[start:]))
	}
	var kept []string
	for _, c := range out {
		if c != "" {
			kept = append(kept, c)
		}
	}
	return kept
}

func zhClauseTriples(clause, rest string, who subject, past, writing bool, adj float64) (out []Triple) {
	if m := zhFavKind.FindStringSubmatch(clause); m != nil && !past && !strings.Contains(clause, "什么") {
		rank := zhRank(m[1])
		if strings.Contains(clause, "之一") {
			rank = 0
		}
		return append(out, zhFavourites(m[2], m[3], rank, direct+adj)...)
	}
	if m := zhIsFav.FindStringSubmatch(clause); m != nil && !past && !regexp.MustCompile(`^(?:他|她|这|那|它)|不$`).MatchString(m[1]) {
		rank := zhRank(m[2])
		if m[4] != "" {
			rank = 0
		}
		return append(out, zhFavourites(m[3], strings.TrimPrefix(m[1], "我觉得"), rank, direct-0.01)...)
	}
	if m := zhSecond.FindStringSubmatch(clause); m != nil {
		for _, t := range zhObjects(m[1], false) {
			out = append(out, liking(t.kind, t.parts, false, 2, clear))
		}
		return out
	}
	if m := zhToward.FindStringSubmatch(clause); m != nil && !past {
		neg := strings.HasPrefix(m[2], "不") || strings.HasPrefix(m[2], "没") && !strings.Contains(m[2], "抵抗力") || m[2] == "无感" || strings.HasPrefix(m[2], "提不起")
		conf := clear + 0.04
		if strings.Contains(m[2], "感觉") || m[2] == "无感" {
			conf = weak
		}
		if m[2] == "过敏" {
			return nil
		}
		for _, t := range zhObjects(m[1], false) {
			out = append(out, liking(t.kind, t.parts, neg, 0, conf))
		}
		return out
	}
	if m := zhFanOf.FindStringSubmatch(clause); m != nil && !past {
		for _, t := range zhObjects(m[1], false) {
			out = append(out, liking(t.kind, t.parts, false, 0, clear+0.04))
		}
		return out
	}
	if m := zhRelish.FindStringSubmatch(clause); m != nil {
		for _, t := range zhObjects(strings.TrimSuffix(m[1], "嘛"), false) {
			out = append(out, liking(t.kind, t.parts, false, 0, weak))
		}
		return out
	}
	if m := zhOnce.FindStringSubmatch(clause); m != nil && !strings.Contains(clause, "现在") {
		for _, t := range zhObjects(m[1], false) {
			out = append(out, liking(t.kind, t.parts, false, 0, interpreted))
		}
		return out
	}
	if ts := zhTries(clause, who); len(ts) > 0 {
		return ts
	}
	if ts := zhTraits(clause, who); len(ts) > 0 {
		return ts
	}
	if !past {
		if ts := zhLikes(clause, who, adj); len(ts) > 0 {
			return ts
		}
		if m := zhCant.FindStringSubmatch(clause); m != nil {
			obj := strings.TrimSpace(m[3])
			if obj == "" {
				obj = regexp.MustCompile(zhOpen+`(?:我)?$`).ReplaceAllString(strings.TrimSpace(m[1]), "")
				obj = strings.TrimSuffix(obj, "我")
				if regexp.MustCompile(`现在|反正|是$|^(?:也|都|就)`).MatchString(obj) {
					obj = ""
				}
			}
			for _, t := range zhObjects(obj, false) {
				if t.kind != kindTopic || utf8.RuneCountInString(t.parts[0]) >= 2 {
					out = append(out, liking(t.kind, t.parts, true, 0, interpreted))
				}
			}
			if len(out) > 0 {
				return out
			}
		}
		out = append(out, zhHabits(clause, who)...)
	}
	return out
}

func zhRank(s string) int {
	switch s {
	case "最", "第一":
		return 1
	case "第二":
		return 2
	case "第三":
		return 3
	}
	return 0
}

func zhFavourites(what, obj string, rank int, conf float64) (out []Triple) {
	forced, known := zhKind(what)
	// "最喜欢夏目漱石的作品是《我是猫》" names the author too.
	if forced == kindWork {
		if name, _, ok := strings.Cut(what, "的"); ok && (isAuthor(name) || looksLikeName(name)) {
			out = append(out, liking(kindAuthor, []string{name}, false, 0, clear))
		}
	}
	for _, t := range zhObjects(obj, true) {
		if known && (t.kind == kindTopic || t.kind == kindDeed || forced == kindAuthor || forced == kindStyle) {
			t.kind = forced
		}
		if t.kind == kindWork && len(t.parts) == 1 && forced == kindChapter {
			t.kind, t.parts = kindChapter, []string{"", t.parts[0]}
		}
		if t.kind == kindChapter && len(t.parts) == 1 {
			t.parts = []string{"", t.parts[0]}
		}
		if t.kind == kindDeed {
			t.kind = kindTopic
		}
		out = append(out, liking(t.kind, t.parts, false, rank, conf))
	}
	return out
}

// zhKind reads what sort of thing a favourite is.
func zhKind(what string) (kind, bool) {
	what = strings.TrimSpace(what)
	for _, c := range []struct {
		k     kind
		words string
	}{
		{kindAuthor, "作家 作者 诗人 小说家 写手 文豪 写书人 大师"},
		{kindChapter, "一章 篇章 章节 一回 一节 那章"},
		{kindStyle, "写法 叙事 叙述 叙事方式 叙述方式 视角 人称 文风 手法 笔法"},
		{kindWork, "作品 书 小说 电影 动画 漫画 歌 歌曲 游戏 电视剧 剧 诗 散文 片子 专辑 绘本 一本 一部 那本 一首 动漫 番 短篇 长篇 科幻小说 推理小说"},
	} {
		for _, w := range strings.Fields(c.words) {
			if strings.HasSuffix(what, w) {
				return c.k, true
			}
		}
	}
	return kindTopic, false
}

var zhBeforeLike = regexp.MustCompile(`^` + zhOpen + zhAdv + `(` + zhSelf + `)?` + zhAdv + `$`)
var zhFronted = regexp.MustCompile(`^` + zhOpen + `(.{2,16}?)(?:的话|呢|嘛|啊)?我` + zhAdv + `$`)

func zhLikes(clause string, who subject, adj float64) (out []Triple) {
	m := zhLike.FindStringSubmatch(clause)
	if m == nil {
		return nil
	}
	before, mod, verb, obj := strings.TrimSpace(m[1]), m[2], m[4], strings.TrimSpace(m[5])
	if who == dropped && strings.Contains(before, "的") {
		return nil
	}
	before = strings.TrimSuffix(before, "可")
	fronted := ""
	if !zhBeforeLike.MatchString(before) {
		f := zhFronted.FindStringSubmatch(before)
		if f == nil {
			return nil
		}
		if fronted = f[1]; obj != "" && strings.Trim(obj, "了的啊呀哦嘛啦") != "" {
			// "推理小说我最喜欢东野圭吾的": the front only says among what.
			if topicWord(fronted) || !strings.HasPrefix(fronted, "比起") && mod != "最" {
				return nil
			}
		} else {
			obj = fronted
		}
	}
	switch verb {
	case "爱":
		if strings.HasPrefix(obj, "把") {
			return nil
		}
		if mod != "最" && !strings.HasPrefix(obj, "吃") && !strings.HasPrefix(obj, "喝") && mod != "不" && m[3] == "" || strings.HasPrefix(obj, "好") || strings.HasPrefix(obj, "情") {
			return nil
		}
	case "怕":
		return nil
	case "偏好", "偏爱":
	}
	neg := strings.Contains(mod, "不") || strings.HasPrefix(mod, "没")
	dislike := false
	switch verb {
	case "讨厌", "厌恶", "反感", "受不了", "看不惯", "嫌弃", "腻了":
		dislike = true
	}
	if dislike && neg {
		return nil // "不讨厌" is no liking
	}
	if strings.Contains(clause, "不是喜欢") || strings.HasPrefix(obj, "归") || regexp.MustCompile(`^不(?:来|了|动|惯)`).MatchString(obj) || strings.Contains(before, "不是") || strings.Contains(before, "并不") {
		return nil
	}
	conf := plainly + 0.02 + adj
	rank := 0
	if !neg {
		rank = zhRank(mod)
	}
	switch {
	case strings.Contains(clause, "之一"):
		rank, conf = 0, clear+0.04
	case rank > 0:
		conf = direct + adj
	case strings.Contains(mod, "不太") || strings.Contains(mod, "不怎么") || strings.Contains(mod, "那么") || mod == "不大" || strings.HasPrefix(mod, "不是"):
		conf = clear + adj
	}
	if strings.Contains(obj, "的是") && rank == 0 {
		_, obj, _ = strings.Cut(obj, "的是")
	}
	if t, ok := strings.CutPrefix(obj, "的是"); ok {
		obj = t
	} else if strings.HasPrefix(obj, "的") {
		return nil
	}
	switch verb {
	case "爱看", "爱读", "爱听", "爱吃", "爱喝", "爱玩", "爱写", "爱逛":
		obj = strings.TrimLeft(obj, " ")
	}
	if obj == "" {
		return nil
	}
	for _, t := range zhObjects(obj, false) {
		c := conf
		if t.kind == kindWork && rank == 0 && !neg && !dislike {
			c = min(c, clear)
		}
		out = append(out, liking(t.kind, t.parts, neg || dislike, rank, c))
	}
	return out
}

func zhTries(clause string, who subject) (out []Triple) {
	if who == other {
		return nil
	}
	m := zhTried.FindStringSubmatch(clause)
	if m == nil {
		return nil
	}
	neg := m[2] != ""
	obj := m[4]
	if u := zhUseWrite.FindStringSubmatch(clause); u != nil {
		obj = u[1]
	} else if strings.Trim(obj, "了过 ") == "" || !zhStyle.MatchString(obj) {
		obj = zhLead.ReplaceAllString(m[1], "") // "书信体我还没试过"
		obj = strings.TrimSuffix(strings.TrimSuffix(strings.TrimSpace(obj), "还"), "我")
		obj = strings.TrimPrefix(obj, "我")
	}
	if m[3] == "写了" || m[3] == "写过" || m[3] == "碰" {
		if !zhStyle.MatchString(obj) {
			return nil
		}
	}
	for _, w := range []string{"换成", "改成", "改用", "用"} {
		obj = strings.TrimPrefix(obj, w)
	}
	obj = regexp.MustCompile(`^(?:一|两|三|几)?(?:篇|部|个|本)?(?:全是|都是|完全是|纯)?`).ReplaceAllString(obj, "")
	obj = regexp.MustCompile(`(?:来写|去写|写作|写一?[遍次篇段].*|写了.*|写)$`).ReplaceAllString(obj, "")
	obj = zhClean(obj)
	if !zhStyle.MatchString(obj) || utf8.RuneCountInString(obj) > 14 {
		return nil
	}
	conf := plainly
	if m[2] == "没敢" || m[2] == "不敢" {
		conf = interpreted
	} else if m[3] == "碰" {
		return nil
	}
	return append(out, Triple{Predicate: polar("TRIED_STYLE", neg), Object: Term{"Topic", []string{obj}}, Confidence: conf})
}

func zhTraits(clause string, who subject) (out []Triple) {
	trait := func(name string, neg bool, conf float64) {
		if name = zhClean(name); utf8.RuneCountInString(name) >= 2 && utf8.RuneCountInString(name) <= 16 && !strings.ContainsAny(name, "你他她") {
			out = append(out, Triple{Predicate: polar("SELF_TRAIT", neg), Object: Term{"Tag", []string{name}}, Confidence: conf})
		}
	}
	if m := zhTraitPerson.FindStringSubmatch(clause); m != nil && !strings.ContainsAny(m[1], "你他她写喜讨说想试看读听吃喝的") {
		neg := strings.Contains(m[2], "不")
		name := strings.TrimSuffix(m[3], "的")
		person := strings.Contains(clause[strings.LastIndex(clause, m[3]):], "人") || strings.Contains(m[2], "属于") || strings.Contains(m[2], "算")
		switch {
		case strings.HasSuffix(clause, "吧") && !strings.Contains(m[2], "算"), strings.Contains(name, "第一次"), strings.Contains(name, "说"), strings.ContainsAny(name, "这那"), strings.HasPrefix(name, "因为"), strings.HasPrefix(name, "为了"), strings.HasPrefix(name, "来"), strings.HasPrefix(name, "在"), strings.HasPrefix(name, "认真"):
		case zhTraitNoun.MatchString(name) || zhTraitAdj.MatchString(name):
			trait(name, neg, plainly+0.02)
		case person && utf8.RuneCountInString(name) <= 12 && (strings.HasSuffix(strings.TrimRight(clause, "了啦哦呢呀嘛啊"), "的人") || strings.Contains(clause, "类型") || strings.Contains(clause, "性格")):
			trait(name, neg, clear+0.04)
		}
		if len(out) > 0 {
			return out
		}
	}
	if m := zhTraitVerb.FindStringSubmatch(clause); m != nil {
		verb, obj := m[1], strings.TrimSpace(m[2])
		switch {
		case strings.Contains(clause, "觉得"), strings.Contains(obj, "喜欢"), strings.ContainsAny(obj, "你他她这那"):
		case verb == "有点" || verb == "比较":
			if zhTraitAdj.MatchString(obj) {
				trait(obj, false, weak)
			}
		case verb == "坐得住" || verb == "静不下心":
			trait(verb, false, clear)
		case verb == "性子" || verb == "性格" || verb == "脾气" || verb == "胆子" || verb == "记性":
			if obj != "" {
				trait(verb+strings.TrimLeft(strings.TrimLeft(obj, "很比较特别也真的是"), " "), false, clear)
			}
		case obj != "":
			v := strings.TrimPrefix(strings.TrimPrefix(verb, "不太"), "总是")
			switch {
			case verb == "不太会" || verb == "不太能":
				trait(verb+obj, false, clear)
			case strings.HasPrefix(verb, "不"):
				trait("不"+strings.TrimPrefix(v, "不")+regexp.MustCompile(`(?:就|所以|当是).*$`).ReplaceAllString(obj, ""), false, clear+0.04)
			case strings.HasSuffix(verb, "擅长"):
				trait("擅长"+obj, false, clear+0.04)
			case strings.HasSuffix(verb, "容易"):
				trait("容易"+obj, false, clear)
			}
		}
		return out
	}
	if i := strings.Index(clause, "容易"); i >= 0 && who != other && (strings.Contains(clause, "总是容易") || strings.Contains(clause, "特别容易") || strings.Contains(clause, "很容易")) && !strings.Contains(clause, "被") {
		obj := clause[i:]
		if n := utf8.RuneCountInString(obj); n >= 4 && n <= 9 {
			trait(obj, false, weak)
		}
	}
	return out
}

func zhCritiques(clause string, who subject) (out []Triple) {
	if who == other || strings.ContainsAny(clause, "你他她") {
		return nil
	}
	add := func(aspect, degree, what string, conf float64) {
		what = zhClean(what)
		neg := strings.HasPrefix(degree, "没") && strings.HasPrefix(what, "那么")
		if !zhBadWords.MatchString(what) || utf8.RuneCountInString(what) > 10 {
			return
		}
		name := degree + what
		if degree == "很" || degree == "有点" || degree == "显得" || degree == "还是" || degree == "过于" || degree == "过分" {
			name = what
		}
		if strings.HasPrefix(degree, "像") {
			conf = interpreted
		}
		out = append(out, Triple{Predicate: polar("SELF_CRITIQUE", neg), Object: Term{"Tag", []string{aspect + name}}, Confidence: conf})
	}
	if m := zhWriteDe.FindStringSubmatch(clause); m != nil {
		if m[1] == "很" && !regexp.MustCompile(`差|烂|糟|乱|平淡|生硬|慢|普通`).MatchString(m[2]) {
			return nil
		}
		add("", m[1], m[2], clear)
		return out
	}
	if m := zhCritique.FindStringSubmatch(clause); m != nil && m[1] != "" {
		add(m[1], m[2], m[3], clear+0.04)
	}
	return out
}

var zhHabitVerb = regexp.MustCompile(`^(?:用|边|早上|晚上|睡前|饭后|周末|下班后?|起床后?|开始前|写稿前|动笔前|在.{1,6}?)?(.{0,6}?)(喝|吃|读|看|写|听|跑|游|画|弹|练|做|逛|刷|发呆|对着|动笔|散步|健身|记|用|泡|去|玩|重看|重读|晨跑|夜跑|熬夜|早起|挑|整理|擦|煮|拍|骑|爬|带)`)

func zhHabits(clause string, who subject) (out []Triple) {
	m := zhHabit.FindStringSubmatch(clause)
	if m == nil || who == other || strings.ContainsAny(clause, "你他她它们？") {
		return nil
	}
	adv, obj := m[1], m[2]
	neg := adv == "从不" || adv == "从来不" || adv == "再也不" || adv == "不再"
	if adv == "很少" {
		return nil
	}
	obj = strings.TrimSpace(obj)
	if !zhHabitVerb.MatchString(obj) && !strings.HasPrefix(adv, "改") {
		return nil
	}
	if strings.ContainsAny(obj, "了过不") || adv == "每年" && strings.HasPrefix(obj, "冬天") || strings.HasPrefix(adv, "每次") && regexp.MustCompile(`^(?:读到|看到|听到|想到|见到)`).MatchString(obj) || strings.Contains(obj, "会想") || strings.Contains(obj, "觉得") || strings.Contains(obj, "看到") || strings.Contains(obj, "看见") || strings.Contains(obj, "做梦") {
		return nil
	}
	conf := weak + 0.02
	switch adv {
	case "只":
		if !strings.HasPrefix(obj, "喝") && !strings.HasPrefix(obj, "吃") && !strings.HasPrefix(obj, "读") && !strings.HasPrefix(obj, "看") && !strings.HasPrefix(obj, "听") && !strings.HasPrefix(obj, "用") {
			return nil
		}
		conf = clear
	case "改喝", "改吃", "改用", "改看", "改写", "改":
		if adv == "改" {
			return nil
		}
		for _, t := range zhObjects(obj, false) {
			out = append(out, liking(t.kind, t.parts, false, 0, weak))
		}
		return out
	}
	// What is drunk, eaten, read or heard is the object; other deeds stay deeds.
	for _, v := range []string{"喝", "吃", "听"} {
		if t, ok := strings.CutPrefix(obj, v); ok {
			for _, t := range zhObjects(t, false) {
				out = append(out, liking(t.kind, t.parts, neg, 0, conf))
			}
			return out
		}
	}
	obj = strings.TrimPrefix(strings.TrimPrefix(zhClean(obj), "都要"), "会在")
	if n := utf8.RuneCountInString(obj); n < 2 || n > 14 {
		return nil
	}
	return append(out, liking(kindDeed, []string{obj}, neg, 0, conf))
}

// zhMentions finds works and chapters that are read or talked about.
func zhMentions(s string, third bool, said []Triple) (out []Triple) {
	titles := zhTitle.FindAllStringSubmatchIndex(s, -1)
	work := ""
	if strings.Contains(s, "如果") && third {
		return nil
	}
	own := zhOwnWork.MatchString(s)
	for _, m := range titles {
		title := strings.TrimSpace(s[m[2]:m[3]])
		if zhManual.MatchString(title) || own {
			continue
		}
		work = title
		around := s[max(0, m[0]-60):min(len(s), m[1]+60)]
		near := around // the clause that holds the title
		for _, c := range zhClause.Split(s, -1) {
			if strings.Contains(c, s[m[0]:m[1]]) {
				near = c
			}
		}
		if strings.Contains(around, "听说") || strings.Contains(s[m[1]:], "的作者") && !zhRead.MatchString(near) {
			continue
		}
		conf := weak
		if zhRead.MatchString(around) {
			conf = plainly
		}
		if third {
			continue
		}
		switch {
		case zhNotRead.MatchString(near) && !regexp.MustCompile(`(?:读|看|翻)完|没(?:有)?(?:读|看)(?:进去|懂|完)|没落下`).MatchString(around):
			out = append(out, Triple{Predicate: "HAS_NOT_DISCUSSED_WORK", Object: Term{"Work", []string{title}}, Confidence: clear})
		case zhPlan.MatchString(near):
		case liked(said, title) && !regexp.MustCompile(`读过|看过|读了|看了|重读|重看|追|翻|看睡着|没读完|读完|看完`).MatchString(near):
		default:
			out = append(out, Triple{Predicate: "DISCUSSED_WORK", Object: Term{"Work", []string{title}}, Confidence: conf})
		}
	}
	if third {
		return out
	}
	if m := zhThatChapter.FindStringSubmatch(s); m != nil && work != "" {
		return append(out, Triple{Predicate: "DISCUSSED_CHAPTER", Object: Term{"Chapter", []string{work, strings.TrimLeft(zhClean(m[1]), "，里面")}}, Confidence: clear - 0.04})
	}
	if ch := zhChapter.FindString(s); ch != "" && (work != "" || regexp.MustCompile(`我.{0,6}(?:读|看)|(?:读|看)(?:完|到)了?`).MatchString(s) && !regexp.MustCompile(`写|稿|改`).MatchString(s)) && !strings.Contains(s, "我写") && !strings.Contains(s, "我的小说") {
		conf := clear + 0.06
		if work == "" {
			conf = interpreted + 0.04
		}
		out = append(out, Triple{Predicate: "DISCUSSED_CHAPTER", Object: Term{"Chapter", []string{work, ch}}, Confidence: conf})
	} else if m := zhNamedCh.FindStringSubmatch(s); m != nil && (work != "" || m[3] == "") {
		name := m[1] + m[2] + m[3]
		conf := clear
		if work == "" {
			conf = interpreted
		}
		out = append(out, Triple{Predicate: "DISCUSSED_CHAPTER", Object: Term{"Chapter", []string{work, name}}, Confidence: conf})
	}
	return out
}

// liked reports whether a like or dislike of a work was found already.
func liked(said []Triple, title string) bool {
	for _, t := range said {
		if t.Object.Type == "Work" && strings.EqualFold(t.Object.Parts[0], title) {
			return true
		}
	}
	return false
}

type zhObject struct {
	kind  kind
	parts []string
}

var zhBadObject = regexp.MustCompile(`^(?:你|我|他|她|它|这|那|谁|什么|哪|这样|那样|一个人|一样|如此|自己|得|上|的|了|看你|和你|跟你|你的|之一)$|你|我们|咱|这么|那么|这样|那样|什么|怎么|哪`)
var zhBy = regexp.MustCompile(`^(.{2,12}?)的(?:东西|小说|作品|书|散文|诗|诗歌|文字|短篇|长篇|文章|推理|随笔|杂文|那种慢|故事)(?:集)?$`)
var zhCut = regexp.MustCompile(`而不是|因为|所以|但是|不过|而且|尤其是|特别是|比如|例如|可是|只是|虽然|的时候$|来着|的感觉$|一起$`)

// zhObjects reads the names in an object phrase and what each of them is.
func zhObjects(s string, favourite bool) (out []zhObject) {
	if t := zhTitle.FindAllStringSubmatch(s, -1); t != nil {
		if ch := zhChapter.FindString(s); ch != "" {
			return []zhObject{{kindChapter, []string{t[0][1], ch}}}
		}
		for _, m := range t {
			if !zhManual.MatchString(m[1]) {
				out = append(out, zhObject{kindWork, []string{strings.TrimSpace(m[1])}})
			}
		}
		return out
	}
	if loc := zhCut.FindStringIndex(s); loc != nil && loc[0] > 0 {
		s = s[:loc[0]]
	}
	for _, part := range zhSplit(s) {
		p := zhClean(part)
		if utf8.RuneCountInString(p) == 0 || zhBadObject.MatchString(p) || strings.HasPrefix(p, "我") && !favourite {
			continue
		}
		if utf8.RuneCountInString(p) > 18 {
			continue
		}
		if t, ok := strings.CutSuffix(p, "写"); ok && isAuthor(t) {
			p = t
		}
		switch m := zhBy.FindStringSubmatch(p); {
		case isAuthor(p):
			out = append(out, zhObject{kindAuthor, []string{p}})
		case m != nil && (isAuthor(m[1]) || looksLikeName(m[1])):
			out = append(out, zhObject{kindAuthor, []string{m[1]}})
		case zhStyleEnd.MatchString(p), zhTold.MatchString(p) && utf8.RuneCountInString(p) >= 5:
			out = append(out, zhObject{kindStyle, []string{p}})
		case zhStyle.MatchString(p) && utf8.RuneCountInString(p) <= 14 && !strings.HasPrefix(p, "写"):
			out = append(out, zhObject{kindStyle, []string{p}})
		case deed.MatchString(p) && utf8.RuneCountInString(p) >= 4:
			out = append(out, zhObject{kindDeed, []string{p}})
		default:
			out = append(out, zhObject{kindTopic, []string{p}})
		}
	}
	return out
}

// zhTold: "(有个局外人在旁边慢慢)讲(的那种)".
var zhTold = regexp.MustCompile(`[着慢里来地](?:讲|写|叙述|讲述|说)$`)

var deed = regexp.MustCompile(`^(?:在|边|一个人|和|跟|去|把|用|给|听着|看着|躺|坐在|走在|站在|早起|睡前)`)

// zhSplit cuts a list: always at "、", at "和", "跟", "与", "以及" where both sides are short nouns.
func zhSplit(s string) []string {
	if strings.Contains(s, "、") {
		var out []string
		for _, p := range strings.Split(s, "、") {
			out = append(out, zhSplit(p)...)
		}
		return out
	}
	for _, w := range []string{"以及", "还有", "和", "跟", "与"} {
		if a, b, ok := strings.Cut(s, w); ok {
			la, lb := utf8.RuneCountInString(a), utf8.RuneCountInString(b)
			if la >= 1 && lb >= 1 && la <= 6 && lb <= 8 && !strings.ContainsAny(a, "在用把") && !strings.HasPrefix(b, "平") && !strings.HasSuffix(a, "共") && !strings.HasSuffix(a, "温") && !strings.Contains(b, "一起") && !strings.Contains(a, "的") {
				return []string{a, b}
			}
		}
	}
	return []string{s}
}

var (
	zhHead = []string{"《", "》", "“", "”", "「", "」", "『", "』", "\"", "'", "一种", "那种", "这种", "那类", "这类", "各种", "一些", "一个", "一只", "一本", "一部", "带有", "有点", "就是", "还是", "像", "过", "上了", "看看", "用"}
	zhTail = []string{"《", "》", "“", "”", "「", "」", "『", "』", "\"", "'", "了", "啊", "呀", "哦", "喔", "嘛", "啦", "吧", "呢", "哈", "诶", "耶", "的那种", "那种", "这种", "之类的", "之类", "什么的", "等等", "等", "来着", "而已", "罢了", "再说", "的时候", "的", "这类", "那类", "这一类", "一点", "一些", "点", "倒是真的"}
	zhKeep = map[string]bool{"像素": true, "过年": true, "用户": true, "像素画": true, "等待": true, "终点": true, "甜点": true, "早点": true, "糕点": true, "过去": true, "网吧": true, "酒吧": true, "优点": true, "缺点": true, "地点": true, "特点": true, "景点": true, "观点": true, "相等": true, "平等": true, "目的": true, "像": true, "过山车": true}
)

// zhClean makes a canonical name of a phrase: no marks, measure words or particles.
func zhClean(s string) string {
	s = textnorm.Collapse(s)
	head, tail := zhHead, zhTail
	for w := range zhKeep { // words that only look like affixes
		if strings.HasPrefix(s, w) {
			head = zhHead[:10]
		}
		if strings.HasSuffix(s, w) {
			tail = zhTail[:10]
		}
	}
	s = trimAny(s, head, tail)
	if t, ok := strings.CutSuffix(s, "的叙事方式"); ok && t != "" {
		s = t + "叙事"
	}
	return s
}
