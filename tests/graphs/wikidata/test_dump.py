"""A dump gives the same graph as an endpoint, however it is compressed; a damaged dump is reported."""

import bz2
import gzip
import json
from contextlib import closing
from pathlib import Path

import pytest

from graphground.graphs.definitions.read import check_text
from graphground.graphs.wikidata.build import Built, build
from graphground.graphs.wikidata.dump_source import DumpError, DumpSource, blocks
from graphground.graphs.wikidata.endpoint import Endpoint
from graphground.graphs.wikidata.plan import SourceError
from graphground.graphs.wikidata.sparql_source import SparqlSource
from graphground.server.commands.wikidata import main
from tests.support.shared_data import SHARED, needs
from tests.support.sparql_endpoint import SparqlEndpoint
from tests.support.wikidata_documents import raw_documents
from tests.support.wikidata_places import PLACES, place_triples, places

RAW = needs("wikidata_entities", "entities.jsonl.gz")
pytestmark = pytest.mark.timeout(240)


def dump_text() -> bytes:
    return ("[\n" + ",\n".join(json.dumps(document) for document in raw_documents()) + "\n]\n").encode()


@pytest.fixture(scope="module")
def expected_graph(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """Return the bytes of a build from an endpoint."""
    path = tmp_path_factory.mktemp("expected_graph") / "places.json"
    with SparqlEndpoint(place_triples()) as endpoint, closing(SparqlSource(Endpoint(endpoint.url))) as source:
        build(places(), source, path)
    return path.read_bytes()


def built(dump: Path, output: Path, definition: str = PLACES, processes: int | None = None) -> Built:
    read, problems = check_text(definition)
    assert read is not None, problems
    return build(read, DumpSource(dump, processes=processes), output)


@RAW
@pytest.mark.parametrize("kind", ["json", "json.gz", "json.bz2", "one stream.bz2", "no array.jsonl"])
def test_a_build_from_a_dump_gives_the_same_bytes_as_a_build_from_an_endpoint(
    kind: str, expected_graph: bytes, tmp_path: Path
) -> None:
    text, dump = dump_text(), tmp_path / f"dump.{kind}"
    if kind == "json.gz":
        text = gzip.compress(text[:100_000]) + gzip.compress(text[100_000:])
    elif kind == "json.bz2":
        text = b"".join(bz2.compress(text[start : start + 300_000]) for start in range(0, len(text), 300_000))
    elif kind == "one stream.bz2":
        text = bz2.compress(text)
    elif kind == "no array.jsonl":
        text = b"\n".join(json.dumps(document).encode() for document in raw_documents())
    dump.write_bytes(text)
    built(dump, tmp_path / "places.json")
    assert (tmp_path / "places.json").read_bytes() == expected_graph


@RAW
@pytest.mark.slow
def test_a_build_in_several_processes_gives_the_same_bytes(expected_graph: bytes, tmp_path: Path) -> None:
    (tmp_path / "dump.json").write_bytes(dump_text())
    built(tmp_path / "dump.json", tmp_path / "places.json", processes=2)
    assert (tmp_path / "places.json").read_bytes() == expected_graph


@RAW
def test_items_selected_as_starts_of_relationships_are_the_same_from_a_dump_and_an_endpoint(tmp_path: Path) -> None:
    definition = """
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
    (tmp_path / "dump.json").write_bytes(dump_text())
    result = built(tmp_path / "dump.json", tmp_path / "a.json", definition)
    read, _ = check_text(definition)
    assert read is not None
    with SparqlEndpoint(place_triples()) as endpoint, closing(SparqlSource(Endpoint(endpoint.url))) as source:
        build(read, source, tmp_path / "b.json")
    assert (tmp_path / "a.json").read_bytes() == (tmp_path / "b.json").read_bytes()
    assert result.relationships >= 3


@RAW
@pytest.mark.parametrize("packing", ["json.gz", "json.bz2"])
def test_a_truncated_dump_causes_an_error_and_leaves_no_file(packing: str, tmp_path: Path) -> None:
    compress = gzip.compress if packing == "json.gz" else bz2.compress
    dump = tmp_path / f"dump.{packing}"
    dump.write_bytes(compress(dump_text())[:-2000])
    with pytest.raises(DumpError, match="cannot be read any further: it is truncated"):
        built(dump, tmp_path / "places.json")
    assert not (tmp_path / "places.json").exists()


NO_DUMPS = {
    "empty": b"",
    "comments": b"# Wikidata\n\n# a readme\n",
    "readme": b"# How to use this\n\nDownload the dump first.\n",
    "turtle": b"@prefix wd: <http://www.wikidata.org/entity/> .\nwd:Q1 a wd:Q2 .\n",
    "prefixes in capitals": b"PREFIX wd: <http://www.wikidata.org/entity/>\nwd:Q1 a wd:Q2 .\n",
    "turtle with addresses": b"<http://www.wikidata.org/entity/Q1> a <http://www.wikidata.org/entity/Q2> .\n",
    "csv": b"id,name\nQ1,universe\n",
    "page": b"<!DOCTYPE html><html><body>404</body></html>\n",
    "list": b"[1, 2, 3]\n",
    "binary": bytes(range(256)) * 4,
}


@pytest.mark.parametrize("kind", NO_DUMPS)
@pytest.mark.parametrize("packing", ["", ".gz"])
def test_a_file_that_is_not_a_dump_is_refused_with_its_first_line(
    kind: str, packing: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    dump = tmp_path / f"dump{packing}"
    dump.write_bytes(gzip.compress(NO_DUMPS[kind]) if packing else NO_DUMPS[kind])
    (tmp_path / "places.toml").write_text(PLACES, "utf-8")
    command = ["build", str(tmp_path / "places.toml"), "--dump", str(dump), "--output", str(tmp_path / "x.json")]
    assert main(command) == 1
    assert "is not a dump of Wikidata" in capsys.readouterr().err
    assert not (tmp_path / "x.json").exists()


@RAW
def test_a_dump_whose_last_lines_are_missing_is_refused(tmp_path: Path) -> None:
    dump = tmp_path / "dump.json"
    dump.write_bytes(b"".join(dump_text().splitlines(keepends=True)[:-3]))
    with pytest.raises(DumpError, match=r"is truncated: it begins with \[ and does not end with \]"):
        built(dump, tmp_path / "places.json")
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
    assert main([*command, "--output", str(tmp_path / "x.json")]) == 1
    assert "the graph may be incomplete" in capsys.readouterr().err


def test_a_dump_without_items_of_the_definition_is_refused(tmp_path: Path) -> None:
    (tmp_path / "dump.json").write_text('{"type":"item","id":"Q1","claims":{}}\n', "utf-8")
    with pytest.raises(SourceError, match=r"the graph would be empty: dump\.json .* has no item of Place"):
        built(tmp_path / "dump.json", tmp_path / "places.json")


def test_a_missing_dump_causes_an_error(tmp_path: Path) -> None:
    with pytest.raises(DumpError, match="there is no file"):
        built(tmp_path / "dump.json", tmp_path / "places.json")


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
    build(places(), source, tmp_path / "places.json")
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
            tmp_path / "dump.json",
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


def test_lines_that_unpack_to_many_bytes_are_read_in_small_blocks(tmp_path: Path) -> None:
    lines = [b"x" * (length % 90) + b"\n" for length in range(50_000)] + [b"y" * 30_000 + b"\n"] + [b"z\n"] * 20_000
    dump = tmp_path / "dump.gz"
    dump.write_bytes(gzip.compress(b"".join(lines)))
    found = list(blocks(dump, size=4096))
    assert b"".join(found) == b"".join(lines)
    assert all(block.endswith(b"\n") for block in found)
    assert sorted(map(len, found))[-2] <= 8192
    assert max(map(len, found)) <= 30_001
