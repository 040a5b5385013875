"""Dumps of entity documents and of triples give the same graph as an endpoint; a damaged dump is reported."""

import bz2
import gzip
import json
import random
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from graphground.graphs.definitions.read import check_text, read_definition
from graphground.graphs.wikidata.build import build
from graphground.graphs.wikidata.dump_source import Dump, DumpError, DumpSource, blocks, is_ntriples
from graphground.graphs.wikidata.ntriples_source import NTriplesSource, read_triples
from graphground.graphs.wikidata.plan import SourceError
from graphground.graphs.wikidata.sparql_source import truthy_value
from graphground.server.commands.command_line import run
from tests.support.shared_data import SHARED, needs
from tests.support.wikibase_rdf import all_triples
from tests.support.wikidata_documents import GREGORIAN, document, ranked, raw_documents, snak, statement, time_snak
from tests.support.wikidata_places import ENTITY, PLACES, built, built_from_endpoint, merged, place_triples

RAW = needs("wikidata_entities", "entities.jsonl.gz")
pytestmark = pytest.mark.timeout(240)
PROP = "http://www.wikidata.org/prop/"


def dump_text() -> bytes:
    return ("[\n" + ",\n".join(json.dumps(document) for document in raw_documents()) + "\n]\n").encode()


@pytest.fixture(scope="module")
def expected_graph(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """Return the bytes of a build from an endpoint."""
    path = tmp_path_factory.mktemp("expected_graph") / "places.json"
    built_from_endpoint(place_triples(), path)
    return path.read_bytes()


def from_every_source(documents: list[dict[str, Any]], definition: str, folder: Path) -> list[dict[str, Any]]:
    """Return the graphs built from documents, from their triples, and from an endpoint."""
    triples, output = list(all_triples(documents)), folder / "graph.json"
    (folder / "dump.json").write_text("\n".join(map(json.dumps, documents)), "utf-8")
    (folder / "dump.nt").write_text("".join(f"{line}\n" for line in triples), "utf-8")
    graphs = []
    for build_graph in (
        lambda: built(DumpSource(folder / "dump.json"), output, definition),
        lambda: built(NTriplesSource(folder / "dump.nt"), output, definition),
        lambda: built_from_endpoint(triples, output, definition),
    ):
        build_graph()
        graphs.append(json.loads(output.read_bytes()))
    return graphs


def lines_in(order: str) -> list[str]:
    """Return the lines of the full dump of triples in the given order, each ending in a line break."""
    lines = [line + "\n" for line in place_triples()]
    if order == "mixed":
        random.Random(17).shuffle(lines)
    return lines


SOURCES: dict[type[Dump], Callable[[], bytes]] = {
    DumpSource: dump_text,
    NTriplesSource: lambda: "".join(lines_in("mixed")).encode(),
}


@RAW
@pytest.mark.parametrize("kind", ["json.gz", "json.bz2", "no array.jsonl"])
def test_a_build_from_a_dump_gives_the_same_bytes_as_a_build_from_an_endpoint(
    kind: str, expected_graph: bytes, tmp_path: Path
) -> None:
    text, dump = dump_text(), tmp_path / f"dump.{kind}"
    if kind == "json.gz":
        text = gzip.compress(text[:100_000]) + gzip.compress(text[100_000:])
    elif kind == "json.bz2":
        text = b"".join(bz2.compress(text[start : start + 300_000]) for start in range(0, len(text), 300_000))
    elif kind == "no array.jsonl":
        text = b"\n".join(json.dumps(document).encode() for document in raw_documents())
    dump.write_bytes(text)
    built(DumpSource(dump), tmp_path / "places.json")
    assert (tmp_path / "places.json").read_bytes() == expected_graph


@RAW
@pytest.mark.slow
def test_a_build_in_several_processes_gives_the_same_bytes(expected_graph: bytes, tmp_path: Path) -> None:
    (tmp_path / "dump").write_bytes(SOURCES[NTriplesSource]())
    built(NTriplesSource(tmp_path / "dump", processes=2), tmp_path / "places.json")
    assert (tmp_path / "places.json").read_bytes() == expected_graph


@RAW
@pytest.mark.parametrize("kind", SOURCES)
def test_a_truncated_dump_causes_an_error_and_leaves_no_file(kind: type[Dump], tmp_path: Path) -> None:
    dump = tmp_path / "dump"
    dump.write_bytes(gzip.compress(SOURCES[kind]())[:-2000])
    with pytest.raises(DumpError, match=r"cannot be read any further: .*ended before the end"):
        built(kind(dump), tmp_path / "places.json")
    assert not (tmp_path / "places.json").exists()


NO_DUMPS = {
    "empty": b"",
    "readme": b"# How to use this\n\nDownload the dump first.\n",
    "turtle": b"@prefix wd: <http://www.wikidata.org/entity/> .\nwd:Q1 a wd:Q2 .\n",
    "csv": b"id,name\nQ1,universe\n",
    "page": b"<!DOCTYPE html><html><body>404</body></html>\n",
    "binary": bytes(range(256)) * 4,
}


@pytest.mark.parametrize("kind", NO_DUMPS)
def test_a_file_that_is_not_a_dump_is_refused_with_its_first_line(
    kind: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    dump = tmp_path / "dump.gz"
    dump.write_bytes(gzip.compress(NO_DUMPS[kind]))
    (tmp_path / "places.toml").write_text(PLACES, "utf-8")
    command = ["build", str(tmp_path / "places.toml"), "--dump", str(dump), "--output", str(tmp_path / "x.json")]
    assert run("wikidata", command) == 1
    assert "is not a dump of Wikidata" in capsys.readouterr().err
    assert not (tmp_path / "x.json").exists()


@RAW
def test_a_dump_whose_last_lines_are_missing_is_refused(tmp_path: Path) -> None:
    dump = tmp_path / "dump.json"
    dump.write_bytes(b"".join(dump_text().splitlines(keepends=True)[:-3]))
    with pytest.raises(DumpError, match=r"is truncated: it begins with \[ and does not end with \]"):
        built(DumpSource(dump), tmp_path / "places.json")
    assert not (tmp_path / "places.json").exists()


@RAW
def test_lines_that_cannot_be_read_are_reported_by_the_exit_status(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = dump_text().splitlines(keepends=True)
    lines.insert(3, b'{"type":"item","id":"Q99999999","claims":{"P31"\n')
    (tmp_path / "dump.json").write_bytes(b"".join(lines))
    (tmp_path / "places.toml").write_text(PLACES, "utf-8")
    command = ["build", str(tmp_path / "places.toml"), "--dump", str(tmp_path / "dump.json")]
    assert run("wikidata", [*command, "--output", str(tmp_path / "x.json")]) == 1
    assert "the graph may be incomplete" in capsys.readouterr().err


def test_a_dump_without_items_of_the_definition_is_refused(tmp_path: Path) -> None:
    (tmp_path / "dump.json").write_text('{"type":"item","id":"Q1","claims":{}}\n', "utf-8")
    with pytest.raises(SourceError, match=r"the graph would be empty: dump\.json .* has no item of Place"):
        built(DumpSource(tmp_path / "dump.json"), tmp_path / "places.json")


def test_a_missing_dump_causes_an_error(tmp_path: Path) -> None:
    with pytest.raises(DumpError, match="there is no file"):
        built(DumpSource(tmp_path / "dump.json"), tmp_path / "places.json")


@RAW
def test_lines_that_are_not_documents_are_counted_and_skipped(expected_graph: bytes, tmp_path: Path) -> None:
    lines = dump_text().splitlines(keepends=True)
    lines[5:5] = [
        b'{"type":"item","id":"Q99999999","claims":{"P31"\n',
        b"<html>\n",
        b'["a list"],\n',
        b"12\n",
        b'{"type":"item","id":"Q99999998","claims":{"P31":[{"rank":"normal"},7],"P279":{}},"labels":[]}\n',
    ]
    (tmp_path / "dump.json").write_bytes(b"".join(lines))
    source = DumpSource(tmp_path / "dump.json")
    built(source, tmp_path / "places.json")
    assert (tmp_path / "places.json").read_bytes() == expected_graph
    assert source.broken >= 2


@needs("wikidata_entities", "wdtk_mock-dump-with-bugs.json")
def test_a_dump_with_malformed_documents_is_read_to_its_end(tmp_path: Path) -> None:
    definition, _ = check_text('name = "x"\n[nodes.Thing]\nwikidata = ["Q1454986", "Q331769", "Q9415"]\n')
    assert definition is not None
    source = DumpSource(SHARED / "wikidata_entities" / "wdtk_mock-dump-with-bugs.json")
    result = build(definition, source, tmp_path / "x.json")
    assert {entry["reason"] for entry in result.discarded} <= {"a node without a name"}
    assert result.nodes + sum(entry["count"] for entry in result.discarded) >= 2


def test_sparql_in_a_definition_needs_an_endpoint(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match=r"nodes\.Place\.sparql: a dump cannot evaluate SPARQL"):
        built(
            DumpSource(tmp_path / "dump.json"),
            tmp_path / "x.json",
            'name = "x"\n[nodes.Place]\nwikidata = "Q515"\nsparql = "?item wdt:P30 wd:Q46"\n',
        )


@pytest.mark.parametrize("size", [1, 7, 1 << 20])
def test_blocks_are_whole_lines_whatever_their_size(size: int, tmp_path: Path) -> None:
    lines = [b"x" * number for number in range(60)]
    for name, packed in (("a", b"\n".join(lines)), ("a.gz", gzip.compress(b"\n".join(lines)))):
        (tmp_path / name).write_bytes(packed)
        found = list(blocks(tmp_path / name, size=max(size, 4)))
        assert b"".join(found) == b"\n".join(lines)
        assert all(block.endswith(b"\n") for block in found[:-1])


@RAW
def test_a_full_dump_gives_the_same_bytes_as_entity_documents(expected_graph: bytes, tmp_path: Path) -> None:
    (tmp_path / "dump.nt").write_text("".join(sorted(lines_in("as written"))), "utf-8")
    source = NTriplesSource(tmp_path / "dump.nt")
    built(source, tmp_path / "places.json")
    assert (tmp_path / "places.json").read_bytes() == expected_graph
    assert source.notes == []
    assert sorted(path.name for path in tmp_path.iterdir()) == ["dump.nt", "places.discarded.json", "places.json"]


@RAW
def test_packed_escaped_and_repeated_lines_give_the_same_bytes(expected_graph: bytes, tmp_path: Path) -> None:
    lines = ["# a comment\n", "\n", *lines_in("mixed"), *lines_in("as written")[:5000]]
    text = "".join(lines).encode("ascii", "backslashreplace").replace(b"\\x", b"\\u00").replace(b"\n", b"\r\n")
    half = text.index(b"\n", len(text) // 2) + 1
    dump = tmp_path / "dump.nt.gz"
    dump.write_bytes(gzip.compress(text[:half]) + gzip.compress(text[half:]))
    assert is_ntriples(dump)
    built(NTriplesSource(dump), tmp_path / "places.json")
    assert (tmp_path / "places.json").read_bytes() == expected_graph


STARTS = """
    name = "members"
    [nodes.Union]
    wikidata = "Q4120211"
    subclasses = false
    [nodes.Country]
    wikidata = "Q6256"
    [nodes.City]
    from_relationships = ["liesIn"]
    [[relationships]]
    type = "liesIn"
    start = "City"
    end = "Country"
    wikidata = "P17"
"""


@RAW
def test_items_selected_as_starts_of_relationships_are_the_same_from_every_source(tmp_path: Path) -> None:
    for kind, text in SOURCES.items():
        (tmp_path / "dump").write_bytes(text())
        result = built(kind(tmp_path / "dump"), tmp_path / f"{kind.__name__}.json", STARTS)
    built_from_endpoint(place_triples(), tmp_path / "SparqlSource.json", STARTS)
    assert len({path.read_bytes() for path in tmp_path.glob("*Source.json")}) == 1
    assert result.relationships >= 3


def test_a_deprecated_statement_selects_no_start_from_any_source(tmp_path: Path) -> None:
    ranks = {"Q101": "normal", "Q102": "deprecated", "Q103": "preferred"}
    documents = [document("Q100", "Q100", {"P31": ranked("Q100", "P31", {"Q6256": "normal"})})]
    documents += [document(item, item, {"P17": ranked(item, "P17", {"Q100": rank})}) for item, rank in ranks.items()]
    for graph in from_every_source(documents, STARTS + "[types.liesIn]\ntime_bounded = true\n", tmp_path):
        assert {entity["name"] for entity in graph["entities"]} == {"Q100", "Q101", "Q103"}


def test_without_pyoxigraph_the_error_contains_the_install_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pyoxigraph", None)
    with pytest.raises(SourceError, match=r"N-Triples need an extra: .*--extra rdf"):
        built(NTriplesSource(tmp_path / "dump.nt"), tmp_path / "x.json")


@RAW
def test_a_domain_of_cypherbench_is_the_same_as_from_entity_documents(tmp_path: Path) -> None:
    for (kind, text), name in zip(SOURCES.items(), "ab", strict=True):
        (tmp_path / "dump").write_bytes(text())
        build(read_definition("geography"), kind(tmp_path / "dump"), tmp_path / f"{name}.json")
    assert (tmp_path / "a.json").read_bytes() == (tmp_path / "b.json").read_bytes()
    discarded = [json.loads((tmp_path / f"{name}.discarded.json").read_bytes()) for name in "ab"]
    for entry in (*discarded[0], *discarded[1]):
        # Statements of the same item come in the order of their identifiers, or of their values.
        entry["examples"].sort()
    assert discarded[0] == discarded[1]


JULIAN = f"{ENTITY}Q1985786"
RARE_TIMES = [
    (text, precision, calendar)
    for calendar in (GREGORIAN, JULIAN)
    for precision in (7, 8, 9, 10, 11)
    for text in (
        "+1999-00-00", "+1999-07-00", "+1999-00-05", "+1999-02-29", "+2000-02-29", "+1900-02-29", "+1999-04-31",
        "+1999-02-31", "+0000-00-00", "+0000-05-12", "-0044-03-15", "-0001-00-00", "-0001-02-29", "-4714-02-29",
        "-4713-11-24", "-4000000-00-00", "+12000-02-29", "+1582-10-10", "+0001-01-01", "+1600-02-29", "+1700-02-29",
        "+1999-13-01",
    )
]  # fmt: skip
RARE_POINTS = [
    {"longitude": longitude, "latitude": latitude, "globe": globe}
    for longitude, latitude in ((13, 52.5), (-0.00001, 1e-7), (2.3513888888889, 48.856944444444445), (180.0, -90))
    for globe in (f"{ENTITY}Q2", f"{ENTITY}Q405", None, f"{ENTITY}Q111".replace("http:", "https:"))
]
RARE_TEXTS = [
    ("geo-shape", "Data:Kuala Lumpur.map"),
    ("tabular-data", "Data:Zürich/Population, 2020 (1).tab"),
    ("commonsMedia", "A & B – c's 100%.jpg"),
    ("string", "  a text in spaces "),
    ("external-id", "+x0044"),
]


def rare_documents() -> list[dict[str, Any]]:
    """Return documents with one rare value each, in the properties of `RARE`."""
    snaks = [time_snak("P1", f"{text}T00:00:00Z", precision, calendar) for text, precision, calendar in RARE_TIMES]
    snaks += [snak("P2", "globe-coordinate", {**point, "altitude": None, "precision": 0.1}) for point in RARE_POINTS]
    snaks += [snak("P3", datatype, text) for datatype, text in RARE_TEXTS]
    documents = []
    for number, rare in enumerate(snaks, start=1):
        key = f"Q{number + 100}"
        claims = {"P31": ranked(key, "P31", {"Q515": "normal"}), rare["property"]: [statement(key, 0, rare)]}
        documents.append(document(key, f"item {number}", claims))
    return documents


RARE = """\
name = "rare"
[nodes.Thing]
wikidata = "Q515"
[nodes.Thing.properties]
text = { type = "str", wikidata = "P1" }
year = { type = "int", wikidata = "P1" }
day = { type = "date", wikidata = "P1" }
point = { type = "str", wikidata = "P2" }
shape = { type = "str", wikidata = "P3" }
"""


def test_rare_values_give_the_same_nodes_from_entity_documents_and_from_triples(tmp_path: Path) -> None:
    documents = rare_documents()
    graphs = from_every_source(documents, RARE, tmp_path)
    nodes, *others = ({node["eid"]: node["properties"] for node in graph["entities"]} for graph in graphs)
    assert len(nodes) == len(documents)
    assert others == [nodes, nodes]
    found = list(nodes.values())
    assert found[len(RARE_TIMES) + 1]["point"] == f"<{ENTITY}Q405> Point(13 52.5)"
    assert found[RARE_TIMES.index(("+1999-02-29", 11, GREGORIAN))]["day"] == "1999-02-28"
    assert not {"text", "year", "day"} & found[RARE_TIMES.index(("+0000-05-12", 11, GREGORIAN))].keys()


@RAW
def test_a_merged_item_is_replaced_by_the_item_that_it_was_merged_into(expected_graph: bytes, tmp_path: Path) -> None:
    twins = PLACES.replace('"P47"', '"P190"')
    lines = lines_in("mixed")
    for name, text in (("a", lines), ("b", merged(lines))):
        (tmp_path / f"{name}.nt").write_text("".join(text), "utf-8")
        built(NTriplesSource(tmp_path / f"{name}.nt"), tmp_path / f"{name}.json", twins)
    assert (tmp_path / "a.json").read_bytes() == (tmp_path / "b.json").read_bytes()


@RAW
def test_a_truthy_dump_gives_the_best_values_and_missing_parts_are_reported(
    expected_graph: bytes, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = [line + "\n" for line in all_triples(raw_documents(), truthy_only=True)]
    (tmp_path / "truthy.nt.gz").write_bytes(gzip.compress("".join(lines).encode()))
    (tmp_path / "places.toml").write_text(PLACES, "utf-8")
    output = tmp_path / "places.json"
    command = ["build", str(tmp_path / "places.toml"), "--dump", str(tmp_path / "truthy.nt.gz")]
    assert run("wikidata", [*command, "--output", str(output)]) == 0
    printed = capsys.readouterr().out
    assert "The dump is truthy" in printed
    assert (
        "Properties that need units or qualifiers have no values, and relationships that have ended may be missing: "
        "Place.area_km2, Place.elevation_m, lies, lies.start_year, lies.end_year."
    ) in printed
    truthy, full = json.loads(output.read_bytes()), json.loads(expected_graph)
    nodes, expected = ({entity["eid"]: entity for entity in graph["entities"]} for graph in (truthy, full))
    assert nodes.keys() == expected.keys()
    for eid, node in nodes.items():
        for key, value in node["properties"].items():
            if key != "founded":
                assert expected[eid]["properties"][key] == value
        assert not {"area_km2", "elevation_m"} & node["properties"].keys()
    assert nodes["Place#Q191"]["properties"]["founded"] == "1918-02-24"
    assert "founded" not in nodes["Place#Q232"]["properties"]  # 1991, which truthy triples write as 1 January
    assert nodes["Place#Q232"]["properties"]["inception_year"] == 1991
    discarded = json.loads((tmp_path / "places.discarded.json").read_text("utf-8"))
    assert {entry["reason"] for entry in discarded if entry["place"] == "Place.area_km2"} == {"no unit"}
    pairs, known = (
        {(relation["label"], relation["subj_id"], relation["obj_id"]) for relation in graph["relations"]}
        for graph in (truthy, full)
    )
    assert pairs <= known
    assert {pair for pair in pairs if pair[0] == "borders"} == {pair for pair in known if pair[0] == "borders"}


def test_a_relationship_whose_end_is_a_qualifier_needs_a_full_dump(tmp_path: Path) -> None:
    (tmp_path / "a.nt").write_text(f"<{ENTITY}Q1> <{PROP}direct/P31> <{ENTITY}Q515> .\n", "utf-8")
    definition = (
        'name = "x"\n[nodes.A]\nwikidata = "Q515"\n[nodes.B]\nfrom_relationships = ["r"]\n[[relationships]]\ntype = "r"\n'
        'start = "A"\nend = "B"\nwikidata = "P1"\nqualifier = "P2"\n'
    )
    with pytest.raises(
        SourceError, match=r"its end is a qualifier, which a truthy dump does not contain; use a full dump"
    ):
        built(NTriplesSource(tmp_path / "a.nt"), tmp_path / "x.json", definition)


@RAW
def test_unreadable_lines_are_counted_and_skipped(expected_graph: bytes, tmp_path: Path) -> None:
    lines = [line.encode() + b"\n" for line in place_triples()]
    lines[5:5] = [
        b"<html>\n",
        f"<{ENTITY}Q191> <{PROP}direct/P31> <{ENTITY}Q5>\n".encode(),
        f'<{ENTITY}Q191> <{PROP}direct/P47> "never closed .\n'.encode(),
        f"<{ENTITY}Q191> <{PROP}direct/P47> ".encode() + b'"\xff" .\n',
        f"<{ENTITY}L7> <{PROP}direct/P31> <{ENTITY}Q6256> .\n".encode(),
        f"<{ENTITY}Q19".encode() + b"\n",
    ]
    (tmp_path / "dump.nt").write_bytes(b"".join(lines))
    source = NTriplesSource(tmp_path / "dump.nt")
    built(source, tmp_path / "places.json")
    assert (tmp_path / "places.json").read_bytes() == expected_graph
    assert source.broken == 3
    assert source.notes == ["Lines of the dump that are not N-Triples and were left out: 3."]


@RAW
def test_an_interrupted_build_resumes_without_reading_the_statements_again(
    expected_graph: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "dump.nt").write_text("".join(lines_in("mixed")), "utf-8")
    steps: list[str] = []
    source = NTriplesSource(tmp_path / "dump.nt", lambda step, done, total: steps.append(step))

    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(source, "names", interrupted)
        with pytest.raises(KeyboardInterrupt):
            built(source, tmp_path / "places.json")
    assert "statements" in steps
    steps.clear()
    built(source, tmp_path / "places.json")
    assert set(steps) == {"names"}
    assert (tmp_path / "places.json").read_bytes() == expected_graph


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b"<a> <b> <c> .\n", True),
        (b"# triples\n<a> <b> <c> .\n", True),
        (b"\n\n_:b <b> <c> .\n", True),
        (b"[\n", False),
        (b'{"id": "Q1"}', False),
    ],
)
def test_the_kind_of_a_dump_is_detected_from_its_content(content: bytes, expected: bool, tmp_path: Path) -> None:
    for name, packed in (("a", content), ("a.gz", gzip.compress(content)), ("a.bz2", bz2.compress(content))):
        (tmp_path / name).write_bytes(packed)
        assert is_ntriples(tmp_path / name) is expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [("1918-02-24", (1918, 2, 24, 11)), ("1918-02-01", (1918, 2, 0, 10)), ("-0043-01-01", (-44, 0, 0, 9))],
)
def test_a_truthy_date_is_read_with_the_greatest_possible_precision(text: str, expected: tuple[int, ...]) -> None:
    term = {"type": "literal", "value": f"{text}T00:00:00Z", "datatype": "http://www.w3.org/2001/XMLSchema#dateTime"}
    assert truthy_value(term) == ("time", *expected)


def test_lines_in_any_layout_are_read_and_others_are_left_out() -> None:
    block = b'<a> <b> <c> .\r\n\t<a>  <b>\t"c d"@en .\n\n# <b> <b> .\n<a> <b>\n<a> <x> <c> .\n<a> <b> <c>.'
    assert list(read_triples(block, {b"<b>"})) == [
        [b"<a>", b"<b>", b"<c> .\r"],
        [b"<a>", b"<b>", b'"c d"@en .'],
        [b"#", b"<b>", b"<b> ."],
        [b"<a>", b"<b>", b"<c>."],
    ]
