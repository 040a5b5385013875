"""Show the schema of a graph, or of a CypherBench schema file."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from graphground.server.commands.command_line import DATA_FOLDER, WrongUse, command, home_from

if TYPE_CHECKING:
    from graphground.cypher.schema import PropertyGraphSchema
    from graphground.graphs.opening.open_graphs import OpenGraphs


@command("show", settings=DATA_FOLDER)
def show(parsed: argparse.Namespace) -> int:
    """Print a schema, or the part of it that a question needs.

    GRAPH                     A loaded graph, or a CypherBench schema file.
    --form (base|enhanced|json)  The form of the whole schema, by default base.
    --question QUESTION       Print only what this question needs.
    --max-tokens N            Token budget of the schema.
    """
    from graphground.tools.get_filtered_schema import GetFilteredSchemaRequest, get_filtered_schema
    from graphground.tools.get_schema import GetSchemaRequest, get_schema

    if parsed.max_tokens is not None and parsed.max_tokens < 1:
        raise WrongUse("--max-tokens must be at least 1")
    budget = {} if parsed.max_tokens is None else {"max_tokens": parsed.max_tokens}
    if parsed.form is not None and parsed.question is not None:
        raise WrongUse("--form is for the whole schema: leave out --form or --question")
    with _opened(parsed) as graphs:
        if parsed.question is None:
            text = get_schema(
                graphs, GetSchemaRequest.model_validate({"form": parsed.form or "base", **budget})
            ).as_text()
        else:
            text = get_filtered_schema(
                graphs, GetFilteredSchemaRequest.model_validate({"question": parsed.question, **budget})
            ).as_text()
    sys.stdout.write(f"{text}\n")
    return 0


@contextmanager
def _opened(parsed: argparse.Namespace) -> Iterator[OpenGraphs]:
    """Open the named graph or schema file as the only graph; a failure names the next step."""
    from graphground.graphs.graph import Graph
    from graphground.graphs.opening.open_graphs import GraphSource, OpenGraphs
    from graphground.graphs.opening.stored import open_stored
    from graphground.tools.failure import ToolFailure

    def open_it() -> Graph:
        path = Path(parsed.graph_name)
        if path.is_file():
            schema = _read(path)
            return Graph(schema.name, schema)
        return open_stored(parsed.graph_name, home_from(parsed))

    graphs = OpenGraphs([GraphSource(parsed.graph_name, "", "", open_it)])
    try:
        yield graphs
    except ToolFailure as failure:
        raise ToolFailure(failure.error, f"{failure.message} {failure.next}") from None
    finally:
        graphs.close()


def _read(path: Path) -> PropertyGraphSchema:
    from graphground.cypher.schema import PropertyGraphSchema, SchemaError

    try:
        return PropertyGraphSchema.from_cypherbench(path.read_bytes())
    except SchemaError as error:
        raise SchemaError(f"{path}: {error}") from None
