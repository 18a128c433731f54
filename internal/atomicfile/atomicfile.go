// Package atomicfile makes files and folders appear completely or not at all: written
// aside in the same folder, synced, renamed, the folder synced.
package atomicfile

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
)

// step is notified of every step that changes the file system, before it is taken.
var step = func(op, path string) {}

// Observe notifies f of every step that this package and internal/build take on the file system: op is create, write, sync, commit, move or remove. It
// is for tests
// that stop the process at a chosen step; call it before anything is written.
func Observe(f func(op, path string)) { step = f }

// Step notifies the observer of a step taken outside this package.
func Step(op, path string) { step(op, path) }

// A File is a file being written aside. Close without Commit removes it.
type File struct {
	*os.File
	path string
	sent bool // to path, a pipe or a device, which stays what it is
	done bool
}

// Create starts a file that will appear at path on Commit. Missing parent folders
// are made. The name of the file aside starts with ".": a killed process leaves
// such a file behind, and the next Create for the same path, or Sweep, removes it.
// What a link names is written, not the link; a pipe or a device gets the bytes on Commit.
func Create(path string) (*File, error) {
	info, err := os.Stat(path)
	if l, none := os.Lstat(path); err != nil && none == nil && l.Mode()&fs.ModeSymlink != 0 {
		return nil, &fs.PathError{Op: "write", Path: path, Err: fmt.Errorf("a link that cannot be followed: remove it, or make what it names (%w)", errors.Unwrap(err))}
	}
	switch {
	case err != nil:
	case info.IsDir():
		return nil, &fs.PathError{Op: "write", Path: path, Err: errors.New("is a folder, want a file")}
	case !info.Mode().IsRegular():
		f, err := os.CreateTemp("", "membench-*")
		if err != nil {
			return nil, err
		}
		os.Remove(f.Name()) // it lives as long as it is open, where the system allows that
		return &File{File: f, path: path, sent: true}, nil
	}
	if l, err := os.Lstat(path); err == nil && l.Mode()&fs.ModeSymlink != 0 && info != nil {
		if path, err = filepath.EvalSymlinks(path); err != nil {
			return nil, err
		}
	}
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, err
	}
	prefix := "." + shorten(filepath.Base(path), maxName-len(".")-len(aside)-randomDigits) + aside
	for _, name := range leftIn(dir) {
		if left := filepath.Join(dir, name); strings.HasPrefix(name, prefix) && abandoned(left) {
			os.Remove(left) // not ours to remove: then it stays
		}
	}
	for {
		step("create", path)
		f, err := os.CreateTemp(dir, prefix+"*")
		if err != nil {
			return nil, rename(err, path)
		}
		// Another process may have swept the file away before it was locked.
		busy := lock(f)
		mine, err1 := f.Stat()
		named, err2 := os.Stat(f.Name())
		if busy || err1 != nil || err2 != nil || !os.SameFile(mine, named) {
			f.Close()
			continue
		}
		if err := f.Chmod(0o644); err != nil {
			f.Close()
			os.Remove(f.Name())
			return nil, rename(err, path)
		}
		return &File{File: f, path: path}, nil
	}
}

const (
	aside        = ".tmp-"
	maxName      = 255 // bytes of one file name, on every file system in use
	randomDigits = 10  // of os.CreateTemp
)

// rename makes an error speak of the file that is wanted, not of the one aside.
func rename(err error, path string) error {
	var pe *fs.PathError
	var le *os.LinkError
	switch {
	case errors.As(err, &pe):
		return &fs.PathError{Op: "write", Path: path, Err: pe.Err}
	case errors.As(err, &le):
		return &fs.PathError{Op: "write", Path: path, Err: le.Err}
	}
	return err
}

// Write writes to the file aside.
func (f *File) Write(p []byte) (int, error) {
	step("write", f.path)
	n, err := f.File.Write(p)
	if err != nil {
		err = rename(err, f.path)
	}
	return n, err
}

// WriteString is Write.
func (f *File) WriteString(s string) (int, error) { return f.Write([]byte(s)) }

// ReadFrom copies r into the file aside.
func (f *File) ReadFrom(r io.Reader) (int64, error) {
	return io.Copy(writer{f}, r)
}

type writer struct{ f *File }

func (w writer) Write(p []byte) (int, error) { return w.f.Write(p) }

// Commit syncs the file and renames it into place. A failure leaves the old file as it was.
func (f *File) Commit() error {
	if f.done {
		return nil
	}
	f.done = true
	if f.sent {
		return f.send()
	}
	step("sync", f.path)
	err := f.Sync()
	if e := f.File.Close(); err == nil {
		err = e
	}
	if err == nil {
		step("commit", f.path)
		err = os.Rename(f.Name(), f.path)
	}
	if err != nil {
		os.Remove(f.Name())
		return rename(err, f.path)
	}
	step("sync", filepath.Dir(f.path))
	return SyncDir(filepath.Dir(f.path))
}

// send copies what was written to the pipe or device.
func (f *File) send() error {
	defer f.drop()
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return err
	}
	to, err := os.OpenFile(f.path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = io.Copy(to, f.File)
	return errors.Join(err, to.Close())
}

// Close drops what was written unless Commit came first.
func (f *File) Close() error {
	if f.done {
		return nil
	}
	f.done = true
	return f.drop()
}

func (f *File) drop() error {
	err, gone := f.File.Close(), os.Remove(f.Name())
	if f.sent {
		return err
	}
	return errors.Join(err, gone)
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

// WriteOr is Write, or for "-" what fill writes on stdout; both are buffered.
func WriteOr(path string, stdout io.Writer, fill func(io.Writer) error) error {
	if path == "-" {
		return Buffered(stdout, fill)
	}
	return Write(path, func(w io.Writer) error { return Buffered(w, fill) })
}

// Buffered writes what fill writes in large blocks.
func Buffered(to io.Writer, fill func(io.Writer) error) error {
	w := bufio.NewWriterSize(to, 1<<16)
	if err := fill(w); err != nil {
		return err
	}
	return w.Flush()
}

// left holds, by folder, the files aside that were there when this process first
// wrote into it: only those can be left by a killed one. A folder is listed once, as
// it may get a file for each of many conversations.
var left sync.Map // folder → []string

func leftIn(dir string) []string {
	if names, known := left.Load(dir); known {
		return names.([]string)
	}
	var names []string
	have, _ := os.ReadDir(dir)
	for _, d := range have {
		if isAside(d.Name()) && d.Type().IsRegular() {
			names = append(names, d.Name())
		}
	}
	left.Store(dir, names)
	return names
}

func isAside(name string) bool { return strings.HasPrefix(name, ".") && strings.Contains(name, aside) }

// Sweep removes the files and folders that killed writers left in dir, which may be absent.
func Sweep(dir string) error {
	have, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	for _, d := range have {
		path := filepath.Join(dir, d.Name())
		if !isAside(d.Name()) || !abandoned(path) {
			continue
		}
		step("remove", path)
		if err := os.RemoveAll(path); err != nil {
			return err
		}
	}
	return nil
}

// ErrBusy says that another process holds a file or folder.
var ErrBusy = errors.New("another membench process is writing here: wait for it, or stop it")

// Lock makes path, an empty file that stays, the sign that one process works in its
// folder. Where another process holds it the error is ErrBusy. It is given back by
// Close and by the end of the process. Windows grants it to everyone.
func Lock(path string) (io.Closer, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o644)
	return hold(f, err)
}

// Hold is Lock of a file or folder that is there: Sweep then leaves it alone.
func Hold(path string) (io.Closer, error) {
	f, err := os.Open(path)
	return hold(f, err)
}

func hold(f *os.File, err error) (io.Closer, error) {
	if err != nil {
		return nil, err
	}
	if lock(f) {
		f.Close()
		return nil, &fs.PathError{Op: "lock", Path: f.Name(), Err: ErrBusy}
	}
	return f, nil
}

// Exclusive runs do while no other process is in an Exclusive of the same file; it
// waits for its turn. One goroutine of a process at a time. A process that is killed
// lets go.
func Exclusive(f *os.File, do func() error) error {
	if err := exclusive(f); err != nil {
		return &fs.PathError{Op: "lock", Path: f.Name(), Err: err}
	}
	err := do()
	return errors.Join(err, release(f))
}

// IsDevice reports whether a file is a device other than os.DevNull. Reading one may have no end.
func IsDevice(info fs.FileInfo) bool {
	if info.Mode()&fs.ModeDevice == 0 {
		return false
	}
	null, err := os.Stat(os.DevNull)
	return err != nil || !os.SameFile(info, null)
}

// Alone runs do while no other process is in an Alone of the same folder; it waits for its turn. Where a system cannot lock folders it does not wait.
func Alone(dir string, do func() error) error {
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer f.Close()
	waitFor(f)
	return do()
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

// Name makes a file name of any text, without its ending: everything outside
// [A-Za-z0-9._-] is percent-encoded, so is a leading ".", and the first letter of a
// name that Windows keeps for devices. A name over 200 bytes is cut and ends in a
// hash of the whole text. Different texts have different names.
func Name(text string) string {
	if text == "" {
		return "%"
	}
	stem, _, _ := strings.Cut(strings.ToUpper(text), ".")
	device := slices.Contains(devices, stem)
	var b strings.Builder
	for i, c := range []byte(text) {
		plain := c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c == '-' || c == '_' || c == '.' && i > 0
		if plain && (i > 0 || !device) {
			b.WriteByte(c)
		} else {
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	return shorten(b.String(), longName)
}

// longName leaves room for a suffix and for the mark of temporary names.
const longName = 200

var devices = func() []string {
	out := []string{"CON", "PRN", "AUX", "NUL"}
	for _, d := range "123456789" {
		out = append(out, "COM"+string(d), "LPT"+string(d))
	}
	return out
}()

// shorten cuts a name to max bytes; the rest is replaced by a hash. "%~" is not a code of
// Name, so that no short name is the same.
func shorten(name string, max int) string {
	if len(name) <= max {
		return name
	}
	sum := sha256.Sum256([]byte(name))
	return name[:max-34] + "%~" + hex.EncodeToString(sum[:16])
}
