package servicetest

import (
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
)

// memobase says every failure but a wrong key with status 200. It keeps turns in a
// buffer until that is flushed, and answers with one text.
func memobase(s *Server, mux *http.ServeMux) {
	users := map[string]bool{}
	buffer := map[string][]*item{}
	good := func(data any) (int, any) { return 200, obj{"data": data, "errno": 0, "errmsg": ""} }
	noUser := func(r *http.Request) (int, any) {
		return 200, obj{"data": nil, "errno": 404, "errmsg": "user " + r.PathValue("uid") + " not found"}
	}
	route(mux, "GET /api/v1/healthcheck", func(r *http.Request) (int, any) { return good(nil) })
	on(mux, "POST /api/v1/users", func(r *http.Request, b struct{ Data map[string]any }) (int, any) {
		name, _ := b.Data["membench"].(string)
		id := s.id("users "+name, 0)
		users[id] = true
		return good(obj{"id": id})
	})
	on(mux, "POST /api/v1/blobs/insert/{uid}", func(r *http.Request, b struct {
		BlobData struct{ Messages []message } `json:"blob_data"`
	}) (int, any) {
		uid := r.PathValue("uid")
		if !users[uid] {
			return noUser(r)
		}
		for _, m := range b.BlobData.Messages {
			if x := s.add(uid, item{Text: m.Content, Role: m.Role, Name: m.Alias, Time: m.CreatedAt}); x != nil {
				x.hidden = true
				buffer[uid] = append(buffer[uid], x)
			}
		}
		return good(obj{"id": s.id("blobs "+uid, s.n), "chat_results": nil})
	})
	route(mux, "POST /api/v1/users/buffer/{uid}/chat", func(r *http.Request) (int, any) {
		if !users[r.PathValue("uid")] {
			return noUser(r)
		}
		s.later(buffer[r.PathValue("uid")]...)
		delete(buffer, r.PathValue("uid"))
		return good([]any{})
	})
	route(mux, "GET /api/v1/users/buffer/capacity/{uid}/chat", func(r *http.Request) (int, any) {
		ids := []any{}
		switch r.URL.Query().Get("status") {
		case "processing":
			for range s.lookAll() {
				ids = append(ids, "blob")
			}
		case "failed":
			if s.Fails {
				ids = append(ids, "blob")
			}
		}
		return good(obj{"ids": ids})
	})
	route(mux, "GET /api/v1/users/context/{uid}", func(r *http.Request) (int, any) {
		if !users[r.PathValue("uid")] {
			return noUser(r)
		}
		var chats []message
		if err := json.Unmarshal([]byte(r.URL.Query().Get("chats_str")), &chats); err != nil || len(chats) == 0 {
			return 422, obj{"detail": "chats_str is not JSON"}
		}
		lines := ""
		for _, x := range s.search(r.PathValue("uid"), chats[len(chats)-1].Content, 10) {
			lines += "\n- " + x.Name + " [" + x.Time + "] " + x.Text
		}
		text := ""
		if lines != "" {
			text = "---\n# Memory" + lines + "\n---"
		}
		return good(obj{"context": text})
	})
	route(mux, "GET /api/v1/users/profile/{uid}", func(r *http.Request) (int, any) {
		if !users[r.PathValue("uid")] {
			return noUser(r)
		}
		out := each(s.seen(r.PathValue("uid")), func(x *item) obj {
			return obj{"id": x.ID, "content": x.Name + " [" + x.Time + "] " + x.Text, "created_at": Epoch, "updated_at": Epoch, "attributes": obj{"topic": "talk", "sub_topic": x.Role}}
		})
		return good(obj{"profiles": out})
	})
	route(mux, "DELETE /api/v1/users/{uid}", func(r *http.Request) (int, any) {
		if !users[r.PathValue("uid")] {
			return noUser(r)
		}
		delete(users, r.PathValue("uid"))
		delete(s.store, r.PathValue("uid"))
		return good(nil)
	})
}

// supermemory takes documents; a line of one is a memory. Two stages of work end one
// look apart.
func supermemory(s *Server, mux *http.ServeMux) {
	docs := map[string]string{}   // id to task
	custom := map[string]string{} // customId to id
	entry := func(x *item) obj {
		return obj{"id": x.ID, "memory": x.Text, "version": 1, "isLatest": true, "isForgotten": false, "createdAt": orEpoch(x.Time), "updatedAt": orEpoch(x.Time), "documentIds": []any{x.Doc}}
	}
	route(mux, "GET /v3/documents/processing", func(r *http.Request) (int, any) {
		return 200, obj{"documents": []any{}, "totalCount": 0}
	})
	on(mux, "POST /v3/documents", func(r *http.Request, b struct {
		Content      string
		ContainerTag string
		CustomID     string `json:"customId"`
		DocumentDate string
		Metadata     map[string]any
	}) (int, any) {
		if len(b.ContainerTag) > 100 {
			return 400, obj{"error": "Bad Request", "details": "containerTag is longer than 100"}
		}
		for _, v := range b.Metadata {
			if _, nested := v.(map[string]any); nested {
				return 400, obj{"error": "Bad Request", "details": "metadata must be flat"}
			}
		}
		if id, again := custom[b.ContainerTag+"/"+b.CustomID]; again {
			return 200, obj{"id": id, "status": "done"}
		}
		id := s.id("docs "+b.ContainerTag, len(docs))
		docs[id], custom[b.ContainerTag+"/"+b.CustomID] = s.document(b.ContainerTag, b.Content, item{Time: b.DocumentDate, Doc: id, Meta: b.Metadata}), id
		return 200, obj{"id": id, "status": "queued"}
	})
	route(mux, "GET /v3/documents/{id}", func(r *http.Request) (int, any) {
		t, ok := docs[r.PathValue("id")]
		if !ok {
			return 404, obj{"error": "Document not found"}
		}
		status, dreaming := s.stages(t, "queued")
		return 200, obj{"id": r.PathValue("id"), "status": status, "dreamingStatus": dreaming}
	})
	on(mux, "POST /v4/search", func(r *http.Request, b struct {
		Q, ContainerTag string
		Limit           int
	}) (int, any) {
		out := []any{}
		for i, x := range s.search(b.ContainerTag, b.Q, min(100, b.Limit)) {
			hit := obj{"id": x.ID, "similarity": x.score, "metadata": x.Meta, "updatedAt": orEpoch(x.Time), "version": 1, "documents": []any{obj{"id": x.Doc}}}
			hit[[]string{"memory", "chunk"}[i%2]] = x.Text // hybrid mixes both
			out = append(out, hit)
		}
		return 200, obj{"results": out, "timing": 1, "total": len(out)}
	})
	on(mux, "POST /v4/memories/list", func(r *http.Request, b struct {
		ContainerTags []string
		Page, Limit   int
	}) (int, any) {
		all := s.seen(b.ContainerTags[0])
		out := each(slicePage(all, b.Page, b.Limit), entry)
		return 200, obj{"memoryEntries": out, "pagination": obj{"currentPage": b.Page, "limit": b.Limit, "totalItems": len(all)}}
	})
	on(mux, "DELETE /v3/documents/bulk", func(r *http.Request, b struct{ ContainerTags []string }) (int, any) {
		delete(s.store, b.ContainerTags[0])
		return 200, obj{"success": true}
	})
}

// document stores the lines of a text as memories like x, and gives the task of it.
func (s *Server) document(ns, text string, x item) string {
	var items []*item
	for line := range strings.SplitSeq(text, "\n") {
		if strings.TrimSpace(line) != "" {
			x.Text = line
			items = append(items, s.add(ns, x))
		}
	}
	return s.later(items...)
}

// stages are the states of a task that has two: the first ends before the second, which
// is called waiting until then.
func (s *Server) stages(task, waiting string) (first, second string) {
	switch s.look(task) {
	case "done":
		return "done", "done"
	case "failed":
		return "failed", waiting
	}
	if s.tasks[task].looks == s.Late {
		return "done", waiting
	}
	return "embedding", waiting
}

// memos says its own code inside the body; its cubes nest.
func memos(s *Server, mux *http.ServeMux) {
	good := func(data any) (int, any) { return 200, obj{"code": 200, "message": "ok", "data": data} }
	cube := func(id string, rows []any) obj {
		return obj{"text_mem": []any{obj{"cube_id": id, "memories": rows, "total_nodes": len(rows)}, obj{"cube_id": "empty", "memories": []any{}}}, "pref_mem": []any{}}
	}
	row := func(x *item, score float64) obj {
		return obj{"id": x.ID, "memory": x.Text, "metadata": obj{"memory_type": "LongTermMemory", "relativity": score, "created_at": orEpoch(x.Time)}}
	}
	on(mux, "POST /product/add", func(r *http.Request, b struct {
		Cubes     []string `json:"writable_cube_ids"`
		SessionID string   `json:"session_id"`
		AsyncMode string   `json:"async_mode"`
		Messages  []message
	}) (int, any) {
		if len(b.Cubes) != 1 || b.AsyncMode != "sync" {
			return 400, obj{"code": 400, "message": "want one cube, in sync mode", "data": nil}
		}
		out := []any{}
		for i, m := range b.Messages {
			x := s.add(b.Cubes[0], item{Text: m.Content, Role: m.Role, Time: m.ChatTime, Session: b.SessionID})
			x = s.kept(x, i, m.Content)
			out = append(out, obj{"memory": x.Text, "memory_id": x.ID, "memory_type": "LongTermMemory"})
		}
		return good(out)
	})
	on(mux, "POST /product/search", func(r *http.Request, b struct {
		Cubes []string `json:"readable_cube_ids"`
		Query string
		TopK  int `json:"top_k"`
	}) (int, any) {
		if b.Query == "" {
			return 200, obj{"code": 400, "message": "query is empty", "data": nil}
		}
		rows := each(s.search(b.Cubes[0], b.Query, b.TopK), func(x found) obj { return row(x.item, x.score) })
		return good(cube(b.Cubes[0], rows))
	})
	on(mux, "POST /product/get_memory", func(r *http.Request, b struct {
		Cube string `json:"mem_cube_id"`
		Page int
		Size int `json:"page_size"`
	}) (int, any) {
		rows := each(slicePage(s.seen(b.Cube), b.Page, b.Size), func(x *item) obj { return row(x, 0) })
		return good(cube(b.Cube, rows))
	})
	on(mux, "POST /product/delete_memory", func(r *http.Request, b struct {
		Cubes []string `json:"writable_cube_ids"`
	}) (int, any) {
		delete(s.store, b.Cubes[0])
		return good(nil)
	})
}

// everos extracts at flush and indexes later; it deletes nothing.
func everos(s *Server, mux *http.ServeMux) {
	buffer := map[string][]*item{}
	good := func(data any) (int, any) { return 200, obj{"request_id": "r", "data": data} }
	bad := func(status int, code, text string) (int, any) {
		return status, obj{"request_id": "r", "error": obj{"code": code, "message": text}}
	}
	route(mux, "GET /api/v2/health", func(r *http.Request) (int, any) {
		return 200, obj{"status": "ok", "cascade": obj{"pending": s.lookAll()}}
	})
	on(mux, "POST /api/v2/memory/add", func(r *http.Request, b struct {
		SessionID string `json:"session_id"`
		ProjectID string `json:"project_id"`
		Messages  []message
	}) (int, any) {
		if len(b.Messages) == 0 || len(b.Messages) > 500 {
			return bad(422, "INVALID_INPUT", "1 to 500 messages")
		}
		for _, m := range b.Messages {
			ms, isNumber := m.Timestamp.(float64)
			if !isNumber || ms < 1e11 {
				return bad(422, "INVALID_INPUT", "timestamp: want milliseconds")
			}
			if x := s.add(b.ProjectID, item{Text: m.Content, Role: m.Role, Name: m.SenderName, Session: b.SessionID, Time: strconv.FormatFloat(ms, 'f', 0, 64)}); x != nil {
				x.hidden = true
				buffer[b.ProjectID] = append(buffer[b.ProjectID], x)
			}
		}
		return good(obj{"message_count": len(b.Messages), "status": "accumulated"})
	})
	on(mux, "POST /api/v2/memory/flush", func(r *http.Request, b struct {
		ProjectID string `json:"project_id"`
	}) (int, any) {
		s.later(buffer[b.ProjectID]...)
		delete(buffer, b.ProjectID)
		return good(obj{"status": "extracted"})
	})
	episode := func(x *item, score float64) obj {
		return obj{"id": x.ID, "session_id": x.Session, "timestamp": unixTime(int64(number(x.Time, 0))), "episode": x.Name + ": " + x.Text, "summary": x.Text, "score": score}
	}
	on(mux, "POST /api/v2/memory/search", func(r *http.Request, b struct {
		ProjectID string `json:"project_id"`
		Query     string
		TopK      int `json:"top_k"`
	}) (int, any) {
		out := each(s.search(b.ProjectID, b.Query, b.TopK), func(x found) obj { return episode(x.item, x.score) })
		return good(obj{"episodes": out, "profiles": []any{}})
	})
	on(mux, "POST /api/v2/memory/get", func(r *http.Request, b struct {
		ProjectID string `json:"project_id"`
		Page      int
		Size      int `json:"page_size"`
	}) (int, any) {
		all := s.seen(b.ProjectID)
		out := each(slicePage(all, b.Page, b.Size), func(x *item) obj { return episode(x, 0) })
		return good(obj{"episodes": out, "total_count": len(all), "count": len(out)})
	})
}
