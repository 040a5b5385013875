"""Hostile files: each is refused with one sentence, in little memory and time; no file that it refers to is read."""

from __future__ import annotations

import gzip
import io
import json
from pathlib import Path

import pyarrow
import pytest
from pyarrow import parquet

from graphground.graphs.loading.importing import property_graph, records
from graphground.graphs.loading.importing.mapping import import_folder, infer
from graphground.graphs.loading.importing.property_graph import file_source, import_records
from graphground.graphs.loading.importing.records import ImportRefused, check_entities

RDF = '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:e="http://e/">'
GRAPHML = '<graphml xmlns="http://graphml.graphdrawing.org/xmlns">'
NESTED = "".join(f'<!ENTITY l{number} "{f"&l{number - 1};" * 10}">' for number in range(1, 12))


def node(**changed: object) -> str:
    return json.dumps({"type": "node", "id": "1", "labels": ["A"], "properties": {"name": "x"}, **changed})


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("a.rdf", f'<!DOCTYPE r [<!ENTITY l0 "lol">{NESTED}]>{RDF}<e:A e:p="&l11;"/></rdf:RDF>', "the entity 'l1'"),
        ("a.rdf", f'<!DOCTYPE r [<!ENTITY x SYSTEM "file:///etc/hostname">]>{RDF}</rdf:RDF>', "the entity 'x'"),
        ("a.rdf", f'<!DOCTYPE r [<!ENTITY a "b"><!ENTITY x "&#38;a;">]>{RDF}</rdf:RDF>', "the entity 'x'"),
        ("a.jsonld", '{"@id": "http://e/a", "http://e/p": ' * 2_000 + "1" + "}" * 2_000, "not JSON: depth limit"),
        ("a.jsonld", '{"@context": "http://127.0.0.1:9/", "@id": "http://e/a", "p": 1}', "remote context"),
        ("a.nt", "<http://e/a> <http://e/q> <<( <http://e/a> <http://e/p> <http://e/b> )>> .", "about a statement"),
        (
            "a.graphml",
            f'<!DOCTYPE g [<!ENTITY x SYSTEM "file:///etc/hostname">]>{GRAPHML}</graphml>',
            "the entity 'x' is not allowed",
        ),
        ("a.graphml", f'<?xml version="1.0" encoding="nonsense"?>{GRAPHML}</graphml>', "unknown encoding"),
        ("a.graphml", f'{GRAPHML}<graph><node id="a"><graph><node id="b"/></graph></node></graph></graphml>', "inside"),
        ("a.jsonl", node(labels=["L" * 201]), "1 to 200 printable characters"),
        ("a.jsonl", node(labels=["A\0B"]), "1 to 200 printable characters"),
        ("a.jsonl", node(properties={"@rid": "#1:1"}), "does not begin with '@'"),
        (
            "a.graphml",
            f'{GRAPHML}<key id="t" for="node" attr.name="t" attr.type="double"/>\n<graph>\n'
            '<node id="1"><data key="t">1.5</data></node>\n<node id="2"><data key="t">INF</data></node></graph></graphml>',
            "a.graphml, line 4: t: inf is not a finite number",
        ),
        ("a.jsonl", node(properties={"t": 1}) + "\n" + node(id="2").replace('"x"', "NaN"), "a.jsonl, line 2: not JSON"),
        (
            "a.ttl",
            '<http://e/a> <http://e/t> "NaN"^^<http://www.w3.org/2001/XMLSchema#double> .',
            "node http://e/a, t: nan is not a finite number",
        ),
    ],
)
def test_a_hostile_file_or_number_is_refused_with_the_reason_and_its_place(
    name: str, text: str, message: str, tmp_path: Path
) -> None:
    (tmp_path / name).write_text(text, "utf-8")
    with pytest.raises(ImportRefused) as refusal:
        import_records(file_source(tmp_path / name), "a", tmp_path / "out.json")
    assert message in str(refusal.value)
    assert "line None" not in str(refusal.value)
    assert not (tmp_path / "out.json").exists()


def test_the_entities_that_rdf_files_use_are_allowed(tmp_path: Path) -> None:
    (tmp_path / "a.owl").write_text(
        f'<!DOCTYPE rdf:RDF [<!ENTITY e "http://example.org/things#">]>{RDF}<e:A rdf:about="&e;a"/></rdf:RDF>', "utf-8"
    )
    import_records(file_source(tmp_path / "a.owl"), "a", tmp_path / "out.json")
    assert json.loads((tmp_path / "out.json").read_bytes())["entities"][0]["eid"] == "http://example.org/things#a"


def test_forbidden_entities_after_a_long_comment_are_refused() -> None:
    with pytest.raises(ImportRefused):
        check_entities(io.BytesIO(f'<!-- {"-x" * 100_000} --><!DOCTYPE r [<!ENTITY a "&b;">]><r/>'.encode()), "a.rdf")


@pytest.mark.parametrize("compressed", [True, False])
@pytest.mark.parametrize(
    ("name", "begin", "message"),
    [
        ("a.jsonl", '{"type": "node", "id": "', "line 1: longer than"),
        ("a.graphml", f'{GRAPHML}<graph>\n<node id="', "line 2: a tag or a text longer than"),
        ("a.graphml", f'{GRAPHML}<graph>\n<node id="a"><data key="k">', "line 2: a tag or a text longer than"),
    ],
)
def test_an_endless_token_is_refused_before_it_fills_the_memory(
    name: str, begin: str, message: str, compressed: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(records, "MAX_LINE_BYTES", 1 << 20)
    monkeypatch.setattr(property_graph, "MAX_XML_BYTES", 1 << 20)
    path = tmp_path / (name + (".gz" if compressed else ""))
    with gzip.open(path, "wb") if compressed else path.open("wb") as file:
        file.write(begin.encode())
        for _ in range(4):
            file.write(b"A" * (1 << 20))
    with pytest.raises(ImportRefused, match=message):
        import_records(file_source(path), "a", tmp_path / "out.json")


@pytest.mark.parametrize("head", ["id,name\n", ""])
def test_an_endless_csv_line_is_refused(head: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(records, "MAX_LINE_BYTES", 1 << 20)
    with gzip.open(tmp_path / "movies.csv.gz", "wb") as file:
        file.write(head.encode() + b"1," * (1 << 20))
    with pytest.raises(ImportRefused, match=f"line {2 if head else 1}: longer than 1 MiB"):
        infer(tmp_path, "films")


def test_a_long_folder_name_is_shortened_and_a_long_column_name_is_refused(tmp_path: Path) -> None:
    folder = tmp_path / ("f" * 100)
    folder.mkdir()
    (folder / "movies.csv").write_text("id,name\n1,Heat\n")
    assert infer(folder).name == "f" * 64
    (folder / "movies.csv").write_text(f"id,{'x' * 201}\n1,Heat\n")
    with pytest.raises(ImportRefused, match="the name of column 2 is longer than 200 characters"):
        infer(folder)


def expanding(name: str, folder: Path) -> Path:
    """Write a small file whose import would write a thousand times its size."""
    path, text = folder / name, "x" * 100_000
    match name:
        case "a.graphml":
            nodes = "".join(f'<node id="{number}"/>' for number in range(2_000))
            path.write_text(
                f'{GRAPHML}<key id="t" for="node" attr.name="t" attr.type="string"><default>{text}</default></key>'
                f"<graph>{nodes}</graph></graphml>"
            )
        case "a.jsonl.gz":
            path.write_bytes(
                gzip.compress("\n".join(node(id=str(n), properties={"t": text}) for n in range(200)).encode())
            )
        case "a.csv.gz":
            rows = "".join(f"{number},{text}\n" for number in range(200))
            path.write_bytes(gzip.compress(f"id,t\n{rows}".encode()))
        case "a.parquet":
            parquet.write_table(pyarrow.table({"id": range(1_000), "t": [text] * 1_000}), path, compression="zstd")
    return path


def import_any(path: Path, output: Path) -> None:
    if "csv" in path.name or "parquet" in path.name:
        import_folder(path.parent, infer(path, "a"), output)
    else:
        import_records(file_source(path), "a", output)


@pytest.mark.parametrize("name", ["a.graphml", "a.jsonl.gz", "a.csv.gz", "a.parquet"])
def test_an_import_that_would_write_far_more_than_it_read_is_refused(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(records, "MIN_BYTES", 1 << 20)
    monkeypatch.setattr(records, "MAX_GROWTH", 10)
    path = expanding(name, tmp_path)
    with pytest.raises(ImportRefused, match=r"bytes would become more than|unpack to more than"):
        import_any(path, tmp_path / "out.json")
    assert [file.name for file in tmp_path.iterdir()] == [name]


def test_texts_that_would_overflow_to_infinity_stay_text(tmp_path: Path) -> None:
    for cells in ("0103E4796", "1e999", "NaN", "inf"):
        (tmp_path / "a.csv").write_text(f"id,code\n1,1.5\n2,{cells}\n")
        import_folder(tmp_path, infer(tmp_path / "a.csv", "a"), tmp_path / "out.json")
        entities = json.loads((tmp_path / "out.json").read_bytes())["entities"]
        assert [entity["properties"]["code"] for entity in entities] == ["1.5", cells]
