"""Profiles the values of a connected database: text that holds numbers or dates, and naming properties.

One query per label reads a few hundred nodes. The format that the sample suggests for a text property is then checked
against up to `MOST_CHECKED` values, inside the database. If all values were checked, another query tries the conversion
that a repair would write.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from graphground.cypher.names.words import word_lists
from graphground.cypher.quoting import nodes, property_of, quoted_string, relationships
from graphground.cypher.schema import Index, Label, PropertyGraphSchema
from graphground.cypher.text_values import FEWEST_MARKED, FORMS, LEAST_MIXED_SHARE, LEAST_SHARE, TextValues, text_values
from graphground.graphs.engines.engine import EngineError
from graphground.graphs.schemas.extraction.findings import Steps

# Finds the property that names the nodes of a label, such as `title` of a Movie or `companyName` of a Customer.
#
# The name of the property counts most. How distinct its values are, how many nodes have it, and whether a uniqueness
# constraint or a full-text index covers it also count.


LEAST_SCORE = 0.45
LEAST_DISTINCT, FEWEST_SEEN = 0.5, 20
"""The least share of distinct values, among at least `FEWEST_SEEN` values, of a property that names nodes."""
LEAST_HINT, LEAST_KEY, MOST_KEY, YEARS = 0.35, 10, 10**11, range(1500, 2101)
"""Integers without a telling name are keys if all are distinct, from 10 on, no milliseconds and no years."""
WHOLE: dict[str, float] = word_lists()["naming_whole"]
"""The likelihood, from 0 to 1, that a property with this name names its node."""

LAST: dict[str, float] = word_lists()["naming_last"]
"""The likelihood, from 0 to 1, that a property whose name ends in this word names its node: `companyName`."""

PART_OF_A_NAME: dict[str, float] = word_lists()["naming_part"]
"""The likelihood that `…Name` or `…Title` with this first word names its node: `lastName` more than `middleName`."""

GIVEN, FAMILY = ("first", "given", "fore", "initials"), ("last", "family", "sur")
"""The first words of the properties that hold the parts of a person's name."""
NEVER = frozenset(word_lists()["naming_never"])
WORD = r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+"
COMMA = re.compile(r"[1-9]\d{0,2},\d{3}")
NUMERIC_FORMS = frozenset({"int", "float", "comma_float", "grouped_float", "dotted_float"})


@dataclass(frozen=True, slots=True)
class Seen:
    """A sampled text property: some of its values, and the share of the sampled nodes that have the property.

    `unique` and `searched` state whether a uniqueness constraint or a full-text index covers the property.
    """

    key: str
    values: Sequence[str]
    filled: float
    texts: TextValues | None = None
    unique: bool = False
    searched: bool = False


def naming_property(label: str, properties: Sequence[Seen]) -> str | None:
    """Return the property that best names the nodes of a label; None if no property is likely to name them.

    >>> naming_property("Movie", [Seen("tagline", ["a b", "c d"], 1.0), Seen("title", ["Heat", "Ronin"], 1.0)])
    'title'
    """
    scored = [(score(label, seen), seen.key) for seen in properties]
    best = max(scored, default=(0.0, ""))
    return best[1] if best[0] >= LEAST_SCORE else None


def name_parts(keys: Iterable[str]) -> tuple[str, str] | None:
    """Return the properties that hold the two parts of a person's name, or None.

    >>> name_parts(["id", "surname", "given_names"])
    ('given_names', 'surname')
    """
    by_part = {re.sub(r"names?$", "", "".join(re.findall(WORD, key)).lower()): key for key in keys}
    given, family = (next((by_part[part] for part in parts if part in by_part), None) for parts in (GIVEN, FAMILY))
    return (given, family) if given and family else None


def naming_number(label: str, properties: Sequence[tuple[str, bool, int, int]], unique: Set[str]) -> str | None:
    """Return the integer property that identifies the nodes of a label without a name: `vlan` of a NetworkSegment.

    Each property has its name, whether all nodes have different values, and its least and greatest value. `unique` has
    the properties with a uniqueness constraint.
    """
    keys = [
        (key in unique, hint, key)
        for key, distinct, least, most in properties
        for hint in [hint_of(label, key)]
        if key in unique
        or (
            distinct
            and most < MOST_KEY
            and (hint >= LEAST_HINT or (least >= LEAST_KEY and not {least, most} <= {*YEARS}))
        )
    ]
    return max(keys, default=(False, 0.0, None))[2]


def score(label: str, seen: Seen) -> float:
    """Return how well a property names the nodes of a label, from 0 to about 1.4."""
    if not seen.values or seen.key.lower() in NEVER:
        return 0.0
    if seen.texts is not None and seen.texts.type in ("date", "datetime", "bool"):
        return 0.0
    distinct = len(set(seen.values)) / len(seen.values)
    hint = hint_of(label, seen.key)
    length = sum(map(len, seen.values)) / len(seen.values)
    if length > 70 or any("://" in value for value in list(seen.values)[:5]):
        return 0.0
    if seen.texts is not None and seen.texts.form in NUMERIC_FORMS and not seen.unique:
        hint *= 0.6
    if distinct < LEAST_DISTINCT and len(seen.values) >= FEWEST_SEEN and (hint < 0.97 or distinct < LEAST_DISTINCT / 2):
        return 0.0  # the name of something else, such as `filer_name` of a Filing
    worded = sum(1 for value in seen.values if re.search(r"[^\W\d_]{2}", value)) / len(seen.values)
    return (
        0.65 * hint
        + 0.2 * distinct
        + 0.1 * seen.filled
        + 0.1 * worded
        + (0.12 if seen.unique else 0.0)
        + (0.2 if seen.searched else 0.0)
    ) * (0.5 + seen.filled / 2)


def foreign_name(label: str, key: str) -> str | None:
    """Return the words for the node that a property names, if it is another one: `filer org` for `filer_org_name`.

    None for a property that names its own node, or a part of that node's name: `title`, `firstName`, `vendorName` of
    a Vendor.
    """
    words = [word.lower() for word in re.findall(WORD, key)]
    before = "".join(words[:-1])
    own = "".join(re.findall(r"\w+", label)).lower().replace("_", "")
    if len(words) < 2 or words[-1] != "name" or words[0] in PART_OF_A_NAME or before in own or own in before:
        return None
    return " ".join(words[:-1])


def hint_of(label: str, key: str) -> float:
    """Return how strongly a property's own name suggests that it names the node, from 0 to 1.

    `vendorName` of a Vendor is almost as strong as `name`, and so is `country` of a Country.
    """
    words = [word.lower() for word in re.findall(WORD, key)]
    if not words:
        return 0.0
    joined = "".join(words)
    if joined in WHOLE:
        return WHOLE[joined]
    if words[-1] in NEVER:
        return 0.0
    of_label = "".join(re.findall(r"\w+", label)).lower().replace("_", "")
    if joined == of_label:
        return 0.9
    before = "".join(words[:-1])
    hint = LAST.get(words[-1], 0.0)
    if words[-1] in ("name", "nm", "title"):
        if before in of_label or of_label in before or of_label.endswith(words[0]):
            return 0.99
        return PART_OF_A_NAME.get(words[0], hint)
    if hint and before and (before in of_label or of_label in before):
        return hint + 0.06
    return hint or (0.15 if joined else 0.0)


SAMPLED_NODES, SAMPLED_VALUES = 400, 100
MOST_PROPERTIES = 80
MOST_CHECKED = 100_000
"""The maximum number of nodes or relationships that one check reads. The others are assumed to be similar, so
conversions may still fail."""
SECONDS = 2.0


def read_profiles(steps: Steps, schema: PropertyGraphSchema) -> PropertyGraphSchema:
    """Return the schema with the formats of its text properties, and the naming property and the keys of each label."""
    profiler = Profiler(steps, schema)
    steps.each(
        [partial(profiler.label, label) for label in schema.labels.values()]
        + [partial(profiler.relationship_type, type_) for type_ in schema.relationship_types]
    )
    return profiler.result()


class Profiler:
    """A reader of the profiles for one schema.

    Create `Profiler(steps, schema)`, call `label` for each label and `relationship_type` for each type, then `result`.
    """

    def __init__(self, steps: Steps, schema: PropertyGraphSchema) -> None:
        self._steps, self._schema = steps, schema
        self._labels: dict[str, Label] = {}
        self._types: dict[str, dict[str, TextValues]] = {}
        self._unsure: list[tuple[dict[str, TextValues], str]] = []
        """Numbers such as `141,136`: the comma is a decimal one if other numbers of the database have such."""

    def label(self, label: Label) -> None:
        """Profile one label: its text values, its keys, its naming property."""
        indexes = [index for index in self._schema.indexes if index.owner == label.name and not index.relationship]
        keys = frozenset(
            index.properties[0] for index in indexes if index.kind in ("unique", "key") and len(index.properties) == 1
        )
        searched = {key for index in indexes if index.kind == "fulltext" for key in index.properties}
        match = nodes(label.name).match()
        sampled = self._sampled(match, _texts(label.properties), label.count)
        texts = self._profiles(match, sampled, label.count)
        plain = {key: its for key, its in texts.items() if not its.mixed}
        naming = naming_property(
            label.name,
            [
                Seen(key, values, filled, plain.get(key), key in keys, key in searched)
                for key, (values, filled) in sampled.items()
            ],
        )
        naming = naming or label.naming or self._number(match, label, keys)
        self._labels[label.name] = replace(label, texts=texts, naming=naming, keys=keys)

    def _number(self, match: str, label: Label, keys: Set[str]) -> str | None:
        """Return the integer property that identifies the nodes of a label; None if there is none."""
        numbers = [key for key, type_ in label.properties.items() if type_ == "int"][:MOST_PROPERTIES]
        values = [property_of("n", key) for key in numbers]
        columns = ", ".join(f"count(DISTINCT {value}) = count(*), min({value}), max({value})" for value in values)
        query = f"{match} WITH n LIMIT {SAMPLED_NODES} RETURN {columns}"
        rows = self._rows(query) if numbers else None
        if not rows:
            return None
        found = zip(numbers, rows[0][::3], rows[0][1::3], rows[0][2::3], strict=True)
        return naming_number(label.name, [(*its,) for its in found if None not in its], keys)

    def relationship_type(self, type_: str) -> None:
        """Profile the text properties of one relationship type."""
        count = sum(pattern.count or 0 for pattern in self._schema.relationship_types[type_]) or None
        match = relationships(type_, variable="n").match()
        keys = _texts(self._schema.relationship_properties[type_])
        if keys:
            self._types[type_] = self._profiles(match, self._sampled(match, keys, count), count)

    def result(self) -> PropertyGraphSchema:
        """Return the schema with all profiles."""
        known = [*(label.texts for label in self._labels.values()), *self._types.values()]
        if any(its.form in ("comma_float", "dotted_float") for texts in known for its in texts.values()):
            for profiles, key in self._unsure:
                profiles.pop(key, None)
        patterns = tuple(
            replace(pattern, texts=self._types[pattern.type]) if self._types.get(pattern.type) else pattern
            for pattern in self._schema.patterns
        )
        return replace(
            self._schema,
            patterns=patterns,
            labels={name: self._labels.get(name, label) for name, label in self._schema.labels.items()},
        )

    def _sampled(self, match: str, keys: Sequence[str], count: int | None) -> dict[str, tuple[list[str], float]]:
        """Return for each text property some values, and the share of sampled nodes or relationships with a value."""
        if not keys:
            return {}
        columns = ", ".join(f"left({property_of('n', key)}, 80) AS c{place}" for place, key in enumerate(keys))
        rows = self._rows(f"{match} WITH n LIMIT {SAMPLED_NODES} RETURN {columns}")
        if rows is None:
            return {}
        found = {}
        for place, key in enumerate(keys):
            values = [row[place] for row in rows if isinstance(row[place], str) and row[place].strip()]
            filled = len(values) / len(rows) if rows else 0.0
            if len(values) < 5 and (count is None or count > SAMPLED_NODES):
                value = property_of("n", key)
                query = f"{match} WHERE {value} <> '' RETURN left({value}, 80) AS v LIMIT {SAMPLED_VALUES}"
                more = self._rows(query) or []
                values = [row[0] for row in more if isinstance(row[0], str) and row[0].strip()]
            found[key] = values, filled
        return found

    def _profiles(
        self, match: str, sampled: Mapping[str, tuple[list[str], float]], count: int | None
    ) -> dict[str, TextValues]:
        profiles: dict[str, TextValues] = {}
        for key, (values, _) in sampled.items():
            seen = text_values(values, mixed=True)
            if seen is None and len(values) >= FEWEST_MARKED and all(map(COMMA.fullmatch, values)):
                seen = TextValues("grouped_float", values[0])
                self._unsure.append((profiles, key))
            checked = self._checked(match, key, seen, count) if seen is not None else None
            if checked is not None:
                profiles[key] = checked
        return profiles

    def _checked(self, match: str, key: str, seen: TextValues, count: int | None) -> TextValues | None:
        """Return the profile, corrected by a check of up to `MOST_CHECKED` values; None if too few values fit."""
        wider = "float" if seen.form == "int" and not seen.words else seen.form
        bound = f"WITH n LIMIT {MOST_CHECKED} " if count is None or count > MOST_CHECKED else ""
        values = f"{match} {bound}WITH {seen.without_unit(property_of('n', key))} AS v WHERE v <> '' "
        fits, fits_wider = (f"v =~ {quoted_string(FORMS[form].pattern)}" for form in (seen.form, wider))
        missing = ", ".join(map(quoted_string, seen.placeholders))
        counted = self._rows(
            f"{values}RETURN count(*) AS found, count(CASE WHEN v IN [{missing}] THEN 1 END) AS missing, "
            f"count(CASE WHEN {fits} THEN 1 END) "
            f"AS fitting, count(CASE WHEN {fits_wider} THEN 1 END) AS wider, min(size(v)) AS least, "
            f"max(size(v)) AS most, count(CASE WHEN v STARTS WITH '-' THEN 1 END) AS negative, "
            f"count(CASE WHEN v =~ '0[0-9]+' THEN 1 END) AS zeros"
        )
        if not counted:
            return seen if seen.share >= 1 else None
        found, standing, fitting, fitting_wider, least, most, negative, zeros = counted[0]
        form = seen.form
        if zeros and form in ("int", "float"):
            form = "code"
        elif fitting < found - standing and fitting_wider > fitting:
            form, fitting = wider, fitting_wider
        if found <= standing or fitting < (LEAST_MIXED_SHARE if seen.mixed else LEAST_SHARE) * (found - standing):
            return None
        words = self._words(values, seen) if seen.words else ()
        if form == "bool" and not words:
            return None
        sorts = seen.sorts and (form != "int" or (least == most and not negative))
        profile = replace(
            seen,
            form=form,
            share=1.0 if fitting == found else min(round(fitting / found, 3), 0.999),
            sorts=sorts and fitting == found,
            words=words,
            width=least if form == "code" and least == most else None,
        )
        return replace(profile, checked=not bound and self._converts(values, fits, profile))

    def _words(self, values: str, seen: TextValues) -> tuple[str, ...]:
        """Return the words of a boolean property (`yes`, `no`); empty if the property has other values too."""
        rows = self._rows(f"{values}RETURN DISTINCT v LIMIT {len(seen.words) + 3}")
        return seen.words if rows is not None and {row[0] for row in rows} <= set(seen.words) else ()

    def _converts(self, values: str, fits: str, profile: TextValues) -> bool:
        form = FORMS[profile.form]
        if form.conversion is None or form.gives_null:
            return form.conversion is not None
        tried = f"{values}RETURN count(CASE WHEN {fits} THEN {form.conversion.format('v')} END) AS c"
        try:
            self._steps.must(tried, timeout=SECONDS)
        except EngineError:
            return False
        return True

    def _rows(self, query: str) -> list[list[Any]] | None:
        try:
            return self._steps.must(query, timeout=min(SECONDS, max(self._steps.time_left(), 0.1)))
        except EngineError:
            return None


def _texts(properties: Mapping[str, str]) -> list[str]:
    return [key for key, type_ in properties.items() if type_ == "str"][:MOST_PROPERTIES]


def read_indexes(steps: Steps) -> tuple[Index, ...]:
    """Read the constraints and indexes of a Neo4j, except lookup indexes and indexes that belong to a constraint."""
    columns = "name, type, entityType, labelsOrTypes, properties"
    constraints = steps.rows("constraints", f"SHOW CONSTRAINTS YIELD {columns}") or []
    indexes = steps.rows("indexes", f"SHOW INDEXES YIELD {columns}, owningConstraint") or []
    kinds = [(_constraint_kind(row[1]), row) for row in constraints]
    kinds += [(row[1].lower(), row[:5]) for row in indexes if row[5] is None and row[1] != "LOOKUP"]
    return tuple(
        Index(kind, owner, tuple(properties or ()), name, entity == "RELATIONSHIP")
        for kind, (name, _, entity, owners, properties) in kinds
        for owner in owners or ()
    )


def _constraint_kind(type_: str) -> str:
    for mark, kind in (("UNIQUENESS", "unique"), ("KEY", "key"), ("EXISTENCE", "exists"), ("TYPE", "type")):
        if re.search(mark, type_):
            return kind
    return type_.lower()
