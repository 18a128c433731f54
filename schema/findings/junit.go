package findings

import (
	"encoding/xml"
	"fmt"
	"strings"

	"membench/schema"
)

// JUnit: one case a finding, of the class of its file. An error is a failure; a warning is
// a case that passed with output. Data without findings is one case that passed.
const (
	junitHead = xml.Header + "<testsuites name=\"membench validate\">\n<testsuite name=\"findings\">\n"
	junitTail = "</testsuite>\n</testsuites>\n"
)

func (p *Printer) junit(f *schema.Finding) {
	name := f.Code
	if f.Pos.Line > 0 {
		name = fmt.Sprintf("%s line %d", f.Code, f.Pos.Line)
	}
	p.printf("<testcase classname=\"%s\" name=\"%s\">", escaped(f.Pos.File), escaped(name))
	if text := escaped(f.Error()); f.Warning {
		p.printf("<system-out>%s</system-out>", text)
	} else {
		p.printf("<failure type=\"%s\" message=\"%s\">%s</failure>", f.Code, escaped(f.Message), text)
	}
	p.printf("</testcase>\n")
}

// escaped is s as text or attribute of XML; characters that XML does not have become
// U+FFFD.
func escaped(s string) string {
	var b strings.Builder
	xml.EscapeText(&b, []byte(s)) // a strings.Builder takes everything
	return b.String()
}
