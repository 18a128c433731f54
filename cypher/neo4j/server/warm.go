package server

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// archive returns the file in the folder of the jars of lib that holds the classes of a start, as this Java has read and checked them (class data sharing).
// Another Java has another file: the name contains the time at which the program was installed.
func archive(java, lib string) (string, error) {
	path, err := exec.LookPath(java)
	if err != nil {
		return "", err
	}
	info, err := os.Stat(path)
	if err != nil {
		return "", err
	}
	return filepath.Join(lib, fmt.Sprintf("start-%x.jsa", info.ModTime().UnixNano())), nil
}

// Warm starts the server of lib once and stores the classes that it loaded in one file of about 70 MB in the folder of the jars. Later starts with the same
// Java need about a third less processor time. An existing file is not changed; a new one replaces those of other Javas.
func Warm(ctx context.Context, java, lib string) error {
	version, err := Version(lib)
	if err != nil {
		return err
	}
	if java == "" {
		if java, err = FindJava(version); err != nil {
			return err
		}
	}
	name, err := archive(java, lib)
	if err != nil {
		return err
	}
	if _, err := os.Stat(name); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	home, err := os.MkdirTemp(lib, ".warm-") // the archive is renamed from there
	if err != nil {
		return err
	}
	defer os.RemoveAll(home)
	made := filepath.Join(home, "start.jsa")
	s, err := Start(ctx, Config{Java: java, Lib: lib, Home: home, Bound: true, extra: []string{"-XX:ArchiveClassesAtExit=" + made}})
	if err != nil {
		return err
	}
	s.proc.Signal(os.Interrupt)
	select { // longer than Stop waits: Java writes the file before it ends
	case <-s.exited:
	case <-ctx.Done():
		return errors.Join(ctx.Err(), s.Kill())
	}
	if err := os.Rename(made, name); err != nil {
		return fmt.Errorf("%s kept no archive of classes: %w", java, err)
	}
	return keepOnly(name)
}

// keepOnly removes the other archives beside an archive: those of a Java that was there before. One that another process removes first is no error.
func keepOnly(archive string) error {
	entries, err := os.ReadDir(filepath.Dir(archive))
	for _, e := range entries {
		if name := e.Name(); name != filepath.Base(archive) && strings.HasPrefix(name, "start-") && strings.HasSuffix(name, ".jsa") {
			if e := os.Remove(filepath.Join(filepath.Dir(archive), name)); !errors.Is(e, fs.ErrNotExist) {
				err = errors.Join(err, e)
			}
		}
	}
	return err
}
