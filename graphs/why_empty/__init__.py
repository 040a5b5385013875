"""Explains why a query returned nothing: the smallest part of it that matches nothing, and what would match."""

from graphground.graphs.why_empty.explain import why_empty

__all__ = ["why_empty"]
