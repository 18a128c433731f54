"""An evaluation in n shards, a task of Spark each, and then the whole run.

    spark-submit spark.py OUT N -- what 'membench eval run' is given, without -o and --shard

OUT must be a folder that all nodes share. A shard that died is started again by Spark (on a
cluster) or by the same command; either goes on where it stopped.
"""
import os
import subprocess
import sys

from pyspark.sql import SparkSession

out, n, options = sys.argv[1], int(sys.argv[2]), sys.argv[4:]
membench = os.environ.get("MEMBENCH", "membench")


def shard(i):
    subprocess.run([membench, "eval", "run", *options, "-o", f"{out}/part-{i}", "--shard", f"{i}/{n}"], check=True)


spark = SparkSession.builder.appName("membench eval").getOrCreate()
spark.sparkContext.parallelize(range(n), n).foreach(shard)
spark.stop()
sys.exit(subprocess.run([membench, "eval", "merge", *(f"{out}/part-{i}" for i in range(n)), "-o", f"{out}/whole"]).returncode)
