// Package spark carries the PySpark jobs, so that the program has them with it, and runs them.
package spark

import (
	"cmp"
	"context"
	"embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"time"

	"membench/internal/daemon"
)

// Jobs are the modules; Main is the one that is run, and has every step.
//
//go:embed *.py
var Jobs embed.FS

const Main = "membench_spark.py"

// Options say how the chain is run on Spark.
type Options struct {
	Out             string // folder of the result
	Master          string // such as local[*] or spark://host:7077
	Membench        string // where the program is on the nodes; "": where this one is here
	Shards          int    // parts of an exchange; 0: one for each core, or for 128 MB
	Exports, Events []string
	People          string   // who is who, as text in braces
	Conf            []string // settings of Spark, key=value
	TempDir         string   // "": the system's
	Python          string   // with pyspark; "": python3
	Stdout, Stderr  io.Writer
}

// args are those of the job.
func (o Options) args() []string {
	args := []string{"chain", "-o", o.Out, "--master", o.Master, "--membench", o.Membench, "--num-shards", strconv.Itoa(o.Shards), "--people", o.People}
	for _, list := range []struct {
		flag   string
		values []string
	}{{"--exports", o.Exports}, {"--events", o.Events}, {"--conf", o.Conf}} {
		for _, v := range list.values {
			args = append(args, list.flag, v)
		}
	}
	return args
}

// Run hands the chain to Spark: a Python with pyspark runs the jobs that the program carries.
// It fails with an *exec.ExitError where the job does.
func Run(ctx context.Context, o Options) (err error) {
	if o.Membench == "" {
		if o.Membench, err = os.Executable(); err != nil {
			return err
		}
	}
	dir, err := os.MkdirTemp(o.TempDir, "membench-spark-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	jobs, err := fs.Glob(Jobs, "*.py")
	if err != nil {
		return err
	}
	for _, name := range jobs {
		text, err := Jobs.ReadFile(name)
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, name), text, 0o600)
		}
		if err != nil {
			return err
		}
	}
	python := cmp.Or(o.Python, "python3")
	if err := exec.CommandContext(ctx, python, "-c", "from importlib.util import find_spec as f; exit(not (f('pyspark') and f('pyarrow') and f('pandas')))").Run(); err != nil {
		return fmt.Errorf("%s has no pyspark with pyarrow and pandas (%v): run \"pip install 'pyspark[sql]'\", or name another Python in PYSPARK_DRIVER_PYTHON", python, err)
	}
	c := exec.CommandContext(ctx, python, append([]string{filepath.Join(dir, Main)}, o.args()...)...)
	c.Stdout, c.Stderr = o.Stdout, o.Stderr
	c.Cancel = func() error { return daemon.Terminate(c.Process) } // Spark ends its workers then
	c.WaitDelay = 30 * time.Second
	if err := c.Run(); err != nil {
		return fmt.Errorf("the Spark job: %w", err)
	}
	return nil
}
