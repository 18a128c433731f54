package claims

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"iter"
	"math"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"membench/internal/clause"
	"membench/internal/codec"
	"membench/internal/par"
	"membench/internal/pattern"
	"membench/llm"
	"membench/schema"
	"membench/schema/catalog"
)

// Sizes of a chunk unless Options say otherwise.
const (
	MaxItems = 30     // memories
	MaxChars = 20_000 // code points of their texts
)

// A Memory is one export record as extractors see it.
type Memory struct {
	Pos     schema.Pos
	ID      schema.MemoryID
	Point   schema.PointID
	Fields  schema.PayloadFields
	Speaker schema.Ref // the user or agent that "I", or a missing subject, refers to
	Text    string     // Fields.Data without a [User] or [Agent] prefix
	Other   schema.Ref // the other party of the conversation; zero if unknown
	Asked   string     // the question of another speaker that the text may answer; "" if unknown
	own     string     // what the speaker said before it
}

// A Chunk is the input of one extraction: memories of one conversation.
type Chunk struct {
	Memories []Memory
	Tags     []string // names of tags to use again where they fit
	count    func()   // called for each memory, by extractors that read one after the other
	cast     *cast    // people of the conversation so far; nil: none
}

// An Answer is the result of an extraction. Evidence names memories of the chunk; the caller fills in the rest of it.
type Answer struct {
	Statements []schema.Statement
	Endings    []Ending
	Rejected   []Reject
	Dropped    int // recognised, not wanted: forbidden predicates, confidence below 0.60
	Unread     int // memories in languages that the extractor does not read
	Notes      []*schema.Finding
	Usage      llm.Usage
}

// A Reject is one line of a model's answer that could not be used.
type Reject struct {
	ConvID schema.ConvID `json:"conv_id"`
	Line   int           `json:"line"` // of the answer, from 1; 0: the answer as a whole
	Reason string        `json:"reason"`
	Raw    string        `json:"raw"`
}

// An Extractor makes statements of memories. It may be called by several goroutines.
type Extractor interface {
	Extract(ctx context.Context, c Chunk) (Answer, error)
	// Fingerprint changes whenever the same memory may give another answer.
	Fingerprint() string
}

// A Cache keeps answers that were paid for. Keys are hex, values JSON without newlines.
type Cache interface {
	Get(key string) ([]byte, bool)
	Put(key string, value []byte) error
}

// Options say how to extract.
type Options struct {
	Extractor Extractor        // nil: Rule
	Catalog   *catalog.Catalog // nil: the built-in one
	Version   schema.Version   // of ids and vocabulary; "": the newest
	People    schema.People    // who is who in the project
	// Operations are the scenes whose talk is about systems: only there are alerts, causes,
	// fixes and owners looked for. "*" is every scene; none by default.
	Operations []string
	// MinConfidence is the least confidence of a claim by rule, in [0,1]; 0: clause.DefaultFrom. No fact below clause.KeptFrom is read. Higher gives fewer claims, and fewer wrong ones. A model's claims have a limit of their own.
	MinConfidence float64
	Cache         Cache   // nil: nothing is remembered
	Force         bool    // repeat extractions that the cache has
	Tags          *Tags   // nil: none are offered
	MaxItems      int     // memories in a chunk; 0: MaxItems
	MaxChars      int     // code points in a chunk; 0: MaxChars
	Workers       int     // chunks under way, of the rule extractor conversations; 0: 1
	Memory        int64   // bytes of records held before they go to disk; 0: 16 MiB
	TempDir       string  // where they go; "": the system's folder
	States        *States // what earlier calls stated in the same conversations, and this one adds to; nil: each conversation comes whole
	// Progress is called with the memories that are done, of those that were read, by
	// several goroutines; nil: not reported.
	Progress func(unit string, done, of int)

	count func(n int)   // n more memories are done
	slots chan struct{} // chunks of a model's that are under way, of all conversations; nil: no limit
}

func (o Options) withDefaults() Options {
	o.Catalog = cmp.Or(o.Catalog, catalog.Default())
	o.Version = cmp.Or(o.Version, schema.Latest)
	if o.Extractor == nil {
		r := Rule(o.Catalog, o.Version).(*rule)
		r.people, r.operations, r.least = o.People, o.Operations, cmp.Or(o.MinConfidence, r.least)
		o.Extractor = r
	}
	if _, ok := o.Extractor.(*rule); ok {
		// It reads a conversation as a whole and costs nothing: no chunks, no cache.
		o.MaxItems, o.MaxChars, o.Cache = math.MaxInt, math.MaxInt, nil
	}
	if o.MaxItems <= 0 {
		o.MaxItems = MaxItems
	}
	if o.MaxChars <= 0 {
		o.MaxChars = MaxChars
	}
	o.Workers = max(1, o.Workers)
	if o.Memory <= 0 {
		o.Memory = 16 << 20
	}
	return o
}

// A Conversation is the result of one conversation.
type Conversation struct {
	ID         schema.ConvID
	Statements []schema.Statement // in the order of Less
	Rejected   []Reject
	Findings   []*schema.Finding // failed chunks, warnings of the merge
	Memories   int
	Scenes     []string // of the memories
	Asked      int      // memories that an extractor was asked about, the others were known
	Dropped    int
	Unread     int // memories in languages that the extractor does not read
	Failed     int // chunks that were not, or not all, heard about; they are asked about next time
	Usage      llm.Usage
}

// Extract is ByConversation as one stream.
func Extract(ctx context.Context, in schema.Seq[schema.MemoryExport], o Options) schema.Seq[schema.Statement] {
	return func(yield func(schema.Record[schema.Statement], error) bool) {
		for c, err := range ByConversation(ctx, in, o) {
			if err != nil {
				if !yield(schema.Record[schema.Statement]{}, err) || !schema.IsFinding(err) {
					return
				}
				continue
			}
			for _, f := range c.Findings {
				if !yield(schema.Record[schema.Statement]{Pos: f.Pos}, f) {
					return
				}
			}
			for _, s := range c.Statements {
				if !yield(schema.Record[schema.Statement]{V: s}, nil) {
					return
				}
			}
		}
	}
}

// ByConversation reads all memories, groups them by conversation and yields the
// conversations in natural order of their ids. Findings of the input come first. Memory
// holds o.Memory bytes of records, the rest goes to disk, and the conversations that are
// being read: about 600 bytes and its text for each of their memories. The failure of
// one chunk is a finding of its conversation; its memories are asked about next time.
func ByConversation(ctx context.Context, in schema.Seq[schema.MemoryExport], o Options) iter.Seq2[Conversation, error] {
	o = o.withDefaults()
	return func(yield func(Conversation, error) bool) {
		s := newShelf(o)
		defer s.close()
		for rec, err := range in {
			var m Memory
			if err == nil {
				m, err = memoryOf(rec, o)
			}
			if err == nil {
				if err = s.add(m.Fields.ConvID, rec); err != nil {
					yield(Conversation{}, err)
					return
				}
				continue
			}
			if !yield(Conversation{}, err) || !schema.IsFinding(err) {
				return
			}
		}
		o.count = func(int) {}
		if o.Progress != nil {
			var mu sync.Mutex // the last call has the most information
			done := 0
			o.count = func(n int) {
				mu.Lock()
				defer mu.Unlock()
				done += n
				o.Progress("memories", done, int(s.n))
			}
		}
		o.count(0)
		// Conversations are independent. A model is asked about chunks of several at once, enough to keep all workers busy when some end early.
		ahead := o.Workers
		if _, ok := o.Extractor.(*rule); !ok && o.Workers > 1 {
			ahead = 4 * o.Workers
			o.slots = make(chan struct{}, o.Workers)
		}
		for c, err := range par.Map(ctx, ahead, s.conversations(), func(ctx context.Context, ms []Memory) (Conversation, error) {
			return conversation(ctx, ms[0].Fields.ConvID, ms, o)
		}) {
			if !yield(c, err) || err != nil {
				return
			}
		}
	}
}

// memoryOf checks one record. A record without text or point is a finding.
func memoryOf(rec schema.Record[schema.MemoryExport], o Options) (Memory, error) {
	fault := func(pointer, code, msg, have, want string) error {
		return &schema.Finding{Pos: rec.Pos, Pointer: pointer, Code: code, Message: msg, Have: have, Want: want}
	}
	if rec.V.Payload.IsNull() || rec.V.Payload.Len() == 0 {
		return Memory{}, fault("/payload", "MEM101", "memory without a payload, skipped", "", "an object with data")
	}
	f, err := rec.V.Fields()
	if err != nil {
		var ce *codec.Error
		pointer := "/payload"
		if errors.As(err, &ce) {
			pointer += ce.Pointer
		}
		return Memory{}, fault(pointer, "MEM102", "payload cannot be read, skipped: "+err.Error(), "", "")
	}
	if strings.TrimSpace(f.Data) == "" {
		return Memory{}, fault("/payload/data", "MEM103", "memory without a text, skipped", textOf(f.Data), "text")
	}
	if rec.V.ID == "" {
		return Memory{}, fault("/id", "MEM104", "memory without an id, skipped", `""`, "the memory system's id of the point")
	}
	m := Memory{Pos: rec.Pos, Point: rec.V.ID, Fields: f, Asked: f.Asked, ID: schema.Mint{V: o.Version}.Memory(f.Data, f.Hash, rec.V.ID)}
	m.Speaker, m.Other, m.Text = speakerOf(rec.V, f, o)
	if m.Speaker.ID == "" {
		return Memory{}, fault("/payload", "MEM105", "the memory has no owner, skipped", "", "owner_id, user_id, agent_id or character_id")
	}
	return m, nil
}

var prefixes = []struct{ text, typ string }{{"[User]", schema.LabelUser}, {"[Agent]", schema.LabelAgent}, {"[user]", schema.LabelUser}, {"[agent]", schema.LabelAgent}, {"[用户]", schema.LabelUser}, {"[助手]", schema.LabelAgent}, {"[assistant]", schema.LabelAgent}, {"[Assistant]", schema.LabelAgent}}

// speakerOf decides whose memory it is: the first of an explicit owner, a prefix of the text, the role given by the memory system, a matched owner, and
// the agent.
func speakerOf(x schema.MemoryExport, f schema.PayloadFields, o Options) (speaker, other schema.Ref, text string) {
	text = strings.TrimSpace(f.Data)
	typ := ""
	for _, p := range prefixes {
		if t, ok := strings.CutPrefix(text, p.text); ok {
			typ, text = p.typ, strings.TrimSpace(t)
			break
		}
	}
	if typ == "" && f.ActorID == "" { // nobody said it: a memory system's own words
		text = clause.Note(text)
	}
	role := cmp.Or(x.Payload.Text("attributed_to"), x.Payload.Text("role"))
	switch {
	case f.OwnerType != "" && (f.OwnerInfer == "explicit" || f.OwnerInfer == ""):
		typ = f.OwnerType
	case typ != "":
	case role == "user":
		typ = schema.LabelUser
	case role == "assistant":
		typ = schema.LabelAgent
	case f.OwnerType != "" && f.OwnerInfer == "matched_event":
		typ = f.OwnerType
	}
	agent, user := cmp.Or(f.AgentID, f.CharacterID), f.UserID
	if f.OwnerID != "" && f.OwnerInfer != "fallback" && f.OwnerInfer != "ambiguous" {
		switch {
		case typ == schema.LabelUser && f.OwnerType == schema.LabelUser:
			user = f.OwnerID
		case typ != schema.LabelUser && f.OwnerType != schema.LabelUser:
			agent = f.OwnerID
		}
	}
	m := schema.Mint{V: o.Version}
	of := func(typ, declared, actor string) schema.Ref {
		r, _ := o.People.Speaker(m, f.ConvID, typ, declared, actor)
		return r
	}
	if f.ActorID != "" && !o.Version.Before(schema.V020) { // who said it is named: the other side is not
		return of(typ, "", f.ActorID), schema.Ref{}, text
	}
	a, u := of(schema.LabelAgent, agent, ""), of(schema.LabelUser, user, "")
	if typ == schema.LabelUser && u.ID != "" || a.ID == "" {
		return u, a, text
	}
	return a, u, text
}

// remembered is the value of a cache entry: the statements of one memory text, without evidence.
type remembered struct {
	Statements []schema.Statement `json:"statements"`
	Endings    []Ending           `json:"endings,omitempty"`
	Rejected   []Reject           `json:"rejected,omitempty"`
}

// leans is 1 for a text that opens with a pronoun: of what was said at one instant it is read behind what it may mean.
func leans(text string) int {
	if leaning.MatchString(text) {
		return 1
	}
	return 0
}

var leaning = pattern.New(`(?i)^(?:it|he|she|they|this|that|these|those|its|his|her|their)\b|^[它他她这那]`)

func conversation(ctx context.Context, id schema.ConvID, ms []Memory, o Options) (Conversation, error) {
	out := Conversation{ID: id, Memories: len(ms)}
	slices.SortStableFunc(ms, func(a, b Memory) int {
		return cmp.Or(cmp.Compare(instantOf(a.Fields.CreatedAt), instantOf(b.Fields.CreatedAt)), cmp.Compare(leans(a.Text), leans(b.Text)), cmp.Compare(a.Point, b.Point), cmp.Compare(a.ID, b.ID))
	})
	known := map[string]remembered{}
	var once []Memory // the first of each work
	todo := map[string]bool{}
	for _, m := range ms {
		k := workKey(o, m)
		if _, ok := known[k]; ok || todo[k] {
			continue
		}
		once = append(once, m)
		if o.Cache != nil && !o.Force {
			if raw, ok := o.Cache.Get(k); ok {
				var r remembered
				if err := codec.Unmarshal(raw, &r); err == nil {
					known[k] = r
					continue
				}
			}
		}
		todo[k] = true
	}
	out.Asked = len(todo)
	chunks := chunksOf(once, todo, o)
	o.count(len(ms) - out.Asked) // known, or said before
	type result struct {
		a   Answer
		err error
	}
	i := 0
	for r, err := range par.Map(ctx, o.Workers, seqOf(chunks), func(ctx context.Context, c Chunk) (result, error) {
		if o.slots != nil {
			select {
			case o.slots <- struct{}{}:
				defer func() { <-o.slots }()
			case <-ctx.Done():
				return result{}, ctx.Err()
			}
		}
		c.Tags = o.Tags.Candidates(c)
		told := 0
		c.count = func() { told++; o.count(1) }
		a, err := o.Extractor.Extract(ctx, c)
		o.count(len(c.Memories) - told)
		return result{a, err}, nil
	}) {
		if err != nil {
			return out, err
		}
		c := chunks[i]
		i++
		out.Usage = out.Usage.Add(r.a.Usage)
		out.Dropped += r.a.Dropped
		out.Unread += r.a.Unread
		out.Findings = append(out.Findings, r.a.Notes...)
		if r.err != nil {
			if ctx.Err() != nil {
				return out, ctx.Err()
			}
			if llm.Fatal(r.err) { // every other chunk would meet it too
				return out, r.err
			}
			if llm.KindOf(r.err) == llm.KindDryRun { // no call was made: nothing is lost
				continue
			}
			out.Failed++
			out.Findings = append(out.Findings, &schema.Finding{Pos: c.Memories[0].Pos, Code: "CLM110", Failed: string(llm.OutcomeOf(llm.Response{}, r.err)), Message: fmt.Sprintf("extracting %d memories of conversation %q: %v", len(c.Memories), id, r.err), Hint: "run claimify again: only these memories are asked about"})
			if len(r.a.Statements) == 0 {
				for _, rej := range r.a.Rejected {
					rej.ConvID = id
					out.Rejected = append(out.Rejected, rej)
				}
				continue
			}
		}
		shared := share(c, r.a, o)
		for _, k := range catalog.Sorted(shared) {
			v := shared[k]
			known[k] = v
			if o.Cache != nil && r.err == nil {
				raw, err := codec.Append(nil, v, codec.Compact)
				if err == nil {
					err = o.Cache.Put(k, raw)
				}
				if err != nil {
					return out, fmt.Errorf("remembering an answer: %w", err)
				}
			}
		}
	}
	m := NewMerger(o.Catalog, o.Version)
	held := o.States.of(id)
	if o.Version != schema.V001 {
		for _, mem := range ms {
			held.note(m.cat, known[workKey(o, mem)].Statements, instantOf(mem.Fields.CreatedAt))
		}
	}
	for _, mem := range ms {
		if !slices.Contains(out.Scenes, mem.Fields.SceneID) {
			out.Scenes = append(out.Scenes, mem.Fields.SceneID)
		}
		r, ok := known[workKey(o, mem)]
		if !ok {
			continue
		}
		for _, rej := range r.Rejected {
			rej.ConvID = id
			if !slices.Contains(out.Rejected, rej) {
				out.Rejected = append(out.Rejected, rej)
			}
		}
		for _, s := range held.meant(m.cat, m.mint, r, instantOf(mem.Fields.CreatedAt)) {
			if s.Claim != nil {
				if s.Claim.Domain == "ops" && !operational(o.Operations, mem.Fields.SceneID) {
					out.Dropped++
					continue
				}
				c := *s.Claim
				e := schema.Evidence{Memory: mem.ID, Point: mem.Point, ConvID: mem.Fields.ConvID, SceneID: mem.Fields.SceneID, CreatedAt: mem.Fields.CreatedAt, Text: mem.Fields.Data}
				if len(c.Evidence) > 0 {
					e.EventTime = c.Evidence[0].EventTime
				}
				c.Evidence = []schema.Evidence{e}
				c.UpdatedAt = cmp.Or(c.UpdatedAt, mem.Fields.CreatedAt)
				s = schema.Statement{Claim: &c}
			}
			if f := m.fold(s, mem.Pos); f != nil {
				out.Findings = append(out.Findings, f)
			}
		}
	}
	out.Findings = append(out.Findings, m.Findings()...)
	out.Statements = m.All()
	return out, nil
}

// operational reports whether a scene is declared to be about systems.
func operational(scenes []string, scene string) bool {
	return slices.Contains(scenes, "*") || slices.Contains(scenes, scene)
}

func seqOf(cs []Chunk) iter.Seq2[Chunk, error] {
	return func(yield func(Chunk, error) bool) {
		for _, c := range cs {
			if !yield(c, nil) {
				return
			}
		}
	}
}

// workKey identifies the work on one memory: its text, its speaker, and the extractor. For rules every memory is separate, since its meaning depends on its day
// and on the preceding ones.
func workKey(o Options, m Memory) string {
	if _, ok := o.Extractor.(*rule); ok {
		return string(m.Point) + "\x00" + string(m.ID)
	}
	h := sha256.New()
	for _, s := range []string{o.Extractor.Fingerprint(), schema.Hash(m.Fields.Data), m.Speaker.Type, string(m.Speaker.ID), string(m.Other.ID)} {
		fmt.Fprintf(h, "%d:%s", len(s), s)
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// chunksOf cuts memories into chunks and skips those that are not to do. A chunk without known answers is composed as if nothing were known: a run that
// continues after a failure asks the same as an undisturbed one. The remaining memories of the other chunks are joined. A text longer than a chunk is a chunk
// of its own.
func chunksOf(ms []Memory, todo map[string]bool, o Options) (out []Chunk) {
	var rest []Memory
	for _, c := range cut(ms, o) {
		if len(todo) == len(ms) {
			out = append(out, Chunk{Memories: c})
			continue
		}
		var left []Memory
		for _, m := range c {
			if todo[workKey(o, m)] {
				left = append(left, m)
			}
		}
		if len(left) < len(c) {
			rest = append(rest, left...)
			continue
		}
		out = append(out, Chunk{Memories: c})
	}
	for _, c := range cut(rest, o) {
		out = append(out, Chunk{Memories: c})
	}
	return out
}

func cut(ms []Memory, o Options) (out [][]Memory) {
	from, chars := 0, 0
	for i, m := range ms {
		n := utf8.RuneCountInString(m.Fields.Data) + 1
		if i > from && (i-from == o.MaxItems || chars+n > o.MaxChars) {
			out = append(out, ms[from:i:i])
			from, chars = i, 0
		}
		chars += n
	}
	if from < len(ms) {
		out = append(out, ms[from:])
	}
	return out
}

// share gives each memory of the chunk its statements: its claims and their entities. An entity without a claim goes to the first memory whose text names it,
// or to the first.
func share(c Chunk, a Answer, o Options) map[string]remembered {
	out := make(map[string]remembered, len(c.Memories))
	keyOf := make([]string, len(c.Memories))
	for i, m := range c.Memories {
		keyOf[i] = workKey(o, m)
		out[keyOf[i]] = remembered{Statements: []schema.Statement{}}
	}
	entities := map[schema.EntityID]schema.Statement{}
	var order []schema.EntityID
	for _, s := range a.Statements {
		if s.Entity != nil {
			if _, ok := entities[s.Entity.ID]; !ok {
				order = append(order, s.Entity.ID)
			}
			entities[s.Entity.ID] = s
		}
	}
	used := map[schema.EntityID]bool{}
	have := map[string]map[schema.EntityID]bool{}
	give := func(i int, s schema.Statement) {
		r := out[keyOf[i]]
		r.Statements = append(r.Statements, s)
		out[keyOf[i]] = r
	}
	type place struct {
		memory schema.MemoryID
		point  schema.PointID
	}
	at := map[place][]int{} // without it the time grows with the square of a conversation
	for i, m := range c.Memories {
		k := place{m.ID, m.Point}
		at[k] = append(at[k], i)
	}
	for _, s := range a.Statements {
		if s.Claim == nil {
			continue
		}
		var from []int
		for _, e := range s.Claim.Evidence {
			from = append(from, at[place{e.Memory, e.Point}]...)
		}
		slices.Sort(from)
		for _, i := range slices.Compact(from) {
			bare := *s.Claim
			bare.Evidence = []schema.Evidence{}
			if s.Claim.Evidence[0].EventTime != "" {
				bare.Evidence = []schema.Evidence{{EventTime: s.Claim.Evidence[0].EventTime}}
			}
			if o.Version != schema.V001 {
				bare.UpdatedAt = ""
			}
			for _, id := range []schema.EntityID{bare.Subject.ID, bare.Object.ID} {
				if e, ok := entities[id]; ok && !have[keyOf[i]][id] {
					if have[keyOf[i]] == nil {
						have[keyOf[i]] = map[schema.EntityID]bool{}
					}
					have[keyOf[i]][id], used[id] = true, true
					give(i, e)
				}
				used[id] = true
			}
			give(i, schema.Statement{Claim: &bare})
		}
	}
	for _, id := range order {
		if used[id] {
			continue
		}
		first := 0
		if name := entityName(entities[id].Entity); name != "" {
			first = max(0, slices.IndexFunc(c.Memories, func(m Memory) bool { return strings.Contains(m.Fields.Data, name) }))
		}
		give(first, entities[id])
	}
	for _, e := range a.Endings {
		if from := at[place{e.Memory, e.Point}]; len(from) > 0 {
			i := from[0]
			r := out[keyOf[i]]
			e.Memory, e.Point = "", ""
			r.Endings = append(r.Endings, e)
			out[keyOf[i]] = r
		}
	}
	if len(a.Rejected) > 0 {
		r := out[keyOf[0]]
		r.Rejected = append(r.Rejected, a.Rejected...)
		out[keyOf[0]] = r
	}
	return out
}

// Natural compares texts with their digit runs by value: ch2 before ch11.
func Natural(a, b string) int {
	i, j := 0, 0
	for i < len(a) && j < len(b) {
		if digit(a[i]) && digit(b[j]) {
			x, y := i, j
			for i < len(a) && digit(a[i]) {
				i++
			}
			for j < len(b) && digit(b[j]) {
				j++
			}
			m, n := strings.TrimLeft(a[x:i], "0"), strings.TrimLeft(b[y:j], "0")
			if c := cmp.Or(cmp.Compare(len(m), len(n)), cmp.Compare(m, n)); c != 0 {
				return c
			}
			continue
		}
		if a[i] != b[j] {
			return cmp.Compare(a[i], b[j])
		}
		i++
		j++
	}
	return cmp.Or(cmp.Compare(len(a)-i, len(b)-j), cmp.Compare(a, b))
}

func digit(c byte) bool { return c >= '0' && c <= '9' }
