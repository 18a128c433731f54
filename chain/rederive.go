package chain

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"membench/graph"
	"membench/graph/diff"
	"membench/internal/build"
	"membench/internal/codec"
	"membench/internal/smallfile"
	"membench/schema"
	"membench/schema/catalog"
	"membench/schema/jsonl"
	"membench/schema/validate"
)

// RederiveOptions of Rederive.
type RederiveOptions struct {
	Shared
	Catalogs []string
	Workers  int                              // 0: one per processor
	MaxLine  int                              // 0: jsonl.MaxLine
	Faulty   bool                             // validate has found errors
	Warn     func(format string, args ...any) // says what is not compared; not nil
}

// Rederive compares records that were made of others with those, of files that validate has checked: what is copied from turns to memories and from those to the
// evidence of claims (LNK008, LNK009), compiled claims with what CompileClaims makes of the claims of the conversations, and a graph with what ToGraph makes of
// events, exports and compiled claims, where all of them are there, once, in the newest version (CLM013, GRF060 to GRF062). Labels, types and properties of the
// user's own are not compared. Where some of the files of a comparison are there and it is not made, Warn says why. What is made again goes to the
// temporary folder; nothing is held but a conversation, and a graph that is in another order than to-graph writes. It fails where a file cannot be read or written.
func Rederive(ctx context.Context, checked []validate.File, o RederiveOptions) (err error) {
	of := madeOf(checked)
	of.uncompared(o)
	if o.Faulty {
		return nil
	}
	if err := sameOrigins(ctx, of, o); err != nil {
		return err
	}
	if len(of.claims) == 0 {
		return nil
	}
	tmp, err := os.MkdirTemp(o.TempDir, "membench-validate-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(tmp)) }()
	quiet := o.Shared
	quiet.Report, quiet.Progress, quiet.Accept, quiet.Strict = nil, nil, schema.Limit{Percent: 100}, false
	same := true
	if len(of.byConv) > 0 {
		dir := filepath.Join(tmp, "claims")
		if _, err := CompileClaims(ctx, CompileClaimsOptions{Shared: quiet, Inputs: of.byConv, Out: dir, Version: schema.Latest, Catalogs: o.Catalogs, Workers: o.Workers, MaxLine: o.MaxLine}); err != nil {
			return unmade(err)
		}
		if err := sameClaims(dir, of.claims, func(f *schema.Finding) { same = false; o.Report(f) }); err != nil {
			return err
		}
	}
	if same {
		if err := sameMeta(of.claims, o.Report); err != nil {
			return err
		}
	}
	if !of.whole() {
		return nil
	}
	dir := filepath.Join(tmp, "graph")
	people, err := of.people()
	if err != nil {
		return err
	}
	if _, err := ToGraph(ctx, ToGraphOptions{Shared: quiet, Events: of.events, Exports: of.exports, Claims: of.claims, Out: dir, Version: schema.Latest, Memory: 48 << 20,
		People: people, Catalogs: o.Catalogs, Workers: o.Workers, MaxLine: o.MaxLine}); err != nil {
		return unmade(err)
	}
	return sameGraph(ctx, dir, of.graph, o.Report)
}

// unmade is the error of a step that made nothing to compare with. Faults of the input are validate's.
func unmade(err error) error {
	if errors.Is(err, schema.ErrFindings) {
		return nil
	}
	if _, usage := errors.AsType[*schema.UsageError](err); usage {
		return nil
	}
	return err
}

// A made is a set of files that were made of each other.
type made struct {
	events, exports, byConv, claims, graph []string
	parts                                  int    // how many of these the files have
	old                                    string // a file that is not of the newest version, or is read once
	several                                bool   // of what is compared as one
}

func (m made) whole() bool {
	return len(m.events) > 0 && len(m.exports) > 0 && len(m.claims) > 0 && len(m.graph) > 0
}

// uncompared says why files are not compared with what they were made of, where some of that is among the files.
func (m made) uncompared(o RederiveOptions) {
	switch {
	case m.parts < 2:
	case o.Faulty:
		o.Warn("not compared with the records that they were made of: files with errors, correct these first")
	case m.old != "":
		o.Warn("not compared with the records that they were made of: files such as %s, which is not of the newest version", m.old)
	case m.several:
		o.Warn("not compared with the records that they were made of: several graphs, sets of compiled claims or of events")
	case len(m.graph) == 0:
	case len(m.events) == 0:
		o.Warn("not compared with the records that it was made of: %s; no events are among the files", m.graph[0])
	case len(m.exports) == 0:
		o.Warn("not compared with the records that it was made of: %s; no exports are among the files", m.graph[0])
	case len(m.claims) == 0:
		o.Warn("not compared with the records that it was made of: %s; no compiled claims are among the files", m.graph[0])
	}
}

// madeOf sorts files by what they hold. The steps of a chain leave events and claims twice: by conversation, and compiled. What is compiled is known by its names;
// two of it, or a file of another version, are not compared.
func madeOf(checked []validate.File) (m made) {
	folders := map[string]bool{} // of graphs, and of compiled claims
	newest, older := false, ""   // a file of the graph is; a wrong id may make the other one look older
	var events []string
	for _, f := range checked {
		kind := validate.KindOfName(f.Name)
		compiled := kind == schema.KindClaim || kind == schema.KindEntity
		records := 0
		for _, n := range f.Kinds {
			records += n
		}
		isEvents, isExports, isClaims := f.Kinds[schema.KindEvent] > 0, f.Kinds[schema.KindExport] > 0 && f.Kinds[schema.KindEvent] == 0, f.Kinds[schema.KindClaim]+f.Kinds[schema.KindEntity] > 0
		isGraph := f.Kinds[schema.KindNode]+f.Kinds[schema.KindEdge] > 0
		if records == 0 {
			isGraph = kind == schema.KindNode || kind == schema.KindEdge
		} else if !isEvents && !isExports && !isClaims && !isGraph {
			continue // nothing of it is compared
		}
		newest = newest || isGraph && f.Version == schema.Latest
		if isGraph && f.Version != schema.Latest {
			older = cmp.Or(older, f.Name)
		}
		if f.Name == "-" || f.Version != schema.Latest && !isGraph && records > 0 {
			m.old = cmp.Or(m.old, f.Name)
		}
		base := jsonl.PlainName(filepath.Base(f.Name))
		switch {
		case isGraph:
			m.graph = append(m.graph, f.Name)
			folders["graph "+filepath.Dir(f.Name)] = true
		case compiled:
			m.claims = append(m.claims, f.Name)
			folders["claims "+filepath.Dir(f.Name)] = true
		case isClaims:
			m.byConv = append(m.byConv, f.Name)
		case isExports:
			m.exports = append(m.exports, f.Name)
		case isEvents && base == "events.jsonl":
			m.events = append(m.events, f.Name)
		case isEvents:
			events = append(events, f.Name)
		}
	}
	m.several = len(m.events) > 1 && len(events) == 0
	if len(m.events) == 0 {
		m.events = events
	}
	if own := slices.DeleteFunc(slices.Clone(m.exports), func(name string) bool { return !strings.HasSuffix(jsonl.PlainName(name), memoriesSuffix) }); len(own) > 0 {
		m.exports = own // a store keeps the same memories in another form
	}
	for _, part := range [][]string{m.events, m.exports, m.byConv, m.claims, m.graph} {
		if len(part) > 0 {
			m.parts++
		}
	}
	m.several = m.several || len(folders) > 2 || len(m.graph) > 2
	switch {
	case m.old != "" || m.several:
		return made{parts: m.parts, old: m.old, several: m.several}
	case len(m.graph) > 0 && !newest:
		m.graph, m.old = nil, older
	}
	return m
}

// people says who is who in the records: as the claims or the graph have it written down; otherwise a graph with people outside of conversations has the names of
// the project.
func (m made) people() (p schema.People, err error) {
	if _, known, err := recordedPeople(m.claims); known || err != nil {
		return p, err // ToGraph finds them
	}
	if written, err := build.ReadManifest(filepath.Join(filepath.Dir(m.graph[0]), "manifest.json")); err == nil {
		var o ToGraphOptions
		return o.People, written.Options.Read(&o)
	}
	for rec, err := range jsonl.Files[schema.Element](m.graph, nil) {
		if err == nil && rec.V.Node != nil && strings.HasPrefix(string(rec.V.Node.ID), "person:/") {
			return schema.People{Scope: schema.ScopeProject}, nil
		}
	}
	return p, nil
}

// sameClaims compares compiled claims with those in a folder that were made again.
func sameClaims(again string, claims []string, report func(*schema.Finding)) error {
	slices.Sort(claims) // claims.jsonl before entities.jsonl: entities come first
	slices.Reverse(claims)
	at := places[schema.Statement]{}
	for c, err := range graph.DiffStatements(jsonl.Files[schema.Statement]([]string{filepath.Join(again, "entities.jsonl"), filepath.Join(again, "claims.jsonl")}, nil),
		at.of(jsonl.Files[schema.Statement](claims, nil), func(s schema.Statement) string { return graph.StatementChange{New: s}.ID() })) {
		if err != nil {
			return passed(err)
		}
		f := &schema.Finding{Pos: at.at(c.ID(), claims[0]), Code: "CLM013", Have: c.ID()}
		switch {
		case c.Op == schema.OpDelete:
			f.Message = "the claims of the conversations make this record, and the compiled ones lack it"
		case c.Old == schema.Statement{}:
			f.Message = "this record is none that the claims of the conversations make"
		default:
			f.Message = "this record is not what the claims of the conversations make of it"
			differing(f, object(c.New), object(c.Old), nil, report)
			continue
		}
		report(f)
	}
	return nil
}

// sameMeta compares meta.json beside compiled claims, if there is one, with them.
func sameMeta(claims []string, report func(*schema.Finding)) error {
	dir := filepath.Dir(claims[0])
	path := filepath.Join(dir, "meta.json")
	var have, want CompiledMeta
	if err := smallfile.ReadJSON(path, &have); errors.Is(err, os.ErrNotExist) || have.SchemaVersion != schema.Latest {
		return nil
	} else if err != nil {
		return err
	}
	for rec, err := range schema.Drop(jsonl.Files[schema.Statement](claims, nil), func(*schema.Finding) {}) {
		switch c := rec.V.Claim; {
		case err != nil:
			return err
		case c == nil:
			want.Entities++
		default:
			if want.Claims++; c.Status == schema.StatusDeprecated {
				want.Deprecated++
			}
		}
	}
	found := func(pointer, message string, have, want any) {
		report(&schema.Finding{Pos: schema.Pos{File: path}, Pointer: pointer, Code: "MAN001", Message: message, Have: fmt.Sprint(have), Want: fmt.Sprint(want)})
	}
	for _, n := range []struct {
		name       string
		have, want int
	}{{"entities_count", have.Entities, want.Entities}, {"claims_count", have.Claims, want.Claims}, {"deprecated", have.Deprecated, want.Deprecated}} {
		if n.have != n.want {
			found("/"+n.name, "the records have another number", n.have, n.want)
		}
	}
	for i, d := range have.Outputs {
		if now, err := build.Digest(filepath.Join(dir, d.Path)); err == nil && filepath.IsLocal(d.Path) && now.SHA256 != d.SHA256 {
			found(fmt.Sprintf("/outputs/%d/sha256", i), "an output of the step has changed", now.SHA256, d.SHA256)
		}
	}
	return nil
}

// sameGraph compares a graph with one in a folder that was made again of its records.
func sameGraph(ctx context.Context, again string, files []string, report func(*schema.Finding)) error {
	slices.SortFunc(files, func(a, b string) int { return cmp.Compare(validate.Rank(a), validate.Rank(b)) })
	want, err := elements(again)
	if err != nil {
		return err
	}
	have, err := diff.Elements(ctx, files, nil)
	if err != nil {
		return err
	}
	cat := catalog.Default()
	at := places[schema.Element]{}
	for c, err := range graph.Diff(want, at.of(have, schema.Element.ID)) {
		if err != nil {
			return passed(err)
		}
		e := c.New
		if c.Op == schema.OpDelete {
			e = c.Old
		}
		name, ours, known := nameOf(cat, e)
		file := files[0]
		if e.Edge != nil {
			file = files[len(files)-1]
		}
		f := &schema.Finding{Pos: at.at(e.ID(), file), Have: quoted(e.ID())}
		switch {
		case c.Op == schema.OpDelete:
			f.Code, f.Message = "GRF061", "the records make this "+name+", and the graph lacks it"
			report(f)
		case c.Old.Node == nil && c.Old.Edge == nil:
			if f.Code, f.Message = "GRF062", "the records do not make this "+name; ours {
				report(f)
			}
		default:
			f.Code, f.Message = "GRF060", "this "+name+" is not what the records make of it"
			differing(f, object(c.New), object(c.Old), known, report)
		}
	}
	return nil
}

// passed drops findings: validate has reported them, and what they skipped is not compared.
func passed(err error) error {
	if schema.IsFinding(err) || errors.Is(err, graph.ErrUnsorted) {
		return nil
	}
	return err
}

// nameOf names an element for messages. ours says that its label or type is the built-in catalogue's; known are the properties that it has there.
func nameOf(cat *catalog.Catalog, e schema.Element) (name string, ours bool, known []string) {
	if e.Edge != nil {
		t, ok := cat.Edges[e.Edge.Type]
		return e.Edge.Type + " edge", ok, t.Props
	}
	for _, l := range e.Node.Labels {
		if t, ok := cat.Labels[string(l)]; ok {
			ours, known = true, append(known, t.Props...)
		}
	}
	return strings.Join(e.Node.Labels, ", ") + " node", ours, known
}

// object is a record as JSON values; members of props are members of it.
func object(v any) map[string]any {
	out := map[string]any{}
	b, err := codec.Append(nil, v, codec.Compact)
	if err == nil {
		err = codec.Unmarshal(b, &out)
	}
	if err != nil {
		return nil
	}
	if props, ok := out["props"].(map[string]any); ok {
		delete(out, "props")
		for k, x := range props {
			out["props/"+k] = x
		}
	}
	return out
}

// differing reports each member that differs from the wanted one. One that is not wanted is the user's own unless it is known.
func differing(f *schema.Finding, have, want map[string]any, known []string, report func(*schema.Finding)) {
	text := func(v any, ok bool) string {
		if !ok {
			return "nothing"
		}
		b, _ := codec.Append(nil, v, codec.Compact) //nolint:errcheck // it was read from JSON
		return quoted(string(b))
	}
	all := maps.Clone(want)
	maps.Copy(all, have)
	for _, k := range slices.Sorted(maps.Keys(all)) {
		x, has := have[k]
		y, wanted := want[k]
		name, prop := strings.CutPrefix(k, "props/")
		if a, b := text(x, has), text(y, wanted); a != b && (wanted || !prop || slices.Contains(known, name)) {
			g := *f
			g.Pointer, g.Message, g.Have, g.Want = "/"+k, f.Message+": "+f.Have, a, b
			report(&g)
		}
	}
}

// quoted shortens a text for a message.
func quoted(s string) string {
	if r := []rune(s); len(r) > 120 {
		return string(r[:120]) + "…"
	}
	return s
}

// places remembers where the last records of a stream are.
type places[T any] struct {
	ids [4]string
	pos [4]schema.Pos
	n   int
}

func (p *places[T]) of(in schema.Seq[T], id func(T) string) schema.Seq[T] {
	return func(yield func(schema.Record[T], error) bool) {
		for rec, err := range in {
			if err == nil {
				p.ids[p.n%4], p.pos[p.n%4] = id(rec.V), rec.Pos
				p.n++
			}
			if !yield(rec, err) {
				return
			}
		}
	}
}

// at is the place of a record, or the file that lacks it.
func (p *places[T]) at(id, file string) schema.Pos {
	if i := slices.Index(p.ids[:], id); i >= 0 && id != "" {
		return p.pos[i]
	}
	return schema.Pos{File: file}
}

// recordedPeople is who is who in claims: as meta.json beside them has it, or the manifests of the steps that made them. known is false where nothing says so, and
// an error tells of two that differ.
func recordedPeople(claims []string) (p schema.People, known bool, err error) {
	for _, path := range claims {
		if path == "-" {
			continue
		}
		if !isDir(path) {
			path = filepath.Dir(path)
		} else if sub := filepath.Join(path, "compiled"); isDir(sub) {
			path = sub
		}
		q, ok := peopleIn(path, 0)
		switch {
		case !ok:
		case known && !samePeople(p, q):
			return p, true, schema.Usagef("the claims were made with different people (%s and others): make them with one project", path)
		default:
			p, known = q, true
		}
	}
	return p, known, nil
}

// samePeople compares who is who by meaning.
func samePeople(p, q schema.People) bool {
	p.Scope, q.Scope = cmp.Or(p.Scope, schema.ScopeConversation), cmp.Or(q.Scope, schema.ScopeConversation)
	return PeopleText(p) == PeopleText(q)
}

// PeopleText is who is who, as --people takes it.
func PeopleText(p schema.People) string {
	b, err := codec.Append(nil, p, codec.Spaced)
	if err != nil {
		return ""
	}
	return string(b)
}

func peopleIn(dir string, depth int) (p schema.People, known bool) {
	var meta struct {
		People *schema.People `json:"people"`
	}
	if smallfile.ReadJSON(filepath.Join(dir, "meta.json"), &meta) == nil && meta.People != nil {
		return *meta.People, true
	}
	m, err := build.ReadManifest(filepath.Join(dir, "manifest.json"))
	if err != nil {
		return p, false
	}
	if m.Step == "claimify" {
		var o ClaimifyOptions
		return o.People, m.Options.Read(&o) == nil
	}
	for _, in := range m.Inputs {
		if from := filepath.Join(dir, filepath.FromSlash(filepath.Dir(in.Path))); depth == 0 && m.Step == "compile-claims" && from != filepath.Clean(dir) {
			return peopleIn(from, 1)
		}
	}
	return p, false
}
