"""The resource that contains the picture of a schema."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from xml.etree import ElementTree

import pytest

from graphground.server.application import Application
from graphground.server.commands.command_line import open_graphs
from graphground.server.resources import UnknownResource, read_resource
from graphground.server.settings import Settings


@pytest.fixture
def application(data_folder: Path) -> Application:
    return Application(partial(open_graphs, Settings(home=data_folder)))


def test_a_schema_is_also_available_as_a_picture(application: Application) -> None:
    content = read_resource(application, "graph://nba/schema.svg")
    assert content["mimeType"] == "image/svg+xml"
    picture = ElementTree.fromstring(content["text"])
    assert "".join(picture.itertext()).count("Player") >= 1
    with pytest.raises(UnknownResource, match="there is no graph 'nope'"):
        read_resource(application, "graph://nope/schema.svg")
