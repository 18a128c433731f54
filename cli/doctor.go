package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"membench/config/doctor"
	"membench/schema"

	"github.com/spf13/cobra"
)

type doctorOptions struct {
	model   modelFlags
	ask     bool
	timeout time.Duration // of one check
}

func newDoctorCmd(e *env) *cobra.Command {
	o := doctorOptions{timeout: 5 * time.Second}
	c := verb("doctor", "Check configuration, endpoints, keys, versions, clock and disk", cobra.NoArgs,
		func(c *cobra.Command, _ []string) error { return runDoctor(c.Context(), e, o) })
	o.model.temperature = -1
	o.model.addShared(c)
	c.Flags().BoolVar(&o.ask, "ask", false, "ask each endpoint one short question (paid)")
	c.Flags().BoolVar(&e.json, "json", false, "print one JSON object")
	c.Flags().DurationVar(&o.timeout, "timeout", o.timeout, "give each check this `time`")
	return c
}

func runDoctor(ctx context.Context, e *env, o doctorOptions) error {
	v := buildVersion()
	l := checkList{e: e}
	l.add(schema.Check{Name: "membench", State: schema.CheckOK, Detail: fmt.Sprintf("%s, %s, %s/%s, schema %v", v.Release, v.Go, v.OS, v.Arch, v.Schemas)})
	l.add(checkDotenv(e))
	for _, c := range doctor.Run(ctx, doctor.Options{Config: o.model.config, Models: o.model.options(e), Place: e.place(""), Ask: o.ask, Timeout: o.timeout}) {
		l.add(c)
	}
	return l.end(errUnwell)
}

var errUnwell = errors.New("doctor found faults: each line above says how to fix it")

// A checkList prints each check when it is added, or all of them as JSON at the end.
type checkList struct {
	e      *env
	checks []schema.Check
}

func (l *checkList) add(c schema.Check) {
	if l.checks = append(l.checks, c); l.e.json {
		return
	}
	fmt.Fprintf(l.e.text(), "%-4s  %s: %s\n", c.State, c.Name, c.Detail)
	if c.Fix != "" {
		fmt.Fprintf(l.e.text(), "      -> %s\n", c.Fix)
	}
}

// end returns faulty where a check failed.
func (l *checkList) end(faulty error) error {
	faults := len(slices.DeleteFunc(slices.Clone(l.checks), func(c schema.Check) bool { return c.State != schema.CheckFail }))
	if l.e.json {
		if err := writeJSON(l.e.out, map[string]any{"checks": l.checks, "faults": faults}); err != nil {
			return err
		}
	}
	if faults == 0 {
		return nil
	}
	return faulty
}

func checkDotenv(e *env) schema.Check {
	info, err := os.Stat(".env")
	switch {
	case err != nil:
		return schema.Check{Name: ".env", State: schema.CheckOK, Detail: "none here: the environment alone"}
	case info.Mode().Perm()&0o077 != 0 && filepath.Separator == '/':
		return schema.Check{Name: ".env", State: schema.CheckWarn, Fix: "chmod 600 .env", Detail: fmt.Sprintf("%d variables taken from it; other users of this machine may read it", len(e.dotenv))}
	}
	return schema.Check{Name: ".env", State: schema.CheckOK, Detail: fmt.Sprintf("%d variables taken from it; the environment's own win", len(e.dotenv))}
}
