package clause

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"

	"membench/internal/hanseg"
	"membench/internal/pattern"
	"membench/internal/timex"
)

// What slot of the catalogue a Chinese clause fills.

// slot says what slot the clause fills, and is false for what is not worth keeping.
func (c *zhClause) slot() bool {
	f := &c.f
	f.Slot, f.Value = zhVerbs[f.Verb], f.Object
	f.Slot = cmp.Or(f.Slot, "DID")
	if zhLeaving[f.Verb] { // what is left fills no slot
		f.Value = Phrase{}
	}
	name := ""
	if m := zhWithName.FindStringSubmatch(f.Object.Text); m != nil && zhHolds[f.Verb] { // 有一只猫叫豆豆
		f.Object.Text, name = m[1], "，叫"+m[2]
		f.Value.Text = m[1]
	}
	obj := f.Object.Text
	pet := zhPet(obj)
	switch {
	case f.Verb == "讨厌" || f.Verb == "受不了" || f.Verb == "最怕" || f.Verb == "不爱":
		f.Slot, f.Negated = "PREFERS_TOPIC", !f.Negated
	case f.Verb == "有" && pet && !slices.ContainsFunc(c.ws[min(c.i, len(c.ws)):], func(w hanseg.Word) bool { return zhVerbs[w.Form] != "" && w.Form != "叫" }):
		f.Slot = "HAS_PET"
	case f.Slot == "HAS_PET" && !pet:
		f.Slot = "DID"
	case f.Verb == "有" && f.Negated && zhRelations[obj] != "": // 没对象
		f.Slot = "HAS_RELATIVE"
	case f.Verb == "有" && slices.ContainsFunc([]string{"孩子", "儿子", "女儿", "姐", "妹", "哥", "弟", "朋友"}, func(s string) bool { return strings.Contains(obj, s) }):
		f.Slot = "HAS_RELATIVE"
	case f.Verb == "是" && strings.HasSuffix(obj, "人") && !strings.Contains(obj, "个") && utf8.RuneCountInString(obj) <= 5 && utf8.RuneCountInString(obj) > 2:
		f.Slot, f.Value.Text = "COMES_FROM", strings.TrimSuffix(obj, "人")
	case f.Verb == "是" && zhOrigin.MatchString(obj):
		f.Slot, f.Value.Text = "COMES_FROM", zhOrigin.FindStringSubmatch(obj)[1]
	case f.Verb == "是" && f.Subject.Kind == Named && zhMine(obj) != "" && !f.Negated: // 小武是我室友, 小武是我大学社团的
		f.Slot, f.Value.Text = "HAS_RELATIVE", zhMine(obj)+"，叫"+f.Subject.Text
		f.Subject = Mention{Kind: Speaker, Phrase: f.Subject.Phrase}
	case zhCheckup.MatchString(c.text) && zhFound.MatchString(f.Verb+obj) && !f.Negated: // 体检查出来脂肪肝
		f.Slot, f.Value.Text, f.Tense = "HAS_CONDITION", zhFound.FindStringSubmatch(f.Verb + obj)[1], Present
	case f.Verb == "是" && zhStates[obj] != "":
		f.Slot = zhStates[obj]
	case (f.Verb == "有" || f.Verb == "得" || f.Verb == "是") && zhIll.MatchString(obj) && !strings.ContainsAny(obj, "没不"):
		f.Slot = "HAS_CONDITION"
	case f.Verb == "是" && (strings.HasSuffix(obj, "岁") || zhNumber.MatchString(obj)):
		f.Slot = "HAS_AGE"
	case f.Verb == "当" && c.verbAt(c.placed): // 就当交学费了
		return false
	case f.Verb == "是" && strings.HasPrefix(obj, "个"):
		f.Value.Text = strings.TrimPrefix(obj, "个")
	case f.Verb == "是" && zhFeelings[strings.TrimRight(strings.TrimLeft(obj, "很太"), "坏死疯")]:
		f.Slot = "FEELS"
	case (f.Verb == "是" || f.Verb == "做" || f.Verb == "当" || f.Verb == "干") && slices.ContainsFunc(zhJobs, func(s string) bool { return strings.HasSuffix(obj, s) }):
		f.Slot = "WORKS_AS"
	case (f.Verb == "工作" || f.Verb == "上班" || zhServes[f.Verb] && zhEmployer.MatchString(f.Place.Text)) && f.Place.Text != "":
		f.Slot, f.Value = "WORKS_AT", f.Place
	case f.Slot == "LIVES_IN" && zhHousing.MatchString(cmp.Or(f.Place.Text, obj)): // 住三楼 is no rival of the town
		f.Slot = "DID"
	case (f.Slot == "LIVES_IN" || strings.HasPrefix(f.Verb, "搬") && strings.ContainsRune("到去回来进", firstRune(obj))) && f.Place.Text+obj != "":
		f.Slot, f.Value = "LIVES_IN", f.Object
		if f.Place.Text != "" {
			f.Value = f.Place
		}
		f.Value.Text = strings.TrimPrefix(strings.TrimPrefix(f.Value.Text, "在"), "到")
	case f.Verb == "叫" && f.Subject.Kind == Relative && f.Subject.Owner == nil && obj != "": // 我男朋友叫陈浩
		f.Slot, f.Value.Text = "HAS_RELATIVE", strings.TrimPrefix(f.Subject.Text, "我")+"，叫"+obj
		f.Subject = Mention{Kind: Speaker, Phrase: f.Subject.Phrase}
	case f.Slot == "HAS_NAME" && (utf8.RuneCountInString(obj) > 4 && isHanWord(obj) || strings.HasPrefix(obj, "个") || c.verbAt(c.i)): // 叫个外卖
		f.Slot = "DID"
	case (f.Verb == "办" || f.Verb == "办理" || f.Verb == "开" || f.Verb == "开通") && zhMember.MatchString(obj):
		f.Slot = "HAS"
		if f.Place.Text != "" && !strings.Contains(obj, "的") { // 在健身房办了会员
			f.Value.Text = f.Place.Text + "的" + obj
		}
	case f.Verb == "过敏" && c.ba.Text != "":
		f.Slot, f.Value = "HAS_CONDITION", c.ba
		f.Value.Text += "过敏"
	case zhVerbs[f.Verb] == "STUDIES_AT" && zhPost.MatchString(obj), f.Slot == "MADE" && zhTreated.MatchString(obj), f.Slot == "STUDIES_AT" && c.topic.Text != "", f.Slot == "MADE" && c.at(c.i-1) == "到", f.Slot == "OWNS" && c.modal == "能": // 写到第三章, 买不起房
		f.Slot = "DID"
	case f.Slot == "OWNS" && c.forWhom && !strings.HasPrefix(c.event, c.prep+"自己"): // 给我爸买了手机
		f.Slot = "DID"
	case (f.Verb == "来" || f.Verb == "到" || f.Verb == "在") && f.Time.Kind == timex.Duration && c.class(c.placed) == 'S' && c.inTime(c.placed+1) && f.Time.Op == 0: // 来武汉三年了
		f.Slot, f.Value, f.Tense, f.Begun = "LIVES_IN", c.span(c.placed, c.placed+1), Present, false
	case f.Verb == "去" && strings.Contains(c.text, "去过"):
		f.Slot = "VISITED"
	case c.modal == "会" && f.Modality == Asserted && f.Tense == Present && f.Slot == "DID" && f.When.Text == "" && !c.dropped && c.event == "" && utf8.RuneCountInString(obj) < 4 && f.Subject.Kind != Addressee: // 会弹吉他; 会 before more than the name of an activity is habit
		f.Slot, f.Value.Text = "HAS_SKILL", f.Verb+obj
	case f.Verb == "会" && (f.Modality == Plan || obj == ""):
		f.Slot = "DID"
	}
	if f.Slot == "VISITED" {
		f.Value.Text = strings.TrimPrefix(f.Value.Text, "趟")
	}
	if f.Modality == Plan {
		f.Slot = "PLANS"
	} else if zhLasting[f.Slot] && c.lasted() {
		f.Slot = "DID"
	}
	if f.Slot == "WORKS_AT" && f.Place.Text == "" && (f.Verb == "工作" || f.Verb == "上班") {
		f.Slot = "DID"
	}
	if f.Value.Text == "" || f.Slot == "DID" || f.Slot == "PLANS" || f.Slot == "WANTS" && obj == "" {
		if f.Slot == "DID" && f.Tense == Present && (habitual(f.When.Text) || c.never) {
			f.Slot = "HAS_HABIT"
		} else if f.Slot != "PLANS" && f.Slot != "FEELS" && f.Slot != "HAS_STATUS" && f.Slot != "HAS_CONDITION" && f.Slot != "HAS_HABIT" && f.Slot != "FOLLOWS_DIET" {
			f.Slot = "DID"
		}
		if f.Place.Text != "" && c.event == "" && f.Verb != "在" {
			c.by = "在" + f.Place.Text + c.by
		}
		verb := f.Verb + c.reached
		if zhVerbs[verb] == "PLANS" && obj != "" && !(f.Negated && verb == "决定") { // what is planned, as it would be denied
			verb = ""
		}
		if f.Modality == Plan && obj == "" && f.Time.Kind == timex.Duration { // 待一周
			obj = f.When.Text
		}
		f.Value = Phrase{Text: cmp.Or(c.event, c.by+verb+obj), Start: f.Object.Start, End: f.Object.End}
		if zhLeaving[f.Verb] {
			if f.Value.Text = f.Verb; f.Slot == "DID" {
				f.Value.Text += strings.TrimSuffix(strings.TrimSuffix(c.tail, f.When.Text), "第")
			}
			if obj != "" && f.Slot == "DID" {
				f.Value.Text = "从" + obj + f.Value.Text
			}
		}
	}
	if f.Slot == "HAS_CONDITION" && zhVerbs[f.Verb] == f.Slot && zhMeasure.MatchString(obj) { // 近视八百度
		f.Value.Text = f.Verb + obj
	}
	if f.Slot == "OWNS" || f.Slot == "HAS" || f.Slot == "HAS_PET" { // as "a dog" is dog
		f.Value.Text = oneOf.ReplaceAllString(f.Value.Text, "")
	}
	if f.Slot == "HAS_PET" || f.Slot == "HAS_RELATIVE" {
		f.Value.Text += name
	}
	return c.worth()
}

// zhMine is what somebody is to the speaker, if an object says that: 我室友, 我大学社团(的).
func zhMine(object string) string {
	rest, mine := strings.CutPrefix(object, "我")
	rest = strings.TrimPrefix(strings.TrimPrefix(rest, "们"), "的")
	first := zhCut(rest)
	if !mine || len(first) == 0 || zhRelations[rest] == "" && !(zhBeforeRelation[first[0].Form] && utf8.RuneCountInString(rest) < 6) {
		return ""
	}
	return rest
}

// zhHolds are verbs of having, zhWithName what one has and how it is called.
var (
	zhHolds    = set("有 养 领养 收养 生")
	zhWithName = pattern.New(`^(.+?)(?:名字)?叫做?(\p{Han}{1,4})$`)
)

var (
	zhIll     = pattern.New(`(?:病|症|炎|痛|疼|伤|癌|瘤|过敏|高血压|糖尿病|哮喘|突出|增生|磨损|撕裂|结节|囊肿|息肉|积液|弱视|散光|白内障)$`) // ends what one suffers from
	zhFound   = pattern.New(`(?:查|检查|诊断|检测|化验)出来?(?:了|有|是)?(\p{Han}{2,8})$`)                        // what a doctor finds
	zhCheckup = pattern.New(`体检|检查|医院|化验|复查|诊断`)
	zhNumber  = pattern.New(`^[一二三四五六七八九十\d]+$`) // alone: 我今年三十二
	zhMeasure = pattern.New(`^[一二三四五六七八九十百\d]`)
	zhYears   = pattern.New(`^[一二三四五六七八九十\d]{1,4}(?:岁半?)?了?$`)
	zhGrade   = pattern.New(`^(?:小学?|初|高|大|研)[一二三四五六]$`)
	zhOrigin  = pattern.New(`^(?:老家|家乡|籍贯)是?在?(\p{Han}{2,8})$`)
	zhPost    = pattern.New(`(?:员|师|编|证|公)$`) // what one may pass the examination for, and is no school
	zhTreated = pattern.New(`(?:手术|检查|体检|治疗|按摩|绝育|复查)$`)
	zhHousing = pattern.New(`(?:楼上?|层|宿舍|隔壁|对面|楼下|酒店)$`)
)

// zhServes are verbs of what one does for an employer, whose name zhEmployer ends: 在物流公司做调度.
var zhServes, zhEmployer = set("做 当 干 担任 打工 兼职 实习"), pattern.New(`(?:公司|店|厂|医院|学校|银行|局|所|院|馆|集团|工作室|大学|酒店|饭店|餐厅|超市|企业|外企|国企|事务所|律所|工地|机关|单位|机场|报社|电台|幼儿园|[中小]学)$`)

// zhMember is what one has as a member or subscriber.
var zhMember = pattern.New(`(?:会员|卡|套餐|账号|订阅)$`)

// oneOf is the measure word of a single thing.
var oneOf = pattern.New(`^(?:一|了)?(?:个|只|条|辆|台|把|本|部|间|套|张|架|匹|栋|艘|头|支|块|双)`)
