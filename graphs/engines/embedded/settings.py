"""What can be set about the embedded engine, from the environment."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

HEAP = "GRAPHGROUND_ENGINE_HEAP"
IDLE = "GRAPHGROUND_ENGINE_IDLE_S"
JVM = "GRAPHGROUND_ENGINE_JVM_ARGS"


@dataclass(frozen=True, slots=True)
class EmbeddedSettings:
    """`EmbeddedSettings(heap="2g", idle_seconds=900)`.

    `GRAPHGROUND_ENGINE_HEAP` is the most heap that the engine takes (`512m`, `2g`), `GRAPHGROUND_ENGINE_IDLE_S`
    after how many seconds without a query it ends, `GRAPHGROUND_ENGINE_JVM_ARGS` what else its JVM is told.
    """

    heap: str = "2g"
    idle_seconds: float = 900.0
    jvm_args: tuple[str, ...] = ()
    engine: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def from_environment(cls) -> EmbeddedSettings:
        """The settings of this process; one that cannot be read is an error that names it.

        Raises:
            ValueError: which variable, what it holds, what it may hold.
        """
        heap = os.environ.get(HEAP, "2g").strip().lower()
        if not re.fullmatch(r"\d+[mg]", heap):
            raise ValueError(f"{HEAP} is {heap!r}; write a size as 512m or 2g")
        idle = os.environ.get(IDLE, "900")
        try:
            seconds = float(idle)
        except ValueError:
            raise ValueError(f"{IDLE} is {idle!r}; write a number of seconds") from None
        return cls(heap, seconds, tuple(shlex.split(os.environ.get(JVM, ""))))
