import pytest

from graphground.cypher.schema import Label, PropertyGraphSchema, RelationshipPattern
from graphground.graphs.entities.candidate import Record
from graphground.graphs.entities.index import EntityIndex
from graphground.graphs.filtering.filter import UnknownMethod, filter_schema
from graphground.graphs.question.read import read_text
from graphground.graphs.schemas.forms import base_form, estimate_tokens
from tests.support.documents import INTERVAL, schema
from tests.support.index_files import indexed
from tests.support.large_schema import large_schema, questions
from tests.support.shared_data import needs

SCHOOLS = schema(
    "schools",
    {
        "Teacher": {"date_of_birth": "date", "place_of_birth": "str", "salary_usd": "float"},
        "Course": {"launch_year": "int", "language": "str"},
        "School": {"country": "str", "founding_year": "int"},
        "City": {"population": "int"},
        "Prize": {},
    },
    [
        "Course taughtBy Teacher",
        "Course offeredBy School",
        "School locatedIn City",
        "Teacher receivesPrize Prize",
        "Teacher marriedTo Teacher",
    ],
    {"taughtBy": INTERVAL, "receivesPrize": {"year": "int"}},
)
RECORDS = [
    Record("S1", "School", "Hogwarts"),
    Record("C1", "City", "Springfield"),
    Record("T1", "Teacher", "Edna Krabappel"),
    Record("K1", "Course", "Potions for midfielders", values={"language": ["Latin"]}),
    Record("P1", "Prize", "portrait"),
]


@pytest.fixture(scope="module")
def names(tmp_path_factory: pytest.TempPathFactory) -> EntityIndex:
    folder = tmp_path_factory.mktemp("index") / "schools"
    return indexed(folder, RECORDS)


@pytest.fixture
def part(names):
    def filtered(question, method="auto", **more):
        return filter_schema(read_text(question, SCHOOLS, names), SCHOOLS, method, **more)

    return filtered


def filtered(schema, question, *, method="auto", **more):
    """Filter a schema for a question without names."""
    return filter_schema(read_text(question, schema, None), schema, method, **more)


def kept_patterns(found):
    return [str(pattern) for pattern in found.schema.patterns]


def test_the_filtered_schema_keeps_the_elements_that_the_question_needs_and_drops_the_rest(part):
    found = part("Which courses does Edna Krabappel teach, and when was she born?")
    assert list(found.schema.labels) == ["Teacher", "Course"]
    assert "(:Course)-[:taughtBy]->(:Teacher)" in kept_patterns(found)
    assert "date_of_birth" in found.schema.labels["Teacher"].properties
    assert "salary_usd" not in found.schema.labels["Teacher"].properties
    assert "Prize" in found.left_out.labels
    assert "locatedIn" in found.left_out.types


def test_labels_far_apart_are_connected_by_the_patterns_between_them(part):
    found = part("How many teachers work in Springfield?")
    assert {"Teacher", "Course", "School", "City"} <= set(found.schema.labels)
    assert {
        "(:Course)-[:taughtBy]->(:Teacher)",
        "(:Course)-[:offeredBy]->(:School)",
        "(:School)-[:locatedIn]->(:City)",
    } <= set(kept_patterns(found))


def test_the_filtered_schema_keeps_the_years_of_a_relationship_if_the_question_is_about_a_time(part):
    found = part("Who taught Potions for midfielders in 1999?")
    assert dict(found.schema.relationship_properties["taughtBy"]) == {"start_year": "int", "end_year": "int"}


def test_the_filtered_schema_keeps_the_property_of_a_known_value(part):
    found = part("Which courses at Hogwarts are in Latin?")
    assert "language" in found.schema.labels["Course"].properties
    assert "(:Course)-[:offeredBy]->(:School)" in kept_patterns(found)


def test_the_filtered_schema_keeps_the_relationship_of_a_label_with_itself_that_is_asked_for(part):
    assert "(:Teacher)-[:marriedTo]->(:Teacher)" in kept_patterns(part("Who is Edna Krabappel's husband?"))


@pytest.mark.parametrize(
    "question", ["", "   ", "?!", "教师教哪些课程", "Welche Stadt hat die meisten Einwohner?", "\x00\ud83d"]
)
@pytest.mark.parametrize("method", ["auto", "exact", "masked"])
def test_the_filtered_schema_for_any_question_has_labels(part, question, method):
    found = part(question, method=method)
    assert found.schema.labels
    if found.whole:
        assert found.schema is SCHOOLS
        assert not found.left_out


def test_an_unknown_method_is_reported_with_the_known_methods(part):
    with pytest.raises(UnknownMethod, match="'magic'; the methods are auto, exact, masked, similarity"):
        part("Who?", method="magic")


def test_the_method_similarity_keeps_names_near_in_meaning_to_the_question(part):
    found = part("institutes of education and their towns", method="similarity")
    assert {"School", "City"} <= set(found.schema.labels)
    assert "(:School)-[:locatedIn]->(:City)" in kept_patterns(found)


def test_the_masked_form_of_a_question_has_labels_in_place_of_mentions(part):
    question = "Who taught at Hogwarts in Springfield?"
    assert "School" not in part(question, method="exact").schema.labels or part(question, method="exact").whole
    assert {"School", "City"} <= set(part(question, method="masked").schema.labels)


@pytest.mark.parametrize("budget", [40, 60, 90, 150])
def test_a_budget_is_kept_and_properties_are_dropped_before_connecting_patterns(part, budget):
    found = part("Where were the teachers of courses at schools in Springfield born?", max_tokens=budget)
    assert estimate_tokens(base_form(found.schema)) <= budget
    assert found.schema.labels
    if budget >= 90:
        assert {"taughtBy", "offeredBy", "locatedIn"} <= set(found.schema.relationship_types)


@pytest.mark.parametrize("question", ["Where were the teachers of courses at schools in Springfield born?", "zebra"])
def test_a_selection_that_fits_into_the_budget_is_kept_whole(part, question):
    all_of_it = part(question)
    found = part(question, max_tokens=estimate_tokens(base_form(all_of_it.schema)))
    assert found.schema.labels == all_of_it.schema.labels
    assert found.schema.patterns == all_of_it.schema.patterns
    assert not found.cut


def test_a_schema_of_which_only_properties_of_a_relationship_type_were_dropped_is_reported_as_cut():
    rated = RelationshipPattern("RATED", "User", "Film", {f"criterion_{number}": "int" for number in range(20)})
    labels = {name: Label(name, {"name": "str"}) for name in ("User", "Film")}
    found = filtered(PropertyGraphSchema("ratings", labels, (rated,)), "zebra", max_tokens=60)
    assert found.whole
    assert found.cut
    assert estimate_tokens(base_form(found.schema)) <= 60
    assert found.left_out.properties


def test_ten_tokens_suffice_for_one_label_and_one_token_is_too_few(part):
    assert len(part("Which teachers are there?", max_tokens=10).schema.labels) == 1
    assert part("Which teachers are there?", max_tokens=1).too_small


@needs("codex", "types.en.json.gz")
def test_relevant_elements_are_kept_in_a_schema_of_two_thousand_labels():
    schema = large_schema()
    assert (len(schema.labels), len(schema.patterns)) == (2000, 5000)
    complete = 0
    for question, pattern, key in questions(schema, 24):
        found = filtered(schema, question, max_tokens=1000)
        assert estimate_tokens(base_form(found.schema)) <= 1000
        complete += str(pattern) in kept_patterns(found) and key in found.schema.labels[pattern.start].properties
    assert complete >= 22
