"""Labels that occur together on nodes, as lines of a schema's text: `(:Person:Director {name})  // 1,204`."""

from __future__ import annotations

from graphground.cypher.quoting import quoted_name
from graphground.cypher.schema import PropertyGraphSchema

MOST_COMBINATIONS = 20


def combination_lines(schema: PropertyGraphSchema) -> list[str]:
    """Return a heading and a line for each set of labels that occur together, with its properties.

    The most frequent sets come first; after 20 sets, a last line gives the number of further sets. The result is empty
    if no labels occur together.
    """
    shown = [
        combination
        for combination in schema.combinations
        if len(combination.labels) > 1 and combination.labels <= schema.labels.keys()
    ]
    if not shown:
        return []
    lines = ["Labels together"]
    for combination in shown[:MOST_COMBINATIONS]:
        labels = "".join(f":{quoted_name(label)}" for label in sorted(combination.labels))
        keys = ", ".join(
            quoted_name(key)
            for key in combination.properties
            if any(key in schema.labels[label].properties for label in combination.labels)
        )
        lines.append(f"({labels}{f' {{{keys}}}' if keys else ''})  // {combination.count:,}")
    if len(shown) > MOST_COMBINATIONS:
        lines.append(f"and {len(shown) - MOST_COMBINATIONS} more")
    return lines
