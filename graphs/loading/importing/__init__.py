"""Imports your own data (CSV, Parquet, JSON Lines, GraphML, RDF, databases) as SimpleKG files.

Tables need a mapping: `infer` reads a folder and infers it, `mapping` is its data model, and `convert` turns rows into
records. The other sources need no mapping: `property_graph` infers their schema. If any row or record is invalid, it is
reported, and nothing is written.
"""
