"""Allowed functions and procedures are listed by name, with a reason; all others are refused."""

import json
import runpy
from pathlib import Path

import pytest

from graphground.cypher import validate
from graphground.cypher.functions import PROCEDURES
from graphground.cypher.safety.allowed import FUNCTIONS_ALLOWED, MAX_ARGUMENTS, PROCEDURES_ALLOWED, WRITE_INSTEAD
from tests.support.pages import section

ROOT = Path(__file__).parents[3]
QUERIES = json.loads((Path(__file__).parent / "queries.json").read_text(encoding="utf-8"))


def test_the_page_of_allowed_functions_matches_the_lists() -> None:
    listed = runpy.run_path(str(ROOT / "docs" / "reference.py"))["allowed_section"]()
    shown = section("security.md", "What a query may call").removesuffix("\n<!-- /allowed -->\n").strip()
    assert shown == listed.partition("\n\n")[2], "run python docs/reference.py"
    _, _, excluded = listed.partition("## Excluded, and why")
    assert "`apoc.cypher.*`" in excluded


@pytest.mark.parametrize("call", QUERIES["functions not allowed"])
def test_a_function_that_is_not_on_the_list_is_refused(call: str) -> None:
    for place in (
        f"WITH 1 AS x RETURN {call} AS y",
        f"MATCH (x) WHERE {call} = 1 RETURN x",
        f"MATCH (x) RETURN x ORDER BY {call}",
        f"MATCH (x) RETURN x LIMIT toInteger({call})",
        f"MATCH (x) RETURN EXISTS {{ MATCH (y {{k: {call}}}) }} AS z",
        f"MATCH (x) RETURN [y IN [1] WHERE {call} = y | y] AS z",
    ):
        report = validate(place, read_only=True)
        assert "forbidden_procedure" in {diagnostic.code for diagnostic in report.diagnostics}, place
        name = call.replace(" ", "").replace("/**/", "").replace("`", "").partition("(")[0].lower()
        assert report.access == ("read" if name in {**WRITE_INSTEAD, **MAX_ARGUMENTS} else "admin")


@pytest.mark.parametrize("call", QUERIES["procedures not allowed"])
def test_a_procedure_that_is_not_on_the_list_is_refused(call: str) -> None:
    for text in (
        f"CALL {call}",
        f"MATCH (n) CALL {call} YIELD x RETURN x",
        f"OPTIONAL CALL {call} YIELD x RETURN x",
        f"MATCH (n) WHERE COUNT {{ CALL {call} YIELD x RETURN x }} > 0 RETURN n",
    ):
        report = validate(text, read_only=True)
        assert "forbidden_procedure" in {diagnostic.code for diagnostic in report.diagnostics}, text


def test_a_refused_function_that_agents_ask_for_is_named_with_what_to_write_instead() -> None:
    for call, instead in (
        ("apoc.text.replace('a', 'b', 'c')", "replace()"),
        ("apoc.coll.toSet([1])", "collect(DISTINCT x)"),
        ("apoc.text.levenshteinSimilarity('a', 'b')", "find_entities"),
        ("apoc.convert.fromJsonMap('{}', '$.a')", "without a path"),
    ):
        [problem] = validate(f"RETURN {call} AS x", read_only=True).diagnostics
        assert instead in problem.message
    assert not FUNCTIONS_ALLOWED & WRITE_INSTEAD.keys()


@pytest.mark.parametrize(
    "prefix",
    [
        "CYPHER debug=ast",
        "CYPHER 5 debug=rawcardinalities",
        "CYPHER 25 planner=dp",
        "EXPLAIN CYPHER replan=force",
        "CYPHER runtime=parallel",
        "CYPHER planner=cost Debug = toString",
        "CYPHER notYetWritten=on",
        "CYPHER CYPHER 5 debug=ast",
        "cypher /* 5 */ debug /* = */ = ast",
    ],
)
def test_an_option_that_is_not_on_the_list_is_refused(prefix: str) -> None:
    report = validate(f"{prefix} MATCH (n) RETURN n LIMIT 1", read_only=True)
    assert [problem.code for problem in report.diagnostics] == ["forbidden_option"]
    assert report.access == "admin"


@pytest.mark.parametrize(
    "prefix", ["CYPHER 5", "cypher 25", "CYPHER planner=cost runtime=slotted", "PROFILE CYPHER 5 replan=skip", "CYPHER"]
)
def test_a_version_and_the_options_on_the_list_are_allowed(prefix: str) -> None:
    assert validate(f"{prefix} MATCH (n) RETURN n LIMIT 1", read_only=True).valid


def test_the_list_of_procedures_contains_no_writing_and_no_administrative_procedure() -> None:
    modes = {name: PROCEDURES[name].mode for name in PROCEDURES if name.lower() in PROCEDURES_ALLOWED}
    assert set(modes.values()) == {"read"}
    assert not any(
        part in name
        for name in PROCEDURES_ALLOWED | FUNCTIONS_ALLOWED
        for part in (".load", ".export", ".import", ".cypher.run", "periodic", "trigger", "search")
    )


def test_a_show_command_is_classified_by_its_object_and_not_by_names_of_users_or_databases() -> None:
    for text in ("SHOW INDEXES", "SHOW ALL CONSTRAINTS YIELD name", "SHOW USER DEFINED FUNCTIONS", "SHOW PROCEDURES"):
        assert validate(text, read_only=True).valid, text
    for text in (
        "SHOW USER indexes PRIVILEGES",
        "SHOW ROLE functions PRIVILEGES AS COMMANDS",
        "SHOW DATABASE indexes",
        "SHOW SETTING procedures",
        "SHOW ALIAS constraints FOR DATABASE",
        "SHOW TRANSACTIONS 'indexes'",
    ):
        assert not validate(text, read_only=True).valid, text
