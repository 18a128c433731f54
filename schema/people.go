package schema

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"membench/internal/textnorm"
)

// Scopes of a person's name.
const (
	ScopeConversation = "conversation" // a name is one person in one conversation
	ScopeProject      = "project"      // a name is one person everywhere
)

// Ids of unknown users and agents.
const (
	AnyUser  = "user"
	AnyAgent = "assistant"
)

// People lists the people of a project. The zero value knows nobody: the same name in two conversations is then two people.
type People struct {
	Scope string   `yaml:"scope" json:"scope,omitempty"` // of names that no entry has; default ScopeConversation
	Known []Person `yaml:"known" json:"known,omitempty"`
}

// A Person is one human being or agent of the project, under all names of the sources.
type Person struct {
	Name          string   `yaml:"name" json:"name,omitempty"`
	Aliases       []string `yaml:"aliases" json:"aliases,omitempty"`             // other names, and ids such as user:lin or agent:lanxi
	Conversations []ConvID `yaml:"conversations" json:"conversations,omitempty"` // where these names mean this person; default: everywhere
}

// Check reports the first entry that cannot be used.
func (p People) Check() error {
	if p.Scope != "" && p.Scope != ScopeConversation && p.Scope != ScopeProject {
		return fmt.Errorf("people.scope: have %q, want %s or %s", p.Scope, ScopeConversation, ScopeProject)
	}
	type use struct {
		name string
		conv ConvID
	}
	taken := map[use]string{}
	for i, k := range p.Known {
		if textnorm.Name(k.Name) == "" {
			return fmt.Errorf("people.known[%d]: have no name", i)
		}
		for _, n := range append([]string{k.Name}, k.Aliases...) {
			for _, c := range append(slices.Clone(k.Conversations), "")[:max(1, len(k.Conversations))] {
				u := use{strings.ToLower(textnorm.Name(n)), c}
				if other, ok := taken[u]; ok && other != k.Name {
					return fmt.Errorf("people.known[%d]: %q is a name of %s too; use conversations to say which is meant where", i, n, other)
				}
				taken[u] = k.Name
			}
		}
	}
	return nil
}

// Ref is the person that a name means in a conversation.
func (p People) Ref(m Mint, conv ConvID, name string) Ref {
	if k, ok := p.find(conv, name); ok {
		return person(m, "", k.Name)
	}
	if p.Scope == ScopeProject {
		conv = ""
	}
	return person(m, string(conv), name)
}

// Declared returns the person for the id of a user or agent: the entry that has it among its aliases, or the user or agent itself.
func (p People) Declared(m Mint, conv ConvID, typ, id string) Ref {
	if k, ok := p.find(conv, strings.ToLower(typ)+":"+id); ok {
		return person(m, "", k.Name)
	}
	if k, ok := p.find(conv, id); ok {
		return person(m, "", k.Name)
	}
	if typ == LabelUser {
		return Ref{Type: typ, ID: EntityID(m.User(id))}
	}
	return Ref{Type: LabelAgent, ID: EntityID(m.Agent(id))}
}

// Speaker returns the speaker of a turn, or the person meant by a memory's "I": the person of that name if the side has no declared id, otherwise the declared
// user or agent. ok is false if the person is unknown.
func (p People) Speaker(m Mint, conv ConvID, typ, declared, name string) (Ref, bool) {
	declared, name = strings.TrimSpace(declared), textnorm.Name(name)
	unnamed := declared == "" || typ == LabelUser && declared == AnyUser || typ != LabelUser && declared == AnyAgent
	switch {
	case m.V.Before(V020) && cmp.Or(declared, name) == "":
		return Ref{}, false
	case m.V.Before(V020):
		return People{}.Declared(m, conv, typ, cmp.Or(declared, name)), true
	case name != "":
		return p.Ref(m, conv, name), true
	case declared == "":
		return Ref{}, false
	case unnamed:
		return p.Ref(m, conv, declared), true
	}
	return p.Declared(m, conv, typ, declared), true
}

func (p People) find(conv ConvID, name string) (Person, bool) {
	name = textnorm.Name(name)
	for _, local := range []bool{true, false} { // an entry for this conversation wins
		for _, k := range p.Known {
			if local != slices.Contains(k.Conversations, conv) || !local && len(k.Conversations) > 0 {
				continue
			}
			if strings.EqualFold(k.Name, name) || slices.ContainsFunc(k.Aliases, func(a string) bool { return strings.EqualFold(a, name) }) {
				return k, true
			}
		}
	}
	return Person{}, false
}

func person(m Mint, scope, name string) Ref {
	return Ref{Type: LabelPerson, ID: m.Compound("person", "/", scope, name)}
}

// NameOf is the readable name in the id of an entity: of person:ch01/Ann it is Ann.
func NameOf(id EntityID) string {
	prefix, name, ok := strings.Cut(string(id), ":")
	if !ok || name == "" {
		return string(id)
	}
	if prefix == "person" {
		_, name, _ = strings.Cut(name, "/")
	}
	return Unescape(name)
}
