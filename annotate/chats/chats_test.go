package chats

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"membench/schema"

	"golang.org/x/text/encoding/htmlindex"
)

// said is one message of the invented chats, as every form can tell it.
type said struct {
	who, text string
	at        time.Time
}

// invented are 300 messages of two people, with line breaks, colons, quotation marks,
// brackets and characters beyond the basic plane.
func invented(lang string) []said {
	names := []string{"Ana Ruiz", "Wei"}
	texts := []string{"I moved to Lisbon.", "My plan: learn the cello.\nThen a trip, maybe 3/4 of a year", "She said \"no\" [really] <now>", "Tea & cake 🍰?", "https://example.org/a?b=c"}
	if lang == "zh" {
		names = []string{"林晚", "阿伟"}
		texts = []string{"我搬到里斯本了。", "计划：学大提琴。\n然后去旅行", "她说“不”【真的】", "茶和蛋糕🍰？", "https://example.org/a?b=c"}
	}
	var out []said
	at := time.Date(2026, 1, 30, 8, 5, 0, 0, time.UTC)
	for i := range 300 {
		text := texts[i%len(texts)]
		lead, rest, more := strings.Cut(text, "\n")
		text = fmt.Sprintf("%s %d", lead, i)
		if more {
			text += "\n" + rest
		}
		out = append(out, said{names[(i/2)%2], text, at})
		at = at.Add(97 * time.Minute)
	}
	return out
}

func toJSON(v any) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic(err)
	}
	return b.String()
}

type obj = map[string]any

// exports writes the messages as each program does, by the published form of its export.
var exports = map[string]func(ms []said) map[string]string{
	"whatsapp/android": func(ms []said) map[string]string {
		b := "30/01/2026, 08:00 - Messages and calls are end-to-end encrypted.\n"
		for _, m := range ms {
			b += m.at.Format("02/01/2006, 15:04") + " - " + m.who + ": " + m.text + "\n"
		}
		return map[string]string{"WhatsApp Chat with X.txt": b}
	},
	"whatsapp/us": func(ms []said) map[string]string {
		b := ""
		for _, m := range ms {
			b += m.at.Format("1/2/06, 3:04\u202fPM") + " - " + m.who + ": " + m.text + "\n"
		}
		return map[string]string{"x.txt": b}
	},
	"whatsapp/iphone.zip": func(ms []said) map[string]string {
		b := ""
		for _, m := range ms {
			b += "\u200e[" + m.at.Format("02.01.06, 15:04:05") + "] " + m.who + ": " + m.text + "\r\n"
		}
		return map[string]string{"_chat.txt": b, "00000012-PHOTO.jpg": "\xff\xd8"}
	},
	"whatsapp/zh": func(ms []said) map[string]string {
		b := ""
		for _, m := range ms {
			half, h := "上午", m.at.Hour()
			if h >= 12 {
				half = "下午"
				h = (h-1)%12 + 1
			}
			b += fmt.Sprintf("%s %s%d:%02d - %s: %s\n", m.at.Format("2006/1/2"), half, h, m.at.Minute(), m.who, m.text)
		}
		return map[string]string{"x.txt": b}
	},
	"telegram": func(ms []said) map[string]string {
		var list []obj
		for i, m := range ms {
			parts := []any{m.text[:len(m.text)/3], obj{"type": "plain", "text": m.text[len(m.text)/3:]}}
			var text any = m.text
			if strings.HasPrefix(m.text, "https") {
				text = parts
			}
			list = append(list, obj{"id": i, "type": "message", "date": m.at.Format("2006-01-02T15:04:05"), "date_unixtime": fmt.Sprint(m.at.Unix()), "from": m.who, "from_id": "user" + m.who, "text": text})
		}
		list = append(list, obj{"id": 999, "type": "service", "action": "pin_message", "date": "2026-03-01T00:00:00", "text": ""})
		return map[string]string{"result.json": toJSON(obj{"name": "X", "type": "personal_chat", "id": 12, "messages": list})}
	},
	"telegram/html": func(ms []said) map[string]string { // pages of 200; a speaker is named once for messages in a row
		page := []string{"messages.html", "messages2.html"}
		out := map[string]string{}
		for i, m := range ms {
			if out[page[i/200]] == "" {
				out[page[i/200]] = "<!DOCTYPE html>\n<body><div class=\"page_wrap\"><div class=\"page_header\"><div class=\"content\"><div class=\"text bold\">\nX\n</div></div></div><div class=\"history\">\n" +
					"<div class=\"message service\" id=\"message-1\"><div class=\"body details\">\n3 March 2026\n</div></div>\n"
			}
			joined, from := "", "<div class=\"from_name\">\n"+html.EscapeString(m.who)+" \n</div>"
			if i%200 > 0 && ms[i-1].who == m.who {
				joined, from = " joined", ""
			}
			out[page[i/200]] += fmt.Sprintf("<div class=\"message default clearfix%s\" id=\"message%d\">\n<div class=\"body\">\n<div class=\"pull_right date details\" title=\"%s UTC+01:00\">\n20:15\n</div>\n%s<div class=\"text\">\n%s\n</div>\n</div>\n</div>\n",
				joined, i, m.at.In(time.FixedZone("", 3600)).Format("02.01.2006 15:04:05"), from, strings.ReplaceAll(html.EscapeString(m.text), "\n", "<br>"))
		}
		return out
	},
	ownPackage: func(ms []said) map[string]string { // one's own messages only, the newest first
		var list []obj
		for i, m := range ms {
			list = append([]obj{{"ID": i + 1, "Timestamp": m.at.Format(time.DateTime), "Contents": m.text, "Attachments": ""}}, list...)
		}
		return map[string]string{"Account/user.json": toJSON(obj{"id": "9", "username": "x", "global_name": ms[0].who}), "Messages/index.json": `{"11":"general in Boats"}`,
			"Messages/c11/channel.json": `{"id":"11","type":"GUILD_TEXT","name":"general"}`, "Messages/c11/messages.json": toJSON(list)}
	},
	"slack": func(ms []said) map[string]string {
		out := map[string]string{"users.json": toJSON([]obj{{"id": "U1", "name": "a", "profile": obj{"real_name": ms[0].who}}, {"id": "U2", "name": "b", "profile": obj{"display_name": ms[2].who}}})}
		days := map[string][]obj{}
		for i, m := range ms {
			id := "U1"
			if m.who != ms[0].who {
				id = "U2"
			}
			text := strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;").Replace(m.text)
			if strings.HasPrefix(text, "https") {
				link, rest, _ := strings.Cut(text, " ")
				text = "<" + link + "> " + rest
			}
			day := m.at.Format("general/2006-01-02.json")
			days[day] = append(days[day], obj{"type": "message", "user": id, "text": text, "ts": fmt.Sprintf("%d.%06d", m.at.Unix(), i)})
		}
		for day, list := range days {
			out[day] = toJSON(list)
		}
		return out
	},
	"discord": func(ms []said) map[string]string {
		var list []obj
		for i, m := range ms {
			list = append(list, obj{"id": fmt.Sprint(i), "type": "Default", "timestamp": m.at.Format(time.RFC3339), "content": m.text, "author": obj{"name": "x", "nickname": m.who}, "attachments": []obj{}})
		}
		return map[string]string{"c.json": toJSON(obj{"guild": obj{"name": "G"}, "channel": obj{"id": "1", "name": "c"}, "messages": list})}
	},
	"mbox": func(ms []said) map[string]string {
		b := ""
		for i, m := range ms {
			b += fmt.Sprintf("From x@example.org Mon Jan 02 15:04:05 2026\nFrom: =?utf-8?q?%s?= <%x@example.org>\nDate: %s\nMessage-ID: <%d@x>\n", qEncode(m.who), m.who, m.at.Format(time.RFC1123Z), i)
			if i > 0 {
				b += "References: <0@x>\n"
			}
			b += "Subject: Re: plans\nContent-Type: multipart/mixed; boundary=b\n\n--b\nContent-Type: text/plain; charset=utf-8\n\n" + m.text + "\n\nOn Monday somebody wrote:\n> quoted line\n--b--\n\n"
		}
		return map[string]string{"mail.mbox": b}
	},
	"text": func(ms []said) map[string]string {
		b := ""
		for _, m := range ms {
			b += "[" + m.at.Format("2006-01-02 15:04:05") + "] " + m.who + ": " + m.text + "\n"
		}
		return map[string]string{"talk.txt": b}
	},
	"table/csv": func(ms []said) map[string]string {
		var b bytes.Buffer
		w := csv.NewWriter(&b)
		w.Comma = ';'
		w.Write([]string{"when", "Sender", "body"})
		for i := range ms {
			m := ms[len(ms)-1-i] // the newest first
			w.Write([]string{m.at.Format(time.RFC3339), m.who, m.text})
		}
		w.Flush()
		return map[string]string{"t.csv": b.String()}
	},
	"table/json": func(ms []said) map[string]string {
		var list []obj
		for _, m := range ms {
			list = append(list, obj{"by": obj{"name": m.who}, "when": m.at.UnixMilli(), "body": m.text})
		}
		return map[string]string{"t.json": toJSON(obj{"page": 1, "items": list})}
	},
}

// assistants are the forms of a person and a program: who is a role there.
var assistants = map[string]func(ms []said) map[string]string{
	"chatgpt": func(ms []said) map[string]string {
		mapping := obj{"root": obj{"id": "root", "message": nil, "parent": nil, "children": []string{"0"}}}
		for i, m := range ms {
			parent := "root"
			if i > 0 {
				parent = fmt.Sprint(i - 1)
			}
			mapping[fmt.Sprint(i)] = obj{"id": fmt.Sprint(i), "parent": parent, "message": obj{"author": obj{"role": role(m, ms)}, "create_time": float64(m.at.Unix()),
				"content": obj{"content_type": "text", "parts": []any{m.text}}, "metadata": obj{}}}
		}
		mapping["other"] = obj{"id": "other", "parent": "3", "message": obj{"author": obj{"role": "user"}, "content": obj{"content_type": "text", "parts": []any{"edited away"}}}}
		return map[string]string{"conversations.json": toJSON([]obj{{"title": "X", "id": "abcdefgh1", "current_node": fmt.Sprint(len(ms) - 1), "mapping": mapping}})}
	},
	"claude": func(ms []said) map[string]string {
		var list []obj
		for _, m := range ms {
			sender := "human"
			if role(m, ms) == "assistant" {
				sender = "assistant"
			}
			list = append(list, obj{"uuid": "u", "text": m.text, "content": []obj{{"type": "text", "text": m.text}}, "sender": sender, "created_at": m.at.Format("2006-01-02T15:04:05.000000Z"), "attachments": []obj{}, "files": []obj{}})
		}
		return map[string]string{"conversations.json": toJSON([]obj{{"uuid": "abcdefgh2", "name": "X", "chat_messages": list}})}
	},
	"gemini": func(ms []said) map[string]string {
		var list []obj
		for i := len(ms) - 2; i >= 0; i -= 2 { // the newest first; a prompt and its answer are one entry
			list = append(list, obj{"header": "Gemini Apps", "title": "Prompted " + ms[i].text, "time": ms[i].at.Format("2006-01-02T15:04:05.000Z"), "products": []string{"Gemini Apps"},
				"safeHtmlItem": []obj{{"html": "<p>" + strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", "\n", "<br>").Replace(ms[i+1].text) + "</p>"}}})
		}
		return map[string]string{"MyActivity.json": toJSON(list)}
	},
}

func role(m said, ms []said) string {
	if m.who == ms[0].who {
		return "user"
	}
	return "assistant"
}

func qEncode(s string) string {
	var b strings.Builder
	for _, c := range []byte(s) {
		fmt.Fprintf(&b, "=%02X", c)
	}
	return b.String()
}

// put writes an export as a folder, a file or (names that end in .zip) a zip.
func put(t *testing.T, name string, files map[string]string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "export")
	if strings.HasSuffix(name, ".zip") {
		f, err := os.Create(dir + ".zip")
		if err != nil {
			t.Fatal(err)
		}
		z := zip.NewWriter(f)
		for n, text := range files {
			w, err := z.Create(n)
			if err == nil {
				_, err = w.Write([]byte(text))
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		if err := errors.Join(z.Close(), f.Close()); err != nil {
			t.Fatal(err)
		}
		return dir + ".zip"
	}
	for n, text := range files {
		p := filepath.Join(dir, n)
		if err := errors.Join(os.MkdirAll(filepath.Dir(p), 0o777), os.WriteFile(p, []byte(text), 0o666)); err != nil {
			t.Fatal(err)
		}
		if len(files) == 1 {
			return p
		}
	}
	return dir
}

// readAll reads an export; findings of severity error fail the test.
func readAll(t *testing.T, path string, o Options) ([]line, Summary) {
	t.Helper()
	told := o.Report
	o.Report = func(f *schema.Finding) {
		if !f.Warning {
			t.Errorf("finding: %v", f)
		}
		if told != nil {
			told(f)
		}
	}
	x, err := Find(path, o)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	s, err := x.Write(context.Background(), &b, o)
	if err != nil {
		t.Fatal(err)
	}
	var out []line
	for l := range strings.Lines(b.String()) {
		var v line
		if err := json.Unmarshal([]byte(l), &v); err != nil {
			t.Fatal(err)
		}
		out = append(out, v)
	}
	return out, s
}

// TestForms: every message of every form comes back with its speaker, time and text, in
// order; what else stands there is counted.
func TestForms(t *testing.T) {
	for _, lang := range []string{"en", "zh"} {
		ms := invented(lang)
		for name, write := range exports {
			t.Run(name+"/"+lang, func(t *testing.T) {
				ms := slices.Clone(ms)
				for i := range ms {
					if name == ownPackage {
						ms[i].who = ms[0].who
					}
				}
				o := Options{}
				if name == "table/csv" {
					o.Map = map[string]string{"text": "body", "time": "when"}
				}
				if name == "table/json" {
					o.Map = map[string]string{"text": "body", "time": "when", "sender": "by.name"}
				}
				got, s := readAll(t, put(t, name, write(ms)), o)
				if len(got) != len(ms) || s.Messages != len(ms) {
					t.Fatalf("got %d messages, want %d", len(got), len(ms))
				}
				minutes := strings.HasPrefix(name, "whatsapp/")
				for i, m := range ms {
					at := m.at
					if minutes {
						at = at.Truncate(time.Minute)
					}
					g := got[i]
					when, _ := time.Parse(time.RFC3339, g.Timestamp)
					if g.Name != m.who || g.Content != m.text || !when.Equal(at) || g.Role != "user" {
						t.Fatalf("message %d: got %+v, want %+v", i, g, m)
					}
					if g.SourceFile == "" || g.SourceLine == 0 {
						t.Fatalf("message %d names no place: %+v", i, g)
					}
					if strings.HasPrefix(name, "mbox") && g.Quote != "On Monday somebody wrote:\nquoted line" {
						t.Fatalf("quote %q", g.Quote)
					}
				}
			})
		}
		for name, write := range assistants {
			t.Run(name+"/"+lang, func(t *testing.T) {
				want := ms
				if name == "gemini" { // prompt and answer in turns
					want = nil
					for i, m := range ms {
						m.who = ms[0].who
						if i%2 == 1 {
							m.who = ms[2].who
							m.at = ms[i-1].at
						}
						want = append(want, m)
					}
				}
				got, s := readAll(t, put(t, name, write(want)), Options{})
				slices.SortStableFunc(got, func(a, b line) int { return strings.Compare(a.Timestamp, b.Timestamp) }) // gemini: the newest day first
				if len(got) != len(want) {
					t.Fatalf("got %d messages, want %d", len(got), len(want))
				}
				for i, m := range want {
					when, _ := time.Parse(time.RFC3339, got[i].Timestamp)
					if got[i].Role != role(m, ms) || got[i].Content != m.text || !when.Equal(m.at) {
						t.Fatalf("message %d: got %+v, want %+v", i, got[i], m)
					}
				}
				if name == "chatgpt" && s.Left["messages of branches that were not continued"] != 1 {
					t.Errorf("left out: %v", s.Left)
				}
			})
		}
	}
}

// TestWhatsAppOrders: which of day and month stands first is told from the file, else by
// the flag.
func TestWhatsAppOrders(t *testing.T) {
	file := func(dates ...string) string {
		b := ""
		for _, d := range dates {
			b += d + ", 10:00 - A: x " + d + "\n"
		}
		return put(t, "x", map[string]string{"c.txt": b})
	}
	for _, c := range []struct {
		dates []string
		flag  string
		want  string // of the first
	}{
		{[]string{"3/4/26", "13/4/26"}, "", "2026-04-03"},
		{[]string{"3/4/26", "4/13/26"}, "", "2026-03-04"},
		{[]string{"3/4/26", "5/4/26", "1/5/26"}, "", "2026-04-03"}, // only as day first does time not go back
		{[]string{"3/4/26", "3/5/26"}, "mdy", "2026-03-04"},
		{[]string{"2026-03-04", "2026-03-05"}, "", "2026-03-04"},
	} {
		got, _ := readAll(t, file(c.dates...), Options{Dates: c.flag})
		if len(got) != len(c.dates) || got[0].Timestamp[:10] != c.want {
			t.Errorf("%v: got %v, want %s", c.dates, got, c.want)
		}
	}
	var codes []string
	o := Options{Report: func(f *schema.Finding) { codes = append(codes, f.Code) }}
	x, err := Find(file("3/4/26", "3/4/26"), o)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := x.Write(context.Background(), &bytes.Buffer{}, o); err != nil || len(codes) != 1 || codes[0] != codeDates {
		t.Errorf("an ambiguous file: %v, %v", codes, err)
	}
}

// TestOtherForms: files of another form beside those that are read are named.
func TestOtherForms(t *testing.T) {
	mixed := put(t, "x", map[string]string{"result.json": `{"name":"T","type":"x","id":1,"messages":[{"id":1,"type":"message","date_unixtime":"1714550400","from":"Ana","text":[{"type":"blockquote","text":"I live in Oslo.\nFor years."},"not me, ",{"type":"strikethrough","text":"sorry"}]}]}`,
		"mail.mbox": "From x Mon Jan  1 11:00:00 2024\nFrom: Ana <a@e.org>\n\nhi\n", "photo.jpg": "\xff\xd8\x00", "notes.txt": "buy milk\n"})
	var others []string
	got, _ := readAll(t, mixed, Options{Report: func(f *schema.Finding) {
		if f.Code == codeOthers {
			others = append(others, filepath.Base(f.Pos.File))
		}
	}})
	if len(others) != 1 || others[0] != "mail.mbox" || len(got) != 1 || got[0].Content != "> I live in Oslo.\n> For years.\nnot me, ~~sorry~~" {
		t.Errorf("have %q, %+v", others, got)
	}
}

// TestColumns: columns that are not read are named, and a reply needs ids.
func TestColumns(t *testing.T) {
	at := put(t, "x", map[string]string{"t.csv": "Nr;Von;Erstellt am;Nachricht;Antwort auf;Status\n1;Ana;23.04.2024 14:05;hello;;open\n2;Bob;23.04.2024 14:06;hi;1;open\n"})
	var left []string
	got, _ := readAll(t, at, Options{Report: func(f *schema.Finding) { left = append(left, f.Message+": "+f.Have) }})
	if want := "skipped 3: columns: Nr, Antwort auf, Status"; len(got) != 2 || len(left) != 1 || left[0] != want {
		t.Errorf("got %q, %+v, want %q", left, got, want)
	}
	_, err := Init(t.Context(), InitOptions{Options: Options{Map: map[string]string{"reply": "Antwort auf"}}, Paths: []string{at}, Dir: t.TempDir()})
	var usage *schema.UsageError
	if !errors.As(err, &usage) || !strings.Contains(err.Error(), "id=COLUMN") {
		t.Errorf("a reply without ids: %v", err)
	}
	// Numbers are no times, and one bad time does not make a column another one's.
	at = put(t, "x", map[string]string{"t.csv": "gesagt am,wer,was,ticket\n2026-01-05 09:00,Eva,I live in Brno,7\n2026-13-05 09:05,Piotr,I live in Opole now,7\n,Eva,so do I,8\n2026-01-06 10:00,Eva,bye,8\n"})
	if _, err := Find(at, Options{}); !strings.Contains(toJSON(err), "sender=wer,text=was,time=gesagt am") {
		t.Errorf("a suggestion: %v", err)
	}
	var unlikely []string
	readAll(t, at, Options{Map: map[string]string{"sender": "wer", "text": "was", "time": "ticket"}, Report: func(f *schema.Finding) { unlikely = append(unlikely, f.Code+f.Have) }})
	if !slices.Contains(unlikely, codeUnlikely+"4 messages") {
		t.Errorf("times of 1970: %q", unlikely)
	}
	at = put(t, "x", map[string]string{"t.csv": "wer;gesagt am;was;zu;stand\nAna;03.04.2024 14:05;hello there;;open\nBob;03.04.2024 14:06;hi Ana, how are you;1;open\nAna;03.04.2024 14:07;well;2;shut\n"})
	var f *schema.Finding
	if _, err := Find(at, Options{}); !errors.As(err, &f) || !strings.Contains(f.Hint, "sender=wer,text=was,time=gesagt am") {
		t.Errorf("a suggestion: %v, %v", err, f)
	}
}

// TestSlackText: quotations and struck words are Markdown's.
func TestSlackText(t *testing.T) {
	if got, want := slackText("&gt; I live in Cork.\nNo, ~not there~, about ~5 km or ~6 away", nil), "> I live in Cork.\nNo, ~~not there~~, about ~5 km or ~6 away"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestUnknown: what is no export says what was found and how it can be read.
func TestUnknown(t *testing.T) {
	_, err := Find(put(t, "x", map[string]string{"t.csv": "zeit,wer,was\n2026-01-01T10:00:00Z,A,hello there all\n2026-01-01T10:01:00Z,B,and hello to you\n2026-01-01T10:02:00Z,A,well\n"}), Options{})
	if err == nil {
		t.Fatal("a table of unknown columns was taken")
	}
	x, err2 := Find(put(t, "x", map[string]string{"t.bin": "\x00\x01\x02"}), Options{})
	var f *schema.Finding
	if !errors.As(err2, &f) || f.Hint == "" {
		t.Fatalf("found %v, %v", x, err2)
	}
	if errors.As(err, &f) && !strings.Contains(f.Hint, "--map sender=wer,text=was,time=zeit") {
		t.Errorf("the hint does not fit: %s", f.Hint)
	}
}

// TestUTF16: a file in UTF-16 with a byte order mark is read as such.
func TestUTF16(t *testing.T) {
	b := "\xff\xfe"
	for _, r := range "01/02/2026, 10:00 - A: hé\n02/02/2026, 10:00 - B: ho\n" {
		b += string([]byte{byte(r), byte(r >> 8)})
	}
	if got, _ := readAll(t, put(t, "x", map[string]string{"c.txt": b}), Options{}); len(got) != 2 || got[0].Content != "hé" {
		t.Errorf("got %+v", got)
	}
}

// TestEncodings: tables of Excel are in the encoding of its machine; that is a finding, and
// times are read in the order that the column shows.
func TestEncodings(t *testing.T) {
	for _, c := range []struct {
		name, encoding, text, time, want string
	}{
		{"western", "windows-1252", "wer;was;wann\nJörg;Grüße aus Köln;25.03.2025 08:00\nAna;gut;26.03.2025\n", "2025-03-25T08:00:00Z", "windows-1252"},
		{"Chinese", "gb18030", "wer,was,wann\n老周,我搬到厦门了,3/25/2025 8:00 PM\n小林,好的,3/26/2025 7:00\n", "2025-03-25T20:00:00Z", "gb18030"},
		{"UTF-8", "utf-8", "wer,was,wann\n老周,好,\"Mar 25, 2025 8:00 PM\"\nJörg,gut,2025-03-26 07:00\n", "2025-03-25T20:00:00Z", ""},
		{"named", "big5", "wer,was,wann\n老周,我搬到廈門了,2025/3/25 20:00\n小林,好的,2025/3/26 07:00\n", "2025-03-25T20:00:00Z", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			enc, err := htmlindex.Get(c.encoding)
			if err != nil {
				t.Fatal(err)
			}
			text, err := enc.NewEncoder().String(c.text)
			if err != nil {
				t.Fatal(err)
			}
			var found []string
			o := Options{Map: map[string]string{"sender": "wer", "text": "was", "time": "wann"}, Report: func(f *schema.Finding) { found = append(found, f.Code+" "+f.Message) }}
			if c.name == "named" {
				o.Encoding = c.encoding
			}
			got, _ := readAll(t, put(t, "x", map[string]string{"t.csv": text}), o)
			want := strings.FieldsFunc(strings.Split(c.text, "\n")[1], func(r rune) bool { return r == ',' || r == ';' })
			if len(got) != 2 || got[0].Name != want[0] || got[0].Content != want[1] || got[0].Timestamp != c.time || got[1].Timestamp == "" {
				t.Errorf("got %+v", got)
			}
			if said := strings.Join(found, "\n"); (c.want != "") != strings.Contains(said, "CHT006") || !strings.Contains(said, c.want) || strings.Contains(said, "CHT002") {
				t.Errorf("findings %q", found)
			}
		})
	}
	var usage *schema.UsageError
	if _, err := Find(put(t, "x", map[string]string{"t.csv": "a,b\n"}), Options{Encoding: "latin-99"}); !errors.As(err, &usage) {
		t.Errorf("an encoding that nobody knows: %v", err)
	}
}

// TestDetection: one broken character makes no other encoding, and the encoding that the
// user names is that of what is not UTF-8.
func TestDetection(t *testing.T) {
	encoded := func(name, s string) string {
		enc, err := htmlindex.Get(name)
		if err == nil {
			s, err = enc.NewEncoder().String(s)
		}
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	chat := strings.Repeat("李娜: 今天天气很好，我们去公园吧\n", 9)
	broken := strings.Replace(chat, "园", "\xe5\x9b", 1)
	for _, c := range []struct{ name, head, named, want string }{
		{"UTF-8", chat, "gb18030", ""},
		{"a broken character", broken, "", ""},
		{"a broken character, named", broken, "gb18030", ""},
		{"GB18030", encoded("gb18030", chat), "", "gb18030"},
		{"the last character of a short file", "Ann: hi\nBob: " + encoded("gb18030", "好"), "", "gb18030"},
		{"a head cut within a character", strings.Repeat("x", headSize-2) + "好"[:2], "", ""},
		{"ASCII at the start of a long file", strings.Repeat("x", headSize), "big5", "big5"},
		{"ASCII", "x", "big5", ""},
		{"named", encoded("big5", "王偉: 你好嗎"), "big5", "big5"},
		{"mail", "From x Mon Jan  1 11:00:00 2024\nFrom: Ana\n\n" + encoded("gb18030", "好"), "gb18030", ""},
	} {
		if got := encodingOf([]byte(c.head), c.named); got != c.want {
			t.Errorf("%s: found %q, want %q", c.name, got, c.want)
		}
	}
	var codes []string
	o := Options{Report: func(f *schema.Finding) { codes = append(codes, f.Code) }}
	for _, text := range []string{broken, strings.ReplaceAll(broken, "李娜: ", "[25/03/25, 10:00:00] 李娜: ")} { // plain, and WhatsApp, which is read twice
		codes = nil
		x, err := Find(put(t, "x", map[string]string{"c.txt": text}), o)
		if err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		if s, err := x.Write(context.Background(), &b, o); err != nil || s.Messages != 9 || !slices.Equal(codes, []string{codeMessage}) || !strings.Contains(b.String(), "公\uFFFD") {
			t.Errorf("%+v, %v, findings %v in\n%s", s, err, codes, b.String())
		}
	}
	codes = nil
	_, err := Find(put(t, "x", map[string]string{"t.csv": encoded("big5", "發送人,內容\n王偉,你好嗎\n")}), o)
	if f := (*schema.Finding)(nil); !errors.As(err, &f) || f.Code != codeForm || !slices.Equal(codes, []string{codeCharset}) {
		t.Errorf("a table in an encoding that is not known: %v, findings %v", err, codes)
	}
	mail := func(charset, text string) string {
		return "From x Mon Jan  1 11:00:00 2024\nFrom: " + encoded("gb18030", "李娜") + " <l@x>\nContent-Type: text/plain" + charset + "\nDate: 1 Jan 24 10:00 EST\n\n" + text + "\n\n"
	}
	got, _ := readAll(t, put(t, "x", map[string]string{"a.mbox": mail("", encoded("gb18030", "好的")) + mail("; charset=utf-8", "好的") + mail("; charset=big5", encoded("big5", "好的"))}), Options{Encoding: "gb18030"})
	for _, m := range got {
		if m.Name != "李娜" || m.Content != "好的" || m.Timestamp != "2024-01-01T10:00:00-05:00" {
			t.Errorf("a mail: %+v", m)
		}
	}
	if len(got) != 3 {
		t.Errorf("%d mails", len(got))
	}
}

// TestMailDates: a date that is none is a finding, and the mail has the time at which it came; one in another form than RFC 5322's is read, and a mail may have none.
func TestMailDates(t *testing.T) {
	for date, want := range map[string]string{"Date: Tue, 32 Mar 2026 08:00:00 -0500\n": "2026-03-02T12:00:00Z CHT002", "Date: 2026-03-01 10:00:00 +0100\n": "2026-03-01T10:00:00+01:00 ", "": "2026-03-02T12:00:00Z "} {
		codes := ""
		o := Options{Report: func(f *schema.Finding) { codes += f.Code }}
		x, err := Find(put(t, "x", map[string]string{"a.mbox": "From x Mon Mar  2 12:00:00 2026\nFrom: Ana <a@x.org>\n" + date + "\nhi\n"}), o)
		if err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		s, err := x.Write(t.Context(), &b, o)
		if have := s.First + " " + codes; err != nil || have != want {
			t.Errorf("%q: have %s, %v, want %s", date, have, err, want)
		}
	}
}

// TestAnswered: marks of sources are not what an answer says; entities and links are.
func TestAnswered(t *testing.T) {
	got := answered("Bob moved to \ue200entity\ue202[\"city\",\"Ghent\",\"Belgium\"]\ue201. \ue200cite\ue202turn0search0\ue202turn1news2\ue201 See \ue200url\ue202The Guide\ue202turn0search1\ue201," +
		" \ue200filecite\ue202turn0file0\ue202L1-L3\ue201\ue200i\ue202turn0image0\ue201and 【12†source】 too【4:0†a.pdf】.")
	if want := "Bob moved to Ghent. See The Guide,and too."; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestUnquote: what a mail holds below its own text is quoted, in the forms of the programs
// that write it; what only looks like it is not.
func TestUnquote(t *testing.T) {
	const block = "From: Anna <a@x>\nSent: Monday\nTo: Bo\nSubject: Lunch plans\n\nLunch?\n-- \nA.\n"
	for _, c := range []struct{ name, text, said, quoted string }{
		{"own words before", "I moved to Oslo in 2023.\nMy new number is 555 0199.\nTo your point:\n> where are you?\nFine.", "I moved to Oslo in 2023.\nMy new number is 555 0199.\nFine.", "To your point:\nwhere are you?"},
		{"a sentence before", "I moved。\nOn Mar 1, 2025 Anna <a@x>\nwrote:\n> where?", "I moved。", "On Mar 1, 2025 Anna <a@x>\nwrote:\nwhere?"},
		{"an answer below", block + "\nBo: noon.\n", strings.Replace(block, "-- ", "--", 1) + "\nBo: noon.", ""},
		{"wrapped", "Fine.\n\nOn Sat, Mar 1, 2025 at 9:00 AM Anna Berg <anna@example.org>\nwrote:\n\n> Lunch?\n", "Fine.", "On Sat, Mar 1, 2025 at 9:00 AM Anna Berg <anna@example.org>\nwrote:\nLunch?"},
		{"Outlook", "Fine.\n\n-----Original Message-----\nFrom: Anna\nSent: Monday, 9:00\nTo: Bo\nSubject: RE: Lunch plans\n\nLunch?", "Fine.", "-----Original Message-----\nFrom: Anna\nSent: Monday, 9:00\nTo: Bo\nSubject: RE: Lunch plans\n\nLunch?"},
		{"German", "Gut.\n\n________________________________\nVon: Anna\nGesendet: Montag\nAn: Bo\nBetreff: AW: Lunch plans\n\nEssen?", "Gut.", "________________________________\nVon: Anna\nGesendet: Montag\nAn: Bo\nBetreff: AW: Lunch plans\n\nEssen?"},
		{"Chinese", "好的\n\n------ 原始邮件 ------\n发件人: \"陈静\" <c@example.cn>;\n发送时间: 星期六;\n主题: Re: Lunch plans\n\n吃饭吗", "好的", "------ 原始邮件 ------\n发件人: \"陈静\" <c@example.cn>;\n发送时间: 星期六;\n主题: Re: Lunch plans\n\n吃饭吗"},
		{"a list is no mail", "Milk: 2\nBread: 1\nTea: none\nthat is all", "Milk: 2\nBread: 1\nTea: none\nthat is all", ""},
		{"an answer between", "My answers:\n> one?\nyes\n> two?\nno", "yes\nno", "My answers:\none?\ntwo?"},
	} {
		if said, quoted := unquote(c.text, "Lunch plans", true, false); said != c.said || quoted != c.quoted {
			t.Errorf("%s: said %q, quoted %q", c.name, said, quoted)
		}
	}
	form := "What: Lunch plans\nWhen: Friday 12:00\nWhere: Roma\n\nI am allergic to nuts."
	if said, quoted := unquote(form, "Lunch plans", false, false); said != form || quoted != "" {
		t.Errorf("a mail that follows none: said %q, quoted %q", said, quoted)
	}
	for _, who := range []string{"Anna", "发件人: \"陈静\" <c@x>;", "Who: me"} {
		text := strings.TrimSpace(strings.Replace(block, "From: Anna <a@x>", who, 1))
		want := "[forwarded from 陈静]"
		if who == "Anna" {
			text, want = strings.TrimSpace(block), "[forwarded from Anna]"
		} else if who == "Who: me" {
			want = "[forwarded]"
		}
		if said, quoted := unquote("\n"+text, "Lunch plans", true, true); said != want || quoted != text {
			t.Errorf("a forward: said %q, quoted %q", said, quoted)
		}
	}
}

// TestInit: a project of two exports runs through config's checks; an unreadable message
// is counted, and with Strict nothing is written.
func TestInit(t *testing.T) {
	good := put(t, "x", exports["text"](invented("en")))
	bad := put(t, "x", map[string]string{"c.txt": "01/02/2026, 10:00 - A: x\n45/02/2026, 10:00 - A: y\n20/02/2026, 10:00 - A: z\n"})
	dir := t.TempDir()
	p, err := Init(context.Background(), InitOptions{Paths: []string{good}, Dir: filepath.Join(dir, "a"), Me: "Wei"})
	if err != nil || len(p.Parts) != 1 || p.Parts[0].Messages != 300 {
		t.Fatalf("%+v, %v", p, err)
	}
	if _, err := Init(context.Background(), InitOptions{Paths: []string{good}, Dir: filepath.Join(dir, "a")}); err == nil {
		t.Error("a project that is there was written over")
	}
	for _, form := range []string{"slack", "text"} { // accounts, and words
		p, err := Init(context.Background(), InitOptions{Paths: []string{put(t, "x", exports[form](invented("en")))}, Dir: filepath.Join(dir, form)})
		text, err2 := os.ReadFile(p.Config)
		if err = errors.Join(err, err2); err != nil || strings.Contains(string(text), "scope: project\n") != (form == "slack") {
			t.Errorf("%s: %v\n%s", form, err, text)
		}
	}
	var lost *schema.RejectedError
	if _, err = Init(context.Background(), InitOptions{Paths: []string{bad}, Dir: filepath.Join(dir, "b")}); !errors.As(err, &lost) || !lost.Written || lost.Rejected != 1 || lost.Taken != 2 {
		t.Errorf("a lost message: %v", err)
	}
	if _, err = Init(context.Background(), InitOptions{Paths: []string{bad}, Dir: filepath.Join(dir, "c"), Strict: true}); !errors.As(err, &lost) || lost.Written {
		t.Errorf("strict: %v", err)
	}
	if _, err := os.Stat(filepath.Join(dir, "c", "membench.yaml")); err == nil {
		t.Error("strict wrote a project")
	}
}

// ownPackage is the export of one's own data that Discord sends.
const ownPackage = "discord/package"

// FuzzForms: no text breaks a reader, and every line that is written reads back.
func FuzzForms(f *testing.F) {
	for _, set := range []map[string]func([]said) map[string]string{exports, assistants} {
		for _, write := range set {
			for name, text := range write(invented("zh")[:6]) {
				f.Add(name, text)
			}
		}
	}
	f.Fuzz(func(t *testing.T, name, text string) {
		if len(text) > 1<<16 {
			return
		}
		dir := t.TempDir()
		p := filepath.Join(dir, "f"+filepath.Ext(filepath.Base(name)))
		if os.WriteFile(p, []byte(text), 0o666) != nil {
			return // a name that the file system does not take
		}
		if base := filepath.Base(name); base == "messages.json" || base == "messages.csv" { // read with what stands beside it
			p = dir
			for at, b := range map[string]string{"Messages/index.json": text, "Messages/c11/channel.json": text, "Messages/c11/" + base: text} {
				if err := errors.Join(os.MkdirAll(filepath.Join(dir, filepath.Dir(at)), 0o777), os.WriteFile(filepath.Join(dir, at), []byte(b), 0o666)); err != nil {
					t.Fatal(err)
				}
			}
		}
		for _, form := range Forms() {
			o := Options{Form: form.Name, Report: func(*schema.Finding) {}}
			x, err := Find(p, o)
			if err != nil {
				continue
			}
			var b bytes.Buffer
			s, err := x.Write(context.Background(), &b, o)
			if err != nil {
				continue
			}
			n := 0
			for l := range strings.Lines(b.String()) {
				var v line
				if err := json.Unmarshal([]byte(l), &v); err != nil {
					t.Fatalf("%s: %v in %q", form.Name, err, l)
				}
				n++
			}
			if n != s.Messages {
				t.Fatalf("%s: %d lines, %d counted", form.Name, n, s.Messages)
			}
		}
	})
}

// TestPlainDates: dates of one and two digits, in each order and with each mark, are read alike; one that does not exist is named.
func TestPlainDates(t *testing.T) {
	for _, tc := range []struct{ first, second, want string }{
		{"2025/3/1 20:01 Wang: a", "2025/10/12 9:05 Lu: b", "2025-03-01T20:01:00Z 2025-10-12T09:05:00Z"},
		{"2025-3-1 20:01 Wang: a", "2025-03-02 20:01 Lu: b", "2025-03-01T20:01:00Z 2025-03-02T20:01:00Z"},
		{"2025年3月1日 20:01 老王: a", "2025年12月11日 20:01 小鹿: b", "2025-03-01T20:01:00Z 2025-12-11T20:01:00Z"},
		{"12/03/2025 20:01 Wang: a", "25/06/2025 19:02 Lu: b", "2025-03-12T20:01:00Z 2025-06-25T19:02:00Z"},
		{"3/12/2025 20:01 Wang: a", "6/25/2025 19:02 Lu: b", "2025-03-12T20:01:00Z 2025-06-25T19:02:00Z"},
		{"2025/13/40 20:01 Wang: a", "2025/6/1 19:02 Lu: b", "2025-06-01T19:02:00Z 2025-06-01T19:02:00Z; 1 finding"},
	} {
		path := filepath.Join(t.TempDir(), "chat.txt")
		if err := os.WriteFile(path, []byte(tc.first+"\n"+tc.second+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		x, err := Find(path, Options{})
		if err != nil {
			t.Fatal(err)
		}
		found := 0
		s, err := x.Write(context.Background(), io.Discard, Options{Report: func(f *schema.Finding) { found++ }})
		if err != nil {
			t.Fatal(err)
		}
		have := s.First + " " + s.Last
		if found > 0 {
			have += fmt.Sprintf("; %d finding", found)
		}
		if have != tc.want || s.Messages != 2 {
			t.Errorf("%s: have %q and %d messages, want %q and 2", tc.first, have, s.Messages, tc.want)
		}
	}
}
