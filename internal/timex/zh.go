package timex

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// scanWide adds what is not ASCII: a Han character is a token of its own, Chinese
// number words become numbers, other letters words.
func (p *parser) scanWide(i int) int {
	s := p.text
	r, n := utf8.DecodeRuneInString(s[i:])
	if v, m := hanNumber(s[i:]); m > 0 {
		p.toks = append(p.toks, token{kind: number, text: s[i : i+m], val: v, spelt: true, pos: i, end: i + m})
		p.maybe = true
		return i + m
	}
	switch {
	case unicode.Is(unicode.Han, r):
		p.toks = append(p.toks, token{kind: han, text: s[i : i+n], pos: i, end: i + n})
		p.maybe = p.maybe || strings.ContainsRune("年月日号天周星礼拜春夏秋冬昨今明去前后上下本元国半几", r)
		return i + n
	case unicode.IsSpace(r):
		return i + n
	case unicode.IsLetter(r):
		j := i + n
		for j < len(s) {
			r, n := utf8.DecodeRuneInString(s[j:])
			if !unicode.IsLetter(r) || unicode.Is(unicode.Han, r) {
				break
			}
			j += n
		}
		p.toks = append(p.toks, token{kind: word, text: strings.ToLower(s[i:j]), pos: i, end: j})
		return j
	}
	p.toks = append(p.toks, token{kind: punct, text: s[i : i+n], pos: i, end: i + n})
	return i + n
}

// numeral is the value of one Chinese digit or of 十, -1 for others.
func numeral(r rune) float64 {
	switch r {
	case '〇', '○', '零':
		return 0
	case '一':
		return 1
	case '二', '两', '兩', '俩':
		return 2
	case '三':
		return 3
	case '四':
		return 4
	case '五':
		return 5
	case '六':
		return 6
	case '七':
		return 7
	case '八':
		return 8
	case '九':
		return 9
	case '十':
		return 10
	}
	return -1
}

// hanNumber reads a Chinese number: 三, 十五, 二十三, 一百二十, 两, 二〇二三, 半 is not one.
func hanNumber(s string) (v float64, n int) {
	total, cur, plain := 0., -1., 0
	var run, last float64 // last: the unit before what is read
	for n < len(s) {
		r, w := utf8.DecodeRuneInString(s[n:])
		d, unit := numeral(r), 0.
		switch r {
		case '十':
			d, unit = -1, 10
		case '百':
			unit = 100
		case '千':
			unit = 1000
		case '万':
			unit = 10000
		}
		switch {
		case d >= 0:
			if cur >= 0 && plain > 0 {
				run = run*10 + d
			} else {
				run = d
			}
			cur = run
			plain++
		case unit == 10000 && n > 0:
			total = (total + max(cur, 0)) * unit
			cur, run, plain, last = -1, 0, 0, unit
		case unit > 0 && unit < 10000 && (n > 0 || unit == 10):
			if cur < 0 {
				cur = 1
			}
			total += cur * unit
			cur, run, plain, last = -1, 0, 0, unit
		default:
			goto done
		}
		n += w
	}
done:
	if n == 0 {
		return 0, 0
	}
	if plain == 1 && last >= 100 { // 三千二 is 3,200
		cur *= last / 10
	}
	return total + max(cur, 0), n
}

// HanNumber reads a Chinese number at the start of s and says how many bytes it took.
func HanNumber(s string) (v float64, n int) { return hanNumber(s) }

func (p *parser) hanIs(i int, rs ...rune) bool {
	t := p.at(i)
	if t.kind != han {
		return false
	}
	r, _ := utf8.DecodeRuneInString(t.text)
	return slices.Contains(rs, r)
}

// hanSeq reports whether the Han characters of s are at i, and what follows.
func (p *parser) hanSeq(i int, s string) (int, bool) {
	for _, r := range s {
		if v := numeral(r); v >= 0 {
			if t := p.at(i); t.kind != number || t.val != v {
				return i, false
			}
		} else if !p.hanIs(i, r) {
			return i, false
		}
		i++
	}
	return i, true
}

func (p *parser) hanAny(i int, alts ...string) (string, int, bool) {
	for _, a := range alts {
		if n, ok := p.hanSeq(i, a); ok {
			return a, n, true
		}
	}
	return "", i, false
}

// zhDate reads 2023年5月7日, 5月7号, 2023年5月上旬, 2023年夏天, 2023年, 元旦.
func (p *parser) zhDate(i int) (e Expr, next int, ok bool) {
	t := p.at(i)
	if t.kind == han {
		for _, h := range []struct {
			name string
			m, d int
		}{{"元旦", 1, 1}, {"国庆节", 10, 1}, {"国庆", 10, 1}, {"圣诞节", 12, 25}, {"圣诞", 12, 25}, {"情人节", 2, 14}, {"劳动节", 5, 1}, {"儿童节", 6, 1}, {"万圣节", 10, 31}} {
			if n, ok := p.hanSeq(i, h.name); ok {
				d := Date(p.year, h.m, h.d)
				return Expr{Kind: Absolute, Lo: d, Hi: d, Grain: Days, Yearless: true}, n, true
			}
		}
	}
	if t.kind != number || t.ordinal || p.at(i+1).kind != han {
		return Expr{}, i, false
	}
	j, y, has := i, p.year, false
	if p.hanIs(j+1, '年') && (t.val >= 1800 && t.val <= 2199 || len(t.text) == 2 && !t.spelt) {
		y, has = int(t.val), true
		if y < 100 {
			y += 2000
		}
		j += 2
	}
	m := p.at(j)
	if m.kind == number && m.val >= 1 && m.val <= 12 && p.hanIs(j+1, '月') {
		mm := int(m.val)
		j += 2
		if d := p.at(j); d.kind == number && d.val >= 1 && d.val <= 31 && (p.hanIs(j+1, '日', '号') || p.at(j+1).kind != han && !d.spelt) {
			day := Date(y, mm, int(d.val))
			j++
			if p.hanIs(j, '日', '号') {
				j++
			}
			return Expr{Kind: Absolute, Lo: day, Hi: day, Grain: Days, Yearless: !has}, j, true
		}
		e = Expr{Kind: Absolute, Lo: Date(y, mm, 1), Hi: Date(y, mm+1, 0), Grain: Month, Yearless: !has}
		if w, n, ok := p.hanAny(j, "上旬", "初", "中旬", "中", "下旬", "底", "末", "份"); ok {
			switch w {
			case "上旬", "初":
				e.Hi, e.Grain = e.Lo+9, Part
			case "中旬", "中":
				e.Lo, e.Hi, e.Grain = e.Lo+9, e.Lo+19, Part
			case "下旬", "底", "末":
				e.Lo, e.Grain = e.Lo+19, Part
			}
			j = n
		}
		k := j
		if p.hanIs(k, '的') {
			k++
		}
		if n, ok := p.hanSeq(k, "第"); ok && p.at(n).kind == number && p.at(n).val <= 5 {
			if _, n2, ok := p.hanAny(n+1, "个周末"); ok {
				sat := e.Lo + Day((6-e.Lo.Weekday()+7)%7) + Day(7*(p.at(n).val-1))
				e.Lo, e.Hi, e.Grain = sat-1, sat+1, Weekend
				return e, n2, true
			}
			if _, n2, ok := p.hanAny(n+1, "个星期", "周"); ok {
				e.Lo += Day(7 * (p.at(n).val - 1))
				e.Hi, e.Grain = e.Lo+6, Week
				return e, n2, true
			}
		}
		if _, n, ok := p.hanAny(k, "最后一周", "最后一个星期"); ok {
			e.Lo, e.Grain = e.Hi-6, Week
			j = n
		}
		return e, j, true
	}
	if !has {
		return Expr{}, i, false
	}
	for s, names := range [][]string{{"春天", "春季", "春"}, {"夏天", "夏季", "夏", "暑假"}, {"秋天", "秋季", "秋"}, {"冬天", "冬季", "冬"}} {
		if _, n, ok := p.hanAny(j, names...); ok {
			lo, hi := seasonDays(y, s)
			return Expr{Kind: Absolute, Lo: lo, Hi: hi, Grain: Season}, n, true
		}
	}
	e = Expr{Kind: Absolute, Lo: Date(y, 1, 1), Hi: Date(y, 12, 31), Grain: Year}
	if w, n, ok := p.hanAny(j, "上半年", "下半年", "年初", "年底", "年末", "初", "底", "末"); ok {
		switch w {
		case "上半年":
			e.Hi = Date(y, 6, 30)
		case "下半年":
			e.Lo = Date(y, 7, 1)
		case "年初", "初":
			e.Hi = Date(y, 3, 31)
		default:
			e.Lo = Date(y, 10, 1)
		}
		e.Grain, j = Part, n
	}
	return e, j, true
}

var zhUnits = []struct {
	name string
	u    Unit
}{{"分钟", Minutes}, {"个小时", Hours}, {"小时", Hours}, {"个钟头", Hours}, {"天", Days}, {"日", Days}, {"晚", Days}, {"个周末", Weekend}, {"周末", Weekend}, {"个星期", Week}, {"个礼拜", Week}, {"星期", Week}, {"周", Week}, {"个月", Month}, {"年", Year}}

func (p *parser) zhUnit(i int) (Unit, int, bool) {
	for _, u := range zhUnits {
		if n, ok := p.hanSeq(i, u.name); ok {
			return u.u, n, true
		}
	}
	return NoUnit, i, false
}

// zhWeekday reads 周五, 星期天, 礼拜三.
func (p *parser) zhWeekday(i int) (wd, next int, ok bool) {
	_, j, ok := p.hanAny(i, "星期", "礼拜", "周")
	if !ok {
		return 0, i, false
	}
	if t := p.at(j); t.kind == number && t.spelt && t.val >= 1 && t.val <= 6 {
		return int(t.val), j + 1, true
	}
	if p.hanIs(j, '日', '天') {
		return 0, j + 1, true
	}
	return 0, i, false
}

// zhRelative reads what the English half reads in anchored, deictic, clock and
// duration: X前一周, X之后的周五, 三天前, 上周五, 去年, 下午3点, 三个月.
func (p *parser) zhRelative(i int) (Expr, int, bool) {
	if next := p.at(i + 1); p.at(i).kind != han && (p.at(i).kind != number || next.kind != han && !(next.kind == number && next.spelt)) {
		return Expr{}, i, false // nothing Chinese
	}
	if x, n, ok := p.zhDate(i); ok {
		return p.zhAnchored(i, x, n)
	}
	t := p.at(i)
	if t.kind == han {
		for _, d := range []struct {
			s  string
			op Op
			n  float64
			u  Unit
		}{{"大前天", Ago, 3, Days}, {"前天", Ago, 2, Days}, {"昨天", Ago, 1, Days}, {"昨晚", Ago, 1, Days}, {"今天", This, 0, Days}, {"今晚", This, 0, Days}, {"明天", Ahead, 1, Days}, {"后天", Ahead, 2, Days},
			{"前年", Ago, 2, Year}, {"去年", Ago, 1, Year}, {"今年", This, 0, Year}, {"明年", Ahead, 1, Year}, {"上个月", Ago, 1, Month}, {"上月", Ago, 1, Month}, {"这个月", This, 0, Month}, {"本月", This, 0, Month}, {"下个月", Ahead, 1, Month}, {"下月", Ahead, 1, Month},
			{"上个周末", Ago, 1, Weekend}, {"上周末", Ago, 1, Weekend}, {"这个周末", This, 0, Weekend}, {"下周末", Ahead, 1, Weekend}, {"下个周末", Ahead, 1, Weekend}} {
			if n, ok := p.hanSeq(i, d.s); ok {
				return Expr{Kind: Deictic, Op: d.op, N: d.n, Unit: d.u, Grain: d.u}, n, true
			}
		}
		for _, d := range []struct {
			r  string
			op Op
		}{{"上个", Ago}, {"上", Ago}, {"下个", Ahead}, {"下", Ahead}, {"这个", This}, {"这", This}, {"本", This}} {
			j, ok := p.hanSeq(i, d.r)
			if !ok {
				continue
			}
			if wd, n, ok := p.zhWeekday(j); ok {
				return Expr{Kind: Deictic, Op: d.op, N: 1, Unit: Weekday, Grain: Weekday, Wd: wd}, n, true
			}
			if _, n, ok := p.hanAny(j, "星期", "礼拜", "周"); ok {
				k := 1.
				if d.op == This {
					k = 0
				}
				return Expr{Kind: Deictic, Op: d.op, N: k, Unit: Week, Grain: Week}, n, true
			}
		}
		if w, j, ok := p.hanAny(i, "凌晨", "早上", "上午", "中午", "下午", "傍晚", "晚上", "夜里"); ok {
			if e, n, ok := p.zhClock(j); ok {
				e.Vague = false
				if e.Minute < 720 && (w == "下午" || w == "傍晚" || w == "晚上" || w == "中午" && e.Minute < 600) {
					e.Minute += 720
				}
				return e, n, true
			}
		}
	}
	if e, n, ok := p.zhClock(i); ok {
		return e, n, true
	}
	j, n, approx, half := i, 0., false, 0.
	switch {
	case t.kind == number && !t.ordinal:
		n = t.val
		j++
		if p.hanIs(j, '多', '来', '几') {
			approx = true
			j++
		}
		if t2 := p.at(j); t.spelt && t2.kind == number && t2.spelt { // 三四天
			approx = true
			j++
		}
	case p.hanIs(i, '几', '数'):
		n, approx = 3, true
		j++
	case p.hanIs(i, '半'):
		half = .5
		j++
	default:
		return Expr{}, i, false
	}
	if p.hanIs(j, '个') && p.hanIs(j+1, '半') {
		half = .5
		if u, k, ok := p.zhUnit(j + 2); ok {
			return Length(n+half, u, approx), k, true
		}
	}
	u, k, ok := p.zhUnit(j)
	if !ok || u == Days && t.kind == number && p.hanIs(j, '日') && !t.spelt {
		return Expr{}, i, false
	}
	if p.hanIs(k, '半') {
		half = .5
		k++
	}
	n += half
	if _, m, ok := p.hanAny(k, "之前", "以前", "前"); ok {
		return Expr{Kind: Deictic, Op: Ago, N: n, Unit: u, Grain: u, Vague: approx}, m, true
	}
	if _, m, ok := p.hanAny(k, "之后", "以后", "后"); ok {
		return Expr{Kind: Deictic, Op: Ahead, N: n, Unit: u, Grain: u, Vague: approx}, m, true
	}
	return Length(n, u, approx), k, true
}

// zhAnchored continues after a date: X(之)前(的)一周 / 那个周末 / 周五, X那一周.
func (p *parser) zhAnchored(i int, x Expr, n int) (Expr, int, bool) {
	if p.hanIs(n, '到', '至') || p.is(n, "-", "~", "–") {
		return Expr{}, i, false // a range: between reads it
	}
	if _, j, ok := p.hanAny(n, "那一周", "那周", "所在的一周", "所在周", "当周", "的那一周"); ok {
		e := x
		e.Op, e.Unit, e.N, e.XLo, e.XHi, e.Grain = Of, Week, 1, x.Lo, x.Hi, Week
		e.Lo, e.Hi = reach(Of, Week, 1, 0, false, x)
		return e, j, true
	}
	op := Before
	_, j, ok := p.hanAny(n, "之前", "以前", "前")
	if !ok {
		if _, j, ok = p.hanAny(n, "之后", "以后", "后"); !ok {
			return Expr{}, i, false
		}
		op = After
	}
	k := j
	if p.hanIs(k, '的') {
		k++
	}
	if _, m, ok := p.hanAny(k, "那个", "那", "上一个", "下一个", "上", "下"); ok {
		k = m
	}
	e := x
	e.Op, e.XLo, e.XHi = op, x.Lo, x.Hi
	set := func(u Unit, c float64, wd int, approx bool) {
		e.Unit, e.N, e.Wd, e.Grain, e.Vague = u, c, wd, u, approx
		e.Lo, e.Hi = reach(op, u, c, wd, approx, x)
	}
	if wd, m, ok := p.zhWeekday(k); ok {
		set(Weekday, 1, wd, false)
		return e, m, true
	}
	c, approx, m := 1., false, k
	if t := p.at(k); t.kind == number && !t.ordinal {
		c, m = t.val, k+1
	} else if p.hanIs(k, '几', '数') {
		c, approx, m = 3, true, k+1
	}
	if u, m, ok := p.zhUnit(m); ok {
		set(u, c, 0, approx)
		return e, m, true
	}
	e.Open = true
	if op == Before {
		e.Lo, e.Hi = x.Lo-365, x.Lo-1
	} else {
		e.Lo, e.Hi = x.Hi+1, x.Hi+365
	}
	return e, j, true
}

// zhClock reads 3点, 3点半, 15点20分.
func (p *parser) zhClock(i int) (Expr, int, bool) {
	t := p.at(i)
	if t.kind != number || t.ordinal || t.val > 24 || !p.hanIs(i+1, '点', '时') || p.hanIs(i+2, '间', '候') {
		return Expr{}, i, false
	}
	e, j := Expr{Kind: Clock, Minute: int(t.val) * 60, Vague: t.val >= 1 && t.val <= 12}, i+2
	switch q := p.at(j); {
	case p.hanIs(j, '半'):
		e.Minute += 30
		j++
	case p.hanIs(j, '钟'):
		j++
	case q.kind == number && q.val < 4 && p.hanIs(j+1, '刻'), p.hanIs(j, '一') && p.hanIs(j+1, '刻'):
		e.Minute += 15 * max(1, int(q.val))
		j += 2
	case q.kind == number && q.val < 60 && p.hanIs(j+1, '分'):
		e.Minute += int(q.val)
		j += 2
	}
	return e, j, true
}
