"""Converts a driver's values to plain JSON values.

A node becomes `{"id": "4:…:7", "labels": ["Movie"], "properties": {"name": "Heat"}}`, a relationship
`{"id": …, "type": "directedBy", "start": …, "end": …, "properties": {…}}`, a path
`{"nodes": […], "relationships": […]}`, a date `"1995-12-15"`, a duration `"P1Y2M"`, a point
`{"srid": 4326, "x": 2.35, "y": 48.85}`; a float that JSON cannot represent becomes the text `"NaN"`, `"Infinity"` or
`"-Infinity"`.
"""

from __future__ import annotations

import base64
import datetime
from collections.abc import Callable, Collection, Iterable, Sequence
from itertools import chain
from math import isfinite
from typing import Any

from neo4j.graph import Node, Path, Relationship
from neo4j.spatial import CartesianPoint, Point, WGS84Point
from neo4j.time import Date, DateTime, Duration, Time

from graphground.graphs.engines.temporal import (
    iso_clock,
    iso_date,
    iso_in_zone,
    iso_structure,
    read_datetime,
    read_time,
    write_offset,
)

EPOCH = datetime.date(1970, 1, 1).toordinal()
AS_THEY_ARE: frozenset[type] = frozenset({str, int, bool, type(None)})


def plain_rows(records: Sequence[tuple[Any, ...]]) -> list[list[Any]]:
    """Return the records with plain values. Columns whose values are plain already are copied without conversion."""
    if not records:
        return []
    columns: list[Iterable[Any]] = []
    changed = False
    for column in zip(*map(tuple.__iter__, records), strict=True):
        converted = plain_column(column)
        changed = changed or converted is not column
        columns.append(converted)
    if not changed:
        return list(map(list, map(tuple.__iter__, records)))
    return [list(row) for row in zip(*columns, strict=True)]


def plain_column(column: tuple[Any, ...]) -> Sequence[Any]:
    """Return the column itself if a quick test finds all its values plain, else a converted copy."""
    types = set(map(type, column))
    if types <= AS_THEY_ARE:
        return column
    if types == {float} and all(map(isfinite, column)):
        return column
    if types == {list} and set(map(type, chain.from_iterable(column))) <= AS_THEY_ARE:
        return column
    if len(types) == 1:
        convert = converter_of(next(iter(types)))
        return [convert(value) for value in column]
    return [plain(value) for value in column]


def plain(value: Any) -> Any:
    """Convert one value and all values that it contains."""
    type_ = type(value)
    return value if type_ in AS_THEY_ARE else converter_of(type_)(value)


def _plain_list(values: Collection[Any]) -> list[Any]:
    return list(values) if set(map(type, values)) <= AS_THEY_ARE else [plain(value) for value in values]


def _plain_map(values: dict[str, Any]) -> dict[str, Any]:
    return {key: plain(value) for key, value in values.items()}


def _plain_float(value: float) -> float | str:
    if isfinite(value):
        return value
    return "NaN" if value != value else ("Infinity" if value > 0 else "-Infinity")


def _plain_node(node: Node) -> dict[str, Any]:
    return {"id": node.element_id, "labels": sorted(node.labels), "properties": _plain_map(dict(node.items()))}


def _plain_relationship(edge: Relationship) -> dict[str, Any]:
    start, end = edge.nodes
    return {
        "id": edge.element_id,
        "type": edge.type,
        "start": None if start is None else start.element_id,
        "end": None if end is None else end.element_id,
        "properties": _plain_map(dict(edge.items())),
    }


def _plain_path(path: Path) -> dict[str, Any]:
    return {
        "nodes": [_plain_node(node) for node in path.nodes],
        "relationships": [_plain_relationship(edge) for edge in path.relationships],
    }


def _plain_point(point: Point) -> dict[str, Any]:
    return {"srid": point.srid, **dict(zip("xyz", map(_plain_float, point), strict=False))}


def _iso_time(value: Time | DateTime) -> str:
    offset = value.utc_offset()
    text = iso_clock(value.hour, value.minute, int(value.second), value.nanosecond)
    return text if offset is None else text + write_offset(offset)


def _iso_datetime(value: DateTime) -> str:
    """Return a date and time in canonical form: `2024-07-01T09:00:00.5+02:00[Europe/Paris]`.

    The driver's own zones know neither offsets with seconds (before about 1900) nor clock changes after 2037, so the
    local time is computed again from the instant.
    """
    zone = getattr(value.tzinfo, "zone", None)
    days = value.to_ordinal() - EPOCH
    offset = value.utc_offset()
    if offset is None or zone in (None, "UTC"):  # the driver calls an offset of 0 `UTC` too
        return f"{iso_date(days)}T{_iso_time(value)}"
    seconds = days * 86_400 + value.hour * 3600 + value.minute * 60 + int(value.second)
    try:
        return iso_in_zone(seconds - int(offset.total_seconds()), value.nanosecond, zone)
    except ValueError:  # a zone that only the driver knows
        return f"{value.iso_format()}[{zone}]"


def _iso_python(value: datetime.datetime | datetime.time) -> str:
    read = read_datetime if isinstance(value, datetime.datetime) else read_time
    return read(value.isoformat())


def _plain_unread(value: Any) -> Any:
    """Convert a value that the driver could not decode, such as a year before 1 or an unknown time zone."""
    raw = value.raw_data
    if hasattr(raw, "tag") and hasattr(raw, "fields"):
        tag = raw.tag if isinstance(raw.tag, bytes) else bytes([raw.tag])
        return iso_structure(tag, raw.fields)
    return plain(raw)


CONVERTERS: dict[type, Callable[[Any], Any]] = {
    **dict.fromkeys(AS_THEY_ARE, lambda value: value),
    float: _plain_float,
    **dict.fromkeys((list, tuple, set, frozenset), _plain_list),
    dict: _plain_map,
    **dict.fromkeys((bytes, bytearray), lambda value: base64.b64encode(value).decode("ascii")),
    **dict.fromkeys((Date, Duration), lambda value: str(value.iso_format())),
    DateTime: _iso_datetime,
    Time: _iso_time,
    datetime.date: datetime.date.isoformat,
    **dict.fromkeys((datetime.datetime, datetime.time), _iso_python),
    Node: _plain_node,
    Path: _plain_path,
    **dict.fromkeys((Point, CartesianPoint, WGS84Point), _plain_point),
}


def converter_of(type_: type) -> Callable[[Any], Any]:
    """Return the converter for values of a type; cached, because drivers create a class for each relationship type."""
    known = CONVERTERS.get(type_)
    if known is None:
        if issubclass(type_, Relationship):
            known = _plain_relationship
        elif type_.__name__ == "BrokenHydrationObject":  # its class is in a private module of the driver
            known = _plain_unread
        elif issubclass(type_, Point):
            known = _plain_point
        else:
            known = next((CONVERTERS[parent] for parent in type_.__mro__[1:] if parent in CONVERTERS), str)
        CONVERTERS[type_] = known
    return known
