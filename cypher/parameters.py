"""Finds the parameters that a query uses, and those that have no value.

>>> from graphground.cypher import parse
>>> query = parse("MATCH (t:Team {name: $team}) WHERE t.founded > $year RETURN t.name")
>>> parameter_names(query)
['team', 'year']
>>> [(found.code, found.found, found.column) for found in missing_parameters(query, {"year": 1950})]
[('missing_parameter', '$team', 22)]
"""

from __future__ import annotations

from collections.abc import Collection

from graphground.cypher.diagnostics import Diagnostic
from graphground.cypher.names.nearest import closest
from graphground.cypher.tree import Parameter, Query

CODE = "missing_parameter"


def parameter_names(query: Query) -> list[str]:
    """Return the names of a query's parameters, each once, in the order of the text."""
    return list(_first_places(query))


def missing_parameters(query: Query, given: Collection[str]) -> list[Diagnostic]:
    """Return an error for each parameter without a value, at the first use of that parameter.

    If a value with a similar name is given but unused, its name is suggested.
    """
    places = _first_places(query)
    unused = [name for name in given if name not in places]
    return [_missing(query, parameter, unused) for name, parameter in places.items() if name not in given]


def _missing(query: Query, parameter: Parameter, unused: Collection[str]) -> Diagnostic:
    near = closest(parameter.name, unused, limit=1)
    written = query.source(parameter)
    if near and near[0] == f"${parameter.name}":
        hint = f": give it as {parameter.name!r}, without the $"
    else:
        hint = f"; the call does give {near[0]!r}, which the query does not use" if near else ""
    return Diagnostic(
        CODE,
        "error",
        f"The query uses {written}, but the call gives no such parameter{hint}.",
        *query.position(parameter.start),
        *query.position(parameter.end),
        found=written,
        suggestions=[f"${name}" for name in near if not name.startswith("$")],
    )


def _first_places(query: Query) -> dict[str, Parameter]:
    """Return the first use of each parameter, keyed by its name."""
    if "$" not in query.text:
        return {}
    places: dict[str, Parameter] = {}
    for parameter in query.find(Parameter):
        places.setdefault(parameter.name, parameter)
    return places
