"""A small graph for tests: two films, their people, a date before Christ, and names that need quoting."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import neo4j
import pytest

from graphground.graphs.engines.address import BoltAddress
from graphground.graphs.engines.embedded.launcher import end_engine
from graphground.graphs.loading.load import load_file
from graphground.graphs.storage.catalog import Catalog, Entry
from graphground.graphs.storage.home import Home
from tests.support.data_folders import copied
from tests.support.own_arcadedb import start_writable


def records_in(path: Path) -> tuple[dict[str, Any], list[str]]:
    """Return the schema and the nodes of a SimpleKG file by key, and its relationships without their ids, sorted."""
    graph = json.loads(path.read_bytes())
    for label in graph["schema"]["entities"]:
        for key in ("reserved", "description"):
            label.pop(key, None)
    nodes = {entity["eid"]: {key: value for key, value in entity.items() if value} for entity in graph["entities"]}
    links = [json.dumps({**link, "rid": ""}, sort_keys=True) for link in graph["relations"]]
    return {"schema": graph["schema"], **nodes}, sorted(links)


SMALL: dict[str, Any] = {
    "schema": {
        "name": "films",
        "entities": [
            {
                "label": "Movie",
                "description": None,
                "properties": {
                    "runtime_minute": "float",
                    "released": "date",
                    "filming_location": "list[str]",
                    "seen": "bool",
                },
            },
            {"label": "Person", "description": None, "properties": {"born": "date", "height_cm": "int"}},
        ],
        "relations": [
            {"label": "directedBy", "subj_label": "Movie", "obj_label": "Person", "properties": {}},
            {
                "label": "has cast",
                "subj_label": "Movie",
                "obj_label": "Person",
                "properties": {"role": "str", "signed": "date", "year": "int"},
            },
        ],
    },
    "entities": [
        {
            "eid": "M1",
            "label": "Movie",
            "name": "Heat",
            "aliases": ["Heat (1995)"],
            "description": "1995 film",
            "properties": {
                "runtime_minute": 170,
                "released": "1995-12-15",
                "filming_location": ["Los Angeles"],
                "seen": True,
            },
            "provenance": ["https://example.org/M1"],
        },
        {
            "eid": "M2",
            "label": "Movie",
            "name": "Ronin",
            "aliases": [],
            "description": None,
            "properties": {"runtime_minute": 121.5, "released": None},
            "provenance": [],
        },
        {
            "eid": "P1",
            "label": "Person",
            "name": "Michael Mann",
            "aliases": [],
            "description": "director",
            "properties": {"born": "1943-02-05", "height_cm": 173},
            "provenance": [],
        },
        {
            "eid": "P2",
            "label": "Person",
            "name": "Robert De Niro",
            "aliases": ['Bobby "Milk"'],
            "description": None,
            "properties": {"born": "-0044-03-15"},
            "provenance": [],
        },
    ],
    "relations": [
        {"rid": "0", "label": "directedBy", "subj_id": "M1", "obj_id": "P1", "properties": {}, "provenance": []},
        {
            "rid": "1",
            "label": "has cast",
            "subj_id": "M1",
            "obj_id": "P2",
            "properties": {"role": "Neil", "signed": "1994-11-02", "year": 1994},
            "provenance": ["https://example.org/1"],
        },
        {"rid": "2", "label": "has cast", "subj_id": "M2", "obj_id": "P2", "properties": {}, "provenance": []},
    ],
}


def small() -> dict[str, Any]:
    """Return a copy of the document, which a test may change."""
    return copy.deepcopy(SMALL)


def written(folder: Path, document: Any, name: str = "films.json") -> Path:
    """Write the document into a file; return the path."""
    path = folder / name
    path.write_text(document if isinstance(document, str) else json.dumps(document), "utf-8")
    return path


def loaded(home: Home, folder: Path, document: Any = SMALL, name: str | None = None) -> Entry:
    """Load the document into a data folder."""
    return load_file(written(folder, document), home, name=name)


@pytest.fixture
def empty_home(tmp_path: Path) -> Any:
    """Yield an empty data folder; an engine started there is stopped at the end."""
    home = Home(tmp_path / "home with spaces").make()
    yield home
    end_engine(home, kill=True)


@pytest.fixture(scope="session")
def loaded_small_home(tmp_path_factory: pytest.TempPathFactory) -> Home:
    """Return a data folder with the small graph, loaded once per test process; tests work on copies of it."""
    pytest.importorskip("arcadedb_embedded", reason="needs the embedded engine, which has no wheel for this machine")
    folder = tmp_path_factory.mktemp("loaded-films")
    home = Home(folder / "home").make()
    loaded(home, folder)
    return home


@pytest.fixture(scope="module")
def small_home(loaded_small_home: Home, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Home]:
    """Yield a data folder with the small graph as `films`, for all tests of a module."""
    home = copied(loaded_small_home, tmp_path_factory.mktemp("films") / "home")
    yield home
    end_engine(home, kill=True)


@pytest.fixture
def own_small_home(loaded_small_home: Home, tmp_path: Path) -> Iterator[Home]:
    """Yield a data folder with the small graph as `films`, for one test."""
    home = copied(loaded_small_home, tmp_path / "home with spaces")
    yield home
    end_engine(home, kill=True)


@pytest.fixture
def own_arcadedb(own_small_home: Home) -> BoltAddress:
    """Start an ArcadeDB server and empty its database; return the address, with root's password."""
    entry = Catalog(own_small_home).get("films")
    state = start_writable(own_small_home)
    address = BoltAddress(f"bolt://127.0.0.1:{state.port}", "root", state.root, entry.id)
    with neo4j.GraphDatabase.driver(address.uri, auth=("root", state.root)) as driver:
        driver.execute_query("MATCH (n) DETACH DELETE n", database_=entry.id)
    return address
