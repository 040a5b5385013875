"""Reasoning over the retrieved subgraph: its patterns and nodes as text, the model's choice among the nodes.

`retrieve` runs the likeliest queries, `subgraph` writes what they found within a budget of tokens, `choice` asks and reads
the reply. Source: GraphRAFT (arXiv 2504.05478), §4.3.
"""
