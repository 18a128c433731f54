package chats

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"membench/schema"
)

// made makes a project of an export and returns its messages and findings, one a line each, and its membench.yaml.
func made(t *testing.T, files map[string]string, o InitOptions) (said, found, yaml string) {
	t.Helper()
	o.Dir = t.TempDir()
	if o.Paths == nil {
		o.Paths = []string{put(t, "x", files)}
	}
	o.Report = func(f *schema.Finding) {
		if f.Code != codeUndated || f.Pos.Line > 0 {
			found += strings.TrimPrefix(fmt.Sprintf("%d ", f.Pos.Line), "0 ") + f.Code + " " + f.Message + "\n"
		}
	}
	p, err := Init(t.Context(), o)
	if lost := (*schema.RejectedError)(nil); errors.As(err, &lost) {
		found += "exit 3\n"
	} else if err != nil {
		t.Fatal(err)
	}
	for _, part := range p.Parts {
		for _, l := range linesOf(t, filepath.Join(o.Dir, part.File)) {
			said += cmp.Or(l.Name, l.Role) + ": " + l.Content
			if l.Timestamp != "" {
				said += " @" + l.Timestamp
			}
			said += "\n"
		}
	}
	text, err := os.ReadFile(p.Config)
	if err != nil {
		t.Fatal(err)
	}
	return said, found, string(text)
}

// TestFaults: of an export with faults everything is read that can be, and what is lost, repaired or guessed is a finding.
func TestFaults(t *testing.T) {
	const guessed = "CHT006 parts of a mail are not in the encoding that they name, or name none; they were read as windows-1252\n"
	mail := func(head, text string) string {
		return "From x Mon Jan  5 11:00:00 2026\n" + head + "Date: Mon, 5 Jan 2026 11:00:00 +0000\n\n" + text + "\n\n"
	}
	for _, c := range []struct {
		name, file, text string
		o                Options
		said, found      string
	}{
		{name: "mail in no UTF-8", file: "a.mbox", text: mail("From: Zo\xeb <z@e.org>\nSubject: caf\xe9\n", "one") + mail("From: =?utf-8?q?Zo=EB?= <y@e.org>\n", "two") + mail("From: Bo <b@e.org>\nContent-Type: text/plain; charset=utf-8\n", "gar\xe7on") +
			mail("From: Cy <c@e.org>\n", "ça va bien à Genève \xff"),
			said:  "Zoë: one @2026-01-05T11:00:00Z\nZoë (y@e.org): two @2026-01-05T11:00:00Z\nBo: garçon @2026-01-05T11:00:00Z\nCy: ça va bien à Genève \uFFFD @2026-01-05T11:00:00Z\n",
			found: "1 " + guessed + "8 " + guessed + "14 " + guessed + "21 CHT002 " + notUTF8 + "\nexit 3\n"},
		{name: "JSON with faults in its text", file: "d.json", text: `{"guild":{"name":"G é"},"channel":{"name":"ç"},"messages":[{"author":{"name":"à"},"content":"a` + "\xff" + ` b\ud83d \ud83d\ude00 \\ud83d"}]}`,
			said: "à: a\uFFFD b\uFFFD 😀 \\ud83d\n", found: "1 CHT002 " + notUTF8 + "\nexit 3\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			said, found, _ := made(t, map[string]string{c.file: c.text}, InitOptions{Options: c.o})
			if said != c.said || found != c.found {
				t.Errorf("have\n%s%swant\n%s%s", said, found, c.said, c.found)
			}
		})
	}
}
