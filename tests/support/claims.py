"""Checks the claims in diagnostics against the data: a query tests each sentence of a known form.

    found = Claims()
    found.check(driver, query, "Nodes labelled Subnet have no property 'name'. Names are in the property cidr.")
    found.false     # [], if both sentences are true

Sentences of an unknown form are not checked. Messages without a sentence of a known form are counted.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from itertools import product

import neo4j

Check = Callable[[neo4j.Driver, re.Match[str]], bool]


def _count(driver: neo4j.Driver, query: str, **parameters: object) -> int:
    return int(driver.execute_query(query, parameters).records[0][0])


def _labels(text: str) -> list[str]:
    whole = re.sub(r" (?:and \d+ more|or one other|or one of \d+ others)$", "", text)
    return [label.strip() for label in re.split(r", | and | or ", whole) if label.strip()]


def _no_label(driver: neo4j.Driver, found: re.Match[str]) -> bool:
    return _count(driver, f"MATCH (n:`{found[1]}`) RETURN count(n)") == 0


def _no_type(driver: neo4j.Driver, found: re.Match[str]) -> bool:
    return _count(driver, f"MATCH ()-[r:`{found[1]}`]->() RETURN count(r)") == 0


def _no_property_together(driver: neo4j.Driver, found: re.Match[str]) -> bool:
    return all(
        _count(
            driver,
            f"MATCH (n:{labels}) WHERE n.`{found[2]}` IS NOT NULL AND size(labels(n)) = "
            f"{labels.count(':') + 1} RETURN count(n)",
        )
        == 0
        for labels in _labels(found[1])
    )


def _no_property(pattern: str, driver: neo4j.Driver, found: re.Match[str]) -> bool:
    return all(
        _count(driver, f"MATCH {pattern.format(name)} WHERE n.`{found[2]}` IS NOT NULL RETURN count(n)") == 0
        for name in _labels(found[1])
    )


def _never_joins(driver: neo4j.Driver, found: re.Match[str]) -> bool:
    return all(
        _count(driver, f"MATCH (a:{label})-[r:{type_}]-(b:{other}) RETURN count(r)") == 0
        for type_ in _labels(found[1])
        for label in _labels(found[2])
        for other in _labels(found[3])
        if "this node" not in (label, other)
    )


def _pattern_exists(driver: neo4j.Driver, found: re.Match[str]) -> bool:
    groups = re.findall(r"\(:([^)]*)\)-\[:([^\]]*)\]->\(:([^)]*)\)", found[0])
    return all(
        _count(driver, f"MATCH p = (:{start})-[:{type_}]->(:{end}) RETURN count(p)") > 0
        for group in groups
        for start, type_, end in product(*(names.split("|") for names in group))
    )


def _no_name(driver: neo4j.Driver, found: re.Match[str]) -> bool:
    return _none(driver, found[1], f"n.`{found[2]}` = $v", found[3])


def _nearest_names(driver: neo4j.Driver, found: re.Match[str]) -> bool:
    return all(
        _count(driver, "MATCH (n) WHERE any(k IN keys(n) WHERE n[k] = $v) RETURN count(n)", v=name) > 0
        for name in re.findall(r"'([^']*)'", found[1])
    )


def _has_it(driver: neo4j.Driver, found: re.Match[str]) -> bool:
    return all(
        _count(driver, f"MATCH (n:{label}) RETURN count(n)") > 0
        or _count(driver, f"MATCH ()-[n:{label}]->() RETURN count(n)") > 0
        for label in _labels(found[1])
    )


def _no_element(driver: neo4j.Driver, found: re.Match[str]) -> bool:
    return _none(driver, found[1], f"$v IN n.`{found[3]}`", found[2])


def _none(driver: neo4j.Driver, named: str | None, condition: str, value: str) -> bool:
    """Whether no node fulfils the condition, among the nodes with the labels that a message names, or among all."""
    labels = [f":{label}" for label in _labels(named or "")] or [""]
    return all(_count(driver, f"MATCH (n{label}) WHERE {condition} RETURN count(n)", v=value) == 0 for label in labels)


def _has_property(driver: neo4j.Driver, found: re.Match[str]) -> bool:
    return all(
        _count(driver, f"MATCH (n:{name}) WHERE n.`{found[2]}` IS NOT NULL RETURN count(n)") > 0
        or _count(driver, f"MATCH ()-[n:{name}]->() WHERE n.`{found[2]}` IS NOT NULL RETURN count(n)") > 0
        for name in _labels(found[1].removeprefix("The relationship ").removeprefix("The relationships "))
    )


def _named_by(driver: neo4j.Driver, found: re.Match[str]) -> bool:
    return all(
        _count(driver, f"MATCH (n) WHERE n.`{key}` IS NOT NULL RETURN count(n)") > 0 for key in _labels(found[1])
    )


NAME = r"([\w`:, ]+?)"
FORMS: tuple[tuple[str, Check], ...] = (
    (r"There is no label '([^']+)' in the graph '[^']*'\.", _no_label),
    (r"There is no relationship type '([^']+)' in the graph '[^']*'\.", _no_type),
    (rf"Nodes labelled {NAME} have no property '([^']+)'\.", partial(_no_property, "(n:{})")),
    (rf"No node labelled {NAME} has a property '([^']+)'\.", partial(_no_property, "(n:{})")),
    (rf"No node whose labels are exactly {NAME} has a property '([^']+)'\.", _no_property_together),
    (rf"The relationships? {NAME} ha(?:s|ve) no property '([^']+)'\.", partial(_no_property, "()-[n:{}]->()")),
    (rf"The relationships? {NAME} never connects? {NAME} with {NAME}\.", _never_joins),
    (
        r"(?:The schema has|the schema has|Relationships between [\w`]+ (?:and [\w`]+|nodes):) \(:[^.]*\.",
        _pattern_exists,
    ),
    (rf"No node(?: labelled {NAME})? has the (\w+) '([^']*)'", _no_name),
    (rf"No node(?: labelled {NAME})? has '([^']*)' among its (\w+)", _no_element),
    (r"\(nearest: ('[^)]*')\)", _nearest_names),
    (r"Names are in the propert(?:y|ies) ([\w, ]+)\.", _named_by),
    (r"(?<=\. )([\w, ]+) (?:has|have) a property '([^']+)'", _has_property),
    (r"(?<=\. )(?:A node|Nodes) labelled ([A-Z][\w, ]*) (?:has|have) this \w+\.", _has_it),
)


@dataclass
class Claims:
    """The checked claims: the number of checked sentences, and the false sentences with their queries."""

    checked: int = 0
    false: list[str] = field(default_factory=list)
    silent: int = 0
    """The number of messages without a sentence of a known form."""
    _true: dict[tuple[Check, str], bool] = field(default_factory=dict)
    """Whether each sentence is true: the data stay the same, so a sentence is tested once."""

    def check(self, driver: neo4j.Driver, query: str, message: str) -> None:
        """Check every sentence of one message."""
        known = 0
        for pattern, check in FORMS:
            for found in re.finditer(pattern, message):
                known += 1
                if (check, found[0]) not in self._true:
                    self._true[check, found[0]] = check(driver, found)
                if not self._true[check, found[0]]:
                    self.false.append(f"{found[0]}   in   {query}")
        self.checked += known
        self.silent += not known


def mistaken(gold: str) -> list[str]:
    """Return queries with one mistake each, such as an agent makes.

    The mistake is a wrong label, type, property or value, or a relationship in the wrong direction.
    """
    found = []
    for pattern, change in (
        (r":([A-Z]\w+)[ )}{]", lambda name: name[:-1] + "z" + name[-1]),
        (r"\[\w*:([A-Z_]+)\]", lambda name: name + "_OF"),
        (r"\.([a-z]\w+)", lambda name: name + "Value"),
        (r"'([^']{4,})'", lambda name: name[:2] + name[3:]),
        (r"\{(\w+): ", lambda name: "name"),
        (r"\{(\w+): ", lambda name: "identifier"),
    ):
        match = re.search(pattern, gold)
        if match:
            found.append(gold[: match.start(1)] + change(match[1]) + gold[match.end(1) :])
    if "]->(" in gold:
        place = gold.index("-[")
        end = gold.index("]->", place)
        found.append(f"{gold[:place]}<{gold[place:end]}]-{gold[end + 3 :]}")
    return [query for query in found if query != gold]
