package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
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
	return parent("systems", "List the systems that can be tested, and try one before money is spent", newSystemsListCmd(e), newSystemsShowCmd(e), newSystemsCheckCmd(e))
}

func newSystemsListCmd(e *env) *cobra.Command {
	var services bool
	c := verb("list", "List the systems that can be tested", cobra.NoArgs,
		func(c *cobra.Command, _ []string) error { return runSystemsList(c.Context(), e, services) })
	c.Flags().BoolVar(&e.json, "json", false, "print one JSON array")
	c.Flags().BoolVar(&services, "services", false, "list the services only, with what each keeps")
	return c
}

func runSystemsList(ctx context.Context, e *env, services bool) error {
	list, err := e.place("").List(ctx)
	if err != nil {
		return err
	}
	var rows []open.Description
	for _, s := range list {
		if services && s.Kind != open.Service {
			continue
		}
		r, err := s.Describe()
		if err != nil {
			return err
		}
		rows = append(rows, r)
	}
	if e.json {
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
			w.AppendRow(table.Row{r.Name, r.Kind, r.Needs(), r.Doc})
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
					row, err := s.Describe()
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
	service.Options
	spec    string
	run     string
	offline bool
}

func newSystemsCheckCmd(e *env) *cobra.Command {
	var o systemsCheckOptions
	c := verb("check SYSTEM", "Try a system with a round trip", cobra.ExactArgs(1), func(c *cobra.Command, args []string) error {
		o.spec = args[0]
		return runSystemsCheck(c.Context(), e, o)
	})
	c.Flags().StringVar(&o.BaseURL, "base-url", "", "`address` of the service instead of the spec's")
	c.Flags().StringVar(&o.run, "run", "", "`name` of this try, a part of the namespace's; default the time")
	c.Flags().StringToStringVar(&o.Variables, "set", nil, "values of the spec's variables, `name=value`")
	c.Flags().BoolVar(&o.offline, "offline", false, "check the spec only")
	c.Flags().BoolVar(&e.json, "json", false, "print one JSON object")
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
	l := checkList{e: e}
	l.add(schema.Check{Name: "spec", State: schema.CheckOK, Detail: fmt.Sprintf("%s %s: %s", spec.System, spec.Version, spec.Doc)})
	if o.offline {
		return l.end(errBadService)
	}
	sys, err := e.place("").Service(spec, o.Options)
	if err != nil {
		return &schema.UsageError{Err: err}
	}
	ctx, cancel := context.WithTimeout(ctx, spec.TripTime())
	defer cancel()
	return l.try(ctx, sys, spec.System, o.run)
}

// tryAny checks a system that is not a plain spec.
func tryAny(ctx context.Context, e *env, o systemsCheckOptions, c open.Choice) error {
	if o.offline || o.BaseURL != "" || len(o.Variables) > 0 {
		return usagef("--offline, --base-url and --set are for services; give options as %s{name: value}", c.Type)
	}
	sys, _, err := e.place("").Open(ctx, c, memory.Deps{})
	if err != nil {
		return err
	}
	return (&checkList{e: e}).try(ctx, sys, sys.Info().Name, o.run)
}

// try makes the round trip of a system in a namespace of this run; "": of this time.
func (l *checkList) try(ctx context.Context, sys memory.System, name, run string) error {
	start := l.e.now()
	if err := try.System(ctx, sys, cmp.Or(run, "check"+start.UTC().Format("20060102150405")), l.add); err != nil {
		return err
	}
	l.e.warnf("round trip of %s in %v", name, l.e.now().Sub(start).Round(time.Millisecond))
	return l.end(errBadService)
}

var errBadService = errors.New("the system does not do what is required: see the lines that begin with fail")

// specFaults prints the findings of a spec; any other error is handed on.
func specFaults(e *env, err error) error {
	joined, many := err.(interface{ Unwrap() []error })
	list := []error{err}
	if many {
		list = joined.Unwrap()
	}
	for _, err := range list {
		if !schema.IsFinding(err) {
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
