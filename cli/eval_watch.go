package cli

import (
	"context"
	"os"
	"sync"

	"membench/eval/watch"
	"membench/internal/loopback"

	"github.com/spf13/cobra"
)

func newEvalWatchCmd(e *env) *cobra.Command {
	var listen string
	c := verb("watch RUN", "Follow a run on a local page", cobra.ExactArgs(1), func(c *cobra.Command, args []string) error {
		if info, err := os.Stat(args[0]); err == nil && !info.IsDir() {
			return usagef("%s is a file: give the folder of a run", args[0])
		}
		e.meter.stop()
		w := watch.New(watch.Options{Dir: args[0], Now: e.now})
		ctx, stop := context.WithCancel(c.Context())
		var running sync.WaitGroup
		running.Go(func() { w.Run(ctx) })
		defer running.Wait()
		defer stop()
		return loopback.Serve(ctx, listen, w.Handler(), func(url string) { e.warnf("%s at %s; Ctrl-C ends the page", args[0], url) })
	})
	c.Flags().StringVar(&listen, "listen", "127.0.0.1:0", "`address` of the page: a loopback address; port 0 is any free one")
	return c
}
