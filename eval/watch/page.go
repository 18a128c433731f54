package watch

import (
	_ "embed"
	"fmt"
	"net/http"
	"time"

	"membench/internal/loopback"
)

var (
	//go:embed page/index.html
	pageHTML string
	//go:embed page/watch.css
	pageCSS string
	//go:embed page/watch.js
	pageJS string
)

// alive is how often a silent stream says that it is there.
const alive = 15 * time.Second

// Handler is the page ("") and its stream of states ("events", server-sent events: each is
// the whole state as JSON).
func (w *Watcher) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.Handle("GET /{$}", loopback.Page{HTML: pageHTML, CSS: pageCSS, JS: pageJS})
	mux.HandleFunc("GET /events", func(out http.ResponseWriter, r *http.Request) {
		out.Header().Set("Content-Type", "text/event-stream")
		flush := http.NewResponseController(out)
		for {
			now, changed := w.state()
			if _, err := fmt.Fprintf(out, "data: %s\n\n", now); err != nil || flush.Flush() != nil {
				return
			}
			for waiting := true; waiting; {
				select {
				case <-r.Context().Done():
					return
				case <-changed:
					waiting = false
				case <-time.After(alive):
					if _, err := fmt.Fprint(out, ": still here\n\n"); err != nil || flush.Flush() != nil {
						return
					}
				}
			}
		}
	})
	return mux
}
