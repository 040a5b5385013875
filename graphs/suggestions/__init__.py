"""Suggests queries for a question that are valid and have answers in the data: `suggest(graph, question)`.

`walks` follows the relationships that the named nodes have, `properties` says what the properties hold; `shapes` and
`forms` make candidates of them (`candidates`), to which `propose` adds features; `suggest` ranks all candidates by one
learned model, counts their answers and says how sure it is. `question_check` compares a query with its question.
"""

from graphground.graphs.suggestions.suggest import Suggestion, suggest

__all__ = ["Suggestion", "suggest"]
