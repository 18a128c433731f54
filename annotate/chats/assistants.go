package chats

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"membench/datasets"
	"membench/internal/codec"
	"membench/internal/pattern"
	"membench/internal/textnorm"
	"membench/schema"

	"golang.org/x/net/html"
)

// maxValue is the largest JSON value that is held: a conversation, or a whole export of
// programs that write one object.
const maxValue = 512 << 20

// each passes every JSON value of the files to take. A *schema.Finding from take is reported, and reading continues.
func (r *reader) each(files []*file, take func(v *datasets.Value) error) error {
	return datasets.Each(r.ctx, values(files), datasets.Options{Max: maxValue, Report: r.Report}, func(v *datasets.Value) error {
		if fixed := sound(v.Bytes); !bytes.Equal(fixed, v.Bytes) {
			same := 0
			for same < len(fixed) && fixed[same] == v.Bytes[same] {
				same++
			}
			r.flaw(v.At(v.Bytes[same:]), notUTF8, "", "UTF-8")
			v.Bytes = fixed
		}
		return take(v)
	})
}

// halfPair matches an escape in JSON text, the two of a surrogate pair together.
var halfPair = regexp.MustCompile(`\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|u[dD][89a-fA-F][0-9a-fA-F]{2}|[^\x00])`)

// sound is JSON text without bytes that are not UTF-8 and halves of surrogate pairs: U+FFFD is in their places.
func sound(b []byte) []byte {
	if b = bytes.ToValidUTF8(b, []byte("\uFFFD")); !bytes.Contains(b, []byte(`\ud`)) && !bytes.Contains(b, []byte(`\uD`)) {
		return b
	}
	return halfPair.ReplaceAllFunc(b, func(s []byte) []byte {
		if len(s) == len(`\ud800`) {
			return []byte(`\ufffd`)
		}
		return s
	})
}

// chatGPT reads conversations.json: a tree of messages for each conversation. The path from current_node to the root is the final conversation; other branches
// (regenerated answers, edited questions) are counted.
var chatGPT = Form{
	Name: "chatgpt", Doc: "ChatGPT: Settings, Data controls, Export data", linked: true, personal: true,
	match: func(files []*file) []*file { return named(files, "", `"mapping"`, `"current_node"`) },
	read: func(r *reader, files []*file) error {
		return r.each(files, func(v *datasets.Value) error {
			var c gptConversation
			if err := v.Decode(&c); err != nil {
				return err
			}
			return r.gpt(c, v)
		})
	},
}

type gptConversation struct {
	ID      string             `json:"id"`
	ConvID  string             `json:"conversation_id"`
	Title   string             `json:"title"`
	Current string             `json:"current_node"`
	Mapping map[string]gptNode `json:"mapping"`
}

type gptNode struct {
	Parent  string      `json:"parent"`
	Message *gptMessage `json:"message"`
}

type gptMessage struct {
	Author struct {
		Role string `json:"role"`
		Name string `json:"name"`
	} `json:"author"`
	Created   float64 `json:"create_time"`
	Recipient string  `json:"recipient"`
	Content   struct {
		Type   string            `json:"content_type"`
		Parts  []json.RawMessage `json:"parts"`
		Text   string            `json:"text"`
		Result string            `json:"result"`
	} `json:"content"`
	Metadata struct {
		Hidden      bool `json:"is_visually_hidden_from_conversation"`
		Attachments []struct {
			ID   string `json:"id"`
			Name string `json:"name"`
			Type string `json:"mime_type"`
			MIME string `json:"mimeType"`
		} `json:"attachments"`
	} `json:"metadata"`
}

var (
	// answerMark matches a source, an entity or a link in an answer, between characters of private use: its kind, then its content.
	answerMark = regexp.MustCompile(`(\s?)\x{e200}([^\x{e201}]*)\x{e201}`)
	// sourceMark is a source by its number.
	sourceMark = pattern.New(`\s?【\d+(?::\d+)?†[^】]*】`)
	// markedAt matches the reference of a source mark.
	markedAt = pattern.New(`^(?:turn\d+[a-z_]+\d+,?\s*)+$|^\{`)
)

// answered returns the text of an answer as displayed: without marks of sources; entities by their names, links by their texts.
func answered(s string) string {
	s = answerMark.ReplaceAllStringFunc(s, func(mark string) string {
		p := answerMark.FindStringSubmatch(mark)
		kind, shown, _ := strings.Cut(p[2], "\ue202")
		shown, _, _ = strings.Cut(shown, "\ue202")
		var entity []string
		if kind == "entity" && codec.Unmarshal([]byte(shown), &entity) == nil && len(entity) > 1 {
			shown = entity[1]
		}
		if kind == "cite" || kind == "filecite" || shown == "" || markedAt.MatchString(shown) {
			return ""
		}
		return p[1] + shown
	})
	return sourceMark.ReplaceAllString(s, "")
}

// branch is the nodes that were continued last, the first one first. Where a link is broken, it goes on with the newest of what is left and may come before it, which is a finding.
func (c gptConversation) branch(r *reader, at schema.Pos, places map[string]schema.Pos) (path []string) {
	seen, until := map[string]bool{}, math.Inf(1)
	for id, after := c.Current, ""; !seen[id]; {
		n, ok := c.Mapping[id]
		if !ok {
			if id = c.newest(seen, until); id == "" {
				break
			}
			where, what := at, "a conversation does not say where it ends (current_node); the branch with the newest message was read"
			if after != "" {
				where, what = places[after], "a message names a parent that the export does not have; the newest messages that may come before it were read in its place"
			}
			r.flaw(where, what, "", "")
			continue
		}
		seen[id] = true
		if n.Message != nil {
			path = append(path, id)
			if t := n.Message.Created; t > 0 {
				until = t
			}
		}
		if after, id = id, n.Parent; id == "" {
			break
		}
	}
	left, lost := 0, 0
	for id, n := range c.Mapping {
		switch up, _, _ := c.up(id, seen); {
		case seen[id] || n.Message == nil || n.Message.Metadata.Hidden || n.Message.Author.Role == "system":
		case seen[up]:
			left++
		default:
			lost++
		}
	}
	for range left {
		r.leave(at, "messages of branches that were not continued")
	}
	if lost > 0 {
		r.fault(at, fmt.Sprintf("no link leads to messages of a conversation; they were skipped: %d", lost), "", "")
	}
	slices.Reverse(path)
	return path
}

// up walks from a node to its first ancestor in stop, or to the parent that does not exist. It counts messages, and gives the latest time of one.
func (c gptConversation) up(id string, stop map[string]bool) (end string, messages int, last float64) {
	for range len(c.Mapping) {
		n, ok := c.Mapping[id]
		if !ok || stop[id] {
			break
		}
		if n.Message != nil {
			messages++
			last = max(last, n.Message.Created)
		}
		id = n.Parent
	}
	return id, messages, last
}

// newest is the last node of the newest, and then longest, branch without nodes of seen, and without messages after until; "" if there is none.
func (c gptConversation) newest(seen map[string]bool, until float64) (best string) {
	longest, latest := 0, 0.0
	for _, id := range slices.Sorted(maps.Keys(c.Mapping)) {
		end, n, last := c.up(id, seen)
		if !seen[end] && n > 0 && last <= until && (last > latest || last == latest && n > longest) {
			best, longest, latest = id, n, last
		}
	}
	return best
}

func (r *reader) gpt(c gptConversation, v *datasets.Value) error {
	places := v.Places("mapping")
	path := c.branch(r, v.Pos, places)
	conv := convID(c.Title, short(cmp.Or(c.ConvID, c.ID)))
	for _, id := range path {
		m, pos := c.Mapping[id].Message, places[id]
		role := m.Author.Role
		if m.Metadata.Hidden || role == "system" || m.Content.Type == "user_editable_context" || m.Content.Type == "model_editable_context" {
			r.leave(pos, "instructions and hidden messages")
			continue
		}
		if m.Content.Type == "thoughts" || m.Content.Type == "reasoning_recap" {
			r.leave(pos, "reasoning")
			continue
		}
		if m.Recipient != "" && m.Recipient != "all" && role == "assistant" {
			r.leave(pos, "calls of tools")
			continue
		}
		out := Message{Conv: conv, Title: c.Title, ID: id, Role: role, Name: m.Author.Name, Pos: pos, Text: m.Content.Text + m.Content.Result}
		if m.Created > 0 {
			out.Time = time.UnixMilli(int64(m.Created * 1000)).UTC()
		}
		for _, p := range m.Content.Parts {
			var text string
			if codec.Unmarshal(p, &text) == nil {
				out.Text = join(out.Text, answered(text))
				continue
			}
			var asset struct {
				Type string `json:"content_type"`
				Text string `json:"text"`
				ID   string `json:"asset_pointer"`
				// Audio is a spoken message; the sound is inside it.
				Audio struct {
					ID string `json:"asset_pointer"`
				} `json:"audio_asset_pointer"`
			}
			if err := codec.Unmarshal(p, &asset); err != nil {
				r.flaw(pos, "a part of a message cannot be read: "+err.Error(), "", "text or an object")
				continue
			}
			if out.Text = join(out.Text, asset.Text); asset.ID != "" {
				kind, _, _ := strings.Cut(asset.Type, "_")
				out.Attachments = append(out.Attachments, schema.Attachment{Type: kind, ID: asset.ID})
			}
			if asset.Audio.ID != "" {
				out.Attachments = append(out.Attachments, schema.Attachment{Type: "audio", ID: asset.Audio.ID})
			}
		}
		for _, a := range m.Metadata.Attachments {
			if i := slices.IndexFunc(out.Attachments, func(b schema.Attachment) bool { return a.ID != "" && strings.HasSuffix(b.ID, a.ID) }); i >= 0 {
				out.Attachments[i].Name = a.Name
			} else {
				out.Attachments = append(out.Attachments, schema.Attachment{Type: kindOf(cmp.Or(a.Type, a.MIME)), ID: a.ID, Name: a.Name})
			}
		}
		if err := r.add(out); err != nil {
			return err
		}
	}
	return nil
}

// claude reads conversations.json of Anthropic's export.
var claude = Form{
	Name: "claude", Doc: "Claude: Settings, Privacy, Export data", linked: true, personal: true,
	match: func(files []*file) []*file { return named(files, "", `"chat_messages"`, `"sender"`) },
	read: func(r *reader, files []*file) error {
		return r.each(files, func(v *datasets.Value) error {
			var c claudeConversation
			if err := v.Decode(&c); err != nil {
				return err
			}
			last, places := c.continued(), v.Places("chat_messages")
			for i, m := range c.Messages {
				pos := places[strconv.Itoa(i)]
				if last != nil && !last[m.UUID] {
					r.leave(pos, "messages of branches that were not continued")
					continue
				}
				if err := r.add(m.message(c, r, pos)); err != nil {
					return err
				}
			}
			return nil
		})
	},
}

type claudeConversation struct {
	UUID     string          `json:"uuid"`
	Name     string          `json:"name"`
	Messages []claudeMessage `json:"chat_messages"`
}

// continued returns the messages on the path from the last one to the start, by id; nil if the export does not record parents.
func (c claudeConversation) continued() map[string]bool {
	if len(c.Messages) == 0 {
		return nil
	}
	parents := map[string]string{}
	for _, m := range c.Messages {
		parents[m.UUID] = m.Parent
	}
	seen := map[string]bool{}
	for id := c.Messages[len(c.Messages)-1].UUID; ; id = parents[id] {
		parent, known := parents[id]
		if !known {
			if id != claudeRoot {
				return nil
			}
			return seen
		}
		if parent == "" || seen[id] {
			return nil
		}
		seen[id] = true
	}
}

// claudeRoot is the parent of the first message of a conversation.
const claudeRoot = "00000000-0000-4000-8000-000000000000"

type claudeMessage struct {
	UUID    string `json:"uuid"`
	Parent  string `json:"parent_message_uuid"`
	Text    string `json:"text"`
	Content []struct {
		Type string `json:"type"`
		Text string `json:"text"`
	} `json:"content"`
	Sender      string       `json:"sender"`
	Created     string       `json:"created_at"`
	Attachments []claudeFile `json:"attachments"`
	Files       []claudeFile `json:"files"`
}

type claudeFile struct {
	Name    string `json:"file_name"`
	Type    string `json:"file_type"`
	Content string `json:"extracted_content"`
}

func (m claudeMessage) message(c claudeConversation, r *reader, pos schema.Pos) Message {
	out := Message{Conv: convID(c.Name, short(c.UUID)), Title: c.Name, ID: m.UUID, Pos: pos, Time: r.time(m.Created, pos)}
	if out.Role = roles[m.Sender]; out.Role == "" { // who a program is would be guessed
		out.Role, out.Name = "user", cmp.Or(m.Sender, "unknown")
		r.flaw(pos, "a sender is neither human nor assistant; the message is kept as that of a person of this name", out.Name, "human or assistant")
	}
	for _, p := range m.Content {
		switch {
		case p.Type == "thinking":
			r.leave(pos, "reasoning")
		case p.Type == "text" || p.Text != "": // a voice note has its words here
			out.Text = join(out.Text, p.Text)
		default:
			r.leave(pos, "parts of type "+p.Type)
		}
	}
	out.Text = cmp.Or(out.Text, m.Text)
	for _, f := range slices.Concat(m.Attachments, m.Files) {
		out.Attachments = append(out.Attachments, schema.Attachment{Type: kindOf(f.Type), Name: f.Name, Text: f.Content})
	}
	return out
}

// gemini reads Gemini's part of a Google Takeout in JSON (MyActivity.json): one entry a
// prompt, the newest first, with the answer as HTML. It names no conversations: a day's
// prompts are one.
var gemini = Form{
	Name: "gemini", Doc: "Google Takeout: My Activity, Gemini Apps, as JSON or HTML", personal: true,
	match: func(files []*file) []*file {
		own := append(named(files, "", `"header"`, `"title"`, `"time"`), named(files, "", `class="outer-cell`)...)
		return slices.DeleteFunc(own, func(f *file) bool {
			return !strings.Contains(string(f.head()), "Gemini") && !strings.Contains(string(f.head()), "Bard")
		})
	},
	read: every(func(r *reader, f *file) error {
		if isJSON(f) {
			return r.activities(f)
		}
		return r.entries(f, pageEntry, r.pageActivity)
	}),
}

// prompted starts the title of a prompt, in the language of the account.
var prompted = pattern.New(`^(?:Prompted|Asked|Said|输入的提示|提示)[:：]?[\s\x{a0}]+`)

func (r *reader) activities(f *file) error {
	return r.each([]*file{f}, func(v *datasets.Value) error {
		var a struct {
			Title string `json:"title"`
			Time  string `json:"time"`
			HTML  []struct {
				HTML string `json:"html"`
			} `json:"safeHtmlItem"`
			Files []string `json:"attachedFiles"`
			Image string   `json:"imageFile"`
		}
		if err := v.Decode(&a); err != nil {
			return err
		}
		files := slices.DeleteFunc(append(a.Files, a.Image), func(f string) bool { return f == "" })
		var answer string
		for _, h := range a.HTML {
			answer = join(answer, plainText(h.HTML))
		}
		return r.activity(a.Title, answer, files, r.time(a.Time, v.Pos), v.Pos)
	})
}

// activity adds a prompt and its answer. Other activities have neither an answer nor the
// word that starts the title of a prompt.
func (r *reader) activity(title, answer string, files []string, at time.Time, pos schema.Pos) error {
	if answer == "" && !prompted.MatchString(title) {
		r.leave(pos, "activities that are not prompts")
		return nil
	}
	ask := Message{Conv: convID("gemini"), Role: "user", Time: at, Pos: pos, Text: prompted.ReplaceAllString(title, "")}
	if !at.IsZero() {
		ask.Conv = convID("gemini", at.In(r.zone()).Format(time.DateOnly))
	}
	for i, f := range files {
		if slices.Index(files, f) == i {
			ask.Attachments = append(ask.Attachments, schema.Attachment{Type: fileKind(f), Name: f})
		}
	}
	if err := r.add(ask); err != nil {
		return err
	}
	if answer == "" {
		r.leave(pos, "prompts without an answer")
		return nil
	}
	return r.add(Message{Conv: ask.Conv, Role: "assistant", Time: at, Pos: pos, Text: answer})
}

var (
	// pageEntry starts an activity in Takeout's HTML, pageCell its first cell: the prompt,
	// lines about attached files, the time and the answer, with <br> between.
	pageEntry = []byte(`<div class="outer-cell`)
	pageCell  = pattern.New(`(?s)<div class="content-cell[^>]*body-1">(.*?)</div><div class="content-cell`)
	pageBreak = pattern.New(`<br ?/?>`)
	pageTime  = pattern.New(`^[^<>]{0,40}\d{1,2}:\d{2}:\d{2}[^<>]{0,16}$`)
	lines3    = pattern.New(`\n\s*\n\s*`)
)

// pageActivity reads an activity of Takeout's HTML.
func (r *reader) pageActivity(entry string, pos schema.Pos) error {
	cell := pageCell.FindStringSubmatch(entry)
	if cell == nil {
		r.fault(pos, "an activity cannot be read", textnorm.OneLine(plainText(entry), 80), "a cell with the prompt, the time and the answer")
		return nil
	}
	rest := pageBreak.Split(cell[1], -1)
	i := slices.IndexFunc(rest, func(s string) bool { return pageTime.MatchString(html.UnescapeString(s)) })
	if i < 1 {
		r.leave(pos, "activities that are not prompts")
		return nil
	}
	title, files := plainText(rest[0]), []string(nil)
	attached := func(s string) (string, bool) {
		return strings.CutPrefix(strings.TrimLeft(plainText(s), " \u00a0\u2003"), "-")
	}
	for j, s := range rest[1:i] {
		name, ok := attached(s)
		_, heads := attached(rest[j+2]) // "Attached 1 file." appears above the first
		if ok {
			files = append(files, strings.TrimSpace(name))
		} else if !heads {
			title = join(title, plainText(s))
		}
	}
	at, ok := r.pageTime(plainText(rest[i]))
	if !ok {
		r.flaw(pos, "a time cannot be read; the message is kept without it", fmt.Sprintf("%q", plainText(rest[i])), "an English or Chinese date; choose JSON in Takeout for other languages")
	}
	return r.activity(title, plainText(strings.Join(rest[i+1:], "<br>")), files, at, pos)
}

// pageLayouts are the dates of Takeout's HTML in English and Chinese.
var pageLayouts = []string{"Jan 2, 2006, 3:04:05 PM", "2 Jan 2006, 15:04:05", "Jan 2, 2006, 15:04:05", "2006年1月2日 15:04:05", "2006/1/2 15:04:05", "2006-01-02 15:04:05"}

func (r *reader) pageTime(s string) (time.Time, bool) {
	s = plainBlanks.Replace(s)
	zone := r.zone()
	if i := strings.LastIndexByte(s, ' '); i > 0 && s[i+1:] != "AM" && s[i+1:] != "PM" { // the zone: UTC, CET, GMT+08:00
		if t, err := time.Parse("GMT-07:00", s[i+1:]); err == nil {
			zone = t.Location()
		} else if s[i+1:] == "UTC" || s[i+1:] == "GMT" {
			zone = time.UTC
		}
		s = s[:i]
	}
	for _, l := range pageLayouts {
		if t, err := time.ParseInLocation(l, s, zone); err == nil {
			return t, true
		}
	}
	return time.Time{}, false
}

// time parses an instant written by a program. An unreadable time is reported, and the message has no time.
func (r *reader) time(s string, pos schema.Pos) time.Time {
	t, ok := schema.ParseTime(s, r.zone())
	if !ok && s != "" {
		r.flaw(pos, "a time cannot be read; the message is kept without it", fmt.Sprintf("%q", s), "a time as 2026-03-01T20:00:00Z")
	}
	return t
}

// plainText is the text of HTML: blocks on lines of their own.
func plainText(s string) string {
	var b strings.Builder
	z := html.NewTokenizer(strings.NewReader(s))
	hidden, quoted := 0, 0
	for {
		switch z.Next() {
		case html.ErrorToken: // the end; a strings.Reader has no other fault
			if z.Err() != io.EOF {
				return s
			}
			return strings.TrimSpace(lines3.ReplaceAllString(b.String(), "\n\n"))
		case html.TextToken:
			text := string(z.Text())
			if quoted > 0 {
				text = strings.ReplaceAll(text, "\n", "\n> ")
			}
			if hidden == 0 {
				b.WriteString(text)
			}
		case html.StartTagToken, html.SelfClosingTagToken:
			name, _ := z.TagName()
			switch string(name) {
			case "style", "script":
				hidden++
			case "li":
				b.WriteString("\n- ")
			case "blockquote":
				quoted++
				b.WriteString("\n> ")
			case "p", "div", "br", "tr", "h1", "h2", "h3", "h4", "ul", "ol", "pre":
				b.WriteString("\n")
				if quoted > 0 {
					b.WriteString("> ")
				}
			case "td", "th":
				b.WriteString(" ")
			}
		case html.EndTagToken:
			name, _ := z.TagName()
			switch s := string(name); {
			case (s == "style" || s == "script") && hidden > 0:
				hidden--
			case s == "blockquote" && quoted > 0:
				quoted--
				b.WriteString("\n")
			}
		}
	}
}

func join(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + "\n" + b
}

// short returns enough of an id to distinguish conversations with the same title.
func short(id string) string { return id[:min(len(id), 8)] }

// kindOf is the kind of an attachment by its MIME type.
func kindOf(mime string) string {
	kind, _, _ := strings.Cut(mime, "/")
	switch kind {
	case "image", "audio", "video":
		return kind
	}
	return "file"
}
