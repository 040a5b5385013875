"""`graphground wikidata build`: from a definition to a file; tests/docs/test_tutorials.py loads and queries one."""

from pathlib import Path

import pytest

from graphground.server.commands.command_line import run
from tests.support.shared_data import needs
from tests.support.sparql_endpoint import SparqlEndpoint
from tests.support.wikidata_places import PLACES, place_triples

RAW = needs("wikidata_entities", "entities.jsonl.gz")


@RAW
def test_a_definition_becomes_a_graph_and_what_was_left_out_is_printed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "places.toml").write_text(PLACES, "utf-8")
    graph = tmp_path / "places.json.gz"
    assert run("graphs", ["check", str(tmp_path / "places.toml")]) == 0
    with SparqlEndpoint(place_triples()) as endpoint:
        assert (
            run(
                "wikidata",
                [
                    "build",
                    str(tmp_path / "places.toml"),
                    "--endpoint",
                    endpoint.url,
                    "--output",
                    str(graph),
                    "--agent",
                    "places/1.0 (test)",
                ],
            )
            == 0
        )
        assert endpoint.headers[0]["User-Agent"] == "places/1.0 (test)"
    out = capsys.readouterr().out
    assert "Wrote " in out
    assert graph.exists()
    assert "Place.founded: date coarser than a day (as in Q" in out
    with pytest.raises(SystemExit):
        run("wikidata", ["build", str(tmp_path / "places.toml"), "--output", str(graph)])
    assert "one of the arguments --endpoint --dump is required" in capsys.readouterr().err
