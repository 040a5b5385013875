"""Suggests queries that are valid by construction: a semantic parser grounded in a question's entities and the schema.

The module `mentions` finds the names in a question, and `question` analyses the rest. `space` enumerates the patterns
of `patterns`, and `returns` enumerates the RETURN parts for each pattern. `ranker` scores the combinations by the
features of `pattern_features` and `return_features`. `suggest` counts matches in the database, `reading` describes how
a query interprets the question, and `grammar` describes the possible queries for constrained decoding.
"""

from graphground.graphs.suggestions.grammar import gbnf, regular_expression
from graphground.graphs.suggestions.mentions import Entity, Mention, mentions_in, mentions_of
from graphground.graphs.suggestions.suggest import Suggestion, query_of, space_of, suggest

__all__ = [
    "Entity",
    "Mention",
    "Suggestion",
    "gbnf",
    "mentions_in",
    "mentions_of",
    "query_of",
    "regular_expression",
    "space_of",
    "suggest",
]
