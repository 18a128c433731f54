package openie

import (
	"strings"

	"membench/internal/pattern"
)

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
