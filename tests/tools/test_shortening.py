import copy
import json
from functools import reduce

from graphground.tools.execute_cypher import MAX_DEPTH, MAX_LIST_ITEMS, MAX_TEXT_CHARACTERS, shorten_rows


def test_short_values_are_unchanged() -> None:
    rows: list[list[object]] = [[None, True, 1.5, "a"], [["b", {"c": [1, {}]}]], [{"d": "x" * MAX_TEXT_CHARACTERS}], []]
    before = copy.deepcopy(rows)
    assert not shorten_rows(rows)
    assert rows == before


def test_a_long_text_states_its_length_at_any_depth() -> None:
    text = "x" * (MAX_TEXT_CHARACTERS + 1)
    rows: list[list[object]] = [[text, [text], {"properties": {"plot": text}}]]
    assert shorten_rows(rows)
    short = "x" * MAX_TEXT_CHARACTERS + "… (of 4,001 characters)"
    assert rows == [[short, [short], {"properties": {"plot": short}}]]


def test_a_shortened_list_states_its_number_of_items() -> None:
    rows: list[list[object]] = [[list(range(12_345))]]
    assert shorten_rows(rows)
    assert rows == [[[*range(MAX_LIST_ITEMS), "… (of 12,345 items)"]]]


def test_nested_lists_are_cut_off_at_a_depth_that_json_encoders_support() -> None:
    rows: list[list[object]] = [
        [reduce(lambda value, _: [value], range(900), 1)],
        [reduce(lambda value, _: {"a": value}, range(900), 1)],
    ]
    assert shorten_rows(rows)
    text = json.dumps(rows, ensure_ascii=False)
    assert text.count(f"… (nested deeper than {MAX_DEPTH} levels)") == 2
