package neo4j

import (
	"strings"

	"membench/cypher"
)

// quote makes any text that can be one an identifier.
func quote(name string) (string, error) {
	q, err := cypher.AppendName(nil, name)
	return string(q), err
}

// quoted is quote for names that a row has checked.
func quoted(name string) string {
	q, err := quote(name)
	if err != nil {
		panic("neo4j: unchecked name: " + err.Error()) // unreachable: row checks every name
	}
	return q
}

// colons is :`A`:`B`, "" for none.
func colons(labels []string) string {
	var b strings.Builder
	for _, l := range labels {
		b.WriteByte(':')
		b.WriteString(quoted(l))
	}
	return b.String()
}
