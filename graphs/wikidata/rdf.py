"""Assembles statements from the triples of Wikidata's RDF, in whatever order the triples come.

gathering = Gathering()
gathering.statement("Q42", "P569", "Q42-F078…")
node = {"type": "uri", "value": "http://www.wikidata.org/value/b72…"}
gathering.part("Q42-F078…", PROP + "statement/value/P569", node)
gathering.detail("b72…", "timePrecision", "11")
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from graphground.graphs.wikidata.statements import NORMAL, RANKS, Statement
from graphground.graphs.wikidata.values import (
    NO_VALUE,
    SOME_VALUE,
    Value,
    item_number,
    quantity,
    rdf_time,
    value_of_term,
)

PROP = "http://www.wikidata.org/prop/"
ONTOLOGY = "http://wikiba.se/ontology#"
KINDS = {"statement/value/": "psv", "statement/": "ps", "qualifier/value/": "pqv", "qualifier/": "pq"}
Term = Mapping[str, Any]


def last(address: str) -> str:
    """Return the last part of an address: `last("http://www.wikidata.org/prop/P57")` is `"P57"`."""
    return address.rpartition("/")[2]


def kind_of(predicate: str) -> tuple[str, str] | None:
    """Return the prefix and the property of a statement's predicate, `("pqv", "P580")`; None for other predicates."""
    if predicate.startswith(PROP):
        rest = predicate[len(PROP) :]
        for prefix, kind in KINDS.items():
            if rest.startswith(prefix):
                return kind, rest[len(prefix) :]
    return None


def values_of(full: Sequence[Value], simple: Sequence[Value]) -> list[Value]:
    """Return the values of a predicate, sorted.

    Full values have a unit or a precision. If there are any, the simple values are left out, except unknown values,
    which have no full form.

    >>> values_of([("time", 1999, 0, 0, 9)], [("time", 1999, 1, 1, 11), ("some",)])
    [('some',), ('time', 1999, 0, 0, 9)]
    """
    if not full and len(simple) == 1:
        return list(simple)
    remaining = [value for value in simple if value[0] == SOME_VALUE] if full else simple
    return sorted(dict.fromkeys([*full, *remaining]), key=str)


class Gathering:
    """A collection of triples about statements; `rows` yields the statements when all triples have been added."""

    def __init__(self) -> None:
        self._statements: dict[str, tuple[str, str]] = {}
        self._ranks: dict[str, int] = {}
        self._simple: dict[tuple[str, str, str], list[Term]] = defaultdict(list)
        self._linked: dict[tuple[str, str, str], list[str]] = defaultdict(list)
        self._details: dict[str, dict[str, str]] = defaultdict(dict)

    def statement(self, item: str, name: str, key: str) -> None:
        """Add a statement of an item and a property; `key` is the statement's name."""
        self._statements[key] = item, name

    def part(self, key: str, predicate: str, term: Term) -> None:
        """Add a triple whose subject is a statement."""
        if predicate == ONTOLOGY + "rank":
            self._ranks[key] = RANKS.get(term["value"].rpartition("#")[2], NORMAL)
            return
        found = kind_of(predicate)
        if found is None:
            return
        kind, name = found
        if kind in ("ps", "pq"):
            self._simple[key, kind, name].append(term)
        else:
            self._linked[key, kind[:2], name].append(last(term["value"]))

    def detail(self, node: str, predicate: str, text: str) -> None:
        """Add a triple whose subject is the value node of a quantity or time."""
        self._details[node][predicate.rpartition("#")[2]] = text

    def rows(self) -> Iterator[tuple[int, str, list[Statement]]]:
        """Yield each item number and property with its statements, sorted."""
        found: dict[tuple[int, str], list[Statement]] = defaultdict(list)
        qualifiers: dict[str, dict[str, list[Value]]] = defaultdict(dict)
        for key, kind, name in sorted({*self._simple, *self._linked}):
            if kind == "pq":
                qualifiers[key][name] = self._values(key, kind, name)
        for key, (item, name) in self._statements.items():
            number = item_number(item)
            if number is not None:
                values = self._values(key, "ps", name)
                found[number, name].append(
                    Statement(
                        self._ranks.get(key, NORMAL), values[0] if values else (NO_VALUE,), qualifiers.get(key, {}), key
                    )
                )
        for (number, name), statements in sorted(found.items()):
            yield number, name, sorted(statements, key=lambda statement: statement.identifier.upper())

    def _values(self, key: str, kind: str, name: str) -> list[Value]:
        """Return a statement's values (`kind` `ps`) or qualifiers (`pq`), in full form if their nodes were added."""
        full = [
            value
            for node in self._linked.get((key, kind, name), ())
            if (value := self._full(self._details.get(node, {}))) is not None
        ]
        return values_of(full, [value_of_term(term) for term in self._simple.get((key, kind, name), ())])

    @staticmethod
    def _full(details: Mapping[str, str]) -> Value | None:
        if "timeValue" in details and "timePrecision" in details:
            return rdf_time(details["timeValue"], int(float(details["timePrecision"])))
        if "quantityAmount" in details and "quantityUnit" in details:
            return quantity(details["quantityAmount"], details["quantityUnit"])
        return None
