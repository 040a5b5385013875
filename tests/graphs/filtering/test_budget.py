import pytest

from graphground.graphs.filtering.selection import LeftOut


@pytest.mark.parametrize(
    ("left_out", "texts"),
    [
        (LeftOut(properties=1, patterns=1), ["1 property", "1 relationship pattern"]),
        (LeftOut(properties=1_970, patterns=2), ["1,970 properties", "2 relationship patterns"]),
        (LeftOut(("A", "B"), ("T", "U")), ["A", "… and 1 more label", "T", "… and 1 more relationship type"]),
        (LeftOut(tuple("ABC"), ("T",), patterns=1), ["A", "… and 2 more labels", "T"]),
    ],
)
def test_the_parts_left_out_are_named_or_counted_in_the_singular_and_the_plural(
    left_out: LeftOut, texts: list[str]
) -> None:
    assert left_out.names(1) == texts
