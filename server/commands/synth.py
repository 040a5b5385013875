"""`graphground graphs synth`: make up a graph of any size for a schema."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from graphground.graphs.loading.simplekg import SimpleKGError


def synth(schema: Annotated[Path, typer.Argument(help="A schema in the CypherBench JSON form.")],
          out: Annotated[Path, typer.Argument(help="The SimpleKG file to write (.json or .json.gz).")],
          nodes: Annotated[int, typer.Option(min=1, help="How many nodes.")] = 10_000,
          relationships: Annotated[int, typer.Option(min=0, help="How many relationships.")] = 30_000,
          seed: Annotated[int, typer.Option(help="The same seed gives the same graph.")] = 0) -> None:
    """Make up a graph of any size for a schema, and write it as a SimpleKG file."""
    from graphground.cypher.schema import PropertyGraphSchema, SchemaError
    from graphground.graphs.synth import synth as made_up
    from graphground.graphs.synth import write_simplekg

    try:
        graph = made_up(PropertyGraphSchema.from_cypherbench(schema.read_bytes()), nodes, relationships, seed)
        counts = write_simplekg(graph, out)
    except (OSError, SchemaError, ValueError) as error:
        raise SimpleKGError(f"{schema}: {error}" if isinstance(error, SchemaError) else str(error)) from None
    sys.stdout.write(f"Wrote {out}: {counts[0]:,} nodes, {counts[1]:,} relationships. "
                     f"`graphground graphs load {out}` loads it.\n")
