"""Builds `graphs/bundled/nba/nba.json.gz`, the bundled graph, from the tables in `release/nba/`.

    python -m release.nba

Run it after a change to a table. The tables state facts in the notation of sports pages (`6-9`, `CLE 2003-2010 #23`);
this module converts them to the labels, relationship types, properties and units of CypherBench's NBA domain.
docs/tutorial.md lists the rules.
"""

from __future__ import annotations

import csv
import gzip
import json
import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any, TypeVar

from graphground.cypher.diagnostics import counted

ROOT = Path(__file__).resolve().parents[1]
TABLES = ROOT / "release" / "nba"
BUILT = ROOT / "graphs" / "bundled" / "nba" / "nba.json.gz"
Found = TypeVar("Found")
HANDS = {"R": "right-handedness", "L": "left-handedness"}
STINT = re.compile(r"(?P<team>[A-Z]{3}) (?P<start>\d{4})(?P<open>-(?P<end>\d{4})?)?(?: #(?P<number>\d{1,2}))?")
FEET = re.compile(r"(?P<feet>\d)-(?P<inches>\d{1,2})")
SCHEMA: dict[str, Any] = {
    "name": "nba",
    "entities": [
        {
            "label": "Team",
            "description": None,
            "properties": {"inception_year": "int", "owners": "list[str]", "head_coach": "str"},
        },
        {
            "label": "Player",
            "description": None,
            "properties": {
                "country_of_citizenship": "list[str]",
                "place_of_birth": "str",
                "gender": "str",
                "date_of_birth": "date",
                "date_of_death": "date",
                "height_cm": "float",
                "mass_kg": "float",
                "nicknames": "list[str]",
                "handedness": "str",
                "schools_attended": "list[str]",
            },
        },
        {"label": "Venue", "description": None, "properties": {}},
        {"label": "Division", "description": None, "properties": {}},
        {"label": "Position", "description": None, "properties": {}},
        {"label": "Award", "description": None, "properties": {}},
        {"label": "Conference", "description": None, "properties": {}},
    ],
    "relations": [
        {
            "label": "playsFor",
            "subj_label": "Player",
            "obj_label": "Team",
            "properties": {"start_year": "int", "end_year": "int", "sport_number": "int"},
        },
        {"label": "draftedBy", "subj_label": "Player", "obj_label": "Team", "properties": {"year": "int"}},
        {"label": "playsPosition", "subj_label": "Player", "obj_label": "Position", "properties": {}},
        {"label": "receivesAward", "subj_label": "Player", "obj_label": "Award", "properties": {"year": "int"}},
        {
            "label": "hasHomeVenue",
            "subj_label": "Team",
            "obj_label": "Venue",
            "properties": {"start_year": "int", "end_year": "int"},
        },
        {"label": "partOfDivision", "subj_label": "Team", "obj_label": "Division", "properties": {}},
        {"label": "partOfConference", "subj_label": "Division", "obj_label": "Conference", "properties": {}},
    ],
}


class TableError(ValueError):
    """An invalid cell or line of a table; the message describes the problem, and its place if that is known."""


@dataclass(frozen=True, slots=True)
class Row:
    """One line of a table: `row["name"]` is a cell, `row.many("aliases")` is a cell split at each `;`."""

    place: str
    cells: Mapping[str, str]

    def __getitem__(self, column: str) -> str:
        return self.cells[column]

    def many(self, column: str) -> list[str]:
        """Return a cell split at each `;`: `Shaq;Diesel` becomes `["Shaq", "Diesel"]`."""
        return [part.strip() for part in self.cells[column].split(";") if part.strip()]

    def number(self, column: str) -> int | None:
        """Return a cell as a whole number; None for an empty cell. Raise a `TableError` for any other text."""
        text = self.cells[column]
        if not text:
            return None
        if not text.isdecimal():
            raise self.wrong(column, "is not a whole number")
        return int(text)

    def day(self, column: str) -> str | None:
        """Return a date as ISO 8601 text; None for an empty cell. Raise a `TableError` for any other text."""
        text = self.cells[column]
        if not text:
            return None
        try:
            return date.fromisoformat(text).isoformat()
        except ValueError:
            raise self.wrong(column, "is not a date such as 1984-12-30") from None

    def wrong(self, column: str, why: str) -> TableError:
        """Return the error for an invalid cell: `players.csv line 7: born '1984-13-30' is not a date`.

        `why` is the end of the message: `is not a date`.
        """
        return TableError(f"{self.place}: {column} {self.cells[column]!r} {why}")


@dataclass(frozen=True, slots=True)
class Stint:
    """A player's time with a team, from the year `start` to the year `end`.

    `end` is None if the time had not ended when the tables were written. `number` is the number on the shirt, or None
    if the table does not state it.
    """

    team: str
    start: int
    end: int | None
    number: int | None


def read_table(folder: Path, name: str) -> list[Row]:
    """Return the rows of `<folder>/<name>.csv`.

    Raises:
        TableError: a line has fewer or more cells than the header.
    """
    return list(_rows(name, (folder / f"{name}.csv").read_text(encoding="utf-8")))


def _rows(name: str, text: str) -> Iterator[Row]:
    reader = csv.reader(text.splitlines(), strict=True)
    header = next(reader)
    for cells in reader:
        place = f"{name}.csv line {reader.line_num}"
        if len(cells) != len(header):
            raise TableError(f"{place}: {counted(len(cells), 'cell')} where the header has {len(header)}")
        yield Row(place, dict(zip(header, (cell.strip() for cell in cells), strict=True)))


def parse_stint(text: str) -> Stint:
    """Parse `TEAM START-END #NUMBER`: `LAL 2018-` has not ended, `CHI 1999` began and ended in the same year.

    Raises:
        TableError: the text has another form.
    """
    found = STINT.fullmatch(text)
    if found is None:
        raise TableError(f"{text!r} is not a stint such as 'CLE 2003-2010 #23', 'LAL 2018-' or 'LAL 1996 #32'")
    start = int(found["start"])
    end = start if found["open"] is None else int(found["end"]) if found["end"] else None
    return Stint(found["team"], start, end, int(found["number"]) if found["number"] else None)


def feet_to_cm(text: str) -> float:
    """Convert feet and inches to whole centimetres: `7-1` is 216.0. Raise a `TableError` for any other text."""
    found = FEET.fullmatch(text)
    if found is None or int(found["inches"]) > 11:
        raise TableError(f"{text!r} is not a height such as 6-9")
    return float(round((int(found["feet"]) * 12 + int(found["inches"])) * 2.54))


def pounds_to_kg(pounds: int) -> float:
    """Convert pounds to whole kilograms: 250 is 113.0."""
    return float(round(pounds * 0.45359237))


def slug(name: str) -> str:
    """Return a name in the form that ids use: `Nikola Jokić` becomes `nikola-jokic`."""
    plain = unicodedata.normalize("NFKD", name.replace("–", "-").replace("ı", "i")).encode("ascii", "ignore").decode()
    return re.sub(r"[^a-z0-9]+", "-", plain.lower().replace("'", "")).strip("-")


class Builder:
    """The entities and relations of the graph, collected by id; an id that is already in use raises a `TableError`."""

    def __init__(self) -> None:
        self.entities: dict[str, dict[str, Any]] = {}
        self.relations: dict[str, dict[str, Any]] = {}

    def read(self, name: str) -> list[Row]:
        return read_table(TABLES, name)

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
            head_coach=row["head_coach"],
            owners=row.many("owners"),
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


def main() -> None:
    """Write the document; the same tables give the same JSON."""
    text = json.dumps(build(), ensure_ascii=False, separators=(",", ":"))
    BUILT.write_bytes(gzip.compress(text.encode(), mtime=0))
    print(f"{BUILT.relative_to(ROOT)}: {BUILT.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
