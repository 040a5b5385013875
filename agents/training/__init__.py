"""Training pairs of a question and its best query, made from questions and answers without gold queries.

`questions` reads the files, `neighbourhood` enumerates patterns around the entities, and `candidates` combines whole
queries into one that counts their rows. `pairs` chooses by precision and recall, and makes the lines for `trl`.
Source: GraphRAFT (arXiv 2504.05478), §4.1.
"""
