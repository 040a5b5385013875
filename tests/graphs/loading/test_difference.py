"""Loading only the difference from a loaded graph has the same result as loading the whole file."""

import json
import random
import shutil
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from graphground.cypher.schema import PropertyGraphSchema
from graphground.graphs.engines.embedded.launcher import end_engine
from graphground.graphs.entities.index import open_index
from graphground.graphs.loading import difference as difference_module
from graphground.graphs.loading.difference import Difference, TooDifferent
from graphground.graphs.loading.export import export_graph
from graphground.graphs.loading.fingerprints import Fingerprints, FingerprintWriter, digests_of
from graphground.graphs.loading.load import Loaded, load_file, update_graph
from graphground.graphs.schemas.statistics.stored import NAME as STATISTICS
from graphground.graphs.storage.catalog import Catalog
from graphground.graphs.storage.home import Home
from tests.support.small_graph import small, written

pytestmark = pytest.mark.timeout(240)
SCHEMA: dict[str, Any] = {
    "name": "random",
    "entities": [
        {"label": "A", "description": None, "properties": {"born": "date", "n": "int|str", "tags": "list[str]"}},
        {"label": "B", "description": None, "properties": {"seen": "datetime", "size": "float", "ok": "bool"}},
    ],
    "relations": [
        {"label": type_, "subj_label": start, "obj_label": end, "properties": {"since": "date", "weight": "float"}}
        for type_, start, end in (("KNOWS", "A", "A"), ("HAS", "A", "B"), ("HAS", "B", "B"), ("IN", "B", "A"))
    ],
}
PATTERNS = {"AA": ["KNOWS"], "AB": ["HAS"], "BB": ["HAS"], "BA": ["IN"]}
Nodes = dict[str, dict[str, Any]]
Relationships = list[tuple[str, str, str, dict[str, Any]]]


class RandomGraph:
    """A graph with parallel and repeated relationships, loops and hubs, which can be changed at random."""

    def __init__(self, seed: int, nodes: int) -> None:
        self._random = random.Random(seed)
        self._next = 0
        self.nodes: Nodes = {}
        self.relationships: Relationships = []
        for _ in range(nodes):
            self._add_node()
        for _ in range(nodes * 3):
            self._add_relationship()

    def change(self, times: int) -> None:
        """Make random changes of every kind, and change the order of all records."""
        for _ in range(times):
            kind = self._random.randrange(7)
            if kind == 0 or len(self.nodes) < 3:
                self._add_node()
            elif kind == 1:
                self._remove_node(self._any_node())
            elif kind == 2:
                node = self._any_node()
                self.nodes[node] = self._node(self.nodes[node]["label"])
            elif kind == 3:
                self._relabel(self._any_node())
            elif kind == 4 or not self.relationships:
                self._add_relationship()
            elif kind == 5:
                self.relationships.pop(self._random.randrange(len(self.relationships)))
            else:
                place = self._random.randrange(len(self.relationships))
                self.relationships[place] = (*self.relationships[place][:3], self._properties())
        order = list(self.nodes.items())
        self._random.shuffle(order)
        self.nodes = dict(order)
        self._random.shuffle(self.relationships)

    def document(self) -> dict[str, Any]:
        """Return the graph as a SimpleKG document."""
        return {
            "schema": SCHEMA,
            "entities": [{"eid": eid, **node} for eid, node in self.nodes.items()],
            "relations": [
                {"rid": str(number), "label": type_, "subj_id": start, "obj_id": end, "properties": properties}
                for number, (type_, start, end, properties) in enumerate(self.relationships)
            ],
        }

    def _any_node(self) -> str:
        return self._random.choice(list(self.nodes))

    def _add_node(self) -> None:
        self.nodes[f"n{self._next}"] = self._node(self._random.choice("AB"))
        self._next += 1

    def _node(self, label: str) -> dict[str, Any]:
        chance = self._random
        values = {
            "A": {"born": f"19{chance.randrange(10, 99)}-01-02", "n": chance.choice([3, "3"]), "tags": ["é", "x;y"]},
            "B": {"seen": "2020-01-02T03:04:05", "size": chance.randrange(9), "ok": chance.random() < 0.5},
        }[label]
        properties = {key: value for key, value in values.items() if chance.random() < 0.7}
        node = {"label": label, "name": f"Name {chance.randrange(50)}", "properties": properties}
        return {**node, "aliases": ["Alias"], "description": "text"} if chance.random() < 0.3 else node

    def _properties(self) -> dict[str, Any]:
        chance = self._random
        return {"since": f"200{chance.randrange(3)}-05-06", "weight": 1.5} if chance.random() < 0.5 else {}

    def _add_relationship(self) -> None:
        chance = self._random
        start = next(iter(self.nodes)) if chance.random() < 0.3 else self._any_node()
        end = start if chance.random() < 0.1 else self._any_node()
        for type_ in PATTERNS[self.nodes[start]["label"] + self.nodes[end]["label"]]:
            self.relationships += [(type_, start, end, self._properties())] * chance.choice([1, 1, 1, 3])

    def _remove_node(self, node: str) -> None:
        del self.nodes[node]
        self.relationships = [link for link in self.relationships if node not in link[1:3]]

    def _relabel(self, node: str) -> None:
        label = "B" if self.nodes[node]["label"] == "A" else "A"
        self._remove_node(node)
        self.nodes[node] = self._node(label)


class Stored:
    """A graph as records with ids, as in an engine; a difference can be applied to it."""

    def __init__(self) -> None:
        self.nodes: dict[str, tuple[str, dict[str, Any]]] = {}
        self.relationships: list[tuple[str, str, str, dict[str, Any]]] = []
        self._next = 0

    def add(self, label: str, row: dict[str, Any]) -> str:
        self._next += 1
        rid = f"#{'AB'.index(label) + 1}:{self._next}"
        self.nodes[rid] = (label, row)
        return rid

    def content(self) -> tuple[dict[str, Any], Counter[str]]:
        """Return the nodes by eid, and the relationships between eids."""
        return {row["eid"]: (label, row) for label, row in self.nodes.values()}, Counter(
            json.dumps([type_, self.nodes[start][1]["eid"], self.nodes[end][1]["eid"], row], sort_keys=True)
            for type_, start, end, row in self.relationships
        )


def load_into(stored: Stored, graph: RandomGraph, folder: Path, difference: Difference | None) -> None:
    """Write the graph, or only the difference if one is given, into the records; write fingerprints into the folder."""
    marks = FingerprintWriter(PropertyGraphSchema.from_cypherbench(SCHEMA))
    places = {eid: place for place, eid in enumerate(graph.nodes)}
    rids = [""] * len(places)
    by_label: dict[str, list[str]] = {}
    for eid, node in graph.nodes.items():
        by_label.setdefault(node["label"], []).append(eid)
    for label, eids in by_label.items():
        for low in range(0, len(eids), 4):
            block = eids[low : low + 4]
            rows = [{"eid": eid, "name": graph.nodes[eid]["name"], **graph.nodes[eid]["properties"]} for eid in block]
            digests = digests_of(rows)
            numbers = [places[eid] for eid in block]
            marks.nodes(label, numbers, digests)
            known = difference.nodes(label, numbers, rows, digests) if difference else [""] * len(rows)
            for place, rid, row in zip(numbers, known, rows, strict=True):
                rids[place] = rid if difference else stored.add(label, row)
    for type_ in ("KNOWS", "HAS", "IN"):
        links = [link for link in graph.relationships if link[0] == type_]
        for low in range(0, len(links), 5):
            relationships = [dict(link[3]) for link in links[low : low + 5]]
            starts, ends = ([places[link[side]] for link in links[low : low + 5]] for side in (1, 2))
            digests = digests_of(relationships)
            marks.relationships(type_, starts, ends, digests)
            if difference:
                difference.relationships(type_, relationships, starts, ends, digests)
            else:
                stored.relationships += [
                    (type_, rids[start], rids[end], row)
                    for start, end, row in zip(starts, ends, relationships, strict=True)
                ]
    if difference:
        apply(difference, stored, rids)
    marks.write(folder, list(places), rids)


def apply(difference: Difference, stored: Stored, rids: list[str]) -> None:
    """Apply a difference to the records, as the loader does to the engine's files."""
    removed_edges, removals = difference.edits()
    for label, (places, rows) in difference.new_nodes.items():
        for place, row in zip(places, rows, strict=True):
            rids[place] = stored.add(label, row)
    for removal in removals:
        side, other = (1, 2) if removal.outgoing else (2, 1)
        stored.relationships = [
            link
            for link in stored.relationships
            if link[0] != removal.type or link[side] != removal.rid or link[other] not in removal.others
        ]
    for rid in removed_edges:
        del stored.nodes[rid]
        stored.relationships = [link for link in stored.relationships if rid not in link[1:3]]
    for rid, content in difference.changed_nodes:
        stored.nodes[rid] = (stored.nodes[rid][0], json.loads(content))
    stored.relationships += [(type_, rids[start], rids[end], row) for type_, start, end, row in difference.rows()]


@pytest.mark.parametrize("seed", range(40))
def test_applying_random_differences_gives_the_new_graph(tmp_path: Path, seed: int) -> None:
    schema = PropertyGraphSchema.from_cypherbench(SCHEMA)
    (tmp_path / "schema.json").write_text(json.dumps(SCHEMA))
    chance = random.Random(seed)
    graph = RandomGraph(seed, chance.choice([3, 8, 30]))
    stored = Stored()
    load_into(stored, graph, tmp_path, None)
    for _ in range(3):
        before, links_before = stored.content()
        graph.change(chance.choice([0, 1, 5, 40]))
        difference = Difference.from_graph(tmp_path, schema, tmp_path / "waiting.jsonl")
        load_into(stored, graph, tmp_path, difference)
        whole = Stored()
        (tmp_path / "whole").mkdir(exist_ok=True)
        load_into(whole, graph, tmp_path / "whole", None)
        after, links_after = stored.content()
        assert (after, links_after) == whole.content()
        nodes, relationships = difference.changes.nodes, difference.changes.relationships
        assert nodes.counts == {
            "added": len(after.keys() - before.keys()),
            "removed": len(before.keys() - after.keys()),
            "changed": sum(before[eid] != after[eid] for eid in before.keys() & after.keys()),
        }
        assert nodes.kept == sum(before[eid] == after[eid] for eid in before.keys() & after.keys())
        added, removed, changed = (relationships.counts[kind] for kind in ("added", "removed", "changed"))
        assert relationships.kept + added + changed == links_after.total()
        assert relationships.kept + removed + changed == links_before.total()
        assert relationships.kept <= (links_before & links_after).total()
        assert bool(difference.changes) == ((before, links_before) != (after, links_after))


def test_a_graph_is_not_compared_if_its_schema_changed_its_fingerprints_are_missing_or_it_differs_too_much(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    schema, waiting = PropertyGraphSchema.from_cypherbench(SCHEMA), tmp_path / "waiting.jsonl"
    (tmp_path / "schema.json").write_text(json.dumps(SCHEMA))
    graph = RandomGraph(1, 10)
    with pytest.raises(TooDifferent, match="another version of graphground"):
        Difference.from_graph(tmp_path, schema, waiting)
    load_into(Stored(), graph, tmp_path, None)
    wider = json.loads(json.dumps(SCHEMA).replace('"ok": "bool"', '"ok": "bool", "more": "str"'))
    with pytest.raises(TooDifferent, match="schema changed"):
        Difference.from_graph(tmp_path, PropertyGraphSchema.from_cypherbench(wider), waiting)
    monkeypatch.setattr(difference_module, "ALWAYS", 2)
    graph.change(60)
    difference = Difference.from_graph(tmp_path, schema, waiting)
    with pytest.raises(TooDifferent, match=r"more than \d+ records differ"):
        load_into(Stored(), graph, tmp_path, difference)
    (tmp_path / "fingerprints.npz").write_bytes(b"PK\x03\x04 cut")
    with pytest.raises(TooDifferent, match="another version of graphground"):
        Difference.from_graph(tmp_path, schema, waiting)


@pytest.mark.engine
def test_an_updated_graph_equals_a_graph_loaded_anew(empty_home: Home, tmp_path: Path) -> None:
    graph = RandomGraph(5, 120)
    load_file(written(tmp_path, graph.document()), empty_home, name="updated")
    for times in (1, 60):
        graph.change(times)
        path = written(tmp_path, graph.document())
        found = update_graph(path, empty_home, name="updated")
        assert found.changes is not None
        assert sum(found.changes["nodes"].values()) - found.changes["nodes"]["removed"] == len(graph.nodes)
    load_file(path, empty_home, name="whole")
    assert exported("updated", empty_home, tmp_path) == exported("whole", empty_home, tmp_path)
    catalog = Catalog(empty_home)
    folders = [catalog.folder(catalog.get(name)) for name in ("updated", "whole")]
    statistics = [json.loads((folder / STATISTICS).read_bytes()) for folder in folders]
    assert statistics[0] == statistics[1]
    marks = [Fingerprints.read(folder) for folder in folders]
    assert marks[0].eids == marks[1].eids
    assert marks[0].nodes["digest"].tolist() == marks[1].nodes["digest"].tolist()
    index = open_index(folders[0] / "entities")
    assert index is not None
    assert index.info.nodes == len(graph.nodes)
    assert end_engine(empty_home)


def exported(name: str, home: Home, folder: Path) -> tuple[list[str], list[str]]:
    """Return the nodes and the relationships of a loaded graph, exported from the engine as sorted JSON texts."""
    path = folder / f"{name}.exported.json"
    export_graph(name, path, home)
    document = json.loads(path.read_bytes())
    for relation in document["relations"]:
        del relation["rid"]
    nodes, relationships = (
        sorted(json.dumps(record, sort_keys=True) for record in document[part]) for part in ("entities", "relations")
    )
    return nodes, relationships


def refuse(*_: object) -> None:
    raise OSError("no space left on device")


@pytest.mark.engine
def test_an_update_of_a_new_or_unchanged_graph_loads_a_complete_graph(empty_home: Home, tmp_path: Path) -> None:
    path = written(tmp_path, small())
    first = update_graph(path, empty_home)
    assert (first.changes, first.reason) == (None, None)
    again = update_graph(path, empty_home)
    assert again.changes == {
        "nodes": {"added": 0, "removed": 0, "changed": 0, "kept": 4},
        "relationships": {"added": 0, "removed": 0, "changed": 0, "kept": 3},
    }
    assert again.entry.id != first.entry.id
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(shutil, "copytree", refuse)
        whole = update_graph(path, empty_home)
    assert whole == Loaded(whole.entry, None, "the files of the replaced graph could not be copied")
    document = small()
    document["schema"]["entities"][1]["properties"]["died"] = "date"
    wider = update_graph(written(tmp_path, document), empty_home)
    assert wider == Loaded(wider.entry, None, "the schema changed")
