"""Why a query found nothing: the smallest part of it that matches nothing, and what would."""

from graphground.graphs.why_empty.explain import why_empty

__all__ = ["why_empty"]
