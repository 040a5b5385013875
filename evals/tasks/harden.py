"""Makes tasks harder: names as people write them, and questions that are ambiguous or that the graph cannot answer.

    harden(tasks, graph, seed=7)          # a variant for each task and each kind that the task allows

| kind | the question | expected |
|---|---|---|
| `alias` | names an entity by an alias that is unique within its label | the same gold answer |
| `misspelt` | has one letter of a name swapped, left out or doubled | the same gold answer |
| `shortened` | shortens a name to its first words, if no other name begins with them | the same gold answer |
| `absent` | has a name made of two names of its label, which is not in the graph | "not in the graph" |
| `ambiguous` | has `the movie` in place of a name, if there are several movies | a clarifying question |

A task has no `absent` variant if its query still finds something without the name, as the other half of a union does.

| kind | CypherBench-AU | the question |
|---|---|---|
| `ambiguous_relation` | A1 | says `connected with`, and the named node has two relationship types to one label |
| `ambiguous_property` | A2 | asks for the `date`, and the named node has a date of birth and a date of death |
| `ambiguous_type` | A3 | has a name that nodes of two labels have, with a property that both have |
| `ambiguous_value` | A4 | has a part of a name that several nodes of its label share |
| `ambiguous_direction` | A5 | does not say from which end, and the named node has nodes at both ends of a type |
| `absent_property` | U1 | asks for a property that only other labels have |
| `absent_relation` | U2 | asks for a relationship type that only other labels have |
| `absent_type` | U3 | asks for nodes of a kind that the graph does not have |
| `absent_filter` | U4 | has a condition on a property that only other labels have |
| `absent_time` | U5 | asks for a year, and neither the nodes nor the relationships of the gold query have times |

An ambiguous question expects a clarifying question; the graph cannot answer an absent one. Each is about the label and
the name of a task, and each ambiguity is looked up in the data: both readings have an answer, and not the same one.
What is absent comes from the labels that are most like the named one, or from `strange`, labels of other graphs.

A question is changed only if it contains the exact name once, so that its meaning stays the same, and if the schema has
the label of the name. Report the scores of original tasks and of variants separately (`variant` in a run's breakdown):
an agent may find only names as stored.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

from graphground.cypher import CypherSyntaxError, parse
from graphground.cypher import tree as t
from graphground.cypher.names.words import as_words, fold, plural, split_name
from graphground.cypher.quoting import quoted_name, quoted_string
from graphground.cypher.schema import PropertyGraphSchema, RelationshipPattern
from graphground.evals.tasks.task import Expected, Task
from graphground.graphs.engines.engine import QueryFailed, QueryTimeout
from graphground.graphs.graph import Graph

QUERY_SECONDS = 10.0
LEAST_LETTERS = 5
"""The minimum number of letters of a name that is still recognizable when misspelt."""
SAMPLED_NAMES, SAMPLED_TYPES = 2_000, 500
"""The maximum number of names of a label from which an absent name is made; that are compared to find one with two
meanings."""
TIME_TYPES = frozenset({"date", "datetime", "time"})
YEARS = range(1990, 2021)
SHARED = 20
"""The maximum number of names that share a word: one that more share says what the thing is, as `Hotel` does."""


def harden(
    tasks: Iterable[Task], graph: Graph, seed: int = 0, kinds: Iterable[str] = (), strange: Sequence[str] = ()
) -> list[Task]:
    """Return the variants of the tasks about `graph`, in the tasks' order; a task may have several variants or none.

    `kinds` are keys of `KINDS`, by default all. `strange` are labels of other graphs, for questions about kinds of
    things that this graph does not have.

    Raises:
        EngineUnavailable: the graph cannot be queried.
    """
    found = []
    for task in tasks:
        if task.graph != graph.name or task.expected != "answer":
            continue
        usable = names_once(task.question, task.gold, graph)
        for kind in (tuple(kinds) or KINDS) if usable else ():
            rng = random.Random(f"{seed} {kind} {task.qid}")
            question = KINDS[kind](Named(task.question, task.gold, *rng.choice(usable), graph, strange), rng)
            if question:
                changed = replace(task, qid=f"{task.qid}-{kind}", question=question, variant=kind)
                stances: dict[str, Expected] = {"ambiguous": "ask", "absent": "not_in_graph"}
                expected = stances.get(kind.partition("_")[0])
                found.append(changed if expected is None else replace(changed, expected=expected, answer=None))
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


def names_once(question: str, query: str, graph: Graph) -> list[tuple[str, str]]:
    """Return the labels and names in a query that the question holds exactly once, and whose label the graph has."""
    return [
        (label, name)
        for label, name in names_in(query)
        if label in graph.schema.labels and len(re.findall(_whole(name), question)) == 1
    ]


def replace_texts(query: str, texts: Mapping[str, str]) -> str:
    """Return the query with other texts in place of its string literals: each key by its value."""
    for literal in sorted(parse(query).find(t.StringLiteral), key=lambda literal: -literal.start):
        if literal.value in texts:
            query = query[: literal.start] + quoted_string(texts[literal.value]) + query[literal.end :]
    return query


def _whole(name: str) -> str:
    return rf"(?<!\w){re.escape(name)}(?!\w)"


@dataclass(frozen=True)
class Named:
    """A task's question and gold query, with one node that it names."""

    question: str
    gold: str
    label: str
    name: str
    graph: Graph
    strange: Sequence[str] = ()

    @property
    def schema(self) -> PropertyGraphSchema:
        """The schema of the graph."""
        return self.graph.schema

    @property
    def node(self) -> str:
        """The pattern of the named node, whose name is `$name`."""
        return f"(n:{quoted_name(self.label)} {{name: $name}})"

    def asked_with(self, other: str) -> str:
        """Return the question with another text in place of the name."""
        return re.sub(_whole(self.name), lambda _: other, self.question)

    def rows(self, query: str, name: object) -> list[list[Any]]:
        """Return the rows of a query with the parameter `$name`; if it fails or is too slow, a row of null.

        Such a row rules a variant out.
        """
        try:
            return self.graph.run(query, {"name": name}, timeout=QUERY_SECONDS).rows
        except (QueryTimeout, QueryFailed):
            return [[None]]

    def is_taken(self, name: str, label: str = "", besides: str = "") -> bool:
        """Whether a node of the label has this name or alias, not counting nodes whose name is `besides`."""
        label = label or self.label
        aliases = " OR $name IN n.aliases" if "aliases" in self.schema.labels[label].properties else ""
        query = f"MATCH (n:{quoted_name(label)}) WHERE n.name = $name{aliases} RETURN DISTINCT n.name"
        return any(row[0] != besides for row in self.rows(query, name))


def alias(named: Named, rng: random.Random) -> str | None:
    """Write an alias that no other node of the label has."""
    if "aliases" not in named.schema.labels[named.label].properties:
        return None
    rows = named.rows(f"MATCH {named.node} RETURN n.aliases", named.name)
    aliases = sorted({alias for row in rows for alias in row[0] or [] if isinstance(alias, str) and alias.strip()})
    own = [alias for alias in aliases if alias != named.name and not named.is_taken(alias, besides=named.name)]
    return named.asked_with(rng.choice(own)) if own else None


def misspelt(named: Named, rng: random.Random) -> str | None:
    """Swap, leave out or double one letter of the name."""
    name = named.name
    places = [place for place in range(1, len(name) - 1) if name[place].isalpha() and name[place + 1].isalpha()]
    if sum(map(str.isalpha, name)) < LEAST_LETTERS or not places:
        return None
    for _ in range(8):
        place = rng.choice(places)
        before, first, second, after = name[:place], name[place], name[place + 1], name[place + 2 :]
        changed = rng.choice(
            (before + second + first + after, before + second + after, before + first + first + second + after)
        )
        if changed != name and not named.is_taken(changed):
            return named.asked_with(changed)
    return None


def shortened(named: Named, rng: random.Random) -> str | None:
    """Leave only the first words of the name, with which no other name begins."""
    words = named.name.split(" ")
    short = " ".join(words[: rng.randint(1, len(words) - 1)]) if len(words) > 1 else ""
    if len(short) < 4:
        return None
    query = f"MATCH (n:{quoted_name(named.label)}) WHERE n.name STARTS WITH $name RETURN count(n)"
    return named.asked_with(short) if named.rows(query, short) == [[1]] and not named.is_taken(short) else None


def absent(named: Named, rng: random.Random) -> str | None:
    """Write the beginning of one name of the label with the end of another, if nothing in the graph is named so.

    Both names have the form of the given name: as many words, and the same words in lower case ("of", "the").
    """
    form = _form(named.name)
    query = f"MATCH (n:{quoted_name(named.label)}) RETURN DISTINCT n.name AS name ORDER BY name LIMIT $name"
    rows = named.rows(query, SAMPLED_NAMES) if len(form) > 1 else []
    alike = [row[0].split(" ") for row in rows if isinstance(row[0], str) and _form(row[0]) == form]
    labels = [label for label, known in named.schema.labels.items() if "name" in known.properties]
    for _ in range(8 if len(alike) > 1 else 0):
        (first, second), place = rng.sample(alike, 2), rng.randint(1, len(form) - 1)
        candidate = " ".join(first[:place] + second[place:])
        if candidate != named.name and not any(named.is_taken(candidate, label) for label in labels):
            rows = named.rows(replace_texts(named.gold, {named.name: candidate}), "")
            finds_something = any(value not in (None, 0, []) for row in rows for value in row)
            return None if finds_something else named.asked_with(candidate)
    return None


def _form(name: str) -> tuple[str, ...]:
    """Return the form of a name: a word in lower case or with a digit as it is, `*` for any other.

    >>> _form("Museum of Art"), _form("Michael Mann")
    (('*', 'of', '*'), ('*', '*'))
    """
    return tuple("*" if word[:1].isupper() and word.isalpha() else word for word in name.split(" "))


def ambiguous(named: Named, rng: random.Random) -> str | None:
    """Write `the movie` in place of a movie's name, if there are several."""
    rows = named.rows(f"MATCH (n:{quoted_name(named.label)}) RETURN count(n) > $name AS several", 1)
    return _replace_by_label(named.question, named.name, as_words(named.label)) if rows and rows[0][0] else None


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


def ambiguous_relation(named: Named, rng: random.Random) -> str | None:
    """Ask which nodes the named one is `connected with`."""
    found: dict[str, list[RelationshipPattern]] = {}
    for pattern in named.schema.patterns:
        if pattern.start != pattern.end and named.label in (pattern.start, pattern.end):
            found.setdefault(pattern.end if pattern.start == named.label else pattern.start, []).append(pattern)
    several = [(other, patterns) for other, patterns in found.items() if len(patterns) > 1]
    for other, patterns in _shuffled(several, rng):
        neighbours = {pattern.type: _neighbours(named, pattern, pattern.start == named.label) for pattern in patterns}
        if _differ(neighbours.values()):
            return f"Which {plural(as_words(other))} is {named.name} connected with?"
    return None


def ambiguous_property(named: Named, rng: random.Random) -> str | None:
    """Ask for a word that the names of two properties share."""
    properties = _asked_properties(named.schema, named.label)
    for first, second in _shuffled(combinations(properties, 2), rng):
        shared = [word for word in split_name(first) if word in split_name(second) and len(word) > 2]
        types = {named.schema.labels[named.label].properties[key] for key in (first, second)}
        if not shared or len(types) > 1 or " ".join(shared) in map(as_words, properties):
            continue
        columns = f"n.{quoted_name(first)}, n.{quoted_name(second)}"
        rows = named.rows(f"MATCH {named.node} RETURN {columns} LIMIT 2", named.name)
        if len(rows) == 1 and None not in rows[0] and rows[0][0] != rows[0][1]:
            return f"What is the {' '.join(shared)} of {named.name}?"
    return None


def ambiguous_type(named: Named, rng: random.Random) -> str | None:
    """Ask for a property of a name that nodes of two labels have."""
    schema, own = named.schema, f"(n:{quoted_name(named.label)})"
    for other in _shuffled(set(schema.labels) - {named.label}, rng):
        shared = set(_asked_properties(schema, named.label)) & set(_asked_properties(schema, other))
        if "name" not in schema.labels[other].properties:
            continue
        for key in _shuffled(shared, rng):
            values = f"n.{quoted_name(key)}", f"m.{quoted_name(key)}"
            rows = named.rows(
                f"MATCH {own} WITH n LIMIT $name MATCH (m:{quoted_name(other)} {{name: n.name}}) "
                f"WHERE {values[0]} <> {values[1]} RETURN n.name LIMIT 20",
                SAMPLED_TYPES,
            )
            if names := [row[0] for row in rows if isinstance(row[0], str)]:
                return f"What is the {as_words(key)} of {rng.choice(names)}?"
    return None


def ambiguous_value(named: Named, rng: random.Random) -> str | None:
    """Leave only a word of the name, which several names of the label have."""
    kinds = {word for label in named.schema.labels for word in split_name(label)}
    words = named.name.split(" ")
    ends = {word for word in (words[0], words[-1]) if len(word) > 3 and word.istitle() and word.isalpha()}
    for word in _shuffled((word for word in ends if fold(word) not in kinds), rng):
        rows = named.rows(
            f"MATCH (n:{quoted_name(named.label)}) WHERE n.name CONTAINS $name RETURN DISTINCT n.name LIMIT 200", word
        )
        names = [row[0] for row in rows if isinstance(row[0], str) and word in row[0].split(" ")]
        if 1 < len(names) <= SHARED and word not in names:
            return named.asked_with(word)
    return None


def ambiguous_direction(named: Named, rng: random.Random) -> str | None:
    """Ask for a relationship between nodes of one label, without its direction."""
    loops = [p for p in named.schema.patterns if p.start == p.end == named.label and not p.symmetric]
    for pattern in _shuffled(loops, rng):
        if _differ([_neighbours(named, pattern, out) for out in (True, False)]):
            label, relation = plural(as_words(named.label)), as_words(pattern.type)
            return f"Between {named.name} and which other {label} is there a “{relation}” relation?"
    return None


def absent_property(named: Named, rng: random.Random) -> str | None:
    """Ask for a property that labels like this one have."""
    key = _foreign_property(named.schema, named.label, rng)
    return key and f"Tell me the {as_words(key)} of {named.name}."


def absent_relation(named: Named, rng: random.Random) -> str | None:
    """Ask for the nodes at the end of a relationship type that labels like this one have."""
    own = {pattern.type for pattern in named.schema.patterns if named.label in (pattern.start, pattern.end)}
    for like in _like(named.schema, named.label):
        foreign = [p for p in named.schema.patterns if p.start == like and p.type not in own and p.end != named.label]
        if foreign:
            pattern = rng.choice(foreign)
            return f"Which {plural(as_words(pattern.end))} does {named.name} have as “{as_words(pattern.type)}”?"
    return None


def absent_type(named: Named, rng: random.Random) -> str | None:
    """Ask for nodes with a label of another graph."""
    types = (pattern.type for pattern in named.schema.patterns)
    known = {word for owner in (*named.schema.labels, *types) for word in split_name(owner)}
    strange = [label for label in named.strange if not known & set(split_name(label))]
    return f"Which {plural(as_words(rng.choice(strange)))} are connected with {named.name}?" if strange else None


def absent_filter(named: Named, rng: random.Random) -> str | None:
    """Add a condition on a property that the nodes in the answer do not have."""
    unnamed = [node.labels for node in parse(named.gold).find(t.NodePattern) if node.labels and not node.properties]
    label = next((name.text for labels in unnamed for name in labels.find(t.Name)), named.label)
    key = _foreign_property(named.schema, label, rng) if label in named.schema.labels else None
    question = named.question.rstrip(" ?.")
    if key is None or "," in question or " each" in question:
        return None  # a further condition would belong to the wrong part of the question
    return f"{question}, considering only {plural(as_words(label))} with a known {as_words(key)}?"


def absent_time(named: Named, rng: random.Random) -> str | None:
    """Ask for the state in one year, of which neither nodes nor relationships of the gold query know anything."""
    names = {name.text for name in parse(named.gold).find(t.Name)}
    properties: list[Mapping[str, str]] = [p.properties for p in named.schema.patterns if p.type in names]
    properties += [known.properties for label, known in named.schema.labels.items() if label in names]
    timed = any(
        type_ in TIME_TYPES or {"year", "date"} & set(split_name(key))
        for owned in properties
        for key, type_ in owned.items()
    )
    return None if timed or "," in named.question else f"{named.question.rstrip(' ?.')} in {rng.choice(YEARS)}?"


KINDS: Mapping[str, Callable[[Named, random.Random], str | None]] = {
    make.__name__: make
    for make in (
        *(alias, misspelt, shortened, absent, ambiguous),
        *(ambiguous_relation, ambiguous_property, ambiguous_type, ambiguous_value, ambiguous_direction),
        *(absent_property, absent_relation, absent_type, absent_filter, absent_time),
    )
}
"""What makes a question of each kind; None if the task, its graph or its data do not allow one."""


def _shuffled(items: Iterable[Any], rng: random.Random) -> list[Any]:
    found = sorted(items, key=str)
    rng.shuffle(found)
    return found


def _neighbours(named: Named, pattern: RelationshipPattern, out: bool) -> frozenset[object]:
    link = f"-[:{quoted_name(pattern.type)}]-"
    arrow = f"{link}>" if out else f"<{link}"
    other = quoted_name(pattern.end if out else pattern.start)
    rows = named.rows(f"MATCH {named.node}{arrow}(m:{other}) RETURN DISTINCT m.name LIMIT 200", named.name)
    return frozenset(row[0] for row in rows if row[0] is not None)


def _differ(readings: Iterable[frozenset[object]]) -> bool:
    return len({answer for answer in readings if answer}) > 1


def _asked_properties(schema: PropertyGraphSchema, label: str) -> list[str]:
    known = schema.labels[label]
    return [key for key in known.properties if key not in known.reserved and key != known.name_property]


def _like(schema: PropertyGraphSchema, label: str) -> list[str]:
    """Return the other labels, those that share the most properties and relationship types with this one first."""

    def features(of: str) -> set[str]:
        return {*schema.labels[of].properties, *(p.type for p in schema.patterns if of in (p.start, p.end))}

    own = features(label)
    others = [other for other in schema.labels if other != label]
    return sorted(others, key=lambda other: (-len(own & features(other)) / len(own | features(other)), other))


def _foreign_property(schema: PropertyGraphSchema, label: str, rng: random.Random) -> str | None:
    own = {word for key in schema.labels[label].properties for word in split_name(key)}
    for like in _like(schema, label):
        foreign = [key for key in _asked_properties(schema, like) if not own & set(split_name(key))]
        if foreign:
            return rng.choice(foreign)
    return None
