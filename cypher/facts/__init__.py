"""What a query says about the graph: the model that the checks read."""
