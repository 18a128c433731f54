package neo4j

import (
	"errors"
	"strings"
	"unicode/utf8"
)

// maxName is the longest label, type or property name of the block format, in bytes.
const maxName = 16383

// quote makes any text an identifier. A backslash must not stand as it is: Cypher
// replaces \uXXXX before it looks at quotes, so a written-out backtick would end the name.
func quote(name string) (string, error) {
	switch {
	case name == "":
		return "", errors.New("it is empty")
	case len(name) > maxName:
		return "", errors.New("it is longer than 16383 bytes")
	case !utf8.ValidString(name):
		return "", errors.New("it is not UTF-8")
	case strings.ContainsRune(name, 0):
		return "", errors.New("it holds a NUL")
	}
	return "`" + strings.NewReplacer("`", "``", `\`, `\u005C`).Replace(name) + "`", nil
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
