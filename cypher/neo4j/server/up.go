package server

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"membench/internal/daemon"
	"membench/internal/smallfile"
)

// Engines that run a server.
const (
	Java   = "java"   // a process of the jars
	Docker = "docker" // a container of the official image
)

// State is a server that stays, as its home folder knows it.
type State struct {
	Running   bool   `json:"running"`
	Home      string `json:"home"`
	Engine    string `json:"engine"`
	Version   string `json:"version"`
	URI       string `json:"uri"`
	Browser   string `json:"browser"`
	PID       int    `json:"pid,omitzero"`
	Container string `json:"container,omitzero"`
	Log       string `json:"log,omitzero"` // of a process; a container's is docker logs
}

// ErrVersion is returned by Up for data of another release of Neo4j.
var ErrVersion = errors.New("the data are of another release of Neo4j")

// The ports that Neo4j's users expect.
const (
	usualBolt = 7687
	usualHTTP = 7474
)

// Up starts a server that continues after this process ends, and waits until it accepts connections. A port of 0 is the port of the server's last run, or the
// usual one, if that is free, otherwise any free port.
func Up(ctx context.Context, engine string, c Config) (State, error) {
	home, err := filepath.Abs(c.Home)
	if err != nil {
		return State{}, err
	}
	c.Home = home
	if err := os.MkdirAll(home, 0o755); err != nil {
		return State{}, err
	}
	if now, err := Look(ctx, home); err != nil {
		return State{}, err
	} else if now.Running {
		return now, fmt.Errorf("%s: %w: %s", home, daemon.ErrInUse, now.URI)
	}
	last, err := readState(home)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return State{}, err
	}
	if c.BoltPort, err = port(c.BoltPort, portOf(last.URI), usualBolt); err != nil {
		return State{}, err
	}
	if c.HTTPPort, err = port(c.HTTPPort, portOf(last.Browser), usualHTTP); err != nil {
		return State{}, err
	}
	if engine == Docker {
		return c.upDocker(ctx, last)
	}
	version, err := Version(c.Lib)
	if err != nil {
		return State{}, err
	}
	if err := sameRelease(home, last, version); err != nil {
		return State{}, err
	}
	s, err := c.start(ctx, daemon.Detach)
	if err != nil {
		return State{}, err
	}
	st := State{Running: true, Home: home, Engine: Java, Version: s.Version, URI: s.URI, Browser: s.HTTP, PID: s.PID, Log: s.Log}
	if err := writeState(st); err != nil {
		s.Stop()
		return State{}, err
	}
	return st, nil
}

// Look returns the state of the server of a home folder. For a folder that never had a server it is the zero State with Home.
func Look(ctx context.Context, home string) (State, error) {
	home, err := filepath.Abs(home)
	if err != nil {
		return State{}, err
	}
	s, err := readState(home)
	if errors.Is(err, os.ErrNotExist) {
		return State{Home: home}, nil
	}
	if err != nil {
		return State{}, err
	}
	s.Home = home
	if s.Engine == Docker {
		s.Running, err = containerRuns(ctx, s.Container)
		return s, err
	}
	lock, err := lockHome(home)
	switch {
	case errors.Is(err, daemon.ErrInUse):
		s.Running = true
	case err != nil:
		return State{}, err
	default:
		lock.Close()
		s.PID = 0
	}
	return s, nil
}

// patience is how long a server may take to end by itself: it writes its pages to disk.
const patience = 30 * time.Second

// Down stops the server of a home folder and waits for its end; was is its former state. killed reports that it had to be killed; its data are recovered at the
// next start.
func Down(ctx context.Context, home string) (was State, killed bool, err error) {
	return down(ctx, home, patience)
}

func down(ctx context.Context, home string, patience time.Duration) (was State, killed bool, err error) {
	was, err = Look(ctx, home)
	if err != nil || !was.Running {
		return was, false, err
	}
	if was.Engine == Docker {
		return was, false, removeContainer(ctx, was.Container)
	}
	// The lock is held, and only the process that Up recorded can hold it: the number does not belong to a later process.
	p, err := os.FindProcess(was.PID)
	if err != nil {
		return was, false, err
	}
	defer p.Release()
	if err := daemon.Terminate(p); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return was, false, fmt.Errorf("ending process %d: %w", was.PID, err)
	}
	ended, err := gone(ctx, home, patience)
	if err != nil || ended {
		return was, false, err
	}
	if err := p.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return was, false, fmt.Errorf("killing process %d: %w", was.PID, err)
	}
	ended, err = gone(ctx, home, patience)
	if err == nil && !ended {
		err = fmt.Errorf("process %d did not end", was.PID)
	}
	return was, true, err
}

// gone waits until no server has the folder.
func gone(ctx context.Context, home string, most time.Duration) (bool, error) {
	timeout := time.After(most)
	for {
		s, err := Look(ctx, home)
		if err != nil || !s.Running {
			return err == nil, err
		}
		select {
		case <-ctx.Done():
			return false, ctx.Err()
		case <-timeout:
			return false, nil
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// port is the wanted one, or the first free one of those to prefer, or any free one.
func port(want int, prefer ...int) (int, error) {
	if want != 0 {
		return want, free(want)
	}
	for _, p := range prefer {
		if p != 0 && free(p) == nil {
			return p, nil
		}
	}
	return freePort()
}

// sameRelease refuses a folder whose data another release wrote: Neo4j would change
// them for good, or fail with less clear words.
func sameRelease(home string, last State, version string) error {
	if _, err := os.Stat(filepath.Join(home, "data")); err != nil || last.Version == "" || release(last.Version) == release(version) {
		return nil
	}
	return fmt.Errorf("%s: %w: have %s, want %s: use another folder, or remove this one", home, ErrVersion, last.Version, version)
}

func stateFile(home string) string { return filepath.Join(home, "server.json") }

func readState(home string) (s State, err error) {
	err = smallfile.ReadJSON(stateFile(home), &s)
	s.Running = false // true of the moment it was written
	return s, err
}

// lockHome takes the lock of a home folder; it fails with daemon.ErrInUse if a server has it.
func lockHome(home string) (*os.File, error) {
	last, err := readState(home)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	return daemon.Lock(home, last.PID)
}

func writeState(s State) error {
	return smallfile.WriteJSON(stateFile(s.Home), s)
}
