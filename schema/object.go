package schema

import (
	"fmt"
	"iter"
	"slices"
	"strings"

	"membench/internal/codec"
)

// Object is a JSON object that keeps the order of its members and the text of its
// numbers. The zero Object is {}. Values are shared, never changed in place.
type Object struct{ raw []byte }

// NewObject makes an object of v, a struct or map that encodes as one.
func NewObject(v any) (Object, error) {
	b, err := codec.Append(nil, v, codec.Compact)
	if err != nil {
		return Object{}, err
	}
	if len(b) == 0 || b[0] != '{' {
		return Object{}, fmt.Errorf("%T encodes as %.20s, want an object", v, b)
	}
	return Object{b}, nil
}

// RawObject takes raw, which must be one valid JSON object, without checking it.
func RawObject(raw []byte) Object { return Object{raw} }

func (o Object) MarshalJSON() ([]byte, error) {
	if o.raw == nil {
		return []byte("{}"), nil
	}
	return o.raw, nil
}

// UnmarshalJSON accepts an object or null (the zero Object that IsNull reports).
func (o *Object) UnmarshalJSON(b []byte) error {
	if len(b) == 0 || b[0] != '{' && string(b) != "null" {
		return &codec.Error{Have: kindOf(b), Want: "object", Msg: "not an object"}
	}
	o.raw = append([]byte(nil), b...)
	return nil
}

func kindOf(b []byte) string {
	if len(b) == 0 {
		return ""
	}
	switch c := b[0]; {
	case c == '"':
		return "string"
	case c == '[':
		return "array"
	case c == 'n':
		return "null"
	case c == 't' || c == 'f':
		return "boolean"
	}
	return "number"
}

// IsNull reports whether the object was read from a JSON null.
func (o Object) IsNull() bool { return string(o.raw) == "null" }

// Len is the number of members.
func (o Object) Len() int {
	n := 0
	for range o.Members() {
		n++
	}
	return n
}

// Members yields name and raw value of each member, in order.
func (o Object) Members() iter.Seq2[string, []byte] { return codec.Members(o.raw) }

// Get returns the raw value of a member; of a repeated name, the last.
func (o Object) Get(name string) (raw []byte, ok bool) {
	for k, v := range o.Members() {
		if k == name {
			raw, ok = v, true
		}
	}
	return raw, ok
}

// Text returns the member's string, or "" when it is absent or no string.
func (o Object) Text(name string) string {
	if raw, ok := o.Get(name); ok && raw[0] == '"' {
		return codec.Unquote(raw)
	}
	return ""
}

// Read decodes the whole object into v, a struct or map.
func (o Object) Read(v any) error {
	raw, _ := o.MarshalJSON()
	return codec.Unmarshal(raw, v)
}

// With returns a copy with the member set: in place if the name exists, otherwise at the end. It fails if v cannot be encoded.
func (o Object) With(name string, v any) (Object, error) {
	val, err := codec.Append(nil, v, codec.Compact)
	if err != nil {
		return o, err
	}
	var b ObjectBuilder
	found := false
	for k, raw := range o.Members() {
		if k == name {
			raw, found = val, true
		}
		b.Raw(k, raw)
	}
	if !found {
		b.Raw(name, val)
	}
	return b.Object(), nil
}

// Without returns a copy that lacks the named members.
func (o Object) Without(names ...string) Object {
	var b ObjectBuilder
	for k, raw := range o.Members() {
		if !slices.Contains(names, k) {
			b.Raw(k, raw)
		}
	}
	return b.Object()
}

// An ObjectBuilder writes members in the order of the calls.
type ObjectBuilder struct{ b []byte }

func (o *ObjectBuilder) name(k string) {
	if len(o.b) == 0 {
		o.b = append(o.b, '{')
	} else {
		o.b = append(o.b, ',')
	}
	o.b = append(codec.AppendString(o.b, k), ':')
}

// Raw adds a member whose value is the JSON text raw.
func (o *ObjectBuilder) Raw(name string, raw []byte) { o.name(name); o.b = append(o.b, raw...) }

// String adds a string member.
func (o *ObjectBuilder) String(name, v string) { o.name(name); o.b = codec.AppendString(o.b, v) }

// Value adds any value that encodes.
func (o *ObjectBuilder) Value(name string, v any) error {
	b, err := codec.Append(nil, v, codec.Compact)
	if err != nil {
		return fmt.Errorf("member %s: %w", name, err)
	}
	o.Raw(name, b)
	return nil
}

// Object returns the object built.
func (o *ObjectBuilder) Object() Object {
	if len(o.b) == 0 {
		return Object{}
	}
	return Object{append(o.b, '}')}
}

// Pointer joins tokens to an RFC 6901 pointer.
func Pointer(tokens ...string) string {
	var b strings.Builder
	for _, t := range tokens {
		b.WriteByte('/')
		b.WriteString(strings.ReplaceAll(strings.ReplaceAll(t, "~", "~0"), "/", "~1"))
	}
	return b.String()
}
