package openie

import (
	"strings"

	"membench/internal/pattern"
)

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
