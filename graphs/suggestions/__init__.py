"""Queries that are valid by construction, from the entities that a question names and the schema around them."""

from graphground.graphs.suggestions.grammar import gbnf, regular_expression
from graphground.graphs.suggestions.mentions import Entity, entities_in, entities_of
from graphground.graphs.suggestions.suggest import Suggestion, suggest

__all__ = ["Entity", "Suggestion", "entities_in", "entities_of", "gbnf", "regular_expression", "suggest"]
