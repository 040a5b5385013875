"""The facts that a query states about the graph: the model that the checks read."""
