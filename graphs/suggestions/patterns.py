"""The space of graph patterns that a schema allows: CypherBench's seven basic and five special ones.

| kind | pattern |
|---|---|
| `node`, `named` | `(n:Movie)`, `(n:Movie {name: 'Heat'})` |
| `link`, `anchored` | `(n)-[r0]->(m0)`, `(n)-[r0]->(m0 {name: …})` |
| `chain` | `(n)-[r0]->(m0)<-[r1]-(m1 {name: …})` |
| `fork` | `(n)-[r0]->(m0 {name: …}),(n)-[r1]->(m1 {name: …})` |
| `ring` | `(n)-[r0]->(m0),(n)-[r1]->(m0)` |
| `comparison` | `(n {name: …}), (m0 {name: …})` |
| `grouping` | a chain, with the number of `m0` for each `n` |
| `optional` | an anchored `n`, with the number of `m0` for each, which may be 0 |
| `time` | an anchored `n`, with a time on the relationship |
| `union` | an `n` anchored in either of two ways |

Source: CypherBench (arXiv 2412.18702), §4.2.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from graphground.cypher.quoting import quoted_name
from graphground.cypher.schema import PropertyGraphSchema
from graphground.graphs.suggestions.mentions import Entity

Kind = Literal[
    "node", "named", "link", "anchored", "chain", "fork", "ring", "comparison", "grouping", "optional", "time", "union"
]
COUNTED: frozenset[Kind] = frozenset(("grouping", "optional"))
"""The kinds of patterns whose queries count the nodes `m0` for each node `n`."""


@dataclass(frozen=True, slots=True)
class Step:
    """A relationship type between two labels, followed from `start` to `end`, or backwards if not `forward`."""

    type: str
    start: str
    end: str
    forward: bool
    keys: tuple[str, ...] = ()
    """The names of the relationship's properties."""

    @property
    def origin(self) -> str:
        return self.start if self.forward else self.end

    @property
    def target(self) -> str:
        return self.end if self.forward else self.start

    def arrow(self, variable: str) -> str:
        """Return the step as Cypher: `-[r0:directedBy]->`."""
        inner = f"[{variable}:{quoted_name(self.type)}]"
        return f"-{inner}->" if self.forward else f"<-{inner}-"


@dataclass(frozen=True, slots=True)
class Pattern:
    """A pattern about the node `n`.

    `target` is the label of `n`. `steps` are the relationships in order; in an `optional` pattern, `steps[0]` is the
    optional step. `entities` are the named nodes of the pattern, in order.
    """

    kind: Kind
    target: str
    steps: tuple[Step, ...] = ()
    entities: tuple[Entity, ...] = ()
    time: str = ""
    """The condition on the relationship `r0` of a `time` pattern, as Cypher."""

    @property
    def middle(self) -> str | None:
        """The label of `m0` if the pattern does not name `m0`, as in a `link` or a `chain`; else None."""
        return self.steps[0].target if self.kind in ("link", "chain", "ring", "grouping", "optional") else None

    def match(self) -> str:
        """Return the clauses before the RETURN part: `MATCH (n:Movie) WITH DISTINCT n`."""
        return f"{self.clauses()} {self.projection()}".rstrip()

    def projection(self) -> str:
        """Return the `WITH` clause between the pattern and `RETURN`; empty for a comparison."""
        if self.kind in COUNTED:
            return "WITH n, count(DISTINCT m0) AS num"
        return "" if self.kind == "comparison" else "WITH DISTINCT n"

    def clauses(self) -> str:
        """Return the pattern as clauses: `MATCH (n:Movie)-[r0:directedBy]->(m0:Person {name: 'Michael Mann'})`."""
        target = f"(n:{quoted_name(self.target)})"
        ends = [entity.node(f"m{number}") for number, entity in enumerate(self.entities)]
        arrows = [step.arrow(f"r{number}") for number, step in enumerate(self.steps)]
        match self.kind:
            case "node":
                return f"MATCH {target}"
            case "named":
                return f"MATCH {self.entities[0].node('n')}"
            case "comparison":
                return f"MATCH {self.entities[0].node('n')}, {self.entities[1].node('m0')}"
            case "link":
                return f"MATCH {target}{arrows[0]}{_plain('m0', self.steps[0])}"
            case "anchored":
                return f"MATCH {target}{arrows[0]}{ends[0]}"
            case "time":
                return f"MATCH {target}{arrows[0]}{ends[0]} WHERE {self.time}"
            case "chain" | "grouping":
                end = self.entities[0].node("m1")
                return f"MATCH {target}{arrows[0]}{_plain('m0', self.steps[0])}{arrows[1]}{end}"
            case "fork":
                return f"MATCH {target}{arrows[0]}{ends[0]},{target}{arrows[1]}{ends[1]}"
            case "ring":
                middle = _plain("m0", self.steps[0])
                return f"MATCH {target}{arrows[0]}{middle},{target}{arrows[1]}{middle}"
            case "optional":
                end = self.entities[0].node("m1")
                return f"MATCH {target}{arrows[1]}{end} OPTIONAL MATCH {target}{arrows[0]}{_plain('m0', self.steps[0])}"
            case "union":
                return (
                    f"CALL {{ MATCH {target}{arrows[0]}{ends[0]} RETURN n, m0 as m "
                    f"UNION MATCH {target}{arrows[1]}{ends[1]} RETURN n, m1 as m }}"
                )


def _plain(variable: str, step: Step) -> str:
    return f"({variable}:{quoted_name(step.target)})"


class StepIndex:
    """The possible steps in a schema, by the label at which a step starts (`by_origin`) or ends (`by_target`)."""

    def __init__(self, schema: PropertyGraphSchema) -> None:
        self.by_origin: dict[str, list[Step]] = {label: [] for label in schema.labels}
        self.by_target: dict[str, list[Step]] = {label: [] for label in schema.labels}
        for pattern in schema.patterns:
            for forward in (True, False):
                step = Step(pattern.type, pattern.start, pattern.end, forward, tuple(pattern.properties))
                self.by_origin.setdefault(step.origin, []).append(step)
                self.by_target.setdefault(step.target, []).append(step)
