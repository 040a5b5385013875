import pytest

from examples.graphraft.reasoning import (
    CHARACTERS_PER_TOKEN,
    Node,
    Retrieved,
    chosen_nodes,
    ranked_nodes,
    subgraph_text,
)

HEAT = Node.of("Heat", "Film", {"name": "Heat", "runtime_minute": 170, "languages": ["English", "Spanish"], "x": None})
RONIN, THIEF = Node("Ronin", "Film"), Node("Thief [1981]", "Film", (("year", "1981"),))
FOUND = [Retrieved("MATCH (n:Film) WITH DISTINCT n", (RONIN, HEAT)), Retrieved("MATCH (n)-->(:Genre)", (THIEF, HEAT))]


def test_nodes_that_match_more_patterns_come_first_and_are_numbered_as_in_the_text() -> None:
    shown = subgraph_text(FOUND)
    assert ranked_nodes(FOUND) == [HEAT, RONIN, THIEF]
    assert shown.nodes == (HEAT, RONIN, THIEF)
    assert shown.text.splitlines() == [
        "Patterns and the nodes that match:",
        "MATCH (n:Film) WITH DISTINCT n: 2, 1",
        "MATCH (n)-->(:Genre): 3, 1",
        "",
        "Nodes:",
        "1. Heat (Film); languages: English, Spanish; runtime_minute: 170",
        "2. Ronin (Film)",
        "3. Thief [1981] (Film); year: 1981",
    ]


@pytest.mark.parametrize("max_tokens", [60, 200, 1_000, 4_000])
def test_the_text_stays_within_the_budget_and_counts_the_omitted_parts(max_tokens: int) -> None:
    nodes = [Node(f"Film number {number}", "Film", (("plot", "x" * (number % 280)),)) for number in range(300)]
    found = [Retrieved("MATCH (n:Film) WITH DISTINCT n", tuple(nodes)), Retrieved("MATCH (n)", tuple(nodes[100:]))]
    shown = subgraph_text(found, max_tokens)
    assert len(shown.text) <= max_tokens * CHARACTERS_PER_TOKEN
    assert len(shown.nodes) + shown.left_out == 300
    assert shown.left_out > 0
    assert len(shown.nodes) > max_tokens / 60


@pytest.mark.parametrize(
    ("reply", "names"),
    [
        ("[2, 1]", ["Ronin", "Heat"]),
        ("Node 3 is a trap. The answer is: [1, 1, 99, 3]", ["Heat", "Thief [1981]"]),
        ("- Heat\n- **Thief [1981]**", ["Heat", "Thief [1981]"]),
        ("They were made in 1981.\nAnswer: 3, 1", ["Thief [1981]", "Heat"]),
        ("[]", []),
        ("None of these films, I am afraid.", []),
    ],
)
def test_the_chosen_nodes_are_read_from_a_reply(reply: str, names: list[str]) -> None:
    assert [node.name for node in chosen_nodes(reply, (HEAT, RONIN, THIEF))] == names
