// Package claims extracts statements (claims and entities) from memories and merges them.
//
//	ByConversation   memories → the statements of one conversation after the other
//	Extract          the same as one stream
//	Merger, Compile  statements of any number of conversations → one per id
//	Bulk             Compile over bytes, in bounded memory, on all cores
//
// Files of `claimify`, in one folder: <conv>.jsonl (key entity_id, claim_id; entities by
// type and id, then claims by domain, predicate and id), <conv>.rejected.jsonl where a
// model wrote lines that cannot be used (line, reason, raw), and .claimify/ with the
// answers that were paid for, by memory, and the tag registry. Files of
// `compile-claims`: entities.jsonl, claims.jsonl, meta.json, in the same order.
package claims
