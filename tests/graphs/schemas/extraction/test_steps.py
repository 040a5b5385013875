"""Queries of the extraction: a label with an escape in its name is counted by a query that has one reading."""

import pytest

from graphground.cypher import parse
from graphground.graphs.engines.dialects import DIALECTS
from graphground.graphs.engines.sending import to_send
from graphground.graphs.schemas.extraction.steps import counting


@pytest.mark.parametrize("dialect", ["arcadedb", "neo4j"])
@pytest.mark.parametrize("name", [r"A\u0041", r"\u0060) DETACH DELETE n //", "\\\\u0027", "a`\\u0027'b", r"\U0001F600"])
def test_a_label_with_an_escape_in_its_name_is_counted(name: str, dialect: str) -> None:
    sent = to_send(DIALECTS[dialect], parse(counting(name))).text
    assert "\\u" not in sent
    assert sent.endswith("IN labels(n) RETURN count(n) AS c") or "\\u" not in name


def test_an_ordinary_label_is_counted_by_the_count_store() -> None:
    assert counting("Box Office") == "MATCH (n:`Box Office`) RETURN count(n) AS c"
