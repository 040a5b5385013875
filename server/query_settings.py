"""Reads the `[queries.NAME]` tables of a settings file: the owner's queries, each of which becomes a tool."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import MISSING, fields
from pathlib import Path
from typing import Any, get_args

from pydantic import ValidationError
from pydantic_core import SchemaError

from graphground.cypher.names.nearest import closest
from graphground.server.settings_error import SettingsError
from graphground.tools import NAMES
from graphground.tools.execute_cypher import LONGEST_QUERY
from graphground.tools.own_queries.definition import OwnParameter, OwnQuery, ParameterType
from graphground.tools.own_queries.request import check_parameter

TOOL_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,47}")
PARAMETER_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]*")
TYPES = get_args(ParameterType)
NUMBERS = ("minimum", "maximum")
COUNTS = ("min_length", "max_length")
BOUNDS = {
    "string": ("enum", "pattern", *COUNTS),
    "date": ("enum",),
    "integer": ("enum", *NUMBERS),
    "number": NUMBERS,
    "boolean": (),
    "array": ("items", *COUNTS),
}
"""The keys that a parameter of each type may have, besides the common keys."""
MOST_ROWS, MOST_SECONDS, MOST_DESCRIPTION = 100_000, 600, 1_000


def read_queries(tables: Any, file: Path) -> tuple[OwnQuery, ...]:
    """Return the queries of a settings file, in the order of the file.

    Raises:
        SettingsError: a table, a key or a value is invalid; the message says what is wrong.
    """
    if not isinstance(tables, dict):
        raise SettingsError(f"{file}: write each query as a table [queries.NAME]")
    queries: dict[str, OwnQuery] = {}
    for name, table in tables.items():
        place = f"{file}: [queries.{name}]"
        _check_name(name, place, queries)
        queries[name.casefold()] = _query(name, table, place)
    return tuple(queries.values())


def _check_name(name: str, place: str, known: Mapping[str, OwnQuery]) -> None:
    if not TOOL_NAME.fullmatch(name):
        raise SettingsError(
            f"{place}: {name!r} cannot be the name of a tool; use up to 48 letters, digits, _ and -, starting with a "
            f"letter"
        )
    if name.casefold() in NAMES:
        raise SettingsError(f"{place}: {name!r} is the name of a tool of graphground; choose another name")
    if name.casefold() in known:
        raise SettingsError(f"{place}: there is a query {known[name.casefold()].name!r} already; choose another name")


def _query(name: str, table: Any, place: str) -> OwnQuery:
    entries = _entries(table, OwnQuery, ("name", "place"), place)
    for key in ("cypher", "description"):
        if not str(entries.get(key, "")).strip():
            raise SettingsError(f"{place} needs the key {key!r}")
    for key in ("cypher", "description", "graph", "title"):
        _check_type(entries, key, str, "text", place)
    if len(entries["cypher"]) > LONGEST_QUERY or len(entries["description"]) > MOST_DESCRIPTION:
        raise SettingsError(
            f"{place}: cypher may have at most {LONGEST_QUERY:,} characters, description {MOST_DESCRIPTION:,}"
        )
    _check_bounds(entries, "limit", int, MOST_ROWS, place)
    _check_bounds(entries, "timeout_s", (int, float), MOST_SECONDS, place)
    parameters = entries.pop("parameters", {})
    if not isinstance(parameters, dict):
        raise SettingsError(f"{place}: write each parameter as a table [queries.{name}.parameters.PARAMETER]")
    return OwnQuery(
        name,
        place=place,
        parameters=tuple(
            _parameter(parameter, inner, f"{place[:-1]}.parameters.{parameter}]")
            for parameter, inner in parameters.items()
        ),
        **entries,
    )


def _parameter(name: str, table: Any, place: str) -> OwnParameter:
    if not PARAMETER_NAME.fullmatch(name):
        raise SettingsError(f"{place}: a parameter's name consists of letters, digits and _, starting with a letter")
    entries = _entries(table, OwnParameter, ("name",), place)
    for key in ("type", "description"):
        if key not in entries:
            raise SettingsError(f"{place} needs the key {key!r}")
        _check_type(entries, key, str, "text", place)
    for key in ("type", "items"):
        allowed = TYPES if key == "type" else TYPES[:-1]
        if key in entries and entries[key] not in allowed:
            nearest = closest(str(entries[key]), allowed, limit=1)
            hint = f"; did you mean {nearest[0]!r}?" if nearest else ""
            raise SettingsError(f"{place}: {key} must be one of {', '.join(allowed)}, not {entries[key]!r}{hint}")
    for key in {"enum", "pattern", "items", *NUMBERS, *COUNTS} & entries.keys() - set(BOUNDS[entries["type"]]):
        raise SettingsError(f"{place}: {key} is not allowed for the type {entries['type']}")
    for key in NUMBERS:
        _check_type(entries, key, (int, float), "a number", place)
    for key in COUNTS:
        _check_type(entries, key, int, "a whole number", place)
    _check_type(entries, "required", bool, "true or false", place)
    _check_type(entries, "pattern", str, "a regular expression", place)
    if "enum" in entries:
        if not isinstance(entries["enum"], list) or not entries["enum"]:
            raise SettingsError(f"{place}: enum must be a list of values")
        entries["enum"] = tuple(entries["enum"])
    if "default" in entries:
        if entries.get("required"):
            raise SettingsError(f"{place}: a parameter with a default cannot be required")
        entries["required"] = False
    parameter = OwnParameter(name, **entries)
    try:
        check_parameter(parameter)
    except (ValueError, TypeError, SchemaError) as error:
        reason = error.errors()[0]["msg"] if isinstance(error, ValidationError) else " ".join(str(error).split())
        raise SettingsError(f"{place}: the default, the pattern or the bounds cannot be used: {reason}") from None
    wrong = [value for value in parameter.enum if not _of_type(value, parameter.type)]
    if wrong:
        raise SettingsError(f"{place}: {wrong[0]!r} in enum is not of type {parameter.type}")
    return parameter


def _of_type(value: Any, name: str) -> bool:
    if name in ("string", "date"):
        return isinstance(value, str)
    if name == "boolean":
        return isinstance(value, bool)
    return isinstance(value, int) and not isinstance(value, bool)


def _entries(table: Any, kind: Any, left_out: tuple[str, ...], place: str) -> dict[str, Any]:
    """Return a table as a dictionary; raise an error for a key that is not a field of `kind`, or is in `left_out`."""
    if not isinstance(table, dict):
        raise SettingsError(f"{place} must be a table")
    known = [field.name for field in fields(kind) if field.name not in left_out]
    for key in table:
        if key not in known:
            nearest = closest(key, known, limit=1)
            raise SettingsError(
                f"{place} has no setting {key!r}"
                + (f"; did you mean {nearest[0]!r}?" if nearest else f"; there are: {', '.join(known)}")
            )
    return dict(table)


def _check_type(entries: Mapping[str, Any], key: str, kind: Any, words: str, place: str) -> None:
    value = entries.get(key, MISSING)
    if value is not MISSING and (not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool)):
        raise SettingsError(f"{place}: {key} must be {words}, not {value!r}")


def _check_bounds(entries: Mapping[str, Any], key: str, kind: Any, most: int, place: str) -> None:
    _check_type(entries, key, kind, "a whole number" if kind is int else "a number", place)
    if key in entries and not 0 < entries[key] <= most:
        raise SettingsError(f"{place}: {key} must be more than 0 and at most {most:,}, not {entries[key]}")
