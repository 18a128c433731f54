// Package graphmem is the graph memory: a memory system that stores dialogue in the same graph as the chain, and answers from it.
//
//	turn → event → facts → memories → claims → graph      by the stages of the chain, turn by turn
//	question → turns, ranked by words, meaning, the conversation's own edges (NEXT,
//	           REPLY_TO, IN_SESSION), speaker and date → hits with the claims behind them
//
// No generative model is asked. Each part of the ranking has a weight and is not even
// computed at 0; what brought nothing on any data set has weight 0 (docs/results.md).
package graphmem
