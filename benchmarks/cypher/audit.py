"""Checks a query against a schema with regular expressions, independently of the front end, as a second opinion.

`violations(query, schema)` returns the names of the query that are not in the schema, the relationships that the schema
does not allow, and comparisons of a property with a value of another type. Scopes are ignored, so only simple queries
can be checked.
"""

from __future__ import annotations

import re

from graphground.cypher import Report
from graphground.cypher.schema import PropertyGraphSchema

STRINGS = re.compile(r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"")
NODE = r"\(\s*(\w*)\s*(?::\s*(\w+))?[^()]*\)"
NODES = re.compile(NODE)
RELATIONSHIP = re.compile(r"(<?)-\s*\[\s*(\w*)\s*:\s*([\w|:]+)\s*([^\]]*)\]\s*-(>?)")
HOPS = re.compile(NODE + r"\s*(<?)-\s*\[\s*\w*\s*:\s*(\w+)\s*(?:\{[^}]*\})?\s*\]\s*-(>?)\s*(?=" + NODE + ")")
PROPERTIES = re.compile(r"\b(\w+)\.(\w+)\b(?!\s*\()")
COMPARED = re.compile(r"\b(\w+)\.(\w+)\s*(=|<>|<=|>=|<|>|CONTAINS|IN)\s*(\S+)")


def violations(query: str, schema: PropertyGraphSchema) -> list[str]:
    """Return the parts of a query that contradict the schema:
    `["label Flight", "hop (Person)-hasCEO-(Company)"]`."""
    found: list[str] = []
    for part in re.split(r"\bUNION\b", STRINGS.sub(lambda match: "'" + "_" * (len(match[0]) - 2) + "'", query)):
        found += _in_part(part, schema)
    return list(dict.fromkeys(found))


def _in_part(text: str, schema: PropertyGraphSchema) -> list[str]:
    found: list[str] = []
    labels: dict[str, str] = {}
    for name, label in NODES.findall(text):
        if label:
            if label not in schema.labels:
                found.append(f"label {label}")
            elif name:
                labels.setdefault(name, label)
    types: dict[str, str] = {}
    for _, name, written, _, _ in RELATIONSHIP.findall(text):
        for type_ in re.split(r"[|:]+", written):
            if type_ and type_ not in schema.relationship_types:
                found.append(f"type {type_}")
        if name:
            types[name] = written
    for a, a_label, left, type_, right, b, b_label in HOPS.findall(text):
        start, end = a_label or labels.get(a, ""), b_label or labels.get(b, "")
        if left:
            start, end = end, start
        patterns = schema.relationship_types.get(type_, ())
        ways = {(pattern.start, pattern.end) for pattern in patterns}
        if not left and not right:
            ways |= {(pattern.end, pattern.start) for pattern in patterns}
        if (
            patterns
            and (not left or not right)
            and not any(start in ("", first) and end in ("", last) for first, last in ways)
        ):
            found.append(f"hop ({start})-{type_}-({end})")
    for name, key in PROPERTIES.findall(text):
        if name in labels and key not in schema.labels[labels[name]].properties:
            found.append(f"property {labels[name]}.{key}")
        elif types.get(name) in schema.relationship_types and key not in schema.relationship_properties[types[name]]:
            found.append(f"property {types[name]}.{key}")
    for name, key, operator, value in COMPARED.findall(text):
        type_ = schema.labels[labels[name]].properties.get(key, "") if name in labels else ""
        if type_.startswith("list[") and not value.startswith("size") and "." not in value:
            found.append(f"list {key} {operator} {value}")
        elif (type_ in ("date", "datetime") and (value[0].isdigit() or value[0] in "'\"") and operator != "IN") or (
            type_ in ("int", "float") and value[0] in "'\""
        ):
            found.append(f"{type_} {key} {operator} {value}")
    return found


# The queries that a check judged wrongly, for the file that `--misses` names


MISSES: list[str] = []


def miss(figure: str, *parts: object) -> None:
    MISSES.append("\t".join([figure, *(str(part).replace("\n", " ") for part in parts)]))


def errors_of(report: Report) -> list[str]:
    return sorted({diagnostic.code for diagnostic in report.diagnostics if diagnostic.severity == "error"})
