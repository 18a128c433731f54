package neo4j

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"membench/schema"
)

func none(string, int) string { return "" }

// certificates writes a CA and a certificate of it for 127.0.0.1, for servers and
// clients, into dir: ca.pem, cert.pem and key.pem.
func certificates(t *testing.T, dir string) {
	t.Helper()
	check := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	write := func(name, kind string, der []byte) {
		check(os.WriteFile(filepath.Join(dir, name), pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), 0o600))
	}
	caKey, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	check(err)
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	check(err)
	ca := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "test CA"}, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign}
	der, err := x509.CreateCertificate(rand.Reader, ca, ca, &caKey.PublicKey, caKey)
	check(err)
	write("ca.pem", "CERTIFICATE", der)
	leaf := &x509.Certificate{SerialNumber: big.NewInt(2), Subject: pkix.Name{CommonName: "127.0.0.1"}, NotBefore: ca.NotBefore, NotAfter: ca.NotAfter,
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth}}
	if der, err = x509.CreateCertificate(rand.Reader, leaf, ca, &key.PublicKey, caKey); err != nil {
		t.Fatal(err)
	}
	write("cert.pem", "CERTIFICATE", der)
	der, err = x509.MarshalECPrivateKey(key)
	check(err)
	write("key.pem", "EC PRIVATE KEY", der)
}

// TLS with a CA and a client certificate of one's own; without either the server, or the
// client, refuses.
func TestTLS(t *testing.T) {
	ctx := context.Background()
	dir := t.TempDir()
	certificates(t, dir)
	ca, cert, key := filepath.Join(dir, "ca.pem"), filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	pair, err := tls.LoadX509KeyPair(cert, key)
	if err != nil {
		t.Fatal(err)
	}
	trust, err := Config{CA: ca}.tls()
	if err != nil {
		t.Fatal(err)
	}
	l, err := tls.Listen("tcp", "127.0.0.1:0", &tls.Config{Certificates: []tls.Certificate{pair}, ClientAuth: tls.RequireAndVerifyClientCert, ClientCAs: trust.RootCAs})
	if err != nil {
		t.Fatal(err)
	}
	s := sinkOn(t, l, none)
	for _, scheme := range []string{"bolt+s", "neo4j+s"} {
		at := scheme + "://" + l.Addr().String()
		s.roles = map[string][]any{"ROUTE": {l.Addr().String()}, "READ": {l.Addr().String()}, "WRITE": {l.Addr().String()}}
		db, err := Open(ctx, Config{URI: at, CA: ca, Cert: cert, Key: key})
		if err != nil {
			t.Fatalf("%s: %v", scheme, err)
		}
		if _, err := db.Apply(ctx, oneNode); err != nil {
			t.Errorf("%s: %v", scheme, err)
		}
		db.Close(ctx)
		for _, c := range []Config{{URI: at}, {URI: at, CA: ca}} {
			if db, err := Open(ctx, c); err == nil {
				db.Close(ctx)
				t.Errorf("%s: opened with CA %q and certificate %q", scheme, c.CA, c.Cert)
			}
		}
	}
	for _, c := range []Config{{URI: "bolt://127.0.0.1", CA: ca}, {URI: "bolt+s://127.0.0.1", CA: key}, {URI: "bolt+s://127.0.0.1", CA: ca, Cert: cert}, {URI: "bolt+s://127.0.0.1", Cert: key, Key: cert}} {
		if _, err := Open(ctx, c); err == nil || errors.Is(err, ErrUnreachable) {
			t.Errorf("%+v: have %v", c, err)
		}
	}
}

// neo4j:// asks one server where to read and write, and goes there.
func TestRouting(t *testing.T) {
	ctx := context.Background()
	router, reader, writer := newSink(t, none), newSink(t, none), newSink(t, none)
	addr := func(s *sink) []any { return []any{s.l.Addr().String()} }
	for _, s := range []*sink{router, reader, writer} {
		s.roles = map[string][]any{"ROUTE": addr(router), "READ": addr(reader), "WRITE": addr(writer)}
	}
	db, err := Open(ctx, Config{URI: "neo4j://" + router.l.Addr().String(), Database: "neo4j"})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close(ctx)
	if _, err := db.Apply(ctx, oneNode); err != nil {
		t.Fatal(err)
	}
	if _, _, err := db.Node(ctx, "user:a"); err != nil {
		t.Fatal(err)
	}
	if n := len(writer.writes("MERGE (n")); n != 1 {
		t.Errorf("%d writes at the writer, want 1", n)
	}
	if n := len(reader.writes("RETURN n")); n != 1 {
		t.Errorf("%d reads at the reader, want 1", n)
	}
	if len(router.writes("MATCH")) != 0 {
		t.Errorf("the router ran %v", router.log)
	}
	// What was written is seen by who reads elsewhere: its bookmark goes along.
	if marks, _ := reader.last("bookmarks").([]any); !slices.Contains(marks, any("b")) {
		t.Errorf("the reader was given the bookmarks %v", marks)
	}
}

// How to log in, whose rights count, how long a transaction may take, what it is for;
// and what the server warns of, once.
func TestSessionSettings(t *testing.T) {
	ctx := context.Background()
	for _, x := range []struct {
		c           Config
		scheme, key string
		want        string
	}{
		{Config{}, "none", "scheme", "none"},
		{Config{User: "u", Password: "p"}, "basic", "credentials", "p"},
		{Config{Token: "t0ken"}, "bearer", "credentials", "t0ken"},
		{Config{Ticket: "dGlja2V0"}, "kerberos", "credentials", "dGlja2V0"},
	} {
		s := newSink(t, none)
		s.warns = []any{map[string]any{"code": "Neo.ClientNotification.Statement.FeatureDeprecationWarning", "title": "This feature is deprecated.", "description": "Use another one.", "severity": "WARNING", "category": "DEPRECATION"}}
		var said []string
		x.c.URI, x.c.Scope, x.c.Impersonate, x.c.Timeout = "bolt://"+s.l.Addr().String(), "mine", "reader", 90*time.Second
		x.c.Warn = func(text string) { said = append(said, text) }
		db, err := Open(ctx, x.c)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Load(ctx, db, seq(schema.Element{Node: &schema.Node{ID: "user:a"}}), LoadOptions{}); err != nil {
			t.Fatal(err)
		}
		db.Close(ctx)
		if s.last("scheme") != x.scheme || s.last(x.key) != x.want {
			t.Errorf("logged in with %v %v, want %s %s", s.last("scheme"), s.last(x.key), x.scheme, x.want)
		}
		meta, _ := s.last("tx_metadata").(map[string]any)
		if s.last("imp_user") != "reader" || s.last("tx_timeout") != int64(90_000) || meta["app"] != "membench" || meta["scope"] != "mine" || s.last("notifications_minimum_severity") != "WARNING" {
			t.Errorf("have user %v, timeout %v, metadata %v, notifications %v", s.last("imp_user"), s.last("tx_timeout"), meta, s.last("notifications_minimum_severity"))
		}
		if len(said) != 1 || !strings.Contains(said[0], "deprecated. Use another one. (Neo.ClientNotification") {
			t.Errorf("passed on %q", said)
		}
	}
}
