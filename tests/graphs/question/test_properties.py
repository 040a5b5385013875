import json
from contextlib import closing
from pathlib import Path

import pytest

from graphground.graphs.graph import Graph
from graphground.graphs.loading.importing.property_graph import file_source, import_records
from graphground.graphs.loading.load import load_file
from graphground.graphs.opening.stored import open_stored
from graphground.graphs.question.properties import profile, properties_of, title_of
from graphground.graphs.question.read import quantities_in, read
from graphground.graphs.storage.home import Home
from graphground.graphs.suggestions.suggest import suggest


@pytest.mark.parametrize(
    ("type_", "values", "form", "value", "marks"),
    [
        ("str", ["Bananas", "Coffee, roasted"], "text", "{}", ()),
        ("str", ["A0.01", "B2.17"], "code", "{}", ()),
        ("str", ["141,136", "9,120"], "number", "toFloat(replace({}, ',', ''))", ()),
        (
            "str",
            ["892.000", "1.200.000", "N/A"],
            "number",
            "toFloat(replace(replace({}, '.', ''), ',', '.'))",
            ("N/A",),
        ),
        ("str", ["527 kg", "1,200 kg"], "number", "toFloat(replace(replace({}, ' kg', ''), ',', ''))", ()),
        ("str", ["115,50", "9,00"], "number", "toFloat(replace({}, ',', '.'))", ()),
        ("str", ["2019-01-31", "2020-02-29", ""], "iso", "{}", ("",)),
        ("date|str", ["N/A", "2020-02-29"], "date", "{}", ("N/A",)),
        ("str", ["Y", "N", "N"], "flag", "{}", ()),
        ("int", [1998, 2004], "year", "{}", ()),
        ("int", [919468800000, 1671062400000], "epoch", "{}", ()),
        ("int", [3, 250000], "number", "{}", ()),
        ("int", list(range(1200, 1230)), "number", "{}", ()),
    ],
)
def test_values_tell_what_a_property_holds(
    type_: str, values: list[object], form: str, value: str, marks: tuple[str, ...]
) -> None:
    found = profile("key", type_, values)
    assert (found.form, found.value, found.marks) == (form, value, marks)
    assert found.truths == (("Y", "N") if form == "flag" else ())


@pytest.mark.parametrize(
    ("values", "question", "condition"),
    [
        (["31.10.2020", "04.11.2021"], "in 2021", "n.key ENDS WITH '2021'"),
        (["31.10.2020", "04.11.2021"], "before 2021", "toInteger(right(n.key, 4)) < 2021"),
        (["2020-10-03", "2021-11-04"], "after 2020", "n.key >= '2021-01-01'"),
        ([1609459200000, 1640995200000], "before 2021", "n.key < 1609459200000"),
        ([1609459200000, 1640995200000], "in 2021", "(n.key >= 1609459200000 AND n.key < 1640995200000)"),
        (["2020/10/03", "2021/11/04"], "since 2021-03-01", "n.key >= '2021/03/02'"),
        (
            ["2020-10-03T10:00:00", "2021-11-04T09:30:00"],
            "on 2021-11-04",
            "(n.key >= '2021-11-04' AND n.key < '2021-11-05')",
        ),
        ([20201003, 20211104], "in 2021", "(n.key >= 20210101 AND n.key < 20220101)"),
        (["Oct 3, 2020", "Nov 14, 2021", "May 1, 2022"], "before 2021", "toInteger(right(n.key, 4)) < 2021"),
        (["1,200 kg", "800 kg"], "over 900", "toFloat(replace(replace(n.key, ' kg', ''), ',', '')) > 900"),
        (["1,200 kg", "800 kg"], "in 2021", None),
        (["31/10/2020 22:00", "04/11/2021 08:30"], "in 2021", "toInteger(substring(n.key, 6, 4)) = 2021"),
        (["11/2025", "03/2026"], "before 2026", "toInteger(right(n.key, 4)) < 2026"),
        (["2020-10-03", "9999-12-31"], "on 9999-12-31", "n.key = '9999-12-31'"),
    ],
)
def test_numbers_and_years_are_compared_in_the_form_of_the_property(
    values: list[object], question: str, condition: str | None
) -> None:
    (quantity,) = quantities_in(question)
    found = profile("key", "str" if isinstance(values[0], str) else "int", values)
    assert next(found.compare(quantity, "n"), None) == condition


def test_a_text_that_repeats_names_a_node_less_than_a_unique_code() -> None:
    maker = profile("maker", "str", ["Airbus", "Airbus", "Boeing", "Embraer", "Boeing"])
    assert maker.naming < profile("designation", "str", ["A320", "A321neo", "B737-800", "E195", "B747"]).naming


def test_a_text_for_no_value_makes_an_open_end() -> None:
    left = profile("left", "date|str", ["N/A", "", "2020-02-29"])
    assert left.is_open("n") == "n.left IN ['', 'N/A']"
    assert left.is_open("n", filled=True) == "NOT n.left IN ['', 'N/A']"


def test_a_name_is_preferred_to_a_code_and_to_a_copy_of_the_id() -> None:
    code = profile("hs_code", "str", ["0803", "0901"])
    days = profile("opened", "str", ["1/31/20", "2/1/20", "10/2/21"])
    assert code.naming > days.naming
    words = profile("descr", "str", ["Bananas", "Coffee"])
    copied = profile("name", "str", ["com273", "com274"], True)
    assert max((code, words, copied), key=lambda its: its.naming) is words


def test_the_property_that_names_nodes_is_the_name(film_graph: Graph) -> None:
    assert title_of(film_graph, "Film") == "name"
    assert title_of(film_graph, "NoSuchLabel") == "name"
    assert properties_of(film_graph, "Film")["runtime_minute"].form == "number"


def test_a_property_that_repeats_the_name_is_not_asked_of_a_named_node(films_home: Home, tmp_path: Path) -> None:
    ships = [
        {"type": "node", "id": f"s{year}", "labels": ["Ship"], "properties": {"ship_name": name, "built": year}}
        for name, year in (("Nordlys", 1998), ("Havbris", 2004), ("Kvitnes", 1985))
    ]
    (tmp_path / "ships.jsonl").write_text("\n".join(map(json.dumps, ships)), "utf-8")
    import_records(file_source(tmp_path / "ships.jsonl"), "ships", tmp_path / "ships.json")
    load_file(tmp_path / "ships.json", films_home, name="ships")
    with closing(open_stored("ships", films_home)) as graph:
        suggested = suggest(graph, read("Which ship is Nordlys?", graph))
    asked = {its.candidate.form.key for its in suggested if "'Nordlys'" in its.cypher}
    assert ("built" in asked, "ship_name" in asked) == (True, False)
