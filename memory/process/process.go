// Package process runs an external program as a memory system: one process per namespace, one JSON object per line on its standard input, one back on its
// standard output. docs/adding-a-service.md has the protocol and examples/process two programs.
//
// A program needs three methods (reset, ingest, answer); its answer to hello names its other abilities (retrieve, settle, end_session, export, snapshot,
// changes, drop). Retrieve of a program without it is errors.ErrUnsupported: it is measured only by its answers.
package process

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"membench/internal/build"
	"membench/internal/codec"
	"membench/memory"
)

// Options of a program.
type Options struct {
	Name    string   // of the system; "": the program's own, or its file name
	Command []string // program and arguments; needed
	// Env is the whole environment of the program, NAME=value: nothing is inherited, so
	// that no key reaches a program that was not given one.
	Env []string
	// Named are the names of the variables in Env that set its behaviour: their values belong to the fingerprint, except those of secrets (by name: KEY, TOKEN …).
	Named   []string
	Dir     string        // to run in; "": this one
	Inputs  []string      // further files and folders that determine its behaviour, relative to Dir
	Timeout time.Duration // of one request; 0: 10 minutes
}

// System is a program. It is a memory.System.
type System struct {
	o     Options
	hello hello
	files []string // digests of the files that it is made of, and of the variables that it is set by
}

type hello struct {
	Name    string   `json:"name"`
	Version string   `json:"version"`
	Methods []string `json:"methods"`
}

// three are the methods of a program that does not know hello.
var three = []string{"reset", "ingest", "answer"}

// New starts the program once to read its description.
func New(ctx context.Context, o Options) (*System, error) {
	if len(o.Command) == 0 {
		return nil, errors.New("no program given")
	}
	o.Timeout = cmp.Or(o.Timeout, 10*time.Minute)
	files, err := o.files()
	if err != nil {
		return nil, err
	}
	s := &System{o: o, files: append(files, o.named()...)}
	p, err := start(o)
	if err != nil {
		return nil, err
	}
	var said *Error
	switch err := p.call(ctx, "hello", struct {
		Protocol int `json:"protocol"`
	}{Protocol}, &s.hello); {
	case errors.As(err, &said) && said.Code != "": // it answers, and does not know the method
		s.hello = hello{Methods: three}
	case err != nil:
		return nil, errors.Join(err, p.close())
	}
	if len(s.hello.Methods) == 0 {
		s.hello.Methods = three
	}
	for _, need := range []string{"reset", "ingest"} {
		if !s.can(need) {
			return nil, errors.Join(fmt.Errorf("%s: the program says that its methods are %s; %s is needed", o.Command[0], strings.Join(s.hello.Methods, ", "), need), p.close())
		}
	}
	if s.o.Name == "" {
		s.o.Name = s.hello.Name
	}
	if s.o.Name == "" {
		s.o.Name = o.Command[0][strings.LastIndexAny(o.Command[0], `/\`)+1:]
	}
	return s, p.close()
}

// Protocol is the version that hello names.
const Protocol = 1

func (s *System) can(method string) bool {
	return slices.Contains(s.hello.Methods, method)
}

// files are the digests of the files that the command line names, and of Inputs, as they
// are now: an edited program is another system. An interpreter found in PATH is not read.
func (o Options) files() ([]string, error) {
	place := func(name string) string {
		if filepath.IsAbs(name) {
			return name
		}
		return filepath.Join(o.Dir, name)
	}
	var paths []string
	for i, arg := range o.Command {
		if i == 0 && !strings.ContainsAny(arg, `/\`) {
			continue
		}
		if info, err := os.Stat(place(arg)); err == nil && info.Mode().IsRegular() {
			paths = append(paths, place(arg))
		}
	}
	for _, name := range o.Inputs {
		if _, err := os.Stat(place(name)); err != nil {
			return nil, fmt.Errorf("option inputs: %w", err)
		}
		paths = append(paths, place(name))
	}
	list, err := build.Digests(cmp.Or(o.Dir, "."), paths)
	if err != nil {
		return nil, err
	}
	var out []string
	for _, f := range list {
		out = append(out, f.Path+" "+f.SHA256)
	}
	return out, nil
}

// named are the digests of the variables that Named names: with another value the program is another system. A secret that is renewed leaves it the same.
func (o Options) named() (out []string) {
	for _, set := range o.Env {
		if name, value, _ := strings.Cut(set, "="); slices.Contains(o.Named, name) && !secret(name) {
			out = append(out, fmt.Sprintf("env %s %x", name, sha256.Sum256([]byte(value))))
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// secret reports whether a variable of this name holds a secret, by a word of the name.
func secret(name string) bool {
	return slices.ContainsFunc(strings.Split(strings.ToUpper(name), "_"), func(word string) bool {
		return slices.Contains([]string{"KEY", "KEYS", "APIKEY", "TOKEN", "SECRET", "PASSWORD", "PASS", "PASSWD", "CREDENTIAL", "CREDENTIALS", "AUTH"}, word)
	})
}

// Info is the program's description of itself. The fingerprint covers command, version,
// methods, the bytes of the files on its command line and of Inputs, and the values of Named.
func (s *System) Info() memory.Info {
	return memory.Info{Name: s.o.Name, Version: s.hello.Version, Mode: "process",
		Fingerprint: memory.Fingerprint("%d|%q|%q|%q|%q|%q", Protocol, s.o.Command, s.hello.Name, s.hello.Version, s.hello.Methods, s.files)}
}

// Capabilities says whether the program retrieves.
func (s *System) Capabilities() memory.Capabilities { return memory.Batches(s.can("retrieve")) }

// Error is a failure of the program.
type Error struct {
	Program, Method string
	Code            string // error code of the program: unsupported, or its own; "" if none
	Message         string
	Stderr          string // the last that it wrote there
	Err             error
	ended           bool // the program answers nothing more
}

// Is reports a program that was ended as memory.ErrGone.
func (e *Error) Is(target error) bool { return e.ended && target == memory.ErrGone }

func (e *Error) Error() string {
	s := e.Program + ": " + e.Method + ": " + e.Message
	if e.Stderr != "" {
		s += "; its standard error ends: " + e.Stderr
	}
	return s
}

// Unwrap makes an unsupported method errors.ErrUnsupported.
func (e *Error) Unwrap() error {
	if e.Code == "unsupported" {
		return errors.ErrUnsupported
	}
	return e.Err
}

// proc is one running program.
type proc struct {
	o    Options
	cmd  *exec.Cmd
	in   io.WriteCloser
	out  chan line
	tail *tail
	id   int
	dead error
	once sync.Once
	end  error
}

type line struct {
	b   []byte
	err error
}

// maxLine is the longest answer in bytes.
const maxLine = 64 << 20

// grace is how long a program may take to end after its input did.
const grace = 3 * time.Second

func start(o Options) (*proc, error) {
	p := &proc{o: o, out: make(chan line, 1), tail: &tail{}}
	p.cmd = exec.Command(o.Command[0], o.Command[1:]...)
	p.cmd.Dir, p.cmd.Env, p.cmd.Stderr = o.Dir, append([]string{}, o.Env...), p.tail
	p.cmd.WaitDelay = grace
	in, err := p.cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := p.cmd.Start(); err != nil {
		return nil, fmt.Errorf("starting %s: %w", o.Command[0], err)
	}
	p.in = in
	go func() { // ends with the program's standard output
		defer close(p.out)
		sc := bufio.NewScanner(out)
		sc.Buffer(make([]byte, 0, 1<<16), maxLine)
		for sc.Scan() {
			p.out <- line{b: bytes.Clone(sc.Bytes())}
		}
		if err := sc.Err(); err != nil {
			p.out <- line{err: err}
		}
	}()
	return p, nil
}

// call sends one request and decodes its answer into result (nil: ignored), which must have the members need; null is a value. A program that breaks the protocol, or answers too late, is ended, since its
// answers could not be matched to requests.
func (p *proc) call(ctx context.Context, method string, params, result any, need ...string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if p.dead != nil {
		return p.dead
	}
	p.id++
	b, err := codec.Append(nil, struct {
		ID     int    `json:"id"`
		Method string `json:"method"`
		Params any    `json:"params"`
	}{p.id, method, params}, codec.Compact)
	if err != nil {
		return err
	}
	asked := time.Now()
	ctx, cancel := context.WithTimeout(ctx, p.o.Timeout)
	defer cancel()
	sent := make(chan error, 1)
	go func() { _, err := p.in.Write(append(b, '\n')); sent <- err }() // ends with the program at the latest
	for {
		select {
		case err := <-sent:
			if err != nil {
				return p.broken(method, "the program stopped reading: "+err.Error(), err)
			}
			sent = nil
		case l, ok := <-p.out:
			switch {
			case !ok:
				return p.broken(method, "the program ended without an answer", io.ErrUnexpectedEOF)
			case l.err != nil:
				return p.broken(method, l.err.Error(), l.err)
			}
			return p.answer(method, l.b, result, need)
		case <-ctx.Done():
			limit := p.o.Timeout
			if until, ok := ctx.Deadline(); ok { // the caller's may be shorter
				limit = until.Sub(asked).Round(time.Millisecond)
			}
			return p.broken(method, fmt.Sprintf("no answer (%v; the limit was %v)", ctx.Err(), limit), ctx.Err())
		}
	}
}

func (p *proc) answer(method string, b []byte, result any, need []string) error {
	var a struct {
		ID     *int            `json:"id"`
		Result json.RawMessage `json:"result"`
		Error  *struct {
			Code    string `json:"code"`
			Message string `json:"message"`
		} `json:"error"`
	}
	err := codec.Unmarshal(b, &a)
	if err != nil && len(b) > 0 && b[0] == '{' { // it was meant to be one
		return p.broken(method, fmt.Sprintf("its answer cannot be read: %v: %.200q", err, b), err)
	}
	if err != nil || a.ID == nil || *a.ID != p.id {
		return p.broken(method, fmt.Sprintf("a line on standard output is not an answer to request %d: %.200q; write messages to standard error", p.id, b), err)
	}
	if a.Error != nil {
		code := cmp.Or(a.Error.Code, "failed")
		return &Error{Program: p.o.Command[0], Method: method, Code: code, Message: a.Error.Message}
	}
	has := map[string]json.RawMessage{}
	if codec.Unmarshal(a.Result, &has) == nil || len(a.Result) == 0 {
		for _, name := range need {
			if _, ok := has[name]; !ok {
				return &Error{Program: p.o.Command[0], Method: method, Message: fmt.Sprintf("its result has no %s: it has %s", name, cmp.Or(strings.Join(slices.Sorted(maps.Keys(has)), ", "), "no members"))}
			}
		}
	}
	if result == nil || len(a.Result) == 0 || string(a.Result) == "null" {
		return nil
	}
	if err := codec.Unmarshal(a.Result, result); err != nil {
		return p.broken(method, "its result: "+err.Error(), err)
	}
	return nil
}

func (p *proc) broken(method, message string, err error) error {
	kill := p.cmd.Process.Kill()
	end := p.close()
	e := &Error{Program: p.o.Command[0], Method: method, Message: message, Stderr: p.tail.last(), Err: err, ended: true}
	if end != nil && kill != nil { // it had ended by itself: how has the reason
		e.Message += " (" + end.Error() + ")"
	}
	p.end = nil // the reason for its end was reported
	p.dead = e
	return e
}

// close ends the program: its input ends, and after a while it is killed.
func (p *proc) close() error {
	p.once.Do(func() {
		p.in.Close()
		t := time.AfterFunc(grace, func() { _ = p.cmd.Process.Kill() }) // it may have ended meanwhile
		defer t.Stop()
		for range p.out {
		}
		p.end = p.cmd.Wait()
	})
	return p.end
}

// tail keeps the end of its input.
type tail struct {
	mu sync.Mutex
	b  []byte
}

const tailSize = 1 << 11

func (t *tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.b = append(t.b, b...)
	if len(t.b) > tailSize {
		t.b = t.b[len(t.b)-tailSize:]
	}
	return len(b), nil
}

func (t *tail) last() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.ToValidUTF8(strings.TrimSpace(string(t.b)), "\uFFFD")
}
