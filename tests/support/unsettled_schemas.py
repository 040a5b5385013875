"""Schemas that are not current: the schema of a database that has changed, and a schema read from a sample."""

from __future__ import annotations

from tests.support.films import FILMS


class SlowSchema:
    """The schema of a database that has changed, and that takes too long to read within a call."""

    schema, stale, provisional, unreachable, counts = FILMS, True, False, None, (None, None)

    def check_for_changes(self) -> None: ...

    def refresh(self) -> None: ...

    def stop(self) -> None: ...

    def await_current_schema(self) -> bool:
        return False


class SampledSchema(SlowSchema):
    """The schema of a large database that has just been connected, of which only a sample has been read."""

    stale, provisional = False, True
