"""Scopes and types in one pass over the tree, with the rules of Neo4j 5.26, errors in the order it finds them.

`clauses` and `projections` move the scope along, `patterns` declares, `expressions` gives types, `calls` knows the
functions, `grouping` the rules for aggregates, `subqueries` what is nested.
"""

from __future__ import annotations

from graphground.cypher.semantics.checker import analyze

__all__ = ["analyze"]
