"""The predicates that a definition needs from Wikidata's RDF.

If only the values of a property are needed, they are read from truthy triples (`wdt:P31`), which hold the best
statements. A property with qualifiers, converted values or statements of every rank is read from statement nodes
(`p:P39`, `ps:P39`, `pq:P580` and the value nodes), if the dump has them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

from graphground.graphs.wikidata.plan import SUBCLASS_OF, Plan

PROP, WIKIBASE = "http://www.wikidata.org/prop/", "http://wikiba.se/ontology#"
SAME_AS = b"<http://www.w3.org/2002/07/owl#sameAs>"
RANK = b"<http://wikiba.se/ontology#rank>"
NORMAL_RANK, DEPRECATED_RANK = b"<http://wikiba.se/ontology#NormalRank>", b"<http://wikiba.se/ontology#DeprecatedRank>"
DETAILS = tuple(
    f"<{WIKIBASE}{name}>".encode() for name in ("quantityAmount", "quantityUnit", "timeValue", "timePrecision")
)
LABEL, ALIAS, DESCRIPTION, ABOUT = (
    b"<http://www.w3.org/2000/01/rdf-schema#label>",
    b"<http://www.w3.org/2004/02/skos/core#altLabel>",
    b"<http://schema.org/description>",
    b"<http://schema.org/about>",
)


def _predicate(folder: str, name: str) -> bytes:
    return f"<{PROP}{folder}{name}>".encode()


def direct(name: str) -> bytes:
    """Return the predicate `wdt:P31` for `"P31"`, which leads from an item to the value of a best statement."""
    return _predicate("direct/", name)


def claim(name: str) -> bytes:
    """Return the predicate `p:P39` for `"P39"`, which leads from an item to a statement."""
    return _predicate("", name)


def value(name: str) -> bytes:
    """Return the predicate `ps:P39` for `"P39"`, which leads from a statement to its value."""
    return _predicate("statement/", name)


@dataclass(frozen=True)
class Predicates:
    """The predicates that a plan needs; `is_full` is whether the dump has statement nodes."""

    plan: Plan
    is_full: bool = True

    @cached_property
    def names(self) -> list[str]:
        """The Wikidata properties that at least one label needs, sorted."""
        return sorted(self.plan.wanted_of(self.plan.labels))

    @cached_property
    def with_statements(self) -> frozenset[str]:
        """The Wikidata properties that are read from statement nodes."""
        return self.plan.beyond_values if self.is_full else frozenset()

    def parts(self, names: Iterable[str]) -> Iterator[bytes]:
        """Yield the predicates that lead from statements of the given properties to values and qualifiers."""
        for name in names:
            yield value(name)
            if name in self.plan.in_full:
                yield _predicate("statement/value/", name)
            for qualifier in sorted(self.plan.qualifiers.get(name, ())):
                yield _predicate("qualifier/", qualifier)
                if qualifier in self.plan.in_full:
                    yield _predicate("qualifier/value/", qualifier)

    @cached_property
    def extract(self) -> tuple[bytes, ...]:
        """All predicates that are needed, except those of names, sorted: the vocabulary of the extract."""
        found = {
            SAME_AS,
            *map(direct, self.names),
            *map(claim, self.plan.beyond_values),
            *self.parts(self.plan.beyond_values),
        }
        if self.plan.roots:
            found.add(direct(SUBCLASS_OF))
        if self.plan.beyond_values:
            found |= {RANK, *DETAILS}
        return tuple(sorted(found))
