// Package rest is a Mem0 service as a memory system: the open-source server, 1.x and 2.x, and the platform.
//
// A namespace is one user_id of the service, Options.Prefix and the scope. Information that Mem0 cannot store is in a journal of the run,
// <Dir>/<run>/<scope>.jsonl: the batches sent, and their results. Each memory has its batch and its turns in its metadata (membench_batch, events). So a call
// with an unknown result is looked up before it is sent again, and an export names its evidence: all turns of the batch, since Mem0 does not report which turns
// a memory was made of.
//
// The package does not rely on the service: an add that returns nothing, or memories that do not exist, counts as degraded; truncated lists are errors;
// memories are deleted one by one and only if one of our runs made them, since DELETE /memories?user_id= empties the whole collection in servers before 1.0.6,
// and the same user may be a real one.
package rest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"net/url"
	"path/filepath"
	"strings"
	"time"

	"membench/internal/atomicfile"
	"membench/internal/keylog"
	"membench/internal/par"
	"membench/memory"
	"membench/memory/mem0"
)

// Kind of service.
type Kind string

const (
	OSS      Kind = "mem0"          // the server of the repository
	Platform Kind = "mem0-platform" // api.mem0.ai
)

// PlatformURL is where the platform is.
const PlatformURL = "https://api.mem0.ai"

// Options of a service.
type Options struct {
	Kind   Kind
	URL    string
	Key    string // never kept or printed
	Dir    string // of the journals; ""  keeps none: Attach then knows nothing of earlier runs
	Prefix string // before every user_id: a run of its own on a server that is shared
	Raw    bool   // store turns verbatim (infer: false)
	HTTP   *http.Client
	Tries  int // of a call, in all; 0: 5
	// Sleep waits between tries; nil waits in real time.
	Sleep func(context.Context, time.Duration) error
}

// System is a service. It is a memory.System, Attacher and Lister.
type System struct {
	o   Options
	api api
}

// Dial detects the kind and version of the service.
func Dial(ctx context.Context, o Options) (*System, error) {
	u, err := url.Parse(o.URL)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" || u.User != nil {
		return nil, fmt.Errorf("URL %q of the Mem0 service: want http://host:port or https://host, without a password", o.URL)
	}
	if o.HTTP == nil {
		o.HTTP = &http.Client{Timeout: 5 * time.Minute}
	}
	if o.Sleep == nil {
		o.Sleep = par.Sleep
	}
	c := &client{base: strings.TrimRight(o.URL, "/"), http: safe(o.HTTP), sleep: o.Sleep, tries: cmp.Or(o.Tries, tries)}
	s := &System{o: o}
	switch o.Kind {
	case Platform:
		if o.Key == "" {
			return nil, errors.New("the Mem0 platform requires an API key: set MEM0_API_KEY")
		}
		c.auth = [2]string{"Authorization", "Token " + o.Key}
		s.api = &platform{c: c}
	case OSS:
		c.auth = [2]string{"X-API-Key", o.Key}
		if s.api, err = detect(ctx, c); err != nil {
			return nil, err
		}
	default:
		return nil, fmt.Errorf("kind %q of Mem0 service: have %s, %s", o.Kind, OSS, Platform)
	}
	if o.Raw && !s.api.raw() {
		return nil, errors.New("this Mem0 server is older than 1.0.8 and cannot store turns as they are: it always extracts")
	}
	return s, nil
}

// safe is a client whose key follows no redirect: Go takes only Authorization off when
// the host changes, and a POST would become a GET.
func safe(c *http.Client) *http.Client {
	s := *c
	s.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &s
}

// Check requests the memories of a user that does not exist; it fails if a run could not work, for example because a key is rejected.
func (s *System) Check(ctx context.Context) error {
	_, err := s.api.list(ctx, s.o.Prefix+"membench-check")
	return err
}

// Info names the service and its generation. The model is the server's: two servers
// of one generation have one fingerprint.
func (s *System) Info() memory.Info {
	mode := "infer"
	if s.o.Raw {
		mode = "raw"
	}
	return memory.Info{Name: string(s.o.Kind), Version: s.api.version(), Mode: mode, Fingerprint: memory.Fingerprint("%s|%s|%s|%q", s.o.Kind, s.api.version(), mode, s.o.Prefix)}
}

// user is the user_id of a namespace. Mem0 2.x takes no white space in it.
func (s *System) user(ns memory.Namespace) string {
	return strings.Map(func(r rune) rune {
		if r == ' ' || r == '\t' || r == '\n' || r == '\r' {
			return '_'
		}
		return r
	}, s.o.Prefix+ns.Scope)
}

func (s *System) path(ns memory.Namespace) string {
	return filepath.Join(s.o.Dir, atomicfile.Name(ns.Run), atomicfile.Name(ns.Scope)+".jsonl")
}

// Open deletes the memories of our runs in the namespace; memories of others in it are an error.
func (s *System) Open(ctx context.Context, ns memory.Namespace) (memory.Memory, error) {
	m := &Memory{sys: s, ns: ns, user: s.user(ns)}
	if err := m.Drop(ctx); err != nil {
		return nil, err
	}
	return m, nil
}

// Attach continues with an earlier run according to its journal.
func (s *System) Attach(ctx context.Context, ns memory.Namespace) (memory.Memory, error) {
	m := &Memory{sys: s, ns: ns, user: s.user(ns)}
	if s.o.Dir == "" {
		return m, ctx.Err()
	}
	err := keylog.Read(s.path(ns), m.read)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	if m.made == "" && len(m.entries) == 0 {
		held, err := s.api.list(ctx, m.user)
		if cut := (*CutError)(nil); err != nil && !errors.As(err, &cut) {
			return nil, err
		}
		if len(held) > 0 {
			return nil, m.foreign(len(held))
		}
	}
	return m, ctx.Err()
}

// Namespaces are those with a journal.
func (s *System) Namespaces(ctx context.Context, run string) ([]memory.Namespace, error) {
	if s.o.Dir == "" {
		return nil, errors.New("no folder of journals: it is not known which memories were filled")
	}
	return mem0.Journals(ctx, s.o.Dir, run, format)
}
