package schema

// Attribution names the hop at which a question was lost. It has the key of its QARecord.
type Attribution struct {
	Hop      string     `json:"hop"`            // one of Hops
	Cause    string     `json:"cause,omitzero"` // one of Causes; "" for judge and gold errors, and if the hop is unknown
	Break    string     `json:"break,omitzero"` // one of Breaks: the place in a graph where the path to the answer ends
	Kind     string     `json:"kind,omitzero"`  // failure at the hop, one of Faults
	Reason   string     `json:"reason"`
	Want     string     `json:"want,omitzero"`   // for an altered text: what it should say
	Got      string     `json:"got,omitzero"`    // what it says
	Marked   string     `json:"marked,omitzero"` // and both in one: [-taken away-] {+put in+}
	Evidence []EventRef `json:"evidence,omitempty"`
	IDs      []string   `json:"ids,omitempty"` // memories, claims or nodes that show it
}

// Hops of an Attribution, in the order in which a fact passes them.
const (
	HopGold             = "gold"              // the gold, or its evidence, is wrong
	HopIngest           = "ingest"            // the system was never given the evidence
	HopStore            = "store"             // it made no memory of it
	HopAlteredStored    = "altered_stored"    // the memory differs from the turn: altered when stored
	HopOverwrite        = "overwrite"         // a later write took it away
	HopRetrieve         = "retrieve"          // it was there and was not among the hits
	HopAlteredRetrieved = "altered_retrieved" // a hit differs from the memory: altered when retrieved
	HopContext          = "context"           // the hit is not complete in the reader's context
	HopAlteredContext   = "altered_context"   // the context differs from the hit: altered in the context
	HopRead             = "read"              // the reader saw it and did not use it
	HopJudge            = "judge"             // the answer is right, the grade is not
	HopOpaque           = "opaque"            // the system or the data set does not show enough to decide
)

// Faults of an Attribution: what happened at its hop. The first ones describe a text compared with the text that it should be.
const (
	FaultEmpty      = "empty"      // nothing is left
	FaultIdentifier = "identifier" // an identifier in place of the text
	FaultCut        = "cut"        // part of it is gone
	FaultEncoding   = "encoding"   // escaped, or read in another character set
	FaultSpeaker    = "speaker"    // in the mouth of another speaker
	FaultDate       = "date"       // another date
	FaultNegated    = "negated"    // the contrary
	FaultNumber     = "number"     // another number
	FaultName       = "name"       // another name
	FaultWords      = "words"      // other words
	FaultAdded      = "added"      // more than was said
	FaultOlder      = "older"      // the memory's text before its last change
	FaultOther      = "other"      // another text under this identifier
	FaultSource     = "source"     // the text is right, the turns that it names as its source are not

	FaultFailed    = "failed"    // ingest: the system failed
	FaultDropped   = "dropped"   // ingest: the turn was not taken; store, context: nothing is there of it
	FaultUpdated   = "updated"   // overwrite: by another text
	FaultRemoved   = "removed"   // overwrite: deleted
	FaultRank      = "rank"      // retrieve: below k
	FaultDuplicate = "duplicate" // retrieve: hits repeat each other in its place
	FaultForeign   = "foreign"   // retrieve: hits of another conversation in its place
	FaultFew       = "few"       // retrieve: fewer hits than asked for, although there are more
	FaultOrder     = "order"     // retrieve: the worst first
	FaultSkipped   = "skipped"   // retrieve: the search does not reach it
	FaultImpure    = "impure"    // retrieve: the hits depend on what was asked before
	FaultRefused   = "refused"   // read: no answer
	FaultEchoed    = "echoed"    // read: the question or the context was repeated in place of an answer
	FaultInvented  = "invented"  // read: the answer is in nothing that was shown
)

// Hops lists them in that order.
func Hops() []string {
	return []string{HopGold, HopIngest, HopStore, HopAlteredStored, HopOverwrite, HopRetrieve, HopAlteredRetrieved, HopContext, HopAlteredContext, HopRead, HopJudge, HopOpaque}
}

// Causes of an Attribution: the classes of failure of seed 002.
const (
	CauseMiss          = "miss"          // the needed memory was missing
	CauseConflict      = "conflict"      // an older value, or one that took its place
	CauseTemporal      = "temporal"      // the right thing at the wrong time
	CauseHallucination = "hallucination" // an answer although there is none
	CauseOverload      = "overload"      // too much was shown, or it had to be cut
	CauseGeneration    = "generation"    // all was there; the answer is still wrong
)

// Causes lists them.
func Causes() []string {
	return []string{CauseMiss, CauseConflict, CauseTemporal, CauseHallucination, CauseOverload, CauseGeneration}
}

// Breaks of an Attribution: where in a graph the way from a turn to an answer ends.
const (
	BreakTurn       = "turn_not_ingested"   // the graph has no such event
	BreakMemory     = "memory_lacks_fact"   // no memory of the turn contains it
	BreakClaim      = "claim_not_extracted" // no claim rests on the memory
	BreakEntity     = "entity_wrong"        // a claim contains it, about another entity
	BreakSuperseded = "superseded_wrongly"  // the claim that contains it was superseded
	BreakValidity   = "out_of_validity"     // the claim does not hold at the question's time
	BreakRank       = "ranked_below_k"      // all is linked; it was not among the first k
)

// Breaks lists them in the order of the way.
func Breaks() []string {
	return []string{BreakTurn, BreakMemory, BreakClaim, BreakEntity, BreakSuperseded, BreakValidity, BreakRank}
}
