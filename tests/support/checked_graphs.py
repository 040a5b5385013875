"""Small schemas, a small entity index, and functions that run the checks of queries against schemas."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

from graphground.cypher import Diagnostic, parse
from graphground.cypher.checks import Findings, check
from graphground.cypher.schema import PropertyGraphSchema
from tests.support.documents import INTERVAL, schema

COMPANY = schema(
    "company",
    {
        "Company": {"launch_year": "int"},
        "Person": {"date_of_birth": "date", "gender": "str", "country_of_citizenship": "list[str]"},
        "Country": {},
        "Industry": {},
    },
    [
        "Company subsidiaryOf Company",
        "Company hasCEO Person",
        "Company hasBoardMember Person",
        "Company foundedBy Person",
        "Company basedIn Country",
        "Company operatesIn Industry",
    ],
    {"hasCEO": INTERVAL, "hasBoardMember": INTERVAL},
)
CHARACTERS = schema(
    "characters",
    {
        "Character": {"creator": "str", "occupation": "list[str]", "birth_name": "str"},
        "Location": {},
        "Organization": {},
        "FictionalUniverse": {"inception_year": "int"},
    },
    [
        "Character hasMother Character",
        "Character hasSpouse Character",
        "Character killedBy Character",
        "Character diedIn Location",
        "Character bornIn Location",
        "Character memberOf Organization",
        "Organization basedIn Location",
        "Character fromUniverse FictionalUniverse",
        "Organization fromUniverse FictionalUniverse",
    ],
)


@dataclass(frozen=True)
class Entity:
    """A candidate of the fake index: a node's name or the value of a property."""

    name: str
    label: str
    score: float = 1.0
    match: str = "exact"
    property: str = "name"
    name_property: str = "name"


@dataclass(frozen=True)
class Judgement:
    """A verdict on a name, with the candidates."""

    verdict: str
    candidates: Sequence[Entity]


class Names:
    """A fake entity index over a few names, which compares names by the similarity of their letters."""

    def __init__(
        self,
        *entities: tuple[str, str],
        aliases: dict[str, tuple[str, str]] | None = None,
        values: dict[str, list[str]] | None = None,
    ):
        self.entities = entities
        self.aliases = aliases or {}
        self.values = values or {}

    def find(
        self, mention: str, *, label: str | None = None, property: str | None = None, limit: int = 5
    ) -> Sequence[Entity]:
        from rapidfuzz.fuzz import ratio

        if property in self.values:
            similar = [
                Entity(value, label or "", ratio(value.lower(), mention.lower()) / 100, "fuzzy", property)
                for value in self.values[property]
            ]
            return sorted(
                (candidate for candidate in similar if candidate.score > 0.5), key=lambda candidate: -candidate.score
            )[:limit]
        if property not in (None, "name"):
            return []
        if mention in self.aliases and label in (None, self.aliases[mention][1]):
            return [Entity(*self.aliases[mention], match="alias")]
        similar = [
            Entity(name, own_label, ratio(name, mention) / 100, "fuzzy")
            for name, own_label in self.entities
            if label in (None, own_label)
        ]
        return sorted(
            (candidate for candidate in similar if candidate.score > 0.5), key=lambda candidate: -candidate.score
        )[:limit]

    def judge(
        self, mention: str, *, labels: Collection[str] | None = None, key: str | None = None, names: bool = True
    ) -> "Judgement":
        found: list[Entity] = []
        for label in labels or (None,):
            found += self.find(mention, label=label, property=None if names else key)
        likely = [candidate for candidate in found if candidate.score > 0.8] or found[:2]
        best = [candidate for candidate in likely if candidate.match == "alias"] or likely[:1]
        sure = bool(best) and best[0].score > 0.8
        return Judgement("found" if sure else "not_found", best if sure else likely)

    def holds(self, value: str, *, label: str | None = None, property: str | None = None) -> bool:
        if property in self.values:
            return value in self.values[property]
        return property in (None, "name") and any(
            name == value and label in (None, own_label) for name, own_label in self.entities
        )


def findings(query: str, schema: PropertyGraphSchema = COMPANY, **more: Any) -> Findings:
    return check(parse(query), schema, **more)


def problems_in(query: str, schema: PropertyGraphSchema = COMPANY, **more: Any) -> list[Diagnostic]:
    """Return the errors and warnings about a query, without hints."""
    return [finding for finding in findings(query, schema, **more) if finding.severity != "hint"]


def codes(query: str, schema: PropertyGraphSchema = COMPANY, **more: Any) -> list[tuple[str, str]]:
    """Return the code of each error and warning with the part of the query that it marks."""
    return [(diagnostic.code, diagnostic.found) for diagnostic in problems_in(query, schema, **more)]
