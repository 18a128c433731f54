package annotate

import (
	"strings"
	"testing"
	"time"

	"membench/schema"
)

func showMeta(t *testing.T, s Source, o Options) string {
	t.Helper()
	var b strings.Builder
	for r, err := range Annotate(t.Context(), s, o) {
		if err != nil {
			t.Fatal(err)
		}
		meta, _ := r.V.Meta.Without("speech_mode", "source_path", "by").MarshalJSON()
		b.WriteString(r.V.RoleType + " " + r.V.RoleName + " " + r.V.Content + " " + string(meta) + "\n")
	}
	return b.String()
}

func TestChat(t *testing.T) {
	text := strings.Join([]string{
		`{"role":"user","content":"hi there","timestamp":"2026-03-01T20:00:00+08:00","name":"Wei","conv_id":"a"}`,
		``,
		`{"role":"assistant","content":"你好","conv_id":"b","session_id":3,"mood":"好","n":1.50}`,
		`{"role":"assistant","content":"see","conv_id":"a","timestamp":1772366400,"attachments":["http://x/y.png",{"type":"image","url":"data:image/png;base64,AAAA","caption":"a cat"}]}`,
		`{"role":"user","content":"what do I drink?","conv_id":"a","probe_id":"p_9","expects":["i_1"],"gold":"tea"}`,
		`{"role":"user","content":"I drink tea","conv_id":"a","marker":"inject"}`,
	}, "\n")
	srcs, fs := parse(t, "x/log.jsonl", text, Options{})
	if len(srcs) != 2 || srcs[0].ConvID != "a" || srcs[1].ConvID != "b" {
		t.Fatalf("have %+v %v", srcs, fs)
	}
	want := `human Wei hi there {"start_line":1,"end_line":1,"time":"2026-03-01T20:00:00+08:00"}
assistant assistant see {"start_line":4,"end_line":4,"time":"2026-03-01T12:00:00Z","attachments":[{"type":"file","url":"http://x/y.png"},{"type":"image","url":"data:image/png;sha256=63c1dd951ffedf6f7fd968ad4efa39b8ed584f162f46e715114ee184f8de9201","text":"a cat"}]}
human user what do I drink? {"start_line":5,"end_line":5,"marker":"PROBE","probe_id":"p_9","expects":["i_1"],"gold":"tea"}
human user I drink tea {"start_line":6,"end_line":6,"marker":"INJECT","inject_id":"i_a_001"}
`
	if got := showMeta(t, srcs[0], Options{}); got != want {
		t.Errorf("have\n%swant\n%s", got, want)
	}
	want = `assistant assistant 你好 {"start_line":3,"end_line":3,"session_id":"3","mood":"好","n":1.50}` + "\n"
	if got := showMeta(t, srcs[1], Options{}); got != want {
		t.Errorf("have\n%swant\n%s", got, want)
	}
	if got := findings(fs); got != "4:0 SRC012 true\n" {
		t.Errorf("findings %s", got)
	}
}

func TestChatFaults(t *testing.T) {
	for name, tc := range map[string]struct {
		line, want, faults string
		o                  Options
	}{
		"not JSON":            {line: `{"role":"user","content":`, faults: "1:26 JSON001 false\n"},
		"wrong type":          {line: `{"role":5,"content":"x"}`, faults: "1:9 JSON002 false\n"},
		"no text":             {line: `{"role":"user","content":"  "}`, faults: "1:0 SRC006 false\n"},
		"content of a number": {line: `{"role":"user","content":5}`, faults: "1:0 SRC010 false\n"},
		"unknown role":        {line: `{"role":"narrator","content":"x"}`, want: "1 ui uncertain \"x\"\n", faults: "1:0 SRC007 true\n"},
		"no role":             {line: `{"content":"x"}`, want: "1 ui uncertain \"x\"\n", faults: "1:0 SRC007 true\n"},
		"role is a name":      {line: `{"role":"林","content":"x"}`, want: "1 assistant=林 \"x\"\n", o: rawOptions},
		"name without role":   {line: `{"name":"我","content":"x"}`, want: "1 human=我 \"x\"\n", o: rawOptions},
		"bad time":            {line: `{"role":"user","content":"x","timestamp":"soonish"}`, want: "1 human \"x\"\n", faults: "1:0 SRC011 true\n"},
		"bad marker":          {line: `{"role":"user","content":"x","marker":"Y"}`, want: "1 human \"x\"\n", faults: "1:0 SRC005 false\n"},
		"taken member":        {line: `{"role":"user","content":"x","by":"me"}`, want: "1 human \"x\"\n", faults: "1:0 SRC015 true\n"},
		"bad attachment":      {line: `{"role":"user","content":"x","attachments":[5]}`, faults: "1:0 SRC010 false\n"},
		"twice a member":      {line: `{"role":"user","role":"user","content":"x"}`, faults: "1:16 JSON001 false\n"},
		"lone surrogate":      {line: `{"role":"user","content":"\ud800"}`, faults: "1:26 JSON001 false\n"},
		"only an image":       {line: `{"role":"user","content":"","attachments":[{"type":"image","url":"u"}]}`, want: "1 human \"[image]\"\n"},
		"an action":           {line: `{"role":"user","content":"（点击）"}`, want: "1 ui (click) \"（点击）\"\n"},
		"system":              {line: `{"role":"system","content":"be kind"}`, want: "1 ui=system \"be kind\"\n"},
		"millis":              {line: `{"role":"ai","content":"x","timestamp":"1772366400123"}`, want: "1 assistant \"x\"\n"},
	} {
		t.Run(name, func(t *testing.T) {
			srcs, fs := parse(t, "log.jsonl", tc.line+"\n"+`{"role":"user","content":"the rest goes on"}`, tc.o)
			want := tc.want + "2 human \"the rest goes on\"\n"
			if len(srcs) != 1 || show(srcs[0]) != want {
				t.Errorf("have %+v, want %s", srcs, want)
			}
			if got := findings(fs); got != tc.faults && !(strings.Contains(tc.faults, "JSON001") && strings.HasPrefix(got, "1:") && strings.HasSuffix(got, "JSON001 false\n")) {
				t.Errorf("findings: have %swant %s%v", got, tc.faults, fs)
			}
		})
	}
}

func TestMessages(t *testing.T) {
	text := `{
  "id": "conv-7",
  "messages": [
    {"role": "system", "content": "Be brief."},
    {"role": "user", "content": [
      {"type": "text", "text": "What is"},
      {"type": "image_url", "image_url": {"url": "https://x/cat.png"}},
      {"type": "text", "text": "this?"},
      {"type": "hologram"}
    ]},
    {"role": "assistant", "content": null, "tool_calls": [{"id": "c1", "type": "function", "function": {"name": "look", "arguments": "{\"a\":1}"}}]},
    {"role": "tool", "tool_call_id": "c1", "content": "a cat"},
    {"role": "assistant", "content": "A cat."}, 7,
    {"role": "user", "content": [{"type": "input_audio", "input_audio": {"data": "AAAA", "format": "wav"}}]}
  ]
}`
	srcs, fs := parse(t, "x.json", text, Options{})
	if len(srcs) != 1 || srcs[0].ConvID != "conv-7" {
		t.Fatalf("have %+v %v", srcs, fs)
	}
	want := `4 ui=system "Be brief."
5-10 human "What is\nthis?"
11 tool=look "look({\"a\":1})"
12 tool=look "a cat"
13 assistant "A cat."
14 human "[audio]"
`
	if got := show(srcs[0]); got != want {
		t.Errorf("have\n%swant\n%s", got, want)
	}
	if got, want := findings(fs), "5:0 SRC012 true\n13:1 JSON002 false\n14:0 SRC012 true\n"; got != want {
		t.Errorf("findings: have\n%swant\n%s%v", got, want, fs)
	}
	if a := srcs[0].Turns[1].Attachments; len(a) != 2 || a[0].URL != "https://x/cat.png" || a[1].Type != "hologram" {
		t.Errorf("attachments %+v", a)
	}

	for name, tc := range map[string]struct{ file, text, convs string }{
		"array":            {"a.json", `[{"role":"user","content":"x"}]`, "a:1"},
		"no extension":     {"a", `[ {"role":"user","content":"x"}]`, "a:1"},
		"array of objects": {"a.json", `[{"messages":[{"role":"user","content":"x"}]},{"id":"z","messages":[{"role":"user","content":"y"},{"role":"ai","content":"y"}]}]`, "a-1:1 z:2"},
		"lines of objects": {"a.jsonl", "{\"messages\":[{\"role\":\"user\",\"content\":\"x\"}]}\n{\"messages\":[{\"role\":\"user\",\"content\":\"y\"}]}", "a-1:1 a-2:1"},
		"BOM":              {"a.json", "\ufeff[{\"role\":\"user\",\"content\":\"x\"}]", "a:1"},
		"json of lines":    {"a.json", "{\"role\":\"user\",\"content\":\"x\"}\n{\"role\":\"ai\",\"content\":\"y\"}", "a:2"},
	} {
		srcs, fs := parse(t, tc.file, tc.text, Options{})
		var got []string
		for _, s := range srcs {
			got = append(got, string(s.ConvID)+":"+itoa(len(s.Turns)))
		}
		if strings.Join(got, " ") != tc.convs {
			t.Errorf("%s: have %v, want %s (%v)", name, got, tc.convs, fs)
		}
	}

	_, fs = parse(t, "a.json", "[\n {\"role\": \"user\",\n  \"content\": \"x\"},\n oops]", Options{})
	if len(fs) == 0 || fs[0].Code != "JSON001" || fs[0].Pos.Line != 4 {
		t.Errorf("broken JSON: have %v, want JSON001 at line 4", fs)
	}
}

// TestReplies: what a line answers is a turn of its conversation, wherever it is; ids of other conversations and of no message are none.
func TestReplies(t *testing.T) {
	srcs, fs := parse(t, "a.jsonl", strings.Join([]string{
		`{"role":"user","content":"yes","conv_id":"a","reply_to":7,"message_id":"x"}`,
		`{"role":"user","content":"other","conv_id":"b","message_id":9,"reply_to":"x"}`,
		`{"role":"user","content":"tea?","conv_id":"a","message_id":"7","reply_to":9}`,
		`{"role":"user","content":"well","conv_id":"a","reply_to":"x"}`,
		`{"role":"user","content":"me","conv_id":"a","message_id":"y","reply_to":"y"}`,
		`{"role":"user","content":"odd","conv_id":"a","message_id":{},"reply_to":[7]}`,
	}, "\n"), Options{})
	if len(srcs) != 2 || len(fs) != 0 {
		t.Fatalf("have %+v %v", srcs, fs)
	}
	have := ""
	for r, err := range Annotate(t.Context(), srcs[0], Options{}) {
		if err != nil {
			t.Fatal(err)
		}
		m, _ := r.V.ReadMeta()
		have += itoa(m.ReplyTo)
	}
	if have != "20100" || srcs[1].Turns[0].ReplyTo != 0 {
		t.Errorf("have %s and %d, want 20100 and 0", have, srcs[1].Turns[0].ReplyTo)
	}
}

func itoa(n int) string { return string(rune('0' + n)) }

func TestTimesAndIdentity(t *testing.T) {
	src := func(s Source) Source {
		s.ConvID = "c"
		s.Turns = []Utterance{{Role: schema.RoleHuman, Text: "a b c d", First: 1, Last: 1}, {Role: schema.RoleAssistant, Text: "e f g h", First: 2, Last: 2, Time: "2020-01-01T00:00:00Z"}, {Role: schema.RoleHuman, Text: "x", First: 3, Last: 3}}
		return s
	}
	at := func(s string) Options {
		tm, err := ParseTime(s, time.UTC)
		if err != nil {
			t.Fatal(err)
		}
		return Options{Start: tm}
	}
	times := func(s Source, o Options) string {
		var out []string
		for r := range Annotate(t.Context(), s, o) {
			out = append(out, r.V.Meta.Text("time"))
		}
		return strings.Join(out, " ")
	}
	if got := times(src(Source{}), Options{}); got != " 2020-01-01T00:00:00Z " {
		t.Errorf("no start: have %q, want no invented times", got)
	}
	if got, want := times(src(Source{}), at("2026-03-01T20:00:00+08:00")), "2026-03-01T20:00:00+08:00 2020-01-01T00:00:00Z 2026-03-01T20:02:00+08:00"; got != want {
		t.Errorf("have %q, want %q", got, want)
	}
	o := at("2026-03-01T20:00:00Z")
	own := Source{Start: at("2027-01-01").Start}
	if got := times(src(own), o); !strings.HasPrefix(got, "2027-01-01T00:00:00Z") {
		t.Errorf("the source's own start: have %q", got)
	}
	o.Conversations = map[schema.ConvID]Conversation{"c": {Start: at("2028-01-01").Start, SceneID: "s", UserID: "u"}}
	if got := times(src(own), o); !strings.HasPrefix(got, "2028-01-01T00:00:00Z") {
		t.Errorf("a conversation's start: have %q", got)
	}
	o.CharacterNames, o.AgentID = []string{"Lin", "L"}, "ag"
	for r := range Annotate(t.Context(), src(Source{SceneID: "no", CharacterID: "lin"}), o) {
		e := r.V
		m, _ := e.ReadMeta()
		if e.SceneID != "s" || e.CharacterID != "lin" || m.UserID != "u" || m.AgentID != "ag" || e.RoleType == schema.RoleAssistant && e.RoleName != "Lin" || e.RoleType == schema.RoleHuman && e.RoleName != "u" {
			t.Errorf("have %+v %+v", e, m)
		}
	}
}

func TestQualityGates(t *testing.T) {
	for _, tc := range []struct {
		tags string
		code string
	}{{"ccc", codeAllCanon}, {"cccce", codeFewEpisodic}, {"cce", ""}, {"pp", ""}, {"cp", codeAllCanon}, {"f", ""}} {
		var g gates
		for _, c := range tc.tags {
			g.add(map[rune]string{'c': schema.TagCanon, 'e': schema.TagEpisodic, 'f': schema.TagFiller, 'p': schema.TagProbe}[c])
		}
		code := ""
		if f := g.finding(Source{}); f != nil {
			code = f.Code
		}
		if code != tc.code {
			t.Errorf("%s: have %q, want %q", tc.tags, code, tc.code)
		}
	}
}

func FuzzChat(f *testing.F) {
	f.Add(`{"role":"user","content":[{"type":"text","text":"x"},"y"],"timestamp":1e9,"attachments":["data:a,b"]}` + "\n" + `{"messages":[{"role":"tool"}]}`)
	f.Fuzz(func(t *testing.T, text string) { checkSources(t, "a.jsonl", text, rawOptions) })
}

func FuzzMessages(f *testing.F) {
	f.Add(`{"messages":[{"role":"user","content":"x"},{"messages":[]},[1,{}]],"id":5}`)
	f.Add("[\r{\"role\":\"ai\",\"tool_calls\":[{\"function\":{\"name\":\"f\"}}]}]")
	f.Fuzz(func(t *testing.T, text string) { checkSources(t, "a.json", text, rawOptions) })
}

func FuzzDetect(f *testing.F) {
	f.Add("[S] x")
	f.Fuzz(func(t *testing.T, text string) { checkSources(t, "a", text, rawOptions) })
}

func TestSourcePath(t *testing.T) {
	for _, tc := range [][3]string{{"a/b/c.md", "a", "b/c.md"}, {"a/b/../c.md", "", "a/c.md"}, {"-", "x", "stdin"}, {"a/c.md", "b", "../a/c.md"}} {
		if got := SourcePath(tc[0], tc[1]); got != tc[2] {
			t.Errorf("%v: have %s", tc, got)
		}
	}
	dir := t.TempDir()
	if got := SourcePath(dir+"/x.md", dir); got != "x.md" {
		t.Errorf("have %s", got)
	}
}

// A time without an offset is in the zone of the start that is set for its source; seconds since 1970 are in none.
func TestZoneOfTheSource(t *testing.T) {
	east := time.Date(2026, 3, 1, 20, 0, 0, 0, time.FixedZone("", 8*3600))
	o := Options{Start: east, Conversations: map[schema.ConvID]Conversation{"utc": {Start: east.UTC()}}}
	for _, tt := range []struct{ conv, time, want string }{
		{"a", "2026-03-05", "2026-03-05T00:00:00+08:00"}, {"a", "2026/03/05 07:30", "2026-03-05T07:30:00+08:00"},
		{"a", "2026-03-05T07:30:00Z", "2026-03-05T07:30:00Z"}, {"a", "2026", "1970-01-01T00:33:46Z"}, {"utc", "2026-03-05", "2026-03-05T00:00:00Z"},
		{"a", "2026-02-30", ""},
	} {
		p := &parser{o: o}
		if have := p.time(schema.Pos{}, "", scalar(tt.time), o.zone(schema.ConvID(tt.conv))); have != tt.want || (tt.want == "") != (len(p.findings) == 1) {
			t.Errorf("%s in %s: have %q with %d findings, want %q", tt.time, tt.conv, have, len(p.findings), tt.want)
		}
	}
}

// TestZoneNames: the names that RFC 822 has are offsets; another name is no time.
func TestZoneNames(t *testing.T) {
	for s, want := range map[string]string{
		"Tue, 25 Mar 2025 10:00:00 EST": "2025-03-25T10:00:00-05:00", "Tue, 25 Mar 2025 10:00:00 PDT": "2025-03-25T10:00:00-07:00",
		"Tue, 25 Mar 2025 10:00:00 GMT": "2025-03-25T10:00:00Z", "Tue, 25 Mar 2025 10:00:00 -0500": "2025-03-25T10:00:00-05:00", "Tue, 25 Mar 2025 10:00:00 XYZ": "",
	} {
		at, err := ParseTime(s, time.FixedZone("", 3600))
		if err == nil != (want != "") || err == nil && at.Format(time.RFC3339) != want {
			t.Errorf("%s: got %v, %v, want %s", s, at, err, want)
		}
	}
}
