"""Queries that are valid by construction: a semantic parser grounded in the entities and the schema of a question.

`mentions` finds the names, `question` reads the rest, `space` enumerates `patterns`, `returns` what each may return,
`pattern_features`, `return_features` and `ranker` choose, `suggest` counts in the database, `reading` says how the question was read and
`grammar` describes the space for constrained decoding.
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
