"""`graphground wikidata`: build a domain graph from Wikidata."""

from __future__ import annotations

import argparse
import sys
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

from graphground.cypher.diagnostics import counted
from graphground.server.commands.command_line import ProgressReport, WrongUse, progress_bars

if TYPE_CHECKING:
    from graphground.graphs.wikidata.build import Built
    from graphground.graphs.wikidata.plan import Source

SHOWN = 10
MOST_AT_ONCE = 64


def build_graph(parsed: argparse.Namespace) -> int:
    """Build a graph; print its numbers of nodes and relationships, and the main reasons for discarding values."""
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
