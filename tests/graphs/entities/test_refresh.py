"""Refreshing an index, which keeps its unchanged parts, gives the same files as building the index anew."""

import random
import signal
import subprocess
import sys
from collections.abc import Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from graphground.graphs.entities import refresh
from graphground.graphs.entities.build import build_index, previous_folder
from graphground.graphs.entities.index import open_index
from graphground.graphs.entities.paging import Page
from graphground.graphs.entities.record import Record
from graphground.graphs.entities.refresh import IndexRefresher, refresh_index
from tests.support.index_files import assert_same_index

Node = dict[str, Any]
Graph = dict[str, Node]
LABELS = ("Film", "Person", "Place")
WORDS = ["Heat", "heat", "the", "Los", "Angeles", "Ångström", "1995", "X", "東京", "!!!", "O'Neill", "Київ", "café-bar"]
CITIES = ["Oslo", "Rome", "", "x" * 200, "Київ", "Quito"]


def some_name(chosen: random.Random) -> str:
    syllables = ("ka", "lo", "mi", "ren", "tá", "vos", "shu")
    coined = "".join(chosen.choices(syllables, k=chosen.randint(1, 4))).capitalize()
    return " ".join(chosen.choice([coined, chosen.choice(WORDS)]) for _ in range(chosen.randint(0, 3)))


def some_node(chosen: random.Random) -> Node:
    return {
        "label": chosen.choice(LABELS),
        "name": some_name(chosen),
        "aliases": chosen.choice(["", [], [some_name(chosen) for _ in range(chosen.randint(1, 3))]]),
        "description": chosen.choice(["", some_name(chosen)]),
        "city": chosen.choice([*CITIES, 7]),
        "tags": chosen.choice(["", [], chosen.choices(CITIES, k=3), some_name(chosen)]),
    }


def changed(graph: Graph, chosen: random.Random) -> Graph:
    """Return the graph after random changes: nodes are added, removed or changed, and may come in another order."""
    now = {key: dict(node) for key, node in graph.items()}
    for _ in range(chosen.choice([0, 1, 5, 40])):
        key = chosen.choice(list(now) or ["none"])
        match chosen.randrange(5 if now else 1):
            case 0:
                now[f"n{chosen.randrange(10**9)}"] = some_node(chosen)
            case 1:
                del now[key]
            case 2:
                now[key]["name"] = some_name(chosen)
            case 3:
                now[key]["label"] = chosen.choice(LABELS)
            case 4:
                now[key] = {**some_node(chosen), "label": now[key]["label"]}
    keys = list(now)
    if chosen.random() < 0.3:
        chosen.shuffle(keys)  # a database may return its nodes in any order
    return {key: now[key] for key in keys}


def pages_of(graph: Graph, size: int = 7) -> Iterator[Page]:
    for label in LABELS:
        keys = [key for key, node in graph.items() if node["label"] == label]
        for first in range(0, len(keys), size):
            chosen = keys[first : first + size]
            columns = {name: [graph[key][name] for key in chosen] for name in graph[chosen[0]]}
            yield Page(
                label,
                "name",
                "aliases",
                chosen,
                columns["name"],
                columns["aliases"],
                columns["description"],
                {"city": columns["city"], "tags": columns["tags"]},
            )


def assert_as_anew(folder: Path, graph: Graph, scratch: Path) -> None:
    build_index(scratch, (record for page in pages_of(graph) for record in page.records()))
    assert_same_index(folder, scratch)


@pytest.mark.parametrize("seed", range(12))
def test_after_random_changes_every_file_equals_that_of_a_new_build(tmp_path: Path, seed: int) -> None:
    chosen = random.Random(seed)
    first: Graph = {f"n{number}": some_node(chosen) for number in range(chosen.choice([0, 3, 90]))}
    graphs = [first]
    for _ in range(5):
        graphs.append(changed(graphs[-1], chosen))
    for graph in graphs:
        refresh_index(tmp_path / "index", partial(pages_of, graph))
        assert_as_anew(tmp_path / "index", graph, tmp_path / "anew")


def test_only_the_changed_nodes_are_indexed_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    chosen = random.Random(1)
    graph = {f"n{number}": some_node(chosen) for number in range(100)}
    refresh_index(tmp_path / "index", lambda: pages_of(graph))
    graph["n7"]["name"] = "Renamed"
    seen: list[str] = []
    node = IndexRefresher._node

    def watched(self: IndexRefresher, record: Record, entity: int) -> None:
        seen.append(record.key)
        node(self, record, entity)

    monkeypatch.setattr(IndexRefresher, "_node", watched)
    refresh_index(tmp_path / "index", lambda: pages_of(graph))
    assert seen == ["n7"]
    assert open_index(tmp_path / "index").find("Renamed")[0].key == "n7"


def test_names_are_read_again_if_the_naming_property_changes(tmp_path: Path) -> None:
    def pages(name: str) -> Iterable[Page]:
        return [Page("Film", name, None, ["1"], ["Heat"], [""], [""], {})]

    refresh_index(tmp_path / "index", lambda: pages("title"))
    refresh_index(tmp_path / "index", lambda: pages("name"))
    assert open_index(tmp_path / "index").find("heat")[0].property == "name"


def test_more_values_than_the_limit_are_indexed_as_in_a_new_build(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("graphground.graphs.entities.build.DISTINCT_VALUES", 2)
    monkeypatch.setattr(refresh, "DISTINCT_VALUES", 2)
    chosen = random.Random(2)
    graph = {f"n{number}": some_node(chosen) for number in range(40)}
    refresh_index(tmp_path / "index", lambda: pages_of(graph))
    assert_as_anew(tmp_path / "index", graph, tmp_path / "anew")


def test_an_interrupted_refresh_leaves_the_older_index(tmp_path: Path) -> None:
    graph = {"1": {**some_node(random.Random(3)), "name": "Heat"}}
    refresh_index(tmp_path / "index", lambda: pages_of(graph))

    def failing() -> Iterator[Page]:
        yield from pages_of({"2": {**graph["1"], "name": "Ronin"}})
        raise OSError("the connection broke")

    with pytest.raises(OSError, match="the connection broke"):
        refresh_index(tmp_path / "index", failing)
    assert [candidate.name for candidate in open_index(tmp_path / "index").find("Heat")] == ["Heat"]
    assert list(tmp_path.iterdir()) == [tmp_path / "index"]


@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL")
def test_a_killed_process_leaves_the_older_index(tmp_path: Path) -> None:
    graph = {"1": {**some_node(random.Random(3)), "name": "Heat"}}
    refresh_index(tmp_path / "index", lambda: pages_of(graph))
    killed = """
import os, signal, sys
from pathlib import Path
from graphground.graphs.entities import refresh
refresh.IndexRefresher._write_entities = lambda self, *_: os.kill(os.getpid(), signal.SIGKILL)
refresh.refresh_index(Path(sys.argv[1]), lambda: [refresh.Page("Film", "name", None, ["9"], ["Ronin"], [""], [""], {})])
"""
    ended = subprocess.run([sys.executable, "-c", killed, str(tmp_path / "index")], timeout=60, check=False)
    assert ended.returncode == -signal.SIGKILL
    assert [candidate.name for candidate in open_index(tmp_path / "index").find("Heat")] == ["Heat"]
    assert open_index(tmp_path / "index").find("Ronin") == []


def test_an_index_is_found_and_replaced_after_a_process_was_killed_while_renaming_it(tmp_path: Path) -> None:
    graph = {"1": {**some_node(random.Random(3)), "name": "Heat"}}
    refresh_index(tmp_path / "index", lambda: pages_of(graph))
    (tmp_path / "index").rename(previous_folder(tmp_path / "index"))
    assert open_index(tmp_path / "index").find("Heat")[0].name == "Heat"
    refresh_index(tmp_path / "index", lambda: pages_of({**graph, "2": {**graph["1"], "name": "Ronin"}}))
    assert open_index(tmp_path / "index").find("Ronin")[0].name == "Ronin"
    assert list(tmp_path.iterdir()) == [tmp_path / "index"]
