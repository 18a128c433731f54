package localstore

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"math"
	"math/big"
	"math/bits"
	"slices"
	"strconv"
	"unicode/utf8"

	"membench/schema"
)

// The unpickler is a reader of data, not of programs: it knows the opcodes that build
// numbers, texts, lists, maps and sets, and two classes whose state it takes as a map.
// Opcodes that import, call or look up anything else (GLOBAL, REDUCE, INST, OBJ, EXT,
// PERSID, …) are rejected, so there is nothing in a file that could run. Time and
// memory are bounded by maxPoint and maxValues, whatever the bytes say.
const (
	maxPoint  = 16 << 20 // bytes of one pickle, and of the JSON made of one payload
	maxValues = 1 << 20  // on the stack, in the memo, or made: each
	maxDepth  = 100      // of nested lists and maps in a payload
	maxInt    = 512      // bytes of one integer
)

// Classes whose instances may be in a store; the value is what we call them.
var classes = map[[2]string]class{
	{"qdrant_client.http.models.models", "PointStruct"}:  pointClass,
	{"qdrant_client.http.models.models", "SparseVector"}: sparseClass,
}

type class uint8

const (
	pointClass class = iota + 1
	sparseClass
)

type kind uint8

const (
	none kind = iota
	boolean
	integer  // num
	bigger   // text: decimal
	float    // num: IEEE bits
	text     // text
	floats   // text: BINFLOATs as they are in the pickle, each 9 bytes; an element run of a list
	list     // ref
	tuple    // ref
	set      // ref
	dict     // ref: key, value, key, value …
	classRef // num: class
	instance // num: class, ref: its state as of a dict
)

// value is one Python value. Compound ones are shared by reference, as in Python.
type value struct {
	kind kind
	num  uint64
	text string
	ref  *compound
}

type compound struct{ items []value }

func (v value) String() string {
	return [...]string{"None", "bool", "int", "int", "float", "str", "floats", "list", "tuple", "set", "dict", "class", "instance"}[v.kind]
}

// get returns a member of a dict or of an instance's state; of repeated keys the last.
func (v value) get(name string) (value, bool) {
	if v.kind != dict && v.kind != instance || v.ref == nil {
		return value{}, false
	}
	for i := len(v.ref.items) - 2; i >= 0; i -= 2 {
		if k := v.ref.items[i]; k.kind == text && k.text == name {
			return v.ref.items[i+1], true
		}
	}
	return value{}, false
}

// fault is what is wrong with a pickle and where, in bytes from its start.
type fault struct {
	at  int
	why string
}

func (f *fault) Error() string { return fmt.Sprintf("%s (byte %d of the pickle)", f.why, f.at) }

// machine reads one pickle. It may be used again. After a fault, which err keeps, what it holds is of no use.
type machine struct {
	b     string
	at    int
	err   error
	stack []value
	marks []int
	memo  []value
	made  int

	pool []*compound // made by this pickle and ones before it
	used int         // of them, by this one
	json jsonWriter
}

// load returns the value of the pickle in b. Texts in it are parts of b; the value is valid until the next load.
func (m *machine) load(b string) (value, error) {
	if len(b) > maxPoint {
		return value{}, &fault{0, fmt.Sprintf("%d bytes, read are at most %d", len(b), maxPoint)}
	}
	m.b, m.at, m.err, m.made, m.used = b, 0, nil, 0, 0
	clear(m.stack) // lets go of what an earlier pickle made
	clear(m.memo)
	m.stack, m.marks, m.memo = m.stack[:0], m.marks[:0], m.memo[:0]
	for {
		start := m.at
		op := byte(m.uint(1))
		if op == '.' {
			if len(m.stack) != 1 || len(m.marks) != 0 {
				return value{}, &fault{start, "the pickle ends with unused values"}
			}
			return m.stack[0], nil
		}
		m.step(op)
		if len(m.stack) > maxValues || len(m.memo) > maxValues || m.made > maxValues {
			m.fail("more than %d values", maxValues)
		}
		if m.err != nil {
			return value{}, &fault{start, m.err.Error()}
		}
	}
}

// fail keeps the first fault.
func (m *machine) fail(format string, args ...any) {
	if m.err == nil {
		m.err = fmt.Errorf(format, args...)
	}
}

func (m *machine) take(n uint64) string {
	if n > uint64(len(m.b)-m.at) {
		m.fail("the pickle ends early")
		return ""
	}
	s := m.b[m.at : m.at+int(n)]
	m.at += int(n)
	return s
}

// uint reads a little-endian number of n bytes.
func (m *machine) uint(n int) (x uint64) {
	s := m.take(uint64(n))
	for i := len(s) - 1; i >= 0; i-- {
		x = x<<8 | uint64(s[i])
	}
	return x
}

func (m *machine) push(v value) { m.stack = append(m.stack, v) }

func (m *machine) pushInt(n int64) { m.push(value{kind: integer, num: uint64(n)}) }

func (m *machine) pushNew(k kind, items []value) {
	m.made += 1 + len(items)
	c := m.compound()
	c.items = append(c.items, items...)
	m.push(value{kind: k, ref: c})
}

// compound is an empty one, of an earlier pickle where there is one to spare.
func (m *machine) compound() *compound {
	if m.used == len(m.pool) {
		m.pool = append(m.pool, &compound{})
	}
	c := m.pool[m.used]
	m.used++
	c.items = c.items[:0]
	return c
}

// base is the lowest stack place that may be popped: values below a mark belong to it.
func (m *machine) base() int {
	if len(m.marks) == 0 {
		return 0
	}
	return m.marks[len(m.marks)-1]
}

// popN returns the last n values; they are valid until the next push.
func (m *machine) popN(n int) []value {
	i := len(m.stack) - n
	if i < m.base() {
		m.fail("nothing on the stack")
		return nil
	}
	items := m.stack[i:]
	m.stack = m.stack[:i]
	return items
}

func (m *machine) pop() (v value) {
	if items := m.popN(1); len(items) > 0 {
		v = items[0]
	}
	return v
}

// popMark returns what was pushed since the last mark; it is valid until the next push.
func (m *machine) popMark() []value {
	if len(m.marks) == 0 {
		m.fail("no mark on the stack")
		return nil
	}
	n := len(m.stack) - m.base()
	m.marks = m.marks[:len(m.marks)-1]
	return m.popN(n)
}

// top returns the value that the next opcode adds to; nil is a fault.
func (m *machine) top(k kind) *compound {
	if len(m.stack) <= m.base() {
		m.fail("nothing on the stack")
		return nil
	}
	v := m.stack[len(m.stack)-1]
	if v.kind != k {
		m.fail("adding to a value of type %s, want %s", v, value{kind: k})
		return nil
	}
	return v.ref
}

// extend adds items to the value that is a list, map or set.
func (m *machine) extend(k kind, items []value) {
	c := m.top(k)
	if k == dict && len(items)%2 != 0 {
		m.fail("a key without a value")
	}
	if m.err == nil {
		m.made += len(items)
		c.items = append(c.items, items...)
	}
}

func (m *machine) step(op byte) {
	switch op {
	case 0x80: // PROTO
		if v := m.uint(1); v > 5 {
			m.fail("pickle protocol %d, known are 2 to 5", v)
		}
	case 0x95: // FRAME: how much follows; the opcodes say it, too
		m.uint(8)
	case 'N':
		m.push(value{})
	case 0x88, 0x89: // NEWTRUE NEWFALSE
		m.push(value{kind: boolean, num: uint64(0x89 - op)})
	case 'K': // BININT1
		m.pushInt(int64(m.uint(1)))
	case 'M': // BININT2
		m.pushInt(int64(m.uint(2)))
	case 'J': // BININT
		m.pushInt(int64(int32(m.uint(4))))
	case 0x8a: // LONG1
		m.pushLong(m.take(m.uint(1)))
	case 0x8b: // LONG4
		m.pushLong(m.take(m.uint(4)))
	case 'G': // BINFLOAT
		m.push(value{kind: float, num: bits.ReverseBytes64(m.uint(8))})
	case 0x8c: // SHORT_BINUNICODE
		m.pushText(m.take(m.uint(1)))
	case 'X': // BINUNICODE
		m.pushText(m.take(m.uint(4)))
	case 0x8d: // BINUNICODE8
		m.pushText(m.take(m.uint(8)))
	case '(': // MARK
		m.marks = append(m.marks, len(m.stack))
		if len(m.marks) > maxValues {
			m.fail("more than %d marks", maxValues)
		}
		m.takeFloats()
	case ']':
		m.pushNew(list, nil)
	case '}':
		m.pushNew(dict, nil)
	case ')':
		m.pushNew(tuple, nil)
	case 0x8f:
		m.pushNew(set, nil)
	case 'a': // APPEND
		m.extend(list, m.popN(1))
	case 'e': // APPENDS
		m.extend(list, m.popMark())
	case 's': // SETITEM
		m.extend(dict, m.popN(2))
	case 'u': // SETITEMS
		m.extend(dict, m.popMark())
	case 0x90: // ADDITEMS
		m.extend(set, m.popMark())
	case 't': // TUPLE
		m.pushNew(tuple, m.popMark())
	case 0x85, 0x86, 0x87: // TUPLE1 TUPLE2 TUPLE3
		m.pushNew(tuple, m.popN(int(op)-0x84))
	case 0x94: // MEMOIZE
		m.remember(len(m.memo))
	case 'q': // BINPUT
		m.remember(int(m.uint(1)))
	case 'r': // LONG_BINPUT
		m.remember(int(m.uint(4)))
	case 'h': // BINGET
		m.recall(m.uint(1))
	case 'j': // LONG_BINGET
		m.recall(m.uint(4))
	case 0x93: // STACK_GLOBAL
		m.class()
	case 0x81: // NEWOBJ
		m.newObject()
	case 'b': // BUILD
		m.build()
	default:
		m.fail("opcode %s is not one that builds plain data: refused", cmp.Or(opNames[op], fmt.Sprintf("0x%02x", op)))
	}
}

// opNames are the opcodes that people ask about when a store is rejected.
var opNames = map[byte]string{'c': "GLOBAL", 'R': "REDUCE", 'i': "INST", 'o': "OBJ", 'P': "PERSID", 'Q': "BINPERSID", 0x82: "EXT1",
	0x83: "EXT2", 0x84: "EXT4", 0x92: "NEWOBJ_EX", 'B': "BINBYTES", 'C': "SHORT_BINBYTES", 0x8e: "BINBYTES8", 0x96: "BYTEARRAY8", 0x91: "FROZENSET"}

// takeFloats reads a run of BINFLOATs that ends in APPENDS as one value: a vector of
// 1,536 numbers then costs what skipping it costs.
func (m *machine) takeFloats() {
	end := m.at
	for end+9 <= len(m.b) && m.b[end] == 'G' {
		end += 9
	}
	if end > m.at && end < len(m.b) && m.b[end] == 'e' {
		m.stack = append(m.stack, value{kind: floats, text: m.b[m.at:end]})
		m.at = end
	}
}

func (m *machine) pushText(s string) {
	if !utf8.ValidString(s) { // Python's surrogatepass can leave half a pair
		m.fail("a text is not UTF-8")
	}
	m.push(value{kind: text, text: s})
}

// pushLong reads two's complement, lowest byte first.
func (m *machine) pushLong(s string) {
	if len(s) > maxInt {
		m.fail("an integer of %d bytes, read are at most %d", len(s), maxInt)
		return
	}
	b := []byte(s)
	slices.Reverse(b)
	n := new(big.Int).SetBytes(b)
	if len(b) > 0 && b[0] >= 0x80 {
		n.Sub(n, new(big.Int).Lsh(big.NewInt(1), uint(8*len(b))))
	}
	if n.IsInt64() {
		m.pushInt(n.Int64())
		return
	}
	m.push(value{kind: bigger, text: n.String()})
}

func (m *machine) remember(i int) {
	if len(m.stack) <= m.base() {
		m.fail("nothing to remember")
		return
	}
	v := m.stack[len(m.stack)-1]
	switch {
	case i < len(m.memo):
		m.memo[i] = v
	case i == len(m.memo):
		m.memo = append(m.memo, v)
	default:
		m.fail("memo %d is set after only %d", i, len(m.memo))
	}
}

func (m *machine) recall(i uint64) {
	if i >= uint64(len(m.memo)) {
		m.fail("memo %d was never set", i)
		return
	}
	m.push(m.memo[i])
}

func (m *machine) class() {
	name, module := m.pop(), m.pop()
	if name.kind != text || module.kind != text {
		m.fail("a class that is not named by texts")
	}
	c := classes[[2]string{module.text, name.text}]
	if c == 0 {
		m.fail("class %.80q is not one of a Qdrant point: refused", module.text+"."+name.text)
	}
	m.push(value{kind: classRef, num: uint64(c)})
}

func (m *machine) newObject() {
	args, c := m.pop(), m.pop()
	if c.kind != classRef || args.kind != tuple || len(args.ref.items) != 0 {
		m.fail("an instance made of anything but a known class without arguments: refused")
	}
	m.made++
	m.push(value{kind: instance, num: c.num, ref: m.compound()})
}

// build sets the state of an instance: pydantic's, whose __dict__ holds the fields.
func (m *machine) build() {
	state := m.pop()
	fields, ok := state.get("__dict__")
	if state.kind != dict || !ok || fields.kind != dict {
		m.fail("a state without __dict__")
	}
	if c := m.top(instance); m.err == nil {
		c.items = append(c.items[:0], fields.ref.items...) // a slice of its own: compounds are used again
	}
}

// json appends v as JSON text: tuples and sets as lists, floats as Python writes them.
// NaN and the infinities, which JSON has not, become null and are counted.
type jsonWriter struct {
	out   []byte
	odd   int // NaN and infinities
	depth int
}

func (w *jsonWriter) value(v value) error {
	if len(w.out) > maxPoint {
		return fmt.Errorf("the payload is over %d bytes as JSON", maxPoint)
	}
	switch v.kind {
	case none:
		w.out = append(w.out, "null"...)
	case boolean:
		w.out = strconv.AppendBool(w.out, v.num != 0)
	case integer:
		w.out = strconv.AppendInt(w.out, int64(v.num), 10)
	case bigger:
		w.out = append(w.out, v.text...)
	case float:
		w.float(math.Float64frombits(v.num))
	case text:
		w.string(v.text)
	case floats:
		for i := 0; i < len(v.text); i += 9 {
			if i > 0 {
				w.out = append(w.out, ", "...)
			}
			w.float(math.Float64frombits(binary.BigEndian.Uint64([]byte(v.text[i+1 : i+9]))))
		}
	case list, tuple, set:
		return w.nested(v.ref.items, '[', ']', func(i int) error { return w.value(v.ref.items[i]) })
	case dict:
		if w.plain(v.ref.items) {
			return w.nested(v.ref.items[:len(v.ref.items)/2], '{', '}', func(i int) error {
				w.string(v.ref.items[2*i].text)
				w.out = append(w.out, ": "...)
				return w.value(v.ref.items[2*i+1])
			})
		}
		keys, at := w.members(v.ref.items)
		return w.nested(keys, '{', '}', func(i int) error {
			switch k := keys[i]; k.kind {
			case text:
				w.string(k.text)
			case integer:
				w.string(strconv.FormatInt(int64(k.num), 10)) // as json.dumps does
			default:
				return fmt.Errorf("a map with a key of type %s", k)
			}
			w.out = append(w.out, ": "...)
			return w.value(v.ref.items[at[i]+1])
		})
	default:
		return fmt.Errorf("a value of type %s in the payload", v)
	}
	return nil
}

// plain reports whether a dict, of the size that payloads have, has texts as keys and
// none of them twice.
func (w *jsonWriter) plain(items []value) bool {
	if len(items) > 2*16 {
		return false
	}
	for i := 0; i+1 < len(items); i += 2 {
		if items[i].kind != text {
			return false
		}
		for j := 0; j < i; j += 2 {
			if items[j].text == items[i].text {
				return false
			}
		}
	}
	return true
}

// members are the keys of a dict in their order, a repeated one at its first place, and the position of each key's last value.
func (w *jsonWriter) members(items []value) (keys []value, at []int) {
	first := make(map[value]int, len(items)/2)
	for i := 0; i+1 < len(items); i += 2 {
		k := items[i]
		j, again := first[k]
		if again {
			at[j] = i
			continue
		}
		first[k] = len(keys)
		keys, at = append(keys, k), append(at, i)
	}
	return keys, at
}

func (w *jsonWriter) nested(items []value, open, end byte, each func(int) error) error {
	if w.depth++; w.depth > maxDepth {
		return fmt.Errorf("nested deeper than %d", maxDepth)
	}
	defer func() { w.depth-- }()
	w.out = append(w.out, open)
	for i := range items {
		if i > 0 {
			w.out = append(w.out, ", "...)
		}
		if err := each(i); err != nil {
			return err
		}
	}
	w.out = append(w.out, end)
	return nil
}

func (w *jsonWriter) float(f float64) {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		w.odd++
		w.out = append(w.out, "null"...)
		return
	}
	w.out = schema.AppendFloat(w.out, f)
}
