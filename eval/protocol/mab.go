package protocol

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"membench/internal/codec"
	"membench/internal/nltk"
	"membench/internal/pystr"
	"membench/schema"
)

const mabOrigin = "HUST-AI-HYZ/MemoryAgentBench@455306dc utils/eval_other_utils.py"

// mab is MemoryAgentBench with the headline metric of its paper for each subset, according to QARecord.Source.
func mab() *Protocol {
	return &Protocol{
		Name: "mab", Version: "1", Judges: []string{"memoryagentbench"}, Binary: true,
		Origin:  mabOrigin + " post_process, rouge_score 0.1.2, NLTK 3.9.1",
		Formula: "by sub-set, 0 or 1: exact match (icl_*, detective_qa), else gold contained in the answer; raw and parsed answer, the better counts (icl, eventqa: parsed alone)",
		Rule: func(r *schema.QARecord) schema.Grade {
			key := mabHeadline(r.Source)
			if key == "" {
				return NotApplicable(fmt.Sprintf("sub-set %q of MemoryAgentBench is scored by a model or needs the table of films (mab-summary, lme-official, mab-recsys)", r.Source))
			}
			return mabGrade(r, key)
		},
	}
}

// mabSubstring is the rule that most recorded MemoryAgentBench runs follow.
func mabSubstring() *Protocol {
	return &Protocol{
		Name: "mab-substring", Version: "1", Binary: true,
		Origin:  mabOrigin + " substring_exact_match",
		Formula: "1 if a gold is contained in the answer, raw or parsed, after SQuAD's normalisation, else 0, whatever the sub-set",
		Rule:    func(r *schema.QARecord) schema.Grade { return mabGrade(r, "substring_exact_match") },
	}
}

// mabRecsys is the recommendation sub-set. Without the table of films nothing of it can
// be graded.
func mabRecsys(e *Entities) *Protocol {
	return &Protocol{
		Name: "mab-recsys", Version: "1", Files: true,
		Origin:  mabOrigin + " recsys, editdistance 0.8.1; of titles as near to two names the first name in code-point order",
		Formula: "Recall@5 of the gold films among the titles of the answer's numbered list, each taken for the nearest name by edit distance, [0,1]; parts recall@1, @5, @10; needs entity2id.json",
		Rule: func(r *schema.QARecord) schema.Grade {
			switch {
			case !strings.Contains(r.Source+r.RawCategory, "recsys"):
				return NotApplicable("no question of MemoryAgentBench's recommendation sub-set")
			case e == nil:
				return NotApplicable("the table of films is missing: give entity2id.json with --entities")
			}
			var gold []int
			for _, g := range r.AllGolds() {
				id, err := strconv.Atoi(strings.TrimSpace(g))
				if _, known := e.ByID[id]; err != nil || !known {
					return NotApplicable(fmt.Sprintf("gold %q is not an id in the table of films", g))
				}
				gold = append(gold, id)
			}
			names, tie := e.Recommended(r.Answer)
			g := Scored(e.Recall(names, gold, 5))
			g.Parts = map[string]float64{"recall@1": e.Recall(names, gold, 1), "recall@5": *g.Score, "recall@10": e.Recall(names, gold, 10)}
			if tie {
				g.Reason = "a title is as near to two films: the first name was taken"
			}
			return g
		},
	}
}

// mabSummary is the judge of the summaries (infbench_sum): HELMET's rule in one call.
func mabSummary(pr *Prompts) *Protocol {
	return &Protocol{
		Name: "mab-summary", Version: "1",
		Origin:  mabOrigin + " llm_based_eval summarization (rule; the original asks three times, gpt-4o-2024-05-13; ours once, in our words)",
		Formula: "fluency (0 or 1) × F1 of key points covered by the summary and sentences of it that the gold summary supports, [0,1]; parts fluency, recall, precision; needs the key points (evidence_texts)",
		Judge: &Judge{
			Prompt: func(r *schema.QARecord) (Prompt, bool) {
				t := own("mab-summary")
				gold := "Key points, numbered:\n" + numbered(r.EvidenceTexts) + "\n\nExpert summary:\n" + r.Gold
				return Prompt{User: t.Render(r.Question, gold, numbered(nltk.SentTokenize(r.Answer))), JSON: true, Template: t.Hash()},
					strings.Contains(r.Source+r.RawCategory, "infbench_sum") && len(r.EvidenceTexts) > 0
			},
			Verdict: inObject("reason", summaryVerdict),
		},
	}
}

func summaryVerdict(r *schema.QARecord, o object) (schema.Grade, error) {
	var fluency float64
	if err := codec.Unmarshal(o["fluency"], &fluency); err != nil || fluency != 0 && fluency != 1 {
		return schema.Grade{}, fmt.Errorf("fluency is %s: want 0 or 1", o["fluency"])
	}
	sentences := len(nltk.SentTokenize(r.Answer))
	covered, err := o.numbers("covered", len(r.EvidenceTexts))
	if err != nil {
		return schema.Grade{}, err
	}
	supported, err := o.numbers("supported", sentences)
	if err != nil {
		return schema.Grade{}, err
	}
	recall, precision := float64(len(covered))/float64(max(len(r.EvidenceTexts), 1)), float64(len(supported))/float64(max(sentences, 1))
	f := 0.0
	if recall+precision > 0 {
		f = 2 * recall * precision / (recall + precision)
	}
	g := Scored(fluency * f)
	g.Parts = map[string]float64{"fluency": fluency, "recall": recall, "precision": precision}
	return g, nil
}

// mabLabel compares the number with which an answer ends: upstream's exact match of
// "label: 43" with "43" is 0, and an answer that weighs several labels contains them all.
func mabLabel() *Protocol {
	return &Protocol{
		Name: "mab-label", Version: "1", Binary: true,
		Formula: "1 if the last number of the answer is a gold's number, else 0; not applicable where no gold is one number (for the icl_* sub-sets)",
		Rule: func(r *schema.QARecord) schema.Grade {
			have, asked := Numbers(r.Answer), false
			for _, g := range r.AllGolds() {
				want := Numbers(g)
				if len(want) != 1 {
					continue
				}
				asked = true
				if n := len(have); n > 0 && holdsAll(have[n-1:], want) {
					return Scored(1)
				}
			}
			if !asked {
				return NotApplicable("no gold is one number")
			}
			return Scored(0)
		},
	}
}

func mabGrade(r *schema.QARecord, key string) schema.Grade {
	golds := r.AllGolds()
	m := MABPost(r.Source, r.Answer, golds, golds)
	if _, ok := m[key]; !ok {
		return NotApplicable(fmt.Sprintf("sub-set %q has no %s", r.Source, key))
	}
	g := Scored(m[key])
	g.Parts = m
	return g
}

// mabHeadline names the metric that the paper reports; "" where no rule gives it.
func mabHeadline(subset string) string {
	switch {
	case strings.Contains(subset, "recsys"), strings.Contains(subset, "infbench_sum"), strings.Contains(subset, "longmemeval"):
		return ""
	case strings.Contains(subset, "icl"), strings.Contains(subset, "detective"):
		return "exact_match"
	}
	return "substring_exact_match"
}

// MABPost is post_process: the metrics that the benchmark's runner records for an answer of a subset, each in [0,1]. elements are the units of recall; they
// differ from golds only if upstream receives a bare string and counts its letters.
func MABPost(subset, answer string, golds, elements []string) map[string]float64 {
	has := func(s string) bool { return strings.Contains(subset, s) }
	if len(golds) == 0 {
		return nil
	}
	switch {
	case has("icl"):
		return MABMetrics(MABParse(answer), golds)
	case has("eventqa"):
		m := MABMetrics(MABParse(answer), golds)
		m["eventqa_recall"] = 0
		if mabRecall(answer, elements) == 1 {
			m["eventqa_recall"] = 1
		}
		return m
	case (has("infbench") || has("longmemeval")) && has("choice_eng"):
		m := mabBest(answer, golds)
		m["substring_exact_match"] = 0
		if len(elements) > 1 && strings.Contains(pystr.Lower(answer), pystr.Lower(elements[1])) {
			m["substring_exact_match"], m["exact_match"] = 1, 1
		}
		return m
	case has("ruler_niah"):
		return map[string]float64{"ruler_recall": mabRecall(answer, elements)}
	}
	return mabBest(answer, golds)
}

// mabBest is default_post_process: per metric the better of raw and parsed answer.
func mabBest(answer string, golds []string) map[string]float64 {
	m := MABMetrics(answer, golds)
	for k, v := range MABMetrics(MABParse(answer), golds) {
		m[k] = max(m[k], v)
	}
	return m
}

// mabRecall is the share of elements that the answer contains, case aside.
func mabRecall(answer string, elements []string) float64 {
	low, n := pystr.Lower(answer), 0
	for _, e := range elements {
		if strings.Contains(low, pystr.Lower(e)) {
			n++
		}
	}
	return float64(n) / float64(max(len(elements), 1))
}

// MABMetrics is calculate_metrics: the best over the golds of each metric, [0,1]; nil without a gold, on which the original fails.
func MABMetrics(answer string, golds []string) map[string]float64 {
	if len(golds) == 0 {
		return nil
	}
	m := map[string]float64{"exact_match": 0, "f1": 0, "substring_exact_match": 0, "rougeL_f1": 0, "rougeL_recall": 0, "rougeLsum_f1": 0, "rougeLsum_recall": 0}
	up := func(k string, v float64) { m[k] = max(m[k], v) }
	flag := func(k string, ok bool) {
		if ok {
			m[k] = 1
		}
	}
	a := SquadNormalize(answer)
	for _, gold := range golds {
		g := SquadNormalize(gold)
		flag("exact_match", a == g)
		flag("substring_exact_match", strings.Contains(a, g))
		up("f1", mabF1(a, g))
		l, s := ROUGEL(answer, gold), ROUGELsum(answer, gold)
		up("rougeL_f1", l.F1)
		up("rougeL_recall", l.Recall)
		up("rougeLsum_f1", s.F1)
		up("rougeLsum_recall", s.Recall)
	}
	return m
}

// mabF1 is f1_score on normalised texts: 0 where one side is yes, no or noanswer and
// the other is not the same.
func mabF1(a, g string) float64 {
	special := func(s string) bool { return s == "yes" || s == "no" || s == "noanswer" }
	if a != g && (special(a) || special(g)) {
		return 0
	}
	s := pool.Get().(*scratch)
	defer pool.Put(s)
	p, q := s.a.read(a, &asIs), s.b.read(g, &asIs)
	return f1(s.overlap(p, q), len(p), len(q))
}

// asIs splits a text that is normalised already.
var asIs = normalizer{article: func([]byte) bool { return false }, isWord: pystr.IsWord}

// MABParse is parse_output: the text after the first "Answer:" on its line, or the first line.
func MABParse(text string) string {
	out, _, _ := strings.Cut(text, "\n")
	if i := prefixAt(text); i >= 0 {
		out, _, _ = strings.Cut(text[i:], "\n")
	}
	out = pystr.Strip(out)
	if n := answerPrefix(out); n > 0 {
		out = pystr.Strip(out[n:])
	}
	return out
}

// prefixAt is where the first "Answer:" ends, -1 without one.
func prefixAt(s string) int {
	for i := range s {
		if n := answerPrefix(s[i:]); n > 0 {
			return i + n
		}
	}
	return -1
}

// answerPrefix returns the length of "Answer:" at the start of s, ignoring case (as re does, with the long s), or 0.
func answerPrefix(s string) int {
	const want = "answer:"
	n := 0
	for i, r := range s {
		if n == len(want) {
			return i
		}
		if pystr.Fold(r) != rune(want[n]) {
			return 0
		}
		n++
	}
	if n == len(want) {
		return len(s)
	}
	return 0
}

// Entities is the table of MemoryAgentBench's recommendation sub-set: names by id, and
// the distinct names in order.
type Entities struct {
	ByID  map[int]string
	names []string
	lower [][]rune
}

// NewEntities makes the table of entity2id.json's pairs of name and id.
func NewEntities(byName map[string]int) *Entities {
	e := &Entities{ByID: map[int]string{}}
	for name, id := range byName {
		e.ByID[id] = movieName(name)
	}
	e.names = slices.Compact(slices.Sorted(maps.Values(e.ByID)))
	for _, n := range e.names {
		e.lower = append(e.lower, []rune(pystr.Lower(n)))
	}
	return e
}

// movieName is extract_movie_name.
func movieName(s string) string {
	s = s[strings.LastIndexByte(s, '/')+1:]
	s = strings.NewReplacer("_", " ", "-", " ", ">", " ").Replace(s)
	return collapse(dropParens(s))
}

// collapse is re.sub(r"\s+", " ", s).strip().
func collapse(s string) string { return strings.Join(pystr.Split(s), " ") }

// dropParens deletes the innermost bracketed parts.
func dropParens(s string) string {
	var b strings.Builder
	for {
		end := strings.IndexByte(s, ')')
		if end < 0 {
			break
		}
		start := strings.LastIndexByte(s[:end], '(')
		if start < 0 {
			b.WriteString(s[:end+1])
		} else {
			b.WriteString(s[:start])
		}
		s = s[end+1:]
	}
	b.WriteString(s)
	return b.String()
}

// dropNumber is re.sub(r"^(?:\d+[\.\)、]?\s*[\-\—\–]?\s*)?", "", s).
func dropNumber(s string) string {
	t := strings.TrimLeftFunc(s, pystr.IsDigit)
	if len(t) == len(s) {
		return s
	}
	trimOne := func(t, set string) string {
		if r, n := utf8.DecodeRuneInString(t); n > 0 && strings.ContainsRune(set, r) {
			return t[n:]
		}
		return t
	}
	t = strings.TrimLeftFunc(trimOne(t, ".)、"), pystr.IsSpace)
	return strings.TrimLeftFunc(trimOne(t, "-—–"), pystr.IsSpace)
}

// Nearest is find_nearest_movie: the name with the least edit distance. Upstream's
// choice among equals hangs on Python's hash seed; ours is the first in code-point order.
func (e *Entities) Nearest(title string) string { name, _ := e.nearest(title); return name }

// nearest also reports whether another name is equally near.
func (e *Entities) nearest(title string) (name string, tie bool) {
	t := []rune(pystr.Lower(title))
	best := -1
	for i, n := range e.lower {
		d := len(n) - len(t)
		if best >= 0 && max(d, -d) > best {
			continue // its length alone puts it further away
		}
		d = editDistance(t, n)
		switch {
		case best < 0 || d < best:
			best, name, tie = d, e.names[i], false
		case d == best:
			tie = true
		}
	}
	return name, tie
}

func editDistance(a, b []rune) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i, x := range a {
		diagonal := row[0]
		row[0] = i + 1
		for j, y := range b {
			d := diagonal
			if x != y {
				d = 1 + min(diagonal, row[j], row[j+1])
			}
			diagonal, row[j+1] = row[j+1], d
		}
	}
	return row[len(b)]
}

// Recommended is extract_recommendation_list: the titles of a numbered list as names of the table. Blank lines count as titles, as upstream. tie reports that a
// title was equally near to two names.
func (e *Entities) Recommended(text string) (names []string, tie bool) {
	_, list, ok := strings.Cut(text, "1.")
	if !ok {
		list = strings.ReplaceAll(text, ",", "\n")
	}
	for item := range strings.SplitSeq(list, "\n") {
		n, t := e.nearest(collapse(dropNumber(dropParens(pystr.Strip(item)))))
		names, tie = append(names, n), tie || t
	}
	return names, tie
}

// Recall is recsys_recall@k: the share of the gold ids' names among the first k, [0,1].
func (e *Entities) Recall(names []string, gold []int, k int) float64 {
	n := 0
	for _, id := range gold {
		if slices.Contains(names[:min(k, len(names))], e.ByID[id]) {
			n++
		}
	}
	return float64(n) / float64(max(len(gold), 1))
}

// MABChunks is chunk_text_into_sentences: sentences joined by a blank up to size tokens per chunk, counted sentence by sentence. A first sentence over the size
// gives an empty first chunk, as upstream.
func MABChunks(text string, size int, count func(string) int) []string {
	var chunks, current []string
	n := 0
	for _, s := range nltk.SentTokenize(text) {
		c := count(s)
		if n+c > size {
			chunks = append(chunks, strings.Join(current, " "))
			current, n = nil, 0
		}
		current, n = append(current, s), n+c
	}
	if len(current) > 0 {
		chunks = append(chunks, strings.Join(current, " "))
	}
	return chunks
}
