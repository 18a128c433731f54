package baseline

import "membench/memory"

// Specs lists the systems of this package: bounds first, then retrieval systems.
func Specs() []memory.Spec {
	return []memory.Spec{
		Null(), Abstain(), Oracle(), FullContext(),
		BM25(), BM25Stemmed(), EmbeddingOnly(), RankFused(), ScoreFused(), TurnAlone(), SimpleRAG(),
		FUMemory(), STMemory(), LTMemory(), GAMemory(), MGMemory(), RFMemory(), MMMemory(), MMFUMemory(), NGMemory(), AUGUSTUSMemory(), UniversalRAGMemory(),
		MemoryOS(), SimpleMem(), OmniSimpleMem(), Mem0Published(), Mem0Graph(), Mem0V2(), HippoRAG(), Graphiti(), ZepLike(), MemGPT(), MemU(), MemU2(), MemVerseLite(),
	}
}
