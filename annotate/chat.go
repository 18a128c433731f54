package annotate

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sort"
	"strconv"
	"strings"
	"sync"
	"time"

	"membench/internal/codec"
	"membench/internal/textnorm"
	"membench/schema"
	"membench/schema/jsonl"
)

// A chat file is JSON Lines, one turn a line:
//
//	{"role": "user", "content": "…"}
//
// with optional name, timestamp (RFC 3339, a date and time, or seconds or
// milliseconds since 1970), attachments (addresses or {type, url, name, text}),
// conv_id, message_id, reply_to (the message_id of the message that it answers),
// session_id, session_time, marker (INJECT or PROBE), inject_id, probe_id,
// expects and gold. Lines of several conversations may be mixed. Other members are
// kept in the event's meta.
//
// A message list is JSON: an array of messages as chat APIs take them, an object
// with the member messages, or an array or lines of such objects, each then a
// conversation named by its conv_id or id, else numbered. Content may be text or a
// list of parts; images and files become attachments, tool calls turns of their own.
//
// Roles: user, human; assistant, ai, bot, agent, model, character; tool, function;
// ui; system, developer (instructions, kept as ui turns, which no memory stores).
// A role or name that is a configured name identifies its speaker.

// message is one turn in either format.
type message struct {
	Role        string          `json:"role"`
	Content     json.RawMessage `json:"content"`
	Name        string          `json:"name"`
	Timestamp   scalar          `json:"timestamp"`
	Attachments json.RawMessage `json:"attachments"`
	ConvID      scalar          `json:"conv_id"`
	SessionID   scalar          `json:"session_id"`
	SessionTime scalar          `json:"session_time"`
	Marker      string          `json:"marker"`
	InjectID    string          `json:"inject_id"`
	ProbeID     string          `json:"probe_id"`
	Expects     []string        `json:"expects"`
	Gold        string          `json:"gold"`
	ToolCalls   []toolCall      `json:"tool_calls"`
	ToolCallID  string          `json:"tool_call_id"`
	Function    *function       `json:"function_call"`
	Refusal     string          `json:"refusal"`
	MessageID   json.RawMessage `json:"message_id"`
	ReplyTo     json.RawMessage `json:"reply_to"`
	Extra       schema.Extra    `json:",embed"`
}

type toolCall struct {
	ID       string   `json:"id"`
	Function function `json:"function"`
}

type function struct {
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
}

// scalar is a string or the text of a number.
type scalar string

func (s *scalar) UnmarshalJSON(b []byte) error {
	switch {
	case len(b) > 0 && b[0] == '"':
		*s = scalar(codec.Unquote(b))
	case string(b) == "null":
	case len(b) > 0 && (b[0] == '-' || b[0] >= '0' && b[0] <= '9'):
		*s = scalar(b)
	default:
		return &codec.Error{Have: "neither", Want: "string or number"}
	}
	return nil
}

// idOf is an id, or "" for another value.
func idOf(raw json.RawMessage) string {
	var id scalar
	if codec.Unmarshal(raw, &id) != nil {
		return ""
	}
	return string(id)
}

// conversations collects turns by conversation in the order of first appearance.
type conversations struct {
	order   []schema.ConvID
	src     map[schema.ConvID]*Source
	marks   map[schema.ConvID][]mark
	path    string
	another func() bool
}

func (p *parser) newConversations() *conversations {
	return &conversations{src: map[schema.ConvID]*Source{}, marks: map[schema.ConvID][]mark{}, path: p.path, another: p.another}
}

func (c *conversations) get(id schema.ConvID) *Source {
	s := c.src[id]
	if s == nil {
		s = &Source{ConvID: id, Path: c.path}
		c.src[id] = s
		c.order = append(c.order, id)
	}
	return s
}

func (c *conversations) add(id schema.ConvID, u Utterance, m mark) {
	if !c.another() {
		return
	}
	s := c.get(id)
	s.Turns = append(s.Turns, u)
	c.marks[id] = append(c.marks[id], m)
}

func (c *conversations) sources(p *parser) []Source {
	var out []Source
	for _, id := range c.order {
		c.src[id].replies()
		p.number(c.src[id], c.marks[id])
		out = append(out, *c.src[id])
	}
	return out
}

// replies finds the turns that turns reply to. What is not in the conversation is not known.
func (s *Source) replies() {
	turns := map[string]int{}
	for i, u := range s.Turns {
		if u.messageID != "" && turns[u.messageID] == 0 {
			turns[u.messageID] = i + 1
		}
	}
	for i := range s.Turns {
		if n := turns[s.Turns[i].answers]; n != i+1 {
			s.Turns[i].ReplyTo = n
		}
	}
}

func (p *parser) chat(text []byte) []Source {
	convs := p.newConversations()
	lists := 0
	calls := map[string]string{} // tool call id → function
	for l, err := range jsonl.Lines(bytes.NewReader(text), p.file, len(text)+1) {
		if err != nil || p.tooMany() { // no error: the reader is a byte slice
			break
		}
		place := func(int) (int, int) { return l.Pos.Line, l.Pos.Line }
		if b := bytes.TrimLeft(l.Bytes, " \t"); len(b) > 0 && (b[0] == '[' || codec.Valid(b) && hasMember(b, "messages")) {
			lists++
			p.list(l.Bytes, 0, place, convs, fmt.Sprintf("%s-%d", p.convID(), lists), l)
			continue
		}
		p.message(l.Bytes, l.Pos.Line, l.Pos.Line, l, convs, p.convID(), calls)
	}
	if len(convs.order) == 0 {
		convs.get(p.convID())
	}
	return convs.sources(p)
}

func (p *parser) messages(text []byte) []Source {
	convs := p.newConversations()
	skip := len(text) - len(bytes.TrimPrefix(text, []byte("\xef\xbb\xbf")))
	body := text[skip:]
	starts := lineStarts(text)
	lineOf := func(off int) int { return sort.SearchInts(starts, off+1) }
	var whole json.RawMessage
	if err := codec.Unmarshal(body, &whole); err != nil {
		f := &schema.Finding{Pos: schema.Pos{File: p.file}, Code: "JSON001", Message: err.Error()}
		if ce, ok := errors.AsType[*codec.Error](err); ok {
			off := min(int(ce.Offset)+skip, len(text))
			line := max(lineOf(off), 1)
			f.Pos.Line, f.Pos.Col = line, jsonl.Column(text[starts[line-1]:], off-starts[line-1])
			f.Pointer, f.Message = ce.Pointer, ce.Msg
		}
		f.Hint = "the file is one JSON text; for one object a line give --format chat"
		p.findings = append(p.findings, f)
		return nil
	}
	p.list(body, skip, func(off int) (int, int) { return lineOf(off), 0 }, convs, string(p.convID()), jsonl.Line{Pos: schema.Pos{File: p.file, Line: 1}, Bytes: body})
	if len(convs.order) == 0 {
		convs.get(p.convID())
	}
	return convs.sources(p)
}

// lineStarts is the offset of every line, by the line ends of jsonl.Lines.
func lineStarts(text []byte) []int {
	starts := []int{0}
	for i, c := range text {
		if c == '\n' || c == '\r' && (i+1 == len(text) || text[i+1] != '\n') {
			starts = append(starts, i+1)
		}
	}
	return starts
}

// list reads an array of messages, {"messages": […]}, or an array of the latter.
// lineOf gives the line of an offset in raw plus base.
func (p *parser) list(raw []byte, base int, lineOf func(int) (int, int), convs *conversations, conv string, at jsonl.Line) {
	if !codec.Valid(raw) {
		var v json.RawMessage
		p.findings = append(p.findings, jsonl.Fault(at, codec.Unmarshal(raw, &v)))
		return
	}
	calls := map[string]string{}
	id := schema.ConvID(conv)
	array := raw
	// A sub-slice keeps its distance to the end of the array under it.
	offset := func(part []byte) int { return base + cap(raw) - cap(part) }
	if t := bytes.TrimLeft(raw, " \t\r\n"); t[0] == '{' {
		array = nil
		for k, v := range codec.Members(raw) {
			switch k {
			case "messages":
				array = v
			case "conv_id", "id", "conversation_id":
				var s scalar
				if codec.Unmarshal(v, &s) == nil && s != "" && p.o.ConvID == "" {
					id = schema.ConvID(s)
				}
			}
		}
		if array == nil {
			first, _ := lineOf(offset(t))
			p.fault(p.at(first, 0), codeMessage, "an object without messages, skipped", "", `{"messages": […]}`, "")
			return
		}
	}
	convs.get(id)
	n := 0
	for el := range codec.Elements(array) {
		if n++; p.tooMany() {
			break
		}
		first, _ := lineOf(offset(el))
		last, _ := lineOf(offset(el) + len(el) - 1)
		line := jsonl.Line{Pos: p.at(first, 0), Bytes: el}
		if el[0] == '{' && hasMember(el, "messages") {
			p.list(el, offset(el), lineOf, convs, fmt.Sprintf("%s-%d", conv, n), line)
			if s := convs.src[id]; s != nil && len(s.Turns) == 0 && convs.order[len(convs.order)-1] != id {
				delete(convs.src, id)
				convs.order = slices.DeleteFunc(convs.order, func(c schema.ConvID) bool { return c == id })
			}
			continue
		}
		p.message(el, first, last, line, convs, id, calls)
	}
}

var roles = map[string]string{
	"user": schema.RoleHuman, "human": schema.RoleHuman,
	"assistant": schema.RoleAssistant, "ai": schema.RoleAssistant, "bot": schema.RoleAssistant,
	"agent": schema.RoleAssistant, "model": schema.RoleAssistant, "character": schema.RoleAssistant,
	"tool": schema.RoleTool, "function": schema.RoleTool,
	"ui": schema.RoleUI, "system": schema.RoleUI, "developer": schema.RoleUI,
}

// metaNames are the members of an event's meta that are ours.
var metaNames = sync.OnceValue(func() []string {
	m := schema.EventMeta{SpeechMode: "x", SourceType: "x", SourcePath: "x", StartLine: 1, EndLine: 1, Time: "x", SessionID: "x", SessionTime: "x",
		UserID: "x", AgentID: "x", By: "x", Marker: "x", UIAction: "x", ProbeID: "x", InjectID: "x", Expects: []string{"x"}, Gold: "x",
		Attachments: []schema.Attachment{{}}, Uncertain: true, ReplyTo: 1}
	var names []string
	if o, err := schema.NewObject(m); err == nil {
		for k := range o.Members() {
			names = append(names, k)
		}
	}
	return names
})

// message reads one message and adds its turns.
func (p *parser) message(raw []byte, firstLine, lastLine int, line jsonl.Line, convs *conversations, conv schema.ConvID, calls map[string]string) {
	pos := p.at(firstLine, 0)
	var m message
	if err := codec.Unmarshal(raw, &m); err != nil {
		f := jsonl.Fault(line, err)
		if firstLine != lastLine {
			f.Pos.Col = 0
		}
		p.findings = append(p.findings, f)
		return
	}
	u := Utterance{Pos: pos, First: firstLine, Last: lastLine, Name: m.Name, SessionID: string(m.SessionID), Mode: modeDialogue,
		messageID: idOf(m.MessageID), answers: idOf(m.ReplyTo)}
	if m.ConvID != "" && p.o.ConvID == "" {
		conv = schema.ConvID(m.ConvID)
	}
	zone := p.o.zone(conv)
	u.Time = p.time(pos, "/timestamp", m.Timestamp, zone)
	u.SessionTime = p.time(pos, "/session_time", m.SessionTime, zone)
	p.speaker(&u, m)
	text, atts, ok := p.content(pos, m.Content)
	if !ok {
		return
	}
	more, ok := p.attachments(pos, m.Attachments)
	if !ok {
		return
	}
	u.Attachments = append(atts, more...)
	if text == "" && m.Refusal != "" {
		text = m.Refusal
	}
	if u.Role == schema.RoleTool && u.Name == "" {
		u.Name = calls[m.ToolCallID]
	}
	mk := mark{pos: pos, expects: m.Expects, gold: m.Gold}
	switch u.Marker = strings.ToUpper(m.Marker); {
	case u.Marker == markProbe, u.Marker == "" && m.ProbeID != "":
		u.Marker, mk.id = markProbe, m.ProbeID
	case u.Marker == markInject, u.Marker == "" && m.InjectID != "":
		u.Marker, mk.id = markInject, m.InjectID
		mk.expects, mk.gold = nil, ""
	case u.Marker != "":
		p.findings = append(p.findings, &schema.Finding{Pos: pos, Pointer: "/marker", Code: codeMarker, Message: "unknown marker, ignored", Have: quote(m.Marker), Want: "INJECT or PROBE"})
		u.Marker = ""
	}
	if u.Role == schema.RoleUI {
		u.Mode = ""
	}
	p.extra(&u, raw)
	functions := m.ToolCalls
	if m.Function != nil {
		functions = append(functions, toolCall{Function: *m.Function})
	}
	if strings.TrimFunc(text, textnorm.IsSpace) == "" && len(u.Attachments) > 0 {
		text = "[" + cmp.Or(u.Attachments[0].Text, u.Attachments[0].Name, u.Attachments[0].Type, "attachment") + "]"
	}
	if strings.TrimFunc(text, textnorm.IsSpace) != "" {
		u.Text = text
		if bracketed(text) && (u.Role == schema.RoleHuman || u.Role == schema.RoleUI) && !u.Uncertain && u.Marker == "" {
			u.Role, u.Name, u.Mode, u.UIAction = schema.RoleUI, "", "", uiAction(text)
		}
		convs.add(conv, u, mk)
	} else if len(functions) == 0 {
		p.fault(pos, codeEmpty, "a message without text, skipped", quote(string(raw)), "", "")
	}
	for _, f := range functions {
		if f.ID != "" {
			calls[f.ID] = f.Function.Name
		}
		convs.add(conv, Utterance{Pos: pos, First: firstLine, Last: lastLine, Role: schema.RoleTool, Name: cmp.Or(f.Function.Name, "tool"),
			Time: u.Time, SessionID: u.SessionID, SessionTime: u.SessionTime, Text: cmp.Or(f.Function.Name, "tool") + "(" + f.Function.Arguments + ")"}, mark{})
	}
}

// speaker sets role and name.
func (p *parser) speaker(u *Utterance, m message) {
	named := func(s string) string {
		switch {
		case s == "":
			return ""
		case slices.Contains(p.o.UserNames, s):
			return schema.RoleHuman
		case slices.Contains(p.o.CharacterNames, s):
			return schema.RoleAssistant
		}
		return ""
	}
	role := strings.ToLower(strings.TrimSpace(m.Role))
	u.Role = roles[role]
	switch {
	case u.Role != "":
		if role == "system" || role == "developer" {
			u.Name = "system"
		}
		if u.Role == schema.RoleUI && role == "ui" {
			u.Name = ""
		}
		return
	case named(m.Role) != "":
		u.Role, u.Name = named(m.Role), cmp.Or(m.Name, m.Role)
	case m.Role == "" && named(m.Name) != "":
		u.Role = named(m.Name)
	default:
		u.Role, u.Uncertain = schema.RoleUI, true
		p.findings = append(p.findings, &schema.Finding{Pos: u.Pos, Pointer: "/role", Code: codeSpeaker, Warning: true, Message: "unknown role; its speaker cannot be determined",
			Have: quote(cmp.Or(m.Role, m.Name)), Want: "user, assistant, system, tool or ui", Hint: "give --character-name or --user-name"})
	}
}

func (p *parser) time(pos schema.Pos, pointer string, s scalar, zone *time.Location) string {
	if s == "" {
		return ""
	}
	if t, err := ParseTime(string(s), zone); err == nil {
		return t.Format(time.RFC3339Nano)
	}
	p.findings = append(p.findings, &schema.Finding{Pos: pos, Pointer: pointer, Code: codeTime, Warning: true, Message: "the time cannot be read, skipped", Have: quote(string(s)), Want: timeWanted})
	return ""
}

// part is one part of multi-part content.
type part struct {
	Type     string          `json:"type"`
	Text     string          `json:"text"`
	Refusal  string          `json:"refusal"`
	ImageURL json.RawMessage `json:"image_url"`
	Audio    *struct {
		Format string `json:"format"`
		Data   string `json:"data"`
	} `json:"input_audio"`
	File *struct {
		Name string `json:"filename"`
		ID   string `json:"file_id"`
		Data string `json:"file_data"`
	} `json:"file"`
}

// content returns the text of a message and the attachments of its parts.
func (p *parser) content(pos schema.Pos, raw json.RawMessage) (string, []schema.Attachment, bool) {
	bad := func(pointer, have, want string) {
		p.findings = append(p.findings, &schema.Finding{Pos: pos, Pointer: pointer, Code: codeMessage, Message: "content is not as the format says; message skipped", Have: have, Want: want})
	}
	switch {
	case len(raw) == 0 || string(raw) == "null":
		return "", nil, true
	case raw[0] == '"':
		return codec.Unquote(raw), nil, true
	case raw[0] != '[':
		bad("/content", quote(string(raw)), "text or a list of parts")
		return "", nil, false
	}
	var texts []string
	var atts []schema.Attachment
	i := 0
	for el := range codec.Elements(raw) {
		pointer := "/content/" + strconv.Itoa(i)
		i++
		if el[0] == '"' {
			texts = append(texts, codec.Unquote(el))
			continue
		}
		var q part
		if err := codec.Unmarshal(el, &q); err != nil {
			bad(pointer, err.Error(), "a part with a type")
			return "", nil, false
		}
		switch {
		case q.Text != "":
			texts = append(texts, q.Text)
		case q.Refusal != "":
			texts = append(texts, q.Refusal)
		case len(q.ImageURL) > 0:
			url := codec.Unquote(q.ImageURL)
			if q.ImageURL[0] == '{' {
				var o struct {
					URL string `json:"url"`
				}
				if codec.Unmarshal(q.ImageURL, &o) == nil {
					url = o.URL
				}
			}
			atts = append(atts, schema.Attachment{Type: "image", URL: p.address(pos, pointer, url)})
		case q.Audio != nil:
			atts = append(atts, schema.Attachment{Type: "audio", URL: p.address(pos, pointer, "data:audio/"+q.Audio.Format+";base64,"+q.Audio.Data)})
		case q.File != nil:
			a := schema.Attachment{Type: "file", Name: q.File.Name, URL: q.File.ID}
			if q.File.Data != "" {
				a.URL = p.address(pos, pointer, q.File.Data)
			}
			atts = append(atts, a)
		case q.Type == "text":
		default:
			p.findings = append(p.findings, &schema.Finding{Pos: pos, Pointer: pointer, Code: codeAttachment, Warning: true, Message: "a part of an unknown type, kept by its type only", Have: quote(q.Type), Want: "text, image_url, input_audio or file"})
			atts = append(atts, schema.Attachment{Type: cmp.Or(q.Type, "unknown")})
		}
	}
	return strings.Join(texts, "\n"), atts, true
}

// address keeps an address. Data carried inside it is replaced by its digest: an
// event names an image, it does not hold it.
func (p *parser) address(pos schema.Pos, pointer, url string) string {
	head, data, ok := strings.Cut(url, ",")
	if !ok || !strings.HasPrefix(head, "data:") {
		return url
	}
	sum := sha256.Sum256([]byte(data))
	head = strings.TrimSuffix(head, ";base64")
	p.findings = append(p.findings, &schema.Finding{Pos: pos, Pointer: pointer, Code: codeAttachment, Warning: true,
		Message: "data inside an attachment's address is kept as its sha256 only", Have: fmt.Sprintf("%d bytes of %s", len(data), head), Hint: "put the file beside the dialogue and give its address"})
	return head + ";sha256=" + hex.EncodeToString(sum[:])
}

// attachments reads a list of addresses or attachment objects.
func (p *parser) attachments(pos schema.Pos, raw json.RawMessage) ([]schema.Attachment, bool) {
	if len(raw) == 0 || string(raw) == "null" {
		return nil, true
	}
	bad := func(pointer, have string) {
		p.findings = append(p.findings, &schema.Finding{Pos: pos, Pointer: pointer, Code: codeMessage, Message: "an attachment is not as the format says; message skipped", Have: have, Want: "an address or {type, url, name, text}"})
	}
	if raw[0] != '[' {
		bad("/attachments", quote(string(raw)))
		return nil, false
	}
	var out []schema.Attachment
	for el := range codec.Elements(raw) {
		pointer := "/attachments/" + strconv.Itoa(len(out))
		if el[0] == '"' {
			out = append(out, schema.Attachment{Type: "file", URL: p.address(pos, pointer, codec.Unquote(el))})
			continue
		}
		var a struct {
			schema.Attachment
			Caption string `json:"caption"`
		}
		if err := codec.Unmarshal(el, &a); err != nil || el[0] != '{' {
			bad(pointer, quote(string(el)))
			return nil, false
		}
		a.Text = cmp.Or(a.Text, a.Caption)
		a.URL = p.address(pos, pointer, a.URL)
		out = append(out, a.Attachment)
	}
	return out, true
}

// consumed are the members of a message that have a field of their own.
var consumed = []string{"role", "content", "name", "timestamp", "attachments", "conv_id", "session_id", "session_time", "marker", "inject_id", "probe_id",
	"expects", "gold", "reply_to", "tool_calls", "tool_call_id", "function_call", "refusal"}

// extra keeps the members that have no field here, in their order.
func (p *parser) extra(u *Utterance, raw []byte) {
	var b schema.ObjectBuilder
	n := 0
	for k, v := range codec.Members(raw) {
		switch {
		case slices.Contains(consumed, k):
		case slices.Contains(metaNames(), k):
			p.findings = append(p.findings, &schema.Finding{Pos: u.Pos, Pointer: schema.Pointer(k), Code: codeMember, Warning: true,
				Message: "annotate writes a member of this name itself; the one in the source was skipped", Have: k, Want: "another name"})
		default:
			b.Raw(k, v)
			n++
		}
	}
	if n > 0 {
		u.Extra = b.Object()
	}
}
