package codec

import (
	"errors"
	"io"

	"github.com/goccy/go-json/jsontext"
	json "github.com/goccy/go-json/v2"
)

// This file is all that knows the library. go-json-experiment/json, which has the same
// interface, is its oracle in a fuzz test.

func unmarshal(b []byte, v any) error { return json.Unmarshal(b, v) }

func marshalWrite(w io.Writer, v any, l Layout) error {
	switch l {
	case Spaced: // the library would scan its own text again, by a slower scanner
		return spaced(w, func(w io.Writer) error { return json.MarshalWrite(w, v, json.Deterministic(true)) })
	case Indented:
		return json.MarshalWrite(w, v, json.Deterministic(true), jsontext.WithIndent("  "))
	}
	return json.MarshalWrite(w, v, json.Deterministic(true))
}

func libError(err error) *Error {
	if sem, ok := errors.AsType[*json.SemanticError](err); ok {
		e := &Error{Offset: sem.ByteOffset, Pointer: string(sem.JSONPointer), Have: kindName(byte(sem.JSONKind)), Want: wantOf(sem.GoType), Msg: "cannot be read"}
		if sem.Err != nil {
			e.Msg = sem.Err.Error()
		}
		return e
	}
	if syn, ok := errors.AsType[*jsontext.SyntacticError](err); ok {
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
