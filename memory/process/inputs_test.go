package process

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"membench/internal/exttest"
)

// An edited program, or an edited file that it reads, is another system.
func TestFingerprintCoversFiles(t *testing.T) {
	dir := t.TempDir()
	script := filepath.Join(dir, "mine.sh")
	write := func(name, text string) {
		t.Helper()
		exttest.WriteProgram(t, filepath.Join(dir, name), text)
	}
	const answer = "#!/bin/sh\nwhile read -r line; do echo '{\"id\":1,\"result\":{\"name\":\"mine\",\"methods\":[\"reset\",\"ingest\",\"retrieve\"]}}'; done\n"
	write("mine.sh", answer)
	write("model.txt", "weights 1")
	o := Options{Command: []string{"sh", script}, Dir: dir, Inputs: []string{"model.txt"}, Env: []string{"PATH=" + os.Getenv("PATH")}}
	fingerprint := func() string {
		t.Helper()
		s, err := New(context.Background(), o)
		if err != nil {
			t.Fatal(err)
		}
		return s.Info().Fingerprint
	}
	first := fingerprint()
	if again := fingerprint(); again != first {
		t.Errorf("the same program has two fingerprints: %s, %s", first, again)
	}
	write("mine.sh", answer+"# edited\n")
	edited := fingerprint()
	if edited == first {
		t.Error("an edited program has the fingerprint of the old one")
	}
	write("model.txt", "weights 2")
	if fingerprint() == edited {
		t.Error("an edited input leaves the fingerprint as it was")
	}
	before := fingerprint()
	o.Env = append(o.Env, "MODEL=small", "MY_API_KEY=one", "LANG=C")
	o.Named = []string{"MODEL", "MY_API_KEY", "UNSET"}
	named := fingerprint()
	if named == before {
		t.Error("a named variable that is set leaves the fingerprint as it was")
	}
	for i, x := range []string{"MODEL=large", "MY_API_KEY=two", "LANG=de"} {
		old := o.Env[len(o.Env)-3+i]
		o.Env[len(o.Env)-3+i] = x
		if changed := fingerprint() != named; changed != strings.HasPrefix(x, "MODEL") {
			t.Errorf("%s: the fingerprint changed: %t", x, changed)
		}
		o.Env[len(o.Env)-3+i] = old
	}
	o.Inputs = []string{"gone.txt"}
	if _, err := New(context.Background(), o); err == nil {
		t.Error("an input that is not there is taken")
	}
}
