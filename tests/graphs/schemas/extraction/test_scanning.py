"""A schema read page by page, whose reading ends at the time limit."""

from types import SimpleNamespace
from typing import Any, cast

import pytest

from graphground.graphs.engines.engine import QueryTimeout
from graphground.graphs.schemas.extraction.extract import paged


@pytest.mark.parametrize(
    ("variable", "pages", "message"),
    [
        ("n", 1, "properties of Person: only the first 20,000 nodes were read"),
        ("r", 2, "properties of Person: only the first 40,000 relationships were read"),
        ("n", 0, "properties of Person: no nodes were read in time"),
    ],
)
def test_a_partial_reading_is_reported_with_what_was_read(variable: str, pages: int, message: str) -> None:
    problems: list[str] = []
    left = pages

    def must(query: str) -> list[list[Any]]:
        nonlocal left
        left -= 1
        if left < 0:
            raise QueryTimeout("too long")
        return [["name", "STRING"]]

    steps = SimpleNamespace(
        time_left=lambda: 10.0, step_timeout=10.0, must=must, findings=SimpleNamespace(add_problem=problems.append)
    )
    paged(cast(Any, steps), "properties of Person", f"MATCH ({variable})", variable, "")
    assert problems == [message]
