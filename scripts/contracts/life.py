"""life.py CLIENT==VERSION DIR OUT: the life of a memory, by the vendor's own client.

A recorder on loopback answers plausibly and keeps every request. The client gets what a
spec of memory/service would say of the same dialogue (TestRequests has it), so that the
two can be compared member by member. OUT/CLIENT-VERSION.json is the golden file.
"""
import asyncio, datetime, email, http.server, json, os, re, sys, threading, types, urllib.parse

NS, NSU, SESSION, SESSION_NAME = "bm-run-u-1", "bm_run_u_1", "s 1", "s13oir0bjpk1"
WHEN = "2023-05-08T13:56:00+08:00"
SAID = [("user", "Ann", 'I said "yes" \\ ${ns} 你好.', WHEN), ("tool", "tool", "done", WHEN), ("assistant", None, "Fine.", None)]
ASK, K = 'did Ann say "yes"?', 7
TURNS = '["c1:1","c1:2","c1:3"]'
KEY = "sk-MARKED-servicetest"
UUID = "00000000-0000-5000-8000-00000000000%d"


class Recorder(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    specs, step, answers = {}, "", []  # specs: the requests, by the spec that they are held against

    def log_message(self, *a):
        pass

    def serve(self):
        raw = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        if self.headers.get("Transfer-Encoding") == "chunked":
            raw = b""
            while size := int(self.rfile.readline().strip() or b"0", 16):
                raw += self.rfile.read(size)
                self.rfile.readline()
            self.rfile.readline()
        url = urllib.parse.urlsplit(self.path)
        row = {"step": Recorder.step, "method": self.command, "path": url.path,
               "query": {k: v[0] for k, v in urllib.parse.parse_qs(url.query, keep_blank_values=True).items()},
               "key": next((f"{h}: {self.headers[h].replace(KEY, '*')}" for h in ("Authorization", "X-Api-Key") if h in self.headers), "")}
        if "Idempotency-Key" in self.headers:
            row["headers"] = {"Idempotency-Key": "{}"}
        kind = self.headers.get("Content-Type", "")
        if kind.startswith("multipart/"):
            parts = email.message_from_bytes(b"Content-Type: " + kind.encode() + b"\r\n\r\n" + raw).get_payload()
            row["form"] = {p.get_param("name", header="content-disposition") + ("@file" if p.get_filename() else ""): p.get_payload(decode=True).decode() for p in parts}
        elif raw:
            row["body"] = json.loads(raw)
        Recorder.spec.append(row)
        out = next((a for m, p, a in Recorder.answers if m in ("*", self.command) and re.search(p, url.path)), {})
        body = json.dumps(out).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = serve


def spec(name):
    Recorder.spec = Recorder.specs.setdefault(name, [])


def step(name):
    Recorder.step = name


def shells(folder, *packages):
    """Packages whose __init__ would import a world: empty, with their files still found."""
    for p in packages:
        m = types.ModuleType(p)
        m.__path__ = [os.path.join(folder, *p.split("."))]
        sys.modules[p] = m


def plain(text_of, **more):
    """Messages as the chat APIs take them."""
    return [{"role": "assistant" if r == "tool" else r, "content": text_of(r, n, t, w)} for r, n, t, w in SAID]


def named(r, n, t, w):
    return f"{n}: {t}" if n else t


def lines():
    return "\n".join(f"{'[' + w[:10] + '] ' if w else ''}{n or 'speaker'} ({r}): {t}" for r, n, t, w in SAID)


def mem0(url, folder):
    spec("mem0-platform")
    os.environ["MEM0_TELEMETRY"] = "False"
    shells(folder, "mem0", "mem0.client", "mem0.memory")  # the package imports the whole library
    for name in ("mem0.memory.telemetry", "mem0.memory.setup"):
        m = types.ModuleType(name)
        m.capture_client_event = lambda *a, **k: None
        m.get_user_id = lambda: "u"
        m.setup_config = lambda: None
        m.client_telemetry = types.SimpleNamespace(posthog=None)
        m.__getattr__ = lambda n: (lambda *a, **k: None)
        sys.modules[name] = m
    Recorder.answers = [("*", "ping", {"user_email": "a@b.c", "org_id": "org", "project_id": "project"}), ("*", "add/$", {"event_id": "task-1", "status": "PENDING"}),
                        ("*", "event", {"status": "SUCCEEDED"}), ("*", "", {"count": 0, "results": []})]
    from mem0.client.main import MemoryClient
    step("ping")
    c = MemoryClient(api_key=KEY, host=url)
    v2 = VERSION.startswith("2")
    step("ingest")
    c.add(plain(named), user_id=NS, run_id=SESSION_NAME, timestamp=1683525360, metadata={"membench_turns": TURNS})
    step("search")
    c.search(ASK, filters={"user_id": NS}, top_k=K, threshold=0)
    step("list")
    c.get_all(filters={"user_id": NS}, page=1, page_size=100)
    step("update")
    c.update("mem-1", text="Ann said no.")
    step("delete")
    c.delete("mem-1")
    step("drop")
    c.delete_users(user_id=NS)
    step("clear")
    c.delete_all(user_id=NS)


def letta(url, folder):
    spec("letta-archival")
    agent = {"id": "agent-1", "name": NS, "messages": [{"id": "message-1", "message_type": "assistant_message", "content": "yes", "date": WHEN}], "results": [], "count": 0}
    Recorder.answers = [("*", "archival-memory$", []), ("*", "", agent)]
    from letta_client import Letta
    c = Letta(base_url=url, api_key=KEY)
    step("ping")
    c.health()
    step("open")
    a = c.agents.create(name=NS, model="provider/model", embedding="provider/model", memory_blocks=[], include_base_tools=False, initial_message_sequence=[])
    step("ingest")
    for i, (r, n, t, w) in enumerate(SAID):
        c.agents.passages.create(a.id, text=named(r, n, t, w), tags=["session=" + SESSION, f"c1:{i + 1}"], **({"created_at": w} if w else {}))
    step("search")
    c.agents.passages.search(a.id, query=ASK, top_k=K)
    step("list")
    c.agents.passages.list(a.id, limit=100, ascending=True)
    step("delete")
    c.agents.passages.delete("passage-1", agent_id=a.id)
    step("drop")
    c.agents.delete(a.id)
    spec("letta-agent")
    step("ping")
    c.health()
    step("open")
    a = c.agents.create(name=NS, model="provider/model", embedding="provider/model",
                        memory_blocks=[{"label": "human", "value": ""}, {"label": "persona", "value": "I remember what I am told and answer questions about it."}])
    step("ingest")
    c.agents.messages.create(a.id, messages=[{"role": "user", "content": "\n".join(f"{'[' + w[:10] + '] ' if w else ''}{n or 'speaker'}: {t}" for r, n, t, w in SAID)}])
    step("search")
    c.agents.messages.create(a.id, messages=[{"role": "user", "content": ASK}])
    step("list")
    c.agents.blocks.list(a.id)
    step("update")
    c.agents.blocks.update("human", agent_id=a.id, value="Ann said no.")
    step("drop")
    c.agents.delete(a.id)


def zep3(url, folder):
    spec("zep-v3")
    Recorder.answers = [("*", "messages$", {"message_uuids": [UUID % 1], "task_id": "task-1"}), ("*", "/tasks/", {"status": "succeeded"}),
                        ("*", "graph/edge/user", []), ("*", "", {})]
    from zep_cloud import Message
    from zep_cloud.client import Zep
    c = Zep(api_key=KEY, base_url=url + "/api/v2")
    step("ping")
    c.user.list_ordered(page_number=1, page_size=1)
    step("open")
    c.user.add(user_id=NS, first_name="u")
    step("begin_session")
    c.thread.create(thread_id=NS + "-" + SESSION_NAME, user_id=NS)
    step("ingest")
    c.thread.add_messages(NS + "-" + SESSION_NAME, messages=[
        Message(role=r, content=t, metadata={"membench_turn": f"c1:{i + 1}"}, **({"name": n} if n else {}), **({"created_at": w} if w else {})) for i, (r, n, t, w) in enumerate(SAID)])
    step("settle")
    c.task.get("task-1")
    step("search")
    c.graph.search(user_id=NS, query=ASK, limit=K, scope="edges", reranker="cross_encoder")
    step("list")
    c.graph.edge.get_by_user_id(NS, limit=100)
    step("update")
    c.user.update(NS, first_name="Ann")
    step("delete")
    c.graph.edge.delete("edge-1")
    step("drop")
    c.user.delete(NS)


def zep4(url, folder):
    spec("zep-v4")
    user, thread = UUID % 1, UUID % 2
    Recorder.answers = [("POST", "/users$", {"uuid": user, "graph_uuid": UUID % 3}), ("POST", "/threads$", {"uuid": thread}),
                        ("POST", "/messages$", {"messages": [{"uuid": UUID % 4}], "task": {"uuid": UUID % 5}}),
                        ("GET", "/tasks/", {"uuid": UUID % 5, "status": "succeeded"}), ("*", "", {"items": []})]
    from zep_cloud import AddMessage
    from zep_cloud.client import Zep
    c = Zep(api_key=KEY, base_url=url + "/api/v4")
    step("ping")
    c.user.list(page_size=1).items
    step("open")
    u = c.user.create(first_name="u", metadata={"membench": NS})
    step("begin_session")
    t = c.thread.create(user_uuid=u.uuid_)
    step("ingest")
    c.thread.add_messages(t.uuid_, messages=[
        AddMessage(role=r, content=x, metadata={"membench_turn": f"c1:{i + 1}"}, **({"name": n} if n else {}), **({"reference_time": w} if w else {})) for i, (r, n, x, w) in enumerate(SAID)])
    step("settle")
    c.task.get(UUID % 5)
    step("search")
    c.graph.search_edges(u.graph_uuid, query=ASK, page_size=K, reranker="cross_encoder").items
    step("list")
    c.graph.edge.list(u.graph_uuid, page_size=100).items
    step("update")
    c.graph.edge.update(u.graph_uuid, UUID % 6, fact="Ann said no.")
    step("delete")
    c.graph.edge.delete(u.graph_uuid, UUID % 6)
    step("drop")
    c.user.delete(u.uuid_)


def supermemory3(url, folder):
    spec("supermemory")
    Recorder.answers = [("*", "v4/search", {"results": [], "timing": 1, "total": 0}), ("*", "", {"id": UUID % 1, "status": "done"})]
    from supermemory import Supermemory
    c = Supermemory(api_key=KEY, base_url=url)
    step("ping")
    c.documents.list_processing()
    step("ingest")
    c.add(content=lines(), container_tag=NSU, custom_id="a1ed21fd16ff5add9b66b5f9969191af-0", dreaming="instant", document_date=WHEN,
          metadata={"session": SESSION, "membench_turns": TURNS})
    step("settle")
    c.documents.get(UUID % 1)
    step("search")
    c.search.memories(q=ASK, container_tag=NSU, search_mode="hybrid", limit=K, threshold=0, include={"documents": True})
    step("list")
    c.documents.list(container_tags=[NSU], page=1, limit=100, sort="createdAt", order="asc")
    step("update")
    c.documents.update(UUID % 1, content="Ann said no.")
    step("delete")
    c.memories.forget(container_tag=NSU, id="mem-1")
    step("drop")
    c.documents.delete_bulk(container_tags=[NSU])


def supermemory5(url, folder):
    spec("supermemory-5")
    stamp = {"createdAt": WHEN, "updatedAt": WHEN}
    Recorder.answers = [("GET", "/document", {"id": "d", "type": "text", "metadata": {}, "system": {"status": "done", "dreamingStatus": "done", **stamp}}),
                        ("*", "/search", {"results": [], "searchTime": 1}),
                        ("*", "/list", {"documents": [], "chunks": [], "memories": [], "pagination": {"currentPage": 1, "totalItems": 0, "totalPages": 0}}),
                        ("DELETE", "", {"status": "deleted", "namespace": NSU, "deletedDocumentsCount": 1, "deletedMemoriesCount": 1}),
                        ("*", "", {"id": "d", "status": "queued", "namespaces": []})]
    from supermemory import Supermemory
    c = Supermemory(api_key=KEY, base_url=url)
    step("ping")
    c.namespaces.list(page=1, limit=1)
    step("ingest")
    c.add(NSU, content=lines(), id="a1ed21fd16ff5add9b66b5f9969191af-0", dreaming="instant", date=WHEN, metadata={"session": SESSION, "membench_turns": TURNS})
    step("settle")
    c.documents.get(NSU, "a1ed21fd16ff5add9b66b5f9969191af-0")
    step("search")
    c.search(NSU, query=ASK, search_mode="hybrid", limit=K, threshold=0, include={"documents": True})
    step("list")
    c.list(NSU, "memories", page=1, limit=100, sort="createdAt", order="asc")
    step("update")
    c.documents.update(NSU, "doc-1", content="Ann said no.")
    step("delete")
    c.memories.forget(NSU, ids=["mem-1"])
    step("drop")
    c.namespaces.delete(NSU)


def memobase(url, folder):
    spec("memobase")
    uid = UUID % 1
    sys.modules["openai"] = types.ModuleType("openai")
    sys.modules["openai"].OpenAI = sys.modules["openai"].AsyncOpenAI = object
    Recorder.answers = [("*", "/context/", {"data": {"context": ""}, "errno": 0, "errmsg": ""}), ("*", "/profile/[^/]*$", {"data": {"profiles": []}, "errno": 0, "errmsg": ""}),
                        ("*", "", {"data": {"id": uid, "ids": []}, "errno": 0, "errmsg": ""})]
    from memobase import ChatBlob, MemoBaseClient
    c = MemoBaseClient(api_key=KEY, project_url=url)
    step("ping")
    c.ping()
    step("open")
    c.add_user(data={"membench": "run/u/1"})
    u = c.get_user(uid, no_get=True)
    step("ingest")
    u.insert(ChatBlob(messages=[{"role": "user" if r == "user" else "assistant", "content": t, **({"alias": n} if n else {}), **({"created_at": w} if w else {})} for r, n, t, w in SAID]), sync=True)
    step("end_session")
    u.flush(sync=True)
    step("settle")
    u.buffer("chat", "processing")
    u.buffer("chat", "failed")
    step("search")
    u.context(max_token_size=1500, chats=[{"role": "user", "content": ASK}])
    step("list")
    u.profile()
    step("update")
    u.update_profile("profile-1", "Ann said no.", "talk", "answer")
    step("delete")
    u.delete_profile("profile-1")
    step("drop")
    c.delete_user(uid)


def cognee(url, folder):
    spec("cognee")
    shells(folder, "cognee", "cognee.api", "cognee.api.v1", "cognee.api.v1.serve", "cognee.api.v1.update", "cognee.modules", "cognee.modules.ingestion", "cognee.modules.ingestion.data_types", "cognee.shared")
    logs = types.ModuleType("cognee.shared.logging_utils")
    import hashlib, logging
    logs.get_logger = logging.getLogger
    sys.modules["cognee.shared.logging_utils"] = logs
    text = types.ModuleType("cognee.modules.ingestion.data_types.TextData")  # names an upload by its hash, as the original does

    class Text:
        def __init__(self, t):
            self.t = t

        def get_metadata(self):
            return {"name": "text_" + hashlib.md5(self.t.encode()).hexdigest() + ".txt"}
    text.create_text_data = Text
    sys.modules[text.__name__] = text
    result = types.ModuleType("cognee.api.v1.update.result")  # the schema of an answer, with the server's types
    result.UpdateResult = types.SimpleNamespace(model_validate=lambda x: types.SimpleNamespace(model_dump=lambda: x))
    sys.modules[result.__name__] = result
    did = UUID % 1
    Recorder.answers = [("*", "/add$", {"status": "PipelineRunCompleted", "pipeline_run_id": UUID % 2, "dataset_id": did, "dataset_name": NSU}),
                        ("*", "/cognify", {did: {"status": "PipelineRunCompleted"}}), ("*", "/search", []), ("*", "/data$", []), ("*", "", {})]
    from cognee.api.v1.serve.cloud_client import CloudClient

    async def live():
        c = CloudClient(url, KEY)
        step("ping")
        await c._auth_check()
        step("ingest")
        await c.add(lines(), dataset_name=NSU)
        step("end_session")
        await c.cognify(datasets=[NSU])
        step("search")
        await c.search(ASK, search_type="CHUNKS", datasets=[NSU], top_k=K)
        step("list")
        await c.list_data(did)
        step("update")
        await c.update(UUID % 3, "Ann said no.", did)
        step("delete")
        await c.forget(data_id=UUID % 3, dataset=NSU)
        step("drop")
        await c.forget(dataset=NSU)
        await c.close()
    asyncio.run(live())


def memu(url, folder):
    spec("memu-server")
    shells(folder, "memu", "memu.utils", "memu.sdk")
    logs = types.ModuleType("memu.utils.logging")
    import logging
    logs.get_logger = logging.getLogger
    sys.modules["memu.utils.logging"] = logs
    Recorder.answers = [("GET", "/status/", {"task_id": "task-1", "status": "SUCCESS"}), ("*", "/memorize$", {"task_id": "task-1", "status": "PENDING", "message": ""}),
                        ("*", "related-memory-items", {"related_memories": [], "query": ASK, "total_found": 0, "search_params": {}}),
                        ("*", "default-categories", {"categories": [], "total_categories": 0}), ("*", "delete", {"success": True, "deleted_count": 1}), ("*", "", {})]
    from memu.sdk.python.client import MemuClient
    c = MemuClient(base_url=url, api_key=KEY)
    step("ingest")
    c.memorize_conversation([{"role": "assistant" if r == "tool" else r, "content": named(r, n, t, w), **({"time": w} if w else {})} for r, n, t, w in SAID],
                            user_id=NS, user_name="u", agent_id="membench", agent_name="bot", session_date=WHEN)
    step("settle")
    c.get_task_status("task-1")
    step("search")
    c.retrieve_related_memory_items(user_id=NS, query=ASK, top_k=K, min_similarity=0)
    step("list")
    c.retrieve_default_categories(user_id=NS, want_memory_items=True)
    step("drop")
    c.delete_memories(user_id=NS)


def memos(url, folder):
    spec("memos-cloud")
    shells(folder, "memos", "memos.api", "memos.types")
    import logging
    log, kinds = types.ModuleType("memos.log"), sys.modules["memos.types"]
    log.get_logger = logging.getLogger
    sys.modules["memos.log"] = log
    import typing
    for name in ("MessageList", "MessagesType", "PermissionDict", "SearchMode"):
        setattr(kinds, name, typing.Any)
    kinds.SearchMode = types.SimpleNamespace(FAST="fast", FINE="fine", MIXTURE="mixture", NOT_INITIALIZED="")
    src = open(os.path.join(folder, "memos/api/product_models.py")).read()
    models = types.ModuleType("memos.api.product_models")  # only the answers' models are wanted; requests of its own server use types that import the library
    import pydantic
    ns = models.__dict__
    ns.update(Any=typing.Any, Literal=typing.Literal, BaseModel=pydantic.BaseModel, Field=pydantic.Field)
    for m in re.finditer(r"^class (\w+)\(BaseModel\):\n(?:.+\n|\n(?=    |\n+    ))+", src, re.M):
        if m.group(1).startswith(("MemOS", "Get", "Search", "Add", "Delete", "Message", "Memory", "Task", "Chat", "File", "Knowledge", "Create")):
            try:
                exec(m.group(0), ns)
            except NameError:
                pass
    models.__getattr__ = lambda n: pydantic.BaseModel
    sys.modules["memos.api.product_models"] = models
    Recorder.answers = [("*", "add/message", {"code": 0, "message": "ok", "data": {"success": True, "task_id": "task-1", "status": "running"}}),
                        ("*", "get/status", {"code": 0, "message": "ok", "data": [{"task_id": "task-1", "status": "completed"}]}),
                        ("*", "", {"code": 0, "message": "ok", "data": {"success": True, "memory_detail_list": [], "preference_note": ""}})]
    from memos.api.client import MemOSClient
    c = MemOSClient(api_key=KEY, base_url=url + "/api/openmem/v1")
    step("ingest")
    c.add_message([{"role": "assistant" if r == "tool" else r, "content": named(r, n, t, w), **({"chat_time": w} if w else {})} for r, n, t, w in SAID],
                  user_id=NSU, conversation_id=SESSION_NAME, async_mode=True)
    step("settle")
    c.get_task_status("task-1")
    step("search")
    c.search_memory(ASK, user_id=NSU, memory_limit_number=K, include_preference=False, relativity=0)
    step("list")
    c.get_memory(user_id=NSU, include_preference=False, include_tool_memory=False, page=1, size=50)
    step("update")
    c.update_memory("mem-1", content="Ann said no.")
    step("delete")
    c.delete_memory(memory_ids=["mem-1"])
    step("drop")
    c.delete_memory(user_id=NSU)


def hindsight(url, folder):
    spec("hindsight")
    features = dict.fromkeys("observations mcp worker bank_config_api bank_llm_health file_upload_api document_export_api document_import_api audit_log llm_trace store_document_text".split(), False)
    bank = {"bank_id": NSU, "name": NSU, "mission": "", "disposition": {"skepticism": 3, "literalism": 3, "empathy": 3}}
    Recorder.answers = [("PUT", "/banks/[^/]*$", bank), ("POST", "/recall$", {"results": []}), ("GET", "/memories/list", {"items": [], "total": 0, "limit": 100, "offset": 0}),
                        ("POST", "/memories$", {"success": True, "bank_id": NSU, "items_count": 3, "async": False}),
                        ("GET", "/version", {"version": "1.1.0", "api_version": "1.1.0", "features": features}), ("*", "", {"success": True})]
    from hindsight_client import Hindsight
    from hindsight_client_api.models.update_memory_request import UpdateMemoryRequest
    c = Hindsight(base_url=url, api_key=KEY)
    step("ping")
    c.get_version()
    step("open")
    c.create_bank(NSU, name=NSU)
    step("ingest")
    c.retain_batch(NSU, items=[{"content": named(r, n, t, w), "timestamp": w or "2026-03-01T12:00:00Z", "context": SESSION, "metadata": {"membench_turn": f"c1:{i + 1}"}, "tags": [f"c1:{i + 1}"]}
                               for i, (r, n, t, w) in enumerate(SAID)], document_id="a1ed21fd16ff5add9b66b5f9969191af-0", retain_async=False)
    step("search")
    c.recall(NSU, ASK, max_tokens=4096, budget="mid")
    step("list")
    c.list_memories(NSU, limit=100, offset=0)
    step("update")
    import hindsight_client.hindsight_client as h
    try:
        h._run_async(c.memory.update_memory(NSU, "mem-1", UpdateMemoryRequest(text="Ann said no.")))
    except Exception:  # the answer's model is strict; the request was recorded
        pass
    step("drop")
    c.delete_bank(NSU)
    c.close()


def everos(url, folder):
    spec("everos")
    Recorder.answers = [("*", "/get", {"data": {"episodes": [], "total_count": 0}}), ("*", "", {"data": {}})]
    from everos import EverOS
    c = EverOS(api_key=KEY, base_url=url)
    step("ingest")
    m = c.v1.memories
    ms = lambda w: int(datetime.datetime.fromisoformat(w or "2026-03-01T12:00:00+00:00").timestamp() * 1000)
    m.add(user_id=NSU + "_user", session_id=SESSION, messages=[{"role": r, "sender_id": f"{NSU}_{r}", **({"sender_name": n} if n else {}), "timestamp": ms(w), "content": t} for r, n, t, w in SAID])
    step("end_session")
    m.flush(user_id=NSU + "_user", session_id=SESSION)
    step("search")
    m.search(query=ASK, method="hybrid", top_k=K, filters={"user_id": NSU + "_user"})
    step("list")
    m.get(filters={"user_id": NSU + "_user"}, memory_type="episodic_memory", page=1, page_size=100)
    step("delete")
    m.delete(memory_id="mem-1")
    step("drop")
    m.delete(user_id=NSU + "_user")


LIVES = {"mem0ai": mem0, "letta-client": letta, "zep-cloud==3": zep3, "zep-cloud==4": zep4, "supermemory==3": supermemory3, "supermemory==5": supermemory5,
         "memobase": memobase, "cognee": cognee, "memu-py": memu, "MemoryOS": memos, "hindsight-client": hindsight, "everos": everos}

if __name__ == "__main__":
    client, folder, out = sys.argv[1:4]
    name, VERSION = client.split("==")
    sys.path.insert(0, folder)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Recorder)
    server.handle_error = lambda *a: None  # a client that leaves without a word
    threading.Thread(target=server.serve_forever, daemon=True).start()
    life = LIVES.get(name) or LIVES[f"{name}=={VERSION.split('.')[0]}"]
    life(f"http://127.0.0.1:{server.server_port}", folder)
    path = os.path.join(out, f"{name}-{VERSION}.json")
    with open(path, "w") as f:
        json.dump({"client": name, "version": VERSION, "specs": Recorder.specs}, f, ensure_ascii=False, indent=1, sort_keys=True)
        f.write("\n")
    print(f"{client}: {sum(map(len, Recorder.specs.values()))} requests", flush=True)
    os._exit(0)
