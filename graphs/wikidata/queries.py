"""The SPARQL queries of a build. Each query lists the items or properties that it is about, which bounds its cost.

>>> print(property_types(["P569"]))
PREFIX wd: <http://www.wikidata.org/entity/>
PREFIX wikibase: <http://wikiba.se/ontology#>
SELECT ?property ?type WHERE { VALUES ?property { wd:P569 } ?property wikibase:propertyType ?type }
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from graphground.graphs.definitions.model import Node
from graphground.graphs.wikidata.endpoint import Binding
from graphground.graphs.wikidata.plan import Plan
from graphground.graphs.wikidata.rdf import last, values_of
from graphground.graphs.wikidata.statements import NORMAL, RANKS, Statement, Wanted
from graphground.graphs.wikidata.values import NO_VALUE, Value, item_number, quantity, rdf_time, value_of_term

_PREFIXES = {
    "wd": "http://www.wikidata.org/entity/",
    "wdt": "http://www.wikidata.org/prop/direct/",
    "p": "http://www.wikidata.org/prop/",
    "ps": "http://www.wikidata.org/prop/statement/",
    "psv": "http://www.wikidata.org/prop/statement/value/",
    "pq": "http://www.wikidata.org/prop/qualifier/",
    "pqv": "http://www.wikidata.org/prop/qualifier/value/",
    "wikibase": "http://wikiba.se/ontology#",
    "rdfs": "http://www.w3.org/2000/01/rdf-schema#",
    "skos": "http://www.w3.org/2004/02/skos/core#",
    "schema": "http://schema.org/",
    "owl": "http://www.w3.org/2002/07/owl#",
    "xsd": "http://www.w3.org/2001/XMLSchema#",
    "bd": "http://www.bigdata.com/rdf#",
}


def prefixed(body: str) -> str:
    """Return a query with the prefixes for statements, values and merged items."""
    return _query(body, "wd", "wdt", "p", "ps", "psv", "pq", "pqv", "wikibase", "owl")


def _query(body: str, *prefixes: str) -> str:
    return "".join(f"PREFIX {name}: <{_PREFIXES[name]}>\n" for name in prefixes) + body


def item_list(numbers: Iterable[int]) -> str:
    """Return items for a VALUES clause: `item_list([42])` is `"wd:Q42"`."""
    return " ".join(f"wd:Q{number}" for number in numbers)


def subclasses(root: int) -> str:
    """Return the query for a class and its direct and indirect subclasses."""
    return _query(f"SELECT DISTINCT ?class WHERE {{ ?class wdt:P279* wd:Q{root} }}", "wd", "wdt")


def direct_subclasses(classes: Sequence[int]) -> str:
    """Return the query for the direct subclasses of several classes; used if the query `subclasses` takes too long."""
    return _query(
        f"SELECT DISTINCT ?class WHERE {{ VALUES ?parent {{ {item_list(classes)} }} ?class wdt:P279 ?parent }}",
        "wd",
        "wdt",
    )


def members(node: Node, class_property: str, classes: Sequence[int], ending: str = "") -> str:
    """Return the query for those members of some classes that satisfy the other conditions of a label.

    An item is a member of a class if the class is a value of its property `class_property`. If `ending` is not empty,
    only items whose number ends with these digits are returned.
    """
    conditions = [f"?item wdt:{link.property} wd:{link.item} ." for link in node.linked_to]
    conditions += [f"?item wdt:{name} [] ." for name in node.has_property]
    if node.sparql:
        pattern = node.sparql.strip()
        conditions.append(pattern if pattern.endswith((".", "}")) else f"{pattern} .")
    if ending:
        conditions.append(f'FILTER(STRENDS(STR(?item), "{ending}"))')
    return _query(
        f"SELECT DISTINCT ?item WHERE {{ VALUES ?class {{ {item_list(classes)} }} "
        f"?item wdt:{class_property} ?class . {' '.join(conditions)} }}",
        *_PREFIXES,
    )


def subjects(name: str, ranks: str, ends: Sequence[int]) -> str:
    """Return the query for the items that have one of the items `ends` as a value of the property `name`.

    If `ranks` is `best`, only the best statements count; otherwise statements of every rank.
    """
    path = f"wdt:{name}" if ranks == "best" else f"p:{name}/ps:{name}"
    return _query(
        f"SELECT DISTINCT ?item WHERE {{ VALUES ?end {{ {item_list(ends)} }} ?item {path} ?end }}",
        "wd",
        "wdt",
        "p",
        "ps",
    )


def names(items: Sequence[int], languages: Sequence[str], wikipedia: str | None) -> str:
    """Return the query for names of items in some languages, and for the items into which the items were merged.

    With `wikipedia`, a language code such as `en`, the query also returns descriptions, aliases and the articles in
    this Wikipedia. Each row has a value for ?item and for one other variable, whose name is the kind of the value.

    The Wikipedia is compared in a filter: otherwise a planner may first read all its articles, and compare each article
    with every item.
    """
    codes = ", ".join(f'"{language}"' for language in languages)
    texts = {"label": "rdfs:label"}
    if wikipedia is not None:
        texts |= {"alias": "skos:altLabel", "description": "schema:description"}
    branches = {
        kind: f"?item {predicate} ?{kind} FILTER(LANG(?{kind}) IN ({codes}))" for kind, predicate in texts.items()
    }
    if wikipedia is not None:
        site = f"<https://{wikipedia}.wikipedia.org/>"
        branches["article"] = f"?article schema:about ?item ; schema:isPartOf ?site FILTER(?site = {site})"
    branches["same"] = "?item owl:sameAs ?same"
    variables = " ".join(f"?{kind}" for kind in branches)
    return _query(
        f"SELECT ?item {variables} WHERE {{\n    VALUES ?item {{ {item_list(items)} }}\n    "
        + "\n    UNION ".join(f"{{ {pattern} }}" for pattern in branches.values())
        + "\n}",
        "wd",
        "rdfs",
        "skos",
        "schema",
        "owl",
    )


def property_types(names: Sequence[str]) -> str:
    """Return the query for the datatypes of properties: rows with ?property, `wd:P569`, and ?type, `wikibase:Time`."""
    return _query(
        f"SELECT ?property ?type WHERE {{ VALUES ?property {{ {' '.join(f'wd:{name}' for name in names)} }} "
        "?property wikibase:propertyType ?type }",
        "wd",
        "wikibase",
    )


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
        full.append(rdf_time(text, int(float(found[column.second]["value"]))))


def _rows(best: Mapping[tuple[int, str], list[Value]], parts_by_key: Mapping[str, _Parts]) -> Iterator[StatementRow]:
    for (item, name), values in best.items():
        yield item, name, [Statement(NORMAL, value) for value in values_of((), values)]
    found: dict[tuple[int, str], list[Statement]] = {}
    for key, parts in parts_by_key.items():
        found.setdefault((parts.item, parts.name), []).append(parts.statement(key))
    for (item, name), statements in found.items():
        yield item, name, sorted(statements, key=lambda statement: statement.identifier.upper())
