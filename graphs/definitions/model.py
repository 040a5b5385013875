"""The data model of a definition (`Definition`, its nodes, its relationships and their types), and units.

A definition file:

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

    >>> convert(Decimal("1.1"), find_unit("hour"), find_unit("minute"))
    Decimal('66')

The factors of units to the base unit of each dimension come from Wikidata's own conversion table. A year and a month
have their mean length in the Gregorian calendar. Each currency has its own dimension: currencies are never converted.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Context, Decimal
from functools import cache
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Discriminator, Field, StringConstraints, Tag

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
    qualifiers: Annotated[list[Link], Field(description="Only statements that have all these qualifiers are read.")] = (
        Field(default_factory=list)
    )
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
    ] = Field(default_factory=list)
    linked_to: Annotated[list[Link], Field(description="Select only items that have these values.")] = Field(
        default_factory=list
    )
    has_property: Annotated[
        list[PropertyId], Field(description="Select only items that have a value for each of these properties.")
    ] = Field(default_factory=list)
    sparql: Annotated[
        str | None, Field(description="An additional SPARQL condition on ?item; only for builds from an endpoint.")
    ] = None
    description: str | None = None
    doubtful: str | None = None
    properties: dict[Name, Property] = Field(default_factory=dict)

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
    properties: dict[Name, Property] = Field(default_factory=dict)

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
    ] = Field(default_factory=list)
    symmetric: Annotated[bool, Field(description="Whether a relationship from a to b implies one from b to a.")] = False
    time_bounded: Annotated[bool, Field(description="Whether the relationships have a start time and an end time.")] = (
        False
    )
    implies: Annotated[list[str], Field(description="Types that always connect the same nodes as this one.")] = Field(
        default_factory=list
    )


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
    ] = Field(default_factory=lambda: ["en"])
    wikipedia: Annotated[
        Language, Field(description="The language of the Wikipedia whose articles are the provenance of nodes.")
    ] = "en"
    nodes: Annotated[dict[Name, Node], Field(min_length=1)]
    relationships: list[Relationship] = Field(default_factory=list)
    types: dict[Name, RelationshipType] = Field(default_factory=dict)

    def characteristics(self, type_: str) -> RelationshipType:
        """Return the facts that the definition states about a relationship type; default values if it states none."""
        return self.types.get(type_) or RelationshipType()

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
                    symmetric=self.characteristics(relationship.type).symmetric,
                )
                for relationship in self.relationships
            ),
        )


def doubts(definition: Definition) -> Iterator[tuple[str, str]]:
    """Yield each label, relationship and property marked as doubtful, such as `Movie.country`, with the reason."""
    for label, node in definition.nodes.items():
        if node.doubtful:
            yield label, node.doubtful
        for key, value in node.properties.items():
            if value.doubtful:
                yield f"{label}.{key}", value.doubtful
    for relationship in definition.relationships:
        if relationship.doubtful:
            yield str(relationship), relationship.doubtful
        for key, value in relationship.properties.items():
            if value.doubtful:
                yield f"{relationship}.{key}", value.doubtful


def json_schema() -> dict[str, Any]:
    """Return the JSON Schema of definition files, for editors;
    stored in `definition.schema.json` beside this module."""
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **Definition.model_json_schema()}


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
