package chats

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"membench/schema"
)

// project makes a project and returns its lines, file by file, and its findings.
func project(t *testing.T, o InitOptions) (Project, []line, []string) {
	t.Helper()
	var found []string
	o.Report = func(f *schema.Finding) { found = append(found, f.Code+" "+f.Message) }
	p, err := Init(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	var out []line
	files, err := filepath.Glob(filepath.Join(o.Dir, "source", "*.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		out = append(out, linesOf(t, name)...)
	}
	return p, out, found
}

// linesOf reads the lines of a file that Init wrote.
func linesOf(t *testing.T, name string) (out []line) {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	for l := range strings.Lines(string(text)) {
		var v line
		if err := json.Unmarshal([]byte(l), &v); err != nil {
			t.Fatal(err)
		}
		out = append(out, v)
	}
	return out
}

func texts(lines []line) (out []string) {
	for _, l := range lines {
		out = append(out, l.Content)
	}
	return out
}

// TestOverlaps: of two exports of one chat that overlap, in every form and in both orders, each message is there once, in one conversation, in its place. The
// later export added to the project of the earlier one is the same, and the earlier lines stay as they are.
func TestOverlaps(t *testing.T) {
	ms := invented("en")[:90]
	for i := range ms { // several in a minute, some of them twice
		ms[i].at = ms[i-i%3].at
		if i%50 == 1 {
			ms[i].text = ms[i-1].text
			ms[i].who = ms[i-1].who
		}
	}
	forms := map[string]func([]said) map[string]string{
		"text/undated": func(ms []said) map[string]string {
			b := ""
			for _, m := range ms {
				b += m.who + ": " + m.text + "\n"
			}
			return map[string]string{"talk.txt": b}
		},
		"text/one word": func(ms []said) map[string]string { // hardly anything has a place by itself
			b := ""
			for _, m := range ms {
				b += m.who + ": ok\n"
				if strings.HasSuffix(m.text, "7") {
					b += m.who + ": " + m.text + "\n"
				}
			}
			return map[string]string{"talk.txt": b}
		},
	}
	for name, write := range exports {
		forms[name] = write
	}
	for name, write := range forms {
		if name == "mbox" || name == ownPackage { // a thread has a first mail; one speaker
			continue
		}
		t.Run(name, func(t *testing.T) {
			var o Options
			switch name {
			case "table/csv":
				o.Map = map[string]string{"text": "body", "time": "when"}
			case "whatsapp/us":
				o.Dates = "mdy"
			case "table/json":
				o.Map = map[string]string{"text": "body", "time": "when", "sender": "by.name"}
			}
			all, old, later := put(t, name, write(ms)), put(t, name, write(ms[:61])), put(t, name, write(ms[40:]))
			_, want, _ := project(t, InitOptions{Options: o, Paths: []string{all}, Dir: t.TempDir()})
			check := func(what string, have []line, found []string, n int) {
				t.Helper()
				convs := map[schema.ConvID]bool{}
				for _, l := range have {
					convs[l.ConvID] = true
				}
				a, b := texts(have), texts(want)
				if strings.HasPrefix(name, "table/csv") { // the newest first: of one minute, too
					slices.Sort(a)
					slices.Sort(b)
				}
				if !slices.Equal(a, b) || len(convs) != 1 {
					t.Errorf("%s: %d messages in %d conversations, want %d in 1", what, len(have), len(convs), len(want))
				}
				if k := slices.IndexFunc(found, func(s string) bool { return strings.HasPrefix(s, codeTwice) }); n > 0 && (k < 0 || !strings.HasSuffix(found[k], fmt.Sprintf(": %d", n))) {
					t.Errorf("%s: findings %q, want %d messages twice", what, found, n)
				}
			}
			twice := 0
			if !strings.HasPrefix(name, "text/one") {
				twice = 21
			}
			_, have, found := project(t, InitOptions{Options: o, Paths: []string{old, later}, Dir: t.TempDir()})
			check("old and later", have, found, twice)
			_, have, found = project(t, InitOptions{Options: o, Paths: []string{later, old}, Dir: t.TempDir()})
			check("later and old", have, found, twice)
			dir := t.TempDir()
			_, before, _ := project(t, InitOptions{Options: o, Paths: []string{old}, Dir: dir})
			_, have, found = project(t, InitOptions{Options: o, Paths: []string{later}, Dir: dir, Add: true})
			check("later added", have, found, twice)
			if name != "table/csv" && (len(have) < len(before) || toJSON(have[:len(before)]) != toJSON(before)) {
				t.Error("earlier lines changed")
			}
			if _, again, _ := project(t, InitOptions{Options: o, Paths: []string{later, old}, Dir: dir, Add: true}); toJSON(again) != toJSON(have) {
				t.Error("adding again changed lines")
			}
		})
	}
}

// dated is a chat of WhatsApp's form, a line a message: "minute who: text".
func dated(lines ...string) string {
	b := ""
	for _, l := range lines {
		minute, rest, _ := strings.Cut(l, " ")
		var n int
		fmt.Sscan(minute, &n)
		b += time.Date(2026, 3, 1, 10, n, 0, 0, time.UTC).Format("2006-01-02, 15:04") + " - " + rest + "\n"
	}
	return b
}

// TestChatsOf: which files are one chat, and what of it is kept.
func TestChatsOf(t *testing.T) {
	for _, c := range []struct {
		name  string
		files map[string]string
		want  string // conversations with their texts
		code  string
	}{
		{"a copy of a file", map[string]string{"a.txt": dated("1 Ana: hi", "2 Bo: yo"), "a (1).txt": dated("1 Ana: hi", "2 Bo: yo", "3 Ana: new")}, "whatsapp-a: hi, yo, new", codeTwice},
		{"a group that was renamed", map[string]string{"flat.txt": dated("1 Ana: one", "2 Bo: two", "3 Bo: three"), "house.txt": dated("2 Bo: two", "3 Bo: three", "1 Ana: one", "4 Ana: four")}, "whatsapp-flat: one, two, three, four", codeTwice},
		{"one name, other chats", map[string]string{"x/a.txt": dated("1 Ana: hi", "3 Bo: yo"), "y/a.txt": dated("2 Cem: hi", "4 Di: yo")}, "whatsapp-a: hi, yo; whatsapp-a-2: hi, yo", codeNamesake},
		{"one name, one after the other", map[string]string{"x/a.txt": dated("1 Ana: hi", "3 Bo: yo"), "y/a.txt": dated("4 Ana: well", "5 Bo: ok")}, "whatsapp-a: hi, yo, well, ok", ""},
		{"one greeting to two people", map[string]string{"a.txt": dated("1 Ana: Happy new year", "2 Ana: bye"), "b.txt": dated("1 Ana: Happy new year", "2 Ana: bye")}, "whatsapp-a: Happy new year, bye; whatsapp-b: Happy new year, bye", ""},
		{"folders of phones", map[string]string{"WhatsApp Chat - Ana/_chat.txt": dated("1 Ana: hi", "2 Bo: yo"), "WhatsApp Chat - Cem/_chat.txt": dated("1 Cem: hi", "2 Bo: yo")}, "whatsapp-ana: hi, yo; whatsapp-cem: hi, yo", ""},
		{"edited", map[string]string{"a.txt": dated("1 Ana: I live in Bon", "2 Bo: yo"), "b (2).txt": dated("9 Ana: x"), "a (1).txt": dated("1 Ana: I live in Bonn", "2 Bo: yo", "3 Ana: new")}, "whatsapp-a: I live in Bonn, yo, new; whatsapp-b-2: x", codeTwice},
		{"with its file", map[string]string{"a.txt": dated("1 Ana: <Media omitted>", "2 Bo: yo", "3 Ana: hm"), "a (1).txt": dated("1 Ana: IMG-20260301-WA0001.jpg (file attached)", "2 Bo: yo", "3 Ana: hm")}, "whatsapp-a: , yo, hm", codeTwice},
		{"said twice", map[string]string{"a.txt": dated("1 Ana: ok", "1 Ana: ok", "2 Bo: yo"), "a (1).txt": dated("1 Ana: ok", "1 Ana: ok", "2 Bo: yo")}, "whatsapp-a: ok, ok, yo", codeTwice},
		{"deleted later", map[string]string{"a.txt": dated("1 Ana: I like Bo", "1 Bo: yo", "2 Bo: well"), "a (1).txt": dated("1 Ana: This message was deleted", "1 Bo: yo", "2 Bo: well")}, "whatsapp-a: I like Bo, yo, well", codeTwice},
		{"chats without times", map[string]string{"x/a.txt": "Ana: hi\nBo: hello\n", "y/a.txt": "Ana: well\nBo: so\n"}, "a: hi, hello; a-2: well, so", codeNamesake},
		{"a chat of one word, and more of it", map[string]string{"x/a.txt": "Ana: ok\nBo: ok\nAna: ok\n", "y/a.txt": "Ana: ok\nBo: ok\nAna: ok\nBo: ok\n"}, "a: ok, ok, ok, ok", codeTwice},
		{"a chat of one word, from another place", map[string]string{"x/a.txt": "Ana: ok\nAna: ok\nBo: ok\nBo: ok\n", "y/a.txt": "Ana: ok\nBo: ok\nAna: ok\n"}, "a: ok, ok, ok, ok, ok, ok, ok", codeUndated},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, lines, found := project(t, InitOptions{Paths: []string{put(t, "x", c.files)}, Dir: t.TempDir()})
			have, last := "", schema.ConvID("")
			for _, l := range lines {
				if l.ConvID != last {
					have += "; " + string(l.ConvID) + ": " + l.Content
				} else {
					have += ", " + l.Content
				}
				last = l.ConvID
			}
			if have = strings.TrimPrefix(have, "; "); have != c.want {
				t.Errorf("have %s, want %s", have, c.want)
			}
			if !slices.ContainsFunc(append(found, ""), func(s string) bool { return strings.HasPrefix(s, c.code) }) || c.code == "" && len(found) > 0 {
				t.Errorf("findings %q, want %q", found, c.code)
			}
		})
	}
}

// TestRenamedAccount: who has another name in a later export is the same person, also in a project that is there.
func TestRenamedAccount(t *testing.T) {
	export := func(name string, n int) string {
		var list []obj
		for i := range n {
			list = append(list, obj{"id": i, "type": "message", "date_unixtime": fmt.Sprint(1767261600 + 60*i), "from": []string{name, "Bo"}[i%2], "from_id": fmt.Sprint("user", i%2), "text": fmt.Sprint("text ", i)})
		}
		return put(t, "x", map[string]string{"result.json": toJSON(obj{"name": "X", "type": "personal_chat", "id": 12, "messages": list})})
	}
	old, later := export("Ana", 4), export("Ana Ruiz", 6)
	dir := t.TempDir()
	p, both, _ := project(t, InitOptions{Paths: []string{old, later}, Dir: dir})
	if text, err := os.ReadFile(p.Config); err != nil || !strings.Contains(string(text), "scope: project\n") {
		t.Errorf("two exports of one program: %v\n%s", err, text)
	}
	_, _, _ = project(t, InitOptions{Paths: []string{old}, Dir: dir, Force: true})
	_, added, _ := project(t, InitOptions{Paths: []string{later}, Dir: dir, Add: true})
	for what, lines := range map[string][]line{"both": both, "added": added} {
		if len(lines) != 6 || slices.ContainsFunc(lines, func(l line) bool { return l.Name != "Ana" && l.Name != "Bo" }) {
			t.Errorf("%s: %+v", what, lines)
		}
	}
}

// TestReplies: a reply names its message and has its words, also where that is later in the file, or in the earlier of two exports; not those of another chat.
func TestReplies(t *testing.T) {
	var list []string
	for _, m := range []string{`1,"unix":10,"text":"tea?"`, `2,"unix":30,"text":"no","reply_to_message_id":3`, `3,"unix":20,"text":"coffee?"`, `4,"unix":40,"text":"ok","reply_to_message_id":1`, `5,"unix":50,"text":"hm","reply_to_message_id":1,"reply_to_peer_id":"user9"`, `6,"unix":60,"text":"gone","reply_to_message_id":99`} {
		list = append(list, `{"type":"message","from":"Ana","from_id":"user1","id":`+strings.NewReplacer(`"unix":`, `"date_unixtime":"17672616`, `,"text"`, `","text"`).Replace(m)+"}")
	}
	export := func(list []string) string {
		return put(t, "x", map[string]string{"result.json": `{"name":"X","type":"personal_chat","id":12,"messages":[` + strings.Join(list, ",") + `]}`})
	}
	for what, paths := range map[string][]string{"one export": {export(list)}, "two": {export(list[:3]), export(list[1:])}} {
		_, lines, _ := project(t, InitOptions{Paths: paths, Dir: t.TempDir()})
		have := ""
		for _, l := range lines {
			have += l.MessageID + ">" + l.ReplyTo + " " + l.Quote + "; "
		}
		if want := "1> ; 3> ; 2>3 coffee?; 4>1 tea?; 5> ; 6>99 ; "; have != want {
			t.Errorf("%s: have %s, want %s", what, have, want)
		}
	}
}

// TestReplacing: a project that is written over says what is lost, and refuses what the chain would refuse.
func TestReplacing(t *testing.T) {
	dir := t.TempDir()
	old, later := put(t, "x", map[string]string{"a.txt": dated("1 Ana: one", "2 Bo: two", "3 Bo: three")}), put(t, "x", map[string]string{"a.txt": dated("2 Bo: two", "3 Bo: three", "4 Bo: four")})
	project(t, InitOptions{Paths: []string{old}, Dir: dir})
	if _, lines, found := project(t, InitOptions{Paths: []string{later}, Dir: dir, Force: true}); len(lines) != 3 || len(found) != 1 || found[0] != codeReplaced+" messages of the replaced project that no export has: 1" {
		t.Errorf("%d lines, findings %q", len(lines), found)
	}
	other := put(t, "x", map[string]string{"c.txt": dated("1 Ana: other", "2 Bo: words")})
	if _, lines, found := project(t, InitOptions{Paths: []string{other}, Dir: dir, Force: true}); len(lines) != 5 || len(found) != 1 || !strings.Contains(found[0], "it stays and is read, too") {
		t.Errorf("%d lines, findings %q", len(lines), found)
	}
	same := put(t, "x.zip", map[string]string{"a.txt": dated("1 Ana: one", "2 Bo: two")})
	for _, o := range []InitOptions{{Paths: []string{same}, Dir: dir, Force: true}, {Paths: []string{old}, Dir: dir, Force: true, Add: true}, {Paths: []string{old}, Dir: t.TempDir(), Add: true}, {Paths: []string{old}, Dir: dir, Me: "Ana", Add: true}} {
		_, err := Init(t.Context(), o)
		if usage := (*schema.UsageError)(nil); !errors.As(err, &usage) {
			t.Errorf("%+v: %v, want a usage error", o, err)
		}
	}
	// What a person wrote into a line stays with it.
	at := filepath.Join(dir, "source", "a.jsonl")
	mine := `{"conv_id":"whatsapp-a","role":"user","name":"Ana","content":"note","marker":"INJECT"}` + "\n"
	if err := os.WriteFile(at, []byte(mine), 0o666); err != nil {
		t.Fatal(err)
	}
	project(t, InitOptions{Paths: []string{old}, Dir: dir, Add: true})
	if text, err := os.ReadFile(at); err != nil || !strings.HasPrefix(string(text), mine) {
		t.Errorf("%v\n%s", err, text)
	}
	if err := os.WriteFile(at, []byte("not JSON\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	_, err := Init(t.Context(), InitOptions{Paths: []string{old}, Dir: dir, Add: true})
	if usage := (*schema.UsageError)(nil); !errors.As(err, &usage) || !strings.Contains(err.Error(), "a.jsonl:1") {
		t.Errorf("a line that is none: %v", err)
	}
}

// TestTimeOrder: messages are sorted by time, and steps back are a finding, but for the newest first. An hour that comes twice is in the order of the file.
func TestTimeOrder(t *testing.T) {
	for _, c := range []struct{ name, text, want, code string }{
		{"a step back", dated("3 A: c", "1 A: a", "2 B: b"), "a b c", codeOrder},
		{"in order", dated("1 A: a", "2 A: b", "2 B: c"), "a b c", ""},
		{"the newest first", dated("3 A: c", "2 A: b", "1 B: a"), "a b c", ""},
		{"clocks put back", "2026-10-25, 02:50 - A: a\n2026-10-25, 02:10 - B: b\n2026-10-25, 02:40 - A: c\n2026-10-25, 03:01 - A: d\n", "a b c d", ""},
		{"years apart", "2026-10-25, 02:50 - A: b\n2014-10-25, 02:10 - B: a\n2026-10-26, 02:40 - A: c\n", "a b c", codeUnlikely},
	} {
		berlin, err := time.LoadLocation("Europe/Berlin")
		if err != nil {
			t.Fatal(err)
		}
		codes := ""
		lines, _ := readAll(t, put(t, "x", map[string]string{"a.txt": c.text}), Options{Zone: berlin, Report: func(f *schema.Finding) { codes += f.Code }})
		if have := strings.Join(texts(lines), " "); have != c.want || !strings.Contains(codes, c.code) || c.code == "" && codes != "" {
			t.Errorf("%s: have %s, findings %q, want %s, %q", c.name, have, codes, c.want, c.code)
		}
		if !slices.IsSortedFunc(lines, func(a, b line) int {
			x, _ := time.Parse(time.RFC3339, a.Timestamp)
			y, _ := time.Parse(time.RFC3339, b.Timestamp)
			return cmp.Compare(x.Unix(), y.Unix())
		}) {
			t.Errorf("%s: times are not in order: %+v", c.name, lines)
		}
	}
}
