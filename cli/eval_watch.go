package cli

import (
	"context"
	"os"

	"membench/eval/watch"
	"membench/internal/loopback"

	"github.com/spf13/cobra"
)

func newEvalWatchCmd(e *env) *cobra.Command {
	var listen string
	c := &cobra.Command{
		Use:   "watch RUN",
		Short: "Follow a run on a local page",
		Args:  cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			if info, err := os.Stat(args[0]); err == nil && !info.IsDir() {
				return usagef("%s is a file: give the folder of a run", args[0])
			}
			return runEvalWatch(c.Context(), e, args[0], listen)
		},
	}
	c.Flags().StringVar(&listen, "listen", "127.0.0.1:0", "`address` of the page: a loopback address; port 0 is any free one")
	return c
}

func runEvalWatch(ctx context.Context, e *env, dir, listen string) error {
	e.meter.stop()
	w := watch.New(watch.Options{Dir: dir, Now: e.now})
	ctx, stop := context.WithCancel(ctx)
	ended := make(chan struct{})
	go func() { defer close(ended); w.Run(ctx) }()
	err := loopback.Serve(ctx, listen, w.Handler(), func(url string) { e.warnf("%s at %s; Ctrl-C ends the page", dir, url) })
	stop()
	<-ended
	return err
}
