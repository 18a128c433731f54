package published

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"membench/datasets"
	"membench/internal/codec"
	"membench/internal/csvdoc"
	"membench/schema"
)

// Parts are the possible parts of a row in a table, with the accepted column names. A column "answer" is the system's answer if another column is the gold, and
// the gold if another is the system's answer.
var Parts = []csvdoc.Part{
	{Name: "prediction", Known: []string{"prediction", "predicted", "predicted_answer", "response", "model_answer", "system_answer", "model_response", "model_output", "llm_answer", "llm_output",
		"hypothesis", "generated_answer", "generation", "generated", "output", "预测", "模型回答", "回答"}},
	{Name: "gold", Known: []string{"gold", "gold_answer", "golden_answer", "expected", "expected_answer", "expected_output", "reference", "reference_answer", "ground_truth", "groundtruth", "correct_answer",
		"true_answer", "target", "标准答案", "参考答案"}},
	{Name: "question", Known: []string{"question", "query", "question_text", "prompt", "input", "问题"}},
	{Name: "id", Known: []string{"question_id", "qid", "query_id", "id"}},
	{Name: "case", Known: []string{"case_id", "case", "conversation_id", "conv_id", "conversation", "sample_id", "dialogue_id", "user_id"}},
	{Name: "category", Known: []string{"category", "question_type", "type", "类别"}},
	{Name: "verdict", Known: []string{"verdict", "judgement", "judgment", "is_correct", "correct", "label", "grade"}},
	{Name: "context", Known: []string{"context", "retrieved_context"}},
	{Name: "system", Known: []string{"system", "system_name", "memory_system", "memory_provider", "系统", "model", "model_name", "模型"}},
}

// readers are the columns of Parts that name a model that answered, as long as they have one value.
var readers = []string{"model", "model_name", "模型"}

// oneCase is the case of questions that name none.
const oneCase = "all"

// place finds the columns of the parts.
func place(given csvdoc.Mapping, columns []string) csvdoc.Mapping {
	m := given.Complete(Parts, columns)
	i := slices.IndexFunc(columns, func(c string) bool { return strings.EqualFold(strings.TrimSpace(c), "answer") })
	if i < 0 {
		return m
	}
	switch {
	case m["prediction"] == "" && m["gold"] != "" && m["gold"] != columns[i]:
		m["prediction"] = columns[i]
	case m["gold"] == "" && m["prediction"] != "" && m["prediction"] != columns[i]:
		m["gold"] = columns[i]
	}
	return m
}

// answers reports whether the columns are those of a table of answers.
func answers(m csvdoc.Mapping) bool {
	return m["prediction"] != "" && (m["gold"] != "" && m["question"] != "" || m["id"] != "")
}

func tableFormats() []Format {
	return []Format{{
		Name: Table, Verified: true, dataset: "table",
		About:  "a row an answer, in CSV, TSV, JSON Lines, an array, or an object with a list: question, gold and prediction by their usual names, or named by --map; also id, case, category, verdict, context, system",
		Origin: "your own results",
		match:  func(h head) bool { return answers(place(nil, h.columns)) },
		rows:   (*file).table,
		row:    (*file).answered,
	}}
}

// Table is the name of the form that has no maker.
const Table = "table"

// placed finds the parts of a table among the columns of its possible forms. It fails with a usage error.
func (f *file) placed(heads []head) error {
	f.widen(heads)
	i := slices.IndexFunc(heads, func(h head) bool { return answers(place(f.o.Map, h.columns)) })
	f.head = heads[max(0, i)]
	columns := f.head.columns
	for _, part := range slices.Sorted(maps.Keys(f.o.Map)) {
		if c := f.o.Map[part]; !slices.Contains(columns, c) && !strings.Contains(c, ".") {
			return &schema.UsageError{Err: fmt.Errorf("--map %s=%s: %s has no column %q; it has %s", part, c, f.name, c, strings.Join(columns, ", "))}
		}
	}
	if f.columns = place(f.o.Map, columns); !answers(f.columns) {
		return &schema.UsageError{Err: fmt.Errorf("%s: %s", f.name, unplaced(columns))}
	}
	return f.bySystem()
}

// bySystem takes the column of systems apart: a table with several is that of all of them, one with the same in every row names its system. A column of the
// model that answered every row is not its system's name, unless --map says so. It fails with a usage error if another name was given for several systems.
func (f *file) bySystem() error {
	c := f.columns["system"]
	if c == "" {
		return nil
	}
	for r, err := range f.table() {
		if err != nil {
			continue // it is a finding when the rows are read
		}
		if name := f.systemOf(r); name != "" && !slices.Contains(f.systems, name) {
			f.systems = append(f.systems, name)
		}
	}
	switch {
	case len(f.systems) > 1 && f.o.System != "":
		return schema.Usagef("%s: column %s has %d systems, %s: omit --system, or select their rows", f.name, c, len(f.systems), strings.Join(f.systems[:min(8, len(f.systems))], ", "))
	case len(f.systems) == 0, len(f.systems) == 1 && f.o.Map["system"] == "" && slices.ContainsFunc(readers, func(x string) bool { return strings.EqualFold(x, c) }):
		delete(f.columns, "system")
		f.systems = nil
	}
	return nil
}

// systemOf is the system of a row; "" if it names none.
func (f *file) systemOf(r row) string {
	var name datasets.Scalar
	if raw := codec.Member(r.raw, f.columns["system"]); raw == nil || codec.Unmarshal(raw, &name) != nil {
		return ""
	}
	return strings.TrimSpace(name.Text)
}

// widen takes the members of all rows as columns, not only those of the first.
func (f *file) widen(heads []head) {
	for i := range heads {
		if heads[i].shape != ',' {
			heads[i].columns = f.members(heads[i])
		}
	}
}

// members lists the members of all rows, in the order in which they come first.
func (f *file) members(h head) (out []string) {
	known := map[string]bool{}
	for r, err := range rows(f.b, f.name, h.rows) {
		if err != nil {
			continue // it is a finding when the rows are read
		}
		for name := range codec.Members(r.raw) {
			if !known[name] {
				known[name] = true
				out = append(out, name)
			}
		}
	}
	return out
}

// of finds the parts of a row: rows of JSON may have different members. What is placed for the whole file, or by --map, stays where the row has it.
func (f *file) of(r row) csvdoc.Mapping {
	if f.head.shape == ',' {
		return f.columns
	}
	var columns []string
	for name := range codec.Members(r.raw) {
		columns = append(columns, name)
	}
	key := strings.Join(columns, "\x00")
	m, ok := f.placement[key]
	if !ok {
		m = csvdoc.Mapping{}
		for part, c := range f.columns {
			if f.o.Map[part] != "" || slices.Contains(columns, c) {
				m[part] = c
			}
		}
		if m = place(m, columns); f.columns["system"] == "" {
			delete(m, "system")
		}
		if f.placement == nil {
			f.placement = map[string]csvdoc.Mapping{}
		}
		f.placement[key] = m
	}
	return m
}

// read describes the part of each column of a table; "" for another form.
func (f *file) read() string {
	if f.columns == nil {
		return ""
	}
	s, used := f.columns.String(), slices.Collect(maps.Values(f.columns))
	if f.head.shape != ',' {
		for r, err := range f.table() {
			if err != nil {
				continue
			}
			for part, c := range f.of(r) {
				if !slices.Contains(used, c) {
					used = append(used, c)
					s += "," + part + "=" + c
				}
			}
		}
	}
	var rest []string
	for _, c := range f.head.columns {
		if !slices.Contains(used, c) {
			rest = append(rest, c)
		}
	}
	if len(rest) > 0 {
		s += "; not read: " + strings.Join(rest, ", ")
	}
	return s
}

// unplaced describes the missing parts of a table.
func unplaced(columns []string) string {
	return "its columns are " + strings.Join(columns, ", ") + ": name those of the question, the gold and the system's answer with --map question=A,gold=B,prediction=C"
}

// table walks the rows, as objects.
func (f *file) table() iter.Seq2[row, error] {
	if f.head.shape == ',' {
		return f.separated()
	}
	return rows(f.b, f.name, f.head.rows)
}

// separated walks the rows of a table of separated values.
func (f *file) separated() iter.Seq2[row, error] {
	return func(yield func(row, error) bool) {
		t, err := csvdoc.ReadTable(bytes.NewReader(f.b))
		if err != nil {
			return // the form was recognised by this header
		}
		i := 0
		for cells, err := range t.Rows() {
			r := row{pos: schema.Pos{File: f.name, Line: cells.Line}, index: i}
			i++
			var bad *csvdoc.Fault
			switch {
			case errors.As(err, &bad):
				r.pos.Line, r.pos.Col = bad.Line, bad.Col
				err = &schema.Finding{Pos: r.pos, Code: "PUB001", Message: bad.Message, Have: bad.Have, Want: bad.Want}
			case err != nil:
				err = &schema.Finding{Pos: r.pos, Code: "PUB001", Message: err.Error()}
			case slices.ContainsFunc(cells.Cells, func(c string) bool { return !utf8.ValidString(c) }):
				err = &schema.Finding{Pos: r.pos, Code: "PUB001", Message: "the row is not UTF-8; it was skipped", Want: "the file saved as UTF-8"}
			default:
				object := map[string]string{}
				for c, name := range t.Header {
					object[name] = cells.Cells[c]
				}
				r.raw, _ = json.Marshal(object) // strings only
			}
			if !yield(r, err) {
				return
			}
		}
	}
}

// answered returns the record of a row. A question is identified by its id, or by its words, so that two tables of the same questions pair in any order.
func (f *file) answered(r row) (schema.QARecord, error) {
	var wrong error
	columns := f.of(r)
	texts := func(part string) (out []string) {
		raw := codec.Member(r.raw, columns[part])
		all := make([]datasets.Scalar, 1)
		var into any = &all[0]
		switch {
		case raw == nil:
			return nil
		case part == "question":
			into = &all[0].Text
		case raw[0] == '[':
			into = &all
		}
		if err := r.decodePart(raw, schema.Pointer(columns[part]), into); err != nil {
			if part == "context" { // is shown, whatever its content
				return []string{string(raw)}
			}
			wrong = cmp.Or(wrong, err)
			return nil
		}
		for _, s := range all {
			if s.Given() || s.Text != "" {
				out = append(out, s.Text)
			}
		}
		return out
	}
	text := func(part string) string { return strings.Join(texts(part), "; ") }
	q := schema.QARecord{Question: text("question"), QuestionID: text("id"), CaseID: text("case"), RawCategory: text("category"), Answer: text("prediction"), Context: text("context"), System: f.systemOf(r)}
	if golds := texts("gold"); len(golds) > 0 {
		q.Gold = golds[0]
		if len(golds) > 1 {
			q.Golds = golds
		}
	}
	_, known := f.asked(q.QuestionID)
	q.Category = cmp.Or(datasets.Category(q.RawCategory), schema.CatOther)
	q.Abstain = q.Category == schema.CatABS
	lacks := func(part, message, want string) (schema.QARecord, error) {
		return q, &schema.Finding{Pos: r.pos, Pointer: r.pointer + schema.Pointer(cmp.Or(columns[part], f.columns[part], part)), Code: "PUB001", Message: "the row was skipped: " + message, Want: want}
	}
	switch {
	case wrong != nil:
		return q, wrong
	case strings.TrimSpace(q.Gold) == "" && !q.Abstain && !known:
		return lacks("gold", "its gold is empty", "the gold, or category ABS where the question has no answer")
	case codec.Member(r.raw, columns["prediction"]) == nil:
		return lacks("prediction", "it has no answer of the system", "a member with the answer; an empty text where the system gave none")
	case q.System == "" && len(f.systems) > 1:
		return lacks("system", "it names no system", "one of "+strings.Join(f.systems, ", "))
	case q.Question == "" && q.QuestionID == "":
		return lacks("question", "it has neither a question nor an id", "one of them")
	}
	if q.QuestionID == "" {
		sum := sha256.Sum256([]byte(strings.Join(strings.Fields(q.Question), " ")))
		q.QuestionID = "q-" + hex.EncodeToString(sum[:6])
	}
	q.CaseID = cmp.Or(q.CaseID, oneCase)
	return q, f.judge(&q, r, f.verdicts(r), "")
}

// strangers is the warning about the categories of a table that are outside the common set; nil if there are none. Those of known questions come from their cases.
func (f *file) strangers() *schema.Finding {
	if f.columns == nil || f.o.Asked != nil {
		return nil
	}
	var out *schema.Finding
	have, n := []string{}, 0
	for r, err := range f.table() {
		if err != nil {
			continue
		}
		var label datasets.Scalar
		if raw := codec.Member(r.raw, f.of(r)["category"]); raw == nil || codec.Unmarshal(raw, &label) != nil || datasets.Category(label.Text) != "" {
			continue
		}
		if n++; out == nil {
			out = &schema.Finding{Pos: r.pos, Pointer: r.pointer + schema.Pointer(f.of(r)["category"]), Code: "PUB020", Warning: true,
				Message: "categories outside the common set: they are " + schema.CatOther + " and keep their own names", Want: strings.Join(schema.Categories(), ", ")}
		}
		if !slices.Contains(have, label.Text) {
			have = append(have, label.Text)
		}
	}
	if out != nil {
		out.Have = fmt.Sprintf("%q in %d rows", have[:min(len(have), 8)], n)
	}
	return out
}

// verdicts are the verdicts of a row of a table, which may be a list of votes; an empty cell is none.
func (f *file) verdicts(r row) (out []datasets.Scalar) {
	raw := codec.Member(r.raw, f.of(r)["verdict"])
	if len(raw) == 0 {
		return nil
	}
	votes := make([]datasets.Scalar, 1)
	var err error
	if raw[0] == '[' {
		err = codec.Unmarshal(raw, &votes)
	} else {
		err = codec.Unmarshal(raw, &votes[0])
	}
	if err != nil {
		return []datasets.Scalar{{Text: string(raw), Kind: '"'}} // an object has no verdict that can be read
	}
	return slices.DeleteFunc(votes, func(s datasets.Scalar) bool { return strings.TrimSpace(s.Text) == "" })
}
