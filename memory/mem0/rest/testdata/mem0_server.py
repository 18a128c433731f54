"""Mem0's own REST server, its files untouched, over a local store.

The server wants PostgreSQL twice: for accounts and its log of requests, and (pgvector)
for memories. Here a module `db` with SQLite stands in for the first, and every
configuration gets a local Qdrant folder for the second; the server's routes, models and
errors are what is tested. Prints the port and the version of mem0ai, serves until
standard input ends. Servers of 1.x, which have no `db`, start the same way.

env: MEM0_SERVER_SRC (the folder server/ of mem0ai/mem0), STORE (folder),
OPENAI_BASE_URL, DIM, COLLECTION, ADMIN_API_KEY
"""
import copy, importlib.metadata, os, socket, sys, threading, types

source, store, url, dim = os.environ["MEM0_SERVER_SRC"], os.environ["STORE"], os.environ["OPENAI_BASE_URL"], int(os.environ["DIM"])
sys.dont_write_bytecode = True  # else the source would get folders __pycache__
os.environ.update(
    MEM0_TELEMETRY="false", MEM0_TELEMETRY_STATE_PATH=os.path.join(store, "telemetry.json"), MEM0_DIR=os.path.join(store, "mem0dir"),
    HISTORY_DB_PATH=os.path.join(store, "history.db"), OPENAI_API_KEY="no-key", JWT_SECRET="x" * 32,
    PYTHON_DOTENV_DISABLED="1")  # a .env beside the source is its owner's
sys.path.insert(0, source)
os.chdir(store)

import mem0, uvicorn

from_config = mem0.Memory.from_config


def local(config, *args, **kwargs):
    config = copy.deepcopy(config)
    config.pop("graph_store", None)  # of 1.x: Neo4j
    config["vector_store"] = {"provider": "qdrant", "config": {
        "collection_name": os.environ["COLLECTION"], "path": os.path.join(store, "qdrant_storage"), "on_disk": True, "embedding_model_dims": dim}}
    for part in "llm", "embedder":
        config[part]["config"]["openai_base_url"] = url
    return from_config(config, *args, **kwargs)


mem0.Memory.from_config = local

if os.path.exists(os.path.join(source, "db.py")):
    from sqlalchemy import create_engine
    from sqlalchemy.orm import DeclarativeBase, sessionmaker

    class Base(DeclarativeBase):
        pass

    def get_db():
        with db.SessionLocal() as session:
            yield session

    db = types.ModuleType("db")
    db.engine = create_engine("sqlite:///" + os.path.join(store, "app.db"), connect_args={"check_same_thread": False})
    db.SessionLocal = sessionmaker(bind=db.engine, autoflush=False, expire_on_commit=False)
    db.Base, db.get_db = Base, get_db
    sys.modules["db"] = db
    import models  # the server's tables
    Base.metadata.create_all(db.engine)

import main

listener = socket.create_server(("127.0.0.1", 0))
server = uvicorn.Server(uvicorn.Config(main.app, log_level="warning"))


def end():
    sys.stdin.read()
    server.should_exit = True


threading.Thread(target=end, daemon=True).start()
print(listener.getsockname()[1], importlib.metadata.version("mem0ai"), flush=True)
server.run(sockets=[listener])
