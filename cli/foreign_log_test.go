package cli

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// An answer 204 with a body is the service's fault and nothing that the library's own log says past the printer.
func TestForeignLog(t *testing.T) {
	t.Parallel()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet {
			w.Header().Set("Content-Type", "application/json")
			w.Write([]byte(`{"results": []}`))
			return
		}
		c, buf, err := w.(http.Hijacker).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		defer c.Close()
		for range 3 {
			buf.WriteString("HTTP/1.1 204 No Content\r\nConnection: keep-alive\r\n\r\n{\"stored\": true}")
			buf.Flush()
			if _, err := buf.ReadByte(); err != nil {
				return
			}
		}
	}))
	t.Cleanup(srv.Close)
	dir := t.TempDir()
	spec := strings.ReplaceAll(`system: odd
doc: A service that answers 204 with a body.
version: "1"
base_url: "URL"
namespace: {id: "${run}-${scope}-${attempt}"}
ingest: {unit: session, method: POST, path: /add, body: {user: "${ns}"}, ok: [204]}
search: {method: GET, path: /search, query: {q: "${q}"}, items: results, fields: {id: id, text: text}}
drop: [{method: DELETE, path: "/users/${ns|path}"}]
keeps: {dates: turn, speakers: true, verbatim: true}
`, "URL", srv.URL)
	if err := os.WriteFile(filepath.Join(dir, "odd.yaml"), []byte(spec), 0o644); err != nil {
		t.Fatal(err)
	}
	r := membench(t, dir, "systems", "check", "odd.yaml")
	if all := r.stdout + r.stderr; strings.Contains(all, "Unsolicited") || !strings.Contains(all, "Biscuit") {
		t.Errorf("have %s", all)
	}
}
