"""The request model of an owner's query; clients see its JSON Schema, and the arguments are checked against it."""

from __future__ import annotations

from datetime import date
from types import GenericAlias
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field, TypeAdapter, WithJsonSchema, create_model

from graphground.tools.own_queries.definition import OwnParameter, OwnQuery
from graphground.tools.tool import Request


def _checked_date(text: str) -> str:
    try:
        date.fromisoformat(text)
    except ValueError:
        raise ValueError(f"must be a date such as 2000-01-31, not {text!r}") from None
    return text


TYPES: dict[str, Any] = {
    "string": str,
    "integer": int,
    "number": float,
    "boolean": bool,
    "date": Annotated[str, AfterValidator(_checked_date), WithJsonSchema({"type": "string", "format": "date"})],
}
SAMPLES: dict[str, Any] = {"string": "", "integer": 1, "number": 1.5, "boolean": True, "date": "2000-01-01"}
"""A sample value for each type except `array`; queries are checked with these values before any call."""


def request_model(own: OwnQuery) -> type[Request]:
    """Return a model with one field for each parameter, whose alias is the parameter's name.

    >>> model = request_model(OwnQuery("roster", "…", "…", parameters=(OwnParameter("team", "string", "A team."),)))
    >>> given_values(model.model_validate({"team": "Chicago Bulls"}))
    {'team': 'Chicago Bulls'}
    """
    fields: dict[str, Any] = {}
    for number, parameter in enumerate(own.parameters):
        annotation = annotation_of(parameter)
        if not parameter.required and parameter.default is None:
            annotation = annotation | None
        default = ... if parameter.required else parameter.default
        # Names such as `schema` or `copy` are methods of pydantic models, so parameter names are used only as aliases.
        fields[f"parameter_{number}"] = (
            annotation,
            Field(default, alias=parameter.name, description=parameter.description),
        )
    model: type[Request] = create_model(f"{own.name}_request", __base__=Request, **fields)
    return model


def annotation_of(parameter: OwnParameter) -> Any:
    """Return the type of a parameter with its bounds, as pydantic expects it."""
    if parameter.enum:
        return Literal[parameter.enum]
    if parameter.type == "array":
        return Annotated[
            GenericAlias(list, (TYPES[parameter.items],)),
            Field(min_length=parameter.min_length, max_length=parameter.max_length),
        ]
    bounds: dict[str, Any] = {
        "ge": parameter.minimum,
        "le": parameter.maximum,
        "min_length": parameter.min_length,
        "max_length": parameter.max_length,
        "pattern": parameter.pattern,
    }
    return Annotated[
        TYPES[parameter.type], Field(**{name: bound for name, bound in bounds.items() if bound is not None})
    ]


def check_parameter(parameter: OwnParameter) -> None:
    """Refuse bounds that do not apply to the type, and an invalid default.

    Raises:
        ValueError, TypeError, SchemaError: the default or a bound is invalid; the message is pydantic's.
    """
    adapter: TypeAdapter[Any] = TypeAdapter(annotation_of(parameter))
    if parameter.default is not None:
        adapter.validate_python(parameter.default, strict=True)


def given_values(request: Request) -> dict[str, Any]:
    """Return the values of all parameters of the query, by name."""
    return request.model_dump(by_alias=True)


def sample_values(own: OwnQuery) -> dict[str, Any]:
    """Return a sample value for each parameter, so that the types in a query can be checked."""
    return {parameter.name: _sample(parameter) for parameter in own.parameters}


def _sample(parameter: OwnParameter) -> Any:
    if parameter.enum:
        return parameter.enum[0]
    return [SAMPLES[parameter.items]] if parameter.type == "array" else SAMPLES[parameter.type]
