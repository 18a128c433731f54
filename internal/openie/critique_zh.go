package openie

import (
	"strings"

	"membench/internal/pattern"
)

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
