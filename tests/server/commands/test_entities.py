from pathlib import Path
from typing import Any

import pytest

from graphground.cypher.schema import Label, PropertyGraphSchema
from graphground.graphs.engines.engine import Engine, EngineError, Table
from graphground.graphs.entities.build import build_index
from graphground.graphs.entities.candidate import Record, UnknownName
from graphground.graphs.graph import Graph
from graphground.server.commands.entities import make_vectors, show
from tests.support.recorder import Recorder

PEOPLE = PropertyGraphSchema("people", {"Person": Label("Person", {"name": "str"})}, ())


class ThreePeople(Recorder):
    """A database with one label and three nodes."""

    def run(self, *arguments: Any, **named: Any) -> Table:
        return Table(["c"], [[3]], False, 0.0)


class Uncounted(Recorder):
    """A database whose nodes cannot be counted."""

    def run(self, *arguments: Any, **named: Any) -> Table:
        raise EngineError("The query exceeded its time limit.")


def test_the_number_of_vectors_is_printed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    build_index(tmp_path / "i", [Record("1", "City", "Oslo")])
    make_vectors(tmp_path / "i", "", None, True)
    assert capsys.readouterr().out == "vectors of 1 name and 0 descriptions with static-minilm-256\n"


def test_a_label_missing_from_the_index_is_refused_with_the_nearest(tmp_path: Path) -> None:
    build_index(tmp_path / "i", [Record("1", "City", "Oslo")])
    with pytest.raises(UnknownName, match="nearest: City"):
        make_vectors(tmp_path / "i", "", ["Citty"], True)


def test_the_index_is_described_with_its_numbers_and_whether_the_database_still_has_as_many_nodes(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def shown(engine: Engine) -> str:
        assert show(Graph("people", PEOPLE, engine=engine), tmp_path / "i") == 0
        return capsys.readouterr().out

    build_index(tmp_path / "i", [Record("1", "Person", "Ann Ann")], source="database Neo4j")
    assert shown(ThreePeople()).endswith("the graph has 3 now\n")
    build_index(
        tmp_path / "i", [Record(str(number), "Person", "Ann Ann") for number in range(3)], source="database Neo4j"
    )
    text = shown(ThreePeople())
    assert " from 3 nodes (source: database Neo4j)\n" in text
    assert "3 texts with 1 distinct word, " in text
    assert text.endswith("each label of the index has as many nodes as when the index was built\n")
    assert shown(Uncounted()).endswith("the nodes could not be counted: The query exceeded its time limit.\n")
