package judge

import (
	"slices"
	"strings"
	"unicode/utf8"

	"membench/internal/timex"
	"membench/internal/tokens"
)

// A reading describes the final answer of a reply in relation to the gold: which of its words come from the gold, the question or the frame of an answer, and
// which change the meaning.
type reading struct {
	spans     [][2]int // bytes of the values and dates that say the gold
	mention   []bool   // by token: it states (part of) the gold
	first     int      // token of the first mention, -1 none
	last      int      // token behind the last
	restates  float64
	asked     int // content words of the question in the answer
	operators []operator
	before    []int // tokens before the first mention that nothing accounts for
	after     []int // behind it, in its sentence
	later     []int // in later sentences
	rival     int   // token of another thing of the gold's type, -1 if none
	items     int   // list items in addition to the gold's
	looping   bool
	standing  *standing // see stand
}

// An operator is a word that can change whether a statement is asserted: a negation, contrast, condition, guess, alternative, report, or change in time.
type operator struct {
	kind string
	word string
	tok  int
}

// read reads the final answer, once. It costs one pass over the tokens for each word of gold
// and question.
func (p *prepared) read() *reading {
	if p.reading == nil {
		p.reading = p.readOnce()
	}
	return p.reading
}

func (p *prepared) readOnce() *reading {
	t := p.at
	r := &reading{first: -1, rival: -1, mention: make([]bool, len(t.toks))}
	r.looping = looping(t)
	p.mentions(r)
	p.questioned(r)
	r.operators = p.operators(r)
	framed := p.hanFrame()
	for i := range t.toks {
		k := &t.toks[i]
		if r.mention[i] || k.stop || k.inQ || len(p.gv) == 0 && t.article(i) || frame(k) && !p.peer(k) || len(p.gw.all) == 0 && p.aw.holds(k.pos) || p.qt.has(k.stem) || p.asked(k.word) || k.num && reference(t.raw[:k.pos]) || p.reckoned(k.pos) {
			continue
		}
		if k.han && p.partly(i, framed) {
			continue
		}
		switch {
		case i < r.first || r.first < 0:
			r.before = append(r.before, i)
		case k.sent == t.toks[r.first].sent || k.sent == t.toks[r.last-1].sent:
			r.after = append(r.after, i)
		default:
			r.later = append(r.later, i)
		}
		if r.rival < 0 && p.rivals(i) {
			r.rival = i
		}
	}
	for _, it := range t.items {
		if r.first < 0 || it[0] >= len(t.toks) || t.toks[it[0]].sent < t.toks[r.first].sent || t.toks[it[0]].sent > t.toks[r.last-1].sent {
			continue
		}
		said, other := false, false
		for i := it[0]; i < it[1] && i < len(t.toks); i++ {
			said = said || r.mention[i]
			other = other || !t.toks[i].stop && !t.toks[i].inQ && !r.mention[i] && !frame(&t.toks[i])
		}
		if other && !said {
			r.items++
		}
	}
	return r
}

// mentions marks the words that say the gold.
func (p *prepared) mentions(r *reading) {
	t := p.at
	var spans [][2]int
	for _, a := range p.av {
		if anySame(p.gv, a) {
			spans = append(spans, [2]int{a.pos, a.end})
		}
	}
	for _, g := range p.gw.all {
		for _, a := range p.aw.all {
			if g.Kind == a.Kind && (g.Kind == timex.Absolute && relate(g, a).score >= .5 || g.Kind == timex.Duration && g.MinDays == a.MinDays || g.Kind == timex.Deictic && g.Op == a.Op && g.Unit == a.Unit && g.N == a.N) {
				spans = append(spans, [2]int{a.Pos, a.End})
			}
		}
	}
	for i := range p.gt.toks {
		if g := &p.gt.toks[i]; g.han && !g.stop && len(g.word) > 3 {
			for from := 0; ; {
				j := strings.Index(t.raw[from:], g.word)
				if j < 0 {
					break
				}
				spans = append(spans, [2]int{from + j, from + j + len(g.word)})
				from += j + len(g.word)
			}
		}
	}
	r.spans = spans
	for i := range t.toks {
		k := &t.toks[i]
		for _, s := range spans {
			r.mention[i] = r.mention[i] || k.pos >= s[0] && k.pos < s[1]
		}
		if r.mention[i] || k.stop && !k.num {
			continue
		}
		for j := range p.gt.toks {
			if g := &p.gt.toks[j]; !g.stop && same(g, k) >= .7 || g.stop && len(p.gt.toks) < 3 && g.word == k.word {
				r.mention[i] = true
				break
			}
		}
	}
	for i := range t.toks {
		if r.mention[i] && !(t.toks[i].inQ && !p.goldInQuestion()) {
			if r.first < 0 {
				r.first = i
			}
			r.last = i + 1
		}
	}
	if r.first < 0 {
		for i, m := range r.mention {
			if m {
				if r.first < 0 {
					r.first = i
				}
				r.last = i + 1
			}
		}
	}
}

// goldInQuestion reports whether the question names all of the gold, as one that offers
// a choice does.
func (p *prepared) goldInQuestion() bool {
	for i := range p.gt.toks {
		if k := &p.gt.toks[i]; !k.stop && !p.qt.has(k.stem) {
			return false
		}
	}
	return true
}

// questioned counts the words of the question that the answer repeats.
func (p *prepared) questioned(r *reading) {
	p.compared() // marks the words of the question
	n := 0
	seen := map[string]bool{}
	for i := range p.qt.toks {
		k := &p.qt.toks[i]
		if k.stop || seen[k.stem] {
			continue
		}
		seen[k.stem] = true
		n++
		for j := range p.at.toks {
			if a := &p.at.toks[j]; !a.stop && !(r.mention[j] && heldBy(p.av, a.pos)) && (a.stem == k.stem || !k.num && !k.han && similar(a.stem, k.stem)) {
				r.asked++
				break
			}
		}
	}
	if n > 0 {
		r.restates = float64(r.asked) / float64(n)
	}
}

// partly reports a pair of Chinese characters of which one belongs to the gold, the question or a function word: pairs overlap, and only a pair of two new
// characters is a new word.
func (p *prepared) partly(i int, framed []bool) bool {
	k := &p.at.toks[i]
	if k.num {
		return false
	}
	for j, c := range k.word {
		s := string(c)
		if strings.Contains("第段条轮次聊记录里中的了是在由并从起于", s) || framed != nil && framed[k.pos+j] {
			continue
		}
		if !strings.Contains(p.qt.raw, s) && !strings.Contains(p.gt.raw, s) {
			return false
		}
	}
	return true
}

// hanFrame marks the bytes of the answer that are in a Chinese word of the frame, since Chinese is cut into pairs of characters, ignoring words.
func (p *prepared) hanFrame() []bool {
	if !p.at.han {
		return nil
	}
	covered := make([]bool, len(p.at.raw))
	for _, w := range hanFrameWords {
		for from := 0; ; {
			i := strings.Index(p.at.raw[from:], w)
			if i < 0 {
				break
			}
			for j := from + i; j < from+i+len(w); j++ {
				covered[j] = true
			}
			from += i + len(w)
		}
	}
	return covered
}

// hanFrameWords are the Chinese ones of the frame, of two characters and more.
var hanFrameWords = func() (out []string) {
	for w := range frameWords {
		if w[0] >= utf8.RuneSelf && len(w) > 3 {
			out = append(out, w)
		}
	}
	slices.Sort(out)
	return out
}()

// frame reports a word that belongs to giving an answer and has no content.
func frame(k *tok) bool {
	return frameWords[k.word] || k.han && len(k.word) == 3 && !k.num || k.stem == "%" || k.vague && !k.name
}

// Classes of calendar, in its order.
const (
	weekday = iota
	month
	season
	dayPart
	ordinal
)

// calendar has the words of closed classes, of whose members a text has one or another: the
// class of a word and its member.
var calendar = classesOf([][]string{
	weekday: {"monday mondays 周一 星期一", "tuesday tuesdays 周二 星期二", "wednesday wednesdays 周三 星期三", "thursday thursdays 周四 星期四", "friday fridays 周五 星期五", "saturday saturdays 周六 星期六", "sunday sundays 周日 星期日 星期天"},
	month:   strings.Fields("january february march april may june july august september october november december"),
	season:  {"spring 春天", "summer 夏天", "autumn fall 秋天", "winter 冬天"},
	dayPart: {"morning mornings 早上 上午 早晨 清晨", "noon 中午", "afternoon afternoons 下午", "evening evenings night nights midnight tonight 晚上 夜里 夜晚 半夜 傍晚"},
	ordinal: strings.Fields("first second third fourth fifth sixth last"),
})

// classesOf is the class and the member of each word of classes whose members are lists of words.
func classesOf(classes [][]string) map[string][2]int {
	m := map[string][2]int{}
	for class, members := range classes {
		for member, words := range members {
			for _, w := range strings.Fields(words) {
				m[w] = [2]int{class, member}
			}
		}
	}
	return m
}

// peer reports whether a word is of the same closed class as a word of the gold, and another.
func (p *prepared) peer(k *tok) bool {
	mine, ok := calendar[k.word]
	if !ok || p.gt.hasWord(k.word) || p.qt.hasWord(k.word) {
		return false
	}
	other := false
	for i := range p.gt.toks {
		if its, ok := calendar[p.gt.toks[i].word]; ok && its[0] == mine[0] {
			if its == mine {
				return false
			}
			other = true
		}
	}
	return other
}

var frameWords = tokens.Set(`answer answers reply correct right value result output done found question asked remember recall remembered sure note notes record records session sessions chat chats history earlier dialogue user users
		called named name names known refers refer regarding shared discussed talked told explicitly clearly confirmed date dates time times total hope helps glad happy welcome thanks please let help helpful detail details further else checked looked looking find stored memory memories transcript message messages log logs evidence stated states says shows show according per noted notes above nice day great good happy exactly precisely around about approximately ok okay hello hi
		source sources file files page pages thread email mail letter diary document documents report reports ticket wiki handbook runbook entry entries text texts discussion exchange interview review phone call capture console syslog handover postmortem telling
		read reading reads going went judging look looks looking scroll scrolled checking check gone search searched searching wrote written write writes reported reporting came comes up turned turns learned learnt tell tells telling talking spoke speaking say saying see seen seeing know knew
		first second third fourth fifth sixth last early late earlier previous evening morning afternoon night noon week weeks weekend month months day days year years ago spring summer autumn winter monday tuesday wednesday thursday friday saturday sunday january february march april june july august september october november december
		whole entire part beginning way both them everyone all
		summary handover quick brief latest update final analysis investigation analyses point points pointed reason everything altogether combined sum course congratulations congrats currently
		答案 回答 问题 正确 结果 查到 希望 帮到 帮 可以 还有 什么 祝 愉快 当然 简单 来说 显示 记忆 依据 您 你好 清楚 对话 记录 提到 提到过 提过 说过 之前 过 提及 聊天 用户 明确 内容 根据 一共 总共 共 具体 就是 叫 名叫 明确地 记得 因此 所以 目前 现在 综合 综合来看 来看 记错 的话 合计 总计 算下来 算起来 加起来 最近 一次 最近一次 聊天记录 记录显示 显示 日志 排查 经排查`)

// rivals reports whether a word of the answer that nothing accounts for may be meant
// instead of the gold: a name for a name, a number or date for one.
func (p *prepared) rivals(i int) bool {
	k := &p.at.toks[i]
	for _, a := range p.av {
		if k.pos >= a.pos && k.pos < a.end && !anySame(p.qv, a) && !anySame(p.gv, a) {
			for _, g := range p.gv {
				if p.contradicts(g, a) || g.kind == a.kind {
					return true
				}
			}
		}
	}
	if len(p.gw.abs) > 0 {
		for _, a := range p.aw.abs {
			if k.pos >= a.Pos && k.pos < a.End {
				return true
			}
		}
	}
	if p.peer(k) {
		return true
	}
	if !k.name || len(p.gv) > 0 {
		return false
	}
	for j := range p.gt.toks {
		if g := &p.gt.toks[j]; g.name && !g.stop {
			return true
		}
	}
	return false
}

// operatorWords are the closed classes of English words that operate on a statement.
var operatorWords = func() map[string]string {
	m := map[string]string{}
	for kind, words := range map[string]string{
		"negation":    "not no zero never none neither nor nobody nothing cannot without hardly barely false untrue wrong incorrect mistaken mistake mistakenly mistook unlikely deny denied denies denying reject rejected refuse refused fail failed fails lie lied lying bogus fake hoax myth disproved disproven debunked ruled unfounded excluded exclude excludes excluding discarded dismissed declined dropped cancelled canceled abandoned crossed typo typos outdated stale obsolete erroneous erroneously superseded",
		"contrast":    "but however yet otherwise actually only",
		"concession":  "although though whereas despite notwithstanding",
		"exclusion":   "instead rather except unlike contrary versus vs",
		"correction":  "wait correction scratch oops sorry corrected correcting amend erratum retract retracted misspoke",
		"condition":   "if unless whether suppose supposing assuming hypothetically",
		"guess":       "maybe perhaps possibly probably might may could seems seem seemed appears appear apparently guess guessing presumably unsure uncertain doubt doubtful unclear likely suspect",
		"alternative": "or either alternatively",
		"report":      "claim claims claimed claiming allege alleged allegedly rumor rumour rumored rumoured rumors rumours supposedly reportedly insists insisted pretend pretended pretends joke joked joking gossip hearsay",
		"time":        "used formerly previously originally initially former once anymore longer until till before changed change switched replaced replace replaces swapped became then subsequently moved later will tomorrow soon future afterwards nearly almost",
		"unreal":      "dream dreams dreamt dreamed imagine imagined imagines imagining wish wishes wished hypothetical fiction fictional imaginary could've would've",
		"intent":      "hoped hopes hope hoping feared fears would should planned intended considered",
		"exchange":    "confused confuse confuses mixed misread misheard misquoted",
	} {
		for _, w := range strings.Fields(words) {
			m[w] = kind
		}
	}
	return m
}()

// hanOperators are Chinese words and characters that operate on a statement.
var hanOperators = func() (out []operator) {
	for _, row := range []string{
		"negation 不 没 未 无 非 别的 否 假 错 误 并非 谎 谣 骗 瞎",
		"contrast 但 却 然而 其实 实际上 反而 而是 才是 倒是 不过",
		"concession 虽 尽管",
		"exclusion 别人 至于 除了 除 只有 只是 而不是",
		"correction 等等 更正 纠正 口误 抱歉 对了",
		"condition 如果 假如 要是 若 倘 除非 万一 只要",
		"guess 可能 也许 大概 或许 好像 似乎 估计 猜 恐怕 大约是 怀疑",
		"alternative 或 还是 要么",
		"report 有人说 据说 传言 传说 听说 声称 号称 以为 自称 说是 一口咬定 开玩笑 玩笑",
		"time 原来 原先 以前 从前 曾 后来 改 换 取代 替 原计划 本来 当初 最初 将 明年 以后 取消 放弃 差一点 差点 险些 几乎 起初 搬到 然后 随后",
		"unreal 梦 想象 幻想 小说 虚构 打算 希望",
		"question 怎么 吗 为什么 呵",
		"exchange 混淆 弄混 搞混",
	} {
		f := strings.Fields(row)
		for _, w := range f[1:] {
			out = append(out, operator{kind: f[0], word: w})
		}
	}
	return out
}()

// operators lists the operators of the answer. A word that also occurs in the question or the gold does not count.
func (p *prepared) operators(r *reading) []operator {
	var out []operator
	t := p.at
	theirs := func(w string) bool { return p.qt.hasWord(w) || p.gt.hasWord(w) }
	for i := range t.toks {
		k := &t.toks[i]
		if k.han || r.mention[i] || p.aw.holds(k.pos) {
			continue // 7 May is not "may"
		}
		kind := operatorWords[k.word]
		if k.word == "used" && (i+1 >= len(t.toks) || t.toks[i+1].word != "to") {
			kind = ""
		}
		if k.word == "other" && i+1 < len(t.toks) && t.toks[i+1].word == "than" {
			kind = "exclusion"
		}
		if k.word == "but" && i > 0 && universal[t.toks[i-1].word] {
			kind = "exclusion" // "anything but …"
		}
		if kind == "" && k.neg {
			kind = "negation"
		}
		if k.word == "soon" && i > 0 && t.toks[i-1].word == "as" {
			kind = "" // "as soon as"
		}
		if kind == "" || theirs(k.word) || !k.neg && !k.stop && p.qt.has(k.stem) || kind == "negation" && negated(p.gt) || kind == "guess" && hedged(p.gt) {
			continue
		}
		out = append(out, operator{kind, k.word, i})
	}
	for i := 1; i < len(t.toks); i++ {
		if gap := t.gap(i); len(gap) > 2 && slices.Contains(strings.Fields(strings.ToLower(gap)), "or") && !strings.Contains(p.qt.raw, " or ") && !strings.Contains(p.gt.raw, " or ") {
			out = append(out, operator{"alternative", "or", i})
		}
	}
	for _, op := range hanOperators {
		if !t.han {
			break
		}
		w, kind := op.word, op.kind
		if strings.Contains(p.qt.raw, w) || strings.Contains(p.gt.raw, w) {
			continue
		}
		for from := 0; ; {
			j := strings.Index(t.raw[from:], w)
			if j < 0 {
				break
			}
			from += j + len(w)
			if !partOf(t.raw, from-len(w), w, p.qt.raw, p.gt.raw) {
				out = append(out, operator{kind, w, t.tokenAt(from - len(w))})
				break
			}
		}
	}
	for _, mark := range []struct{ sign, kind string }{{"?", "question"}, {"~~", "correction"}, {"...", "correction"}, {"…", "correction"}, {"/s", "question"}, {"✗", "negation"}, {"❌", "negation"}, {"≠", "negation"}, {"!=", "negation"}, {"→", "time"}, {"->", "time"}} {
		if i := strings.Index(t.raw, mark.sign); i >= 0 && !(i == 0 && mark.kind == "time") && !strings.Contains(p.gt.raw, mark.sign) && !(mark.sign == "?" && p.quotesQuestion(i)) && !((mark.sign == "..." || mark.sign == "…") && t.tokenAt(i) < r.first) {
			out = append(out, operator{mark.kind, mark.sign, t.tokenAt(i)})
		}
	}
	asides := p.asides(r)
	return slices.DeleteFunc(out, func(o operator) bool { return asides[o.tok] || p.courteous(t.toks[o.tok].pos) })
}

// universal are words that "but" makes an exception from.
var universal = tokens.Set("anywhere everywhere anything everything nothing all everyone anyone everybody anybody none nobody")

// asides marks the words of conditions about how the answer was found, not about its content: "if I read the chat right". A condition that contains the gold,
// or has no verb of remembering or understanding, does not count.
func (p *prepared) asides(r *reading) map[int]bool {
	t := p.at
	out := map[int]bool{}
	for i := range t.toks {
		k := &t.toks[i]
		if k.han {
			p.hanAside(r, i, out)
			continue
		}
		if k.word != "if" && k.word != "unless" || i+1 >= len(t.toks) || !speaker[t.toks[i+1].word] {
			continue
		}
		to, minds, errs, denied, real := i+1, t.toks[i+1].word == "memory", false, false, true
		for ; to < len(t.toks) && t.toks[to].sent == k.sent && !strings.ContainsAny(t.gap(to), ",;:—()"); to++ {
			w := &t.toks[to]
			real = real && !remote[w.word] && !r.mention[to]
			minds = minds || minding[w.word]
			errs = errs || erring[w.word]
			denied = denied || w.neg
		}
		if real && (errs && denied != (k.word == "unless") || !errs && minds && !denied && k.word == "if") {
			for j := i; j < to; j++ {
				out[j] = true
			}
		}
	}
	return out
}

// hanAside marks such a condition in Chinese that begins at token i.
func (p *prepared) hanAside(r *reading, i int, out map[int]bool) {
	t := p.at
	if !hasAny(t.raw[t.toks[i].pos:], "如果", "要是", "假如", "若我", "若没", "若未") {
		return
	}
	to, real := i, true
	for ; to < len(t.toks) && t.toks[to].sent == t.toks[i].sent && (to == i || !strings.ContainsAny(t.gap(to), ",;:—()")); to++ {
		real = real && !r.mention[to]
	}
	if to == i {
		return
	}
	said := p.clauseText(&clause{from: i, to: to})
	err := hasWithin(said, []string{"记错", "理解错", "看错", "弄错", "搞错", "读错"})
	denied := hasWithin(said, []string{"没", "未", "不"})
	if real && !hasWithin(said, []string{"你", "您", "他", "她"}) && (err && denied || !err && !denied && strings.Contains(said, "记得")) {
		for j := i; j < to; j++ {
			out[j] = true
		}
	}
}

// speaker are those whose remembering makes a condition a courtesy; minding and erring its verbs;
// remote are words of one that is not real.
var (
	speaker = tokens.Set("i i'm we my our memory")
	minding = tokens.Set("remember recall recollect read understand understood")
	erring  = tokens.Set("mistaken wrong misread misremember misunderstood misunderstand")
	remote  = tokens.Set("had were did was would could asked")
)

// quotesQuestion reports whether the question mark at i ends the question repeated.
func (p *prepared) quotesQuestion(i int) bool {
	q := strings.TrimRight(p.qt.raw, " ?")
	return q != "" && strings.HasSuffix(strings.TrimRight(p.at.raw[:i], " "), q)
}

// partOf reports whether a character that operates by itself is part of a word of
// question or gold, or of an idiom without that meaning.
func partOf(s string, i int, w, q, g string) bool {
	for _, idiom := range []string{"没错", "不错", "不久", "非常", "无线", "无论", "不仅", "不但", "不断", "改善", "改进", "将军", "暑假", "寒假", "放假", "假期", "假日", "年假", "休假", "请假", "病假", "婚假", "产假", "不过", "不只", "不止", "除夕", "无锡", "南无", "未来", "没有矛盾", "没有任何"} {
		if j := strings.Index(idiom, w); j >= 0 && len(idiom) > len(w) && i >= j && strings.HasPrefix(s[i-j:], idiom) {
			return true
		}
	}
	r, n := utf8.DecodeRuneInString(s[i+len(w):])
	next := w + string(r)
	return n > 0 && (strings.Contains(q, next) || strings.Contains(g, next))
}

// tokenAt is the first token at or behind byte pos.
func (t *text) tokenAt(pos int) int {
	for i := range t.toks {
		if t.toks[i].pos >= pos || i+1 < len(t.toks) && t.toks[i+1].pos > pos {
			return i
		}
	}
	return max(0, len(t.toks)-1)
}

func (t *text) hasWord(w string) bool {
	for i := range t.toks {
		if t.toks[i].word == w {
			return true
		}
	}
	return false
}

func hedged(t *text) bool {
	for i := range t.toks {
		if t.toks[i].hedge {
			return true
		}
	}
	return false
}

// looping reports whether a text repeats itself without end, as small models do: some run
// of one to twelve words comes four times or more in a row and is most of it.
func looping(t *text) bool {
	n := len(t.toks)
	if n < 12 {
		return false
	}
	for size := 1; size <= 12 && size*4 <= n; size++ {
		run := 0
		for i := size; i < n; i++ {
			if t.toks[i].word == t.toks[i-size].word {
				if run++; run >= size*3 && run*2 >= n {
					return true
				}
			} else {
				run = 0
			}
		}
	}
	if n < 24 {
		return false
	}
	distinct := map[string]bool{}
	for i := range t.toks {
		distinct[t.toks[i].word] = true
	}
	return len(distinct)*5 < n
}
