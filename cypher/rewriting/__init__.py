"""Repairs a whole query: chooses labels, types, directions and names together, with the lowest total cost.

    >>> found = rewritings(facts)    # of MATCH (n:Firm)-[:locatedIn]->(m {name: 'Chile'}) RETURN n.name
    >>> found[0].text
    "MATCH (n:Company)-[:basedIn]->(m {name: 'Chile'}) RETURN n.name"

`sketch` is the query as nodes and links, `options` lists the alternatives for each node and link with their costs, and
`search` finds the cheapest combination that the schema allows.
"""

from graphground.cypher.rewriting.search import Rewriting, rewritings

__all__ = ["Rewriting", "rewritings"]
