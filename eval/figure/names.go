package figure

import "strings"

// Names keeps one copy of each text. What a decoder gives is a part of its whole record:
// a fold that kept an id of it would keep the record.
type Names map[string]string

// Keep returns the copy of s.
func (n Names) Keep(s string) string {
	if t, ok := n[s]; ok {
		return t
	}
	s = strings.Clone(s)
	n[s] = s
	return s
}
