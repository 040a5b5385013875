"""Enumerates patterns of one and two relationships around entities, and counts their nodes, with one query.

`UNWIND $mentioned AS name MATCH (m0:Person {name: name})<-[r0]-(n) RETURN type(r0), labels(n), count(…)`: the database
reports the existing relationships and how many answers each leads to, so no schema is needed. Source: GraphRAFT (arXiv
2504.05478), §4.1.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from graphground.agents.training.candidates import Candidate

MOST_ENTITIES = 8
MOST_PAIRS = 12
INWARD, OUTWARD = ("<-[{}]-", "-[{}]->")


@dataclass(frozen=True, slots=True)
class Entity:
    """An entity to which a mention may refer: `Entity("Michael Mann", "Person", "Michael Mann")`.

    `key` is the property that holds the entity's name.
    """

    mention: str
    label: str
    name: str
    key: str = "name"


def enumerating(
    entities: Sequence[Entity], name_keys: Sequence[str], hops: int = 2
) -> tuple[list[str], dict[str, Any]]:
    """Return the queries that enumerate patterns, and their parameters.

    The queries are parts of a UNION ALL with the columns of `candidates.counting`. The caller adds the parameter
    `$names` with the answers. `name_keys` are the properties that name nodes. With `hops=1`, no chains of two
    relationships are enumerated. The column `found` holds the kind of the pattern, the numbers of its entities, its
    arrows, its types and its labels.
    """
    known = entities[:MOST_ENTITIES]
    parameters: dict[str, Any] = {}
    parts: list[str] = []
    groups: dict[tuple[str, str], list[int]] = defaultdict(list)
    for number, entity in enumerate(known):
        groups[entity.label, entity.key].append(number)
    for group, ((label, key), numbers) in enumerate(groups.items()):
        parameters[f"e{group}"] = [[number, known[number].name] for number in numbers]
        opened = f"UNWIND $e{group} AS e MATCH (m1:{quoted(label)} {{{quoted(key)}: e[1]}})"
        for second in (INWARD, OUTWARD):
            parts.append(
                f"{opened}{second.format('r1')}(n) "
                + _counted(f"'hop', e[0], -1, '{second}', '', type(r1), '', labels(n)[0], ''", name_keys)
            )
            for first in (INWARD, OUTWARD) if hops > 1 else ():
                parts.append(
                    f"{opened}{second.format('r1')}(m0){first.format('r0')}(n) "
                    + _counted(
                        f"'chain', e[0], -1, '{second}', '{first}', type(r1), type(r0), labels(n)[0], labels(m0)[0]",
                        name_keys,
                    )
                )
    pairs = [pair for pair in combinations(range(len(known)), 2) if known[pair[0]].mention != known[pair[1]].mention]
    for left, right in pairs[:MOST_PAIRS]:
        parameters |= {f"n{left}": known[left].name, f"n{right}": known[right].name}
        for first in (INWARD, OUTWARD):
            for second in (INWARD, OUTWARD):
                parts.append(
                    f"MATCH {_node('m0', known[left], left)}{first.format('r0')}(n), "
                    f"{_node('m1', known[right], right)}{second.format('r1')}(n) "
                    + _counted(
                        f"'fork', {left}, {right}, '{first}', '{second}', type(r0), type(r1), labels(n)[0], ''",
                        name_keys,
                    )
                )
    return parts, parameters


def enumerated(
    rows: Sequence[Sequence[Any]], entities: Sequence[Entity], keys_of: Mapping[str, str], answers: int
) -> Iterator[Candidate]:
    """Yield a candidate query for each row in the result of the queries that `enumerating` returns.

    `keys_of` maps a label to the property that names its nodes; rows with other labels are skipped. `answers` is the
    number of distinct answers.
    """
    for (kind, first, second, one_way, other_way, near_type, far_type, label, middle), total, hits, covered in rows:
        if label not in keys_of:
            continue
        n, end = f"(n:{quoted(label)})", f"{_named('m1', entities[first])}"
        # The patterns were enumerated starting at the entity;
        # they are written starting at `n`, so their arrows are reversed.
        arrow, beyond = (
            _reversed_arrow(one_way).format(f"r1:{quoted(near_type)}"),
            _reversed_arrow(other_way).format(f"r0:{quoted(far_type)}"),
        )
        if kind == "hop":
            pattern = f"{n}{arrow.replace('r1', 'r0', 1)}{_named('m0', entities[first])}"
        elif kind == "chain":
            pattern = f"{n}{beyond}(m0:{quoted(middle)}){arrow}{end}"
        else:
            arrow = _reversed_arrow(one_way).format(f"r0:{quoted(near_type)}")
            beyond = _reversed_arrow(other_way).format(f"r1:{quoted(far_type)}")
            pattern = f"{n}{arrow}{_named('m0', entities[first])},{n}{beyond}{_named('m1', entities[second])}"
        query = f"MATCH {pattern} WITH DISTINCT n RETURN n.{quoted(keys_of[label])}"
        yield Candidate(query, total, hits, covered, answers, source="enumerated")


def quoted(name: str) -> str:
    """Return a name of the schema as it is written in Cypher: in backticks if necessary."""
    plain = name.isascii() and name.replace("_", "a").isalnum() and not name[0].isdigit()
    return name if plain else f"`{name.replace('`', '``')}`"


def _counted(columns: str, name_keys: Sequence[str]) -> str:
    title = f"coalesce({', '.join(f'n.{quoted(key)}' for key in name_keys)}, '')"
    return (
        f"WITH DISTINCT [{columns}] AS found, n WITH found, {title} AS title RETURN found, count(*) AS rows, "
        "count(CASE WHEN title IN $names THEN 1 END) AS hits, "
        "count(DISTINCT CASE WHEN title IN $names THEN title END) AS covered"
    )


def _node(variable: str, entity: Entity, number: int) -> str:
    return f"({variable}:{quoted(entity.label)} {{{quoted(entity.key)}: $n{number}}})"


def _named(variable: str, entity: Entity) -> str:
    text = entity.name.replace("\\", "\\\\").replace("'", "\\'")
    return f"({variable}:{quoted(entity.label)} {{{quoted(entity.key)}: '{text}'}})"


def _reversed_arrow(arrow: str) -> str:
    return {INWARD: OUTWARD, OUTWARD: INWARD}.get(arrow, "")
