"""From Wikidata to a property graph: statements are selected, ranked, converted and written as SimpleKG.

`build` runs a definition over a `source`: a SPARQL endpoint or a dump. Both fill the same `workspace`, a file in
which a build that was interrupted goes on, and from which the graph is written.
"""
