"""The types of literals in a query, and conversions of a literal to another type."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import date, datetime
from typing import Any

from graphground.cypher import tree as t
from graphground.cypher.quoting import quoted_string

NUMBERS = frozenset({"int", "float"})
ISO_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")
ISO_TIME = re.compile(r"(\d{4}-\d{2}-\d{2})T[\d:.]+(Z|[+-]\d{2}:?\d{2})?")
YEAR = re.compile(r"\d{4}")
NUMBER = re.compile(r"-?\d+(\.\d+)?")
_FUNCTIONS = {
    "date": "date",
    "datetime": "datetime",
    "localdatetime": "datetime",
    "tointeger": "int",
    "tofloat": "float",
    "tostring": "str",
    "tolower": "str",
    "toupper": "str",
    "lower": "str",
    "upper": "str",
    "trim": "str",
}
_PYTHON = {str: "str", bool: "bool", int: "int", float: "float", date: "date", datetime: "datetime"}


def literal_type(node: t.Node, parameters: Mapping[str, Any]) -> str | None:
    """Return the schema's name for a literal's type, or None if the type is uncertain.

    `1999` is an int, `date('1999-01-01')` a date, `['a', 'b']` a `list[str]`; `$name` has the type of its value.
    """
    kind = type(node)
    if kind is t.StringLiteral:
        return "str"
    if kind is t.IntegerLiteral:
        return "int"
    if kind is t.FloatLiteral:
        return "float"
    if kind is t.BooleanLiteral:
        return "bool"
    if isinstance(node, t.Unary) and node.operator in "+-":
        return literal_type(node.operand, parameters)
    if isinstance(node, t.ListLiteral):
        inner = {literal_type(item, parameters) for item in node.items}
        return f"list[{inner.pop()}]" if len(inner) == 1 and None not in inner else None
    if isinstance(node, t.Parameter) and node.name in parameters:
        return _python_type(parameters[node.name])
    if isinstance(node, t.FunctionCall):
        return _FUNCTIONS.get(node.key)
    return None


def _python_type(value: Any) -> str | None:
    if isinstance(value, list | tuple):
        inner = {_python_type(item) for item in value}
        return f"list[{inner.pop()}]" if len(inner) == 1 and None not in inner else None
    return _PYTHON.get(type(value))


def comparable(first: str, second: str) -> bool:
    """Return whether values of two scalar types can be equal: `comparable("int", "float")` is True."""
    return first == second or (first in NUMBERS and second in NUMBERS)


def retyped(node: t.Expression, wanted: str, operator: str) -> str:
    """Return the literal converted to the wanted type, ready to paste, or an empty string if the conversion is unclear.

    `'1999-01-01'` as a date is `date('1999-01-01')`, `'12'` as an int is `12`, `1999` as a date after `>=` is
    `date('1999-01-01')`.
    """
    if isinstance(node, t.StringLiteral):
        return _string_as(node.value.strip(), wanted, operator)
    if isinstance(node, t.IntegerLiteral):
        if wanted == "str":
            return quoted_string(str(node.value))
        if wanted == "date" and 1000 <= node.value <= 9999:
            return _year_as_date(str(node.value), operator)
        if wanted == "bool" and node.value in (0, 1):
            return "true" if node.value else "false"
        return ""
    if isinstance(node, t.FloatLiteral) and wanted == "str":
        return quoted_string(str(node.value))
    if isinstance(node, t.FunctionCall) and len(node.arguments) == 1 and isinstance(node.arguments[0], t.StringLiteral):
        text = node.arguments[0].value
        if node.key in ("date", "datetime", "localdatetime"):
            if wanted in NUMBERS and ISO_DATE.match(text):
                return str(int(text[:4]))
            if wanted == "str":
                return quoted_string(text)
            if wanted == "date" and ISO_DATE.match(text):
                return f"date({quoted_string(text[:10])})"
            if wanted == "datetime" and ISO_DATE.fullmatch(text):
                return f"datetime({quoted_string(text)})"
    return ""


def _string_as(text: str, type_: str, operator: str) -> str:
    if type_ in NUMBERS:
        if NUMBER.fullmatch(text) and (type_ == "float" or "." not in text):
            return text
        return str(int(text[:4])) if type_ == "int" and ISO_DATE.fullmatch(text) else ""
    if type_ == "date":
        if ISO_DATE.fullmatch(text):
            return f"date({quoted_string(text)})"
        time = ISO_TIME.fullmatch(text)
        if time:
            return f"date({quoted_string(time[1])})"
        return _year_as_date(text, operator) if YEAR.fullmatch(text) else ""
    if type_ == "datetime" and (ISO_DATE.fullmatch(text) or ISO_TIME.fullmatch(text)):
        return f"datetime({quoted_string(text)})"
    if type_ == "bool" and text.lower() in ("true", "false"):
        return text.lower()
    return ""


def _year_as_date(year: str, operator: str) -> str:
    if operator in ("<", ">="):
        return f"date('{year}-01-01')"
    if operator in (">", "<="):
        return f"date('{year}-12-31')"
    return ""
