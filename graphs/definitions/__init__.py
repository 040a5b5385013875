"""Definitions of domain graphs: the mapping of Wikidata classes and properties to labels and relationship types.

`read` has the data model of a definition, and reads and checks a file; `catalog` holds the eleven domains of
CypherBench. `docs/definitions.md` explains how to write a definition.
"""
