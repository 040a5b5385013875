"""Build a domain graph from Wikidata."""

from __future__ import annotations

import argparse
import sys
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

from graphground.cypher.diagnostics import counted
from graphground.server.commands.command_line import ProgressReport, WrongUse, command, progress_bars

if TYPE_CHECKING:
    from graphground.graphs.wikidata.build import Built
    from graphground.graphs.wikidata.plan import Source

SHOWN = 10
MOST_AT_ONCE = 64


@command("build")
def build_graph(parsed: argparse.Namespace) -> int:
    """Build the graph of a definition as a SimpleKG file. Run it again to resume an interrupted build.

    DEFINITION         A definition file, or the name of a CypherBench domain.

    One of these is required:
    --endpoint URL     The address of a SPARQL endpoint that serves Wikidata.
    --dump FILE        A dump of entity JSON, one document per line, or of N-Triples, truthy or full (needs the extra
                       `rdf`); plain, .gz or .bz2.

    --output FILE      The SimpleKG file to write; default: NAME.json.gz.
    --timeout SECONDS  Seconds to wait for a response before the query is split (default: 90).
    --pause SECONDS    Seconds to wait between queries, which are then sent one at a time (default: 0).
    --parallel N       Queries to send at the same time; default: 4, but 2 at Wikimedia's endpoints, which allow 5 per
                       IP address.
    --agent AGENT      The User-Agent header; public endpoints ask for contact details in it.
    """
    from graphground.graphs.definitions.read import read_definition
    from graphground.graphs.wikidata.build import build

    definition = read_definition(parsed.definition)
    with progress_bars() as report, closing(source_of(parsed, report)) as source:
        built = build(definition, source, parsed.output or Path(f"{definition.name}.json.gz"))
    sys.stdout.write("".join(f"{note}\n" for note in source.notes) + summary(built))
    if source.broken:
        sys.stderr.write("graphground: the graph may be incomplete, because lines of the dump could not be read.\n")
    return 1 if source.broken else 0


def source_of(parsed: argparse.Namespace, report: ProgressReport) -> Source:
    """Return the source that the options name: an endpoint or a dump."""
    if parsed.dump is not None:
        from graphground.graphs.wikidata.dump_source import DumpSource, is_ntriples
        from graphground.graphs.wikidata.ntriples_source import NTriplesSource

        return (NTriplesSource if is_ntriples(parsed.dump) else DumpSource)(parsed.dump, report)
    from graphground.graphs.wikidata.endpoint import USER_AGENT, Endpoint, Patience
    from graphground.graphs.wikidata.sparql_source import SparqlSource

    if parsed.parallel is not None and not 1 <= parsed.parallel <= MOST_AT_ONCE:
        raise WrongUse(f"--parallel is {parsed.parallel}: it must be from 1 to {MOST_AT_ONCE}")
    patience = Patience(answer=parsed.timeout, between=parsed.pause, at_once=parsed.parallel)
    endpoint = Endpoint(parsed.endpoint, patience, agent=parsed.agent or USER_AGENT, waiting=report.note)
    return SparqlSource(endpoint, report)


def summary(built: Built) -> str:
    """Return the size of a built graph as text, with the most frequent reasons for discarding values."""
    size = f"{counted(built.nodes, 'node')} and {counted(built.relationships, 'relationship')}"
    lines = [f"Wrote {size} to {built.path}."]
    most = sorted(built.discarded, key=lambda discarded: -discarded["count"])[:SHOWN]
    if most:
        lines.append("Discarded, most frequent first (the .discarded.json beside the file has all):")
        lines += [
            f"  {discarded['count']:>8,}  {discarded['place']}: {discarded['reason']} "
            f"(as in {discarded['examples'][0]})"
            for discarded in most
        ]
    lines.append(f"`graphground graphs load {built.path}` loads it.")
    return "\n".join(lines) + "\n"
