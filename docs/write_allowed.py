"""Writes docs/allowed.md from the lists of allowed procedures and functions: `python docs/write_allowed.py`."""

from pathlib import Path

from graphground.cypher.safety.allowed import allowed_page

if __name__ == "__main__":
    Path(__file__).with_name("allowed.md").write_text(allowed_page(), encoding="utf-8")
