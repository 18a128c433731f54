package openie

import (
	"strings"

	"membench/internal/pattern"
	"membench/internal/textnorm"
)

// Noun phrases of Chinese sentences, and the works and chapters that they name.

type zhObject struct {
	kind  kind
	parts []string
}

var (
	zhTitle = pattern.New(`《([^《》]{1,40})》`)
	// zhNoName is what names nothing by itself.
	zhNoName = pattern.New(`^(?:你|我|他|她|它|这|那|谁|什么|哪|这样|那样|一个人|一样|如此|自己|得|上|的|了|看你|和你|跟你|你的|之一|也|都|就|还|又|才|很|太|有|是|不|没|人|事|时候|东西|它们|这个|那个|这种|那种|一种|一点|有点|一些|对方|别的|其他|其它|大家|真的|而且|感觉|一直|现在|最近|咱|里面|其中|前者|后者|死|过)$|你|我们|咱|这么|那么|这样|那样|什么|怎么|哪里|哪个|^他|^她|^谁`)
	zhBy     = pattern.New(`^(.{2,12}?)(?:的|写的)(?:小说|作品|书|散文|诗|诗歌|文字|短篇|长篇|文章|推理|随笔|杂文|那种慢|故事|东西|电影|片子|歌|笔触|文笔|剧|漫画|动画|那些.{1,4})(?:集)?$`)
	// zhCut is where an object ends and the rest of the sentence goes on.
	zhCut   = pattern.New(`而不是|因为|所以|但是|不过|而且|尤其是|特别是|比如|例如|可是|只是|虽然|的时候$|来着|的感觉$|一起$|多过|胜过|超过|甚于|远胜|大于|这件事|这回事|才(?:能|会|有|肯|算)`)
	zhWhose = pattern.New(`^(?:我们?|咱们?)?(?:家)?(?:楼下|学校|公司|小区|门口|街角|巷口|对面|附近|老家)?(?:的)?(?:那|这)?(?:家|个小?摊|个?店)(?:店)?的`)
)

// zhObjects reads the names in an object phrase and what each of them is.
func zhObjects(s string) (out []zhObject) {
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
	s = strings.TrimPrefix(zhWhose.ReplaceAllString(s, ""), "它的")
	s = strings.TrimPrefix(s, "它")
	if loc := zhCut.FindStringIndex(s); loc != nil && loc[0] > 0 {
		s = s[:loc[0]]
	}
	for _, part := range zhSplit(s) {
		p := zhClean(part)
		if p == "" || zhNoName.MatchString(p) || strings.HasPrefix(p, "我") || runes(p) > 20 {
			continue
		}
		if t, ok := strings.CutSuffix(p, "写"); ok && isAuthor(t) {
			p = t
		}
		if name := zhAuthorOf(p); name != "" {
			out = append(out, zhObject{kindAuthor, []string{name}})
			continue
		}
		switch m := zhBy.FindStringSubmatch(p); {
		case isAuthor(p):
			out = append(out, zhObject{kindAuthor, []string{p}})
		case m != nil && (isAuthor(m[1]) || looksLikeName(m[1])):
			out = append(out, zhObject{kindAuthor, []string{m[1]}})
		case zhStyleEnd.MatchString(p), zhTold.MatchString(p) && runes(p) >= 5,
			zhStyle.MatchString(p) && runes(p) <= 14 && !strings.HasPrefix(p, "写"):
			out = append(out, zhObject{kindStyle, []string{p}})
		case zhDeed.MatchString(p) && runes(p) >= 4:
			out = append(out, zhObject{kindDeed, []string{p}})
		default:
			out = append(out, zhObject{kindTopic, []string{p}})
		}
	}
	return out
}

// zhAuthorOf is the known author whose manner a phrase speaks of: "汪曾祺那种慢".
func zhAuthorOf(p string) string {
	for _, sep := range []string{"那种", "写的", "笔下", "式的"} {
		if name, _, ok := strings.Cut(p, sep); ok && isAuthor(strings.TrimSuffix(name, "的")) {
			return strings.TrimSuffix(name, "的")
		}
	}
	return ""
}

var zhDeed = pattern.New(`^(?:在|边|一个人|和|跟|去|把|用|给|听着|看着|躺|坐在|走在|站在|早起|睡前)`)

// zhSplit cuts a list: always at "、", at 和, 跟, 与 or 以及 where both sides are short.
func zhSplit(s string) []string {
	if strings.Contains(s, "、") {
		var out []string
		for _, p := range strings.Split(s, "、") {
			out = append(out, zhSplit(p)...)
		}
		return out
	}
	for _, w := range []string{"以及", "还有", "和", "跟", "与", "或者"} {
		a, b, ok := strings.Cut(s, w)
		if !ok {
			continue
		}
		if la, lb := runes(a), runes(b); la >= 1 && lb >= 1 && la <= 6 && lb <= 8 && !strings.ContainsAny(a, "在用把") && !strings.HasPrefix(b, "平") && !strings.HasSuffix(a, "共") && !strings.HasSuffix(a, "温") && !strings.HasPrefix(b, "我") && !strings.HasPrefix(b, "人") && !strings.Contains(b, "一起") && !strings.Contains(a, "的") {
			return []string{a, b}
		}
	}
	return []string{s}
}

var (
	zhMarks = []string{"《", "》", "“", "”", "「", "」", "『", "』", "\"", "'"}
	zhHead  = append([]string{"一种", "那种", "这种", "那类", "这类", "各种", "一些", "一个", "一只", "一本", "一部", "一切", "所有", "带有", "有点", "就是", "还是", "都是", "像", "过", "上了", "看看", "用", "那家的", "那股", "那份", "那个", "这个", "那本", "那部", "这本", "这部", "那些", "这些", "是", "了"}, zhMarks...)
	zhTail  = append([]string{"了", "啊", "呀", "哦", "喔", "嘛", "啦", "吧", "呢", "哈", "诶", "耶", "哎", "的那种", "那种", "这种", "之类的", "之类", "什么的", "等等", "等", "来着", "而已", "罢了", "再说", "的时候", "的", "这类", "那类", "这一类", "一点", "一些", "点", "倒是真的", "这东西", "这玩意儿", "这件事", "这一口", "这口", "很多年", "好多年", "好几年", "这种东西", "永远都是", "这个"}, zhMarks...)
	// zhKeep are words that only look as if they ended or started with one of these.
	zhKeep = zhWords(`是枝裕和 是枝 一个人 像素 过年 用户 像素画 等待 终点 甜点 早点 糕点 过去 网吧 酒吧 优点 缺点 地点 特点 景点 观点 相等 平等 目的 过山车 清吧 吧台 是非 过程 过往 用品 用功 用心 茶点 西点 面点 冷吃 看点 亮点 笑点 平等 晚点 整点 雨点 斑点 沸点`)
)

// zhClean makes a canonical name of a phrase: no marks, measure words or particles.
func zhClean(s string) string {
	s = textnorm.Collapse(s)
	head, tail := zhHead, zhTail
	if n, _ := zhKeep.prefix(s); n > 0 {
		head = zhMarks
	}
	if zhKeep.suffix(s) > 0 {
		tail = zhMarks
	}
	s = trimAny(s, head, tail)
	if t, ok := strings.CutSuffix(s, "的叙事方式"); ok && t != "" {
		s = t + "叙事"
	}
	return s
}

// --- works and chapters ----------------------------------------------------------

var (
	zhRead    = pattern.New(`读|看|翻|抄|追|在听|听[了过完着到]|玩|刷|聊[过到起]|讲到|说到|讨论|提的|提过|提到|背[过了着]|重温|通关|啃|哭|一遍|循环|补完|二刷|三刷|入睡`)
	zhNotRead = pattern.New(`(?:没有?|从没|还没|从来没|未|没怎么|没来得及|尚未|从未|不曾)(?:敢|好好|认真|完整|真正|有机会|正经|来得及)?(?:读|看|翻|听|玩|接触|碰)|没读|没看`)
	zhReadAll = pattern.New(`(?:读|看|翻)完了|没(?:有)?(?:读|看)(?:进去|懂|完|够|腻|下去)|没落下`)
	zhPlan    = pattern.New(`想(?:读|看|去|试|借|买|再|把|找)|打算|准备|计划|下次|以后|将来|改天|回头|会(?:去)?(?:读|看)|要(?:去)?(?:读|看|开始)|推荐我?|让我(?:读|看)|安利|借我|送我|下个?月|听说|作者是|值得|建议|导演是`)
	zhOwnWork = pattern.New(`(?:叫做?|名叫|题目是?|名为|书名是?|取名|命名为|标题是?)[“"「]?《|我的?(?:第一|新|这|那)?(?:篇|部|本|个)?(?:小说|稿子|故事|作品|短篇|长篇|剧本)[，,]?(?:叫|是)?《|(?:我写的|在写的|新写的|写完了?)《`)
	zhReadIt  = pattern.New(`读|看|翻|追|听|玩`)
	zhManual  = pattern.New(`手册|预案|流程|规范|文档|SOP|指南$|制度`)
	// A work that is named without title marks.
	zhCalled   = pattern.New(`(?:一[本部首个套]|那[本部首个套]|追|看|读|玩).{0,8}?叫(?:做)?[“「"]?([\p{Han}A-Za-z0-9]{2,12}?)[”」"]?(?:的)(?:书|剧|小说|电影|动画|漫画|游戏|电视剧|片子|歌|纪录片)`)
	zhChapter  = pattern.New(`第[一二三四五六七八九十百零〇两\d]{1,5}[章回节篇卷幕话]|最后一[章回节篇卷幕话]|(?:开头|结尾|末尾)那一?[章回节篇]`)
	zhNamedCh  = pattern.New(`[“"「『]([^“”"「」『』]{2,16})[”"」』](?:那|这)?一?(?:章|篇|节|回|部分|段)|(?:那|这)一?(?:章|篇|回|部分)(?:叫|是|，就是)?[“"「『]([^“”"「」『』]{2,16})[”"」』]|就是[“"「『]([^“”"「」『』]{2,16})[”"」』]`)
	zhWhereCh  = pattern.New(`》里?(?:面)?(?:的)?([^，。《》“”]{3,12}?(?:那|这)一?[章回节篇段])`)
	zhOwnDraft = pattern.New(`我写|我的小说|我把第|标题|改成|写到|写完|卡在|动笔|你写|大纲|初稿|更新到`)
)

var (
	zhYouSaid  = pattern.New(`^你(?:上次|之前|上回|说过|提)|我`)
	zhReadDone = pattern.New(`(?:读|看|翻|追|听|玩)(?:了|过|完)`)
	zhLastTalk = pattern.New(`上[次回].*说到|讲到`)
	zhReadSome = pattern.New(`(?:看|读|翻)(?:完|了|到|过)`)
)

// zhMentions finds works and chapters that are read or talked about. What somebody
// else reads, and what is only named, wished for or recommended, is none.
func zhMentions(s string, names []string) (out []Triple) {
	if zhOwnWork.MatchString(s) && !strings.Contains(s, "读") && !strings.Contains(s, "看") || zhSupposed.MatchString(s) {
		return nil
	}
	if c := zhParse(s, names); c.who == other && !c.stated && !zhYouSaid.MatchString(c.text) {
		return nil
	}
	add := func(pred, typ string, conf float64, parts ...string) {
		out = append(out, Triple{Predicate: pred, Object: Term{typ, parts}, Confidence: conf})
	}
	work, told := "", false
	titles := zhTitle.FindAllStringSubmatchIndex(s, -1)
	for i, m := range titles {
		title := strings.TrimSpace(s[m[2]:m[3]])
		if zhManual.MatchString(title) {
			continue
		}
		if i > 0 && work != "" && strings.HasPrefix(s[titles[i-1][1]:], "里") && m[0]-titles[i-1][1] <= len("里面的") {
			add("DISCUSSED_CHAPTER", "Chapter", clear, work, title) // 《彷徨》里《伤逝》那篇
			continue
		}
		work = title
		// The verb stands before the title or after it, not beyond another title.
		from, to := max(0, m[0]-75), min(len(s), m[1]+75)
		around := strings.ToValidUTF8(s[from:m[0]], "") + "《》" + strings.ToValidUTF8(s[m[1]:to], "")
		switch {
		case zhNotRead.MatchString(around) && !zhReadAll.MatchString(around):
			if zhChapter.MatchString(s) {
				add("HAS_NOT_DISCUSSED_CHAPTER", "Chapter", clear, work, zhChapter.FindString(s))
				return out
			}
			add("HAS_NOT_DISCUSSED_WORK", "Work", clear, title)
		case zhPlan.MatchString(around) && !zhReadDone.MatchString(around):
		case zhRead.MatchString(around) || zhLastTalk.MatchString(s):
			told = true
			add("DISCUSSED_WORK", "Work", plainly, title)
		case zhChapter.MatchString(s) && !strings.Contains(around, "喜欢"):
			told = true
			add("DISCUSSED_WORK", "Work", weak, title)
		}
	}
	if m := zhCalled.FindStringSubmatch(s); m != nil && work == "" && !zhPlan.MatchString(s) && !zhReported.MatchString(s) && zhReadIt.MatchString(s) {
		add("DISCUSSED_WORK", "Work", clear, m[1])
	}
	if zhOwnDraft.MatchString(s) && !told {
		return out
	}
	ch := zhChapter.FindString(s)
	switch m := zhNamedCh.FindStringSubmatch(s); {
	case ch != "" && (told || work == "" && zhReadSome.MatchString(s) && !zhPlan.MatchString(s)):
		pred := "DISCUSSED_CHAPTER"
		if zhNotRead.MatchString(s) && !zhReadAll.MatchString(s) {
			pred = "HAS_NOT_DISCUSSED_CHAPTER"
		}
		add(pred, "Chapter", clear+0.06, work, ch)
	case m != nil && (told || m[3] == "" && zhReadIt.MatchString(s)):
		conf := clear
		if work == "" {
			conf = interpreted
		}
		add("DISCUSSED_CHAPTER", "Chapter", conf, work, m[1]+m[2]+m[3])
	case told:
		if m := zhWhereCh.FindStringSubmatch(s); m != nil {
			add("DISCUSSED_CHAPTER", "Chapter", weak, work, m[1])
		}
	}
	return out
}
