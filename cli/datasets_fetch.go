package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"sync/atomic"
	"time"

	"membench/datasets"

	"github.com/spf13/cobra"
)

type fetchOptions struct {
	name   string
	dir    string
	files  []string
	sum    string
	url    string
	accept bool
}

func newDatasetsFetchCmd(e *env) *cobra.Command {
	var o fetchOptions
	c := verb("fetch NAME", "Fetch files of a data set, with their checksum", cobra.ExactArgs(1), func(c *cobra.Command, args []string) error {
		o.name = args[0]
		if o.sum != "" && !regexp.MustCompile(`^[0-9a-fA-F]{64}$`).MatchString(o.sum) {
			return usagef("--sha256: have %q, want 64 hex digits", o.sum)
		}
		o.dir = cmp.Or(o.dir, o.name)
		return runFetch(c.Context(), e, o)
	})
	f := c.Flags()
	f.StringVarP(&o.dir, "output", "o", "", "`folder` (default the set's name)")
	f.StringArrayVar(&o.files, "file", nil, "only this `file`; may be repeated (default: all whose checksum is known)")
	f.StringVar(&o.sum, "sha256", "", "checksum in `hex` of the one file named with --file")
	f.StringVar(&o.url, "url", "", "take the one file named with --file from this `address`, a mirror")
	f.BoolVar(&o.accept, "accept-terms", false, "confirm that you have read the terms and keep to them")
	return c
}

func runFetch(ctx context.Context, e *env, o fetchOptions) error {
	info, ok := datasets.Lookup(o.name)
	if !ok {
		return usagef("unknown data set %q: membench datasets list", o.name)
	}
	e.warnf("%s: %s\nterms: %s", info.Title, info.Licence, info.Terms)
	if len(info.Files) == 0 && o.url == "" {
		return fmt.Errorf("%s has no file that can be fetched: see %s", o.name, info.Home)
	}
	files, err := info.Choose(o.files, o.url, o.sum)
	if err != nil {
		return err
	}
	if !info.Redistributable && !o.accept {
		return usagef("%s is not freely licensed: read its terms and give --accept-terms", o.name)
	}
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.ResponseHeaderTimeout = time.Minute
	get := datasets.Fetcher{Client: &http.Client{Transport: transport}, Wait: time.Second}
	for _, f := range files {
		get.Progress = fetchProgress(e, f)
		path, had, err := get.Fetch(ctx, f, o.dir)
		switch {
		case errors.Is(err, datasets.ErrNoSum):
			return usagef("%s", err)
		case err != nil:
			return err
		case had:
			e.warnf("%s is there, its checksum is right", path)
		default:
			e.warnf("%s: checksum right", path)
		}
		fmt.Fprintln(e.text(), path)
	}
	return nil
}

// fetchProgress shows how much of a file is there.
func fetchProgress(e *env, f datasets.File) func(done, total int64) {
	var have, of atomic.Int64
	e.following(f.Name, func() state { return state{done: have.Load(), of: of.Load(), bytes: true} })
	return func(done, total int64) { have.Store(done); of.Store(max(0, total)) }
}
