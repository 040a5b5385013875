"""Provenance subgraph Jaccard similarity (PSJS): how much of the gold query's subgraph a prediction matched.

CypherBench (arXiv 2412.18702, §5.1) divides the number of nodes matched by the MATCH clauses of both queries by the
number of nodes matched by at least one of the two queries. A query that matches the right nodes but returns the wrong
columns scores well.

Edge cases, as published: a prediction with the gold query's text scores 1; two empty subgraphs score 0; a prediction
that fails scores 0; a query without MATCH has an empty subgraph. The published implementation splits the text with
regular expressions, which `rule="published"` reproduces (`provenance_published`). Ours uses the tree (`provenance`), so
the scores can differ for

- keywords in lower case, and a query that begins with OPTIONAL MATCH, UNWIND or WITH: the published rule finds no
  MATCH;
- STARTS WITH and ENDS WITH: the published rule cuts the text at their WITH, and the query fails;
- `(n)` without a label, `()`, names in backticks, two labels, maps with `}` or `)` in a text: the published rule leaves
  out nodes whose variable its regular expression cannot find, or the query fails;
- a query that does not compile: ours is not run; the published rule runs the text before RETURN, which can score 1;
- nodes inside paths of variable length: the published rule does not collect them;
- a WITH that renames, and all that follows it; a MATCH after a WITH that groups or sorts; a filter after CALL { … };
- a gold query that fails: ours raises an error, the published rule scores 0.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterator
from typing import TYPE_CHECKING, Any

from graphground.cypher import CypherSyntaxError, access, parse
from graphground.evals.metrics.executable import attempt
from graphground.evals.metrics.provenance import provenance_queries
from graphground.evals.metrics.provenance_published import published_provenance_queries
from graphground.evals.metrics.values import Rule
from graphground.graphs.engines.engine import EngineError, EngineUnavailable, QueryFailed

if TYPE_CHECKING:
    from graphground.graphs.graph import Graph


def psjs(predicted: str, gold: str, graph: Graph, *, timeout: float = 120.0, rule: Rule = "paper") -> float:
    """Return the similarity of two queries' provenance subgraphs, from 0.0 to 1.0.

        psjs("MATCH (n:Team) RETURN n.name", "MATCH (n:Team) RETURN count(n)", graph)  # 1.0: the same nodes

    `timeout` is the time limit of each provenance query, in seconds.

    Raises:
        CypherSyntaxError, EngineError: the gold query fails, except with `rule="published"`.
        EngineUnavailable: the graph cannot be queried, so the query cannot be scored.
    """
    if predicted == gold:
        return 1.0
    try:
        gold_nodes = provenance_nodes(gold, graph, timeout=timeout, rule=rule)
    except QueryFailed:
        if rule == "published":
            return 0.0
        raise
    try:
        predicted_nodes = provenance_nodes(predicted, graph, timeout=timeout, rule=rule)
    except EngineUnavailable:
        raise
    except (CypherSyntaxError, EngineError):
        return 0.0
    return jaccard(predicted_nodes, gold_nodes)


def jaccard(first: Collection[Hashable], second: Collection[Hashable]) -> float:
    """Return the size of the intersection divided by the size of the union; 0.0 if both sets are empty.

    >>> jaccard({"a", "b"}, {"b", "c", "d"})
    0.25
    """
    together = set(first) | set(second)
    return len(set(first) & set(second)) / len(together) if together else 0.0


def provenance_nodes(query: str, graph: Graph, *, timeout: float = 120.0, rule: Rule = "paper") -> set[str]:
    """Return the ids of the nodes that a query's MATCH clauses match.

    Raises:
        CypherSyntaxError: the text is not a query; never raised with `rule="published"`.
        EngineError: the query is not read-only, or a provenance query fails or takes longer than `timeout` seconds.
    """
    node_id = graph.dialect.own_id.partition("(")[0] if graph.dialect is not None else "elementId"
    if rule == "published":
        texts = published_provenance_queries(query, node_id)
    elif access(parse(query, graph.language)) != "read":
        raise QueryFailed("The query is not read-only.")
    else:
        texts = provenance_queries(query, graph.language, node_id)
    found: set[str] = set()
    for text in texts:
        outcome = attempt(graph, text, timeout=timeout)
        if outcome.table is None:
            raise QueryFailed(outcome.message)
        found.update(_flat(outcome.table.rows))
    return found


def _flat(values: list[Any]) -> Iterator[str]:
    for value in values:
        if isinstance(value, list):
            yield from _flat(value)
        elif value is not None:
            yield str(value)
