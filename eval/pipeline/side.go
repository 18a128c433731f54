package pipeline

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"

	"membench/internal/atomicfile"
)

// sideFiles writes the page's side files: into a temporary folder, which is renamed to a digest of the content when all of them are written. A page
// therefore always finds the
// files that were made with it, whenever a run was killed.
type sideFiles struct {
	root, aside string
	lock        io.Closer
	files       int
}

// sideFolder is the name of the folder beside the page.
const sideFolder = "report_files"

func newSideFiles(out string) (*sideFiles, error) {
	s := &sideFiles{root: filepath.Join(out, sideFolder)}
	s.aside = filepath.Join(s.root, ".aside")
	if err := os.MkdirAll(out, 0o777); err != nil {
		return nil, err
	}
	lock, err := atomicfile.Hold(out)
	if err != nil {
		if errors.Is(err, atomicfile.ErrBusy) {
			return nil, fmt.Errorf("%s: another membench process is writing there: wait for it, or give another folder with -o", out)
		}
		return nil, err
	}
	s.lock = lock
	return s, os.RemoveAll(s.aside)
}

func (s *sideFiles) write(name string, data []byte) error {
	if s.files == 0 {
		if err := os.MkdirAll(s.aside, 0o777); err != nil {
			return err
		}
	}
	s.files++
	return os.WriteFile(filepath.Join(s.aside, name), data, 0o666)
}

// commit gives the folder its name. One of that name has the same content.
func (s *sideFiles) commit(name string) error {
	if name == "" {
		return nil
	}
	to := filepath.Join(s.root, name)
	if _, err := os.Stat(to); err == nil {
		return nil
	}
	if err := atomicfile.SyncDir(s.aside); err != nil {
		return err
	}
	if err := os.Rename(s.aside, to); err != nil {
		return err
	}
	return atomicfile.SyncDir(s.root)
}

// sweep removes the side files of earlier pages, now that no page names them.
func (s *sideFiles) sweep(name string) error {
	entries, err := os.ReadDir(s.root)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	for _, d := range entries {
		if d.Name() == name || !ours.MatchString(d.Name()) {
			continue
		}
		if err := os.RemoveAll(filepath.Join(s.root, d.Name())); err != nil {
			return err
		}
	}
	os.Remove(s.root) // where nothing is left in it
	return nil
}

// ours are the folders that commit makes.
var ours = regexp.MustCompile(`^[0-9a-f]{16}$`)

func (s *sideFiles) close() {
	os.RemoveAll(s.aside)
	s.lock.Close()
}
