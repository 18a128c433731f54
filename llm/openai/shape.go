package openai

import (
	"slices"
	"strconv"
	"strings"

	"membench/internal/codec"
	"membench/internal/pattern"
	"membench/llm"
)

// shape describes the parameters that an endpoint accepts. It starts from the address and is learned from rejections.
type shape struct {
	completionTokens bool // max_completion_tokens (default: max_tokens)
	noLimit          bool // neither
	noTemperature    bool
	noSchema         bool // no response_format json_schema
	noJSON           bool // no response_format at all
	noBase64         bool // vectors as numbers only
	stream           bool // answers as a stream of events only
	noEcho           bool // completions echo nothing
}

// firstShape: OpenAI and Azure deprecate max_tokens and refuse it for the newer
// models; every other server knows it, and some ignore the newer name.
func firstShape(host string) shape {
	ours := host == "api.openai.com" || strings.HasSuffix(host, ".openai.azure.com") || strings.HasSuffix(host, ".azure.com")
	return shape{completionTokens: ours}
}

// member is one member of a request's body; a nil value takes it out.
type member struct {
	name  string
	value []byte
}

func str(s string) []byte { return codec.AppendString(nil, s) }

// members returns the members that the transport writes into a chat request.
func (s shape) members(model string, r llm.Request) []member {
	out := []member{{"model", str(model)}, {"temperature", nil}, {"max_tokens", nil}, {"max_completion_tokens", nil}, {"response_format", nil}}
	if s.stream {
		out = append(out, member{"stream", []byte("true")}, member{"stream_options", []byte(`{"include_usage":true}`)})
	}
	set := func(name string, v []byte) {
		out[slices.IndexFunc(out, func(m member) bool { return m.name == name })].value = v
	}
	if !s.noTemperature {
		set("temperature", strconv.AppendFloat(nil, r.Temperature, 'g', -1, 64))
	}
	if r.MaxTokens > 0 && !s.noLimit {
		name := "max_tokens"
		if s.completionTokens {
			name = "max_completion_tokens"
		}
		set(name, strconv.AppendInt(nil, int64(r.MaxTokens), 10))
	}
	switch {
	case s.noJSON || !r.WantsJSON():
	case len(r.Schema) > 0 && !s.noSchema:
		b := append([]byte(`{"type":"json_schema","json_schema":{"name":"answer","strict":`), strconv.FormatBool(strict(r.Schema))...)
		set("response_format", append(append(append(b, `,"schema":`...), codec.AppendLayout(nil, r.Schema, codec.Compact)...), "}}"...))
	default:
		set("response_format", []byte(`{"type":"json_object"}`))
	}
	return out
}

// strict reports whether a schema is of the kind that endpoints can hold an answer
// to: every object lists all its properties as required and allows no others.
func strict(schema []byte) bool {
	type node struct {
		Properties map[string]any `json:"properties"`
		Required   []string       `json:"required"`
		Additional any            `json:"additionalProperties"`
	}
	ok := true
	var walk func(raw []byte)
	walk = func(raw []byte) {
		if !ok || len(raw) == 0 || raw[0] != '{' {
			return
		}
		var n node
		isObject := false
		for name, v := range codec.Members(raw) {
			switch name {
			case "type":
				isObject = string(v) == `"object"`
			case "properties", "$defs":
				for _, p := range codec.Members(v) {
					walk(p)
				}
			case "items":
				walk(v)
			case "anyOf", "oneOf", "allOf", "patternProperties", "if", "not", "$ref", "prefixItems":
				ok = false // not worth telling apart
			}
		}
		if isObject {
			ok = ok && codec.Unmarshal(raw, &n) == nil && n.Additional == false && len(n.Required) == len(n.Properties)
		}
	}
	walk(schema)
	return ok
}

// system is the system message: where the endpoint is not given the schema, the
// model is; and JSON mode wants the word.
func (s shape) system(r llm.Request) string {
	text := r.System
	if !r.WantsJSON() {
		return text
	}
	add := ""
	switch {
	case len(r.Schema) > 0 && (s.noSchema || s.noJSON):
		add = jsonWord + " It must fit this JSON Schema:\n" + string(r.Schema)
	case !s.noJSON && !strings.Contains(text, "JSON") && !strings.Contains(r.Prompt, "JSON"):
		add = jsonWord
	}
	if add == "" || text == "" {
		return text + add
	}
	return text + "\n\n" + add
}

func (s shape) embedMembers(model string) []member {
	out := []member{{"model", str(model)}}
	if !s.noBase64 {
		out = append(out, member{"encoding_format", []byte(`"base64"`)})
	}
	return out
}

// adapted describes which parts of a request were not sent as requested.
func (s shape) adapted(r llm.Request) string {
	var out []string
	if s.noTemperature {
		out = append(out, "temperature not sent")
	}
	if s.noLimit && r.MaxTokens > 0 {
		out = append(out, "answer not limited")
	}
	if r.WantsJSON() {
		switch {
		case s.noJSON:
			out = append(out, "JSON by prompt only")
		case s.noSchema && len(r.Schema) > 0:
			out = append(out, "schema by prompt only")
		}
	}
	return strings.Join(out, ", ")
}

// learn gives the shape to try after a refusal in these words, and whether there is
// another one. param and code are the refusal's own fields, where it has them.
func (s shape) learn(param, code, message string, sent []member) (shape, bool) {
	was := func(name string) bool {
		return slices.ContainsFunc(sent, func(m member) bool { return m.name == name && m.value != nil })
	}
	about := func(word string) bool {
		return was(word) && (param == word || strings.HasPrefix(param, word+".") || param == "" && strings.Contains(message, word))
	}
	n := s
	switch {
	case about("max_completion_tokens"):
		if s.completionTokens && strings.Contains(message, "max_tokens") || code == "unsupported_parameter" || unknownWord(message) {
			n.completionTokens, n.noLimit = false, !strings.Contains(message, "max_tokens")
		}
	case about("max_tokens"):
		n.completionTokens = strings.Contains(message, "max_completion_tokens")
		n.noLimit = !n.completionTokens && (code == "unsupported_parameter" || unknownWord(message))
	case about("temperature"):
		n.noTemperature = true
	case about("response_format") || was("response_format") && strings.Contains(message, "json_schema"):
		if !s.noSchema && slices.ContainsFunc(sent, func(m member) bool {
			return m.name == "response_format" && strings.Contains(string(m.value), "json_schema")
		}) {
			n.noSchema = true
		} else {
			n.noJSON = true
		}
	case !s.stream && (param == "stream" || streamOnly.MatchString(message)):
		n.stream = true
	case about("encoding_format"):
		n.noBase64 = true
	}
	return n, n != s
}

// streamOnly are the words of endpoints that answer in no other way.
var streamOnly = pattern.New(`(?i)\bstream\b.{0,40}\b(must|required|only|true)\b|\bonly\b.{0,20}\bstream`)

func unknownWord(message string) bool {
	m := strings.ToLower(message)
	words := []string{"unsupported", "not supported", "unrecognized", "unknown", "unexpected", "extra", "not permitted"}
	return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(m, w) })
}
