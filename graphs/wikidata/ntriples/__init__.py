"""Wikidata's RDF dumps in N-Triples as a source: truthy and full dumps, with their lines in any order.

`predicates` lists the predicates that a definition needs, `lines` reads the lines of a block as arrays, `terms` parses
the parts of a line, `passes` reads blocks of lines, `staging` keeps the findings of a level on disk, `triples_source`
runs the passes.
"""
