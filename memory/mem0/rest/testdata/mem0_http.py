"""Real Mem0 over a local store, behind the paths of Mem0's own server.

The server's source is not on PyPI, so a test wraps the library in the few calls that
membench makes; what is stored and answered is the library's. Prints the port, serves
until standard input ends.

env: STORE (folder), OPENAI_BASE_URL, DIM, COLLECTION
"""
import json, os, sys, threading, urllib.parse
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

store = os.environ["STORE"]
os.environ.update(MEM0_TELEMETRY="False", MEM0_DIR=os.path.join(store, "mem0dir"), OPENAI_API_KEY="no-key")

import importlib.metadata
from mem0 import Memory

TWO = int(importlib.metadata.version("mem0ai").split(".")[0]) >= 2
URL, DIM = os.environ["OPENAI_BASE_URL"], int(os.environ["DIM"])
memory = Memory.from_config({
    "vector_store": {"provider": "qdrant", "config": {"collection_name": os.environ["COLLECTION"], "path": os.path.join(store, "qdrant_storage"), "on_disk": True, "embedding_model_dims": DIM}},
    "llm": {"provider": "openai", "config": {"model": "llm", "openai_base_url": URL, "temperature": 0}},
    "embedder": {"provider": "openai", "config": {"model": "emb", "openai_base_url": URL, "embedding_dims": DIM}},
    "history_db_path": os.path.join(store, "history.db")})
one_at_a_time = threading.Lock()


def call(method, path, query, body):
    if path == "/auth/setup-status":
        return (200, {"needsSetup": False}) if TWO else (404, {"detail": "Not Found"})
    if path == "/configure":
        return (200, {}) if TWO else (405, {"detail": "Method Not Allowed"})
    if path == "/openapi.json":
        return 200, {"components": {"schemas": {"MemoryCreate": {"properties": {"infer": {}}}}}}
    if (method, path) == ("POST", "/memories"):
        return 200, memory.add(body.pop("messages"), **body)
    if (method, path) == ("GET", "/memories"):
        ids = {"user_id": query["user_id"][0]}
        return 200, memory.get_all(filters=ids, top_k=int(query["top_k"][0])) if TWO else memory.get_all(**ids)
    if (method, path) == ("POST", "/search"):
        return 200, memory.search(**body)
    if path.startswith("/memories/"):
        point = path.removeprefix("/memories/")
        if method == "DELETE":
            memory.delete(point)
            return 200, {"message": "Memory deleted successfully"}
        return 200, memory.get(point)
    return 404, {"detail": "Not Found"}


class Handler(BaseHTTPRequestHandler):
    def serve(self):
        u = urllib.parse.urlsplit(self.path)
        raw = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        try:
            with one_at_a_time:
                status, answer = call(self.command, u.path, urllib.parse.parse_qs(u.query), json.loads(raw) if raw else {})
        except Exception as e:
            status, answer = 500, {"detail": f"{type(e).__name__}: {e}"}
        b = json.dumps(answer, ensure_ascii=False).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(b)))
        self.end_headers()
        self.wfile.write(b)

    do_GET = do_POST = do_DELETE = serve

    def log_message(self, *args):
        pass


server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
threading.Thread(target=server.serve_forever, daemon=True).start()
print(server.server_port, flush=True)
sys.stdin.read()
server.shutdown()
