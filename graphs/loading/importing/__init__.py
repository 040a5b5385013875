"""Graphs from data of your own: CSV folders become SimpleKG files, by a mapping that is inferred first.

`infer` reads a folder and writes the mapping down, `mapping` is its form, `convert` turns rows into records. A row that
is wrong is reported with its line, and then nothing is written.
"""
