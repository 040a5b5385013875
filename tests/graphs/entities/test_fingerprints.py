"""Two nodes have the same fingerprint only if all their texts are equal; their division into pages has no effect."""

import random
from typing import Any

import orjson

from graphground.graphs.entities.fingerprints import LONGEST, fingerprints
from graphground.graphs.entities.paging import Page

TEXTS = ["", "a", "A", "ab", "a\0", "\0", "Heat", "Heat 2", "東京", "Київ", "\ud800", "7", "[]", "x" * LONGEST]
VALUES = [*TEXTS, "x" * (LONGEST + 1), "x" * LONGEST + "y" + "x" * 9, 7, 7.5, True, [], [""], ["a", "b"], ["ab"]]


def page(rows: list[tuple[str, Any, Any]], **changed: Any) -> Page:
    keys, names, cities = zip(*rows, strict=True)
    columns = {"label": "Film", "name_property": "name", "alias_property": None, **changed}
    none = [""] * len(keys)
    return Page(keys=keys, names=names, aliases=none, descriptions=none, values={"city": cities}, **columns)


def test_nodes_have_equal_fingerprints_only_if_all_their_texts_are_equal() -> None:
    chosen = random.Random(5)
    rows = [(f"4:x:{number}", "Heat", "") for number in range(300)]
    rows += [(chosen.choice(TEXTS), chosen.choice(VALUES), chosen.choice(VALUES)) for _ in range(6_000)]
    numbers = fingerprints(page(rows)).tolist()
    seen: dict[int, bytes] = {}
    for row, number in zip(rows, numbers, strict=True):
        text = orjson.dumps([repr(value) for value in row])
        assert seen.setdefault(number, text) == text
    assert len(seen) == len({repr(row) for row in rows})


def test_fingerprints_do_not_depend_on_the_division_into_pages() -> None:
    rows = [(f"4:3fa9:{number}", f"Movie {number % 7}", "Oslo") for number in range(90)]
    whole = fingerprints(page(rows)).tolist()
    assert [number for first in range(0, 90, 7) for number in fingerprints(page(rows[first : first + 7]))] == whole
    assert fingerprints(page(rows[:1])).tolist() == whole[:1]


def test_fingerprints_depend_on_the_label_and_on_the_properties_that_are_read() -> None:
    rows = [("1", "Heat", "")]
    pages = [
        page(rows),
        page(rows, label="Movie"),
        page(rows, name_property="title"),
        page(rows, alias_property="alias"),
    ]
    assert len({int(fingerprints(its_page)[0]) for its_page in pages}) == 4
