"""Parts of the documentation that tests read."""

from pathlib import Path

DOCS = Path(__file__).resolve().parents[2] / "docs"


def section(page: str, title: str) -> str:
    """Return the part of a page below a heading of the second level: `section("clients.md", "Use a framework")`."""
    _, found, rest = (DOCS / page).read_text(encoding="utf-8").partition(f"\n## {title}\n")
    assert found, (page, title)
    return rest.partition("\n## ")[0]
