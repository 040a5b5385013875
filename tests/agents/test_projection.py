import pytest

from graphground.agents.projection import Projection, projection_of

CALLED = "CALL { MATCH (n:A) RETURN n, 1 AS m UNION MATCH (n:B) RETURN n, 2 AS m } WITH DISTINCT n"


@pytest.mark.parametrize(
    ("query", "parts"),
    [
        ("MATCH (n:Film) RETURN n.name", Projection("MATCH (n:Film)", False, ("n.name",), "")),
        (
            "MATCH (n) WITH DISTINCT n RETURN DISTINCT n.name AS film, n.`my year` ORDER BY n.year DESC LIMIT 1;",
            Projection("MATCH (n) WITH DISTINCT n", True, ("n.name", "n.`my year`"), " ORDER BY n.year DESC LIMIT 1"),
        ),
        (
            "MATCH (n {name: 'a RETURN b, c'}) RETURN coalesce(n.x, 'y, z'), [1, 2] AS pair",
            Projection("MATCH (n {name: 'a RETURN b, c'})", False, ("coalesce(n.x, 'y, z')", "[1, 2]"), ""),
        ),
        (f"{CALLED} RETURN count(n)", Projection(CALLED, False, ("count(n)",), "")),
        (
            "MATCH (n), (m0) RETURN CASE WHEN n.a > m0.a THEN n.name ELSE m0.name END AS answer",
            Projection("MATCH (n), (m0)", False, ("CASE WHEN n.a > m0.a THEN n.name ELSE m0.name END",), ""),
        ),
        ("MATCH (n {`RETURN `: 'it\\'s'}) RETURN n.x", Projection("MATCH (n {`RETURN `: 'it\\'s'})", False, ("n.x",), "")),
    ],
)  # fmt: skip
def test_a_query_is_split_at_its_last_return(query: str, parts: Projection) -> None:
    assert projection_of(query) == parts


@pytest.mark.parametrize("query", ["MATCH (n) RETURN *", "CALL { RETURN 1 AS x }", "MATCH (n) RETURN ", "RETURN 1,"])
def test_a_query_without_returned_items_is_not_split(query: str) -> None:
    assert projection_of(query) is None
