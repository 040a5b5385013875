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
"""If checking a text of 100 kB takes fewer seconds, its time is not compared with that of a shorter text. For other
lengths, the limit is proportional to the length."""


@pytest.fixture(autouse=True)
def few_collections() -> Iterator[None]:
    """Collect garbage as rarely as the server does, so that times of stages seldom include a collection."""
    before = gc.get_threshold()
    gc.set_threshold(100_000, 20, 50)
    yield
    gc.set_threshold(*before)


def checked(text: str, language: str = "cypher5") -> tuple[float, Report]:
    start = thread_time()
    report = validate(text, SCHEMA, language=language, read_only=True)  # type: ignore[arg-type]
    return thread_time() - start, report


def best(text: str) -> float:
    """Return the least of three times for checking a text, in seconds."""
    return min(checked(text)[0] for _ in range(3))


@pytest.mark.parametrize("shape", SHAPES)
def test_a_text_of_20_kB_is_checked_quickly(shape: str) -> None:
    taken, report = checked(SHAPES[shape](20_000))
    assert taken < SECONDS + SLACK
    assert len(report.diagnostics) <= 3 * MOST_FINDINGS + 10


@pytest.mark.slow
@pytest.mark.parametrize("size", [50_000, pytest.param(100_000, marks=pytest.mark.long)], ids=["50_kB", "100_kB"])
@pytest.mark.parametrize("shape", SHAPES)
def test_the_time_grows_at_most_linearly_with_the_length_of_a_text(shape: str, size: int) -> None:
    text, quarter = SHAPES[shape](size), SHAPES[shape](size // 4)
    long, report = checked(text)
    refused = [diagnostic.code for diagnostic in report.diagnostics] == ["too_complex"]
    assert long < SECONDS + SLACK
    if not refused and long >= QUICK * size / 100_000:
        # On a busy machine, a first comparison that fails is repeated with the best of three measurements.
        assert long < 8 * best(quarter) or best(text) < 8 * best(quarter)


@pytest.mark.slow
@pytest.mark.parametrize("size", [20_000, pytest.param(100_000, marks=pytest.mark.long)], ids=["20_kB", "100_kB"])
@pytest.mark.parametrize("shape", SHAPES)
def test_a_text_in_cypher_25_is_checked_quickly_too(shape: str, size: int) -> None:
    assert checked(SHAPES[shape](size), "cypher25")[0] < SECONDS + SLACK


def test_a_stage_that_takes_too_long_ends_with_a_readable_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("graphground.cypher.api.bounded", lambda: bounded(-1.0))
    report = validate("MATCH (n:Film) WHERE n.a = 1 RETURN n.name", SCHEMA, read_only=True)
    assert not report.valid
    assert [diagnostic.code for diagnostic in report.diagnostics] == ["too_complex"]
    assert "break it into several queries" in report.diagnostics[0].message


@pytest.mark.parametrize(("length", "valid"), [(100, True), (3_000, False)])
def test_the_check_of_a_short_text_that_reaches_the_limit_is_repeated_once(
    length: int, valid: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    limits = iter([-1.0, 100.0])
    monkeypatch.setattr("graphground.cypher.api.bounded", lambda: bounded(next(limits)))
    text = "MATCH (n:Film) RETURN n.name AS name LIMIT 1".ljust(length)
    assert validate(text, SCHEMA, read_only=True).valid is valid


def test_the_time_limit_applies_only_inside_its_block() -> None:
    with bounded(-1.0), pytest.raises(TooMuchWork):
        check_work()
    check_work()


def test_an_outer_time_limit_that_has_passed_applies_in_an_inner_block_too() -> None:
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


def test_a_list_of_a_thousand_names_causes_no_error() -> None:
    names = ", ".join(f"'Name {number}'" for number in range(1_000))
    assert validate(f"MATCH (p:Person) WHERE p.name IN [{names}] RETURN p.name", SCHEMA, read_only=True).valid
