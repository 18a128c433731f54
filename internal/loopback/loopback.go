// Package loopback serves pages to the person at this machine and to nobody else: it
// listens on a loopback address only, answers only requests that name this address (a
// foreign name that resolves to it is rejected), none that another site's page sends, and
// only below a path that cannot be guessed. Pages load nothing from anywhere else.
package loopback

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"time"
)

// Local reports whether a host is this machine by its name or address, without a look-up.
func Local(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// Serve answers with h until ctx is done. addr is a loopback address with a port, 0 for
// any free one; ready receives the address of the page.
func Serve(ctx context.Context, addr string, h http.Handler, ready func(url string)) error {
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return fmt.Errorf("address %q: want HOST:PORT, such as 127.0.0.1:0", addr)
	}
	if !Local(host) {
		return fmt.Errorf("address %q: want a loopback address (127.0.0.1, [::1] or localhost): the page is for this machine only", addr)
	}
	l, err := net.Listen("tcp", addr)
	if err != nil {
		return err
	}
	at := l.Addr().(*net.TCPAddr)
	if !at.IP.IsLoopback() {
		l.Close()
		return fmt.Errorf("address %q is %s, which other machines may reach", addr, at.IP)
	}
	key := "/" + rand.Text() + "/"
	g := guard{hosts: []string{at.String(), fmt.Sprintf("localhost:%d", at.Port)}, key: key, next: http.StripPrefix(key[:len(key)-1], h)}
	s := &http.Server{Handler: g, ReadHeaderTimeout: 10 * time.Second, MaxHeaderBytes: 1 << 16,
		BaseContext: func(net.Listener) context.Context { return ctx }}
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(l) }()
	ready("http://" + at.String() + key)
	select {
	case err = <-ended:
		return err
	case <-ctx.Done():
	}
	grace, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
	defer cancel()
	if s.Shutdown(grace) != nil {
		s.Close()
	}
	if err := <-ended; !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// guard lets pass what this machine's browser asks from a page of ours.
type guard struct {
	hosts []string
	key   string
	next  http.Handler
}

func (g guard) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	ours := r.Host == g.hosts[0] || r.Host == g.hosts[1]
	from := r.Header.Get("Origin")
	site := r.Header.Get("Sec-Fetch-Site")
	switch {
	case !ours:
		http.Error(w, "this address is not served under that name", http.StatusMisdirectedRequest)
		return
	case from != "" && from != "http://"+r.Host, site != "" && site != "same-origin" && site != "none":
		http.Error(w, "a page of another site asks", http.StatusForbidden)
		return
	case !strings.HasPrefix(r.URL.Path, g.key):
		http.NotFound(w, r)
		return
	case r.Method != http.MethodGet && r.Method != http.MethodHead && r.Header.Get("Content-Type") != "application/json":
		http.Error(w, "want application/json", http.StatusUnsupportedMediaType)
		return
	}
	h := w.Header()
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Cache-Control", "no-store")
	g.next.ServeHTTP(w, r)
}

//go:embed style.css
var style string

// A Page is one document. HTML holds the marks {{style}} and {{script}}; CSS comes after the style that all pages share.
type Page struct{ HTML, CSS, JS string }

// ServeHTTP writes the page. Its policy lets run this script, and lets that talk to where
// it came from.
func (p Page) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	css := style + p.CSS
	hash := func(s string) string {
		sum := sha256.Sum256([]byte(s))
		return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Content-Security-Policy", "default-src 'none'; script-src "+hash(p.JS)+"; style-src "+hash(css)+"; connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
	io.WriteString(w, strings.NewReplacer("{{style}}", css, "{{script}}", p.JS).Replace(p.HTML))
}
