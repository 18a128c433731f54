package llmtest

import (
	"cmp"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"time"

	"membench/internal/codec"
)

// A Server speaks the wire format of an OpenAI-compatible endpoint: /v1/models,
// /v1/chat/completions and /v1/embeddings, vectors as numbers or base64 as asked.
// Faults come from scripts: Next puts replies before those of Chat.
type Server struct {
	*httptest.Server
	// Chat answers; the default is "ok", or {"ok":true} where JSON was asked for.
	Chat func(ChatRequest) Reply
	// Vector embeds one text; the default hashes its words into 64 dimensions.
	Vector func(text string) []float32
	// Key refuses requests with any other key; "" takes all.
	Key string
	// Models are listed and no other is known; none: any name is.
	Models []string

	mu    sync.Mutex
	next  []Reply
	asked []Asked
}

// A ChatRequest is what was posted to /v1/chat/completions.
type ChatRequest struct {
	Model    string `json:"model"`
	Messages []struct {
		Role    string `json:"role"`
		Content string `json:"content"`
	} `json:"messages"`
	ResponseFormat struct {
		Type string `json:"type"`
	} `json:"response_format"`
}

// System and Prompt are the texts of the system's and of the last message.
func (r ChatRequest) System() string {
	for _, m := range r.Messages {
		if m.Role == "system" {
			return m.Content
		}
	}
	return ""
}

// Prompt is the text of the last message.
func (r ChatRequest) Prompt() string {
	if len(r.Messages) == 0 {
		return ""
	}
	return r.Messages[len(r.Messages)-1].Content
}

// A Reply is one answer, good or faulty. The zero Reply is an empty good one.
type Reply struct {
	Text    string // of the one choice
	Finish  string // finish_reason; default stop
	Refusal string // with content null
	Model   string // default the one asked for
	Usage   string // JSON of usage; default counted in words, "-" leaves it out

	Status int               // 0: 200
	Header map[string]string // e.g. Retry-After
	Body   string            // in place of all the above; on embeddings too
	Before string            // sent first: blank lines that keep a connection alive
	Wait   time.Duration     // before anything is sent
	CutAt  int               // bytes of the body after which the connection breaks
}

// Asked is one request as it came in.
type Asked struct {
	Path string
	Key  string // from Authorization: Bearer
	Body []byte
}

// Fault is a reply with a status and an error in the endpoints' form.
func Fault(status int, code, message string) Reply {
	b := fmt.Appendf(nil, `{"error":{"message":%s,"type":"error","param":null,"code":%s}}`, codec.AppendString(nil, message), codec.AppendString(nil, code))
	return Reply{Status: status, Body: string(b)}
}

// NewServer starts a server; Close ends it.
func NewServer() *Server {
	s := &Server{}
	s.Server = httptest.NewServer(http.HandlerFunc(s.serve))
	return s
}

// BaseURL is what clients are given.
func (s *Server) BaseURL() string { return s.URL + "/v1" }

// Next appends replies that come before those of Chat and Vector.
func (s *Server) Next(r ...Reply) *Server {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.next = append(s.next, r...)
	return s
}

// Drop forgets the replies that Next has appended.
func (s *Server) Drop() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.next = nil
}

// Asked returns the requests so far, GETs aside.
func (s *Server) Asked() []Asked {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Asked(nil), s.asked...)
}

func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	key := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	w.Header().Set("Content-Type", "application/json")
	if s.Key != "" && key != s.Key {
		s.reply(w, r, Fault(http.StatusUnauthorized, "invalid_api_key", "Incorrect API key provided: "+key+"."), nil)
		return
	}
	if r.Method == http.MethodGet && r.URL.Path == "/v1/models" {
		s.reply(w, r, Reply{}, s.modelList())
		return
	}
	s.mu.Lock()
	s.asked = append(s.asked, Asked{r.URL.Path, key, body})
	var next *Reply
	if len(s.next) > 0 {
		next, s.next = &s.next[0], s.next[1:]
	}
	s.mu.Unlock()
	var head struct {
		Model string `json:"model"`
	}
	if json.Unmarshal(body, &head) != nil || head.Model == "" {
		s.reply(w, r, Fault(http.StatusBadRequest, "", "you must provide a model parameter"), nil)
		return
	}
	switch {
	case next != nil && (next.Status != 0 || next.Body != ""):
		s.reply(w, r, *next, nil)
	case !s.knows(head.Model):
		s.reply(w, r, Fault(http.StatusNotFound, "model_not_found", "The model `"+head.Model+"` does not exist"), nil)
	case r.URL.Path == "/v1/chat/completions":
		s.chat(w, r, body, next)
	case r.URL.Path == "/v1/embeddings":
		s.embeddings(w, r, body, next)
	default:
		s.reply(w, r, Fault(http.StatusNotFound, "", "unknown path "+r.URL.Path), nil)
	}
}

func (s *Server) knows(model string) bool {
	for _, m := range s.Models {
		if m == model {
			return true
		}
	}
	return len(s.Models) == 0
}

func (s *Server) modelList() []byte {
	b := []byte(`{"object":"list","data":[`)
	for i, m := range s.Models {
		if i > 0 {
			b = append(b, ',')
		}
		b = fmt.Appendf(b, `{"id":%s,"object":"model","created":1700000000,"owned_by":"stub"}`, codec.AppendString(nil, m))
	}
	return append(b, "]}"...)
}

func (s *Server) chat(w http.ResponseWriter, r *http.Request, body []byte, next *Reply) {
	var req ChatRequest
	if err := json.Unmarshal(body, &req); err != nil || len(req.Messages) == 0 {
		s.reply(w, r, Fault(http.StatusBadRequest, "", "messages: want a list"), nil)
		return
	}
	var rep Reply
	switch {
	case next != nil:
		rep = *next
	case s.Chat != nil:
		rep = s.Chat(req)
	case req.ResponseFormat.Type != "":
		rep = Reply{Text: `{"ok":true}`}
	default:
		rep = Reply{Text: "ok"}
	}
	if rep.Status != 0 || rep.Body != "" {
		s.reply(w, r, rep, nil)
		return
	}
	in := 0
	for _, m := range req.Messages {
		in += 4 + words(m.Content)
	}
	out := words(rep.Text)
	if rep.Usage == "" {
		rep.Usage = fmt.Sprintf(`{"prompt_tokens":%d,"completion_tokens":%d,"total_tokens":%d}`, in, out, in+out)
	}
	rep.Model = cmp.Or(rep.Model, req.Model)
	rep.Finish = cmp.Or(rep.Finish, "stop")
	content := codec.AppendString(nil, rep.Text)
	if rep.Refusal != "" {
		content = fmt.Appendf([]byte("null"), `,"refusal":%s`, codec.AppendString(nil, rep.Refusal))
	}
	b := fmt.Appendf(nil, `{"id":"chatcmpl-0","object":"chat.completion","created":1700000000,"model":%s,"choices":[{"index":0,"message":{"role":"assistant","content":%s},"finish_reason":%s}]`,
		codec.AppendString(nil, rep.Model), content, codec.AppendString(nil, rep.Finish))
	if rep.Usage != "-" {
		b = append(append(b, `,"usage":`...), rep.Usage...)
	}
	s.reply(w, r, rep, append(b, '}'))
}

// wordVector has length 1 and is near that of texts with the same words.
func wordVector(s string) []float32 {
	v := make([]float32, 64)
	for _, w := range strings.Fields(strings.ToLower(s)) {
		h := fnv.New32a()
		h.Write([]byte(w))
		v[h.Sum32()%64]++
	}
	sum := 0.0
	for _, x := range v {
		sum += float64(x * x)
	}
	if sum == 0 {
		v[0], sum = 1, 1
	}
	for i := range v {
		v[i] /= float32(math.Sqrt(sum))
	}
	return v
}

func words(s string) int {
	low := len(strings.Fields(s))
	return max(low, len(s)/4)
}

func (s *Server) embeddings(w http.ResponseWriter, r *http.Request, body []byte, next *Reply) {
	var req struct {
		Model      string          `json:"model"`
		Input      json.RawMessage `json:"input"`
		Dimensions int             `json:"dimensions"`
		Format     string          `json:"encoding_format"`
	}
	var texts []string
	err := json.Unmarshal(body, &req)
	if err == nil && json.Unmarshal(req.Input, &texts) != nil {
		texts = []string{""}
		err = json.Unmarshal(req.Input, &texts[0])
	}
	for _, t := range texts {
		if t == "" {
			err = io.ErrUnexpectedEOF
		}
	}
	if err != nil || len(texts) == 0 {
		s.reply(w, r, Fault(http.StatusBadRequest, "", "'$.input' is invalid"), nil)
		return
	}
	rep := Reply{}
	if next != nil {
		rep = *next
	}
	b := []byte(`{"object":"list","data":[`)
	n := 0
	for i, t := range texts {
		n += max(1, words(t))
		var v []float32
		if s.Vector != nil {
			v = s.Vector(t)
		} else {
			v = wordVector(t)
		}
		if req.Dimensions > 0 && req.Dimensions != len(v) {
			s.reply(w, r, Fault(http.StatusBadRequest, "", fmt.Sprintf("this model has %d dimensions", len(v))), nil)
			return
		}
		if i > 0 {
			b = append(b, ',')
		}
		b = fmt.Appendf(b, `{"object":"embedding","index":%d,"embedding":`, i)
		if req.Format == "base64" {
			raw := make([]byte, 0, 4*len(v))
			for _, x := range v {
				raw = binary.LittleEndian.AppendUint32(raw, math.Float32bits(x))
			}
			b = append(append(append(b, '"'), base64.StdEncoding.EncodeToString(raw)...), '"')
		} else {
			list, err := json.Marshal(v)
			if err != nil {
				s.reply(w, r, Fault(http.StatusInternalServerError, "", err.Error()), nil)
				return
			}
			b = append(b, list...)
		}
		b = append(b, '}')
	}
	b = fmt.Appendf(b, `],"model":%s,"usage":{"prompt_tokens":%d,"total_tokens":%d}}`, codec.AppendString(nil, req.Model), n, n)
	s.reply(w, r, rep, b)
}

func (s *Server) reply(w http.ResponseWriter, r *http.Request, rep Reply, body []byte) {
	if rep.Wait > 0 {
		t := time.NewTimer(rep.Wait)
		defer t.Stop()
		select {
		case <-t.C:
		case <-r.Context().Done():
			return
		}
	}
	for k, v := range rep.Header {
		w.Header().Set(k, v)
	}
	if rep.Body != "" {
		body = []byte(rep.Body)
	}
	body = append([]byte(rep.Before), body...)
	w.Header().Set("Content-Length", fmt.Sprint(len(body)))
	if rep.Status != 0 {
		w.WriteHeader(rep.Status)
	}
	if rep.CutAt > 0 && rep.CutAt < len(body) {
		w.Write(body[:rep.CutAt]) //nolint:errcheck // the connection breaks on purpose
		if f, ok := w.(http.Flusher); ok {
			f.Flush()
		}
		panic(http.ErrAbortHandler)
	}
	w.Write(body) //nolint:errcheck // who asked has gone: nothing to do
}
