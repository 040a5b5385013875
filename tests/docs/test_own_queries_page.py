"""The page on your own queries: its settings can be read, its queries are valid, and its tables list every key."""

import dataclasses
import re
from pathlib import Path

from graphground.cypher.schema import PropertyGraphSchema
from graphground.graphs.bundled import bundled_graph
from graphground.graphs.graph import Graph
from graphground.graphs.opening.open_graphs import GraphSource, OpenGraphs
from graphground.server.settings import read_settings
from graphground.tools.owner_queries import OwnParameter, OwnQuery, OwnTools
from tests.support.pages import section

PAGE = section("databases.md", "Queries of your own as tools")


def test_the_settings_of_the_page_define_two_valid_tools(tmp_path: Path) -> None:
    (text,) = re.findall(r"```toml\n(.*?)```", PAGE, re.DOTALL)
    (tmp_path / "settings.toml").write_text(text, "utf-8")
    queries = read_settings({"home": str(tmp_path)}, {}).queries
    assert [own.name for own in queries] == ["roster", "tall_players"]
    schema = PropertyGraphSchema.from_cypherbench(bundled_graph("nba").document()["schema"])
    graphs = OpenGraphs([GraphSource("nba", "", "none", lambda: Graph("nba", schema))])
    assert OwnTools(queries).check(graphs) == {}


def test_every_key_is_on_the_page() -> None:
    for kind in (OwnQuery, OwnParameter):
        for field in dataclasses.fields(kind):
            assert f"`{field.name}`" in PAGE or field.name in ("name", "place", "parameters"), field.name
