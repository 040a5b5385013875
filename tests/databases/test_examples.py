"""What the tools say about a database without any preparation: no fix does harm, and no claim is false."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.databases import ERP
from tests.support.databases.measuring import fixes, opened, statements
from tests.support.neo4j_server import Neo4jServer


@pytest.mark.neo4j
@pytest.mark.timeout(600)
@pytest.mark.parametrize("every", [4, pytest.param(1, marks=pytest.mark.long)])
def test_no_fix_does_harm_and_no_claim_is_false_on_an_unprepared_database(
    every: int, neo4j_5: Neo4jServer, tmp_path: Path
) -> None:
    with opened(neo4j_5, ERP, tmp_path) as trial:
        attempts, gold = fixes(trial)
        assert attempts.right == attempts.of, attempts.missed
        assert gold.right == gold.of == 40, gold.missed
        stated = statements(trial, every)
        assert stated.checked > 100 / every
        assert stated.false == []
