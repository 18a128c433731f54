package cli

import (
	"cmp"
	"context"
	"embed"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/http"
	"os"
	"slices"
	"strings"
	"syscall"
	"time"

	"membench/config"
	"membench/internal/visible"
	"membench/llm"
	"membench/memory"
	"membench/memory/open"
	"membench/schema"
	"membench/schema/jsonl"

	"github.com/joho/godotenv"
	"github.com/spf13/cobra"
)

// Exit codes.
const (
	exitFine     = 0
	exitFailed   = 1 // the program or a service failed
	exitUsage    = 2 // the command line is wrong
	exitFindings = 3 // the data has errors
	// exitInconclusive: a gate shows neither a loss nor its absence.
	exitInconclusive = 4
	// exitPipe is a shell's status for a program that SIGPIPE ended: the reader of standard output closed it. Nothing is printed.
	exitPipe = 141
)

// ExitCodes ends the help of every command.
const ExitCodes = `
Exit status: 0 fine, 1 the program or a service failed, 2 wrong usage, 3 the data has errors,
4 eval compare --gate is inconclusive: neither a loss nor its absence is shown,
141 the reader of standard output closed it. An interrupted command exits 1; the next run continues.`

const interrupted = "membench: interrupted; the next run continues where this one stopped"

// env is everything a command takes from outside: streams, environment, clock.
type env struct {
	in        io.Reader
	out, err  io.Writer
	screen    *os.File // standard error where it is a terminal, for progress; no data goes there
	getenv    func(string) string
	dotenv    map[string]bool // variables that come from .env
	now       func() time.Time
	quiet     bool              // only errors are said
	json      bool              // --json of a command that has it
	accept    limitFlag         // --max-rejected of a command that reads an evaluation
	texts     *texts            // of the language; nil: English
	meter     *meter            // shows progress; nil before a command runs
	systems   []memory.Spec     // additional systems
	transport http.RoundTripper // to services; nil: the usual one
	waits     *llm.Clock        // of models' calls; nil: the real one
}

// place returns the place where systems are opened; their local data go below dir.
func (e *env) place(dir string) open.Place {
	return open.Place{Dir: dir, Getenv: e.getenv, Transport: e.transport, More: e.systems}
}

// text returns standard output for readable text, which may quote data.
func (e *env) text() io.Writer { return visible.NewWriter(e.out) }

// findings is standard output for findings in a form.
func (e *env) findings(form string) io.Writer {
	if form == "text" {
		return e.text()
	}
	return e.out
}

// warnf writes information to standard error.
func (e *env) warnf(format string, args ...any) { e.say(levelInfo, format, args...) }

// say writes a line of a level to standard error.
func (e *env) say(l level, format string, args ...any) {
	if w, ok := e.err.(*console); ok {
		w.say(l, e.texts.format(format, args...))
		return
	}
	fmt.Fprintln(e.err, e.texts.format(format, args...))
}

// printf writes words for people, which may quote data.
func (e *env) printf(format string, args ...any) {
	fmt.Fprint(e.text(), e.texts.format(format, args...))
}

// following shows the progress of a part of a command until stop is called.
func (e *env) following(name string, source func() state) (stop func()) {
	before := e.meter.begin(name, source)
	return func() { e.meter.begin(before, nil) }
}

// usagef makes a fault of the command line: exit 2.
func usagef(format string, args ...any) error { return schema.Usagef(format, args...) }

// errFindings ends a command with exit 3; the findings are already printed.
var errFindings = schema.ErrFindings

// errInconclusive ends a gate that shows neither a loss nor its absence: exit 4.
var errInconclusive = errors.New("inconclusive")

// run is the program: it parses args, runs one command and returns the exit code.
func run(ctx context.Context, e *env, args []string) int {
	lang, err := language(args, e.getenv)
	if err == nil {
		e.texts, err = loadTexts(lang)
	}
	if err != nil {
		e.say(levelError, "membench: %v", err)
		return exitUsage
	}
	root := newRoot(e)
	if len(args) > 0 && strings.HasPrefix(args[0], cobra.ShellCompRequestCmd) { // only then: they take time, and Cobra keeps them for as long as the process lives
		completing(root, e)
	}
	e.texts.translate(root)
	root.SetArgs(args)
	root.SetIn(e.in)
	root.SetOut(e.out)
	root.SetErr(e.err)
	cmd, err := root.ExecuteContextC(ctx)
	e.meter.stop()
	var asked *schema.UsageError
	var lost *schema.RejectedError
	var broken *schema.BrokenError
	var failed *schema.FailedError
	var found *schema.Finding
	switch {
	case err == nil:
		return exitFine
	case errors.As(err, &failed):
		e.warnf("membench: %v", err)
		return exitFailed
	case errors.Is(err, errInconclusive):
		return exitInconclusive
	case errors.Is(err, errFindings), errors.As(err, &found):
		if found != nil || errors.As(err, &lost) || errors.As(err, &broken) {
			e.say(levelError, "membench: %v", err)
		}
		return exitFindings
	case errors.As(err, &asked):
		e.say(levelError, "membench: %v\nrun '%s --help' for usage", didYouMean(cmd, err), cmd.CommandPath())
		return exitUsage
	case brokenPipe(err):
		return exitPipe
	case ctx.Err() != nil:
		e.say(levelError, interrupted)
		return exitFailed
	}
	e.say(levelError, "membench: %v", err)
	return exitFailed
}

// brokenPipe reports whether the reader of standard output went away; a connection
// that broke has no path.
func brokenPipe(err error) bool {
	var pe *os.PathError
	return errors.As(err, &pe) && pe.Path == os.Stdout.Name() && errors.Is(pe.Err, syscall.EPIPE)
}

func newRoot(e *env) *cobra.Command {
	var logFormat, logLevel string
	var maxRatio int64
	root := &cobra.Command{
		Use:           "membench",
		Short:         "Make memory data and measure memory systems, joined by a graph",
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          cobra.NoArgs,
		RunE:          func(c *cobra.Command, _ []string) error { return c.Help() },
		Version:       release,
		PersistentPreRunE: func(c *cobra.Command, _ []string) error {
			if err := checkChoices(c); err != nil {
				return err
			}
			if w, ok := e.err.(*console); ok {
				w.set(logFormat, logLevel, e.quiet)
				if e.quiet || w.json || w.max < levelInfo {
					e.screen = nil
				}
			}
			if c.Flags().Changed("max-ratio") {
				jsonl.SetMaxRatio(maxRatio)
			}
			if e.meter == nil { // a test brings its own
				e.meter = newMeter(e)
			}
			e.meter.begin(c.CommandPath(), nil)
			e.meter.run()
			// Secrets come from the environment or a .env file; set variables win.
			return e.loadDotenv(".env")
		},
	}
	root.PersistentFlags().Int64Var(&maxRatio, "max-ratio", jsonl.DefaultMaxRatio, "refuse a compressed input that unpacks to more than `n` times its size, 0 = no limit")
	root.PersistentFlags().StringVar(&logFormat, "log-format", "text", "`format` of the messages on standard error: text or json")
	root.PersistentFlags().StringVar(&logLevel, "log-level", "info", "print only messages of at least this `level`: error, warning or info")
	root.PersistentFlags().String("lang", "", "`language` of help and messages: en or zh (default: LANG)") // read by language
	root.PersistentFlags().BoolVarP(&e.quiet, "quiet", "q", false, "print only errors, and no progress")
	root.SetVersionTemplate("membench {{.Version}}\n")
	root.SetUsageFunc(func(c *cobra.Command) error { return usage(c, e.texts) })
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return &schema.UsageError{Err: err} })
	root.AddGroup(&cobra.Group{ID: "make", Title: "Make data:"}, &cobra.Group{ID: "look", Title: "Check and look:"},
		&cobra.Group{ID: "measure", Title: "Measure memory systems:"})
	add := func(group string, cmds ...*cobra.Command) {
		for _, c := range cmds {
			c.GroupID = group
			root.AddCommand(c)
		}
	}
	add("make", newDemoCmd(e), newInitCmd(e), newChainCmd(e), newIndexCmd(e), newAnnotateCmd(e), newCompileCmd(e), newReplayCmd(e),
		newClaimifyCmd(e), newCompileClaimsCmd(e), newToGraphCmd(e), newCypherCmd(e), newExportCmd(e), newLoadNeo4jCmd(e), newShardCmd(e))
	add("look", newAskCmd(e), newValidateCmd(e), newTraceCmd(e), newDiffCmd(e), newViewCmd(e), newMigrateCmd(e), newSchemaCmd(e), newNeo4jCmd(e),
		newDoctorCmd(e), newConfigCmd(e), newCassetteCmd(e), newModelCmd(e))
	add("measure", newDatasetsCmd(e), newEvalCmd(e), newExperimentCmd(e), newPCMCmd(e), newSystemsCmd(e))
	root.AddCommand(newVersionCmd(e))
	finish(root)
	return root
}

// verb makes a command of what each has: its usage line, its short description, the arguments that it takes, and what it does.
func verb(use, short string, args cobra.PositionalArgs, run func(*cobra.Command, []string) error) *cobra.Command {
	return &cobra.Command{Use: use, Short: short, Args: args, RunE: run}
}

// parent makes a command that only has commands below it: alone it prints its help.
func parent(use, short string, subs ...*cobra.Command) *cobra.Command {
	c := verb(use, short, cobra.NoArgs, func(c *cobra.Command, _ []string) error { return c.Help() })
	c.AddCommand(subs...)
	return c
}

// loadDotenv puts the variables of a .env file into the environment where they are not
// set, and remembers which.
func (e *env) loadDotenv(path string) error {
	vars, err := godotenv.Read(path)
	if os.IsNotExist(err) {
		return nil
	}
	if err != nil {
		return usagef("reading %s: want lines NAME=value: %w", path, dotenvFault(err))
	}
	e.dotenv = map[string]bool{}
	for name, value := range vars {
		if _, from := config.Environ(name); from != "" {
			continue
		}
		if err := os.Setenv(name, value); err != nil {
			return fmt.Errorf("reading %s: %w", path, err)
		}
		e.dotenv[name] = true
	}
	return nil
}

// dotenvFault keeps the words of a parser's error that cannot be a part of a secret:
// it quotes the line at fault.
func dotenvFault(err error) error {
	s, _, _ := strings.Cut(err.Error(), "\"")
	return errors.New(strings.TrimSpace(s))
}

// commands yields a command and those below it.
func commands(c *cobra.Command) iter.Seq[*cobra.Command] {
	return func(yield func(*cobra.Command) bool) { walkCommands(c, yield) }
}

func walkCommands(c *cobra.Command, yield func(*cobra.Command) bool) bool {
	if !yield(c) {
		return false
	}
	return !slices.ContainsFunc(c.Commands(), func(sub *cobra.Command) bool { return !walkCommands(sub, yield) })
}

// finish makes every command report wrong arguments as usage and print the exit statuses.
func finish(c *cobra.Command) {
	if args := c.Args; args != nil {
		c.Args = func(c *cobra.Command, a []string) error {
			err := args(c, a)
			if err != nil && strings.Contains(err.Error(), " arg(s), ") { // Cobra gives the number but not the names
				return usagef("found %d arguments, expected: %s", len(a), c.UseLine())
			}
			if err != nil {
				return &schema.UsageError{Err: err}
			}
			return nil
		}
	}
	describe(c)
	c.Long = cmp.Or(c.Long, c.Short+".")
	c.Long += "\n" + ExitCodes
	for _, sub := range c.Commands() {
		finish(sub)
	}
}

// texts/en has the long help of commands: eval/run.txt is that of membench eval run.
//
//go:embed texts/en
var enTexts embed.FS

// describe adds the long help of a command and its examples. What the code has already, such as modelHelp, follows it, or takes the place of {} in it.
func describe(c *cobra.Command) {
	_, path, _ := strings.Cut(c.CommandPath(), " ")
	text, err := enTexts.ReadFile("texts/en/" + strings.ReplaceAll(path, " ", "/") + ".txt")
	if err != nil {
		return // the short description says everything
	}
	long, examples, _ := strings.Cut(string(text), "Examples:\n")
	before, after, _ := strings.Cut(strings.TrimSpace(long), "{}")
	c.Long, c.Example = before+c.Long+after, strings.TrimRight(examples, "\n")
}

// versionFlag reads --schema-version style flags.
type versionFlag struct{ v *schema.Version }

func (f versionFlag) String() string {
	if f.v == nil {
		return ""
	}
	return string(*f.v)
}
func (f versionFlag) Set(s string) (err error) { *f.v, err = schema.ParseVersion(s); return err }
func (f versionFlag) Type() string             { return "version" }
