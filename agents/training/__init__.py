"""Training pairs of a question and its best query, made from questions and answers without gold queries.

`questions` reads the files, `neighbourhood` enumerates patterns around the entities in the database, `candidates` runs
whole queries there and counts their rows, and `pairs` chooses by precision and recall and writes JSON Lines for `trl`.
Source: GraphRAFT (arXiv 2504.05478), §4.1.
"""
