"""Compares our build with the published engine, on two definitions and the same local endpoint.

    uv venv PUBLISHED && uv pip install --python PUBLISHED/bin/python pint requests pydantic
    python -m benchmarks.wikidata.published --python PUBLISHED/bin/python [--teams 30] [--runs 3]

The definitions are the published engine's example and a larger one. The endpoint holds the real statements of WD50K and
WikiPeople, and invented teams (WD50K has no team of the league). It answers at once, and the published engine does not
pause between queries, which is its setting for a local endpoint.

The output is the time from start to file, where the processor time goes, and the differences between the graphs.
"""

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
import time
import tomllib
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.support.shared_data import SHARED
from tests.support.sparql_endpoint import SparqlEndpoint
from tests.support.wikibase_rdf import all_triples
from tests.support.wikidata_documents import joined_documents

REFERENCE = SHARED.parent / "reference" / "cypherbench"
PUBLISHED = """
import json, sys
from cypherbench.wd2neo4j.main import WD2Neo4j
from cypherbench.wd2neo4j.resolver import SPARQLResolver
from cypherbench.wd2neo4j.schema import WDNeo4jSchema
from cypherbench.wd2neo4j.wd2simplekg import convert_wd_to_simple_kg
import time
definition, endpoint, output = sys.argv[1:]
begun, used = time.perf_counter(), time.process_time()
schema = SPARQLResolver().resolve(WDNeo4jSchema(**json.load(open(definition))))
graph = convert_wd_to_simple_kg(WD2Neo4j(sparql_url=endpoint, sparql_wait_time_seconds=0.0).transform(schema))
json.dump(graph.model_dump(mode="json"), open(output, "w"), indent=2)
print("BUILT", time.perf_counter() - begun, used, time.process_time() - used)
"""
OUR_BUILD = """
import sys, time
from pathlib import Path
from graphground.graphs.definitions.read import read_definition
from graphground.graphs.wikidata.build import build
from graphground.graphs.wikidata.endpoint import Endpoint
from graphground.graphs.wikidata.sparql_source import SparqlSource
definition, endpoint, output = sys.argv[1:]
begun, used = time.perf_counter(), time.process_time()
source = SparqlSource(Endpoint(endpoint))
build(read_definition(Path(definition)), source, Path(output))
print("BUILT", time.perf_counter() - begun, used, time.process_time() - used)
"""
DEFINITIONS = [Path(__file__).with_name(f"{name}.toml") for name in ("nba_mini", "films")]
MEASURES = (
    "seconds from start to end",
    "seconds of the build alone",
    "processor seconds of Python's start and imports",
    "processor seconds of the build",
    "processor seconds of the endpoint",
    "queries",
)


def published_form(text: str) -> dict[str, Any]:
    """Convert one of our definitions to the published engine's form, as far as that form can express it."""
    document = tomllib.loads(text)

    def properties(part: dict[str, Any]) -> list[dict[str, Any]]:
        return [
            {"label": key, "wd_source": entry["wikidata"], "datatype": entry["type"]}
            for key, entry in part.get("properties", {}).items()
        ]

    return {
        "name": document["name"],
        "entities": [
            {
                "label": label,
                "wd_source": node["wikidata"],
                "wd_include_subclasses": node.get("subclasses", True),
                "wd_constraints": [
                    *(f"$LINKED_TO({entry['property']},{entry['item']})" for entry in node.get("linked_to", [])),
                    *(f"$HAS_PROPERTY({key})" for key in node.get("has_property", [])),
                    *(
                        [f"$FROM_RELATION({','.join(node['from_relationships'])})"]
                        if "from_relationships" in node
                        else []
                    ),
                ],
                "properties": properties(node),
            }
            for label, node in document["nodes"].items()
        ],
        "relations": [
            {
                "label": relationship["type"],
                "wd_source": relationship["wikidata"],
                "subj_label": relationship["start"],
                "obj_label": relationship["end"],
                "properties": properties(relationship),
            }
            for relationship in document["relationships"]
        ],
    }


def item(key: str, name: str, **claims: list[Any]) -> dict[str, Any]:
    """Return an entity document; the values of its claims are items (`"Q5"`), or pairs of an item and a rank."""
    document: dict[str, Any] = {
        "id": key,
        "labels": {"en": {"language": "en", "value": name}},
        "claims": {},
        "aliases": {"en": [{"language": "en", "value": f"the {name}"}]},
        "descriptions": {"en": {"language": "en", "value": f"made up: {name}"}},
        "sitelinks": {"enwiki": {"site": "enwiki", "title": name}},
    }
    for property_, values in claims.items():
        for number, value in enumerate(values):
            target, rank = value if isinstance(value, tuple) else (value, "normal")
            document["claims"].setdefault(property_, []).append(
                {
                    "id": f"{key}${property_}-{number}",
                    "rank": rank,
                    "mainsnak": {
                        "snaktype": "value",
                        "datavalue": {"type": "wikibase-entityid", "value": {"id": target}},
                    },
                }
            )
    return document


def league(teams: int) -> list[dict[str, Any]]:
    """Return documents of a league's teams, with divisions, coaches, former coaches and deprecated wrong coaches."""
    documents = [item("Q155223", "National Basketball Association"), item("Q3032333", "division")]
    for number in range(teams):
        key = 900_000_000 + number * 10
        documents += [
            item(
                f"Q{key}",
                f"Team {number}",
                P31=["Q13393265"],
                P118=["Q155223"],
                P361=[f"Q{990_000_000 + number % 6}"],
                P286=[(f"Q{key + 1}", "preferred"), f"Q{key + 2}", (f"Q{key + 3}", "deprecated")],
            ),
            *(item(f"Q{key + place}", f"Coach {number}-{place}", P31=["Q5"]) for place in (1, 2, 3)),
        ]
    documents += [item(f"Q{990_000_000 + number}", f"Division {number}", P31=["Q3032333"]) for number in range(6)]
    return documents


def measured(command: list[str], endpoint: SparqlEndpoint, **options: Any) -> tuple[float, ...]:
    """Run a build; return its figures in the order of `MEASURES`."""
    queries_before, start, processor_start = len(endpoint.queries), time.perf_counter(), time.process_time()
    process = subprocess.run(command, capture_output=True, text=True, check=False, **options)
    elapsed, used_by_endpoint = time.perf_counter() - start, time.process_time() - processor_start
    if process.returncode:
        sys.exit(process.stdout + process.stderr)
    return (
        elapsed,
        *map(float, process.stdout.split("BUILT")[1].split()),
        used_by_endpoint,
        len(endpoint.queries) - queries_before,
    )


def comparable(path: Path) -> tuple[Any, Any]:
    """Return the entities and relations of a graph file in a fixed order, without the relations' ids."""
    graph = json.loads(path.read_bytes())
    return (
        sorted(graph["entities"], key=lambda entity: entity["eid"]),
        sorted(
            ({**relation, "rid": ""} for relation in graph["relations"]),
            key=lambda relation: json.dumps([relation["subj_id"], relation["obj_id"], relation], sort_keys=True),
        ),
    )


def main() -> None:
    """Run both engines on both definitions, and print the comparison."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--python", required=True, help="An interpreter with pint, requests and pydantic.")
    parser.add_argument("--teams", type=int, default=30)
    parser.add_argument("--runs", type=int, default=3)
    parsed = parser.parse_args()
    lines = list(all_triples([*joined_documents(), *league(parsed.teams)]))
    with tempfile.TemporaryDirectory() as folder, SparqlEndpoint(lines) as endpoint:
        print(f"{len(lines):,} triples")
        for definition in DEFINITIONS:
            compared(definition, Path(folder), endpoint, parsed.python, parsed.runs)


def compared(definition: Path, folder: Path, endpoint: SparqlEndpoint, python: str, runs: int) -> None:
    """Build one definition `runs` times with both engines; print the medians, and the differences of the graphs."""
    (folder / "theirs.json").write_text(json.dumps(published_form(definition.read_text())))
    published_runs, our_runs = [], []
    for _ in range(runs):
        files = str(folder / "theirs.json"), endpoint.url, str(folder / "theirs_graph.json")
        options: dict[str, Any] = {"cwd": REFERENCE, "env": {"PYTHONDONTWRITEBYTECODE": "1"}}
        published_runs.append(measured([python, "-c", PUBLISHED, *files], endpoint, **options))
        files = str(definition), endpoint.url, str(folder / "ours_graph.json")
        our_runs.append(measured([sys.executable, "-c", OUR_BUILD, *files], endpoint))
    a, b = comparable(folder / "theirs_graph.json"), comparable(folder / "ours_graph.json")
    print(
        f"{definition.stem}:",
        f"{len(b[0])} nodes, {len(b[1])} relationships:",
        "the same graph" if a == b else f"different from {len(a[0])} nodes, {len(a[1])} relationships",
    )
    for place, measure in enumerate(MEASURES):
        medians = [statistics.median(run[place] for run in engine_runs) for engine_runs in (published_runs, our_runs)]
        print(
            f"  {measure}: published {medians[0]:.2f}, ours {medians[1]:.2f}, {medians[0] / medians[1]:.1f} times as much"
        )
    for our_records, published_records in zip(b, a, strict=True):
        left = [json.dumps(record, sort_keys=True) for record in our_records]
        right = [json.dumps(record, sort_keys=True) for record in published_records]
        for sign, records, others in (("ours alone", left, set(right)), ("published alone", right, set(left))):
            alone = [record for record in records if record not in others]
            print(f"  {sign}: {len(alone)}", *(record[:600] for record in alone[:4]), sep="\n    ")


if __name__ == "__main__":
    main()
