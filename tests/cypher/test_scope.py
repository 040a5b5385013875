from graphground.cypher import parse
from graphground.cypher.scope import Binding
from graphground.cypher.semantics import analyze
from graphground.cypher.tree import Query, Variable


def _last(query: Query, name: str) -> Binding:
    scopes = analyze(query)
    found = scopes.of([variable for variable in query.find(Variable) if variable.name == name][-1])
    assert found is not None
    return found


def test_an_alias_leads_back_to_the_pattern_of_its_variable() -> None:
    query = parse("MATCH (n:Person) WITH n AS m RETURN m")
    binding = _last(query, "m")
    assert binding.kind == "node"
    assert [query.source(pattern) for pattern in binding.root.patterns] == ["(n:Person)"]


def test_required_patterns_of_a_variable_are_collected_separately_from_optional_patterns() -> None:
    query = parse("MATCH (n:A) MATCH (n:B)-->() OPTIONAL MATCH (n:C) WHERE (n:D)-->() RETURN n")
    binding = _last(query, "n")
    assert [query.source(pattern) for pattern in binding.patterns] == ["(n:A)", "(n:B)"]
    assert [query.source(pattern) for pattern in binding.mentions] == ["(n:C)", "(n:D)"]


def test_subquery_columns_have_the_columns_of_each_branch_as_origins() -> None:
    query = parse("CALL { MATCH (n:A) RETURN n UNION MATCH (n:B) RETURN n } WITH DISTINCT n RETURN n.name")
    binding = _last(query, "n")
    assert binding.kind == "node"
    assert [query.source(root.patterns[0]) for root in binding.roots()] == ["(n:A)", "(n:B)"]


def test_the_variable_of_a_variable_length_pattern_is_a_list_of_relationships() -> None:
    binding = _last(parse("MATCH (a)-[r:X*]->(b) RETURN r"), "r")
    assert (binding.kind, binding.grouped) == ("value", True)


def test_a_projected_value_keeps_its_expression() -> None:
    query = parse("MATCH (n) WITH n.age AS age WHERE age > 3 RETURN age")
    source = _last(query, "age").source
    assert source is not None
    assert query.source(source) == "n.age"


def test_an_imported_variable_is_the_outer_variable() -> None:
    for text in (
        "MATCH (n:A) CALL { WITH n MATCH (n)-->(m) RETURN m } RETURN m",
        "MATCH (n:A) CALL (n) { MATCH (n)-->(m) RETURN m } RETURN m",
        "MATCH (n:A) WHERE EXISTS { MATCH (n)-->(m) } RETURN n",
    ):
        query = parse(text)
        assert query.source(_last(query, "n").root.patterns[0]) == "(n:A)", text
