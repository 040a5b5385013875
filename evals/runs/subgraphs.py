"""Subgraphs to look at: some of the nodes and relationships that a query matches."""

from __future__ import annotations

from typing import Any

from graphground.cypher import CypherSyntaxError, parse
from graphground.cypher import tree as t
from graphground.evals.metrics.executable import attempt
from graphground.evals.metrics.provenance import matched_part
from graphground.graphs.engines.engine import EngineError
from graphground.graphs.graph import Graph

MOST_ROWS = 12
MOST_NODES = 14


def subgraph(query: str, graph: Graph, *, timeout: float) -> dict[str, Any] | None:
    """Nodes `{id, label, name}` and relationships `{start, end, type}` of the first matches; None where there are none.

    The first part of a UNION that matches something is drawn first, and as much of the others as there is room for.
    """
    try:
        tree = parse(query, graph.language)
    except CypherSyntaxError:
        return None
    nodes: dict[str, dict[str, Any]] = {}
    links: dict[str, dict[str, Any]] = {}
    for single in tree.find(t.SingleQuery):
        clauses = [clause for clause in matched_part(single.clauses) if isinstance(clause, t.Match)]
        if not clauses or len(nodes) >= MOST_NODES:
            continue
        try:
            outcome = attempt(graph, _drawn(tree, clauses), timeout=timeout, limit=MOST_ROWS)
        except EngineError:
            return None
        if outcome.table is not None:
            for row in outcome.table.rows[:MOST_ROWS]:
                _take(row, nodes, links)
    if not nodes:
        return None
    kept = dict(list(nodes.items())[:MOST_NODES])
    return {
        "nodes": list(kept.values()),
        "links": [link for link in links.values() if link["start"] in kept and link["end"] in kept],
    }


def _drawn(tree: t.Query, clauses: list[t.Match]) -> str:
    """The MATCH clauses with every path named, returning paths: `MATCH p0 = (n)-->(m) RETURN p0 LIMIT 12`."""
    taken = {variable.name for variable in tree.find(t.Variable)}
    names: list[str] = []
    texts = []
    for clause in clauses:
        text, done = "", clause.start
        for path in clause.patterns:
            name = (
                path.variable.name
                if path.variable
                else next(word for number in range(len(names), 10_000) if (word := f"path{number}") not in taken)
            )
            if path.variable is None:
                taken.add(name)
                text += tree.text[done : path.start] + f"{name} = "
                done = path.start
            names.append(name)
        texts.append(text + tree.text[done : clause.end])
    return f"{' '.join(texts)} RETURN {', '.join(dict.fromkeys(names))} LIMIT {MOST_ROWS}"


def _take(value: Any, nodes: dict[str, dict[str, Any]], links: dict[str, dict[str, Any]]) -> None:
    match value:
        case list():
            for item in value:
                _take(item, nodes, links)
        case {"nodes": [*found], "relationships": [*between]}:
            _take([*found, *between], nodes, links)
        case {"id": key, "labels": [*labels], "properties": properties}:
            nodes[key] = {
                "id": key,
                "label": labels[0] if labels else "",
                "name": str(properties.get("name") or properties.get("title") or key),
            }
        case {"id": key, "type": type_, "start": start, "end": end}:
            links[key] = {"start": start, "end": end, "type": type_}
