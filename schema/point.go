package schema

import (
	"errors"
	"strings"

	"membench/internal/codec"
)

// intPoint marks a PointID that is an integer in the data, as Qdrant allows: no text
// holds the byte. The digits follow.
const intPoint = "\xff"

// Text returns the id as text, as it is part of other ids: an integer is its digits.
func (p PointID) Text() string { return strings.TrimPrefix(string(p), intPoint) }

// AppendJSON appends the id as in the data: a string or an integer.
func (p PointID) AppendJSON(dst []byte) []byte {
	if digits, ok := strings.CutPrefix(string(p), intPoint); ok {
		return append(dst, digits...)
	}
	return codec.AppendString(dst, string(p))
}

func (p PointID) MarshalJSON() ([]byte, error) { return p.AppendJSON(nil), nil }

// UnmarshalJSON parses a string or an integer; null is "". Anything else is an error.
func (p *PointID) UnmarshalJSON(b []byte) error {
	switch {
	case len(b) > 0 && b[0] == '"':
		*p = PointID(codec.Unquote(b))
	case string(b) == "null":
		*p = ""
	case len(b) > 0 && strings.Trim(strings.TrimPrefix(string(b), "-"), "0123456789") == "":
		*p = PointID(intPoint + string(b))
	default:
		return errors.New("want a string or an integer")
	}
	return nil
}
