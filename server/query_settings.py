"""Reads the `[queries.NAME]` tables of a settings file: the owner's queries, each of which becomes a tool."""

from __future__ import annotations

import re
from dataclasses import fields
from pathlib import Path
from typing import Any, TypeVar

from pydantic import ValidationError
from pydantic_core import SchemaError

from graphground.cypher.names.nearest import did_you_mean
from graphground.server.application import explain_value
from graphground.server.settings import SettingsError, name_nearest
from graphground.tools import NAMES
from graphground.tools.owner_queries import OwnParameter, OwnQuery, check_parameter

TOOL_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,47}")
PARAMETER_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]*")
KindT = TypeVar("KindT", OwnQuery, OwnParameter)


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
        if not TOOL_NAME.fullmatch(name):
            raise SettingsError(
                f"{place}: {name!r} cannot be the name of a tool; use up to 48 letters, digits, _ and -, starting with a "
                f"letter"
            )
        if name.casefold() in NAMES:
            raise SettingsError(f"{place}: {name!r} is the name of a tool of graphground; choose another name")
        if known := queries.get(name.casefold()):
            raise SettingsError(f"{place}: there is a query {known.name!r} already; choose another name")
        entries = dict(_require_table(table, place))
        parameters = entries.pop("parameters", {})
        if not isinstance(parameters, dict):
            raise SettingsError(f"{place}: write each parameter as a table [queries.{name}.parameters.PARAMETER]")
        entries["parameters"] = tuple(
            _read_parameter(parameter, inner, f"{place[:-1]}.parameters.{parameter}]")
            for parameter, inner in parameters.items()
        )
        queries[name.casefold()] = _build(OwnQuery, {"name": name, "place": place, **entries}, place)
    return tuple(queries.values())


def _read_parameter(name: str, table: Any, place: str) -> OwnParameter:
    if not PARAMETER_NAME.fullmatch(name):
        raise SettingsError(f"{place}: a parameter's name consists of letters, digits and _, starting with a letter")
    entries = dict(_require_table(table, place))
    if "default" in entries:
        if entries.get("required"):
            raise SettingsError(f"{place}: a parameter with a default cannot be required")
        entries["required"] = False
    parameter = _build(OwnParameter, {"name": name, **entries}, place)
    try:
        check_parameter(parameter, list(entries))
    except (ValueError, TypeError, SchemaError) as error:
        reason = error.errors()[0]["msg"] if isinstance(error, ValidationError) else " ".join(str(error).split())
        raise SettingsError(f"{place}: the default, the pattern or the bounds cannot be used: {reason}") from None
    return parameter


def _require_table(table: Any, place: str) -> dict[str, Any]:
    if not isinstance(table, dict):
        raise SettingsError(f"{place} must be a table")
    for key in ("name", "place") if "type" not in table else ("name",):
        if key in table:
            raise SettingsError(f"{place} has no setting {key!r}")
    return table


def _build(kind: type[KindT], entries: dict[str, Any], place: str) -> KindT:
    """Return a definition made of the entries of a table.

    Raises:
        SettingsError: a key is missing or unknown, or a value has the wrong type or is out of bounds.
    """
    try:
        return kind(**entries)
    except ValidationError as error:
        problem = error.errors(include_url=False)[0]
    key = str(problem["loc"][0])
    if problem["type"] == "missing":
        raise SettingsError(f"{place} needs the key {key!r}")
    if problem["type"] == "unexpected_keyword_argument":
        known = [field.name for field in fields(kind) if field.name not in ("name", "place")]
        raise SettingsError(f"{place} has no setting {key!r}{name_nearest(key, known)}")
    message, allowed = explain_value(problem)
    hint = did_you_mean(str(problem["input"]), allowed) if problem["type"] == "literal_error" else ""
    raise SettingsError(f"{place}: {message}{hint}")
