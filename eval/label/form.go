package label

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"membench/internal/codec"
	"membench/internal/csvdoc"
	"membench/schema"
	"membench/schema/jsonl"
)

// columns of a table of labels: name, Chinese name, place in a Label.
var columns = []struct {
	name, zh string
	at       func(*Label) *string
}{
	{"system", "系统", func(l *Label) *string { return &l.System }},
	{"dataset", "数据集", func(l *Label) *string { return &l.Dataset }},
	{"case_id", "用例", func(l *Label) *string { return &l.CaseID }},
	{"question_id", "题号", func(l *Label) *string { return &l.QuestionID }},
	{"category", "类别", func(l *Label) *string { return &l.Category }},
	{"question", "问题", func(l *Label) *string { return &l.Question }},
	{"gold", "标准答案", func(l *Label) *string { return &l.Gold }},
	{"answer", "系统回答", func(l *Label) *string { return &l.Answer }},
	{"evidence", "证据轮次", func(l *Label) *string { return &l.Evidence }},
	{"kept", "记忆内容", func(l *Label) *string { return &l.Kept }},
	{"hits", "检索结果", func(l *Label) *string { return &l.Hits }},
	{"context", "上下文", func(l *Label) *string { return &l.Context }},
	{"answer_sha256", "回答摘要", func(l *Label) *string { return &l.Digest }},
	{"draw", "抽样范围", func(l *Label) *string { return &l.Draw }},
	{"by", "标注人", func(l *Label) *string { return &l.By }},
	{"verdict", "对错", func(l *Label) *string { return &l.Verdict }},
	{"gold_wrong", "标准答案有误", func(l *Label) *string { return &l.GoldWrong }},
	{"hop", "丢失环节", func(l *Label) *string { return &l.Hop }},
	{"cause", "原因", func(l *Label) *string { return &l.Cause }},
	{"note", "备注", func(l *Label) *string { return &l.Note }},
}

// Form is how a file of labels is written.
type Form int

const (
	JSONL Form = iota
	TSV        // with a byte order mark, so that spreadsheets read Chinese
	CSV
)

// Write writes labels. Tables have a header in both languages.
func Write(w io.Writer, labels []Label, f Form) error {
	if f == JSONL {
		for _, l := range labels {
			if err := codec.WriteLine(w, l); err != nil {
				return err
			}
		}
		return nil
	}
	if _, err := io.WriteString(w, "\uFEFF"); err != nil {
		return err
	}
	t := csv.NewWriter(w)
	if f == TSV {
		t.Comma = '\t'
	}
	row := []string{"repeat 重复"}
	for _, c := range columns {
		row = append(row, c.name+" "+c.zh)
	}
	if err := t.Write(row); err != nil {
		return err
	}
	for i := range labels {
		row = append(row[:0], strconv.Itoa(labels[i].Repeat))
		for _, c := range columns {
			row = append(row, safe(*c.at(&labels[i])))
		}
		if err := t.Write(row); err != nil {
			return err
		}
	}
	t.Flush()
	return t.Error()
}

// Read reads a file of labels. A line that cannot be read, names no answer, or has an unknown hop or cause is finding EVL102 and skipped.
func Read(r io.Reader, name string, f Form, report func(*schema.Finding)) ([]Label, error) {
	var out []Label
	bad := func(line int, message, have, want string) {
		report(&schema.Finding{Pos: schema.Pos{File: name, Line: line}, Code: "EVL102", Message: message, Have: have, Want: want})
	}
	take := func(l Label, line int) {
		if l.System == "" || l.CaseID == "" || l.QuestionID == "" {
			bad(line, "the label does not identify an answer", fmt.Sprintf("system %q, case_id %q, question_id %q", l.System, l.CaseID, l.QuestionID), "all three")
		} else if what, have, want := l.normal(); what != "" {
			bad(line, "this is not a valid "+what, have, want)
		} else {
			out = append(out, l)
		}
	}
	b := bufio.NewReader(r)
	if mark, err := b.Peek(3); err == nil && bytes.Equal(mark, []byte("\uFEFF")) {
		b.Discard(3)
	}
	if f == JSONL {
		for line, err := range jsonl.Lines(b, name, 0) {
			if err != nil {
				return out, err
			}
			var l Label
			if line.TooLong {
				report(jsonl.TooLong(line))
			} else if err = codec.Unmarshal(line.Bytes, &l); err == nil {
				take(l, line.Pos.Line)
			} else {
				bad(line.Pos.Line, "the line is not a label: "+err.Error(), "", "")
			}
		}
		return out, nil
	}
	t := csvdoc.NewReader(b)
	t.FieldsPerRecord, t.LazyQuotes = -1, true
	if f == TSV {
		t.Comma = '\t'
	}
	var head []string
	for {
		row, err := t.Read()
		var wrong *csv.ParseError
		switch {
		case err == io.EOF:
			return out, nil
		case errors.As(err, &wrong):
			bad(wrong.Line, "the line is not a row of a table: "+wrong.Err.Error(), "", "")
			continue
		case err != nil:
			return out, fmt.Errorf("%s: %w", name, err)
		}
		if head == nil {
			head = make([]string, len(row))
			for i, h := range row {
				head[i], _, _ = strings.Cut(h, " ")
			}
			for _, want := range []string{"system", "case_id", "question_id", "hop"} {
				if !slices.Contains(head, want) {
					return nil, schema.Brokenf("%s: the first line has no column %s: is it a file that --labels wrote?", name, want)
				}
			}
			continue
		}
		var l Label
		line, _ := t.FieldPos(0)
		if len(row) > len(head) && strings.Join(row[len(head):], "") != "" { // a comma without quotation marks moves the cells behind it
			bad(line, "the row has more cells than the table has columns", strings.Join(row[len(head):], ", "), fmt.Sprintf("%d cells", len(head)))
			continue
		}
		for i, text := range row[:min(len(row), len(head))] {
			if head[i] == "repeat" && text != "" {
				if l.Repeat, err = strconv.Atoi(text); err != nil || l.Repeat < 0 {
					bad(line, "the repeat is not a number", text, "0 or more")
					l.Repeat = -1
					break
				}
			}
			for _, c := range columns {
				if c.name == head[i] {
					*c.at(&l) = unsafe(text)
				}
			}
		}
		if l.Repeat >= 0 {
			take(l, line)
		}
	}
}

// safe keeps a spreadsheet from taking a text of the data for a formula: such a cell, and
// one that has an apostrophe before such a sign, begins with an apostrophe.
func safe(s string) string {
	if risky(s) {
		return "'" + s
	}
	return s
}

// unsafe takes it off again.
func unsafe(s string) string {
	if rest, ok := strings.CutPrefix(s, "'"); ok && risky(rest) {
		return rest
	}
	return s
}

func risky(s string) bool {
	s = strings.TrimLeft(s, "'")
	return s != "" && strings.ContainsRune("=+-@\t\r", rune(s[0]))
}
