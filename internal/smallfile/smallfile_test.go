package smallfile

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestReadMax(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	if err := os.WriteFile(path, []byte("12345"), 0o644); err != nil {
		t.Fatal(err)
	}
	if b, err := ReadMax(path, 5); err != nil || string(b) != "12345" {
		t.Errorf("at the limit: have %q, %v", b, err)
	}
	if _, err := ReadMax(path, 4); err == nil || !strings.Contains(err.Error(), "at most 4") {
		t.Errorf("above the limit: have %v", err)
	}
	if _, err := ReadMax(path+"x", 4); !os.IsNotExist(err) {
		t.Errorf("absent: have %v", err)
	}
	if _, err := os.Stat("/dev/zero"); err == nil {
		if _, err := ReadMax("/dev/zero", 1<<20); err == nil || !strings.Contains(err.Error(), "is a device") {
			t.Errorf("without an end: have %v", err)
		}
	}
}
