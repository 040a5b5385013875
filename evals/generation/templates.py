"""Fills RETURN templates by the values of the matched nodes, and writes raw questions, to be rephrased.

The choices are realistic: fewer than three different values are not sorted, a sort or a superlative has no tie, a
condition keeps some but not all values, and DISTINCT is used only if values repeat.
"""

from __future__ import annotations

import random
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import floor, log10
from typing import Any

from graphground.cypher.quoting import quoted_name, quoted_string
from graphground.evals.generation.shapes import PatternShape

WHOLE = frozenset(("n_order_by", "n_argmax", "n_prop_distinct", "n_prop_array_distinct"))
"""Templates for which the values of all matched nodes are needed,
because a null or a tie would make them unrealistic."""
ORDERED, NUMBERS = frozenset(("int", "float", "date")), frozenset(("int", "float"))


NEEDED = {
    "order": "a number or a date",
    "number": "a number",
    "category": "text",
    "list": "a list of texts",
    "any": "a number, a date or text",
    "filter": "a number, a date, text or a list of texts",
}
"""The types of the properties that a template may need, in words, keyed by its field `needs`."""


@dataclass(frozen=True, slots=True)
class Filled:
    """A filled template: the end of the query, and the question with `{match}` left open."""

    returns: str
    question: str
    key: str = ""


def keys_for(template: Mapping[str, Any], properties: Mapping[str, str], reserved: frozenset[str]) -> list[str]:
    """Return the properties that a template can use: `n_avg` takes numbers, `n_order_by` numbers and dates."""
    kinds = {
        "order": ORDERED,
        "number": NUMBERS,
        "category": frozenset(("str",)),
        "list": frozenset(("list[str]",)),
        "any": ORDERED | {"str"},
        "filter": ORDERED | {"str", "list[str]"},
    }[template["needs"]]
    return sorted(key for key, type_ in properties.items() if key != "name" and key not in reserved and type_ in kinds)


def fill(
    template: Mapping[str, Any],
    key: str,
    type_: str,
    values: Sequence[Any],
    rng: random.Random,
    *,
    complete: bool = True,
) -> Filled | None:
    """Fill a template for the values of a property in the matched nodes; None if the result would be unrealistic.

    If some nodes have no value, the template's variant `if_null` is filled instead, if the template has that variant.
    `complete` is False if `values` come from only some of the matched nodes.
    """
    if not complete and template["id"] in WHOLE:
        return None
    known = [value for value in values if value is not None]
    distinct = set(map(str, known))
    place, name = quoted_name(key) if key else "", words(key)
    form = template if len(known) == len(values) else template.get("if_null")
    sufficient = form is not None and len(known) >= len(values) / 2
    if "ORDER BY n.{p}" in template["return"] and "LIMIT 1" not in template["return"] and len(set(known)) < len(known):
        return None  # nodes with equal values have no order, so a right answer could differ from the gold answer
    changes = {"{p}": place, "{dir}": "", "{first}": "", "{last}": "", "{condition}": ""}
    spoken = ""
    match template["id"]:
        case "n_order_by" | "n_argmax":
            down = rng.random() < 0.5
            if not sufficient or len(distinct) < 3:
                return None
            best = max(known) if down else min(known)
            if template["id"] == "n_argmax" and sum(value == best for value in known) > 1:
                return None
            first, last = ("latest", "earliest") if type_ == "date" else ("highest", "lowest")
            changes |= {
                "{dir}": "DESC" if down else "ASC",
                "{first}": first if down else last,
                "{last}": last if down else first,
            }
        case "n_min" | "n_max" | "n_avg":
            if len(distinct) < 2:
                return None
        case "n_prop_distinct" | "n_prop_array_distinct":
            flat = [str(item) for value in known for item in (value if isinstance(value, list) else [value])]
            if not sufficient or not 2 <= len(set(flat)) < len(flat):
                return None
        case "n_name_prop" | "n_prop":
            if len(known) < max(1, len(values) / 2):
                return None
        case "n_where":
            found = condition(key, type_, values, rng)
            if found is None:
                return None
            changes["{condition}"], spoken = found
        case "n_count":
            if len(values) < 2:
                return None
    form = form or template
    returns, question = form["return"], form["question"]
    for mark, text in changes.items():
        returns = returns.replace(mark, text)
        question = question.replace(mark, name if mark == "{p}" else spoken if mark == "{condition}" else text)
    return Filled(returns, question, key)


def condition(key: str, type_: str, values: Sequence[Any], rng: random.Random) -> tuple[str, str] | None:
    """Return a condition for WHERE, and the condition in words.

    Return None if no condition was found that keeps some values and excludes others. A threshold is rounded. Nodes
    without a value fail every condition and do not count as excluded.
    """
    known = [value for value in values if value is not None]
    if len(known) < 2:
        return None
    name = f"n.{quoted_name(key)}"
    options: list[tuple[str, str, int]] = []
    if type_ in ORDERED:
        threshold = round_threshold(rng.choice(known), key, type_)
        literal = f"date('{threshold}')" if type_ == "date" else repr(threshold)
        after, before = ("is after", "is before") if type_ == "date" else ("is greater than", "is less than")
        options = [
            (f"{name} > {literal}", f"{after} {threshold}", sum(value > threshold for value in known)),
            (f"{name} < {literal}", f"{before} {threshold}", sum(value < threshold for value in known)),
        ]
    elif type_ == "str":
        value = rng.choice(known)
        options = [
            (f"{name} = {quoted_string(value)}", f"is {value}", known.count(value)),
            (f"{name} <> {quoted_string(value)}", f"is not {value}", len(known) - known.count(value)),
        ]
    elif any(known):
        value = rng.choice(sorted({item for items in known for item in items}))
        matching = sum(value in items for items in known)
        options = [(f"{quoted_string(value)} IN {name}", f"include {value}", matching)]
        if len(known) == len(values):
            options.append((f"NOT {quoted_string(value)} IN {name}", f"do not include {value}", len(known) - matching))
    possible = [(text, spoken) for text, spoken, matching in options if 0 < matching < len(known)]
    return rng.choice(possible) if possible else None


def round_threshold(value: Any, key: str, type_: str) -> Any:
    """Round a threshold: a number to two digits, a date to the first day of its year; a year stays unchanged.

    >>> round_threshold(18734, "population", "int"), round_threshold("1987-05-17", "launch", "date")
    (19000, '1987-01-01')
    """
    if type_ == "date":
        return f"{str(value).rpartition('-')[0].rpartition('-')[0]}-01-01"
    if "year" in key or not value:
        return value
    digits = 1 - floor(log10(abs(value)))
    return int(round(value, digits)) if type_ == "int" else round(float(value), digits)


def bucket(rows: int) -> int:
    """Return the length class of an answer: 0 for at most one row, 1 up to ten, 2 up to a hundred, 3 beyond."""
    return 0 if rows <= 1 else 1 if rows <= 10 else 2 if rows <= 100 else 3


def words(name: str) -> str:
    """Return a name of the schema in lower-case words: `hasCastMember` becomes `has cast member`.

    >>> words("partOfDivision"), words("runtime_minute")
    ('part of division', 'runtime minute')
    """
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", name).replace("_", " ").lower().strip()


def plural(text: str) -> str:
    """Return the English plural of a noun: `movies` for `movie`, `countries` for `country`.

    >>> plural("country"), plural("movie"), plural("award class")
    ('countries', 'movies', 'award classes')
    """
    if re.search(r"[^aeiou]y$", text):
        return text[:-1] + "ies"
    return text + ("es" if re.search(r"(s|x|ch|sh)$", text) else "s")


def match_words(question: str, shape: PatternShape, names: Mapping[str, str], time: str = "") -> str:
    """Describe the nodes that a pattern matches, in words: `movies with "directed by" the person Michael Mann`."""

    def slot(found: re.Match[str]) -> str:
        parts = found.group(1).split()
        if parts == ["time"]:
            return time
        if len(parts) == 1:
            return _node(shape, parts[0], names)
        _, link, right = parts
        facts, out = shape.links[link]
        relation = words(facts.pattern.type)
        other = _node(shape, right, names)
        return f'with "{relation}" {other}' if out else f'that are "{relation}" of {other}'

    return re.sub(r"\{([^{}]+)\}", slot, question)


def _node(shape: PatternShape, node: str, names: Mapping[str, str]) -> str:
    label = words(shape.labels[node])
    return f"the {label} {names[node]}" if node in names else plural(label)
