"""Filters a schema for a question, by any of the methods.

>>> filter_schema(films, "Who directed Heat?").schema.labels.keys()
dict_keys(['Movie', 'Person'])
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, get_args

from graphground.cypher.schema import PropertyGraphSchema
from graphground.graphs.schemas.filtering.auto import AutoFilter
from graphground.graphs.schemas.filtering.budget import LeftOut, fit, left_out_of
from graphground.graphs.schemas.filtering.learned import is_learned, widen
from graphground.graphs.schemas.filtering.mentions import mentions_in
from graphground.graphs.schemas.filtering.pruned_forms import select_exact, select_masked, select_similar
from graphground.graphs.schemas.filtering.selection import Selection
from graphground.graphs.schemas.filtering.similarity import Embedder, SimilarNames
from graphground.graphs.schemas.filtering.spelling import Spelling
from graphground.graphs.schemas.filtering.vocabulary import Element, Vocabulary
from graphground.graphs.schemas.filtering.words import question_words

Method = Literal["auto", "exact", "masked", "similarity"]
METHODS: tuple[Method, ...] = get_args(Method)

LONGEST_QUESTION = 4_000
MOST_KEPT = 16


class UnknownMethod(ValueError):
    """An error: there is no filtering method of this name."""


class NoEmbedder(ValueError):
    """The method `similarity` was called without an embedding model."""


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


class SchemaFilter:
    """A filter of one schema for many questions; the index of the schema's words is built only once."""

    def __init__(self, schema: PropertyGraphSchema) -> None:
        self.schema = schema
        self.vocabulary = Vocabulary(schema)
        self._auto = AutoFilter(self.vocabulary)
        self._spelling = Spelling(schema)
        self._similar: SimilarNames | None = None

    def filter(
        self,
        question: str,
        method: Method = "auto",
        *,
        entities: object = None,
        embedder: Embedder | None = None,
        max_tokens: int | None = None,
    ) -> FilteredSchema:
        """Return the part of the schema that the question needs; everything if the question matches nothing.

        `entities` is an entity index or a table of values in which mentions are found. If `max_tokens` is given, the
        least relevant elements are dropped until the base form of the part fits.

        Raises:
            UnknownMethod: the method does not exist.
            NoEmbedder: the method is `similarity` and there is no model.
        """
        if method not in METHODS:
            raise UnknownMethod(f"there is no method {method!r}; the methods are {', '.join(METHODS)}")
        question = question[:LONGEST_QUESTION]
        selection = self._select(question, method, entities, embedder)
        whole = not selection
        if whole:
            selection = Selection.whole(self.schema)
        cut = False
        if max_tokens is not None:
            smaller = fit(selection, max_tokens)
            cut = len(smaller) < len(selection)
            if not smaller:
                return FilteredSchema(self.schema, method, whole, True, LeftOut(), too_small=True)
            selection = smaller
        part = self.schema if whole and not cut else selection.part()
        return FilteredSchema(part, method, whole, cut, left_out_of(self.schema, part))

    def _select(self, question: str, method: Method, entities: object, embedder: Embedder | None) -> Selection:
        if method == "exact":
            return select_exact(self.vocabulary, question)
        if method == "similarity":
            if embedder is None:
                raise NoEmbedder("the method 'similarity' needs an embedding model; use 'auto' or install one")
            return select_similar(self.vocabulary, self._near(question, embedder))
        mentions = mentions_in(question, entities, self.schema)
        if method == "masked":
            return select_masked(self.vocabulary, question, mentions)
        selection = self._auto.select(question, mentions)
        if not selection and (respelt := self._spelling.corrected(question)) != question:
            question, mentions = respelt, mentions_in(respelt, entities, self.schema)
            selection = self._auto.select(question, mentions)
        if not selection and embedder is not None:
            selection = self._auto.select(question, mentions, self._near(question, embedder))
        if selection and is_learned(self.schema):
            widen(selection, question_words(question), self._auto.graph)
        return selection

    def _near(self, question: str, embedder: Embedder) -> Mapping[Element, float]:
        if self._similar is None or self._similar.embedder is not embedder:
            self._similar = SimilarNames(self.vocabulary, embedder)
        return self._similar.near(question)


_filters: OrderedDict[int, SchemaFilter] = OrderedDict()
_lock = threading.Lock()


def filter_for(schema: PropertyGraphSchema) -> SchemaFilter:
    """Return the filter of a schema; the `MOST_KEPT` filters that were used last are cached."""
    with _lock:
        known = _filters.get(id(schema))
        if known is None or known.schema is not schema:
            known = _filters[id(schema)] = SchemaFilter(schema)
        _filters.move_to_end(id(schema))
        while len(_filters) > MOST_KEPT:
            _filters.popitem(last=False)
        return known


def filter_schema(
    schema: PropertyGraphSchema,
    question: str,
    method: Method = "auto",
    *,
    entities: object = None,
    embedder: Embedder | None = None,
    max_tokens: int | None = None,
) -> FilteredSchema:
    """Return the part of the schema that the question needs; see `SchemaFilter.filter`."""
    return filter_for(schema).filter(question, method, entities=entities, embedder=embedder, max_tokens=max_tokens)
