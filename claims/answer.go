package claims

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"membench/internal/codec"
	"membench/schema"
	"membench/schema/catalog"
)

// An answerParser parses a model's answer about one chunk.
type answerParser struct {
	cat   *catalog.Catalog
	v     schema.Version
	mint  schema.Mint
	chunk Chunk
	tags  *Tags
	by    schema.By
	made  map[schema.EntityID]*schema.Entity // for ends of claims that no entity line describes
}

// parsed is the usable part of one answer.
type parsed struct {
	statements []schema.Statement
	faults     []Reject
	dropped    int
	lines      int // JSON records seen, good or bad
	prose      int // other lines that hold text
	cut        bool
}

// parse reads one JSON object per line and tolerates common deviations: fences, prose, an array's brackets and commas, objects spread over several lines. If
// the answer was truncated, an incomplete last line is dropped without a fault.
func (p *answerParser) parse(text string, truncated bool) (out parsed) {
	lines := strings.Split(text, "\n")
	for i := 0; i < len(lines); i++ {
		raw := strings.TrimSpace(strings.TrimRight(lines[i], "\r"))
		line := strings.TrimSpace(strings.TrimSuffix(strings.TrimPrefix(raw, "["), "]"))
		line = strings.TrimSpace(strings.TrimSuffix(line, ","))
		if at, end := strings.IndexByte(line, '{'), strings.LastIndexByte(line, '}'); at > 0 && end > at && codec.Valid([]byte(line[at:end+1])) {
			line = line[at : end+1] // behind a number, a dash, a mark
		}
		if !strings.HasPrefix(line, "{") {
			if strings.Trim(line, "`[]{}, \t") != "" && !strings.HasPrefix(raw, "```") {
				out.prose++
			}
			continue
		}
		first := i + 1
		if !codec.Valid([]byte(line)) {
			// An object spread over lines ends where it becomes valid.
			joined, whole := line, false
			for j := i + 1; j < len(lines) && j-i <= 200 && len(joined) < 1<<20; j++ {
				next := strings.TrimSpace(lines[j])
				if strings.HasPrefix(next, `{"record_type"`) || strings.HasPrefix(next, "```") {
					break
				}
				joined += "\n" + next
				if t := strings.TrimSuffix(strings.TrimSuffix(joined, "]"), ","); strings.HasSuffix(t, "}") && codec.Valid([]byte(t)) {
					line, whole, i = t, true, j
					break
				}
			}
			if !whole {
				if truncated && lastText(lines, i) {
					out.cut = true
					return out
				}
				out.lines++
				var v any
				if out.fault(first, "not a JSON object: "+messageOf(codec.Unmarshal([]byte(line), &v)), raw) {
					return out
				}
				continue
			}
		}
		out.lines++
		s, drop, err := p.line([]byte(line))
		switch {
		case err != nil:
			if out.fault(first, err.Error(), raw) {
				return out
			}
		case drop:
			out.dropped++
		default:
			out.statements = append(out.statements, s...)
		}
	}
	return out
}

// mostFaults is how many bad lines of an answer are named: one with more is not an answer.
const mostFaults = 500

// fault takes a bad line down, and reports whether it was one too many: the rest of the
// answer is not read.
func (out *parsed) fault(line int, reason, raw string) bool {
	if len(out.faults) == mostFaults {
		reason, raw = fmt.Sprintf("more than %d lines cannot be used: the rest was not read", mostFaults), ""
	}
	out.faults = append(out.faults, Reject{Line: line, Reason: reason, Raw: raw})
	return len(out.faults) > mostFaults
}

// lastText reports whether no line after i holds the start of a record.
func lastText(lines []string, i int) bool {
	return !slices.ContainsFunc(lines[i+1:], func(l string) bool { return strings.HasPrefix(strings.TrimSpace(l), "{") })
}

func messageOf(err error) string {
	if err == nil {
		return "incomplete"
	}
	return err.Error()
}

// answerLine is the union of what a line may hold; absent and null are one thing.
type answerLine struct {
	RecordType string           `json:"record_type"`
	EntityType string           `json:"entity_type"`
	EntityID   string           `json:"entity_id"`
	Props      schema.Object    `json:"props"`
	Aliases    []string         `json:"aliases"`
	Tags       []string         `json:"tags"`
	Confidence *float64         `json:"confidence"`
	Predicate  string           `json:"predicate"`
	Subject    *schema.Ref      `json:"subject"`
	Object     *schema.Ref      `json:"object"`
	Domain     string           `json:"domain"`
	Status     string           `json:"status"`
	Rank       *int             `json:"rank"`
	UpdatedAt  string           `json:"updated_at"`
	Evidence   []answerEvidence `json:"evidence"`
	Extra      schema.Extra     `json:",embed"`
}

type answerEvidence struct {
	Memory schema.MemoryID `json:"memory_item_id"`
	Point  schema.PointID  `json:"point_id"`
	Conv   *string         `json:"conv_id"`
	Scene  *string         `json:"scene_id"`
	Text   *string         `json:"text"`
	Extra  schema.Extra    `json:",embed"`
}

func (p *answerParser) line(b []byte) (out []schema.Statement, drop bool, err error) {
	var l answerLine
	if err := codec.Unmarshal(b, &l); err != nil {
		if ce, ok := errors.AsType[*codec.Error](err); ok && ce.Want != "" {
			return nil, false, fmt.Errorf("%s: have %s, want %s", ce.Pointer, ce.Have, ce.Want)
		}
		return nil, false, err
	}
	if l.RecordType == "none" { // there is nothing to say
		return nil, false, nil
	}
	if l.Confidence == nil || math.IsNaN(*l.Confidence) || *l.Confidence < 0 || *l.Confidence > 1 {
		return nil, false, errors.New("/confidence: want a number in [0,1]")
	}
	switch l.RecordType {
	case "entity":
		e, err := p.entity(l)
		return []schema.Statement{{Entity: e}}, false, err
	case "claim":
		return p.claim(l)
	}
	return nil, false, fmt.Errorf("/record_type: have %q, want claim, entity or none", l.RecordType)
}

func (p *answerParser) entity(l answerLine) (*schema.Entity, error) {
	if l.Props.IsNull() || l.Props.Len() == 0 {
		return nil, errors.New("/props: want an object with a readable name")
	}
	ref, parts, err := p.ref(schema.Ref{Type: l.EntityType, ID: schema.EntityID(l.EntityID)}, "")
	if err != nil {
		return nil, err
	}
	e := &schema.Entity{RecordType: "entity", Type: ref.Type, ID: ref.ID, Props: l.Props, Aliases: l.Aliases, Tags: l.Tags, Confidence: schema.Confidence(*l.Confidence)}
	if e.Aliases == nil {
		e.Aliases = []string{}
	}
	if e.Tags == nil {
		e.Tags = []string{}
	}
	if ref.Type == "Tag" {
		for _, k := range []string{"name", "display"} {
			if e.Props, err = e.Props.With(k, parts[0]); err != nil {
				return nil, err
			}
		}
	}
	if entityName(e) == "" {
		return nil, errors.New("/props: want name, title or display")
	}
	return e, nil
}

// ref checks one end of a claim or an entity and mints its id again from the name in it.
func (p *answerParser) ref(r schema.Ref, pointer string) (schema.Ref, []string, error) {
	def, ok := p.cat.Entities[r.Type]
	if !ok || p.v.Before(sinceOf(def.Since)) {
		return r, nil, fmt.Errorf("%s/entity_type: have %q, want one of %s", pointer, r.Type, strings.Join(p.types(), ", "))
	}
	name, ok := strings.CutPrefix(string(r.ID), def.Prefix+":")
	if !ok || strings.TrimSpace(name) == "" {
		return r, nil, fmt.Errorf("%s/entity_id: have %s, want %s:<name>", pointer, textOf(string(r.ID)), def.Prefix)
	}
	if slices.Contains(catalog.People(), r.Type) {
		bare := name
		if _, after, ok := strings.Cut(name, def.Separator); ok && r.Type == schema.LabelPerson {
			bare = after
		}
		for _, m := range p.chunk.Memories {
			for _, s := range []schema.Ref{m.Speaker, m.Other} {
				if s.ID != "" && (s.Type == r.Type || s.Type == schema.LabelPerson) && (s.ID == r.ID || schema.NameOf(s.ID) == bare) {
					return s, []string{schema.NameOf(s.ID)}, nil
				}
			}
		}
		if r.Type == schema.LabelPerson && len(p.chunk.Memories) > 0 {
			s := schema.People{}.Ref(p.mint, p.chunk.Memories[0].Fields.ConvID, bare)
			return s, []string{schema.NameOf(s.ID)}, nil
		}
		if r.Type == schema.LabelAgent || p.v == schema.V001 {
			return r, nil, fmt.Errorf("%s/entity_id: have %s, want a speaker of the memories", pointer, textOf(string(r.ID)))
		}
	}
	var parts []string
	if len(def.Parts) > 0 {
		work, title, ok := strings.Cut(name, def.Separator)
		if !ok {
			return r, nil, fmt.Errorf("%s/entity_id: have %s, want %s:<%s>", pointer, textOf(string(r.ID)), def.Prefix, strings.Join(def.Parts, ">"+def.Separator+"<"))
		}
		if work = canonical("Work", work); work == "UNKNOWN" {
			work = ""
		}
		parts = []string{work, canonical(r.Type, title)}
	} else {
		parts = []string{canonical(r.Type, name)}
	}
	if r.Type == "Tag" {
		parts[0] = TagName(parts[0])
		if known, ok := p.tags.match(parts[0]); ok && p.v != schema.V001 {
			parts[0] = known
		}
	}
	if parts[len(parts)-1] == "" {
		return r, nil, fmt.Errorf("%s/entity_id: nothing is left of the name in %s", pointer, textOf(string(r.ID)))
	}
	id, err := entityID(p.cat, p.mint, r.Type, parts)
	if err != nil {
		return r, nil, fmt.Errorf("%s: %w", pointer, err)
	}
	if len(id) > schema.MaxIDBytes {
		return r, nil, fmt.Errorf("%s/entity_id: id of %d bytes, want at most %d", pointer, len(id), schema.MaxIDBytes)
	}
	return schema.Ref{Type: r.Type, ID: id}, parts, nil
}

func (p *answerParser) types() (out []string) {
	for _, k := range catalog.Sorted(p.cat.Entities) {
		if !p.v.Before(sinceOf(p.cat.Entities[k].Since)) {
			out = append(out, k)
		}
	}
	return out
}

func (p *answerParser) claim(l answerLine) (out []schema.Statement, drop bool, err error) {
	fail := func(format string, args ...any) ([]schema.Statement, bool, error) {
		return nil, false, fmt.Errorf(format, args...)
	}
	if l.Subject == nil || l.Object == nil {
		return fail("want subject and object, each {entity_type, entity_id}")
	}
	forbidden := slices.Contains(p.cat.Dropped, l.Predicate)
	def, known := p.cat.Predicate(l.Predicate)
	_, negated, _ := p.cat.Polarity(l.Predicate)
	if !forbidden && (!known || p.v.Before(sinceOf(def.Since)) || p.v == schema.V001 && negated) {
		return fail("/predicate: %q is not in the white list", l.Predicate)
	}
	if forbidden {
		return nil, true, nil
	}
	if l.Domain != def.Domain {
		if _, ok := p.cat.Domains[l.Domain]; !ok || p.v != schema.V001 {
			return fail("/domain: have %q, want %s", l.Domain, def.Domain)
		}
	}
	if l.Status = cmp.Or(l.Status, schema.StatusActive); l.Status != schema.StatusActive && l.Status != schema.StatusCandidate {
		return fail("/status: have %q, want active or candidate", l.Status)
	}
	if l.Rank != nil && *l.Rank < 1 {
		return fail("/rank: have %d, want a rank from 1 or null", *l.Rank)
	}
	subject, subjectParts, err := p.ref(*l.Subject, "/subject")
	if err != nil {
		return nil, false, err
	}
	object, objectParts, err := p.ref(*l.Object, "/object")
	if err != nil {
		return nil, false, err
	}
	if p.v != schema.V001 && !p.cat.Allows(l.Predicate, subject.Type, object.Type) {
		return fail("/object/entity_type: %s cannot stand between %s and %s", l.Predicate, subject.Type, object.Type)
	}
	if len(l.Evidence) == 0 {
		return fail("/evidence: want at least one memory of the chunk")
	}
	c := &schema.Claim{RecordType: "claim", Predicate: l.Predicate, Subject: subject, Object: object, Domain: l.Domain, Confidence: schema.Confidence(*l.Confidence), Status: l.Status, Rank: l.Rank, By: p.by,
		ID: p.mint.Claim(l.Predicate, l.Domain, subject.ID, object.ID)}
	if len(c.ID) > schema.MaxIDBytes {
		return fail("claim id of %d bytes, want at most %d", len(c.ID), schema.MaxIDBytes)
	}
	for i, e := range l.Evidence {
		m, err := p.resolve(e)
		if err != nil {
			return fail("/evidence/%d: %w", i, err)
		}
		c.Evidence = append(c.Evidence, schema.Evidence{Memory: m.ID, Point: m.Point})
	}
	if *l.Confidence < 0.60 && p.v != schema.V001 {
		return nil, true, nil
	}
	if p.made == nil {
		p.made = map[schema.EntityID]*schema.Entity{}
	}
	p.made[subject.ID], p.made[object.ID] = newEntity(p.v, subject, subjectParts), newEntity(p.v, object, objectParts)
	if p.v == schema.V001 {
		c.UpdatedAt = l.UpdatedAt // the existing chain takes the model's word
	}
	return []schema.Statement{{Claim: c}}, false, nil
}

// complete adds an entity for each end of a claim that no line describes. In 0.0.1
// only described entities are written, as in the existing chain.
func (p *answerParser) complete(ss []schema.Statement) []schema.Statement {
	if p.v == schema.V001 {
		return ss
	}
	described := map[schema.EntityID]bool{}
	for _, s := range ss {
		if s.Entity != nil {
			described[s.Entity.ID] = true
		}
	}
	for _, s := range ss {
		if s.Claim == nil {
			continue
		}
		for _, id := range []schema.EntityID{s.Claim.Subject.ID, s.Claim.Object.ID} {
			if e := p.made[id]; e != nil && !described[id] {
				described[id] = true
				ss = append(ss, schema.Statement{Entity: e})
			}
		}
	}
	return ss
}

// resolve finds the memory that a piece of evidence names. Both ids, where given,
// must be of one memory, and a quoted text must be the memory's.
func (p *answerParser) resolve(e answerEvidence) (Memory, error) {
	if e.Memory == "" && e.Point == "" {
		return Memory{}, errors.New("want memory_item_id or point_id")
	}
	for _, m := range p.chunk.Memories {
		if e.Memory != "" && e.Memory != m.ID || e.Point != "" && e.Point != m.Point {
			continue
		}
		switch {
		case e.Text != nil && *e.Text != m.Fields.Data:
			return Memory{}, fmt.Errorf("text does not match %s", m.ID)
		case e.Conv != nil && *e.Conv != string(m.Fields.ConvID), e.Scene != nil && *e.Scene != m.Fields.SceneID:
			return Memory{}, fmt.Errorf("conversation or scene does not match %s", m.ID)
		}
		return m, nil
	}
	return Memory{}, fmt.Errorf("no memory of the chunk is %s %s", e.Memory, e.Point)
}
