"""The data model of a definition: `Definition`, its nodes, its relationships and facts about relationship types.

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
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from graphground.cypher.schema import RESERVED_PROPERTIES, Label, PropertyGraphSchema, RelationshipPattern

ItemId = Annotated[str, StringConstraints(pattern=r"^Q[1-9]\d*$")]
PropertyId = Annotated[str, StringConstraints(pattern=r"^P[1-9]\d*$")]
Name = Annotated[str, StringConstraints(pattern=r"^[A-Za-z_][A-Za-z0-9_]*$", max_length=100)]
Language = Annotated[str, StringConstraints(pattern=r"^[a-z]{2,3}(-[a-z0-9]+)*$")]
PropertyType = Literal["str", "int", "float", "bool", "date", "list[str]", "list[int]", "list[float]", "list[date]"]
Cardinality = Literal["one-to-one", "one-to-many", "many-to-one", "many-to-many"]
IDENTICAL = "identical"


class Part(BaseModel):
    """A part of a definition: unknown keys are errors, values are never coerced."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class Link(Part):
    """A property that leads to an item: `{ property = "P118", item = "Q155223" }`."""

    property: PropertyId
    item: ItemId


class Property(Part):
    """A property of a node or of a relationship.

    runtime_minute = { type = "float", wikidata = "P2047", unit = "minute" }
    date_of_birth = { type = "date", wikidata = "P569" }
    retired = { type = "bool", wikidata = "P31", item = "Q…" }
    """

    type: PropertyType = Field(description="The type of the values. `int` takes the year of a point in time.")
    wikidata: PropertyId = Field(
        description="The Wikidata property. On a relationship: a qualifier, or the "
        "relationship's own property for the value of its statement."
    )
    unit: str | None = Field(None, description="The unit into which quantities are converted, by its name or item.")
    item: ItemId | None = Field(None, description="With type bool: true where the property has this item as a value.")
    qualifiers: list[Link] = Field([], description="Only statements that have all these qualifiers.")
    description: str | None = None
    doubtful: str | None = Field(None, description="Why the Wikidata source may be wrong.")


class Node(Part):
    """A label and the conditions that select its items."""

    wikidata: ItemId | list[ItemId] | None = Field(
        None, description="One class or several; may be left out if from_relationships alone selects the items."
    )
    members: Literal["instances", "subclasses"] = Field(
        "instances", description="Whether the nodes are the instances of the class or its subclasses."
    )
    subclasses: bool = Field(True, description="Whether instances of subclasses count too.")
    from_relationships: list[str] = Field(
        [],
        description="Only items at the end or start of these relationships: "
        "`partOf`, or `(:River)-[:partOf]->(:Basin)` where a type has several.",
    )
    linked_to: list[Link] = Field([], description="Only items with these values.")
    has_property: list[PropertyId] = Field([], description="Only items that have a value for each of these properties.")
    sparql: str | None = Field(
        None, description="An additional SPARQL condition on ?item; only for builds from an endpoint."
    )
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
    wikidata: PropertyId | Literal["identical"] = Field(
        description="The Wikidata property of the start item, or `identical`: both ends are the same item."
    )
    qualifier: PropertyId | None = Field(None, description="The end is the value of this qualifier.")
    ranks: Literal["best", "not_deprecated"] | None = Field(
        None,
        description="`best`: the preferred statements, or the normal ones if none is preferred; `not_deprecated`: both. "
        "Default: `not_deprecated` if the type is time-bounded, else `best`.",
    )
    description: str | None = None
    doubtful: str | None = None
    properties: dict[Name, Property] = {}

    def __str__(self) -> str:
        return f"(:{self.start})-[:{self.type}]->(:{self.end})"


class RelationshipType(Part):
    """Facts about all patterns of a relationship type, used to generate questions."""

    cardinality: Cardinality = Field("many-to-many", description="`many-to-one`: each start has at most one end.")
    mandatory: list[Literal["start", "end"]] = Field(
        [], description="The ends at which every node should have such a relationship."
    )
    symmetric: bool = Field(False, description="Whether a relationship from a to b implies one from b to a.")
    time_bounded: bool = Field(False, description="Whether it has a start time and an end time.")
    implies: list[str] = Field([], description="Types that always connect the same nodes as well.")


class Definition(Part):
    """A whole definition; `schema` is the schema of the resulting graph."""

    name: Annotated[str, StringConstraints(pattern=r"^[A-Za-z][A-Za-z0-9_.-]{0,63}$")]
    description: str = ""
    languages: list[Language] = Field(
        ["en"],
        min_length=1,
        description="Languages of names, best first; an item without a name in any of them is left out.",
    )
    wikipedia: Language = Field("en", description="The Wikipedia whose articles are the provenance.")
    nodes: dict[Name, Node] = Field(min_length=1)
    relationships: list[Relationship] = []
    types: dict[Name, RelationshipType] = {}

    def characteristics(self, type_: str) -> RelationshipType:
        """Return the stated facts about a relationship type; default values if none are stated."""
        return self.types.get(type_) or RelationshipType.model_validate({})

    def ranks(self, relationship: Relationship) -> str:
        """Return the rank of the statements that become relationships: `best` or `not_deprecated`."""
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
    """Yield the places whose Wikidata source is marked as doubtful, each with the reason."""
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
    """Return the JSON Schema of definition files, for editors; stored in `definition.schema.json` beside this module."""
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **Definition.model_json_schema()}
