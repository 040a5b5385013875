"""The work of checking a text grows at most linearly with its length, whatever its form, and ends at a limit."""

import pytest

from graphground.cypher import parse, validate
from graphground.cypher.safety.time_limit import MOST_FINDINGS, TooMuchWork, bounded, check_work
from graphground.cypher.semantics.checker import Checker
from graphground.cypher.semantics.clauses import check_clause
from graphground.cypher.tree import SingleQuery
from tests.support.embedded_films import SCHEMA
from tests.support.steps import count_steps
from tests.support.time_shapes import SHAPES

MAX_STEPS = 200
"""The maximum number of function calls for each character of a text."""


LONGER = {"lists_compared": (2_500, 10_000)}
"""The lengths to compare for texts of which only the longer ones reach a step that is taken once: a fix is offered
for a hundred findings, and checked like a query."""


@pytest.fixture
def unlimited(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lift the time limit, so that no text is cut short on a busy machine."""
    monkeypatch.setattr("graphground.cypher.api.bounded", lambda: bounded(1_000.0))


@pytest.mark.parametrize(
    "shape",
    [pytest.param(shape, marks=[pytest.mark.slow] if number % 4 else []) for number, shape in enumerate(SHAPES)],
)
def test_the_work_grows_at_most_linearly_with_the_length_of_a_text(shape: str, unlimited: None) -> None:
    short, long = map(SHAPES[shape], LONGER.get(shape, (1_000, 4_000)))
    report = validate(long, SCHEMA, read_only=True)
    assert len(report.diagnostics) <= 3 * MOST_FINDINGS + 10
    few, many = (count_steps(lambda text=text: validate(text, SCHEMA, read_only=True)) for text in (short, long))  # type: ignore[misc]
    # What is done once, such as importing a module for the first error, is not done again for the longer text.
    assert many <= 5 * few + 5_000
    assert many <= MAX_STEPS * len(long) + 20_000


@pytest.mark.long
@pytest.mark.parametrize("language", ["cypher5", "cypher25"])
@pytest.mark.parametrize("shape", SHAPES)
def test_the_work_for_a_text_of_20_kB_is_bounded_in_both_languages(shape: str, language: str, unlimited: None) -> None:
    text = SHAPES[shape](20_000)
    assert count_steps(lambda: validate(text, SCHEMA, language=language, read_only=True)) <= MAX_STEPS * len(text)  # type: ignore[arg-type]


def test_a_chain_of_with_all_does_not_copy_its_scope() -> None:
    query = parse("MATCH (n) " + " ".join(f"WITH *, 1 AS x{number}" for number in range(100)))
    assert isinstance(query.body, SingleQuery)
    checker, scopes = Checker(query), []
    for step in query.body.clauses:
        check_clause(checker, step)
        scopes.append(checker.scope)
    assert all(scope is scopes[0] for scope in scopes)
    assert len(scopes[0]) == 101


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
