"""Decoding with the real libraries: llama.cpp with SmolLM2-135M, and `generate` of transformers."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.agents.decoding.inputs import QUERIES
from tests.support import small_model, small_transformers

ROOT = Path(__file__).resolve().parents[3]
pytestmark = [pytest.mark.long, pytest.mark.timeout(3_000)]


def decoded(install: Callable[[], None], python: Path, script: str) -> Any:
    """Run a script of tests/support with the Python that has the library; return its output."""
    try:
        small_model.install()  # both scripts need the model's file
        install()
    except small_model.NotInstalled as error:
        pytest.skip(str(error))
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "HF_HUB_OFFLINE": "1"}
    file = small_model.model_file()
    words = [str(file)] if script.endswith("llama") else [str(file.parent), file.name]
    ended = subprocess.run(
        [str(python), "-m", f"tests.support.{script}", *words],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=580,
        env=environment,
    )
    assert ended.returncode == 0, ended.stderr[-2_000:]
    return json.loads(ended.stdout)


def test_llama_cpp_writes_only_valid_queries_by_mask_by_grammar_and_by_search() -> None:
    found = decoded(small_model.install, small_model.PYTHON, "decoding_with_llama")
    assert (found["family"], found["spelled"], found["unspellable"]) == ("bytes", True, [])
    assert found["greedy"] in QUERIES
    assert found["processed"] == found["greedy"]
    assert found["grammar"] in QUERIES
    assert set(found["sampled"]) <= set(QUERIES)
    assert found["difference"] < 1e-3
    assert sorted(found["beam"]) == sorted(found["some"])
    assert found["free"] not in QUERIES


def test_transformers_writes_only_valid_queries_greedily_in_beams_and_sampled() -> None:
    found = decoded(small_transformers.install, small_transformers.PYTHON, "decoding_with_transformers")
    assert found["spelled"]
    assert found["own greedy"] in QUERIES
    assert found["greedy"] == [found["own greedy"]]
    assert len(set(found["beams"])) == 4
    assert set(found["beams"]) | set(found["sampled"]) <= set(QUERIES)
    assert sorted(found["own beam"]) == sorted(found["some"])
    assert found["free"] not in QUERIES
