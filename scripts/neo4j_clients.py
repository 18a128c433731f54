"""Loads a graph into Neo4j with somebody else's client, or looks what is there.

    python neo4j_clients.py kgx|graphrag|graphiti|look URI GRAPH.json

GRAPH.json is {"nodes": [{id, label, props}], "edges": [{id, type, src, dst, props}]}.
A load prints its seconds and the processor seconds of this process as JSON, without the time
that its modules take to start; look prints how much of the graph is there. TestMeasure
(-measure clients) runs it.
"""

import asyncio
import json
import os
import sys
import tempfile
import time
from datetime import datetime, timezone

import neo4j


def kgx(uri, graph):
    from importlib.resources import files as packaged

    import bmt.toolkit
    import kgx.config
    from linkml.generators.jsonldcontextgen import ContextGenerator

    # It fetches the Biolink model and three JSON-LD contexts from GitHub when it starts; those of
    # installed packages do: biolink-model's, the context that linkml makes of it, prefixcommons'.
    model = str(packaged("biolink_model") / "schema" / "biolink_model.yaml")
    bmt.toolkit.Toolkit.__init__.__defaults__ = (model, {"predicate mappings": []})
    contexts = {name: (packaged("prefixcommons") / "registry" / (name + ".jsonld")).read_text() for name in ("monarch_context", "obo_context")}
    contexts["biolink"] = ContextGenerator(model).serialize()
    kgx.config.jsonld_context_map.update({name: json.loads(text)["@context"] for name, text in contexts.items()})
    from kgx.cli.cli_utils import neo4j_upload

    folder = tempfile.mkdtemp()
    files = [os.path.join(folder, name) for name in ("x_nodes.jsonl", "x_edges.jsonl")]
    with open(files[0], "w") as f:
        for n in graph["nodes"]:
            props = {"text" if k == "data" else k: v for k, v in n["props"].items()}  # it takes "data" for all properties
            f.write(json.dumps({**props, "id": n["id"], "category": [n["label"]]}) + "\n")
    with open(files[1], "w") as f:
        for e in graph["edges"]:
            f.write(json.dumps({**e["props"], "id": e["id"], "subject": e["src"], "predicate": e["type"], "object": e["dst"]}) + "\n")
    return lambda: neo4j_upload(files, "jsonl", None, uri, "neo4j", "none", stream=True)


def graphrag(uri, graph):
    try:
        from neo4j_graphrag.components.kg_writer import Neo4jWriter
        from neo4j_graphrag.components.types import Neo4jGraph, Neo4jNode, Neo4jRelationship
    except ImportError:
        from neo4j_graphrag.experimental.components.kg_writer import Neo4jWriter
        from neo4j_graphrag.experimental.components.types import Neo4jGraph, Neo4jNode, Neo4jRelationship

    def load():
        made = Neo4jGraph(
            nodes=[Neo4jNode(id=n["id"], label=n["label"], properties={**n["props"], "id": n["id"]}) for n in graph["nodes"]],
            relationships=[Neo4jRelationship(start_node_id=e["src"], end_node_id=e["dst"], type=e["type"], properties={**e["props"], "id": e["id"]}) for e in graph["edges"]],
        )
        with neo4j.GraphDatabase.driver(uri) as driver:
            done = asyncio.run(Neo4jWriter(driver).run(made))
        if done.status != "SUCCESS":
            raise SystemExit(f"neo4j-graphrag: {done.metadata}")

    return load


def graphiti(uri, graph):
    os.environ.setdefault("GRAPHITI_TELEMETRY_ENABLED", "false")
    from graphiti_core.driver.neo4j_driver import Neo4jDriver
    from graphiti_core.edges import EntityEdge
    from graphiti_core.nodes import EntityNode
    from graphiti_core.utils.bulk_utils import add_nodes_and_edges_bulk

    now = datetime.now(timezone.utc)
    vector = [0.1] * 8  # it will not store a node or a fact without one

    async def load_all():
        driver = Neo4jDriver(uri, "neo4j", "none")
        await driver.build_indices_and_constraints()
        nodes = [EntityNode(uuid=n["id"], name=n["props"].get("name", n["id"]), group_id="g", labels=[n["label"]], created_at=now, name_embedding=vector, attributes=n["props"]) for n in graph["nodes"]]
        edges = [EntityEdge(uuid=e["id"], source_node_uuid=e["src"], target_node_uuid=e["dst"], name=e["type"], fact=e["id"], group_id="g", created_at=now, fact_embedding=vector, attributes=e["props"]) for e in graph["edges"]]
        for i in range(0, len(nodes), 5000):
            await add_nodes_and_edges_bulk(driver, [], [], nodes[i : i + 5000], [], None)
        for i in range(0, len(edges), 5000):
            await add_nodes_and_edges_bulk(driver, [], [], [], edges[i : i + 5000], None)
        await driver.close()

    return lambda: asyncio.run(load_all())


def look(uri, graph):
    """How much of the graph a database holds, whatever a client calls its parts."""
    with neo4j.GraphDatabase.driver(uri) as driver:
        read = lambda text: [r.data() for r in driver.execute_query(text).records]
        nodes = read("MATCH (n) WHERE NOT n:MembenchLoad AND NOT n:MembenchChange RETURN coalesce(n.id, n.uuid) AS id, properties(n) AS props")
        edges = read("MATCH ()-[r]->() RETURN coalesce(r.id, r.uuid) AS id, properties(r) AS props")
    kept = wanted = 0
    for there, want in ((nodes, graph["nodes"]), (edges, graph["edges"])):
        held = {x["id"]: x["props"] for x in there}
        for e in want:
            wanted += len(e["props"])
            kept += sum(1 for k, v in e["props"].items() if held.get(e["id"], {}).get(k) == v)
    print(f"{len(nodes)} nodes, {len(edges)} relationships, {kept} of {wanted} properties")


def main():
    system, uri, path = sys.argv[1:]
    with open(path) as f:
        graph = json.load(f)
    if system == "look":
        return look(uri, graph)
    stdout, sys.stdout = sys.stdout, sys.stderr
    load = {"kgx": kgx, "graphrag": graphrag, "graphiti": graphiti}[system](uri, graph)
    started, used = time.time(), time.process_time()
    load()
    seconds, cpu = time.time() - started, time.process_time() - used
    sys.stdout = stdout
    print(json.dumps({"seconds": round(seconds, 1), "cpu": round(cpu, 1)}))


main()
