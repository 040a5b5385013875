"""Graphs from your own data: folders of CSV and Parquet files become SimpleKG files, by a mapping that is inferred first.

`infer` reads a folder and infers the mapping, `mapping` defines its form, `convert` turns rows into records. An invalid
row is reported with its line, and nothing is written.
"""
