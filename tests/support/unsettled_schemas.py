"""Schemas that are not current: the schema of a database that has changed, and a schema read from a sample."""

from __future__ import annotations

from tests.support.films import FILMS


class SlowSchema:
    """The schema of a database that has changed, and that takes too long to read within a call."""

    schema, stale, provisional, counts = FILMS, True, False, (None, None)

    def look(self) -> None: ...

    def refresh(self) -> None: ...

    def stop(self) -> None: ...

    def settle(self) -> bool:
        return False


class SampledSchema(SlowSchema):
    """The schema of a large database that has just been connected, of which only a sample has been read."""

    stale, provisional = False, True
