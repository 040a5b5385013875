"""Building from a SPARQL endpoint: failures of the endpoint never change the graph, and a stopped build resumes."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from itertools import chain, repeat
from pathlib import Path

import pytest
from filelock import Timeout

from graphground.graphs.storage.home import alone
from graphground.graphs.wikidata import sparql_source
from graphground.graphs.wikidata.build import Built
from graphground.graphs.wikidata.endpoint import Endpoint, EndpointError, Patience
from graphground.graphs.wikidata.plan import SourceError
from graphground.graphs.wikidata.sparql_source import SparqlSource
from graphground.graphs.wikidata.workspace import WorkspaceError
from tests.support import wikidata_places
from tests.support.shared_data import needs
from tests.support.simplekg_files import checked
from tests.support.sparql_endpoint import Answer, Fault, SparqlEndpoint, capped
from tests.support.wikidata_places import PLACES, built_from_endpoint, merged, place_triples

pytestmark = [needs("wikidata_entities", "entities.jsonl.gz"), pytest.mark.timeout(240)]
QUICK = Patience(answer=60, pause=0.0)


@pytest.fixture(scope="module")
def store() -> Iterator[SparqlEndpoint]:
    with SparqlEndpoint(place_triples()) as endpoint:
        yield endpoint


def built(endpoint: SparqlEndpoint, path: Path, definition: str = PLACES, patience: Patience = QUICK) -> Built:
    with closing(SparqlSource(Endpoint(endpoint.url, patience, sleep=lambda seconds: None))) as source:
        return wikidata_places.built(source, path, definition)


@pytest.fixture(scope="module")
def expected_graph(store: SparqlEndpoint, tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """Return the bytes of an uninterrupted build."""
    path = tmp_path_factory.mktemp("expected_graph") / "places.json"
    built(store, path)
    return path.read_bytes()


def test_the_graph_of_real_documents_matches_the_documents(expected_graph: bytes) -> None:
    graph = json.loads(expected_graph)
    nodes = {entity["eid"]: entity for entity in graph["entities"]}
    estonia = nodes["Place#Q191"]
    assert estonia["name"] == "Estonia"
    assert estonia["provenance"] == ["https://en.wikipedia.org/wiki/Estonia"]
    assert estonia["properties"]["area_km2"] == 45228.0  # the preferred statement of three
    assert estonia["properties"]["founded"] == "1918-02-24"
    assert "Republic of Estonia" in estonia["aliases"]
    assert nodes["Place#Q1040"]["properties"]["area_km2"] == 173.46
    assert "founded" not in nodes["Place#Q232"]["properties"]  # 1991, with the precision of a year
    assert nodes["Place#Q232"]["properties"]["inception_year"] == 1991
    pairs = {(relation["label"], relation["subj_id"], relation["obj_id"]) for relation in graph["relations"]}
    assert ("borders", "Place#Q35", "Neighbour#Q145") not in pairs or "Neighbour#Q145" in nodes
    assert ("lies", "Place#Q191", "Country#Q191") in pairs


def test_the_file_satisfies_its_schema_and_discarded_values_are_counted(store: SparqlEndpoint, tmp_path: Path) -> None:
    path = tmp_path / "places.json.gz"
    result = built(store, path)
    graph = checked(path)
    assert (len(graph["entities"]), len(graph["relations"])) == (result.nodes, result.relationships)
    discarded = json.loads((tmp_path / "places.discarded.json").read_text("utf-8"))
    assert discarded == result.discarded
    found = {(entry["place"], entry["reason"]): entry for entry in discarded}
    assert found["Place.founded", "date coarser than a day"]["count"] >= 1
    assert "Q232: time 1991 0 0 9" in found["Place.founded", "date coarser than a day"]["examples"]
    assert found["Neighbour", "a node without a name"]["count"] > 10
    assert [path.name for path in tmp_path.glob("*.build*")] == []


def _trouble() -> Iterator[Fault]:
    """Yield faults that make each query fail once: with an error status, an HTML page,
    a truncated body or a lost connection."""
    failed: set[str] = set()

    def fault(query: str, body: bytes) -> Answer | None:
        if query in failed:
            return None
        failed.add(query)
        return [
            (429, {"Retry-After": "1"}, b""),
            (500, {}, b"out of memory"),
            (200, {}, b"<html>busy</html>"),
            (200, {}, body[: len(body) // 2]),
            (200, {"Content-Length": str(len(body) + 9)}, body),
            (503, {}, b""),
        ][len(failed) % 6]

    return repeat(fault)


def test_a_build_from_an_endpoint_that_fails_at_every_query_gives_the_same_bytes(
    expected_graph: bytes, tmp_path: Path
) -> None:
    with SparqlEndpoint(place_triples(), _trouble()) as endpoint:
        built(endpoint, tmp_path / "places.json")
        assert len(endpoint.queries) >= 2 * len(set(endpoint.queries)) > 10
    assert (tmp_path / "places.json").read_bytes() == expected_graph


def test_a_build_from_answers_in_another_order_gives_the_same_bytes(
    expected_graph: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sparql_source, "ITEMS_AT_ONCE", 9)
    monkeypatch.setattr(sparql_source, "NAMES_AT_ONCE", 9)
    begun = 0

    def later(query: str, body: bytes) -> Answer | None:
        nonlocal begun
        begun += 1
        time.sleep(0.01 * (3 - begun % 4))
        return None

    with SparqlEndpoint(place_triples(), repeat(later)) as endpoint:
        built(endpoint, tmp_path / "places.json", patience=Patience(answer=60, pause=0.0, at_once=4))
    assert (tmp_path / "places.json").read_bytes() == expected_graph


def test_a_build_from_an_endpoint_that_states_no_datatypes_gives_the_same_bytes(
    expected_graph: bytes, tmp_path: Path
) -> None:
    with SparqlEndpoint(line for line in place_triples() if "propertyType" not in line) as endpoint:
        built(endpoint, tmp_path / "places.json")
        assert any("psv:P36 " in query for query in endpoint.queries)
    assert (tmp_path / "places.json").read_bytes() == expected_graph


def test_a_build_from_an_endpoint_with_a_low_limit_gives_the_same_bytes(expected_graph: bytes, tmp_path: Path) -> None:
    def little(query: str, body: bytes) -> Answer | None:
        named = re.search(r"VALUES \?\w+ \{ ([^}]*) \}", query)
        too_many = named is not None and len(named[1].split()) > 7
        return (504, {}, b"") if too_many or "P279*" in query else None

    with SparqlEndpoint(place_triples(), repeat(little)) as endpoint:
        built(endpoint, tmp_path / "places.json")
    assert (tmp_path / "places.json").read_bytes() == expected_graph


def test_a_class_with_too_many_members_is_queried_by_the_last_digits_of_their_numbers(
    expected_graph: bytes, tmp_path: Path
) -> None:
    def slow_classes(query: str, body: bytes) -> Answer | None:
        whole_class = "?item wdt:P31 ?class" in query and "?class }" not in query and "STRENDS" not in query
        return (504, {}, b"") if whole_class else None

    with SparqlEndpoint(place_triples(), repeat(slow_classes)) as endpoint:
        built(endpoint, tmp_path / "places.json")
        assert any("STRENDS" in query for query in endpoint.queries)
    assert (tmp_path / "places.json").read_bytes() == expected_graph


def test_an_endpoint_that_stays_broken_stops_the_build_and_the_next_build_resumes(
    expected_graph: bytes, tmp_path: Path
) -> None:
    path = tmp_path / "places.json"

    def broken_after(number: int) -> Iterator[Fault]:
        return chain(repeat(lambda query, body: None, number), repeat(lambda query, body: (500, {}, b"disk full")))

    with SparqlEndpoint(place_triples()) as endpoint:
        built(endpoint, tmp_path / "other.json")
        needed = len(endpoint.queries)
        endpoint.queries.clear()
        endpoint.faults = broken_after(needed - 3)
        with pytest.raises(EndpointError, match=r"disk full.*run the same command again"):
            built(endpoint, path)
        assert not path.exists()
        endpoint.queries.clear()
        endpoint.faults = iter(())
        built(endpoint, path)
        assert len(endpoint.queries) <= 5  # the first shows whether the endpoint cuts its answers
    assert path.read_bytes() == expected_graph


BUILD = """
import sys
from pathlib import Path
from graphground.graphs.definitions.read import read_definition
from graphground.graphs.wikidata import sparql_source
from graphground.graphs.wikidata.build import build
from graphground.graphs.wikidata.endpoint import Endpoint
sparql_source.ITEMS_AT_ONCE = sparql_source.NAMES_AT_ONCE = 5
build(read_definition(Path(sys.argv[1])), sparql_source.SparqlSource(Endpoint(sys.argv[2])), Path(sys.argv[3]))
"""


def test_a_build_that_is_killed_resumes_and_gives_the_same_bytes(
    store: SparqlEndpoint, expected_graph: bytes, tmp_path: Path
) -> None:
    definition, path = tmp_path / "places.toml", tmp_path / "places.json"
    definition.write_text(PLACES, "utf-8")
    command = [sys.executable, "-c", BUILD, str(definition), store.url, str(path)]
    kills = 0
    for answers in (4, 12):
        before = len(store.queries)
        process = subprocess.Popen(command, stderr=subprocess.PIPE)
        deadline = time.monotonic() + 60
        while len(store.queries) - before < answers and process.poll() is None:
            assert time.monotonic() < deadline
            time.sleep(0.001)
        if process.poll() is None:
            os.kill(process.pid, signal.SIGKILL)
            kills += 1
        process.communicate(timeout=30)
    assert kills == 2
    assert not path.exists()
    subprocess.run(command, check=True, timeout=60)
    assert path.read_bytes() == expected_graph


def test_a_workspace_of_another_definition_is_not_reused(store: SparqlEndpoint, tmp_path: Path) -> None:
    path = tmp_path / "places.json"
    with (
        SparqlEndpoint([], iter([lambda query, body: None, lambda query, body: (404, {}, b"")])) as failing,
        pytest.raises(EndpointError),
    ):
        built(failing, path)
    with pytest.raises(WorkspaceError, match="another definition or source"):
        built(store, path)


def test_two_concurrent_builds_of_one_file_are_refused(store: SparqlEndpoint, tmp_path: Path) -> None:
    path = tmp_path / "places.json"
    with alone(tmp_path / "places.json.build"), pytest.raises(WorkspaceError, match="another process is building"):
        built(store, path)


def test_a_lock_on_a_file_that_its_previous_owner_deletes_does_not_count(tmp_path: Path) -> None:
    fcntl = pytest.importorskip("fcntl")
    path = tmp_path / "places.json.build"
    with (tmp_path / "places.json.build.lock").open("wb") as previous:
        fcntl.flock(previous, fcntl.LOCK_EX)
        with pytest.raises(Timeout), alone(path):
            pass
        (tmp_path / "places.json.build.lock").unlink()
        with alone(path), pytest.raises(Timeout), alone(path):
            pass
    assert list(tmp_path.iterdir()) == []


def test_the_lock_file_is_deleted_while_the_lock_is_held(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "places.json.build"
    unlink = Path.unlink
    deleted: list[Path] = []

    def unlink_beside_another_build(place: Path, missing_ok: bool = False) -> None:
        monkeypatch.undo()
        with pytest.raises(Timeout), alone(path):
            pass
        unlink(place, missing_ok)
        deleted.append(place)

    with alone(path):
        monkeypatch.setattr(Path, "unlink", unlink_beside_another_build)
    assert deleted == [tmp_path / "places.json.build.lock"]
    assert list(tmp_path.iterdir()) == []


def test_a_merged_item_is_replaced_by_the_item_that_it_was_merged_into(tmp_path: Path) -> None:
    twins = PLACES.replace('"P47"', '"P190"')
    built_from_endpoint(merged(place_triples()), tmp_path / "places.json", twins)
    built_from_endpoint(place_triples(), tmp_path / "unmoved.json", twins)
    assert (tmp_path / "places.json").read_bytes() == (tmp_path / "unmoved.json").read_bytes()


def test_names_are_in_the_languages_of_the_definition(store: SparqlEndpoint, tmp_path: Path) -> None:
    built(
        store, tmp_path / "places.json", PLACES.replace('name = "places"', 'name = "places"\nlanguages = ["de", "en"]')
    )
    entities = json.loads((tmp_path / "places.json").read_bytes())["entities"]
    names = {entity["eid"]: entity["name"] for entity in entities}
    assert names["Place#Q191"] == "Estland"


def test_constraints_select_the_members(store: SparqlEndpoint, tmp_path: Path) -> None:
    base = 'name = "x"\n[nodes.Place]\nwikidata = ["Q6256", "Q515", "Q7270", "Q3624078"]\n'

    def selected(constraint: str) -> set[str]:
        built(store, tmp_path / "x.json", base + constraint)
        return {entity["name"] for entity in json.loads((tmp_path / "x.json").read_bytes())["entities"]}

    everything = selected("")
    in_european_union = selected('linked_to = [{ property = "P463", item = "Q458" }]\n')
    assert {"Denmark", "Estonia", "Belgium"} <= in_european_union < everything
    assert "Kazakhstan" not in in_european_union
    with_internet_domain = selected('has_property = ["P78"]\n')
    assert "Estonia" in with_internet_domain < everything
    assert selected('sparql = "?item wdt:P30 wd:Q46"\n') >= {"Estonia"}
    assert "Belize" not in selected('sparql = "?item wdt:P30 wd:Q46"\n')


def test_an_endpoint_that_cuts_its_answers_gives_the_same_graph_in_smaller_parts(
    expected_graph: bytes, tmp_path: Path
) -> None:
    with SparqlEndpoint(place_triples(), repeat(capped(300))) as endpoint:
        built(endpoint, tmp_path / "places.json")
    assert (tmp_path / "places.json").read_bytes() == expected_graph


def test_an_endpoint_that_cuts_the_answer_about_a_single_item_fails_the_build(tmp_path: Path) -> None:
    with (
        SparqlEndpoint(place_triples(), repeat(capped(8))) as endpoint,
        pytest.raises(EndpointError, match=r"alone takes too long \(the endpoint returns at most 8 rows\)"),
    ):
        built(endpoint, tmp_path / "places.json")
    assert not (tmp_path / "places.json").exists()


def test_an_endpoint_without_items_of_the_definition_fails_the_build(tmp_path: Path) -> None:
    with (
        SparqlEndpoint(["<http://a/s> <http://a/p> <http://a/o> ."]) as endpoint,
        pytest.raises(SourceError, match=r"the graph would be empty: .* has no item of Place, Neighbour"),
    ):
        built(endpoint, tmp_path / "places.json")
    assert list(tmp_path.iterdir()) == []
