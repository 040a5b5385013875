"""GraphRAFT's parts (arXiv 2504.05478): decoding within a grammar, training pairs without gold queries, reasoning.

`grammar` restricts a model to the suggested queries (§4.2), `pairs` makes training pairs of a question and its best
query from questions and answers (§4.1), and `reasoning` lets a model choose among the nodes that queries found (§4.3).
"""
