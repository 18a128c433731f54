package chats

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"membench/datasets"
	"membench/internal/codec"
	"membench/internal/pattern"
	"membench/schema"

	"golang.org/x/net/html"
)

// telegram reads result.json (one chat, or all chats of an account), or else the export's HTML pages.
var telegram = Form{
	Name: "telegram", Doc: "Telegram Desktop: Export chat history, as JSON or HTML",
	unit: func(file string) string { // pages of one chat are beside each other
		if strings.EqualFold(path.Ext(file), ".json") {
			return file
		}
		return path.Dir(filepath.ToSlash(file))
	},
	match: func(files []*file) []*file {
		data := slices.DeleteFunc(named(files, "", `"messages"`, `"type"`, `"id"`), func(f *file) bool {
			h := string(f.head())
			return !strings.Contains(h, `"date_unixtime"`) && !strings.Contains(h, `"from_id"`)
		})
		if len(data) > 0 {
			return data
		}
		return telegramPages(files)
	},
	read: func(r *reader, files []*file) error {
		if !isJSON(files[0]) {
			var w telegramWriter
			for _, f := range files {
				if err := r.telegramPage(f, &w); err != nil {
					return err
				}
			}
			return nil
		}
		return r.each(files, func(v *datasets.Value) error {
			if err := v.Decode(&telegramChat{}); err != nil {
				return err
			}
			for _, list := range []string{"chats.list", "left_chats.list"} {
				for chat := range codec.Elements(codec.Member(v.Bytes, list)) {
					if err := r.telegram(chat, v); err != nil {
						return err
					}
				}
			}
			return r.telegram(v.Bytes, v)
		})
	},
}

type telegramChat struct {
	Name string          `json:"name"`
	Type string          `json:"type"`
	ID   json.RawMessage `json:"id"`
}

type telegramMessage struct {
	ID        int64           `json:"id"`
	Type      string          `json:"type"`
	Date      string          `json:"date"`
	Unix      string          `json:"date_unixtime"`
	From      string          `json:"from"`
	FromID    string          `json:"from_id"`
	Text      json.RawMessage `json:"text"`
	ReplyTo   int64           `json:"reply_to_message_id"`
	ReplyPeer string          `json:"reply_to_peer_id"` // of another chat, whose message it is
	Forwarded string          `json:"forwarded_from"`
	Photo     string          `json:"photo"`
	File      string          `json:"file"`
	FileName  string          `json:"file_name"`
	Media     string          `json:"media_type"`
	MIME      string          `json:"mime_type"`
	Sticker   string          `json:"sticker_emoji"`
	Place     *struct {
		Latitude  float64 `json:"latitude"`
		Longitude float64 `json:"longitude"`
	} `json:"location_information"`
	PlaceName string `json:"place_name"`
	Contact   *struct {
		First string `json:"first_name"`
		Last  string `json:"last_name"`
		Phone string `json:"phone_number"`
	} `json:"contact_information"`
	Poll *struct {
		Question string `json:"question"`
		Answers  []struct {
			Text string `json:"text"`
		} `json:"answers"`
	} `json:"poll"`
}

// cards returns the content of a message that is neither text nor a file.
func (m telegramMessage) cards() (out []schema.Attachment) {
	if p := m.Place; p != nil {
		out = append(out, schema.Attachment{Type: "location", Name: m.PlaceName, Text: fmt.Sprintf("%g, %g", p.Latitude, p.Longitude)})
	}
	if c := m.Contact; c != nil {
		out = append(out, schema.Attachment{Type: "contact", Text: strings.Join(strings.Fields(c.First+" "+c.Last+" "+c.Phone), " ")})
	}
	if p := m.Poll; p != nil {
		text := p.Question
		for _, a := range p.Answers {
			text = join(text, "- "+a.Text)
		}
		out = append(out, schema.Attachment{Type: "poll", Text: text})
	}
	return out
}

func (r *reader) telegram(chat []byte, v *datasets.Value) error {
	var c telegramChat
	if err := v.DecodeAt(chat, &c); err != nil {
		return err
	}
	title := cmp.Or(c.Name, strings.ReplaceAll(c.Type, "_", " "))
	for raw := range codec.Elements(codec.Member(chat, "messages")) {
		var m telegramMessage
		pos := v.At(raw)
		if err := v.DecodeAt(raw, &m); err != nil {
			if f, ok := err.(*schema.Finding); ok {
				r.Report(f)
				continue
			}
			return err
		}
		if m.Type != "message" {
			r.leave(pos, notices)
			continue
		}
		out := Message{Conv: convID(title, strings.Trim(string(c.ID), `"`)), Title: title, Name: r.account(m.FromID, cmp.Or(m.From, m.FromID)), ID: strconv.FormatInt(m.ID, 10), Pos: pos, Text: textOf(m.Text)}
		if m.ReplyTo != 0 && m.ReplyPeer == "" {
			out.ReplyTo = strconv.FormatInt(m.ReplyTo, 10)
		}
		if n, err := strconv.ParseInt(m.Unix, 10, 64); err == nil {
			out.Time = time.Unix(n, 0).In(r.zone())
		} else {
			out.Time = r.time(m.Date, pos)
		}
		if m.Forwarded != "" { // another person's words
			out.Quote, out.Text = join(m.Forwarded+":", out.Text), "[forwarded from "+m.Forwarded+"]"
		}
		out.Attachments = m.cards()
		if m.Photo != "" {
			out.Attachments = append(out.Attachments, schema.Attachment{Type: "image", Path: placed(m.Photo), Name: path.Base(m.Photo)})
		}
		if m.File != "" {
			out.Attachments = append(out.Attachments, schema.Attachment{Type: cmp.Or(m.Media, kindOf(m.MIME)), Path: placed(m.File),
				Name: cmp.Or(m.FileName, path.Base(m.File)), Text: m.Sticker})
		}
		if err := r.add(out); err != nil {
			return err
		}
	}
	return nil
}

// placed is the path of an attachment that the export holds; where it was omitted,
// Telegram writes a sentence in brackets instead.
func placed(p string) string {
	if strings.HasPrefix(p, "(") {
		return ""
	}
	return p
}

// textOf joins a text that is a string or a list of strings and entities. Of the forms of an entity those that say whose words it is, or that they no longer
// count, are kept as the signs of Markdown for them.
func textOf(raw json.RawMessage) string {
	var s string
	if codec.Unmarshal(raw, &s) == nil {
		return s
	}
	var parts []json.RawMessage
	if codec.Unmarshal(raw, &parts) != nil {
		return ""
	}
	var b strings.Builder
	for _, p := range parts {
		var entity struct {
			Type string `json:"type"`
			Text string `json:"text"`
			Link string `json:"href"`
		}
		if codec.Unmarshal(p, &s) == nil {
			b.WriteString(s)
		} else if codec.Unmarshal(p, &entity) == nil {
			switch text := linked(entity.Text, entity.Link); entity.Type {
			case "blockquote":
				b.WriteString("\n> " + strings.ReplaceAll(text, "\n", "\n> ") + "\n")
			case "pre":
				b.WriteString("\n```\n" + text + "\n```\n")
			case "strikethrough":
				b.WriteString("~~" + text + "~~")
			default:
				b.WriteString(text)
			}
		}
	}
	return strings.TrimSpace(b.String())
}

// linked is a text with the address that lies behind it.
func linked(text, address string) string {
	if address == "" || text == "" || text == address {
		return cmp.Or(text, address)
	}
	return text + " (" + address + ")"
}

// discord reads channels as DiscordChatExporter writes them in JSON, or Discord's own data
// package.
var discord = Form{
	Name: "discord", Doc: "DiscordChatExporter, as JSON; Discord's data package (your own side)",
	match: func(files []*file) []*file {
		if channels := named(files, "", `"guild"`, `"channel"`, `"messages"`); len(channels) > 0 {
			return channels
		}
		return discordPackage(files)
	},
	read: func(r *reader, files []*file) error {
		if slices.ContainsFunc(files, func(f *file) bool { return discordChannel.MatchString(f.base) }) {
			return r.packaged(files)
		}
		return r.each(files, func(v *datasets.Value) error {
			var x struct {
				Guild struct {
					Name string `json:"name"`
				} `json:"guild"`
				Channel struct {
					ID   string `json:"id"`
					Name string `json:"name"`
				} `json:"channel"`
				Messages []struct {
					ID        string `json:"id"`
					Type      string `json:"type"`
					Timestamp string `json:"timestamp"`
					Content   string `json:"content"`
					Author    struct {
						ID       string `json:"id"`
						Name     string `json:"name"`
						Nickname string `json:"nickname"`
						Bot      bool   `json:"isBot"`
					} `json:"author"`
					Attachments []struct {
						ID   string `json:"id"`
						URL  string `json:"url"`
						Name string `json:"fileName"`
					} `json:"attachments"`
					Reference struct {
						ID string `json:"messageId"`
					} `json:"reference"`
					Stickers []struct {
						Name string `json:"name"`
						URL  string `json:"sourceUrl"`
					} `json:"stickers"`
					Embeds []struct {
						Title       string `json:"title"`
						Description string `json:"description"`
						URL         string `json:"url"`
						Fields      []struct {
							Name  string `json:"name"`
							Value string `json:"value"`
						} `json:"fields"`
					} `json:"embeds"`
					Forwarded *struct {
						Content string `json:"content"`
					} `json:"forwardedMessage"`
				} `json:"messages"`
			}
			if err := v.Decode(&x); err != nil {
				return err
			}
			places := v.Places("messages")
			for i, m := range x.Messages {
				pos := places[strconv.Itoa(i)]
				if discordNotice.MatchString(m.Type) {
					r.leave(pos, notices)
					continue
				}
				out := Message{Conv: convID(x.Guild.Name, x.Channel.Name, x.Channel.ID), Title: x.Channel.Name, Name: r.account(m.Author.ID, cmp.Or(m.Author.Nickname, m.Author.Name)), ID: m.ID, ReplyTo: m.Reference.ID,
					Time: r.time(m.Timestamp, pos), Text: m.Content, Pos: pos}
				if m.Author.Bot {
					out.Role = "assistant"
				}
				for _, a := range m.Attachments {
					out.Attachments = append(out.Attachments, schema.Attachment{Type: "file", ID: a.ID, URL: a.URL, Name: a.Name})
				}
				for _, s := range m.Stickers {
					out.Attachments = append(out.Attachments, schema.Attachment{Type: "sticker", URL: s.URL, Text: s.Name})
				}
				for _, e := range m.Embeds {
					text := join(e.Title, e.Description)
					for _, f := range e.Fields {
						text = join(text, f.Name+": "+f.Value)
					}
					if text != "" {
						out.Attachments = append(out.Attachments, schema.Attachment{Type: "embed", URL: e.URL, Text: text})
					}
				}
				if f := m.Forwarded; f != nil { // another person's words
					out.Quote, out.Text = f.Content, join("[forwarded]", out.Text)
				}
				if err := r.add(out); err != nil {
					return err
				}
			}
			return nil
		})
	},
}

// discordNotice are the types of messages that Discord itself writes; DiscordChatExporter
// shows the others by name or, where it has none, by number.
var discordNotice = pattern.New(`^(?:Recipient|Call$|Channel|Guild|Thread|[1-9]$|1[0-8]$|2[12]$)`)

// slack reads files of a channel by themselves, or the folder or zip that Slack exports: users.json, and for each channel a
// folder with a file a day. Files of a channel are read in the order of their names.
var slack = Form{
	Name: "slack", Doc: "Slack: Settings, Import/Export data, Export",
	unit: func(string) string { return "" },
	match: func(files []*file) []*file {
		users := append(named(files, "users.json"), named(files, "dms.json")...)
		users = append(users, named(files, "mpims.json")...)
		days := slices.DeleteFunc(slices.Clone(files), func(f *file) bool { return !slackDay.MatchString(f.base) })
		if len(users) == 0 || len(days) == 0 { // files of a channel without the rest of the export
			return slices.DeleteFunc(slices.Clone(files), func(f *file) bool { return !slackList(f) })
		}
		return append(users, days...)
	},
	read: func(r *reader, files []*file) error {
		people := map[string]string{} // names by id
		titles := map[string]string{} // of direct messages, whose folders have ids
		for _, f := range files {
			channel := ""
			if day := slackDay.FindStringSubmatch(f.base); day != nil {
				channel = day[1]
			} else if slackList(f) {
				channel = f.stem()
			}
			err := r.each([]*file{f}, func(v *datasets.Value) error {
				var m slackMessage
				if err := v.Decode(&m); err != nil {
					return err
				}
				if len(m.Members) > 0 {
					var with []string
					for _, id := range m.Members {
						with = append(with, cmp.Or(people[id], id))
					}
					titles[m.ID], titles[cmp.Or(m.Name, m.ID)] = strings.Join(with, ", "), strings.Join(with, ", ")
					return nil
				}
				if channel == "" {
					name := r.account(m.ID, cmp.Or(m.Profile.Display, m.Profile.Real, m.RealName, m.Name, m.ID))
					if people[m.ID] = name; cmp.Or(m.Profile.Real, m.RealName, name) != name {
						r.people.full[name] = cmp.Or(m.Profile.Real, m.RealName)
					}
					return nil
				}
				return r.slack(m, channel, cmp.Or(titles[channel], channel), people, v.Pos)
			})
			if err != nil {
				return err
			}
		}
		return nil
	},
}

// slackList reports whether a file is a list of Slack's messages, by the form of their times: seconds and six digits, as text.
func slackList(f *file) bool {
	head := f.head()
	return bytes.HasPrefix(bytes.TrimLeft(head, " \t\r\n"), []byte("[")) && bytes.Contains(head, []byte(`"type"`)) && slackTime.Match(head)
}

var slackTime = regexp.MustCompile(`"ts"\s*:\s*"\d{9,10}\.\d{6}"`)

var slackDay = pattern.New(`(?:^|/)([^/]+)/\d{4}-\d{2}-\d{2}\.json$`)

// slackMessage is a message, or an entry of users.json or of a list of direct messages.
type slackMessage struct {
	ID       string       `json:"id"`
	Name     string       `json:"name"`
	RealName string       `json:"real_name"`
	Profile  slackProfile `json:"profile"`
	Members  []string     `json:"members"`

	Type    string       `json:"type"`
	Subtype string       `json:"subtype"`
	User    string       `json:"user"`
	Bot     string       `json:"bot_id"`
	BotName string       `json:"username"`
	Who     slackProfile `json:"user_profile"`
	Text    string       `json:"text"`
	TS      string       `json:"ts"`
	Thread  string       `json:"thread_ts"`
	Files   []struct {
		ID   string `json:"id"`
		Name string `json:"name"`
		Type string `json:"mimetype"`
		URL  string `json:"url_private"`
	} `json:"files"`
	Cards []struct {
		Title    string `json:"title"`
		Text     string `json:"text"`
		Fallback string `json:"fallback"`
		Link     string `json:"title_link"`
	} `json:"attachments"`
	Blocks json.RawMessage `json:"blocks"`
}

// slackBlocks returns the text of a message that has text only in its blocks: every string member "text", in order; each block is on its own line.
func slackBlocks(raw json.RawMessage, depth int) string {
	text, mark := "", ""
	if depth < 2 {
		mark = "\n"
	}
	for el := range codec.Elements(raw) {
		if s := slackBlocks(el, depth+1); text != "" && s != "" {
			text += mark + s
		} else {
			text += s
		}
	}
	for name, v := range codec.Members(raw) {
		var s string
		if name == "text" && codec.Unmarshal(v, &s) == nil {
			text += s
		} else if len(v) > 0 && (v[0] == '[' || v[0] == '{') && depth < 2*maxNest {
			text += slackBlocks(v, depth+1)
		}
	}
	return text
}

type slackProfile struct {
	Display string `json:"display_name"`
	Real    string `json:"real_name"`
}

func (r *reader) slack(m slackMessage, channel, title string, people map[string]string, pos schema.Pos) error {
	switch m.Subtype {
	case "", "file_share", "thread_broadcast", "me_message", "bot_message":
	default:
		r.leave(pos, notices)
		return nil
	}
	out := Message{Conv: convID(channel), Title: title, Name: people[m.User], ID: m.TS, Pos: pos}
	if out.Name == "" { // a guest, or a program: its name is its own
		name := cmp.Or(m.Who.Display, m.Who.Real, m.BotName, m.User, m.Bot)
		if m.User != "" {
			out.Name = r.account(m.User, name)
			people[m.User] = out.Name
		} else {
			out.Name = r.person(cmp.Or(m.Bot, m.BotName), name)
		}
	}
	if m.Subtype == "bot_message" {
		out.Role = "assistant"
	}
	if sec, err := strconv.ParseFloat(m.TS, 64); err == nil {
		out.Time = time.UnixMilli(int64(sec * 1000)).In(r.zone())
	} else {
		r.flaw(pos, "a time cannot be read; the message is kept without it", fmt.Sprintf("%q", m.TS), "seconds since 1970")
	}
	if out.Text = slackText(m.Text, people); out.Text == "" {
		out.Text = slackText(slackBlocks(m.Blocks, 0), people)
	}
	if m.Thread != "" && m.Thread != m.TS {
		out.ReplyTo = m.Thread
	}
	for _, c := range m.Cards {
		if text := slackText(join(c.Title, cmp.Or(c.Text, c.Fallback)), people); text != "" {
			out.Attachments = append(out.Attachments, schema.Attachment{Type: "card", URL: c.Link, Text: text})
		}
	}
	for _, f := range m.Files {
		out.Attachments = append(out.Attachments, schema.Attachment{Type: kindOf(f.Type), ID: f.ID, Name: f.Name, URL: f.URL})
	}
	return r.add(out)
}

var slackLink = regexp.MustCompile(`<([@#!]?)([^<>|]+)(?:\|([^<>]*))?>`)

// slackStruck are words that are struck out, which Markdown marks with two signs.
var slackStruck = regexp.MustCompile(`(?m)(^|\s)~(\S[^~\n]*)~($|[\s.,;:!?)])`)

// slackText replaces ids by names, links by their addresses, and Slack's mark of struck words by Markdown's.
func slackText(s string, people map[string]string) string {
	s = slackLink.ReplaceAllStringFunc(s, func(link string) string {
		p := slackLink.FindStringSubmatch(link)
		switch p[1] {
		case "@":
			return "@" + cmp.Or(people[p[2]], p[3], p[2])
		case "#":
			return "#" + cmp.Or(p[3], p[2])
		case "!": // <!here>, <!channel>
			return "@" + cmp.Or(p[3], p[2])
		}
		return linked(p[3], strings.TrimPrefix(p[2], "mailto:"))
	})
	return html.UnescapeString(slackStruck.ReplaceAllString(s, "$1~~$2~~$3"))
}

// quotes keeps the last messages of a conversation for the replies to them.
type quotes struct {
	text  map[string]string
	order []string
}

// maxQuotes is how many messages a reply may lie back, quoteSize how much of one is kept.
const (
	maxQuotes = 10_000
	quoteSize = 500
)

func newQuotes() *quotes { return &quotes{text: map[string]string{}} }

func (q *quotes) get(id string) string { return q.text[id] }

func (q *quotes) put(id, text string) {
	if len(q.order) == maxQuotes {
		delete(q.text, q.order[0])
		q.order = q.order[1:]
	}
	if r := []rune(text); len(r) > quoteSize {
		text = string(r[:quoteSize])
	}
	q.text[id] = text
	q.order = append(q.order, id)
}
