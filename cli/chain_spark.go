package cli

import (
	"context"
	"errors"
	"os/exec"

	"membench/scripts/spark"
)

// runSparkChain hands the chain to Spark.
func runSparkChain(ctx context.Context, e *env, o spark.Options) error {
	if len(o.Exports) == 0 || o.Out == "" {
		return usagef("--engine spark: name the memories with --exports and the result with -o")
	}
	o.TempDir, o.Python = e.getenv("TMPDIR"), e.getenv("PYSPARK_DRIVER_PYTHON") // Spark's own name for it
	o.Stdout, o.Stderr = e.out, e.err
	err := spark.Run(ctx, o)
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) && exit.ExitCode() == exitFindings {
		return errFindings
	}
	return err
}
