"""Restricts a model to the queries that `ground_question` suggests, by a grammar that a library enforces.

    >>> print(write_gbnf(["RETURN 1", 'RETURN "a"']))
    root ::= "RETURN 1" | "RETURN \\"a\\""

A model too small to write Cypher can then still choose a query: its reply is one of the suggestions, character by
character (GraphRAFT, arXiv 2504.05478, §4.2). llama.cpp reads GBNF: its server in the field `grammar` of a request, and
`llama-cpp-python` as `LlamaGrammar`. llguidance, in vLLM, SGLang and transformers, reads Lark.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from graphground.agents.model_settings import ModelFailure
from graphground.agents.session import Session

CONTEXT_TOKENS = 4_096
"""The size of a local model's context, for the prompt and the query together."""
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


def choose_with_llama(file: Path, prompt: str, queries: Sequence[str]) -> str:
    """Return the query that a local model in GGUF chooses, through `llama-cpp-python`.

    Raises:
        ModelFailure: the library is missing, the file holds no model, or the prompt is too long.
    """
    try:
        from llama_cpp import Llama, LlamaGrammar  # loaded on first use: it is built from source
    except ModuleNotFoundError:
        raise ModelFailure(
            "not_installed", "a GGUF model needs llama-cpp-python: pip install llama-cpp-python"
        ) from None
    try:
        llama = Llama(str(file), n_ctx=CONTEXT_TOKENS, verbose=False)
        reply = llama.create_chat_completion(
            [{"role": "user", "content": prompt}],
            grammar=LlamaGrammar.from_string(write_gbnf(queries), verbose=False),
            temperature=0.0,
        )
    except ValueError as error:
        raise ModelFailure("refused", f"{file} cannot be used as a model: {error}") from None
    return str(reply["choices"][0]["message"]["content"])


def _alternatives(queries: Iterable[str]) -> str:
    return " | ".join(f'"{"".join(map(_escape, query))}"' for query in dict.fromkeys(queries))


def _escape(letter: str) -> str:
    if letter in ESCAPES:
        return ESCAPES[letter]
    return f"\\x{ord(letter):02X}" if ord(letter) < 32 or ord(letter) == 127 else letter
