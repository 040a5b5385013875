"""Infers the labels of every symbol from all patterns together, and finds impossible relationships.

In `(m)-[:hasCEO]->(p)` of the company graph m must be a Company and p a Person, even if no label is written.
"""

from __future__ import annotations

from graphground.cypher.facts.model import Facts, Link
from graphground.cypher.facts.schema_index import narrowed
from graphground.cypher.work import check_work

MOST_AROUND = 40
"""Each of at most this many connected links is tried in reverse; for more links, no reversal is proposed."""


def solve(facts: Facts) -> None:
    """Narrow the kinds of all symbols until nothing changes; set `bad` on links that no pair of kinds can satisfy."""
    links = facts.links
    if facts.contradictions:
        links = [link for link in links if not (link.left.contradicted or link.right.contradicted)]
    for link in links:
        # The labels written at the link itself are tested first, so that this link is blamed.
        link.bad = not narrowed(written_kinds(link, True), written_kinds(link, False), link.pairs)[0]
    # Next to an unknown label the direction may be wrong too, so both directions are allowed when labels are inferred.
    good = [
        (link, link.pairs + link.reversed_pairs if link.left.suspect or link.right.suspect else link.pairs)
        for link in links
        if not link.bad
    ]
    families = [symbol for symbol in facts.symbols if symbol.parent is not None or symbol.sources]
    changed = True
    while changed:
        check_work()
        changed = False
        good.reverse()  # so that labels known at one end of a chain reach the other end within two passes
        for link, pairs in good:
            left, right = link.left, link.right
            before = left.kinds, right.kinds
            after = narrowed(left.kinds, right.kinds, pairs)
            if after == before:
                continue
            if not after[0]:
                link.bad = True
                continue
            left.kinds, right.kinds = after
            changed = True
        if changed and any(link.bad for link, _ in good):
            good = [item for item in good if not item[0].bad]
        for symbol in families:
            kinds = symbol.kinds
            if symbol.parent is not None:
                kinds &= symbol.parent.kinds
            if symbol.sources:
                source_kinds = 0
                for source in symbol.sources:
                    source_kinds |= source.kinds
                kinds &= source_kinds
            if kinds != symbol.kinds and kinds:
                symbol.kinds = kinds
                changed = True


def written_kinds(link: Link, left: bool) -> int:
    """Return the kinds that the written labels at one end of a link allow, without inference from patterns."""
    symbol = link.left if left else link.right
    kinds = symbol.declared
    while symbol.parent is not None:
        symbol = symbol.parent
        kinds = (kinds & symbol.declared) or kinds
    return kinds


def links_to_reverse(facts: Facts, blamed: Link) -> list[Link]:
    """Return the links that, if reversed alone, make the blamed link and everything connected to it consistent."""
    around = _connected(facts, blamed)
    return [item for item in around if item.reversed_pairs != item.pairs and _fits(around, item)]


def _connected(facts: Facts, start: Link) -> list[Link]:
    """Return a link and the consistent links connected to it, or an empty list if there are more than `MOST_AROUND`."""
    chosen, seen, waiting = {id(start): start}, set[int](), [start.left, start.right]
    while waiting:
        symbol = waiting.pop()
        if id(symbol) in seen:
            continue
        seen.add(id(symbol))
        for link in symbol.links:
            if not link.bad and id(link) not in chosen:
                chosen[id(link)] = link
                waiting += (link.left, link.right)
                if len(chosen) > MOST_AROUND:
                    return []
    return list(chosen.values())


def _fits(links: list[Link], reversed_link: Link) -> bool:
    kinds: dict[int, int] = {}
    for link in links:
        for symbol in (link.left, link.right):
            kinds[id(symbol)] = symbol.declared
            if symbol.parent is not None:
                kinds[id(symbol)] = symbol.declared & symbol.parent.kinds or symbol.declared
    changed = True
    while changed:
        changed = False
        for link in links:
            left, right = id(link.left), id(link.right)
            before = kinds[left], kinds[right]
            after = narrowed(*before, link.reversed_pairs if link is reversed_link else link.pairs)
            if after != before:
                if not after[0]:
                    return False
                kinds[left], kinds[right] = after
                changed = True
    return True
