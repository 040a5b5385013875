"""The pages on definitions and on imports are followed like a tutorial: their commands run in order."""

import json
import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest

from graphground.graphs.engines.embedded.launcher import end_engine
from graphground.graphs.storage.home import Home
from graphground.server.commands.command_line import run as run_words
from tests.support.wikibase_rdf import all_triples
from tests.support.wikidata_documents import Document

DOCS = Path(__file__).parents[2] / "docs"
pytestmark = [pytest.mark.engine, pytest.mark.timeout(240)]


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Create a working folder and an empty data folder; yield the working folder."""
    home = tmp_path / "home"
    monkeypatch.setenv("GRAPHGROUND_HOME", str(home))
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    yield tmp_path / "work"
    end_engine(Home(home))


def blocks(page: str, language: str = "") -> list[str]:
    """Return the contents of a page's code blocks in a language; blocks of commands have no language."""
    text = (DOCS / page).read_text("utf-8")
    found = re.findall(r"^```(\w*)\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)
    return [content for marked, content in found if marked == language]


def commands(page: str) -> list[str]:
    """Return the commands of a page: first the commands in its code blocks, then the commands in its text."""
    text = (DOCS / page).read_text("utf-8")
    return [
        line for block in blocks(page) for line in block.splitlines() if line.startswith("graphground ")
    ] + re.findall(r"`(graphground [^`]+)`", text)


def run(line: str, capsys: pytest.CaptureFixture[str]) -> str:
    """Run a command and return its output; `> FILE` also writes the output to the file, as a shell does."""
    line, _, target = line.partition(" > ")
    _, word, *rest = shlex.split(line)
    assert run_words(word, rest) == 0, line
    out = capsys.readouterr().out
    if target:
        Path(target).write_text(out, "utf-8")
    return out


def test_the_folder_of_the_page_on_imports_becomes_a_graph(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    films = place / "films"
    films.mkdir()
    (films / "movies.csv").write_text(
        "movieId,title,released,genres,other_titles,about\nm1,Ran,1985-06-01,drama; war,乱,1985 film\n", "utf-8"
    )
    (films / "people.csv").write_text("id,name\np1,Tatsuya Nakadai\n", "utf-8")
    (films / "acted_in.tsv").write_text("person\tmovie\trole\np1\tm1\tHidetora\n", "utf-8")
    lines = commands("importing.md")
    plain, show, edited = (
        next(line for line in lines if re.search(ending, line)) for ending in ("films$", "--show", "--mapping")
    )
    assert "Loaded 'films': 2 nodes, 1 relationship." in run(plain, capsys)
    run(show, capsys)
    assert (place / "films.toml").read_text("utf-8").startswith('name = "films"')
    (mapping,) = blocks("importing.md", "toml")
    (place / "films.toml").write_text(mapping, "utf-8")
    assert "Loaded 'films': 2 nodes, 1 relationship." in run(f"{edited} --force", capsys)
    query = "MATCH (p:Person)-[r:ACTED_IN]->(m:Movie) WHERE 'war' IN m.genres RETURN p.name, r.role, m.aliases"
    answer = run(f'graphground query films "{query}"', capsys)
    assert "Tatsuya Nakadai" in answer
    assert "Hidetora" in answer
    assert "乱" in answer


def statement(name: str, kind: str, value: object, **qualifiers: str) -> Document:
    """Return a statement of an entity document; the values of its qualifiers are years."""

    def snak(property_: str, type_: str, content: object) -> Document:
        return {"snaktype": "value", "property": property_, "datavalue": {"type": type_, "value": content}}

    def year(text: str) -> Document:
        return {
            "time": f"+{text}-00-00T00:00:00Z",
            "precision": 9,
            "calendarmodel": "http://www.wikidata.org/entity/Q1985727",
        }

    return {
        "rank": "normal",
        "mainsnak": snak(name, kind, value),
        "qualifiers": {key: [snak(key, "time", year(text))] for key, text in qualifiers.items()},
    }


def document(key: str, name: str, *statements: Document) -> Document:
    claims: dict[str, list[Document]] = {}
    for number, statement in enumerate(statements):
        claims.setdefault(statement["mainsnak"]["property"], []).append({**statement, "id": f"{key}${number}"})
    return {"id": key, "type": "item", "labels": {"en": {"language": "en", "value": name}}, "claims": claims}


def item(name: str, key: str, **qualifiers: str) -> Document:
    return statement(name, "wikibase-entityid", {"entity-type": "item", "id": key}, **qualifiers)


def lighthouses(height: str) -> list[Document]:
    """Return documents of two lighthouses (one with `height` in metres), two people, two countries and two classes."""
    metres = {"amount": height, "unit": "http://www.wikidata.org/entity/Q11573"}
    return [
        document("Q39715", "lighthouse"),
        document("Q6256", "country"),
        document("Q142", "France", item("P31", "Q6256")),
        document("Q145", "United Kingdom", item("P31", "Q6256")),
        document("Q7", "John Smeaton", item("P31", "Q5")),
        document("Q8", "Somebody else", item("P31", "Q5")),
        document("Q9", "Cordouan", item("P31", "Q39715"), item("P17", "Q142"), statement("P2048", "quantity", metres)),
        document(
            "Q10",
            "Smeaton's Tower",
            item("P31", "Q39715"),
            item("P84", "Q7"),
            item("P17", "Q145", P580="1759", P582="1882"),
        ),
    ]


def test_the_lighthouses_of_the_page_on_definitions_are_built_loaded_and_updated(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = commands("definitions.md")
    (definition,) = blocks("definitions.md", "toml")
    (place / "lighthouses.toml").write_text(definition, "utf-8")
    run(next(line for line in lines if "graphs check lighthouses" in line), capsys)
    build = next(line for line in lines if "--dump" in line and ".nt" in line)
    dump = place / "dump.nt"
    line = build.replace("latest-all.nt.bz2", dump.name)
    assert line != build
    outputs = []
    for number, height in enumerate(("+67.5", "+68")):
        dump.write_text("".join(f"{triple}\n" for triple in all_triples(lighthouses(height))), "utf-8")
        outputs.append(f"lighthouses-{number}.json.gz")
        out = run(f"{line} --output {outputs[-1]}", capsys)
        assert f"Wrote 5 nodes and 3 relationships to {outputs[-1]}." in out
    run(f"graphground graphs load {outputs[0]}", capsys)
    query = "MATCH (l:Lighthouse)-[r:standsIn]->(c:Country) RETURN l.name, l.height_m, r.end_year, c.name"
    answer = run(f'graphground query lighthouses "{query}" --json', capsys)
    rows = {row[0]: row[1:] for row in json.loads(answer)["rows"]}
    assert rows == {"Cordouan": [67.5, None, "France"], "Smeaton's Tower": [None, 1882, "United Kingdom"]}
    run(f"graphground graphs load {outputs[1]} --force", capsys)
    answer = run(f'graphground query lighthouses "{query}" --json', capsys)
    assert {row[0]: row[1] for row in json.loads(answer)["rows"]}["Cordouan"] == 68.0
