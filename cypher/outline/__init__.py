"""The one reading of a query: its symbols, links, properties, comparisons and columns, with the labels inferred.

    >>> from graphground.cypher import parse
    >>> outline = outline_of(parse("MATCH (m)-[:directedBy]->(p) RETURN p.name"), schema)
    >>> [(symbol.name, outline.index.labels_of(symbol.kinds)) for symbol in outline.symbols if symbol.kind == "node"]
    [('m', ('Movie',)), ('p', ('Person',))]

`model` holds the classes, `reader` collects them from the tree, and `schema_index` infers the labels that the schema
allows. The outline is kept on the query, so that checks, repair and the search for hidden problems read it once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphground.cypher.outline.reader import Reader
from graphground.cypher.outline.schema_index import index_of, solve

if TYPE_CHECKING:
    from graphground.cypher.outline.model import Facts
    from graphground.cypher.schema import PropertyGraphSchema
    from graphground.cypher.tree import Query

__all__ = ["outline_of"]


def outline_of(query: Query, schema: PropertyGraphSchema) -> Facts:
    """Return the facts that a query states about a graph with this schema; they are read once for each query."""
    facts = query.outline
    if facts is None or facts.index.schema is not schema:
        facts = Reader(query, index_of(schema)).read()
        solve(facts)
        query.outline = facts
    return facts
