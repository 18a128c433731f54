package loopback

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"
)

func serve(t *testing.T, h http.Handler) (url string, stop func() error) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	at, ended := make(chan string, 1), make(chan error, 1)
	go func() { ended <- Serve(ctx, "127.0.0.1:0", h, func(url string) { at <- url }) }()
	select {
	case err := <-ended:
		t.Fatal(err)
	case url = <-at:
	}
	stop = func() error { cancel(); return <-ended }
	t.Cleanup(cancel)
	return url, stop
}

func TestGuard(t *testing.T) {
	mux := http.NewServeMux()
	mux.Handle("GET /{$}", Page{HTML: "<style>{{style}}</style><script>{{script}}</script>", JS: "let x = 1"})
	mux.HandleFunc("POST /say", func(w http.ResponseWriter, r *http.Request) { io.Copy(w, r.Body) })
	url, stop := serve(t, mux)
	base := url[:strings.Index(url[len("http://"):], "/")+len("http://")]
	for _, x := range []struct {
		name, method, url, host string
		header                  map[string]string
		want                    int
	}{
		{"the page", "GET", url, "", nil, 200},
		{"by another name of the machine", "GET", strings.Replace(url, "127.0.0.1", "localhost", 1), "", nil, 200},
		{"without the key", "GET", base + "/", "", nil, 404},
		{"a name that was bound to the address", "GET", url, "evil.example", nil, 421},
		{"another port", "GET", url, "127.0.0.1:1", nil, 421},
		{"from another site", "POST", url + "say", "", map[string]string{"Origin": "https://evil.example", "Content-Type": "application/json"}, 403},
		{"from a sandboxed page", "POST", url + "say", "", map[string]string{"Origin": "null", "Content-Type": "application/json"}, 403},
		{"another site's page loads it", "GET", url, "", map[string]string{"Sec-Fetch-Site": "cross-site"}, 403},
		{"a form of another site", "POST", url + "say", "", map[string]string{"Content-Type": "text/plain"}, 415},
		{"our own page", "POST", url + "say", "", map[string]string{"Origin": base, "Content-Type": "application/json"}, 200},
	} {
		r, err := http.NewRequest(x.method, x.url, strings.NewReader("{}"))
		if err != nil {
			t.Fatal(err)
		}
		if x.host != "" {
			r.Host = x.host
		}
		for k, v := range x.header {
			r.Header.Set(k, v)
		}
		res, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		res.Body.Close()
		if res.StatusCode != x.want {
			t.Errorf("%s: have %d, want %d", x.name, res.StatusCode, x.want)
		}
		if p := res.Header.Get("Content-Security-Policy"); x.name == "the page" && !strings.Contains(p, "default-src 'none'") {
			t.Errorf("policy %q", p)
		}
	}
	if err := stop(); err != nil {
		t.Error(err)
	}
}

// A stream that never ends does not keep the server from ending.
func TestEnds(t *testing.T) {
	begun := make(chan bool)
	url, stop := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.(http.Flusher).Flush()
		close(begun)
		<-r.Context().Done()
	}))
	res, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	<-begun
	if err := stop(); err != nil {
		t.Error(err)
	}
}

func TestOnlyLoopback(t *testing.T) {
	for _, addr := range []string{"0.0.0.0:0", ":0", "192.168.1.1:80", "example.com:80", "127.0.0.1", "[::]:0"} {
		if err := Serve(t.Context(), addr, http.NotFoundHandler(), func(string) { t.Errorf("%s is served", addr) }); err == nil {
			t.Errorf("%s is taken", addr)
		}
	}
}
