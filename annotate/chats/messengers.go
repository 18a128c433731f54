package chats

import (
	"encoding/json"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"membench/datasets"
	"membench/internal/codec"
	"membench/schema"

	"golang.org/x/net/html"
)

// telegram reads result.json: one chat, or all chats of an account.
var telegram = Form{
	Name: "telegram", Doc: "Telegram Desktop: Export chat history, as JSON", sorted: true,
	match: func(files []*file) []*file {
		return slices.DeleteFunc(named(files, "", `"messages"`, `"type"`, `"id"`), func(f *file) bool {
			h := string(f.head())
			return !strings.Contains(h, `"date_unixtime"`) && !strings.Contains(h, `"from_id"`)
		})
	},
	read: func(r *reader, files []*file) error {
		return r.each(files, func(v *datasets.Value) error {
			var all struct {
				telegramChat
				Chats struct {
					List []telegramChat `json:"list"`
				} `json:"chats"`
			}
			if err := v.Decode(&all); err != nil {
				return err
			}
			for _, c := range append(all.Chats.List, all.telegramChat) {
				if err := r.telegram(c, v); err != nil {
					return err
				}
			}
			return nil
		})
	},
}

type telegramChat struct {
	Name     string            `json:"name"`
	ID       json.RawMessage   `json:"id"`
	Messages []json.RawMessage `json:"messages"`
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
	Forwarded string          `json:"forwarded_from"`
	Photo     string          `json:"photo"`
	File      string          `json:"file"`
	FileName  string          `json:"file_name"`
	Media     string          `json:"media_type"`
	MIME      string          `json:"mime_type"`
	Sticker   string          `json:"sticker_emoji"`
}

func (r *reader) telegram(c telegramChat, v *datasets.Value) error {
	said := newQuotes[int64]()
	for _, raw := range c.Messages {
		var m telegramMessage
		if err := v.DecodeAt(raw, &m); err != nil {
			if f, ok := err.(*schema.Finding); ok {
				r.Report(f)
				continue
			}
			return err
		}
		if m.Type != "message" {
			r.leave("notices of the program (someone joined, calls, pins)", v.Pos)
			continue
		}
		out := Message{Conv: convID(c.Name, strings.Trim(string(c.ID), `"`)), Title: c.Name, Name: m.From, Pos: v.Pos, Text: telegramText(m.Text), Quote: said.get(m.ReplyTo)}
		if out.Name == "" {
			out.Name = m.FromID
		}
		if n, err := strconv.ParseInt(m.Unix, 10, 64); err == nil {
			out.Time = time.Unix(n, 0).In(r.zone())
		} else {
			out.Time = r.time(m.Date, v.Pos)
		}
		if m.Forwarded != "" { // somebody else's words
			out.Quote, out.Text = join(m.Forwarded+":", out.Text), "[forwarded from "+m.Forwarded+"]"
		}
		if m.Photo != "" {
			out.Attachments = append(out.Attachments, schema.Attachment{Type: "image", Path: placed(m.Photo), Name: path.Base(m.Photo)})
		}
		if m.File != "" {
			out.Attachments = append(out.Attachments, schema.Attachment{Type: first(m.Media, kindOf(m.MIME)), Path: placed(m.File),
				Name: first(m.FileName, path.Base(m.File)), Text: m.Sticker})
		}
		said.put(m.ID, out.Text)
		if err := r.add(out); err != nil {
			return err
		}
	}
	return nil
}

// placed is the path of an attachment that the export holds; where it was left out,
// Telegram writes a sentence in brackets instead.
func placed(p string) string {
	if strings.HasPrefix(p, "(") {
		return ""
	}
	return p
}

// telegramText joins a text that is a string or a list of strings and entities.
func telegramText(raw json.RawMessage) string {
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
			Text string `json:"text"`
		}
		if codec.Unmarshal(p, &s) == nil {
			b.WriteString(s)
		} else if codec.Unmarshal(p, &entity) == nil {
			b.WriteString(entity.Text)
		}
	}
	return b.String()
}

// discord reads a channel as DiscordChatExporter writes it in JSON.
var discord = Form{
	Name: "discord", Doc: "DiscordChatExporter, as JSON", sorted: true,
	match: func(files []*file) []*file { return named(files, "", `"guild"`, `"channel"`, `"messages"`) },
	read: func(r *reader, files []*file) error {
		return r.each(files, func(v *datasets.Value) error {
			var x struct {
				Guild    struct{ Name string }     `json:"guild"`
				Channel  struct{ ID, Name string } `json:"channel"`
				Messages []struct {
					ID        string `json:"id"`
					Type      string `json:"type"`
					Timestamp string `json:"timestamp"`
					Content   string `json:"content"`
					Author    struct {
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
				} `json:"messages"`
			}
			if err := v.Decode(&x); err != nil {
				return err
			}
			said := newQuotes[string]()
			for _, m := range x.Messages {
				if m.Type != "" && m.Type != "Default" && m.Type != "Reply" && m.Type != "0" && m.Type != "19" {
					r.leave("notices of the program (someone joined, calls, pins)", v.Pos)
					continue
				}
				out := Message{Conv: convID(x.Guild.Name, x.Channel.Name, x.Channel.ID), Title: x.Channel.Name, Name: first(m.Author.Nickname, m.Author.Name),
					Time: r.time(m.Timestamp, v.Pos), Text: m.Content, Quote: said.get(m.Reference.ID), Pos: v.Pos}
				if m.Author.Bot {
					out.Role = "assistant"
				}
				for _, a := range m.Attachments {
					out.Attachments = append(out.Attachments, schema.Attachment{Type: "file", ID: a.ID, URL: a.URL, Name: a.Name})
				}
				said.put(m.ID, m.Content)
				if err := r.add(out); err != nil {
					return err
				}
			}
			return nil
		})
	},
}

// slack reads the folder or zip that Slack exports: users.json, and for each channel a
// folder with a file a day. Files of a channel are read in the order of their names.
var slack = Form{
	Name: "slack", Doc: "Slack: Settings, Import/Export data, Export",
	match: func(files []*file) []*file {
		users := named(files, "users.json")
		days := slices.DeleteFunc(slices.Clone(files), func(f *file) bool { return !slackDay.MatchString(f.base) })
		if len(users) == 0 || len(days) == 0 {
			return nil
		}
		return append(users, days...)
	},
	read: func(r *reader, files []*file) error {
		people := map[string]string{}
		said := newQuotes[string]()
		for _, f := range files {
			day := slackDay.FindStringSubmatch(f.base)
			err := r.each([]*file{f}, func(v *datasets.Value) error {
				var m slackMessage
				if err := v.Decode(&m); err != nil {
					return err
				}
				if day == nil {
					people[m.ID] = first(m.Profile.Display, m.Profile.Real, m.RealName, m.Name)
					return nil
				}
				return r.slack(m, day[1], people, said, v.Pos)
			})
			if err != nil {
				return err
			}
		}
		return nil
	},
}

var slackDay = regexp.MustCompile(`(?:^|/)([^/]+)/\d{4}-\d{2}-\d{2}\.json$`)

// slackMessage is a message, or an entry of users.json.
type slackMessage struct {
	ID       string       `json:"id"`
	Name     string       `json:"name"`
	RealName string       `json:"real_name"`
	Profile  slackProfile `json:"profile"`

	Type    string       `json:"type"`
	Subtype string       `json:"subtype"`
	User    string       `json:"user"`
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
}

type slackProfile struct {
	Display string `json:"display_name"`
	Real    string `json:"real_name"`
}

func (r *reader) slack(m slackMessage, channel string, people map[string]string, said *quotes[string], pos schema.Pos) error {
	switch m.Subtype {
	case "", "file_share", "thread_broadcast", "me_message", "bot_message":
	default:
		r.leave("notices of the program (someone joined, calls, pins)", pos)
		return nil
	}
	out := Message{Conv: convID(channel), Title: channel, Name: first(people[m.User], m.Who.Display, m.Who.Real, m.BotName, m.User), Pos: pos}
	if m.Subtype == "bot_message" {
		out.Role = "assistant"
	}
	if sec, err := strconv.ParseFloat(m.TS, 64); err == nil {
		out.Time = time.UnixMilli(int64(sec * 1000)).In(r.zone())
	} else {
		r.fault(pos, "a time cannot be read; the message is kept without it", fmt.Sprintf("%q", m.TS), "seconds since 1970")
	}
	out.Text = slackText(m.Text, people)
	if m.Thread != "" && m.Thread != m.TS {
		out.Quote = said.get(channel + m.Thread)
	}
	said.put(channel+m.TS, out.Text)
	for _, f := range m.Files {
		out.Attachments = append(out.Attachments, schema.Attachment{Type: kindOf(f.Type), ID: f.ID, Name: f.Name, URL: f.URL})
	}
	return r.add(out)
}

var slackLink = regexp.MustCompile(`<([@#!]?)([^<>|]+)(?:\|([^<>]*))?>`)

// slackText puts names in the place of ids and addresses in that of links.
func slackText(s string, people map[string]string) string {
	s = slackLink.ReplaceAllStringFunc(s, func(link string) string {
		p := slackLink.FindStringSubmatch(link)
		switch p[1] {
		case "@":
			return "@" + first(people[p[2]], p[3], p[2])
		case "#":
			return "#" + first(p[3], p[2])
		case "!": // <!here>, <!channel>
			return "@" + first(p[3], p[2])
		}
		return first(p[3], p[2])
	})
	return html.UnescapeString(s)
}

// quotes keeps the last messages of a conversation for the replies to them.
type quotes[K comparable] struct {
	text  map[K]string
	order []K
}

// maxQuotes is how many messages a reply may lie back, quoteSize how much of one is kept.
const (
	maxQuotes = 10_000
	quoteSize = 500
)

func newQuotes[K comparable]() *quotes[K] { return &quotes[K]{text: map[K]string{}} }

func (q *quotes[K]) get(id K) string { return q.text[id] }

func (q *quotes[K]) put(id K, text string) {
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

func first(ss ...string) string {
	for _, s := range ss {
		if s != "" {
			return s
		}
	}
	return ""
}
