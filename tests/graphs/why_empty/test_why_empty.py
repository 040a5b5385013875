from dataclasses import replace

import pytest

from graphground.cypher import parse
from graphground.cypher.diagnostics import Diagnostic
from graphground.cypher.quoting import quoted_string
from graphground.graphs.graph import Graph
from graphground.graphs.opening.open_graphs import GraphSource, OpenGraphs
from graphground.graphs.why_empty.explain import fixed_query, why_empty
from graphground.tools.execute_cypher import ExecuteCypherRequest, execute_cypher
from tests.support.embedded_films import ANSWERED


def cause(graph: Graph, query: str, **parameters: object) -> Diagnostic:
    assert graph.run(query, parameters).rows == []
    found = why_empty(graph, parse(query), parameters)
    assert found
    return found[0]


@pytest.mark.parametrize("query", ANSWERED)
def test_the_unbroken_queries_return_rows(film_graph: Graph, query: str) -> None:
    assert film_graph.run(query).rows


@pytest.mark.parametrize(
    ("query", "part", "suggestion"),
    [
        (
            "MATCH (f:Film)-[:directedBy]->(p:Person {name: 'Michael Man'}) RETURN f.name",
            "'Michael Man'",
            "'Michael Mann'",
        ),
        ("MATCH (f:Film {name: $film}) RETURN f.runtime_minute", "$film", "'Heat'"),
        ("MATCH (p:Person {name: 'GAH'})-[:hasSpouse]->(q) RETURN q.name", "'GAH'", "'Gale Anne Hurd'"),
        (
            "CALL { MATCH (f:Film {name: 'Haet'}) RETURN f UNION MATCH (f:Film {name: 'Ronni'}) RETURN f } RETURN f.name",
            "'Haet'",
            "'Heat'",
        ),
    ],
)
def test_a_misspelled_name_is_reported_at_its_position_with_the_correct_name_first(
    film_graph: Graph, query: str, part: str, suggestion: str
) -> None:
    found = cause(film_graph, query, **({"film": "Haet"} if "$film" in query else {}))
    assert (found.code, found.found, found.suggestions[0]) == ("entity_not_found", part, suggestion)
    assert found.column == query.index(part) + 1


@pytest.mark.parametrize(
    ("query", "part"),
    [
        ("MATCH (f:Film {name: 'Ronin'}) WHERE f.name = 'Heat' RETURN f", "f.name = 'Heat'"),
        ("MATCH (f:Film {name: 'Ronin'}) WHERE f.name STARTS WITH 'Hea' RETURN f", "f.name STARTS WITH 'Hea'"),
        ("MATCH (f:Film {name: 'Ronin'}) MATCH (f:Film {name: 'Heat'}) RETURN f", "name: 'Heat'"),
    ],
)
def test_a_name_that_exists_elsewhere_is_not_called_missing(film_graph: Graph, query: str, part: str) -> None:
    other = film_graph.run("MATCH (f:Film) WHERE f.name <> 'Heat' RETURN f.name LIMIT 1").rows[0][0]
    found = cause(film_graph, query.replace("'Ronin'", quoted_string(other)))
    assert (found.code, found.found, found.suggestions) == ("filter_removes_all", part, ())
    assert found.message == (
        f"This condition removes every row: {part}. A node that satisfies it exists, but in none of the rows before "
        "this condition."
    )


@pytest.mark.parametrize(
    ("query", "beginning", "suggestion"),
    [
        ("MATCH (f:Film) WHERE f.name CONTAINS 'Haet' RETURN f", "No Film's name contains 'Haet'", "'Heat'"),
        ("MATCH (p:Person) WHERE 'Qx' IN p.aliases RETURN p", "No Person has 'Qx' among its aliases", None),
        ("MATCH (f:Film) WHERE 'Haeting' CONTAINS f.name RETURN f", "This condition removes every row: ", None),
    ],
)
def test_the_name_that_no_node_has_is_described_by_the_condition(
    film_graph: Graph, query: str, beginning: str, suggestion: str | None
) -> None:
    found = cause(film_graph, query)
    assert found.message.startswith(beginning)
    assert (found.suggestions or (None,))[0] == suggestion


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ("MATCH (x:Film&Person) RETURN x", "No node matches the label expression Film&Person."),
        ("MATCH (f:Film) MATCH (f:Person) RETURN f", "In the rows before this MATCH, no f has the label Person."),
        (
            "MATCH p = shortestPath((f:Film {name: 'Heat'})-[:hasSpouse*..3]-(g:Genre {name: 'heist film'})) RETURN p",
            "Both ends exist, but no path that fits this pattern connects them.",
        ),
    ],
)
def test_a_pattern_that_matches_nothing_is_reported_with_its_reason(
    film_graph: Graph, query: str, message: str
) -> None:
    assert cause(film_graph, query).message == message


MISSING = "{a: 'N/A'}, {a: 'N/A'}"


@pytest.mark.parametrize(
    ("rows", "condition", "reason"),
    [
        ("[{a: true}, {a: null}]", "m.a = 7", "In the rows before this condition, m.a is always true, or is null."),
        ("[{a: 3}, {a: 5}]", "m.a > 7", "In the rows before this condition, m.a ranges from 3 to 5."),
        ("[{a: ['x', 'y']}]", "m.a = 'x'", "m.a is a list; compare with its items: 'x' IN m.a."),
        ("[{a: 3}]", "m.a = 'x'", "m.a is not a text; one of its values is 3."),
        ("[{a: []}]", "'x' IN m.a", "In the rows before this condition, m.a is null or an empty list."),
        (
            f"[{MISSING}, {{a: '2020-05-17'}}, {{a: '2021-01-01'}}]",
            "m.a > date()",
            "'N/A' stands in it for a missing value.",
        ),
    ],
)
def test_a_condition_that_removes_every_row_is_explained_with_the_values_before_it(
    film_graph: Graph, rows: str, condition: str, reason: str
) -> None:
    assert cause(film_graph, f"UNWIND {rows} AS m WITH m WHERE {condition} RETURN m").message.endswith(reason)


def test_a_wrong_relationship_is_reported_with_the_types_that_connect_the_nodes(film_graph: Graph) -> None:
    found = cause(
        film_graph, "MATCH (f:Film {name: 'Heat'})-[:hasGenre]->(p:Person {name: 'Michael Mann'}) RETURN f.name"
    )
    assert found.code == "matches_nothing"
    assert "-[:directedBy]->" in found.message
    assert not found.suggestions


def test_the_condition_that_removes_the_last_row_is_reported_with_the_existing_values(film_graph: Graph) -> None:
    found = cause(
        film_graph,
        "MATCH (f:Film {name: 'Heat'})-[:directedBy]->(p:Person) "
        "WHERE p.name CONTAINS 'a' AND f.runtime_minute > 100000 RETURN f.name",
    )
    assert (found.code, found.found) == ("filter_removes_all", "f.runtime_minute > 100000")
    assert "ranges from" in found.message


@pytest.mark.parametrize(
    ("rows", "condition", "fix"),
    [
        ("[{a: '161,857'}, {a: '44,101'}]", "m.a > 150000", "toFloat(replace(m.a, ',', '')) > 150000"),
        ("[{a: '2020-05-17'}, {a: '2021-01-01'}, {a: ''}]", "m.a > date()", "m.a IN ['']"),
        ("[{a: 'brake Worn'}, {a: 'seal torn'}]", "m.a CONTAINS 'Brake'", "toLower(m.a) CONTAINS 'brake'"),
        ("[{a: ['Sat', 'Sun']}, {a: ['Mon']}]", "'Saturday' IN m.a", "'Sat' IN m.a"),
        ("[{a: 'AD'}, {a: 'SB'}]", "m.a = 'airworthiness directive'", "m.a = 'AD'"),
        ("[{a: 'RES'}, {a: 'RESTORE'}, {a: 'EXH'}]", "m.a = 'restoration'", "m.a = 'RESTORE'"),
        ("[{a: 'King Street'}, {a: 'Rope Walk'}]", "m.a ENDS WITH 'Stret'", "m.a ENDS WITH 'Street'"),
        ("[{a: '1,640'}, {a: '91'}]", "toInteger(m.a) > 900", "toInteger(replace(m.a, ',', '')) > 900"),
        ("[{a: ['x', 'y']}]", "size(m.a) > '1'", "size(m.a) > 1"),
        ("[{a: '2020-05-17'}]", "date(m.a) > '2020-01-01'", "date(m.a) > date('2020-01-01')"),
        ("[{a: '01.02.2019'}]", "right(m.a, 4) = 2019", "right(m.a, 4) = '2019'"),
    ],
)
def test_text_that_holds_other_values_is_converted_in_the_fix_of_a_condition(
    film_graph: Graph, rows: str, condition: str, fix: str
) -> None:
    query = f"UNWIND {rows} AS m WITH m WHERE {condition} RETURN m"
    assert cause(film_graph, query).suggestions[0] in fix
    assert fixed_query(film_graph, parse(query), why_empty(film_graph, parse(query)), None) == query.replace(
        condition, fix
    )


def test_the_opposite_of_a_value_is_never_offered(film_graph: Graph) -> None:
    query = parse("UNWIND [{a: 'inactive'}, {a: 'retired'}] AS m WITH m WHERE m.a = 'active' RETURN m")
    assert cause(film_graph, query.text).suggestions == ("m.a = 'retired'",)
    assert fixed_query(film_graph, query, why_empty(film_graph, query), None) is None


def test_a_name_with_several_similar_ones_is_fixed_if_only_one_returns_rows(film_graph: Graph) -> None:
    query = parse("MATCH (f:Film)-[:directedBy]->(p:Person {name: 'Mann'}) WHERE f.name = 'Heat' RETURN f.name")
    (cause,) = why_empty(film_graph, query)
    names = replace(cause, suggestions=("'Michael Mann'", "'James Cameron'"), edits=())
    fixed = fixed_query(film_graph, query, [names], None)
    assert fixed == query.text.replace("'Mann'", "'Michael Mann'")
    assert (
        fixed_query(film_graph, query, [replace(names, suggestions=("'James Cameron'", "'Gale Anne Hurd'"))], None)
        is None
    )


def test_of_several_ways_the_one_whose_answer_contains_the_others_is_the_fix(film_graph: Graph) -> None:
    query = parse("MATCH (g:Genre)-[:shotBy]->(p:Person) RETURN DISTINCT p.name")
    whole, part = (f"<-[:hasGenre]-(:Film)-[:{types}]->" for types in ("directedBy|writtenBy", "directedBy"))
    start = query.text.index("-[")
    place = (1, start + 1, 1, start + len("-[:shotBy]->") + 1)
    cause = Diagnostic("impossible_pattern", "error", "", *place, "-[:shotBy]->", (part, whole))
    assert fixed_query(film_graph, query, [cause], None) == query.text.replace("-[:shotBy]->", whole)
    other = "<-[:hasGenre]-(:Film)-[:writtenBy]->"
    assert fixed_query(film_graph, query, [replace(cause, suggestions=(part, other))], None) is None


def test_all_values_of_a_property_with_few_are_shown_nearest_in_meaning_first(film_graph: Graph) -> None:
    found = cause(film_graph, "MATCH (p:Person) WHERE p.gender = 'woman' RETURN p.name")
    values = {row[0] for row in film_graph.run("MATCH (p:Person) RETURN DISTINCT p.gender").rows if row[0]}
    assert found.suggestions[0] == "p.gender = 'female'"
    assert set(found.suggestions) == {f"p.gender = {quoted_string(value)}" for value in values}
    assert not found.edits  # another word is never certain to mean the same
    assert "its values are 'female'" in found.message


def test_a_fix_is_offered_only_if_it_returns_rows(film_graph: Graph) -> None:
    query = "MATCH (f:Flim) WHERE f.runtime_minute > {} RETURN f.name"
    graphs = OpenGraphs([GraphSource("films", "", "held", lambda: film_graph)])

    def offered(least: int) -> str | None:
        return execute_cypher(graphs, ExecuteCypherRequest(query=query.format(least))).suggested_query

    assert offered(100) == query.format(100).replace("Flim", "Film")
    assert offered(100_000) is None
    initials = ExecuteCypherRequest(query="MATCH (p:Person {name: 'GAH'})-[:hasSpouse]->(q) RETURN q.name")
    (said,) = execute_cypher(graphs, initials).diagnostics
    assert said.message == "No Person has the name 'GAH'; these are the initials of 'Gale Anne Hurd'."


@pytest.mark.parametrize(
    ("condition", "suggestion"),
    [
        ("p.gender = 'femal'", "p.gender = 'female'"),
        ("toLower(p.name) = 'jame camaron'", "toLower(p.name) = 'james cameron'"),
    ],
)
def test_a_condition_on_text_suggests_the_nearest_of_the_values_that_occur(
    film_graph: Graph, condition: str, suggestion: str
) -> None:
    found = cause(film_graph, f"MATCH (p:Person) WHERE {condition} RETURN p.name")
    assert found.code == "filter_removes_all"
    assert found.suggestions[0] == suggestion
    assert "name" not in condition or len(found.suggestions) == 1  # no other name is similar


@pytest.mark.parametrize(
    ("condition", "explanation"),
    [
        ("f.name <> 'Heat'", "f.name is always 'Heat', or is null"),
        ("NOT f.name CONTAINS 'ea'", "f.name always contains 'ea', or is null"),
        ("f.name CONTAINS 'heat'", "f.name never contains 'heat' in"),
        ("'Heater' STARTS WITH f.name + 's'", "This condition removes every row: 'Heater' STARTS WITH f.name + 's'."),
    ],
)
def test_a_condition_on_text_is_explained_by_what_it_says_of_the_values(
    film_graph: Graph, condition: str, explanation: str
) -> None:
    query = f"MATCH (f:Film) WHERE f.name = 'Heat' WITH f WHERE {condition} RETURN f.runtime_minute"
    found = cause(film_graph, query)
    assert found.code == "filter_removes_all"
    assert explanation in found.message
    assert bool(found.suggestions) == (" never " in explanation)


@pytest.mark.parametrize(
    ("written", "other_way"),
    [
        ("-[:directedBy]->", "<-[:directedBy]-"),
        ("-[:directedBy]->{1,3}", "<-[:directedBy]-{1,3}"),
        ("-[:directedBy]->+", "<-[:directedBy]-+"),
        ("-[:directedBy*1..2]->", "<-[:directedBy*1..2]-"),
    ],
)
def test_a_reversed_relationship_is_reported_with_the_direction_that_matches(
    film_graph: Graph, written: str, other_way: str
) -> None:
    query = f"MATCH (p:Person {{name: 'Michael Mann'}}){written}(f:Film {{name: 'Heat'}}) RETURN f.name"
    found = cause(film_graph, query)
    assert (found.code, found.found) == ("reversed_direction", written)
    assert list(found.suggestions) == [other_way]


@pytest.mark.parametrize(
    ("query", "part", "message"),
    [
        (
            "MATCH (f:Film {name: 'Heat'})-[:directedBy]->(p:Person) RETURN p.name SKIP 9999",
            "9999",
            "SKIP 9999 leaves no row; the clauses before RETURN give 4 rows.",
        ),
        (
            "MATCH (f:Film {name: 'Heat'})-[:directedBy]->(p:Person) RETURN p.name SKIP 2 LIMIT 0",
            "0",
            "LIMIT 0 leaves no row; the clauses before RETURN give 4 rows.",
        ),
        ("MATCH (f:Film) WITH f SKIP 2 LIMIT 0 RETURN f.name", None, "SKIP or LIMIT leaves no row here."),
    ],
)
def test_the_skip_or_limit_that_leaves_no_row_is_reported(
    film_graph: Graph, query: str, part: str | None, message: str
) -> None:
    found = cause(film_graph, query)
    assert found.message == message
    assert part in (None, found.found)


@pytest.mark.parametrize("aggregate", ["collect(f.nothing)", "percentileCont(size(f.nothing), 0.5)"])
def test_an_aggregate_without_values_is_called_empty_whatever_its_function(film_graph: Graph, aggregate: str) -> None:
    query = f"MATCH (f:Film) WHERE f.name = 'Heat' RETURN {aggregate}"
    assert film_graph.run(query).rows in ([[[]]], [[None]])
    (found,) = why_empty(film_graph, parse(query))
    assert found.message == f"The pattern matches, but {aggregate} is null, zero or empty."


@pytest.mark.parametrize(
    ("values", "clause"),
    [
        ("{a: 1}, {a: null}", "1 of the 2 rows before SKIP and LIMIT has"),
        ("{a: 1}, {a: 2}, {a: null}", "2 of the 3 rows before SKIP and LIMIT have"),
    ],
)
def test_nulls_that_sort_first_are_reported_with_the_number_of_rows_with_a_value(
    film_graph: Graph, values: str, clause: str
) -> None:
    query = f"UNWIND [{values}] AS m RETURN m.a ORDER BY m.a DESC LIMIT 1"
    assert film_graph.run(query).rows == [[None]]
    (found,) = why_empty(film_graph, parse(query))
    assert f"but {clause} a value. ORDER BY … DESC puts nulls first." in found.message


def test_two_hops_that_do_not_match_together_are_reported_with_the_nodes_that_they_share(film_graph: Graph) -> None:
    query = "MATCH (f:Film {name: 'Heat'})-[:directedBy]->(p), (f)-[:writtenBy]->(p) RETURN p.name"
    reason = " each match alone, but no combination of f and p satisfies both."
    assert cause(film_graph, query).message.endswith(reason)


def test_no_cause_is_reported_and_no_error_raised_if_there_is_no_time(film_graph: Graph) -> None:
    assert why_empty(film_graph, parse("MATCH (f:Film {name: 'Haet'}) RETURN f.name"), seconds=0.0) == []
