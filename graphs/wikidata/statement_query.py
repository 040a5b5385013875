"""Queries the statements of items, and parses the answers.

    query = StatementQuery(plan, plan.wanted("Movie"), {"P57": ONTOLOGY + "WikibaseItem"})
    query.read(endpoint.select(query.text([25173]))).rows  →  [(25173, "P57", [Statement(NORMAL, ("item", "Q220584"))])]

The query is a union of small branches. Each has constant predicates, and no part is optional, because planners turn
more general queries into scans of the whole store. Each branch has a different variable, by which a row is recognized:

- the values of a property whose best values, without unit and precision, suffice: `?item wdt:P57 ?v0`
- for any other property,
  - the ranks that are not normal: `?item p:P161 ?s . ?s wikibase:rank ?v1 FILTER(?v1 != wikibase:NormalRank)`
  - the simple values; only unknown values if all others have a unit or precision: `?item p:P161 ?s . ?s ps:P161 ?v2`
  - the values with unit or precision:
    `?item p:P569 ?s . ?s psv:P569 ?n . ?n wikibase:timeValue ?v3 ; wikibase:timePrecision ?w3`
  - the qualifiers, likewise simple or with unit or precision: `?item p:P161 ?s . ?s pq:P453 ?v4`
- the items into which the given items were merged: `?item owl:sameAs ?same`
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from graphground.graphs.wikidata.answers import Binding
from graphground.graphs.wikidata.plan import Plan
from graphground.graphs.wikidata.queries import item_list, prefixed
from graphground.graphs.wikidata.rdf import last, values_of
from graphground.graphs.wikidata.statements import NORMAL, RANKS, Statement, Wanted
from graphground.graphs.wikidata.values import NO_VALUE, Value, item_number, quantity, time, value_of_term

ONTOLOGY = "http://wikiba.se/ontology#"
QUANTITY_TYPE, TIME_TYPE = ONTOLOGY + "Quantity", ONTOLOGY + "Time"
BEST, RANK, VALUE, QUANTITY, TIME = range(5)
_DETAILS = {
    QUANTITY: ("quantityAmount", "quantityUnit", QUANTITY_TYPE),
    TIME: ("timeValue", "timePrecision", TIME_TYPE),
}
StatementRow = tuple[int, str, list[Statement]]


class Column(NamedTuple):
    """The meaning of a variable: `Column(TIME, "P39", "P580", "w3")` is the time of a qualifier of P39.

    The precision of the time is the value of the variable `?w3`.
    """

    kind: int
    name: str
    qualifier: str = ""
    second: str = ""
    """The name of the variable with the unit or the precision; empty if there is none."""


@dataclass(slots=True)
class Fetched:
    """Statements by item and property, and merged items with the items into which they were merged."""

    rows: list[StatementRow]
    merged: dict[int, int]


@dataclass(slots=True)
class _Parts:
    """The parts of a statement, collected from the rows of an answer."""

    item: int
    name: str
    rank: int = NORMAL
    simple: list[Value] = field(default_factory=list)
    full: list[Value] = field(default_factory=list)
    qualifiers: dict[str, tuple[list[Value], list[Value]]] = field(default_factory=dict)

    def statement(self, key: str) -> Statement:
        """Return the statement with the identifier `key`, after all its parts have been collected."""
        values = values_of(self.full, self.simple)
        return Statement(
            self.rank,
            values[0] if values else (NO_VALUE,),
            {name: values_of(*self.qualifiers[name]) for name in sorted(self.qualifiers)},
            key,
        )


class StatementQuery:
    """The query for the properties of items; `types` are the datatypes of properties, as far as they are known.

    A property with a known datatype has branches only for values of that type.
    """

    def __init__(self, plan: Plan, wanted: Wanted, types: Mapping[str, str]) -> None:
        self._plan, self._types = plan, types
        self._columns: dict[str, Column] = {}
        self._branches = ["{ ?item owl:sameAs ?same }"]
        for name, qualifiers in wanted.items():
            if name not in plan.as_statements and not self._has_details(name):
                self._add(Column(BEST, name), f"?item wdt:{name} ?{{}}")
                continue
            begin = f"?item p:{name} ?s . ?s "
            # Most ranks are normal, so only the other ranks are returned.
            self._add(Column(RANK, name), f"{begin}wikibase:rank ?{{0}} FILTER(?{{0}} != wikibase:NormalRank)")
            self._values(begin, name, "", "ps")
            for qualifier in sorted(qualifiers):
                self._values(begin, name, qualifier, "pq")
        variables = " ".join(
            f"?{name} ?{column.second}" if column.second else f"?{name}" for name, column in self._columns.items()
        )
        self._beginning = prefixed(f"SELECT ?item ?same ?s {variables} WHERE {{\n    VALUES ?item {{ ")
        self._end = " }\n    " + "\n    UNION ".join(self._branches) + "\n}"

    def _values(self, begin: str, name: str, qualifier: str, prefix: str) -> None:
        """Add the branches for the values of a property, or of its qualifier if `qualifier` is not empty."""
        read = qualifier or name
        has_details = self._has_details(read)
        only_unknown = has_details and read in self._types
        self._add(
            Column(VALUE, name, qualifier),
            f"{begin}{prefix}:{read} ?{{0}}" + (" FILTER(!isLiteral(?{0}))" if only_unknown else ""),
        )
        if not has_details:
            return
        for kind, (first, second, type_) in _DETAILS.items():
            if self._types.get(read, type_) == type_:
                self._add(
                    Column(kind, name, qualifier, f"w{len(self._columns)}"),
                    f"{begin}{prefix}v:{read} ?n . ?n wikibase:{first} ?{{0}} ; wikibase:{second} ?w{len(self._columns)}",
                )

    def _has_details(self, name: str) -> bool:
        """Whether a property's values are converted and may have a unit or a precision."""
        return name in self._plan.in_full and self._types.get(name) in (None, QUANTITY_TYPE, TIME_TYPE)

    def _add(self, column: Column, pattern: str) -> None:
        variable = f"v{len(self._columns)}"
        self._columns[variable] = column
        self._branches.append(f"{{ {pattern.format(variable)} }}")

    def text(self, items: Sequence[int]) -> str:
        """Return the text of the query for some items."""
        return self._beginning + item_list(items) + self._end

    def read(self, answer: Iterable[Binding]) -> Fetched:
        """Return the statements in an answer, sorted by item and property, and the merged items."""
        best: dict[tuple[int, str], list[Value]] = {}
        parts_by_key: dict[str, _Parts] = {}
        merged: dict[int, int] = {}
        numbers: dict[str, int | None] = {}
        for found in answer:
            address = found["item"]["value"]
            if address not in numbers:
                numbers[address] = item_number(last(address))
            item = numbers[address]
            if item is None:
                continue
            for variable, term in found.items():
                column = self._columns.get(variable)
                if column is not None:
                    if column.kind == BEST:
                        best.setdefault((item, column.name), []).append(value_of_term(term))
                    else:
                        key = last(found["s"]["value"])
                        if key not in parts_by_key:
                            parts_by_key[key] = _Parts(item, column.name)
                        _add_part(parts_by_key[key], column, found, variable)
                elif variable == "same" and (target := item_number(last(term["value"]))) is not None:
                    merged[item] = target
        return Fetched(sorted(_rows(best, parts_by_key)), merged)


def _add_part(parts: _Parts, column: Column, found: Binding, variable: str) -> None:
    text = found[variable]["value"]
    if column.kind == RANK:
        parts.rank = RANKS.get(text.rpartition("#")[2], NORMAL)
        return
    full, simple = (
        parts.qualifiers.setdefault(column.qualifier, ([], [])) if column.qualifier else (parts.full, parts.simple)
    )
    if column.kind == VALUE:
        simple.append(value_of_term(found[variable]))
    elif column.kind == QUANTITY:
        full.append(quantity(text, found[column.second]["value"]))
    else:
        full.append(time(text, int(float(found[column.second]["value"])), with_year_zero=True))


def _rows(best: Mapping[tuple[int, str], list[Value]], parts_by_key: Mapping[str, _Parts]) -> Iterator[StatementRow]:
    for (item, name), values in best.items():
        yield item, name, [Statement(NORMAL, value) for value in values_of((), values)]
    found: dict[tuple[int, str], list[Statement]] = {}
    for key, parts in parts_by_key.items():
        found.setdefault((parts.item, parts.name), []).append(parts.statement(key))
    for (item, name), statements in found.items():
        yield item, name, sorted(statements, key=lambda statement: statement.identifier.upper())
