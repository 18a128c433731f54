package protocol

// All lists the protocols in the order of reports.
func All() []*Protocol {
	return []*Protocol{
		em(), contains(), numeric(), mixedF1(), squadEM(), squadF1(), locomoF1(), mem0F1(), bleu1(), rougeL(), mab(), mabSubstring(),
	}
}
