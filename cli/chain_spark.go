package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"time"

	"membench/internal/daemon"
	"membench/scripts/spark"
)

// sparkOptions say how 'chain --engine spark' is run.
type sparkOptions struct {
	master, membench string
	shards           int
	exports, events  []string
	conf             []string
}

// args are those of the job.
func (o sparkOptions) args(out string) []string {
	args := []string{"chain", "-o", out, "--master", o.master, "--membench", o.membench, "--num-shards", strconv.Itoa(o.shards)}
	for _, p := range o.exports {
		args = append(args, "--exports", p)
	}
	for _, p := range o.events {
		args = append(args, "--events", p)
	}
	for _, c := range o.conf {
		args = append(args, "--conf", c)
	}
	return args
}

// runSparkChain hands the chain to Spark: a Python with pyspark runs the jobs that the
// program carries.
func runSparkChain(ctx context.Context, e *env, o sparkOptions, out string) (err error) {
	if len(o.exports) == 0 || out == "" {
		return usagef("--engine spark: name the memories with --exports and the result with -o")
	}
	if o.membench == "" {
		if o.membench, err = os.Executable(); err != nil {
			return err
		}
	}
	dir, err := os.MkdirTemp(e.getenv("TMPDIR"), "membench-spark-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	jobs, err := fs.Glob(spark.Jobs, "*.py")
	if err != nil {
		return err
	}
	for _, name := range jobs {
		text, err := spark.Jobs.ReadFile(name)
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, name), text, 0o600)
		}
		if err != nil {
			return err
		}
	}
	python := cmp.Or(e.getenv("PYSPARK_DRIVER_PYTHON"), "python3") // Spark's own name for it
	if err := exec.CommandContext(ctx, python, "-c", "from importlib.util import find_spec as f; exit(not (f('pyspark') and f('pyarrow') and f('pandas')))").Run(); err != nil {
		return fmt.Errorf("%s has no pyspark with pyarrow and pandas (%w): run \"pip install 'pyspark[sql]'\", or name another Python in PYSPARK_DRIVER_PYTHON", python, err)
	}
	c := exec.CommandContext(ctx, python, append([]string{filepath.Join(dir, spark.Main)}, o.args(out)...)...)
	c.Stdout, c.Stderr = e.out, e.err
	c.Cancel = func() error { return daemon.Terminate(c.Process) } // Spark ends its workers then
	c.WaitDelay = 30 * time.Second
	var exit *exec.ExitError
	if err = c.Run(); errors.As(err, &exit) && exit.ExitCode() == exitFindings {
		err = errFindings
	} else if err != nil {
		return fmt.Errorf("the Spark job: %w", err)
	}
	e.warnf("wrote %s", out)
	return err
}
