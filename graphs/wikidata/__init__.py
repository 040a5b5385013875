"""From Wikidata to a property graph: statements are selected, ranked, converted and written as SimpleKG.

`build` runs a definition over a `source`: a SPARQL endpoint or a dump. Both fill a `workspace`, a file from which an
interrupted build resumes and from which the graph is written.
"""
