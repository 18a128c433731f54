package claims

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"regexp"
	"strings"
	"time"

	"membench/internal/clause"
	"membench/internal/opstalk"
	"membench/internal/sentence"
	"membench/internal/textnorm"
	"membench/schema"
	"membench/schema/catalog"
)

// ruleVersion changes when the built-in rules do.
const ruleVersion = 13

// Rule is the extractor without a model: statements about people (internal/clause), about systems in operations talk (internal/opstalk), and the patterns of
// the catalogue. Each memory is read on its own, except talk about systems, where a memory may omit an alert that was named before.
func Rule(c *catalog.Catalog, v schema.Version) Extractor {
	r := &rule{cat: c, v: v, mint: schema.Mint{V: v}, least: clause.DefaultFrom}
	h := sha256.New()
	for _, p := range c.Patterns {
		if re, err := regexp.Compile(p.Match); err == nil {
			r.patterns = append(r.patterns, compiled{p, re})
		}
		fmt.Fprintf(h, "%+v\n", p)
	}
	r.print = fmt.Sprintf("rule/%d/%s/%s", ruleVersion, v, hex.EncodeToString(h.Sum(nil)[:8]))
	return r
}

type rule struct {
	cat        *catalog.Catalog
	v          schema.Version
	mint       schema.Mint
	patterns   []compiled
	people     schema.People
	operations []string // scenes
	least      float64  // confidence of a claim
	print      string
}

type compiled struct {
	catalog.Pattern
	re *regexp.Regexp
}

func (r *rule) Fingerprint() string { return r.print }

// shift is how long talk about systems may rest and still be about the same alert.
const shift = schema.Instant(4 * time.Hour / time.Microsecond)

// ruleText is the part of one memory that the rules read, in bytes: as much as the existing chain puts into one chunk for a model. A memory is a sentence or
// two; a longer one is a pasted document, and the rules' time grows with it.
const ruleText = 20_000

func (r *rule) Extract(ctx context.Context, c Chunk) (Answer, error) {
	var a Answer
	var last opstalk.Options // talk about systems continues where the memory before left off
	var before schema.Instant
	if len(c.Memories) == 0 {
		return a, nil
	}
	if c.cast == nil {
		c.cast = &cast{people: r.people, mint: r.mint, conv: c.Memories[0].Fields.ConvID, named: map[string]schema.Ref{}, gender: map[schema.EntityID]clause.Gender{}}
	}
	for _, m := range c.Memories {
		c.cast.speaks(m.Speaker)
		c.cast.speaks(m.Other)
	}
	for i, m := range c.Memories {
		m.answering(c.Memories[:i])
		if at := instantOf(m.Fields.CreatedAt); at > before+shift {
			before, last = at, opstalk.Options{}
		} else {
			before = max(before, at)
		}
		if err := ctx.Err(); err != nil {
			return a, err
		}
		if c.count != nil {
			c.count()
		}
		if len(m.Text) > ruleText {
			whole := m.Text
			m.Text = strings.ToValidUTF8(whole[:ruleText], "")
			a.Notes = append(a.Notes, &schema.Finding{Pos: m.Pos, Code: "CLM112", Warning: true, Message: "the rules read only the beginning of this memory", Have: fmt.Sprintf("%d bytes", len(whole)), Want: fmt.Sprintf("at most %d", ruleText),
				Hint: "--extractor model asks a model about all of it"})
		}
		known := r.own(m.Text)
		if r.v != schema.V001 && operational(r.operations, m.Fields.SceneID) {
			known = append(ops(m.Text, last), known...)
			last.Alert, last.Thing = last.Spoken(m.Text)
		}
		for _, t := range known {
			s, ok := r.statements(m, t)
			if !ok || t.confidence < r.least {
				a.Dropped++
				continue
			}
			a.Statements = append(a.Statements, s...)
			if c := s[len(s)-1].Claim; t.moved {
				a.Endings = append(a.Endings, Ending{Memory: m.ID, Point: m.Point, Confidence: c.Confidence, States: []EndedState{{Subject: c.Subject, Predicate: c.Predicate, Names: []string{""}}}})
			}
		}
		if clause.Unread(m.Text) {
			a.Unread++
		}
		said, ends := r.facts(m, c.cast, known)
		a.Statements, a.Endings = append(a.Statements, said...), append(a.Endings, ends...)
	}
	return a, nil
}

// answering notes what was said just before a memory: by another speaker, if the memory does not name its question, and before that by its own.
func (m *Memory) answering(said []Memory) {
	i := len(said) - 1
	for last := max(0, i-2); i >= last && said[i].Speaker.ID == m.Speaker.ID; i-- {
		if m.Asked != "" { // the question itself was not kept
			m.own = said[i].Text
			return
		}
	}
	if i < 0 || said[i].Speaker.ID == m.Speaker.ID {
		return
	}
	m.Asked = cmp.Or(m.Asked, said[i].Text)
	if i > 0 && said[i-1].Speaker.ID == m.Speaker.ID {
		m.own = said[i-1].Text
	}
}

// A matched is one statement of a text that a pattern found; the zero subject is the speaker.
type matched struct {
	subject    opstalk.Term
	predicate  string // name in the catalogue
	denied     bool
	moved      bool // what the subject was before is over
	object     opstalk.Term
	rank       int
	confidence float64
	start      int // of the sentence
}

// ops are the statements about systems.
func ops(text string, o opstalk.Options) (out []matched) {
	for _, s := range opstalk.Read(text, o) {
		out = append(out, matched{subject: s.Subject, predicate: s.Predicate, denied: s.Denied, moved: s.Moved, object: s.Object, confidence: s.Confidence, start: s.Start})
	}
	return out
}

// own tries the catalogue's patterns.
func (r *rule) own(text string) (out []matched) {
	if len(r.patterns) == 0 {
		return nil
	}
	for _, s := range sentence.Split(text) {
		if s.Question {
			continue
		}
		for _, p := range r.patterns {
			m := p.re.FindStringSubmatch(s.Text)
			if m == nil {
				continue
			}
			def, _ := r.cat.Predicate(p.Predicate)
			obj := p.Object
			if obj == "" {
				obj = def.Objects[0]
			}
			t := matched{predicate: p.Predicate, object: opstalk.Term{Type: obj, Name: canonical(obj, m[p.re.SubexpIndex("object")])}, rank: p.Rank, confidence: cmp.Or(p.Confidence, 0.85), start: s.Start}
			if p.Subject != "" {
				t.subject = opstalk.Term{Type: p.Subject, Name: canonical(p.Subject, m[p.re.SubexpIndex("subject")])}
			}
			out = append(out, t)
		}
	}
	return out
}

// statements makes the claim of a triple and its entities. It is false for terms that the catalogue or the version does not have.
func (r *rule) statements(m Memory, t matched) ([]schema.Statement, bool) {
	positive, negated, ok := r.cat.Polarity(t.predicate)
	if !ok {
		return nil, false
	}
	def, _ := r.cat.Predicate(t.predicate)
	if t.denied && !negated {
		t.predicate, negated = r.cat.Predicates[positive].Negative, true
	}
	if r.v.Before(sinceOf(def.Since)) || r.v == schema.V001 && negated {
		return nil, false
	}
	subject, subjectName := m.Speaker, []string{schema.NameOf(m.Speaker.ID)}
	if t.subject.Type != "" {
		subjectName = []string{t.subject.Name}
		id, err := r.entityID(t.subject.Type, subjectName)
		if err != nil {
			return nil, false
		}
		subject = schema.Ref{Type: t.subject.Type, ID: id}
	}
	id, err := r.entityID(t.object.Type, []string{t.object.Name})
	if err != nil || !r.cat.Allows(t.predicate, subject.Type, t.object.Type) {
		return nil, false
	}
	object := schema.Ref{Type: t.object.Type, ID: id}
	c := &schema.Claim{RecordType: "claim", ID: r.mint.Claim(t.predicate, def.Domain, subject.ID, id), Predicate: t.predicate, Subject: subject, Object: object,
		Domain: def.Domain, Confidence: schema.Confidence(round2(t.confidence)), Status: schema.StatusActive,
		Evidence: []schema.Evidence{{Memory: m.ID, Point: m.Point}}, By: schema.ByRule}
	if t.rank > 0 {
		c.Rank = &t.rank
	}
	return []schema.Statement{{Entity: newEntity(r.v, subject, subjectName)}, {Entity: newEntity(r.v, object, []string{t.object.Name})}, {Claim: c}}, true
}

func (r *rule) entityID(typ string, parts []string) (schema.EntityID, error) {
	return entityID(r.cat, r.mint, typ, parts)
}

// entityID mints an id; the empty work of a chapter is UNKNOWN in 0.0.1.
func entityID(cat *catalog.Catalog, m schema.Mint, typ string, parts []string) (schema.EntityID, error) {
	if typ == "Chapter" && len(parts) == 2 && parts[0] == "" && m.V == schema.V001 {
		parts = []string{"UNKNOWN", parts[1]}
	}
	if e, ok := cat.Entities[typ]; ok && m.V.Before(sinceOf(e.Since)) {
		return "", fmt.Errorf("entity type %s is newer than %s", typ, m.V)
	}
	return cat.EntityID(m, typ, parts...)
}

func sinceOf(v schema.Version) schema.Version {
	if v == "" {
		return schema.V001
	}
	return v
}

func round2(f float64) float64 { return float64(int(f*100+0.5)) / 100 }

// newEntity returns the record of an entity of which only the name is known. Both extractors use it, so equal entities have equal records.
func newEntity(v schema.Version, r schema.Ref, parts []string) *schema.Entity {
	name := textnorm.Name(parts[len(parts)-1])
	e := &schema.Entity{RecordType: "entity", Type: r.Type, ID: r.ID, Aliases: []string{}, Tags: []string{}, Confidence: 0.9}
	var b schema.ObjectBuilder
	switch r.Type {
	case schema.LabelAgent:
		b.String("name", name)
		b.String("display", name)
		e.Aliases, e.Confidence = []string{name}, 0.99
	case schema.LabelUser:
		b.String("user_id", name)
		b.String("name", name)
		b.String("display", name)
		e.Aliases, e.Confidence = []string{name}, 0.99
	case schema.LabelPerson:
		scope, _, _ := strings.Cut(strings.TrimPrefix(string(r.ID), "person:"), "/")
		b.String("conv_id", schema.Unescape(scope))
		b.String("name", name)
		b.String("display", name)
		e.Aliases, e.Confidence = []string{name}, 0.99
	case "Work":
		b.String("title", name)
		b.String("display", titled(name))
		if d := titled(name); d != name {
			e.Aliases = []string{d}
		}
	case "Chapter":
		work := ""
		if len(parts) > 1 {
			work = textnorm.Name(parts[0])
		}
		b.String("work", work)
		b.String("title", name)
		b.String("display", strings.TrimSpace(titled(work)+" "+name))
	case "Tag":
		b.String("name", name)
		b.String("display", name)
		e.Confidence = 0.85
	default:
		b.String("name", name)
		b.String("display", name)
	}
	e.Props = b.Object()
	return e
}

// titled puts title marks around a Chinese title.
func titled(s string) string {
	if s == "" || strings.IndexFunc(s, textnorm.IsHan) < 0 {
		return s
	}
	return "《" + s + "》"
}

// entityName is the readable name of an entity.
func entityName(e *schema.Entity) string {
	for _, k := range []string{"name", "title", "display", "user_id", "agent_id"} {
		if s := e.Props.Text(k); s != "" {
			return s
		}
	}
	return schema.NameOf(e.ID)
}

// canonical removes characters that are not part of a name: title marks, quotes, superfluous blanks.
func canonical(typ, name string) string {
	name = textnorm.WholeQuotes(textnorm.Collapse(name))
	for {
		was := name
		name = strings.Trim(name, " \"'“”‘’「」『』")
		if typ == "Work" || typ == "Chapter" || typ == "Tag" || typ == "Topic" {
			name = strings.TrimSuffix(strings.TrimPrefix(name, "《"), "》")
		}
		if name == was {
			return name
		}
	}
}
