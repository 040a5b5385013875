"""Scopes and types in one pass over the tree, with the rules of Neo4j 5.26, errors in the order it finds them.

`clauses` and `projections` update the scope, `patterns` declares variables, `expressions` infers types,
`function_calls` checks functions, `grouping` checks aggregation, and `subqueries` handles nested queries.
"""

from __future__ import annotations

from graphground.cypher.semantics.checker import analyze

__all__ = ["analyze"]
