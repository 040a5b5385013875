"""Filters a schema by the reading of a question.

>>> filter_schema(read("Who directed Heat?", films), films.schema).schema.labels.keys()  # doctest: +SKIP
dict_keys(['Movie', 'Person'])
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

from graphground.cypher.schema import PropertyGraphSchema
from graphground.graphs.filtering.budget import LeftOut, fit, left_out_of
from graphground.graphs.filtering.pruned_forms import select_exact, select_similar
from graphground.graphs.filtering.select import select
from graphground.graphs.filtering.selection import Selection
from graphground.graphs.question.model import Question
from graphground.graphs.schemas.forms import MANY_PATTERNS, base_form
from graphground.graphs.schemas.statistics.model import Statistics
from graphground.graphs.schemas.token_count import estimate_tokens

Method = Literal["auto", "exact", "masked", "similarity"]
METHODS: tuple[Method, ...] = get_args(Method)
DEFAULT_TOKENS = 1_000
MEANT = 0.85
"""The relevance from which a question means a property, by its words and not only by their meaning."""
TOKENS_OF_TYPE = 8
"""The fewest tokens that a line for a relationship type takes."""
DENSE, MAX_LABELS_DENSE = 4, 500
"""The mean number of patterns of a type from which a type and not a pattern is selected, if there are fewer labels."""


class UnknownMethod(ValueError):
    """An error: there is no filtering method of this name."""


@dataclass(frozen=True, slots=True)
class FilteredSchema:
    """A part of a schema, the method that chose it, and the elements left out.

    `whole` is true if the question matched nothing, so that everything was kept (as far as it fits). `cut` is true if
    elements were dropped to fit the budget. `too_small` is true if not even one label fits; `schema` is then the whole
    schema.
    """

    schema: PropertyGraphSchema
    method: Method
    whole: bool
    cut: bool
    left_out: LeftOut
    too_small: bool = False


def filter_schema(
    question: Question,
    schema: PropertyGraphSchema,
    method: Method = "auto",
    *,
    facts: Statistics | None = None,
    max_tokens: int | None = None,
) -> FilteredSchema:
    """Return the part of the schema that the question needs; everything if the question matches nothing.

    The least relevant elements are dropped until the base form of the part fits into `max_tokens`; `auto` has the
    default `DEFAULT_TOKENS`. `facts` are the statistics of the data, by which a pattern names its main ends.

    Raises:
        UnknownMethod: the method does not exist.
    """
    if method not in METHODS:
        raise UnknownMethod(f"there is no method {method!r}; the methods are {', '.join(METHODS)}")
    wide = method == "auto" and is_dense(schema) and len(schema.labels) < MAX_LABELS_DENSE
    if method == "similarity":
        selection = select_similar(question, schema)
    elif method in ("exact", "masked"):
        selection = select_exact(question, schema, masked=method == "masked")
    else:
        selection = select(question, schema, wide=wide)
        if facts is not None:  # a property without values is shown only to a question that clearly means it
            selection.properties = {
                key: relevance
                for key, relevance in selection.properties.items()
                if relevance >= MEANT or facts.fill(*key) != 0
            }
    whole = not selection
    if whole:
        selection = Selection.whole(schema)
    budget = max_tokens if max_tokens is not None else DEFAULT_TOKENS if method == "auto" else None
    cut = False
    if budget is not None:
        smaller = fit_types(selection, budget, facts) if wide and not whole else fit(selection, budget)
        cut = len(smaller) < len(selection)
        if not smaller:
            return FilteredSchema(schema, method, whole, True, LeftOut(), too_small=True)
        selection = smaller
    part = schema if whole and not cut else selection.part()
    return FilteredSchema(part, method, whole, cut, left_out_of(schema, part))


def is_dense(schema: PropertyGraphSchema) -> bool:
    """Whether the types join so many labels (as nodes with several labels do) that labels hardly tell them apart."""
    return len(schema.patterns) > max(MANY_PATTERNS, DENSE * len(schema.relationship_types))


def fit_types(selection: Selection, max_tokens: int, facts: Statistics | None) -> Selection:
    """Return the most relevant relationship types of a selection, each with all its patterns, that fit the budget."""
    schema = selection.schema
    types: dict[str, float] = {}
    places: dict[str, list[int]] = {}
    for place, relevance in selection.patterns.items():
        type_ = schema.patterns[place].type
        types[type_] = max(relevance, types.get(type_, 0.0))
        places.setdefault(type_, []).append(place)
    ranked = sorted(types, key=lambda type_: -types[type_])

    def first(count: int) -> Selection:
        chosen = Selection(schema)
        for label, relevance in selection.labels.items():
            chosen.add_label(label, relevance)
        for type_ in ranked[:count]:
            for place in places[type_]:
                chosen.add_pattern(place, selection.patterns[place])
        kept = set(ranked[:count])
        chosen.properties = {key: value for key, value in selection.properties.items() if key[0] in chosen.labels}
        chosen.type_properties = {key: value for key, value in selection.type_properties.items() if key[0] in kept}
        return chosen

    low, high = 0, min(len(ranked), max_tokens // TOKENS_OF_TYPE)
    while low < high:
        middle = (low + high + 1) // 2
        if estimate_tokens(base_form(first(middle).part(), facts)) <= max_tokens:
            low = middle
        else:
            high = middle - 1
    # A budget for less than one type is left to the cutting by labels and properties.
    return first(low) if low else fit(selection, max_tokens)
