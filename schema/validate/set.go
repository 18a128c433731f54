package validate

import (
	"iter"
	"sort"
	"strconv"

	"membench/schema"
	"membench/schema/catalog"
)

// set is what is known of all files: where each id was defined, and the references to
// what has not been read.
type set struct {
	cat     *catalog.Catalog
	index   map[key]entry
	pending []pending
	given   [nsInject + 1]bool // name spaces with at least one definition
	nodeOf  map[string]bool    // prefixes of node ids that were defined
	labels  []string
}

// entry is where an id was defined last: 16 bytes, 32 with its key.
type entry struct {
	tup  uint64
	file int32
	line int32
}

// pending is a reference that could not be settled when it was read.
type pending struct {
	f    fact
	id   string
	file int32
	line int32
	v    schema.Version
}

func (s *set) init(cat *catalog.Catalog) {
	s.cat, s.index, s.nodeOf, s.labels = cat, map[key]entry{}, map[string]bool{}, catalog.Sorted(cat.Labels)
}

// fold applies the facts of one file in input order.
type fold struct {
	c     *Checker
	s     *set
	file  int32
	hint  schema.Kind
	last  schema.Kind // of the line before, for lines that do not show theirs
	v     schema.Version
	yield func(*schema.Finding) error

	convs   map[key]*conversation
	order   []*conversation
	edgeAt  int32 // line of the first edge
	gapSaid bool
}

// conversation is the state of one conversation in one file: about 120 bytes.
type conversation struct {
	id       string
	pos      schema.Pos // of its first event
	turn     int64      // highest so far
	n        int
	canon    int
	reusable int // episodic or filler
}

func (f *fold) block(w *worker) error {
	f.v = w.v
	for i := 0; i < len(w.out); i++ {
		o := w.out[i]
		if o.unknown {
			k := f.last
			if k == "" {
				k = f.hint
			}
			if k == "" {
				w.line, w.fs, w.colOff, w.colN = o.again, nil, 0, 1
				w.doc.Parse(w.buf[o.again.start:o.again.end])
				w.faults()
				w.fault(0, "SCH010", "the kind of this record cannot be told", w.doc.Nodes[0].Kind.String(), "one of the published kinds")
				w.fs[len(w.fs)-1].Hint = "name it with --kind"
				o.findings = w.fs
			} else {
				w.read(o.again, k)
				o = w.out[len(w.out)-1]
				w.out = w.out[:len(w.out)-1]
			}
		}
		if o.kind != "" {
			f.last = o.kind
		}
		f.c.Checked[f.file].Kinds[o.kind]++
		for _, x := range o.findings {
			if err := f.yield(x); err != nil {
				return err
			}
		}
		for j := o.from; j < o.to; j++ {
			if err := f.apply(w, &w.facts[j], int32(o.n)); err != nil {
				return err
			}
		}
	}
	return nil
}

func (f *fold) pos(line int32, x *fact) schema.Pos {
	return schema.Pos{File: f.c.Checked[f.file].Name, Line: int(line), Col: int(x.col)}
}

func (f *fold) apply(w *worker, x *fact, line int32) error {
	if x.line > 0 {
		line = x.line
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
		return f.refer(x, line)
	case opEdgeLine:
		if f.edgeAt == 0 {
			f.edgeAt = line
		}
	case opNodeLine:
		if f.edgeAt > 0 && !f.gapSaid {
			f.gapSaid = true
			return f.yield(&schema.Finding{Pos: schema.Pos{File: f.c.Checked[f.file].Name, Line: int(line)}, Code: "GRF007", Message: "a node comes after an edge", Have: "the first edge in line " + strconv.Itoa(int(f.edgeAt)), Want: "nodes first", Warning: true})
		}
	}
	return nil
}

// define enters an id, or reports that it is taken.
func (f *fold) define(x *fact, line int32) error {
	s := f.s
	s.given[x.ns] = true
	if x.op == opTurn {
		s.given[nsConv] = true
		s.index[x.cond] = entry{0, f.file, line}
		y := *x
		y.tup, y.op = 0, opDefine
		x = &y
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
	old, taken := s.index[x.k]
	if x.flag&flagAny != 0 {
		s.index[x.k] = entry{^uint64(0), f.file, line}
		return nil
	}
	s.index[x.k] = entry{x.tup, f.file, line}
	if !taken || old.tup == ^uint64(0) && x.ns != nsEvent {
		return nil
	}
	at := f.place(old)
	fault := &schema.Finding{Pos: f.pos(line, x), Pointer: pointer(x.ptr, x.idx), Have: quote(x.id)}
	same := old.file == f.file
	switch x.ns {
	case nsNode, nsEdge, nsClaim, nsEntity:
		switch {
		case old.tup != x.tup:
			fault.Code, fault.Message = "ID001", "one id for two different things, see "+at
		case !same:
			return nil
		case x.ns == nsNode || x.ns == nsEdge:
			fault.Code, fault.Message = "GRF003", "the id stands in this file already, see "+at
		default:
			fault.Code, fault.Message = "CLM007", "the id stands in this file already, see "+at
		}
	case nsPoint:
		if !same {
			return nil
		}
		fault.Code, fault.Message = "MEM006", "the point stands in this export already, see "+at
	case nsMemory:
		if old.tup == x.tup {
			return nil
		}
		fault.Code, fault.Message = "MEM003", "one memory id for two texts, see "+at
	case nsEvent:
		if !same {
			return nil
		}
		fault.Code, fault.Message, fault.Have = "EVT003", "the turn stands in this file already, see "+at, strconv.FormatInt(x.num, 10)
	case nsProbe, nsInject:
		if old.tup == x.tup {
			return nil
		}
		fault.Code, fault.Message = "EVT009", "the id belongs to another turn already, see "+at
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

// settled says whether a reference is good, and if not, whether that is final.
func (s *set) settled(x *fact) (good, final bool) {
	e, ok := s.index[x.k]
	if !ok {
		return false, false
	}
	switch {
	case e.tup == ^uint64(0):
		return true, true
	case x.ns == nsNode:
		return e.tup&x.tup != 0 || e.tup&(1<<63) != 0, true
	case x.ptr == ptrEvidenceText:
		return e.tup == x.tup, true
	}
	return true, true
}

func (f *fold) refer(x *fact, line int32) error {
	good, final := f.s.settled(x)
	if good {
		return nil
	}
	p := pending{f: *x, id: string(x.id), file: f.file, line: line, v: f.v}
	p.f.id = nil
	if final {
		return f.yield(f.s.dangling(f.c, &p))
	}
	f.s.pending = append(f.s.pending, p)
	return nil
}

// dangling is the finding for a reference that leads nowhere or to the wrong thing;
// nil where the set cannot tell.
func (s *set) dangling(c *Checker, p *pending) *schema.Finding {
	x := &p.f
	fault := &schema.Finding{Pos: schema.Pos{File: c.Checked[p.file].Name, Line: int(p.line), Col: int(x.col)}, Pointer: pointer(x.ptr, x.idx), Have: quote(p.id)}
	e, found := s.index[x.k]
	switch {
	case found && x.ns == nsNode:
		fault.Code, fault.Message, fault.Want = "GRF005", "an edge of this type may not connect to such a node", "one of "+s.names(x.tup)
		fault.Have += " " + s.names(e.tup)
	case found: // the text
		fault.Code, fault.Message, fault.Want = "LNK002", "the quoted text is not the memory's", "the text at "+c.Checked[e.file].Name+":"+strconv.Itoa(int(e.line))
	case x.ns == nsNode:
		prefix := ""
		for i := range p.id {
			if p.id[i] == ':' {
				prefix = p.id[:i]
				break
			}
		}
		fault.Code, fault.Message = "GRF004", "no such node is among the given files"
		if !s.given[nsNode] {
			return nil
		}
		if !s.nodeOf[prefix] {
			fault.Warning, fault.Hint = true, "no node "+prefix+":… is given at all; give the file that holds them too"
		}
	case x.ns == nsMemory:
		if !s.given[nsMemory] {
			return nil
		}
		fault.Code, fault.Message, fault.Want = "LNK001", "this memory is not among the given exports", "a memory of the exports"
	case x.ns == nsPair:
		fault.Code, fault.Message, fault.Want = "LNK006", "this point does not hold the memory beside it", "a point of that memory"
	case x.ns == nsEntity:
		if !s.given[nsEntity] {
			return nil
		}
		fault.Code, fault.Message, fault.Warning = "LNK004", "no entity line for it is among the given files", true
	case x.ns == nsClaim && x.ptr == ptrExpects:
		if !s.given[nsClaim] {
			return nil
		}
		fault.Code, fault.Message, fault.Want = "EVT007", "this claim is not among the given files", "a claim_id"
	case x.ns == nsClaim:
		fault.Code, fault.Message, fault.Want = "LNK005", "this claim is not among the given files", "a claim_id"
	case x.ns == nsInject:
		fault.Code, fault.Message, fault.Want = "EVT007", "no turn plants this inject", "the inject_id of a given turn"
	case x.ns == nsProbe:
		if !s.given[nsEvent] {
			return nil
		}
		fault.Code, fault.Message, fault.Want = "LNK007", "no given turn puts this probe", "the probe_id of a given turn"
	case x.ns == nsEvent:
		fault.Code, fault.Message, fault.Have = "LNK003", "the conversation has no such turn", quote(p.id)+" turn "+strconv.FormatInt(x.num, 10)
	default:
		return nil
	}
	return fault
}

// names spells a mask of labels.
func (s *set) names(mask uint64) string {
	out := ""
	for i, l := range s.labels {
		if i < 62 && mask&(1<<i) != 0 {
			if out != "" {
				out += ", "
			}
			out += l
		}
	}
	return "[" + out + "]"
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
	fault := &schema.Finding{Pos: f.pos(line, x), Pointer: "/turn_id", Have: strconv.FormatInt(x.num, 10)}
	switch {
	case x.num == c.turn+1:
		c.turn = x.num
		return nil
	case x.num > c.turn:
		fault.Code, fault.Message, fault.Want, fault.Warning = "EVT002", "turns of "+quote(c.id)+" are missing", strconv.FormatInt(c.turn+1, 10), f.v == schema.V001
		c.turn = x.num
		return f.yield(fault)
	case x.num == c.turn:
		return nil // define says it
	}
	if e, ok := f.s.index[x.k]; ok && e.file == f.file {
		return nil // repeated: define says it
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

// Close yields what only the whole set shows: references that nothing met, in the
// order of the input. The Checker is done then.
func (c *Checker) Close() iter.Seq2[*schema.Finding, error] {
	return func(yield func(*schema.Finding, error) bool) {
		s := &c.set
		p := s.pending
		s.pending = nil
		sort.SliceStable(p, func(i, j int) bool {
			if p[i].file != p[j].file {
				return p[i].file < p[j].file
			}
			return p[i].line < p[j].line
		})
		for i := range p {
			x := &p[i]
			if good, _ := s.settled(&x.f); good {
				continue
			}
			if _, found := s.index[x.f.k]; !found && x.f.cond != (key{}) {
				if _, ok := s.index[x.f.cond]; !ok {
					continue
				}
			}
			if f := s.dangling(c, x); f != nil && !yield(f, nil) {
				return
			}
		}
	}
}
