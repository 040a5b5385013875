"""Provenance queries as the published implementation of PSJS makes them: from the text, with regular expressions.

    >>> published_provenance_queries("MATCH (:Team)<-[:playsFor]-(n:Player) RETURN n.name UNIQUE")
    ['MATCH (published0:Team)<-[:playsFor]-(n:Player) RETURN collect(DISTINCT elementId(n)), \
collect(DISTINCT elementId(published0))']

Scores that others measured with that implementation are comparable only with scores of the same rule. Its rule differs
from the paper's definition as `provenance_similarity` lists; the queries are equivalent to the published ones, which
name relationships too. Only upper-case keywords count, even those inside string literals.
"""

from __future__ import annotations

import re

_KEYWORDS = (
    "MATCH|OPTIONAL MATCH|WHERE|RETURN|UNION|WITH|CREATE|SET|DELETE|MERGE|UNWIND|ORDER BY|LIMIT|SKIP|FOREACH|CALL|YIELD"
)
_CLAUSE = re.compile(rf"\b(?:{_KEYWORDS})\b")
_CALL = re.compile(r"CALL\s*\{(.*?)\}\s*(?:WITH|RETURN|WHERE|UNWIND)", re.DOTALL)
_UNION = re.compile(r"\bUNION\b")
_UNNAMED = re.compile(r"\((?=:[A-Za-z]+(?:\s*\{.*?\})?\))")
"""The opening parenthesis of a node without a variable, with one label of letters and optionally a map."""
_MAP = re.compile(r"\{[^}]*\}")
_NAMED = re.compile(r"\((\w+)(?::[^)]*|\))")
_MATCHES = ("MATCH", "OPTIONAL MATCH")


def published_provenance_queries(text: str, node_id: str = "elementId") -> list[str]:
    """Return queries that each yield one row with lists of node ids; an empty list if no part begins with MATCH."""
    call = _CALL.search(text) if text.strip().startswith("CALL") else None
    if call is None and text.strip().startswith("CALL"):
        return []
    parts = (_matched(part.strip()) for part in _UNION.split(call[1] if call else text))
    return [_with_ids(part, node_id) for part in parts if part]


def _matched(part: str) -> str:
    """Return the text before the projection: MATCH and WHERE, with `WITH *` in place of a WITH that renames nothing."""
    if not part.startswith("MATCH"):
        return ""
    clauses: list[str] = []
    for clause in _clauses(part):
        if not clause.startswith((*_MATCHES, "WITH", "WHERE")):
            break
        if clause.startswith("WITH"):
            if " as " in clause.lower():
                break
            clause = "WITH *"
        clauses.append(clause)
    while clauses[-1].startswith("WITH"):
        clauses.pop()
    return " ".join(clauses)


def _clauses(text: str) -> list[str]:
    starts = [match.start() for match in _CLAUSE.finditer(text)]
    return [text[start:end].strip() for start, end in zip(starts, [*starts[1:], None], strict=True)]


def _with_ids(matched: str, node_id: str) -> str:
    clauses, unnamed = [], 0
    for clause in _clauses(matched):
        if clause.startswith(_MATCHES):
            pieces = _UNNAMED.split(clause)
            clause = pieces[0]
            for piece in pieces[1:]:
                clause += f"(published{unnamed}{piece}"
                unnamed += 1
        clauses.append(clause)
    text = " ".join(clauses)
    found: set[str] = set()
    for clause in _clauses(_MAP.sub("{}", text)):
        if clause.startswith(_MATCHES):
            found.update(_NAMED.findall(clause))
    lists = ", ".join(f"collect(DISTINCT {node_id}({name}))" for name in sorted(found))
    return f"{text} RETURN {lists or '[]'}"
