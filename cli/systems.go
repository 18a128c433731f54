package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"membench/memory"
	"membench/memory/open"
	"membench/memory/service"
	"membench/memory/try"
	"membench/schema"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/spf13/cobra"
)

func newSystemsCmd(e *env) *cobra.Command {
	return parent(&cobra.Command{
		Use:   "systems",
		Short: "List the systems that can be tested, and try one before money is spent",
		Long: `List the systems that can be tested: the built-in systems, memory services that
a spec is shipped for, programs; show one with its options, and try one. A service without
a spec is described in a YAML file of your own (docs/adding-a-service.md), any other system
is a program or a Go type (docs/adding-a-system.md).`,
		Example: `  membench systems list
  membench systems show simple-rag
  membench systems show mem0-2 > mine.yaml
  membench systems check mine.yaml
  membench systems check 'process{command: [python3, mine.py]}'`,
	}, newSystemsListCmd(e), newSystemsShowCmd(e), newSystemsCheckCmd(e))
}

// systemRow is one system of the list. What follows Doc is told where it applies.
type systemRow struct {
	Name    string          `json:"name"`
	Kind    string          `json:"kind"`
	Doc     string          `json:"doc"`
	Options json.RawMessage `json:"options,omitempty"` // with their defaults
	Asks    []string        `json:"asks,omitempty"`    // variables of the environment
	Note    string          `json:"note,omitzero"`

	*open.Traits

	Version  string `json:"version,omitzero"`
	Dates    string `json:"dates,omitzero"`
	Speakers bool   `json:"speakers,omitzero"`
	Verbatim bool   `json:"verbatim,omitzero"`
	Waits    bool   `json:"waits,omitzero"`
	Lists    bool   `json:"lists,omitzero"`
	Drops    bool   `json:"drops,omitzero"`
	Verified string `json:"verified,omitzero"`
	Compared string `json:"compared,omitzero"`
}

func newSystemsListCmd(e *env) *cobra.Command {
	var asJSON, services bool
	c := &cobra.Command{
		Use:   "list",
		Short: "List the systems that can be tested",
		Long: `List the systems that can be tested: built-in systems, services by
a client or a shipped spec, and programs. "asks" says what a system cannot do without
(variables of the environment) or asks a model for: operations in brackets are done by
rule where no model is named, and the system's name then ends in -rule.

--services says of the services what each keeps: where the time of a turn can be found
again (turn, session, in the text, none), whether speakers are named, whether it works in
the background, can be listed (snapshots, export) and drops a namespace. --json says all
of it, with every option and its default.`,
		Example: "  membench systems list\n  membench systems list --json | jq -r '.[] | select(.lists) | .name'",
		Args:    cobra.NoArgs,
		RunE:    func(c *cobra.Command, _ []string) error { return runSystemsList(c.Context(), e, asJSON, services) },
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print one JSON array")
	c.Flags().BoolVar(&services, "services", false, "list the services only, with what each keeps")
	return c
}

func rowOf(s open.System) (systemRow, error) {
	options, err := s.Defaults()
	if err != nil {
		return systemRow{}, err
	}
	row := systemRow{Name: s.Name, Kind: string(s.Kind), Doc: s.Doc, Options: options, Asks: s.Asks, Note: s.Note}
	switch s.Kind {
	case open.BuiltIn:
		t := s.Traits()
		row.Traits = &t
	case open.Service:
		x, err := service.Load(s.Name)
		if err != nil {
			return row, err
		}
		row.Version, row.Dates, row.Speakers, row.Verbatim = x.Version, x.Keeps.Dates, x.Keeps.Speakers, x.Keeps.Verbatim
		row.Waits, row.Lists, row.Drops, row.Verified, row.Compared = len(x.Settle) > 0, x.List != nil, len(x.Drop) > 0, x.Verified, x.Compared
	}
	return row, nil
}

// asks says in one line what a system needs.
func (r systemRow) asks() string {
	words := slices.Clone(r.Asks)
	if r.Traits != nil {
		if r.Vectors {
			words = append(words, "vectors")
		}
		if ops := r.ByRule; len(ops) > 0 {
			words = append(words, "model ("+strings.Join(ops, ", ")+")")
		} else if r.Model != "" {
			words = append(words, "model")
		}
	}
	return strings.Join(words, ", ")
}

func runSystemsList(ctx context.Context, e *env, asJSON, services bool) error {
	list, err := e.place("").List(ctx)
	if err != nil {
		return err
	}
	var rows []systemRow
	for _, s := range list {
		if services && s.Kind != open.Service {
			continue
		}
		r, err := rowOf(s)
		if err != nil {
			return err
		}
		rows = append(rows, r)
	}
	if asJSON {
		return writeJSON(e.out, rows)
	}
	w := newTable(e.text())
	if services {
		w.AppendHeader(table.Row{"name", "version", "dates", "speakers", "waits", "lists", "drops", "what it is"})
		yes := map[bool]string{true: "yes", false: "no"}
		for _, r := range rows {
			w.AppendRow(table.Row{r.Name, r.Version, r.Dates, yes[r.Speakers], yes[r.Waits], yes[r.Lists], yes[r.Drops], r.Doc})
		}
	} else {
		w.AppendHeader(table.Row{"name", "kind", "asks", "what it is"})
		for _, r := range rows {
			w.AppendRow(table.Row{r.Name, r.Kind, r.asks(), r.Doc})
		}
	}
	w.Render()
	return nil
}

func newSystemsShowCmd(e *env) *cobra.Command {
	var asSchema bool
	c := &cobra.Command{
		Use:   "show NAME",
		Short: "Print a system with its options, or a built-in spec to start your own from",
		Long: `Print the YAML of a shipped spec, with its comments: the best start for a service that
is like it. Of any other system, what it is, what it asks, and its options with their
defaults as one JSON object. --schema prints the JSON Schema of specs, for editors and CI.`,
		Example: `  membench systems show supermemory > mine.yaml
  membench systems show score-fused | jq .options
  membench systems show --schema > service-spec.schema.json`,
		Args: func(c *cobra.Command, args []string) error {
			if asSchema {
				return cobra.NoArgs(c, args)
			}
			return cobra.ExactArgs(1)(c, args)
		},
		RunE: func(c *cobra.Command, args []string) error {
			text := service.SchemaJSON()
			if !asSchema {
				var err error
				if text, err = service.Source(args[0]); err != nil {
					s, other := e.place("").Find(c.Context(), args[0])
					if other != nil {
						return &schema.UsageError{Err: other}
					}
					if s.Kind == open.Service {
						return &schema.UsageError{Err: err}
					}
					row, err := rowOf(s)
					if err != nil {
						return err
					}
					return writeJSON(e.out, row)
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
		Use:   "check SYSTEM",
		Short: "Try a system with a round trip",
		Long: `Try a system: five turns of two speakers, in two languages and two sessions of 2023, go
into a namespace of their own, are waited for, asked after, listed and dropped. It says
whether what was said is found, whether hits name the turns they come from, whether asking
changes the memory, whether a batch sent twice is stored twice, and whether another
namespace sees any of it: before a benchmark is paid for. It is the short form of the
conformance suite that systems in Go run in their tests (memory/memorytest).

SYSTEM is a name of 'membench systems list', with options where they are wanted
(NAME{option: value}), a service's spec (mine.yaml), or a program
('process{command: [python3, mine.py]}'). Of a service, the spec is checked first, and
it is said whether counts, words, dates and speakers survive.

It costs what storing five turns and asking four questions costs. --offline checks the
spec alone. Keys come from the environment or .env, by the names in the spec.

Exit status 1 when a check fails, 3 when the spec has faults.`,
		Example: `  membench systems check mem0-2 --base-url http://127.0.0.1:8888
  membench systems check mine.yaml --offline
  membench systems check 'simple-rag{mode: fused}'
  membench systems check 'process{command: [python3, mine.py]}'`,
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
	if c, err := open.Parse(o.spec); err == nil {
		if s, err := e.place("").Find(ctx, c.Type); err == nil && (s.Kind != open.Service || c.Options != nil) {
			return tryAny(ctx, e, o, c)
		}
	}
	spec, err := service.Load(o.spec)
	if err != nil {
		return specFaults(e, err)
	}
	checks := []schema.Check{{Name: "spec", State: schema.CheckOK, Detail: fmt.Sprintf("%s %s: %s", spec.System, spec.Version, spec.Doc)}}
	if o.offline {
		return tellSystem(e, checks, o.asJSON)
	}
	sys, err := e.place("").Service(spec, service.Options{BaseURL: o.baseURL, Variables: o.vars})
	if err != nil {
		return &schema.UsageError{Err: err}
	}
	ctx, cancel := context.WithTimeout(ctx, spec.TripTime())
	defer cancel()
	return trySystem(ctx, e, o, sys, spec.System, checks, true)
}

// tryAny tries a system that is no plain spec.
func tryAny(ctx context.Context, e *env, o systemsCheckOptions, c open.Choice) error {
	if o.offline || o.baseURL != "" || len(o.vars) > 0 {
		return usagef("--offline, --base-url and --set are for services; give options as %s{name: value}", c.Type)
	}
	sys, s, err := e.place("").Open(ctx, c, memory.Deps{})
	if err != nil {
		return err
	}
	return trySystem(ctx, e, o, sys, sys.Info().Name, nil, s.Kind != open.BuiltIn)
}

// trySystem tells checks as they come, where slow is set, and all of them at the end.
func trySystem(ctx context.Context, e *env, o systemsCheckOptions, sys memory.System, name string, checks []schema.Check, slow bool) error {
	if o.run == "" {
		o.run = "check" + e.now().UTC().Format("20060102150405")
	}
	start := e.now()
	err := try.System(ctx, sys, o.run, func(c schema.Check) {
		checks = append(checks, c)
		if !o.asJSON && slow {
			e.warnf("%s: %s", c.Name, c.State)
		}
	})
	if err != nil {
		return err
	}
	e.warnf("round trip of %s in %v", name, e.now().Sub(start).Round(time.Millisecond))
	return tellSystem(e, checks, o.asJSON)
}

var errBadService = errors.New("the service or its spec does not do what the spec says: each line above says how to fix it")

func tellSystem(e *env, checks []schema.Check, asJSON bool) error {
	err := tellChecks(e, checks, asJSON)
	if errors.Is(err, errUnwell) {
		return errBadService
	}
	return err
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
			if errors.Is(err, os.ErrNotExist) {
				return &schema.UsageError{Err: err}
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
