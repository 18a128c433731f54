package annotate

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"membench/internal/exttest"
	"membench/internal/textnorm"
	"membench/schema"
)

// parse reads a text and splits sources from findings.
func parse(t testing.TB, name, text string, o Options) ([]Source, []*schema.Finding) {
	t.Helper()
	var srcs []Source
	var fs []*schema.Finding
	for s, err := range Parse(strings.NewReader(text), name, o) {
		if err == nil {
			srcs = append(srcs, s)
			continue
		}
		f, ok := err.(*schema.Finding)
		if !ok {
			t.Fatal(err)
		}
		fs = append(fs, f)
	}
	return srcs, fs
}

// show writes turns one a line: first-last role/name/mode marker text.
func show(s Source) string {
	var b strings.Builder
	for _, u := range s.Turns {
		fmt.Fprintf(&b, "%d", u.First)
		if u.Last != u.First {
			fmt.Fprintf(&b, "-%d", u.Last)
		}
		fmt.Fprintf(&b, " %s", u.Role)
		if u.Name != "" {
			fmt.Fprintf(&b, "=%s", u.Name)
		}
		if u.Mode == modeMonologue {
			b.WriteString(" mono")
		}
		if u.Uncertain {
			b.WriteString(" uncertain")
		}
		if u.Marker != "" {
			fmt.Fprintf(&b, " %s", u.MarkerID)
			if u.Expects != nil {
				fmt.Fprintf(&b, " <- %s", strings.Join(u.Expects, ","))
			}
			if u.Gold != "" {
				fmt.Fprintf(&b, " = %s", u.Gold)
			}
		}
		if u.UIAction != "" {
			fmt.Fprintf(&b, " (%s)", u.UIAction)
		}
		fmt.Fprintf(&b, " %q\n", u.Text)
	}
	return b.String()
}

func findings(fs []*schema.Finding) string {
	var b strings.Builder
	for _, f := range fs {
		fmt.Fprintf(&b, "%d:%d %s %v\n", f.Pos.Line, f.Pos.Col, f.Code, f.Warning)
	}
	return b.String()
}

func fence(body string) string { return "# ch05 a title\n\n```text\n" + body + "```\n" }

func TestNorm(t *testing.T) {
	head := "@scene: study\n@character: lin\n@source_type: mixed\n\n"
	for name, tc := range map[string]struct{ text, want, faults string }{
		"every marker": {fence(head + "[S] 你好\n[S|MONO] 一个人\n[U] hi \n[UI] （点击互动）\n[INJECT][U] fact\n[PROBE][S] q?\n"), `8 assistant "你好"
9 assistant mono "一个人"
10 human "hi"
11 ui (click) "（点击互动）"
12 human i_ch05_001 "fact"
13 assistant p_ch05_001 "q?"
`, ""},
		"ids, expects, gold; used numbers are skipped": {fence(head + "[INJECT i_ch05_001][U] tea\n[INJECT][U] cup\n[PROBE][U] bare?\n[PROBE p_ch05_001 <- i_ch05_001, i_ch05_002 = green tea \\] a=b][U] which?\n[PROBE <- claim:x][U] c?\n[PROBE = just gold][U] g?\n"),
			`8 human i_ch05_001 "tea"
9 human i_ch05_002 "cup"
10 human p_ch05_002 "bare?"
11 human p_ch05_001 <- i_ch05_001,i_ch05_002 = green tea ] a=b "which?"
12 human p_ch05_003 <- claim:x "c?"
13 human p_ch05_004 = just gold "g?"
`, ""},
		"a marker without a speaker is the user's": {fence("[INJECT] call me Xi\n[PROBE] who?\n"), "4 human i_ch05_001 \"call me Xi\"\n5 human p_ch05_001 \"who?\"\n", ""},
		"text may start with a bracket":            {fence("[U] [smiles] hello\n[S][x] y\n"), "4 human \"[smiles] hello\"\n5 assistant \"[x] y\"\n", ""},
		"unknown marker and stray text are kept":   {fence("[X] what\nno marker\n[U]\n[S] fine\n"), "4 ui uncertain \"[X] what\"\n5 ui uncertain \"no marker\"\n7 assistant \"fine\"\n", "4:1 SRC005 false\n5:1 SRC007 true\n6:4 SRC006 false\n"},
		"a bracket that never ends":                {fence("[INJECT i_1\n[PROBE p <- [U] x\n"), "4 ui uncertain \"[INJECT i_1\"\n5 human p <- [U \"x\"\n", "4:1 SRC005 false\n"},
		"an id used twice":                         {fence("[PROBE p_1][U] a\n[PROBE p_1][U] b\n"), "4 human p_1 \"a\"\n5 human p_ch05_001 \"b\"\n", "5:1 SRC009 false\n"},
		"an inject that is not there":              {fence("[PROBE <- i_ch05_007][U] a\n"), "4 human p_ch05_001 <- i_ch05_007 \"a\"\n", "4:1 SRC009 false\n"},
		"headers": {fence("@scene: a\n@scene: b\n@mood: x\n@user:\n@time: soon\n\n[U] x\n@agent: late\n"), "10 human \"x\"\n",
			"5:1 SRC004 false\n6:1 SRC004 true\n7:1 SRC004 false\n8:1 SRC011 true\n11:1 SRC004 false\n"},
		"stray text outside the fence": {"# t\nbefore\n```text\n[U] x\n```\nafter\n", "4 human \"x\"\n", "2:1 SRC003 false\n6:1 SRC003 false\n"},
		"fence not closed":             {"# t\n```text\n[U] x\n", "3 human \"x\"\n", "3:0 SRC002 true\n"},
		"no fence, BOM, CRLF":          {"\ufeff# t\r\n@scene: a\r\n\r\n[U] x\r\n[S] y\r\n", "4 human \"x\"\n5 assistant \"y\"\n", "2:0 SRC002 true\n"},
		"lone CR":                      {"```text\r[U] x\r[S] y\r```\r", "2 human \"x\"\n3 assistant \"y\"\n", ""},
		"not UTF-8":                    {fence("[U] a\xffb\n"), "4 human \"a\ufffdb\"\n", "4:6 SRC001 false\n"},
		"an inject expects nothing":    {fence("[INJECT a <- b = c][U] x\n[PROBE a b][U] y\n[PROBE p <- ][U] z\n"), "4 human a \"x\"\n5 human p_ch05_001 \"y\"\n6 human p \"z\"\n", "4:1 SRC005 false\n5:1 SRC005 false\n6:1 SRC005 false\n"},
	} {
		t.Run(name, func(t *testing.T) {
			srcs, fs := parse(t, "d/ch05_x.norm.md", tc.text, Options{})
			if len(srcs) != 1 {
				t.Fatalf("have %d sources (%v)", len(srcs), fs)
			}
			if got := show(srcs[0]); got != tc.want {
				t.Errorf("turns: have\n%swant\n%s", got, tc.want)
			}
			if got := findings(fs); got != tc.faults {
				t.Errorf("findings: have\n%swant\n%s%v", got, tc.faults, fs)
			}
		})
	}
}

func TestNormHeaders(t *testing.T) {
	srcs, _ := parse(t, "a/ch05_x.norm.md", fence("@scene：study\n@character: lin\n@source_type: mixed\n@conv_id: special\n@time: 2026-03-01 20:00\n@user: wei\n@agent: bot\n[PROBE] x\n"), Options{Root: "a"})
	s := srcs[0]
	if s.SceneID != "study" || s.CharacterID != "lin" || s.SourceType != "mixed" || s.ConvID != "special" || s.UserID != "wei" || s.AgentID != "bot" || s.Path != "ch05_x.norm.md" || s.Start.Hour() != 20 {
		t.Errorf("have %+v", s)
	}
	if s.Turns[0].MarkerID != "p_special_001" {
		t.Errorf("have %s, want the id of @conv_id", s.Turns[0].MarkerID)
	}
}

var rawOptions = Options{CharacterNames: []string{"林夏", "林", "Lin"}, UserNames: []string{"我", "Wei"}, MonologueSuffixes: []string{"独白", " (mono)"}}

func TestRaw(t *testing.T) {
	for name, tc := range map[string]struct {
		o                  Options
		text, want, faults string
	}{
		"labels of either colon, continuation, action, alone": {rawOptions, fence("林夏：你好\n继续\n\n我: 早\n\n林:\n第一句\n第二句\n\n我：(点击互动)\n林夏独白：\n想一想\nWei: time is 10:30, see http://x\n"), `4 assistant "你好"
5 assistant "继续"
7 human "早"
10 assistant "第一句"
11 assistant "第二句"
13 ui (click) "(点击互动)"
15 assistant mono "想一想"
16 human "time is 10:30, see http://x"
`, ""},
		"a colon inside a line is no label": {rawOptions, fence("林：我说\n注意：这不是标签\n10:30 到了\nhttp://a.b\n"), "4 assistant \"我说\"\n5 assistant \"注意：这不是标签\"\n6 assistant \"10:30 到了\"\n7 assistant \"http://a.b\"\n", ""},
		"an unknown speaker":                {rawOptions, fence("林：hi\n\n王五：谁\n接着\n\n我：哦\n"), "4 assistant \"hi\"\n6 ui uncertain \"王五：谁\"\n7 ui uncertain \"接着\"\n9 human \"哦\"\n", "6:1 SRC007 true\n"},
		"no label at all":                   {rawOptions, fence("今天不行\n唉\n"), "4 assistant mono \"今天不行\"\n5 assistant mono \"唉\"\n", "4:1 SRC008 true\n"},
		"a line before the first label":     {rawOptions, fence("谁在说\n林：我\n"), "4 ui uncertain \"谁在说\"\n5 assistant \"我\"\n", "4:1 SRC007 true\n"},
		"no names configured":               {Options{}, fence("林：hi\n我：yo\n"), "4 ui uncertain \"林：hi\"\n5 ui uncertain \"我：yo\"\n", "4:1 SRC007 true\n5:1 SRC007 true\n"},
	} {
		t.Run(name, func(t *testing.T) {
			srcs, fs := parse(t, "ch05_x.md", tc.text, tc.o)
			if len(srcs) != 1 {
				t.Fatalf("have %d sources (%v)", len(srcs), fs)
			}
			if got := show(srcs[0]); got != tc.want {
				t.Errorf("turns: have\n%swant\n%s", got, tc.want)
			}
			if got := findings(fs); got != tc.faults {
				t.Errorf("findings: have\n%swant\n%s%v", got, tc.faults, fs)
			}
		})
	}
}

func TestMergeLines(t *testing.T) {
	o := rawOptions
	o.MergeLines = true
	srcs, _ := parse(t, "ch05_x.md", fence("林：a\nb\n\nc\n林：d\n我：(x)\ne\n"), o)
	if got, want := show(srcs[0]), "4-5 assistant \"a\\nb\"\n7 assistant \"c\"\n8 assistant \"d\"\n9 ui \"(x)\"\n10 human \"e\"\n"; got != want {
		t.Errorf("have\n%swant\n%s", got, want)
	}
	srcs, _ = parse(t, "ch05_x.norm.md", fence("[S] a\n[S] b\n[S|MONO] c\n[PROBE][U] d\n[U] e\n[UI] f\n[UI] g\n"), o)
	if got, want := show(srcs[0]), "4-5 assistant \"a\\nb\"\n6 assistant mono \"c\"\n7 human p_ch05_001 \"d\"\n8 human \"e\"\n9 ui \"f\"\n10 ui \"g\"\n"; got != want {
		t.Errorf("have\n%swant\n%s", got, want)
	}
}

func TestEmptySources(t *testing.T) {
	for _, name := range []string{"ch05_x.norm.md", "ch05_x.md", "a.jsonl", "a.json", "a"} {
		srcs, fs := parse(t, name, "", Options{})
		if len(srcs) != 0 || len(fs) == 0 {
			t.Errorf("%s: have %d sources, findings %v", name, len(srcs), fs)
		}
	}
}

// Every line of the real chapters becomes exactly one event whose span, read again,
// gives its content.
func TestRealChapters(t *testing.T) {
	files, _ := filepath.Glob(filepath.Join(exttest.Shared(t, "data/memory_bench/source/norm"), "data/memory_bench/source/norm/*.norm.md"))
	if len(files) != 15 {
		t.Fatalf("have %d norm chapters, want 15", len(files))
	}
	count := map[string]int{}
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		srcs, fs := parse(t, name, string(text), Options{})
		if len(srcs) != 1 || len(fs) != 0 {
			t.Fatalf("%s: %d sources, %v", name, len(srcs), fs)
		}
		lines := strings.Split(string(text), "\n")
		seen := map[int]bool{}
		for r, err := range Annotate(t.Context(), srcs[0], Options{Root: filepath.Dir(name)}) {
			if err != nil {
				t.Fatal(err)
			}
			m, err := r.V.ReadMeta()
			if err != nil {
				t.Fatal(err)
			}
			if m.SourcePath != filepath.Base(name) && m.StartLine != m.EndLine || seen[m.StartLine] || r.V.TurnID != len(seen)+1 || len(r.V.Tags) != 1 {
				t.Errorf("%s: turn %d has span %d-%d, tags %v", name, r.V.TurnID, m.StartLine, m.EndLine, r.V.Tags)
			}
			seen[m.StartLine] = true
			line := lines[m.StartLine-1]
			i := strings.LastIndex(line[:strings.Index(line, " ")], "]")
			if mark, rest := line[:i+1], line[i+2:]; textnorm.WholeQuotes(unbroken(rest)) != r.V.Content {
				t.Errorf("%s:%d: content %q is not the line's text", name, m.StartLine, r.V.Content)
			} else {
				count[mark]++
			}
		}
		for i, l := range lines {
			if strings.HasPrefix(l, "[") && !seen[i+1] {
				t.Errorf("%s:%d became no event", name, i+1)
			}
		}
	}
	want := map[string]int{"[S|MONO]": 129, "[S]": 59, "[U]": 13, "[UI]": 1, "[INJECT][U]": 1, "[PROBE][U]": 2, "[PROBE][S]": 2}
	for k, n := range want {
		if count[k] != n {
			t.Errorf("%s: have %d events, want %d", k, count[k], n)
		}
	}
	raw, _ := filepath.Glob(filepath.Join(exttest.Shared(t, "data/memory_bench/source/raw"), "data/memory_bench/source/raw/*.md"))
	o := Options{CharacterNames: []string{"聪音", "聪"}, UserNames: []string{"我"}, MonologueSuffixes: []string{"独白"}}
	for _, name := range raw {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		srcs, fs := parse(t, name, string(text), o)
		if len(srcs) != 1 || slices.ContainsFunc(fs, func(f *schema.Finding) bool { return f.Code != codeLabels }) {
			t.Fatalf("%s: %d sources, %v", name, len(srcs), fs)
		}
		lines := strings.Split(string(text), "\n")
		at := 0
		for _, u := range srcs[0].Turns {
			if u.Uncertain || u.First <= at || !strings.HasSuffix(textnorm.WholeQuotes(unbroken(lines[u.First-1])), u.Text) {
				t.Errorf("%s:%d: turn %q does not match its line", name, u.First, u.Text)
			}
			at = u.First
		}
	}
}

// What belongs to Markdown or to a cut line is not said; usual marks of monologue need no option.
func TestSaid(t *testing.T) {
	text := fence("林夏：你好  \n林夏独白：“我来了\n林夏（心声）：好\\\n\n林夏旁边：嗯\n")
	srcs, fs := parse(t, "ch05_x.md", text, Options{CharacterNames: []string{"林夏"}})
	var have []string
	for _, u := range srcs[0].Turns {
		have = append(have, u.Mode+" "+u.Text)
	}
	want := []string{"dialogue 你好", "monologue 我来了", "monologue 好", " 林夏旁边：嗯"}
	if !slices.Equal(have, want) {
		t.Errorf("have %q, want %q", have, want)
	}
	hint := false
	for _, f := range fs {
		hint = hint || strings.Contains(f.Hint, `--monologue-suffix "旁边"`)
	}
	if !hint {
		t.Errorf("no finding names the option: %v", fs)
	}
	srcs, _ = parse(t, "ch05_x.norm.md", fence("[U] a  \n[U] 「b\n[S] c\\\n"), Options{})
	for i, want := range []string{"a", "b", "c"} {
		if have := srcs[0].Turns[i].Text; have != want {
			t.Errorf("turn %d: have %q, want %q", i, have, want)
		}
	}
	srcs, _ = parse(t, "ch05_x.norm.md", fence("[U] “a\n[U] b”\n"), Options{MergeLines: true})
	if srcs[0].Turns[0].Text != "“a\nb”" {
		t.Errorf("merged lines: have %q", srcs[0].Turns[0].Text)
	}
}

func FuzzNorm(f *testing.F) {
	f.Add(fence("@scene: a\n[U] x\n[PROBE p <- i, j = g \\] h][S|MONO] y\n[X] z\n"))
	f.Add("\ufeff[INJECT][U]\r\n\xff[")
	f.Fuzz(func(t *testing.T, text string) { checkSources(t, "ch05_x.norm.md", text, Options{}) })
}

func FuzzRaw(f *testing.F) {
	f.Add(fence("林：a\n\n王五: b\n(c)\n"))
	f.Add("我:\r\n：\n:\n\xe6")
	f.Fuzz(func(t *testing.T, text string) { checkSources(t, "ch05_x.md", text, rawOptions) })
}

// checkSources holds for any text: no panic, ids gap-free and unique, spans in the
// file and rising, texts not blank, events that decode.
func checkSources(t *testing.T, name, text string, o Options) {
	srcs, _ := parse(t, name, text, o)
	lines := strings.Count(text, "\n") + strings.Count(text, "\r") + 1
	for _, s := range srcs {
		ids := map[string]bool{}
		for r, err := range Annotate(t.Context(), s, o) {
			if err != nil {
				t.Fatal(err)
			}
			m, err := r.V.ReadMeta()
			if err != nil {
				t.Fatalf("%v: %s", err, text)
			}
			if m.StartLine < 1 || m.EndLine < m.StartLine || m.EndLine > lines || strings.TrimSpace(r.V.Content) == "" && strings.TrimSpace(text) == "" {
				t.Fatalf("bad turn %+v", r.V)
			}
			if id := m.ProbeID + m.InjectID; id != "" {
				if ids[id] {
					t.Fatalf("id %s twice", id)
				}
				ids[id] = true
			}
		}
	}
}

func BenchmarkNorm(b *testing.B) {
	text := fence("@scene: a\n" + strings.Repeat("[U] 我每天早上都喝一杯茶，你呢？\n[S] I usually have coffee, to be honest.\n", 2000))
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		for s, err := range Parse(strings.NewReader(text), "ch05_x.norm.md", Options{}) {
			if err != nil || len(s.Turns) != 4000 {
				b.Fatal(err)
			}
		}
	}
}

// A table that is given as a chapter is no monologue; verses and sentences with commas are.
func TestTableIsNoChapter(t *testing.T) {
	for text, is := range map[string]bool{
		"name;value\n1;2\n":                              true,
		"id,said\n1,hello\n2,\"well, yes\"\n":            true,
		"a\tb\tc\n1\t2\t3\n\n4\t5\t6\n":                  true,
		"She came home, tired.\nHe said nothing, too.\n": false,
		"雨停了，门开着。\n她走了，没有回头。\n":                          false,
		"one line; and no more\n":                        false,
		"a;b\nand then nothing\n":                        false,
	} {
		srcs, fs := parse(t, "ch01_x.md", text, Options{})
		if have := len(srcs) == 0 && slices.ContainsFunc(fs, func(f *schema.Finding) bool { return f.Code == codeFormat && !f.Warning }); have != is {
			t.Errorf("%q: taken for a table: %v, want %v\n%v", text, have, is, fs)
		}
	}
}

// A file of more turns than memory should hold is refused, with one finding.
func TestTooManyTurns(t *testing.T) {
	turns, faults := 0, 0
	for src, err := range Parse(strings.NewReader(strings.Repeat("a\n", MaxTurns+1)), "x.md", Options{}) {
		if turns += len(src.Turns); err != nil {
			faults++
		}
	}
	if turns != 0 || faults != 1 {
		t.Errorf("have %d turns and %d faults, want 0 and 1", turns, faults)
	}
}
