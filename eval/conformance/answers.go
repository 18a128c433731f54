package conformance

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"membench/eval/protocol"
	"membench/internal/codec"
	"membench/internal/nltk"
)

// checks lists the vector files that are known.
func checks() []check {
	const locomo, lme = "snap-research/locomo@92286325 task_eval/evaluation.py", "xiaowu0162/LongMemEval@9e0b455f src/"
	const mab = "HUST-AI-HYZ/MemoryAgentBench@455306dc utils/eval_other_utils.py"
	return []check{
		{"nltk_porter", []string{"locomo-f1", "rouge-l", "mab"}, "NLTK 3.10.4 PorterStemmer, NLTK_EXTENSIONS (3.8.1 stems alike)", rowsOf(porter)},
		{"locomo_f1", []string{"locomo-f1"}, locomo + ", NLTK 3.10.4, regex 2026.11.15", rowsOf(locomoF1)},
		{"locomo_evidence_recall", []string{"locomo-recall"}, locomo, rowsOf(locomoRecall)},
		{"mem0_2025", []string{"mem0-2025-f1", "bleu1"}, "mem0ai/mem0@b3ede5b7 evaluation/metrics/utils.py, NLTK 3.9.1 (punkt_tab English)", rowsOf(mem0)},
		{"lme_retrieval", []string{"lme-retrieval"}, lme + "retrieval/eval_utils.py, NumPy 1.26.4", rowsOf(lmeRetrieval)},
		{"lme_judge_prompt", []string{"lme-official"}, lme + "evaluation/evaluate_qa.py", rowsOf(lmePrompt)},
		{"lme_route_label", []string{"lme-official"}, lme + "evaluation/evaluate_qa.py", rowsOf(lmeRoute)},
		{"mab_metrics", []string{"mab", "mab-substring", "squad-em", "rouge-l"}, mab + ", rouge_score 0.1.2, NLTK 3.9.1", rowsOf(mabMetrics)},
		{"mab_recsys", []string{"mab-recsys"}, mab + ", editdistance 0.8.1", rowsOf(mabRecsys)},
		{"mab_chunks", []string{"mab-chunks"}, mab + " chunk_text_into_sentences, NLTK 3.9.1, tiktoken o200k_base", rowsOf(mabChunks)},
		{"bm25", []string{"bm25-okapi", "bm25-lucene"}, "rank_bm25 0.2.2 BM25Okapi; bm25s 0.3.16 lucene", rowsOf(bm25Check)},
		{"stats_wilson", []string{"wilson", "clopper-pearson"}, "statsmodels 0.15.0, SciPy 1.17.1", rowsOf(wilson)},
		{"stats_mcnemar", []string{"mcnemar"}, "statsmodels 0.15.0", rowsOf(mcnemar)},
		{"stats_holm", []string{"holm", "benjamini-hochberg", "bonferroni"}, "statsmodels 0.15.0", rowsOf(holm)},
		{"stats_kappa", []string{"cohen-kappa", "fleiss-kappa"}, "statsmodels 0.15.0", rowsOf(kappa)},
		{"stats_percentile", []string{"percentile"}, "NumPy 2.4.6", rowsOf(percentile)},
	}
}

type porterRow struct {
	Word string `json:"word"`
	Stem string `json:"stem"`
}

func porter(s *suite, r porterRow) error {
	s.same("stem", nltk.Stem(r.Word), r.Stem)
	return nil
}

type locomoF1Row struct {
	Src       string   `json:"src"`
	Ref       *ref     `json:"ref"`
	Category  int      `json:"category"`
	Pred      string   `json:"pred"`
	Gold      text     `json:"gold"`
	Official  float64  `json:"official"`
	Single    float64  `json:"f1_single"`
	Multi     float64  `json:"f1_multi"`
	EM        bool     `json:"em_set"`
	NPred     int      `json:"n_pred"`
	NGold     int      `json:"n_gold"`
	PredNorm  *string  `json:"pred_norm"`
	GoldNorm  *string  `json:"gold_norm"`
	PredStems []string `json:"pred_stems"`
	GoldStems []string `json:"gold_stems"`
}

func locomoF1(s *suite, r locomoF1Row) error {
	if ok, err := s.given(r.Ref, &r.Pred, &r.Gold); !ok || err != nil {
		return err
	}
	cut := protocol.LocomoGold(r.Category, string(r.Gold))
	p, g := protocol.LocomoStems(r.Pred), protocol.LocomoStems(cut)
	s.num("official", protocol.LocomoScore(r.Category, r.Pred, string(r.Gold)), r.Official)
	s.num("f1_single", protocol.LocomoF1(r.Pred, cut), r.Single)
	s.num("f1_multi", protocol.LocomoListF1(r.Pred, cut), r.Multi)
	s.same("em_set", protocol.LocomoEM(r.Pred, cut), r.EM)
	s.same("n_pred", len(p), r.NPred)
	s.same("n_gold", len(g), r.NGold)
	if r.PredNorm != nil && r.GoldNorm != nil {
		s.same("pred_norm", protocol.LocomoNormalize(r.Pred), *r.PredNorm)
		s.same("gold_norm", protocol.LocomoNormalize(cut), *r.GoldNorm)
		s.same("pred_stems", p, r.PredStems)
		s.same("gold_stems", g, r.GoldStems)
	}
	return nil
}

type locomoRecallRow struct {
	Evidence  []string  `json:"evidence"`
	Retrieved *[]string `json:"retrieved"`
	Recall    any       `json:"recall"`
}

func locomoRecall(s *suite, r locomoRecallRow) error {
	have, err := 1.0, error(nil) // upstream's value if the retrieval is unknown
	if r.Retrieved != nil {
		have, err = protocol.LocomoRecall(r.Evidence, *r.Retrieved)
	}
	switch want := r.Recall.(type) {
	case float64:
		if err != nil {
			s.fail("recall", err.Error(), fmt.Sprint(want))
			return nil
		}
		s.num("recall", have, want)
	case string:
		if err == nil {
			s.fail("recall", fmt.Sprint(have), want)
		}
	default:
		return fmt.Errorf("recall is %v: want a number or a text", r.Recall)
	}
	return nil
}

type mem0Row struct {
	Ref        *ref     `json:"ref"`
	Pred       string   `json:"pred"`
	Gold       text     `json:"gold"`
	EM         float64  `json:"exact_match"`
	F1         float64  `json:"f1"`
	Evals      float64  `json:"evals_bleu1"`
	BLEU1      float64  `json:"bleu1"`
	BLEU2      float64  `json:"bleu2"`
	BLEU3      float64  `json:"bleu3"`
	BLEU4      float64  `json:"bleu4"`
	NPred      int      `json:"n_pred_tok"`
	NGold      int      `json:"n_gold_tok"`
	PredTokens []string `json:"pred_tokens"`
	GoldTokens []string `json:"gold_tokens"`
}

func mem0(s *suite, r mem0Row) error {
	if ok, err := s.given(r.Ref, &r.Pred, &r.Gold); !ok || err != nil {
		return err
	}
	em := 0.0
	if protocol.Mem0EM(r.Pred, string(r.Gold)) {
		em = 1
	}
	s.num("exact_match", em, r.EM)
	s.num("f1", protocol.Mem0F1(r.Pred, string(r.Gold)), r.F1)
	s.num("evals_bleu1", protocol.BLEU1(r.Pred, string(r.Gold)), r.Evals)
	for i, want := range []float64{r.BLEU1, r.BLEU2, r.BLEU3, r.BLEU4} {
		s.num(fmt.Sprintf("bleu%d", i+1), protocol.Mem0BLEU(i+1, r.Pred, string(r.Gold)), want)
	}
	p, g := protocol.Mem0Tokens(r.Pred), protocol.Mem0Tokens(string(r.Gold))
	s.same("n_pred_tok", len(p), r.NPred)
	s.same("n_gold_tok", len(g), r.NGold)
	if r.Ref == nil {
		s.same("pred_tokens", p, r.PredTokens)
		s.same("gold_tokens", g, r.GoldTokens)
	}
	return nil
}

type lmeRetrievalRow struct {
	Kind    string                        `json:"kind"`
	Corpus  []string                      `json:"corpus_ids"`
	Correct []string                      `json:"correct_docs"`
	Ranking []int                         `json:"ranking"`
	Metrics map[string]protocol.Retrieval `json:"metrics"`
	Rollup  map[string]protocol.Retrieval `json:"session_rollup"`
}

func lmeRetrieval(s *suite, r lmeRetrievalRow) error {
	hold := func(name string, want map[string]protocol.Retrieval, f func(corpus, correct []string, ranking []int, k int) (protocol.Retrieval, error)) error {
		for _, key := range slices.Sorted(maps.Keys(want)) {
			k, err := strconv.Atoi(key)
			if err != nil {
				return err
			}
			have, err := f(r.Corpus, r.Correct, r.Ranking, k)
			if err != nil {
				return err
			}
			s.num(name+"/"+key+"/recall_any", have.RecallAny, want[key].RecallAny)
			s.num(name+"/"+key+"/recall_all", have.RecallAll, want[key].RecallAll)
			s.num(name+"/"+key+"/ndcg_any", have.NDCG, want[key].NDCG)
		}
		return nil
	}
	if err := hold("metrics", r.Metrics, protocol.LMERetrieval); err != nil {
		return err
	}
	return hold("session_rollup", r.Rollup, protocol.LMERollup)
}

type lmePromptRow struct {
	Type       string          `json:"question_type"`
	Abstention bool            `json:"abstention"`
	Question   string          `json:"question"`
	Answer     json.RawMessage `json:"answer"`
	Response   string          `json:"response"`
	Template   string          `json:"template"`
	SHA        string          `json:"prompt_sha256"`
	Bytes      int             `json:"prompt_bytes"`
}

// lmePrompt checks the routing of each row with our own words, and the rendered prompt if the user's copy of the original is available.
func lmePrompt(s *suite, r lmePromptRow) error {
	kind, ok := protocol.LMERoute(r.Type, r.Abstention)
	if strings.HasPrefix(r.SHA, "raises") {
		s.same("route", ok, false)
		return nil
	}
	if !ok {
		s.fail("route", "no prompt for "+r.Type, "template "+r.Template)
		return nil
	}
	// One template, one of our kinds, and the other way round.
	kinds, _ := s.cache["kinds"].(map[string]string)
	if kinds == nil {
		kinds = map[string]string{}
		s.cache["kinds"] = kinds
	}
	for _, pair := range [][2]string{{"t" + r.Template, kind}, {"k" + kind, r.Template}} {
		if have := kinds[pair[0]]; have == "" {
			kinds[pair[0]] = pair[1]
		} else {
			s.same("route", pair[1], have)
		}
	}
	t := s.o.Prompts.Original("lme-official", kind)
	if t == nil {
		s.skip("the original's prompts (--prompt-file lme-official=evaluate_qa.py)")
		return nil
	}
	answer, err := flat(r.Answer)
	if err != nil || len(answer) != 1 {
		return fmt.Errorf("answer %s: want one text", r.Answer)
	}
	s.same("template", t.Hash()[:12], r.Template)
	text := t.Render(r.Question, answer[0], r.Response)
	sum := sha256.Sum256([]byte(text))
	s.same("prompt_bytes", len(text), r.Bytes)
	s.same("prompt_sha256", hex.EncodeToString(sum[:]), r.SHA)
	return nil
}

type lmeRouteRow struct {
	QuestionID *string `json:"question_id"`
	Abstention bool    `json:"abstention"`
	Reply      *string `json:"reply"`
	Label      bool    `json:"label"`
}

func lmeRoute(s *suite, r lmeRouteRow) error {
	if r.QuestionID != nil {
		s.same("abstention", protocol.LMEAbstention(*r.QuestionID), r.Abstention)
	}
	if r.Reply != nil {
		s.same("label", protocol.LMELabel(*r.Reply), r.Label)
	}
	return nil
}

type mabMetricsRow struct {
	Subset   string            `json:"sub_dataset"`
	Ref      *ref              `json:"ref"`
	Pred     string            `json:"pred"`
	Golds    json.RawMessage   `json:"golds"`
	Raw      map[string]number `json:"raw"`
	Post     map[string]number `json:"post"`
	Parsed   *string           `json:"parsed"`
	SHA      string            `json:"parsed_sha256"`
	NormPred *string           `json:"norm_pred"`
	NormGold []string          `json:"norm_gold"`
}

func mabMetrics(s *suite, r mabMetricsRow) error {
	var golds []string
	var err error
	if r.Ref != nil {
		var ok bool
		if r.Pred, golds, ok, err = s.pair(*r.Ref); !ok || err != nil {
			return err
		}
	} else if golds, err = flat(r.Golds); err != nil {
		return err
	}
	elements := golds
	if len(r.Golds) > 0 && r.Golds[0] == '"' {
		elements = letters(golds[0])
	}
	hold := func(name string, have map[string]float64, want map[string]number) {
		if math.IsNaN(float64(want["raises"])) {
			// The original fails; without a gold so do we, on lists of lists (eventqa) we continue.
			s.same(name, have == nil, len(golds) == 0)
			return
		}
		for _, k := range slices.Sorted(maps.Keys(want)) {
			s.num(name+"/"+k, have[k], float64(want[k]))
		}
		s.same(name, slices.Sorted(maps.Keys(have)), slices.Sorted(maps.Keys(want)))
	}
	hold("raw", protocol.MABMetrics(r.Pred, golds), r.Raw)
	hold("post", protocol.MABPost(r.Subset, r.Pred, golds, elements), r.Post)
	parsed := protocol.MABParse(r.Pred)
	if r.Parsed != nil {
		s.same("parsed", parsed, *r.Parsed)
	}
	if r.SHA != "" {
		sum := sha256.Sum256([]byte(parsed))
		s.same("parsed_sha256", hex.EncodeToString(sum[:]), r.SHA)
	}
	if r.NormPred != nil {
		s.same("norm_pred", protocol.SquadNormalize(r.Pred), *r.NormPred)
	}
	for i, want := range r.NormGold {
		if i < len(golds) {
			s.same("norm_gold", protocol.SquadNormalize(golds[i]), want)
		}
	}
	return nil
}

// text is a JSON text, or a number as Python's str prints it.
type text string

func (t *text) UnmarshalJSON(b []byte) error {
	f, err := flat(b)
	if err == nil && len(f) != 1 {
		err = fmt.Errorf("value %s: want one text", b)
	}
	if err == nil {
		*t = text(f[0])
	}
	return err
}

// number is a JSON number or a truth value.
type number float64

func (n *number) UnmarshalJSON(b []byte) error {
	switch string(b) {
	case "true":
		*n = 1
	case "false":
		*n = 0
	case `"ValueError"`, `"AttributeError"`, `"ZeroDivisionError"`:
		*n = number(math.NaN()) // the original raises an exception
	default:
		f, err := strconv.ParseFloat(string(b), 64)
		if err != nil {
			return err
		}
		*n = number(f)
	}
	return nil
}

type mabRecsysRow struct {
	Pred          string    `json:"pred"`
	Gold          []string  `json:"gold_ids"`
	At1           float64   `json:"recsys_recall@1"`
	At5           float64   `json:"recsys_recall@5"`
	At10          float64   `json:"recsys_recall@10"`
	Parsed        []*string `json:"parsed"`
	MetricsStable bool      `json:"metrics_stable"`
}

func mabRecsys(s *suite, r mabRecsysRow) error {
	e, ok := s.cache["entities"].(*protocol.Entities)
	if !ok {
		b, err := fs.ReadFile(s.golden, "mab_recsys.entity2id.json")
		if err != nil {
			s.skip("mab_recsys.entity2id.json beside the vectors")
			return nil
		}
		byName := map[string]int{}
		if err := codec.Unmarshal(b, &byName); err != nil {
			return err
		}
		e = protocol.NewEntities(byName)
		s.cache["entities"] = e
	}
	var gold []int
	for _, g := range r.Gold {
		id, err := strconv.Atoi(strings.TrimSpace(g))
		if err != nil {
			return err
		}
		gold = append(gold, id)
	}
	names, _ := e.Recommended(r.Pred)
	s.same("titles", len(names), len(r.Parsed))
	for i, want := range r.Parsed {
		if want != nil && i < len(names) { // null: the original's choice hangs on the hash seed
			s.same(fmt.Sprintf("parsed/%d", i), names[i], *want)
		}
	}
	if r.MetricsStable {
		s.num("recsys_recall@1", e.Recall(names, gold, 1), r.At1)
		s.num("recsys_recall@5", e.Recall(names, gold, 5), r.At5)
		s.num("recsys_recall@10", e.Recall(names, gold, 10), r.At10)
	}
	return nil
}
