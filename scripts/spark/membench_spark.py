#!/usr/bin/env python3
"""Steps of membench over folders of JSON Lines or Parquet on any Hadoop file system.

    pip install 'pyspark[sql]'
    membench_spark.py to-graph --exports hdfs:///exports --claims hdfs:///claims -o hdfs:///graph

Each step is one or two filters of membench (membench shard STAGE map|combine|reduce, or a step
that reads standard input) around one exchange of lines by key; docs/scale.md describes the
lines. On a disk that all nodes share the tasks exchange files, elsewhere Spark exchanges rows.
Text passes as bytes: Spark never decodes it. The output folder appears whole or not at all,
with manifest.json; on S3 and the like, where folders cannot be renamed at once, it is whole
when it has manifest.json. Progress is on Spark's own page.
"""
import argparse
import gzip
import hashlib
import io
import itertools
import json
import os
import shlex
import subprocess
import sys
import tempfile
import threading
import urllib.parse
import uuid
from collections import Counter

import pyarrow as pa
import pyarrow.compute as pc
from pyspark import StorageLevel, TaskContext
from pyspark.accumulators import AccumulatorParam
from pyspark.sql import DataFrame, SparkSession, functions as F

import membench_parquet

CHUNK = 1 << 19
KINDS = {"events": "event", "entities": "entity", "claims": "claim", "nodes": "node", "edges": "edge"}  # of what has one
NAMES = {"entity": "entities", "claim": "claims", "node": "nodes", "edge": "edges", "finding": "findings"}  # of frames, as folders
SHARD = 128 << 20  # bytes of input a shard, where --num-shards does not say
NAMED = "name string, value binary"
RENAME = {"file", "hdfs", "viewfs", "abfs", "abfss"}  # file systems that rename a folder at once; others copy and delete
EVERY = "!"  # the name of frames that every part is to have


def joined(column):
    """The values of a column, with line ends between them: no value becomes an object of Python."""
    return pc.binary_join(pa.ListArray.from_arrays([0, len(column)], column), b"\n")[0].as_buffer()


def texts_of(batches):
    """The lines of batches, in pieces of any size."""
    for batch in batches:
        if batch.num_rows:
            yield joined(batch.column("value"))
            yield b"\n"


def placed(places):
    """The lines that begin in places of files, in pieces of any size. A place is start, end and file; of a compressed file it is all of it."""
    for start, end, name in places:
        if name.endswith(".gz"):
            last = b"\n"
            with gzip.open(name) as f:
                while piece := f.read(CHUNK):
                    yield piece
                    last = piece
            if not last.endswith(b"\n"):
                yield b"\n"
            continue
        with open(name, "rb", buffering=0) as f:
            if start:
                f.seek(start - 1)
                with open(f.fileno(), "rb", closefd=False) as lines:
                    start += len(lines.readline()) - 1  # it began before
                f.seek(start)
            piece = b""
            while start < end and (piece := f.read(min(CHUNK, end - start))):
                start += len(piece)
                yield piece
            if piece and not piece.endswith(b"\n"):
                with open(f.fileno(), "rb", closefd=False) as lines:
                    yield lines.readline().removesuffix(b"\n") + b"\n"


def feed(pieces, stdin, failed):
    """Writes text to a process."""
    try:
        with stdin:
            for piece in pieces:
                stdin.write(piece)
    except BrokenPipeError:
        pass  # its exit code says why
    except BaseException as e:  # of Spark: a lost task must not look like the end of the lines
        failed.append(e)


def frames_of(stream):
    """Names and texts of the frames that shard writes."""
    while line := stream.readline():
        name, size = line.split(b"\t")
        text = stream.read(int(size))
        if len(text) < int(size):
            return  # its exit code says why
        yield name.decode(), text


def chunks_of(stream, name):
    """The lines of a stream in texts of many lines, all under one name."""
    rest = b""
    while chunk := stream.read(CHUNK):
        lines, found, more = (rest + chunk).rpartition(b"\n")
        if found:
            yield name, lines + b"\n"
        rest = more
    if rest:
        yield name, rest + b"\n"


class Union(AccumulatorParam):
    """Dictionaries that become one: of a task that ran twice the last one counts."""

    def zero(self, value):
        return {}

    def addInPlace(self, a, b):
        a.update(b)
        return a


def passed(pieces, commands, done, name="", file="", bounds=None):
    """Lets text, in pieces of any size, pass through commands of the shell, one after the
    other. What comes out is frames, or lines with one name. done is told whether there were faults."""
    environ, chain, failed = {**os.environ, "FILE": file}, [], []
    with tempfile.NamedTemporaryFile() as keys:
        if bounds is not None:
            keys.write(bounds)
            keys.flush()
            environ["BOUNDS"] = keys.name
        for command in commands:
            chain.append(subprocess.Popen(["sh", "-c", f"exec {command}"], stdin=chain[-1].stdout if chain else subprocess.PIPE, stdout=subprocess.PIPE, env=environ, pipesize=1 << 20))
            if len(chain) > 1:
                chain[-2].stdout.close()
        feeder = threading.Thread(target=feed, args=(pieces, chain[0].stdin, failed), daemon=True)
        feeder.start()
        try:
            yield from chunks_of(chain[-1].stdout, name) if name else frames_of(chain[-1].stdout)
            feeder.join()
            codes = [process.wait() for process in chain]
        finally:
            for process in chain:
                process.kill()
    if failed:
        raise failed[0]
    done(faulty(commands, codes))


def faulty(commands, codes):
    """1 where commands reported faults (3); any other code but 0 fails the task."""
    for command, code in zip(commands, codes):
        if code not in (0, 3):
            raise RuntimeError(f"{command}: exit code {code}, see the executor's standard error")
    return int(3 in codes)


def plain(path):
    """A file's name as people write it."""
    url = urllib.parse.urlparse(path)
    return urllib.parse.unquote(url.path if url.scheme == "file" else path)


def each_file(frame, command, rejected):
    """Runs a command on each file, NAME, of a frame of paths and contents. Its lines come out."""
    here = os.getcwd()  # records have paths from where the command is run

    def run(batches):
        for batch in batches:
            for path, content in zip(batch.column(0).to_pylist(), batch.column(1).to_pylist()):
                name = plain(path)  # a record says which file it is from, so names stay
                with tempfile.TemporaryDirectory() as folder:
                    cwd = here
                    if not os.path.isfile(name) or not os.path.isdir(here):
                        cwd = folder
                        name = urllib.parse.urlparse(name).path.lstrip("/")
                        os.makedirs(os.path.join(folder, os.path.dirname(name)))
                        with open(os.path.join(folder, name), "wb") as f:
                            f.write(content)
                    out = subprocess.run(["sh", "-c", command], stdout=subprocess.PIPE, cwd=cwd, env={**os.environ, "NAME": name})
                rejected.add(faulty([f"{path}: {command}"], [out.returncode]))
                lines = out.stdout.split(b"\n")
                yield pa.RecordBatch.from_arrays([pa.array(lines[:-1], pa.binary())], ["value"])

    return frame.select("path", "content").mapInArrow(run, "value binary")


def rows(texts, digests, counts=None):
    """Record batches of names and texts. What is a part of the output is known by its digest."""
    sums = {}
    for name, text in texts:
        if name == "count":
            counts.add({TaskContext.get().partitionId(): text})
            continue
        name = NAMES.get(name, name)
        if digests is not None:
            digest = sums.setdefault(name, hashlib.sha256())
            digest.update(text)
        ends = pa.array([0, len(text) - 1], pa.int32()).buffers()[1]
        yield pa.RecordBatch.from_arrays([pa.array([name]), pa.Array.from_buffers(pa.binary(), 1, [None, ends, pa.py_buffer(text)])], ["name", "value"])
    if sums:
        part = TaskContext.get().partitionId()
        digests.add({(part, name): s.hexdigest() for name, s in sums.items()})


class Rows:
    """Lines as rows, which Spark reads, exchanges and writes: for any Hadoop file system and any form."""

    def __init__(self, steps):
        self.s, self.spark = steps, steps.spark
        self.counts = self.spark.sparkContext.accumulator({}, Union())

    def texts(self, paths):
        return self.s.lines(paths)

    def files(self, paths):
        """Whole files, each as one partition with its name."""
        files = self.s.files(paths)
        for setting in ("maxPartitionBytes", "openCostInBytes"):
            self.spark.conf.set(f"spark.sql.files.{setting}", 1 << 50)
        text = self.spark.read.option("lineSep", "\n").text(files)
        # Only the first line of a partition needs its file's name.
        return text.selectExpr("cast(value as binary) value", "if(monotonically_increasing_id() % 8589934592 = 0, input_file_name(), null) file")

    def filtered(self, frame, commands, head=b"", name="", output=False, bounds=None, always=False, silent=False):
        """Lets the lines of each partition pass through commands, with head (text, or texts by
        partition) before them. A partition without lines starts nothing, but for always."""
        digests, counts, rejected = self.s.digests if output else None, self.counts, self.s.rejected

        def done(faults):
            if not silent:
                rejected.add(faults)

        def run(batches):
            first = next((b for b in batches if b.num_rows), None)
            if first is None and not always:
                return
            before = head.get(TaskContext.get().partitionId(), b"") if isinstance(head, dict) else head
            file = plain(first.column("file")[0].as_py()) if first is not None and "file" in first.schema.names else ""
            pieces = itertools.chain([before], texts_of(itertools.chain([first] if first is not None else [], batches)))
            yield from rows(passed(pieces, commands, done, name, file, bounds), digests, counts)

        return frame.mapInArrow(run, NAMED)

    def union(self, frames):
        out = frames[0]
        for more in frames[1:]:
            out = out.union(more)
        return out

    def together(self, frames):
        """Brings the frames of one part together."""
        return frames.where(f"name <> '{EVERY}'").repartitionById(self.s.shards, F.expr("cast(name as int)"))

    def done(self, frames):
        """The frames, which later jobs do not make again."""
        return frames.persist(StorageLevel.DISK_ONLY)

    def exchanged(self, frames):
        """The frames together, whose exchange later jobs do not make again."""
        frame = self.together(frames)
        rdd = frame._jdf.queryExecution().toRdd()
        rdd.count()
        return DataFrame(self.spark._jsparkSession.internalCreateDataFrame(rdd, frame._jdf.schema(), False), self.spark)

    def counted(self):
        return self.counts.value.values()

    def named(self, frames, name):
        """The texts of one name."""
        return [bytes(r["value"]) + b"\n" for r in frames.where(F.col("name") == name).select("value").collect()]

    def again(self, folder):
        """The lines of a folder that was written, as one partition."""
        return self.spark.read.option("lineSep", "\n").schema("value string").text(folder).selectExpr("cast(value as binary) value").coalesce(1)

    def parts(self, frame, folder, end, start):
        """Writes each name's texts to a folder of parts, part-00000.jsonl and so on."""
        to = f"{folder}/_parts"
        fs, path = self.s.fs(to), self.s.path
        frame.selectExpr("name", "cast(value as string) value").write.partitionBy("name").option("lineSep", "\n").option("compression", self.s.o.compression).text(to)
        for name in fs.listStatus(path(to)):
            name = name.getPath()
            if not name.getName().startswith("name="):
                continue
            into = f"{folder}/{urllib.parse.unquote(name.getName()[5:]).removesuffix(end)}"
            fs.mkdirs(path(into))
            files = sorted(f.getPath().getName() for f in fs.listStatus(name))
            for i, f in enumerate(f for f in files if f.startswith("part-")):
                fs.rename(path(f"{name}/{f}"), path(f"{into}/part-{i + start:05d}{end}{'.gz' if f.endswith('.gz') else ''}"))
        fs.delete(path(to), True)


def written(texts, base, output):
    """Writes texts to files that start with base: to one, or for an output to one for each
    name. Returns the places of each name, and digests."""
    files, places, sums, counts = {}, {}, {}, []
    try:
        for name, text in texts:
            if name == "count":
                counts.append(text)
                continue
            name = NAMES.get(name, name)
            key = name if output else ""
            if key not in files:
                files[key] = open(f"{base}.{len(files)}", "wb", buffering=0)
            f, mine = files[key], places.setdefault(name, [])
            start = f.tell()
            view = memoryview(text)
            while view:
                view = view[f.write(view) :]
            if output:
                digest = sums.setdefault(name, hashlib.sha256())
                digest.update(text)
            if mine and mine[-1][1] == start:
                mine[-1] = (mine[-1][0], f.tell(), f.name)
            else:
                mine.append((start, f.tell(), f.name))
    finally:
        for f in files.values():
            f.close()
    return places, {name: s.hexdigest() for name, s in sums.items()}, counts


class Files:
    """Lines as places in files of a disk that all nodes share. Spark starts the tasks, and
    starts them again where they are lost; no line passes through it. Each try writes files of
    its own, and those of the try that Spark takes are used. What is between two filters is a
    list of number, name and places; what a filter reads is a list of places by task."""

    def __init__(self, steps, folder):
        self.s, self.folder, self.counts = steps, folder, []
        os.makedirs(folder, exist_ok=True)

    def sized(self, paths):
        files = self.s.files(paths)
        return [(f.removeprefix("file:"), self.s.fs(f).getFileStatus(self.s.path(f)).getLen()) for f in files]

    def texts(self, paths):
        files = self.sized(paths)
        most, tasks, room = min(SHARD, max(1 << 22, -(-self.s.size // self.s.shards))), [], 0
        for f, size in files:
            step = max(1, size) if f.endswith(".gz") else most
            for start in range(0, size, step):
                end = min(size, start + step)
                if room < end - start:
                    tasks.append([])
                    room = most
                tasks[-1].append((start, end, f))
                room -= end - start
        return tasks

    def files(self, paths):
        return [[(0, size, f)] for f, size in self.sized(paths)]

    def filtered(self, tasks, commands, head=b"", name="", output=False, bounds=None, always=False, silent=False):
        folder = self.folder

        def run(task):
            n, before, places = task
            faults = []
            file = places[0][2] if places else ""
            texts = passed(itertools.chain([before], placed(places)), commands, faults.append, name, file, bounds)
            return n, *written(texts, f"{folder}/{uuid.uuid4().hex}", output), faults[0]

        work = [(n, head.get(n, b"") if isinstance(head, dict) else head, places) for n, places in enumerate(tasks) if places or always]
        made = []
        for n, places, sums, counts, faults in self.s.spark.sparkContext.parallelize(work, max(1, len(work))).map(run).collect():
            made += [(n, name, of) for name, of in places.items()]
            self.counts += counts
            self.s.digests.add({(n, name): s for name, s in sums.items()})
            self.s.rejected.add(0 if silent else faults)
        return made

    def union(self, made):
        return [m for of in made for m in of]

    def together(self, made):
        tasks = [[] for _ in range(self.s.shards)]
        for _, name, places in made:
            if name != EVERY:
                tasks[int(name)] += places
        return tasks

    def done(self, made):
        return made

    exchanged = together

    def counted(self):
        return self.counts

    def named(self, made, name):
        return [b"".join(placed(places)) for _, of, places in made if of == name]

    def again(self, folder):
        return [[place for places in self.texts([folder]) for place in places]]

    def parts(self, made, folder, end, start):
        folder, numbers = folder.removeprefix("file:"), Counter()
        for _, name, places in sorted(made):
            into = f"{folder}/{name.removesuffix(end)}"
            os.makedirs(into, exist_ok=True)
            os.rename(places[0][2], f"{into}/part-{numbers[name] + start:05d}{end}")
            numbers[name] += 1


class Steps:
    """The steps, over one Spark session."""

    def __init__(self, spark, options):
        self.spark, self.o = spark, options
        self.rejected = spark.sparkContext.accumulator(0)
        jvm = spark.sparkContext._jvm
        self.path = lambda p: jvm.org.apache.hadoop.fs.Path(p)
        self.fs = lambda p: self.path(p).getFileSystem(spark.sparkContext._jsc.hadoopConfiguration())
        self.people = f"--people {shlex.quote(options.people)}" if options.people else ""
        self.shards = options.num_shards or spark.sparkContext.defaultParallelism
        self.membench = os.path.abspath(options.membench) if os.path.dirname(options.membench) else options.membench
        self.new_output()

    def new_output(self):
        """The digests of the parts of a step, by partition and name."""
        self.digests = self.spark.sparkContext.accumulator({}, Union())

    def files(self, paths):
        """All files of folders, and files, with what hides from Spark left out."""
        out, size = [], 0
        for path in paths:
            fs, p = self.fs(path), self.path(path)
            if not fs.exists(p):
                raise SystemExit(f"membench-spark: no such file or folder: {path}")
            files = fs.listFiles(p, True)
            while files.hasNext():
                status = files.next()
                f = status.getPath()
                if not f.getName().startswith((".", "_")) and f.getName() != "manifest.json":
                    out.append(f.toString())
                    size += status.getLen()
        if not self.o.num_shards:
            self.shards = max(self.shards, -(-size // SHARD))
        self.size = size
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

    def cut(self):
        return f"{self.membench} shard cut --parts {self.shards}"

    def reduce(self, stage, mapped, options):
        """Reduces what has one key; what comes out has the names of its kinds."""
        return self.way.filtered(self.way.together(mapped), [f"{self.membench} shard {stage} reduce {options}"], output=True)

    def here(self, text, command):
        """What a command makes of text on this machine."""
        return subprocess.run(["sh", "-c", command], input=text, stdout=subprocess.PIPE).stdout

    def sample(self, paths, pieces):
        """Some lines from so many places all over the input, as text."""
        files, piece = self.files(paths), 1 << 14
        if any(not f.endswith(".jsonl") for f in files):
            return b"".join(bytes(r["value"]) + b"\n" for r in self.lines(paths).sample(min(1.0, pieces * piece / max(1, self.size)), 1).collect())
        read, step, start, out = self.spark.sparkContext._jvm.org.apache.commons.io.IOUtils.toByteArray, max(piece, self.size // pieces), 0, []
        for f in files:
            fs, p, here = self.fs(f), self.path(f), f.startswith("file:")
            end = start + fs.getFileStatus(p).getLen()
            stream = open(f.removeprefix("file:"), "rb") if here else fs.open(p)
            for at in range(-(-start // step) * step, end, step):
                stream.seek(at - start)
                size = min(piece, end - at)
                out += (stream.read(size) if here else bytes(read(stream, size))).split(b"\n")[at > start : -1]
            stream.close()
            start = end
        return b"".join(line + b"\n" for line in out)

    def hot(self, paths, command):
        """Whether a sample of the lines has a key of more lines than a shard should have."""
        if self.o.combine != "auto":
            return self.o.combine == "yes"
        sample = self.here(self.sample(paths, 640), f"{command} 2> /dev/null")
        counts = Counter(line.partition(b"\t")[0] for line in sample.splitlines())
        return max(counts.values(), default=0) > max(1000, counts.total() / 20)

    def mapped(self, stage, paths, options=""):
        """Keyed lines in parts; where some key is hot, lines are merged where they are read first."""
        text = self.way.texts(paths)
        commands = [f"{self.membench} shard {stage} map {options}"]
        if self.hot(paths, commands[0]):
            commands.append(f"{self.membench} shard {stage} combine {options.split('--hop')[0]}")
        return self.way.filtered(text, [*commands, self.cut()])

    def named(self, lines, name):
        """Lines as an output."""
        digests = self.digests

        def run(batches):
            return rows(((name, joined(b.column(0)).to_pybytes() + b"\n") for b in batches if b.num_rows), digests)

        return lines.mapInArrow(run, NAMED)

    def annotate(self):
        files = self.files(self.o.input)
        frame = self.spark.read.format("binaryFile").load(files).repartition(min(len(files), 4 * self.shards))
        return self.named(each_file(frame, f'{self.membench} annotate "$NAME" -o - -q {self.o.options}', self.rejected), "events"), ["events"]

    def convert(self):
        name = self.o.kind or "lines"
        KINDS.setdefault(name, name)
        return self.named(self.lines(self.o.input), name), [name]

    def claimify(self):
        text = self.lines(self.o.input)
        conv = F.get_json_object(F.expr("cast(value as string)"), "$.payload.conv_id")
        return self.way.filtered(text.repartition(self.shards, conv), [f"{self.membench} claimify - -o - -q {self.o.options} {self.people}"], name="by_conv", output=True), ["by_conv"]

    def compile_claims(self):
        return self.reduce("compile-claims", self.mapped("compile-claims", self.o.input, self.o.options), f"--frames {self.o.options}"), ["entities", "claims"]

    def to_graph(self):
        hops = {h: p for h, p in (("events", self.o.events), ("exports", self.o.exports), ("claims", self.o.claims)) if p}
        given = f"--given {','.join(hops)} {self.o.options} {self.people}"
        self.files([p for paths in hops.values() for p in paths])  # of all together there are so many shards
        mapped = self.way.union([self.mapped("to-graph", paths, f"{given} --hop {hop}") for hop, paths in hops.items()])
        return self.reduce("to-graph", mapped, f"--frames {given}"), ["nodes", "edges"]

    def validate(self):
        mapped = self.way.done(self.way.filtered(self.way.files(self.o.input), [f'{self.membench} shard validate map --name "$FILE" {self.o.options}', self.cut()]))
        given = b"".join(sorted(set(self.way.named(mapped, EVERY))))
        return self.way.filtered(self.way.together(mapped), [f"{self.membench} shard validate reduce", f"{self.membench} shard cut"], given, output=True), ["findings"]

    def cypher(self):
        text = self.way.texts(self.o.input)
        command = f"{self.membench} shard cypher map {self.o.options}"
        sample = self.here(self.sample(self.o.input, max(64, 8 * self.shards)), f"{command} 2> /dev/null")
        keys = sorted(line.partition(b"\t")[0] for line in sample.splitlines())
        bounds = sorted({keys[i * len(keys) // self.shards] for i in range(1, self.shards) if keys})
        mapped = self.way.filtered(text, [command, f'{self.membench} shard cut --bounds "$BOUNDS"'], bounds=b"".join(k + b"\n" for k in bounds))
        parts = self.way.exchanged(mapped)
        groups = [json.loads(line) for text in self.way.counted() for line in text.splitlines()]
        total, before, heads = Counter(), Counter(), {}
        for g in groups:
            total[g["group"]] += g["rows"]
        line = lambda name, n: b"!group\t" + json.dumps({"group": name, "before": n, "rows": total[name]}).encode() + b"\n"
        for g in sorted(groups, key=lambda g: g["part"]):
            heads.setdefault(g["part"], {}).setdefault(g["group"], before[g["group"]])
            before[g["group"]] += g["rows"]
        heads = {part: b"".join(line(*group) for group in of.items()) for part, of in heads.items()}
        self.rest = b"".join(line(name, 0) for name in total)
        reduce = f"{self.membench} shard cypher reduce {self.o.options}"
        return self.way.filtered(parts, [reduce], heads, output=True), ["01-constraints.cypher", "02-nodes.cypher", "03-edges.cypher"]

    def cypher_rest(self, folder):
        """Statements whose rows were in several parts, and what each script starts with."""
        return self.way.filtered(self.way.again(folder), [f"{self.membench} shard cypher reduce --heads {self.o.options}"], self.rest, output=True, always=True)

    def admin_csv(self):
        text = self.way.texts(self.o.input)
        command = f"{self.membench} shard admin-csv %s {self.o.options}"
        surveys = self.way.named(self.way.filtered(text, [command % "survey"], name="survey"), "survey")
        out = self.here(b"".join(surveys), command % "plan")
        planned = {}
        for name, piece in frames_of(io.BytesIO(out)):
            planned[name] = planned.get(name, b"") + piece
        if "plan" not in planned:
            raise SystemExit("membench-spark: no plan of the columns was made, see above")
        plan = planned.pop("plan")
        self.more = planned
        return self.way.filtered(text, [command % "rows"], plan, output=True, silent=True), [os.path.dirname(name) for name in planned if "/" in name]

    def shared(self, step, out):
        """Whether a step reads and writes lines on a disk that all nodes share, and the lists of places are not too long."""
        o = self.o
        if o.exchange == "rows" or step not in ("compile-claims", "to-graph", "validate", "cypher", "admin-csv") or o.format != "jsonl" or o.compression != "none":
            return False
        files = self.files([*o.events, *o.exports, *o.claims] if step == "to-graph" else o.input)
        return self.fs(out).getScheme() == "file" and all(f.startswith("file:") and f.endswith((".jsonl", ".jsonl.gz")) for f in files) and (self.shards <= 1024 or o.exchange == "files")

    def write(self, step, out):
        """Writes the output of a step below out, which appears whole: made aside, then renamed."""
        fs = self.fs(out)
        aside = fs.makeQualified(self.path(out.rstrip("/") + "._making")).toString()
        if fs.exists(self.path(out)):
            part = "" if fs.exists(self.path(f"{out}/manifest.json")) else ", without manifest.json, so it is not whole"
            raise SystemExit(f"membench-spark: {out} is there already{part}: remove it, or name another")
        fs.delete(self.path(aside), True)
        self.new_output()
        self.more = {}
        self.way = Files(self, f"{aside}/_lines".removeprefix("file:")) if self.shared(step, aside) else Rows(self)
        self.spark.sparkContext.setJobDescription(f"membench {step}")
        frame, names = STEPS[step](self)
        end = {"cypher": ".cypher", "admin-csv": ".csv"}.get(step, ".jsonl")
        if self.o.format == "parquet" and all(name in KINDS for name in names):
            frame = frame.persist(StorageLevel.DISK_ONLY)
            for name in names:
                one = frame.where(F.col("name") == name).select("value").mapInArrow(split, "value binary")
                membench_parquet.frame(one, KINDS[name], self.membench).write.parquet(f"{aside}/{name}")
            sums = dict(self.digests.value)
        else:
            self.way.parts(frame, aside, end, 1 if step == "cypher" else 0)
            sums = dict(self.digests.value)
            if step == "cypher":
                self.new_output()
                fs.mkdirs(self.path(f"{aside}/rest"))
                self.way.parts(self.cypher_rest(f"{aside}/rest"), aside, end, 0)
                fs.delete(self.path(f"{aside}/rest"), True)
                sums.update({("rest", *key): s for key, s in self.digests.value.items()})
            for name in names:
                folder = self.path(f"{aside}/{name.removesuffix(end)}")
                if not fs.exists(folder):
                    fs.mkdirs(folder)
                    fs.create(self.path(f"{folder}/part-00000{end}")).close()
        fs.delete(self.path(f"{aside}/_lines"), True)
        for name, text in self.more.items():
            self.file(fs, f"{aside}/{name}", text)
        manifest = {"step": step, "engine": f"spark {self.spark.version}", "shards": self.shards, "outputs": {}, "rejecting_tasks": self.rejected.value}
        for name in names:
            mine = sorted(s for key, s in sums.items() if key[-1] == name)
            manifest["outputs"][name.removesuffix(end)] = {"parts": len(mine), "sha256": hashlib.sha256("".join(s + "\n" for s in mine).encode()).hexdigest()}
        text = (json.dumps(manifest, indent=2, sort_keys=True) + "\n").encode()
        if fs.getScheme() in RENAME:
            self.file(fs, f"{aside}/manifest.json", text)
        if not fs.rename(self.path(aside), self.path(out)):
            raise SystemExit(f"membench-spark: cannot rename {aside} to {out}")
        if fs.getScheme() not in RENAME:
            self.file(fs, f"{out}/manifest.json", text)
        print(f"membench-spark: {step}: wrote {', '.join(f'{out}/{name}' for name in manifest['outputs'])}", file=sys.stderr)
        self.spark.catalog.clearCache()

    def file(self, fs, name, text):
        stream = fs.create(self.path(name))
        stream.write(bytearray(text))
        stream.close()

    def chain(self):
        """Exports, and events where there are any, to claims and a graph."""
        o, out = self.o, self.o.output.rstrip("/")
        self.o.input = o.exports
        self.write("claimify", f"{out}/claims/by_conv")
        self.o.input = [f"{out}/claims/by_conv"]
        self.write("compile-claims", f"{out}/claims/compiled")
        self.o.claims = [f"{out}/claims/compiled/entities", f"{out}/claims/compiled/claims"]
        self.write("to-graph", f"{out}/graph")
        self.o.input = [*o.events, *o.exports, *self.o.claims, f"{out}/graph/nodes", f"{out}/graph/edges"]
        self.write("validate", f"{out}/findings")
        self.o.input = [f"{out}/graph/nodes", f"{out}/graph/edges"]
        self.write("cypher", f"{out}/cypher")


def split(batches):
    """Texts of many lines as rows of one."""
    for batch in batches:
        for text in batch.column("value").to_pylist():
            yield pa.RecordBatch.from_arrays([pa.array(text.split(b"\n"), pa.binary())], ["value"])


STEPS = {"annotate": Steps.annotate, "claimify": Steps.claimify, "compile-claims": Steps.compile_claims, "to-graph": Steps.to_graph, "validate": Steps.validate, "cypher": Steps.cypher, "admin-csv": Steps.admin_csv, "convert": Steps.convert}


JAVA = "-XX:+UseSerialGC -XX:TieredStopAtLevel=1"  # where Spark only schedules: both ask less processor time


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("step", choices=[*STEPS, "chain"])
    p.add_argument("input", nargs="*", help="files and folders")
    for hop in ("events", "exports", "claims"):
        p.add_argument(f"--{hop}", action="append", default=[], help=f"files and folders of {hop} (to-graph, chain; may be repeated)")
    p.add_argument("-o", "--output", required=True, help="folder, which must not be there yet")
    p.add_argument("--master", default="local[*]")
    p.add_argument("--num-shards", type=int, default=0, help="parts of an exchange (default: one a core, or for 128 MB)")
    p.add_argument("--combine", choices=["auto", "yes", "no"], default="auto", help="merge lines where they are read, before the exchange: auto when a sample has a hot key")
    p.add_argument("--exchange", choices=["auto", "files", "rows"], default="auto", help="rows: always by Spark; files: on a disk that all nodes share where input and output are lines there; auto: so up to 1,024 parts")
    p.add_argument("--format", choices=["jsonl", "parquet"], default="jsonl", help="of the output (chain: jsonl)")
    p.add_argument("--kind", default="", help="kind of the records (convert to parquet)")
    p.add_argument("--compression", choices=["none", "gzip"], default="none")
    p.add_argument("--membench", default="membench", help="the program on every node")
    p.add_argument("--people", default="", help="who is who, as text in braces (claimify, to-graph, chain)")
    p.add_argument("--options", default="", help="options for membench's filters, as on a command line")
    p.add_argument("--conf", action="append", default=[], help="KEY=VALUE of Spark (may be repeated)")
    o = p.parse_intermixed_args()
    local = []
    if o.master.startswith("local"):
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
        os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
        moves = o.exchange == "rows" or o.format == "parquet" or o.step in ("annotate", "convert")  # records, through the JVM
        local = [f"spark.driver.extraJavaOptions={'-XX:+UseParallelGC' if moves else JAVA}", "spark.python.unix.domain.socket.enabled=true"]
    builder = SparkSession.builder.master(o.master).appName(f"membench {o.step}")
    for setting in ["spark.sql.execution.arrow.maxRecordsPerBatch=5000", "spark.sql.execution.arrow.maxBytesPerBatch=8388608", "spark.sql.adaptive.enabled=false", "spark.sql.maxConcurrentOutputFileWriters=1000", *local, *o.conf]:
        builder = builder.config(*setting.split("=", 1))
    spark = builder.getOrCreate()
    spark.sparkContext.addPyFile(os.path.join(os.path.dirname(os.path.abspath(__file__)), "membench_parquet.py"))
    s = Steps(spark, o)
    if o.step == "chain":
        s.chain()
    else:
        s.write(o.step, o.output)
    rejected = s.rejected.value
    spark.stop()
    if rejected:
        print(f"membench-spark: {rejected} tasks reported faults in the data: the result is not of all that was given", file=sys.stderr)
        sys.exit(3)


if __name__ == "__main__":
    main()
