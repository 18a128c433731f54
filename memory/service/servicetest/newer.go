package servicetest

import (
	"cmp"
	"io"
	"net/http"
	"strconv"
	"strings"
)

// zep4 gives every id itself, and works each add off as a task.
func zep4(s *Server, mux *http.ServeMux) {
	users, threads, graphs := map[string]string{}, map[string]string{}, map[string]string{} // user to graph, thread to user, graph to user
	added := map[string]obj{}                                                               // by Idempotency-Key
	bad := func(status int, text string) (int, any) {
		return status, obj{"error": obj{"code": "invalid", "message": text}}
	}
	page := func(r *http.Request, all []any) (int, any) {
		size, from := number(r.URL.Query().Get("page_size"), 10), number(r.URL.Query().Get("cursor"), 0)
		from = min(from, len(all))
		to := min(len(all), from+size)
		out := obj{"items": all[from:to]}
		if to < len(all) {
			out["next_cursor"] = strconv.Itoa(to)
		}
		return 200, out
	}
	route(mux, "POST /api/v4/users/list", func(r *http.Request) (int, any) { return page(r, nil) })
	on(mux, "POST /api/v4/users", func(r *http.Request, b struct{ Metadata map[string]any }) (int, any) {
		name, _ := b.Metadata["membench"].(string)
		user, graph := s.id("users "+name, len(users)), s.id("graphs "+name, len(users))
		users[user], graphs[graph] = graph, user
		return 201, obj{"uuid": user, "graph_uuid": graph}
	})
	on(mux, "POST /api/v4/threads", func(r *http.Request, b struct {
		User string `json:"user_uuid"`
	}) (int, any) {
		if users[b.User] == "" {
			return bad(404, "user not found")
		}
		id := s.id("threads", len(threads))
		threads[id] = b.User
		return 201, obj{"uuid": id, "user_uuid": b.User}
	})
	on(mux, "POST /api/v4/threads/{id}/messages", func(r *http.Request, b struct{ Messages []message }) (int, any) {
		user, key := threads[r.PathValue("id")], r.Header.Get("Idempotency-Key")
		if user == "" || len(b.Messages) > 30 {
			return bad(400, "no such thread, or more than 30 messages")
		}
		if old := added[key]; old != nil && key != "" {
			return 202, old
		}
		var items []*item
		sent := []any{}
		for i, m := range b.Messages {
			x := s.add(user, item{Text: m.Content, Role: m.Role, Name: m.Name, Time: m.ReferenceTime})
			items = append(items, x)
			sent = append(sent, obj{"uuid": s.kept(x, i, m.Content).ID, "content": m.Content})
		}
		task := s.later(items...)
		added[key] = obj{"messages": sent, "task": obj{"uuid": task, "status": "pending"}}
		return 202, added[key]
	})
	route(mux, "GET /api/v4/tasks/{id}", func(r *http.Request) (int, any) {
		state, ok := map[string]string{"working": "processing", "done": "succeeded", "failed": "failed"}[s.look(r.PathValue("id"))]
		if !ok {
			return bad(404, "task not found")
		}
		return 200, obj{"uuid": r.PathValue("id"), "status": state}
	})
	edge4 := func(x *item) obj {
		e := edge(x)
		e["episode_uuids"] = e["episodes"]
		delete(e, "episodes")
		return e
	}
	on(mux, "POST /api/v4/graphs/{id}/search/edges", func(r *http.Request, b struct{ Query string }) (int, any) {
		out := []any{}
		for _, x := range s.search(graphs[r.PathValue("id")], b.Query, 50) {
			e := edge4(x.item)
			e["score"], e["relevance"] = x.score/2, x.score
			out = append(out, e)
		}
		return page(r, out)
	})
	route(mux, "POST /api/v4/graphs/{id}/edges/list", func(r *http.Request) (int, any) {
		out := each(s.seen(graphs[r.PathValue("id")]), edge4)
		return page(r, out)
	})
	route(mux, "DELETE /api/v4/users/{id}", func(r *http.Request) (int, any) {
		user := r.PathValue("id")
		if users[user] == "" {
			return bad(404, "user not found")
		}
		delete(users, user)
		delete(s.store, user)
		return 202, obj{"task": obj{"uuid": s.later()}}
	})
}

// supermemory5 has namespaces; a line of a document is a memory.
func supermemory5(s *Server, mux *http.ServeMux) {
	docs := map[string]string{} // id to task
	system := func(x *item) obj { return obj{"createdAt": orEpoch(x.Time), "updatedAt": orEpoch(x.Time)} }
	route(mux, "GET /ns", func(r *http.Request) (int, any) { return 200, obj{"namespaces": []any{}} })
	on(mux, "POST /ns/{ns}/document", func(r *http.Request, b struct {
		ID, Content, Date string
		Metadata          map[string]any
	}) (int, any) {
		docs[b.ID] = s.document(r.PathValue("ns"), b.Content, item{Time: b.Date, Doc: b.ID, Meta: b.Metadata})
		return 200, obj{"id": b.ID, "status": "queued"}
	})
	route(mux, "GET /ns/{ns}/document/{id}", func(r *http.Request) (int, any) {
		task, ok := docs[r.PathValue("id")]
		if !ok {
			return 404, obj{"error": "Document not found"}
		}
		status, dreaming := s.stages(task, "dreaming")
		return 200, obj{"id": r.PathValue("id"), "system": obj{"status": status, "dreamingStatus": dreaming}}
	})
	on(mux, "POST /ns/{ns}/search", func(r *http.Request, b struct {
		Query string
		Limit int
	}) (int, any) {
		out := []any{}
		for i, x := range s.search(r.PathValue("ns"), b.Query, min(100, b.Limit)) {
			hit := obj{"id": x.ID, "similarity": x.score, "metadata": x.Meta, "system": system(x.item), "included": obj{"documents": []any{obj{"id": x.Doc}}}}
			hit[[]string{"memory", "chunk"}[i%2]] = x.Text // hybrid mixes both
			out = append(out, hit)
		}
		return 200, obj{"results": out, "searchTime": 1}
	})
	route(mux, "POST /ns/{ns}/list/memories", func(r *http.Request) (int, any) {
		all := s.seen(r.PathValue("ns"))
		page, limit := number(r.URL.Query().Get("page"), 1), number(r.URL.Query().Get("limit"), 10)
		out := each(slicePage(all, page, limit), func(x *item) obj {
			return obj{"id": x.ID, "memory": x.Text, "metadata": x.Meta, "version": 1, "isLatest": true, "system": system(x)}
		})
		return 200, obj{"documents": []any{}, "chunks": []any{}, "memories": out, "pagination": obj{"currentPage": page, "limit": limit, "totalItems": len(all)}}
	})
	route(mux, "DELETE /ns/{ns}", func(r *http.Request) (int, any) {
		delete(s.store, r.PathValue("ns"))
		return 200, obj{"status": "deleted", "namespace": r.PathValue("ns")}
	})
}

// cognee takes uploads and builds its graph when it is asked to; a chunk is one line.
func cognee(s *Server, mux *http.ServeMux) {
	waiting := map[string][]*item{}
	known := map[string]bool{}
	route(mux, "GET /api/v1/datasets", func(r *http.Request) (int, any) { return 200, []any{} })
	route(mux, "POST /api/v1/add", func(r *http.Request) (int, any) {
		file, _, err := r.FormFile("data")
		if err != nil {
			return 400, obj{"detail": err.Error()}
		}
		defer file.Close()
		set := r.FormValue("datasetName")
		known[set] = true
		text, _ := io.ReadAll(file) // a form in memory
		for line := range strings.SplitSeq(string(text), "\n") {
			if x := s.add(set, item{Text: line}); x != nil {
				x.hidden = true
				waiting[set] = append(waiting[set], x)
			}
		}
		return 200, obj{"status": "PipelineRunCompleted", "dataset_id": s.id("datasets "+set, 0), "dataset_name": set}
	})
	on(mux, "POST /api/v1/cognify", func(r *http.Request, b struct{ Datasets []string }) (int, any) {
		if s.Fails {
			return 409, obj{"error": "pipeline failed"}
		}
		for _, set := range b.Datasets {
			for _, x := range waiting[set] {
				x.hidden = false
			}
			delete(waiting, set)
		}
		return 200, obj{s.id("datasets", 0): obj{"status": "PipelineRunCompleted"}}
	})
	on(mux, "POST /api/v1/search", func(r *http.Request, b struct {
		Query    string
		Datasets []string
		TopK     int
	}) (int, any) {
		if !known[b.Datasets[0]] {
			return 404, obj{"detail": "no dataset"}
		}
		rows := each(s.search(b.Datasets[0], b.Query, b.TopK), func(x found) obj { return obj{"id": x.ID, "text": x.Text} })
		return 200, []any{obj{"search_result": rows, "dataset_name": b.Datasets[0]}}
	})
	on(mux, "POST /api/v1/forget", func(r *http.Request, b struct{ Dataset string }) (int, any) {
		delete(known, b.Dataset)
		delete(s.store, b.Dataset)
		return 200, obj{"status": "success"}
	})
}

// lettaAgent keeps the messages it receives and answers with them.
func lettaAgent(s *Server, mux *http.ServeMux) {
	agents := s.agents(mux)
	on(mux, "POST /v1/agents/{id}/messages", func(r *http.Request, b struct{ Messages []message }) (int, any) {
		id := r.PathValue("id")
		if !agents[id] {
			return 404, obj{"detail": "Agent not found"}
		}
		text, stop := "Noted.", "end_turn"
		if s.Fails {
			stop = "error"
		}
		asked := b.Messages[0].Content
		if !strings.Contains(asked, ": ") { // nobody speaks in it: it is a question
			text = "I do not know."
			if found := s.search(id, asked, 1); len(found) > 0 {
				text = found[0].Text
			}
		} else {
			for line := range strings.SplitSeq(asked, "\n") {
				s.add(id, item{Text: line})
			}
		}
		return 200, obj{"messages": []any{
			obj{"id": "message-1", "message_type": "reasoning_message", "reasoning": "they speak to me"},
			obj{"id": "message-2", "message_type": "assistant_message", "content": text},
		}, "stop_reason": obj{"stop_reason": stop}, "usage": obj{"prompt_tokens": 10, "completion_tokens": 3, "step_count": 1}}
	})
	route(mux, "DELETE /v1/agents/{id}", func(r *http.Request) (int, any) {
		delete(agents, r.PathValue("id"))
		delete(s.store, r.PathValue("id"))
		return 200, obj{"message": "deleted"}
	})
}

// memu works a conversation off in the background and writes sentences of its own.
func memu(s *Server, mux *http.ServeMux) {
	row := func(x *item) obj {
		return obj{"memory_id": x.ID, "category": "event", "content": x.Text, "happened_at": orEpoch(x.Time), "created_at": Epoch, "updated_at": Epoch}
	}
	on(mux, "POST /api/v2/memory/memorize", func(r *http.Request, b struct {
		UserID       string `json:"user_id"`
		AgentID      string `json:"agent_id"`
		UserName     string `json:"user_name"`
		SessionDate  string `json:"session_date"`
		Conversation []struct{ Role, Content, Time string }
	}) (int, any) {
		if b.UserID == "" || b.AgentID == "" || b.UserName == "" {
			return 422, obj{"detail": "user_id, user_name and agent_id are required"}
		}
		var items []*item
		for _, m := range b.Conversation {
			t := cmp.Or(m.Time, b.SessionDate)
			items = append(items, s.add(b.UserID, item{Text: m.Content, Role: m.Role, Time: t}))
		}
		return 200, obj{"task_id": s.later(items...), "status": "PENDING", "message": "queued"}
	})
	route(mux, "GET /api/v2/memory/memorize/status/{id}", func(r *http.Request) (int, any) {
		return 200, obj{"task_id": r.PathValue("id"), "status": map[string]string{"working": "PENDING", "done": "SUCCESS", "failed": "FAILURE"}[s.look(r.PathValue("id"))]}
	})
	on(mux, "POST /api/v2/memory/retrieve/related-memory-items", func(r *http.Request, b struct {
		UserID string `json:"user_id"`
		Query  string
		TopK   int `json:"top_k"`
	}) (int, any) {
		out := each(s.search(b.UserID, b.Query, b.TopK), func(x found) obj { return obj{"memory": row(x.item), "user_id": b.UserID, "similarity_score": x.score} })
		return 200, obj{"related_memories": out, "query": b.Query, "total_found": len(out), "search_params": obj{}}
	})
	on(mux, "POST /api/v2/memory/retrieve/default-categories", func(r *http.Request, b struct {
		UserID string `json:"user_id"`
	}) (int, any) {
		rows := each(s.seen(b.UserID), row)
		return 200, obj{"categories": []any{obj{"name": "event", "type": "default", "memory_items": obj{"memories": rows, "memory_count": len(rows)}}, obj{"name": "profile", "type": "default"}}, "total_categories": 2}
	})
	on(mux, "POST /api/v2/memory/delete", func(r *http.Request, b struct {
		UserID string `json:"user_id"`
	}) (int, any) {
		delete(s.store, b.UserID)
		return 200, obj{"success": true, "deleted_count": 1}
	})
}

// memosCloud says its own code inside a 200 and works messages off in the background.
func memosCloud(s *Server, mux *http.ServeMux) {
	good := func(data any) (int, any) { return 200, obj{"code": 0, "message": "ok", "data": data} }
	bad := func(text string) (int, any) {
		return 200, obj{"code": 40000, "message": text, "data": nil}
	}
	row := func(x *item, score float64) obj {
		return obj{"id": x.ID, "memory_key": "said", "memory_value": x.Text, "memory_type": "UserMemory", "conversation_id": x.Session, "create_time": orEpoch(x.Time), "update_time": orEpoch(x.Time), "relativity": score}
	}
	on(mux, "POST /api/openmem/v1/add/message", func(r *http.Request, b struct {
		UserID         string `json:"user_id"`
		ConversationID string `json:"conversation_id"`
		Messages       []message
	}) (int, any) {
		if b.UserID == "" || b.ConversationID == "" || len(b.Messages) == 0 {
			return bad("user_id, conversation_id and messages are required")
		}
		var items []*item
		for _, m := range b.Messages {
			items = append(items, s.add(b.UserID, item{Text: m.Content, Role: m.Role, Time: m.ChatTime, Session: b.ConversationID}))
		}
		return good(obj{"success": true, "task_id": s.later(items...), "status": "running"})
	})
	on(mux, "POST /api/openmem/v1/get/status", func(r *http.Request, b struct {
		TaskID string `json:"task_id"`
	}) (int, any) {
		return good([]any{obj{"task_id": b.TaskID, "status": map[string]string{"working": "running", "done": "completed", "failed": "failed"}[s.look(b.TaskID)]}})
	})
	on(mux, "POST /api/openmem/v1/search/memory", func(r *http.Request, b struct {
		UserID string `json:"user_id"`
		Query  string
		Limit  int `json:"memory_limit_number"`
	}) (int, any) {
		rows := each(s.search(b.UserID, b.Query, b.Limit), func(x found) obj { return row(x.item, x.score) })
		return good(obj{"memory_detail_list": rows, "preference_note": ""})
	})
	on(mux, "POST /api/openmem/v1/get/memory", func(r *http.Request, b struct {
		UserID     string `json:"user_id"`
		Page, Size int
	}) (int, any) {
		if b.Size > 50 {
			return bad("size must be less than or equal to 50")
		}
		all := s.seen(b.UserID)
		rows := each(slicePage(all, b.Page, b.Size), func(x *item) obj { return row(x, 0) })
		return good(obj{"memory_detail_list": rows, "total": len(all), "size": b.Size, "current": b.Page})
	})
	on(mux, "POST /api/openmem/v1/delete/memory", func(r *http.Request, b struct {
		UserID string `json:"user_id"`
	}) (int, any) {
		delete(s.store, b.UserID)
		return good(obj{"success": true})
	})
}

// hindsight keeps facts in banks and answers on return.
func hindsight(s *Server, mux *http.ServeMux) {
	banks := map[string]bool{}
	fact := func(x *item) obj {
		return obj{"id": x.ID, "text": x.Text, "type": "world", "context": x.Session, "mentioned_at": orEpoch(x.Time), "date": orEpoch(x.Time), "occurred_start": orEpoch(x.Time), "tags": x.Tags, "metadata": x.Meta, "document_id": x.Doc}
	}
	route(mux, "GET /version", func(r *http.Request) (int, any) { return 200, obj{"api_version": "1.1.0"} })
	route(mux, "PUT /v1/default/banks/{bank}", func(r *http.Request) (int, any) {
		banks[r.PathValue("bank")] = true
		return 200, obj{"bank_id": r.PathValue("bank")}
	})
	on(mux, "POST /v1/default/banks/{bank}/memories", func(r *http.Request, b struct {
		Items []struct {
			Content, Timestamp, Context string
			Doc                         string `json:"document_id"`
			Metadata                    map[string]any
			Tags                        []any
		}
	}) (int, any) {
		for _, m := range b.Items {
			s.add(r.PathValue("bank"), item{Text: m.Content, Time: m.Timestamp, Session: m.Context, Doc: m.Doc, Meta: m.Metadata, Tags: m.Tags})
		}
		return 200, obj{"success": true, "bank_id": r.PathValue("bank"), "items_count": len(b.Items), "async": false}
	})
	on(mux, "POST /v1/default/banks/{bank}/memories/recall", func(r *http.Request, b struct{ Query string }) (int, any) {
		out := []any{}
		for _, x := range s.search(r.PathValue("bank"), b.Query, 100) {
			f := fact(x.item)
			f["scores"] = obj{"final": x.score}
			out = append(out, f)
		}
		return 200, obj{"results": out}
	})
	route(mux, "GET /v1/default/banks/{bank}/memories/list", func(r *http.Request) (int, any) {
		all := s.seen(r.PathValue("bank"))
		limit, offset := number(r.URL.Query().Get("limit"), 100), number(r.URL.Query().Get("offset"), 0)
		out := each(all[min(len(all), offset):min(len(all), offset+limit)], fact)
		return 200, obj{"items": out, "total": len(all), "limit": limit, "offset": offset}
	})
	route(mux, "DELETE /v1/default/banks/{bank}", func(r *http.Request) (int, any) {
		if !banks[r.PathValue("bank")] {
			return 404, obj{"detail": "Bank not found"}
		}
		delete(banks, r.PathValue("bank"))
		delete(s.store, r.PathValue("bank"))
		return 200, obj{"success": true, "deleted_count": 1}
	})
}
