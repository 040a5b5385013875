"""Makes tasks harder: names as people write them, names that do not exist, and underspecified questions.

    harden(tasks, graph, seed=7)          # a variant for each task and each kind that the task allows

| kind | the question | expected |
|---|---|---|
| `alias` | names an entity by an alias that is unique within its label | the same gold answer |
| `misspelt` | has one letter of a name swapped, left out or doubled | the same gold answer |
| `shortened` | shortens a name to its first words, if no other name begins with them | the same gold answer |
| `absent` | has a name made of two names of its label, which is not in the graph | "not in the graph" |
| `ambiguous` | has `the movie` in place of a name, if there are several movies | a clarifying question |

A task has no `absent` variant if its query still finds something without the name, as the other half of a union does.

The ten kinds of questions that are ambiguous, or that the graph cannot answer, stand in `unclear`.

A question is changed only if it contains the exact name once, so that its meaning stays the same, and if the schema has
the label of the name. Report the scores of original tasks and of variants separately (`variant` in a run's breakdown):
an agent may find only names as stored.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from graphground.cypher import CypherSyntaxError, parse
from graphground.cypher import tree as t
from graphground.cypher.names.words import as_words
from graphground.cypher.quoting import quoted_name, quoted_string
from graphground.evals.tasks.task import Expected, Task
from graphground.evals.tasks.unclear import UNCLEAR, Named
from graphground.graphs.engines.engine import QueryFailed, QueryTimeout
from graphground.graphs.graph import Graph

KINDS = ("alias", "misspelt", "shortened", "absent", "ambiguous", *UNCLEAR)
QUERY_SECONDS = 10.0
LEAST_LETTERS = 5
"""The minimum number of letters of a name that is still recognizable when misspelt."""
SAMPLED = 2_000
"""The maximum number of names of a label from which an absent name is made."""


def harden(
    tasks: Iterable[Task], graph: Graph, seed: int = 0, kinds: Sequence[str] = KINDS, strange: Sequence[str] = ()
) -> list[Task]:
    """Return the variants of the tasks about `graph`, in the tasks' order; a task may have several variants or none.

    `strange` are labels of other graphs, for questions about kinds of things that this graph does not have.

    Raises:
        EngineUnavailable: the graph cannot be queried.
    """
    found = []
    for task in tasks:
        if task.graph != graph.name or task.expected != "answer":
            continue
        for kind in kinds:
            rng = random.Random(f"{seed} {kind} {task.qid}")
            changed = _make_variant(task, kind, graph, rng, strange)
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


def _make_variant(task: Task, kind: str, graph: Graph, rng: random.Random, strange: Sequence[str]) -> Task | None:
    usable = [
        (label, name)
        for label, name in names_in(task.gold)
        if label in graph.schema.labels and len(re.findall(rf"(?<!\w){re.escape(name)}(?!\w)", task.question)) == 1
    ]
    if not usable:
        return None
    label, name = rng.choice(usable)
    if kind in UNCLEAR:
        named = Named(task.question, task.gold, label, name, graph.schema, partial(_rows, graph), strange)
        asked = UNCLEAR[kind](named, rng)
        expected: Expected = "ask" if kind.startswith("ambiguous") else "not_in_graph"
        unclear = replace(task, qid=f"{task.qid}-{kind}", variant=kind, expected=expected, answer=None)
        return replace(unclear, question=asked) if asked else None
    other = {
        "alias": _choose_alias,
        "misspelt": _misspell,
        "shortened": _shorten,
        "absent": _invent_name,
        "ambiguous": _write_label,
    }[kind](graph, label, name, rng)
    if other is None or other == name:
        return None
    if kind == "absent" and _finds_something(graph, task.gold, name, other):
        return None
    if kind == "ambiguous":
        question = _replace_by_label(task.question, name, other)
    else:
        question = re.sub(rf"(?<!\w){re.escape(name)}(?!\w)", lambda _: other, task.question)
    changed = replace(task, qid=f"{task.qid}-{kind}", question=question, variant=kind)
    if kind == "absent":
        return replace(changed, expected="not_in_graph", answer=None)
    return replace(changed, expected="ask", answer=None) if kind == "ambiguous" else changed


def _choose_alias(graph: Graph, label: str, name: str, rng: random.Random) -> str | None:
    if "aliases" not in graph.schema.labels[label].properties:
        return None
    rows = _rows(graph, f"MATCH (n:{quoted_name(label)} {{name: $name}}) RETURN n.aliases", name)
    aliases = sorted({alias for row in rows for alias in row[0] or [] if isinstance(alias, str) and alias.strip()})
    own = [alias for alias in aliases if not _holders(graph, label, alias, besides=name)]
    return rng.choice(own) if own else None


def _misspell(graph: Graph, label: str, name: str, rng: random.Random) -> str | None:
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


def _shorten(graph: Graph, label: str, name: str, rng: random.Random) -> str | None:
    words = name.split(" ")
    if len(words) < 2:
        return None
    short = " ".join(words[: rng.randint(1, len(words) - 1)])
    if len(short) < 4:
        return None
    rows = _rows(graph, f"MATCH (n:{quoted_name(label)}) WHERE n.name STARTS WITH $name RETURN count(n)", short)
    return short if rows and rows[0][0] == 1 and not _holders(graph, label, short) else None


def _invent_name(graph: Graph, label: str, name: str, rng: random.Random) -> str | None:
    """Return the beginning of one name of the label with the end of another, if nothing in the graph is named so.

    Both names have the form of the given name: as many words, and the same words in lower case ("of", "the").
    """
    form = _form(name)
    if len(form) < 2:
        return None
    rows = _rows(
        graph, f"MATCH (n:{quoted_name(label)}) RETURN DISTINCT n.name AS name ORDER BY name LIMIT $name", SAMPLED
    )
    alike = [row[0].split(" ") for row in rows if isinstance(row[0], str) and _form(row[0]) == form]
    for _ in range(8):
        if len(alike) < 2:
            return None
        (first, second), place = rng.sample(alike, 2), rng.randint(1, len(form) - 1)
        candidate = " ".join(first[:place] + second[place:])
        if candidate != name and not any(
            _holders(graph, other, candidate)
            for other in graph.schema.labels
            if "name" in graph.schema.labels[other].properties
        ):
            return candidate
    return None


def _form(name: str) -> tuple[str, ...]:
    """Return the form of a name: a word in lower case or with a digit as it is, `*` for any other.

    >>> _form("Museum of Art"), _form("Michael Mann")
    (('*', 'of', '*'), ('*', '*'))
    """
    return tuple("*" if word[:1].isupper() and word.isalpha() else word for word in name.split(" "))


def _finds_something(graph: Graph, gold: str, name: str, other: str) -> bool:
    """Whether a gold query has an answer, other than nulls and 0, if it names `other` instead of `name`."""
    literals = [literal for literal in parse(gold).find(t.StringLiteral) if literal.value == name]
    for literal in sorted(literals, key=lambda literal: -literal.start):
        gold = gold[: literal.start] + quoted_string(other) + gold[literal.end :]
    rows = _rows(graph, gold, "")
    return any(value not in (None, 0, []) for row in rows for value in row)


def _write_label(graph: Graph, label: str, name: str, rng: random.Random) -> str | None:
    rows = _rows(graph, f"MATCH (n:{quoted_name(label)}) RETURN count(n) > $name AS several", 1)
    return as_words(label) if rows and rows[0][0] else None


def _replace_by_label(question: str, name: str, label: str) -> str:
    """Replace a name by `the movie`, or leave only the words before the name that say so already.

    >>> _replace_by_label("Who directed the movie 'Heat'?", "Heat", "movie")
    'Who directed the movie?'
    >>> _replace_by_label("Which awards has the film named Heat?", "Heat", "movie")
    'Which awards has the film?'
    """
    quoted = rf"[\"'“‘]?(?<!\w){re.escape(name)}(?!\w)[\"”’]?(?:'(?!s))?"
    named = r"(?:\s+(?:named|called|titled|known as))?\s+"
    # In "the film Heat" the noun says what is named, but not in "the cast of Heat".
    said = re.search(
        rf"\b(?:the|an?|this|that)\s+(?P<noun>(?:{re.escape(label)}|[a-z]\w*)){named}{quoted}", question, re.I
    )
    if said and said["noun"].islower():
        return question[: said.start()] + f"the {said['noun']}" + question[said.end() :]
    words = rf"(?:\b(?:the|an?)\s+)?(?:\b{re.escape(label)}{named})?"
    found = re.search(rf"{words}{quoted}(?:\s+{re.escape(label)}\b)?", question, re.I)
    assert found is not None, "the question holds the name"
    return question[: found.start()] + ("the " if found.start() else "The ") + label + question[found.end() :]


def _holders(graph: Graph, label: str, name: str, besides: str = "") -> bool:
    """Whether a node of the label has this name or alias, not counting nodes whose name is `besides`."""
    aliases = " OR $name IN n.aliases" if "aliases" in graph.schema.labels[label].properties else ""
    rows = _rows(graph, f"MATCH (n:{quoted_name(label)}) WHERE n.name = $name{aliases} RETURN DISTINCT n.name", name)
    return any(row[0] != besides for row in rows)


def _rows(graph: Graph, query: str, name: object) -> list[list[Any]]:
    """Return the rows of a query; if it fails or is too slow, a row of null, which rules the variant out."""
    try:
        return graph.run(query, {"name": name}, timeout=QUERY_SECONDS).rows
    except (QueryTimeout, QueryFailed):
        return [[None]]
