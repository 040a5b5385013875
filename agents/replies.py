"""Parses a model's reply: the query in its text, a grade, a list, a stance; or restricts it, by a grammar.

A model too small to write Cypher can still choose among the queries that `ground_question` suggests: its reply is one
of them (GraphRAFT, arXiv 2504.05478, §4.2). llama.cpp reads GBNF, and llguidance, in vLLM and transformers, Lark.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from typing import Any, Literal, cast

from graphground.agents.conversation import Stance
from graphground.agents.session import Session
from graphground.cypher import CypherSyntaxError, access, parse
from graphground.cypher.tokens import tokenize, unescape_string

CUT = "the reply was cut at the limit of tokens (--max-tokens)"
Grade = Literal["accept", "incorrect", "error"]

MAX_CHARACTERS = 20_000
"""The maximum number of characters of a text that is tried as a query."""
MAX_STARTS, MAX_LINES = 20, 60
"""The maximum number of lines of a reply that are tried as the start of a query, and of lines of one query."""
_FENCE = re.compile(r"(?P<fence>```+|~~~+)[ \t]*(?P<label>[^\n`]*)(?:\n(?P<body>.*?))?(?:(?P=fence)|\Z)", re.DOTALL)
_LABELS = ("cypher", "cql", "opencypher")
_START = re.compile(
    r"^[ \t]*(?=(?:EXPLAIN|PROFILE|USE|MATCH|OPTIONAL[ ]MATCH|UNWIND|CALL|WITH|RETURN|(?i:match|optional[ ]match|unwind))\b)",
    re.MULTILINE,
)
"""The start of a line that may begin a query. Prose and other languages begin with some of these words, too, but in
lower case."""
_BROKEN = re.compile(r"(?:OPTIONAL )?MATCH\s*\(.*\bRETURN\b", re.DOTALL)
"""The form of a query without a label that does not parse."""
_GRADE = re.compile(r"\bgrade\b\W{0,4}(accept|incorrect|error)\b", re.IGNORECASE)
_STANCE = re.compile(r"^\W*stance\W+(not_in_graph|ask|answer)\b", re.IGNORECASE | re.MULTILINE)
_COMMENTS = re.compile(r"\A(?:\s*//[^\n]*\n)+")
_ENDS = ("<end_of_turn>", "<|im_end|>", "<|eot_id|>", "</s>")


def query_in(text: str) -> str:
    r"""Return the Cypher query in a reply; empty if the reply contains no query.

    A query that parses is preferred: the last such block, a block labelled as Cypher before others, then the first
    lines outside blocks. Otherwise the last block labelled as Cypher, or a text that begins like a query, is returned
    unparsed: the server says what is wrong with it.

    >>> query_in("Here it is:\n```cypher\nMATCH (t:Team) RETURN t.name\n```\nIt lists the teams.")
    'MATCH (t:Team) RETURN t.name'
    >>> query_in("The answer is Chicago, of course.")
    ''
    """
    for mark in _ENDS:
        text = text.replace(mark, "")
    blocks = [_block(found) for found in _FENCE.finditer(text)]
    labelled = [body for label, body in blocks if label in _LABELS and body]
    others = [body for label, body in blocks if label not in _LABELS and _START.match(_COMMENTS.sub("", body))]
    outside = list(_starts(_FENCE.sub("\n\n", text)))
    for candidates in (reversed(labelled), reversed(others), filter(None, map(_longest_query, outside))):
        found = next((candidate for candidate in candidates if _is_query(candidate)), "")
        if found:
            return found
    broken = [candidate for candidate in (*others, *outside) if _BROKEN.match(candidate)]
    return labelled[-1] if labelled else broken[-1] if broken else ""


def _block(found: re.Match[str]) -> tuple[str, str]:
    """Return the label and the body of a fenced block, which may stand on one line: "```cypher RETURN 1```"."""
    label, _, rest = found["label"].strip().partition(" ")
    if found["body"] is None:  # a block on one line may have no label
        return (label.lower(), rest.strip()) if label.lower() in _LABELS else ("", found["label"].strip())
    return label.lower(), found["body"].strip()


def _starts(text: str) -> Iterator[str]:
    """Yield the text from each line that may begin a query to the next blank line."""
    for found, _ in zip(_START.finditer(text), range(MAX_STARTS), strict=False):
        yield re.split(r"\n\s*\n", text[found.end() :].strip(), maxsplit=1)[0].strip()


def _longest_query(text: str) -> str:
    """Return the most of the text's first lines that are a query, without the prose after them; empty if none are."""
    lines = text.split("\n")[:MAX_LINES]
    return next((query for end in range(len(lines), 0, -1) if _is_query(query := "\n".join(lines[:end]).strip())), "")


def _is_query(text: str) -> bool:
    """Whether a text parses as a query, and not as a command such as `CREATE DATABASE`."""
    try:
        return len(text) <= MAX_CHARACTERS and access(parse(text)) in ("read", "write")
    except CypherSyntaxError:
        return False


def grade_in(text: str) -> tuple[Grade, str] | None:
    """Return the grade and the reason in an evaluator's reply; None if there is no grade, or more than one.

    >>> grade_in("GRADE: incorrect\\nREASON: it counts players, not teams")
    ('incorrect', 'it counts players, not teams')
    """
    graded = list(_GRADE.finditer(text.replace('"', " ")))
    if len({found[1].lower() for found in graded}) != 1:  # none, or prose that weighs two grades
        return None
    found = graded[-1]
    reason = re.search(r"\breason\b\W{0,4}(.+)", text, re.IGNORECASE | re.DOTALL)
    return cast(Grade, found[1].lower()), reason[1].strip(' "}\n') if reason else ""


def list_in(text: str) -> list[Any] | None:
    """Return the first JSON list in a reply; None if the reply contains no list."""
    decoder = json.JSONDecoder()
    for start in (place.start() for place in re.finditer(r"\[", text)):
        try:
            found, _ = decoder.raw_decode(text, start)
        except ValueError:
            continue
        if isinstance(found, list):
            return found
    return None


def stance_in(text: str) -> Stance:
    """Return the stance that a reply states in a line such as `STANCE: not_in_graph`; `answer` without such a line."""
    found = _STANCE.search(text)
    return cast(Stance, found[1].lower()) if found else "answer"


def literals_in(query: str) -> list[str]:
    """Return the string literals of a query that are not blank, without repetition; the query need not parse.

    >>> literals_in("MATCH (t:Team {name: 'Chicago Bulls'}) RETURN t")
    ['Chicago Bulls']
    """
    tokens = tokenize(query)
    places = zip(tokens.kinds, tokens.starts, tokens.ends, strict=True)
    quoted = (query[start:end] for kind, start, end in places if kind == "string")
    return list(dict.fromkeys(text for literal in quoted if (text := unescape_string(literal)).strip()))


_ESCAPES = {code: f"\\x{code:02X}" for code in (*range(32), 127)} | str.maketrans(
    {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t"}
)


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
    return " | ".join(f'"{query.translate(_ESCAPES)}"' for query in dict.fromkeys(queries))
