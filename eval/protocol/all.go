package protocol

import (
	"fmt"
	"slices"
	"strings"
	"sync"
)

// All lists the protocols in the order of reports; judges ask in our words.
func All() []*Protocol { return WithPrompts(nil) }

// WithPrompts is All with a user's copies of original prompts where there are some.
func WithPrompts(pr *Prompts) []*Protocol { return With(Inputs{Prompts: pr}) }

// Inputs are the users' inputs to protocols; all are optional.
type Inputs struct {
	Prompts  *Prompts  // copies of original prompts
	Entities *Entities // MemoryAgentBench's table of films, without which mab-recsys grades nothing
}

// With is All with the users' inputs.
func With(in Inputs) []*Protocol {
	pr := in.Prompts
	return []*Protocol{
		RuleJudge(),
		em(), contains(), choice(), numeric(), mixedF1(), squadEM(), squadF1(),
		locomoF1(), mem0F1(), bleu1(), rougeL(), mab(), mabSubstring(), mabLabel(), mabRecsys(in.Entities), mabSummary(pr),
		lmeRetrieval(), evidenceRecall(), turnRecall(),
		lmeOfficial(pr), mem0Judge(pr), mem0Judge2026(pr), zepJudge(pr), beamRubric(), domainaAnswer(pr), domainaEvidence(),
	}
}

// AnySet in Protocol.Judges is every data set that no other protocol judges.
const AnySet = "*"

// standard is All, made once: JudgesOf is asked for every record.
var standard = sync.OnceValue(All)

// Defaults names the protocols that grade where none is named.
func Defaults() (out []string) {
	for _, p := range standard() {
		if p.Default {
			out = append(out, p.Name)
		}
	}
	return out
}

// JudgesOf names the protocols that judge a data set where a model grades and none is named.
func JudgesOf(dataset string) (out []string) {
	for _, p := range standard() {
		if slices.Contains(p.Judges, dataset) {
			out = append(out, p.Name)
		}
	}
	if out == nil && dataset != AnySet {
		return JudgesOf(AnySet)
	}
	return out
}

// Names lists the names of All.
func Names() []string {
	var out []string
	for _, p := range All() {
		out = append(out, p.Name)
	}
	return out
}

// ByName finds protocols by name or by name@version, in the order given.
func ByName(names ...string) ([]*Protocol, error) { return Pick(All(), names...) }

// Pick finds protocols of a list by name or by name@version, in the order given.
func Pick(all []*Protocol, names ...string) ([]*Protocol, error) {
	var out []*Protocol
	for _, n := range names {
		i := slices.IndexFunc(all, func(p *Protocol) bool { return n == p.Name || n == p.ID() })
		if i < 0 {
			return nil, fmt.Errorf("protocol %q is unknown: have %s", n, strings.Join(Names(), ", "))
		}
		if !slices.Contains(out, all[i]) {
			out = append(out, all[i])
		}
	}
	return out, nil
}
