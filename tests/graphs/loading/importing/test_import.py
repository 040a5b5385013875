"""Importing CSV folders: inference, conversion, and refusals with the line numbers."""

import gzip
import json
import re
from pathlib import Path
from typing import Any

import pytest

from graphground.graphs.loading.importing.mapping import import_folder, infer, read_mapping, write_mapping
from graphground.graphs.loading.importing.records import CellFormat, ColumnType, ImportRefused, reader_of
from tests.support.films import FILMS_MAPPING
from tests.support.simplekg_files import checked

FILES = {
    "movies.csv": "movieId,title,released,runtime,zip code,director_id\n"
    'm1,Heat,1995-12-15,170,00501,p1\nm2,"Alien, the film",1979-05-25,117.5,01234,p2\nm3,Ran,,,,\n',
    "people.csv": "id;name;born;alive\np1;Michael Mann;1943;true\np2;Ridley Scott;1937;true\np3;Al Pacino;1940;true\n",
    "acted_in.tsv": "person\tmovie\trole\np3\tm1\tVincent Hanna\np3\tm1\t\n",
}


def folder_of(place: Path, files: dict[str, str | bytes] | None = None) -> Path:
    for name, content in (FILES if files is None else files).items():
        (place / name).write_bytes(content.encode() if isinstance(content, str) else content)
    return place


def imported(place: Path, mapping: str | None = None) -> dict[str, Any]:
    """Import a folder and return its graph, checked against the graph's schema."""
    if mapping is not None:
        (place / "mapping.toml").write_text(mapping, "utf-8")
    read = read_mapping(place / "mapping.toml") if mapping is not None else infer(place, "films")
    counts = import_folder(place, read, place / "graph.json")
    graph = checked(place / "graph.json")
    assert counts == (len(graph["entities"]), len(graph["relations"]))
    return graph


def test_a_column_of_labels_gives_nodes_several_labels(tmp_path: Path) -> None:
    people = "id,name,born,_labels\np1,Mann,1943,Director\np2,Eastwood,1930,:Actor:Director\np3,Doe,,Person\np4,Roe,,\n"
    folder_of(tmp_path, {"people.csv": people, "knows.csv": "start,end\np1,p2\np2,p4\n"})
    graph = imported(tmp_path)
    expected = [["Director", "Person"], ["Actor", "Director", "Person"], None, None]
    assert [entity.get("labels") for entity in graph["entities"]] == expected
    assert graph["schema"]["label_combinations"] == [["Actor", "Director", "Person"], ["Director", "Person"]]
    assert {label["label"]: label["properties"] for label in graph["schema"]["entities"]} == {
        name: {"id": "str", "born": "int"} for name in ("Person", "Actor", "Director")
    }
    assert imported(tmp_path, write_mapping(infer(tmp_path, "films"))) == graph
    folder_of(tmp_path, {"people.csv": "id,name,_labels\np1,Mann,Director\np2,Roe,A~B\np4,Doe,\n"})
    with pytest.raises(ImportRefused, match="line 3: _labels: 'A~B' cannot be a label"):
        imported(tmp_path)


def test_a_mapping_is_inferred_from_a_folder_printed_read_back_and_used_for_the_import(tmp_path: Path) -> None:
    graph = imported(folder_of(tmp_path))
    assert (
        write_mapping(infer(tmp_path, "films"))
        == """\
name = "films"

[nodes.Movie]
file = "movies.csv"
id = "movieId"
title = "title"
[nodes.Movie.properties]
movieId = { column = "movieId", type = "str" }
title = { column = "title", type = "str" }
released = { column = "released", type = "date" }
runtime = { column = "runtime", type = "float" }
zip_code = { column = "zip code", type = "str" }

[nodes.Person]
file = "people.csv"
id = "id"
title = "name"
[nodes.Person.properties]
id = { column = "id", type = "str" }
born = { column = "born", type = "int" }
alive = { column = "alive", type = "bool" }

[[relationships]]
type = "hasDirector"
file = "movies.csv"
start = "Movie"
start_column = "movieId"
end = "Person"
end_column = "director_id"

[[relationships]]
type = "ACTED_IN"
file = "acted_in.tsv"
start = "Person"
start_column = "person"
end = "Movie"
end_column = "movie"
[relationships.properties]
role = { column = "role", type = "str" }
"""
    )
    assert imported(tmp_path, write_mapping(infer(tmp_path, "films"))) == graph
    nodes = {entity["eid"]: entity for entity in graph["entities"]}
    assert nodes["Movie#m1"]["properties"] == {
        "movieId": "m1",
        "title": "Heat",
        "released": "1995-12-15",
        "runtime": 170.0,
        "zip_code": "00501",
    }
    assert nodes["Movie#m2"]["name"] == "Alien, the film"
    assert nodes["Movie#m3"]["properties"] == {"movieId": "m3", "title": "Ran"}
    assert nodes["Person#p1"]["properties"] == {"id": "p1", "born": 1943, "alive": True}
    expected = {"Movie": ["name"], "Person": ["name"]}
    assert {label["label"]: label["reserved"] for label in graph["schema"]["entities"]} == expected
    assert [
        (relation["label"], relation["subj_id"], relation["obj_id"], relation["properties"])
        for relation in graph["relations"]
    ] == [
        ("hasDirector", "Movie#m1", "Person#p1", {}),
        ("hasDirector", "Movie#m2", "Person#p2", {}),
        ("ACTED_IN", "Person#p3", "Movie#m1", {"role": "Vincent Hanna"}),
        ("ACTED_IN", "Person#p3", "Movie#m1", {}),
    ]


def test_a_table_of_links_in_which_every_id_occurs_once_is_not_a_table_of_nodes(tmp_path: Path) -> None:
    folder_of(tmp_path, {**FILES, "acted_in.tsv": "person\tmovie\trole\np3\tm1\tVincent Hanna\n"})
    graph = imported(tmp_path)
    assert len(graph["entities"]) == 6
    assert [(relation["label"], relation["subj_id"]) for relation in graph["relations"]][-1] == (
        "ACTED_IN",
        "Person#p3",
    )


def test_a_mapping_can_rename_retype_and_split_lists(tmp_path: Path) -> None:
    folder_of(tmp_path, {"books.csv": "isbn,what,genres,aka,about\n0001,Dune,SF; novel,Der Wüstenplanet;D,sand\n"})
    graph = imported(
        tmp_path,
        'name = "books"\n[nodes.Book]\nfile = "books.csv"\nid = "isbn"\ntitle = "what"\n'
        'aliases = "aka"\ndescription = "about"\n[nodes.Book.properties]\n'
        'genres = { column = "genres", type = "list[str]" }\n',
    )
    assert graph["entities"] == [
        {
            "eid": "Book#0001",
            "label": "Book",
            "name": "Dune",
            "aliases": ["Der Wüstenplanet", "D"],
            "description": "sand",
            "properties": {"genres": ["SF", "novel"]},
            "provenance": [],
        }
    ]


def test_compressed_files_byte_order_marks_and_quoted_lines_are_read(tmp_path: Path) -> None:
    folder_of(tmp_path, {"movies.csv.gz": gzip.compress('\ufeffid,name\r\n1,"two\r\nlines"\r\n2,b\r\n'.encode())})
    assert [entity["name"] for entity in imported(tmp_path)["entities"]] == ["two\r\nlines", "b"]


@pytest.mark.parametrize(
    ("cells", "type_"),
    [
        (["1", "2", ""], "int"),
        (["007", "12"], "str"),
        (["1", "2.5"], "float"),
        (["1e5", "2"], "float"),
        (["1,5"], "str"),
        (["-0"], "float"),
        (["NaN"], "str"),
        (["true", "FALSE"], "bool"),
        (["yes", "no"], "str"),
        (["1995-12-15", ""], "date"),
        (["1995-13-01"], "str"),
        (["1995-12-15", "1995"], "str"),
        (["1995-12-15T10:00:00Z"], "datetime"),
        (["00.5"], "str"),
        (["123456789012345678.5"], "str"),
        (["1 "], "str"),
    ],
)
def test_types_are_inferred_without_loss_of_information(cells: list[str], type_: str) -> None:
    column = ColumnType()
    column.add(cells)
    assert column.name == type_
    read = reader_of(type_)
    for text in filter(None, cells):
        read(text)


BROKEN_DATA = [
    ("movies.csv", "170,00501,p1", "170,00501", "movies.csv, line 2: 5 cells where the header has 6"),
    ("people.csv", "p2;Ridley Scott;1937;true", "p2", "people.csv, line 3: 1 cell where the header has 4"),
    ("movies.csv", "m3,Ran", ",Ran", "movies.csv, line 4: movieId is empty"),
    ("movies.csv", "117.5", "NaN", "movies.csv, line 3: runtime: 'NaN' is not a number"),
    ("movies.csv", "117.5", "1e999", "movies.csv, line 3: runtime: '1e999' is not a number"),
    (
        "movies.csv",
        '"Alien, the film"',
        '"Alien, the film',
        "movies.csv, line 3: not valid CSV: a quoted cell is not closed",
    ),
    ("movies.csv", "movieId,title", "movieId,movieId", "movies.csv, line 1: the column 'movieId' is named twice"),
    (
        "movies.csv",
        "movieId,title",
        "movieId,titel",
        "movies.csv: nodes.Movie: there is no column 'title'; the file's columns are",
    ),
    ("people.csv", "1943", "MCMXLIII", "people.csv, line 2: born: 'MCMXLIII' is not a 64-bit whole number"),
    ("people.csv", "1943", "99999999999999999999", "people.csv, line 2: born: '99999999999999999999' is not a 64-bit"),
    ("acted_in.tsv", "p3\tm1\tVin", "p9\tm1\tVin", "acted_in.tsv, line 2: person 'p9' is not the id of any Person"),
    ("acted_in.tsv", "p3\tm1\tVin", "\tm1\tVin", "acted_in.tsv, line 2: person is empty"),
    (
        "mapping.toml",
        '"date"',
        '"day"',
        "mapping.toml, line 7: nodes.Movie.properties.released.type: 'day' is not allowed; it must be",
    ),
    ("mapping.toml", 'end = "Movie"', 'end = "Film"', "relationships[0].end: there is no node table 'Film'"),
    ("mapping.toml", "[nodes.Movie]", "[nodes.Movie", "mapping.toml, line 2: not TOML"),
    (
        "mapping.toml",
        'title = "title"',
        'titel = "title"',
        "nodes.Movie.titel: is not a known key; did you mean 'title'?",
    ),
    (
        "mapping.toml",
        'name = "films"',
        'name = "9 films"',
        "name: '9 films' cannot be a graph's name: a name begins with a letter",
    ),
    ("mapping.toml", '"movieId"', "7", "mapping.toml, line 4: nodes.Movie.id: must be text, not 7"),
]


@pytest.mark.parametrize(("file", "old", "new", "message"), BROKEN_DATA)
def test_broken_data_is_refused_with_its_position_and_nothing_is_written(
    file: str, old: str, new: str, message: str, tmp_path: Path
) -> None:
    files: dict[str, str | bytes] = {**FILES, "mapping.toml": FILMS_MAPPING}
    content = files[file]
    assert isinstance(content, str)
    assert old in content
    files[file] = content.replace(old, new, 1)
    folder_of(tmp_path, files)
    with pytest.raises(ImportRefused) as refused:
        imported(tmp_path, str(files["mapping.toml"]))
    assert any(message in problem for problem in refused.value.problems), refused.value.problems
    assert not (tmp_path / "graph.json").exists()


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ({}, "has no file that ends in .csv"),
        ({"a.csv": "id,name\n1,a\n".encode("utf-16")}, "a.csv, line 1: not UTF-8"),
        ({"a.csv.gz": gzip.compress(b"id,name\n" + bytes(range(48, 58)) * 9000)[:-30]}, "damaged or cut off"),
        ({"a.csv.gz": b"id,name\n1,a\n"}, "damaged or cut off"),
        ({"a.csv": "id,name\n1,a\n", "b.csv": "x,y\n1,1\n1,1\n1,2\n"}, "b.csv: no id column (x has"),
        ({"a.csv": "id,y\n1,1\n2,1\n2,2\n"}, "a.csv, line 4: id '2' appears a second time; line 3 has it too"),
        ({"a.csv": "aId,y\n1,1\n2,3\n,2\n"}, "a.csv, line 4: aId is empty"),
    ],
)
def test_a_folder_from_which_no_mapping_can_be_inferred_is_refused(
    files: dict[str, str | bytes], message: str, tmp_path: Path
) -> None:
    with pytest.raises(ImportRefused, match=re.escape(message)):
        infer(folder_of(tmp_path, files))


def test_the_rows_of_a_single_file_without_ids_are_numbered_by_their_lines(tmp_path: Path) -> None:
    folder = folder_of(tmp_path, {"loans.csv": 'book,note,fee\nEmma,"two\nlines",1.5\nEmma,,\nPersuasion,,2\n'})
    mapping = infer(folder)
    loans = imported(folder, write_mapping(mapping))["entities"]
    assert [loan["eid"] for loan in loans] == ["Loan#2", "Loan#4", "Loan#5"]
    assert [loan["name"] for loan in loans] == ["Loan 2", "Loan 4", "Loan 5"]
    assert loans[0]["properties"] == {"book": "Emma", "note": "two\nlines", "fee": 1.5}


def test_a_missing_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ImportRefused, match="there is no file or folder"):
        infer(tmp_path / "nothing")


def test_all_invalid_rows_are_counted_and_the_first_are_shown(tmp_path: Path) -> None:
    folder_of(
        tmp_path,
        {
            **FILES,
            "people.csv": "id;name;born;alive\n" + "".join(f"p{number};x;never;true\n" for number in range(1, 501)),
        },
    )
    with pytest.raises(ImportRefused) as refused:
        imported(tmp_path, FILMS_MAPPING)
    assert refused.value.count == 500
    assert len(refused.value.problems) == 20
    assert "and 480 more" in str(refused.value)


def test_cells_in_other_forms_are_read_and_the_forms_stand_in_the_mapping(tmp_path: Path) -> None:
    cells = CellFormat("latin-1", ",", "d.m.yyyy", ("ja",), ("nein",))
    text = "id;preis;am;um;aktiv;stadt\n1;1.234,5;31.12.2020;31.12.2020 09:30;ja;Köln\n2;-0,5;1.2.2020;;nein;Bonn\n"
    folder_of(tmp_path, {"orte.csv": text.encode("latin-1")})
    mapping = infer(tmp_path, "orte", cells)
    import_folder(tmp_path, mapping, tmp_path / "graph.json")
    first, second = (entity["properties"] for entity in json.loads((tmp_path / "graph.json").read_bytes())["entities"])
    assert first == {
        "id": 1,
        "preis": 1234.5,
        "am": "2020-12-31",
        "um": "2020-12-31T09:30:00",
        "aktiv": True,
        "stadt": "Köln",
    }
    assert second == {"id": 2, "preis": -0.5, "am": "2020-02-01", "aktiv": False, "stadt": "Bonn"}
    (tmp_path / "orte.toml").write_text(write_mapping(mapping), "utf-8")
    assert read_mapping(tmp_path / "orte.toml") == mapping
    folder_of(tmp_path, {"orte.csv": text.replace("1.2.2020", "30.2.2020").encode("latin-1")})
    with pytest.raises(ImportRefused, match=r"line 3: am: '30.2.2020' is not a calendar day"):
        import_folder(tmp_path, infer(tmp_path, "orte", cells), tmp_path / "graph.json")


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"encoding": "klingon"}, "the encoding 'klingon' is not known"),
        ({"decimal": ";"}, "the decimal sign must be '.' or ','"),
        ({"dates": "dd.mm"}, "'dd.mm' is not the form of a date"),
    ],
)
def test_a_form_of_cells_that_does_not_exist_is_an_error(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(message)):
        CellFormat(**settings)


def test_only_a_mapping_that_leaves_out_the_ids_shows_eid_in_the_schema(tmp_path: Path) -> None:
    folder_of(tmp_path)
    mapping = infer(tmp_path, "films")
    assert mapping.schema_of_graph().labels["Movie"].reserved == {"name"}
    del mapping.nodes["Movie"].properties["movieId"]
    assert mapping.schema_of_graph().labels["Movie"].reserved == {"name", "eid"}
