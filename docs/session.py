"""Draws the animated session of the README: `python docs/session.py` writes images/session.svg."""

from __future__ import annotations

import os
import textwrap
from html import escape

from reference import ROOT, run_command

COMMANDS = (
    "graphground query nba \"MATCH (p:Player {name: 'Lebron James'})<-[:playsFor]-(t:Team) RETURN t.name\" --check",
    "graphground query nba \"MATCH (p:Player {name: 'LeBron James'})-[:playsFor]->(t:Team) RETURN t.name LIMIT 5\"",
)
LETTER, LINE, COLUMNS = 8.2, 20, 96
TYPING, BETWEEN = 2.0, 0.35
"""Seconds for typing a command, and between the lines of its output."""
STYLE = """
  text { font: 13.5px ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace; white-space: pre; }
  .line { opacity: 0; animation: appear 0.01s linear forwards; } @keyframes appear { to { opacity: 1; } }
  .error { fill: #ff9b8f; } .warning { fill: #f0c060; } .try { fill: #7fd1a8; } .command { fill: #8ab8f5; }
  @media (prefers-reduced-motion: reduce) { .line { animation: none; opacity: 1; } }
"""


def shown(line: str) -> list[str]:
    """Return a line as one or more lines that fit the picture."""
    return textwrap.wrap(line, COLUMNS, subsequent_indent="    ", replace_whitespace=False) or [""]


def picture() -> str:
    """Return the session as one SVG file without scripts; each letter has its place, whatever font is used."""
    rows: list[tuple[str, str, float]] = []
    time = 0.5
    for command in COMMANDS:
        rows += [("command", part, time) for part in shown(f"$ {command}")]
        time += TYPING
        for line in run_command(command).rstrip().splitlines():
            kind = line.partition(":")[0]
            for part in shown(line) if len(line) > COLUMNS else [line]:
                rows.append((kind if kind in ("error", "warning", "try") else "text", part, time))
            time += BETWEEN
        time += 1
    width, height = round(COLUMNS * LETTER) + 40, LINE * len(rows) + 40
    texts = [
        f'  <text class="line {kind}" x="20" y="{34 + LINE * place}" style="animation-delay: {at:.2f}s" '
        f'textLength="{len(text) * LETTER:.1f}" lengthAdjust="spacingAndGlyphs">{escape(text)}</text>'
        for place, (kind, text, at) in enumerate(rows)
        if text.strip()
    ]
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
            'role="img" fill="#e8edf3">',
            "  <title>A wrong query, what graphground says of it, and the corrected query with its rows</title>",
            f"  <style>{STYLE}</style>",
            f'  <rect width="{width}" height="{height}" rx="10" fill="#12161c"/>',
            *texts,
            "</svg>\n",
        ]
    )


if __name__ == "__main__":
    os.environ.setdefault("HF_HUB_OFFLINE", "1")
    (ROOT / "docs" / "images" / "session.svg").write_text(picture(), encoding="utf-8")
