package annotate

import (
	"strings"
	"testing"
)

// A file of faults does not fill memory: it is given up, and nothing is taken from it.
func TestManyFaults(t *testing.T) {
	text := `{"role": "user", "content": "hi"}` + "\n" + strings.Repeat("[1,[]]\n", maxFaults)
	faults, last := 0, ""
	for s, err := range Parse(strings.NewReader(text), "a.jsonl", Options{Format: Chat}) {
		if err == nil {
			t.Errorf("have %d turns, want none", len(s.Turns))
			continue
		}
		faults, last = faults+1, err.Error()
	}
	if faults > maxFaults+10 || !strings.Contains(last, "the file was skipped") {
		t.Errorf("have %d faults, the last: %s", faults, last)
	}
}
