package run

import "sync"

// hands are goroutines that run one function after the other: foreign code needs deep
// stacks, and a goroutine of its own for each call would grow one each time.
type hands struct {
	mu   sync.Mutex
	idle []chan func()
	over bool
}

// do runs f on a goroutine that is not the caller's. It does not wait.
func (h *hands) do(f func()) {
	h.mu.Lock()
	if n := len(h.idle); n > 0 {
		work := h.idle[n-1] // the last that was busy
		h.idle = h.idle[:n-1]
		h.mu.Unlock()
		work <- f
		return
	}
	h.mu.Unlock()
	work := make(chan func(), 1)
	work <- f
	go func() {
		for f := range work {
			f()
			h.mu.Lock()
			if h.over {
				h.mu.Unlock()
				return
			}
			h.idle = append(h.idle, work)
			h.mu.Unlock()
		}
	}()
}

// rest ends the goroutines: idle ones now, others when they come back.
func (h *hands) rest() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.over = true
	for _, work := range h.idle {
		close(work)
	}
	h.idle = nil
}
