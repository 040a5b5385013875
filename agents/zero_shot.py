"""The zero-shot baseline: one prompt with the schema and the question, one query as the reply (CypherBench, Table 10).

The schema comes in one of five forms, compared in "Enhancing Text2Cypher with Schema Filtering": `enhanced`, `base`, or
pruned by the question with the methods `exact`, `masked` and `similarity`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Literal, get_args

from graphground.agents.conversation import Message
from graphground.agents.graphraft.grammar import read_suggested_grammar
from graphground.agents.question import Outcome, Question
from graphground.agents.replies import CUT, query_in, stance_in
from graphground.agents.server_connection import ToolServer
from graphground.agents.session import Session
from graphground.prompts.agents import FOLDER, agent_prompt

SchemaForm = Literal["enhanced", "base", "exact", "masked", "similarity"]
FORMS: tuple[SchemaForm, ...] = get_args(SchemaForm)


class ZeroShot:
    """The zero-shot agent with one form of schema: `await ZeroShot("exact").answer(session)`."""

    name = "zero-shot"

    def __init__(
        self,
        form: SchemaForm = "base",
        max_schema_tokens: int | None = None,
        suggested: int = 0,
        prompts: Path = FOLDER,
    ) -> None:
        """Choose the form of the schema and its token budget (None means no limit).

        If `suggested` is above 0, the query must be one of at most `suggested` suggested queries. A template in the
        folder `prompts` replaces the default of the same role.
        """
        self._form, self._max_schema_tokens, self._suggested = form, max_schema_tokens, suggested
        self._prompts = prompts

    async def answer(self, session: Session) -> Outcome:
        """Read the schema, ask the model once, and extract the query from its reply."""
        schema = await read_schema(session, self._form, self._max_schema_tokens)
        prompt = agent_prompt("zero_shot", self._prompts, schema=schema, question=session.question.text)
        grammar = await read_suggested_grammar(session, self._suggested)
        reply = await session.ask("zero_shot", [Message("user", prompt)], grammar=grammar)
        query = query_in(reply.text)
        if reply.is_cut:
            return Outcome(error=f"{CUT}: {_start(reply.text)}", stopped="answered")
        if not query:
            return Outcome(error=f"the model wrote no query: {_start(reply.text)}", stopped="answered")
        return Outcome(cypher=query, stance=stance_in(reply.text), stopped="answered")


async def read_schema(session: Session, form: SchemaForm, max_tokens: int | None = None) -> str:
    """Read the schema of the question's graph in one of the five forms, as text.

    Raises:
        BoundReached: no call or no token is left, or the time ran out.
        ServerFailure: the server cannot read the schema.
    """
    tool, arguments = schema_call(session.question, form, max_tokens)
    return str((await session.call(tool, arguments)).require()["schema"])


def schema_call(question: Question, form: SchemaForm, max_tokens: int | None = None) -> tuple[str, dict[str, Any]]:
    """Return the name and the arguments of the tool call that reads the schema of a question's graph in a form."""
    budget = {"max_tokens": max_tokens} if max_tokens else {}
    if form in ("enhanced", "base"):
        return "get_schema", question.on(form=form, **budget)
    return "get_filtered_schema", question.on(question=question.text, method=form, **budget)


def _start(text: str) -> str:
    words = " ".join(text.split())
    return repr(words[:120]) if words else "the reply is empty"


CHARACTERS_PER_TOKEN = 4
"""Estimated characters per token; comparing the forms with each other requires no exact tokenizer."""


async def tokens_of_forms(
    server: ToolServer, questions: Sequence[Question], on_done: Callable[[int], None] = lambda number: None
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
