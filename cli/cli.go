// Package cli is the command line of membench. A custom program that adds memory systems is a main function that calls Main with them.
package cli

import (
	"context"
	"io"
	"log"
	"os"
	"os/signal"
	"syscall"
	"time"

	"membench/config"
	"membench/internal/visible"
	"membench/memory"

	"github.com/spf13/cobra"
	"golang.org/x/term"
)

// grace is how long an interrupted command may take to close its files. After that the process ends anyway: outputs are complete at any moment, and the next
// run removes temporary files. A read of standard input cannot be interrupted.
const grace = time.Second

// Main runs the program, with additional systems: `--system NAME` accepts them wherever a system is named. It ends the process.
func Main(systems ...memory.Spec) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	// A process that is notified of SIGPIPE gets an error from the write instead of being killed: temporary files are removed, and the exit status reports it.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	log.SetOutput(io.Discard) // of net/http: what matters of an answer is an error
	// Messages may quote data, which must not control the terminal: see visible.
	e := &env{in: os.Stdin, out: os.Stdout, err: newConsole(visible.NewWriter(os.Stderr), time.Now), getenv: config.Getenv, now: time.Now, systems: systems}
	if term.IsTerminal(int(os.Stdout.Fd())) {
		e.out = visible.NewWriter(os.Stdout)
	}
	if term.IsTerminal(int(os.Stderr.Fd())) {
		e.screen = os.Stderr
	}
	if e.screen != nil { // a line replaces the bar
		e.err = newConsole(clearing{visible.NewWriter(os.Stderr), e}, time.Now)
		e.out = clearing{e.out, e}
	}
	context.AfterFunc(ctx, func() {
		stop() // a second signal ends the process at once
		time.AfterFunc(grace, func() {
			e.warnf(interrupted)
			os.Exit(exitFailed)
		})
	})
	os.Exit(run(ctx, e, os.Args[1:]))
}

// Command returns the program's command with its subcommands, for documentation. Use Main to run it.
func Command() *cobra.Command {
	e := &env{in: os.Stdin, out: os.Stdout, err: os.Stderr, getenv: config.Getenv, now: time.Now}
	return completing(newRoot(e), e)
}
