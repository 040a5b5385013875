"""Counts the tokens of a schema in the five forms that "Enhancing Text2Cypher with Schema Filtering" compares."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

from graphground.agents.question import Question
from graphground.agents.server_connection import ToolAnswer
from graphground.agents.zero_shot import FORMS, SchemaForm, schema_call

CHARACTERS_PER_TOKEN = 4
"""Estimated characters per token; comparing the forms with each other requires no exact tokenizer."""


class Server(Protocol):
    """A connection to the server, such as `ServerConnection`."""

    async def call(self, tool: str, arguments: Mapping[str, Any]) -> ToolAnswer:
        """Call a tool."""
        ...


async def tokens_of_forms(
    server: Server, questions: Sequence[Question], on_done: Callable[[int], None] = lambda number: None
) -> dict[SchemaForm, list[int]]:
    """Return, for each form, the estimated token counts of the schema, one count per question.

    `{"enhanced": [812, 812], "base": [530, 530], "exact": [61, 140], "masked": […], "similarity": […]}`

    Raises:
        ServerFailure: a schema cannot be read.
    """
    counts: dict[SchemaForm, list[int]] = {form: [] for form in FORMS}
    whole: dict[tuple[str, str], int] = {}
    for number, question in enumerate(questions, 1):
        for form in FORMS:
            tool, arguments = schema_call(question, form)
            tokens = whole.get((question.graph, form))
            if tokens is None:
                schema = str((await server.call(tool, arguments)).require()["schema"])
                tokens = len(schema) // CHARACTERS_PER_TOKEN
                if form in ("enhanced", "base"):  # the same for every question
                    whole[question.graph, form] = tokens
            counts[form].append(tokens)
        on_done(number)
    return counts
