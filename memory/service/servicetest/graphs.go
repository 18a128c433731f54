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
	route(mux, "GET /api/v2/users-ordered", func(r *http.Request) (int, any) { return 200, obj{"users": []any{}} })
	on(mux, "POST /api/v2/users", func(r *http.Request, b struct {
		UserID string `json:"user_id"`
	}) (int, any) {
		if users[b.UserID] {
			return 400, obj{"message": "user already exists with user_id"}
		}
		users[b.UserID] = true
		return 201, obj{"user_id": b.UserID}
	})
	on(mux, "POST /api/v2/threads", func(r *http.Request, b struct {
		ThreadID string `json:"thread_id"`
		UserID   string `json:"user_id"`
	}) (int, any) {
		if !users[b.UserID] {
			return 404, obj{"message": "not found"}
		}
		threads[b.ThreadID] = b.UserID
		return 201, obj{"thread_id": b.ThreadID}
	})
	on(mux, "POST /api/v2/threads/{id}/messages", func(r *http.Request, b struct{ Messages []message }) (int, any) {
		user, ok := threads[r.PathValue("id")]
		if !ok {
			return 404, obj{"message": "thread not found"}
		}
		if len(b.Messages) > 30 {
			return 400, obj{"message": "too many messages"}
		}
		var items []*item
		ids := []any{}
		for i, m := range b.Messages {
			if len([]rune(m.Content)) > 4096 {
				return 400, obj{"message": "message content exceeds 4096 characters"}
			}
			x := s.add(user, item{Text: m.Content, Role: m.Role, Name: m.Name, Time: m.CreatedAt})
			items = append(items, x)
			ids = append(ids, s.kept(x, i, "").ID)
		}
		return 200, obj{"message_uuids": ids, "task_id": s.later(items...)}
	})
	route(mux, "GET /api/v2/tasks/{id}", func(r *http.Request) (int, any) {
		state, ok := map[string]string{"working": "processing", "done": "succeeded", "failed": "failed"}[s.look(r.PathValue("id"))]
		if !ok {
			return 404, obj{"message": "task not found"}
		}
		return 200, obj{"task_id": r.PathValue("id"), "status": state}
	})
	on(mux, "POST /api/v2/graph/search", func(r *http.Request, b struct {
		UserID string `json:"user_id"`
		Query  string
		Limit  int
	}) (int, any) {
		if b.Limit > 50 || b.Limit < 1 {
			return 400, obj{"message": "limit must be between 1 and 50"}
		}
		out := []any{}
		for _, x := range s.search(b.UserID, b.Query, b.Limit) {
			e := edge(x.item)
			e["score"], e["relevance"] = x.score/2, x.score
			out = append(out, e)
		}
		return 200, obj{"edges": out}
	})
	on(mux, "POST /api/v2/graph/edge/user/{id}", func(r *http.Request, b struct {
		Limit  int
		Cursor string `json:"uuid_cursor"`
	}) (int, any) {
		out, on := []any{}, b.Cursor == ""
		for _, x := range s.seen(r.PathValue("id")) {
			if on && len(out) < b.Limit {
				out = append(out, edge(x))
			}
			on = on || "edge-"+x.ID == b.Cursor
		}
		return 200, out
	})
	route(mux, "DELETE /api/v2/users/{id}", func(r *http.Request) (int, any) {
		if !users[r.PathValue("id")] {
			return 404, obj{"message": "not found"}
		}
		delete(users, r.PathValue("id"))
		delete(s.store, r.PathValue("id"))
		return 200, obj{"message": "user deleted"}
	})
}

var groupID = regexp.MustCompile(`^[a-zA-Z0-9_-]+$`)

// graphiti works in the background behind a 202. A uuid in a message ends its worker:
// what comes later is taken and never kept.
func graphiti(s *Server, mux *http.ServeMux) {
	dead := false
	route(mux, "GET /healthcheck", func(r *http.Request) (int, any) { return 200, obj{"status": "healthy"} })
	on(mux, "POST /messages", func(r *http.Request, b struct {
		GroupID  string `json:"group_id"`
		Messages []map[string]any
	}) (int, any) {
		if !groupID.MatchString(b.GroupID) {
			return 422, obj{"detail": "group_id must be alphanumeric"}
		}
		for _, m := range b.Messages {
			_, role := m["role"]
			text, _ := m["content"].(string)
			kind, _ := m["role_type"].(string)
			if !role || text == "" || kind != "user" && kind != "assistant" && kind != "system" {
				return 422, obj{"detail": []any{obj{"msg": "Field required", "loc": []any{"body", "messages"}}}}
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
		return 202, obj{"message": "Messages added to processing queue", "success": true}
	})
	route(mux, "GET /episodes/{group}", func(r *http.Request) (int, any) {
		s.lookAll()
		out := each(s.seen(r.PathValue("group")), func(x *item) obj {
			return obj{"uuid": x.ID, "name": x.Doc, "group_id": r.PathValue("group"), "content": x.Name + "(" + x.Role + "): " + x.Text, "source": "message", "valid_at": x.Time}
		})
		return 200, out
	})
	on(mux, "POST /search", func(r *http.Request, b struct {
		GroupIDs []string `json:"group_ids"`
		Query    string
		MaxFacts int `json:"max_facts"`
	}) (int, any) {
		out := []any{}
		for _, g := range b.GroupIDs {
			for _, x := range s.search(g, b.Query, b.MaxFacts) {
				out = append(out, edge(x.item))
			}
		}
		return 200, obj{"facts": out}
	})
	route(mux, "DELETE /group/{id}", func(r *http.Request) (int, any) {
		delete(s.store, r.PathValue("id"))
		return 200, obj{"message": "Group deleted", "success": true}
	})
}

// agents serves the health and the creation of Letta's agents, and returns those that there are.
func (s *Server) agents(mux *http.ServeMux) map[string]bool {
	agents := map[string]bool{}
	route(mux, "GET /v1/health/{$}", func(r *http.Request) (int, any) { return 200, obj{"status": "ok"} })
	on(mux, "POST /v1/agents/{$}", func(r *http.Request, b struct{ Name, Model, Embedding string }) (int, any) {
		if !strings.Contains(b.Model, "/") || !strings.Contains(b.Embedding, "/") {
			return 422, obj{"detail": "model and embedding are provider/model"}
		}
		id := "agent-" + s.id("agents "+b.Name, 0)
		agents[id] = true
		return 200, obj{"id": id, "name": b.Name}
	})
	return agents
}

func letta(s *Server, mux *http.ServeMux) {
	agents := s.agents(mux)
	passage := func(x *item) obj {
		return obj{"id": x.ID, "text": x.Text, "created_at": orEpoch(x.Time), "tags": x.Tags, "embedding": make([]float64, 16)}
	}
	noAgent := obj{"detail": "Agent not found"}
	on(mux, "POST /v1/agents/{id}/archival-memory", func(r *http.Request, b struct {
		Text      string
		Tags      []any
		CreatedAt string `json:"created_at"`
	}) (int, any) {
		if !agents[r.PathValue("id")] {
			return 404, noAgent
		}
		x := s.add(r.PathValue("id"), item{Text: b.Text, Tags: b.Tags, Time: b.CreatedAt})
		return 200, []any{passage(s.kept(x, s.n, b.Text))}
	})
	route(mux, "GET /v1/agents/{id}/archival-memory", func(r *http.Request) (int, any) {
		if !agents[r.PathValue("id")] {
			return 404, noAgent
		}
		limit, after := number(r.URL.Query().Get("limit"), 100), r.URL.Query().Get("after")
		out, on := []any{}, after == ""
		for _, x := range s.seen(r.PathValue("id")) {
			if on && len(out) < limit {
				out = append(out, passage(x))
			}
			on = on || x.ID == after
		}
		return 200, out
	})
	route(mux, "GET /v1/agents/{id}/archival-memory/search", func(r *http.Request) (int, any) {
		if !agents[r.PathValue("id")] {
			return 404, noAgent
		}
		out := each(s.search(r.PathValue("id"), r.URL.Query().Get("query"), number(r.URL.Query().Get("top_k"), 10)), func(x found) obj {
			return obj{"id": x.ID, "timestamp": orEpoch(x.Time), "content": x.Text, "tags": x.Tags}
		})
		return 200, obj{"results": out, "count": len(out)}
	})
	route(mux, "DELETE /v1/agents/{id}", func(r *http.Request) (int, any) {
		if !agents[r.PathValue("id")] {
			return 404, noAgent
		}
		delete(agents, r.PathValue("id"))
		delete(s.store, r.PathValue("id"))
		return 200, obj{"message": "deleted"}
	})
}
