package mem0

import (
	"context"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"membench/internal/rank"
	"membench/internal/tokens"
	"membench/llm"
	"membench/memory"
	records "membench/memory/store"
)

// Retrieve scores every point of the filter:
//
//	own   = 0.9·bm25 + 0.1·max(0, cos)
//	score = (own + 0.4·best own of the facts said within two turns) · (1.2 when the
//	        query is about its speaker)
//
// bm25 in [0,1] as internal/bm25 scales it, with the everyday lexicon's terms at 0.7;
// cos between the embeddings. A query is about a speaker when it names exactly one, or
// speaks only of "I" or only of "you". Scores are rounded to 1e-6, ties broken by id;
// points with score 0 are not hits.
func (m *Memory) Retrieve(ctx context.Context, q memory.Query) (memory.Retrieved, error) {
	if q.K <= 0 {
		q.K = near
	}
	st := m.store
	var out memory.Retrieved
	var err error
	if out.Usage, err = m.update(ctx); err != nil {
		return out, err
	}
	vec, err := records.One(ctx, m.sys.o.Embedder, &out.Usage, q.Text)
	if err != nil {
		return out, err
	}
	cos, err := m.cosines(ctx, q, vec)
	if err != nil {
		return out, err
	}
	words := st.words.Scaled(nil, q.Text, len(st.points), tokens.Kin(q.Text), kinWeight)
	about := aboutOf(q, st.names)
	own := make([]float64, len(st.points))
	for i, p := range st.points {
		if p.live && (q.UserID == "" || p.user == q.UserID) && (q.AgentID == "" || p.agent == q.AgentID) {
			own[i] = wordWeight*words[i] + vectorWeight*max(0, cos(i))
		}
	}
	var all []rank.Scored[*point]
	for i, p := range st.points {
		if own[i] == 0 {
			continue
		}
		score := own[i] + nextWeight*bestNear(st.points, own, i)
		if about(p) {
			score *= ownerBoost
		}
		if score = rank.Round6(score); score > 0 {
			all = append(all, rank.Scored[*point]{ID: string(p.id), Score: score, V: p})
		}
	}
	for _, s := range rank.Top(all, q.K) {
		out.Hits = append(out.Hits, memory.Hit{ID: s.V.id, Text: dataOf(s.V), Score: s.Score, Sources: slices.Clone(s.V.events), Meta: s.V.payload})
	}
	return out, nil
}

// bestNear is the best score among the facts said within nextTurns of point i. Points
// lie in the order of the dialogue, so neighbours in it are neighbours here.
func bestNear(points []*point, own []float64, i int) (best float64) {
	if len(points[i].events) == 0 {
		return 0
	}
	at := points[i].events[0]
	for _, step := range []int{-1, 1} {
		for j := i + step; j >= 0 && j < len(points); j += step {
			if len(points[j].events) == 0 {
				break
			}
			e := points[j].events[0]
			if d := e.TurnID - at.TurnID; e.ConvID != at.ConvID || d > nextTurns || d < -nextTurns {
				break
			}
			best = max(best, own[j])
		}
	}
	return best
}

// embed brings the vectors up to date.
func (m *Memory) embed(ctx context.Context) (used llm.Usage, err error) {
	st := m.store
	todo := slices.Sorted(maps.Keys(st.stale))
	for part := range slices.Chunk(todo, 256) {
		texts := make([]string, len(part))
		for j, i := range part {
			texts[j] = indexed(st.points[i])
		}
		vecs, err := records.Many(ctx, m.sys.o.Embedder, &used, texts)
		if err != nil {
			return used, err
		}
		for j, i := range part {
			if i < st.vectors.Len() {
				st.vectors.Set(i, vecs[j])
			} else {
				st.vectors.Add(vecs[j])
			}
			delete(st.stale, i)
		}
	}
	return used, nil
}

// aboutOf returns a function that reports which points the query is about, by speaker.
func aboutOf(q memory.Query, names []string) func(*point) bool {
	none := func(*point) bool { return false }
	lower := strings.ToLower(q.Text)
	named := ""
	for _, n := range names {
		if utf8.RuneCountInString(n) > 1 && strings.Contains(lower, n) {
			if named != "" {
				return none
			}
			named = n
		}
	}
	if named != "" {
		return func(p *point) bool { return strings.EqualFold(p.name, named) }
	}
	first, second := persons(q.Text)
	if first == second {
		return none
	}
	role := memory.RoleUser
	if (q.Asker == memory.RoleAssistant) == first {
		role = memory.RoleAssistant
	}
	return func(p *point) bool { return p.role == role }
}

// persons reports whether a text speaks of "I" and of "you".
func persons(s string) (first, second bool) {
	first, second = strings.ContainsAny(s, "我咱"), strings.ContainsAny(s, "你您妳")
	for _, w := range strings.FieldsFunc(strings.ToLower(s), func(r rune) bool { return !(r >= 'a' && r <= 'z') }) {
		switch w {
		case "i", "me", "my", "mine", "myself":
			first = true
		case "you", "your", "yours", "yourself":
			second = true
		}
	}
	return first, second
}
