"""Runs the likeliest queries for a question, and lets a model choose the answers among the nodes that they find.

queries = await suggested_queries(server, "films", "Who directed Heat?", 5)
subgraph = subgraph_text(await retrieve(server, "films", queries))                 # at most 3,000 tokens
chosen_nodes(reply, subgraph.nodes)                                               # of choice_prompt's answer
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from examples.graphraft.pairs import split_query
from graphground.agents.server_connection import ServerConnection
from graphground.prompts.template import read

PROMPT = read("node_choice", Path(__file__).with_name("node_choice.md").read_text(encoding="utf-8"))
QUERIES = 5
NODES = 60
"""The maximum number of nodes retrieved for one pattern."""


async def suggested_queries(server: ServerConnection, graph: str, question: str, count: int) -> list[str]:
    """Return at most `count` queries that `ground_question` suggests, best first."""
    answer = await server.call("ground_question", {"graph": graph, "question": question, "limit": count})
    return [] if answer.failed else [str(candidate["cypher"]) for candidate in answer.fields["queries"]]


async def retrieve(server: ServerConnection, graph: str, queries: Sequence[str]) -> list[Retrieved]:
    """Return each distinct pattern of the queries that finds nodes, with at most `NODES` of these nodes.

    In a query, `n` is the variable of the nodes that answer the question.

    Raises:
        ServerFailure: the server did not answer, or refused a query.
    """
    found: list[Retrieved] = []
    patterns = dict.fromkeys(parts.before for query in queries if (parts := split_query(query)) is not None)
    for pattern in patterns:
        query = f"{pattern} RETURN DISTINCT labels(n) AS labels, properties(n) AS properties"
        arguments = {"graph": graph, "query": query, "limit": NODES}
        rows = (await server.call("execute_cypher", arguments)).require()["rows"]
        nodes = tuple(
            Node.of(_name(properties), labels[0] if labels else "", properties) for labels, properties in rows
        )
        if nodes:
            found.append(Retrieved(pattern, nodes))
    return found


def _name(properties: Mapping[str, Any]) -> str:
    """Return the name of a node: the property `name`, else the first property whose value is a text, else `?`."""
    texts = (value for key, value in sorted(properties.items(), key=lambda item: item[0] != "name"))
    return next((value for value in texts if isinstance(value, str)), "?")


CHARACTERS_PER_TOKEN = 3.5
"""Estimated characters per token of English and Cypher, low enough that a text cut to the budget really fits."""
MAX_VALUE_CHARACTERS = 300
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
    return text if len(text) <= MAX_VALUE_CHARACTERS else text[: MAX_VALUE_CHARACTERS - 1].rstrip() + "…"


_LIST = re.compile(r"\[[^\[\]]*\]")
_NUMBERS = re.compile(r"(?<![\w.])(\d{1,5})(?![\w.]|\.\d)")
_ITEM = re.compile(r"^\s*(?:[-*]|\d+[.)])?\s*(.+?)\s*$", re.MULTILINE)


def choice_prompt(question: str, subgraph: Subgraph) -> str:
    """Return the prompt that shows a subgraph and asks for the numbers of the nodes that answer the question."""
    return PROMPT.fill({"question": question, "subgraph": subgraph.text})


def chosen_nodes(reply: str, nodes: Sequence[Node]) -> list[Node]:
    """Return the nodes that a reply chooses, in the reply's order, without repetition: `chosen_nodes("[2, 1]", nodes)`.

    A reply may contain a JSON list of numbers or of names; of several lists, the last that contains a node is read. In
    a reply without such a list, names on separate lines are read, and without such names the numbers in the last line.
    Numbers and names that belong to no node are ignored.
    """
    by_name: dict[str, Node] = {}
    for node in nodes:
        by_name.setdefault(node.name.casefold(), node)
    for text in reversed(_LIST.findall(reply)):
        found = [_node(item, nodes, by_name) for item in _items(text)]
        if any(found):
            return list(dict.fromkeys(node for node in found if node))
    named = [
        by_name[line.casefold().strip("'\"`* ")]
        for line in _ITEM.findall(reply)
        if line.casefold().strip("'\"`* ") in by_name
    ]
    if named:
        return list(dict.fromkeys(named))
    lines = reply.strip().splitlines()
    numbers = _NUMBERS.findall(lines[-1]) if lines else []
    last = [_node(int(number), nodes, by_name) for number in numbers]
    return list(dict.fromkeys(node for node in last if node))


def _items(text: str) -> list[object]:
    try:
        return list(json.loads(text))
    except ValueError:
        return [item.strip(" '\"") for item in text[1:-1].split(",")]


def _node(item: object, nodes: Sequence[Node], by_name: dict[str, Node]) -> Node | None:
    if isinstance(item, str) and item.isdecimal():
        item = int(item)
    if isinstance(item, int):
        return nodes[item - 1] if 1 <= item <= len(nodes) else None
    return by_name.get(item.casefold()) if isinstance(item, str) else None
