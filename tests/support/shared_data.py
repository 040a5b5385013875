"""The data beside the project (`../shared/data`): real queries, graphs and verdicts that we may not copy.

Tests that use it are marked with `needs(…)`: they are skipped, by name and with a reason, if it is missing.
"""

import os
from pathlib import Path

import pytest

SHARED = Path(os.environ.get("GRAPHGROUND_SHARED", Path(__file__).resolve().parents[3] / "shared")) / "data"


def needs(*parts: str) -> pytest.MarkDecorator:
    """Skip the test unless `../shared/data/<parts>` exists: `@needs("schemas", "nba.json")`."""
    path = SHARED.joinpath(*parts)
    return pytest.mark.skipif(not path.exists(), reason=f"needs ../shared/data/{'/'.join(parts)}")
