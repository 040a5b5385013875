"""Resolves variables and infers types in one pass, by the rules of Neo4j 5.26, with errors in Neo4j's order.

`clauses` and `projections` update the scope, `patterns` declares variables, `expressions` infers types,
`function_calls` checks functions, `projections` and `grouping` check aggregation, and `subqueries` and `call_clauses`
check nested queries.
"""

from __future__ import annotations

from graphground.cypher.semantics.checker import analyze

__all__ = ["analyze"]
