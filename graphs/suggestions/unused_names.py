"""Shortens a suggested query by deleting variables that are not used and labels that an earlier pattern states.

    >>> without_unused_names("MATCH (n:Movie)-[r0:directedBy]->(m0:Person {name: 'Ann'}) RETURN n.name")
    "MATCH (n:Movie)-[:directedBy]->(:Person {name: 'Ann'}) RETURN n.name"

Suggested queries at first name every element, as CypherBench's queries do; each name costs an agent tokens.
"""

from __future__ import annotations

from collections import Counter

from graphground.cypher import parse
from graphground.cypher import tree as t
from graphground.cypher.edits import Edit, applied


def without_unused_names(text: str) -> str:
    """Return the query without unused variables and repeated labels; it has the same rows."""
    query = parse(text)
    used = Counter(variable.name for variable in query.find(t.Variable))
    one_scope = next(iter(query.find(t.Union)), None) is None
    edits: list[Edit] = []
    labelled: set[tuple[str, str]] = set()
    elements: list[t.NodePattern | t.RelationshipPattern] = [
        *query.find(t.NodePattern),
        *query.find(t.RelationshipPattern),
    ]
    for element in elements:
        variable = element.variable
        if variable is None:
            continue
        if used[variable.name] == 1:
            edits.append(Edit(variable.start, variable.end, ""))
        elif isinstance(element, t.NodePattern) and element.labels is not None and one_scope:
            labels = text[element.labels.start : element.labels.end].lstrip(":")
            if (variable.name, labels) in labelled and element.properties is None:
                edits.append(Edit(variable.end, element.labels.end, ""))
            labelled.add((variable.name, labels))
    return applied(text, edits)
