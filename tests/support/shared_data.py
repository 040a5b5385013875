"""The data next to the project (`../shared/data`): real queries, graphs and verdicts that may not be copied.

Tests that use these data are marked with `needs(…)`; if the data are missing, the tests are skipped with a reason.
"""

import os
from pathlib import Path

import pytest

SHARED = Path(os.environ.get("GRAPHGROUND_SHARED", Path(__file__).resolve().parents[3] / "shared")) / "data"


def needs(*parts: str) -> pytest.MarkDecorator:
    """Skip the test unless `../shared/data/<parts>` exists: `@needs("schemas", "nba.json")`."""
    path = SHARED.joinpath(*parts)
    return pytest.mark.skipif(not path.exists(), reason=f"needs ../shared/data/{'/'.join(parts)}")
