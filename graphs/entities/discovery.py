"""Finds labels and text properties from a sample of nodes, for a database whose schema is not extracted yet."""

from __future__ import annotations

from graphground.cypher.matching import nodes
from graphground.cypher.schema import Label, PropertyGraphSchema
from graphground.graphs.engines.engine import Engine

SAMPLE = 1_000


def text_schema(engine: Engine, name: str, sample: int = SAMPLE) -> PropertyGraphSchema:
    """Return a schema of the labels and their text properties, without relationships.

    Up to `sample` nodes of each label are read; a property is included if it is a text, or a list of texts, in any of
    these nodes.

    Raises:
        EngineError: the database failed.
    """
    found = engine.run("MATCH (n) UNWIND labels(n) AS label RETURN DISTINCT label ORDER BY label").rows
    labels: dict[str, Label] = {}
    for (label,) in found:
        types: dict[str, str] = {}
        for (node,) in engine.run(f"{nodes(label).match()} RETURN properties(n) AS p LIMIT {sample}").rows:
            for key, value in node.items():
                if isinstance(value, str):
                    types.setdefault(key, "str")
                elif isinstance(value, list) and value and all(isinstance(item, str) for item in value):
                    types.setdefault(key, "list[str]")
        labels[label] = Label(label, types)
    return PropertyGraphSchema(name, labels, (), open=True)
