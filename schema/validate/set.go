package validate

import (
	"cmp"
	"iter"
	"strconv"
	"strings"

	"membench/schema"
	"membench/schema/catalog"
)

// set is the state of all files: the place where each id was defined, and the references to ids that have not been read.
type set struct {
	cat     *catalog.Catalog
	index   table
	pending [][]pending       // in runs of pendingRun: no copying as it grows
	given   [nsEval + 1]bool  // name spaces with at least one definition
	nodeOf  map[string]bool   // prefixes of node ids that were defined
	labels  []string          // of the catalogue, sorted
	bits    map[string]uint64 // label → its bit in masks; a catalogue may hold 62
}

// entry is where an id was defined last: 16 bytes, 32 with its key.
type entry struct {
	tup  uint64
	file int32
	line int32
}

// pending is a reference that could not be settled when it was read: 88 bytes and the id.
type pending struct {
	k, cond         key
	tup             uint64
	num             int64
	id              string
	file, line, col int32
	idx             int32
	ns, ptr         byte
}

func (s *set) init(cat *catalog.Catalog) {
	s.cat, s.nodeOf, s.labels = cat, map[string]bool{}, catalog.Sorted(cat.Labels)
	s.bits = map[string]uint64{}
	for i, l := range s.labels[:min(62, len(s.labels))] {
		s.bits[l] = 1 << i
	}
}

// fold applies the facts of one file in input order.
type fold struct {
	c     *Checker
	s     *set
	file  int32
	hint  schema.Kind
	last  schema.Kind // of the line before, for lines that do not show theirs
	kind  schema.Kind // of the last kindN records, which are not counted yet
	kindN int
	v     schema.Version
	yield func(*schema.Finding) error

	warmed   uint64 // keeps the compiler from dropping warm's reads
	lastConv key    // of the turn before: its conversation is in the index

	w   *worker // of the block being applied
	at  *lineOut
	far schema.Pos // without a block: the place of the fact

	convs   map[key]*conversation
	order   []*conversation
	edgeAt  int32 // line of the first edge
	gapSaid bool
}

// conversation is the state of one conversation in one file: about 120 bytes.
type conversation struct {
	excerpt  bool // the stream does not begin at turn 1: gaps are warnings
	id       string
	pos      schema.Pos // of its first event
	turn     int64      // highest so far
	n        int
	canon    int
	reusable int // episodic or filler
}

// count writes down how many records of one kind came in a row.
func (f *fold) count() {
	if f.kindN > 0 {
		f.c.Checked[f.file].Kinds[f.kind] += f.kindN
		f.kindN = 0
	}
}

func (f *fold) block(w *worker) error {
	defer f.count()
	f.v = w.v
	f.warmed += f.s.index.warm(w.facts)
	for i := 0; i < len(w.out); i++ {
		o := &w.out[i]
		if o.unknown {
			k := cmp.Or(f.last, f.hint)
			if k == "" {
				w.line, w.fs, w.colOff, w.colN = o.span, nil, 0, 1
				w.doc.Parse(w.buf[o.span.start:o.span.end])
				w.faults()
				w.fault(0, "SCH010", "the kind of this record cannot be determined", w.doc.Nodes[0].Kind.String(), "one of the published kinds")
				w.fs[len(w.fs)-1].Hint = "name it with --kind"
				o.findings = w.fs
			} else {
				w.read(o.span, k)
				last := len(w.out) - 1
				w.out[i] = w.out[last] // w.read may have moved the lines
				w.out = w.out[:last]
				o = &w.out[i]
			}
		}
		if o.kind != "" {
			f.last = o.kind
		}
		if o.kind == f.kind {
			f.kindN++
		} else {
			f.count()
			f.kind, f.kindN = o.kind, 1
		}
		for _, x := range o.findings {
			if err := f.yield(x); err != nil {
				return err
			}
		}
		f.w, f.at = w, o
		for j := o.from; j < o.to; j++ {
			if err := f.apply(&w.facts[j]); err != nil {
				return err
			}
		}
	}
	return nil
}

// pos returns the place of a fact. Columns are counted only when they are needed, while the block is still available.
func (f *fold) pos(x *fact) schema.Pos {
	if f.w == nil {
		return f.far
	}
	f.w.line, f.w.utf8, f.w.colOff, f.w.colN = f.at.span, f.at.utf8, 0, 1
	return f.w.in(f.w.buf[f.at.span.start:f.at.span.end], int(x.off))
}

func (f *fold) apply(x *fact) error {
	line := int32(f.at.span.n)
	if f.c.far != nil && x.op <= opTurn {
		return f.send(x, line)
	}
	switch x.op {
	case opTurn:
		if err := f.turn(x, line); err != nil {
			return err
		}
		return f.define(x, line)
	case opDefine:
		return f.define(x, line)
	case opRefer:
		return f.refer(x)
	case opEdgeLine:
		f.edgeAt = cmp.Or(f.edgeAt, line)
	case opNodeLine:
		if f.edgeAt > 0 && !f.gapSaid {
			f.gapSaid = true
			return f.yield(&schema.Finding{Pos: schema.Pos{File: f.c.Checked[f.file].Name, Line: int(line)}, Code: "GRF007", Message: "a node comes after an edge", Have: "the first edge in line " + strconv.Itoa(int(f.edgeAt)), Want: "nodes first", Warning: true})
		}
	}
	return nil
}

// send passes on the facts that the set needs. The order of turns is visible within the file.
func (f *fold) send(x *fact, line int32) error {
	if x.op == opTurn {
		if err := f.turn(x, line); err != nil {
			return err
		}
		f.s.index.swap(x.k, entry{0, f.file, line})
	}
	return f.c.far(x, f.pos(x))
}

// define enters an id, or reports that it is taken.
func (f *fold) define(x *fact, line int32) error {
	s := f.s
	s.given[x.ns] = true
	if x.op == opTurn {
		if x.cond != f.lastConv {
			s.given[nsConv] = true
			s.index.swap(x.cond, entry{0, f.file, line})
			f.lastConv = x.cond
		}
		x.tup = 0
	}
	if x.ns == nsNode && x.flag&flagAny == 0 {
		for i, c := range x.id {
			if c == ':' {
				if p := x.id[:i]; !s.nodeOf[string(p)] {
					s.nodeOf[string(p)] = true
				}
				break
			}
		}
	}
	if x.flag&flagAny != 0 {
		s.index.swap(x.k, entry{^uint64(0), f.file, line})
		return nil
	}
	old, taken := s.index.swap(x.k, entry{x.tup, f.file, line})
	if !taken || old.tup == ^uint64(0) && x.ns != nsEvent {
		return nil
	}
	same := old.file == f.file
	if old.tup == x.tup && (!same || x.ns == nsMemory || x.ns == nsPair || x.ns == nsConv || x.ns == nsProbe || x.ns == nsInject) {
		return nil
	}
	fault := &schema.Finding{Pos: f.pos(x), Pointer: pointer(x.ptr, x.idx), Have: quote(x.id)}
	at := f.place(old)
	switch x.ns {
	case nsNode, nsEdge, nsClaim, nsEntity:
		switch {
		case old.tup != x.tup:
			fault.Code, fault.Message = "ID001", "one id for two different things, see "+at
		case !same:
			return nil
		case x.ns == nsNode || x.ns == nsEdge:
			fault.Code, fault.Message = "GRF003", "the id is already in this file, see "+at
		default:
			fault.Code, fault.Message = "CLM007", "the id is already in this file, see "+at
		}
	case nsPoint:
		if !same {
			return nil
		}
		fault.Code, fault.Message = "MEM006", "the point is already in this export, see "+at
	case nsMemory:
		if old.tup == x.tup {
			return nil
		}
		fault.Code, fault.Message = "MEM003", "one memory id for two texts, see "+at
	case nsEvent:
		if !same {
			return nil
		}
		fault.Code, fault.Message, fault.Have = "EVT003", "the turn is already in this file, see "+at, strconv.FormatInt(x.num, 10)
	case nsProbe, nsInject:
		if old.tup == x.tup {
			return nil
		}
		fault.Code, fault.Message = "EVT009", "the id belongs to another turn already, see "+at
	case nsCase, nsQuestion, nsCaseConv:
		what := map[byte]string{nsCase: "a case id occurs twice", nsQuestion: "a question id occurs twice", nsCaseConv: "two cases have the same conv_id and other turns"}[x.ns]
		if others := !same && old.tup>>32 != x.tup>>32; others || (x.ns == nsCaseConv || !same) && uint32(old.tup) == uint32(x.tup) {
			return nil // another data set's, or a copy of the file; several cases may be about one conversation
		}
		fault.Code, fault.Message = "DST008", what+", see "+at
	case nsEval:
		fault.Code, fault.Message = "EVL101", "the record is already in this file, see "+at
	default:
		return nil
	}
	return f.yield(fault)
}

func (f *fold) place(e entry) string {
	name := f.c.Checked[e.file].Name
	if e.file == f.file {
		return "line " + strconv.Itoa(int(e.line))
	}
	return name + ":" + strconv.Itoa(int(e.line))
}

// pendingRun is how many references one run holds.
const pendingRun = 4096

// settled reports whether a reference is good, and if not, whether that is final.
func (s *set) settled(k key, ns, ptr byte, tup uint64) (good, final bool) {
	e, ok := s.index.get(k)
	if !ok {
		return false, false
	}
	switch {
	case e.tup == ^uint64(0):
		return true, true
	case ns == nsNode:
		return e.tup&tup != 0 || e.tup&(1<<63) != 0, true
	case ptr == ptrEvidenceText:
		return e.tup == tup, true
	}
	return true, true
}

func (f *fold) refer(x *fact) error {
	good, final := f.s.settled(x.k, x.ns, x.ptr, x.tup)
	if good {
		return nil
	}
	at := f.pos(x)
	p := pending{k: x.k, cond: x.cond, tup: x.tup, num: x.num, id: string(x.id), file: f.file, line: int32(at.Line), col: int32(at.Col), idx: x.idx, ns: x.ns, ptr: x.ptr}
	if final {
		return f.yield(f.s.dangling(f.c, p))
	}
	runs := f.s.pending
	if n := len(runs); n == 0 || len(runs[n-1]) == pendingRun {
		f.s.pending = append(runs, make([]pending, 0, pendingRun))
		runs = f.s.pending
	}
	n := len(runs) - 1
	runs[n] = append(runs[n], p)
	return nil
}

// dangling returns the finding for a reference that leads nowhere or to the wrong thing; nil if the set cannot decide.
func (s *set) dangling(c *Checker, x pending) *schema.Finding {
	p := &x
	fault := &schema.Finding{Pos: schema.Pos{File: c.Checked[p.file].Name, Line: int(p.line), Col: int(p.col)}, Pointer: pointer(x.ptr, x.idx), Have: quote(p.id)}
	e, found := s.index.get(x.k)
	switch {
	case found && x.ns == nsNode:
		fault.Code, fault.Message, fault.Want = "GRF005", "an edge of this type may not connect to such a node", "one of "+s.names(x.tup)
		fault.Have += " " + s.names(e.tup)
	case found: // the text
		fault.Code, fault.Message, fault.Want = "LNK002", "the quoted text is not the memory's", "the text at "+c.Checked[e.file].Name+":"+strconv.Itoa(int(e.line))
	case !s.decides(p):
		return nil
	case x.ns == nsNode:
		fault.Code, fault.Message = "GRF004", "no such node is among the given files"
		if prefix := p.id[:max(0, strings.IndexByte(p.id, ':'))]; !s.nodeOf[prefix] {
			fault.Warning, fault.Hint = true, "no node "+prefix+":… is given at all; give the file that holds them too"
		}
	case x.ns == nsMemory:
		fault.Code, fault.Message, fault.Want = "LNK001", "this memory is not among the given exports", "a memory of the exports"
	case x.ns == nsPair:
		fault.Code, fault.Message, fault.Want = "LNK006", "this point does not hold the memory named with it", "a point of that memory"
	case x.ns == nsEntity:
		fault.Code, fault.Message, fault.Warning = "LNK004", "no entity line for it is among the given files", true
	case x.ns == nsClaim && x.ptr == ptrExpects:
		fault.Code, fault.Message, fault.Want = "EVT007", "this claim is not among the given files", "a claim_id"
	case x.ns == nsClaim:
		fault.Code, fault.Message, fault.Want = "LNK005", "this claim is not among the given files", "a claim_id"
	case x.ns == nsInject:
		fault.Code, fault.Message, fault.Want = "EVT007", "no turn contains this inject", "the inject_id of a given turn"
	case x.ns == nsProbe:
		fault.Code, fault.Message, fault.Want = "LNK007", "none of the given turns asks this probe", "the probe_id of a given turn"
	case x.ns == nsEvent:
		fault.Code, fault.Message, fault.Have = "LNK003", "the conversation has no such turn", quote(p.id)+" turn "+strconv.FormatInt(x.num, 10)
	default:
		return nil
	}
	return fault
}

// decides reports whether the set has the kind of record that a reference leads to.
func (s *set) decides(x *pending) bool {
	switch x.ns {
	case nsNode, nsMemory, nsEntity:
		return s.given[x.ns]
	case nsClaim:
		return s.given[nsClaim] || x.ptr != ptrExpects
	case nsProbe:
		return s.given[nsEvent]
	}
	return true
}

// names spells a mask of labels.
func (s *set) names(mask uint64) string {
	var out []string
	for i, l := range s.labels {
		if i < 62 && mask&(1<<i) != 0 {
			out = append(out, l)
		}
	}
	return "[" + strings.Join(out, ", ") + "]"
}

// turn keeps the order of a conversation.
func (f *fold) turn(x *fact, line int32) error {
	c := f.convs[x.cond]
	if c == nil {
		c = &conversation{id: string(x.id), pos: schema.Pos{File: f.c.Checked[f.file].Name, Line: int(line)}}
		if f.convs == nil {
			f.convs = map[key]*conversation{}
		}
		f.convs[x.cond] = c
		f.order = append(f.order, c)
	}
	c.n++
	if x.tup&1 != 0 {
		c.canon++
	}
	if x.tup&6 != 0 {
		c.reusable++
	}
	if x.num == c.turn+1 {
		c.turn = x.num
		return nil
	}
	c.excerpt = c.excerpt || c.n == 1 && x.num > 1
	fault := &schema.Finding{Pos: f.pos(x), Pointer: "/turn_id", Have: strconv.FormatInt(x.num, 10)}
	switch {
	case x.num > c.turn:
		fault.Code, fault.Message, fault.Want, fault.Warning = "EVT002", "turns of "+quote(c.id)+" are missing", strconv.FormatInt(c.turn+1, 10), f.v == schema.V001 || c.excerpt
		c.turn = x.num
		return f.yield(fault)
	case x.num == c.turn:
		return nil // define reports it
	}
	if e, ok := f.s.index.get(x.k); ok && e.file == f.file {
		return nil // repeated: define reports it
	}
	fault.Code, fault.Message, fault.Want = "EVT001", "the turn comes after a later one of "+quote(c.id), "more than "+strconv.FormatInt(c.turn, 10)
	return f.yield(fault)
}

// end closes a file: the gates of its conversations.
func (f *fold) end() {
	for _, c := range f.order {
		var x *schema.Finding
		switch {
		case c.n > 1 && c.canon == c.n:
			x = &schema.Finding{Pos: c.pos, Code: "EVT010", Message: "every event of " + quote(c.id) + " is canon_only", Have: strconv.Itoa(c.canon) + " of " + strconv.Itoa(c.n), Want: "also episodic or filler", Warning: true}
		case c.n > 1 && c.reusable*10 < c.n*3:
			x = &schema.Finding{Pos: c.pos, Code: "EVT011", Message: "few events of " + quote(c.id) + " are episodic or filler", Have: strconv.Itoa(c.reusable) + " of " + strconv.Itoa(c.n), Want: "at least 30 %", Warning: true}
		}
		if x != nil && f.yield(x) != nil {
			return
		}
	}
}

// Close yields the findings that only the whole set shows: unmatched references, in the order of the input. The Checker cannot be used afterwards.
func (c *Checker) Close() iter.Seq2[*schema.Finding, error] {
	return func(yield func(*schema.Finding, error) bool) {
		s := &c.set
		runs := s.pending
		s.pending = nil
		// Files are read one after the other and lines in order, so the runs are in order.
		for _, run := range runs {
			for i := range run {
				if f := s.close(c, run[i]); f != nil && !yield(f, nil) {
					return
				}
			}
		}
	}
}

// close is the finding for a reference when all is read; nil where it is good.
func (s *set) close(c *Checker, x pending) *schema.Finding {
	if good, _ := s.settled(x.k, x.ns, x.ptr, x.tup); good {
		return nil
	}
	if _, found := s.index.get(x.k); !found && x.cond != (key{}) {
		if _, ok := s.index.get(x.cond); !ok {
			return nil
		}
	}
	return s.dangling(c, x)
}
