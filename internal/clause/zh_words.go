package clause

import (
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"membench/internal/hanseg"
)

// Words of Chinese by what they do in a clause. Those of zhVerbs, zhRelations and the
// closed classes are added to the segmenter's dictionary, whose classes are coarse.

var zhRelations = func() map[string]string {
	m := table("zh_relations.txt")
	for w, key := range m {
		if familyKey[key] && !strings.HasPrefix(w, "我") {
			for _, rank := range []string{"大", "小", "二", "三", "老"} { // 大孙女, 二姨
				if ranked := rank + w; m[ranked] == "" && key != "husband" && key != "wife" && key != "child" {
					defer func() { m[ranked] = key }()
				}
			}
		}
	}
	return m
}()

// zhVerbs are verbs that say what someone does, by slot; DID where they make none.
var zhVerbs = table("zh_verbs.txt")

var (
	zhPronouns  = map[string]Mention{"我": {Kind: Speaker}, "本人": {Kind: Speaker}, "咱": {Kind: Speaker}, "俺": {Kind: Speaker}, "个人": {Kind: Speaker}, "自己": {Kind: Speaker}, "我们": {Kind: Speaker, Plural: true}, "咱们": {Kind: Speaker, Plural: true}, "我们俩": {Kind: Speaker, Plural: true}, "咱们俩": {Kind: Speaker, Plural: true}, "他们俩": {Kind: Pronoun, Plural: true}, "我俩": {Kind: Speaker, Plural: true}, "咱俩": {Kind: Speaker, Plural: true}, "我家": {Kind: Speaker, Plural: true}, "我家里": {Kind: Speaker, Plural: true}, "我手里": {Kind: Speaker}, "我手上": {Kind: Speaker}, "我这边": {Kind: Speaker}, "我名下": {Kind: Speaker}, "我们家": {Kind: Speaker, Plural: true}, "我们组": {Kind: Speaker, Plural: true}, "我们部门": {Kind: Speaker, Plural: true}, "我们公司": {Kind: Speaker, Plural: true}, "我们团队": {Kind: Speaker, Plural: true}, "你": {Kind: Addressee}, "您": {Kind: Addressee}, "你们": {Kind: Addressee, Plural: true}, "人家": {Kind: Pronoun}, "他": {Kind: Pronoun, Gender: Male}, "她": {Kind: Pronoun, Gender: Female}, "他们": {Kind: Pronoun, Plural: true}, "他俩": {Kind: Pronoun, Plural: true}, "她俩": {Kind: Pronoun, Plural: true, Gender: Female}, "你俩": {Kind: Addressee, Plural: true}, "她们": {Kind: Pronoun, Plural: true, Gender: Female}}
	zhAdverbs   = set("正式 就 都 也 还 又 再 才 已经 已 刚 刚刚 刚才 正 正在 一直 一般 一起 一边 边 常 常常 经常 总 总是 总算 老是 天天 每天 平时 通常 偶尔 有时 有时候 最近 目前 现在 以前 之前 从前 后来 从来 曾 曾经 终于 竟然 居然 真 真的 特别 非常 很 太 挺 好 超 超级 比较 最 更 有点 有点儿 有些 稍微 几乎 差点 其实 当然 确实 果然 只 只好 只是 仅 光 全 全都 可能 也许 大概 应该 好像 似乎 肯定 一定 必须 突然 忽然 马上 立刻 赶紧 先 顺便 特意 亲自 自己 到底 究竟 还是 仍然 依然 渐渐 慢慢 越来越 大多 大部分 多 少 完全 根本 并 并且 实在 尤其 以后 今后 小时候 不怎么 不太 前天 昨天 今天 明天 后天 昨晚 今晚 晚上 早上 中午 下午 上午 上周 下周 上个月 下个月 去年 今年 明年 年底 年初 周末 周一 周二 周三 周四 周五 周六 周日 未来 将来 同时 当时 反正 幸好 可惜 毕竟 本来 原来 原本 一共 总共 一道 手头 重新 直接 不小心 偷偷 一个人 独自 第一次 首次 头一次 那会儿 那时 那时候 这会儿 那阵子 这阵子 前阵子 前些天 前几天 那年 上回 上次 下回 下次 这次 这回 老 早 早就 倒 倒是 却 差一点 看来 看样子 估计 恐怕 说不定 没准 快要 就要 五一 十一 国庆 春节 元旦 中秋 端午 清明 元宵 七夕 除夕 暑假 寒假 过年 双十一 上学期 下学期 这学期 上半年 下半年 上礼拜 下礼拜 这礼拜 周末 这个月 这周 这周末 这两天 前两天 过两天 这几天 大前天 大后天 半夜 大半夜 一大早 明早 今早 明晚 提前 主动 故意 专门 随便 还好 幸亏 多亏 今儿 昨儿 明儿 前儿")
	zhOpeners   = set("但 但是 不过 可是 可 而 而且 所以 因为 由于 然后 于是 结果 另外 虽然 尽管 那 那么 嗯 啊 哦 哎 唉 哈哈 哈哈哈 嘿 呀 对 对了 是的 好的 话说 说起来 说实话 老实说 总之 比如 例如 至于 关于 除了 或者 以及 和 只要 只有 无论 不管 既然 即使 自从 自打 抱歉 不好意思 谢谢 牛 绝 哇 哇塞 呵呵 嘿嘿 嘻嘻 呜呜 我靠 救命 佩服 笑死 嗯嗯 是吗 可不")
	zhNegations = set("不 没 没有 别 未 从不 从未 从没 从来不 从来没 不再 不会 不能 不想 不怎么 不太 没法 并不 并没有 不用 不敢 不要 不肯 不愿")
	zhNever     = set("不 不敢 不肯 不愿 从不 从来不 不再 不会 不能 不怎么 不太")
	zhAspects   = []string{"了", "过", "着"}
	zhEndings   = []string{"了", "吗", "呢", "吧", "啊", "呀", "啦", "哦", "哈", "嘛", "的", "来着", "而已", "罢了", "喔", "哟", "咯", "喽", "呵呵", "哈哈", "嘿嘿", "嘻嘻", "～", "~"}
	zhPreps     = set("在 跟 和 与 同 给 对 从 向 为 用 往 于 替 比 随 关于 按 离 由 把 将 被 让 叫 使 连")
)

// zhSegmenter knows the words of this file.
var zhSegmenter = sync.OnceValue(func() *hanseg.Segmenter {
	words := map[string]byte{}
	add := func(w string, c byte) {
		if strings.TrimSpace(w) != "" {
			words[w] = c
		}
	}
	for w := range zhVerbs {
		add(w, 'v')
	}
	for w := range zhRelations {
		add(w, 'K')
	}
	for w := range zhAdverbs {
		add(w, 'd')
	}
	for w := range zhOpeners {
		add(w, 'c')
	}
	for w := range zhPronouns {
		add(w, 'r')
	}
	for w := range zhPreps {
		add(w, 'p')
	}
	for w := range zhNegations {
		add(w, 'N')
	}
	for w := range zhFeelings {
		add(w, 'a')
	}
	for w := range zhOwnState {
		add(w, 'n')
	}
	add("那帮", 'r')
	add("这帮", 'r')
	for w := range zhStates {
		add(w, 'n')
	}
	return hanseg.New(words)
})

// zhFeelings are adjectives of a state of mind or body.
var zhFeelings = set("开心 高兴 难受 难过 累 困 饿 忙 紧张 焦虑 害怕 兴奋 激动 失望 无聊 孤独 寂寞 烦 烦躁 生气 郁闷 沮丧 幸福 满意 后悔 内疚 尴尬 惊讶 感动 放松 踏实 舒服 不舒服 疲惫 崩溃 着急 委屈 自豪 骄傲 羡慕")

// zhStates are complements of 是 that have a slot of their own.
var zhStates = map[string]string{"素食者": "FOLLOWS_DIET", "素食主义者": "FOLLOWS_DIET", "单身": "HAS_STATUS", "独生子女": "HAS_STATUS", "左撇子": "IS"}

var zhJobs = []string{"师", "工程师", "医生", "护士", "老师", "经理", "律师", "会计", "程序员", "司机", "学生", "研究生", "博士生", "作家", "画家", "记者", "编辑", "设计师", "警察", "军人", "工人", "农民", "木匠", "厨师", "翻译", "演员", "教授", "店长", "老板", "运营", "销售", "导游"}

// zhPet reports whether the noun of an object is an animal that people keep.
func zhPet(object string) bool {
	return slices.ContainsFunc(zhPets, func(s string) bool { return strings.HasSuffix(strings.TrimRight(object, "子咪"), s) })
}

var zhPets = []string{"宠物", "猫", "狗", "犬", "兔", "仓鼠", "鹦鹉", "金鱼", "鱼", "乌龟", "龟", "鸟", "蛇", "刺猬", "柯基", "柴犬", "橘猫", "布偶", "金毛", "泰迪", "拉布拉多", "哈士奇", "边牧", "英短", "美短", "蜥蜴", "鸽子"}

// zhLeaving are verbs that hold their own object (职, 学): what is left is behind 从, and what follows them is no object (辞职去读书).
var zhLeaving = set("离职 辞职 下岗 退休 跳槽 退学 毕业 搬走 搬家 搬出 转行 失业")

// zhFalseNegation starts with a negative character and denies nothing.
var zhFalseNegation = set("不错 不过 不仅 不但 不管 不论 不得不 不止 不然 不少 不久 不如 不光 不断 不禁 没关系 没事 没问题 没想到 不好意思 差不多 不客气 不小心 不一定 不由得 不愧 不妨 不同 不住")

// zhActs are verbs that only people do and whose object may be in front of them.
var zhActs = set("吃 喝 看 读 听 玩 买 卖 送 借 还 寄 找 丢 弄丢 修 拆 装 租 退 订 预订 抢 考 报 戒 学 练 写 画 拍 做 穿 戴 辞 忘 养 种 弹 踢 唱 打 交 删 换 挂 办 拿 定 约 请 谈 存 花 攒 扔 捐 搬 洗 收 挂科 下单 买了 卖掉 辞掉 扔掉 退掉 喝了 吃了 吃完 看完 读完 追完 考完 考上 学会 放弃")

// zhResults are complements of a verb: what came of it, or its direction.
var zhResults = set("完 好 到 成 掉 光 上 下 下来 下去 出 出来 出去 起来 过来 过去 回来 回去 上来 上去 来 去 住 懂 会 错 走 开 满 够")

// zhInto are complements of where something gets to: 发给, 改成.
var zhInto = set("给 成 进 入 为 在 于")

// zhPotential are complements behind 不 or 得 that say what can be done: 吃不了, 买得起.
var zhPotential = set("了 起 到 动 下 上 完 惯 来 成 着 出 见 清 住 懂")

// zhAttains are those of what comes about once: 拿不到钥匙 is no habit.
var zhAttains = set("到 上 完 成 着 出 见")

// zhBase is a verb without the complement that the dictionary holds as one word with it: 考 of 考下来.
func zhBase(w string) string {
	if zhVerbs[w] != "" || zhActs[w] {
		return w
	}
	at := len(w)
	for range 2 { // of one character or two
		_, n := utf8.DecodeLastRuneInString(w[:at])
		if at -= n; at <= 0 {
			break
		}
		if v := w[:at]; zhResults[w[at:]] && w[at:] != "会" && (zhVerbs[v] != "" || zhActs[v]) { // 开会 is no 开
			return v
		}
	}
	return w
}

// zhCut cuts a text into words. A denial that the dictionary holds as one word with its verb (不吃) is two.
func zhCut(text string) []hanseg.Word {
	ws := zhSegmenter().Cut(text)
	for i := 0; i < len(ws); i++ {
		w := ws[i]
		if zhVerbs[w.Form] != "" || zhNegations[w.Form] || zhFalseNegation[w.Form] || zhAdverbs[w.Form] && w.Class != 'n' {
			continue
		}
		if r, ok := strings.CutPrefix(w.Form, "我"); ok && zhModals[r] { // 我会
			at := w.Start + len("我")
			ws[i] = hanseg.Word{Form: "我", Start: w.Start, End: at, Class: 'r'}
			ws = slices.Insert(ws, i+1, hanseg.Word{Form: r, Start: at, End: w.End, Class: 'v'})
			continue
		}
		if i > 0 && zhLeaving[ws[i-1].Form] && w.Class == 'n' && zhRelations[w.Form] == "" && !strings.HasSuffix(ws[i-1].Form, "走") && !strings.HasSuffix(ws[i-1].Form, "出") && utf8.RuneCountInString(ws[i-1].Form+w.Form) < 5 { // 搬家公司, 毕业证
			ws[i-1] = hanseg.Word{Form: ws[i-1].Form + w.Form, Start: ws[i-1].Start, End: w.End, Class: 'n'}
			ws = slices.Delete(ws, i, i+1)
			i--
			continue
		}
		if cut, c, ok := zhJoined(w.Form); ok {
			at := w.Start + cut
			ws[i] = hanseg.Word{Form: w.Form[:cut], Start: w.Start, End: at, Class: c[0]}
			ws = slices.Insert(ws, i+1, hanseg.Word{Form: w.Form[cut:], Start: at, End: w.End, Class: c[1]})
			continue
		}
		if r, ok := strings.CutPrefix(w.Form, "不"); ok && zhPotential[r] && i > 0 && zhVerbs[ws[i-1].Form] != "" { // 吃 不了
			at := w.Start + len("不")
			ws[i] = hanseg.Word{Form: "不", Start: w.Start, End: at, Class: 'N'}
			ws = slices.Insert(ws, i+1, hanseg.Word{Form: r, Start: at, End: w.End, Class: 'v'})
			continue
		}
		if _, n := utf8.DecodeLastRuneInString(w.Form); zhPotential[w.Form[len(w.Form)-n:]] { // 吃不了
			for _, no := range []string{"不", "得"} {
				v, ok := strings.CutSuffix(w.Form[:len(w.Form)-n], no)
				if !ok || zhVerbs[v] == "" {
					continue
				}
				a, b := w.Start+len(v), w.End-n
				ws[i] = hanseg.Word{Form: v, Start: w.Start, End: a, Class: 'v'}
				ws = slices.Insert(ws, i+1, hanseg.Word{Form: no, Start: a, End: b, Class: 'N'}, hanseg.Word{Form: w.Form[len(w.Form)-n:], Start: b, End: w.End, Class: 'v'})
			}
		}
		for _, no := range []string{"不", "没"} {
			if rest, ok := strings.CutPrefix(w.Form, no); ok && zhVerbs[rest] != "" {
				at := w.Start + len(no)
				ws[i] = hanseg.Word{Form: rest, Start: at, End: w.End, Class: 'v'}
				ws = slices.Insert(ws, i, hanseg.Word{Form: no, Start: w.Start, End: at, Class: 'N'})
			}
		}
	}
	return ws
}

// zhJoined is where two words end and begin that the dictionary has as one, and their classes: an adverb and a modal (还要), a verb and where something gets to (发给), 在家.
func zhJoined(w string) (at int, classes string, ok bool) {
	_, n := utf8.DecodeRuneInString(w)
	_, last := utf8.DecodeLastRuneInString(w)
	switch end := len(w) - last; {
	case n == len(w) || zhIfs[w] || zhOpeners[w]:
	case zhModals[w[n:]] && zhAdverbs[w[:n]]:
		return n, "dv", true
	case zhInto[w[end:]] && zhVerbs[w[:end]] != "":
		return end, "vp", true
	case w == "在家":
		return n, "pn", true
	}
	return 0, "", false
}

// zhWonders are verbs with a question as their object.
var zhWonders = set("决定 知道 确定 考虑 想好 纠结 犹豫 问 看看 晓得 清楚")

// zhChoice leaves of a verb and its denial the verb, and reports whether there are both: 回不回家 asks whether one 回家, 会不会 whether one 会.
func zhChoice(ws []hanseg.Word) ([]hanseg.Word, bool) {
	for i := 0; i+1 < len(ws); i++ {
		v, no := ws[i].Form, ws[i+1].Form
		switch rest, _ := utf8.DecodeRuneInString(no); {
		case i > 0 && zhWonders[ws[i-1].Form]: // 没决定去不去
		case rest != '不' && rest != '没' || !isHanWord(v):
		case i+2 < len(ws) && utf8.RuneCountInString(no) == 1 && strings.HasPrefix(ws[i+2].Form, v):
			return slices.Delete(slices.Clone(ws), i, i+2), true
		case no[len("不"):] == v:
			return slices.Delete(slices.Clone(ws), i+1, i+2), true
		}
	}
	return ws, false
}
