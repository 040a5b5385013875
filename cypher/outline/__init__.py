"""The one reading of a query: its symbols, links, properties, comparisons and columns, with the labels inferred.

    >>> from graphground.cypher import parse
    >>> outline = outline_of(parse("MATCH (m)-[:directedBy]->(p) RETURN p.name"), schema)
    >>> [(symbol.name, outline.index.labels_of(symbol.kinds)) for symbol in outline.symbols if symbol.kind == "node"]
    [('m', ('Movie',)), ('p', ('Person',))]

`model` holds the classes and infers the labels that the schema allows, and `reader` collects the facts from the tree.
The outline is kept on the query, so that checks, repair and the search for hidden problems read it once.
"""

from graphground.cypher.outline.reader import outline_of

__all__ = ["outline_of"]
