"""Importing Parquet files and data frames: like CSV, but with the types of the columns."""

import datetime
import decimal
import re
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow
import pyarrow.parquet
import pytest

from graphground.graphs.loading.importing.from_python import import_frames, infer_frames
from graphground.graphs.loading.importing.mapping import import_folder, infer, read_mapping, write_mapping
from graphground.graphs.loading.importing.records import ImportRefused
from graphground.graphs.loading.importing.tables import open_table
from tests.support.films import FILMS_MAPPING
from tests.support.simplekg_files import checked

Columns = dict[str, Any]
MOVIES: Columns = {
    "movieId": ["m1", "m2", "m3"],
    "title": ["Heat", "Alien, the film", "Ran"],
    "released": [datetime.date(1995, 12, 15), datetime.date(1979, 5, 25), None],
    "runtime": [170.0, 117.5, None],
    "zip code": ["00501", "01234", None],
    "director_id": ["p1", "p2", None],
}
PEOPLE: Columns = {
    "id": ["p1", "p2", "p3"],
    "name": ["Michael Mann", "Ridley Scott", "Al Pacino"],
    "born": [1943, 1937, 1940],
    "alive": [True, True, True],
}
ACTED_IN: Columns = {"person": ["p3", "p3"], "movie": ["m1", "m1"], "role": ["Vincent Hanna", None]}
FILMS = {"movies": MOVIES, "people": PEOPLE, "acted_in": ACTED_IN}


def parquet_folder(place: Path, **changed: Columns) -> Path:
    """Write the films as a folder of Parquet files; `changed` replaces or adds whole tables."""
    for name, columns in {**FILMS, **changed}.items():
        pyarrow.parquet.write_table(pyarrow.table(columns), place / f"{name}.parquet", row_group_size=2)
    return place


def imported(place: Path) -> dict[str, Any]:
    import_folder(place, infer(place, "films"), place / "graph.json")
    return checked(place / "graph.json")


def csv_folder(place: Path) -> Path:
    def text(cell: Any) -> str:
        if cell is None:
            return ""
        return str(cell).lower() if isinstance(cell, bool) else f'"{cell}"' if "," in str(cell) else str(cell)

    for name, columns in FILMS.items():
        rows = [",".join(columns), *(",".join(map(text, row)) for row in zip(*columns.values(), strict=True))]
        (place / f"{name}.csv").write_text("\n".join(rows) + "\n", "utf-8")
    return place


def test_parquet_gives_the_same_graph_as_csv(tmp_path: Path) -> None:
    places = [tmp_path / "parquet", tmp_path / "csv"]
    for place in places:
        place.mkdir()
    graph = imported(parquet_folder(places[0]))
    assert graph == imported(csv_folder(places[1]))
    assert len(graph["relations"]) == 4
    shown, of_csv = (write_mapping(infer(place, "films")) for place in places)
    assert shown.replace(".parquet", ".csv") == of_csv
    (tmp_path / "films.toml").write_text(shown, "utf-8")
    assert read_mapping(tmp_path / "films.toml") == infer(places[0], "films")


def test_labels_are_read_from_a_column_of_lists_or_of_texts(tmp_path: Path) -> None:
    for labels in ([["Actor", "Director"], None, []], ["Actor;Director", None, ""]):
        parquet_folder(tmp_path, people={**PEOPLE, ":LABEL": labels})
        people = [entity for entity in imported(tmp_path)["entities"] if entity["label"] == "Person"]
        assert [entity.get("labels") for entity in people] == [["Actor", "Director", "Person"], None, None]


def test_csv_and_parquet_can_be_in_one_folder(tmp_path: Path) -> None:
    csv_folder(tmp_path)
    pyarrow.parquet.write_table(pyarrow.table(PEOPLE), tmp_path / "people.parquet")
    with pytest.raises(ImportRefused, match=r"people.parquet: its label would be 'Person', like the label of people"):
        infer(tmp_path, "films")
    (tmp_path / "people.csv").unlink()
    assert len(imported(tmp_path)["relations"]) == 4


def test_a_single_file_and_a_folder_of_parts_are_tables(tmp_path: Path) -> None:
    folder = tmp_path / "movies.parquet"
    folder.mkdir()
    for number in range(3):
        part = {name: cells[number : number + 1] for name, cells in MOVIES.items() if name in ("movieId", "title")}
        pyarrow.parquet.write_table(pyarrow.table(part), folder / f"part-{number}.parquet")
    mapping = infer(folder)
    assert mapping.name == "movies"
    assert import_folder(tmp_path, mapping, tmp_path / "graph.json") == (3, 0)
    pyarrow.parquet.write_table(pyarrow.table({"movieId": [4], "title": ["Ran"]}), folder / "part-9.parquet")
    with pytest.raises(
        ImportRefused, match=r"the columns of part-9.parquet differ in name or type from those of part-0.parquet"
    ):
        infer(folder)


def data_frame(columns: Columns) -> Any:
    import pandas  # here, because each process of a run imports this module, and one runs it

    return pandas.DataFrame(columns)


def lazy_frame(columns: Columns) -> Any:
    import polars

    return polars.LazyFrame(columns)


@pytest.mark.parametrize("make", [data_frame, lazy_frame, pyarrow.table], ids=["pandas", "lazy polars", "arrow"])
def test_data_frames_give_the_same_graph_as_files(make: Callable[[Columns], Any], tmp_path: Path) -> None:
    frames = {name: make(columns) for name, columns in FILMS.items()}
    mapping = infer_frames(frames, "films")
    assert mapping.nodes["Movie"].file == "movies"
    assert import_frames(frames, "films", tmp_path / "films.json") == (6, 4)
    parquet_folder(tmp_path)
    assert checked(tmp_path / "films.json") == imported(tmp_path)


def test_each_column_type_becomes_a_property_type(tmp_path: Path) -> None:
    day, time = datetime.date(1995, 12, 15), datetime.datetime(1995, 12, 15, 20, 30)
    cells = {
        "id": pyarrow.array([7], pyarrow.int32()),
        "name": pyarrow.array(["00501"]).dictionary_encode(),
        "whole": pyarrow.array([2**40], pyarrow.uint64()),
        "real": pyarrow.array([1.5], pyarrow.float32()),
        "price": pyarrow.array([decimal.Decimal("9.90")], pyarrow.decimal128(9, 2)),
        "exact": pyarrow.array([decimal.Decimal("12345678901234567890.12")], pyarrow.decimal128(38, 2)),
        "digits": pyarrow.array(["12"], pyarrow.large_string()),
        "yes": pyarrow.array([False]),
        "day": pyarrow.array([day], pyarrow.date64()),
        "time": pyarrow.array([1_000_000_000_000_000_001], pyarrow.timestamp("ns")),
        "zoned": pyarrow.array([time], pyarrow.timestamp("ms", "Europe/Berlin")),
        "genres": pyarrow.array([["a; b", "c"]]),
        "scores": pyarrow.array([[1, None, 3]], pyarrow.large_list(pyarrow.int64())),
        "days": pyarrow.array([[day]]),
        "nested": pyarrow.array([{"x": 1}]),
        "length": pyarrow.array([datetime.timedelta(minutes=3)]),
        "nothing": pyarrow.array([None], pyarrow.null()),
        "not_a_number": pyarrow.array([float("nan")]),
        "no_parts": pyarrow.array([[]], pyarrow.list_(pyarrow.string())),
    }
    pyarrow.parquet.write_table(pyarrow.table(cells), tmp_path / "things.parquet")
    graph = imported(tmp_path)
    (entity,) = graph["entities"]
    assert (entity["eid"], entity["name"]) == ("Thing#7", "00501")
    assert entity["properties"] == {
        "whole": 2**40,
        "real": 1.5,
        "price": 9.9,
        "exact": "12345678901234567890.12",
        "digits": "12",
        "yes": False,
        "day": "1995-12-15",
        "id": 7,
        "time": "2001-09-09T01:46:40.000000001",
        "zoned": "1995-12-15T21:30:00+01:00[Europe/Berlin]",
        "genres": ["a; b", "c"],
        "scores": [1, 3],
        "days": ["1995-12-15"],
        "nested": '{"x": 1}',
        "length": "0:03:00",
    }
    (label,) = graph["schema"]["entities"]
    assert label["properties"]["scores"] == "list[int]"
    assert label["properties"]["zoned"] == "datetime"


def test_ids_that_pandas_turned_into_floats_are_restored(tmp_path: Path) -> None:
    frames = {
        "people": data_frame({"id": [1, 2], "name": ["a", "b"]}),
        "movies": data_frame({"id": [1, 2, 3], "title": ["x", "y", "z"], "personId": [2, None, 1]}),
    }
    assert frames["movies"]["personId"].dtype == float
    assert import_frames(frames, "films", tmp_path / "films.json") == (5, 2)


def test_a_mapping_reads_parquet_as_other_types(tmp_path: Path) -> None:
    cells: Columns = {"id": [1], "year": ["1995"], "tags": ["a; b"], "day": [datetime.datetime(1995, 12, 15)]}
    pyarrow.parquet.write_table(pyarrow.table({**cells, "aka": [["Hitze", None, " "]]}), tmp_path / "movies.parquet")
    (tmp_path / "m.toml").write_text(
        'name = "films"\n[nodes.Movie]\nfile = "movies.parquet"\nid = "id"\naliases = "aka"\n[nodes.Movie.properties]\n'
        'year = { column = "year", type = "int" }\ntags = { column = "tags", type = "list[str]" }\n'
        'day = { column = "day", type = "date" }\nnumber = { column = "id", type = "float" }\n',
        "utf-8",
    )
    import_folder(tmp_path, read_mapping(tmp_path / "m.toml"), tmp_path / "graph.json")
    (entity,) = checked(tmp_path / "graph.json")["entities"]
    assert entity["aliases"] == ["Hitze"]
    assert entity["properties"] == {"year": 1995, "tags": ["a", "b"], "day": "1995-12-15", "number": 1.0}


MAPPING = FILMS_MAPPING.replace(".csv", ".parquet").replace(".tsv", ".parquet").replace('title = "name"\n', "")
BROKEN: list[tuple[str, Columns, str]] = [
    ("movies", {"movieId": ["m1", None, "m3"]}, "movies.parquet, row 2: movieId is empty"),
    ("movies", {"released": [1995, 1979, None]}, "movies.parquet, row 1: released: '1995' is not a value of type date"),
    (
        "movies",
        {"runtime": [170.0, float("inf"), None]},
        "movies.parquet, row 2: runtime: 'inf' is not a finite number",
    ),
    ("movies", {"title": [b"ok", b"M\xfcller", b"ok"]}, "movies.parquet: title cannot be read after row 0"),
    ("people", {"born": [1943, 1937.5, 1940]}, "people.parquet, row 2: born: '1937.5' is not a 64-bit whole number"),
    ("acted_in", {"movie": [None, "m1"]}, "acted_in.parquet, row 1: movie is empty"),
    ("acted_in", {"movie": [1, 2]}, "acted_in.parquet, row 1: movie '1' is not the id of any Movie"),
]


@pytest.mark.parametrize(("file", "columns", "message"), BROKEN)
def test_broken_rows_are_refused_with_their_number_and_nothing_is_written(
    file: str, columns: Columns, message: str, tmp_path: Path
) -> None:
    for name, cells in columns.items():
        if type(cells[0]) is bytes:
            columns = {**columns, name: pyarrow.array(cells, pyarrow.binary()).view(pyarrow.string())}
    parquet_folder(tmp_path, **{file: {**FILMS[file], **columns}})
    (tmp_path / "mapping.toml").write_text(MAPPING, "utf-8")
    with pytest.raises(ImportRefused) as refused:
        import_folder(tmp_path, read_mapping(tmp_path / "mapping.toml"), tmp_path / "graph.json")
    assert any(message in problem for problem in refused.value.problems), refused.value.problems
    assert not (tmp_path / "graph.json").exists()


def file_of(columns: Columns) -> bytes:
    sink = pyarrow.BufferOutputStream()
    pyarrow.parquet.write_table(pyarrow.table(columns), sink, compression="snappy")
    return sink.getvalue().to_pybytes()


def damaged_page() -> bytes:
    """Return a file whose footer is valid and whose data are damaged."""
    body = bytearray(file_of({"id": [f"item {number * 7919 % 1009}" for number in range(1000)]}))
    body[40:-600] = bytes(len(body) - 640)
    return bytes(body)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (bytes, "a.parquet: not a Parquet file that can be read"),
        (lambda: file_of(PEOPLE)[:-100], "a.parquet: not a Parquet file that can be read"),
        (damaged_page, "a.parquet: cannot be read after row"),
        (lambda: file_of({}), "a.parquet: it has no columns"),
        (lambda: file_of({"id": [1, 1]}), "a.parquet, row 2: id '1' appears a second time"),
        (lambda: file_of({"id": [], "name": []}), None),
    ],
)
def test_a_file_that_is_not_parquet_is_refused(
    content: Callable[[], bytes], message: str | None, tmp_path: Path
) -> None:
    (tmp_path / "a.parquet").write_bytes(content())
    if message is None:
        assert import_folder(tmp_path, infer(tmp_path, "films"), tmp_path / "graph.json") == (0, 0)
        return
    with pytest.raises(ImportRefused, match=re.escape(message)):
        infer(tmp_path, "films")


def test_a_column_that_is_named_twice_is_refused(tmp_path: Path) -> None:
    table = pyarrow.Table.from_arrays([pyarrow.array([1]), pyarrow.array([2])], names=["id", "id"])
    pyarrow.parquet.write_table(table, tmp_path / "a.parquet")
    with pytest.raises(ImportRefused, match="the column 'id' is named twice"):
        infer(tmp_path, "films")


@pytest.mark.parametrize(
    ("frame", "message"),
    [
        (7, "people: not a frame that can be read"),
        ({"id": [1], "name": [1, 2]}, "people: not a frame that can be read"),
        (partial(data_frame, {"id": ["a", 1, {"x": 2}]}), "people: not a frame that can be read"),
        (partial(data_frame, {"id": [1, 1]}), "people, row 2: id '1' appears a second time; row 1 has it too"),
    ],
)
def test_data_frames_that_cannot_be_read_are_refused(frame: Any, message: str, tmp_path: Path) -> None:
    with pytest.raises(ImportRefused, match=message):
        import_frames({"people": frame() if callable(frame) else frame}, "people", tmp_path / "people.json")
    assert not (tmp_path / "people.json").exists()


def test_a_mapping_that_names_another_frame_is_refused(tmp_path: Path) -> None:
    frames = {"people": data_frame({"id": [1]})}
    mapping = infer_frames(frames, "films")
    with pytest.raises(ImportRefused, match="there is no frame 'people'; known frames: persons"):
        import_frames({"persons": frames["people"]}, mapping, tmp_path / "films.json")


def test_without_the_extra_parquet_the_error_contains_the_install_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "graphground.graphs.loading.importing.arrow_tables", None)
    with pytest.raises(ImportRefused, match=r"bootstrap.py install --extra parquet"):
        open_table(tmp_path / "a.parquet")
    monkeypatch.setattr("graphground.__file__", str(tmp_path / "graphground" / "__init__.py"))  # installed with pip
    with pytest.raises(ImportRefused, match=re.escape("pip install 'graphground[parquet]'")):
        infer_frames({"people": data_frame({"id": [1]})}, "people")


def test_importing_csv_does_not_load_pyarrow() -> None:
    code = (
        "import sys, graphground.graphs.loading.importing.mapping, graphground.graphs.loading.importing.from_python;"
        "sys.exit('pyarrow' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], timeout=60, check=False).returncode == 0
