"""Restricts a model to the queries that `suggest_queries` returns, through a grammar for llama.cpp's server.

A model too small to write Cypher can then still choose a query: its reply is one of the suggestions, character by
character (GraphRAFT, arXiv 2504.05478, section 4.2, here with the model at the other end of an HTTP connection).
"""

from __future__ import annotations

from graphground.agents.decoding.grammars import gbnf
from graphground.agents.session import Session


async def suggested_grammar(session: Session, count: int) -> str:
    """Return a grammar in GBNF that matches at most `count` suggested queries; empty if nothing is suggested, or if
    `count` is 0."""
    if not count:
        return ""
    question = session.question
    answer = await session.call("suggest_queries", question.on(question=question.text, limit=count, count=False))
    queries = [] if answer.failed else [str(candidate["cypher"]) for candidate in answer.fields["candidates"]]
    return gbnf(queries) if queries else ""
