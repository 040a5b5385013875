"""Rewrites queries for a database with a weaker planner than Neo4j's: the rows are those of Neo4j, and arrive sooner.

    >>> rewrite_for(ARCADEDB, "MATCH (c:Company) WHERE NOT ()-[:subsidiaryOf]->(c) RETURN c.name", limit=100)
    "MATCH (c:Company) WHERE NOT (c)<-[:subsidiaryOf]-() RETURN c.name LIMIT 101"

`null_guards` prevents a null from being treated as an unbound node, `reachability` evaluates unbounded paths
breadth-first if only their ends matter, and `anchor_order` writes the most selective node first. Tests compare rows
with and without rewrites, on random graphs and with a real Neo4j.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from graphground.cypher import CypherSyntaxError, parse
from graphground.cypher import tree as t
from graphground.cypher.diagnostics import applied
from graphground.graphs.engines.rewriting.anchor_order import Anchoring, limited
from graphground.graphs.engines.rewriting.null_guards import guarded
from graphground.graphs.engines.rewriting.reachability import reaching
from graphground.graphs.engines.rewriting.scopes import columns_named

if TYPE_CHECKING:
    from graphground.graphs.engines.dialects import Dialect


def rewrite_for(dialect: Dialect, query: str | t.Query, limit: int | None = None) -> str:
    """Return the text to send to a database of this dialect; the query's own text if no rewrite applies.

    A query given as text is parsed first. `limit` is the number of rows that the caller wants. For the embedded engine,
    a query with MATCH and without LIMIT receives a LIMIT that is one higher, to show whether there are further rows;
    otherwise the engine would compute the whole answer before it sends a row.
    """
    text = query if isinstance(query, str) else query.text
    if dialect.reads_options:
        return text
    query = without_options(query)
    text = query if isinstance(query, str) else query.text
    if not dialect.needs_rewrites or "MATCH" not in text.upper():
        return text
    return _rewritten_text(query, limit) if isinstance(query, str) else _rewritten_tree(query, limit)


def without_options(query: str | t.Query) -> str | t.Query:
    """Return the query without `CYPHER 5` and the options after it, which only Neo4j knows; no position changes."""
    if "CYPHER" not in (query if isinstance(query, str) else query.text).upper():
        return query
    try:
        parsed = parse(query) if isinstance(query, str) else query
    except CypherSyntaxError:
        return query
    return t.altered(parsed, text=parsed.text_without_options(), preparser=[]) if parsed.preparser else query


@lru_cache(maxsize=512)
def _rewritten_text(text: str, limit: int | None) -> str:
    try:
        return _rewritten_tree(parse(text), limit)
    except CypherSyntaxError:
        return text


def _rewritten_tree(query: t.Query, limit: int | None) -> str:
    if query.prefix:
        return query.text
    try:
        changed = _rewritten(query)
        if changed != query.text:
            named = columns_named(query)
            changed = _rewritten(named) if named is not query else changed
            query = parse(changed, "cypher25" if query.language == "cypher25" else "cypher5")
    except CypherSyntaxError:
        return query.text
    return applied(changed, limited(query, limit))


def _rewritten(query: t.Query) -> str:
    query = reaching(guarded(query))
    return applied(query.text, Anchoring(query).edits())
