"""Definitions of domain graphs: which classes and properties of Wikidata become which labels and relationships.

`model` is the form of a definition, `read` reads and checks a file, `catalog` holds the eleven domains of
CypherBench. `docs/definitions.md` explains how to write one.
"""
