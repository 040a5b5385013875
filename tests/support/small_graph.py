"""A small graph for tests: two films, their people, a date before Christ, and names that need quoting."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from contextlib import contextmanager
from operator import itemgetter
from pathlib import Path
from typing import Any

import neo4j
import pytest
from filelock import FileLock

from graphground.graphs.engines.address import BoltAddress
from graphground.graphs.engines.embedded.launcher import end_engine, ensure_engine
from graphground.graphs.graph import Graph
from graphground.graphs.loading.load import load_file
from graphground.graphs.opening.stored import open_stored
from graphground.graphs.storage.home import Catalog, Entry, Home
from tests.support.data_folders import copied
from tests.support.documents import make_entity, make_relation, schema_document
from tests.support.own_arcadedb import start_writable


def records_in(path: Path) -> tuple[dict[str, Any], list[str]]:
    """Return the schema and the nodes of a SimpleKG file by key, and its relationships without their ids, sorted."""
    graph = json.loads(path.read_bytes())
    # Labels are listed as they are first met, and a database returns its nodes in any order.
    graph["schema"]["entities"].sort(key=itemgetter("label"))
    for label in graph["schema"]["entities"]:
        for key in ("reserved", "description"):
            label.pop(key, None)
    nodes = {entity["eid"]: {key: value for key, value in entity.items() if value} for entity in graph["entities"]}
    links = [json.dumps({**link, "rid": ""}, sort_keys=True) for link in graph["relations"]]
    return {"schema": graph["schema"], **nodes}, sorted(links)


SMALL: dict[str, Any] = {
    "schema": schema_document(
        "films",
        {
            "Movie": {"runtime_minute": "float", "released": "date", "filming_location": "list[str]", "seen": "bool"},
            "Person": {"born": "date", "height_cm": "int"},
        },
        ["Movie directedBy Person", "Movie has cast Person"],
        {"has cast": {"role": "str", "signed": "date", "year": "int"}},
    ),
    "entities": [
        make_entity(
            "M1",
            "Movie",
            "Heat",
            ["Heat (1995)"],
            "1995 film",
            ["https://example.org/M1"],
            runtime_minute=170,
            released="1995-12-15",
            filming_location=["Los Angeles"],
            seen=True,
        ),
        make_entity("M2", "Movie", "Ronin", runtime_minute=121.5, released=None),
        make_entity("P1", "Person", "Michael Mann", description="director", born="1943-02-05", height_cm=173),
        make_entity("P2", "Person", "Robert De Niro", ['Bobby "Milk"'], born="-0044-03-15"),
    ],
    "relations": [
        make_relation(0, "directedBy", "M1", "P1"),
        make_relation(
            1, "has cast", "M1", "P2", ["https://example.org/1"], role="Neil", signed="1994-11-02", year=1994
        ),
        make_relation(2, "has cast", "M2", "P2"),
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


@contextmanager
def opened_graph(folder: Path, document: Any, name: str) -> Iterator[Graph]:
    """Load a document into a data folder of its own; yield its graph. Without the engine the test is skipped."""
    pytest.importorskip("arcadedb_embedded", reason="needs the embedded engine, which has no wheel for this machine")
    home = Home(folder / "home").make()
    loaded(home, folder, document, name)
    graph = open_stored(name, home)
    yield graph
    graph.close()
    end_engine(home, kill=True)


@pytest.fixture
def empty_home(tmp_path: Path) -> Any:
    """Yield an empty data folder; an engine started there is stopped at the end."""
    home = Home(tmp_path / "home with spaces").make()
    yield home
    end_engine(home, kill=True)


@pytest.fixture(scope="session")
def loaded_small_home(bundled_home: Home) -> Home:
    """Return a data folder with the bundled graph and the small graph, loaded once per run; tests work on copies of it.

    Without the bundled graph, each server that a test starts on a copy would load it.
    """
    folder = bundled_home.folder.with_name("small")
    with FileLock(f"{folder}.lock"):
        if not folder.exists():
            home = copied(bundled_home, folder.with_name("small.part"))
            loaded(home, folder.parent)
            home.folder.rename(folder)
    return Home(folder)


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


@pytest.fixture(scope="module")
def arcadedb_home(loaded_small_home: Home, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Home]:
    """Start an ArcadeDB server for all tests of a module; yield its data folder."""
    home = copied(loaded_small_home, tmp_path_factory.mktemp("arcadedb") / "home")
    start_writable(home)
    yield home
    end_engine(home, kill=True)


@pytest.fixture
def own_arcadedb(arcadedb_home: Home) -> BoltAddress:
    """Empty the database of the ArcadeDB server; return its address, with root's password."""
    state, database = ensure_engine(arcadedb_home), Catalog(arcadedb_home).get("films").id
    address = BoltAddress(f"bolt://127.0.0.1:{state.port}", "root", state.root, database)
    with neo4j.GraphDatabase.driver(address.uri, auth=("root", state.root)) as driver:
        driver.execute_query("MATCH (n) DETACH DELETE n", database_=database)
    return address
