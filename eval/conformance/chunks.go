package conformance

import (
	"membench/eval/protocol"
	"membench/internal/codec"
	"membench/internal/tokencount"
)

func mabChunks(s *suite, raw []byte) error {
	var r struct {
		Text   string   `json:"text"`
		Size   int      `json:"chunk_size"`
		Chunks []string `json:"chunks"`
		Tokens []int    `json:"tokens"`
	}
	if err := codec.Unmarshal(raw, &r); err != nil {
		return err
	}
	have := protocol.MABChunks(r.Text, r.Size, tokencount.O200k)
	s.same("chunks", have, r.Chunks)
	var counts []int
	for _, c := range have {
		counts = append(counts, tokencount.O200k(c))
	}
	s.same("tokens", counts, r.Tokens)
	return nil
}
