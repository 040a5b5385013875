"""The sets of labels that nodes have, and the names under which the embedded engine stores them.

>>> LabelSets(schema).labels["Actor~Person"]
('Actor', 'Person')

In the engine, each node has exactly one vertex type. Nodes with several labels have a type that extends the types of
all these labels, under the name that the engine itself would give to the type, so that `labels(n)` returns the labels.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from graphground.cypher.schema import Label, PropertyGraphSchema, merge_property_types

SEPARATOR = "~"


class LabelSets:
    """The label sets of a schema by name; a set of one label has the label as its name."""

    def __init__(self, schema: PropertyGraphSchema) -> None:
        self.several = {
            SEPARATOR.join(sorted(together)): tuple(sorted(together)) for together in schema.label_combinations
        }
        """The sets of more than one label, by name."""
        self.labels: Mapping[str, tuple[str, ...]] = {label: (label,) for label in schema.labels} | self.several
        combined = {
            name: Label(
                name,
                merge_property_types(schema.labels[label].properties for label in labels),
                None,
                frozenset.intersection(*(schema.labels[label].reserved for label in labels)),
            )
            for name, labels in self.several.items()
        }
        self.stored = replace(schema, labels={**schema.labels, **combined}) if combined else schema
        """The schema in which each set of several labels is a label too, with the properties of all its labels."""


def write_labels(name: str) -> str:
    """Return the label set with this name in Cypher's notation: `:Actor:Person` for `Actor~Person`."""
    return ":" + name.replace(SEPARATOR, ":")
