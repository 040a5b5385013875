"""Builds the view, one self-contained HTML document, from `view.html`, `view.css` and `view.js`."""

from __future__ import annotations

import base64
import hashlib
from functools import cache
from pathlib import Path

FOLDER = Path(__file__).parent


@cache
def view_html() -> str:
    """Return the view's HTML; its content security policy allows only the inlined script and style, by their hashes."""
    page, style, script = ((FOLDER / f"view.{kind}").read_text(encoding="utf-8") for kind in ("html", "css", "js"))
    policy = (
        f"default-src 'none'; script-src {_hash(script)}; style-src {_hash(style)}; base-uri 'none'; form-action 'none'"
    )
    return page.replace("{policy}", policy).replace("{style}", style).replace("{script}", script)


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
