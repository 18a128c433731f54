package chats

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"membench/annotate"
	"membench/datasets"
	"membench/internal/codec"
	"membench/internal/csvdoc"
	"membench/internal/pattern"
	"membench/internal/textnorm"
	"membench/schema"
	"membench/schema/jsonl"
)

// Parts are the parts of a message that a mapping may place.
var Parts = csvdoc.Message

// table reads CSV (comma, semicolon or tab, with a header) and JSON (an array of objects,
// an object that holds one, or an object a line).
var table = Form{
	Name: "table", Doc: "CSV or JSON; --map names the columns",
	match: each(func(f *file) bool { return tableName(f) && len(columnsOf(f, "")) > 0 }),
	read: every(func(r *reader, f *file) error {
		t := &rows{file: f, each: (*reader).rows}
		if isJSON(f) {
			t.each = (*reader).objects
		}
		err := t.each(r, f, func(pos schema.Pos, get func(part string) string) error { return r.record(t, pos, get) })
		return cmp.Or(err, t.noRoles(r.Map["role"]))
	}),
}

// rows reads the rows of a table.
type rows struct {
	*file
	each  func(*reader, *file, func(pos schema.Pos, get func(part string) string) error) error
	order string // of day and month in its times; "": not needed yet

	known  bool     // a role was understood
	others []string // the first other values of the column of roles
}

// noRoles rejects a column that was named for the roles and holds none: who a program is and who a person would be guessed.
func (t *rows) noRoles(column string) error {
	if column == "" || t.known || len(t.others) == 0 {
		return nil
	}
	return schema.Usagef("--map role=%s: no value of the column is a role: it has %s, want %s; a column of names is mapped with sender=", column, strings.Join(t.others, ", "), strings.Join(slices.Sorted(maps.Keys(roles)), ", "))
}

// dateOf parses a date in numbers, with or without a time; nil if it is not a date.
func dateOf(s string) *stamp {
	if n := numbersOf(s); n != nil {
		return n
	}
	return numbersOf(s + " 00:00")
}

// rowTime reads a time of a table: as programs write them, or with the day and the month
// in the order that the whole column shows.
func (r *reader) rowTime(t *rows, s string) (time.Time, bool, error) {
	if at, err := annotate.ParseTime(s, r.zone()); err == nil {
		return at, true, nil
	}
	n := dateOf(s)
	if n == nil {
		return time.Time{}, false, nil
	}
	if t.order == "" {
		var err error
		t.order, err = r.dateOrder(func(take func(*stamp, schema.Pos)) error {
			return t.each(r.quiet(), t.file, func(pos schema.Pos, get func(part string) string) error {
				take(dateOf(get("time")), pos)
				return r.ctx.Err()
			})
		})
		if err != nil {
			return time.Time{}, false, err
		}
	}
	at, ok := n.time(t.order, r.zone())
	if !ok {
		at = time.Time{}
	}
	return at, ok, nil
}

// usual reports whether the columns of a table are known by their names.
func usual(f *file) bool {
	m := csvdoc.Mapping{}.Complete(Parts, columnsOf(f, ""))
	return m["text"] != "" && (m["sender"] != "" || m["role"] != "")
}

// tableName reports whether a file has a table's name.
func tableName(f *file) bool {
	ext := strings.ToLower(path.Ext(jsonl.PlainName(f.base)))
	return slices.Contains([]string{".csv", ".tsv", ".json", ".jsonl", ".ndjson"}, ext)
}

func isJSON(f *file) bool {
	b := bytes.TrimLeft(f.head(), " \t\r\n")
	return len(b) > 0 && (b[0] == '[' || b[0] == '{')
}

// columnsOf is the header of a table, or the members of the first objects; text is the
// member that is mapped to the text, if one is.
func columnsOf(f *file, text string) []string {
	if !isJSON(f) {
		t, err := csvdoc.ReadTable(bytes.NewReader(f.head()))
		if err != nil || len(t.Header) < 2 {
			return nil
		}
		return t.Header
	}
	var names []string
	n := 0
	take := func(el []byte) bool {
		for _, name := range memberNames(el, "", 0) {
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
		n++
		return n < maxSample
	}
	for v, err := range datasets.Values(bytes.NewReader(f.head()), f.name, headSize) {
		if err != nil || n >= maxSample {
			break
		}
		messagesOf(v.Bytes, text)(take)
	}
	if n > 0 {
		return members(names)
	}
	// The head ends within the first value: its member names may still be readable.
	head := f.head()
	for _, i := range firstObject.FindAllIndex(head, maxSample) {
		list := json.NewDecoder(bytes.NewReader(head[i[0]:]))
		list.Token() // the bracket
		var el json.RawMessage
		for list.Decode(&el) == nil && isMessage(el, text) && take(el) {
		}
		if n > 0 {
			return members(names)
		}
	}
	return nil
}

// members are names without those of objects whose members are there, too: an object may be null in one message.
func members(names []string) []string {
	return slices.DeleteFunc(slices.Clone(names), func(n string) bool {
		return slices.ContainsFunc(names, func(m string) bool { return strings.HasPrefix(m, n+".") })
	})
}

// firstObject is where a list of objects starts.
var firstObject = regexp.MustCompile(`\[\s*\{`)

// maxNest is how deep members are looked for.
const maxNest = 3

func memberNames(obj []byte, prefix string, depth int) []string {
	var out []string
	if !codec.Valid(obj) {
		return nil
	}
	for name, v := range codec.Members(obj) {
		if b := bytes.TrimLeft(v, " \t\r\n"); len(b) > 0 && b[0] == '{' && depth < maxNest {
			out = append(out, memberNames(v, prefix+name+".", depth+1)...)
			continue
		}
		out = append(out, prefix+name)
	}
	return out
}

// messagesOf returns the messages of a value: the value itself if it is a message, otherwise the objects of the first list of messages in it, otherwise the
// objects of its first list. text is the member mapped to the text, if any. A text that is not JSON has no messages.
func messagesOf(b []byte, text string) func(func([]byte) bool) {
	return func(yield func([]byte) bool) {
		if !codec.Valid(b) {
			return
		}
		if !isMessage(b, text) {
			if list := listIn(b, text, 0); list != nil {
				for el := range codec.Elements(list) {
					if el[0] == '{' && !yield(el) {
						return
					}
				}
				return
			}
		}
		if b := bytes.TrimLeft(b, " \t\r\n"); len(b) > 0 && b[0] == '{' {
			yield(b)
		}
	}
}

// isMessage reports whether an object has a text: by the mapped name, or by a usual name whose value is a string or which appears together with a speaker.
func isMessage(obj []byte, text string) bool {
	names := memberNames(obj, "", 0)
	if text != "" {
		return slices.Contains(names, text)
	}
	m := csvdoc.Mapping{}.Complete(Parts, names)
	if m["text"] == "" {
		return false
	}
	if m["sender"] != "" || m["role"] != "" {
		return true
	}
	for name, v := range codec.Members(obj) {
		if name == m["text"] {
			return v[0] == '"'
		}
	}
	return false
}

// listIn returns the first list of messages in an object, or else its first list of objects.
func listIn(obj []byte, text string, depth int) (list []byte) {
	for _, v := range codec.Members(obj) {
		v = bytes.TrimLeft(v, " \t\r\n")
		found := v
		if v[0] == '{' && depth < maxNest {
			found = listIn(v, text, depth+1)
		}
		for el := range codec.Elements(found) {
			switch {
			case el[0] != '{':
			case isMessage(el, text):
				return found
			case list == nil:
				list = found
			}
			break
		}
	}
	return list
}

// columns returns the columns of a file that each part is in.
func (r *reader) columns(f *file, have []string) (map[string][]string, error) {
	m := csvdoc.Mapping(r.Map).Complete(Parts, have)
	if at := timeOf(f, have, m["time"], false); r.Map["time"] == "" && at != m["time"] {
		m["time"] = at
		r.Report(&schema.Finding{Pos: schema.Pos{File: f.name}, Code: codeGuessed, Warning: true, Message: "the time of messages was found by its values, in " + at, Hint: "if it is another one: --map time=COLUMN"})
	}
	parts := map[string][]string{}
	for part, c := range m {
		parts[part] = []string{c}
		if !slices.Contains(have, c) {
			parts[part] = strings.Split(c, "+")
		}
		for _, c := range parts[part] {
			if !slices.Contains(have, c) {
				return nil, &schema.UsageError{Err: fmt.Errorf("--map %s=%s: %s has no column %q; it has %s", part, c, f.name, c, strings.Join(have, ", "))}
			}
		}
	}
	if m["text"] == "" {
		return nil, &schema.UsageError{Err: fmt.Errorf("%s: no column looks like the text of messages; the columns are %s\n%s", f.name, strings.Join(have, ", "), suggest(f))}
	}
	if m["reply"] != "" && m["id"] == "" && r.Map["reply"] != "" {
		return nil, schema.Usagef("--map reply=%s: name the column of the messages' own ids, too (id=COLUMN); %s has %s", m["reply"], f.name, strings.Join(have, ", "))
	}
	taken := slices.Concat(slices.Collect(maps.Values(parts))...)
	if rest := slices.DeleteFunc(slices.Clone(have), func(c string) bool { return c == "" || slices.Contains(taken, c) }); len(rest) > 0 {
		r.Report(&schema.Finding{Pos: schema.Pos{File: f.name}, Code: codeLeft, Warning: true, Message: fmt.Sprintf("skipped %d: columns", len(rest)), Have: textnorm.OneLine(strings.Join(rest, ", "), 200),
			Hint: "--map PART=COLUMN reads one; the parts are text, sender, role, time, conversation, quote, id, reply and attachment"})
	}
	return parts, nil
}

func (r *reader) rows(f *file, take func(pos schema.Pos, get func(part string) string) error) error {
	in, err := f.open()
	if err != nil {
		return err
	}
	defer in.Close()
	table, err := csvdoc.ReadTable(in)
	if err != nil {
		r.fault(schema.Pos{File: f.name, Line: 1}, "the header cannot be read: "+err.Error(), "", "names of columns")
		return nil
	}
	m, err := r.columns(f, table.Header)
	if err != nil {
		return err
	}
	for row, err := range table.Rows() {
		var bad *csvdoc.Fault
		switch {
		case errors.As(err, &bad):
			r.fault(schema.Pos{File: f.name, Line: bad.Line, Col: bad.Col}, bad.Message, bad.Have, bad.Want)
			continue
		case err != nil:
			return err
		}
		pos := schema.Pos{File: f.name, Line: row.Line}
		if err := take(pos, func(part string) string {
			return joined(m[part], func(c string) string { return row.Cells[slices.Index(table.Header, c)] })
		}); err != nil {
			return err
		}
	}
	return nil
}

// joined is what the columns of a part hold.
func joined(columns []string, cell func(string) string) string {
	var out []string
	for _, c := range columns {
		out = append(out, cell(c))
	}
	return strings.TrimSpace(strings.Join(out, " "))
}

func (r *reader) objects(f *file, take func(pos schema.Pos, get func(part string) string) error) error {
	m, err := r.columns(f, columnsOf(f, r.Map["text"]))
	if err != nil {
		return err
	}
	text, several := r.Map["text"], bytes.HasPrefix(bytes.TrimSpace(f.head()), []byte("["))
	for v := range datasets.Values(bytes.NewReader(f.head()), f.name, headSize) {
		several = several || v != nil && v.Index > 0
	}
	return r.each([]*file{f}, func(v *datasets.Value) error {
		if !codec.Valid(v.Bytes) {
			var raw json.RawMessage
			return v.Decode(&raw)
		}
		conv := "" // a list of messages in each of several objects is a conversation
		if several && !isMessage(v.Bytes, text) {
			names := csvdoc.Mapping{}.Complete(Parts, memberNames(v.Bytes, "", 0))
			conv = cmp.Or(member(v.Bytes, names["conversation"]), member(v.Bytes, names["id"]), strconv.Itoa(v.Index+1))
		}
		for el := range messagesOf(v.Bytes, text) {
			if err := take(v.At(el), func(part string) string {
				if part == "conversation" && m[part] == nil {
					return conv
				}
				return joined(m[part], func(c string) string { return member(el, c) })
			}); err != nil {
				return err
			}
		}
		return nil
	})
}

// member is the text of a member by its dotted name.
func member(obj []byte, name string) string {
	v := codec.Member(obj, name)
	if v == nil {
		return ""
	}
	var s string
	if codec.Unmarshal(v, &s) == nil {
		return s
	}
	for _, s := range []string{textOf(v), member(v, "name"), member(v, "text")} {
		if s != "" {
			return s
		}
	}
	return strings.Trim(string(v), " \t\r\n{}[]") // a number; any other value is shown as it was read
}

// record makes a message of a row.
func (r *reader) record(rows *rows, pos schema.Pos, get func(part string) string) error {
	f := rows.file
	out := Message{Conv: convID(f.stem()), Title: f.stem(), Name: get("sender"), Text: get("text"), Quote: get("quote"), ID: get("id"), ReplyTo: get("reply"), Pos: pos}
	if c := get("conversation"); c != "" {
		out.Conv, out.Title = convID(f.stem(), c), c
	}
	out.Role = roles[strings.ToLower(get("role"))]
	if t := get("role"); out.Role != "" {
		rows.known = true
	} else if t != "" && len(rows.others) < 3 && !slices.Contains(rows.others, t) {
		rows.others = append(rows.others, t)
	}
	if out.Role == "" { // a column for both: user and assistant, or names
		out.Name = cmp.Or(out.Name, get("role"))
	}
	if role, ok := roles[strings.ToLower(out.Name)]; ok && out.Role == "" {
		out.Role, out.Name = role, ""
	}
	if htmlText.MatchString(out.Text) {
		r.leave(pos, "tags of texts in HTML")
		lines := strings.Split(plainText(out.Text), "\n")
		said, quoted := ownLines(lines, len(lines), false)
		out.Text, out.Quote = said, cmp.Or(out.Quote, quoted)
	}
	if out.Role == "" && out.Name == "" && out.Text != "" { // what nobody is known to have said is not the user's
		out.Name = "unknown"
		r.flaw(pos, "a message does not say who sent it; it is kept as that of an unknown person", "", "a sender")
	}
	if s := get("time"); s != "" {
		out.written = s
		t, ok, err := r.rowTime(rows, s)
		if err != nil {
			return err
		}
		if !ok {
			r.flaw(pos, "a time cannot be read; the message is kept without it", fmt.Sprintf("%q", s), "a date and time, or seconds since 1970")
		}
		out.Time = t
	}
	if a := get("attachment"); a != "" {
		out.Attachments = []schema.Attachment{{Type: fileKind(a), Name: path.Base(a), Path: a}}
	}
	return r.add(out)
}

// htmlText is a text that begins with a tag of HTML and ends with one.
var htmlText = pattern.New(`(?s)^\s*<[a-zA-Z][\w-]*(?:\s[^<>]*)?/?>(?:.*<(?:/[a-zA-Z][\w-]*|[a-zA-Z][^<>]*/|br)>)?\s*$`)

// roles are the words for who a program or a person is.
var roles = map[string]string{"user": "user", "human": "user", "customer": "user", "assistant": "assistant", "ai": "assistant", "bot": "assistant",
	"agent": "assistant", "model": "assistant", "system": "system", "tool": "tool"}

// A column is counts of the values that a table's first rows have in one of its columns.
type column struct {
	filled, instants, days, clocks, names int
	prose                                 int // width of values with several words
	different                             map[string]bool
}

var (
	clockForm = pattern.New(`^\d{1,2}:\d{2}(?::\d{2})?\s?(?:[AaPp]\.?[Mm]\.?)?$`)
	nameForm  = pattern.New(`^[\p{Lu}\p{Lo}][^\d\n]{0,39}$`)
	severals  = pattern.New(`\S\s+\S|\p{Han}{2}`)
)

// counts are the columns of a sample.
func counts(f *file, columns []string) map[string]*column {
	out := map[string]*column{}
	for _, c := range columns {
		out[c] = &column{different: map[string]bool{}}
	}
	for _, row := range sample(f, columns) {
		for i := range columns {
			v, c := strings.TrimSpace(row[i]), out[columns[i]]
			if v == "" {
				continue
			}
			c.filled++
			c.different[v] = true
			t, err := annotate.ParseTime(v, time.UTC)
			switch {
			case clockForm.MatchString(v):
				c.clocks++
			case (err != nil || t.Year() < 1990 || t.Year() > 2100) && dateOf(v) == nil: // numbers of tickets are times of 1970
				if nameForm.MatchString(v) {
					c.names++
				}
				if severals.MatchString(v) {
					c.prose += textnorm.Width(v)
				}
			case strings.Contains(v, ":") || err == nil && strings.Trim(v, "0123456789.") == "":
				c.instants++
			default:
				c.days++
			}
		}
	}
	return out
}

// timeOf is the column that holds times by its values, or those of the date and of the time of day with a + between them; named is the one that has the name of a
// time. days: a column of dates alone will do.
func timeOf(f *file, columns []string, named string, days bool) string {
	all := counts(f, columns)
	first := func(n func(*column) int) string { // a time that cannot be read does not make another column the time
		is := func(c string) bool { return all[c] != nil && 2*n(all[c]) > all[c].filled }
		if i := slices.IndexFunc(columns, is); !is(named) && i >= 0 {
			return columns[i]
		} else if is(named) {
			return named
		}
		return ""
	}
	at, day, clock := first(func(c *column) int { return c.instants }), first(func(c *column) int { return c.days }), first(func(c *column) int { return c.clocks })
	switch {
	case day != "" && clock != "" && at != named && (named == "" || named == day || named == clock):
		return day + "+" + clock
	case named != "":
		return named
	case at == "" && days:
		return day
	}
	return at
}

// suggest shows a mapping that may fit the file, from its values; "" if none of its columns looks like texts and one like their speakers.
func suggest(f *file) string {
	columns := columnsOf(f, "")
	all := counts(f, columns)
	best := csvdoc.Mapping{}
	for _, part := range []string{"sender", "time", "text"} { // what usual names say counts more than a guess
		if c := (csvdoc.Mapping{}).Complete(Parts, columns)[part]; c != "" {
			best[part] = c
		}
	}
	if at := timeOf(f, columns, best["time"], true); at != "" {
		best["time"] = at
	}
	known := maps.Clone(best)
	for _, c := range columns {
		if all[c].prose > 0 && known["text"] == "" && (best["text"] == "" || all[c].prose > all[best["text"]].prose) {
			best["text"] = c
		}
	}
	few := func(c string) int { // values that differ; names are preferred
		n := len(all[c].different)
		if 2*all[c].names <= all[c].filled {
			n += maxSample
		}
		return n
	}
	for _, c := range columns {
		k := all[c]
		if known["sender"] == "" && !slices.Contains(slices.Collect(maps.Values(known)), c) && c != best["text"] && len(k.different) > 1 && 2*(k.instants+k.days+k.clocks) <= k.filled && (best["sender"] == "" || few(c) < few(best["sender"])) {
			best["sender"] = c
		}
	}
	if best["text"] == "" || best["sender"] == "" {
		return ""
	}
	return "perhaps: --map " + best.String()
}

// maxSample is how many rows a suggestion is made from.
const maxSample = 50

func sample(f *file, columns []string) [][]string {
	var out [][]string
	if !isJSON(f) {
		t, err := csvdoc.ReadTable(bytes.NewReader(f.head()))
		if err != nil {
			return nil
		}
		for row, err := range t.Rows() {
			if err == nil {
				out = append(out, row.Cells)
			}
			if len(out) == maxSample {
				break
			}
		}
		return out
	}
	for v, err := range datasets.Values(bytes.NewReader(f.head()), f.name, headSize) {
		if err != nil || len(out) == maxSample {
			break
		}
		for el := range messagesOf(v.Bytes, "") {
			row := make([]string, len(columns))
			for i, c := range columns {
				if v := codec.Member(el, c); len(v) > 0 && v[0] != '[' {
					row[i] = member(el, c)
				}
			}
			out = append(out, row)
		}
	}
	return out
}
