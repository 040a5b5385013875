"""No text takes long to check, whatever its form, and the time grows at most linearly with its length."""

import gc
from collections.abc import Iterator
from time import thread_time

import pytest

from graphground.cypher import validate
from graphground.cypher.diagnostics import Report
from graphground.cypher.work import MOST_FINDINGS, SECONDS, TooMuchWork, bounded, check_work
from tests.support.embedded_films import SCHEMA
from tests.support.time_shapes import SHAPES

SLACK = 0.1
"""The maximum number of seconds between two checks of the time limit."""
QUICK = 0.2
"""A text of 100 kB that takes fewer seconds than this is not compared with a shorter one."""


@pytest.fixture(autouse=True)
def few_collections() -> Iterator[None]:
    """Collect garbage as rarely as the server does, so that a collection does not count as time of a stage."""
    before = gc.get_threshold()
    gc.set_threshold(100_000, 20, 50)
    yield
    gc.set_threshold(*before)


def checked(text: str, language: str = "cypher5") -> tuple[float, Report]:
    begun = thread_time()
    report = validate(text, SCHEMA, language=language, read_only=True)  # type: ignore[arg-type]
    return thread_time() - begun, report


@pytest.mark.parametrize("shape", SHAPES)
def test_a_text_of_20_kB_is_checked_quickly(shape: str) -> None:
    taken, report = checked(SHAPES[shape](20_000))
    assert taken < SECONDS + SLACK
    assert len(report.diagnostics) <= 3 * MOST_FINDINGS + 10


@pytest.mark.slow
@pytest.mark.parametrize("shape", SHAPES)
def test_the_time_grows_at_most_linearly_with_the_length_of_a_text(shape: str) -> None:
    long, report = checked(SHAPES[shape](100_000))
    if long >= QUICK:  # on a busy machine, the better of two measurements
        long, report = min((long, report), checked(SHAPES[shape](100_000)), key=lambda pair: pair[0])
    refused = [diagnostic.code for diagnostic in report.diagnostics] == ["too_complex"]
    assert long < SECONDS + SLACK
    assert refused or long < QUICK or long < 8 * min(checked(SHAPES[shape](25_000))[0] for _ in range(3))


@pytest.mark.slow
@pytest.mark.parametrize("shape", SHAPES)
def test_a_text_of_100_kB_is_checked_as_fast_in_cypher_25(shape: str) -> None:
    assert checked(SHAPES[shape](100_000), "cypher25")[0] < SECONDS + SLACK


def test_a_stage_that_takes_too_long_ends_with_a_readable_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("graphground.cypher.api.bounded", lambda: bounded(-1.0))
    report = validate("MATCH (n:Film) WHERE n.a = 1 RETURN n.name", SCHEMA, read_only=True)
    assert not report.valid
    assert [diagnostic.code for diagnostic in report.diagnostics] == ["too_complex"]
    assert "break it into several queries" in report.diagnostics[0].message


def test_the_time_limit_applies_only_inside_its_block() -> None:
    with bounded(-1.0), pytest.raises(TooMuchWork):
        check_work()
    check_work()


def test_the_outer_time_limit_applies() -> None:
    with bounded(-1.0), bounded(100.0), pytest.raises(TooMuchWork):
        check_work()


@pytest.mark.parametrize(
    "literal",
    ["9" * 4_301, "9" * 20_000, "0x" + "f" * 9_000, "0o" + "7" * 9_000, "1_" * 4_400 + "1", "-" + "9" * 5_000],
)
@pytest.mark.parametrize(
    "text",
    [
        "RETURN {}",
        "MATCH (n) RETURN n LIMIT {}",
        "MATCH (a)-[*1..{}]->(b) RETURN a",
        "MATCH (n:Film) WHERE n.runtime_minute = {} RETURN n",
        "RETURN [1][{}]",
    ],
)
def test_an_integer_of_many_digits_causes_a_readable_error(text: str, literal: str) -> None:
    report = validate(text.format(literal), SCHEMA, read_only=True)
    assert not report.valid
    assert all(
        len(diagnostic.message) < 1_000 for diagnostic in report.diagnostics if diagnostic.code == "invalid_literal"
    )


def test_a_list_of_a_thousand_names_is_not_an_error() -> None:
    names = ", ".join(f"'Name {number}'" for number in range(1_000))
    assert validate(f"MATCH (p:Person) WHERE p.name IN [{names}] RETURN p.name", SCHEMA, read_only=True).valid
