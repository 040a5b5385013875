"""Dates and times come through every way in, and out again, unchanged; queries see them as Neo4j does."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

import pyarrow
import pyarrow.parquet
import pytest

from graphground.graphs.engines.bolt import BoltEngine
from graphground.graphs.engines.embedded.engine import EmbeddedEngine
from graphground.graphs.engines.embedded.launcher import end_engine
from graphground.graphs.engines.temporal import function_for, is_zoned, kind_of, read_date, read_datetime, read_time
from graphground.graphs.loading.importing.database import DatabaseSource
from graphground.graphs.loading.importing.mapping import import_folder, infer
from graphground.graphs.loading.importing.property_graph import file_source, import_records
from graphground.graphs.loading.importing.records import ImportRefused
from graphground.graphs.loading.into_database import load_into
from graphground.graphs.loading.load import export_graph, load_file
from graphground.graphs.loading.simplekg import RecordChecks, SimpleKGError, SimpleKGFile, check_of, embedded_check
from graphground.graphs.storage.home import Catalog, Home
from tests.support.documents import make_entity, make_relation, schema_document
from tests.support.neo4j_server import Neo4jServer, seeded
from tests.support.times import ALL, FORMS, LOCAL, ZONED

EXPECTED = {label: {"type": type_, **{text: text for text in texts}} for label, (texts, type_, _) in FORMS.items()}
pytestmark = pytest.mark.timeout(240)


def simplekg(path: Path) -> None:
    labels = {label: {"v": type_, "all": f"list[{type_}]"} for label, (_, type_, _) in FORMS.items()}
    document = {
        "schema": schema_document("times", labels, ["Zoned AT Zoned"], {"AT": {"v": "datetime"}}),
        "entities": [
            make_entity(f"{label}{number}", label, text, v=text, all=[text, text])
            for number, (label, text) in enumerate(ALL)
        ],
        "relations": [
            make_relation(number, "AT", "Zoned0", "Zoned1", v=text) for number, text in enumerate((*ZONED, *LOCAL))
        ],
    }
    path.write_text(json.dumps(document))


def values_in(path: Path) -> dict[str, dict[str, Any]]:
    """Return the type and the values, by name, of the property `v` of each label of a SimpleKG file."""
    graph = json.loads(path.read_bytes())
    types = {label["label"]: label["properties"].get("v") for label in graph["schema"]["entities"]}
    found: dict[str, dict[str, Any]] = {label: {"type": type_} for label, type_ in types.items()}
    for entity in graph["entities"]:
        found[entity["label"]][entity["name"]] = entity["properties"]["v"]
    return found


@pytest.fixture(scope="module")
def stored(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Home]:
    folder = tmp_path_factory.mktemp("times")
    home = Home(folder / "home")
    simplekg(folder / "times.json")
    load_file(folder / "times.json", home)
    yield home
    end_engine(home, kill=True)


def test_a_loaded_graph_exports_every_time_as_it_was(stored: Home, tmp_path: Path) -> None:
    simplekg(tmp_path / "before.json")
    export_graph("times", tmp_path / "after.json", stored)
    before, after = (json.loads((tmp_path / name).read_bytes()) for name in ("before.json", "after.json"))
    assert {node["eid"]: node["properties"] for node in after["entities"]} == {
        node["eid"]: node["properties"] for node in before["entities"]
    }
    assert sorted(link["properties"]["v"] for link in after["relations"]) == sorted((*ZONED, *LOCAL))


def queries() -> Iterator[str]:
    clock = ("hour", "minute", "second", "millisecond", "microsecond", "nanosecond")
    day = ("year", "month", "day", "week", "dayOfWeek", "quarter", "ordinalDay")
    zone = ("timezone", "offset", "offsetSeconds")
    accessors = {
        "Zoned": (*day, *clock, *zone, "epochMillis", "epochSeconds"),
        "Local": (*day, *clock),
        "Day": day,
        "ZonedClock": (*clock, *zone),
        "LocalClock": clock,
    }
    for label, (texts, _, function) in FORMS.items():
        match = f"MATCH (n:{label})"
        yield f"{match} RETURN n.name, n.v, n.all ORDER BY n.name"
        yield f"{match} RETURN n.name ORDER BY n.v, n.name"
        yield f"{match} RETURN n.name ORDER BY n.v DESC, n.name"
        yield f"{match} RETURN min(n.v), max(n.v), count(DISTINCT n.v)"
        for sign in ("<", "<=", "="):
            yield f"MATCH (a:{label}), (b:{label}) WHERE a.v {sign} b.v RETURN a.name, b.name ORDER BY a.name, b.name"
        yield from (f"{match} RETURN n.name, n.v.{key} ORDER BY n.name" for key in accessors[label])
        for text in texts:
            if not text.startswith(("-", "+", "1900")) and text[:13] != "2024-10-27T02":  # see docs/databases.md
                yield f"{match} WHERE n.v = {function}('{text}') RETURN n.name"
                yield f"{match} WHERE n.v >= {function}('{text}') RETURN n.name ORDER BY n.name"
    yield "MATCH (n:Zoned) RETURN n.name, date(n.v), n.v + duration('P1DT1H') ORDER BY n.name"


def test_a_neo4j_gets_every_time_gives_it_back_unchanged_and_sees_it_as_the_embedded_engine_does(
    stored: Home, neo4j_5: Neo4jServer, tmp_path: Path
) -> None:
    simplekg(tmp_path / "times.json")
    seeded(neo4j_5, "MATCH (n) DETACH DELETE n")
    load_into(tmp_path / "times.json", neo4j_5.address)
    import_records(DatabaseSource(neo4j_5.address), "t", tmp_path / "copy.json")
    assert values_in(tmp_path / "copy.json") == EXPECTED
    relations = json.loads((tmp_path / "copy.json").read_bytes())["relations"]
    assert sorted(link["properties"]["v"] for link in relations) == sorted((*ZONED, *LOCAL))
    database = BoltEngine(neo4j_5.address)
    embedded = EmbeddedEngine(stored, Catalog(stored).get("times").id)
    try:
        different = [
            query
            for query in queries()
            if embedded.run(query, limit=5_000, timeout=30).rows != database.run(query, limit=5_000, timeout=30).rows
        ]
    finally:
        embedded.close()
        database.close()
    assert different == []


def test_csv_keeps_every_time(tmp_path: Path) -> None:
    for label, (texts, _, _) in FORMS.items():
        with (tmp_path / f"{label}.csv").open("w", newline="") as file:
            csv.writer(file).writerows([("name", "v"), *((text, text) for text in texts)])
    import_folder(tmp_path, infer(tmp_path, "times"), tmp_path / "out.json")
    assert values_in(tmp_path / "out.json") == EXPECTED


def test_json_lines_and_graphml_keep_every_time(tmp_path: Path) -> None:
    lines = [
        json.dumps({"type": "node", "id": str(number), "labels": [label], "properties": {"name": text, "v": text}})
        for number, (label, text) in enumerate(ALL)
    ]
    (tmp_path / "times.jsonl").write_text("\n".join(lines))
    data = "".join(
        f'<node id="{number}" labels=":{label}"><data key="name">{escape(text)}</data><data key="v">{text}</data></node>'
        for number, (label, text) in enumerate(ALL)
    )
    (tmp_path / "times.graphml").write_text(
        '<graphml xmlns="http://graphml.graphdrawing.org/xmlns"><key id="name" for="node" attr.name="name" '
        'attr.type="string"/><key id="v" for="node" attr.name="v" attr.type="string"/>'
        f'<graph edgedefault="directed">{data}</graph></graphml>'
    )
    for name in ("times.jsonl", "times.graphml"):
        import_records(file_source(tmp_path / name), "times", tmp_path / "out.json")
        assert values_in(tmp_path / "out.json") == EXPECTED, name


def test_parquet_keeps_the_zone_and_the_nanoseconds_of_its_columns(tmp_path: Path) -> None:
    second, instants = 10**9, [0, 1_719_817_200 * 10**9 + 123_456_789, -62_167_219_200 * 10**6]
    columns = {
        "id": pyarrow.array(["a", "b", "c"]),
        "ns": pyarrow.array([0, instants[1], -1], pyarrow.timestamp("ns")),
        "us": pyarrow.array([0, 5, instants[2]], pyarrow.timestamp("us", "UTC")),
        "paris": pyarrow.array([0, instants[1], None], pyarrow.timestamp("ns", "Europe/Paris")),
        "half": pyarrow.array([0, 1, 2], pyarrow.timestamp("s", "+05:30")),
        "clock": pyarrow.array([0, 12 * 3600 * second + 1, None], pyarrow.time64("ns")),
        "day": pyarrow.array([-719_528, 0, 2_932_897], pyarrow.date32()),
        "days": pyarrow.array([[0, 1], [], None], pyarrow.list_(pyarrow.date32())),
        "moments": pyarrow.array([[0, None, 1], None, [2]], pyarrow.list_(pyarrow.timestamp("ns", "UTC"))),
    }
    pyarrow.parquet.write_table(pyarrow.table(columns), tmp_path / "things.parquet")
    import_folder(tmp_path, infer(tmp_path, "things"), tmp_path / "out.json")
    first, second_row, third = (
        entity["properties"] for entity in json.loads((tmp_path / "out.json").read_bytes())["entities"]
    )
    expected = ("1970-01-01T00:00:00", "2024-07-01T07:00:00.123456789", "1969-12-31T23:59:59.999999999")
    assert (first["ns"], second_row["ns"], third["ns"]) == expected
    assert (second_row["us"], third["us"]) == ("1970-01-01T00:00:00.000005Z", "0000-01-01T00:00:00Z")
    assert second_row["paris"] == "2024-07-01T09:00:00.123456789+02:00[Europe/Paris]"
    assert first["half"] == "1970-01-01T05:30:00+05:30"
    assert second_row["clock"] == "12:00:00.000000001"
    assert (first["day"], third["day"]) == ("0000-01-01", "+10000-01-01")
    assert first["days"] == ["1970-01-01", "1970-01-02"]
    assert first["moments"] == ["1970-01-01T00:00:00Z", "1970-01-01T00:00:00.000000001Z"]
    assert third["moments"] == ["1970-01-01T00:00:00.000000002Z"]


@pytest.mark.parametrize(
    ("value", "problem"),
    [
        ("2023-02-29T00:00:00", "not a calendar day"),
        ("2024-03-31T02:30:00[Europe/Paris]", "the clocks of Europe/Paris skip"),
        ("2024-07-01T09:00:00+05:00[Europe/Paris]", "whose offset is +02:00 then"),
        ("2024-07-01T09:00:00[Mars/Olympus]", "the time zone Mars/Olympus, which is not known"),
        ("1500-01-01T00:00:00.123456789", "its years are 1678 to 2261"),
        (["2024-01-01T00:00:00Z", "2024-01-01T00:00:00"], "a list of values of one kind"),
    ],
)
def test_a_time_that_cannot_be_stored_is_refused_with_its_record(value: Any, problem: str, tmp_path: Path) -> None:
    simplekg(tmp_path / "times.json")
    file = SimpleKGFile(tmp_path / "times.json")
    key = "all" if isinstance(value, list) else "v"
    with pytest.raises(SimpleKGError) as refused:
        RecordChecks(file.schema, embedded=True).entity(3, make_entity("Zoned3", "Zoned", "x", **{key: value}))
    assert "entities[3] (eid 'Zoned3')" in str(refused.value)
    assert problem in str(refused.value)


def test_only_the_embedded_engine_refuses_local_nanoseconds_outside_its_years() -> None:
    text = "1500-01-01T00:00:00.123456789"
    assert check_of("datetime")(text) == text
    with pytest.raises(ValueError, match="1678 to 2261"):
        embedded_check("datetime")(text)


def test_an_impossible_day_in_a_column_of_days_is_an_error_with_its_row(tmp_path: Path) -> None:
    days = tmp_path / "days.csv"
    days.write_text("id,day\n1,2024-02-28\n2,2023-02-29\n3,2024-02-29\n")
    with pytest.raises(ImportRefused, match=r"days.csv, line 3: day: '2023-02-29' is not a calendar day"):
        import_folder(tmp_path, infer(days, "days"), tmp_path / "out.json")
    days.write_text("id,day\n1,never\n2,2023-02-29\n")
    import_folder(tmp_path, infer(days, "days"), tmp_path / "out.json")
    assert "2023-02-29" in (tmp_path / "out.json").read_text()


def test_texts_are_read_in_their_usual_forms() -> None:
    assert read_datetime("2024-07-01 09:00+0200") == "2024-07-01T09:00:00+02:00"
    assert read_datetime("2024-07-01T09:00:00.500-00:00") == "2024-07-01T09:00:00.5Z"
    assert read_datetime("2024-10-27T02:30[Europe/Paris]") == "2024-10-27T02:30:00+02:00[Europe/Paris]"
    assert (read_time("09:00+09"), read_date("-0044-03-15")) == ("09:00:00+09:00", "-0044-03-15")
    for label, (texts, type_, function) in FORMS.items():
        for text in texts:
            assert (kind_of(text), function_for(text)) == (type_, function), (label, text)
            assert type_ == "date" or is_zoned(text) == (not function.startswith("local"))
