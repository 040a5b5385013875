"""Finds the labels, patterns, properties and values that a CypherBench gold query uses.

Regular expressions suffice, because gold queries are generated: every node has a label and every relationship a type.
The expressions are independent of the measured code.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

NODE = re.compile(r"\(\s*(\w*)\s*(?::\s*(\w+))?\s*(\{[^{}]*\})?\s*\)")
RELATIONSHIP = re.compile(r"(<)?-\[\s*(\w*)\s*(?::\s*(\w+))?\s*(\{[^}]*\})?\s*\]-(>)?")
TEXT = re.compile(r"'(?:[^'\\]|\\.)*'")


@dataclass
class Elements:
    """The elements of a query: `Elements({"Movie"}, {("directedBy", "Movie", "Person")}, {("Movie", "name")}, …)`."""

    labels: set[str] = field(default_factory=set)
    patterns: set[tuple[str, str, str]] = field(default_factory=set)
    properties: set[tuple[str, str]] = field(default_factory=set)
    type_properties: set[tuple[str, str]] = field(default_factory=set)
    values: list[tuple[str, str, str]] = field(default_factory=list)


def elements_of(query: str) -> Elements:
    """Return the schema elements and the values that a gold query uses."""
    found = Elements()
    blank = TEXT.sub(lambda text: "'" + "_" * (len(text.group()) - 2) + "'", query)
    label_of: dict[str, str] = {}
    type_of: dict[str, str] = {}

    def value_at(start: int) -> str:
        return query[start : blank.index("'", start)].replace("\\'", "'").replace("\\\\", "\\")

    nodes = list(NODE.finditer(blank))
    for node in nodes:
        variable, label, property_map = node.groups()
        if not label:
            continue
        found.labels.add(label)
        label_of[variable] = label
        for key in re.finditer(r"(\w+)\s*:\s*'", property_map or ""):
            found.properties.add((label, key.group(1)))
            found.values.append((label, key.group(1), value_at(node.start(3) + key.end())))
    for renamed in re.finditer(r"\b(\w+) as (\w+)\b", blank):
        label_of.setdefault(renamed.group(2), label_of.get(renamed.group(1), ""))
    before = {node.end(): node for node in nodes}
    after = {node.start(): node for node in nodes}
    for edge in RELATIONSHIP.finditer(blank):
        ends = [before.get(edge.start()), after.get(edge.end())]
        labels = [(node.group(2) or label_of.get(node.group(1), "")) if node else "" for node in ends]
        type_of[edge.group(2)] = edge.group(3)
        found.type_properties |= {(edge.group(3), key) for key in re.findall(r"(\w+)\s*:", edge.group(4) or "")}
        if edge.group(1):
            labels.reverse()
        found.patterns.add((edge.group(3), labels[0], labels[1]))
    for variable, key in re.findall(r"\b(\w+)\.(\w+)", blank):
        if label_of.get(variable):
            found.properties.add((label_of[variable], key))
        elif type_of.get(variable):
            found.type_properties.add((type_of[variable], key))
    for compared in re.finditer(r"(\w+)\.(\w+)\s*(?:=|<>|CONTAINS|STARTS WITH)\s*'", blank):
        if label_of.get(compared.group(1)):
            found.values.append((label_of[compared.group(1)], compared.group(2), value_at(compared.end())))
    for member in re.finditer(r"'_*' IN (\w+)\.(\w+)", blank):
        if label_of.get(member.group(1)):
            found.values.append((label_of[member.group(1)], member.group(2), value_at(member.start() + 1)))
    return found
