"""Fills RETURN templates with a property, an order or a condition, chosen by the values of the matched nodes.

The choices are realistic: fewer than three different values are not sorted, a superlative has no tie, a condition keeps
some but not all values, and DISTINCT is used only if values repeat.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import floor, log10
from typing import Any

from graphground.cypher.quoting import quoted_name, quoted_string
from graphground.evals.generation.words import words

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
        threshold = rounded(rng.choice(known), key, type_)
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


def rounded(value: Any, key: str, type_: str) -> Any:
    """Round a threshold: a number to two digits, a date to the first day of its year; a year stays unchanged.

    >>> rounded(18734, "population", "int"), rounded(1987, "launch_year", "int"), rounded("1987-05-17", "d", "date")
    (19000, 1987, '1987-01-01')
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
