package examples

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"membench/internal/exttest"
)

// TestScale: shards under xargs, as an array and as an indexed job give the run of one
// process. The variables that Slurm and Kubernetes set are set by the test.
func TestScale(t *testing.T) {
	exttest.Need(t, "sh", "xargs")
	dir := t.TempDir()
	membench := program(t)
	cases := filepath.Join(dir, "cases.jsonl")
	if err := os.WriteFile(cases, read(t, "measure", "cases.jsonl"), 0o666); err != nil {
		t.Fatal(err)
	}
	t.Setenv("MEMBENCH", membench)
	run(t, dir, membench, "eval", "run", "cases.jsonl", "--system", "bm25", "--no-times", "-o", "one")
	same := func(whole string) {
		t.Helper()
		for _, name := range []string{"cases.jsonl.zst", "pipeline_qa.jsonl", "pipeline_sessions.jsonl", "contexts.jsonl.zst", "qa_records.jsonl", "session_records.jsonl", "summary.jsonl"} {
			if !bytes.Equal(read(t, dir, "one", name), read(t, whole, name)) {
				t.Errorf("%s: %s differs from that of one process", whole, name)
			}
		}
	}

	script, err := filepath.Abs("scale/shards.sh")
	if err != nil {
		t.Fatal(err)
	}
	// Two of eight shards are killed; the same command goes on.
	again := filepath.Join(dir, "again")
	kills := "#!/bin/sh\nif [ \"$2\" = run ] && { mkdir '" + dir + "/first' || mkdir '" + dir + "/second'; } 2>/dev/null; then\n" +
		"  '" + membench + "' \"$@\" & sleep .3; kill -9 $!; exit 1\nfi\nexec '" + membench + "' \"$@\"\n"
	exttest.WriteProgram(t, again, kills)
	shards := exec.Command(script, "many", "8", "2", "--", "cases.jsonl", "--system", "bm25", "--no-times")
	shards.Dir, shards.Env = dir, append(os.Environ(), "MEMBENCH="+again)
	if out, err := shards.CombinedOutput(); err == nil {
		t.Fatalf("two shards were killed, and nothing is said:\n%s", out)
	}
	run(t, dir, script, "many", "8", "2", "--", "cases.jsonl", "--system", "bm25", "--no-times")
	same(filepath.Join(dir, "many", "whole"))

	_, pod, ok := strings.Cut(string(read(t, "scale", "kubernetes.yaml")), "\n            - exec ")
	if !ok {
		t.Fatal("kubernetes.yaml has no command")
	}
	pod, _, _ = strings.Cut(strings.ReplaceAll(pod, "/data/", dir+"/"), "\n")
	slurm, err := filepath.Abs("scale/slurm.sh")
	if err != nil {
		t.Fatal(err)
	}
	for i := range 4 { // tasks of both, in one folder of shards
		cmd := exec.Command(slurm)
		if i%2 == 0 {
			cmd = exec.Command("sh", "-c", pod)
		}
		cmd.Dir = dir
		index := string(rune('0' + i))
		cmd.Env = append(os.Environ(), "JOB_COMPLETION_INDEX="+index, "SLURM_ARRAY_TASK_ID="+index)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v: %v\n%s", cmd, err, out)
		}
	}
	parts, err := filepath.Glob(filepath.Join(dir, "runs", "part-*"))
	if err != nil || len(parts) != 4 {
		t.Fatalf("%d shards (%v)", len(parts), err)
	}
	run(t, dir, membench, append([]string{"eval", "merge", "-o", "joined"}, parts...)...)
	same(filepath.Join(dir, "joined"))

	if !exttest.WantsSpark() {
		return // TestScale of make spark
	}
	python := exttest.Spark(t)
	job, err := filepath.Abs("scale/spark.py")
	if err != nil {
		t.Fatal(err)
	}
	for k, v := range map[string]string{"PYSPARK_PYTHON": python, "SPARK_LOCAL_IP": "127.0.0.1", "PYSPARK_SUBMIT_ARGS": "--master local[2] --driver-memory 512m --driver-java-options -XX:TieredStopAtLevel=1 --conf spark.ui.enabled=false pyspark-shell"} {
		t.Setenv(k, v)
	}
	run(t, dir, python, job, "far", "4", "--", "cases.jsonl", "--system", "bm25", "--no-times", "-q")
	same(filepath.Join(dir, "far", "whole"))
}
