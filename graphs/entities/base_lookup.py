"""The methods that all entity lookups share: they look up one mention and decide its verdict."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Protocol

from graphground.graphs.entities.candidate import Candidate, EntityLookup, Mode
from graphground.graphs.entities.verdicts.judging import Judgement, judge_value


class BaseLookup(EntityLookup, Protocol):
    """An `EntityLookup` with `find` and `judge`; subclasses add `find_all` and the other methods."""

    def find(
        self,
        mention: str,
        *,
        label: str | None = None,
        property: str | None = None,
        mode: Mode = "auto",
        limit: int = 5,
    ) -> Sequence[Candidate]:
        """Return the candidates for one mention, best first.

        Raises:
            LookupError: the mode is `vector` and there are no usable vectors; the message says why.
        """
        return self.find_all([mention], label=label, property=property, mode=mode, limit=limit)[0]

    def judge(
        self, mention: str, *, labels: Collection[str] | None = None, key: str | None = None, names: bool = True
    ) -> Judgement:
        """Return the verdict on a text that a query compares with a property: see `judging.judge_value`."""
        return judge_value(self, mention, labels=labels, key=key, names=names)
