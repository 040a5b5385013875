from pathlib import Path

import pytest

from graphground.cypher.schema import Label, PropertyGraphSchema
from graphground.graphs.engines.engine import Engine, EngineError, Table
from graphground.graphs.entities.candidate import Record
from graphground.graphs.graph import Graph
from graphground.server.commands.entities import make_vectors, show

NODES = [{"name": "Ann", "aliases": ["A."], "city": "Bergen"}, {"name": "Bob", "tags": ["x", "y"]}, {"name": "Cid"}]

TYPES = {"name": "str", "aliases": "str", "city": "str", "tags": "list[str]"}
PEOPLE = PropertyGraphSchema("people", {"Person": Label("Person", TYPES)}, ())


class ThreePeople:
    """A database with one label and three nodes with their own ids."""

    def run(
        self, query: str, parameters: object = None, *, limit: int | None = None, timeout: float | None = None
    ) -> Table:
        if "count(n)" in query:
            return Table(["c"], [[3]], False, 0.0)
        skip, size = (int(query.split(word)[1].split()[0]) for word in ("SKIP ", "LIMIT "))
        rows = [
            [f"4:{place}", *(node.get(key, "") for key in ("name", "aliases", "city", "tags"))]
            for place, node in enumerate(NODES)
        ]
        return Table([], [[list(column) for column in zip(*rows[skip : skip + size], strict=True)]], False, 0.0)

    def explain(self, query: str) -> None: ...

    def capabilities(self):  # type: ignore[no-untyped-def]
        from graphground.graphs.engines.dialects import NEO4J
        from graphground.graphs.engines.engine import Capabilities

        return Capabilities("5.26", NEO4J, "refused")

    def cancel(self) -> None: ...

    def close(self) -> None: ...


def test_the_number_of_vectors_is_printed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from graphground.graphs.entities.build import build_index

    build_index(tmp_path / "i", [Record("1", "City", "Oslo")])
    make_vectors(tmp_path / "i", "", None, True)
    assert capsys.readouterr().out == "vectors of 1 name and 0 descriptions with static-minilm-256\n"


def test_a_label_missing_from_the_index_is_refused_with_the_nearest(tmp_path: Path) -> None:
    from graphground.graphs.entities.build import build_index
    from graphground.graphs.entities.candidate import UnknownName

    build_index(tmp_path / "i", [Record("1", "City", "Oslo")])
    with pytest.raises(UnknownName, match="nearest: City"):
        make_vectors(tmp_path / "i", "", ["Citty"], True)


class Uncounted(ThreePeople):
    """A database whose nodes cannot be counted."""

    def run(self, *arguments: object, **named: object) -> Table:
        raise EngineError("The query exceeded its time limit.")


def test_the_index_is_described_with_its_numbers_and_whether_the_database_still_has_as_many_nodes(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from graphground.graphs.entities.build import build_index

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
