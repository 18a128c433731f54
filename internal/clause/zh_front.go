package clause

import (
	"slices"
	"strings"
	"unicode/utf8"

	"membench/internal/hanseg"
)

// What else may be at the front of a Chinese clause: what is done, a part of the person, a pet, a thing.

// cleft reads 手册是我去年写的: the person behind 是 is the subject, what is before it the
// object.
func (c *zhClause) cleft(r *zhReader) bool {
	k := slices.IndexFunc(c.ws[c.i:], func(w hanseg.Word) bool { return w.Form == "是" })
	if k < 1 || !strings.HasSuffix(strings.TrimRight(c.text, "。！ "), "的") {
		return false
	}
	m, next := r.person(c, c.i+k+1)
	if m.Kind == NoOne {
		return false
	}
	end := c.i + k
	for end > c.i+1 && zhAdverbs[c.at(end-1)] { // 床单都是我换的
		end--
	}
	c.ba, c.f.Subject, c.i = c.span(c.i, end), m, next
	r.subject = m
	r.adverbs(c)
	c.f.Tense = Past
	return true
}

// ownPet reads who is at the front of 我家狗昨天做了手术: whatever is said of it, the speaker has it.
func (c *zhClause) ownPet() bool {
	w, k := c.at(c.i), c.i+1
	if zhPronouns[w].Kind != Speaker {
		return false
	}
	for ; c.at(k) == "的" || c.at(k) == "那" || c.at(k) == "这" || c.class(k) == 'q' || c.class(k) == 'a' || c.class(k) == 'b' || c.class(k) == 'm'; k++ {
	}
	if c.class(k) == 'v' || zhVerbs[c.at(k)] != "" || !zhPet(c.at(k)) || c.at(k+1) == "的" || c.has(zhGone) {
		return false
	}
	f := &c.f
	f.Subject, f.Verb, f.Slot, f.Object = Mention{Kind: Speaker, Phrase: c.span(c.i, c.i+1)}, "有", "HAS_PET", c.span(k, k+1)
	f.Value = f.Object
	f.note("own pet")
	if m := zhNamed.FindStringSubmatch(c.text); m != nil {
		f.Value.Text += "，叫" + m[1]
	}
	return true
}

// possessed reads 我手机没电了, 我夜班全靠咖啡: of the person is said what is so of a thing of theirs.
func (c *zhClause) possessed(r *zhReader) bool {
	k := c.i + 1
	m := zhPronouns[c.at(c.i)]
	if m.Phrase = c.span(c.i, k); m.Kind == NoOne {
		if m.Kind, m.Relation = Relative, zhRelations[c.at(c.i)]; m.Relation == "" || !familyKey[m.Relation] {
			return false
		}
		m.Gender = relationGender(m.Relation)
	}
	for c.at(k) == "的" || c.at(k) == "那" || c.at(k) == "这" || c.at(k) == "那个" || c.at(k) == "这个" || c.class(k) == 'q' || c.class(k) == 'b' || c.class(k) == 'a' {
		k++
	}
	noun := k
	for c.class(k) == 'n' && zhVerbs[c.at(k)] == "" && zhRelations[c.at(k)] == "" && !c.inTime(k) {
		k++
	}
	if k == noun || k >= len(c.ws) || c.at(k) == "的" || zhPet(c.at(k-1)) || zhSomebody(c.at(k-1)) || strings.HasSuffix(c.at(k-1), "角") || !(zhAdverbs[c.at(k)] || zhNegations[c.at(k)] || c.verbAt(k) || c.class(k) == 'a' || zhPreps[c.at(k)]) || c.at(k) == "是" || m.Kind == Addressee {
		return false
	}
	v := c.nextVerb(k-1, false)
	if v < 0 && c.class(len(c.ws)-1) != 'a' && !c.aspect("了") && !c.aspect("着") {
		return false
	}
	f := &c.f
	f.Subject, f.Verb, f.Slot, c.front = r.pronoun(m), "是", "IS", noun
	f.Object = c.objectPhrase(noun)
	f.Value = f.Object
	if v > 0 {
		f.Verb, f.Slot, c.i = zhBase(c.at(v)), "DID", len(c.ws)
	}
	return utf8.RuneCountInString(f.Object.Text) > 3 && !strings.HasSuffix(c.text, "也是")
}

// zhGone are words of a pet that one has no longer.
var zhGone = set("死 死了 走 走丢 丢 送人 送走 没了 去世 离世 卖 卖了 以前 小时候")

// topicalised reads 恐怖片我从来不看: the object is before the person who does it.
func (c *zhClause) topicalised(r *zhReader) bool {
	for k := c.i + 1; k+1 < len(c.ws); k++ {
		if zhPronouns[c.at(k)].Kind == NoOne || c.at(k) == "自己" || !c.nominal(c.i, k) || c.at(k-1) == "和" || c.at(k-1) == "跟" {
			continue
		}
		m, next := r.person(c, k)
		if m.Kind == NoOne || c.at(next) == "的" {
			return false
		}
		c.topic, c.f.Subject, c.i = c.span(c.i, k), m, next
		return true
	}
	return false
}

// patient reads 烟早戒了, 驾照考下来了: a thing before a verb that only people do and that has no object behind it is what is done.
func (c *zhClause) patient() bool {
	k := c.i
	for ; k < len(c.ws); k++ {
		w := c.at(k)
		if behind := c.at(k + 1); behind == "的" && k+2 < len(c.ws) { // 新买的车
			continue
		}
		if k == c.i && zhVerbs[w] != "" && utf8.RuneCountInString(w) > 1 && zhAttained(c.at(k+1)) && c.aspect("了") { // 工作找到了
			continue
		}
		if c.verbAt(k) && (k > c.i || zhVerbs[w] != "") || zhAdverbs[w] || zhNegations[w] || zhPreps[w] || zhModals[w] || c.inTime(k) || zhPronouns[w].Kind != NoOne || zhRelations[w] != "" {
			break
		}
	}
	if k == c.i || k >= len(c.ws) || strings.ContainsRune("ufiaz", rune(c.class(k-1))) || zhPet(c.at(k-1)) || !c.asking && zhEmployer.MatchString(c.at(k-1)) {
		return false
	}
	v := k
	for v < len(c.ws) && !zhActs[zhBase(c.at(v))] && !(v == c.i+1 && zhVerbs[c.at(c.i)] != "" && zhAttained(c.at(v))) {
		w := c.at(v)
		if !zhAdverbs[w] && !zhNegations[w] && !zhModals[w] && !c.inTime(v) && w != "是" {
			return false
		}
		v++
	}
	end := v + 1
	for end < len(c.ws) && (c.class(end) == 'u' || c.class(end) == 'y' || c.class(end) == 'm' || c.inTime(end) || zhResults[c.at(end)] || zhAdverbs[c.at(end)] || !isHanWord(c.at(end))) {
		end++
	}
	if v >= len(c.ws) || end < len(c.ws) || zhBase(c.at(v)) == "卖" && strings.ContainsAny(c.at(v)+c.at(v+1), "完光") || !c.asking && v == k && end == v+1 && zhBase(c.at(v)) == c.at(v) { // 书看: nothing says that it is done
		return false
	}
	c.topic, c.i = c.span(c.i, k), k
	return true
}

// zhAttained reports whether a word is one of zhActs with what came of it, or 定: 找到.
func zhAttained(w string) bool {
	first := string(firstRune(w))
	return w == "定" || zhActs[first] && zhResults[w[len(first):]]
}

// patientAt reports whether patient would read what stands from word i on.
func (c *zhClause) patientAt(i int) bool {
	d := *c
	d.i = i
	return d.patient()
}

// commented reports whether what stands from word i on comments on the noun before it: 腰不行了, 血压有点高, 嗓子疼.
func (c *zhClause) commented(i int) bool {
	if i >= len(c.ws) {
		return false
	}
	if slices.ContainsFunc(c.ws[i:], func(w hanseg.Word) bool {
		return w.Form == "别" || w.Form == "不要" || w.Form == "得" && w.Class != 'u'
	}) { // 膝盖别跑坏了
		return false
	}
	for ; i < len(c.ws) && (zhAdverbs[c.at(i)] || zhNegations[c.at(i)] || c.inTime(i)); i++ {
	}
	if c.class(i) == 'n' && !zhIll.MatchString(c.objectPhrase(i).Text) { // 牙套
		return false
	}
	return i >= len(c.ws) || !zhActs[zhBase(c.at(i))] && !zhPreps[c.at(i)]
}

// nominal reports whether the words [from, to) name a thing: nouns, and titles in marks.
func (c *zhClause) nominal(from, to int) bool {
	noun, quoted := false, false
	for k := from; k < to; k++ {
		w := c.at(k)
		switch {
		case w == "《" || w == "“":
			quoted, noun = true, true
		case w == "》" || w == "”":
			quoted = false
		case quoted || w == "的" || w == "第" || c.class(k) == 'm' || w == "这" || w == "那" || w == "种" || w == "这个" || w == "那个" || w == "这种" || w == "那种" || w == "东西":
		case zhVerbs[w] == "" && (c.class(k) == 'v' || c.class(k) == 'a') && c.class(k+1) == 'n' && k+1 < to: // 养生文章, 新曲子
		case c.inTime(k) || c.verbAt(k) || zhPreps[w] || zhAdverbs[w] || zhNegations[w] || zhPronouns[w].Kind != NoOne:
			return false
		case c.class(k) == 'n' || c.class(k) == 'R' || c.class(k) == 0:
			noun = true
		default:
			return false
		}
	}
	return noun && to > from
}

// zhOwnState are nouns that a comment on is one on the person: 我血压有点高.
var zhOwnState = set("左膝 右膝 左脚 右脚 左手 右手 左腿 右腿 左眼 右眼 左肩 右肩 脚踝 脚后跟 手指 后背 腰椎 半月板 脖子 肺 肝 心脏 嘴 舌头 血压 血糖 血脂 尿酸 体重 膝盖 腰 颈椎 胃 肚子 头 头发 脸 牙 牙齿 耳朵 鼻子 肩膀 胳膊 手腕 脚 腿 眼睛 嗓子 心情 压力 身体 记性 年纪 个子 视力 听力 皮肤 睡眠 体力 胆子 酒量 英语 日语 数学 老家 家乡 籍贯 专业 生日 星座 血型")

// otherSubject reports whether something that is no person is before the verb.
func (c *zhClause) otherSubject() bool {
	for k := c.i; k < len(c.ws); k++ {
		w := c.at(k)
		switch {
		case zhVerbs[w] != "" || zhModals[w] || zhPreps[w] || zhNegations[w]:
			return k > c.i && !zhPreps[c.at(c.i)]
		case zhAdverbs[w] || c.inTime(k):
		case k == c.i && (c.class(k) == 'v' || c.predicative(k)):
			return false
		case zhFeelings[w] && k == c.i:
			return false
		case c.class(k) == 'n' || c.class(k) == 'r' || c.class(k) == 'S' || c.class(k) == 'R' || c.class(k) == 'm' || c.class(k) == 0 || c.class(k) == 's':
			if k+1 < len(c.ws) {
				continue
			}
			return true
		}
	}
	return c.i < len(c.ws)
}

// zhToward are directions behind a verb of motion: what walks over is not gone.
var zhToward = set("过来 过去 来 去 进来 进去 出来 出去 上来 下来 回来 回去")

// thing reads a clause whose subject is no person as far as a verb that ends a state: 思域昨天卖掉了.
func (c *zhClause) thing(ended enders) bool {
	for k := c.i + 1; k < len(c.ws); k++ {
		ends, may := ended(c.at(k))
		if !c.verbAt(k) || len(ends)+len(may) == 0 || zhToward[c.at(k+1)] || zhToward[c.at(k+2)] {
			continue
		}
		end := k
		for end > c.i+1 && (zhAdverbs[c.at(end-1)] || c.inTime(end-1) || zhNegations[c.at(end-1)]) {
			end--
			c.f.Negated = c.f.Negated || zhNegations[c.at(end)]
		}
		c.f.Subject, c.f.Verb, c.f.passive = Mention{Phrase: c.span(c.i, end)}, c.at(k), true
		if c.at(k-1) == "我" && (c.at(k-2) == "把" || c.at(k-2) == "将") { // 公司把我裁了
			c.f.Subject = Mention{Kind: Speaker, Phrase: c.span(k-1, k)}
		}
		return true
	}
	return false
}
