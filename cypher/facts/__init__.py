"""The facts that a query states about the graph; the checks use them as their model of the query."""
