"""The workspace of a build: reading a batch of items gives the same as reading each item."""

from pathlib import Path

import pytest

from graphground.graphs.wikidata.statements import ITEM, NORMAL, Statement
from graphground.graphs.wikidata.workspace import Names, Workspace

SIZE, ITEMS = 40, 100


def statement(item: int) -> list[Statement]:
    return [Statement(NORMAL, (ITEM, f"Q{item * 2}"), {"P580": [("time", 1999, 0, 0, 9)]}, f"Q{item}-a")]


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    """Make a workspace in which every third item has no statements, and every fifth no name."""
    workspace_of_items = Workspace(tmp_path / "graph.build", "identity")
    workspace_of_items.add("nodes", ((0, item) for item in range(ITEMS)))
    workspace_of_items.add_statements((item, "P17", statement(item)) for item in range(ITEMS) if item % 3)
    workspace_of_items.add_names(
        (item, Names(f"name {item}" if item % 5 else None, "text", ["alias"])) for item in range(ITEMS)
    )
    return workspace_of_items


def test_reading_a_batch_gives_the_statements_and_names_of_each_item(workspace: Workspace) -> None:
    seen = []
    for items in workspace.batches("nodes", 0, SIZE):
        for item in items:
            seen.append(item)
            assert workspace.statements(item, "P17") == (statement(item) if item % 3 else [])
            assert workspace.statements(item, "P31") == []
            beyond = (item + SIZE) % ITEMS  # usually not in the batch
            assert workspace.statements(beyond, "P17") == (statement(beyond) if beyond % 3 else [])
            for number in (item, beyond):
                assert workspace.names(number) == Names(f"name {number}" if number % 5 else None, "text", ["alias"])
    assert seen == list(range(ITEMS))
    assert workspace.names(ITEMS) is None


def test_a_node_counts_as_named_if_it_or_the_target_of_its_redirect_has_a_name(workspace: Workspace) -> None:
    numbers = range(-10, ITEMS + 2000)
    assert workspace.named_nodes(0, numbers) == {item for item in range(ITEMS) if item % 5}
    assert workspace.named_nodes(1, numbers) == set()
    workspace.add("redirects", [(5, 15), (15, 16), (6, 10)])
    assert workspace.target(5) == 16
    assert workspace.named_nodes(0, numbers) == {item for item in range(ITEMS) if item % 5} - {6} | {5, 15}
