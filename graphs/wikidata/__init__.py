"""Builds a property graph from Wikidata: statements are selected by rank, converted and written as SimpleKG.

`build` builds the graph of a definition from a `source`, which is a SPARQL endpoint or a dump. The source fills a
`workspace`: a file from which the graph is written, and from which an interrupted build resumes.
"""
