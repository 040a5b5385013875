"""The five forms of schema side by side, as in "Enhancing Text2Cypher with Schema Filtering": their tokens."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

from graphground.agents.question import Question
from graphground.agents.server_connection import ToolAnswer
from graphground.agents.zero_shot import FORMS, SchemaForm, schema_call

CHARACTERS_PER_TOKEN = 4
"""An estimate: tokenizers differ, and none is needed to compare the forms with each other."""


class Server(Protocol):
    """A connection to the server, as `ServerConnection` is one."""

    async def call(self, tool: str, arguments: Mapping[str, Any]) -> ToolAnswer:
        """Call a tool."""
        ...


async def tokens_of_forms(
    server: Server, questions: Sequence[Question], on_done: Callable[[int], None] = lambda done: None
) -> dict[SchemaForm, list[int]]:
    """The estimated tokens of the schema in each form, for each question in turn.

    `{"enhanced": [812, 812], "base": [530, 530], "exact": [61, 140], "masked": […], "similarity": […]}`

    Raises:
        ServerFailure: a schema cannot be read.
    """
    counts: dict[SchemaForm, list[int]] = {form: [] for form in FORMS}
    whole: dict[tuple[str, str], int] = {}
    for done, question in enumerate(questions, 1):
        for form in FORMS:
            tool, arguments = schema_call(question, form)
            tokens = whole.get((question.graph, form))
            if tokens is None:
                schema = str((await server.call(tool, arguments)).require()["schema"])
                tokens = len(schema) // CHARACTERS_PER_TOKEN
                if form in ("enhanced", "base"):  # the same for every question
                    whole[question.graph, form] = tokens
            counts[form].append(tokens)
        on_done(done)
    return counts
