package opstalk

import (
	"strings"
	"unicode"

	"membench/internal/pattern"
	"membench/internal/tokens"
)

// Names of things in operations: kebab-case words are services, those that end in a
// number are hosts, CamelCase of two words or more is an alert.
const (
	opsHost    = `(?:[a-zA-Z][a-zA-Z0-9]*(?:[-_.][a-zA-Z0-9]+)*[-_]\d+[a-z]?|[a-z]+(?:[-_][a-z]+)*[-_][a-z]{1,4}\d+|(?:\d{1,3}\.){3}\d{1,3}|[a-z]+\d+(?:\.[a-z0-9-]+)+)`
	opsService = `(?:[a-zA-Z][a-zA-Z0-9]*(?:-[a-zA-Z][a-zA-Z0-9]*)+)`
	opsAlert   = `(?:[A-Z]{3,}(?:_[A-Z0-9]+)+|(?:[A-Z][a-z][a-z0-9]*){2,}(?:[A-Z]{2,})?|[A-Z][A-Za-z0-9]*(?:Latency|Error|Errors|Rate|Down|High|Low|Full|Lag|Timeout|Usage|Failed|Failure|Unavailable|Saturation)[A-Za-z0-9]*)`
	opsThing   = `(?:` + opsHost + `|` + opsService + `|` + opsAlert + `)`
)

var (
	opsAny     = pattern.New(opsThing)
	opsBare    = pattern.New(`^` + opsThing + `$`)
	opsHostRe  = pattern.New(`^` + opsHost + `$`)
	opsAlertRe = pattern.New(`^` + opsAlert + `$`)
	opsNothing = pattern.New(`^(?:[vV]\d+(?:\.\d+)*|(?i:(?:ten|forty|hundred)?(?:gigabit|fast|gig)?e(?:thernet)?|eth-trunk|vlanif|loopback)\d.*)$`) // versions and interfaces
)

// opsType is the type of a thing by the form of its name.
func opsType(name string) string {
	switch {
	case strings.HasPrefix(name, "RB-") || strings.HasSuffix(name, "手册") || strings.HasSuffix(name, "预案"):
		return "Runbook"
	case strings.HasPrefix(name, "INC-") || noName[strings.ToLower(name)] || opsNothing.MatchString(name):
		return ""
	case opsAlertRe.MatchString(name), hasHan(name):
		return "Alert"
	case opsHostRe.MatchString(name):
		return "Host"
	}
	return "Service"
}

// typeIn is opsType where the predicate decides: what has a cause or a fix is an alert.
func typeIn(predicate, name string) string {
	if name == "" || noName[strings.ToLower(name)] || zhNoName.MatchString(name) {
		return ""
	}
	if (strings.Contains(name, " ") || strings.Contains(name, "_") && name == strings.ToLower(name)) && (predicate == "AFFECTS" || predicate == "CAUSED_BY" || predicate == "FIXED_BY") {
		return "Alert"
	}
	return opsType(name)
}

// allowed mirrors the catalogue's types for predicates of operations.
func allowed(pred, subj, obj string) bool {
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

// noName are words that a pattern may take for the name of a thing.
var noName = tokens.Set(`it that this which what and there everything the now service alert nothing they threshold who else one you deploy latency version pool limit still all rest none something
	cause team runbook here also only step with from paging longer not doesn was are has topic but site someone nobody everyone page dashboard graph customer people root that's timeout job
	we she he me us them his her get got had for how why when goes went moves into onto over under about after before of on in at to by as if so or is be been do does did can will the a an
	我 你 他 它 这 那 谁 啥 什么 这个 那个 他们 我们`)

var empty = pattern.New(`(?i)^(?:it|that|this|so|why|what|我|你|他|它|这|那|谁|啥|什么|这个|那个|这样|那样|他们|我们)$`)

var pronoun = pattern.New(`^(?:It's|It|This alert|That alert|它|该告警|这个告警|这条告警)\s?`)

// causeType is the type of a cause: a thing by its bare name, else a topic.
func causeType(name string) string {
	if opsBare.MatchString(name) {
		if t := opsType(name); t != "Alert" {
			return t
		}
	}
	return "Topic"
}

var clauseEnd = pattern.New(`(?i)[,，;；(（]|\b(?:and then|so|but|because|which|not|although|this time)\b`)

func cut(s string) string {
	if loc := clauseEnd.FindStringIndex(s); loc != nil && loc[0] > 0 {
		s = s[:loc[0]]
	}
	return s
}

func clean(s string) string {
	s = trimAny(s, []string{"the ", "The ", "a ", "an ", "由", "因为", "由于", "靠", "通过", "是", "把它", "先", "to "}, []string{"引起的", "导致的", "造成的", "引发的", "引起", "导致", "造成", "了", "的", "之后", "以后"})
	s = strings.Trim(s, "\"“”《》'")
	if strings.IndexFunc(s, unicode.IsLetter) < 0 && !strings.Contains(s, "=") && !opsHostRe.MatchString(s) {
		return ""
	}
	return s
}

func settingName(name, value string) string {
	name = strings.TrimPrefix(strings.TrimPrefix(strings.ToLower(strings.TrimSpace(name)), "paging "), "the ")
	return name + "=" + strings.ReplaceAll(strings.TrimSpace(strings.TrimRight(value, ".,")), " ", "")
}
