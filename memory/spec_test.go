package memory

import (
	"errors"
	"strings"
	"testing"
)

// A list with null in it is an error that names the item: it would be the empty text, such as an argument of a program.
func TestNullInList(t *testing.T) {
	type options struct {
		Command []string            `json:"command"`
		Set     map[string][]string `json:"set"`
		Dir     string              `json:"dir"`
	}
	spec := Define("s", "", options{}, func(Deps, options) (System, error) { return nil, nil })
	for raw, want := range map[string]string{
		`{"command": ["python3", null]}`:              "command[1] is null",
		`{"set": {"a": ["x"], "b": [null]}}`:          "set.b[0] is null",
		`{"command": ["python3", "null"], "set": {}}`: "",
		`{"dir": null}`:                               "",
	} {
		_, err := spec.Open(Deps{}, []byte(raw))
		if _, ours := errors.AsType[*OptionsError](err); (want != "") != ours || want != "" && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: have %v, want %q", raw, err, want)
		}
	}
}
