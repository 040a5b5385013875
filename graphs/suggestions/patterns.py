"""Enumerates the patterns that the schema allows around some entities: one hop, two hops, and connections of two
entities.

(n:Movie)-[r0:directedBy]->(m0:Person {name: 'Michael Mann'})
(n:Award)<-[r0:receivesAward]-(m0:Movie)-[r1:directedBy]->(m1:Person {name: 'Michael Mann'})
(n:Movie)-[r0:directedBy]->(m0:Person {name: 'Michael Mann'}), (n)-[r1:hasGenre]->(m1:Genre {name: 'heist'})
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

from graphground.cypher.quoting import quoted_name
from graphground.cypher.schema import PropertyGraphSchema
from graphground.cypher.schema import RelationshipPattern as SchemaPattern
from graphground.graphs.suggestions.mentions import Entity


@dataclass(frozen=True, slots=True)
class Step:
    """A relationship seen from one of its ends: `forward` leads from its start to its end."""

    pattern: SchemaPattern
    forward: bool

    @property
    def origin(self) -> str:
        return self.pattern.start if self.forward else self.pattern.end

    @property
    def target(self) -> str:
        return self.pattern.end if self.forward else self.pattern.start

    def arrow(self, variable: str) -> str:
        """The step as Cypher: `-[r0:directedBy]->`."""
        inner = f"[{variable}:{quoted_name(self.pattern.type)}]"
        return f"-{inner}->" if self.forward else f"<-{inner}-"


@dataclass(frozen=True, slots=True)
class QueryShape:
    """A pattern around `n`: chains of steps from `n`, each to an entity; without chains `n` is the entity itself."""

    target: str
    chains: tuple[tuple[tuple[Step, ...], Entity], ...]
    itself: Entity | None = None

    @property
    def steps(self) -> list[Step]:
        return [step for chain, _ in self.chains for step in chain]

    @property
    def entities(self) -> list[Entity]:
        return [self.itself] if self.itself else [entity for _, entity in self.chains]

    def cypher(self) -> str:
        """The pattern as it is written after MATCH."""
        if self.itself:
            return self.itself.node("n")
        paths, node, relationship = [], 0, 0
        for place, (chain, entity) in enumerate(self.chains):
            text = "(n)" if place else f"(n:{quoted_name(self.target)})"
            for number, step in enumerate(chain):
                last = number == len(chain) - 1
                text += step.arrow(f"r{relationship}")
                text += entity.node(f"m{node}") if last else f"(m{node}:{quoted_name(step.target)})"
                relationship, node = relationship + 1, node + 1
            paths.append(text)
        return ", ".join(paths)


def shapes(schema: PropertyGraphSchema, entities: Sequence[Entity], hops: int) -> Iterator[QueryShape]:
    """All patterns that the schema allows around the entities, the smaller ones first.

    Entities that are alternatives for the same mention never occur in one pattern.
    """
    steps = [Step(pattern, forward) for pattern in schema.patterns for forward in (True, False)]
    single: dict[Entity, list[tuple[Step, ...]]] = {}
    for entity in entities:
        yield QueryShape(entity.label, (), entity)
        single[entity] = [(step,) for step in steps if step.target == entity.label]
        for chain in single[entity]:
            yield QueryShape(chain[0].origin, ((chain, entity),))
    if hops > 1:
        for entity in entities:
            for (last,) in single[entity]:
                for first in steps:
                    if first.target == last.origin:
                        yield QueryShape(first.origin, (((first, last), entity),))
    for one, other in combinations(entities, 2):
        if one.mention == other.mention:
            continue
        for left in single[one]:
            for right in single[other]:
                if left[0].origin == right[0].origin:
                    yield QueryShape(left[0].origin, ((left, one), (right, other)))
