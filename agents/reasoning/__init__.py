"""Reasoning over a retrieved subgraph: shows its patterns and nodes to a model, which chooses among the nodes.

`retrieve` runs the likeliest queries, and `subgraph` describes the found nodes in a text within a token budget.
`choice` writes the prompt for the model and parses the model's reply. Source: GraphRAFT (arXiv 2504.05478), §4.3.
"""
