package conformance

import (
	"cmp"
	"fmt"
	"io/fs"
	"maps"
	"math"
	"regexp"
	"slices"
	"strings"

	"membench/internal/bm25"
	"membench/internal/codec"
	"membench/internal/stats"
)

// null is a number that may be null (not a number) or the text "Infinity".
type null float64

func (n *null) UnmarshalJSON(b []byte) error {
	switch string(b) {
	case "null":
		*n = null(math.NaN())
		return nil
	case `"Infinity"`:
		*n = null(math.Inf(1))
		return nil
	}
	var v number
	err := v.UnmarshalJSON(b)
	*n = null(v)
	return err
}

type wilsonRow struct {
	K        int        `json:"k"`
	N        int        `json:"n"`
	Wilson95 [2]float64 `json:"wilson95"`
	Wilson99 [2]float64 `json:"wilson99"`
	Wilson90 [2]float64 `json:"wilson90"`
	CC       [2]float64 `json:"wilsoncc95"`
	Exact    [2]float64 `json:"clopper_pearson95"`
}

func wilson(s *suite, r wilsonRow) error {
	if r.N <= 0 || r.K < 0 || r.K > r.N {
		return fmt.Errorf("%d of %d is not a proportion", r.K, r.N)
	}
	hold := func(field string, have stats.Interval, want [2]float64) {
		s.num(field+"/low", have.Lo, want[0])
		s.num(field+"/high", have.Hi, want[1])
	}
	hold("wilson95", stats.Wilson(r.K, r.N, .95), r.Wilson95)
	hold("wilson99", stats.Wilson(r.K, r.N, .99), r.Wilson99)
	hold("wilson90", stats.Wilson(r.K, r.N, .90), r.Wilson90)
	hold("wilsoncc95", stats.WilsonCC(r.K, r.N, .95), r.CC)
	hold("clopper_pearson95", stats.ClopperPearson(r.K, r.N, .95), r.Exact)
	return nil
}

type mcnemarRow struct {
	B         int     `json:"b"`
	C         int     `json:"c"`
	Exact     float64 `json:"exact_p"`
	Corrected [2]null `json:"chi2_corrected"`
	Chi2      [2]null `json:"chi2"`
	MidP      float64 `json:"midp"`
}

func mcnemar(s *suite, r mcnemarRow) error {
	if r.B < 0 || r.C < 0 {
		return fmt.Errorf("counts %d and %d: want none below 0", r.B, r.C)
	}
	have := stats.McNemar(r.B, r.C)
	s.num("exact_p", have.Exact, r.Exact)
	s.num("midp", have.MidP, r.MidP)
	if r.B+r.C == 0 {
		// The original gives ∞ and p 0, which is nonsense: nothing is discordant.
		s.num("chi2_corrected/p", have.CorrectedP, 1)
		return nil
	}
	s.num("chi2_corrected/stat", have.Corrected, float64(r.Corrected[0]))
	s.num("chi2_corrected/p", have.CorrectedP, float64(r.Corrected[1]))
	s.num("chi2/stat", have.Chi2, float64(r.Chi2[0]))
	s.num("chi2/p", have.Chi2P, float64(r.Chi2[1]))
	return nil
}

type holmRow struct {
	P          []float64 `json:"p"`
	Holm       []float64 `json:"holm_adj"`
	Reject     []bool    `json:"holm_reject"`
	BH         []float64 `json:"bh_adj"`
	Bonferroni []float64 `json:"bonferroni_adj"`
}

func holm(s *suite, r holmRow) error {
	if len(r.Holm) != len(r.P) || len(r.Reject) != len(r.P) || len(r.BH) != len(r.P) || len(r.Bonferroni) != len(r.P) {
		return fmt.Errorf("lists of %d, %d, %d, %d and %d values: want one length", len(r.P), len(r.Holm), len(r.Reject), len(r.BH), len(r.Bonferroni))
	}
	h, bh, bf := stats.Holm(r.P), stats.BenjaminiHochberg(r.P), stats.Bonferroni(r.P)
	for i := range r.P {
		s.num(fmt.Sprintf("holm_adj/%d", i), h[i], r.Holm[i])
		s.same(fmt.Sprintf("holm_reject/%d", i), h[i] <= .05, r.Reject[i])
		s.num(fmt.Sprintf("bh_adj/%d", i), bh[i], r.BH[i])
		s.num(fmt.Sprintf("bonferroni_adj/%d", i), bf[i], r.Bonferroni[i])
	}
	return nil
}

type kappaRow struct {
	Type     string  `json:"type"`
	Table    [][]int `json:"table"`
	Counts   [][]int `json:"counts"`
	Kappa    null    `json:"kappa"`
	Std      null    `json:"std_kappa"`
	Low      null    `json:"kappa_low"`
	High     null    `json:"kappa_upp"`
	Randolph null    `json:"randolph"`
}

func kappa(s *suite, r kappaRow) error {
	switch r.Type {
	case "cohen":
		for _, row := range r.Table {
			if len(row) != len(r.Table) {
				return fmt.Errorf("table is not square")
			}
		}
		k := stats.Cohen(r.Table, .95)
		s.num("kappa", k.K, float64(r.Kappa))
		if !math.IsNaN(float64(r.Kappa)) {
			s.num("std_kappa", k.SE, float64(r.Std))
			s.num("kappa_low", k.CI.Lo, float64(r.Low))
			s.num("kappa_upp", k.CI.Hi, float64(r.High))
		}
	case "fleiss":
		k, randolph := stats.Fleiss(r.Counts)
		s.num("kappa", k, float64(r.Kappa))
		s.num("randolph", randolph, float64(r.Randolph))
	default:
		return fmt.Errorf("type is %q: want cohen or fleiss", r.Type)
	}
	return nil
}

type percentileRow struct {
	Values []float64       `json:"values"`
	Linear map[string]null `json:"linear"`
	Mean   null            `json:"mean"`
	Median null            `json:"median"`
	Pop    null            `json:"std_pop"`
	Sample null            `json:"std_sample"`
}

func percentile(s *suite, r percentileRow) error {
	for _, q := range slices.Sorted(maps.Keys(r.Linear)) {
		var at number
		if err := at.UnmarshalJSON([]byte(q)); err != nil {
			return err
		}
		s.num("linear/"+q, stats.Percentile(r.Values, float64(at)), float64(r.Linear[q]))
	}
	s.num("mean", stats.Mean(r.Values), float64(r.Mean))
	s.num("median", stats.Percentile(r.Values, 50), float64(r.Median))
	s.num("std_pop", stats.StdPopulation(r.Values), float64(r.Pop))
	s.num("std_sample", stats.StdSample(r.Values), float64(r.Sample))
	return nil
}

// bm25Corpus are the documents of the BM25 vectors and the questions of their
// conversation: LoCoMo text, which is read from the data.
type bm25Corpus struct {
	alnum, spaced [][]string
	questions     []string
}

var alnum = regexp.MustCompile(`[a-z0-9]+`)

func alnumTerms(s string) []string { return alnum.FindAllString(strings.ToLower(s), -1) }

func readBM25Corpus(s *suite) (*bm25Corpus, error) {
	if c, ok := s.cache["corpus"].(*bm25Corpus); ok {
		return c, nil
	}
	b, err := fs.ReadFile(s.golden, "bm25.corpus.json")
	if err != nil {
		s.skip("bm25.corpus.json beside the vectors")
		return nil, nil
	}
	var head struct {
		File     string   `json:"file"`
		SampleID string   `json:"sample_id"`
		DiaIDs   []string `json:"dia_ids"`
	}
	if err := codec.Unmarshal(b, &head); err != nil {
		return nil, err
	}
	if s.o.Data == nil {
		s.skip("locomo (--data)")
		return nil, nil
	}
	if b, err = fs.ReadFile(s.o.Data, head.File); err != nil {
		s.skip(head.File)
		return nil, nil
	}
	var samples []struct {
		SampleID     string               `json:"sample_id"`
		Conversation map[string]jsonValue `json:"conversation"`
		QA           []struct {
			Question string `json:"question"`
		} `json:"qa"`
	}
	if err := codec.Unmarshal(b, &samples); err != nil {
		return nil, fmt.Errorf("%s: %w", head.File, err)
	}
	text := map[string]string{}
	c := &bm25Corpus{}
	for _, x := range samples {
		if x.SampleID != head.SampleID {
			continue
		}
		for name, session := range x.Conversation {
			if !strings.HasPrefix(name, "session_") || strings.HasSuffix(name, "_date_time") {
				continue
			}
			var turns []struct {
				ID   string `json:"dia_id"`
				Text string `json:"text"`
			}
			if err := codec.Unmarshal(session, &turns); err != nil {
				return nil, fmt.Errorf("%s: %s: %w", head.File, name, err)
			}
			for _, t := range turns {
				text[t.ID] = t.Text
			}
		}
		for _, q := range x.QA {
			c.questions = append(c.questions, q.Question)
		}
	}
	for _, id := range head.DiaIDs {
		c.alnum = append(c.alnum, alnumTerms(text[id]))
		c.spaced = append(c.spaced, strings.Split(text[id], " "))
	}
	s.cache["corpus"] = c
	return c, nil
}

type jsonValue []byte

func (v *jsonValue) UnmarshalJSON(b []byte) error { *v = slices.Clone(b); return nil }

type bm25CheckRow struct {
	QA       int          `json:"qa_index"`
	Terms    int          `json:"query_tokens"`
	Okapi    [][2]float64 `json:"okapi_rank_bm25"`
	Lucene12 [][2]float64 `json:"lucene_k1_1.2"`
	Lucene15 [][2]float64 `json:"lucene_k1_1.5"`
	Spaced   [][2]float64 `json:"okapi_space_lme"`
}

func bm25Check(s *suite, r bm25CheckRow) error {
	c, err := readBM25Corpus(s)
	if c == nil || err != nil {
		return err
	}
	if r.QA < 0 || r.QA >= len(c.questions) {
		return fmt.Errorf("question %d of %d", r.QA, len(c.questions))
	}
	q := c.questions[r.QA]
	terms := alnumTerms(q)
	s.same("query_tokens", len(terms), r.Terms)
	hold := func(field string, v bm25.Variant, k1 float64, docs [][]string, query []string, want [][2]float64) {
		scores := bm25.NewRanker(v, k1, 0.75, docs).Scores(query)
		order := make([]int, len(scores))
		for i := range order {
			order[i] = i
		}
		// The vectors hold nine digits: smaller differences are ties there.
		slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(math.Round(scores[b]*1e9), math.Round(scores[a]*1e9)) })
		for i, w := range want {
			if i >= len(order) {
				s.fail(field, fmt.Sprint(len(order), " documents"), fmt.Sprint(len(want)))
				return
			}
			s.same(fmt.Sprintf("%s/%d/doc", field, i), order[i], int(w[0]))
			s.near(fmt.Sprintf("%s/%d/score", field, i), scores[order[i]], w[1], 1e-6)
		}
	}
	hold("okapi_rank_bm25", bm25.Okapi, 1.5, c.alnum, terms, r.Okapi)
	hold("lucene_k1_1.2", bm25.Lucene, 1.2, c.alnum, terms, r.Lucene12)
	hold("lucene_k1_1.5", bm25.Lucene, 1.5, c.alnum, terms, r.Lucene15)
	hold("okapi_space_lme", bm25.Okapi, 1.5, c.spaced, strings.Split(q, " "), r.Spaced)
	return nil
}
