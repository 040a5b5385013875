"""Assigns a wrong prediction to the first of ten categories that fits its diagnostics, names, patterns and rows.

The categories are those of CypherBench's error analysis (arXiv 2412.18702, §5.4, Figure 6). CypherBench assigned them
manually; this module assigns them with the checks of `cypher` and by comparing the two trees. They are tried in a fixed
order, because an early category explains a later one, so a prediction with two mistakes counts under the earlier
category.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from graphground.cypher import CypherSyntaxError, parse
from graphground.cypher import tree as t
from graphground.cypher.diagnostics import Diagnostic

CATEGORIES: Mapping[str, str] = {
    "no_answer": "The agent gave no query.",
    "syntax": "The text does not compile as Cypher, is not read-only, or was refused by the database.",
    "timeout": "The query did not finish within its time limit.",
    "schema_violation": "A label, relationship type, property or pattern is not in the schema.",
    "reversed_direction": "A relationship is followed in the wrong direction.",
    "entity_linking": "The query names other entities than the gold query.",
    "pattern": "The labels or relationships differ from the gold query's.",
    "filtering": "The right pattern with the wrong conditions.",
    "deduplication": "The right rows with the wrong multiplicities: duplicates are missing or superfluous.",
    "results": "The right pattern and conditions, but the wrong columns, order or aggregation.",
}

_BY_CODE = {
    "unknown_label": "schema_violation",
    "unknown_relationship_type": "schema_violation",
    "unknown_property": "schema_violation",
    "impossible_pattern": "schema_violation",
    "reversed_direction": "reversed_direction",
}
_FAILED = {"not_cypher": "syntax", "not_read_only": "syntax", "refused": "syntax", "timeout": "timeout"}


def category_of(
    predicted: str,
    gold: str,
    failure: str,
    diagnostics: Iterable[Diagnostic],
    rows: Sequence[Sequence[Any]],
    gold_rows: Sequence[Sequence[Any]],
) -> str:
    """Return the category of a wrong prediction, which is a key of `CATEGORIES`.

    >>> category_of("MATCH (m:Movie) RETURN m.name", "MATCH (m:Movie {name: 'Heat'}) RETURN m.name", "", [], [], [])
    'entity_linking'
    """
    if not predicted.strip():
        return "no_answer"
    if failure:
        return _FAILED.get(failure, "syntax")
    found = {
        _BY_CODE[diagnostic.code]
        for diagnostic in diagnostics
        if diagnostic.severity == "error" and diagnostic.code in _BY_CODE
    }
    for category in ("schema_violation", "reversed_direction"):
        if category in found:
            return category
    try:
        predicted_shape, gold_shape = _Shape(parse(predicted)), _Shape(parse(gold))
    except CypherSyntaxError:
        return "results"
    if predicted_shape.names != gold_shape.names:
        return "entity_linking"
    if predicted_shape.types == gold_shape.types and predicted_shape.links != gold_shape.links:
        return "reversed_direction"
    if predicted_shape.types != gold_shape.types or predicted_shape.labels != gold_shape.labels:
        return "pattern"
    if predicted_shape.conditions != gold_shape.conditions:
        return "filtering"
    if _same_set(rows, gold_rows):
        return "deduplication"
    return "results"


class _Shape:
    """The compared parts of a query: its names, labels, relationships (with and without direction) and conditions."""

    def __init__(self, query: t.Query) -> None:
        self.names = {value for key, value in _compared(query) if key == "name"}
        self.conditions = Counter(pair for pair in _compared(query) if pair[0] != "name")
        self.conditions.update(("null", repr(node.negated)) for node in query.find(t.IsNull))
        self.labels = {
            name.text for node in query.find(t.NodePattern) if node.labels for name in node.labels.find(t.Name)
        }
        self.links: set[tuple[str, bool]] = set()
        self.types: set[str] = set()
        known = {
            node.variable.name: name.text
            for node in query.find(t.NodePattern)
            if node.variable and node.labels
            for name in node.labels.find(t.Name)
        }
        for path in query.find(t.PathPattern):
            for left, link, right in zip(path.elements, path.elements[1:], path.elements[2:], strict=False):
                if isinstance(link, t.RelationshipPattern) and link.types is not None:
                    start, end = (right, left) if link.direction == "left" else (left, right)
                    types = "|".join(sorted(name.text for name in link.types.find(t.Name)))
                    self.types.add(types)
                    self.links.add((f"{_end(start, known)}-{types}-{_end(end, known)}", link.direction == "both"))


def _end(node: t.Node, known: Mapping[str, str]) -> str:
    """Return the text for one end of a link: the node's label, with `*` if the node has a property map."""
    if not isinstance(node, t.NodePattern):
        return ""
    label = "|".join(sorted(name.text for name in node.labels.find(t.Name))) if node.labels else ""
    label = label or known.get(node.variable.name if node.variable else "", "")
    named = isinstance(node.properties, t.MapLiteral)
    return f"{label}{'*' if named else ''}"


def _compared(query: t.Query) -> Iterable[tuple[str, str]]:
    """Yield each compared property and its value as text.

    The text begins with the operator if an operator compares the two and the property is not `name`: `> 1999`.
    """
    for node in query.find(t.NodePattern):
        if isinstance(node.properties, t.MapLiteral):
            for entry in node.properties.entries:
                yield entry.key.text, _value(entry.value, query)
    for binary in query.find(t.Binary):
        for side, other in ((binary.left, binary.right), (binary.right, binary.left)):
            if isinstance(side, t.Property) and not isinstance(other, t.Property):
                value = _value(other, query)
                yield side.key.text, value if side.key.text == "name" else f"{binary.operator} {value}"


def _value(node: t.Node, query: t.Query) -> str:
    return node.value if isinstance(node, t.StringLiteral) else query.source(node)


def _same_set(rows: Sequence[Sequence[Any]], gold_rows: Sequence[Sequence[Any]]) -> bool:
    distinct_rows, distinct_gold_rows = ({repr(sorted(map(repr, row))) for row in table} for table in (rows, gold_rows))
    return bool(distinct_gold_rows) and distinct_rows == distinct_gold_rows
