package neo4j

import (
	"context"
	"fmt"
	"math"
	"slices"

	"membench/graph"
	"membench/llm"
	"membench/schema"
)

// EmbeddedLabels are the labels of nodes with vectors: the subjects of questions.
var EmbeddedLabels = []string{schema.LabelClaim, schema.LabelMemoryItem}

// Embedded is the result of Embed.
type Embedded struct {
	Profile string `json:"profile"`
	Vectors int    `json:"vectors"` // made now
	Kept    int    `json:"kept"`    // were there
}

// embedBatch is how many texts go to an embedder at a time.
const embedBatch = 64

// Embed stores a vector of length 1 for every claim and memory of the scope that has none: a load removes the vector of a node that it changes. Vectors of
// another embedder are replaced. Nodes without text have none.
func Embed(ctx context.Context, db *DB, e llm.Embedder, progress func(done int)) (Embedded, error) {
	out := Embedded{Profile: e.Profile()}
	held, err := db.Held(ctx)
	if err != nil {
		return out, err
	}
	all := held.Embedder != "" && held.Embedder != e.Profile()
	cond, err := db.accepts("n", graph.Filter{Labels: EmbeddedLabels})
	if err != nil {
		return out, err
	}
	type found struct {
		id  string
		has bool // a vector
	}
	nodes, err := ask(ctx, db, "MATCH (n:"+baseLabel+") WHERE "+db.owned("n")+cond.text+" RETURN n.id, n."+vectorProp+" IS NOT NULL", db.with(cond.params), func(v []any) (found, bool) {
		has, _ := v[1].(bool)
		return found{text(v[0]), has && !all}, true
	})
	if err != nil {
		return out, err
	}
	var ids []string
	for _, n := range nodes {
		if n.has {
			out.Kept++
		} else {
			ids = append(ids, n.id)
		}
	}
	slices.Sort(ids)
	for chunk := range slices.Chunk(ids, embedBatch) {
		n, err := db.embed(ctx, e, chunk)
		if err != nil {
			return out, err
		}
		if out.Vectors += n; progress != nil {
			progress(out.Vectors)
		}
	}
	if held.Embedder == e.Profile() {
		return out, nil
	}
	return out, db.do(ctx, "MERGE (g:"+heldLabel+" {scope: $scope}) SET g.embedder = $e", db.with(map[string]any{"e": e.Profile()}))
}

func (db *DB) embed(ctx context.Context, e llm.Embedder, ids []string) (int, error) {
	nodes, err := db.nodesByID(ctx, ids)
	if err != nil {
		return 0, err
	}
	var of []schema.NodeID
	var texts []string
	for _, id := range ids {
		n := nodes[db.unkey(id)]
		if text := graph.Text(n); text != "" {
			of, texts = append(of, n.ID), append(texts, text)
		}
	}
	vectors, err := e.Embed(ctx, texts)
	if err != nil {
		return 0, err
	}
	if len(vectors) != len(texts) {
		return 0, fmt.Errorf("embedder %s: have %d vectors for %d texts", e.Profile(), len(vectors), len(texts))
	}
	put := make(map[schema.NodeID][]float32, len(of))
	for i, id := range of {
		if v, ok := unit(vectors[i]); ok {
			put[id] = v
		}
	}
	return len(put), db.PutVectors(ctx, put)
}

// unit makes a vector one of length 1; false for one of length 0, which no cosine has.
func unit(v []float32) ([]float32, bool) {
	sum := 0.0
	for _, x := range v {
		sum += float64(x) * float64(x)
	}
	length := math.Sqrt(sum)
	if length == 0 || math.IsNaN(length) || math.IsInf(length, 0) {
		return nil, false
	}
	out := make([]float32, len(v))
	for i, x := range v {
		out[i] = float32(float64(x) / length)
	}
	return out, true
}
