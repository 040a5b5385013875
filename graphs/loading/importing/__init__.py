"""Imports your own data: folders of CSV and Parquet files are converted to SimpleKG files by an inferred mapping.

`infer` reads a folder and infers the mapping, `mapping` is the mapping's data model, `convert` turns rows into records.
An invalid row is reported with its line, and then nothing is written.
"""
