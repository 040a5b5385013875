from pathlib import Path

import pytest

from graphground.cypher import Diagnostic, validate
from graphground.graphs.entities.candidate import Record
from graphground.graphs.schemas.statistics import LabelStatistics, PropertyStatistics, Statistics
from tests.support.checked_graphs import COMPANY, Names, findings
from tests.support.documents import schema
from tests.support.index_files import indexed

NAMES = Names(
    ("Jérôme Hatt", "Person"),
    ("Walmart", "Company"),
    ("Walmart de México", "Company"),
    ("Apple", "Company"),
    ("Canada", "Country"),
    aliases={"Wal-Mart Stores": ("Walmart", "Company")},
    values={"country_of_citizenship": ["France", "United States"]},
)


def diagnostics_of(query: str, **parameters: object) -> list[Diagnostic]:
    return [
        finding
        for finding in findings(query, entities=NAMES, parameters=parameters)
        if finding.code == "entity_not_found"
    ]


def test_a_misspelled_name_is_reported_with_the_nearest_name() -> None:
    (diagnostic,) = diagnostics_of(
        "MATCH (n:Company)-[r0:hasCEO]->(m0:Person {name: 'Jéréme Hatt'}) WITH DISTINCT n RETURN n.name"
    )
    expected = ("warning", "'Jéréme Hatt'", ("'Jérôme Hatt'",))
    assert (diagnostic.severity, diagnostic.found, diagnostic.suggestions) == expected


def test_an_alias_is_reported_as_an_alias() -> None:
    (diagnostic,) = diagnostics_of("MATCH (c:Company) WHERE c.name = 'Wal-Mart Stores' RETURN c.launch_year")
    assert "alias of 'Walmart'" in diagnostic.message
    assert diagnostic.suggestions == ("'Walmart'",)


def test_a_name_of_a_node_with_another_label_is_reported() -> None:
    (diagnostic,) = diagnostics_of("MATCH (c:Company {name: 'Canada'}) RETURN c.launch_year")
    assert "A node labelled Country has this name" in diagnostic.message


def test_names_of_nodes_with_several_labels_are_reported_with_alternatives() -> None:
    names = Names(("Oslo", "Country"), ("Oslo", "Industry"), ("Apple", "Company"))
    query = "MATCH (n:Company|Person {name: 'Oslo'}) RETURN n.name"
    (diagnostic,) = [finding for finding in findings(query, entities=names) if finding.code == "entity_not_found"]
    assert diagnostic.message.startswith("No node labelled Company or Person has the name 'Oslo'")
    assert diagnostic.message.endswith(" Nodes labelled Country or Industry have this name.")


def test_the_label_is_inferred_for_the_lookup() -> None:
    (diagnostic,) = diagnostics_of("MATCH (c:Company)-[:basedIn]->(m {name: 'Canda'}) RETURN c.name")
    assert "No node labelled Country has the name 'Canda'" in diagnostic.message


def test_names_in_lists_and_parameters_are_looked_up() -> None:
    query = "MATCH (c:Company) WHERE c.name IN ['Walmart', 'Aple'] RETURN c.launch_year"
    assert [diagnostic.found for diagnostic in diagnostics_of(query)] == ["'Aple'"]
    (diagnostic,) = diagnostics_of("MATCH (c:Company {name: $name}) RETURN c.launch_year", name="Aple")
    assert (diagnostic.found, diagnostic.suggestions) == ("$name", ("'Apple'",))


def test_unknown_names_after_starts_with_or_not_equal_cause_hints() -> None:
    (diagnostic,) = diagnostics_of("MATCH (c:Company) WHERE c.name STARTS WITH 'walmart' RETURN c.launch_year")
    assert diagnostic.severity == "hint"
    (diagnostic,) = diagnostics_of("MATCH (c:Company) WHERE c.name <> 'Aple' RETURN c.launch_year")
    assert diagnostic.severity == "hint"


def test_names_in_the_graph_are_not_reported() -> None:
    assert diagnostics_of("MATCH (c:Company {name: 'Walmart'}) WHERE c.name CONTAINS 'mart' RETURN c.launch_year") == []
    assert diagnostics_of("MATCH (p:Person {gender: 'male'}) RETURN p.name") == []
    assert diagnostics_of("MATCH (c:Company {name: $name}) RETURN c.launch_year") == []


def test_values_of_other_properties_are_looked_up_if_the_index_has_them() -> None:
    (diagnostic,) = diagnostics_of("MATCH (p:Person) WHERE 'france' IN p.country_of_citizenship RETURN p.name")
    assert (diagnostic.found, diagnostic.suggestions) == ("'france'", ("'France'",))
    assert diagnostic.message == "No node labelled Person has 'france' among its country_of_citizenship."
    assert diagnostics_of("MATCH (p:Person) WHERE 'France' IN p.country_of_citizenship RETURN p.name") == []


def test_an_absent_name_has_no_suggestion_and_at_most_two_nearest_names(tmp_path: Path) -> None:
    people = ("Carl Sagan", "Carl Orff", "Karl Malone", "Edwin Hubble", "Emmy Noether")
    names = indexed(tmp_path / "names", [Record(str(key), "Person", name) for key, name in enumerate(people)])
    query = "MATCH (p:Person {name: 'Carla Simonsen'}) WHERE p.name <> 'Emy Noether' RETURN p.gender"
    absent, misspelt = validate(query, COMPANY, entities=names).diagnostics[:2]
    assert (absent.code, absent.suggestions, absent.edits) == ("entity_not_found", (), ())
    assert "no name is similar enough" in absent.message
    assert sum(name in absent.message for name in people) <= 2
    assert misspelt.suggestions == ("'Emmy Noether'",)
    assert "Emmy Noether" not in misspelt.message  # the suggestion contains the name


def test_an_absent_value_of_another_property_is_called_a_value_and_not_a_name(tmp_path: Path) -> None:
    people = [
        Record(str(key), "Person", f"P{key}", values={"gender": word}) for key, word in enumerate(("male", "female"))
    ]
    query = "MATCH (p:Person {gender: 'malice'}) RETURN p.name"
    (absent,) = validate(query, COMPANY, entities=indexed(tmp_path / "names", people)).diagnostics
    assert absent.message == (
        "No node labelled Person has the gender 'malice', and no value is similar enough (nearest: 'male')."
    )


def test_the_checks_use_the_real_entity_index(tmp_path: Path) -> None:
    index = indexed(
        tmp_path / "names",
        [
            Record("1", "Person", "Jérôme Hatt", ("Hatt senior",), values={"gender": "male"}),
            Record("2", "Person", "Jacques Hatt", values={"gender": "male"}),
            Record("3", "Company", "Kronenbourg"),
        ],
    )
    query = (
        "MATCH (c:Company)-[:hasCEO]->(p {name: 'Hatt senior', gender: 'Male'}) WHERE c.name = 'Kronenburg' RETURN p"
    )
    report = validate(query, COMPANY, entities=index)
    assert [
        diagnostic.suggestions[:1] for diagnostic in report.diagnostics if diagnostic.code == "entity_not_found"
    ] == [("'Jérôme Hatt'",), ("'male'",), ("'Kronenbourg'",)]
    assert report.suggested_query == (
        "MATCH (c:Company)-[:hasCEO]->(p {name: 'Jérôme Hatt', gender: 'male'}) WHERE c.name = 'Kronenbourg' RETURN p"
    )


def test_a_name_that_is_the_value_of_another_property_says_where_it_stands(tmp_path: Path) -> None:
    firms = schema("firms", {"Firm": {"legalName": "str", "vat": "str"}, "Person": {}}, ["Person runs Firm"])
    names = indexed(
        tmp_path / "names", [Record("1", "Firm", "F1", values={"legalName": "Acme"}), Record("2", "Person", "Ed")]
    )
    report = validate("MATCH (f:Firm {name: 'Acme'}) RETURN f.vat", firms, entities=names)
    assert report.diagnostics[0].message == "No Firm has the name 'Acme', but 'Acme' is the legalName of one."
    assert report.suggested_query == "MATCH (f:Firm {legalName: 'Acme'}) RETURN f.vat"
    (elsewhere,) = validate("MATCH (p:Person {name: 'Acme'}) RETURN p.name", firms, entities=names).diagnostics
    assert elsewhere.message == (
        "No Person has the name 'Acme', but (:Firm {legalName: 'Acme'}) exists. The schema has (:Person)-[:runs]->(:Firm)."
    )


def test_a_misspelled_name_in_a_guessed_property_is_corrected_with_the_property(tmp_path: Path) -> None:
    land = schema("land", {"Region": {"region_name": "str"}}, [])
    names = [
        Record(str(key), "Region", f"g{key}", values={"region_name": name})
        for key, name in enumerate(("Boeotia", "Lycia"))
    ]
    report = validate("MATCH (r:Region {name: 'boeotia'}) RETURN r", land, entities=indexed(tmp_path / "names", names))
    assert report.suggested_query == "MATCH (r:Region {region_name: 'Boeotia'}) RETURN r"


@pytest.mark.parametrize(
    ("query", "right"),
    [
        ("MATCH (p:Person {name: 'Ada King'}) RETURN p", "MATCH (p:Person {first: 'Ada', last: 'King'}) RETURN p"),
        (
            "MATCH (p:Person) WHERE p.full_name = 'king, Ada' RETURN p",
            "MATCH (p:Person) WHERE p.last = 'King' AND p.first = 'Ada' RETURN p",
        ),
        ("MATCH (p:Person) WHERE p.name <> 'Ada King' RETURN p", None),
        ("MATCH (p:Person {name: 'Ada Lovelace'}) RETURN p", None),
    ],
)
def test_a_name_in_two_properties_is_compared_with_both(tmp_path: Path, query: str, right: str | None) -> None:
    people = schema("people", {"Person": {"first": "str", "last": "str"}}, [])
    names = (("Ada", "King"), ("Grace", "Hopper"))
    records = [Record(last, "Person", last, values={"first": first, "last": last}) for first, last in names]
    assert validate(query, people, entities=indexed(tmp_path / "names", records)).suggested_query == right


def test_the_beginning_of_several_names_means_all_of_them(tmp_path: Path) -> None:
    stops = ("Hospital North", "Hospital South", "Market")
    names = indexed(tmp_path / "names", [Record(name, "Stop", name) for name in stops])
    land = schema("bus", {"Stop": {"zone": "int"}}, [])
    for condition in ("(s:Stop {name: 'Hospital', zone: 1})", "(s:Stop) WHERE s.name = 'Hospital'"):
        fixed = validate(f"MATCH {condition} RETURN s", land, entities=names).suggested_query
        begins = "s.name STARTS WITH 'Hospital'"
        assert fixed in (
            f"MATCH (s:Stop {{zone: 1}} WHERE {begins}) RETURN s",
            f"MATCH (s:Stop) WHERE {begins} RETURN s",
        )


def test_a_value_that_a_property_with_few_values_lacks_is_not_sought_on_other_nodes(tmp_path: Path) -> None:
    fines = schema("fines", {"Fine": {"state": "str"}, "Branch": {"status": "str"}}, [])
    records = [
        Record("1", "Fine", "F1", values={"state": "paid"}),
        Record("2", "Branch", "B1", values={"status": "open"}),
    ]
    names, query = indexed(tmp_path / "names", records), "MATCH (f:Fine {state: 'open'}) RETURN f"
    states = PropertyStatistics(60, 60, distinct=2)
    data = Statistics({"Fine": LabelStatistics("Fine", 60, {"state": states}, "name")}, {}, ())
    assert "exists" in validate(query, fines, entities=names).diagnostics[0].message
    assert not any(
        "exists" in finding.message for finding in validate(query, fines, entities=names, data=data).diagnostics
    )


VESSELS = schema(
    "vessels",
    {"Vessel": {"built": "int"}, "Country": {}, "Yard": {}, "Master": {}, "Cargo": {}},
    [
        "Vessel FLIES_FLAG_OF Country",
        "Vessel BUILT_AT Yard",
        "Yard LIES_IN Country",
        "Master COMMANDS Vessel",
        "Vessel CARRIES Cargo",
    ],
)
PLACES = Names(("Malta", "Country"), ("Kobe Yard", "Yard"), ("Aurora", "Vessel"))


@pytest.mark.parametrize(
    ("query", "fixed"),
    [
        (
            "MATCH (v:Vessel {flag: 'Malta', built: 1999})-[:BUILT_AT]->(y) RETURN y.name",
            "MATCH (v:Vessel {built: 1999})-[:BUILT_AT]->(y), (v)-[:FLIES_FLAG_OF]->(:Country {name: 'Malta'}) "
            "RETURN y.name",
        ),
        (
            "MATCH (v:Vessel) WHERE v.country = 'Malta' RETURN v.name",
            "MATCH (v:Vessel) WHERE (v)-[:FLIES_FLAG_OF]->(:Country {name: 'Malta'}) RETURN v.name",
        ),
        ("MATCH (v:Vessel) WHERE v.country <> 'Malta' RETURN v.name", None),
        ("MATCH (y:Yard {flag: 'Malta'}) RETURN y.name", None),
        ("MATCH (c:Cargo {country: 'Malta'}) RETURN c.name", None),  # not that of the vessel
        (
            "MATCH (c:Cargo {aboard: 'Aurora'}) RETURN c.name",  # nothing else can be Aurora
            "MATCH (c:Cargo), (c)<-[:CARRIES]-(:Vessel {name: 'Aurora'}) RETURN c.name",
        ),
        (
            "MATCH (m:Master {country: 'Malta'}) RETURN m.name",
            "MATCH (m:Master), (m)-[:COMMANDS]->(:Vessel)-[:FLIES_FLAG_OF]->(:Country {name: 'Malta'}) RETURN m.name",
        ),
    ],
)
def test_a_relationship_written_as_a_property_becomes_a_relationship(query: str, fixed: str | None) -> None:
    assert validate(query, VESSELS, entities=PLACES).suggested_query == fixed


def test_of_the_labels_of_a_named_neighbour_the_narrowest_is_compared() -> None:
    together = frozenset({frozenset({"Software", "System"}), frozenset({"Software", "App"})})
    labels = {"Host": {}, "Software": {}, "System": {}, "App": {}}
    hosts = schema("hosts", labels, ["Host RUNS Software", "Host RUNS System"], label_combinations=together)
    names = Names(("Debian", "Software"), ("Debian", "System"), ("nginx", "Software"))
    fixed = validate("MATCH (h:Host {os: 'Debian'}) RETURN h.name", hosts, entities=names).suggested_query
    assert fixed == "MATCH (h:Host), (h)-[:RUNS]->(:System {name: 'Debian'}) RETURN h.name"


def test_a_text_that_other_nodes_have_in_another_case_is_reported_with_the_condition_for_all() -> None:
    known = PropertyStatistics(9, 9, 4, common=(("male", 5), ("Male", 2), ("female", 1), ("MALE?", 1)))
    data = Statistics({"Person": LabelStatistics("Person", 9, {"gender": known}, "name")}, {}, ())
    names = Names(values={"gender": ["male", "Male", "female"]})
    query = "MATCH (p:Person) WHERE p.gender = '{}' RETURN p.name"
    (found,) = validate(query.format("male"), COMPANY, entities=names, data=data).diagnostics
    assert (found.code, found.severity, found.found) == ("text_compared", "hint", "'male'")
    assert found.message.startswith("Other nodes have the gender 'Male'. To match these too, write toLower(p.gender) =")
    for other in (query.format("female"), query.format("male").replace("= ", "<> ")):
        assert not validate(other, COMPANY, entities=names, data=data).diagnostics


def test_a_name_of_two_nodes_is_that_of_the_label_to_which_the_relationship_leads() -> None:
    dig = schema("dig", {"Find": {}, "Layer": {}, "Trench": {}}, ["Find FOUND_IN Layer"])
    query = "MATCH (f:Find)-[:FOUND_IN]->(t:Trench {name: 'T01'}) RETURN f.name"
    names = Names(("T01", "Trench"), ("T01", "Layer"))
    assert validate(query, dig, entities=names).suggested_query == query.replace("Trench", "Layer")


def test_a_name_with_the_word_of_its_label_is_the_name() -> None:
    ages = schema("dig", {"Period": {}, "Find": {}}, ["Find DATES_TO Period"])
    names = Names(("Roman", "Period"), ("Bronze Age", "Period"))
    query = "MATCH (f:Find)-[:DATES_TO]->(p:Period {name: 'Roman Period'}) RETURN f.name"
    right = "MATCH (f:Find)-[:DATES_TO]->(p:Period {name: 'Roman'}) RETURN f.name"
    assert validate(query, ages, entities=names).suggested_query == right
    assert validate(query.replace("Roman P", "Greek P"), ages, entities=names).suggested_query is None
