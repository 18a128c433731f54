// Package atomicfile makes files and folders appear whole or not at all: written
// aside in the same folder, synced, renamed, the folder synced.
package atomicfile

import (
	"errors"
	"io"
	"os"
	"path/filepath"
)

// A File is a file being written aside. Close without Commit removes it.
type File struct {
	*os.File
	path string
	done bool
}

// Create starts a file that will appear at path on Commit. Missing parent folders
// are made. The name of the file aside starts with ".": a killed process leaves
// such a file behind, and Sweep removes it.
func Create(path string) (*File, error) {
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, err
	}
	f, err := os.CreateTemp(dir, "."+filepath.Base(path)+".tmp-*")
	if err != nil {
		return nil, err
	}
	if err := f.Chmod(0o644); err != nil {
		f.Close()
		os.Remove(f.Name())
		return nil, err
	}
	return &File{File: f, path: path}, nil
}

// Commit syncs the file and renames it into place. A failure leaves the old file as it was.
func (f *File) Commit() error {
	if f.done {
		return nil
	}
	f.done = true
	err := f.Sync()
	if e := f.File.Close(); err == nil {
		err = e
	}
	if err == nil {
		err = os.Rename(f.Name(), f.path)
	}
	if err != nil {
		os.Remove(f.Name())
		return err
	}
	return SyncDir(filepath.Dir(f.path))
}

// Close drops what was written unless Commit came first.
func (f *File) Close() error {
	if f.done {
		return nil
	}
	f.done = true
	err := f.File.Close()
	return errors.Join(err, os.Remove(f.Name()))
}

// Write makes path hold what fill writes, or leaves path as it was.
func Write(path string, fill func(io.Writer) error) error {
	f, err := Create(path)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := fill(f); err != nil {
		return err
	}
	return f.Commit()
}

// Sweep removes what killed writers left in dir.
func Sweep(dir string) error {
	left, err := filepath.Glob(filepath.Join(dir, ".*.tmp-*"))
	if err != nil {
		return err
	}
	for _, name := range left {
		if err := os.RemoveAll(name); err != nil {
			return err
		}
	}
	return nil
}

// SyncDir makes renames in dir durable where the system can do that.
func SyncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	if err := d.Sync(); err != nil && !errors.Is(err, os.ErrInvalid) && !errors.Is(err, errors.ErrUnsupported) && !isNoSync(err) {
		return err
	}
	return nil
}
