"""Small schemas, a small entity index, and functions that run the checks of queries against schemas."""

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from graphground.cypher import Diagnostic, parse
from graphground.cypher.checks import Findings, check
from graphground.cypher.schema import PropertyGraphSchema
from graphground.graphs.entities.build import build_index
from graphground.graphs.entities.candidate import Record
from graphground.graphs.entities.index import EntityIndex, open_index
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


class Names(EntityIndex):
    """An entity index over a few names and values: `Names(("Heat", "Movie"), values={"gender": ["male"]})`."""

    def __init__(
        self,
        *entities: tuple[str, str],
        aliases: dict[str, tuple[str, str]] | None = None,
        values: dict[str, list[str]] | None = None,
    ):
        known = {named: alias for alias, named in (aliases or {}).items()}
        records = [
            Record(str(number), label, name, (known[name, label],) if (name, label) in known else ())
            for number, (name, label) in enumerate(entities)
        ]
        for key, texts in (values or {}).items():
            records += [Record(f"{key} {text}", "Person", f"{key} {text}", values={key: [text]}) for text in texts]
        with TemporaryDirectory(ignore_cleanup_errors=True) as folder:
            build_index(Path(folder) / "names", records)
            self.__dict__.update(open_index(Path(folder) / "names").__dict__)


def findings(query: str, schema: PropertyGraphSchema = COMPANY, **more: Any) -> Findings:
    return check(parse(query), schema, **more)


def problems_in(query: str, schema: PropertyGraphSchema = COMPANY, **more: Any) -> list[Diagnostic]:
    """Return the errors and warnings about a query, without hints."""
    return [finding for finding in findings(query, schema, **more) if finding.severity != "hint"]


def codes(query: str, schema: PropertyGraphSchema = COMPANY, **more: Any) -> list[tuple[str, str]]:
    """Return the code of each error and warning with the part of the query that it marks."""
    return [(diagnostic.code, diagnostic.found) for diagnostic in problems_in(query, schema, **more)]
