package opstalk

import (
	"slices"
	"strings"
	"sync"

	"membench/internal/pattern"
	"membench/internal/sentence"
)

// English statements about systems. Each row of enRules is one sentence pattern over
// the fragments below; the first row of a predicate that fits a clause is taken. {S} is
// the subject, {O} the object; rows without {S} speak of the alert, or the thing, that
// was spoken of last.

// enFragments are the parts of a pattern.
var enFragments = strings.NewReplacer(
	"{A}", `(?:the )?(?P<S>(?-i:`+opsAlert+`|[a-z]+_[a-z_]+))(?: alerts?| alarm| page)?`,
	"{T}", `(?:the )?(?:service |host |node |server )?(?P<S>(?-i:`+opsThing+`|[a-z]+_[a-z_]+|[a-z][a-z0-9]{2,}))(?: service| alert| host| node| box| job)?`,
	"{TO}", `(?:the )?(?P<O>(?-i:`+opsThing+`|[A-Za-z][a-z0-9]{2,})(?: nodes| hosts| pods)?(?:(?:, (?:and )?| and (?:the )?| through )(?:on )?(?-i:`+opsThing+`|[a-z][a-z0-9]{3,}))*)(?: service| cluster)?\b`,
	"{NAMED}", `(?:the )?(?P<S>(?-i:`+opsThing+`))(?: service| alert| host)?`,
	"{HOSTS}", `(?:the )?(?:host |node |server |machine |box )?(?P<O>(?-i:`+opsHost+`)(?:(?:, (?:and )?| and )(?-i:`+opsHost+`))*)`,
	"{NP}", `(?:the |an? )?(?P<O>[^,;:]{2,70}?)`,
	"{ACT}", `(?P<O>(?:re-?)?(?:start|roll|rais|bump|scal|add|renew|flush|kill|drain|replac|swap|delet|purg|mov|switch|rotat|revert|disabl|enabl|increas|decreas|lower|reboot|clear|truncat|fail|upgrad|downgrad|patch|deploy|build|seat|vacuum|expand|resiz|load|bounc|clean|compress|stop|paus|throttl|block|unblock|index|prun|evict|cordon|reduc|gzip|route|mount|cycl|point|pin|extend|shrink|trim|archiv|free|remov|redeploy|recreat|turn|set|tun|fix|fill|clos|drop|page|check|run|collect|call|open|take|follow|look|ask|escalat)\w*\b[^,;]{0,60}?)`,
	"{WHO}", `(?:the )?(?P<O>[A-Za-z][\w-]*(?:'s)?(?: [a-z-]+)?? ?(?:team|squad|group|folks|guild)?)`,
	"{SET}", `(?P<K>(?-i:[a-z]+_[a-z_]+)|(?:[a-z]+ )?(?:threshold|timeout|replicas?|memory|version|retention|pool size|pool limit|limit|heap|ttl|quota|batch size|retries|concurrency|interval|port|log level|keepalive|max_connections|maxmemory|size|cap|budget|delay|backoff|workers|shards|partitions|connections|disk|cpu|rate))`,
	"{V}", `(?P<V>v?\d[\d.,]*(?:\s?(?:ms|s|gib|mib|gb|mb|kb|g|m|k|qps|rps|h|d|days?|hours?|minutes?|mins?|seconds?|secs?|percent)\b|%|\b))`,
	"{BE}", `(?:(?:is|are|was|were|has been|had been|got) (?:now |still |actually |really |in fact |simply )*)`,
	"{NOT}", `(?P<N>not |n't |never |no longer )?`,
	"{END}", `(?: (?:any ?more|after all|this time|again|now|today|then|for good|either|here|this morning|first|before .*|so .*|but .*|which .*|because .*|and (?:then|it|that|we|the) .*))*(?:,.*)?"?$`,
)

var enRules = sync.OnceValue(func() []rule {
	return compile(enFragments,
		[]string{"!AFFECTS", "", "affect touch hit impact about fine",
			`{A} (?:does not|did not|is not|was not|never) (?:affect|affecting|touch|hit|impact|about|on)(?:ed|ing)? {TO}`,
			`{A} .*\baffects?\b.*, (?:but )?not {TO}`,
			`^{TO} (?:is|are|was|were) (?:un(?:affected|touched)|not affected|fine)$`},
		[]string{"AFFECTS", "", "affect hit impact fir trigger off_ about cover only just_ ,_on_ _on_",
			`{A} (?:is |was |only |now |just |again |has |currently )*(?:affect(?:s|ed|ing)?|hit(?:s|ting)?|impact(?:s|ed|ing)?|fir(?:es|ed|ing) (?:again )?(?:on|for|at|against)|trigger(?:s|ed|ing)? (?:on|for|by)|went off (?:on|for)|on|about|covers?) (?:only )?{TO}`,
			`{A}, (?:fir(?:ed|ing) |triggered )?on {TO}`,
			`\bfiring\W+{A} (?:.*\b)?(?:instance|host|service|node|job|app)="?{TO}`,
			`^(?:only|just) (?:the )?(?:[\w-]+ )?(?:hosts|nodes|services|pods|boxes),? {TO}`,
			`(?:only |it )?(?:affects|affecting|hits only|only hits|affected:?) {TO}`},
		[]string{"!CAUSED_BY", "Topic", "not never ruled nothing excluded eliminated",
			`(?:ruled out|excluded|eliminated) {NP} (?:for|as the cause of|as a cause of|behind) {A}`,
			`{A} (?:is|was|were|are|has|had|turned out)(?: to be)? (?:not|never) (?:at all )?(?:caused by|due to|because of|down to|triggered by|about|related to) {NP}{END}`,
			`not (?:the )?(?P<O>\w[\w -]{1,24}); {A} has nothing to do with`,
			`{A} has nothing to do with {NP}{END}`,
			`(?:^|it (?:was|is) )not {NP}(?:, (?:i|we) (?:checked|looked|verified)| (?:this time|after all|either))`,
			`^(?:we |i )?(?:have )?ruled out {NP}{END}`,
			`(?:nothing to do with|it was not caused by|not caused by|it is not|it was not) {NP}{END}`,
			`{A} (?:is|was|came from|turned out to be) [^,]*, (?:and )?not {NP}{END}`,
			`guess was {NP}(?: but|, but).*\bnot (?:that|it)`},
		[]string{"CAUSED_BY", "Topic", "cause due culprit behind trac down came come stem reason turned trigger result blame set_off",
			`cause (?:of|for|behind) {A} (?:is|was|turned out to be|seems to have been) {NP}{END}`,
			`{A} (?:is|was|were|has been|had been|turned out to be)? ?(?:\w+ )?(?:caused by|due to|because of|down to|triggered by|the result of|came from|comes from|came down to|stems? from|stemmed from|traced (?:back )?to|was traced (?:back )?to) {NP}{END}`,
			`{A} is not due to .*? but (?:to|due to|rather) {NP}{END}`,
			`{A}: (?:the |root )*(?:culprit|cause|reason) (?:is|was) {NP}{END}`,
			`^(?:so |turns out |it turned out )?{NP} (?:is|was) (?:what caused|to blame for|behind|the cause of|the culprit for) {A}`,
			`^{NP} (?:caused|triggered|set off) {A}`,
			`(?:root cause|culprit|the cause|real cause|reason)(?: here)? (?:is|was|turned out to be|:) ?{NP}{END}`,
			`(?:turned out to be|traced (?:it|this) (?:back )?to|it came down to|it was all|it was caused by) {NP}{END}`,
			`^(?:so )?{NP} (?:caused (?:it|this)|is what caused it|(?:is|was) (?:to blame|the cause|the culprit))`},
		[]string{"!FIXED_BY", "Action", "not never no_effect no_difference did_nothing still kept no_use and",
			`{ACT} (?:did not|does not|has not|never) (?:help|fix|change|work|cure|clear|resolve)\w*(?: with| for| on)? {A}`,
			`{ACT} (?:had no effect on|made no difference (?:to|for)|did nothing (?:to|for|about)) {A}`,
			`(?:we |i )?{ACT} and {A} (?:is |was |kept |keeps )?(?:still )?(?:fir|com|ther|back|alert|red)`,
			`{A} (?:is |was )?(?:still|kept) (?:fir|com|alert)\w*(?: back)? (?:after|despite|even after) (?:we |i )?{ACT}{END}`,
			`^(?:so |but |and |also )*(?:we |i )?{ACT},? (?:but (?:it|that) )?(?:did not|does not|has not|never) (?:help|fix|change|work)`,
			`^(?:we |i )?{ACT},? (?:but (?:it|that) )?(?:had no effect|made no difference|did nothing|was no use)`},
		[]string{"FIXED_BY", "Action", "fix resolv clear cure mitigat stop silenc ended gone away recover quiet did help solved green back went stable normal sorted settled healed calmed disappeared dropp made",
			`^(?:in the end |finally |and |so |eventually )*(?:the )?{ACT} (?:fixed|resolved|cleared|cured|mitigated|silenced|stopped|ended|made) {A}`,
			`^(?:so |then )?(?:we |i )?{ACT},? and {A} (?:was |is |has |had |got |finally |been )*(?:cleared|recovered|resolved|went away|gone|quiet|disappeared|settled|healed|calmed down){END}`,
			`{A} (?:was |is |has |had |got |finally |been )*(?:cleared|recovered|resolved|stopped(?: firing)?|went away|(?:is )?gone|quiet|disappeared|settled|healed|calmed down) (?:after|once|when|as soon as|since) (?:we |i |they )?{ACT}{END}`,
			`{A} (?:was |is |got |has been |finally )*(?:fixed|resolved|cleared|mitigated|cured|solved|ended) (?:by|with) {ACT}{END}`,
			`^(?:after |once |so )?(?:we |i )?{ACT},? (?:and |- )?(?:it |errors |latency |that |the alert |alert |everything |all |we |things |usage |the link )?(?:is |are |was |has |have |been |'s )*(?:recovered|dropp\w+|back\b|fixed it|did it$|did it\b|cleared(?: it)?$|gone|green|did the trick|sorted it|solved it|cured it|went (?:away|down|green)|stopped|resolved|quiet|stable|came back|helped)`},
		[]string{"!HANDLED_BY", "Action", "handled covered",
			`{NAMED} (?:is|are) (?:not|no longer) (?:handled by|covered by) {NP}{END}`},
		[]string{"HANDLED_BY", "Action", "runbook procedure playbook sop step handled covered for_ on_ when_ with_ if_ fix action",
			`(?:runbook|procedure|playbook|sop|steps?) (?:for|of|on) {NAMED}(?: now)? (?:says?|is|tells us|reads|starts? with|has changed|was changed|calls for)(?: to)?:? {ACT}{END}`,
			`(?:for|on|when|with|if) (?:an? )?{NAMED}(?: fires| alerts?)?,? (?:the (?:runbook|procedure|playbook|current step|new step|step|fix|action|runbook step)(?: now)? (?:says|tells us|is)(?: to)? |(?:we|you) (?:now |should |must |have to )?)?{ACT}{END}`,
			`{NAMED} (?:is|are)(?: now)? (?:handled by|covered by) {NP}{END}`,
			`(?:runbook|playbook|current step|new step|procedure|sop)(?: for this| step \d+)?(?: now)? (?:says|said|is|tells us|reads|calls for)(?: to)?:? "?{ACT}{END}`},
		[]string{"!OWNED_BY", "Topic", "own maintain run_by looked belong",
			`{T} (?:is|are) (?:not|no longer) (?:owned|maintained|run|looked after) by {WHO}{END}`,
			`{T} (?:does not|no longer) belongs? to {WHO}{END}`},
		[]string{"OWNED_BY", "Topic", "own maintain look run_by belong responsible charge operated managed care",
			`owner of {T} (?:is|has become)(?: now)? {WHO}{END}`,
			`{T} (?:is|are)(?: now| still)? (?:owned|maintained|run|looked after|operated|managed) by {WHO}{END}`,
			`{T}(?: now| still)? belongs to {WHO}{END}`,
			`^(?:the )?(?P<O>[A-Za-z][\w'-]*(?: [a-z]+)??(?: team| squad| group)?) (?:now |still )?(?:owns?|maintains?|looks after|is responsible for|is in charge of|takes care of) {T}{END}`},
		[]string{"!RUNS_ON", "Host", "not longer moved never",
			`{T} (?:does not|is not|no longer|is no longer|moved off|never)(?: runs?| running| hosted| deployed| lives?)*(?: on)? {HOSTS}`},
		[]string{">RUNS_ON", "Host", "move migrate",
			`{T} (?:was |has |been |is |just |now )*(?:moved|migrated|relocated) (?:over )?(?:from .* )?to {HOSTS}{END}`,
			`^(?:we |i )?(?:have |just )*(?:moved|migrated|relocated) {T} (?:over )?(?:from .* )?to {HOSTS}{END}`},
		[]string{"RUNS_ON", "Host", "_on_",
			`{T}(?: now| still| only)? (?:runs?|is running|is hosted|is deployed|lives?|sits?|is)(?: now)? on {HOSTS}`},
		[]string{"!DEPENDS_ON", "Service", "depend rel call talk need use",
			`{T} (?:does not|no longer|never) (?:directly )?(?:depends? on|relies on|rely on|calls?|talks? to|needs?|uses?) {TO}`},
		[]string{"DEPENDS_ON", "Service", "depend rel call talk need read write requir",
			`{T}(?: directly| heavily| hard| also)? (?:depends on|relies on|calls|talks to|needs|reads from|writes to|requires) {TO}(?: to be up| service)?{END}`},
		[]string{"!HAS_SETTING", "Tag", "has_no",
			`{NAMED} has no {NP}(?: configured| set)?$`},
	)
})

const enSetCues = `threshold timeout replica memory version retention size limit heap ttl quota retries concurr interval port_ level keepalive max cap budget delay backoff worker shard partition connect disk_ cpu rate_ nodes instances =`

var enSettings = sync.OnceValue(func() []rule {
	return compile(enFragments,
		[]string{"HAS_SETTING", "Tag", enSetCues,
			`(?:raised|lowered|changed|set|bumped|increased|decreased|put|moved) (?:the )?{SET} (?:of|on|for) {T} (?:from \S+ )?(?:up |down )?to {V}`,
			`(?:raised|lowered|changed|set|bumped|increased|decreased) {T}(?:'s)? {SET} (?:from \S+ )?(?:up |down )?to {V}`,
			`{SET} (?:of|on|for|in) {T} (?:is|was|are) ?(?:now |currently |still |only |just )*(?:set to |at |raised to |changed to )?{V}`,
			`{SET} (?:of|on|for|in) {T} (?:changed|went|raised|moved) (?:from )?\S+ (?:->|→|to) {V}`,
			`{T}(?:'s)? (?:has|uses|runs with|gets|allows|is set to) (?:an? |the )?{SET} (?:of |at |= ?)?{V}`,
			`{T} (?:goes|went|moves|moved|is going|was upgraded|upgraded) from (?P<K>version) \S+ to {V}`,
			`{NAMED}.{0,40} (?:is|runs)(?: now)?(?: at| on)? (?P<K>version) {V}`,
			`{T} fires at (?:an? )?{SET} of {V}`,
			`{T} (?:is|runs)(?: now)? (?:on|at) {SET} {V}`,
			`{T} went from \S+ to (?P<V>\d+) (?P<K>replicas|workers|shards|partitions|nodes|instances)`,
			`{T}(?:'s)? {SET}(?: \w+)? (?:was |is |has been |are )?(?:now |currently |set |still |at |only |raised |lowered |changed |bumped )*(?:from \S+ )?(?:to|at|is|=)? ?{V}`,
			`{NAMED}\W+(?:\S+ )?{SET} ?= ?{V}`},
		[]string{"HAS_SETTING", "Tag", enSetCues,
			`{SET} (?:is|was) (?:now |still |only |just |set )*(?:at |to )?{V}`},
	)
})

var (
	enHedge = pattern.New(`(?i)\b(?:maybe|perhaps|might|may|could|should|would|probably|i think|looks like|seems|not sure|used to|was going to|will|planning|plan|if|suppose|suspect|whether|guess is|need to|let us|let's|next (?:week|month)|apparently|supposedly|rumou?r|wiki says|someone on|vendor says|wondering|have not found|haven't found|how about|propose|want to|going to)\b|'(?:d|ll)\b`)
	enCut   = pattern.New(`(?:\. |; |, but | - | — |—|\bwhich is why\b)`)
	enNot   = pattern.New(`n't\b`)
)

// enRead reads one English sentence about systems; before are the sentences before it.
func enRead(s string, before []sentence.Sentence, o Options) (out []Statement) {
	s = strings.TrimSpace(strings.ReplaceAll(s, "’", "'"))
	for _, b := range before {
		if mayName(b.Text) {
			o.Alert, o.Thing = o.Spoken(b.Text)
		}
	}
	if o.Alert == "" && o.Thing == "" && !(mayName(s) && opsAny.MatchString(s)) && !enTalk.MatchString(s) {
		return nil
	}
	for _, c := range enClauses(s) {
		c = strings.TrimRight(strings.TrimSpace(c), ".! ")
		if i := strings.Index(c, "guess was"); i < 0 && enHedge.MatchString(c) {
			// A hedged part of a clause is dropped; the rest may be kept.
			parts := slices.DeleteFunc(strings.Split(c, ", "), enHedge.MatchString)
			if c = strings.Join(parts, ", "); c == "" {
				continue
			}
		}
		c = enNot.ReplaceAllString(strings.ReplaceAll(c, "can't", "can not"), " not")
		if m := pronoun.FindString(c); m != "" && o.Thing != "" {
			c = o.Thing + " " + c[len(m):]
		}
		out = merge(out, readClause(enRules(), enSettings(), c, o, false))
		if m := enSymptom.FindStringSubmatch(c); m != nil && allowed("AFFECTS", "Alert", opsType(m[1])) {
			if symptom := clean(m[2]); symptom != "" {
				out = merge(out, []Statement{{Subject: Term{"Alert", symptom}, Predicate: "AFFECTS", Object: Term{opsType(m[1]), m[1]}, Confidence: interpreted}})
			}
		}
		o.Alert, o.Thing = o.Spoken(c)
	}
	return out
}

// enClauses cuts a sentence; ", and" parts clauses where a clause follows rather than
// the last item of a list.
func enClauses(s string) (out []string) {
	for _, c := range enCut.Split(s, -1) {
		for {
			i := strings.Index(c, ", and ")
			if i < 0 || len(strings.Fields(c[i+6:])) < 4 {
				break
			}
			out = append(out, c[:i])
			c = c[i+6:]
		}
		out = append(out, c)
	}
	return out
}

// mayName reports whether a text may hold a name of operations at all: a hyphen,
// underscore or digit, or a capital after a small letter. It spares the patterns.
func mayName(s string) bool {
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '-' || c == '_' || c >= '0' && c <= '9':
			return true
		case i > 0 && c >= 'A' && c <= 'Z' && (s[i-1] >= 'a' && s[i-1] <= 'z'):
			return true
		}
	}
	return false
}

// enTalk: words of systems that make a sentence worth trying.
var enTalk = pattern.New(`(?i)\b(?:alert|owned by|depends on|runs on|deployed on|timeout|replicas|pool size|retention|max_connections|threshold|is responsible for|looked after by|belongs to)\b`)

// enSymptom: a symptom represents its alert.
var enSymptom = pattern.New(`(` + opsThing + `) (?:is|are|keeps|started|has been) (?:throwing|returning|serving|giving|spewing|logging|reporting|showing) ((?:a lot of |lots of )?[\w-]+(?: [\w-]+)?)`)
