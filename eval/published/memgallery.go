package published

import (
	"fmt"

	"membench/datasets"
	"membench/internal/codec"
	"membench/schema"
)

func memgalleryFormats() []Format {
	return []Format{{
		Name: "memgallery-results", Verified: true, dataset: "memgallery", where: "[]",
		About:  "NAME_results.json: sample_id, question, system_answer, original_answer (the gold), category, retrieved_ids, clue",
		Origin: "YuanchenBei/Mem-Gallery benchmark/result_debug",
		match:  func(h head) bool { return h.shape == '[' && h.has("system_answer", "original_answer", "retrieved_ids") },
		row:    memgalleryRow,
	}}
}

func memgalleryRow(f *file, r row) (schema.QARecord, error) {
	var v struct {
		Sample    string          `json:"sample_id"`
		Question  string          `json:"question"`
		Answer    datasets.Scalar `json:"system_answer"`
		Gold      datasets.Scalar `json:"original_answer"`
		Category  string          `json:"category"`
		Retrieved []string        `json:"retrieved_ids"`
		Clue      []string        `json:"clue"`
	}
	if err := r.decode(&v); err != nil {
		return schema.QARecord{}, err
	}
	category := datasets.CategoryIn("memgallery", v.Category)
	if category == "" || v.Sample == "" {
		return schema.QARecord{}, r.lacks("category")
	}
	q := schema.QARecord{CaseID: v.Sample, QuestionID: fmt.Sprintf("%s/qa/%d", v.Sample, r.index), Question: v.Question, Gold: v.Gold.Text, Answer: v.Answer.Text, Category: category, RawCategory: v.Category,
		Abstain: category == schema.CatABS, EvidenceIDs: v.Clue, K: len(v.Retrieved)}
	for i, id := range v.Retrieved {
		q.Hits = append(q.Hits, schema.QAHit{Rank: i + 1, ID: schema.PointID(id)})
	}
	return q, nil
}

// memGalleryClaims reads NAME_evaluate_result.json, which is in the results' folder.
func memGalleryClaims(b []byte) ([]Claim, error) {
	var v struct {
		Overall map[string]float64 `json:"avg_overall_metrics_final"`
		EM      []bool             `json:"overall_em"`
	}
	if err := codec.Unmarshal(b, &v); err != nil {
		return nil, err
	}
	var out []Claim
	for _, name := range sortedNames(v.Overall) {
		out = append(out, Claim{Source: "avg_overall_metrics_final " + name, Protocol: "any", Value: v.Overall[name], Decimals: 9, N: len(v.EM)})
	}
	return out, nil
}
