"""The memory limits of the embedded engine: the default limits, and the limits for a configured heap."""

import pytest

from graphground.graphs.engines.embedded import launcher
from graphground.graphs.engines.embedded.launcher import EmbeddedSettings, memory_mib


@pytest.mark.parametrize(
    ("memory", "heap"), [(0, "2048m"), (4_096, "2048m"), (16_384, "2730m"), (24_576, "4096m"), (262_144, "4096m")]
)
def test_the_heap_is_a_sixth_of_the_memory_within_bounds(
    monkeypatch: pytest.MonkeyPatch, memory: int, heap: str
) -> None:
    monkeypatch.delenv("GRAPHGROUND_ENGINE_HEAP", raising=False)
    monkeypatch.setattr(launcher, "memory_mib", lambda: memory)
    assert EmbeddedSettings.from_environment().heap == heap
    assert EmbeddedSettings().heap == heap


@pytest.mark.parametrize(("heap", "pages"), [("512m", 192), ("2g", 768), ("4096M", 1536), (" 1G ", 384)])
def test_a_configured_heap_is_used_and_three_eighths_of_it_are_for_pages(
    monkeypatch: pytest.MonkeyPatch, heap: str, pages: int
) -> None:
    monkeypatch.setenv("GRAPHGROUND_ENGINE_HEAP", heap)
    assert EmbeddedSettings.from_environment().heap == heap.strip().lower()
    assert EmbeddedSettings.from_environment().page_mib == pages


def test_the_memory_of_this_machine_is_known_if_the_system_reports_it() -> None:
    assert memory_mib() == 0 or memory_mib() > 256
