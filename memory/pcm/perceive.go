package pcm

import (
	"context"
	"fmt"
	"math"
	"strings"

	"membench/internal/tokens"
	"membench/llm"
	"membench/memory"
	"membench/memory/native"
	"membench/memory/op"
	"membench/memory/recall"
	"membench/schema"
)

// An Intent is the subject of a text: a share for each domain, adding up to 1.
type Intent struct {
	Label        string             `json:"label"`
	Confidence   float64            `json:"confidence"` // the label's share
	Distribution map[string]float64 `json:"distribution"`
}

// General is the domain of texts without one; no intent has it.
const General = "General"

// Domains are the published domains.
func Domains() []string { return []string{"Coding", "Academic", "Personal", "Casual", "Professional"} }

// cues are words that speak for a domain.
var cues = map[string][]string{
	"Coding":       {"code", "coding", "python", "java", "golang", "javascript", "rust", "program", "programming", "function", "bug", "api", "debug", "compile", "software", "script", "database", "server", "backend", "frontend", "pytorch", "fastapi", "github", "代码", "编程", "程序", "函数", "调试", "接口", "后端", "前端", "数据库", "开发"},
	"Academic":     {"paper", "research", "study", "studying", "thesis", "university", "professor", "exam", "class", "course", "learn", "learning", "theory", "transformer", "transformers", "experiment", "degree", "school", "论文", "研究", "学习", "大学", "教授", "考试", "课程", "理论", "实验", "学校"},
	"Personal":     {"i", "my", "me", "family", "mother", "father", "mom", "dad", "sister", "brother", "wife", "husband", "son", "daughter", "friend", "home", "live", "birthday", "love", "feel", "like", "favorite", "favourite", "pet", "cat", "dog", "我", "家", "妈妈", "爸爸", "妹妹", "哥哥", "朋友", "喜欢", "生日", "住", "养", "感觉"},
	"Casual":       {"hello", "hi", "hey", "thanks", "weather", "movie", "music", "game", "food", "dinner", "weekend", "fun", "haha", "lol", "party", "coffee", "trip", "你好", "谢谢", "天气", "电影", "音乐", "游戏", "吃", "周末", "旅行", "哈哈"},
	"Professional": {"work", "job", "office", "meeting", "manager", "boss", "client", "project", "deadline", "company", "salary", "career", "team", "business", "interview", "report", "工作", "公司", "会议", "老板", "客户", "项目", "工资", "团队", "面试", "上班"},
	"Creative":     {"write", "writing", "poem", "story", "novel", "paint", "painting", "draw", "drawing", "design", "song", "art", "写", "诗", "小说", "画", "设计", "歌", "艺术"},
}

// ruleIntent counts the cue words of each domain, each count 0.1 more, as shares.
func ruleIntent(text string, domains []string) Intent {
	low := strings.ToLower(text)
	words := map[string]bool{}
	for _, w := range strings.FieldsFunc(low, func(r rune) bool { return r != '\'' && (r < 'a' || r > 'z') && (r < '0' || r > '9') }) {
		words[w] = true
	}
	counts := map[string]float64{}
	for _, d := range domains {
		counts[d] = 0.1
		for _, c := range cues[d] {
			if words[c] || c[0] >= 0x80 && strings.Contains(low, c) {
				counts[d]++
			}
		}
	}
	return intentOf(counts, domains)
}

// intentOf scales shares to add up to 1; the label is the first of the greatest.
func intentOf(shares map[string]float64, domains []string) Intent {
	in := Intent{Distribution: map[string]float64{}}
	sum := 0.0
	for _, d := range domains {
		sum += max(0, shares[d])
	}
	for _, d := range domains {
		p := 1 / float64(len(domains))
		if sum > 0 {
			p = max(0, shares[d]) / sum
		}
		in.Distribution[d] = p
		if in.Label == "" || p > in.Confidence {
			in.Label, in.Confidence = d, p
		}
	}
	return in
}

// intent asks a model, which sees the last turns, or the rule.
func (p *policy) intent(ctx context.Context, text string, r *memory.Receipt) (Intent, error) {
	type answer struct {
		Distribution map[string]float64 `json:"distribution"`
	}
	prompt := fmt.Sprintf("Domains: %s\n\nBEFORE\n%s\n\nTEXT\n%s", strings.Join(p.o.Domains, ", "), strings.Join(p.lastTurns(5), "\n"), text)
	w := op.Begin(ctx, p.d, r)
	a := op.JSON(w, op.PurposeIntent, prompt, func(a answer) error {
		for _, d := range p.o.Domains {
			if x := a.Distribution[d]; x > 0 && !math.IsInf(x, 0) {
				return nil
			}
		}
		return fmt.Errorf("distribution has no share above 0 of any of %v", p.o.Domains)
	}, func() answer { return answer{ruleIntent(text, p.o.Domains).Distribution} })
	return intentOf(a.Distribution, p.o.Domains), w.Err
}

// relevance is the share of a node's domain in an intent.
func (p *policy) relevance(in Intent, domain string) float64 {
	if share, ok := in.Distribution[domain]; ok {
		return share
	}
	if p.o.Mode == native.Faithful || domain != General {
		return 0.1
	}
	return 1 / float64(len(p.o.Domains))
}

// Ways to find the raw surprise of a text.
const (
	Semantic = "semantic"
	Ngram    = "ngram"
	NLL      = "nll"
)

// Estimators describes each estimator.
var Estimators = map[string]string{
	Semantic: "5·(α·distance + (1−α)·conflict), not a probability",
	Ngram:    "a cache language model of word pairs over what was found and the last turns, scaled to [0,5]",
	NLL:      "the model's mean negative log-probability per token, in nats",
}

// Relations of a text to the known nodes.
const (
	Consistent    = "consistent"
	Novel         = "novel"
	Contradictory = "contradictory"
)

// A Packet is the surprise of a turn with its parts.
type Packet struct {
	Estimator string   `json:"estimator"`
	Distance  float64  `json:"distance"` // 1 − the best cosine; 1 where nothing is known
	Conflict  float64  `json:"conflict"` // [0,1]
	Relation  string   `json:"relation"`
	With      []string `json:"with,omitempty"` // nodes that it contradicts, or agrees with
	Raw       float64  `json:"raw"`
	Entropy   float64  `json:"entropy"` // [0,1]
	Effective float64  `json:"effective"`
	Level     string   `json:"level"`
	// Forced: a contradiction of a known node, independent of the score (fixed).
	Forced bool `json:"forced,omitzero"`
}

// judgement is how a turn relates to the nodes that were found.
type judgement struct {
	relation string
	conflict float64
	with     []int // positions
}

// ruleConflict compares each fact of the turn with the nodes of the same speaker.
func (p *policy) ruleConflict(t *turn, found []recall.Scored) judgement {
	j := judgement{relation: Novel, conflict: 0.4}
	var same []int
	best := 0.0
	facts := make([]*op.Statement, len(t.facts))
	for i, f := range t.facts {
		facts[i] = op.NewStatement(f)
	}
	for _, f := range found {
		n := &p.world.nodes[f.Pos]
		best = max(best, recall.Coverage(t.said, n.content))
		if n.speaker != t.o.Speaker {
			continue
		}
		if n.said == nil {
			n.said = op.NewStatement(n.content)
		}
		for _, fact := range facts {
			switch fact.Compare(n.said) {
			case op.Replaces, op.Retracts:
				j.with = append(j.with, f.Pos)
			case op.Same, op.Refines:
				same = append(same, f.Pos)
			default:
				continue
			}
			break
		}
	}
	switch {
	case len(j.with) > 0:
		j.relation, j.conflict = Contradictory, 0.8
	case len(same) > 0 || best > 0.5:
		j.relation, j.conflict, j.with = Consistent, 0.1, same
	}
	return j
}

// modelConflict asks a model how the turn relates to the nodes. They are numbered; other answers count only in fixed mode, if they are a node's id.
func (p *policy) modelConflict(ctx context.Context, t *turn, found []recall.Scored) (judgement, llm.Usage, error) {
	type answer struct {
		Relation string   `json:"relation"`
		Score    *float64 `json:"conflict_score"`
		With     []nodeID `json:"conflicting"`
	}
	a, u, err := op.Ask(ctx, p.d.LLM, p.d.Prompts, op.PurposeConflict, "KNOWN\n"+p.numbered(found)+"\nNEW\n"+t.o.Text, func(a answer) error {
		switch {
		case a.Relation != Consistent && a.Relation != Novel && a.Relation != Contradictory:
			return fmt.Errorf("relation %q: want %s, %s or %s", a.Relation, Consistent, Novel, Contradictory)
		case a.Score == nil || *a.Score < 0 || *a.Score > 1:
			return fmt.Errorf("conflict_score: want a number from 0 to 1")
		}
		return nil
	})
	if err != nil {
		return judgement{}, u, err
	}
	return judgement{a.Relation, *a.Score, p.positions(a.With, found)}, u, nil
}

// surprise returns the packet of a turn, given the results of a search for it.
func (p *policy) surprise(ctx context.Context, t *turn, found []recall.Scored, r *memory.Receipt) (Packet, judgement, error) {
	j := judgement{relation: Novel, conflict: 0.5} // published: nothing is known
	var err error
	if len(found) > 0 {
		if j, err = op.OrRule(ctx, p.d.LLM, r, op.PurposeConflict,
			func() (judgement, llm.Usage, error) { return p.modelConflict(ctx, t, found) },
			func() judgement { return p.ruleConflict(t, found) }); err != nil {
			return Packet{}, j, err
		}
	}
	s := Packet{Estimator: p.o.Surprisal, Distance: 1, Conflict: j.conflict, Relation: j.relation}
	scores := make([]float64, len(found))
	for i, f := range found {
		scores[i] = f.Score
		s.Distance = min(s.Distance, 1-recall.Dot(t.vec, p.world.st.Vector(f.Pos)))
	}
	for _, pos := range j.with {
		s.With = append(s.With, string(p.world.st.At(pos).ID))
	}
	semantic := 5 * (p.o.Alpha*s.Distance + (1-p.o.Alpha)*s.Conflict)
	switch p.o.Surprisal {
	case Ngram:
		s.Raw = cacheSurprise(t.o.Words, p.known(found))
	case NLL:
		raw, err := op.OrRule(ctx, p.d.LLM, r, op.PurposeSurprisal,
			func() (float64, llm.Usage, error) { return p.nll(ctx, t, found) },
			func() float64 { s.Estimator = Semantic; return semantic })
		if err != nil {
			return s, j, err
		}
		s.Raw = raw
	default:
		s.Raw = semantic
	}
	s.Entropy = Entropy(scores, p.o.Mode == native.Fixed)
	s.Effective = Effective(s.Raw, s.Entropy, p.o.Lambda)
	s.Level = Level(s.Effective, p.o.ThetaLow, p.o.ThetaHigh)
	if p.o.Mode == native.Fixed && j.relation == Contradictory && len(j.with) > 0 && s.Level != High {
		s.Level, s.Forced = High, true
	}
	return s, j, nil
}

// known returns the context of a language model before a turn: the found nodes and the last turns.
func (p *policy) known(found []recall.Scored) string {
	var lines []string
	for _, f := range found {
		lines = append(lines, p.world.st.At(f.Pos).Text)
	}
	return strings.Join(append(lines, p.lastTurns(5)...), "\n")
}

// cacheSurprise is the mean surprise of a text's words under a model that mixes the word pairs (0.5) and words (0.3) of the known texts with the uniform
// distribution (0.2), in units of a fifth of the logarithm of the vocabulary: [0,5].
func cacheSurprise(text, known string) float64 {
	words := func(s string) (out []string) {
		for _, t := range tokens.Split(s) {
			out = append(out, strings.ToLower(t.Text))
		}
		return out
	}
	one, two, first, vocabulary := map[string]float64{}, map[[2]string]float64{}, map[string]float64{}, map[string]bool{}
	total, before := 0.0, ""
	for _, w := range words(known) {
		one[w]++
		total++
		two[[2]string{before, w}]++
		first[before]++
		vocabulary[w] = true
		before = w
	}
	said := words(text)
	for _, w := range said {
		vocabulary[w] = true
	}
	v := float64(max(2, len(vocabulary)))
	sum := 0.0
	before = ""
	for _, w := range said {
		q := 0.2 / v
		if first[before] > 0 {
			q += 0.5 * two[[2]string{before, w}] / first[before]
		}
		if total > 0 {
			q += 0.3 * one[w] / total
		}
		sum -= math.Log(q)
		before = w
	}
	if len(said) == 0 {
		return 0
	}
	return min(5, 5*sum/float64(len(said))/math.Log(v))
}

// nodeID reads "3", 3 and "u:c1:00000003" alike.
type nodeID string

func (n *nodeID) UnmarshalJSON(b []byte) error {
	*n = nodeID(strings.Trim(strings.TrimSpace(string(b)), `"`))
	return nil
}

// positions returns the nodes that a model named: by their number in the list, or by id. The published code takes numbers for ids, so they name nothing.
func (p *policy) positions(named []nodeID, found []recall.Scored) (out []int) {
	for _, name := range named {
		for i, f := range found {
			byNumber := p.o.Mode == native.Fixed && string(name) == fmt.Sprint(i+1)
			if byNumber || schema.PointID(name) == p.world.st.At(f.Pos).ID {
				out = append(out, f.Pos)
				break
			}
		}
	}
	return out
}

// numbered lists nodes for a model.
func (p *policy) numbered(found []recall.Scored) string {
	var b strings.Builder
	for i, f := range found {
		fmt.Fprintf(&b, "%d. %s (confidence %.2f)\n", i+1, strings.ReplaceAll(p.world.st.At(f.Pos).Text, "\n", " "), p.world.nodes[f.Pos].weight)
	}
	return b.String()
}
