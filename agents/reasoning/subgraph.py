"""Writes a retrieved subgraph as text: the patterns with the nodes that each found, then the details of the nodes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

CHARACTERS_PER_TOKEN = 3.5
"""Estimated characters per token of English and Cypher, low enough that a text cut to the budget really fits."""
LONGEST_VALUE = 300
HEADING = "Patterns and the nodes that match:"


@dataclass(frozen=True, slots=True)
class Node:
    """A node that a query found, with its properties: `Node("Heat", "Film", (("runtime_minute", "170"),))`."""

    name: str
    label: str
    details: tuple[tuple[str, str], ...] = ()

    @staticmethod
    def of(name: str, label: str, properties: Mapping[str, Any]) -> Node:
        """Return a node without properties that are empty or equal to its name; long values are cut."""
        texts = ((key, _written(value)) for key, value in sorted(properties.items()) if value not in (None, "", []))
        return Node(name, label, tuple((key, text) for key, text in texts if text != name))


@dataclass(frozen=True, slots=True)
class Retrieved:
    """The nodes of one pattern, in the order of the database; `pattern` is Cypher without its RETURN."""

    pattern: str
    nodes: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Subgraph:
    """A subgraph as text, and its nodes in the order in which the text numbers them, from 1."""

    text: str
    nodes: tuple[Node, ...]
    left_out: int = 0
    """The number of nodes that did not fit into the budget."""


def ranked_nodes(retrieved: Iterable[Retrieved]) -> list[Node]:
    """Return the distinct nodes, those found by the most patterns first; ties keep the order of the patterns."""
    seen: dict[Node, list[int]] = {}
    for place, found in enumerate(retrieved):
        for node in dict.fromkeys(found.nodes):
            seen.setdefault(node, []).append(place)
    return sorted(seen, key=lambda node: (-len(seen[node]), seen[node][0]))


def subgraph_text(retrieved: Sequence[Retrieved], max_tokens: int = 3_000) -> Subgraph:
    """Write a subgraph as text of at most about `max_tokens` tokens: the patterns, then as many nodes as fit.

    Nodes found by the most patterns come first. A node is written with its properties or, if the budget is too small,
    with its name and label alone. After each pattern, the text lists the numbers of the nodes that the pattern found,
    except nodes that did not fit. Patterns without any such number are left out.
    """
    budget = int(max_tokens * CHARACTERS_PER_TOKEN)
    budget -= sum(len(found.pattern) + 3 for found in retrieved) + len(HEADING) + len("\n\nNodes:")
    ranked, lines, shown_nodes = ranked_nodes(retrieved), [], []
    places = [set(found.nodes) for found in retrieved]
    for number, node in enumerate(ranked, 1):
        # A node needs its own line, and its number after each pattern that found it.
        numbers = sum(node in nodes for nodes in places) * (len(str(number)) + 2)
        line = f"{number}. {node.name} ({node.label})"
        detailed = line + "".join(f"; {key}: {value}" for key, value in node.details)
        chosen = next((text for text in (detailed, line) if len(text) + 1 + numbers <= budget), None)
        if chosen is None:
            break
        budget -= len(chosen) + 1 + numbers
        lines.append(chosen)
        shown_nodes.append(node)
    number_of = {node: number for number, node in enumerate(shown_nodes, 1)}
    patterns = [
        f"{found.pattern}: {', '.join(str(number_of[node]) for node in dict.fromkeys(found.nodes) if node in number_of)}"
        for found in retrieved
        if any(node in number_of for node in found.nodes)
    ]
    text = "\n".join([HEADING, *patterns, "", "Nodes:", *lines])
    return Subgraph(text, tuple(shown_nodes), len(ranked) - len(shown_nodes))


def _written(value: Any) -> str:
    text = ", ".join(map(str, value)) if isinstance(value, list) else str(value)
    text = " ".join(text.split())
    return text if len(text) <= LONGEST_VALUE else text[: LONGEST_VALUE - 1].rstrip() + "…"
