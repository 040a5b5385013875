"""Reading a SimpleKG file in blocks gives the same records as reading it event by event, for any layout of the file."""

import gzip
import json
import random
from pathlib import Path
from typing import Any

import ijson
import pytest

from graphground.graphs.loading import simplekg
from graphground.graphs.loading.simplekg import NotInBlocks, SimpleKGError, SimpleKGFile, entity_blocks, relation_blocks
from tests.support.small_graph import small

HARD = ['x},{"eid":', '}],"relations":[{', '"},\n{"eid"', "\\", '\\"}', "é∞\u2028", "}]}", "", "[[{{"]


def document(seed: int, entities: int = 400) -> dict[str, Any]:
    """Return the small graph with additional records, whose texts look like the ends of records."""
    rng = random.Random(seed)
    content = small()
    for number in range(entities):
        content["entities"].append(
            {
                **content["entities"][number % 2],
                "eid": f"E{number}",
                "name": rng.choice(HARD) * 2,
                "aliases": rng.sample(HARD, rng.randrange(4)),
                "description": rng.choice(HARD),
            }
        )
        content["relations"].append({**content["relations"][0], "rid": f"R{number}", "subj_id": "M1"})
    return content


def as_text(content: dict[str, Any], shape: str) -> str:
    """Return the document as JSON in a layout: `lines`, `compact`, `indented`, `spaced` or `utf-8`."""
    if shape == "lines":
        parts = [
            f'"{key}": [\n' + ",\n".join(json.dumps(record) for record in content[key]) + "\n]"
            for key in ("entities", "relations")
        ]
        return '{"schema": ' + json.dumps(content["schema"]) + ", " + ",\n".join(parts) + "}\n"
    return json.dumps(
        content,
        indent={"indented": 2}.get(shape),
        separators=(",", ":") if shape == "compact" else None,
        ensure_ascii=shape != "utf-8",
    )


@pytest.mark.parametrize("shape", ["lines", "compact", "indented", "spaced", "utf-8"])
@pytest.mark.parametrize("size", [200, 4096, 1 << 16])
def test_blocks_contain_the_same_records_as_events(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, shape: str, size: int
) -> None:
    monkeypatch.setattr(simplekg, "AT_ONCE", size)
    content = document(seed=size)
    path = tmp_path / "graph.json"
    path.write_text(as_text(content, shape), "utf-8")
    with path.open("rb") as file:
        for part in ("entities", "relations"):
            file.seek(0)
            assert list(ijson.items(file, f"{part}.item", use_float=True)) == content[part]
        file.seek(0)
        entities, begin = drained(entity_blocks(file))
        relations, end = drained(relation_blocks(file, begin))
    assert entities == content["entities"]
    assert relations == content["relations"]
    assert end == path.stat().st_size


def drained(blocks: Any) -> tuple[list[Any], int]:
    """Return all records of a generator of blocks, and its return value: the position in the file where it stopped."""
    records: list[Any] = []
    while True:
        try:
            records += next(blocks)
        except StopIteration as over:
            return records, over.value


@pytest.mark.parametrize("zipped", [False, True])
@pytest.mark.parametrize(
    "order",
    [
        ("schema", "entities", "relations"),
        ("entities", "schema", "relations"),
        ("relations", "entities", "schema"),
        ("schema", "relations", "entities", "more"),
    ],
)
def test_a_file_in_any_order_gives_every_record(tmp_path: Path, order: tuple[str, ...], zipped: bool) -> None:
    content = document(seed=5)
    content["more"] = {"entities": [{"eid": "no entity"}]}
    text = json.dumps({key: content[key] for key in order}).encode()
    path = tmp_path / ("graph.json.gz" if zipped else "graph.json")
    path.write_bytes(gzip.compress(text) if zipped else text)
    for first, second in (("entities", "relations"), ("relations", "entities")):
        file = SimpleKGFile(path)
        for part in (first, second):
            found = list(getattr(file, part)())
            assert found == list(enumerate(content[part]))


@pytest.mark.parametrize("key", ["entities", "relations"])
def test_invalid_json_in_the_middle_is_reported_at_its_position(tmp_path: Path, key: str) -> None:
    content = document(seed=9)
    content[key][300]["mark"] = "here"
    path = tmp_path / "graph.json"
    path.write_text(json.dumps(content).replace('"here"', "here"), "utf-8")
    file = SimpleKGFile(path)
    seen: list[Any] = []

    def read_one_by_one() -> None:
        for part in ("entities", "relations"):
            seen.clear()
            for number, record in getattr(file, part)():
                assert number == len(seen)
                seen.append(record)

    with pytest.raises(SimpleKGError, match=rf"at {key}\[300\]: not JSON"):
        read_one_by_one()
    assert seen == content[key][:300]


@pytest.mark.parametrize("cut", [1, 2, 3, 100, 20_000])
def test_a_truncated_file_is_not_accepted_as_complete(tmp_path: Path, cut: int) -> None:
    text = json.dumps(document(seed=11))
    path = tmp_path / "graph.json"
    path.write_text(text[:-cut], "utf-8")
    file = SimpleKGFile(path)
    with pytest.raises(SimpleKGError, match="the file is truncated"):
        list(file.entities()), list(file.relations())


def test_a_record_that_is_not_an_object_is_named(tmp_path: Path) -> None:
    content = document(seed=13)
    content["relations"].insert(300, [1])
    path = tmp_path / "graph.json"
    path.write_text(json.dumps(content), "utf-8")
    file = SimpleKGFile(path)
    assert len(list(file.entities())) == len(content["entities"])
    with pytest.raises(SimpleKGError, match=r"relations\[300\] must be an object, not a list"):
        list(file.relations())


def test_a_file_in_an_unexpected_layout_is_refused_by_the_block_reader(tmp_path: Path) -> None:
    for text in ("", "[1, 2]", '{"entities": [{}]}', '{"schema": {}, "entities": [], "relations": []}'):
        path = tmp_path / "graph.json"
        path.write_text(text)
        with path.open("rb") as file, pytest.raises(NotInBlocks):
            drained(entity_blocks(file))
