package llm

// An Outcome is the result of one call to a model. Every call has exactly one; only Complete and CutOff have a text. A missing answer is never treated as an
// empty one.
type Outcome string

// The outcomes, in the order in which reports list them.
const (
	Complete   Outcome = "complete"
	CutOff     Outcome = "cut_off"    // it ends at its length limit
	Empty      Outcome = "empty"      // no text: nothing, thoughts only, or the call of a tool
	Refused    Outcome = "refused"    // by the model
	Filtered   Outcome = "filtered"   // by the endpoint's content filter
	Unreadable Outcome = "unreadable" // not of the protocol, or not of the form that was asked for
	Failed     Outcome = "failed"     // no answer at all
)

// Outcomes lists them.
func Outcomes() []Outcome {
	return []Outcome{Complete, CutOff, Empty, Refused, Filtered, Unreadable, Failed}
}

// OutcomeOf is the outcome of a call.
func OutcomeOf(r Response, err error) Outcome {
	switch {
	case err == nil && r.Truncated:
		return CutOff
	case err == nil:
		return Complete
	}
	switch KindOf(err) {
	case KindCutOff:
		return CutOff
	case KindEmpty:
		return Empty
	case KindRefused:
		return Refused
	case KindFiltered:
		return Filtered
	case KindMalformed, KindUnusable:
		return Unreadable
	}
	return Failed
}

// Longer returns the token limit for repeating a request after a cut-off answer: twice the limit, and at least the assumed length of an answer without a limit.
func Longer(r Request, a Response) int {
	return max(2*r.MaxTokens, 2*a.Usage.OutputTokens, AnswerTokens)
}
