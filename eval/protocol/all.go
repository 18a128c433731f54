package protocol

// All lists the protocols in the order of reports.
func All() []*Protocol {
	return []*Protocol{
		em(),
	}
}
