"""Builds a graph from Wikidata: selects items level by level, fetches statements and names, writes SimpleKG.

The graph is written in a fixed order: nodes by label and item number, relationships by pattern, start and end. Nodes
have the same ids as in the graphs that CypherBench published: `Movie#Q25173`. As in its code, relationships of a type
between the same nodes are merged if their properties do not contradict each other.
"""

from __future__ import annotations

import datetime
import hashlib
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from functools import lru_cache
from itertools import count
from pathlib import Path
from typing import Any

import orjson
from filelock import Timeout

from graphground.cypher.diagnostics import either
from graphground.cypher.names.words import MONTHS
from graphground.graphs.definitions.read import (
    DIMENSIONLESS,
    IDENTICAL,
    Definition,
    Property,
    Relationship,
    convert,
    find_unit,
    levels,
    selecting,
)
from graphground.graphs.loading.simplekg import write_simplekg
from graphground.graphs.storage.home import alone
from graphground.graphs.wikidata.plan import TEXTS, Plan, Source, SourceError
from graphground.graphs.wikidata.statements import (
    DAY,
    ITEM,
    NO_VALUE,
    QUANTITY,
    SOME_VALUE,
    TEXT,
    TIME,
    YEAR,
    Statement,
    Value,
    item_number,
    select_best,
    select_by_rank,
)
from graphground.graphs.wikidata.workspace import Workspace, WorkspaceError

NameOf = Callable[[str], str | None]
"""A function that returns the name of an item such as `Q42`, or None if it has none."""
Discard = Callable[[str, Value], None]
"""A function that is called for each discarded value, with the reason and the value."""
DECADE, CENTURY, MONTH = 8, 7, 10
LARGEST_INT = 1 << 63
_WHOLE = re.compile(r"[+-]?\d{1,19}")
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")


# Converts Wikidata values to typed properties; values that do not fit are discarded with a reason.
#
# | type | from | becomes |
# |---|---|---|
# | `str` | item | its name |
# | `str` | text | the text |
# | `str` | quantity | `170 minute` |
# | `str` | time from year 1 on | `11 March 1952`, `March 1952`, `1952`, `1950s`, `20th century` |
# | `int` | time, precise to the year or finer | the year |
# | `int`, `float` | quantity | the number, converted into the property's unit |
# | `int`, `float` | text that is a number | the number; `float` only for a property without a unit |
# | `date` | time from year 1 on, precise to the day | the day, ISO 8601 |
# | `bool` | – | whether the item is among the values |
# | `list[…]` | all values | those that fit, without repetition, sorted |
#
# If an item has several values for a property that holds only one, the value with the shortest text is taken, and of
# several such values the smallest, as in CypherBench's published code.


class Unfit(ValueError):
    """A value that does not fit its property; the message is the reason."""


def node_property(statements: Sequence[Statement], wanted: Property, name_of: NameOf, discard: Discard) -> Any:
    """Return the value of a node's property from the best of the item's statements; None if no statement fits.

    A property of type `bool` always has a value.

    node_property(statements_of_P2047, Property(type="float", wikidata="P2047", unit="minute"), …)  →  170.0
    """
    selected = select_best(statements)
    if wanted.qualifiers:
        selected = [
            statement
            for statement in selected
            if all((ITEM, link.item) in statement.qualifiers.get(link.property, ()) for link in wanted.qualifiers)
        ]
    values = [statement.value for statement in selected]
    if wanted.type == "bool":
        return (ITEM, wanted.item) in values
    return property_value(values, wanted, name_of, discard)


def property_value(values: Iterable[Value], wanted: Property, name_of: NameOf, discard: Discard) -> Any:
    """Convert Wikidata's values to the type of the property `wanted`; return None if no value fits.

    A list property receives all converted values, any other property the shortest.
    """
    is_list = wanted.type.startswith("list[")
    convert_value = CONVERSIONS[wanted.type[5:-1] if is_list else wanted.type]
    fitting: list[Any] = []
    for value in values:
        try:
            fitting.append(convert_value(value, wanted, name_of))
        except Unfit as reason:
            discard(str(reason), value)
    if not fitting:
        return None
    if is_list:
        return sorted(set(fitting))
    return min(fitting, key=lambda candidate: (len(str(candidate)), candidate))


def _str(value: Value, wanted: Property, name_of: NameOf) -> str:
    kind = value[0]
    if kind == ITEM:
        return _name(value[1], name_of)
    if kind == TEXT:
        text = str(value[1])
    elif kind == QUANTITY:
        number = f"{_decimal(value[1]).normalize():f}"
        text = number if value[2] == DIMENSIONLESS else f"{number} {_name(value[2], name_of)}"
    elif kind == TIME:
        text = time_text(value)
    else:
        raise Unfit(_absent(value))
    if not text:
        raise Unfit("empty text")
    return text


def _int(value: Value, wanted: Property, name_of: NameOf) -> int:
    if value[0] == TIME:
        if value[4] < YEAR:
            raise Unfit("date coarser than a year")
        return int(value[1])
    is_text = value[0] == TEXT and _WHOLE.fullmatch(value[1])
    number = Decimal(value[1]) if is_text else _number(value, wanted)
    if number != number.to_integral_value():
        raise Unfit("not a whole number")
    if not -LARGEST_INT <= number < LARGEST_INT:
        raise Unfit("number too large")
    return int(number)


def _float(value: Value, wanted: Property, name_of: NameOf) -> float:
    is_text = value[0] == TEXT and _NUMBER.fullmatch(value[1]) and wanted.unit is None
    number = float(value[1] if is_text else _number(value, wanted))
    if number in (float("inf"), float("-inf")):
        raise Unfit("number too large")
    return number


def _date(value: Value, wanted: Property, name_of: NameOf) -> str:
    if value[0] != TIME:
        raise Unfit(_absent(value, "not a date"))
    _, year, month, day, precision = value
    if precision < DAY:
        raise Unfit("date coarser than a day")
    if year < 1:
        raise Unfit("date before the year 1")
    try:
        return datetime.date(year, month, day).isoformat()
    except ValueError:
        raise Unfit("not a calendar day") from None


CONVERSIONS: Mapping[str, Callable[[Value, Property, NameOf], Any]] = {
    "str": _str,
    "int": _int,
    "float": _float,
    "date": _date,
}


def _number(value: Value, wanted: Property) -> Decimal:
    """Return the number of a quantity, converted to the unit of the property."""
    if value[0] != QUANTITY:
        raise Unfit(_absent(value, "not a number"))
    amount = _decimal(value[1])
    if wanted.unit is None:
        if value[2] != DIMENSIONLESS:
            raise Unfit("a unit where none is expected")
        return amount
    if value[2] == DIMENSIONLESS:
        raise Unfit("no unit")
    source, target = find_unit(value[2]), find_unit(wanted.unit)
    assert target is not None, "a definition's units are checked when it is read"
    if source is None:
        raise Unfit("unit unknown")
    converted = convert(amount, source, target)
    if converted is None:
        raise Unfit("unit of another kind")
    return converted


def _decimal(text: str) -> Decimal:
    try:
        number = Decimal(text)
    except InvalidOperation:
        raise Unfit("not a number") from None
    if not number.is_finite() or abs(number.adjusted()) > 400:
        raise Unfit("not a number")
    return number


def _name(identifier: str, name_of: NameOf) -> str:
    name = name_of(identifier)
    if name is None:
        raise Unfit("an item without a name")
    return name


def _absent(value: Value, otherwise: str = "of a kind that is not supported") -> str:
    return {SOME_VALUE: "an unknown value", NO_VALUE: "explicitly no value"}.get(value[0], otherwise)


def time_text(value: Value) -> str:
    """Return a time as text, as precisely as it is known.

    >>> [time_text(("time", 1952, 3, 11, precision)) for precision in (11, 10, 9, 8, 7)]
    ['11 March 1952', 'March 1952', '1952', '1950s', '20th century']

    Raises:
        Unfit: the time is before the year 1, is coarser than a century, or is not a calendar day.
    """
    _, year, month, day, precision = value
    if year < 1:
        raise Unfit("date before the year 1")
    if precision >= MONTH:
        try:
            date = datetime.date(2000 + year % 400, month, day or 1)  # the calendar repeats after 400 years
        except ValueError:
            raise Unfit("not a calendar day") from None
        name = f"{MONTHS[date.month - 1]} {year}"
        return f"{day} {name}" if precision >= DAY else name
    if precision == YEAR:
        return str(year)
    if precision == DECADE:
        return f"{year // 10 * 10}s"
    if precision == CENTURY:
        number = (year - 1) // 100 + 1
        ending = "th" if number % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
        return f"{number}{ending} century"
    raise Unfit("date coarser than a century")


EXAMPLES = 3


class Discards:
    """The discarded values by place (`Person.date_of_birth`) and reason (`date coarser than a day`)."""

    def __init__(self) -> None:
        self._found: dict[tuple[str, str], dict[str, Any]] = {}

    def add(self, place: str, reason: str, example: str) -> None:
        """Count a discarded value; the first `EXAMPLES` texts for a place and reason are kept as examples."""
        first = {"place": place, "reason": reason, "count": 0, "examples": []}
        found = self._found.setdefault((place, reason), first)
        found["count"] += 1
        if found["count"] <= EXAMPLES:
            found["examples"].append(example)

    def document(self) -> list[dict[str, Any]]:
        """Return maps with the keys `place`, `reason`, `count` and `examples`, sorted by place and reason."""
        return [self._found[key] for key in sorted(self._found)]


def described(value: Value) -> str:
    """Return a value as text: `("quantity", "+170", "Q7727")` becomes `quantity +170 Q7727`."""
    return " ".join(str(part) for part in value)


ITEMS_AT_ONCE = 1000
NAMES_KEPT = 1 << 14


class GraphWriting:
    """The entities and relations of the graph in a workspace; `discards` collects the values that do not fit."""

    def __init__(self, plan: Plan, workspace: Workspace) -> None:
        self.plan, self.workspace = plan, workspace
        self.discards = Discards()
        self._name_of: Callable[[str], str | None] = lru_cache(NAMES_KEPT)(self._name)

    def _name(self, identifier: str) -> str | None:
        number = item_number(identifier)
        if number is None:
            return None
        return self.workspace.name_of(self.workspace.target(number))

    def entities(self) -> Iterator[Mapping[str, Any]]:
        """Yield each node that has a name as a SimpleKG entity; nodes without names are discarded."""
        for number, label in enumerate(self.plan.labels):
            for items in self.workspace.batches("nodes", number, ITEMS_AT_ONCE):
                for item in items:
                    entity = self._entity(label, item)
                    if entity is not None:
                        yield entity

    def _entity(self, label: str, item: int) -> Mapping[str, Any] | None:
        names = self.workspace.names(item)
        if names is None or not names.name:
            self.discards.add(label, "a node without a name", f"Q{item}")
            return None
        properties = {}
        for key, property_ in self.plan.node(label).properties.items():
            statements = self.workspace.statements(item, property_.wikidata)
            if not statements and property_.type != "bool":
                continue
            value = node_property(statements, property_, self._name_of, self._discarding(f"{label}.{key}", item))
            if value is not None:
                properties[key] = value
        wikipedia, title = self.plan.definition.wikipedia, (names.article or "").replace(" ", "_")
        return {
            "eid": f"{label}#Q{item}",
            "label": label,
            "name": names.name,
            "aliases": list(names.aliases),
            "description": names.description,
            "properties": properties,
            "provenance": [f"https://{wikipedia}.wikipedia.org/wiki/{title}"] if title else [],
        }

    def _discarding(self, place: str, item: int) -> Callable[[str, Value], None]:
        return lambda reason, value: self.discards.add(place, reason, f"Q{item}: {described(value)}")

    def relations(self) -> Iterator[Mapping[str, Any]]:
        """Yield each relationship as a SimpleKG relation, except those at nodes without names."""
        rids = count()
        for relationship in self.plan.definition.relationships:
            start, end_label = self.plan.number(relationship.start), self.plan.number(relationship.end)
            for items in self.workspace.batches("nodes", start, ITEMS_AT_ONCE):
                starts = self.workspace.named_nodes(start, items)
                ends = {
                    item: list(ends_of(self.workspace, self.plan, relationship, item))
                    for item in items
                    if item in starts
                }
                written = self.workspace.named_nodes(
                    end_label, {end for ends_of_item in ends.values() for end, _ in ends_of_item}
                )
                for item, ends_of_item in ends.items():
                    written_ends = [(end, place) for end, place in ends_of_item if end in written]
                    for end, properties in self._relationships(relationship, item, written_ends):
                        yield {
                            "rid": str(next(rids)),
                            "label": relationship.type,
                            "subj_id": f"{relationship.start}#Q{item}",
                            "obj_id": f"{relationship.end}#Q{end}",
                            "properties": properties,
                            "provenance": [],
                        }

    def _relationships(
        self, relationship: Relationship, item: int, ends: Sequence[tuple[int, int]]
    ) -> Iterator[tuple[int, dict[str, Any]]]:
        """Yield the ends of an item's relationships, each with the properties of the relationship.

        Each of `ends` comes with the position of its statement. Relationships with the same end are merged if their
        properties do not contradict each other.
        """
        if not relationship.properties:
            yield from ((end, {}) for end in sorted({end for end, _ in ends}))
            return
        statements = (
            []
            if relationship.wikidata == IDENTICAL
            else select_by_rank(
                self.workspace.statements(item, relationship.wikidata), self.plan.definition.ranks(relationship)
            )
        )
        by_end: dict[int, list[dict[str, Any]]] = {}
        for end, place in ends:
            found = self._properties(relationship, statements[place], item) if place >= 0 else {}
            merge_into(by_end.setdefault(end, []), found)
        for end in sorted(by_end):
            for properties in by_end[end]:
                yield end, properties

    def _properties(self, relationship: Relationship, statement: Statement, item: int) -> dict[str, Any]:
        properties = {}
        for key, property_ in relationship.properties.items():
            values: Sequence[Value] = (
                (statement.value,)
                if property_.wikidata == relationship.wikidata
                else statement.qualifiers.get(property_.wikidata, ())
            )
            value = property_value(
                values, property_, self._name_of, self._discarding(f"{relationship.type}.{key}", item)
            )
            if value is not None:
                properties[key] = value
        return properties


def merge_into(several: list[dict[str, Any]], properties: dict[str, Any]) -> None:
    """Merge a relationship's properties into the first map in `several` that does not contradict them.

    If there is no such map, append the properties. Lists never contradict each other: they are merged, without
    repetition.

    >>> several = [{"start_year": 1999}]
    >>> merge_into(several, {"start_year": 1999, "end_year": 2003}); several
    [{'start_year': 1999, 'end_year': 2003}]
    """
    for known in several:
        if all(
            known[key] == value for key, value in properties.items() if key in known and not isinstance(value, list)
        ):
            for key, value in properties.items():
                known[key] = sorted({*known[key], *value}) if isinstance(value, list) and key in known else value
            return
    several.append(properties)


def values_named(plan: Plan, workspace: Workspace, label: str, items: Sequence[int]) -> set[int]:
    """Return the items that are values or units in the properties of some nodes and their relationships.

    Only properties whose values may be names are considered.
    """
    values: set[Value] = set()
    for property_ in plan.node(label).properties.values():
        for item in items if property_.type in TEXTS else ():
            values.update(statement.value for statement in select_best(workspace.statements(item, property_.wikidata)))
    for relationship in plan.starting(label):
        texts = [property_.wikidata for property_ in relationship.properties.values() if property_.type in TEXTS]
        ranks = plan.definition.ranks(relationship)
        for item in items if texts else ():
            for statement in select_by_rank(workspace.statements(item, relationship.wikidata), ranks):
                for name in texts:
                    values.update(statement.qualifiers.get(name, ()))
    names = (value[1] if value[0] == ITEM else value[2] if value[0] == QUANTITY else "" for value in values)
    return {number for name in names if (number := item_number(name)) is not None}


def ends_of(workspace: Workspace, plan: Plan, relationship: Relationship, item: int) -> Iterator[tuple[int, int]]:
    """Yield the end items of an item's relationships, each with the position of its statement.

    The position counts the statements that the relationship's ranks select. It is -1 for an `identical` relationship,
    which has no statement. An end item that was merged is replaced by the item into which it was merged.
    """
    if relationship.wikidata == IDENTICAL:
        yield item, -1
        return
    statements = select_by_rank(workspace.statements(item, relationship.wikidata), plan.definition.ranks(relationship))
    for place, statement in enumerate(statements):
        values: Sequence[Value] = (
            statement.qualifiers.get(relationship.qualifier, ()) if relationship.qualifier else (statement.value,)
        )
        for value in values:
            number = item_number(value[1]) if value[0] == ITEM else None
            if number is not None:
                yield workspace.target(number), place


def add_ends(workspace: Workspace, plan: Plan, label: str) -> None:
    """Add to a label's candidates the items at the ends of the relationships that select the label's items."""
    for relationship, is_end in selecting(plan.definition, label):
        if not is_end and relationship.wikidata != IDENTICAL:
            continue
        other_label = plan.number(relationship.start if is_end else relationship.end)
        for items in workspace.batches("nodes", other_label, ITEMS_AT_ONCE):
            found = {end for item in items for end, _ in ends_of(workspace, plan, relationship, item)}
            with workspace.doing():
                workspace.add("candidates", [(plan.number(label), item) for item in sorted(found)])


def select(workspace: Workspace, plan: Plan, label: str) -> None:
    """Turn the candidates that satisfy a label's conditions into nodes of the label.

    A candidate that was merged is replaced by the item into which it was merged.
    """
    node, number = plan.node(label), plan.number(label)
    property_of_classes = plan.class_property(label)
    classes = plan.classes(label, workspace)

    def values(item: int, name: str) -> list[Value]:
        return [statement.value for statement in select_best(workspace.statements(item, name))]

    def fits(item: int) -> bool:
        of_item = values(item, property_of_classes) if classes else ()
        if classes and not any(value[0] == ITEM and item_number(value[1]) in classes for value in of_item):
            return False
        if any((ITEM, link.item) not in values(item, link.property) for link in node.linked_to):
            return False
        return all(any(value[0] != NO_VALUE for value in values(item, name)) for name in node.has_property)

    for items in workspace.batches("candidates", number, ITEMS_AT_ONCE):
        found = {target for item in items if fits(target := workspace.target(item))}
        with workspace.doing():
            workspace.add("nodes", [(number, item) for item in sorted(found)])


@dataclass(frozen=True, slots=True)
class Built:
    """The result of a build: the number of nodes and relationships, and the discarded values.

    Each entry of `discarded` has the keys `place`, `reason`, `count` and `examples`.
    """

    path: Path
    nodes: int
    relationships: int
    discarded: list[dict[str, Any]]


def build(definition: Definition, source: Source, path: Path) -> Built:
    """Build the graph of a definition as a SimpleKG file at `path`.

        built = build(read_definition("nba"), SparqlSource(Endpoint("https://query.wikidata.org/sparql")), path)
        built.nodes, built.relationships, built.discarded

    The workspace `nba.json.gz.build` beside the output lets an interrupted build resume, with the same result; it is
    removed when the graph has been written.

    Raises:
        SourceError, EndpointError, DumpError: the source cannot provide the data, or has no item of any label.
        WorkspaceError: the workspace beside the output belongs to another build, or another process is using it.
    """
    path = Path(path)
    plan = Plan(definition)
    source.check(plan)
    identity = hashlib.sha256(orjson.dumps([definition.model_dump(), source.identity])).hexdigest()
    place = path.with_name(path.name + ".build")
    with ExitStack() as stack:
        try:
            stack.enter_context(alone(place))
        except Timeout:
            raise WorkspaceError(f"another process is building {path}") from None
        except OSError as error:
            raise WorkspaceError(f"{place} cannot be written ({error})") from None
        workspace = Workspace(place, identity)
        stack.callback(workspace.close)
        fetch(plan, source, workspace)
        if not any(workspace.count("nodes", plan.number(label)) for label in plan.labels):
            workspace.remove()  # a resumed build would find the same
            raise SourceError(
                f"the graph would be empty: {source.identity} has no item of {either(list(plan.labels))}. "
                "Is it a source of Wikidata's statements, and are the classes in the definition right?"
            )
        built = write(plan, workspace, path)
        workspace.remove()
    return built


def fetch(plan: Plan, source: Source, workspace: Workspace) -> None:
    """Fill a workspace from a source; data that the workspace already contains is not fetched again."""
    if not workspace.is_done("classes"):
        source.subclasses(plan, workspace)
        with workspace.doing("classes"):
            pass
    for number, labels in enumerate(levels(plan.definition)):
        task = f"level {number}"
        if workspace.is_done(task):
            continue
        for label in labels:
            add_ends(workspace, plan, label)
        source.items(plan, labels, workspace)
        for label in labels:
            if source.selects(plan, label):
                workspace.select_candidates(plan.number(label))
            else:
                select(workspace, plan, label)
            for items in workspace.batches("nodes", plan.number(label), ITEMS_AT_ONCE):
                found = values_named(plan, workspace, label, items)
                with workspace.doing():
                    workspace.add("values_seen", [(item,) for item in sorted(found)])
        with workspace.doing(task):
            pass
    if not workspace.is_done("names"):
        source.names(plan, workspace)
        with workspace.doing("names"):
            pass


def write(plan: Plan, workspace: Workspace, path: Path) -> Built:
    """Write the graph to `path` and the discarded values, with reasons, to `….discarded.json`; return the result."""
    writing = GraphWriting(plan, workspace)
    nodes, relationships = write_simplekg(
        path, plan.definition.property_graph_schema(), writing.entities(), writing.relations()
    )
    discarded = writing.discards.document()
    report = path.with_name(path.name.removesuffix(".gz").removesuffix(".json") + ".discarded.json")
    report.write_bytes(orjson.dumps(discarded, option=orjson.OPT_INDENT_2) + b"\n")
    return Built(path, nodes, relationships, discarded)
