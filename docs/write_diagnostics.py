"""Writes docs/diagnostics.md from the tables of codes: `python docs/write_diagnostics.py`."""

from pathlib import Path

from graphground.cypher.reference import reference_page

if __name__ == "__main__":
    Path(__file__).with_name("diagnostics.md").write_text(reference_page(), encoding="utf-8")
