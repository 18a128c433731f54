// Package service makes a memory system from an HTTP service described by one YAML file: its address, the names of namespaces, and the requests that send
// turns, wait until they can be found, search, list and drop. No code is written for a service. docs/adding-a-service.md explains the file; Names lists the
// shipped specs.
//
// The package handles what services do not guarantee. A batch is identified by its key. A write that may or may not have happened spoils the namespace
// (KindUnsure) instead of being sent twice. Background work is waited for before the first question. Losses can be found by reading back (Options.ReadBack).
package service

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"membench/internal/codec"
	"membench/internal/par"
	"membench/memory"

	"golang.org/x/time/rate"
)

// Options of a service. Only Env is needed, and only when the spec reads it.
type Options struct {
	// Env looks up the variables that the spec names as ${env.NAME}. Values in headers are secrets and are sent nowhere else.
	Env func(name string) (string, bool)
	// Dir stores one journal per namespace, so that Attach finds the namespaces of an earlier process; "": this process only.
	Dir string
	// BaseURL replaces the spec's.
	BaseURL string
	// Variables replace the spec's, by name.
	Variables map[string]string
	// ReadBack makes Settle check that everything stored is listed (KindLost otherwise): one listing per settle.
	ReadBack  bool
	Transport http.RoundTripper // nil: the usual one
	// Sleep waits; nil: by the clock. Jitter is in [0,1); nil: 0.5.
	Sleep  func(ctx context.Context, d time.Duration) error
	Jitter func() float64
}

// System is one configured service. It is a memory.System and an Attacher.
type System struct {
	spec    *Spec
	o       Options
	base    string
	headers map[string]string
	secrets []string
	vars    map[string]any
	client  *http.Client
	slots   chan struct{}
	pace    *rate.Limiter

	mu   sync.Mutex
	held map[memory.Namespace]*state // without Dir
}

// New makes the system. A variable of the environment that the spec needs and that is
// not set is an error that names it.
func New(spec *Spec, o Options) (*System, error) {
	if o.Env == nil {
		o.Env = func(string) (string, bool) { return "", false }
	}
	if o.Sleep == nil {
		o.Sleep = par.Sleep
	}
	if o.Jitter == nil {
		o.Jitter = func() float64 { return 0.5 }
	}
	s := &System{spec: spec, o: o, headers: map[string]string{}, vars: map[string]any{}, held: map[memory.Namespace]*state{},
		slots: make(chan struct{}, spec.Limit.Concurrent)}
	if n := spec.Limit.PerMinute; n > 0 {
		s.pace = rate.NewLimiter(rate.Limit(float64(n)/60), max(1, n/60))
	}
	// A key must not follow a redirect to another host; and a POST would become a GET.
	s.client = &http.Client{Transport: o.Transport, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	for name := range o.Variables {
		if _, ok := spec.Variables[name]; !ok {
			return nil, fmt.Errorf("%s has no variable %q: have %s", spec.System, name, strings.Join(slices.Sorted(maps.Keys(spec.Variables)), ", "))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(spec.Variables)) {
		v, ok := o.Variables[name]
		if !ok {
			var err error
			if v, _, err = s.fromEnv(spec.Variables[name]); err != nil {
				return nil, fmt.Errorf("%s: variable %s: %w", spec.System, name, err)
			}
		}
		s.vars[name] = v
	}
	base := o.BaseURL
	if base == "" {
		var err error
		if base, _, err = s.fromEnv(spec.BaseURL); err != nil {
			return nil, fmt.Errorf("%s: base_url: %w", spec.System, err)
		}
	}
	u, err := url.Parse(base)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.User != nil || u.RawQuery != "" {
		return nil, fmt.Errorf("%s: base_url: want http(s)://host[:port][/path], without a user, a password or a query", spec.System)
	}
	s.base = strings.TrimRight(base, "/")
	for _, name := range slices.Sorted(maps.Keys(spec.Headers)) {
		v, complete, err := s.fromEnv(spec.Headers[name])
		if err != nil {
			return nil, fmt.Errorf("%s: header %s: %w", spec.System, name, err)
		}
		if complete { // a header whose optional key is not set is not sent
			s.headers[name] = v
		}
	}
	return s, nil
}

// fromEnv fills in a string that only the environment is read for. complete is false
// when an optional value was not there.
func (s *System) fromEnv(t string) (v string, complete bool, err error) {
	_, holes, err := pieces(t)
	if err != nil {
		return "", false, err
	}
	env, complete := map[string]any{}, true
	for _, h := range holes {
		name, isEnv := strings.CutPrefix(h.name, "env.")
		if !isEnv {
			continue
		}
		x, ok := s.o.Env(name)
		if ok = ok && x != ""; ok {
			env[name] = x
			if secretName(name) {
				s.secrets = append(s.secrets, x)
			}
			continue
		}
		withDefault := slices.ContainsFunc(h.pipes, func(p [2]string) bool { return p[0] == "default" })
		if !h.optional && !withDefault {
			return "", false, fmt.Errorf("%s is not set: set it in the environment or in .env", name)
		}
		complete = complete && withDefault
	}
	out, err := expandString(t, (&scope{vals: s.vars}).with(map[string]any{"env": env}))
	if err == errAbsent {
		return "", false, nil
	}
	return text(out), complete, err
}

// secretName reports whether an environment variable of this name holds a secret:
// all do but addresses.
func secretName(name string) bool {
	open := []string{"URL", "MODEL", "EMBEDDING", "HOST", "PROJECT", "VERSION"}
	return !slices.ContainsFunc(open, func(end string) bool { return strings.HasSuffix(name, end) })
}

// enter waits for a free slot and for the pace.
func (s *System) enter(ctx context.Context) error {
	select {
	case s.slots <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	if s.pace != nil {
		if err := s.pace.Wait(ctx); err != nil {
			<-s.slots
			return err
		}
	}
	return nil
}

func (s *System) leave() { <-s.slots }

// Spec returns the spec that the system was made from.
func (s *System) Spec() *Spec { return s.spec }

// Capabilities says whether the service retrieves.
func (s *System) Capabilities() memory.Capabilities {
	return memory.Batches(s.spec.Search.Answer == nil)
}

// Info names the spec. The fingerprint covers the spec and its variables, but not the service's address or secrets; the service's own configuration is unknown.
func (s *System) Info() memory.Info {
	spec := *s.spec
	spec.Headers, spec.BaseURL, spec.Doc, spec.Verified, spec.Compared = nil, "", "", "", ""
	b, err := codec.Append(nil, []any{spec, s.vars}, codec.Compact)
	if err != nil {
		b = []byte(s.spec.System) // a spec was JSON: it encodes
	}
	return memory.Info{Name: s.spec.System, Version: s.spec.Version, Mode: "service", Fingerprint: memory.Fingerprint("%s", b)}
}

// Ping tries whether the service answers and takes the key.
func (s *System) Ping(ctx context.Context) error {
	if s.spec.Ping == nil {
		return errors.ErrUnsupported
	}
	_, err := s.do(ctx, "ping", *s.spec.Ping, (&scope{vals: s.vars}), false)
	return err
}
