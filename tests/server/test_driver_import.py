"""A server does not import the data-frame libraries that the driver would use."""

from __future__ import annotations

import subprocess
import sys

import pytest

CODE = """
import sys
from graphground.server.driver_import import import_driver
import_driver()
assert "neo4j" in sys.modules
print(*sorted({"pandas", "pyarrow"} & set(sys.modules)))
import pyarrow
print(pyarrow.array([1, 2]).sum())
"""


def test_the_driver_is_imported_without_pandas_and_pyarrow_which_can_still_be_imported() -> None:
    pytest.importorskip("pyarrow", reason="needs the extra `parquet`")
    run = subprocess.run([sys.executable, "-c", CODE], capture_output=True, text=True, timeout=60, check=False)
    assert run.stderr == ""
    assert run.stdout.splitlines() == ["", "3"]
