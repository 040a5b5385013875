"""Whole rewritings of a query: labels, types, directions and names chosen together, the cheapest reading first.

    >>> found = rewritings(facts)    # of MATCH (n:Firm)-[:locatedIn]->(m {name: 'Chile'}) RETURN n.name
    >>> found[0].text
    "MATCH (n:Company)-[:basedIn]->(m {name: 'Chile'}) RETURN n.name"

`sketch` is the query as nodes and links, `options` what each of them may be instead and what that costs, `search` the
cheapest choices that the schema allows.
"""

from graphground.cypher.rewriting.search import Rewriting, rewritings

__all__ = ["Rewriting", "rewritings"]
