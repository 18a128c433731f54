package datasets

import (
	"slices"
	"strings"

	"membench/schema"
)

// labels are the accepted words for categories in addition to the codes.
var labels = map[string]string{
	"single_hop": schema.CatIE, "single-hop": schema.CatIE, "information_extraction": schema.CatIE, "ar": schema.CatIE, "accurate_retrieval": schema.CatIE,
	"multi_hop": schema.CatMR, "multi-hop": schema.CatMR, "multi_session": schema.CatMR, "multi-session": schema.CatMR,
	"temporal": schema.CatTR, "temporal_reasoning": schema.CatTR, "temporal-reasoning": schema.CatTR,
	"knowledge_update": schema.CatKU, "knowledge-update": schema.CatKU, "update": schema.CatKU,
	"abstention": schema.CatABS, "adversarial": schema.CatABS, "unanswerable": schema.CatABS,
	"conflict": schema.CatCR, "conflict_resolution": schema.CatCR, "open_domain": schema.CatOD, "open-domain": schema.CatOD,
	"test_time_learning": schema.CatTTL, "long_range_understanding": schema.CatLRU, "visual": schema.CatVIS,
}

// Category maps a label, in any case, to the common set; "" where it is unknown.
func Category(label string) string {
	if up := strings.ToUpper(label); slices.Contains(schema.Categories(), up) {
		return up
	}
	return labels[strings.ToLower(label)]
}
