"""Checks match modes and path modes, and the constructs that cannot be combined with them."""

from __future__ import annotations

from graphground.cypher import tree
from graphground.cypher.semantics.checker import Checker


def check(c: Checker, paths: list[tree.PathPattern], mode: str | None) -> None:
    """Check the paths after MATCH, `MATCH REPEATABLE ELEMENTS` or `MATCH DIFFERENT RELATIONSHIPS`."""
    written = [path.selector.mode if path.selector is not None else None for path in paths]
    if any(written):
        for path, path_mode in zip(paths, written, strict=True):
            if (path_mode or "WALK") != (written[0] or "WALK"):
                c.problem("pattern", path, "the paths of one MATCH must have the same mode; use two MATCH clauses")
            if path_mode is not None and any(
                isinstance(element, tree.RelationshipPattern) and element.length is not None
                for element in path.elements
            ):
                c.problem(
                    "pattern", path, f"{path_mode} takes quantifiers such as -->{{1,3}}, not lengths such as -[*1..3]->"
                )
    if mode is None:
        return
    for path, path_mode in zip(paths, written, strict=True):
        if mode == "REPEATABLE ELEMENTS" and path_mode in ("TRAIL", "ACYCLIC"):
            c.problem("pattern", path, f"{mode} cannot be combined with {path_mode}")
        if path.shortest is not None:
            c.problem("pattern", path, f"{path.shortest}(…) cannot follow {mode}; write SHORTEST")
        elif mode == "REPEATABLE ELEMENTS":
            for element in path.elements:
                if _unbounded(element):
                    c.problem(
                        "pattern",
                        element,
                        "with REPEATABLE ELEMENTS a path of any length may return endless "
                        "rows; give its length an upper bound, such as {1,5}",
                    )
                    break


def _unbounded(element: tree.Node) -> bool:
    quantifier = getattr(element, "quantifier", None)
    length = getattr(element, "length", None)
    return (quantifier is not None and quantifier.maximum is None) or (length is not None and length.maximum is None)
