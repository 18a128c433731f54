package claims

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"

	"membench/internal/textnorm"
	"membench/schema"
)

// A TagCount is one line of the tag registry.
type TagCount struct {
	ID        schema.EntityID `json:"tag_id"`
	Name      string          `json:"name"`
	Count     int             `json:"count"` // distinct evidence that is behind it
	FirstSeen string          `json:"first_seen_at"`
	LastSeen  string          `json:"last_seen_at"`
}

// Registry is the tag registry as stored: tag_registry.json, sorted by tag_id.
type Registry struct {
	Version   int        `json:"version"`
	UpdatedAt string     `json:"updated_at"` // of the newest evidence; no clock
	Tags      []TagCount `json:"tags"`
}

// Tags offers known tags for a chunk. The nil *Tags offers none.
type Tags struct {
	tags  []TagCount
	keys  []string         // textnorm.Key of the names
	grams map[string][]int // two characters of a key → tags, ascending
}

// MaxCandidates is how many tags a prompt offers.
const MaxCandidates = 20

// NewTags indexes a registry: about 40 bytes for each character of a name.
func NewTags(r Registry) *Tags {
	t := &Tags{tags: slices.Clone(r.Tags), grams: map[string][]int{}}
	slices.SortFunc(t.tags, func(a, b TagCount) int { return cmp.Compare(a.ID, b.ID) })
	for i, tag := range t.tags {
		k := textnorm.Key(tag.Name)
		t.keys = append(t.keys, k)
		for g := range bigrams(k) {
			t.grams[g] = append(t.grams[g], i)
		}
	}
	return t
}

// bigrams is the set of pairs of neighbouring characters; of one character, itself.
func bigrams(k string) map[string]bool {
	out := map[string]bool{}
	prev := -1
	for i, r := range k {
		end := i + utf8.RuneLen(r)
		if prev >= 0 {
			out[k[prev:end]] = true
		}
		prev = i
	}
	if len(out) == 0 && k != "" {
		out[k] = true
	}
	return out
}

// Candidates names the tags that fit the texts of a chunk best, at most
// MaxCandidates: those whose name is in the text first, then by the share of
// their character pairs that do; of equals the more used, then the smaller id. A tag
// that shares nothing with the text is not offered.
func (t *Tags) Candidates(c Chunk) []string {
	if t == nil || len(t.tags) == 0 {
		return nil
	}
	var text strings.Builder
	for _, m := range c.Memories {
		text.WriteString(textnorm.Key(m.Text))
		text.WriteByte('\n')
	}
	all := text.String()
	hits := map[int]int{}
	for g := range bigrams(all) {
		for _, i := range t.grams[g] {
			hits[i]++
		}
	}
	type scored struct {
		i     int
		score float64
	}
	var found []scored
	for i, n := range hits {
		s := float64(n) / float64(len(bigrams(t.keys[i])))
		if s >= 1 && strings.Contains(all, t.keys[i]) {
			s = 2
		}
		if s >= 0.3 {
			found = append(found, scored{i, s})
		}
	}
	slices.SortFunc(found, func(a, b scored) int {
		return cmp.Or(-cmp.Compare(a.score, b.score), -cmp.Compare(t.tags[a.i].Count, t.tags[b.i].Count), cmp.Compare(t.tags[a.i].ID, t.tags[b.i].ID))
	})
	var out []string
	for _, f := range found[:min(len(found), MaxCandidates)] {
		out = append(out, t.tags[f.i].Name)
	}
	return out
}

// match returns the known spelling of a tag's name: one with the same key.
func (t *Tags) match(name string) (string, bool) {
	if t == nil {
		return "", false
	}
	k := textnorm.Key(name)
	best, count := "", -1
	for i, key := range t.keys {
		if key == k && t.tags[i].Count > count {
			best, count = t.tags[i].Name, t.tags[i].Count
		}
	}
	return best, count >= 0
}

// Count makes the registry of all statements of a folder: each tag that a claim
// speaks of, with its distinct evidence. Running again counts nothing twice.
func Count(in []schema.Statement) Registry {
	type row struct {
		name        string
		seen        map[string]bool
		first, last string
	}
	rows := map[schema.EntityID]*row{}
	get := func(id schema.EntityID) *row {
		if rows[id] == nil {
			rows[id] = &row{seen: map[string]bool{}, name: schema.NameOf(id)}
		}
		return rows[id]
	}
	for _, s := range in {
		if e := s.Entity; e != nil && e.Type == "Tag" {
			if n := entityName(e); n != "" {
				get(e.ID).name = n
			}
		}
		c := s.Claim
		if c == nil {
			continue
		}
		for _, r := range []schema.Ref{c.Subject, c.Object} {
			if r.Type != "Tag" {
				continue
			}
			t := get(r.ID)
			for _, e := range c.Evidence {
				t.seen[string(e.Memory)+"\x00"+string(e.Point)] = true
				at := instantOf(e.CreatedAt)
				if t.first == "" || at.CompareUnknownLast(instantOf(t.first)) < 0 {
					t.first = e.CreatedAt
				}
				if t.last == "" || at > instantOf(t.last) {
					t.last = e.CreatedAt
				}
			}
		}
	}
	out := Registry{Version: 1, Tags: []TagCount{}}
	for id, r := range rows {
		out.Tags = append(out.Tags, TagCount{id, r.name, len(r.seen), r.first, r.last})
		if out.UpdatedAt == "" || instantOf(r.last) > instantOf(out.UpdatedAt) {
			out.UpdatedAt = r.last
		}
	}
	slices.SortFunc(out.Tags, func(a, b TagCount) int { return cmp.Compare(a.ID, b.ID) })
	return out
}

// tagPrefixes are words of context that are not part of a tag, tried in this order.
var tagPrefixes = []string{"在写作中", "寫起來", "写起来", "读起来", "寫作", "写作", "看起来", "覺得", "觉得", "自认为", "自認為", "可能", "有点", "有點", "比较", "比較"}

// TagName is the normal form of a tag's name: without marks and quotes, and without
// words of context in front as long as at least two characters remain and the whole
// is not a word of its own (可能性, 比较文学, 写作业 …). Case and width stay.
func TagName(s string) string {
	s = strings.Map(func(r rune) rune {
		if strings.ContainsRune("《》“”\"'‘’「」『』", r) {
			return -1
		}
		return r
	}, s)
	s = textnorm.Name(s)
	for again := true; again; {
		again = false
		for _, p := range tagPrefixes {
			rest, ok := strings.CutPrefix(s, p)
			rest = textnorm.Strip(rest)
			if !ok || utf8.RuneCountInString(rest) < 2 || isKept(s) {
				continue
			}
			s, again = rest, true
		}
	}
	return textnorm.Collapse(s)
}

// keepWords start with a prefix of context and are words nevertheless.
var keepWords = []string{"可能性", "比较文学", "比較文學", "比较级", "写作业", "寫作業", "写作课", "写作班", "写作者", "写作能力", "写作风格", "写作习惯", "写作软件", "写作小组", "写作计划", "写作素材", "写作瓶颈", "写作灵感", "有点心", "觉得住", "比较优势", "写作营", "写作教程"}

func isKept(s string) bool {
	return slices.ContainsFunc(keepWords, func(w string) bool { return strings.HasPrefix(s, w) })
}
