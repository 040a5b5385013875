"""The data model of a definition and its units; reads a definition file (TOML) and checks it.

name = "films"
[nodes.Movie]
wikidata = "Q11424"
properties.runtime_minute = { type = "float", wikidata = "P2047", unit = "minute" }
[nodes.Person]
wikidata = "Q5"
subclasses = false
from_relationships = ["directedBy"]
[[relationships]]
type = "directedBy"
start = "Movie"
end = "Person"
wikidata = "P57"

Each problem of a file is reported with its line, its key and a message.

>>> check_text('name = "films"\\n[nodes.Movie]\\nwikidata = "11424"\\n')[1][0].message
"must look like 'Q5', not '11424'"
"""

from __future__ import annotations

import re
import tomllib
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Context, Decimal
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar, get_args

from pydantic import BaseModel, ConfigDict, Discriminator, Field, StringConstraints, Tag, ValidationError
from pydantic_core import ErrorDetails

from graphground.cypher.names.nearest import did_you_mean
from graphground.cypher.schema import RESERVED_PROPERTIES, Label, PropertyGraphSchema, RelationshipPattern

ITEM, PROPERTY, LANGUAGE = "^Q[1-9][0-9]*$", "^P[1-9][0-9]*$", "^[a-z]{2,3}(-[a-z0-9]+)*$"
PROPERTY_OR_IDENTICAL, GRAPH_NAME = "^(P[1-9][0-9]*|identical)$", "^[A-Za-z][A-Za-z0-9_.-]{0,63}$"
EXAMPLES = {ITEM: "Q5", PROPERTY: "P31", PROPERTY_OR_IDENTICAL: "P31", LANGUAGE: "en", GRAPH_NAME: "films"}
"""For each pattern a text that matches it, for error messages."""
MAX_NAME_LETTERS = 100
ItemId = Annotated[str, StringConstraints(pattern=ITEM)]
PropertyId = Annotated[str, StringConstraints(pattern=PROPERTY)]
Name = Annotated[str, StringConstraints(pattern="^[A-Za-z_][A-Za-z0-9_]*$", max_length=MAX_NAME_LETTERS)]
Language = Annotated[str, StringConstraints(pattern=LANGUAGE)]
ONE_CLASS, CLASSES = "one class", "classes"
"""The tags of the two forms of a node's `wikidata`; pydantic adds them to the paths of errors."""
Classes = Annotated[
    Annotated[ItemId, Tag(ONE_CLASS)] | Annotated[list[ItemId], Tag(CLASSES)],
    Discriminator(lambda value: CLASSES if isinstance(value, list) else ONE_CLASS),
]
PropertyType = Literal["str", "int", "float", "bool", "date", "list[str]", "list[int]", "list[float]", "list[date]"]
Cardinality = Literal["one-to-one", "one-to-many", "many-to-one", "many-to-many"]
IDENTICAL = "identical"


class Part(BaseModel):
    """A part of a definition, in which an unknown key is an error."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class Link(Part):
    """A condition that a Wikidata property has an item as a value: `{ property = "P118", item = "Q155223" }`."""

    property: PropertyId
    item: ItemId


class Property(Part):
    """A property of a node or of a relationship.

    runtime_minute = { type = "float", wikidata = "P2047", unit = "minute" }
    date_of_birth = { type = "date", wikidata = "P569" }
    retired = { type = "bool", wikidata = "P31", item = "Q…" }
    """

    type: Annotated[PropertyType, Field(description="The type of the values. `int` takes the year of a point in time.")]
    wikidata: Annotated[
        PropertyId,
        Field(
            description="The Wikidata property. For a property of a relationship, it is a qualifier of the "
            "relationship's statement; the relationship's own Wikidata property stands for the value of that statement."
        ),
    ]
    unit: Annotated[
        str | None, Field(description="The unit into which quantities are converted, by its name or item.")
    ] = None
    item: Annotated[
        ItemId | None, Field(description="With type bool: true if this item is among the property's values.")
    ] = None
    qualifiers: Annotated[
        list[Link], Field(description="Only statements that have all these qualifiers are read.")
    ] = []
    description: str | None = None
    doubtful: Annotated[str | None, Field(description="Why the Wikidata source may be wrong.")] = None


class Node(Part):
    """A label and the conditions that select its items."""

    wikidata: Annotated[
        Classes | None,
        Field(description="One class or several; may be left out if from_relationships alone selects the items."),
    ] = None
    members: Annotated[
        Literal["instances", "subclasses"],
        Field(
            description="`instances`: the nodes are the instances of the class; "
            "`subclasses`: the nodes are the subclasses themselves."
        ),
    ] = "instances"
    subclasses: Annotated[bool, Field(description="Whether instances of subclasses are selected too.")] = True
    from_relationships: Annotated[
        list[str],
        Field(
            description="Select only items at the end or start of these relationships: each is a type (`partOf`) or, "
            "if the type has several patterns, one pattern (`(:River)-[:partOf]->(:Basin)`)."
        ),
    ] = []
    linked_to: Annotated[list[Link], Field(description="Select only items that have these values.")] = []
    has_property: Annotated[
        list[PropertyId], Field(description="Select only items that have a value for each of these properties.")
    ] = []
    sparql: Annotated[
        str | None, Field(description="An additional SPARQL condition on ?item; only for builds from an endpoint.")
    ] = None
    description: str | None = None
    doubtful: str | None = None
    properties: dict[Name, Property] = {}

    @property
    def classes(self) -> list[str]:
        """The Wikidata classes of the label, as a list even if the definition states a single class."""
        return [self.wikidata] if isinstance(self.wikidata, str) else list(self.wikidata or ())


class Relationship(Part):
    """One pattern of a relationship type: its start label, end label and Wikidata property."""

    type: Name
    start: str
    end: str
    wikidata: Annotated[
        Annotated[str, StringConstraints(pattern=PROPERTY_OR_IDENTICAL)],
        Field(description="The Wikidata property of the start item, or `identical`: both ends are the same item."),
    ]
    qualifier: Annotated[
        PropertyId | None,
        Field(description="The qualifier whose value is the end item. Default: the end is the statement's value."),
    ] = None
    ranks: Annotated[
        Literal["best", "not_deprecated"] | None,
        Field(
            description="`best`: the preferred statements, or the normal ones if none is preferred; `not_deprecated`: "
            "both. Default: `not_deprecated` if the type is time-bounded, else `best`."
        ),
    ] = None
    description: str | None = None
    doubtful: str | None = None
    properties: dict[Name, Property] = {}

    def __str__(self) -> str:
        return f"(:{self.start})-[:{self.type}]->(:{self.end})"


class RelationshipType(Part):
    """Facts about all patterns of a relationship type."""

    cardinality: Annotated[Cardinality, Field(description="`many-to-one`: each start has at most one end.")] = (
        "many-to-many"
    )
    mandatory: Annotated[
        list[Literal["start", "end"]],
        Field(description="The ends (start, end) whose nodes should all have a relationship of this type."),
    ] = []
    symmetric: Annotated[bool, Field(description="Whether a relationship from a to b implies one from b to a.")] = False
    time_bounded: Annotated[bool, Field(description="Whether the relationships have a start time and an end time.")] = (
        False
    )
    implies: Annotated[list[str], Field(description="Types that always connect the same nodes as this one.")] = []


class Definition(Part):
    """A whole definition; `schema` is the schema of the resulting graph."""

    name: Annotated[str, StringConstraints(pattern=GRAPH_NAME)]
    description: str = ""
    languages: Annotated[
        list[Language],
        Field(
            description="Languages of names, best first; an item without a name in any of them is left out.",
            min_length=1,
        ),
    ] = ["en"]
    wikipedia: Annotated[
        Language, Field(description="The language of the Wikipedia whose articles are the provenance of nodes.")
    ] = "en"
    nodes: Annotated[dict[Name, Node], Field(min_length=1)]
    relationships: list[Relationship] = []
    types: dict[Name, RelationshipType] = {}

    def ranks(self, relationship: Relationship) -> str:
        """Return which statements become relationships, by rank: `best` or `not_deprecated`."""
        stated = self.types.get(relationship.type)
        return relationship.ranks or ("not_deprecated" if stated is not None and stated.time_bounded else "best")

    def property_graph_schema(self) -> PropertyGraphSchema:
        """Return the schema of the graph, with labels and relationships in the definition's order."""
        return PropertyGraphSchema(
            self.name,
            {
                name: Label(
                    name,
                    {**RESERVED_PROPERTIES, **{key: value.type for key, value in node.properties.items()}},
                    None,
                    frozenset(RESERVED_PROPERTIES) - frozenset(node.properties),
                )
                for name, node in self.nodes.items()
            },
            tuple(
                RelationshipPattern(
                    relationship.type,
                    relationship.start,
                    relationship.end,
                    {key: value.type for key, value in relationship.properties.items()},
                    symmetric=self.types.get(relationship.type, RelationshipType()).symmetric,
                )
                for relationship in self.relationships
            ),
        )


def doubts(definition: Definition) -> Iterator[tuple[str, str]]:
    """Yield each label, relationship and property marked as doubtful, such as `Movie.country`, with the reason."""
    elements: list[tuple[str, Node | Relationship]] = [*definition.nodes.items()]
    elements += [(str(relationship), relationship) for relationship in definition.relationships]
    for name, element in elements:
        if element.doubtful:
            yield name, element.doubtful
        for key, value in element.properties.items():
            if value.doubtful:
                yield f"{name}.{key}", value.doubtful


# Units. The factors to the base unit of each dimension come from Wikidata's own conversion table. A year and a month
# have their mean length in the Gregorian calendar. Each currency has its own dimension: currencies are never converted.


EXACT = Context(prec=40)
DIMENSIONLESS = "1"


@dataclass(frozen=True, slots=True)
class Unit:
    """A unit of measurement: `Unit("Q7727", "minute", "min", "time", Decimal(60))`.

    The last field is the factor that converts to the base unit of the dimension.
    """

    item: str
    name: str
    symbol: str
    dimension: str
    factor: Decimal


@cache
def units() -> tuple[Unit, ...]:
    """Return all units. They are read from a file at the first call, because most definitions do not need them."""
    import csv

    with Path(__file__).with_name("units.csv").open(encoding="utf-8", newline="") as file:
        return tuple(
            Unit(row["item"], row["name"], row["symbol"], row["dimension"], Decimal(row["factor"]))
            for row in csv.DictReader(file)
        )


@cache
def find_unit(text: str) -> Unit | None:
    """Return the unit with the given Wikidata item, symbol or name, as in `find_unit("km")`; None if there is none."""
    folded = text.casefold()
    return (
        next((unit for unit in units() if text == unit.item), None)
        or next((unit for unit in units() if text == unit.symbol), None)
        or next((unit for unit in units() if unit.name.casefold() == folded), None)
    )


def convert(amount: Decimal, source: Unit, target: Unit) -> Decimal | None:
    """Convert an amount to the target unit; None if the dimensions differ, as those of any two currencies do.

    >>> convert(Decimal("1"), find_unit("US dollar"), find_unit("euro")) is None
    True
    """
    if source.item == target.item:
        return amount
    if source.dimension != target.dimension:
        return None
    return EXACT.divide(EXACT.multiply(amount, source.factor), target.factor).normalize(EXACT)


CATALOG = Path(__file__).with_name("catalog")
DOMAINS = tuple(sorted(file.stem for file in CATALOG.glob("*.toml")))
"""The domains of CypherBench; a folder of the package has the definition of each."""
M = TypeVar("M", bound=BaseModel)
Place = tuple[str | int, ...]
"""The path of a key."""
_KINDS = {
    "string_type": "text",
    "bool_type": "true or false",
    "list_type": "a list",
    "dict_type": "a table",
    "model_type": "a table",
    "model_attributes_type": "a table",
}


@dataclass(frozen=True, slots=True, order=True)
class Problem:
    """A problem with one key: `Problem(3, "nodes.Movie.wikidata", "must look like 'Q5', not '11424'")`.

    The line is 0 if the problem concerns the whole file.
    """

    line: int
    place: str
    message: str

    def __str__(self) -> str:
        return ": ".join(filter(None, (f"line {self.line}" if self.line else "", self.place, self.message)))


class DefinitionError(ValueError):
    """A definition that is invalid or cannot be read; `problems` lists what is wrong."""

    def __init__(self, source: str, problems: Sequence[Problem]) -> None:
        self.source, self.problems = source, list(problems)
        super().__init__(
            f"{source}: "
            + "; ".join(map(str, self.problems[:3]))
            + (f"; and {len(self.problems) - 3} more" if len(self.problems) > 3 else "")
        )


def check_text(text: str) -> tuple[Definition | None, list[Problem]]:
    """Return the definition in a text, and its problems sorted by line; with problems, the definition is None."""
    return read_toml(text, Definition, inconsistencies)


def read_toml(
    text: str, model: type[M], check: Callable[[M], Iterable[tuple[Place, str]]]
) -> tuple[M | None, list[Problem]]:
    """Return the `model` that a TOML text describes, and its problems sorted by line; with problems, None.

    `check` yields the place and message of each problem of a model that is valid otherwise.
    """
    try:
        document = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        line = re.search(r"at line (\d+)", str(error))
        return None, [Problem(int(line[1]) if line else len(text.splitlines()) or 1, "", f"not TOML: {error}")]
    found, problems = read_part(model, document)
    if found is not None:
        problems = list(check(found))
    if not problems:
        return found, []
    line_of = _key_lines(text)
    return None, sorted((Problem(line_of(place), _dotted(place), message) for place, message in problems))


def read_part(model: type[M], document: Any) -> tuple[M | None, list[tuple[Place, str]]]:
    """Return the model that a parsed document describes, and the place and message of each problem.

    >>> read_part(Link, {"property": "P118", "item": "Q5x"})
    (None, [(('item',), "must look like 'Q5', not 'Q5x'")])
    """
    try:
        return model.model_validate(document), []
    except ValidationError as error:
        return None, [_describe_error(details, model) for details in error.errors(include_url=False)]


def _describe_error(details: ErrorDetails, model: type[BaseModel]) -> tuple[Place, str]:
    """Return the path and the message of an error in a document of `model`."""
    path = tuple(part for part in details["loc"] if part not in ("[key]", ONE_CLASS, CLASSES))
    kind, value, context = details["type"], details["input"], details.get("ctx", {})
    if kind == "missing":
        return path[:-1], f"{path[-1]!r} is missing"
    if kind == "extra_forbidden":
        # Each list or table of parts adds two steps to the path.
        for key in path[:-1:2]:
            parts = get_args(model.model_fields[str(key)].annotation)
            model = next(part for part in parts if isinstance(part, type) and issubclass(part, BaseModel))
        known = list(model.model_fields)
        hint = did_you_mean(str(path[-1]), known) or f"; known keys: {', '.join(known)}"
        return path, f"is not a known key{hint}"
    if kind == "literal_error":
        allowed = re.findall("'([^']*)'", context["expected"])
        hint = did_you_mean(value, allowed) if isinstance(value, str) else ""
        return path, f"{value!r} is not allowed; it must be {context['expected']}{hint}"
    if kind == "string_pattern_mismatch":
        example = EXAMPLES.get(context["pattern"])
        return path, (
            f"must look like {example!r}, not {value!r}"
            if example
            else f"{value!r} cannot be used: letters, digits and '_' only, not beginning with a digit"
        )
    if kind == "string_too_long":
        return path, f"has more than {context['max_length']} characters"
    if kind == "too_short":
        return path, "must not be empty"
    if kind == "unexpected_keyword_argument":
        return path, "is not a known key"
    return path, f"must be {_KINDS[kind]}, not {value!r}" if kind in _KINDS else details["msg"]


def read_definition(source: str | Path) -> Definition:
    """Read a definition from a file, or the definition of a bundled domain.

    `read_definition(Path("films.toml"))` reads a file, `read_definition("nba")` the definition of the domain `nba`.

    Raises:
        DefinitionError: there is no such file or domain, the file cannot be read, or the definition is invalid.
    """
    text, name = definition_text(source)
    definition, problems = check_text(text)
    if definition is None:
        raise DefinitionError(name, problems)
    return definition


def definition_text(source: str | Path) -> tuple[str, str]:
    """Return the text of a definition, and the name of its file or domain for error messages.

    Raises:
        DefinitionError: there is no such file or domain, or the file cannot be read.
    """
    path = Path(source)
    if str(source) in DOMAINS and not path.is_file():
        return (CATALOG / f"{source}.toml").read_text("utf-8"), str(source)
    try:
        return path.read_text("utf-8"), path.name
    except FileNotFoundError:
        hint = did_you_mean(str(source), DOMAINS) or "."
        message = f"there is no such file, nor a domain of that name{hint} The domains are {', '.join(DOMAINS)}"
        raise DefinitionError(str(source), [Problem(0, "", message)]) from None
    except (OSError, UnicodeDecodeError) as error:
        raise DefinitionError(path.name, [Problem(0, "", f"cannot be read ({error})")]) from None


def _dotted(place: Sequence[str | int]) -> str:
    text = ""
    for part in place:
        text += f"[{part}]" if isinstance(part, int) else ("." if text else "") + part
    return text


def _key_lines(text: str) -> Callable[[Place], int]:
    """Return the function that returns the line, counted from 1, of a key in a valid text.

    It is the line up to which the text must be parsed to find the key. A text that ends inside a value cannot be
    parsed, so a value of several lines counts where it begins. If no line sets the key, the line of the innermost
    enclosing table is returned, or else 1.
    """
    lines = text.splitlines(keepends=True)

    @cache
    def parse(count: int) -> Any:
        try:
            return tomllib.loads("".join(lines[:count]))
        except tomllib.TOMLDecodeError:
            return None

    def has(count: int, path: Place) -> bool:
        found = next(document for number in range(count, -1, -1) if (document := parse(number)) is not None)
        try:
            for part in path:
                found = found[part]
        except (KeyError, IndexError, TypeError):
            return False
        return True

    def line_of(place: Place) -> int:
        path = next((place[:length] for length in range(len(place), 0, -1) if has(len(lines), place[:length])), ())
        number = bisect_left(range(len(lines) + 1), True, lo=1, key=lambda count: has(count, path))
        while parse(number - 1) is None:
            number -= 1
        return number

    return line_of


PATTERN = re.compile(r"\(:(\w+)\)-\[:(\w+)\]->\(:(\w+)\)")


def inconsistencies(definition: Definition) -> Iterator[tuple[Place, str]]:
    """Yield the place (the path of keys) and the message of each problem; yield nothing if there is no problem."""
    yield from _relationships(definition)
    yield from _nodes(definition)
    yield from _types(definition)
    try:
        levels(definition)
    except CycleError as error:
        circle = " needs ".join(reversed(error.args[1]))
        yield (
            ("nodes", error.args[1][0], "from_relationships"),
            (f"depends on itself: {circle}; give one of these labels a class, without from_relationships"),
        )
    except LookupError:
        pass  # `_relationships` and `_nodes` have reported this problem


def selecting(definition: Definition, label: str) -> list[tuple[Relationship, bool]]:
    """Return the relationships through which a label's items are selected (`from_relationships`).

    Each relationship comes with True if it ends at the label, False if it starts there.

        selecting(movies, "Person")  →  [((:Movie)-[:directedBy]->(:Person), True)]

    Raises:
        LookupError: `from_relationships` names a relationship that does not exist, is ambiguous, or does not connect
            the label with another label.
    """
    found = []
    for name in definition.nodes[label].from_relationships:
        relationship = _named(definition, name, label)
        found.append((relationship, relationship.end == label))
    return found


def levels(definition: Definition) -> list[list[str]]:
    """Return the labels in levels: the items of a label are selected through labels of earlier levels only.

    Raises:
        CycleError: the items of a label are selected through other labels that are selected through this label.
        LookupError: `from_relationships` names a relationship that `selecting` refuses, or that has an unknown label.
    """
    needs = {
        label: {
            relationship.start if is_end else relationship.end for relationship, is_end in selecting(definition, label)
        }
        for label in definition.nodes
    }
    if unknown := {other for others in needs.values() for other in others} - definition.nodes.keys():
        raise LookupError(f"there is no node label {min(unknown)!r}")
    sorter = TopologicalSorter(needs)
    sorter.prepare()
    order = list(definition.nodes)
    result = []
    while sorter.is_active():
        ready = sorted(sorter.get_ready(), key=order.index)
        result.append(ready)
        sorter.done(*ready)
    return result


def _named(definition: Definition, name: str, label: str) -> Relationship:
    types = list(dict.fromkeys(relationship.type for relationship in definition.relationships))
    if pattern := PATTERN.fullmatch(name.replace(" ", "")):
        start, type_, end = pattern.groups()
        candidates = [
            relationship
            for relationship in definition.relationships
            if (relationship.start, relationship.type, relationship.end) == (start, type_, end)
        ]
        if not candidates:
            raise LookupError(f"there is no relationship {name}")
    else:
        candidates = [relationship for relationship in definition.relationships if relationship.type == name]
        if not candidates:
            raise LookupError(f"there is no relationship type {name!r}{did_you_mean(name, types)}")
    candidates = [relationship for relationship in candidates if label in (relationship.start, relationship.end)]
    if not candidates:
        raise LookupError(f"{label!r} is at neither end of {name!r}")
    if len(candidates) > 1:
        raise LookupError(f"{name!r} is ambiguous: name the pattern, as in {str(candidates[0])!r}")
    if candidates[0].start == candidates[0].end:
        raise LookupError(f"{name!r} connects {label!r} to itself, so it cannot select the items of {label!r}")
    return candidates[0]


def _relationships(definition: Definition) -> Iterator[tuple[Place, str]]:
    seen: dict[str, int] = {}
    for number, relationship in enumerate(definition.relationships):
        place: Place = ("relationships", number)
        for end in ("start", "end"):
            label = getattr(relationship, end)
            if label not in definition.nodes:
                yield (*place, end), f"there is no node label {label!r}{did_you_mean(label, definition.nodes)}"
        if str(relationship) in seen:
            yield place, f"{relationship} appears twice (also relationships[{seen[str(relationship)]}])"
        seen.setdefault(str(relationship), number)
        if relationship.wikidata == IDENTICAL and (relationship.properties or relationship.qualifier):
            yield (
                place,
                f'a relationship with wikidata = "{IDENTICAL}" has no statement, so it can have no properties and no '
                "qualifier",
            )
        for key, value in relationship.properties.items():
            yield from _property((*place, "properties", key), value)
            if value.qualifiers or value.item:
                yield (*place, "properties", key), "'qualifiers' and 'item' are allowed only for properties of nodes"


def _nodes(definition: Definition) -> Iterator[tuple[Place, str]]:
    for label, node in definition.nodes.items():
        place: Place = ("nodes", label)
        if not node.classes and not node.from_relationships:
            yield place, "needs 'wikidata' (a class) or 'from_relationships', which select the items"
        if "Q5" in node.classes and node.subclasses and node.members == "instances":
            yield place, "people are instances of Q5 itself: set subclasses = false"
        if (
            not node.from_relationships
            and "Q5" in node.classes
            and not (node.linked_to or node.has_property or node.sparql)
        ):
            yield place, "selects all people in Wikidata: add linked_to, has_property, sparql or from_relationships"
        if node.sparql and "?item" not in node.sparql:
            yield (*place, "sparql"), "must use ?item"
        if node.sparql and node.from_relationships:
            yield (*place, "sparql"), "is allowed with a class, not with from_relationships"
        for number, name in enumerate(node.from_relationships):
            try:
                relationship = _named(definition, name, label)
            except LookupError as error:
                yield (*place, "from_relationships", number), error.args[0]
                continue
            if relationship.wikidata != IDENTICAL and relationship.qualifier and relationship.start == label:
                yield (*place, "from_relationships", number), "cannot select the start of a qualified relationship"
        for key, value in node.properties.items():
            if key in RESERVED_PROPERTIES:
                yield (*place, "properties", key), "every node has this property already"
            yield from _property((*place, "properties", key), value)


def _property(place: Place, value: Property) -> Iterator[tuple[Place, str]]:
    if value.unit is not None and find_unit(value.unit) is None:
        yield (
            (*place, "unit"),
            f"the unit {value.unit!r} is not known{did_you_mean(value.unit, [u.name for u in units()])}",
        )
    if value.unit is not None and value.type not in ("float", "int", "list[float]", "list[int]"):
        yield (*place, "unit"), f"is allowed with float, int or a list of these, not with {value.type}"
    if (value.type == "bool") != (value.item is not None):
        yield (
            place,
            "type bool and 'item' go together: the value is true if the item is among the Wikidata property's values",
        )


def _types(definition: Definition) -> Iterator[tuple[Place, str]]:
    used = list(dict.fromkeys(relationship.type for relationship in definition.relationships))
    for name, type_ in definition.types.items():
        if name not in used:
            yield ("types", name), f"there is no relationship of this type{did_you_mean(name, used)}"
        for implied in type_.implies:
            if implied not in used:
                yield (
                    ("types", name, "implies"),
                    f"there is no relationship type {implied!r}{did_you_mean(implied, used)}",
                )
