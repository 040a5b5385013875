"""Loading: an invalid file is reported and changes nothing; a valid file is loaded completely or not at all."""

import gzip
import json
import os
import random
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from graphground.graphs.engines.embedded.engine import EmbeddedEngine
from graphground.graphs.engines.embedded.launcher import end_engine
from graphground.graphs.engines.engine import EngineUnavailable
from graphground.graphs.loading import load as load_module
from graphground.graphs.loading.into_database import checked_labels
from graphground.graphs.loading.load import drop_graph, export_graph, load_file
from graphground.graphs.loading.simplekg import SimpleKGError, SimpleKGFile
from graphground.graphs.opening.stored import stored_sources
from graphground.graphs.storage.home import Catalog, CatalogError, Home
from tests.support.commands import RunCommand
from tests.support.shared_data import SHARED, needs
from tests.support.small_graph import loaded, small, written
from tests.support.waiting import until

pytestmark = pytest.mark.timeout(240)
SLICE = ("wikidata_slices_simplekg", "movie_wd50k_simplekg.json.gz")


def change(place: str, number: int, **fields: Any) -> Callable[[dict[str, Any]], None]:
    """Return a change of one record: `change("entities", 1, eid="M1")`."""
    return lambda document: document[place][number].update(fields)


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        (change("entities", 1, eid="M1"), "entities[1] (eid 'M1'): another entity has this eid"),
        (
            change("entities", 3, label="Persn"),
            "entities[3] (eid 'P2'): the schema has no label 'Persn'; did you mean 'Person'?",
        ),
        (change("entities", 2, name=None), "entities[2] (eid 'P1'): 'name' must be text, not None"),
        (change("entities", 2, eid=""), "entities[2] (eid ''): 'eid' must be a text"),
        (change("entities", 0, properties={"released": "1995-13-01"}), "'released' must be date, not '1995-13-01'"),
        (change("entities", 0, properties={"seen": 1}), "'seen' must be bool, not 1"),
        (change("entities", 0, properties={"filming_location": "Los Angeles"}), "'filming_location' must be list[str]"),
        (
            change("entities", 0, properties={"filming_locatio": []}),
            "has no property 'filming_locatio'; did you mean 'filming",
        ),
        (change("entities", 2, properties={"height_cm": 1.73}), "'height_cm' must be int, not 1.73"),
        (
            change("entities", 2, properties={"height_cm": 2**70}),
            'integer overflow , "properties": {"height_cm": 1180591620717411303424',
        ),
        (
            change("relations", 1, label="hasCast"),
            "the schema has no relationship type 'hasCast'; did you mean 'has cast'?",
        ),
        (change("relations", 2, obj_id="P9"), "relations[2] (rid '2'): obj_id 'P9' is not the id of any entity"),
        (lambda document: document["entities"].insert(1, 7), "entities[1] must be an object, not 7"),
        (lambda document: document.pop("relations"), "has no 'relations'"),
        (lambda document: document.pop("schema"), "has no 'schema'"),
        (lambda document: document["schema"]["relations"][0].update(obj_label="Nobody"), "'Nobody' is not among"),
        (
            lambda document: document["schema"]["entities"][0]["properties"].update(released="day"),
            "'day' is not a prop",
        ),
    ],
)
def test_an_invalid_record_is_named(tmp_path: Path, changed: Callable[[dict[str, Any]], None], message: str) -> None:
    document = small()
    changed(document)
    with pytest.raises(SimpleKGError) as caught:
        checked_labels(SimpleKGFile(written(tmp_path, document)))
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        (change("entities", 1, eid="M1"), "entities[1] (eid 'M1'): another entity has this eid"),
        (change("entities", 0, properties={"released": "1500-01-01T00:00:00.123456789"}), "its years are 1678 to 2261"),
        (
            lambda document: document["schema"]["relations"][0].update(label="Movie"),
            "is a label and a relationship type",
        ),
    ],
)
def test_a_file_with_an_invalid_record_changes_nothing(
    small_home: Home, tmp_path: Path, changed: Callable[[dict[str, Any]], None], message: str
) -> None:
    before = Catalog(small_home).entries()
    document = small()
    document["schema"]["entities"][0]["properties"]["released"] = "datetime"
    document["entities"][0]["properties"].pop("released")
    changed(document)
    with pytest.raises(SimpleKGError) as caught:
        loaded(small_home, tmp_path, document)
    assert message in str(caught.value)
    assert Catalog(small_home).entries() == before
    assert list(small_home.loading.iterdir()) == []


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("MATCH (n) RETURN n", "not JSON"),
        (json.dumps(small())[:-200], "the file is truncated"),
        ("[1, 2]", "has no 'schema'"),
    ],
)
def test_a_truncated_or_invalid_json_file_is_refused(small_home: Home, tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(SimpleKGError, match=message):
        loaded(small_home, tmp_path, text)


def test_a_truncated_gzip_file_is_refused(small_home: Home, tmp_path: Path) -> None:
    whole = gzip.compress(json.dumps(small()).encode())
    path = tmp_path / "films.json.gz"
    path.write_bytes(whole[:-40])
    with pytest.raises(SimpleKGError, match="is truncated"):
        load_file(path, small_home)
    with pytest.raises(SimpleKGError, match="there is no file"):
        load_file(tmp_path / "nothing.json", small_home)
    with pytest.raises(CatalogError, match="cannot be a graph's name"):
        load_file(path, small_home, name="../films")


def test_a_second_load_replaces_the_first_for_running_servers(own_small_home: Home, tmp_path: Path) -> None:
    home = own_small_home
    first = Catalog(home).get("films")
    source = next(stored_source for stored_source in stored_sources(home) if stored_source.name == "films")
    engine = source.open().engine
    assert engine is not None
    assert engine.run("MATCH (n) RETURN count(n)").rows == [[4]]
    version = source.version()
    document = small()
    document["entities"].append({**document["entities"][2], "eid": "P3", "name": "Val Kilmer"})
    second = loaded(home, tmp_path, document)
    assert source.version() != version
    assert source.counts() == (5, 3)
    again = source.open()
    assert again.engine is not None
    assert again.entities is not None
    assert again.engine.run("MATCH (n) RETURN count(n)").rows == [[5]]
    assert again.entities.find("Val Kilmer")[0].key == "P3"
    # The engine closes and deletes databases that are no longer in the catalog.
    until(lambda: not (home.databases / first.id).exists())
    assert (home.databases / second.id).exists()
    engine.close()
    again.engine.close()
    drop_graph("films", home)
    with pytest.raises(EngineUnavailable, match="There is no loaded graph"):
        source.open()
    assert end_engine(home)


def test_an_export_equals_the_loaded_file(small_home: Home, tmp_path: Path) -> None:
    assert export_graph("films", tmp_path / "out.json.gz", small_home) == (4, 3)
    with gzip.open(tmp_path / "out.json.gz") as file:
        back = json.load(file)
    expected = small()
    expected["entities"][0]["properties"]["runtime_minute"] = 170.0
    del expected["entities"][1]["properties"]["released"]
    assert back == expected
    entry = load_file(tmp_path / "out.json.gz", small_home, name="films-again")
    assert (entry.nodes, entry.relationships) == (4, 3)


@needs(*SLICE)
def test_the_movie_slice_is_exported_unchanged(empty_home: Home, tmp_path: Path) -> None:
    entry = load_file(SHARED.joinpath(*SLICE), empty_home, name="movie")
    with gzip.open(SHARED.joinpath(*SLICE)) as file:
        original = json.load(file)
    assert (entry.nodes, entry.relationships) == (len(original["entities"]), len(original["relations"]))
    export_graph("movie", tmp_path / "movie.json", empty_home)
    back = json.loads((tmp_path / "movie.json").read_text("utf-8"))
    assert back["schema"] == original["schema"]
    key = json.dumps
    assert sorted(key(entity, sort_keys=True) for entity in back["entities"]) == sorted(
        key(entity, sort_keys=True) for entity in original["entities"]
    )
    unnumbered = [
        [sorted(key({**relation, "rid": ""}, sort_keys=True) for relation in document["relations"])]
        for document in (back, original)
    ]
    assert unnumbered[0] == unnumbered[1]


def test_a_load_killed_at_any_moment_leaves_the_older_graph(own_small_home: Home, tmp_path: Path) -> None:
    home = own_small_home
    before = Catalog(home).get("films")
    document = small()
    document["entities"] += [{**document["entities"][0], "eid": f"N{number}"} for number in range(10_000)]
    path, sizes = written(tmp_path, document), [before.nodes, len(document["entities"])]
    chance = random.Random(7)
    for _ in range(3):
        process = subprocess.Popen(
            [sys.executable, "-m", "graphground", "graphs", "load", str(path), "--force"],
            env={**os.environ, "GRAPHGROUND_HOME": str(home.folder)},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        try:
            process.wait(chance.uniform(0.3, 3.0))
        except subprocess.TimeoutExpired:
            process.kill()
        process.wait(60)
        entries = {entry.name: entry for entry in Catalog(home).entries()}
        assert entries.keys() == {"films", "nba"}
        assert entries["films"].nodes in sizes
    engine = EmbeddedEngine(home, Catalog(home).get("films").id)
    assert engine.run("MATCH (n) RETURN count(n)").rows == [[Catalog(home).get("films").nodes]]
    engine.close()
    # The leftovers of a killed load are removed at the next change of the catalog.
    loaded(home, tmp_path, name="others")
    until(lambda: not any(home.loading.iterdir()))


def test_the_command_line_lists_loads_describes_and_drops(
    run_command: RunCommand, empty_home: Home, tmp_path: Path
) -> None:
    graphs = partial(run_command, "graphs", home=empty_home.folder)
    assert graphs("list").stdout == (
        "No graph is loaded. `graphground graphs load FILE` loads one. "
        "The bundled graph nba is loaded when it is first used.\n"
    )
    result = graphs("load", str(written(tmp_path, small())), "--description", "Two films")
    assert (result.returncode, result.stdout) == (0, "Loaded 'films': 4 nodes, 3 relationships.\n")
    assert json.loads(graphs("list", "--json").stdout)[0]["description"] == "Two films"
    assert "(:Movie)-[:has cast]->(:Person)" in graphs("info", "films").stdout
    missing = graphs("info", "film")
    assert missing.returncode == 1
    assert "there is no loaded graph 'film' (there are: films)" in missing.stderr
    assert graphs("drop", "films").stdout == "Dropped 'films'.\n"
    assert not any(empty_home.databases.glob("films*"))
    assert graphs("loud").returncode == 2


@pytest.mark.parametrize(("part", "form", "sales"), [("100", "dotted_float", None), ("50", "float", "grouped_float")])
def test_the_formats_of_texts_are_kept_with_the_schema_of_a_loaded_graph(
    empty_home: Home, tmp_path: Path, part: str, form: str, sales: str | None
) -> None:
    document, fees = small(), [*(f"{number}.{part}" for number in range(1, 11)), "N/A", "N/A"]
    document["schema"]["entities"][0]["properties"] |= {"fee": "str", "sales": "str"}
    document["schema"]["relations"][1]["properties"]["signed"] = "str"
    movie = document["entities"][0]
    document["entities"] += [
        {
            **movie,
            "eid": f"F{number}",
            "name": f"Film {number}",
            "properties": {"fee": fee, "sales": f"{number + 8},251"},
        }
        for number, fee in enumerate(fees)
    ]
    document["relations"] += [
        {**document["relations"][2], "rid": f"s{number}", "properties": {"signed": f"{number + 10}.12.2019"}}
        for number in range(5)
    ]
    document["relations"][1]["properties"]["signed"] = "25.11.1994"
    schema = Catalog(empty_home).schema(loaded(empty_home, tmp_path, document))
    fee, known = schema.labels["Movie"].texts["fee"], schema.labels["Movie"].texts.get("sales")
    assert (fee.form, fee.placeholders) == (form, ("N/A",))
    assert (known and known.form) == sales  # the comma of `8,251` may be a decimal one beside points between thousands
    (signed,) = [pattern.texts["signed"] for pattern in schema.patterns if pattern.type == "has cast"]
    assert (signed.form, signed.checked) == ("day_month_year", True)
    assert "runtime_minute" not in schema.labels["Movie"].texts


def test_a_full_disk_is_reported_as_the_cause_of_a_failed_load(
    empty_home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The disk is as full as the threshold says; the failure of the load is real:
    # its process gets no folder to write to.
    monkeypatch.setattr(load_module, "FULL_DISK_BYTES", 1 << 62)
    monkeypatch.setenv("GRAPHGROUND_LOADER_HEAP", "no size")
    with pytest.raises(EngineUnavailable, match=r"The disk that holds .* is full"):
        load_file(written(tmp_path, small()), empty_home)
