//go:build jsonexp

package codec

import (
	"errors"
	"io"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

func unmarshal(b []byte, v any) error { return json.Unmarshal(b, v) }

func marshalWrite(w io.Writer, v any, l Layout) error {
	switch l {
	case Spaced:
		return json.MarshalWrite(w, v, json.Deterministic(true), jsontext.SpaceAfterColon(true), jsontext.SpaceAfterComma(true))
	case Indented:
		return json.MarshalWrite(w, v, json.Deterministic(true), jsontext.WithIndent("  "))
	}
	return json.MarshalWrite(w, v, json.Deterministic(true))
}

func libError(err error) *Error {
	var sem *json.SemanticError
	if errors.As(err, &sem) {
		e := &Error{Offset: sem.ByteOffset, Pointer: string(sem.JSONPointer), Have: kindName(byte(sem.JSONKind)), Want: wantOf(sem.GoType), Msg: "cannot be read"}
		if sem.Err != nil {
			e.Msg = sem.Err.Error()
		}
		return e
	}
	var syn *jsontext.SyntacticError
	if errors.As(err, &syn) {
		e := &Error{Offset: syn.ByteOffset, Pointer: string(syn.JSONPointer), Msg: err.Error()}
		if syn.Err != nil {
			e.Msg = syn.Err.Error()
		}
		return e
	}
	return &Error{Msg: err.Error()}
}

type decoder = jsontext.Decoder

// lenient lets names come twice: the Reader sees to those that are asked for.
var lenient = jsontext.AllowDuplicateNames(true)
