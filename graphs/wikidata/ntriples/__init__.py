"""Wikidata's RDF dumps in N-Triples as a source: truthy and full dumps, with their lines in any order.

`predicates` lists the predicates that a definition needs, `lines` reads the lines of a block as arrays, `terms` parses
the parts of a line, `passes` finds data in blocks of lines, `staging` stores these findings on disk until a step ends,
and `triples_source` runs the passes.
"""
