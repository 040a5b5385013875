"""SimpleKG, CypherBench's JSON form of a graph: read as a stream and checked, and written.

    {"schema": {…}, "entities": [{"eid": "Q25173", "label": "Movie", "name": "Heat", "aliases": [],
     "description": "1995 film", "properties": {"runtime_minute": 170.0}, "provenance": ["…"]}, …],
     "relations": [{"rid": "0", "label": "directedBy", "subj_id": "Q25173", "obj_id": "Q220584",
     "properties": {}, "provenance": []}, …]}

    write_simplekg(Path("movie.json.gz"), schema, entities, relations)  →  (7, 12)

A file may be gzipped. Only a few hundred records are held in memory at a time.

A file that has the line breaks of `write_simplekg`, or those of CypherBench's own files, is read in blocks, several
times faster than event by event. Any other layout is read event by event, which also reports the problems of a file.
"""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from functools import partial
from math import isfinite
from pathlib import Path
from typing import IO, Any, cast

import ijson
import orjson

from graphground.cypher.names.nearest import did_you_mean
from graphground.cypher.schema import Label, PropertyGraphSchema, RelationshipPattern, SchemaError, merge_property_types
from graphground.graphs.engines.temporal import READERS, is_zoned, kind_of, temporal_types
from graphground.graphs.storage.home import replacing

GZIP = b"\x1f\x8b"
PARTS = ("schema", "entities", "relations")
AT_ONCE = 1 << 16
MAX_RECORD_BYTES = 1 << 24


class SimpleKGError(ValueError):
    """An invalid graph file; the message gives the problem and, for an invalid record, its number (from 0) and id."""


class SimpleKGFile:
    """A SimpleKG file, whose records are read as a stream: `SimpleKGFile(Path("movie.json.gz")).schema`.

    `read` is called from time to time with the number of bytes read.
    """

    def __init__(self, path: Path, read: Callable[[int], None] | None = None) -> None:
        self.path = Path(path)
        self._read = read
        if not self.path.is_file():
            raise SimpleKGError(f"there is no file {self.path}")
        self.schema = self._schema()

    def entities(self) -> Iterator[tuple[int, Mapping[str, Any]]]:
        """Yield each entity with its number, from 0."""
        return self._records("entities")

    def relations(self) -> Iterator[tuple[int, Mapping[str, Any]]]:
        """Yield each relation with its number, from 0."""
        return self._records("relations")

    def _schema(self) -> PropertyGraphSchema:
        with self._opened() as file, self._explained(lambda: "schema"):
            document = next(iter(ijson.items(file, "schema", use_float=True)), None)
        if document is None:
            raise SimpleKGError(
                f"{self.path.name} has no 'schema'; a SimpleKG file is a JSON object with {', '.join(map(repr, PARTS))}"
            )
        try:
            return PropertyGraphSchema.from_cypherbench(document)
        except SchemaError as error:
            raise SimpleKGError(f"{self.path.name}: {error}") from None

    def _records(self, part: str) -> Iterator[tuple[int, Mapping[str, Any]]]:
        number = -1
        try:
            for number, record in enumerate(self._blocks(part)):
                yield number, _object(part, number, record)
            return
        except OtherLayout:
            last_read = number
        with self._opened() as file, self._explained(lambda: f"{part}[{number + 1}]"):
            for number, record in enumerate(ijson.items(file, f"{part}.item", use_float=True)):
                if number % 2000 == 0:
                    self._report(file)
                if number > last_read:
                    yield number, _object(part, number, record)
        if number < 0 and part not in self._keys():
            raise SimpleKGError(f"{self.path.name} has no {part!r}")

    def _blocks(self, part: str) -> Iterator[Any]:
        """Yield the records of `entities` or `relations`, parsed in blocks that begin and end between two lines.

        A line break in JSON is never inside a text, so the cut is never inside a record: in files of `write_simplekg`
        a record is a line, and in CypherBench's files all lines of a record are indented by more than four spaces.

        Raises:
            OtherLayout: the file has other line breaks, or is damaged; the records already yielded are valid.
        """
        try:
            with self._opened() as file:
                begins = tuple(f'{indent}"{part}": [\n'.encode() for indent in ("", "  "))
                while (line := file.readline(MAX_RECORD_BYTES)) not in begins:
                    if not line.endswith(b"\n"):
                        raise OtherLayout
                outer = line[: line.index(b'"')]
                close, between = b"\n" + outer + b"]", b"%b},\n%b{" % (2 * outer, 2 * outer)
                text = b""
                while (chunk := file.read(AT_ONCE)) and len(text) < MAX_RECORD_BYTES:
                    self._report(file)
                    text += chunk
                    end = text.find(close)
                    cut = end if end >= 0 else text.rfind(between) + between.index(b",")
                    if end >= 0 or between in text:
                        yield from orjson.loads(b"[" + text[:cut] + b"]")
                        text = text[cut + 1 :]
                    if end >= 0:
                        return
        except (ValueError, EOFError, OSError, zlib.error):
            pass
        raise OtherLayout

    def _report(self, file: IO[bytes]) -> None:
        if self._read is not None:
            self._read(getattr(file, "fileobj", file).tell())  # of a gzipped file, the position in the compressed bytes

    def _keys(self) -> set[str]:
        with self._opened() as file:
            return {value for prefix, event, value in ijson.parse(file) if prefix == "" and event == "map_key"}

    @contextmanager
    def _opened(self) -> Iterator[IO[bytes]]:
        with self.path.open("rb") as raw:
            is_zipped = raw.peek(2)[:2] == GZIP
            yield cast("IO[bytes]", gzip.GzipFile(fileobj=raw)) if is_zipped else raw

    @contextmanager
    def _explained(self, place: Callable[[], str]) -> Iterator[None]:
        try:
            yield
        except (ijson.JSONError, UnicodeDecodeError, EOFError, OSError) as error:
            if isinstance(error, EOFError) or "premature" in str(error).lower():
                problem = "the file is truncated"
            else:
                kind = "cannot be read" if isinstance(error, OSError) else "not JSON"
                problem = f"{kind} ({' '.join(str(error).split())[:120]})"
            raise SimpleKGError(f"{self.path.name}, at {place()}: {problem}") from None


def _object(part: str, number: int, record: Any) -> Mapping[str, Any]:
    if type(record) is not dict:
        raise SimpleKGError(f"{part}[{number}] must be an object, not {record!r:.80}")
    return record


class OtherLayout(Exception):
    """The lines of the file do not show where a record ends, or the file is not JSON."""


class OutputTooLarge(ValueError):
    """More bytes would be written than the caller allows; the message is the place of the first record too many."""


def write_simplekg(
    path: Path,
    schema: PropertyGraphSchema,
    entities: Iterable[Mapping[str, Any]],
    relations: Iterable[Mapping[str, Any]],
    max_bytes: int | None = None,
) -> tuple[int, int]:
    """Write a file as a stream, gzipped if its name ends in .gz; return the numbers of entities and relations.

    The file is renamed to `path` when it is complete.

    Raises:
        OutputTooLarge: the records, before they are zipped, have more than `max_bytes`; nothing is written.
    """
    counts, size = [0, 0], 0
    with ExitStack() as stack:
        file: IO[bytes] = stack.enter_context(replacing(Path(path)))
        if path.suffix == ".gz":
            zipped = gzip.GzipFile(fileobj=file, mode="wb", compresslevel=6)
            file = stack.enter_context(cast("IO[bytes]", zipped))
        file.write(b'{"schema": ' + orjson.dumps(schema.to_cypherbench()))
        for place, (name, records) in enumerate((("entities", entities), ("relations", relations))):
            file.write(f',\n"{name}": ['.encode())
            for record in records:
                text = orjson.dumps(record)
                file.write((b",\n" if counts[place] else b"\n") + text)
                counts[place] += 1
                size += len(text)
                if max_bytes is not None and size > max_bytes:
                    raise OutputTooLarge(f"{name}[{counts[place] - 1:,}]")
            file.write(b"\n]")
        file.write(b"}\n")
    return counts[0], counts[1]


Check = Callable[[Any], Any]
Checks = Mapping[str, Check]
LOCAL_NANOSECONDS, LOCAL_MICROSECONDS, ALL_YEARS = (1677, 2262), (-290_000, 290_000), (-1_000_000_000, 1_000_000_000)
"""Between these years lie the local times that the embedded engine can store with more than 6 decimals, with more than
3, and with fewer."""
MAX_ID_CHARACTERS = 2000
"""The maximum number of characters in the `eid` of an entity."""


def _exactly(kind: type) -> Check:
    def check(value: Any) -> Any:
        if type(value) is not kind:
            raise ValueError
        return value

    return check


_str = _exactly(str)


def _int(value: Any) -> Any:
    if type(value) is not int or not -(1 << 63) <= value < 1 << 63:
        raise ValueError
    return value


def _float(value: Any) -> Any:
    if type(value) is float and isfinite(value):
        return value
    if type(value) is not int:
        raise ValueError
    return float(value)


def _temporal(read: Callable[[str], str], value: Any) -> Any:
    return read(_str(value))


SCALARS: dict[str, Check] = {
    "str": _str,
    "int": _int,
    "float": _float,
    "bool": _exactly(bool),
    **{type_: partial(_temporal, read) for type_, read in READERS.items()},
    "unknown": lambda value: value,
}


def check_of(type_: str) -> Check:
    """Return the check for a property type: a function that returns the value to store, or raises ValueError.

    >>> check_of("list[float]")([1, 2.5])
    [1.0, 2.5]
    """
    if "|" in type_ and not type_.startswith("list["):
        checks = [check_of(part) for part in type_.split("|")]

        def one_of(value: Any) -> Any:
            for check in checks:
                try:
                    return check(value)
                except ValueError:
                    continue
            raise ValueError

        return one_of
    if type_.startswith("list["):
        inner_type = type_[5:-1]
        inner = check_of(inner_type)

        def each(value: Any) -> Any:
            if type(value) is not list:
                raise ValueError
            return [inner(item) for item in value]

        if temporal_types(inner_type):
            return lambda value: _of_one_kind(each(value))

        return each
    return SCALARS.get(type_, SCALARS["unknown"])


def _of_one_kind(values: list[Any]) -> list[Any]:
    """Return a list of dates and times; databases store no list that mixes them, or times with and without a zone."""
    kinds = {(kind := kind_of(value), kind != "date" and is_zoned(value)) for value in values if type(value) is str}
    if len(kinds) > 1:
        raise ValueError("a list of values of one kind: all of them dates, or times with a zone, or times without one")
    return values


def embedded_check(type_: str) -> Check:
    """Return the check for a property type that also refuses the times that the embedded engine cannot store.

    Local times are stored as a number of nanoseconds, microseconds or milliseconds, whichever their decimals need.
    """
    check = check_of(type_)
    if "datetime" not in temporal_types(type_):
        return check

    def storable(value: Any) -> Any:
        found = check(value)
        for text in found if type(found) is list else (found,):
            if type(text) is str and kind_of(text) == "datetime" and not is_zoned(text):
                decimals = len(text.partition(".")[2])
                least, most = (LOCAL_NANOSECONDS if decimals > 6 else LOCAL_MICROSECONDS) if decimals > 3 else ALL_YEARS
                if not least < int(text[: text.index("-", 1)]) < most:
                    raise ValueError(
                        f"a local time that the embedded engine can store: with {decimals} decimals of a second, its "
                        f"years are {least + 1} to {most - 1}"
                    )
        return found

    return storable


def check_namespace(schema: PropertyGraphSchema) -> None:
    """Refuse a schema with names that the embedded engine cannot store.

    A label and a relationship type may not have the same name. If nodes have several labels, no label may contain `~`.

    Raises:
        SimpleKGError: the schema has a name that cannot be stored.
    """
    both = sorted(set(schema.labels) & set(schema.relationship_types))
    if both:
        raise SimpleKGError(
            f"{both[0]!r} is a label and a relationship type: the embedded engine needs different "
            "names for them; rename one, or use your own Neo4j"
        )
    unusable = sorted(label for label in schema.labels if SEPARATOR in label and schema.label_combinations)
    if unusable:
        raise SimpleKGError(
            f"the label {unusable[0]!r} contains {SEPARATOR!r}, which the embedded engine uses for nodes with several "
            "labels; rename the label, or use your own Neo4j"
        )


class RecordChecks:
    """The checks of records against a schema; each check returns the values to store."""

    def __init__(self, schema: PropertyGraphSchema, *, embedded: bool = False) -> None:
        """Start the checks; with `embedded`, values that the embedded engine cannot store are invalid too."""
        self.schema = schema
        self._check_of = embedded_check if embedded else check_of
        self._sets = LabelSets(schema)
        self._labels: dict[str, Checks] = {
            name: {key: self._check_of(type_) for key, type_ in label.properties.items() if key not in label.reserved}
            for name, label in self._sets.stored.labels.items()
        }
        self._patterns: dict[str, dict[tuple[str | None, str | None], Checks]] = {
            name: {
                (pattern.start, pattern.end): {key: self._check_of(type_) for key, type_ in pattern.properties.items()}
                for pattern in patterns
            }
            for name, patterns in schema.relationship_types.items()
        }

    def entity(self, number: int, record: Mapping[str, Any]) -> tuple[str, str, dict[str, Any]]:
        """Return the label, id and properties of a node, including the reserved properties.

        For a node with several labels, the returned label is the name of their set: `Actor~Person`. `number` is the
        position of the record in the file, for errors.

        Raises:
            SimpleKGError: the record is invalid.
        """
        try:
            eid, label, name = record.get("eid"), record.get("label"), record.get("name")
            if record.get("labels") is not None:
                label = self._set_of(record)
            checks = self._labels.get(label) if type(label) is str else None
            if type(eid) is not str or not eid or len(eid) > MAX_ID_CHARACTERS:
                raise ValueError(f"'eid' must be a text of 1 to {MAX_ID_CHARACTERS} characters")
            if checks is None:
                raise ValueError(f"the schema has no label {label!r}{did_you_mean(str(label), self._labels)}")
            if type(name) is not str:
                raise ValueError(f"'name' must be text, not {name!r:.60}")
            stored: dict[str, Any] = {"eid": eid, "name": name}
            known = self._sets.stored.labels[str(label)].properties
            for key in ("aliases", "provenance"):
                texts = _texts(record, key)
                if texts or key in known:
                    stored[key] = texts
            description = record.get("description")
            if description is not None:
                if type(description) is not str:
                    raise ValueError("'description' must be text or null")
                stored["description"] = description
            properties = record.get("properties")
            if properties:
                try:
                    add_checked(stored, properties, checks)
                except ValueError as error:
                    raise ValueError(self._wrong(error, properties, label, checks, known)) from None
            return str(label), eid, stored
        except ValueError as error:
            raise SimpleKGError(f"entities[{number}] (eid {record.get('eid')!r}): {error}") from None

    def relation(
        self, number: int, record: Mapping[str, Any], label_of: Callable[[str], str | None]
    ) -> tuple[str, str, str, dict[str, Any]]:
        """Return the type, the ids of start and end, and the properties of a relationship.

        `number` is the position of the record in the file, for errors. `label_of` returns the name of the label set of
        the entity with an id, or None if there is no such entity.

        Raises:
            SimpleKGError: the record is invalid.
        """
        try:
            type_, start, end = record.get("label"), record.get("subj_id"), record.get("obj_id")
            patterns = self._patterns.get(type_) if type(type_) is str else None
            if patterns is None:
                raise ValueError(
                    f"the schema has no relationship type {type_!r}{did_you_mean(str(type_), self._patterns)}"
                )
            if type(start) is not str or type(end) is not str:
                raise ValueError("'subj_id' and 'obj_id' must be texts")
            labels = label_of(start), label_of(end)
            checks = patterns.get(labels)
            if checks is None and self._sets.several:
                checks = self._between(str(type_), labels)
            if checks is None:
                for key, label, eid in (("subj_id", labels[0], start), ("obj_id", labels[1], end)):
                    if label is None:
                        raise ValueError(f"{key} {eid!r} is not the id of any entity")
                raise ValueError(
                    f"the schema has no ({write_labels(str(labels[0]))})-[:{type_}]->({write_labels(str(labels[1]))}); it has "
                    + ", ".join(map(str, self.schema.relationship_types[str(type_)]))
                )
            stored: dict[str, Any] = {}
            properties = record.get("properties")
            if properties:
                try:
                    add_checked(stored, properties, checks)
                except ValueError as error:
                    types = merge_property_types(pattern.properties for pattern in self._matching(str(type_), labels))
                    raise ValueError(self._wrong(error, properties, type_, checks, types)) from None
            if provenance := _texts(record, "provenance"):
                stored["provenance"] = provenance
            return str(type_), start, end, stored
        except ValueError as error:
            raise SimpleKGError(f"relations[{number}] (rid {record.get('rid')!r}): {error}") from None

    def _set_of(self, record: Mapping[str, Any]) -> str:
        label, labels = record.get("label"), record["labels"]
        if type(labels) is not list or not all(type(name) is str for name in labels) or label not in labels:
            raise ValueError("'labels' must be a list of texts that contains 'label'")
        name = SEPARATOR.join(sorted(set(labels)))
        if name not in self._labels:
            raise ValueError(f"the schema has no label combination {write_labels(name)}")
        return name

    def _between(self, type_: str, labels: tuple[str | None, str | None]) -> Checks | None:
        found = merge_property_types(pattern.properties for pattern in self._matching(type_, labels))
        if found or self._matching(type_, labels):
            self._patterns[type_][labels] = {key: self._check_of(property_type) for key, property_type in found.items()}
        return self._patterns[type_].get(labels)

    def _matching(self, type_: str, labels: tuple[str | None, str | None]) -> list[RelationshipPattern]:
        starts, ends = (self._sets.labels.get(label or "", ()) for label in labels)
        return [
            pattern
            for pattern in self.schema.relationship_types[type_]
            if pattern.start in starts and pattern.end in ends
        ]

    def _wrong(self, error: ValueError, properties: Any, owner: Any, checks: Checks, types: Mapping[str, str]) -> str:
        if type(properties) is not dict:
            return "'properties' must be an object"
        key, reason = error.args
        if key not in checks:
            shown = write_labels(owner) if owner in self._sets.several else repr(owner)
            return f"{shown} has no property {key!r}{did_you_mean(str(key), checks)}"
        return f"{key!r} must be {types[key]}, not {properties[key]!r:.80}{reason and f': {reason}'}"


def add_checked(stored: dict[str, Any], properties: Any, checks: Checks) -> None:
    """Add the properties that are not null to `stored`.

    Raises:
        ValueError: a property is invalid; its arguments are its name and the reason, which may be empty.
    """
    if type(properties) is not dict:
        raise ValueError("properties", "")
    for key, value in properties.items():
        if value is not None:
            try:
                stored[key] = checks[key](value)
            except (KeyError, OverflowError):
                raise ValueError(key, "") from None
            except ValueError as error:
                raise ValueError(key, str(error)) from None


def _texts(record: Mapping[str, Any], key: str) -> list[str]:
    value = record.get(key)
    if value is None:
        return []
    if type(value) is not list:
        raise ValueError(f"{key!r} must be a list of texts")
    for item in value:
        if type(item) is not str:
            raise ValueError(f"{key!r} must be a list of texts")
    return value


SEPARATOR = "~"


class LabelSets:
    """The label sets of a schema by name; a set of one label has the label as its name.

    In the embedded engine, each node has exactly one vertex type. Nodes with several labels have a type that extends
    the types of all these labels, under the name that the engine itself would give to the type, so that `labels(n)`
    returns the labels.
    """

    def __init__(self, schema: PropertyGraphSchema) -> None:
        self.several = {
            SEPARATOR.join(sorted(together)): tuple(sorted(together)) for together in schema.label_combinations
        }
        """The sets of more than one label, by name."""
        self.labels: Mapping[str, tuple[str, ...]] = {label: (label,) for label in schema.labels} | self.several
        combined = {
            name: Label(
                name,
                merge_property_types(schema.labels[label].properties for label in labels),
                None,
                frozenset.intersection(*(schema.labels[label].reserved for label in labels)),
            )
            for name, labels in self.several.items()
        }
        self.stored = replace(schema, labels={**schema.labels, **combined}) if combined else schema
        """The schema in which each set of several labels is a label too, with the properties of all its labels."""


def write_labels(name: str) -> str:
    """Return the label set with this name in Cypher's notation: `:Actor:Person` for `Actor~Person`."""
    return ":" + name.replace(SEPARATOR, ":")
