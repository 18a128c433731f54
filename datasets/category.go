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
