// Package pattern has the regular expressions of rule kits, which hold hundreds of them
// and need few for any one text. A pattern costs nothing until it is put to a text; it
// is compiled when a text first has the literals that a match cannot do without, and
// runs only on such texts.
package pattern

import (
	"regexp"
	"sync"
)

// A Pattern is a regular expression of package regexp. Its methods give what those of
// regexp.Regexp give. It may be used by several goroutines.
type Pattern struct {
	expr     string
	parsed   sync.Once
	need     need
	compiled sync.Once
	re       *regexp.Regexp
}

// New makes a pattern. Where regexp.MustCompile would panic, the first use does.
func New(expr string) *Pattern { return &Pattern{expr: expr} }

// may reports whether s has what a match cannot do without.
func (p *Pattern) may(s string) bool {
	p.parsed.Do(func() { p.need = needOf(p.expr) })
	return p.need.in(s)
}

func (p *Pattern) compile() *regexp.Regexp {
	p.compiled.Do(func() { p.re = regexp.MustCompile(p.expr) })
	return p.re
}

// String is the expression.
func (p *Pattern) String() string { return p.expr }

// SubexpIndex is the number of the group of that name, -1 if there is none.
func (p *Pattern) SubexpIndex(name string) int { return p.compile().SubexpIndex(name) }

func (p *Pattern) MatchString(s string) bool { return p.may(s) && p.compile().MatchString(s) }

func (p *Pattern) FindString(s string) string {
	if !p.may(s) {
		return ""
	}
	return p.compile().FindString(s)
}

func (p *Pattern) FindStringIndex(s string) []int {
	if !p.may(s) {
		return nil
	}
	return p.compile().FindStringIndex(s)
}

func (p *Pattern) FindStringSubmatch(s string) []string {
	if !p.may(s) {
		return nil
	}
	return p.compile().FindStringSubmatch(s)
}

func (p *Pattern) FindStringSubmatchIndex(s string) []int {
	if !p.may(s) {
		return nil
	}
	return p.compile().FindStringSubmatchIndex(s)
}

func (p *Pattern) FindAllString(s string, n int) []string {
	if !p.may(s) {
		return nil
	}
	return p.compile().FindAllString(s, n)
}

func (p *Pattern) FindAllStringIndex(s string, n int) [][]int {
	if !p.may(s) {
		return nil
	}
	return p.compile().FindAllStringIndex(s, n)
}

func (p *Pattern) FindAllStringSubmatch(s string, n int) [][]string {
	if !p.may(s) {
		return nil
	}
	return p.compile().FindAllStringSubmatch(s, n)
}

func (p *Pattern) FindAllStringSubmatchIndex(s string, n int) [][]int {
	if !p.may(s) {
		return nil
	}
	return p.compile().FindAllStringSubmatchIndex(s, n)
}

func (p *Pattern) ReplaceAllString(s, by string) string {
	if !p.may(s) {
		return s
	}
	return p.compile().ReplaceAllString(s, by)
}

// Split cuts s at the matches, at most n parts unless n is negative.
func (p *Pattern) Split(s string, n int) []string {
	if n != 0 && s != "" && !p.may(s) {
		return []string{s}
	}
	return p.compile().Split(s, n)
}
