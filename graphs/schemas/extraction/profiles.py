"""Profiles the values of a connected database: text that holds numbers or dates, and naming properties.

One query per label reads a few hundred nodes. The format that the sample suggests for a text property is then checked
against up to `MOST_CHECKED` values, inside the database. If all values were checked, another query tries the conversion
that a repair would write.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from graphground.cypher.matching import nodes, property_of, relationships
from graphground.cypher.quoting import quoted_string
from graphground.cypher.schema import Index, Label, PropertyGraphSchema
from graphground.cypher.text_values import FORMS, LEAST_SHARE, TextValues, conversion_of, text_values
from graphground.graphs.engines.engine import EngineError
from graphground.graphs.schemas.extraction.naming import Seen, naming_property
from graphground.graphs.schemas.extraction.steps import Steps

SAMPLED_NODES, SAMPLED_VALUES = 400, 100
MOST_PROPERTIES = 80
MOST_CHECKED = 100_000
"""The maximum number of nodes or relationships that one check reads. The others are assumed to be similar, so
conversions may still fail."""
SECONDS = 2.0


def read_profiles(steps: Steps, schema: PropertyGraphSchema, *, formats: bool = True) -> PropertyGraphSchema:
    """Return the schema with the formats of its text properties, and the naming property and the keys of each label.

    Reading formats may take long; without `formats`, only naming properties and keys are read.
    """
    profiler = Profiler(steps, schema, formats)
    types = schema.relationship_types if formats else ()
    steps.each(
        [(f"values of {label.name}", partial(profiler.label, label)) for label in schema.labels.values()]
        + [(f"values of {type_}", partial(profiler.relationship_type, type_)) for type_ in types]
    )
    return profiler.result()


class Profiler:
    """A reader of the profiles for one schema.

    Create `Profiler(steps, schema)`, call `label` for each label and `relationship_type` for each type, then `result`.
    """

    def __init__(self, steps: Steps, schema: PropertyGraphSchema, formats: bool = True) -> None:
        self._steps, self._schema, self._formats = steps, schema, formats
        self._labels: dict[str, Label] = {}
        self._types: dict[str, dict[str, TextValues]] = {}

    def label(self, label: Label) -> None:
        """Profile one label: its text values, its keys, its naming property."""
        indexes = [index for index in self._schema.indexes if index.owner == label.name and not index.relationship]
        keys = frozenset(
            index.properties[0] for index in indexes if index.kind in ("unique", "key") and len(index.properties) == 1
        )
        searched = {key for index in indexes if index.kind == "fulltext" for key in index.properties}
        match = nodes(label.name).match()
        sampled = self._sampled(match, label.name, _texts(label.properties), label.count)
        texts = self._profiles(match, sampled, label.count) if self._formats else {}
        naming = naming_property(
            label.name,
            [
                Seen(key, values, filled, texts.get(key), key in keys, key in searched)
                for key, (values, filled) in sampled.items()
            ],
        )
        self._labels[label.name] = replace(label, texts=texts, naming=naming or label.naming, keys=keys)

    def relationship_type(self, type_: str) -> None:
        """Profile the text properties of one relationship type."""
        count = sum(pattern.count or 0 for pattern in self._schema.relationship_types[type_]) or None
        match = relationships(type_, variable="n").match()
        keys = _texts(self._schema.relationship_properties[type_])
        if keys:
            self._types[type_] = self._profiles(match, self._sampled(match, type_, keys, count), count)

    def result(self) -> PropertyGraphSchema:
        """Return the schema with all profiles."""
        patterns = tuple(
            replace(pattern, texts=self._types[pattern.type]) if self._types.get(pattern.type) else pattern
            for pattern in self._schema.patterns
        )
        return replace(
            self._schema,
            patterns=patterns,
            labels={name: self._labels.get(name, label) for name, label in self._schema.labels.items()},
        )

    def _sampled(
        self, match: str, owner: str, keys: Sequence[str], count: int | None
    ) -> dict[str, tuple[list[str], float]]:
        """Return for each text property some values, and the share of sampled nodes or relationships with a value."""
        if not keys:
            return {}
        columns = ", ".join(f"left({property_of('n', key)}, 80) AS c{place}" for place, key in enumerate(keys))
        rows = self._rows(f"values of {owner}", f"{match} WITH n LIMIT {SAMPLED_NODES} RETURN {columns}")
        if rows is None:
            return {}
        found = {}
        for place, key in enumerate(keys):
            values = [row[place] for row in rows if isinstance(row[place], str) and row[place].strip()]
            filled = len(values) / len(rows) if rows else 0.0
            if self._formats and len(values) < 5 and (count is None or count > SAMPLED_NODES):
                value = property_of("n", key)
                more = (
                    self._rows(
                        f"values of {owner}.{key}",
                        f"{match} WHERE {value} <> '' RETURN left({value}, 80) AS v LIMIT {SAMPLED_VALUES}",
                    )
                    or []
                )
                values = [row[0] for row in more if isinstance(row[0], str) and row[0].strip()]
            found[key] = values, filled
        return found

    def _profiles(
        self, match: str, sampled: Mapping[str, tuple[list[str], float]], count: int | None
    ) -> dict[str, TextValues]:
        profiles = {}
        for key, (values, _) in sampled.items():
            seen = text_values(values)
            checked = self._checked(match, key, seen, count) if seen is not None else None
            if checked is not None:
                profiles[key] = checked
        return profiles

    def _checked(self, match: str, key: str, seen: TextValues, count: int | None) -> TextValues | None:
        """Return the profile, corrected by a check of up to `MOST_CHECKED` values; None if too few values fit."""
        wider = "float" if seen.form == "int" and not seen.words else seen.form
        bound = f"WITH n LIMIT {MOST_CHECKED} " if count is None or count > MOST_CHECKED else ""
        values = f"{match} {bound}WITH {property_of('n', key)} AS v WHERE v <> '' "
        fits, fits_wider = (f"v =~ {quoted_string(FORMS[form].pattern)}" for form in (seen.form, wider))
        counted = self._rows(
            f"values of {key}",
            f"{values}RETURN count(*) AS found, count(CASE WHEN {fits} THEN 1 END) "
            f"AS fitting, count(CASE WHEN {fits_wider} THEN 1 END) AS wider, min(size(v)) AS least, "
            f"max(size(v)) AS most, count(CASE WHEN v STARTS WITH '-' THEN 1 END) AS negative, "
            f"count(CASE WHEN v =~ '0[0-9]+' THEN 1 END) AS zeros",
        )
        if not counted:
            return seen if seen.share >= 1 else None
        found, fitting, fitting_wider, least, most, negative, zeros = counted[0]
        form = seen.form
        if zeros and form in ("int", "float"):
            form = "code"
        elif fitting < found and fitting_wider > fitting:
            form, fitting = wider, fitting_wider
        if not found or fitting < LEAST_SHARE * found:
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
        rows = self._rows("words", f"{values}RETURN DISTINCT v LIMIT {len(seen.words) + 3}")
        return seen.words if rows is not None and {row[0] for row in rows} <= set(seen.words) else ()

    def _converts(self, values: str, fits: str, profile: TextValues) -> bool:
        conversion = conversion_of(profile.form, "v")
        if conversion is None or FORMS[profile.form].gives_null:
            return conversion is not None
        try:
            self._steps.must(f"{values}RETURN count(CASE WHEN {fits} THEN {conversion} END) AS c", timeout=SECONDS)
        except EngineError:
            return False
        return True

    def _rows(self, step: str, query: str) -> list[list[Any]] | None:
        """Return the rows of a query within its time limit; None on a failure, because profiles are optional."""
        try:
            return self._steps.must(query, timeout=min(SECONDS, max(self._steps.time_left(), 0.1)))
        except EngineError:
            return None


def _texts(properties: Mapping[str, str]) -> list[str]:
    return [key for key, type_ in properties.items() if type_ == "str"][:MOST_PROPERTIES]


def read_indexes(steps: Steps) -> tuple[Index, ...]:
    """Read the constraints and indexes of a Neo4j, except lookup indexes and indexes that belong to a constraint."""
    found: list[Index] = []
    constraints = steps.rows("constraints", "SHOW CONSTRAINTS YIELD name, type, entityType, labelsOrTypes, properties")
    for name, type_, entity, owners, properties in constraints or ():
        found += [
            Index(_constraint_kind(type_), owner, tuple(properties or ()), name, entity == "RELATIONSHIP")
            for owner in owners or ()
        ]
    indexes = steps.rows(
        "indexes", "SHOW INDEXES YIELD name, type, entityType, labelsOrTypes, properties, owningConstraint"
    )
    for name, type_, entity, owners, properties, owner_constraint in indexes or ():
        if owner_constraint is None and type_ != "LOOKUP":
            found += [
                Index(type_.lower(), owner, tuple(properties or ()), name, entity == "RELATIONSHIP")
                for owner in owners or ()
            ]
    return tuple(found)


def _constraint_kind(type_: str) -> str:
    for mark, kind in (("UNIQUENESS", "unique"), ("KEY", "key"), ("EXISTENCE", "exists"), ("TYPE", "type")):
        if re.search(mark, type_):
            return kind
    return type_.lower()
