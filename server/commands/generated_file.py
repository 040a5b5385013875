"""The arguments and the output file of the commands that generate a graph: `graphs synth` and `eval stand-in`."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from graphground.server.commands.command_line import WrongUse

if TYPE_CHECKING:
    from graphground.cypher.schema import PropertyGraphSchema
    from graphground.graphs.synth import SyntheticGraph


def add_generated_file(
    parser: argparse.ArgumentParser,
    *,
    nodes: int,
    relationships: int,
    amount: str,
    inputs: Mapping[str, str] | None = None,
) -> None:
    """Add the arguments SCHEMA and OUT and the options `--nodes`, `--relationships`, `--seed` and `--force`.

    `nodes` and `relationships` are the default sizes. `amount` begins the help of these options: `Number` of nodes, or
    `The minimum number` of nodes. `inputs` are further arguments, all input files, with their help: `{"tasks": "…"}`.
    """
    parser.add_argument("schema", type=Path, metavar="SCHEMA", help="A schema in the CypherBench JSON form.")
    for name, text in (inputs or {}).items():
        parser.add_argument(name, type=Path, metavar=name.upper(), help=text)
    parser.add_argument("out", type=Path, metavar="OUT", help="The SimpleKG file to write (.json or .json.gz).")
    for name, default in (("nodes", nodes), ("relationships", relationships)):
        parser.add_argument(f"--{name}", type=int, default=default, help=f"{amount} of {name} (default: {default}).")
    parser.add_argument("--seed", type=int, default=0, help="The same seed gives the same graph (default: 0).")
    parser.add_argument("--force", action="store_true", help="Replace an existing file.")


def check_generated_file(parsed: argparse.Namespace) -> None:
    """Check the sizes, and that an existing file is replaced only with `--force`.

    Raises:
        WrongUse: an argument is wrong; `run` reports it with exit status 2.
    """
    if parsed.nodes < 1 or parsed.relationships < 0:
        raise WrongUse("--nodes must be at least 1, --relationships at least 0")
    if parsed.out.exists() and not parsed.force:
        raise WrongUse(f"there is a file {parsed.out} already; replace it with --force")


def write_generated_file(
    parsed: argparse.Namespace, generate: Callable[[PropertyGraphSchema], SyntheticGraph]
) -> tuple[int, int]:
    """Generate a graph from the schema file, write it, and return its numbers of nodes and relationships.

    Raises:
        SimpleKGError: the schema is invalid, or no graph can be generated from it.
    """
    from graphground.cypher.schema import PropertyGraphSchema, SchemaError
    from graphground.graphs.loading.simplekg import SimpleKGError
    from graphground.graphs.loading.simplekg_writing import write_simplekg

    try:
        graph = generate(PropertyGraphSchema.from_cypherbench(parsed.schema.read_bytes()))
        return write_simplekg(parsed.out, graph.schema, graph.entities(), graph.relations())
    except SchemaError as error:
        raise SimpleKGError(f"{parsed.schema}: {error}") from None
    except ValueError as error:
        raise SimpleKGError(str(error)) from None
