"""The settings of the embedded engine, read from environment variables."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from graphground.graphs.engines.engine import EngineUnavailable

HEAP = "GRAPHGROUND_ENGINE_HEAP"
IDLE = "GRAPHGROUND_ENGINE_IDLE_S"
JVM = "GRAPHGROUND_ENGINE_JVM_ARGS"
LEAST_MIB, MOST_MIB = 2048, 4096


def default_heap() -> str:
    """Return the default maximum heap: a sixth of the memory, between 2 and 4 GiB (`"2730m"` for 16 GiB)."""
    return f"{max(LEAST_MIB, min(MOST_MIB, memory_mib() // 6))}m"


def memory_mib() -> int:
    """Return the memory of this machine, or the smaller limit of its container, in MiB; 0 if it is unknown."""
    sizes = []
    with suppress(AttributeError, ValueError, OSError):
        sizes.append(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"))
    with suppress(ValueError, OSError):
        sizes.append(int(Path("/sys/fs/cgroup/memory.max").read_text()))
    return min(sizes, default=0) >> 20


@dataclass(frozen=True, slots=True)
class EmbeddedSettings:
    """The settings of the embedded engine: `EmbeddedSettings(heap="2g", idle_seconds=900)`.

    `GRAPHGROUND_ENGINE_HEAP` is the maximum heap (`512m`, `2g`), by default a sixth of the machine's memory, between 2
    and 4 GiB. `GRAPHGROUND_ENGINE_IDLE_S` is the number of seconds without a query after which the engine stops, and
    `GRAPHGROUND_ENGINE_JVM_ARGS` holds further JVM options.
    """

    heap: str = field(default_factory=default_heap)
    idle_seconds: float = 900.0
    jvm_args: tuple[str, ...] = ()
    engine: Mapping[str, Any] = field(default_factory=dict)

    @property
    def page_mib(self) -> int:
        """The part of the heap, in MiB, for pages of the database files: three eighths.

        With the engine's own default, a quarter, scans of a graph of three million nodes read the same pages
        repeatedly: 100 s instead of 15 s. ArcadeDB lets running queries use half of the heap.
        """
        return self.heap_mib * 3 // 8

    @property
    def heap_mib(self) -> int:
        """The maximum heap in MiB."""
        return int(self.heap[:-1]) * (1024 if self.heap.endswith("g") else 1)

    @classmethod
    def from_environment(cls) -> EmbeddedSettings:
        """Read the settings from the environment variables.

        Raises:
            EngineUnavailable: a variable is invalid.
        """
        heap = os.environ.get(HEAP, "").strip().lower() or default_heap()
        if not re.fullmatch(r"\d+[mg]", heap):
            raise EngineUnavailable(f"{HEAP} is {heap!r}; write a size such as 512m or 2g")
        idle = os.environ.get(IDLE, "900")
        try:
            seconds = float(idle)
        except ValueError:
            raise EngineUnavailable(f"{IDLE} is {idle!r}; write a number of seconds") from None
        options = os.environ.get(JVM, "")
        try:
            return cls(heap, seconds, tuple(shlex.split(options)))
        except ValueError:
            raise EngineUnavailable(f"{JVM} is {options!r}; close every quotation mark") from None
