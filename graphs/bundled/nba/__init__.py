"""Builds the SimpleKG document of the bundled NBA graph from its tables.

The tables state facts in the notation of sports pages (`6-9`, `CLE 2003-2010 #23`); this module converts them to the
labels, relationship types, properties and units of CypherBench's NBA domain. docs/bundled-graph.md lists the rules.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterable, Mapping
from importlib.resources import files
from typing import Any, TypeVar

from graphground.graphs.bundled.nba.schema import SCHEMA
from graphground.graphs.bundled.tables import Row, TableError, feet_to_cm, parse_stint, pounds_to_kg, read_table, slug

AS_OF = "October 2025"
DESCRIPTION = (
    "NBA basketball: the 30 teams, their divisions and home venues, and 400 players of all eras "
    f"with positions, teams, drafts and awards. As of {AS_OF}; written from common knowledge, CC0."
)
Found = TypeVar("Found")
HANDS = {"R": "right-handedness", "L": "left-handedness"}


class Builder:
    """The entities and relations of the graph, collected by id; an id that is already in use raises a `TableError`."""

    def __init__(self) -> None:
        self.tables = files("graphground.graphs.bundled") / "nba"
        self.entities: dict[str, dict[str, Any]] = {}
        self.relations: dict[str, dict[str, Any]] = {}

    def read(self, name: str) -> list[Row]:
        return read_table(self.tables, name)

    def entity(self, row: Row, label: str, aliases: Iterable[str], description: str, **properties: Any) -> None:
        eid = f"{label}#{slug(row['name'])}"
        if eid in self.entities:
            raise TableError(f"{row.place}: a node labelled {label} with the id {eid} exists already")
        self.entities[eid] = {
            "eid": eid,
            "label": label,
            "name": row["name"],
            "aliases": [alias for alias in dict.fromkeys(aliases) if alias != row["name"]],
            "description": description,
            "properties": _known(properties),
            "provenance": [],
        }

    def relate(self, row: Row, label: str, start: tuple[str, str], end: tuple[str, str], **properties: Any) -> None:
        """Add a relation of type `label`; `start` and `end` are each the label and the name of an entity.

        Raises:
            TableError: there is no such entity, or the relation exists already; the message names the line of `row`.
        """
        ends = [f"{kind}#{slug(name)}" for kind, name in (start, end)]
        for eid, (kind, name) in zip(ends, (start, end), strict=True):
            if eid not in self.entities:
                raise TableError(f"{row.place}: there is no {kind} called {name!r}")
        known = _known(properties)
        year = known.get("start_year", known.get("year"))
        rid = "#".join([label, *(eid.split("#")[1] for eid in ends), *([str(year)] if year else [])])
        if rid in self.relations:
            raise TableError(f"{row.place}: the relation {rid} appears twice")
        self.relations[rid] = {
            "rid": rid,
            "label": label,
            "subj_id": ends[0],
            "obj_id": ends[1],
            "properties": known,
            "provenance": [],
        }


def build() -> dict[str, Any]:
    """Build the whole graph as a SimpleKG document.

    Raises:
        TableError: a row is invalid, repeats another row, or refers to an unknown name or code.
    """
    graph = Builder()
    _add_teams(graph)
    codes = {row["code"]: row["name"] for row in graph.read("teams")}
    _add_players(graph)
    _add_careers(graph, codes)
    _add_awards(graph)
    return {"schema": SCHEMA, "entities": list(graph.entities.values()), "relations": list(graph.relations.values())}


def _add_teams(graph: Builder) -> None:
    for row in graph.read("conferences"):
        graph.entity(row, "Conference", row.many("aliases"), row["description"])
    for row in graph.read("divisions"):
        graph.entity(row, "Division", row.many("aliases"), row["description"])
        graph.relate(row, "partOfConference", ("Division", row["name"]), ("Conference", row["conference"]))
    for row in graph.read("venues"):
        graph.entity(row, "Venue", row.many("aliases"), row["description"])
    teams = {}
    for row in graph.read("teams"):
        teams[row["code"]] = row["name"]
        graph.entity(
            row,
            "Team",
            [*row.many("aliases"), *row.many("former_names")],
            row["description"],
            inception_year=row.number("inception_year"),
        )
        graph.relate(row, "partOfDivision", ("Team", row["name"]), ("Division", row["division"]))
    for row in graph.read("home_venues"):
        graph.relate(
            row,
            "hasHomeVenue",
            ("Team", _lookup(teams, row, "team")),
            ("Venue", row["venue"]),
            start_year=row.number("start_year"),
            end_year=row.number("end_year"),
        )


def _add_players(graph: Builder) -> None:
    schools = {row["code"]: row["name"] for row in graph.read("schools")}
    countries = {row["code"]: row for row in graph.read("countries")}
    for row in graph.read("players"):
        citizenship = [_find(countries, row, "citizenship", code) for code in row.many("citizenship")]
        if not citizenship:
            raise TableError(f"{row.place}: {row['name']} needs a citizenship")
        pounds = row.number("weight_lb")
        graph.entity(
            row,
            "Player",
            [*row.many("nicknames"), *row.many("aliases"), *_plain(row["name"])],
            _describe(row, [country["adjective"] for country in citizenship]),
            country_of_citizenship=[country["name"] for country in citizenship],
            place_of_birth=row["birthplace"],
            gender="male",
            date_of_birth=row.day("born"),
            date_of_death=row.day("died"),
            height_cm=_parsed(feet_to_cm, row, "height_ft", row["height_ft"]) if row["height_ft"] else None,
            mass_kg=pounds_to_kg(pounds) if pounds else None,
            nicknames=row.many("nicknames"),
            handedness=_lookup(HANDS, row, "hand") if row["hand"] else None,
            schools_attended=[_find(schools, row, "schools", code) for code in row.many("schools")],
        )


def _add_careers(graph: Builder, teams: dict[str, str]) -> None:
    positions = {row["code"]: row["name"] for row in graph.read("positions")}
    for row in graph.read("positions"):
        graph.entity(row, "Position", row.many("aliases"), row["description"])
    for row in graph.read("careers"):
        player = ("Player", row["player"])
        for code in row.many("positions"):
            graph.relate(row, "playsPosition", player, ("Position", _find(positions, row, "positions", code)))
        if row["drafted"]:
            pick = _parsed(parse_stint, row, "drafted", row["drafted"])
            graph.relate(row, "draftedBy", player, ("Team", _find(teams, row, "drafted", pick.team)), year=pick.start)
        for text in row.many("stints"):
            stint = _parsed(parse_stint, row, "stints", text)
            graph.relate(
                row,
                "playsFor",
                player,
                ("Team", _find(teams, row, "stints", stint.team)),
                start_year=stint.start,
                end_year=stint.end,
                sport_number=stint.number,
            )


def _add_awards(graph: Builder) -> None:
    awards = graph.read("awards")
    for row in awards:
        graph.entity(row, "Award", row.many("aliases"), row["description"])
    for row in graph.read("award_winners"):
        for award in awards:
            for winner in row.many(award["code"]):
                graph.relate(
                    row, "receivesAward", ("Player", winner), ("Award", award["name"]), year=row.number("year")
                )


def _describe(row: Row, adjectives: list[str]) -> str:
    """Return a player's description, `American basketball player, born 1984`; unknown years are left out."""
    years = [f"{word} {row[column][:4]}" for word, column in (("born", "born"), ("died", "died")) if row[column]]
    return ", ".join(["-".join(adjectives[:2]) + " basketball player", *years])


def _plain(name: str) -> list[str]:
    """Return the name without accents as a list (`["Luka Doncic"]`).

    The list is empty if the name has no accents, or contains a character that has no ASCII form.
    """
    letters = name.translate(str.maketrans("ışŞğĞøØđĐłŁ", "isSgGoOdDlL"))
    plain = unicodedata.normalize("NFKD", letters).encode("ascii", "ignore").decode()
    return [plain] if plain != name and len(plain) == len(name) else []


def _parsed(parse: Callable[[str], Found], row: Row, column: str, text: str) -> Found:
    """Return the parsed text of a cell, or of a part of it; an error states the cell's position."""
    try:
        return parse(text)
    except TableError as error:
        raise TableError(f"{row.place}: {column}: {error}") from None


def _lookup(known: Mapping[str, str], row: Row, column: str) -> str:
    return _find(known, row, column, row[column])


def _find(known: Mapping[str, Found], row: Row, column: str, code: str) -> Found:
    if code not in known:
        raise TableError(f"{row.place}: {column}: {code!r} is not among {', '.join(known)}")
    return known[code]


def _known(properties: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in properties.items() if value not in (None, "", [])}
