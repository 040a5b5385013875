import pytest

from graphground.graphs.engines.engine import EngineError
from graphground.graphs.entities.paging import database_pages
from tests.support.films import FILMS
from tests.support.recorder import Recorder


@pytest.mark.parametrize(
    ("labels", "names"),
    [(["Film"], "Film"), (["Movie", "Team", "Film"], "Film or Team"), (["C", "A", "B"], "A, B or C")],
)
def test_labels_that_the_graph_does_not_have_are_named_with_those_that_it_has(labels: list[str], names: str) -> None:
    with pytest.raises(EngineError) as refused:
        next(database_pages(Recorder(), FILMS, labels))
    assert str(refused.value) == f"the graph has no label {names}; it has: Movie, Person"
