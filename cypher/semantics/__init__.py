"""Resolves variables and infers types in one pass, by the rules of Neo4j 5.26, with errors in Neo4j's order.

`checker` holds the scope and the findings; `clauses` updates the scope and checks aggregation, `patterns` declares
variables, and `expressions` infers types and checks functions.
"""

from __future__ import annotations

from graphground.cypher.semantics.checker import analyze

__all__ = ["analyze"]
