"""Imports your own data: folders of CSV and Parquet files are converted to SimpleKG files by an inferred mapping.

`infer` reads a folder and infers the mapping, `mapping` is the mapping's data model, `convert` turns rows into records.
Other sources, such as GraphML, RDF and databases, need no mapping: `property_graph` infers their schema. If any row or
record is invalid, it is reported, and nothing is written.
"""
