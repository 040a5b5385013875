"""The space of suggested queries as a grammar, for constrained decoding.

The GBNF form and the regular expression describe the same queries: a pattern around the names of the question, then one
of the RETURN templates with a property of the label, with or without a condition. Only the regular expression limits
the number of digits of a number.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

import orjson

from graphground.cypher.quoting import quoted_name
from graphground.cypher.schema import PropertyGraphSchema
from graphground.graphs.suggestions.patterns import COUNTED, Pattern
from graphground.graphs.suggestions.returns import HIDDEN, NUMBERS, ORDERED

LITERALS = {
    "number": r"-?[0-9]{1,15}(?:\.[0-9]{1,6})?",
    "date": r"date\('[0-9]{4}-[0-9]{2}-[0-9]{2}'\)",
    "text": r"'(?:[^'\\]|\\['\\])*'",
    "limit": "[1-9][0-9]{0,3}",
}
"""Regular expressions of literals; `GBNF_LITERALS` describes the literals in GBNF."""
GBNF_LITERALS = {
    "number": '"-"? [0-9]+ ("." [0-9]+)?',
    "date": '"date(\'" [0-9] [0-9] [0-9] [0-9] "-" [0-9] [0-9] "-" [0-9] [0-9] "\')"',
    "text": '"\'" ([^\'\\\\] | "\\\\" [\'\\\\])* "\'"',
    "limit": "[1-9] [0-9]? [0-9]? [0-9]?",
}


def gbnf(schema: PropertyGraphSchema, patterns: Sequence[Pattern]) -> str:
    """Return the grammar in llama.cpp's GBNF form: `root ::= "MATCH (n:Movie)… " returns-0 | …`."""
    groups = _groups(schema, patterns)
    rules = [
        "root ::= "
        + " | ".join(
            f"{_quoted(pattern.match() + ' ')} returns-{groups.index(_group(pattern))}" for pattern in patterns
        )
    ]
    for number, (label, kind) in enumerate(groups):
        rules.append(f"returns-{number} ::= {_join(_templates(schema, label, kind), _gbnf_part)}")
    return "\n".join([*rules, *(f"{name} ::= {text}" for name, text in GBNF_LITERALS.items())])


def regular_expression(schema: PropertyGraphSchema, patterns: Sequence[Pattern]) -> str:
    """Return the grammar as a regular expression without look-around."""
    branches = [
        re.escape(pattern.match() + " ") + f"(?:{_join(_templates(schema, *_group(pattern)), _regex_part, '|', '')})"
        for pattern in patterns
    ]
    return f"(?:{'|'.join(branches)})"


def _group(pattern: Pattern) -> tuple[str, str]:
    kind = pattern.kind
    return pattern.target, "counted" if kind in COUNTED else kind if kind in ("named", "comparison") else "plain"


def _groups(schema: PropertyGraphSchema, patterns: Sequence[Pattern]) -> list[tuple[str, str]]:
    return list(dict.fromkeys(_group(pattern) for pattern in patterns))


def _templates(schema: PropertyGraphSchema, label: str, kind: str) -> list[str]:
    """Return the possible ends of queries.

    In them, `<number>`, `<date>`, `<text>` and `<limit>` stand for literals, and `<one of: …>` for alternatives.
    """
    known = schema.labels[label]
    title = f"n.{quoted_name(known.name_property or next(iter(known.properties), 'name'))}"
    keys = {
        key: type_ for key, type_ in known.properties.items() if key not in HIDDEN and f"n.{quoted_name(key)}" != title
    }
    if kind == "counted":
        ends = [f"RETURN {title}, num"]
        ends += [f"RETURN {title}, num ORDER BY num {way}" for way in ("DESC", "ASC")]
        return ends + [f"RETURN {title} ORDER BY num {way} LIMIT <limit>" for way in ("DESC", "ASC")]
    if kind == "named":
        return [f"RETURN n.{quoted_name(key)}" for key in keys] or [f"RETURN {title}"]
    if kind == "comparison":
        return _comparisons(keys, title) or [f"RETURN {title} = m0.{title.removeprefix('n.')} AS answer"]
    ends = [f"RETURN {title}", "RETURN count(n)", "RETURN count(DISTINCT n)"]
    conditions = []
    for key, type_ in keys.items():
        place = f"n.{quoted_name(key)}"
        ends += [f"RETURN {title}, {place}", f"RETURN count(DISTINCT {place})"]
        ends.append(
            f"UNWIND {place} AS prop RETURN DISTINCT prop" if type_.startswith("list") else f"RETURN DISTINCT {place}"
        )
        if type_ in ORDERED:
            ends += [f"RETURN {title} ORDER BY {place} {way}" for way in ("ASC", "DESC")]
            ends += [f"RETURN {title} ORDER BY {place} {way} LIMIT <limit>" for way in ("ASC", "DESC")]
            part = "" if type_ in NUMBERS else ".year"
            ends += [f"RETURN {function}({place}{part})" for function in ("min", "max")]
            ends += (
                [f"RETURN avg({place})"] if type_ in NUMBERS else [f"RETURN {end}({place})" for end in ("min", "max")]
            )
            signs = ("<", "<=", "=", ">", ">=", "<>")
            conditions += [f"{place}{part} {sign} <number>" for sign in signs]
            if type_ == "date":
                conditions += [f"{place} {sign} <date>" for sign in signs]
        elif type_ == "list[str]":
            conditions += [f"<text> IN {place}", f"NOT <text> IN {place}"]
        elif type_ == "str":
            conditions += [f"{place} = <text>", f"{place} <> <text>"]
    if not conditions:
        return ends
    return [*ends, f"WHERE <one of: {' ; '.join(conditions)}> <one of: {' ; '.join(ends)}>"]


def _comparisons(keys: dict[str, str], title: str) -> list[str]:
    ends, other = [], f"m0.{title.removeprefix('n.')}"
    for key, type_ in keys.items():
        left, right = f"n.{quoted_name(key)}", f"m0.{quoted_name(key)}"
        ends.append(f"RETURN {left} = {right} AS answer")
        if type_ in ORDERED:
            ends += [f"RETURN CASE WHEN {left} {sign} {right} THEN {title} ELSE {other} END AS answer" for sign in "<>"]
        if type_ in NUMBERS:
            ends.append(f"RETURN {left} - {right} AS answer")
    return ends


def _join(templates: Sequence[str], part: Callable[[str], str], bar: str = " | ", blank: str = " ") -> str:
    """Return the templates as alternatives of a grammar.

    `part` writes a piece of a template in the form of the grammar. `bar` separates alternatives, and `blank` separates
    pieces.
    """
    found = []
    for template in templates:
        pieces = re.split(r"(<one of: .*?>(?= <one of|$)|<(?:number|date|text|limit)>)", template)
        written = []
        for piece in pieces:
            if piece.startswith("<one of: "):
                written.append(f"({'?:' if not blank else ''}{_join(piece[9:-1].split(' ; '), part, bar, blank)})")
            elif piece:
                written.append(part(piece))
        found.append(blank.join(written))
    return bar.join(found)


def _gbnf_part(piece: str) -> str:
    return piece[1:-1] if piece.strip("<>") in LITERALS and piece[0] == "<" else _quoted(piece)


def _regex_part(piece: str) -> str:
    return LITERALS[piece[1:-1]] if piece.strip("<>") in LITERALS and piece[0] == "<" else re.escape(piece)


def _quoted(text: str) -> str:
    return orjson.dumps(text).decode()
