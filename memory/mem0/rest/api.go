package rest

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"membench/schema"
)

// api is what the services have in common.
type api interface {
	add(ctx context.Context, a adding) ([]result, error)
	search(ctx context.Context, user, query string, k int) ([]item, error)
	// list returns all items of user; one that the server cut off comes with a *CutError.
	list(ctx context.Context, user string) ([]item, error)
	get(ctx context.Context, id schema.PointID) (found bool, err error)
	remove(ctx context.Context, id schema.PointID) error
	version() string
	raw() bool // can store turns as they are
}

type adding struct {
	user, session string
	messages      []message
	meta          schema.Object
	at            time.Time // zero: not known
	raw           bool
}

type message struct {
	Role    string `json:"role"`
	Content string `json:"content"`
}

type result struct {
	ID       schema.PointID `json:"id"`
	Memory   string         `json:"memory"`
	Event    string         `json:"event"`
	Previous string         `json:"previous_memory"`
}

// item is one memory as lists and searches give it.
type item struct {
	ID        schema.PointID `json:"id"`
	Memory    string         `json:"memory"`
	Hash      string         `json:"hash"`
	Metadata  *schema.Object `json:"metadata"`
	CreatedAt string         `json:"created_at"`
	UpdatedAt string         `json:"updated_at"`
	Role      string         `json:"role"`
	By        string         `json:"attributed_to"`
	RunID     string         `json:"run_id"`
	SessionID string         `json:"session_id"` // the platform's run_id in lists
	Score     float64        `json:"score"`
}

func (i item) meta(name string) string {
	if i.Metadata == nil {
		return ""
	}
	return i.Metadata.Text(name)
}

type results[T any] struct {
	Results []T    `json:"results"`
	Next    string `json:"next"`
}

// CutError means that a list may be longer than the server returned.
type CutError struct{ Limit int }

func (e *CutError) Error() string {
	return fmt.Sprintf("the server lists at most %d memories and listed as many: there may be more; export from its Qdrant store instead (--backend qdrant or mem0-local)", e.Limit)
}

// oss is Mem0's own server, as seen in 1.0.11 and 2.0.18 (data/mem0_real).
type oss struct {
	c   *client
	two bool // server 2.x: ids in filters, top_k, threshold
	new bool // 1.0.8 or newer: takes infer and prompt
}

// detect finds out which generation a server is, by what it answers without a key.
func detect(ctx context.Context, c *client) (*oss, error) {
	o := &oss{c: c}
	status := func(path string) (int, error) {
		err := c.call(ctx, http.MethodGet, path, nil, nil, nil)
		var e *Error
		if errors.As(err, &e) {
			return e.Status, nil
		}
		return http.StatusOK, err
	}
	if code, err := status("/auth/setup-status"); err != nil {
		return nil, err
	} else if code == http.StatusOK {
		o.two, o.new = true, true
		return o, nil
	}
	switch code, err := status("/configure"); {
	case err != nil:
		return nil, err
	case code == http.StatusMethodNotAllowed: // 1.x can only be told
	case code == http.StatusOK || code == http.StatusUnauthorized || code == http.StatusForbidden:
		o.two, o.new = true, true // 2.0.0
		return o, nil
	default:
		return nil, fmt.Errorf("the service at %s is not a Mem0 server: GET /configure returned %d; want one of mem0's server/ (the platform is --backend mem0-platform)", c.base, code)
	}
	var spec struct {
		Components struct {
			Schemas map[string]struct {
				Properties map[string]any `json:"properties"`
			} `json:"schemas"`
		} `json:"components"`
	}
	if err := c.call(ctx, http.MethodGet, "/openapi.json", nil, nil, &spec); err == nil {
		_, o.new = spec.Components.Schemas["MemoryCreate"].Properties["infer"]
	}
	return o, nil
}

func (o *oss) version() string {
	switch {
	case o.two:
		return "oss-2"
	case o.new:
		return "oss-1.0.8+"
	}
	return "oss-1.0.7-"
}

func (o *oss) raw() bool { return o.new }

// add names no run_id: Mem0 compares new facts only with those of the same ids, so a
// session of its own would never update what an earlier one said. The date of the
// dialogue is an instruction: 2.x shows `prompt` to its model; 1.x accepts and ignores it, but shows its model system messages, with the instruction to
// extract no facts from them.
func (o *oss) add(ctx context.Context, a adding) ([]result, error) {
	body := map[string]any{"messages": a.messages, "user_id": a.user, "metadata": a.meta}
	if !a.at.IsZero() && !a.raw {
		date := "Observation Date is " + a.at.Format(time.DateOnly) + "."
		if o.two {
			body["prompt"] = date
		} else {
			body["messages"] = append([]message{{"system", date}}, a.messages...)
		}
	}
	if a.raw {
		body["infer"] = false
	}
	var r results[result]
	err := o.c.call(ctx, http.MethodPost, "/memories", nil, body, &r)
	return r.Results, err
}

func (o *oss) search(ctx context.Context, user, query string, k int) ([]item, error) {
	body := map[string]any{"query": query, "user_id": user, "limit": k}
	if o.two {
		body = map[string]any{"query": query, "filters": map[string]any{"user_id": user}, "top_k": k, "threshold": 0}
	}
	var r results[item]
	err := o.c.call(ctx, http.MethodPost, "/search", nil, body, &r)
	return r.Results, err
}

func (o *oss) list(ctx context.Context, user string) ([]item, error) {
	q, limit := url.Values{"user_id": {user}}, 100
	if o.two {
		limit = 1000
		q.Set("top_k", strconv.Itoa(limit))
	}
	var r results[item]
	if err := o.c.call(ctx, http.MethodGet, "/memories", q, nil, &r); err != nil {
		return nil, err
	}
	if len(r.Results) >= limit {
		return r.Results, &CutError{limit}
	}
	return r.Results, nil
}

func (o *oss) get(ctx context.Context, id schema.PointID) (bool, error) {
	var x *item // null when unknown
	err := o.c.call(ctx, http.MethodGet, "/memories/"+url.PathEscape(string(id)), nil, nil, &x)
	return x != nil && x.ID == id, err
}

func (o *oss) remove(ctx context.Context, id schema.PointID) error {
	err := o.c.call(ctx, http.MethodDelete, "/memories/"+url.PathEscape(string(id)), nil, nil, nil)
	if err == nil {
		return nil
	}
	if found, gerr := o.get(ctx, id); gerr == nil && !found { // 404, or 500 of 1.x
		return nil
	}
	return err
}

// platform is api.mem0.ai, from its documentation: every path ends in a slash, adding
// is an event that is waited for.
type platform struct{ c *client }

const (
	poll     = 2 * time.Second  // between looks at an event
	eventEnd = 10 * time.Minute // for an event at most
)

func (p *platform) version() string { return "platform-v3" }
func (p *platform) raw() bool       { return true }

func (p *platform) add(ctx context.Context, a adding) ([]result, error) {
	body := map[string]any{"messages": a.messages, "user_id": a.user, "metadata": a.meta}
	if a.session != "" {
		body["run_id"] = a.session
	}
	if !a.at.IsZero() {
		body["timestamp"] = a.at.Unix()
	}
	if a.raw {
		body["infer"] = false
	}
	var r struct {
		EventID string    `json:"event_id"`
		Results *[]result `json:"results"`
	}
	if err := p.c.call(ctx, http.MethodPost, "/v3/memories/add/", nil, body, &r); err != nil {
		return nil, err
	}
	if r.EventID == "" || r.Results != nil {
		if r.Results == nil {
			return nil, errors.New("POST /v3/memories/add/: neither an event nor results")
		}
		return *r.Results, nil
	}
	for waited := time.Duration(0); waited < eventEnd; waited += poll {
		var e struct {
			Status  string   `json:"status"`
			Results []result `json:"results"`
			Error   any      `json:"error"`
		}
		if err := p.c.call(ctx, http.MethodGet, "/v1/event/"+url.PathEscape(r.EventID)+"/", nil, nil, &e); err != nil {
			return nil, &UnsureError{err}
		}
		switch e.Status {
		case "SUCCEEDED":
			return e.Results, nil
		case "FAILED":
			return nil, fmt.Errorf("event %s failed: %v", r.EventID, e.Error)
		}
		if err := p.c.sleep(ctx, poll); err != nil {
			return nil, err
		}
	}
	return nil, &UnsureError{fmt.Errorf("event %s did not end in %v", r.EventID, eventEnd)}
}

func (p *platform) search(ctx context.Context, user, query string, k int) ([]item, error) {
	var r results[item]
	err := p.c.call(ctx, http.MethodPost, "/v3/memories/search/", nil, map[string]any{"query": query, "filters": map[string]any{"user_id": user}, "top_k": k, "threshold": 0}, &r)
	return r.Results, err
}

func (p *platform) list(ctx context.Context, user string) ([]item, error) {
	var out []item
	seen := map[schema.PointID]bool{}
	for page := 1; ; page++ {
		var r results[item]
		q := url.Values{"page": {strconv.Itoa(page)}, "page_size": {"200"}}
		if err := p.c.call(ctx, http.MethodPost, "/v3/memories/", q, map[string]any{"filters": map[string]any{"user_id": user}}, &r); err != nil {
			return nil, err
		}
		fresh := 0
		for _, i := range r.Results {
			if !seen[i.ID] {
				seen[i.ID] = true
				out = append(out, i)
				fresh++
			}
		}
		switch {
		case r.Next == "":
			return out, nil
		case fresh == 0:
			return nil, fmt.Errorf("POST /v3/memories/: page %d contains nothing new, but names a next page", page)
		}
	}
}

func (p *platform) get(ctx context.Context, id schema.PointID) (bool, error) {
	var x item
	err := p.c.call(ctx, http.MethodGet, "/v1/memories/"+url.PathEscape(string(id))+"/", nil, nil, &x)
	var e *Error
	if errors.As(err, &e) && e.Status == http.StatusNotFound {
		return false, nil
	}
	return x.ID == id, err
}

func (p *platform) remove(ctx context.Context, id schema.PointID) error {
	err := p.c.call(ctx, http.MethodDelete, "/v1/memories/"+url.PathEscape(string(id))+"/", nil, nil, nil)
	var e *Error
	if errors.As(err, &e) && e.Status == http.StatusNotFound {
		return nil
	}
	return err
}
