"""`graphground schema`: token counts of each form, and the schema of one graph."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from graphground.cypher.schema import PropertyGraphSchema, SchemaError
from graphground.graphs.engines.engine import EngineError
from graphground.graphs.storage.catalog import Catalog, CatalogError
from graphground.server.commands.subcommands import run

if TYPE_CHECKING:
    from graphground.graphs.storage.home import Home

app = typer.Typer(help="Schemas: their forms, and how many tokens each takes.", no_args_is_help=True)


@app.command()
def tokens(
    files: Annotated[list[Path] | None, typer.Argument(
        help="CypherBench schema files; without any, the loaded graphs.")] = None,
    home: Annotated[Path | None, typer.Option(help="The data folder.")] = None,
) -> None:
    """Print a table: about how many tokens each form of each schema takes."""
    from rich.console import Console  # loaded on first use, as is all that follows
    from rich.table import Table

    from graphground.graphs.schemas.forms import FORMS, write_schema
    from graphground.graphs.schemas.token_count import estimate_tokens

    table = Table("graph", "labels", "patterns", "properties", *FORMS, title="Tokens (estimated)")
    for schema in _schemas(files, home):
        properties = sum(len(label.properties.keys() - label.reserved) for label in schema.labels.values())
        properties += sum(map(len, schema.relationship_properties.values()))
        table.add_row(schema.name, str(len(schema.labels)), str(len(schema.patterns)), str(properties),
                      *(f"{estimate_tokens(write_schema(schema, form)):,}" for form in FORMS))
    Console(width=100).print(table)


@app.command()
def show(
    graph: Annotated[str, typer.Argument(help="A loaded graph, or a CypherBench schema file.")],
    form: Annotated[str, typer.Option(help="base, enhanced or json.")] = "base",
    question: Annotated[str | None, typer.Option(help="Only what this question needs.")] = None,
    max_tokens: Annotated[int | None, typer.Option(min=1, help="The budget.")] = None,
    home: Annotated[Path | None, typer.Option(help="The data folder.")] = None,
) -> None:
    """Print a schema, or the part of it that a question needs."""
    from graphground.graphs.graph import Graph
    from graphground.graphs.opening.open_graphs import GraphSource, OpenGraphs
    from graphground.graphs.opening.stored import open_stored
    from graphground.tools.failure import ToolFailure
    from graphground.tools.get_filtered_schema import GetFilteredSchemaRequest, get_filtered_schema
    from graphground.tools.get_schema import GetSchemaRequest, get_schema

    path = Path(graph)
    if form not in ("base", "enhanced", "json"):
        raise typer.BadParameter(f"there is no form {form!r}; there are base, enhanced, json", param_hint="--form")

    def opened() -> Graph:
        if path.is_file():
            schema = _read(path)
            return Graph(schema.name, schema)
        return open_stored(graph, _home(home))

    graphs = OpenGraphs([GraphSource(graph, "", "", opened)])
    try:
        if question is None:
            request = GetSchemaRequest.model_validate({"form": form, "max_tokens": max_tokens})
            typer.echo(get_schema(graphs, request).as_text())
        else:
            filtered = get_filtered_schema(graphs, GetFilteredSchemaRequest.model_validate(
                {"question": question, "max_tokens": max_tokens}))
            typer.echo(filtered.as_text())
    except ToolFailure as failure:
        typer.echo(f"graphground: {failure.message} {failure.next}", err=True)
        raise typer.Exit(1) from failure
    finally:
        graphs.close()


def main(arguments: Sequence[str]) -> int:
    """Run a subcommand; what was wrong is said on stderr, in one line."""
    return run(app, "graphground schema", arguments, CatalogError, EngineError)


def _schemas(files: list[Path] | None, home: Path | None) -> list[PropertyGraphSchema]:
    if files:
        return [_read(path) for path in files]
    catalog = Catalog(_home(home))
    return [catalog.schema(entry) for entry in catalog.entries()]


def _read(path: Path) -> PropertyGraphSchema:
    try:
        return PropertyGraphSchema.from_cypherbench(path.read_bytes())
    except (OSError, SchemaError) as error:
        raise typer.BadParameter(f"{path}: {error}") from error


def _home(folder: Path | None) -> Home:
    from graphground.graphs.storage.home import Home

    return Home(folder) if folder is not None else Home.default()
