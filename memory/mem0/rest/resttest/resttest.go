// Package resttest is a Mem0 service for tests: paths, answers and errors of the
// open-source server 1.x and 2.x as recorded from real ones, and of the platform as
// its documentation has them. Its extraction keeps every message as one memory.
package resttest

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"membench/internal/bm25"
	"membench/schema"
)

// Generation of a server.
type Generation int

const (
	OSS2     Generation = iota // 2.0.18
	OSS1                       // 1.0.11
	OSSOld                     // before 1.0.6: delete by user empties the collection
	Platform                   // api.mem0.ai
)

// Memory is one stored item.
type Memory struct {
	ID, User, Text, Role string
	Inferred             bool
	Metadata             map[string]any
}

// Request is one call as it came in.
type Request struct {
	Method, Path string
	Key          string
	Body         map[string]any
}

// Server is the service.
type Server struct {
	*httptest.Server
	Generation Generation
	Key        string // "" takes any
	// Before may answer in place of the service (true): for faults. It runs unlocked.
	Before func(w http.ResponseWriter, r *http.Request, n int) bool
	// Extract makes memories of messages; nil keeps each message with its prefix.
	Extract func(role, content string) []string
	Pending int // looks at an event of the platform before it has ended

	mu       sync.Mutex
	memories []Memory
	events   map[string]*event
	requests []Request
	next     int
}

type event struct {
	left    int
	results []map[string]any
}

// New starts a service that ends with the test.
func New(t testing.TB, g Generation) *Server {
	s := &Server{Generation: g, events: map[string]*event{}}
	s.Server = httptest.NewServer(s)
	t.Cleanup(s.Close)
	return s
}

// Requests returns the calls so far.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.requests)
}

// Memories returns what is stored.
func (s *Server) Memories() []Memory {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.memories)
}

// Put stores a memory of someone else.
func (s *Server) Put(user, text string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.put(user, text, "user", true, nil)
}

func (s *Server) put(user, text, role string, inferred bool, meta map[string]any) string {
	s.next++
	id := fmt.Sprintf("%08x-0000-4000-8000-%012x", uint32(s.next)*2654435761, s.next)
	s.memories = append(s.memories, Memory{id, user, text, role, inferred, meta})
	return id
}

func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var body map[string]any
	bad := json.NewDecoder(r.Body).Decode(&body)
	key := cmp.Or(r.Header.Get("X-API-Key"), r.Header.Get("Authorization"))
	s.mu.Lock()
	s.requests = append(s.requests, Request{r.Method, r.URL.Path, key, body})
	n := len(s.requests)
	s.mu.Unlock()
	if s.Before != nil && s.Before(w, r, n) {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.Generation == Platform {
		s.platform(w, r, body)
		return
	}
	if r.Method == http.MethodPost && bad != nil {
		answer(w, 422, map[string]any{"detail": []any{map[string]any{"type": "json_invalid", "loc": []any{"body", 0}, "msg": "JSON decode error"}}})
		return
	}
	s.oss(w, r, body)
}

func answer(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	json.NewEncoder(w).Encode(v)
}

func detail(s string) map[string]any { return map[string]any{"detail": s} }

func (s *Server) oss(w http.ResponseWriter, r *http.Request, body map[string]any) {
	two := s.Generation == OSS2
	path := r.Method + " " + r.URL.Path
	switch path { // without a key
	case "GET /auth/setup-status":
		if two {
			answer(w, 200, map[string]any{"needsSetup": true})
		} else {
			answer(w, 404, detail("Not Found"))
		}
		return
	case "GET /configure":
		if !two {
			w.Header().Set("Allow", "POST")
			answer(w, 405, detail("Method Not Allowed"))
			return
		}
	case "GET /openapi.json":
		props := map[string]any{"messages": nil, "user_id": nil, "metadata": nil}
		if s.Generation != OSSOld {
			props["infer"], props["prompt"] = nil, nil
		}
		answer(w, 200, map[string]any{"components": map[string]any{"schemas": map[string]any{"MemoryCreate": map[string]any{"properties": props}}}})
		return
	}
	if s.Key != "" && r.Header.Get("X-API-Key") != s.Key {
		w.Header().Set("WWW-Authenticate", "Bearer")
		answer(w, 401, detail("Authentication required. Provide a Bearer token or X-API-Key header."))
		return
	}
	fails := func(status int, why string) {
		if !two && status == 404 {
			status = 500 // 1.x: every error of the library
		}
		answer(w, status, detail(why))
	}
	user := r.URL.Query().Get("user_id")
	switch {
	case path == "POST /memories":
		user, _ := body["user_id"].(string)
		if user == "" || two && strings.ContainsAny(user, " \t\n") {
			answer(w, 400, detail("At least one identifier (user_id, agent_id, run_id) is required."))
			return
		}
		answer(w, 200, map[string]any{"results": s.add(user, body)})
	case path == "GET /memories":
		if user == "" {
			answer(w, 400, detail("At least one identifier is required."))
			return
		}
		limit := 100
		if two {
			limit = 20
			if k := r.URL.Query().Get("top_k"); k != "" {
				limit, _ = strconv.Atoi(k)
			}
		}
		items := []any{}
		for _, m := range s.sorted() {
			if m.User == user && len(items) < limit {
				items = append(items, m.json(s.Generation, nil))
			}
		}
		answer(w, 200, map[string]any{"results": items})
	case path == "POST /search":
		k, _ := body["limit"].(float64)
		user, _ := body["user_id"].(string)
		if two {
			k, _ = body["top_k"].(float64)
			filters, _ := body["filters"].(map[string]any)
			user, _ = filters["user_id"].(string)
		}
		if user == "" {
			fails(map[bool]int{true: 400, false: 500}[two], "filters must contain at least one of: user_id, agent_id, run_id")
			return
		}
		answer(w, 200, map[string]any{"results": s.search(user, body, int(k))})
	case path == "DELETE /memories":
		if s.Generation == OSSOld {
			s.memories = nil
		}
		s.memories = slices.DeleteFunc(s.memories, func(m Memory) bool { return m.User == user })
		answer(w, 200, map[string]any{"message": "All relevant memories deleted"})
	case strings.HasPrefix(r.URL.Path, "/memories/"):
		id := strings.TrimPrefix(r.URL.Path, "/memories/")
		i := slices.IndexFunc(s.memories, func(m Memory) bool { return m.ID == id })
		switch {
		case r.Method == http.MethodGet && i < 0:
			answer(w, 200, nil)
		case r.Method == http.MethodGet:
			answer(w, 200, s.memories[i].json(s.Generation, nil))
		case i < 0:
			fails(404, "Memory with id "+id+" not found")
		default:
			s.memories = slices.Delete(s.memories, i, i+1)
			answer(w, 200, map[string]any{"message": "Memory deleted successfully"})
		}
	default:
		answer(w, 404, detail("Not Found"))
	}
}

func (s *Server) platform(w http.ResponseWriter, r *http.Request, body map[string]any) {
	if s.Key != "" && r.Header.Get("Authorization") != "Token "+s.Key {
		answer(w, 401, detail("Invalid API key"))
		return
	}
	filters, _ := body["filters"].(map[string]any)
	user, _ := filters["user_id"].(string)
	path := r.Method + " " + r.URL.Path
	switch {
	case path == "POST /v3/memories/add/":
		user, _ := body["user_id"].(string)
		s.next++
		id := fmt.Sprintf("event-%d", s.next)
		s.events[id] = &event{left: s.Pending, results: s.add(user, body)}
		if infer, ok := body["infer"].(bool); ok && !infer {
			answer(w, 200, map[string]any{"results": s.events[id].results})
			return
		}
		answer(w, 200, map[string]any{"event_id": id, "status": "PENDING"})
	case strings.HasPrefix(path, "GET /v1/event/"):
		id := strings.Trim(strings.TrimPrefix(r.URL.Path, "/v1/event/"), "/")
		e := s.events[id]
		switch {
		case e == nil:
			answer(w, 404, map[string]any{"error": "Event not found"})
		case e.left > 0:
			e.left--
			answer(w, 200, map[string]any{"id": id, "status": "RUNNING", "results": []any{}})
		default:
			answer(w, 200, map[string]any{"id": id, "status": "SUCCEEDED", "results": e.results})
		}
	case path == "POST /v3/memories/search/":
		if user == "" {
			answer(w, 400, map[string]any{"error": "filters", "details": map[string]any{"message": "filters must hold an entity id"}})
			return
		}
		k, _ := body["top_k"].(float64)
		answer(w, 200, map[string]any{"results": s.search(user, body, int(k))})
	case path == "POST /v3/memories/":
		page, _ := strconv.Atoi(r.URL.Query().Get("page"))
		size, _ := strconv.Atoi(r.URL.Query().Get("page_size"))
		var mine []any
		for _, m := range s.sorted() {
			if m.User == user {
				mine = append(mine, m.json(s.Generation, nil))
			}
		}
		lo, hi := min((page-1)*size, len(mine)), min(page*size, len(mine))
		out := map[string]any{"count": len(mine), "next": nil, "previous": nil, "results": append([]any{}, mine[lo:hi]...)}
		if hi < len(mine) {
			out["next"] = fmt.Sprintf("%s/v3/memories/?page=%d", s.URL, page+1)
		}
		answer(w, 200, out)
	case strings.HasPrefix(r.URL.Path, "/v1/memories/"):
		id := strings.Trim(strings.TrimPrefix(r.URL.Path, "/v1/memories/"), "/")
		i := slices.IndexFunc(s.memories, func(m Memory) bool { return m.ID == id })
		if i < 0 {
			answer(w, 404, map[string]any{"error": "Memory not found"})
			return
		}
		if r.Method == http.MethodDelete {
			s.memories = slices.Delete(s.memories, i, i+1)
			answer(w, 200, map[string]any{"message": "Memory deleted successfully!"})
			return
		}
		answer(w, 200, s.memories[i].json(s.Generation, nil))
	default:
		answer(w, 404, detail("Not found."))
	}
}

func (s *Server) sorted() []Memory {
	out := slices.Clone(s.memories)
	slices.SortFunc(out, func(a, b Memory) int { return cmp.Compare(a.ID, b.ID) })
	return out
}

func (s *Server) add(user string, body map[string]any) []map[string]any {
	out := []map[string]any{}
	infer, ok := body["infer"].(bool)
	infer = infer || !ok
	meta, _ := body["metadata"].(map[string]any)
	messages, _ := body["messages"].([]any)
	for _, x := range messages {
		m, _ := x.(map[string]any)
		role, _ := m["role"].(string)
		content, _ := m["content"].(string)
		if role == "system" {
			continue // neither generation makes memories of these
		}
		texts := []string{content}
		if infer {
			texts = []string{map[string]string{"user": "[User] ", "assistant": "[Agent] "}[role] + content}
			if s.Extract != nil {
				texts = s.Extract(role, content)
			}
		}
		for _, t := range texts {
			r := map[string]any{"id": s.put(user, t, role, infer, meta), "memory": t, "event": "ADD"}
			if !infer {
				r["actor_id"], r["role"] = nil, role
			}
			out = append(out, r)
		}
	}
	return out
}

func (s *Server) search(user string, body map[string]any, k int) []any {
	query, _ := body["query"].(string)
	var index bm25.Index
	var mine []Memory
	for _, m := range s.sorted() {
		if m.User == user {
			index.Set(len(mine), m.Text)
			mine = append(mine, m)
		}
	}
	scores := index.Scaled(nil, query, len(mine), nil, 0)
	order := make([]int, len(mine))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(scores[b], scores[a]) })
	out := []any{}
	for _, i := range order[:min(k, len(order))] {
		score := scores[i]
		if score > 0 {
			out = append(out, mine[i].json(s.Generation, &score))
		}
	}
	return out
}

func (m Memory) json(g Generation, score *float64) map[string]any {
	created := "2026-11-21T14:14:10.958082+00:00"
	meta := map[string]any{}
	for k, v := range m.Metadata {
		if k == "created_at" {
			created, _ = v.(string)
			if at, err := time.Parse(time.RFC3339Nano, created); err == nil && g == OSS1 {
				created = at.UTC().Format("2006-01-02T15:04:05.999999-07:00") // answers are in UTC, whatever is stored
			}
			continue
		}
		meta[k] = v
	}
	out := map[string]any{"id": m.ID, "memory": m.Text, "hash": schema.Hash(m.Text), "metadata": nil, "created_at": created, "updated_at": created, "user_id": m.User}
	if len(meta) > 0 {
		out["metadata"] = meta
	}
	if m.Inferred {
		out["attributed_to"] = m.Role
	} else {
		out["role"] = m.Role
	}
	if score != nil {
		out["score"] = *score
	}
	return out
}
