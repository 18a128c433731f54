// Package schema holds every record that crosses a file boundary, its ids and its
// versions. Each record is one line of JSON; the published contracts are the JSON
// Schemas in the folders v0.0.1 and v0.1.0, and a test holds the Go types equal to
// the newest of them.
package schema

import (
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"strings"
)

// Pos is where a record was read; zero fields are unknown and are not printed.
type Pos struct {
	File string `json:"file,omitzero"`
	Line int    `json:"line,omitzero"` // from 1
	Col  int    `json:"col,omitzero"`  // from 1, in code points
}

func (p Pos) String() string {
	s := p.File
	if p.Line > 0 {
		s += fmt.Sprintf(":%d", p.Line)
		if p.Col > 0 {
			s += fmt.Sprintf(":%d", p.Col)
		}
	}
	return s
}

// A Finding is a fault in data. It travels in the stream and does not end it.
type Finding struct {
	Pos     Pos    `json:"pos,omitzero"`
	Pointer string `json:"pointer,omitzero"` // RFC 6901; "" is the whole record
	Code    string `json:"code"`             // stable, listed in Codes
	Message string `json:"message"`          // lower case
	Have    string `json:"have,omitzero"`
	Want    string `json:"want,omitzero"`
	Warning bool   `json:"warning,omitzero"` // warnings never change the exit code
	Hint    string `json:"hint,omitzero"`    // suggested next step
	Failed  string `json:"failed,omitzero"`  // a model or service failed, and the record is not at fault: how (llm.Outcome)
}

// SameLine reports whether a finding is about the line at last, which it moves to the finding's: several faults of one line are one rejected record.
func (f *Finding) SameLine(last *Pos) bool {
	same := f.Pos.Line > 0 && f.Pos.Line == last.Line && f.Pos.File == last.File
	*last = f.Pos
	return same
}

// oneLine keeps text from data in the finding's line: a line of its own would look like
// another finding.
var oneLine = strings.NewReplacer("\n", `\n`, "\r", `\r`)

// IsFinding reports whether an error is about the data: a stream that yields one goes on.
func IsFinding(err error) bool {
	_, ok := errors.AsType[*Finding](err)
	return ok
}

// Whole reports whether a stream yields a record with err: there is no error, or it is a warning.
func Whole(err error) bool {
	f, ok := errors.AsType[*Finding](err)
	return err == nil || ok && f.Warning
}

// Error has the form path:line:col: /json/pointer: CODE: message (have …, want …), in one line.
func (f *Finding) Error() string {
	var b strings.Builder
	if s := f.Pos.String(); s != "" {
		b.WriteString(s)
		b.WriteString(": ")
	}
	if f.Pointer != "" {
		b.WriteString(f.Pointer)
		b.WriteString(": ")
	}
	b.WriteString(f.Code)
	b.WriteString(": ")
	if f.Warning {
		b.WriteString("warning: ")
	}
	b.WriteString(f.Message)
	switch {
	case f.Have != "" && f.Want != "":
		fmt.Fprintf(&b, " (have %s, want %s)", f.Have, f.Want)
	case f.Have != "":
		fmt.Fprintf(&b, " (have %s)", f.Have)
	case f.Want != "":
		fmt.Fprintf(&b, " (want %s)", f.Want)
	}
	return oneLine.Replace(b.String())
}

// A Record is a value and the place it came from.
type Record[T any] struct {
	Pos Pos
	V   T
}

// Seq is the input and output of every stage. An error is a *Finding (the record is skipped and counted, unless the finding is a warning with a value) or
// anything else (yielded once, ends the stream).
type Seq[T any] = iter.Seq2[Record[T], error]

// Extra keeps members that a type does not know; they come back after the known
// ones, sorted by name.
type Extra = map[string]json.RawMessage

// By names the producer of a record: "rule" or a model's name.
type By string

// ByRule marks records made by rules.
const ByRule By = "rule"
