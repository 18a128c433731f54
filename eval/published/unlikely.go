package published

import (
	"fmt"

	"membench/eval/protocol"
	"membench/internal/stats"
	"membench/schema"
)

// ruleJudge is the protocol whose errors are known: docs/audit.md has its agreement with the recorded runs.
const ruleJudge = "rule"

// What is compared with the recorded verdicts, all measured on the recorded runs of judges (docs/audit.md): κ there is at least 0.60 where both judges have
// enough verdicts of both kinds; the rule judge refuses at most 9 % of the answers that are recorded as right, 2.5 % as abstentions.
const (
	enoughVerdicts  = 20
	littleAgreement = 0.4
	mostRefused     = 0.1
	mostAbstaining  = 0.05
)

// sure counts the rows on which the rule judge has no doubt.
type sure struct {
	right, wrong            int // recorded
	accepted, acceptedWrong int // accepted by the rule judge; of them recorded as wrong
	refused, refusedRight   int // refused by the rule judge; of them recorded as right
	abstains, abstainsRight int // of the refused those that abstain
	firstWrong, firstRight  int // the first accepted and wrong, refused and right row
	firstAbstains           int
}

// add counts a row: the recorded verdict, the rule judge's, whether the answer abstains from a question that has an answer.
func (s *sure) add(recorded, ours, abstains bool, row int) {
	count := func(n, contrary, first *int, differs bool) {
		*n++
		if differs {
			if *contrary == 0 {
				*first = row
			}
			*contrary++
		}
	}
	if recorded {
		s.right++
	} else {
		s.wrong++
	}
	if ours {
		count(&s.accepted, &s.acceptedWrong, &s.firstWrong, !recorded)
		return
	}
	count(&s.refused, &s.refusedRight, &s.firstRight, recorded)
	if abstains {
		count(&s.abstains, &s.abstainsRight, &s.firstAbstains, recorded)
	}
}

// abstention reports whether an answer only says that it has none: it would be right if the question had no answer.
func abstention(rule *protocol.Protocol, q schema.QARecord) bool {
	q.Abstain = true
	g := rule.Grade(&q)
	return g.Label == "right"
}

// unlikely reports recorded verdicts that can hardly be of their answers. κ with the rule judge far below that of recorded judges (its upper bound is below
// littleAgreement) is a finding where both judges have enough verdicts of both kinds, a twentieth of the rows: labels were exchanged, or moved to other rows.
// Otherwise the answers on which the rule judge has no doubt are looked at, kind by kind.
func (a *audit) unlikely(report func(*schema.Finding)) {
	for _, r := range a.regrades {
		if r.p.Name != ruleJudge {
			continue
		}
		for _, name := range sortedNames(r.against) {
			x := r.against[name]
			if schema.ProtocolName(name) != RecordedJudge || !x.verdicts {
				continue
			}
			right, wrong := x.table[0][0]+x.table[0][1], x.table[1][0]+x.table[1][1]
			accepted := x.table[0][0] + x.table[1][0] // by the rule judge, which can only agree where it has an opinion
			k := stats.Cohen([][]int{x.table[0][:], x.table[1][:]}, a.o.Defaults().Confidence)
			if min(right, wrong, accepted, x.n-accepted) >= max(enoughVerdicts, x.n/20) && k.CI.Hi < littleAgreement {
				report(&schema.Finding{Pos: schema.Pos{File: a.out.Run}, Code: "PUB013", Warning: true, Message: "the recorded verdicts match their answers far less than those of other judges do: labels may have been exchanged",
					Have: fmt.Sprintf("κ %.3f (%.3f to %.3f) with the rule judge over %d rows", k.K, k.CI.Lo, k.CI.Hi, x.n)})
				continue
			}
			a.contrary(&x.sure, report)
		}
	}
}

// contrary reports the kinds of answers on which the recorded verdicts contradict the rule judge, where it has no doubt, too often for its errors: on most
// answers of the kind, and on more of the recorded verdicts than it errs on, both beyond chance (Clopper and Pearson's interval). The first guards
// against a bad system, the second against a good one, most of whose refused answers are right.
func (a *audit) contrary(s *sure, report func(*schema.Finding)) {
	beyond := func(k, n int, share float64) bool {
		return n > 0 && stats.ClopperPearson(k, n, a.o.Defaults().Confidence).Lo > share
	}
	same := ""
	if s.right == 0 || s.wrong == 0 {
		same = "; all verdicts are the same"
	}
	tell := func(message, of string, k, n, first int) {
		report(&schema.Finding{Pos: a.rows[first].pos, Code: "PUB018", Warning: true, Message: message + " (the first: " + a.rows[first].id + ")",
			Have: fmt.Sprintf("%d of %d answers that %s%s", k, n, of, same)})
	}
	if beyond(s.refusedRight, s.refused, .5) && beyond(s.refusedRight, s.right, mostRefused) {
		tell("answers that do not say what the gold says are recorded as right", "the rule judge refuses without doubt", s.refusedRight, s.refused, s.firstRight)
	} else if beyond(s.abstainsRight, s.abstains, .5) && beyond(s.abstainsRight, s.right, mostAbstaining) {
		tell("answers that abstain from a question with a gold are recorded as right", "abstain without doubt", s.abstainsRight, s.abstains, s.firstAbstains)
	}
	if beyond(s.acceptedWrong, s.accepted, .5) && beyond(s.acceptedWrong, s.wrong, mostRefused) {
		tell("answers that say what the gold says are recorded as wrong", "the rule judge accepts without doubt", s.acceptedWrong, s.accepted, s.firstWrong)
	}
}

// alike is a part of the rows that is the same in all so far.
type alike struct {
	value   string
	differs bool
	beside  map[string]bool // the values of the part that it depends on
}

// compare notes the parts of a row that should not be the same in all: the answer and the gold.
func (a *audit) compare(q *schema.QARecord) {
	for i, now := range [2][2]string{{plain(q.Answer), plain(q.Gold)}, {plain(q.Gold), plain(q.Question)}} {
		x := &a.alike[i]
		if x.beside == nil {
			x.value, x.beside = now[0], map[string]bool{}
		}
		if x.differs = x.differs || x.value != now[0]; !x.differs {
			x.beside[now[1]] = true
		}
	}
}

// constant reports a part that is the same in every row although what it depends on differs more often than chance allows: the answer to questions with
// different golds, the gold of different questions.
func (a *audit) constant(report func(*schema.Finding)) {
	for i, what := range [2][2]string{{"answer", "golds"}, {"gold", "questions"}} {
		x := &a.alike[i]
		if n := len(x.beside); !x.differs && x.value != "" && stats.ClopperPearson(n, n, a.o.Defaults().Confidence).Lo > .5 {
			report(&schema.Finding{Pos: a.rows[0].pos, Code: "PUB019", Warning: true, Message: "every row has the same " + what[0] + ": it may be another column",
				Have: fmt.Sprintf("%.60q beside %d different %s", x.value, n, what[1])})
		}
	}
}
