package chats

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"membench/config"
	"membench/internal/atomicfile"
	"membench/internal/smallfile"
	"membench/internal/textnorm"
	"membench/schema"
)

// InitOptions configure a new project.
type InitOptions struct {
	Options
	Paths []string // exports
	Dir   string   // the project's folder
	Me    string   // name of the speaker who is the user; "": no speaker is
	Force bool     // write over a membench.yaml that is there
	Add   bool     // to the project that is there, whose membench.yaml stays
	// Strict writes nothing of an export with messages that cannot be read; Accept is how
	// many such messages are not failures.
	Strict bool
	Accept schema.Limit
}

// A Part is the result of one export.
type Part struct {
	Path string `json:"path"`
	Form string `json:"form"`
	File string `json:"file"` // in the project's folder
	Summary
}

// Project is the result of Init.
type Project struct {
	Config  string `json:"config"` // path of membench.yaml
	Parts   []Part `json:"exports"`
	Lost    int    `json:"lost"`   // messages, and parts of exports, that cannot be read and were skipped
	Faults  int    `json:"faults"` // of messages that are kept without what could not be read
	hasDate bool
	// accounts reports that a name is the same person in all conversations: true for a single export whose names are account names.
	accounts bool
	personal bool // the exports are of one person's chats with assistants
}

// Init reads exports and makes a project of them: source/NAME.jsonl for each, and a
// commented membench.yaml. A message that several exports have is written once, into the
// file of the first. Nothing is written where an export cannot be read at all. A
// membench.yaml, or another membench.schema.json, that is there stays, unless Force is set.
// With Add the project's lines are the first export: they keep their files and
// conversations, and are never dropped.
func Init(ctx context.Context, o InitOptions) (Project, error) {
	p := Project{Config: filepath.Join(o.Dir, "membench.yaml")}
	if o.Add {
		if err := o.extends(p.Config); err != nil {
			return p, err
		}
	} else if _, err := os.Stat(p.Config); err == nil && !o.Force {
		return p, &schema.UsageError{Err: fmt.Errorf("%s already exists: name another folder with -o, or give --force", p.Config)}
	} else if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return p, err
	}
	forEditors, _ := config.FileSchema("membench")
	schemaFile := filepath.Join(o.Dir, "membench.schema.json")
	if had, err := smallfile.Read(schemaFile); err == nil && !o.Force && !o.Add && !bytes.Equal(had, forEditors) {
		return p, schema.Usagef("%s already exists and is not this version's: name another folder with -o, or give --force", schemaFile)
	} else if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return p, err
	}
	report := o.Report
	o.Report = func(f *schema.Finding) {
		if !f.Warning {
			p.Lost++ // until its message is kept
		}
		if report != nil {
			report(f)
		}
	}
	old, err := ownExports(o.Dir)
	if err != nil {
		return p, err
	}
	var found []*Export
	if o.Add {
		found = old
	}
	for _, path := range o.Paths {
		x, err := Find(path, o.Options)
		if err != nil {
			return p, err
		}
		found = append(found, x)
	}
	s := newSet(ctx, found, o.Options)
	defer s.Close()
	if len(old) > 0 && !o.Add {
		s.told = map[uint64]int{}
	}
	if err := s.read(); err != nil {
		return p, err
	}
	used := map[string]bool{}
	for part, x := range found {
		name := filepath.Base(x.Path)
		if x.Form.Name != own.Name {
			name = freeName(used, x.Path)
		}
		used[strings.TrimSuffix(name, ".jsonl")] = true
		p.take(Part{x.Path, x.Form.Name, path.Join(sourceFolder, name), s.summaries[part]})
		if part := s.summaries[part]; part.Messages+part.Repeated == 0 && x.Form.Name != own.Name {
			return p, &schema.Finding{Pos: schema.Pos{File: x.Path}, Code: codeForm, Message: "the export of " + x.Form.Name + " holds no message"}
		}
	}
	taken := 0
	for _, part := range p.Parts {
		taken += part.Messages
	}
	if o.Strict && p.Lost+p.Faults > 0 {
		return p, p.lost(taken, false)
	}
	if !o.Add {
		files := map[string]bool{}
		for h := range s.convs {
			files[path.Base(p.Parts[h.part].File)] = true
		}
		if err := cmp.Or(p.knows(o.Me), s.replaced(old, files)); err != nil {
			return p, err
		}
	}
	if err := p.write(s, o.Dir); err != nil {
		return p, err
	}
	if !o.Add {
		p.undated(o.Report)
		err := atomicfile.Write(schemaFile, func(w io.Writer) error { _, err := w.Write(forEditors); return err })
		if err != nil {
			return p, err
		}
		text := p.yaml(o)
		err = atomicfile.Write(p.Config, func(w io.Writer) error { _, err := io.WriteString(w, text); return err })
		if err != nil {
			return p, err
		}
	}
	if _, err = config.Load(p.Config, func(string) (string, string) { return "", "" }); err != nil {
		return p, err
	}
	if n := p.Lost + p.Faults; n > 0 && !o.Accept.Allows(n, n+taken) {
		return p, p.lost(taken, true)
	}
	return p, nil
}

// take adds the part that one export is.
func (p *Project) take(part Part) {
	p.Lost -= part.Faults
	p.Faults += part.Faults
	p.hasDate = p.hasDate || part.First != ""
	// Names are accounts in exports of one program only.
	p.accounts = part.accounts && (len(p.Parts) == 0 || p.accounts && p.Parts[0].Form == part.Form)
	i := slices.IndexFunc(Forms(), func(f Form) bool { return f.Name == part.Form })
	p.personal = i >= 0 && Forms()[i].personal && (len(p.Parts) == 0 || p.personal)
	p.Parts = append(p.Parts, part)
}

// write writes the lines of a set. No file is replaced before all are complete.
func (p *Project) write(s *set, dir string) (err error) {
	files := map[int]*atomicfile.File{}
	defer func() {
		for _, f := range files {
			err = errors.Join(err, f.Close())
		}
	}()
	err = s.lines(func(part int, raw []byte) error {
		f := files[part]
		if f == nil {
			if f, err = atomicfile.Create(filepath.Join(dir, filepath.FromSlash(p.Parts[part].File))); err != nil {
				return err
			}
			files[part] = f
		}
		_, err := f.Write(raw)
		return err
	})
	for _, part := range slices.Sorted(maps.Keys(files)) {
		if err == nil {
			err = files[part].Commit()
		}
	}
	return err
}

// inFile names the export that an error of reading does not name. Findings do.
func inFile(path string, err error) error {
	if _, ok := errors.AsType[*schema.Finding](err); ok || strings.Contains(err.Error(), path) {
		return err
	}
	return fmt.Errorf("%s: %w", path, err)
}

// knows rejects a user who says nothing in chats of people. Chats with an assistant do not always name the user, and of very many speakers some are not counted.
func (p *Project) knows(me string) error {
	for _, part := range p.Parts {
		if me == "" || part.Assistants || len(part.Names) == 0 || len(part.Names) >= maxNames ||
			slices.ContainsFunc(part.Names, func(c Count) bool {
				return textnorm.Key(c.Name) == textnorm.Key(me) || textnorm.Key(part.full[c.Name]) == textnorm.Key(me)
			}) {
			return nil
		}
	}
	return schema.Usagef("--me: no speaker is named %q: the exports have %s", me, strings.Join(p.speakers(), ", "))
}

// undated reports where turns get times that are not in the chat.
func (p *Project) undated(report func(*schema.Finding)) {
	if !p.hasDate {
		report(&schema.Finding{Pos: schema.Pos{File: p.Config}, Code: codeUndated, Warning: true,
			Message: "the chat has no times; its turns get invented ones, a minute apart from 2026-01-01, and answers name them",
			Hint:    "set start to the time of the first turn, and turn_offset"})
		return
	}
	for _, part := range p.Parts {
		if part.Undated > 0 {
			report(&schema.Finding{Pos: part.undated, Code: codeUndated, Warning: true,
				Message: fmt.Sprintf("%d messages have no time; the later steps take that of the message before them, in a conversation without any that of the run", part.Undated),
				Hint:    "write dates in front of them, or set start in " + p.Config})
		}
	}
}

func (p *Project) lost(taken int, written bool) error {
	return &schema.RejectedError{Step: "init", Rejected: p.Lost, Faulty: p.Faults, Taken: taken, Written: written}
}

// freeName is a file name for an export that no other has.
func freeName(used map[string]bool, path string) string {
	base := strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))
	name := string(convID(base))
	for n := 2; used[name]; n++ {
		name = fmt.Sprintf("%s-%d", convID(base), n)
	}
	used[name] = true
	return name + ".jsonl"
}

// shownNames is how many speakers the file names in a comment.
const shownNames = 12

// yaml is the project file.
func (p *Project) yaml(o InitOptions) string {
	var b strings.Builder
	q := func(s string) string { t, _ := json.Marshal(s); return string(t) } // a JSON string is a YAML string
	fmt.Fprintf(&b, "# yaml-language-server: $schema=membench.schema.json\n# Made by membench init. Every key is described in docs/project.md.\nversion: 1\nname: %s\n\n", q(p.name(o)))
	b.WriteString("# What was read:\n")
	for _, part := range p.Parts {
		fmt.Fprintf(&b, "#   %s: %s, %d messages in %d conversations\n", oneLine(part.Path), part.Form, part.Messages, part.Conversations)
	}
	b.WriteString("sources: [source]\n\n")
	b.WriteString("# Who the memory belongs to. What this person says is about the user.\n")
	if o.Me != "" && !strings.Contains(o.Me, "${") { // which would be the environment's
		names := q(o.Me)
		for _, other := range p.fullNames() {
			if i := slices.IndexFunc(other[:], func(s string) bool { return textnorm.Key(s) == textnorm.Key(o.Me) }); i >= 0 {
				names += ", " + q(other[1-i])
			}
		}
		fmt.Fprintf(&b, "user: {id: %s, names: [%s]}\n", q(string(convID(o.Me))), names)
	} else if p.personal {
		b.WriteString("user: {id: me, names: []}     # the human of these chats, in all of them\n")
	} else {
		b.WriteString("# user: {id: me, names: [My Name]}\n")
	}
	scope := "conversation"
	if p.accounts {
		scope = "project"
	}
	b.WriteString("\n# The same name in two conversations is two people (scope: conversation) or one (scope: project).\n# known: names of one person.\n")
	fmt.Fprintf(&b, "people:\n  scope: %s\n", scope)
	known := ""
	for _, other := range p.fullNames() {
		if me := textnorm.Key(o.Me); o.Me == "" || textnorm.Key(other[0]) != me && textnorm.Key(other[1]) != me {
			known += fmt.Sprintf("    - {name: %s, aliases: [%s]}\n", q(other[1]), q(other[0]))
		}
	}
	if known != "" && !strings.Contains(known, "${") {
		b.WriteString("  known:\n" + known)
	} else {
		b.WriteString("#  known:\n#    - {name: Ana Ruiz, aliases: [Ana, Ani]}\n")
	}
	if names := p.speakers(); len(names) > 0 {
		fmt.Fprintf(&b, "# Who speaks: %s\n", strings.Join(names, ", "))
	}
	if !p.hasDate {
		b.WriteString("\n# The export has no times, and these are invented. Time of the first turn, and between two turns:\nstart: 2026-01-01T00:00:00Z\nturn_offset: 1m\n")
	}
	b.WriteString("\n# Rules need no model and no key. To ask a model instead: extractor: model, and a model.\n")
	b.WriteString("claims: {extractor: rule}\n# model: {name: gpt-4o-mini}     # the key comes from OPENAI_API_KEY\n")
	return b.String()
}

// fullNames are the names of speakers who have a full name, too: what the lines have, and the full one.
func (p *Project) fullNames() (out [][2]string) {
	for _, part := range p.Parts {
		for _, c := range part.Names {
			if two := [2]string{c.Name, part.full[c.Name]}; two[1] != "" && !slices.Contains(out, two) {
				out = append(out, two)
			}
		}
	}
	return out
}

func (p *Project) name(o InitOptions) string {
	abs, err := filepath.Abs(o.Dir)
	if err != nil {
		return "mine"
	}
	return filepath.Base(abs)
}

func (p *Project) speakers() []string {
	var out []string
	for _, part := range p.Parts {
		for i, c := range part.Names {
			if i == shownNames {
				out = append(out, "…")
				break
			}
			out = append(out, fmt.Sprintf("%s (%d)", oneLine(c.Name), c.N))
		}
	}
	return out
}

// oneLine keeps text from data within its comment.
func oneLine(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || r == 0x85 || r == 0x2028 || r == 0x2029 {
			return ' '
		}
		return r
	}, s)
}

// ParseZone reads a zone: a name as Europe/Berlin, or an offset as +08:00.
func ParseZone(s string) (*time.Location, error) {
	if t, err := time.Parse("-07:00", s); err == nil {
		_, offset := t.Zone()
		return time.FixedZone("", offset), nil
	}
	if z, err := time.LoadLocation(s); err == nil && s != "" && s != "Local" {
		return z, nil
	}
	return nil, fmt.Errorf("found %q, expected a zone as Europe/Berlin, or an offset as +08:00", s)
}
