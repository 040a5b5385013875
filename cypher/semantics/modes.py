"""Match modes and path modes: what they exclude."""

from __future__ import annotations

from graphground.cypher import tree
from graphground.cypher.semantics.checker import Checker


def check(c: Checker, paths: list[tree.PathPattern], mode: str) -> None:
    """The paths behind `MATCH REPEATABLE ELEMENTS` or `MATCH DIFFERENT RELATIONSHIPS`."""
    for path in paths:
        if path.shortest is not None:
            c.problem("pattern", path, f"{path.shortest}(…) cannot stand behind {mode}; write SHORTEST")
        elif mode == "REPEATABLE ELEMENTS":
            for element in path.elements:
                if _unbounded(element):
                    c.problem("pattern", element, "with REPEATABLE ELEMENTS a path of any length may have no end of "
                                                  "rows; give its length an upper bound, such as {1,5}")
                    break


def _unbounded(element: tree.Node) -> bool:
    quantifier = getattr(element, "quantifier", None)
    length = getattr(element, "length", None)
    return (quantifier is not None and quantifier.maximum is None) or (length is not None and length.maximum is None)
