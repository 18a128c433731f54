// Package label lets people label answers as right or wrong and by the hop where they were lost: it samples answers, shows each on a local page or
// writes them to a file, stores the labels, and measures agreement between people, with explain and with judges.
//
// Labels are lines of JSON in a folder, by default RUN/labels, a file for each person. A
// line names its answer by key and digest; the last line on an answer counts.
package label

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"

	"membench/eval/explain"
	"membench/schema"
)

// Verdicts of a person on an answer.
const (
	Right  = "right"
	Wrong  = "wrong"
	Unsure = "unsure"
)

// Verdicts lists them.
func Verdicts() []string { return []string{Right, Wrong, Unsure} }

// Yes is the value of GoldWrong for a wrong gold.
const Yes = "yes"

// A Label is an answer and a person's judgement of it; "" means none.
type Label struct {
	explain.Sheet
	Digest    string `json:"answer_sha256"` // of the answer: another answer is another thing to label
	Draw      string `json:"draw"`          // which answers it was drawn from, one of Draws
	By        string `json:"by"`
	Verdict   string `json:"verdict"`    // of the answer: one of Verdicts
	GoldWrong string `json:"gold_wrong"` // yes: the gold, or its evidence, is wrong
	Hop       string `json:"hop"`        // one of schema.Hops
	Cause     string `json:"cause"`      // one of schema.Causes
	Note      string `json:"note"`       // free
}

// Blank reports whether the label is empty.
func (l *Label) Blank() bool {
	return l.Verdict == "" && l.GoldWrong == "" && l.Hop == "" && l.Cause == ""
}

// hop returns the hop at which the person located the loss: as given, or derived from the other fields.
func (l *Label) hop() string {
	switch {
	case l.Hop != "":
		return l.Hop
	case l.GoldWrong == Yes:
		return schema.HopGold
	case l.Verdict == Right:
		return schema.HopJudge
	}
	return ""
}

// cause returns the person's cause; said is false if none was given. A hop without causes implies that there is none.
func (l *Label) cause() (cause string, said bool) {
	h := l.hop()
	return l.Cause, l.Cause != "" || h == schema.HopGold || h == schema.HopJudge || h == schema.HopOpaque
}

// Key names an answer.
type Key struct {
	System, Dataset, CaseID, QuestionID string
	Repeat                              int
}

// KeyOf is the key of a record.
func KeyOf(r *schema.QARecord) Key {
	return Key{r.System, r.Dataset, r.CaseID, r.QuestionID, r.Repeat}
}

func (l *Label) key() Key { return Key{l.System, l.Dataset, l.CaseID, l.QuestionID, l.Repeat} }

func digest(answer string) string {
	sum := sha256.Sum256([]byte(answer))
	return hex.EncodeToString(sum[:8])
}

// normal normalises the words of a label; what is not "" if one is unknown.
func (l *Label) normal() (what, have, want string) {
	for _, x := range []struct {
		what string
		at   *string
		list []string
		more map[string]string
	}{
		{"verdict", &l.Verdict, Verdicts(), verdictWords},
		{"answer to gold_wrong", &l.GoldWrong, []string{Yes}, goldWords},
		{"hop", &l.Hop, schema.Hops(), hopWords},
		{"cause", &l.Cause, schema.Causes(), causeWords},
	} {
		w, ok := word(*x.at, x.list, x.more)
		if !ok {
			return x.what, *x.at, strings.Join(x.list, ", ")
		}
		*x.at = w
	}
	return "", "", ""
}

// Further names that people may write: Chinese ones, and the codes of seed 002's
// annotation.
var (
	verdictWords = map[string]string{"correct": Right, "true": Right, "1": Right, "对": Right, "正确": Right, "incorrect": Wrong, "false": Wrong, "0": Wrong, "错": Wrong, "错误": Wrong, "?": Unsure, "不确定": Unsure}
	goldWords    = map[string]string{"true": Yes, "1": Yes, "y": Yes, "是": Yes, "no": "", "false": "", "0": "", "n": "", "否": ""}
	hopWords     = map[string]string{"金标": schema.HopGold, "标注": schema.HopGold, "摄取": schema.HopIngest, "写入": schema.HopIngest, "存储": schema.HopStore, "覆盖": schema.HopOverwrite,
		"检索": schema.HopRetrieve, "上下文": schema.HopContext, "阅读": schema.HopRead, "生成": schema.HopRead, "评判": schema.HopJudge, "评分": schema.HopJudge, "不明": schema.HopOpaque}
	causeWords = map[string]string{"缺失": schema.CauseMiss, "检索缺失": schema.CauseMiss, "冲突": schema.CauseConflict, "旧信息干扰": schema.CauseConflict, "冲突记忆干扰": schema.CauseConflict,
		"时序": schema.CauseTemporal, "时序混乱": schema.CauseTemporal, "幻觉": schema.CauseHallucination, "噪声幻觉": schema.CauseHallucination, "hallu": schema.CauseHallucination, "halluc": schema.CauseHallucination,
		"过载": schema.CauseOverload, "上下文过载": schema.CauseOverload, "生成失败": schema.CauseGeneration, "gen": schema.CauseGeneration}
)

// word parses a label: one of list, or another name for one; "" if none was given.
func word(s string, list []string, more map[string]string) (string, bool) {
	s = strings.ToLower(strings.TrimSpace(s))
	if w, ok := more[s]; ok {
		return w, true
	}
	return s, s == "" || slices.Contains(list, s)
}
