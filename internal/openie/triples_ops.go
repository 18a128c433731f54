package openie

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// Names of things in operations: kebab-case words are services, those that end in a
// number are hosts, CamelCase of two words or more is an alert.
const (
	opsHost    = `(?:[a-zA-Z][a-zA-Z0-9]*(?:[-_.][a-zA-Z0-9]+)*[-_]\d+[a-z]?|[a-z]+(?:[-_][a-z]+)*[-_][a-z]{1,4}\d+|(?:\d{1,3}\.){3}\d{1,3}|[a-z]+\d+(?:\.[a-z0-9-]+)+)`
	opsService = `(?:[a-zA-Z][a-zA-Z0-9]*(?:-[a-zA-Z][a-zA-Z0-9]*)+)`
	opsAlert   = `(?:[A-Z]{3,}(?:_[A-Z0-9]+)+|(?:[A-Z][a-z0-9]+){2,}(?:[A-Z]{2,})?|[A-Z][A-Za-z0-9]*(?:Latency|Error|Errors|Rate|Down|High|Low|Full|Lag|Timeout|Usage|Failed|Failure|Unavailable|Saturation)[A-Za-z0-9]*)`
	opsThing   = `(?:` + opsHost + `|` + opsService + `|` + opsAlert + `)`
	opsBareSvc = `(?:` + opsService + `|[a-z][a-z0-9]{2,})`
	opsName    = `(?:max_connections|maxmemory|[a-z]+_[a-z_]+|paging threshold|threshold|timeout|replicas?|max ?memory|version|retention|pool size|connection limit|rate limit|heap|TTL|quota|batch size|retries|concurrency|连接上限|连接数上限|最大连接数|连接池(?:大小|上限)?|connection pool limit|pool limit|超时时间|超时|阈值|版本|副本数|限流值|限流|并发数|重试次数|保留时间|保留天数|配额|队列长度|内存上限|缓存时间|刷新间隔|采样率|保留期|轮转大小|告警线|水位线?|带宽|mtu|MTU|interval|port|轮转周期|日志级别|log level|alert level|paging level|max_wal_size|keepalive)`
	opsValue   = `(?:v?\d[\d.,]*\s?(?:ms|s|%|GB|gb|MB|mb|KB|G|M|k|qps|QPS|秒|毫秒|分钟|小时|天|个|台|次|倍|w|万|days?|hours?|minutes?|seconds?|percent)?)`
)

var (
	opsAny      = regexp.MustCompile(opsThing)
	opsAffect   = regexp.MustCompile(`(` + opsAlert + `)[^。.;；，,]{0,20}?(?:触发在|打在|影响了?到?|波及了?|报在|出现在|涉及|fired (?:on|for)|firing (?:on|for)|triggered (?:on|by|for)|affects?|affected|affecting|hits?|is hitting|hitting|is on|is about|impacts?|impacting|covers?|on)\s*((?:` + opsThing + `|[a-z][a-z0-9]{4,}\b)(?:(?:、|和|与|,|，| and |, and )\s?(?:` + opsThing + `))*)`)
	opsNoAffect = regexp.MustCompile(`(` + opsAlert + `)[^。.;；，,]{0,12}?(?:没有?影响到?|不影响|does not affect|doesn't affect|did not affect|didn't affect|not affecting)\s*(` + opsThing + `)`)
	opsAlertDot = regexp.MustCompile(`(?:告警是|告警：|alert(?:'s| is|:)?)\s*(` + opsAlert + `)[，,]\s?(?:触发在|在|影响|fired on|on)\s*(` + opsThing + `)`)
	opsCauseZH  = regexp.MustCompile(`(` + opsAlert + `)\s?(?:告警)?(?:的(?:根因|根本原因|原因|起因)|根因)?\s?(不是|并不是|并非|是|就是|确认是|：|为)\s?(?:由|因为|由于)?(.{2,30}?)(?:引起|导致|造成|引发|触发|惹的)?(?:的)?[。！]?$`)
	opsCauseZH2 = regexp.MustCompile(`(.{2,24}?)(导致了?|引起了?|造成了?|引发了?|触发了?)\s?(` + opsAlert + `)`)
	opsFixZH    = regexp.MustCompile(`(` + opsAlert + `)[^。；]{0,6}?(?:最后|最终|已经?|是)?(?:靠|通过|用)?(.{2,30}?)(?:之后|以后|后)(?:就|才|便)?(?:恢复|消失|好了|消除|解除|下来|解决)`)
	opsFixZH2   = regexp.MustCompile(`(.{3,30}?)(?:之后|以后|后)[，,]?\s?(` + opsAlert + `)[^。；]{0,6}?(?:恢复|消失|好了|消除|解除|解决)`)
	opsNoFixZH  = regexp.MustCompile(`(.{2,16}?)(?:对|对于)\s?(` + opsAlert + `)\s?(?:没用|没有用|不起作用|没起作用|无效)`)
	opsRunZH    = regexp.MustCompile(`(?:《([^《》]{2,30})》|(` + opsThing + `)\s?的?(?:处置)?(?:手册|预案|流程))(?:里|上|现在|已经?)*(?:写的是|规定(?:的是)?|要求|说的是|说|改为|改成了?|更新为|是)[:：]?\s?(?:先)?(.{2,40})`)
	opsHandleZH = regexp.MustCompile(`(?:遇到|碰到|出现|收到)\s?(` + opsThing + `)\s?(?:告警)?(?:的时候|时|，|,|就|先|要|应该|现在)+(.{3,40})`)
	opsOwnZH    = regexp.MustCompile(`(` + opsThing + `)\s?(?:现在|目前|已经|还)?(不)?(?:归|由|是)\s?([\p{Han}\w-]{1,10}?)(?:在?负责|管|维护|在管|的|，|,|。|$)`)
	opsOwnZH2   = regexp.MustCompile(`([\p{Han}\w-]{1,8}?)(?:现在|目前)?(?:负责|维护|管着?)\s?(` + opsThing + `)`)
	opsRuns     = regexp.MustCompile(`\b(` + opsBareSvc + `)\s?(?:(?:service )?(?:now )?(?:runs?|is running|is hosted|is deployed|lives|sits|is)(n't| not)? on|(?:现在|目前|就|是|都)*(?:部署|跑|运行|放|装)(?:在|到了?)|在)\s?((?:` + opsHost + `)(?:(?:、|和|,|，| and |, and )\s?(?:` + opsHost + `))*)`)
	opsDepends  = regexp.MustCompile(`\b(` + opsBareSvc + `)\s?(?:(?:service )?(does not |doesn't |no longer )?(?:depends? on|talks? to|calls?|relies on|needs|reads from|writes to)|(不|不再)?(?:直接|强|弱|会|也|还|只)*(?:依赖于?|调用|要调|连的是|读写))\s?((?:the )?(?:` + opsBareSvc + `)(?:(?:、|和|与|,|，| and |, and )\s?(?:` + opsService + `))*)`)
	opsSetting  = regexp.MustCompile(`(?i)((?-i:` + opsThing + `|\b[a-z][a-z0-9]{3,}\b))(?:'s)?\s?(?:的|上的|上|里)?\s?(?:the )?(` + opsName + `)\s?(?:(?:was |is |has been |has |were )?(?:now |currently |set |still |at |only |raised |lowered |changed |bumped |increased |just )*(?:to|at|is|=|:)?|(?:现在|目前|已经|从\s?` + opsValue + `\s?|被)*(?:是|为|才|只有|设为|设成|改为|改成了?|改到了?|调到了?|提到了?|降到了?|升到了?|：|=)+)\s?(` + opsValue + `)`)
	opsSetZH    = regexp.MustCompile(`把\s?(` + opsThing + `|[a-z][a-z0-9]{3,})\s?(?:的|上的)?\s?(` + opsName + `)\s?(?:从\s?` + opsValue + `\s?)?(?:提到|调到|改到|改成|改为|降到|设为|设成|加到|升到)了?\s?(` + opsValue + `)`)

	opsLooseSet = regexp.MustCompile(`(?i)(` + opsName + `)\s?(?:(?:is|was) (?:now |still |only |just )*(?:at |set to )?|(?:现在|目前|已经|一直)*(?:才|是|只有|为|还是)\s?|=\s?)(` + opsValue + `)`)
	opsWide     = regexp.MustCompile(`触发|影响|波及|最重|fired|firing|affect|hitting|alert`)
	opsOwnZH3   = regexp.MustCompile(`(` + opsThing + `|\b[a-z][a-z0-9]{3,}\b)\s?的(?:负责人|owner|责任人|维护人|负责团队|值班人)(?:现在|目前|已经)?(?:是|为|改成了?|换成了?|：)\s?([\p{Han}A-Za-z][\p{Han}\w ]{0,12})`)
	opsOwnFind  = regexp.MustCompile(`(` + opsThing + `)\s?(?:的事|的问题|这块|这边)?(?:直接)?(?:找|联系|问|属于|是)\s?([\p{Han}A-Za-z]{2,8}?(?:组|团队|部|老师|工|那边))`)
	opsNotOn    = regexp.MustCompile(`(` + opsService + `)\s?(?:早就|已经|现在|其实)*(?:不在|搬离了?|不跑在|is no longer on|is not on|isn't on|no longer runs on|moved off)\s?(` + opsHost + `)`)
	opsOwnAlso  = regexp.MustCompile(`[，,]\s?([\p{Han}]{2,4})负责`)
	opsRB       = regexp.MustCompile(`\b(RB-\d+|runbook \S+)[^:：]{0,40}[:：]\s*([A-Za-z\p{Han}].{3,80}?)(?:[;；]|$)`)
	opsNotThis  = regexp.MustCompile(`[，,]\s?(?:而)?(?:不是|并非|not)\s?(?:the )?([^，,。.;；]{2,40})`)
	opsHedge    = regexp.MustCompile(`(?i)\b(?:maybe|perhaps|should|would|wonder\w*|whether|let's|planning|supposedly|might|could be|probably|my (?:first )?guess|i think|looks like|not sure|used to|was going to|if)\b|可能|也许|会不会|大概|好像|怀疑|估计|应该是|像是|如果|要是|回头|明天再|打算|计划|过时|以前|wiki says|wiki 上|据说|a guess`)
)

// opsTriples reads a sentence about systems; enOps those without a Chinese character.
func opsTriples(s string, before []Sentence, o TripleOptions) (out []Triple) {
	if !hasHan(s) {
		return enOps(s, before, o)
	}
	if !opsAny.MatchString(s) && !opsTopic.MatchString(s) && o.Thing == "" && !slices.ContainsFunc(before, func(b Sentence) bool { return opsAny.MatchString(b.Text) }) || strings.HasSuffix(strings.TrimSpace(s), "?") || strings.HasSuffix(s, "？") {
		return nil
	}
	add := func(subj, pred, typ string, objs []string, neg bool, conf float64) {
		st := opsType(subj)
		for _, o := range objs {
			if o = opsClean(o); o == "" || o == subj {
				continue
			}
			t := typ
			if t == "" {
				t = opsType(o)
			}
			tr := Triple{Subject: Term{st, []string{subj}}, Predicate: polar(pred, neg), Object: Term{t, []string{o}}, Confidence: conf}
			if opsAllowed(pred, st, t) {
				out = append(out, tr)
			}
		}
	}
	lastThing := o.Thing
	for _, b := range before {
		if all := opsAny.FindAllString(b.Text, -1); all != nil {
			lastThing = all[len(all)-1]
			for _, a := range all {
				if opsAlertRe.MatchString(a) {
					lastThing = a
				}
			}
		}
	}
	for _, c := range regexp.MustCompile(`[。；]|; |\. |——| - `).Split(s, -1) {
		c = strings.TrimSpace(strings.TrimRight(c, ". "))
		parts := regexp.MustCompile(`[，,]\s?`).Split(c, -1)
		seps := regexp.MustCompile(`[，,]\s?`).FindAllString(c, -1)
		kept := ""
		for i, p := range parts {
			if opsHedge.MatchString(p) {
				continue
			}
			if kept != "" && i > 0 {
				kept += seps[i-1]
			}
			kept += p
		}
		if c = kept; c == "" {
			continue
		}
		if m := opsPronoun.FindStringSubmatch(c); m != nil && lastThing != "" {
			c = lastThing + " " + c[len(m[0]):]
		}
		lastBefore := lastThing
		if all := opsAny.FindAllString(c, -1); all != nil {
			lastThing = all[0]
		}
		if m := opsNoAffect.FindStringSubmatch(c); m != nil {
			add(m[1], "AFFECTS", "", []string{m[2]}, true, plainly)
		} else if m := opsAffect.FindStringSubmatch(c); m != nil {
			add(m[1], "AFFECTS", "", regexp.MustCompile(opsThing+`|[a-z][a-z0-9]{4,}`).FindAllString(m[2], -1), false, plainly)
		} else if m := opsAlertDot.FindStringSubmatch(c); m != nil {
			add(m[1], "AFFECTS", "", []string{m[2]}, false, plainly)
		}
		for _, re := range opsSymptoms {
			matched(re, c, func(m []string) {
				if st := opsType(m[1]); st == "Service" || st == "Host" {
					if sym := opsClean(m[2]); sym != "" {
						out = append(out, Triple{Subject: Term{"Alert", []string{sym}}, Predicate: "AFFECTS", Object: Term{st, []string{m[1]}}, Confidence: interpreted})
					}
				}
			})
		}
		if things := opsAny.FindAllString(c, -1); len(things) > 1 && opsWide.MatchString(c) && !regexp.MustCompile(`caused|because|根因|引起|导致|fix|重启|restart|恢复`).MatchString(c) {
			alert, rest := "", []string(nil)
			for _, th := range things {
				if opsAlertRe.MatchString(th) && (alert == "" || alert == th) {
					alert = th
				} else if opsAlertRe.MatchString(th) {
					alert = "two"
				} else {
					rest = append(rest, th)
				}
			}
			if alert != "" && alert != "two" && !opsNoAffect.MatchString(c) {
				add(alert, "AFFECTS", "", rest, false, weak)
			}
		}
		switch {
		case matched(opsCauseZH2, c, func(m []string) { add(m[3], "CAUSED_BY", opsCauseType(m[1]), []string{zhOpsCut(m[1])}, false, plainly) }):
		case strings.ContainsAny(c, "因引导造") && matched(opsCauseZH, c, func(m []string) {
			add(m[1], "CAUSED_BY", opsCauseType(m[3]), []string{zhOpsCut(m[3])}, strings.HasPrefix(m[2], "不") || strings.HasPrefix(m[2], "并"), direct-0.02)
		}):
		}
		switch {
		case matched(opsNoFixZH, c, func(m []string) { add(m[2], "FIXED_BY", "Action", []string{zhOpsCut(m[1])}, true, plainly) }):
		case !regexp.MustCompile(`没有?恢复|没好|没解除|没消失|并未`).MatchString(c) && matched(opsFixZH, c, func(m []string) { add(m[1], "FIXED_BY", "Action", []string{zhOpsCut(m[2])}, false, plainly) }):
		case !regexp.MustCompile(`没有?恢复|没好|没解除|没消失|并未`).MatchString(c) && matched(opsFixZH2, c, func(m []string) { add(m[2], "FIXED_BY", "Action", []string{zhOpsCut(m[1])}, false, plainly) }):
		}
		switch {
		case matched(opsRunZH, c, func(m []string) {
			if m[1] != "" && !zhManual.MatchString(m[1]) {
				return
			}
			subj, obj := m[2], zhOpsCut(m[3])
			if m[1] != "" {
				for _, o := range []string{obj} {
					if o = opsClean(o); o != "" {
						out = append(out, Triple{Subject: Term{"Runbook", []string{m[1]}}, Predicate: "HANDLED_BY", Object: Term{"Action", []string{o}}, Confidence: plainly})
					}
				}
				return
			}
			add(subj, "HANDLED_BY", "Action", []string{obj}, false, plainly)
		}):
		case matched(opsHandleZH, c, func(m []string) { add(m[1], "HANDLED_BY", "Action", []string{zhOpsCut(m[2])}, false, clear) }):
		}
		switch {
		case (strings.Contains(c, "归") || strings.Contains(c, "负责") || strings.Contains(c, "维护")) && matched(opsOwnZH, c, func(m []string) {
			add(m[1], "OWNED_BY", "Topic", []string{strings.TrimSuffix(m[3], "负责")}, m[2] != "", plainly)
		}):
		case matched(opsOwnZH2, c, func(m []string) { add(m[2], "OWNED_BY", "Topic", []string{m[1]}, false, clear) }):
		}
		alert, _ := o.Spoken(c)
		if alert == "" {
			for _, b := range before {
				alert, _ = TripleOptions{Alert: alert}.Spoken(b.Text)
			}
		}
		if alert != "" {
			for _, f := range opsLoose {
				if slices.ContainsFunc(out, func(t Triple) bool { return t.Predicate == polar(f.pred, f.neg) }) {
					continue
				}
				matched(f.re, c, func(m []string) {
					obj := m[1]
					if hasHan(obj) {
						obj = zhOpsCut(obj)
					} else {
						obj = opsCut(obj)
					}
					typ := "Action"
					if f.pred == "AFFECTS" {
						typ = ""
					}
					if f.pred == "CAUSED_BY" {
						typ = opsCauseType(obj)
					}
					if !opsEmpty.MatchString(obj) {
						add(alert, f.pred, typ, []string{obj}, f.neg, interpreted)
					}
				})
			}
		}
		out = append(out, opsByShape(c, alert, func(pred string, neg bool) bool {
			return slices.ContainsFunc(out, func(t Triple) bool { return t.Predicate == polar(pred, neg) })
		})...)
		matched(opsNotOn, c, func(m []string) { add(m[1], "RUNS_ON", "Host", []string{m[2]}, true, plainly) })
		if !slices.ContainsFunc(out, func(t Triple) bool { return t.Predicate == "OWNED_BY" }) {
			matched(opsOwnFind, c, func(m []string) {
				add(m[1], "OWNED_BY", "Topic", []string{strings.TrimSuffix(m[2], "那边")}, false, weak)
			})
		}
		matched(opsOwnZH3, c, func(m []string) { add(m[1], "OWNED_BY", "Topic", []string{m[2]}, false, direct-0.02) })
		if o := opsOwnZH.FindStringSubmatch(c); o != nil {
			matched(opsOwnAlso, c, func(m []string) { add(o[1], "OWNED_BY", "Topic", []string{m[1]}, false, weak) })
		}
		matched(opsRB, c, func(m []string) {
			if o := opsClean(m[2]); o != "" {
				out = append(out, Triple{Subject: Term{"Runbook", []string{m[1]}}, Predicate: "HANDLED_BY", Object: Term{"Action", []string{o}}, Confidence: plainly})
			}
		})
		for _, t := range out {
			if t.Predicate == "CAUSED_BY" {
				matched(opsNotThis, c, func(m []string) {
					add(t.Subject.Parts[0], "CAUSED_BY", opsCauseType(m[1]), []string{m[1]}, true, clear)
				})
				break
			}
		}
		matched(opsRuns, c, func(m []string) { add(m[1], "RUNS_ON", "Host", opsAny.FindAllString(m[3], -1), m[2] != "", plainly) })
		for _, m := range opsDepends.FindAllStringSubmatch(c, -1) {
			add(m[1], "DEPENDS_ON", "Service", regexp.MustCompile(opsBareSvc).FindAllString(m[4], -1), strings.TrimSpace(m[2]+m[3]) != "", plainly)
		}
		for _, re := range []*regexp.Regexp{opsSetZH, opsSetting} {
			if matched(re, c, func(m []string) {
				add(m[1], "HAS_SETTING", "Tag", []string{opsSettingName(m[2], m[3])}, false, plainly)
			}) {
				break
			}
		}
		if m := opsLooseSet.FindStringSubmatchIndex(c); m != nil && !slices.ContainsFunc(out, func(t Triple) bool { return t.Predicate == "HAS_SETTING" }) {
			subj := lastBefore
			if all := opsAny.FindAllString(c[:m[0]], -1); all != nil {
				subj = all[len(all)-1]
			}
			if subj != "" {
				add(subj, "HAS_SETTING", "Tag", []string{opsSettingName(c[m[2]:m[3]], c[m[4]:m[5]])}, false, clear-0.04)
			}
		}
	}
	return out
}

func matched(re *regexp.Regexp, s string, f func([]string)) bool {
	m := re.FindStringSubmatch(s)
	if m != nil {
		f(m)
	}
	return m != nil
}

var (
	opsHostRe  = regexp.MustCompile(`^` + opsHost + `$`)
	opsAlertRe = regexp.MustCompile(`^` + opsAlert + `$`)
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

// opsTopic marks sentences about systems that name none in a form of their own ("pgbouncer").
var opsTopic = regexp.MustCompile(`告警|报警|根因|[a-z]+_[a-z]+_[a-z]+|堆积|超时|依赖|部署|手册|runbook|\bowned by\b|\bdepends on\b|\breplicas\b|\btimeout\b|的(?:负责人|责任人|维护人|owner)|连接池|连接上限|阈值|max_connections|maxmemory|connection pool`)

// opsSymptoms: a symptom stands for its alert.
var opsSymptoms = []*regexp.Regexp{
	regexp.MustCompile(`(` + opsThing + `) (?:is|are|keeps|started|has been) (?:throwing|returning|serving|giving|spewing|logging|reporting|showing) ((?:a lot of |lots of )?[\w-]+(?: [\w-]+)?)`),
	regexp.MustCompile(`(` + opsThing + `)\s?(?:又|一直|开始|在|疯狂|大量)*(?:报|抛|返回|狂报|刷|出现)(?:了|出)?\s?([^，。？谁了]{2,12})`),
}

// opsLoose find statements whose subject is the alert that was spoken of last.
var opsLoose = []struct {
	pred string
	neg  bool
	re   *regexp.Regexp
}{
	{"FIXED_BY", true, regexp.MustCompile(`((?:重启|回滚|扩容|清缓存|切流|降级|限流)[^，。]{0,10}?)(?:其实|根本|也|都|了一遍|完)*(?:没用|没有用|没起作用|不起作用|不管用|没效果|没好|没恢复)`)},
	{"FIXED_BY", false, regexp.MustCompile(`(?:^|[，, ]|靠|是)((?:把|重启|回滚|扩容|清理?|切|降级|限流|调|提|删|关|加|改)[^，。]{2,24}?)(?:之后|以后|完|后)[，,]?\s?(?:就|才|便|一切|马上|立刻|终于|告警)*(?:恢复|好了|正常|消失|降下来|下来了|解除|缓解)`)},
	{"CAUSED_BY", true, regexp.MustCompile(`(?:^|[，,]|应该)(?:不是|跟|和|与)([^，。是]{2,14}?)(?:的问题|没关系|没有关系|无关|的锅|引起的|导致的)`)},
	{"CAUSED_BY", false, regexp.MustCompile(`(?:根因|根本原因|罪魁祸首|真正的原因|问题出)(?:就|其实|最后)?(?:是|在|：|找到了[，,]?是?)\s?([^，。]{2,24})`)},
	{"CAUSED_BY", false, regexp.MustCompile(`(?:^|[，,]|就|都|确实|原来)是([^，。是]{2,18}?)(?:引起的|导致的|造成的|惹的祸|搞的鬼|的锅|闹的)`)},
	{"FIXED_BY", true, regexp.MustCompile(`((?:重插|换线|换模块|重启|回滚|扩容|清日志|切换|降级)[^，。]{0,10}?)(?:之后|以后|了|完)*(?:还是|依然|照样|也没|也不|没)(?:闪|抖|报|满|好|用|动静|变化)`)},
	{"FIXED_BY", false, regexp.MustCompile(`(?:^|[，, ]|靠|是)((?:把|换|重插|重启|回滚|扩容|清|删|切|降|调|提|关|停|加|改)[^，。]{1,24}?)(?:之后|以后|完|后|了)?[，,]?\s?(?:就|才|便|一切|马上|立刻|终于)(?:不闪|不抖|不报|不丢|稳|回来|绿|降|腾出|掉下|安静|通|恢复|好)了?`)},
	{"CAUSED_BY", false, regexp.MustCompile(`(?:^|[，,]|结果|才发现)(?:原来是|是因为|就是因为|都怪|是由于)([^，。]{2,24}?)(?:引起的|导致的|造成的|的锅)?(?:$|[，,。])`)},
	{"AFFECTS", true, regexp.MustCompile(`(` + opsThing + `)\s?(?:没受影响|不受影响|没有受影响|没事|一切正常|is unaffected|is not affected|isn't affected|was not affected|wasn't affected|was unaffected|is untouched)`)},
	{"AFFECTS", false, regexp.MustCompile(`(?:只影响|影响到?的是|影响到?了?|受影响的(?:是|只有)|波及了?|only affects|only hits|affecting|hitting only|affected:?) ?(?:了)?\s?(` + opsThing + `)`)},
	{"HANDLED_BY", false, regexp.MustCompile(`(?:手册|预案|流程|runbook|SOP)(?:里|上|现在|已经?|那条|第.{1,2}[步条])*(?:写的?是?|规定|要求|说|改为|改成了?|更新为|是|改了)[:：]?\s?(?:先)?([^，。]{3,36})`)},
}

var opsEmpty = regexp.MustCompile(`(?i)^(?:it|that|this|so|why|what|我|你|他|它|这|那|谁|啥|什么|这个|那个|这样|那样|他们|我们)$`)

var opsPronoun = regexp.MustCompile(`^(?:It's|It|This alert|That alert|它|该告警|这个告警|这条告警)\s?`)

var opsBare = regexp.MustCompile(`^` + opsThing + `$`)

func opsCauseType(s string) string {
	s = opsClean(opsCut(s))
	if opsBare.MatchString(s) {
		if t := opsType(s); t != "Alert" {
			return t
		}
	}
	return "Topic"
}

func opsCut(s string) string {
	if loc := regexp.MustCompile(`(?i)[,，;；(（]|\b(?:and then|so|but|because|which|not|although|this time)\b`).FindStringIndex(s); loc != nil && loc[0] > 0 {
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
