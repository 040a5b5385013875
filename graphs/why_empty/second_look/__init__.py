"""Finds problems that an answer may hide: merged namesakes, dropped nulls, ties, repeated rows, wrong directions."""

from graphground.graphs.why_empty.second_look.look import second_look

__all__ = ["second_look"]
