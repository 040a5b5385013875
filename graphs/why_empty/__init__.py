"""Explains why a query returned no rows: the smallest part that matches nothing, and values that would match."""

from graphground.graphs.why_empty.explain import why_empty

__all__ = ["why_empty"]
