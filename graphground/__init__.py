"""graphground grounds an agent's Cypher in the graph.

The parts of this package are the folders at the top of the repository:
`graphground.cypher` is `cypher/`, `graphground.server` is `server/`, and so on.
"""

__version__ = "1.0.0rc1"
