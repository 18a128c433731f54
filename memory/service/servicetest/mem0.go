package servicetest

import (
	"cmp"
	"crypto/md5"
	"fmt"
	"net/http"
	"strings"
)

type message struct {
	Role, Content, Name string
	Alias               string
	CreatedAt           string `json:"created_at"`
	Timestamp           any
	ChatTime            string `json:"chat_time"`
	ReferenceTime       string `json:"reference_time"`
	SenderName          string `json:"sender_name"`
}

type mem0Add struct {
	Messages  []message
	UserID    string `json:"user_id"`
	RunID     string `json:"run_id"`
	Metadata  map[string]any
	Timestamp *int64
}

func (s *Server) mem0Add(b mem0Add) (out []*item) {
	for _, m := range b.Messages {
		if m.Role != "system" {
			at, _ := b.Metadata["created_at"].(string)
			out = append(out, s.add(b.UserID, item{Text: m.Content, Role: m.Role, Session: b.RunID, Meta: b.Metadata, Time: at}))
		}
	}
	return out
}

func mem0Row(x *item, ns string) obj {
	return obj{"id": x.ID, "memory": x.Text, "hash": fmt.Sprintf("%x", md5.Sum([]byte(x.Text))), "metadata": x.Meta, "created_at": orEpoch(x.Time), "updated_at": orEpoch(x.Time),
		"user_id": ns, "run_id": x.Session}
}

// mem0Common are the routes that both open servers share; every fault of the library is
// what fail says.
func mem0Common(s *Server, mux *http.ServeMux, most int, fail func(status int, text string) (int, any)) {
	on(mux, "POST /memories", func(r *http.Request, b mem0Add) (int, any) {
		if b.UserID == "" {
			return 400, obj{"detail": "At least one identifier (user_id, agent_id, run_id) is required."}
		}
		if strings.ContainsAny(b.UserID+b.RunID, " \t\n") {
			return fail(400, "ids may not contain whitespace")
		}
		out := []any{}
		for i, x := range s.mem0Add(b) {
			x = s.kept(x, i, b.Messages[i].Content)
			out = append(out, obj{"id": x.ID, "memory": x.Text, "event": "ADD"})
		}
		return 200, obj{"results": out}
	})
	route(mux, "GET /memories", func(r *http.Request) (int, any) {
		ns := r.URL.Query().Get("user_id")
		if ns == "" {
			return 400, obj{"detail": "At least one identifier is required."}
		}
		k := most
		if most == 1000 {
			k = number(r.URL.Query().Get("top_k"), 20)
		}
		all := s.seen(ns)
		return 200, obj{"results": each(all[:min(k, len(all))], func(x *item) obj { return mem0Row(x, ns) })}
	})
	route(mux, "DELETE /memories", func(r *http.Request) (int, any) {
		delete(s.store, r.URL.Query().Get("user_id"))
		return 200, obj{"message": "All relevant memories deleted"}
	})
	route(mux, "DELETE /memories/{id}", func(r *http.Request) (int, any) {
		for ns, items := range s.store {
			for i, x := range items {
				if x.ID == r.PathValue("id") {
					s.store[ns] = append(items[:i:i], items[i+1:]...)
					return 200, obj{"message": "Memory deleted successfully"}
				}
			}
		}
		return fail(404, "Memory with id "+r.PathValue("id")+" not found")
	})
}

func (s *Server) mem0Hits(ns, q string, k int) []any {
	out := []any{}
	for _, x := range s.search(ns, q, k) {
		row := mem0Row(x.item, ns)
		row["score"] = x.score
		out = append(out, row)
	}
	return out
}

func mem0v2(s *Server, mux *http.ServeMux) {
	fail := func(status int, text string) (int, any) { return status, obj{"detail": text} }
	mem0Common(s, mux, 1000, fail)
	on(mux, "POST /search", func(r *http.Request, b struct {
		Query   string
		Filters map[string]string
		TopK    *int `json:"top_k"`
	}) (int, any) {
		switch {
		case strings.TrimSpace(b.Query) == "":
			return fail(400, "query must not be blank")
		case b.Filters["user_id"] == "":
			return fail(400, "filters must contain at least one of: user_id, agent_id, run_id")
		}
		return 200, obj{"results": s.mem0Hits(b.Filters["user_id"], b.Query, *cmp.Or(b.TopK, new(20)))}
	})
}

func mem0v1(s *Server, mux *http.ServeMux) {
	fail := func(_ int, text string) (int, any) { return 500, obj{"detail": text} } // 1.x knows no other status
	mem0Common(s, mux, 100, fail)
	on(mux, "POST /search", func(r *http.Request, b struct {
		Query  string
		UserID string `json:"user_id"`
		Limit  *int
	}) (int, any) {
		if b.UserID == "" {
			return fail(500, "At least one of 'user_id', 'agent_id', or 'run_id' must be specified.")
		}
		return 200, obj{"results": s.mem0Hits(b.UserID, b.Query, *cmp.Or(b.Limit, new(100)))}
	})
}

func mem0Platform(s *Server, mux *http.ServeMux) {
	route(mux, "GET /v1/ping/{$}", func(r *http.Request) (int, any) { return 200, obj{"user_email": "a@b"} })
	on(mux, "POST /v3/memories/add/{$}", func(r *http.Request, b mem0Add) (int, any) {
		items := s.mem0Add(b)
		for _, x := range items {
			if x != nil && b.Timestamp != nil {
				x.Time = unixTime(*b.Timestamp * 1000)
			}
		}
		return 200, obj{"event_id": s.later(items...), "status": "PENDING"}
	})
	route(mux, "GET /v1/event/{id}/{$}", func(r *http.Request) (int, any) {
		state, ok := map[string]string{"working": "RUNNING", "done": "SUCCEEDED", "failed": "FAILED"}[s.look(r.PathValue("id"))]
		if !ok {
			return 404, obj{"error": "event not found"}
		}
		return 200, obj{"id": r.PathValue("id"), "status": state, "error": nil}
	})
	type filtered struct {
		Query   string
		Filters map[string]string
		TopK    int `json:"top_k"`
	}
	on(mux, "POST /v3/memories/search/{$}", func(r *http.Request, b filtered) (int, any) {
		return 200, obj{"results": s.mem0Hits(b.Filters["user_id"], b.Query, b.TopK)}
	})
	on(mux, "POST /v3/memories/{$}", func(r *http.Request, b filtered) (int, any) {
		all := s.seen(b.Filters["user_id"])
		page, size := number(r.URL.Query().Get("page"), 1), min(200, number(r.URL.Query().Get("page_size"), 100))
		next := any(nil)
		rows := each(slicePage(all, page, size), func(x *item) obj { return mem0Row(x, b.Filters["user_id"]) })
		if page*size < len(all) {
			next = "https://api.mem0.ai/v3/memories/?page=2"
		}
		return 200, obj{"count": len(all), "next": next, "previous": nil, "results": rows}
	})
	route(mux, "DELETE /v2/entities/user/{id}/{$}", func(r *http.Request) (int, any) {
		delete(s.store, r.PathValue("id"))
		return 200, obj{"message": "deleting", "event_id": "e"}
	})
}
