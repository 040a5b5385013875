"""Looks names up in your own database, through an index that is built automatically.

The index is built in the background when the database is opened, and again when the database has changed. There are two
states: until the first index is complete, a lookup waits for it briefly, and then finds only exactly written names, in
the database itself (`ExactNames`); from then on the index is used. Candidates from an outdated index are verified in
the database before they are returned.
"""

from __future__ import annotations

import hashlib
import logging
import shutil
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import chain, zip_longest
from pathlib import Path
from typing import TYPE_CHECKING, Any

import orjson
from filelock import FileLock, Timeout

from graphground.cypher.diagnostics import counted
from graphground.cypher.quoting import nodes, property_of
from graphground.cypher.schema import PropertyGraphSchema
from graphground.graphs.engines.client_context import BackgroundWork
from graphground.graphs.engines.engine import Engine, EngineError, QueryCancelled
from graphground.graphs.entities.candidate import (
    EVERYWHERE,
    Candidate,
    EntityLookup,
    IndexInfo,
    IndexMissing,
    Record,
    Search,
    UnknownName,
)
from graphground.graphs.entities.paging import NAME_PROPERTIES, columns_of, count_nodes, database_pages, name_property
from graphground.graphs.entities.spans import MOST_WORDS, clean, find_spans, fold, words_of

if TYPE_CHECKING:
    from graphground.graphs.entities.index import EntityIndex
    from graphground.graphs.entities.spans import Span
    from graphground.graphs.entities.vectors.in_database import DatabaseVectors


SECONDS = 4.0
"""The maximum time, in seconds, for all queries of one call together."""
MAX_NAMESAKES = 5
"""The maximum number of nodes of a label that are returned for one name."""
Place = tuple[str, str, str]
"""A name in the database: the label and the property that have it, and the name itself."""


class ExactNames(EntityLookup):
    """The names that a database has now: `ExactNames("films", engine, lambda: schema).find("Heat")[0].label`.

    `schema` returns the current schema. Misspelt names, aliases and other values are not found. One query is run for
    each label and naming property, and all queries of a call share one time limit. The database finds the names through
    its own indexes if it has any, and otherwise reads the label's nodes.
    """

    info = None

    def __init__(
        self,
        name: str,
        engine: Engine,
        schema: Callable[[], PropertyGraphSchema],
        vectors: DatabaseVectors | None = None,
    ) -> None:
        self._name, self._engine, self._schema, self._vectors = name, engine, schema, vectors

    def find_all(self, mentions: Sequence[str], search: Search = EVERYWHERE) -> list[Sequence[Candidate]]:
        """Return the nodes whose name is exactly the mention, or in mode `vector` those that the database finds.

        Raises:
            LookupError: the mode is `vector` and the database has no usable vector index; the message says why.
        """
        if search.mode == "vector":
            if self._vectors is None:
                raise LookupError(
                    f"the graph {self._name!r} has no entity index, so no vectors; build both with "
                    f"`graphground entities build {self._name} --vectors`"
                )
            return list(self._vectors.nearest_of_all(mentions, label=search.label, limit=search.limit))
        named = self.compare((), list(filter(None, mentions)), search.label, search.property)[1]
        return [named.get(mention, [])[: search.limit] for mention in mentions]

    def holds(self, value: str, *, label: str | None = None, property: str | None = None) -> bool:
        """Whether a node of the label has the value in the property; True if the query fails or takes too long.

        If `label` is None, any label is meant; if `property` is None, the property that names the nodes is meant.
        """
        for known in self._schema().labels.values():
            key = property or name_property(known)
            if label in (None, known.name) and key is not None and key in known.properties:
                place = known.name, key, value
                if place not in self.compare([place])[0]:
                    return True
        return False

    def spans(self, question: str) -> list[Span]:
        """Return all names that occur in a question as they are stored, with their labels; they may overlap.

        Every sequence of words is looked up, with and without the ending of its last word.
        """
        words = words_of(question)
        texts = {
            question[first.start : end]
            for number, first in enumerate(words)
            for last in words[number : number + MOST_WORDS]
            for end in (last.end, *(end for _, end in last.endings))
        }
        labels: dict[str, set[str]] = {}
        for name, candidates in self.compare((), sorted(texts))[1].items():
            labels.setdefault(fold(clean(name)), set()).update(candidate.label for candidate in candidates)
        return find_spans(question, lambda folded: [tuple(sorted(labels.get(text, ()))) for text in folded])

    def same_name(self, name: str, *, label: str | None = None, aliases: bool = True) -> int:
        """Return the number of nodes with exactly this name, at most `MAX_NAMESAKES` for each label."""
        return len({candidate.key for candidate in self.compare((), [name], label)[1].get(name, ())})

    @property
    def texts(self) -> int:
        """The number of nodes whose label has a naming property, which have about as many names."""
        return sum(label.count or 0 for label in self._schema().labels.values() if name_property(label))

    def word_counts(self, words: Sequence[str]) -> list[int]:
        """Return 1 for each word: how many names contain it is unknown until there is an index."""
        return [1] * len(words)

    def check_names(self, label: str | None, property: str | None) -> None:
        """Raise an error if the nodes of a label have no names, or if no nodes are named by a property.

        Raises:
            UnknownName: the message gives the nearest label or property with names.
        """
        named = {known.name: key for known in self._schema().labels.values() if (key := name_property(known))}
        for kind, name, known in (("label", label, list(named)), ("property", property, list({*named.values()}))):
            if name is not None and name not in known:
                from graphground.cypher.names.nearest import closest

                raise UnknownName(kind, name, closest(name, known) or known[:10])

    def compare(
        self,
        places: Iterable[Place],
        mentions: Sequence[str] = (),
        label: str | None = None,
        property: str | None = None,
    ) -> tuple[set[Place], dict[str, list[Candidate]]]:
        """Return the places whose name no node has, and for each mention the nodes with that name.

        The places are those in `places`, and those where a mention was looked up. `label` and `property` restrict the
        second result, which also includes nodes of labels that the schema does not contain yet. The labels with the
        most nodes are read last. Those in `places` whose label or property is not in the schema are skipped. A name
        that cannot be read in time is missing from both results.
        """
        deadline = time.monotonic() + SECONDS
        labels = self._schema().labels
        names_at: dict[tuple[str, str], set[str]] = {}
        for its_label, key, name in places:
            if its_label in labels and key in labels[its_label].properties:
                names_at.setdefault((its_label, key), set()).add(name)
        naming = [place for place in self._naming(label, deadline) if property in (None, place[1])] if mentions else []
        for place in naming:
            names_at.setdefault(place, set()).update(mentions)
        removed: set[Place] = set()
        found: dict[str, list[Candidate]] = {}
        for place in sorted(names_at, key=lambda place: labels[place[0]].count or 0 if place[0] in labels else -1):
            rows = self._rows(self._query(*place), sorted(names_at[place]), deadline)
            if rows is None:
                continue
            present = {name for name, *_ in rows if isinstance(name, str)}
            removed |= {(*place, name) for name in names_at[place] - present}
            for name, keys, description in rows if place in naming else ():
                if name in mentions:
                    found.setdefault(name, []).extend(
                        Candidate(name, *place, 1.0, "exact", str(key), description, name_property=place[1])
                        for key in keys
                    )
        return removed, found

    def _naming(self, label: str | None, deadline: float) -> list[tuple[str, str]]:
        """Return pairs of a label and a property that names its nodes.

        A label that the schema does not contain yet is paired with each of the usual naming properties.
        """
        labels = self._schema().labels
        named = {name: key for name, known in labels.items() if (key := name_property(known)) is not None}
        listed = self._rows(self._engine.capabilities().dialect.labels, [], deadline) or ()
        usual = sorted({*named.values(), *NAME_PROPERTIES[:2]})
        fresh = [(name, key) for name in (str(row[0]) for row in listed) if name not in labels for key in usual]
        return [place for place in (*fresh, *named.items()) if label in (None, place[0])]

    def _query(self, label: str, key: str) -> str:
        """Return the query that looks `$names` up; its rows hold a name, keys of nodes with it, and a description."""
        known = self._schema().labels.get(label)
        properties = known.properties if known is not None else {}
        text = property_of("n", key)
        if properties.get(key) == "int":
            text = f"toString({text})"
        if properties.get(key, "").startswith("list["):
            return (
                f"{nodes(label).match()} UNWIND {text} AS v WITH v WHERE v IN $names "
                "RETURN DISTINCT v, [] AS keys, null AS d"
            )
        own_id = self._engine.capabilities().dialect.own_id
        own_key = f"coalesce(n.eid, {own_id})" if "eid" in properties else own_id
        description = "n.description" if "description" in properties else "null"
        return (
            f"{nodes(label).match()} WHERE {text} IN $names RETURN {text} AS name, "
            f"collect({own_key})[..{MAX_NAMESAKES}] AS keys, head(collect({description})) AS description"
        )

    def _rows(self, query: str, names: list[str], deadline: float) -> list[list[Any]] | None:
        left = deadline - time.monotonic()
        if left <= 0:
            return None
        try:
            return self._engine.run(query, {"names": names}, timeout=left).rows
        except EngineError:
            return None


MOST_NODES = 2_000_000
"""The maximum number of nodes that are indexed automatically; above it, `graphground entities build` is needed."""
WAIT_SECONDS = 3.0
"""Maximum seconds for which a lookup waits for an index that is being built; a small database is indexed sooner."""
QUICK_SECONDS, FEW_NODES = 1.0, 5_000
"""Limits on the seconds of the last build and on the number of nodes.

A lookup waits for the rebuild of its index if either number is within its limit. Reading so few nodes is slow only
on a busy machine.
"""
UNMARKED_SECONDS, MOST_SHARE = 60.0, 0.05
"""The minimum seconds between two builds that lookups start, and the maximum share of the time for such builds.

Lookups start these builds if the database reports no mark of its last transaction, so that it may change unnoticed.
"""
LONG_SHARE = 0.2
"""The maximum share of the time that may be spent in rebuilds that are not quick."""
COMPARE_SECONDS, COUNT_SECONDS = 60.0, 2.0
"""The minimum time between two comparisons of an index that the user has built, and the time limit of each count."""
SOURCE = "database, built automatically; state "
logger = logging.getLogger(__name__)


class OwnIndex(EntityLookup, BackgroundWork):
    """An `EntityLookup` over your own database: `OwnIndex("films", engine, lambda: schema, mark, folder)`.

    `schema` returns the current schema, and `mark` returns a value that changes with the data, or None if unknown.
    `complete` waits until the schema is complete. `settled` returns the schema; if the schema is being read again, it
    waits for the new schema.
    """

    def __init__(
        self,
        name: str,
        engine: Engine,
        schema: Callable[[], PropertyGraphSchema],
        mark: Callable[[], str | None],
        folder: Path,
        vectors: DatabaseVectors | None = None,
        complete: Callable[[], object] = lambda: None,
        settled: Callable[[], PropertyGraphSchema] | None = None,
    ) -> None:
        BackgroundWork.__init__(self)
        self._name, self._engine, self._schema, self._mark = name, engine, schema, mark
        self._folder, self._vectors, self._complete = folder, vectors, complete
        self._settled = settled or schema
        self._exact = ExactNames(name, engine, schema, vectors)
        self._index: EntityIndex | None = None
        self._seconds = self._earliest = self._due = 0.0
        self._read: tuple[PropertyGraphSchema, str] | None = None
        self._problem: str | None = None
        self._differs: str | None = None
        self._compare_again = 0.0
        self._done = self._total = 0

    def start(self) -> None:
        """Open the index of an earlier run; start a build if there is no index or the data has changed."""
        from graphground.graphs.entities.index import open_index  # NumPy, in the background

        with suppress(IndexMissing):
            self._index = open_index(self._folder, self._vectors)
            self._seconds = self._index.info.seconds
        if self.stale:
            self._begin()

    def check_for_changes(self) -> None:
        """Start a build if the database is known to have changed."""
        if self._index is not None and self.stale:
            self._begin()

    @property
    def info(self) -> IndexInfo | None:
        """A description of the index; None while there is no index."""
        return self._index.info if self._index is not None else None

    @property
    def stale(self) -> bool:
        """Whether there is no index, or it was built automatically before the last change of the data or the schema."""
        if self._index is None:
            return True
        source, mark = self._index.info.source, self._mark()
        return source.startswith(SOURCE) and mark is not None and source != self._source(mark, self._schema())

    @property
    def built_by_itself(self) -> bool:
        """Whether the index was built automatically, not by a command of the user."""
        return self._index is not None and self._index.info.source.startswith(SOURCE)

    @property
    def state(self) -> str | None:
        """A warning for answers while the index is missing, unfinished or outdated; None while it is up to date."""
        if self._index is not None and not self.stale:
            return None if self.built_by_itself else self._difference()
        if self._index is not None:
            return (
                "the database has changed since the entity index was built; until the index has been rebuilt, names are "
                "verified in the database"
            )
        if self._problem is not None:
            return (
                f"there is no entity index ({self._problem}), so only exactly written names are found; "
                f"build an index with `graphground entities build {self._name}`, and restart the server"
            )
        progress = f" ({self._done:,} of {counted(self._total, 'node')})" if self._total else ""
        return f"the entity index is still being built{progress}; until then only exactly written names are found"

    def _difference(self) -> str | None:
        """Return how the database differs from an index that the user has built; compared at most once a minute."""
        if self._index is not None and time.monotonic() >= self._compare_again:
            self._compare_again = time.monotonic() + COMPARE_SECONDS
            try:
                reason = find_difference(self._engine, self._index.info, COUNT_SECONDS)
            except EngineError:
                return self._differs
            rebuild = f"; rebuild the index with `graphground entities build {self._name}`"
            self._differs = reason + rebuild if reason else None
        return self._differs

    def find_all(self, mentions: Sequence[str], search: Search = EVERYWHERE) -> list[Sequence[Candidate]]:
        """Return the candidates of each mention; those from an outdated index are verified in the database."""
        lookup = self._now()
        found = lookup.find_all(mentions, search)
        if lookup is self._exact or not self.stale:
            return found
        # Names that are gone from the database are left out; other nodes named like a mention come first.
        mentions = [] if search.mode == "vector" else mentions
        places = {_place(candidate) for candidates in found for candidate in candidates}
        removed, named = self._exact.compare(places, list(filter(None, mentions)), search.label, search.property)
        answers: list[Sequence[Candidate]] = []
        for candidates, mention in zip_longest(found, mentions):
            remaining = [candidate for candidate in candidates if _place(candidate) not in removed]
            known = {(candidate.label, candidate.key) for candidate in remaining if candidate.name == mention}
            fresh = [its for its in named.get(mention or "", ()) if (its.label, its.key) not in known]
            answers.append([*fresh, *remaining][: search.limit])
        return answers

    def holds(self, value: str, *, label: str | None = None, property: str | None = None) -> bool:
        """Whether a node of the label has exactly this value in the property, in the index or in the database."""
        lookup = self._now()
        return lookup.holds(value, label=label, property=property) or (
            lookup is not self._exact and self._exact.holds(value, label=label, property=property)
        )

    def spans(self, question: str) -> Sequence[Span]:
        """Return all names that occur in a question, with the labels that have them; they may overlap."""
        return self._now().spans(question)

    def same_name(self, name: str, *, label: str | None = None, aliases: bool = True) -> int:
        """Return the number of distinct entities with this name; if `aliases`, also those with this alias."""
        return self._now().same_name(name, label=label, aliases=aliases)

    @property
    def texts(self) -> int:
        """The number of names, aliases and values in the index; without an index, `texts` of the lookup in use."""
        return self._now().texts

    def word_counts(self, words: Sequence[str]) -> Sequence[int]:
        """Return for each folded word the number of names, aliases and values that contain it."""
        return self._now().word_counts(words)

    def check_names(self, label: str | None, property: str | None) -> None:
        """Raise an `UnknownName` error if a label or a property has no names."""
        self._now().check_names(label, property)

    def wait(self, seconds: float) -> None:
        """Build a missing or outdated index, and wait up to `seconds` for it: for tests and benchmarks."""
        if self.stale:
            self._begin()
        self._wait(seconds)

    def _now(self) -> EntityLookup:
        """Start a build if it is due, and return the lookup to use now.

        It is the index, or `ExactNames` if there is none. If the build is probably short, or there is no index yet, the
        call waits up to `WAIT_SECONDS` for the build.
        """
        if self.stale:
            self._begin()
            if self._index is None or self._quick:
                self._wait(WAIT_SECONDS)
        elif self.built_by_itself and time.monotonic() >= self._due and not self._engine.capabilities().dialect.marks:
            self._begin()
        return self._index if self._index is not None else self._exact

    @property
    def _quick(self) -> bool:
        """Whether a build is expected to be quick: the last build was quick, or the database has few nodes."""
        return self._seconds <= QUICK_SECONDS or (self._index is not None and self._index.info.nodes <= FEW_NODES)

    def _begin(self) -> None:
        if not self._problem and time.monotonic() >= self._earliest:
            self._start(f"names of {self._name}", self._build)

    def _build(self) -> None:
        from graphground.graphs.entities.build import build_index  # NumPy, in the background
        from graphground.graphs.entities.index import open_index

        try:
            self._complete()
        except EngineError:
            return  # the graph is being closed, or the next lookup tries again
        try:
            mark, schema = self._mark(), self._settled()
            self._done, self._total = 0, count_nodes(self._engine, schema)
            if self._total > MOST_NODES:
                self._problem = f"{self._total:,} nodes exceed the limit for automatic indexing"
                return
            self._folder.parent.mkdir(parents=True, exist_ok=True)
            begin = time.monotonic()
            with FileLock(self._folder.with_name(self._folder.name + ".lock"), timeout=0):
                for unfinished in self._folder.parent.glob(f"{self._folder.name}.building-*"):
                    shutil.rmtree(
                        unfinished, ignore_errors=True
                    )  # left by a killed process, since this process holds the lock
                records = chain.from_iterable(self._unhurried(schema))
                # If the schema has changed meanwhile, the index is outdated, and the next lookup builds it again.
                build_index(self._folder, records, source=self._source(mark, schema), total=self._total)
            again, now = self._index is not None, time.monotonic()
            self._index, self._seconds = open_index(self._folder, self._vectors), now - begin
            self._due = now + max(UNMARKED_SECONDS, self._seconds / MOST_SHARE)
            if again and not self._quick:
                self._earliest = now + self._seconds / LONG_SHARE
        except Timeout:
            return  # another server builds the same index
        except QueryCancelled:
            return  # the graph is being closed
        except Exception as error:  # a background failure is reported only by the answers, from `state`
            if not self._stopped.is_set():
                reason = (
                    str(error)
                    if isinstance(error, (EngineError, OSError))
                    else (f"the database returned an unreadable answer: {type(error).__name__}")
                )
                logger.warning("the entity index of %s could not be built: %s", self._name, reason)
                logger.debug("the cause", exc_info=True)
                self._problem = None if self._index is not None else reason

    def _source(self, mark: str | None, schema: PropertyGraphSchema) -> str:
        """Return the `source` that an index stores: the mark of the database and a hash of the properties read."""
        known = self._read
        if known is None or known[0] is not schema:
            read = sorted((label.name, *map(str, columns_of(label))) for label in schema.labels.values())
            known = self._read = schema, hashlib.sha256(orjson.dumps(read)).hexdigest()[:8]
        return f"{SOURCE}{mark or 'unknown'}, schema {known[1]}"

    def _unhurried(self, schema: PropertyGraphSchema) -> Iterator[list[Record]]:
        """Yield the pages of all labels; after each, the database rests half as long as it worked, up to a second."""
        begin = time.monotonic()
        for page in database_pages(self._engine, schema):
            read = time.monotonic()
            yield page
            self._done += len(page)
            if self._stopped.wait(min(1.0, max(0.0, (read - begin) / 2 - (time.monotonic() - read)))):
                raise EngineError("the server is shutting down")
            begin = time.monotonic()


def _place(candidate: Candidate) -> Place:
    return candidate.label, candidate.name_property, candidate.name


def find_difference(engine: Engine, info: IndexInfo, seconds: float | None = None) -> str | None:
    """Return how the numbers of nodes differ from those in an index; None if every label has as many as it had.

    The reason is, for example: 'the entity index was built on 2026-01-02T03:04:05Z from 90 Player nodes; the graph has
    100 now'. `seconds` limits the count of each label.

    Raises:
        EngineError: the nodes of a label could not be counted.
    """
    for label, count in info.labels.items():
        found = int(engine.run(f"{nodes(label).match()} RETURN count(n) AS c", timeout=seconds).rows[0][0])
        if found != count:
            return (
                f"the entity index was built on {info.built_at} from {counted(count, f'{label} node')}; "
                f"the graph has {found:,} now"
            )
    return None
