// Package spark carries the PySpark jobs, so that the program has them with it.
package spark

import "embed"

// Jobs are the modules; Main is the one that is run, and has every step.
//
//go:embed *.py
var Jobs embed.FS

const Main = "membench_spark.py"
