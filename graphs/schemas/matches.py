"""The nodes and relationships that a query matches, or from which its rows come."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from graphground.cypher import tree as t
from graphground.cypher import validate
from graphground.cypher.diagnostics import Edit, Language, text_with
from graphground.cypher.functions import groups_rows, matched_part
from graphground.cypher.quoting import quoted_name
from graphground.graphs.engines.engine import EngineError

if TYPE_CHECKING:
    from graphground.graphs.graph import Graph

MAX_ROWS = 12
MAX_NODES = 14
MAX_COLLECTED = 20
"""The maximum number of nodes of one variable that are drawn for a row that a group of matches has in common."""


def subgraph(query: str, graph: Graph, *, timeout: float) -> dict[str, Any] | None:
    """Return the nodes and relationships of a query's first matches.

    In the result, `nodes` is a list of `{id, label, name}`, and `links` a list of `{start, end, type}`. Only the MATCH
    clauses of the query are run. The result is None if nothing matches, if these clauses are not valid or not
    read-only, or if the database cannot run them. Of a UNION, the first part that matches is drawn first, then as much
    of the other parts as fits. `timeout` is in seconds.
    """
    tree = validate(query, language=graph.language, read_only=True).query
    if tree is None:
        return None
    nodes: dict[str, dict[str, Any]] = {}
    links: dict[str, dict[str, Any]] = {}
    for single in tree.find(t.SingleQuery):
        clauses = [clause for clause in matched_part(single.clauses) if isinstance(clause, t.Match)]
        if not clauses or len(nodes) >= MAX_NODES:
            continue
        # Nodes are returned one by one: a database may search for a path from the node that is written first.
        fresh = tree.fresh_names("drawn")
        names: list[str] = []
        texts = []
        for clause in clauses:
            found, edits = _elements(tree, clause, fresh)
            names += found
            texts.append(text_with(tree.text, clause, edits))
        drawn = f"{' '.join(texts)} RETURN {', '.join(map(quoted_name, dict.fromkeys(names)))} LIMIT {MAX_ROWS}"
        if not validate(drawn, language=graph.language, read_only=True).valid:
            continue
        try:
            table = graph.run(drawn, limit=MAX_ROWS, timeout=timeout)
        except EngineError:
            return None
        for row in table.rows[:MAX_ROWS]:
            _take(graph, row, nodes, links)
    if not nodes:
        return None
    shown = dict(list(nodes.items())[:MAX_NODES])
    return {
        "nodes": list(shown.values()),
        "links": [link for link in links.values() if link["start"] in shown and link["end"] in shown],
    }


def with_elements(tree: t.Query, language: Language) -> list[str]:
    """Return queries with the rows of a query, and in more columns the nodes and relationships that each row is about.

    `MATCH (n)-[:x]->(m) RETURN n.name LIMIT 3` becomes `MATCH (n)-[drawn0:x]->(m) RETURN n.name, n AS drawn1, …
    LIMIT 3`. Of a group of matches, up to 20 of each are collected. A UNION becomes a query for each of its parts. A
    part is left out if no node or relationship is known where its rows are returned.
    """
    fresh = tree.fresh_names("drawn")
    parts = tree.body.parts if isinstance(tree.body, t.Union) else [tree.body]
    queries = []
    for part in parts:
        if not isinstance(part, t.SingleQuery) or not part.clauses or not isinstance(part.clauses[-1], t.Return):
            continue
        projection = part.clauses[-1].projection
        names: list[str] = []
        edits: list[Edit] = []
        for clause in part.clauses:
            if isinstance(clause, t.Match):
                found, named = _elements(tree, clause, fresh)
                names += found
                edits += named
            elif isinstance(clause, t.With) and not clause.projection.star:
                kept = {item.name for item in clause.projection.items if isinstance(item.expression, t.Variable)}
                names = [name for name in names if name in kept]
        if not names or projection.star or projection.group_by is not None:
            continue
        grouped = projection.distinct or groups_rows(projection)
        texts = (quoted_name(name) for name in dict.fromkeys(names))
        columns = [f"collect(DISTINCT {text})[..{MAX_COLLECTED}]" if grouped else text for text in texts]
        end = projection.items[-1].end
        edits.append(Edit(end, end, "".join(f", {column} AS {next(fresh)}" for column in columns)))
        text = text_with(tree.text, part, edits)
        if validate(text, language=language, read_only=True).valid:
            queries.append(text)
    return queries


def _elements(tree: t.Query, clause: t.Match, fresh: Iterator[str]) -> tuple[list[str], list[Edit]]:
    """Return the variables of a clause's nodes, relationships and paths, and the edits that name the anonymous ones."""
    names: list[str] = []
    edits: list[Edit] = []
    for path in clause.patterns:
        if path.variable is not None:
            names.append(path.variable.name)
        elif is_variable(path):
            names.append(next(fresh))
            edits.append(Edit(path.start, path.start, f"{names[-1]} = "))
        else:
            for element in path.elements:
                names.append(element.variable.name if element.variable is not None else next(fresh))
                if element.variable is None:
                    edits.append(_naming(tree, element, names[-1]))
    return names, edits


def is_variable(path: t.PathPattern) -> bool:
    """Whether the matches of a path may have different numbers of relationships."""
    return (
        path.shortest is not None
        or path.selector is not None
        or any(
            isinstance(element, t.ParenthesizedPath)
            or (isinstance(element, t.RelationshipPattern) and (element.length or element.quantifier))
            for element in path.elements
        )
    )


def _naming(tree: t.Query, element: t.NodePattern | t.RelationshipPattern | t.ParenthesizedPath, name: str) -> Edit:
    """Return the edit that gives a name to an anonymous node or relationship; `-->` becomes `-[name]->`."""
    if not isinstance(element, t.RelationshipPattern):
        return Edit(element.start + 1, element.start + 1, name)
    bracket = tree.text.find("[", element.start, element.end)
    if bracket >= 0:
        return Edit(bracket + 1, bracket + 1, name)
    left, right = "<" * (element.direction == "left"), ">" * (element.direction == "right")
    return Edit(element.start, element.end, f"{left}-[{name}]-{right}")


def _take(graph: Graph, value: Any, nodes: dict[str, dict[str, Any]], links: dict[str, dict[str, Any]]) -> None:
    match value:
        case list():
            for item in value:
                _take(graph, item, nodes, links)
        case {"nodes": [*found], "relationships": [*between]}:
            _take(graph, [*found, *between], nodes, links)
        case {"id": key, "labels": [*labels], "properties": properties}:
            known = [graph.schema.labels[label].name_property for label in labels if label in graph.schema.labels]
            name = next((properties[key] for key in (*known, "name", "title") if key and properties.get(key)), key)
            nodes[key] = {"id": key, "label": labels[0] if labels else "", "name": str(name)}
        case {"id": key, "type": type_, "start": start, "end": end}:
            links[key] = {"start": start, "end": end, "type": type_}
