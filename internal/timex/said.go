package timex

import (
	"regexp"
	"slices"
	"strings"
	"sync"
)

// Said are the expressions of a text that was said on day ref, each as days (Absolute; vague ones and lengths stay as they are). Beside those of Find it knows
// what only the day of speaking makes clear: weekdays alone ("on Friday", 礼拜三), days of the month ("the 17th", 十号) and today. ahead says that the text
// speaks of what is to come: then the next such day is meant, else the last one. A date without a year is of the year that fits.
func Said(text string, ref Day, ahead bool) []Expr {
	year, month, _ := ref.Civil()
	found := Find(text, year)
	out := slices.DeleteFunc(found, func(e Expr) bool { return e.Kind == Clock })
	for i, e := range out {
		switch {
		case e.Kind == Deictic && !e.Vague:
			r := e.At(ref)
			r.Pos, r.End = e.Pos, e.End
			out[i] = r
		case e.Kind == Absolute && e.Yearless && !ahead && e.Lo > ref:
			out[i].Lo, out[i].Hi = yearOn(e.Lo, -1), yearOn(e.Hi, -1)
		case e.Kind == Absolute && e.Yearless && ahead && e.Hi < ref:
			out[i].Lo, out[i].Hi = yearOn(e.Lo, 1), yearOn(e.Hi, 1)
		}
	}
	for _, m := range reSaid().FindAllStringSubmatchIndex(text, -1) {
		group := func(n int) string {
			if m[2*n] < 0 {
				return ""
			}
			return strings.ToLower(text[m[2*n]:m[2*n+1]])
		}
		at := slices.IndexFunc(out, func(e Expr) bool { return m[0] < e.End+len(group(4)) && m[1] > e.Pos }) // of 下个月十号 the month
		day, first := ref, m[0]
		switch wd, dom := group(1)+group(2), group(3)+group(4); {
		case wd != "":
			n := strings.Index("sunmontuewedthufrisat", wd[:3]) / 3
			if group(2) != "" {
				n = strings.Index("日一二三四五六天", wd) / 3 % 7
			}
			back := Day((ref.Weekday()+6-n)%7 + 1)
			if day -= back; ahead && back < 7 {
				day += 7
			} else if ahead {
				day = ref
			}
		case dom != "":
			n := 0
			for _, c := range strings.TrimRight(dom, "sthndr") {
				n = 10*n + int(c-'0')
			}
			if v, size := HanNumber(dom); size > 0 {
				n = int(v)
			}
			y, mon := year, month
			if at >= 0 && out[at].End == m[0] && out[at].Kind == Absolute { // 下个月十号
				y, mon, _ = out[at].Lo.Civil()
				first = out[at].Pos
				out = slices.Delete(out, at, at+1)
				at = -1
			} else if d := Date(y, mon, n); ahead && d < ref {
				mon++
			} else if !ahead && d > ref {
				mon--
			}
			if day = Date(y, mon, n); n < 1 || n > 31 {
				continue
			}
		}
		if at < 0 {
			out = append(out, Expr{Pos: first, End: m[1], Kind: Absolute, Lo: day, Hi: day, Grain: Days})
		}
	}
	slices.SortFunc(out, func(a, b Expr) int { return a.Pos - b.Pos })
	return out
}

// reSaid are a weekday alone (1, 2), a day of the month alone (3, 4), and today.
var reSaid = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)\b(sun|mon|tues|wednes|thurs|fri|satur)day\b|(?:周|星期|礼拜)([一二三四五六日天])|\bthe (\d{1,2}(?:st|nd|rd|th))\b(?:[.,!?;:)]|$| (?:of this month|at|for|so|and|but|with|from|till|until|to)\b)|([\d一二三四五六七八九十]{1,3})[号日]|\b(?:today|tonight|this (?:morning|afternoon|evening))\b|今天|今晚|今早|今晨`)
})

// yearOn is the same day of another year.
func yearOn(d Day, years int) Day {
	y, m, day := d.Civil()
	return Date(y+years, m, day)
}
