package qdrant

import (
	"fmt"
	"hash/maphash"
	"math"
	"slices"
	"strconv"

	"membench/internal/codec"
	"membench/schema"

	"github.com/qdrant/go-client/qdrant"
)

const maxDepth = 100 // of nested lists and maps in a payload

// order is the order of the members that Mem0 writes: custom metadata first, then these, as in Mem0's own store. Qdrant keeps no order, so the rest is sorted.
var order = []string{"scene_id", "character_id", "conv_id", "user_id", "agent_id", "run_id", "actor_id", "role", "data", "text_lemmatized", "hash",
	"created_at", "updated_at", "attributed_to", "expiration_date"}

// payloadOf makes JSON of a payload; integers and doubles stay apart (1 and 1.0).
// NaN and the infinities, which JSON has not, become null and are counted.
func payloadOf(m map[string]*qdrant.Value) (o schema.Object, odd int, err error) {
	if m == nil {
		return o, 0, nil
	}
	w := valueWriter{out: make([]byte, 0, 512)}
	err = w.object(m, rankOf)
	return schema.RawObject(w.out), w.odd, err
}

var ranks = func() map[string]int {
	m := map[string]int{}
	for i, name := range order {
		m[name] = i + 1
	}
	return m
}()

// rankOf puts scene_id, character_id and conv_id first, then foreign members, then Mem0's.
func rankOf(name string) int {
	switch r := ranks[name]; {
	case r == 0:
		return 4
	case r <= 3:
		return r
	default:
		return r + 1
	}
}

type valueWriter struct {
	out   []byte
	odd   int
	depth int
	keys  []string
}

func (w *valueWriter) object(m map[string]*qdrant.Value, rank func(string) int) error {
	if w.depth++; w.depth > maxDepth {
		return fmt.Errorf("nested deeper than %d", maxDepth)
	}
	defer func() { w.depth-- }()
	start := len(w.keys)
	for k := range m {
		w.keys = append(w.keys, k)
	}
	keys := w.keys[start:]
	slices.SortFunc(keys, func(a, b string) int {
		if rank != nil {
			if d := rank(a) - rank(b); d != 0 {
				return d
			}
		}
		if a < b {
			return -1
		}
		return 1
	})
	w.out = append(w.out, '{')
	for i := range keys {
		if i > 0 {
			w.out = append(w.out, ", "...)
		}
		k := w.keys[start+i] // keys may have moved
		w.out = codec.AppendString(w.out, k)
		w.out = append(w.out, ": "...)
		if err := w.value(m[k]); err != nil {
			return err
		}
	}
	w.keys = w.keys[:start]
	w.out = append(w.out, '}')
	return nil
}

func (w *valueWriter) value(v *qdrant.Value) error {
	switch k := v.GetKind().(type) {
	case nil, *qdrant.Value_NullValue:
		w.out = append(w.out, "null"...)
	case *qdrant.Value_BoolValue:
		w.out = strconv.AppendBool(w.out, k.BoolValue)
	case *qdrant.Value_IntegerValue:
		w.out = strconv.AppendInt(w.out, k.IntegerValue, 10)
	case *qdrant.Value_DoubleValue:
		w.double(k.DoubleValue)
	case *qdrant.Value_StringValue:
		w.out = codec.AppendString(w.out, k.StringValue)
	case *qdrant.Value_StructValue:
		return w.object(k.StructValue.GetFields(), nil)
	case *qdrant.Value_ListValue:
		if w.depth++; w.depth > maxDepth {
			return fmt.Errorf("nested deeper than %d", maxDepth)
		}
		defer func() { w.depth-- }()
		w.out = append(w.out, '[')
		for i, x := range k.ListValue.GetValues() {
			if i > 0 {
				w.out = append(w.out, ", "...)
			}
			if err := w.value(x); err != nil {
				return err
			}
		}
		w.out = append(w.out, ']')
	default:
		return fmt.Errorf("a value of kind %T", k)
	}
	return nil
}

func (w *valueWriter) double(f float64) {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		w.odd++
		w.out = append(w.out, "null"...)
		return
	}
	w.out = schema.AppendFloat(w.out, f)
}

// digest is a hash of a payload that does not depend on the order of its members; it
// is compared only within one process.
func digest(seed maphash.Seed, m map[string]*qdrant.Value, depth int) uint64 {
	var sum uint64
	for k, v := range m {
		sum += mix(maphash.String(seed, k)*3 + digestValue(seed, v, depth))
	}
	return mix(sum + uint64(len(m)))
}

func digestValue(seed maphash.Seed, v *qdrant.Value, depth int) uint64 {
	if depth > maxDepth {
		return 1
	}
	switch k := v.GetKind().(type) {
	case *qdrant.Value_StringValue:
		return maphash.String(seed, k.StringValue)
	case *qdrant.Value_IntegerValue:
		return mix(uint64(k.IntegerValue) + 2)
	case *qdrant.Value_DoubleValue:
		return mix(math.Float64bits(k.DoubleValue) + 3)
	case *qdrant.Value_BoolValue:
		if k.BoolValue {
			return mix(4)
		}
		return mix(5)
	case *qdrant.Value_StructValue:
		return digest(seed, k.StructValue.GetFields(), depth+1) + 6
	case *qdrant.Value_ListValue:
		sum := uint64(7)
		for _, x := range k.ListValue.GetValues() {
			sum = mix(sum*31 + digestValue(seed, x, depth+1))
		}
		return sum
	}
	return mix(8)
}

// mix spreads the bits (the finaliser of MurmurHash3).
func mix(x uint64) uint64 {
	x ^= x >> 33
	x *= 0xff51afd7ed558ccd
	x ^= x >> 33
	x *= 0xc4ceb9fe1a85ec53
	return x ^ x>>33
}

// valueOf is the other way: payload JSON as Qdrant keeps it. Integers beyond 64 bits
// become doubles, as Qdrant itself does.
func valueOf(raw []byte) (*qdrant.Value, error) {
	s := new(codec.Scanner)
	s.Reset(raw, false)
	v := scanValue(s)
	if v == nil || !s.End() {
		return nil, fmt.Errorf("%.60q is not a JSON value", raw)
	}
	return v, nil
}

func scanValue(s *codec.Scanner) *qdrant.Value {
	switch s.Kind() {
	case '"':
		body, escaped, ok := s.String()
		if !ok {
			return nil
		}
		if escaped {
			body = codec.AppendUnescaped(nil, body)
		}
		return qdrant.NewValueString(string(body))
	case 't', 'f', 'n':
		c, ok := s.Literal()
		switch {
		case !ok:
			return nil
		case c == 'n':
			return qdrant.NewValueNull()
		}
		return qdrant.NewValueBool(c == 't')
	case '0':
		t, ok := s.Number()
		if !ok {
			return nil
		}
		if n, err := strconv.ParseInt(string(t), 10, 64); err == nil {
			return qdrant.NewValueInt(n)
		}
		f, err := strconv.ParseFloat(string(t), 64)
		if err != nil {
			return nil
		}
		return qdrant.NewValueDouble(f)
	case '[':
		out := &qdrant.ListValue{}
		for ok := s.Array(); ok && s.Element(); {
			x := scanValue(s)
			if x == nil {
				return nil
			}
			out.Values = append(out.Values, x)
		}
		return qdrant.NewValueList(out)
	case '{':
		out := &qdrant.Struct{Fields: map[string]*qdrant.Value{}}
		if !s.Object() {
			return nil
		}
		for {
			name, ok := s.Member()
			if !ok {
				return qdrant.NewValueStruct(out)
			}
			k := string(name)
			x := scanValue(s)
			if x == nil {
				return nil
			}
			out.Fields[k] = x
		}
	}
	return nil
}
