package chats

import (
	"cmp"
	"io"
	"path"
	"regexp"
	"slices"
	"strings"

	"membench/datasets"
	"membench/internal/codec"
	"membench/internal/csvdoc"
	"membench/schema"
)

// discordChannel matches a channel's file of messages in Discord's data package (Settings, Privacy & Safety, Request all of my data). It contains only messages
// written by one person.
var discordChannel = regexp.MustCompile(`(?i)(?:^|/)c?(\d+)/messages\.(json|csv)$`)

// discordPackage are the files of a data package: who it is of, the names of channels,
// then a file of messages for each channel.
func discordPackage(files []*file) []*file {
	var about, channels []*file
	for _, f := range files {
		switch base := strings.ToLower(f.base); {
		case discordChannel.MatchString(base):
			channels = append(channels, f)
		case path.Base(base) == "index.json" && strings.HasSuffix(path.Dir(base), "messages"), base == "index.json",
			path.Base(base) == "user.json", path.Base(base) == "channel.json":
			about = append(about, f)
		}
	}
	channels = slices.DeleteFunc(channels, func(f *file) bool {
		return !strings.Contains(string(f.head()), "Contents") && strings.Trim(string(f.head()), "[] \r\n") != ""
	})
	if len(channels) == 0 || len(about) == 0 {
		return nil
	}
	return append(about, channels...)
}

// A discordMessage is a message of a data package; the old form is CSV with these columns.
type discordMessage struct {
	Timestamp   string `json:"Timestamp"`
	Contents    string `json:"Contents"`
	Attachments string `json:"Attachments"` // addresses with blanks between
}

// A discordAccount is whose data package it is.
type discordAccount struct{ ID, Name string }

// packaged reads the files of a data package.
func (r *reader) packaged(files []*file) error {
	me, titles := &discordAccount{Name: "me"}, map[string]string{}
	for _, f := range files {
		p := discordChannel.FindStringSubmatch(f.base)
		if p == nil {
			if err := r.discordAbout(f, me, titles); err != nil {
				return err
			}
			continue
		}
		title := cmp.Or(titles[p[1]], p[1])
		take := func(m discordMessage, pos schema.Pos) error {
			out := Message{Conv: convID("discord", title, p[1]), Title: title, Name: r.account(cmp.Or(me.ID, me.Name), me.Name), Text: m.Contents, Time: r.time(strings.Replace(m.Timestamp, " ", "T", 1), pos), Pos: pos}
			for _, at := range strings.Fields(m.Attachments) {
				name, _, _ := strings.Cut(path.Base(at), "?")
				out.Attachments = append(out.Attachments, schema.Attachment{Type: fileKind(name), URL: at, Name: name})
			}
			return r.add(out)
		}
		read := r.discordJSON
		if !isJSON(f) {
			read = r.discordCSV
		}
		if err := read(f, take); err != nil {
			return err
		}
	}
	return nil
}

// discordAbout takes the account's name, or the names of channels, from a small file.
func (r *reader) discordAbout(f *file, me *discordAccount, titles map[string]string) error {
	return r.each([]*file{f}, func(v *datasets.Value) error {
		var about struct {
			ID         string   `json:"id"`
			Username   string   `json:"username"`
			Global     string   `json:"global_name"`
			Name       string   `json:"name"`
			Recipients []string `json:"recipients"`
		}
		if err := v.Decode(&about); err != nil {
			return err
		}
		switch path.Base(strings.ToLower(f.base)) {
		case "user.json":
			me.ID, me.Name = about.ID, cmp.Or(about.Global, about.Username, me.Name)
		case "channel.json":
			titles[about.ID] = cmp.Or(titles[about.ID], about.Name)
		default: // index.json: the names of channels by id
			for id, raw := range codec.Members(v.Bytes) {
				var name string
				if codec.Unmarshal(raw, &name) == nil {
					titles[id] = name
				}
			}
		}
		return nil
	})
}

func (r *reader) discordJSON(f *file, take func(discordMessage, schema.Pos) error) error {
	return r.each([]*file{f}, func(v *datasets.Value) error {
		var m discordMessage
		if err := v.Decode(&m); err != nil {
			return err
		}
		return take(m, v.Pos)
	})
}

func (r *reader) discordCSV(f *file, take func(discordMessage, schema.Pos) error) error {
	in, err := f.open()
	if err != nil {
		return err
	}
	defer in.Close()
	rows := csvdoc.NewReader(in)
	rows.FieldsPerRecord, rows.LazyQuotes = -1, true
	for {
		row, err := rows.Read()
		if err == io.EOF {
			return nil
		}
		pos := schema.Pos{File: f.name}
		if err == nil {
			pos.Line, _ = rows.FieldPos(0)
		}
		if err != nil || len(row) < 3 {
			r.fault(pos, "a row cannot be read", strings.Join(row, ","), "ID, Timestamp, Contents and Attachments")
			if err != nil {
				return nil
			}
			continue
		}
		if row[0] == "ID" {
			continue
		}
		m := discordMessage{Timestamp: row[1], Contents: row[2]}
		if len(row) > 3 {
			m.Attachments = row[3]
		}
		if err := take(m, pos); err != nil {
			return err
		}
	}
}
