package datasets_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"membench/datasets"
)

func TestFetch(t *testing.T) {
	text := bytes.Repeat([]byte("data set "), 20000)
	sum := sha256.Sum256(text)
	var calls atomic.Int32
	var ranges []string
	breakAt := 50000
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ranges = append(ranges, r.Header.Get("Range"))
		switch calls.Add(1) {
		case 1: // the connection breaks in the middle
			w.Header().Set("Content-Length", "180000")
			w.Write(text[:breakAt])
			panic(http.ErrAbortHandler)
		case 2:
			http.Error(w, "busy", http.StatusServiceUnavailable)
		default:
			http.ServeContent(w, r, "f.json", time.Time{}, bytes.NewReader(text))
		}
	}))
	defer srv.Close()
	dir := t.TempDir()
	f := datasets.File{Name: "f.json", URL: srv.URL + "/f.json", SHA256: hex.EncodeToString(sum[:]), Bytes: int64(len(text))}
	var last, total int64
	get := datasets.Fetcher{Client: srv.Client(), Wait: time.Millisecond, Progress: func(d, t int64) { last, total = d, t }}
	path, had, err := get.Fetch(context.Background(), f, dir)
	if err != nil || had {
		t.Fatal(had, err)
	}
	if b, _ := os.ReadFile(path); !bytes.Equal(b, text) {
		t.Error("the file differs")
	}
	if len(ranges) != 3 || ranges[0] != "" || ranges[2] == "" || !strings.HasPrefix(ranges[2], "bytes=") {
		t.Errorf("ranges %q: the third call must go on where the first stopped", ranges)
	}
	if last != int64(len(text)) || total != last {
		t.Errorf("progress %d of %d", last, total)
	}
	if _, had, err = get.Fetch(context.Background(), f, dir); err != nil || !had || calls.Load() != 3 {
		t.Errorf("a second fetch: had %v, %v, %d calls", had, err, calls.Load())
	}

	wrong := f
	wrong.Name, wrong.SHA256 = "g.json", strings.Repeat("0", 64)
	if _, _, err = get.Fetch(context.Background(), wrong, dir); err == nil || !strings.Contains(err.Error(), "have "+f.SHA256) {
		t.Errorf("wrong sum: %v", err)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "g.json*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
	if _, _, err = get.Fetch(context.Background(), datasets.File{Name: "n", URL: srv.URL}, dir); !errors.Is(err, datasets.ErrNoSum) {
		t.Errorf("without a sum: %v", err)
	}
	gone := httptest.NewServer(http.NotFoundHandler())
	defer gone.Close()
	f.URL, f.Name = gone.URL, "h.json"
	if _, _, err = get.Fetch(context.Background(), f, dir); err == nil || !strings.Contains(err.Error(), "404") {
		t.Errorf("not found: %v", err)
	}
}

// TestFetchInterrupted: a cancelled fetch keeps its part.
func TestFetchInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Length", "100")
		w.Write([]byte("0123456789"))
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	}))
	defer srv.Close()
	dir := t.TempDir()
	get := datasets.Fetcher{Client: srv.Client(), Progress: func(int64, int64) { cancel() }}
	_, _, err := get.Fetch(ctx, datasets.File{Name: "f", URL: srv.URL, SHA256: strings.Repeat("0", 64)}, dir)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	if b, _ := os.ReadFile(filepath.Join(dir, "f.part")); string(b) != "0123456789" {
		t.Errorf("part %q", b)
	}
}
