"""Parts of the documentation that tests read."""

import importlib.util
from pathlib import Path
from types import ModuleType

DOCS = Path(__file__).resolve().parents[2] / "docs"


def section(page: str, title: str) -> str:
    """Return the part of a page below a heading of the second level: `section("clients.md", "Use a framework")`."""
    _, found, rest = (DOCS / page).read_text(encoding="utf-8").partition(f"\n## {title}\n")
    assert found, (page, title)
    return rest.partition("\n## ")[0]


def load_module(path: Path) -> ModuleType:
    """Import a Python file that belongs to no package: `load_module(ROOT / "bootstrap.py")`."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def generator() -> ModuleType:
    """Return the module docs/reference.py, which writes the parts of the documentation that come from the code."""
    return load_module(DOCS / "reference.py")
