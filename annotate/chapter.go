package annotate

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"membench/internal/textnorm"
	"membench/schema"
	"membench/schema/jsonl"
)

// The norm form of a chapter. Headers and utterances are in a fence:
//
//	# ch07 title
//
//	```text
//	@scene: study_call
//	@character: lin
//	@source_type: mixed
//	@conv_id: ch07            optional: else from the file's name
//	@time: 2026-03-01T20:00:00+08:00
//	@user: wei
//	@agent: lin
//
//	[S] the character speaks
//	[S|MONO] the character's monologue
//	[U] the user speaks
//	[UI] (an action on the screen)
//	[INJECT][U] a fact planted for a probe; numbered i_ch07_001, i_ch07_002, … in order
//	[INJECT i_ch07_009][U] the same with an id of your own
//	[PROBE][U] a question; numbered p_ch07_001, …; its gold is unknown
//	[PROBE p_ch07_005 <- i_ch07_001, i_ch07_009 = the right answer][U] a question whose gold is known
//	```
//
// Id, "<- ids" (of injects or claims) and "= answer" may each be skipped. In a
// bracket "\]" and "\\" stand for "]" and "\". Numbers already used by an explicit
// id are skipped. INJECT and PROBE without a speaker mean the user.
const (
	markInject = "INJECT"
	markProbe  = "PROBE"

	modeDialogue  = "dialogue"
	modeMonologue = "monologue"
)

// body returns the lines inside the fence, and reports text outside it. A chapter without a fence is all body except its headings.
func (p *parser) body(lines []jsonl.Line) []jsonl.Line {
	isFence := func(l jsonl.Line) bool { return strings.HasPrefix(strings.TrimSpace(string(l.Bytes)), "```") }
	open := slices.IndexFunc(lines, isFence)
	heading := func(l jsonl.Line) bool { return strings.HasPrefix(strings.TrimSpace(string(l.Bytes)), "#") }
	var out []jsonl.Line
	if open < 0 {
		for i, l := range lines {
			if i == 0 && heading(l) {
				continue
			}
			out = append(out, l)
		}
		if len(out) > 0 {
			p.warn(p.at(out[0].Pos.Line, 0), codeFence, "the chapter has no fence; every line is taken as dialogue", "", "```text before and ``` after the dialogue", "")
		}
		return out
	}
	inside := false
	for _, l := range lines {
		switch {
		case isFence(l):
			inside = !inside
		case inside:
			out = append(out, l)
		case !heading(l):
			p.fault(p.at(l.Pos.Line, 1), codeStray, "text outside the fence, skipped", quote(string(l.Bytes)), "", "move it between ```text and ```")
		}
	}
	if inside {
		p.warn(p.at(lines[len(lines)-1].Pos.Line, 0), codeFence, "the fence is not closed", "", "``` after the last line", "")
	}
	return out
}

// quote shows the start of a text in a finding.
func quote(s string) string {
	return fmt.Sprintf("%q", textnorm.Short(s, 40))
}

var headerNames = []string{"scene", "character", "source_type", "conv_id", "time", "user", "agent"}

// header parses "@key: value"; ok is false if the line is not a header.
func header(s string) (key, value string, ok bool) {
	s = strings.TrimSpace(s)
	if !strings.HasPrefix(s, "@") {
		return "", "", false
	}
	i := strings.IndexAny(s, ":：")
	if i < 0 {
		return strings.TrimSpace(s[1:]), "", true
	}
	_, n := utf8.DecodeRuneInString(s[i:])
	return strings.TrimSpace(s[1:i]), strings.TrimSpace(s[i+n:]), true
}

func (p *parser) setHeader(src *Source, seen map[string]bool, pos schema.Pos, key, value string) {
	bad := func(msg, have, want string) { p.fault(pos, codeHeader, msg, have, want, "") }
	switch {
	case !slices.Contains(headerNames, key):
		p.warn(pos, codeHeader, "unknown header, ignored", "@"+key, "@"+strings.Join(headerNames, ", @"), "")
		return
	case seen[key]:
		bad("header given twice, the first is used", "@"+key, "")
		return
	case value == "":
		bad("header without a value, ignored", "@"+key, "@"+key+": value")
		return
	}
	seen[key] = true
	switch key {
	case "scene":
		src.SceneID = value
	case "character":
		src.CharacterID = value
	case "source_type":
		src.SourceType = value
	case "conv_id":
		src.ConvID = schema.ConvID(value)
	case "user":
		src.UserID = value
	case "agent":
		src.AgentID = value
	case "time":
		t, err := ParseTime(value, p.o.zone(src.ConvID))
		if err != nil {
			p.warn(pos, codeTime, "the time cannot be read, skipped", quote(value), timeWanted, "")
			return
		}
		src.Start = t
	}
}

func (p *parser) norm(text []byte) []Source {
	src := Source{ConvID: p.convID(), Path: p.path}
	seen := map[string]bool{}
	var marks []mark
	inHeaders := true
	for _, l := range p.body(p.lines(text)) {
		s := string(l.Bytes)
		if key, value, ok := header(s); ok {
			if !inHeaders && slices.Contains(headerNames, key) {
				p.fault(p.at(l.Pos.Line, 1), codeHeader, "header after the first utterance, ignored", "@"+key, "headers before the dialogue", "")
				continue
			}
			if inHeaders {
				p.setHeader(&src, seen, p.at(l.Pos.Line, 1), key, value)
				continue
			}
		}
		inHeaders = false
		u, m, ok := p.normLine(l)
		if !ok {
			continue
		}
		src.Turns = append(src.Turns, u)
		marks = append(marks, m)
	}
	if p.o.ConvID != "" {
		src.ConvID = p.o.ConvID
	}
	if len(src.Turns) > 0 && !slices.ContainsFunc(src.Turns, func(u Utterance) bool { return !u.Uncertain }) {
		p.fault(schema.Pos{File: p.file}, codeFormat, "no line has a marker; nothing was read from the file", "", "[S], [S|MONO], [U] or [UI] before each line", "give --format raw for a chapter with speaker labels")
		return nil
	}
	p.number(&src, marks)
	return []Source{p.said(src)}
}

// mark is the content of a bracket in addition to its kind.
type mark struct {
	id      string
	expects []string
	gold    string
	pos     schema.Pos
}

func (p *parser) normLine(l jsonl.Line) (Utterance, mark, bool) {
	s := string(l.Bytes)
	n := l.Pos.Line
	u := Utterance{Pos: p.at(n, 1), First: n, Last: n}
	m := mark{pos: p.at(n, 1)}
	rest := strings.TrimLeft(s, " \t")
	for {
		content, after, ok := bracket(rest)
		if !ok {
			break
		}
		col := jsonl.Column(l.Bytes, len(s)-len(rest))
		known := u.Role == ""
		kind, args, _ := strings.Cut(content, " ")
		switch {
		case !known:
		case content == "S":
			u.Role, u.Mode = schema.RoleAssistant, modeDialogue
		case content == "S|MONO":
			u.Role, u.Mode = schema.RoleAssistant, modeMonologue
		case content == "U":
			u.Role, u.Mode = schema.RoleHuman, modeDialogue
		case content == "UI":
			u.Role = schema.RoleUI
		case u.Marker == "" && (kind == markInject || kind == markProbe):
			u.Marker = kind
			p.markArgs(kind, args, p.at(n, col), &m)
		default:
			known = false
		}
		if !known {
			break
		}
		rest = after
		if u.Role != "" {
			break
		}
	}
	switch {
	case u.Role == "" && u.Marker != "" && !strings.HasPrefix(rest, "["):
		u.Role, u.Mode = schema.RoleHuman, modeDialogue
	case u.Role == "":
		if strings.HasPrefix(rest, "[") {
			p.fault(p.at(n, jsonl.Column(l.Bytes, len(s)-len(rest))), codeMarker, "unknown marker; kept as a line of an unknown speaker", quote(rest), "[S] [S|MONO] [U] [UI] [INJECT] [PROBE]", "")
		} else {
			p.warn(p.at(n, 1), codeSpeaker, "a line without a marker; its speaker cannot be determined", quote(s), "[S], [S|MONO], [U] or [UI] first", "")
		}
		u.Role, u.Uncertain, u.Mode, u.Marker = schema.RoleUI, true, "", ""
		m = mark{}
		rest = s
	}
	u.Text = strings.TrimPrefix(rest, " ")
	if strings.TrimFunc(u.Text, textnorm.IsSpace) == "" {
		p.fault(p.at(n, jsonl.Column(l.Bytes, len(s))), codeEmpty, "a marker without text, skipped", quote(s), "", "")
		return u, m, false
	}
	if u.Role == schema.RoleUI && !u.Uncertain {
		u.UIAction = uiAction(u.Text)
	}
	return u, m, true
}

// bracket removes a leading "[…]" from s. "\]" and "\\" in it stand for "]" and "\".
func bracket(s string) (content, rest string, ok bool) {
	if !strings.HasPrefix(s, "[") {
		return "", s, false
	}
	var b strings.Builder
	for i := 1; i < len(s); i++ {
		switch {
		case s[i] == '\\' && i+1 < len(s) && (s[i+1] == ']' || s[i+1] == '\\'):
			i++
			b.WriteByte(s[i])
		case s[i] == ']':
			return b.String(), s[i+1:], true
		default:
			b.WriteByte(s[i])
		}
	}
	return "", s, false
}

// markArgs reads "id <- ids = answer"; every part is optional.
func (p *parser) markArgs(kind, args string, pos schema.Pos, m *mark) {
	ids, gold, hasGold := strings.Cut(args, "=")
	id, expects, hasExpects := strings.Cut(ids, "<-")
	m.pos, m.id, m.gold = pos, strings.TrimSpace(id), strings.TrimSpace(gold)
	if strings.ContainsFunc(m.id, textnorm.IsSpace) {
		p.fault(pos, codeMarker, "an id contains white space; the marker gets a number instead", quote(m.id), kind+" id", "")
		m.id = ""
	}
	for _, e := range strings.FieldsFunc(expects, func(r rune) bool { return r == ',' || r == '，' || r == '、' }) {
		if e = strings.TrimSpace(e); e != "" && !slices.Contains(m.expects, e) {
			m.expects = append(m.expects, e)
		}
	}
	if kind == markInject && (hasGold || hasExpects) {
		p.fault(pos, codeMarker, "an INJECT has no \"<-\" and no \"=\"; they are ignored", quote(args), "[INJECT id]", "")
		m.expects, m.gold = nil, ""
	}
	if hasExpects && len(m.expects) == 0 && kind == markProbe {
		p.fault(pos, codeMarker, "nothing after \"<-\"", quote(args), "ids of injects or claims", "")
	}
}

// number gives every marked utterance its id: the one written, or the next free p_<conv>_NNN or i_<conv>_NNN. marks are parallel to the turns.
func (p *parser) number(src *Source, marks []mark) {
	prefix := map[string]string{markProbe: "p_" + string(src.ConvID) + "_", markInject: "i_" + string(src.ConvID) + "_"}
	used := map[string]bool{}
	for i, u := range src.Turns {
		if u.Marker == "" || marks[i].id == "" {
			continue
		}
		if used[marks[i].id] {
			p.fault(marks[i].pos, codeMarkID, "the id is used twice; this one gets a number instead", quote(marks[i].id), "", "give it another id")
			marks[i].id = ""
			continue
		}
		used[marks[i].id] = true
	}
	next := map[string]int{}
	for i := range src.Turns {
		u := &src.Turns[i]
		if u.Marker == "" {
			continue
		}
		u.MarkerID, u.Expects, u.Gold = marks[i].id, marks[i].expects, marks[i].gold
		for u.MarkerID == "" {
			next[u.Marker]++
			if id := fmt.Sprintf("%s%03d", prefix[u.Marker], next[u.Marker]); !used[id] {
				u.MarkerID = id
				used[id] = true
			}
		}
	}
	for i, u := range src.Turns {
		for _, e := range u.Expects {
			if strings.HasPrefix(e, prefix[markInject]) && !used[e] {
				p.fault(marks[i].pos, codeMarkID, "the probe expects an inject that this conversation does not have", quote(e), "the id of an [INJECT]", "")
			}
		}
	}
}

// GoldUnknown counts the probes without expected ids and answer, and all probes.
func (s Source) GoldUnknown() (unknown, probes int) {
	for _, u := range s.Turns {
		if u.Marker == markProbe {
			probes++
			if len(u.Expects) == 0 && u.Gold == "" {
				unknown++
			}
		}
	}
	return unknown, probes
}

// uiAction names the action of an interface line where its words say one.
func uiAction(s string) string {
	s = strings.ToLower(s)
	has := func(words ...string) bool {
		return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(s, w) })
	}
	switch {
	case has("番茄钟", "计时", "timer") && has("开始", "启动", "start"):
		return "start_timer"
	case has("点击", "按下", "按钮", "click", "press", "tap"):
		return "click"
	}
	return ""
}

// said makes turns of a chapter's lines, without parts that belong to Markdown or to a cut (line breaks, unpaired quotation marks).
func (p *parser) said(src Source) Source {
	for i := range src.Turns {
		src.Turns[i].Text = unbroken(src.Turns[i].Text)
	}
	if p.o.MergeLines {
		src.Turns = merge(src.Turns)
	}
	for i, u := range src.Turns {
		if whole := textnorm.WholeQuotes(u.Text); textnorm.Strip(whole) != "" {
			src.Turns[i].Text = whole
		}
	}
	return src
}

// unbroken cuts a Markdown line break off the end of a line: blanks, or a backslash.
func unbroken(s string) string {
	s = strings.TrimRightFunc(s, textnorm.IsSpace)
	if t, ok := strings.CutSuffix(s, `\`); ok && t != "" && !strings.HasSuffix(t, `\`) {
		s = strings.TrimRightFunc(t, textnorm.IsSpace)
	}
	return s
}

// merge joins adjacent lines of one speaker.
func merge(turns []Utterance) []Utterance {
	var out []Utterance
	for _, u := range turns {
		if n := len(out); n > 0 {
			last := &out[n-1]
			if last.Role == u.Role && u.Role != schema.RoleUI && last.Name == u.Name && last.Mode == u.Mode && last.Marker == "" && u.Marker == "" && last.Last+1 == u.First && !u.labelled {
				last.Text += "\n" + u.Text
				last.Last = u.Last
				continue
			}
		}
		out = append(out, u)
	}
	return out
}

// The raw form of a chapter: the same heading and fence, no headers. A line may start with a speaker's label and a colon, ASCII or full-width; the text follows
// on the line, or the label is alone. Lines without a label continue the last speaker; each is an utterance of its own unless lines are merged. Text that is
// completely in brackets is an action on the screen.
//
// Labels are the configured names, and a character's name with a monologue suffix; usual marks of monologue (Lin (thinking), 林夏独白) are built in. An unknown
// label (a short word before a colon at the start of a paragraph, or one that starts several lines) is a speaker that cannot be determined. A chapter without
// any label is the character's monologue.
func (p *parser) raw(text []byte) []Source {
	src := Source{ConvID: p.convID(), Path: p.path}
	lines := p.body(p.lines(text))
	labels := p.labels()
	count := map[string]int{}
	known := false
	for _, l := range lines {
		if label, _, ok := splitLabel(string(l.Bytes)); ok {
			count[label]++
			if base, ok := monologueOf(label); ok && labels[label] == (speaker{}) {
				// Only a character has a monologue: the marker names it.
				labels[label] = speaker{role: schema.RoleAssistant, mode: modeMonologue}
				if labels[base] == (speaker{}) {
					labels[base] = speaker{role: schema.RoleAssistant, mode: modeDialogue}
				}
			}
			_, is := labels[label]
			known = known || is
		}
	}
	if len(count) == 0 && table(lines) {
		p.fault(schema.Pos{File: p.file, Line: lines[0].Pos.Line}, codeFormat, "every line has the same columns: a table, not a chapter; nothing was read from it", quote(string(lines[0].Bytes)), "dialogue", "'membench init --map' reads tables of messages")
		return nil
	}
	var cur speaker
	haveSpeaker := false
	told := map[string]bool{}
	for i, l := range lines {
		n := l.Pos.Line
		s := string(l.Bytes)
		if strings.TrimFunc(s, textnorm.IsSpace) == "" {
			continue
		}
		u := Utterance{Pos: p.at(n, 1), First: n, Last: n, Text: s}
		paragraph := i == 0 || lines[i-1].Pos.Line+1 < n
		if label, rest, ok := splitLabel(s); ok {
			sp, is := labels[label]
			if !is && plausible(label) && (paragraph || count[label] > 1 || !known && len(labels) == 0) {
				sp, is = speaker{role: schema.RoleUI, name: label, uncertain: true}, true
				if !told[label] {
					told[label] = true
					p.warn(p.at(n, 1), codeSpeaker, "the label is not a configured name; its speaker cannot be determined", quote(label), p.wantedLabels(), p.labelHint(label))
				}
			}
			if is {
				cur, haveSpeaker = sp, true
				u.labelled = true
				u.Text = strings.TrimLeftFunc(rest, textnorm.IsSpace)
				if cur.uncertain { // an unknown speaker's line is kept unchanged
					u.Text = s
				}
				if strings.TrimFunc(u.Text, textnorm.IsSpace) == "" {
					continue // the label is alone
				}
			}
		}
		switch {
		case haveSpeaker:
			u.Role, u.Name, u.Mode, u.Uncertain = cur.role, cur.name, cur.mode, cur.uncertain
		case !known && len(told) == 0:
			u.Role, u.Mode = schema.RoleAssistant, modeMonologue
		default:
			u.Role, u.Uncertain = schema.RoleUI, true
			p.warn(p.at(n, 1), codeSpeaker, "a line before the first label; its speaker cannot be determined", quote(s), "", "put the speaker's label before it")
		}
		if u.Uncertain {
			u.Name = ""
		} else if bracketed(u.Text) {
			u.Role, u.Name, u.Mode, u.UIAction = schema.RoleUI, "", "", uiAction(u.Text)
		}
		src.Turns = append(src.Turns, u)
	}
	if !haveSpeaker && len(src.Turns) > 0 && !src.Turns[0].Uncertain {
		p.warn(src.Turns[0].Pos, codeLabels, "no speaker label in the chapter; all of it is taken as the character's monologue", "", p.wantedLabels(), "label the lines, and name the labels with --character-name, --user-name and --monologue-suffix")
	}
	return []Source{p.said(src)}
}

// table reports whether lines are rows of a table: two at least, and all with as many
// columns, set off by one character that no blank follows, as it does in a sentence.
func table(lines []jsonl.Line) bool {
	columns := func(s string, sep byte) (n int) {
		quoted := false
		for i := range len(s) {
			switch {
			case s[i] == '"':
				quoted = !quoted
			case s[i] == sep && !quoted:
				if i+1 < len(s) && s[i+1] == ' ' {
					return 0
				}
				n++
			}
		}
		return n
	}
	for _, sep := range []byte(",;\t|") {
		rows, want := 0, 0
		for _, l := range lines {
			s := strings.TrimFunc(string(l.Bytes), textnorm.IsSpace)
			if s == "" {
				continue
			}
			n := columns(s, sep)
			if rows == 0 {
				want = n
			}
			if rows++; n == 0 || n != want {
				rows = 0
				break
			}
		}
		if rows > 1 {
			return true
		}
	}
	return false
}

type speaker struct {
	role, name, mode string
	uncertain        bool
}

func (p *parser) labels() map[string]speaker {
	out := map[string]speaker{}
	for _, n := range p.o.UserNames {
		out[n] = speaker{role: schema.RoleHuman, mode: modeDialogue}
	}
	for _, n := range p.o.CharacterNames {
		out[n] = speaker{role: schema.RoleAssistant, mode: modeDialogue}
		for _, suffix := range p.o.MonologueSuffixes {
			out[n+suffix] = speaker{role: schema.RoleAssistant, mode: modeMonologue}
		}
	}
	return out
}

// monologueMarks are endings of labels that mark monologue without being configured.
var monologueMarks = []string{"内心独白", "独白", "心声", "内心", "os", "monologue", "inner monologue", "thoughts", "thinking", "inner voice"}

// monologueOf is the name in a label that marks monologue, as "Lin" in "Lin (thinking)".
func monologueOf(label string) (name string, ok bool) {
	body := strings.TrimRight(label, ")） ")
	low := strings.ToLower(body)
	for _, m := range monologueMarks {
		if !strings.HasSuffix(low, m) {
			continue
		}
		rest := body[:len(body)-len(m)]
		name = strings.TrimRight(rest, "(（ ·-_")
		if name != "" && (name != rest || m[0] >= 0x80) { // "Carlos" is a name
			return strings.TrimSuffix(strings.TrimSuffix(name, "'s"), "的"), true
		}
	}
	return "", false
}

// labelHint names the option that makes a label known.
func (p *parser) labelHint(label string) string {
	for _, n := range p.o.CharacterNames {
		if rest, ok := strings.CutPrefix(label, n); ok && rest != "" {
			return "if it marks the character's monologue, give --monologue-suffix " + strconv.Quote(rest) + "; otherwise give --character-name or --user-name"
		}
	}
	return "give --character-name or --user-name"
}

func (p *parser) wantedLabels() string {
	names := slices.Concat(p.o.CharacterNames, p.o.UserNames)
	if len(names) == 0 {
		return "names of the character and the user"
	}
	return strings.Join(names, ", ")
}

// splitLabel takes a label off the start of a line: up to 24 code points of letters,
// digits and inner blanks before a colon of either width that starts no URL or time.
func splitLabel(s string) (label, rest string, ok bool) {
	t := strings.TrimLeft(s, " \t\u3000")
	i := strings.IndexAny(t, ":：")
	if i <= 0 {
		return "", s, false
	}
	_, n := utf8.DecodeRuneInString(t[i:])
	label, rest = strings.TrimRight(t[:i], " \t\u3000"), t[i+n:]
	if utf8.RuneCountInString(label) > 24 || strings.HasPrefix(rest, "//") {
		return "", s, false
	}
	letters := false
	for _, r := range label {
		switch {
		case unicode.IsLetter(r):
			letters = true
		case unicode.IsNumber(r), unicode.IsMark(r), r == ' ', r == '_', r == '-', r == '·', r == '.', r == '\'', r == '(', r == ')', r == '（', r == '）':
		default:
			return "", s, false
		}
	}
	return label, rest, letters
}

// plausible reports whether a label that is not configured reads as a name: short,
// and for Latin script with a capital.
func plausible(label string) bool {
	if textnorm.Lang(label) == "zh" {
		return utf8.RuneCountInString(label) <= 6
	}
	r, _ := utf8.DecodeRuneInString(label)
	return strings.Count(label, " ") <= 1 && unicode.IsUpper(r)
}

// bracketed reports whether the whole text is one bracket, ASCII or full-width.
func bracketed(s string) bool {
	s = strings.TrimFunc(s, textnorm.IsSpace)
	for _, pair := range [][2]string{{"(", ")"}, {"（", "）"}, {"(", "）"}, {"（", ")"}} {
		if in, ok := strings.CutPrefix(s, pair[0]); ok {
			if in, ok = strings.CutSuffix(in, pair[1]); ok && in != "" && !strings.ContainsAny(in, "()（）") {
				return true
			}
		}
	}
	return false
}
