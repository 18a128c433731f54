package report

import (
	"fmt"
	"strconv"
	"strings"

	"membench/schema"
)

// words is a text in English and in Chinese.
type words struct{ en, zh string }

func w(en, zh string) words { return words{en, zh} }

// data is a text of the data: the same in both languages.
func data(s string) words { return words{s, s} }

func (t words) in(lang string) string {
	if lang == "zh" {
		return t.zh
	}
	return t.en
}

func (t words) same() bool { return t.en == t.zh }

func wordsf(en, zh string, args ...any) words {
	return words{fmt.Sprintf(en, args...), fmt.Sprintf(zh, args...)}
}

// none replaces a missing number.
const none = "–"

// percent of a share, one decimal.
func percent(x *float64) string {
	if x == nil {
		return none
	}
	return fmt.Sprintf("%.1f", 100**x)
}

// shareOf n of all as percent.
func shareOf(n, all int) string {
	if all == 0 {
		return none
	}
	return fmt.Sprintf("%.1f", 100*float64(n)/float64(all))
}

func interval(lo, hi *float64) string {
	if lo == nil || hi == nil {
		return none
	}
	return fmt.Sprintf("%.1f–%.1f", 100**lo, 100**hi)
}

// grouped writes 1541 as 1,541.
func grouped(n int) string {
	s := strconv.Itoa(n)
	sign := ""
	if n < 0 {
		sign, s = "-", s[1:]
	}
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return sign + s
}

// short writes large numbers as people say them: 950, 18.2K, 1.2M.
func short(x float64) string {
	for _, u := range []struct {
		from float64
		unit string
	}{{1e9, "G"}, {1e6, "M"}, {1e3, "K"}} {
		if x < u.from {
			continue
		}
		v := x / u.from
		if v >= 100 {
			return fmt.Sprintf("%.0f%s", v, u.unit)
		}
		return strings.TrimSuffix(fmt.Sprintf("%.1f", v), ".0") + u.unit
	}
	return fmt.Sprintf("%.0f", x)
}

// millis writes milliseconds: 0.12 ms, 34 ms, 1.2 s.
func millis(x *float64) string {
	switch {
	case x == nil:
		return none
	case *x >= 9_950:
		return fmt.Sprintf("%.0f s", *x/1000)
	case *x >= 1000:
		return fmt.Sprintf("%.1f s", *x/1000)
	case *x >= 10:
		return fmt.Sprintf("%.0f ms", *x)
	case *x >= 0.1:
		return fmt.Sprintf("%.1f ms", *x)
	}
	return fmt.Sprintf("%.2g ms", *x)
}

// amount of a currency; a model without a price makes it a lower bound.
func amount(x float64, c *schema.Cost) string {
	s := fmt.Sprintf("%.4g", x)
	if x >= 100 {
		s = fmt.Sprintf("%.0f", x)
	}
	if len(c.Unpriced) > 0 {
		s = "≥ " + s
	}
	return s
}

// labels of the vocabulary that reports name.
var (
	categoryWords = map[string]words{
		schema.CatIE: w("IE: one fact, one place", "IE：单处单一事实"), schema.CatMR: w("MR: several places together", "MR：多处合起来"),
		schema.CatTR: w("TR: time", "TR：时间"), schema.CatKU: w("KU: the newest value", "KU：知识更新"), schema.CatABS: w("ABS: cannot be answered", "ABS：无法回答"),
		schema.CatCR: w("CR: conflict resolution", "CR：冲突消解"), schema.CatOD: w("OD: open domain", "OD：开放域"), schema.CatTTL: w("TTL: test-time learning", "TTL：测试时学习"),
		schema.CatLRU: w("LRU: long-range understanding", "LRU：长程理解"), schema.CatVIS: w("VIS: needs an image", "VIS：需要图像"),
		schema.CatOther: w("OTHER: outside the common set", "OTHER：不在通用集合内"),
	}
	hopWords = map[string]words{
		"ingest": w("not ingested", "未摄入"), "store": w("not stored", "未存储"), "overwrite": w("overwritten", "被覆盖"), "retrieve": w("not retrieved", "未检索到"),
		"context": w("cut from the context", "被截出上下文"), "read": w("reader missed it", "阅读器未用上"), "judge": w("judge erred", "评判出错"), "gold": w("gold is wrong", "标准答案有误"),
		"altered_stored": w("altered when stored", "存储时被改动"), "altered_retrieved": w("altered when retrieved", "检索时被改动"), "altered_context": w("altered in the context", "上下文中被改动"),
		"opaque": w("unknown", "无法判断"),
	}
	causeWords = map[string]words{
		"miss": w("miss", "缺失"), "conflict": w("conflict", "冲突"), "temporal": w("temporal", "时间"), "hallucination": w("hallucination", "幻觉"),
		"overload": w("overload", "过载"), "generation": w("generation", "生成"),
	}
	outcomeWords = map[string]words{
		schema.OutcomeAnswered: w("answered", "已回答"), schema.OutcomeEmpty: w("empty", "空回答"), schema.OutcomeError: w("error", "出错"),
		schema.OutcomeTimeout: w("timeout", "超时"), schema.OutcomeRefused: w("refused", "被拒"),
		schema.GradeScored: w("scored", "已评分"), schema.GradeNA: w("not applicable", "不适用"), schema.GradeJudgeFailed: w("judge failed", "评判失败"), schema.GradeNotAnswered: w("not answered", "未回答"), schema.GradeMissing: w("grade missing", "缺少评分"),
	}
	verdictWords = map[string]words{Right: w("right", "对"), Wrong: w("wrong", "错"), Unscored: w("unscored", "未评分"), Ungraded: w("not graded", "未评")}
)

// named returns the words for a key, or the key itself.
func named(m map[string]words, key string) words {
	if t, ok := m[key]; ok {
		return t
	}
	return data(key)
}
