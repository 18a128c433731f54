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
		Long: `Follow a run on a local page: its progress, each system's results so far, and the last
failures. RUN is the folder of a run in another process, which may not have started yet; a
stopped or finished run is also shown. Nothing is changed.

During the run the figures come from the rule judge and are not final. When the run's files
are complete, they come from its own grades, with the hops of eval explain.

The page is served on this machine's loopback address, under a path that is new each time;
it loads nothing from elsewhere and sends nothing. Ctrl-C ends it.`,
		Example: `  membench eval -c eval.yaml -o runs/mine &
  membench eval watch runs/mine`,
		Args: cobra.ExactArgs(1),
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
