package schema

// Severity of a finding code.
type Severity string

const (
	SevError   Severity = "error"
	SevWarning Severity = "warning"
	SevBoth    Severity = "error or warning" // by schema version; the meaning says how
)

// CodeInfo describes one finding code.
type CodeInfo struct {
	Code     string   `json:"code"`
	Severity Severity `json:"severity"`
	Meaning  string   `json:"meaning"` // one line
	Do       string   `json:"do"`      // what to do about it
}

// Codes lists every finding code, sorted. A code keeps its meaning for ever.
func Codes() []CodeInfo { return codes }

// Code returns the description of one code.
func Code(code string) (CodeInfo, bool) {
	for _, c := range codes {
		if c.Code == code {
			return c, true
		}
	}
	return CodeInfo{}, false
}

var codes = []CodeInfo{
	{"CLM001", SevBoth, "the predicate is not in the catalogue (warning: newer than the file's version)", "correct it, or add it with a catalogue file (--catalog)"},
	{"CLM002", SevBoth, "the domain is not the predicate's (0.0.1: warning) or not in the catalogue", "use the predicate's domain"},
	{"CLM003", SevBoth, "the entity type is not in the catalogue (warning: newer than the file's version)", "correct it, or add it with a catalogue file (--catalog)"},
	{"CLM004", SevBoth, "the predicate does not take a subject or object of this type (0.0.1: warning)", "use a type that the catalogue lists for the predicate"},
	{"CLM005", SevError, "the predicate is on the list of those never written", "leave the claim out"},
	{"CLM006", SevWarning, "a deprecated claim names no reason", "add deprecated_reason, and superseded_by where there is a successor"},
	{"CLM007", SevError, "a claim or entity id occurs twice in one file", "merge the lines with compile-claims"},
	{"CLM008", SevWarning, "an entity has no readable name in props", "add props.name or the property that its id is made of"},
	{"CLM110", SevError, "a chunk of memories could not be extracted; the rest of the conversation was", "run claimify again: what was read is not asked again"},
	{"CLM201", SevError, "a line is neither a claim nor an entity", "set record_type to claim or entity"},
	{"CLM202", SevWarning, "a claim's id is not that of its parts; it was recomputed", "mint claim ids with schema.Mint"},
	{"CLM203", SevWarning, "one claim has two ranks; the one with newer evidence stays", "look at the evidence of both"},
	{"CLM204", SevWarning, "claims contradict each other and their newest evidence is of one instant; both stay active", "date the evidence"},
	{"CLM205", SevError, "one entity id stands under two types; the later line was left out", "keep one type"},
	{"CLM206", SevError, "one claim id stands for two different claims; the later line was left out", "escape the parts of the id (membench migrate)"},
	{"CLM207", SevError, "a member that must hold text is absent or empty; the record was left out", "fill it"},
	{"EVT001", SevError, "a turn comes after a later turn of its conversation", "sort the turns of each conversation"},
	{"EVT002", SevBoth, "turn ids leave a gap, or do not start at 1 (0.0.1: warning)", "number the turns of a conversation from 1 without gaps"},
	{"EVT003", SevError, "a turn occurs twice in one file", "remove one of the lines"},
	{"EVT004", SevBoth, "an event does not have exactly one tag (0.0.1: warning)", "keep the main tag; split an utterance that needs two"},
	{"EVT007", SevError, "a probe expects an inject or claim that is not among the given files", "correct meta.expects"},
	{"EVT008", SevWarning, "a probe or inject has no id", "name it: p_<conv_id>_<NNN>, i_<conv_id>_<NNN>"},
	{"EVT009", SevError, "a probe or inject id is used by two turns", "number probes and injects of a conversation"},
	{"EVT010", SevWarning, "every event of a conversation is canon_only", "canon_only is for facts that hold across conversations; tag the rest episodic or filler"},
	{"EVT011", SevWarning, "less than 30 % of a conversation's events are episodic or filler", "look again at what is tagged canon_only"},
	{"EVT012", SevWarning, "a model's tags were unusable after a retry; the rule decided", "look at the endpoint; the events say by: rule"},
	{"EVT013", SevWarning, "turn ids of a compiled conversation leave a gap", "number turns from 1 without gaps"},
	{"EVT014", SevError, "a turn id does not rise; the line was left out of the compiled file", "sort the turns of each conversation"},
	{"EVT015", SevError, "a conversation stands in two files; the later one was left out", "keep one file per conversation"},
	{"EVT016", SevError, "a file or a chapter of the index has no events", "annotate it, or take it out of the index"},
	{"EVT017", SevError, "an event lacks a member or has an unknown role; the line was left out", "see membench schema show event"},
	{"EVT020", SevWarning, "a member of meta has another type than expected and was not read", "correct the member"},
	{"EVT021", SevBoth, "a turn is given twice to replay; one was left out (warning when both are equal)", "remove one of the lines"},
	{"EVT022", SevError, "an event names no agent and was not stored", "give --agent-id"},
	{"EVT023", SevWarning, "a probe expects an id that no turn carries", "correct meta.expects"},
	{"GRF001", SevBoth, "the label is not in the catalogue (warning: newer than the file's version)", "correct it, or add it with a catalogue file (--catalog)"},
	{"GRF002", SevBoth, "the edge type is not in the catalogue (warning: of another version)", "correct it, or add it with a catalogue file (--catalog)"},
	{"GRF003", SevError, "a node or edge id occurs twice in one file", "merge the lines"},
	{"GRF004", SevBoth, "an edge leads from or to a node that is not among the given files (warning when no node of that kind is given at all)", "add the node, remove the edge, or give the other half of the graph too"},
	{"GRF005", SevError, "an edge of this type may not connect nodes with these labels", "see the catalogue's from and to of the edge type"},
	{"GRF006", SevError, "the id's prefix is not the label's", "mint the id with the label's prefix"},
	{"GRF007", SevWarning, "a node comes after the first edge of its file", "write nodes before edges, so that a reader can check ends as it goes"},
	{"GRF008", SevError, "NEXT or REPLY_TO runs the wrong way or across conversations", "NEXT goes to a later turn, REPLY_TO to an earlier one"},
	{"GRF009", SevError, "an end lies before its beginning (dates or lines)", "correct the order of the two"},
	{"GRF010", SevWarning, "a property has a name that identity uses in Neo4j", "it is loaded with the prefix p_; rename it to keep its name"},
	{"GRF011", SevWarning, "an integer does not fit 64 bits and cannot be a Neo4j property", "write it as a string"},
	{"GRF012", SevError, "an event without a conversation or a turn number was left out of the graph", "give it conv_id and turn_id"},
	{"GRF013", SevWarning, "a payload's hash is not the md5 of its data; the id is made of the text", "take the hash of the text as it is"},
	{"GRF014", SevError, "evidence names no memory; the edge was left out", "fill memory_item_id"},
	{"GRF020", SevError, "an element lacks id, type, src or dst and was left out", "see membench schema show node and edge"},
	{"GRF021", SevWarning, "a label or type is no plain identifier and must be quoted in queries", "use letters, digits and _"},
	{"GRF022", SevError, "an id holds a NUL, which no script can; the element was left out", "take the NUL out"},
	{"GRF023", SevWarning, "a value has no place in Neo4j and is kept as text in props_json", "flatten the value"},
	{"GRF030", SevError, "an element has no id or no type and was left out", "give it both"},
	{"GRF031", SevError, "an edge's end does not stand before it; the edge was left out", "add the node, nodes first"},
	{"GRF033", SevBoth, "an id is repeated: exports leave the later one out, a diff takes the last (warning)", "merge the records of one id: to-graph does"},
	{"GRF034", SevError, "a change does not fit the graph that it is applied to", "diff again"},
	{"GRF035", SevWarning, "a value does not fit its column and stands in props_json", "give a property one type"},
	{"GRF036", SevError, "an id, label or type cannot be written in the export's format; left out", "membench migrate escapes control characters in ids"},
	{"GRF037", SevWarning, "members that a graph record does not know are not exported", "put them into props"},
	{"GRF040", SevError, "an element is not in the database", "load again"},
	{"GRF041", SevError, "an element is different in the database", "load again"},
	{"GRF042", SevError, "a label or type has no usable name; the element was left out", "give it a name without NUL"},
	{"GRF043", SevWarning, "members that a graph record does not know are not stored in the database", "put them into props"},
	{"ID001", SevError, "one id is used by two different things", "escape the parts of the id (membench migrate), or rename one of them"},
	{"ID002", SevError, "the id is not what its record makes it", "mint ids with schema.Mint; the expected id is in the message"},
	{"ID003", SevError, "the id does not follow the grammar of ids", "mint ids with schema.Mint"},
	{"ID010", SevWarning, "a 0.0.1 id holds a raw ':', '|' or '%' in a free-text part and may be read in two ways", "membench migrate --to 0.1.0 escapes it"},
	{"ID012", SevWarning, "a 0.0.1 id can be read in several ways; the first was taken", "migrate the claims together with the graph"},
	{"ID020", SevError, "the id is longer than 4,000 bytes", "shorten the name it is made of; the element is left out of the graph"},
	{"JSON001", SevError, "the line is not JSON", "correct the line"},
	{"JSON002", SevError, "a value has another type than its reader needs", "correct the value"},
	{"JSON003", SevError, "the line is longer than the limit and was skipped", "raise --max-line if the line is meant to be so long"},
	{"JSON004", SevError, "a name occurs twice in one object", "remove one; the last one counts"},
	{"JSON005", SevError, "a string is not UTF-8", "write the file as UTF-8"},
	{"JSON006", SevError, "an escape is half of a surrogate pair", "write the character itself, or both halves"},
	{"JSON007", SevError, "NaN or Infinity: JSON has no such numbers", "write null or leave the member out (Python: allow_nan=False)"},
	{"JSON008", SevError, "values are nested too deeply", "flatten the value"},
	{"JSON009", SevError, "the line ends inside a value", "the writer was stopped: write the line again"},
	{"JSON010", SevError, "there is text after the value", "one JSON value a line"},
	{"JSON011", SevError, "a number fits no reader", "write it as a string"},
	{"JSON012", SevError, "a raw control character stands in a string", "escape it"},
	{"LNK001", SevError, "a claim rests on a memory that is not among the given exports", "give the export too, or remove the evidence"},
	{"LNK002", SevError, "quoted evidence is not the memory's text", "quote the memory's data unchanged"},
	{"LNK003", SevError, "a memory names a turn that its conversation does not have", "correct payload.events"},
	{"LNK004", SevWarning, "a claim speaks of an entity that is not among the given files", "write an entity line for it"},
	{"LNK005", SevError, "a claim is superseded by one that is not among the given files", "correct superseded_by"},
	{"LNK006", SevError, "evidence joins a memory with a point that does not hold it", "take point and memory from one export line"},
	{"LNK007", SevError, "a probe result names a probe that no given turn puts", "give the events that were probed"},
	{"MAN001", SevError, "a file that the manifest lists is missing or has other bytes", "run the step again"},
	{"MAN002", SevError, "the manifest names a schema version that is not published", "see membench version"},
	{"MEM001", SevBoth, "hash is not the md5 of data (0.0.1: warning)", "recompute it over the UTF-8 bytes of data"},
	{"MEM002", SevWarning, "the memory has no hash", "add the md5 of data; 0.0.1 then keys it by point"},
	{"MEM003", SevError, "one hash stands for two texts", "recompute the hashes"},
	{"MEM004", SevWarning, "the memory has no text", "leave it out of the export"},
	{"MEM005", SevWarning, "an instant lies before the one it must follow", "check the clocks of the exporter"},
	{"MEM006", SevError, "a point occurs twice in one export", "export again; keep one of the lines"},
	{"MEM007", SevError, "hits of a probe are not ranked 1, 2, 3 …, or are more than k", "write hits best first, at most k"},
	{"MEM010", SevWarning, "a payload cannot be read and was passed on as it is", "correct the payload"},
	{"MEM101", SevError, "a memory without a payload was left out", "export it again"},
	{"MEM102", SevError, "a payload cannot be read; the memory was left out", "correct the member that the finding names"},
	{"MEM103", SevError, "a memory without a text was left out", "fill payload.data"},
	{"MEM104", SevError, "a memory without an id was left out", "fill id"},
	{"MEM105", SevError, "a memory belongs to nobody and was left out", "fill owner_id, user_id, agent_id or character_id"},
	{"SCH001", SevError, "the value has the wrong JSON type", "see membench schema show"},
	{"SCH002", SevError, "a required member is missing", "see membench schema show"},
	{"SCH003", SevError, "the value is not one of those allowed", "see membench schema show"},
	{"SCH004", SevError, "the string does not match its pattern", "see membench schema show"},
	{"SCH005", SevError, "the string does not have its format", "see membench schema show"},
	{"SCH006", SevError, "a length, count or number is out of range", "see membench schema show"},
	{"SCH007", SevError, "the value breaks another rule of the schema", "see membench schema show"},
	{"SCH010", SevError, "the kind of the record cannot be told", "name it with --kind"},
	{"SCH011", SevError, "records of this kind do not exist in this version", "name the version with --input-version"},
	{"SCH020", SevWarning, "the value exists in the wild but not in the documented format", "migrate, or leave it"},
	{"SRC001", SevWarning, "bytes of a source are not UTF-8 and were read as U+FFFD", "save the file as UTF-8"},
	{"SRC002", SevWarning, "a chapter's ```text fence is missing or not closed", "add it"},
	{"SRC003", SevError, "text outside the fence was left out", "move it inside"},
	{"SRC004", SevBoth, "a header is repeated, empty or too late (unknown: warning)", "see docs/sources.md"},
	{"SRC005", SevError, "a marker is unknown or malformed", "see docs/sources.md"},
	{"SRC006", SevError, "an utterance without text was left out", "write its text or remove the line"},
	{"SRC007", SevWarning, "the speaker cannot be told; the event has role ui and meta.uncertain", "name the speaker: --character-name, --user-name"},
	{"SRC008", SevWarning, "a raw chapter without any label was taken as the character's monologue", "label the lines"},
	{"SRC009", SevError, "a probe or inject id is used twice, or an expected inject is not there", "correct the markers"},
	{"SRC010", SevError, "a message, attachment or index entry is not as the format says; left out", "see docs/sources.md"},
	{"SRC011", SevWarning, "a time cannot be read and was left out", "write RFC 3339"},
	{"SRC012", SevWarning, "an attachment cannot be kept as it is", "link to the file instead of embedding it"},
	{"SRC013", SevError, "the file's format cannot be told, or the file is too large", "name it with --format, or split it"},
	{"SRC014", SevError, "a source without any utterance", "add one, or take the file out"},
	{"SRC015", SevWarning, "a member of the source collides with one of ours in meta; left out", "rename it"},
	{"SRC020", SevError, "the index names a file that is not there", "make a new index with membench index"},
	{"SRC021", SevWarning, "a chapter has no norm file", "the raw file is read"},
	{"SRC022", SevError, "two sources for one conversation; the second was left out", "give one of them another name or @conv_id"},
	{"SRC023", SevWarning, "a Markdown file's name is no chapter's", "name it chNN_<slug>.md"},
	{"SRC024", SevWarning, "events of a conversation that the index does not list", "add it to the index"},
	{"SRC101", SevWarning, "a path is absolute or uses backslashes", "write it relative with '/'"},
	{"SRC102", SevError, "a span ends before it starts", "correct start_line and end_line"},
	{"SRC103", SevError, "a chapter stands in the index twice", "keep one entry"},
	{"SRC104", SevWarning, "the chapters of the index are not sorted by number", "membench index writes them sorted"},
}
