package datasets

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"membench/internal/atomicfile"
	"membench/schema"
)

// ErrNoSum is a file without a known checksum.
var ErrNoSum = errors.New("no checksum is known: give it with --sha256 (the publisher's page, or the LFS pointer, has it)")

// tries is how often a file is asked for while its connection breaks.
const tries = 4

// A Fetcher brings files of data sets onto this machine.
type Fetcher struct {
	Client *http.Client
	// Wait is the pause before the second try, doubled for each further one.
	Wait time.Duration
	// Progress, if set, receives the number of bytes fetched so far, of total (-1: unknown).
	Progress func(done, total int64)
}

// Choose selects the files to fetch: those with the given names; without names, all with a known checksum. For one file, url and sum replace the catalogue's;
// such a file need not be in it.
func (i Info) Choose(names []string, url, sum string) ([]File, error) {
	if (sum != "" || url != "") && len(names) != 1 {
		return nil, schema.Usagef("--sha256 and --url apply to one file: name it with --file")
	}
	if len(names) == 0 {
		known := slices.DeleteFunc(slices.Clone(i.Files), func(f File) bool { return f.SHA256 == "" })
		if len(known) == 0 {
			return nil, schema.Usagef("no file of %s has a known checksum: give --file and --sha256", i.Name)
		}
		return known, nil
	}
	var out []File
	for _, name := range names {
		at := slices.IndexFunc(i.Files, func(f File) bool { return f.Name == name })
		var f File
		switch {
		case at >= 0:
			f = i.Files[at]
		case url != "":
			f = File{Name: name}
		default:
			var have []string
			for _, f := range i.Files {
				have = append(have, f.Name)
			}
			return nil, schema.Usagef("%s has no file %q: have %s", i.Name, name, strings.Join(have, ", "))
		}
		if url != "" {
			f.URL = url
		}
		if sum != "" && !strings.EqualFold(sum, f.SHA256) {
			f.SHA256, f.Bytes = strings.ToLower(sum), 0
		}
		out = append(out, f)
	}
	return out, nil
}

// Fetch downloads f into dir and returns its path, and whether it already existed with the right checksum. A partial download (<name>.part) is resumed. The
// file appears only if its SHA-256 is right; a part with a wrong one is removed.
func (t Fetcher) Fetch(ctx context.Context, f File, dir string) (path string, had bool, err error) {
	if f.SHA256 == "" {
		return "", false, fmt.Errorf("%s: %w", f.Name, ErrNoSum)
	}
	path = filepath.Join(dir, filepath.Base(f.Name))
	if sum, err := sumOf(path); err == nil {
		if sum == f.SHA256 {
			return path, true, nil
		}
		return path, false, fmt.Errorf("%s exists with a different checksum (have %s, want %s): remove it, or fetch into another folder", path, sum, f.SHA256)
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return path, false, err
	}
	part := path + ".part"
	wait := t.Wait
	for n := 1; ; n++ {
		err = t.part(ctx, f, part)
		var final finalError
		if err == nil || errors.As(err, &final) || ctx.Err() != nil || n == tries {
			break
		}
		select {
		case <-ctx.Done():
		case <-time.After(wait):
		}
		wait *= 2
	}
	if ctx.Err() != nil {
		return path, false, fmt.Errorf("fetching %s: %w; run the command again to continue", f.Name, context.Cause(ctx))
	}
	if err != nil {
		return path, false, fmt.Errorf("fetching %s: %w", f.URL, err)
	}
	sum, err := sumOf(part)
	if err != nil {
		return path, false, err
	}
	if sum != f.SHA256 {
		return path, false, errors.Join(fmt.Errorf("%s: the checksum is wrong (have %s, want %s); the file was not kept", f.URL, sum, f.SHA256), os.Remove(part))
	}
	if err := os.Rename(part, path); err != nil {
		return path, false, err
	}
	return path, false, atomicfile.SyncDir(dir)
}

// finalError is one that trying again does not repair.
type finalError struct{ error }

func (t Fetcher) part(ctx context.Context, f File, part string) error {
	w, err := os.OpenFile(part, os.O_CREATE|os.O_WRONLY, 0o666)
	if err != nil {
		return finalError{err}
	}
	defer w.Close()
	have, err := w.Seek(0, io.SeekEnd)
	if err != nil {
		return finalError{err}
	}
	if f.Bytes > 0 && have == f.Bytes {
		return nil
	}
	if f.Bytes > 0 && have > f.Bytes {
		have = 0
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, f.URL, nil)
	if err != nil {
		return finalError{err}
	}
	req.Header.Set("Accept-Encoding", "identity") // ranges count the bytes of the file
	if have > 0 {
		req.Header.Set("Range", fmt.Sprintf("bytes=%d-", have))
	}
	client := cmp.Or(t.Client, http.DefaultClient)
	resp, err := client.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	switch {
	case resp.StatusCode == http.StatusPartialContent && strings.HasPrefix(resp.Header.Get("Content-Range"), fmt.Sprintf("bytes %d-", have)):
	case resp.StatusCode == http.StatusOK:
		have = 0 // the server begins again
	case resp.StatusCode == http.StatusRequestedRangeNotSatisfiable:
		return nil // all of it is there, or the sum will say
	case resp.StatusCode >= 500 || resp.StatusCode == http.StatusTooManyRequests:
		return errors.New(resp.Status)
	default:
		return finalError{errors.New(resp.Status)}
	}
	if err := w.Truncate(have); err != nil {
		return finalError{err}
	}
	if _, err := w.Seek(have, io.SeekStart); err != nil {
		return finalError{err}
	}
	total := int64(-1)
	if resp.ContentLength >= 0 {
		total = have + resp.ContentLength
	}
	if f.Bytes > 0 && total > f.Bytes {
		return finalError{fmt.Errorf("the file is longer than it should be (have %d bytes, want %d)", total, f.Bytes)}
	}
	body := io.Reader(resp.Body)
	if t.Progress != nil {
		body = io.TeeReader(body, &counter{have, total, t.Progress})
	}
	if _, err := io.Copy(w, body); err != nil {
		return err
	}
	return w.Sync()
}

type counter struct {
	done, total int64
	tell        func(done, total int64)
}

func (c *counter) Write(p []byte) (int, error) {
	c.done += int64(len(p))
	c.tell(c.done, c.total)
	return len(p), nil
}

func sumOf(path string) (string, error) {
	r, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer r.Close()
	h := sha256.New()
	if _, err := io.Copy(h, r); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}
