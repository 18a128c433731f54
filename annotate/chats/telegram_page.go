package chats

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"membench/schema"

	"golang.org/x/net/html"
)

// telegramPages returns the files of Telegram's HTML export, page by page: a folder is a chat, with messages.html as its first page, then messages2.html and so
// on.
func telegramPages(files []*file) []*file {
	out := slices.DeleteFunc(named(files, "", `class="page_wrap"`, `class="message `), func(f *file) bool { return !telegramPage.MatchString(path.Base(f.base)) })
	page := func(f *file) int {
		n, _ := strconv.Atoi(telegramPage.FindStringSubmatch(path.Base(f.base))[1]) // none: the first
		return n
	}
	slices.SortStableFunc(out, func(a, b *file) int { return cmp.Or(cmp.Compare(path.Dir(a.base), path.Dir(b.base)), page(a)-page(b)) })
	return out
}

var (
	telegramPage  = regexp.MustCompile(`^messages(\d*)\.html$`)
	telegramEntry = []byte(`<div class="message `)
	telegramReply = regexp.MustCompile(`#go_to_message(\d+)`)
	telegramTitle = regexp.MustCompile(`(?s)<div class="page_header">.*?<div class="text bold">(.*?)</div>`)
)

// A telegramWriter holds the writer of the last message of a chat, for joined messages.
type telegramWriter struct {
	dir, name string
}

// telegramPage reads a page one message at a time. A message that follows one by the same person has no name.
func (r *reader) telegramPage(f *file, w *telegramWriter) error {
	if dir := path.Dir(f.base); dir != w.dir {
		*w = telegramWriter{dir: dir}
	}
	title := f.stem()
	if p := telegramTitle.FindSubmatch(f.head()); p != nil {
		title = plainText(string(p[1]))
	}
	conv := convID(title, strings.Trim(w.dir, "./"))
	return r.entries(f, telegramEntry, func(entry string, pos schema.Pos) error {
		doc, err := html.Parse(strings.NewReader(entry))
		if err != nil {
			r.fault(pos, "a message cannot be read: "+err.Error(), "", "HTML as Telegram writes it")
			return nil
		}
		own := class(doc, "message")
		if own == nil || has(own, "service") {
			r.leave(pos, notices)
			return nil
		}
		m := Message{Conv: conv, Title: title, ID: strings.TrimPrefix(attribute(own, "id"), "message"), Pos: pos}
		if date := class(own, "date"); date != nil {
			m.Time = r.telegramTime(attribute(date, "title"), pos)
		}
		forwarded := class(own, "forwarded.body")
		if name := class(own, "from_name"); name != nil && (forwarded == nil || !within(name, forwarded)) {
			w.name = ownText(name)
		}
		m.Name = w.name
		if reply := class(own, "reply_to"); reply != nil {
			if p := telegramReply.FindStringSubmatch(render(reply)); p != nil {
				m.ReplyTo = p[1]
			}
		}
		if text := class(own, "text"); text != nil {
			m.Text = plainText(render(text))
		}
		if forwarded != nil { // another person's words
			by := w.name
			if name := class(forwarded, "from_name"); name != nil {
				by = ownText(name)
			}
			m.Quote, m.Text = join(by+":", m.Text), "[forwarded from "+by+"]"
		}
		m.Attachments = telegramMedia(own)
		return r.add(m)
	})
}

// telegramMedia are the pictures, files, places, contacts and polls of a message.
func telegramMedia(own *html.Node) (out []schema.Attachment) {
	wrap := class(own, "media_wrap")
	if wrap == nil {
		return nil
	}
	for n := range wrap.Descendants() {
		switch {
		case has(n, "media_poll"):
			out = append(out, schema.Attachment{Type: "poll", Text: plainText(render(n))})
		case has(n, "media"), has(n, "photo_wrap"), has(n, "video_file_wrap"), has(n, "animated_wrap"), has(n, "sticker_wrap"), has(n, "media_call"):
			a := schema.Attachment{Type: "file", Path: attribute(n, "href")}
			for _, c := range strings.Fields(attribute(n, "class")) {
				if kind, ok := strings.CutPrefix(c, "media_"); ok {
					a.Type = map[string]string{"photo": "image", "voice_message": "audio", "audio_file": "audio", "video_file": "video"}[kind]
					a.Type = cmp.Or(a.Type, kind)
				}
			}
			if a.Type == "file" && a.Path != "" {
				a.Type = fileKind(a.Path)
			}
			if strings.Contains(a.Path, "://") {
				a.Path, a.URL = "", a.Path
			}
			if a.Path != "" {
				a.Name = path.Base(a.Path)
			}
			if body := class(n, "body"); body != nil {
				a.Text = strings.Join(strings.Fields(plainText(render(body))), " ")
			}
			out = append(out, a)
		}
	}
	return out
}

// telegramTime reads "03.03.2024 20:15:02 UTC+01:00"; older programs name no zone.
func (r *reader) telegramTime(s string, pos schema.Pos) time.Time {
	for _, layout := range []string{"02.01.2006 15:04:05 UTC-07:00", "02.01.2006 15:04:05"} {
		if t, err := time.ParseInLocation(layout, strings.TrimSuffix(s, " UTC"), r.zone()); err == nil {
			return t
		}
	}
	r.flaw(pos, "a time cannot be read; the message is kept without it", fmt.Sprintf("%q", s), "a time as 03.03.2024 20:15:02 UTC+01:00")
	return time.Time{}
}

// entries passes a page of HTML on in pieces that begin with start. Text before the first one is skipped.
func (r *reader) entries(f *file, start []byte, take func(entry string, pos schema.Pos) error) error {
	in, err := f.open()
	if err != nil {
		return err
	}
	defer in.Close()
	pos := schema.Pos{File: f.name, Line: 1}
	s := bufio.NewScanner(in)
	s.Buffer(nil, maxMail)
	s.Split(func(data []byte, end bool) (int, []byte, error) {
		if i := bytes.Index(data[min(1, len(data)):], start); i >= 0 {
			return i + 1, data[:i+1], nil
		}
		if end && len(data) > 0 {
			return len(data), data, nil
		}
		return 0, nil, nil
	})
	for s.Scan() {
		if bytes.HasPrefix(s.Bytes(), start) {
			if err := take(s.Text(), pos); err != nil {
				return err
			}
		}
		pos.Line += bytes.Count(s.Bytes(), []byte("\n"))
	}
	if errors.Is(s.Err(), bufio.ErrTooLong) {
		r.fault(pos, "an entry of the page is too large; reading ended there", "", fmt.Sprintf("at most %d MiB", maxMail>>20))
		return nil
	}
	return s.Err()
}

// class is the first element below n, in the order of the page, with the class; "a.b"
// asks for both.
func class(n *html.Node, names string) *html.Node {
	for d := range n.Descendants() {
		if has(d, strings.Split(names, ".")...) {
			return d
		}
	}
	return nil
}

func has(n *html.Node, names ...string) bool {
	own := strings.Fields(attribute(n, "class"))
	return n.Type == html.ElementNode && !slices.ContainsFunc(names, func(c string) bool { return !slices.Contains(own, c) })
}

func attribute(n *html.Node, key string) string {
	for _, a := range n.Attr {
		if a.Key == key {
			return a.Val
		}
	}
	return ""
}

func within(n, above *html.Node) bool {
	for ; n != nil; n = n.Parent {
		if n == above {
			return true
		}
	}
	return false
}

// ownText returns a name without the program's additions (a date, "via @bot").
func ownText(n *html.Node) string {
	for c := range n.ChildNodes() {
		if s := strings.TrimSpace(c.Data); c.Type == html.TextNode && s != "" {
			return s
		}
	}
	return ""
}

// render is an element as HTML; links are followed by their addresses.
func render(n *html.Node) string {
	var b strings.Builder
	for d := range n.Descendants() {
		if d.Type == html.ElementNode && d.Data == "a" && d.FirstChild != nil {
			if at := attribute(d, "href"); strings.Contains(at, "://") && strings.TrimSpace(textIn(d)) != at {
				d.AppendChild(&html.Node{Type: html.TextNode, Data: " (" + at + ")"})
			}
		}
	}
	if err := html.Render(&b, n); err != nil { // a strings.Builder has no fault
		return ""
	}
	return b.String()
}

func textIn(n *html.Node) string {
	var b strings.Builder
	for d := range n.Descendants() {
		if d.Type == html.TextNode {
			b.WriteString(d.Data)
		}
	}
	return b.String()
}
