"""The tools: one module each, a request model in, an answer model out."""
