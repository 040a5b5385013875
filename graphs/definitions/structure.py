"""Converts parsed documents to dataclasses, and generates the JSON Schema of these classes.

Every value that does not fit its field is reported:

    structured(Link, {"property": "P118", "item": "Q5x"})
    →  None, [Misfit(("item",), "must look like 'Q5', not 'Q5x'")]

A field is a string (with or without a pattern), a literal, a boolean, a dataclass, or a list, map or union of these.
pydantic can do as much, but takes longer to load than a small graph takes to build.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Sequence
from enum import Enum
from functools import cache
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, NamedTuple, TypeVar, Union, get_args, get_origin, get_type_hints

from graphground.cypher.wording import either

Place = tuple[str | int, ...]
Near = Callable[[str, Sequence[str]], str | None]
P = TypeVar("P")


class Marker(Enum):
    """A condition on a field besides its type: `Annotated[list[str], "description for the JSON Schema", NOT_EMPTY]`."""

    NOT_EMPTY = "not empty"


NOT_EMPTY = Marker.NOT_EMPTY


@dataclasses.dataclass(frozen=True, slots=True)
class Text:
    """The required form of a string: `Annotated[str, Text(r"^Q[1-9]\\d*$", "Q5")]` accepts `Q5` and the like."""

    pattern: str
    example: str = ""
    longest: int | None = None

    def fits(self, text: str) -> bool:
        """Whether a string matches the pattern; its length is not checked."""
        return _compiled(self.pattern).fullmatch(text) is not None

    def problem(self, text: str) -> str:
        """Return the message for a string that does not match the pattern."""
        if self.example:
            return f"must look like {self.example!r}, not {text!r}"
        return f"{text!r} cannot be used: letters, digits and '_' only, not beginning with a digit"


class Misfit(NamedTuple):
    """A value that does not fit, with its place in the document and the reason.

    Misfit(("nodes", "Movie", "wikidata"), "must look like 'Q5', not '11424'")
    """

    place: Place
    message: str
    is_vague: bool = False
    """Whether the whole value is of the wrong kind: not text, not a list, not a table, or not an allowed literal.

    If a value fits no type of a union, the misfits of only one type are reported. It is the first type for which the
    first misfit is not vague; if there is none, the first type.
    """


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.ASCII)


def _form(type_: Any) -> Text | None:
    return next((form for form in type_.__metadata__ if isinstance(form, Text)), None)


_known_types: dict[type[Any], dict[str, Any]] = {}


def _types(model: type[Any]) -> dict[str, Any]:
    if model not in _known_types:
        _known_types[model] = get_type_hints(model, include_extras=True)
    return _known_types[model]


def field_names(model: type) -> list[str]:
    """Return the names of a dataclass's fields."""
    return [field.name for field in dataclasses.fields(model)]


def structured(model: type[P], document: Any, near: Near) -> tuple[P | None, list[Misfit]]:
    """Return the instance of `model` that a document describes, and the misfits; the instance is None if there are any.

    `near(name, known)` returns the most similar of the known names, or None; messages suggest it as a correction.
    """
    misfits: list[Misfit] = []
    instance = _Structuring(near, misfits).part(model, document, ())
    return (None if misfits else instance), misfits


class _Structuring:
    def __init__(self, near: Near, misfits: list[Misfit]) -> None:
        self._near, self._misfits = near, misfits

    def _report(self, place: Place, message: str, *, vague: bool = False) -> None:
        self._misfits.append(Misfit(place, message, vague))

    def part(self, model: type[Any], document: Any, place: Place) -> Any:
        """Return an instance of the dataclass `model`; if the document does not fit, report why and return None."""
        if not isinstance(document, dict):
            return self._report(place, f"must be a table, not {document!r}", vague=True)
        before, values = len(self._misfits), {}
        types = _types(model)
        for field in dataclasses.fields(model):
            if field.name in document:
                value = document[field.name]
                values[field.name] = self.value(types[field.name], value, (*place, field.name))
            elif field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING:
                self._report(place, f"{field.name!r} is missing")
        for key in document.keys() - types.keys():
            known = field_names(model)
            suggestion = self._near(key, known)
            self._report(
                (*place, key),
                "is not a known key; "
                + (f"did you mean {suggestion!r}?" if suggestion else f"known keys: {', '.join(known)}"),
            )
        return model(**values) if len(self._misfits) == before else None

    def value(self, type_: Any, value: Any, place: Place) -> Any:
        """Return a value converted to a type; report a value that does not fit."""
        origin = get_origin(type_)
        if origin is Annotated:
            if NOT_EMPTY in type_.__metadata__ and value in ([], {}):
                return self._report(place, "must not be empty")
            form = _form(type_)
            return self.value(type_.__origin__, value, place) if form is None else self._text(value, place, form)
        if type_ is str:
            return self._text(value, place, None)
        if type_ is bool:
            if not isinstance(value, bool):
                self._report(place, f"must be true or false, not {value!r}")
            return value
        if origin is Literal:
            return self._literal(get_args(type_), value, place)
        if origin is list:
            return self._list(type_, value, place)
        if origin is dict:
            return self._dict(type_, value, place)
        if origin in (Union, UnionType):
            return self._union([form for form in get_args(type_) if form is not NoneType], value, place)
        return self.part(type_, value, place)

    def _text(self, value: Any, place: Place, form: Text | None) -> Any:
        if not isinstance(value, str):
            self._report(place, f"must be text, not {value!r}", vague=True)
        elif form is not None and form.longest is not None and len(value) > form.longest:
            self._report(place, f"has more than {form.longest} characters")
        elif form is not None and not form.fits(value):
            self._report(place, form.problem(value))
        return value

    def _literal(self, allowed: Sequence[str], value: Any, place: Place) -> Any:
        if value not in allowed:
            suggestion = self._near(value, allowed) if isinstance(value, str) else None
            self._report(
                place,
                f"{value!r} is not allowed; it must be {either(list(map(repr, allowed)), len(allowed))}"
                + (f"; did you mean {suggestion!r}?" if suggestion else ""),
                vague=True,
            )
        return value

    def _list(self, type_: Any, value: Any, place: Place) -> Any:
        if not isinstance(value, list):
            return self._report(place, f"must be a list, not {value!r}", vague=True)
        (kind,) = get_args(type_)
        return [self.value(kind, entry, (*place, number)) for number, entry in enumerate(value)]

    def _dict(self, type_: Any, value: Any, place: Place) -> Any:
        if not isinstance(value, dict):
            return self._report(place, f"must be a table, not {value!r}", vague=True)
        name, kind = get_args(type_)
        for key in value:
            self.value(name, key, (*place, key))
        return {key: self.value(kind, entry, (*place, key)) for key, entry in value.items()}

    def _union(self, forms: Sequence[Any], value: Any, place: Place) -> Any:
        """Return a value converted to the first of several types that it fits.

        If it fits none, return None, and report its misfits for one of the types (see `Misfit.is_vague`).
        """
        tried: list[list[Misfit]] = []
        for form in forms:
            misfits: list[Misfit] = []
            found = _Structuring(self._near, misfits).value(form, value, place)
            if not misfits:
                return found
            tried.append(misfits)
        self._misfits.extend(next((misfits for misfits in tried if not misfits[0].is_vague), tried[0]))
        return None


def json_schema(model: type) -> dict[str, Any]:
    """Return the JSON Schema of a dataclass and of the dataclasses in its fields."""
    definitions: dict[str, Any] = {}
    schema = _part_schema(model, definitions)
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", "$defs": definitions, **schema}


def _part_schema(model: Any, definitions: dict[str, Any]) -> dict[str, Any]:
    types, properties, required = _types(model), {}, []
    for field in dataclasses.fields(model):
        schema = _schema(types[field.name], definitions)
        if field.default not in (dataclasses.MISSING, None):
            schema["default"] = field.default
        if field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING:
            required.append(field.name)
        properties[field.name] = schema
    return {
        "type": "object",
        "description": (model.__doc__ or "").replace("\n    ", "\n").strip(),
        "additionalProperties": False,
        "properties": properties,
        **({"required": required} if required else {}),
    }


def _schema(type_: Any, definitions: dict[str, Any]) -> dict[str, Any]:
    origin, arguments = get_origin(type_), get_args(type_)
    if origin is Annotated:
        schema = _schema(type_.__origin__, definitions)
        form = _form(type_)
        if form is not None:
            schema |= {"pattern": form.pattern, **({} if form.longest is None else {"maxLength": form.longest})}
        if NOT_EMPTY in type_.__metadata__:
            schema["minItems" if schema["type"] == "array" else "minProperties"] = 1
        description = next((text for text in type_.__metadata__ if isinstance(text, str)), None)
        return schema if description is None else {**schema, "description": description}
    if type_ in (str, bool):
        return {"type": "string" if type_ is str else "boolean"}
    if origin is Literal:
        return {"enum": list(arguments)}
    if origin is list:
        return {"type": "array", "items": _schema(arguments[0], definitions)}
    if origin is dict:
        return {
            "type": "object",
            "propertyNames": _schema(arguments[0], definitions),
            "additionalProperties": _schema(arguments[1], definitions),
        }
    if origin in (Union, UnionType):
        forms = [_schema(form, definitions) for form in arguments if form is not NoneType]
        return forms[0] if len(forms) == 1 else {"anyOf": forms}
    if type_.__name__ not in definitions:
        definitions[type_.__name__] = _part_schema(type_, definitions)
    return {"$ref": f"#/$defs/{type_.__name__}"}
