import json
import re

import pytest

from graphground.cypher import validate
from graphground.cypher.schema import Label, PropertyGraphSchema
from graphground.graphs.graph import Graph
from graphground.graphs.opening.open_graphs import GraphSource, OpenGraphs
from graphground.graphs.schemas.forms import estimate_tokens
from graphground.server.application import Application
from graphground.tools import diagnostics
from graphground.tools.find_entities import FindEntitiesRequest, find_entities
from graphground.tools.get_filtered_schema import GetFilteredSchemaRequest, get_filtered_schema
from graphground.tools.get_schema import GetSchemaRequest, get_schema
from graphground.tools.tool import PARTIAL, ToolFailure
from graphground.tools.validate_cypher import ValidateCypherRequest, validate_cypher
from tests.support.films import FILMS, films_alone
from tests.support.large_schema import large_schema
from tests.support.shared_data import SHARED, needs
from tests.support.unsettled_schemas import PartialSchema, SlowSchema


def opened(name):
    schema = PropertyGraphSchema.from_cypherbench((SHARED / "schemas" / f"{name}.json").read_text(encoding="utf-8"))
    return OpenGraphs([GraphSource(name, "", "none", lambda: Graph(name, schema))])


@needs("schemas", "politics.json")
@pytest.mark.parametrize("form", ["base", "enhanced", "json"])
@pytest.mark.parametrize("budget", [60, 120, 200])
def test_every_form_stays_within_the_budget_and_names_the_omitted_elements(form, budget):
    answer = get_schema(opened("politics"), GetSchemaRequest(form=form, max_tokens=budget))
    assert estimate_tokens(answer.schema_) <= budget
    assert answer.truncated
    assert answer.left_out
    if form == "json":
        assert json.loads(answer.schema_)["name"] == "politics"


@needs("schemas", "politics.json")
def test_labels_and_types_project_the_schema():
    politics = opened("politics")
    answer = get_schema(politics, GetSchemaRequest(labels=["PoliticalParty"]))
    assert "-[:foundedBy]->(:Politician)" in answer.schema_
    assert "hasDiplomaticRelationWith" not in answer.schema_
    assert "hasHeadOfState" in get_schema(politics, GetSchemaRequest(types=["hasHeadOfState"])).schema_
    with pytest.raises(ToolFailure) as failure:
        get_schema(politics, GetSchemaRequest(labels=["Partys"]))
    assert "PoliticalParty" in failure.value.nearest


@needs("codex", "types.en.json.gz")
def test_a_large_schema_without_a_budget_has_about_four_thousand_tokens_and_begins_with_its_counts():
    large = OpenGraphs([GraphSource("large", "", "none", lambda: Graph("large", large_schema()))])
    answer = get_schema(large, GetSchemaRequest())
    assert answer.schema_.startswith("// 2,000 labels, 71 relationship types")
    assert estimate_tokens(answer.schema_) <= 4_000
    assert "`labels` or `types`" in answer.as_text()


def test_no_tool_presents_an_outdated_schema_as_current():
    graphs = OpenGraphs([GraphSource("films", "", "none", lambda: Graph("films", SlowSchema()))])
    note = "the schema is being read again"
    for form in ("base", "enhanced", "json"):
        assert note in get_schema(graphs, GetSchemaRequest(form=form)).schema_
    as_json = get_schema(graphs, GetSchemaRequest(form="json")).schema_
    assert PropertyGraphSchema.from_cypherbench(as_json).to_cypherbench() == FILMS.to_cypherbench()
    assert note in get_filtered_schema(graphs, GetFilteredSchemaRequest(question="Who directed Heat?")).schema_
    checked = validate_cypher(graphs, ValidateCypherRequest(query="MATCH (f:Festival) RETURN f.name"))
    assert checked.valid
    assert (checked.diagnostics[0].code, checked.diagnostics[0].severity) == ("unknown_label", "warning")
    assert note in checked.diagnostics[0].message
    with pytest.raises(ToolFailure, match=note):
        find_entities(graphs, FindEntitiesRequest(mentions=["Nordlys"], label="Festival"))


@pytest.mark.parametrize(("still_outdated", "found"), [(False, []), (True, [("unknown_label", "warning")])])
def test_a_schema_that_is_read_again_during_the_check_causes_no_error(monkeypatch, still_outdated, found):
    definition = SlowSchema()
    definition.stale = still_outdated
    festival = {} if still_outdated else {"Festival": Label("Festival", {"name": "str"})}

    def check_and_replace_schema(*arguments, **named):
        report = validate(*arguments, **named)
        definition.schema = PropertyGraphSchema("films", {**FILMS.labels, **festival}, FILMS.patterns)
        return report

    monkeypatch.setattr(diagnostics, "validate", check_and_replace_schema)
    graphs = OpenGraphs([GraphSource("films", "", "none", lambda: Graph("films", definition))])
    checked = validate_cypher(graphs, ValidateCypherRequest(query="MATCH (f:Festival) RETURN f.name"))
    assert checked.valid
    reported = [(diagnostic.code, diagnostic.severity) for diagnostic in checked.diagnostics]
    assert [one for one in reported if one[0] == "unknown_label"] == found


def test_no_tool_presents_a_partial_schema_as_complete():
    graphs = OpenGraphs([GraphSource("films", "", "none", lambda: Graph("films", PartialSchema()))])
    for form in ("base", "enhanced", "json"):
        assert PARTIAL in get_schema(graphs, GetSchemaRequest(form=form)).schema_
    assert PARTIAL in get_filtered_schema(graphs, GetFilteredSchemaRequest(question="Who directed Heat?")).schema_
    checked = validate_cypher(
        graphs, ValidateCypherRequest(query="MATCH (m:Movie) RETURN m.budget", question="Budgets?")
    )
    assert checked.valid
    assert not checked.suggested_query


def test_the_filtered_schema_contains_the_elements_named_in_the_question():
    answer = get_filtered_schema(films_alone(), GetFilteredSchemaRequest(question="When was the director born?"))
    assert re.search(r"date_of_birth[\w, ]*: date", answer.schema_)


def test_fields_that_are_false_or_only_repeat_the_call_are_left_out():
    application = Application(films_alone)
    whole = json.loads(application.call("get_schema", {}).payload)
    part = json.loads(application.call("get_filtered_schema", {"question": "When was the director born?"}).payload)
    assert whole.keys() == {"graph", "schema"}
    assert part.keys() <= {"graph", "schema", "left_out", "whole"}


@needs("schemas", "politics.json")
def test_a_misspelled_question_gets_a_schema_hardly_longer_than_the_correct_question():
    right, wrong = (
        get_filtered_schema(opened("politics"), GetFilteredSchemaRequest(question=question))
        for question in ("Which politicians are there?", "Wich politicains are there?")
    )
    assert not wrong.whole
    assert "(:Politician" in wrong.schema_
    assert estimate_tokens(wrong.schema_) <= 1.2 * estimate_tokens(right.schema_)


@pytest.mark.parametrize(
    "question", ["Which movies did people direct?", "How long are the movies?", "Who directed it?"]
)
def test_a_small_schema_is_returned_whole_if_a_part_would_not_be_shorter(question):
    answer = get_filtered_schema(films_alone(), GetFilteredSchemaRequest(question=question))
    whole = get_schema(films_alone(), GetSchemaRequest()).schema_
    shorter = estimate_tokens(answer.as_text()) < estimate_tokens(whole)
    assert shorter or answer.left_out == []
    assert shorter or answer.schema_.startswith(whole)


def test_a_schema_cut_to_the_budget_is_not_called_whole():
    answer = get_filtered_schema(films_alone(), GetFilteredSchemaRequest(question="", max_tokens=20))
    assert (answer.whole, answer.truncated) == (False, True)
    assert answer.left_out


def test_a_budget_that_is_too_small_is_compared_with_the_requested_form():
    for form in ("base", "json"):
        whole = estimate_tokens(get_schema(films_alone(), GetSchemaRequest(form=form)).schema_)
        with pytest.raises(ToolFailure, match=f"the whole schema takes about {whole:,} tokens"):
            get_schema(films_alone(), GetSchemaRequest(form=form, max_tokens=1))


def test_the_method_similarity_uses_the_model_in_the_package():
    answer = get_filtered_schema(
        films_alone(), GetFilteredSchemaRequest(question="Which films are long?", method="similarity")
    )
    assert "(:Movie" in answer.schema_
    assert not answer.whole


@pytest.mark.parametrize(
    ("tool", "request_"),
    [
        (get_schema, GetSchemaRequest(max_tokens=1)),
        (get_filtered_schema, GetFilteredSchemaRequest(question="Which movies?", max_tokens=1)),
    ],
)
def test_a_budget_too_small_for_a_single_label_causes_a_clear_error(tool, request_):
    with pytest.raises(ToolFailure) as caught:
        tool(films_alone(), request_)
    assert caught.value.error == "budget_too_small"
    assert caught.value.nearest
