package label

import (
	_ "embed"
	"io"
	"net/http"
	"strconv"
	"sync"

	"membench/internal/codec"
	"membench/internal/loopback"
	"membench/schema"
)

var (
	//go:embed page/index.html
	pageHTML string
	//go:embed page/label.css
	pageCSS string
	//go:embed page/label.js
	pageJS string
)

// maxLabel is the longest label that is taken, in bytes.
const maxLabel = 64 << 10

// Handler serves the page on which the owner of the book labels a sample. It answers "" with the page, "draw" with the previous labels, "sheet?at=N" with one
// answer, and accepts a label by POST to "label?at=N".
func Handler(draw []Label, b *Book) http.Handler {
	mux := http.NewServeMux()
	mux.Handle("GET /{$}", loopback.Page{HTML: pageHTML, CSS: pageCSS, JS: pageJS})
	var mu sync.Mutex // over the book
	mux.HandleFunc("GET /draw", func(w http.ResponseWriter, _ *http.Request) {
		out := struct {
			By       string   `json:"by"`
			Verdicts []string `json:"verdicts"`
			Hops     []string `json:"hops"`
			Causes   []string `json:"causes"`
			Said     []said   `json:"said"`
		}{By: b.by, Verdicts: Verdicts(), Hops: schema.Hops(), Causes: schema.Causes(), Said: []said{}}
		mu.Lock()
		for _, l := range draw {
			out.Said = append(out.Said, saidOf(b.Said(l)))
		}
		mu.Unlock()
		answer(w, out)
	})
	mux.HandleFunc("GET /sheet", func(w http.ResponseWriter, r *http.Request) {
		if i, ok := place(w, r, len(draw)); ok {
			answer(w, draw[i].Sheet)
		}
	})
	mux.HandleFunc("POST /label", func(w http.ResponseWriter, r *http.Request) {
		i, ok := place(w, r, len(draw))
		if !ok {
			return
		}
		var s said
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxLabel))
		if err == nil {
			err = codec.Unmarshal(body, &s)
		}
		if err != nil {
			http.Error(w, "this is not a valid label: "+err.Error(), http.StatusBadRequest)
			return
		}
		l := draw[i]
		l.Verdict, l.GoldWrong, l.Hop, l.Cause, l.Note = s.Verdict, s.GoldWrong, s.Hop, s.Cause, s.Note
		mu.Lock()
		defer mu.Unlock()
		if err := b.Put(l); err != nil {
			http.Error(w, "the label was not saved: "+err.Error(), http.StatusInternalServerError)
			return
		}
		w.WriteHeader(http.StatusNoContent)
	})
	return mux
}

// said is the message between page and program about one answer.
type said struct {
	Verdict   string `json:"verdict"`
	GoldWrong string `json:"gold_wrong"`
	Hop       string `json:"hop"`
	Cause     string `json:"cause"`
	Note      string `json:"note"`
}

func saidOf(l Label) said { return said{l.Verdict, l.GoldWrong, l.Hop, l.Cause, l.Note} }

func place(w http.ResponseWriter, r *http.Request, n int) (int, bool) {
	i, err := strconv.Atoi(r.URL.Query().Get("at"))
	if err != nil || i < 0 || i >= n {
		http.Error(w, "no such answer in the draw", http.StatusNotFound)
		return 0, false
	}
	return i, true
}

func answer(w http.ResponseWriter, v any) {
	b, err := codec.Append(nil, v, codec.Compact)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.Write(b)
}
