"""Writes the prompt that asks which nodes of a subgraph answer a question, and parses the model's reply."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence

from graphground.agents.reasoning.subgraph import Node, Subgraph
from graphground.prompts.agents import agent_prompt

_LIST = re.compile(r"\[[^\[\]]*\]")
_NUMBERS = re.compile(r"(?<![\w.])(\d{1,5})(?![\w.]|\.\d)")
_ITEM = re.compile(r"^\s*(?:[-*]|\d+[.)])?\s*(.+?)\s*$", re.MULTILINE)


def choice_prompt(question: str, subgraph: Subgraph) -> str:
    """Return the prompt that shows a subgraph and asks for the numbers of the nodes that answer the question."""
    return agent_prompt("node_choice", question=question, subgraph=subgraph.text)


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
