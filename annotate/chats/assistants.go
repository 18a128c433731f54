package chats

import (
	"encoding/json"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"time"

	"membench/datasets"
	"membench/internal/codec"
	"membench/schema"

	"golang.org/x/net/html"
)

// maxValue is the largest JSON value that is held: a conversation, or a whole export of
// programs that write one object.
const maxValue = 512 << 20

// each hands every JSON value of the files to take; what take refuses with a
// *schema.Finding is reported, and the next is read.
func (r *reader) each(files []*file, take func(v *datasets.Value) error) error {
	return datasets.Each(r.ctx, values(files), datasets.Options{Max: maxValue, Report: r.Report}, take)
}

// chatGPT reads conversations.json: a tree of messages for each conversation, of which the
// path from current_node to the root is what was said last. Other branches (answers made
// again, questions edited) are counted.
var chatGPT = Form{
	Name: "chatgpt", Doc: "ChatGPT: Settings, Data controls, Export data", sorted: true,
	match: func(files []*file) []*file { return named(files, "", `"mapping"`, `"current_node"`) },
	read: func(r *reader, files []*file) error {
		return r.each(files, func(v *datasets.Value) error {
			var c gptConversation
			if err := v.Decode(&c); err != nil {
				return err
			}
			return r.gpt(c, v.Pos)
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
	Created float64 `json:"create_time"`
	Content struct {
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
		} `json:"attachments"`
	} `json:"metadata"`
}

func (r *reader) gpt(c gptConversation, pos schema.Pos) error {
	var path []*gptMessage
	seen := map[string]bool{}
	for id := c.Current; id != "" && !seen[id]; id = c.Mapping[id].Parent {
		seen[id] = true
		if m := c.Mapping[id].Message; m != nil {
			path = append(path, m)
		}
	}
	for id, n := range c.Mapping {
		if !seen[id] && n.Message != nil && !n.Message.Metadata.Hidden && n.Message.Author.Role != "system" {
			r.leave("messages of branches that were not continued", pos)
		}
	}
	slices.Reverse(path)
	conv := convID(c.Title, short(c.ConvID+c.ID))
	for _, m := range path {
		role := m.Author.Role
		if m.Metadata.Hidden || role == "system" || m.Content.Type == "user_editable_context" || m.Content.Type == "model_editable_context" {
			r.leave("instructions and hidden messages", pos)
			continue
		}
		if m.Content.Type == "thoughts" || m.Content.Type == "reasoning_recap" {
			r.leave("reasoning", pos)
			continue
		}
		out := Message{Conv: conv, Title: c.Title, Role: role, Name: m.Author.Name, Pos: pos, Text: m.Content.Text + m.Content.Result}
		if m.Created > 0 {
			out.Time = time.UnixMilli(int64(m.Created * 1000)).UTC()
		}
		for _, p := range m.Content.Parts {
			var text string
			if codec.Unmarshal(p, &text) == nil {
				out.Text = join(out.Text, text)
				continue
			}
			var asset struct {
				Type string `json:"content_type"`
				Text string `json:"text"`
				ID   string `json:"asset_pointer"`
			}
			if err := codec.Unmarshal(p, &asset); err != nil {
				r.fault(pos, "a part of a message cannot be read: "+err.Error(), "", "text or an object")
				continue
			}
			if out.Text = join(out.Text, asset.Text); asset.ID != "" {
				kind, _, _ := strings.Cut(asset.Type, "_")
				out.Attachments = append(out.Attachments, schema.Attachment{Type: kind, ID: asset.ID})
			}
		}
		for _, a := range m.Metadata.Attachments {
			if !slices.ContainsFunc(out.Attachments, func(b schema.Attachment) bool { return a.ID != "" && strings.HasSuffix(b.ID, a.ID) }) {
				out.Attachments = append(out.Attachments, schema.Attachment{Type: kindOf(a.Type), ID: a.ID, Name: a.Name})
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
	Name: "claude", Doc: "Claude: Settings, Privacy, Export data", sorted: true,
	match: func(files []*file) []*file { return named(files, "", `"chat_messages"`, `"sender"`) },
	read: func(r *reader, files []*file) error {
		return r.each(files, func(v *datasets.Value) error {
			var c claudeConversation
			if err := v.Decode(&c); err != nil {
				return err
			}
			for _, m := range c.Messages {
				if err := r.add(m.message(c, r, v.Pos)); err != nil {
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

type claudeMessage struct {
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
	out := Message{Conv: convID(c.Name, short(c.UUID)), Title: c.Name, Role: "user", Pos: pos, Time: r.time(m.Created, pos)}
	if m.Sender != "human" {
		out.Role = "assistant"
	}
	for _, p := range m.Content {
		switch p.Type {
		case "text":
			out.Text = join(out.Text, p.Text)
		case "thinking":
			r.leave("reasoning", pos)
		default:
			r.leave("parts of type "+p.Type, pos)
		}
	}
	if out.Text == "" {
		out.Text = m.Text
	}
	for _, f := range slices.Concat(m.Attachments, m.Files) {
		out.Attachments = append(out.Attachments, schema.Attachment{Type: kindOf(f.Type), Name: f.Name, Text: f.Content})
	}
	return out
}

// gemini reads Gemini's part of a Google Takeout in JSON (MyActivity.json): one entry a
// prompt, the newest first, with the answer as HTML. It names no conversations: a day's
// prompts are one.
var gemini = Form{
	Name: "gemini", Doc: "Google Takeout: My Activity, Gemini Apps, as JSON",
	match: func(files []*file) []*file {
		return slices.DeleteFunc(named(files, "", `"header"`, `"title"`, `"time"`), func(f *file) bool {
			return !strings.Contains(string(f.head()), "Gemini") && !strings.Contains(string(f.head()), "Bard")
		})
	},
	read: func(r *reader, files []*file) error {
		return r.each(files, func(v *datasets.Value) error {
			var a struct {
				Header string `json:"header"`
				Title  string `json:"title"`
				Time   string `json:"time"`
				HTML   []struct {
					HTML string `json:"html"`
				} `json:"safeHtmlItem"`
				Files []string `json:"attachedFiles"`
				Image string   `json:"imageFile"`
			}
			if err := v.Decode(&a); err != nil {
				return err
			}
			if len(a.HTML) == 0 && !prompted.MatchString(a.Title) {
				r.leave("activities that are not prompts", v.Pos)
				return nil
			}
			at := r.time(a.Time, v.Pos)
			ask := Message{Conv: convID("gemini", at.In(r.zone()).Format(time.DateOnly)), Role: "user", Time: at, Pos: v.Pos, Text: prompted.ReplaceAllString(a.Title, "")}
			for _, f := range append(a.Files, a.Image) {
				if f != "" {
					ask.Attachments = append(ask.Attachments, schema.Attachment{Type: "file", Name: f})
				}
			}
			if err := r.add(ask); err != nil {
				return err
			}
			answer := ask
			answer.Role, answer.Text, answer.Attachments = "assistant", "", nil
			for _, h := range a.HTML {
				answer.Text = join(answer.Text, plainText(h.HTML))
			}
			if answer.Text == "" {
				r.leave("prompts without an answer", v.Pos)
				return nil
			}
			return r.add(answer)
		})
	},
}

var (
	// prompted starts the title of a prompt, in the language of the account.
	prompted = regexp.MustCompile(`^(?:Prompted|Asked|Said|输入的提示|提示)[:：]?\s+`)
	lines3   = regexp.MustCompile(`\n\s*\n\s*`)
)

// time reads an instant that a program wrote; what it cannot read is a finding, and the
// message has no time.
func (r *reader) time(s string, pos schema.Pos) time.Time {
	t, ok := schema.ParseTime(s, r.zone())
	if !ok && s != "" {
		r.fault(pos, "a time cannot be read; the message is kept without it", fmt.Sprintf("%q", s), "a time as 2026-03-01T20:00:00Z")
	}
	return t
}

// plainText is the text of HTML: blocks on lines of their own.
func plainText(s string) string {
	var b strings.Builder
	z := html.NewTokenizer(strings.NewReader(s))
	hidden := 0
	for {
		switch z.Next() {
		case html.ErrorToken: // the end; a strings.Reader has no other fault
			if z.Err() != io.EOF {
				return s
			}
			return strings.TrimSpace(lines3.ReplaceAllString(b.String(), "\n\n"))
		case html.TextToken:
			if hidden == 0 {
				b.Write(z.Text())
			}
		case html.StartTagToken, html.SelfClosingTagToken:
			name, _ := z.TagName()
			switch string(name) {
			case "style", "script":
				hidden++
			case "li":
				b.WriteString("\n- ")
			case "p", "div", "br", "tr", "h1", "h2", "h3", "h4", "ul", "ol", "pre", "blockquote":
				b.WriteString("\n")
			case "td", "th":
				b.WriteString(" ")
			}
		case html.EndTagToken:
			name, _ := z.TagName()
			if s := string(name); (s == "style" || s == "script") && hidden > 0 {
				hidden--
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

// short is enough of an id to tell conversations with one title apart.
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
