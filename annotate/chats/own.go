package chats

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"membench/annotate"
	"membench/config"
	"membench/internal/codec"
	"membench/schema"
	"membench/schema/jsonl"
)

// own reads the lines that Init wrote into a project. It is not a form of exports.
var own = Form{
	Name: "project", linked: true, unit: func(string) string { return "" },
	read: every((*reader).own),
}

func (r *reader) own(f *file) error {
	in, err := jsonl.Open(f.name, nil)
	if err != nil {
		return err
	}
	defer in.Close()
	for l, err := range jsonl.Lines(in, f.name, 0) {
		if err != nil {
			return err
		}
		var v line
		// A line may have other members, which a person wrote; they stay with it.
		if err := codec.Unmarshal(l.Bytes, &v); err != nil || v.ConvID == "" {
			return schema.Usagef("%s: not a line that init wrote: it has no conv_id, or is not JSON; put such files into another folder of sources", l.Pos)
		}
		m := Message{Conv: v.ConvID, Title: v.Title, Role: v.Role, Name: v.Name, Text: v.Content, Attachments: v.Attachments, Account: v.Account, ID: v.MessageID, ReplyTo: v.ReplyTo,
			Pos: l.Pos, raw: slices.Clone(l.Bytes)}
		if t, err := annotate.ParseTime(v.Timestamp, r.zone()); err == nil {
			m.Time = t
		}
		if err := r.emit(m); err != nil {
			return err
		}
	}
	return r.ctx.Err()
}

// splitAccount splits the account of a line into its form and its id.
func splitAccount(s string) (form, id string, ok bool) { return strings.Cut(s, ":") }

// sourceFolder is where a project has its lines.
const sourceFolder = "source"

// ownExports are the files of lines that a project has.
func ownExports(dir string) ([]*Export, error) {
	folder := filepath.Join(dir, sourceFolder)
	names, err := jsonl.In(folder, func(name string) bool { return strings.HasSuffix(name, ".jsonl") })
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var out []*Export
	for _, name := range names {
		at := filepath.Join(folder, name)
		out = append(out, &Export{Form: own, Path: at, files: []*file{newFile(at, name, "", nil)}})
	}
	return out, err
}

// extends checks that exports can be added to a project.
func (o InitOptions) extends(file string) error {
	c, err := config.Load(file, func(string) (string, string) { return "", "" })
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return schema.Usagef("--add: there is no project at %s yet", o.Dir)
	case err != nil:
		return err
	case o.Force:
		return schema.Usagef("--add and --force: give one of them")
	case o.Me != "":
		return schema.Usagef("--add and --me: %s stays as it is; set user there", file)
	case !slices.ContainsFunc(c.Sources, func(s string) bool { return filepath.Clean(s) == sourceFolder }):
		return schema.Usagef("--add: %s does not read the folder %s, where init writes", file, sourceFolder)
	}
	return nil
}

// replaced compares the project that is written over with the set that replaces it. files are those that the set writes.
func (s *set) replaced(old []*Export, files map[string]bool) error {
	had := &set{Options: s.Options, ctx: s.ctx}
	had.Report = func(*schema.Finding) {}
	for _, x := range old {
		stays := !files[filepath.Base(x.Path)]
		lost, all := 0, 0
		homes := map[schema.ConvID]bool{}
		for h := range s.convs {
			homes[h.id] = true
		}
		had.exports = []*Export{x}
		_, err := had.each(had.Options, func(_ int, m Message) error {
			all++
			if s.told[m.words()]--; s.told[m.words()] < 0 {
				lost++
			}
			if stays && homes[m.Conv] {
				return twice(x)
			}
			return nil
		})
		if usage := (*schema.UsageError)(nil); errors.As(err, &usage) && !stays {
			continue // not a file that init wrote
		}
		if err == nil && stays && lost*2 < all {
			err = twice(x)
		}
		if err != nil {
			return err
		}
		f := &schema.Finding{Pos: schema.Pos{File: x.Path}, Code: codeReplaced, Warning: true, Message: "the file is not of these exports; it stays and is read, too", Hint: "if it should not be read, remove it"}
		if !stays {
			f.Message, f.Hint = fmt.Sprintf("messages of the replaced project that no export has: %d", lost), "to keep them, give the earlier export, too, or --add in place of --force"
		}
		if stays || lost > 0 {
			s.Report(f)
		}
	}
	return nil
}

func twice(x *Export) error {
	return schema.Usagef("--force: %s has messages of the new exports, too, and stays: give --add, or remove that file", x.Path)
}

// words is a hash of a message's speaker and text.
func (m Message) words() uint64 {
	return hashOf(m.Role, m.Name, strings.Join(strings.Fields(m.Text), " "))
}
