// Package catalog holds the vocabulary as data: domains, predicates with polarity, entity types with their id rules, labels and edge types. The built-in file
// is catalog.yaml; a project adds terms with a file of the same shape.
package catalog

import (
	"cmp"
	_ "embed"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"sync"

	"membench/internal/yamldoc"
	"membench/schema"
)

//go:embed catalog.yaml
var builtin []byte

// Values of Predicate.Single.
const (
	SingleAlways = "always" // one object at a time per subject
	SingleRank   = "rank"   // one object per subject and rank; a null rank never conflicts
	SingleName   = "name"   // objects "name=value": one value per subject and name
)

// Values of Predicate.Time.
const (
	TimeEvent = "event" // happened once: a past tense does not end it
	TimeState = "state" // holds until it ends: a past tense says that it has ended
	TimePlan  = "plan"  // lies in the future
)

// A Catalog is immutable once loaded, so it may be shared.
type Catalog struct {
	Version    int                  `yaml:"version"`
	Domains    map[string]Domain    `yaml:"domains"`
	Entities   map[string]Entity    `yaml:"entities"`
	Predicates map[string]Predicate `yaml:"predicates"`
	Dropped    []string             `yaml:"dropped"` // predicates that are recognised, dropped and counted
	Labels     map[string]Label     `yaml:"labels"`
	Edges      map[string]Edge      `yaml:"edges"`
	Patterns   []Pattern            `yaml:"patterns"` // added to the built-in patterns of the rule extractor

	positive map[string]string   // negative → positive
	ended    map[string][]string // verb → predicates that it can end
	mayEnd   map[string][]string // verb → predicates that it ends if what it names was said to hold
	prefixes map[string]string   // prefix → entity type
}

// Domain groups predicates.
type Domain struct {
	Doc   string         `yaml:"doc"`
	DocZH string         `yaml:"doc_zh"`
	Since schema.Version `yaml:"since"`
}

// Entity is an entity type and its id rule: prefix:value of the property Key, or the Parts joined by Separator.
type Entity struct {
	Doc       string         `yaml:"doc"`
	Prefix    string         `yaml:"prefix"`
	Key       string         `yaml:"key"`
	Parts     []string       `yaml:"parts"`
	Separator string         `yaml:"separator"`
	Since     schema.Version `yaml:"since"`
}

// Predicate is one allowed relation.
type Predicate struct {
	Doc      string         `yaml:"doc"`
	DocZH    string         `yaml:"doc_zh"`
	Domain   string         `yaml:"domain"`
	Subjects []string       `yaml:"subjects"` // entity types (default: Agent, User, Person)
	Objects  []string       `yaml:"objects"`
	Negative string         `yaml:"negative"`
	Single   string         `yaml:"single"`
	Time     string         `yaml:"time"`     // event | state | plan; "": a past tense says that it does not hold, without an end
	HeldBy   []string       `yaml:"held_by"`  // lemmas of verbs whose past tense says that it is over: "lived in"; empty: any verb
	EndedBy  []string       `yaml:"ended_by"` // lemmas of verbs that end it: "sold the car" ends OWNS
	MayEnd   []string       `yaml:"may_end"`  // of verbs that end it if what they name was said to hold: "Biscuit died"
	Since    schema.Version `yaml:"since"`
}

// A Pattern teaches the rule extractor to find a predicate. Match is a regular expression (RE2) over one sentence. Its group "object" is the object's name; if
// Subject names a type, its group "subject" is the subject's name. Questions and conditions are skipped before patterns are tried.
type Pattern struct {
	Predicate  string  `yaml:"predicate"` // a predicate or its negative
	Match      string  `yaml:"match"`
	Object     string  `yaml:"object"`     // entity type of the object (default: the predicate's first)
	Subject    string  `yaml:"subject"`    // entity type of the subject (default: the speaker)
	Confidence float64 `yaml:"confidence"` // from 0.60 to 0.98 (default: 0.85)
	Rank       int     `yaml:"rank"`       // 0: not ranked
}

// Label is a node label.
type Label struct {
	Doc    string         `yaml:"doc"`
	Prefix string         `yaml:"prefix"`
	Key    string         `yaml:"key"`
	Props  []string       `yaml:"props"`
	Role   string         `yaml:"role"` // role of the node for readers, one of the label roles; "": a thing
	When   []string       `yaml:"when"` // properties that date a node; the first one present counts
	Look   Look           `yaml:"look"`
	Prov   string         `yaml:"prov"` // PROV-O class; "": none
	Since  schema.Version `yaml:"since"`
}

// Look is how a label or an edge type is drawn; zero members have a default.
type Look struct {
	Rank    int    `yaml:"rank"`    // a node of several labels is drawn as the label of lowest rank above 0
	Shape   string `yaml:"shape"`   // disc, square, diamond, triangle, down or hexagon
	Light   string `yaml:"light"`   // #rrggbb on a light page and in Neo4j Browser
	Dark    string `yaml:"dark"`    // #rrggbb on a dark page
	Size    int    `yaml:"size"`    // px in Neo4j Browser: diameter, or width of an edge
	Caption string `yaml:"caption"` // property that Neo4j Browser shows
}

// Roles of labels.
const (
	LabelPerson = "person"
	LabelClaim  = "claim"
	LabelMemory = "memory"
	LabelTurn   = "turn"
	LabelSource = "source"
	LabelFrame  = "frame" // contains turns: a conversation, a session, a scene
)

// Roles of edge types.
const (
	RoleEvidence  = "evidence"  // one end is evidence for the other
	RoleAbout     = "about"     // leads from a thing to the claims about it
	RoleChange    = "change"    // the destination replaced the source
	RoleNext      = "next"      // the destination follows the source
	RoleTime      = "time"      // one end came after the other
	RoleStructure = "structure" // membership
	RoleFailure   = "failure"   // elements that a failed question touched
)

// Edge is a relationship type.
type Edge struct {
	Doc   string         `yaml:"doc"`
	From  []string       `yaml:"from"`
	To    []string       `yaml:"to"`
	Props []string       `yaml:"props"`
	Role  string         `yaml:"role"` // one of the edge roles; "": structure
	Back  bool           `yaml:"back"` // the role runs from destination to source
	Look  Look           `yaml:"look"`
	Prov  Prov           `yaml:"prov"`
	Since schema.Version `yaml:"since"`
	Until schema.Version `yaml:"until"` // last version that has it; "": the newest
}

// Prov is the PROV-O property that an edge represents; Back: from destination to source.
type Prov struct {
	Term string `yaml:"term"`
	Back bool   `yaml:"back"`
}

// EdgesOf lists the edge types with one of the roles in one direction, sorted by name.
func (c *Catalog) EdgesOf(back bool, roles ...string) (out []string) {
	for _, t := range Sorted(c.Edges) {
		if e := c.Edges[t]; e.Back == back && slices.Contains(roles, e.Role) {
			out = append(out, t)
		}
	}
	return out
}

// LabelsByRank lists the labels by the rank of their look; labels without a rank follow by name.
func (c *Catalog) LabelsByRank() []string {
	out := Sorted(c.Labels)
	slices.SortStableFunc(out, func(a, b string) int {
		return cmp.Compare(uint(c.Labels[a].Look.Rank)-1, uint(c.Labels[b].Look.Rank)-1)
	})
	return out
}

// Builtin returns the text of the built-in catalogue: YAML, with comments.
func Builtin() []byte { return append([]byte(nil), builtin...) }

// Default returns the built-in catalogue, which is parsed once.
func Default() *Catalog { return parsed() }

var parsed = sync.OnceValue(func() *Catalog {
	c, err := parse(builtin)
	if err != nil {
		panic(err) // unreachable unless the embedded file is broken; a test reads it
	}
	return c
})

// Load returns the built-in catalogue with the terms of extra files added, in order. A file may add terms but not change built-in ones. It fails if a file
// cannot be parsed, changes a term or refers to an unknown one.
func Load(extra ...[]byte) (*Catalog, error) {
	if len(extra) == 0 {
		return Default(), nil
	}
	c := Default().clone()
	for i, b := range extra {
		more, err := parse(b)
		if err != nil {
			return nil, err
		}
		if err := c.add(more); err != nil {
			return nil, fmt.Errorf("catalogue file %d: %w", i+1, err)
		}
	}
	if err := c.index(); err != nil {
		return nil, err
	}
	return c, c.checkPatterns()
}

func parse(b []byte) (*Catalog, error) {
	var c Catalog
	if err := yamldoc.Unmarshal(b, &c); err != nil {
		return nil, fmt.Errorf("reading catalogue: %w", err)
	}
	c.Version = cmp.Or(c.Version, 1)
	if c.Version != 1 {
		return nil, fmt.Errorf("catalogue version %d is unknown: have 1", c.Version)
	}
	return &c, c.index()
}

// checkPatterns rejects patterns that do not compile, lack their groups or use unknown terms.
func (c *Catalog) checkPatterns() error {
	for i, p := range c.Patterns {
		re, err := regexp.Compile(p.Match)
		if err != nil {
			return fmt.Errorf("pattern %d of %s: %w", i+1, p.Predicate, err)
		}
		def, ok := c.Predicate(p.Predicate)
		switch {
		case !ok:
			return fmt.Errorf("pattern %d: predicate %q is not in the catalogue", i+1, p.Predicate)
		case re.SubexpIndex("object") < 0:
			return fmt.Errorf("pattern %d of %s: have no group (?P<object>…)", i+1, p.Predicate)
		case p.Subject != "" && re.SubexpIndex("subject") < 0:
			return fmt.Errorf("pattern %d of %s: have no group (?P<subject>…) for subject %s", i+1, p.Predicate, p.Subject)
		case p.Object != "" && !slices.Contains(def.Objects, p.Object):
			return fmt.Errorf("pattern %d of %s: have object %s, want one of %v", i+1, p.Predicate, p.Object, def.Objects)
		case p.Confidence != 0 && (p.Confidence < 0.6 || p.Confidence > 0.98):
			return fmt.Errorf("pattern %d of %s: have confidence %v, want 0.60 to 0.98", i+1, p.Predicate, p.Confidence)
		}
	}
	return nil
}

// clone returns a copy to which terms can be added.
func (c *Catalog) clone() *Catalog {
	n := *c
	n.Domains, n.Entities, n.Predicates = maps.Clone(c.Domains), maps.Clone(c.Entities), maps.Clone(c.Predicates)
	n.Labels, n.Edges = maps.Clone(c.Labels), maps.Clone(c.Edges)
	n.Dropped, n.Patterns = slices.Clip(c.Dropped), slices.Clip(c.Patterns)
	return &n
}

func merge[T any](what string, to *map[string]T, from map[string]T) error {
	if *to == nil {
		*to = map[string]T{}
	}
	for _, k := range Sorted(from) {
		if _, ok := (*to)[k]; ok {
			return fmt.Errorf("%s %s is built in and cannot be changed", what, k)
		}
		(*to)[k] = from[k]
	}
	return nil
}

func (c *Catalog) add(m *Catalog) error {
	for _, err := range []error{
		merge("domain", &c.Domains, m.Domains), merge("entity type", &c.Entities, m.Entities),
		merge("predicate", &c.Predicates, m.Predicates), merge("label", &c.Labels, m.Labels), merge("edge type", &c.Edges, m.Edges),
	} {
		if err != nil {
			return err
		}
	}
	c.Dropped = append(c.Dropped, m.Dropped...)
	c.Patterns = append(c.Patterns, m.Patterns...)
	return nil
}

func (c *Catalog) index() error {
	c.positive, c.prefixes, c.ended, c.mayEnd = map[string]string{}, map[string]string{}, map[string][]string{}, map[string][]string{}
	for _, name := range Sorted(c.Predicates) {
		switch p := c.Predicates[name]; {
		case p.Time != "" && p.Time != TimeEvent && p.Time != TimeState && p.Time != TimePlan:
			return fmt.Errorf("predicate %s: time: have %q, want %s, %s or %s", name, p.Time, TimeEvent, TimeState, TimePlan)
		case len(p.EndedBy)+len(p.MayEnd) > 0 && p.Negative == "":
			return fmt.Errorf("predicate %s: ended_by and may_end need a negative", name)
		}
		for _, verb := range c.Predicates[name].EndedBy {
			c.ended[verb] = append(c.ended[verb], name)
		}
		for _, verb := range c.Predicates[name].MayEnd {
			c.mayEnd[verb] = append(c.mayEnd[verb], name)
		}
		if neg := c.Predicates[name].Negative; neg != "" {
			if other, ok := c.positive[neg]; ok {
				return fmt.Errorf("predicate %s is the negative of both %s and %s", neg, other, name)
			}
			if _, ok := c.Predicates[neg]; ok {
				return fmt.Errorf("predicate %s is listed as positive and as the negative of %s", neg, name)
			}
			c.positive[neg] = name
		}
	}
	oneOf := func(kind, name, role string, roles ...string) error {
		if role != "" && !slices.Contains(roles, role) {
			return fmt.Errorf("%s %s: role: have %q, want one of %q", kind, name, role, roles)
		}
		return nil
	}
	for _, name := range Sorted(c.Labels) {
		if err := oneOf("label", name, c.Labels[name].Role, LabelPerson, LabelClaim, LabelMemory, LabelTurn, LabelSource, LabelFrame); err != nil {
			return err
		}
	}
	for _, name := range Sorted(c.Edges) {
		if err := oneOf("edge type", name, c.Edges[name].Role, RoleEvidence, RoleAbout, RoleChange, RoleNext, RoleTime, RoleStructure, RoleFailure); err != nil {
			return err
		}
	}
	for _, name := range Sorted(c.Entities) {
		p := c.Entities[name].Prefix
		if other, ok := c.prefixes[p]; ok {
			return fmt.Errorf("entity types %s and %s share the prefix %s", other, name, p)
		}
		c.prefixes[p] = name
	}
	return nil
}

// Sorted returns the keys of m in order, so that no output depends on the order of a map.
func Sorted[T any](m map[string]T) []string {
	return slices.Sorted(maps.Keys(m))
}

// Polarity returns the positive predicate of name, whether name is a negative, and whether name is known.
func (c *Catalog) Polarity(name string) (positive string, negated, ok bool) {
	if _, ok := c.Predicates[name]; ok {
		return name, false, true
	}
	p, ok := c.positive[name]
	return p, ok, ok
}

// Predicate returns the definition of name; for a negative, the definition of its positive.
func (c *Catalog) Predicate(name string) (Predicate, bool) {
	pos, _, ok := c.Polarity(name)
	if !ok {
		return Predicate{}, false
	}
	return c.Predicates[pos], true
}

// Ended lists the predicates that a verb can end: "sell" ends OWNS and HAS, and those that it ends only if what it names was said to hold.
func (c *Catalog) Ended(verb string) (ends, may []string) { return c.ended[verb], c.mayEnd[verb] }

// Ends reports whether there are verbs that end the predicate.
func (p Predicate) Ends() bool { return len(p.EndedBy)+len(p.MayEnd) > 0 }

// Stays reports whether a plan is itself a statement of the predicate.
func (p Predicate) Stays() bool { return p.Time == TimePlan }

// Over reports whether the past tense of a verb says that the predicate no longer holds. "I lived in Rome" does, "I moved to Rome" does not, nor does an event.
func (p Predicate) Over(verb string) bool {
	return p.Time != TimeEvent && (len(p.HeldBy) == 0 || slices.Contains(p.HeldBy, verb))
}

// Opposite returns the paired predicate of the other polarity, or "".
func (c *Catalog) Opposite(name string) string {
	pos, negated, ok := c.Polarity(name)
	switch {
	case !ok:
		return ""
	case negated:
		return pos
	}
	return c.Predicates[pos].Negative
}

// Allows reports whether the predicate accepts these entity types.
func (c *Catalog) Allows(predicate, subject, object string) bool {
	p, ok := c.Predicate(predicate)
	if !ok {
		return false
	}
	subjects := p.Subjects
	if len(subjects) == 0 {
		subjects = People()
	}
	return slices.Contains(subjects, subject) && slices.Contains(p.Objects, object)
}

// People returns the entity types of people, which are the default subjects of a predicate.
func People() []string { return []string{schema.LabelAgent, schema.LabelUser, schema.LabelPerson} }

// TypeOfPrefix returns the entity type whose ids start with prefix.
func (c *Catalog) TypeOfPrefix(prefix string) (string, bool) {
	t, ok := c.prefixes[prefix]
	return t, ok
}

// EntityID mints the id of an entity of type typ. parts is one name, or the parts of a compound id in the order of the catalogue. It fails if the type is
// unknown, the number of parts is wrong or the id is too long.
func (c *Catalog) EntityID(m schema.Mint, typ string, parts ...string) (schema.EntityID, error) {
	e, ok := c.Entities[typ]
	if !ok {
		return "", fmt.Errorf("entity type %q is not in the catalogue", typ)
	}
	want := max(1, len(e.Parts))
	if len(parts) != want {
		return "", fmt.Errorf("entity type %s: have %d id parts, want %d", typ, len(parts), want)
	}
	if len(e.Parts) > 0 {
		return m.Compound(e.Prefix, e.Separator, parts...), nil
	}
	return m.Entity(e.Prefix, parts[0]), nil
}
