"""Explains why a query returned no rows: the smallest part that matches nothing, and values that would match."""

from graphground.graphs.why_empty.explain import fixed_query, why_empty

__all__ = ["fixed_query", "why_empty"]
