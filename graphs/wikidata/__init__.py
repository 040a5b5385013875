"""Builds a property graph from Wikidata: statements are selected by rank, converted and written as SimpleKG.

`build` runs a definition over a `source`: a SPARQL endpoint or a dump. Either source fills a `workspace`, a file from
which the graph is written and from which an interrupted build resumes.
"""
