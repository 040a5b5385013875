"""Messages for text that cannot be parsed: the position, the expected tokens, and the mistake probably made."""

from __future__ import annotations

import re
from collections.abc import Sequence

from graphground.cypher.diagnostics import Diagnostic, Edit, LineIndex, Problem, applied, either
from graphground.cypher.names.nearest import distance
from graphground.cypher.parser import ParseError, parse_text
from graphground.cypher.quoting import quoted_name
from graphground.cypher.tokens import words

_PHRASE = re.compile(r" such as | after |,? or [a-z](?!n? )")
"""Marks an expectation that is a phrase, such as `a clause such as SET or CREATE`, and not a list of tokens."""
_SEPARATOR = re.compile(r",? or |, ")
_CLOSING = {"(": ")", "[": "]", "{": "}"}
_KEYWORDS = words(
    "MATCH OPTIONAL WHERE RETURN WITH UNWIND ORDER LIMIT SKIP UNION CALL DISTINCT CREATE MERGE DELETE CONTAINS "
    "STARTS EXISTS YIELD"
)
LONGEST_REPAIRED, MOST_INSIDE = 4_000, 60
"""The maximum number of characters of a text that is repaired, and of tokens inside the bracket that it leaves open."""
MOST_NOTES = 4
"""The maximum number of repairs before the error that are reported with it."""
_NEWER = frozenset(("FILTER", "LET", "NEXT", "WHEN"))
_PATH_MODES = frozenset(("WALK", "TRAIL", "ACYCLIC"))


def syntax_diagnostics(text: str, error: ParseError) -> list[Diagnostic]:
    """Return the diagnostics of a text that could not be parsed."""
    places = LineIndex(text)
    notes = {note.start: note for note in error.notes if note.edits and note.start != error.start and not error.message}
    return [
        _diagnostic(text, places, error),
        *(places.diagnostic(notes[start]) for start in sorted(notes)[:MOST_NOTES]),
    ]


def repair_syntax(text: str, error: ParseError) -> list[Edit]:
    """Return the edits of the one repair that lets the parser continue past an error; an empty list if there is none.

    `MATCH (n:Film RETURN n` needs a `)`, and `RETRUN` is `RETURN`. A repair is tried by parsing the repaired text, and
    a second repair that can be parsed too makes both uncertain.
    """
    tokens = error.tokens
    if tokens is None or error.message or len(text) > LONGEST_REPAIRED:
        return []
    rewritten = _rewritten_habit(text, error)
    candidates = [rewritten] if rewritten else []
    if not candidates:
        keywords = _keyword(text[error.start : error.end])
        candidates = [[Edit(error.start, error.end, word)] for word in keywords]
        candidates += _closing_brackets(error)
    passing = [edits for edits in candidates if _passes(text, error, edits)]
    return passing[0] if len(passing) == 1 else []


def _passes(text: str, error: ParseError, edits: list[Edit]) -> bool:
    longer = sum(len(edit.replacement) - (edit.end - edit.start) for edit in edits)
    try:
        parse_text(applied(text, edits), "cypher25" if error.cypher25 else "cypher5")
    except ParseError as later:
        return later.start > error.start + longer
    return True


def _open_brackets(kinds: list[str]) -> list[int]:
    found: list[int] = []
    for place, kind in enumerate(kinds):
        if kind in _CLOSING:
            found.append(place)
        elif kind in (")", "]", "}") and found:
            found.pop()
    return found


def _closing_brackets(error: ParseError) -> list[list[Edit]]:
    """Return an edit for each position at which the innermost open bracket may be closed.

    `(n:Film WHERE n.year > 1999 RETURN` can be closed before WHERE and before RETURN, which means the same.
    """
    tokens = error.tokens
    assert tokens is not None
    open_ = _open_brackets(tokens.kinds[: error.at])
    if not open_ or error.at - open_[-1] > MOST_INSIDE:
        return []
    inside = range(open_[-1] + 1, error.at + 1)
    if "WHERE" in tokens.kinds[open_[-1] : error.at]:
        inside = range(error.at, error.at + 1)
    closing = _CLOSING[tokens.kinds[open_[-1]]]
    ends = dict.fromkeys(tokens.ends[place - 1] for place in inside)
    return [[Edit(end, end, closing)] for end in ends]


def _rewritten_habit(text: str, error: ParseError) -> list[Edit]:
    """Return the edits that write syntax of SQL in Cypher; empty if the error is no such habit, or is not certain."""
    tokens, at = error.tokens, error.at
    assert tokens is not None
    kinds, starts, ends = tokens.kinds, tokens.starts, tokens.ends
    kind, before, after = kinds[at], kinds[at - 1] if at else "", kinds[at + 1] if at + 1 < len(kinds) else "end"

    def until(*stops: str) -> int:
        """Return the number of the next token of a kind in `stops`, or of the end."""
        return next(place for place in range(at, len(kinds)) if kinds[place] in (*stops, "end"))

    if kind == "=" and before == "=":
        return [Edit(error.start, error.end, "")]
    if kind == "&" and after == "&" and ends[at] == starts[at + 1]:
        return [Edit(starts[at], ends[at + 1], "AND")]
    if kind == "SELECT" and at:
        return [Edit(error.start, error.end, "RETURN")]
    if kind == "LIKE" and after == "string":
        return _like(text[starts[at + 1] : ends[at + 1]], starts[at], ends[at + 1])
    if kind == "NOT" and after == "IN" and at >= 1:
        first = at - 3 if at >= 3 and before != ")" and kinds[at - 2] == "." else at - 1
        if kinds[first - 1] in ("WHERE", "AND", "OR", "(", "NOT", "XOR"):
            return [Edit(starts[first], starts[first], "NOT "), Edit(ends[at - 1], ends[at], "")]
    if kind in ("GROUP", "HAVING") and not error.cypher25:
        returned = next((place for place in range(at - 1, -1, -1) if kinds[place] in ("RETURN", "WITH")), None)
        if kind == "HAVING" and returned is not None and kinds[returned] == "WITH":
            return [Edit(error.start, error.end, "WHERE")]
        items = _items(text[: error.start]) if returned is not None else []
        rest = until("ORDER", "LIMIT", "SKIP", "UNION")
        if not items or returned is None:
            return []
        having = until("HAVING", "ORDER", "LIMIT", "SKIP", "UNION")
        keys = text[ends[at + 1] : starts[having]].split(",") if kind == "GROUP" else []
        sources = {source for source, _, _ in items}
        if any(key.strip() not in sources for key in keys) and any(aggregates for _, _, aggregates in items):
            return []  # it groups by something else than what it returns
        if kinds[having] != "HAVING":
            return [Edit(ends[at - 1], ends[rest - 1], "")]
        # A plain variable: the embedded engine does not find one with a dot in its name.
        variables = {source: re.sub(r"\W+", "_", name).strip("_") for source, name, _ in items}
        columns = ", ".join(f"{source} AS {variable}" for source, variable in variables.items())
        condition = text[ends[having] : ends[rest - 1]]
        for source in sorted(variables, key=len, reverse=True):
            condition = condition.replace(source, variables[source])
        named = ((variables[source], name) for source, name, _ in items)
        names = ", ".join(name if name == variable else f"{variable} AS {name}" for variable, name in named)
        return [Edit(starts[returned], ends[rest - 1], f"WITH {columns} WHERE{condition} RETURN {names}")]
    return []


def _like(literal: str, start: int, end: int) -> list[Edit]:
    """Return the edit that writes `LIKE '%a%'` as `CONTAINS 'a'`; empty for a pattern with other wildcards."""
    quote, inner = literal[0], literal[1:-1]
    core = inner.strip("%")
    if not core or "%" in core or "_" in core:
        return []
    ends = (inner.startswith("%"), inner.endswith("%"))
    operator = {(True, True): "CONTAINS", (False, True): "STARTS WITH", (True, False): "ENDS WITH"}.get(ends, "=")
    return [Edit(start, end, f"{operator} {quote}{core}{quote}")]


def _items(text: str) -> list[tuple[str, str, bool]]:
    """Return the columns of a query that ends with RETURN: their text, their name and whether they aggregate."""
    from graphground.cypher.functions import contains_aggregate
    from graphground.cypher.tree import Return, SingleQuery

    try:
        query = parse_text(text, "cypher5")[0]
    except ParseError:
        return []
    last = query.body.clauses[-1] if isinstance(query.body, SingleQuery) else None
    if not isinstance(last, Return) or last.projection.star or last.projection.order_by:
        return []
    return [
        (query.source(item.expression), quoted_name(item.name), contains_aggregate(item.expression))
        for item in last.projection.items
    ]


def _diagnostic(text: str, places: LineIndex, error: ParseError) -> Diagnostic:
    if error.message:
        message = error.message if error.code == "too_complex" else error.message + _caret(places, error.start)
        return places.diagnostic(Problem(error.code, error.start, error.end, message))
    found = text[error.start : error.end]
    shown = repr_of(found)
    message = f"{shown} is not allowed here; expected {_either(error.expected)}"
    hint, suggestions = _habit(error)
    if not hint:
        hint = _open_bracket(places, error)
    if not hint:
        suggestions = _keyword(found)
        hint = f"Did you mean {suggestions[0]}?" if suggestions else ""
    if hint:
        message = f"{message}. {hint}"
    message += _caret(places, error.start)
    edits = tuple(repair_syntax(text, error))
    return places.diagnostic(Problem("syntax", error.start, error.end, message, suggestions, edits))


def _caret(places: LineIndex, offset: int) -> str:
    """Return the line at an offset and a line with a caret below the position, to append to a message."""
    line, column = places.of(offset)
    text = places.text[places.starts[line - 1] :].splitlines()[0] if places.text[places.starts[line - 1] :] else ""
    begin = max(0, column - 61)
    shown = text[begin : begin + 100].replace("\t", " ")
    return f"\n    {shown}\n    {' ' * (column - 1 - begin)}^" if shown else ""


def _open_bracket(places: LineIndex, error: ParseError) -> str:
    """Return a hint about an open bracket if parsing failed at the end, at a clause or at another bracket;
    else `""`."""
    if error.tokens is None or error.tokens.kinds[error.at] not in ("end", ")", "]", "}", "RETURN", "WITH", "MATCH"):
        return ""
    open_ = _open_brackets(error.tokens.kinds[: error.at])
    if not open_ or _CLOSING[error.tokens.kinds[open_[-1]]] == error.tokens.kinds[error.at]:
        return ""
    line, column = places.of(error.tokens.starts[open_[-1]])
    return f"The `{error.tokens.kinds[open_[-1]]}` at line {line}, column {column} is still open"


def _keyword(found: str) -> tuple[str, ...]:
    """Return the clause keyword that a word probably misspells, as a tuple; empty if no keyword is similar."""
    word = found.upper()
    if not word.isalpha() or len(word) < 4 or word in _KEYWORDS:
        return ()
    near = sorted((distance(word, keyword), keyword) for keyword in _KEYWORDS if abs(len(keyword) - len(word)) < 3)
    return tuple(keyword for far, keyword in near if far <= 2)[:1]


def repr_of(found: str) -> str:
    """Return a token for a message: quoted, and shortened if long."""
    if not found:
        return "the end of the query"
    return repr(found if len(found) <= 40 else found[:37] + "…")


def _either(expected: Sequence[str]) -> str:
    """Join what the parser's attempts expected: `["'|' or ']'", "',' or ']'"]` becomes `'|', ',' or ']'`."""
    if len(expected) == 1:
        return expected[0]
    phrases = [text for text in expected if _PHRASE.search(text)]
    tokens = [token for text in expected if text not in phrases for token in _SEPARATOR.split(text)]
    # The last of equal tokens stays: a closing bracket stands at the end of each list.
    different = list(reversed(dict.fromkeys(reversed(tokens))))
    return ", or ".join(filter(None, (either(different, len(different)), *phrases)))


def _habit(error: ParseError) -> tuple[str, tuple[str, ...]]:
    """Return a hint about syntax of another language or version, and replacements for the token; both may be empty."""
    if error.tokens is None:
        return "", ()
    kinds, at = error.tokens.kinds, error.at
    kind = kinds[at]
    after = kinds[at + 1] if at + 1 < len(kinds) else "end"
    newer = "" if error.cypher25 else _newer(kinds, at)
    if newer:
        return f"{newer} needs Cypher 25; this query is read as Cypher 5", ()
    if kind == "GROUP" and after == "BY" and not error.cypher25:
        return "Cypher has no GROUP BY before Cypher 25: the columns beside an aggregate are the grouping keys", ()
    if kind == "HAVING":
        return "Cypher has no HAVING: WITH … AS total WHERE total > 1 filters groups", ()
    if kind == "LIKE" or kind == "ILIKE":
        return "Cypher has no LIKE: use CONTAINS, STARTS WITH, ENDS WITH or =~ with a regular expression", ()
    if kind == "SELECT":
        return "Cypher has no SELECT: MATCH a pattern, then RETURN", ()
    if kind == "=" and at and kinds[at - 1] == "=":
        return "Equality is written with a single =", ("",)
    if kind == "NOT" and after == "IN":
        return "Write NOT x IN xs, with NOT before the whole comparison", ()
    return "", ()


def _newer(kinds: list[str], at: int) -> str:
    """Return the construct of Cypher 25 at this position, to begin a sentence, or an empty string."""
    kind = kinds[at]
    before = kinds[at - 1] if at else ""
    if kind in _NEWER:
        return kind
    if kind == "SEARCH" and kinds[at + 2 : at + 4] == ["IN", "("]:
        return "SEARCH"
    if kind == "FOR" and kinds[at + 2 : at + 3] == ["IN"]:
        return "FOR … IN"
    if kind in _PATH_MODES:
        return kind
    if before in _PATH_MODES and kind in ("(", "PATH", "PATHS"):
        return before
    if kind in ("VECTOR", "UUID") and before in ("::", "TYPED", "<"):
        return f"The type {kind}"
    if kind == "|" and "ALLREDUCE" in kinds[:at]:
        return "allReduce"
    if before == "WHEN" and kinds[at - 2] == "{":
        return "WHEN"
    if kind == "{" and before in ("", "UNION", "ALL", "{"):
        return "A query in braces"
    if kind == "$" and before in ("SHORTEST", "ANY"):
        return "A parameter as the number of paths"
    return ""
