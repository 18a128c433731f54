package migrate

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"slices"
	"strings"

	"membench/internal/codec"
	"membench/schema"
	"membench/schema/catalog"
	"membench/schema/jsonl"
)

// A File is one JSONL file of a migration. Open starts a new reading.
type File = jsonl.File

// Options of Run.
type Options struct {
	Catalog *catalog.Catalog // nil: the built-in one
	MaxLine int              // bytes; 0: jsonl.MaxLine
	Report  func(*schema.Finding)
}

// Report counts what a migration did.
type Report struct {
	From     schema.Version           `json:"from"`
	To       schema.Version           `json:"to"`
	Files    int                      `json:"files"`
	Records  map[schema.Kind]*Counted `json:"records"`
	Other    int                      `json:"other"`    // lines of no known kind, passed on as they are
	LeftOut  int                      `json:"left_out"` // lines that are not JSON, each with a finding
	Ids      int                      `json:"ids"`      // ids that records define
	Reminted int                      `json:"reminted"` // of those, changed
	Refs     int                      `json:"refs"`     // references rewritten
	Dangling int                      `json:"dangling"` // references that lead to no record of the input
}

// Counted counts the records of one kind.
type Counted struct {
	In      int `json:"in"`
	Out     int `json:"out"`
	Changed int `json:"changed"`
	Merged  int `json:"merged"` // records that became part of another, their originals kept in it
}

// Run moves files by one version step (neighbouring versions, see Steps). It reads
// them three times: to learn the ids, to see which records become one, and to
// rewrite. create gets the files' names in their order and
// each is closed when whole. A line that is not JSON is finding JSON001, left out.
func Run(ctx context.Context, files []File, from, to schema.Version, create func(name string) (io.WriteCloser, error), o Options) (Report, error) {
	if o.Report == nil {
		o.Report = func(*schema.Finding) {}
	}
	r := Report{From: from, To: to, Files: len(files), Records: map[schema.Kind]*Counted{}}
	x := NewIDs(from, to, o.Catalog)
	// Findings of lines come once, in the first pass.
	err := lines(ctx, files, o, func(line jsonl.Line, k schema.Kind, obj schema.Object, f *schema.Finding) error {
		switch {
		case f != nil:
			r.LeftOut++
			o.Report(f)
		case k == "":
			r.Other++
		default:
			r.at(k).In++
			x.Learn(k, obj)
		}
		return nil
	})
	if err != nil {
		return r, err
	}
	x.Seal()
	r.Ids = len(x.ids)
	for old, now := range x.ids {
		if old != now {
			r.Reminted++
		}
	}
	shared, err := x.shared(ctx, files, o)
	if err != nil {
		return r, err
	}
	x.Rewritten, x.Before, x.Broken = 0, 0, 0
	for _, f := range files {
		if err := rewrite(ctx, f, x, shared, create, o, &r); err != nil {
			return r, err
		}
	}
	slices.Sort(x.Ambiguous)
	for _, id := range x.Ambiguous {
		o.Report(&schema.Finding{Code: "ID012", Message: "claim id can be read in several ways, the first was taken", Have: id, Warning: true, Hint: "migrate the claims together with the graph: they say what an id is made of"})
	}
	r.Refs, r.Dangling = x.Rewritten, x.Before
	if x.Broken > 0 {
		return r, fmt.Errorf("%d references to a record are broken after the migration: this is a fault of membench", x.Broken)
	}
	return r, nil
}

func (r *Report) at(k schema.Kind) *Counted {
	if r.Records[k] == nil {
		r.Records[k] = &Counted{}
	}
	return r.Records[k]
}

// lines calls f for every line of every file: with an object and its kind, or with a finding.
func lines(ctx context.Context, files []File, o Options, f func(jsonl.Line, schema.Kind, schema.Object, *schema.Finding) error) error {
	for _, file := range files {
		in, err := file.Open()
		if err != nil {
			return err
		}
		for line, err := range jsonl.Lines(in, file.Name, o.MaxLine) {
			err = cmp.Or(err, ctx.Err())
			if err != nil {
				in.Close()
				return err
			}
			var obj schema.Object
			var fault *schema.Finding
			var k schema.Kind
			switch {
			case line.TooLong:
				fault = &schema.Finding{Pos: line.Pos, Code: "JSON003", Message: "line is longer than the limit, skipped", Hint: "raise --max-line"}
			default:
				if e := codec.Unmarshal(line.Bytes, &obj); e != nil {
					fault = jsonl.Fault(line, e)
				} else if !obj.IsNull() {
					k = KindOf(obj)
				}
			}
			if err := f(line, k, obj, fault); err != nil {
				in.Close()
				return err
			}
		}
		if err := in.Close(); err != nil {
			return err
		}
	}
	return nil
}

// shared finds the ids after the step that several ids before it become: of nodes
// (one text at several points) and edges. It holds 16 bytes for each node and edge.
func (x *IDs) shared(ctx context.Context, files []File, o Options) (map[string]bool, error) {
	hash := func(k schema.Kind, s string) uint64 {
		h := fnv.New64a()
		h.Write([]byte(k))
		h.Write([]byte(s))
		return h.Sum64()
	}
	first := map[uint64]uint64{} // id after → id before
	out := map[string]bool{}
	quiet := o
	quiet.Report = func(*schema.Finding) {}
	err := lines(ctx, files, quiet, func(line jsonl.Line, k schema.Kind, obj schema.Object, f *schema.Finding) error {
		if f != nil || k != schema.KindNode && k != schema.KindEdge {
			return nil
		}
		for _, id := range idsAfter(x, k, obj) {
			now, old := hash(k, id), hash(k, obj.Text("id"))
			if was, ok := first[now]; ok && was != old {
				out[string(k)+id] = true
				if !x.up() {
					o.Report(&schema.Finding{Pos: line.Pos, Pointer: "/id", Code: "ID001", Message: "two ids become one in the older version, which does not escape names", Have: id, Warning: true, Hint: "both records are kept; migrate --to the newer version distinguishes them again"})
				}
			}
			first[now] = old
		}
		return nil
	})
	return out, err
}

// idsAfter gives the ids of what Step makes of a node or edge.
func idsAfter(x *IDs, k schema.Kind, obj schema.Object) []string {
	if _, ok := obj.Get(migrated); ok {
		var out []string
		for _, moved := range Step(x, x.From, x.To, k, obj) {
			out = append(out, moved.Text("id"))
		}
		return out
	}
	for _, e := range moveOf(x.From, x.To, k)(x, obj) {
		if e.Pointer == "/id" {
			return []string{unquote(e.New)}
		}
	}
	return []string{obj.Text("id")}
}

// layout is the white space of a kind's file.
func layout(k schema.Kind) codec.Layout {
	if k == schema.KindClaim || k == schema.KindEntity {
		return codec.Compact
	}
	return codec.Spaced
}

type original struct {
	raw   []byte // before
	moved schema.Object
}

func rewrite(ctx context.Context, file File, x *IDs, shared map[string]bool, create func(string) (io.WriteCloser, error), o Options, r *Report) (err error) {
	w, err := create(file.Name)
	if err != nil {
		return err
	}
	defer func() { err = cmp.Or(err, w.Close()) }()
	var buf []byte
	put := func(k schema.Kind, obj schema.Object) error {
		raw, _ := obj.MarshalJSON()
		buf = append(codec.AppendLayout(buf[:0], raw, layout(k)), '\n')
		_, err := w.Write(buf)
		return err
	}
	groups := map[string][]original{}
	kinds := map[string]schema.Kind{}
	err = lines(ctx, []File{file}, o, func(line jsonl.Line, k schema.Kind, obj schema.Object, f *schema.Finding) error {
		if f != nil {
			return nil
		}
		before, _ := obj.MarshalJSON()
		if k == "" {
			_, err := w.Write(append(append(buf[:0], line.Bytes...), '\n'))
			return err
		}
		n := r.at(k)
		for _, moved := range Step(x, x.From, x.To, k, obj) {
			after, _ := moved.MarshalJSON()
			key := string(k) + moved.Text("id")
			switch {
			case shared[key] && x.up():
				groups[key] = append(groups[key], original{bytes.Clone(before), moved})
				kinds[key] = k
			case bytes.Equal(before, after):
				n.Out++
				if _, err := w.Write(append(append(buf[:0], line.Bytes...), '\n')); err != nil {
					return err
				}
			default:
				n.Out++
				n.Changed++
				if err := put(k, moved); err != nil {
					return err
				}
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	for _, key := range catalog.Sorted(groups) {
		k, g := kinds[key], groups[key]
		n := r.at(k)
		n.Out++
		n.Changed++
		one := g[0].moved
		if len(g) > 1 {
			n.Merged += len(g) - 1
			one = merge(g)
		}
		if err := put(k, one); err != nil {
			return err
		}
	}
	return nil
}

// merge makes one record of several that share an id: the properties of the earliest
// occurrence (instant, then point), what only the others have after them, and the
// lists of points, conversations and old ids where there is more than one.
func merge(g []original) schema.Object {
	by := slices.Clone(g)
	props := func(o schema.Object) schema.Object { return below(o, "props") }
	point := func(o schema.Object) string {
		return cmp.Or(props(o).Text("point_id"), props(o).Text("source_point_id"))
	}
	slices.SortStableFunc(by, func(a, b original) int {
		pa, pb := props(a.moved), props(b.moved)
		return cmp.Or(compareInstants(pa.Text("created_at"), pb.Text("created_at")), strings.Compare(point(a.moved), point(b.moved)), bytes.Compare(a.raw, b.raw))
	})
	base := by[0].moved
	var p schema.ObjectBuilder
	has := map[string]bool{}
	lists := map[string][]string{}
	var labels []string
	for i, m := range by {
		for _, it := range items(first(m.moved.Get("labels"))) {
			labels = add(labels, unquote(it))
		}
		for name, raw := range props(m.moved).Members() {
			if name == "id_aliases" {
				for _, it := range items(raw) {
					lists[name] = add(lists[name], unquote(it))
				}
				continue
			}
			if i == 0 || !has[name] && string(raw) != "null" {
				p.Raw(name, raw)
			}
			has[name] = true
		}
		if v := point(m.moved); v != "" {
			lists["point_ids"] = add(lists["point_ids"], v)
		}
		if v := props(m.moved).Text("conv_id"); v != "" {
			lists["conv_ids"] = add(lists["conv_ids"], v)
		}
	}
	for _, name := range []string{"point_ids", "conv_ids", "id_aliases"} {
		slices.Sort(lists[name])
		if !has[name] && (len(lists[name]) > 1 || name == "id_aliases" && len(lists[name]) > 0) {
			p.Value(name, lists[name]) // a list of strings encodes
		}
	}
	var out schema.ObjectBuilder
	for name, raw := range base.Members() {
		switch name {
		case "props":
			raw, _ = p.Object().MarshalJSON()
		case "labels":
			raw, _ = codec.Append(nil, labels, codec.Compact)
		case migrated:
			continue
		}
		out.Raw(name, raw)
	}
	was := []byte(`{"from":"` + string(schema.V001) + `","merged":[`)
	for i, m := range g {
		if i > 0 {
			was = append(was, ',')
		}
		was = append(was, m.raw...)
	}
	out.Raw(migrated, append(was, "]}"...))
	return out.Object()
}

func first(raw []byte, _ bool) []byte { return raw }

func add(list []string, s string) []string {
	if slices.Contains(list, s) {
		return list
	}
	return append(list, s)
}

// compareInstants orders by time; texts that are not a time sort last, among themselves as text.
func compareInstants(a, b string) int {
	x, okx := schema.ParseInstant(a)
	y, oky := schema.ParseInstant(b)
	if !okx && !oky {
		return strings.Compare(a, b)
	}
	return x.CompareUnknownLast(y)
}

// sum is a digest of a set of records that does not depend on their order.
type sum struct {
	lanes [4]uint64
	n     int
}

func (s *sum) add(raw []byte) {
	h := sha256.Sum256(normal(raw))
	for i := range s.lanes {
		s.lanes[i] += binary.LittleEndian.Uint64(h[8*i:])
	}
	s.n++
}

func (s *sum) addFile(ctx context.Context, f File, o Options) error {
	return lines(ctx, []File{f}, o, func(line jsonl.Line, _ schema.Kind, obj schema.Object, fault *schema.Finding) error {
		if fault == nil {
			raw, _ := obj.MarshalJSON()
			s.add(raw)
		}
		return nil
	})
}

// ErrNotIdentity says that migrating back does not restore the input.
var ErrNotIdentity = errors.New("migrating back does not restore the input")

// Verify proves that nothing was lost: it moves the files after a step back and
// compares each file with what it was, record by record, apart from the order of
// records, white space, and the spelling of strings. It names the first file that
// differs. Lines that were omitted do not count.
func Verify(ctx context.Context, before, after []File, from, to schema.Version, o Options) error {
	o.Report = nil
	for i := range before {
		if before[i].Name != after[i].Name {
			return fmt.Errorf("%s became %s: %w", before[i].Name, after[i].Name, ErrNotIdentity)
		}
	}
	sums := make([]sum, len(before))
	for i, f := range before {
		if err := sums[i].addFile(ctx, f, o); err != nil {
			return err
		}
	}
	back := map[string]*sum{}
	_, err := Run(ctx, after, to, from, func(name string) (io.WriteCloser, error) {
		back[name] = &sum{}
		return &summing{sum: back[name]}, nil
	}, o)
	if err != nil {
		return fmt.Errorf("moving back: %w", err)
	}
	for i, f := range before {
		if got := back[f.Name]; got.lanes != sums[i].lanes || got.n != sums[i].n {
			return fmt.Errorf("%s: %w (%d records before, %d after up and down)", f.Name, ErrNotIdentity, sums[i].n, got.n)
		}
	}
	return nil
}

// summing digests the lines written to it.
type summing struct {
	sum  *sum
	rest []byte
}

func (s *summing) Write(b []byte) (int, error) {
	s.rest = append(s.rest, b...)
	for {
		i := bytes.IndexByte(s.rest, '\n')
		if i < 0 {
			return len(b), nil
		}
		s.sum.add(s.rest[:i])
		s.rest = append(s.rest[:0], s.rest[i+1:]...)
	}
}

func (s *summing) Close() error { return nil }

// Detect determines the version of files by features that only one version has: histories, forms of ids, newer members, labels and types. "" where
// nothing says; both signs are an error.
// It looks at the first 1000 records of each file.
func Detect(ctx context.Context, files []File, o Options) (schema.Version, error) {
	cat := cmp.Or(o.Catalog, catalog.Default())
	o.Report = func(*schema.Finding) {}
	signs := map[schema.Version]string{}
	enough := errors.New("enough")
	for _, f := range files {
		n := 0
		err := lines(ctx, []File{f}, o, func(line jsonl.Line, k schema.Kind, obj schema.Object, fault *schema.Finding) error {
			if n++; n > 1000 {
				return enough
			}
			if fault != nil || k == "" {
				return nil
			}
			if v, what := sign(cat, k, obj); v != "" && signs[v] == "" {
				signs[v] = line.Pos.String() + ": " + what
			}
			return nil
		})
		if err != nil && err != enough {
			return "", err
		}
	}
	// What 0.1.0 brought stays in later versions; only 0.0.1 has forms that no other has.
	newest := schema.Version("")
	for _, v := range schema.Versions() {
		if signs[v] != "" {
			newest = v
		}
	}
	if signs[schema.V001] != "" && newest != schema.V001 {
		return "", fmt.Errorf("files of two versions: %s: %s, but %s: %s; name the version with --input-version", schema.V001, signs[schema.V001], newest, signs[newest])
	}
	return newest, nil
}

func sign(cat *catalog.Catalog, k schema.Kind, o schema.Object) (schema.Version, string) {
	if h := readHistory(o); h.present {
		if h.from == schema.V010 {
			return schema.V001, "migrated from 0.1.0"
		}
		return schema.V010, "migrated from " + string(h.from)
	}
	has := func(o schema.Object, names ...string) string {
		for _, n := range names {
			if _, ok := o.Get(n); ok {
				return n
			}
		}
		return ""
	}
	switch k {
	case schema.KindExport:
		if raw, ok := o.Get("payload"); ok && has(schema.RawObject(raw), "events", "events_by") != "" {
			return schema.V010, "the payload has events"
		}
		if o.Text("isolation") == "per_chapter" {
			return schema.V001, "isolation is per_chapter"
		}
	case schema.KindClaim, schema.KindEntity:
		for _, end := range []string{"subject", "object"} {
			if below(o, end).Text("entity_type") == "Person" {
				return schema.V020, "the " + end + " is a Person"
			}
		}
		if o.Text("entity_type") == "Person" {
			return schema.V020, "an entity is a Person"
		}
		for _, it := range items(first(o.Get("evidence"))) {
			if _, ok := getAt(it, []string{"event_time"}); ok {
				return schema.V020, "evidence has an event_time"
			}
		}
		if n := has(o, "by", "deprecated_reason", "superseded_by", "id_aliases"); n != "" {
			return schema.V010, "the record has " + n
		}
	case schema.KindNode:
		for _, it := range items(first(o.Get("labels"))) {
			if l := unquote(it); schema.V001.Before(cat.Labels[l].Since) {
				return cat.Labels[l].Since, "label " + l
			}
		}
		if strings.HasPrefix(o.Text("id"), "mem:point:") {
			return schema.V001, "a memory named by its point"
		}
	case schema.KindEdge:
		id, typ := o.Text("id"), o.Text("type")
		if since := cat.Edges[typ].Since; schema.V001.Before(since) {
			return since, "edges of type " + typ
		}
		for _, p := range []string{"has_domain:", "has_predicate:", "has_claim:", "about:", "evidenced_by:", "pred:"} {
			if strings.HasPrefix(id, p) {
				return schema.V001, "edge ids of the form " + p + "…"
			}
		}
		if typ == "EVIDENCED_BY" || typ == "HAS_CLAIM" || typ == "ABOUT" {
			return schema.V010, "edge ids of the form edge:" + typ + ":…"
		}
	}
	return "", ""
}
