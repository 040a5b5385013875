"""A SimpleKG file gives the same records by its lines as event by event, and in any other layout too."""

import gzip
import json
import random
from pathlib import Path
from typing import Any

import pytest

from graphground.graphs.loading.simplekg import OtherLayout, SimpleKGError, SimpleKGFile
from tests.support.small_graph import small

HARD = ['x},{"eid":', '}],"relations":[{', '"},\n{"eid"', "\\", '\\"}', "é∞\u2028", "}]}", "", "[[{{"]

PARTS = ("entities", "relations")


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
        parts = [f'"{key}": [\n' + ",\n".join(json.dumps(record) for record in content[key]) + "\n]" for key in PARTS]
        return '{"schema": ' + json.dumps(content["schema"]) + ",\n" + ",\n".join(parts) + "}\n"
    return json.dumps(
        content,
        indent={"indented": 2}.get(shape),
        separators=(",", ":") if shape == "compact" else None,
        ensure_ascii=shape != "utf-8",
    )


@pytest.mark.parametrize("zipped", [False, True])
@pytest.mark.parametrize("shape", ["lines", "compact", "indented", "spaced", "utf-8"])
def test_a_file_in_any_layout_gives_every_record(tmp_path: Path, shape: str, zipped: bool) -> None:
    content = document(seed=len(shape))
    text = as_text(content, shape).encode()
    path = tmp_path / ("graph.json.gz" if zipped else "graph.json")
    path.write_bytes(gzip.compress(text) if zipped else text)
    file = SimpleKGFile(path)
    for part in PARTS:
        assert [record for _, record in getattr(file, part)()] == content[part]
        if shape in ("lines", "indented"):
            assert list(file._blocks(part)) == content[part]
        else:
            with pytest.raises(OtherLayout):
                list(file._blocks(part))


@pytest.mark.parametrize(
    "order",
    [
        ("schema", "entities", "relations"),
        ("entities", "schema", "relations"),
        ("relations", "entities", "schema"),
        ("schema", "relations", "entities", "more"),
    ],
)
def test_a_file_in_any_order_gives_every_record(tmp_path: Path, order: tuple[str, ...]) -> None:
    content = document(seed=5)
    content["more"] = {"entities": [{"eid": "no entity"}]}
    path = tmp_path / "graph.json.gz"
    path.write_bytes(gzip.compress(json.dumps({key: content[key] for key in order}).encode()))
    for first, second in (("entities", "relations"), ("relations", "entities")):
        file = SimpleKGFile(path)
        for part in (first, second):
            found = list(getattr(file, part)())
            assert found == list(enumerate(content[part]))


@pytest.mark.parametrize(
    ("key", "shape"), [("entities", "compact"), *((key, its) for key in PARTS for its in ("lines", "indented"))]
)
def test_invalid_json_in_the_middle_is_reported_at_its_position(tmp_path: Path, key: str, shape: str) -> None:
    content = document(seed=9)
    content[key][300]["mark"] = "here"
    path = tmp_path / "graph.json"
    path.write_text(as_text(content, shape).replace('"here"', "here"), "utf-8")
    file = SimpleKGFile(path)
    seen: list[Any] = []

    def read_one_by_one() -> None:
        for part in PARTS:
            seen.clear()
            for number, record in getattr(file, part)():
                assert number == len(seen)
                seen.append(record)

    with pytest.raises(SimpleKGError, match=rf"at {key}\[300\]: not JSON"):
        read_one_by_one()
    assert seen == content[key][:300]


@pytest.mark.parametrize("cut", [1, 100, 20_000])
def test_a_truncated_file_is_not_accepted_as_complete(tmp_path: Path, cut: int) -> None:
    text = json.dumps(document(seed=11))
    path = tmp_path / "graph.json"
    path.write_text(text[:-cut], "utf-8")
    file = SimpleKGFile(path)
    with pytest.raises(SimpleKGError, match="the file is truncated"):
        list(file.entities()), list(file.relations())
