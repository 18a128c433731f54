package opstalk

import (
	"slices"
	"strings"

	"membench/internal/pattern"
)

// A rule is one pattern of a clause: group S is its subject (none: the alert, or the
// thing, that was spoken of last), O its object, K and V the name and value of a setting.
// The first rule of a predicate that fits a clause is taken.
type rule struct {
	predicate string
	denied    bool
	moved     bool
	object    string // entity type; "" from the object's name
	re        *pattern.Pattern
	conf      float64
	cues      []string // one of them is in every clause that the rule fits: spares the pattern
	wide      bool     // for two clauses at once
}

// compile reads rows of predicate ("!" for its negative, ">" if what it was before is over), object type, cues ("_" is a
// space) and patterns over fragments.
func compile(fragments *strings.Replacer, rows ...[]string) (out []rule) {
	for _, row := range rows {
		pred, denied := strings.CutPrefix(row[0], "!")
		pred, moved := strings.CutPrefix(pred, ">")
		for _, p := range row[3:] {
			full := fragments.Replace(p)
			conf := plainly
			if !strings.Contains(full, "(?P<S>") {
				conf = interpreted + 0.04
			}
			out = append(out, rule{pred, denied, moved, row[1], pattern.New(`(?i)` + full), conf, strings.Fields(row[2]), strings.Contains(p, "，")})
		}
	}
	return out
}

func (r rule) cued(low string) bool {
	return slices.ContainsFunc(r.cues, func(cue string) bool { return strings.Contains(low, strings.ToLower(cue)) })
}

func (r rule) group(m []string, name string) (string, bool) {
	i := r.re.SubexpIndex(name)
	if i < 0 {
		return "", false
	}
	return m[i], true
}

// readClause reads one clause, or two at once by the wide rules.
func readClause(rules, settings []rule, c string, o Options, wide bool) (out []Statement) {
	low := "_" + strings.ReplaceAll(strings.ToLower(c), " ", "_") + "_"
	done := map[string]bool{}
	for _, r := range rules {
		if wide && !r.wide || !r.cued(low) || done[r.predicate] && !r.denied && r.predicate != "CAUSED_BY" {
			continue
		}
		m := r.re.FindStringSubmatch(c)
		if m == nil {
			continue
		}
		found := slices.DeleteFunc(r.statements(m, o), func(s Statement) bool { return labels(c, s.Object.Name) })
		done[r.predicate] = done[r.predicate] || len(found) > 0 && !r.denied
		out = merge(out, found)
	}
	if !strings.ContainsAny(c, "0123456789") || wide {
		return out // no value, no setting
	}
	for _, c := range slices.Compact([]string{from.ReplaceAllString(c, "$1"), c}) {
		for _, r := range settings {
			if !r.cued(low) && !strings.Contains(c, "_") {
				continue
			}
			if m := r.re.FindStringSubmatch(c); m != nil {
				if s, ok := r.setting(m, o); ok {
					return merge(out, []Statement{s})
				}
			}
		}
	}
	return out
}

// from is what a setting was before it was changed: "from 90% to", 从 90% 调到.
var from = pattern.New(`(?:\bfrom |从\s?)v?\d[\d.,]*\s?(?:%|[a-zA-Z]{1,3}|[个台次秒天])?\s?((?:(?:up |down )?to\b|→|->)|(?:提|调|加|降|改|扩|缩|升|减|放宽)\p{Han}{0,3})`)

// labels reports whether a word behind a comma says only what kind of name follows it: "on core-1, ticket TT-7".
func labels(clause, word string) bool {
	_, behind, found := strings.Cut(clause, ", "+word+" ")
	next, _, _ := strings.Cut(behind, " ")
	return found && strings.ContainsAny(next, "0123456789") && !strings.ContainsAny(word, "-_.0123456789")
}

// statements are what one match says: one for each object of a list.
func (r rule) statements(m []string, o Options) (out []Statement) {
	subject, named := r.group(m, "S")
	if !named {
		if subject = o.Alert; r.predicate == "OWNED_BY" {
			if subject = o.Thing; subject != "" && subject[0] <= '9' { // an address is where something runs, which has the owner
				return nil
			}
		}
	}
	if subject = strings.TrimSpace(subject); hasHan(subject) {
		subject = zhClean(strings.TrimSuffix(strings.TrimSuffix(subject, "告警"), "报警"))
	}
	typ := typeIn(r.predicate, subject)
	obj, _ := r.group(m, "O")
	names := []string{cut(obj)}
	switch r.predicate {
	case "AFFECTS", "RUNS_ON", "DEPENDS_ON":
		names = enList.Split(obj, -1)
		if len(names) == 1 {
			names = zhList.Split(obj, -1)
		}
	}
	for _, n := range names {
		if n = clean(n); hasHan(n) {
			n = zhClean(n)
		}
		if n == "" || n == subject || noName[strings.ToLower(n)] || empty.MatchString(n) {
			continue
		}
		ot := r.object
		switch {
		case r.predicate == "CAUSED_BY":
			ot = causeType(n)
		case ot == "":
			ot = opsType(n)
		}
		if t := (Term{ot, n}); t.ok() && allowed(r.predicate, typ, ot) {
			out = append(out, Statement{Subject: Term{typ, subject}, Predicate: r.predicate, Denied: r.denied, Moved: r.moved, Object: t, Confidence: r.conf})
		}
	}
	return out
}

func (r rule) setting(m []string, o Options) (Statement, bool) {
	name, ok := r.group(m, "K")
	if !ok {
		name = "版本"
	}
	if first, _, _ := strings.Cut(name, " "); noName[first] && first != "version" && first != "timeout" && first != "threshold" && first != "pool" && first != "limit" {
		return Statement{}, false
	}
	subject, named := r.group(m, "S")
	if !named {
		subject = o.Thing
	}
	subject = strings.TrimSpace(strings.TrimSuffix(subject, "'s"))
	typ := typeIn("HAS_SETTING", subject)
	value, _ := r.group(m, "V")
	s := Statement{Subject: Term{typ, subject}, Predicate: "HAS_SETTING", Object: Term{"Tag", settingName(name, value)}, Confidence: r.conf}
	return s, allowed("HAS_SETTING", typ, "Tag") && s.Object.ok()
}

var enList = pattern.New(`, (?:and )?(?:on )?(?:the )?| and (?:on )?(?:the )?| through | to `)
