package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"membench/config/doctor"
	"membench/schema"

	"github.com/spf13/cobra"
)

type doctorOptions struct {
	model   modelFlags
	ask     bool
	asJSON  bool
	timeout time.Duration // of one check
}

func newDoctorCmd(e *env) *cobra.Command {
	o := doctorOptions{timeout: 5 * time.Second}
	c := &cobra.Command{
		Use:   "doctor",
		Short: "Check configuration, endpoints, keys, versions, clock and disk",
		Args:  cobra.NoArgs,
		RunE:  func(c *cobra.Command, _ []string) error { return runDoctor(c.Context(), e, o) },
	}
	o.model.temperature = -1
	o.model.addShared(c)
	c.Flags().BoolVar(&o.ask, "ask", false, "ask each endpoint one short question (paid)")
	c.Flags().BoolVar(&o.asJSON, "json", false, "print one JSON object")
	c.Flags().DurationVar(&o.timeout, "timeout", o.timeout, "give each check this `time`")
	return c
}

func runDoctor(ctx context.Context, e *env, o doctorOptions) error {
	v := buildVersion()
	checks := []schema.Check{
		{Name: "membench", State: schema.CheckOK, Detail: fmt.Sprintf("%s, %s, %s/%s, schema %v", v.Release, v.Go, v.OS, v.Arch, v.Schemas)},
		checkDotenv(e),
	}
	checks = append(checks, doctor.Run(ctx, doctor.Options{Config: o.model.config, Models: o.model.options(e), Place: e.place(""), Ask: o.ask, Timeout: o.timeout})...)
	return tellChecks(e, checks, o.asJSON, errUnwell)
}

var errUnwell = errors.New("doctor found faults: each line above says how to fix it")

// tellChecks prints checks. The error is faulty where one failed.
func tellChecks(e *env, checks []schema.Check, asJSON bool, faulty error) error {
	faults := 0
	for _, c := range checks {
		if c.State == schema.CheckFail {
			faults++
		}
		if !asJSON {
			fmt.Fprintf(e.text(), "%-4s  %s: %s\n", c.State, c.Name, c.Detail)
			if c.Fix != "" {
				fmt.Fprintf(e.text(), "      -> %s\n", c.Fix)
			}
		}
	}
	if asJSON {
		if err := writeJSON(e.out, map[string]any{"checks": checks, "faults": faults}); err != nil {
			return err
		}
	}
	if faults > 0 {
		return faulty
	}
	return nil
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
