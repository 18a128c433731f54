#!/usr/bin/env python3
"""Runs the original package of a memory system over invented dialogues, with scripted
answers of a model and made-up vectors, and records what it keeps and finds.

    parity.py SYSTEM DIRECTORY      # writes DIRECTORY/SYSTEM-{en,zh,changes}.json

SYSTEM is one of RUN below. What no package holds is run from a checkout in the folder
that $PARITY_SOURCES names. Each recording holds the dialogue, every answer that the
original was given (by purpose, in order, in the shape that membench asks for), what each
exchange changed, what was kept in the end, and the ranked hits of twenty questions.
TestParity of memory/baseline plays the same answers to ours and compares.
"""
import contextlib, copy, hashlib, io, json, math, os, re, sys, tempfile, types
from importlib import metadata

DIM = 64


def features(text):
    for w in re.findall(r"[a-z0-9]+", text.lower()):
        yield "w:" + w, 1.0
    for run in re.findall(r"[\u4e00-\u9fff]+", text):
        for c in run:
            yield "c:" + c, 0.5
        for a, b in zip(run, run[1:]):
            yield "b:" + a + b, 1.0


def embed(text):
    v = [0.0] * DIM
    for f, w in features(text):
        h = hashlib.md5(f.encode()).digest()
        v[int.from_bytes(h[:4], "big") % DIM] += w if h[4] & 1 else -w
    for j in range(DIM):  # a little of everything: no two texts are equally far from a third
        v[j] += 0.2 * (hashlib.md5(f"{j // 16}:{text}".encode()).digest()[j % 16] / 255 - 0.5)
    n = math.sqrt(sum(x * x for x in v))
    return [x / n for x in v]


# --- the dialogues: invented ---------------------------------------------------------

PEOPLE = ["Ines", "Marco", "Lena", "Tomas", "Greta", "Ravi", "Olga", "Pedro"]
TOWNS = ["Porto", "Ghent", "Turin", "Bergen", "Graz", "Malmo", "Lyon", "Cork"]
WORK = ["Bakery Nord", "Harbour Radio", "Kite Works", "City Library"]
LIKES = ["herons", "old maps", "cold soup", "long trains", "red kites"]
ZH = ["小林", "阿梅", "老周", "小雨", "大伟", "晓云"]
ZH_TOWNS = ["北京", "成都", "厦门", "大理", "青岛"]
ZH_LIKES = ["普洱茶", "登山", "老电影", "桂花糕", "摄影"]


def english(changes):
    out, n = [], 0
    for i in range(34):
        who = PEOPLE[i % 8]
        said = [
            f"{who} lives in {TOWNS[(i * 3) % 8]}.",
            f"{who} works at {WORK[i % 4]}.",
            f"{who} likes {LIKES[i % 5]}.",
        ][(i // 8) % 3]
        if changes and i >= 20:
            said = [
                f"{who} lives in {TOWNS[(i * 5 + 1) % 8]}.",
                f"Forget that {PEOPLE[(i + 1) % 8]} likes {LIKES[(16 + (i + 1) % 8) % 5]}.",
                f"{who} works at {WORK[(i + 1) % 4]}.",
            ][i % 3]
        out.append((said, f"Noted, that was message {i + 1}.", i))
    return out


def chinese():
    out = []
    for i in range(32):
        who = ZH[i % 6]
        said = [f"{who}住在{ZH_TOWNS[i % 5]}。", f"{who}喜欢{ZH_LIKES[(i * 2) % 5]}。"][(i // 6) % 2]
        out.append((said, f"好的，这是第{i + 1}条。", i))
    return out


def dialogue(name):
    pairs = chinese() if name == "zh" else english(name == "changes")
    turns = []
    for user, agent, i in pairs:
        at = f"2025-03-{1 + i // 4:02d}T{8 + i % 4:02d}:00:00"
        turns.append({"role": "user", "text": user, "time": at})
        turns.append({"role": "assistant", "text": agent, "time": at})
    return turns


def questions(name):
    if name == "zh":
        return [f"{ZH[i % 6]}{'住在哪里' if i % 2 else '喜欢什么'}？第{i}问" for i in range(20)]
    return [f"{['Where does', 'What does', 'At which place does'][i % 3]} {PEOPLE[i % 8]} {['live', 'like', 'work'][i % 3]}, question {i}?" for i in range(20)]


# --- the scripted model --------------------------------------------------------------

FACT = re.compile(r"^(\w+) (lives in|works at|likes) (.+?)\.?$")
ZH_FACT = re.compile(r"^(.{2})(住在|喜欢)(.+?)。?$")
SINGLE = {"lives in", "works at", "住在"}


def parse(text):
    m = FACT.match(text) or ZH_FACT.match(text)
    return m.groups() if m else None


def statement(line):
    line = line.strip()
    if re.match(r"^Forget that ", line) or parse(line):
        return line.rstrip(".。")
    return None


class Script:
    """Answers by purpose, and keeps what it said."""

    def __init__(self):
        self.answers = []

    def say(self, purpose, ours, theirs):
        self.answers.append({"purpose": purpose, "answer": json.dumps(ours, ensure_ascii=False)})
        return theirs if isinstance(theirs, str) else json.dumps(theirs, ensure_ascii=False)

    def facts(self, lines):
        return [s for s in map(statement, lines) if s]

    def update(self, old, facts):
        out, nxt = [], 1000
        for f in facts:
            gone = re.match(r"^Forget that (.+)$", f)
            if gone:
                for o in old:
                    if o["text"] == gone.group(1):
                        out.append({"id": o["id"], "text": o["text"], "event": "DELETE"})
                continue
            same = [o for o in old if o["text"] == f]
            if same:
                out.append({"id": same[0]["id"], "text": f, "event": "NONE"})
                continue
            who, verb, _ = parse(f)
            rival = [o for o in old if parse(o["text"]) and parse(o["text"])[:2] == (who, verb)]
            if rival and verb in SINGLE:
                out.append({"id": rival[0]["id"], "text": f, "event": "UPDATE", "old_memory": rival[0]["text"]})
            else:
                out.append({"id": str(nxt), "text": f, "event": "ADD"})
                nxt += 1
        return {"memory": out}


class Fake(types.ModuleType):
    """A module that is not installed, and whose names are only mentioned at import."""

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return type(name, (), {})


class SentenceTransformer:
    prompts = {}

    def __init__(self, *a, **k):
        pass

    def get_sentence_embedding_dimension(self):
        return DIM

    def encode(self, texts, *a, **k):
        import numpy as np

        if isinstance(texts, str):
            return np.array(embed(texts), dtype=np.float32)
        return np.array([embed(t) for t in texts], dtype=np.float32)


def fake(*names, **members):
    for n in names:
        m = Fake(n)
        m.__path__ = []
        m.__spec__ = None
        for k, v in members.items():
            setattr(m, k, v)
        sys.modules[n] = m


def pairs(turns):
    return [turns[i : i + 2] for i in range(0, len(turns), 2)]


# --- the originals -------------------------------------------------------------------

os.environ.update(MEM0_TELEMETRY="False", OPENAI_API_KEY="no-key", ANONYMIZED_TELEMETRY="False", TZ="UTC")


def mem0(turns, asks, script, graph=False):
    os.environ["MEM0_DIR"] = tempfile.mkdtemp()
    import mem0.memory.main as main

    second = metadata.version("mem0ai").startswith("2.")
    store = tempfile.mkdtemp()
    conf = {
        "vector_store": {"provider": "qdrant", "config": {"collection_name": "c", "path": store + "/q", "on_disk": True, "embedding_model_dims": DIM}},
        "llm": {"provider": "openai", "config": {"model": "m"}},
        "embedder": {"provider": "openai", "config": {"model": "e", "embedding_dims": DIM}},
        "history_db_path": store + "/h.db",
    }
    if graph:
        conf["graph_store"] = {"provider": "kuzu", "config": {"db": store + "/g"}}
    m = main.Memory.from_config(conf)
    stash = {}
    for mod, name in [(main, "get_update_memory_messages"), (main, "get_fact_retrieval_messages"), (main, "generate_additive_extraction_prompt")]:
        if hasattr(mod, name):
            def wrap(real, name):
                def f(*a, **k):
                    stash["last"] = (name, a, k)
                    return real(*a, **k)
                return f
            setattr(mod, name, wrap(getattr(mod, name), name))

    def generate(messages, response_format=None, tools=None, **_):
        if tools:
            return graph_answer(messages, tools)
        name, a, k = stash["last"]
        if name == "get_update_memory_messages":
            ours = script.update(a[0], a[1])
            return script.say("update", ours, ours)
        if name == "get_fact_retrieval_messages":
            f = script.facts(l.split(": ", 1)[-1] for l in a[0].splitlines())
            return script.say("facts", {"facts": f}, {"facts": f})
        f = script.facts(l.split(": ", 1)[-1] for l in k["new_messages"].splitlines())
        ours = {"memory": [{"id": str(i), "text": x, "attributed_to": "user"} for i, x in enumerate(f)]}
        return script.say("additive", {"memory": [{"text": x, "attributed_to": "user"} for x in f]}, ours)

    def triples(text):
        out = []
        for l in text.splitlines():
            s = statement(l.split("Text: ")[-1])
            if s and parse(s):
                who, verb, what = parse(s)
                out.append({"source": who, "relationship": verb, "destination": what})
        return out

    def graph_answer(messages, tools):
        tool = tools[0]["function"]["name"]
        text = messages[-1]["content"]
        if tool == "extract_entities":
            names = [n for n in PEOPLE + TOWNS + WORK + LIKES + ZH + ZH_TOWNS + ZH_LIKES if n in text]
            script.say("things", {"things": names}, "")
            return {"tool_calls": [{"name": tool, "arguments": {"entities": [{"entity": n, "entity_type": "thing"} for n in names]}}]}
        if tool.startswith("establish_relat"):
            t = triples(text)
            script.say("relations", {"relations": [{"source": x["source"], "relation": x["relationship"], "destination": x["destination"]} for x in t]}, "")
            return {"tool_calls": [{"name": tool, "arguments": {"entities": t}}]}
        known = re.findall(r"^(\S+) -- (\S+) -- (\S+)$", text, re.M)
        new = [(x["source"].lower(), x["relationship"].replace(" ", "_"), x["destination"].lower().replace(" ", "_")) for l in text.splitlines() for x in triples(l)]
        gone = []
        for k in known:
            for n in new:
                if k[0] == n[0] and k[1] == n[1] and k[2] != n[2] and n[1] in {"lives_in", "works_at", "住在"} and k not in gone:
                    gone.append(k)
        script.say("outdated", {"relations": [{"source": a, "relation": b, "destination": c} for a, b, c in gone]}, "")
        return {"tool_calls": [{"name": "delete_graph_memory", "arguments": {"source": a, "relationship": b, "destination": c}} for a, b, c in gone]}

    m.llm.generate_response = generate
    emb = m.embedding_model
    emb.embed = lambda text, *a, **k: embed(text)
    if hasattr(emb, "embed_batch"):
        emb.embed_batch = lambda texts, *a, **k: [embed(t) for t in texts]
    if graph:
        m.graph.llm.generate_response = generate
        m.graph.embedding_model.embed = lambda text, *a, **k: embed(text)
        # one after the other: what is asked has then an order
        vector, add_graph = m._add_to_vector_store, m._add_to_graph
    steps = []
    for p in pairs(turns):
        msgs = [{"role": t["role"], "content": t["text"]} for t in p]
        if graph:
            filters = {"user_id": "u"}
            r = {"results": vector(msgs, {"user_id": "u"}, filters, True)}
            add_graph(msgs, dict(filters))
        else:
            r = m.add(msgs, user_id="u")
        steps.append([{"op": x["event"], "text": x["memory"]} for x in r["results"]])
    got = m.get_all(**({"filters": {"user_id": "u"}, "top_k": 1000} if second else {"user_id": "u", "limit": 1000}))["results"]
    kept = [{"kind": "fact", "text": x["memory"]} for x in got]
    hits = []
    for q in asks:
        if graph:
            facts = m._search_vector_store(q, {"user_id": "u"}, 10)
            rel = m.graph.search(q, {"user_id": "u"}, 5)
            hits.append([{"kind": "fact", "text": x["memory"]} for x in facts] + [{"kind": "triple", "text": f"{x['source']} -- {x['relationship']} -- {x['destination']}"} for x in rel])
        else:
            r = m.search(q, **({"filters": {"user_id": "u"}, "top_k": 10} if second else {"user_id": "u", "limit": 10}))
            hits.append([{"text": x["memory"], "score": x["score"]} for x in r["results"]])
    if graph:
        kept += [{"kind": "triple", "text": f"{x['source']} -- {x['relationship']} -- {x['target']}"} for x in m.graph.get_all({"user_id": "u"}, 1000)]
    m.vector_store.client.close()
    return steps, kept, hits


def memoryos(turns, asks, script):
    fake("sentence_transformers", SentenceTransformer=SentenceTransformer)
    import memoryos.utils as utils
    from memoryos import Memoryos
    import memoryos.mid_term as mid, memoryos.short_term as short, memoryos.long_term as long, memoryos.updater as upd, memoryos.retriever as ret, memoryos.memoryos as top

    for mod in (utils, mid, short, long, upd, ret, top):
        mod.get_timestamp = lambda: "2025-03-01 08:00:00"
    keywords = {}

    def chat(self, model, messages, temperature=0.7, max_tokens=2000):
        system, user = messages[0]["content"], messages[-1]["content"]
        lines = lambda: re.findall(r"User: (.*?)(?: \(Timestamp.*)?$", user, re.M)
        if "continuity detector" in system:
            users = re.findall(r"User: (.*)", user)
            a, b = parse(users[0].rstrip(".。")), parse(users[1].rstrip(".。"))
            same = bool(a and b and a[1] == b[1])
            return script.say("continuity", {"continuous": same}, "true" if same else "false")
        if "meta-summary" in system:
            now = lines()[-1]
            return script.say("meta", {"summary": "About: " + now}, "About: " + now)
        if "dialogue topics" in system:
            s = statement(lines()[-1])
            f = parse(s) if s else None
            theme = {"theme": f[1] if f else "other", "keywords": [f[1]] if f else [], "content": (f"People and where they {f[1]}" if f else lines()[-1])}
            keywords[theme["content"]] = theme["keywords"]
            return script.say("themes", {"themes": [theme]}, [theme])
        if "keyword extraction" in system:
            text = re.search(r"concise:\n(.*)\n\nKeywords:", user, re.S).group(1)
            return ", ".join(keywords.get(text, []))
        if "knowledge extraction" in system:
            known = sorted({statement(l) for l in lines() if statement(l)})
            ours = {"user": ["- " + k for k in known], "assistant": []}
            return script.say("knowledge", ours, "【User Private Data】\n" + "\n".join("- " + k for k in known) + "\n【Assistant Knowledge】\n- None")
        text = "The user speaks of: " + "; ".join(sorted({statement(l) for l in lines() if statement(l)}))
        return script.say("profile", {"summary": text}, text)

    utils.OpenAIClient.chat_completion = chat
    # an exchange is added before the queue is emptied here, and after it in the version
    # that membench follows: one more place gives the same queue after each exchange
    m = Memoryos(user_id="u", openai_api_key="no", data_storage_path=tempfile.mkdtemp(), short_term_capacity=11)
    for p in pairs(turns):
        m.add_memory(p[0]["text"], p[1]["text"], timestamp=p[0]["time"].replace("T", " "))
    line = lambda x: "user: " + x["user_input"] + "\nassistant: " + x["agent_response"]
    mt = m.mid_term_memory
    kept = [{"kind": "segment", "text": s["summary"]} for s in mt.sessions.values()]
    pages = {line(x) for s in mt.sessions.values() for x in s["details"]}
    kept += [{"kind": "page", "text": x} for x in sorted(pages)]
    kept += [{"kind": "page", "text": line(x)} for x in m.short_term_memory.get_all()]
    kept += [{"kind": "knowledge", "text": x["knowledge"]} for x in m.user_long_term_memory.get_user_knowledge()]
    kept += [{"kind": "profile", "text": m.user_long_term_memory.get_raw_user_profile("u")}]
    hits = []
    for q in asks:
        r = m.retriever.retrieve_context(q, "u")
        hits.append([{"kind": "page", "text": line(x)} for x in r["retrieved_pages"]] + [{"kind": "knowledge", "text": x["knowledge"]} for x in r["retrieved_user_knowledge"]])
    return None, kept, hits


def simplemem(turns, asks, script):
    fake("sentence_transformers", SentenceTransformer=SentenceTransformer)
    from simplemem.utils.llm_client import LLMClient
    from simplemem.system import SimpleMemSystem
    import simplemem.config as config

    rounds = {}

    def chat(self, messages, *a, **k):
        system, user = messages[0]["content"], messages[-1]["content"]
        if "information extraction" in system:
            out = []
            body = user.split("[Current Window Dialogues]")[1].split("[Requirements]")[0]
            for l in body.splitlines():
                m = re.match(r"^(?:\[.*?\] )?(\w+): (.*)$", l.strip())
                s = statement(m.group(2)) if m else None
                if s:
                    out.append(s)
            ours = {"entries": [{"text": s, "keywords": [], "time": "", "place": "", "persons": [], "entities": [], "topic": ""} for s in out]}
            return script.say("entries", ours, [{"lossless_restatement": s, "keywords": [], "timestamp": None, "location": None, "persons": [], "entities": [], "topic": ""} for s in out])
        q = re.search(r"Original Question: (.*)|Question: (.*)", user)
        q = next(x for x in q.groups() if x).strip()
        if "query generation specialist" in system:
            extra = q.split()[2] if " " in q else q[:2]
            return script.say("queries", {"items": [q, "about " + extra]}, {"reasoning": "", "queries": [q, "about " + extra]})
        if "completeness evaluator" in system:
            n = rounds[q] = rounds.get(q, 0) + 1
            done = n >= 2
            return script.say("enough", {"enough": done, "missing": ["more"]}, {"assessment": "complete" if done else "incomplete", "reasoning": "", "missing_info_types": ["more"], "coverage_percentage": 50})
        if "missing information query" in system:
            return script.say("queries", {"items": ["something else of " + q]}, {"reasoning": "", "targeted_queries": ["something else of " + q]})
        return script.say("needs", {"items": ["who"]}, {"question_type": "factual", "key_entities": [], "required_info": [{"info_type": "who", "description": "who", "priority": "high"}], "relationships": [], "minimal_queries_needed": 1})

    LLMClient.chat_completion = chat
    s = SimpleMemSystem(api_key="no", db_path=tempfile.mkdtemp(), clear_db=True, enable_parallel_processing=False, enable_parallel_retrieval=False)
    for t in turns:
        s.add_dialogue(t["role"], t["text"], t["time"])
    s.finalize()
    kept = [{"kind": "fact", "text": e.lossless_restatement} for e in s.vector_store.get_all_entries()]
    hits = [[{"text": e.lossless_restatement} for e in s.hybrid_retriever.retrieve(q)] for q in asks]
    return None, kept, hits


def hipporag(turns, asks, script):
    import numpy as np

    fake("torch", "torch.cuda", "torch.nn", "torch.nn.functional", "transformers", "vllm", "gritlm", "boto3", "litellm", "outlines", "ipdb")
    import igraph
    import hipporag.HippoRAG

    h = sys.modules["hipporag.HippoRAG"]
    from hipporag.utils.config_utils import BaseConfig

    class Model:
        def infer(self, messages, **k):
            text = messages[-1]["content"]
            if "fact_before_filter" in text:
                facts = json.loads(re.findall(r"\[\[ ## fact_before_filter ## \]\]\n(.*)\n", text)[-1])["fact"]
                q = re.findall(r"\[\[ ## question ## \]\]\n(.*)\n", text)[-1]
                keep = [i for i, f in enumerate(facts) if f[0] in q.lower()]
                script.say("filter", {"keep": [i + 1 for i in keep]}, "")
                out = "[[ ## fact_after_filter ## ]]\n" + json.dumps({"fact": [facts[i] for i in keep]}) + "\n\n[[ ## completed ## ]]"
                return out, {"finish_reason": "stop"}, False
            raise AssertionError("not asked here")

    class Embedding:
        def batch_encode(self, texts, **k):
            texts = [texts] if isinstance(texts, str) else texts
            return np.array([embed(t) for t in texts])

    class OpenIE:
        def batch_openie(self, rows):
            ner, tri = {}, {}
            for key, row in rows.items():
                out = []
                for l in row["content"].splitlines():
                    s = statement(l.split(": ", 1)[-1])
                    if s and parse(s):
                        out.append(list(parse(s)))
                names = sorted({x for t in out for x in (t[0], t[2])})
                script.say("things", {"things": names}, "")
                script.say("relations", {"relations": [{"source": a, "relation": b, "destination": c} for a, b, c in out]}, "")
                ner[key] = types.SimpleNamespace(chunk_id=key, response="", unique_entities=names, metadata={})
                tri[key] = types.SimpleNamespace(chunk_id=key, response="", triples=out, metadata={})
            return ner, tri

    def knn(query_ids, key_ids, query_vecs, key_vecs, k=2047, **_):
        q, v = np.array(query_vecs, dtype=np.float32), np.array(key_vecs, dtype=np.float32)
        sim = q @ v.T
        out = {}
        for i, qid in enumerate(query_ids):
            order = np.argsort(-sim[i], kind="stable")[:k]
            out[qid] = ([key_ids[j] for j in order], [float(sim[i][j]) for j in order])
        return out

    h._get_llm_class = lambda conf: Model()
    h._get_embedding_model_class = lambda embedding_model_name=None: (lambda **k: Embedding())
    h.OpenIE = lambda llm_model=None: OpenIE()
    h.retrieve_knn = knn
    conf = BaseConfig()
    conf.save_dir, conf.llm_name, conf.embedding_model_name, conf.openie_mode = tempfile.mkdtemp(), "m", "e", "online"
    conf.force_index_from_scratch = True
    r = h.HippoRAG(global_config=conf)
    docs = ["user: " + p[0]["text"] + "\nassistant: " + p[1]["text"] for p in pairs(turns)]
    r.index(docs)
    kept = [{"kind": "pair", "text": d} for d in docs]
    kept += [{"kind": "fact", "text": " -- ".join(eval(t))} for t in sorted(r.fact_embedding_store.get_all_texts())]
    hits = []
    for q in asks:
        s = r.retrieve([q], num_to_retrieve=10)[0]
        hits.append([{"text": d, "score": float(x)} for d, x in zip(s.docs, s.doc_scores)])
    return None, kept, hits


def graphiti(turns, asks, script):
    os.environ.update(EMBEDDING_DIM=str(DIM), SEMAPHORE_LIMIT="1", GRAPHITI_TELEMETRY_ENABLED="false")
    import asyncio, logging, warnings
    from datetime import datetime, timedelta, timezone

    warnings.simplefilter("ignore")
    from graphiti_core import Graphiti
    from graphiti_core.cross_encoder.client import CrossEncoderClient
    from graphiti_core.driver.kuzu_driver import KuzuDriver
    from graphiti_core.edges import EntityEdge
    from graphiti_core.embedder.client import EmbedderClient
    from graphiti_core.llm_client.client import LLMClient
    from graphiti_core.nodes import EntityNode, EpisodicNode
    from graphiti_core.search import search
    from graphiti_core.search.search_config_recipes import EDGE_HYBRID_SEARCH_RRF
    from graphiti_core.utils.maintenance import edge_operations, node_operations

    logging.disable(logging.ERROR)

    class Model(LLMClient):
        async def _generate_response(self, *a, **k):
            raise AssertionError("not asked here")

    class Embedding(EmbedderClient):
        async def create(self, input_data):
            return embed(input_data if isinstance(input_data, str) else input_data[0])

        async def create_batch(self, input_data_list):
            return [embed(t) for t in input_data_list]

    class Cross(CrossEncoderClient):
        async def rank(self, query, passages):
            raise AssertionError("not asked here")

    # Its Kuzu driver has no index of words and no name of its database: search is by
    # meaning alone, and no group is named. Made-up vectors are seldom as near as 0.2.
    async def nothing(*a, **k):
        return []

    search.edge_fulltext_search = nothing
    KuzuDriver._database = ""
    EDGE_HYBRID_SEARCH_RRF.edge_config.sim_min_score = 0.05
    stamp = lambda t: t.strftime("%Y-%m-%dT%H:%M:%SZ") if t else None
    now = {}

    async def answer(llm, name, prompt, context, **k):
        facts = [(parse(s), s) for s in (statement(l.split(": ", 1)[-1]) for l in now["text"].splitlines()) if s and parse(s)]
        if name.startswith("extract_nodes.extract_message"):
            names = list(dict.fromkeys(x for f, _ in facts for x in (f[0], f[2])))
            script.say("things", {"things": names}, "")
            return {"extracted_entities": [{"name": n, "entity_type_id": 0} for n in names]}
        if name == "dedupe_nodes.nodes":
            script.say("resolve", {"same": []}, "")
            return {"entity_resolutions": [{"id": x["id"], "name": x["name"], "duplicate_candidate_id": -1} for x in context["extracted_nodes"]]}
        if name == "extract_edges.edge":
            at = None if now["i"] % 5 == 4 else stamp(now["time"] - timedelta(days=10 if now["i"] % 7 == 6 else 0))
            out = [(f[0], f[2], f[1].upper().replace(" ", "_"), s, at) for f, s in facts]
            script.say("edges", {"facts": [{"source": a, "target": b, "relation": r, "fact": s, "valid_at": at or "", "invalid_at": ""} for a, b, r, s, at in out]}, "")
            return {"edges": [{"source_entity_name": a, "target_entity_name": b, "relation_type": r, "fact": s, "valid_at": at} for a, b, r, s, at in out]}
        if name == "extract_edges.extract_timestamps":  # membench does not ask: nothing is known
            return {}
        if name == "dedupe_edges.resolve_edge":
            who, verb, what = parse(context["new_edge"])
            known = [parse(e["fact"]) for e in context["existing_edges"] + context["edge_invalidation_candidates"]]
            against = [i for i, k in enumerate(known) if k[:2] == (who, verb) and k[2] != what and verb in SINGLE]
            script.say("compare", {"same": [], "contradicted": [i + 1 for i in against]}, "")
            return {"duplicate_facts": [], "contradicted_facts": against}
        raise AssertionError(name)

    edge_operations.generate_prompt_response = node_operations.generate_prompt_response = answer

    async def run():
        driver = KuzuDriver(db=tempfile.mkdtemp() + "/k")
        g = Graphiti(graph_driver=driver, llm_client=Model(None), embedder=Embedding(), cross_encoder=Cross(), max_coroutines=1)
        order, known, steps = [], set(), []
        for i, p in enumerate(pairs(turns)):
            text = "user: " + p[0]["text"] + "\nassistant: " + p[1]["text"]
            now.update(i=i, text=text, time=datetime.fromisoformat(p[0]["time"]).replace(tzinfo=timezone.utc))
            r = await g.add_episode(f"e{i}", text, "dialogue", now["time"])
            order += [n.uuid for n in r.nodes if n.uuid not in order]
            new = [e for e in r.edges if e.uuid not in known and r.episode.uuid in e.episodes]
            # membench asks for what this joins by itself while it is short
            for n in sorted(r.nodes, key=lambda n: order.index(n.uuid)):
                if any(n.uuid in (e.source_node_uuid, e.target_node_uuid) for e in new):
                    script.say("summary", {"summary": n.summary}, "")
            ended = [e for e in r.edges if e.uuid in known and e.invalid_at and r.episode.uuid not in e.episodes]
            steps.append([{"op": "DELETE", "text": e.fact} for e in ended] + [{"op": "ADD", "text": e.fact} for e in new])
            known |= {e.uuid for e in new}
        group = [""]
        edges = await EntityEdge.get_by_group_ids(driver, group)
        kept = [{"kind": "ended edge" if e.expired_at else "edge", "text": e.fact} for e in edges]
        kept += [{"kind": "entity", "text": f"{n.name}: {n.summary}"} for n in await EntityNode.get_by_group_ids(driver, group)]
        kept += [{"kind": "episode", "text": e.content} for e in await EpisodicNode.get_by_group_ids(driver, group)]
        hits = []
        for q in asks:
            r = await g.search_(q, EDGE_HYBRID_SEARCH_RRF)
            dated = lambda e: f" ({stamp(e.valid_at) or 'unknown'} - {stamp(e.invalid_at) or 'present'})" if e.valid_at or e.invalid_at else ""
            hits.append([{"text": e.fact + dated(e), "score": s} for e, s in zip(r.edges, r.edge_reranker_scores)])
        return steps, kept, hits

    steps, kept, hits = asyncio.run(run())
    return steps, sorted(kept, key=lambda k: (k["kind"], k["text"])), hits  # read by ids that are drawn


def source(name):
    folder = os.path.join(os.environ["PARITY_SOURCES"], name)
    if not os.path.isdir(folder):
        sys.exit(f"{folder}: want a checkout; see parity.sh")
    sys.path.insert(0, folder)


def notes(turns, asks, script, product=False):
    """A-Mem: the paper's code, and the product's."""
    import numpy as np

    fake("transformers", "litellm", "sklearn", "sklearn.metrics", "nltk", "nltk.tokenize", "ollama")
    fake("sklearn.metrics.pairwise", cosine_similarity=lambda a, b: np.array(a) @ np.array(b).T)
    fake("sentence_transformers", SentenceTransformer=SentenceTransformer)
    if product:
        from chromadb.api.types import EmbeddingFunction
        from chromadb.utils import embedding_functions

        class Embedding(EmbeddingFunction):
            def __init__(self, model_name=""):
                pass

            def __call__(self, input):
                return [np.array(embed(t), dtype=np.float32) for t in input]

        embedding_functions.SentenceTransformerEmbeddingFunction = Embedding
        source("A-mem")
        import agentic_memory.memory_system as layer
    else:
        source("AgenticMemory")
        import memory_layer as layer

    class Model:
        n = 0

        def get_completion(self, prompt, response_format=None, **k):
            if "Content for analysis:" in prompt:
                f = parse(statement(prompt.split("Content for analysis:")[1].split("user: ")[1].splitlines()[0]) or "")
                ours = {"keywords": list(f[::2]) if f else ["message"], "context": f"What {f[0]} {f[1]}, {self.n}." if f else f"A wish, {self.n}.", "tags": [f[1]] if f else []}
                return script.say("note", ours, ours)
            self.n += 1
            near = [int(i) for i in re.findall(r"memory index:(\d+)", prompt)]
            n = self.n
            ours = {
                "should_evolve": n % 3 > 0 and bool(near),
                "actions": [["strengthen"], ["update_neighbor"], ["strengthen", "update_neighbor"]][n % 3],
                "suggested_connections": near[:2],
                "tags_to_update": [f"tag{n}"],
                "new_context_neighborhood": [f"Seen with message {n}, place {i}." for i in range(len(near) - n % 2)],
                "new_tags_neighborhood": [[f"tag{n}", f"place{i}"] for i in range(len(near) - n % 4 // 3)],
            }
            return script.say("evolve", ours, ours | {"suggested_connections": [str(i) for i in near[:2]]} if product else ours)

    layer.LLMController = lambda *a, **k: types.SimpleNamespace(llm=Model())
    s = layer.AgenticMemorySystem(evo_threshold=6)
    for p in pairs(turns):
        s.add_note("user: " + p[0]["text"] + "\nassistant: " + p[1]["text"], time=p[0]["time"])

    def text(n):
        part = lambda name, v: f"\n{name}: {v}" if v else ""
        return n["content"] + part("context", n["context"]) + part("keywords", ", ".join(n["keywords"])) + part("tags", ", ".join(n["tags"]))

    kept = [{"kind": "note", "text": text(vars(n))} for n in s.memories.values()]
    hits = []
    for q in asks:
        if product:
            hits.append([{"text": text(m), "score": 1 - m["score"] / 2} for m in s.search_agentic(q, k=10)])
            continue
        words = q.rstrip("?？").split()[-4:]
        script.say("keywords", {"items": words}, "")
        shown = s.find_related_memories_raw(", ".join(words), k=10).split("talk start time:")[1:]
        by = {n.content: text(vars(n)) for n in s.memories.values()}
        found = [by[x.split("memory content: ", 1)[1].split("memory context: ")[0]] for x in shown]
        hits.append([{"text": t} for t in dict.fromkeys(found)][:10])
    return None, kept, hits


SESSION = 8  # exchanges of a session, where sessions are something


def gallery(name, **options):
    """The systems of Mem-Gallery, images included: an image is its caption's vector."""

    def run(turns, asks, script):
        import torch

        caption = lambda t: t["image"]["caption"] if "image" in t else ""
        fake("sentence_transformers", "openai", "requests", "langchain", "PIL", "PIL.Image", "tqdm", "yaml")
        fake("langchain.prompts", PromptTemplate=lambda input_variables, template: types.SimpleNamespace(format=lambda **k: k))

        class Tokenizer:  # membench's estimate: a token is four letters or one other character
            from_pretrained = classmethod(lambda cls, *a, **k: cls())

            def tokenize(self, text):
                out = []
                for blank, run in re.findall(r"(\s*)([A-Za-z0-9]+|\S|$)", text):
                    head = len(run) % 4 if run[:1].isascii() and run[:1].isalnum() else 0
                    cut = ([run[:head]] if head else []) + [run[i : i + 4] for i in range(head, len(run), 4)]
                    out += [blank + cut[0]] + cut[1:] if cut else ([blank] if blank else [])
                return out

            def convert_tokens_to_string(self, tokens):
                return "".join(tokens)

        fake("transformers", AutoTokenizer=Tokenizer)
        source("Mem-Gallery/benchmark")
        from default_config import DefaultMemoryConfig as defaults
        import memengine
        LLM, MultiModalRetrieval, Retrieval, Recall, UniversalRAGStorage = (
            sys.modules["memengine." + x] for x in ("function.LLM", "function.MultiModalRetrieval", "function.Retrieval", "operation.Recall", "utils.UniversalRAGStorage"))

        tensor = lambda text: torch.tensor([embed(text)], dtype=torch.float32)

        class Encoder:
            device = torch.device("cpu")

            def __init__(self, config):
                pass

            def __call__(self, obj, **k):
                return tensor(obj if isinstance(obj, str) else obj["text"])

            encode_text = lambda self, text, **k: tensor(text)
            encode_image = encode_text

        Retrieval.LMEncoder = MultiModalRetrieval.GMEEncoder = UniversalRAGStorage.GMEEncoder = Encoder
        n, known = {"": 0}, {}

        def fast_run(self, prompt):
            n[""] += 1
            i = n[""]
            if isinstance(prompt, str):
                if prompt in known:
                    return known[prompt]
                if "Tags:" in prompt:
                    text = prompt.split("Now extract concepts from:")[1]
                    ours = sorted({w.lower() for w in re.findall(r"[A-Z][a-z]+|[a-z]{5,}", text.split("Text: ")[1].split("assistant")[0].replace("user: ", "")) + [w for w in ZH + ZH_TOWNS + ZH_LIKES if w in text]})[:6]
                    known[prompt] = script.say("concepts", {"items": ours}, "; ".join(ours) + ";")
                else:
                    said = ["Document", "Image", "I cannot tell", "Text"][i % 4]
                    known[prompt] = script.say("route", {"route": said}, said)
                return known[prompt]
            if "message" in prompt:
                return script.say("importance", {"importance": 1 + i % 9}, str(1 + i % 9))
            if "question_number" in prompt:
                out = [f"What of {x}, round {i}?" for x in (PEOPLE + ZH)[i % 5 : i % 5 + 3]]
                return script.say("questions", {"items": out}, "\n".join(out))
            if "insight_number" in prompt:
                out = [f"{x} is spoken of, round {i}." for x in (PEOPLE + ZH)[i % 7 : i % 7 + 3]]
                return script.say("insights", {"items": out}, "\n".join(out))
            if "memory_prompt" in prompt:
                calls = [[], [("memory_recall", "Ines")], [("memory_transfer", [0, 2]), ("memory_save", [1])], [("memory_archive", [1]), ("memory_retrieval", "Porto")]][i % 4]
                ours = [{"name": f, "query": a} if isinstance(a, str) else {"name": f, "indices": a} for f, a in calls]
                return script.say("trigger", {"calls": ours}, "\n".join(f"{f}({a!r})" for f, a in calls) or "[No Excuate]")
            out = f"Summary {i}: people, places and work."
            return script.say("summary", {"summary": out}, out)

        LLM.APILLM.__init__ = lambda self, config: None
        LLM.APILLM.fast_run = fast_run
        conf = copy.deepcopy(getattr(defaults, "DEFAULT_" + name.upper()))
        conf["display"] = dict(defaults.DEFAULT_DISPLAY, method="ScreenDisplay")
        for part in ("recall", "store"):
            for key, v in options.items():
                if key == "tokens":
                    for cut in ("truncation", "flush_checker"):
                        if cut in conf[part]:
                            conf[part][cut] = dict(conf[part][cut], number=v)
                else:
                    conf[part][key] = v
        m = getattr(memengine, name)(memengine.MemoryConfig(conf))
        said = []
        for i, p in enumerate(pairs(turns)):
            text = "user: " + p[0]["text"] + (f" [image: {caption(p[0])}]" if caption(p[0]) else "") + "\nassistant: " + p[1]["text"]
            said.append(text)
            o = {"text": text, "timestamp": p[0]["time"], "dialogue_id": text}
            if caption(p[0]):
                o["image"] = {"path": f"[image: {caption(p[0])}]", "caption": None, "img_id": p[0]["image"]["id"]}
            m.store(o)
            if (i + 1) % SESSION == 0 and name == "GAMemory":
                m.manage("reflect")
            if (i + 1) % SESSION == 0 and name == "RFMemory":
                m.optimize(new_trial="\n".join(said[-SESSION:]))
        kind = lambda e: "insight" if "source" in e and e["source"] else "pair"
        st = getattr(m, "storage", None) or getattr(m, "contextual_memory", None)
        if name == "MGMemory":
            kept = [{"kind": "pair", "text": e["text"]} for part in (m.recall_storage, m.main_context["FIFO_queue"]) for e in part.memory_list]
            summary = m.main_context["recursive_summary"]["global"]
            kept += [{"kind": "summary", "text": summary}] if summary != "None" else []
        else:
            kept = [{"kind": kind(e), "text": e["text"]} for e in (st.node.values() if hasattr(st, "node") else st.memory_list)]
        if name == "RFMemory":
            kept.append({"kind": "insight", "text": m.insight["global_insight"]})
        hits = []
        for q in asks:
            asked, scores = copy.deepcopy(m), []  # membench's questions do not change what later ones see

            def best(items, **k):
                out = sorted(items, **k)
                scores[:] = [x for _, x in out]
                return out

            def sort(*a, **k):
                out = real(*a, **k)
                scores[:] = out[0].tolist()
                return out

            real, torch.sort = torch.sort, sort
            Recall.sorted = UniversalRAGStorage.sorted = best
            shown = asked.recall({"text": q})
            torch.sort = real
            if isinstance(shown, list):  # systems of images show a list
                shown = "[Memory Start]\n" + "\n".join(x["text"] for x in shown) + "\n[Memory End]" if shown else ""
            ids = getattr(asked.recall_op, "last_retrieved_ids", []) if name != "MMFUMemory" else []  # all, oldest first: what is shown says it
            if name == "GAMemory":
                ids = re.findall(r"\[Memory \d+\] timestamp: [^\n]*\n(.*?)(?=\n\[Memory (?:\d+\] |End))", shown, re.S)
            hits.append({"shown": hashlib.md5(shown.encode()).hexdigest(), "hits": [{"text": t, "score": x} if scores else {"text": t} for t, x in zip(ids, scores or ids)]})
        return None, kept, hits

    return run


def memu(turns, asks, script):
    source("memU/src")
    fake("memu._core", "lazyllm")
    import asyncio, logging

    logging.disable(logging.ERROR)
    from memu.app.service import MemoryService

    now, sums = {"n": 0}, []
    root = {"profile": "profile", "event": "events"}

    class Model:
        async def embed(self, texts):
            return [embed(t) for t in texts]

        async def chat(self, prompt, system_prompt=None, **k):
            if prompt.startswith("TYPE "):
                kind, text = prompt.split("\n", 1)
                kind = kind[5:]
                out = []
                for line in re.findall(r"\[user\]:? (.*)", text):
                    s = statement(line)
                    f = s and parse(s)
                    if s and (f is None or f[1] in ("likes", "喜欢")) == (kind == "event"):
                        cat = {"lives in": "personal_info", "住在": "personal_info", "works at": "work_life", "likes": "preferences", "喜欢": "preferences"}.get(f[1] if f else "", "no_such")
                        out.append((s, cat))
                script.say("items", {"items": [{"content": s, "categories": [c]} for s, c in out]}, "")
                return f"<{root[kind]}>" + "".join(f"<memory><content>{s}</content><categories><category>{c}</category></categories></memory>" for s, c in out) + f"</{root[kind]}>"
            if prompt.startswith("CATEGORY "):
                text = prompt[9:] + f" was spoken of in session {now['session']}."
                sums.append((prompt[9:], text))
                return text
            if "q" not in now:  # segments: none, so that a session is one
                return "{}"
            now["n"] += 1
            i = now["i"]
            if now["n"] == 1:
                yes = i % 7 != 3
                script.say("decide", {"retrieve": yes, "query": ""}, "")
            elif now["n"] == 2:
                yes = i % 5 != 4
                script.say("enough", {"enough": not yes, "query": f"{now['q']} of {i}"}, "")
            else:  # membench does not check a second time
                yes = False
            return f"<decision>{'RETRIEVE' if yes else 'NO_RETRIEVE'}</decision><rewritten_query>{now['q']} of {i}</rewritten_query>"

    folder = tempfile.mkdtemp()
    s = MemoryService(blob_config={"resources_dir": folder + "/r"}, memorize_config={"memory_types": ["profile", "event"]})
    s._get_llm_client = s._get_step_llm_client = s._get_step_embedding_client = lambda *a, **k: Model()
    s._build_memory_type_prompt = lambda memory_type, resource_text, categories_str: f"TYPE {memory_type}\n{resource_text}"
    s._build_category_summary_prompt = lambda category, new_memories: "CATEGORY " + category.name

    async def run():
        whole = len(turns) // (2 * SESSION)
        for n in range(whole):
            path = f"{folder}/{n}.json"
            with open(path, "w") as f:
                json.dump([{"role": t["role"], "content": t["text"], "created_at": t["time"]} for t in turns[n * 2 * SESSION : (n + 1) * 2 * SESSION]], f)
            now["session"] = n
            await s.memorize(resource_url=path, modality="conversation")
            for _, text in sorted(sums):
                script.say("summary", {"summary": text}, "")
            sums.clear()
        db = s.database
        kept = [{"kind": i.memory_type, "text": i.summary} for i in db.memory_item_repo.items.values()]
        kept += [{"kind": "summary", "text": c.summary} for c in db.memory_category_repo.categories.values() if c.summary]
        hits = []
        for i, q in enumerate(asks):
            now.update(q=q, i=i, n=0)
            r = await s.retrieve([{"role": "user", "content": {"text": q}}])
            hits.append([{"text": x["summary"], "score": x["score"]} for x in r["items"]])
        return None, kept, hits

    return asyncio.run(run())


def omni(turns, asks, script):
    fake("torch", "torchvision", "PIL", "PIL.Image", "cv2", "faiss")
    del sys.modules["faiss"]  # without it, numpy searches
    source("SimpleMem/OmniSimpleMem")
    import logging

    logging.disable(logging.ERROR)
    from omni_memory.core.config import OmniMemoryConfig
    from omni_memory.orchestrator import OmniMemoryOrchestrator
    from omni_memory.utils import embedding

    embedding.EmbeddingService = type("EmbeddingService", (), {"__init__": lambda self, *a, **k: None, "embed_text": lambda self, text: embed(text)})
    conf = OmniMemoryConfig.create_default()
    conf.embedding.embedding_dim = DIM
    s = OmniMemoryOrchestrator(config=conf, data_dir=tempfile.mkdtemp())
    n = [0]

    def summary(prompt):
        n[0] += 1
        text = f"Summary {n[0]} of a long text."
        return script.say("summary", {"summary": text}, text)

    s.text_processor._call_llm = summary
    s.entity_extractor.extract = lambda mau: ([], [])
    s.graph_retriever.retrieve = lambda *a, **k: None
    s.parametric_store.recall = lambda *a, **k: None
    for p in pairs(turns):
        s.add_text("user: " + p[0]["text"] + "\nassistant: " + p[1]["text"])
    text = lambda m: m["details"]["full_text"]
    kept = [{"kind": "pair", "text": m.details["full_text"]} for m in s.mau_store.iter_all()]
    return None, kept, [[{"text": text(m), "score": m["score"]} for m in s.query(q).items] for q in asks]


RUN = {
    "omni-simplemem": ("aiming-lab/SimpleMem db80b6a7 (OmniSimpleMem)", omni),
    "memu": ("memu-py 1.5.1 (NevaMind-AI/memU 357aefc8)", memu),
    "mem0-published": ("mem0ai", mem0),
    "mem0-v2": ("mem0ai", mem0),
    "mem0-graph": ("mem0ai", lambda t, a, s: mem0(t, a, s, graph=True)),
    "memoryos": ("memoryos-pro", memoryos),
    "simplemem": ("simplemem", simplemem),
    "hipporag": ("hipporag", hipporag),
    "graphiti-native": ("graphiti-core", graphiti),
    "amem": ("WujiangXu/AgenticMemory 7f716dc5", notes),
    "amem-product": ("agiresearch/A-mem ceffb860", lambda t, a, s: notes(t, a, s, product=True)),
}
# What a system is told beyond its defaults: budgets that cut, and no bound on a graph's hits.
for name, options in {
    "FUMemory": {"tokens": 300}, "STMemory": {"tokens": 150}, "LTMemory": {"tokens": 150}, "GAMemory": {}, "MGMemory": {"tokens": 30}, "RFMemory": {"tokens": 300},
    "MMMemory": {}, "MMFUMemory": {"tokens": 2000}, "NGMemory": {"max_nodes": 1000}, "AUGUSTUSMemory": {"max_nodes": 1000}, "UniversalRAGMemory": {},
}.items():
    RUN[name] = ("Mem-Gallery c0a04545", gallery(name, **options))
IMAGES = {"MMMemory", "MMFUMemory", "NGMemory", "AUGUSTUSMemory", "UniversalRAGMemory"}
SESSIONS = {"GAMemory", "RFMemory", "memu"}


def main():
    system, where = sys.argv[1:3]
    package, run = RUN[system]
    for name in ("en", "zh", "changes"):
        script, turns, asks = Script(), dialogue(name), questions(name)
        if system in IMAGES:
            for i in range(0, len(turns), 6):
                turns[i]["image"] = {"id": f"img{i}", "caption": f"{TOWNS[i % 8]} with {LIKES[i % 5]}"}
        if system == "omni-simplemem":  # long texts, and questions with words that it obeys
            for i in (8, 30):
                turns[i]["text"] += " " + " ".join(f"and thing {j}" for j in range(30))
            asks = [["", "Exactly: ", "As they said, ", "Today: ", "In a photo or a note: "][i % 5] + q for i, q in enumerate(asks)]
        if system == "MGMemory":  # a text that alone is over the budget empties the queue
            for i in (20, 44):
                turns[i]["text"] += " " + "and so on " * 40
        with contextlib.redirect_stdout(io.StringIO()):
            steps, kept, hits = run(turns, asks, script)
        original = package if " " in package else package + " " + metadata.version(package)
        out = {"system": system, "original": original, "dialogue": name, "turns": turns, "answers": script.answers, "kept": kept,
               "questions": [{"text": q, **(h if isinstance(h, dict) else {"hits": h})} for q, h in zip(asks, hits)]}
        if system in SESSIONS:
            out["session"] = SESSION
        if steps is not None:
            out["steps"] = steps
        path = os.path.join(where, f"{system}-{name}.json")
        with open(path, "w", encoding="utf-8") as f:
            json.dump(out, f, ensure_ascii=False, separators=(",", ":"))
            f.write("\n")
        print(path, len(script.answers), "answers,", len(kept), "kept,", sum(len(q["hits"]) for q in out["questions"]), "hits")


main()
