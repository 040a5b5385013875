"""A graph whose names, descriptions and values contain markup that must not take effect."""

from __future__ import annotations

from typing import Any

from tests.support.documents import make_entity, make_relation, schema_document

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
THING = {"Thing": {"note": "str", "tags": "list[str]"}}


def hostile_graph() -> dict[str, Any]:
    """Return the graph as a SimpleKG document: a node for each name, all linked in a ring."""
    document = schema_document("hostile", THING, ["Thing leads_to Thing"], {"leads_to": {"why": "str"}})
    document["entities"][0]["description"] = "<b>Thing</b>"
    count = len(HOSTILE_NAMES)
    return {
        "schema": document,
        "entities": [
            make_entity(f"T{number}", "Thing", name, description=name[:200], note=name, tags=[name[:50]])
            for number, name in enumerate(HOSTILE_NAMES)
        ],
        "relations": [
            make_relation(number, "leads_to", f"T{number}", f"T{(number + 1) % count}", why=HOSTILE_NAMES[number][:100])
            for number in range(count)
        ],
    }
