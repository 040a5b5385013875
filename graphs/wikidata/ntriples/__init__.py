"""Wikidata's RDF dumps in N-Triples as a source: truthy and full, in any order of lines.

`predicates` says which predicates a definition needs, `terms` parses the parts of a line, `passes` reads blocks of lines,
`staging` keeps the findings of a level on disk, `triples_source` runs the passes.
"""
