package graphmem

import (
	"cmp"
	"context"
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"membench/graph"
	"membench/internal/pattern"
	"membench/internal/textnorm"
	"membench/internal/timex"
	"membench/internal/tokens"
	"membench/memory"
	"membench/schema"
)

// Names of people in questions, as far as they refer to speakers.

// A people is who spoke in a graph, but for programs.
type people struct {
	ids    map[string][]schema.NodeID // of each name in lower case, spoken by or declared: several where it is the name of several
	spoken map[schema.NodeID]string   // the name that each spoke by first
	names  []string                   // that people spoke by
	cased  map[string]string          // names as they are written, by their lower case
}

// people reads who spoke off the turns and their edges. Memories without turns name nobody.
func (r *Reading) people(ctx context.Context) (people, error) {
	out := people{ids: map[string][]schema.NodeID{}, spoken: map[schema.NodeID]string{}, cased: map[string]string{}}
	call := func(id schema.NodeID, name string) {
		if low := strings.ToLower(name); name != "" && !slices.Contains(out.ids[low], id) {
			out.ids[low] = append(out.ids[low], id)
			out.cased[low] = cmp.Or(out.cased[low], name)
		}
	}
	for _, rec := range r.p.v.st.All() {
		if rec.Role != memory.RoleUser || rec.Speaker == "" {
			continue
		}
		if !slices.Contains(out.names, rec.Speaker) {
			out.names = append(out.names, rec.Speaker)
		}
		for e, err := range r.p.g.Neighbors(ctx, schema.NodeID(rec.ID), graph.In, graph.Filter{Types: []string{schema.EdgeSpoke}}) {
			if err != nil {
				return out, err
			}
			call(e.Src, rec.Speaker)
			out.spoken[e.Src] = cmp.Or(out.spoken[e.Src], rec.Speaker)
		}
	}
	for id := range out.spoken {
		n, _, err := r.p.g.Node(ctx, id)
		if err != nil {
			return out, err
		}
		call(id, n.Props.Text("display"))
		call(id, strings.ReplaceAll(n.Props.Text("display"), "-", " ")) // init makes an id of the user's name: bo-lind
	}
	return out, nil
}

// self are the names of those who may say I: of the declared user, else of the only one who speaks beside programs; declared says which.
func (p people) self() (names []string, declared bool) {
	for id, name := range p.spoken {
		if strings.HasPrefix(string(id), "user:") {
			names = append(names, name)
		}
	}
	if declared = len(names) > 0; !declared {
		names = slices.Clone(p.names)
	}
	slices.Sort(names)
	return names, declared
}

// named puts for each name in a question the one that its person speaks by: "alex" for "Alex Chen", if only that person has both. rest is the question without these names, and without others
// that mean one person whatever else they are part of.
func (p people) named(question string) (out, rest string) {
	out, rest = question, question
	for _, name := range slices.SortedFunc(maps.Keys(p.ids), func(a, b string) int { return cmp.Or(cmp.Compare(len(b), len(a)), cmp.Compare(a, b)) }) {
		if ids := p.ids[name]; len(ids) == 1 && (strings.ContainsAny(name, " -") || textnorm.IsHan([]rune(name)[0])) && textnorm.Names(rest, name) {
			rest = replaced(rest, name, "")
			if as := p.spoken[ids[0]]; len(p.ids[strings.ToLower(as)]) == 1 {
				out = replaced(out, name, as)
			}
		}
	}
	return out, rest
}

// apart is what tells a person from others of the same name: another name, otherwise the conversation or the id.
func (p people) apart(id schema.NodeID, name string) string {
	for _, other := range slices.Sorted(maps.Keys(p.ids)) {
		if ids := p.ids[other]; len(ids) == 1 && ids[0] == id && !strings.EqualFold(other, name) {
			return p.cased[other]
		}
	}
	_, at, _ := strings.Cut(string(id), ":")
	if conv, _, in := strings.Cut(at, "/"); in && conv != "" {
		return schema.Unescape(conv)
	}
	return string(id)
}

// of is whom a name means, in lower case: those who have it, otherwise those of whose names it is a word.
func (p people) of(name string) []schema.NodeID {
	if ids := p.ids[name]; len(ids) > 0 {
		return ids
	}
	var out []schema.NodeID
	for full, ids := range p.ids {
		if textnorm.Names(full, name) {
			out = append(out, ids...)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// replaced puts one name for another wherever it is a word of its own, in capitals or not.
func replaced(text, name, by string) string {
	re := regexp.MustCompile(`(?i)` + regexp.QuoteMeta(name))
	var b strings.Builder
	at := 0
	for _, m := range re.FindAllStringIndex(text, -1) {
		if textnorm.Whole(text, m[0], m[1]) {
			b.WriteString(text[at:m[0]] + by)
			at = m[1]
		}
	}
	return b.String() + text[at:]
}

// whom puts the user's name for I and my in a question. may are the people whom the question means by one word if there are several: nobody knows then whom it
// is about. A name is of several if speakers of that name are several people (conversations do not share people by default), or begin with it.
func (r *Reading) whom(question string, who people) (out string, may []string) {
	out, rest := who.named(question)
	if asked := reTellMe.ReplaceAllString(out, ""); inThird(asked, "user") != asked {
		switch self, declared := who.self(); {
		case len(self) > 1 && declared: // several users: each says I
		case len(self) > 1:
			return question, self
		case len(self) == 1 && self[0] != "" && !strings.EqualFold(self[0], "user"):
			out = inThird(asked, self[0])
		}
	}
	for _, name := range who.names {
		if ids := who.ids[strings.ToLower(name)]; len(ids) > 1 && textnorm.Names(rest, name) {
			for _, id := range ids {
				may = append(may, name+" ("+who.apart(id, name)+")")
			}
			slices.Sort(may)
			return out, may
		}
	}
	return out, shared(rest, r.Speakers())
}

// reTellMe addresses the one who is asked; nothing is asked about me.
var reTellMe = pattern.New(`(?i)^(?:(?:please|(?:can|could|would|will) you(?: please)?),? )?(?:(?:tell|remind|show) me|do you know|I (?:wonder|want to know)|I(?: would|['’]d) like to know|let me know)[,:]? |^(?:请?(?:告诉|提醒)我|请问|我想(?:知道|问)(?:一下)?)[，：]?`)

// inThird is a question with a name in place of I, me, my, 我, but for what stands in quotation marks.
func inThird(question, name string) string {
	name = strings.ReplaceAll(name, "$", "$$")
	var b strings.Builder
	at := 0
	for _, m := range append(reWords.FindAllStringIndex(question, -1), []int{len(question), len(question)}) {
		part := question[at:m[0]]
		for _, x := range firstPerson {
			part = x.re.ReplaceAllString(part, strings.ReplaceAll(x.third, "NAME", name))
		}
		b.WriteString(part + question[m[0]:m[1]])
		at = m[1]
	}
	return b.String()
}

// reWords are someone's words.
var reWords = pattern.New(`“[^”]*”|"[^"]*"`)

// firstPerson are the words of the first person with the verb that agrees, in order.
var firstPerson = []struct {
	re    *pattern.Pattern
	third string
}{
	{pattern.New(`(?i)\bam I\b`), "is NAME"}, {pattern.New(`(?i)\bdo I\b`), "does NAME"}, {pattern.New(`(?i)\bhave I\b`), "has NAME"},
	{pattern.New(`(?i)\bI(?:['’]m| am)\b`), "NAME is"}, {pattern.New(`(?i)\bI(?:['’]ve| have)\b`), "NAME has"},
	{pattern.New(`(?i)\b(?:my|mine)\b`), "NAME's"}, {pattern.New(`(?i)\b(?:I|me|myself)\b`), "NAME"}, {pattern.New(`我([^们]|$)`), "NAME${1}"},
}

// addresses is a name that someone is greeted or thanked by.
var addresses = pattern.New(`(?:^|[.!?,] ?)(?:[Hh]i|[Hh]ey|[Hh]ello|[Hh]iya|[Tt]hanks|[Tt]hank you|[Ww]elcome|[Dd]ear|[Bb]ye|[Gg]oodbye|[Mm]orning|[Gg]ood (?:morning|evening|night|luck))(?: so much)?,? ([A-Z][a-z]+)\b`)

// hear notes the names that a speaker calls others by.
func (v *view) hear(voice int32, said string) {
	for _, m := range addresses.FindAllStringSubmatch(opening(said), -1) {
		name := strings.ToLower(m[1])
		calls := v.calls[name]
		for int(voice) >= len(calls) {
			calls = append(calls, 0)
		}
		calls[voice]++
		v.calls[name] = calls
	}
}

// nickname is the speaker to whom a name refers, by what the other one of two says to them:
// "Hey Kate!" twice at least, and seldom the other way round.
func (v *view) nickname(name string) (speaker string, ok bool) {
	calls := v.calls[strings.ToLower(name)]
	if len(v.voices) != 2 || len(calls) == 0 {
		return "", false
	}
	calls = append(slices.Clone(calls), 0)[:2]
	for who, voice := range v.voices {
		if n, back := calls[1-voice], calls[voice]; n >= 2 && n >= 5*back {
			return who, true
		}
	}
	return "", false
}

// called replaces names in a question by the names of the speakers they refer to: given names in Chinese, forms of address ("Hey Kate!"), or similar spellings (Mohammed for Muhhamed).
func (v *view) called(question string) string {
	for _, s := range v.st.Speakers() { // 晓雯 is 林晓雯
		if name := []rune(s); len(name) == 3 && strings.IndexFunc(s, textnorm.IsHan) == 0 && !strings.Contains(question, s) {
			question = strings.ReplaceAll(question, string(name[1:]), s)
		}
	}
	for _, w := range capitals(question) {
		if who, ok := v.nickname(w); ok {
			question = strings.ReplaceAll(question, w, who)
			continue
		}
		var like []string
		for _, s := range v.st.Speakers() {
			for _, part := range strings.Fields(s) {
				if timex.EditOne(strings.ToLower(part), strings.ToLower(w)) || len(skeleton(w)) > 2 && skeleton(part) == skeleton(w) {
					like = append(like, part)
				}
			}
		}
		if len(like) == 1 && !strings.EqualFold(like[0], w) && !v.said(w) {
			question = strings.ReplaceAll(question, w, like[0])
		}
	}
	return question
}

// skeleton is a name without its vowels and doubled letters.
func skeleton(name string) string {
	var out []rune
	for _, c := range strings.ToLower(name) {
		if !strings.ContainsRune("aeiouy", c) && (len(out) == 0 || out[len(out)-1] != c) {
			out = append(out, c)
		}
	}
	return string(out)
}

// capitals are the words in a question that look like names.
func capitals(question string) (out []string) {
	words := strings.FieldsFunc(question, func(c rune) bool { return !unicode.IsLetter(c) && c != '\'' && c != '’' && c != '-' })
	for i, w := range words {
		w = strings.TrimSuffix(strings.TrimSuffix(w, "'s"), "’s")
		if i == 0 || len(w) < 3 || !unicode.IsUpper([]rune(w)[0]) || strings.ToUpper(w) == w || timed(w) {
			continue
		}
		out = append(out, w)
	}
	return out
}

// timed reports a word of dates: May, Monday.
func timed(w string) bool {
	return slices.ContainsFunc(timex.Find(w+" 2020", 0), func(e timex.Expr) bool { return e.Pos == 0 }) || len(timex.Find("last "+w, 0)) > 0
}

// mentions reports whether someone is called by a name, or a turn or a claim has it.
func (v *view) mentions(name string) bool {
	low := strings.ToLower(name)
	for _, s := range v.st.Speakers() {
		for _, part := range strings.Fields(strings.ToLower(s)) {
			if part == low || timex.EditOne(part, low) || len(low) > 4 && strings.HasPrefix(part, low[:3]) {
				return true
			}
		}
	}
	return v.said(low)
}

// said reports whether a turn or a claim has a word.
func (v *view) said(word string) bool {
	low := strings.ToLower(word)
	if slices.ContainsFunc(tokens.Snowball(low), v.parts.words.Has) {
		return true
	}
	return slices.ContainsFunc(v.facts, func(f Fact) bool { return strings.Contains(strings.ToLower(f.Text), low) })
}
