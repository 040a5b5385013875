from dataclasses import replace

import pytest

from graphground.cypher import validate
from graphground.graphs.schemas.statistics import (
    LabelStatistics,
    PatternStatistics,
    PropertyStatistics,
    Statistics,
    TypeStatistics,
)
from tests.support.checked_graphs import CHARACTERS, COMPANY, codes, findings, problems_in
from tests.support.documents import schema


def test_a_misspelled_label_is_reported_with_the_nearest_label() -> None:
    (diagnostic,) = problems_in("MATCH (n:Compnay) WITH DISTINCT n RETURN n.name")
    expected = ("unknown_label", "error", "Compnay", 1, 10)
    assert (diagnostic.code, diagnostic.severity, diagnostic.found, diagnostic.line, diagnostic.column) == expected
    assert diagnostic.suggestions[0] == "Company"


def test_a_type_written_as_a_label_is_recognised_and_the_only_fitting_label_is_suggested() -> None:
    (diagnostic,) = problems_in("MATCH (n:Character)<-[r0:hasMother]-(m0:hasMother) RETURN n.name", CHARACTERS)
    assert diagnostic.code == "unknown_label"
    assert "relationship type" in diagnostic.message
    assert diagnostic.suggestions == ("Character",)


def test_a_misspelled_type_is_reported_and_its_direction_is_not_checked() -> None:
    (diagnostic,) = problems_in(
        "MATCH (n:Location)<-[r0:didIn]-(m0:Character) WITH DISTINCT n RETURN n.name", CHARACTERS
    )
    expected = ("unknown_relationship_type", "didIn", "diedIn")
    assert (diagnostic.code, diagnostic.found, diagnostic.suggestions[0]) == expected
    assert "(:Character)-[:diedIn|bornIn]->(:Location)" in diagnostic.message


def test_a_type_that_only_shares_letters_with_one_of_several_possible_types_is_not_replaced() -> None:
    library = schema("library", {"Member": {}, "Work": {}}, ["Member RESERVED Work", "Member RATED Work"])
    report = validate("MATCH (m:Member)-[:BORROWED]->(w:Work) RETURN w.name", library)
    assert report.diagnostics[0].suggestions == ("RESERVED", "RATED")
    assert report.suggested_query is None
    slip = validate("MATCH (m:Member)-[:RESERVD]->(w:Work) RETURN w.name", library)
    assert slip.suggested_query == "MATCH (m:Member)-[:RESERVED]->(w:Work) RETURN w.name"


def test_the_only_type_between_nodes_of_one_label_may_have_either_direction() -> None:
    staff = schema("staff", {"Person": {}}, ["Person REPORTS_TO Person"])
    query = "MATCH (a:Person){}(b:Person) RETURN b.name"
    for written, fixed in (("-[:MANAGES]->", None), ("-[:REPORT_TO]->", "-[:REPORTS_TO]->")):
        assert validate(query.format(written), staff).suggested_query == (fixed and query.format(fixed))
    passive = schema("papers", {"Person": {}}, ["Person CITES Person"])
    assert validate(query.format("-[r:CITED_BY]->"), passive).suggested_query == query.format("<-[r:CITES]-")


@pytest.mark.parametrize(
    ("query", "fixed"),
    [
        ("(c:CaseFile {type: 'criminal', year: 1999}) RETURN", "(c:CaseFile:CriminalCase {year: 1999}) RETURN"),
        ("(c:CaseFile) WHERE c.kind = 'Appeals' RETURN", "(c:CaseFile) WHERE c:Appeal RETURN"),
        ("(c:CaseFile {type: 'case'}) RETURN", None),
        ("(c:CaseFile) WHERE c.type <> 'appeal' RETURN", None),
    ],
)
def test_the_value_of_an_unknown_property_that_is_a_label_becomes_the_label(query: str, fixed: str | None) -> None:
    together = frozenset({frozenset({"CaseFile", "CriminalCase"}), frozenset({"CaseFile", "Appeal"})})
    court = schema(
        "court", {"CaseFile": {"year": "int"}, "CriminalCase": {}, "Appeal": {}}, [], label_combinations=together
    )
    assert validate(f"MATCH {query} c.name", court).suggested_query == (fixed and f"MATCH {fixed} c.name")


def test_a_type_written_with_a_synonym_is_found_by_meaning() -> None:
    (diagnostic,) = problems_in("MATCH (n:Person)<-[r:hasFounder]-(c:Company) RETURN n.name")
    assert diagnostic.suggestions[0] == "foundedBy"


def test_the_property_of_a_variable_without_a_label_is_checked() -> None:
    (diagnostic,) = problems_in("MATCH (c:Company)-[:hasCEO]->(p) RETURN p.launch_year")
    assert (diagnostic.code, diagnostic.found) == ("unknown_property", "p.launch_year")
    assert diagnostic.message.startswith("Nodes labelled Person have no property 'launch_year'. Company has a property")


def test_a_property_read_from_a_node_is_suggested_for_the_relationship_that_has_it() -> None:
    (diagnostic,) = problems_in("MATCH (c:Company)-[r:hasCEO]->(p:Person) RETURN p.start_year")
    assert diagnostic.message.endswith("The relationship hasCEO has a property 'start_year'.")
    assert diagnostic.suggestions == ("r.start_year",)


def test_the_relationship_that_has_the_property_is_named_once_for_two_conditions() -> None:
    query = "MATCH (:Company)-[:hasCEO]->(p) WHERE p.start_year > 1990 AND p.start_year < 2000 RETURN p.name"
    report = validate(query, COMPANY)
    assert report.suggested_query == (
        "MATCH (:Company)-[r:hasCEO]->(p) WHERE r.start_year > 1990 AND r.start_year < 2000 RETURN p.name"
    )


@pytest.mark.parametrize(
    ("query", "message"),
    [
        (
            "MATCH (n:Country|Industry) RETURN n.foo",
            "No node labelled Country or Industry has a property 'foo'. Properties of these nodes: name.",
        ),
        (
            "MATCH (c:Company)-[r:hasCEO|foundedBy]->(p) RETURN r.gender",
            "The relationships foundedBy and hasCEO have no property 'gender'. "
            "Properties of these relationships: start_year, end_year. Person has a property 'gender': read p.gender.",
        ),
    ],
)
def test_the_message_about_a_property_says_whose_properties_it_lists_and_what_has_the_property(
    query: str, message: str
) -> None:
    assert problems_in(query)[0].message == message


BRANCHED = schema("branched", {"A": {}, "B": {}, "C": {}, "D": {}}, ["A t B", "A t C", "C t D", "A u B", "B v D"])
WITH_SINCE = replace(
    BRANCHED,
    patterns=tuple(
        replace(pattern, properties={"since": "int"}) if pattern.end == "B" and pattern.type == "t" else pattern
        for pattern in BRANCHED.patterns
    ),
)


@pytest.mark.parametrize(
    ("query", "message"),
    [
        (
            "MATCH (:A)-[:tt]->(:B) RETURN 1 AS one",
            "There is no relationship type 'tt' in the graph 'branched'. "
            "Relationships between these nodes: (:A)-[:t|u]->(:B).",
        ),
        (
            "MATCH (:C)-[r:t]->(:D) RETURN r.since",
            "Between these nodes, the relationship t has no property 'since', nor any other. "
            "(:A)-[:t]->(:B) has a property 'since'.",
        ),
    ],
)
def test_the_message_about_a_relationship_is_limited_to_the_nodes_that_the_query_connects(
    query: str, message: str
) -> None:
    assert findings(query, WITH_SINCE).diagnostics[0].message == message


@pytest.mark.parametrize(
    "query",
    [
        "MATCH (c:Company {lunch_year: 1999}) RETURN c.name",
        "MATCH (c:Company) RETURN c {.name, .lunch_year}",
        "MATCH (c:Company) RETURN c['lunch_year'] AS y",
        "MATCH (c:Company) WITH c AS d RETURN d.lunch_year",
        "MATCH (c:Company) WITH collect(c) AS cs UNWIND cs AS d RETURN d.lunch_year",
        "MATCH (c:Company) WITH collect(c) AS cs RETURN [d IN cs | d.lunch_year] AS ys",
        "CALL { MATCH (c:Company) RETURN c } RETURN c.lunch_year",
        "MATCH (p:Person) CALL { WITH p MATCH (p)<-[:hasCEO]-(c) RETURN c } RETURN c.lunch_year",
        "MATCH (p:Person) RETURN COUNT { (p)<-[:hasCEO]-(c) WHERE c.lunch_year > 1999 } AS n",
        "MATCH (p:Person) WHERE EXISTS { MATCH (p)<-[:hasCEO]-(c) WHERE c.lunch_year > 1999 } RETURN p.name",
        "MATCH (p:Person) RETURN [(p)<-[:hasCEO]-(c) | c.lunch_year] AS ys",
        "MATCH (p:Person) OPTIONAL MATCH (p)<-[:hasCEO]-(c) RETURN c.lunch_year",
        "MATCH (x) WHERE x:Company RETURN x.lunch_year",
        "MATCH (c:Company) RETURN CASE WHEN c.lunch_year > 1 THEN 1 ELSE 0 END AS n",
    ],
)
def test_a_misspelled_property_is_found_in_every_position(query: str) -> None:
    found = [diagnostic for diagnostic in problems_in(query) if diagnostic.code == "unknown_property"]
    assert [diagnostic.found.strip("'") for diagnostic in found] == ["lunch_year"]
    assert found[0].suggestions[0].strip("'") == "launch_year"


@pytest.mark.parametrize(
    "query",
    [
        "MATCH (n) RETURN n.launch_year",
        "MATCH (n) WHERE n:Company OR n:Person RETURN n.launch_year",
        "MATCH (n:Company|Person) RETURN n.launch_year, n.gender",
        "MATCH (n:!Person) RETURN n.launch_year",
        "MATCH (n:%) RETURN n.gender",
        "MATCH (c:Company)-[r:hasCEO|foundedBy]->(p) RETURN r.start_year",
        "MATCH (c:Company)-[r]->(p:Person) RETURN r.start_year",
        "MATCH (c:Company)-[rs:hasCEO*1..2]->(p) UNWIND rs AS r RETURN r.start_year",
        "MATCH (n:Company) WITH n {.name} AS m RETURN m.anything",
        "WITH {x: 1} AS m RETURN m.x",
        "UNWIND $rows AS row RETURN row.id",
        "CALL db.labels() YIELD label RETURN label.x",
        "CALL { MATCH (n:Company) RETURN n UNION MATCH (n:Person) RETURN n } RETURN n.launch_year, n.gender",
        "MATCH (p:Person) WITH p.date_of_birth AS d RETURN d.year",
        "MATCH (n) WHERE n.gender = 'male' OPTIONAL MATCH (n)-[:hasCEO]->(m) RETURN n.launch_year",
    ],
)
def test_a_property_that_may_exist_is_not_reported(query: str) -> None:
    assert codes(query) == []


def test_with_an_open_schema_no_missing_name_is_reported() -> None:
    company = schema("open", {"Company": {}}, [], open=True)
    assert codes("MATCH (n:Compnay {x: 1})-[:ownz]->(m) RETURN m.y", company) == []


def test_nodes_with_several_labels_have_the_properties_of_all_of_them() -> None:
    staff = schema(
        "staff",
        {"User": {}, "Admin": {"level": "int"}},
        ["Admin knows User"],
        label_combinations=frozenset({frozenset({"User", "Admin"})}),
    )
    assert codes("MATCH (u:User) RETURN u.level", staff) == []
    assert codes("MATCH (u:User)-[:knows]->(v:User) RETURN v.name", staff) == []
    assert codes("MATCH (u:User&!Admin) RETURN u.level", staff) == [("unknown_property", "level")]


def test_names_that_need_backticks_are_suggested_with_them() -> None:
    odd = schema("odd", {"Film Studio": {}}, [])
    (diagnostic,) = problems_in("MATCH (n:FilmStudio) RETURN n.name", odd)
    assert diagnostic.suggestions == ("`Film Studio`",)


SHOP = schema(
    "shop",
    {"Customer": {}, "Order": {}, "Product": {"price": "float"}, "Store": {"opened": "int"}, "Supplier": {}},
    [
        "Customer PLACED Order",
        "Order CONTAINS Product",
        "Store SELLS Product",
        "Product MADE_BY Supplier",
        "Customer LIVES_NEAR Store",
        "Store OWNED_BY Customer",
        "Store SUPPLIED_BY Supplier",
    ],
)


def test_a_missing_hop_is_named_for_a_type_that_does_not_exist() -> None:
    (found,) = problems_in("MATCH (c:Customer)-[:BOUGHT]->(p:Product) RETURN c.name", SHOP)
    assert (found.code, found.found, found.edits) == ("unknown_relationship_type", "-[:BOUGHT]->", ())
    assert "-[:PLACED]->(:Order)-[:CONTAINS]->" in found.suggestions
    assert "A path leads through another node: (…)-[:PLACED]->(:Order)-[:CONTAINS]->(…)" in found.message


def test_two_missing_hops_are_the_fix_if_no_way_over_one_node_exists() -> None:
    dig = schema(
        "dig",
        {"Find": {}, "Layer": {}, "Trench": {}, "Site": {}},
        ["Find IN Layer", "Layer OF Trench", "Trench AT Site"],
    )
    report = validate("MATCH (f:Find)-[:IN]->(s:Site {name: 'Ur'}) RETURN f.name", dig)
    assert (
        "A path leads through other nodes: (…)-[:IN]->(:Layer)-[:OF]->(:Trench)-[:AT]->(…)"
        in report.diagnostics[0].message
    )
    assert report.suggested_query == (
        "MATCH (f:Find)-[:IN]->(:Layer)-[:OF]->(:Trench)-[:AT]->(s:Site {name: 'Ur'}) RETURN f.name"
    )


COURT = schema(
    "court",
    {"Person": {"city": "str"}, "Expert": {}, "Judge": {}, "Case": {}, "Hearing": {}, "Firm": {"name": "str"}},
    [
        "Person PRESIDES_OVER Case",
        "Judge PRESIDES_OVER Case",
        "Person TESTIFIED_AT Hearing",
        "Expert TESTIFIED_AT Hearing",
        "Hearing OF_CASE Case",
        "Judge MEMBER_OF Firm",
    ],
    {"MEMBER_OF": {"role": "str"}},
    label_combinations=frozenset({frozenset({"Person", "Expert"}), frozenset({"Person", "Judge"})}),
)


@pytest.mark.parametrize(
    ("query", "right"),
    [
        (  # every expert is a person, but only judges preside
            "MATCH (e:Expert)-[:TESTIFIED_AT]->(c:Case) RETURN count(e)",
            "MATCH (e:Expert)-[:TESTIFIED_AT]->(:Hearing)-[:OF_CASE]->(c:Case) RETURN count(e)",
        ),
        (
            "MATCH (j:Judge {role: 'partner'})-[:MEMBER_OF]->(f:Firm) RETURN f.name",
            "MATCH (j:Judge)-[:MEMBER_OF {role: 'partner'}]->(f:Firm) RETURN f.name",
        ),
        (
            "MATCH (p:Person)-[:LIVES_IN]->(:City {name: 'Ashby'}) RETURN count(p)",
            "MATCH (p:Person {city: 'Ashby'}) RETURN count(p)",
        ),
        (
            "MATCH (c:City)<-[:LIVES_IN]-(p:Person {name: 'Ada'}) WHERE c.name IN ['Ashby'] RETURN c.name",
            "MATCH (p:Person {name: 'Ada'}) WHERE p.city IN ['Ashby'] RETURN p.city",
        ),
        ("MATCH (p:Person)-[:LIVES_IN]->(c:City {name: 'Ashby'}) RETURN c", None),  # there is no such node to return
        ("MATCH (p:Person)-[:LIVES_IN]->(c:City {name: 'Ashby', size: 1}) RETURN count(p)", None),
        ("MATCH (:Person)-[:LIVES_IN]->(c:City) RETURN c.name", "MATCH (n:Person) RETURN n.city"),
        (
            "MATCH (:Person)-[:PRESIDES_OVER {city: 'Ashby'}]->(:Case) RETURN count(*)",
            "MATCH (:Person {city: 'Ashby'})-[:PRESIDES_OVER]->(:Case) RETURN count(*)",
        ),
    ],
)
def test_what_is_written_as_a_node_or_at_a_node_is_read_where_it_is(query: str, right: str | None) -> None:
    assert validate(query, COURT).suggested_query == right


def test_a_property_of_the_relationship_is_read_there_although_a_property_of_the_node_is_spelled_like_it() -> None:
    stock = schema(
        "stock", {"Find": {"find_no": "int"}, "Museum": {}}, ["Find KEPT_IN Museum"], {"KEPT_IN": {"inv_no": "str"}}
    )
    report = validate("MATCH (f:Find)-[:KEPT_IN]->(m:Museum) RETURN f.inv_no", stock)
    assert report.suggested_query == "MATCH (f:Find)-[r:KEPT_IN]->(m:Museum) RETURN r.inv_no"


def test_of_several_ways_that_which_is_called_like_the_written_type_is_the_fix() -> None:
    query = "MATCH (c:Customer)-[:ORDERED]->(p:Product) RETURN c.name"
    fixed = "MATCH (c:Customer)-[:PLACED]->(:Order)-[:CONTAINS]->(p:Product) RETURN c.name"
    assert validate(query, SHOP).suggested_query == fixed


def test_a_type_that_does_not_connect_the_nodes_is_not_suggested_for_one_that_does_not_exist() -> None:
    (found,) = problems_in("MATCH (s:Store)-[:MADEBY]->(c:Customer) RETURN c.name", SHOP)
    assert found.suggestions[0] == "MADE_BY"  # a slip of it: the label may be wrong
    (found,) = problems_in("MATCH (s:Store)-[:PLACED_NEAR]->(c:Customer) RETURN c.name", SHOP)
    assert "PLACED" not in found.suggestions


FLEET = schema(
    "fleet",
    {
        "Plane": {"reg": "str", "kind": "str"},
        "Type": {"maker": "str", "seats": "int"},
        "Part": {"serial": "str"},
        "Clerk": {},
        "Chief": {},
    },
    [
        "Plane OF_TYPE Type",
        "Part REMOVED_FROM Plane",
        "Clerk SIGNED Plane",
        "Plane SIGNED_BY Clerk",
        "Chief LEADS Clerk",
    ],
    {"REMOVED_FROM": {"reason": "str", "day": "str"}},
)
FLEET_DATA = Statistics(
    {
        "Plane": LabelStatistics(
            "Plane", 90, {"kind": PropertyStatistics(90, 90, 3, common=(("jet", 70), ("prop", 20)))}
        ),
        "Part": LabelStatistics("Part", 30),
    },
    {
        "OF_TYPE": TypeStatistics("OF_TYPE", 90),
        "REMOVED_FROM": TypeStatistics(
            "REMOVED_FROM", 200, {"reason": PropertyStatistics(200, 200, 2, common=(("failure", 150), ("age", 50)))}
        ),
        "SIGNED": TypeStatistics("SIGNED", 96, mirror="SIGNED_BY"),
    },
    (
        PatternStatistics("OF_TYPE", "Plane", "Type", 90),
        PatternStatistics("SIGNED", "Clerk", "Plane", 96),
        PatternStatistics("SIGNED_BY", "Plane", "Clerk", 60),
    ),
)


@pytest.mark.parametrize(
    ("query", "right"),
    [
        (
            "MATCH (p:Plane) WHERE p.seats > 9 RETURN p.reg",
            "MATCH (p:Plane), (p)-[:OF_TYPE]->(type:Type) WHERE type.seats > 9 RETURN p.reg",
        ),
        ("MATCH (p:Plane {seats: 9}) RETURN p.reg", "MATCH (p:Plane), (p)-[:OF_TYPE]->(:Type {seats: 9}) RETURN p.reg"),
        (
            "MATCH (p:Plane)-[:OF_TYPE]->(t) RETURN p.seats, p.maker",
            "MATCH (p:Plane)-[:OF_TYPE]->(t) RETURN t.seats, t.maker",
        ),
        (
            "MATCH (p:Plane) RETURN p.seats, p.maker",
            "MATCH (p:Plane), (p)-[:OF_TYPE]->(type:Type) RETURN type.seats, type.maker",
        ),
        ("MATCH (p:Plane) RETURN p.serial", None),  # a plane has several parts
        ("MATCH (p:Plane) RETURN p.clerk", None),  # of the two ways only one keeps the rows
        ("MATCH (c:Clerk) RETURN c.plane", None),  # not its name
        (
            "MATCH (p:Plane) RETURN p.type_name, p.makers",
            "MATCH (p:Plane), (p)-[:OF_TYPE]->(type:Type) RETURN type.name, type.maker",
        ),
        (
            "MATCH (p:Part)-[r:REMOVED_FROM]->(q) WHERE r.cause = 'failure' RETURN p.serial",
            "MATCH (p:Part)-[r:REMOVED_FROM]->(q) WHERE r.reason = 'failure' RETURN p.serial",
        ),
        ("MATCH (p:Part)-[r:REMOVED_FROM]->(q) WHERE r.cause = 'rust' RETURN p.serial", None),
        ("MATCH (p:Plane {sort: 'jet'}) RETURN p.reg", "MATCH (p:Plane {kind: 'jet'}) RETURN p.reg"),
        ("MATCH (j:Jet {reg: 'A'}) RETURN j.reg", "MATCH (j:Plane {reg: 'A', kind: 'jet'}) RETURN j.reg"),
        (
            "MATCH (:Plane {serial: '1'}) RETURN count(*)",
            "MATCH (n:Plane), (n)<-[:REMOVED_FROM]-(:Part {serial: '1'}) RETURN count(*)",
        ),
        ("MATCH (p:Plane)-[:SIGNED]->(c:Clerk) RETURN p.reg", "MATCH (p:Plane)-[:SIGNED_BY]->(c:Clerk) RETURN p.reg"),
        ("MATCH (b:Boss)-[:LEADS]->(c:Clerk) RETURN count(b)", "MATCH (b:Chief)-[:LEADS]->(c:Clerk) RETURN count(b)"),
        ("MATCH (v:Venue {reg: 'A'}) RETURN v.kind", "MATCH (v:Plane {reg: 'A'}) RETURN v.kind"),
        ("MATCH (p) WHERE 'Planes' IN labels(p) RETURN 1 AS x", "MATCH (p) WHERE 'Plane' IN labels(p) RETURN 1 AS x"),
        ("MATCH (p) WHERE labels(p)[0] = 'Planes' RETURN p", "MATCH (p) WHERE labels(p)[0] = 'Plane' RETURN p"),
        ("MATCH ()-[r]->() WHERE type(r) = 'LEAD' RETURN r", "MATCH ()-[r]->() WHERE type(r) = 'LEADS' RETURN r"),
        (
            "MATCH (c:Part)-[:REMOVED_FROM]->(p:Plane)-[:OF_TYPE]->(t:Type) RETURN c.maker",
            "MATCH (c:Part)-[:REMOVED_FROM]->(p:Plane)-[:OF_TYPE]->(t:Type) RETURN t.maker",
        ),
    ],
)
def test_the_data_and_the_schema_tell_where_a_wrong_name_belongs(query: str, right: str | None) -> None:
    assert validate(query, FLEET, data=FLEET_DATA).suggested_query == right
