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
			found += strings.TrimPrefix(fmt.Sprintf("%d ", f.Pos.Line), "0 ") + f.Code + " " + f.Message
			if f.Want != "" && f.Want[0] == 'a' {
				found += ", want " + f.Want
			}
			found += "\n"
		}
	}
	p, err := Init(t.Context(), o)
	if lost := (*schema.RejectedError)(nil); errors.As(err, &lost) {
		found += "exit 3\n"
	} else if err != nil {
		t.Fatal(err)
	}
	names, err := filepath.Glob(filepath.Join(o.Dir, "source", "*.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		for _, l := range linesOf(t, name) {
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
	const undated = "1 messages have no time; the later steps take that of the message before them, in a conversation without any that of the run\n"
	mail := func(head, text string) string {
		return "From x Mon Jan  5 11:00:00 2026\n" + head + "Date: Mon, 5 Jan 2026 11:00:00 +0000\n\n" + text + "\n\n"
	}
	gpt := func(current string, nodes ...string) string { // id, parent, time and text
		all := `[{"title":"T","id":"c","current_node":"` + current + `","mapping":{`
		for i, n := range nodes {
			p := strings.Fields(strings.Replace(n, " - ", " null ", 1))
			if p[1] != "null" {
				p[1] = `"` + p[1] + `"`
			}
			all += strings.Repeat(",", min(i, 1)) + "\n\"" + p[0] + `":{"parent":` + p[1] + `,"message":{"author":{"role":"user"},"create_time":` + p[2] + `,"content":{"parts":["` + p[3] + `"]}}}`
		}
		return all + "}}]"
	}
	for _, c := range []struct {
		name, file, text string
		o                Options
		said, found      string
		yaml             string // a part of membench.yaml
	}{
		{name: "mail in no UTF-8", file: "a.mbox", text: mail("From: Zo\xeb <z@e.org>\nSubject: caf\xe9\n", "one") + mail("From: =?utf-8?q?Zo=EB?= <y@e.org>\n", "two") + mail("From: Bo <b@e.org>\nContent-Type: text/plain; charset=utf-8\n", "gar\xe7on") +
			mail("From: Cy <c@e.org>\n", "ça va bien à Genève \xff"),
			said:  "Zoë: one @2026-01-05T11:00:00Z\nZoë (y@e.org): two @2026-01-05T11:00:00Z\nBo: garçon @2026-01-05T11:00:00Z\nCy: ça va bien à Genève \uFFFD @2026-01-05T11:00:00Z\n",
			found: "1 " + guessed + "8 " + guessed + "14 " + guessed + "21 CHT002 " + notUTF8 + "\nexit 3\n"},
		{name: "JSON with faults in its text", file: "d.json", text: `{"guild":{"name":"G é"},"channel":{"name":"ç"},"messages":[{"author":{"name":"à"},"content":"a` + "\xff" + ` b\ud83d \ud83d\ude00 \\ud83d"}]}`,
			said: "à: a\uFFFD b\uFFFD 😀 \\ud83d\n", found: "1 CHT002 " + notUTF8 + "\nexit 3\n"},
		{name: "a broken date in a file that is month first", file: "c.txt", text: "[1/13/26, 9:00 AM] Ann: a\n[1/20/26, 9:00 AM] Bo: b\n[2/3/26, 9:00 AM] Ann: c\n[13/25/26, 9:00 PM] Bo: d\n[21/2/26, 9:00 PM] Bo: e\n[2/21/26, 3:75 PM] Bo: f\n",
			said: "Ann: a @2026-01-13T09:00:00Z\nBo: b @2026-01-20T09:00:00Z\nAnn: c @2026-02-03T09:00:00Z\n",
			found: "4 CHT002 there is no such date or time; the message was skipped, want a date in the order mdy\n5 CHT002 there is no such date or time; the message was skipped, want a date in the order mdy\n" +
				"6 CHT002 there is no such date or time; the message was skipped, want a time of day\nexit 3\n"},
		{name: "a clock that runs back once", file: "c.txt", text: "[2/3/26, 9:00 AM] Ann: a\n[2/9/26, 9:00 AM] Bo: b\n[2/9/26, 8:00 AM] Ann: c\n[2/9/26, 8:01 AM] Ann: c\n[2/12/26, 9:00 AM] Bo: d\n[3/1/26, 9:00 AM] Bo: e\n[3/9/26, 9:00 AM] Bo: f\n[4/2/26, 9:00 AM] Bo: g\n[5/1/26, 9:00 AM] Bo: h\n",
			said:  "Ann: a @2026-02-03T09:00:00Z\nAnn: c @2026-02-09T08:00:00Z\nAnn: c @2026-02-09T08:01:00Z\nBo: b @2026-02-09T09:00:00Z\nBo: d @2026-02-12T09:00:00Z\nBo: e @2026-03-01T09:00:00Z\nBo: f @2026-03-09T09:00:00Z\nBo: g @2026-04-02T09:00:00Z\nBo: h @2026-05-01T09:00:00Z\n",
			found: "3 CHT010 messages that are not in the order of time: 1; each conversation was sorted by time\n"},
		{name: "a parent that is missing", file: "conversations.json", text: gpt("4", "1 - 1767614410 a", "2 1 1767614420 b", "9 1 1767614415 other", "3 gone 1767614430 c", "4 3 0 d", "7 lost 1767614440 e"),
			said:  "user: a @2026-01-05T12:00:10Z\nuser: b @2026-01-05T12:00:20Z\nuser: c @2026-01-05T12:00:30Z\nuser: d\n",
			found: "5 CHT002 a message names a parent that the export does not have; the newest messages that may come before it were read in its place\n1 CHT002 no link leads to messages of a conversation; they were skipped: 1\n1 CHT003 skipped 1: messages of branches that were not continued\n6 CHT013 " + undated + "exit 3\n"},
		{name: "an end that is missing", file: "conversations.json", text: gpt("gone", "1 - 0 a", "2 1 0 b", "3 2 0 c", "9 1 0 other"), said: "user: a\nuser: b\nuser: c\n",
			found: "1 CHT002 a conversation does not say where it ends (current_node); the branch with the newest message was read\n1 CHT003 skipped 1: messages of branches that were not continued\nexit 3\n"},
		{name: "a sender that is neither", file: "conversations.json", text: `[{"uuid":"c","name":"T","chat_messages":[{"uuid":"1","sender":"human","text":"a"},{"uuid":"2","sender":"humam","text":"b"},{"uuid":"3","sender":"assistant","text":"c"}]}]`,
			said: "user: a\nhumam: b\nassistant: c\n", yaml: "\nuser: {id: me, names: []}", found: "1 CHT002 a sender is neither human nor assistant; the message is kept as that of a person of this name\nexit 3\n"},
		{name: "cues", file: "x 2026-03-01 10-00-00.srt", text: "1\n00:00:01,000 --> 00:00:02,000\nAnn: one.\n\n2\n00:0x:03,000 --> 00:00:04,000\nBo: two.\n\n3\n00:00:05,000 -> 00:00:06,000\n- Ann: three.\n- Bo: four 4.\n\n4\n00:00:07,000 --> 00:00:08,000\n[laughter]\n\n5\n00:00:10,000 --> 00:00:09,000\nAnn: -5 degrees.\n",
			said:  "Ann: one. @2026-03-01T10:00:01Z\nBo: two.\nAnn: three. @2026-03-01T10:00:05Z\nBo: four 4. @2026-03-01T10:00:05Z\nAnn: -5 degrees. @2026-03-01T10:00:10Z\n",
			found: "6 CHT002 the time of a cue cannot be read; its text is kept without one, want a start and an end as 00:01:02.000 --> 00:01:04.500\n19 CHT002 a cue ends before it starts; it is kept, want an end after the start\n16 CHT003 skipped 1: sounds in brackets\n7 CHT013 " + undated + "exit 3\n"},
		{name: "ids that come twice", file: "c.json", text: `[{"type":"message","user":"U1","text":"a","ts":"1767614400.000100"},{"type":"message","user":"U1","text":"b","ts":"1767614401.000100"},{"type":"message","user":"U1","text":"a","ts":"1767614400.000100"},` +
			`{"type":"message","user":"U2","text":"b","ts":"1767614401.000100"}]`, said: "U1: a @2026-01-05T12:00:00Z\nU1: b @2026-01-05T12:00:01Z\nU2: b @2026-01-05T12:00:01Z\n",
			found: "1 CHT008 messages that the export has more than once, by their ids, taken once: 1\n1 CHT008 messages with the id of another one, but other content; both are kept: 1\n"},
		{name: "epochs under any name, newest first", file: "t.json", text: `[{"author":"Ann","wrote":1767614520000,"text":"b"},{"author":"Bo","wrote":1767614400000,"text":"a"}]`,
			said: "Bo: a @2026-01-05T12:00:00Z\nAnn: b @2026-01-05T12:02:00Z\n", found: "CHT014 the time of messages was found by its values, in wrote\n"},
		{name: "date and time of day", file: "t.csv", text: "Date;Time;From;Message\n25.03.2026;10:11;Ann;a\n26.03.2026;09:05 PM;Bo;b\n",
			said: "Ann: a @2026-03-25T10:11:00Z\nBo: b @2026-03-26T21:05:00Z\n", found: "CHT014 the time of messages was found by its values, in Date+Time\n"},
		{name: "named, date and time of day", file: "t.csv", text: "d,c,from,text\n2026-03-25,10:11,Ann,a\n", o: Options{Map: map[string]string{"time": "d+c"}}, said: "Ann: a @2026-03-25T10:11:00Z\n"},
		{name: "Chinese headings", file: "t.csv", text: "时间,发送人,内容\n2026-03-05 10:11,张伟,我住在南京\n", said: "张伟: 我住在南京 @2026-03-05T10:11:00Z\n"},
		{name: "a birthday is no time", file: "t.csv", text: "from,text,born\nAnn,a,1990-01-02\nBo,b,1991-01-02\n", said: "Ann: a\nBo: b\n", found: "CHT003 skipped 1: columns\n"},
		{name: "several lists of messages", file: "t.jsonl", text: `{"messages":[{"role":"user","content":"a"}]}` + "\n" + `{"messages":[{"role":"user","content":"b"},{"role":"assistant","content":"c"}]}`, said: "user: a\nuser: b\nassistant: c\n", yaml: "3 messages in 2 conversations"},
		{name: "HTML", file: "t.json", text: `{"value":[{"sender":"Ann","body":"<p>I live in X &amp; Y</p>"},{"sender":"Bo","body":"<blockquote>I live in X</blockquote><p>So <at id=\"0\">Ann</at> does</p>"},{"sender":null,"body":"<systemEventMessage/>"},{"sender":"Cy","body":"a <b> is 5 > 3"}]}`,
			said: "Ann: I live in X & Y\nBo: So Ann does\nCy: a <b> is 5 > 3\n", found: "1 CHT003 skipped 1: messages without text\n1 CHT003 skipped 3: tags of texts in HTML\n"},
		{name: "several in a minute", file: "c.txt", text: "25/01/2026, 20:15 - Ann: a\n25/01/2026, 20:15 - Bo: b\n25/01/2026, 20:15 - Bo: c\n25/01/2026, 20:16 - Bo: d\n", said: "Ann: a @2026-01-25T20:15:00Z\nBo: b @2026-01-25T20:15:01Z\nBo: c @2026-01-25T20:15:02Z\nBo: d @2026-01-25T20:16:00Z\n"},
		{name: "one second", file: "t.csv", text: "time,from,text\n2026-01-25 20:15:00,Ann,a\n2026-01-25T20:15:00+08:00,Ann,b\n2026-01-25T20:15:00+08:00,Ann,c\n", said: "Ann: b @2026-01-25T20:15:00+08:00\nAnn: c @2026-01-25T20:15:00+08:00\nAnn: a @2026-01-25T20:15:00Z\n"},
		{name: "more than a minute has seconds", file: "t.csv", text: "time,from,text\n" + strings.Repeat("2026-01-25 20:15,Ann,a\n", 62), said: seconds(62)},
		{name: "minutes of meetings", file: "m.md", text: "# Weekly\n\n## 2026-03-09 sync\n\n- **Ann:** I live in X.\n- **Bo**: me too\n\n### Decisions\n1. Use Y\n\n## Sync of 2026-03-02\n\n- Ann: so\n- 10:05 Bo: and\n  so\n",
			said:  "Ann: so @2026-03-02T00:00:00Z\nBo: and\n  so @2026-03-02T10:05:00Z\nAnn: I live in X. @2026-03-09T00:00:00Z\nBo: me too\n\n### Decisions\n1. Use Y @2026-03-09T00:00:01Z\n",
			found: "1 CHT003 skipped 1: lines before the first message\n13 CHT010 messages that are not in the order of time: 2; each conversation was sorted by time\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			said, found, yaml := made(t, map[string]string{c.file: c.text}, InitOptions{Options: c.o})
			if said != c.said || found != c.found || !strings.Contains(yaml, c.yaml) {
				t.Errorf("have\n%s%swant\n%s%s%s in\n%s", said, found, c.said, c.found, c.yaml, yaml)
			}
		})
	}
}

// TestMails: a mail that two mail folders have is taken once, given together, in one folder, or one later; a thread over several folders is one conversation, whose people have one name for each address.
func TestMails(t *testing.T) {
	mail := func(n, from, to string) string {
		return "From: " + from + "\nMessage-ID: <" + n + "@e>\nIn-Reply-To: <" + to + "@e>\nSubject: Re: trip\nDate: Mon, 5 Jan 2026 11:0" + n + ":00 +0000\n\ntext " + n + "\n"
	}
	envelope := "From x Mon Jan  5 11:00:00 2026\n"
	one, two, three := mail("1", "Ann Lee <a@e.org>", "0"), mail("2", "b@e.org", "1"), mail("3", "Annie <a@e.org>", "2")
	dir := put(t, "x", map[string]string{"inbox.mbox": envelope + two, "all.mbox": envelope + one + "\n" + envelope + two + "\n" + envelope + three, "eml/1.eml": one, "eml/2.eml": two, "eml/3.eml": strings.Replace(three, "Annie", "=?gb2312?q?=C0=EE=C4=C8?=", 1)})
	const want = "Ann Lee: text 1 @2026-01-05T11:01:00Z\nb@e.org: text 2 @2026-01-05T11:02:00Z\nAnn Lee: text 3 @2026-01-05T11:03:00Z\n"
	both := []string{filepath.Join(dir, "all.mbox"), filepath.Join(dir, "inbox.mbox")}
	for i, paths := range [][]string{{dir}, both, {both[1], both[0]}, {filepath.Join(dir, "eml")}, {filepath.Join(dir, "eml"), both[0]}} {
		said, found, _ := made(t, nil, InitOptions{Paths: paths})
		n := strings.Count(found, "\n")
		if once := strings.Contains(found, "CHT008"); said != want || once != (i != 3) || n > 1 || strings.Contains(said, "李") {
			t.Errorf("%v: have\n%s%swant\n%s", paths, said, found, want)
		}
	}
	o := InitOptions{Dir: t.TempDir(), Paths: both[1:]}
	project(t, o)
	o.Paths, o.Add = both[:1], true
	_, lines, found := project(t, o)
	if got := strings.Join(texts(lines), " "); got != "text 1 text 2 text 3" || len(found) != 1 || lines[0].ConvID != lines[2].ConvID {
		t.Errorf("added: have %q, %q", got, found)
	}
}

// TestSuggestions: a mapping is suggested by values: names are senders and sentences texts, whatever has fewer or longer values. Where there are none, no mapping is.
func TestSuggestions(t *testing.T) {
	for text, want := range map[string]string{
		`{"value":[{"kind":"a1","hash":"0123456789abcdef0123456789abcdef","by":{"user":{"name2":"Ann Lee"}},"txt":{"html":"I live here"},"at":"2026-01-05T12:00:00Z"},` +
			`{"kind":"b2","hash":"1123456789abcdef0123456789abcdef","by":null,"txt":{"html":"so"},"at":"2026-01-05T12:01:00Z"},{"kind":"b2","by":{"user":{"name2":"Bo"}},"txt":{"html":"and so do I"},"at":null}]}`: "perhaps: --map sender=by.user.name2,text=txt.html,time=at",
		`{"items":[{"id":1,"asker":{"n":"Ann"},"comments":[{"author":"Ann","x":"I live in Y"}]},{"id":2,"asker":{"n":"Bo"},"comments":[]}]}`: "",
	} {
		var f *schema.Finding
		if _, err := Find(put(t, "x", map[string]string{"t.json": text}), Options{}); !errors.As(err, &f) || want != "" && f.Hint != want || want == "" && strings.Contains(f.Hint, "perhaps") {
			t.Errorf("%s: have %v, want %q", text, err, want)
		}
	}
}

// seconds are the lines of n messages of one minute.
func seconds(n int) (out string) {
	for i := range n {
		out += fmt.Sprintf("Ann: a @2026-01-25T20:15:%02dZ\n", min(i, 59))
	}
	return out
}
