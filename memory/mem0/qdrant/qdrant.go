// Package qdrant reads and writes the points that Mem0 keeps in a Qdrant server, over
// gRPC. It is the only client of that protocol.
package qdrant

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/qdrant/go-client/qdrant"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"membench/internal/loopback"
	"membench/internal/par"
)

// Options of a connection.
type Options struct {
	Addr     string      // host:port of gRPC (6334), or a URL; https means TLS
	APIKey   string      // sent with every call; wants TLS outside this machine
	TLS      *tls.Config // nil: by Addr's scheme, with the system's roots; see Trust
	PageSize int         // points asked for at once; 0 means 1,000. Halved when a page does not fit
	MaxPage  int         // bytes of one answer; 0 means 64 MiB (gRPC's own limit would be 4)
	Parallel int         // scrolls at once, over parts of the ids; 0 means 2
	Tries    int         // of a call, in all; 0 means 5
	// Sleep waits between tries; nil waits in real time.
	Sleep func(context.Context, time.Duration) error
}

// Client is a connection. It may be used by many goroutines.
type Client struct {
	o             Options
	c             *qdrant.Client
	secure, local bool
}

const (
	defaultPort = 6334
	tries       = 5
)

// Dial makes a client; the first call connects.
func Dial(o Options) (*Client, error) {
	host, port, secure, err := parseAddr(o.Addr)
	if err != nil {
		return nil, err
	}
	secure = secure || o.TLS != nil
	if o.APIKey != "" && !secure && !loopback.Local(host) {
		return nil, fmt.Errorf("qdrant at %s: an API key would be sent unencrypted: use https://%s", o.Addr, net.JoinHostPort(host, strconv.Itoa(port)))
	}
	o.PageSize, o.MaxPage, o.Parallel, o.Tries = cmp.Or(o.PageSize, 1000), cmp.Or(o.MaxPage, 64<<20), cmp.Or(o.Parallel, 2), cmp.Or(o.Tries, tries)
	if o.PageSize < 1 || o.Parallel < 1 || o.MaxPage < 1 {
		return nil, fmt.Errorf("qdrant: page size %d, page bytes %d, parallel %d: want at least 1", o.PageSize, o.MaxPage, o.Parallel)
	}
	if o.Sleep == nil {
		o.Sleep = par.Sleep
	}
	c, err := qdrant.NewClient(&qdrant.Config{Host: host, Port: port, APIKey: o.APIKey, UseTLS: secure, TLSConfig: o.TLS, SkipCompatibilityCheck: true,
		PoolSize: uint(o.Parallel), GrpcOptions: []grpc.DialOption{grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(o.MaxPage))}})
	if err != nil {
		return nil, fmt.Errorf("qdrant at %s: %w", o.Addr, err)
	}
	return &Client{o, c, secure, loopback.Local(host)}, nil
}

// Secure reports whether the connection is encrypted.
func (c *Client) Secure() bool { return c.secure }

// Local reports whether the server is on this machine.
func (c *Client) Local() bool { return c.local }

// Trust makes the settings for a server whose certificate is signed by one of ca, PEM,
// and by none that this machine trusts: a company's own, or the server's itself.
func Trust(ca []byte) (*tls.Config, error) {
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM(ca) {
		return nil, errors.New("no certificate in PEM form (-----BEGIN CERTIFICATE-----)")
	}
	return &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12}, nil
}

func parseAddr(addr string) (host string, port int, secure bool, err error) {
	bad := fmt.Errorf("qdrant address %q: want host:port of its gRPC, such as localhost:6334, or https://host:6334", addr)
	rest := addr
	if strings.Contains(addr, "://") {
		u, err := url.Parse(addr)
		if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Path != "" && u.Path != "/" || u.User != nil {
			return "", 0, false, bad
		}
		rest, secure = u.Host, u.Scheme == "https"
	}
	host, p, err := net.SplitHostPort(rest)
	if err != nil {
		host, p = strings.Trim(rest, "[]"), strconv.Itoa(defaultPort)
	}
	port, err = strconv.Atoi(p)
	if host == "" || err != nil || port < 1 || port > 65535 || strings.ContainsAny(host, "/ ") {
		return "", 0, false, bad
	}
	if port == 6333 {
		return "", 0, false, fmt.Errorf("qdrant address %q: 6333 is its REST port; gRPC is usually 6334", addr)
	}
	return host, port, secure, nil
}

// Close ends the connection.
func (c *Client) Close() error { return c.c.Close() }

// Version asks the server for its version.
func (c *Client) Version(ctx context.Context) (v string, err error) {
	err = c.try(ctx, func() error {
		r, err := c.c.HealthCheck(ctx)
		v = r.GetVersion()
		return err
	})
	return v, err
}

// Collections lists the collections by name.
func (c *Client) Collections(ctx context.Context) (names []string, err error) {
	err = c.try(ctx, func() error {
		names, err = c.c.ListCollections(ctx)
		return err
	})
	slices.Sort(names)
	return names, err
}

// Internal reports whether Mem0 keeps no memories in a collection of that name, but
// telemetry or links between entities.
func Internal(collection string) bool {
	return collection == "mem0migrations" || strings.HasSuffix(collection, "_entities")
}

// Choose returns name if the server has it, and for "" the only collection of memories.
func (c *Client) Choose(ctx context.Context, name string) (string, error) {
	all, err := c.Collections(ctx)
	if err != nil {
		return "", err
	}
	memories := slices.DeleteFunc(slices.Clone(all), Internal)
	switch {
	case slices.Contains(all, name):
		return name, nil
	case name != "":
		return "", fmt.Errorf("qdrant at %s has no collection %q: have %q", c.o.Addr, name, all)
	case len(memories) == 1:
		return memories[0], nil
	}
	return "", fmt.Errorf("qdrant at %s has %d collections of memories (%q): name one", c.o.Addr, len(memories), all)
}

// Count counts the points of a collection exactly.
func (c *Client) Count(ctx context.Context, collection string) (n uint64, err error) {
	err = c.try(ctx, func() error {
		n, err = c.c.Count(ctx, &qdrant.CountPoints{CollectionName: collection, Exact: qdrant.PtrOf(true)})
		return err
	})
	return n, err
}

// try calls f again when the server is busy or away: reads, and writes that may be
// done twice, since all writes here are by id.
func (c *Client) try(ctx context.Context, f func() error) error {
	pause := 200 * time.Millisecond
	for n := 1; ; n++ {
		err := f()
		if err == nil {
			return nil
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		wait, again := retryable(err, pause)
		if !again || n == c.o.Tries {
			return c.explain(err)
		}
		if err := c.o.Sleep(ctx, wait); err != nil {
			return err
		}
		pause *= 2
	}
}

func retryable(err error, pause time.Duration) (time.Duration, bool) {
	if busy, ok := errors.AsType[*qdrant.QdrantResourceExhaustedError](err); ok {
		return max(pause, time.Duration(busy.RetryAfterS)*time.Second), true
	}
	switch status.Code(errors.Unwrap(err)) {
	case codes.ResourceExhausted: // without a time to wait; but an answer may also be too large
		return pause, !tooLarge(err)
	case codes.Unavailable, codes.Aborted:
		return pause, handshake(err) == ""
	}
	return 0, false
}

// handshake says what is wrong where the connection itself cannot be made, and will not
// be by trying again; "" for other errors. gRPC has no type for these.
func handshake(err error) string {
	untrusted := "has a certificate that this machine does not trust: name the file of the authority that signed it (QDRANT_CA_FILE)"
	for _, sign := range [][2]string{
		{"certificate signed by unknown authority", untrusted},
		{"certificate is not trusted", untrusted},
		{"certificate is valid for", "has a certificate for another name: use the name in the certificate"},
		{"certificate has expired", "has a certificate that is not valid now: check both clocks, or renew it"},
		{"first record does not look like a TLS handshake", "does not use TLS: use http:// or host:port, or enable TLS on the server"},
		{"error reading server preface", "closes the connection: it may require TLS (https://), or the port is not the gRPC port, usually 6334"},
	} {
		if strings.Contains(err.Error(), sign[0]) {
			return sign[1]
		}
	}
	return ""
}

// explain says what to do next. The key is in no message: the client never prints it.
func (c *Client) explain(err error) error {
	switch status.Code(errors.Unwrap(err)) {
	case codes.Unauthenticated, codes.PermissionDenied:
		return fmt.Errorf("qdrant at %s refuses the API key: set QDRANT_API_KEY: %w", c.o.Addr, err)
	case codes.Unavailable:
		if why := handshake(err); why != "" {
			return fmt.Errorf("qdrant at %s %s: %w", c.o.Addr, why, err)
		}
		return fmt.Errorf("qdrant at %s cannot be reached (gRPC, usually port 6334): %w", c.o.Addr, err)
	}
	return fmt.Errorf("qdrant at %s: %w", c.o.Addr, err)
}
