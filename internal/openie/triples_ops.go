package openie

import (
	"strings"
	"unicode"

	"membench/internal/pattern"
)

// Names of things in operations: kebab-case words are services, those that end in a
// number are hosts, CamelCase of two words or more is an alert.
const (
	opsHost    = `(?:[a-zA-Z][a-zA-Z0-9]*(?:[-_.][a-zA-Z0-9]+)*[-_]\d+[a-z]?|[a-z]+(?:[-_][a-z]+)*[-_][a-z]{1,4}\d+|(?:\d{1,3}\.){3}\d{1,3}|[a-z]+\d+(?:\.[a-z0-9-]+)+)`
	opsService = `(?:[a-zA-Z][a-zA-Z0-9]*(?:-[a-zA-Z][a-zA-Z0-9]*)+)`
	opsAlert   = `(?:[A-Z]{3,}(?:_[A-Z0-9]+)+|(?:[A-Z][a-z0-9]+){2,}(?:[A-Z]{2,})?|[A-Z][A-Za-z0-9]*(?:Latency|Error|Errors|Rate|Down|High|Low|Full|Lag|Timeout|Usage|Failed|Failure|Unavailable|Saturation)[A-Za-z0-9]*)`
	opsThing   = `(?:` + opsHost + `|` + opsService + `|` + opsAlert + `)`
	opsValue   = `(?:v?\d[\d.,]*\s?(?:ms|s|%|GB|gb|MB|mb|KB|G|M|k|qps|QPS|秒|毫秒|分钟|小时|天|个|台|次|倍|w|万|days?|hours?|minutes?|seconds?|percent)?)`
)

var opsAny = pattern.New(opsThing)

// opsTriples reads one sentence about systems by the rules of its language. before are
// the sentences ahead of it in the same text.
func opsTriples(s string, before []Sentence, o TripleOptions) []Triple {
	if hasHan(s) {
		return zhOpsTriples(s, before, o)
	}
	return enOps(s, before, o)
}

func matched(re *pattern.Pattern, s string, f func([]string)) bool {
	m := re.FindStringSubmatch(s)
	if m != nil {
		f(m)
	}
	return m != nil
}

var (
	opsHostRe  = pattern.New(`^` + opsHost + `$`)
	opsAlertRe = pattern.New(`^` + opsAlert + `$`)
)

func opsType(name string) string {
	switch {
	case strings.HasPrefix(name, "RB-"):
		return "Runbook"
	case strings.HasPrefix(name, "INC-") || opsNoService[strings.ToLower(name)]:
		return ""
	case opsAlertRe.MatchString(name):
		return "Alert"
	case opsHostRe.MatchString(name):
		return "Host"
	}
	return "Service"
}

// opsAllowed mirrors the catalogue's types for ops predicates.
func opsAllowed(pred, subj, obj string) bool {
	if subj == "" || obj == "" {
		return false
	}
	switch pred {
	case "AFFECTS":
		return subj == "Alert" && (obj == "Service" || obj == "Host")
	case "CAUSED_BY", "FIXED_BY":
		return subj == "Alert"
	case "OWNED_BY":
		return subj == "Service" || subj == "Host" || subj == "Runbook"
	case "RUNS_ON":
		return subj == "Service" && obj == "Host"
	case "DEPENDS_ON":
		return subj == "Service" && obj == "Service"
	case "HAS_SETTING":
		return subj != "Runbook"
	case "HANDLED_BY":
		return subj == "Alert" || subj == "Service" || subj == "Runbook"
	}
	return true
}

// opsNoService are words that a pattern may take for the name of a service.
var opsNoService = map[string]bool{"it": true, "that": true, "this": true, "which": true, "what": true, "and": true, "there": true, "everything": true, "the": true, "now": true, "service": true, "alert": true, "nothing": true, "they": true, "threshold": true, "who": true, "else": true, "one": true, "you": true, "deploy": true, "latency": true, "version": true, "pool": true, "limit": true, "still": true, "all": true, "rest": true, "none": true, "something": true, "cause": true, "team": true, "runbook": true, "here": true, "also": true, "only": true, "step": true, "with": true, "from": true, "paging": true, "longer": true, "not": true, "doesn": true, "was": true, "are": true, "has": true, "topic": true}

// opsSymptoms: a symptom stands for its alert.
var opsSymptoms = []*pattern.Pattern{
	pattern.New(`(` + opsThing + `) (?:is|are|keeps|started|has been) (?:throwing|returning|serving|giving|spewing|logging|reporting|showing) ((?:a lot of |lots of )?[\w-]+(?: [\w-]+)?)`),
	pattern.New(`(` + opsThing + `)\s?(?:又|一直|开始|在|疯狂|大量)*(?:报|抛|返回|狂报|刷|出现)(?:了|出)?\s?([^，。？谁了]{2,12})`),
}

var opsEmpty = pattern.New(`(?i)^(?:it|that|this|so|why|what|我|你|他|它|这|那|谁|啥|什么|这个|那个|这样|那样|他们|我们)$`)

var opsPronoun = pattern.New(`^(?:It's|It|This alert|That alert|它|该告警|这个告警|这条告警)\s?`)

var opsBare = pattern.New(`^` + opsThing + `$`)

func opsCauseType(s string) string {
	s = opsClean(opsCut(s))
	if opsBare.MatchString(s) {
		if t := opsType(s); t != "Alert" {
			return t
		}
	}
	return "Topic"
}

var opsClauseEnd = pattern.New(`(?i)[,，;；(（]|\b(?:and then|so|but|because|which|not|although|this time)\b`)

func opsCut(s string) string {
	if loc := opsClauseEnd.FindStringIndex(s); loc != nil && loc[0] > 0 {
		s = s[:loc[0]]
	}
	return s
}

func zhOpsCut(s string) string {
	for _, sep := range []string{"，", "。", "；", "（"} {
		if parts := strings.Split(s, sep); len(parts) > 1 {
			s = parts[0]
			if strings.TrimSpace(s) == "" {
				s = parts[1]
			}
		}
	}
	return s
}

func opsClean(s string) string {
	s = trimAny(s, []string{"the ", "The ", "a ", "an ", "由", "因为", "由于", "靠", "通过", "是", "把它", "先", "to "}, []string{"引起的", "导致的", "造成的", "引发的", "引起", "导致", "造成", "了", "的", "之后", "以后"})
	s = strings.Trim(s, "\"“”《》'")
	if strings.IndexFunc(s, unicode.IsLetter) < 0 && !strings.Contains(s, "=") {
		return ""
	}
	return s
}

func opsSettingName(name, value string) string {
	name = strings.ToLower(strings.TrimSpace(name))
	name = strings.TrimPrefix(name, "paging ")
	return name + "=" + strings.ReplaceAll(strings.TrimSpace(strings.TrimRight(value, ".,")), " ", "")
}
