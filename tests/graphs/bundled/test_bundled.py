"""The bundled graphs as documents: their format, their bytes, their hash."""

import hashlib
import importlib.resources
import json
import shutil
import subprocess
import sys
import unicodedata
from pathlib import Path

import pytest

from graphground.cypher.schema import PropertyGraphSchema
from graphground.graphs import bundled
from graphground.graphs.bundled import BundledGraph, bundled_graph, bundled_graphs, open_bundled
from graphground.graphs.bundled import nba as nba_module
from graphground.graphs.bundled.tables import Row, TableError, feet_to_cm, parse_stint, pounds_to_kg, read_table, slug
from tests.support.shared_data import SHARED, needs

PYTHON_TYPES = {"str": str, "int": int, "float": float, "date": str}


def fits(value: object, type_: str) -> bool:
    if type_.startswith("list["):
        return isinstance(value, list) and bool(value) and all(fits(item, type_[5:-1]) for item in value)
    return type(value) is PYTHON_TYPES[type_]


def test_nba_is_the_only_bundled_graph():
    assert [graph.name for graph in bundled_graphs()] == ["nba"]


@pytest.mark.parametrize("graph", bundled_graphs(), ids=lambda graph: graph.name)
def test_the_counts_stated_before_a_load_are_correct(graph):
    document = graph.document()
    assert (graph.nodes, graph.relationships) == (len(document["entities"]), len(document["relations"]))


def test_an_unknown_name_is_refused_with_the_names_that_exist():
    with pytest.raises(KeyError, match="'soccer'; there are: nba"):
        open_bundled("soccer")


@pytest.mark.parametrize("graph", bundled_graphs(), ids=lambda graph: graph.name)
def test_the_same_tables_give_the_same_bytes_in_another_process(graph):
    code = (
        "import hashlib; from graphground.graphs.bundled import bundled_graph;"
        f"g = bundled_graph({graph.name!r});"
        "print(hashlib.sha256(g.open().read()).hexdigest(), g.content_hash)"
    )
    other = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
        env={"PYTHONHASHSEED": "7"},
    ).stdout.split()
    assert other == [hashlib.sha256(graph.open().read()).hexdigest(), graph.content_hash]


def test_a_changed_fact_changes_the_content_hash(monkeypatch, tmp_path):
    copied = tmp_path / "bundled"
    shutil.copytree(Path(__file__).parents[3] / "graphs" / "bundled", copied)
    nba = bundled_graph("nba")
    before = nba.content_hash
    monkeypatch.setattr(bundled, "files", lambda package: copied)
    assert BundledGraph("nba", "", nba.build, 0, 0).content_hash == before
    players = copied / "nba" / "players.csv"
    players.write_text(players.read_text(encoding="utf-8").replace("1984-12-30", "1984-12-31"), encoding="utf-8")
    assert BundledGraph("nba", "", nba.build, 0, 0).content_hash != before


@pytest.mark.parametrize(
    ("table", "old", "new", "message"),
    [
        ("players", ",6-9,", ",6-12,", r"^players\.csv line \d+: height_ft: '6-12' is not a height such as 6-9$"),
        ("careers", "CLE 2003", "CLE 03", r"^careers\.csv line \d+: drafted: 'CLE 03.*' is not a stint such as "),
    ],
)
def test_a_cell_that_cannot_be_parsed_is_reported_with_its_file_line_and_column(
    monkeypatch, tmp_path, table, old, new, message
):
    copied = tmp_path / "bundled"
    shutil.copytree(Path(__file__).parents[3] / "graphs" / "bundled", copied)
    file = copied / "nba" / f"{table}.csv"
    file.write_text(file.read_text(encoding="utf-8").replace(old, new, 1), encoding="utf-8")
    monkeypatch.setattr(nba_module, "files", lambda package: copied)
    with pytest.raises(TableError, match=message):
        nba_module.build()


@pytest.mark.parametrize("graph", bundled_graphs(), ids=lambda graph: graph.name)
def test_a_document_is_simplekg_that_fits_its_schema(graph):
    document = json.load(graph.open())
    schema = PropertyGraphSchema.from_cypherbench(document["schema"])
    labels, seen = {}, set()
    for entity in document["entities"]:
        assert list(entity) == ["eid", "label", "name", "aliases", "description", "properties", "provenance"]
        assert entity["eid"] not in labels
        assert entity["eid"].startswith(entity["label"] + "#")
        assert entity["name"], entity["eid"]
        assert entity["description"], entity["eid"]
        labels[entity["eid"]] = entity["label"]
        for key, value in entity["properties"].items():
            assert fits(value, schema.labels[entity["label"]].properties[key]), (entity["eid"], key, value)
    patterns = {(p.type, p.start, p.end): p for p in schema.patterns}
    for relation in document["relations"]:
        assert list(relation) == ["rid", "label", "subj_id", "obj_id", "properties", "provenance"]
        assert relation["rid"] not in seen
        seen.add(relation["rid"])
        pattern = patterns[relation["label"], labels[relation["subj_id"]], labels[relation["obj_id"]]]
        for key, value in relation["properties"].items():
            assert fits(value, pattern.properties[key]), (relation["rid"], key, value)
    assert {entity["label"] for entity in document["entities"]} == set(schema.labels)
    assert {relation["label"] for relation in document["relations"]} == set(schema.relationship_types)


@needs("schemas", "nba.json")
def test_the_schema_is_that_of_cypherbench():
    assert json.loads((SHARED / "schemas" / "nba.json").read_text()) == bundled_graph("nba").document()["schema"]


@pytest.mark.parametrize("graph", bundled_graphs(), ids=lambda graph: graph.name)
def test_every_text_is_nfc_and_trimmed(graph):
    text = graph.open().read().decode()
    assert unicodedata.normalize("NFC", text) == text

    def texts(value):
        if isinstance(value, str):
            yield value
        elif isinstance(value, dict | list):
            for item in value.values() if isinstance(value, dict) else value:
                yield from texts(item)

    for found in texts(json.loads(text)):
        assert found == " ".join(found.split()), found


@pytest.mark.parametrize("graph", bundled_graphs(), ids=lambda graph: graph.name)
def test_the_folder_of_a_bundled_graph_contains_the_licence(graph):
    folder = importlib.resources.files("graphground.graphs.bundled") / graph.name
    assert "CC0" in (folder / "LICENSE").read_text()


def test_a_table_line_with_an_extra_or_a_missing_cell_is_refused_with_its_position(tmp_path):
    (tmp_path / "t.csv").write_text("name,year\nA,1\nB,2,3\n")
    with pytest.raises(TableError, match=r"t\.csv line 3: 3 cells where the header has 2"):
        read_table(tmp_path, "t")
    (tmp_path / "t.csv").write_text("name,year\nA\n")
    with pytest.raises(TableError, match=r"t\.csv line 2: 1 cell where the header has 2"):
        read_table(tmp_path, "t")


def test_a_stint_is_read_with_and_without_end_and_number():
    assert [parse_stint(text).end for text in ("CLE 2003-2010 #23", "LAL 2018-", "LAL 1996 #32")] == [2010, None, 1996]
    assert parse_stint("CLE 2003-2010 #23").number == 23


@pytest.mark.parametrize("text", ["CLE", "Cle 2003", "CLE 2003-10", "CLE 2003 - 2010", "CLE 2003 #123", "CLE 2003 23"])
def test_a_malformed_stint_is_refused(text):
    with pytest.raises(TableError, match="is not a stint"):
        parse_stint(text)


def test_feet_and_pounds_become_whole_metric_units():
    assert [feet_to_cm(text) for text in ("5-3", "6-9", "7-7")] == [160.0, 206.0, 231.0]
    assert pounds_to_kg(250) == 113.0
    with pytest.raises(TableError, match="is not a height"):
        feet_to_cm("6-12")


def test_a_date_that_does_not_exist_is_refused():
    with pytest.raises(TableError, match=r"players\.csv line 4: born '1984-02-30' is not a date"):
        Row("players.csv line 4", {"born": "1984-02-30"}).day("born")


def test_a_slug_is_plain_ascii():
    assert [slug(name) for name in ("Nikola Jokić", "Shaquille O'Neal", "UW–Milwaukee Panther Arena")] == [
        "nikola-jokic",
        "shaquille-oneal",
        "uw-milwaukee-panther-arena",
    ]
