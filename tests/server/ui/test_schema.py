"""The page marks a schema that is provisional or stale with a note."""

import pytest

from graphground.cypher.schema import PropertyGraphSchema
from graphground.graphs.graph import Graph, SchemaReader
from graphground.server.ui.drawings import schema_for_page
from graphground.tools.get_schema import PROVISIONAL, STALE
from tests.support.films import FILMS
from tests.support.unsettled_schemas import SampledSchema, SlowSchema


@pytest.mark.parametrize(("definition", "note"), [(SampledSchema(), PROVISIONAL), (SlowSchema(), STALE), (FILMS, "")])
def test_a_schema_that_is_not_current_is_marked(definition: PropertyGraphSchema | SchemaReader, note: str) -> None:
    assert schema_for_page(Graph("films", definition))["note"] == note
