"""Reasoning over a retrieved subgraph: shows its patterns and nodes to a model, which chooses among the nodes.

`retrieve` runs the likeliest queries, `subgraph` describes the found nodes in a text within a token budget, and
`choice` asks the model and parses its reply. Source: GraphRAFT (arXiv 2504.05478), §4.3.
"""
