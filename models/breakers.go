package models

import (
	"maps"
	"slices"
	"strings"
	"sync"

	"membench/llm"
	"membench/llm/openai"
)

// breakers are those of the endpoints of a Set: roles at one address share one.
type breakers struct {
	mu sync.Mutex
	of map[string]*llm.Breaker
}

func (b *breakers) at(url string, o Options) *llm.Breaker {
	url = strings.TrimRight(url, "/")
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.of[url] == nil {
		b.of[url] = llm.NewBreaker(openai.ShowURL(url), o.Clock, o.Tell)
	}
	return b.of[url]
}

// Waiting describes the endpoints that are currently not called, and why; "" if all are available.
func (s *Set) Waiting() string {
	s.breakers.mu.Lock()
	defer s.breakers.mu.Unlock()
	var out []string
	for _, url := range slices.Sorted(maps.Keys(s.breakers.of)) {
		if w := s.breakers.of[url].Waiting(); w != "" {
			out = append(out, w)
		}
	}
	return strings.Join(out, "; ")
}
