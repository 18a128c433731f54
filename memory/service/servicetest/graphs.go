package servicetest

import (
	"net/http"
	"regexp"
	"strings"
	"time"
)

func unixTime(ms int64) string { return time.UnixMilli(ms).UTC().Format(time.RFC3339) }

// edge is a fact as Zep and Graphiti write it: here the words of one episode.
func edge(x *item) obj {
	fact := x.Text
	if x.Name != "" {
		fact = x.Name + " said: " + fact
	}
	return obj{"uuid": "edge-" + x.ID, "name": "SAID", "fact": fact, "valid_at": orEpoch(x.Time), "invalid_at": nil, "created_at": Epoch, "episodes": []any{x.ID}}
}

func zep(s *Server, mux *http.ServeMux) {
	threads := map[string]string{} // to user
	users := map[string]bool{}
	mux.HandleFunc("GET /api/v2/users-ordered", func(w http.ResponseWriter, r *http.Request) { answer(w, 200, obj{"users": []any{}}) })
	on(mux, "POST /api/v2/users", func(w http.ResponseWriter, r *http.Request, b struct {
		UserID string `json:"user_id"`
	}) {
		if users[b.UserID] {
			answer(w, 400, obj{"message": "user already exists with user_id"})
			return
		}
		users[b.UserID] = true
		answer(w, 201, obj{"user_id": b.UserID})
	})
	on(mux, "POST /api/v2/threads", func(w http.ResponseWriter, r *http.Request, b struct {
		ThreadID string `json:"thread_id"`
		UserID   string `json:"user_id"`
	}) {
		if !users[b.UserID] {
			answer(w, 404, obj{"message": "not found"})
			return
		}
		threads[b.ThreadID] = b.UserID
		answer(w, 201, obj{"thread_id": b.ThreadID})
	})
	on(mux, "POST /api/v2/threads/{id}/messages", func(w http.ResponseWriter, r *http.Request, b struct{ Messages []message }) {
		user, ok := threads[r.PathValue("id")]
		if !ok {
			answer(w, 404, obj{"message": "thread not found"})
			return
		}
		if len(b.Messages) > 30 {
			answer(w, 400, obj{"message": "too many messages"})
			return
		}
		var items []*item
		ids := []any{}
		for i, m := range b.Messages {
			if len([]rune(m.Content)) > 4096 {
				answer(w, 400, obj{"message": "message content exceeds 4096 characters"})
				return
			}
			x := s.add(user, item{Text: m.Content, Role: m.Role, Name: m.Name, Time: m.CreatedAt})
			items = append(items, x)
			ids = append(ids, s.kept(x, i, "").ID)
		}
		answer(w, 200, obj{"message_uuids": ids, "task_id": s.later(items...)})
	})
	mux.HandleFunc("GET /api/v2/tasks/{id}", func(w http.ResponseWriter, r *http.Request) {
		state, ok := map[string]string{"working": "processing", "done": "succeeded", "failed": "failed"}[s.look(r.PathValue("id"))]
		if !ok {
			answer(w, 404, obj{"message": "task not found"})
			return
		}
		answer(w, 200, obj{"task_id": r.PathValue("id"), "status": state})
	})
	on(mux, "POST /api/v2/graph/search", func(w http.ResponseWriter, r *http.Request, b struct {
		UserID string `json:"user_id"`
		Query  string
		Limit  int
	}) {
		if b.Limit > 50 || b.Limit < 1 {
			answer(w, 400, obj{"message": "limit must be between 1 and 50"})
			return
		}
		out := []any{}
		for _, x := range s.search(b.UserID, b.Query, b.Limit) {
			e := edge(x.item)
			e["score"], e["relevance"] = x.score/2, x.score
			out = append(out, e)
		}
		answer(w, 200, obj{"edges": out})
	})
	on(mux, "POST /api/v2/graph/edge/user/{id}", func(w http.ResponseWriter, r *http.Request, b struct {
		Limit  int
		Cursor string `json:"uuid_cursor"`
	}) {
		out, on := []any{}, b.Cursor == ""
		for _, x := range s.seen(r.PathValue("id")) {
			if on && len(out) < b.Limit {
				out = append(out, edge(x))
			}
			on = on || "edge-"+x.ID == b.Cursor
		}
		answer(w, 200, out)
	})
	mux.HandleFunc("DELETE /api/v2/users/{id}", func(w http.ResponseWriter, r *http.Request) {
		if !users[r.PathValue("id")] {
			answer(w, 404, obj{"message": "not found"})
			return
		}
		delete(users, r.PathValue("id"))
		delete(s.store, r.PathValue("id"))
		answer(w, 200, obj{"message": "user deleted"})
	})
}

var groupID = regexp.MustCompile(`^[a-zA-Z0-9_-]+$`)

// graphiti works in the background behind a 202. A uuid in a message ends its worker:
// what comes later is taken and never kept.
func graphiti(s *Server, mux *http.ServeMux) {
	dead := false
	mux.HandleFunc("GET /healthcheck", func(w http.ResponseWriter, r *http.Request) { answer(w, 200, obj{"status": "healthy"}) })
	on(mux, "POST /messages", func(w http.ResponseWriter, r *http.Request, b struct {
		GroupID  string `json:"group_id"`
		Messages []map[string]any
	}) {
		if !groupID.MatchString(b.GroupID) {
			answer(w, 422, obj{"detail": "group_id must be alphanumeric"})
			return
		}
		for _, m := range b.Messages {
			_, role := m["role"]
			text, _ := m["content"].(string)
			kind, _ := m["role_type"].(string)
			if !role || text == "" || kind != "user" && kind != "assistant" && kind != "system" {
				answer(w, 422, obj{"detail": []any{obj{"msg": "Field required", "loc": []any{"body", "messages"}}}})
				return
			}
			_, has := m["uuid"]
			if dead = dead || has; dead {
				continue
			}
			at, _ := m["timestamp"].(string)
			name, _ := m["name"].(string)
			who, _ := m["role"].(string)
			if x := s.add(b.GroupID, item{Text: text, Role: kind, Name: who, Time: at, Doc: name}); x != nil {
				s.later(x)
			}
		}
		answer(w, 202, obj{"message": "Messages added to processing queue", "success": true})
	})
	mux.HandleFunc("GET /episodes/{group}", func(w http.ResponseWriter, r *http.Request) {
		s.lookAll()
		out := each(s.seen(r.PathValue("group")), func(x *item) obj {
			return obj{"uuid": x.ID, "name": x.Doc, "group_id": r.PathValue("group"), "content": x.Name + "(" + x.Role + "): " + x.Text, "source": "message", "valid_at": x.Time}
		})
		answer(w, 200, out)
	})
	on(mux, "POST /search", func(w http.ResponseWriter, r *http.Request, b struct {
		GroupIDs []string `json:"group_ids"`
		Query    string
		MaxFacts int `json:"max_facts"`
	}) {
		out := []any{}
		for _, g := range b.GroupIDs {
			for _, x := range s.search(g, b.Query, b.MaxFacts) {
				out = append(out, edge(x.item))
			}
		}
		answer(w, 200, obj{"facts": out})
	})
	mux.HandleFunc("DELETE /group/{id}", func(w http.ResponseWriter, r *http.Request) {
		delete(s.store, r.PathValue("id"))
		answer(w, 200, obj{"message": "Group deleted", "success": true})
	})
}

// agents serves the health and the creation of Letta's agents, and returns those that there are.
func (s *Server) agents(mux *http.ServeMux) map[string]bool {
	agents := map[string]bool{}
	mux.HandleFunc("GET /v1/health/{$}", func(w http.ResponseWriter, r *http.Request) { answer(w, 200, obj{"status": "ok"}) })
	on(mux, "POST /v1/agents/{$}", func(w http.ResponseWriter, r *http.Request, b struct{ Name, Model, Embedding string }) {
		if !strings.Contains(b.Model, "/") || !strings.Contains(b.Embedding, "/") {
			answer(w, 422, obj{"detail": "model and embedding are provider/model"})
			return
		}
		id := "agent-" + s.id("agents "+b.Name, 0)
		agents[id] = true
		answer(w, 200, obj{"id": id, "name": b.Name})
	})
	return agents
}

func letta(s *Server, mux *http.ServeMux) {
	agents := s.agents(mux)
	passage := func(x *item) obj {
		return obj{"id": x.ID, "text": x.Text, "created_at": orEpoch(x.Time), "tags": x.Tags, "embedding": make([]float64, 16)}
	}
	known := func(w http.ResponseWriter, r *http.Request) bool {
		if !agents[r.PathValue("id")] {
			answer(w, 404, obj{"detail": "Agent not found"})
		}
		return agents[r.PathValue("id")]
	}
	mux.HandleFunc("POST /v1/agents/{id}/archival-memory", func(w http.ResponseWriter, r *http.Request) {
		b, ok := read[struct {
			Text      string
			Tags      []any
			CreatedAt string `json:"created_at"`
		}](w, r)
		if !ok || !known(w, r) {
			return
		}
		x := s.add(r.PathValue("id"), item{Text: b.Text, Tags: b.Tags, Time: b.CreatedAt})
		answer(w, 200, []any{passage(s.kept(x, s.n, b.Text))})
	})
	mux.HandleFunc("GET /v1/agents/{id}/archival-memory", func(w http.ResponseWriter, r *http.Request) {
		if !known(w, r) {
			return
		}
		limit, after := number(r.URL.Query().Get("limit"), 100), r.URL.Query().Get("after")
		out, on := []any{}, after == ""
		for _, x := range s.seen(r.PathValue("id")) {
			if on && len(out) < limit {
				out = append(out, passage(x))
			}
			on = on || x.ID == after
		}
		answer(w, 200, out)
	})
	mux.HandleFunc("GET /v1/agents/{id}/archival-memory/search", func(w http.ResponseWriter, r *http.Request) {
		if !known(w, r) {
			return
		}
		out := each(s.search(r.PathValue("id"), r.URL.Query().Get("query"), number(r.URL.Query().Get("top_k"), 10)), func(x found) obj {
			return obj{"id": x.ID, "timestamp": orEpoch(x.Time), "content": x.Text, "tags": x.Tags}
		})
		answer(w, 200, obj{"results": out, "count": len(out)})
	})
	mux.HandleFunc("DELETE /v1/agents/{id}", func(w http.ResponseWriter, r *http.Request) {
		if known(w, r) {
			delete(agents, r.PathValue("id"))
			delete(s.store, r.PathValue("id"))
			answer(w, 200, obj{"message": "deleted"})
		}
	})
}
