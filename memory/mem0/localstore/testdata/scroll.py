"""Opens a local store with Qdrant's own client and scrolls its collection m: prints points and seconds, imports aside."""
import sys, time
from qdrant_client import QdrantClient

start, n, offset = time.perf_counter(), 0, None
client = QdrantClient(path=sys.argv[1])
while True:
    points, offset = client.scroll("m", limit=1000, offset=offset, with_payload=True, with_vectors=False)
    n += len(points)
    if offset is None:
        break
print(n, time.perf_counter() - start)
