"""A schema as text: Cypher-like patterns (`base`, `enhanced`) and CypherBench's JSON.

    >>> print(base_form(films))
    Every node has name: str
    (:Movie {runtime_minute: float})
    (:Movie)-[:hasCastMember {character_role: str}]->(:Person)

In `base`, a type that follows several properties is the type of each: `{start_year, end_year: int}`. Labels with the
same properties share a line, and so do patterns that differ in one end or in the type: `(:Movie|Series)`. A label
without further properties has no line if a pattern contains it. `enhanced` has a line for each property about which
more is known, such as a unit or sample values, and states which relationships are symmetric or time-bounded. If the
statistics of a graph are given, every form marks empty elements: `(0 nodes)`, `(no values)`, `(0 relationships)`.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

from graphground.cypher.diagnostics import either
from graphground.cypher.names.words import word_lists
from graphground.cypher.quoting import quoted_name
from graphground.cypher.schema import (
    Label,
    PropertyGraphSchema,
    RelationshipPattern,
    grouped,
    grouped_patterns,
    grouped_types,
    label_names,
    pattern_text,
)
from graphground.cypher.text_values import TextValues
from graphground.graphs.schemas.extraction.profiles import foreign_name
from graphground.graphs.schemas.statistics import PropertyStatistics, Statistics

Form = Literal["base", "enhanced", "json"]

Samples = Mapping[tuple[str, str], Sequence[Any]]
"""Sample values by (label or relationship type, property): `{("Movie", "name"): ["Heat", "Ronin"]}`."""

SAMPLES_SHOWN = 2
"""The number of sample values shown for a property. For a name, a list or many distinct values, only one is shown,
because it suffices to show how the values are written."""
FEW_VALUES = 20
"""The largest number of distinct values for which two sample values are shown; the property may be an enumeration."""
UNSAMPLED_TYPES = frozenset({"date", "datetime", "bool"})
"""Types whose values are not shown, because they add no information to the line."""
SYMMETRIC = " (symmetric)"
"""The mark of a pattern whose relationships exist in both directions; such a pattern is drawn without an arrowhead."""
NOTHING = Statistics()
"""Empty statistics: every figure is unknown, so nothing is marked as empty."""
MAX_PATTERNS_OF_TYPE, MANY_PATTERNS = 8, 200
"""The number of patterns of a relationship type up to which all are written; otherwise one line names the main ends.
Among more than `MANY_PATTERNS` patterns, a type with three patterns already has one line."""
INDEX_WORDS = {
    "unique": "unique",
    "key": "key",
    "exists": "always there",
    "range": "indexed",
    "text": "text index",
    "fulltext": "full-text index",
    "vector": "vector index",
    "point": "point index",
}


def common_properties(schema: PropertyGraphSchema) -> dict[str, str]:
    """Return the properties that every label has with the same type; empty for fewer than two labels.

    A schema text lists them once instead of for each label.
    """
    labels = list(schema.labels.values())
    if len(labels) < 2:
        return {}
    return {
        key: type_
        for key, type_ in labels[0].properties.items()
        if all(label.properties.get(key) == type_ for label in labels[1:])
    }


def node_lines(schema: PropertyGraphSchema, without: Iterable[str] = (), facts: Statistics = NOTHING) -> list[str]:
    """Return a line for each group of labels with the same properties: `(:Painting|Sculpture {creation_year: int})`.

    Empty labels are marked: `(:Series) (0 nodes)`. The properties in `without` are left out. A label without further
    properties is left out if a pattern contains it.
    """
    left = frozenset(without)
    connected = {end for pattern in schema.patterns for end in (pattern.start, pattern.end)}

    def rest(label: Label) -> str:
        none = facts.nodes(label.name) == 0
        empty = frozenset() if none else empty_properties(label.name, label.properties, facts)
        return f"{property_map(label.properties, left, label.texts, empty)}){' (0 nodes)' if none else ''}"

    shown = (label for label in schema.labels.values() if label.name not in connected or rest(label) != ")")
    return [f"(:{label_names(label.name for label in group)}{rest(group[0])}" for group in grouped(shown, rest)]


def relationship_lines(schema: PropertyGraphSchema, facts: Statistics = NOTHING) -> list[str]:
    """Return a line for each pattern, or group of patterns:
    `(:Movie)-[:hasCastMember {character_role: str}]->(:Person)`.

    A line may end in `(0 relationships)` or in `(symmetric)`. A symmetric pattern has no arrowhead, because a query
    needs none.
    """

    def rest(pattern: RelationshipPattern) -> tuple[str, str]:
        none = facts.relationships(pattern.type, pattern.start, pattern.end) == 0
        empty = frozenset() if none else empty_properties(pattern.type, pattern.properties, facts)
        mark = " (0 relationships)" if none else SYMMETRIC if is_symmetric(pattern, facts) else ""
        return property_map(pattern.properties, (), pattern.texts, empty), mark

    most = MAX_PATTERNS_OF_TYPE if len(schema.patterns) <= MANY_PATTERNS else 2
    many = {type_ for type_, patterns in schema.relationship_types.items() if len(patterns) > most}
    lines = [_main_ends(patterns, facts) for type_, patterns in schema.relationship_types.items() if type_ in many]
    few = [pattern for pattern in schema.patterns if pattern.type not in many]
    for groups in grouped_types(grouped_patterns(few, rest), rest):
        properties, mark = rest(groups[0][0])
        types = [group[0].type for group in groups]
        directed = not is_symmetric(groups[0][0], facts)
        lines.append(pattern_text(groups[0], properties, types=types, directed=directed) + mark)
    return lines


def _main_ends(patterns: Sequence[RelationshipPattern], facts: Statistics) -> str:
    """Return one line for a type between many labels: its main ends, and how many more labels they have.

    (:Human|6 more)-[:educatedAt {start: date}]->(:University|11 more)
    """
    type_, counts = patterns[0].type, [Counter[str](), Counter[str]()]
    for pattern in patterns:
        known = facts.relationships(type_, pattern.start, pattern.end)
        for ends, label in zip(counts, (pattern.start, pattern.end), strict=True):
            ends[label] += pattern.count or 0 if known is None else known

    def end(ends: Counter[str]) -> str:
        label = ends.most_common(1)[0][0]
        return quoted_name(label) + (f"|{len(ends) - 1} more" if len(ends) > 1 else "")

    properties = {key: value for pattern in patterns for key, value in pattern.properties.items()}
    return f"(:{end(counts[0])})-[:{quoted_name(type_)}{property_map(properties)}]->(:{end(counts[1])})"


def is_symmetric(pattern: RelationshipPattern, facts: Statistics) -> bool:
    """Whether the relationships of a pattern exist in both directions, according to the schema or the data."""
    return pattern.symmetric or (pattern.start == pattern.end and facts.symmetric(pattern.type, pattern.start))


def empty_properties(owner: str, properties: Iterable[str], facts: Statistics) -> frozenset[str]:
    """Return those `properties` of a label or relationship type that have no value in the data."""
    known = ((key, facts.property(owner, key)) for key in properties)
    return frozenset(
        key for key, values in known if values is not None and values.counted and values.of and not values.count
    )


def placeholder_words(values: PropertyStatistics | None) -> str:
    """Return the texts that stand for a missing value, as in `'' or 'N/A'`; empty if there are none."""
    return either(sorted(show_value(text) for text, _ in values.placeholders)) if values is not None else ""


def base_form(schema: PropertyGraphSchema, facts: Statistics | None = None) -> str:
    """Return the base form: names, types and patterns, with empty elements marked if the statistics are given."""
    facts, common = facts or NOTHING, common_properties(schema)
    lines = [*_heading(common), *node_lines(schema, common, facts), *combination_lines(schema)]
    owners = {label.name: label.properties for label in schema.labels.values()}
    owners |= schema.relationship_properties
    found: dict[str, list[str]] = {}
    for owner, keys in owners.items():
        for key in keys:
            if words := placeholder_words(facts.property(owner, key)):
                found.setdefault(words, []).append(f"{quoted_name(owner)}.{quoted_name(key)}")
    lines += [
        *relationship_lines(schema, facts),
        *pattern_rules(schema),
        *[f"{words} instead of NULL: {', '.join(places)}" for words, places in found.items()],
    ]
    if any(label.texts for label in schema.labels.values()) or any(pattern.texts for pattern in schema.patterns):
        lines.append("str(float): text that holds float values; convert it, as in toFloat(n.price)")
    return "\n".join(lines)


def pattern_rules(schema: PropertyGraphSchema) -> list[str]:
    """Return a list of one line, `end_year: NULL while the relationship lasts`, which explains open intervals.

    The list is empty if no pattern has an interval.
    """
    ends = dict.fromkeys(end for pattern in schema.patterns if (end := end_of_interval(pattern)) is not None)
    return [f"{', '.join(ends)}: NULL while the relationship lasts"] if ends else []


def enhanced_form(schema: PropertyGraphSchema, samples: Samples | None = None, facts: Statistics | None = None) -> str:
    """Return the enhanced form: properties with fill, unit and sample values."""
    return "\n".join(_Enhanced(schema, samples or {}, facts or NOTHING).lines())


def json_form(schema: PropertyGraphSchema, facts: Statistics | None = None) -> str:
    """Return CypherBench's JSON form; `nodes`, `relationships` and `no_values` mark empty elements.

    `placeholders` maps properties to the texts that stand for a missing value.
    """
    document, known = schema.to_cypherbench(), facts or NOTHING
    for label in document["entities"]:
        name = label["label"]
        _mark(label, name, label["properties"], "nodes", known.nodes(name), known)
    for pattern in document["relations"]:
        count = known.relationships(pattern["label"], pattern["subj_label"], pattern["obj_label"])
        _mark(pattern, pattern["label"], pattern["properties"], "relationships", count, known)
    return json.dumps(document, indent=2)


def _mark(
    entry: dict[str, Any], owner: str, keys: Iterable[str], element: str, count: int | None, facts: Statistics
) -> None:
    if count == 0:
        entry[element] = 0
        return
    if empty := empty_properties(owner, keys, facts):
        entry["no_values"] = sorted(empty)
    known = {key: values for key in keys if (values := facts.property(owner, key)) is not None}
    if missing := {key: sorted(text for text, _ in its.placeholders) for key, its in known.items() if its.placeholders}:
        entry["placeholders"] = missing


def write_schema(
    schema: PropertyGraphSchema, form: Form = "base", *, samples: Samples | None = None, facts: Statistics | None = None
) -> str:
    """Return the schema in the given form; `facts` are the statistics of the data, if known.

    Only the enhanced form uses `samples`.
    """
    if form == "enhanced":
        return enhanced_form(schema, samples, facts)
    return base_form(schema, facts) if form == "base" else json_form(schema, facts)


def end_of_interval(pattern: RelationshipPattern) -> str | None:
    """Return the property that ends an interval, such as `end_year` beside `start_year`; None if no property `start…`
    has a counterpart `end…`."""
    ends = (f"end{key[5:]}" for key in pattern.properties if key.startswith("start"))
    return next((end for end in ends if end in pattern.properties), None)


def _heading(common: Mapping[str, str]) -> list[str]:
    return [f"Every node has {typed_names(common, common.__getitem__)}"] if common else []


@dataclass
class _Enhanced:
    schema: PropertyGraphSchema
    samples: Samples
    facts: Statistics

    @cached_property
    def common(self) -> Mapping[str, str]:
        """The properties of all labels that are listed once; samples of names are shown in the line of each label."""
        names = {label.name_property for label in self.schema.labels.values()}
        return {
            key: type_
            for key, type_ in common_properties(self.schema).items()
            if self._is_beside(key)
            or (
                not any(self._fill(label, key) for label in self.schema.labels)
                and (names == {key} or not any((label, key) in self.samples for label in self.schema.labels))
            )
        }

    def _is_beside(self, key: str) -> bool:
        """Whether loading adds the property to every node, like `aliases`: its values do not describe a label."""
        return all(key in label.reserved and key != label.name_property for label in self.schema.labels.values())

    def lines(self) -> list[str]:
        lines = _heading(self.common)
        properties = {name: label.properties for name, label in self.schema.labels.items()}
        properties |= self.schema.relationship_properties
        legend = []
        if any((self._fill(owner, key) or "").endswith("%") for owner, keys in properties.items() for key in keys):
            legend.append("N%: share with a value")
        if any(self._examples(owner, key, type_) for owner, keys in properties.items() for key, type_ in keys.items()):
            legend.append("'x': samples")
        lines += [f"// {'; '.join(legend)}"] if legend else []
        written: set[str] = set()
        for label in self.schema.labels.values():
            named = [
                self._examples(label.name, key, type_) for key, type_ in self.common.items() if not self._is_beside(key)
            ]
            count = self._count(label.count, self.facts.nodes(label.name), "nodes")
            lines.append(f"(:{quoted_name(label.name)})" + note([count, cut_description(label.description), *named]))
            lines += self._properties(label.name, label.properties, self.common, label.texts, self._keys(label))
        lines += combination_lines(self.schema)
        for group in grouped_patterns(self.schema.patterns, self._beside_ends):
            pattern, counts = group[0], [self._pattern_count(pattern) for pattern in group]
            symmetric = is_symmetric(pattern, self.facts)
            lines.append(
                pattern_text(group, directed=not symmetric)
                + note([" and ".join(count for count in counts if count), cut_description(pattern.description)])
                + (SYMMETRIC if symmetric else "")
            )
            # Facts about properties hold for the whole type, so only its first pattern lists them.
            described = frozenset(pattern.properties) if pattern.type in written else frozenset()
            written.add(pattern.type)
            lines += self._properties(pattern.type, pattern.properties, (), pattern.texts, {}, described)
        return lines + pattern_rules(self.schema)

    def _beside_ends(self, pattern: RelationshipPattern) -> Hashable:
        """Return the facts that all patterns in one line must share, including whether a count is shown.

        Counts in a line would be ambiguous if only some of its patterns had one.
        """
        count = self._pattern_count(pattern)
        known = None if count is None else not count.startswith("(")
        properties = tuple(pattern.properties.items())
        return properties, pattern.description, is_symmetric(pattern, self.facts), known

    def _pattern_count(self, pattern: RelationshipPattern) -> str | None:
        known = self.facts.relationships(pattern.type, pattern.start, pattern.end)
        return self._count(pattern.count, known, "relationships")

    def _properties(
        self,
        owner: str,
        properties: Mapping[str, str],
        without: Iterable[str],
        texts: Mapping[str, TextValues],
        keys: Mapping[str, list[str]],
        described: frozenset[str] = frozenset(),
    ) -> list[str]:
        """Return the lines for the properties of a label or type, except those in `without`.

        A property with notes has its own line; properties in `described` do not, because an earlier line shows their
        notes. The last line lists all others, with their fill if it is known: `born (75%), died (56%): date`.
        """
        left, lines, plain = frozenset(without), [], dict[str, str]()
        for key, type_ in properties.items():
            if key in left:
                continue
            fill, unit = self._fill(owner, key), unit_of(key, type_)
            notes = [
                *keys.get(key, ()),
                f"holds {texts[key].described}" if key in texts else None,
                f"{words} instead of NULL" if (words := placeholder_words(self.facts.property(owner, key))) else None,
                # A unit that the name states, as in `start_year` and `lifespan_years`, is not repeated.
                None if unit in (None, CALENDAR_YEAR) or key.endswith(f"_{unit.removeprefix('in ')}") else unit,
                self._examples(owner, key, type_),
            ]
            if key not in described and any(notes):
                lines.append(f"  {quoted_name(key)}: {type_}{note([fill, *notes])}")
            else:
                share = "" if fill is None or key in described else f" {fill}" if fill.startswith("(") else f" ({fill})"
                plain[key] = f"{quoted_name(key)}{share}"
        groups = grouped(plain, properties.__getitem__)
        named = [f"{', '.join(plain[key] for key in group)}: {properties[group[0]]}" for group in groups]
        return [*lines, f"  {', '.join(named)}"] if named else lines

    def _fill(self, owner: str, key: str) -> str | None:
        """Return how many nodes or relationships have a value; None if all have a value, or if the number is unknown.

        The result is `75%`, `3 of 4,000 have a value` or `(no values)`. A share from a sample is written `about 75%`;
        for a share near 0% or 100% from a sample, the result is None.
        """
        values = self.facts.property(owner, key)
        if values is None or not values.of or values.count == values.of:
            return None
        if not values.counted:
            return f"about {values.fill:.0%}" if 0.01 <= values.fill < 0.995 else None
        if not values.count:
            return "(no values)"
        if 0.01 <= values.fill < 0.995:
            return f"{values.fill:.0%}"
        return f"{values.count:,} of {values.of:,} {'has' if values.count == 1 else 'have'} a value"

    def _count(self, defined: int | None, known: int | None, of: str) -> str | None:
        count = known if known is not None else defined
        return f"(0 {of})" if count == 0 else None if count is None else f"{count:,}"

    def _keys(self, label: Label) -> dict[str, list[str]]:
        """Return notes by property on the constraints, the indexes and the naming property of a label.

        An index of several properties is noted at its first property; a full-text index, at each of its properties.
        """
        found: dict[str, list[str]] = {}
        for index in self.schema.indexes:
            if index.owner == label.name and not index.relationship:
                text = INDEX_WORDS.get(index.kind, f"{index.kind} index")
                if index.kind in ("fulltext", "vector"):
                    text += f" {index.name!r}"
                elif len(index.properties) > 1:
                    text += f" with {', '.join(index.properties[1:])}"
                for key in index.properties if index.kind == "fulltext" else index.properties[:1]:
                    found.setdefault(key, []).append(text)
        if label.naming:
            found.setdefault(label.naming, []).append("names the node")
            for key in label.properties:
                values = self.facts.property(label.name, key)
                repeats = values is not None and values.repeated is not None and 2 * values.repeated > values.count
                if key != label.naming and repeats and (other := foreign_name(label.name, key)):
                    found.setdefault(key, []).append(f"names the {other}, not this node")
        return found

    def _examples(self, owner: str, key: str, type_: str) -> str | None:
        values = self.samples.get((owner, key))
        if not values or type_ in UNSAMPLED_TYPES or unit_of(key, type_) is not None:
            return None
        label = self.schema.labels.get(owner)
        known = self.facts.property(owner, key)
        alone = (
            type_.startswith("list[")
            or (label is not None and key == label.name_property)
            or (known is not None and (known.distinct or 0) > FEW_VALUES)
        )
        return ", ".join(show_value(value) for value in values[: 1 if alone else SAMPLES_SHOWN])


UNITS: dict[str, str] = word_lists()["units"]
"""Units of measurement by the last word of a property's name."""

CALENDAR_YEAR = "a calendar year"
NUMBERS = frozenset({"int", "float", "int|float", "float|int", "unknown"})


def unit_of(name: str, type_: str = "float") -> str | None:
    """Return the unit of a property in words, or None if it has no unit; only numbers have a unit.

    >>> unit_of("runtime_minute"), unit_of("discharge_m3_s"), unit_of("launch_year", "int")
    ('in minutes', 'in cubic metres per second', 'a calendar year')
    """
    if type_ not in NUMBERS:
        return None
    words = name.lower().split("_")
    if words[-1] == "year":
        return CALENDAR_YEAR
    if len(words) < 2:
        return None
    if len(words) > 2 and words[-1] in ("s", "h") and words[-2] in UNITS:
        return f"in {UNITS[words[-2]]} per {'second' if words[-1] == 's' else 'hour'}"
    if len(words) > 3 and words[-2] == "per" and words[-3] in UNITS and words[-1] in UNITS:
        return f"in {UNITS[words[-3]]} per {UNITS[words[-1]].rstrip('s')}"
    unit = UNITS.get(words[-1])
    return f"in {unit}" if unit else None


LONGEST_SAMPLE, LONGEST_DESCRIPTION = 40, 120
"""The maximum numbers of characters of a sample value and of a description."""


def property_map(
    properties: Mapping[str, str],
    without: Iterable[str] = (),
    texts: Mapping[str, TextValues] | None = None,
    empty: frozenset[str] = frozenset(),
) -> str:
    """Return a property map, ` {start_year, end_year: int, freight: str(float)}`; an empty string without properties.

    `str(float)` is the type of text that holds numbers; `list[str] (no values)` is the type of a property in `empty`.
    """
    left, profiles = frozenset(without), texts or {}

    def type_of(key: str) -> str:
        text = f"({profiles[key].type})" if key in profiles and not profiles[key].mixed else ""
        return f"{properties[key]}{text}{' (no values)' if key in empty else ''}"

    inner = typed_names([key for key in properties if key not in left], type_of)
    return f" {{{inner}}}" if inner else ""


def typed_names(keys: Iterable[str], type_of: Callable[[str], str]) -> str:
    """Return property names, each type once after all the properties that have it:
    `name, eid: str, height_cm: float`."""
    groups = grouped(keys, type_of)
    return ", ".join(f"{', '.join(map(quoted_name, group))}: {type_of(group[0])}" for group in groups)


def show_value(value: Any) -> str:
    """Return a sample value as Cypher writes it, shortened: `'The Lord of the Rings: The Fell…'`, `['Drama', …]`."""
    if isinstance(value, str):
        text = re.sub(r"\s+", " ", value).strip()
        text = text if len(text) <= LONGEST_SAMPLE else text[: LONGEST_SAMPLE - 1].rstrip() + "…"
        return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"
    if isinstance(value, list):
        return f"[{', '.join(show_value(part) for part in value[:1])}{', …' if len(value) > 1 else ''}]"
    return json.dumps(value, ensure_ascii=False, default=str)


def cut_description(text: str | None) -> str | None:
    """Return a description, shortened to `LONGEST_DESCRIPTION` characters; None for None."""
    if not text or len(text) <= LONGEST_DESCRIPTION:
        return text
    return text[: LONGEST_DESCRIPTION - 1].rstrip() + "…"


def note(parts: Iterable[str | None]) -> str:
    """Return a note for the end of a line: `  // 1,204; in centimetres`; empty parts are left out.

    If all parts are empty, the result is an empty string.
    """
    texts = [part for part in parts if part]
    return "  // " + "; ".join(texts) if texts else ""


MOST_COMBINATIONS = 20


def combination_lines(schema: PropertyGraphSchema) -> list[str]:
    """Return a heading and a line for each set of labels that occur together, with its properties.

    The most frequent sets come first; after 20 sets, a last line gives the number of further sets. The result is empty
    if no labels occur together.
    """
    shown = [
        combination
        for combination in schema.combinations
        if len(combination.labels) > 1 and combination.labels <= schema.labels.keys()
    ]
    if not shown:
        return []
    lines = ["Labels together"]
    for combination in shown[:MOST_COMBINATIONS]:
        labels = "".join(f":{quoted_name(label)}" for label in sorted(combination.labels))
        keys = ", ".join(
            quoted_name(key)
            for key in combination.properties
            if any(key in schema.labels[label].properties for label in combination.labels)
        )
        lines.append(f"({labels}{f' {{{keys}}}' if keys else ''})  // {combination.count:,}")
    if len(shown) > MOST_COMBINATIONS:
        lines.append(f"and {len(shown) - MOST_COMBINATIONS} more")
    return lines


_PIECE = re.compile(
    r"([A-Z]{2,}(?![a-z])|[A-Z]?[a-z]+|[A-Z])|(\d{1,3})|([^\W\d_a-zA-Z]+)|(_)|([!-/:-@\[-^`{-~]+)"
    r"|(\n[ \n]*| {2,})|([^\w\s]+)"
)

WORD, LETTER_BEYOND, NUMBER, UNDERSCORE, BREAK, PUNCTUATION, FOREIGN = 1.23, 0.09, 1.52, 0.6, 1.1, 0.88, 0.5
SHORT_WORD = 7
_WEIGHTS = (0.0, 0.0, NUMBER, 0.0, UNDERSCORE, PUNCTUATION, BREAK, 0.0)


def estimate_tokens(text: str) -> int:
    """Return the approximate number of tokens of a text; 0 for an empty text.

    Text is split as byte-pair encodings usually split it (at changes of case, into groups of three digits, into runs of
    punctuation), and each kind of piece has a weight. The weights are a least-squares fit to four real tokenizers
    together; the mean error on schema texts is 1 to 8 % (docs/figures.md).
    """
    total = 0.0
    for match in _PIECE.finditer(text):
        kind = match.lastindex or 0
        if kind == 1:
            total += WORD + LETTER_BEYOND * max(0, match.end() - match.start() - SHORT_WORD)
        elif kind in (3, 7):
            total += FOREIGN * (match.end() - match.start())
        else:
            total += _WEIGHTS[kind]
    return max(1, round(total)) if text else 0
