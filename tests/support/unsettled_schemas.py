"""Schemas that are not current: the schema of a database that has changed, and one that was read in part."""

from __future__ import annotations

from dataclasses import replace

from tests.support.films import FILMS


class SlowSchema:
    """The schema of a database that has changed, and that takes too long to read within a call."""

    schema, stale, partial, unreachable, counts = FILMS, True, False, None, (None, None)

    def check_for_changes(self) -> None: ...

    def refresh(self) -> None: ...

    def stop(self) -> None: ...

    def await_current_schema(self) -> bool:
        return False


class PartialSchema(SlowSchema):
    """The schema of a large database that has just been connected, of which only a part has been read."""

    schema, stale, partial = replace(FILMS, open=True), False, True
