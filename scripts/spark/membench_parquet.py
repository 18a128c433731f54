"""Records as columns: Parquet whose schema is the published JSON Schema of their kind.

A property of type string, integer, number or boolean, or a list of strings, is a column of
that type; any other one is a column of JSON text. What columns do not give back byte for byte
(unknown members, other white space, a line that is not a record) keeps its text in _line.
"""
import json
import subprocess
from json.decoder import scanstring

import pyarrow as pa
from pyspark.sql import types as T

LINE = "_line"
COMPACT = {"entity", "claim"}  # written without blanks
ARROW = {"string": pa.string(), "integer": pa.int64(), "number": pa.float64(), "boolean": pa.bool_(), "list": pa.list_(pa.string()), "json": pa.string()}
SPARK = {"string": T.StringType(), "integer": T.LongType(), "number": T.DoubleType(), "boolean": T.BooleanType(), "list": T.ArrayType(T.StringType()), "json": T.StringType()}


def columns(schema):
    """Names and kinds of the columns of a JSON Schema, in its order. Where null is a value that must be there, the kind ends with "!"."""
    out = {}
    for name, p in schema["properties"].items():
        types = p.get("type", "string" if isinstance(p.get("const"), str) or all(isinstance(v, str) for v in p.get("enum", [0])) else "json")
        types = [types] if isinstance(types, str) else types
        null = "null" in types and name in schema.get("required", [])
        types = [t for t in types if t != "null"]
        kind = types[0] if len(types) == 1 and types[0] in ARROW else "json"
        if types == ["array"] and p.get("items", {}).get("type") == "string":
            kind = "list"
        out[name] = kind + "!" * null
    return out


def members(text):
    """Names, values and texts of the members of an object."""
    decode, i = json.JSONDecoder().raw_decode, 1
    if text[:1] != "{":
        raise ValueError("no object")
    while text[i : i + 1] == '"':
        name, i = scanstring(text, i + 1)
        i += 2 if text[i : i + 2] == ": " else 1
        value, end = decode(text, i)
        yield name, value, text[i:end]
        i = end + (2 if text[end : end + 2] == ", " else 1)


def fits(value, kind):
    """Whether a column of a kind holds a value as it is."""
    kinds = {"string": str, "integer": int, "number": float, "boolean": bool}
    kind = kind.rstrip("!")
    if kind == "list":
        return isinstance(value, list) and all(type(v) is str for v in value)
    return kind == "json" or type(value) is kinds[kind] and (kind != "integer" or -(2**63) <= value < 2**63)


def row(line, kinds, comma, colon):
    """The cells of a line."""
    cells = dict.fromkeys(kinds)
    try:
        text = line.decode()
        for name, value, raw in members(text):
            if name in kinds and fits(value, kinds[name]):
                cells[name] = raw if kinds[name].startswith("json") else value
        cells[LINE] = None if build(cells, kinds, comma, colon) == text else line
    except (ValueError, UnicodeError, IndexError):
        cells = {**dict.fromkeys(kinds), LINE: line}
    return cells


def build(cells, kinds, comma, colon):
    """The line of the cells."""
    dump = json.JSONEncoder(ensure_ascii=False, separators=(comma, colon)).encode
    parts = (dump(name) + colon + (cells[name] if kind.startswith("json") and cells[name] is not None else dump(cells[name])) for name, kind in kinds.items() if cells[name] is not None or kind.endswith("!"))
    return "{" + comma.join(parts) + "}"


def frame(lines, kind, membench):
    """A frame of lines (value binary) as a frame of columns of a kind."""
    kinds = columns(json.loads(subprocess.run([membench, "schema", "show", kind], stdout=subprocess.PIPE, check=True).stdout))
    comma, colon = (",", ":") if kind in COMPACT else (", ", ": ")
    layout = {"kinds": json.dumps(kinds), "comma": comma, "colon": colon}
    arrow = pa.schema([*((n, ARROW[k.rstrip("!")]) for n, k in kinds.items()), (LINE, pa.binary())])

    def run(batches):
        for batch in batches:
            rows = [row(line, kinds, comma, colon) for line in batch.column(0).to_pylist()]
            yield pa.RecordBatch.from_pylist(rows, schema=arrow)

    out = lines.mapInArrow(run, T.StructType([*(T.StructField(n, SPARK[k.rstrip("!")]) for n, k in kinds.items()), T.StructField(LINE, T.BinaryType())]))
    return out.withMetadata(LINE, layout)


def lines(table):
    """A frame of columns as a frame of lines. Of a table that others made, columns are members."""
    layout = next((f.metadata for f in table.schema if f.name == LINE), {})
    comma, colon = layout.get("comma", ", "), layout.get("colon", ": ")
    kinds = json.loads(layout.get("kinds", "{}")) or {f.name: "any" for f in table.schema}

    def run(batches):
        for batch in batches:
            out = [cells[LINE] if cells.get(LINE) is not None else build(cells, kinds, comma, colon).encode() for cells in batch.to_pylist()]
            yield pa.RecordBatch.from_arrays([pa.array(out, pa.binary())], ["value"])

    return table.mapInArrow(run, "value binary")
