"""The queries that the extraction sends."""

from graphground.graphs.schemas.extraction.findings import counting


def test_an_ordinary_label_is_counted_by_the_count_store() -> None:
    assert counting("Box Office") == "MATCH (n:`Box Office`) RETURN count(n) AS c"
