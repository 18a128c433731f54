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
	good := func(w http.ResponseWriter, data any) { answer(w, 200, obj{"data": data, "errno": 0, "errmsg": ""}) }
	bad := func(w http.ResponseWriter, no int, text string) {
		answer(w, 200, obj{"data": nil, "errno": no, "errmsg": text})
	}
	mux.HandleFunc("GET /api/v1/healthcheck", func(w http.ResponseWriter, r *http.Request) { good(w, nil) })
	on(mux, "POST /api/v1/users", func(w http.ResponseWriter, r *http.Request, b struct{ Data map[string]any }) {
		name, _ := b.Data["membench"].(string)
		id := s.id("users "+name, 0)
		users[id] = true
		good(w, obj{"id": id})
	})
	known := func(w http.ResponseWriter, r *http.Request) bool {
		if users[r.PathValue("uid")] {
			return true
		}
		bad(w, 404, "user "+r.PathValue("uid")+" not found")
		return false
	}
	mux.HandleFunc("POST /api/v1/blobs/insert/{uid}", func(w http.ResponseWriter, r *http.Request) {
		b, ok := read[struct {
			BlobData struct{ Messages []message } `json:"blob_data"`
		}](w, r)
		if !ok || !known(w, r) {
			return
		}
		uid := r.PathValue("uid")
		for _, m := range b.BlobData.Messages {
			if x := s.add(uid, item{Text: m.Content, Role: m.Role, Name: m.Alias, Time: m.CreatedAt}); x != nil {
				x.hidden = true
				buffer[uid] = append(buffer[uid], x)
			}
		}
		good(w, obj{"id": s.id("blobs "+uid, s.n), "chat_results": nil})
	})
	mux.HandleFunc("POST /api/v1/users/buffer/{uid}/chat", func(w http.ResponseWriter, r *http.Request) {
		if known(w, r) {
			s.later(buffer[r.PathValue("uid")]...)
			delete(buffer, r.PathValue("uid"))
			good(w, []any{})
		}
	})
	mux.HandleFunc("GET /api/v1/users/buffer/capacity/{uid}/chat", func(w http.ResponseWriter, r *http.Request) {
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
		good(w, obj{"ids": ids})
	})
	mux.HandleFunc("GET /api/v1/users/context/{uid}", func(w http.ResponseWriter, r *http.Request) {
		if !known(w, r) {
			return
		}
		var chats []message
		if err := json.Unmarshal([]byte(r.URL.Query().Get("chats_str")), &chats); err != nil || len(chats) == 0 {
			answer(w, 422, obj{"detail": "chats_str is not JSON"})
			return
		}
		lines := ""
		for _, x := range s.search(r.PathValue("uid"), chats[len(chats)-1].Content, 10) {
			lines += "\n- " + x.Name + " [" + x.Time + "] " + x.Text
		}
		text := ""
		if lines != "" {
			text = "---\n# Memory" + lines + "\n---"
		}
		good(w, obj{"context": text})
	})
	mux.HandleFunc("GET /api/v1/users/profile/{uid}", func(w http.ResponseWriter, r *http.Request) {
		if !known(w, r) {
			return
		}
		out := each(s.seen(r.PathValue("uid")), func(x *item) obj {
			return obj{"id": x.ID, "content": x.Name + " [" + x.Time + "] " + x.Text, "created_at": Epoch, "updated_at": Epoch, "attributes": obj{"topic": "talk", "sub_topic": x.Role}}
		})
		good(w, obj{"profiles": out})
	})
	mux.HandleFunc("DELETE /api/v1/users/{uid}", func(w http.ResponseWriter, r *http.Request) {
		if known(w, r) {
			delete(users, r.PathValue("uid"))
			delete(s.store, r.PathValue("uid"))
			good(w, nil)
		}
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
	mux.HandleFunc("GET /v3/documents/processing", func(w http.ResponseWriter, r *http.Request) {
		answer(w, 200, obj{"documents": []any{}, "totalCount": 0})
	})
	on(mux, "POST /v3/documents", func(w http.ResponseWriter, r *http.Request, b struct {
		Content      string
		ContainerTag string
		CustomID     string `json:"customId"`
		DocumentDate string
		Metadata     map[string]any
	}) {
		if len(b.ContainerTag) > 100 {
			answer(w, 400, obj{"error": "Bad Request", "details": "containerTag is longer than 100"})
			return
		}
		for _, v := range b.Metadata {
			if _, nested := v.(map[string]any); nested {
				answer(w, 400, obj{"error": "Bad Request", "details": "metadata must be flat"})
				return
			}
		}
		if id, again := custom[b.ContainerTag+"/"+b.CustomID]; again {
			answer(w, 200, obj{"id": id, "status": "done"})
			return
		}
		id := s.id("docs "+b.ContainerTag, len(docs))
		docs[id], custom[b.ContainerTag+"/"+b.CustomID] = s.document(b.ContainerTag, b.Content, item{Time: b.DocumentDate, Doc: id, Meta: b.Metadata}), id
		answer(w, 200, obj{"id": id, "status": "queued"})
	})
	mux.HandleFunc("GET /v3/documents/{id}", func(w http.ResponseWriter, r *http.Request) {
		t, ok := docs[r.PathValue("id")]
		if !ok {
			answer(w, 404, obj{"error": "Document not found"})
			return
		}
		status, dreaming := s.stages(t, "queued")
		answer(w, 200, obj{"id": r.PathValue("id"), "status": status, "dreamingStatus": dreaming})
	})
	on(mux, "POST /v4/search", func(w http.ResponseWriter, r *http.Request, b struct {
		Q, ContainerTag string
		Limit           int
	}) {
		out := []any{}
		for i, x := range s.search(b.ContainerTag, b.Q, min(100, b.Limit)) {
			hit := obj{"id": x.ID, "similarity": x.score, "metadata": x.Meta, "updatedAt": orEpoch(x.Time), "version": 1, "documents": []any{obj{"id": x.Doc}}}
			hit[[]string{"memory", "chunk"}[i%2]] = x.Text // hybrid mixes both
			out = append(out, hit)
		}
		answer(w, 200, obj{"results": out, "timing": 1, "total": len(out)})
	})
	mux.HandleFunc("POST /v4/memories/list", func(w http.ResponseWriter, r *http.Request) {
		b, ok := read[struct {
			ContainerTags []string
			Page, Limit   int
		}](w, r)
		if !ok || len(b.ContainerTags) == 0 {
			return
		}
		all := s.seen(b.ContainerTags[0])
		out := each(slicePage(all, b.Page, b.Limit), entry)
		answer(w, 200, obj{"memoryEntries": out, "pagination": obj{"currentPage": b.Page, "limit": b.Limit, "totalItems": len(all)}})
	})
	mux.HandleFunc("DELETE /v3/documents/bulk", func(w http.ResponseWriter, r *http.Request) {
		if b, ok := read[struct{ ContainerTags []string }](w, r); ok && len(b.ContainerTags) > 0 {
			delete(s.store, b.ContainerTags[0])
			answer(w, 200, obj{"success": true})
		}
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
	good := func(w http.ResponseWriter, data any) { answer(w, 200, obj{"code": 200, "message": "ok", "data": data}) }
	cube := func(id string, rows []any) obj {
		return obj{"text_mem": []any{obj{"cube_id": id, "memories": rows, "total_nodes": len(rows)}, obj{"cube_id": "empty", "memories": []any{}}}, "pref_mem": []any{}}
	}
	row := func(x *item, score float64) obj {
		return obj{"id": x.ID, "memory": x.Text, "metadata": obj{"memory_type": "LongTermMemory", "relativity": score, "created_at": orEpoch(x.Time)}}
	}
	on(mux, "POST /product/add", func(w http.ResponseWriter, r *http.Request, b struct {
		Cubes     []string `json:"writable_cube_ids"`
		SessionID string   `json:"session_id"`
		AsyncMode string   `json:"async_mode"`
		Messages  []message
	}) {
		if len(b.Cubes) != 1 || b.AsyncMode != "sync" {
			answer(w, 400, obj{"code": 400, "message": "want one cube, in sync mode", "data": nil})
			return
		}
		out := []any{}
		for i, m := range b.Messages {
			x := s.add(b.Cubes[0], item{Text: m.Content, Role: m.Role, Time: m.ChatTime, Session: b.SessionID})
			x = s.kept(x, i, m.Content)
			out = append(out, obj{"memory": x.Text, "memory_id": x.ID, "memory_type": "LongTermMemory"})
		}
		good(w, out)
	})
	on(mux, "POST /product/search", func(w http.ResponseWriter, r *http.Request, b struct {
		Cubes []string `json:"readable_cube_ids"`
		Query string
		TopK  int `json:"top_k"`
	}) {
		if b.Query == "" {
			answer(w, 200, obj{"code": 400, "message": "query is empty", "data": nil})
			return
		}
		rows := each(s.search(b.Cubes[0], b.Query, b.TopK), func(x found) obj { return row(x.item, x.score) })
		good(w, cube(b.Cubes[0], rows))
	})
	on(mux, "POST /product/get_memory", func(w http.ResponseWriter, r *http.Request, b struct {
		Cube string `json:"mem_cube_id"`
		Page int
		Size int `json:"page_size"`
	}) {
		rows := each(slicePage(s.seen(b.Cube), b.Page, b.Size), func(x *item) obj { return row(x, 0) })
		good(w, cube(b.Cube, rows))
	})
	on(mux, "POST /product/delete_memory", func(w http.ResponseWriter, r *http.Request, b struct {
		Cubes []string `json:"writable_cube_ids"`
	}) {
		delete(s.store, b.Cubes[0])
		good(w, nil)
	})
}

// everos extracts at flush and indexes later; it deletes nothing.
func everos(s *Server, mux *http.ServeMux) {
	buffer := map[string][]*item{}
	good := func(w http.ResponseWriter, data any) { answer(w, 200, obj{"request_id": "r", "data": data}) }
	bad := func(w http.ResponseWriter, status int, code, text string) {
		answer(w, status, obj{"request_id": "r", "error": obj{"code": code, "message": text}})
	}
	mux.HandleFunc("GET /api/v2/health", func(w http.ResponseWriter, r *http.Request) {
		answer(w, 200, obj{"status": "ok", "cascade": obj{"pending": s.lookAll()}})
	})
	on(mux, "POST /api/v2/memory/add", func(w http.ResponseWriter, r *http.Request, b struct {
		SessionID string `json:"session_id"`
		ProjectID string `json:"project_id"`
		Messages  []message
	}) {
		if len(b.Messages) == 0 || len(b.Messages) > 500 {
			bad(w, 422, "INVALID_INPUT", "1 to 500 messages")
			return
		}
		for _, m := range b.Messages {
			ms, isNumber := m.Timestamp.(float64)
			if !isNumber || ms < 1e11 {
				bad(w, 422, "INVALID_INPUT", "timestamp: want milliseconds")
				return
			}
			if x := s.add(b.ProjectID, item{Text: m.Content, Role: m.Role, Name: m.SenderName, Session: b.SessionID, Time: strconv.FormatFloat(ms, 'f', 0, 64)}); x != nil {
				x.hidden = true
				buffer[b.ProjectID] = append(buffer[b.ProjectID], x)
			}
		}
		good(w, obj{"message_count": len(b.Messages), "status": "accumulated"})
	})
	on(mux, "POST /api/v2/memory/flush", func(w http.ResponseWriter, r *http.Request, b struct {
		ProjectID string `json:"project_id"`
	}) {
		s.later(buffer[b.ProjectID]...)
		delete(buffer, b.ProjectID)
		good(w, obj{"status": "extracted"})
	})
	episode := func(x *item, score float64) obj {
		return obj{"id": x.ID, "session_id": x.Session, "timestamp": unixTime(int64(number(x.Time, 0))), "episode": x.Name + ": " + x.Text, "summary": x.Text, "score": score}
	}
	on(mux, "POST /api/v2/memory/search", func(w http.ResponseWriter, r *http.Request, b struct {
		ProjectID string `json:"project_id"`
		Query     string
		TopK      int `json:"top_k"`
	}) {
		out := each(s.search(b.ProjectID, b.Query, b.TopK), func(x found) obj { return episode(x.item, x.score) })
		good(w, obj{"episodes": out, "profiles": []any{}})
	})
	on(mux, "POST /api/v2/memory/get", func(w http.ResponseWriter, r *http.Request, b struct {
		ProjectID string `json:"project_id"`
		Page      int
		Size      int `json:"page_size"`
	}) {
		all := s.seen(b.ProjectID)
		out := each(slicePage(all, b.Page, b.Size), func(x *item) obj { return episode(x, 0) })
		good(w, obj{"episodes": out, "total_count": len(all), "count": len(out)})
	})
}
