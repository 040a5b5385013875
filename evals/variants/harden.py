"""Makes tasks harder: names as people write them, names that do not exist, and underspecified questions.

    harden(tasks, graph, seed=7)          # a variant for each task and each kind that the task allows

| kind | the question | expected |
|---|---|---|
| `alias` | names an entity by an alias that is unique within its label | the same gold answer |
| `misspelt` | has one letter of a name swapped, left out or doubled | the same gold answer |
| `shortened` | shortens a name to its first words, if no other name begins with them | the same gold answer |
| `absent` | names something that is not in the graph | "not in the graph" |
| `ambiguous` | has `the movie` in place of a name, if there are several movies | a clarifying question |

A question is changed only if it contains the exact name once, so that its meaning stays the same, and if the schema has
the label of the name. Report the scores of original tasks and of variants separately (`variant` in a run's breakdown):
an agent may find only names as stored.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any, Literal, get_args

from graphground.cypher import CypherSyntaxError, parse
from graphground.cypher import tree as t
from graphground.cypher.quoting import quoted_name
from graphground.evals.tasks.task import Task
from graphground.graphs.engines.engine import QueryFailed, QueryTimeout
from graphground.graphs.graph import Graph
from graphground.graphs.synth.names import make_name

Kind = Literal["alias", "misspelt", "shortened", "absent", "ambiguous"]
KINDS: tuple[Kind, ...] = get_args(Kind)
SECONDS = 10.0
LEAST_LETTERS = 5
"""The minimum number of letters of a name that is still recognizable when misspelt."""


def harden(tasks: Iterable[Task], graph: Graph, seed: int = 0, kinds: Sequence[Kind] = KINDS) -> list[Task]:
    """Return the variants of the tasks about `graph`, in the tasks' order; a task may have several variants or none.

    Raises:
        EngineUnavailable: the graph cannot be queried.
    """
    found = []
    for task in tasks:
        if task.graph != graph.name or task.expected != "answer":
            continue
        for kind in kinds:
            rng = random.Random(f"{seed} {kind} {task.qid}")
            changed = _changed(task, kind, graph, rng)
            if changed is not None:
                found.append(changed)
    return found


def names_in(query: str) -> list[tuple[str, str]]:
    """Return the label and the name of each node with one label and a stated name: `[("Person", "Michael Mann")]`."""
    try:
        tree = parse(query)
    except CypherSyntaxError:
        return []
    return [
        (name.text, entry.value.value)
        for node in tree.find(t.NodePattern)
        if isinstance(node.labels, t.LabelName) and isinstance(node.properties, t.MapLiteral)
        for name in node.labels.find(t.Name)
        for entry in node.properties.entries
        if entry.key.text == "name" and isinstance(entry.value, t.StringLiteral)
    ]


def _changed(task: Task, kind: Kind, graph: Graph, rng: random.Random) -> Task | None:
    usable = [
        (label, name)
        for label, name in names_in(task.gold)
        if label in graph.schema.labels and len(re.findall(rf"(?<!\w){re.escape(name)}(?!\w)", task.question)) == 1
    ]
    if not usable:
        return None
    label, name = rng.choice(usable)
    other = {
        "alias": _alias,
        "misspelt": _misspelt,
        "shortened": _shortened,
        "absent": _absent,
        "ambiguous": _ambiguous,
    }[kind](graph, label, name, rng)
    if other is None or other == name:
        return None
    question = re.sub(rf"(?<!\w){re.escape(name)}(?!\w)", lambda _: other, task.question)
    changed = replace(task, qid=f"{task.qid}-{kind}", question=question, variant=kind)
    if kind == "absent":
        return replace(changed, expected="not_in_graph", answer=None)
    return replace(changed, expected="ask", answer=None) if kind == "ambiguous" else changed


def _alias(graph: Graph, label: str, name: str, rng: random.Random) -> str | None:
    if "aliases" not in graph.schema.labels[label].properties:
        return None
    rows = _rows(graph, f"MATCH (n:{quoted_name(label)} {{name: $name}}) RETURN n.aliases", name)
    aliases = sorted({alias for row in rows for alias in row[0] or [] if isinstance(alias, str) and alias.strip()})
    own = [alias for alias in aliases if not _holders(graph, label, alias, besides=name)]
    return rng.choice(own) if own else None


def _misspelt(graph: Graph, label: str, name: str, rng: random.Random) -> str | None:
    places = [place for place in range(1, len(name) - 1) if name[place].isalpha() and name[place + 1].isalpha()]
    if sum(map(str.isalpha, name)) < LEAST_LETTERS or not places:
        return None
    for _ in range(8):
        place = rng.choice(places)
        before, first, second, after = name[:place], name[place], name[place + 1], name[place + 2 :]
        changed = rng.choice(
            (before + second + first + after, before + second + after, before + first + first + second + after)
        )
        if changed != name and not _holders(graph, label, changed):
            return changed
    return None


def _shortened(graph: Graph, label: str, name: str, rng: random.Random) -> str | None:
    words = name.split(" ")
    if len(words) < 2:
        return None
    short = " ".join(words[: rng.randint(1, len(words) - 1)])
    if len(short) < 4:
        return None
    rows = _rows(graph, f"MATCH (n:{quoted_name(label)}) WHERE n.name STARTS WITH $name RETURN count(n)", short)
    return short if rows and rows[0][0] == 1 and not _holders(graph, label, short) else None


def _absent(graph: Graph, label: str, name: str, rng: random.Random) -> str | None:
    for _ in range(8):
        candidate = make_name(label, rng.randrange(1_000_000))
        if not any(
            _holders(graph, other, candidate)
            for other in graph.schema.labels
            if "name" in graph.schema.labels[other].properties
        ):
            return candidate
    return None


def _ambiguous(graph: Graph, label: str, name: str, rng: random.Random) -> str | None:
    rows = _rows(graph, f"MATCH (n:{quoted_name(label)}) RETURN count(n) > $name AS several", 1)
    word = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", label).lower()
    return f"the {word}" if rows and rows[0][0] else None


def _holders(graph: Graph, label: str, name: str, besides: str = "") -> bool:
    """Whether a node of the label has this name or alias, not counting nodes whose name is `besides`."""
    aliases = " OR $name IN n.aliases" if "aliases" in graph.schema.labels[label].properties else ""
    rows = _rows(graph, f"MATCH (n:{quoted_name(label)}) WHERE n.name = $name{aliases} RETURN DISTINCT n.name", name)
    return any(row[0] != besides for row in rows)


def _rows(graph: Graph, query: str, name: object) -> list[list[Any]]:
    """Return the rows of a query; if it fails or is too slow, a row of null, which rules the variant out."""
    try:
        return graph.run(query, {"name": name}, timeout=SECONDS).rows
    except (QueryTimeout, QueryFailed):
        return [[None]]
