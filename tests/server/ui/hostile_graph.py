"""A graph whose names, descriptions and values contain markup that must not take effect."""

from __future__ import annotations

from typing import Any

HOSTILE_NAMES = (
    "<script>document.title = 'attacked'</script>",
    "<img src=x onerror=\"document.title = 'attacked'\">",
    "</script></style></svg><svg onload=\"document.title='attacked'\">",
    "[click](javascript:document.title='attacked')",
    "![picture](http://127.0.0.1:9/picture.png)",
    "\u202egnitirw detrever\u202c \u2066isolated\u2069",
    "&lt;b&gt; &amp; &#60;script&#62;",
    "'; DROP TABLE nodes; --",
    '=HYPERLINK("http://127.0.0.1:9/")',
    "long " + "x" * 10_000,
    "line\nbreak\ttab \U0001f600",
)
"""Texts that must be shown as text: markup, links, formulas, characters that reorder text, and a very long text."""


def hostile_graph() -> dict[str, Any]:
    """Return the graph as a SimpleKG document: a node for each name, all linked in a ring."""
    count = len(HOSTILE_NAMES)
    return {
        "schema": {
            "name": "hostile",
            "entities": [
                {"label": "Thing", "description": "<b>Thing</b>", "properties": {"note": "str", "tags": "list[str]"}}
            ],
            "relations": [
                {"label": "leads_to", "subj_label": "Thing", "obj_label": "Thing", "properties": {"why": "str"}}
            ],
        },
        "entities": [
            {
                "eid": f"T{number}",
                "label": "Thing",
                "name": name,
                "aliases": [],
                "description": name[:200],
                "properties": {"note": name, "tags": [name[:50]]},
                "provenance": [],
            }
            for number, name in enumerate(HOSTILE_NAMES)
        ],
        "relations": [
            {
                "rid": str(number),
                "label": "leads_to",
                "subj_id": f"T{number}",
                "obj_id": f"T{(number + 1) % count}",
                "properties": {"why": HOSTILE_NAMES[number][:100]},
                "provenance": [],
            }
            for number in range(count)
        ],
    }
