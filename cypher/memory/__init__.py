"""Finds values that a query builds from constants alone and that take more memory than any query should.

    >>> from graphground.cypher import parse
    >>> [found.what for found in large_values(parse("UNWIND range(1, 100000000) AS i RETURN collect(i) AS x"))]
    ['this stores at least 100,000,000 elements']
    >>> large_values(parse("UNWIND range(1, 100000000) AS i RETURN sum(i) AS x"))
    []

Neo4j computes `range` lazily, element by element, so most uses of a long range are harmless. Neo4j stores the result of
a list comprehension, the arguments of procedures and plug-in functions, and the rows of `collect`, of a sort and of
DISTINCT. A case is reported only if it is certain: sizes are lower bounds that follow from the text and the parameters,
and a size that depends on the data is never reported. Rows that a condition certainly drops do not count. `values`
holds the bounds, `conditions` the outcomes of conditions; `expressions` computes both for expressions, `rows` for
clauses.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from graphground.cypher import tree
from graphground.cypher.memory.expressions import Evaluation
from graphground.cypher.memory.rows import evaluate
from graphground.cypher.memory.values import LargeValue

CODE = "value_too_large"
_LENGTHENING = frozenset({"range", "replace", "split"})
"""Functions whose result may be much larger than the text of the query."""
FEW_ADDITIONS = 8
"""The number of additions that are harmless: even if each doubles a query's longest string, the result is small."""

__all__ = ["CODE", "LargeValue", "large_values"]


def large_values(
    query: tree.Query, parameters: Mapping[str, Any] | None = None, *, eager: bool = False
) -> list[LargeValue]:
    """Return every value of a query that certainly takes more than `MOST_BYTES` of the database's memory.

    `eager` says whether the database computes rows that `LIMIT 0` then drops.
    """
    if not _may_be_large(query, parameters):
        return []
    evaluation = Evaluation(parameters or {}, eager=eager)
    evaluate(query.body, evaluation)
    return evaluation.found


def _may_be_large(query: tree.Query, parameters: Mapping[str, Any] | None) -> bool:
    """Return whether a query can contain a large value at all; most queries cannot and are not evaluated."""
    if parameters and any(isinstance(value, str | list | dict) and len(value) > 1 for value in parameters.values()):
        return True
    repeated = added = 0
    for node in query.walk():
        if isinstance(node, tree.FunctionCall):
            if node.key in _LENGTHENING:
                return True
        elif isinstance(node, tree.Unwind | tree.ListComprehension):
            repeated += 1
        elif isinstance(node, tree.Binary) and node.operator in ("+", "||"):
            added += 1
    return repeated > 1 or added > FEW_ADDITIONS
