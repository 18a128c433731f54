// Package servicetest has small servers that speak the wire format of the services that
// memory/service ships specs for, with the faults that those services have. They store turns word for word, one memory per turn, find them by shared
// terms, and settle after a delay set by the test. No clock, no randomness: the same requests give the
// same answers.
package servicetest

import (
	"cmp"
	"encoding/json"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"

	"membench/internal/tokens"

	"github.com/google/uuid"
)

// Key is the secret that every stub wants, where its service has keys.
const Key = "sk-MARKED-servicetest"

// Epoch is the date of what a stub dates itself.
const Epoch = "2026-03-01T12:00:00+00:00"

// A Fault is what happens instead of an answer, or to it.
type Fault struct {
	Status int               // answer with this
	Header map[string]string // of that answer
	Body   string
	Cut    bool // do the work, then break the connection in the middle of the answer
	Reset  bool // break the connection before any answer
	Hang   bool // do the work, never answer
	After  bool // with Status: do the work first
}

// Request is one request as it came.
type Request struct {
	Method, Path, Body string
	Header             http.Header
}

// Form is what a multipart body holds; a part with a file name is named PART@file. Nil:
// the body is not a form.
func (r Request) Form() map[string]string {
	_, params, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || params["boundary"] == "" {
		return nil
	}
	out := map[string]string{}
	for parts := multipart.NewReader(strings.NewReader(r.Body), params["boundary"]); ; {
		p, err := parts.NextPart()
		if err != nil {
			return out
		}
		text, _ := io.ReadAll(p) // a body in memory
		name := p.FormName()
		if p.FileName() != "" {
			name += "@file"
		}
		out[name] = string(text)
	}
}

// A Server is one stub. The exported fields are set before the first request.
type Server struct {
	*httptest.Server
	// Late is how many looks at the state of background work find it unfinished.
	Late int
	// Never leaves background work unfinished for good.
	Never bool
	// Fails makes background work fail.
	Fails bool
	// Loses takes every so-manieth turn and keeps nothing of it; 0: none.
	Loses int

	system string
	fault  func(r *http.Request, n int) *Fault
	mu     sync.Mutex
	log    []Request
	store  map[string][]*item // by namespace
	tasks  map[string]*task
	n      int
}

// item is one memory.
type item struct {
	ID, Text, Role, Name, Time, Session, Doc string
	Meta                                     map[string]any
	Tags                                     []any
	hidden                                   bool
}

// task is background work.
type task struct {
	looks int
	items []*item
}

// wires hold how each service is spoken to. Values: header and value of the key ("" for
// none), and the routes.
var wires = map[string]struct {
	header, value string
	denied        obj // the answer to another key
	routes        func(s *Server, mux *http.ServeMux)
}{
	"mem0-1":         {"X-API-Key", Key, obj{"detail": "Invalid API key."}, mem0v1},
	"mem0-2":         {"X-API-Key", Key, obj{"detail": "Invalid API key."}, mem0v2},
	"mem0-platform":  {"Authorization", "Token " + Key, obj{"detail": "Invalid token."}, mem0Platform},
	"zep-v3":         {"Authorization", "Api-Key " + Key, obj{"message": "unauthorized"}, zep},
	"graphiti":       {"", "", nil, graphiti},
	"memobase":       {"Authorization", "Bearer " + Key, obj{"errmsg": "unauthorized"}, memobase},
	"supermemory":    {"Authorization", "Bearer " + Key, obj{"error": "unauthorized"}, supermemory},
	"memos":          {"", "", nil, memos},
	"everos":         {"", "", nil, everos},
	"letta-archival": {"Authorization", "Bearer " + Key, obj{"detail": "Unauthorized"}, letta},
	"letta-agent":    {"Authorization", "Bearer " + Key, obj{"detail": "Unauthorized"}, lettaAgent},
	"zep-v4":         {"Authorization", "Api-Key " + Key, obj{"error": obj{"code": "unauthorized", "message": "unauthorized"}}, zep4},
	"supermemory-5":  {"Authorization", "Bearer " + Key, obj{"error": "unauthorized"}, supermemory5},
	"cognee":         {"X-Api-Key", Key, obj{"detail": "Unauthorized"}, cognee},
	"memu-server":    {"Authorization", "Bearer " + Key, obj{"detail": "Unauthorized"}, memu},
	"memos-cloud":    {"Authorization", "Token " + Key, obj{"message": "unauthorized"}, memosCloud},
	"hindsight":      {"Authorization", "Bearer " + Key, obj{"detail": "Unauthorized"}, hindsight},
}

// New starts a stub of the system that a shipped spec names. Close it.
func New(system string) *Server {
	wire, ok := wires[system]
	if !ok {
		panic("servicetest: no stub of " + system)
	}
	s := &Server{system: system, store: map[string][]*item{}, tasks: map[string]*task{}}
	mux := http.NewServeMux()
	wire.routes(s, mux)
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		r.Body = io.NopCloser(strings.NewReader(string(body)))
		s.mu.Lock()
		s.log = append(s.log, Request{r.Method, r.URL.RequestURI(), string(body), r.Header.Clone()})
		n := len(s.log)
		var f *Fault
		if s.fault != nil {
			f = s.fault(r, n)
		}
		s.mu.Unlock()
		w.Header().Set("X-Request-Id", "req-"+strconv.Itoa(n))
		serve := func(w http.ResponseWriter) {
			if wire.header != "" && r.Header.Get(wire.header) != wire.value {
				answer(w, 401, wire.denied)
				return
			}
			s.mu.Lock()
			defer s.mu.Unlock()
			mux.ServeHTTP(w, r)
		}
		if f == nil {
			serve(w)
			return
		}
		f.happen(w, r, serve)
	}))
	return s
}

func (f *Fault) happen(w http.ResponseWriter, r *http.Request, serve func(http.ResponseWriter)) {
	rec := httptest.NewRecorder()
	if f.Cut || f.Hang || f.After {
		serve(rec)
	}
	for k, v := range f.Header {
		w.Header().Set(k, v)
	}
	switch {
	case f.Hang:
		<-r.Context().Done()
	case f.Reset:
		panic(http.ErrAbortHandler)
	case f.Cut:
		w.Header().Set("Content-Length", strconv.Itoa(rec.Body.Len()))
		w.WriteHeader(rec.Code)
		_, _ = w.Write(rec.Body.Bytes()[:rec.Body.Len()/2]) // the rest never comes: the connection breaks
		panic(http.ErrAbortHandler)
	default:
		w.WriteHeader(f.Status)
		_, _ = io.WriteString(w, f.Body)
	}
}

// Base is the address that belongs into base_url.
func (s *Server) Base() string {
	return s.URL + map[string]string{"zep-v3": "/api/v2", "memobase": "/api/v1", "memos": "/product", "everos": "/api/v2", "letta-archival": "/v1", "letta-agent": "/v1", "zep-v4": "/api/v4",
		"memos-cloud": "/api/openmem/v1"}[s.system]
}

// Log is every request so far.
func (s *Server) Log() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.log)
}

// Break asks fault before every request from now on, with the request's number from 1;
// nil: no fault.
func (s *Server) Break(fault func(r *http.Request, n int) *Fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.fault = fault
}

// Count is how many memories a stub holds, over all namespaces.
func (s *Server) Count() (n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, items := range s.store {
		n += len(items)
	}
	return n
}

// Remove takes away the last memory of every namespace: a service that loses.
func (s *Server) Remove() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for ns, items := range s.store {
		if len(items) > 0 {
			s.store[ns] = items[:len(items)-1]
		}
	}
}

// add keeps one turn; nil when it is lost.
func (s *Server) add(ns string, x item) *item {
	s.n++
	if s.Loses > 0 && s.n%s.Loses == 0 {
		return nil
	}
	if x.ID == "" {
		x.ID = s.id(ns, len(s.store[ns]))
	}
	s.store[ns] = append(s.store[ns], &x)
	return &x
}

func (s *Server) id(ns string, n int) string {
	return uuid.NewSHA1(uuid.NameSpaceOID, []byte(ns+"/"+strconv.Itoa(n))).String()
}

// later hides items until a task is done.
func (s *Server) later(items ...*item) string {
	id := "task-" + strconv.Itoa(len(s.tasks)+1)
	t := &task{}
	for _, x := range items {
		if x != nil {
			x.hidden = true
			t.items = append(t.items, x)
		}
	}
	s.tasks[id] = t
	return id
}

// look returns the state of a task: working, done, failed, or "" if there is none.
func (s *Server) look(id string) string {
	t := s.tasks[id]
	switch {
	case t == nil:
		return ""
	case s.Fails:
		return "failed"
	}
	if t.looks++; t.looks <= s.Late || s.Never {
		return "working"
	}
	for _, x := range t.items {
		x.hidden = false
	}
	return "done"
}

// lookAll looks at every task and counts those that work.
func (s *Server) lookAll() (working int) {
	for id := range s.tasks {
		if s.look(id) == "working" {
			working++
		}
	}
	return working
}

// seen are the items of a namespace that can be found, in order.
func (s *Server) seen(ns string) (out []*item) {
	for _, x := range s.store[ns] {
		if !x.hidden {
			out = append(out, x)
		}
	}
	return out
}

type found struct {
	*item
	score float64 // share of the question's terms, [0,1]
}

// search finds at most k items that share a term with q, best first.
func (s *Server) search(ns, q string, k int) (out []found) {
	terms := tokens.Terms(q)
	for _, x := range s.seen(ns) {
		have, n := tokens.Terms(x.Text), 0
		for _, t := range terms {
			if slices.Contains(have, t) {
				n++
			}
		}
		if n > 0 {
			out = append(out, found{x, float64(n) / float64(len(terms))})
		}
	}
	slices.SortStableFunc(out, func(a, b found) int { return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.ID, b.ID)) })
	return out[:min(k, len(out))]
}

// each makes a row of every item.
func each[T any](items []T, row func(T) obj) []any {
	rows := []any{}
	for _, x := range items {
		rows = append(rows, row(x))
	}
	return rows
}

// kept is an item that was added, or, of a lost one, what the service says of it all the same.
func (s *Server) kept(x *item, n int, text string) *item {
	return cmp.Or(x, &item{ID: s.id("lost", n), Text: text})
}

type obj = map[string]any

func answer(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v) // the reader went away: its own fault
}

// route answers requests with the status and the body that do gives.
func route(mux *http.ServeMux, pattern string, do func(r *http.Request) (status int, v any)) {
	mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
		status, v := do(r)
		answer(w, status, v)
	})
}

// on is route for requests that have a body of the shape T.
func on[T any](mux *http.ServeMux, pattern string, do func(r *http.Request, b T) (status int, v any)) {
	route(mux, pattern, func(r *http.Request) (int, any) {
		var b T
		if err := json.NewDecoder(r.Body).Decode(&b); err != nil {
			return 422, obj{"detail": []any{obj{"type": "json_invalid", "msg": err.Error()}}}
		}
		return do(r, b)
	})
}

// slice is one page of items, numbered from 1.
func slicePage[T any](all []T, page, size int) []T {
	lo := min(len(all), max(0, (page-1)*size))
	return all[lo:min(len(all), lo+size)]
}

func number(s string, otherwise int) int {
	if n, err := strconv.Atoi(s); err == nil {
		return n
	}
	return otherwise
}

func orEpoch(t string) string { return cmp.Or(t, Epoch) }
