package figure

import "strings"

// Names keeps one copy of each text. A decoded text is a part of its whole record, so keeping an id would keep the record.
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
