"""Reports relationships that the schema does not allow: they are reversed,
or their type does not connect the labels."""

from __future__ import annotations

from collections import deque

from graphground.cypher.checks.findings import Findings, relationship_clause
from graphground.cypher.edits import reversed_text
from graphground.cypher.facts.model import Facts, Link
from graphground.cypher.facts.schema_index import SchemaIndex, narrowed
from graphground.cypher.facts.solver import links_to_reverse, written_kinds
from graphground.cypher.pattern_groups import pattern_texts
from graphground.cypher.quoting import quoted_name
from graphground.cypher.schema import RelationshipPattern
from graphground.cypher.wording import all_of, either, listed


def wrong_relationships(facts: Facts, findings: Findings) -> None:
    """Report relationships that the schema does not allow as written: `(:Person)-[:hasCEO]->(:Company)` is reversed.

    Nodes whose labels never occur together are reported too.
    """
    for symbol, labels in facts.contradictions:
        findings.add(
            "impossible_pattern",
            "error",
            f"No node can match {symbol.name}: the labels that the query requires of it, including "
            f"{findings.query.source(labels)}, never occur together. Use a different variable for a different node."
            if symbol.name
            else f"No node can match this pattern: the labels {findings.query.source(labels)} never occur together. "
            "Use a separate node pattern for a different node.",
            labels.start,
            labels.end,
        )
    for link in facts.links:
        if link.bad and not link.unknown:
            _wrong(facts, link, findings)


def _wrong(facts: Facts, link: Link, findings: Findings) -> None:
    left, right = written_kinds(link, True), written_kinds(link, False)
    if narrowed(left, right, link.pairs)[0]:
        # The link alone is possible: it contradicts what other patterns state about its ends.
        reversible = links_to_reverse(facts, link)
        if len(reversible) == 1:
            _reversed(facts, reversible[0], findings, clear=True)
        elif link in reversible:
            _reversed(facts, link, findings, clear=False)
        else:
            _impossible(facts, link, link.left.kinds, link.right.kinds, findings)
    elif narrowed(left, right, link.reversed_pairs)[0]:
        _reversed(facts, link, findings, clear=True)
    else:
        _impossible(facts, link, left, right, findings)


def _reversed(facts: Facts, link: Link, findings: Findings, clear: bool) -> None:
    pattern = link.pattern
    other_way = reversed_text(pattern)
    message = f"{relationship_clause(link.types or (), 'is', 'are')} written in the opposite direction: "
    allowed = _allowed(facts, link)
    message += f"the schema has {all_of(pattern_texts(allowed))}." if allowed else "reverse it."
    findings.add("reversed_direction", "error", message, pattern.start, pattern.end, [other_way], clear=clear)


def _impossible(facts: Facts, link: Link, left: int, right: int, findings: Findings) -> None:
    index, pattern = facts.index, link.pattern
    left_labels, right_labels = index.labels_of(left), index.labels_of(right)
    ends = f"{either(left_labels) or 'this node'} with {either(right_labels) or 'this node'}"
    between = connecting(index, left, right)
    if link.types:
        message = f"{relationship_clause(link.types, 'never connects', 'never connect')} {ends}."
    elif between:
        message = f"No relationship in this direction connects {ends}."
    else:
        message = f"No relationship connects {ends} in either direction."
    known = list(index.patterns(link.types)) if link.types else []
    if known:
        message += f" The schema has {all_of(pattern_texts(known))}."
    suggestions = []
    variable = pattern.variable.name if pattern.variable is not None else ""
    nodes = f"{left_labels[0]} and {right_labels[0]}" if len(left_labels) == len(right_labels) == 1 else "these nodes"
    if between:
        message += f" Relationships between {nodes}: {listed(pattern_texts(pattern for pattern, _ in between))}."
        suggestions = [_written(variable, pattern.type, forward) for pattern, forward in between[:3]]
    else:
        path = shortest_path(index, left, right)
        if path:
            message += f" The shortest path between {nodes} is {path}."
    findings.add("impossible_pattern", "error", message, pattern.start, pattern.end, suggestions)


def _allowed(facts: Facts, link: Link) -> list[RelationshipPattern]:
    """Return the schema patterns that a relationship would fit if reversed;
    if it fits none, all patterns of its types."""
    left, right = link.left.kinds, link.right.kinds
    if link.pattern.direction == "right":
        left, right = right, left
    patterns = list(facts.index.patterns(link.types))
    return [pattern for pattern in patterns if narrowed(left, right, (facts.index.ends(pattern),))[0]] or patterns


def _written(variable: str, type_: str, forward: bool) -> str:
    inner = f"-[{variable}:{quoted_name(type_)}]-"
    return f"{inner}>" if forward else f"<{inner}"


def connecting(index: SchemaIndex, left: int, right: int) -> list[tuple[RelationshipPattern, bool]]:
    """Return the schema patterns that connect two sets of node kinds, each with whether it goes from left to right.

    A set is a bit mask, as in `SchemaIndex`.
    """
    found = []
    for pattern in index.schema.patterns:
        ends = (index.ends(pattern),)
        if narrowed(left, right, ends)[0]:
            found.append((pattern, True))
        elif narrowed(right, left, ends)[0]:
            found.append((pattern, False))
    return found


def shortest_path(index: SchemaIndex, left: int, right: int) -> str:
    """Return the shortest path between two sets of node kinds as a pattern, or an empty string if no path exists.

    Between Person and Country of the company graph: `(:Person)<-[:hasCEO]-(:Company)-[:basedIn]->(:Country)`.
    """
    goal = set(index.labels_of(right))
    queue: deque[tuple[str, str]] = deque((label, f"(:{quoted_name(label)})") for label in index.labels_of(left))
    seen = {label for label, _ in queue}
    while queue:
        label, text = queue.popleft()
        if label in goal and "[" in text:
            return text
        for pattern in index.schema.patterns:
            name = quoted_name(pattern.type)
            for here, there, arrow in (
                (pattern.start, pattern.end, f"-[:{name}]->"),
                (pattern.end, pattern.start, f"<-[:{name}]-"),
            ):
                if here == label and there not in seen:
                    seen.add(there)
                    queue.append((there, f"{text}{arrow}(:{quoted_name(there)})"))
    return ""
