package main

import (
	"context"
	"errors"
	"os"
	"strings"
	"time"

	"membench/memory/service"
	"membench/schema"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/spf13/cobra"
)

func newSystemsCmd(e *env) *cobra.Command {
	c := &cobra.Command{
		Use:   "systems",
		Short: "List memory services and try one before money is spent",
		Long: `List the memory services that a spec is shipped for, show a spec, and try a live service
with a round trip. A service without one is described in a YAML file of your own:
docs/adding-a-service.md.`,
		Example: `  membench systems list
  membench systems show mem0-2 > mine.yaml
  membench systems check mine.yaml`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(newSystemsListCmd(e), newSystemsShowCmd(e), newSystemsCheckCmd(e))
	return c
}

// systemRow is one shipped spec.
type systemRow struct {
	Name     string `json:"name"`
	Version  string `json:"version"`
	Doc      string `json:"doc"`
	Dates    string `json:"dates"`
	Speakers bool   `json:"speakers"`
	Verbatim bool   `json:"verbatim"`
	Waits    bool   `json:"waits"`
	Lists    bool   `json:"lists"`
	Drops    bool   `json:"drops"`
	Verified string `json:"verified"`
}

func newSystemsListCmd(e *env) *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "list",
		Short: "List the services that a spec is shipped for",
		Long: `List the services that a spec is shipped for, and what each keeps: where the time of a
turn can be found again (turn, session, in the text, none), whether speakers are named,
whether it works in the background, can be listed (snapshots, export) and drops a
namespace. --json says besides what the spec was held against.`,
		Example: "  membench systems list\n  membench systems list --json | jq -r '.[] | select(.lists) | .name'",
		Args:    cobra.NoArgs,
		RunE:    func(*cobra.Command, []string) error { return runSystemsList(e, asJSON) },
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print one JSON array")
	return c
}

func runSystemsList(e *env, asJSON bool) error {
	var rows []systemRow
	for _, name := range service.Names() {
		s, err := service.Load(name)
		if err != nil {
			return err
		}
		rows = append(rows, systemRow{s.System, s.Version, s.Doc, s.Keeps.Dates, s.Keeps.Speakers, s.Keeps.Verbatim, len(s.Settle) > 0, s.List != nil, len(s.Drop) > 0, s.Verified})
	}
	if asJSON {
		return writeJSON(e.out, rows)
	}
	w := table.NewWriter()
	w.SetOutputMirror(e.out)
	w.SetStyle(table.StyleLight)
	w.Style().Format.Header = 0
	w.Style().Options = table.OptionsNoBordersAndSeparators
	w.AppendHeader(table.Row{"name", "version", "dates", "speakers", "waits", "lists", "drops", "what it is"})
	yes := map[bool]string{true: "yes", false: "no"}
	for _, r := range rows {
		w.AppendRow(table.Row{r.Name, r.Version, r.Dates, yes[r.Speakers], yes[r.Waits], yes[r.Lists], yes[r.Drops], r.Doc})
	}
	w.Render()
	return nil
}

func newSystemsShowCmd(e *env) *cobra.Command {
	var asSchema bool
	c := &cobra.Command{
		Use:   "show NAME",
		Short: "Print a shipped spec, to start one's own from",
		Long: `Print the YAML of a shipped spec, with its comments: the best start for a service that
is like it. --schema prints the JSON Schema of specs, for editors and CI.`,
		Example: `  membench systems show supermemory > mine.yaml
  membench systems show --schema > service-spec.schema.json`,
		Args: func(c *cobra.Command, args []string) error {
			if asSchema {
				return cobra.NoArgs(c, args)
			}
			return cobra.ExactArgs(1)(c, args)
		},
		RunE: func(_ *cobra.Command, args []string) error {
			text := service.SchemaJSON()
			if !asSchema {
				var err error
				if text, err = service.Source(args[0]); err != nil {
					return usageError{err}
				}
			}
			_, err := e.out.Write(text)
			return err
		},
	}
	c.Flags().BoolVar(&asSchema, "schema", false, "print the JSON Schema of specs instead")
	return c
}

type systemsCheckOptions struct {
	spec    string
	baseURL string
	run     string
	vars    map[string]string
	offline bool
	asJSON  bool
}

func newSystemsCheckCmd(e *env) *cobra.Command {
	var o systemsCheckOptions
	c := &cobra.Command{
		Use:   "check SPEC",
		Short: "Try a live service with a round trip",
		Long: `Check a spec (the name of a shipped one, or a file), then try the live service: five
turns of two speakers, in two languages and two sessions of 2023, go into a namespace of
their own, are waited for, asked after, listed and dropped. It says whether counts, words,
dates and speakers survive, whether a hit names the turns it stands on, and whether
another namespace sees any of it: before a benchmark is paid for.

It costs what storing five turns and asking four questions costs. --offline checks the
spec alone. Keys come from the environment or .env, by the names in the spec.

Exit status 1 when a check fails, 3 when the spec has faults.`,
		Example: `  membench systems check mem0-2 --base-url http://127.0.0.1:8888
  membench systems check mine.yaml --offline`,
		Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			o.spec = args[0]
			return runSystemsCheck(c.Context(), e, o)
		},
	}
	c.Flags().StringVar(&o.baseURL, "base-url", "", "`address` of the service instead of the spec's")
	c.Flags().StringVar(&o.run, "run", "", "`name` of this try, a part of the namespace's; default the time")
	c.Flags().StringToStringVar(&o.vars, "set", nil, "values of the spec's variables, `name=value`")
	c.Flags().BoolVar(&o.offline, "offline", false, "check the spec only")
	c.Flags().BoolVar(&o.asJSON, "json", false, "print one JSON object")
	return c
}

func runSystemsCheck(ctx context.Context, e *env, o systemsCheckOptions) error {
	spec, err := service.Load(o.spec)
	if err != nil {
		return specFaults(e, err)
	}
	checks := []check{ok("spec", "%s %s: %s", spec.System, spec.Version, spec.Doc)}
	if o.offline {
		return tellSystem(e, checks, o.asJSON)
	}
	sys, err := service.New(spec, service.Options{
		Env:     func(name string) (string, bool) { v := e.getenv(name); return v, v != "" },
		BaseURL: o.baseURL, Variables: o.vars, Transport: e.transport,
	})
	if err != nil {
		return usageError{err}
	}
	if o.run == "" {
		o.run = "check" + e.now().UTC().Format("20060102150405")
	}
	ctx, cancel := context.WithTimeout(ctx, spec.TripTime())
	defer cancel()
	start := e.now()
	err = service.RoundTrip(ctx, sys, o.run, func(c service.Check) {
		checks = append(checks, check(c))
		if !o.asJSON {
			e.warnf("%s: %s", c.Name, c.State) // slow services: words as they come
		}
	})
	if err != nil {
		return err
	}
	e.warnf("round trip of %s in %v", spec.System, e.now().Sub(start).Round(time.Millisecond))
	return tellSystem(e, checks, o.asJSON)
}

var errBadService = errors.New("the service or its spec does not do what the spec says: each line above says how to mend it")

func tellSystem(e *env, checks []check, asJSON bool) error {
	if err := tellChecks(e, checks, asJSON); errors.Is(err, errUnwell) {
		return errBadService
	} else if err != nil {
		return err
	}
	return nil
}

// specFaults prints the findings of a spec; any other error is handed on.
func specFaults(e *env, err error) error {
	joined, many := err.(interface{ Unwrap() []error })
	list := []error{err}
	if many {
		list = joined.Unwrap()
	}
	for _, err := range list {
		var f *schema.Finding
		if !errors.As(err, &f) {
			if errors.Is(err, os.ErrNotExist) || strings.HasPrefix(err.Error(), "no spec") {
				return usageError{err}
			}
			return err
		}
	}
	for _, err := range list {
		e.warnf("%v", err)
	}
	if len(list) > 1 {
		e.warnf("%d faults; docs/adding-a-service.md lists every member", len(list))
	}
	return errFindings
}
