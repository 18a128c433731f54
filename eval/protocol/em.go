package protocol

import (
	"strings"

	"membench/schema"
)

// em is case-insensitive equality after trimming.
func em() *Protocol {
	return &Protocol{
		Name: "em", Version: "1", Binary: true,
		Formula: "1 if the answer equals a gold, trimmed and without regard to case, else 0",
		Rule: func(r *schema.QARecord) schema.Grade {
			a := strings.ToLower(strings.TrimSpace(r.Answer))
			for _, g := range r.AllGolds() {
				if strings.ToLower(strings.TrimSpace(g)) == a {
					return Scored(1)
				}
			}
			return Scored(0)
		},
	}
}
