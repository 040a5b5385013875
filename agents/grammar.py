"""Restricts a model to the queries that `ground_question` suggests, by a grammar that a library enforces.

    >>> print(write_gbnf(["RETURN 1", 'RETURN "a"']))
    root ::= "RETURN 1" | "RETURN \\"a\\""

A model too small to write Cypher can then still choose a query: its reply is one of the suggestions, character by
character (GraphRAFT, arXiv 2504.05478, §4.2). llama.cpp reads GBNF: its server in the field `grammar` of a request, and
`llama-cpp-python` as `LlamaGrammar`. llguidance, in vLLM, SGLang and transformers, reads Lark.
"""

from __future__ import annotations

from collections.abc import Iterable

from graphground.agents.session import Session

ESCAPES = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t"}


def write_gbnf(queries: Iterable[str]) -> str:
    """Return a grammar in GBNF that matches exactly these queries: `root ::= "RETURN 1" | "RETURN 2"`."""
    return f"root ::= {_alternatives(queries)}"


def write_lark(queries: Iterable[str]) -> str:
    """Return a grammar in Lark that matches exactly these queries: `start: "RETURN 1" | "RETURN 2"`."""
    return f"start: {_alternatives(queries)}"


async def read_suggested_grammar(session: Session, count: int) -> str:
    """Return a grammar in GBNF that matches at most `count` suggested queries; empty if nothing is suggested, or if
    `count` is 0."""
    if not count:
        return ""
    question = session.question
    answer = await session.call("ground_question", question.on(question=question.text, limit=count))
    queries = [] if answer.failed else [str(candidate["cypher"]) for candidate in answer.fields["queries"]]
    return write_gbnf(queries) if queries else ""


def _alternatives(queries: Iterable[str]) -> str:
    return " | ".join(f'"{"".join(map(_escape, query))}"' for query in dict.fromkeys(queries))


def _escape(letter: str) -> str:
    if letter in ESCAPES:
        return ESCAPES[letter]
    return f"\\x{ord(letter):02X}" if ord(letter) < 32 or ord(letter) == 127 else letter
