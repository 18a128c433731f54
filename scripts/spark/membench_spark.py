#!/usr/bin/env python3
"""Steps of membench over folders of JSON Lines or Parquet on any Hadoop file system.

    pip install 'pyspark[sql]'
    membench_spark.py to-graph --exports hdfs:///exports --claims hdfs:///claims -o hdfs:///graph

Each step is one or two filters of membench (membench shard STAGE map|combine|reduce, or a step
that reads standard input) around one exchange of lines by key; docs/scale.md describes the
lines. Text passes as bytes: Spark never decodes it. The output folder appears whole or not at
all, with manifest.json. Progress is on Spark's own page.
"""
import argparse
import hashlib
import json
import os
import subprocess
import sys
import tempfile
import threading

import pyarrow as pa
from pyspark.sql import SparkSession, functions as F

import membench_parquet

CHUNK = 1 << 20
KINDS = {"events": "event", "entities": "entity", "claims": "claim", "nodes": "node", "edges": "edge"}  # of what has one
KEY = "substring_index(cast(value as string), '\t', 1)"


def feed(head, batches, stdin, failed, column=0):
    """Writes some lines, and those of batches, to a process."""
    try:
        with stdin:
            stdin.write(head)
            for batch in batches:
                lines = batch.column(column).to_pylist()
                if lines:
                    stdin.write(b"\n".join(lines) + b"\n")
    except BrokenPipeError:
        pass  # its exit code says why
    except BaseException as e:  # of Spark: a lost task must not look like the end of the lines
        failed.append(e)


def batches_of(stream):
    """Record batches of the lines of a stream."""
    rest = b""
    while chunk := stream.read(CHUNK):
        lines = (rest + chunk).split(b"\n")
        rest = lines.pop()
        if lines:
            yield pa.RecordBatch.from_arrays([pa.array(lines, pa.binary())], ["value"])
    if rest:
        yield pa.RecordBatch.from_arrays([pa.array([rest], pa.binary())], ["value"])


def filtered(frame, commands, rejected, head=b""):
    """Lets head and the lines of each partition pass through commands of the shell, one after the other."""

    def run(batches):
        first = next((b for b in batches if b.num_rows), None)
        if first is None:
            return

        def all_of_them():
            yield first
            yield from batches

        chain, failed = [], []
        for command in commands:
            chain.append(subprocess.Popen(["sh", "-c", command], stdin=chain[-1].stdout if chain else subprocess.PIPE, stdout=subprocess.PIPE))
            if len(chain) > 1:
                chain[-2].stdout.close()
        feeder = threading.Thread(target=feed, args=(head, all_of_them(), chain[0].stdin, failed), daemon=True)
        feeder.start()
        try:
            yield from batches_of(chain[-1].stdout)
            feeder.join()
            codes = [process.wait() for process in chain]
        finally:
            for process in chain:
                process.kill()
        if failed:
            raise failed[0]
        check(commands, codes, rejected)

    return frame.mapInArrow(run, "value binary")


def check(commands, codes, rejected):
    """Counts a task that reported faults (3); any other code but 0 fails the task."""
    for command, code in zip(commands, codes):
        if code not in (0, 3):
            raise RuntimeError(f"{command}: exit code {code}, see the executor's standard error")
    if 3 in codes:
        rejected.add(1)


def each_file(frame, command, rejected):
    """Runs a command on each file of a frame of paths and contents: FILE, a copy is NAME."""

    def run(batches):
        for batch in batches:
            for path, content in zip(batch.column(0).to_pylist(), batch.column(1).to_pylist()):
                with tempfile.TemporaryDirectory() as folder:
                    name = os.path.join(folder, os.path.basename(path))
                    with open(name, "wb") as f:
                        f.write(content)
                    out = subprocess.run(["sh", "-c", command], stdout=subprocess.PIPE, env={**os.environ, "NAME": name, "FILE": path.removeprefix("file:")})
                check([f"{path}: {command}"], [out.returncode], rejected)
                lines = out.stdout.split(b"\n")
                yield pa.RecordBatch.from_arrays([pa.array(lines[:-1], pa.binary())], ["value"])

    return frame.select("path", "content").mapInArrow(run, "value binary")


class Steps:
    """The steps, over one Spark session."""

    def __init__(self, spark, options):
        self.spark, self.o = spark, options
        self.rejected = spark.sparkContext.accumulator(0)
        jvm = spark.sparkContext._jvm
        self.path = lambda p: jvm.org.apache.hadoop.fs.Path(p)
        self.fs = lambda p: self.path(p).getFileSystem(spark.sparkContext._jsc.hadoopConfiguration())
        self.shards = options.num_shards or spark.sparkContext.defaultParallelism
        self.membench = options.membench

    def files(self, paths):
        """All files of folders, and files, with what hides from Spark left out."""
        out = []
        for path in paths:
            fs, p = self.fs(path), self.path(path)
            if not fs.exists(p):
                raise SystemExit(f"membench-spark: no such file or folder: {path}")
            files = fs.listFiles(p, True)
            while files.hasNext():
                f = files.next().getPath()
                if not f.getName().startswith((".", "_")) and f.getName() != "manifest.json":
                    out.append(f.toString())
        return sorted(out)

    def lines(self, paths, kind=None):
        """The lines of files: JSON Lines (.gz too; .zst a file a task, with zstd(1))."""
        files = self.files(paths)
        kinds = {".zst": [], ".jsonl": [], ".parquet": []}
        for f in files:
            end = os.path.splitext(f[:-3] if f.endswith(".gz") else f)[1]
            if end in kinds:
                kinds[end].append(f)
        frames = []
        if kinds[".jsonl"]:
            text = self.spark.read.option("lineSep", "\n").text(kinds[".jsonl"])
            frames.append(text.selectExpr("cast(value as binary) value"))
        if kinds[".zst"]:
            binary = self.spark.read.format("binaryFile").load(kinds[".zst"])
            frames.append(each_file(binary.repartition(len(kinds[".zst"])), 'zstd -dc "$NAME"', self.rejected))
        folders = {}  # each has its own kind
        for f in kinds[".parquet"]:
            folders.setdefault(os.path.dirname(f), []).append(f)
        frames += [membench_parquet.lines(self.spark.read.parquet(*files)) for files in folders.values()]
        if not frames:
            raise SystemExit(f"membench-spark: no .jsonl or .parquet among the files of {', '.join(paths)}")
        frame = frames[0]
        for more in frames[1:]:
            frame = frame.union(more)
        return frame.repartition(self.shards) if frame.rdd.getNumPartitions() < self.shards else frame

    def reduce(self, stage, mapped, options=""):
        """Brings the lines of one key together and reduces them."""
        return filtered(mapped.repartition(self.shards, F.expr(KEY)), [f"{self.membench} shard {stage} reduce {options}"], self.rejected)

    def hot(self, text, command):
        """Whether a sample of the lines has a key of more lines than a shard should have."""
        if self.o.combine != "auto":
            return self.o.combine == "yes"
        sample = filtered(text.limit(20000), [f"{command} 2> /dev/null"], self.spark.sparkContext.accumulator(0))
        counts = [r["count"] for r in sample.groupBy(F.expr(KEY)).count().select("count").collect()]
        return max(counts, default=0) > max(1000, sum(counts) / 20)

    def mapped(self, stage, paths, options=""):
        """Keyed lines; where some key is hot, lines are merged where they are read first."""
        text = self.lines(paths)
        command = f"{self.membench} shard {stage} map {options}"
        commands = [command]
        if self.hot(text, command):
            commands.append(f"{self.membench} shard {stage} combine {options.split('--hop')[0]}")
        return filtered(text, commands, self.rejected)

    def annotate(self):
        files = [f for f in self.files(self.o.input)]
        frame = self.spark.read.format("binaryFile").load(files).repartition(min(len(files), 4 * self.shards))
        return {"events": each_file(frame, f'{self.membench} annotate "$NAME" -o - -q {self.o.options}', self.rejected)}

    def convert(self):
        name = self.o.kind or "lines"
        KINDS.setdefault(name, name)
        return {name: self.lines(self.o.input)}

    def claimify(self):
        text = self.lines(self.o.input)
        conv = F.get_json_object(F.expr("cast(value as string)"), "$.payload.conv_id")
        return {"by_conv": filtered(text.repartition(self.shards, conv), [f"{self.membench} claimify - -o - -q {self.o.options}"], self.rejected)}

    def compile_claims(self):
        out = self.reduce("compile-claims", self.mapped("compile-claims", self.o.input, self.o.options))
        return self.split(out, {"entities": "entity:", "claims": "claim:"})

    def to_graph(self):
        hops = {h: p for h, p in (("events", self.o.events), ("exports", self.o.exports), ("claims", self.o.claims)) if p}
        given = f"--given {','.join(hops)} {self.o.options}"
        mapped = None
        for hop, paths in hops.items():
            part = self.mapped("to-graph", paths, f"{given} --hop {hop}")
            mapped = part if mapped is None else mapped.union(part)
        return self.split(self.reduce("to-graph", mapped, given), {"nodes": "node:", "edges": "edge:"})

    def validate(self):
        files = self.files(self.o.input)
        content = self.spark.read.format("binaryFile").load(files).repartition(len(files))
        mapped = each_file(content, f'{self.membench} shard validate map --name "$FILE" {self.o.options} < "$NAME"', self.rejected).persist()
        given = mapped.where(F.expr(KEY) == "!given").distinct().collect()
        head = b"".join(bytes(r["value"]) + b"\n" for r in given)
        facts = mapped.where(F.expr(KEY) != "!given").repartition(self.shards, F.expr(KEY))
        return self.split(filtered(facts, [f"{self.membench} shard validate reduce"], self.rejected, head), {"findings": "finding:"})

    def split(self, reduced, kinds):
        """Cuts what a reduce wrote into frames without keys."""
        reduced = reduced.persist()
        key = F.expr(KEY)
        return {name: reduced.where(key.startswith(start)).selectExpr("substring(value, octet_length(substring_index(cast(value as string), '\t', 1)) + 2) value") for name, start in kinds.items()}

    def write(self, step, frames, out):
        """Writes frames below out, which appears whole: made aside, then renamed."""
        fs, aside = self.fs(out), out.rstrip("/") + "._making"
        if fs.exists(self.path(out)):
            raise SystemExit(f"membench-spark: {out} is there already: remove it, or name another")
        fs.delete(self.path(aside), True)
        manifest = {"step": step, "engine": f"spark {self.spark.version}", "shards": self.shards, "outputs": {}}
        for name, frame in frames.items():
            self.spark.sparkContext.setJobDescription(f"membench {step}: {name}")
            to = f"{aside}/{name}"
            if self.o.format == "parquet" and name in KINDS:
                membench_parquet.frame(frame, KINDS[name], self.membench).write.parquet(to)
                manifest["outputs"][name] = self.digest(to)
                continue
            frame.selectExpr("cast(value as string) value").write.option("lineSep", "\n").option("compression", self.o.compression).option("encoding", "UTF-8").text(to)
            self.rename(to, ".jsonl")
            manifest["outputs"][name] = self.digest(to)
        manifest["rejecting_tasks"] = self.rejected.value
        stream = fs.create(self.path(f"{aside}/manifest.json"))
        stream.write(bytearray((json.dumps(manifest, indent=2, sort_keys=True) + "\n").encode()))
        stream.close()
        if not fs.rename(self.path(aside), self.path(out)):
            raise SystemExit(f"membench-spark: cannot rename {aside} to {out}")

    def rename(self, folder, end):
        """Gives the parts names that membench reads: part-00000.jsonl."""
        fs = self.fs(folder)
        for status in fs.listStatus(self.path(folder)):
            name = status.getPath().getName()
            if name.startswith("part-"):
                tail = "".join(os.path.splitext(name)[1:]).replace(".txt", "")
                fs.rename(status.getPath(), self.path(f"{folder}/{name[:10]}{end}{tail}"))

    def digest(self, folder):
        """SHA-256 over the digests of the parts, in the order of these."""

        def run(batches):
            for batch in batches:
                sums = [hashlib.sha256(c).hexdigest() for c in batch.column(0).to_pylist()]
                yield pa.RecordBatch.from_arrays([pa.array(sums)], ["sum"])

        parts = self.spark.read.format("binaryFile").option("recursiveFileLookup", "true").load(folder).select("content").mapInArrow(run, "sum string").collect()
        sums = sorted(r["sum"] for r in parts)
        return {"parts": len(sums), "sha256": hashlib.sha256("".join(s + "\n" for s in sums).encode()).hexdigest()}

    def chain(self):
        """Exports, and events where there are any, to claims and a graph."""
        o, out = self.o, self.o.output.rstrip("/")
        self.o.input = o.exports
        self.write("claimify", self.claimify(), f"{out}/claims/by_conv")
        self.o.input = [f"{out}/claims/by_conv"]
        self.write("compile-claims", self.compile_claims(), f"{out}/claims/compiled")
        self.o.claims = [f"{out}/claims/compiled/entities", f"{out}/claims/compiled/claims"]
        self.write("to-graph", self.to_graph(), f"{out}/graph")
        self.o.input = [*o.events, *o.exports, *self.o.claims, f"{out}/graph/nodes", f"{out}/graph/edges"]
        self.write("validate", self.validate(), f"{out}/findings")


def main():
    steps = {"annotate": Steps.annotate, "claimify": Steps.claimify, "compile-claims": Steps.compile_claims, "to-graph": Steps.to_graph, "validate": Steps.validate, "convert": Steps.convert, "chain": None}
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("step", choices=steps)
    p.add_argument("input", nargs="*", help="files and folders")
    for hop in ("events", "exports", "claims"):
        p.add_argument(f"--{hop}", action="append", default=[], help=f"files and folders of {hop} (to-graph, chain; may be repeated)")
    p.add_argument("-o", "--output", required=True, help="folder, which must not be there yet")
    p.add_argument("--master", default="local[*]")
    p.add_argument("--num-shards", type=int, default=0, help="parts of an exchange (default: one a core)")
    p.add_argument("--combine", choices=["auto", "yes", "no"], default="auto", help="merge lines where they are read, before the exchange: auto when a sample has a hot key")
    p.add_argument("--format", choices=["jsonl", "parquet"], default="jsonl", help="of the output (chain: jsonl)")
    p.add_argument("--kind", default="", help="kind of the records (convert to parquet)")
    p.add_argument("--compression", choices=["none", "gzip"], default="none")
    p.add_argument("--membench", default="membench", help="the program on every node")
    p.add_argument("--options", default="", help="options for membench's filters, as on a command line")
    p.add_argument("--conf", action="append", default=[], help="KEY=VALUE of Spark (may be repeated)")
    o = p.parse_intermixed_args()
    if o.master.startswith("local"):
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
        os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    builder = SparkSession.builder.master(o.master).appName(f"membench {o.step}")
    for setting in ["spark.sql.execution.arrow.maxRecordsPerBatch=5000", "spark.sql.adaptive.enabled=false", *o.conf]:
        builder = builder.config(*setting.split("=", 1))
    spark = builder.getOrCreate()
    spark.sparkContext.addPyFile(os.path.join(os.path.dirname(os.path.abspath(__file__)), "membench_parquet.py"))
    s = Steps(spark, o)
    spark.conf.set("spark.sql.shuffle.partitions", s.shards)
    if o.step == "chain":
        s.chain()
    else:
        s.write(o.step, steps[o.step](s), o.output)
    rejected = s.rejected.value
    spark.stop()
    if rejected:
        print(f"membench-spark: {rejected} tasks reported faults in the data: the result is not of all that was given", file=sys.stderr)
        sys.exit(3)


if __name__ == "__main__":
    main()
