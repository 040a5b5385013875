"""Finds out whether an index that was built from a database is still up to date."""

from __future__ import annotations

import threading
import time
from weakref import WeakKeyDictionary

from graphground.cypher.matching import nodes
from graphground.cypher.wording import counted
from graphground.graphs.engines.engine import Engine, EngineError
from graphground.graphs.entities.candidate import EntityLookup

SECONDS = 2.0
_CHECK_SECONDS = 60.0
_known: WeakKeyDictionary[EntityLookup, tuple[float, str | None]] = WeakKeyDictionary()
_lock = threading.Lock()


def staleness(engine: Engine, index: EntityLookup) -> str | None:
    """Return the reason why an index is out of date; None if it seems up to date, or if the database does not respond.

    The number of nodes of each label is compared with the database, at most once a minute. A reason is, for example:

    'the entity index was built on 2026-01-02T03:04:05Z from 90 Player nodes; the graph has 100 now'
    """
    with _lock:
        last = _known.get(index)
    if last is not None and time.monotonic() - last[0] < _CHECK_SECONDS:
        return last[1]
    try:
        reason = difference(engine, index)
    except EngineError:
        reason = None
    with _lock:
        _known[index] = (time.monotonic(), reason)
    return reason


def difference(engine: Engine, index: EntityLookup) -> str | None:
    """Return the reason why an index is out of date, found now; None if every label has as many nodes as it had.

    Raises:
        EngineError: the nodes of a label could not be counted.
    """
    info = index.info
    if info is None:
        return None
    for label, count in info.labels.items():
        rows = engine.run(f"{nodes(label).match()} RETURN count(n) AS c", timeout=SECONDS).rows
        if int(rows[0][0]) != count:
            return (
                f"the entity index was built on {info.built_at} from {counted(count, f'{label} node')}; "
                f"the graph has {int(rows[0][0]):,} now"
            )
    return None
