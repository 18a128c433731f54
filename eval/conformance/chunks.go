package conformance

import (
	"membench/eval/protocol"
	"membench/internal/tokencount"
)

type mabChunksRow struct {
	Text   string   `json:"text"`
	Size   int      `json:"chunk_size"`
	Chunks []string `json:"chunks"`
	Tokens []int    `json:"tokens"`
}

func mabChunks(s *suite, r mabChunksRow) error {
	have := protocol.MABChunks(r.Text, r.Size, tokencount.O200k)
	s.same("chunks", have, r.Chunks)
	var counts []int
	for _, c := range have {
		counts = append(counts, tokencount.O200k(c))
	}
	s.same("tokens", counts, r.Tokens)
	return nil
}
