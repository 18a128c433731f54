package service

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"membench/schema"
)

// given are the names that the engine fills in.
var given = []string{"ns", "run", "scope", "attempt", // of the namespace
	"session", "key", "turns", "turn", "first", "last", "turn_ids", "meta", "user", "agent", // of an ingest
	"q", "k", "it", "page", "size", "offset", "cursor"}

// lint finds errors that the JSON Schema cannot express.
func (s *Spec) lint(raw []byte) (out []*schema.Finding) {
	fault := func(pointer, message, have, want string) {
		out = append(out, &schema.Finding{Pointer: pointer, Code: "SVC003", Message: message, Have: have, Want: want, Hint: "docs/adding-a-service.md"})
	}
	names := slices.Sorted(maps.Keys(s.Variables))
	for _, r := range s.requests() {
		names = append(names, slices.Sorted(maps.Keys(r.Save))...)
	}
	for _, name := range names {
		if slices.Contains(given, name) || name == "env" {
			fault("", "a variable or saved value has a reserved name", name, "another name")
		}
	}
	known := slices.Concat(given, names)
	tree, err := decode(raw)
	if err != nil {
		fault("", err.Error(), "", "")
		return out
	}
	var look func(pointer string, v any, as []string)
	look = func(pointer string, v any, as []string) {
		switch v := v.(type) {
		case string:
			_, holes, err := pieces(v)
			if err != nil {
				fault(pointer, err.Error(), "", "")
			}
			for _, h := range holes {
				root, _, _ := strings.Cut(h.name, ".")
				switch {
				case root == "env" && !strings.HasPrefix(pointer, "/headers/") && !strings.HasPrefix(pointer, "/variables/") && pointer != "/base_url":
					fault(pointer, "the environment is read in base_url, headers and variables only", "${"+h.name+"}", "a variable")
				case root != "env" && !slices.Contains(known, root) && !slices.Contains(as, root):
					fault(pointer, "this name has no value", "${"+h.name+"}", "one of "+strings.Join(known, ", "))
				}
			}
		case []any:
			for i, x := range v {
				look(pointer+"/"+strconv.Itoa(i), x, as)
			}
		case map[string]any:
			if each, ok := v["$each"]; ok {
				name, _ := v["$as"].(string)
				if each != "turns" || name == "" || v["$item"] == nil {
					fault(pointer, "a list is {$each: turns, $as: NAME, $item: …}", "", "")
				}
				as = append(slices.Clip(as), name)
			}
			for _, k := range slices.Sorted(maps.Keys(v)) {
				if k != "doc" && k != "verified" {
					look(pointer+schema.Pointer(k), v[k], as)
				}
			}
		}
	}
	look("", tree, nil)
	if s.Search.Text == nil && s.Search.Answer == nil && (s.Search.Items == nil || s.Search.Fields.ID == nil || s.Search.Fields.Text == nil) {
		fault("/search", "a search requires items (with fields id and text), one text, or an answer", "", "items and fields, or text, or answer")
	}
	if s.List != nil && (s.List.Fields.ID == nil || s.List.Fields.Text == nil) {
		fault("/list", "a list requires fields id and text", "", "fields")
	}
	if s.Search.Fields.Score != nil && s.Search.Fields.Distance != nil {
		fault("/search/fields/distance", "a hit has a score (greater is better) or a distance (smaller is better)", "both", "one of them")
	}
	if p := s.paging(); p != nil && p.Kind == "cursor" && p.Next == nil {
		fault("/list/paging", "paging by cursor requires next, the path of the next cursor", "", "next")
	}
	for i, t := range s.Settle {
		if t.Done == nil && t.Count == nil {
			fault(schema.Pointer("settle", strconv.Itoa(i)), "a wait requires an end condition", "", "done or count")
		}
	}
	for i, r := range s.Drop {
		if r.Each == "listed" && s.List == nil {
			fault(schema.Pointer("drop", strconv.Itoa(i)), "each: listed needs a list", "", "list")
		}
	}
	if s.Readback == "ids" && (s.List == nil || s.Ingest.Stored == nil) {
		fault("/readback", "readback: ids requires list, and ingest.stored with the ids", "", "list and ingest.stored")
	}
	return out
}

func (s *Spec) paging() *paging {
	if s.List == nil {
		return nil
	}
	return s.List.Paging
}

// requests are all of the spec's.
func (s *Spec) requests() []request {
	out := slices.Concat(s.Open, s.BeginSession, []request{s.Ingest.request}, s.EndSession, []request{s.Search.request}, s.Drop)
	for _, t := range s.Settle {
		out = append(out, t.request)
	}
	if s.List != nil {
		out = append(out, s.List.request)
	}
	return out
}
