package jsonschema

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math"
	"math/big"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	v5 "github.com/santhosh-tekuri/jsonschema/v5"
)

// A Schema is compiled once and may be used by any number of goroutines.
type Schema struct {
	v5   *v5.Schema
	docs map[string]any // url → schema text, to say what was wanted
	fast *prog          // nil: v5 alone
	why  string         // why fast is nil
}

// A Set compiles schemas that may refer to each other by URL.
type Set struct {
	c    *v5.Compiler
	docs map[string]any
}

// NewSet returns an empty set. Formats are asserted.
func NewSet() *Set {
	c := v5.NewCompiler()
	c.Draft = v5.Draft2020
	c.AssertFormat = true
	c.LoadURL = func(s string) (io.ReadCloser, error) {
		return nil, fmt.Errorf("schema %s is not among those given", s) // no network, ever
	}
	return &Set{c: c, docs: map[string]any{}}
}

// Add makes the schema text known under a URL.
func (s *Set) Add(url string, text []byte) error {
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	var doc any
	if err := dec.Decode(&doc); err != nil {
		return fmt.Errorf("schema %s: %w", url, err)
	}
	s.docs[url] = doc
	return s.c.AddResource(url, bytes.NewReader(text))
}

// Compile compiles the schema known under a URL.
func (s *Set) Compile(url string) (*Schema, error) {
	c, err := s.c.Compile(url)
	if err != nil {
		return nil, err
	}
	out := &Schema{v5: c, docs: s.docs}
	b := &builder{progs: map[*v5.Schema]*prog{}}
	out.fast = b.build(c)
	if b.why != "" {
		out.fast, out.why = nil, b.why
	}
	return out, nil
}

// Fast says whether the schema runs without v5, else why not.
func (s *Schema) Fast() (bool, string) { return s.fast != nil, s.why }

// A Violation is one keyword that a value does not meet.
type Violation struct {
	Pointer string // to the value; for a missing member, to the object that lacks it
	Node    int    // of Pointer
	Keyword string // e.g. type, required
	Path    string // keyword location in the schema
	Have    string
	Want    string
	Message string // v5's

	alternative bool // of an anyOf: dropped where the value is at fault anyway
}

// Valid reports whether the value at node i meets the schema.
func (s *Schema) Valid(d *Doc, i int) bool {
	if s.fast != nil && s.fast.ok(d, i) {
		return true
	}
	return s.slow(d, i) == nil
}

// ValidFast reports whether the program alone accepts the value: a no means nothing.
func (s *Schema) ValidFast(d *Doc, i int) bool { return s.fast != nil && s.fast.ok(d, i) }

func (s *Schema) slow(d *Doc, i int) error { return s.v5.Validate(d.Any(i)) }

// Check returns every violation, ordered by place in the text, then by keyword; none
// when the value meets the schema.
func (s *Schema) Check(d *Doc, i int) []Violation {
	if s.fast != nil && s.fast.ok(d, i) {
		return nil
	}
	err := s.slow(d, i)
	if err == nil {
		return nil
	}
	ve, ok := err.(*v5.ValidationError)
	if !ok {
		return []Violation{{Node: i, Message: err.Error()}} // unreachable: loops and foreign types cannot occur
	}
	base := d.Pointer(i)
	var out []Violation
	s.leaves(d, base, ve, &out)
	slices.SortStableFunc(out, func(x, y Violation) int {
		return cmp.Or(x.Node-y.Node, cmp.Compare(x.Path, y.Path), cmp.Compare(x.Want, y.Want))
	})
	own := map[int]bool{} // nodes at fault whatever the alternatives say
	for _, v := range out {
		own[v.Node] = own[v.Node] || !v.alternative
	}
	kept := out[:0]
	for i, v := range out {
		if !v.alternative || !own[v.Node] && (i == 0 || out[i-1].Node != v.Node) {
			kept = append(kept, v)
		}
	}
	return kept
}

// leaves walks to the faults that people can act on. An anyOf that failed as a whole
// is one fault, unless a branch got further than the value itself.
func (s *Schema) leaves(d *Doc, base string, e *v5.ValidationError, out *[]Violation) {
	kw := e.KeywordLocation
	if i := strings.LastIndexByte(kw, '/'); i >= 0 {
		kw = kw[i+1:]
	}
	if len(e.Causes) > 0 {
		if kw == "anyOf" || kw == "oneOf" {
			var inner []Violation
			for _, c := range e.Causes {
				s.leaves(d, base, c, &inner)
			}
			deeper := inner[:0:0]
			for _, v := range inner {
				if v.Pointer != s.pointer(base, e) {
					deeper = append(deeper, v)
				}
			}
			if len(deeper) > 0 {
				for i := range deeper {
					deeper[i].alternative = true
				}
				*out = append(*out, deeper...)
				return
			}
			v := s.violation(d, base, e, kw)
			var wants []string
			for _, in := range inner {
				wants = append(wants, in.Keyword+" "+in.Want)
			}
			slices.Sort(wants)
			v.Want = strings.Join(slices.Compact(wants), ", or ")
			*out = append(*out, v)
			return
		}
		for _, c := range e.Causes {
			s.leaves(d, base, c, out)
		}
		return
	}
	if kw == "" {
		kw = "false" // the schema false, which nothing meets
	}
	v := s.violation(d, base, e, kw)
	if kw == "required" {
		names, _ := s.keyword(e).([]any)
		for _, n := range names {
			name, _ := n.(string)
			if d.Get(v.Node, name) < 0 {
				w := v
				w.Want, w.Have = strconv.Quote(name), ""
				*out = append(*out, w)
			}
		}
		return
	}
	*out = append(*out, v)
}

// pointer turns v5's instance location, which percent-encodes names, into ours.
func (s *Schema) pointer(base string, e *v5.ValidationError) string {
	var b strings.Builder
	b.WriteString(base)
	for _, tok := range strings.Split(e.InstanceLocation, "/")[1:] {
		if u, err := url.PathUnescape(tok); err == nil {
			tok = u
		}
		b.WriteByte('/')
		b.WriteString(tok)
	}
	return b.String()
}

func (s *Schema) violation(d *Doc, base string, e *v5.ValidationError, kw string) Violation {
	v := Violation{Pointer: s.pointer(base, e), Keyword: kw, Path: e.KeywordLocation, Message: e.Message}
	v.Node = max(d.Find(v.Pointer), 0)
	n := d.Nodes[v.Node]
	switch kw {
	case "type":
		v.Have = n.Kind.String()
		if n.Kind == Number {
			v.Have = string(d.Raw(v.Node))
		}
	case "minItems", "maxItems":
		v.Have = strconv.Itoa(int(n.N)) + " items"
	case "uniqueItems":
		v.Have = "equal items"
	case "anyOf", "oneOf", "not", "if":
	default:
		v.Have = cutText(string(bytes.ToValidUTF8(d.Raw(v.Node), []byte("\uFFFD"))))
		if n.Kind == Object || n.Kind == Array {
			v.Have = n.Kind.String()
		}
	}
	v.Want = wantText(kw, s.keyword(e))
	return v
}

// keyword is the keyword's value in the schema text.
func (s *Schema) keyword(e *v5.ValidationError) any {
	u, frag, _ := strings.Cut(e.AbsoluteKeywordLocation, "#")
	at := s.docs[u]
	for _, tok := range strings.Split(frag, "/")[1:] {
		if t, err := url.PathUnescape(tok); err == nil {
			tok = t
		}
		tok = strings.ReplaceAll(strings.ReplaceAll(tok, "~1", "/"), "~0", "~")
		switch x := at.(type) {
		case map[string]any:
			at = x[tok]
		case []any:
			i, err := strconv.Atoi(tok)
			if err != nil || i < 0 || i >= len(x) {
				return nil
			}
			at = x[i]
		default:
			return nil
		}
	}
	return at
}

// wants says what keywords ask for; N is the keyword's value.
var wants = map[string]string{
	"minimum": "at least N", "maximum": "at most N", "exclusiveMinimum": "more than N", "exclusiveMaximum": "less than N",
	"minLength": "at least N characters", "maxLength": "at most N characters", "minItems": "at least N", "maxItems": "at most N",
	"uniqueItems": "each item once", "additionalProperties": "no other members", "unevaluatedProperties": "no other members", "false": "nothing here",
}

func wantText(kw string, v any) string {
	list := func() string {
		items, _ := v.([]any)
		var out []string
		for _, it := range items {
			if s, ok := it.(string); ok {
				out = append(out, s)
			} else {
				b, _ := json.Marshal(it)
				out = append(out, string(b))
			}
		}
		return strings.Join(out, ", ")
	}
	switch kw {
	case "type":
		if s, ok := v.(string); ok {
			return s
		}
		return strings.ReplaceAll(list(), ", ", " or ")
	case "enum":
		return "one of " + list()
	case "maxLength":
		if fmt.Sprint(v) == "0" {
			return "an empty string"
		}
	}
	if want, ok := wants[kw]; ok {
		return strings.ReplaceAll(want, "N", fmt.Sprint(v))
	}
	if s, ok := v.(string); ok {
		return s
	}
	b, _ := json.Marshal(v)
	return cutText(string(b))
}

// prog is the compiled form of one schema. Its answer "true" is final.
type prog struct {
	kinds    uint8 // allowed kinds as bits; 0: any
	intOnly  bool  // of Number only integers
	never    bool
	enum     []literal // nil: any
	ref      *prog
	all      []*prog
	any      []*prog
	names    Names
	props    []*prog  // by name
	required []string // those not marked in names
	need     uint64   // bits of names that are required
	extra    *prog    // for members not in props
	closed   bool     // no members but props
	minProps int32
	maxProps int32 // -1: none
	items    *prog
	prefix   []*prog
	minItems int32
	maxItems int32
	unique   bool
	minLen   int
	maxLen   int
	pattern  *regexp.Regexp
	match    func([]byte) bool // the pattern, where it is simple
	format   func(any) bool
	formatOK func([]byte) bool // a quick yes
	min, max *bound
}

type literal struct {
	kind Kind
	text string // string: unescaped
}

type bound struct {
	f    float64
	open bool
}

type builder struct {
	progs map[*v5.Schema]*prog
	why   string
}

func (b *builder) cannot(s *v5.Schema, kw string) {
	if b.why == "" {
		b.why = s.Location + ": " + kw
	}
}

func (b *builder) build(s *v5.Schema) *prog {
	if s == nil {
		return nil
	}
	if p, ok := b.progs[s]; ok {
		return p
	}
	p := &prog{minProps: int32(s.MinProperties), maxProps: int32(s.MaxProperties), minItems: int32(s.MinItems), maxItems: int32(s.MaxItems), minLen: s.MinLength, maxLen: s.MaxLength}
	b.progs[s] = p
	for kw, has := range map[string]bool{
		"recursiveRef": s.RecursiveRef != nil, "dynamicRef": s.DynamicRef != nil, "not": s.Not != nil, "oneOf": len(s.OneOf) > 0, "if": s.If != nil,
		"propertyNames": s.PropertyNames != nil, "regexProperties": s.RegexProperties, "patternProperties": len(s.PatternProperties) > 0,
		"dependencies": len(s.Dependencies) > 0, "dependentRequired": len(s.DependentRequired) > 0, "dependentSchemas": len(s.DependentSchemas) > 0,
		"unevaluatedProperties": s.UnevaluatedProperties != nil, "items (before 2020)": s.Items != nil, "additionalItems": s.AdditionalItems != nil,
		"contains": s.Contains != nil, "unevaluatedItems": s.UnevaluatedItems != nil, "contentEncoding": s.ContentEncoding != "",
		"contentMediaType": s.ContentMediaType != "", "contentSchema": s.ContentSchema != nil, "multipleOf": s.MultipleOf != nil,
		"extensions": len(s.Extensions) > 0,
	} {
		if has {
			b.cannot(s, kw)
		}
	}
	if s.Always != nil {
		p.never = !*s.Always
		return p
	}
	for _, t := range s.Types {
		p.kinds |= kindBits[t]
	}
	p.intOnly = slices.Contains(s.Types, "integer") && !slices.Contains(s.Types, "number")
	if len(s.Constant) > 0 {
		b.literals(s, p, s.Constant[:1])
	}
	if len(s.Enum) > 0 {
		if p.enum != nil {
			b.cannot(s, "const beside enum")
		}
		b.literals(s, p, s.Enum)
	}
	p.ref = b.build(s.Ref)
	for _, a := range s.AllOf {
		p.all = append(p.all, b.build(a))
	}
	for _, a := range s.AnyOf {
		p.any = append(p.any, b.build(a))
	}
	names := slices.Sorted(maps.Keys(s.Properties))
	for _, name := range names {
		p.props = append(p.props, b.build(s.Properties[name]))
	}
	if len(names) > maxNames {
		b.cannot(s, fmt.Sprintf("more than %d properties", maxNames))
		return p
	}
	p.names = NewNames(names...)
	for _, r := range s.Required {
		if i := slices.Index(names, r); i >= 0 && i < 64 {
			p.need |= 1 << i
		} else {
			p.required = append(p.required, r)
		}
	}
	switch a := s.AdditionalProperties.(type) {
	case bool:
		p.closed = !a
	case *v5.Schema:
		p.extra = b.build(a)
	}
	p.items = b.build(s.Items2020)
	for _, a := range s.PrefixItems {
		p.prefix = append(p.prefix, b.build(a))
	}
	p.unique = s.UniqueItems
	if s.Pattern != nil {
		p.pattern = s.Pattern
		p.match = simple(s.Pattern.String())
	}
	if s.Format != "" {
		p.format = v5.Formats[s.Format]
		p.formatOK = quick[s.Format]
	}
	p.min, p.max = bounds(s.Minimum, s.ExclusiveMinimum, 1), bounds(s.Maximum, s.ExclusiveMaximum, -1)
	return p
}

var kindBits = map[string]uint8{"null": 1 << Null, "boolean": 1<<False | 1<<True, "number": 1 << Number, "integer": 1 << Number,
	"string": 1 << String, "array": 1 << Array, "object": 1 << Object}

// bounds joins the inclusive and the exclusive bound to the stricter one.
func bounds(incl, excl *big.Rat, sign int) *bound {
	r, open := incl, false
	if excl != nil && (r == nil || excl.Cmp(r)*sign >= 0) {
		r, open = excl, true
	}
	if r == nil {
		return nil
	}
	f, _ := r.Float64()
	return &bound{f, open}
}

func (b *builder) literals(s *v5.Schema, p *prog, vs []any) {
	for _, v := range vs {
		switch v := v.(type) {
		case nil:
			p.enum = append(p.enum, literal{Null, ""})
		case bool:
			k := False
			if v {
				k = True
			}
			p.enum = append(p.enum, literal{k, ""})
		case string:
			p.enum = append(p.enum, literal{String, v})
		default:
			b.cannot(s, "a number or container in enum or const")
		}
	}
}

// ok is true only if v5 accepts the value.
func (p *prog) ok(d *Doc, i int) bool {
	n := &d.Nodes[i]
	if p.never || p.kinds != 0 && p.kinds&(1<<n.Kind) == 0 {
		return false
	}
	if p.enum != nil && !p.inEnum(d, i, n) {
		return false
	}
	switch n.Kind {
	case String:
		if !p.okString(d, i) {
			return false
		}
	case Number:
		if !p.okNumber(d, n) {
			return false
		}
	case Object:
		if !p.okObject(d, i, n) {
			return false
		}
	case Array:
		if !p.okArray(d, i, n) {
			return false
		}
	}
	if p.ref != nil && !p.ref.ok(d, i) {
		return false
	}
	for _, a := range p.all {
		if !a.ok(d, i) {
			return false
		}
	}
	return p.any == nil || slices.ContainsFunc(p.any, func(a *prog) bool { return a.ok(d, i) })
}

func (p *prog) inEnum(d *Doc, i int, n *Node) bool {
	for k := range p.enum {
		l := &p.enum[k]
		if l.kind == n.Kind && (n.Kind != String || string(d.Text(i)) == l.text) {
			return true
		}
	}
	return false
}

func (p *prog) okString(d *Doc, i int) bool {
	if p.minLen < 0 && p.maxLen < 0 && p.pattern == nil && p.format == nil {
		return true
	}
	t := d.Text(i)
	if p.minLen > 0 && len(t) < p.minLen || p.minLen > 1 && utf8.RuneCount(t) < p.minLen {
		return false
	}
	if p.maxLen >= 0 && len(t) > p.maxLen && utf8.RuneCount(t) > p.maxLen {
		return false
	}
	if p.pattern != nil && !(p.match != nil && p.match(t)) && !p.pattern.Match(t) {
		return false
	}
	return p.format == nil || p.formatOK != nil && p.formatOK(t) || p.format(string(t))
}

func (p *prog) okNumber(d *Doc, n *Node) bool {
	if n.Wild {
		return false
	}
	if !p.intOnly && p.min == nil && p.max == nil {
		return true
	}
	raw := d.B[n.Start:n.End]
	f, err := strconv.ParseFloat(string(raw), 64)
	exact := len(raw) <= 15 // as float64 decimals keep their order, and those of 15 digits stay apart
	if err != nil || !p.min.below(f) || !p.max.above(f) || !exact && (p.min.at(f) || p.max.at(f)) {
		return false
	}
	return !p.intOnly || n.Int || exact && f == math.Trunc(f)
}

func (b *bound) below(f float64) bool { return b == nil || f > b.f || f == b.f && !b.open }
func (b *bound) above(f float64) bool { return b == nil || f < b.f || f == b.f && !b.open }
func (b *bound) at(f float64) bool    { return b != nil && f == b.f }

func (p *prog) okObject(d *Doc, i int, n *Node) bool {
	if p.minProps >= 0 || p.maxProps >= 0 {
		// With a repeated name the count is not v5's: v5 decides.
		if len(d.Faults) > 0 || n.N < p.minProps || p.maxProps >= 0 && n.N > p.maxProps {
			return false
		}
	}
	if len(p.props) == 0 && p.extra == nil && !p.closed {
		return len(p.required) == 0 || p.hasAll(d, i)
	}
	if len(d.Faults) > 0 { // a repeated name: only its last value counts
		for _, f := range d.Faults {
			if f.Code == DuplicateName {
				return false
			}
		}
	}
	var seen uint64
	for k, end := i+1, int(n.Next); k < end; k = int(d.Nodes[k+1].Next) {
		name := d.B[d.Nodes[k].Start+1 : d.Nodes[k].End-1]
		if d.Nodes[k].Esc {
			name = d.Text(k)
		}
		j := p.names.Find(name)
		if j < 0 {
			if p.closed || p.extra != nil && !p.extra.ok(d, k+1) {
				return false
			}
			continue
		}
		if j < 64 {
			seen |= 1 << j
		}
		if !p.props[j].ok(d, k+1) {
			return false
		}
	}
	return seen&p.need == p.need && (len(p.required) == 0 || p.hasAll(d, i))
}

func (p *prog) hasAll(d *Doc, i int) bool {
	return !slices.ContainsFunc(p.required, func(r string) bool { return d.Get(i, r) < 0 })
}

// Names finds members by their names.
type Names struct {
	names []string
	slots [64]uint8 // hash of a name → 1 + index of the first with it
	chain []uint8   // name → 1 + index of the next with the same hash
}

const maxNames = 250

// NewNames makes the table of at most 250 names.
func NewNames(names ...string) Names {
	n := Names{names: names, chain: make([]uint8, len(names))}
	for i, name := range names {
		h := nameHash(name)
		n.chain[i], n.slots[h] = n.slots[h], uint8(i+1)
	}
	return n
}

// Find returns the index of a name, -1 for any other.
func (n *Names) Find(name []byte) int {
	for j := n.slots[nameHash(name)]; j > 0; j = n.chain[j-1] {
		if n.names[j-1] == string(name) {
			return int(j) - 1
		}
	}
	return -1
}

func nameHash[T string | []byte](s T) uint {
	if len(s) == 0 {
		return 0
	}
	return (uint(len(s))*7 + uint(s[0])*31 + uint(s[len(s)-1])*5 + uint(s[len(s)/2])) & 63
}

func (p *prog) okArray(d *Doc, i int, n *Node) bool {
	if n.N < p.minItems || p.maxItems >= 0 && n.N > p.maxItems {
		return false
	}
	if p.unique && n.N > 1 {
		return false // rare: v5 decides
	}
	if p.items == nil && p.prefix == nil {
		return true
	}
	k := 0
	for v, end := i+1, int(n.Next); v < end; v = int(d.Nodes[v].Next) {
		switch {
		case k < len(p.prefix):
			if !p.prefix[k].ok(d, v) {
				return false
			}
		case p.items != nil && !p.items.ok(d, v):
			return false
		}
		k++
	}
	return true
}

// quick holds tests that say yes only where v5's format function does.
var quick = map[string]func([]byte) bool{"date-time": quickDateTime, "uuid": quickUUID}

// quickDateTime takes the common forms with a day up to 28.
func quickDateTime(b []byte) bool {
	if len(b) < 20 || b[4] != '-' || b[7] != '-' || b[10] != 'T' || b[13] != ':' || b[16] != ':' {
		return false
	}
	two := func(i int) int {
		if !digit(b[i]) || !digit(b[i+1]) {
			return 99
		}
		return int(b[i]-'0')*10 + int(b[i+1]-'0')
	}
	if two(0) > 98 || two(2) > 98 {
		return false
	}
	if m, day := two(5), two(8); m < 1 || m > 12 || day < 1 || day > 28 {
		return false
	}
	if two(11) > 23 || two(14) > 59 || two(17) > 59 {
		return false
	}
	i := 19
	if b[i] == '.' {
		i++
		from := i
		for i < len(b) && digit(b[i]) {
			i++
		}
		if i == from || i == len(b) {
			return false
		}
	}
	switch rest := b[i:]; {
	case len(rest) == 1:
		return rest[0] == 'Z'
	case len(rest) == 6 && (rest[0] == '+' || rest[0] == '-') && rest[3] == ':':
		return two(i+1) <= 23 && two(i+4) <= 59
	}
	return false
}

func quickUUID(b []byte) bool {
	if len(b) != 36 || b[8] != '-' || b[13] != '-' || b[18] != '-' || b[23] != '-' {
		return false
	}
	for i, c := range b {
		if i == 8 || i == 13 || i == 18 || i == 23 {
			continue
		}
		if !digit(c) && (c|0x20)-'a' >= 6 {
			return false
		}
	}
	return true
}
