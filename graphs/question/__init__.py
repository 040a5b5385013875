"""One reading of a question, grounded in the graph: `read(text, graph)` returns a `Question`."""
