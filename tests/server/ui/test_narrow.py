"""Drawings of schemas and of result rows on a screen 400 pixels wide: readable at once, moved and zoomed by touch."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from tests.server.ui.test_views import BOSTON, IN_SIGHT, VIEWPORT, middle_of_canvas, open_view, press, run, text_of
from tests.support.browser import Page

LETTERS = 10.0
"""The minimum height, in pixels, of readable letters."""
LETTER_PIXELS = "12 * document.querySelector('.canvas').cy.zoom()"


@pytest.fixture
def narrow(chromium: Page) -> Iterator[Page]:
    """Yield a tab 400 pixels wide in dark colours; an error of the page or on its console fails the test."""
    chromium.fresh(width=400, dark=True)
    yield chromium
    assert chromium.errors == []


def touch(page: Page, kind: str, *points: tuple[float, float]) -> None:
    """Put fingers on the page, move them or lift them: the event of this kind (`Start`, `Move` or `End`)."""
    places = [{"x": x, "y": y, "id": number} for number, (x, y) in enumerate(points)]
    page.call("Input.dispatchTouchEvent", type=f"touch{kind}", touchPoints=places)


def test_the_schema_is_a_list_if_its_picture_would_be_too_small_to_read(narrow: Page, page_address: str) -> None:
    open_view(narrow, page_address, "schema")
    labels = text_of(narrow, ".labels")
    for part in ("Player 403 nodes", "playsFor\u00a0→\u00a0Team", "←\u00a0playsFor\u00a0Player"):
        assert part in labels
    narrow.click(".labels li:nth-child(2) summary")
    narrow.wait("document.querySelector('.labels [open] meter')")
    assert "height_cm" in text_of(narrow, ".labels [open]")
    assert narrow.evaluate("location.hash").endswith("?label=Player")
    narrow.wait(
        "document.getElementById('status').textContent.startsWith('Player: 403 nodes, 11 properties, 4 patterns')"
    )
    narrow.click(".labels [open] [aria-label='Show Team']")
    narrow.wait("document.activeElement.textContent.startsWith('Team')")
    narrow.wait("document.querySelector('.labels li:first-child').innerText.includes('inception_year')")
    assert narrow.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_a_schema_with_few_labels_is_drawn_on_a_narrow_screen_too(narrow: Page, page_address: str) -> None:
    open_view(narrow, page_address, "schema", "hostile")
    narrow.wait(f"document.querySelector('.canvas') && ({IN_SIGHT}).length === 1")
    assert narrow.evaluate(LETTER_PIXELS) >= LETTERS


def test_the_picture_is_readable_at_once_and_is_moved_with_one_finger_and_zoomed_with_two(
    narrow: Page, page_address: str
) -> None:
    open_view(narrow, page_address, "schema", form="picture")
    narrow.wait(f"({IN_SIGHT}).length > 0")
    assert narrow.evaluate(LETTER_PIXELS) >= LETTERS
    before: Any = narrow.evaluate(VIEWPORT)
    width = "document.querySelector('.canvas').clientWidth"
    x, y = middle_of_canvas(narrow)
    narrow.evaluate(
        f"document.querySelector('.canvas').cy.panBy({{ x: {width}, y: 0 }}) && 1"
    )  # no node under the finger
    touch(narrow, "Start", (x, y))
    touch(narrow, "Move", (x - 60, y + 20))
    touch(narrow, "Move", (x - 80, y + 30))
    touch(narrow, "End")
    narrow.wait(f"{VIEWPORT} !== {json.dumps(before)}")
    scale = narrow.evaluate(LETTER_PIXELS)
    touch(narrow, "Start", (x - 40, y), (x + 40, y))
    for apart in range(50, 90, 10):
        touch(narrow, "Move", (x - apart, y), (x + apart, y))
        next_frame = "new Promise(requestAnimationFrame)"  # the browser joins the movements of a frame
        narrow.call("Runtime.evaluate", awaitPromise=True, expression=next_frame)
    touch(narrow, "End")
    narrow.wait(f"{LETTER_PIXELS} > {1.2 * scale}")
    narrow.click("[aria-label='Show all']")
    narrow.wait(f"({IN_SIGHT}).length === 7")
    narrow.evaluate("document.querySelector('.canvas').cy.getElementById('Venue').emit('tap') && 1")
    narrow.wait("document.querySelector('.details h2')?.textContent.startsWith('Venue')")
    narrow.click("[data-form=list]")
    narrow.wait("document.querySelector('.labels [open] h2')?.textContent === 'Venue'")
    assert "form=list" in narrow.evaluate("location.hash")


def test_the_drawing_of_rows_is_readable_at_once_around_the_most_connected_node(
    narrow: Page, page_address: str
) -> None:
    open_view(narrow, page_address, "query", q=BOSTON)
    run(narrow)
    cells = "[...document.querySelectorAll('.rows [role=row]:first-child > *')].map((cell) => cell.getBoundingClientRect().right)"
    assert sum(right <= 400 for right in narrow.evaluate(cells)) >= 2, "columns are no wider than their texts"
    press(narrow, "Show as a graph")
    narrow.wait(f"document.querySelector('.canvas') && ({IN_SIGHT}).includes('Boston Celtics')")
    assert narrow.evaluate(LETTER_PIXELS) >= LETTERS
