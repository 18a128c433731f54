package doctor

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"membench/config"
	"membench/cypher/neo4j"
	"membench/internal/loopback"
	"membench/llm/hashing"
	"membench/memory/mem0/qdrant"
	"membench/memory/mem0/rest"
	"membench/replay"
	"membench/schema"
)

// dates notes how far this machine's clock is ahead of a server's, where its newest
// answer has a date: whole seconds, so small differences mean nothing.
type dates struct {
	next http.RoundTripper
	now  func() time.Time

	mu   sync.Mutex
	skew time.Duration // 0: none told
}

func (o Options) dates(next http.RoundTripper) *dates {
	return &dates{next: cmp.Or(next, http.DefaultTransport), now: o.Models.Clock.Now}
}

func (d *dates) RoundTrip(r *http.Request) (*http.Response, error) {
	before := d.now()
	resp, err := d.next.RoundTrip(r)
	if err == nil {
		if t, err := http.ParseTime(resp.Header.Get("Date")); err == nil {
			d.mu.Lock()
			d.skew = before.Add(d.now().Sub(before) / 2).Sub(t)
			d.mu.Unlock()
		}
	}
	return resp, err
}

// farOff is a clock that instants in records would show, and certificates mind.
const farOff = time.Minute

func (d *dates) check(host string) []schema.Check {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.skew.Abs() <= farOff {
		return nil
	}
	return []schema.Check{warn("clock", "set this machine's clock (timedatectl set-ntp true): instants in records and certificates depend on it", "differs by %v from that of %s", d.skew.Round(time.Second), host)}
}

// checkClear warns of a key that others on the way to a server may read.
func checkClear(name, key string, u *url.URL) []schema.Check {
	if key == "" || u.Scheme != "http" || loopback.Local(u.Hostname()) {
		return nil
	}
	return []schema.Check{warn(name, "use https", "the key goes over the network in the clear")}
}

// checkMem0 looks at the Mem0 that the environment names: an own server by MEM0_URL,
// the platform by its key alone. It asks for the memories of a user that nobody is.
func (o Options) checkMem0(ctx context.Context) []schema.Check {
	at := rest.Options{Kind: rest.OSS, URL: o.Place.Getenv("MEM0_URL"), Key: o.Place.Getenv("MEM0_API_KEY"), Tries: 1}
	name := "mem0 " + at.URL
	if at.URL == "" {
		at.Kind, at.URL, name = rest.Platform, rest.PlatformURL, "mem0 platform"
	}
	u, err := url.Parse(at.URL)
	if err != nil {
		return []schema.Check{fail(name, "fix MEM0_URL: http://host:port or https://host", "%v", err)}
	}
	clock := o.dates(o.Place.Transport)
	at.HTTP = &http.Client{Transport: clock}
	out := checkClear(name, at.Key, u)
	s, err := rest.Dial(ctx, at)
	if err == nil {
		err = s.Check(ctx)
	}
	var answer *rest.Error
	switch {
	case errors.As(err, &answer) && (answer.Status == http.StatusUnauthorized || answer.Status == http.StatusForbidden):
		why := "refuses the key"
		if at.Key == "" {
			why = "requires a key, and none is set"
		}
		return append(append(out, fail(name, "set MEM0_API_KEY to a key of this server (its ADMIN_API_KEY, or one made there)", "%s", why)), clock.check(u.Host)...)
	case errors.As(err, &answer) && answer.Status >= 500:
		return append(out, fail(name, "check the server's own log: its store or its model may be unavailable", "%v", err))
	case errors.As(err, &answer):
		return append(out, fail(name, "fix MEM0_URL: the address of Mem0's own server, without a path", "%v", err))
	case err != nil:
		return append(out, fail(name, "start the server, or fix or unset MEM0_URL", "%v", err))
	}
	out = append(out, clock.check(u.Host)...)
	switch v := s.Info().Version; v {
	case "oss-1.0.7-":
		return append(out, warn(name, "use Mem0 1.0.11 or 2.x: older versions store times in US time regardless of the given zone; in some, deleting one user's memories empties the store", "version before 1.0.8, key accepted"))
	case "oss-2":
		return append(out, ok(name, "version 2.x, key accepted; it only adds memories, and after a delete it still uses the user's last ten messages in the next extraction: use a new --user-prefix for each run"))
	default:
		return append(out, ok(name, "version %s, key accepted", strings.TrimPrefix(v, "oss-")))
	}
}

// qdrants are the servers that the environment and the project name.
func (o Options) qdrants(p *config.Project) []string {
	var out []string
	if addr := o.Place.Getenv("QDRANT_ADDR"); addr != "" {
		out = append(out, addr)
	}
	if p != nil && p.Replay.Qdrant != "" && !slices.Contains(out, p.Replay.Qdrant) {
		out = append(out, p.Replay.Qdrant)
	}
	return out
}

// checkQdrant looks at the server, and at the collections that a run here would use.
func (o Options) checkQdrant(ctx context.Context, addr string, p *config.Project) []schema.Check {
	name := "qdrant " + addr
	c, err := o.Place.Qdrant(addr, 1)
	if err != nil {
		return []schema.Check{fail(name, "fix QDRANT_ADDR (host:port of its gRPC, or https://host:port), QDRANT_API_KEY or QDRANT_CA_FILE", "%v", err)}
	}
	defer c.Close()
	version, err := c.Version(ctx)
	var names []string
	if err == nil {
		names, err = c.Collections(ctx) // the version is reported without a key
	}
	if err != nil {
		return []schema.Check{fail(name, "start Qdrant, fix what the message says, or unset QDRANT_ADDR (host:port of its gRPC, usually 6334)", "%v", err)}
	}
	out := []schema.Check{ok(name, "Qdrant %s, %s, %d collections", version, secured(c), len(names))}
	if !c.Secure() && !c.Local() {
		out = append(out, warn(name, "switch TLS on in Qdrant and use https://", "memories go over the network in the clear"))
	}
	hashed, err := hashing.New(0).Embed(ctx, []string{"tea"})
	if err != nil {
		return append(out, fail(name, "give it more time (--timeout)", "%v", err))
	}
	want, ours := "", uint64(len(hashed[0]))
	if p != nil && p.Replay.Qdrant != "" {
		want = cmp.Or(p.Replay.Collection, replay.Isolation(p.Replay.Isolation).Collection())
	}
	for _, n := range names {
		if qdrant.Internal(n) {
			continue
		}
		size, err := c.VectorSize(ctx, n)
		if err != nil {
			out = append(out, fail("collection "+n, "look at Qdrant's own log", "%v", err))
			continue
		}
		points, err := c.Count(ctx, n)
		switch {
		case err != nil:
			out = append(out, fail("collection "+n, "look at Qdrant's own log", "%v", err))
		case n == want && size != ours:
			out = append(out, fail("collection "+n, "name another one (replay.collection in membench.yaml), or delete it", "its vectors have %d dimensions, the embedded memory's vectors have %d", size, ours))
		default:
			out = append(out, ok("collection "+n, "%d points, vectors of %s", points, dimensions(size)))
		}
	}
	return out
}

func dimensions(size uint64) string {
	if size == 0 {
		return "several names"
	}
	return fmt.Sprintf("%d dimensions", size)
}

func secured(c *qdrant.Client) string {
	if c.Secure() {
		return "TLS"
	}
	return "no TLS"
}

func (o Options) checkNeo4j(ctx context.Context, uri string) schema.Check {
	const name = "neo4j"
	db, err := neo4j.Open(ctx, neo4j.Config{URI: uri, User: o.Place.Getenv("NEO4J_USERNAME"), Password: o.Place.Getenv("NEO4J_PASSWORD"), Retry: time.Second})
	if err != nil {
		fix := "start the server, or fix NEO4J_URI"
		if errors.Is(err, neo4j.ErrAuth) {
			fix = "set NEO4J_USERNAME and NEO4J_PASSWORD in the environment or in .env"
		}
		return fail(name, fix, "%v", err)
	}
	defer db.Close(ctx)
	server, err := db.Server(ctx)
	if err != nil {
		return fail(name, "look at the server's log", "%v", err)
	}
	if v, found := strings.CutPrefix(server, "Neo4j/"); found && strings.HasPrefix(v, "4.") {
		return warn(name, "load into Neo4j 5 or newer: constraints are written in its syntax", "%s", server)
	}
	return ok(name, "%s, database %s", server, db.Database())
}
