package openie

import (
	"strings"

	"membench/internal/pattern"
)

// Statements about systems whose parts have no telling form: an alert named by words
// ("支付超时", job_backlog_high), a service named by one word ("checkout"). The shape
// of the sentence says what is what.
const (
	anyAlert  = `((?:` + opsAlert + `)|[a-z]+(?:_[a-z0-9]+){1,4}|[A-Z]{0,4}[\p{Han}]{2,8}?)`
	anyAlertT = `(?:\s?(?:这个|这条|的)?(?:告警|报警)|(?: alert)?)\s?`
	anySvc    = `((?:` + opsThing + `)|[a-z][a-z0-9]{2,})`
	anySvcT   = `(?:\s?(?:服务|这台机器|机器|节点|集群)| (?:service|hosts?|nodes?|cluster))?`
)

type opsShape struct {
	pred string
	neg  bool
	typ  string // object type; "" by its name
	subj int    // group of the subject, 0: the runbook or alert spoken of
	obj  int
	st   string // type of the subject; "": by its name
	re   *pattern.Pattern
}

var opsShapes = []opsShape{
	// affects
	{"AFFECTS", true, "", 1, 2, "Alert", pattern.New(`(?:the )?` + anyAlert + anyAlertT + `(?:没有?影响到?|不影响|doesn't (?:touch|affect|hit)|does not (?:touch|affect|hit)|isn't (?:hitting|affecting))\s?(?:the )?` + anySvc)},
	{"AFFECTS", false, "", 1, 2, "Alert", pattern.New(`^(?:.*[，,：] ?)?` + anyAlert + anyAlertT + `(?:影响了?到?|打在|报在|触发在|波及了?)\s?` + anySvc)},
	{"AFFECTS", false, "", 1, 2, "Alert", pattern.New(`\[FIRING\] (\S+) .*?(?:instance|host|service|node)=([\w.-]+)`)},
	// causes
	{"CAUSED_BY", true, "cause", 1, 2, "Alert", pattern.New(anyAlert + anyAlertT + `(?:跟|和|与)([^，。]{2,16}?)(?:没有?关系|无关)`)},
	{"CAUSED_BY", true, "cause", 1, 2, "Alert", pattern.New(anyAlert + anyAlertT + `(?:并)?不是(?:由|因为)?([^，。]{2,20}?)(?:引起|导致|造成|触发)的?`)},
	{"CAUSED_BY", false, "cause", 1, 2, "Alert", pattern.New(anyAlert + anyAlertT + `(?:并)?不是[^，。]{2,20}?(?:引起|导致|造成|触发)的?，(?:而)?是(?:由|因为)?([^，。]{2,24}?)(?:引起的|导致的|造成的)?$`)},
	{"CAUSED_BY", false, "cause", 1, 2, "Alert", pattern.New(anyAlert + anyAlertT + `(?:的)?(?:根因|根本原因|原因|起因|罪魁祸首)(?:就|其实|最后)?(?:是|：|在于)(?:那条|那个)?([^，。]{2,28})`)},
	{"CAUSED_BY", false, "cause", 1, 2, "Alert", pattern.New(anyAlert + anyAlertT + `(?:最后|最终)?(?:定位到(?:是)?|查出来是|确认是)(?:由|因为)?([^，。是]{2,24}?)(?:引起的|导致的|造成的|触发的)?$`)},
	{"CAUSED_BY", false, "cause", 1, 2, "Alert", pattern.New(`^(?:.*[，,：] ?)?` + anyAlert + anyAlertT + `(?:就|都)?是(?:由|因为)?([^，。是]{2,24}?)(?:引起的|导致的|造成的|触发的)$`)},
	{"CAUSED_BY", false, "cause", 0, 1, "Alert", pattern.New(`^(?:根因|原因|罪魁祸首)(?:找到了)?(?:就)?是\s?([^，。]{2,30})`)},
	// fixes
	{"FIXED_BY", true, "Action", 2, 1, "Alert", pattern.New(`^([^，。]{2,20}?)(?:之后|以后|后|了|也)?(?:没用|没效果|无效|不管用)[，,]` + anyAlert + `(?:还在|依旧|照样|还是)`)},
	{"FIXED_BY", true, "Action", 2, 1, "Alert", pattern.New(`^([^，。]{2,24}?)(?:之后|以后|后|完)[，,]?\s?` + anyAlert + anyAlertT + `(?:并没有|没有|没|并未|依旧没)(?:恢复|好|消失|解除)`)},
	{"FIXED_BY", false, "Action", 2, 1, "Alert", pattern.New(`^([^，。]{2,28}?)(?:之后|以后|后|完|[，,])+\s?` + anyAlert + anyAlertT + `(?:就|才|便|马上|随即|已经?|立刻)?(?:好了|消了|恢复了?|已?解除|消失了?|不报了|没再报|清了)`)},
	{"FIXED_BY", false, "Action", 0, 1, "Alert", pattern.New(`^([^，。]{2,20}?)[，,](?:就|马上|立刻)?(?:恢复|好|正常|解除)了`)},
	// runbooks
	{"HANDLED_BY", false, "Runbook", 1, 2, "", pattern.New(anyAlert + `(?:出问题|告警|报警|异常)?(?:了|的话|时)?[，,]?(?:就|先)?(?:走|按|照|看|参考)\s?《([^《》]{2,20})》`)},
	{"HANDLED_BY", false, "Runbook", 1, 2, "", pattern.New(anySvc + `\s?(?:出问题|告警|报警|异常)(?:了|的话|时)?[，,]?就?(?:走|按|照)\s?(RB-[\w-]+)`)},
	{"HANDLED_BY", false, "Action", 1, 2, "Alert", pattern.New(`(?:按手册[，,]?|手册(?:里|上)?(?:规定|要求|说|写的是)[，,]?)\s?` + anyAlert + anyAlertT + `(?:的时候|时)?(?:要先|应该先|得先|先)([^，。要先]{2,24})`)},
	{"HANDLED_BY", false, "Action", 1, 2, "Alert", pattern.New(anyAlert + anyAlertT + `的?(?:处理步骤|处置步骤|处理办法|处置方法|应急步骤)(?:是|：|就是)([^，。]{2,28})`)},
	// owners
	{"OWNED_BY", true, "Topic", 1, 2, "", pattern.New(anySvc + anySvcT + `\s?(?:已经|早就)?不(?:归|由)\s?([\p{Han}\w]{2,8}?)(?:管|负责|维护)?(?:了)?(?:[，,。]|$)`)},
	{"OWNED_BY", false, "Topic", 1, 2, "", pattern.New(anySvc + anySvcT + `\s?(?:已经|早就)?不归[^，。]{2,8}[，,](?:现在)?(?:是|归)\s?([\p{Han}\w]{2,8}?)的?$`)},
	{"OWNED_BY", false, "Topic", 1, 2, "", pattern.New(anySvc + anySvcT + `\s?(?:现在|目前)?(?:由|是|归)\s?([\p{Han}\w]{2,8}?)(?:在)?(?:维护|负责|管)`)},
	{"OWNED_BY", false, "Topic", 1, 2, "Runbook", pattern.New(`《?([\p{Han}]{2,12}(?:手册|预案))》?(?:现在|目前)?(?:由|是|归)\s?([\p{Han}\w]{2,6}?)(?:在)?(?:维护|负责|管)`)},
	// where things run and what they need
	{"RUNS_ON", true, "Host", 1, 2, "Service", pattern.New(`(` + opsService + `)[^。]*?[，,](?:并)?不在\s?(` + opsHost + `)`)},
	{"DEPENDS_ON", true, "Service", 1, 2, "Service", pattern.New(anySvc + `\s?(?:已经)?不(?:再)?依赖\s?([\w-]+)`)},
	{"DEPENDS_ON", false, "Service", 1, 2, "Service", pattern.New(`(` + opsService + `)\s?不依赖[^，]+[，,]只(?:用|依赖)\s?([\w-]+)`)},
}

type opsSet struct {
	subj, name, value int
	fixed             string // the setting's name where the sentence implies it
	neg               bool
	re                *pattern.Pattern
}

var opsSets = []opsSet{
	{1, 0, 2, "版本", false, pattern.New(`((?:` + opsThing + `)|[a-z][a-z0-9]{3,})\s?(?:已经)?(?:升级|升|回滚|降)(?:级)?到了?\s?(v?\d+(?:\.\d+)+)`)},
	{1, 2, 3, "", false, pattern.New(`((?:` + opsThing + `)|[a-z][a-z0-9]{3,})\s?的?((?:日志)?保留|[\p{Han}]{0,4}(?:阈值|上限|下限|时间|间隔|天数|并发|水位|副本数))\s?(?:现在)?(?:是|为|设成了?|设为了?|改成了?|调到了?|调成了?)?\s?(` + opsValue + `)`)},
	{1, 2, 3, "", false, pattern.New(`((?:` + opsThing + `)|[a-z][a-z0-9]{3,})\s([a-z]+(?:_[a-z]+)+)=(` + opsValue + `)`)},
}

// opsByShape reads one clause.
func opsByShape(c, alert string, have func(pred string, neg bool) bool) (out []Triple) {
	for _, sh := range opsShapes {
		if have(sh.pred, sh.neg) || sh.subj == 0 && alert == "" {
			continue
		}
		m := sh.re.FindStringSubmatch(c)
		if m == nil {
			continue
		}
		subj := alert
		if sh.subj > 0 {
			subj = opsSubject(m[sh.subj])
		}
		obj := m[sh.obj]
		if sh.typ == "Action" || sh.typ == "cause" {
			if hasHan(obj) {
				obj = zhOpsCut(obj)
			} else {
				obj = opsCut(obj)
			}
		}
		obj = opsClean(obj)
		st, ot := sh.st, sh.typ
		if st == "" {
			if st = opsType(subj); st == "Service" && strings.Contains(subj, "_") || hasHan(subj) {
				st = "Alert"
			}
		}
		switch ot {
		case "":
			ot = opsType(obj)
		case "cause":
			ot = opsCauseType(obj)
		}
		if subj == "" || obj == "" || subj == obj || opsEmpty.MatchString(obj) || opsNoService[strings.ToLower(subj)] || opsNoService[strings.ToLower(obj)] || st == "" || ot == "" || opsNoAlert.MatchString(subj) {
			continue
		}
		if sh.typ != "Runbook" && !opsAllowed(sh.pred, st, ot) {
			continue
		}
		conf := clear
		if sh.subj == 0 {
			conf = interpreted
		}
		out = append(out, Triple{Subject: Term{st, []string{subj}}, Predicate: polar(sh.pred, sh.neg), Object: Term{ot, []string{obj}}, Confidence: conf})
	}
	if !have("HAS_SETTING", false) {
		for _, ss := range opsSets {
			m := ss.re.FindStringSubmatch(c)
			if m == nil {
				continue
			}
			subj, name, value := m[ss.subj], ss.fixed, ""
			if ss.name > 0 {
				name = m[ss.name]
			}
			if ss.value > 0 {
				value = m[ss.value]
			}
			st := opsType(subj)
			if st == "" || opsNoService[strings.ToLower(subj)] || st == "Runbook" {
				continue
			}
			t := Triple{Subject: Term{st, []string{subj}}, Predicate: polar("HAS_SETTING", ss.neg), Object: Term{"Tag", []string{opsSettingName(name, value)}}, Confidence: clear}
			if ss.neg {
				t.Object.Parts[0] = name
			}
			out = append(out, t)
			break
		}
	}
	return out
}

func opsSubject(s string) string {
	s = strings.TrimSpace(s)
	for _, w := range []string{"排除了", "根因找到了", "找到了", "确认", "现在", "最后", "其实", "这个", "这次", "遇到", "今天", "昨晚"} {
		s = strings.TrimPrefix(s, w)
	}
	return strings.TrimSuffix(strings.TrimSuffix(s, "告警"), "报警")
}

var opsNoAlert = pattern.New(`^(?:原因|根因|问题|手册|这|那|它|我|你|他|先|再|已经|之后|然后|结果|应该|大概|一切|状态|服务|系统|告警|报警|大家|现在|什么|不|没|的)|[吗呢吧不]$|的$|负责人|阈值|时间|上限`)
