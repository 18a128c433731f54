package schema

import (
	_ "embed"
	"strings"
	"sync"
)

// CodeInfo describes one finding code.
type CodeInfo struct {
	Code     string `json:"code"`
	Severity string `json:"severity"` // error, warning, or "error or warning": the meaning says when it is which
	Meaning  string `json:"meaning"`  // one line
	Do       string `json:"do"`       // suggested fix
}

// Codes lists every finding code, sorted. A code keeps its meaning for ever.
func Codes() []CodeInfo { return codes() }

// Code returns the description of one code.
func Code(code string) (CodeInfo, bool) {
	for _, c := range codes() {
		if c.Code == code {
			return c, true
		}
	}
	return CodeInfo{}, false
}

// codesText has a code a line: CODE | severity | meaning | suggested fix.
//
//go:embed codes.txt
var codesText string

var codes = sync.OnceValue(func() (out []CodeInfo) {
	for line := range strings.Lines(codesText) {
		f := strings.SplitN(strings.TrimSuffix(line, "\n"), " | ", 4)
		out = append(out, CodeInfo{Code: f[0], Severity: f[1], Meaning: f[2], Do: f[3]})
	}
	return out
})
