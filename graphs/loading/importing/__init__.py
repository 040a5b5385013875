"""Imports your own data (CSV, Parquet, JSON Lines, GraphML, RDF, databases) as SimpleKG files.

    column = ColumnType()
    rows = list(column.watch(csv.reader(file), 2))
    column.name                                      # "date": the narrowest type that fits the third column

Tables need a mapping: `infer` reads a folder and infers it; `mapping` is its data model, and turns rows into records.
The other sources need no mapping: `property_graph` infers their schema. If any row or record is invalid, it is
reported, and nothing is written. `ColumnType` and `CellFormat`, the forms of text cells, serve other programs too.
"""

from graphground.graphs.loading.importing.records import CellFormat, ColumnType

__all__ = ["CellFormat", "ColumnType"]
