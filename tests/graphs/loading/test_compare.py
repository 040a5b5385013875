"""Comparing two SimpleKG files: added, removed and changed records, in any order."""

import json
import random
from pathlib import Path
from typing import Any

import pytest

from graphground.graphs.loading.compare import compare
from graphground.server.commands.graphs import main

SCHEMA = {
    "name": "films",
    "entities": [{"label": "Movie", "description": None, "properties": {"year": "int"}}],
    "relations": [{"label": "follows", "subj_label": "Movie", "obj_label": "Movie", "properties": {"n": "int"}}],
}


def graph(place: Path, entities: list[dict[str, Any]], relations: list[dict[str, Any]]) -> Path:
    place.write_text(json.dumps({"schema": SCHEMA, "entities": entities, "relations": relations}), "utf-8")
    return place


def movie(number: int, **more: Any) -> dict[str, Any]:
    return {
        "eid": f"Movie#{number}",
        "label": "Movie",
        "name": f"Film {number}",
        "properties": {"year": 1990 + number},
        **more,
    }


def follows(start: int, end: int, **properties: Any) -> dict[str, Any]:
    return {
        "rid": f"{start}-{end}-{properties}",
        "label": "follows",
        "subj_id": f"Movie#{start}",
        "obj_id": f"Movie#{end}",
        "properties": properties,
    }


def test_added_removed_and_changed_records_are_counted_and_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    old = graph(tmp_path / "old.json", [movie(1), movie(2), movie(3)], [follows(1, 2), follows(2, 3, n=1)])
    new = graph(
        tmp_path / "new.json",
        [movie(1), movie(2, name="Other"), movie(4)],
        [follows(1, 2), follows(2, 3, n=2), follows(2, 3, n=1)],
    )
    found = compare(old, new)
    assert found.nodes.counts == {"added": 1, "removed": 1, "changed": 1}
    assert found.nodes.examples == {"added": ["Movie#4"], "removed": ["Movie#3"], "changed": ["Movie#2"]}
    assert sum(found.relationships.counts.values()) <= 2
    assert found.relationships.counts["added"] == 1
    assert main(["compare", str(old), str(new)]) == 0
    assert "nodes: 1 added, 1 removed, 1 changed, 1 unchanged" in capsys.readouterr().out
    assert main(["compare", str(old), str(new), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["nodes"]["examples"]["added"] == ["Movie#4"]


def test_differences_in_order_in_numbering_and_in_absent_defaults_are_ignored(tmp_path: Path) -> None:
    entities = [movie(number) for number in range(50)]
    relations = [follows(number, number + 1) for number in range(49)]
    old = graph(tmp_path / "old.json", entities, relations)
    shuffled = [{**entity, "aliases": [], "description": None, "provenance": []} for entity in entities]
    random.Random(3).shuffle(shuffled)
    random.Random(4).shuffle(relations)
    new = graph(
        tmp_path / "new.json", shuffled, [{**relation, "rid": str(number)} for number, relation in enumerate(relations)]
    )
    found = compare(old, new)
    assert not found
    assert (found.nodes.kept, found.relationships.kept) == (50, 49)


def test_a_changed_schema_is_a_change(tmp_path: Path) -> None:
    old = graph(tmp_path / "old.json", [movie(1)], [])
    new = tmp_path / "new.json"
    new.write_text(old.read_text("utf-8").replace('{"n": "int"}', '{"n": "float"}'), "utf-8")
    assert compare(old, new).schema


@pytest.mark.parametrize(
    ("entities", "relations", "message"),
    [
        ([movie(1), {"label": "Movie", "name": "Heat"}], [], "entities[1] has no 'eid'"),
        ([movie(1)], [{"label": "follows", "subj_id": "Movie#1"}], "relations[0] has no 'obj_id'"),
    ],
)
def test_a_record_without_a_key_is_reported_with_its_number(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    entities: list[dict[str, Any]],
    relations: list[dict[str, Any]],
    message: str,
) -> None:
    good, broken = graph(tmp_path / "a.json", [movie(1)], []), graph(tmp_path / "b.json", entities, relations)
    assert main(["compare", str(good), str(broken)]) == 1
    assert message in capsys.readouterr().err
