"""Reports names in a query that no node has, with the nearest existing names."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import permutations
from operator import or_
from time import monotonic
from typing import Any, Protocol

from graphground.cypher import tree as t
from graphground.cypher.checks.findings import Findings, entry_as_condition
from graphground.cypher.checks.names import GENERIC_NAMES, LIKELY, SLIP, TEXT_OPERATORS
from graphground.cypher.checks.places import compare_beside, connecting, written_relationship
from graphground.cypher.diagnostics import Edit, Severity, all_of, either, listed
from graphground.cypher.names.nearest import meaning, spelling
from graphground.cypher.names.words import split
from graphground.cypher.outline.model import Comparison, Data, Facts, PropertyUse, common_texts, owners
from graphground.cypher.quoting import quote_like, quoted_name, quoted_string
from graphground.cypher.schema import pattern_texts

UNASKED = frozenset({"eid", "aliases", "description", "provenance"})
LONGEST = 100
MOST_SOUGHT, MOST_LABELS, SECONDS = 30, 3, 0.5
"""Limits for one query: the number of unknown names for which similar names are searched, of labels in which the parts
of a name are searched, and the seconds for all lookups. The findings are only warnings, so most of them can be omitted
if a query lists a thousand names.
"""
SHOWN, FEW = 5, 10
"""The number of names that are shown, and of values of a property up to which all are shown."""


class Candidate(Protocol):
    """An entity or a property value to which a name may refer, such as the Player `LeBron James`, found by an alias."""

    @property
    def name(self) -> str: ...
    @property
    def label(self) -> str: ...
    @property
    def score(self) -> float: ...
    @property
    def match(self) -> str: ...
    @property
    def name_property(self) -> str: ...
    @property
    def property(self) -> str: ...  # last: inside the class it hides the built-in decorator `property`


class Judgement(Protocol):
    """The verdict on a name: `found`, `ambiguous`, or `not_found` with the nearest names."""

    @property
    def verdict(self) -> str: ...
    @property
    def candidates(self) -> Sequence[Candidate]: ...


class EntityLookup(Protocol):
    """The methods of `graphs.entities.candidate.EntityLookup` that the checks and the repair use."""

    def find(self, mention: str, *, label: str | None = None, limit: int = 5) -> Sequence[Candidate]: ...

    def judge(
        self, mention: str, *, labels: Collection[str] | None = None, key: str | None = None, names: bool = True
    ) -> Judgement: ...

    def holds(self, value: str, *, label: str | None = None, property: str | None = None) -> bool: ...


def unknown_entities(
    facts: Facts, findings: Findings, entities: EntityLookup, parameters: Mapping[str, Any], data: Data | None = None
) -> None:
    """Report a name that no node has: for `(p:Player {name: 'Lebron Jmes'})` the nearest name is `LeBron James`."""
    _Names(facts, findings, entities, parameters, data).check()


@dataclass(frozen=True)
class _Found:
    """The judgement that these candidates are meant."""

    candidates: Sequence[Candidate]
    verdict: str = "found"


class _Names:
    """The check of the names in one query, with a limit on the number of similar names sought and on the time."""

    def __init__(
        self, facts: Facts, findings: Findings, entities: EntityLookup, parameters: Mapping[str, Any], data: Data | None
    ) -> None:
        self._facts, self._findings, self._entities, self._parameters = facts, findings, entities, parameters
        self._data = data
        self._index, self._naming = facts.index, facts.index.schema.naming_properties
        self._sought, self._until = 0, monotonic() + SECONDS

    def _judge(
        self, value: str, labels: Collection[str] | None, key: str | None = None, names: bool = True
    ) -> Judgement:
        self._sought += 1
        judgement = self._entities.judge(value, labels=labels, key=key, names=names)
        # `Roman Period` means the Period `Roman`.
        meant = [
            item
            for item in judgement.candidates
            if {*split(f"{item.name} {item.label}".lower())} == {*split(value.lower())}
        ]
        return _Found(meant) if judgement.verdict == "not_found" and len(meant) == 1 else judgement

    def check(self) -> None:
        for comparison in self._facts.comparisons:
            use, operator = comparison.left, comparison.operator
            literal: t.Node = comparison.right_node
            if operator == "IN" and isinstance(comparison.right, PropertyUse):
                use, literal, operator = comparison.right, comparison.left_node, "="
            if not isinstance(use, PropertyUse) or use.symbol.kind != "node" or use.key in UNASKED:
                continue
            types = self._index.property_types(use.symbol.kinds, use.key)
            single = comparison.right is not use and not use.element
            labels = self._index.labels_of(use.symbol.kinds)
            for node, value, written in _named(literal, bool(types) and operator == "IN", self._parameters):
                if self._sought >= MOST_SOUGHT or monotonic() > self._until:
                    return
                if not types and operator == "=" and single:
                    if not self._index.schema.open:
                        self._other_property(comparison, use, value, labels)
                elif types != {"str" if single else "list[str]"} or (use.key in self._naming and not single):
                    break
                elif operator in ("=", "<>", "IN"):
                    self._whole(comparison, use, node, value, labels, written, single)
                elif operator in TEXT_OPERATORS and use.key in self._naming:
                    self._part(comparison, use, node, value, labels)

    def _whole(
        self,
        comparison: Comparison,
        use: PropertyUse,
        node: t.Node,
        value: str,
        labels: Sequence[str],
        written: bool,
        single: bool,
    ) -> None:
        if len(value) > LONGEST:
            return
        known = self._index.schema.labels
        searched: Sequence[str | None] = labels if len(labels) < len(self._index.label_masks) else (None,)
        if any(self._entities.holds(value, label=label, property=use.key) for label in searched):
            if not self._namesake(comparison, use, value):
                self._other_case(comparison, use, node, value)
            return
        if self._other_property(comparison, use, value, labels):
            return
        named = use.key in self._naming
        judgement = self._judge(value, None if None in searched else labels, use.key, named)
        found = judgement.candidates
        if not found and use.key != "name" and not any(known[label].naming == use.key for label in labels):
            return  # nothing is known about the values of this property
        names = list(dict.fromkeys(candidate.name for candidate in found))[:SHOWN]
        labelled = either([label for label in searched if label], 3)
        message = f"No node{' labelled ' if labelled else ''}{labelled} has "
        message += f"the {use.key} {value!r}" if single else f"{value!r} among its {use.key}"
        if judgement.verdict == "not_found":
            message += nothing_like_it(names, "name" if named else "value")
        message += "."
        if found and found[0].match == "alias":
            message += f" {value!r} is an alias of {names[0]!r}."
        elsewhere = [
            label
            for label in (self._index.label_masks if named and None not in searched else ())
            if label not in labels
            and use.key in known[label].properties
            and self._entities.holds(value, label=label, property=use.key)
        ]
        if elsewhere:
            nodes = "A node labelled" if len(elsewhere) == 1 else "Nodes labelled"
            message += f" {nodes} {either(elsewhere)} {'has' if len(elsewhere) == 1 else 'have'} this {use.key}."
        # A name that should be left out may be absent; one that is present in another case is meant.
        absent = (comparison.negated or comparison.operator == "<>") and [n.lower() for n in names] != [value.lower()]
        severity: Severity = "hint" if absent else "warning"
        suggestions = [quoted_string(name) for name in names] if judgement.verdict != "not_found" else []
        clear = written and not elsewhere and severity == "warning"
        edits: list[Edit] = []
        if clear and suggestions[1:] and all(name.startswith(f"{value} ") for name in names):
            query, entry = self._findings.query, comparison.node
            subject = f"{use.symbol.name}.{query.source(use.key_node)}" if use.in_map else query.source(use.node)
            condition = f"{subject} STARTS WITH {query.source(node)}"
            whole = [Edit(entry.start, entry.end, condition)] if comparison.operator == "=" else []
            edits = entry_as_condition(query, entry, condition) if use.in_map else whole
            message += f" Several begin with it: {condition}." if edits else ""
        clear = clear and len(suggestions) == 1
        self._findings.add(severity, "entity_not_found", message, node, suggestions, clear=clear, edits=edits)

    def _namesake(self, comparison: Comparison, use: PropertyUse, value: str) -> bool:
        """Report a name that a node of one other label has too, if the query's relationships fit only that node."""
        links = [link for link in use.symbol.links if link.bad and link.type in self._index.types]
        fitting = reduce(or_, (pair[use.symbol is link.right] for link in links for pair in link.pairs), 0)
        found = self._judge(value, None).candidates if links and comparison.operator == "=" else []
        masks = self._index.label_masks
        places = {(item.label, item.property) for item in found if item.name == value and masks[item.label] & fitting}
        own = [label.name for label in self._facts.labels if label.symbol is use.symbol]
        # Another type, or a node left out, is as likely as another label.
        ways = [(fitting, use.symbol.kinds), *((link.left.kinds, link.right.kinds) for link in links)]
        other = any(connecting(self._index, *ends) for ends in ways)
        if len(places) != 1 or len(own) != 1 or comparison.negated or other:
            return False
        label, key = (quoted_name(name) for name in places.pop())
        edits = [Edit(own[0].start, own[0].end, label), Edit(use.key_node.start, use.key_node.end, key)]
        message = f"A node labelled {label} has the {key} {value!r}, and such nodes can have these relationships."
        self._findings.warning("entity_not_found", message, comparison.node, edits=edits)
        return True

    def _other_case(self, comparison: Comparison, use: PropertyUse, node: t.Node, value: str) -> None:
        """Report a value that other nodes have in another case: `p.colour = 'black'`, where some are 'Black'."""
        texts = common_texts(self._facts, use.symbol, use.key, self._data)
        others = sorted(text for text in texts - {value} if text.lower() == value.lower())
        if value in texts and others and comparison.operator == "=" and not comparison.negated:
            condition = f"toLower({use.symbol.name or 'n'}.{quoted_name(use.key)}) = {quoted_string(value.lower())}"
            message = f"Other nodes have the {use.key} {all_of(list(map(repr, others)))}. To match these too, write {condition} in WHERE."
            self._findings.hint("text_compared", message, node)

    def _other_property(self, comparison: Comparison, use: PropertyUse, value: str, labels: Sequence[str]) -> bool:
        """Report a text that is the value of another property: `{name: 'Acme'}`, where Acme is a `companyName`.

        Properties of the query's labels come first, then those of other labels. Return whether there is any.
        """
        facts, key, known = self._facts, use.key_node, self._index.schema.labels

        def exact_in(judgement: Judgement) -> list[Candidate]:
            found = judgement.candidates
            return [item for item in found if item.name == value and item.property == item.name_property]

        judgement = self._judge(value, labels)
        exact = exact_in(judgement)
        if not exact or not self._index.property_types(use.symbol.kinds, use.key):
            exact = [*exact, *exact_in(self._judge(value, None))]
        if not exact and self._split_name(comparison, use, value, labels):
            return True
        if not exact and judgement.verdict == "found" and use.key in GENERIC_NAMES and not comparison.negated:
            only = judgement.candidates[0]
            if only.property == only.name_property != use.key and only.label in labels:
                self._findings.warning(
                    "entity_not_found",
                    f"No {only.label} has the {use.key} {value!r}, but {only.name!r} is the {only.property} of one.",
                    comparison.node,
                    edits=[
                        Edit(key.start, key.end, quoted_name(only.property)),
                        Edit(comparison.right_node.start, comparison.right_node.end, quoted_string(only.name)),
                    ],
                )
                return True
        here = list(
            dict.fromkeys(
                item.property
                for item in exact
                if item.label in labels and not self._missing(item.label, item.property, value)
            )
        )
        called = [item for item in exact if item.label not in labels and meaning(use.key, item.label) > LIKELY]
        if called and not any(meaning(use.key, key) > LIKELY for key in here):
            exact, here = called, []  # `{firm: 'Silva'}` means a LawFirm, and no surname
        if here and use.key not in here and all(key in known[label].properties for label in labels for key in here):
            owner = either([label for label in labels if label], 3)
            self._findings.warning(
                "entity_not_found",
                f"No {owner} has the {use.key} {value!r}, but {value!r} is the {all_of(here)} of one.",
                key,
                [quoted_name(name) for name in here],
                clear=len(here) == 1 and not comparison.negated and comparison.operator != "<>",
            )
            return True
        named = use.key in self._naming
        there = [item for item in exact if item.label not in labels and (item.property != use.key or not named)]
        if here or not there or not labels or len(labels) == len(known) or self._is_category(use):
            return False
        places = list(dict.fromkeys((candidate.label, candidate.property) for candidate in there))
        own = [label for label in facts.labels if label.symbol is use.symbol]
        index, left, masks = self._index, use.symbol.kinds, self._index.label_masks
        # Of several labels of one node, the narrowest tells best what leads to it.
        narrow = min(places, key=lambda place: masks[place[0]].bit_count())
        if all(name == narrow[1] and masks[label] & masks[narrow[0]] for label, name in places):
            places = [narrow]
        written = [f"(:{quoted_name(label)} {{{quoted_name(name)}: {quoted_string(value)}}})" for label, name in places]
        right = masks[places[0][0]]
        between = connecting(index, left, right) if not places[1:] else []
        steps = {written_relationship("", pattern.type, forward): pattern.type for pattern, forward in between}
        if not between and not places[1:]:  # two steps away, not back to the vessels of a yard and on to their flags
            steps = {
                f"{written_relationship('', first.type, on)}(:{quoted_name(label)})"
                f"{written_relationship('', second.type, on)}": label
                for label, mask in index.label_masks.items()
                for first, on in connecting(index, left, mask)
                for second, onward in connecting(index, mask, right)
                if on == onward
            }
        edits, path = list[Edit](), ""
        # Another label is certain only if the query's own relationships contradict the written one.
        if len(places) == 1 and len(own) == 1 and any(link.bad for link in use.symbol.links):
            edits = [
                Edit(own[0].name.start, own[0].name.end, quote_like(facts.query.source(own[0].name), places[0][0])),
                Edit(key.start, key.end, quoted_name(places[0][1])),
            ]
        elif len(steps) == 1:
            (step, through), *_ = steps.items()
            others = [*index.properties_of(left), *index.types, *masks]
            other = any(meaning(use.key, name) >= LIKELY or spelling(use.key, name) >= SLIP for name in others)
            if (between and not other) or meaning(use.key, through) > LIKELY or meaning(use.key, places[0][0]) > LIKELY:
                path = f"{step}{written[0]}"
                edits = compare_beside(facts, comparison, use, path)
        joined = all_of(pattern_texts(pattern for pattern, _ in between), 3)
        message = (
            f"No {either(labels, 3)} has the {use.key} {value!r}, but {all_of(written, 3)} {'exists' if len(written) == 1 else 'exist'}."
            + (f" The schema has {joined}." if between else f" A path leads there: (…){path}." if path else "")
        )
        self._findings.warning("entity_not_found", message, comparison.right_node, edits=edits)
        return True

    def _split_name(self, comparison: Comparison, use: PropertyUse, value: str, labels: Sequence[str]) -> bool:
        """Report a name that is written in two properties: `{name: 'Ada King'}`, where Ada is a `forename`."""
        known, words = self._index.schema.labels, split(value.lower())
        if comparison.negated or comparison.operator != "=" or len(words) < 2:
            return False
        found = [item for label in labels[:MOST_LABELS] for item in self._entities.find(value, label=label)]
        parts = {
            first.property: (first, second)
            for first, second in permutations(found, 2)
            if first.label == second.label and first.property != second.property
            if split(f"{first.name} {second.name}".lower()) == words
            if not {first.property, second.property} & {use.key, *known[first.label].reserved}
        }
        if len(parts) != 1:
            return False
        pair = next(iter(parts.values()))
        before = "" if use.in_map else self._findings.query.text[use.node.start : use.key_node.start]
        equals, joined = (": ", ", ") if use.in_map else (" = ", " AND ")
        fix = joined.join(f"{before}{quoted_name(part.property)}{equals}{quoted_string(part.name)}" for part in pair)
        message = f"No {pair[0].label} has the {use.key} {value!r}, which is written in two properties: {fix}."
        self._findings.warning("entity_not_found", message, comparison.node, fix=fix)
        return True

    def _missing(self, label: str, key: str, value: str) -> bool:
        """Whether a value stands for a missing value of a property, such as `open` among the dates of `closed`."""
        known = self._data.property(label, key) if self._data is not None else None
        return known is not None and any(text == value for text, _ in known.placeholders)

    def _is_category(self, use: PropertyUse) -> bool:
        """Whether a property has few values: then one of these is meant, and no node elsewhere."""
        known = [
            self._data and self._data.property(owner, use.key) for owner in owners(self._facts, use.symbol, use.key)
        ]
        counts = [values.distinct for values in known if values]
        return bool(counts) and all(count is not None and count <= FEW for count in counts)

    def _part(self, comparison: Comparison, use: PropertyUse, node: t.Node, value: str, labels: Sequence[str]) -> None:
        """Report `n.name CONTAINS 'Lebron'`, STARTS WITH or ENDS WITH
        if none of the nearest names fulfils the condition."""
        judgement = self._judge(value, labels, use.key)
        found, (holds, words) = judgement.candidates, TEXT_OPERATORS[comparison.operator]
        if not found or any(holds(candidate.name, value) for candidate in found):
            return
        names = list(dict.fromkeys(candidate.name for candidate in found))[:SHOWN]
        absent = judgement.verdict == "not_found"
        noun = "name" if use.key in self._naming else "value"
        self._findings.hint(
            "entity_not_found",
            f"Found no {use.key} that {words} {value!r} (case-sensitive)"
            f"{nothing_like_it(names, noun) if absent else ''}.",
            node,
            [] if absent else [quoted_string(name) for name in names],
        )


def _named(literal: t.Node, several: bool, parameters: Mapping[str, Any]) -> Iterator[tuple[t.Node, str, bool]]:
    """Yield the names in a literal or parameter: the node, the name, and whether the name is written in the query."""
    if several and isinstance(literal, t.ListLiteral):
        for item in literal.items:
            yield from _named(item, False, parameters)
    elif isinstance(literal, t.StringLiteral):
        yield literal, literal.value, True
    elif isinstance(literal, t.Parameter):
        value = parameters.get(literal.name)
        for element in value if several and isinstance(value, list | tuple) else (value,):
            if isinstance(element, str):
                yield literal, element, False


def nothing_like_it(nearest: Sequence[str], noun: str) -> str:
    """Return the end of a message: `, and no name is similar enough (nearest: 'Ronin')`.

    Empty if `nearest` is empty.
    """
    return f", and no {noun} is similar enough (nearest: {listed([repr(name) for name in nearest])})" if nearest else ""
