"""What the tools must achieve on a database without any preparation, checked on example databases."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.databases import DATABASES
from tests.support.databases.measuring import filtered, fixes, names, opened, statements, suggestions
from tests.support.neo4j_server import Neo4jServer

pytestmark = [pytest.mark.neo4j, pytest.mark.timeout(600)]


@pytest.mark.parametrize(
    "name", ["erp", *(pytest.param(name, marks=pytest.mark.long) for name in DATABASES if name != "erp")]
)
def test_the_tools_meet_the_requirements_on_an_unprepared_database(
    name: str, neo4j_5: Neo4jServer, tmp_path: Path
) -> None:
    with opened(neo4j_5, DATABASES[name], tmp_path) as trial:
        attempts, gold = fixes(trial)
        assert attempts.right == attempts.of, attempts.missed
        assert gold.right == gold.of == 40, gold.missed
        found = names(trial)
        assert found.right >= 0.95 * found.of, found.missed
        complete, share = filtered(trial)
        assert complete.right >= 0.95 * complete.of, complete.missed
        assert share <= 0.6
        suggested = suggestions(trial)
        assert suggested.right >= 0.5 * suggested.of, suggested.missed
        stated = statements(trial)
        assert stated.checked > 100
        assert stated.false == []


def test_every_example_has_forty_questions_with_names_among_them() -> None:
    for database in DATABASES.values():
        questions = database.questions()
        assert len(questions) == 40
        assert all(question.gold for question in questions)
        assert sum(len(question.mentions) for question in questions) >= 19
        assert sum(len(question.attempts) for question in questions) >= 6
