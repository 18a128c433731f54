package datasets

import (
	"slices"
	"strings"

	"membench/schema"
)

// labels are the accepted words for categories in addition to the codes.
var labels = map[string]string{
	"single_hop": schema.CatIE, "information_extraction": schema.CatIE, "ar": schema.CatIE, "accurate_retrieval": schema.CatIE,
	"multi_hop": schema.CatMR, "multi_session": schema.CatMR,
	"temporal": schema.CatTR, "temporal_reasoning": schema.CatTR,
	"knowledge_update": schema.CatKU, "update": schema.CatKU,
	"abstention": schema.CatABS, "adversarial": schema.CatABS, "unanswerable": schema.CatABS,
	"conflict": schema.CatCR, "conflict_resolution": schema.CatCR, "open_domain": schema.CatOD,
	"test_time_learning": schema.CatTTL, "long_range_understanding": schema.CatLRU, "visual": schema.CatVIS,
}

// Category maps a label to the common set, whatever its case, and whether blanks, hyphens or underscores are between its words; "" where it is unknown.
func Category(label string) string {
	words := strings.FieldsFunc(strings.ToLower(label), func(r rune) bool { return strings.ContainsRune(" \t-_", r) })
	if up := strings.ToUpper(strings.Join(words, "_")); slices.Contains(schema.Categories(), up) {
		return up
	}
	return labels[strings.Join(words, "_")]
}

// own are the categories of a set's own names, by the set.
var own = map[string]map[string]string{
	// By the benchmark's code (task_eval/evaluation.py); half of the published tables name them otherwise.
	"locomo": {"1": schema.CatMR, "2": schema.CatTR, "3": schema.CatOD, "4": schema.CatIE, "5": schema.CatABS},
	"longmemeval": {
		"single-session-user": schema.CatIE, "single-session-assistant": schema.CatIE, "single-session-preference": schema.CatIE,
		"multi-session": schema.CatMR, "temporal-reasoning": schema.CatTR, "knowledge-update": schema.CatKU,
	},
	"halumem": {
		"Basic Fact Recall": schema.CatIE, "Multi-hop Inference": schema.CatMR, "Dynamic Update": schema.CatKU,
		"Memory Boundary": schema.CatABS, "Memory Conflict": schema.CatCR, "Generalization & Application": schema.CatOD,
	},
	// FR factual retrieval, VS and VR visual search and reasoning, TTL test-time learning, TR temporal and MR multi-entity reasoning, KR knowledge resolution,
	// CD conflict detection, AR answer refusal.
	"memgallery": {
		"FR": schema.CatIE, "MR": schema.CatMR, "TR": schema.CatTR, "TTL": schema.CatTTL, "VS": schema.CatVIS, "VR": schema.CatVIS,
		"CD": schema.CatCR, "KR": schema.CatKU, "AR": schema.CatABS,
	},
}

// CategoryIn maps a category of a set, by the set's own name for it, to the common set; "" where it is unknown.
func CategoryIn(set, name string) string { return own[set][name] }
