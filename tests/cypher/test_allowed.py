"""Allowed functions and procedures are listed by name, with a reason; all others are refused."""

from pathlib import Path

import pytest

from graphground.cypher import validate
from graphground.cypher.allowed import FUNCTIONS_ALLOWED, PROCEDURES_ALLOWED, allowed_page
from graphground.cypher.procedures import PROCEDURES


def test_the_page_of_allowed_functions_matches_the_lists() -> None:
    page = Path(__file__).parents[2] / "docs" / "allowed.md"
    assert page.read_text(encoding="utf-8") == allowed_page(), "run python docs/write_allowed.py"
    _, _, excluded = allowed_page().partition("## Excluded, and why")
    assert "`apoc.cypher.*`" in excluded


@pytest.mark.parametrize(
    "call",
    [
        "apoc.coll.fill('x', 2000000000)",
        "apoc.text.repeat('x', 2000000000)",
        "apoc.text.lpad('x', 2000000000, ' ')",
        "apoc.text.rpad('x', 2000000000, ' ')",
        "apoc.text.random(2000000000)",
        "apoc.text.format('%999999999d', [1])",
        "apoc.coll.combinations(range(1, 60), 30)",
        "apoc.coll.randomItems([1], 2000000000, true)",
        "apoc.number.arabicToRoman(2000000000)",
        "apoc.number.exact.add('1e999999999', '1')",
        "apoc.util.decompress(x)",
        "apoc.hashing.fingerprintGraph()",
        "apoc.xml.parse('<x/>')",
        "apoc.text.toCypher({})",
        "apoc.any.isDeleted(x)",
        "apoc.coll.max([1])",
        "apoc.cypher.runFirstColumnSingle('RETURN 1', {})",
        "apoc.util.validatePredicate(true, '', [])",
        "apoc.coll.notYetWritten([1])",
        "apoc.text.notYetWritten('x')",
        "gds.similarity.notYetWritten([1])",
        "apoc.agg.percentiles(x)",
        "apoc.agg.statistics(x)",
        "APOC.Coll.FILL('x', 9)",
        "`apoc.coll.fill`('x', 9)",
        "apoc.`coll`.`fill`('x', 9)",
        "apoc . coll /**/ . fill('x', 9)",
    ],
)
def test_a_function_that_is_not_on_the_list_is_refused(call: str) -> None:
    for place in (
        f"WITH 1 AS x RETURN {call} AS y",
        f"MATCH (x) WHERE {call} = 1 RETURN x",
        f"MATCH (x) RETURN x ORDER BY {call}",
        f"MATCH (x) RETURN x LIMIT toInteger({call})",
        f"MATCH (x) RETURN EXISTS {{ MATCH (y {{k: {call}}}) }} AS z",
        f"MATCH (x) RETURN [y IN [1] WHERE {call} = y | y] AS z",
    ):
        report = validate(place, read_only=True)
        assert "forbidden_procedure" in {diagnostic.code for diagnostic in report.diagnostics}, place
        assert report.access == "admin"


@pytest.mark.parametrize(
    "call",
    [
        "apoc.search.node({Film: 'name` = 1 OR 1 = 1 //'}, 'exact', 'x')",
        "apoc.search.nodeAll($map, '=', 1)",
        "apoc.search.nodeReduced('{}', '=', 1)",
        "apoc.search.nodeAllReduced('{}', '=', 1)",
        "apoc.search.multiSearchReduced('{}', '=', 1)",
        "apoc.meta.data.of('CREATE (n)')",
        "apoc.meta.graph.of('CREATE (n)')",
        "apoc.graph.fromCypher('CREATE (n)', {}, '', {})",
        "apoc.help('x')",
        "apoc.util.sleep(1)",
        "db.awaitIndexes(300)",
        "db.awaitIndex('x', 300)",
        "dbms.listConfig()",
        "algo.louvain()",
        "apoc.notYetWritten()",
        "my.own()",
        "apoc.neighbors.athop(n, 'T', 200000000)",
        "apoc.neighbors.byhop.count(n, 'T', 200000000)",
        "apoc.neighbors.tohop(n, 'T', 2000000000)",
        "db.stats.retrieve('GRAPH COUNTS')",
        "dbms.listCapabilities()",
        "`apoc.search`.node({}, '=', 1)",
    ],
)
def test_a_procedure_that_is_not_on_the_list_is_refused(call: str) -> None:
    for text in (
        f"CALL {call}",
        f"MATCH (n) CALL {call} YIELD x RETURN x",
        f"OPTIONAL CALL {call} YIELD x RETURN x",
        f"MATCH (n) WHERE COUNT {{ CALL {call} YIELD x RETURN x }} > 0 RETURN n",
    ):
        report = validate(text, read_only=True)
        assert "forbidden_procedure" in {diagnostic.code for diagnostic in report.diagnostics}, text


def test_the_list_of_procedures_contains_no_writing_and_no_administrative_procedure() -> None:
    modes = {name: PROCEDURES[name].mode for name in PROCEDURES if name.lower() in PROCEDURES_ALLOWED}
    assert set(modes.values()) == {"read"}
    assert not any(
        part in name
        for name in PROCEDURES_ALLOWED | FUNCTIONS_ALLOWED
        for part in (".load", ".export", ".import", ".cypher.run", "periodic", "trigger", "search")
    )


def test_a_show_command_is_classified_by_its_object_and_not_by_names_of_users_or_databases() -> None:
    for text in ("SHOW INDEXES", "SHOW ALL CONSTRAINTS YIELD name", "SHOW USER DEFINED FUNCTIONS", "SHOW PROCEDURES"):
        assert validate(text, read_only=True).valid, text
    for text in (
        "SHOW USER indexes PRIVILEGES",
        "SHOW ROLE functions PRIVILEGES AS COMMANDS",
        "SHOW DATABASE indexes",
        "SHOW SETTING procedures",
        "SHOW ALIAS constraints FOR DATABASE",
        "SHOW TRANSACTIONS 'indexes'",
    ):
        assert not validate(text, read_only=True).valid, text
