package neo4j

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net/url"
	"os"
	"strings"
	"time"

	driver "github.com/neo4j/neo4j-go-driver/v5/neo4j"
	"github.com/neo4j/neo4j-go-driver/v5/neo4j/config"
	"github.com/neo4j/neo4j-go-driver/v5/neo4j/notifications"
)

// Config is the address of a graph.
type Config struct {
	URI      string // bolt://host:7687, neo4j://, with +s or +ssc for TLS; no user in it
	Database string // "": the user's home database
	User     string // "": no authentication, unless Token or Ticket is given
	Password string
	Token    string // of a single sign-on, instead of user and password
	Ticket   string // of Kerberos, in base64, instead of user and password

	Impersonate string // user whose rights count; the one who logs in must be allowed to
	CA          string // file of certificates to trust, in PEM, instead of the system's
	Cert, Key   string // files of a client certificate and its key, in PEM
	// Scope names one graph of several in a database: "" is the unnamed one. Elements
	// of a named scope have ids of their own, seen and touched by no other scope.
	Scope string
	// Retry is how long a transient fault (a deadlock, a leader change) is retried; 0: 60 s.
	Retry time.Duration
	// Timeout ends a transaction on the server; 0: the server's own limit.
	Timeout time.Duration
	// Warn receives the server's warnings, each text once; may be nil.
	Warn func(text string)
}

// Open connects, and fails at once when the server, the user or the database is wrong.
func Open(ctx context.Context, c Config) (*DB, error) {
	u, err := url.Parse(c.URI)
	switch {
	case err != nil || u.Host == "":
		return nil, fmt.Errorf("%w: have %q, want bolt://host:7687", ErrURI, c.URI)
	case u.User != nil:
		return nil, fmt.Errorf("%w: remove user and password from it; they come from NEO4J_USERNAME and NEO4J_PASSWORD", ErrURI)
	}
	switch scheme, secure, _ := strings.Cut(u.Scheme, "+"); {
	case scheme != "bolt" && scheme != "neo4j", secure != "" && secure != "s" && secure != "ssc":
		return nil, fmt.Errorf("%w: have scheme %s, want bolt or neo4j (with +s or +ssc for TLS; Bolt's port is 7687)", ErrURI, u.Scheme)
	}
	c.Retry = cmp.Or(c.Retry, time.Minute)
	trust, err := c.tls()
	if err != nil {
		return nil, err
	}
	if _, secure, _ := strings.Cut(u.Scheme, "+"); secure != "s" && (c.CA != "" || c.Cert != "") {
		return nil, fmt.Errorf("%w: certificates go with neo4j+s or bolt+s, have %s", ErrURI, u.Scheme)
	}
	drv, err := driver.NewDriverWithContext(c.URI, c.auth(), func(d *config.Config) {
		d.MaxTransactionRetryTime = 0 // see DB.in
		d.NotificationsMinSeverity = notifications.DisabledLevel
		if c.Warn != nil {
			// Missing labels and types are normal for a loader.
			d.NotificationsMinSeverity = notifications.WarningLevel
			d.NotificationsDisabledCategories = notifications.DisableCategories(notifications.Unrecognized)
		}
		d.TelemetryDisabled = true
		d.SocketConnectTimeout = 5 * time.Second
		d.UserAgent = "membench"
		d.TlsConfig = trust
	})
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrURI, err)
	}
	db := &DB{drv: drv, uri: c.URI, database: c.Database, scope: c.Scope, retry: c.Retry, ready: map[string]bool{}, conf: c,
		marks: driver.NewBookmarkManager(driver.BookmarkManagerConfig{})}
	db.limits = append(db.limits, driver.WithTxMetadata(map[string]any{"app": "membench", "scope": c.Scope}))
	if c.Timeout > 0 {
		db.limits = append(db.limits, driver.WithTxTimeout(c.Timeout))
	}
	if err := drv.VerifyConnectivity(ctx); err != nil {
		drv.Close(ctx)
		return nil, db.explain(err)
	}
	// The answer names the home database, which then need not be asked for each time.
	res, err := driver.ExecuteQuery(ctx, drv, "RETURN 1", nil, driver.EagerResultTransformer, driver.ExecuteQueryWithDatabase(c.Database), driver.ExecuteQueryWithImpersonatedUser(c.Impersonate))
	if err != nil {
		err = db.explain(err)
		if errors.Is(err, ErrNoDatabase) {
			err = db.edition(ctx, err)
		}
		drv.Close(ctx)
		return nil, err
	}
	if info := res.Summary.Database(); info != nil {
		db.database = info.Name()
	}
	agent := res.Summary.Server().Agent()
	if err := tooOld(agent); err != nil {
		drv.Close(ctx)
		return nil, fmt.Errorf("%s: %w", db.uri, err)
	}
	db.dynamic = atLeast(agent, 5, 26)
	return db, nil
}

// auth returns the credentials of the configuration.
func (c Config) auth() driver.AuthToken {
	switch {
	case c.Token != "":
		return driver.BearerAuth(c.Token)
	case c.Ticket != "":
		return driver.KerberosAuth(c.Ticket)
	case c.User != "":
		return driver.BasicAuth(c.User, c.Password, "")
	}
	return driver.NoAuth()
}

// tls returns the trusted certificates and the client's certificate; nil if the configuration has none.
func (c Config) tls() (*tls.Config, error) {
	if c.CA == "" && c.Cert == "" && c.Key == "" {
		return nil, nil
	}
	out := &tls.Config{MinVersion: tls.VersionTLS12}
	if c.CA != "" {
		pem, err := os.ReadFile(c.CA)
		if err != nil {
			return nil, fmt.Errorf("certificates to trust: %w", err)
		}
		out.RootCAs = x509.NewCertPool()
		if !out.RootCAs.AppendCertsFromPEM(pem) {
			return nil, fmt.Errorf("certificates to trust: %s contains no certificate in PEM form", c.CA)
		}
	}
	if (c.Cert == "") != (c.Key == "") {
		return nil, errors.New("a client certificate needs its key: only one of the two files was given")
	}
	if c.Cert != "" {
		pair, err := tls.LoadX509KeyPair(c.Cert, c.Key)
		if err != nil {
			return nil, fmt.Errorf("client certificate %s: %w", c.Cert, err)
		}
		out.Certificates = []tls.Certificate{pair}
	}
	return out, nil
}

// notify passes on the server's warnings.
func (db *DB) notify(sum driver.ResultSummary) {
	if db.conf.Warn == nil {
		return
	}
	for _, n := range sum.Notifications() {
		text := n.Title() + " " + n.Description() + " (" + n.Code() + ")"
		if _, again := db.said.LoadOrStore(text, true); !again {
			db.conf.Warn(oneLine(text))
		}
	}
}
